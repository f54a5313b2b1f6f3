match = case = type = _ = 1
match[case](type)
match.case = type
print(match, case, type, _)
type: int = 3
