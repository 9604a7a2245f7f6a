# SPDX-License-Identifier: Apache-2.0
"""ptoasm test: what cases say, how they end, and the reports.

test.py PTOASM SOURCE-ROOT
"""
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from tap import Tap

ptoasm, root = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
t = Tap()
work = tempfile.TemporaryDirectory()
os.chdir(work.name)

# y = x * factor + where, n rows; a loop of blocks of 16.
PROGRAM = '''func.func @f(%%x: !pto.ptr<%(e)s>, %%y: !pto.ptr<%(e)s>, %%n: index, %%a: %(e)s) attributes {pto.entry} {
  %%c0 = arith.constant 0 : index
  %%c1 = arith.constant 1 : index
  %%c16 = arith.constant 16 : index
  %%c32 = arith.constant 32 : index
  %%xv = pto.make_tensor_view %%x, shape = [%%n, %%c32], strides = [%%c32, %%c1] : !pto.tensor_view<?x32x%(e)s>
  %%yv = pto.make_tensor_view %%y, shape = [%%n, %%c32], strides = [%%c32, %%c1] : !pto.tensor_view<?x32x%(e)s>
  scf.for %%i = %%c0 to %%n step %%c16 {
    %%left = arith.subi %%n, %%i : index
    %%rows = arith.minsi %%left, %%c16 : index
    %%xp = pto.partition_view %%xv, offsets = [%%i, %%c0], sizes = [%%rows, %%c32] : !pto.tensor_view<?x32x%(e)s> -> !pto.partition_tensor_view<?x32x%(e)s>
    %%yp = pto.partition_view %%yv, offsets = [%%i, %%c0], sizes = [%%rows, %%c32] : !pto.tensor_view<?x32x%(e)s> -> !pto.partition_tensor_view<?x32x%(e)s>
    %%t = pto.alloc_tile valid_row = %%rows : !pto.tile_buf<vec, 16x32x%(e)s, valid=?x32>
    pto.tload ins(%%xp : !pto.partition_tensor_view<?x32x%(e)s>) outs(%%t : !pto.tile_buf<vec, 16x32x%(e)s, valid=?x32>)
    pto.%(op)s ins(%%t, %%a : !pto.tile_buf<vec, 16x32x%(e)s, valid=?x32>, %(e)s) outs(%%t : !pto.tile_buf<vec, 16x32x%(e)s, valid=?x32>)
    pto.tstore ins(%%t : !pto.tile_buf<vec, 16x32x%(e)s, valid=?x32>) outs(%%yp : !pto.partition_tensor_view<?x32x%(e)s>)
  }
  return
}
'''


def write(name, text):
    with open(name, 'w') as f:
        f.write(text if isinstance(text, str) else json.dumps(text))


def python_with_numpy():
    for python in ('python3', '/usr/bin/python3'):
        if subprocess.run([python, '-c', 'import numpy'], capture_output=True).returncode == 0:
            return python
    return None


def run(*words, **env):
    return subprocess.run([ptoasm, 'test'] + list(words), capture_output=True, text=True, timeout=300,
                          env=dict(os.environ, PYTHON=python or 'python3', **env))


def cases(*list_, **defaults):
    write('k.test.json', {'defaults': defaults, 'cases': list(list_)})


def report(*words):
    r = run('--format=json', *words)
    return r.returncode, json.loads(r.stdout)['cases']


def passes(name, case, exit_code=0, count=None):
    cases(case)
    code, got = report()
    t.ok(code == exit_code and (count is None or len(got) == count), name, '%d %s' % (code, got))


python = python_with_numpy()
write('k.pto', PROGRAM % {'e': 'f32', 'op': 'tadds'})
write('times.pto', PROGRAM % {'e': 'f32', 'op': 'tmuls'})
os.makedirs('sub')
args = {'x': 'random:1:${n}x32', 'y': 'zeros:${n}x32', 'n': '${n}', 'a': 2.5}
CASE = {'name': 'k', 'values': {'n': [1, 15, 16, 17, 40]}, 'args': args}


def expectations():
    same = dict(CASE, expect=['y'], reference={'program': 'k.pto'})
    passes('another program: itself', same, count=5)
    os.makedirs('a b')
    t.ok(run(TMPDIR=os.path.abspath('a b')).returncode == 0, '... in a folder with a space in its name')
    passes('another program: a different one', dict(same, reference={'program': 'times.pto'}), 1, 5)
    passes('another program: within a tolerance', dict(same, reference={'program': 'times.pto'}, atol=1e9), 0, 5)
    passes('a command', dict(CASE, expect=['y'], reference={'command': '"$PTOASM_PROGRAM" run k.pto {}/in/x.npy '
           "'{}/in/y.npy>{}/out/y.npy' ${n} 2.5"}), count=5)
    passes('a command that writes nothing', dict(CASE, expect=['y'], reference={'command': 'true'}), 2)
    passes('a command that fails', dict(CASE, expect=['y'], reference={'command': 'exit 3'}), 2)
    folder = os.path.abspath('scratch')
    os.makedirs(folder)
    run(TMPDIR=os.path.relpath(folder))
    t.ok(os.listdir(folder) == [], 'no scratch files are left', os.listdir(folder))
    # A run that is ended, and one whose command is: what they have made is removed.
    passes('a time limit', dict(CASE, values={'n': 1}, timeout=1, expect=['y'],
           reference={'command': 'touch "$TMPDIR/left"; sleep 30'}), 1)
    run(TMPDIR=folder)
    t.ok(os.listdir(folder) == [], '... leaves no files', os.listdir(folder))
    os.makedirs('elsewhere', exist_ok=True)
    write('elsewhere/k.test.json', {'cases': [dict(same, program='../k.pto', reference={'program': '../k.pto'})]})
    r = run('elsewhere', TMPDIR=os.path.relpath(folder))
    t.ok(r.returncode == 0 and os.listdir(folder) == [], 'TMPDIR relative to another folder', r.stdout + r.stderr)
    t.ok(run(TMPDIR='no/such/folder').returncode == 2 and run(TMPDIR='/' + 'x/' * 400).returncode == 2, 'TMPDIR that is not there')
    shutil.rmtree('elsewhere')
    if python is None:
        t.skip('a Python function', 'no numpy')
        return
    line = [i for i, text in enumerate((PROGRAM % {'e': 'f32', 'op': 'tadds'}).split('\n'), 1) if 'tadds' in text][0]
    write('ref3.py', 'import numpy as np\ndef tile(x, y, n, a):\n    return {"%%t@%d": x[(n - 1) // 16 * 16:] + np.float32(a)}\n'
          'def wrong(x, y, n, a):\n    return {"%%t@%d": x[(n - 1) // 16 * 16:]}\n' % (line, line))
    tile = dict(CASE, expect=['%%t@%d' % line], reference={'python': 'ref3.py:tile'})
    passes('a tile that a Python function computes', tile, count=5)
    passes('... and another one', dict(tile, reference={'python': 'ref3.py:wrong'}), 1, 5)
    t.ok("%%t differs from '{}/out/" % () in report()[1][0]['output'], '... is named', report()[1][0])
    passes('a tile that nothing computes', dict(tile, reference={'command': 'true'}), 2)
    write('ref.py', 'import numpy as np\ndef right(x, y, n, a):\n    assert x.shape == (n, 32)\n    return x + np.float32(a)\n'
          'def wrong(x, y, n, a):\n    z = x + np.float32(a)\n    z[-1, -1] += 1\n    return {"y": z}\n')
    passes('a Python function', dict(CASE, expect=['y'], reference={'python': 'ref.py:right'}), count=5)
    passes('... that differs in the last element', dict(CASE, expect=['y'], reference={'python': 'ref.py:wrong'}), 1, 5)
    t.ok('first [39, 31]' in report()[1][-1]['output'], 'the element is named', report())
    write('b.pto', PROGRAM % {'e': 'bf16', 'op': 'tmuls'})
    write('ref2.py', 'def twice(x, y, n, a):\n    return x * 2\n')
    passes('bf16 arrives as f32, and is compared as numbers', dict(CASE, program='b.pto', profile='a5', args=dict(args, a=2),
           expect=['y'], reference={'python': 'ref2.py:twice'}), 0, 5)


def goldens():
    cases(dict(CASE, expect={'y': 'g${n}.npy'}))
    t.ok(run().returncode == 2, 'goldens are missing')
    r = run('--update')
    t.ok(r.returncode == 0 and all(os.path.exists('g%d.npy' % n) for n in (1, 15, 16, 17, 40)), '--update writes them',
         r.stdout + r.stderr)
    t.ok(run().returncode == 0, 'they are as expected')
    shutil.copy('k.pto', 'kept.pto')
    shutil.copy('times.pto', 'k.pto')
    t.ok(run().returncode == 1, 'the program has changed')
    shutil.copy('kept.pto', 'k.pto')
    r = run('--update', '--coverage', '--format=json')
    t.ok(r.returncode == 0 and json.loads(r.stdout)['coverage']['ways'] > 0, '--update with --coverage', r.stdout + r.stderr)
    t.ok(run('--update', '--fail-under=100').returncode == 1, '--update with --fail-under')
    cases(dict(CASE))
    t.ok(run('--update').returncode == 2, '--update without files to write')


def long_output():
    """Of 200 KB nothing is left out, of more than 16 MB the middle."""
    for n, whole in ((200000, True), (17000000, False)):
        command = 'head -c %d /dev/zero | tr "\\0" x; echo; echo the end; exit 1' % n
        cases(dict(CASE, values={'n': 1}, expect=['y'], reference={'command': command}))
        code, got = report()
        text = got[0]['output']
        t.ok(code == 2 and 'the end' in text and ('are left out' not in text) == whole and
             (text.count('x') >= n) == whole and len(text) < 17000000, 'output of %d bytes' % n, (code, len(text)))


def choices():
    passes('combinations of values and profiles', dict(CASE, values={'n': [1, 2, 3], 'seed': {'from': 1, 'to': 7, 'step': 3}},
           profile=['cpu', 'a5']), count=18)
    passes('values by combination', dict(CASE, values=[{'n': 1}, {'n': 40}]), count=2)
    cases(dict(CASE), {'args': ['ones:3x32', 'zeros:3x32', 3, 1]})
    code, got = report()
    t.ok(code == 0 and [c['name'] for c in got] == ['k [n=%d]' % n for n in (1, 15, 16, 17, 40)] + ['cases[1]'], 'names', got)
    r = run('--match=n=1')
    t.ok('4 cases, 0 failed' in r.stdout, '--match', r.stdout)
    t.ok(run('--match=nothing').returncode == 2, 'no case has the text')
    t.ok(run('--list').stdout.splitlines()[0] == 'k.test.json: k [n=1]', '--list')
    cases({}, **dict(CASE, values={'n': 5}))
    t.ok(report()[0] == 0, 'defaults')
    shutil.copy('k.test.json', 'sub/k.test.json')
    shutil.copy('k.pto', 'sub/k.pto')
    t.ok([c['file'] for c in report('.')[1]] == ['k.test.json', 'sub/k.test.json'], 'folders', report('.')[1])
    t.ok(report(os.path.abspath('sub'))[0] == 0, 'paths are relative to the file')
    shutil.rmtree('sub')


def endings():
    wrong = dict(CASE, values={'n': 5}, args=dict(args, x='zeros:4x32'))
    passes('an array that is too small', wrong, 1)
    passes('... as expected', dict(wrong, exit=1, message='%x'), 0)
    passes('... with another message', dict(wrong, exit=1, message='nothing of it'), 1)
    passes('a program that should fail', dict(CASE, exit=1), 1)
    passes('no such program', dict(CASE, program='none.pto'), 2)
    passes('no such function', dict(CASE, function='g'), 2)
    passes('reads of unwritten memory', dict(CASE, values={'n': 5}, sanitize=True), 0)
    write('slow.py', 'import time\ndef f(**k):\n    time.sleep(60)\n')
    began = time.time()
    passes('a time limit', dict(CASE, values={'n': 5}, timeout=1, expect=['y'], reference={'command': 'exec sleep 5'}), 1)
    t.ok(time.time() - began < 60, 'it ends')
    passes('... of a run that starts others', dict(CASE, values={'n': 5}, timeout=1, expect=['y'], reference={'command': 'sleep 61.25; true'}), 1)
    running = []
    for path in glob.glob('/proc/[0-9]*/cmdline'):
        try:
            running.append(open(path).read())
        except OSError:
            pass
    t.ok('sleep\x0061.25\0' not in running, 'these end too')


def times():
    """The time of a case on the chip, after a run that is as expected."""
    short = dict(CASE, values={'n': [16, 40]}, profile=['cpu', 'a2a3', 'a5'])
    passes('a time that is long enough', dict(short, time=100000), count=6)
    cases(dict(short, time=700))
    code, got = report()
    slow = [c['name'] for c in got if not c['passed']]
    t.ok(code == 1 and slow and all('n=40' in name for name in slow) and len(slow) == 3, 'a time that is too short for three of six', got)
    t.ok(all('cycles are more than the 700 of --fail-above' in c['output'] for c in got if not c['passed']), 'its message', got)
    passes('a run that fails is not timed', dict(short, args=dict(args, x='zeros:4x32'), time=1), 1)


def reports():
    cases(CASE, dict(CASE, name='<wrong & "bad">', values={'n': 5}, exit=1))
    r = run('--format=tap')
    t.ok(r.returncode == 1 and r.stdout.startswith('TAP version 13\n1..6\nok 1 - k.test.json: k [n=1]\n') and
         'not ok 6 - ' in r.stdout, 'TAP', r.stdout)
    tree = ElementTree.fromstring(run('--format=junit').stdout)
    t.ok(tree.get('tests') == '6' and tree.get('failures') == '1' and len(tree.findall('testcase')) == 6 and
         tree.findall('testcase')[5].get('name').startswith('<wrong & "bad">') and
         tree.findall('testcase')[5].find('failure') is not None, 'JUnit XML', ElementTree.tostring(tree))
    r = run('-v', '-j1')
    one = run('-v', '-j4').stdout
    t.ok(r.stdout == one and r.stdout.endswith('6 cases, 1 failed\n'), 'text, in order with any number of processes', one)


def wrong_files():
    def rejected(text, message):
        write('k.test.json', text)
        r = run()
        t.ok(r.returncode == 2 and message in r.stderr and r.stdout == '', 'rejected: ' + message, r.stderr)
    rejected('{', 'k.test.json:1')
    rejected('[]', 'the file is not an object')
    rejected({}, 'there are no cases')
    rejected({'cases': [1]}, 'cases[0] is not an object')
    rejected({'cases': [{'programme': 'x'}]}, "cases[0] has no key 'programme'; did you mean 'program'?")
    rejected({'cases': [{'grid': True}]}, 'cases[0].grid is not')
    rejected({'cases': [{}], 'defaults': {'speed': 1}}, "defaults has no key 'speed'")
    rejected({'cases': [{'time': 0}]}, 'cases[0] has a time that is not 1 to 2^52 cycles')
    rejected({'cases': [{'time': 1, 'exit': 1}]}, 'cases[0] has a time, and an exit code of a run that fails')
    rejected({'cases': [{'values': {'n': {'from': 2, 'to': 1}}}]}, 'cases[0].values.n')
    rejected({'cases': [{'values': [1]}]}, 'cases[0].values[0] is not an object')
    rejected({'cases': [{'expect': ['y']}]}, 'cases[0] needs `expect`')
    rejected({'cases': [{'reference': {'command': 'x'}}]}, 'expects nothing of it')
    rejected({'cases': [{'expect': ['y'], 'reference': {'command': 'x', 'python': 'y:z'}}]}, 'not one of')
    rejected({'cases': [{'expect': ['y'], 'reference': {'python': 'f.py'}}]}, 'FILE.py:FUNCTION')
    rejected({'cases': [{'args': ['zeros:${n}x4'], 'values': {'m': 1}}]}, 'cases[0] has an argument')
    rejected({'cases': [{'profile': [1]}]}, 'cases[0].profile[0] is not a string')
    rejected({'cases': [{'profile': []}]}, 'cases[0].profile is empty')
    rejected({'cases': [{'values': []}]}, 'cases[0].values leaves no choice')
    rejected({'cases': [{'values': {'n': []}}]}, 'cases[0].values')
    rejected({'cases': [{'exit': -1}]}, 'cases[0] has an exit code that is not 0 to 3')
    rejected({'cases': [{'timeout': 0}]}, 'cases[0] has a timeout that is not 1 to 86400')
    os.remove('k.test.json')
    t.ok(run().returncode == 2 and '*.test.json' in run().stderr, 'no file')


def schema():
    try:
        import jsonschema
    except ImportError:
        t.skip('the schema', 'no python3-jsonschema')
        return
    with open(os.path.join(root, 'docs/test.schema.json')) as f:
        definition = json.load(f)
    keys = set(re.findall(r'\{"(\w+)", (?:TEXT|WHOLE|REAL|TRUTH|LIST|OBJECT)',
                          open(os.path.join(root, 'cli/test_read.c')).read()))
    known = set(definition['definitions']['case']['properties']) | {'defaults', 'cases', 'python', 'command', 'from', 'to', 'step'}
    t.ok(keys == known, 'the schema has the keys of the program', keys ^ known)
    for folder, _, names in os.walk(os.path.join(root, 'samples')):
        for name in names:
            if name.endswith('.test.json'):
                with open(os.path.join(folder, name)) as f:
                    jsonschema.validate(json.load(f), definition)
    t.ok(True, 'the cases of the samples fit the schema')


def samples():
    if python is None:
        t.skip('samples', 'no numpy')
        return
    r = run(os.path.join(root, 'samples'))
    t.ok(r.returncode == 0 and int(re.search(r'^(\d+) cases, 0 failed', r.stdout, re.M)[1]) > 240, 'samples', r.stdout + r.stderr)


expectations()
goldens()
long_output()
choices()
endings()
times()
reports()
wrong_files()
schema()
samples()
t.end()
