#!/usr/bin/env bash
# All checks that read the sources; every one runs, whatever the others said.
#   tools/lint.sh [--fix]     with --fix: format in place instead
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
bin=.venv/bin
mapfile -t cpp < <(git ls-files --cached --others --exclude-standard -- \
  'src/*.h' 'src/*.cpp' 'tests/*.h' 'tests/*.cpp' | while read -r f; do [ -f "$f" ] && echo "$f"; done)
stub=python/graphmend/_core.pyi
python=(python tests tools)
[ -d bench ] && python+=(bench)

# The extension module's types, as nanobind tells them.
write_stub() {
  "$bin/python" -m nanobind.stubgen -q -m graphmend._core -o "$1" &&
    "$bin/ruff" check --quiet --fix "$1" && "$bin/ruff" format --quiet "$1"
}
check_stub() {
  write_stub build/_core.pyi && diff -u "$stub" build/_core.pyi
}

if [ "${1:-}" = --fix ]; then
  write_stub "$stub"
  [ ${#cpp[@]} -eq 0 ] || "$bin/clang-format" -i "${cpp[@]}"
  "$bin/ruff" check --quiet --fix "${python[@]}"
  "$bin/ruff" format --quiet "${python[@]}"
  exit
fi

failed=()
step() {
  local name=$1
  shift
  printf '== %s\n' "$name"
  "$@" || failed+=("$name")
}

[ ${#cpp[@]} -eq 0 ] || step clang-format "$bin/clang-format" --dry-run --Werror "${cpp[@]}"
step "ruff check" "$bin/ruff" check --quiet "${python[@]}"
step "ruff format" "$bin/ruff" format --quiet --check "${python[@]}"
step layers "$bin/python" tools/check_layers.py
step names "$bin/python" tools/check_names.py
step sizes "$bin/python" tools/check_sizes.py
step stub check_stub
step mypy "$bin/mypy"
step clang-tidy "$bin/python" tools/run_clang_tidy.py

if [ ${#failed[@]} -gt 0 ]; then
  printf 'lint: failed: %s\n' "$(IFS=,; echo "${failed[*]}")" >&2
  exit 1
fi
echo "lint: all clean"
