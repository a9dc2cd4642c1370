#!/usr/bin/env bash
# Measures what each layer of finding gives over the words of three readers, and writes the
# tables into docs/benchmarks.md. See docs/measuring.md.
#
#   scripts/bench-layers.sh DIRECTORY
set -euo pipefail
cd "$(dirname "$0")/.."
documents=${1:-out/specimens/tune}
if [ "$documents" = out/specimens/tune ] && [ ! -d "$documents" ]; then
	CGO_ENABLED=0 go run -tags nodynamic ./internal/specimen/generate -half tune -dir "$documents"
fi
said=$(mktemp)
trap 'rm -f "$said"' EXIT
BLOTTER_ANNOTATED=$(realpath "$documents") CGO_ENABLED=0 go test -tags nodynamic -count=1 -v -timeout 4h \
	-run TestMeasureLayers ./internal/cell/inside | tee "$said"
SAID="$said" perl -0pi -e '
	open my $f, "<", $ENV{SAID} or die; local $/; my $said = <$f>;
	my $tables = "";
	while ($said =~ /: (\d+ documents read by \w+)\n((?:\s+\|.*\n)+)/g) {
		my ($title, $rows) = ($1, $2); $rows =~ s/^\s+//mg; $tables .= "**$title**\n\n$rows\n";
	}
	die "no tables\n" unless $tables;
	s/(<!-- bench-layers:begin -->\n).*?(<!-- bench-layers:end -->)/$1\n$tables$2/s or die "no marks\n";
' docs/benchmarks.md
