#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""random_lanes.py PTOASM [COUNT [FIRST]] [--lower]: random kernels on logical vectors against an interpreter.

Each kernel copies random bytes to the vector memory, makes vectors and masks of odd and even numbers of lanes, computes, and
stores; the interpreter below does the same with numpy, where a vector is an array, from the facts about the instructions
alone. With --lower, `fmt --lower=micro` goes first: it may refuse a small share of the kernels. TAP on standard output."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import random_run
from random_run import COMPARE, FLOATS, INPUT, Types, largest, np, rectified, size_of, smallest

kind, wide, narrow = (getattr(Types('u'), name) for name in ('kind', 'wide', 'narrow'))

MEMORY = 12288  # compared bytes
LOWER = '--lower' in sys.argv
LANES = [8, 64, 128, 256, 512] if LOWER else [1, 2, 4, 6, 8, 16, 24, 64, 100, 128, 200, 256, 384, 512]
UNSIGNED, SIGNLESS, SIGNED = ['ui8', 'ui16', 'ui32'], ['i8', 'i16', 'i32'], ['si8', 'si16', 'si32']
INTS = UNSIGNED + SIGNLESS + SIGNED
TYPES = INTS + FLOATS


UNARY = {'vabs': (SIGNED + FLOATS, np.abs), 'vneg': (SIGNED + ['f16', 'f32'], np.negative),
         'vrelu': (['si32', 'f16', 'f32'], rectified), 'vsqrt': (['f16', 'f32'], np.sqrt),
         'vnot': (INTS, np.invert)}
BINARY = {'vadd': (TYPES, np.add), 'vsub': (TYPES, np.subtract),
          'vmul': ([t for t in TYPES if size_of(t) > 1], np.multiply), 'vdiv': (['f16', 'f32'], np.divide),
          'vmax': (TYPES, largest), 'vmin': (TYPES, smallest), 'vand': (INTS, np.bitwise_and), 'vor': (INTS, np.bitwise_or),
          'vxor': (INTS, np.bitwise_xor)}
SCALAR = {'vadds': np.add, 'vmuls': np.multiply, 'vmaxs': largest, 'vmins': smallest}


def added_once(x, y, t):
    """x + y, both exact in f64, rounded once to f32, in which lanes are computed: the f64 sum is rounded to odd first, so that the
    second rounding decides as the first."""
    s = x + y
    rest = (x - (s - (s - x))) + (y - (s - x))  # what the sum lacks
    even = (s.view('u8') & 1 == 0) & np.isfinite(s) & (rest != 0) & np.isfinite(rest)
    return narrow(np.where(even, np.nextafter(s, np.where(rest > 0, np.inf, -np.inf)), s).astype('f4'), t)


# The older instructions: element types, formula.
PARTS1 = {'negf': (['f16', 'f32'], np.negative), 'negi': (SIGNED, np.negative), 'absf': (FLOATS, np.abs), 'absi': (SIGNED, np.abs),
          'sqrt': (['f16', 'f32'], np.sqrt), 'relu': UNARY['vrelu'], 'not': (INTS, np.invert)}
PARTS2 = {'addf': (FLOATS, np.add), 'addi': (INTS, np.add), 'subf': (FLOATS, np.subtract), 'subi': (INTS, np.subtract),
          'mulf': (FLOATS, np.multiply), 'muli': ([t for t in INTS if size_of(t) > 1], np.multiply), 'divf': (['f16', 'f32'], np.divide),
          'minf': (FLOATS, smallest), 'maxf': (FLOATS, largest), 'mini': (INTS, smallest), 'maxi': (INTS, largest), 'andi': (INTS, np.bitwise_and),
          'ori': (INTS, np.bitwise_or), 'xori': (INTS, np.bitwise_xor)}


class Vector:
    def __init__(self, name, t, lanes):
        self.name, self.t, self.lanes = name, t, np.ascontiguousarray(lanes)
        self.n = len(self.lanes)

    @property
    def type(self):
        return '!pto.vmi.vreg<%dx%s>' % (self.n, self.t)

    @property
    def numbers(self):
        return wide(self.lanes, self.t)


class Mask:
    def __init__(self, name, lanes):
        self.name, self.lanes, self.n = name, lanes, len(lanes)

    @property
    def type(self):
        return '!pto.vmi.mask<%dxpred>' % self.n


class Kernel(random_run.Kernel):
    """Writes a kernel and interprets it on the way."""

    def __init__(self, seed):
        super().__init__(seed, MEMORY)
        self.vectors, self.masks = [], []

    def index(self, value, t='index'):
        name = self.fresh()
        self.emit('%s = arith.constant %d : %s' % (name, value, t))
        return name

    def number_of(self, value, t='index'):
        """A number that the lowering knows, or one that is computed."""
        if self.r.random() < 0.5:
            return self.index(value, t)
        rest = self.r.randrange(-100, 100)
        part, name, total = self.index(value - rest, t), self.index(rest, t), self.fresh()
        self.emit('%s = arith.addi %s, %s : %s' % (total, part, name, t))
        return total

    def stride_of(self, stride, t, row):
        """A stride that may be computed, where rows of so many lanes are gathered and scattered by numbers that are long enough."""
        return (self.number_of if size_of(t) == 4 and 4 * row % 256 != 0 else self.index)(stride)

    def give(self, t, lanes, text, *args):
        """Emits `%v = TEXT -> type` of a new vector."""
        v = Vector(self.fresh(), t, lanes)
        self.emit('%s = %s -> %s' % (v.name, text % args, v.type))
        self.vectors.append(v)
        return v

    def pick(self, types=None, n=None):
        some = [v for v in self.vectors if (types is None or v.t in types) and n in (None, v.n)]
        return self.r.choice(some) if some and self.r.random() < 0.85 else self.load(self.r.choice(types or TYPES), n)

    def mask_of(self, n):
        some = [m for m in self.masks if m.n == n]
        return self.r.choice(some) if some and self.r.random() < 0.7 else self.make_mask(n)

    # -- masks

    def make_mask(self, n=None):
        n = n or self.r.choice(LANES)
        name, i, way = self.fresh(), np.arange(n), self.r.randrange(4)
        if way == 0:
            first = self.r.choice([None, 1, 2, 3, 4, 8, 16, 32, 64, 128])
            self.emit('%s = pto.vmi.%s : !pto.vmi.mask<%dxpred>' % (name, 'pge "PAT_VL%d"' % first if first else 'pset "PAT_ALL"', n))
            lanes = i < (first or n)
        elif way == 1 and n % 4 == 0:
            groups = self.r.choice([g for g in (1, 2, 4) if n % g == 0])
            count = self.r.choice([-70000, -1, 70000] + list(range(0, n // groups + 3)))
            at = self.number_of(count)
            self.emit('%s = pto.vmi.create_group_mask %s {num_groups = %d, group_size = %d} : index -> !pto.vmi.mask<%dxpred>' % (
                name, at, groups, n // groups, n))
            lanes = i % (n // groups) < count
        elif way == 2:
            lanes = np.array([self.r.random() < 0.5 for _ in range(n)])
            if LOWER:  # few runs
                lanes = lanes[i * min(8, n) // n]
            words = ', '.join('true' if x else 'false' for x in lanes)
            self.emit('%s = "pto.vmi.constant_mask"() {value = dense<[%s]> : tensor<%dxi1>} : () -> !pto.vmi.mask<%dxpred>' % (
                name, words, n, n))
        else:
            count = self.r.choice([-(1 << 40), -1] + list(range(0, n + 20)))
            at = self.number_of(count)
            self.emit('%s = pto.vmi.create_mask %s : index -> !pto.vmi.mask<%dxpred>' % (name, at, n))
            lanes = i < count
        self.masks.append(Mask(name, lanes))
        return self.masks[-1]

    def combine_masks(self):
        a = self.make_mask()
        b = self.mask_of(a.n)
        op, f = self.r.choice([('vand', np.logical_and), ('vor', np.logical_or), ('vxor', np.logical_xor)])
        name = self.fresh()
        self.emit('%s = pto.vmi.%s %s, %s : %s, %s -> %s' % (name, op, a.name, b.name, a.type, b.type, a.type))
        self.masks.append(Mask(name, f(a.lanes, b.lanes)))
        turned = self.fresh()
        self.emit('%s = pto.vmi.vnot %s : %s -> %s' % (turned, name, a.type, a.type))
        self.masks.append(Mask(turned, ~self.masks[-1].lanes))

    # -- loads and stores

    def place(self, count, t, low=0, high=INPUT):
        size, unit = size_of(t), 32 // size_of(t) if LOWER else 1
        return self.r.randrange(low // size // unit, (high - count * size) // size // unit + 1) * unit

    def at(self, t, first, count):
        size = size_of(t)
        return self.memory[first * size : (first + count) * size].view(kind(t))

    def load(self, t=None, n=None):
        t, n = t or self.r.choice(TYPES), n or self.r.choice(LANES)
        source = '!pto.ptr<%s, ub>' % t
        way = self.r.randrange(6)
        groups = [g for g in (1, 2, 4, 8) if n % g == 0]
        if way == 0:
            g = self.r.choice(groups)
            stride = self.r.randrange(1, 60)
            first = self.place((g - 1) * stride + n // g, t)
            lanes = np.concatenate([self.at(t, first + k * stride, n // g) for k in range(g)])
            return self.give(t, lanes, 'pto.vmi.vload %%in_%s[%s], %s {group = %d} : %s', t, self.index(first), self.stride_of(stride, t, n // g),
                             g, source)
        if way == 1:
            first = self.place(1, t)
            return self.give(t, np.repeat(self.at(t, first, 1), n), 'pto.vmi.vload %%in_%s[%s] {dist_mode = "brc"} : %s', t, self.index(first), source)
        if way == 2:
            first, low, high = self.place(2 * n, t), self.fresh(), self.fresh()
            both = self.at(t, first, 2 * n)
            a, b = Vector(low, t, both[0::2].copy()), Vector(high, t, both[1::2].copy())
            self.emit('%s, %s = pto.vmi.vload %%in_%s[%s] {dist_mode = "dintlv"} : %s -> %s, %s' % (
                low, high, t, self.index(first), source, a.type, b.type))
            self.vectors += [a, b]
            return self.r.choice([a, b])
        first = self.place(n, t)
        return self.give(t, self.at(t, first, n).copy(), 'pto.vmi.vload %%in_%s[%s] : %s', t, self.index(first), source)

    def store(self):
        v = self.pick()
        t, n, to = v.t, v.n, '!pto.ptr<%s, ub>' % v.t
        way, groups = self.r.randrange(5), [g for g in (1, 2, 4, 8) if v.n % g == 0]
        if way == 0:
            g = self.r.choice(groups)
            stride = self.r.randrange(n // g, n // g + 20)
            first = self.place((g - 1) * stride + n // g, t, INPUT, MEMORY)
            self.emit('pto.vmi.vstore %s, %%in_%s[%s], %s {group = %d} : %s, %s' % (
                v.name, t, self.index(first), self.stride_of(stride, t, n // g), g, v.type, to))
            self.put(t, (first + stride * np.arange(g)[:, None] + np.arange(n // g)).reshape(-1), v.lanes)
        elif way == 1:
            high, first = self.pick([t], n), self.place(2 * n, t, INPUT, MEMORY)
            self.emit('pto.vmi.vstore %s, %s, %%in_%s[%s] {dist_mode = "dintlv"} : %s, %s, %s' % (
                v.name, high.name, t, self.index(first), v.type, high.type, to))
            self.put(t, first + np.arange(2 * n), np.stack([v.lanes, high.lanes], axis=1).reshape(-1))
        elif way == 2:
            mask, first = self.mask_of(n), self.place(n, t, INPUT, MEMORY)
            self.emit('pto.vmi.vstore %s, %%in_%s[%s], %s : %s, %s, %s' % (v.name, t, self.index(first), mask.name, v.type, to, mask.type))
            self.put(t, first + np.flatnonzero(mask.lanes), v.lanes[mask.lanes])
        else:
            first = self.place(n, t, INPUT, MEMORY)
            self.emit('pto.vmi.vstore %s, %%in_%s[%s] : %s, %s' % (v.name, t, self.index(first), v.type, to))
            self.put(t, first + np.arange(n), v.lanes)

    def gather(self):
        t = self.r.choice([x for x in TYPES if size_of(x) in (2, 4)])
        n = self.r.choice(LANES)
        index_type = 'i%d' % (8 * size_of(t))
        base = self.give(index_type, narrow(np.arange(n), index_type), 'pto.vmi.vci %s : %s', self.scalar_of(0, index_type), index_type)
        step = self.give(index_type, narrow(np.full(n, 3), index_type), 'pto.vmi.vbrc %s : %s', self.scalar_of(3, index_type), index_type)
        at = self.give(index_type, narrow(base.numbers * 3, index_type), 'pto.vmi.vmul %s, %s : %s, %s', base.name, step.name, base.type, step.type)
        mask = self.mask_of(n)
        if 3 * n * size_of(t) > INPUT:
            return
        source = self.at(t, 0, 3 * n)
        lanes = np.where(mask.lanes, source[::3], np.zeros(1, kind(t)))
        self.give(t, lanes, 'pto.vmi.vgather %%in_%s, %s, %s : !pto.ptr<%s, ub>, %s, %s', t, at.name, mask.name, t, at.type, mask.type)

    # -- vectors

    def scalar_of(self, value, t):
        name = self.fresh()
        if t in SIGNED or t in UNSIGNED:
            plain = self.fresh()
            bits = 8 * size_of(t)
            low = value & ((1 << bits) - 1)
            self.emit('%s = arith.constant %d : i%d' % (plain, low - (1 << bits) if low >> (bits - 1) else low, bits))
            self.emit('%s = builtin.unrealized_conversion_cast %s : i%d to %s' % (name, plain, bits, t))
        else:
            self.emit('%s = arith.constant %s : %s' % (name, value, t))
        return name

    def number(self, t):
        return self.r.choice([-2.5, 0.5, 3.0]) if t in FLOATS else self.r.randrange(0 if t in UNSIGNED else -50, 50)

    def make(self):
        t, n = self.r.choice([x for x in TYPES if x not in UNSIGNED]), self.r.choice(LANES)
        value = self.number(t)
        if t in ('i16', 'i32') and self.r.random() < 0.5:
            down, groups = self.r.random() < 0.5, self.r.choice([g for g in (1, 2, 4) if n % g == 0])
            i = np.arange(n) % (n // groups)
            words = [', '.join(w for w in ('order = "DESC"' if down else '', 'group = %d' % groups if groups > 1 else '') if w)]
            attrs = ' {%s}' % words[0] if words[0] else ''
            self.give(t, narrow(value - i if down else value + i, t), 'pto.vmi.vci %s%s : %s', self.scalar_of(value, t), attrs, t)
        else:
            self.give(t, narrow(np.full(n, np.float32(value) if t in FLOATS else value), t), 'pto.vmi.vbrc %s : %s', self.scalar_of(value, t), t)

    def spread(self):
        v = self.pick(n=self.r.choice([1, 2, 4, 8]))
        times = self.r.choice([1, 4, 16, 32 if LOWER else 25])
        attrs = '' if v.n == 1 else ' {group = %d}' % v.n
        self.give(v.t, np.repeat(v.lanes, times), 'pto.vmi.vbrc %s%s : %s', v.name, attrs, v.type)

    def masked(self, lanes, mask):
        return lanes if mask is None else np.where(mask.lanes, lanes, np.zeros(1, lanes.dtype))

    def maybe_mask(self, n):
        return self.mask_of(n) if self.r.random() < 0.4 else None

    def unary(self):
        op = self.r.choice(list(UNARY))
        types, f = UNARY[op]
        v = self.pick(types)
        m = self.maybe_mask(v.n)
        self.give(v.t, self.masked(narrow(f(v.numbers), v.t), m), 'pto.vmi.%s %s%s : %s%s', op, v.name, ', ' + m.name if m else '',
                  v.type, ', ' + m.type if m else '')

    def binary(self):
        op = self.r.choice(list(BINARY))
        types, f = BINARY[op]
        a = self.pick(types)
        b, m = self.pick([a.t], a.n), self.maybe_mask(a.n)
        self.give(a.t, self.masked(narrow(f(a.numbers, b.numbers), a.t), m), 'pto.vmi.%s %s, %s%s : %s, %s%s', op, a.name, b.name,
                  ', ' + m.name if m else '', a.type, b.type, ', ' + m.type if m else '')

    def shift(self):
        a = self.pick(INTS)
        bits = 8 * size_of(a.t)
        count = self.r.randrange(0, bits)
        k = self.scalar_of(count, 'i16')
        op, m = self.r.choice(['vshls', 'vshrs']), self.mask_of(a.n)
        x = a.numbers << count if op == 'vshls' else a.numbers >> count
        self.give(a.t, self.masked(narrow(x, a.t), m), 'pto.vmi.%s %s, %s, %s : %s, i16, %s', op, a.name, k, m.name, a.type, m.type)

    def scalar(self):
        op = self.r.choice(list(SCALAR))
        a = self.pick(['i16', 'i32', 'si16', 'si32', 'f16', 'f32'])
        value, m = self.number(a.t), self.mask_of(a.n)
        k = self.scalar_of(value, a.t)
        y = wide(narrow(np.array([value]), a.t), a.t)[0]
        self.give(a.t, self.masked(narrow(SCALAR[op](a.numbers, a.numbers.dtype.type(y)), a.t), m), 'pto.vmi.%s %s, %s, %s : %s, %s, %s', op, a.name, k,
                  m.name, a.type, a.t, m.type)

    def carry(self):
        a = self.pick(['i32', 'ui32'])
        b, m = self.pick([a.t], a.n), self.mask_of(a.n)
        out, carry = self.fresh(), self.fresh()
        total = a.lanes.astype('u8') + b.lanes.astype('u8')
        self.emit('%s, %s = pto.vmi.vaddc %s, %s, %s : %s, %s, %s -> %s, %s' % (out, carry, a.name, b.name, m.name, a.type, b.type, m.type, a.type, m.type))
        self.vectors.append(Vector(out, a.t, self.masked(narrow(total.astype('i8'), a.t), m)))
        self.masks.append(Mask(carry, (total >> 32 != 0) & m.lanes))

    def compare(self):
        mode = self.r.choice(list(COMPARE))
        a = self.pick([t for t in TYPES if t != 'bf16'])
        b, seed, name = self.pick([a.t], a.n), self.mask_of(a.n), self.fresh()
        self.emit('%s = pto.vmi.vcmp %s, %s, %s {cmp = "%s"} : %s, %s, %s -> %s' % (name, a.name, b.name, seed.name, mode, a.type, b.type, seed.type, seed.type))
        self.masks.append(Mask(name, COMPARE[mode](a.numbers, b.numbers) & seed.lanes))

    def select(self):
        a = self.pick()
        b, m = self.pick([a.t], a.n), self.mask_of(a.n)
        self.give(a.t, np.where(m.lanes, a.lanes, b.lanes), 'pto.vmi.vsel %s, %s, %s : %s, %s, %s', m.name, a.name, b.name, m.type, a.type, b.type)

    def reduce(self):
        op = self.r.choice(['vcadd', 'vcmax', 'vcmin'])
        a = self.pick([t for t in INTS if op == 'vcadd' or size_of(t) > 1] + ([] if op == 'vcadd' else ['f16', 'f32']))
        m, groups = self.mask_of(a.n), self.r.choice([g for g in (1, 2, 4, 8) if a.n % g == 0])
        x = a.numbers
        if a.t in FLOATS:
            idle = np.float32(-np.inf if op == 'vcmax' else np.inf)
        else:
            info = np.iinfo(kind(a.t))
            idle = 0 if op == 'vcadd' else info.min if op == 'vcmax' else info.max
        x = np.where(m.lanes, x, idle).reshape(groups, -1)
        out = x.sum(axis=1) if op == 'vcadd' else x.max(axis=1) if op == 'vcmax' else x.min(axis=1)
        attrs = '' if groups == 1 else ' {group = %d}' % groups
        self.give(a.t, narrow(out, a.t), 'pto.vmi.%s %s, %s%s : %s, %s', op, a.name, m.name, attrs, a.type, m.type)

    def zip(self):
        a = self.pick()
        b, m, low, high = self.pick([a.t], a.n), self.mask_of(a.n), self.fresh(), self.fresh()
        op = self.r.choice(['vintlv', 'vdintlv'])
        self.emit('%s, %s = pto.vmi.%s %s, %s, %s : %s, %s, %s -> %s, %s' % (low, high, op, a.name, b.name, m.name, a.type, b.type, m.type, a.type, a.type))
        both = np.stack([a.lanes, b.lanes], axis=1).reshape(-1) if op == 'vintlv' else np.concatenate([a.lanes, b.lanes])
        first, second = (both[: a.n], both[a.n :]) if op == 'vintlv' else (both[0::2], both[1::2])
        self.vectors += [Vector(low, a.t, self.masked(first.copy(), m)), Vector(high, a.t, self.masked(second.copy(), m))]

    def channels(self):
        a = self.pick(TYPES, 512 if LOWER else self.r.choice([4, 8, 64, 128, 256]))
        c = 2 if LOWER and size_of(a.t) == 1 else self.r.choice([2, 4])
        names = [self.fresh() for _ in range(c)]
        parts = [Vector(names[k], a.t, a.lanes[k::c].copy()) for k in range(c)]
        self.emit('%s = "pto.vmi.channel_split"(%s) : (%s) -> (%s)' % (', '.join(names), a.name, a.type, ', '.join(p.type for p in parts)))
        order = self.r.sample(parts, c)
        merged = Vector(self.fresh(), a.t, np.stack([p.lanes for p in order], axis=1).reshape(-1))
        self.emit('%s = "pto.vmi.channel_merge"(%s) : (%s) -> %s' % (merged.name, ', '.join(p.name for p in order), ', '.join(p.type for p in order), merged.type))
        self.vectors += parts + [merged]

    def recast(self):
        a = self.pick(INTS)  # the payload of a computed NaN is open
        t = self.r.choice([x for x in TYPES if size_of(x) == size_of(a.t)])
        self.give(t, a.lanes.view(kind(t)), 'pto.vmi.vinterpret_cast %s : %s', a.name, a.type)

    def convert(self):
        n = self.r.choice(LANES)
        source, to, attrs = self.r.choice([('ui8', 'ui16', ''), ('ui8', 'ui32', ''), ('si16', 'si32', ''), ('ui16', 'ui32', ''), ('f16', 'f32', ''),
                                           ('bf16', 'f32', ''), ('si32', 'f32', ''), ('si16', 'f32', ''), ('si32', 'si8', 'NOSAT'), ('si16', 'si8', 'NOSAT'),
                                           ('ui32', 'ui8', 'SAT'), ('ui16', 'ui8', 'SAT'), ('si32', 'si16', 'SAT'), ('ui32', 'ui16', 'NOSAT'),
                                           ('f32', 'f16', 'SAT'), ('f32', 'bf16', 'SAT')])
        a = self.pick([source], n)
        x = a.numbers
        if to in INTS and attrs == 'SAT':
            info = np.iinfo(kind(to))
            x = np.clip(x, info.min, info.max)
        if to in ('f16', 'bf16'):
            most = np.float32(65504) if to == 'f16' else np.float32(3.3895313892515355e38)
            x = np.where(np.isnan(x), np.float32(0), np.clip(x, -most, most))
        self.give(to, narrow(x, to), 'pto.vmi.vcvt %s%s : %s', a.name, ' {saturate = "%s"}' % attrs if attrs else '', a.type)

    # -- the rest

    def fused(self):
        a = self.pick(['si16', 'ui16', 'si32', 'ui32'])
        b, c, m = self.pick([a.t], a.n), self.pick([a.t], a.n), self.maybe_mask(a.n)
        self.give(a.t, self.masked(narrow(a.numbers + b.numbers * c.numbers, a.t), m), 'pto.vmi.vmula %s, %s, %s%s : %s, %s, %s%s', a.name, b.name, c.name,
                  ', ' + m.name if m else '', a.type, b.type, c.type, ', ' + m.type if m else '')

    def scaled(self):
        """alpha * x + acc with one rounding, and slopes of negative lanes."""
        a = self.pick(['f16', 'f32'])
        b, m, value = self.pick([a.t], a.n), self.mask_of(a.n), self.number('f32')
        k = self.scalar_of(value, a.t)
        x, y = a.numbers.astype('f8'), b.numbers.astype('f8')
        op = self.r.choice(['vaxpy', 'vlrelu', 'vprelu'])
        if op == 'vaxpy':
            out = added_once(np.float64(value) * x, y, a.t)
            self.give(a.t, self.masked(out, m), 'pto.vmi.vaxpy %s, %s, %s, %s : %s, %s, %s, %s', a.name, b.name, k, m.name, a.type, b.type, a.t, m.type)
        elif op == 'vlrelu':
            out = np.where(x >= 0, x, value * x).astype(kind(a.t))
            self.give(a.t, self.masked(out, m), 'pto.vmi.vlrelu %s, %s, %s : %s, %s, %s', a.name, k, m.name, a.type, a.t, m.type)
        else:
            out = np.where(x >= 0, x, y * x).astype(kind(a.t))
            self.give(a.t, self.masked(out, m), 'pto.vmi.vprelu %s, %s, %s : %s, %s, %s', a.name, b.name, m.name, a.type, b.type, m.type)

    def product(self):
        a = self.pick(['i32', 'ui32'], self.r.choice([64, 128, 256]))
        b, m, low, high = self.pick([a.t], a.n), self.mask_of(a.n), self.fresh(), self.fresh()
        signed = a.t == 'i32'  # here a signless lane is signed
        both = [[int(z) for z in v.lanes.view('i4' if signed else 'u4')] for v in (a, b)]
        exact = [x * y for x, y in zip(*both)]
        self.emit('%s, %s = pto.vmi.vmull %s, %s, %s : %s, %s, %s -> %s, %s' % (low, high, a.name, b.name, m.name, a.type, b.type, m.type, a.type, a.type))
        for name, shift in (low, 0), (high, 32):
            lanes = np.array([z >> shift & 0xFFFFFFFF for z in exact], 'u4').view(kind(a.t))
            self.vectors.append(Vector(name, a.t, self.masked(lanes, m)))

    def exponentials(self):
        """e^(a - b), where the power is 1, or rounds to 0 or to infinity: others are not the same to the last bit everywhere."""
        a = self.pick(['f16', 'f32'])
        m, which, value = self.mask_of(a.n), self.mask_of(a.n), self.r.choice([30000.0, -30000.0])
        far = self.give(a.t, narrow(np.full(a.n, np.float32(value)), a.t), 'pto.vmi.vbrc %s : %s', self.scalar_of(value, a.t), a.t)
        b = self.give(a.t, np.where(which.lanes, a.lanes, far.lanes), 'pto.vmi.vsel %s, %s, %s : %s, %s, %s', which.name, a.name, far.name, which.type,
                      a.type, far.type)
        if self.r.random() < 0.5:
            a, b = b, a
        power = a.numbers - b.numbers
        if ((power != 0) & (power > -110) & (power < 90)).any():
            return
        out = np.where(power == 0, 1, np.where(power < 0, 0, np.where(power > 0, np.inf, np.nan))).astype('f4')
        self.give('f32', self.masked(out, m), 'pto.vmi.vexpdif %s, %s, %s : %s, %s, %s', a.name, b.name, m.name, a.type, b.type, m.type)

    def histogram(self):
        source, acc = self.pick(['ui8'], self.r.choice([64, 256, 512])), self.pick(['ui16'], self.r.choice([128, 256]))
        m, op = self.mask_of(source.n), self.r.choice(['vdhist', 'vchist'])
        counts = np.bincount(source.lanes[m.lanes], minlength=256)
        counts = np.cumsum(counts) if op == 'vchist' else counts
        self.give('ui16', narrow(acc.numbers + counts[: acc.n], 'ui16'), 'pto.vmi.%s %s, %s, %s : %s, %s, %s', op, acc.name, source.name, m.name, acc.type,
                  source.type, m.type)

    def pick_lanes(self):
        t = self.r.choice([x for x in TYPES])
        n = 256 // size_of(t)
        index_type = 'i%d' % (8 * size_of(t))
        a, index = self.pick([t], n), self.pick([index_type], n)
        limited = self.give(index_type, narrow(index.numbers & (n - 1), index_type), 'pto.vmi.vand %s, %s : %s, %s', index.name,
                            self.give(index_type, narrow(np.full(n, n - 1), index_type), 'pto.vmi.vbrc %s : %s', self.scalar_of(
                                n - 1 if n < 256 else -1, index_type), index_type).name, index.type, index.type)
        self.give(t, a.lanes[limited.lanes], 'pto.vmi.vselr %s, %s : %s, %s', a.name, limited.name, a.type, limited.type)

    def compare_scalar(self):
        a = self.pick(['i16', 'i32', 'f16', 'f32'])
        value, mode, seed, name = self.number(a.t), self.r.choice(list(COMPARE)), self.mask_of(a.n), self.fresh()
        k = self.scalar_of(value, a.t)
        y = wide(narrow(np.array([value]), a.t), a.t)[0]
        self.emit('%s = pto.vmi.vcmps %s, %s, %s {cmp = "%s"} : %s, %s, %s -> %s' % (name, a.name, k, seed.name, mode, a.type, a.t, seed.type, seed.type))
        self.masks.append(Mask(name, COMPARE[mode](a.numbers, a.numbers.dtype.type(y)) & seed.lanes))

    def left(self):
        n, count = self.r.choice(LANES), self.r.choice([-2147483000, -1] + list(range(0, 700, 7)))
        k, name, rest, i = self.number_of(count, 'i32'), self.fresh(), self.fresh(), self.fresh()
        self.emit('%s, %s = pto.vmi.plt %s : i32 -> !pto.vmi.mask<%dxpred>, i32' % (name, rest, k, n))
        self.masks.append(Mask(name, np.arange(n) < count))
        self.emit('%s = arith.index_cast %s : i32 to index' % (i, rest))
        again, m = self.fresh(), self.r.choice(LANES)
        self.emit('%s = pto.vmi.create_mask %s : index -> !pto.vmi.mask<%dxpred>' % (again, i, m))
        self.masks.append(Mask(again, np.arange(m) < max(count - n, 0)))

    def blocks(self):
        """Blocks of 32 bytes with a stride."""
        t = self.r.choice(TYPES)
        n, per = self.r.choice([x for x in LANES if x * size_of(t) % 32 == 0]), 32 // size_of(t)
        count, stride, first = n // per, self.r.randrange(1, 4), self.r.randrange(0, 4)
        strides = self.scalar_of(stride, 'i16'), self.scalar_of(first, 'i16')
        if 32 * (first + count * stride) > INPUT:
            return
        at = self.r.randrange(0, (INPUT - 32 * (first + count * stride)) // 32 + 1) * 32
        where = np.concatenate([np.arange(per) + (at + 32 * (first + b * stride)) // size_of(t) for b in range(count)])
        way, m, p = self.r.randrange(4), self.mask_of(n), '!pto.ptr<%s, ub>' % t
        if way == 0:
            self.give(t, self.memory.view(kind(t))[where], 'pto.vmi.vload %%in_%s[%s], %s, %s : %s', t, self.index(at // size_of(t)), *strides, p)
        elif way == 1:
            self.give(t, self.masked(self.memory.view(kind(t))[where], m), 'pto.vmi.stride_load %%in_%s[%s], %s, %s, %s : %s, i16, i16, %s', t,
                      self.index(at // size_of(t)), *strides, m.name, p, m.type)
        else:
            v, to = self.pick([t], n), INPUT + at
            if to + 32 * (first + count * stride) > MEMORY:
                return
            where = where + INPUT // size_of(t)
            if way == 2:
                self.emit('pto.vmi.stride_store %s, %%in_%s[%s], %s, %s, %s : %s, %s, i16, i16, %s' % (
                    v.name, t, self.index(to // size_of(t)), *strides, m.name, v.type, p, m.type))
            else:
                where = where - first * per
                self.emit('pto.vmi.vsstb %s, %%in_%s[%s], %s, %s : %s, %s, %s' % (
                    v.name, t, self.index(to // size_of(t)), strides[0], m.name, v.type, p, m.type))
            self.put(t, where[m.lanes], v.lanes[m.lanes])

    def scatter(self):
        t = self.r.choice([x for x in TYPES if size_of(x) > 1])
        v = self.pick([t], self.r.choice([8, 64, 128] if LOWER else [8, 64, 100, 128]))
        index_type, m, first = 'i%d' % (8 * size_of(t)), self.mask_of(v.n), INPUT // size_of(t)
        index = self.give(index_type, narrow(first + 700 - np.arange(v.n), index_type), 'pto.vmi.vci %s {order = "DESC"} : %s',
                          self.scalar_of(first + 700, index_type), index_type)
        if self.r.random() < 0.5:
            self.emit('pto.vmi.vscatter %s, %%in_%s, %s, %s : %s, !pto.ptr<%s, ub>, %s, %s' % (v.name, t, index.name, m.name, v.type, t, index.type, m.type))
        else:
            self.emit('pto.vmi.scatter %s, %%in_%s[%s], %s : %s, !pto.ptr<%s, ub>, %s, %s' % (v.name, t, index.name, m.name, v.type, t, index.type, m.type))
        self.put(t, index.lanes.astype('i8')[m.lanes], v.lanes[m.lanes])

    def active(self):
        """Active lanes that are loaded or stored alone, and moved together."""
        a = self.pick([t for t in TYPES if size_of(t) > 1], self.r.choice([8, 64] if LOWER else [8, 64, 100, 128]))
        m, way, p = self.mask_of(a.n), self.r.choice([0, 3] if LOWER else range(5)), '!pto.ptr<%s, ub>' % a.t
        on = m.lanes
        if way == 0:
            out = np.zeros_like(a.lanes)
            out[: on.sum()] = a.lanes[on]
            self.give(a.t, out, 'pto.vmi.compress %s, %s : %s, %s', a.name, m.name, a.type, m.type)
        elif way == 1:
            first = self.place(a.n, a.t, INPUT, MEMORY)
            self.emit('pto.vmi.compress_store %s, %%in_%s[%s], %s : %s, %s, %s' % (a.name, a.t, self.index(first), m.name, a.type, p, m.type))
            self.put(a.t, first + np.arange(int(on.sum())), a.lanes[on])
        elif way == 2:
            first, out = self.place(a.n, a.t), a.lanes.copy()
            out[on] = self.at(a.t, first, int(on.sum()))
            self.give(a.t, out, 'pto.vmi.expand_load %%in_%s[%s], %s, %s : %s, %s, %s', a.t, self.index(first), m.name, a.name, p, m.type, a.type)
        elif way == 3:
            first = self.place(a.n, a.t)
            self.give(a.t, np.where(on, self.at(a.t, first, a.n), a.lanes), 'pto.vmi.masked_load %%in_%s[%s], %s, %s : %s, %s, %s', a.t, self.index(first),
                      m.name, a.name, p, m.type, a.type)
        else:
            self.give('i32', (np.cumsum(on) - on).astype('u4'), 'pto.vmi.active_prefix_index %s : %s', m.name, m.type)

    def older(self):
        if self.r.random() < 0.4:
            op = self.r.choice(list(PARTS1))
            types, f = PARTS1[op]
            a = self.pick(types)
            self.give(a.t, narrow(f(a.numbers), a.t), 'pto.vmi.%s %s : %s', op, a.name, a.type)
            return
        op = self.r.choice(list(PARTS2))
        types, f = PARTS2[op]
        a = self.pick(types)
        b = self.pick([a.t], a.n)
        self.give(a.t, narrow(f(a.numbers, b.numbers), a.t), 'pto.vmi.%s %s, %s : %s, %s', op, a.name, b.name, a.type, b.type)

    def older_shift(self):
        """By lanes, of which each is less than the bits; the name says the sign."""
        a = self.pick(INTS)
        bits = 8 * size_of(a.t)
        count = self.r.randrange(0, bits)
        b = self.give(a.t, narrow(np.full(a.n, count), a.t), 'pto.vmi.vbrc %s : %s', self.scalar_of(count, a.t), a.t)
        op = self.r.choice(['shli', 'shrui', 'shrsi'])
        letter = 'i' if op == 'shrsi' else 'u'
        x = a.lanes.view('%s%d' % (letter, size_of(a.t))).astype('i8')
        self.give(a.t, narrow(x << count if op == 'shli' else x >> count, a.t), 'pto.vmi.%s %s, %s : %s, %s', op, a.name, b.name, a.type, b.type)

    def older_compare(self):
        """The predicate says the sign."""
        a = self.pick(INTS)
        b, name = self.pick([a.t], a.n), self.fresh()
        mode, sign = self.r.choice(list(COMPARE)), self.r.choice('iu')
        word = mode if mode in ('eq', 'ne') else {'i': 's', 'u': 'u'}[sign] + mode
        x, y = (v.lanes.view('%s%d' % (sign, size_of(a.t))) for v in (a, b))
        mask = Mask(name, COMPARE[mode](x, y))
        self.emit('%s = pto.vmi.cmpi "%s", %s, %s : %s, %s -> %s' % (name, word, a.name, b.name, a.type, b.type, mask.type))
        self.masks.append(mask)

    def older_fused(self):
        """lhs * rhs + acc, with products that are exact in f64."""
        a = self.pick(['f16', 'f32', 'bf16'])
        lhs, rhs = self.pick([a.t], a.n), self.pick([a.t], a.n)
        self.give(a.t, added_once(lhs.numbers.astype('f8') * rhs.numbers.astype('f8'), a.numbers.astype('f8'), a.t), 'pto.vmi.fma %s, %s, %s : %s, %s, %s', lhs.name, rhs.name, a.name,
                  lhs.type, rhs.type, a.type)

    def ensured(self):
        """Layouts are none of the lanes' business."""
        a, m, name = self.pick(), self.make_mask(), self.fresh()
        self.give(a.t, a.lanes, 'pto.vmi.ensure_layout %s : %s', a.name, a.type)
        self.emit('%s = pto.vmi.%s %s : %s -> %s' % (name, self.r.choice(['ensure_mask_layout', 'ensure_mask_granularity']), m.name, m.type, m.type))
        self.masks.append(Mask(name, m.lanes))

    def constant(self):
        t, n = self.r.choice(['i8', 'i16', 'i32', 'f16', 'f32']), self.r.choice([1, 4, 8, 64])
        if LOWER:
            value = self.number(t)
            self.give(t, narrow(np.full(n, value, 'f4' if t in FLOATS else 'i8'), t), '"pto.vmi.constant"() {value = dense<%s> : tensor<%dx%s>} : ()',
                      value, n, t)
            return
        values = [self.number(t) for _ in range(n)]
        a = self.give(t, narrow(np.array(values, 'f4' if t in FLOATS else 'i8'), t), '"pto.vmi.constant"() {value = dense<[%s]> : tensor<%dx%s>} : ()',
                      ', '.join(str(x) for x in values), n, t)
        order = [self.r.randrange(n) for _ in range(n)]
        self.give(t, a.lanes[order], '"pto.vmi.shuffle"(%s) {indices = array<i64: %s>} : (%s)', a.name, ', '.join(map(str, order)), a.type)

    # -- control flow

    def loop(self):
        a = self.pick(INTS)
        b = self.pick([a.t], a.n)
        times = self.r.randrange(0, 5)
        low, high, step = self.index(0), self.index(times), self.index(1)
        out, carried, inside = self.fresh(), self.fresh(), self.fresh()
        self.emit('%s = scf.for %%i%s = %s to %s step %s iter_args(%s = %s) -> (%s) {' % (out, out[1:], low, high, step, carried, a.name, a.type))
        self.emit('  %s = pto.vmi.vadd %s, %s : %s, %s -> %s' % (inside, carried, b.name, a.type, b.type, a.type))
        self.emit('  scf.yield %s : %s' % (inside, a.type))
        self.emit('}')
        self.vectors.append(Vector(out, a.t, narrow(a.numbers + times * b.numbers, a.t)))

    def branch(self):
        a = self.pick()
        b, out, which = self.pick([a.t], a.n), self.fresh(), self.r.random() < 0.5
        test = self.fresh()
        self.emit('%s = arith.constant %s' % (test, 'true' if which else 'false'))
        self.emit('%s = scf.if %s -> (%s) {' % (out, test, a.type))
        self.emit('  scf.yield %s : %s' % (a.name, a.type))
        self.emit('} else {')
        self.emit('  scf.yield %s : %s' % (b.name, a.type))
        self.emit('}')
        self.vectors.append(Vector(out, a.t, (a if which else b).lanes))

    def text(self, steps):
        actions = [self.load, self.store, self.unary, self.binary, self.binary, self.binary, self.scalar, self.shift, self.compare,
                   self.select, self.zip, self.recast, self.reduce, self.combine_masks, self.carry, self.channels, self.convert, self.spread,
                   self.make, self.gather, self.loop, self.branch, self.fused, self.scaled, self.product, self.exponentials, self.histogram,
                   self.pick_lanes, self.compare_scalar, self.left, self.blocks, self.scatter, self.active, self.older, self.older_shift, self.older_compare, self.older_fused, self.ensured,
                   self.constant]
        with np.errstate(all='ignore'):
            for _ in range(steps):
                self.r.choice(actions)()
            for _ in range(4):
                self.store()
        return self.module(TYPES)


random_run.main(Kernel, 50)
