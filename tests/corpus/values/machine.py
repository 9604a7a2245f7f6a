# SPDX-License-Identifier: Apache-2.0
"""Executes functions of the generic form statement by statement with numpy: what the statements mean, written a second
time and in another way than the runtime. What it cannot do it says with NotImplementedError."""
import queue
import re
import time

import numpy

from memory import CORE, FLOATS, MEMORY, Tile, TileType, View, decode, dtype_of, encode, scalar

# ---- scalars ----


def width(kind):
    return 64 if kind == 'index' else int(re.sub(r'\D', '', kind) or 64)


def wrap(value, kind):
    bits = width(kind)
    value &= (1 << bits) - 1
    return value - (1 << bits) if bits > 1 and value >> bits - 1 else value


def toward_zero(x, y):
    return abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)


def integers(f):
    return lambda op, a: wrap(f(a[0], a[1]), op.result_types[0])


def floats(f):
    return lambda op, a: float(f(numpy.float32(a[0]), numpy.float32(a[1])))


def constant(op, a):
    kind = op.result_types[0]
    text = op.attrs['value'].split(' : ')[0]
    if kind not in FLOATS:
        return {'true': 1, 'false': 0}.get(text) if text in ('true', 'false') else int(text)
    if text.startswith('0x'):
        dtype = numpy.uint32 if kind == 'f32' else numpy.uint16
        return float(decode(numpy.array([int(text, 16)], dtype).view(dtype_of(kind)), kind)[0])
    return float(decode(encode(numpy.array([float(text)]), kind), kind)[0])


def compare(op, a):
    predicate, (x, y) = int(op.attrs['predicate'].split(' ')[0]), a
    if predicate >= 6:      # unsigned
        mask = (1 << width(op.types[0])) - 1
        x, y, predicate = x & mask, y & mask, predicate - 4
    return int([x == y, x != y, x < y, x <= y, x > y, x >= y][predicate])


# ---- tiles ----


def elementwise(f, inputs=None):
    """Of the first `inputs` operands, all but the last without it; scratch tiles follow them."""
    def run(op, a):
        d = a[-1]
        sources = [s.get(d.vrow, d.vcol) if isinstance(s, Tile) else scalar(s, d.elem) for s in a[:inputs or -1]]
        with numpy.errstate(all='ignore'):
            d.put(f(*sources))
    return run


def divide(x, y):
    return x / y if numpy.result_type(x, y).kind == 'f' else numpy.trunc(numpy.asarray(x, float) / y)


def remainder(x, y):
    return x - numpy.floor(x / y) * y if x.dtype.kind == 'f' else numpy.mod(x, y)


def divide_scalar(op, a):
    front, tile, after, d = op.segments(a)
    if front:
        elementwise(lambda x: divide(scalar(front[0], d[0].elem), x), 1)(op, [tile[0], d[0]])
    else:
        elementwise(lambda x: divide(x, scalar(after[0], d[0].elem)), 1)(op, [tile[0], d[0]])


ROUNDINGS = {'RINT': numpy.rint, 'NONE': numpy.rint, 'CAST_RINT': numpy.rint, 'FLOOR': numpy.floor, 'CEIL': numpy.ceil,
             'TRUNC': numpy.trunc, 'ROUND': lambda x: numpy.trunc(x + numpy.copysign(0.5, x))}


def convert(op, a):
    d = a[-1]
    x = a[0].get(d.vrow, d.vcol)
    word = re.search(r'round_mode (\w+)', op.attrs.get('rmode', '')) or re.search(r'<(\w+)>', op.attrs.get('rmode', ''))
    mode = word.group(1) if word else 'RINT'
    if x.dtype.kind == 'f' and d.elem not in FLOATS:
        limits = numpy.iinfo(dtype_of(d.elem))
        x = numpy.clip(numpy.nan_to_num(ROUNDINGS[mode](x.astype(numpy.float64))), limits.min, limits.max)
    elif d.elem in ('f16', 'bf16') and mode not in ('RINT', 'ROUND', 'NONE'):
        raise NotImplementedError('tcvt to %s, %s' % (d.elem, mode))
    d.put(x)


def exact_sum(axis):
    return lambda x: x.sum(axis, dtype=numpy.float64 if x.dtype.kind == 'f' else numpy.int64)


def reduction(f, axis):
    return lambda op, a: a[-1].put(numpy.expand_dims(f(a[0].get()), axis))


def expansion(f, rows):
    """The second operand has one element for each row, or for each column."""
    def run(op, a):
        s, line, d = a[0], a[1], a[-1]
        with numpy.errstate(all='ignore'):
            d.put(f(s.get(d.vrow, d.vcol), line.get(d.vrow, 1) if rows else line.get(1, d.vcol)))
    return run


def spread(rows):
    def run(op, a):
        d = a[-1]
        line = a[0].get(d.vrow, 1) if rows else a[0].get(1, d.vcol)
        d.put(numpy.broadcast_to(line, (d.vrow, d.vcol)))
    return run


def wide(x):
    return x.astype(numpy.float64 if x.dtype.kind == 'f' else numpy.int64)


def product(left, right):
    return wide(left.get()) @ wide(right.get(left.vcol, right.vcol))


def fill(op, a):
    d = a[-1]
    d.put(numpy.full((d.type.rows, d.type.cols) if d.type.space == 'mat' else (d.vrow, d.vcol), scalar(a[0], d.elem)))


def count(op, a):
    d = a[-1]
    k = numpy.arange(d.vrow * d.vcol).reshape(d.vrow, d.vcol)
    d.put(a[0] - k if op.attrs.get('descending') == 'true' else a[0] + k)


def extract(op, a):
    source, row, col, d, *others = op.segments(a)
    source, row, col, d = source[0], row[0], col[0], d[0]
    if any(others) or source.elem != d.elem:
        raise NotImplementedError('forms of textract')
    rows, cols = min(d.vrow, source.type.rows - row), min(d.vcol, source.type.cols - col)
    d.raw(rows, cols)[:] = source.whole()[row:row + rows, col:col + cols]


def move(op, a):
    source, d, *others = op.segments(a)
    source, d = source[0], d[0]
    if any(others) or not op.has_only():
        raise NotImplementedError('forms of tmov')
    rows, cols = min(source.vrow, d.vrow), min(source.vcol, d.vcol)
    if source.elem == d.elem:
        d.raw(rows, cols)[:] = source.raw(rows, cols).copy()
    else:
        d.put(source.get(rows, cols))


def gather(op, a):
    source, d, by_mask, indices, scratch, other = op.segments(a)
    if by_mask or other or not indices or source[0].pitch != source[0].type.cols:
        raise NotImplementedError('forms of tgather')
    d = d[0]
    d.raw(d.vrow, d.vcol)[:] = source[0].whole().reshape(-1)[indices[0].get(d.vrow, d.vcol).astype(int)]


def fill_pad(op, a):
    source, d = a
    kept = source.raw(min(source.vrow, d.vrow), min(source.vcol, d.vcol)).copy()
    value = numpy.zeros(1, dtype_of(d.elem))[0]
    if d.type.pad in (2, 3):
        low = d.type.pad == 3
        if d.elem in FLOATS:
            value = encode(numpy.array([-numpy.inf if low else numpy.inf]), d.elem)[0]
        else:
            limits = numpy.iinfo(dtype_of(d.elem))
            value = limits.min if low else limits.max
    d.raw(d.vrow, d.vcol)[:] = value
    d.raw(*kept.shape)[:] = kept


def set_valid(op, a):
    a[0].vrow, a[0].vcol = a[1], a[2]


def get_element(op, a):
    row, col = a[0].place(a[1])
    return decode(a[0].whole()[row:row + 1, col:col + 1], a[0].elem)[0, 0].item()


def set_element(op, a):
    a[0].whole()[a[0].place(a[1])] = encode(numpy.array([a[2]]), a[0].elem)[0]


# ---- global memory ----


def load(op, a):
    view, tile, *others = op.segments(a)
    if any(others):
        raise NotImplementedError('forms of tload')
    tile = tile[0]
    for row, target in zip(view[0].rows(tile.vrow, tile.vcol), tile.raw(tile.vrow, tile.vcol)):
        target[:] = row


def store(op, a):
    tile, view, *others = op.segments(a)
    tile, elem = tile[0], view[0].pointer.elem
    atomic = op.attrs.get('atomicType', '')
    if any(others) or not op.has_only('atomicType') or ('atomicType' in op.attrs and 'atomic_add' not in atomic):
        raise NotImplementedError('forms of tstore')
    for row, values in zip(view[0].rows(tile.vrow, tile.vcol), tile.get()):
        with numpy.errstate(all='ignore'):
            row[:] = encode(decode(row, elem) + values if atomic else values, elem)


def make_view(op, a):
    pointer, shape, strides = op.segments(a)
    return View(pointer[0], shape, strides)


def part_of_view(op, a):
    view, offsets, sizes = op.segments(a)
    return view[0].part(offsets, sizes)


def window(op, a):
    source, at, vrow, vcol = (op.segments(a) + [[], []])[:4]
    return source[0].window(TileType.of(op.result_types[0]), *at, *(vrow or [None]), *(vcol or [None]))


def reshape(op, a):
    kind = TileType.of(op.result_types[0])
    if a[0].type.boxed or kind.boxed:
        raise NotImplementedError('treshape of boxes')
    return Tile(kind, a[0].address)


larger, smaller = numpy.fmax, numpy.fmin
BINARY = {'add': numpy.add, 'sub': numpy.subtract, 'mul': numpy.multiply, 'div': divide, 'max': larger, 'min': smaller,
          'expdif': lambda x, y: numpy.exp(x - y)}
UNARY = {'exp': numpy.exp, 'log': numpy.log, 'sqrt': numpy.sqrt, 'neg': numpy.negative, 'abs': numpy.abs,
         'relu': lambda x: larger(x, 0), 'recip': lambda x: numpy.float32(1) / x,
         'rsqrt': lambda x: numpy.float32(1) / numpy.sqrt(x)}
STATEMENTS = {
    'arith.constant': constant, 'arith.cmpi': compare, 'arith.select': lambda op, a: a[1] if a[0] else a[2],
    'arith.addi': integers(lambda x, y: x + y), 'arith.subi': integers(lambda x, y: x - y),
    'arith.muli': integers(lambda x, y: x * y), 'arith.divsi': integers(toward_zero),
    'arith.remsi': integers(lambda x, y: x - toward_zero(x, y) * y), 'arith.maxsi': integers(max),
    'arith.minsi': integers(min), 'arith.andi': integers(lambda x, y: x & y), 'arith.ori': integers(lambda x, y: x | y),
    'arith.xori': integers(lambda x, y: x ^ y), 'arith.addf': floats(lambda x, y: x + y),
    'arith.subf': floats(lambda x, y: x - y), 'arith.mulf': floats(lambda x, y: x * y),
    'arith.divf': floats(lambda x, y: x / y), 'arith.index_cast': lambda op, a: wrap(a[0], op.result_types[0]),
    'arith.trunci': lambda op, a: wrap(a[0], op.result_types[0]), 'arith.extsi': lambda op, a: wrap(a[0], op.types[0]),
    'arith.sitofp': lambda op, a: float(numpy.float32(a[0])), 'arith.fptosi': lambda op, a: int(a[0]),
    'pto.make_tensor_view': make_view, 'pto.partition_view': part_of_view, 'pto.addptr': lambda op, a: a[0].plus(a[1]),
    'pto.load_scalar': lambda op, a: a[0].load(a[1]), 'pto.store_scalar': lambda op, a: a[1].store(a[2], a[0]),
    'pto.tload': load, 'pto.tstore': store, 'pto.subview': window, 'pto.treshape': reshape,
    'pto.set_validshape': set_valid,
    'pto.tgetval': get_element, 'pto.tsetval': set_element, 'pto.tcvt': convert, 'pto.tdivs': divide_scalar,
    'pto.trems': elementwise(remainder, 2), 'pto.texpands': fill, 'pto.tci': count, 'pto.tgather': gather,
    'pto.tmov': move, 'pto.textract': extract, 'pto.tfillpad': fill_pad,
    'pto.ttrans': lambda op, a: a[-1].put(a[0].get().T.copy()),
    'pto.tconcat': lambda op, a: a[2].put(numpy.concatenate([a[0].get(), a[1].get()], 1)),
    'pto.taddc': elementwise(lambda x, y, z: x + y + z),
    'pto.tprelu': elementwise(lambda x, y: numpy.where(x > 0, x, x * y), 2),
    'pto.taxpy': lambda op, a: a[2].put(a[2].get() + a[0].get(a[2].vrow, a[2].vcol) * scalar(a[1], a[0].elem)),
    'pto.tmatmul': lambda op, a: a[2].put(product(a[0], a[1])),
    'pto.tmatmul.acc': lambda op, a: a[3].put(wide(a[0].get(a[1].vrow, a[2].vcol)) + product(a[1], a[2])),
    'pto.tmatmul.bias': lambda op, a: a[3].put(product(a[0], a[1]) + wide(a[2].get(1, a[1].vcol))),
    'pto.trowsum': reduction(exact_sum(1), 1), 'pto.tcolsum': reduction(exact_sum(0), 0),
    'pto.trowmax': reduction(lambda x: larger.reduce(x, 1), 1),
    'pto.trowmin': reduction(lambda x: smaller.reduce(x, 1), 1),
    'pto.tcolmax': reduction(lambda x: larger.reduce(x, 0), 0),
    'pto.tcolmin': reduction(lambda x: smaller.reduce(x, 0), 0),
    'pto.trowargmax': reduction(lambda x: numpy.argmax(x, 1), 1),
    'pto.trowargmin': reduction(lambda x: numpy.argmin(x, 1), 1),
    'pto.trowexpand': spread(True), 'pto.tcolexpand': spread(False),
    'pto.declare_local_array': lambda op, a: {}, 'pto.local_array_get': lambda op, a: a[0].get(a[1], 0),
    'pto.local_array_set': lambda op, a: a[0].__setitem__(a[1], a[2]),
}
for word, function in BINARY.items():
    STATEMENTS['pto.t' + word] = STATEMENTS['pto.t%ss' % word] = elementwise(function, 2)
    STATEMENTS['pto.trowexpand' + word] = expansion(function, True)
    STATEMENTS['pto.tcolexpand' + word] = expansion(function, False)
for word, function in UNARY.items():
    STATEMENTS['pto.t' + word] = elementwise(function, 1)
STATEMENTS['pto.tdivs'] = divide_scalar
# Nothing to do where a core executes its statements in order.
NOTHING = {'pto.barrier', 'pto.set_flag', 'pto.wait_flag', 'pto.get_buf', 'pto.rls_buf', 'pto.cmo.cacheinvalid',
           'pto.fence.barrier_all', 'pto.tfree_from_aic', 'pto.tfree_from_aiv', 'pto.aic_initialize_pipe',
           'pto.aiv_initialize_pipe', 'pto.reserve_buffer', 'pto.import_reserved_buffer'}


class Machine:
    """One core of a block. `pipes` has the queues to vector core 0 and 1, and the one to the cube core."""

    def __init__(self, functions, block, blocks, deadline, core=0, pipes=None):
        self.functions, self.block, self.blocks, self.deadline = functions, block, blocks, deadline
        self.core, self.pipes, self.popped, self.places, self.next = core, pipes, 0, {}, {}
        CORE.memories.clear()

    def call(self, name, arguments):
        blocks = self.functions[name].regions[0]
        if len(blocks) != 1:
            raise NotImplementedError('branches')
        names, ops = blocks[0]
        values = dict(zip(names, arguments))
        for name in names[len(arguments):]:
            values[name] = self.supplied(name)
        return self.run(ops, values)

    def supplied(self, name):
        for end, value in (('subblock_idx', self.core), ('subblock_num', 2), ('block_idx', self.block),
                           ('block_num', self.blocks)):
            if name.endswith(end):
                return value
        raise NotImplementedError('parameter ' + name)

    def run(self, ops, values):
        """The values that the last statement hands on."""
        for op in ops:
            if time.monotonic() > self.deadline:
                raise NotImplementedError('it takes too long')
            operands = [values[name] for name in op.operands]
            if op.name in ('scf.yield', 'scf.condition', 'func.return'):
                return operands
            own = getattr(self, 'do_' + op.name.replace('.', '_'), None)
            if own:
                result = own(op, operands, values)
            elif op.name in STATEMENTS:
                result = STATEMENTS[op.name](op, operands)
            elif op.name not in NOTHING:
                raise NotImplementedError(op.name)
            if len(op.results) == 1:
                values[op.results[0]] = result[0] if own and isinstance(result, list) else result
            elif op.results:
                values.update(zip(op.results, result))
        return []

    def block_of(self, region, arguments, values):
        names, ops = region[0]
        values.update(zip(names, arguments))
        return self.run(ops, values)

    def do_scf_for(self, op, a, values):
        carried = a[3:]
        for i in range(*a[:3]):
            carried = self.block_of(op.regions[0], [i] + carried, values)
        return carried

    def do_scf_if(self, op, a, values):
        taken = op.regions[0 if a[0] else 1:][:1]
        return self.block_of(taken[0], [], values) if taken and taken[0] else []

    def do_scf_while(self, op, a, values):
        while True:
            goes_on, *a = self.block_of(op.regions[0], a, values)
            if not goes_on:
                return a
            a = self.block_of(op.regions[1], a, values)

    def do_func_call(self, op, a, values):
        return self.call(op.attrs['callee'][1:], a)

    def do_pto_section_vector(self, op, a, values):
        self.block_of(op.regions[0], [], values)

    def do_pto_get_block_idx(self, op, a, values):
        return self.block

    def do_pto_get_block_num(self, op, a, values):
        return self.blocks

    def do_pto_get_subblock_idx(self, op, a, values):
        return self.core

    def do_pto_get_subblock_num(self, op, a, values):
        return 2

    def do_pto_alloc_tile(self, op, a, values):
        kind = TileType.of(op.result_types[0])
        address, vrow, vcol = op.segments(a)
        return Tile(kind, address[0] if address else self.fresh(kind, op), *(vrow or [None]), *(vcol or [None]))

    def fresh(self, kind, key):
        """Memory of its own for a tile without an address; the same again for the same key."""
        if key not in self.places:
            at = self.next.get(kind.space, MEMORY // 2)
            self.places[key], self.next[kind.space] = at, at + kind.rows * kind.cols * kind.itemsize
            if self.next[kind.space] > MEMORY:
                raise NotImplementedError('so many tiles')
        return self.places[key]

    def do_pto_tpush_to_aiv(self, op, a, values):
        entry, way = a[0].get(a[0].type.rows, a[0].type.cols).copy(), int(op.attrs['split'].split(' ')[0])
        if way > 1:
            raise NotImplementedError('split = %d' % way)
        for core, half in enumerate(numpy.split(entry, 2) if way == 1 else [entry]):
            self.push(self.pipes['vector', core], half)

    def do_pto_tpush_to_aic(self, op, a, values):
        if op.attrs['split'].split(' ')[0] != '0':
            raise NotImplementedError('parts of an entry')
        self.push(self.pipes['cube'], a[0].get(a[0].type.rows, a[0].type.cols).copy())

    def push(self, pipe, entry):
        try:
            pipe.put(entry, timeout=max(self.deadline - time.monotonic(), 0))
        except queue.Full:
            raise NotImplementedError('nothing empties a pipe') from None

    def popped_tile(self, op, a, pipe):
        kind = TileType.of(op.result_types[0])
        self.popped += 1
        tile = Tile(kind, self.fresh(kind, ('pop', self.popped % 8, kind)), *a)
        try:
            tile.put(pipe.get(timeout=max(self.deadline - time.monotonic(), 0)))
        except queue.Empty:
            raise NotImplementedError('nothing comes through a pipe') from None
        return tile

    def do_pto_tpop_from_aic(self, op, a, values):
        return self.popped_tile(op, a, self.pipes['vector', self.core])

    def do_pto_tpop_from_aiv(self, op, a, values):
        return self.popped_tile(op, a, self.pipes['cube'])


def whole_entries(op):
    """Whether a function pushes or pops entries that are not split."""
    return op.attrs.get('split', '').startswith('0') or any(
        whole_entries(inner) for region in op.regions for _, ops in region for inner in ops)
