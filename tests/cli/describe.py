#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""describe.py PTOASM SOURCE_ROOT: --describe against docs/describe.schema.json, against programs whose answer is known, and
against what a reader finds in the C++ of the samples and, with PTOASM_CORPUS, of the programs of the front end pypto; --embed.
Prints TAP."""
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from tap import Tap

try:
    import jsonschema
except ImportError:
    jsonschema = None

PTOASM, ROOT = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
tap = Tap()


def schema():
    with open(os.path.join(ROOT, 'docs/describe.schema.json'), encoding='utf-8') as f:
        return json.load(f)


SCHEMA = schema()


def run(*words, text=None):
    return subprocess.run([PTOASM] + list(words), input=text, capture_output=True, text=True, timeout=120)


def described(text, *options, command='emit'):
    """Emits a program; returns its description and the C++."""
    with tempfile.TemporaryDirectory() as folder:
        path, out, code = (os.path.join(folder, name) for name in ('k.pto', 'k.json', 'k.cpp'))
        with open(path, 'w', encoding='utf-8') as f:
            f.write(text)
        words = ['ptoas'] if command == 'ptoas' else ['emit', '--to=cpp']
        done = run(*words, '--describe=' + out, path, '-o', code, *options)
        if done.returncode != 0:
            return None, done.stderr
        with open(out, encoding='utf-8') as f, open(code, encoding='utf-8') as g:
            lines = f.read().splitlines()
            assert len(lines) == 1
            return json.loads(lines[0]), g.read()


def valid(program):
    if jsonschema is None:
        return ''
    errors = [e.message for e in jsonschema.Draft7Validator(SCHEMA).iter_errors(program)]
    return '; '.join(errors)


# ---- a program whose answer is known ----

KNOWN = '''!v = !pto.tensor_view<?x?xf32>
!p = !pto.partition_tensor_view<8x32xf32>
!t = !pto.tile_buf<vec, 8x32xf32>
func.func private @load(%from: !pto.ptr<f32>) -> !t {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %v = pto.make_tensor_view %from, shape = [%c8, %c32], strides = [%c32, %c1] : !v
  %p = pto.partition_view %v, offsets = [%c0, %c0], sizes = [%c8, %c32] : !v -> !p
  %t = pto.alloc_tile : !t
  pto.tload ins(%p : !p) outs(%t : !t)
  return %t : !t
}
func.func @k(%x: !pto.ptr<f32>, %y: !pto.ptr<f32>, %z: !pto.ptr<i32>, %n: index, %__pypto_spmd_block_idx: i32,
    %both: !pto.ptr<f32>, %tile: !t) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %block = pto.get_block_num
  %yv = pto.make_tensor_view %y, shape = [%n, %c32], strides = [%c32, %c1] : !v
  %yp = pto.partition_view %yv, offsets = [%c0, %c0], sizes = [%c8, %c32] : !v -> !p
  %bv = pto.make_tensor_view %both, shape = [%c8, %c32], strides = [%c64, %c1] : !v
  %bp = pto.partition_view %bv, offsets = [%c0, %c0], sizes = [%c8, %c32] : !v -> !p
  %a = func.call @load(%x) : (!pto.ptr<f32>) -> !t
  %b = pto.alloc_tile : !t
  pto.tload ins(%bp : !p) outs(%b : !t)
  pto.tadd ins(%a, %b : !t, !t) outs(%b : !t)
  pto.tstore ins(%b : !t) outs(%yp : !p)
  pto.tstore ins(%b : !t) outs(%bp : !p)
  return
}
'''
program, code = described(KNOWN, '--profile=a2a3')
tap.ok(program is not None, 'a program', code)
tap.ok(valid(program) == '', 'is described by the schema', valid(program))
kernels = program['kernels']
tap.ok([k['name'] for k in kernels] == ['k'], 'one kernel: the other function is private')
kernel = kernels[0]
tap.ok((kernel['symbol'], kernel['line'], kernel['entry']) == ('k', 15, False), 'its name and line')
tap.ok(kernel['cores'] == ['vector'], 'its core', kernel['cores'])
tap.ok(kernel['asks'] == ['block count'], 'what it asks the device for', kernel['asks'])
tap.ok([m['space'] for m in kernel['memory']] == ['vec'] and kernel['memory'][0]['bytes'] >= 2048, 'its memory',
       kernel['memory'])
by_name = {p['name']: p for p in kernel['parameters']}
KEYS = ('cpp_type', 'kind', 'element', 'launch', 'reads', 'writes', 'elements', 'shape')
for name, want in (
        ('x', ('__gm__ float*', 'pointer', 'f32', None, True, False, 256, [8, 32])),
        ('y', ('__gm__ float*', 'pointer', 'f32', None, False, True, None, [None, 32])),
        ('z', ('__gm__ int32_t*', 'pointer', 'i32', None, False, False, None, None)),
        ('n', ('int64_t', 'scalar', 'index', None, False, False, None, None)),
        ('__pypto_spmd_block_idx', ('int32_t', 'scalar', 'i32', 'block index', False, False, None, None)),
        ('both', ('__gm__ float*', 'pointer', 'f32', None, True, True, 480, [8, 64])),
        ('tile', (by_name['tile']['cpp_type'], 'tile', 'f32', None, False, False, None, [8, 32]))):
    found = tuple(by_name[name][key] for key in KEYS)
    tap.ok(found == want, 'parameter ' + name, '%s, not %s' % (found, want))
tap.ok(by_name['y']['unknown'] is not None and by_name['y']['unknown_line'] == 23, 'why a count is not known',
       (by_name['y']['unknown'], by_name['y']['unknown_line']))
tap.ok(re.search(r'Tile<.*>&$', by_name['tile']['cpp_type']) is not None, 'a tile is passed by reference')

CUBE = '''func.func @c() attributes {pto.entry, pto.kernel_kind = #pto.kernel_kind<cube>} {
  return
}
func.func @main() attributes {pto.entry} {
  pto.section.cube {
  }
  pto.section.vector {
  }
  return
}
'''
program, code = described(CUBE, '--profile=a5')
tap.ok(program is not None and valid(program) == '', 'entries', code)
tap.ok([(k['name'], k['cores'], k['entry']) for k in program['kernels']] ==
       [('c', ['cube'], True), ('main', ['cube', 'vector'], True)] and program['profile'] == 'a5', 'their cores', program)
tap.ok(program['kernels'][1]['symbol'] != 'main' and re.search(r'\b%s\(' % program['kernels'][1]['symbol'], code) is not None,
       'a name that the C++ changes')

# ---- against what a reader finds in the C++ ----

SIGNATURE = re.compile(r'^(?:extern "C" )?(?:__global__ )?AICORE [\w:]+ (\w+)\(([^{;]*)\) \{$', re.M)


def parameters(text):
    """Splits at commas outside of <>; each without its name."""
    parts, depth, part = [], 0, ''
    for c in text:
        depth += (c == '<') - (c == '>')
        if c == ',' and depth == 0:
            parts.append(part)
            part = ''
        else:
            part += c
    return [re.sub(r'\s*\w+$', '', p.strip()) for p in parts + [part] if p.strip()]


def differs(program, code):
    """Returns how the description differs from the C++, or ''."""
    fault = valid(program)
    functions = {name: parameters(text) for name, text in SIGNATURE.findall(code)}
    for kernel in program['kernels']:
        want = functions.get(kernel['symbol'])
        if want is None:
            return fault + ' no function %s in the C++' % kernel['symbol']
        if want != [p['cpp_type'] for p in kernel['parameters']]:
            return fault + ' %s takes %s, the C++ %s' % (kernel['symbol'], [p['cpp_type'] for p in kernel['parameters']], want)
        for core, macro in (('cube', '__DAV_CUBE__'), ('vector', '__DAV_VEC__')):
            if len(program['kernels']) == 1 and macro in code and core not in kernel['cores']:
                return fault + ' %s is for %s, but has %s' % (kernel['symbol'], kernel['cores'], macro)
    return fault


def samples():
    for folder, _, names in sorted(os.walk(os.path.join(ROOT, 'samples'))):
        for name in sorted(names):
            if name.endswith('.pto'):
                yield os.path.join(folder, name), ['--profile=a5'], 'emit'


def corpus():
    folder = os.path.join(os.environ.get('PTOASM_CORPUS', ''), 'pypto')
    if not os.path.exists(folder + '/INDEX.tsv'):
        return
    with open(folder + '/INDEX.tsv', encoding='utf-8') as f:
        for line in f.read().splitlines()[1::7]:
            text, _, _, flags, verdict = line.split('\t')
            if verdict == 'accept':
                yield os.path.join(folder, 'text', text), flags.split() + ['--pto-version=0.57'], 'ptoas'


for name, source in (('samples', samples), ('programs of pypto', corpus)):
    faults, n, kernels = [], 0, 0
    for path, options, command in source():
        with open(path, encoding='utf-8') as f:
            program, code = described(f.read(), *options, command=command)
        if program is None:
            continue
        n += 1
        kernels += len(program['kernels'])
        fault = differs(program, code)
        if fault:
            faults.append(path + ':' + fault)
    if n == 0:
        tap.skip(name, 'PTOASM_CORPUS names no folder with them')
        continue
    tap.ok(not faults and n >= 20 and kernels >= n, '%s: %d descriptions of %d kernels are what the C++ says' % (name, n, kernels),
           '\n'.join(faults[:20]))

# ---- files ----

with tempfile.TemporaryDirectory() as folder:
    def at(name):
        return os.path.join(folder, name)
    for name, text in (('a.pto', CUBE), ('b.pto', KNOWN.replace('tadd', 'tnone')), ('c.pto', KNOWN)):
        with open(at(name), 'w', encoding='utf-8') as f:
            f.write(text)
    done = run('ptoas', at('a.pto'), at('b.pto'), at('c.pto'), '-o', at('out'), '--describe', at('all.json'))
    with open(at('all.json'), encoding='utf-8') as f:
        lines = [json.loads(line) for line in f]
    tap.ok(done.returncode == 1 and [os.path.basename(line['file']) for line in lines] == ['a.pto', 'c.pto'],
           'of several programs a line for each without errors', done.stderr)
    done = run('ptoas', at('b.pto'), '-o', at('b.cpp'), '--describe', at('b.json'))
    tap.ok(done.returncode == 1 and not os.path.exists(at('b.json')), 'nothing is written when there are none')
    done = run('ptoas', '--describe', at('c.json'), at('c.pto'))
    tap.ok(done.returncode == 0 and '#include' in done.stdout and os.path.exists(at('c.json')), 'beside C++ on standard output')
    done = run('ptoas', '--emit-pto-ir', '--describe=' + at('b.json'), at('a.pto'))
    tap.ok(done.returncode == 1 and 'Error: ' in done.stderr, 'not of PTO text')
    done = run('emit', '--describe=' + at('b.json'), at('a.pto'), '-o', at('a.c'))
    tap.ok(done.returncode == 2 and not os.path.exists(at('b.json')), 'not of C')
    done = run('emit', '--to=cpp', '--profile=a5', '--describe=' + at('a.cpp'), at('a.pto'), '-o', at('a.cpp'))
    tap.ok(done.returncode == 2 and not os.path.exists(at('a.cpp')), 'not into the C++')
    done = run('ptoas', '--describe=' + at('a.cpp'), at('a.pto'), '-o', at('a.cpp'))
    tap.ok(done.returncode == 1 and not os.path.exists(at('a.cpp')), 'nor with ptoas')

    # What a function calls may be a long chain.
    with open(at('chain.pto'), 'w', encoding='utf-8') as f:
        for i in range(60000):
            f.write('func.func @f%d() {\n%s  return\n}\n' % (i, '  func.call @f%d() : () -> ()\n' % (i + 1) if i < 59999 else
                                                           '  %b = pto.get_block_num\n'))
    done = run('ptoas', '--describe', at('chain.json'), at('chain.pto'), '-o', at('chain.cpp'))
    tap.ok(done.returncode == 0, 'a chain of 60000 functions', done.stderr[:2000])
    with open(at('chain.json'), encoding='utf-8') as f:
        kernels = json.load(f)['kernels']
    tap.ok([(k['name'], k['asks']) for k in kernels] == [('f0', ['block count'])], 'and what the last one asks for', kernels)
    with open(at('chain.cpp'), encoding='utf-8') as f:
        order = re.findall(r'^AICORE void f(\d+)', f.read(), re.M)
    tap.ok(order == [str(i) for i in range(59999, -1, -1)], 'callees come first', order[:5])

# ---- --embed ----

EMBED = '''func.func @%s(%%x: !pto.ptr<f32>, %%e: i32) attributes {pto.entry} {
  %%s = pto.declare_struct -> !pto.struct<f32, i8>
  %%c0 = arith.constant 0 : index
  %%f = arith.bitcast %%e : i32 to f32
  pto.store_scalar %%f, %%x[%%c0] : !pto.ptr<f32>, f32
  return
}
'''
_, plain = described(EMBED % 'one', '--profile=a2a3')
program, one = described(EMBED % 'one', '--profile=a2a3', '--embed')
_, two = described(EMBED % 'two', '--profile=a2a3', '--embed')
tap.ok('#include' in plain and '__global__' in plain, 'a file of its own')
tap.ok(not re.search(r'#include|using namespace|extern "C"|__global__', one), 'an embedded text has nothing of that', one)
tap.ok(re.search(r'^static AICORE void one\(', one, re.M) is not None and program['kernels'][0]['entry'],
       'its functions are static, and entries are described as such')
both = one + two
tap.ok(both.count('ptoas_bitcast(From from)') == 2 and both.count('#ifndef PTOASM_HAS_BITCAST') == 2 and
       both.count('#endif\n') >= 2, 'two in one file define helpers once', both)
compiler = next((c for c in ('clang++', 'g++') if subprocess.run(['which', c], capture_output=True).returncode == 0), None)
if compiler is None:
    tap.skip('two in one file compile', 'no compiler for C++')
else:
    stub = '#include <cstdint>\n#include <cstring>\n#define AICORE\n#define __gm__\n#define PIPE_ALL 0\n' \
           'enum cache_line_t { ENTIRE_DATA_CACHE, SINGLE_CACHE_LINE };\nenum mem_dsb_t { DSB_ALL };\n' \
           'static inline void pipe_barrier(int) {}\nstatic inline void dcci(void *, int) {}\nstatic inline void dsb(mem_dsb_t) {}\n'
    main = '\nint main() { float x; one(&x, 0); two(&x, 1); return 0; }\n'
    done = subprocess.run([compiler, '-std=c++17', '-x', 'c++', '-fsyntax-only', '-'], input=stub + both + main,
                          capture_output=True, text=True)
    tap.ok(done.returncode == 0, 'two in one file compile', done.stderr[:2000] + both)
tap.end()
