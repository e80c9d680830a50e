#!/usr/bin/env bash
# Plays the conformance suite of Python models, and the tests of the package alone, on each Python from 3.9 to 3.14 that this machine has.
# CONCH_BINARY names the program. Each Python but the tests' own gets NumPy in build/cache/pythons; those that run side by side share the machine.
set -euo pipefail
cd "$(dirname "$0")/.."
suite=engine/backend/python/conformance
alone=engine/backend/python/alone
tests=$PWD/build/cache/venv/bin/python
cache=$PWD/build/cache/pythons
mkdir -p "$cache"

version_of() { "$1" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null; }

find_python() { # find_python 3.9: an interpreter of that version
  local candidate
  for candidate in "$(command -v "python$1" || true)" "$HOME"/.pyenv/versions/"$1".*/bin/python3 /usr/bin/"python$1" /usr/local/bin/"python$1"; do
    if [ -x "$candidate" ] && [ "$(version_of "$candidate")" = "$1" ]; then echo "$candidate"; return; fi
  done
}

with_numpy() { # with_numpy VERSION INTERPRETER: an environment that has NumPy
  local dir=$cache/$1
  if ! "$dir/bin/python3" -c 'import numpy' 2>/dev/null; then
    rm -rf "$dir"
    "$2" -m venv "$dir" && "$dir/bin/python3" -m pip install --quiet --disable-pip-version-check numpy >"$cache/$1.log" 2>&1 ||
      { echo "NumPy could not be installed for Python $1; $cache/$1.log says why" >&2; return 1; }
  fi
  echo "$dir/bin/python3"
}

play() { # play INTERPRETER OPTION...: the tests on one Python
  CONCH_PYTHON=$1 "$tests" -m pytest -q -p no:cacheprovider "$suite" "$alone" "${@:2}"
}

own=$(version_of "$tests")
ran=$own absent=""
play "$tests"
declare -A running
for version in 3.9 3.10 3.11 3.12 3.13 3.14; do
  [ "$version" != "$own" ] || continue
  found=$(find_python "$version")
  if [ -z "$found" ]; then absent="$absent $version"; continue; fi
  python=$(with_numpy "$version" "$found")
  play "$python" --deselect "$alone/test_alone.py::test_types" >"$cache/$version.log" 2>&1 &
  running[$version]=$!
done
failed=0
for version in "${!running[@]}"; do
  if wait "${running[$version]}"; then
    echo "Python $version: $(tail -1 "$cache/$version.log")"
  else
    echo "Python $version failed:"; cat "$cache/$version.log"; failed=1
  fi
  ran="$ran $version"
done
echo "test-python: ran on Python $(tr ' ' '\n' <<<"$ran" | sort -V | xargs)${absent:+; this machine has no Python${absent}}"
exit $failed
