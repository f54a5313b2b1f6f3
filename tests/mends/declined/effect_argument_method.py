# declined: an argument may change something: what .describe() does is not known
import logging

import torch

logger = logging.getLogger(__name__)


def show(self, x: torch.Tensor):
    logger.info("%s", self.describe(x))
    return x
