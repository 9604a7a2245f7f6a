#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""order.py PTOASM: the flags and barriers in the C++ with --insert-sync are those of `fmt --insert-sync`, in the same
order, for each program of the corpus. Prints TAP; skips without PTOASM_CORPUS."""
import os
import re
import subprocess
import sys

import device

HELPER = re.compile(r'(?s)static AICORE inline void ptoas_auto_sync_tail.*?\n}\n')
FLUSH = re.compile(r'pipe_barrier\(PIPE_ALL\);\s*dcci')  # after scalar stores to global memory; it orders no pipes of tiles
# A fence of all pipes, or of those that move data on a cube core.
FENCE = re.compile(r'(pipe_barrier\(PIPE_ALL\);|pipe_barrier\(PIPE_MTE2\);\s*pipe_barrier\(PIPE_MTE3\);\s*pipe_barrier\(PIPE_FIX\);)\s*dsb')
CPP = re.compile(r'\b(set_flag|wait_flag|pipe_barrier)\(([^;]*)\);')
PTO = re.compile(r'pto\.(set_flag|wait_flag|barrier)(?:_dyn)?\b\s*(\[[^\]]*\]|<[^>]*>|[^\n]*)')


def sequence(pattern, text):
    for m in pattern.finditer(re.sub(r'//[^\n]*', '', text)):
        event = re.search(r'EVENT_ID(\d)', m.group(2))
        yield m.group(1).replace('pipe_', ''), re.findall(r'PIPE_\w+', m.group(2)), event and event.group(1)


def by_function(pattern, start, text):
    """The sequences of the functions; in C++ a function comes after those that it calls."""
    return sorted(filter(None, ([str(x) for x in sequence(pattern, part)] for part in re.split(start, text))))


def main():
    corpus = os.environ.get('PTOASM_CORPUS')
    if corpus is None:
        print('1..0 # SKIP PTOASM_CORPUS names no corpus')
        return 0
    same, wrong = 0, []
    for path, profile, level, _ in device.programs(corpus):
        how = ['--insert-sync', '--compat=ptoas', '--profile=' + profile, '--level=' + level, corpus + '/' + path]
        texts = [subprocess.run([sys.argv[1], *words, *how], capture_output=True, text=True, errors='replace')
                 for words in (['emit', '--to=cpp', '--no-comments', '-o', '-'], ['fmt', '--form=dps'])]
        if any(t.returncode for t in texts) or 'record_event' in texts[1].stdout:  # events name operations, not pipes
            continue
        ours = FENCE.sub('dsb', FLUSH.sub('dcci', HELPER.sub('', texts[0].stdout)))
        if by_function(CPP, r'\bAICORE\b', ours) == by_function(PTO, r'func\.func', texts[1].stdout):
            same += 1
        else:
            wrong.append(path + ' ' + profile)
    for line in wrong:
        print('# ' + line)
    print('%s 1 - %d programs have the same flags and barriers' % ('ok' if same and not wrong else 'not ok', same))
    print('1..1')
    return 1 if wrong or not same else 0


sys.exit(main())
