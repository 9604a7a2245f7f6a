# SPDX-License-Identifier: Apache-2.0
"""ptoasm run --trap=nan: chains of statements of which one, known, makes NaN or infinity.

trap.py PTOASM
"""
import os
import random
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from tap import Tap

ptoasm = os.path.abspath(sys.argv[1])
t = Tap()
work = tempfile.TemporaryDirectory()
os.chdir(work.name)

TILE = '!pto.tile_buf<vec, 8x16xf32>'
HEAD = '''func.func @f(%x: !pto.ptr<f32>, %y: !pto.ptr<f32>, %a: f32) attributes {pto.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %least = arith.constant 0xFF800000 : f32
  %xv = pto.make_tensor_view %x, shape = [%c8, %c16], strides = [%c16, %c1] : !pto.tensor_view<8x16xf32>
  %yv = pto.make_tensor_view %y, shape = [%c8, %c16], strides = [%c16, %c1] : !pto.tensor_view<8x16xf32>
  %xp = pto.partition_view %xv, offsets = [%c0, %c0], sizes = [%c8, %c16] : !pto.tensor_view<8x16xf32> -> !pto.partition_tensor_view<8x16xf32>
  %yp = pto.partition_view %yv, offsets = [%c0, %c0], sizes = [%c8, %c16] : !pto.tensor_view<8x16xf32> -> !pto.partition_tensor_view<8x16xf32>
'''


def program(statements, tiles):
    lines = HEAD.splitlines() + ['  %%%s = pto.alloc_tile : %s' % (name, TILE) for name in tiles]
    lines.append('  pto.tload ins(%%xp : !pto.partition_tensor_view<8x16xf32>) outs(%%in : %s)' % TILE)
    at = []
    for op, sources, out in statements:
        types = ', '.join('f32' if s in ('zero', 'half', 'least', 'a') else TILE for s in sources)
        lines.append('  pto.%s ins(%s : %s) outs(%%%s : %s)' % (op, ', '.join('%' + s for s in sources), types, out, TILE))
        at.append(len(lines))
    lines.append('  pto.tstore ins(%%%s : %s) outs(%%yp : !pto.partition_tensor_view<8x16xf32>)' % (statements[-1][2], TILE))
    return '\n'.join(lines + ['  return', '}', '']), at


def write_array(name, values):
    head = "{'descr': '<f4', 'fortran_order': False, 'shape': (8, 16), }"
    head += ' ' * (118 - len(head) - 1) + '\n'
    with open(name, 'wb') as f:
        f.write(b'\x93NUMPY\x01\x00' + struct.pack('<H', len(head)) + head.encode() + struct.pack('<128f', *values))


def run(text, x, *options, a='1'):
    with open('k.pto', 'w') as f:
        f.write(text)
    return subprocess.run([ptoasm, 'run', *options, '--', 'k.pto', x, 'zeros', a], capture_output=True, text=True, timeout=60)


# Keep numbers that are finite, above 0 and at most 2 in this range; and what makes others of them.
TAME = [('tmuls', 'half'), ('tsqrt', None), ('tmin', 'in'), ('tmax', 'in')]
WILD = {'NaN': [[('tsubs', 'a'), ('tsubs', 'a'), ('tlog', None)]], 'infinity': [[('tmuls', 'zero'), ('trecip', None)]]}


def chains():
    """Some tame statements, a wild one, and others that pass on what it made."""
    for seed in range(24):
        rng = random.Random(seed)
        kind = rng.choice(sorted(WILD))
        tiles = ['in', 'p', 'q', 'r']
        statements, now = [], 'in'

        def add(op, other):
            nonlocal now
            out = rng.choice(tiles[1:])
            statements.append((op, [now] + ([other] if other else []), out))
            now = out
        for _ in range(rng.randint(0, 5)):
            add(*rng.choice(TAME))
        for step in WILD[kind][0]:
            add(*step)
        guilty = len(statements) - 1
        for _ in range(rng.randint(1, 4)):
            add(*rng.choice(TAME))
        text, at = program(statements, tiles)
        r = run(text, 'ones', '--trap=nan', a='4')
        want = 'k.pto:%d: pto.%s makes %s of finite inputs: %%%s [0, 0]' % (at[guilty], statements[guilty][0], kind, statements[guilty][2])
        t.ok(r.returncode == 1 and r.stderr.splitlines()[0] == want, 'chain %d: %s of %s' % (seed, kind, statements[guilty][0]),
             want + '\n' + r.stderr + text)
        t.ok(run(text, 'ones', a='4').returncode == 0, 'without the option it runs')
        tame, _ = program([('tmuls', ['in', 'half'], 'p')] + [s for s in statements[:0]], tiles)
        r = run(tame, 'ones', '--trap=nan')
        t.ok(r.returncode == 0 and r.stderr == '', 'numbers that stay finite', r.stderr)


def elements():
    """The element is named; one in the middle."""
    values = [1.0] * 128
    values[5 * 16 + 11] = 0.0
    write_array('x.npy', values)
    text, at = program([('tmuls', ['in', 'half'], 'p'), ('trecip', ['p'], 'q')], ['in', 'p', 'q'])
    r = run(text, 'x.npy', '--trap=nan')
    t.ok(r.stderr.startswith('k.pto:%d: pto.trecip makes infinity of finite inputs: %%q [5, 11]\n' % at[1]), 'the element', r.stderr)


def given():
    """What comes from outside, or is written by intention, is not made."""
    values = [1.0] * 128
    values[7] = float('nan')
    write_array('x.npy', values)
    text, at = program([('tmuls', ['in', 'half'], 'p'), ('tadd', ['p', 'in'], 'q')], ['in', 'p', 'q'])
    r = run(text, 'x.npy', '--trap=nan')
    t.ok(r.returncode == 0, 'NaN in an argument', r.stderr)
    text, at = program([('texpands', ['least'], 'p'), ('tmax', ['p', 'in'], 'q'), ('texp', ['p'], 'r')], ['in', 'p', 'q', 'r'])
    r = run(text, 'ones', '--trap=nan')
    t.ok(r.returncode == 0, 'a constant that is infinite', r.stderr + text)
    text, at = program([('tmuls', ['in', 'a'], 'p')], ['in', 'p'])
    t.ok(run(text, 'ones', '--trap=nan', a='inf').returncode == 0, 'a number that is infinite')
    r = run(text, 'x.npy', '--trap=nan', a='2')
    values = [3e38] * 128
    write_array('x.npy', values)
    r = run(text, 'x.npy', '--trap=nan', a='2')
    t.ok(r.returncode == 1 and ':%d: pto.tmuls makes infinity' % at[0] in r.stderr, 'an overflow', r.stderr)
    t.ok(run(text, 'x.npy', '--trap=inf').returncode == 2, 'another value of the option')


chains()
elements()
given()
t.end()
