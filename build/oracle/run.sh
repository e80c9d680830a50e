#!/usr/bin/env bash
# Gets the real server when it is not there yet and $CONCH_TRITON names none, and holds it against conch: build/oracle/run.sh [flags of build/oracle]
set -euo pipefail
cd "$(dirname "$0")/../.."
venv=build/cache/venv-oracle
wanted=$(sha256sum build/oracle/requirements.txt | cut -d' ' -f1)
if [ -z "${CONCH_TRITON:-}" ] && [ "$(cat "$venv/wanted" 2>/dev/null)" != "$wanted" ]; then
  echo "oracle: the real tritonserver (about 400 MB), from build/oracle/requirements.txt"
  rm -rf "$venv"
  python3 -m venv "$venv"
  "$venv/bin/python" -m pip install --quiet --disable-pip-version-check -r build/oracle/requirements.txt || {
    echo "oracle: pip could not install build/oracle/requirements.txt. Check that pip reaches its index, then run the same command again." >&2
    exit 1
  }
  printf '%s' "$wanted" >"$venv/wanted"
fi
exec go run ./build/oracle -venv "$venv" "$@"
