# SPDX-License-Identifier: Apache-2.0
"""Judges the events of one run: which accesses of the same bytes does nothing order, which waits never end, which flags
stay set. A clock has, for each pipe, the number of its first events that have surely ended; as a flag is set when all
earlier work of its pipe has ended, what is known of a pipe is always such a number."""
from places import meet

PIPES = ('S', 'V', 'M', 'MTE1', 'MTE2', 'MTE3', 'FIX')
NUMBER = {p: i for i, p in enumerate(PIPES)}
# Pipes that end each instruction before the next starts: in shipped kernels, and as documents promise.
PRACTICE = {'a2a3': {'S', 'M', 'MTE1', 'FIX'}, 'a5': {'S', 'V', 'M', 'MTE1', 'FIX'}}
DOCUMENTED = {'a2a3': {'S'}, 'a5': {'S', 'V'}}


class Finding:
    """what: race, deadlock, reuse, leak, taken, kept. Doubtful: an exception of the hardware may order the two."""

    def __init__(self, what, earlier, later, is_doubtful=False):
        self.what, self.earlier, self.later, self.is_doubtful = what, earlier, later, is_doubtful

    def __str__(self):
        lines = ' and '.join('line %d' % e.line for e in (self.earlier, self.later) if e is not None)
        return '%s: %s%s' % (self.what, lines, ' (in doubt)' if self.is_doubtful else '')


def conflicts(a, b):
    return [(p, u, q, v) for p, u in a.uses for q, v in b.uses if (u or v) and meet(p, q)]


def is_one_chain(a, b, found):
    """A long vector instruction wrote what the next one touches, exactly, and in the same iteration."""
    tile = a.writes
    if tile is None or tile.repeats() < 16 or any(p != q for p, _, q, _ in found):
        return False
    if not any(u and not v for _, u, _, v in found) or len({p for p, _, _, _ in found}) != 1:
        return False
    common = [(x, y) for x, y in zip(a.iteration, b.iteration) if x[0] == y[0]]
    return all(x == y for x, y in common)


class Judge:
    def __init__(self, profile, is_documented=False):
        self.profile, self.is_documented = profile, is_documented
        self.ordered = (DOCUMENTED if is_documented else PRACTICE)[profile]
        self.known = {p: [0] * len(PIPES) for p in PIPES}
        self.count = [0] * len(PIPES)
        self.flags, self.released, self.holders = {}, {}, {}
        self.accesses = {p: [] for p in PIPES}
        self.findings = []

    def find(self, what, earlier, later, is_doubtful=False):
        self.findings.append(Finding(what, earlier, later, is_doubtful))

    def judge(self, events):
        """All findings; those after a flag that is used wrongly have no meaning, so it stops there."""
        for event in events:
            if not getattr(self, 'do_' + event.kind)(event):
                return self.findings
        for event, _ in self.flags.values():
            self.find('leak', event, None)
        for event in self.holders.values():
            self.find('kept', event, None)
        return self.findings

    def join(self, pipe, clock):
        self.known[pipe] = [max(a, b) for a, b in zip(self.known[pipe], clock)]

    def ended(self, pipe):
        """The clock when all that the pipe has got until now has ended."""
        clock = list(self.known[pipe])
        clock[NUMBER[pipe]] = self.count[NUMBER[pipe]]
        return clock

    def do_access(self, event):
        clock = self.known[event.pipe]
        for pipe in PIPES:
            if pipe == event.pipe and pipe in self.ordered:
                continue
            after = clock[NUMBER[pipe]]
            for earlier in reversed(self.accesses[pipe]):
                if earlier.index < after:
                    break
                self.compare(earlier, event)
        event.index = self.count[NUMBER[event.pipe]]
        self.count[NUMBER[event.pipe]] += 1
        self.accesses[event.pipe].append(event)
        return True

    def compare(self, earlier, event):
        found = conflicts(earlier, event)
        if not found:
            return
        if earlier.pipe == event.pipe:
            if earlier.name == event.name == 'pto.tload' and all(u and v for _, u, _, v in found):
                return
            if self.profile == 'a2a3' and event.pipe == 'V' and is_one_chain(earlier, event, found):
                return
        self.find('race', earlier, event)

    def do_set(self, event):
        if event.key in self.flags:
            self.find('reuse', self.flags[event.key][0], event)
            return False
        self.flags[event.key] = (event, self.ended(event.pipe))
        return True

    def do_wait(self, event):
        if event.key not in self.flags:
            self.find('deadlock', None, event)
            return False
        clock = self.flags.pop(event.key)[1]
        # The scalar pipe issues: what it waits for, and its own work before, has ended before anything later starts.
        issues = event.pipe == 'S' and not self.is_documented
        for pipe in PIPES if issues else (event.pipe,):
            self.join(pipe, clock)
            if issues:
                self.join(pipe, self.ended('S'))
        return True

    def do_barrier(self, event):
        if event.pipe == 'ALL':
            self.known = {p: list(self.count) for p in PIPES}
        else:
            self.known[event.pipe] = self.ended(event.pipe)
        return True

    def do_get(self, event):
        holder = (event.pipe, event.key)
        if holder in self.holders:
            self.find('taken', self.holders[holder], event)
            return False
        self.holders[holder] = event
        self.join(event.pipe, self.released.get(event.key, [0] * len(PIPES)))
        return True

    def do_rls(self, event):
        self.holders.pop((event.pipe, event.key), None)
        clock = self.released.get(event.key, [0] * len(PIPES))
        self.released[event.key] = [max(a, b) for a, b in zip(clock, self.ended(event.pipe))]
        return True


def judge(events, profile, is_documented=False):
    return Judge(profile, is_documented).judge(events)
