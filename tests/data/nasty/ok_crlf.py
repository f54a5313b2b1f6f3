def f(a):
    """Doc
    string."""
    if a:
        return [1,
            2]

    return a \
        + 1
