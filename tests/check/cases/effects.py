"""Calls that reach out of the graph."""

import copy
import json
import logging
import os
import random
import sys
import threading
import time
import warnings

import numpy as np
import torch
from torch import nn

logger = logging.getLogger(__name__)


def helper(x):
    print("in a helper")  # finds: print-call
    return x


def never_called(x):
    print("nobody calls it")
    return x


@torch.compiler.disable
def statistics(x):
    print("outside of the graph")
    return x.mean()


class Effects(nn.Module):
    def __init__(self):
        super().__init__()
        print("made once")
        self.lock = threading.Lock()
        self.scale = nn.Parameter(torch.ones(()))

    def forward(self, x: torch.Tensor, path: str = ""):
        helper(x)
        print(x)  # finds: print-call
        logger.info("a")  # finds: logging-call
        logging.warning("b")  # finds: logging-call
        warnings.warn("c")  # finds: warning-call
        started = time.time()  # finds: clock-read
        if random.random() < 0.5:  # finds: host-random
            x = x + random.uniform(0.0, 1.0)
        if np.random.rand() < 0.5:  # finds: host-random
            x = x + int(np.prod(x.shape))
        with open(path) as file:  # finds: file-access
            file.read()
        torch.save(x, path)  # finds: file-access
        if os.path.exists(path):  # finds: skipped-call
            x = x + 1
        if os.environ.get("DEBUG"):
            x = x + 1
        sys.stdout.write("d")  # finds: skipped-call
        json.dumps({})  # finds: skipped-call
        with self.lock:  # finds: context-manager
            x = x * 2
        with torch.no_grad():
            x = x * 2
        statistics(x)  # finds: disabled-call
        torch._dynamo.graph_break()  # finds: disabled-call
        self.register_forward_hook(print)  # finds: hook
        y = nn.Parameter(x)  # finds: parameter-construction
        z = copy.deepcopy(x)  # finds: tensor-copy
        torch.manual_seed(0)  # finds: random-generator
        x.sum().backward()  # finds: autograd-call
        x.resize_(2)  # finds: storage-change
        text = str(x)  # finds: tensor-text
        order = sorted([x.sum(), x.mean()])  # finds: tensor-sort
        power = pow(2, x)  # finds: builtin-call
        if not torch.compiler.is_compiling():
            print("eager alone")

        class Local:  # finds: class-definition
            pass

        return x, y, z, text, order, power, started, Local
