#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""pypto.py PTOASM [--every=N]: programs that the front end pypto wrote, in PTOASM_CORPUS/pypto. Its texts get the verdict of the
vendor's verifier from `ptoas` with the front end's flags: pypto.tsv lists those that a later pass of the vendor refuses, with
the diagnostic, and must be right both ways. Its kernels compute what its own tests expect, within their tolerances; pypto.tsv
lists those that cannot run. With --every=N every N-th text and kernel. Prints TAP; skips without PTOASM_CORPUS."""
import concurrent.futures
import csv
import json
import os
import re
import subprocess
import sys
import tempfile
import zipfile

UNSIGNED = {'ui8', 'ui16', 'ui32', 'ui64'}


def table(path):
    with open(path, encoding='utf-8') as f:
        return list(csv.DictReader(f, delimiter='\t', quoting=csv.QUOTE_NONE))


def exceptions():
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'pypto.tsv')
    return {row['program']: row['says'] for row in table(path)}


def said(text):
    """The first line that is no note, warning or part of an excerpt."""
    for line in text.splitlines():
        if line[:1] not in ('', ' ') and not re.search(r'(note|warning): ', line):
            return line
    return text[:200]


def differs_from_list(name, run, known):
    """Returns why the outcome is not the one of the list, or None."""
    if name in known:
        if run.returncode != 1:
            return '%s: exit code %d; pypto.tsv says that it is refused' % (name, run.returncode)
        return None if known[name] in run.stderr else '%s: %s; pypto.tsv says %s' % (name, said(run.stderr), known[name])
    return None if run.returncode == 0 else '%s: exit code %d: %s' % (name, run.returncode, said(run.stderr))


def run_text(tool, folder, row, *options):
    return subprocess.run([tool, *options] + row['flags'].split() +
                          [os.path.join(folder, 'text', row['text']), '-o', os.devnull], capture_output=True, text=True, timeout=120)


def judge_text(tool, folder, row, known):
    run = run_text(tool, folder, row)
    if row['vendor_parse_verify'] == 'accept':
        return differs_from_list(row['text'], run, known)
    return None if run.returncode == 1 else '%s: exit code %d; the vendor refuses it' % (row['text'], run.returncode)


def lacks_scratch(tool, folder, row, known):
    """Whether the text has level 3 and leaves out scratch tiles, which the vendor's 0.60 demands."""
    if row['vendor_parse_verify'] == 'accept':
        return known.get(row['text']) == '[tmp-required]'
    return '[tmp-required]' in run_text(tool, folder, row).stderr


def judge_older(tool, folder, row, known):
    """Version 0.57, which pypto was made for, plans those scratch tiles."""
    run = run_text(tool, folder, row, '--pto-version=0.57')
    return None if run.returncode == 0 else '%s: exit code %d: %s' % (row['text'], run.returncode, said(run.stderr))


def as_unsigned(array):
    """The same file with an unsigned element type."""
    return re.sub(rb"('descr': '[<|])i", rb'\1u', array, count=1)


def judge_kernel(ptoasm, folder, case, known):
    name = case['case']
    path = os.path.join(folder, 'gold', name)
    with open(path + '.pto', encoding='utf-8') as f:
        types = re.findall(r'%arg\d+: !pto\.ptr<(\w+)>', f.read())
    command = [ptoasm, 'run', '--profile=' + case['profile'], '--grid=%d' % case['grid'], '--rtol=%r' % case['rtol'],
               '--atol=%r' % case['atol']]
    arguments = []
    with tempfile.TemporaryDirectory() as scratch, zipfile.ZipFile(path + '.npz') as arrays:
        def array(member, elem):
            data = arrays.read(member + '.npy')
            file = os.path.join(scratch, member + '.npy')
            with open(file, 'wb') as f:
                f.write(as_unsigned(data) if elem in UNSIGNED else data)
            return file
        for i, (arg, elem) in enumerate(zip(case['args'], types)):
            arguments.append(array('in%d' % arg['index'], elem))
            if arg['output']:
                command.append('--expect=arg%d=%s' % (i, array('out%d' % arg['index'], elem)))
        run = subprocess.run(command + [path + '.pto'] + arguments + [str(n) for n in case['index_args_after']],
                             capture_output=True, text=True, timeout=300)
    return differs_from_list(name, run, known)


def report(number, name, faults):
    print('%sok %d - %s' % ('not ' if faults else '', number, name))
    for fault in faults:
        print('# ' + fault)


def all_faults(judge, items):
    with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        return [fault for fault in pool.map(judge, items) if fault is not None]


def main():
    ptoasm = os.path.abspath(sys.argv[1])
    every = next((int(a[8:]) for a in sys.argv[2:] if a.startswith('--every=')), 1)
    folder = os.environ.get('PTOASM_CORPUS', '') + '/pypto'
    if not os.path.exists(folder + '/INDEX.tsv'):
        print('1..0 # SKIP PTOASM_CORPUS names no folder with pypto')
        return 0
    known = exceptions()
    rows = table(folder + '/INDEX.tsv')
    with open(folder + '/gold/cases.json', encoding='utf-8') as f:
        cases = json.load(f)
    with tempfile.TemporaryDirectory() as scratch:
        tool = os.path.join(scratch, 'ptoas')
        os.symlink(ptoasm, tool)
        texts = all_faults(lambda row: judge_text(tool, folder, row, known), rows[::every])
        older = [row for row in rows if lacks_scratch(tool, folder, row, known)]
        planned = all_faults(lambda row: judge_older(tool, folder, row, known), older)
    report(1, 'texts: the verdict of the vendor', texts)
    report(2, '%d texts without scratch tiles: what version 0.57 takes' % len(older), planned)
    kernels = all_faults(lambda case: judge_kernel(ptoasm, folder, case, known), cases[::every])
    report(3, 'kernels: the results of the front end\'s own tests', kernels)
    gone = sorted(set(known) - {row['text'] for row in rows} - {case['case'] for case in cases})
    report(4, 'pypto.tsv: its programs are there', gone)
    print('1..4')
    return 1 if texts or planned or kernels or gone else 0


if __name__ == '__main__':
    sys.exit(main())
