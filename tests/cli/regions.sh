#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ptoasm check and run: windows and valid regions that are legal on the chips, and the ones beside them
# that are not: regions.sh PTOASM
set -u
ptoasm=$1
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../tap.sh"
cd "$work" || exit 2

# The elements of a .npy file of floats.
floats() { # FILE
    od -An -v -t f4 -j 128 "$1" | tr -s ' \n' ' ' | sed 's/^ //; s/ $//'
}

# ---- windows of tiles: only the valid region must lie in the source ----
cat >tile.pto <<'END'
!t = !pto.tile_buf<vec, 4x8xf32>
!w = !pto.tile_buf<vec, 4x8xf32, valid=?x?>
!v = !pto.tensor_view<4x8xf32>
!p = !pto.partition_tensor_view<4x8xf32>
func.func @k(%x: !pto.ptr<f32>, %row: index, %col: index, %rows: index, %cols: index) attributes {pto.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %xv = pto.make_tensor_view %x, shape = [%c4, %c8], strides = [%c8, %c1] : !v
  %xp = pto.partition_view %xv, offsets = [%c0, %c0], sizes = [%c4, %c8] : !v -> !p
  %t = pto.alloc_tile : !t
  pto.texpands ins(%zero : f32) outs(%t : !t)
  %w = pto.subview %t[%row, %col] sizes [4, 8] valid [%rows, %cols] : !t -> !w
  pto.texpands ins(%one : f32) outs(%w : !w)
  pto.tstore ins(%t : !t) outs(%xp : !p)
  return
}
END
tile() { # NAME CODE ROW COL ROWS COLS
    for how in '' --unchecked --sanitize; do
        exits "$2" "a window of a tile: $1 $how" "$ptoasm" run $how tile.pto '>x.npy' "$3" "$4" "$5" "$6"
    done
}
tile 'at the end' 0 2 4 2 4
check 'it has the elements of its valid region' same elements "$(floats x.npy | tr -d ' ')" \
    00000000000000000000111100001111
tile 'empty, after the end' 0 4 8 0 4
check 'it has no elements' same elements "$(floats x.npy | tr -d ' ')" 00000000000000000000000000000000
tile 'empty, far away' 0 100 -100 3 0
tile 'whose valid rows leave' 1 2 0 3 4
check 'a message' said 'tile.pto:16: pto.subview: 3x4 valid elements at (2, 0) leave the 4x8 source'
tile 'whose valid columns leave' 1 0 5 4 4
tile 'before the start' 1 -1 0 1 1
tile 'with more valid rows than rows' 1 0 0 5 8

# ---- windows of views: their elements are elements of the view ----
cat >view.pto <<'END'
!t = !pto.tile_buf<vec, 8x8xf32, valid=?x8>
!v = !pto.tensor_view<?x?x?xf32>
!p = !pto.partition_tensor_view<1x?x8xf32>
func.func @k(%x: !pto.ptr<f32>, %pitch: index, %block: index, %row: index, %rows: index, %y: !pto.ptr<f32>) attributes {pto.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %xv = pto.make_tensor_view %x, shape = [%c2, %c3, %c8], strides = [%pitch, %c8, %c1] : !v
  %yv = pto.make_tensor_view %y, shape = [%c1, %c8, %c8], strides = [%pitch, %c8, %c1] : !v
  %xp = pto.partition_view %xv, offsets = [%block, %row, %c0], sizes = [%c1, %rows, %c8] : !v -> !p
  %yp = pto.partition_view %yv, offsets = [%c0, %c0, %c0], sizes = [%c1, %rows, %c8] : !v -> !p
  %t = pto.alloc_tile valid_row = %rows : !t
  pto.tload ins(%xp : !p) outs(%t : !t)
  pto.tstore ins(%t : !t) outs(%yp : !p)
  return
}
END
view() { # NAME CODE PITCH BLOCK ROW ROWS
    exits "$2" "a window of a view: $1" "$ptoasm" run view.pto iota:f32x64 "$3" "$4" "$5" "$6" '>y.npy:64'
}
view 'the rows of two blocks' 0 24 0 1 5
check 'it continues in the next block' same 'first elements of rows' \
    "$(floats y.npy | tr ' ' '\n' | sed -n '1p;9p;17p;25p;33p;41p' | tr '\n' ' ')" '8 16 24 32 40 0 '
view 'one row more than there are' 1 24 0 1 6
check 'a message' said 'view.pto:12: pto.partition_view: offset 1 + size 6 leaves dimension 1 (3)'
view 'the rows of the last block' 0 24 1 0 3
view 'beyond the last block' 1 24 1 1 3
view 'over a gap between blocks' 1 32 0 1 5
view 'before a gap between blocks' 0 32 0 1 2
view 'empty, after the end' 0 24 2 9 0
view 'of a negative number of rows' 1 24 0 0 -1

# ---- reshapes: a column of n elements is a row of n; what does not fit is set before it is used ----
reshaped() { # FROM EXTENTS TO STATEMENT: stores the valid extents of the result
    cat >reshape.pto <<END
!from = !pto.tile_buf<vec, $1>
!to = !pto.tile_buf<vec, $3>
func.func @k(%x: !pto.ptr<i64>, %n: index) attributes {pto.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %from = pto.alloc_tile $2 : !from
  %to = pto.treshape %from : !from -> !to
  $4
  %r, %c = pto.get_validshape %to : !to
  %rows = arith.index_cast %r : index to i64
  %cols = arith.index_cast %c : index to i64
  pto.store_scalar %rows, %x[%c0] : !pto.ptr<i64>, i64
  pto.store_scalar %cols, %x[%c1] : !pto.ptr<i64>, i64
  return
}
END
}
valid() { # NAME N ROWS COLS C++
    exits 0 "a reshape: $1" "$ptoasm" run reshape.pto '>x.npy:2' "$2"
    check 'its valid region' same extents "$(od -An -v -t d8 -j 128 x.npy | xargs)" "$3 $4"
    exits 0 "C++: $1" "$ptoasm" emit --to=cpp reshape.pto -o reshape.cpp
    check 'C++: the same' grep -q " to = Tile<.*>($5);" reshape.cpp
}
column=16x1xf32,\ blayout=col_major
set_it='pto.set_validshape %to, %c1, %n : !to'
fill_it='pto.texpands ins(%one : f32) outs(%to : !to)'
turned='from.GetValidCol(), from.GetValidRow()' straight='from.GetValidRow(), from.GetValidCol()'
reshaped "$column, valid=?x1" 'valid_row = %n' '1x16xf32, valid=?x?' "$fill_it"
valid 'a column as a row' 5 1 5 "$turned"
reshaped "$column, valid=?x1" 'valid_row = %n' '1x16xf32, valid=1x?' "$fill_it"
valid 'a column as a row, whose rows are known' 5 1 5 'from.GetValidRow()'
reshaped '1x16xf32, valid=1x?' 'valid_col = %n' "$column, valid=?x?" ''
valid 'a row as a column' 3 3 1 "$turned"
reshaped '1x16xf32, valid=?x?' 'valid_row = %c1 valid_col = %n' "$column, valid=?x1" ''
valid 'a row as a column, whose columns are known' 3 3 1 'from.GetValidCol()'
reshaped "$column, valid=?x1" 'valid_row = %n' '1x16xf32, valid=?x?' "$set_it"
valid 'a column as a row, set later' 7 1 7 "$turned"
reshaped '4x8xf32, valid=?x?' 'valid_row = %n valid_col = %c1' '4x8xf32, valid=?x?' "$fill_it"
valid 'the same shape' 3 3 1 "$straight"
reshaped '4x8xf32, valid=?x8' 'valid_row = %n' '1x32xf32, valid=?x?' "$set_it"
valid 'rows as one row, set later' 3 1 3 "$straight"
reshaped '4x8xf32, valid=?x8' 'valid_row = %n' '1x32xf32, valid=?x?' "$fill_it"
valid 'rows as one row, where they fit' 1 1 8 "$straight"
exits 1 'rows as one row, never set' "$ptoasm" run reshape.pto '>x.npy:2' 2
check 'a message' said 'reshape.pto:9: pto.texpands: valid region 2x8 of dst exceeds its shape 1x32'
exits 1 'the same, printed' "$ptoasm" run --print=%to@8 reshape.pto '>x.npy:2' 2
check 'it has no elements' grep -q '^%to, line 8: 1x32xf32 in vec, row_major/none_box, valid 2x8, which it cannot have$' stdout
reshaped '4x8xf32, valid=?x8' 'valid_row = %n' '1x32xf32, valid=1x?' "$fill_it"
valid 'rows as one row, whose rows are known' 3 1 8 'from.GetValidCol()'

# ---- scalars of another type than the tile: the call converts them, as arith does ----
converted() { # INSTRUCTION SCALAR TYPE CONVERSION
    for as in own other; do
        case $as in
        own) convert="%k = $4 %s : $2 to $3" k=$3 ;;
        other) convert= k=$2 ;;
        esac
        used=%k
        [ $as = own ] || used=%s
        cat >$as.pto <<END
!t = !pto.tile_buf<vec, 2x16x$3>
!v = !pto.tensor_view<2x16x$3>
!p = !pto.partition_tensor_view<2x16x$3>
func.func @k(%x: !pto.ptr<$3>, %s: $2) attributes {pto.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %v = pto.make_tensor_view %x, shape = [%c2, %c16], strides = [%c16, %c1] : !v
  %p = pto.partition_view %v, offsets = [%c0, %c0], sizes = [%c2, %c16] : !v -> !p
  %t = pto.alloc_tile : !t
  %u = pto.alloc_tile : !t
  $convert
  pto.tload ins(%p : !p) outs(%t : !t)
  pto.$1 ins(%t, $used : !t, $k) outs(%u : !t)
  pto.tstore ins(%u : !t) outs(%p : !p)
  return
}
END
        exits 0 "pto.$1 of $3 and $k" "$ptoasm" run $as.pto "iota>$as.npy" "$5"
        exits 0 "C++: pto.$1 of $3 and $k" "$ptoasm" emit --to=cpp $as.pto -o $as.cpp
    done
    check 'a warning' said "other.pto:15:.*: warning: pto.$1: scalar has type $2, but the element type of src is $3; it is converted \[scalar-mismatch\]"
    check 'the same elements' cmp own.npy other.npy
}
converted tsubs i32 f32 arith.sitofp -3
converted tsubs f32 i32 arith.fptosi 2.75
converted tmuls f32 f16 arith.truncf 0.1
converted tmaxs f16 f32 arith.extf 7.5
converted tmins i32 i16 arith.trunci 65546
converted tdivs i16 f32 arith.sitofp 3
converted tsubs i8 i32 arith.extsi -7
tap_end
