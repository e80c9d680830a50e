#!/usr/bin/env bash
# Builds Conch and opens it on $REPOSITORY: in a window where there is a display, else in a browser.
set -euo pipefail
cd "$(dirname "$0")/.."

has_display() { [ -n "${DISPLAY:-}" ] || [ -n "${WAYLAND_DISPLAY:-}" ] || [ "$(uname -s)" = Darwin ]; }

if has_display; then
  make --no-print-directory -s build
  exec build/bin/conch "$REPOSITORY"
fi
echo "There is no display here, so Conch opens in a browser instead."
make --no-print-directory -s build-headless
exec build/bin/conch-headless web "$REPOSITORY"
