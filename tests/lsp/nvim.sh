#!/bin/sh
# nvim.sh PTOASM: the language server with the client that Neovim has; skipped without nvim.
set -u
command -v nvim >/dev/null 2>&1 || {
    echo '1..0 # SKIP no nvim'
    exit 0
}
PTOASM=$(realpath "$1") || exit 2
lua=$(dirname "$(realpath "$0")")/nvim.lua
WORK=$(mktemp -d) || exit 2
trap 'rm -rf "$WORK"' EXIT
export PTOASM WORK HOME="$WORK" XDG_CONFIG_HOME="$WORK" XDG_DATA_HOME="$WORK" XDG_STATE_HOME="$WORK"
export XDG_CACHE_HOME="$WORK" TERM=dumb LC_ALL=C.UTF-8
nvim --headless --clean -n -c "luafile $lua" 2>"$WORK/errors" </dev/null
code=$?
sed 's/^/# /' "$WORK/errors"
exit $code
