#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""board.py PTOASM KNOWN: the C++ as a script reads it that has no C++ parser. The vendor validates a kernel on a board with a host
program that a script writes: it finds by patterns in the C++ the parameters, which of them are outputs, and how many elements each has. The
reader below has such patterns. It finds in our C++, with and without --compat=ptoas, what it finds in that of the corpus, except for the programs
of KNOWN, which has the reasons and must be right both ways. Prints TAP; skips without PTOASM_CORPUS."""
import ast
import concurrent.futures
import operator
import os
import re
import subprocess
import sys
import tempfile

import device

INTEGER = r'(?:bool|unsigned|int|long|size_t|u?int(?:8|16|32|64)_t)'
FUNCTION = re.compile(r'\bAICORE\s+void\s+(\w+)\s*\(([^)]*)\)\s*\{')
VIEW = re.compile(r'\b(\w+)\s*=\s*GlobalTensor<[^;\n]*>\s*\(\s*([^,]+?)\s*,\s*(\w+)\s*,\s*(\w+)\s*\)')
OBJECT = re.compile(r'\b(?:Shape|Stride)<([^>]*)>\s+(\w+)\s*=')
FIRST_SHAPE = re.compile(r'\bShape<\d+\s*,\s*\d+\s*,\s*\d+\s*,\s*(\d+)\s*,\s*(\d+)>')
STORE = re.compile(r'\bTSTORE\s*\(\s*(\w+)\s*,')
LOOP = re.compile(r'\bfor\s*\(%s\s+(\w+)\s*=\s*([^;]+);\s*\1\s*<\s*([^;]+);\s*\1\s*\+=\s*([^)]+)\)' % INTEGER)
OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul}


def block(text, start):
    """Returns the text of the block that the brace at `start` opens, by counting braces."""
    depth = 0
    for at in range(start, len(text)):
        depth += (text[at] == '{') - (text[at] == '}')
        if depth == 0:
            return text[start:at + 1]
    return ''


def name_of(parameter):
    return re.findall(r'\w+', parameter)[-1]


def numbers(text):
    return [int(n) for n in text.split(',')] if re.fullmatch(r'[-\d, ]+', text) else None


def compute(expression, known):
    """Computes an expression of numbers and known variables; None for any other."""
    try:
        tree = ast.parse(re.sub(r'\(\s*%s\s*\)' % INTEGER, '', expression).strip(), mode='eval').body
    except SyntaxError:
        return None

    def walk(node):
        if isinstance(node, ast.Constant) and isinstance(node.value, int):
            return node.value
        if isinstance(node, ast.Name):
            return known.get(node.id)
        if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
            left, right = walk(node.left), walk(node.right)
            return None if left is None or right is None else OPERATORS[type(node.op)](left, right)
        return None
    return walk(tree)


class Function:
    """What patterns find in a function."""

    def __init__(self, parameters, text):
        self.text = text
        self.parameters = [p.strip() for p in re.split(r',(?![^<]*>)', parameters) if p.strip()]
        self.pointers = [name_of(p) for p in self.parameters if '__gm__' in p and '*' in p]
        self.known = self.integers()
        self.bases = dict(self.assigned(r'__gm__\s+\w+\s*\*'))

    def assigned(self, kind):
        """Returns the name and the expression of each assignment to a variable of a type, also where it is declared before."""
        declared = set(re.findall(kind + r'\s*(\w+);', self.text))
        found = re.findall(kind + r'\s*(\w+)\s*=\s*([^;]+);', self.text)
        return found + [pair for pair in re.findall(r'(?m)^\s*(\w+)\s*=\s*([^;]+);', self.text) if pair[0] in declared]

    def integers(self):
        """Returns the largest value of each integer variable, as far as it is known; parameters are 1."""
        known = {name_of(p): 1 for p in self.parameters if re.match(INTEGER + r'\s+\w+$', p)}

        def note(name, value):
            if value is not None:
                known[name] = max(value, known.get(name, value))
        assigned, loops = self.assigned(r'\b%s\s' % INTEGER), LOOP.findall(self.text)
        for _ in range(8):
            before = dict(known)
            for name, expression in assigned:
                note(name, compute(expression, known))
            for name, *bounds in loops:
                first, end, step = (compute(bound, known) for bound in bounds)
                if None not in (first, end, step) and step > 0:
                    note(name, first + max(end - first - 1, 0) // step * step)
            if known == before:
                break
        return known

    def origin(self, expression):
        """Returns the parameter that a pointer is computed from, and the distance as far as it is known; None."""
        offset = 0
        for _ in range(16):
            match = re.fullmatch(r'(?:\(\s*__gm__[^)]*\)\s*)?(\w+)(?:\s*\+\s*(.+))?', expression.strip())
            if not match:
                return None
            name, distance = match.groups()
            offset += max(compute(distance, self.known) or 0, 0) if distance else 0
            if name in self.pointers:
                return name, offset
            expression = self.bases.get(name, '')
        return None

    def read(self):
        """Returns the type of each parameter; of a pointer also whether it is an output, and how many elements views of it reach;
        without such views the first shape of the function."""
        extents = {name: numbers(text) for text, name in OBJECT.findall(self.text)}
        origins, counts = {}, {}
        for view, base, shape, stride in VIEW.findall(self.text):
            origin = origins[view] = self.origin(base)
            if origin and extents.get(shape) and extents.get(stride):
                last = sum((n - 1) * s for n, s in zip(extents[shape], extents[stride]) if n > 0)
                counts[origin[0]] = max(counts.get(origin[0], 0), max(1 + last, 1) + origin[1])
        outputs = {origins[view][0] for view in STORE.findall(self.text) if origins.get(view)}
        shape = FIRST_SHAPE.search(self.text)
        other, found = shape.groups() if shape else None, []
        for parameter in self.parameters:
            name = name_of(parameter)
            kind = re.sub(r'\s*\b%s$' % name, '', parameter)
            if name in self.pointers:
                found.append((kind, name in outputs, counts.get(name, other)))
            elif '<' not in kind:
                found.append(kind)
        return found


def read(path):
    text = open(path).read()
    return {m.group(1): Function(m.group(2), block(text, m.end() - 1)).read() for m in FUNCTION.finditer(text)}


def main():
    ptoasm, listed = sys.argv[1], open(sys.argv[2]).read().splitlines()
    corpus = os.environ.get('PTOASM_CORPUS')
    if not corpus:
        print('1..0 # SKIP PTOASM_CORPUS names no corpus')
        return 0
    pairs = [p for p in device.programs(corpus) + device.programs(corpus, device.TILES) if p[3]]
    known = {tuple(line.split('\t')[:2]) for line in listed}
    good = True
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        for number, options in enumerate((['--compat=ptoas', '--no-comments'], []), 1):
            def differs(at):
                path, profile, level, theirs = pairs[at]
                out = '%s/%d.cpp' % (folder, at)
                run = subprocess.run([ptoasm, 'emit', '--to=cpp', *options, '--profile=' + profile, '--level=' + level,
                                      corpus + '/' + path, '-o', out], capture_output=True)
                if run.returncode != 0:
                    return None
                return read(out) != read(theirs)
            results = list(pool.map(differs, range(len(pairs))))
            printed = {p[:2] for p, result in zip(pairs, results) if result is not None}
            others = {p[:2] for p, result in zip(pairs, results) if result}
            wrong = sorted(others ^ (known & printed))
            for path, profile in wrong:
                print('# %s %s: %s' % (path, profile, 'other parameters' if (path, profile) in others else 'the same parameters'))
            fine = not wrong and len(printed) > 0.8 * len(pairs) and len(others) < 0.1 * len(pairs) + 1
            good = good and fine
            print('%s %d - a reader finds the same parameters in %d of %d texts%s' %
                  ('ok' if fine else 'not ok', number, len(printed) - len(others), len(printed), ', with names and comments' * (not options)))
    print('1..2')
    return 0 if good else 1


if __name__ == '__main__':
    sys.exit(main())
