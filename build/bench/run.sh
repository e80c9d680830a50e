#!/usr/bin/env bash
# Prints every figure that the README states: the engine's, then those a person sees.
set -euo pipefail
cd "$(dirname "$0")/../.."
export CONCH_ONNXRUNTIME=$PWD/build/cache/onnxruntime/libonnxruntime.so.1
go run ./build/bench
node frontend/e2e/run.mjs bench
