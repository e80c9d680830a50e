#!/usr/bin/env bash
# Fails when the committed generated code is not what build/generate.sh makes.
set -euo pipefail
cd "$(dirname "$0")/.."
generated() { git ls-files -co --exclude-standard '*.pb.go' '*.connect.go' 'frontend/src/api/*_pb.ts' docs/rules.md; }
sums() { generated | sort | xargs sha256sum; }
before=$(sums)
build/generate.sh >/dev/null
after=$(sums)
[ "$before" = "$after" ] || {
  echo "generated code was out of date and was written again; look at it and commit it:"
  diff <(echo "$before") <(echo "$after") | awk '/^[<>]/{print "  " $3}' | sort -u
  exit 1
}
echo "generated code is fresh"
