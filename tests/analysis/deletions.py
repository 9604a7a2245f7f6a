# SPDX-License-Identifier: Apache-2.0
"""Takes flags and barriers out of programs as the vendor's assembler synchronised them: `check` reports what is missing
then, or, where the proof holds without, the judge of oracle.py finds no race either, in no order of the 30 statements
around each place of what is gone. accepted_deletions.tsv says of some of them why they are not needed, and
never_taken.tsv why branches in some lines are never taken.
usage: deletions.py PTOASM PROGRAMS; needs PTOASM_CORPUS."""
import concurrent.futures
import os
import random
import re
import subprocess
import sys
import zlib

import oracle

AROUND, SEEDS, MOST_STATES, MOST_WINDOWS = 30, 8, 3000, 24


def groups_of(text):
    """Lists the lines that can only go together: a set and the wait for it, with those before and after a loop; a
    barrier. Flags of another form are left out."""
    depth, flags, groups, loops = 0, {}, [], []
    for n, line in enumerate(text.split('\n'), 1):
        s = line.strip()
        if s.startswith('func.func'):
            flags = {}
        if s.startswith('}'):
            loops.pop()
        m = re.match(r'pto\.(set|wait)_flag\[(.*?)\]', s)
        if m:
            flags.setdefault(m.group(2), []).append((m.group(1), n, tuple(loops)))
            groups += closed_group(flags, m.group(2))
        elif s.startswith('pto.barrier') and 'auto_sync_tail' not in s:
            groups.append([n])
        if s.endswith('{'):
            loops.append(n)
    return groups


def closed_group(flags, key):
    """Takes a group off the list of a flag once it is complete."""
    seen = flags[key]
    kinds, where = [f[0] for f in seen], [f[2] for f in seen]
    pair = kinds == ['set', 'wait'] and where[0] == where[1]
    carried = kinds == ['set', 'wait', 'set', 'wait'] and where[0] == where[3] and where[1] == where[2] and \
        len(where[1]) > len(where[0])
    if not pair and not carried:
        return []
    del flags[key]
    return [[f[1] for f in seen]]


def without(text, lines):
    return '\n'.join('' if n in lines else line for n, line in enumerate(text.split('\n'), 1))


def findings(ptoasm, profile, text):
    p = subprocess.run([ptoasm, 'check', '--sync=all', '--profile=' + profile, '--format=json', '-'], input=text,
                       stdout=subprocess.PIPE, universal_newlines=True)
    return [d for d in p.stdout.split('\n') if '"id":"sync-' in d or '"severity":"error"' in d]


def windows(items):
    """The items around each place of those that are gone."""
    seen = set()
    for k, item in enumerate(items):
        if not item.gone:
            continue
        first = max(0, k - AROUND // 2)
        part = items[first:first + AROUND + 1]
        lines = tuple(i.line for i in part)
        if lines not in seen and len(seen) < MOST_WINDOWS:
            seen.add(lines)
            yield part


class Counts:
    def __init__(self):
        self.every, self.late = 0, 0


def races_without(table, profile, text, gone, never, counts):
    """The races that the judge finds, as pairs of lines."""
    found = set()
    for function in oracle.read_functions(text):
        if not any(function.line < n for n in gone):
            continue
        sections = [n.text.split('.')[2].split()[0] for n in function.body if n.text.startswith('pto.section.')]
        for core in sorted(set(sections)) or ['vector']:
            for seed in range(SEEDS):
                items = oracle.Run(table, profile, core, random.Random(seed), gone, never).function(function)
                for part in windows(items):
                    pipes = oracle.Pipes(part, profile)
                    pairs = pipes.every_order(MOST_STATES)
                    counts.every += pairs is not None
                    counts.late += pairs is None
                    late = pipes.one_late()
                    if pairs is not None and pairs != late:
                        raise AssertionError('the two ways to judge differ')
                    found |= {(pipes.items[i].line, pipes.items[j].line) for i, j in late}
    return found


def judge(ptoasm, table, path, argued, never):
    """Returns what came of a program: the numbers of deletions that were reported and accepted, and failures."""
    name = os.path.basename(path)
    profile = 'a5' if name.endswith('.a5.pto') else 'a2a3'
    with open(path) as f:
        text = f.read()
    counts, reported, accepted, wrong = Counts(), 0, [], []
    for lines in groups_of(text):
        if findings(ptoasm, profile, without(text, lines)):
            reported += 1
            continue
        accepted.append(lines)
        races = races_without(table, profile, text, lines, sum((n for file, n in never if file == name), []), counts)
        if races:
            wrong.append('%s without %s: %s' % (name, lines, sorted(races)[:3]))
    listed = [lines for file, lines in argued if file == name]
    wrong += ['%s without %s is listed, and reported' % (name, lines) for lines in listed if lines not in accepted]
    return name, reported, accepted, counts, wrong


def is_understood(ptoasm, table, path):
    """True for programs with flags that the proof and the judge know."""
    profile = 'a5' if path.endswith('.a5.pto') else 'a2a3'
    with open(path) as f:
        text = f.read()
    if not groups_of(text) or findings(ptoasm, profile, text):
        return False
    try:
        for function in oracle.read_functions(text):
            for seed in range(2 * SEEDS):
                oracle.Run(table, profile, ('cube', 'vector')[seed % 2], random.Random(seed // 2)).function(function)
    except (oracle.NotKnown, KeyError, AttributeError, TypeError):
        return False
    return True


def read_argued(path):
    with open(path) as f:
        rows = [line.rstrip('\n').split('\t') for line in f if not line.startswith('file\t')]
    return [(row[0], [int(n) for n in row[1].split()]) for row in rows]


def main():
    ptoasm, wanted = sys.argv[1], int(sys.argv[2])
    corpus = os.environ.get('PTOASM_CORPUS')
    folder = os.path.join(corpus or '', 'sync', 'vendor')
    if corpus is None or not os.path.isdir(folder):
        print('1..0 # SKIP PTOASM_CORPUS is not set')
        return
    table = oracle.Table(ptoasm)
    here = os.path.dirname(os.path.abspath(__file__))
    argued = read_argued(os.path.join(here, 'accepted_deletions.tsv'))
    never = read_argued(os.path.join(here, 'never_taken.tsv'))
    names = {file for file, _ in argued + never}
    paths = [os.path.join(folder, n) for n in os.listdir(folder) if n.endswith('.pto')]
    paths.sort(key=lambda p: (os.path.basename(p) not in names, zlib.crc32(os.path.basename(p).encode())))
    chosen = []
    for path in paths:
        if len(chosen) < wanted and is_understood(ptoasm, table, path):
            chosen.append(path)
    with concurrent.futures.ProcessPoolExecutor(2) as pool:
        results = list(pool.map(judge, [ptoasm] * len(chosen), [table] * len(chosen), chosen, [argued] * len(chosen),
                                [never] * len(chosen)))
    failed = len(chosen) != wanted
    for n, (name, reported, accepted, counts, wrong) in enumerate(results, 1):
        failed |= bool(wrong)
        print('%s %d - %s' % ('not ok' if wrong else 'ok', n, name))
        print('# %d reported, %d accepted, %d + %d windows' % (reported, len(accepted), counts.every, counts.late))
        for lines in accepted:
            print('# accepted: %s' % ' '.join(map(str, lines)))
        for text in wrong:
            print('# ' + text)
    print('# %d deletions reported, %d accepted; %d windows in all orders, %d by late accesses' % (
        sum(r[1] for r in results), sum(len(r[2]) for r in results), sum(r[3].every for r in results),
        sum(r[3].late for r in results)))
    print('1..%d' % len(results))
    sys.exit(failed)


if __name__ == '__main__':
    main()
