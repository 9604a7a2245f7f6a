# SPDX-License-Identifier: Apache-2.0
"""Element types, views of global memory, and tiles in the memories of a core. A tile in a boxed layout is kept in
plain order, by columns where the layout's boxes are: what is read through another layout of that kind is right,
single bytes of it are not."""
import math
import re
import threading

import numpy

FLOATS = ('f16', 'bf16', 'f32')
DTYPES = {'f32': 'f4', 'f16': 'f2', 'bf16': 'u2', 'i1': 'i1', 'i8': 'i1', 'i16': 'i2', 'i32': 'i4',
          'i64': 'i8', 'si8': 'i1', 'si16': 'i2', 'si32': 'i4', 'ui8': 'u1', 'ui16': 'u2', 'ui32': 'u4', 'ui64': 'u8',
          'index': 'i8'}
MEMORY = 8 << 20      # bytes of each; tiles without an address lie in the upper half


def dtype_of(elem):
    if elem not in DTYPES:
        raise NotImplementedError('element type ' + elem)
    return numpy.dtype(DTYPES[elem])


def decode(raw, elem):
    """Numbers: f32 for f16 and bf16."""
    if elem == 'bf16':
        return (raw.astype(numpy.uint32) << 16).view(numpy.float32)
    return raw.astype(numpy.float32) if elem == 'f16' else raw


def encode(values, elem):
    """Elements as memory holds them, rounded once to nearest even."""
    if elem == 'bf16':
        single = numpy.ascontiguousarray(values, numpy.float32)
        bits = single.view(numpy.uint32).astype(numpy.uint64)
        rounded = (bits + 0x7FFF + (bits >> 16 & 1) >> 16).astype(numpy.uint16)
        return numpy.where(numpy.isnan(single), numpy.uint16(0x7FC0), rounded)
    with numpy.errstate(all='ignore'):
        values = numpy.asarray(values, numpy.float32) if elem == 'f16' else numpy.asarray(values)
        return values.astype(dtype_of(elem))


def scalar(value, elem):
    return numpy.float32(value) if elem in FLOATS else numpy.array(value).astype(dtype_of(elem))


class Pointer:
    def __init__(self, array, at, elem):
        self.array, self.at, self.elem = array, at, elem

    def plus(self, elements):
        return Pointer(self.array, self.at + elements, self.elem)

    def element(self, index):
        at = self.at + index
        if not 0 <= at < self.array.size:
            raise IndexError('element %d of %d' % (at, self.array.size))
        return at

    def load(self, index):
        at = self.element(index)
        return decode(self.array[at:at + 1], self.elem)[0].item()

    def store(self, index, value):
        self.array[self.element(index)] = encode(numpy.array([value]), self.elem)[0]


class View:
    def __init__(self, pointer, shape, strides):
        self.pointer, self.shape, self.strides = pointer, [int(n) for n in shape], [int(n) for n in strides]

    def part(self, offsets, sizes):
        return View(self.pointer.plus(sum(o * s for o, s in zip(offsets, self.strides))), sizes, self.strides)

    def array(self):
        p = self.pointer
        end = p.at + sum((n - 1) * s for n, s in zip(self.shape, self.strides)) + 1
        if p.at < 0 or (all(self.shape) and end > p.array.size):
            raise IndexError('a view that ends at %d of %d' % (end, p.array.size))
        size = p.array.itemsize
        return numpy.ndarray(self.shape, p.array.dtype, p.array, p.at * size, [s * size for s in self.strides])

    def rows(self, rows, cols):
        """Its first rows as a list of 1-D arrays that share its memory; leading dimensions count as rows."""
        if math.prod(self.shape[:-1]) < rows or self.shape[-1] < cols:
            raise NotImplementedError('a view %s of another shape than the tile' % self.shape)
        whole = self.array()
        return [whole[numpy.unravel_index(r, self.shape[:-1])][:cols] for r in range(rows)]


class TileType:
    known = {}

    def __init__(self, text):
        parts = [p.strip() for p in text[text.index('<') + 1:-1].split(',')]
        words = dict(p.split('=') for p in parts[2:])
        rows, cols, self.elem = parts[1].split('x')
        self.space, self.rows, self.cols = parts[0], int(rows), int(cols)
        self.itemsize = dtype_of(self.elem).itemsize
        valid = words.get('valid', '%sx%s' % (rows, cols)).split('x')
        self.vrow, self.vcol = (None if n == '?' else int(n) for n in valid)
        boxes = words.get('slayout', 'none_box')
        self.by_columns = boxes == 'col_major' or (boxes == 'none_box' and words.get('blayout') == 'col_major')
        self.boxed = boxes != 'none_box' or self.space in ('left', 'right', 'acc')
        self.pad = int(words.get('pad', '0'))

    @classmethod
    def of(cls, text):
        if text not in cls.known:
            cls.known[text] = cls(text)
        return cls.known[text]


class Core(threading.local):
    """The memories of the core that this thread is."""

    def __init__(self):
        self.memories = {}

    def memory(self, space):
        if space not in self.memories:
            self.memories[space] = numpy.zeros(MEMORY, numpy.uint8)
        return self.memories[space]


CORE = Core()


class Tile:
    def __init__(self, kind, address, vrow=None, vcol=None, pitch=None):
        self.type, self.elem, self.address = kind, kind.elem, address
        self.vrow = next(n for n in (vrow, kind.vrow, kind.rows) if n is not None)
        self.vcol = next(n for n in (vcol, kind.vcol, kind.cols) if n is not None)
        self.pitch = pitch or (kind.rows if kind.by_columns else kind.cols)

    def raw(self, rows, cols):
        """Its first rows and columns, sharing the memory of the core."""
        size = self.type.itemsize
        steps = (size, self.pitch * size) if self.type.by_columns else (self.pitch * size, size)
        return numpy.ndarray((max(rows, 0), max(cols, 0)), dtype_of(self.elem), CORE.memory(self.type.space),
                             self.address, steps)

    def whole(self):
        return self.raw(self.type.rows, self.type.cols)

    def get(self, rows=None, cols=None):
        """Numbers of its valid region, or of so many rows and columns."""
        return decode(self.raw(self.vrow if rows is None else rows, self.vcol if cols is None else cols), self.elem)

    def put(self, values):
        self.raw(*values.shape)[:] = encode(values, self.elem)

    def window(self, kind, row, col, vrow, vcol):
        at = col * self.pitch + row if self.type.by_columns else row * self.pitch + col
        return Tile(kind, self.address + at * kind.itemsize, vrow, vcol, self.pitch)

    def place(self, index):
        """Row and column of an element by its number in memory."""
        high, low = divmod(index, self.pitch)
        return (low, high) if self.type.by_columns else (high, low)


def pointer_elem(text):
    """Element type of a pointer type, None for another type."""
    found = re.match(r'!pto\.ptr<(\w+)', text)
    return found and found.group(1)
