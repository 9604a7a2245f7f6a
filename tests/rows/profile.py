#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: profile.py PTOASM SOURCE-FOLDER

A profile that is based on another one is two lines: here a6, which is a5 with a larger vec. The program with it
judges and emits each program of the golden tests and samples for a6 as PTOASM does for a5, but for what depends
on the capacity of vec. Prints TAP.
"""
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from tap import Tap
from tree import Edit, build

EDITS = [
    Edit('ir/profiles.def', 'PROFILE(A5, ', 'PROFILE(A6, "a6", BASED_ON(A5), .space[SPACE_VEC] = {1 << 20, 1 << 20})'),
    Edit('api/ptoasm.h', '    PTOASM_PROFILE_A5 = 4,', '    PTOASM_PROFILE_A6 = 8,'),
    Edit('api/ptoasm.h', '    PTOASM_PROFILE_ALL = 7', '    PTOASM_PROFILE_ALL = 15', replace=True),
]
# What depends on the capacities: findings, and the size of vec in a kernel with addresses from outside.
CAPACITY = re.compile(r'\[(capacity|address-range)\]')


def run(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors='replace', text=True)
    return done.returncode, done.stdout


def programs(source):
    for folder in ('tests/golden', 'samples'):
        for at, _, names in sorted(os.walk(os.path.join(source, folder))):
            yield from (os.path.join(at, name) for name in sorted(names) if name.endswith('.pto'))


def compare(tap, base, other, source, name, options):
    """Runs a command on each program for both profiles."""
    different, seen = [], Counter()
    for path in programs(source):
        code, text = run(base, *options, '--profile=a5', path)
        code6, text6 = run(other, *options, '--profile=a6', path)
        if CAPACITY.search(text):
            seen['capacity'] += 1
            continue
        seen[code] += 1
        text6 = text6.replace('[PTRT_VEC] = 1048576', '[PTRT_VEC] = 262144')
        # A program may have values of such a name, too.
        if (code, re.sub(r'\ba6\b', 'a5', text)) != (code6, re.sub(r'\ba6\b', 'a5', text6)):
            different.append('%s: exit codes %d and %d' % (os.path.relpath(path, source), code, code6))
    tap.ok(not different and seen[0] > 50 and seen[1] > 20, name, '\n'.join(['%r' % dict(seen)] + different[:20]))


def main():
    base, source = sys.argv[1:]
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        other = build(source, folder, EDITS, 'cli/ptoasm')
        for name, options in (
                ('judged as a5', ['check', '--lint', '--sync=all,report']),
                ('emitted as C as for a5', ['emit', '-o', '-']),
                ('emitted as C++ as for a5', ['emit', '--to=cpp', '--insert-sync', '-o', '-']),
                ('addresses and flags as for a5', ['fmt', '--addresses', '--insert-sync', '-o', '-'])):
            compare(tap, base, other, source, name, options)
        big = os.path.join(folder, 'big.pto')
        with open(big, 'w') as f:
            f.write('func.func @k(%s: f32) {\n  %t = pto.alloc_tile : !pto.tile_buf<vec, 128x1024xf32>\n'
                    '  pto.texpands ins(%s : f32) outs(%t : !pto.tile_buf<vec, 128x1024xf32>)\n  return\n}\n')
        tap.ok(run(base, 'check', '--profile=a5', big)[0] == 1 and run(other, 'check', '--profile=a6', big)[0] == 0,
               'a tile of 512 KiB fits into vec')
        code, text = run(other, 'check', '--profile=a7', big)
        tap.ok(code == 2 and 'a6' in text, 'the message about an unknown profile names it', text)
        code, text = run(other, 'explain', 'pto.tadds')
        tap.ok(code == 0 and ('a6' in text or 'all' in text), 'explain knows it', text)
    tap.end()


main()
