#!/usr/bin/env bash
# Writes all generated code from the three .proto folders, and docs/rules.md from the table of rules. Plug-ins are pinned: Go ones in
# build/tools/go.mod, buf and the TypeScript one in frontend/package-lock.json.
set -euo pipefail
cd "$(dirname "$0")/.."
PATH="$PWD/frontend/node_modules/.bin:$PATH"

go_tool='["go", "tool", "-modfile=build/tools/go.mod", '
plugin() { printf '{"local": %s, "out": ".", "opt": ["module=conch"]}' "$1"; }
go_plugin=$(plugin "${go_tool}\"protoc-gen-go\"]")
grpc_plugin=$(plugin "${go_tool}\"protoc-gen-go-grpc\"]")
connect_plugin=$(plugin "${go_tool}\"protoc-gen-connect-go\"]")
es_plugin='{"local": "protoc-gen-es", "out": "frontend/src/api", "opt": ["target=ts", "import_extension=none"]}'

generate() { # generate FOLDER PLUGINS: one buf run over the .proto files of a folder
  echo "generate: $1"
  buf generate "$1" --template "{\"version\": \"v2\", \"plugins\": [$2]}"
}

generate configedit/modelconfig "$go_plugin"
[ ! -d engine/kserve ] || generate engine/kserve "$go_plugin, $grpc_plugin"
generate app/api "$go_plugin, $connect_plugin, $es_plugin"

echo "generate: docs/rules.md"
rules=$(go run ./build/rulebook)
printf '%s\n' "$rules" >docs/rules.md
