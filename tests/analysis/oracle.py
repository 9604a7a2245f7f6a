# SPDX-License-Identifier: Apache-2.0
"""A judge of synchronisation by operation, which knows nothing of the proof: it reads the text of a program of level 3, runs
its control flow with numbers, and lets the pipes run in every order that the flags and barriers leave. Texts with
statements that it does not know are refused (NotKnown).

The machine: one unit issues the statements in order, each to the queue of its pipe; a pipe starts its statements in
order; those of an ordered pipe end before the next starts. A flag is set when all earlier work of its pipe has ended;
a wait stops its pipe, or, of the scalar pipe, the issue. Two accesses that share a byte, one of them a write, race if the
later can start before the earlier has ended."""
import json
import re
import subprocess

ORDERED = {'a2a3': {'S', 'M', 'MTE1', 'FIX'}, 'a5': {'S', 'V', 'M', 'MTE1', 'FIX'}}
BYTES = {'f32': 4, 'i32': 4, 'ui32': 4, 'si32': 4, 'f16': 2, 'bf16': 2, 'i16': 2, 'ui16': 2, 'i8': 1, 'ui8': 1, 'si8': 1,
         'i64': 8, 'ui64': 8, 'i1': 1, 'f8E4M3FN': 1, 'f8E5M2': 1, 'f8E8M0': 1, 'f8E4M3': 1}
MOST_RUNS, MOST_ITERATIONS = 512, 3


class NotKnown(Exception):
    pass


# ---- text ----

class Node:
    """A statement: its text, and for those with regions their statements."""

    def __init__(self, line, text):
        self.line, self.text, self.body, self.other = line, text, [], None


def read_functions(text):
    """Returns the function nodes with their nested statements."""
    root = Node(0, '')
    stack, functions = [root.body], []
    owners = [root]
    for number, line in enumerate(text.split('\n'), 1):
        s = line.split('//')[0].strip()
        if not s or s.startswith('#') or s.startswith('!'):
            continue
        if s.startswith('}'):
            if s == '} else {':
                owners[-1].other = []
                stack[-1] = owners[-1].other
            elif s == '}' or s.startswith('} {') or s.startswith('} loc'):
                stack.pop()
                owners.pop()
            else:
                raise NotKnown(s)
            continue
        node = Node(number, s)
        stack[-1].append(node)
        if s.endswith('{'):
            if s.startswith('func.func'):
                functions.append(node)
            stack.append(node.body)
            owners.append(node)
    return functions


def operands(text):
    """Values in a list, without what brackets hold."""
    return re.findall(r'%[\w#]+', text)


class Table:
    """What `explain` says of instructions: pipes, and the roles of their operands."""

    def __init__(self, ptoasm):
        self.ptoasm, self.known = ptoasm, {}

    def row(self, name):
        if name not in self.known:
            p = subprocess.run([self.ptoasm, 'explain', '--format=json', name], stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, universal_newlines=True)
            self.known[name] = json.loads(p.stdout) if p.returncode == 0 else None
        return self.known[name]


# ---- places ----

class Tile:
    def __init__(self, text, start):
        m = re.match(r'!pto\.tile_buf<(\w+), (\d+)x(\d+)x([\w.!]+)(.*)>$', text)
        if m is None or m.group(4) not in BYTES:
            raise NotKnown(text)
        self.space, self.rows, self.cols, self.size = m.group(1), int(m.group(2)), int(m.group(3)), BYTES[m.group(4)]
        rest = m.group(5)
        valid = re.search(r'valid=(\?|\d+)x(\?|\d+)', rest)
        self.static = valid is None or '?' not in valid.group(0)
        self.vrow = self.rows if valid is None or valid.group(1) == '?' else int(valid.group(1))
        self.vcol = self.cols if valid is None or valid.group(2) == '?' else int(valid.group(2))
        self.col_major = 'blayout=col_major' in rest
        self.boxed = 'slayout=' in rest
        self.start = start
        self.valid = [self.vrow, self.vcol]

    def runs(self):
        if self.boxed:
            return [(self.start, self.start + self.rows * self.cols * self.size)]
        lines, n, pitch = (self.vcol, self.vrow, self.rows) if self.col_major else (self.vrow, self.vcol, self.cols)
        if n == pitch:
            return [(self.start, self.start + lines * pitch * self.size)]
        return [(self.start + i * pitch * self.size, self.start + (i * pitch + n) * self.size) for i in range(lines)]

    def place(self):
        return (self.space, self.runs())

    def repeats(self):
        """Repeats of a vector instruction; 0 when the bytes are not contiguous or run time decides."""
        whole = self.vrow == self.rows or self.vcol == 1 if self.col_major else self.vcol == self.cols or self.vrow == 1
        return -(-self.vrow * self.vcol * self.size // 256) if whole and self.static and not self.boxed else 0


class View:
    def __init__(self, root, base, dims, size):
        self.root, self.base, self.dims, self.size = root, base, dims, size

    def place(self):
        starts = [self.base]
        for n, stride in self.dims[:-1]:
            starts = [s + i * stride * self.size for s in starts for i in range(n)]
            if len(starts) > MOST_RUNS:
                raise NotKnown('a large view')
        n, stride = self.dims[-1]
        if stride != 1:
            starts, n = [s + i * stride * self.size for s in starts for i in range(n)], 1
        return (self.root, sorted((s, s + n * self.size) for s in starts))


def meet(a, b):
    if a[0] != b[0]:
        return False
    i = k = 0
    x, y = a[1], b[1]
    while i < len(x) and k < len(y):
        if x[i][0] < y[k][1] and y[k][0] < x[i][1]:
            return True
        if x[i][1] < y[k][1]:
            i += 1
        else:
            k += 1
    return False


# ---- a run of the control flow ----

class Item:
    """Something in the queue of a pipe."""

    def __init__(self, kind, line, pipe, **more):
        self.kind, self.line, self.pipe = kind, line, pipe
        self.reads, self.writes, self.name, self.tiles, self.loops = [], [], '', None, ()
        self.key, self.gone = None, False
        self.__dict__.update(more)


def conflict(i, j):
    return [(a, b, u, v) for a, u in i for b, v in j if (u or v) and meet(a, b)]


def uses(item):
    return [(p, False) for p in item.reads] + [(p, True) for p in item.writes]


PIPES = {'PIPE_S': 'S', 'PIPE_V': 'V', 'PIPE_M': 'M', 'PIPE_MTE1': 'MTE1', 'PIPE_MTE2': 'MTE2', 'PIPE_MTE3': 'MTE3',
         'PIPE_FIX': 'FIX', 'PIPE_ALL': 'ALL'}
SCALAR = {'addi': lambda x, y: x + y, 'subi': lambda x, y: x - y, 'muli': lambda x, y: x * y,
          'divsi': lambda x, y: int(x / y) if y else 0, 'divui': lambda x, y: x // y if y else 0,
          'remsi': lambda x, y: x % y if y else 0, 'remui': lambda x, y: x % y if y else 0, 'ceildivsi': lambda x, y: -(-x // y) if y else 0,
          'minsi': min, 'minui': min, 'maxsi': max, 'maxui': max, 'ori': lambda x, y: x | y, 'andi': lambda x, y: x & y,
          'xori': lambda x, y: x ^ y}
COMPARE = {'eq': lambda x, y: x == y, 'ne': lambda x, y: x != y, 'slt': lambda x, y: x < y, 'sle': lambda x, y: x <= y,
           'sgt': lambda x, y: x > y, 'sge': lambda x, y: x >= y, 'ult': lambda x, y: x < y, 'ule': lambda x, y: x <= y,
           'ugt': lambda x, y: x > y, 'uge': lambda x, y: x >= y}


class Run:
    """The items of one run of a function without the lines `gone`; `random` decides what the text leaves open. The
    branches in the lines `never` are not taken."""

    def __init__(self, table, profile, core, random, gone=(), never=()):
        self.table, self.profile, self.core, self.random = table, profile, core, random
        self.gone, self.never = set(gone), set(never)
        self.env, self.items, self.loops = {}, [], ()

    def number(self, name):
        v = self.env.get(name)
        if isinstance(v, bool):
            return int(v)
        if not isinstance(v, int):
            v = self.env[name] = self.random.randrange(4)
        return v

    def function(self, node):
        for name, kind in re.findall(r'(%\w+): ([^,)]*(?:<[^>]*>)?)', node.text):
            if kind.startswith('!pto.ptr'):
                self.env[name] = View(name, 0, None, BYTES.get(re.search(r'<(\w+)', kind).group(1), 1))
            elif 'tensor_view<' in kind:
                dims = re.search(r'<([\dx?]+)x(\w+)', kind)
                sizes = [4 if d == '?' else int(d) for d in dims.group(1).split('x')]
                strides = [1] * len(sizes)
                for i in range(len(sizes) - 2, -1, -1):
                    strides[i] = strides[i + 1] * sizes[i + 1]
                self.env[name] = View(name, 0, list(zip(sizes, strides)), BYTES[dims.group(2)])
            elif kind.startswith('!pto.tile'):
                raise NotKnown('a tile of the caller')
        self.block(node.body)
        return self.items

    def block(self, nodes):
        """Returns the operands of the yield."""
        for node in nodes:
            s = node.text
            if s.startswith('scf.yield'):
                return [self.env.get(v) for v in operands(s.split(':')[0])]
            if s.startswith('return') or s.startswith('func.return'):
                return []
            self.statement(node)
        return []

    def statement(self, node):
        s = node.text
        results, text = (s.split(' = ', 1) + [''])[:2] if s.startswith('%') else ('', s)
        results = operands(results.split(':')[0])
        name = re.match(r'[\w.]+', text)
        if name is None:
            raise NotKnown(s)
        name = name.group(0)
        for result in results:
            self.env.pop(result, None)
        if name == 'scf.for':
            self.loop(node, results, text)
        elif name == 'scf.if':
            taken = self.random.random() < .6 and node.line not in self.never
            self.results(results, self.block(node.body if taken else node.other or []))
        elif name.startswith('pto.section.'):
            if self.core == name.split('.')[-1]:
                self.block(node.body)
        elif name.startswith('arith.'):
            self.arith(results[0], name[6:], text)
        elif name.startswith('pto.'):
            self.pto(node, results, name, text)
        else:
            raise NotKnown(s)

    def results(self, names, values):
        for name, value in zip(names, values):
            self.env[name] = value

    def loop(self, node, results, text):
        m = re.match(r'scf\.for (%\w+) = (%\w+) to (%\w+) step (%\w+)', text)
        lo, hi, step = (self.number(v) for v in m.groups()[1:])
        carried = re.search(r'iter_args\(([^)]*)\)', text)
        names = re.findall(r'(%\w+) = (%\w+)', carried.group(1)) if carried else []
        values, around = [self.env.get(v) for _, v in names], self.loops
        for k, i in enumerate(range(lo, hi, max(step, 1))):
            if k == MOST_ITERATIONS:
                break
            self.env[m.group(1)] = i
            self.results([n for n, _ in names], values)
            self.loops = around + ((node.line, k),)
            values = self.block(node.body)
        self.loops = around
        self.results(results, values)

    def arith(self, result, name, text):
        args = operands(text.split(':')[0])
        if name == 'constant':
            value = re.match(r'arith\.constant (-?\d+) :', text)
            self.env[result] = int(value.group(1)) if value else text.startswith('arith.constant true')
        elif name in ('index_cast', 'extsi', 'extui', 'trunci'):
            self.env[result] = self.number(args[0])
        elif name in SCALAR:
            self.env[result] = SCALAR[name](self.number(args[0]), self.number(args[1]))
        elif name == 'cmpi':
            test = re.match(r'arith\.cmpi (\w+)', text).group(1)
            self.env[result] = COMPARE[test](self.number(args[0]), self.number(args[1]))
        elif name == 'select':
            self.env[result] = self.env.get(args[1] if self.number(args[0]) else args[2])

    def list_of(self, text, key):
        return [self.number(v) for v in operands(re.search(key + r' = \[([^\]]*)\]', text).group(1))]

    def pto(self, node, results, name, text):
        args = operands(text.split(':')[0])
        if name == 'pto.alloc_tile':
            start = re.search(r'addr = (%\w+)', text)
            if start is None:
                raise NotKnown('a tile without an address')
            self.env[results[0]] = Tile(re.search(r'(!pto\.tile_buf<.*>)', text).group(1), self.number(start.group(1)))
        elif name == 'pto.make_tensor_view':
            base = self.env[args[0]]
            self.env[results[0]] = View(base.root, base.base, list(zip(self.list_of(text, 'shape'), self.list_of(text, 'strides'))),
                                        base.size)
        elif name == 'pto.partition_view':
            v = self.env[args[0]]
            offsets, sizes = self.list_of(text, 'offsets'), self.list_of(text, 'sizes')
            base = v.base + sum(o * d[1] * v.size for o, d in zip(offsets, v.dims))
            self.env[results[0]] = View(v.root, base, [(n, d[1]) for n, d in zip(sizes, v.dims)], v.size)
        elif name == 'pto.addptr':
            v = self.env[args[0]]
            self.env[results[0]] = View(v.root, v.base + self.number(args[1]) * v.size, None, v.size)
        elif name in ('pto.get_block_idx', 'pto.get_subblock_idx', 'pto.get_block_num'):
            self.env[results[0]] = int(name == 'pto.get_block_num')
        elif name == 'pto.get_validshape':
            self.results(results, self.env[args[0]].valid)
        elif name in ('pto.set_validshape', 'pto.cmo.cacheinvalid'):
            pass
        elif name in ('pto.set_flag', 'pto.wait_flag'):
            self.flag(node, name, text)
        elif name == 'pto.barrier':
            self.add(Item('barrier', node.line, PIPES[re.search(r'<(\w+)>', text).group(1)]))
        elif name == 'pto.fence.barrier_all':
            for pipe in ['ALL'] if self.core == 'vector' else ['MTE2', 'MTE3', 'FIX']:
                self.add(Item('barrier', node.line, pipe))
        elif name in ('pto.load_scalar', 'pto.store_scalar'):
            self.scalar(node, results, name, text)
        else:
            self.access(node, results, name, text)

    def add(self, item):
        item.gone = item.line in self.gone and item.kind != 'access'
        item.loops = self.loops
        self.items.append(item)

    def flag(self, node, name, text):
        m = re.match(r'pto\.\w+\[<(\w+)>, <(\w+)>, <(\w+)>\]', text)
        src, dst = PIPES[m.group(1)], PIPES[m.group(2)]
        kind = 'set' if name == 'pto.set_flag' else 'wait'
        self.add(Item(kind, node.line, src if kind == 'set' else dst, key=(src, dst, m.group(3))))

    def scalar(self, node, results, name, text):
        m = re.search(r'(%\w+)\[(%\w+)\]', text)
        p = self.env[m.group(1)]
        at = p.base + self.number(m.group(2)) * p.size
        item = Item('access', node.line, 'S', name=name)
        (item.reads if results else item.writes).append((p.root, [(at, at + p.size)]))
        self.add(item)

    def access(self, node, results, name, text):
        """A statement with ins(..) outs(..)."""
        row = self.table.row(name)
        m = re.match(r'[\w.]+ ins\((.*?)( :.*?)?\)( outs\((.*?)( :.*?)?\))?', text)
        if name == 'pto.tgetval':
            self.env[results[0]] = None
        groups = re.findall(r'(ins|outs)\(([^:)]*)', text)
        if row is None or not groups:
            raise NotKnown(text)
        ins, outs = [], []
        for word, values in groups:
            (ins if word == 'ins' else outs).extend(self.env.get(v) for v in operands(values))
        tiles = [v for v in ins + outs if isinstance(v, Tile)]
        slots = [o for o in row['operands'] if o['role'] in ('input', 'scratch', 'input and output')]
        scratch = self.scratch_of(name, slots, ins)
        item = Item('access', node.line, self.pipe(name, row, ins, outs, scratch), name=name)
        for k, v in enumerate(ins):
            if isinstance(v, (Tile, View)) and not (k in scratch and self.profile == 'a5'):
                (item.writes if k in scratch else item.reads).append(v.place())
        item.writes += [v.place() for v in outs if isinstance(v, (Tile, View))]
        item.tiles = outs
        item.scratch = {str(v.place()) for k, v in enumerate(ins) if k in scratch and isinstance(v, Tile)}
        if not tiles and not item.reads and not item.writes:
            raise NotKnown(text)
        self.add(item)

    def scratch_of(self, name, slots, ins):
        """The numbers of the operands that are scratch."""
        if all(o['role'] != 'scratch' for o in slots):
            return ()
        if len(slots) == len(ins):
            return tuple(i for i, o in enumerate(slots) if o['role'] == 'scratch')
        needed = [o for o in slots if o['arity'] == 'one']
        if len(needed) == len(ins):
            return tuple(i for i, o in enumerate(needed) if o['role'] == 'scratch')
        raise NotKnown('the operands of ' + name)

    def pipe(self, name, row, ins, outs, scratch):
        first = next((v.space for v in ins if isinstance(v, Tile)), None)
        last = next((v.space for v in outs if isinstance(v, Tile)), None)
        if name == 'pto.tstore':
            return 'FIX' if first == 'acc' else 'MTE3'
        if name in ('pto.tmov', 'pto.textract', 'pto.tinsert'):
            if first == 'acc' or last == 'scaling':
                return 'FIX'
            if first == 'mat':
                return 'MTE1'
            if first == last == 'vec':
                return 'V'
            raise NotKnown('a move from %s to %s' % (first, last))
        if name == 'pto.tci':
            return 'V' if scratch and self.profile == 'a2a3' else 'S'
        pipe = row['pipe'] if isinstance(row['pipe'], str) else (row['pipe'] or {}).get(self.profile)
        if row.get('phases') or pipe not in PIPES.values() or 'tpop' in name or 'tpush' in name or name == 'pto.tfillpad':
            raise NotKnown(name)
        return pipe


# ---- the pipes ----

def is_exempt(profile, i, j):
    """What the vendor's assembler takes as ordered: two loads, and a long vector instruction that reads what the one
    before wrote, in one iteration."""
    if i.pipe != j.pipe:
        return False
    if i.name == j.name == 'pto.tload':
        return True
    if i.pipe != 'V' or profile != 'a2a3' or i.tiles is None or j.tiles is None:
        return False
    common = [a for a, b in zip(i.loops, j.loops) if a[0] == b[0]]
    if any(a != b for a, b in zip(i.loops, j.loops) if a[0] == b[0]) and common:
        return False
    if any(str(a) in i.scratch or str(b) in j.scratch for a, b, _, _ in conflict(uses(i), uses(j))):
        return False
    chain = {str(a) for a, b, u, v in conflict(uses(i), uses(j)) if u and not v and a == b}
    all_one = all(a == b and str(a) in chain for a, b, _, _ in conflict(uses(i), uses(j)))
    written = [t for t in i.tiles if isinstance(t, Tile) and str(t.place()) in chain]
    return len(chain) == 1 and all_one and bool(written) and written[0].repeats() >= 16


class Pipes:
    """The queues of a few items, of which those that are gone do nothing."""

    def __init__(self, items, profile):
        self.items, self.profile = [i for i in items if not i.gone], profile
        n = len(self.items)
        self.before, last, self.blockers, blockers = [[] for _ in range(n)], {}, [[] for _ in range(n)], []
        up = {}
        self.start = {}
        for k, item in enumerate(self.items):
            self.blockers[k] = list(blockers)
            self.before[k] = list(last.get(item.pipe, [])) if item.pipe != 'ALL' else list(range(k))
            if item.pipe == 'ALL' or (item.kind == 'wait' and item.pipe == 'S'):
                blockers.append(k)
            last.setdefault(item.pipe, []).append(k)
            if item.kind == 'set':
                up[item.key] = up.get(item.key, 0) + 1
            elif item.kind == 'wait':
                if up.get(item.key, 0) == 0:  # set before the items begin
                    self.start[item.key] = self.start.get(item.key, 0) + 1
                else:
                    up[item.key] -= 1
        self.conflicts = [[i for i in range(j) if self.races(i, j)] for j in range(n)]

    def races(self, i, j):
        a, b = self.items[i], self.items[j]
        return a.kind == b.kind == 'access' and bool(conflict(uses(a), uses(b))) and not is_exempt(self.profile, a, b)

    def advance(self, started, ended, flags, found):
        """Starts and passes what can, until nothing changes; accesses go on, flags and barriers are done at once."""
        moved = True
        while moved:
            moved = False
            for k, item in enumerate(self.items):
                if k in started or not all(b in ended for b in self.blockers[k]) or \
                        not all(b in started for b in self.before[k]):
                    continue
                all_ended = all(b in ended for b in self.before[k])
                if item.kind == 'access':
                    if item.pipe in ORDERED[self.profile] and not all_ended:
                        continue
                    found.update((i, k) for i in self.conflicts[k] if i not in ended)
                elif item.kind == 'wait':
                    if flags.get(item.key, 0) == 0:
                        continue
                    flags[item.key] -= 1
                elif not all_ended:
                    continue
                elif item.kind == 'set':
                    flags[item.key] = flags.get(item.key, 0) + 1
                started.add(k)
                if item.kind != 'access':
                    ended.add(k)
                moved = True

    def every_order(self, most):
        """All orders in which the accesses end; None when there are too many states."""
        found, seen, todo = set(), set(), [(frozenset(), frozenset(), tuple(sorted(self.start.items())))]
        while todo:
            started, ended, flags = todo.pop()
            started, ended, flags = set(started), set(ended), dict(flags)
            self.advance(started, ended, flags, found)
            for k in started - ended:
                state = (frozenset(started), frozenset(ended | {k}), tuple(sorted(flags.items())))
                if state not in seen:
                    if len(seen) >= most:
                        return None
                    seen.add(state)
                    todo.append(state)
        return found

    def one_late(self):
        """The same for one access after the other: all else ends as soon as it can, as an access that ends earlier
        only lets more begin."""
        found = set()
        for late, item in enumerate(self.items):
            if item.kind != 'access':
                continue
            started, ended, flags, count = set(), set(), dict(self.start), -1
            while count != len(ended):
                count = len(ended)
                here = set()
                self.advance(started, ended, flags, here)
                found.update(pair for pair in here if pair[0] == late)
                ended |= started - {late}
        return found
