"""ast.dump(tree, include_attributes=True) of the running CPython, many times faster.

For each class of ast a function is made that prints its nodes. What stands inside of f-strings can
be printed with lines alone or without positions: up to 3.11 CPython gets them wrong.
"""

import ast
import sys

POSITIONS = ("lineno", "col_offset", "end_lineno", "end_col_offset")


class Printers(dict):
    """Functions by class of value; classes of constants are printed by repr."""

    def __missing__(self, cls):
        self[cls] = repr
        return repr


def source_of(cls, attributes, inner):
    """A lambda that prints a node of a class; `P` prints its fields, `Q` those of an f-string."""
    parts = []
    table = "Q" if inner and cls is ast.JoinedStr else "P"
    for name in cls._fields:
        text = "%s={%s[(v:=n.%s).__class__](v)}" % (name, table, name)
        constant = cls is ast.Constant or cls.__name__ == "MatchSingleton"
        if getattr(cls, name, ...) is None:
            parts.append("{'' if n.%s is None else f', %s'}" % (name, text))
        elif sys.version_info >= (3, 13) and not constant:
            parts.append("{'' if (v:=n.%s) is None or v == [] else f', %s'}" % (name, text))
        else:
            parts.append(", " + text)
    parts += [", %s={n.%s}" % (name, name) for name in cls._attributes if name in attributes]
    if parts and not parts[0].startswith("{"):
        return 'lambda n: f"""%s(%s)"""' % (cls.__name__, "".join(parts)[2:])
    return 'lambda n: "%s(" + f"""%s"""[2:] + ")"' % (cls.__name__, "".join(parts))


def make(attributes, inner=None):
    """Printers that show these attributes; `inner` are those for the insides of f-strings."""
    printers = Printers()
    names = {"P": printers, "Q": inner}
    # Texts and fields of f-strings have the lines of the whole string.
    whole = (ast.Constant, ast.FormattedValue, ast.JoinedStr) if attributes != POSITIONS else ()
    for cls in vars(ast).values():
        if isinstance(cls, type) and issubclass(cls, ast.AST):
            printers[cls] = eval(
                source_of(cls, () if cls in whole else attributes, inner is not None), names
            )
    printers[list] = lambda v: "[" + ", ".join([printers[x.__class__](x) for x in v]) + "]"
    return printers


def printer(fstrings):
    """A function that prints a tree; in f-strings with "all" positions, "lines", or "none"."""
    inner = {"all": None, "lines": ("lineno", "end_lineno"), "none": ()}[fstrings]
    printers = make(POSITIONS, None if inner is None else make(inner))
    return lambda tree: printers[tree.__class__](tree)
