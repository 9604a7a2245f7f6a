# SPDX-License-Identifier: Apache-2.0
"""Tiles, views and pointers: the bytes that they name. A place is (space, runs); a run is (first, end)."""
import re

from integers import Undefined
from text import NotKnown

BYTES = {'f32': 4, 'i32': 4, 'f16': 2, 'i16': 2, 'i8': 1, 'i64': 8}
SPACES = {'a2a3': {'vec': 196608, 'mat': 524288, 'left': 65536, 'right': 65536, 'acc': 131072},
          'a5': {'vec': 262144, 'mat': 524288, 'left': 65536, 'right': 65536, 'acc': 262144}}
MOST_RUNS = 4096
TILE = re.compile(r'!pto\.tile_buf<(\w+), (\d+)x(\d+)x(\w+)(.*)>$')


def lines_of(start, lines, pitch, length):
    """Runs of `length` bytes, one every `pitch` bytes; those that touch are one."""
    if lines == 0 or length == 0:
        return ()
    if pitch == length:
        return ((start, start + lines * length),)
    return tuple((start + i * pitch, start + i * pitch + length) for i in range(lines))


class Tile:
    def __init__(self, kind, profile):
        m = TILE.match(kind)
        if m is None or m.group(4) not in BYTES:
            raise NotKnown(kind)
        self.space, self.rows, self.cols, self.size = m.group(1), int(m.group(2)), int(m.group(3)), BYTES[m.group(4)]
        rest = m.group(5)
        self.profile = profile
        self.boxed = 'slayout=' in rest
        self.by_columns = 'blayout=col_major' in rest and not self.boxed
        self.pitch = (self.rows if self.by_columns else self.cols) * self.size
        valid = re.search(r'valid=(\?|\d+)x(\?|\d+)', rest)
        self.is_static = valid is None or '?' not in valid.group(0)
        self.valid = [self.rows, self.cols]
        if valid is not None:
            self.valid = [whole if v == '?' else int(v) for whole, v in zip(self.valid, valid.groups())]
        self.start = None

    def bytes(self):
        return self.rows * self.cols * self.size

    def bind(self, start):
        if start % 32 or start + self.bytes() > SPACES[self.profile][self.space]:
            raise Undefined('a tile outside its space')
        self.start = start
        return self

    def at(self, start):
        """A copy that is somewhere else."""
        copy = object.__new__(Tile)
        copy.__dict__.update(self.__dict__, valid=list(self.valid))
        return copy.bind(start)

    def window(self, row, col, rows, cols):
        if row + rows > self.rows or col + cols > self.cols:
            raise Undefined('a window outside its tile')
        copy = object.__new__(Tile)
        at = col * self.pitch + row * self.size if self.by_columns else row * self.pitch + col * self.size
        inside = [max(0, min(n, v - o)) for n, v, o in zip((rows, cols), self.valid, (row, col))]
        copy.__dict__.update(self.__dict__, start=self.start + at, rows=rows, cols=cols, valid=inside)
        return copy

    def place(self):
        if self.start is None:
            raise NotKnown('a tile without an address')
        if self.boxed:
            return self.space, ((self.start, self.start + self.bytes()),)
        lines, length = (self.valid[1], self.valid[0]) if self.by_columns else self.valid
        return self.space, lines_of(self.start, lines if length else 0, self.pitch, length * self.size)

    def element(self, offset):
        at = self.start + offset * self.size
        if offset >= self.rows * self.cols:
            raise Undefined('an element outside its tile')
        return self.space, ((at, at + self.size),)

    def repeats(self):
        """Repeats of 256 bytes that a vector instruction makes of it, if its bytes are contiguous and known."""
        rows, cols = self.valid
        whole = rows in (self.rows, 1) or cols == 1 if self.by_columns else cols * self.size == self.pitch or rows == 1
        return -(-rows * cols * self.size // 256) if whole and self.is_static and not self.boxed else 0


class Slots:
    def __init__(self, tile, count, start):
        self.tile, self.count, self.start = tile, count, start

    def get(self, k):
        if k >= self.count:
            raise Undefined('a slot that does not exist')
        return self.tile.at(self.start + k * self.tile.bytes())


class Pointer:
    """The byte `at` of a space: an argument, or a memory of the core."""

    def __init__(self, space, at, size):
        self.space, self.at, self.size = space, at, size

    def moved(self, elements):
        if self.at + elements * self.size < 0:
            raise Undefined('a pointer before its memory')
        return Pointer(self.space, self.at + elements * self.size, self.size)

    def element(self, k):
        p = self.moved(k)
        return p.space, ((p.at, p.at + p.size),)


class View:
    """dims: (extent, stride in elements)."""

    def __init__(self, pointer, dims):
        self.pointer, self.dims = pointer, dims

    def window(self, offsets, sizes, is_bound):
        if is_bound and 0 not in sizes:
            for offset, size, (extent, _) in zip(offsets, sizes, self.dims):
                if offset < 0 or offset + size > extent:
                    raise Undefined('a window outside its view')
        at = sum(o * stride for o, (_, stride) in zip(offsets, self.dims))
        return View(self.pointer.moved(at), [(n, stride) for n, (_, stride) in zip(sizes, self.dims)])

    def place(self):
        size = self.pointer.size
        starts = [self.pointer.at]
        for extent, stride in self.dims[:-1]:
            starts = [s + i * stride * size for s in starts for i in range(extent)]
            if len(starts) > MOST_RUNS:
                raise NotKnown('a large view')
        extent, stride = self.dims[-1]
        if stride == 1:
            runs = [(s, s + extent * size) for s in starts if extent]
        else:
            runs = [(s + i * stride * size, s + i * stride * size + size) for s in starts for i in range(extent)]
        if any(first < 0 for first, _ in runs):
            raise Undefined('a window before its memory')
        return self.pointer.space, joined(runs)


def joined(runs):
    """The same bytes, sorted, without touching runs."""
    out = []
    for first, end in sorted(runs):
        if out and first <= out[-1][1]:
            out[-1] = (out[-1][0], max(end, out[-1][1]))
        else:
            out.append((first, end))
    return tuple(out)


def meet(a, b):
    """Whether two places share a byte."""
    x, y = a[1], b[1]
    if a[0] != b[0] or not x or not y or x[0][0] >= y[-1][1] or y[0][0] >= x[-1][1]:
        return False
    i = k = 0
    while i < len(x) and k < len(y):
        if x[i][0] < y[k][1] and y[k][0] < x[i][1]:
            return True
        if x[i][1] < y[k][1]:
            i += 1
        else:
            k += 1
    return False
