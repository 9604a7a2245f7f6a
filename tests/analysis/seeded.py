# SPDX-License-Identifier: Apache-2.0
"""Mistakes in the flags and barriers of samples/synchronised: the samples are proved, and `check` finds each
mistake. usage: seeded.py PTOASM SAMPLES"""
import os
import subprocess
import sys
import tempfile


def flag(verb, pair, event):
    pipes = '<PIPE_%s>, <PIPE_%s>' % tuple(pair.split('>'))
    return 'pto.%s_flag%s[%s, %s]' % (verb, '_dyn' if event == '%slot' else '', pipes, event)


def without(*texts):
    """Deletes the one line that holds each text."""
    def edit(lines):
        for text in texts:
            lines.pop(at(lines, text))
    return edit


def barrier_before(text):
    """Deletes the barrier right above a line."""
    def edit(lines):
        i = at(lines, text) - 1
        assert 'pto.barrier' in lines[i], lines[i]
        lines.pop(i)
    return edit


def moved(text, before):
    def edit(lines):
        line = lines.pop(at(lines, text))
        lines.insert(at(lines, before), line)
    return edit


def changed(text, to):
    def edit(lines):
        i = at(lines, text)
        lines[i] = lines[i].replace(text, to)
    return edit


def at(lines, text):
    found = [i for i, line in enumerate(lines) if text in line]
    assert len(found) == 1, (text, found)
    return found[0]


ID0, ID1, SLOT = '<EVENT_ID0>', '<EVENT_ID1>', '%slot'

SEEDED = {
    'gemm.pto': [
        ('factors are moved before they are loaded', 'sync-race',
         without(flag('set', 'MTE2>MTE1', SLOT), flag('wait', 'MTE2>MTE1', SLOT))),
        ('a wait is forgotten', 'sync-reuse', without(flag('wait', 'MTE2>MTE1', SLOT))),
        ('a set is forgotten', 'sync-deadlock', without(flag('set', 'MTE1>M', SLOT))),
        ('the first set of a slot is missing', 'sync-deadlock', without(flag('set', 'MTE1>MTE2', ID1))),
        ('the last wait of a slot is missing', 'sync-leak', without(flag('wait', 'M>MTE1', ID1))),
        ('a slot is given back before it is read', 'sync-race',
         moved(flag('set', 'MTE1>MTE2', SLOT), 'pto.tmov ins(%am')),
        ('factors are overwritten while the product is computed', 'sync-race',
         moved(flag('set', 'M>MTE1', SLOT), '%first = arith.cmpi')),
        ('one slot for events of two', 'sync-race', changed('%ls[%slot]', '%ls[%c0]')),
        ('the event does not follow the slot', 'sync-deadlock',
         changed(flag('wait', 'MTE2>MTE1', SLOT), flag('wait', 'MTE2>MTE1', ID0))),
        ('the product is stored before it is ready', 'sync-race',
         without(flag('set', 'M>FIX', ID0), flag('wait', 'M>FIX', ID0))),
        ('the wait comes after its use', 'sync-race',
         moved(flag('wait', 'MTE1>M', SLOT), flag('set', 'M>MTE1', SLOT))),
    ],
    'attention.pto': [
        ('no barrier before the maximum of rows is used', 'sync-race', barrier_before('pto.tmax ins')),
        ('no barrier before the difference of maxima', 'sync-race', barrier_before('pto.tsub ins')),
        ('no barrier after the difference of maxima', 'sync-race', barrier_before('pto.texp ins(%alpha1')),
        ('no barrier before the sums are added', 'sync-race', barrier_before('pto.tadd ins(%l1')),
        ('no barrier between iterations', 'sync-race', barrier_before('    } // chunks')),
        ('no barrier behind the first values', 'sync-race', barrier_before('// At first')),
        ('chunks are used before they are loaded', 'sync-race',
         without(flag('set', 'MTE2>V', SLOT), flag('wait', 'MTE2>V', SLOT))),
        ('a slot is given back before its last use', 'sync-race',
         moved(flag('set', 'V>MTE2', SLOT), 'pto.tadd ins(%sum')),
        ('one slot for events of two', 'sync-race', changed('%ps[%slot]', '%ps[%c0]')),
        ('the first set of a slot is missing', 'sync-deadlock', without(flag('set', 'V>MTE2', ID1))),
        ('the last wait of a slot is missing', 'sync-leak', without(flag('wait', 'V>MTE2', ID0))),
        ('slots by a remainder that their events do not have', 'sync-deadlock',
         changed(flag('set', 'V>MTE2', SLOT), flag('set', 'V>MTE2', ID0))),
        ('the result is stored before it is ready', 'sync-race',
         without(flag('set', 'V>MTE3', ID0), flag('wait', 'V>MTE3', ID0))),
    ],
}


def findings(ptoasm, text):
    """Returns the ids of the findings."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'seeded.pto')
        with open(path, 'w') as f:
            f.write(text)
        out = subprocess.run([ptoasm, 'check', '--profile=a2a3', '--format=json', path], stdout=subprocess.PIPE,
                             universal_newlines=True).stdout
    return {line.split('"id":"')[1].split('"')[0] for line in out.split('\n') if '"id":"' in line}


def main():
    ptoasm, samples = sys.argv[1:]
    n = failed = 0
    for name, seeds in SEEDED.items():
        with open(os.path.join(samples, 'synchronised', name)) as f:
            source = f.read()
        for what, want, edit in [('as it is', None, lambda lines: None)] + seeds:
            lines = source.split('\n')
            edit(lines)
            found = findings(ptoasm, '\n'.join(lines))
            good = want in found if want else not found
            n += 1
            failed += not good
            print('%s %d - %s: %s' % ('ok' if good else 'not ok', n, name, what))
            if not good:
                print('# found %s' % ' '.join(sorted(found)))
    print('1..%d' % n)
    sys.exit(failed > 0)


main()
