#!/usr/bin/env bash
# Brings a checkout to the state in which everything runs: Debian packages, .venv, core.
# Does nothing, quickly, where nothing changed.  With --no-build it stops before the core; with
# --rows5 it also makes .venv5, which holds the newer models.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

say() { printf '== %s\n' "$*"; }
fail() {
  printf 'graphmend: %s\n' "$*" >&2
  exit 1
}

# One setup at a time in a checkout.
mkdir -p build
exec 9>build/.setup.lock
flock 9

debian_packages() {
  command -v dpkg-query >/dev/null || {
    [ -e build/.not-debian ] && return 0
    say "this is not Debian: install what corresponds to debian-packages.txt yourself"
    touch build/.not-debian
    return 0
  }
  local wanted missing
  mapfile -t wanted < <(grep -hvE '^(#|$)' debian-packages.txt \
    ${GRAPHMEND_FUZZ:+debian-packages-fuzz.txt})
  missing=$(comm -23 \
    <(printf '%s\n' "${wanted[@]}" | sort) \
    <(dpkg-query -W -f='${db:Status-Status} ${Package}\n' "${wanted[@]}" 2>/dev/null |
      sed -n 's/^installed //p' | sort -u))
  [ -n "$missing" ] || return 0
  # shellcheck disable=SC2086
  set -- $missing
  if [ "$(id -u)" -ne 0 ]; then
    printf 'graphmend: Debian packages are missing. Type this, then repeat the command:\n' >&2
    printf '  sudo apt-get update && sudo apt-get install -y --no-install-recommends %s\n' "$*" >&2
    exit 1
  fi
  say "installing Debian packages: $*"
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq </dev/null
  apt-get install -y -qq --no-install-recommends "$@" </dev/null >build/apt.log 2>&1 || {
    tail -n 20 build/apt.log >&2
    fail "apt-get could not install: $*"
  }
}

# Python 3.11 is what the requirements were pinned with; newer ones are taken where it is missing.
find_python() {
  local candidate
  for candidate in "${PYTHON:-}" python3.11 /usr/bin/python3.11 python3.12 python3.13 python3; do
    [ -n "$candidate" ] && command -v "$candidate" >/dev/null || continue
    "$candidate" - <<'PY' >/dev/null 2>&1 && { command -v "$candidate"; return; }
import ensurepip, os, sys, sysconfig, venv
header = os.path.join(sysconfig.get_path("include"), "Python.h")
sys.exit(not ((3, 11) <= sys.version_info < (3, 14) and os.path.exists(header)))
PY
  done
  return 1
}

install() {
  .venv/bin/python -m pip install --quiet --no-input --disable-pip-version-check "$@" \
    >>build/pip.log 2>&1 || {
    tail -n 20 build/pip.log >&2
    fail "pip could not install the requirements (the whole log: build/pip.log)"
  }
}

virtual_environment() {
  local stamp wanted python
  stamp=.venv/.graphmend-requirements
  wanted=$({ pwd; cat requirements/{build,dev,rows-nodeps,rows}.txt python/graphmend.pth; } | sha256sum | cut -d' ' -f1)
  if [ ! -x .venv/bin/python ] || [ ! -x .venv/bin/pip ]; then
    python=$(find_python) || fail "no suitable Python: version 3.11, 3.12 or 3.13 with its headers \
and the venv module is needed (on Debian 12: apt-get install python3 python3-dev python3-venv; \
elsewhere name one with PYTHON=/path/to/python3.11)"
    say "making .venv with $("$python" --version)"
    rm -rf .venv
    "$python" -m venv .venv
  fi
  [ "$(cat "$stamp" 2>/dev/null)" = "$wanted" ] && return 0
  say "installing the pinned requirements into .venv (some minutes the first time)"
  : >build/pip.log
  install -r requirements/build.txt -r requirements/dev.txt -r requirements/rows.txt
  install --no-deps -r requirements/rows-nodeps.txt
  # The package is used where it stands; its extension module is built into it.
  .venv/bin/python - <<'PY'
import pathlib, sys, sysconfig

checkout = pathlib.Path.cwd()
site = pathlib.Path(sysconfig.get_path("purelib"))
# The path, and the line of the wheel that reads GRAPHMEND.
hook = (checkout / "python" / "graphmend.pth").read_text()
(site / "graphmend-checkout.pth").write_text(f"{checkout / 'python'}\n{hook}")
command = pathlib.Path(sys.executable).with_name("graphmend")
command.write_text(
    f"#!{sys.executable}\nimport sys\n\nfrom graphmend.cli import main\n\nsys.exit(main())\n"
)
command.chmod(0o755)
PY
  printf '%s\n' "$wanted" >"$stamp"
}

# The newer models need other versions of the libraries that the rows are pinned to.
newer_models() {
  local stamp=.venv5/.graphmend-requirements wanted
  wanted=$({ pwd; cat requirements/rows5.txt; } | sha256sum | cut -d' ' -f1)
  [ -x .venv5/bin/pip ] || .venv/bin/python -m venv .venv5
  [ "$(cat "$stamp" 2>/dev/null)" = "$wanted" ] && return 0
  say "installing the newer models into .venv5 (some minutes the first time)"
  .venv5/bin/python -m pip install --quiet --no-input --disable-pip-version-check \
    -r requirements/rows5.txt >build/pip5.log 2>&1 || {
    tail -n 20 build/pip5.log >&2
    fail "pip could not install requirements/rows5.txt (the whole log: build/pip5.log)"
  }
  .venv5/bin/python - <<'PY'
import pathlib, sysconfig

site = pathlib.Path(sysconfig.get_path("purelib"))
(site / "graphmend-checkout.pth").write_text(f"{pathlib.Path.cwd() / 'python'}\n")
PY
  printf '%s\n' "$wanted" >"$stamp"
}

# What only a test of a page needs: without it that test is skipped, and says so.
browser() {
  local package
  package=$(grep -vE '^(#|$)' debian-packages-browser.txt)
  if command -v chromium-headless-shell >/dev/null || command -v chromium >/dev/null ||
    ! command -v apt-get >/dev/null || [ "$(id -u)" -ne 0 ] || [ -e build/.no-browser ]; then
    return 0
  fi
  say "installing a browser for the tests: $package"
  apt-get update -qq </dev/null >>build/apt.log 2>&1 || true
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$package" \
    </dev/null >>build/apt.log 2>&1 || {
    say "it could not be installed (build/apt.log): the tests that need it are skipped"
    touch build/.no-browser
  }
}

debian_packages
[ -z "${GRAPHMEND_BROWSER:-}" ] || browser
virtual_environment
[ "${1:-}" != --rows5 ] || newer_models
[ "${1:-}" = --no-build ] || tools/build.sh
