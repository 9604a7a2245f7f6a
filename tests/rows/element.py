#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: element.py SOURCE-FOLDER

An 8-bit float is a row of runtime/ptort_floats.def: one of a known format is one row, one of its own format is two. The
program with f8E5M2X and f8E3M4 converts to and from them, reads and compares files of them, and explains them.
Prints TAP.
"""
import math
import os
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from tap import Tap
from tree import Edit, build

FILE = 'runtime/ptort_floats.def'
EDITS = [
    Edit(FILE, '#define PTRT_FORMATS_8', '    X(f8e3m4, 3, 4, 3, ONE_NAN, 30.0f, 31.0f, 0x7F, 0x7E, __VA_ARGS__) \\'),
    Edit(FILE, '#define PTRT_FLOATS_8', '    X(F8E3M4, "f8E3M4", f8e3m4, NULL, __VA_ARGS__) \\\n'
                                        '    X(F8E5M2X, "f8E5M2X", f8e5m2, NULL, __VA_ARGS__) \\'),
]
PROGRAM = '''module attributes {pto.target_arch = "a5"} {
func.func @k(%%p: !pto.ptr<f32>, %%q: !pto.ptr<%(t)s>, %%r: !pto.ptr<f32>) attributes {pto.kernel} {
  %%c0 = arith.constant 0 : index
  %%c1 = arith.constant 1 : index
  %%c256 = arith.constant 256 : index
  %%x = pto.make_tensor_view %%p, shape = [%%c1, %%c256], strides = [%%c256, %%c1] : !pto.tensor_view<?x?xf32>
  %%y = pto.make_tensor_view %%q, shape = [%%c1, %%c256], strides = [%%c256, %%c1] : !pto.tensor_view<?x?x%(t)s>
  %%z = pto.make_tensor_view %%r, shape = [%%c1, %%c256], strides = [%%c256, %%c1] : !pto.tensor_view<?x?xf32>
  %%px = pto.partition_view %%x, offsets = [%%c0, %%c0], sizes = [%%c1, %%c256]
      : !pto.tensor_view<?x?xf32> -> !pto.partition_tensor_view<1x256xf32>
  %%py = pto.partition_view %%y, offsets = [%%c0, %%c0], sizes = [%%c1, %%c256]
      : !pto.tensor_view<?x?x%(t)s> -> !pto.partition_tensor_view<1x256x%(t)s>
  %%pz = pto.partition_view %%z, offsets = [%%c0, %%c0], sizes = [%%c1, %%c256]
      : !pto.tensor_view<?x?xf32> -> !pto.partition_tensor_view<1x256xf32>
  %%a = pto.alloc_tile : !pto.tile_buf<vec, 1x256xf32>
  %%b = pto.alloc_tile : !pto.tile_buf<vec, 1x256x%(t)s>
  %%c = pto.alloc_tile : !pto.tile_buf<vec, 1x256xf32>
  pto.tload ins(%%px : !pto.partition_tensor_view<1x256xf32>) outs(%%a : !pto.tile_buf<vec, 1x256xf32>)
  pto.tcvt ins(%%a : !pto.tile_buf<vec, 1x256xf32>) outs(%%b : !pto.tile_buf<vec, 1x256x%(t)s>)
  pto.tcvt ins(%%b : !pto.tile_buf<vec, 1x256x%(t)s>) outs(%%c : !pto.tile_buf<vec, 1x256xf32>)
  pto.tstore ins(%%b : !pto.tile_buf<vec, 1x256x%(t)s>) outs(%%py : !pto.partition_tensor_view<1x256x%(t)s>)
  pto.tstore ins(%%c : !pto.tile_buf<vec, 1x256xf32>) outs(%%pz : !pto.partition_tensor_view<1x256xf32>)
  return
}
}
'''


def value(code, e, m, bias, infinite):
    """The number of a code, by the definition of the format."""
    exponent, fraction, sign = code >> m & (1 << e) - 1, code & (1 << m) - 1, -1.0 if code & 128 else 1.0
    if infinite and exponent == (1 << e) - 1:
        return math.nan if fraction else sign * math.inf
    if not infinite and code & 127 == 127:
        return math.nan
    if exponent == 0:
        return sign * math.ldexp(fraction, 1 - bias - m)
    return sign * math.ldexp(fraction + (1 << m), exponent - bias - m)


def run(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors='replace', text=True)
    return done.returncode, done.stdout


def write(path, kind, data):
    """Writes a .npy file of 256 elements."""
    head = "{'descr': '%s', 'fortran_order': False, 'shape': (1, 256), }" % kind
    head += ' ' * (-(10 + len(head) + 1) % 64) + '\n'
    with open(path, 'wb') as f:
        f.write(b'\x93NUMPY\x01\x00' + struct.pack('<H', len(head)) + head.encode() + data)


def convert(tap, program, folder, name, *form):
    """Every number of the type is converted to its code and back."""
    want = [value(code, *form) for code in range(256)]
    # a5 clamps to the largest number, which is that of the code before infinity.
    codes = [code - 1 if math.isinf(x) else code for code, x in enumerate(want)]
    want = [want[code] for code in codes]
    text = os.path.join(folder, 'k.pto')
    with open(text, 'w') as f:
        f.write(PROGRAM % {'t': name})
    write(os.path.join(folder, 'in.npy'), '<f4', b''.join(struct.pack('<f', x) for x in want))
    names = [os.path.join(folder, file) for file in ('in.npy', 'q.npy', 'r.npy')]
    code, out = run(program, 'run', '--profile=a5', text, 'p=' + names[0], 'q=>' + names[1], 'r=>' + names[2],
                    '--expect=r=' + names[0], '--expect=q=' + names[0])
    tap.ok(code == 0, name + ': numbers to codes and back, and files of both', out)
    with open(names[1], 'rb') as f:
        got = f.read()[-256:]
    tap.ok(all(a == b or math.isnan(x) for a, b, x in zip(got, codes, want)), name + ': the codes', list(got))
    code, out = run(program, 'run', '--profile=a5', text, 'p=zeros', 'q=>' + names[1], 'r=zeros', '--expect=q=' + names[0])
    tap.ok(code == 1, name + ': other codes are not as expected', out)
    code, out = run(program, 'explain', 'pto.tcvt')
    tap.ok(code == 0 and name in out, name + ': explain', out)


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        program = build(sys.argv[1], folder, EDITS)
        convert(tap, program, folder, 'f8E5M2X', 5, 2, 15, True)
        convert(tap, program, folder, 'f8E3M4', 3, 4, 3, False)
    tap.end()


main()
