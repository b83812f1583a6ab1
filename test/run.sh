#!/bin/sh
# What `make test` runs: the build, go vet, and every test with real parts: the
# homeserver (built at first use), Python, processes. Takes go test's flags, for
# example: sh test/run.sh -run TestStory ./test/...
set -eu
cd "$(dirname "$0")/.."
export CGO_ENABLED=0
# With encryption in pure Go, as it is built for users.
export GOFLAGS="${GOFLAGS:-} -tags=goolm"
command -v jq >/dev/null || {
	echo "test: jq is missing, which shell snippets of the tests read receipts with: install it (apt-get install jq)" >&2
	exit 1
}
began=$(date +%s)

echo "build …"
go build ./...
echo "vet …"
go vet ./...
go run ./test/prepare

# -count=1: a kept result would not see what the tests start as processes, such
# as binaries built from this tree, the homeserver and Python.
case "$*" in
	*./*) go run ./test/suite -count=1 -timeout=20m "$@" ;;
	*) go run ./test/suite -count=1 -timeout=20m "$@" ./... ;;
esac
echo "everything passed in $(($(date +%s) - began)) seconds"
