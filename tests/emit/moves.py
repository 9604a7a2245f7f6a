#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""moves.py PTOASM [COUNT [SEED]]: random functions whose tiles get other addresses in nested regions, in loops, before a
loop ends, in called functions, and beside windows and reshapes of them. Each runs with `ptoasm run` and as C++ in the CPU
simulator of the vendor's library, with equal results. Prints TAP; skips without numpy, clang++-19 or PTO_ISA_INCLUDE."""
import collections
import os
import random
import shutil
import sys
import tempfile

import device
import simulate

SLOTS, BYTES = 6, 256  # places of tiles, and the bytes of one
TILES = ['%t0', '%t1', '%t2']
HEAD = '''!t = !pto.tile_buf<vec, 8x8xi32>
!w = !pto.tile_buf<vec, 4x8xi32, valid=4x8>
!r = !pto.tile_buf<vec, 4x16xi32>
!v = !pto.tensor_view<%dx8xi32>
!p = !pto.partition_tensor_view<8x8xi32>
func.func private @fill(%%t: !t, %%x: i32) {
  pto.texpands ins(%%x : i32) outs(%%t : !t)
  return
}
func.func private @fill_there(%%t: !t, %%x: i32) {
  pto.tassign %%t, @tile(%d)
  pto.texpands ins(%%x : i32) outs(%%t : !t)
  return
}
'''


class Writer:
    """Writes the body of one function."""

    def __init__(self, rng):
        self.rng, self.lines, self.names, self.budget = rng, [], 0, 25

    def put(self, depth, text):
        self.lines.append('  ' * depth + text)

    def fresh(self, stem):
        self.names += 1
        return '%%%s%d' % (stem, self.names)

    def number(self, depth):
        name = self.fresh('x')
        self.put(depth, '%s = arith.constant %d : i32' % (name, self.names * 100))
        return name

    def condition(self, depth, index):
        name = self.fresh('q')
        self.put(depth, '%s = arith.cmpi %s, %s, %s : index' %
                 (name, self.rng.choice(['eq', 'ne', 'slt']), index, self.rng.choice(['%c0', '%c1', '%c2'])))
        return name

    def move(self, depth, tiles):
        if self.rng.random() < 0.5:
            self.put(depth, 'pto.tassign %s, @tile(%d)' % (self.rng.choice(tiles), self.rng.randrange(SLOTS) * BYTES))
        else:
            self.put(depth, 'pto.tassign %s, %%a%d : !t, i64' % (self.rng.choice(tiles), self.rng.randrange(SLOTS)))

    def compute(self, depth, tiles):
        one, other, third = (self.rng.choice(tiles) for _ in range(3))
        kind = self.rng.randrange(6)
        if kind == 0:
            self.put(depth, 'pto.tadd ins(%s, %s : !t, !t) outs(%s : !t)' % (one, other, third))
        elif kind == 1:
            self.put(depth, 'pto.tadds ins(%s, %s : !t, i32) outs(%s : !t)' % (one, self.number(depth), other))
        elif kind == 2:
            self.put(depth, 'func.call @%s(%s, %s) : (!t, i32) -> ()' %
                     (self.rng.choice(['fill', 'fill_there']), one, self.number(depth)))
        elif kind == 3:
            self.put(depth, 'pto.texpands ins(%s : i32) outs(%s : !t)' % (self.number(depth), one))
        else:
            view = self.fresh('w')
            type_of = '!w' if kind == 4 else '!r'
            if kind == 4:
                self.put(depth, '%s = pto.subview %s[%%c4, %%c0] sizes [4, 8] : !t -> !w' % (view, one))
            else:
                self.put(depth, '%s = pto.treshape %s : !t -> !r' % (view, one))
            if self.rng.random() < 0.5:
                self.move(depth, tiles)
            self.put(depth, 'pto.texpands ins(%s : i32) outs(%s : %s)' % (self.number(depth), view, type_of))

    def if_else(self, depth, tiles, index):
        self.put(depth, 'scf.if %s {' % self.condition(depth, index))
        self.block(depth + 1, tiles, index)
        if self.rng.random() < 0.5:
            self.put(depth, '} else {')
            self.block(depth + 1, tiles, index)
        self.put(depth, '}')

    def if_result(self, depth, tiles, index):
        name = self.fresh('z')
        self.put(depth, '%s = scf.if %s -> (!t) {' % (name, self.condition(depth, index)))
        for last in (False, True):
            self.block(depth + 1, tiles, index)
            self.put(depth + 1, 'scf.yield %s : !t' % self.rng.choice(tiles))
            self.put(depth, '}' if last else '} else {')
        self.compute(depth, tiles + [name])

    def loop(self, depth, tiles, index):
        i = self.fresh('i')
        self.put(depth, 'scf.for %s = %%c0 to %s step %%c1 {' % (i, self.rng.choice(['%c1', '%c2', '%c4'])))
        self.block(depth + 1, tiles, i)
        self.put(depth, '}')

    def carried(self, depth, tiles, index):
        i, u, result = self.fresh('i'), self.fresh('u'), self.fresh('z')
        self.put(depth, '%s = scf.for %s = %%c0 to %%c2 step %%c1 iter_args(%s = %s) -> (!t) {' %
                 (result, i, u, self.rng.choice(tiles)))
        self.block(depth + 1, tiles + [u], i)
        self.put(depth + 1, 'scf.yield %s : !t' % self.rng.choice(tiles + [u]))
        self.put(depth, '}')
        self.compute(depth, tiles + [result])

    def while_loop(self, depth, tiles, index):
        i, j, n, c = self.fresh('i'), self.fresh('i'), self.fresh('m'), self.fresh('q')
        self.put(depth, '%s = scf.while (%s = %%c0) : (index) -> index {' % (self.fresh('r'), i))
        self.block(depth + 1, tiles, i)
        self.put(depth + 1, '%s = arith.cmpi slt, %s, %%c2 : index' % (c, i))
        self.put(depth + 1, 'scf.condition(%s) %s : index' % (c, i))
        self.put(depth, '} do {')
        self.put(depth, '^bb0(%s: index):' % j)
        self.block(depth + 1, tiles, j)
        self.put(depth + 1, '%s = arith.addi %s, %%c1 : index' % (n, j))
        self.put(depth + 1, 'scf.yield %s : index' % n)
        self.put(depth, '}')

    def switch(self, depth, tiles, index):
        self.put(depth, 'scf.index_switch %s' % index)
        self.put(depth, 'case 1 {')
        self.block(depth + 1, tiles, index)
        self.put(depth + 1, 'scf.yield')
        self.put(depth, '}')
        self.put(depth, 'default {')
        self.block(depth + 1, tiles, index)
        self.put(depth + 1, 'scf.yield')
        self.put(depth, '}')

    def block(self, depth, tiles, index):
        for _ in range(self.rng.randint(1, 4)):
            self.budget -= 1
            kind = self.rng.random()
            if self.budget < 0 or depth > 5 or kind < 0.35:
                self.compute(depth, tiles)
            elif kind < 0.6:
                self.move(depth, tiles)
            else:
                nested = [self.if_else, self.if_result, self.loop, self.carried, self.while_loop, self.switch]
                self.rng.choice(nested)(depth, tiles, index)

    def function(self, name):
        self.lines = ['func.func @%s(%%y: !pto.ptr<i32>, %%n: index) attributes {pto.entry} {' % name]
        for n in (0, 1, 2, 4, 8, SLOTS * 8, (SLOTS + len(TILES)) * 8):
            self.put(1, '%%c%d = arith.constant %d : index' % (n, n))
        for i in range(SLOTS):
            self.put(1, '%%a%d = arith.constant %d : i64' % (i, i * BYTES))
        self.put(1, '%%y_v = pto.make_tensor_view %%y, shape = [%%c%d, %%c8], strides = [%%c8, %%c1] : !v' %
                 ((SLOTS + len(TILES)) * 8))
        slots = ['%%s%d' % i for i in range(SLOTS)]
        for i, slot in enumerate(slots):
            self.put(1, '%s = pto.alloc_tile addr = %%a%d : !t' % (slot, i))
            self.put(1, 'pto.texpands ins(%s : i32) outs(%s : !t)' % (self.number(1), slot))
        for i, tile in enumerate(TILES):
            self.put(1, '%s = pto.alloc_tile addr = %%a%d : !t' % (tile, i))
        for _ in range(2):
            self.block(1, TILES, '%n')
            self.if_else(1, TILES, '%n')
        for i, tile in enumerate(TILES + slots):
            at = self.fresh('at')
            self.put(1, '%s = arith.constant %d : index' % (at, i * 8))
            self.put(1, '%%y_%d = pto.partition_view %%y_v, offsets = [%s, %%c0], sizes = [%%c8, %%c8] : !v -> !p' % (i, at))
            self.put(1, 'pto.tstore ins(%s : !t) outs(%%y_%d : !p)' % (tile, i))
        self.put(1, 'return')
        self.put(0, '}')
        return '\n'.join(self.lines) + '\n'


def main():
    include = os.environ.get('PTO_ISA_INCLUDE')
    if simulate.numpy is None or include is None or shutil.which('clang++-19') is None:
        print('1..0 # SKIP numpy, PTO_ISA_INCLUDE or clang++-19 is missing')
        return 0
    ptoasm, count, seed = sys.argv[1], int((sys.argv[2:3] or ['40'])[0]), int((sys.argv[3:4] or ['1'])[0])
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        path = os.environ.get('SIMULATE_KEEP', folder) + '/moves.pto'
        with open(path, 'w') as f:
            f.write(HEAD % ((SLOTS + len(TILES)) * 8, (SLOTS - 1) * BYTES))
            for i in range(count):
                f.write(Writer(rng).function('f%d' % i))
        compiler = device.Compiler(include, folder, ['-fPIC', *simulate.bf16_library(folder)])
        program = simulate.Program(ptoasm, path, 'a2a3', '', folder)
        results = [(f.name, kind, why) for f, kind, why in simulate.outcomes(program, compiler, program.functions())]
    kinds = collections.Counter(kind for _, kind, _ in results)
    for name, kind, why in results:
        if kind != 'same':
            print('# @%s: %s %s' % (name, kind, why))
    good = kinds['same'] == count
    print('%s 1 - %d of %d functions have the same results' % ('ok' if good else 'not ok', kinds['same'], count))
    print('1..1')
    return 0 if good else 1


if __name__ == '__main__':
    sys.exit(main())
