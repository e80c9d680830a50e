#!/usr/bin/env bash
# Runs every fuzz target of the tree in turn, each for the time given (1m). An input that covers something new is made smaller for
# two seconds at most: what several threads cover differs from run to run, so that Go would try for a minute, and at times give up.
set -euo pipefail
cd "$(dirname "$0")/.."
time=${1:-1m}
git grep -lE '^func Fuzz' -- '*_test.go' | xargs -n1 dirname | sort -u | while read -r dir; do
  grep -hoE '^func Fuzz[A-Za-z0-9_]*' "$dir"/*_test.go | sed 's/func //' | while read -r target; do
    echo "fuzz: $dir $target for $time"
    go test "./$dir" -run '^$' -fuzz "^$target\$" -fuzztime "$time" -fuzzminimizetime 2s </dev/null
  done
done
echo "fuzz: no target failed"
