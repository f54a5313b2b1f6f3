import torch


def dispatch(x: torch.Tensor, mode):
    match mode:
        case "double" | "twice":
            if x.sum() > 0:
                x = x * 2
        case {"scale": scale, **rest} if scale:
            x = x * scale
        case [first, *_]:
            assert x.any(), f"nothing in {first}"
        case _:
            pass
    return x
