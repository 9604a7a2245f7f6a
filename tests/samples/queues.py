# SPDX-License-Identifier: Apache-2.0
"""The samples of queues between cores against numpy: queues.py PTOASM SAMPLES. Prints TAP.

For each profile, several numbers of chunks and blocks (more entries than the queue has slots), whole numbers, whose
products are exact, and fractions, whose sums depend on the order.
"""
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from tap import Tap, need_numpy

need_numpy('queues')
import numpy

PTOASM, SAMPLES = map(os.path.realpath, sys.argv[1:3])
tap = Tap()


def matrices(seed, whole, *shapes):
    r = numpy.random.default_rng(seed)
    return [(r.integers(-2, 3, s) if whole else r.normal(size=s)).astype('float16') for s in shapes]


def compare(title, sample, arguments, names, expected, whole, options=()):
    """Runs a sample on arrays; the result %y must be as expected."""
    for name, array in zip(names, arguments):
        numpy.save(name, array)
    numpy.save('y', expected)
    tolerance = [] if whole else ['--rtol=0.002', '--atol=0.05']
    for profile in ('cpu', 'a2a3', 'a5'):
        words = [PTOASM, 'run', '--profile=' + profile, '--expect=y=y.npy', *tolerance, *options,
                 os.path.join(SAMPLES, 'queues', sample)] + [f'{n}={n}.npy' for n in names] + ['y=zeros', 'slots=zeros']
        done = subprocess.run(words + [title], capture_output=True, text=True, check=False)
        kind = 'whole numbers' if whole else 'fractions'
        tap.ok(done.returncode == 0, f'{sample}, {title}, {profile}, {kind}', done.stderr)


def product(a, b):
    return a.astype('float32') @ b.astype('float32')


with tempfile.TemporaryDirectory() as work:
    os.chdir(work)
    for whole in (True, False):
        for chunks in (1, 2, 8, 9, 30):
            a, b = matrices(chunks, whole, (32 * chunks, 64), (64, 32))
            compare(f'chunks={chunks}', 'sections.pto', (a, b), 'ab', numpy.maximum(product(a, b), 0), whole)
        for blocks in (1, 3, 7):
            a, b, c = matrices(blocks, whole, (32 * blocks, 64), (64, 32), (32, 64))
            middle = numpy.maximum(product(a, b), 0).astype('float16')
            compare(f'blocks={blocks}', 'functions.pto', (a, b, c), 'abc', product(middle, c), whole, [f'--grid={blocks}'])
    # A wrong result is seen.
    numpy.save('y', product(middle, c) + 1)
    done = subprocess.run([PTOASM, 'run', '--expect=y=y.npy', '--grid=7', '--rtol=0.002', '--atol=0.05',
                           SAMPLES + '/queues/functions.pto', 'a=a.npy', 'b=b.npy', 'c=c.npy', 'y=zeros', 'slots=zeros',
                           'blocks=7'], capture_output=True, text=True, check=False)
    tap.ok(done.returncode == 1 and 'differs' in done.stderr, 'another result is refused', done.stderr)
    os.chdir('/')
tap.end()
