#!/usr/bin/env bash
# Runs every fuzz target of the tree in turn, each for the time given (1m).
set -euo pipefail
cd "$(dirname "$0")/.."
time=${1:-1m}
git grep -lE '^func Fuzz' -- '*_test.go' | xargs -n1 dirname | sort -u | while read -r dir; do
  grep -hoE '^func Fuzz[A-Za-z0-9_]*' "$dir"/*_test.go | sed 's/func //' | while read -r target; do
    echo "fuzz: $dir $target for $time"
    go test "./$dir" -run '^$' -fuzz "^$target\$" -fuzztime "$time" </dev/null
  done
done
echo "fuzz: no target failed"
