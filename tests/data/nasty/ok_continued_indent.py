if a:
    \
    b
    c
