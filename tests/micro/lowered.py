#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""lowered.py PTOASM PERCENT [--every=N]: lowers kernels of others on logical vectors and runs what they become.

The cases are below $PTOASM_CORPUS/vmi/golden, as those of cases.py. `fmt --lower=micro` must lower PERCENT of the kernels; it
may refuse the others with [conversion] errors. What it writes must be legal under both sets of rules, have no logical vectors,
and give the numbers that the case compares. --every: one of N cases. TAP on standard output."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from cases import Case, np
from tap import Tap


class Lowered(Case):
    def __init__(self, ptoasm, root, folder):
        self.ptoasm, self.root, self.folder, self.options = ptoasm, root, folder, []
        self.facts = json.loads((folder / 'case.json').read_text())
        self.name = folder.name

    def command(self, *words):
        return subprocess.run([self.ptoasm, *words], capture_output=True, text=True, timeout=120)

    def lower(self, scratch):
        """Lowers the kernel, which the case then runs. Returns whether it was lowered, and what is wrong."""
        text = pathlib.Path(scratch) / 'lowered.pto'
        done = self.command('fmt', '--lower=micro', '--profile=a5', '--color=never', str(self.root / self.facts['kernel']))
        if done.returncode != 0:
            errors = [line for line in done.stderr.splitlines() if ': error: ' in line]
            known = errors and all(line.endswith('[conversion]') for line in errors) and done.stdout == ''
            return False, None if known else done.stderr
        text.write_text(done.stdout)
        self.facts['kernel'] = str(text)
        if 'pto.vmi.' in '\n'.join(line.split('//')[0] for line in done.stdout.splitlines()):
            return True, 'logical vectors are left'
        for rules in ([], ['--compat=ptoas']):
            checked = self.command('check', '--color=never', *rules, str(text))
            if checked.returncode != 0:
                return True, checked.stderr
        return True, None


def main():
    tap, corpus = Tap(), os.environ.get('PTOASM_CORPUS')
    if not corpus or np is None:
        tap.skip('lowered cases', 'PTOASM_CORPUS is not set' if not corpus else 'no python3-numpy')
        tap.end()
    root, every, count, lowered = pathlib.Path(corpus), 1, 0, 0
    for option in sys.argv[3:]:
        every = int(option.split('=')[1])
    for path in sorted((root / 'vmi' / 'golden').rglob('case.json'))[::every]:
        case = Lowered(sys.argv[1], root, path.parent)
        with tempfile.TemporaryDirectory() as scratch:
            is_lowered, fault = case.lower(scratch)
            count, lowered = count + 1, lowered + is_lowered
            tap.ok(fault is None, case.name + (', lowered' if is_lowered else ', refused'), fault)
            if is_lowered and fault is None:
                fault = case.fault()
                tap.ok(fault is None, case.name + ', numbers', fault)
    tap.ok(count > 0, 'there are cases')
    tap.ok(lowered * 100 >= int(sys.argv[2]) * count, '%s percent are lowered' % sys.argv[2], '%d of %d' % (lowered, count))
    tap.end()


main()
