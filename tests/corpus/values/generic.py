# SPDX-License-Identifier: Apache-2.0
"""Reads the generic form of PTO assembly, as `ptoasm fmt --form=generic` prints it: a line a statement."""
import re


class Op:
    """A statement. `regions` are lists of blocks, a block a pair of argument names and statements."""

    def __init__(self, name, results, operands):
        self.name, self.results, self.operands = name, results, operands
        self.regions, self.attrs, self.types, self.result_types = [], {}, [], []

    def segments(self, values):
        """The values of each operand slot."""
        text, at, out = self.attrs['operandSegmentSizes'], 0, []
        for n in map(int, text[len('array<i32: '):-1].split(',')):
            out.append(values[at:at + n])
            at += n
        return out

    def has_only(self, *names):
        return not set(self.attrs) - {'operandSegmentSizes', *names}


def split(text):
    """Parts between commas that no bracket encloses."""
    out, depth, start = [], 0, 0
    for i, c in enumerate(text):
        if c in '<([{':
            depth += 1
        elif c in ')]}' or (c == '>' and text[i - 1] != '-'):
            depth -= 1
        elif c == ',' and depth == 0:
            out.append(text[start:i].strip())
            start = i + 1
    return out + [text[start:].strip()] if text[start:].strip() else out


def bracketed(text):
    """The inside of the bracket that `text` starts with, and what follows it."""
    depth = 0
    for i, c in enumerate(text):
        depth += (c in '({') - (c in ')}')
        if depth == 0:
            return text[1:i], text[i + 1:].strip()
    raise ValueError('open bracket: ' + text)


def results(text):
    """Names of single values: `%x:2` are `%x#0` and `%x#1`."""
    out = []
    for name in split(text):
        name, _, count = name.partition(':')
        out += ['%s#%d' % (name, i) for i in range(int(count))] if count else [name]
    return out


class Reader:
    def __init__(self, text):
        lines = [re.sub(r'(^|\s)//.*', '', line) for line in text.split('\n')]
        self.lines, self.at = [line for line in lines if line.strip()] + ['}'], 0

    def region(self):
        blocks = []
        while not self.lines[self.at].strip().startswith('}'):
            line = self.lines[self.at].strip()
            if line.startswith('^'):
                self.at += 1
                arguments = re.match(r'\^\w+(?:\((.*)\))?:$', line).group(1)
                blocks.append(([a.split(':')[0].strip() for a in split(arguments or '')], []))
            else:
                if not blocks:
                    blocks.append(([], []))
                blocks[-1][1].append(self.op())
        return blocks

    def op(self):
        line = self.lines[self.at].strip()
        self.at += 1
        head = re.match(r'(?:(%[^=]*?) = )?"([\w.]+)"', line)
        operands, rest = bracketed(line[head.end():])
        op = Op(head.group(2), results(head.group(1) or ''), split(operands))
        if rest.startswith('['):
            raise NotImplementedError('branches')
        rest = self.attributes(op, rest)
        while rest == '({' or rest.startswith('}, {'):
            op.regions.append(self.region())
            rest = self.lines[self.at].strip()
            self.at += 1
        if rest.startswith('})'):
            rest = self.attributes(op, rest[2:].strip())
        if rest.startswith(': ('):
            types, rest = bracketed(rest[2:])
            op.types = split(types)
            rest = rest[len('->'):].strip()
            op.result_types = split(rest[1:-1]) if rest.startswith('(') else [rest]
        return op

    def attributes(self, op, rest):
        while rest.startswith('<{') or rest.startswith('{'):
            properties = rest.startswith('<')
            inside, rest = bracketed(rest[properties:])
            rest = rest[properties:].strip()
            for text in split(inside):
                name, _, value = text.partition(' = ')
                op.attrs[name] = value
        return rest


def functions(text):
    """The functions of a program by name, those of inner modules too."""
    found = {}

    def walk(blocks):
        for _, ops in blocks:
            for op in ops:
                if op.name == 'func.func':
                    found[op.attrs['sym_name'].strip('"')] = op
                elif op.name == 'builtin.module':
                    for region in op.regions:
                        walk(region)
    walk(Reader(text).region())
    return found
