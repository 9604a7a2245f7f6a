# SPDX-License-Identifier: Apache-2.0
"""The package in python/: what docs/python.md shows, arguments, diagnostics, the cache."""
import math
import os
import re
import struct
import subprocess
import sys

import numpy
import pytest

import ptoasm
from ptoasm import _kernel

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')
GOOD = os.path.join(TOP, 'tests', 'cli', 'good.pto')
SCALARS = os.path.join(TOP, 'tests', 'cli', 'scalars.pto')


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path))
    return tmp_path


def add():
    return ptoasm.compile(GOOD, 'a5')['add']


def test_page(monkeypatch):
    """Everything that docs/python.md shows, in one namespace."""
    monkeypatch.chdir(TOP)
    with open('docs/python.md', encoding='utf-8') as file:
        parts = re.findall(r'^```python\n(.*?)^```$', file.read(), re.M | re.S)
    assert len(parts) == 7
    space = {}
    for part in parts:
        exec(part, space)


def test_call():
    x, y = numpy.arange(256, dtype='float32').reshape(16, 16), numpy.zeros((16, 16), 'float32')
    assert add()(x, y, 0.5) is None
    assert (y == x + 0.5).all()
    add()(s=1, y=y, x=x)
    assert (y == x + 1).all()
    add()(x, out=y, s=2)
    assert (y == x + 2).all()


def test_wrong_arguments():
    k, x, y = add(), numpy.zeros((16, 16), 'float32'), numpy.zeros((16, 16), 'float32')
    for wrong in ((x,), (x, y, 1, 2), (x, [1.0], 1), (x, y.astype('float64'), 1), (x, y, 'one'), (x, y.T[::2], 1)):
        with pytest.raises((TypeError, ValueError)):
            k(*wrong)
    with pytest.raises(TypeError, match='no parameter %q'):
        k(x, y, q=1)
    with pytest.raises(TypeError, match='float32'):
        k(x, y.astype('>f4'), 1)
    y.flags.writeable = False
    with pytest.raises(ValueError, match='cannot be written'):
        k(x, y, 1)


def test_profiles():
    for name in ('a2a3', 'a3', 'A2'):
        assert 'add' in ptoasm.compile(GOOD, name)
    text = open(GOOD).read()
    assert ptoasm.check(text, 'all') == ptoasm.check(text, 'cpu,a3,a5')
    for wrong in ('all', 'a3,a5'):
        with pytest.raises(ValueError, match='one profile: cpu, a2a3 or a5'):
            ptoasm.compile(GOOD, wrong)
    with pytest.raises(ValueError, match=r"no profile 'a4'; there are cpu, a2a3 \(a2, a3\), a5 and all"):
        ptoasm.check(text, 'a4')
    with pytest.raises(TypeError, match='takes 3 arguments, not 1: %x, %y, %s'):
        add()(1)


def test_read_only_inputs():
    x, y = numpy.ones((16, 16), 'float32'), numpy.zeros((16, 16), 'float32')
    x.flags.writeable = False
    add()(x, y, 1)
    assert (y == 2).all() and (x == 1).all()


def test_grid():
    x, y = numpy.ones((16, 16), 'float32'), numpy.zeros((16, 16), 'float32')
    for wrong in (-1, 2 ** 31, 2 ** 64 + 1, 1.5):
        with pytest.raises(ValueError, match='blocks'):
            add()(x, y, 1, grid=wrong)
    add()(x, y, 1, grid=0)
    assert (y == 0).all()


def test_not_utf8(tmp_path):
    with open(GOOD, 'rb') as file:
        text = b'// \xff\xfe\n' + file.read()
    path = tmp_path / 'odd.pto'
    path.write_bytes(text)
    assert 'add' in ptoasm.compile(path)
    program = text.decode('utf-8', 'surrogateescape')
    assert ptoasm.check(program) == []
    assert ptoasm.format(program).encode('utf-8', 'surrogateescape').startswith(b'// \xff\xfe\n')
    assert ptoasm.fix(program) == program


def test_installation(tmp_path):
    """A prefix whose libraries are in the folder of the architecture, as on Debian."""
    built = os.environ['PTOASM_RUNTIME']
    libraries = tmp_path / 'lib' / getattr(sys.implementation, '_multiarch', 'none')
    libraries.mkdir(parents=True)
    (tmp_path / 'include').mkdir()
    for folder, name in (('api', 'libptoasm.so'), ('runtime', 'libptort.so')):
        (libraries / name).symlink_to(os.path.realpath(os.path.join(built, folder, name)))
    for name in os.listdir(os.path.join(built, 'cli')):
        if name.startswith('ptort'):
            (tmp_path / 'include' / name).symlink_to(os.path.join(built, 'cli', name))
    code = 'import ptoasm; from ptoasm import _kernel; print(ptoasm.version(), _kernel.runtime().path)'
    done = subprocess.run([sys.executable, '-c', code], env=dict(os.environ, PTOASM_RUNTIME=str(tmp_path)),
                          stdout=subprocess.PIPE, check=True)
    assert str(libraries) in done.stdout.decode()


def test_leaving_an_array():
    x = numpy.zeros((16, 16), 'float32')
    with pytest.raises(ptoasm.KernelError, match=r'good.pto:\d+: pto.tstore: the view reaches outside') as error:
        add()(x, x[:4].copy(), 1)
    assert error.value.code == 1
    add()(x, x.copy(), 1)    # and the next call is fine


def test_integers():
    out = numpy.zeros(4, 'int64')
    k = ptoasm.compile(SCALARS)['all']
    k(out, -5, -128, 65535, 0x7FFFFFFF, True)
    assert list(out) == [-5, -128, 2147483647, 1]
    for wrong in ((0, 256, 0, 0, 0), (0, 0, -40000, 0, 0), (0, 0, 0, 1 << 32, 0), (2 ** 64 - 1, 0, 0, 0, 0), (0.5, 0, 0, 0, 0)):
        with pytest.raises(ValueError):
            k(out, *wrong)


def test_halves():
    h, b, d = numpy.zeros(1, 'float16'), numpy.zeros(1, 'uint16'), numpy.zeros(1, 'float64')
    ptoasm.compile(SCALARS)['floats'](h, b, d, 1.00048828125, -3.140625, -math.inf)
    assert h[0] == 1 and b[0] == 0xC049 and d[0] == -math.inf


def test_bf16_is_rounded_once():
    for bits in list(range(0, 0x7F80, 37)) + [0, 1, 0x7F7E]:
        low, high = (struct.unpack('<f', struct.pack('<I', (bits + i) << 16))[0] for i in (0, 1))
        middle = (low + high) / 2 if high != math.inf else math.nan
        if middle != middle:
            continue
        even = bits + (bits & 1)
        assert _kernel._bits_of_bf16(low) == bits
        assert _kernel._bits_of_bf16(middle) == even
        assert _kernel._bits_of_bf16(middle * (1 + 2 ** -50)) == bits + 1 or middle == 0
        assert _kernel._bits_of_bf16(middle * (1 - 2 ** -50)) == bits
        assert _kernel._bits_of_bf16(-low) == bits | 0x8000
    assert _kernel._bits_of_bf16(math.inf) == 0x7F80 and _kernel._bits_of_bf16(1e300) == 0x7F80
    assert _kernel._bits_of_bf16(math.nan) == 0x7FC0


def test_diagnostics():
    text = 'func.func @k() {\n  %a = pto.alloc_tlie : !pto.tile_buf<vec, 16x16xf32>\n  return\n}\n'
    [problem] = ptoasm.check(text, name='k.pto')
    assert str(problem).startswith('k.pto:2:')
    assert problem.severity == 'error'
    assert text.encode()[problem.place.offset:].startswith(b'pto.alloc_tlie')
    with pytest.raises(ptoasm.Error) as error:
        ptoasm.compile(text)
    assert '^~~' in str(error.value) and error.value.diagnostics[0].id == problem.id
    assert problem.edits == () and ptoasm.fix(text, all=True) == text   # a guess is the author's to make
    [guess] = problem.guesses
    start, end = guess.place.offset, guess.place.offset + guess.place.length
    assert text[:start] + guess.text + text[end:] == text.replace('tlie', 'tile') == ptoasm.fix(text, guesses=True)
    wrong = text.replace('pto.alloc_tlie', 'PTO.alloc_tile')
    assert ptoasm.check(wrong)[0].edits and ptoasm.check(ptoasm.fix(wrong, all=True)) == []


def test_forms():
    text = open(GOOD, encoding='utf-8').read()
    assert ' -> ' in ptoasm.format(text, 'ssa')
    with pytest.raises(ValueError):
        ptoasm.format(text, 'other')
    with pytest.raises(ValueError):
        ptoasm.check(text, 'a4')
    with pytest.raises(KeyError):
        ptoasm.explain('nothing')
    assert ptoasm.explain('elem-type')['severity'] == 'error'
    assert ptoasm.check('func.func @k(\x00')


def test_cache(cache):
    add()
    [made] = [name for name in os.listdir(cache / 'ptoasm')]
    before = os.stat(cache / 'ptoasm' / made).st_mtime_ns
    add()
    assert os.listdir(cache / 'ptoasm') == [made] and os.stat(cache / 'ptoasm' / made).st_mtime_ns == before
    ptoasm.compile(GOOD, 'a5', checked=False)
    assert len(os.listdir(cache / 'ptoasm')) == 2
    with pytest.raises(FileNotFoundError):
        ptoasm.compile(GOOD, 'a2a3', cc='nonesuch')
    with pytest.raises(RuntimeError, match='failed'):
        ptoasm.compile(GOOD, 'cpu', cc='false')
    assert len(os.listdir(cache / 'ptoasm')) == 2


def test_assert_kernel():
    x, y = numpy.ones((16, 16), 'float32'), numpy.zeros((16, 16), 'float32')

    def right(x, y, s):
        y[:] = x + s

    def wrong(x, y, s):
        y[:] = x - s
    ptoasm.assert_kernel(add(), right, x, y, 0.5)
    with pytest.raises(AssertionError, match='%y'):
        ptoasm.assert_kernel(add(), wrong, x, y, 0.5)
    ptoasm.assert_kernel(add(), wrong, x, y, 0.5, only=['x'])
    with pytest.raises(AssertionError):
        ptoasm.assert_kernel(add(), wrong, x, y, 0.5, only=['y'])
    with pytest.raises(ValueError, match='no array %s'):
        ptoasm.assert_kernel(add(), right, x, y, 0.5, only=['s'])
    assert (y == 0).all()


def test_import_needs_no_numpy():
    code = 'import sys, ptoasm; ptoasm.check("x"); assert "numpy" not in sys.modules'
    assert subprocess.run([sys.executable, '-c', code], check=False).returncode == 0


# ---- diagnostics, lints, maps ----

LOCATED = """func.func @f(%s: i8) {
  %t = pto.alloc_tile : !pto.tile_buf<vec, 32x32xi8> loc("x.py":3)
  pto.tadds ins(%t, %s : !pto.tile_buf<vec, 32x32xi8>, i8) outs(%t : !pto.tile_buf<vec, 32x32xi8>) loc(#a)
  return
} loc("f.py":1:1)
#a = loc(callsite("y"("x.py":4:5) at "main.py":9:2))
func.func @f() {
  return
}
"""


def test_parts_of_diagnostics():
    first, second = ptoasm.check(LOCATED)
    assert (first.operand, first.expected, first.found) == ('src', 'i16, i32, f16 or f32', 'element type i8')
    assert first.sources == (('x.py', 4, 5, 'y', "generated from here ('y')"), ('main.py', 9, 2, '', 'called from here'))
    assert (second.operand, second.sources) == (None, ())
    assert second.notes[0].sources == (('f.py', 1, 1, '', 'generated from here'),)


def test_lint_and_level():
    text = 'func.func @f() {\n  %t = pto.alloc_tile : !pto.tile_buf<vec, 32x32xf32>\n  return\n}\n'
    assert ptoasm.check(text) == []
    assert [d.id for d in ptoasm.check(text, lint=True)] == ['unused-tile']
    assert ptoasm.check(text, level=2) == []
    assert {d.severity for d in ptoasm.check(text, level=3)} == {'error'}
    with pytest.raises(ptoasm.Error):
        ptoasm.compile(text, level=3)
    with pytest.raises(ptoasm.Error):
        ptoasm.emit_c(text, level=3)


def test_map():
    with open(GOOD, encoding='utf-8') as file:
        text = file.read()
    a, b = ptoasm.map(text, 'a2a3')
    assert (a.function, a.name, a.space, a.address, a.bytes, a.first_line, a.last_line) == ('add', 'a', 'vec', 0, 1024, 13, 14)
    assert (b.name, b.bound, b.capacity) == ('b', False, 196608)
    assert all(slot.capacity == -1 for slot in ptoasm.map(text, 'cpu'))
    with pytest.raises(ptoasm.Error):
        ptoasm.map(LOCATED)
    assert ptoasm.map('func.func @f() {\n  return\n}\n') == []


# ---- looking inside ----

def test_dump():
    k = ptoasm.compile(GOOD, 'a5', dump=True)['add']
    x, y = numpy.arange(256, dtype='float32').reshape(16, 16), numpy.zeros((16, 16), 'float32')
    for s in (0.5, 2):
        k(x, y, s)
        assert [(t.value, t.line, t.block, t.core, t.iteration) for t in k.tiles] == [
            ('%a', 13, 0, 'vec0', 0), ('%b', 14, 0, 'vec0', 0)]
        assert (k.tiles[0].array == x).all() and (k.tiles[1].array == x + s).all()
        assert k.tiles[1][5:9] == ('f32', (16, 16), 'vec', 'row_major/none_box')
    k(x, y, 1, grid=3)
    assert sorted((t.line, t.block) for t in k.tiles) == [(line, block) for line in (13, 14) for block in (0, 1, 2)]
    one = ptoasm.compile(GOOD, 'a5', dump=[14])['add']
    one(x, y, 1)
    assert [t.line for t in one.tiles] == [14]
    assert add().tiles == []
    with pytest.raises(ptoasm.Error, match='no statement in line 3 defines a tile'):
        ptoasm.compile(GOOD, 'a5', dump=[3])
    for wrong in ([], [0], [-1]):
        with pytest.raises(ValueError):
            ptoasm.compile(GOOD, 'a5', dump=wrong)
    with pytest.raises(ptoasm.KernelError):
        k(x[:4], y, 1)
    assert k.tiles is not None


def test_dump_of_narrow_floats():
    with open(GOOD, encoding='utf-8') as file:
        text = file.read()
    text = text.replace('pto.tadds ins(%a, %s : !pto.tile_buf<vec, 16x16xf32>, f32)', 'pto.tmov ins(%a : !pto.tile_buf<vec, 16x16xf32>)')
    codes = numpy.arange(512, dtype='uint16').reshape(16, 32)
    for kind, dtype in (('bf16', 'uint16'), ('f8E4M3', 'uint8'), ('f8E5M2', 'uint8')):
        k = ptoasm.compile(text.replace('xf32', 'x' + kind).replace('ptr<f32', 'ptr<' + kind).replace('16x16', '16x32').replace(
            '%c16, %c1]', '%c32, %c1]').replace('[%c16, %c16]', '[%c16, %c32]').replace('%c256 = arith.constant 256', '%c32 = arith.constant 32'),
            'cpu', dump=[13])['add']
        bits = (codes * (97 if kind == 'bf16' else 1)).astype(dtype)
        k(bits, numpy.zeros_like(bits), 0)
        tile, = k.tiles
        assert tile.array.dtype == 'float32' and tile.type == kind
        if kind == 'bf16':
            want = (bits.astype('uint32') << 16).view('float32')
        else:
            e, m = (4, 3) if kind == 'f8E4M3' else (5, 2)
            want = numpy.array([[value8(int(c), e, m) for c in row] for row in bits], 'float32')
        assert ((tile.array == want) | ((tile.array != tile.array) & (want != want))).all()


def value8(code, exponent, mantissa):
    e, m = code >> mantissa & (1 << exponent) - 1, code & (1 << mantissa) - 1
    bias = (1 << exponent - 1) - 1
    if exponent == 5 and e == 31:
        v = math.nan if m else math.inf
    elif exponent == 4 and e == 15 and m == 7:
        v = math.nan
    else:
        v = (m + (1 << mantissa if e else 0)) * 2.0 ** (max(e, 1) - bias - mantissa)
    return -v if code & 128 else v


def test_print():
    """The text goes to the standard output of the process."""
    code = ('import numpy, ptoasm\nk = ptoasm.compile(%r, "a5", print=["%%b@15", "s"])["add"]\n'
            'x = numpy.ones((16, 16), "float32")\nk(x, x.copy(), 2)\n' % GOOD)
    out = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, check=True).stdout
    assert '%b, line 15: 16x16xf32 in vec' in out and '%s, line 16: 2' in out
    for wrong in ('', '%', '%b@', '%b@x', '%b@0'):
        with pytest.raises(ValueError):
            ptoasm.compile(GOOD, 'a5', print=[wrong])
    with pytest.raises(ptoasm.Error, match='there is no %q'):
        ptoasm.compile(GOOD, 'a5', print=['%q'])


def test_lines_of_the_author():
    with open(GOOD, encoding='utf-8') as file:
        text = re.sub(r'(pto.tload .*)', r'\1 loc("add.py":7:3)', file.read(), count=1)
    x, y = numpy.ones((16, 16), 'float32'), numpy.zeros((16, 16), 'float32')
    k = ptoasm.compile(text, 'a5', dump=True, sanitize='all')['add']
    k(x, y, 1)
    assert [source[:3] for source in k.sources(k.tiles[0].line)] == [('add.py', 7, 3)]
    assert 'add.py' in {source.file for f in k.findings for source in k.sources(f.other)}
    assert k.sources(1) == k.sources(0) == k.sources(10 ** 6) == ()
    with pytest.raises(ptoasm.KernelError) as error:
        k(x[:8], y, 1)
    assert [source[:3] for source in error.value.sources] == [('add.py', 7, 3)]
    with pytest.raises(ptoasm.KernelError) as error:
        k(x, y[:8], 1)
    assert error.value.sources == ()


def test_unknown_kernel():
    kernels = ptoasm.compile(GOOD, 'a5')
    with pytest.raises(KeyError, match="no kernel 'sub'; there are add"):
        kernels['sub']
    assert kernels.get('sub') is None and 'sub' not in kernels


def test_sanitize():
    x, y = numpy.ones((16, 16), 'float32'), numpy.zeros((16, 16), 'float32')
    k = ptoasm.compile(GOOD, 'a5', sanitize=True)['add']
    k(x, y, 1)
    assert k.findings == [] and (y == 2).all()
    with open(GOOD, encoding='utf-8') as file:
        text = file.read()
    load = next(line for line in text.splitlines(True) if 'pto.tload' in line)
    bad = ptoasm.compile(text.replace(load, '\n'), 'a5', sanitize=True)['add']
    bad(x, y, 1)
    assert [(f.id, f.line, f.other, f.block, f.core, f.bytes) for f in bad.findings] == [
        ('uninit-tile', 14, 0, 0, 'vec0', 1024)]
    k(x, y, 1, grid=3)   # all blocks store to one place
    assert [(f.id, f.line, f.other) for f in k.findings] == [('memory-race', 15, 15)]
    raced = ptoasm.compile(GOOD, 'a5', sanitize='all')['add']
    raced(x, y, 1)
    assert {f.id for f in raced.findings} == {'sync-race'} and all(f.note for f in raced.findings)
    both = ptoasm.compile(GOOD, 'a5', sanitize=True, dump=True)['add']
    both(x, y, 1)
    assert both.findings == [] and len(both.tiles) == 2
    with pytest.raises(ValueError):
        ptoasm.compile(GOOD, 'a5', sanitize='weak')
    assert [f for f in ptoasm.compile(GOOD, 'a5')['add'].findings] == []


def test_ulp():
    a = numpy.array([1, 0.0, -0.0, numpy.nan, numpy.nan, 1, numpy.inf], 'float32')
    b = numpy.array([numpy.nextafter(numpy.float32(1), numpy.float32(2)), -0.0, 1e-45, numpy.nan, 1, -1, numpy.inf], 'float32')
    most = numpy.iinfo('uint64').max
    assert ptoasm.ulp(a, b).tolist() == [1, 0, 1, 0, most, 2 * 0x3F800000, 0]
    assert ptoasm.ulp(numpy.float64(-1.7e308), numpy.float64(1.7e308)) > 2 ** 63
    assert ptoasm.ulp(numpy.float16(1), numpy.float16(1.001)) == 1
    for wrong in ((a, b.astype('float64')), (numpy.array([1]), numpy.array([1]))):
        with pytest.raises(TypeError):
            ptoasm.ulp(*wrong)

    def near(x, y, s):
        y[:] = numpy.nextafter(x + numpy.float32(s), numpy.float32(9e9))
    x, y = numpy.ones((16, 16), 'float32'), numpy.zeros((16, 16), 'float32')
    ptoasm.assert_kernel(add(), near, x, y, 0.5, ulp=1)
    with pytest.raises(AssertionError):
        ptoasm.assert_kernel(add(), near, x, y, 0.5)


def test_command_line():
    """`python -m ptoasm` is the program."""
    def module(*words):
        return subprocess.run([sys.executable, '-m', 'ptoasm', *words], capture_output=True, text=True, check=False)
    assert module('check', GOOD).returncode == 0
    bad = module('check', os.path.join(TOP, 'tests', 'golden', 'check', 'locations.pto'))
    assert bad.returncode == 1 and 'silu.py:129:5: note: generated from here' in bad.stderr
    assert module('run', GOOD, 'ones', 'zeros', '1').returncode == 0
    assert module('--version').stdout.split()[1] == ptoasm.version()
    assert module('nonsense').returncode == 2


def test_registers():
    """Micro-instructions: a grid, and a register handed out."""
    program = os.path.join(TOP, 'samples', 'softmax', 'softmax_micro.pto')
    with open(program, encoding='utf-8') as file:
        line = next(i for i, text in enumerate(file, 1) if '%larger = ' in text)
    kernel = ptoasm.compile(program, 'a5', dump=[line])['softmax']
    x, y = numpy.random.default_rng(1).random((20, 128), 'float32'), numpy.zeros((20, 128), 'float32')
    kernel(x, y, 20, grid=2)
    e = numpy.exp(x - x.max(1, keepdims=True))
    assert numpy.allclose(y, e / e.sum(1, keepdims=True), rtol=1e-5)
    registers = [t for t in kernel.tiles if t.value == '%larger']
    assert len(registers) == 20
    assert any((t.array.reshape(-1) == numpy.maximum(x[0, :64], x[0, 64:])).all() for t in registers)
