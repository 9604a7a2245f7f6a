#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""vendor.py PTOASM MISSES CLIENTS: the command line and the text of the vendor's assembler. Its own tests about C++ run
with ptoasm as `ptoas` and LLVM's FileCheck; MISSES lists those that fail, with reasons, and must be right both ways. What its
clients do with the text leaves text that compiles, of so many programs. Prints TAP; skips without PTOASM_CORPUS or the
tools."""
import glob
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

import device

TESTS = '/accept/PTOAS-0.60/test/lit/pto/'
OTHERS = re.compile('vpto|vmi|simt|ptodsl|tilelang|fusion|backend.partition|oplib|REQUIRES|vfsim|soft-postupdate|'
                    'expand-tile|ptobc|python|insert-sync|graph-sync|bufid_sync|barrier-all|print-ir|emit-pto-ir')
NEED = 0.85


def run_lines(path):
    """Yields the RUN lines of a test, those that go on joined."""
    line = ''
    for text in open(path, errors='replace'):
        part = re.search(r'RUN:\s*(.*\S)', text)
        if part:
            line += part.group(1)
            if not line.endswith('\\'):
                yield line
                line = ''
            else:
                line = line[:-1] + ' '


def tool(name):
    for path in ('/usr/lib/llvm-19/bin/' + name, shutil.which(name + '-19'), shutil.which(name)):
        if path and os.path.exists(path):
            return path
    return None


def check_tests(ptoasm, misses, corpus, folder):
    check = tool('FileCheck')
    if check is None:
        print('ok 1 - tests of the vendor # SKIP no FileCheck')
        return True
    os.symlink(os.path.realpath(ptoasm), folder + '/ptoas')
    os.symlink(check, folder + '/FileCheck')
    env = dict(os.environ, PATH=folder + ':' + os.environ['PATH'])
    known = {line.split('\t')[0] for line in open(misses).read().splitlines()}
    lines, failed = 0, []
    for path in sorted(glob.glob(corpus + TESTS + '*.pto')):
        name = os.path.basename(path)
        for line in run_lines(path):
            if 'FileCheck' not in line or 'ptoas ' not in line or OTHERS.search(line) or OTHERS.search(name) or re.search(r'\bnot ptoas', line):
                continue
            lines += 1
            command = line.replace('%s', shlex.quote(path)).replace('%t', folder + '/t')
            run = subprocess.run(['bash', '-o', 'pipefail', '-c', command], env=env, capture_output=True)
            if run.returncode != 0:
                failed.append(name)
    wrong = sorted(set(failed) ^ known)
    for name in wrong:
        print('# %s: %s' % (name, 'passes' if name in known else 'fails'))
    good = not wrong and len(failed) <= (1 - NEED) * lines
    print('%s 1 - %d of %d run lines of the vendor pass' % ('ok' if good else 'not ok', lines - len(failed), lines))
    return good


def embedded(text):
    """Returns what a front end embeds: no includes, and entries that its own code calls."""
    text = re.sub(r'(?m)^#include.*\n|^using namespace pto;\n', '', text)
    text = text.replace('extern "C" __global__ AICORE void', 'static __aicore__ void')
    return re.sub(r'MGATHER(<[^(]*>)?\((\w+), (\w+), (\w+)\)', r'MGATHER\1(\2, \3, \4)', text)


def check_clients(ptoasm, clients, corpus, folder):
    include = os.environ.get('PTO_ISA_INCLUDE')
    if clients == 0:
        print('ok 2 - text in clients # SKIP in suite slow')
        return True
    if include is None or shutil.which('clang++-19') is None:
        print('ok 2 - text in clients # SKIP no PTO_ISA_INCLUDE or clang++-19')
        return True
    compiler = device.Compiler(include, folder)
    tried, faults = 0, []
    for path, profile, level, theirs in device.programs(corpus)[::61]:
        if tried == clients or theirs is None or compiler.faults(theirs):
            continue
        run = subprocess.run([ptoasm, 'ptoas', corpus + '/' + path, '--pto-arch', profile.replace('a2a3', 'a3'),
                              '--pto-level=level' + level], capture_output=True, text=True)
        if run.returncode != 0:
            continue
        tried += 1
        source = folder + '/client.cpp'
        with open(source, 'w') as f:
            f.write('#include "pto/pto-inst.hpp"\nusing namespace pto;\n#ifndef __aicore__\n#define __aicore__\n#endif\n' +
                    embedded(run.stdout))
        fault = compiler.faults(source)
        if fault:
            faults.append(path + ': ' + fault[0])
    for fault in faults:
        print('# ' + fault)
    good = tried >= clients // 2 > 0 and not faults
    print('%s 2 - %d texts compile as clients embed them' % ('ok' if good else 'not ok', tried))
    return good


def main():
    corpus = os.environ.get('PTOASM_CORPUS')
    if corpus is None:
        print('1..0 # SKIP PTOASM_CORPUS names no corpus')
        return 0
    with tempfile.TemporaryDirectory() as folder:
        good = [check_tests(sys.argv[1], sys.argv[2], corpus, folder),
                check_clients(sys.argv[1], int(sys.argv[3]), corpus, folder)]
    print('1..2')
    return 0 if all(good) else 1


sys.exit(main())
