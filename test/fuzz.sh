#!/bin/sh
# Runs every fuzz target for a while, one after another:
#   sh test/fuzz.sh [TIME [PACKAGE…]]     default: 10s ./...
# Stops at the first finding; go test says where it kept the input.
set -eu
cd "$(dirname "$0")/.."
# With encryption in pure Go, as it is built for users.
export GOFLAGS="${GOFLAGS:-} -tags=goolm"
time=${1:-10s}
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- ./...
list=$(mktemp)
trap 'rm -f "$list"' EXIT

# go test -list names a package's targets and then, on a line of its own, the package.
if ! go test -list '^Fuzz' "$@" >"$list"; then
	cat "$list" >&2
	exit 1
fi
awk '$1 ~ /^Fuzz/ { names[n++] = $1 } $1 == "ok" { for (i = 0; i < n; i++) print $2, names[i]; n = 0 }' "$list" >"$list.pairs"
mv "$list.pairs" "$list"
[ -s "$list" ] || { echo "fuzz: no target in $*" >&2; exit 1; }

while read -r package target; do
	echo "fuzz $package $target for $time"
	go test -run '^$' -fuzz "^$target\$" -fuzztime "$time" "$package" </dev/null
done <"$list"
