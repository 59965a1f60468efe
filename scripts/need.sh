#!/usr/bin/env bash
# Makes sure that the programs which the tests drive for real are there.
# As root on a Debian system it installs what is missing; otherwise it says
# what is missing and fails. Usage: scripts/need.sh
set -euo pipefail

# program=package, as the tests look them up.
needed=(
	bash=bash git=git jq=jq rg=ripgrep tmux=tmux strace=strace bwrap=bubblewrap
	gcc=gcc make=make zip=zip unzip=unzip xxd=xxd sqlite3=sqlite3 curl=curl
	tar=tar gawk=gawk mawk=mawk sed=sed find=findutils file=file bc=bc rsync=rsync
	python3=python3 perl=perl less=less man=man-db patch=patch diff=diffutils
)

missing=()
for entry in "${needed[@]}"; do
	command -v "${entry%%=*}" >/dev/null 2>&1 || missing+=("${entry#*=}")
done
[ "${#missing[@]}" -eq 0 ] && exit 0

if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null 2>&1; then
	echo "installing for the tests: ${missing[*]}"
	export DEBIAN_FRONTEND=noninteractive
	apt-get update -q </dev/null >/dev/null
	apt-get install -y -q --no-install-recommends "${missing[@]}" </dev/null >/dev/null
	exit 0
fi
echo "The tests drive real programs, and these Debian packages are missing: ${missing[*]}" >&2
echo "Install them (sudo apt-get install ${missing[*]}) and run the command again." >&2
exit 1
