import torch


def guarded(x: torch.Tensor, lock, other):
    try:
        with lock as held, other:
            if x.sum() > 0:
                x = x + 1
    except (ValueError, KeyError) as problem:
        if x.sum() > 0:
            x = x + 2
        raise RuntimeError("nested") from problem
    except Exception:
        pass
    else:
        if x.sum() > 0:
            x = x + 3
    finally:
        if x.sum() > 0:
            x = x + 4
    return x
