# make            build ./bin/mayi
# make test       everything that CI runs: build, vet, lint, race detector, tests
# make demo       the main job on a fresh machine: an agent, a question, your answer
# make bench      the figures of docs/benchmarks.md, as ratios
# make e2e        drive the real coding agents, installed from npm, with mayi in front (E2EFLAGS="-run Policy/codex")
# make e2e-mcp    drive the MCP server and proxy with the client and server of another SDK
# make cross      build and vet everything for the other systems
# make soundness  run scripts under a tracer and hold them against what was predicted (SOUNDFLAGS="-random 500 -seed 7")
# make fuzz       each fuzz target for FUZZTIME (default 20s)
# make cover      test coverage by package
# make install    put mayi into $(PREFIX)/bin

export CGO_ENABLED ?= 0
GO       ?= go
PREFIX   ?= /usr/local
FUZZTIME ?= 20s
VERSION  ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)

LDFLAGS  := -s -w -X main.version=$(VERSION)
# Where the two programs of the one file are linked to run.
ENGINE_AT := 0x401000
FRONT_AT  := 0x40001000

.PHONY: build test lint race unit examples bench fuzz cover demo install clean

# On Linux bin/mayi is a front that starts at once and the engine, in one file;
# elsewhere it is the engine alone, which can do everything, too.
build: build-$(shell $(GO) env GOOS GOARCH | paste -sd- )

# The front forks a command's first process before Go starts.
build-linux-amd64: ENTRY := -E mayi/pkg/sandbox.earlyEntry

build-linux-amd64 build-linux-arm64:
	$(GO) build -trimpath -ldflags "$(LDFLAGS) -T $(ENGINE_AT)" -o bin/parts/engine ./cmd/mayi
	$(GO) build -trimpath -ldflags "$(LDFLAGS) -T $(FRONT_AT) $(ENTRY)" -o bin/parts/front ./cmd/front
	env -u GOOS -u GOARCH $(GO) run ./internal/onefile/join/link bin/parts/front bin/parts/engine bin/mayi

build-%:
	$(GO) build -trimpath -ldflags "$(LDFLAGS)" -o bin/mayi ./cmd/mayi

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

# The systems besides this one that everything, tests included, has to compile
# for. Not part of make lint: with an empty build cache it takes minutes.
CROSS := darwin/arm64 windows/amd64 freebsd/amd64 linux/arm64

.PHONY: cross
cross: $(addprefix cross-,$(subst /,-,$(CROSS)))

cross-%:
	GOOS=$(word 1,$(subst -, ,$*)) GOARCH=$(word 2,$(subst -, ,$*)) $(GO) build ./...
	GOOS=$(word 1,$(subst -, ,$*)) GOARCH=$(word 2,$(subst -, ,$*)) $(GO) vet ./...

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

# Not part of make test: it downloads 0.7 GB the first time.
.PHONY: e2e
e2e: build
	@GO=$(GO) bash scripts/e2e.sh $(E2EFLAGS)

.PHONY: e2e-mcp
e2e-mcp: build
	@GO=$(GO) bash scripts/e2e-mcp.sh $(E2EFLAGS)
