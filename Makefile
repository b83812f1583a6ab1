# Everything a developer or a first user runs. `make help` lists it.
GO      ?= go
BIN     := bin
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
LDFLAGS := -s -w -X mindroom/internal/supervise/wire.Build=$(VERSION) -X mindroom/internal/agentcli.Build=$(VERSION)

export CGO_ENABLED ?= 0
# Encryption in pure Go: the Matrix library takes C without this tag.
export GOFLAGS += -tags=goolm

.PHONY: help build demo demo-check test race crash bench soak lint fuzz clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "%-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## build the binaries into bin/
	@echo "building mindroom …"
	@GO=$(GO) ./build.sh $(BIN) '$(LDFLAGS)'

demo: build ## play the main job in this terminal, then talk to the agent
	@$(GO) run ./test/demo -bin $(BIN)

demo-check: build ## play it without a person; exit 0 only if every step was seen
	@$(GO) run ./test/demo -check -bin $(BIN)

test: ## every test, the real homeserver included
	@sh test/run.sh

race: ## the packages that do not link the model SDKs, under the race detector
	CGO_ENABLED=1 $(GO) test -race $$($(GO) list ./internal/... | grep -v -e /model/ -e /runtime)

crash: ## the crash matrix: kill -9 at every named step, and what is left
	@$(GO) run ./test/prepare
	@$(GO) test -c -o $(BIN)/crash.test ./test/crash
	@cd test/crash && $(CURDIR)/$(BIN)/crash.test -test.timeout 20m

bench: build ## the budget table, also as JSON in bench.json
	@$(GO) run ./test/bench -bin $(BIN) -json bench.json

soak: ## real scripts calling for MINUTES=10, a quarter on a race build: what grows, is lost or is left (JSON=FILE)
	@$(GO) build -o $(BIN)/soak ./test/soak
	@CGO_ENABLED=1 $(GO) build -race -o $(BIN)/soak-race ./test/soak
	@$(BIN)/soak -minutes $(or $(MINUTES),10) -race $(BIN)/soak-race $(if $(JSON),-json $(JSON))

lint: ## go vet, staticcheck and gofmt
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { gofmt -l $$(git ls-files '*.go'); exit 1; }
	@$(GO) vet ./...
	@$(GO) tool -modfile tools/lint/go.mod staticcheck ./...

fuzz: ## each fuzz target for a short while (FUZZTIME=10s)
	@sh test/fuzz.sh $(or $(FUZZTIME),10s)

clean: ## remove what was built
	rm -rf $(BIN) bench.json
