#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""simulate.py PTOASM SAMPLES [PART/PARTS]: runs the functions of programs as C++ in the CPU simulator of the vendor's
library and with `ptoasm run`, on the same random inputs, and compares the results: equal bytes, or the tolerance of
functions with sums, products or transcendental functions. Known differences are in simulate.tsv, with reasons. Prints TAP;
skips without numpy, clang++-19 or PTO_ISA_INCLUDE. Without PTOASM_CORPUS it runs the samples only."""
import collections
import concurrent.futures
import ctypes
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

try:
    import numpy
except ImportError:
    numpy = None

import device

SEEDS = (1, 2)
CASES = re.compile('/st/testcase/.*backend=vpto')  # programs with a function for each shape and type of an instruction
SCALARS = (16, 1, 2, 32, 64, 128)  # tried for integers until the program runs
UNKNOWN = 1024  # elements of an array that no view describes
# Rounded several times, or not as IEEE 754 says: results of such programs may differ by a tolerance.
INEXACT = re.compile(r'pto\.(texp|tlog|tsqrt|trsqrt|trecip|tdiv|trem|tfmod|tpow|tprelu|tsigmoid|ttanh|tgelu|trow(sum|prod|expandexp|'
                     r'expanddiv)|tcol(sum|prod|expandexp|expanddiv)|tmatmul|tgemv|tquant|tdequant|taddrelu|taxpy|thistogram|'
                     r'tmov|textract|tinsert|tpartmul|tmuls?|tadds?|tsubs?|tsubc|taddc|tcvt|tstore|mad)\b')
EXACT = re.compile(r'x(f16|f32|bf16)|dtype=(f16|f32|bf16)')
RELATIVE = {'f2': 4e-3, 'f4': 2e-5, 'bf': 2e-2}
DRIVER = '''
#include <cstddef>
#include <type_traits>
#include <utility>
template <typename... A, size_t... I>
static void call_with(void (*f)(A...), void **p, std::index_sequence<I...>) {
    f(*(std::remove_reference_t<A> *)p[I]...);
}
template <typename... A> static void call_with(void (*f)(A...), void **p) {
    call_with(f, p, std::index_sequence_for<A...>{});
}
/* The compiler's library of Debian 12 has no conversions to bf16. */
extern "C" __attribute__((weak)) __bf16 __truncsfbf2(float x) {
    uint32_t bits = __builtin_bit_cast(uint32_t, x);
    bits = x != x ? bits | 0x400000 : bits + 0x7fff + (bits >> 16 & 1);
    return __builtin_bit_cast(__bf16, (uint16_t)(bits >> 16));
}
extern "C" __attribute__((weak)) __bf16 __truncdfbf2(double x) { return __truncsfbf2((float)x); }
'''
ENTRY = re.compile(r'(?ms)^extern "C" __global__ AICORE void (\w+)\(.*?^}\n')
ENTRY_NAME = re.compile(r'(?m)^extern "C" __global__ AICORE void (\w+)\(')
UNFINISHED = re.compile('the simulator stops|does not compile')
HALF_BITS = {'f16': 0x3800, 'bf16': 0x3f00}  # what scalar() returns for floats
SCALAR_TYPES = {'f32': ctypes.c_float, 'f16': ctypes.c_uint16, 'bf16': ctypes.c_uint16, 'index': ctypes.c_int64,
                'i64': ctypes.c_int64, 'i32': ctypes.c_int32, 'i16': ctypes.c_int16, 'i8': ctypes.c_int8, 'i1': ctypes.c_bool, 'ui32': ctypes.c_uint32,
                'ui16': ctypes.c_uint16, 'ui8': ctypes.c_uint8, 'ui64': ctypes.c_uint64}


class Skip(Exception):
    """The program cannot be compared; the text says why."""


def run(words, timeout=20):
    return subprocess.run(words, capture_output=True, text=True, timeout=timeout, errors='replace')


def bf16_library(folder):
    """Makes the header that gives the simulator a bf16; without it computes bf16 as f16."""
    with open(folder + '/stdfloat', 'w') as f:
        f.write('namespace std { using bfloat16_t = __bf16; }\n')
    return ['-std=c++23', '-D__STDCPP_BFLOAT16_T__=1', '-I' + folder]


class Program:
    def __init__(self, ptoasm, path, profile, level, folder):
        self.ptoasm, self.path, self.profile, self.folder = ptoasm, path, profile, folder
        self.judge = ['--profile=' + profile] + (['--compat=ptoas', '--level=' + level] if level else [])
        self.text = open(path, errors='replace').read()
        if re.search(r'pto\.\w*initialize_\w*pipe|sync\.set|set_cross', self.text):
            raise Skip('several cores')

    def functions(self):
        """Reads the functions that can be run, with their parameters and text."""
        out = run([self.ptoasm, 'run', '--list', *self.judge, self.path])
        if out.returncode:
            raise Skip('not accepted: ' + (out.stderr.splitlines() or [''])[0])
        found = []
        for line in out.stdout.splitlines():
            head = re.match(r'@(.*), line (\d+)', line)
            if head:
                found.append(Function(self, head.group(1), int(head.group(2))))
            else:
                found[-1].parameter(line)
        lines = self.text.split('\n')
        for f, g in zip(found, found[1:] + [None]):
            f.text = self.text if len(found) == 1 else '\n'.join(lines[f.line - 1:g.line - 1 if g else None])
        return found

    def cpp(self, theirs):
        """Returns the C++: what ptoasm prints, or the file `theirs`."""
        if theirs:
            return open(theirs).read()
        out = run([self.ptoasm, 'emit', '--to=cpp', '--no-comments', self.path, '-o', '-', *self.judge])
        if out.returncode:
            raise Skip('no C++: ' + (out.stderr.splitlines() or [''])[0])
        return out.stdout

    def compile(self, compiler, text, functions):
        """Makes a library of some functions; the other entry points are left out. Returns the compiler's messages."""
        names = {f.name for f in functions}
        text = ENTRY.sub(lambda m: m.group(0) if m.group(1) in names else '', text)
        self.source = (text + DRIVER +
                       ''.join('extern "C" void run_%s(void **p) { call_with(&%s, p); }\n' % (n, n) for n in sorted(names)))
        with open(self.folder + '/k.cpp', 'w') as f:
            f.write(self.source)
        self.library = '%s/k%d.so' % (self.folder, len(names))
        flags = [w for w in compiler.flags if w not in ('-fsyntax-only', '-ferror-limit=1')]
        out = run(flags + ['-ferror-limit=0', '-fPIC', '-shared', self.folder + '/k.cpp', '-o', self.library], timeout=300)
        return out.stderr if out.returncode else None

    def faults(self, messages):
        """Returns the first error in each function that does not compile."""
        found, error = {}, ''
        for line in messages.splitlines():
            error = (re.findall(r'error: .*', line) or [error])[0]
            at = re.search(r'k\.cpp:(\d+):', line)
            if at and error:
                before = '\n'.join(self.source.split('\n')[:int(at.group(1))])
                name = re.findall(r'AICORE (?:void|\w+) (\w+)\(', before)[-1]
                found.setdefault(name, 'does not compile: ' + error)
                error = ''
        return found


class Function:
    def __init__(self, program, name, line):
        self.ptoasm, self.path, self.folder, self.judge = program.ptoasm, program.path, program.folder, program.judge
        self.name, self.line, self.params, self.fault = name, line, [], None

    def parameter(self, line):
        word = re.match(r'\s*%(\S+)\s+(.*?\*|\S+)\s+(\S+)', line)
        if word:
            self.params.append((word.group(1), word.group(2).endswith('*'), word.group(3)))
        else:
            self.fault = 'a parameter of another kind'

    def scalar(self, name, elem, n):
        if 'block_idx' in name or 'blockid' in name:
            return 0
        if 'block_num' in name:
            return 1
        return 0.5 if elem in ('f32', 'f16', 'bf16') else n

    def words(self, n, arrays):
        return [arrays(i) if pointer else repr(self.scalar(name, elem, n))
                for i, (name, pointer, elem) in enumerate(self.params)]

    def call(self, n, arrays):
        return run([self.ptoasm, 'run', *self.judge, '--entry=' + self.name, self.path] + self.words(n, arrays))

    def shapes(self):
        """Finds integers with which the program runs, and takes the arrays that its views imply, or of UNKNOWN elements."""
        sizes = {}
        for n in SCALARS:
            for _ in range(len(self.params) + 1):
                out = self.call(n, lambda i: 'zeros%s>%s/s%d.npy' % (sizes.get(self.params[i][0], ''), self.folder, i))
                unknown = re.search(r'the size of %(\S+) is not known', out.stderr)
                if not unknown:
                    break
                sizes[unknown.group(1)] = ':%d' % UNKNOWN
            if out.returncode == 0:
                return n
        raise Skip('does not run: ' + (out.stderr.splitlines() or [''])[0])

    def inputs(self, seed):
        random = numpy.random.default_rng(seed)
        arrays = {}
        for i, (_, pointer, elem) in enumerate(self.params):
            if not pointer:
                continue
            a = numpy.load('%s/s%d.npy' % (self.folder, i))
            if elem == 'bf16':
                bits = random.uniform(-1, 1, a.shape).astype('f4').view('u4') >> 16
                a = bits.astype('u2')
            elif a.dtype.kind == 'f':
                a = random.uniform(-1, 1, a.shape).astype(a.dtype)
            else:
                a = random.integers(0, 4, a.shape).astype(a.dtype)
            arrays[i] = numpy.ascontiguousarray(a)
            numpy.save('%s/i%d.npy' % (self.folder, i), arrays[i])
        return arrays

    def simulate(self, library, n, arrays):
        """Runs the C++ in a process of its own: a fault or an assertion of the simulator ends that only."""
        for name, pointer, elem in self.params:
            if not pointer and elem not in SCALAR_TYPES:
                raise Skip('a parameter of type ' + elem)
        words = [('a', str(i)) if pointer else (elem, repr(HALF_BITS.get(elem) or self.scalar(name, elem, n)))
                 for i, (name, pointer, elem) in enumerate(self.params)]
        out = run([sys.executable, os.path.abspath(__file__), '--child', self.folder, library, self.name] + ['='.join(w) for w in words])
        if out.returncode:
            return None
        return {i: numpy.load('%s/o%d.npy' % (self.folder, i)) for i in arrays}

    def compare(self, library, seed, n):
        arrays = self.inputs(seed)
        out = self.call(n, lambda i: '%s/i%d.npy>%s/c%d.npy' % (self.folder, i, self.folder, i))
        if out.returncode:
            raise Skip('does not run on this data: ' + (out.stderr.splitlines() or [''])[0])
        theirs = self.simulate(library, n, arrays)
        if theirs is None:
            raise Skip('the simulator stops')
        for i, (name, pointer, elem) in enumerate(self.params):
            ours = numpy.load('%s/c%d.npy' % (self.folder, i)) if pointer else None
            if pointer and not self.same(ours, theirs[i], elem):
                if os.environ.get('SIMULATE_KEEP'):
                    numpy.save(os.environ['SIMULATE_KEEP'] + '/ours.npy', ours)
                    numpy.save(os.environ['SIMULATE_KEEP'] + '/theirs.npy', theirs[i])
                return name
        return None

    def same(self, a, b, elem):
        if a.tobytes() == b.tobytes():
            return True
        if not INEXACT.search(self.text):
            return False
        if elem == 'bf16':
            a, b = ((x.astype('u4') << 16).view('f4') for x in (a, b))
            return numpy.allclose(a, b, rtol=RELATIVE['bf'], atol=1e-2, equal_nan=True)
        if a.dtype.kind != 'f':
            return EXACT.search(self.text) is not None and numpy.allclose(a.astype('f8'), b.astype('f8'), rtol=0, atol=1)
        scale = max(float(numpy.nanmax(numpy.abs(a), initial=0)), 1e-30)
        relative = RELATIVE.get(a.dtype.str[1:], 1e-5)
        scale = scale if numpy.isfinite(scale) else 1
        return numpy.allclose(a.astype('f8'), b.astype('f8'), rtol=relative * 4, atol=relative * scale, equal_nan=True)


def child(folder, library, name, words):
    arrays, values = {}, []
    for kind, value in (word.split('=') for word in words):
        if kind == 'a':
            arrays[value] = numpy.load('%s/i%s.npy' % (folder, value))
            values.append(ctypes.c_void_p(arrays[value].ctypes.data))
        else:
            values.append(SCALAR_TYPES[kind](float(value) if kind == 'f32' else int(value)))
    store = [ctypes.cast(ctypes.byref(v), ctypes.c_void_p) for v in values]
    getattr(ctypes.CDLL(library), 'run_' + name)((ctypes.c_void_p * max(len(store), 1))(*store))
    for value, a in arrays.items():
        numpy.save('%s/o%s.npy' % (folder, value), a)


def outcome(function, library):
    """Returns what happened to a function, and why."""
    try:
        n = function.shapes()
        for seed in SEEDS:
            wrong = function.compare(library, seed, n)
            if wrong:
                return 'differs', '%%%s of @%s' % (wrong, function.name)
        return 'same', ''
    except Skip as why:
        return 'skipped', str(why)
    except subprocess.TimeoutExpired:
        return 'skipped', 'takes too long'


def outcomes(program, compiler, functions, theirs=None):
    """Runs functions of a program; yields each with what happened and why."""
    text = program.cpp(theirs)
    entries = set(ENTRY_NAME.findall(text)) or set(re.findall(r'AICORE void (\w+)\(', text))
    found = [f for f in functions if f.name in entries and f.fault is None]
    if not found:
        raise Skip('no function that can be run')
    left, faults = found, {}
    while left:
        messages = program.compile(compiler, text, left)
        new = program.faults(messages) if messages else {}
        faults.update(new or {f.name: 'does not compile' for f in left if messages})
        left = [f for f in left if f.name not in faults]
        if not messages:
            break
    for f in found:
        yield (f, 'skipped', faults[f.name]) if f.name in faults else (f, *outcome(f, program.library))


def judge(ptoasm, compiler, path, profile, level, theirs):
    """Lists the functions of a program with what happened, why, and their text. `worse`: the C++ of the corpus gives the
    results and ours does not, twice; `neither`: both texts run and do not give them."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            program = Program(ptoasm, path, profile, level, folder)
            functions = program.functions()
            results = {f.name: (f, kind, why) for f, kind, why in outcomes(program, compiler, functions)}
            bad = [f for f, kind, why in results.values() if kind == 'differs' or UNFINISHED.match(why)] if theirs else []
            good = {f.name for f, kind, _ in outcomes(program, compiler, bad, theirs) if kind == 'same'} if bad else set()
            for f in bad:
                if results[f.name][1] == 'differs' and f.name not in good:
                    results[f.name] = f, 'neither', results[f.name][2]
            for f, kind, why in outcomes(program, compiler, [f for f in bad if f.name in good]) if good else ():
                results[f.name] = f, 'worse' if kind == 'differs' or UNFINISHED.match(why) else kind, why
            return [(f.name, kind, why, f.text) for f, kind, why in results.values()]
        except Skip as why:
            return [('', 'skipped', str(why), '')]
        except subprocess.TimeoutExpired:
            return [('', 'skipped', 'takes too long', '')]


def main():
    if sys.argv[1] == '--child':
        child(*sys.argv[2:5], sys.argv[5:])
        return 0
    include = os.environ.get('PTO_ISA_INCLUDE')
    if numpy is None or include is None or shutil.which('clang++-19') is None:
        print('1..0 # SKIP numpy, PTO_ISA_INCLUDE or clang++-19 is missing')
        return 0
    ptoasm, samples = sys.argv[1:3]
    part, parts = (int(x) for x in (sys.argv[3] if len(sys.argv) > 3 else '1/1').split('/'))
    listed = [(p, profile, '', None) for p in sorted(glob.glob(samples + '/*/*.pto')) for profile in ('a2a3', 'a5')]
    corpus = os.environ.get('PTOASM_CORPUS')
    if corpus:
        listed += [(corpus + '/' + path, *rest) for path, *rest in device.programs(corpus) + device.programs(corpus, CASES)]
    listed = listed[part - 1::parts]
    known = {}
    here = os.path.dirname(os.path.abspath(__file__))
    for line in open(here + '/simulate.tsv').read().splitlines():
        path, profile, function, why = line.split('\t')
        known[path, profile, function] = why
    instructions, count, bad, skips = set(), collections.Counter(), [], collections.Counter()
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        compiler = device.Compiler(include, folder, ['-fPIC', *bf16_library(folder)])
        jobs = [pool.submit(judge, ptoasm, compiler, *row) for row in listed]
        for (path, profile, *_), job in zip(listed, jobs):
            name = re.sub(r'.*/(samples|accept)/', r'\1/', path)
            for function, kind, why, text in job.result():
                if kind == 'differs' and (name, profile, function) in known:
                    kind = 'known'
                count[kind] += 1
                if kind == 'same':
                    instructions.update(re.findall(r'\bpto\.[a-z_.0-9]+', re.sub(r'//.*', '', text)))
                if kind == 'skipped':
                    skips[why.split(':')[0]] += 1
                if '-v' in sys.argv:
                    print('# %s %s %s @%s %s' % (kind, profile, name, function, why), flush=True)
                if kind in ('worse', 'differs'):
                    bad.append('%s %s @%s: %s %s' % (name, profile, function, kind, why))
    for line in bad:
        print('# ' + line)
    for why, n in skips.most_common():
        print('# %d skipped: %s' % (n, why))
    used = sorted(i for i in instructions if not re.search('tile_buf|tensor_view|ptr|pipe|target_arch|entry', i))
    print('# instructions that ran: %d: %s' % (len(used), ' '.join(used)))
    print('%s 1 - %d functions give the same results, %d differ as known' %
          ('not ok' if bad or not count['same'] else 'ok', count['same'], count['known']))
    print('1..1')
    return 1 if bad or not count['same'] else 0


if __name__ == '__main__':
    sys.exit(main())
