#!/usr/bin/env bash
# Builds Conch and opens it on $REPOSITORY: in a window where there is a display, else in a browser.
set -euo pipefail
cd "$(dirname "$0")/.."

# The tree's own examples run code of this tree, as this script does: there is nothing to ask. A repository of the user is asked about.
trust=()
[ "$(realpath -m "$REPOSITORY")" != "$PWD/examples/repository" ] || trust=(--trust)

has_display() { [ -n "${DISPLAY:-}" ] || [ -n "${WAYLAND_DISPLAY:-}" ] || [ "$(uname -s)" = Darwin ]; }

if has_display; then
  make --no-print-directory -s build
  exec build/bin/conch "${trust[@]}" "$REPOSITORY"
fi
echo "There is no display here, so Conch opens in a browser instead."
make --no-print-directory -s build-headless
exec build/bin/conch-headless web "${trust[@]}" "$REPOSITORY"
