# SPDX-License-Identifier: Apache-2.0
"""Reads the text of a program: modules, functions, blocks and statements with the names of their values. It knows one
statement to a line, as `ptoasm fmt` and the generator write them."""
import re


class NotKnown(Exception):
    """A statement or a type that the judge does not understand."""


class Statement:
    """results, name and text after the name; a statement with regions has their blocks."""

    def __init__(self, line, results, name, text):
        self.line, self.results, self.name, self.text = line, results, name, text
        self.regions = []

    def __repr__(self):
        return '%d: %s' % (self.line, self.name)


class Block:
    def __init__(self, label, arguments):
        self.label, self.arguments, self.statements = label, arguments, []


class Function:
    def __init__(self, name, module, line, parameters, kind):
        self.name, self.module, self.line = name, module, line
        self.parameters, self.kind, self.regions = parameters, kind, []

    def blocks(self):
        return self.regions[0]


class Module:
    def __init__(self, parent):
        self.parent, self.functions = parent, {}


VALUES = re.compile(r'%[\w#]+')
FUNCTION = re.compile(r'func\.func (?:private )?@(\w+)\((.*?)\)')


def values(text):
    return VALUES.findall(text)


def split_commas(text):
    """Parts between commas that no bracket encloses."""
    parts, depth, start = [], 0, 0
    for i, c in enumerate(text):
        if c in '<([{':
            depth += 1
        elif c in ')]}' or (c == '>' and text[i - 1] != '-'):
            depth -= 1
        elif c == ',' and depth == 0:
            parts.append(text[start:i].strip())
            start = i + 1
    rest = text[start:].strip()
    return parts + [rest] if rest else parts


def parameters(text):
    """(name, type) of each of `%a: T, %b: U`."""
    return [tuple(p.split(': ', 1)) for p in split_commas(text)]


class Reader:
    def __init__(self, text):
        self.aliases, self.modules, self.functions = {}, [Module(None)], []
        # Each open brace: a module, a function, or a statement; with the region that is open in it.
        self.open = []
        for number, line in enumerate(text.split('\n'), 1):
            s = line.split('//')[0].strip()
            if s:
                self.line(number, s)

    def type(self, text):
        """A type without aliases."""
        return re.sub(r'![a-z]\w*(?![\w.])', lambda m: self.aliases.get(m.group(0), m.group(0)), text)

    def line(self, number, s):
        if s.startswith('!'):
            name, kind = s.split(' = ', 1)
            self.aliases[name] = self.type(kind)
        elif s.startswith('module'):
            self.modules.append(Module(self.modules[-1]))
            self.open.append('module')
        elif s.startswith('func.func'):
            self.function(number, self.type(s))
        elif s.startswith('^'):
            self.block(self.type(s))
        elif s.startswith('}'):
            self.close(number, self.type(s))
        else:
            self.statement(number, self.type(s))

    def function(self, number, s):
        m = FUNCTION.match(s)
        kind = re.search(r'kernel_kind<(\w+)>', s)
        function = Function(m.group(1), self.modules[-1], number, parameters(m.group(2)), kind.group(1) if kind else None)
        self.modules[-1].functions[function.name] = function
        if s.endswith('{'):
            self.functions.append(function)
            self.enter(function)

    def enter(self, owner):
        owner.regions.append([Block('', [])])
        self.open.append(owner)

    def block(self, s):
        m = re.match(r'\^(\w+)(?:\((.*)\))?:$', s)
        region = self.open[-1].regions[-1]
        block = Block(m.group(1), parameters(m.group(2) or ''))
        if len(region) == 1 and not region[0].label and not region[0].statements:
            region.clear()
        region.append(block)

    def close(self, number, s):
        owner = self.open.pop()
        if owner == 'module':
            self.modules.pop()
        elif s.endswith('{'):  # another region of the same statement
            self.enter(owner)

    def statement(self, number, s):
        m = re.match(r'(?:(%[\w#:, %]+?) = )?([\w.]+)(.*)$', s)
        if m is None:
            raise NotKnown(s)
        results = [r.split(':') for r in (m.group(1) or '').split(', ') if r]
        names = [n for r in results for n in ([r[0]] if len(r) == 1 else [r[0] + '#%d' % i for i in range(int(r[1]))])]
        statement = Statement(number, names, m.group(2), m.group(3).strip())
        self.open[-1].regions[-1][-1].statements.append(statement)
        if s.endswith('{'):
            self.enter(statement)


def read(text):
    """The functions of a text, in its order."""
    return Reader(text).functions
