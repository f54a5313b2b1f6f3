import torch


def long(
    x: torch.Tensor,
    *,
    limit: float = 1.0,
) -> torch.Tensor:
    y = (
        x
        + limit  # a comment inside
    )
    if (
        x.sum() > limit
        # a comment between
        and y.sum() \
        > limit
    ):
        y = torch.clamp(
            y,
            max=limit,
        )
    value = y + \
        limit
    return (value,
      y)
