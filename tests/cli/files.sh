#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Files that cannot be read or written, exit codes, options: files.sh PTOASM
set -u
ptoasm=$1
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../tap.sh"
cp "$here/good.pto" "$work/good.pto"
cd "$work" || exit 2
root=$(id -u)

bad() { # a program with one error
    printf 'func.func @k() {\n  pto.tadds ins(%%a, %%b : !pto.tile_buf<vec, 16x16xf32>, f32) outs(%%c : !pto.tile_buf<vec, 16x16xf32>)\n  return\n}\n' >"$1"
}
bad bad.pto

# No temporary file is left beside an output.
no_litter() { # FOLDER EXPECTED-FILES...
    folder=$1
    shift
    # shellcheck disable=SC2012
    same "files" "$(ls -A "$folder" | sort | tr '\n' ' ')" "$(printf '%s\n' "$@" | sort | tr '\n' ' ')"
}

# ---- exit codes and silence ----
exits 0 'check of a legal program' "$ptoasm" check good.pto
check 'check is silent on success' silent
exits 1 'check of an illegal program' "$ptoasm" check bad.pto
check 'the message has file, line and column' said '^bad\.pto:2:[0-9]*: error: .* \[[a-z-]*\]$'
exits 2 'no command' "$ptoasm"
exits 2 'an unknown command' "$ptoasm" chek good.pto
check 'the nearest command is named' said "did you mean 'check'"
exits 2 'an unknown option' "$ptoasm" check --profil=a5 good.pto
check 'the nearest option is named' said "did you mean '--profile'"
exits 2 'an option without its value' "$ptoasm" check --profile
exits 2 'a wrong profile' "$ptoasm" check --profile=a9 good.pto
check 'the right profiles are named' said 'a2a3'
exits 2 'a value for an option that takes none' "$ptoasm" fmt --check=yes good.pto
exits 2 'a wrong level' "$ptoasm" check --level=4 good.pto
exits 2 'an error limit that is no number' "$ptoasm" check --max-errors=many good.pto
exits 2 'no file' "$ptoasm" check
exits 2 'emit without an output' "$ptoasm" emit good.pto
exits 2 'emit of two files' "$ptoasm" emit good.pto good.pto -o x.c
exits 0 'the value as a word of its own' "$ptoasm" check --profile a2a3,a5 --level 2 good.pto
exits 0 'all profiles' "$ptoasm" check --profile=all good.pto
check 'a function that all accept is one line' same table "$(cat stdout)" \
    'good.pto:2: @add: accepted by cpu, a2a3 and a5 (9 instructions)'
check 'the table is no message' same stderr "$(cat stderr)" ''
exits 0 'a list of one profile' "$ptoasm" check --profile=a5,a5 good.pto
check 'one profile needs no table' silent
cat >a5.pto <<'END'
func.func @k(%s: i8) {
  %a = pto.alloc_tile : !pto.tile_buf<vec, 32x32xi8>
  pto.tadds ins(%a, %s : !pto.tile_buf<vec, 32x32xi8>, i8) outs(%a : !pto.tile_buf<vec, 32x32xi8>)
  return
}
END
exits 1 'a profile that was asked for rejects' "$ptoasm" check --profile=all a5.pto
check 'the message is on standard error' said '^a5\.pto:3:17: error: .*(a2a3) \[elem-type\]$'
check 'the table on standard output says who' grep -q '^ *3  pto.tadds *yes  no \[elem-type\]  yes$' stdout
exits 0 'the profiles that accept' "$ptoasm" check --profile=cpu,a5 a5.pto
exits 1 'an illegal program for all profiles' "$ptoasm" check --profile=all good.pto bad.pto
check 'there is a table with errors too' grep -q '^ *2  pto.tadds' stdout
exits 0 'the spellings of the vendor' "$ptoasm" check --pto-arch=a3 --pto-level=level2 good.pto
cp good.pto ./-odd.pto
exits 0 'a name with a dash after --' "$ptoasm" check -- -odd.pto
rm ./-odd.pto
exits 0 'the version' "$ptoasm" --version
check 'the version is one line' grep -qx 'ptoasm [0-9.]*' stdout
exits 1 'the worst of several files: rejected' "$ptoasm" check good.pto bad.pto good.pto
exits 2 'the worst of several files: unreadable' "$ptoasm" check bad.pto missing.pto good.pto
check 'the files after an unreadable one are judged' said '^bad\.pto:2'
exits 1 'colours when asked for' "$ptoasm" check --color=always bad.pto
check 'the colour is there' said '\[1;31merror:'
exits 1 'no colours otherwise' "$ptoasm" check bad.pto
check 'no escape bytes' sh -c '! grep -q "$(printf "\033")" stderr'

# ---- inputs ----
: >empty.pto
exits 0 'an empty file is an empty module' "$ptoasm" check empty.pto
exits 0 'fmt of an empty file' "$ptoasm" fmt empty.pto
exits 2 'a directory' "$ptoasm" emit . -o x.c
check 'the reason is named: directory' said 'directory'
exits 2 'a missing file' "$ptoasm" check missing.pto
check 'the reason is named: missing' said 'missing\.pto.*No such file'
if [ "$root" = 0 ]; then
    skip 'an unreadable file' 'root reads everything'
else
    cp good.pto secret.pto && chmod 000 secret.pto
    exits 2 'an unreadable file' "$ptoasm" check secret.pto
    rm -f secret.pto
fi
truncate -s 3G huge.pto
exits 2 'a sparse file of 3 GB' timeout 30 "$ptoasm" check huge.pto
check 'the reason is named: size' said '2 GiB'
rm huge.pto
truncate -s 2147483648 huge.pto
exits 2 'a file of exactly 2 GiB' timeout 30 "$ptoasm" check huge.pto
rm huge.pto
for seed in 1 2 3 4 5 6 7 8; do # the same noise on every run
    awk -v seed=$seed 'BEGIN { srand(seed); for (i = 0; i < 20000; i++) printf "%c", int(rand() * 256) }' >noise.pto
    exits 1 "binary noise $seed" timeout 30 "$ptoasm" check noise.pto
    check "a message with a position for noise $seed" said '^noise\.pto:[0-9]*:[0-9]*: error: '
done
head -c 4096 /dev/zero >zeros.pto
exits 1 'zero bytes' timeout 30 "$ptoasm" check zeros.pto
printf 'func.func @k() {\n  return\n}' >unended.pto
exits 0 'no line end at the end of the file' "$ptoasm" check unended.pto
sed 's/$/\r/' good.pto >crlf.pto
exits 0 'CR LF line ends' "$ptoasm" check crlf.pto
{ printf '\357\273\277' && cat good.pto; } >bom.pto
run "$ptoasm" check bom.pto
check 'a byte order mark does not crash' sh -c "[ $code = 0 ] || [ $code = 1 ]"
sh -c '"$1" check - <good.pto' sh "$ptoasm"
check 'standard input' same 'exit code' $? 0
sh -c '"$1" check - <bad.pto 2>stderr' sh "$ptoasm"
check 'standard input, rejected' same 'exit code' $? 1
check 'standard input has a name' said '^<stdin>:2:'
sh -c 'cat bad.pto | "$1" check - 2>/dev/null' sh "$ptoasm"
check 'a pipe' same 'exit code' $? 1

# ---- outputs ----
mkdir out
exits 0 'emit writes a file' "$ptoasm" emit good.pto -o out/k.c --header=out/k.h
check 'code and header, nothing else' no_litter out k.c k.h
exits 0 'emit to standard output' "$ptoasm" emit good.pto -o -
check 'both outputs are the same text' cmp stdout out/k.c
cp out/k.c kept.c
exits 1 'emit of an illegal program' "$ptoasm" emit bad.pto -o out/k.c
check 'an existing file stays when the program is rejected' cmp out/k.c kept.c
exits 1 'emit of an illegal program to a new file' "$ptoasm" emit bad.pto -o out/new.c
check 'no file appears when the program is rejected' no_litter out k.c k.h
exits 2 'an output in a missing folder' "$ptoasm" emit good.pto -o nowhere/k.c
check 'the reason is named: output' said 'nowhere/k\.c.*No such file'
exits 2 'an output that is a directory' "$ptoasm" emit good.pto -o out
exits 2 'a header that cannot be written' "$ptoasm" emit good.pto -o out/two.c --header=nowhere/k.h
check 'no code without its header' no_litter out k.c k.h
exits 2 'the output would overwrite the input' "$ptoasm" emit good.pto -o good.pto
check 'the input is as it was' cmp good.pto "$here/good.pto"
if [ "$root" = 0 ]; then
    skip 'an output in a folder without permission' 'root writes everywhere'
else
    mkdir locked && chmod 555 locked
    exits 2 'an output in a folder without permission' "$ptoasm" emit good.pto -o locked/k.c
fi
if [ -e /dev/full ]; then
    sh -c '"$1" emit good.pto -o - >/dev/full 2>stderr' sh "$ptoasm"
    check 'standard output on a full disk' same 'exit code' $? 2
    exits 2 'a full device as output' "$ptoasm" emit good.pto -o /dev/full
    check 'the reason is named: space' said 'No space left'
    bad bad.pto
    sed 's/^ *//' good.pto >loose.pto
    for line in 'check --help' --help --version 'explain --list' 'explain --list --format=json' 'explain tadds' \
        'explain --format=json tadds' 'explain elem-type' 'check --format=json bad.pto' 'check --format=sarif good.pto' \
        'check --format=github bad.pto' 'check --profile=all good.pto' 'fmt good.pto' 'fmt --check loose.pto' \
        'run good.pto zeros:f32x16x16 out=-:f32x16x16 1'; do
        sh -c '"$1" $2 >/dev/full 2>stderr' sh "$ptoasm" "$line"
        check "a full disk: $line" same 'exit code' $? 2
        check "a full disk: $line: the message" grep -q "cannot write '<stdout>'" stderr
    done
fi
mkfifo pipe
timeout 20 cat pipe >piped.c &
exits 0 'a pipe as output' "$ptoasm" emit good.pto -o pipe
wait
check 'the pipe is still one' test -p pipe
check 'the text came through' cmp piped.c kept.c
( # a write that fails half way: the limit is far below the size of the output
    ulimit -f 1 2>/dev/null
    trap '' XFSZ
    exec "$ptoasm" emit good.pto -o out/k.c 2>stderr
)
check 'a file that grows too large' same 'exit code' $? 2
check 'the old file stays' cmp out/k.c kept.c
( # the same with the signal
    ulimit -f 1 2>/dev/null
    exec "$ptoasm" emit good.pto -o out/k.c 2>stderr
)
check 'a file that grows too large, with its signal' same 'exit code' $? 2
check 'says why' said 'File too large'
check 'the old file stays when writing fails' cmp out/k.c kept.c
check 'no temporary file stays when writing fails' no_litter out k.c k.h
chmod 640 out/k.c
exits 0 'emit over an existing file' "$ptoasm" emit good.pto -o out/k.c
check 'the mode of the file is kept' same mode "$(stat -c %a out/k.c)" 640
ln -s k.c out/link.c
exits 0 'emit through a symbolic link' "$ptoasm" emit good.pto -o out/link.c
check 'the link is still one' test -L out/link.c

# ---- fmt ----
printf 'func.func @k()   {\n      return\n}\n' >loose.pto
cp loose.pto loose.copy
exits 1 'fmt --check of an unformatted file' "$ptoasm" fmt --check loose.pto
check 'it is named' said '^loose\.pto: not formatted'
check 'fmt --check writes nothing' cmp loose.pto loose.copy
exits 0 'fmt -i' "$ptoasm" fmt -i loose.pto
check 'fmt -i is silent' silent
exits 0 'fmt --check afterwards' "$ptoasm" fmt --check loose.pto
cp bad.pto broken.pto && printf '  )(\n' >>broken.pto && cp broken.pto broken.copy
exits 1 'fmt -i of a file that cannot be read as a program' "$ptoasm" fmt -i broken.pto
check 'the file is as it was' cmp broken.pto broken.copy
exits 2 'fmt -i of standard input' "$ptoasm" fmt -i -
exits 2 'fmt -i and -o' "$ptoasm" fmt -i -o x.pto good.pto
exits 2 'fmt -o of two files' "$ptoasm" fmt -o x.pto good.pto loose.pto
exits 0 'fmt -o' "$ptoasm" fmt good.pto -o formatted.pto
exits 0 'the formatted program is legal' "$ptoasm" check formatted.pto
printf '\357\273\277func.func @k() {\n  return\n}\n' >marked.pto
exits 1 'a byte order mark' "$ptoasm" check marked.pto
check 'it is named' said '^marked\.pto:1:1: error: the text begins with a byte order mark'
exits 0 'a fix takes it away' "$ptoasm" check --fix marked.pto
check 'only the mark' same bytes "$(wc -c <marked.pto)" 28
exits 0 'fmt is a fixed point' "$ptoasm" fmt --check formatted.pto

tap_end
