#!/usr/bin/env bash
# Measures blotter's queue on a private PostgreSQL beside River, and writes the figures
# into docs/benchmarks.md and docs/scaling.md. Takes some ten minutes on two cores; further arguments go to the
# tool (-only work, -depths 1000,10000 …).
set -euo pipefail
cd "$(dirname "$0")/../bench"
tool=$(mktemp -d)
trap 'rm -rf "$tool"' EXIT
CGO_ENABLED=0 go build -o "$tool/bench-queue" ./queue
"$tool/bench-queue" -docs ../docs "$@"
