#!/bin/sh
# Installs the pinned real clients into a cache folder and prints the directory of their executables.
#
#   usage: install.sh [--find]
#
# The folder is named after the digest of the lock file, so another set of versions never mixes with this one and a
# second call has nothing to do. It lies below .cache/clients in the repository, or below $GREENROOM_CLIENT_CACHE.
#   --find   installs nothing: prints the directory, or fails when the clients are not there.
# Install scripts of packages are not run; the executables that they would have put in place are linked directly.
# Hermes Agent is a program of Python's: it is installed beside them, by the digests of hermes.txt, when there is a Python
# that it runs on. Without it the others are there all the same, unless $GREENROOM_REQUIRE_CLIENTS is 1.
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

# a_python prints the path of a Python that Hermes is pinned for, and that has pip.
a_python() {
	for candidate in python3.13 python3.12 python3.11 python3 /usr/bin/python3; do
		"$candidate" -c 'import sys, pip
if not (3, 11) <= sys.version_info[:2] <= (3, 13): sys.exit(1)
print(sys.executable)' 2>/dev/null && return
	done
	return 1
}

# install_hermes puts Hermes into a folder of its own, named after the digest of its pins and the Python, and a program that
# starts it into bin.
install_hermes() {
	bin=$1
	python=$(a_python) || {
		echo "Hermes Agent needs Python 3.11 to 3.13 with pip, its tests cannot run" >&2
		return 1
	}
	tag=$("$python" -c 'import sys; print("cp%d%d" % sys.version_info[:2])')
	home=$cache/hermes-$(digest "$here/hermes.txt")-$tag
	if [ ! -d "$home" ]; then
		new=$(mktemp -d "$cache/.hermes.XXXXXX")
		# Nothing is built, and what has another digest than the pinned one is refused.
		if ! "$python" -m pip install --quiet --root-user-action=ignore --disable-pip-version-check --no-cache-dir --no-deps --require-hashes \
			--only-binary=:all: --target "$new" -r "$here/hermes.txt" >&2; then
			echo "Hermes Agent cannot be installed here, its tests cannot run" >&2
			rm -rf "$new"
			return 1
		fi
		chmod 755 "$new"
		mv "$new" "$home" 2>/dev/null || rm -rf "$new" # another installer may have been faster
	fi
	draft=$bin/.hermes.$$
	# Isolated, so that no variable and no package of the user's changes what it is made of.
	cat >"$draft" <<-EOF
		#!/bin/sh
		exec "$python" -I -c 'import sys; sys.path.insert(0, "$home"); sys.argv[0] = "hermes"; from hermes_cli.main import main; sys.exit(main())' "\$@"
	EOF
	chmod 755 "$draft"
	mv "$draft" "$bin/hermes"
}

# with_hermes adds Hermes to what is there, once.
with_hermes() {
	cache=$(CDPATH= cd -- "$cache" && pwd -P)
	grep -qs "hermes-$(digest "$here/hermes.txt")" "$cache/$hash/bin/hermes" || install_hermes "$cache/$hash/bin" || [ "${GREENROOM_REQUIRE_CLIENTS:-}" != 1 ]
}

if complete "$cache/$hash"; then
	[ -n "$find_only" ] || with_hermes || exit 1
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

# The executables of Claude Code and OpenCode lie in packages for the platform, of which npm installs all whose system,
# processor and C library match: the first that starts is the one.
mkdir "$work/bin" "$work/home"
link_starting() { # link_starting NAME FILE...: FILE lies below node_modules
	name=$1
	shift
	for file in "$@"; do
		if [ -x "$file" ] && HOME="$work/home" "$file" --version >/dev/null 2>&1; then
			ln -s "../${file#"$work"/}" "$work/bin/$name"
			return
		fi
	done
}
ln -s ../node_modules/.bin/codex "$work/bin/codex"
link_starting claude "$work"/node_modules/@anthropic-ai/claude-code-*/claude
# OpenCode is pinned by the packages of one platform: those of the others are not in every registry.
link_starting opencode "$work"/node_modules/opencode-*/bin/opencode
[ -x "$work/bin/opencode" ] || echo "OpenCode is not pinned for this platform, its tests cannot run" >&2
# OpenCode looks for ripgrep on PATH and would otherwise fetch one when its skill tool is first used.
link_starting rg "$work"/node_modules/@vscode/ripgrep-*/bin/rg

# Kimi Code asks for a newer Node.js than this script. Where a package carries one it is used, else the one on PATH.
link_starting node "$work"/node_modules/node-*/bin/node
modern=$work/bin/node
[ -x "$modern" ] || modern=$(command -v node)
if HOME="$work/home" "$modern" "$work/node_modules/@moonshot-ai/kimi-code/dist/main.mjs" --version >/dev/null 2>&1; then
	case $modern in
	"$work"/*) modern=$cache/$hash/bin/node ;;
	esac
	# No link, since that would be started by the first Node.js on PATH.
	cat >"$work/bin/kimi" <<-EOF
		#!/bin/sh
		exec "$modern" "$cache/$hash/node_modules/@moonshot-ai/kimi-code/dist/main.mjs" "\$@"
	EOF
	chmod 755 "$work/bin/kimi"
else
	echo "Kimi Code does not start here (it needs Node.js 22.19 or newer), its tests cannot run" >&2
fi
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
with_hermes || exit 1
CDPATH= cd -- "$cache/$hash/bin" && pwd -P
