#!/bin/sh
# Installs the pinned real clients into a cache folder and prints the directory of their executables.
#
#   usage: install.sh [--find]
#
# The folder is named after the digest of the lock file, so another set of versions never mixes with this one and a
# second call has nothing to do. It lies below .cache/clients in the repository, or below $GREENROOM_CLIENT_CACHE.
#   --find   installs nothing: prints the directory, or fails when the clients are not there.
# Install scripts of packages are not run; the executables that they would have put in place are linked directly.
# Exit codes: 0 the clients are there, 1 they are not, 2 usage.
set -eu

here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd -P)
cache=${GREENROOM_CLIENT_CACHE:-$here/../../.cache/clients}
find_only=
case "${1:-}" in
'') ;;
--find) find_only=1 ;;
*)
	echo "usage: install.sh [--find]" >&2
	exit 2
	;;
esac

digest() { # the first 16 hexadecimal digits of the SHA-256 of a file
	if command -v sha256sum >/dev/null 2>&1; then
		sha256sum "$1" | cut -c1-16
	else
		shasum -a 256 "$1" | cut -c1-16
	fi
}

hash=$(digest "$here/package-lock.json")

complete() { [ -x "$1/bin/codex" ] && [ -x "$1/bin/claude" ]; }

if complete "$cache/$hash"; then
	CDPATH= cd -- "$cache/$hash/bin" && pwd -P
	exit 0
fi
if [ -n "$find_only" ]; then
	echo "the real clients are not installed; run conformance/clients/install.sh" >&2
	exit 1
fi
for tool in node npm; do
	if ! command -v "$tool" >/dev/null 2>&1; then
		echo "$tool is needed to install the real clients; install Node.js 20 or newer" >&2
		exit 1
	fi
done

mkdir -p "$cache"
cache=$(CDPATH= cd -- "$cache" && pwd -P)
work=$(mktemp -d "$cache/.new.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

cp "$here/package.json" "$here/package-lock.json" "$work/"
# npm ci checks the digest of every package against the lock file, and resolves none anew.
(cd "$work" && npm ci --ignore-scripts --no-audit --no-fund --no-update-notifier --loglevel=error >&2)

# Claude Code's own executable lies in a package for the platform. npm installs the one whose system, processor and C
# library match, so the first that starts is the one.
mkdir "$work/bin" "$work/home"
ln -s ../node_modules/.bin/codex "$work/bin/codex"
for dir in "$work"/node_modules/@anthropic-ai/claude-code-*; do
	if [ -x "$dir/claude" ] && HOME="$work/home" "$dir/claude" --version >/dev/null 2>&1; then
		ln -s "../node_modules/@anthropic-ai/${dir##*/}/claude" "$work/bin/claude"
		break
	fi
done
rm -rf "$work/home"
chmod 755 "$work"
if ! complete "$work"; then
	echo "the installed packages hold no codex or no claude for this platform" >&2
	exit 1
fi

# Another installer may have been faster; its result is as good as ours.
if ! complete "$cache/$hash"; then
	rm -rf "${cache:?}/$hash"
	mv "$work" "$cache/$hash"
fi
ln -sfn "$hash" "$cache/current"
CDPATH= cd -- "$cache/$hash/bin" && pwd -P
