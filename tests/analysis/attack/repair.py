# SPDX-License-Identifier: Apache-2.0
"""Adds flags, barriers and buffers to the text of a program where the judge finds that none orders two statements, and takes
single ones away again."""
import re

MOST_EVENTS = 8
ORDER = re.compile(r'\s*pto\.(set_flag|wait_flag|barrier|get_buf|rls_buf|fence)')


def indent(line):
    return line[:len(line) - len(line.lstrip())]


def enclosing(lines, at):
    """The lines that open the regions around a line, the innermost first. Lines are numbered from 1."""
    out, depth = [], len(indent(lines[at - 1]))
    for n in range(at - 1, 0, -1):
        line = lines[n - 1]
        if line.rstrip().endswith('{') and len(indent(line)) < depth:
            out.append(n)
            depth = len(indent(line))
    return out


def closing(lines, opening):
    """The line that closes the region which a line opens."""
    space = indent(lines[opening - 1])
    for n in range(opening + 1, len(lines) + 1):
        if lines[n - 1].startswith(space + '}'):
            return n
    raise ValueError('a region without an end')


class Repair:
    def __init__(self, text, random):
        self.lines, self.random = text.split('\n'), random
        self.events = {}

    def text(self):
        return '\n'.join(self.lines)

    def event(self, source, target):
        """A flag that nothing else uses, or None."""
        used = self.events.get((source, target), 0)
        self.events[source, target] = used + 1
        return '[<PIPE_%s>, <PIPE_%s>, <EVENT_ID%d>]' % (source, target, used) if used < MOST_EVENTS else None

    def insert(self, places):
        """places: (line before which, text); from the last on, so that the numbers stay right."""
        for n, (line, text) in sorted(enumerate(places), key=lambda p: (p[1][0], p[0]), reverse=True):
            self.lines.insert(line - 1, indent(self.lines[min(line, len(self.lines)) - 1]) + text)

    def order(self, race):
        """Something that orders the two statements of a race."""
        i, j = race.earlier.line, race.later.line
        around_i, around_j = enclosing(self.lines, i), enclosing(self.lines, j)
        source, target = race.earlier.pipe, race.later.pipe
        in_one_block = around_i[0] == around_j[0] and not any(
            line.lstrip().startswith('^') for line in self.lines[min(i, j):max(i, j)])
        if source == target and in_one_block and source != 'S' and self.random.random() < .8:
            return self.insert([(j, 'pto.barrier <PIPE_%s>' % source)])
        if source == target or not in_one_block or self.random.random() < .1:
            return self.insert([(j, 'pto.barrier <PIPE_ALL>')])
        flag = self.event(source, target)
        if flag is None:
            return self.insert([(j, 'pto.barrier <PIPE_ALL>')])
        if i < j and race.earlier.iteration == race.later.iteration:
            after, before = self.random.choice([i + 1, j]), j
            return self.insert([(after, 'pto.set_flag' + flag), (before, 'pto.wait_flag' + flag)])
        return self.carried(i, j, around_j[0], flag)

    def carried(self, i, j, loop, flag):
        """A flag that goes around a loop: set before it, waited for after it."""
        if not re.match(r'.*scf\.for', self.lines[loop - 1]):
            return self.insert([(j, 'pto.barrier <PIPE_ALL>')])
        return self.insert([(loop, 'pto.set_flag' + flag), (j, 'pto.wait_flag' + flag), (i + 1, 'pto.set_flag' + flag),
                            (closing(self.lines, loop) + 1, 'pto.wait_flag' + flag)])

    def buffers(self, races):
        """a5: buffers around the statements of races, one for each pair of statements."""
        ids, around = {}, {}
        for race in races:
            key = tuple(sorted((race.earlier.line, race.later.line)))
            ids.setdefault(key, len(ids) % 32)
            for event in (race.earlier, race.later):
                around.setdefault(event.line, {})[ids[key]] = event.pipe
        for line in sorted(around, reverse=True):
            space = indent(self.lines[line - 1])
            gets = [space + 'pto.get_buf[#pto.pipe<PIPE_%s>, %d]' % (p, b) for b, p in sorted(around[line].items())]
            frees = [space + 'pto.rls_buf[#pto.pipe<PIPE_%s>, %d]' % (p, b) for b, p in sorted(around[line].items())]
            self.lines[line - 1:line] = gets + [self.lines[line - 1]] + frees


def spoiled(text, random):
    """Without one or two of the statements that order others, or with one of them elsewhere; None if there are none."""
    lines = text.split('\n')
    order = [n for n, line in enumerate(lines) if ORDER.match(line)]
    if not order:
        return None
    for n in sorted(random.sample(order, min(len(order), random.choice([1, 1, 2]))), reverse=True):
        if not ORDER.match(lines[n]):
            continue  # another one was moved here
        line = lines.pop(n)
        if random.random() < .3:
            to = n + random.choice([-2, -1, 1, 2])
            ended = 0 < to < len(lines) and re.match(r'\s*(scf\.yield|scf\.condition|cf\.|return)', lines[to - 1])
            if 0 < to < len(lines) and indent(lines[to]) == indent(line) and not ended:
                lines.insert(to, line)
    return '\n'.join(lines)
