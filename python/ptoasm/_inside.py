# SPDX-License-Identifier: Apache-2.0
"""Looking inside a kernel: values that a call prints, tiles that it hands out, what the sanitizer finds, distances in
numbers of a type."""
from __future__ import annotations

import ctypes
from ctypes import (CFUNCTYPE, POINTER, byref, c_bool, c_char_p, c_int, c_int32, c_int64, c_size_t, c_uint32, c_uint64,
                    c_void_p)

from ._elements import ELEMENTS, Format
from ._library import TYPE_CHECKING, NamedTuple, _Dump, _Print, text_of

if TYPE_CHECKING:
    from typing import Callable, Dict, List, Sequence, Tuple, Union

    import numpy

CORES = ('cube', 'vec0', 'vec1')


class Tile(NamedTuple):
    """A tile after a statement. `array` has its whole shape, `valid` says how many rows and columns count; bf16 and the
    8-bit floats of IEEE form are float32, which holds their numbers exactly, other packed elements are bits."""
    value: str
    line: int
    block: int
    core: str
    iteration: int
    type: str
    valid: Tuple[int, int]
    space: str
    layout: str
    array: numpy.ndarray


class Finding(NamedTuple):
    """What the sanitizer found: `text` is about the statement at `line`, `note` about that at `other` (0: there is no
    other). `id` is a diagnostic of explain()."""
    id: str
    text: str
    note: str
    line: int
    other: int
    block: int
    core: str
    bytes: int


class _Finding(ctypes.Structure):
    """ptrt_finding of ptort_observe.h."""
    _fields_ = [('id', c_char_p), ('text', c_char_p), ('note', c_char_p), ('line', c_uint32), ('other', c_uint32),
                ('rank', c_int32), ('block', c_int64), ('core', c_int32), ('bytes', c_uint64)]


class _Tile(ctypes.Structure):
    """ptrt_dump of ptort_observe.h."""
    _fields_ = [('name', c_char_p), ('line', c_uint32), ('request', c_uint32), ('elem', c_int), ('type', c_char_p),
                ('space', c_char_p), ('layout', c_char_p), ('shape', c_int64 * 2), ('valid', c_int64 * 2),
                ('block', c_int64), ('blocks', c_int64), ('place', c_int), ('rank', c_int), ('ranks', c_int),
                ('tile', c_void_p)]


_RECEIVE = CFUNCTYPE(c_int, c_void_p, POINTER(_Tile))


def requests(prints: Sequence[str], dump: Union[bool, Sequence[int]]) -> Dict[str, object]:
    """What an emission is asked for; empty when nothing is to be shown."""
    asked: Dict[str, object] = {}
    if prints:
        rows = (_Print * len(prints))()
        for row, text in zip(rows, prints):
            name, at, line = text.partition('@')
            if not name.strip('%') or (at and not (line.isdigit() and int(line) > 0)):
                raise ValueError('%r is not of the form %%v or %%v@LINE' % text)
            row.name, row.line = name.lstrip('%').encode(), int(line or 0)
        asked.update(prints=rows, nprints=len(rows))
    if dump is not False:
        lines = [0] if dump is True else list(dump)
        if not all(dump is True or 0 < line < 1 << 32 for line in lines) or not lines:
            raise ValueError('dump= is True or a list of lines')
        wishes = (_Dump * len(lines))(*(_Dump(None, line, b'dump=') for line in lines))
        asked.update(dumps=wishes, ndumps=len(lines))
    return asked


def sync_bits(sanitize: Union[bool, str]) -> int:
    """What `sanitize` of compile() says of the order of pipes, as PTOASM_SYNC_..."""
    bits = {'all': 1, 'strict': 2}
    words = [] if isinstance(sanitize, bool) else sanitize.split(',')
    if not all(word in bits for word in words):
        raise ValueError("sanitize= is a bool, 'all', 'strict' or 'all,strict', not %r" % sanitize)
    return sum(bits[word] for word in set(words))


def watch(lib: ctypes.CDLL, memory: Sequence[Tuple[str, int, int]], strict: bool,
          call: Callable[[], int]) -> Tuple[int, List[Finding]]:
    """Makes a call that the sanitizer watches; returns its result and what was found. `memory` has the name, address
    and bytes of each array."""
    lib.ptrt_sanitize.argtypes, lib.ptrt_sanitize.restype = [c_uint32], c_int
    lib.ptrt_sanitize_memory.argtypes = [c_char_p, c_void_p, c_uint64, c_bool]
    lib.ptrt_findings.argtypes = [POINTER(c_size_t), POINTER(c_bool)]
    lib.ptrt_findings.restype = POINTER(_Finding)
    if lib.ptrt_sanitize(1 if strict else 0) != 0:
        raise MemoryError('the sanitizer cannot start')
    try:
        for name, address, size in memory:
            if lib.ptrt_sanitize_memory(name.encode(), address, size, True) != 0:
                raise MemoryError('the sanitizer cannot start')
        code = call()
        count, incomplete = c_size_t(), c_bool()
        rows = lib.ptrt_findings(byref(count), byref(incomplete))
        found = [Finding(text_of(f.id), text_of(f.text), text_of(f.note) if f.note else '', f.line, f.other, f.block,
                         CORES[f.core], f.bytes) for f in rows[:count.value]]
        if incomplete.value:
            raise MemoryError('the sanitizer ran out of memory and has not seen everything')
    finally:
        lib.ptrt_sanitize_end()
    return code, found


def _element(kind: str):
    """The type of numpy for the bits of an element, and the format of a float of 8 bits."""
    return ELEMENTS.get(kind, ('uint8', None))


def _floats8(form: Format):
    """The numbers of all codes."""
    import numpy
    exponent, mantissa, bias = form.exponent, form.mantissa, form.bias
    code = numpy.arange(256)
    e, m = code >> mantissa & (1 << exponent) - 1, code & (1 << mantissa) - 1
    top = (1 << exponent) - 1
    v = numpy.ldexp(m + numpy.where(e > 0, 1 << mantissa, 0), numpy.maximum(e, 1) - bias - mantissa)
    if form.special == 'INFINITE':
        v = numpy.where(e == top, numpy.where(m > 0, numpy.nan, numpy.inf), v)
    elif form.special == 'ONE_NAN':
        v = numpy.where((e == top) & (m == (1 << mantissa) - 1), numpy.nan, v)
    return numpy.where(code >> 7, -v, v).astype('float32')


def _numbers(bits, kind: str):
    """The numbers of elements that numpy has no type for."""
    import numpy
    if kind == 'bf16':
        return (bits.astype('uint32') << 16).view('float32')
    form = _element(kind)[1]
    return numpy.array(bits) if form is None else _floats8(form)[bits]


def collect(lib: ctypes.CDLL, call: Callable[[], int]) -> Tuple[int, List[Tile]]:
    """Makes a call; returns its result and the tiles that it handed out."""
    import numpy
    tiles: List[Tile] = []
    counts: Dict[Tuple, int] = {}
    wrong: List[BaseException] = []

    def receive(_, given):
        try:
            t = given[0]
            kind, name = text_of(t.type), text_of(t.name)
            bits = numpy.empty((t.shape[0], t.shape[1]), _element(kind)[0])
            lib.ptrt_dump_copy(given, bits.ctypes.data_as(c_void_p))
            key = (t.request, t.line, name, t.block, t.place)
            counts[key] = counts.get(key, 0) + 1
            tiles.append(Tile(name, t.line, t.block, CORES[t.place], counts[key] - 1, kind, (t.valid[0], t.valid[1]),
                              text_of(t.space), text_of(t.layout), _numbers(bits, kind)))
            return 0
        except BaseException as error:   # it cannot pass through the kernel
            wrong.append(error)
            return 1

    receiver = _RECEIVE(receive)
    lib.ptrt_dump_copy.argtypes, lib.ptrt_dump_copy.restype = [POINTER(_Tile), c_void_p], None
    lib.ptrt_dump_to.argtypes, lib.ptrt_dump_to.restype = [_RECEIVE, c_void_p], None
    lib.ptrt_dump_to(receiver, None)
    try:
        code = call()
    finally:
        lib.ptrt_dump_to(_RECEIVE(), None)
        ctypes.CDLL(None).fflush(None)   # what was printed
    if wrong:
        raise wrong[0]
    return code, tiles


def ulp(a, b):
    """How many numbers of their type two arrays of floats are apart, element by element: 0 for equal numbers and for
    two NaNs, the largest unsigned number where only one is a NaN."""
    import numpy
    a, b = numpy.asarray(a), numpy.asarray(b)
    if a.dtype != b.dtype or a.dtype.kind not in 'fV':
        raise TypeError('ulp takes two arrays of one type of floats, not %s and %s' % (a.dtype, b.dtype))
    size = a.dtype.itemsize
    sign = 1 << 8 * size - 1

    def position(x):
        bits = x.view('uint%d' % (8 * size)).astype('uint64')
        magnitude = (bits & numpy.uint64(sign - 1)).astype('int64')
        return numpy.where(bits >> numpy.uint64(8 * size - 1) != 0, -magnitude, magnitude)

    x, y = position(a), position(b)
    # Unsigned, because the difference of two positions may be 2^63 or more.
    gap = numpy.where(x > y, x, y).astype('uint64') - numpy.where(x > y, y, x).astype('uint64')
    nan_a, nan_b = a != a, b != b
    most = numpy.uint64(numpy.iinfo('uint64').max)
    return numpy.where(nan_a & nan_b, numpy.uint64(0), numpy.where(nan_a | nan_b, most, gap))
