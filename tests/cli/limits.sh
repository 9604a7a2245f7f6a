#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Inputs of a size that would hurt a parser that recurses or looks too far ahead. Every one must be
# judged in time proportional to its length: limits.sh PTOASM
set -u
ptoasm=$1
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../tap.sh"
cd "$work" || exit 2

# repeat TEXT TIMES
repeat() {
    awk -v text="$1" -v n="$2" 'BEGIN { for (i = 0; i < n; i++) printf "%s", text }'
}

# Runs a command within seconds of processor time that only more than linear time exceeds: a busy
# machine changes nothing.
bounded() {
    (
        # shellcheck disable=SC3045
        ulimit -t 30
        exec "$@"
    )
}

# judged CODE NAME: checks in.pto.
judged() {
    exits "$1" "$2" bounded "$ptoasm" check in.pto
    [ "$1" = 0 ] || check "$2: a position" said '^in\.pto:[0-9]*:[0-9]*: error: '
}

{ echo 'func.func @k(%c: i1) {' && repeat 'scf.if %c {
' 10000 && repeat '}
' 10000 && echo 'return
}'; } >in.pto
judged 1 '10,000 nested regions'
check 'the limit is named' said '\[nesting\]'

{ echo 'func.func @k(%c: i1) {' && repeat 'scf.if %c {
' 200 && repeat '}
' 200 && echo 'return
}'; } >in.pto
judged 0 '200 nested regions'

repeat 'module {
' 10000 >in.pto
judged 1 '10,000 modules that do not end'

repeat '{' 200000 >in.pto
judged 1 '200,000 opening braces'
repeat '}' 200000 >in.pto
judged 1 '200,000 closing braces'
repeat '(' 200000 >in.pto
judged 1 '200,000 parentheses'
repeat '"' 200001 >in.pto
judged 1 '200,001 quotes'

{ printf 'func.func @k(%%a: i32) {\n  call @f(' && repeat '%a, ' 199999 && printf '%%a) : (i32) -> ()\n  return\n}\n'; } >in.pto
judged 1 '200,000 operands'
{ printf 'func.func @k(%%a: i32) {\n  ' && repeat '%a, ' 199999 && printf '%%a = arith.constant 1 : i32\n  return\n}\n'; } >in.pto
judged 1 '200,000 results'

{ printf 'func.func @k() {\n  %%a = pto.alloc_tile : ' && repeat '!pto.a<' 200000 && printf '\n  return\n}\n'; } >in.pto
judged 1 'types that are 200,000 deep'
{ printf 'func.func @k() attributes {k = ' && repeat '[' 200000 && printf '\n} {\n  return\n}\n'; } >in.pto
judged 1 'attributes that are 200,000 deep'
{ printf 'func.func @k() {\n' && repeat '^b(' 20000 && printf '\n  return\n}\n'; } >in.pto
judged 1 '20,000 labels that do not end'
{ printf 'func.func @k() attributes {' && repeat 'k = 1, ' 100000 && printf 'k = 1} {\n  return\n}\n'; } >in.pto
judged 1 'one key 100,001 times'
{ repeat '// a comment
' 200000 && echo 'func.func @k() {' && repeat '// another

' 200000 && printf '  return\n}\n'; } >in.pto
judged 0 '400,000 comments'
{ printf 'func.func @k() {\n  ' && repeat 'a' 5000000 && printf '\n  return\n}\n'; } >in.pto
judged 1 'a word of 5 MB'
{ printf 'func.func @k() {\n  %%' && repeat 'a' 5000000 && printf ' = arith.constant 1 : i32\n  return\n}\n'; } >in.pto
judged 0 'a name of 5 MB'
{ printf 'func.func @k() {\n' && awk 'BEGIN { for (i = 0; i < 100000; i++) printf "  pto.nothing_%d\n", i }' && printf '  return\n}\n'; } >in.pto
exits 1 '100,000 errors' bounded "$ptoasm" check in.pto
check 'a hundred of them are shown' same errors "$(grep -c 'error: ' stderr)" 101
check 'the limit is named' said 'too many errors'
{ printf 'func.func @k() {\n' && awk 'BEGIN { for (i = 0; i < 5000; i++) printf "  pto.nothing_%d\n", i }' && printf '  return\n}\n'; } >in.pto
exits 1 'all of 5,000 errors when asked for' bounded "$ptoasm" check --max-errors=0 in.pto
check '5,000 messages' same errors "$(grep -c 'error: ' stderr)" 5000

tap_end
