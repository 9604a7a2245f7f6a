#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""both_ways.py PTOASM FILE...: kernels on logical vectors, and what `fmt --lower=micro` makes of them, write the same bytes.

Each line `// ARGS: ..` of a FILE is a run: its words follow an array of random bytes and the array that is compared, which
have 4096 bytes each. A run `// LEAVES: ..` must leave the memory both ways. TAP on standard output."""
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from tap import Tap, need_numpy

need_numpy('both ways')
import numpy as np

BYTES = 4096


def run(ptoasm, path, folder, words):
    """The bytes that a kernel writes, and what is said when it fails."""
    done = subprocess.run([ptoasm, 'run', '--profile=a5', '--color=never', str(path), str(folder / 'x.npy'),
                           'zeros:%d>%s' % (BYTES, folder / 'y.npy'), *words], capture_output=True, text=True, timeout=60)
    return (np.load(folder / 'y.npy'), '') if done.returncode == 0 else (None, done.stderr)


def main():
    ptoasm, tap = sys.argv[1], Tap()
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        np.save(folder / 'x.npy', np.random.default_rng(7).integers(0, 256, BYTES).astype('u1'))
        for path in map(pathlib.Path, sys.argv[2:]):
            lowered = folder / path.name
            done = subprocess.run([ptoasm, 'fmt', '--lower=micro', '--profile=a5', '--color=never', str(path), '-o', str(lowered)],
                                  capture_output=True, text=True, timeout=60)
            runs = [line.split() for line in path.read_text().splitlines() if line.startswith(('// ARGS:', '// LEAVES:'))]
            tap.ok(done.returncode == 0 and bool(runs), '%s is lowered, and has runs' % path.name, done.stderr)
            for _, what, *words in runs if done.returncode == 0 else []:
                (want, why), (got, why_not) = run(ptoasm, path, folder, words), run(ptoasm, lowered, folder, words)
                if what == 'LEAVES:':
                    fine, details = ' leave vec,' in why and ' leave vec,' in why_not, 'directly: %s\nlowered: %s' % (why, why_not)
                elif want is None or got is None:
                    fine, details = False, why or why_not
                else:
                    fine, details = bool((want == got).all()), 'other bytes at %s' % np.flatnonzero(want != got)[:5]
                tap.ok(fine, '%s %s' % (path.name, ' '.join(words)), details)
    tap.end()


main()
