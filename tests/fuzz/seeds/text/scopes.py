x = 1
def f(a, b=x):
    global g; g = a
    def h():
        nonlocal a
        a = [x for x in range(b) if (y := x)]
        return lambda c: (a, c, y)
    class C:
        __p = b; q: a
        def m(self): return super().m(), __class__, self.__p
        z = [q for q in (__p,) if x]
    exec(''); eval(''); locals()
    from m import n as o
    try: pass
    except E as e: pass
    return h, C, {k: v for k, v in o}, (lambda: (yield))
from __future__ import annotations
