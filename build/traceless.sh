#!/usr/bin/env bash
# Runs a command with a temporary folder of its own, and fails when the command leaves something there: build/traceless.sh COMMAND...
set -euo pipefail
# The name stays the same, since results of tests are kept only for the same TMPDIR; a second run beside gets another.
dir=${TMPDIR:-/tmp}/conch-tests-$(id -u)-$(pwd | cksum | cut -d' ' -f1)
mkdir -m 700 "$dir" 2>/dev/null || dir=$(mktemp -d "${TMPDIR:-/tmp}/conch-tests-XXXXXX")
trap 'chmod -R u+rwx "$dir"; rm -rf "$dir"' EXIT
TMPDIR=$dir XDG_RUNTIME_DIR=$dir "$@"
left=$(ls -A "$dir")
if [ -n "$left" ]; then
  echo "left in the temporary folder: $left" >&2
  exit 1
fi
