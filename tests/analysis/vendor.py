# SPDX-License-Identifier: Apache-2.0
"""What `check --sync=all` finds in real programs as the vendor's assembler synchronised them: the findings of
vendor_findings.tsv, which says why, and no others. usage: vendor.py PTOASM; needs PTOASM_CORPUS."""
import concurrent.futures
import json
import os
import subprocess
import sys


def findings(ptoasm, folder, name):
    """Returns rows (file, id, line of the earlier statement or -, line)."""
    profile = 'a5' if name.endswith('.a5.pto') else 'a2a3'
    p = subprocess.run([ptoasm, 'check', '--sync=all', '--profile=' + profile, '--format=json', '--max-errors=0',
                        os.path.join(folder, name)], stdout=subprocess.PIPE, universal_newlines=True)
    rows = set()
    for line in filter(None, p.stdout.split('\n')):
        d = json.loads(line)
        if d['severity'] == 'error' or d['id'].startswith('sync-'):
            earlier = [n['line'] for n in d['notes'] if n['line']]
            rows.add((name, d['id'], str(earlier[0]) if earlier else '-', str(d['line'])))
    return rows


def main():
    corpus = os.environ.get('PTOASM_CORPUS')
    folder = os.path.join(corpus or '', 'sync', 'vendor')
    if corpus is None or not os.path.isdir(folder):
        print('1..0 # SKIP PTOASM_CORPUS is not set')
        return
    names = sorted(n for n in os.listdir(folder) if n.endswith('.pto'))
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), 'vendor_findings.tsv')) as f:
        listed = {tuple(line.split('\t')[:4]) for line in f if not line.startswith('file\t')}
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        found = set().union(*pool.map(lambda name: findings(sys.argv[1], folder, name), names))
    for n, (what, rows) in enumerate((('is listed', found - listed), ('is found', listed - found)), 1):
        print('%s %d - every finding %s' % ('not ok' if rows else 'ok', n, what))
        for row in sorted(rows):
            print('# ' + ' '.join(row))
    clean = len(names) - len({row[0] for row in found})
    print('ok 3 - %d programs, %d of them proved' % (len(names), clean))
    print('1..3')
    sys.exit(found != listed or not names)


main()
