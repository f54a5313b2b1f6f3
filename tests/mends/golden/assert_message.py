import torch


def check(x: torch.Tensor, y):
    assert (x > 0).all(), (
        "negative: "
        f"{x.min()}"
    )
    assert not x.isnan().any()
    assert (x.sum() > 0 and
            y.dtype is not None), y
    return x
