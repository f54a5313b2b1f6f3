"""What holds for every test."""

from __future__ import annotations

import os

# Models are made from small configurations; nothing is fetched.
os.environ.setdefault("HF_HUB_OFFLINE", "1")
# Answers of the core are not kept, but by the tests of just that.
os.environ["GRAPHMEND_CACHE"] = ""
