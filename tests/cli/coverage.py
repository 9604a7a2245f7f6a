# SPDX-License-Identifier: Apache-2.0
"""ptoasm test --coverage against programs whose ways are known: a generator makes control flow at random and computes
beside it which ways each run takes.

coverage.py PTOASM
"""
import json
import os
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from tap import Tap

ptoasm = os.path.abspath(sys.argv[1])
t = Tap()
work = tempfile.TemporaryDirectory()
os.chdir(work.name)

ROW = '!pto.tile_buf<vec, 16x32xf32, valid=?x32>'


class Program:
    """Lines of a program, the ways that it has, and for one run those that it takes."""

    def __init__(self, rng):
        self.rng, self.lines, self.names, self.ways = rng, [], 0, set()
        self.line('func.func @f(%x: !pto.ptr<f32>, %n: index, %m: index) attributes {pto.entry} {')
        for k in range(20):
            self.line('  %%c%d = arith.constant %d : index' % (k, k))
        self.line('  %c32 = arith.constant 32 : index')
        self.line('  %xv = pto.make_tensor_view %x, shape = [%c16, %c32], strides = [%c32, %c1] : !pto.tensor_view<16x32xf32>')
        self.line('  %idx = pto.get_block_idx')
        self.line('  %b = arith.index_cast %idx : i64 to index')
        self.body = self.statements(['n', 'm', 'b'], 0)
        self.line('  return')
        self.line('}')
        self.guarded = [s for s in self.stores(self.body)]
        if self.guarded:
            self.ways |= {(1, 'block', 'without work'), (1, 'block', 'with work')}

    def line(self, text):
        self.lines.append(text)
        return len(self.lines)

    def name(self):
        self.names += 1
        return 'v%d' % self.names

    def way(self, line, kind, *names):
        self.ways |= {(line, kind, name) for name in names}

    def stores(self, body):
        for s in body:
            if s[0] == 'tile':
                yield s
            for inner in s[-1] if isinstance(s[-1], list) else []:
                yield from self.stores(inner)

    def statements(self, scope, depth):
        return [getattr(self, self.rng.choice(['loop', 'cond', 'switch', 'tile', 'loop_while'] if depth < 3 else ['tile']))(
            scope, depth + 1) for _ in range(self.rng.randint(1, 3 if depth < 2 else 1))]

    def loop(self, scope, depth):
        start, step, end, i, pad = self.rng.randint(0, 3), self.rng.randint(1, 3), self.rng.choice(scope), self.name(), '  ' * depth
        line = self.line('%sscf.for %%%s = %%c%d to %%%s step %%c%d {' % (pad, i, start, end, step))
        self.way(line, 'loop', 'no trip', 'one trip', 'more trips')
        body = self.statements(scope + [i], depth)
        self.line(pad + '}')
        return ('loop', line, start, step, end, i, [body])

    def loop_while(self, scope, depth):
        end, i, j, c, n, r, pad = self.rng.choice(scope), self.name(), self.name(), self.name(), self.name(), self.name(), '  ' * depth
        line = self.line('%s%%%s = scf.while (%%%s = %%c0) : (index) -> index {' % (pad, r, i))
        self.way(line, 'loop', 'no trip', 'one trip', 'more trips')
        self.line('%s  %%%s = arith.cmpi slt, %%%s, %%%s : index' % (pad, c, i, end))
        self.line('%s  scf.condition(%%%s) %%%s : index' % (pad, c, i))
        self.line('%s} do {' % pad)
        self.line('%s^bb0(%%%s: index):' % (pad, j))
        body = self.statements(scope + [j], depth)
        self.line('%s  %%%s = arith.addi %%%s, %%c2 : index' % (pad, n, j))
        self.line('%s  scf.yield %%%s : index' % (pad, n))
        self.line(pad + '}')
        return ('loop', line, 0, 2, end, j, [body])

    def cond(self, scope, depth):
        left, limit, c, pad, both = self.rng.choice(scope), self.rng.randint(0, 5), self.name(), '  ' * depth, self.rng.random() < .5
        self.line('%s%%%s = arith.cmpi slt, %%%s, %%c%d : index' % (pad, c, left, limit))
        line = self.line('%sscf.if %%%s {' % (pad, c))
        self.way(line, 'if', 'then', 'else')
        bodies = [self.statements(scope, depth), []]
        if both:
            self.line(pad + '} else {')
            bodies[1] = self.statements(scope, depth)
        self.line(pad + '}')
        return ('cond', line, left, limit, bodies)

    def switch(self, scope, depth):
        value, pad, cases = self.rng.choice(scope), '  ' * depth, self.rng.sample(range(5), 2)
        line = self.line('%sscf.index_switch %%%s' % (pad, value))
        self.way(line, 'switch', 'default', *['case %d' % k for k in cases])
        bodies = []
        for k in cases + [None]:
            self.line(pad + ('default {' if k is None else 'case %d {' % k))
            bodies.append(self.statements(scope, depth))
            self.line(pad + '}')
        return ('switch', line, value, cases, bodies)

    def tile(self, scope, depth):
        value, some, rows, part, tile, pad = self.rng.choice(scope), self.name(), self.name(), self.name(), self.name(), '  ' * depth
        more = self.rng.randint(0, 14)
        self.line('%s%%%s = arith.addi %%%s, %%c%d : index' % (pad, some, value, more))
        self.line('%s%%%s = arith.minsi %%%s, %%c16 : index' % (pad, rows, some))
        self.line('%s%%%s = pto.partition_view %%xv, offsets = [%%c0, %%c0], sizes = [%%%s, %%c32] : !pto.tensor_view<16x32xf32> '
                  '-> !pto.partition_tensor_view<?x32xf32>' % (pad, part, rows))
        line = self.line('%s%%%s = pto.alloc_tile valid_row = %%%s : %s' % (pad, tile, rows, ROW))
        self.way(line, 'tile', 'full', 'partial')
        self.line('%spto.tload ins(%%%s : !pto.partition_tensor_view<?x32xf32>) outs(%%%s : %s)' % (pad, part, tile, ROW))
        self.line('%spto.tstore ins(%%%s : %s) outs(%%%s : !pto.partition_tensor_view<?x32xf32>)' % (pad, tile, ROW, part))
        return ('tile', line, value, more)

    def run(self, body, env, taken):
        """Whether something was stored."""
        worked = False
        for s in body:
            if s[0] == 'tile':
                rows = min(env[s[2]] + s[3], 16)
                if rows > 0:
                    taken.add((s[1], 'tile', 'full' if rows == 16 else 'partial'))
                worked |= rows > 0
            elif s[0] == 'loop':
                _, line, start, step, end, i, (inner,) = s
                values = range(start, env[end], step)
                taken.add((line, 'loop', ('no trip', 'one trip', 'more trips')[min(len(values), 2)]))
                for v in values:
                    worked |= self.run(inner, dict(env, **{i: v}), taken)
            elif s[0] == 'cond':
                k = env[s[2]] >= s[3]
                taken.add((s[1], 'if', 'else' if k else 'then'))
                worked |= self.run(s[4][k], env, taken)
            else:
                k = s[3].index(env[s[2]]) if env[s[2]] in s[3] else 2
                taken.add((s[1], 'switch', 'case %d' % s[3][k] if k < 2 else 'default'))
                worked |= self.run(s[4][k], env, taken)
        return worked


def reported(name, *options):
    r = subprocess.run([ptoasm, 'test', '--coverage', '--format=json', name] + list(options), capture_output=True, text=True, timeout=300)
    report = json.loads(r.stdout)
    ways = {(p['line'], p['kind'], w['way']): w['taken'] for f in report['coverage']['programs'] for p in f['points'] for w in p['ways']}
    return r.returncode, ways, report


def generated(seed):
    rng = random.Random(seed)
    p = Program(rng)
    runs = [{'n': rng.randint(0, 6), 'm': rng.randint(0, 6), 'grid': rng.randint(1, 3)} for _ in range(rng.randint(1, 4))]
    with open('k.pto', 'w') as f:
        f.write('\n'.join(p.lines) + '\n')
    with open('k.test.json', 'w') as f:
        json.dump({'cases': [{'values': runs, 'args': ['zeros:16x32', '${n}', '${m}'], 'grid': '${grid}'}]}, f)
    taken = set()
    for r in runs:
        for b in range(r['grid']):
            worked = p.run(p.body, {'n': r['n'], 'm': r['m'], 'b': b}, taken)
            if p.guarded:
                taken.add((1, 'block', 'with work' if worked else 'without work'))
    code, ways, report = reported('k.test.json')
    wrong = {w for w in p.ways ^ set(ways)} | {w for w in ways if ways[w] != (w in taken)}
    t.ok(code == 0 and not wrong, 'program %d: %d ways, %d taken' % (seed, len(p.ways), len(taken)),
         '%d %s\n%s\n%s' % (code, sorted(wrong), [c['output'] for c in report['cases']], '\n'.join(p.lines)))
    return len(p.ways), len(taken)


def branches():
    """cf.cond_br, whose ways are jumps."""
    with open('k.pto', 'w') as f:
        f.write('''func.func @f(%n: index) attributes {pto.entry} {
  %c0 = arith.constant 0 : index
  %c = arith.cmpi sgt, %n, %c0 : index
  cf.cond_br %c, ^yes, ^no
^yes:
  cf.br ^no
^no:
  return
}
''')
    for n in (0, 1):
        with open('k.test.json', 'w') as f:
            json.dump({'cases': [{'args': [n]}]}, f)
        code, ways, _ = reported('k.test.json')
        t.ok(code == 0 and ways == {(4, 'branch', 'true'): n == 1, (4, 'branch', 'false'): n == 0}, 'a branch, %d' % n, ways)


def limits():
    for limit, code in ((0, 0), (50, 0), (50.5, 1), (100, 1)):
        r = subprocess.run([ptoasm, 'test', '--fail-under=%s' % limit], capture_output=True, text=True)
        t.ok(r.returncode == code and 'k.pto:4: not covered: branch, false' in r.stdout and
             r.stdout.endswith('coverage: 1 of 2 ways, 50.0 %\n'), '--fail-under=%s' % limit, r.stdout + r.stderr)
    r = subprocess.run([ptoasm, 'test', '--coverage', '--format=tap'], capture_output=True, text=True)
    t.ok('# coverage: 1 of 2 ways' in r.stdout, 'TAP', r.stdout)
    r = subprocess.run([ptoasm, 'test', '--coverage', '--format=junit'], capture_output=True, text=True)
    t.ok('<property name="coverage" value="50.0"/>' in r.stdout, 'JUnit', r.stdout)
    t.ok(subprocess.run([ptoasm, 'test', '--fail-under=101'], capture_output=True).returncode == 2, 'a wrong limit')


sums = [generated(seed) for seed in range(40)]
ways, taken = (sum(k) for k in zip(*sums))
t.ok(taken > 100 and ways - taken > 100, 'both answers are frequent: %d of %d ways' % (taken, ways))
branches()
limits()
t.end()
