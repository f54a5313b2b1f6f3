x = a if b else lambda *p, q=1, **r: not -~a ** b @ c // d << 1 | 2 ^ 3 & 4
y = [i async for i in a if b if c], {*s, 1}, {**d, 'k': 1}, (j for j in k), {a: b for a, b in c}
z = f(*a, k=1, **b)[1:2, ::3, ...].c < 1 <= 2 != 3 in d not in e is f is not g and h or i
(w := 0x1F + 0b1 + 0o7 + 1_0.5e-3j + .5)
print(*[1], 'a' "b" r'\d' u'c', b'\x00' rb'\n')
