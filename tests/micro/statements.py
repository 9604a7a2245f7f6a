#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Statements of micro-instructions and on logical vectors that are written from the formats of their rows, with their
optional clauses in all combinations and their attributes with all values. Each takes the place of the statement in the
example of `ptoasm explain`. It is either read, then what is printed from it is printed once more the same way, in its own
form and in the generic form, which is judged alike and gives the same text back, and has the operands that were written;
or it is refused with a message with a position and an id. The formats are those of ROWS (inst_rows.c of the build); what
they mean is said in ir/inst.h and implemented here once more.
usage: statements.py PTOASM ROWS STATEMENTS [SEED [FOLDER]]: of all statements so many are tried; with FOLDER what fails is
kept there"""
import collections
import itertools
import json
import os
import random
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from tap import Tap

PTOASM, ROWS, COUNT = sys.argv[1], sys.argv[2], int(sys.argv[3])
SEED = int(sys.argv[4]) if len(sys.argv) > 4 else 1
KEEP = sys.argv[5] if len(sys.argv) > 5 else None
MOST = 64  # combinations of the clauses of a row

# Types of operands that no example has, by what their slots take.
TYPES = {'an i64': ['i64'], 'an integer or an index': ['index', 'i32'], 'an index': ['index'], 'a scalar': ['f32', 'i32'],
         'a scalar or a pointer': ['f32', '!pto.ptr<f32, fb>'], 'anything': ['i32'], 'a logical mask': ['!pto.vmi.mask<64xpred>'],
         'a logical vector': ['!pto.vmi.vreg<64xf32>'], 'a pointer or a memref': ['!pto.ptr<f32, ub>'],
         'a pointer': ['!pto.ptr<f32, ub>'], 'a mask': ['!pto.mask<b32>'], 'an alignment state': ['!pto.align'],
         'a vector register': ['!pto.vreg<64xf32>']}


def call(*args):
    return subprocess.run([PTOASM] + list(args), stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True,
                          timeout=100)


# ---- formats ----

def formats():
    """Returns the format of each instruction that has one."""
    with open(ROWS) as f:
        rows = re.findall(r'^    \[INST_\w+\] = \{\.name = "([^"]*)"(.*)$', f.read(), re.M)
    found = ((name, re.search(r'\.format = "((?:[^"\\]|\\.)*)"', row)) for name, row in rows)
    return {name: m.group(1).replace('\\"', '"') for name, m in found if m and m.group(1)}


def parse(words):
    """Returns a format as a tree: lists are optional parts [kind, otherwise, nodes...], strings all else."""
    nodes, stack = [], []
    for w in words:
        if w in ('(?', '(,', '(+', '(~', '(:'):
            stack.append(nodes)
            nodes = [w, None]
        elif w in (')?', '):'):
            part, nodes = nodes, stack.pop()
            if w == '):':
                nodes[-1][1] = part[2:]
            else:
                nodes.append(part)
        elif w != ';':
            nodes.append(w)
    return nodes


def key_of(part):
    """Returns the first slot or attribute of an optional part, which decides whether it is there."""
    for node in part[2:]:
        if isinstance(node, list):
            return key_of(node)
        m = re.match(r'[$%#](\w+)(=\w+)?$', node)
        if m:
            return m.group(0) if m.group(2) else m.group(1)
    return None


def is_type(part):
    """True for a part of the list of types, which is there if its operand was written."""
    words = [w for w in flat(part[2:]) if w[0] in '$%#' and len(w) > 1]
    return bool(words) and words[0][0] == '%'


def keys_of(nodes):
    for node in nodes:
        if isinstance(node, list):
            yield key_of(node)
            yield from keys_of(node[2:])
        elif '*' in node and ':' in node:
            yield node[1:]
        elif '*' in node:
            yield node[1:]


# ---- statements ----

class Row:
    def __init__(self, name, text):
        self.name = name
        self.facts = json.loads(call('explain', '--format=json', name).stdout)
        self.nodes = parse(text.split())
        self.slots = [o['name'] for o in self.facts['operands']]
        self.kinds = {o['name']: o['kinds'] for o in self.facts['operands'] + self.facts['results']}
        self.results = [r['name'] for r in self.facts['results']]
        self.attrs = {a['name']: a for a in self.facts['attributes']}
        self.keys = sorted({k for k in keys_of(self.nodes) if k})
        self.read_example()

    def read_example(self):
        """Notes the types of operands and results, and the line that a statement replaces."""
        self.example = self.facts['example']['text'].split('\n')
        self.profile = self.facts['example']['profile']
        self.at = [i for i, l in enumerate(self.example) if re.search(r'(^|\W)' + re.escape(self.name) + r'(?![\w.])', l)][0]
        with tempfile.NamedTemporaryFile('w', suffix='.pto') as f:
            f.write('\n'.join(self.example))
            f.flush()
            generic = call('fmt', '--form=generic', '--profile=' + self.profile, f.name, '-o', '-').stdout
        line = [l for l in generic.split('\n') if '"%s"' % self.name in l][0]
        left, right = line.rsplit(' : (', 1)
        types, results = right.split(') -> ')
        m = re.search(r'"\((.*?)\)', left)
        values = [v.strip() for v in m.group(1).split(',') if v.strip()]
        m = re.match(r' *(%[^"]*) = "', left)
        self.defined = [r.strip() for r in m.group(1).split(',')] if m else []
        self.type_of = dict(zip(values, split(types)))
        self.operand_types = {v[1:]: t for v, t in self.type_of.items()}
        self.result_types = dict(zip(self.results, split(results.strip('()'))))


def split(text):
    """Splits a list at the commas outside of brackets."""
    parts, depth, word = [], 0, ''
    for c in text.replace('->', '\x01'):
        depth += (c in '<([{') - (c in '>)]}')
        if c == ',' and depth == 0:
            parts.append(word.strip())
            word = ''
        else:
            word += c
    return [p.replace('\x01', '->') for p in parts + [word.strip()] if p]


def value_of(attr, rng):
    """Returns the text of a value, as explain says it is written, or None."""
    written = attr['written'] or ''
    m = re.match(r'("VALUE"|<VALUE>): ', written)
    words = (attr['values'] or '').split(', ')
    if m:
        return m.group(1).replace('VALUE', rng.choice(words))
    plain = {'no value': '', 'integer': str(rng.choice([0, 1, 2, 7])), 'integer (i32)': '1', 'true or false': rng.choice(['true', 'false']),
             'integers': '[1, 0]', 'type': 'i64', 'string': '"ASC"', 'symbol': '@body', 'any value': '1'}
    if written in plain:
        return plain[written]
    return rng.choice(words) if words and re.match(r'\w+$', words[0]) else None


class Statement:
    """A statement of a row in which the optional parts with these keys are there."""

    def __init__(self, row, present, rng):
        self.row, self.present, self.rng = row, present, rng
        self.operands, self.out = [], []
        self.args, self.values, self.lists = {}, {}, {}
        self.absent_results = {r for r in row.results if r in row.keys and r not in present}
        self.write(row.nodes)
        names = ['%%r%d' % i for i in range(len(self.made()))]
        self.text = (', '.join(names) + ' = ' if names else '') + row.name + ' ' + tidy(' '.join(self.out))

    def made(self):
        return [r for r in self.row.results if r not in self.absent_results]

    def type_of(self, name):
        given = self.row.operand_types.get(name) or self.row.result_types.get(name)
        if given is None:
            given = self.args.get(name) or self.rng.choice(TYPES.get(self.row.kinds.get(name), ['i64']))
            lanes = [m.group(1) for t in self.row.operand_types.values() for m in [re.search(r'vmi\.vreg<(\d+)x', t)] if m]
            given = given.replace('<64x', '<%sx' % lanes[0]) if lanes else given
        return given

    def operand(self, name, as_value=None):
        value = as_value or name
        if value not in self.args:
            self.args[value] = self.type_of(name)
        self.operands.append('%' + value)
        return '%' + value

    def attribute(self, name):
        if name not in self.values:
            self.values[name] = value_of(self.row.attrs[name], self.rng)
        return self.values[name] or ''

    def write(self, nodes):
        for node in nodes:
            self.write_part(node) if isinstance(node, list) else self.write_word(node)

    def write_part(self, part):
        key = key_of(part)
        there = key in self.args if is_type(part) and key in self.row.slots else key is None or key in self.present
        if not there:
            if part[1] is not None:
                self.write(part[1])
            return
        if part[0] == '(,':
            self.out.append(',')
        self.write(part[2:])

    def write_word(self, w):
        head, name = w[0], w[1:]
        if '*' in name and head in '$%':
            self.write_several(head, name)
        elif head == '$' and name in self.row.slots:
            self.out.append(self.operand(name))
        elif head == '%' and (name in self.row.slots or name in self.row.results):
            self.out.append(self.type_of(name))
        elif head == '#' and '=' in name:
            self.out.append(name.split('=')[1])
        elif head == '#' and name in self.row.attrs:
            self.out.append(self.attribute(name))
        elif w in ('{}', '{!}'):
            self.write_dictionary()
        elif w.endswith('~') and w[:-1] in (',', '[', ']'):
            self.out.append(w[:-1])
        elif head == '&':
            self.out.append('%s = %s : %s' % (name, self.operand(name), self.type_of(name)))
        else:
            self.out.append(w)

    def write_several(self, head, text):
        name, rest = text.split('*')
        slot = self.row.slots.index(name)
        if '|' in rest:
            few, more = (int(n) for n in rest.split('|'))
            slots = self.row.slots[slot + few:slot + few + more] if text in self.present else self.row.slots[slot:slot + few]
            self.out.append(' , '.join(self.operand(s) if head == '$' else self.type_of(s) for s in slots))
            return
        n, word = int(rest.split(':')[0]), rest.split(':')[1]
        times = self.lists.setdefault(name, self.rng.choice([1, 2]) if text in self.present else 0)
        for i in range(times):
            slots = self.row.slots[slot:slot + n]
            if head == '$':
                self.out.append('%s ( %s )' % (word, ' , '.join(self.operand(s, '%s_%d' % (s, i)) for s in slots)))
            else:
                self.out.append(', %s %s' % (word, ' , '.join('i64' for s in slots)))

    def write_dictionary(self):
        entries = []
        placed = {m for node in flat(self.row.nodes) for m in re.findall(r'^#(\w+)', node)}
        for name, attr in self.row.attrs.items():
            if name in placed or not (attr['required'] or '{%s}' % name in self.present):
                continue
            value = value_of(attr, self.rng)
            if value is not None:
                entries.append(name if value == '' else '%s = %s' % (name, value))
        if entries:
            self.out.append('{' + ', '.join(entries) + '}')

    def program(self):
        """Returns the example with this statement; operands that it does not have are parameters."""
        lines = list(self.row.example)
        indent = re.match(r' *', lines[self.row.at]).group(0)
        text = self.text
        for old, new in zip(self.row.defined, self.made()):
            text = re.sub(r'%%r%d\b' % self.made().index(new), old, text)
        lines[self.row.at] = indent + text
        known = set(re.findall(r'%[\w]+', '\n'.join(l for i, l in enumerate(lines) if i != self.row.at)))
        more = ['%%%s: %s' % (v, t) for v, t in self.args.items() if '%' + v not in known]
        if more:
            at = [i for i, l in enumerate(lines) if 'func.func @example(' in l][0]
            lines[at] = re.sub(r'func.func @example\((\)?)', lambda m: 'func.func @example(' + ', '.join(more) + (m.group(1) or ', '), lines[at], count=1)
        return '\n'.join(lines)


def flat(nodes):
    for node in nodes:
        if isinstance(node, list):
            yield from flat(node[2:])
            yield from flat(node[1] or [])
        elif isinstance(node, str):
            yield node


def tidy(text):
    text = re.sub(r' ([,)\]])', r'\1', text)
    text = re.sub(r'([(\[]) ', r'\1', text)
    return re.sub(r'(\w) ([\[(])', lambda m: m.group(1) + m.group(2), text)


def alone(keys, rng):
    """Keeps mostly one of clauses that give an attribute different values: they exclude each other."""
    if rng.random() < 0.2:
        return keys
    by_attr = {}
    for k in sorted(keys, key=lambda k: rng.random()):
        by_attr.setdefault(k.split('=')[0] if '=' in k else k, k)
    return set(by_attr.values())


def statements(rng):
    """Yields statements of all rows: those with all combinations of their optional parts, at most MOST of a row at a time."""
    names = {i['name'] for i in json.loads(call('explain', '--list', '--format=json').stdout)['instructions'] if not i['alias_of']}
    own = formats()
    with ThreadPoolExecutor(4) as pool:
        micro = [n for n in own if n in names and (n.startswith('pto.vmi.') or is_micro(n))]
        rows = list(pool.map(lambda n: Row(n, own[n]), micro))
    for again in itertools.count():
        for row in rows:
            keys = row.keys + ['{%s}' % a for a in row.attrs]
            sets = 1 << len(keys)
            chosen = range(sets) if sets <= MOST else [0, sets - 1] + [1 << i for i in range(len(keys))] + \
                [rng.randrange(sets) for _ in range(MOST - 2 - len(keys))]
            if again > 0 and sets <= 1:
                continue
            for bits in chosen:
                yield Statement(row, alone({k for i, k in enumerate(keys) if bits >> i & 1}, rng), rng)


FAMILIES = {}


def is_micro(name):
    """The families of the level, as the list of the command has them."""
    if not FAMILIES:
        for i in json.loads(call('explain', '--list', '--format=json').stdout)['instructions']:
            FAMILIES[i['name']] = i['family']
    return FAMILIES[name] in MICRO


with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../ir/families.def')) as families:
    MICRO = {m.group(1) for m in re.finditer(r'^FAMILY\(\w+, "([^"]*)", .*, (MICRO|VMI)\)$', families.read(), re.M)}


# ---- judging ----

def operands_of(text, name):
    """Returns the operands that a printed program has in a statement."""
    line = [l for l in text.split('\n') if re.search(r'(^|\W)' + re.escape(name) + r'(?![\w.])', l)]
    if not line:
        return None
    rest = line[0].split(name, 1)[1]
    return re.findall(r'%\w+', rest)


def judge(number, statement, folder):
    """Returns whether the statement was read, and what is wrong."""
    path = os.path.join(folder, '%d.pto' % number)
    profile = '--profile=' + statement.row.profile
    with open(path, 'w') as f:
        f.write(statement.program())

    def printed(text_path, *form):
        done = call('fmt', profile, '-o', '-', text_path, *form)
        return done, done.stdout

    def print_again(path, text, *form):
        other = path + '_again.pto'
        with open(other, 'w') as f:
            f.write(text)
        done, text = printed(other, *form)
        os.unlink(other)
        return text if done.returncode == 0 else done.stderr

    try:
        done, first = printed(path)
        if done.returncode != 0:
            fine = done.returncode == 1 and re.match(re.escape(path) + r':\d+:\d+: error: .*\[[a-z0-9-]+\]$', done.stderr.split('\n')[0])
            return False, None if fine else 'refused with %d: %s' % (done.returncode, done.stderr), done.stderr
        if operands_of(first, statement.row.name) != statement.operands:
            return True, 'operands %s are printed as %s' % (statement.operands, operands_of(first, statement.row.name)), first
        own = print_again(path, first, '--form=keep')
        if own != first:
            return True, 'it is printed in two ways:\n%s\n%s' % (first, own), first
        generic = printed(path, '--form=generic')[1]
        again = print_again(path, generic, '--form=generic')
        if again != generic:
            return True, 'the generic form is printed in two ways:\n%s\n%s' % (generic, again), first
        # --form=ssa writes legal programs only
        back, ssa = print_again(path, generic, '--form=ssa'), print_again(path, first, '--form=ssa')
        if 'error: ' not in back + ssa and back != ssa:
            return True, 'the generic form is another statement:\n%s\n%s' % (ssa, back), first
        if ('error: ' in back) != ('error: ' in ssa):
            return True, 'the generic form is judged otherwise:\n%s\n%s' % (ssa, back), first
        return True, None, first
    finally:
        if not KEEP:
            os.unlink(path)


def main():
    tap, rng = Tap(), random.Random(SEED)
    bad, read, ids, rows = [], 0, collections.Counter(), set()
    every = statements(rng)
    listed = list(itertools.islice(every, 20000))
    rng.shuffle(listed)
    first = {}
    for s in listed:
        first.setdefault(s.row.name, s)
    rest = [s for s in listed if first[s.row.name] is not s]
    chosen = (list(first.values()) + rest)[:COUNT] if COUNT >= len(first) else listed[:COUNT]
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(4) as pool:
        for s, (was_read, wrong, text) in zip(chosen, pool.map(lambda c: judge(c[0], c[1], KEEP or scratch), enumerate(chosen))):
            read += was_read
            rows.add(s.row.name)
            if wrong:
                bad.append('%s\n%s' % (s.text, wrong))
            if not was_read:
                ids[(re.findall(r'\[([a-z-]+)\]$', text.split('\n')[0]) or ['?'])[0]] += 1
    print('# %d statements of %d instructions, %d read, refused: %s' % (len(chosen), len(rows), read, ', '.join('%s %d' % i for i in ids.most_common())))
    tap.ok(not bad, 'statements are printed as they are read', '\n'.join(bad[:20]))
    tap.ok(read * 2 > len(chosen), 'most are read')
    tap.end()


main()
