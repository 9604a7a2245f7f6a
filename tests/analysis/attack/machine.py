# SPDX-License-Identifier: Apache-2.0
"""Executes a function on one kind of core with numbers for its arguments, and lists what goes into the queues of the pipes:
accesses with their bytes, flags, barriers and buffers, in the order of the text."""
import re

import integers
from integers import Undefined
from places import BYTES, Pointer, Slots, Tile, View
from text import NotKnown, split_commas, values

MOST_STATEMENTS = 20000
MOST_EVENTS = 600


class Event:
    """uses: (place, is a write). `iteration` names the loops around it and their iterations."""
    __slots__ = ('kind', 'line', 'pipe', 'uses', 'key', 'name', 'iteration', 'writes', 'index')

    def __init__(self, kind, line, pipe, uses=(), key=None, name='', iteration=(), writes=None):
        self.kind, self.line, self.pipe, self.uses, self.key = kind, line, pipe, uses, key
        self.name, self.iteration, self.writes = name, iteration, writes


# The pipe of each instruction with ins() and outs(); None: the operands decide.
INSTRUCTIONS = {'pto.tload': 'MTE2', 'pto.tstore': None, 'pto.tmov': None, 'pto.tmatmul': 'M', 'pto.tmatmul.acc': 'M',
                'pto.tabs': 'V', 'pto.tneg': 'V', 'pto.trelu': 'V', 'pto.tadd': 'V', 'pto.tsub': 'V', 'pto.tmul': 'V',
                'pto.tmax': 'V', 'pto.tadds': 'V', 'pto.tmuls': 'V', 'pto.texpands': 'V'}
# What an operation of get_buf and record_event means.
CLASSES = {'TLOAD': 'MTE2', 'TSTORE_VEC': 'MTE3', 'TVEC': 'V', 'TMATMUL': 'M', 'TMOV_M2L': 'MTE1', 'TSTORE_ACC': 'FIX'}
# Spaces that a kind of core does not have.
ELSEWHERE = {'cube': ('vec',), 'vector': ('mat', 'left', 'right', 'acc')}
FLAG = re.compile(r'\[<PIPE_(\w+)>, <PIPE_(\w+)>, (?:<EVENT_ID(\d)>|(%\w+))\]')
FOR = re.compile(r'(%\w+) = (%\w+) to (%\w+) step (%\w+)')


def clauses(text):
    """ins(..) and outs(..) as lists of names."""
    out = {'ins': [], 'outs': []}
    for word, inside in re.findall(r'\b(ins|outs)\(([^:)]*)', text):
        out[word] += values(inside)
    return out


def pairs(text):
    """(name, initial value) of iter_args."""
    m = re.search(r'iter_args\(([^)]*)\)', text)
    return re.findall(r'(%[\w#]+) = (%[\w#]+)', m.group(1)) if m else []


def last_type(text):
    return text.rsplit(' : ', 1)[1].strip()


class Machine:
    """With `chance` a run takes any path, as the proof does: conditions hold or not, and loops end at any time unless
    constants are their bounds."""

    def __init__(self, profile, core, chance=None):
        self.profile, self.core, self.chance = profile, core, chance
        self.events, self.iteration, self.steps, self.fixed = [], (), 0, set()
        self.breaks_assumption = False  # something is so that the proof says it takes it to be otherwise

    def add(self, kind, statement, pipe, uses=(), key=None, writes=None):
        if len(self.events) >= MOST_EVENTS:
            raise Undefined('a long run')
        if any(space in ELSEWHERE[self.core] for (space, _), _ in uses):
            raise Undefined('memory of the other kind of core')
        self.events.append(Event(kind, statement.line, pipe, tuple(uses), key, statement.name, self.iteration, writes))

    # ---- control ----

    def call(self, function, arguments):
        """Runs the blocks of a function; returns its results."""
        if function.kind not in (None, self.core):
            return None
        env = dict(zip((n for n, _ in function.parameters), arguments))
        return self.blocks(function.module, function.blocks(), env, [])[1]

    def blocks(self, module, region, env, arguments):
        """Runs a region from its first block; returns the name of the terminator and its operands."""
        block, at = region[0], {b.label: b for b in region}
        order, around, turn = {b.label: n for n, b in enumerate(region)}, self.iteration, 0
        while True:
            if len(region) > 1:
                self.iteration = around + ((id(region), turn),)
            env.update(zip((n for n, _ in block.arguments), arguments))
            name, statement = self.statements(module, block, env)
            if name not in ('cf.br', 'cf.cond_br'):
                self.iteration = around
                return name, [env[v] for v in values(statement.text.split(' : ')[0])] if statement else []
            label, arguments = self.branch(statement, env)
            turn += order[label] <= order[block.label]
            block = at[label]

    def holds(self, condition):
        return condition if self.chance is None else self.chance.random() < .5

    def branch(self, statement, env):
        parts = split_commas(statement.text)
        if statement.name == 'cf.cond_br':
            parts = parts[1:2] if self.holds(env[parts[0]]) else parts[2:3]
        m = re.match(r'\^(\w+)(?:\((.*)\))?', parts[0])
        return m.group(1), [env[v] for v in values((m.group(2) or '').split(' : ')[0])]

    def statements(self, module, block, env):
        """Runs a block up to its terminator."""
        for statement in block.statements:
            self.steps += 1
            if self.steps > MOST_STATEMENTS:
                raise Undefined('a long run')
            name = statement.name
            if name in ('scf.yield', 'scf.condition', 'return', 'func.return', 'cf.br', 'cf.cond_br'):
                return name, statement
            self.statement(module, statement, env)
        return None, None

    def statement(self, module, s, env):
        if s.name.startswith('arith.'):
            env[s.results[0]] = self.arith(s, env)
        elif s.name == 'func.call':
            callee = re.match(r'@(\w+)\((.*?)\)', s.text)
            found = self.call(module.functions[callee.group(1)], [env[v] for v in values(callee.group(2))])
            env.update(zip(s.results, found or ()))
        elif s.name.startswith('pto.section.'):
            if s.name[len('pto.section.'):] == self.core:
                self.blocks(module, s.regions[0], env, [])
        elif s.name == 'scf.for':
            env.update(zip(s.results, self.loop(module, s, env)))
        elif s.name == 'scf.if':
            region = 0 if self.holds(env[values(s.text)[0]]) else 1
            if region < len(s.regions):
                env.update(zip(s.results, self.blocks(module, s.regions[region], env, [])[1]))
        elif s.name == 'scf.while':
            env.update(zip(s.results, self.repeat(module, s, env)))
        else:
            self.pto(s, env)

    def loop(self, module, s, env):
        m = FOR.match(s.text)
        low, high, step = (integers.signed(env[v], 64) for v in m.groups()[1:])
        if step <= 0:
            raise Undefined('a loop without a step')
        if self.chance and not self.fixed.issuperset(m.groups()[1:]):
            high = low + step * self.chance.randrange(4)
        names = pairs(s.text)
        carried, around = [env[v] for _, v in names], self.iteration
        for k, i in enumerate(range(low, high, step)):
            env[m.group(1)] = integers.wrap(i, 64)
            env.update(zip((n for n, _ in names), carried))
            self.iteration = around + ((s.line, k),)
            carried = self.blocks(module, s.regions[0], env, [])[1]
        self.iteration = around
        return carried

    def repeat(self, module, s, env):
        """scf.while: the region before the condition, then the one after it."""
        names = re.findall(r'(%[\w#]+) = (%[\w#]+)', s.text.split(' : ')[0])
        carried, around, k = [env[v] for _, v in names], self.iteration, 0
        while True:
            env.update(zip((n for n, _ in names), carried))
            self.iteration = around + ((s.line, k),)
            go, *passed = self.blocks(module, s.regions[0], env, [])[1]
            if not self.holds(go):
                self.iteration = around
                return passed
            carried, k = self.blocks(module, s.regions[1], env, passed)[1], k + 1

    # ---- numbers ----

    def arith(self, s, env):
        name = s.name[len('arith.'):]
        if name == 'constant':
            self.fixed.add(s.results[0])
            return self.constant(s)
        arguments = [env[v] for v in values(s.text.split(' : ')[0])]
        kind = last_type(s.text)
        if name == 'select':
            return arguments[1] if self.holds(arguments[0]) else arguments[2]
        if name == 'cmpi':
            return integers.compare(s.text.split(',')[0], arguments[0], arguments[1], integers.width(kind))
        if ' to ' in kind:
            source, target = kind.split(' to ')
            return integers.cast(name, arguments[0], integers.width(source), integers.width(target))
        return integers.binary(name, arguments[0], arguments[1], integers.width(kind))

    def constant(self, s):
        if s.text.startswith(('true', 'false')):
            return int(s.text.startswith('true'))
        value, kind = s.text.split(' : ')
        return integers.wrap(int(value), integers.width(kind)) if kind in integers.WIDTHS else float(value)

    def number(self, env, name):
        return integers.signed(env[name], 64)

    # ---- memory ----

    def pto(self, s, env):
        name = s.name[len('pto.'):].replace('.', '_')
        method = getattr(self, 'do_' + name, None)
        if method is not None:
            value = method(s, env)
            if s.results:
                env[s.results[0]] = value
        elif s.name in INSTRUCTIONS:
            self.instruction(s, env)
        else:
            raise NotKnown(s.name)

    def do_alloc_tile(self, s, env):
        tile = Tile(last_type(s.text), self.profile)
        where = dict(re.findall(r'(addr|valid_row|valid_col) = (%\w+)', s.text))
        for i, word in enumerate(('valid_row', 'valid_col')):
            if word in where:
                tile.valid[i] = env[where[word]]
                if tile.valid[i] > (tile.rows, tile.cols)[i]:
                    raise Undefined('a valid region outside its tile')
        return tile.bind(env[where['addr']]) if 'addr' in where else tile

    def do_set_validshape(self, s, env):
        names = values(s.text.split(' : ')[0])
        tile = env[names[0]]
        valid = [env[v] for v in names[1:]]
        if valid[0] > tile.rows or valid[1] > tile.cols:
            raise Undefined('a valid region outside its tile')
        tile.valid = valid

    def do_alloc_multi_tile(self, s, env):
        m = re.search(r'multi_tile_buf<(.*), count=(\d+)>', s.text)
        return Slots(Tile(m.group(1), self.profile), int(m.group(2)), env[re.search(r'addr = (%\w+)', s.text).group(1)])

    def do_multi_tile_get(self, s, env):
        slots, k = values(s.text.split(' : ')[0])
        return env[slots].get(env[k])

    def do_tassign(self, s, env):
        """With a result a tile of its own, without one the tile itself."""
        names = values(s.text.split(' : ')[0])
        tile = env[names[0]]
        fixed = re.search(r'@tile\((\w+)\)', s.text)
        where = int(fixed.group(1), 0) if fixed else env[names[1]]
        return tile.at(where) if s.results else tile.bind(where)

    def do_subview(self, s, env):
        tile, row, col = (env[v] for v in values(s.text.split(' : ')[0])[:3])
        sizes = re.search(r'sizes ?\[(\d+), (\d+)\]', s.text)
        return tile.window(row, col, int(sizes.group(1)), int(sizes.group(2)))

    def do_make_tensor_view(self, s, env):
        shape, strides = ([env[v] for v in values(re.search(word + r' = \[([^\]]*)\]', s.text).group(1))]
                          for word in ('shape', 'strides'))
        if any(n < 1 << 63 and n > 1 << 31 or n >= 1 << 63 for n in shape + strides):
            raise Undefined('a view without sense')
        names = values(re.search(r'strides = \[([^\]]*)\]', s.text).group(1))
        for i, name in enumerate(names[:-1]):
            if name not in self.fixed and strides[i] < shape[i + 1] * strides[i + 1]:
                self.breaks_assumption = True
        return View(env[values(s.text)[0]], list(zip(shape, strides)))

    def do_partition_view(self, s, env):
        offsets, sizes = ([self.number(env, v) for v in values(re.search(word + r' = \[([^\]]*)\]', s.text).group(1))]
                          for word in ('offsets', 'sizes'))
        if any(n < 0 for n in sizes):
            raise Undefined('a window without sense')
        return env[values(s.text)[0]].window(offsets, sizes, self.chance is None)

    def do_castptr(self, s, env):
        value = env[values(s.text)[0]]
        m = re.match(r'!pto\.ptr<(\w+)(?:, (\w+))?>', last_type(s.text).split(' -> ')[1])
        if m is None or m.group(1) not in BYTES:
            raise NotKnown(s.text)
        size = BYTES[m.group(1)]
        if isinstance(value, Pointer):
            return Pointer(value.space, value.at, size)
        if m.group(2) not in ('vec', 'ub'):
            raise NotKnown('a number as a pointer to global memory')
        return Pointer('vec', value, size)

    def do_addptr(self, s, env):
        pointer, offset = values(s.text)[:2]
        return env[pointer].moved(self.number(env, offset))

    def element(self, s, env):
        m = re.search(r'(%\w+)\[(%\w+)\]', s.text)
        return env[m.group(1)].element(self.number(env, m.group(2)))

    def do_load_scalar(self, s, env):
        self.add('access', s, 'S', [(self.element(s, env), False)])

    def do_store_scalar(self, s, env):
        self.add('access', s, 'S', [(self.element(s, env), True)])

    def do_tgetval(self, s, env):
        tile, offset = clauses(s.text)['ins']
        self.add('access', s, 'S', [(env[tile].element(env[offset]), False)])

    def do_tsetval(self, s, env):
        lists = clauses(s.text)
        self.add('access', s, 'S', [(env[lists['outs'][0]].element(env[lists['ins'][0]]), True)])

    def instruction(self, s, env):
        lists = clauses(s.text)
        sources = [env[v] for v in lists['ins'] if isinstance(env[v], (Tile, View))]
        targets = [env[v] for v in lists['outs']]
        uses = [(v.place(), False) for v in sources] + [(v.place(), True) for v in targets]
        if s.name == 'pto.tmatmul.acc' and len(sources) == 2:
            uses.append((targets[0].place(), False))
        self.add('access', s, self.pipe(s.name, sources, targets), uses,
                 writes=targets[0] if isinstance(targets[0], Tile) else None)

    def pipe(self, name, sources, targets):
        if name == 'pto.tstore':
            return 'FIX' if sources[0].space == 'acc' else 'MTE3'
        if name == 'pto.tmov':
            route = sources[0].space, targets[0].space
            return {('mat', 'left'): 'MTE1', ('mat', 'right'): 'MTE1', ('vec', 'vec'): 'V'}[route]
        return INSTRUCTIONS[name]

    # ---- order ----

    def flag(self, s, env):
        m = FLAG.match(s.text)
        event = int(m.group(3)) if m.group(3) else env[m.group(4)]
        if event > 7:
            raise Undefined('an event that does not exist')
        return m.group(1), m.group(2), event

    def do_set_flag(self, s, env):
        key = self.flag(s, env)
        self.add('set', s, key[0], key=key)

    def do_wait_flag(self, s, env):
        key = self.flag(s, env)
        self.add('wait', s, key[1], key=key)

    do_set_flag_dyn = do_set_flag
    do_wait_flag_dyn = do_wait_flag

    def do_barrier(self, s, env):
        self.add('barrier', s, re.search(r'<PIPE_(\w+)>', s.text).group(1))

    def do_fence_barrier_all(self, s, env):
        for pipe in ('ALL',) if self.core == 'vector' else ('MTE2', 'MTE3', 'FIX'):
            self.add('barrier', s, pipe)

    def buffer(self, kind, s):
        m = re.search(r'<(\w+)>, (\d+)', s.text)
        pipe = m.group(1)[len('PIPE_'):] if m.group(1).startswith('PIPE_') else CLASSES[m.group(1)]
        self.add(kind, s, pipe, key=int(m.group(2)))

    def do_get_buf(self, s, env):
        self.buffer('get', s)

    def do_rls_buf(self, s, env):
        self.buffer('rls', s)


def argument(name, kind, value, profile):
    """What a parameter of the entry is: a number, memory of its own, or a view of such memory."""
    if kind.startswith('!pto.ptr'):
        return Pointer('gm ' + name, 0, BYTES[re.search(r'<(\w+)', kind).group(1)])
    m = re.match(r'!pto\.(?:partition_)?tensor_view<((?:\d+x)+)(\w+)>', kind)
    if m:
        sizes = [int(n) for n in m.group(1).split('x') if n]
        strides = [1]
        for n in reversed(sizes[1:]):
            strides.insert(0, strides[0] * n)
        return View(Pointer('gm ' + name, 0, BYTES[m.group(2)]), list(zip(sizes, strides)))
    if kind in integers.WIDTHS:
        return integers.wrap(value, integers.width(kind))
    raise NotKnown(kind)


def run(function, profile, core, numbers, chance=None):
    """The events of one run, and whether it is one that the proof says it leaves out. numbers: name of a parameter -> its
    value."""
    machine = Machine(profile, core, chance)
    machine.call(function, [argument(n, t, numbers.get(n, 0), profile) for n, t in function.parameters])
    return machine.events, machine.breaks_assumption
