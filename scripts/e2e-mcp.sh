#!/usr/bin/env bash
# Installs MCP's TypeScript SDK at the version of test/e2e/mcp/package-lock.json
# and drives the built mayi with it. What was downloaded is kept in $E2E_CACHE
# (default ~/.cache/mayi-e2e). Arguments go to the test.
set -euo pipefail
cd "$(dirname "$0")/.."

command -v npm >/dev/null && command -v node >/dev/null || {
    echo "make e2e-mcp needs node and npm (on Debian: apt-get install npm)" >&2
    exit 1
}

mayi=$PWD/bin/mayi
cache=${E2E_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/mayi-e2e}
lock=$(sha256sum test/e2e/mcp/package.json test/e2e/mcp/package-lock.json | sha256sum | cut -c1-16)
sdk=$cache/mcp-$lock

if [ ! -e "$sdk/complete" ]; then
    echo "installing the SDK into $sdk"
    rm -rf "$cache"/mcp-*
    mkdir -p "$sdk"
    cp test/e2e/mcp/package.json test/e2e/mcp/package-lock.json "$sdk/"
    (cd "$sdk" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error)
    touch "$sdk/complete"
fi

cd test/e2e/mcp
exec "${GO:-go}" test -count=1 -timeout=10m -sdk="$sdk" -mayi="$mayi" "$@"
