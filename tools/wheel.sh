#!/usr/bin/env bash
# Builds the wheel into dist/, installs it into an empty environment and uses it there.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
rm -rf dist build/wheel-check
PATH="$PWD/.venv/bin:$PATH" .venv/bin/python -m pip wheel --quiet --disable-pip-version-check \
  --no-deps --no-build-isolation --config-settings=build-dir=build/wheel -w dist .
wheel=(dist/graphmend-*.whl)
.venv/bin/python -m venv build/wheel-check
build/wheel-check/bin/python -m pip install --quiet --disable-pip-version-check --no-deps \
  "${wheel[0]}"
cd build/wheel-check
unset PYTHONPATH # what is imported is what was installed
bin/graphmend --version
bin/python - <<'PY'
import sys

import graphmend
import graphmend._core

assert "torch" not in sys.modules
assert graphmend.__file__.startswith(sys.prefix), graphmend.__file__
PY
# The line that reads GRAPHMEND lies in the wheel beside the package, and works in any process.
test -f lib/python*/site-packages/graphmend.pth
GRAPHMEND=1 bin/python -c 'import sys; assert "graphmend.hook" in sys.modules'
GRAPHMEND=0 bin/python -c 'import sys; assert "graphmend.hook" not in sys.modules'
# Every process of the environment runs that line when it starts.
bin/python - <<'PY'
import os
import pathlib
import sysconfig
import timeit

line = pathlib.Path(sysconfig.get_path("purelib"), "graphmend.pth").read_text().strip()
os.environ.pop("GRAPHMEND", None)
spent = min(timeit.repeat(line, number=1, repeat=20)) * 1000
print(f"the line of graphmend.pth: {spent:.4f} ms where GRAPHMEND is not set (allowed: 1)")
assert spent < 1
PY
if ldd lib/python*/site-packages/graphmend/_core.*.so | grep -E 'torch|c10|python'; then
  echo "the extension module links what it must not" >&2
  exit 1
fi
cd - >/dev/null
rm -rf build/wheel-check
echo "${wheel[0]}: $(stat -c %s "${wheel[0]}") bytes"
