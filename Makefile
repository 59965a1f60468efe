# make            build ./bin/mayi
# make test       everything that CI runs: build, vet, lint, race detector, tests
# make demo       the main job on a fresh machine: an agent, a question, your answer
# make bench      the figures of docs/benchmarks.md, as ratios
# make e2e        drive the real coding agents, installed from npm, with mayi in front (E2EFLAGS="-run Policy/codex")
# make soundness  run scripts under a tracer and hold them against what was predicted (SOUNDFLAGS="-random 500 -seed 7")
# make fuzz       each fuzz target for FUZZTIME (default 20s)
# make cover      test coverage by package
# make install    put mayi into $(PREFIX)/bin

export CGO_ENABLED ?= 0
GO       ?= go
PREFIX   ?= /usr/local
FUZZTIME ?= 20s
VERSION  ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)

.PHONY: build test lint race unit examples bench fuzz cover demo install clean

build:
	$(GO) build -trimpath -ldflags "-s -w -X main.version=$(VERSION)" -o bin/mayi ./cmd/mayi

demo: build
	@bin/mayi chat --provider scripted 'exec ls ~'

test: need build lint race examples

.PHONY: need
need:
	@bash scripts/need.sh

lint:
	@out=$$(gofmt -l $$(git ls-files '*.go')); if [ -n "$$out" ]; then echo "not gofmt-ed: $$out"; exit 1; fi
	$(GO) vet ./...
	$(GO) tool staticcheck ./...

# The race detector is the one thing here that needs cgo.
race:
	CGO_ENABLED=1 $(GO) test -race ./...

unit:
	$(GO) test ./...

examples:
	cd examples/embed && $(GO) test ./...

bench:
	@bash bench/run.sh

fuzz:
	@bash scripts/fuzz.sh $(FUZZTIME)

cover:
	$(GO) test -cover ./...

install: build
	install -D -m 0755 bin/mayi $(DESTDIR)$(PREFIX)/bin/mayi

clean:
	rm -rf bin

# Not part of make test, which runs a short version of it as a Go test.
.PHONY: soundness
soundness:
	@$(GO) run ./internal/soundness/run $(SOUNDFLAGS)

# Not part of make test: it downloads half a gigabyte the first time.
.PHONY: e2e
e2e: build
	@GO=$(GO) bash scripts/e2e.sh $(E2EFLAGS)
