# whole
# training: whole
# inductor
"""Records of several levels with arguments; one logger is a global, one an attribute."""

import logging

import torch

logger = logging.getLogger(__name__)


class Logs(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.logger = logging.getLogger(f"{__name__}.inner")
        self.weight = torch.nn.Parameter(torch.tensor([2.0, 3.0]))

    def forward(self, x):
        logger.debug("not shown: %s", x)
        logger.info("%s of %d", tuple(x.shape), len(x))
        y = x * self.weight
        logger.warning("mean %.3f", y.mean())
        self.logger.error("a dictionary: %(a)s", {"a": [1, (2, "b")]})
        self.logger.log(logging.CRITICAL, "level")
        logging.warning("root %s", x.dtype)
        return y


def make():
    return Logs(), [(torch.tensor([1.0, 2.0]),), (torch.tensor([-1.0, 2.0]),)]
