#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether the figures of vector instructions only fit the measurements that they were chosen with: halves.py PTOASM. Prints TAP.

The measured curves are split in halves. On one half the figures are fitted anew, from those of the model of calls; on the other one
they must not be better than the built-in ones. Needs PTOASM_SPEC, the folder with timing-points.tsv and timing-a2a3.tsv."""
import collections
import os
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from tap import Tap  # noqa: E402

SPEC = os.environ.get('PTOASM_SPEC', '')
OPS = ('vadd', 'vsub', 'vmul', 'vmax', 'vmin', 'vadds', 'vmuls', 'vmins', 'vcadd', 'vcmax', 'vcmin', 'vector_dup')
WIDE = ('vdiv', 'vexp', 'vsqrt')  # with a slope for each width
STEPS = (2, 8, 8), (1, 4, 4), (1, 2, 2), (1, 1, 1)


def read(name):
    with open(os.path.join(SPEC, name), encoding='utf-8') as file:
        return [line.rstrip('\n') for line in file]


class Prices:
    def __init__(self, folder):
        self.points, self.params = os.path.join(folder, 'points.tsv'), os.path.join(folder, 'params.tsv')
        self.head = read('timing-points.tsv')[0]

    def errors(self, rows, figures):
        """The relative error of each row; no figures: the built-in ones."""
        with open(self.points, 'w', encoding='utf-8') as file:
            file.write('\n'.join([self.head] + rows) + '\n')
        with open(self.params, 'w', encoding='utf-8') as file:
            for (op, width), values in figures.items():
                file.write('op %s %s %g %g %g\n' % (op, width, *values))
        done = subprocess.run([sys.argv[1], 'time', '--points=' + self.points, '--params=' + self.params], capture_output=True, text=True, check=True)
        cells = (line.split('\t') for line in done.stdout.splitlines()[1:])
        return [abs(float(c[-1]) - float(c[9])) / max(float(c[9]), 1) for c in cells]

    def mean(self, rows, figures):
        return 100 * sum(self.errors(rows, figures)) / len(rows)

    def fit(self, rows, figures):
        """Changes one number at a time as long as that helps."""
        best = self.mean(rows, figures)
        for steps in STEPS:
            moved = True
            while moved:
                moved = False
                for key in list(figures):
                    for i in range(6):
                        values = list(figures[key])
                        values[i // 2] += steps[i // 2] * (1 - 2 * (i % 2))
                        if values[i // 2] < 0:
                            continue
                        other = {**figures, key: values}
                        error = self.mean(rows, other)
                        if error < best - 0.06:
                            best, figures, moved = error, other, True
        return figures


def main():
    tap = Tap()
    if not os.path.isfile(os.path.join(SPEC, 'timing-points.tsv')):
        tap.skip('halves', 'PTOASM_SPEC is not set')
        tap.end()
        return
    curves = collections.defaultdict(list)
    for row in read('timing-points.tsv'):
        cells = row.split('\t')
        if cells[0] == 'fit':
            curves[cells[2], cells[3], cells[5]].append(row)
    calls = {c[1]: [float(x) for x in c[3:6]] for c in (line.split('\t') for line in read('timing-a2a3.tsv')) if c[0] == 'vendor-op'}
    start = {(op, 'any'): calls[op] for op in OPS}
    start.update({(op, width): calls[op] for op in WIDE for width in '24'})
    fitted = built_in = 0
    with tempfile.TemporaryDirectory() as folder:
        prices = Prices(folder)
        for seed in range(3):
            keys = sorted(curves)
            random.Random(seed).shuffle(keys)
            half = [[row for key in keys[k::2] for row in curves[key]] for k in range(2)]
            found = prices.fit(half[0], start)
            errors = prices.mean(half[0], found), prices.mean(half[1], found), prices.mean(half[1], {})
            fitted += errors[1] / 3
            built_in += errors[2] / 3
            print('# half %d: fitted anew %.2f %% there, %.2f %% on the other half; built-in figures %.2f %% on that' % (seed, *errors))
    tap.ok(built_in <= 6, 'built-in figures on halves: %.2f %%' % built_in)
    tap.ok(built_in <= fitted + 1, 'figures that know one half are not better on the other: %.2f %%' % fitted)
    tap.end()


main()
