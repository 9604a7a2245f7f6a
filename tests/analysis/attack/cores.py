# SPDX-License-Identifier: Apache-2.0
"""Executes a launch: the three cores of a block, each with a unit that issues its statements in order to the queues of its
pipes, in some order of all that can go on. One access at a time is held back: it ends when nothing else can go on, so that
each access is met that nothing orders after it. Knows queues, slots and signals as they are documented, and, if asked,
slots that come back in groups."""
import collections

from launches import HALF, ROWS

CUBE, FIRST, SECOND = range(3)
VECTORS = (FIRST, SECOND)
PIPES = ('S', 'V', 'M', 'MTE1', 'MTE2', 'MTE3', 'FIX')
IN_ORDER = {'a2a3': {'S', 'M', 'MTE1', 'FIX'}, 'a5': {'S', 'V', 'M', 'MTE1', 'FIX'}}
MOST_SIGNALS, MOST_STATEMENTS = 15, 400


class TooLong(Exception):
    pass


class Work:
    """touches: (place, first, last, is a write)."""
    __slots__ = ('core', 'pipe', 'line', 'touches')

    def __init__(self, core, pipe, line, touches):
        self.core, self.pipe, self.line, self.touches = core, pipe, line, touches


def race_of(a, b):
    """Whether two accesses that are under way at once race. What a core does to global memory alone is no matter here."""
    if a.core == b.core and a.pipe == b.pipe == 'MTE2':
        return False
    for place, low, high, write in a.touches:
        for other, low2, high2, write2 in b.touches:
            if place == other and low < high2 and low2 < high and (write or write2):
                if place[0] != 'memory' or a.core != b.core:
                    return True
    return False


def unrolled(nodes, numbers, core, turns=()):
    """The statements of a core: (node, the turn of the innermost loop)."""
    for n in nodes:
        if n.kind == 'loop':
            for i in range(numbers[n.trip] if isinstance(n.trip, str) else n.trip):
                yield from unrolled(n.body, numbers, core, turns + (i,))
        elif n.kind == 'if':
            if n.condition == 'even' and turns:
                holds = turns[-1] % 2 == 0
            else:
                holds = core == FIRST if n.condition == 'lane' else numbers['k'] != 0
            yield from unrolled(n.body if holds else n.other, numbers, core, turns)
        else:
            yield n, turns[-1] if turns else 0


class Machine:
    def __init__(self, launch, numbers, rng, groups=False, held=0):
        self.launch, self.a5, self.rng, self.groups, self.held = launch, launch.profile == 'a5', rng, groups, held
        self.rest = []
        for core in (CUBE, FIRST, SECOND):
            side = launch.sides['cube' if core == CUBE else 'vector']
            self.rest.append(list(unrolled(side, numbers, core)))
            if len(self.rest[-1]) > MOST_STATEMENTS:
                raise TooLong
        # what inserted flags order is known only to be in the order of the text
        self.stops = not self.a5 or launch.bare and rng.random() < .5
        self.ahead = rng.choice(((), (CUBE,), (FIRST,), (SECOND,), VECTORS))  # cores that go first
        self.slow = rng.choice((None, (rng.randrange(3), rng.choice(PIPES))))  # a pipe that goes last
        self.at = [0, 0, 0]
        self.parts = [[], [], []]  # of the statement that is being issued
        self.pipes = {(c, p): collections.deque() for c in range(3) for p in PIPES}
        self.flying, self.started, self.holding = [], 0, None
        self.tokens = collections.Counter()
        self.count = collections.Counter()
        self.bound, self.findings = {}, set()
        for q in launch.queues:
            for v in VECTORS:
                self.tokens['slot', q.name, v] = 0 if groups else q.slots

    # ---- what statements do: parts (what, pipe, argument) ----

    def lanes(self, core):
        return VECTORS if core == CUBE else (core,)

    def waits(self, pipe, channels):
        """On a2a3 the whole core waits for other cores, on a5 the pipe."""
        return [('stop' if self.stops else 'wait', pipe, c) for c in channels]

    def half(self, core):
        return (0, 2) if core == CUBE else (core - FIRST, core - FIRST + 1)

    def reader(self, core):
        return 'MTE1' if core == CUBE else 'V'

    def slot_wait(self, q, core, k, pipe):
        if self.groups and (k < q.slots or k % q.period != 0):
            return []
        return self.waits(pipe, [('slot', q.name, v) for v in self.lanes(core)])

    def slot_given(self, q, core, newest, pipe):
        if self.groups and newest % q.period != 0:
            return []
        return [('token', pipe, ('slot', q.name, v)) for v in self.lanes(core)]

    def number(self, core, q, what):
        k = self.count[core, q.name, what]
        self.count[core, q.name, what] += 1
        return k

    def do_push(self, n, core, turn):
        q, pipe, k = n.queue, 'FIX' if core == CUBE else 'MTE3', self.number(core, n.queue, 'push')
        work = Work(core, pipe, n.line, [(('slot', q.name, k % q.slots), *self.half(core), True)])
        entries = [('token', pipe, ('entry', q.name, v)) for v in self.lanes(core)]
        return self.slot_wait(q, core, k, pipe) + [('work', pipe, work)] + entries

    def do_pop(self, n, core, turn):
        q, k = n.queue, self.number(core, n.queue, 'pop')
        self.bound[core, q.name, n.entry] = k
        pipe = self.reader(core) if self.a5 else 'MTE2'
        parts = self.waits(pipe, [('entry', q.name, v) for v in self.lanes(core)])
        if not self.a5:
            work = Work(core, pipe, n.line, [(('slot', q.name, k % q.slots), *self.half(core), False),
                                             (('ring', core, q.name, k % q.ring), 0, 1, True)])
            parts += [('work', pipe, work)] + self.slot_given(q, core, k + 1, pipe)
        return parts

    def entry_of(self, n, core):
        """What an entry's bytes are; None: it is not there."""
        q, k = n.queue, self.bound.get((core, n.queue.name, n.entry))
        if k is None or (self.a5 and k < self.count[core, q.name, 'free']):
            self.findings.add('freed')
            return []
        if self.a5:
            return [(('slot', q.name, k % q.slots), *self.half(core), False)]
        return [(('ring', core, q.name, k % q.ring), 0, 1, False)]

    def do_use(self, n, core, turn):
        pipe = self.reader(core)
        return [('work', pipe, Work(core, pipe, n.line, self.entry_of(n, core)))]

    def do_keep(self, n, core, turn):
        return [('work', 'MTE3', Work(core, 'MTE3', n.line, self.entry_of(n, core)))]

    def do_free(self, n, core, turn):
        q, pipe = n.queue, self.reader(core)
        if not self.a5:
            return []  # the pop has freed the slot
        popped, k = self.count[core, q.name, 'pop'], self.number(core, n.queue, 'free')
        if k >= popped:
            self.findings.add('freed')
        work = Work(core, pipe, n.line, [(('slot', q.name, k % q.slots), *self.half(core), True)])
        return [('work', pipe, work)] + self.slot_given(q, core, popped, pipe)

    def rows(self, n, core, turn, write):
        low = (turn if n.at == 'turn' else 0) * ROWS + (0 if core == CUBE else (core - FIRST) * HALF)
        return [(('memory', n.array), low, low + (ROWS if core == CUBE else HALF), write)]

    def do_store(self, n, core, turn):
        pipe = 'FIX' if core == CUBE else 'MTE3'
        return [('work', pipe, Work(core, pipe, n.line, self.rows(n, core, turn, True)))]

    def do_load(self, n, core, turn):
        return [('work', 'MTE2', Work(core, 'MTE2', n.line, self.rows(n, core, turn, False)))]

    def do_set(self, n, core, turn):
        return [('token', n.source, ('flag', core, n.source, n.target, n.event))]

    def do_wait(self, n, core, turn):
        return [('wait', n.target, ('flag', core, n.source, n.target, n.event))]

    def do_signal(self, n, core, turn):
        return [('token', n.pipe, ('event', core == CUBE, v, n.event)) for v in self.lanes(core)]

    def do_await(self, n, core, turn):
        return self.waits(n.pipe, [('event', core != CUBE, v, n.event) for v in self.lanes(core)])

    def do_meet(self, n, core, turn):
        others = [c for c in range(3) if c != core]
        return ([('drain', None, None)] + [('now', None, ('meeting', core, c)) for c in others]
                + [('stop', None, ('meeting', c, core)) for c in others])

    # ---- steps ----

    def is_idle(self, core):
        return not any(self.pipes[core, p] for p in PIPES) and not any(w.core == core for w in self.flying)

    def can_issue(self, core):
        if not self.parts[core]:
            return self.at[core] < len(self.rest[core])
        what, _, argument = self.parts[core][0]
        if what == 'stop':
            return self.tokens[argument] > 0
        return what != 'drain' or self.is_idle(core)

    def issue(self, core):
        if not self.parts[core]:
            n, turn = self.rest[core][self.at[core]]
            self.at[core] += 1
            self.parts[core] = getattr(self, 'do_' + n.kind)(n, core, turn)
            return
        what, pipe, argument = self.parts[core].pop(0)
        if what == 'stop':
            self.tokens[argument] -= 1
        elif what == 'now':
            self.tokens[argument] += 1
        elif what != 'drain':
            self.pipes[core, pipe].append((what, argument))

    def can_step(self, key):
        if not self.pipes[key]:
            return False
        what, argument = self.pipes[key][0]
        busy = any((w.core, w.pipe) == key for w in self.flying)
        if what == 'wait':
            return self.tokens[argument] > 0
        return not busy if what == 'token' or key[1] in IN_ORDER[self.launch.profile] else True

    def step(self, key):
        what, argument = self.pipes[key].popleft()
        if what == 'wait':
            self.tokens[argument] -= 1
        elif what == 'token':
            self.tokens[argument] += 1
            if argument[0] == 'event' and self.tokens[argument] > MOST_SIGNALS:
                self.findings.add('overflow')
        else:
            if any(race_of(w, argument) for w in self.flying):
                self.findings.add('race')
            self.flying.append(argument)
            if self.started == self.held:
                self.holding = argument
            self.started += 1

    def end(self, work):
        self.flying.remove(work)
        if work is self.holding:
            self.holding = None

    def choices(self):
        """(core, function, argument) of all that can go on."""
        out = [(c, self.issue, c) for c in range(3) if self.can_issue(c)]
        out += [(key[0], self.step, key) for key in self.pipes if self.can_step(key)]
        out += [(w.core, self.end, w) for w in self.flying if w is not self.holding]
        for wanted in (lambda c: c[2] != self.slow, lambda c: c[0] in self.ahead):
            first = [c for c in out if wanted(c)]
            if first and self.rng.random() < .97:
                out = first
        return out

    def run(self):
        """All findings of one run."""
        while True:
            choices = self.choices()
            if not choices and self.holding is None:
                break
            _, run, argument = self.rng.choice(choices) if choices else (None, self.end, self.holding)
            run(argument)
        if any(self.parts[c] or self.at[c] < len(self.rest[c]) or not self.is_idle(c) for c in range(3)):
            self.findings.add('deadlock')
        else:
            self.find_left()
        return self.findings

    def find_left(self):
        for channel, n in self.tokens.items():
            if channel[0] == 'slot' and not self.groups:
                n -= next(q.slots for q in self.launch.queues if q.name == channel[1])
            if n != 0 and channel[0] in ('entry', 'event') or channel[0] == 'slot' and not self.groups and n != 0:
                self.findings.add('left')
