# whole
"""Names of the module that were rebound or changed before they are printed."""

import logging

import torch

logger = logging.getLogger(__name__)
COUNT = 0
SEEN = []
TABLE = {"calls": 0}


class Settings:
    level = 1


SETTINGS = Settings()


def talk(x):
    global COUNT
    COUNT += 1
    SEEN.append(COUNT)
    TABLE["calls"] += 2
    SETTINGS.level += 1
    print(COUNT, SEEN, TABLE.get("calls"), len(SEEN))
    logger.info("level %d of %s", SETTINGS.level, Settings.level)
    COUNT += 1
    SEEN.append(COUNT)
    print(f"{COUNT}: {SEEN[-1]}")
    return x * COUNT


def make():
    row = torch.tensor([1.0, 2.0])
    return talk, [(row,), (-row,)]
