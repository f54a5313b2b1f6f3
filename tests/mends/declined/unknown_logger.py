# declined: no site
import torch

logger = torch


def show(x: torch.Tensor):
    logger.info("x")
    logger.warning(x)
    return x
