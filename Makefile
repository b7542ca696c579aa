# Everything here is a short name for a command you can also type. `make` lists them.
SQLC = CGO_ENABLED=0 go tool -modfile=tools.mod sqlc

.PHONY: help
help: ## List the targets
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/\1\t\2/p' $(MAKEFILE_LIST) | expand -t 12

.PHONY: dev
dev: ## Run API and worker on an embedded Postgres
	go run ./cmd/callwright dev

.PHONY: generate
generate: ## Write anew what is generated: db/dbsqlc, api/openapi.yaml and cmd/callwright/licenses.tsv
	$(SQLC) generate
	go run ./cmd/callwright openapi > api/openapi.yaml.new
	mv api/openapi.yaml.new api/openapi.yaml
	go run ./cmd/callwright-licenses > cmd/callwright/licenses.tsv.new
	mv cmd/callwright/licenses.tsv.new cmd/callwright/licenses.tsv

.PHONY: sdk
sdk: ## Write anew what is generated of the SDKs; needs npm
	go run ./cmd/callwright-sdk
	cd sdk/go && go tool -modfile=tools.mod oapi-codegen -config generate.yaml -o api/client.gen.go ../../api/openapi.yaml
	npm --prefix sdk/typescript ci --ignore-scripts --no-audit --no-fund
	npm --prefix sdk/typescript run generate
	sdk/typescript/bundle

.PHONY: web
web: ## Write anew the dashboard's files; needs npm
	npm --prefix web ci --ignore-scripts --no-audit --no-fund
	web/build

.PHONY: screenshots
screenshots: ## Take docs/screenshots anew, with the browser tests; needs npm and Chromium
	npm --prefix web ci --ignore-scripts --no-audit --no-fund
	go build -o bin/callwright ./cmd/callwright
	CALLWRIGHT=$(CURDIR)/bin/callwright SCREENSHOTS=$(CURDIR)/docs/screenshots npm --prefix web test

.PHONY: verify
verify: ## Check that nothing generated is out of date, and formatting, vet and go.mod
	.ci/run format tidy vet sqlc openapi licenses

.PHONY: test
test: ## Run all tests with the race detector
	go test -race -shuffle=on ./...

.PHONY: lint
lint: ## Run golangci-lint, building it the first time
	.ci/run lint

.PHONY: bench
bench: ## Measure on this machine; each figure is a line: bench NAME VALUE UNIT
	go run ./cmd/callwright-bench

.PHONY: chaos
chaos: ## Kill, pause and cut off processes at every step of calls; fail when a promise breaks
	go run ./cmd/callwright-chaos

.PHONY: upgrade
upgrade: ## Upgrade from the version before while calls are placed; fail when one is lost or a request fails
	.ci/run upgrade

.PHONY: attack
attack: ## Send real processes hostile requests, by seed; fail when one breaks anything
	go run ./cmd/callwright-attack

.PHONY: ci
ci: ## Do all that the continuous integration does
	.ci/run
