#!/usr/bin/env bash
# Runs every test once. Packages that open native code without cgo (purego) cannot be
# built with the race detector, which needs cgo; they run without it. All others run
# under it.
set -euo pipefail
cd "$(dirname "$0")/.."

tags=nodynamic
export BLOTTER_TEST_NEED_ENGINES=1       # a test that lacks the engines fails instead of skipping
export BLOTTER_TEST_POSTGRES=required    # and one that lacks PostgreSQL
timeout=25m # of a package, on a machine that does much else
beside=4    # tests of the command at once, at least: they wait more than they compute
[ "$(nproc)" -le "$beside" ] || beside=$(nproc)

# need COMMAND WHY PACKAGE...: installs the Debian packages where the command is missing
# and we may, and says what to install where not. A command is looked for as a program in
# PATH, or as a pattern of paths.
need() {
	local command=$1 why=$2
	shift 2
	{ command -v "$command" || compgen -G "$command"; } >/dev/null && return
	if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
		DEBIAN_FRONTEND=noninteractive apt-get update -qq
		DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null
	else
		echo "test: $why needs $command (Debian: apt-get install $*)" >&2
		exit 1
	fi
}

# promtool lets Prometheus itself try the alerts. Only the program is taken out of Debian's
# package, as installing that would start a server. Where it cannot be had the test skips.
find_promtool() {
	type -P promtool && return
	local dir=${XDG_CACHE_HOME:-$HOME/.cache}/blotter/promtool
	[ -x "$dir/promtool" ] || fetch_promtool "$dir" >/dev/null 2>&1 || {
		echo 'test: promtool cannot be had, so the alerts are not tried' >&2
		return
	}
	echo "$dir/promtool"
}

fetch_promtool() (
	mkdir -p "$1" && cd "$1" || exit 1
	apt-get download -qq prometheus || { [ "$(id -u)" = 0 ] && apt-get update -qq && apt-get download -qq prometheus; } || exit 1
	dpkg-deb --fsys-tarfile prometheus_*.deb | tar -xO ./usr/bin/promtool >part && chmod +x part && mv part promtool
	rm -f prometheus_*.deb
	[ -x promtool ]
)

# One line for each package: its path, then all that its tests link.
linked() {
	CGO_ENABLED=0 go list -test -tags "$tags" -f '{{if .ForTest}}{{else}}{{.ImportPath}} {{join .Deps " "}}{{end}}' ./... |
		sed -n 's/^\([^ ]*\)\.test /\1 /p'
}

need gcc 'the race detector, which links C,' gcc libc6-dev
need curl 'the test of the documentation' curl # 7.84 or newer
# Debian keeps the server outside PATH, and the package makes and starts a cluster unless it
# is told not to: the tests start their own.
if ! command -v postgres >/dev/null; then
	[ "$(id -u)" != 0 ] || [ -e /etc/postgresql-common ] ||
		install -D -m 644 /dev/stdin /etc/postgresql-common/createcluster.d/blotter-tests.conf <<<'create_main_cluster = false'
	need '/usr/lib/postgresql/*/bin/postgres' 'the store on PostgreSQL' postgresql
fi
BLOTTER_TEST_PROMTOOL=$(find_promtool)
export BLOTTER_TEST_PROMTOOL
links=$(linked)
native=$(awk '/ github\.com\/ebitengine\/purego( |$)/ { print $1 }' <<<"$links")
pure=$(awk '!/ github\.com\/ebitengine\/purego( |$)/ { print $1 }' <<<"$links")
[ -n "$native" ] && [ -n "$pure" ] || { echo 'test: the packages could not be listed' >&2; exit 1; }

failed=0
echo '== with the race detector'
# shellcheck disable=SC2086 # a list of packages
CGO_ENABLED=1 go test -race -tags "$tags" -timeout "$timeout" $pure || failed=1
echo '== without cgo: what opens the engines, the command, cells and crashes'
# shellcheck disable=SC2086
CGO_ENABLED=0 go test -tags "$tags" -timeout "$timeout" -parallel "$beside" $native || failed=1
echo '== crash points'
CGO_ENABLED=0 go test -tags "$tags,crashpoints" -timeout "$timeout" ./internal/durable ./internal/vault ./internal/sqlite ./internal/audit/sequencer -run "Crash|Killed|Child" || failed=1
exit "$failed"
