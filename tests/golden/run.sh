#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Golden tests: run.sh PTOASM [--update] [FILE...]. README.md says what a test looks like.
# Prints TAP; with --update it rewrites the expectations instead.
set -u -f
ptoasm=$(realpath "$1") || exit 2
shift
update=0
if [ "${1-}" = --update ]; then
    update=1
    shift
fi
here=$(cd "$(dirname "$0")" && pwd) && cd "$here" || exit 2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
export LC_ALL=C NO_COLOR=1
unset GITHUB_WORKSPACE
# A sanitizer's finding must not look like the exit code of a rejected program.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}exitcode=99:allocator_may_return_null=1"
export UBSAN_OPTIONS="${UBSAN_OPTIONS:+$UBSAN_OPTIONS:}halt_on_error=1:exitcode=99"

if [ $# -gt 0 ]; then
    tests=$*
else
    tests=$(find . -name '*.pto' | sed 's|^\./||' | sort)
fi

# Runs the commands of one test; their output and exit codes go to $work/actual. Sets `wrong` to
# what the header of the test itself does not agree with.
run_test() {
    file=$1
    wrong=
    ran=
    code=0
    : >"$work/actual"
    rm -rf "$work/t"
    while IFS= read -r line; do
        case $line in
        '// RUN: '*)
            [ -z "$ran" ] || [ "$code" = 0 ] || wrong="exit code $code, 0 expected: $ran"
            ran=${line#// RUN: }
            run_command "$file" "$ran"
            ;;
        '// EXIT: '*)
            want=${line#// EXIT: }
            [ "$code" = "$want" ] || wrong="exit code $code, $want expected: $ran"
            code=0
            ;;
        *) break ;;
        esac
    done <"$file"
    [ "$code" = 0 ] || wrong="exit code $code, 0 expected: $ran"
    [ -n "$ran" ] || wrong='the first line is not "// RUN: ..."'
}

# %s is the test's file, %t a scratch folder of the test.
run_command() {
    set --  "$1" $2
    file=$1
    shift
    n=$#
    while [ "$n" -gt 0 ]; do
        word=$1
        shift
        case $word in
        %s) word=$file ;;
        *%t*)
            mkdir -p "$work/t"
            word=${word%%%t*}$work/t${word#*%t}
            ;;
        esac
        set -- "$@" "$word"
        n=$((n - 1))
    done
    "$ptoasm" "$@" >"$work/out" 2>&1 </dev/null
    code=$?
    if [ -d "$work/t" ]; then
        sed "s|$work/t|%t|g" "$work/out" >>"$work/actual"
    else
        cat "$work/out" >>"$work/actual"
    fi
    [ "$code" = 0 ] || echo "[exit code $code]" >>"$work/actual"
}

count=0
failed=0
for file in $tests; do
    count=$((count + 1))
    expected=${file%.pto}.expected
    run_test "$file"
    if [ -n "$wrong" ]; then
        echo "not ok $count - $file"
        echo "# $wrong"
        sed 's/^/# /' "$work/actual"
        failed=$((failed + 1))
    elif cmp -s "$work/actual" "$expected"; then
        [ $update = 1 ] || echo "ok $count - $file"
    elif [ $update = 1 ]; then
        cp "$work/actual" "$expected"
        echo "updated $expected"
    else
        echo "not ok $count - $file"
        diff -u "$expected" "$work/actual" | sed 's/^/# /'
        failed=$((failed + 1))
    fi
done
if [ $# -eq 0 ]; then
    for expected in $(find . -name '*.expected' | sed 's|^\./||' | sort); do
        [ ! -e "${expected%.expected}.pto" ] || continue
        count=$((count + 1))
        failed=$((failed + 1))
        echo "not ok $count - $expected has no test"
    done
fi
[ $update = 1 ] || echo "1..$count"
[ $failed = 0 ]
