#!/usr/bin/env bash
# The C compiler and linker that Go calls for another system: cc.sh TARGET ARGUMENT…  Zig has the headers and the C library of each.
set -euo pipefail
target=$1; shift
words=()
for word in "$@"; do
  case $word in
    # Conch opens NVML at run time, so its functions are missing when the program is linked. Zig's linker does not know this
    # flag of the binding; there the functions are weak (weak-nvml.sh), and are looked for when one is first called.
    -Wl,--unresolved-symbols=*) words+=(-Wl,-z,lazy) ;;
    *) words+=("$word") ;;
  esac
done
case $target in
  *-macos*) words+=("-F$CONCH_CROSS/frameworks" "-L$CONCH_CROSS/lib" -isystem "$CONCH_CROSS/include") ;; # what missing.sh wrote
esac
exec "${CONCH_ZIG_PYTHON:-python3}" -m ziglang cc -target "$target" "${words[@]}"
