"""What graphmend tells of its work: loggers below ``graphmend``, and a switch in the environment.

``GRAPHMEND_LOGS=mends,traces`` names the loggers that speak, on stderr; a ``+`` before a name lets
it tell more, and ``all`` stands for every one. Without it only warnings are told, also where a
program lets its root logger tell everything: ``logging.getLogger("graphmend").setLevel(...)`` asks
for more. Nothing here imports torch.
"""

from __future__ import annotations

import logging
import os
import sys

VARIABLE = "GRAPHMEND_LOGS"
NAMES = {
    "mends": "each site and what becomes of it; +mends: the mended text",
    "traces": "breaks, what a trace came upon, and why a mended form was not used",
    "cache": "what could not be kept; +cache: what was found",
    "verify": "each call that was verified",
}
_ROOT = "graphmend"


def logger(name: str) -> logging.Logger:
    """The logger of one part."""
    assert name in NAMES
    return logging.getLogger(f"{_ROOT}.{name}")


def configure(text: str) -> None:
    """Let those speak that ``text`` names; names that are none are told."""
    root = logging.getLogger(_ROOT)
    if root.level == logging.NOTSET:
        root.setLevel(logging.WARNING)
    asked = [part.strip() for part in text.split(",") if part.strip()]
    if not asked:
        return
    for part in asked:
        name = part.lstrip("+")
        if name not in NAMES and name != "all":
            known = ", ".join((*NAMES, "all"))
            print(f"graphmend: {VARIABLE}: no {name!r}; there are {known}", file=sys.stderr)
            continue
        level = logging.DEBUG if part.startswith("+") else logging.INFO
        for one in NAMES if name == "all" else (name,):
            logger(one).setLevel(level)
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("[%(name)s] %(message)s"))
    root.addHandler(handler)
    root.propagate = False


configure(os.environ.get(VARIABLE, ""))
