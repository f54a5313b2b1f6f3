import torch


def text(x: torch.Tensor):
    """A docstring
  with odd indentation
        of its lines."""
    note = """first
second
    third
"""
    if x.sum() > 0:
        print("""one
two""", f"""{x.shape}
  {note!r:>10}
""", x)
        label = '''a
        b'''
    else:
        label = r"""c\
d"""
    return x, note, label
