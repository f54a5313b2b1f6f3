@a.b(c)
async def f(x, /, y: int = 0, *z, k, **w) -> None:
    async with a as (b, *c), d: pass
    async for i in await x: yield
    else: return (yield from x)
class C(B, metaclass=M): n: str = "s"; m: (int)
for a, *b in c: break
while x: continue
try: raise E from e
except (A, B) as e: del e.x, e[0]
else: pass
finally: global g; nonlocal n
try: pass
except* E: pass
with (open(a) as b, c): assert x, y
import a.b as c, d; from ..e import (f as g, h,); from . import *
