# SPDX-License-Identifier: Apache-2.0
"""ptoasm equiv: pairs of programs of which the first statement that differs is known.

equiv.py PTOASM
"""
import os
import random
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from tap import Tap

ptoasm = os.path.abspath(sys.argv[1])
t = Tap()
work = tempfile.TemporaryDirectory()
os.chdir(work.name)

TILE = '!pto.tile_buf<vec, 16x32xf32, valid=?x32>'
HEAD = '''func.func @f(%%x: !pto.ptr<f32>, %%y: !pto.ptr<f32>, %%n: index) attributes {pto.entry} {
  %%c0 = arith.constant 0 : index
  %%c1 = arith.constant 1 : index
  %%c16 = arith.constant 16 : index
  %%c32 = arith.constant 32 : index
  %%limit = arith.constant %(limit)d : index
  %%k2 = arith.constant 2.0 : f32
  %%k3 = arith.constant 3.0 : f32
  %%rows = arith.minsi %%n, %%c16 : index
  %%out = arith.minsi %%rows, %%limit : index
  %%xv = pto.make_tensor_view %%x, shape = [%%n, %%c32], strides = [%%c32, %%c1] : !pto.tensor_view<?x32xf32>
  %%yv = pto.make_tensor_view %%y, shape = [%%n, %%c32], strides = [%%c32, %%c1] : !pto.tensor_view<?x32xf32>
  %%xp = pto.partition_view %%xv, offsets = [%%c0, %%c0], sizes = [%%rows, %%c32] : !pto.tensor_view<?x32xf32> -> !pto.partition_tensor_view<?x32xf32>
  %%yp = pto.partition_view %%yv, offsets = [%%c0, %%c0], sizes = [%%out, %%c32] : !pto.tensor_view<?x32xf32> -> !pto.partition_tensor_view<?x32xf32>
'''
TILES = ['in', 'p', 'q', 'r']


def program(statements, limit=16, comments=0):
    lines = ['// a line'] * comments + (HEAD % {'limit': limit}).splitlines()
    lines += ['  %%%s = pto.alloc_tile valid_row = %%rows : %s' % (name, TILE) for name in TILES]
    lines += ['  %%last = pto.alloc_tile valid_row = %%out : %s' % TILE]
    lines.append('  pto.tload ins(%%xp : !pto.partition_tensor_view<?x32xf32>) outs(%%in : %s)' % TILE)
    at = []
    for op, sources, out in statements:
        types = ', '.join('f32' if s[0] == 'k' else TILE for s in sources)
        lines.append('  pto.%s ins(%s : %s) outs(%%%s : %s)' % (op, ', '.join('%' + s for s in sources), types, out, TILE))
        at.append(len(lines))
    lines.append('  pto.tload ins(%%yp : !pto.partition_tensor_view<?x32xf32>) outs(%%last : %s)' % TILE)
    lines.append('  pto.tstore ins(%%last : %s) outs(%%yp : !pto.partition_tensor_view<?x32xf32>)' % TILE)
    return '\n'.join(lines + ['  return', '}', '']), at


def equiv(a, b, *words):
    for name, text in (('a.pto', a), ('b.pto', b)):
        with open(name, 'w') as f:
            f.write(text)
    return subprocess.run([ptoasm, 'equiv', 'a.pto', 'b.pto', *words], capture_output=True, text=True, timeout=300)


INPUTS = ('x=any:${n}x32', 'y=zeros:${n}x32', 'n=1..20')


def chain(rng):
    made, statements = ['in'], []
    for _ in range(rng.randint(2, 7)):
        out, source = rng.choice(TILES[1:]), rng.choice(made)
        statements.append(rng.choice([('tadds', [source, 'k2'], out), ('tsubs', [source, 'k3'], out), ('tadd', [source, 'in'], out)]))
        made.append(out)
    return statements


def chains():
    for seed in range(16):
        rng = random.Random(seed)
        a = chain(rng)
        k = rng.randrange(len(a))
        op, sources, out = a[k]
        b = list(a)
        b[k] = ('tsubs' if op == 'tadds' else 'tadds', [sources[0], 'k3'], out)
        if op == 'tsubs':
            b[k] = ('tadds', [sources[0], 'k3'], out)
        more = rng.randint(0, 3)
        (one, at), (two, other) = program(a), program(b, comments=more)
        r = equiv(one, two, '--trials=3', *INPUTS)
        want = 'a.pto:%d: %%%s differs from that of b.pto:%d in ' % (at[k], out, other[k])
        t.ok(r.returncode == 1 and r.stderr.startswith(want) and '  inputs: x=' in r.stderr, 'chain %d' % seed,
             want + '\n' + r.stderr + one + two)
        r = equiv(one, program(a, comments=more)[0], '--trials=2', *INPUTS)
        t.ok(r.returncode == 0 and r.stdout == 'no difference in 2 runs\n' and r.stderr == '', 'the same program', r.stderr)


def boundaries():
    """Programs that differ for some sizes alone."""
    a = [('tadds', ['in', 'k2'], 'p')]
    r = equiv(program(a)[0], program(a, limit=15)[0], '--trials=2', 'x=any:${n}x32', 'y=ones:${n}x32', 'n=1..16')
    t.ok(r.returncode == 1 and '%last differs' in r.stderr and 'n=16' in r.stderr, 'the last number of a range', r.stderr)
    r = equiv(program(a)[0], program(a, limit=15)[0], 'x=any:${n}x32', 'y=ones:${n}x32', 'n=1..15')
    t.ok(r.returncode == 0, 'a range in which they agree', r.stderr)
    r = equiv(program(a)[0], program([('tadds', ['in', 'k3'], 'p')])[0], '--atol=1.001', *INPUTS)
    t.ok(r.returncode == 0, 'a tolerance', r.stderr)


def names():
    """A name that is written more often does not mean the same; the arrays are compared."""
    a = program([('tadds', ['in', 'k2'], 'p'), ('tadds', ['p', 'k3'], 'p')])[0]
    b = program([('tadds', ['in', 'k2'], 'q'), ('tadds', ['q', 'k3'], 'p')])[0]
    store = [text.replace('ins(%last', 'ins(%p') for text in (a, b)]
    t.ok(equiv(*store, *INPUTS).returncode == 0, 'other names')
    b = program([('tadds', ['in', 'k2'], 'q'), ('tadds', ['q', 'k2'], 'p')])[0].replace('ins(%last', 'ins(%p')
    r = equiv(store[0], b, *INPUTS)
    t.ok(r.returncode == 1 and 'a.pto: the array %y differs' in r.stderr, 'other names and results', r.stderr)


def stores():
    """No tile differs, but what is stored."""
    a = program([('tadds', ['in', 'k2'], 'p')])[0]
    b = re.sub(r'  pto.tstore.*\n', '', a)
    a = a.replace('ins(%last', 'ins(%p')
    r = equiv(a, b, *INPUTS)
    t.ok(r.returncode == 1 and r.stderr.startswith('a.pto: the array %y differs from that of b.pto in 32 of 32 elements'),
         'a store that is missing', r.stderr)


def printed():
    """What the programs print is not part of the report of a run."""
    a, b = (program([('tadds', ['in', k], 'p')])[0].replace('ins(%last', 'ins(%p').replace('  return', '  pto.print ins("%d", %k2 : f32)\n  return')
            for k in ('k2', 'k3'))
    a, b = a.replace('"%d"', '"%f"'), b.replace('"%d"', '"%f"').replace('outs(%p :', 'outs(%q :').replace('ins(%p', 'ins(%q')
    r = equiv(a, b, *INPUTS)
    t.ok(r.returncode == 1 and 'a.pto: the array %y differs' in r.stderr, 'programs that print', r.stderr)


def no_tiles():
    """Programs without a tile: what they write is compared."""
    scalar = '''func.func @f(%%x: !pto.ptr<i32>, %%n: i32) attributes {pto.entry} {
  %%c0 = arith.constant 0 : index
  %%m = arith.%s %%n, %%n : i32
  pto.store_scalar %%m, %%x[%%c0] : !pto.ptr<i32>, i32
  return
}
'''
    a, b = scalar % 'muli', scalar % 'addi'
    r = equiv(a, a, 'x=zeros:4', 'n=0..5')
    t.ok(r.returncode == 0, 'programs without a tile', r.stderr)
    r = equiv(a, b, 'x=zeros:4', 'n=3')
    t.ok(r.returncode == 1 and 'a.pto: the array %x differs' in r.stderr, '... that differ', r.stderr)


def wrong():
    a = program([('tadds', ['in', 'k2'], 'p')])[0]
    whole = '%d..%d' % (-2 ** 63, 2 ** 63 - 1)
    t.ok(equiv(a, a, *INPUTS[:2], 'n=' + whole).returncode in (1, 2), 'a range that is too wide')
    a = program([('tadds', ['in', 'k2'], 'p')])[0]
    r = equiv(a, a, 'x=zeros:1x32', 'y=zeros:1x32', 'n=9')
    t.ok(r.returncode == 1 and 'a.pto:' in r.stderr and 'exit code 1' in r.stderr, 'inputs that do not fit', r.stderr)
    t.ok(equiv(a, 'no program\n', *INPUTS).returncode == 1, 'a program that is rejected')
    t.ok(subprocess.run([ptoasm, 'equiv', 'a.pto'], capture_output=True).returncode == 2, 'one file')
    t.ok(subprocess.run([ptoasm, 'equiv', 'a.pto', 'none.pto', *INPUTS], capture_output=True).returncode == 2, 'no file')
    folder = os.path.abspath('scratch')
    os.makedirs(folder)
    subprocess.run([ptoasm, 'equiv', 'a.pto', 'a.pto', *INPUTS], capture_output=True, env=dict(os.environ, TMPDIR='scratch'))
    t.ok(os.listdir(folder) == [], 'no files are left')


chains()
boundaries()
names()
stores()
printed()
no_tiles()
wrong()
t.end()
