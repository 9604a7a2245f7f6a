#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""proofs.py PTOASM LIST [SHARE]: the order of pipes in kernels of others with micro-instructions or logical vectors.

The kernels below $PTOASM_CORPUS/micro and vmi are proved, but for those that LIST names with what is said of them. One flag less
in a proved one, and it is not proved; without any flag, what `fmt --insert-sync` writes is. SHARE: one of so many such
changes is made (default 1). TAP on standard output."""
import collections
import csv
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from tap import Tap

FLAG = re.compile(r'\s*pto\.(set_flag|wait_flag)\b')
ORDER = re.compile(r'\s*pto\.(set_flag|wait_flag|get_buf|rls_buf|barrier)\b')
COMMON = ['--profile=a5', '--color=never']


def findings(ptoasm, paths):
    """The ids of what the proof says of each file."""
    found = collections.defaultdict(set)
    for i in range(0, len(paths), 200):
        some = [str(p) for p in paths[i : i + 200]]
        done = subprocess.run([ptoasm, 'check', '--sync=all', *COMMON, *some], capture_output=True, text=True)
        for line in (done.stdout + done.stderr).splitlines():
            said = re.match(r'(.*?):\d+:\d+: (?:error|warning): .*\[(sync-[a-z-]+)\]$', line)
            if said:
                found[said.group(1)].add(said.group(2))
    return [' '.join(sorted(found[str(p)])) for p in paths]


def main():
    ptoasm, tap, corpus = sys.argv[1], Tap(), os.environ.get('PTOASM_CORPUS')
    share = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    if not corpus:
        tap.skip('proofs', 'PTOASM_CORPUS is not set')
        tap.end()
    root = pathlib.Path(corpus)
    known = dict(line.rstrip('\n').split('\t') for line in open(sys.argv[2]) if line[0] not in '#\n')
    names = set()
    for level in 'micro', 'vmi':
        with open(root / level / 'INDEX.tsv') as index:
            names |= {level + '/' + r['path'] for r in csv.DictReader(index, delimiter='\t')
                      if r['verdict'] == 'accept' and 'a5' in r['profiles'] and r['kind'] != 'vmi-internal'}
    names = sorted(names)
    proved = []
    for name, ids in zip(names, findings(ptoasm, [root / n for n in names])):
        if ids != known.pop(name, ''):
            tap.ok(False, name, 'findings: %s' % ids)
        if ids == '':
            proved.append(name)
    tap.ok(not known, 'what is known of kernels', ' '.join(known))
    tap.ok(len(proved) > 350, '%d of %d kernels have no finding' % (len(proved), len(names)))

    with tempfile.TemporaryDirectory() as scratch:
        changed, bare, number = [], [], 0
        for name in proved:
            if not name.startswith(('micro/PTO-Gym', 'vmi/')):  # others have code under conditions that never hold
                continue
            lines = (root / name).read_text().split('\n')
            for i, line in enumerate(lines):
                if FLAG.match(line):
                    number += 1
                    if number % share == 0:
                        changed.append((name, i + 1, pathlib.Path(scratch) / ('%d.pto' % number)))
                        changed[-1][2].write_text('\n'.join(lines[:i] + lines[i + 1 :]))
            kept = [line for line in lines if not ORDER.match(line)]
            if len(kept) < len(lines) and len(bare) < 400 // share:
                bare.append((name, pathlib.Path(scratch) / ('bare%d.pto' % len(bare))))
                bare[-1][1].write_text('\n'.join(kept))
        missed = [(c[0], c[1]) for c, ids in zip(changed, findings(ptoasm, [c[2] for c in changed])) if ids == '']
        tap.ok(not missed, '%d kernels with one flag less have findings' % len(changed), missed)
        for _, path in bare:
            subprocess.run([ptoasm, 'fmt', '--insert-sync', *COMMON, str(path), '-o', str(path)], check=True)
        left = [(b[0], ids) for b, ids in zip(bare, findings(ptoasm, [b[1] for b in bare])) if ids != '']
        tap.ok(not left, '%d kernels with inserted flags are proved' % len(bare), left)
    tap.end()


main()
