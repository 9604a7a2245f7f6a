#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A byte of `loc(...)` costs no more instructions than a byte of the program without.

usage: locations.py PTOASM

Counts the instructions of `ptoasm check` with valgrind; without valgrind it is skipped. Prints the figures and TAP.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from tap import Tap

PTOASM = os.path.realpath(sys.argv[1])
STATEMENTS = 4000


def program(location):
    """Statements with the text that `location` returns for each, 200 in a function."""
    lines = ['module {']
    for i in range(STATEMENTS):
        if i % 200 == 0:
            lines.append('  func.func @k%d(%%s: f32) {\n    %%t = pto.alloc_tile : !pto.tile_buf<vec, 32x32xf32>' % i)
        lines.append('    pto.tadds ins(%t, %s : !pto.tile_buf<vec, 32x32xf32>, f32) '
                     'outs(%t : !pto.tile_buf<vec, 32x32xf32>)' + location(i))
        if i % 200 == 199:
            lines.append('    return\n  }')
    return '\n'.join(lines + ['}', ''])


def instructions(folder, text):
    path = os.path.join(folder, 'k.pto')
    with open(path, 'w', encoding='utf-8') as f:
        f.write(text)
    # Settings of a test run that fill memory count as instructions.
    env = {k: v for k, v in os.environ.items() if not k.startswith('MALLOC_')}
    r = subprocess.run(['valgrind', '--tool=callgrind', '--callgrind-out-file=' + os.path.join(folder, 'out'), PTOASM,
                        'check', '-j1', path], capture_output=True, text=True, check=True, env=env)
    return int(re.search(r'Collected : (\d+)', r.stderr).group(1))


def main():
    tap = Tap()
    if shutil.which('valgrind') is None:
        tap.skip('a byte of loc', 'valgrind is not installed')
        tap.end()
    with tempfile.TemporaryDirectory() as folder:
        start = instructions(folder, 'module {\n}\n')
        plain = program(lambda i: '')
        base = instructions(folder, plain)
        each = (base - start) / len(plain)
        aliases = ''.join('#loc%d = loc("silu.py":%d:5)\n' % (i, i + 1) for i in range(STATEMENTS))
        for name, text in (('written out', program(lambda i: ' loc("silu.py":%d:5)' % (i + 1))),
                           ('as aliases', program(lambda i: ' loc(#loc%d)' % i) + aliases),
                           ('of calls', program(lambda i: ' loc(callsite("silu.py":%d:5 at "main.py":7:3))' % (i + 1)))):
            cost = (instructions(folder, text) - base) / (len(text) - len(plain))
            print('# locations %s: %.1f instructions for a byte, %.1f for a byte without' % (name, cost, each))
            tap.ok(cost <= each, 'locations ' + name, '%.1f > %.1f' % (cost, each))
    tap.end()


main()
