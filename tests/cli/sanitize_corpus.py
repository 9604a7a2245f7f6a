# SPDX-License-Identifier: Apache-2.0
"""Generated programs with the verdict of an oracle that explores the interleavings of the pipes: run --sanitize, on all
inputs (trip counts 0 to 4, both ways of branches), finds a race on a pair of lines of the oracle in each program that
has one, and all wrong flags; in the proved ones it finds nothing. Two loads of the same bytes are no race for it.
Needs PTOASM_CORPUS. usage: sanitize_corpus.py PTOASM"""
import itertools
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from tap import Tap

PTOASM = sys.argv[1]
FOLDER = os.path.join(os.environ.get('PTOASM_CORPUS', '/none'), 'sync')
FLAGS = ('deadlock', 'reuse', 'leak')
MOST_INPUTS = 600
tap = Tap()


def inputs_of(text):
    choices = []
    for name, kind, elem in re.findall(r'%(\w+): (!pto\.ptr<(\w+)>|index|i64)', re.search(r'func\.func @\w+\((.*?)\)', text).group(1)):
        values = ['zeros:%sx1x65536' % elem] if elem else range(5) if kind == 'index' else range(2)
        choices.append(['%s=%s' % (name, v) for v in values])
    return itertools.islice(itertools.product(*choices), MOST_INPUTS)


def found_in(stderr):
    """Returns the findings in the words of the verdicts."""
    found, last = set(), None
    for line in stderr.split('\n'):
        m = re.match(r'.*?\.pto:(\d+):\d+: (error|note): ', line)
        if not m:
            continue
        if m.group(2) == 'error':
            last = (line[line.rindex('[') + 1:-1], m.group(1))
            if last[0][5:] in FLAGS:
                found.add(last[0][5:])
        elif last and last[0] in ('sync-race', 'sync-weak'):
            found.add('race:%s:%s' % (m.group(1), last[1]))
            last = None
    return found


def judge(name, model, verdict, want):
    path = os.path.join(FOLDER, name)
    with open(path) as f:
        text = f.read()
    options = ['--sync=all,strict' if model == 'strict' else '--sync=all', '--profile=' + ('a5' if model == 'a5' else 'a2a3')]
    found = set()
    for given in inputs_of(text):
        done = subprocess.run([PTOASM, 'run', '--sanitize'] + options + [path] + list(given), stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, universal_newlines=True)
        if done.returncode not in (0, 1):
            return 'exit code %d: %s' % (done.returncode, done.stderr[-300:])
        found |= found_in(done.stderr)
    lines = text.split('\n')
    races = {w for w in want if w.startswith('race:') and
             not all('pto.tload ' in lines[int(n) - 1] for n in w.split(':')[1:])}
    flags = want & set(FLAGS)
    if flags - found or (races and not races & found):
        return 'missing: found %s, not %s' % (sorted(found), sorted(want))
    if not want & {'deadlock', 'reuse'} and found - want:
        return 'too much: %s' % sorted(found - want)
    return ''


def main():
    verdicts = os.path.join(FOLDER, 'verdicts.tsv')
    if not os.path.exists(verdicts):
        tap.skip('generated programs', 'PTOASM_CORPUS has no sync/verdicts.tsv')
        tap.end()
    with open(verdicts) as f:
        rows = [line.rstrip('\n').split('\t') for line in f][1:]
    wrong, n = {}, {}
    for name, model, _, verdict, findings in rows:
        why = judge(name, model, verdict, set() if findings == '-' else set(findings.split()))
        n[model] = n.get(model, 0) + 1
        if why:
            wrong.setdefault(model, []).append('%s: %s' % (name, why))
    for model in sorted(n):
        tap.ok(model not in wrong, '%d programs, order %s' % (n[model], model), '\n'.join(wrong.get(model, [])))
    tap.end()


main()
