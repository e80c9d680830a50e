#!/usr/bin/env bash
# Makes conch-headless for other systems, in build/packages: cross.sh
#   conch-headless-VERSION-linux-arm64.tar.gz
#   conch-headless-VERSION-darwin-arm64.tar.gz
#   conch-headless-VERSION-windows-amd64.zip
# Zig compiles the C in it. What must be told about the program is printed by build/bin/conch-headless.
set -euo pipefail
cd "$(dirname "$0")/../../.."
# shellcheck source=build/package/common.sh
. build/package/common.sh
here=$PWD/build/package/cross
host=build/bin/conch-headless
version=$(version_of "$host")
rm -f "$out"/conch-headless-*-linux-arm64.tar.gz "$out"/conch-headless-*-darwin-* "$out"/conch-headless-*-windows-*
stage=$(mktemp -d "$out/.stage.XXXXXX"); trap 'rm -rf "$stage"' EXIT
export CONCH_CROSS=$PWD/build/cache/cross CONCH_ZIG_PYTHON=$PWD/build/cache/venv-cross/bin/python
"$here/missing.sh" "$CONCH_CROSS"
made=()

cross() { # cross GOOS GOARCH TARGET LIBRARY PROGRAM ENDING [FILE…]
  local system=$1-$2 target=$3 library=$4 program=$5 ending=$6
  local name=conch-headless-$version-$system
  local dir=$stage/$name flags="-O2 -g -w"
  [ "$1" != linux ] || flags+=" -include $CONCH_CROSS/nvml.h"
  mkdir -p "$dir"
  echo "build: conch-headless for $system"
  # Nobody reads the warnings of the C in other people's modules twice; `make build` shows them.
  CGO_ENABLED=1 GOOS=$1 GOARCH=$2 CC="$here/cc.sh $target" CGO_CFLAGS=$flags \
    go build -trimpath -ldflags "-s -w" -o "$dir/$program" .
  papers "$host" "build/cache/onnxruntime-cross/$system/$library" "$dir"
  [ "$1" = windows ] || share "$host" "$dir/share"
  [ $# -eq 6 ] || cp "${@:7}" "$dir/"
  pack "$stage" "$name" "$out/$name$ending"
  made+=("$name$ending")
}

cross linux arm64 aarch64-linux-gnu.2.28 libonnxruntime.so.1 conch-headless .tar.gz build/package/Dockerfile
cross darwin arm64 aarch64-macos libonnxruntime.dylib conch-headless .tar.gz
cross windows amd64 x86_64-windows-gnu onnxruntime.dll conch-headless.exe .zip build/package/cross/README.txt
list "${made[@]}"
