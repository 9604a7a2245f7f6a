# SPDX-License-Identifier: Apache-2.0
"""Values of generated programs: numbers, tiles, windows of global memory, as random choices make them of the features that
are on. make.py makes statements and control flow of them."""
import random

FEATURES = ('casts', 'division', 'strides', 'pointers', 'tassign', 'slots', 'addresses', 'carried', 'blocks', 'calls',
            'modules', 'kinds', 'cube', 'valid', 'windows', 'whiles', 'scalars')
# name: type, rows, columns; all of them 1024 bytes of vec or a multiple.
TILES = {
    't': ('!pto.tile_buf<vec, 8x32xf32>', 8, 32, 1024),
    'w': ('!pto.tile_buf<vec, 32x64xf32>', 32, 64, 8192),
    'h': ('!pto.tile_buf<vec, 16x64xf32, valid=8x64>', 8, 64, 4096),
    'l': ('!pto.tile_buf<vec, 1x256xf32>', 1, 256, 1024),
    'u': ('!pto.tile_buf<vec, 8x32xf32, valid=?x32>', None, 32, 1024),
    'c': ('!pto.tile_buf<vec, 16x1xf32, blayout=col_major>', 16, 1, 64),
}
CUBE = {
    'm': '!pto.tile_buf<mat, 16x16xf16, blayout=col_major, slayout=row_major>',
    'a': '!pto.tile_buf<left, 16x16xf16, slayout=row_major>',
    'b': '!pto.tile_buf<right, 16x16xf16, slayout=col_major>',
    's': '!pto.tile_buf<acc, 16x16xf32, blayout=col_major, slayout=row_major, fractal=1024>',
}
TYPES = {'index': 'index', 'bool': 'i1', 'long': 'i64', 'pointer': '!pto.ptr<f32>', 'local': '!pto.ptr<f32, vec>',
         'half': '!pto.ptr<f16>'}
STEMS = {'index': 'k', 'i64': 'long', 'i32': 'int', 'i16': 'short', 'f32': 'float'}


def alias(kind):
    return '!' + kind if kind in TILES or kind in CUBE else TYPES[kind]


class Values:
    """Lines of one program. `seen` has the names of each kind of value that the next statement may use."""

    def __init__(self, seed, profile, features):
        self.random, self.profile, self.features = random.Random(seed), profile, set(features)
        self.lines, self.depth, self.next, self.budget = [], 0, 0, 0
        self.seen, self.constants, self.helpers = {}, {}, []
        self.own, self.counts, self.free, self.called = [], {}, 0, set()

    def has(self, feature, chance=1.0):
        return feature in self.features and self.random.random() < chance

    def pick(self, *choices):
        return self.random.choice(choices)

    def put(self, text):
        self.lines.append('  ' * self.depth + text)

    def name(self, stem):
        self.next += 1
        return '%%%s%d' % (stem, self.next)

    def add(self, kind, name):
        self.seen.setdefault(kind, []).append(name)
        return name

    def any(self, kind):
        """A value of a kind that can be seen; of the last ones more often."""
        names = self.seen.get(kind)
        if not names:
            return None
        return names[max(self.random.randrange(len(names)), self.random.randrange(len(names)))]

    def remember(self):
        return {k: list(v) for k, v in self.seen.items()}

    def define(self, kind, stem, text):
        name = self.name(stem)
        self.put('%s = %s' % (name, text))
        return self.add(kind, name)

    def constant(self, value, kind='index'):
        """Constants are before everything else of a function."""
        key = (value, kind)
        if key not in self.constants:
            self.constants[key] = '%%%s%d' % (STEMS[kind], value)
        return self.constants[key]

    # ---- numbers ----

    def number(self, most=2):
        """An index: a small constant, a value that there is, or an expression of those."""
        if most == 0 or self.random.random() < .3:
            return self.any('index') or self.constant(self.random.randrange(4))
        a, b = self.number(most - 1), self.number(most - 1)
        r = self.random.random()
        if self.has('division') and r < .3:
            by = self.constant(self.pick(2, 3, 4))
            operation = self.pick('divui', 'remui', 'divsi', 'remsi', 'ceildivsi', 'floordivsi', 'remui')
            return self.define('index', 'e', 'arith.%s %s, %s : index' % (operation, a, by))
        if self.has('casts') and r < .5:
            return self.cast(a)
        if r < .6:
            return self.define('index', 'e', 'arith.muli %s, %s : index' % (a, self.constant(self.pick(2, 3))))
        if r < .7:
            test = self.condition()
            return self.define('index', 'e', 'arith.select %s, %s, %s : index' % (test, a, b))
        operation = self.pick('addi', 'addi', 'subi', 'minsi', 'maxsi', 'minui', 'maxui', 'andi', 'ori', 'xori')
        return self.define('index', 'e', 'arith.%s %s, %s : index' % (operation, a, b))

    def cast(self, value):
        """Through other widths and back."""
        middle = self.pick('i32', 'i64', 'i16')
        a = self.define('other', 'e', 'arith.%s %s : index to %s' % (self.pick('index_cast', 'index_castui'), value, middle))
        if self.random.random() < .4:
            scale = self.constant(self.pick(3, 100, 16384), middle)
            a = self.define('other', 'e', 'arith.muli %s, %s : %s' % (a, scale, middle))
        if self.random.random() < .7:
            small = self.pick(*[t for t in ('i1', 'i8', 'i16') if t != middle])
            a = self.define('other', 'e', 'arith.trunci %s : %s to %s' % (a, middle, small))
            middle = self.pick(*[t for t in ('i16', 'i32', 'i64') if t != small])
            a = self.define('other', 'e', 'arith.%s %s : %s to %s' % (self.pick('extsi', 'extui'), a, small, middle))
        return self.define('index', 'e', 'arith.%s %s : %s to index' % (self.pick('index_cast', 'index_castui'), a, middle))

    def small(self, below):
        """An index that is less than `below`, mostly so that every run has a meaning."""
        value = self.number()
        if self.random.random() < .8:
            value = self.define('index', 'e', 'arith.remui %s, %s : index' % (value, self.constant(below)))
        return value

    def condition(self):
        if self.seen.get('bool') and self.random.random() < .5:
            return self.any('bool')
        how = self.pick('eq', 'ne', 'slt', 'sge', 'ult', 'uge')
        a, b = self.any('index') or self.constant(0), self.constant(self.random.randrange(4))
        return self.define('bool', 'q', 'arith.cmpi %s, %s, %s : index' % (how, a, b))

    # ---- memory ----

    def address(self, size, align=512):
        """Of new bytes, or of such that other tiles have."""
        if self.free == 0 or self.random.random() < .7:
            self.free += size
            return self.free - size
        return self.random.randrange(0, self.free, align)

    def tile(self, kind=None):
        if kind is None:
            kinds = ['t', 't', 't', 'w', 'l'] + (['h', 'u'] if self.has('valid') else []) + (['c'] if self.has('strides') else [])
            kind = self.pick(*kinds)
        size = TILES[kind][3]
        if self.has('addresses', .3):
            unit = self.define('index', 'o', 'arith.muli %s, %s : index' % (self.small(4), self.constant(self.pick(512, 1024))))
            where = self.define('long', 'o', 'arith.index_cast %s : index to i64' % unit)
        else:
            where = self.constant(self.address(size), 'i64')
        rows = ' valid_row = %rows' if kind == 'u' else ''
        name = self.define(kind, 't', 'pto.alloc_tile addr = %s%s : !%s' % (where, rows, kind))
        self.own.append((kind, name))
        return name

    def some_tile(self, kind=None):
        kinds = [k for k in TILES if self.seen.get(k)]
        if kind is not None:
            return kind, self.any(kind) or self.tile(kind)
        if not kinds or self.random.random() < .15:
            made = self.pick(*'tttwl')
            return made, self.tile(made)
        kind = self.random.choice(kinds)
        return kind, self.any(kind)

    def window(self, kind):
        """A window with as many elements as a tile of this kind has; returns its name and type."""
        _, rows, cols, _ = TILES[kind]
        pointer = self.any('pointer')
        if rows == 1:
            return self.line_window(pointer, cols)
        if kind == 'c':
            return self.column_window(pointer)
        n = self.constant(rows) if rows else '%rows'
        stride = self.constant(cols)
        if self.has('strides', .5):
            stride = self.any('stride') if self.random.random() < .3 else self.constant(self.pick(8, 16, 32, 64, 128))
        v = self.define('view', 'v', 'pto.make_tensor_view %s, shape = [%s, %s], strides = [%s, %s] : !pto.tensor_view<?x?xf32>' %
                        (pointer, self.constant(64), self.constant(cols), stride, self.constant(1)))
        at = self.define('index', 'o', 'arith.muli %s, %s : index' % (self.small(4), self.constant(self.pick(1, 8, 8))))
        kind = '!pto.partition_tensor_view<%sx%dxf32>' % (rows or '?', cols)
        return self.define('part', 'p', 'pto.partition_view %s, offsets = [%s, %s], sizes = [%s, %s] : !pto.tensor_view<?x?xf32> -> %s' %
                           (v, at, self.constant(0), n, self.constant(cols), kind)), kind

    def line_window(self, pointer, cols):
        v = self.define('view', 'v', 'pto.make_tensor_view %s, shape = [%s], strides = [%s] : !pto.tensor_view<?xf32>' %
                        (pointer, self.constant(4096), self.constant(1)))
        at = self.define('index', 'o', 'arith.muli %s, %s : index' % (self.small(4), self.constant(self.pick(1, 64, 256, 256))))
        kind = '!pto.partition_tensor_view<%dxf32>' % cols
        return self.define('part', 'p', 'pto.partition_view %s, offsets = [%s], sizes = [%s] : !pto.tensor_view<?xf32> -> %s' %
                           (v, at, self.constant(cols), kind)), kind

    def column_window(self, pointer):
        stride = self.any('stride') if self.random.random() < .4 else self.constant(self.pick(4, 16, 64))
        v = self.define('view', 'v', 'pto.make_tensor_view %s, shape = [%s, %s], strides = [%s, %s] : !pto.tensor_view<?x?xf32>' %
                        (pointer, self.constant(16), self.constant(8), self.constant(1), stride))
        kind = '!pto.partition_tensor_view<16x1xf32>'
        return self.define('part', 'p', 'pto.partition_view %s, offsets = [%s, %s], sizes = [%s, %s] : !pto.tensor_view<?x?xf32> -> %s' %
                           (v, self.constant(0), self.small(4), self.constant(16), self.constant(1), kind)), kind
