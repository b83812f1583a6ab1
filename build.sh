#!/bin/sh
# Builds the commands into the folder given, and says every few seconds how far
# it is: the first build of a machine compiles several hundred packages.
#
#   build.sh FOLDER LDFLAGS
set -eu
folder=$1
ldflags=$2
log=$(mktemp)
trap 'rm -f "$log"' EXIT
"${GO:-go}" build -v -ldflags "$ldflags" -o "$folder/" ./cmd/... 2>"$log" &
build=$!
seconds=0
while kill -0 "$build" 2>/dev/null; do
	sleep 1
	seconds=$((seconds + 1))
	if [ $((seconds % 5)) -eq 0 ] && kill -0 "$build" 2>/dev/null; then
		echo "  $seconds s, $(grep -c . "$log" || true) packages compiled (the first build takes a few minutes)"
	fi
done
if ! wait "$build"; then
	cat "$log" >&2
	exit 1
fi
