import torch, logging
logger = logging.getLogger(__name__)
def f(self, x, y=None):
    """Doc."""
    if x.sum() > 0 and y is not None:
        x = x * 2
    elif x.any(): x = -x
    else:
        print("no", x.shape, sep=",")
    if not torch.isfinite(x).all():
        raise ValueError(f"bad {x}")
    assert x.min() >= 0, "negative"
    logger.warning("%s", x.mean())
    for i in range(3):
        if (x[i] > 0).all(): self.n = x
    return x
