#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""random_kernels.py PTOASM [COUNT [FIRST]]: random kernels of micro-instructions against an interpreter.

Each kernel copies random bytes to the vector memory, makes masks, loads registers, computes, stores, and copies the memory
back; the interpreter below does the same with numpy, from the facts about the instructions alone. Bytes are compared: NaN
equals every NaN of its lane. TAP on standard output; a kernel that differs is kept and named."""
import os
import pathlib
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from tap import Tap

try:
    import numpy as np
except ImportError:
    skipped = Tap()
    skipped.skip('random kernels', 'no python3-numpy')
    skipped.end()

BYTES, INPUT, MEMORY = 256, 4096, 8192  # of a register; random bytes; compared bytes
INTS = ['i8', 'ui8', 'i16', 'ui16', 'i32', 'ui32']
FLOATS = ['f16', 'bf16', 'f32']
SIZE = {'i8': 1, 'ui8': 1, 'i16': 2, 'ui16': 2, 'i32': 4, 'ui32': 4, 'f16': 2, 'bf16': 2, 'f32': 4}
BITS = {1: 'u1', 2: 'u2', 4: 'u4'}
PATTERNS = {'PAT_ALL': lambda i, n: i < n, 'PAT_ALLF': lambda i, n: i < 0, 'PAT_H': lambda i, n: i < n // 2,
            'PAT_Q': lambda i, n: i < n // 4, 'PAT_M3': lambda i, n: i % 3 == 0, 'PAT_M4': lambda i, n: i % 4 == 0,
            'PAT_VL1': lambda i, n: i < 1, 'PAT_VL8': lambda i, n: i < 8, 'PAT_VL32': lambda i, n: i < 32}


# ---- values ----


def kind(t):
    return np.dtype({'i': 'i', 'u': 'u', 'f': 'f', 'b': 'u'}[t[0]] + str(SIZE[t]))


def wide(lanes, t):
    """Lanes as numbers to compute with: f32 of floats, 64-bit integers of others."""
    if t == 'bf16':
        return (lanes.astype('u4') << 16).view('f4')
    return lanes.astype('f4') if t[0] == 'f' else lanes.astype('i8')


def narrow(x, t):
    """Numbers as lanes: rounded once to nearest even, integers wrap."""
    if t == 'bf16':
        bits = np.ascontiguousarray(x, dtype='f4').view('u4').astype('u8')
        rounded = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16
        nan = np.isnan(x)
        return np.where(nan, 0x7FC0, rounded).astype('u2')
    if t[0] == 'f':
        return np.asarray(x, dtype='f4').astype(kind(t))
    mask = (1 << (8 * SIZE[t])) - 1
    return (np.asarray(x).astype('i8') & mask).astype(BITS[SIZE[t]]).view(kind(t))


def lanes_of(register, t):
    return register.view(kind(t))


# ---- instructions: name, element types, arity, formula on numbers ----


def shifted_left(x, y):
    return x << y


def largest(x, y):
    return np.where(np.isnan(x) | np.isnan(y), np.float32(np.nan), np.where(x < y, y, x)) if x.dtype == 'f4' else np.maximum(x, y)


def smallest(x, y):
    return np.where(np.isnan(x) | np.isnan(y), np.float32(np.nan), np.where(y < x, y, x)) if x.dtype == 'f4' else np.minimum(x, y)


UNARY = {'vabs': (['i8', 'i16', 'i32'] + FLOATS, np.abs), 'vneg': (['i8', 'i16', 'i32'] + FLOATS, np.negative),
         'vrelu': (['i32', 'f16', 'f32'], lambda x: np.where(x > 0, x, np.zeros_like(x))), 'vsqrt': (['f16', 'f32'], np.sqrt),
         'vnot': (INTS, np.invert)}
BINARY = {'vadd': (INTS + FLOATS, np.add), 'vsub': (INTS + FLOATS, np.subtract), 'vmul': (['i16', 'ui16', 'i32', 'ui32'] + FLOATS, np.multiply),
          'vdiv': (['f16', 'f32'], np.divide), 'vmax': (INTS + FLOATS, largest), 'vmin': (INTS + FLOATS, smallest),
          'vand': (INTS, np.bitwise_and), 'vor': (INTS, np.bitwise_or), 'vxor': (INTS, np.bitwise_xor)}
COMPARE = {'eq': np.equal, 'ne': np.not_equal, 'lt': np.less, 'le': np.less_equal, 'gt': np.greater, 'ge': np.greater_equal}


class Kernel:
    """Writes a kernel and interprets it on the way."""

    def __init__(self, seed):
        self.r = random.Random(seed)
        self.memory = np.zeros(MEMORY, 'u1')
        self.memory[:INPUT] = np.frombuffer(self.r.randbytes(INPUT), 'u1')
        for at in range(0, INPUT, 4):  # ordinary numbers too
            if self.r.random() < 0.5:
                self.memory[at : at + 4] = np.array([self.r.uniform(-100, 100)], 'f4').view('u1')
        self.given = self.memory[:INPUT].copy()
        self.lines, self.count, self.registers, self.masks = [], 0, [], []

    def fresh(self):
        self.count += 1
        return '%%v%d' % self.count

    def vreg(self, t):
        return '!pto.vreg<%dx%s>' % (BYTES // SIZE[t], t)

    def emit(self, text):
        self.lines.append('      ' + text)

    def pick(self, size=None, types=None):
        """A register (name, type, bytes) of a type; one of another type of its size as a bitcast."""
        some = [x for x in self.registers if (types is None or x[1] in types) and (size is None or SIZE[x[1]] == size)]
        return self.r.choice(some) if some else self.load(self.r.choice(types or [t for t in SIZE if size in (None, SIZE[t])]))

    def mask_for(self, size):
        some = [m for m in self.masks if m[1] == size]
        return self.r.choice(some) if some and self.r.random() < 0.7 else self.make_mask(size)

    # -- masks: (name, width, lanes)

    def make_mask(self, size):
        n, name, bits = BYTES // size, self.fresh(), 8 * size
        i = np.arange(n)
        if self.r.random() < 0.5:
            pattern = self.r.choice(list(PATTERNS))
            self.emit('%s = pto.pset_b%d "%s" : !pto.mask<b%d>' % (name, bits, pattern, bits))
            lanes = PATTERNS[pattern](i, n)
        else:
            count, rest, value = self.fresh(), self.fresh(), self.r.randrange(0, n + 20)
            self.emit('%s = arith.constant %d : i32' % (count, value))
            self.emit('%s, %s = pto.plt_b%d %s : i32 -> !pto.mask<b%d>, i32' % (name, rest, bits, count, bits))
            lanes = i < value
        self.masks.append((name, size, np.broadcast_to(lanes, n).copy()))
        return self.masks[-1]

    def combine_masks(self):
        size = self.r.choice([1, 2, 4])
        a, b, m = (self.mask_for(size) for _ in range(3))
        op, f = self.r.choice([('pand', np.logical_and), ('por', np.logical_or), ('pxor', np.logical_xor)])
        name, t = self.fresh(), '!pto.mask<b%d>' % (8 * size)
        self.emit('%s = pto.%s %s, %s, %s : %s, %s, %s -> %s' % (name, op, a[0], b[0], m[0], t, t, t, t))
        self.masks.append((name, size, f(a[2], b[2]) & m[2]))

    # -- registers

    def give(self, name, t, lanes):
        self.registers.append((name, t, np.ascontiguousarray(lanes).view('u1')))
        return self.registers[-1]

    def load(self, t=None):
        t = t or self.r.choice(list(SIZE))
        size, name, offset = SIZE[t], self.fresh(), self.fresh()
        dist = self.r.choice(['NORM', 'BRC']) if self.r.random() < 0.4 else 'NORM'
        align = 32 if dist == 'NORM' else size
        at = self.r.randrange(0, (INPUT - BYTES) // align) * align
        self.emit('%s = arith.constant %d : index' % (offset, at // size))
        suffix = '' if dist == 'NORM' else ' {dist = "BRC_B%d"}' % (8 * size)
        self.emit('%s = pto.vlds %%in_%s[%s]%s : !pto.ptr<%s, ub> -> %s' % (name, t, offset, suffix, t, self.vreg(t)))
        data = self.memory[at : at + BYTES] if dist == 'NORM' else np.tile(self.memory[at : at + size], BYTES // size)
        return self.give(name, t, data.copy())

    def store(self):
        name, t, data = self.pick()
        size, mask, offset = SIZE[t], self.mask_for(SIZE[t]), self.fresh()
        at = INPUT + self.r.randrange(0, (MEMORY - INPUT - BYTES) // 32) * 32
        self.emit('%s = arith.constant %d : index' % (offset, at // size))
        self.emit('pto.vsts %s, %%in_%s[%s], %s : %s, !pto.ptr<%s, ub>, !pto.mask<b%d>' % (
            name, t, offset, mask[0], self.vreg(t), t, 8 * size))
        where = np.repeat(mask[2], size)
        self.memory[at : at + BYTES][where] = data[where]

    def masked(self, lanes, mask):
        return np.where(mask[2], lanes, np.zeros_like(lanes))

    def unary(self):
        op = self.r.choice(list(UNARY))
        types, f = UNARY[op]
        a, t = self.pick(types=types), None
        t = a[1]
        mask, name = self.mask_for(SIZE[t]), self.fresh()
        self.emit('%s = pto.%s %s, %s : %s, !pto.mask<b%d> -> %s' % (name, op, a[0], mask[0], self.vreg(t), 8 * SIZE[t], self.vreg(t)))
        self.give(name, t, self.masked(narrow(f(wide(lanes_of(a[2], t), t)), t), mask))

    def binary(self):
        op = self.r.choice(list(BINARY))
        types, f = BINARY[op]
        a = self.pick(types=types)
        t = a[1]
        b, mask, name = self.pick(types=[t]), self.mask_for(SIZE[t]), self.fresh()
        v = self.vreg(t)
        self.emit('%s = pto.%s %s, %s, %s : %s, %s, !pto.mask<b%d> -> %s' % (name, op, a[0], b[0], mask[0], v, v, 8 * SIZE[t], v))
        self.give(name, t, self.masked(narrow(f(wide(lanes_of(a[2], t), t), wide(lanes_of(b[2], t), t)), t), mask))

    def scalar(self):
        op, f = self.r.choice([('vadds', np.add), ('vmuls', np.multiply), ('vmaxs', largest), ('vmins', smallest)])
        a = self.pick(types=['i16', 'i32', 'f16', 'f32'])
        t = a[1]
        mask, name, k = self.mask_for(SIZE[t]), self.fresh(), self.fresh()
        value = self.r.choice([-2.5, 0.5, 3.0]) if t[0] == 'f' else self.r.randrange(-50, 50)
        self.emit('%s = arith.constant %s : %s' % (k, value, t))
        v = self.vreg(t)
        self.emit('%s = pto.%s %s, %s, %s : %s, %s, !pto.mask<b%d> -> %s' % (name, op, a[0], k, mask[0], v, t, 8 * SIZE[t], v))
        x = wide(lanes_of(a[2], t), t)
        self.give(name, t, self.masked(narrow(f(x, x.dtype.type(value)), t), mask))

    def compare(self):
        mode = self.r.choice(list(COMPARE))
        a = self.pick(types=INTS + ['f16', 'f32'])
        t = a[1]
        b, seed, name = self.pick(types=[t]), self.mask_for(SIZE[t]), self.fresh()
        v, m = self.vreg(t), '!pto.mask<b%d>' % (8 * SIZE[t])
        self.emit('%s = pto.vcmp %s, %s, %s, "%s" : %s, %s, %s -> %s' % (name, a[0], b[0], seed[0], mode, v, v, m, m))
        x, y = wide(lanes_of(a[2], t), t), wide(lanes_of(b[2], t), t)
        self.masks.append((name, SIZE[t], COMPARE[mode](x, y) & seed[2]))

    def select(self):
        a = self.pick(types=INTS + FLOATS)
        t = a[1]
        b, mask, name = self.pick(types=[t]), self.mask_for(SIZE[t]), self.fresh()
        v = self.vreg(t)
        self.emit('%s = pto.vsel %s, %s, %s : %s, %s, !pto.mask<b%d> -> %s' % (name, a[0], b[0], mask[0], v, v, 8 * SIZE[t], v))
        self.give(name, t, np.where(mask[2], lanes_of(a[2], t), lanes_of(b[2], t)))

    def zip(self):
        a = self.pick(types=INTS + FLOATS)
        t = a[1]
        b, low, high, v = self.pick(types=[t]), self.fresh(), self.fresh(), self.vreg(a[1])
        op = self.r.choice(['vintlv', 'vdintlv'])
        self.emit('%s, %s = pto.%s %s, %s : %s, %s -> %s, %s' % (low, high, op, a[0], b[0], v, v, v, v))
        x, y = lanes_of(a[2], t), lanes_of(b[2], t)
        both = np.stack([x, y], axis=1).reshape(-1) if op == 'vintlv' else np.concatenate([x, y])
        n = len(x)
        first, second = (both[:n], both[n:]) if op == 'vintlv' else (both[0::2], both[1::2])
        self.give(low, t, first.copy())
        self.give(high, t, second.copy())

    def bitcast(self):
        a = self.pick(types=INTS)  # the payload of a computed NaN is open
        t = self.r.choice([x for x in SIZE if x != a[1]])
        name = self.fresh()
        self.emit('%s = pto.vbitcast %s : %s -> %s' % (name, a[0], self.vreg(a[1]), self.vreg(t)))
        self.give(name, t, a[2])

    def reduce(self):
        a = self.pick(types=['i32'])
        mask, name = self.mask_for(4), self.fresh()
        v = self.vreg('i32')
        op = self.r.choice(['vcadd', 'vcgmax', 'vcgadd'])
        self.emit('%s = pto.%s %s, %s : %s, !pto.mask<b32> -> %s' % (name, op, a[0], mask[0], v, v))
        x, out = wide(lanes_of(a[2], 'i32'), 'i32'), np.zeros(64, 'i8')
        if op == 'vcadd':
            out[0] = x[mask[2]].sum()
        for g in range(8):
            part = x[8 * g : 8 * g + 8][mask[2][8 * g : 8 * g + 8]]
            if op == 'vcgadd':
                out[g] = part.sum()
            elif op == 'vcgmax':
                out[g] = part.max() if len(part) else -(1 << 31)
        self.give(name, 'i32', narrow(out, 'i32'))

    def text(self, steps):
        actions = [self.load, self.store, self.unary, self.binary, self.binary, self.binary, self.scalar, self.compare, self.select,
                   self.zip, self.bitcast, self.reduce, self.combine_masks]
        with np.errstate(all='ignore'):
            for _ in range(steps):
                self.r.choice(actions)()
            for _ in range(4):
                self.store()
        casts = '\n'.join('    %%in_%s = pto.castptr %%zero : i64 -> !pto.ptr<%s, ub>' % (t, t) for t in SIZE)
        return '''module attributes {pto.target_arch = "a5", pto.kernel_kind = #pto.kernel_kind<vector>} {
  func.func @k(%%x: !pto.ptr<ui8>, %%y: !pto.ptr<ui8>) attributes {pto.entry} {
    %%zero = arith.constant 0 : i64
    %%one = arith.constant 1 : i64
    %%all = arith.constant %d : i64
%s
    pto.mte_gm_ub %%x, %%in_ui8, %%zero, %%all nburst(%%one, %%all, %%all) : !pto.ptr<ui8>, !pto.ptr<ui8, ub>, i64, i64, i64, i64, i64
    pto.vecscope {
%s
    }
    pto.mte_ub_gm %%in_ui8, %%y, %%all nburst(%%one, %%all, %%all) : !pto.ptr<ui8, ub>, !pto.ptr<ui8>, i64, i64, i64, i64
    return
  }
}
''' % (MEMORY, casts, '\n'.join(self.lines))


def same(got, want):
    """Whether bytes agree; a NaN of f32, f16 or bf16 may have any payload."""
    if (got == want).all():
        return True
    bad = np.flatnonzero(got != want)
    for at in bad:
        f4 = [x[at // 4 * 4 : at // 4 * 4 + 4].view('f4')[0] for x in (got, want)]
        h = [x[at // 2 * 2 : at // 2 * 2 + 2].view('u2')[0] for x in (got, want)]
        half = all(v & 0x7FFF > 0x7C00 for v in h)
        brain = all(v & 0x7FFF > 0x7F80 for v in h)
        if not (np.isnan(f4).all() or half or brain):
            return False
    return True


def main():
    tap = Tap()
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 200
    first = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    wrong = []
    folder = pathlib.Path(tempfile.mkdtemp(prefix='random-kernels-'))
    for seed in range(first, first + count):
        kernel = Kernel(seed)
        text = kernel.text(5 + seed % 60)
        source, out = folder / 'k.pto', folder / 'y.npy'
        source.write_text(text)
        data = np.zeros(MEMORY, 'u1')
        data[:INPUT] = kernel.given
        np.save(folder / 'x.npy', data)
        done = subprocess.run([sys.argv[1], 'run', '--profile=a5', '--color=never', str(source), str(folder / 'x.npy'),
                               'zeros:%d>%s' % (MEMORY, out)], capture_output=True, text=True, timeout=60)
        fine = done.returncode == 0 and same(np.load(out), kernel.memory)
        if not fine:
            kept = folder / ('%d.pto' % seed)
            kept.write_text(text)
            wrong.append('%s: %s' % (kept, (done.stderr.splitlines() or ['other bytes at %d' % int(
                np.flatnonzero(np.load(out) != kernel.memory)[0])])[0]))
    tap.ok(not wrong, '%d random kernels' % count, '\n'.join(wrong[:20]))
    tap.end()


main()
