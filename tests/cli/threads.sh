#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every program of the project, and every accepted one of the corpus when there is one, checked by one thread and by
# eight, and translated by ptoas: the output is the same to the byte. Under ThreadSanitizer, where a race fails, by eight
# threads only.
# threads.sh PTOASM SANITIZERS
set -u
ptoasm=$1
threads='1 8'
[ "$2" != thread ] || threads=8
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../tap.sh"
export TSAN_OPTIONS="${TSAN_OPTIONS:+$TSAN_OPTIONS:}exitcode=99"
cd "$here/../.." || exit 2

# both NAME ARGUMENTS...: with each number of threads, with the exit codes 0 or 1.
both() {
    name=$1
    shift
    for j in $threads; do
        "$ptoasm" check -j$j "$@" >"$work/out.$j" 2>"$work/err.$j" </dev/null
        code=$?
        check "$name: -j$j" test $code -le 1
        [ $code -le 1 ] || head -n 60 "$work/err.$j" | sed 's/^/# /'
    done
    [ "$threads" != 8 ] || return 0
    check "$name: the same on standard output" cmp "$work/out.1" "$work/out.8"
    check "$name: the same on standard error" cmp "$work/err.1" "$work/err.8"
}

for format in text json sarif github; do
    both "$format" --format=$format samples tests/golden
done
both 'as the vendor does' --compat=ptoas --max-errors=3 samples tests/golden
both '-Werror' -Werror -Wno-deprecated-spelling --color=always samples tests/golden
both 'all profiles' --profile=all samples tests/golden ${PTOASM_CORPUS:+"$PTOASM_CORPUS/accept"}

# Names of outputs must differ; the names of these files have no blanks.
files=$(find samples tests/golden/emit -name '*.pto' ! -name example.pto | sort)
for j in $threads; do
    # shellcheck disable=SC2086
    "$ptoasm" ptoas -j$j --enable-insert-sync $files --describe="$work/json.$j" \
        -o "$work/cpp.$j" >"$work/out.$j" 2>"$work/err.$j" </dev/null
    code=$?
    check "ptoas -j$j" test $code -le 1
    [ $code -le 1 ] || head -n 60 "$work/err.$j" | sed 's/^/# /'
    check 'many files' test "$(find "$work/cpp.$j" -type f | wc -l)" -ge 20
    check 'and nothing else' test -z "$(find "$work/cpp.$j" -type f ! -name '*.cpp')"
done
if [ "$threads" != 8 ]; then
    check 'ptoas: the same files' diff -r "$work/cpp.1" "$work/cpp.8"
    check 'ptoas: the same description' cmp "$work/json.1" "$work/json.8"
    check 'ptoas: the same on standard error' cmp "$work/err.1" "$work/err.8"
fi

tap_end
