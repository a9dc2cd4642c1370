#!/usr/bin/env bash
# Runs every fuzz target of the module for the given time (20s where none is given).
# Making an interesting input smaller is cut short: by default it may take 60s, all of the time there is.
set -euo pipefail
cd "$(dirname "$0")/.."
time=${1:-20s}
export CGO_ENABLED=0
found=0
while IFS=: read -r file target; do
	found=$((found + 1))
	echo "== $target in $(dirname "$file")"
	go test -tags nodynamic -run '^$' -fuzz "^$target\$" -fuzztime "$time" -fuzzminimizetime 1s "./$(dirname "$file")"
done < <(grep -rhoH --include='*_test.go' -E '^func Fuzz[A-Za-z0-9_]+' cmd internal receipt | sed 's/:func /:/')
echo "$found fuzz targets ran"
[ "$found" -gt 0 ]
