#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""device.py PTOASM [--all]: the C++ for devices. The calls of the library have the names, the order and the template
arguments that they have in the C++ of the corpus, except for the programs of device.tsv, which has the reasons and must be
right both ways; and what is printed compiles where that C++ does: a slice of the programs, with --all each of them. Prints
TAP; skips without PTOASM_CORPUS, and the second part without PTO_ISA_INCLUDE or clang++-19."""
import collections
import concurrent.futures
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

CALL = re.compile(r'\b((?:pto::comm::)?(?:T[A-Z][A-Z0-9_]+|MGATHER|MSCATTER|SYNCALL|SET_QUANT_\w+)|set_flag|wait_flag|'
                  r'pipe_barrier|get_buf|rls_buf|dcci|dsb|trap)\s*(<(?:[^<>;()]|<(?:[^<>;()]|<[^<>;()]*>)*>)*>)?\s*\(')
SLICE = 200           # every so many programs are compiled
OWN_SLICE = 3         # and of our own
SAME_CALLS = 0.95     # of the programs
PRINTED = 0.97        # the vendor prints none either for some that it accepts, as pipes of a2 without slots
TILES = re.compile('backend=vpto')  # programs that the vendor compiles without C++


def calls(text):
    """Lists the calls of the library with their template arguments; helper functions are left out."""
    text = re.sub(r'//[^\n]*', '', text)
    text = re.sub(r'(?s)(static AICORE inline|template <)[^;{]*\{.*?\n\};?(\n|$)', '', text)
    return [(m.group(1).replace('pto::comm::', ''), re.sub(r'\s+|pto::', '', m.group(2) or '')) for m in CALL.finditer(text)
            if m.group(1) not in ('TASSIGN', 'TPipe')]


def programs(corpus, only=None):
    """Lists the path, profile and level of each accepted program, and the C++ of the corpus for it or None: the programs of
    its backend for C++, or those whose line in the index has a pattern."""
    found = []
    for line in open(corpus + '/INDEX.tsv').read().splitlines()[1:]:
        path, _, profiles, level, verdict = line.split('\t')[:5]
        if verdict != 'accept' or not (only.search(line) if only else 'backend=vpto' not in line):
            continue
        key = re.sub(r'[^A-Za-z0-9]+', '_', re.sub(r'^(accept/PTOAS-0\.60/)?test/', '', path))[:130]
        for profile in profiles.split(','):
            theirs = '%s/cpp/%s.%s.cpp' % (corpus, key, profile)
            if profile in ('a2a3', 'a5'):
                found.append((path, profile, level.split(',')[0][-1], theirs if os.path.exists(theirs) else None))
    return found


def own_programs(golden):
    """Lists the path of each golden test about C++ and the options of each of its commands that succeed."""
    for path in sorted(glob.glob(golden + '/device_*.pto')):
        for run in re.findall(r'// RUN: emit (.*) %s -o -\n(?!// EXIT)', open(path).read()):
            yield path, run.split()


class Compiler:
    """clang with the library's headers compiled once."""

    def __init__(self, include, folder, more=()):
        self.flags = ['clang++-19', '-std=c++20', '-w', '-D__CPU_SIM', '-D__DAV_VEC__', '-D__DAV_CUBE__', '-I' + include,
                      '-include', 'cstdint', *more]
        header = folder + '/pre.hpp'
        with open(header, 'w') as f:
            f.write('#include "pto/pto-inst.hpp"\n')
        subprocess.run(self.flags + ['-x', 'c++-header', header, '-o', header + '.pch'], check=True)
        self.flags += ['-include-pch', header + '.pch', '-fsyntax-only', '-ferror-limit=1']

    def faults(self, path):
        run = subprocess.run(self.flags + [path], capture_output=True, text=True)
        return run.stderr.splitlines()[:1] if run.returncode else None


def main():
    ptoasm, compile_all = sys.argv[1], '--all' in sys.argv
    corpus, include = os.environ.get('PTOASM_CORPUS'), os.environ.get('PTO_ISA_INCLUDE')
    if not corpus:
        print('1..0 # SKIP PTOASM_CORPUS names no corpus')
        return
    with tempfile.TemporaryDirectory() as folder:
        listed = programs(corpus) + programs(corpus, TILES)
        here = os.path.dirname(os.path.abspath(__file__))
        known = {tuple(line.split('\t')[:2]) for line in open(here + '/device.tsv').read().splitlines()}

        def emit(number):
            path, profile, level, _ = listed[number]
            out = '%s/%d.cpp' % (folder, number)
            run = subprocess.run([ptoasm, 'emit', '--to=cpp', '--compat=ptoas', '--no-comments', '--profile=' + profile,
                                  '--level=' + level, corpus + '/' + path, '-o', out], capture_output=True, text=True)
            if run.returncode == 0:
                return out
            if run.returncode != 3 or 'error:' not in run.stderr:
                raise SystemExit('%s for %s: exit code %d' % (path, profile, run.returncode))
            return None

        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            texts = list(pool.map(emit, range(len(listed))))
            printed = sum(t is not None for t in texts)
            lost = [row[0] for row, text in zip(listed, texts) if row[3] and text is None]
            for path in lost:
                print('# not printed, and the corpus has C++: ' + path)
            fine = not lost and printed >= PRINTED * len(listed)
            print('%s 1 - %d of %d programs are printed, and all with C++ in the corpus' %
                  ('ok' if fine else 'not ok', printed, len(listed)))

            def same(number):
                theirs = listed[number][3]
                return calls(open(texts[number]).read()) == calls(open(theirs).read())

            pairs = [i for i, row in enumerate(listed) if row[3] and texts[i]]
            equal = list(pool.map(same, pairs))
            others = {listed[i][:2] for i, good in zip(pairs, equal) if not good}
            for path, profile in sorted(others ^ known):
                print('# %s %s: %s' % (path, profile, 'the same calls' if (path, profile) in known else 'other calls'))
            good = others == known and sum(equal) >= SAME_CALLS * len(pairs) > 0
            print('%s 2 - %d of %d have the calls of the corpus' % ('ok' if good else 'not ok', sum(equal), len(pairs)))
            if not include or shutil.which('clang++-19') is None:
                print('ok 3 # SKIP PTO_ISA_INCLUDE or clang++-19 is missing')
                print('ok 4 # SKIP as 3')
                print('1..4')
                sys.exit(0 if fine and good else 1)
            compiler = Compiler(include, folder)

            def compiles(number):
                ours = compiler.faults(texts[number])
                theirs = listed[number][3]
                if ours is None:
                    return 'compile', ''
                without = not theirs or compiler.faults(theirs) is not None
                return 'neither' if without else 'ours not', '%s %s: %s' % (listed[number][:2] + (ours[:1],))

            chosen = pairs if compile_all else pairs[::SLICE]
            results = list(pool.map(compiles, chosen))

            def own(numbered):
                number, (path, options) = numbered
                out = '%s/own%d.cpp' % (folder, number)
                subprocess.run([ptoasm, 'emit', *options, path, '-o', out], capture_output=True, check=True)
                faults = compiler.faults(out)
                return faults and '%s %s: %s' % (path, ' '.join(options), faults[0])
            own_results = list(pool.map(own, enumerate(list(own_programs(here + '/../golden/emit'))[::1 if compile_all else OWN_SLICE])))
        count = collections.Counter(kind for kind, _ in results)
        for kind, why in results:
            if kind == 'ours not':
                print('# ' + why)
        clean = count['ours not'] == 0 and count['compile'] > 0
        print('%s 3 - of %d programs %d compile, for %d neither text does' %
              ('ok' if clean else 'not ok', len(chosen), count['compile'], count['neither']))
        own_faults = [why for why in own_results if why]
        for why in own_faults:
            print('# ' + why)
        own_clean = len(own_results) > (10 if compile_all else 3) and not own_faults
        print('%s 4 - %d of %d texts of our own programs compile' %
              ('ok' if own_clean else 'not ok', len(own_results) - len(own_faults), len(own_results)))
        print('1..4')
        sys.exit(0 if fine and good and clean and own_clean else 1)


if __name__ == '__main__':
    main()
