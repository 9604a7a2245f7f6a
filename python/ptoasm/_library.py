# SPDX-License-Identifier: Apache-2.0
"""libptoasm through ctypes: sources, results, diagnostics. The structs are those of ptoasm.h; the library fills as
much of one as its size says."""
from __future__ import annotations

import ctypes
import os
import sys
from ctypes import POINTER, byref, c_bool, c_char_p, c_int, c_int32, c_int64, c_size_t, c_uint32, c_uint64, c_void_p

TYPE_CHECKING = False   # True for checkers of types, which know this name: `typing` takes long to import
if TYPE_CHECKING:
    from typing import Dict, List, NamedTuple, Optional, Tuple
else:
    from collections import namedtuple

    class _Record(type):
        def __new__(mcs, name, bases, body):
            if not bases:
                return super().__new__(mcs, name, bases, body)
            fields = namedtuple(name, body.get('__annotations__', ()))
            return type(name, (fields,), {'__slots__': (), **body})

    class NamedTuple(metaclass=_Record):
        """As typing.NamedTuple."""

OK, REJECTED, NO_CODE = 0, 1, 5
FORMS = ('keep', 'dps', 'ssa', 'as', 'generic')
SEVERITIES = ('note', 'warning', 'error')


class Place(NamedTuple):
    """Of a diagnostic: lines and columns count from 1, columns in code points, offset and length in bytes."""
    line: int
    column: int
    end_line: int
    end_column: int
    offset: int
    length: int


class Source(NamedTuple):
    """A line that a front end made a statement from, as its `loc(...)` says. `column` is 0 and `name` empty when they
    are not known; `message` is what a note says, such as "generated from here"."""
    file: str
    line: int
    column: int
    name: str
    message: str


class Note(NamedTuple):
    message: str
    place: Optional[Place]
    sources: Tuple[Source, ...]


class Edit(NamedTuple):
    """`text` replaces the bytes of `place`."""
    text: str
    place: Place


class Diagnostic(NamedTuple):
    file: str
    severity: str
    id: str
    message: str
    place: Place
    profiles: Tuple[str, ...]
    notes: Tuple[Note, ...]
    edits: Tuple[Edit, ...]
    safe_fix: bool
    operand: Optional[str]      # what it is about, as `ptoasm explain` calls it
    expected: Optional[str]     # the parts of the message that say what may be there and what is there
    found: Optional[str]
    sources: Tuple[Source, ...]   # the author's line first, then those of calls that led to it
    guesses: Tuple[Edit, ...]   # what may have been meant, such as another name; there is no fix then

    def __str__(self) -> str:
        return '%s:%d:%d: %s: %s [%s]' % (self.file, self.place.line, self.place.column, self.severity, self.message,
                                          self.id)


class Slot(NamedTuple):
    """A tile of the memory plan: `bytes` from `address` on in `space`, needed from `first_line` to `last_line` (0:
    nowhere). `name` is empty for scratch of the instruction; `bound` says that the text has the address; `capacity` is
    -1 without a limit."""
    function: str
    name: str
    instruction: str
    line: int
    space: str
    address: int
    bytes: int
    bound: bool
    capacity: int
    first_line: int
    last_line: int


class Error(Exception):
    """A program is rejected, or cannot be emitted. str() is what a compiler prints, with the caret."""

    def __init__(self, text: str, diagnostics: List[Diagnostic]):
        super().__init__(text.rstrip('\n'))
        self.diagnostics = diagnostics


# ---- the structs of ptoasm.h ----

class _Options(ctypes.Structure):
    _fields_ = [('size', c_size_t), ('profiles', c_uint32), ('level', c_int32), ('max_errors', c_uint32),
                ('compat', c_bool), ('verdicts', c_bool), ('lint', c_bool), ('sync', c_uint32), ('rewrite', c_uint32)]


class _Print(ctypes.Structure):
    _fields_ = [('name', c_char_p), ('line', c_uint32)]


class _Dump(ctypes.Structure):
    _fields_ = [('name', c_char_p), ('line', c_uint32), ('option', c_char_p)]


class _EmitOptions(ctypes.Structure):
    _fields_ = [('size', c_size_t), ('lines', c_bool), ('checked', c_bool), ('header', c_bool),
                ('header_name', c_char_p), ('prints', POINTER(_Print)), ('nprints', c_size_t), ('cpp', c_bool),
                ('no_comments', c_bool), ('sanitize', c_bool), ('dumps', POINTER(_Dump)), ('ndumps', c_size_t)]


class _Place(ctypes.Structure):
    _fields_ = [(name, c_uint32) for name in Place._fields]

    def value(self) -> Place:
        return Place(*(getattr(self, name) for name in Place._fields))


class _Diagnostic(ctypes.Structure):
    _fields_ = [('id', c_char_p), ('severity', c_int), ('profiles', c_uint32), ('place', _Place),
                ('message', c_char_p), ('notes', c_size_t), ('edits', c_size_t), ('safe_fix', c_bool),
                ('operand', c_char_p), ('expected', c_char_p), ('found', c_char_p), ('source_file', c_char_p),
                ('source_line', c_uint32), ('source_column', c_uint32), ('instruction', c_char_p),
                ('form', c_char_p), ('guesses', c_size_t)]


class _Location(ctypes.Structure):
    _fields_ = [('file', c_char_p), ('line', c_uint32), ('column', c_uint32), ('name', c_char_p), ('caller', c_bool),
                ('message', c_char_p)]


class _Slot(ctypes.Structure):
    _fields_ = [('function', c_char_p), ('name', c_char_p), ('instruction', c_char_p), ('line', c_uint32),
                ('space', c_char_p), ('address', c_int64), ('bytes', c_int64), ('bound', c_bool),
                ('capacity', c_int64), ('first', c_uint32), ('last', c_uint32), ('first_line', c_uint32),
                ('last_line', c_uint32)]


class _Instruction(ctypes.Structure):
    _fields_ = [(name, c_char_p) for name in ('name', 'family', 'summary', 'formula', 'replacement')] + [
        ('profiles', c_uint32)]


class _Id(ctypes.Structure):
    _fields_ = [('id', c_char_p), ('severity', c_int)] + [
        (name, c_char_p) for name in ('summary', 'meaning', 'why', 'fix')]


class KernelInfo(ctypes.Structure):
    _fields_ = [('name', c_char_p), ('grid', c_char_p), ('entry', c_bool), ('params', c_size_t), ('line', c_uint32)]


class ParamInfo(ctypes.Structure):
    _fields_ = [('name', c_char_p), ('type', c_char_p), ('kind', c_int), ('elem', c_char_p), ('c_type', c_char_p),
                ('line', c_uint32)]


# ---- the library ----

def library_folders() -> List[str]:
    """Where an installation has its libraries, below its prefix."""
    multiarch = getattr(sys.implementation, '_multiarch', '')
    return (['lib/' + multiarch] if multiarch else []) + ['lib', 'lib64']


def shared_library(folder: str, name: str) -> Optional[str]:
    """The path of `libNAME.so` in a folder; a wheel, which has no links, has it under the name with the version alone."""
    path = os.path.join(folder, name)
    if os.path.exists(path):
        return path
    names = [other for other in os.listdir(folder) if other.startswith(name + '.')] if os.path.isdir(folder) else []
    return os.path.join(folder, min(names)) if names else None


def packaged() -> str:
    """The folder of the libraries in an installed wheel."""
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), 'lib')


def library_paths() -> List[str]:
    """Where libptoasm.so may be: PTOASM_LIBRARY, the folder PTOASM_RUNTIME, the package, the loader's folders."""
    given, runtime = os.environ.get('PTOASM_LIBRARY'), os.environ.get('PTOASM_RUNTIME')
    if given:
        return [given]
    paths = []
    if runtime:
        paths = [os.path.join(runtime, folder, 'libptoasm.so') for folder in ['api'] + library_folders() + ['']]
        paths = [path for path in paths if os.path.exists(path)]
    own = shared_library(packaged(), 'libptoasm.so')
    return paths + ([own] if own else []) + ['libptoasm.so.0', 'libptoasm.so']


_NAMES = {
    'ptoasm_version': (c_char_p, []),
    'ptoasm_profile_name': (c_char_p, [c_uint32]),
    'ptoasm_profile_aliases': (c_char_p, [c_uint32]),
    'ptoasm_profiles_from_text': (c_uint32, [c_char_p]),
    'ptoasm_status_text': (c_char_p, [c_int]),
    'ptoasm_source_open': (c_int, [c_char_p, c_char_p, c_size_t, c_uint32, POINTER(c_void_p)]),
    'ptoasm_source_close': (None, [c_void_p]),
    'ptoasm_check': (c_int, [c_void_p, POINTER(_Options), POINTER(c_void_p)]),
    'ptoasm_format': (c_int, [c_void_p, POINTER(_Options), c_int, POINTER(c_void_p)]),
    'ptoasm_emit': (c_int, [c_void_p, POINTER(_Options), POINTER(_EmitOptions), POINTER(c_void_p)]),
    'ptoasm_program_open': (c_int, [c_void_p, POINTER(_Options), POINTER(c_void_p)]),
    'ptoasm_program_close': (None, [c_void_p]),
    'ptoasm_program_plan': (c_int, [c_void_p, POINTER(_Options), POINTER(c_void_p)]),
    'ptoasm_result_free': (None, [c_void_p]),
    'ptoasm_result_text': (c_char_p, [c_void_p, POINTER(c_size_t)]),
    'ptoasm_diagnostic_count': (c_size_t, [c_void_p]),
    'ptoasm_diagnostic_get': (c_bool, [c_void_p, c_size_t, POINTER(_Diagnostic), c_size_t]),
    'ptoasm_diagnostic_note': (c_bool, [c_void_p, c_size_t, c_size_t, POINTER(c_char_p), POINTER(_Place)]),
    'ptoasm_diagnostic_edit': (c_bool, [c_void_p, c_size_t, c_size_t, POINTER(c_char_p), POINTER(_Place)]),
    'ptoasm_location_get': (c_bool, [c_void_p, c_uint32, c_size_t, POINTER(_Location), c_size_t]),
    'ptoasm_slot_get': (c_bool, [c_void_p, c_size_t, POINTER(_Slot), c_size_t]),
    'ptoasm_diagnostics_text': (c_char_p, [c_void_p, c_uint32, POINTER(c_size_t)]),
    'ptoasm_fixed_text': (c_char_p, [c_void_p, c_uint32, POINTER(c_size_t), POINTER(c_size_t)]),
    'ptoasm_instruction_get': (c_bool, [c_char_p, POINTER(_Instruction), c_size_t]),
    'ptoasm_id_get': (c_bool, [c_char_p, POINTER(_Id), c_size_t]),
    'ptoasm_kernel_get': (c_bool, [c_void_p, c_size_t, POINTER(KernelInfo), c_size_t]),
    'ptoasm_param_get': (c_bool, [c_void_p, c_size_t, c_size_t, POINTER(ParamInfo), c_size_t]),
}
_library: Optional[ctypes.CDLL] = None


def library() -> ctypes.CDLL:
    """libptoasm, loaded at the first use."""
    global _library
    if _library is None:
        reasons = []
        for path in library_paths():
            try:
                loaded = ctypes.CDLL(path)
                break
            except OSError as error:
                reasons.append(str(error))
        else:
            raise ImportError('libptoasm was not found; set PTOASM_RUNTIME to the folder of its build or installation: ' + '; '.join(reasons))
        for name, (result, arguments) in _NAMES.items():
            function = getattr(loaded, name)
            function.restype, function.argtypes = result, arguments
        _library = loaded
    return _library


def text_of(data: Optional[bytes]) -> str:
    return (data or b'').decode('utf-8', 'replace')


def program_of(data: Optional[bytes]) -> str:
    """The text of a program: bytes that are not UTF-8 stay as Python has them in names of files."""
    return (data or b'').decode('utf-8', 'surrogateescape')


def profile_bits(profile: Optional[str]) -> int:
    """`a5`, `a2a3,a5`, `a3`, `all`, or None for the module's own; in any case, as on the command line."""
    if profile is None:
        return 0
    bits = 0
    for name in profile.split(','):
        found = library().ptoasm_profiles_from_text(name.strip().encode())
        if found == 0:
            raise ValueError('no profile %r; there are %s and all' % (name, ', '.join(spellings())))
        bits |= found
    return bits


def profile_names(bits: int = ~0) -> List[str]:
    """The names of profiles, which are those of the library."""
    names: List[str] = []
    while True:
        name = library().ptoasm_profile_name(len(names))
        if name is None:
            break
        names.append(text_of(name))
    return [name for i, name in enumerate(names) if bits >> i & 1]


def spellings() -> List[str]:
    """The names of all profiles, each with its aliases: `a2a3 (a2, a3)`."""
    names = profile_names()
    aliases = [text_of(library().ptoasm_profile_aliases(i)).split() for i in range(len(names))]
    return [name + (' (%s)' % ', '.join(other) if other else '') for name, other in zip(names, aliases)]


def one_profile(profile: Optional[str]) -> Optional[str]:
    """For calls that make code, which is for one chip."""
    bits = profile_bits(profile)
    if bits & (bits - 1):
        *names, last = profile_names()
        raise ValueError('profile %r: code is made for one profile: %s or %s' % (profile, ', '.join(names), last))
    return profile


class Result:
    """A result with its source, freed together."""

    def __init__(self, text: str, name: str, profile: Optional[str] = None, level: int = 0, compat: bool = False,
                 call: str = 'check', form: str = 'keep', emit: Optional[Dict[str, object]] = None,
                 lint: bool = False, sync: int = 0):
        self.handle, self.source, self.program, self.name = c_void_p(), c_void_p(), c_void_p(), name
        lib, data = library(), text.encode('utf-8', 'surrogateescape')
        self._data = data
        options = _Options(ctypes.sizeof(_Options), profile_bits(profile), level, 100, compat, False, lint, sync)
        self.status = lib.ptoasm_source_open(os.fsencode(name), data, len(data), 0, byref(self.source))
        if self.status == OK and call == 'check':
            self.status = lib.ptoasm_check(self.source, byref(options), byref(self.handle))
        elif self.status == OK and call == 'format':
            if form not in FORMS:
                raise ValueError('no form %r; there are %s' % (form, ', '.join(FORMS)))
            self.status = lib.ptoasm_format(self.source, byref(options), FORMS.index(form), byref(self.handle))
        elif self.status == OK and call == 'plan':
            self.status = lib.ptoasm_program_open(self.source, byref(options), byref(self.program))
            if self.status == OK:
                self.status = lib.ptoasm_program_plan(self.program, byref(options), byref(self.handle))
        elif self.status == OK:
            what = _EmitOptions(size=ctypes.sizeof(_EmitOptions), **(emit or {}))
            self.status = lib.ptoasm_emit(self.source, byref(options), byref(what), byref(self.handle))
        if not self.handle:
            raise ValueError(text_of(lib.ptoasm_status_text(self.status)))

    def __del__(self):
        if _library is not None and getattr(self, 'source', None):
            if self.handle:
                _library.ptoasm_result_free(self.handle)
            if self.program:
                _library.ptoasm_program_close(self.program)
            _library.ptoasm_source_close(self.source)

    def text(self) -> str:
        return program_of(library().ptoasm_result_text(self.handle, None))

    def diagnostics(self) -> List[Diagnostic]:
        return [self._diagnostic(i) for i in range(library().ptoasm_diagnostic_count(self.handle))]

    def sources(self, offset: int) -> Tuple[Source, ...]:
        """The lines that the statement at a byte was made from."""
        found, row = [], _Location()
        while library().ptoasm_location_get(self.handle, offset, len(found), byref(row), ctypes.sizeof(row)):
            found.append(Source(text_of(row.file), row.line, row.column, text_of(row.name), text_of(row.message)))
        return tuple(found)

    def sources_of_line(self, line: int) -> Tuple[Source, ...]:
        """Those of the first statement in a line of the program."""
        lines = self._data.split(b'\n')
        if not 1 <= line <= len(lines):
            return ()
        text = lines[line - 1]
        return self.sources(sum(len(before) + 1 for before in lines[:line - 1]) + len(text) - len(text.lstrip()))

    def _diagnostic(self, index: int) -> Diagnostic:
        lib, d = library(), _Diagnostic()
        lib.ptoasm_diagnostic_get(self.handle, index, byref(d), ctypes.sizeof(d))
        text, place, notes, edits = c_char_p(), _Place(), [], []
        for n in range(d.notes):
            lib.ptoasm_diagnostic_note(self.handle, index, n, byref(text), byref(place))
            sources = self.sources(place.offset) if place.line else ()
            notes.append(Note(text_of(text.value), place.value() if place.line else None, sources))
        for n in range(d.edits + d.guesses):
            lib.ptoasm_diagnostic_edit(self.handle, index, n, byref(text), byref(place))
            edits.append(Edit(program_of(text.value), place.value()))
        profiles = tuple(profile_names(d.profiles))
        return Diagnostic(self.name, SEVERITIES[d.severity], text_of(d.id), text_of(d.message), d.place.value(),
                          profiles, tuple(notes), tuple(edits[:d.edits]), d.safe_fix,
                          *(None if part is None else text_of(part) for part in (d.operand, d.expected, d.found)),
                          self.sources(d.place.offset) if d.source_line else (), tuple(edits[d.edits:]))

    def raise_errors(self) -> None:
        if self.status != OK:
            raise Error(text_of(library().ptoasm_diagnostics_text(self.handle, 0, None)), self.diagnostics())


# ---- the calls ----

def version() -> str:
    """That of the library."""
    return text_of(library().ptoasm_version())


def check(text: str, profile: Optional[str] = None, *, name: str = '<text>', level: int = 0,
          compat: bool = False, lint: bool = False) -> List[Diagnostic]:
    """What is wrong with a program, in the order of the text; an empty list when it is legal. `lint` adds warnings of
    what is legal, but probably wrong."""
    return Result(text, name, profile, level, compat, lint=lint).diagnostics()


def map(text: str, profile: Optional[str] = None, *, name: str = '<text>', level: int = 0) -> List[Slot]:
    """The memory plan: every tile with its address and lifetime, also of a program whose tiles do not fit. Error when
    there is none, because the program is rejected for another reason."""
    result = Result(text, name, profile, level, call='plan')
    slots, row = [], _Slot()
    while library().ptoasm_slot_get(result.handle, len(slots), byref(row), ctypes.sizeof(row)):
        used = row.first <= row.last
        slots.append(Slot(text_of(row.function), text_of(row.name), text_of(row.instruction), row.line,
                          text_of(row.space), row.address, row.bytes, row.bound, row.capacity,
                          row.first_line if used else 0, row.last_line if used else 0))
    if not slots:
        result.raise_errors()
    return slots


def fix(text: str, profile: Optional[str] = None, *, all: bool = False, guesses: bool = False,
        name: str = '<text>') -> str:
    """The text with the fixes of its diagnostics made: those that keep its meaning, or all, also those that change
    types or attributes, or add statements. `guesses`: and what may have been meant, which may be another program."""
    result = Result(text, name, profile)
    return program_of(library().ptoasm_fixed_text(result.handle, (1 if all or guesses else 0) | (2 if guesses else 0), None, None))


def format(text: str, form: str = 'keep', profile: Optional[str] = None, *, name: str = '<text>',
           level: int = 0) -> str:
    """The program in canonical form: `keep`, `dps`, `ssa`, `as` or `generic`."""
    result = Result(text, name, profile, level, call='format', form=form)
    result.raise_errors()
    return result.text()


def emit_c(text: str, profile: Optional[str] = None, *, checked: bool = False, lines: bool = False,
           name: str = '<text>', level: int = 0) -> str:
    """C11 that calls libptort."""
    result = Result(text, name, one_profile(profile), level, call='emit', emit={'checked': checked, 'lines': lines})
    result.raise_errors()
    return result.text()


def explain(name: str) -> Dict[str, object]:
    """What an instruction is, or a diagnostic id means. KeyError when there is neither."""
    lib, inst, known = library(), _Instruction(), _Id()
    if lib.ptoasm_instruction_get(name.encode(), byref(inst), ctypes.sizeof(inst)):
        facts = {field: text_of(getattr(inst, field)) for field, _ in _Instruction._fields_[:-1]}
        return dict(facts, profiles=profile_names(inst.profiles))
    if lib.ptoasm_id_get(name.encode(), byref(known), ctypes.sizeof(known)):
        facts = {field: text_of(getattr(known, field)) for field in ('id', 'summary', 'meaning', 'why', 'fix')}
        return dict(facts, severity=SEVERITIES[known.severity])
    raise KeyError(name)
