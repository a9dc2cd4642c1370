#!/usr/bin/env bash
# Every relative link of the Markdown files must lead somewhere.
set -euo pipefail
cd "$(dirname "$0")/.."
broken=0
while IFS= read -r file; do
	while IFS= read -r link; do
		target=${link%%#*}
		[ -z "$target" ] && continue
		if [ ! -e "$(dirname "$file")/$target" ]; then
			echo "$file: $link leads nowhere"
			broken=1
		fi
	done < <(grep -oE '\]\([^)]+\)' "$file" | sed -E 's/^\]\(//; s/\)$//' | grep -vE '^(https?|mailto):' || true)
done < <(find . -name '*.md' -not -path './out/*' -not -path './.git/*')
exit "$broken"
