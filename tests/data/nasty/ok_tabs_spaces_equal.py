if x:
    	y
    	z
