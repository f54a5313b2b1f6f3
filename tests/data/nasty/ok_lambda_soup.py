f = lambda *a, b=lambda: 1, **c: (lambda: (yield))(lambda d: d[lambda: 1:lambda: 2])
