#!/usr/bin/env bash
# Fails on Go functions that neither conch nor what writes its documents calls, and on those of tools and tests that neither a
# program nor a test calls: build/deadcode.sh TAGS COMMAND…, where COMMAND runs a Go tool.
set -euo pipefail
cd "$(dirname "$0")/.."
tags=$1
shift
# What may stay, and why:
allowed=(
  'unreachable func: Judged$'   # language: tests of the app count how often a text is judged
  'unreachable func: Apply$'    # overlay: changes of a text in parts, as an editor that speaks LSP sends them
  'unreachable func: conchLog$' # ort: C calls it
  'unreachable func: conchTakeBackAll$' # app/desktop: C calls it
)
dead=$("$@" deadcode -tags "$tags" . ./build/rulebook && "$@" deadcode -test -tags "$tags" ./...)
found=$(grep -v -E "$(IFS='|'; echo "${allowed[*]}")" <<<"$dead" || true)
if [ -n "$found" ]; then
  echo "these functions are called by tests alone, or by nothing; remove them, or move them to a _test.go file:"
  sort -u <<<"$found"
  exit 1
fi
