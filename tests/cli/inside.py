#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`ptoasm run`: --dump, --expect of tiles and of narrow floats, --format=json.

usage: inside.py PTOASM SOURCE-FOLDER. Prints TAP.

The JSON is validated by docs/run.schema.json where python3-jsonschema is installed.
"""
import ast
import glob
import json
import math
import os
import re
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from tap import Tap

try:
    import jsonschema
except ImportError:
    jsonschema = None

PTOASM = os.path.realpath(sys.argv[1])
SOURCE = os.path.realpath(sys.argv[2])
SHOWN = os.path.join(SOURCE, 'tests/cli/shown.pto')
ENV = dict(os.environ, LC_ALL='C', NO_COLOR='1')
ENV['ASAN_OPTIONS'] = ':'.join(filter(None, [ENV.get('ASAN_OPTIONS'), 'exitcode=99']))
COPY = '''func.func @copy(%x: !pto.ptr<T>, %y: !pto.ptr<T>) attributes {pto.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %xv = pto.make_tensor_view %x, shape = [%c8, %c32], strides = [%c32, %c1] : !pto.tensor_view<8x32xT>
  %yv = pto.make_tensor_view %y, shape = [%c8, %c32], strides = [%c32, %c1] : !pto.tensor_view<8x32xT>
  %xp = pto.partition_view %xv, offsets = [%c0, %c0], sizes = [%c8, %c32] : !pto.tensor_view<8x32xT> -> !pto.partition_tensor_view<8x32xT>
  %yp = pto.partition_view %yv, offsets = [%c0, %c0], sizes = [%c8, %c32] : !pto.tensor_view<8x32xT> -> !pto.partition_tensor_view<8x32xT>
  %t = pto.alloc_tile : !pto.tile_buf<vec, 8x32xT>
  pto.tload ins(%xp : !pto.partition_tensor_view<8x32xT>) outs(%t : !pto.tile_buf<vec, 8x32xT>) loc("copy.py":3:4)
  pto.tstore ins(%t : !pto.tile_buf<vec, 8x32xT>) outs(%yp : !pto.partition_tensor_view<8x32xT>)
  return
}
'''
TESTS = []


def test(function):
    TESTS.append(function)
    return function


def need(condition, what):
    if not condition:
        raise ValueError(what)


def same(a, b, what=''):
    need(a == b, f'{what}: {a!r}, not {b!r}')


def run(*words):
    return subprocess.run([PTOASM, 'run', *words], env=ENV, capture_output=True, check=False)


def ends(code, *words, said=''):
    r = run(*words)
    need(r.returncode == code and said in r.stderr.decode(), f'{words}: {r.returncode}: {r.stderr.decode()}')
    return r.stderr.decode()


# ---- .npy ----

def save(name, code, shape, values):
    head = f"{{'descr': '{code}', 'fortran_order': False, 'shape': {tuple(shape)!r}, }}\n".encode()
    letter = {'f4': 'f', 'f2': 'e', 'u1': 'B', 'u2': 'H'}[code[1:]]
    with open(name, 'wb') as f:
        f.write(b'\x93NUMPY\x01\x00' + struct.pack('<H', len(head)) + head + struct.pack(f'<{len(values)}{letter}', *values))


def load(name):
    """The type, the shape and the elements."""
    with open(name, 'rb') as f:
        data = f.read()
    size = struct.unpack('<H', data[8:10])[0]
    head = ast.literal_eval(data[10:10 + size].decode())
    letter = {'f4': 'f', 'f2': 'e', 'u1': 'B', 'u2': 'H'}[head['descr'][1:]]
    count = math.prod(head['shape'])
    return head['descr'], head['shape'], list(struct.unpack(f'<{count}{letter}', data[10 + size:]))


# ---- --dump ----

def index_of(folder):
    with open(os.path.join(folder, 'index.json'), encoding='utf-8') as f:
        return json.load(f)


@test
def dump_of_all():
    """every tile that a statement defines, in the order of the run"""
    ends(0, '--dump=all', SHOWN, 'iota', 'zeros', '3')
    index = index_of('all')
    same((index['program'], index['function'], index['blocks']), (SHOWN, 'shown', 1))
    tiles = index['tiles']
    same([(t['line'], t['value'], t['iteration'], t['serial']) for t in tiles],
         [(19, '%t', 0, 0), (20, '%s', 0, 1), (19, '%t', 1, 2), (20, '%s', 1, 3)])
    same(sorted(os.listdir('all')), sorted([t['file'] for t in tiles] + ['index.json']))
    for t in tiles:
        same((t['block'], t['core'], t['type'], t['npy'], t['shape'], t['valid'], t['space'], t['layout'], t['source']),
             (0, 'vec0', 'f32', '<f4', [8, 16], [3, 11], 'vec', 'row_major/none_box', None))
        code, shape, values = load('all/' + t['file'])
        same((code, shape), ('<f4', (8, 16)))
        times = 1 if t['value'] == '%t' else t['iteration'] + 1
        for r in range(3):
            same(values[16 * r:16 * r + 11], [times * float(16 * r + c) for c in range(11)], t['file'])


@test
def dump_of_lines():
    """of some lines only"""
    ends(0, '--dump=lines:20', SHOWN, 'iota', 'zeros', '3')
    same([t['line'] for t in index_of('lines')['tiles']], [20, 20])
    ends(0, '--dump=lines:20,19,20', SHOWN, 'iota', 'zeros', '3')
    same([t['line'] for t in index_of('lines')['tiles']], [19, 20, 19, 20])


@test
def blocks_and_cores():
    """--block and --core leave the others out"""
    ends(0, '--grid=3', '--dump=grid', SHOWN, 'iota', 'zeros', '3')
    same(sorted({t['block'] for t in index_of('grid')['tiles']}), [0, 1, 2])
    ends(0, '--grid=3', '--block=1', '--dump=one', SHOWN, 'iota', 'zeros', '3')
    same([t['block'] for t in index_of('one')['tiles']], [1] * 4)
    one = run('--grid=3', '--block=2', '--print=%n', SHOWN, 'iota', 'zeros', '3')
    same(one.stdout, b'%n, line 23: 3, block 2\n')
    ends(0, '--core=vec0', '--dump=vec0', SHOWN, 'iota', 'zeros', '3')
    same([t['core'] for t in index_of('vec0')['tiles']], ['vec0'] * 4)
    ends(0, '--core=cube', '--dump=cube', SHOWN, 'iota', 'zeros', '3', said='warning: --dump: no statement')
    same(index_of('cube')['tiles'], [])
    ends(2, '--grid=3', '--block=3', '--dump=no', SHOWN, 'iota', 'zeros', '3', said='the run has 3 blocks')
    ends(2, '--core=vec2', '--dump=no', SHOWN, 'iota', 'zeros', '3', said='vec0, vec1 or cube')
    need(not os.path.exists('no'), 'a folder')


@test
def dump_with_threads():
    """threads hand out tiles at once"""
    ends(0, '--grid=40', '--threads=4', '--dump=many', SHOWN, 'iota', 'zeros', '3')
    tiles = index_of('many')['tiles']
    same(sorted((t['block'], t['line'], t['iteration']) for t in tiles),
         [(b, line, i) for b in range(40) for line in (19, 20) for i in (0, 1)])
    same(sorted(t['serial'] for t in tiles), list(range(160)))


@test
def dump_until_error():
    """what was written before an error is listed"""
    ends(1, '--dump=error', SHOWN, 'iota', 'zeros:f32x1', '3', said='shown.pto:22: pto.tstore')
    same(len(index_of('error')['tiles']), 4)


@test
def dump_that_fails():
    """nothing is left of a dump that cannot be written"""
    full = f"trap '' XFSZ; ulimit -f 0; '{PTOASM}' run --dump=full '{SHOWN}' iota zeros 3 2>&1 | cat"
    r = subprocess.run(['sh', '-c', full], env=ENV, capture_output=True, check=False)
    need(b"cannot write 'full/" in r.stdout, r.stdout)
    same(os.listdir('full'), [])
    small = f"trap '' XFSZ; ulimit -f 2; '{PTOASM}' run --dump=small '{SHOWN}' iota zeros 3"
    r = subprocess.run(['sh', '-c', small], env=ENV, capture_output=True, check=False)
    need(r.returncode == 2 and b"cannot write 'small/index.json'" in r.stderr, r.stderr)
    same(os.listdir('small'), [])
    ends(2, '--dump=none/d', SHOWN, 'iota', 'zeros', '3', said="--dump: cannot make the folder 'none/d'")
    with open('file', 'w', encoding='utf-8'):
        pass
    ends(2, '--dump=file', SHOWN, 'iota', 'zeros', '3', said="cannot make the folder 'file': File exists")
    if os.geteuid() != 0:
        os.mkdir('closed', 0o500)
        ends(2, '--dump=closed', SHOWN, 'iota', 'zeros', '3', said="cannot write to the folder 'closed'")


@test
def wrong_lines():
    """lines that are not there, or define no tile"""
    for line in ('12', '99', '4294967295'):
        ends(2, '--dump=no:' + line, SHOWN, 'iota', 'zeros', '3', said=f'--dump: no statement in line {line} defines a tile')
    for value in ('no:0', 'no:', 'no:1,', 'no:,1', 'no:99999999999', '', ':3', 'no:' + ','.join(map(str, range(1, 66)))):
        ends(2, '--dump=' + value, SHOWN, 'iota', 'zeros', '3', said='is not a folder, with at most 64 lines')
    need(not os.path.exists('no'), 'a folder')


@test
def odd_names():
    """results of several, names with other characters"""
    with open('names.pto', 'w', encoding='utf-8') as f:
        f.write(COPY.replace('T>', 'f32>').replace('xT', 'xf32').replace('%t', '%a-b.c$d'))
    ends(0, '--dump=names', 'names.pto', 'iota', 'zeros')
    same([t['value'] for t in index_of('names')['tiles']], ['%a-b.c$d'])
    same([t['source'] for t in index_of('names')['tiles']], [{'file': 'copy.py', 'line': 3, 'column': 4}])
    long = 'x' * 5000
    with open('names.pto', 'w', encoding='utf-8') as f:
        f.write(COPY.replace('T>', 'f32>').replace('xT', 'xf32').replace('%t', '%' + long))
    ends(0, '--dump=names', 'names.pto', 'iota', 'zeros')
    tile, = index_of('names')['tiles']
    same((tile['value'], len(load('names/' + tile['file'])[2])), ('%' + long, 256))


@test
def dump_changes_nothing():
    """the results of the samples are the same with a dump of all tiles"""
    compared = 0
    for path in sorted(glob.glob(os.path.join(SOURCE, 'samples/*/*.pto')) + glob.glob(os.path.join(SOURCE, 'tests/exec/*.pto'))):
        listed = run('--profile=a5', '--list', path).stdout.decode()
        for part in re.split('^(?=@)', listed, flags=re.M)[1:2]:
            words, outs = [re.match('@([^,]+)', part).group(1)], []
            for i, (name, kind) in enumerate(re.findall(r'^  %(\S+)\s+(.*)', part, re.M)):
                words.append(f'{name}=random:{i}>{name}.npy' if '*' in kind else name + ('=1' if 'float' in kind else '=2'))
                outs += [name + '.npy'] if '*' in kind else []
            results = []
            for options in [], ['--dump=same']:
                r = run('--profile=a5', '--entry=' + words[0], *options, path, *words[1:])
                results.append([r.returncode] + [open_bytes(o) for o in outs if r.returncode == 0])
            need(results[0] == results[1], path)
            compared += results[0][0] == 0 and len(outs) > 0
    need(compared >= 40, f'{compared} kernels')


def open_bytes(path):
    with open(path, 'rb') as f:
        return f.read()


# ---- --expect of tiles ----

@test
def expected_tiles():
    """the last execution of a line, or all"""
    ends(0, '--dump=e', SHOWN, 'iota', 'zeros', '3')
    tiles = [load(f'e/20-s-b0-vec0-{i}.npy')[2] for i in (0, 1)]
    save('both.npy', '<f4', (2, 8, 16), tiles[0] + tiles[1])
    save('swapped.npy', '<f4', (2, 8, 16), tiles[1] + tiles[0])
    save('first.npy', '<f4', (1, 8, 16), tiles[0])
    save('valid.npy', '<f4', (3, 11), [tiles[1][16 * r + c] for r in range(3) for c in range(11)])
    ends(0, '--expect=%s@20=e/20-s-b0-vec0-1.npy', '--expect=s@20=both.npy', '--expect=%s@20=valid.npy', SHOWN, 'iota', 'zeros', '3')
    text = ends(1, '--expect=%s@20=e/20-s-b0-vec0-0.npy', SHOWN, 'iota', 'zeros', '3')
    need("shown.pto:20: %s differs from 'e/20-s-b0-vec0-0.npy' in 32 of 33 elements (block 0, vec0, iteration 1)" in text, text)
    need('first [0, 1]: got 2, want 1, distance 1 (8388608 ulp)' in text, text)
    text = ends(1, '--expect=%s@20=swapped.npy', SHOWN, 'iota', 'zeros', '3')
    need('iteration 0)' in text and 'iteration 1)' in text, text)
    ends(0, '--expect=%s@20=both.npy', '--grid=4', '--threads=2', SHOWN, 'iota', 'zeros', '3')
    text = ends(1, '--expect=%s@20=swapped.npy', '--grid=4', '--block=2', SHOWN, 'iota', 'zeros', '3')
    same(text.count('(block 2, vec0'), 2)
    ends(2, '--time', '--expect=%s@20=first.npy', SHOWN, 'iota', 'zeros', '3', said='not compared with --time')
    ends(2, '--time', '--dump=no', SHOWN, 'iota', 'zeros', '3', said='--time and --dump exclude each other')
    ends(1, '--expect=%s@20=first.npy', SHOWN, 'iota', 'zeros', '3', said='holds 1 tiles, and this line does not run as often')
    save('three.npy', '<f4', (3, 8, 16), tiles[0] + tiles[1] * 2)
    save('none.npy', '<f4', (0, 8, 16), [])
    for name in ('three.npy', 'none.npy'):
        ends(1, f'--expect=%s@20={name}', SHOWN, 'iota', 'zeros', '3', said='does not run as often')


@test
def wrong_tiles():
    """files, lines and values that do not fit"""
    save('row.npy', '<f4', (3,), [0.0] * 3)
    save('small.npy', '<f4', (3, 10), [0.0] * 30)
    save('half.npy', '<f2', (3, 11), [0.0] * 33)
    ends(2, '--expect=%s@20=row.npy', SHOWN, 'iota', 'zeros', '3', said='has 1 dimensions, a tile has 2')
    ends(2, '--expect=%s@20=gone.npy', SHOWN, 'iota', 'zeros', '3', said="cannot read 'gone.npy'")
    ends(1, '--expect=%s@20=small.npy', SHOWN, 'iota', 'zeros', '3', said="'small.npy' holds 3x10, and %s 3x11")
    ends(1, '--expect=%s@20=half.npy', SHOWN, 'iota', 'zeros', '3', said="elements of type '<f2', and %s those of 'f4'")
    ends(2, '--expect=%s@3=valid.npy', SHOWN, 'iota', 'zeros', '3', said='no statement of a function is in this line')
    ends(2, '--expect=%i@20=valid.npy', SHOWN, 'iota', 'zeros', '3', said="%i is a 'index', no tile")
    ends(2, '--expect=%u@20=valid.npy', SHOWN, 'iota', 'zeros', '3', said='%u is not defined by the end of this line')
    ends(1, '--expect=%s@20=valid.npy', '--core=cube', SHOWN, 'iota', 'zeros', '3', said='this line has not run where %s')


# ---- narrow floats ----

def values_of(kind):
    """The numbers of all codes."""
    if kind == 'bf16':
        return [struct.unpack('<f', struct.pack('<I', code << 16))[0] for code in range(1 << 16)]
    exponent, mantissa = (4, 3) if kind == 'f8E4M3' else (5, 2)
    bias, out = (1 << (exponent - 1)) - 1, []
    for code in range(256):
        e, m = code >> mantissa & (1 << exponent) - 1, code & (1 << mantissa) - 1
        v = math.ldexp(m + (1 << mantissa), e - bias - mantissa) if e else math.ldexp(m, 1 - bias - mantissa)
        if kind == 'f8E5M2' and e == 31:
            v = math.nan if m else math.inf
        if kind == 'f8E4M3' and e == 15 and m == 7:
            v = math.nan
        out.append(-v if code >> 7 else v)
    return out


@test
def narrow_floats():
    """bf16 and floats of 8 bits compare with f32, exactly unless there is a tolerance"""
    for kind, code in (('bf16', '<u2'), ('f8E4M3', '|u1'), ('f8E5M2', '|u1')):
        values = values_of(kind)
        codes = [i * (len(values) // 256) + (i % 3 if kind == 'bf16' else 0) for i in range(256)]
        gold = [values[c] for c in codes]
        program = kind + '.pto'
        with open(program, 'w', encoding='utf-8') as f:
            f.write(COPY.replace('T>', kind + '>').replace('xT', 'x' + kind))
        save('x.npy', code, (8, 32), codes)
        save('gold.npy', '<f4', (8, 32), gold)
        ends(0, '--expect=y=gold.npy', '--expect=%t@11=gold.npy', '--dump=' + kind, program, 'x.npy', 'zeros')
        tile, = index_of(kind)['tiles']
        same((tile['type'], tile['npy']), (kind, '<f4'))
        dumped = load(f"{kind}/{tile['file']}")[2]
        need(all(a == b or (math.isnan(a) and math.isnan(b)) for a, b in zip(dumped, gold)), kind)
        ends(0, '--expect=y=x.npy', program, 'x.npy', 'zeros')
        near = [v * 1.01 if abs(v) < 1e38 else v for v in gold]
        save('near.npy', '<f4', (8, 32), near)
        text = ends(1, '--expect=y=near.npy', program, 'x.npy', 'zeros', said='%y differs')
        need('ulp)' in text, text)
        ends(0, '--rtol=0.01', '--expect=y=near.npy', program, 'x.npy', 'zeros')
        ends(0, '--ulp=2', '--expect=y=near.npy', program, 'x.npy', 'zeros')
        save('far.npy', '<f4', (8, 32), [v * 4 if abs(v) < 1e37 else v for v in gold])
        ends(1, '--ulp=1', '--expect=y=far.npy', program, 'x.npy', 'zeros')
        save('half.npy', '<f2', (8, 32), [0.0] * 256)
        ends(1, '--expect=y=half.npy', program, 'x.npy', 'zeros', said=f"'{code[1:]}' (the bits), or 'f4'")


@test
def half_floats():
    """f16 compares with f32 as well"""
    with open('f16.pto', 'w', encoding='utf-8') as f:
        f.write(COPY.replace('T>', 'f16>').replace('xT', 'xf16'))
    save('x.npy', '<f2', (8, 32), [i / 64 for i in range(256)])
    save('gold.npy', '<f4', (8, 32), [i / 64 for i in range(256)])
    ends(0, '--expect=y=x.npy', '--expect=y=gold.npy', '--expect=%t@11=gold.npy', 'f16.pto', 'x.npy', 'zeros')
    save('gold.npy', '<f4', (8, 32), [i / 64 * 1.0002 for i in range(256)])
    ends(1, '--expect=y=gold.npy', 'f16.pto', 'x.npy', 'zeros', said='255 of 256')
    ends(0, '--ulp=1', '--expect=y=gold.npy', 'f16.pto', 'x.npy', 'zeros')
    save('gold.npy', '|u1', (8, 32), [0] * 256)
    ends(1, '--expect=y=gold.npy', 'f16.pto', 'x.npy', 'zeros', said="those of 'f2', or 'f4'")


@test
def hif8():
    """hif8 has numbers of its own"""
    with open('hif8.pto', 'w', encoding='utf-8') as f:
        f.write(COPY.replace('T>', '!pto.hif8>').replace('xT', 'x!pto.hif8'))
    save('x.npy', '|u1', (8, 32), list(range(256)))
    ends(0, '--dump=hif8', 'hif8.pto', 'x.npy', 'zeros')
    gold = load('hif8/' + index_of('hif8')['tiles'][0]['file'])[2]
    same([gold[8], gold[16], gold[0x80 + 8], gold[9]], [1.0, 2.0, -1.0, 1.125])
    need(math.isnan(gold[0x80]) and gold[0x6F] == math.inf, 'NaN and infinity')
    save('gold.npy', '<f4', (8, 32), gold)
    ends(0, '--expect=y=gold.npy', 'hif8.pto', 'x.npy', 'zeros')
    gold[9] = 1.25
    save('gold.npy', '<f4', (8, 32), gold)
    text = ends(1, '--expect=y=gold.npy', 'hif8.pto', 'x.npy', 'zeros')
    need('first [0, 9]: got 1.125, want 1.25, distance 0.125 (1 ulp)' in text, text)
    ends(0, '--ulp=1', '--expect=y=gold.npy', 'hif8.pto', 'x.npy', 'zeros')


# ---- --format=json ----

def schema():
    """docs/run.schema.json with that of a diagnostic in it."""
    with open(os.path.join(SOURCE, 'docs/run.schema.json'), encoding='utf-8') as f:
        text = f.read()
    text = text.replace('diagnostic.schema.json#/', '#/').replace('"diagnostic.schema.json"', '"#/definitions/diagnostic"')
    whole = json.loads(text)
    with open(os.path.join(SOURCE, 'docs/diagnostic.schema.json'), encoding='utf-8') as f:
        diagnostic = json.load(f)
    whole['definitions'].update(diagnostic.pop('definitions'), diagnostic=diagnostic)
    return jsonschema.Draft7Validator(whole)


def report(code, status, *words):
    r = run('--format=json', *words)
    found = json.loads(r.stdout)
    same((r.returncode, found['exit_code'], found['status']), (code, code, status), words)
    if jsonschema is not None:
        schema().validate(found)
    return found


@test
def json_of_runs():
    """results, comparisons, errors and deadlocks"""
    with open('f32.pto', 'w', encoding='utf-8') as f:
        f.write(COPY.replace('T>', 'f32>').replace('xT', 'xf32'))
    found = report(0, 'passed', 'f32.pto', 'iota', '>y.npy')
    same(found['results'], [{'name': 'y', 'file': 'y.npy', 'type': 'f32', 'shape': [8, 32]}])
    same((found['function'], found['error'], found['comparisons'], found['dump']), ('copy', None, [], None))
    gold = load('y.npy')[2]
    gold[37] = math.nan
    save('wrong.npy', '<f4', (8, 32), gold)
    found = report(1, 'differs', '--expect=y=y.npy', '--expect=y=wrong.npy', '--expect=%t@11=wrong.npy', '--dump=j', 'f32.pto', 'iota', 'zeros')
    same(found['shadow'], None)
    gold[0] = math.nan
    save('nan.npy', '<f4', (8, 32), gold)
    shadow = report(0, 'passed', '--shadow=f64', 'f32.pto', 'nan.npy', 'zeros')['shadow']
    same((shadow['not_followed'], [x['statement'] for x in shadow['lines']]), ([], ['pto.tload', 'pto.tstore']))
    same([(x['worst'], x['growth'], x['stored'], x['reference'], x['index'], x['runs'], x['core']) for x in shadow['lines']],
         [(0, 0, 'nan', 'nan', [0, 0], 1, 'vec0')] * 2)
    fine, array, tile = found['comparisons']
    same((fine['name'], fine['wrong'], fine['first']), ('%y', 0, None))
    same((array['wrong'], array['first']['index'], array['first']['got'], array['first']['want'], array['first']['distance']),
         (1, [1, 5], 37, 'nan', None))
    same((tile['name'], tile['line'], tile['block'], tile['core'], tile['iteration']), ('%t', 11, 0, 'vec0', 0))
    same([(s['file'], s['line']) for s in tile['sources']], [('copy.py', 3)])
    same(found['dump'], 'j')
    found = report(1, 'failed', 'f32.pto', 'iota:f32x8', 'zeros')
    same((found['error']['kind'], found['error']['line'], found['error']['sources'][0]['line']), ('runtime', 11, 3))
    found = report(1, 'rejected', 'f32.pto', 'iota:i16x8', 'zeros')
    same((found['error']['kind'], found['error']['line']), ('argument', 1))
    same(report(2, 'trouble', 'gone.pto')['error']['kind'], 'trouble')
    same(report(2, 'trouble', '--dump=k:4', 'f32.pto', 'iota', 'zeros')['diagnostics'][0]['line'], 4)
    found = report(1, 'rejected', os.path.join(SOURCE, 'tests/golden/check/locations.pto'))
    same((found['function'], found['error']), (None, None))
    need(found['diagnostics'][0]['sources'], 'sources')
    with open('dead.pto', 'w', encoding='utf-8') as f:
        f.write('func.func @k() attributes {pto.entry} {\n  pto.section.cube {\n'
                '    pto.sync.wait #pto.pipe<PIPE_FIX>, 1 loc("flash.py":14:3)\n  }\n  return\n}\n')
    found = report(1, 'failed', '--profile=a5', 'dead.pto')
    same((found['error']['kind'], found['error']['line'], found['error']['sources'][0]['file']), ('deadlock', 3, 'flash.py'))


@test
def json_alone():
    """what the program prints does not mix with the object"""
    r = run('--format=json', '--print=%n', SHOWN, 'iota', 'zeros', '3')
    same((json.loads(r.stdout)['status'], r.stderr), ('passed', b'%n, line 23: 3\n'))
    ends(2, '--format=json', '--time', SHOWN, 'iota', 'zeros', '3', said='excludes --list and --time')
    ends(2, '--format=xml', SHOWN, 'iota', 'zeros', '3', said='json or text')
    full = subprocess.run(['sh', '-c', f"'{PTOASM}' run --format=json '{SHOWN}' iota zeros 3 >/dev/full"], env=ENV,
                          capture_output=True, check=False)
    same(full.returncode, 2)


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        for function in TESTS:
            try:
                function()
                tap.ok(True, function.__doc__)
            except Exception as e:  # a wrong shape shows as KeyError, ValueError ...
                tap.ok(False, function.__doc__, f'{type(e).__name__}: {e}')
        os.chdir('/')
    tap.end()


main()
