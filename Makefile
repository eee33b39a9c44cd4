# Everything here works as root and as an ordinary user, twice in a row, and beside a second copy of the repo.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.PHONY: help run console screenshots test bench bench-feed chaos fuzz check generate snapshot setup clean

export PATH := $(PATH):/usr/local/go/bin
# A copy that belongs to somebody else would otherwise not build: git refuses to tell its commit.
export GOFLAGS := $(GOFLAGS) -buildvcs=false

devstack := persistence/devstack/install.sh
# Where a C compiler is. Asked when it is needed: setup may have just installed one.
race = $$(echo '\#include <stdlib.h>' | gcc -E - >/dev/null 2>&1 && echo -race || true)
# What `go tool gqlgen generate` writes: generated files, and the resolvers that it keeps in step with the schema.
generated = find graph resolvers -name '*.go' -type f -exec sha256sum {} + | sort -k 2

help: ## list the targets
	@sed -nE 's/^([a-z-]+):.*## (.*)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 18

# What the console is made of.
console := web/console/dist/index.html
console_sources := $(shell find web/console -maxdepth 1 -type f -not -name '*.go') $(shell find web/console/src web/console/public graph/schema -type f -not -path '*/src/graph/*')

run: setup $(console) ## run Occupy with a private PostgreSQL and Redis, until Ctrl-C; data lasts
	@dir=$$($(devstack) dir); go build -o "$$dir/occupy" . && exec "$$dir/occupy" -dev

console: $(console) ## build the console, which run and test do by themselves

$(console): web/console/node_modules $(console_sources)
	@npm run --silent build --prefix web/console

hooks := web/occupy-react/node_modules web/occupy-react/test/react-18/node_modules
test: setup $(console) $(hooks) web/clients/node_modules web/schema/node_modules check ## run every check and every test
	@go tool gotestsum --format pkgname -- $(race) -count=1 ./...
	@$(MAKE) --no-print-directory fuzz

storm: setup ## run each storm of the tests for OCCUPY_STORM, a minute each if that is not set, and say what was counted
	@OCCUPY_STORM=$${OCCUPY_STORM:-60s} go test $(race) -count=1 -v -timeout 30m -run Storm . | grep -vE ' (INFO|WARN) '

screenshots: setup $(console) ## take the console's pictures for README
	@mkdir -p docs/screenshots
	@go test -count=1 -run TestConsoleInABrowser . -screenshots "$$PWD/docs/screenshots"

bench: setup ## measure the speed beside pgbench's, five minutes; a table of ratios
	@go run ./bench

bench-feed: setup ## measure the live feed beside a bare Go program: deliveries, memory, commit to screen
	@go run ./bench/feed

chaos: setup ## try to break it: faults under load, then every promise is checked; CHAOS="-seed 7 -for 10m -pooler"
	@go run ./chaos $(CHAOS)

fuzz: ## try what strangers send at random: each reader of texts for FUZZ=1s
	@dir=$$(mktemp -d); trap 'rm -rf "$$dir"' EXIT; go test -c -fuzz . -o "$$dir/test" ./domain; cd domain; \
	for target in $$("$$dir/test" -test.list '^Fuzz'); do \
		said=$$("$$dir/test" -test.run '^$$' -test.fuzz "^$$target\$$" -test.fuzztime $(or $(FUZZ),1s) -test.fuzzcachedir "$$dir/$$target" 2>&1) \
			|| { echo "$$said"; exit 1; }; \
		echo "$$target: $$(grep -oE 'execs: [0-9]+' <<<"$$said" | tail -1)"; \
	done

bench-history: setup ## measure questions over ten million rows of twelve months, and the floor beside fifty analysts
	@go run ./bench/history

check: ## generated code is fresh, go vet, staticcheck
	@before=$$($(generated)); go tool gqlgen generate; after=$$($(generated)); \
	if ! stale=$$(diff <(echo "$$before") <(echo "$$after")); then \
		echo "generated code was stale; it is fresh now, look at it and commit it:"; \
		sed -nE 's/^[<>] [0-9a-f]+ +/  /p' <<<"$$stale" | sort -u; exit 1; \
	fi
	@go vet ./...
	@go tool staticcheck ./...

generate: web/occupy-react/node_modules ## write graph/, resolvers/ and the hooks' types anew from the schema, and docs/settings.md from config.go
	@go tool gqlgen generate
	@npm run --silent generate --prefix web/occupy-react
	@page=$$(go run . -settings) && echo "$$page" > docs/settings.md

snapshot: web/schema/node_modules ## promise callers the present schema: what later breaks it fails in make test
	@node web/schema/schema.mjs snapshot

setup: ## fetch PostgreSQL, redis-server, pgbouncer, chromium and gcc, as far as they are missing
	@$(devstack)

# The npm clients, and what the schema is held against.
web/%/node_modules: web/%/package-lock.json
	@npm ci --silent --no-audit --no-fund --prefix web/$*
	@touch $@

clean: ## stop this copy's `make run`; remove its data, its servers and whatever else it kept
	@dir=$$($(devstack) dir); mkdir -p "$$dir"; touch "$$dir/lock"; \
	if ! flock -n "$$dir/lock" true; then \
		kill "$$(<"$$dir/lock")"; \
		flock -w 60 "$$dir/lock" true || { echo "pid $$(<"$$dir/lock") does not end"; exit 1; }; \
	fi; \
	chmod -R u+rwX "$$dir"; rm -rf "$$dir"
