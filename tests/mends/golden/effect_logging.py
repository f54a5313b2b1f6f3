# function: Model.forward
# facts: self.logger=logger
import logging

import torch

logger = logging.getLogger(__name__)


class Model(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        logger.info("mean %s of %s", x.mean(), self.config.name)
        logger.warning_once(
            "once"
        )
        self.logger.log(logging.DEBUG, "shape %s", tuple(x.shape))
        logging.error("root")
        return x
