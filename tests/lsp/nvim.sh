#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# nvim.sh PTOASM FOLDER: the language server with the client that Neovim has, and the syntax file in the folder; skipped
# without nvim.
set -u
command -v nvim >/dev/null 2>&1 || {
    echo '1..0 # SKIP no nvim'
    exit 0
}
PTOASM=$(realpath "$1") || exit 2
SYNTAX=$(realpath "$2") || exit 2
lua=$(dirname "$(realpath "$0")")/nvim.lua
WORK=$(mktemp -d) || exit 2
trap 'rm -rf "$WORK"' EXIT
export PTOASM SYNTAX WORK HOME="$WORK" XDG_CONFIG_HOME="$WORK" XDG_DATA_HOME="$WORK" XDG_STATE_HOME="$WORK"
export XDG_CACHE_HOME="$WORK" TERM=dumb LC_ALL=C.UTF-8
# The lines for this version of Neovim in the documentation start the server.
awk '/^```lua$/ { block = ""; inside = 1; next } /^```$/ { if (inside && block ~ /start_client/) printf "%s", block; inside = 0 }
    inside { block = block $0 "\n" }' "$(dirname "$lua")/../../docs/editors.md" >"$WORK/init.lua"
mkdir "$WORK/bin" && ln -s "$PTOASM" "$WORK/bin/ptoasm"
printf 'nonsense\n' >"$WORK/set-up.pto"
cat >"$WORK/set-up.lua" <<'END'
local found = vim.wait(30000, function() return #vim.diagnostic.get(0) > 0 end, 20)
vim.cmd(found and 'qall!' or 'cquit 1')
END
PATH=$WORK/bin:$PATH nvim --headless -n -u "$WORK/init.lua" "$WORK/set-up.pto" -c "luafile $WORK/set-up.lua" \
    >"$WORK/out" 2>&1 </dev/null
export SET_UP=$?
sed 's/^/# /' "$WORK/out"

nvim --headless --clean -n -c "luafile $lua" 2>"$WORK/errors" </dev/null
code=$?
sed 's/^/# /' "$WORK/errors"
exit $code
