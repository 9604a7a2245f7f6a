#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random programs with loops, timed with all turns and with those skipped that repeat: nothing in the reports may differ, and the
statements of a pipe must add up to the time that it is busy.
cuts.py TEST_CUTS [PROGRAMS [SEED]]. Prints TAP."""
import os
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from tap import Tap  # noqa: E402

TILE = '!pto.tile_buf<vec, 16x64xf32, valid=?x?>'
FULL = '!pto.tile_buf<vec, 16x64xf32>'
INDEX = '!pto.tile_buf<vec, 16x64xi32>'
VIEW = '!pto.partition_tensor_view<16x64xf32>'
PIPES = ('MTE2', 'V'), ('V', 'MTE2'), ('V', 'MTE3'), ('MTE3', 'V'), ('MTE3', 'MTE2'), ('MTE2', 'MTE3')
REG = '!pto.vreg<64xf32>'


class Program:
    def __init__(self, rng, profile, cores):
        self.rng, self.profile, self.cores = rng, profile, cores
        self.lines, self.names, self.queues = [], 0, []
        self.indent = '  '

    def put(self, text):
        self.lines.append(self.indent + text)

    def name(self, of='v'):
        self.names += 1
        return '%%%s%d' % (of, self.names)

    def const(self, n):
        name = self.name('k')
        self.put('%s = arith.constant %d : index' % (name, n))
        return name

    def binary(self, op, a, b):
        name = self.name()
        self.put('%s = arith.%s %s, %s : index' % (name, op, a, b))
        return name

    def compare(self, a, b):
        name = self.name('b')
        self.put('%s = arith.cmpi %s, %s, %s : index' % (name, self.rng.choice(('eq', 'ne', 'slt', 'sle', 'sgt', 'sge', 'ult', 'uge')), a, b))
        return name

    def number(self, values, depth=0):
        """An integer that depends on some of the values."""
        rng = self.rng
        if depth > 2 or rng.random() < 0.3:
            return rng.choice(values) if values and rng.random() < 0.8 else self.const(rng.choice((0, 1, 2, 3, 5, 8, 100)))
        kind = rng.randrange(8)
        a = self.number(values, depth + 1)
        if kind == 0:
            return self.binary(rng.choice(('addi', 'subi')), a, self.number(values, depth + 1))
        if kind == 1:
            return self.binary('muli', a, self.const(rng.choice((1, 2, 3, 64))))
        if kind in (2, 3):
            return self.binary(rng.choice(('remui', 'remsi', 'divui', 'divsi', 'ceildivsi', 'floordivsi')), a, self.const(rng.choice((1, 2, 3, 4, 6))))
        if kind == 4:
            return self.binary(rng.choice(('minsi', 'maxsi', 'minui', 'maxui')), a, self.number(values, depth + 1))
        if kind == 5:
            return self.binary(rng.choice(('andi', 'ori', 'xori')), a, self.const(rng.choice((1, 3, 4, 7))))
        if kind == 6:
            narrow, wide = self.name(), self.name()
            self.put('%s = arith.index_cast %s : index to %s' % (narrow, a, 'i32'))
            self.put('%s = arith.index_cast %s : i32 to index' % (wide, narrow))
            return wide
        is_ = self.compare(a, self.number(values, depth + 1))
        name = self.name()
        self.put('%s = arith.select %s, %s, %s : index' % (name, is_, self.number(values, depth + 1), a))
        return name

    def below(self, values, n):
        return self.binary('remui', self.number(values), self.const(n))

    # ---- statements ----

    def tile(self):
        return self.rng.choice(self.tiles)

    def transfer(self):
        if self.rng.random() < 0.5:
            self.put('pto.tload ins(%%x : %s) outs(%s : %s)' % (VIEW, self.rng.choice(self.full), FULL))
        else:
            self.put('pto.tstore ins(%s : %s) outs(%%y : %s)' % (self.rng.choice(self.full), FULL, VIEW))

    def vector(self):
        t = self.tile()
        kind = self.rng.randrange(4)
        if kind == 3:  # on a2a3 the vector and the scalar unit wait for each other in it
            self.put('pto.tscatter ins(%s, %%index : %s, %s) outs(%s : %s)' % (self.full[0], FULL, INDEX, self.full[1], FULL))
        elif kind == 0:
            self.put('pto.tadds ins(%s, %%one : %s, f32) outs(%s : %s)' % (t, TILE, t, TILE))
        elif kind == 1:
            self.put('pto.texp ins(%s : %s) outs(%s : %s)' % (t, TILE, t, TILE))
        else:
            self.put('pto.tadd ins(%s, %s : %s, %s) outs(%s : %s)' % (t, t, TILE, TILE, t, TILE))

    def flag(self, values):
        """A wait and a set whose number depends on the turn; at the beginning all are set."""
        pipes, n = self.rng.choice(self.flags)
        at = self.below(values, n)
        name = '<PIPE_%s>, <PIPE_%s>' % pipes
        self.put('pto.wait_flag_dyn[%s, %s]' % (name, at))
        for _ in range(self.rng.randrange(3)):
            self.rng.choice((self.transfer, self.vector))()
        self.put('pto.set_flag_dyn[%s, %s]' % (name, at))

    def buffer(self):
        pipe, other = self.rng.choice(PIPES)
        n = self.rng.randrange(4)
        for p in (pipe, other):
            self.put('pto.get_buf [#pto.pipe_event_type<TVEC>, %d]' % n if p == 'V' else 'pto.get_buf [#pto.pipe_event_type<T%s>, %d]' % ('LOAD' if p == 'MTE2' else 'STORE_VEC', n))
            self.rng.choice((self.transfer, self.vector))()
            self.put('pto.rls_buf [#pto.pipe_event_type<TVEC>, %d]' % n if p == 'V' else 'pto.rls_buf [#pto.pipe_event_type<T%s>, %d]' % ('LOAD' if p == 'MTE2' else 'STORE_VEC', n))

    def signal(self, cube):
        """Both cores have the same ones, in the same order."""
        n, there = self.shared
        if cube == there:
            self.put('pto.sync.set <PIPE_%s>, %d' % (self.rng.choice(('MTE2', 'FIX') if cube else ('MTE2', 'MTE3')), n))
        else:
            self.put('pto.sync.wait <PIPE_%s>, %d' % (self.rng.choice(('MTE2', 'FIX') if cube else ('MTE2', 'MTE3')), n))

    def scope(self, values):
        count = self.number(values) if self.rng.random() < 0.3 else self.const(self.rng.choice((1, 3, 20, 41)))
        count = self.binary('minui', count, self.const(50))
        self.put('pto.vecscope {')
        self.put('  %s = pto.pset_b32 "PAT_ALL" : !pto.mask<b32>' % (all_ := self.name('m')))
        first, second = self.name('r'), self.name('r')
        for r in (first, second):
            self.put('  %s = pto.vlds %%e[%%c0] : !pto.ptr<f32, ub> -> %s' % (r, REG))
        acc, got, i = [self.name('a') for _ in range(2)], [self.name('a') for _ in range(2)], self.name('i')
        self.put('  %s, %s = scf.for %s = %%c0 to %s step %%c1 iter_args(%s = %s, %s = %s) -> (%s, %s) {' % (
            got[0], got[1], i, count, acc[0], first, acc[1], second, REG, REG))
        values = {acc[0], acc[1], first}
        for _ in range(self.rng.randrange(1, 5)):
            kind = self.rng.randrange(4)
            r = self.name('r')
            a, b = (self.rng.choice(sorted(values)) for _ in range(2))
            if kind == 0:
                self.put('    %s = pto.vlds %%e[%%c0] : !pto.ptr<f32, ub> -> %s' % (r, REG))
            elif kind == 1:
                self.put('    %s = pto.%s %s, %s, %s : %s, %s, !pto.mask<b32> -> %s' % (r, self.rng.choice(('vadd', 'vmul', 'vdiv')), a, b, all_, REG, REG, REG))
            elif kind == 2:
                self.put('    %s = pto.%s %s, %s : %s, !pto.mask<b32> -> %s' % (r, self.rng.choice(('vexp', 'vcadd', 'vabs')), a, all_, REG, REG))
            else:
                self.put('    pto.vsts %s, %%e[%%c0], %s : %s, !pto.ptr<f32, ub>, !pto.mask<b32>' % (a, all_, REG))
                continue
            values.add(r)
        ends = [self.rng.choice(sorted(values)) for _ in range(2)]
        self.put('    scf.yield %s, %s : %s, %s' % (ends[0], ends[1], REG, REG))
        self.put('  }')
        for g in got:
            self.put('  pto.vsts %s, %%e[%%c0], %s : %s, !pto.ptr<f32, ub>, !pto.mask<b32>' % (g, all_, REG))
        self.put('}')

    def loop(self, values, depth):
        rng = self.rng
        least = self.const(rng.choice((0, 0, 0, 3)))
        if rng.random() < 0.6 or not values:
            most = self.const(rng.choice((2, 7, 40)[depth - 1:] or (3,)))
        else:
            most = self.binary('minsi', self.number(values), self.const(12))
        step = self.const(rng.choice((1, 1, 1, 2, 5)))
        i = self.name('i')
        if rng.random() < 0.6:
            self.put('scf.for %s = %s to %s step %s {' % (i, least, most, step))
            self.body(values + [i], depth)
            self.put('}')
            return
        x, y, p, q, u, v = (self.name() for _ in range(6))
        self.put('%s, %s = scf.for %s = %s to %s step %s iter_args(%s = %s, %s = %s) -> (index, index) {' % (
            p, q, i, least, most, step, x, self.const(1), y, self.const(2)))
        self.body(values + [i, x, y], depth)
        self.indent += '  '
        kind = rng.randrange(3)
        if kind == 0:
            u, v = y, x
        elif kind == 1:
            u, v = self.binary('addi', x, self.const(3)), y
        else:
            u, v = self.binary('remui', self.binary('addi', x, self.const(1)), self.const(3)), self.binary('addi', y, x)
            if rng.random() < 0.5:
                v = i
        self.put('scf.yield %s, %s : index, index' % (u, v))
        self.indent = self.indent[2:]
        self.put('}')
        values.extend((p, q))

    def while_loop(self, values, depth):
        x, y, is_, next_, got = (self.name() for _ in range(5))
        most = self.const(self.rng.choice((3, 30)[depth - 1:] or (3,)))
        self.put('%s = scf.while (%s = %s) : (index) -> index {' % (got, x, self.const(0)))
        self.indent += '  '
        self.body(values + [x], depth + 1)
        self.put('%s = arith.cmpi slt, %s, %s : index' % (is_, x, most))
        self.put('scf.condition(%s) %s : index' % (is_, x))
        self.indent = self.indent[2:]
        self.put('} do {')
        self.put('^bb0(%s: index):' % y)
        self.indent += '  '
        self.put('%s = arith.addi %s, %%c1 : index' % (next_, y))
        self.put('scf.yield %s : index' % next_)
        self.indent = self.indent[2:]
        self.put('}')
        values.append(got)

    # ---- blocks and branches ----

    def label(self, name, args=()):
        self.put('^%s%s:' % (name, '(%s)' % ', '.join('%s: index' % a for a in args) if args else ''))

    def way(self, name, args=()):
        return '^%s%s' % (name, '(%s : %s)' % (', '.join(args), ', '.join(['index'] * len(args))) if args else '')

    def branch(self, name, args=()):
        self.put('cf.br ' + self.way(name, args))

    def choose(self, is_, then, otherwise):
        self.put('cf.cond_br %s, %s, %s' % (is_, self.way(*then), self.way(*otherwise)))

    def new_label(self):
        self.names += 1
        return 'b%d' % self.names

    def next_state(self, i, x, y):
        """What the next turn gets, besides the counter: affine, or in a cycle of a few or of many turns."""
        kind = self.rng.randrange(7)
        if kind == 0:
            return y, x
        if kind == 1:
            return self.binary('addi', x, self.const(3)), y
        if kind == 2:
            return self.binary('xori', x, self.const(1)), self.binary('addi', y, x)
        if kind == 3:  # cycles of 6 and of 48 turns
            n = self.rng.choice((7, 97))
            return self.binary('remui', self.binary('muli', x, self.const(5)), self.const(n)), i
        if kind == 4:
            return self.binary('remui', self.binary('muli', self.binary('muli', x, x), i), self.const(11)), y
        if kind == 5:
            return self.binary('remui', self.binary('addi', x, self.const(1)), self.const(self.rng.choice((3, 50)))), y
        return x, y

    def turns_of(self, depth):
        return '%n' if depth == 1 else self.const(self.rng.choice(((3, 20), (2, 5))[depth - 2] if depth < 4 else (3,)))

    def pieces(self, values, depth, leave):
        """Parts of a loop, one after the other; between them branches may leave it or go on to the next turn."""
        for _ in range(self.rng.randrange(1, 3)):
            self.body(values, min(depth, 2))
            kind = self.rng.randrange(6)
            if kind == 0 and depth < 4:
                self.block_loop(values, depth + 1, leave)
            elif kind < 3:
                more, to = self.new_label(), self.rng.choice(leave)
                self.choose(self.compare(self.number(values), self.number(values)), (to[0], [self.number(values) for _ in range(to[1])]), (more,))
                self.label(more)
            elif kind == 3:
                self.switch(values, depth)

    def switch(self, values, depth):
        narrow, join, got = self.name(), self.new_label(), self.name()
        cases = [self.new_label() for _ in range(3)]
        self.put('%s = arith.index_cast %s : index to i32' % (narrow, self.below(values, 4)))
        self.put('cf.switch %s : i32, [default: ^%s, 1: ^%s, 2: ^%s]' % (narrow, *cases))
        for case in cases:
            self.label(case)
            inner = list(values)
            self.body(inner, min(depth, 2))
            self.branch(join, [self.rng.choice(inner)])
        self.label(join, [got])
        values.append(got)

    def block_loop(self, values, depth, leave=()):
        """A loop with its condition at the beginning or at the end; the blocks in it may leave it, or one around it, early."""
        rng = self.rng
        i, x, y, e = (self.name('i') for _ in range(4))
        head, inside, out = (self.new_label() for _ in range(3))
        most = self.turns_of(depth)
        self.branch(head, ['%c0', self.const(1), self.rng.choice(values) if values else self.const(2)])
        self.label(head, [i, x, y])
        mine = values + [i, x, y]
        first = rng.random() < 0.6
        if first:
            self.body(mine, min(depth, 2))
            self.choose(self.compare_less(i, most), (inside,), (out, [rng.choice(mine)]))
            self.label(inside)
        within = list(mine)
        self.pieces(within, depth, [(out, 1), *leave])
        after = self.next_state(i, x, y)
        step = self.binary('addi', i, self.const(rng.choice((1, 1, 2))))
        if first:
            self.branch(head, [step, *after])
        else:
            self.choose(self.compare_less(step, most), (head, [step, *after]), (out, [rng.choice(within)]))
        self.label(out, [e])
        values.extend(([i, x, y] if rng.random() < 0.5 else []) + [e])

    def compare_less(self, a, b):
        name = self.name('b')
        self.put('%s = arith.cmpi slt, %s, %s : index' % (name, a, b))
        return name

    def two_entries(self, values, depth):
        """Two blocks that lead to each other, each of them reached from before."""
        i, j, e = (self.name('i') for _ in range(3))
        first, second, third, out = (self.new_label() for _ in range(4))
        most = self.turns_of(depth)
        self.choose(self.compare(self.number(values), self.number(values)), (first, ['%c0']), (second, ['%c0']))
        self.label(first, [i])
        self.body(values + [i], 2)
        self.choose(self.compare_less(i, most), (second, [self.binary('addi', i, self.const(1))]), (out, [i]))
        self.label(second, [j])
        inner = values + [j]
        self.body(inner, 2)
        self.choose(self.compare(self.below(inner, 3), self.const(1)), (first, [self.binary('addi', j, self.const(1))]), (third,))
        self.label(third)
        self.choose(self.compare_less(j, most), (second, [self.binary('addi', j, self.const(1))]), (out, [self.rng.choice(inner)]))
        self.label(out, [e])
        values.append(e)

    def blocks(self):
        self.begin()
        self.make_tiles()
        self.preset()
        values = ['%block'] if self.rng.random() < 0.3 else []
        for depth in (1, 2, 3)[:self.rng.randrange(1, 4)]:
            (self.two_entries if self.rng.random() < 0.2 else self.block_loop)(values, depth)
        self.body(values, 1)
        return self.function('attributes {pto.entry, pto.kernel_kind = #pto.kernel_kind<vector>}')

    def condition(self, values, depth):
        if len(values) > 1 and self.rng.random() < 0.4:  # of numbers of two loops
            both = self.binary('muli', values[-1], self.const(self.rng.choice((1, 2, 4))))
            both = self.binary(self.rng.choice(('addi', 'addi', 'subi')), both, values[-2])
            self.put('scf.if %s {' % self.compare(both, self.const(self.rng.choice((0, 4, 10, 37, 100)))))
        else:
            self.put('scf.if %s {' % self.compare(self.number(values), self.number(values)))
        self.body(list(values), depth)
        if self.rng.random() < 0.5:
            self.put('} else {')
            self.body(list(values), depth)
        self.put('}')

    def extents(self, values):
        rows = self.binary('addi', self.below(values, 16), self.const(1)) if self.rng.random() < 0.5 else self.const(16)
        cols = self.binary('addi', self.binary('muli', self.below(values, 8), self.const(8)), self.const(8))
        self.put('pto.set_validshape %s, %s, %s : %s' % (self.tile(), rows, cols, TILE))

    def array(self, values):
        got, narrow, wide = self.name(), self.name(), self.name()
        self.put('%s = arith.index_cast %s : index to i32' % (narrow, self.below(values, 3)))
        self.put('pto.local_array_set %%array[%s], %s : !pto.local_array<4xi32>, i32' % (self.below(values, 4), narrow))
        self.put('%s = pto.local_array_get %%array[%s] : !pto.local_array<4xi32> -> i32' % (got, self.below(values, 4)))
        self.put('%s = arith.index_cast %s : i32 to index' % (wide, got))
        values.append(wide)

    def statement(self, values, depth):
        kind = self.rng.randrange(20)
        if kind < 3:
            self.transfer()
        elif kind < 6:
            self.vector()
        elif kind < 10 and self.flags:
            self.flag(values)
        elif kind < 11:
            self.put('pto.barrier <PIPE_%s>' % self.rng.choice(('V', 'V', 'MTE2', 'ALL')))
        elif kind < 13 and depth < 3:
            self.condition(values, depth + 1)
        elif kind < 15 and depth < 3:
            self.loop(values, depth + 1)
        elif kind < 16 and depth < 2:
            self.while_loop(values, depth + 1)
        elif kind < 17:
            self.extents(values)
        elif kind < 18:
            self.array(values)
        elif kind < 19 and self.profile == 'a5':
            self.scope(values)
        elif self.profile == 'a5':
            self.buffer()

    def body(self, values, depth):
        self.indent += '  '
        for _ in range(self.rng.randrange(1, 5)):
            self.statement(values, depth)
        self.indent = self.indent[2:]

    # ---- the whole ----

    def begin(self):
        self.put('%one = arith.constant 1.0 : f32')
        self.put('%c0 = arith.constant 0 : index')
        self.put('%c1 = arith.constant 1 : index')
        self.put('%zero = arith.constant 0 : i64')
        self.put('%e = pto.castptr %zero : i64 -> !pto.ptr<f32, ub>')
        self.put('%bi = pto.get_block_idx')
        self.put('%block = arith.index_cast %bi : i64 to index')
        self.put('%array = pto.declare_local_array -> !pto.local_array<4xi32>')

    def make_tiles(self):
        self.full, self.tiles = [], []
        r, c = self.const(16), self.const(64)
        self.put('%index_at = arith.constant 16384 : i64')
        self.put('%index = pto.alloc_tile addr = %index_at : ' + INDEX)
        for i in range(2):
            a, t, u = self.name('at'), self.name('t'), self.name('t')
            self.put('%s = arith.constant %d : i64' % (a, 4096 * i))
            self.put('%s = pto.alloc_tile addr = %s : %s' % (t, a, FULL))
            self.put('%s = pto.alloc_tile addr = %s valid_row = %s valid_col = %s : %s' % (u, a, r, c, TILE))
            self.full.append(t)
            self.tiles.append(u)

    def preset(self):
        self.flags = []
        for pipes in self.rng.sample(PIPES, self.rng.randrange(4)):
            n = self.rng.choice((1, 2, 2, 3, 4))
            self.flags.append((pipes, n))
            for _ in range(self.rng.choice((1, 1, 2))):
                for k in range(n):
                    self.put('pto.set_flag[<PIPE_%s>, <PIPE_%s>, <EVENT_ID%d>]' % (pipes + (k,)))

    def one_core(self):
        self.begin()
        self.make_tiles()
        self.preset()
        for _ in range(self.rng.randrange(2)):
            self.transfer()
        n = self.name('i')
        self.put('scf.for %s = %%c0 to %%n step %%c1 {' % n)
        self.body([n, '%block'] if self.rng.random() < 0.3 else [n], 1)
        self.put('}')
        self.body(['%block'] if self.rng.random() < 0.3 else [], 0)
        return self.function('attributes {pto.entry, pto.kernel_kind = #pto.kernel_kind<vector>}')

    def two_cores(self):
        """Signals in loops of both cores: there and back, with some that are ahead."""
        rng = self.rng
        self.begin()
        ahead, turns = rng.randrange(3), rng.choice(('%n', '%n', '%m'))
        inner = rng.choice((0, 0, 1, 3))
        back = rng.random() < 0.8
        for core in 'cube', 'vector':
            self.put('pto.section.%s {' % core)
            self.indent += '  '
            pipes = ('MTE2', 'FIX') if core == 'cube' else ('MTE2', 'MTE3')
            if core == 'vector':
                self.make_tiles()
                self.preset()
                for _ in range(ahead if back else 0):
                    self.put('pto.sync.set <PIPE_MTE3>, 1')
            i = self.name('i')
            self.put('scf.for %s = %%c0 to %s step %%c1 {' % (i, turns))
            self.indent += '  '
            loops = 0
            if inner:
                k = self.name('i')
                self.put('scf.for %s = %%c0 to %s step %%c1 {' % (k, self.const(inner)))
                self.indent += '  '
                loops = 1
            if core == 'cube':
                self.signal_vector(pipes, back, ahead)
            else:
                self.put('pto.sync.wait <PIPE_%s>, 0' % rng.choice(pipes))
                for _ in range(rng.randrange(4)):
                    self.statement([i, '%block'] if rng.random() < 0.2 else [i], 2)
                if back:
                    self.put('pto.sync.set <PIPE_%s>, 1' % rng.choice(pipes))
            for _ in range(loops + 1):
                self.indent = self.indent[2:]
                self.put('}')
            self.indent = self.indent[2:]
            self.put('}')
        return self.function('attributes {pto.entry}')

    def signal_vector(self, pipes, back, ahead):
        """A signal to the vector cores; their answer to it, or to an earlier one, is awaited."""
        if back and ahead:
            self.put('pto.sync.wait <PIPE_%s>, 1' % self.rng.choice(pipes))
        self.put('pto.sync.set <PIPE_%s>, 0' % self.rng.choice(pipes))
        if back and not ahead:
            self.put('pto.sync.wait <PIPE_%s>, 1' % self.rng.choice(pipes))

    def queue(self, core):
        """The queue by which the two functions belong together."""
        own, other = ('back', 'there') if core == 'cube' else ('there', 'back')
        self.put('%%%s = pto.reserve_buffer {name = "%s", size = 16384, location = #pto.address_space<%s>, auto = false, base = 65536} -> i32' % (own, own, 'mat' if core == 'cube' else 'vec'))
        self.put('%%%s = pto.import_reserved_buffer {name = "%s", peer_func = @f%s} -> i32' % (other, other, '_vector' if core == 'cube' else ''))
        self.put('pto.ai%s_initialize_pipe {id = 0, dir_mask = 3, slot_size = 4096} (gm_slot_buffer = %%slots : !pto.ptr<f32>, c2v_consumer_buf = %%there : i32, v2c_consumer_buf = %%back : i32)' % core[0])

    def two_functions(self):
        """The same in the functions of two cores, where the loops are branches."""
        rng = self.rng
        ahead, turns, back = rng.randrange(3), rng.choice(('%n', '%n', '%m')), rng.random() < 0.8
        texts = []
        for core in 'cube', 'vector':
            self.lines = []
            self.begin()
            pipes = ('MTE2', 'FIX') if core == 'cube' else ('MTE2', 'MTE3')
            self.queue(core)
            if core == 'vector':
                self.make_tiles()
                self.preset()
                for _ in range(ahead if back else 0):
                    self.put('pto.sync.set <PIPE_MTE3>, 1')
            i, x, y = (self.name('i') for _ in range(3))
            head, inside, out = (self.new_label() for _ in range(3))
            self.branch(head, ['%c0', '%c1', '%c0'])
            self.label(head, [i, x, y])
            self.choose(self.compare_less(i, turns), (inside,), (out,))
            self.label(inside)
            if core == 'cube':
                self.signal_vector(pipes, back, ahead)
            else:
                self.put('pto.sync.wait <PIPE_%s>, 0' % rng.choice(pipes))
                values = [x, y] if rng.random() < 0.5 else [i, x, y]
                for _ in range(rng.randrange(4)):
                    self.statement(values, 2)
                if rng.random() < 0.3:
                    self.switch(values, 2)
                if back:
                    self.put('pto.sync.set <PIPE_%s>, 1' % rng.choice(pipes))
            self.branch(head, [self.binary('addi', i, '%c1'), *self.next_state(i, x, y)])
            self.label(out)
            texts.append(self.function('attributes {pto.kernel_kind = #pto.kernel_kind<%s>}' % core, 'f' if core == 'cube' else 'f_vector'))
        return 'module {\n%s}\n' % ''.join(texts)

    def function(self, attributes, name='f'):
        return 'func.func @%s(%%x: %s, %%y: %s, %%n: index, %%m: index, %%slots: !pto.ptr<f32>) %s {\n%s\n  return\n}\n' % (name, VIEW, VIEW, attributes, '\n'.join(self.lines))


# A decision that depends on the numbers of two loops: what the outer one may skip depends on the last turn of the inner one.
TWO = '''func.func @f(%%x: %s, %%n: index, %%m: index) attributes {pto.entry, pto.kernel_kind = #pto.kernel_kind<vector>} {
  %%c0 = arith.constant 0 : index
  %%c1 = arith.constant 1 : index
  %%inner = arith.constant 40 : index
  %%limit = arith.constant 100 : index
  %%a = arith.constant 0 : i64
  %%t = pto.alloc_tile addr = %%a : %s
  scf.for %%i = %%c0 to %%n step %%c1 {
    scf.for %%k = %%c0 to %%inner step %%c1 {
      %%s = arith.addi %%i, %%k : index
      %%b = arith.cmpi slt, %%s, %%limit : index
      scf.if %%b {
        pto.tload ins(%%x : %s) outs(%%t : %s)
      }
    }
  }
  return
}
''' % (VIEW, FULL, VIEW, FULL)


# Loops of branches whose turns repeat: all but a few are skipped.
BLOCKS = '''func.func @f(%%x: %s, %%y: %s, %%n: index, %%m: index) attributes {pto.entry, pto.kernel_kind = #pto.kernel_kind<vector>} {
  %%c0 = arith.constant 0 : index
  %%c1 = arith.constant 1 : index
  %%c2 = arith.constant 2 : index
  %%c5 = arith.constant 5 : index
  %%c97 = arith.constant 97 : index
  %%c100 = arith.constant 100 : index
  %%a = arith.constant 0 : i64
  %%t = pto.alloc_tile addr = %%a : %s
BODY  return
}
''' % (VIEW, VIEW, FULL)
LOAD = '  pto.tload ins(%%x : %s) outs(%%t : %s)\n  pto.barrier <PIPE_ALL>\n' % (VIEW, FULL)
STORE = '  pto.tstore ins(%%t : %s) outs(%%y : %s)\n  pto.barrier <PIPE_ALL>\n' % (FULL, VIEW)
WHILE = '''  cf.br ^head(%c0, %c1 : index, index)
^head(%i: index, %s: index):
  %more = arith.cmpi slt, %i, %n : index
  cf.cond_br %more, ^body, ^end
^body:
LOAD  %next = arith.addi %i, %c1 : index
STATE  %is = arith.cmpi ult, %to, %c2 : index
  cf.cond_br %is, ^then, ^join
^then:
STORE  cf.br ^join
^join:
  cf.br ^head(%next, %to : index, index)
^end:
'''
NEST = '''  cf.br ^outer(%c0 : index)
^outer(%i: index):
LOAD  cf.br ^inner(%c0 : index)
^inner(%k: index):
STORE  %k1 = arith.addi %k, %c1 : index
  %again = arith.cmpi slt, %k1, %m : index
  cf.cond_br %again, ^inner(%k1 : index), ^next
^next:
  %i1 = arith.addi %i, %c1 : index
  %more = arith.cmpi slt, %i1, %n : index
  cf.cond_br %more, ^outer(%i1 : index), ^end
^end:
'''
LEAVE = '''  cf.br ^head(%c0 : index)
^head(%i: index):
LOAD  %last = arith.cmpi eq, %i, %n : index
  cf.cond_br %last, ^out(%i : index), ^go
^go:
  %i1 = arith.addi %i, %c1 : index
  cf.br ^head(%i1 : index)
^out(%got: index):
  cf.br ^head2(%got : index)
^head2(%j: index):
STORE  %j1 = arith.subi %j, %c1 : index
  %more = arith.cmpi sgt, %j1, %c0 : index
  cf.cond_br %more, ^head2(%j1 : index), ^end
^end:
'''
ENTRIES = '''  %which = arith.cmpi slt, %m, %c5 : index
  cf.cond_br %which, ^a(%c0 : index), ^b(%c1 : index)
^a(%i: index):
LOAD  %i1 = arith.addi %i, %c1 : index
  cf.br ^b(%i1 : index)
^b(%j: index):
STORE  %j1 = arith.addi %j, %c1 : index
  %more = arith.cmpi slt, %j1, %n : index
  cf.cond_br %more, ^a(%j1 : index), ^end
^end:
'''
ENDLESS = '''  %is = arith.cmpi sge, %n, %c0 : index
  cf.br ^head(%c0 : index)
^head(%i: index):
LOAD  %i1 = arith.addi %i, %c1 : index
  cf.cond_br %is, ^head(%i1 : index), ^end
^end:
'''
REPEATS = [(name, BLOCKS.replace('BODY', body).replace('LOAD', LOAD).replace('STORE', STORE), most) for name, body, most in (
    ('a state with a cycle of 96 turns', WHILE.replace('STATE', '  %u = arith.muli %s, %c5 : index\n  %to = arith.remui %u, %c97 : index\n'), 20000),
    ('every hundredth turn', WHILE.replace('STATE', '  %to = arith.remui %i, %c100 : index\n'), 8000),
    ('two values that change places', WHILE.replace('STATE', '  %to = arith.xori %s, %c2 : index\n'), 1000),
    ('a loop in a loop', NEST, 1000),
    ('a loop that is left, and one for what it counted', LEAVE, 1000),
    ('a loop with two entries', ENTRIES, 1000))]


def ask(judge, path, text, words):
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text)
    judge.stdin.write('%s\ta2a3\t%s\n' % (path, words))
    judge.stdin.flush()
    return judge.stdout.readline()


def check_repeats(tap, judge, folder):
    """Programs of which it is known that few turns need to run."""
    for name, text, most in [('a decision of two loops', TWO, 2000)] + REPEATS:
        answer = ask(judge, os.path.join(folder, 'repeats.pto'), text, 'n=300 m=1' if text is TWO else 'n=3000 m=7')
        words = answer.split()
        tap.ok(words[:1] == ['same'] and len(words) == 3 and int(words[1]) < most < int(words[2]), name, answer)
    answer = ask(judge, os.path.join(folder, 'endless.pto'), BLOCKS.replace('BODY', ENDLESS).replace('LOAD', LOAD), 'n=1 m=1')
    tap.ok('the loop never ends' in answer and 'all turns the program' in answer, 'a loop that never ends', answer)


def main():
    test, programs, seed = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 300, int(sys.argv[3]) if len(sys.argv) > 3 else 1
    tap = Tap()
    cut = [0, 0]
    answered = refused = long = shorter = 0
    with tempfile.TemporaryDirectory() as folder:
        with subprocess.Popen([test], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as judge:
            for number in range(seed, seed + programs):
                rng = random.Random(number)
                profile = rng.choice(('a2a3', 'a5'))
                program = Program(rng, profile, 1)
                kind = rng.random()
                text = (program.two_cores() if kind < 0.15 else program.two_functions() if kind < 0.3 else
                        program.blocks() if kind < 0.65 else program.one_core())
                path = os.path.join(folder, '%d.pto' % number)
                with open(path, 'w', encoding='utf-8') as file:
                    file.write(text)
                n = rng.choice((0, 1, 5, 30, 200, 400))
                judge.stdin.write('%s\t%s\tn=%d m=%d\n' % (path, profile, n, rng.choice((2, 50, 300))))
                judge.stdin.flush()
                answer = judge.stdout.readline()
                words = answer.split()
                if not words or words[0] != 'same':
                    tap.ok(False, 'program %d' % number, answer + text)
                    if not answer:
                        break
                    continue
                answered += 1
                refused += len(words) > 3
                if len(words) <= 3:
                    cut[0] += int(words[1])
                    cut[1] += int(words[2])
                    long += int(words[2]) >= 2000
                    shorter += int(words[2]) >= 2000 and 2 * int(words[1]) <= int(words[2])
                if len(words) > 3 and os.environ.get('VERBOSE'):
                    print('#', number, answer.strip())
            check_repeats(tap, judge, folder)
            judge.stdin.close()
    tap.ok(answered == programs, '%d of %d programs: the same report, with %d of %d steps' % (answered, programs, cut[0], cut[1]))
    tap.ok(refused * 5 < programs, 'few have none: %d' % refused)
    tap.ok(shorter * 10 > long * 4, 'of %d long programs %d run half of the steps or fewer' % (long, shorter))
    tap.end()


main()
