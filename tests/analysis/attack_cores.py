#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Attacks the proof between the cores of a block: generates launches, asks `check` for a verdict, and executes them with an
interpreter that shares nothing with the proof, in random orders and with one access held back at a time.

usage: attack_cores.py PTOASM [--programs=N] [--seconds=N] [--seed=N] [--keep=FOLDER]

A failure is "proved" and a run that stops, races, leaves something over, uses an entry that is freed or counts more than 15
signals; and an error about it and no such run. Program S of seed N is generated from N + S alone. Prints TAP."""
import argparse
import collections
import itertools
import os
import random
import re
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), 'attack'))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from cores import Machine, TooLong
from launches import Launch, Writer
from tap import Tap

ENV = dict(os.environ, LC_ALL='C', NO_COLOR='1')
NUMBERS = {'n': (0, 1, 2, 3, 5, 9, 17), 'm': (0, 1, 2, 4), 'k': (0, 1)}
# What errors say, and the findings of runs that they may mean.
ERRORS = {'sync-deadlock': {'deadlock'}, 'sync-race': {'race'}, 'sync-leak': {'left'}, 'sync-overflow': {'overflow', 'deadlock'},
          'sync-freed': {'freed'}}


def runs(launch, most, rng, more):
    """Machines with different numbers, orders and accesses held back; the first ones without."""
    numbers = dict(NUMBERS, n=NUMBERS['n'] + more, m=NUMBERS['m'] + more)
    every = [dict(zip(numbers, v)) for v in itertools.product(*numbers.values())]
    for turn in range(most):
        for numbers in rng.sample(every, 12 if turn == 0 else 4):
            for groups in (False, True) if turn == 0 else (False,):
                try:
                    yield Machine(launch, numbers, rng, groups, -1 if turn == 0 else rng.randrange(40)), groups
                except TooLong:
                    pass


def findings_of(launch, most, rng, enough=(), more=()):
    """What is found in runs, also with the numbers `more`; stops when something of `enough` is."""
    found = set()
    for machine, groups in runs(launch, most, rng, more):
        new = machine.run()
        found |= new & {'deadlock'} if groups else new
        if found.intersection(enough):
            break
    return found


def verdict(ptoasm, launch, path):
    sync = '--sync=report' if launch.bare else '--sync=all,report'
    done = subprocess.run([ptoasm, 'check', '--profile=' + launch.profile, '--level=3', sync, '-Wno-no-sync', path],
                          capture_output=True, text=True, env=ENV, timeout=60, check=False)
    row = re.search(r': between cores: (.*)', done.stdout)
    errors = {m.group(1) for m in re.finditer(r': error: .*\[([\w-]+)\]$', done.stderr, re.M)}
    return done.returncode, row.group(1) if row else None, errors, done.stderr


class Attack:
    def __init__(self, options):
        self.options, self.count = options, collections.Counter()
        self.wrong, self.false, self.broken = [], [], []

    def keep(self, seed, text):
        if self.options.keep:
            with open(os.path.join(self.options.keep, '%d.pto' % seed), 'w', encoding='utf-8') as f:
                f.write(text)

    def attack(self, seed, path):
        rng = random.Random(seed)
        launch = Launch(rng, rng.choice(('a2a3', 'a5')))
        text = Writer(launch).text()
        with open(path, 'w', encoding='utf-8') as f:
            f.write(text)
        code, row, errors, said = verdict(self.options.ptoasm, launch, path)
        if code < 0 or row is None or not all(e.startswith('sync-') for e in errors):
            self.broken.append('program %d: %s' % (seed, said))
            return
        if not errors <= set(ERRORS):
            self.count['wrong in a core'] += 1
            return
        if row.startswith('proved') and not errors:
            self.count['proved'] += 1
            bad = {'deadlock', 'left', 'overflow'} | (set() if launch.bare else {'freed'})
            bad |= set() if 'but for the order' in row else {'race'}
            found = findings_of(launch, 8, rng, bad) & bad
            if found:
                self.wrong.append('program %d (%s): %s' % (seed, launch.profile, found))
                self.keep(seed, text)
        elif row.startswith('proved') and 'sync-freed' not in errors:
            self.count['wrong in a core'] += 1
        elif errors:
            self.blame(seed, launch, errors, rng, text)
        else:
            self.count['not understood'] += 1

    def blame(self, seed, launch, errors, rng, text):
        """Looks for a run with what the errors say; those of a core alone are not looked for."""
        wanted = set().union(*(ERRORS[e] for e in errors)) if errors else set()
        self.count['errors'] += 1
        more = (40,) if wanted & {'overflow', 'deadlock'} else ()
        if wanted and wanted != {'race'} and not findings_of(launch, 20, rng, wanted, more) & wanted:
            self.false.append('program %d (%s): %s' % (seed, launch.profile, sorted(errors)))
            self.keep(seed, text)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('ptoasm')
    parser.add_argument('--programs', type=int, default=0)
    parser.add_argument('--seconds', type=int, default=0)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--keep')
    options = parser.parse_args()
    attack, tap, begin, n = Attack(options), Tap(), time.time(), 0
    with tempfile.TemporaryDirectory() as folder:
        while n < options.programs or time.time() - begin < options.seconds:
            attack.attack(options.seed + n, os.path.join(folder, 'k.pto'))
            n += 1
    count = attack.count
    tap.ok(not attack.broken, 'all programs are judged', '\n'.join(attack.broken[:3]))
    tap.ok(not attack.wrong, 'none of %d launches that are proved has a bad run' % count['proved'], '\n'.join(attack.wrong))
    tap.ok(50 * len(attack.false) <= count['errors'], '%d of %d errors have no run that shows them' % (len(attack.false), count['errors']),
           '\n'.join(attack.false))
    tap.ok(8 * count['proved'] > n and 8 * count['errors'] > n and 10 * count['not understood'] < n, 'of %d: %s' % (n, dict(count)), count)
    tap.end()


main()
