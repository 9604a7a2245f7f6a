#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ptoasm fmt over several files: differences, -i, exit codes: fmt.sh PTOASM
set -u
ptoasm=$1
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../tap.sh"
cd "$work" || exit 2
printf 'func.func @k() {\n  return\n}\n' >fine.pto
loose() { # a program in another layout
    printf 'func.func @k()   {\n      return\n}\n' >"$1"
}
loose loose.pto
printf 'func.func @k() {\n  )(\n}\n' >broken.pto
ln -s nothing none.pto

# ---- --check ----
exits 1 'a file in another layout' "$ptoasm" fmt --check loose.pto
cat >want <<'END'
--- loose.pto
+++ loose.pto
@@ -1,3 +1,3 @@
-func.func @k()   {
-      return
+func.func @k() {
+  return
 }
END
check 'the difference is on standard output' cmp stdout want
check 'the file is named on standard error' same stderr "$(cat stderr)" 'loose.pto: not formatted'
exits 0 'a file in the layout' "$ptoasm" fmt --check fine.pto fine.pto
check 'is silent' silent
printf 'func.func @k() {\n  return\n}' >unended.pto
exits 1 'no line end at the end' "$ptoasm" fmt --check unended.pto
check 'is shown as others do' grep -q '^\\ No newline at end of file$' stdout
: >empty.pto
exits 0 'an empty file' "$ptoasm" fmt --check empty.pto
# patched NAME: the difference turns the file into what fmt prints.
patched() {
    exits 1 "$1: --check" "$ptoasm" fmt --check in.pto
    if command -v patch >/dev/null; then
        check "$1: patch takes the difference" patch -s -o patched in.pto stdout
        "$ptoasm" fmt in.pto >formatted
        check "$1: and makes the formatted file" cmp patched formatted
    fi
}
changed() { # a long program with every N-th line in another layout
    awk -v every="$1" 'BEGIN {
        print "func.func @k() {"
        for (i = 1; i <= 3000; i++) printf "%s%%a%d = arith.constant %d : i32\n", i % every ? "  " : "    ", i, i
        print "  return\n}"
    }'
}
for every in 1 2 5 7 8 1000; do
    changed $every >in.pto
    patched "a program where each line number $every is different"
done
check 'distant changes are hunks of their own' same hunks "$(grep -c '^@@' stdout)" 3
sed 's/$/\r/' loose.pto >in.pto
patched 'CR LF line ends'
printf '\n\n\n// c\n\n\n\nfunc.func @k() {\n\n\n\n  return\n}\n\n\n' >in.pto
patched 'blank lines'

# ---- exit codes: the worst counts, in every order ----
code_of() {
    case $* in *none*) echo 2 ;; *loose* | *broken*) echo 1 ;; *) echo 0 ;; esac
}
for a in fine loose broken none; do
    for b in fine loose broken none; do
        exits "$(code_of $a $b)" "fmt --check of $a, $b" "$ptoasm" fmt --check $a.pto $b.pto
    done
done
exits 2 'all of them' "$ptoasm" fmt --check none.pto loose.pto fine.pto broken.pto loose.pto
check 'every file is compared' same differences "$(grep -c '^+++' stdout)" 2
check 'the program is no program' said '^broken\.pto:2:'
check 'the unreadable file is one line' same lines "$(grep -c '^ptoasm: error:' stderr)" 1
exits 1 'fmt of a file that is no program' "$ptoasm" fmt fine.pto broken.pto
exits 2 'fmt of an unreadable one' "$ptoasm" fmt none.pto broken.pto fine.pto
check 'the others are printed' cmp stdout fine.pto
if [ -e /dev/full ]; then
    sh -c '"$1" fmt --check loose.pto >/dev/full 2>stderr' sh "$ptoasm"
    check 'the difference on a full disk' same 'exit code' $? 2
fi

# ---- folders and argument files ----
mkdir -p tree/b tree/.git && loose tree/z.pto && loose tree/b/a.pto && loose tree/.git/h.pto && cp fine.pto tree/a.pto
exits 1 'a folder' "$ptoasm" fmt --check tree
check 'its files in order, hidden ones left out' same files \
    "$(sed -n 's/^+++ //p' stdout | tr '\n' ' ')" 'tree/b/a.pto tree/z.pto '
exits 2 '-o for a folder' "$ptoasm" fmt -o out.pto tree
printf -- '--check tree' >args
exits 1 'an argument file' "$ptoasm" fmt @args
mkfifo tree/p.pto
exits 2 'a pipe in a folder' "$ptoasm" fmt --check tree
check 'is one line' said "cannot read 'tree/p.pto': it is not a regular file"
rm tree/p.pto

# ---- -i ----
cp tree/b/a.pto kept && chmod 640 tree/b/a.pto && chmod 755 tree/z.pto
ln -s z.pto tree/y.pto
exits 0 'fmt -i of a folder' "$ptoasm" fmt -i tree
check 'is silent' silent
check 'the files are formatted' cmp tree/b/a.pto fine.pto
check 'the mode is kept' same mode "$(stat -c %a tree/b/a.pto)" 640
check 'whatever it is' same mode "$(stat -c %a tree/z.pto)" 755
check 'a link is still one' test -L tree/y.pto
check 'hidden files are as they were' cmp tree/.git/h.pto kept
check 'no other file is there' same files "$(find tree -type f | wc -l | tr -d ' ')" 4
inode=$(stat -c %i tree/z.pto)
exits 0 'once more' "$ptoasm" fmt -i tree
check 'a formatted file is not touched' same inode "$(stat -c %i tree/z.pto)" "$inode"
loose 1.pto && loose 2.pto && cp broken.pto copy
exits 2 'fmt -i goes on after an error' "$ptoasm" fmt -i 1.pto none.pto broken.pto 2.pto
check 'before it' cmp 1.pto fine.pto
check 'and the file after it' cmp 2.pto fine.pto
check 'a file that is not a program is unchanged' cmp broken.pto copy
changed 1 >big.pto && cp big.pto copy
(
    ulimit -f 1 2>/dev/null
    trap '' XFSZ
    exec "$ptoasm" fmt -i big.pto 2>stderr
)
check 'a write that fails' same 'exit code' $? 2
check 'leaves the file as it was' cmp big.pto copy
check 'and nothing beside it' same files "$(ls -d big.pto* | tr '\n' ' ')" 'big.pto '
loose ro.pto && chmod 444 ro.pto
if [ "$(id -u)" = 0 ]; then
    skip 'fmt -i of a file without write permission' 'root writes everywhere'
else
    exits 2 'fmt -i of a file without write permission' "$ptoasm" fmt -i ro.pto
fi

tap_end
