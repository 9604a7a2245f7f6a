#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ptoasm run --print: print.sh PTOASM
set -u
ptoasm=$1
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../tap.sh"
cp "$here/shown.pto" "$here/shown_ssa.pto" "$here/kinds.pto" "$here/good.pto" "$work"
cd "$work" || exit 2

# The last command printed exactly this.
prints() {
    printf '%s\n' "$1" | diff - stdout
}

# ---- tiles ----
exits 0 'a tile of a loop' "$ptoasm" run --print=%t shown.pto iota zeros 3
check 'in each iteration, the valid region first, then what is beyond it' prints '%t, line 20: 8x16xf32 in vec, row_major/none_box, valid 3x11
           0   1   2   3  ...   7   8   9  10  |  11  12
       0   0   1   2   3  ...   7   8   9  10  |   0   0
       1  16  17  18  19  ...  23  24  25  26  |   0   0
       2  32  33  34  35  ...  39  40  41  42  |   0   0
      --
       3   0   0   0   0  ...   0   0   0   0  |   0   0
       4   0   0   0   0  ...   0   0   0   0  |   0   0
%t, line 20: 8x16xf32 in vec, row_major/none_box, valid 3x11
           0   1   2   3  ...   7   8   9  10  |  11  12
       0   0   1   2   3  ...   7   8   9  10  |   0   0
       1  16  17  18  19  ...  23  24  25  26  |   0   0
       2  32  33  34  35  ...  39  40  41  42  |   0   0
      --
       3   0   0   0   0  ...   0   0   0   0  |   0   0
       4   0   0   0   0  ...   0   0   0   0  |   0   0'
exits 0 'a tile of the function' "$ptoasm" run --print=%s shown.pto iota zeros 3
check 'when it returns' prints '%s, line 23: 8x16xf32 in vec, row_major/none_box, valid 3x11
           0   1   2   3  ...   7   8   9  10  |  11  12
       0   0   2   4   6  ...  14  16  18  20  |   0   0
       1  32  34  36  38  ...  46  48  50  52  |   0   0
       2  64  66  68  70  ...  78  80  82  84  |   0   0
      --
       3   0   0   0   0  ...   0   0   0   0  |   0   0
       4   0   0   0   0  ...   0   0   0   0  |   0   0'
exits 0 'after a line, of a loop and before it' "$ptoasm" run --print=%i@20 --print s@16 shown.pto iota zeros 3
check 'a number, and a tile that is still empty' prints '%s, line 16: 8x16xf32 in vec, row_major/none_box, valid 3x11
          0  1  2  3  ...  7  8  9  10  |  11  12
       0  0  0  0  0  ...  0  0  0   0  |   0   0
       1  0  0  0  0  ...  0  0  0   0  |   0   0
       2  0  0  0  0  ...  0  0  0   0  |   0   0
      --
       3  0  0  0  0  ...  0  0  0   0  |   0   0
       4  0  0  0  0  ...  0  0  0   0  |   0   0
%i, line 20: 0
%i, line 20: 1'
exits 0 'an empty valid region' "$ptoasm" run --print=%s shown.pto iota zeros 0
check 'has nothing in front of the mark' grep -q 'valid 0x11$' stdout
exits 0 'a grid' "$ptoasm" run --grid=3 --print=%n shown.pto iota zeros 3
check 'names the block, in order' prints '%n, line 23: 3, block 0
%n, line 23: 3, block 1
%n, line 23: 3, block 2'

# ---- values ----
exits 0 'the SSA form' "$ptoasm" run --print=%b --print=%d@16 shown_ssa.pto iota zeros 0.5
check 'a value is kept until it is printed' prints '%d, line 16: 2x8xf32 in vec, row_major/none_box
              0      1       2       3       4       5       6       7
       0   0.75   3.75    8.75   15.75   24.75   35.75   48.75   63.75
       1  80.75  99.75  120.75  143.75  168.75  195.75  224.75  255.75
%b, line 19: 2x8xf32 in vec, row_major/none_box
            0    1     2     3     4     5     6     7
       0  0.5  1.5   2.5   3.5   4.5   5.5   6.5   7.5
       1  8.5  9.5  10.5  11.5  12.5  13.5  14.5  15.5'
cp stdout ssa
exits 0 'planned memory of a chip' "$ptoasm" run --profile=a5 --print=%b --print=%d@16 shown_ssa.pto iota zeros 0.5
check 'the same' diff ssa stdout

# ---- element types, layouts ----
cat >every.sh <<'END'
for t in i8 i16 i32 i64 ui8 ui16 ui32 ui64 f16 bf16 f32 f8E4M3 f8E4M3FN f8E5M2 '!pto.hif8' '!pto.f8E8M0' '!pto.f4E2M1x2' '!pto.f4E1M2x2'; do
    sed "s/ELEM/$t/g" kinds.pto >kind.pto
    "$1" run --profile=cpu --print=%t kind.pto zeros:2x32 >out 2>err || { echo "$t"; cat err; exit 1; }
    grep -q "^%t, line [0-9]*: 2x32x${t#!pto.} in vec, row_major/none_box$" out || { echo "$t"; cat out; exit 1; }
    [ "$(wc -l <out)" -eq 4 ] || { echo "$t"; cat out; exit 1; }
done
END
check 'every element type' sh every.sh "$ptoasm"

# ---- what cannot be printed ----
refused() { # NAME MESSAGE ARG...
    name=$1
    message=$2
    shift 2
    exits 1 "$name" "$ptoasm" run "$@" shown.pto iota zeros 3
    check "$name: what is said" grep -q -- "$message" stderr
    check "$name: nothing runs" test ! -s stdout
}
refused 'an unknown name' 'there is no %tt; did you mean %t? \[undefined-value\]' --print=%tt
refused 'a name that is like no other' 'there is no %qqqqqq \[' --print=%qqqqqq
refused 'a view' "%xp is a '!part', no tile, register or number" --print=%xp
refused 'a line without a statement' 'shown.pto:2:1: .*no statement of a function is in this line' --print=%t@2
refused 'a line beyond the text' 'no statement of a function is in this line' --print=%t@9000
refused 'a line before the value' '%s is not defined by the end of this line' --print=%s@10
exits 2 'a line that is no number' "$ptoasm" run --print=%t@x shown.pto iota zeros 3
exits 2 'line 0' "$ptoasm" run --print=%t@0 shown.pto iota zeros 3
exits 2 'no name' "$ptoasm" run --print=% shown.pto iota zeros 3

# ---- pto.tprint ----
cat >tprint.pto <<'END'
func.func @k(%x: !pto.ptr<f32>) attributes {pto.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c40 = arith.constant 40 : index
  %xv = pto.make_tensor_view %x, shape = [%c40, %c40], strides = [%c40, %c1] : !pto.tensor_view<40x40xf32>
  %xp = pto.partition_view %xv, offsets = [%c0, %c0], sizes = [%c40, %c40] : !pto.tensor_view<40x40xf32> -> !pto.partition_tensor_view<40x40xf32>
  %t = pto.tload %xp : !pto.partition_tensor_view<40x40xf32> -> !pto.tile<vec, 40x40xf32>
  pto.tprint ins(%t : !pto.tile<vec, 40x40xf32>)
  pto.tprint ins(%xp : !pto.partition_tensor_view<40x40xf32>)
  return
}
END
exits 0 'pto.tprint of a large tile and a large view' "$ptoasm" run tprint.pto iota
check 'corners' sh -c 'grep -c " [0-9.]* \.\.\. .* [0-9.]*$" stdout | grep -qx 32 && grep -c "^\.\.\.$" stdout | grep -qx 2'
check 'tile and view alike' sh -c 'head -n 18 stdout >a && tail -n 18 stdout | diff a -'
tap_end
