# SPDX-License-Identifier: Apache-2.0
"""What the tests of random kernels share: numbers as lanes, a kernel that is written and interpreted on the way, and its run.

The memory of a kernel has random bytes up to INPUT, which it only reads, and what it stores after them. All bytes are compared.
The payload and sign of a computed NaN are open: where the last store was one of float lanes, a NaN equals every NaN of the
type, and what other stores left of it is not compared."""
import os
import pathlib
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from tap import Tap, need_numpy

need_numpy('random kernels')
import numpy as np

INPUT = 4096  # random bytes
FLOATS = ['f16', 'bf16', 'f32']
COMPARE = {'eq': np.equal, 'ne': np.not_equal, 'lt': np.less, 'le': np.less_equal, 'gt': np.greater, 'ge': np.greater_equal}


# ---- numbers ----


def size_of(t):
    return int(''.join(c for c in t if c.isdigit())) // 8


class Types:
    """Lanes of a type as numpy has them. Signless integers are signed ('i') or not ('u')."""

    def __init__(self, signless):
        self.signless = signless

    def kind(self, t):
        letter = 'u' if t == 'bf16' else {'i': self.signless, 's': 'i', 'u': 'u', 'f': 'f'}[t[0]]
        return np.dtype(letter + str(size_of(t)))

    def wide(self, lanes, t):
        """Lanes as numbers to compute with: f32 of floats, 64-bit integers of others."""
        if t == 'bf16':
            return (lanes.astype('u4') << 16).view('f4')
        return lanes.astype('f4') if t in FLOATS else lanes.astype('i8')

    def narrow(self, x, t):
        """Numbers as lanes: rounded once to nearest even, integers wrap."""
        if t == 'bf16':
            bits = np.ascontiguousarray(x, dtype='f4').view('u4').astype('u8')
            return np.where(np.isnan(x), 0x7FC0, (bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype('u2')
        if t in FLOATS:
            return np.asarray(x, dtype='f4').astype(self.kind(t))
        return (np.asarray(x).astype('i8') & ((1 << (8 * size_of(t))) - 1)).astype('u%d' % size_of(t)).view(self.kind(t))


def largest(x, y):
    return np.where(np.isnan(x) | np.isnan(y), np.float32(np.nan), np.where(x < y, y, x)) if x.dtype == 'f4' else np.maximum(x, y)


def smallest(x, y):
    return np.where(np.isnan(x) | np.isnan(y), np.float32(np.nan), np.where(y < x, y, x)) if x.dtype == 'f4' else np.minimum(x, y)


def rectified(x):
    return np.where(x > 0, x, np.zeros_like(x))


def is_nan(data, t):
    """Which elements of bytes are NaN of a float type."""
    bits = np.ascontiguousarray(data).view('u%d' % size_of(t))
    return {'f16': lambda: bits & 0x7FFF > 0x7C00, 'bf16': lambda: bits & 0x7FFF > 0x7F80,
            'f32': lambda: bits & 0x7FFFFFFF > 0x7F800000}[t]()


# ---- kernels ----


class Kernel:
    """The text of a kernel, and its memory."""

    def __init__(self, seed, memory):
        self.r = random.Random(seed)
        self.memory = np.zeros(memory, 'u1')
        self.memory[:INPUT] = np.frombuffer(self.r.randbytes(INPUT), 'u1')
        for at in range(0, INPUT, 4):  # ordinary numbers too
            if self.r.random() < 0.5:
                self.memory[at : at + 4] = np.array([self.r.uniform(-100, 100)], 'f4').view('u1')
        self.given = self.memory[:INPUT].copy()
        self.lines, self.count = [], 0
        # of each byte: which element of a store holds it (0: none of a NaN), and the type of that
        self.nan, self.nan_type, self.nans = np.zeros(memory, 'i8'), np.zeros(memory, 'i1'), 0

    def fresh(self):
        self.count += 1
        return '%%v%d' % self.count

    def emit(self, text):
        self.lines.append('      ' + text)

    def put(self, t, where, lanes):
        """Stores lanes as the elements of these numbers, of which none is there twice."""
        size, where = size_of(t), np.asarray(where)
        data = np.ascontiguousarray(lanes).view('u1').reshape(-1, size)
        at = where[:, None] * size + np.arange(size)
        assert len(where) == 0 or (at.min() >= INPUT and at.max() < len(self.memory))
        self.memory[at] = data
        self.nan[at] = 0
        if t in FLOATS:
            found = np.flatnonzero(is_nan(data.reshape(-1), t))
            self.nan[at[found]] = self.nans + 1 + np.arange(len(found))[:, None]
            self.nan_type[at[found]] = FLOATS.index(t)
            self.nans += len(found)

    def differs(self, got):
        """The first byte of the memory that is another one; None: all agree."""
        for at in np.flatnonzero(got != self.memory):
            if self.nan[at] == 0:
                return int(at)
            t = FLOATS[self.nan_type[at]]
            first = at // size_of(t) * size_of(t)
            element = slice(first, first + size_of(t))
            if (self.nan[element] == self.nan[at]).all() and not is_nan(got[element], t)[0]:
                return int(at)
        return None

    def module(self, types):
        """The whole text: pointers %in_T of these types, and the lines in a vector scope."""
        casts = '\n'.join('    %%in_%s = pto.castptr %%zero : i64 -> !pto.ptr<%s, ub>' % (t, t) for t in types)
        return '''module attributes {pto.target_arch = "a5", pto.kernel_kind = #pto.kernel_kind<vector>} {
  func.func @k(%%x: !pto.ptr<ui8>, %%y: !pto.ptr<ui8>) attributes {pto.entry} {
    %%zero = arith.constant 0 : i64
    %%one = arith.constant 1 : i64
    %%all = arith.constant %d : i64
%s
    pto.mte_gm_ub %%x, %%in_ui8, %%zero, %%all nburst(%%one, %%all, %%all) : !pto.ptr<ui8>, !pto.ptr<ui8, ub>, i64, i64, i64, i64, i64
    pto.set_flag[#pto.pipe<PIPE_MTE2>, #pto.pipe<PIPE_V>, #pto.event<EVENT_ID0>]
    pto.wait_flag[#pto.pipe<PIPE_MTE2>, #pto.pipe<PIPE_V>, #pto.event<EVENT_ID0>]
    pto.vecscope {
%s
    }
    pto.set_flag[#pto.pipe<PIPE_V>, #pto.pipe<PIPE_MTE3>, #pto.event<EVENT_ID0>]
    pto.wait_flag[#pto.pipe<PIPE_V>, #pto.pipe<PIPE_MTE3>, #pto.event<EVENT_ID0>]
    pto.mte_ub_gm %%in_ui8, %%y, %%all nburst(%%one, %%all, %%all) : !pto.ptr<ui8, ub>, !pto.ptr<ui8>, i64, i64, i64, i64
    return
  }
}
''' % (len(self.memory), casts, '\n'.join(self.lines))


# ---- runs ----


class Refused(Exception):
    """The lowering names statements that have no short form."""


class Wrong(Exception):
    pass


def lowered(ptoasm, source):
    """Lowers a file to micro-instructions, in place."""
    done = subprocess.run([ptoasm, 'fmt', '--lower=micro', '--profile=a5', '--color=never', str(source)], capture_output=True,
                          text=True, timeout=60)
    errors = [line for line in done.stderr.splitlines() if ': error: ' in line]
    if done.returncode == 1 and errors and all(e.endswith('[conversion]') for e in errors) and done.stdout == '':
        raise Refused(errors[0])
    if done.returncode != 0 or 'pto.vmi.' in done.stdout:
        raise Wrong('not lowered: ' + (done.stderr.splitlines() or ['logical vectors are left'])[0])
    source.write_text(done.stdout)


def run(ptoasm, kernel, text, folder, lower):
    source, out, memory = folder / 'k.pto', folder / 'y.npy', len(kernel.memory)
    source.write_text(text)
    data = np.zeros(memory, 'u1')
    data[:INPUT] = kernel.given
    np.save(folder / 'x.npy', data)
    if lower:
        lowered(ptoasm, source)
    done = subprocess.run([ptoasm, 'run', '--profile=a5', '--color=never', str(source), str(folder / 'x.npy'),
                           'zeros:%d>%s' % (memory, out)], capture_output=True, text=True, timeout=60)
    if done.returncode != 0:
        raise Wrong((done.stderr.splitlines() or ['exit %d' % done.returncode])[0])
    at = kernel.differs(np.load(out))
    if at is not None:
        raise Wrong('other bytes at %d' % at)


def main(kernel_of, steps, most_refused=3):
    """PTOASM [COUNT [FIRST]] [--lower]: kernel_of(seed) is written with 5 to 4 + steps actions. Of those that are lowered, so many
    percent may be refused. A kernel that differs is kept and named."""
    tap, lower = Tap(), '--lower' in sys.argv
    numbers = [int(a) for a in sys.argv[2:] if a != '--lower']
    count, first = (numbers + [200, 0])[:2] if len(numbers) != 1 else (numbers[0], 0)
    wrong, refused = [], []
    folder = pathlib.Path(tempfile.mkdtemp(prefix='random-kernels-'))
    for seed in range(first, first + count):
        kernel = kernel_of(seed)
        text = kernel.text(5 + seed % steps)
        try:
            run(sys.argv[1], kernel, text, folder, lower)
        except Refused as why:
            refused.append(str(why))
        except (Wrong, subprocess.TimeoutExpired) as why:
            kept = folder / ('%d.pto' % seed)
            kept.write_text(text)
            wrong.append('%s: %s' % (kept, why))
    tap.ok(not wrong and count > 0, '%d random kernels' % count, '\n'.join(wrong[:20]))
    if lower:
        tap.ok(100 * len(refused) <= most_refused * count, '%d of %d are refused by the lowering, with [conversion]' % (
            len(refused), count), '\n'.join(refused[:20]))
    tap.end()
