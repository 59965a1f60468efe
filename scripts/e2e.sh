#!/usr/bin/env bash
# Installs the coding agents at the versions of test/e2e/package-lock.json and
# drives them with the built mayi in front. What was downloaded is kept in
# $E2E_CACHE (default ~/.cache/mayi-e2e), 1.8 GB. Arguments go to the test, for
# example -run Policy/codex or -keep /tmp/worlds.
set -euo pipefail
cd "$(dirname "$0")/.."

command -v npm >/dev/null || {
    echo "make e2e needs npm to install the agents (on Debian: apt-get install npm)" >&2
    exit 1
}

mayi=$PWD/bin/mayi
cache=${E2E_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/mayi-e2e}
lock=$(sha256sum test/e2e/package.json test/e2e/package-lock.json | sha256sum | cut -c1-16)
agents=$cache/agents-$lock

if [ ! -e "$agents/complete" ]; then
    echo "installing the agents into $agents"
    # Older versions are of no more use, and large.
    rm -rf "$cache"/agents-*
    mkdir -p "$agents"
    cp test/e2e/package.json test/e2e/package-lock.json "$agents/"
    # Not "npm ci": it insists on packages for other systems, some of which are
    # not published. The lock file's versions and digests hold here as well.
    # No install scripts: the programs are packages of their own.
    (cd "$agents" && npm install --ignore-scripts --no-audit --no-fund --loglevel=error)
    cmp test/e2e/package-lock.json "$agents/package-lock.json" || {
        echo "test/e2e/package-lock.json is not what package.json asks for" >&2
        exit 1
    }
    touch "$agents/complete"
fi

cd test/e2e
exec "${GO:-go}" test -count=1 -timeout=15m -parallel=3 -agents="$agents" -mayi="$mayi" "$@"
