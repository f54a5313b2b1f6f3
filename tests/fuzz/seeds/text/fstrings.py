a = f"{x!r:>{w}.{p}} {y = } {{}} {z:%H:%M} {'a' if b else f'{c}'}" rf'\d{d}' "e"
b = f'''{
    x  # comment
    + 1}
{y!s}'''
c = t"{a} {b:c}"
d = f"{f"{f"{1}"}"}\N{DASH}\x41\u00e9"
