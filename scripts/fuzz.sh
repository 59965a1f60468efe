#!/usr/bin/env bash
# Runs every native fuzz target for the given time. Usage: scripts/fuzz.sh 20s
set -euo pipefail
each=${1:-20s}
for dir in $(grep -rl --include='*_test.go' '^func Fuzz' . | xargs -n1 dirname | sort -u); do
	for target in $(grep -ho '^func Fuzz[A-Za-z0-9_]*' "$dir"/*_test.go | sed 's/^func //'); do
		echo "== $dir $target"
		go test -run '^$' -fuzz "^$target\$" -fuzztime "$each" "$dir"
	done
done
