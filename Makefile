# Everything that a person or a build server runs here. Two commands are enough to begin: make demo, make test.
#
# Go 1.26, git, make and a C compiler are needed; Node.js 20 or newer for the real clients of make conformance, and
# chromium for its tests of the page, which are left out without it.

GO ?= go
# How long each fuzz test runs, how long the soak goes on, what benchmarks run and how often each.
FUZZTIME ?= 60s
SOAK ?= 2m
BENCH ?= .
BENCHTIME ?= 1s

modules := sdk core gateway daemon providers/claude providers/codex providers/cursor providers/kimi providers/opencode providers/tuttiagent examples/embed examples/extension examples/provider examples/vmhost extensions/hermes conformance
packages := $(modules:%=./%/...)

# The race detector needs cgo, and that a C compiler.
compiler := $(shell command -v "$$($(GO) env CC | cut -d' ' -f1)" 2>/dev/null)
race := $(if $(compiler),-race,)
test := $(if $(compiler),CGO_ENABLED=1,CGO_ENABLED=0) $(GO) test $(race)

# An empty place, in which no real clients are found: they run in make conformance only.
no_clients := GREENROOM_CLIENTS="$(CURDIR)/.cache/none" GREENROOM_CLIENT_CACHE="$(CURDIR)/.cache/none"

# The packages whose tests hold a pattern.
holding = $(addprefix ./,$(sort $(dir $(shell grep -rl --include='*_test.go' '$(1)' $(modules)))))

.PHONY: help build demo test conformance soak fuzz bench lint generate clean

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## put greenroom and its adapters into ./bin and pin them
	@mkdir -p bin
	$(GO) build -trimpath -buildvcs=false -o bin/ ./daemon/cmd/greenroom $(wildcard ./providers/*/cmd/*)
	@./bin/greenroom adapters pin ./bin >/dev/null

demo: build ## show the main job from beginning to end
	@./bin/greenroom demo

test: ## run every module's tests with the race detector
ifeq ($(race),)
	@echo "no C compiler was found: the tests run without the race detector" >&2
endif
	$(no_clients) $(test) -short -timeout 10m $(packages)
	$(GO) test -count=1 ./conformance/repo # reads files that the test cache does not see
	cd tools && GOWORK=off $(test) -timeout 5m ./...
	cd keyless && GOWORK=off $(test) -timeout 5m ./...

conformance: build ## install the pinned real clients and run what needs them
	conformance/clients/install.sh
	cd conformance && $(GO) run ./cmd/compat
	$(no_clients) $(GO) test -count=1 -p 1 -timeout 20m ./conformance/...
	$(GO) test -count=1 -timeout 10m -run '^Test(Speed|AProcess)' ./daemon/store # whole, and without the race detector
	GREENROOM_REQUIRE_CLIENTS=1 GREENROOM_CLIENT_CACHE="$${GREENROOM_CLIENT_CACHE:-$(CURDIR)/.cache/clients}" \
		$(GO) test -count=1 -p 1 -timeout 15m ./daemon/binding ./daemon/page # with the real clients, and a browser where there is one

soak: ## prepare, kill and recover for SOAK (2m)
	$(no_clients) GREENROOM_SOAK=$(SOAK) $(GO) test -count=1 -p 1 -timeout 60m -run '^TestSoak' -v $(call holding,^func TestSoak)

fuzz: ## run every fuzz test for FUZZTIME (60s)
	@.ci/fuzz $(FUZZTIME)

bench: ## run the benchmarks that BENCH matches, each for BENCHTIME (1s)
	$(no_clients) $(GO) test -count=1 -p 1 -timeout 60m -run '^$$' -bench '$(BENCH)' -benchtime $(BENCHTIME) -benchmem $(call holding,^func Benchmark)

lint: ## format, vet for three systems, build each module alone, generated code, rules of the repository
	@.ci/lint

generate: ## make the code of the wire contract anew
	cd tools && GOWORK=off $(GO) run ./generate

clean: ## remove ./bin; the real clients stay in .cache
	rm -rf bin
