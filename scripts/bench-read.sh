#!/usr/bin/env bash
# Measures what reading a page costs the built blotter, by kind of document, beside
# tesseract on the same pages, and writes the figures into docs/benchmarks.md.
#
#   scripts/bench-read.sh DIRECTORY [-each 2 …]
#
# The directory holds documents with truth files beside them; specimens are made where it
# is the default one and missing. Further arguments go to the tool.
set -euo pipefail
cd "$(dirname "$0")/.."
documents=${1:-out/specimens/tune}
shift || true
if [ "$documents" = out/specimens/tune ] && [ ! -d "$documents" ]; then
	CGO_ENABLED=0 go run -tags nodynamic ./internal/specimen/generate -half tune -dir "$documents"
fi
documents=$(realpath "$documents")
cd bench
tool=$(mktemp -d)
trap 'rm -rf "$tool"' EXIT
CGO_ENABLED=0 go build -o "$tool/bench-read" ./read
"$tool/bench-read" -binary "$(realpath ../bin/blotter)" -documents "$documents" -report ../docs/benchmarks.md "$@"
