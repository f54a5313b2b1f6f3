match x, *y:
    case {"k": [1, *r], **m} | P(1, x=2) if r: pass
    case (a | b) as c: pass
    case -1 + 2j | "s" "t" | None | a.b | [] | (): pass
    case [_, *_]: pass
match = case = type = _ = 1
match[x]
type X[T: int = str, *Ts = *tuple[int], **P] = list[T]
def f[T](x: T) -> T: ...
class C[*Ts]: pass
