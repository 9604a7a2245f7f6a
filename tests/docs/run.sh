#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# docs/isa and docs/diagnostics.md are what the tables say: run.sh PTOASM [--update]
# Prints TAP; with --update it rewrites the pages instead.
set -u
ptoasm=$(realpath "$1") || exit 2
docs=$(cd "$(dirname "$0")/../../docs" && pwd) || exit 2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
export LC_ALL=C

"$ptoasm" explain --pages="$work" || exit 2
if [ "${2-}" = --update ]; then
    rm -rf "$docs/isa"
    cp -r "$work/isa" "$docs/isa"
    cp "$work/diagnostics.md" "$docs/diagnostics.md"
    exit 0
fi
count=0
failed=0
stale() {
    count=$((count + 1))
    if [ "$2" = 0 ]; then
        echo "ok $count - $1"
    else
        failed=$((failed + 1))
        echo "not ok $count - $1"
        sed 's/^/# /' "$work/diff" | head -n 40
        echo '# tests/docs/update rewrites the pages'
    fi
}
diff -ru "$docs/isa" "$work/isa" >"$work/diff" 2>&1
stale 'docs/isa is what the tables say' $?
diff -u "$docs/diagnostics.md" "$work/diagnostics.md" >"$work/diff" 2>&1
stale 'docs/diagnostics.md is what the tables say' $?
echo "1..$count"
[ $failed = 0 ]
