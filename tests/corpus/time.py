#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ptoasm time against the figures of others: time.py PTOASM SOURCE-FOLDER. Prints TAP.

Needs PTOASM_SPEC, the folder with timing-points.tsv and timing-kernels.tsv; skipped without it."""
import collections
import csv
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from tap import Tap  # noqa: E402

PTOASM = sys.argv[1]
SPEC = os.environ.get('PTOASM_SPEC', '')
CORPUS = os.environ.get('PTOASM_CORPUS', '')
tap = Tap()


def rows(text):
    return list(csv.DictReader((line for line in text.splitlines() if not line.startswith('#')), delimiter='\t'))


def kind(row):
    if row['instr'] in ('tload', 'tstore') or 'mat' in row['extra']:
        return 'transfer'
    return 'cube' if row['instr'].startswith('tmatmul') else 'vector'


def errors(law, points):
    """By source and kind: (relative error, absolute error) of each point."""
    done = subprocess.run([PTOASM, 'time', '--law=' + law, '--points=' + points], capture_output=True, text=True, check=False)
    tap.ok(done.returncode == 0 and done.stderr == '', 'law %s prices the points' % law, done.stderr)
    found = collections.defaultdict(list)
    for row in rows(done.stdout):
        want, is_ = float(row['cycles']), float(row['model'])
        found[row['source'], kind(row)].append((abs(is_ - want) / max(want, 1), abs(is_ - want)))
    return found


def share(of, test):
    return 100 * sum(test(*e) for e in of) / max(len(of), 1)


def at_least(name, is_, least, n):
    tap.ok(n > 0 and is_ >= least, '%s: %.2f %% of %d, at least %g %%' % (name, is_, n, least))


def exact(_, absolute):
    return absolute < 0.5


def check_points():
    points = os.path.join(SPEC, 'timing-points.tsv')
    vendor, device = errors('vendor', points), errors('device', points)
    calls = vendor['call', 'vector'] + vendor['call-count', 'vector'] + vendor['call', 'cube']
    at_least('vendor: vector and cube exact', share(calls, exact), 99, len(calls))
    moves = vendor['call', 'transfer']
    at_least('vendor: transfers exact', share(moves, exact), 99, len(moves))
    fits = device['fit', 'vector']
    mean = 100 * sum(e[0] for e in fits) / max(len(fits), 1)
    tap.ok(fits and mean <= 6, 'device: mean error %.2f %%, at most 6 %%' % mean)
    at_least('device: within 10 %', share(fits, lambda r, a: r <= 0.1), 80, len(fits))
    at_least('device: within 20 %', share(fits, lambda r, a: r <= 0.2), 95, len(fits))
    curves, steps = device['a5-fit', 'vector'], device['a5-vf', 'vector']
    at_least('a5: curves exact', share(curves, exact), 98, len(curves))
    at_least('a5: operations within 10 %', share(steps, lambda r, a: r <= 0.1), 95, len(steps))


def main():
    if not os.path.isfile(os.path.join(SPEC, 'timing-points.tsv')):
        tap.skip('points', 'PTOASM_SPEC is not set')
    else:
        check_points()
    tap.end()


main()
