#!/usr/bin/env bash
# Writes what Zig lacks for linking Conch for other systems: missing.sh FOLDER
#   nvml.h        makes the functions of NVML weak: Conch opens that library at run time
#   include/      a header of macOS with the one function that Prometheus' client calls
#   frameworks/, lib/   stubs of the libraries of macOS that Go's own packages use: the names in them, and nothing else
# The names come from the sources that are compiled, so they fit them.
set -euo pipefail
out=$1
rm -rf "$out"; mkdir -p "$out/lib" "$out/frameworks" "$out/include/mach"

header=$(go list -m -f '{{.Dir}}' github.com/NVIDIA/go-nvml)/pkg/nvml/nvml.h
grep -oE '\bnvml[A-Z][A-Za-z0-9_]*\b' "$header" | sort -u | sed '/_t$/d; s/^/#pragma weak /' >"$out/nvml.h"

cat >"$out/include/mach/mach_vm.h" <<'HEADER'
#pragma once
#include <mach/mach.h>
kern_return_t mach_vm_region(vm_map_t, mach_vm_address_t *, mach_vm_size_t *, vm_region_flavor_t, vm_region_info_t,
                             mach_msg_type_number_t *, mach_port_t *);
HEADER

# Such a line of Go's is: //go:cgo_import_dynamic x509_CFEqual CFEqual "/System/Library/Frameworks/…/CoreFoundation"
imports=$(GOOS=darwin GOARCH=arm64 CGO_ENABLED=1 go list -deps -f '{{$dir := .Dir}}{{range .GoFiles}}{{$dir}}/{{.}}{{"\n"}}{{end}}' . | sed '/^$/d' | tr '\n' '\0' |
  xargs -0 cat | grep -E '^//go:cgo_import_dynamic .*"/(System/Library/Frameworks/|usr/lib/libresolv)' | awk '{gsub(/"/, "", $4); print $4, $3}' | sort -u)
for library in $(cut -d' ' -f1 <<<"$imports" | sort -u); do
  name=${library##*/}
  case $library in
    */Frameworks/*) stub=$out/frameworks/$name.framework/$name.tbd; mkdir -p "${stub%/*}" ;;
    *) stub=$out/lib/${name%%.*}.tbd ;; # libresolv.9.dylib is asked for as -lresolv
  esac
  {
    printf -- "--- !tapi-tbd\ntbd-version: 4\ntargets: [ arm64-macos ]\ninstall-name: '%s'\nexports:\n  - targets: [ arm64-macos ]\n    symbols: [ " "$library"
    awk -v at="$library" '$1 == at {printf "%s_%s", sep, $2; sep = ", "}' <<<"$imports"
    printf ' ]\n...\n'
  } >"$stub"
done
[ -f "$out/frameworks/CoreFoundation.framework/CoreFoundation.tbd" ] || { echo "missing.sh: Go's sources name nothing of CoreFoundation; have they changed?" >&2; exit 1; }
