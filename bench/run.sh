#!/usr/bin/env bash
# Prints the speed figures as ratios of medians over five counted runs.
# Usage: bench/run.sh
set -euo pipefail
cd "$(dirname "$0")/.."
out=$(mktemp)
trap 'rm -f "$out"' EXIT
go test -run '^$' -bench . -count 5 -benchtime 200ms ./bench | tee /dev/stderr >"$out"

# median NAME: the median of the ns/op of a benchmark.
median() {
	awk -v name="$1" '{ sub(/-[0-9]+$/, "", $1) } $1 == name { print $3 }' "$out" | sort -n | awk '{ v[NR] = $1 } END { if (NR) print v[int((NR + 1) / 2)] }'
}
ratio() { # TEXT NAME BASE LIMIT
	awk -v a="$(median "$2")" -v b="$(median "$3")" -v t="$1" -v l="$4" 'BEGIN { printf "%-66s %6.2f  (at most %s)\n", t, a / b, l }'
}
echo
ratio "decide with 20 rules, with parsing / the parse alone" BenchmarkDecide/rules=20 BenchmarkParse 3
ratio "decide with 10,000 rules / with 20" BenchmarkDecide/rules=10000 BenchmarkDecide/rules=20 1.5
ratio "PermissionCache.Check at 1,000,000 grants / at 100" BenchmarkPermissionCache/grants=1000000 BenchmarkPermissionCache/grants=100 2
ratio "a process's only decision, settings and gate with it / the parse alone" BenchmarkDecideCold BenchmarkParseCold "no limit set"
ratio "through the gate, which looks at the disk / decide in memory" BenchmarkCheck BenchmarkDecide/rules=20 "no limit set"
awk '$1 ~ /^BenchmarkDecide\/rules=20-/ { print "allocations to decide `git status -s`: " $7; exit }' "$out"
echo
make -s build >/dev/null
go run ./bench/process bin/mayi
go run ./bench/mcp bin/mayi
echo
# One job, and one open inside the workspace, each in turns with what it is measured by.
go test -run '^$' -bench 'BenchmarkStart|BenchmarkOpen' -benchtime 40x ./pkg/sandbox | awk '
	function show(text, unit, limit,  i) { for (i = 2; i <= NF; i++) if ($i == unit) printf "%-66s %6.2f  (at most %s)\n", text, $(i - 1), limit }
	/^BenchmarkStart\/cold/ { show("one job, from a process that runs already / bubblewrap", "x-bwrap", 1) }
	/^BenchmarkStart\/ahead/ { show("the same, prepared while it is decided / bubblewrap", "x-bwrap", 1) }
	/^BenchmarkOpen/ { show("an open inside the workspace / without a sandbox", "x-plain", 1.2); show("an open that the supervisor carries out, in microseconds", "us/brokered", 60) }
	/^(FAIL|---)/ { print }'
echo
go run ./bench/firsthour
