#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The command line of the vendor's assembler: how options are spelled, and how it fails: ptoas.sh PTOASM
set -u
ptoasm=$1
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../tap.sh"
cd "$work" || exit 2
ln -s "$ptoasm" ptoas
cat >k.pto <<'END'
func.func @k() {
  %t = pto.alloc_tile : !pto.tile_buf<vec, 8x8xf32>
  pto.tabs ins(%t : !pto.tile_buf<vec, 8x8xf32>) outs(%t : !pto.tile_buf<vec, 8x8xf32>)
  return
}
END
sed 's/outs(%t/outs(%u/' k.pto >bad.pto

# ---- the output ----
exits 0 'without -o' ./ptoas k.pto
check 'C++ on standard output' grep -q '^AICORE void k() {$' stdout
cp stdout want.cpp
for words in '-o x.cpp' '-o=x.cpp' '--o x.cpp' '--o=x.cpp'; do
    rm -f x.cpp
    # shellcheck disable=SC2086
    exits 0 "k.pto $words" ./ptoas k.pto $words
    check 'writes the file, and nothing else' eval 'cmp x.cpp want.cpp && [ ! -s stdout ]'
done
exits 0 '-o -' ./ptoas -o - k.pto
check 'is standard output' cmp stdout want.cpp
"$ptoasm" ptoas <k.pto >stdin.cpp 2>stderr
check 'without a file it reads standard input, and ptoasm ptoas is the same' cmp stdin.cpp want.cpp
./ptoas - <k.pto >stdin.cpp 2>stderr
check '- is standard input' cmp stdin.cpp want.cpp

# ---- options ----
exits 0 'what --pto-arch a5 prints' ./ptoas --pto-arch a5 --emit-pto-ir k.pto
cp stdout want.pto
for words in '-pto-arch=a5 -emit-pto-ir' '--pto-arch=a5 --emit-pto-ir=true' '-pto-arch a5 --emit-pto-ir=1' \
    '--pto-level LEVEL2 --pto-arch a5 --emit-pto-ir' '-pto-level=level2 --pto-arch=a5 -emit-pto-ir'; do
    # shellcheck disable=SC2086
    exits 0 "$words" ./ptoas $words k.pto
    check 'the same text' cmp stdout want.pto
done
exits 0 'a2 is a3' ./ptoas --pto-arch=a2 k.pto
check 'the same C++' cmp stdout want.cpp
for words in --plan-memory-impl=modern '--plan-memory-impl legacy' --plan-memory-order-by-size \
    '--graph-sync-solver-event-id-max=8' '--pto-insert-sync-debug 2' --enable-bufid-sync-debug --pto-backend=emitc \
    --cann-output-version=9.0.0 --enable-insert-sync=false --emit-pto-ir=false --no-sync-warnings; do
    # shellcheck disable=SC2086
    exits 0 "$words" ./ptoas $words k.pto
    check 'changes nothing' cmp stdout want.cpp
done
for words in '-mlir-print-ir-before=pto-plan-memory' --mlir-print-ir-before-all '--mlir-print-ir-after=pto-infer-layout' \
    --mlir-timing --disable-infer-layout --emit-addptr-trace=True --enable-op-fusion=TRUE; do
    option=$(echo "$words" | sed 's/^-*/--/; s/=.*//; s/-all$//')
    exits 0 "$words" ./ptoas $words k.pto
    check 'a note that says why it has no effect' grep -q -- "^ptoasm: note: $option has no effect: ..*" stderr
    check 'and the same C++' cmp stdout want.cpp
done
exits 0 '--enable-op-fusion=FALSE' ./ptoas --enable-op-fusion=FALSE k.pto
check 'no note' eval '! grep -q fusion stderr'
for words in --emit-vpto -pto-print-seam-ir=1 '--pto-seam-ir-file seam.pto'; do
    # shellcheck disable=SC2086
    exits 1 "$words needs the other backend" ./ptoas $words k.pto
    check 'as it says' grep -q '^Error: VPTO-specific flags require --pto-backend=vpto' stderr
done
exits 1 'an option given twice' ./ptoas k.pto -o no.cpp --o=no.cpp
check 'which one' grep -qF "option '-o' is given twice" stderr
check 'no file' [ ! -e no.cpp ]
exits 1 'a wrong Boolean' ./ptoas --enable-insert-sync=yes k.pto
for word in --simt-fastmath --enable-bisheng-vec-misched=TRUE --bisheng-vf-auto-sync=off --bisheng-vf-auto-sync=fused; do
    exits 0 "$word, of the other backend" ./ptoas $word k.pto
    check 'changes nothing' cmp stdout want.cpp
done
exits 1 'a mode that there is not' ./ptoas --bisheng-vf-auto-sync=on k.pto

# ---- an older version ----
cat >old.pto <<'END'
!t = !pto.tile_buf<vec, 1x64xi32>
func.func @k(%start: i32) {
  %a = arith.constant 0 : i64
  %t = pto.alloc_tile addr = %a : !t
  pto.tci ins(%start : i32) outs(%t : !t)
  return
}
END
exits 1 '0.60 demands scratch tiles at level 3' ./ptoas --pto-level=level3 old.pto
check 'in words that callers look for' grep -q 'error: .*requires explicit tmp' stderr
exits 0 '0.57 plans them' ./ptoas --pto-level=level3 --pto-version=0.57 old.pto
check 'at the end of the space' grep -q '= (uint64_t)195840;$' stdout
cp stdout old.cpp
sed 's/constant 0 : i64/constant 196352 : i64/' old.pto >high.pto
exits 0 'a tile at the end' ./ptoas --pto-level=level3 --pto-version=0.57 high.pto
check 'is in the way' grep -q '= (uint64_t)195584;$' stdout
{
    sed '$d' high.pto
    echo '  %b = arith.constant 256 : i64'
    echo '  %u = pto.alloc_tile addr = %b : !pto.tile_buf<vec, 191x256xf32>'
    echo '}'
} | sed '/return/d; $i\  return' >full.pto
exits 1 'tiles that leave no room' ./ptoas --pto-level=level3 --pto-version=0.57 full.pto
check 'leave no room' grep -q 'error: pto.tci: no free range of 768 bytes is left in vec' stderr
check 'for the other commands too' "$ptoasm" check --quiet --profile=a2a3 --compat=ptoas-0.57 old.pto
exits 1 'but 0.60' "$ptoasm" check --quiet --profile=a2a3 --compat=ptoas old.pto
sed 's/^!t = .*/&\n!m = !pto.tile_buf<vec, 1x32xui8>/; /pto.tci/d; s/^  return/  %b = arith.constant 256 : i64\
  %c = arith.constant 512 : i64\
  %m = pto.alloc_tile addr = %b : !m\
  %u = pto.alloc_tile addr = %c : !m\
  pto.tsel ins(%m, %t, %t, %u : !m, !t, !t, !m) outs(%t : !t)\
&/' old.pto >select.pto
exits 1 'a scratch tile of bytes' ./ptoas --pto-level=level3 select.pto
check 'is not for 0.60' grep -q 'error: pto.tsel: tmp has elements of 1 bytes' stderr
exits 0 'but 0.57 takes it' ./ptoas --pto-level=level3 --pto-version=0.57 select.pto
exits 0 'the environment says so too' env PTOASM_PTOAS_VERSION=v0.57 ./ptoas --pto-level=level3 old.pto
check 'the same text' cmp stdout old.cpp
exits 0 'its version' env PTOASM_PTOAS_VERSION=0.57 ./ptoas --version
check 'is that' [ "$(head -n 1 stdout)" = 'ptoas 0.57' ]
exits 1 'an option goes first' env PTOASM_PTOAS_VERSION=0.57 ./ptoas --pto-level=level3 --pto-version=0.60 old.pto
exits 1 'a version that is not known' env PTOASM_PTOAS_VERSION=1.0 ./ptoas --version
check 'which' grep -q "PTOASM_PTOAS_VERSION is '1.0'" stderr
exits 1 'nor as an option' ./ptoas --pto-version=0.58 old.pto

# ---- the program after passes ----
exits 0 'the planned program' ./ptoas --emit-pto-ir k.pto
cp stdout planned.pto
exits 0 'the synchronised program' ./ptoas --emit-pto-ir --enable-insert-sync k.pto
cp stdout synced.pto
module=dump/builtin_module_no-symbol-name
exits 0 'dumps in a folder' ./ptoas --mlir-print-ir-after-all --mlir-print-ir-tree-dir=dump --enable-insert-sync k.pto -o x.cpp
check 'after planning' cmp $module/0_pto-plan-memory.mlir planned.pto
check 'after insertion' cmp $module/1_pto-insert-sync.mlir synced.pto
check 'nothing else' eval '[ "$(find dump -type f | wc -l)" = 2 ] && [ ! -s stderr ]'
rm -r dump
exits 0 'without insertion' ./ptoas -mlir-print-ir-after-all -mlir-print-ir-tree-dir dump k.pto -o x.cpp
check 'only the planned program' [ "$(ls $module)" = 0_pto-plan-memory.mlir ]
for words in '--mlir-print-ir-after=pto-plan-memory' '-mlir-print-ir-after pto-resolve-reserved-buffers' --mlir-print-ir-after-all; do
    # shellcheck disable=SC2086
    exits 0 "$words" ./ptoas $words k.pto
    check 'on standard error, after a line' eval \
        'sed -n "/^\/\/ -----\/\/ IR Dump After [A-Za-z]* (pto-/,\$p" stderr | tail -n +2 | cmp - planned.pto'
    check 'and the same C++' cmp stdout want.cpp
done
exits 1 'a rejected program' ./ptoas --mlir-print-ir-after-all --mlir-print-ir-tree-dir=none bad.pto
check 'no folder' [ ! -e none ]

# ---- many files ----
sed 's/@k/@other/' k.pto >other.pto
mkdir folder
sed 's/@k/@third/' k.pto >folder/third.pto
exits 0 'three files' ./ptoas k.pto other.pto folder/third.pto -o out
for name in k other third; do
    check "$name.cpp" grep -q "^AICORE void $name() {\$" out/$name.cpp
done
check 'the same text as alone' cmp out/k.cpp want.cpp
exits 0 'a folder, and PTO text' ./ptoas --emit-pto-ir -j2 k.pto folder -o text
check 'two files' eval '[ "$(ls text | tr "\n" " ")" = "k.pto third.pto " ] && cmp text/k.pto planned.pto'
exits 0 'one file into a folder' ./ptoas k.pto -o folder
check 'k.cpp' cmp folder/k.cpp want.cpp
exits 1 'one of three is rejected' ./ptoas k.pto bad.pto other.pto -o some
check 'the others are written' [ "$(ls some | tr '\n' ' ')" = 'k.cpp other.cpp ' ]
check 'a closing line' [ "$(tail -n 1 stderr)" = 'Error: 1 of 3 programs was not translated' ]
mkdir twice
cp other.pto twice/k.pto
exits 1 'two files with one output' ./ptoas k.pto twice/k.pto -o one
check 'nothing is written' eval '[ ! -e one ] && grep -q "have one output" stderr'
exits 1 'several files without a folder' ./ptoas k.pto other.pto
exits 1 'nor into a file' ./ptoas k.pto other.pto -o k.cpp
check 'which is not made' [ ! -e k.cpp ]
exits 0 'dumps of several' ./ptoas --mlir-print-ir-after-all --mlir-print-ir-tree-dir=all k.pto other.pto -o out
check 'in a folder each' cmp all/k/builtin_module_no-symbol-name/0_pto-plan-memory.mlir planned.pto
for mode in graph-sync-solver bufid_sync inject-barrier-all-sync; do
    exits 0 "--enable-$mode" ./ptoas --enable-$mode k.pto
    check 'a note that flags are inserted' grep -q '^ptoasm: note: flags are inserted' stderr
done
for word in --version -version; do
    exits 0 $word ./ptoas $word
    check 'the version that callers read, alone on its line' [ "$(head -n 1 stdout)" = 'ptoas 0.60' ]
    check 'and that of ptoasm' grep -q '^ptoasm [0-9]' stdout
done
for word in --help -help -h; do
    exits 0 $word ./ptoas $word
    check 'the help' grep -q '^Usage: ptoasm ptoas ' stdout
done

# ---- more findings about the program's own flags than --max-errors: they are warnings ----
{
    printf '!t = !pto.tile_buf<vec, 1x64xf32>\n!v = !pto.partition_tensor_view<1x64xf32>\n'
    printf 'func.func @own(%%in: !v, %%out: !v) {\n  %%a = arith.constant 0 : i64\n  %%t = pto.alloc_tile addr = %%a : !t\n'
    printf '  pto.set_flag[<PIPE_MTE2>, <PIPE_MTE3>, <EVENT_ID0>]\n  pto.wait_flag[<PIPE_MTE2>, <PIPE_MTE3>, <EVENT_ID0>]\n'
    i=0
    while [ $i -lt 120 ]; do
        printf '  pto.tload ins(%%in : !v) outs(%%t : !t)\n  pto.tstore ins(%%t : !t) outs(%%out : !v)\n'
        i=$((i + 1))
    done
    printf '  return\n}\n'
} >races.pto
exits 0 'many findings' ./ptoas --pto-level=level3 races.pto -o races.cpp
check 'warnings, all of them' eval '[ "$(grep -c "warning: .*sync-race" stderr)" -gt 120 ] && ! grep -q error: stderr'
exits 0 'and with insertion' ./ptoas --pto-level=level3 --enable-insert-sync races.pto -o races2.cpp
check 'the function is left as it is' cmp races.cpp races2.cpp
exits 0 '--no-sync-warnings' ./ptoas --pto-level=level3 --no-sync-warnings --enable-insert-sync races.pto -o races2.cpp
check 'nothing is said' [ ! -s stderr ]

# ---- failures: exit code 1, a closing line, no file ----
# fails NAME LINE WORDS...: LINE is a pattern for the last line.
fails() {
    name=$1
    line=$2
    shift 2
    exits 1 "$name" ./ptoas -o no.cpp "$@"
    check 'its closing line' eval "tail -n 1 stderr | grep -q '$line'"
    check 'no file' [ ! -e no.cpp ]
}
fails 'a rejected program' '^Error: ' bad.pto
check 'an error line' grep -q '^bad.pto:3:[0-9]*: error: ' stderr
fails 'a missing file' '^Error: ' none.pto
fails 'an unknown option' '^Error: ' --nope k.pto
fails 'two files' '^Error: ' k.pto k.pto
fails 'a wrong chip' "^Error: invalid --pto-arch=.x.\\. Expected .a2., .a3., or .a5.\\.\$" --pto-arch=x k.pto
fails 'a wrong level' '^Error: ' --pto-level=level4 k.pto
fails 'two ways of synchronisation' '^Error: .*mutually exclusive' --enable-insert-sync --enable-graph-sync-solver k.pto
fails 'the other backend' '^Error: .*vpto' --pto-backend=vpto k.pto
printf 'PTOBC\000\001' >b.ptobc
fails 'bytecode' '^Error: ' b.ptobc
check 'one error' eval "[ \"\$(grep -c 'error:' stderr)\" = 1 ]"
exits 1 'an option without its value' ./ptoas k.pto -o
check 'its closing line' eval "tail -n 1 stderr | grep -q '^Error: '"
exits 1 'a folder that is not there' ./ptoas k.pto -o none/x.cpp
check 'its closing line' eval "tail -n 1 stderr | grep -q '^Error: '"
tap_end
