# declined: no site
import logging

import torch

logger = logging.getLogger(__name__)


def show(x: torch.Tensor):
    y = print(x)
    return x, y, logger.info("value")
