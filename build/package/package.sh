#!/usr/bin/env bash
# Makes the packages in build/packages from what `make build build-headless` built: package.sh
#   conch-VERSION-linux-amd64.tar.gz            the window, ONNX Runtime beside it
#   conch_VERSION_amd64.deb                     the same for Debian and Ubuntu, with what it depends on
#   conch-headless-VERSION-linux-amd64.tar.gz   the program without the window, and a Dockerfile
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=build/package/common.sh
. build/package/common.sh
version=$(version_of build/bin/conch)
arch=$(dpkg --print-architecture)
library=build/cache/onnxruntime/libonnxruntime.so.1
rm -f "$out"/conch-*-linux-"$arch".tar.gz "$out"/conch_*.deb
stage=$(mktemp -d "$out/.stage.XXXXXX"); trap 'rm -rf "$stage"' EXIT

archive() { # archive PROGRAM NAME [FILE…]: a folder with the program, its library and its papers, packed
  local program=$1 name=$2-$version-linux-$arch; shift 2
  local dir=$stage/$name
  mkdir -p "$dir"
  install -m 755 "$program" "$dir/"
  papers "$program" "$library" "$dir"
  share "$program" "$dir/share"
  [ $# -eq 0 ] || cp -r "$@" "$dir/"
  pack "$stage" "$name" "$out/$name.tar.gz"
}

desktop() { # desktop SHARE: the entry in the desktop's menu, with its icon
  install -Dm 644 build/package/conch.desktop "$1/applications/conch.desktop"
  install -Dm 644 frontend/public/conch.svg "$1/icons/hicolor/scalable/apps/conch.svg"
}

deb() {
  local root=$stage/deb
  install -Dm 755 build/bin/conch "$root/usr/bin/conch"
  install -Dm 644 "$library" "$root/usr/lib/conch/${library##*/}"
  local folder; for folder in egl mute; do install -Dm 644 -t "$root/usr/lib/conch/$folder" build/bin/$folder/*; done
  share build/bin/conch "$root/usr/share"
  desktop "$root/usr/share"
  mkdir -p "$root/usr/share/doc/conch" "$root/DEBIAN"
  { cat LICENSE; echo; build/bin/conch licenses; } >"$root/usr/share/doc/conch/copyright"
  # What the program is linked with names its packages, with the versions it needs.
  mkdir -p "$stage/shlibs/debian"; echo "Source: conch" >"$stage/shlibs/debian/control"
  local program library_deb
  program=$(realpath build/cache/conch-linked) library_deb=$(realpath "$root/usr/lib/conch/${library##*/}")
  local depends
  depends=$(cd "$stage/shlibs" && dpkg-shlibdeps -O --ignore-missing-info "$program" "$library_deb" 2>/dev/null | sed -n 's/^shlibs:Depends=//p')
  [ -n "$depends" ] || { echo "package failed: dpkg-shlibdeps found nothing that conch depends on" >&2; exit 1; }
  cat >"$root/DEBIAN/control" <<CONTROL
Package: conch
Version: $version
Architecture: $arch
Maintainer: The Conch developers
Installed-Size: $(du -sk "$root" | cut -f1)
Depends: $depends
Recommends: python3-numpy
Section: devel
Priority: optional
Description: workbench for Triton model repositories
 Conch checks each config.pbtxt while you type, runs the models in an engine
 that answers as Triton Inference Server does, and lets you try requests.
CONTROL
  dpkg-deb --root-owner-group -Zxz --build "$root" "$out/conch_${version}_$arch.deb" >/dev/null
}

archive build/bin/conch conch build/bin/egl build/bin/mute build/package/conch.desktop frontend/public/conch.svg
archive build/bin/conch-headless conch-headless build/package/Dockerfile
deb
list "conch-$version-linux-$arch.tar.gz" "conch-headless-$version-linux-$arch.tar.gz" "conch_${version}_$arch.deb"
