# SPDX-License-Identifier: Apache-2.0
"""Kernels: emitted, compiled by tcc or cc as a child process, kept by content, loaded and called."""
from __future__ import annotations

import ctypes
import os
import re
import struct
import sys
from ctypes import byref, c_char_p, c_int, c_int64, c_uint64, c_void_p

from ._elements import ELEMENTS
from ._inside import collect, requests, sync_bits, watch
from ._inside import ulp as distances
from ._library import TYPE_CHECKING, KernelInfo, ParamInfo, Result, library, library_folders, one_profile, shared_library
from ._library import text_of

if TYPE_CHECKING:
    from typing import Callable, Dict, Iterator, List, Optional, Sequence, Tuple, Union

    from ._inside import Finding, Tile
    from ._library import Source

POINTER_KIND, SCALAR_KIND = 1, 0
MOST_BLOCKS = 2 ** 31 - 1   # as for `ptoasm run`
C_TYPES = {'float': ctypes.c_float, 'double': ctypes.c_double, 'bool': ctypes.c_bool, 'int8_t': ctypes.c_int8,
           'int16_t': ctypes.c_int16, 'int32_t': ctypes.c_int32, 'int64_t': ctypes.c_int64,
           'uint8_t': ctypes.c_uint8, 'uint16_t': ctypes.c_uint16, 'uint32_t': ctypes.c_uint32,
           'uint64_t': ctypes.c_uint64, 'ptrt_f16': ctypes.c_uint16, 'ptrt_bf16': ctypes.c_uint16}
SIZES = {'float': 4, 'double': 8, 'bool': 1, 'int8_t': 1, 'int16_t': 2, 'int32_t': 4, 'int64_t': 8, 'uint8_t': 1,
         'uint16_t': 2, 'uint32_t': 4, 'uint64_t': 8, 'ptrt_f16': 2, 'ptrt_bf16': 2}


class KernelError(Exception):
    """A kernel ended with an error; `code` is that of ptort.h. The text has the line of the program, and `sources` the
    author's lines that it was made from."""

    def __init__(self, text: str, code: int, sources: Tuple[Source, ...] = ()):
        super().__init__(text or 'ended with code %d' % code)
        self.code, self.sources = code, sources


# ---- the runtime ----

class _Runtime:
    def __init__(self, include: str, path: str):
        self.include, self.path = include, path
        self.library = ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL)
        self.library.ptrt_error.restype = c_char_p
        self.library.ptrt_region_add.argtypes = [c_void_p, c_uint64]
        self.library.ptrt_region_clear.restype = None


_runtime: Optional[_Runtime] = None


def _library_folder() -> str:
    """Of the libptoasm.so that is loaded."""
    with open('/proc/self/maps', encoding='utf-8', errors='replace') as maps:
        for line in maps:
            path = line.rstrip('\n').partition('/')[2]
            if os.path.basename(path).startswith('libptoasm.so'):
                return os.path.dirname('/' + path)
    return ''


def _places() -> Iterator[Tuple[str, str]]:
    """Pairs of folders: of ptort_emitted.h, and of libptort.so."""
    given, folder = os.environ.get('PTOASM_RUNTIME'), _library_folder()
    if given:
        for include, path in [('include', lib) for lib in library_folders()] + [('', ''), ('cli', 'runtime')]:
            yield os.path.join(given, include), os.path.join(given, path)
    for include in ('../include', '../../include'):
        yield os.path.join(folder, include), folder
    yield os.path.join(folder, '../cli'), os.path.join(folder, '../runtime')


def runtime() -> _Runtime:
    """libptort, loaded at the first use."""
    global _runtime
    library()
    if _runtime is None:
        for include, folder in _places():
            path = shared_library(folder, 'libptort.so')
            if path and os.path.exists(os.path.join(include, 'ptort_emitted.h')):
                _runtime = _Runtime(include, path)
                break
        else:
            raise ImportError('libptort.so and ptort_emitted.h were not found; set PTOASM_RUNTIME to their folder')
    return _runtime


# ---- compiling ----

# subprocess, tempfile, shutil and hashlib take longer to import than a kernel to compile.

def _find_program(name: str) -> Optional[str]:
    if os.path.dirname(name):
        return name
    for folder in os.get_exec_path():
        path = os.path.join(folder, name)
        if os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    return None


def _compiler(cc: Optional[str]) -> List[str]:
    words = (cc or os.environ.get('CC', '')).split()
    for name in words[:1] or ('tcc', 'cc'):
        path = _find_program(name)
        if path:
            return [path] + words[1:]
    raise FileNotFoundError('there is no C compiler %s; cc= names another' % ' or '.join(words[:1] or ('tcc', 'cc')))


def _run(words: List[str], log: str) -> int:
    """Runs a program to its end; what it prints goes into the file `log`. Returns its exit code."""
    actions = [(os.POSIX_SPAWN_OPEN, 1, log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600),
               (os.POSIX_SPAWN_DUP2, 1, 2)]
    status = os.waitpid(os.posix_spawn(words[0], words, os.environ, file_actions=actions), 0)[1]
    return os.WEXITSTATUS(status) if os.WIFEXITED(status) else -os.WTERMSIG(status)


def _digest(text: str) -> str:
    try:
        from _blake2 import blake2b   # hashlib loads OpenSSL first
    except ImportError:
        from hashlib import blake2b
    return blake2b(text.encode('utf-8', 'surrogateescape'), digest_size=32).hexdigest()


def _cache_folder() -> str:
    base = os.environ.get('XDG_CACHE_HOME') or os.path.join(os.path.expanduser('~'), '.cache')
    folder = os.path.join(base, 'ptoasm')
    os.makedirs(folder, mode=0o700, exist_ok=True)
    return folder


def _stamp(path: str) -> str:
    status = os.stat(path)
    return '%s %d %d' % (path, status.st_size, status.st_mtime_ns)


def _build(text: str, cc: Optional[str]) -> str:
    """The shared object of a C text, from the cache or made now."""
    words, rt = _compiler(cc), runtime()
    key = '\0'.join([text, ' '.join(words), _stamp(rt.path), _stamp(os.path.join(rt.include, 'ptort_emitted.h'))])
    target = os.path.join(_cache_folder(), _digest(key) + '.so')
    if os.path.exists(target):
        return target
    # Names of this call alone: other processes and threads may make the same target.
    source, made, log = ['%s.%s.%s' % (target, os.urandom(8).hex(), end) for end in ('c', 'so', 'log')]
    try:
        with open(source, 'w', encoding='utf-8', errors='surrogateescape') as file:
            file.write(text)
        options = ['-std=c11', '-O2', '-shared', '-fPIC', '-I' + rt.include, '-o', made, source]
        if _run(words + options, log) != 0:
            with open(log, encoding='utf-8', errors='replace') as file:
                raise RuntimeError('the C compiler %s failed:\n%s' % (words[0], file.read()))
        os.replace(made, target)
    finally:
        for path in (source, made, log):
            if os.path.exists(path):
                os.remove(path)
    return target


# ---- arguments ----

def _bits_of_f16(value: float) -> int:
    try:
        return struct.unpack('<H', struct.pack('<e', value))[0]
    except OverflowError:
        return 0xFC00 if value < 0 else 0x7C00


def _bits_of_bf16(value: float) -> int:
    """To nearest even, by way of f32, whose last bit is made odd when it is not exact."""
    if value != value:
        return 0x7FC0
    try:
        single = struct.unpack('<f', struct.pack('<f', value))[0]
    except OverflowError:
        return 0xFF80 if value < 0 else 0x7F80
    bits = struct.unpack('<I', struct.pack('<f', value))[0]
    if single != value and bits & 1 == 0:
        bits = bits - 1 if abs(single) > abs(value) else bits | 1
    return min(bits + 0x7FFF + (bits >> 16 & 1), 0xFFFFFFFF) >> 16 if bits & 0x7F800000 != 0x7F800000 else bits >> 16


def _dtype_of(elem: str) -> Optional[str]:
    """What numpy, with ml_dtypes, calls a type of floats. All spellings of E4M3 compute alike, and those of E5M2 do."""
    if elem == 'bf16':
        return 'bfloat16'
    dtype, form = ELEMENTS.get(elem, ('', None))
    if form is not None:
        return 'float8_' + form.name[2:]
    return dtype if dtype.startswith('float') else None


class _Param:
    def __init__(self, info: ParamInfo):
        self.name, self.type, self.elem = text_of(info.name), text_of(info.type), text_of(info.elem)
        self.kind, self.c_type, self.line = info.kind, text_of(info.c_type), info.line

    def scalar(self, value):
        if self.c_type == 'ptrt_f16':
            return _bits_of_f16(float(value))
        if self.c_type == 'ptrt_bf16':
            return _bits_of_bf16(float(value))
        if self.c_type in ('float', 'double'):
            return float(value)
        if self.c_type == 'bool':
            return bool(value)
        number, bits = int(value), 8 * SIZES[self.c_type]
        most = 1 << bits - (self.type == 'index')   # an integer without a sign may be given as either
        if number != value or not -(1 << bits - 1) <= number < most:
            raise ValueError('%%%s: %r is not a number that %s can take' % (self.name, value, self.type))
        return number

    def array(self, value):
        """Address and bytes of an array of numpy, or of anything else that has its interface."""
        if not hasattr(value, '__array_interface__'):
            raise TypeError('%%%s is %s: an array of numpy is wanted, not %s' % (self.name, self.type,
                                                                                type(value).__name__))
        if not value.flags.c_contiguous:
            raise ValueError('%%%s: the array is not contiguous in row-major order' % self.name)
        self._same_type(value.dtype)
        return value.ctypes.data, value.nbytes

    def _same_type(self, dtype):
        size = SIZES[self.c_type]
        width = ''.join(c for c in self.elem if c.isdigit())
        names = {_dtype_of(self.elem), 'uint%d' % (8 * size)}
        if self.elem.startswith(('i', 'si', 'ui')):
            names |= {'int' + width} if not self.elem.startswith('ui') else set()
        if dtype.name not in names or dtype.byteorder == ('>' if sys.byteorder == 'little' else '<'):
            raise TypeError('%%%s is %s: an array of %s is wanted, not %s' % (
                self.name, self.type, ' or '.join(sorted(n for n in names if n)), dtype))


# ---- kernels ----

class Kernel:
    """A function of a program, to be called with arrays and numbers, by position or by name."""

    def __init__(self, code: ctypes.CDLL, info: KernelInfo, params: List[_Param], checked: bool, inside: bool = False,
                 sanitize: Union[bool, str] = False, result: Optional[Result] = None):
        self._result = result
        self.name, self.params, self._checked, self._inside = text_of(info.name), params, checked, inside
        self.tiles: List[Tile] = []   # of the last call, with compile(.., dump=)
        self.findings: List[Finding] = []   # of the last call, with compile(.., sanitize=)
        self._sanitize = sanitize
        self._function = getattr(code, text_of(info.grid))
        self._function.restype = c_int
        self._function.argtypes = [c_int64] + [
            c_void_p if p.kind == POINTER_KIND else C_TYPES[p.c_type] for p in params]

    def __repr__(self) -> str:
        return '<ptoasm.Kernel @%s(%s)>' % (self.name, ', '.join('%%%s: %s' % (p.name, p.type) for p in self.params))

    def sources(self, line: int) -> Tuple[Source, ...]:
        """The author's lines that the statement in a line of the program was made from, as its loc(...) says; for the
        lines of tiles and findings."""
        return self._result.sources_of_line(line) if self._result else ()

    def _match(self, args, named) -> List[object]:
        names, values = [p.name for p in self.params], dict(named)
        rest = list(args)
        if 'out' in values and 'out' not in names:
            rest.append(values.pop('out'))
        unknown = [name for name in values if name not in names]
        if unknown:
            raise TypeError('@%s has no parameter %s; there are %s' % (
                self.name, ', '.join('%' + name for name in unknown), ', '.join('%' + name for name in names)))
        if len(rest) + len(values) != len(names):
            raise TypeError('@%s takes %d arguments, not %d: %s' % (
                self.name, len(names), len(rest) + len(values), ', '.join('%' + name for name in names)))
        return [values[name] if name in values else rest.pop(0) for name in names]

    def __call__(self, *args, grid: int = 1, **named) -> None:
        """Runs `grid` blocks. An array given as `out` takes the place of the next parameter without an argument."""
        if int(grid) != grid or not 0 <= grid <= MOST_BLOCKS:
            raise ValueError('a grid of %r blocks: from 0 to %d are possible' % (grid, MOST_BLOCKS))
        values, regions, kept = [int(grid)], [], []
        for param, value in zip(self.params, self._match(args, named)):
            if param.kind == POINTER_KIND:
                region = param.array(value)
                if not value.flags.writeable:   # the kernel gets a copy, which has to stay as it is
                    kept.append((param, value, value.copy()))
                    region = param.array(kept[-1][2])
                regions.append(region)
                values.append(region[0])
            else:
                values.append(param.scalar(value))
        lib = runtime().library
        if self._checked:
            lib.ptrt_region_add(None, 0)
            for address, size in regions:
                lib.ptrt_region_add(address, size)
        try:
            if self._inside:
                code, self.tiles = collect(lib, lambda: self._watched(lib, values, regions))
            else:
                code = self._watched(lib, values, regions)
        finally:
            if self._checked:
                lib.ptrt_region_clear()
        if code != 0:
            text = text_of(lib.ptrt_error())
            place = re.match(r'[^\n]*?:(\d+): ', text)
            raise KernelError(text, code, self.sources(int(place.group(1))) if place else ())
        for param, value, copy in kept:
            if value.tobytes() != copy.tobytes():
                raise ValueError('%%%s: the array cannot be written' % param.name)


    def _watched(self, lib: ctypes.CDLL, values: List[object], regions: List[Tuple[int, int]]) -> int:
        """Makes the call, with the sanitizer if it is wanted."""
        if self._sanitize is False:
            return self._function(*values)
        names = [p.name for p in self.params if p.kind == POINTER_KIND]
        memory = [('%' + name, address, size) for name, (address, size) in zip(names, regions)]
        strict = 'strict' in str(self._sanitize)
        code, self.findings = watch(lib, memory, strict, lambda: self._function(*values))
        return code


class Module(dict[str, Kernel]):
    """The kernels of a program by name."""

    def __missing__(self, name: str) -> Kernel:
        raise KeyError('no kernel %r; there are %s' % (name, ', '.join(self) or 'none'))


def compile(program: str, profile: Optional[str] = None, *, checked: bool = True, cc: Optional[str] = None,
            name: Optional[str] = None, level: int = 0, print: Sequence[str] = (),
            dump: Union[bool, Sequence[int]] = False, sanitize: Union[bool, str] = False) -> Module:
    """Kernels of a program, a text or the path of a file. With `checked` a kernel that leaves its arrays ends with a
    KernelError. A call prints the values in `print`, `%v` or `%v@LINE`, as `ptoasm run --print` does; with `dump`, True
    or a list of lines, Kernel.tiles has every tile that a statement of the last call defined; with `sanitize`,
    Kernel.findings has what `ptoasm run --sanitize` finds (True, or what --sync takes). Error when the program is
    rejected."""
    program = os.fspath(program)
    if '\n' not in program and program.endswith('.pto'):
        name = name or program
        with open(program, encoding='utf-8', errors='surrogateescape') as file:
            program = file.read()
    wishes = requests(print, dump)
    result = Result(program, name or '<text>', one_profile(profile), level, call='emit', sync=sync_bits(sanitize) & 1,
                    emit={'checked': checked, 'sanitize': sanitize is not False, **wishes})
    result.raise_errors()
    code, module, lib, index, info = None, Module(), library(), 0, KernelInfo()
    code = ctypes.CDLL(_build(result.text(), cc))
    while lib.ptoasm_kernel_get(result.handle, index, byref(info), ctypes.sizeof(info)):
        params = []
        for p in range(info.params):
            row = ParamInfo()
            lib.ptoasm_param_get(result.handle, index, p, byref(row), ctypes.sizeof(row))
            params.append(_Param(row))
        if all(p.kind == POINTER_KIND or (p.kind == SCALAR_KIND and p.c_type in C_TYPES) for p in params):
            module[text_of(info.name)] = Kernel(code, info, params, checked, bool(wishes), sanitize, result)
        index += 1
    return module


def assert_kernel(kernel: Kernel, reference: Callable, *args, rtol: float = 0, atol: float = 0, ulp: int = 0,
                  grid: int = 1, only: Sequence[str] = ()) -> None:
    """For tests: runs the kernel with copies of the arguments, and the reference with others; every array, or those of
    the parameters in `only`, must then be the same, up to the tolerances of numpy.testing.assert_allclose, or each
    element at most `ulp` numbers of its type away. The reference changes its arrays in place."""
    import numpy
    got = [a.copy() if hasattr(a, 'copy') else a for a in args]
    want = [a.copy() if hasattr(a, 'copy') else a for a in args]
    kernel(*got, grid=grid)
    reference(*want)
    unknown = set(only) - {param.name for param in kernel.params if param.kind == POINTER_KIND}
    if unknown:
        raise ValueError('@%s has no array %s' % (kernel.name, ', '.join('%' + name for name in sorted(unknown))))
    for param, x, y in zip(kernel.params, got, want):
        if only and param.name not in only:
            continue
        if param.kind == POINTER_KIND and not (ulp > 0 and x.dtype.kind in 'fV' and (distances(x, y) <= ulp).all()):
            wide = 'float64' if param.elem[0] in 'bf' else None
            numpy.testing.assert_allclose(x.astype(wide) if wide else x, y.astype(wide) if wide else y, rtol=rtol,
                                          atol=atol, err_msg='%' + param.name)
