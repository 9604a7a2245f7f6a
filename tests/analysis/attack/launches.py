# SPDX-License-Identifier: Apache-2.0
"""Random launches: sections of the cube core and the vector cores that meet at queues, signals and global memory. A script
says what the cores do together; each side is derived from it, some of its flags are left out, and often one statement of
one side is deleted, repeated, moved or put under another condition."""

TRIPS = ('n', 'm', 1, 2, 3, 5)
SLOTS = (1, 2, 2, 3, 4, 4, 6, 8)
ROWS, HALF = 32, 16


class Queue:
    def __init__(self, name, to_vector, slots, ring):
        self.name, self.to_vector, self.slots, self.ring = name, to_vector, slots, ring
        self.period = slots if slots <= 2 else slots // 2


class Node:
    """kind: loop (trip, body), if (condition, body, other), or a statement; `line` is set when the text is written."""

    def __init__(self, kind, **what):
        self.__dict__.update({'kind': kind, 'line': 0, 'body': None, 'other': None}, **what)

    def copy(self):
        new = Node(**self.__dict__)
        for part in ('body', 'other'):
            if getattr(self, part) is not None:
                setattr(new, part, [n.copy() for n in getattr(self, part)])
        return new


class Launch:
    """sides: the statements of the cube and of the vector cores; bare: without flags, which are inserted later."""

    def __init__(self, rng, profile):
        self.rng, self.profile = rng, profile
        self.queues = [Queue('q%d' % i, rng.random() < .6, rng.choice(SLOTS), 0) for i in range(rng.choice((1, 1, 2)))]
        for q in self.queues:
            q.ring = rng.choice((q.slots, q.slots, 1, min(2, q.slots))) if profile == 'a2a3' else q.slots
        self.careful = rng.random() < .6  # no flag is left out
        self.depth = 0
        script = self.script(3)
        self.sides = {'cube': self.side(script, 'cube'), 'vector': self.side(script, 'vector')}
        if rng.random() < .6:
            self.spoil(self.sides[rng.choice(('cube', 'vector'))])
        self.bare = rng.random() < .25
        for side in self.sides.values() if self.bare else ():
            for body in self.lists(side):
                body[:] = [n for n in body if n.kind not in ('set', 'wait')]

    # ---- the script ----

    def script(self, most):
        rng, out = self.rng, []
        for _ in range(rng.randint(1, most)):
            kind = rng.choice(('loop', 'loop', 'if', 'pass', 'pass', 'pass', 'two', 'ahead', 'signal', 'memory', 'meet'))
            if kind in ('loop', 'if') and self.depth < 2:
                self.depth += 1
                if kind == 'loop':
                    out.append(('loop', rng.choice(TRIPS), self.script(2)))
                else:
                    other = self.script(1) if rng.random() < .4 else []
                    out.append(('if', rng.choice(('k', 'even')), self.script(2), other))
                self.depth -= 1
            elif kind == 'signal':
                out.append(('signal', rng.randrange(2), rng.choice(('cube', 'vector'))))
            elif kind == 'memory':
                at = rng.choice((None, None, 'turn'))
                out.append(('memory', rng.choice(('cube', 'vector')), rng.choice((0, 0, 1)), at, at is None and rng.random() < .8))
            elif kind == 'ahead' and self.depth == 0:
                q = rng.choice(self.queues)
                out.append(('ahead', q, rng.randint(0, q.slots), rng.choice(TRIPS)))
            elif kind == 'meet' and self.profile == 'a2a3' and rng.random() < .5:
                out.append(('meet',))
            else:
                out.append(('two' if kind == 'two' else 'pass', rng.choice(self.queues)))
        return out

    def side(self, script, core):
        out = []
        for what in script:
            if what[0] == 'loop':
                out.append(Node('loop', trip=what[1], body=self.side(what[2], core)))
            elif what[0] == 'if':
                out.append(Node('if', condition=what[1], body=self.side(what[2], core), other=self.side(what[3], core)))
            else:
                out += getattr(self, 'do_' + what[0])(core, *what[1:])
        return out

    def flag(self, source, target, event):
        """A set and its wait, unless it is forgotten."""
        if not self.careful and self.rng.random() < .15:
            return []
        return [Node(kind, source=source, target=target, event=event) for kind in ('set', 'wait')]

    def reader(self, core):
        return 'MTE1' if core == 'cube' else 'V'

    def taken(self, core, q, entry):
        pipe = self.reader(core)
        out = [Node('pop', queue=q, entry=entry)]
        if self.profile == 'a2a3':
            out += self.flag('MTE2', pipe, 1)
        out.append(Node('use', queue=q, entry=entry))
        if core == 'vector' and self.rng.random() < .2:
            out += self.flag('V', 'MTE3', 2) if self.profile == 'a5' else self.flag('MTE2', 'MTE3', 2)
            out.append(Node('keep', queue=q, entry=entry))
            out += self.flag('MTE3', 'V', 2) if self.profile == 'a5' else self.flag('MTE3', 'MTE2', 2)
        if self.profile == 'a2a3':
            out += self.flag(pipe, 'MTE2', 3)
        return out

    def gives(self, core, q):
        return (core == 'cube') == q.to_vector

    def do_pass(self, core, q):
        if self.gives(core, q):
            return [Node('push', queue=q)]
        return self.taken(core, q, 0) + [Node('free', queue=q)]

    def do_two(self, core, q):
        """Two entries are open at a time."""
        if self.gives(core, q):
            return [Node('push', queue=q), Node('push', queue=q)]
        return self.taken(core, q, 0) + self.taken(core, q, 1) + [Node('free', queue=q), Node('free', queue=q)]

    def do_ahead(self, core, q, n, trip):
        """The producer is some entries ahead, and the consumer waits in each turn for what it pushes then."""
        source = 'cube' if q.to_vector else 'vector'
        if core == source:
            return ([Node('push', queue=q) for _ in range(n)]
                    + [Node('loop', trip=trip, body=[Node('push', queue=q)] + self.do_signal(core, 6, source))])
        turn = self.do_signal(core, 6, source, {core: self.reader(core)}) + self.do_pass(core, q)
        return [Node('loop', trip=trip, body=turn)] + [x for _ in range(n) for x in self.do_pass(core, q)]

    def do_signal(self, core, event, source, pipes=None):
        if core == source:
            return [Node('signal', event=event, pipe=(pipes or {}).get(core, 'FIX' if core == 'cube' else 'MTE3'))]
        return [Node('await', event=event, pipe=(pipes or {}).get(core, 'MTE2'))]

    def do_memory(self, core, source, array, at, returns):
        """One side stores what the other one loads; if `returns`, a second signal lets the next store wait for the load."""
        event, store = 2 + 2 * array, {'cube': 'FIX', 'vector': 'MTE3'}
        target = 'vector' if source == 'cube' else 'cube'
        back = {source: store[source], target: 'MTE2'}
        out = [Node('store' if core == source else 'load', array=array, at=at)]
        there = self.do_signal(core, event, source, {source: store[source], target: 'MTE2'})
        out = out + there if core == source else there + out
        return out + (self.do_signal(core, event + 1, target, back) if returns else [])

    def do_meet(self, core):
        return [Node('meet')]

    # ---- faults ----

    def lists(self, body):
        yield body
        for n in body:
            for part in (n.body, n.other):
                if part is not None:
                    yield from self.lists(part)

    def spoil(self, side):
        rng = self.rng
        body = rng.choice([b for b in self.lists(side) if b] or [[]])
        if not body:
            return
        i, how = rng.randrange(len(body)), rng.choice(('less', 'less', 'swap', 'again', 'trip', 'under', 'lane'))
        if how == 'less':
            del body[i]
        elif how == 'swap' and i > 0:
            body[i - 1], body[i] = body[i], body[i - 1]
        elif how == 'again':
            body.insert(i, body[i].copy())
        elif how == 'trip' and body[i].kind == 'loop':
            body[i].trip = rng.choice(TRIPS)
        elif how == 'under':
            body[i] = Node('if', condition=rng.choice(('k', 'even')), body=[body[i]], other=[])
        elif how == 'lane' and side is self.sides['vector']:
            body[i] = Node('if', condition='lane', body=[body[i]], other=[body[i].copy()] if rng.random() < .7 else [])


# ---- text ----

TYPES = '''!acc = !pto.tile_buf<acc, 32x32xf32, blayout=col_major, slayout=row_major, fractal=1024>
!left = !pto.tile_buf<left, 32x32xf16, blayout=%s, slayout=row_major>
!mat = !pto.tile_buf<mat, 32x32xf16, blayout=col_major, slayout=row_major>
!wide = !pto.tile_buf<mat, 32x32xf32, blayout=col_major, slayout=row_major>
!half = !pto.tile_buf<vec, 16x32xf32>
!half16 = !pto.tile_buf<vec, 16x32xf16>
!rows = !pto.tensor_view<?x32xf32>
!part16 = !pto.partition_tensor_view<16x32xf32>
!part32 = !pto.partition_tensor_view<32x32xf32>
'''
TILES = {'cube': (('acc', 'acc', 0), ('moved', 'left', 0), ('in', 'wide', 0)),
         'vector': (('out', 'half16', 131072), ('in', 'half', 139264), ('res', 'half', 147456))}


class Writer:
    def __init__(self, launch):
        self.launch, self.lines, self.names, self.loops = launch, [], 0, []

    def new(self):
        self.names += 1
        return '%%v%d' % self.names

    def put(self, text, depth):
        self.lines.append('  ' * depth + text)
        return len(self.lines)

    def text(self):
        a2a3 = self.launch.profile == 'a2a3'
        self.lines = (TYPES % ('row_major' if a2a3 else 'col_major')).splitlines()
        slots = ''.join(', %%s_%s: !pto.ptr<%s>' % (q.name, 'f32' if q.to_vector else 'f16') for q in self.launch.queues)
        self.put('func.func @k(%%x0: !pto.ptr<f32>, %%x1: !pto.ptr<f32>, %%y: !pto.ptr<f32>, %%ffts: !pto.ptr<i64>, %%n: index, '
                 '%%m: index, %%k: i32%s) attributes {pto.entry} {' % slots, 0)
        for c in (0, 1, 2, 3, 5, 16, 32, 1 << 20):
            self.put('%%c%d = arith.constant %d : index' % (c, c), 1)
        self.put('%zero = arith.constant 0 : i32', 1)
        for core in ('cube', 'vector'):
            self.section(core)
        self.put('return', 1)
        self.put('}', 0)
        return '\n'.join(self.lines) + '\n'

    def section(self, core):
        self.put('pto.section.%s {' % core, 1)
        if self.launch.profile == 'a2a3':
            self.put('pto.set_ffts %ffts : !pto.ptr<i64>', 2)
        for i, q in enumerate(self.launch.queues):
            self.open(q, i)
            if not self.launch.gives(core, q):
                for entry in (0, 1):
                    self.put('%%e%d_%s = pto.declare_tile -> !%s' % (entry, q.name, 'half' if q.to_vector else 'mat'), 2)
        for name, kind, at in TILES[core]:
            self.put('%%%s_at = arith.constant %d : i64' % (name, at), 2)
            self.put('%%%s = pto.alloc_tile addr = %%%s_at : !%s' % (name, name, kind), 2)
        if core == 'vector':
            self.put('%sub = pto.get_subblock_idx', 2)
            self.put('%lane = arith.index_cast %sub : i64 to index', 2)
            self.put('%skip = arith.muli %lane, %c16 : index', 2)
        for g in ('x0', 'x1', 'y'):
            self.put('%%%s_view = pto.make_tensor_view %%%s, shape = [%%c1048576, %%c32], strides = [%%c32, %%c1] : !rows' % (g, g), 2)
        self.body(self.launch.sides[core], core, 2)
        self.put('}', 1)

    def open(self, q, i):
        size = 4096 if q.to_vector else 2048
        mask, base = 1 if q.to_vector else 2, 32768 * i if q.to_vector else 262144 + 16384 * i
        self.put('%%b_%s = arith.constant %d : i32' % (q.name, base), 2)
        if self.launch.profile == 'a5':
            self.put('%%%s = pto.initialize_l2l_pipe {dir_mask = %d, slot_size = %d, slot_num = %d, flag_base = %d} (%%b_%s : i32) '
                     '-> !pto.pipe' % (q.name, mask, size, q.slots, 8 + 2 * i, q.name), 2)
            return
        self.put('%%%s = pto.initialize_l2g2l_pipe {dir_mask = %d, slot_size = %d, slot_num = %d, local_slot_num = %d, flag_base = %d} '
                 '(%%s_%s : !pto.ptr<%s>, %%b_%s : i32) -> !pto.pipe'
                 % (q.name, mask, size, q.slots, q.ring, 8 + 2 * i, q.name, 'f32' if q.to_vector else 'f16', q.name), 2)

    # ---- statements ----

    def body(self, nodes, core, depth):
        for n in nodes:
            n.line = getattr(self, 'put_' + n.kind)(n, core, depth)

    def put_loop(self, n, core, depth):
        count, to = self.new(), '%' + n.trip if isinstance(n.trip, str) else '%%c%d' % n.trip
        line = self.put('scf.for %s = %%c0 to %s step %%c1 {' % (count, to), depth)
        self.loops.append(count)
        self.body(n.body, core, depth + 1)
        self.loops.pop()
        self.put('}', depth)
        return line

    def put_if(self, n, core, depth):
        value = self.new()
        if n.condition == 'even' and self.loops:
            rest = self.new()
            self.put('%s = arith.remui %s, %%c2 : index' % (rest, self.loops[-1]), depth)
            self.put('%s = arith.cmpi eq, %s, %%c0 : index' % (value, rest), depth)
        elif n.condition == 'lane':
            self.put('%s = arith.cmpi eq, %%lane, %%c0 : index' % value, depth)
        else:
            self.put('%s = arith.cmpi ne, %%k, %%zero : i32' % value, depth)
        line = self.put('scf.if %s {' % value, depth)
        self.body(n.body, core, depth + 1)
        if n.other:
            self.put('} else {', depth)
            self.body(n.other, core, depth + 1)
        self.put('}', depth)
        return line

    def put_push(self, n, core, depth):
        value, kind = ('acc', 'acc') if core == 'cube' else ('out', 'half16')
        return self.put('pto.tpush(%%%s, %%%s : !%s, !pto.pipe) {split = 1}' % (value, n.queue.name, kind), depth)

    def entry(self, n):
        return '%%e%d_%s' % (n.entry, n.queue.name)

    def put_pop(self, n, core, depth):
        kind = 'mat' if core == 'cube' else 'half'
        return self.put('pto.tpop(%s, %%%s : !%s, !pto.pipe) {split = 1}' % (self.entry(n), n.queue.name, kind), depth)

    def put_use(self, n, core, depth):
        if core == 'cube':
            return self.put('pto.tmov ins(%s : !mat) outs(%%moved : !left)' % self.entry(n), depth)
        return self.put('pto.tabs ins(%s : !half) outs(%%res : !half)' % self.entry(n), depth)

    def put_free(self, n, core, depth):
        return self.put('pto.tfree(%%%s : !pto.pipe) {split = 1}' % n.queue.name, depth)

    def part(self, view, at, core, depth):
        offset, p = '%c0', self.new()
        if at == 'turn' and self.loops:
            offset = self.new()
            self.put('%s = arith.muli %s, %%c32 : index' % (offset, self.loops[-1]), depth)
        if core == 'vector':
            o, offset = offset, self.new()
            self.put('%s = arith.addi %s, %%skip : index' % (offset, o), depth)
        rows, kind = ('%c32', 'part32') if core == 'cube' else ('%c16', 'part16')
        self.put('%s = pto.partition_view %%%s_view, offsets = [%s, %%c0], sizes = [%s, %%c32] : !rows -> !%s'
                 % (p, view, offset, rows, kind), depth)
        return '%s : !%s' % (p, kind)

    def put_keep(self, n, core, depth):
        p = self.part('y', None, core, depth)
        return self.put('pto.tstore ins(%s : !half) outs(%s)' % (self.entry(n), p), depth)

    def put_store(self, n, core, depth):
        p = self.part('x%d' % n.array, n.at, core, depth)
        return self.put('pto.tstore ins(%s) outs(%s)' % ('%acc : !acc' if core == 'cube' else '%res : !half', p), depth)

    def put_load(self, n, core, depth):
        p = self.part('x%d' % n.array, n.at, core, depth)
        return self.put('pto.tload ins(%s) outs(%%in : !%s)' % (p, 'wide' if core == 'cube' else 'half'), depth)

    def put_set(self, n, core, depth):
        return self.put('pto.set_flag[<PIPE_%s>, <PIPE_%s>, <EVENT_ID%d>]' % (n.source, n.target, n.event), depth)

    def put_wait(self, n, core, depth):
        return self.put('pto.wait_flag[<PIPE_%s>, <PIPE_%s>, <EVENT_ID%d>]' % (n.source, n.target, n.event), depth)

    def events(self, name, n, core, depth):
        """On a5 the cube has an event for each vector core."""
        if self.launch.profile == 'a2a3':
            return self.put('pto.sync.%s <PIPE_%s>, %d' % (name, n.pipe, n.event), depth)
        line = self.put('pto.%s_intra_block <PIPE_%s>, %d' % (name, n.pipe, n.event), depth)
        if core == 'cube':
            self.put('pto.%s_intra_block <PIPE_%s>, %d' % (name, n.pipe, n.event + 16), depth)
        return line

    def put_signal(self, n, core, depth):
        return self.events('set', n, core, depth)

    def put_await(self, n, core, depth):
        return self.events('wait', n, core, depth)

    def put_meet(self, n, core, depth):
        return self.put('pto.syncall() mode = #pto.sync_all_mode<hard>, core_type = #pto.sync_core_type<mix>', depth)
