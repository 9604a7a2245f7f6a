# SPDX-License-Identifier: Apache-2.0
"""Generates programs without flags for the attack on the proof: statements, control flow, calls and modules around the
values of values.py."""
from values import CUBE, FEATURES, TILES, TYPES, Values, alias

UNARY = ('tabs', 'tneg', 'trelu')
BINARY = ('tadd', 'tsub', 'tmul')
HEAD = '(%x: !pto.ptr<f32>, %y: !pto.ptr<f32>, %z: !pto.ptr<f16>, %n: index, %m: index, %c: i1)'
# What a helper may get.
PASSED = ('t', 'l', 'pointer', 'index')


class Maker(Values):
    # ---- statements of a vector core ----

    def load(self):
        kind, tile = self.some_tile()
        part, of = self.window(kind)
        self.put('pto.tload ins(%s : %s) outs(%s : !%s)' % (part, of, tile, kind))

    def store(self):
        kind, tile = self.some_tile()
        part, of = self.window(kind)
        self.put('pto.tstore ins(%s : !%s) outs(%s : %s)' % (tile, kind, part, of))

    def compute(self):
        kind, target = self.some_tile()
        if kind == 'c':
            return self.load()
        a, b = self.any(kind), self.any(kind)
        if self.random.random() < .15:
            return self.put('pto.texpands ins(%s : f32) outs(%s : !%s)' % (self.constant(1, 'f32'), target, kind))
        if self.random.random() < .5:
            return self.put('pto.%s ins(%s : !%s) outs(%s : !%s)' % (self.pick(*UNARY), a, kind, target, kind))
        return self.put('pto.%s ins(%s, %s : !%s, !%s) outs(%s : !%s)' % (self.pick(*BINARY), a, b, kind, kind, target, kind))

    def scalar(self):
        """One element, by a pointer or by number."""
        if not self.has('scalars'):
            return self.compute()
        at, one = self.small(64), self.constant(1, 'f32')
        how = self.random.randrange(4)
        if how < 2:
            kind, tile = self.some_tile(self.pick('t', 'l'))
            if how == 0:
                return self.put('%s = pto.tgetval ins(%s, %s : !%s, index) outs : f32' % (self.name('f'), tile, at, kind))
            return self.put('pto.tsetval ins(%s, %s : index, f32) outs(%s : !%s)' % (at, one, tile, kind))
        pointer, of = self.some_pointer()
        if how == 2:
            return self.put('%s = pto.load_scalar %s[%s] : %s -> f32' % (self.name('f'), pointer, at, of))
        return self.put('pto.store_scalar %s, %s[%s] : %s, f32' % (one, pointer, at, of))

    def some_pointer(self):
        if self.has('pointers', .5):
            where = self.constant(self.random.randrange(0, max(self.free, 1024), 256), 'i64')
            return self.define('local', 'r', 'pto.castptr %s : i64 -> !pto.ptr<f32, vec>' % where), TYPES['local']
        return self.any('pointer'), TYPES['pointer']

    def pointer(self):
        if not self.has('pointers'):
            return self.load()
        p = self.any('pointer')
        if self.random.random() < .5:
            by = self.constant(self.pick(1, 64, 256))
            moved = self.define('index', 'o', 'arith.muli %s, %s : index' % (self.small(4), by))
            return self.define('pointer', 'r', 'pto.addptr %s, %s : !pto.ptr<f32> -> !pto.ptr<f32>' % (p, moved))
        q = self.any('pointer')
        return self.define('pointer', 'r', 'arith.select %s, %s, %s : !pto.ptr<f32>' % (self.condition(), p, q))

    def slots(self):
        if not self.has('slots'):
            return self.store()
        found = self.seen.get('slots')
        if not found or self.random.random() < .3:
            count = self.pick(2, 3)
            where = self.constant(self.address(count * 1024), 'i64')
            name = self.define('slots', 'ms', 'pto.alloc_multi_tile addr = %s : !s%d' % (where, count))
            self.counts[name] = count
        name = self.any('slots')
        count = self.counts[name]
        slot = self.define('index', 'e', 'arith.remui %s, %s : index' % (self.number(), self.constant(count)))
        return self.define('t', 't', 'pto.multi_tile_get %s[%s] : !s%d -> !t' % (name, slot, count))

    def assign(self):
        """Binds a tile of the same block: what a region does to a tile from outside is a question of its own."""
        if not self.has('tassign') or not self.own:
            return self.compute()
        kind, tile = self.random.choice(self.own)
        where = self.constant(self.address(TILES[kind][3]), 'i64')
        if self.random.random() < .5:
            return self.put('pto.tassign %s, @tile(0x%x)' % (tile, self.address(TILES[kind][3])))
        return self.define(kind, 't', 'pto.tassign %s, %s : !%s -> !%s' % (tile, where, kind, kind))

    def part(self):
        """A window of a tile."""
        if not self.has('windows') or not self.seen.get('w'):
            return self.store()
        row = self.define('index', 'o', 'arith.muli %s, %s : index' % (self.small(4), self.constant(8)))
        col = self.constant(self.pick(0, 0, 32))
        return self.define('t', 't', 'pto.subview %s[%s, %s] sizes [8, 32] : !w -> !t' % (self.any('w'), row, col))

    def statement(self, level):
        self.budget -= 1
        if level and self.random.random() < .3:
            return self.pick(self.loop, self.loop, self.branch, self.whiles, self.call)(level - 1)
        return self.pick(self.load, self.load, self.store, self.store, self.compute, self.compute, self.scalar, self.pointer,
                         self.slots, self.assign, self.part)()

    def statements(self, level, most):
        """What a region does; its values are not seen outside."""
        seen, own = self.remember(), self.own
        self.depth, self.own = self.depth + 1, []
        for _ in range(self.random.randint(1, most)):
            if self.budget > 0:
                self.statement(level)
        return seen, own

    def leave(self, before):
        self.seen, self.own = before
        self.depth -= 1

    # ---- control flow ----

    def loop(self, level):
        low, high = self.constant(self.pick(0, 0, 0, 1)), self.pick(self.constant(self.random.randrange(2, 5)), self.bound, self.bound)
        step, i = self.constant(self.pick(1, 1, 1, 2)), self.name('i')
        carried = self.carried() if self.has('carried', .5) else []
        results = ['%s' % self.name('g') for _ in carried]
        text = 'scf.for %s = %s to %s step %s' % (i, low, high, step)
        if carried:
            inner = [self.name('j') for _ in carried]
            text += ' iter_args(%s) -> (%s)' % (', '.join('%s = %s' % (a, v) for a, (_, v) in zip(inner, carried)),
                                                ', '.join(alias(k) for k, _ in carried))
            text = ', '.join(results) + ' = ' + text
        self.put(text + ' {')
        seen, self.seen = self.seen, self.remember()
        self.add('index', i)
        for a, (kind, _) in zip(inner if carried else [], carried):
            self.add(kind, a)
        before = self.statements(level, 4)
        if carried:
            self.put('scf.yield %s : %s' % (', '.join(self.passed_on(carried, inner)), ', '.join(alias(k) for k, _ in carried)))
        self.leave(before)
        self.seen = seen
        self.put('}')
        for r, (kind, _) in zip(results, carried):
            self.add(kind, r)

    def passed_on(self, carried, inner):
        """What an iteration gives to the next: tiles in turn, numbers that count, or anything."""
        tiles = [a for a, (k, _) in zip(inner, carried) if k == 't']
        in_turn = dict(zip(tiles, tiles[1:] + tiles[:1])) if self.random.random() < .5 else {}
        return [in_turn.get(a) or (self.counted(a) if k == 'index' and self.random.random() < .5 else self.any(k))
                for a, (k, _) in zip(inner, carried)]

    def counted(self, number):
        if self.random.random() < .3:
            return self.define('index', 'e', 'arith.subi %s, %s : index' % (self.constant(1), number))
        more = self.define('index', 'e', 'arith.addi %s, %s : index' % (number, self.constant(self.pick(1, 1, 2))))
        if self.random.random() < .4:
            return more
        return self.define('index', 'e', 'arith.remui %s, %s : index' % (more, self.constant(self.pick(2, 3))))

    def carried(self):
        """Kinds and first values of what a loop carries."""
        out = []
        for kind in ('t', 't', 'index', 'pointer'):
            if self.random.random() < .5 and self.seen.get(kind):
                out.append((kind, self.any(kind)))
        return out

    def branch(self, level):
        self.put('scf.if %s {' % self.condition())
        self.leave(self.statements(level, 3))
        if self.random.random() < .4:
            self.put('} else {')
            self.leave(self.statements(level, 3))
        self.put('}')

    def whiles(self, level):
        if not self.has('whiles'):
            return self.loop(level)
        first, i, go, following, result = (self.name(s) for s in 'gjqeg')
        self.put('%s = scf.while (%s = %s) : (index) -> index {' % (result, first, self.constant(0)))
        self.depth += 1
        self.put('%s = arith.cmpi slt, %s, %s : index' % (go, first, self.pick(self.bound, self.constant(2))))
        self.put('scf.condition(%s) %s : index' % (go, first))
        self.depth -= 1
        self.put('} do {')
        self.put('^bb0(%s: index):' % i)
        seen, self.seen = self.seen, self.remember()
        self.add('index', i)
        before = self.statements(level, 3)
        self.put('%s = arith.addi %s, %s : index' % (following, i, self.constant(1)))
        self.put('scf.yield %s : index' % following)
        self.leave(before)
        self.seen = seen
        self.put('}')
        return self.add('index', result)

    def call(self, level):
        if not self.has('calls') or not self.helpers:
            return self.branch(level)
        self.call_of(*self.random.choice(self.helpers))

    def call_of(self, name, kinds):
        if 'half' in kinds and not self.seen.get('half'):
            return
        self.called.add(name)
        arguments = [self.some_tile(k)[1] if k in TILES else self.any(k) or self.constant(1) for k in kinds]
        self.put('func.call @%s(%s) : (%s) -> ()' % (name, ', '.join(arguments), ', '.join(alias(k) for k in kinds)))

    def calls_left(self):
        """Nothing is said of a function that nobody calls with tiles."""
        for name, kinds in self.helpers:
            if name not in self.called:
                self.call_of(name, kinds)

    # ---- a cube core ----

    def cube(self, most):
        seen = self.remember()
        self.depth += 1
        for kind in CUBE:
            for _ in range(2):
                self.cube_tile(kind)
        for _ in range(self.random.randint(2, most)):
            self.cube_statement()
        self.depth -= 1
        self.seen = seen

    def cube_tile(self, kind):
        size = 1024 if kind == 's' else 512
        where = self.constant(size * self.random.randrange(3), 'i64')
        return self.define(kind, 't', 'pto.alloc_tile addr = %s : !%s' % (where, kind))

    def cube_statement(self):
        how = self.random.randrange(4)
        if how == 0:
            part = self.cube_window('half', 'f16')
            self.put('pto.tload ins(%s : !pto.partition_tensor_view<16x16xf16>) outs(%s : !m)' % (part, self.any('m')))
        elif how == 1:
            target = self.pick('a', 'b')
            self.put('pto.tmov ins(%s : !m) outs(%s : !%s)' % (self.any('m'), self.any(target), target))
        elif how == 2:
            self.put('pto.tmatmul ins(%s, %s : !a, !b) outs(%s : !s)' % (self.any('a'), self.any('b'), self.any('s')))
        else:
            part = self.cube_window('pointer', 'f32')
            self.put('pto.tstore ins(%s : !s) outs(%s : !pto.partition_tensor_view<16x16xf32>)' % (self.any('s'), part))

    def cube_window(self, pointer, element):
        view = self.define('view', 'v', 'pto.make_tensor_view %s, shape = [%s, %s], strides = [%s, %s] : !pto.tensor_view<?x?x%s>' %
                           (self.any(pointer), self.constant(64), self.constant(16), self.constant(16), self.constant(1), element))
        at = self.define('index', 'o', 'arith.muli %s, %s : index' % (self.small(3), self.constant(16)))
        return self.define('part', 'p', ('pto.partition_view %s, offsets = [%s, %s], sizes = [%s, %s] : !pto.tensor_view<?x?x%s> -> '
                                         '!pto.partition_tensor_view<16x16x%s>') %
                           (view, at, self.constant(0), self.constant(16), self.constant(16), element, element))

    # ---- functions ----

    def function(self, head, seen, write):
        """A function whose statements `write` makes; its constants come first."""
        outer = self.lines
        self.lines, self.seen, self.constants, self.own, self.counts = [], seen, {}, [], {}
        self.depth += 1
        self.bound = '%n' if '%n' in head else '%a2' if '%a2: index' in head else self.constant(3)
        if 'valid' in self.features:
            rows = '%m' if '%m' in head else self.constant(8)
            self.put('%%rows = arith.remui %s, %s : index' % (rows, self.constant(9)))
        self.add('stride', self.constant(48))
        if '%m' in head:
            self.add('stride', '%m')
        write()
        if 'pto.entry' in head:
            self.calls_left()
        body, self.lines = self.lines, outer
        self.depth -= 1
        self.put(head + ' {')
        for (value, kind), name in sorted(self.constants.items(), key=str):
            self.put('  %s = arith.constant %s : %s' % (name, '%d.0' % value if kind == 'f32' else value, kind))
        self.lines += body
        self.put('  return')
        self.put('}')

    def plain(self, level, most):
        self.depth -= 1
        self.leave(self.statements(level, most))
        self.depth += 1

    def graph(self):
        """Blocks: the first of a loop gets a counter and a pointer, one is left out on a condition."""
        self.put('cf.br ^bb1(%s, %s : index, !pto.ptr<f32>)' % (self.constant(0), self.any('pointer')))
        self.label('^bb1(%i0: index, %p0: !pto.ptr<f32>):')
        self.add('index', '%i0')
        self.add('pointer', '%p0')
        self.plain(1, 4)
        self.put('cf.cond_br %s, ^bb2, ^bb3' % self.condition())
        self.label('^bb2:')
        self.plain(1, 3)
        self.put('cf.br ^bb3')
        self.label('^bb3:')
        i, more = self.name('i'), self.name('q')
        self.put('%s = arith.addi %%i0, %s : index' % (i, self.constant(1)))
        self.put('%s = arith.cmpi ult, %s, %%n : index' % (more, i))
        self.put('cf.cond_br %s, ^bb1(%s, %s : index, !pto.ptr<f32>), ^bb4' % (more, i, self.any('pointer')))
        self.label('^bb4:')
        self.plain(1, 3)

    def label(self, text):
        self.depth -= 1
        self.put(text)
        self.depth += 1

    def helper(self, kind):
        """A function that others call, those before it among them. Its budget is small."""
        kinds = [k for k in PASSED if self.random.random() < .6]
        names = ['%%a%d' % i for i in range(len(kinds))]
        name = 'k%d' % len(self.helpers)
        seen = {k: [n] for n, k in zip(names, kinds)}
        self.budget = 6
        if kind == 'cube':
            kinds, names, seen = ['pointer', 'half'], ['%a0', '%a1'], {'pointer': ['%a0'], 'half': ['%a1']}
        elif 'pointer' not in kinds:
            kinds, names = kinds + ['pointer'], names + ['%p']
            seen['pointer'] = ['%p']
        head = 'func.func private @%s(%s)' % (name, ', '.join('%s: %s' % (n, alias(k)) for n, k in zip(names, kinds)))
        if kind:
            head += ' attributes {pto.kernel_kind = #pto.kernel_kind<%s>}' % kind
        self.function(head, seen, (lambda: self.cube(4)) if kind == 'cube' else lambda: self.plain(1, 4))
        self.helpers.append((name, kinds))

    def entry(self, kind):
        seen = {'pointer': ['%x', '%y'], 'half': ['%z'], 'index': ['%n', '%n', '%m'], 'bool': ['%c']}
        self.budget = 22
        words = ['pto.entry'] + (['pto.kernel_kind = #pto.kernel_kind<%s>' % kind] if kind else [])
        if self.is_shared:
            write = self.sections
        elif self.has('blocks', .2):
            write = self.graph
        else:
            write = lambda: self.plain(2, 7)
        self.function('func.func @f%s attributes {%s}' % (HEAD, ', '.join(words)), seen, write)

    def sections(self):
        """A function without a kind: what each kind of core does."""
        for _ in range(self.random.randint(1, 3)):
            if self.has('cube', .5):
                self.put('pto.section.cube {')
                self.cube(5)
                self.put('}')
            else:
                self.put('pto.section.vector {')
                self.leave(self.statements(1, 5))
                self.put('}')
            if self.helpers and self.random.random() < .5:
                self.call(0)

    def functions(self):
        kinds = self.has('kinds', .4)
        self.is_shared = not kinds and self.has('kinds', .4)
        for _ in range(self.random.randrange(3) if self.has('calls') else 0):
            kind = self.pick('vector', 'vector', 'cube') if kinds and self.has('cube') else 'vector' if kinds else None
            self.helper('vector' if self.is_shared else kind)
        self.entry(self.pick('vector', None) if kinds else None)

    def program(self):
        for kind in TILES:
            self.put('!%s = %s' % (kind, TILES[kind][0]))
        for kind in CUBE:
            self.put('!%s = %s' % (kind, CUBE[kind]))
        for n in (2, 3):
            self.put('!s%d = !pto.multi_tile_buf<!t, count=%d>' % (n, n))
        self.put('module attributes {pto.target_arch = "%s"} {' % self.profile)
        self.depth += 1
        if self.has('modules', .3):
            self.modules()
        else:
            self.functions()
        self.depth -= 1
        self.put('}')
        return '\n'.join(self.lines) + '\n'

    def modules(self):
        """Two modules whose functions have the same names."""
        for name in ('one', 'two'):
            self.put('module @%s {' % name)
            self.depth += 1
            if name == 'one' and self.random.random() < .5:
                self.put('func.func private @k0() {')
                self.put('  return')
                self.put('}')
            else:
                self.functions()
            self.helpers, self.called = [], set()
            self.depth -= 1
            self.put('}')


def make(seed, profile, features=FEATURES):
    return Maker(seed, profile, features).program()
