# SPDX-License-Identifier: Apache-2.0
"""ptoasm reduce: failures that were put into programs, and what it says to wrong input.

reduce.py PTOASM SOURCE-ROOT [COUNT]: with COUNT, that many races in long programs of the corpus.
"""
import os
import random
import re
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from tap import Tap

ptoasm, root = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
t = Tap()
work = tempfile.TemporaryDirectory()
os.chdir(work.name)


def run(*words, stdin=''):
    return subprocess.run([ptoasm] + [str(w) for w in words], input=stdin, capture_output=True, text=True, timeout=300)


def ids(text, severity, *options):
    found = run('check', *options, '-', stdin=text).stderr
    return set(re.findall(severity + r': .*\[([a-z-]+)\]$', found, re.M))


def lines(text):
    return text.count('\n')


def without_a_wait(path, profile, choose):
    """The program with inserted flags and one wait left out; None when that is no race."""
    made = run('fmt', '--insert-sync', '--profile=' + profile, path)
    text = made.stdout.splitlines()
    waits = [i for i, line in enumerate(text) if 'wait_flag' in line]
    if made.returncode != 0 or not waits:
        return None
    del text[choose(waits)]
    text = '\n'.join(text) + '\n'
    return text if 'sync-race' in ids(text, 'error', '--profile=' + profile, '--sync=all') else None


def reduces_race(text, profile, most, name):
    began = time.time()
    r = run('reduce', '--id=sync-race', '--sync=all', '--profile=' + profile, '-', stdin=text)
    took = time.time() - began
    options = ('--profile=' + profile, '--sync=all')
    left, had = ids(r.stdout, 'error', *options), ids(text, 'error', *options)
    t.ok(r.returncode == 0 and 'sync-race' in left and left <= had, name + ': a race and no other error',
         r.stdout + r.stderr + str(left))
    t.ok(lines(r.stdout) <= most(lines(text)) and took < 10,
         '%s: %d lines of %d' % (name, lines(r.stdout), lines(text)), r.stdout + r.stderr)


def samples():
    for name in ('softmax', 'kernel'):
        folder = os.path.join(root, 'samples', name)
        for file in sorted(f for f in os.listdir(folder) if f.endswith('.pto')):
            text = without_a_wait(os.path.join(folder, file), 'a2a3', lambda waits: waits[-1])
            if text is not None:
                reduces_race(text, 'a2a3', lambda n: 15, name + '/' + file)
                break


def corpus(count):
    folder = os.environ.get('PTOASM_CORPUS')
    if folder is None:
        t.skip('races in long programs', 'PTOASM_CORPUS is not set')
        return
    rng, found = random.Random(5), []
    for place, _, files in os.walk(os.path.join(folder, 'accept')):
        for file in files:
            path = os.path.join(place, file)
            if file.endswith('.pto') and lines(open(path, errors='replace').read()) >= 150:
                found.append(path)
    found.sort()
    rng.shuffle(found)
    for path in found:
        text = without_a_wait(path, 'a2a3', rng.choice) if count > 0 else None
        if text is not None:
            count -= 1
            # A race takes some ten lines: two accesses, their tiles and a view.
            reduces_race(text, 'a2a3', lambda n: max(14, n // 20), os.path.basename(path))


def commands():
    kernel = os.path.join(root, 'samples', 'tadds', 'tadds_dps.pto')
    text = open(kernel).read()
    r = run('reduce', kernel, '--', 'grep', '-q', 'pto.tload')
    t.ok(r.returncode == 0 and 'pto.tload' in r.stdout and lines(r.stdout) <= 10, 'a word of a statement stays',
         r.stdout + r.stderr)
    t.ok(ids(r.stdout, 'error') == set(), 'what is made of a legal program is legal', r.stdout)
    r = run('reduce', '-q', '-o', 'out.pto', kernel, '--', 'sh', '-c', ptoasm + ' check {} && grep -q pto.tload {}')
    t.ok(r.returncode == 0 and r.stdout + r.stderr == '' and 'tload' in open('out.pto').read(),
         '{} in a word is the file; -o and -q', r.stderr)
    r = run('reduce', '--differs', ptoasm + ' fmt --form=generic {}', kernel, '--', ptoasm, 'fmt', '{}')
    t.ok(r.returncode == 0 and lines(r.stdout) <= 3, 'a difference of two commands', r.stdout + r.stderr)
    r = run('reduce', '--differs', 'cat', kernel, '--', 'cat')
    t.ok(r.returncode == 1 and 'do not differ' in r.stderr, 'commands that do not differ', r.stderr)
    r = run('reduce', '--timeout=1', kernel, '--', 'sh', '-c', 'sleep 20')
    t.ok(r.returncode == 1, 'a command that runs too long has failed', r.stderr)
    t.ok(open(kernel).read() == text, 'the program itself is not changed')


def unreadable():
    text = 'func.func @k() {\n' + '  %c = arith.constant 1 : index\n' * 40 + '  pto.tadd ins(%c\n  return\n}\n'
    had = ids(text, 'error')
    r = run('reduce', '--id=syntax', '-', stdin=text)
    t.ok(r.returncode == 0 and 'syntax' in ids(r.stdout, 'error') <= had and lines(r.stdout) <= 4,
         'a text that cannot be read', r.stdout + r.stderr)


def wrong():
    kernel = os.path.join(root, 'samples', 'kernel', 'scale_mask.pto')
    for words, code, said in (
            (['--id=sync-race', kernel], 1, 'does not have a diagnostic [sync-race]'),
            (['--id=nothing', kernel], 2, "'nothing' is not the id"),
            ([kernel], 2, 'neither --id nor a command'),
            ([], 2, 'no file given'),
            (['--differs=cat', '--id=syntax', kernel], 2, '--differs compares with a command'),
            (['--differs= ', kernel, '--', 'cat'], 2, 'names no command'),
            ([kernel, '--', 'no-such-command'], 2, "cannot start 'no-such-command'"),
            ([kernel, '--', 'false'], 1, "'false' does not exit with 0"),
            (['--id=syntax', 'absent.pto'], 2, 'absent.pto'),
            (['--id=syntax', '-o', kernel, kernel], 2, 'would be overwritten'),
            (['--timeout=0', kernel, '--', 'true'], 2, 'timeout')):
        r = run('reduce', *words)
        t.ok(r.returncode == code and said in r.stderr and r.stdout == '', ' '.join(words)[-60:] or 'no words',
             str(r.returncode) + r.stderr)
    t.ok(not [f for f in os.listdir('.') if 'reduce' in f], 'no scratch file stays')


if len(sys.argv) > 3:
    corpus(int(sys.argv[3]))
else:
    os.environ['TMPDIR'] = work.name
    samples()
    commands()
    unreadable()
    wrong()
t.end()
