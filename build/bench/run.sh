#!/usr/bin/env bash
# Prints every figure of docs/benchmarks.md: the engine's, then those a person sees. Arguments choose sections:
# `build/bench/run.sh language reload`; "window" are those of the real window.
set -euo pipefail
cd "$(dirname "$0")/../.."
export CONCH_ONNXRUNTIME=${CONCH_ONNXRUNTIME:-$PWD/build/cache/onnxruntime/libonnxruntime.so.1}
sections=() window=$#
for section in "$@"; do
  if [ "$section" = window ]; then window=0; else sections+=("$section"); fi
done
[ $# -gt 0 ] && [ ${#sections[@]} -eq 0 ] || go run ./build/bench "${sections[@]}"
[ "$window" -gt 0 ] || node frontend/e2e/run.mjs bench
