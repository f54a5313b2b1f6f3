if x:
    y
        # deeper comment
  # shallower comment
    z
      
	
