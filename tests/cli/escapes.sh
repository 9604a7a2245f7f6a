#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Text of a program, or of a file, reaches the terminal only as text: no control character of it ends
# a line, moves the cursor or starts a colour. escapes.sh PTOASM
set -u
ptoasm=$1
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../tap.sh"
cd "$work" || exit 2
esc=$(printf '\033')

# clean NAME FILE...: nothing but printable text and line ends.
clean() {
    what=$1
    shift
    check "$what: no control characters" sh -c '! cat "$@" | LC_ALL=C grep -q "[^ -~]"' sh "$@"
    check "$what: no forged line" sh -c '! cat "$@" | grep -q "^forged"' sh "$@"
}

cat >assert.pto <<'END'
func.func @k(%x: !pto.ptr<f32>, %n: i32) attributes {pto.entry} {
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c10 = arith.constant 10 : index
  %c19 = arith.constant 19 : index
  %v = pto.make_tensor_view %x, shape = [%c10, %c8], strides = [%c19, %c1] : !pto.tensor_view<10x8xf32>
  %c0 = arith.constant 0 : i32
  %fine = arith.cmpi eq, %n, %c0 : i32
  cf.assert %fine, "n\0aforged.pto:1:1: error\1b[31m \7f \c2\9b"
  return
}
END
exits 1 'cf.assert' "$ptoasm" run assert.pto zeros:f32x179 1
clean 'cf.assert' stderr
check 'its text is readable' said 'cf.assert: n\\0Aforged.pto:1:1: error\\1B\[31m \\7F \\C2\\9B$'
check 'no note where the array is long enough' same notes "$(grep -c note: stderr)" 0
exits 1 'an array that is too short' "$ptoasm" run assert.pto zeros:f32x178 1
check 'gets the note' said 'note: %x holds 178, this view takes 10x19'

# The names of functions, in every format.
cat >names.pto <<'END'
func.func @"a\0Aforged\1B[31m"(%x: i32) attributes {pto.entry} {
  %t = pto.alloc_tile : !pto.tile_buf<vec, 16x16xf32>
  func.call @"b\0Aforged\1B[31m\E2\80\AE"() : () -> ()
  return
}
func.func @c(%x: i32) attributes {pto.entry} {
  return
}
END
for format in text json sarif github; do
    exits 1 "check --format=$format" "$ptoasm" check --format=$format names.pto
    clean "check --format=$format" stdout stderr
    check "check --format=$format: no escape for others to decode" \
        sh -c '! cat stdout stderr | grep -i -e "@[ab]\\\\n" -e "@[ab]%0A" -e "u001b"'
done
grep -v call names.pto >legal.pto
exits 0 'run --list' "$ptoasm" run --list legal.pto
clean 'run --list' stdout
exits 2 'a choice of functions' "$ptoasm" run legal.pto 1
clean 'a choice of functions' stderr
exits 0 'map' "$ptoasm" map legal.pto
clean 'map' stdout

# A header of an array.
{
    printf '\223NUMPY\001\000\166\000'
    printf '%-117s\n' "{'descr': '<f4${esc}[31m
forged', 'fortran_order': False, 'shape': (4,), }"
} >bad.npy
exits 1 'the header of an array' "$ptoasm" run assert.pto bad.npy 1
clean 'the header of an array' stderr
check 'is readable' said "'<f4\\\\1B\[31m\\\\0Aforged'"

tap_end
