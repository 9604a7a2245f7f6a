#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random kernels that store rows which depend on the block, against an enumeration of the rows: blocks.py PTOASM COUNT [SEED].
What is proved disjoint must be so for every pair of the first blocks. Prints TAP."""
import os
import random
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from tap import Tap  # noqa: E402

PTOASM, COUNT = sys.argv[1], int(sys.argv[2])
SEED = int(sys.argv[3]) if len(sys.argv) > 3 else 1
BLOCKS = 30  # that are enumerated


class Kernel:
    """A kernel that writes, and perhaps reads, rows: the text, and the rows of each access by block."""
    argument = 0  # what %n is

    def __init__(self, rng):
        self.rng, self.lines, self.n = rng, [], 0
        self.accesses = []  # (writes, function of block and iterations -> first row, rows, trip counts, phase)
        self.phase = 0
        self.inside = False  # a barrier is where it may come any number of times
        self.depth = 1
        self.numbers = set()

    def new(self):
        self.n += 1
        return '%%v%d' % self.n

    def emit(self, text):
        self.lines.append('  ' * self.depth + text)

    def constant(self, c):
        self.numbers.add(c)
        return '%%c%d' % c

    def term(self, ivs):
        """(value, function) of an index that depends on the block or a loop."""
        rng = self.rng
        kind = rng.choice(['block', 'block', 'iv', 'rest', 'quotient', 'argument'])
        if kind == 'iv' and ivs:
            at = rng.randrange(len(ivs))
            return ivs[at], lambda b, k: k[at]
        if kind == 'argument':
            return '%n', lambda b, k: Kernel.argument
        if kind in ('rest', 'quotient'):
            by = rng.choice([2, 3, 4, 8])
            v = self.new()
            self.emit('%s = arith.%s %%b, %s : index' % (v, 'remui' if kind == 'rest' else 'divui', self.constant(by)))
            return v, (lambda b, k: b % by) if kind == 'rest' else (lambda b, k: b // by)
        return '%b', lambda b, k: b

    def row(self, ivs):
        rng = self.rng
        value, at = None, None
        for _ in range(rng.randint(1, 3)):
            term, f = self.term(ivs)
            by = rng.choice([1, 1, 2, 3, 4, 8, 16])
            v = self.new()
            self.emit('%s = arith.muli %s, %s : index' % (v, term, self.constant(by)))
            if value is None:
                value, at = v, (lambda b, k, f=f, by=by: f(b, k) * by)
            else:
                s = self.new()
                self.emit('%s = arith.addi %s, %s : index' % (s, value, v))
                value, at = s, (lambda b, k, g=at, f=f, by=by: g(b, k) + f(b, k) * by)
        shift = rng.choice([0, 0, 1, 5])
        v = self.new()
        self.emit('%s = arith.addi %s, %s : index' % (v, value, self.constant(shift)))
        return v, lambda b, k: at(b, k) + shift

    def access(self, ivs, trips):
        row, at = self.row(ivs)
        rows, writes = self.rng.choice([1, 2, 4]), self.rng.random() < .75
        p = self.new()
        self.emit('%s = pto.partition_view %%view, offsets = [%s, %%c0], sizes = [%s, %%c8] : !all -> !pto.partition_tensor_view<%dx8xf32>'
                  % (p, row, self.constant(rows), rows))
        tile, part = '%%t%d : !t%d' % (rows, rows), '%s : !pto.partition_tensor_view<%dx8xf32>' % (p, rows)
        self.emit('pto.tstore ins(%s) outs(%s)' % (tile, part) if writes else 'pto.tload ins(%s) outs(%s)' % (part, tile))
        self.accesses.append((writes, at, rows, tuple(trips), self.phase))

    def barrier(self, ivs):
        """Blocks wait for each other: what is before and after is ordered, in the kernel's own statements."""
        self.emit('pto.syncall() mode = #pto.sync_all_mode<hard>, core_type = #pto.sync_core_type<aiv_only>')
        self.phase += 1
        self.inside |= bool(ivs)

    def body(self, ivs, trips):
        for _ in range(self.rng.randint(1, 2 if ivs else 3)):
            if self.rng.random() < (.05 if ivs else .3):
                self.barrier(ivs)
            if len(ivs) < 2 and self.rng.random() < .4:
                n = self.rng.choice([2, 4])
                iv = self.new()
                self.emit('scf.for %s = %%c0 to %s step %%c1 {' % (iv, self.constant(n)))
                self.depth += 1
                self.body(ivs + [iv], trips + [n])
                self.depth -= 1
                self.emit('}')
            else:
                self.access(ivs, trips)

    def text(self):
        self.body([], [])
        head = ['!all = !pto.tensor_view<?x8xf32>'] + ['!t%d = !pto.tile_buf<vec, %dx8xf32>' % (r, r) for r in (1, 2, 4)]
        head += ['func.func @k(%y: !pto.ptr<f32>, %n: index) attributes {pto.entry} {']
        head += ['  %%c%d = arith.constant %d : index' % (c, c) for c in sorted(self.numbers | {0, 1, 8, 1 << 20})]
        head += ['  %at = arith.constant 0 : i64'] + ['  %%t%d = pto.alloc_tile addr = %%at : !t%d' % (r, r) for r in (1, 2, 4)]
        head += ['  %i = pto.get_block_idx', '  %b = arith.index_cast %i : i64 to index',
                 '  %view = pto.make_tensor_view %y, shape = [%c1048576, %c8], strides = [%c8, %c1] : !all']
        return '\n'.join(head + self.lines + ['  return', '}', ''])


def rows_of(access, block):
    _, at, rows, trips, _ = access
    found, count = set(), [()]
    for n in trips:
        count = [k + (i,) for k in count for i in range(n)]
    for k in count:
        found.update(range(at(block, k), at(block, k) + rows))
    return found


def is_disjoint(kernel):
    """Whether no block writes what another one uses before the next barrier, for some values of %n. Barriers in loops
    count as none."""
    phases = {None} if kernel.inside else {access[4] for access in kernel.accesses}
    return all(is_disjoint_for([a for a in kernel.accesses if phase is None or a[4] == phase], n) for phase in phases
               for n in (0, 1, 7))


def is_disjoint_for(accesses, argument):
    Kernel.argument = argument
    writers, users = {}, {}
    for b in range(BLOCKS):
        for access in accesses:
            for row in rows_of(access, b):
                users.setdefault(row, set()).add(b)
                if access[0]:
                    writers.setdefault(row, set()).add(b)
    return all(len(users[row] | who) == 1 for row, who in writers.items())


def main():
    tap = Tap()
    wrong, proved, disjoint, ordered, refused = [], 0, 0, 0, []
    rng = random.Random(SEED)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'k.pto')
        for i in range(COUNT):
            kernel = Kernel(rng)
            text = kernel.text()
            with open(path, 'w', encoding='utf-8') as f:
                f.write(text)
            done = subprocess.run([PTOASM, 'check', '--profile=a2a3', '--level=3', '--sync=report', path], capture_output=True, text=True,
                                  check=False)
            verdict = re.search(r': between blocks: (.*)', done.stdout)
            if (': error:' in done.stderr and '[sync-' not in done.stderr) or verdict is None:
                refused.append(done.stderr + text)
                continue
            fine = is_disjoint(kernel)
            said = verdict.group(1).startswith('proved')
            disjoint += fine
            proved += said
            ordered += 'pto.syncall orders' in verdict.group(1)
            if said and not fine:
                wrong.append('kernel %d\n%s' % (i, text))
    tap.ok(not refused, 'all kernels are judged', '\n'.join(refused[:1]))
    tap.ok(not wrong, 'none of %d kernels is wrongly proved' % COUNT, '\n'.join(wrong[:1]))
    tap.ok(proved > COUNT // 100, '%d proved, %d of the kernels disjoint' % (proved, disjoint))
    tap.ok(ordered > COUNT // 500, '%d of them as barriers order them' % ordered)
    tap.end()


main()
