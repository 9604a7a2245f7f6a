#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Attacks the proof of the order of pipes: generates programs, executes each with many arguments, and compares what `check`
says of it with what a judge finds that shares nothing with the proof.

usage: attack.py PTOASM [--programs=N | --seconds=N] [--seed=N] [--without=FEATURE,..] [--keep=FOLDER] [--sanitize=N]

A failure is "proved" and a run with two accesses that nothing orders, a wait that never ends or a flag that stays; an error
and no such run; and the same of what `fmt --insert-sync` inserts. Each N-th program is also run by the sanitizer, which must
find what the judge finds. Program S of seed N is generated from N + S alone. With --keep small programs that show the
failures are written to FOLDER. Prints TAP."""
import argparse
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
import clocks
import machine
import make
import repair
import shrink
import text as reading
from integers import Undefined
from tap import Tap

BATCH = 40
MOST_REPAIRS = 40
ANY_PATH = 6
ENV = dict(os.environ, LC_ALL='C', NO_COLOR='1')
ENV['ASAN_OPTIONS'] = ':'.join(filter(None, [ENV.get('ASAN_OPTIONS'), 'exitcode=99']))
REPORT = re.compile(r'^(.*?):(\d+): @\w+: synchronisation(?: of each core)?: (.*)$', re.M)
ERROR = re.compile(r'^(.*?):(\d+):\d+: (error|warning): (.*) \[([\w-]+)\]$', re.M)
# The arguments: every value that changes a path or a place of the generated programs.
DOMAIN = {'%n': (0, 1, 2, 3, 4, 7), '%m': (0, 1, 2, 3, 8), '%c': (0, 1)}


def arguments(function, count, chance):
    """Numbers for the parameters; all combinations, or some of them."""
    names = [n for n, t in function.parameters if not t.startswith('!')]
    every = [dict(zip(names, v)) for v in itertools.product(*(DOMAIN.get(n, range(4)) for n in names))]
    return every if len(every) <= count else chance.sample(every, count)


class Verdict:
    """What the judge finds in one function: findings of each run that has one."""

    def __init__(self):
        self.runs, self.tried, self.findings, self.numbers = {}, {}, [], None
        self.left_out = None  # a finding of a run that the proof leaves out, if it says so

    def has_run(self):
        """Often enough on each kind of core to say that something never happens."""
        return all(3 * self.runs.get(core, 0) >= n for core, n in self.tried.items())

    def is_sometimes_undefined(self):
        """Whether some runs, but not all on a kind of core, leave what is defined: nothing is known of those."""
        return any(0 < n < self.tried[core] for core, n in self.runs.items())


def judge_function(function, profile, every, is_documented=False, chance=None):
    """every: the arguments of each run. With `chance`, conditions hold or not by chance."""
    verdict = Verdict()
    for numbers in every:
        for core in ('vector', 'cube'):
            if function.kind not in (None, core):
                continue
            verdict.tried[core] = verdict.tried.get(core, 0) + 1
            try:
                events, is_left_out = machine.run(function, profile, core, numbers, chance)
            except Undefined:
                continue
            verdict.runs[core] = verdict.runs.get(core, 0) + 1
            found = clocks.judge(events, profile, is_documented)
            if found and is_left_out:
                verdict.left_out = found[0]
            elif found and not verdict.findings:
                verdict.findings, verdict.numbers = found, numbers
    return verdict


def entries(functions):
    """Functions that no other calls on their kind of core."""
    called = set()

    def walk(module, regions, kind):
        for block in (b for r in regions for b in r):
            for s in block.statements:
                if s.name == 'func.call':
                    callee = module.functions[re.match(r'@(\w+)', s.text).group(1)]
                    if kind is None or callee.kind in (None, kind):
                        called.add(callee)
                section = s.name[len('pto.section.'):] if s.name.startswith('pto.section.') else kind
                walk(module, s.regions, section)

    for f in functions:
        walk(f.module, f.regions, f.kind)
    return [f for f in functions if f not in called]


class Case:
    """A text; `bare`: what insertion made it of."""

    def __init__(self, label, profile, text, is_inserted=False, bare=None):
        self.label, self.profile, self.text, self.is_inserted, self.bare = label, profile, text, is_inserted, bare
        self.verdicts, self.failures, self.report = {}, [], {}

    def judge(self, chance, count=10):
        self.verdicts = {f.line: judge_function(f, self.profile, arguments(f, count, chance), self.is_inserted)
                         for f in entries(reading.read(self.text))}
        return self

    def has_bad_path(self):
        """Whether any arguments, or any path, has a finding or may have one."""
        for f in entries(reading.read(self.text)):
            every = arguments(f, 1 << 30, None)
            exact = judge_function(f, self.profile, every, self.is_inserted)
            chance = judge_function(f, self.profile, every * ANY_PATH, self.is_inserted, random.Random(0))
            if exact.is_sometimes_undefined() or any(v.findings or v.left_out for v in (exact, chance)):
                return True
        return False

    def witness(self):
        return next((v for v in self.verdicts.values() if v.findings), None)

    def compare(self, reports, errors):
        """What `check` said of it against what the judge found."""
        self.said = ', '.join('line %d %s' % r for r in reports) + ''.join('; line %d: %s' % e for e in errors)
        for line, said in reports:
            found = self.verdicts.get(line)
            if found and found.findings and said.startswith('proved'):
                self.failures.append(('missed', '%s with %s' % (found.findings[0], found.numbers)))
            elif found and found.left_out and said.startswith('proved') and 'strides' not in said:
                self.failures.append(('missed', '%s, with an assumption that is not said' % found.left_out))
        if errors and not self.witness() and all(v.has_run() for v in self.verdicts.values()):
            if not self.has_bad_path():
                self.failures.append(('invented', 'line %d: %s' % errors[0]))


class Attack:
    def __init__(self, ptoasm, seed, features):
        self.ptoasm, self.seed, self.features = ptoasm, seed, features
        self.folder = tempfile.TemporaryDirectory()
        self.counts = {}

    def count(self, what, by=1):
        self.counts[what] = self.counts.get(what, 0) + by

    def call(self, *words, stderr=subprocess.STDOUT):
        return subprocess.run([self.ptoasm, *words], env=ENV, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=stderr, universal_newlines=True, check=False)

    def path(self, case, number):
        path = os.path.join(self.folder.name, '%d.pto' % number)
        with open(path, 'w', encoding='utf-8') as file:
            file.write(case.text)
        return path

    # ---- the variants of a program ----

    def variants(self, number):
        """The program bare, with flags where the judge wants them, with insertion, and each of those spoiled."""
        chance = random.Random(self.seed + number)
        profile = chance.choice(['a2a3', 'a5'])
        label = 'seed %d' % (self.seed + number)
        bare = Case(label + ' bare', profile, make.make(self.seed + number, profile, self.features)).judge(chance)
        if not any(v.runs for v in bare.verdicts.values()):
            self.count('without a run')
            return []
        cases = [bare]
        repaired = self.repaired(bare, chance)
        if repaired:
            cases.append(repaired)
        inserted = self.inserted(bare, chance)
        if inserted:
            cases.append(inserted)
        for case in list(cases[1:]):
            worse = repair.spoiled(case.text, chance)
            if worse:
                cases.append(Case(case.label + ', spoiled', profile, worse).judge(chance))
        return cases

    def repaired(self, bare, chance):
        """With flags until the judge finds nothing; on a5 sometimes with buffers."""
        case, fixer = bare, repair.Repair(bare.text, chance)
        if bare.profile == 'a5' and 'buffers' in self.features and chance.random() < .3:
            races = [f for v in bare.verdicts.values() for f in v.findings if f.what == 'race']
            fixer.buffers(races)
            return Case(bare.label + ' with buffers', bare.profile, fixer.text()).judge(chance)
        for _ in range(MOST_REPAIRS):
            found = case.witness()
            if not found:
                return case if case is not bare else None
            if found.findings[0].what != 'race':
                return None
            fixer.order(found.findings[0])
            case = Case(bare.label + ' repaired', bare.profile, fixer.text()).judge(chance)
        return None

    def inserted(self, bare, chance):
        r = self.call('fmt', '--level=3', '--insert-sync', self.path(bare, 0), stderr=subprocess.DEVNULL)
        if r.returncode:
            self.count('not inserted')
            return None
        case = Case(bare.label + ' inserted', bare.profile, r.stdout, True, bare.text).judge(chance)
        if case.witness():
            found = case.witness()
            case.failures.append(('racy', '%s with %s' % (found.findings[0], found.numbers)))
        return case

    # ---- what the program says ----

    def check(self, cases):
        paths = {self.path(case, n): case for n, case in enumerate(cases, 1)}
        refused = set()
        r = self.call('check', '--level=3', '--sync=all,report', '--max-errors=0', *paths)
        reports, errors, others = ({p: [] for p in paths} for _ in range(3))
        for path, line, said in REPORT.findall(r.stdout):
            reports[path].append((int(line), said))
        for path, line, severity, message, name in ERROR.findall(r.stdout):
            if severity == 'error':
                (errors if name.startswith('sync-') else others)[path].append((int(line), message))
        for path, case in paths.items():
            if others[path] or not reports[path]:
                # windows outside of their views are found where constants tell
                self.count('refused')
                refused.add(case.text)
                if case.bare not in refused and case.bare:
                    case.failures.append(('refused', str((others[path] or [r.stdout[-200:]])[0])))
                continue
            self.count('proved', sum(s.startswith('proved') for _, s in reports[path]))
            self.count('with errors' if errors[path] else 'without errors')
            self.count('with a witness' if case.witness() else 'without a witness')
            case.compare(reports[path], errors[path])

    def sanitize(self, case):
        """The sanitizer on one run of the function @f, against the judge."""
        functions = [f for f in entries(reading.read(case.text))]
        if len(functions) != 1 or functions[0].name != 'f':
            return
        function, chance = functions[0], random.Random(case.label)
        numbers = case.witness().numbers if case.witness() else chance.choice(arguments(function, 1 << 30, chance))
        one = Verdict()
        for core in ('vector', 'cube'):
            try:
                found = clocks.judge(machine.run(function, case.profile, core, numbers)[0], case.profile)
            except Undefined:
                return
            if function.kind in (None, core):  # buffers that are kept are no error when it runs
                one.findings += [f for f in found if f.what not in ('taken', 'kept')]
        words = ['zeros:f32x65536', 'zeros:f32x65536', 'zeros:f16x65536'] + [str(numbers[n]) for n in ('%n', '%m', '%c')]
        r = self.call('run', '--level=3', '--profile=' + case.profile, '--sanitize', '--sync=all', '--entry=f', self.path(case, 0),
                      *words)
        self.count('sanitized')
        says = re.findall(r'\[(sync-\w+)\]$', r.stdout, re.M)
        # A run that ends at an element outside all memory, or does not print all that it finds, says nothing.
        if re.search('more findings|outside every buffer', r.stdout):
            return
        if bool(says) != bool(one.findings):
            case.failures.append(('sanitizer', '%s with %s; the judge: %s' %
                                  (says or r.stdout[-300:], numbers, one.findings[0] if one.findings else 'nothing')))


def attack(options, features):
    """Yields the cases of a batch until time or programs end."""
    it, number, end = Attack(options.ptoasm, options.seed, features), 0, time.monotonic() + (options.seconds or 1e9)
    while time.monotonic() < end and number < options.programs:
        cases = []
        while len(cases) < BATCH and number < options.programs and time.monotonic() < end:
            new = it.variants(number)
            cases += new
            number += 1
            if new and options.sanitize and number % options.sanitize == 0:
                it.sanitize(random.Random(number).choice(new))
        if cases:
            it.check(cases)
        yield it, number, cases


def failures_of(it, text, profile, kind):
    """The failures of one kind that a text shows; none if it is no program."""
    case = Case('', profile, text)
    try:
        case.judge(random.Random(0), 16)
        if kind == 'racy':
            case = it.inserted(case, random.Random(0)) or case
        elif kind == 'sanitizer':
            it.sanitize(case)
        elif kind != 'missed' or case.witness():
            it.check([case])
    except (reading.NotKnown, KeyError, IndexError, AttributeError, TypeError, ValueError):
        return []
    return [what for k, what in case.failures if k == kind]


def small(it, case, kind):
    """A small program with the failure of a case, and what it is."""
    text = case.bare if kind == 'racy' else case.text
    text = shrink.shrink(text, lambda shorter: failures_of(it, shorter, case.profile, kind))
    return ''.join('// %s: %s\n' % (kind, ' '.join(what.split())) for what in failures_of(it, text, case.profile, kind)) + text


def keep(folder, it, case):
    os.makedirs(folder, exist_ok=True)
    for kind in sorted({k for k, _ in case.failures}):
        path = os.path.join(folder, '%s-%s.pto' % (kind, re.sub(r'\W+', '-', case.label)))
        with open(path, 'w', encoding='utf-8') as file:
            file.write(small(it, case, kind))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('ptoasm', type=os.path.realpath)
    parser.add_argument('--programs', type=int, default=1 << 60)
    parser.add_argument('--seconds', type=float)
    parser.add_argument('--seed', type=int, default=0)
    parser.add_argument('--without', default='')
    parser.add_argument('--only')
    parser.add_argument('--keep')
    parser.add_argument('--sanitize', type=int, default=0)
    options = parser.parse_args()
    features = [f for f in (*make.FEATURES, 'buffers') if f not in options.without.split(',')]
    if options.only is not None:
        features = options.only.split(',')
    failures, it, number = {}, None, 0
    for it, number, cases in attack(options, features):
        for case in cases:
            for kind, what in case.failures:
                failures.setdefault(kind, []).append('%s: %s' % (case.label, what))
            if case.failures and options.keep:
                keep(options.keep, it, case)
    tap = Tap()
    for kind, question in (('missed', 'what is proved has no bad run'), ('invented', 'what gets an error has a bad run'),
                           ('racy', 'what is inserted has no bad run'), ('refused', 'what is inserted is legal'),
                           ('sanitizer', 'the sanitizer finds what the judge finds')):
        tap.ok(not failures.get(kind), question, '\n'.join(failures.get(kind, [])[:20]))
    print('# %d programs: %s' % (number, ', '.join('%s %d' % c for c in sorted(it.counts.items()))))
    print('# failures: %s' % {k: len(v) for k, v in failures.items()})
    return tap.end()


if __name__ == '__main__':
    sys.exit(main())
