#!/usr/bin/env bash
# Runs the fault tests for that long together and prints their accounts: build/faults/run.sh TIME [FLAG...], flags as of go test.
# What a test writes besides is shown when one fails.
set -euo pipefail
cd "$(dirname "$0")/../.."
export CONCH_ONNXRUNTIME=${CONCH_ONNXRUNTIME:-$PWD/build/cache/onnxruntime/libonnxruntime.so.1}
time=$1; shift
log=$(mktemp)
trap 'rm -f "$log"' EXIT
echo "faults: $time of them, shared by all tests"
build/traceless.sh go test -count=1 -v -timeout 0 "$@" ./build/faults -args -faults="$time" >"$log" 2>&1 || { cat "$log"; exit 1; }
sed -n '/^faults: /,/^  lost: /p' "$log"
