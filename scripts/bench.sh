#!/usr/bin/env bash
# Measures blotter on the example documents beside tesseract on the same pages and
# writes the figures into docs/benchmarks.md.
set -euo pipefail
cd "$(dirname "$0")/.."
if ! command -v tesseract >/dev/null; then
	if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
		DEBIAN_FRONTEND=noninteractive apt-get update -qq
		DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends tesseract-ocr tesseract-ocr-eng >/dev/null
	else
		echo 'bench: tesseract is measured beside blotter: install it (Debian: apt-get install tesseract-ocr)' >&2
		exit 1
	fi
fi
root=$PWD
cd bench
CGO_ENABLED=0 go run . -binary "$root/bin/blotter" -examples "$root/examples" -report "$root/docs/benchmarks.md"
