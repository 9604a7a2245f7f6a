#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""random_kernels.py PTOASM [COUNT [FIRST]]: random kernels of micro-instructions against an interpreter.

Each kernel copies random bytes to the vector memory, makes masks, loads registers, computes, stores, and copies the memory
back; the interpreter below does the same with numpy, from the facts about the instructions alone. TAP on standard output."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import random_run
from random_run import COMPARE, FLOATS, INPUT, Types, largest, np, rectified, size_of, smallest

kind, wide, narrow = (getattr(Types('i'), name) for name in ('kind', 'wide', 'narrow'))

BYTES, MEMORY = 256, 8192  # of a register; compared bytes
INTS = ['i8', 'ui8', 'i16', 'ui16', 'i32', 'ui32']
TYPES = INTS + FLOATS
PATTERNS = {'PAT_ALL': lambda i, n: i < n, 'PAT_ALLF': lambda i, n: i < 0, 'PAT_H': lambda i, n: i < n // 2,
            'PAT_Q': lambda i, n: i < n // 4, 'PAT_M3': lambda i, n: i % 3 == 0, 'PAT_M4': lambda i, n: i % 4 == 0,
            'PAT_VL1': lambda i, n: i < 1, 'PAT_VL8': lambda i, n: i < 8, 'PAT_VL32': lambda i, n: i < 32}


def lanes_of(register, t):
    return register.view(kind(t))


# ---- instructions: name, element types, arity, formula on numbers ----


UNARY = {'vabs': (['i8', 'i16', 'i32'] + FLOATS, np.abs), 'vneg': (['i8', 'i16', 'i32'] + FLOATS, np.negative),
         'vrelu': (['i32', 'f16', 'f32'], rectified), 'vsqrt': (['f16', 'f32'], np.sqrt),
         'vnot': (INTS, np.invert)}
BINARY = {'vadd': (INTS + FLOATS, np.add), 'vsub': (INTS + FLOATS, np.subtract), 'vmul': (['i16', 'ui16', 'i32', 'ui32'] + FLOATS, np.multiply),
          'vdiv': (['f16', 'f32'], np.divide), 'vmax': (INTS + FLOATS, largest), 'vmin': (INTS + FLOATS, smallest),
          'vand': (INTS, np.bitwise_and), 'vor': (INTS, np.bitwise_or), 'vxor': (INTS, np.bitwise_xor)}


class Kernel(random_run.Kernel):
    """Writes a kernel and interprets it on the way."""

    def __init__(self, seed):
        super().__init__(seed, MEMORY)
        self.registers, self.masks = [], []

    def vreg(self, t):
        return '!pto.vreg<%dx%s>' % (BYTES // size_of(t), t)

    def pick(self, size=None, types=None):
        """A register (name, type, bytes) of a type; one of another type of its size as a bitcast."""
        some = [x for x in self.registers if (types is None or x[1] in types) and (size is None or size_of(x[1]) == size)]
        return self.r.choice(some) if some else self.load(self.r.choice(types or [t for t in TYPES if size in (None, size_of(t))]))

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
        t = t or self.r.choice(TYPES)
        size, name, offset = size_of(t), self.fresh(), self.fresh()
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
        size, mask, offset = size_of(t), self.mask_for(size_of(t)), self.fresh()
        at = INPUT + self.r.randrange(0, (MEMORY - INPUT - BYTES) // 32) * 32
        self.emit('%s = arith.constant %d : index' % (offset, at // size))
        self.emit('pto.vsts %s, %%in_%s[%s], %s : %s, !pto.ptr<%s, ub>, !pto.mask<b%d>' % (
            name, t, offset, mask[0], self.vreg(t), t, 8 * size))
        self.put(t, at // size + np.flatnonzero(mask[2]), data.reshape(-1, size)[mask[2]])

    def masked(self, lanes, mask):
        return np.where(mask[2], lanes, np.zeros_like(lanes))

    def unary(self):
        op = self.r.choice(list(UNARY))
        types, f = UNARY[op]
        a, t = self.pick(types=types), None
        t = a[1]
        mask, name = self.mask_for(size_of(t)), self.fresh()
        self.emit('%s = pto.%s %s, %s : %s, !pto.mask<b%d> -> %s' % (name, op, a[0], mask[0], self.vreg(t), 8 * size_of(t), self.vreg(t)))
        self.give(name, t, self.masked(narrow(f(wide(lanes_of(a[2], t), t)), t), mask))

    def binary(self):
        op = self.r.choice(list(BINARY))
        types, f = BINARY[op]
        a = self.pick(types=types)
        t = a[1]
        b, mask, name = self.pick(types=[t]), self.mask_for(size_of(t)), self.fresh()
        v = self.vreg(t)
        self.emit('%s = pto.%s %s, %s, %s : %s, %s, !pto.mask<b%d> -> %s' % (name, op, a[0], b[0], mask[0], v, v, 8 * size_of(t), v))
        self.give(name, t, self.masked(narrow(f(wide(lanes_of(a[2], t), t), wide(lanes_of(b[2], t), t)), t), mask))

    def scalar(self):
        op, f = self.r.choice([('vadds', np.add), ('vmuls', np.multiply), ('vmaxs', largest), ('vmins', smallest)])
        a = self.pick(types=['i16', 'i32', 'f16', 'f32'])
        t = a[1]
        mask, name, k = self.mask_for(size_of(t)), self.fresh(), self.fresh()
        value = self.r.choice([-2.5, 0.5, 3.0]) if t[0] == 'f' else self.r.randrange(-50, 50)
        self.emit('%s = arith.constant %s : %s' % (k, value, t))
        v = self.vreg(t)
        self.emit('%s = pto.%s %s, %s, %s : %s, %s, !pto.mask<b%d> -> %s' % (name, op, a[0], k, mask[0], v, t, 8 * size_of(t), v))
        x = wide(lanes_of(a[2], t), t)
        self.give(name, t, self.masked(narrow(f(x, x.dtype.type(value)), t), mask))

    def compare(self):
        mode = self.r.choice(list(COMPARE))
        a = self.pick(types=INTS + ['f16', 'f32'])
        t = a[1]
        b, seed, name = self.pick(types=[t]), self.mask_for(size_of(t)), self.fresh()
        v, m = self.vreg(t), '!pto.mask<b%d>' % (8 * size_of(t))
        self.emit('%s = pto.vcmp %s, %s, %s, "%s" : %s, %s, %s -> %s' % (name, a[0], b[0], seed[0], mode, v, v, m, m))
        x, y = wide(lanes_of(a[2], t), t), wide(lanes_of(b[2], t), t)
        self.masks.append((name, size_of(t), COMPARE[mode](x, y) & seed[2]))

    def select(self):
        a = self.pick(types=INTS + FLOATS)
        t = a[1]
        b, mask, name = self.pick(types=[t]), self.mask_for(size_of(t)), self.fresh()
        v = self.vreg(t)
        self.emit('%s = pto.vsel %s, %s, %s : %s, %s, !pto.mask<b%d> -> %s' % (name, a[0], b[0], mask[0], v, v, 8 * size_of(t), v))
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
        t = self.r.choice([x for x in TYPES if x != a[1]])
        name = self.fresh()
        self.emit('%s = pto.vbitcast %s : %s -> %s' % (name, a[0], self.vreg(a[1]), self.vreg(t)))
        self.give(name, t, a[2])

    def loop(self):
        """A loop whose second register becomes the bytes that the first one had before the iteration."""
        a = self.pick(types=INTS)
        w, b = self.pick(types=[a[1]]), self.pick(types=INTS)
        mask, v, u = self.mask_for(size_of(a[1])), self.vreg(a[1]), self.vreg(b[1])
        first, second, x, y, sums, was, i, zero, one, end = (self.fresh() for _ in range(10))
        times = self.r.randrange(0, 4)
        for name, value in [(zero, 0), (one, 1), (end, times)]:
            self.emit('%s = arith.constant %d : index' % (name, value))
        self.emit('%s, %s = scf.for %s = %s to %s step %s iter_args(%s = %s, %s = %s) -> (%s, %s) {' %
                  (first, second, i, zero, end, one, x, a[0], y, b[0], v, u))
        self.emit('%s = pto.vbitcast %s : %s -> %s' % (was, x, v, u))
        self.emit('%s = pto.vadd %s, %s, %s : %s, %s, !pto.mask<b%d> -> %s' % (sums, x, w[0], mask[0], v, v, 8 * size_of(a[1]), v))
        self.emit('scf.yield %s, %s : %s, %s' % (sums, was, v, u))
        self.emit('}')
        at_x, at_y, t = a[2], b[2], a[1]
        for _ in range(times):
            lanes = narrow(np.add(wide(lanes_of(at_x, t), t), wide(lanes_of(w[2], t), t)), t)
            at_x, at_y = np.ascontiguousarray(self.masked(lanes, mask)).view('u1'), at_x
        self.give(first, t, at_x)
        self.give(second, b[1], at_y)

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
                   self.zip, self.bitcast, self.loop, self.reduce, self.combine_masks]
        with np.errstate(all='ignore'):
            for _ in range(steps):
                self.r.choice(actions)()
            for _ in range(4):
                self.store()
        return self.module(TYPES)


random_run.main(Kernel, 60)
