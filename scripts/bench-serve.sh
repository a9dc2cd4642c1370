#!/usr/bin/env bash
# Loads the built blotter serve on loopback and writes the figures into
# docs/benchmarks.md. Takes half an hour on two cores; further arguments go to the tool
# (-only latency, -documents 100 …), and the last of a kind counts.
set -euo pipefail
cd "$(dirname "$0")/../bench"
tool=$(mktemp -d)
trap 'rm -rf "$tool"' EXIT
CGO_ENABLED=0 go build -o "$tool/bench-serve" ./serve
"$tool/bench-serve" -binary "$(realpath ../bin/blotter)" -examples ../examples -report ../docs/benchmarks.md "$@"
