#!/usr/bin/env bash
# Gets what building, running and testing need: build/setup.sh STEP...
# Each step says what it does, is skipped when it was done already, and fails with one sentence that tells the way out.
set -euo pipefail
cd "$(dirname "$0")/.."
cache=build/cache
stamps=$cache/stamps
mkdir -p "$stamps"

say() { printf 'set-up: %s\n' "$*"; }
fail() { printf 'set-up failed: %s\n' "$*" >&2; exit 1; }
need() { command -v "$1" >/dev/null || fail "$1 was not found. Install $2, then run the same command again."; }

# A step is done when the stamp holds the hash of what it was made from.
done_with() { [ "$(cat "$stamps/$1" 2>/dev/null)" = "$2" ]; }
mark() { printf '%s' "$2" >"$stamps/$1"; }
hash_of() { sha256sum "$@" | sha256sum | cut -d' ' -f1; }

packages_build=(gcc libc6-dev pkg-config libgtk-3-dev libwebkit2gtk-4.1-dev)
packages_headless=(gcc libc6-dev)
packages_test=(chromium xvfb xauth xdotool imagemagick x11-utils dbus dbus-x11 at-spi2-core fonts-dejavu-core fonts-noto-cjk curl strace)

missing_packages() { # the names that dpkg does not know as installed
  local name
  for name in "$@"; do
    [ "$(dpkg-query -W -f '${Status}' "$name" 2>/dev/null)" = "install ok installed" ] || printf '%s ' "$name"
  done
}

debian_packages() { # debian_packages WHAT NAME...
  local what=$1; shift
  command -v dpkg-query >/dev/null || {
    say "this is no Debian system; $what needs what Debian calls: $*"
    return 0
  }
  local wanted; wanted=$(missing_packages "$@")
  [ -n "$wanted" ] || return 0
  local as=()
  if [ "$(id -u)" != 0 ]; then
    sudo -n true 2>/dev/null || fail "Debian packages are missing for $what. Run: sudo apt-get install --no-install-recommends ${wanted% }"
    as=(sudo)
  fi
  say "Debian packages for $what: $wanted"
  "${as[@]}" apt-get update -qq || fail "apt-get update did not work. Check the machine's package sources, then run the same command again."
  "${as[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $wanted >"$cache/apt.log" 2>&1 ||
    fail "apt-get could not install $wanted; $cache/apt.log says why."
}

has_compiler() { printf '#include <stdlib.h>\nint main(void) { return 0; }\n' | gcc -x c -o /dev/null - 2>/dev/null; }
has_window() { has_compiler && pkg-config --exists gtk+-3.0 webkit2gtk-4.1 2>/dev/null; }

needs() { # needs CHECK WHAT NAME...: the Debian packages, unless the system has what they bring from elsewhere
  local check=$1; shift
  ! "$check" || return 0
  debian_packages "$@"
  "$check" || { local what=$1; shift; fail "$what needs what Debian calls: $*. Install that, then run the same command again."; }
}

step_headless() { ensure_go; needs has_compiler "building without a window" "${packages_headless[@]}"; }
step_window() { ensure_go; needs has_window "building the window" "${packages_build[@]}"; }
step_testing() { debian_packages "testing" "${packages_test[@]}"; }

step_npm() {
  ensure_node
  local lock; lock=$(hash_of frontend/package.json frontend/package-lock.json)
  ! { done_with npm "$lock" && [ -d frontend/node_modules ]; } || return 0
  say "npm packages, from frontend/package-lock.json"
  (cd frontend && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error) ||
    fail "npm ci did not work. Check that npm reaches its registry, then run the same command again."
  mark npm "$lock"
}

runtime_version=1.30.0
runtime_sha256=ffb75a925ba05e47b235bb66e3e3911714a80b328a9c9425539feb204aa32a23

step_onnxruntime() {
  local dir=$cache/onnxruntime file=$cache/onnxruntime/libonnxruntime.so.1
  [ "$(uname -s)-$(uname -m)" = Linux-x86_64 ] || {
    say "no pinned ONNX Runtime for $(uname -s) $(uname -m): set CONCH_ONNXRUNTIME to a library of version $runtime_version"
    return 0
  }
  # The file itself is looked at: one that was cut off ends the program that opens it.
  ! { done_with onnxruntime "$runtime_sha256" && is_file "$file" "$runtime_sha256"; } || return 0
  runtimes "linux/x64/libonnxruntime.so.1 $runtime_sha256 $file"
  mark onnxruntime "$runtime_sha256"
}

# ONNX Runtime for the systems of `make package-cross`: the file in the npm package, its hash, and where it goes.
runtimes_cross=(
  "linux/arm64/libonnxruntime.so.1 1f549d46250b005580b597f4164984aaf75b3bcb9f3aeb07c7f8a8fe60b23c76 $cache/onnxruntime-cross/linux-arm64/libonnxruntime.so.1"
  "darwin/arm64/libonnxruntime.1.dylib 685d2be5dba1309c89d3a5324b7fd06a5c42f1a61bfea32d14c4cc28d072121d $cache/onnxruntime-cross/darwin-arm64/libonnxruntime.dylib"
  "win32/x64/onnxruntime.dll 508c362f5673483dd3a086379c392795b2e42d10d5e6f3f90ebd7ac21c97af67 $cache/onnxruntime-cross/windows-amd64/onnxruntime.dll"
)
step_onnxruntime_cross() {
  local entry file sum to missing=()
  for entry in "${runtimes_cross[@]}"; do
    read -r file sum to <<<"$entry"
    is_file "$to" "$sum" || missing+=("$entry")
  done
  [ ${#missing[@]} -eq 0 ] || runtimes "${missing[@]}"
}

is_file() { [ "$(sha256sum "$1" 2>/dev/null | cut -d' ' -f1)" = "$2" ]; } # is_file FILE SHA256

runtimes() { # runtimes "FILE SHA256 TO"…: files of the npm package onnxruntime-node
  ensure_node
  say "ONNX Runtime $runtime_version, from the npm package onnxruntime-node"
  local scratch entry file sum to; scratch=$(mktemp -d "$cache/onnxruntime.XXXXXX")
  (cd "$scratch" && npm pack --silent "onnxruntime-node@$runtime_version" >/dev/null) ||
    { rm -rf "$scratch"; fail "onnxruntime-node@$runtime_version could not be had. Check that npm reaches its registry, or set CONCH_ONNXRUNTIME to a library of that version."; }
  for entry in "$@"; do
    read -r file sum to <<<"$entry"
    mkdir -p "${to%/*}"
    tar xzOf "$scratch"/onnxruntime-node-*.tgz "package/bin/napi-v6/$file" >"$scratch/file" && is_file "$scratch/file" "$sum" ||
      { rm -rf "$scratch"; fail "$file of onnxruntime-node@$runtime_version is not the file with SHA-256 $sum; it was not installed."; }
    mv "$scratch/file" "$to"
  done
  rm -rf "$scratch"
}

virtual_environment() { # virtual_environment NAME REQUIREMENTS WHAT
  need python3 "Python 3.10 or newer"
  python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' || fail "$(python3 --version) is too old. Install Python 3.10 or newer, then run the same command again."
  local dir=$cache/$1 wanted; wanted=$(hash_of "$2")
  ! { done_with "$1" "$wanted" && [ -x "$dir/bin/python" ]; } || return 0
  say "$3, from $2"
  rm -rf "$dir"
  python3 -m venv "$dir" >"$cache/venv.log" 2>&1 || { debian_packages "environments of Python" python3-venv; python3 -m venv "$dir"; } ||
    fail "python3 -m venv did not work; $cache/venv.log says why."
  "$dir/bin/python" -m pip install --quiet --disable-pip-version-check -r "$2" ||
    fail "pip could not install $2. Check that pip reaches its index, then run the same command again."
  mark "$1" "$wanted"
}

# What try_packages.py needs besides a clean root file system.
step_package() {
  debian_packages "packages" dpkg-dev mmdebstrap groff-base xvfb x11-utils
  virtual_environment venv-package build/package/requirements.txt "Python environment for packages"
}
step_cross() { virtual_environment venv-cross build/package/cross/requirements.txt "Zig's C compiler for other systems"; }
# What runs programs of other systems. Without them, try_cross.py says what it leaves out.
step_emulators() {
  (debian_packages "running programs of other systems" qemu-user-static libc6-arm64-cross libstdc++6-arm64-cross libgcc-s1-arm64-cross wine64 wine) ||
    say "what needs them is left out"
}
step_python() { virtual_environment venv build/requirements.txt "Python environment for tests"; }
step_frameworks() { virtual_environment venv-frameworks engine/backend/python/frameworks/requirements.txt "frameworks for tests (700 MB)"; }
# The packages are used for the files in them; what they need beside is in the environment of the frameworks.
step_examples_frameworks() {
  local list=examples/frameworks/requirements.txt; local wanted; wanted=$(hash_of "$list")
  ! { done_with examples_frameworks "$wanted" && [ -d "$cache/examples-frameworks" ]; } || return 0
  say "packages for the examples of frameworks (60 MB), from $list"
  rm -rf "$cache/examples-frameworks"
  "$cache/venv-frameworks/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes --target "$cache/examples-frameworks" -r "$list" ||
    fail "pip could not install $list. Check that pip reaches its index, then run the same command again."
  mark examples_frameworks "$wanted"
}
step_examples() { virtual_environment venv-examples examples/make/requirements.txt "Python environment for the example models"; }

# PyTorch for the CPU is small in Debian alone: the package in pip's index brings gigabytes of libraries for GPUs.
step_torch() {
  debian_packages "PyTorch" python3-torch
  /usr/bin/python3 -c 'import torch' 2>/dev/null || fail "/usr/bin/python3 has no module torch. Install Debian's python3-torch, then run the same command again."
  local silero; silero=$(grep ^silero-vad engine/realmodels/requirements.txt)
  ! { done_with torch "$silero" && [ -d "$cache/silero" ]; } || return 0
  rm -rf "$cache/silero"
  "$cache/venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --target "$cache/silero" "$silero" ||
    fail "pip could not install $silero. Check that pip reaches its index, then run the same command again."
  mark torch "$silero"
}

. build/toolchain/toolchain.sh

for step in "$@"; do
  "step_$step"
done
