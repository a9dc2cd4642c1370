# make            lists the targets
# make demo       on a fresh clone: installs, builds, redacts the examples
# make test       on a fresh clone: installs what the tests need and runs them all

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

# nodynamic: image decoders that come as WASM must not look for libraries of the system.
TAGS := nodynamic
# Stamp the revision where git can say it; a source archive has none.
VCS := $(shell git rev-parse --verify -q HEAD >/dev/null 2>&1 && echo true || echo false)
GOLANGCI := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0

.PHONY: help setup build demo test test-s3 tidy lint check fuzz bench bench-serve bench-queue bench-read bench-layers bench-fair bench-neighbours bench-reject conformance hostile chaos picture specimens generate clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-17s%s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: build ## fetch the engines that read text (pinned by digest) and warm their cache
	scripts/setup.sh
	bin/blotter warm

build: ## build bin/blotter, without cgo
	CGO_ENABLED=0 go build -trimpath -buildvcs=$(VCS) -tags $(TAGS) -o bin/blotter ./cmd/blotter

demo: setup ## redact the example documents into out/demo and show what was done
	CGO_ENABLED=0 go run ./scripts/demo -binary bin/blotter -examples examples -dir out/demo

test: setup ## install what the tests need and run every test
	scripts/test.sh

test-s3: ## try the vault and the signer's records on a real store: BLOTTER_TEST_S3='s3://bucket/prefix?region=…'
	@test -n "$${BLOTTER_TEST_S3:-}" || { echo "set BLOTTER_TEST_S3 to s3://bucket/prefix?region=…, and credentials as for Amazon's tools"; exit 2; }
	CGO_ENABLED=0 go test -count=1 -tags $(TAGS) ./internal/objectstore ./internal/vault
	CGO_ENABLED=0 go test -count=1 -tags $(TAGS) ./internal/audit/sequencer -run RealStore

tidy: ## formatting, go vet, links, and whether generated files are current
	@unformatted=$$(gofmt -l cmd internal receipt scripts bench); \
	if [ -n "$$unformatted" ]; then echo "gofmt these files:"; echo "$$unformatted"; exit 1; fi
	CGO_ENABLED=0 go vet -tags $(TAGS) ./...
	cd bench && CGO_ENABLED=0 go vet ./...
	go run ./scripts/thirdparty -check
	scripts/links.sh

lint: ## golangci-lint (the first run compiles it, which takes minutes)
	CGO_ENABLED=0 go run $(GOLANGCI) run ./...

check: tidy lint test ## all that should pass before a change is sent

FUZZTIME ?= 20s
fuzz: ## run each fuzz target for FUZZTIME (20s)
	scripts/fuzz.sh $(FUZZTIME)

bench: setup ## measure the examples beside tesseract; writes docs/benchmarks.md
	scripts/bench.sh

bench-serve: setup ## load the service: answer times, memory, kill -9; writes docs/benchmarks.md
	scripts/bench-serve.sh

bench-queue: ## measure the queue on a private PostgreSQL beside River; writes docs/benchmarks.md and docs/scaling.md
	scripts/bench-queue.sh

DOCUMENTS ?= out/specimens/tune
bench-read: setup ## what a page costs beside tesseract, by kind of DOCUMENTS; writes docs/benchmarks.md
	scripts/bench-read.sh $(DOCUMENTS)

bench-layers: setup ## what each layer of finding gives on DOCUMENTS, for three readers; writes docs/benchmarks.md
	scripts/bench-layers.sh $(DOCUMENTS)

bench-fair: ## simulate an import of 100,000 documents beside other tenants; writes docs/fairness.*
	CGO_ENABLED=0 go run -tags $(TAGS) ./scripts/fairness

bench-neighbours: setup ## real cells: people beside an import, shares by weight, malformed documents; writes docs/fairness.md
	scripts/bench-serve.sh -only import,shares,poison -section bench-neighbours -report ../docs/fairness.md

conformance: ## compare what is extracted with poppler, MuPDF, ImageMagick and others (BLOTTER_CORPUS: documents beside the generated); writes docs/conformance.md
	CGO_ENABLED=0 go run -tags $(TAGS) ./internal/cell/inside/conformance -report docs/conformance.md

hostile: setup ## attack bin/blotter with bombs, lies, loops, polyglots and cut files; writes docs/hostile.md
	CGO_ENABLED=0 go run -tags $(TAGS) ./internal/cell/inside/hostile/run -binary bin/blotter -report docs/hostile.md

bench-reject: setup ## how long files that their headers refuse take to be refused; writes docs/refusals.md
	CGO_ENABLED=0 go run -tags $(TAGS) ./internal/cell/inside/hostile/reject -binary bin/blotter -report docs/refusals.md

FOR ?= 10m
GAP ?= 300ms
SEED ?= 1
KILLS ?= 30
chaos: setup ## kill, stop, cut and fail three nodes at random for FOR (10m), then check all promises; writes docs/chaos.md
	CGO_ENABLED=0 go run -tags $(TAGS) ./scripts/chaos -for $(FOR) -gap $(GAP) -seed $(SEED) -kills $(KILLS) -report docs/chaos.md

picture: demo ## make the README's picture from the demo's output
	CGO_ENABLED=0 go run ./scripts/picture

SPECIMENS ?= 8
specimens: ## make SPECIMENS (8) annotated documents of each kind in out/specimens/{tune,publish}
	CGO_ENABLED=0 go run ./internal/specimen/generate -half tune -dir out/specimens/tune -per-kind $(SPECIMENS)
	CGO_ENABLED=0 go run ./internal/specimen/generate -half publish -dir out/specimens/publish -per-kind $(SPECIMENS)

generate: ## make again what is generated and committed
	CGO_ENABLED=0 go run ./internal/examples/generate -dir examples
	go run ./scripts/thirdparty

clean: ## remove what make made (not the engines in the cache directory)
	rm -rf bin out dist
