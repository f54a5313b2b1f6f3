if a and \
   b or \
\
 c:
    pass
x = \
1
assert \
  x
