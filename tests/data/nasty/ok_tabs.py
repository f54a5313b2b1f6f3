if x:
	if y:
		z
	else:
		w
if a:
        b
