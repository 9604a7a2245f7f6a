#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ptoasm run: arguments, .npy files, the compiler: run.sh PTOASM
set -u
ptoasm=$1
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../tap.sh"
cp "$here/good.pto" "$here/passed.pto" "$here/linked.pto" "$here/scalars.pto" "$here/rows.pto" "$here/reach.pto" "$here/chip.pto" "$here/../../samples/kernel/scale_mask.pto" "$work"
cp "$here/../../samples/txors/example.pto" "$work/txors.pto"
cd "$work" || exit 2
mkdir tmp
TMPDIR=$work/tmp
export TMPDIR

# The distinct elements of a .npy file of 128 bytes of header, as od writes them.
elements() { # OD-TYPE FILE
    od -An -v -t "$1" -j 128 "$2" | tr -s ' ' '\n' | sed '/^$/d' | tr '\n' ' '
}

# An array of 16x16 floats with a header of our own; $1 is the dictionary.
npy() { # FILE DICTIONARY BYTES
    len=$((${#2} + 1))
    printf "\223NUMPY\001\000\\$(printf %03o $((len % 256)))\\$(printf %03o $((len / 256)))%s\n" "$2" >"$1"
    head -c "$3" /dev/zero >>"$1"
}

# ---- the chip that the module names decides what a signal is ----
for named in 'pto.target_arch = "a5"' 'pto.target_arch = "A5"' '"pto.device-spec" = "Ascend950PR_9579"'; do
    sed "s/pto.target_arch = \"a5\"/$named/" chip.pto >named.pto
    exits 0 "check: $named" "$ptoasm" check named.pto
    exits 0 "run: $named" "$ptoasm" run named.pto zeros:f32x8
done
sed 's/"a5"/"a2"/' chip.pto >named.pto
exits 1 'check: a2 has no signal 19' "$ptoasm" check named.pto

# ---- buffers ----
exits 0 'zeros in, a file out' "$ptoasm" run good.pto zeros:f32x16x16 out=y.npy:f32x16x16 1.5
check 'run is silent on success' silent
check 'the file is an array of version 1.0' sh -c 'head -c 8 y.npy | od -An -c | tr -d " \n" | grep -q "NUMPY001.0$"'
check 'its header says what is in it' grep -aq "{'descr': '<f4', 'fortran_order': False, 'shape': (16, 16), }" y.npy
check 'all elements are 0 + 1.5' same elements "$(elements x4 y.npy | tr ' ' '\n' | sort -u | tr -d '\n')" 3fc00000
check 'the file has its length' same bytes "$(wc -c <y.npy | tr -d ' ')" $((128 + 1024))
exits 0 'random numbers' "$ptoasm" run good.pto random:7:f32x16x16 out=r1.npy:f32x16x16 0
exits 0 'the same random numbers' "$ptoasm" run good.pto random:7:f32x16x16 out=r2.npy:f32x16x16 0
exits 0 'other random numbers' "$ptoasm" run good.pto random:8:f32x16x16 out=r3.npy:f32x16x16 0
check 'a seed gives the same numbers again' cmp r1.npy r2.npy
check 'another seed gives others' sh -c '! cmp -s r1.npy r3.npy'
exits 0 'a file in' "$ptoasm" run good.pto r1.npy out=copy.npy:f32x16x16 0
check 'what was written is read back' cmp r1.npy copy.npy
exits 0 'a grid of four blocks' "$ptoasm" run good.pto --grid=4 r1.npy out=grid.npy:f32x16x16 0
check 'blocks without an index do the same' cmp r1.npy grid.npy
for profile in a2a3 a5; do
    exits 0 "profile $profile" "$ptoasm" run --profile=$profile good.pto r1.npy out=p.npy:f32x16x16 -0.25
    [ -e one.npy ] || cp p.npy one.npy
    check "the same bytes for $profile" cmp one.npy p.npy
done

# ---- a row that is repeated must be there ----
cat >repeated.pto <<'EOF'
func.func @repeated(%y: !pto.ptr<f32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %k = arith.constant 3.0 : f32
  %s = pto.alloc_tile valid_row = %n : !pto.tile_buf<vec, 16x16xf32, valid=?x16>
  %d = pto.alloc_tile : !pto.tile_buf<vec, 16x16xf32>
  pto.texpands ins(%k : f32) outs(%s : !pto.tile_buf<vec, 16x16xf32, valid=?x16>)
  pto.tcolexpand ins(%s : !pto.tile_buf<vec, 16x16xf32, valid=?x16>) outs(%d : !pto.tile_buf<vec, 16x16xf32>)
  %v = pto.make_tensor_view %y, shape = [%c16, %c16], strides = [%c16, %c1] : !pto.tensor_view<16x16xf32>
  %p = pto.partition_view %v, offsets = [%c0, %c0], sizes = [%c16, %c16] : !pto.tensor_view<16x16xf32> -> !pto.partition_tensor_view<16x16xf32>
  pto.tstore ins(%d : !pto.tile_buf<vec, 16x16xf32>) outs(%p : !pto.partition_tensor_view<16x16xf32>)
  return
}
EOF
for profile in cpu a2a3 a5; do
    exits 0 "$profile: one row is repeated" "$ptoasm" run --profile=$profile repeated.pto zeros n=1
    exits 1 "$profile: no row is repeated" "$ptoasm" run --profile=$profile repeated.pto zeros n=0
    check "$profile: the message says so" grep -q 'repeated.pto:9: pto.tcolexpand: must hold: src: it has an element' "$work/stderr"
done
# ---- so must a column ----
sed 's/tcolexpand/trowexpand/; s/valid_row/valid_col/; s/16x16xf32, valid=?x16/16x8xf32, valid=16x?/' repeated.pto >column.pto
for profile in cpu a2a3 a5; do
    exits 0 "$profile: one column is repeated" "$ptoasm" run --profile=$profile column.pto zeros n=1
    exits 1 "$profile: no column is repeated" "$ptoasm" run --profile=$profile column.pto zeros n=0
    check "$profile: the message says so" grep -q 'column.pto:9: pto.trowexpand: must hold: src: it has an element' "$work/stderr"
done
exits 0 'a2a3: the first of two columns is repeated' "$ptoasm" run --profile=a2a3 column.pto zeros n=2

# ---- sizes from the views, names ----
exits 0 'a size that the views say' "$ptoasm" run good.pto r1.npy out=sized.npy 0
check 'it is that of the views' cmp r1.npy sized.npy
exits 0 'the other spelling of a result' "$ptoasm" run good.pto random:7 '>sized.npy' 0
check 'the same result' cmp r1.npy sized.npy
exits 0 'a result after its source' "$ptoasm" run good.pto r1.npy 'random:8>seen.npy' 0
check 'it is written over' cmp r1.npy seen.npy
exits 0 'an input that is written' "$ptoasm" run good.pto 'r3.npy>in.npy' zeros 0
check 'it is as it was' cmp r3.npy in.npy
exits 0 'by name' "$ptoasm" run good.pto s=0 y='>sized.npy' x=r1.npy
check 'by name: the same result' cmp r1.npy sized.npy
exits 0 'some by name' "$ptoasm" run good.pto %y=out=sized.npy r1.npy 0
check 'some by name: the same result' cmp r1.npy sized.npy
exits 0 'a shape without a type' "$ptoasm" run good.pto random:7:16x16 out=sized.npy:16x16 0
check 'a shape without a type: the same result' cmp r1.npy sized.npy
exits 0 'ones' "$ptoasm" run good.pto ones out=n.npy 0.5
check 'ones and a half' same elements "$(elements x4 n.npy | tr ' ' '\n' | sort -u | tr -d '\n')" 3fc00000
exits 0 'numbers from 0' "$ptoasm" run good.pto iota out=n.npy 0
check 'the last is 255' same elements "$(elements f4 n.npy | tr ' ' '\n' | sed -n '1p;2p;256p' | tr '\n' ' ')" '0 1 255 '
exits 0 'a file whose name has an equals sign' sh -c 'cp r1.npy k=1.npy && exec "$@"' sh "$ptoasm" run good.pto k=1.npy zeros 0
sed 's/%y/%out/g' good.pto >named.pto
exits 0 'a parameter called out' "$ptoasm" run named.pto out=n.npy s=0 x=r1.npy
check 'a parameter called out: its result' cmp r1.npy n.npy
exits 0 'a source for a parameter called out' "$ptoasm" run named.pto out=ones s=0 x=r1.npy
exits 0 'a size that depends on the grid' "$ptoasm" run scale_mask.pto --grid=3 random:1 '>n.npy' 1
check 'three blocks of rows' grep -aq "'shape': (96, 64)" n.npy
exits 0 'a size that depends on a number' "$ptoasm" run rows.pto ones out=n.npy n=5
check 'five rows' grep -aq "'shape': (5, 32)" n.npy
exits 0 'a list' "$ptoasm" run --list scalars.pto
check 'a list: a number' grep -q '^  %i8   int8_t     i8$' stdout
check 'a list: a pointer' grep -q '^  %o    int64_t \*  i64    ?  (no view says it)$' stdout
exits 0 'a list of one function' "$ptoasm" run --list --entry=floats scalars.pto
check 'it is that one' same functions "$(grep '^@' stdout)" '@floats, line 18'
exits 0 'a list with sizes' "$ptoasm" run --list --grid=2 scale_mask.pto
check 'a list with sizes: the grid counts' grep -q '^  %x      float \*  f32  64x64$' stdout
exits 0 'a list with a size that is not known' "$ptoasm" run --list rows.pto
check 'a list with a size that is not known: why' grep -q '^  %x  float \*  f32    ?x32  (the view depends on %n in line 4)$' stdout
exits 2 'a list with arguments' "$ptoasm" run --list good.pto zeros

# ---- numbers ----
exits 0 'integers' "$ptoasm" run scalars.pto --entry all out=i.npy:i64x4 -5 -128 65535 0x7fffffff true
check 'integers arrive' same elements "$(elements d8 i.npy)" '-5 -128 2147483647 1 '
exits 0 'floats' "$ptoasm" run scalars.pto --entry=@floats out=h.npy:f16x1 out=b.npy:bf16x1 out=d.npy:f64x1 1.00048828125 -3.140625 -inf
check 'f16 is rounded to even' same bits "$(elements x2 h.npy)" '3c00 '
check 'bf16 arrives' same bits "$(elements x2 b.npy)" 'c049 '
check 'bf16 is written as its bits' grep -aq "'<u2'" b.npy
check 'f64 arrives' same bits "$(elements x8 d.npy)" 'fff0000000000000 '
exits 0 'the largest f16 and more' "$ptoasm" run scalars.pto --entry=floats out=h.npy:f16x1 zeros:bf16x1 zeros:f64x1 65520 0 0
check 'f16 overflows to infinity' same bits "$(elements x2 h.npy)" '7c00 '
exits 0 'a subnormal f16' "$ptoasm" run scalars.pto --entry=floats out=h.npy:f16x1 zeros:bf16x1 zeros:f64x1 -6e-8 0 0
check 'f16 subnormals are rounded' same bits "$(elements x2 h.npy)" '8001 '
number() { # NAME ARGUMENTS: refused as a number
    exits 1 "$1" "$ptoasm" run scalars.pto --entry all zeros:i64x4 $2
    check "$1: the message" said '^scalars.pto:3: .* is not a number that %'
}
number 'an i8 that is too large' '0 256 0 0 0'
number 'an i8 that is too small' '0 -129 0 0 0'
number 'a negative ui16' '0 0 -1 0 0'
number 'an i32 beyond 32 bits' '0 0 0 4294967296 0'
number 'an index beyond 64 bits' '9223372036854775808 0 0 0 0'
number 'an i1 that is neither' '0 0 0 0 2'
number 'no number at all' 'many 0 0 0 0'
number 'a float for an integer' '1.5 0 0 0 0'
number 'an empty number' "0 0 0 0x 0"
number 'a NaN for an integer' '0 nan 0 0 0'
number 'a file for a number' 'i.npy 0 0 0 0'

# ---- wrong arguments ----
refused() { # NAME MESSAGE ARGUMENT: as the first argument
    exits 2 "$1" "$ptoasm" run good.pto "$3" zeros:f32x16x16 0
    check "$1: the message" said "$2"
}
refused 'a missing file' 'No such file' none.npy
refused 'a directory' 'directory' tmp
refused 'an unknown element type' 'element type' zeros:q32x16
refused 'a shape without extents' 'no shape' zeros:f32
refused 'an empty extent' 'not a shape' zeros:f32x16x
refused 'a negative extent' 'not an extent' zeros:f32x-4
refused 'a size that overflows' 'overflows' zeros:f32x4294967296x4294967296
refused 'a size beyond memory' 'out of memory' zeros:f32x1000000000x1000000000
refused 'a random buffer without a seed' 'seed' random:f32x16
refused 'random without anything' 'random:SEED' random
refused 'random without anything else' 'random:SEED' random:
refused 'a seed that is none' 'seed' random:x:f32x16
refused 'an output without a file' 'no file to write' out=
refused 'an output without a file, with a size' 'no file to write' '>:f32x16x16'
refused 'an output with a wrong size' 'element type' out=y.npy:q32x16
refused 'two sizes' 'two sizes' 'zeros:f32x16x16>y.npy:f32x16x16'
refused 'a size for a file' 'size is that of the file' 'r1.npy>y.npy:f32x16x16'
rejected() { # NAME MESSAGE ARGUMENT...
    name=$1 message=$2
    shift 2
    exits 1 "$name" "$ptoasm" run "$@"
    check "$name: the line and the message" said "^[a-z_]*.pto:[0-9][0-9]*: $message"
}
rejected 'other elements than the parameter' '%x is !pto.ptr<f32>, but .* has elements of type f16' good.pto zeros:f16x16x16 zeros:f32x16x16 0
printf 'func.func @k(%%x: !pto.ptr<f8E4M3FN>) {\n  %%v = pto.make_tensor_view %%x, shape = [4], strides = [1] : !pto.tensor_view<4xf8E4M3FN>\n  return\n}\n' >narrow.pto
exits 0 'bits for a narrow float' "$ptoasm" run narrow.pto random:1
rejected 'a size that nothing says' 'the size of %o is not known: no view says it; write it, as in .zeros:i64x16x16.' scalars.pto --entry=all zeros 1 2 3 4 1
rejected 'a number for a pointer' "%x is !pto.ptr<f32>, and '1' is a number; it takes FILE.npy" good.pto 1 zeros 0
rejected 'a name that is none' "'sclae=1': @scale_mask has no parameter %sclae; did you mean %scale?" scale_mask.pto zeros zeros sclae=1
rejected 'a name twice' "%x is given twice: 'zeros' and '%x=ones'" good.pto x=zeros %x=ones 0
rejected 'numbers that do not exist' ".*'iota' makes no elements of that type" narrow.pto iota
exits 2 'two results in one file' "$ptoasm" run good.pto out=y.npy out=y.npy 0
check 'two results in one file: the message' said "two results go to 'y.npy'"
rejected 'too few arguments' '@add takes 3 arguments, not 1:' good.pto zeros:f32x16x16
check 'the parameters are listed' said '@add(%x: !pto.ptr<f32>, %y: !pto.ptr<f32>, %s: f32)'
rejected 'too many arguments' '@add takes 3 arguments, not 4:' good.pto zeros:f32x4 zeros:f32x4 0 1
exits 2 'several functions and no --entry' "$ptoasm" run scalars.pto
check 'the functions are listed' said '@floats('
exits 2 'an unknown function' "$ptoasm" run scalars.pto --entry=none
exits 2 'a grid that is no number' "$ptoasm" run good.pto --grid=-1 zeros:f32x4 zeros:f32x4 0

# ---- .npy files ----
npy small.npy "{'descr': '<f4', 'fortran_order': False, 'shape': (16, 15), }" 960
npy good.npy "{'descr': '<f4', 'fortran_order': False, 'shape': (16, 16), }" 1024
exits 0 'a plain header' "$ptoasm" run good.pto good.npy zeros:f32x16x16 0
npy other.npy '{"shape":(256,),"fortran_order":False,"descr":"<f4"}' 1024
exits 0 'another order of keys' "$ptoasm" run good.pto other.npy zeros:f32x16x16 0
array() { # NAME MESSAGE DICTIONARY BYTES
    npy a.npy "$3" "$4"
    refused "$1" "$2" a.npy
}
array 'Fortran order' 'Fortran order' "{'descr': '<f4', 'fortran_order': True, 'shape': (16, 16), }" 1024
array 'big endian' 'big endian' "{'descr': '>f4', 'fortran_order': False, 'shape': (16, 16), }" 1024
npy a.npy "{'descr': '<f8', 'fortran_order': False, 'shape': (16, 16), }" 2048
rejected 'other elements in a file' "%x is !pto.ptr<f32>, but 'a.npy' holds elements of type '<f8', not '<f4'" good.pto a.npy zeros:f32x16x16 0
npy a.npy "{'descr': '<f2', 'fortran_order': False, 'shape': (1,), }" 2
rejected 'bits under the name of a float' ".*not '<u2' (the bits" scalars.pto --entry=floats zeros:f16x1 a.npy zeros:f64x1 0 0 0
array 'data that is cut off' 'cut off' "{'descr': '<f4', 'fortran_order': False, 'shape': (16, 16), }" 1023
array 'more than the data' 'more after' "{'descr': '<f4', 'fortran_order': False, 'shape': (16, 16), }" 1025
array 'a shape that overflows' 'overflows' "{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775807, 4), }" 16
array 'an extent beyond 64 bits' 'header' "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,), }" 16
array 'a negative extent in a file' 'header' "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }" 16
array 'a missing key' 'header' "{'descr': '<f4', 'shape': (16, 16), }" 1024
array 'a key twice' 'header' "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (16, 16), }" 1024
array 'a header that ends early' 'header' "{'descr': '<f4', 'fortran_order': False, 'shape': (16" 1024
array 'text after the header' 'header' "{'descr': '<f4', 'fortran_order': False, 'shape': (16, 16), } x" 1024
head -c 9 good.npy >cut.npy
refused 'a file of nine bytes' 'does not start' cut.npy
head -c 40 good.npy >cut.npy
refused 'a header that is cut off' 'header is cut off' cut.npy
printf '\223NUMPY\003\000' >cut.npy && tail -c +9 good.npy >>cut.npy
refused 'version 3' 'version' cut.npy
: >cut.npy
refused 'an empty file' 'does not start' cut.npy
length=$(head -c 9 good.npy | tail -c 1 | od -An -t o1 | tr -d ' ')
{ printf "\223NUMPY\002\000\\$length\000\000\000" && tail -c +11 good.npy; } >two.npy
exits 0 'version 2.0' "$ptoasm" run good.pto two.npy zeros:f32x16x16 0
{ printf '\223NUMPY\002\000\377\377\377\377' && tail -c +11 good.npy; } >cut.npy
refused 'a header of 4 GiB' 'header is cut off' cut.npy

# ---- tiles, views, bits and lanes ----
passed() { # CODE NAME ENTRY ARGUMENTS
    # shellcheck disable=SC2086
    exits "$1" "$2" "$ptoasm" run passed.pto --entry=$3 $4
}
exits 0 'parameters of every kind are listed' "$ptoasm" run --list passed.pto
for line in '%t  tile  f32  8x32' '%v  view  f32  8x32' '%m  tile       f16  16x32' '%v  view       i8   ?x4' \
    '%e  ptrt_i16x4  vector<4xi16>'; do
    check "listed: $line" grep -q "^  $line$" stdout
done
passed 0 'a tile and a view' handles 'iota out=v.npy'
passed 0 'what was stored' handles 'iota zeros --expect=v=v.npy'
passed 0 'the tile is an array too' handles 'iota zeros --expect=t=v.npy'
passed 1 'another tile' handles 'ones zeros --expect=v=v.npy'
passed 0 'a tile from a file' handles 'v.npy zeros'
rejected 'a tile of another size' ".*the array of 'zeros:4x32' does not fit 8x32" passed.pto --entry=handles zeros:4x32 zeros
rejected 'a view of another shape' ".*the array of 'zeros:32x8' does not fit 8x32" passed.pto --entry=handles zeros zeros:32x8
rejected 'a view of another rank' ".*does not fit" passed.pto --entry=handles zeros zeros:256
passed 0 'a boxed tile' boxed 'random:1 out=y.npy:2'
npy want.npy "{'descr': '<i8', 'fortran_order': False, 'shape': (2,), }" 0
printf '\020\000\000\000\000\000\000\000\040\000\000\000\000\000\000\000' >>want.npy
passed 0 'all of it is valid' boxed 'random:1 zeros:2 --expect=y=want.npy'
rejected 'extents that nobody says' ".*the size of %v is not known: its type leaves it open" passed.pto --entry=open zeros zeros:1
passed 0 'extents by the argument' open 'zeros:3x4 out=y.npy:1'
rejected 'other extents' ".*does not fit ?x4" passed.pto --entry=open zeros:3x5 zeros:1
passed 0 'a narrow float and lanes' bits '0x38 1,-2,3,65535 out=y.npy:1'
check 'its bits' sh -c "tail -c 1 y.npy | od -An -t x1 | grep -q 38"
passed 0 'one number for all lanes' bits '56 7 zeros:1'
rejected 'bits beyond eight' ".*'256' is not a number" passed.pto --entry=bits 256 7 zeros:1
rejected 'three lanes' ".*'1,2,3' is not a number" passed.pto --entry=bits 0 1,2,3 zeros:1
rejected 'five lanes' ".*'1,2,3,4,5' is not a number" passed.pto --entry=bits 0 1,2,3,4,5 zeros:1

# ---- functions of a library ----
cat >note.c <<'END'
#include <ptort.h>
int note(ptrt_core *core, int32_t *p, int32_t n);
int note(ptrt_core *core, int32_t *p, int32_t n) {
    if (n < 0) return ptrt_fail(core, PTRT_E_ARG, 5, "%d is negative", (int)n);
    *p = n + 1;
    return PTRT_OK;
}
END
check 'a library' gcc -std=c11 -shared -fPIC -I"$here/../../runtime" -o note.so note.c
exits 3 'a function that nobody defines' "$ptoasm" run linked.pto zeros:1 3
check 'the line of the function' said '^linked.pto:3: note is not defined in the program; --link=FILE.so'
exits 2 'a library that is not there' "$ptoasm" run --link=./none.so linked.pto zeros:1 3
for cc in '' gcc; do
    exits 0 "a function of a library, compiled with '$cc'" env CC=$cc "$ptoasm" run --link=./note.so linked.pto out=y.npy:1 3
    check "what it wrote, compiled with '$cc'" sh -c "tail -c 4 y.npy | od -An -t x1 | grep -q '04 00 00 00'"
    exits 1 "an error of the library, compiled with '$cc'" env CC=$cc "$ptoasm" run --link=./note.so linked.pto zeros:1 -3
    check "its text, compiled with '$cc'" said '^linked.pto:5: -3 is negative$'
done

# ---- addresses and flags in the text do not change the numbers ----
sample() { # FILE RESULT ARGUMENTS: a sample as it is, and with what the options add
    cp "$here/../../samples/$1" plain.pto
    exits 0 "$1" "$ptoasm" run --profile=a2a3 plain.pto "$2>want.npy" $3
    for option in addresses insert-sync; do
        exits 0 "$1: fmt --$option" "$ptoasm" fmt --$option --profile=a2a3 plain.pto -o added.pto
        exits 0 "$1: runs with that" "$ptoasm" run --profile=a2a3 added.pto "$2>got.npy" $3
        check "$1: the same numbers" cmp want.npy got.npy
    done
}
sample softmax/softmax_ssa.pto y=zeros:f32x64x128 'x=random:4:f32x64x128 rows=64'
sample gemm/gemm_dps.pto c=zeros:f32x128x128 'a=random:5:f16x128x256 b=random:6:f16x256x128 m=128 n=128 k=256'

# ---- what is expected of results ----
expects() { # CODE NAME OPTIONS: of the numbers 0 .. 255 plus a half, `gold.npy`
    # shellcheck disable=SC2086
    exits "$1" "expect: $2" "$ptoasm" run good.pto iota zeros $3
}
exits 0 'numbers to compare with' "$ptoasm" run good.pto iota out=gold.npy 0.5
expects 0 'equal numbers' '0.5 --expect y=gold.npy'
check 'expect: silent when all is well' silent
expects 0 'the name with %' '0.5 --expect=%y=gold.npy'
expects 1 'other numbers' '0.75 --expect=y=gold.npy'
check 'expect: how many' said "^good.pto:2: %y differs from 'gold.npy' in 256 of 256 elements$"
check 'expect: the first' said '^  first \[0, 0\]: got 0.75, want 0.5, distance 0.25 (4194304 ulp)$'
expects 0 'an absolute tolerance' '0.75 --expect=y=gold.npy --atol=0.25'
expects 1 'one that is too small' '0.75 --expect=y=gold.npy --atol=0.2499'
expects 1 'a relative tolerance' '0.75 --expect=y=gold.npy --rtol=0.01'
check 'expect: those near 0 are wrong' said ' in 25 of 256 elements$'
expects 0 'both' '0.75 --expect=y=gold.npy --atol=0.2 --rtol=0.1'
expects 0 'steps of the type' '0.75 --expect=y=gold.npy --ulp=4194304'
expects 1 'one step less' '0.75 --expect=y=gold.npy --ulp=4194303'
check 'expect: the one that is wrong' said ' in 1 of 256 elements$'
expects 1 'the input is compared too' '0.5 --expect=y=gold.npy --expect=x=gold.npy'
check 'expect: which one' said '^good.pto:2: %x differs'
check 'expect: and not the other' sh -c '! grep -q %y stderr'
exits 1 'expect: the result is written' "$ptoasm" run good.pto iota out=far.npy 1 --expect=y=gold.npy
check 'expect: and can be looked at' test -s far.npy
exits 0 'a last element that is wrong' sh -c 'head -c 1148 gold.npy >cut.npy && printf "\000\000\200\177" >>cut.npy'
expects 1 'infinity is not near' '0.5 --expect=y=cut.npy --rtol=1 --atol=1e30'
check 'expect: at the last place' said '^  first \[15, 15\]: got 255.5, want inf, distance inf'
exits 0 'a NaN' sh -c 'head -c 1148 gold.npy >cut.npy && printf "\000\000\300\177" >>cut.npy'
expects 1 'a NaN is not near' '0.5 --expect=y=cut.npy --rtol=1 --atol=1e30 --ulp=99999999'
exits 0 'a NaN is as good as another' "$ptoasm" run good.pto cut.npy zeros 0 --expect=y=cut.npy
expects 2 'a file that is missing' '0.5 --expect=y=none.npy'
expects 2 'no file' '0.5 --expect=y'
expects 2 'a negative tolerance' '0.5 --expect=y=gold.npy --atol=-1'
expects 2 'a tolerance that is no number' '0.5 --expect=y=gold.npy --rtol=nan'
expects 1 'a name that is none' '0.5 --expect=q=gold.npy'
check 'expect: the function' said '@add has no parameter %q'
expects 1 'a number' '0.5 --expect=s=gold.npy'
npy flat.npy "{'descr': '<f4', 'fortran_order': False, 'shape': (256,), }" 1024
expects 1 'another shape' '0.5 --expect=y=flat.npy'
check 'expect: the shapes' said "'flat.npy' holds 256, and %y 16x16$"
npy other.npy "{'descr': '<f8', 'fortran_order': False, 'shape': (16, 16), }" 2048
expects 1 'other elements' '0.5 --expect=y=other.npy'
exits 0 'integers' "$ptoasm" run scalars.pto --entry=all out=i.npy:i64x4 5 6 7 8 1
exits 1 'expect: integers' "$ptoasm" run scalars.pto --entry=all zeros:i64x4 5 6 7 -9 1 --expect=o=i.npy
check 'expect: integers have no ulp' said '^  first \[2\]: got -9, want 8, distance 17$'
exits 0 'expect: integers by steps' "$ptoasm" run scalars.pto --entry=all zeros:i64x4 5 6 7 -9 1 --expect=o=i.npy --ulp=17
exits 0 'halves' "$ptoasm" run scalars.pto --entry=floats out=h.npy:f16x1 out=b.npy:bf16x1 out=d.npy:f64x1 1 1 1
exits 1 'expect: halves' "$ptoasm" run scalars.pto --entry=floats zeros:f16x1 zeros:bf16x1 zeros:f64x1 1.001 1.01 1.5 --expect=h=h.npy --expect=b=b.npy --expect=d=d.npy
check 'expect: f16' said '^  first \[0\]: got 1.001, want 1, distance 0.000976562 (1 ulp)$'
check 'expect: bf16' said '^  first \[0\]: got 1.008, want 1, distance 0.0078125 (1 ulp)$'
check 'expect: f64' said '^  first \[0\]: got 1.5, want 1, distance 0.5 (2251799813685248 ulp)$'

# ---- times, threads, what a terminal shows ----
exits 0 '--time' "$ptoasm" run --time good.pto iota zeros 1
check '--time: one line' said '^ptoasm: compiled in [0-9.]* ms; 1 run in [0-9.]* ms$'
exits 0 '--time=N' "$ptoasm" run --time=5 good.pto 'iota>time.npy' zeros 1 --expect=y=far.npy
check '--time=N: best, median, worst' said '; 5 runs: best [0-9.]* ms, median [0-9.]* ms, worst [0-9.]* ms$'
printf 'func.func @add_up(%%p: !pto.ptr<i32>) {\n  %%c0 = arith.constant 0 : index\n  %%c1 = arith.constant 1 : i32\n  %%v = pto.load_scalar %%p[%%c0] : !pto.ptr<i32> -> i32\n  %%w = arith.addi %%v, %%c1 : i32\n  pto.store_scalar %%w, %%p[%%c0] : !pto.ptr<i32>, i32\n  return\n}\n' >up.pto
exits 0 'five runs on the same data' "$ptoasm" run --time=5 up.pto out=up.npy:i32x1
check 'each began with it' same elements "$(elements d4 up.npy)" '1 '
for word in 0 x -1 1000001; do
    exits 2 "--time=$word" "$ptoasm" run --time=$word good.pto zeros zeros 1
done
exits 0 '--threads' "$ptoasm" run --threads=1 scale_mask.pto --grid=4 random:1 out=t1.npy 1
exits 0 '--threads, more' "$ptoasm" run --threads 3 scale_mask.pto --grid=4 random:1 zeros 1 --expect=y=t1.npy
exits 2 '--threads=0' "$ptoasm" run --threads=0 good.pto zeros zeros 1
cat >slow.pto <<'END'
func.func @slow(%n: i64, %o: !pto.ptr<i64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i64
  %end = arith.index_cast %n : i64 to index
  %r = scf.for %i = %c0 to %end step %c1 iter_args(%a = %z) -> (i64) {
    %k = arith.index_cast %i : index to i64
    %b = arith.muli %a, %k : i64
    %c = arith.xori %b, %n : i64
    scf.yield %c : i64
  }
  pto.store_scalar %r, %o[%c0] : !pto.ptr<i64>, i64
  return
}
END
cat >terminal.py <<'END'
import os, pty, sys
code = pty.spawn(sys.argv[1:])
sys.exit(os.waitstatus_to_exitcode(code))
END
exits 0 'a short run on a terminal' python3 terminal.py "$ptoasm" run good.pto zeros zeros 1
check 'it shows nothing' silent
exits 0 'a long run without a terminal' "$ptoasm" run slow.pto 600000000 zeros:1
check 'a long run without a terminal shows nothing' silent
exits 0 'a long run on a terminal' python3 terminal.py "$ptoasm" run slow.pto 600000000 zeros:1
check 'it shows the seconds and removes them' sh -c "cat -v stdout | grep -q 'ptoasm: running, 1 s.*^M^\[\[K'"

# ---- legal, and nothing to run ----
# The example of the first instruction that is not emitted, of those that a module may hold.
missing=$("$ptoasm" explain --list --format=json |
    jq -r '[.instructions[] | select((.emitted or .deprecated or .alias_of) | not) | .name][0] // empty')
if [ -n "$missing" ]; then
    "$ptoasm" explain --format=json "$missing" | jq -r '"// ptoasm: " + .example.profile + "\n" + .example.text' >none.pto
    profile=$(sed -n '1s|// ptoasm: ||p' none.pto)
    exits 0 'an instruction without a kernel is legal' "$ptoasm" check --profile="$profile" none.pto
    exits 3 'an instruction without a kernel' "$ptoasm" run --profile="$profile" none.pto
    check 'an instruction without a kernel: the line' said '^none.pto:[0-9]*:[0-9]*: error: .*\[no-kernel\]'
    exits 3 'the same emitted' "$ptoasm" emit --profile="$profile" none.pto -o none.c
    check 'nothing is written' test ! -e none.c
else
    skip 'an instruction without a kernel' 'every instruction has one'
fi
printf 'func.func @k(%%a: memref<4xf32>) {\n  return\n}\n' >memref.pto
exits 3 'a parameter without a form in C' "$ptoasm" run --compat=ptoas memref.pto 1
printf 'func.func @k(%%a: i32) -> i32 {\n  return %%a : i32\n}\n' >inner.pto
exits 3 'no function to run' "$ptoasm" run inner.pto 1
printf 'func.func @k(%%a: i32,\n            %%t: !pto.async_session) {\n  return\n}\n' >session.pto
exits 3 'a session for an argument' "$ptoasm" run session.pto 1 1
check 'a session for an argument: the line' said "^session.pto:2: 'run' cannot pass anything to %t"
exits 1 'an illegal program' "$ptoasm" run --profile=a2a3 txors.pto zeros zeros

# ---- memory that is not there ----
outside='the view reaches outside every buffer'
rejected 'a buffer of less than the view' "pto.tload: $outside" good.pto zeros:f32x16x15 out=o.npy:f32x16x16 0
rejected 'a buffer of one byte' "pto.tload: $outside" good.pto zeros:f32x1 out=o.npy:f32x16x16 0
rejected 'a buffer without elements' "pto.tload: $outside" good.pto zeros:f32x0 out=o.npy:f32x16x16 0
rejected 'a result of less than the view' "pto.tstore: $outside" good.pto zeros:f32x16x16 out=o.npy:f32x255 0
rejected 'a file of less than the view' "pto.tload: $outside" good.pto small.npy zeros:f32x16x16 0
rejected 'a result without elements' 'pto.store_scalar: element 0 lies outside every buffer' scalars.pto --entry=all zeros:i64x0 1 2 3 4 1
rejected 'a result that ends early' 'pto.store_scalar: element 3 lies outside every buffer' scalars.pto --entry=all out=o.npy:i64x3 1 2 3 4 1
rejected 'a grid beyond the buffers' "pto.t[a-z]*: $outside" scale_mask.pto --grid=3 zeros:f32x64x64 zeros:f32x64x64 1
rejected 'the largest grid' "pto.t[a-z]*: $outside" scale_mask.pto --grid=2147483647 zeros:f32x64x64 zeros:f32x64x64 1
check 'what the views take' said "^scale_mask.pto:[0-9]*: note: %x holds 64x64, this view takes 68719476704x64$"
rejected 'one of two is too small' "pto.tload: $outside" good.pto zeros:8x16 ones 0
check 'that one is named' same notes "$(grep note stderr)" 'good.pto:7: note: %x holds 8x16, this view takes 16x16'
reach() { # NAME MESSAGE NUMBERS: rows, cols, pitch, step, from, take, into
    # shellcheck disable=SC2086
    rejected "$1" "$2" reach.pto iota:64 zeros:256 $3
}
exits 0 'rows and columns from the end' "$ptoasm" run reach.pto iota:64 out=n.npy:256 4 4 -8 -1 63 0 255
check 'rows and columns from the end: the numbers' same elements "$(elements f4 n.npy | cut -d' ' -f1-5)" '63 62 61 60 55'
reach 'a pitch beyond the buffer' "pto.tload: $outside" '4 4 32 1 0 0 0'
reach 'a step beyond the buffer' "pto.tload: $outside" '1 9 0 8 0 0 0'
reach 'a step that wraps around memory' "pto.tload: $outside" '1 9 8 2305843009213693952 0 0 0'
reach 'the lowest step' "pto.tload: $outside" '1 2 8 -9223372036854775808 0 0 0'
reach 'a view before the buffer' "pto.tload: $outside" '1 1 1 1 -1 0 0'
reach 'an element before the buffer' 'pto.load_scalar: element -1 lies outside every buffer' '1 1 1 1 0 -1 0'
reach 'an element that wraps around memory' 'pto.load_scalar: element 4611686018427387904 lies' '1 1 1 1 0 4611686018427387904 0'
reach 'a result past the buffer' 'pto.store_scalar: element 256 lies outside every buffer' '1 1 1 1 0 0 256'
reach 'more rows than the tile has' '.*valid.*17' '17 1 1 1 0 0 0'
reach 'rows below zero' '.*-1' '-1 1 1 1 0 0 0'
exits 0 'no rows touch nothing' "$ptoasm" run reach.pto iota:64 zeros:256 0 16 99999 99999 99999 0 0
check 'no result of a run that failed' test ! -e o.npy
run "$ptoasm" run --unchecked good.pto zeros:f32x1 zeros:f32x1 0
check 'without checks the run ends at the edge of the buffer' test "$code" != 0

# ---- statements outside of functions ----
printf 'module {\n.arg %%a : i32\n%%b = arith.addi %%a, %%a : i32\n}\n' >bare.pto
exits 0 'statements in a module' env CC='cc -Werror=return-type' "$ptoasm" run bare.pto 1

# ---- outputs, the compiler ----
exits 2 'the second of two results cannot be written' "$ptoasm" run good.pto out=first.npy:f32x16x16 out=nowhere/y.npy:f32x16x16 0
check 'the first is not there either' test ! -e first.npy
rm -f y.npy
exits 2 'a result that cannot be written' "$ptoasm" run good.pto zeros:f32x16x16 out=nowhere/y.npy:f32x16x16 0
export CC=nonesuch
exits 2 'a compiler that is missing' "$ptoasm" run good.pto zeros:f32x16x16 out=y.npy:f32x16x16 0
check 'the compiler is named' said "'nonesuch'"
export CC=false
exits 2 'a compiler that fails' "$ptoasm" run good.pto zeros:f32x16x16 out=y.npy:f32x16x16 0
check 'no result without a run' test ! -e y.npy
export CC='cc -O1'
exits 0 'a compiler with options' "$ptoasm" run good.pto zeros:f32x16x16 zeros:f32x16x16 0
unset CC
exits 2 'a wrong folder of the runtime' env PTOASM_RUNTIME="$work" "$ptoasm" run good.pto zeros:f32x16x16 zeros:f32x16x16 0
check 'the variable is named' said PTOASM_RUNTIME
cat >who.pto <<'END'
func.func @who(%__pypto_spmd_block_idx: i32, %n: index, %__pypto_spmd_block_num: i32, %out: !pto.ptr<i32>) attributes {pto.entry} {
  %i = arith.index_cast %__pypto_spmd_block_idx : i32 to index
  %v = arith.subi %__pypto_spmd_block_num, %__pypto_spmd_block_idx : i32
  pto.store_scalar %v, %out[%i] : !pto.ptr<i32>, i32
  return
}
END
exits 0 'parameters of the block' "$ptoasm" run --grid=3 --print=%v who.pto 0 zeros:3
check 'take no argument, every core gets its own' same values "$(cat stdout)" '%v, line 5: 3, block 0
%v, line 5: 2, block 1
%v, line 5: 1, block 2'
exits 0 'they are not listed' "$ptoasm" run --list who.pto
check 'the others are' same parameters "$(grep -c '^  %' stdout)" 2
for text in block_idx block_num subblock_idx; do
    "$ptoasm" run --help >stdout
    check "the help names %__pypto_spmd_$text" grep -q "%__pypto_spmd_$text" stdout
done
exits 2 'no scratch folder' env TMPDIR="$work/none" "$ptoasm" run --cc=cc good.pto zeros:f32x16x16 zeros:f32x16x16 0
for compiler in tcc gcc clang 'gcc -O1' "cc	-O3"; do
    if command -v "${compiler%%[ 	]*}" >/dev/null; then
        exits 0 "--cc=$compiler" "$ptoasm" run --cc="$compiler" good.pto r1.npy out=cc.npy 0.5
        exits 0 'the compiler that is linked in, or the usual one' "$ptoasm" run good.pto r1.npy out=own.npy 0.5
        check "--cc=$compiler: the same bytes" cmp cc.npy own.npy
    else
        skip "--cc=$compiler" 'not installed'
    fi
done
exits 2 '--cc: a compiler that is missing' "$ptoasm" run --cc='nonesuch -O2' good.pto zeros zeros 0
check '--cc: the compiler is named' said "cannot start the C compiler 'nonesuch -O2': No such file"
exits 0 '--cc beats CC' env CC=nonesuch "$ptoasm" run --cc=cc good.pto zeros zeros 0
exits 2 '--cc: no compiler' "$ptoasm" run --cc= good.pto zeros zeros 0
check 'the scratch folders are gone' same files "$(ls -A tmp)" ''

# ---- ranks ----
cp "$here/../../samples/allreduce/allreduce.pto" .
sum_ranks() {
    "$ptoasm" run --ranks=2 allreduce.pto "$@"
}
exits 0 'ranks' sum_ranks ctx=window:20480 x=random:@:f32x2048 'y=>sum@.npy:f32x2048'
check 'both have the sum' cmp sum0.npy sum1.npy
exits 0 'ranks, as expected' "$ptoasm" run --ranks=2 --expect=y=sum@.npy allreduce.pto ctx=window:20480 \
    x=random:@:f32x2048 y=zeros:f32x2048
exits 1 'ranks, not as expected' "$ptoasm" run --ranks=2 --expect=y=sum0.npy allreduce.pto ctx=window:20480 \
    x=random:7:f32x2048 y=zeros:f32x2048
exits 1 'a window that is too small' sum_ranks ctx=window:8192 x=ones:f32x2048 y=zeros:f32x2048
check 'it names the rank and the line' said 'allreduce.pto:[0-9]*: rank [01]: pto.comm.tput: dst reaches outside'
exits 2 'no room for a window' sum_ranks ctx=window:1000000000000000000 x=ones:f32x2048 y=zeros:f32x2048
check 'it says so' said 'out of memory for a window'
exits 1 'a window for floats' sum_ranks ctx=window:8192 x=window:8192 y=zeros:f32x2048
check 'it says so' said 'has addresses, of 64 bits'
exits 2 'one file for two results' sum_ranks ctx=window:20480 x=ones:f32x2048 'y=>one.npy:f32x2048'
check 'it says how' said 'results of ranks 0 and 1 go to'
exits 2 'a window without ranks' "$ptoasm" run allreduce.pto ctx=window:8192 x=ones:f32x2048 y=zeros:f32x2048
exits 2 'a window without a size' sum_ranks ctx=window:x x=ones:f32x2048 y=zeros:f32x2048
exits 2 'times of ranks' sum_ranks --time ctx=window:20480 x=ones:f32x2048 y=zeros:f32x2048
exits 2 'no rank' "$ptoasm" run --ranks=0 allreduce.pto

tap_end
