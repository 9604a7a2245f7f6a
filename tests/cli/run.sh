#!/bin/sh
# ptoasm run: arguments, .npy files, the compiler: run.sh PTOASM
set -u
ptoasm=$1
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../tap.sh"
cp "$here/good.pto" "$here/scalars.pto" "$work"
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
    [ -e first.npy ] || cp p.npy first.npy
    check "the same bytes for $profile" cmp first.npy p.npy
done

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
    exits 2 "$1" "$ptoasm" run scalars.pto --entry all zeros:i64x4 $2
    check "$1: the message" said 'is no number that parameter %'
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

# ---- wrong arguments ----
refused() { # NAME MESSAGE ARGUMENT: as the first argument
    exits 2 "$1" "$ptoasm" run good.pto "$3" zeros:f32x16x16 0
    check "$1: the message" said "$2"
}
refused 'a missing file' 'No such file' none.npy
refused 'a directory' 'directory' tmp
refused 'an unknown element type' 'element type' zeros:q32x16
refused 'a shape without extents' 'no shape' zeros:f32
refused 'an empty extent' 'no shape' zeros:f32x16x
refused 'a negative extent' 'no extent' zeros:f32x-4
refused 'a size that overflows' 'overflows' zeros:f32x4294967296x4294967296
refused 'a size beyond memory' 'out of memory' zeros:f32x1000000000x1000000000
refused 'a random buffer without a seed' 'random:SEED' random:f32x16
refused 'a seed that is none' 'seed' random:x:f32x16
refused 'an output without a shape' 'out=FILE' out=y.npy
refused 'other elements than the parameter' 'f16.*f32' zeros:f16x16x16
exits 2 'too few arguments' "$ptoasm" run good.pto zeros:f32x16x16
check 'the parameters are listed' said '@add(%x: !pto.ptr<f32>, %y: !pto.ptr<f32>, %s: f32)'
exits 2 'too many arguments' "$ptoasm" run good.pto zeros:f32x4 zeros:f32x4 0 1
exits 2 'several functions and no --entry' "$ptoasm" run scalars.pto
check 'the functions are listed' said '@floats('
exits 2 'an unknown function' "$ptoasm" run scalars.pto --entry=none
exits 2 'a grid that is no number' "$ptoasm" run good.pto --grid=-1 zeros:f32x4 zeros:f32x4 0

# ---- .npy files ----
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
array 'other elements in a file' "'<f8'" "{'descr': '<f8', 'fortran_order': False, 'shape': (16, 16), }" 2048
array 'data that is cut off' 'cut off' "{'descr': '<f4', 'fortran_order': False, 'shape': (16, 16), }" 1023
array 'more than the data' 'more behind' "{'descr': '<f4', 'fortran_order': False, 'shape': (16, 16), }" 1025
array 'a shape that overflows' 'overflows' "{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775807, 4), }" 16
array 'an extent beyond 64 bits' 'header' "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,), }" 16
array 'a negative extent in a file' 'header' "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }" 16
array 'a missing key' 'header' "{'descr': '<f4', 'shape': (16, 16), }" 1024
array 'a key twice' 'header' "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (16, 16), }" 1024
array 'a header that ends early' 'header' "{'descr': '<f4', 'fortran_order': False, 'shape': (16" 1024
array 'text behind the header' 'header' "{'descr': '<f4', 'fortran_order': False, 'shape': (16, 16), } x" 1024
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

# ---- outputs, the compiler ----
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
exits 2 'no scratch folder' env TMPDIR="$work/none" "$ptoasm" run good.pto zeros:f32x16x16 zeros:f32x16x16 0
check 'the scratch folders are gone' same files "$(ls -A tmp)" ''

tap_end
