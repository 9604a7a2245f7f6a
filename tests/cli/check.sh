#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ptoasm check of many files: folders, order, threads, warnings, argument files, exit codes:
# check.sh PTOASM
set -u
ptoasm=$1
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../tap.sh"
cp "$here/good.pto" "$work/good.pto"
cd "$work" || exit 2

bad() { # a program with one error
    printf 'func.func @k() {\n  pto.nothing\n  return\n}\n' >"$1"
}
warned() { # a program with two warnings, [kernel-kind] and [deprecated-spelling]
    cat >"$1" <<'END'
func.func @k() attributes {pto.kernel_kind = #pto.kernel_kind<cube>} {
  pto.mem_bar "VST_VLD"
  return
}
func.func @m(%p: !pto.ptr<f32>) {
  %c = pto.alloc_tile : !pto.tile_buf<acc, 16x16xf32, blayout=col_major, slayout=row_major, fractal=1024>
  %d = pto.alloc_tile : !pto.tile_buf<acc, 16x16xf32, blayout=col_major, slayout=row_major, fractal=1024>
  %a = pto.alloc_tile : !pto.tile_buf<left, 16x16xf16, blayout=row_major, slayout=row_major>
  %b = pto.alloc_tile : !pto.tile_buf<right, 16x16xf16, blayout=row_major, slayout=col_major>
  pto.tmatmul_acc ins(%c, %a, %b : !pto.tile_buf<acc, 16x16xf32, blayout=col_major, slayout=row_major, fractal=1024>, !pto.tile_buf<left, 16x16xf16, blayout=row_major, slayout=row_major>, !pto.tile_buf<right, 16x16xf16, blayout=row_major, slayout=col_major>) outs(%c : !pto.tile_buf<acc, 16x16xf32, blayout=col_major, slayout=row_major, fractal=1024>)
  return
}
END
}
files() { # the files with messages, in order
    sed -n 's/^\([^ :]*\.pto\):[0-9]*:[0-9]*: \(error\|warning\):.*/\1/p' stderr | tr '\n' ' '
}
summary() {
    tail -n 1 stderr
}
lines() { # how many lines of trouble there are
    grep -c '^ptoasm: error: ' stderr
}

bad bad.pto
warned warned.pto

# ---- folders ----
mkdir -p tree/b/deep tree/a tree/.hidden tree/c.pto
for f in tree/z.pto tree/a/2.pto tree/a/10.pto tree/b/deep/x.pto tree/b.pto tree/.hidden/h.pto tree/.h.pto \
    tree/c.pto/inner.pto tree/a/text.txt tree/a/pto tree/a/x.pto.bak; do
    bad "$f"
done
exits 1 'a folder' "$ptoasm" check tree
check 'its files, sorted by name, hidden ones left out' same files "$(files)" \
    'tree/a/10.pto tree/a/2.pto tree/b/deep/x.pto tree/b.pto tree/c.pto/inner.pto tree/z.pto '
check 'the summary' same summary "$(summary)" 'ptoasm: 6 files, 6 errors, 0 warnings'
exits 1 'slashes after the name' "$ptoasm" check tree/a//
check 'are not doubled' same files "$(files)" 'tree/a/10.pto tree/a/2.pto '
(cd tree && "$ptoasm" check . 2>../stderr)
check 'the folder that one is in has no name' same files "$(files)" \
    'a/10.pto a/2.pto b/deep/x.pto b.pto c.pto/inner.pto z.pto '
exits 1 'arguments stay in their order' "$ptoasm" check tree/z.pto tree/a bad.pto tree/a/text.txt
check 'a named file is checked whatever it is called' said '^tree/a/text\.txt:2:'
check 'the order' same files "$(files)" 'tree/z.pto tree/a/10.pto tree/a/2.pto bad.pto '
exits 1 'a hidden folder that is named' "$ptoasm" check tree/.hidden
check 'one file has no summary' same lines "$(grep -c '^ptoasm:' stderr)" 0
mkdir empty && echo >empty/x.txt
exits 2 'a folder without programs' "$ptoasm" check good.pto empty
check 'is named' said "^ptoasm: error: cannot read 'empty': there is no \*\.pto file in it"
mkdir fine && cp good.pto fine/a.pto && cp good.pto fine/b.pto
exits 0 'a folder of legal programs' "$ptoasm" check fine
check 'the summary of nothing' same summary "$(cat stderr)" 'ptoasm: 2 files, 0 errors, 0 warnings'

# ---- what cannot be read ----
# trouble NAME REASON: tree/NAME is one line, the rest is checked.
trouble() {
    exits 2 "$3" "$ptoasm" check tree
    check "$3: one line" same lines "$(lines)" 1
    check "$3: the reason" said "^ptoasm: error: cannot read 'tree/$1': .*$2"
    check "$3: the rest is checked" same files "$(files)" \
        'tree/a/10.pto tree/a/2.pto tree/b/deep/x.pto tree/b.pto tree/c.pto/inner.pto tree/z.pto '
    check "$3: the summary" same summary "$(summary)" 'ptoasm: 7 files, 6 errors, 0 warnings, 1 not read'
    rm -rf "tree/${1:?}"
}
ln -s nowhere tree/a/link.pto
trouble a/link.pto 'a broken link' 'a dangling link'
ln -s loop tree/a/loop
trouble a/loop 'cycle' 'a link to itself'
ln -s .. tree/b/up
trouble b/up 'a folder that contains it' 'a link to a folder around it'
mkfifo tree/p.pto
trouble p.pto 'not a regular file' 'a pipe'
ln -s /dev/null tree/n.pto
trouble n.pto 'not a regular file' 'a link to a device'
truncate -s 3G tree/huge.pto
trouble huge.pto '2 GiB' 'a file that is too large'
if [ -r /proc/self/mem ]; then
    ln -s /proc/self/mem tree/m.pto
    trouble m.pto '' 'an error while reading'
fi
if [ "$(id -u)" != 0 ]; then
    bad tree/s.pto && chmod 000 tree/s.pto
    trouble s.pto 'Permission denied' 'a file without permission'
    mkdir tree/s && chmod 000 tree/s
    exits 2 'a folder without permission' "$ptoasm" check tree
    check 'is one line' same lines "$(lines)" 1
    chmod 755 tree/s && rmdir tree/s
elif command -v setpriv >/dev/null; then
    bad tree/s.pto && chmod 000 tree/s.pto && mkdir tree/t && chmod 000 tree/t
    cp "$ptoasm" "$work/program" && chmod 755 "$work" "$work/program"
    exits 2 'a file and a folder without permission' \
        setpriv --reuid=65534 --regid=65534 --clear-groups "$work/program" check tree
    check 'each is one line' same lines "$(lines)" 2
    check 'the file is named' said "'tree/s.pto': Permission denied"
    check 'the folder is named' said "'tree/t': Permission denied"
    rm -rf tree/s.pto tree/t
else
    skip 'a file without permission' 'root reads everything'
fi
ln -s nowhere tree/a/readme
exits 1 'a dangling link that is no program' "$ptoasm" check tree
rm tree/a/readme
ln -s ../a tree/b/linked && ln -s ../a tree/b/again
exits 1 'a folder that links lead to' "$ptoasm" check tree
check 'is entered by links once, and not again by its own name' same files "$(files)" \
    'tree/a/10.pto tree/a/2.pto tree/b/deep/x.pto tree/b.pto tree/c.pto/inner.pto tree/z.pto '
exits 1 'from outside it is entered once' "$ptoasm" check tree/b
check 'by its first name' same files "$(files)" 'tree/b/again/10.pto tree/b/again/2.pto tree/b/deep/x.pto '
rm tree/b/linked tree/b/again
mkdir going && bad going/a.pto && bad going/b.pto && mkfifo first
( # opening the pipe waits until the list is made and the first file is read
    exec 3>first
    rm going/a.pto
    cat good.pto >&3
) &
exits 2 'a file that disappears' timeout 30 "$ptoasm" check -j1 first going
wait
check 'is one line' same lines "$(lines)" 1
check 'is named' said "cannot read 'going/a.pto': No such file"
check 'the rest is checked' same files "$(files)" 'going/b.pto '
cp "$ptoasm" tree/a/noise.pto
exits 1 'a binary file' "$ptoasm" check tree/a
check 'has one message' same messages "$(grep -c '^tree/a/noise' stderr)" 1
check 'that says so' said '^tree/a/noise\.pto:1:[0-9]*: error: NUL byte: this is not a text file \[bad-character\]$'
rm tree/a/noise.pto
mkfifo named && { cat good.pto >named & }
exits 0 'a pipe that is named is read' timeout 30 "$ptoasm" check named
wait
exits 2 'every trouble at once' sh -c 'mkdir all && cd all && ln -s nothing a.pto && ln -s . b &&
    mkfifo c.pto && cp ../bad.pto d.pto && "$1" check nothing.pto . missing 2>../stderr' sh "$ptoasm"

# ---- exit codes: the worst counts, in every order ----
ln -s nothing none.pto
code_of() { # good: 0, bad: 1, none: 2
    case $* in *none*) echo 2 ;; *bad*) echo 1 ;; *) echo 0 ;; esac
}
for a in good bad none; do
    for b in good bad none warned; do
        for c in good bad none; do
            for j in 1 3; do
                exits "$(code_of $a $b $c)" "$a, $b, $c with -j$j" "$ptoasm" check -j$j $a.pto $b.pto $c.pto
            done
        done
    done
done
exits 0 'warnings are no errors' "$ptoasm" check warned.pto
check 'they are shown' same warnings "$(grep -c ' warning: ' stderr)" 2
exits 1 '-Werror' "$ptoasm" check -Werror good.pto warned.pto
check 'they are errors now' same errors "$(grep -c ' error: .*\[[a-z-]*\]$' stderr)" 2
check 'they are counted so' same summary "$(summary)" 'ptoasm: 2 files, 2 errors, 0 warnings'
exits 2 '-Werror and an unreadable file' "$ptoasm" check -Werror warned.pto none.pto
exits 2 'wrong usage is found before anything is read' "$ptoasm" check bad.pto -Wnothing
check 'nothing was checked' same files "$(files)" ''

# ---- -W ----
# warns CODE ERRORS WARNINGS OPTION...
warns() {
    want_code=$1
    shown="$2 errors, $3 warnings"
    shift 3
    exits "$want_code" "check $*" "$ptoasm" check "$@" warned.pto
    check "$*: what is shown" same counts \
        "$(grep -c ' error: ' stderr) errors, $(grep -c ' warning: ' stderr) warnings" "$shown"
}
warns 0 0 2
warns 0 0 1 -Wno-kernel-kind
warns 0 0 0 -Wno-kernel-kind -Wno-deprecated-spelling
warns 0 0 2 -Wno-kernel-kind -Wkernel-kind
warns 0 0 1 -Wkernel-kind -Wno-kernel-kind
warns 1 2 0 -Werror
warns 0 0 2 -Werror -Wno-error
warns 1 2 0 -Wno-error -Werror
warns 1 1 1 -Werror=kernel-kind
warns 1 1 1 -Wno-error=kernel-kind -Werror
warns 1 1 1 -Werror -Wno-error=kernel-kind
warns 1 1 1 -Werror=kernel-kind -Wno-error
warns 0 0 2 -Werror=kernel-kind -Wno-error=kernel-kind
warns 1 1 1 -Wno-error=kernel-kind -Werror=kernel-kind
warns 0 0 1 -Werror=kernel-kind -Wno-kernel-kind
warns 1 1 1 -Wno-kernel-kind -Werror=kernel-kind
warns 0 0 1 -Wno-kernel-kind -Wno-error=kernel-kind
warns 1 1 0 -Wno-kernel-kind -Werror
warns 0 0 0 --quiet
warns 1 2 0 --quiet -Werror
warns 1 1 0 -q -Werror=kernel-kind
warns 1 2 0 -W error
exits 2 'a warning that does not exist' "$ptoasm" check -Wdeprecated-speling good.pto
check 'the nearest is named' said "unknown warning 'deprecated-speling'; did you mean 'deprecated-spelling'"
exits 2 'the same after no-' "$ptoasm" check -Wno-kernel-kinds good.pto
check 'the nearest is named there too' said "did you mean 'kernel-kind'"
exits 2 'the same after error=' "$ptoasm" check -Werror=left-layuot good.pto
check 'and there' said "did you mean 'left-layout'"
exits 2 'an id that is no warning' "$ptoasm" check -Wno-undefined-value good.pto
check 'is told so' said "'undefined-value' is always an error"
exits 2 'an empty id' "$ptoasm" check -Wno- good.pto
exits 2 'an empty id of an error' "$ptoasm" check -Werror= good.pto

# ---- --quiet, --max-errors ----
exits 1 'errors stay with --quiet' "$ptoasm" check --quiet tree warned.pto
check 'without a summary' same lines "$(grep -c '^ptoasm:' stderr)" 0
check 'and warnings' same lines "$(grep -c ' warning: ' stderr)" 0
check 'all of them' same files "$(files | wc -w | tr -d ' ')" 6
exits 2 'unreadable files are named with --quiet' "$ptoasm" check -q none.pto
check 'in one line' same lines "$(lines)" 1
printf 'func.func @k() {\n  pto.nothing\n  pto.none\n  pto.no\n  return\n}\n' >three.pto
exits 1 'an error limit' "$ptoasm" check --max-errors=2 three.pto three.pto
check 'is of each file' same messages "$(grep -c 'too many errors' stderr)" 2
check 'its own message is not counted' same summary "$(summary)" 'ptoasm: 2 files, 4 errors, 0 warnings'

# ---- threads ----
mkdir many
i=0
while [ $i -lt 60 ]; do
    case $((i % 4)) in
    0) cp good.pto many/$i.pto ;;
    1) bad many/$i.pto ;;
    2) warned many/$i.pto ;;
    3) ln -s nowhere many/$i.pto ;;
    esac
    i=$((i + 1))
done
{ printf 'func.func @k() {\n' && awk 'BEGIN { for (i = 0; i < 20000; i++) printf "  %%%d = arith.constant 1 : i32\n", i }' && printf '  return\n}\n'; } >many/0.pto
exits 2 'one thread' "$ptoasm" check -j1 --profile=all many good.pto
cp stderr one.err && cp stdout one.out
for j in 2 8 256; do
    exits 2 "$j threads" "$ptoasm" check -j$j --profile=all many good.pto
    check "$j threads: the same messages" cmp stderr one.err
    check "$j threads: the same table" cmp stdout one.out
done
exits 2 'as many threads as cores' "$ptoasm" check --profile=all many good.pto
check 'the same messages' cmp stderr one.err
for j in 0 -1 x '' 257; do
    exits 2 "-j '$j'" "$ptoasm" check -j "$j" good.pto
done
check 'the option is named' said "option '-j': '257' is not a number from 1 to 256"
exits 2 '-j without a number' "$ptoasm" check good.pto -j
check 'that is told' said "option '-j' needs a value"
if [ -e /dev/full ]; then
    sh -c '"$1" check --profile=all fine >/dev/full 2>stderr' sh "$ptoasm"
    check 'a full disk when the table is written' same 'exit code' $? 2
    check 'is one line' same lines "$(lines)" 1
fi

# ---- @file ----
printf -- '-Werror\n  good.pto\t"warned.pto"\n' >args
exits 1 'arguments in a file' "$ptoasm" check @args
check 'all of them count' same summary "$(summary)" 'ptoasm: 2 files, 2 errors, 0 warnings'
cp bad.pto 'a b.pto' && cp bad.pto "it's.pto" && cp bad.pto 'back\slash.pto' && cp bad.pto 'q"q.pto'
cat >args <<'END'
'a b.pto' "a b.pto" a\ b.pto a" "b.pto
"it's.pto" it\'s.pto 'it\'s.pto'
back\\slash.pto 'back\\slash.pto' 'q"q.pto' q\"q.pto
END
exits 1 'quoted arguments' "$ptoasm" check @args
check 'each is the file' same summary "$(summary)" 'ptoasm: 11 files, 11 errors, 0 warnings'
printf "good.pto ''" >args
exits 2 'an empty word' "$ptoasm" check @args
check 'is an argument' said "cannot read ''"
printf '@inner bad.pto' >args && printf 'good.pto @innermost' >inner && printf 'warned.pto\n' >innermost
exits 1 'files that name files' "$ptoasm" check @args good.pto
check 'the words are put where the file was named' same summary "$(summary)" 'ptoasm: 4 files, 1 error, 2 warnings'
check 'in their order' same files "$(files)" 'warned.pto warned.pto bad.pto '
printf '@args @args' >args
exits 2 'a file that names itself' "$ptoasm" check @args
check 'is told' said "'@args': argument files are nested more than 10 deep"
check 'once' same lines "$(lines)" 1
exits 2 'an argument file that is missing' "$ptoasm" check @none
check 'it is named' said "cannot read argument file 'none': No such file"
exits 2 'an argument file that is a folder' "$ptoasm" check @tree
: >args
exits 2 'an argument file without words' "$ptoasm" check @args
check 'leaves no file' said 'no file given'
printf 'good.pto\000bad.pto' >args
exits 2 'NUL bytes in an argument file' "$ptoasm" check @args
printf 'good.pto "bad.pto' >args
exits 1 'a quote that is not closed ends with the file' "$ptoasm" check @args
printf 'good.pto\\' >args
exits 0 'a backslash at the end' "$ptoasm" check @args
printf '#none\ngood.pto\n' >args
exits 2 'a line that begins with #' "$ptoasm" check @args
check 'is no comment' said "cannot read '#none'"
cp bad.pto @odd.pto
exits 1 'a name that begins with @' "$ptoasm" check ./@odd.pto
exits 1 'the same after --' "$ptoasm" check -- @odd.pto
printf -- '-- @odd.pto' >args
exits 1 'the same after -- in a file' "$ptoasm" check @args
ls many/*[024].pto | awk '{ for (i = 0; i < 200; i++) print }' >args
exits 0 'thousands of arguments' "$ptoasm" check -q @args

# ---- --format ----
exits 1 '--format=text' "$ptoasm" check --format=text bad.pto
exits 2 'a format that does not exist' "$ptoasm" check --format=none bad.pto
check 'the formats are named' said 'text'

tap_end
