# SPDX-License-Identifier: Apache-2.0
"""ptoasm run --shadow=f64: what it says a statement is in f64 is what numpy computes in float64, statement by
statement; the errors are those of the stored results; and the line with a seeded cancellation is named.

shadow.py PTOASM SAMPLES
"""
import json
import os
import random
import subprocess
import sys
import tempfile

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from tap import Tap

ptoasm = os.path.abspath(sys.argv[1])
samples = os.path.abspath(sys.argv[2])
t = Tap()
work = tempfile.TemporaryDirectory()
os.chdir(work.name)
np.seterr(all='ignore')

ROWS, COLS = 8, 16
LEAST = {'float32': 2.0 ** -126, 'float16': 2.0 ** -14}


def run(program, *args):
    r = subprocess.run([ptoasm, 'run', '--shadow=f64', '--format=json', program, *args], capture_output=True, text=True,
                       timeout=120)
    return r, (json.loads(r.stdout)['shadow'] if r.stdout.startswith('{') else None)


def by_line(shadow):
    return {x['line']: x for x in shadow['lines']}


def error(stored, exact):
    """The relative error, as docs/debugging.md defines it."""
    s, least = stored.astype(np.float64), LEAST[str(stored.dtype)]
    e = np.abs(s - exact) / np.maximum(np.maximum(np.abs(s), np.abs(exact)), least)
    return np.where((s == exact) | (np.isnan(s) & np.isnan(exact)), 0, np.where(np.isfinite(s) & np.isfinite(exact), e, 1))


def near(a, b):
    if isinstance(a, str):
        a = float(a)
    return a == b or (a != a and b != b) or abs(a - b) <= 1e-11 * max(abs(a), abs(b))


# ---- chains of statements ----

ROW, COL = 'row', 'col'
TYPES = {None: '!pto.tile_buf<vec, 8x16xf32>', ROW: '!pto.tile_buf<vec, 8x1xf32, blayout=col_major>',
         COL: '!pto.tile_buf<vec, 1x16xf32>'}
TWO = {'tadd': np.add, 'tsub': np.subtract, 'tmul': np.multiply, 'tdiv': np.divide, 'tmax': np.fmax, 'tmin': np.fmin}
ONE = {'tabs': np.abs, 'tneg': np.negative, 'texp': np.exp, 'tsqrt': np.sqrt, 'tlog': np.log,
       'trelu': lambda x: np.fmax(x, 0), 'trecip': lambda x: 1 / x}
NUMBER = {'tadds': np.add, 'tsubs': np.subtract, 'tmuls': np.multiply, 'tdivs': np.divide, 'tmaxs': np.fmax,
          'tmins': np.fmin}
TWO_MORE = {'tprelu': lambda x, y: np.where(x > 0, x, x * y)}
FOLD = {'sum': np.add, 'max': np.fmax, 'min': np.fmin, 'prod': np.multiply}
EXPAND = {'add': np.add, 'sub': np.subtract, 'mul': np.multiply, 'div': np.divide, 'max': np.fmax, 'min': np.fmin,
          'expdif': lambda a, b: np.exp(a - b)}


class Chain:
    """A program of one statement for each step, and what each is in float64."""

    def __init__(self, rng, steps):
        self.rng, self.lines, self.tiles, self.exact = rng, [], [], {}
        self.value = {}
        self.x = (rng.random((ROWS, COLS)) * 2 + 0.25).astype(np.float32)
        if rng.random() < 0.5:
            self.x *= rng.choice([-1, 1], (ROWS, COLS))
        self.add('in', None, None, self.x.astype(np.float64))
        for i in range(steps):
            self.step('t%d' % i)

    def add(self, name, shape, text, value):
        self.tiles.append((name, shape))
        self.value[name] = value
        self.lines.append((name, text))

    def pick(self, shape):
        return self.rng.choice([n for n, s in self.tiles if s == shape])

    def step(self, name):
        shapes = {s for _, s in self.tiles}
        kind = self.rng.choice(['one', 'two', 'number', 'fold'] + ['expand'] * 2 * (ROW in shapes or COL in shapes))
        a = self.pick(None)
        av, full, value, shape = self.value[a], TYPES[None], None, None
        if kind == 'one':
            op = self.rng.choice(list(ONE))
            text, value = f'pto.{op} ins(%{a} : {full})', ONE[op](av)
        elif kind == 'two':
            op = self.rng.choice(list(TWO) + list(TWO_MORE))
            b = self.pick(None)
            text = f'pto.{op} ins(%{a}, %{b} : {full}, {full})'
            if op in TWO_MORE:
                text = f'pto.{op} ins(%{a}, %{b}, %tmp : {full}, {full}, !pto.tile_buf<vec, 8x32xui8>)'
            value = {**TWO, **TWO_MORE}[op](av, self.value[b])
        elif kind == 'number':
            op = self.rng.choice(list(NUMBER))
            text, value = f'pto.{op} ins(%{a}, %k : {full}, f32)', NUMBER[op](av, 0.75)
        elif kind == 'fold':
            shape, op = self.rng.choice([ROW, COL]), self.rng.choice(list(FOLD))
            axis = 1 if shape == ROW else 0
            tmp = f', %more : {full}, {full}' if shape == ROW else f' : {full}'
            text = f'pto.t{shape}{op} ins(%{a}{tmp})'
            value = FOLD[op].reduce(av, axis=axis, keepdims=True)
        else:
            narrow = self.rng.choice([s for s in (ROW, COL) if s in shapes])
            op, b = self.rng.choice(list(EXPAND)), self.pick(narrow)
            text = f'pto.t{narrow}expand{op} ins(%{a}, %{b} : {full}, {TYPES[narrow]})'
            value = EXPAND[op](av, self.value[b])
        self.add(name, shape, f'{text} outs(%{name} : {TYPES[shape]})', value)

    def write(self, path):
        view, part = '!pto.tensor_view<8x16xf32>', '!pto.partition_tensor_view<8x16xf32>'
        out = ['func.func @f(%x: !pto.ptr<f32>, %y: !pto.ptr<f32>) attributes {pto.entry} {',
               '  %c0 = arith.constant 0 : index', '  %c1 = arith.constant 1 : index',
               '  %c8 = arith.constant 8 : index', '  %c16 = arith.constant 16 : index',
               '  %k = arith.constant 0.75 : f32']
        for v in 'xy':
            out += [f'  %{v}v = pto.make_tensor_view %{v}, shape = [%c8, %c16], strides = [%c16, %c1] : {view}',
                    f'  %{v}p = pto.partition_view %{v}v, offsets = [%c0, %c0], sizes = [%c8, %c16] : {view} -> {part}']
        out += [f'  %{n} = pto.alloc_tile : {TYPES[s]}' for n, s in self.tiles]
        out += ['  %tmp = pto.alloc_tile : !pto.tile_buf<vec, 8x32xui8>', f'  %more = pto.alloc_tile : {TYPES[None]}']
        at = {}
        for name, text in self.lines:
            out.append('  ' + (text or f'pto.tload ins(%xp : {part}) outs(%in : {TYPES[None]})'))
            at[len(out)] = name
        last = [n for n, s in self.tiles if s is None][-1]
        out += [f'  pto.tstore ins(%{last} : {TYPES[None]}) outs(%yp : {part})']
        at[len(out)] = last
        with open(path, 'w') as f:
            f.write('\n'.join(out + ['  return', '}', '']))
        return at, len(out), last


def judge(chain, seed):
    at, store, last = chain.write('chain.pto')
    np.save('x.npy', chain.x)
    r, shadow = run('chain.pto', 'x.npy', '>y.npy')
    if shadow is None or r.returncode != 0:
        return 'chain %d: %s%s' % (seed, r.stdout[:400], r.stderr[:400])
    if shadow['not_followed']:
        return 'chain %d: not followed: %s' % (seed, shadow['not_followed'])
    lines = by_line(shadow)
    for line, name in at.items():
        x = lines.get(line)
        want = chain.value[name][tuple(x['index'])] if x else None
        if x is None or not near(x['reference'], want):
            return 'chain %d, line %d: %s, not %s' % (seed, line, x, want)
    want = error(np.load('y.npy').reshape(ROWS, COLS), chain.value[last]).max()
    # The errors are differences of numbers that are nearly equal: they have fewer digits.
    if abs(lines[store]['worst'] - want) > 1e-6 * want + 1e-14:
        return 'chain %d: worst %s, not %s' % (seed, lines[store]['worst'], want)
    return None


wrong = []
for seed in range(40):
    rng = np.random.default_rng(seed)
    rng_py = random.Random(seed)

    class Rng:
        choice = staticmethod(lambda items, shape=None: rng.choice(items, shape) if shape else rng_py.choice(items))
        random = staticmethod(lambda shape=None: rng.random(shape) if shape else rng_py.random())
    problem = judge(Chain(Rng, 12), seed)
    if problem:
        wrong.append(problem)
t.ok(not wrong, '40 chains of 12 statements are in f64 what numpy computes', '\n'.join(wrong[:5]))


# ---- samples ----

def sample(name, args, arrays, out, exact, tolerance=1e-9):
    for k, v in arrays.items():
        np.save(k + '.npy', v)
    r, shadow = run(os.path.join(samples, name), *args)
    if shadow is None:
        t.ok(False, name, r.stdout[:400] + r.stderr[:400])
        return None
    lines = shadow['lines']
    text = open(os.path.join(samples, name)).read().splitlines()
    store = [x for x in lines if 'tstore' in text[x['line'] - 1]][0]
    got = np.load(out).reshape(exact.shape)
    want = error(got, exact).max()
    t.ok(not shadow['not_followed'] and abs(store['worst'] - want) <= 1e-4 * want + tolerance,
         '%s: the worst error is that against numpy' % name, '%s, not %s' % (store, want))
    return shadow


rng = np.random.default_rng(7)
x = rng.standard_normal((40, 128)).astype(np.float32)
x64 = x.astype(np.float64)
e = np.exp(x64 - x64.max(axis=1, keepdims=True))
sample('softmax/softmax_dps.pto', ['--grid=3', 'x.npy', '>y.npy', '40'], {'x': x}, 'y.npy',
       e / e.sum(axis=1, keepdims=True))

gain, bias = (rng.standard_normal((1, 128)).astype(np.float32) for _ in range(2))
center = x64 - x64.mean(axis=1, keepdims=True)
layer = center / np.sqrt((center ** 2).mean(axis=1, keepdims=True) + np.float64(np.float32(1e-5)))
sample('layernorm/layernorm_dps.pto', ['--grid=3', 'x.npy', 'gain.npy', 'bias.npy', '>y.npy', '40'],
       {'x': x, 'gain': gain, 'bias': bias}, 'y.npy', layer * gain + bias, 1e-7)

q, k, v = (rng.standard_normal(s).astype(np.float16) for s in ((32, 64), (128, 64), (128, 64)))
s = q.astype(np.float64) @ k.astype(np.float64).T * 0.125
p = np.exp(s - s.max(axis=1, keepdims=True))
attention = p / p.sum(axis=1, keepdims=True) @ v.astype(np.float64)
found = sample('flash_attention/flash_attention_dps.pto',
               ['q=q.npy', 'k=k.npy', 'v=v.npy', 'o=>o.npy', 'slots=zeros', 'blocks=1', 'chunks=2'],
               {'q': q, 'k': k.reshape(64, 128), 'v': v}, 'o.npy', attention, 1e-6)
t.ok(found and any(x['worst'] > 2e-4 and x['growth'] < 2 for x in found['lines']),
     'rounding to f16 is an error, and not a growth')


# ---- f16 factors ----

GEMM = '''func.func @f(%a: !pto.ptr<f16>, %b: !pto.ptr<f16>, %c: !pto.ptr<f32>) attributes {pto.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %av = pto.make_tensor_view %a, shape = [%c16, %c32], strides = [%c32, %c1] : !pto.tensor_view<16x32xf16>
  %bv = pto.make_tensor_view %b, shape = [%c32, %c16], strides = [%c16, %c1] : !pto.tensor_view<32x16xf16>
  %cv = pto.make_tensor_view %c, shape = [%c16, %c16], strides = [%c16, %c1] : !pto.tensor_view<16x16xf32>
  %ap = pto.partition_view %av, offsets = [%c0, %c0], sizes = [%c16, %c32] : !pto.tensor_view<16x32xf16> -> !pto.partition_tensor_view<16x32xf16>
  %bp = pto.partition_view %bv, offsets = [%c0, %c0], sizes = [%c32, %c16] : !pto.tensor_view<32x16xf16> -> !pto.partition_tensor_view<32x16xf16>
  %cp = pto.partition_view %cv, offsets = [%c0, %c0], sizes = [%c16, %c16] : !pto.tensor_view<16x16xf32> -> !pto.partition_tensor_view<16x16xf32>
  %am = pto.alloc_tile : !pto.tile_buf<mat, 16x32xf16, blayout=col_major, slayout=row_major>
  %bm = pto.alloc_tile : !pto.tile_buf<mat, 32x16xf16, blayout=col_major, slayout=row_major>
  %l = pto.alloc_tile : !pto.tile_buf<left, 16x32xf16, blayout=row_major, slayout=row_major>
  %r = pto.alloc_tile : !pto.tile_buf<right, 32x16xf16, blayout=row_major, slayout=col_major>
  %sum = pto.alloc_tile : !pto.tile_buf<acc, 16x16xf32, blayout=col_major, slayout=row_major, fractal=1024>
  pto.tload ins(%ap : !pto.partition_tensor_view<16x32xf16>) outs(%am : !pto.tile_buf<mat, 16x32xf16, blayout=col_major, slayout=row_major>)
  pto.tload ins(%bp : !pto.partition_tensor_view<32x16xf16>) outs(%bm : !pto.tile_buf<mat, 32x16xf16, blayout=col_major, slayout=row_major>)
  pto.tmov ins(%am : !pto.tile_buf<mat, 16x32xf16, blayout=col_major, slayout=row_major>) outs(%l : !pto.tile_buf<left, 16x32xf16, blayout=row_major, slayout=row_major>)
  pto.tmov ins(%bm : !pto.tile_buf<mat, 32x16xf16, blayout=col_major, slayout=row_major>) outs(%r : !pto.tile_buf<right, 32x16xf16, blayout=row_major, slayout=col_major>)
  pto.tmatmul ins(%l, %r : !pto.tile_buf<left, 16x32xf16, blayout=row_major, slayout=row_major>, !pto.tile_buf<right, 32x16xf16, blayout=row_major, slayout=col_major>) outs(%sum : !pto.tile_buf<acc, 16x16xf32, blayout=col_major, slayout=row_major, fractal=1024>)
  pto.tstore ins(%sum : !pto.tile_buf<acc, 16x16xf32, blayout=col_major, slayout=row_major, fractal=1024>) outs(%cp : !pto.partition_tensor_view<16x16xf32>)
  return
}
'''
with open('gemm.pto', 'w') as f:
    f.write(GEMM)
a, b = (rng.standard_normal(s).astype(np.float16) for s in ((16, 32), (32, 16)))
np.save('a.npy', a)
np.save('b.npy', b)
r, shadow = run('gemm.pto', 'a.npy', 'b.npy', '>c.npy')
product = a.astype(np.float64) @ b.astype(np.float64)
store = by_line(shadow)[GEMM.splitlines().index([x for x in GEMM.splitlines() if 'tstore' in x][0]) + 1] if shadow else None
t.ok(store and near(store['reference'], product[tuple(store['index'])]) and
     abs(store['worst'] - error(np.load('c.npy').reshape(16, 16), product).max()) < 1e-12, 'a product of f16 matrices',
     r.stdout[-600:] + r.stderr)

# ---- a seeded cancellation ----

wrong = []
for seed in range(12):
    rng_py = random.Random(seed)
    chain = Chain(type('R', (), {'choice': staticmethod(lambda items, shape=None: rng.choice(items, shape) if shape else rng_py.choice(items)),
                                 'random': staticmethod(lambda shape=None: rng.random(shape) if shape else 0.9)}), 0)
    full = TYPES[None]
    before, after = rng_py.randrange(3), rng_py.randrange(3)
    chain.lines, chain.tiles, chain.value = [], [], {}
    chain.add('in', None, None, chain.x.astype(np.float64))
    last = 'in'

    def one(name, text, value):
        global last
        chain.add(name, None, '%s outs(%%%s : %s)' % (text, name, full), value)
        last = name
    for i in range(before):
        one('b%d' % i, f'pto.tmuls ins(%{last}, %k : {full}, f32)', chain.value[last] * 0.75)
    root = last
    # (x + 1000 * 0.75 ..) - the same: what was rounded away is all that is left.
    one('big', f'pto.tdivs ins(%{root}, %tiny : {full}, f32)', chain.value[root] / 0.75)
    one('root', f'pto.tsqrt ins(%big : {full})', np.sqrt(chain.value['big']))
    one('again', f'pto.tmul ins(%root, %root : {full}, {full})', chain.value['root'] ** 2)
    guilty = 'diff'
    one('diff', f'pto.tsub ins(%again, %big : {full}, {full})', chain.value['again'] - chain.value['big'])
    for i in range(after):
        one('a%d' % i, f'pto.tmuls ins(%{last}, %k : {full}, f32)', chain.value[last] * 0.75)
    at, store, _ = chain.write('cancel.pto')
    text = open('cancel.pto').read().replace('  %k = arith', '  %tiny = arith.constant 0.75 : f32\n  %k = arith')
    with open('cancel.pto', 'w') as f:
        f.write(text)
    np.save('x.npy', chain.x)
    r, shadow = run('cancel.pto', 'x.npy', '>y.npy')
    line = [n for n, name in at.items() if name == guilty][0] + 1
    top = shadow['lines'][0] if shadow else None
    if top is None or top['line'] != line or top['growth'] < 1e6 or top['after'] < 0.5:
        wrong.append('%d: line %d, not %s%s' % (seed, line, top, r.stderr[:300]))
t.ok(not wrong, 'the line with the cancellation comes first', '\n'.join(wrong))

r = subprocess.run([ptoasm, 'run', '--shadow=f64', 'cancel.pto', 'x.npy', 'zeros'], capture_output=True, text=True, timeout=60)
t.ok(r.returncode == 0 and 'it grows most at\n  line %d' % line in r.stdout and 'pto.tsub' in r.stdout.splitlines()[1],
     '... also in the text', r.stdout + r.stderr)

# ---- what is not followed ----

FULL = TYPES[None]
chain = Chain(Rng, 0)
chain.add('low', None, f'pto.tdivs ins(%in, %k : {FULL}, f32) outs(%low : {FULL})', None)
chain.add('odd', None, '  // written below', None)
at, store, last = chain.write('gap.pto')
text = open('gap.pto').read().splitlines()
sort = [i for i, x in enumerate(text) if 'tdivs' in x][0]
text[sort + 1:sort + 1] = [f'  pto.tsetval ins(%c0, %k : index, f32) outs(%odd : {FULL})',
                           f'  pto.tinterleave ins(%low, %in : {FULL}, {FULL}) outs(%odd, %other : {FULL}, {FULL})']
text.insert(sort, f'  %other = pto.alloc_tile : {FULL}')
with open('gap.pto', 'w') as f:
    f.write('\n'.join(text) + '\n')
r, shadow = run('gap.pto', 'x.npy', '>y.npy')
gaps = [g['statement'] for g in shadow['not_followed']] if shadow else None
stored = np.load('y.npy').reshape(ROWS, COLS) if shadow else None
lines = by_line(shadow) if shadow else {}
last = max(lines) if lines else 0
t.ok(gaps == ['pto.tsetval', 'pto.tinterleave'], 'statements without a form in f64 are named', str(gaps) + r.stdout[:600] + r.stderr)
t.ok(lines and lines[last]['worst'] == 0 and lines[last]['reference'] == lines[last]['stored'],
     'what reads their results starts from the stored values', str(lines.get(last)))
r = subprocess.run([ptoasm, 'run', '--shadow=f64', 'gap.pto', 'x.npy', 'zeros'], capture_output=True, text=True, timeout=60)
t.ok('not followed: pto.tinterleave (line ' in r.stdout, '... in the text, too', r.stdout + r.stderr)

for bad in (['--shadow=f32'], ['--shadow=f64', '--time'], ['--shadow=f64', '--ranks=2']):
    r = subprocess.run([ptoasm, 'run', *bad, 'gap.pto', 'x.npy', 'zeros'], capture_output=True, text=True, timeout=60)
    t.ok(r.returncode == 2, 'refused: %s' % ' '.join(bad), r.stderr)
t.end()
