# SPDX-License-Identifier: Apache-2.0
"""Mistakes seeded in samples, in whole kernels and in real programs whose flags `fmt --insert-sync` inserted: a load,
a set, a wait or a barrier is taken away, or an event is another one. `run --sanitize` finds each mistake that the
proof of `check` finds, on one of the same pairs of lines, and nothing that the proof excludes.
usage: sanitize_mutants.py PTOASM SOURCE_ROOT EVERY [FOLDER...]: of so many mutants one is tried"""
import glob
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from tap import Tap

PTOASM, ROOT = sys.argv[1:3]
EVERY = int(sys.argv[3])
tap = Tap()
PROFILE = '--profile=a2a3'
counts = {}


def call(*args):
    return subprocess.run([PTOASM] + list(args), stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True,
                          timeout=100)


def findings(text, severities=('error', 'warning')):
    """Returns triples of the id, the line, and the line of the first note."""
    found = []
    for line in text.split('\n'):
        m = re.match(r'[^ ]*\.pto:(\d+):\d+: (error|warning|note): ', line)
        if m and m.group(2) in severities and line.endswith(']'):
            found.append([line[line.rindex('[') + 1:-1], int(m.group(1)), 0])
        elif m and m.group(2) == 'note' and not line.endswith(']') and found and found[-1][2] == 0:
            found[-1][2] = int(m.group(1))
    return {tuple(f) for f in found}


def arguments(path):
    """Returns arguments for the only function of a program, or None."""
    lines = [l for l in call('run', '--list', path).stdout.split('\n') if l]
    if sum(l.startswith('@') for l in lines) != 1:
        return None
    args = []
    for line in lines[1:]:
        m = re.match(r'\s+%(\S+)\s+(.*?)\s{2,}(\S+)', line)
        if not m:
            return None
        name, c_type, elem = m.groups()
        number = '0.5' if elem.startswith('f') else '1' if elem == 'i1' else 'N'
        value = '%s=%s' % (name, ('INTS' if 'i' in elem else 'random:1') if '*' in c_type else number)
        args.append(value)
    return args


def runnable(path, args):
    """Returns arguments with which the program runs and has no race, or None."""
    sizes = LARGE.get(os.path.basename(path), '130 40 4 2 1').split()
    for n, ints in ((n, ints) for n in sizes for ints in (('iota',) if 'ragged' in path else ('ones', 'zeros'))):
        given = [a.replace('=N', '=' + n).replace('INTS', ints) for a in args]
        for _ in range(8):
            done = call('run', '--sanitize', PROFILE, path, *given)
            m = re.search(r'the size of %(\S+) is not known.*:(\w+)x16x16', done.stderr)
            if not m:
                break
            given = [a + ':%sx16384' % m.group(2) if a.startswith(m.group(1) + '=') else a for a in given]
        # some programs read rows of a tile that are not valid in the end
        if done.returncode == 0 or {f[0] for f in findings(done.stderr, ('error',))} == {'uninit-tile'}:
            return given
    return None


def write_counts(path):
    """Writes 64 times 40 as int32: for programs that take the length of a loop from memory."""
    head = "{'descr': '<i4', 'fortran_order': False, 'shape': (64,), }".ljust(117) + '\n'
    with open(path, 'wb') as f:
        f.write(b'\x93NUMPY\x01\x00' + len(head).to_bytes(2, 'little') + head.encode() + b'\x28\0\0\0' * 64)


def others(args, given, counts_file):
    """Returns more inputs: other extents, also none; a long last one; larger numbers in memory."""
    out = [[g if '=N' not in a else a.replace('=N', '=' + n) for a, g in zip(args, given)] for n in ('2', '0', '1', '4')]
    last = [i for i, a in enumerate(args) if '=N' in a][-1:]
    for k in last:
        out.append([args[k].replace('=N', '=130') if i == k else g for i, g in enumerate(given)])
    out.append(['counts=' + counts_file if a.startswith('counts=') else a.replace('=N', '=40') if '=N' in a else g
                for a, g in zip(args, given)])
    return out


def is_only_write(lines, load):
    tile = re.search(r'outs\((%\w+)', load).group(1)
    return sum('outs(%s ' % tile in line for line in lines) == 1


def mutants(lines):
    for i, line in enumerate(lines):
        if re.search(r'pto\.(set|wait)_flag(_dyn)?\[', line):
            kind = 'set' if 'set_flag' in line else 'wait'
            yield 'missing ' + kind, lines[:i] + [''] + lines[i + 1:]
            m = re.search(r'EVENT_ID(\d)', line)
            if m:
                other = line.replace(m.group(0), 'EVENT_ID%d' % ((int(m.group(1)) + 3) % 8))
                yield 'another event', lines[:i] + [other] + lines[i + 1:]
        elif 'pto.barrier' in line:
            yield 'missing barrier', lines[:i] + [''] + lines[i + 1:]
        elif re.match(r'\s*pto\.tload ins', line) and is_only_write(lines, line):
            yield 'missing load', lines[:i] + [''] + lines[i + 1:]
    # all flags of an event: the next statement, or the next iteration, does not wait
    pairs = sorted(set(re.findall(r'flag\[(<PIPE_\w+>, <PIPE_\w+>, <EVENT_ID\d>)\]', '\n'.join(lines))))
    for pair in pairs:
        yield 'no flags of an event', ['' if pair in l else l for l in lines]


# Extents for which loops have several iterations.
LARGE = {'gemm_dps.pto': '600', 'swiglu.pto': '2'}
RACES = ('sync-race', 'memory-race')
FLAGS = ('sync-deadlock', 'sync-reuse', 'sync-leak')


def judge(kind, path, inputs, before):
    """Returns whether the sanitizer agrees with the proof on some input, and why not; None: the proof finds nothing."""
    proof = findings(call('check', '-Wno-no-sync', '--level=3', PROFILE, path).stderr)
    want = {f for f in proof if f[0] in RACES + FLAGS}
    if not want and kind != 'missing load':
        return None, ''
    with open(path) as f:
        text = f.read()
    meets = any(word in text for word in ('pto.tpush', 'pto.sync.wait', 'pto.syncall'))
    for given in inputs:
        done = call('run', '--sanitize', PROFILE, path, *given)
        found = {f for f in findings(done.stderr) if f[0] in RACES + FLAGS + ('uninit-tile',)}
        if kind == 'missing load':
            same = any(f[0] == 'uninit-tile' for f in found - before)
        else:
            same = {(i, a, b if i in RACES else 0) for i, a, b in found} & {(i, a, b if i in RACES else 0) for i, a, b in want}
        if same:
            break
    # the proof takes each core alone; entries of pipes and signals may order what it finds
    if not same and meets and all(f[0] in RACES for f in want):
        return None, ''
    lost = any(f[0] in ('sync-deadlock', 'sync-reuse') for f in want) or any(f[0] == 'sync-maybe' for f in proof)
    # where several accesses race with one, either may name others of them
    extra = set() if lost or kind == 'missing load' else {f for f in found if f[0] == 'sync-race' and f[1] not in {w[1] for w in want}}
    return bool(same) and not extra and done.returncode == 1, 'found %s\nproof %s' % (sorted(found), sorted(want))


def main():
    paths = sorted(glob.glob(os.path.join(ROOT, 'samples/*/*_dps.pto')) + glob.glob(os.path.join(ROOT, 'samples/kernel/*.pto')) +
                   glob.glob(os.path.join(ROOT, 'samples/synchronised/*.pto')) + glob.glob(os.path.join(ROOT, 'tests/exec/*.pto')))
    for folder in sys.argv[4:]:
        paths += sorted(glob.glob(os.path.join(folder, '*.pto')))
    number = programs = 0
    with tempfile.TemporaryDirectory() as folder:
        counts_file = os.path.join(folder, 'counts.npy')
        write_counts(counts_file)
        for path in paths:
            name = os.path.basename(path)[:-4]
            flagged = os.path.join(folder, name + '.pto')
            if 'synchronised' in path or 'vendor' in path:
                with open(path) as f:
                    text = f.read()
            else:
                done = call('fmt', '--insert-sync', PROFILE, path, '-o', '-')
                if done.returncode != 0:
                    continue
                text = done.stdout
            with open(flagged, 'w') as f:
                f.write(text)
            args = arguments(flagged)
            given = runnable(flagged, args) if args is not None else None
            if given is None:
                continue
            programs += 1
            inputs = [given] + others(args, given, counts_file)
            before = findings(call('run', '--sanitize', PROFILE, flagged, *given).stderr)
            bad, tried = [], 0
            for kind, lines in mutants(text.split('\n')):
                number += 1
                if number % EVERY != 0:
                    continue
                with open(flagged, 'w') as f:
                    f.write('\n'.join(lines))
                fine, why = judge(kind, flagged, inputs, before)
                if fine is None:
                    continue
                tried += 1
                counts[kind] = counts.get(kind, 0) + 1
                if not fine:
                    changed = [i + 1 for i, (a, b) in enumerate(zip(text.split('\n'), lines)) if a != b]
                    bad.append('%s in line %s: %s' % (kind, changed, why))
            tap.ok(not bad, '%s: %d mutants' % (name, tried), '\n'.join(bad))
    print('# %d programs, mutants: %s' % (programs, ', '.join('%s %d' % c for c in sorted(counts.items()))))
    tap.ok(sum(counts.values()) >= 150 // EVERY, 'there are mutants')
    tap.end()


main()
