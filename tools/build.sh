#!/usr/bin/env bash
# Builds a preset (dev when none is named), and of it the named targets (all when none is):
#   tools/build.sh [PRESET [TARGET...]]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
preset=${1:-dev}
[ $# -eq 0 ] || shift
cmake=.venv/bin/cmake
folder=build/$preset
log=$folder/build.log

# Two builds in one folder would disturb each other.
mkdir -p "$folder"
exec 8>"$folder/.lock"
flock 8

if [ ! -e "$folder/build.ninja" ] || [ CMakePresets.json -nt "$folder/CMakeCache.txt" ]; then
  printf '== configuring %s\n' "$folder"
  PATH="$PWD/.venv/bin:$PATH" "$cmake" --preset "$preset" >"$log" 2>&1 || {
    cat "$log" >&2
    exit 1
  }
  touch "$folder/CMakeCache.txt"
fi
arguments=(--build "$folder" --parallel "${GRAPHMEND_JOBS:-$(nproc)}")
[ $# -eq 0 ] || arguments+=(--target "$@")
if [ -t 1 ]; then
  "$cmake" "${arguments[@]}"
  exit
fi
# Into a file or a pipe: how far it is, twice a minute, and in full only what went wrong.
progress() {
  local line now next=$((SECONDS + 30))
  while IFS= read -r line; do
    [[ $line =~ ^\[([0-9]+/[0-9]+)\]\ (Building|Linking) ]] || continue
    now=$SECONDS
    if ((now >= next)); then
      printf '   %s\n' "${BASH_REMATCH[1]}"
      next=$((now + 30))
    fi
  done
}
"$cmake" "${arguments[@]}" 2>&1 | tee "$log" | progress || {
  sed -n '/^FAILED/,$p' "$log" | grep . >&2 || tail -n 20 "$log" >&2
  exit 1
}
steps=$(grep -cE '^\[[0-9]+/[0-9]+\] (Building|Linking)' "$log" || true)
[ "$steps" = 0 ] || printf '== built %s: %s steps\n' "$folder" "$steps"
