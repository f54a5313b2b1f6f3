if a:
    \

  c
    b   \
  c
    
    c
