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
    assert len(parts) == 4
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
    assert problem.edits and ptoasm.check(ptoasm.fix(text, guesses=True)) == []


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
    assert (y == 0).all()


def test_import_needs_no_numpy():
    code = 'import sys, ptoasm; ptoasm.check("x"); assert "numpy" not in sys.modules'
    assert subprocess.run([sys.executable, '-c', code], check=False).returncode == 0
