#!/usr/bin/env python3
"""simulate.py PTOASM SAMPLES [PART/PARTS]: runs programs as C++ in the CPU simulator of the vendor's library and with
`ptoasm run`, on the same random inputs, and compares the results: equal bytes, or the tolerance of programs with sums,
products or transcendental functions. KNOWN differences are in simulate.tsv, with reasons. Prints TAP; skips without
numpy, clang++-19 or PTO_ISA_INCLUDE. Without PTOASM_CORPUS it runs the samples only."""
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
SCALARS = (16, 1, 2, 32, 64, 128)  # tried for integers until the program runs
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
extern "C" void run_it(void **p) { call_with(&NAME, p); }
'''
SCALAR_TYPES = {'f32': ctypes.c_float, 'index': ctypes.c_int64, 'i64': ctypes.c_int64, 'i32': ctypes.c_int32,
                'i16': ctypes.c_int16, 'i8': ctypes.c_int8, 'i1': ctypes.c_bool, 'ui32': ctypes.c_uint32,
                'ui16': ctypes.c_uint16, 'ui8': ctypes.c_uint8, 'ui64': ctypes.c_uint64}


class Skip(Exception):
    """The program cannot be compared; the text says why."""


def run(words, **how):
    return subprocess.run(words, capture_output=True, text=True, timeout=20, errors='replace', **how)


class Program:
    def __init__(self, ptoasm, path, profile, level, folder):
        self.ptoasm, self.path, self.profile, self.folder = ptoasm, path, profile, folder
        self.judge = ['--profile=' + profile] + (['--compat=ptoas', '--level=' + level] if level else [])
        self.text = open(path, errors='replace').read()

    def describe(self):
        """Reads the only function that can be run, and its parameters."""
        out = run([self.ptoasm, 'run', '--list', '--profile=' + self.profile, self.path])
        lines = out.stdout.splitlines()
        if out.returncode or sum(line.startswith('@') for line in lines) != 1:
            raise Skip('no single function to run')
        self.name = lines[0][1:].split(',')[0]
        self.params = []
        for line in lines[1:]:
            word = re.match(r'\s*%(\S+)\s+(.*?\*|\S+)\s+(\S+)', line)
            if not word:
                raise Skip('a parameter of another kind')
            self.params.append((word.group(1), word.group(2).endswith('*'), word.group(3)))

    def compile(self, compiler, theirs=None):
        if re.search(r'bf16', self.text):
            raise Skip('bf16, which the simulator computes as f16')
        if re.search(r'pto\.\w*initialize_\w*pipe|sync\.set|set_cross', self.text):
            raise Skip('several cores')
        text = self.folder + '/k.cpp'
        if theirs:
            shutil.copy(theirs, text)
        else:
            out = run([self.ptoasm, 'emit', '--to=cpp', '--no-comments', self.path, '-o', text] + self.judge)
            if out.returncode:
                raise Skip('no C++: ' + (out.stderr.splitlines() or [''])[0])
        names = [m.group(1) for m in re.finditer(r'AICORE void (\w+)\(', open(text).read())]
        name = self.name if self.name in names else names[-1] if len(names) == 1 else None
        if name is None:
            raise Skip('no function of this name in C++')
        with open(text, 'a') as f:
            f.write(DRIVER.replace('NAME', name))
        self.library = self.folder + '/k.so'
        out = run([w for w in compiler.flags if w != '-fsyntax-only'] + ['-O1', '-fPIC', '-shared', text, '-o', self.library])
        if out.returncode:
            raise Skip('does not compile: ' + (out.stderr.splitlines() or [''])[0])

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
        return run([self.ptoasm, 'run', '--profile=' + self.profile, '--entry=' + self.name, self.path] +
                   self.words(n, arrays))

    def shapes(self):
        """Finds integers with which the program runs, and takes the arrays that its views imply."""
        for n in SCALARS:
            out = self.call(n, lambda i: 'zeros>%s/s%d.npy' % (self.folder, i))
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

    def simulate(self, n, arrays):
        """Runs the C++ in a process of its own: a fault or an assertion of the simulator ends that only."""
        for name, pointer, elem in self.params:
            if not pointer and elem not in SCALAR_TYPES:
                raise Skip('a parameter of type ' + elem)
        words = [('a', str(i)) if pointer else (elem, repr(self.scalar(name, elem, n)))
                 for i, (name, pointer, elem) in enumerate(self.params)]
        out = run([sys.executable, os.path.abspath(__file__), '--child', self.folder] + ['='.join(w) for w in words])
        if out.returncode:
            return None
        return {i: numpy.load('%s/o%d.npy' % (self.folder, i)) for i in arrays}

    def compare(self, seed, n):
        arrays = self.inputs(seed)
        out = self.call(n, lambda i: '%s/i%d.npy>%s/c%d.npy' % (self.folder, i, self.folder, i))
        if out.returncode:
            raise Skip('does not run on this data: ' + (out.stderr.splitlines() or [''])[0])
        theirs = self.simulate(n, arrays)
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


def child(folder, words):
    arrays, values = {}, []
    for kind, value in (word.split('=') for word in words):
        if kind == 'a':
            arrays[value] = numpy.load('%s/i%s.npy' % (folder, value))
            values.append(ctypes.c_void_p(arrays[value].ctypes.data))
        else:
            values.append(SCALAR_TYPES[kind](float(value) if kind == 'f32' else int(value)))
    store = [ctypes.cast(ctypes.byref(v), ctypes.c_void_p) for v in values]
    ctypes.CDLL(folder + '/k.so').run_it((ctypes.c_void_p * max(len(store), 1))(*store))
    for value, a in arrays.items():
        numpy.save('%s/o%s.npy' % (folder, value), a)


def outcome(ptoasm, compiler, path, profile, level, theirs=None):
    """Returns what happened, why, and the program's text."""
    with tempfile.TemporaryDirectory() as folder:
        program = Program(ptoasm, path, profile, level, folder)
        try:
            program.describe()
            program.compile(compiler, theirs)
            n = program.shapes()
            for seed in SEEDS:
                wrong = program.compare(seed, n)
                if wrong:
                    return 'differs', '%%%s of @%s' % (wrong, program.name), program.text
            return 'same', '', program.text
        except Skip as why:
            return 'skipped', str(why), ''
        except subprocess.TimeoutExpired:
            return 'skipped', 'takes too long', ''


def judge(ptoasm, compiler, path, profile, level, theirs):
    """The same, `worse` where the C++ of the corpus gives the results and ours does not, twice, or `neither` where both
    texts run and do not give them."""
    for _ in range(2):
        kind, why, text = outcome(ptoasm, compiler, path, profile, level)
        ours = kind == 'differs' or re.match('the simulator stops|does not compile', why)
        if not ours or not theirs:
            return kind, why, text
        if outcome(ptoasm, compiler, path, profile, level, theirs)[0] != 'same':
            return 'neither' if kind == 'differs' else kind, why, text
    return 'worse', 'the C++ of the corpus gives the results: ' + why, text


def main():
    if sys.argv[1] == '--child':
        child(sys.argv[2], sys.argv[3:])
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
        listed += [(corpus + '/' + path, *rest) for path, *rest in device.programs(corpus)]
    listed = listed[part - 1::parts]
    known = {}
    here = os.path.dirname(os.path.abspath(__file__))
    for line in open(here + '/simulate.tsv').read().splitlines():
        path, profile, why = line.split('\t')
        known[path, profile] = why
    instructions, count, bad, skips = set(), collections.Counter(), [], {}
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        compiler = device.Compiler(include, folder, ['-fPIC', '-O1'])
        jobs = [pool.submit(judge, ptoasm, compiler, *row) for row in listed]
        for (path, profile, *_), job in zip(listed, jobs):
            kind, why, text = job.result()
            name = re.sub(r'.*/(samples|accept)/', r'\1/', path)
            count[kind] += 1
            if kind == 'same':
                instructions.update(re.findall(r'\bpto\.[a-z_.0-9]+', re.sub(r'//.*', '', text)))
            if kind == 'skipped':
                key = why.split(':')[0]
                skips[key] = skips.get(key, 0) + 1
            if '-v' in sys.argv:
                print('# %s %s %s %s' % (kind, profile, name, why), flush=True)
            if kind == 'worse' or (kind == 'differs' and (name, profile) not in known):
                bad.append('%s %s: %s' % (name, profile, why))
    for line in bad:
        print('# ' + line)
    for why, n in sorted(skips.items(), key=lambda x: -x[1]):
        print('# %d skipped: %s' % (n, why))
    used = sorted(i for i in instructions if not re.search('tile_buf|tensor_view|ptr|pipe|target_arch|entry', i))
    print('# instructions that ran: %d: %s' % (len(used), ' '.join(used)))
    print('%s 1 - %d programs give the same results, %d differ as known' %
          ('not ok' if bad or not count['same'] else 'ok', count['same'], count['differs'] - len(bad)))
    print('1..1')
    return 1 if bad or not count['same'] else 0


if __name__ == '__main__':
    sys.exit(main())
