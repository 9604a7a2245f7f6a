#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The proof between the cores of a block: between.py PTOASM [FOLDER...]. Prints TAP.

Judges generated programs with the verdict of an oracle (verdicts.tsv of each FOLDER, else of PTOASM_CORPUS/sync-cores), then
the published kernels of PTOASM_CORPUS with two kinds of core, and those kernels with one statement less."""
import collections
import csv
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from tap import Tap  # noqa: E402

PTOASM, FOLDERS = sys.argv[1], sys.argv[2:]
CORPUS = os.environ.get('PTOASM_CORPUS', '')
# Kernels that pop what nobody pushes: fragments that show a statement.
STOPPING = {'tpush_tpop_dynamic_validshape_a5.pto', 'issue556_tpop_live_values_no_alias.pto'}
tap = Tap()


def check(path, profile, *options):
    done = subprocess.run([PTOASM, 'check', '--profile=' + profile, '--sync=report', *options, path], capture_output=True, text=True,
                          timeout=60, check=False)
    return done.returncode, done.stdout + done.stderr


def errors_of(text):
    """The lines with errors about synchronisation."""
    return {int(m.group(1)) for m in re.finditer(r'\.pto:(\d+):\d+: error: .*\[sync-', text)}


def is_proved(text):
    rows = re.findall(r': between cores: (.*)', text)
    return rows != [] and all(row.startswith('proved') for row in rows)


def lines_of(findings):
    """The lines that an oracle names; none: any will do."""
    lines = set()
    for word in findings.split('; '):
        parts = word.split(' ')
        named = {'deadlock': parts[2:3], 'race': parts[2:5:2], 'freed': parts[1:2], 'reuse': parts[1:2]}
        for part in named.get(parts[0], []):
            lines |= {int(n) for n in part.split('+')}
    return lines


# ---- generated programs ----

def judge(folder, row):
    code, text = check(os.path.join(folder, row['file']), row['profile'], '--level=3')
    errors, want = errors_of(text), lines_of(row['findings'])
    if code < 0:
        return 'crash'
    if row['verdict'] == 'clean':
        return 'error' if errors else 'proved' if is_proved(text) else 'open'
    if not errors:
        return 'wrong' if is_proved(text) else 'missed'
    return 'found' if not want or errors & want else 'elsewhere'


def check_generated(folder):
    with open(os.path.join(folder, 'verdicts.tsv'), encoding='utf-8') as f:
        rows = list(csv.DictReader(f, delimiter='\t'))
    count, names = collections.Counter(), collections.defaultdict(list)
    for row in rows:
        key = (row['verdict'] == 'clean', judge(folder, row))
        count[key] += 1
        names[key].append(row['file'])
    clean = sum(n for (good, _), n in count.items() if good)
    faulty = len(rows) - clean
    tap.ok(rows != [] and not names[False, 'wrong'] and not any(names[good, 'crash'] for good in (False, True)),
           'no program with a fault is proved', names[False, 'wrong'])
    tap.ok(100 * count[False, 'found'] >= 99 * faulty, 'faults reported where they are: %d of %d' % (count[False, 'found'], faulty),
           (names[False, 'missed'], names[False, 'elsewhere']))
    tap.ok(not names[True, 'error'], 'no error for any of %d programs without one' % clean, names[True, 'error'])
    tap.ok(100 * count[True, 'proved'] >= 98 * clean, 'proved: %d of %d' % (count[True, 'proved'], clean), names[True, 'open'])


# ---- published kernels ----

def profile_of(path, text):
    named = re.search(r'target_arch"?\s*=\s*"(\w+)"', text)
    if named:
        return 'a5' if named.group(1) == 'a5' else 'a2a3'
    if re.search('a5|A5', path):
        return 'a5'
    if re.search('a3|A3', path):
        return 'a2a3'
    return 'a2a3' if 'gm_slot' in text or 'l2g2l' in text else 'a5'


def published():
    """(path, profile, text, verdict) of each accepted kernel in which both kinds of core meet."""
    for top in ('accept', os.path.join('pypto', 'text')):
        for folder, _, names in sorted(os.walk(os.path.join(CORPUS, top))):
            for name in sorted(names):
                path = os.path.join(folder, name)
                if not name.endswith('.pto'):
                    continue
                with open(path, encoding='utf-8', errors='replace') as f:
                    text = f.read()
                if not re.search(r'pto\.(tpush|tpop)', text):
                    continue
                profile = profile_of(path, text)
                _, out = check(path, profile)
                if ': between cores: ' in out and "side is in this file" not in out:
                    yield path, profile, text, out


def deletions(text):
    """The text with one statement about entries less."""
    lines = text.split('\n')
    for i, line in enumerate(lines):
        if re.match(r'\s*(%\S+ = )?pto\.(tpush|tpop|tfree)', line):
            yield i, line, '\n'.join(lines[:i] + lines[i + 1:])


def does_nothing(profile, line):
    """The free of a tile where the pop has freed its slot."""
    return profile == 'a2a3' and 'tfree' in line and 'tensor_view' not in line


def judge_edit(path, profile, less, whole):
    """What becomes of a text with a free less when its edit is made."""
    subprocess.run([PTOASM, 'check', '-q', '--profile=' + profile, '--fix=all', path], capture_output=True, timeout=60, check=False)
    with open(path, encoding='utf-8') as f:
        fixed = f.read()
    if fixed == less:
        return 'none'
    return 'wrong' if not is_proved(check(path, profile)[1]) else 'same' if fixed == whole else 'proved'


def check_deletions(kernels):
    count, edits = collections.Counter(), collections.Counter()
    missed = []
    with tempfile.TemporaryDirectory() as folder:
        changed = os.path.join(folder, 'changed.pto')
        for path, profile, text in kernels:
            for i, line, less in deletions(text):
                if does_nothing(profile, line):
                    continue
                with open(changed, 'w', encoding='utf-8') as f:
                    f.write(less)
                code, out = check(changed, profile)
                found = code != 0 or not is_proved(out)
                count[found] += 1
                if not found:
                    missed.append('%s:%d: %s' % (path, i + 1, line.strip()[:80]))
                if found and 'tfree' in line:
                    edits[judge_edit(changed, profile, less, text)] += 1
    total = sum(count.values())
    tap.ok(total > 100 and 100 * count[True] >= 99 * total, 'one statement less is noticed: %d of %d' % (count[True], total),
           '\n'.join(missed))
    tap.ok(edits['wrong'] == 0 and edits['same'] > 20, 'a missing free as an edit: %d of %d are the line that was deleted, %d others are proved'
           % (edits['same'], sum(edits.values()), edits['proved']), edits)


def check_published():
    proved, stopping, others = [], set(), []
    for path, profile, text, out in published():
        if is_proved(out):
            proved.append((path, profile, text))
        elif errors_of(out):
            stopping.add(os.path.basename(path))
        else:
            others.append(path)
    total = len(proved) + len(others)
    tap.ok(total > 30 and 100 * len(proved) >= 95 * total, 'published kernels that are proved: %d of %d' % (len(proved), total), others)
    tap.ok(stopping == STOPPING, 'those with an error pop what nobody pushes', stopping)
    check_deletions(proved)


if FOLDERS or CORPUS:
    for each in FOLDERS or [os.path.join(CORPUS, 'sync-cores')]:
        check_generated(each)
else:
    tap.skip('generated programs', 'PTOASM_CORPUS is not set')
if CORPUS:
    check_published()
else:
    tap.skip('published kernels', 'PTOASM_CORPUS is not set')
tap.end()
