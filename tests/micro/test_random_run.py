#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""test_random_run.py: the comparison of random kernels sees every changed bit, but those of a NaN that stays one. TAP on standard
output."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from random_run import INPUT, Kernel, Tap, is_nan, np, size_of

NAN = {'f16': 0x7E00, 'bf16': 0x7FC0, 'f32': 0x7FC00000}
INF = {'f16': 0x7C00, 'bf16': 0x7F80, 'f32': 0x7F800000}


def bits(t, *values):
    return np.array(values, 'u%d' % size_of(t))


def kernel_with(*stores):
    kernel = Kernel(1, INPUT + 64)
    for t, at, lanes in stores:
        first = INPUT // size_of(t) + at
        kernel.put(t, first + np.arange(len(lanes)), lanes)
    return kernel


def differs_with(kernel, t, at, value):
    """What the comparison says when an element is another one."""
    got = kernel.memory.copy()
    got.view('u%d' % size_of(t))[INPUT // size_of(t) + at] = value
    return kernel.differs(got)


def flips(tap):
    """Each bit of a memory with stores of all types."""
    r = np.random.default_rng(3)
    kernel = Kernel(2, INPUT + 512)
    for t in ('i8', 'f16', 'ui32', 'bf16', 'si16', 'f32'):
        for _ in range(3):
            lanes = r.integers(0, 256, 32 * size_of(t)).astype('u1').view('u%d' % size_of(t))
            if t in NAN:
                lanes = np.where(r.random(32) < 0.3, bits(t, NAN[t])[0], lanes)
            first = INPUT // size_of(t) + int(r.integers(0, 512 // size_of(t) - 32))
            kernel.put(t, first + np.arange(32), lanes)
    missed, excused = 0, 0
    for at in range(len(kernel.memory)):
        for bit in range(8):
            got = kernel.memory.copy()
            got[at] ^= 1 << bit
            if kernel.differs(got) is None:
                excused += 1
                missed += not kernel.nan[at]
    tap.ok(missed == 0, 'no changed bit outside of a NaN is missed', '%d are' % missed)
    tap.ok(0 < excused < 8 * np.count_nonzero(kernel.nan), '%d bits of NaN count' % (8 * np.count_nonzero(kernel.nan) - excused))


def main():
    tap = Tap()
    for t in NAN:
        k = kernel_with((t, 0, bits(t, NAN[t], 5, INF[t])))
        tap.ok(differs_with(k, t, 0, NAN[t] | 1) is None, '%s: another NaN' % t)
        tap.ok(differs_with(k, t, 0, INF[t]) is not None, '%s: infinity for a NaN' % t)
        tap.ok(differs_with(k, t, 0, 0) is not None, '%s: 0 for a NaN' % t)
        tap.ok(differs_with(k, t, 1, NAN[t]) is not None, '%s: a NaN for a number' % t)
        tap.ok(differs_with(k, t, 2, NAN[t]) is not None, '%s: a NaN for infinity' % t)
        same = 'i%d' % (8 * size_of(t))
        k = kernel_with((same, 0, bits(t, NAN[t])))
        tap.ok(differs_with(k, t, 0, NAN[t] | 1) is not None, 'the bits of a NaN as %s' % same)
        k = kernel_with((t, 0, bits(t, NAN[t])), (same, 0, bits(t, NAN[t])))
        tap.ok(differs_with(k, t, 0, NAN[t] | 1) is not None, 'the bits of a NaN as %s, after one of %s' % (same, t))
    k = kernel_with(('f32', 0, bits('f32', NAN['f32'])), ('i16', 0, bits('i16', 7)))
    tap.ok(differs_with(k, 'i16', 0, 8) is not None, 'a store over one half of a NaN')
    tap.ok(differs_with(k, 'i16', 1, 0xFFC0) is None, 'the other half of it')
    k = kernel_with(('f32', 0, bits('f32', 0x3F800000)), ('i16', 0, bits('i16', 7)))
    tap.ok(differs_with(k, 'i16', 1, 0xFFC0) is not None, 'one half of a number')
    k = kernel_with(('bf16', 0, bits('bf16', 1, NAN['bf16'])))
    tap.ok(differs_with(k, 'f32', 0, 0x7FC10002) is not None, 'a number beside a NaN, which are a NaN of f32 together')
    tap.ok(is_nan(bits('f32', NAN['f32']).view('u1'), 'f32').all(), 'a NaN is one')
    flips(tap)
    tap.end()


main()
