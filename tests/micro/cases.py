#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""cases.py PTOASM LIST [--sanitize] [--every=N]: runs kernels of others with the inputs of their authors and compares what those
compare.

The cases are below $PTOASM_CORPUS/micro/golden and vmi/golden (logical vectors): a case.json with the kernel, its launches, and the arrays that are
compared. Those that LIST names (a path and a reason, separated by a tab) must fail, all others must pass: with
--sanitize LIST has the ids of the findings that the authors' kernels have. --every: one of N cases. TAP on standard output."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from tap import Tap

try:
    import numpy as np
except ImportError:
    np = None
else:
    np.seterr(all='ignore')


def differs(entry, got, golden):
    """How an array differs from the golden one in the elements that count; None if it does not."""
    kind = np.dtype(entry['type'])
    got = np.ascontiguousarray(got).reshape(-1).view(np.uint8)
    got = got[: got.size // kind.itemsize * kind.itemsize].view(kind)
    golden = golden.reshape(-1)
    for first, count in entry['compared']:
        a, b = got[first : first + count], golden[first : first + count]
        if a.shape != b.shape:
            return '%s has %d elements' % (entry['array'], got.size)
        equal = np.array([x.tobytes() == y.tobytes() for x, y in zip(a, b)]) if entry['bits'] else a == b
        if kind.kind == 'f':
            close = np.isclose(a.astype('f8'), b.astype('f8'), rtol=entry['rtol'], atol=entry['atol'], equal_nan=True)
            equal = equal | (close if not entry['bits'] else np.isnan(a) & np.isnan(b))
        elif entry['atol'] or entry['rtol']:
            equal = abs(a.astype('i8') - b.astype('i8')) <= entry['atol'] + entry['rtol'] * abs(b.astype('f8'))
        if not equal.all():
            i = int(np.argmin(equal))
            return '%s[%d] is %s, not %s' % (entry['array'], first + i, a[i], b[i])
    return None


class Case:
    def __init__(self, ptoasm, root, folder, options):
        self.ptoasm, self.root, self.folder, self.options = ptoasm, root, folder, options
        self.facts = json.loads((folder / 'case.json').read_text())
        self.name = '/'.join(p for p in folder.relative_to(root).parts if p != 'golden')

    def launch(self, launch, arrays, scratch):
        """Runs one launch; `arrays` are the files that hold what earlier ones have written."""
        command = [self.ptoasm, 'run', '--profile=a5', '--color=never', '--entry=' + launch['function']]
        command += self.options + (['--grid=%d' % launch['grid']] if launch['grid'] > 1 else [])
        command.append(str(self.root / self.facts['kernel']))
        names = [a['array'] for a in launch['args'] if 'array' in a]
        written = {}
        for a in launch['args']:
            if 'array' not in a:
                command.append(str(a['value']))
                continue
            name = a['array']
            source = arrays.get(name, str(self.folder / (name + '.npy')))
            if name not in written or names.count(name) == 1:
                written[name] = os.path.join(scratch, '%d-%s.npy' % (len(arrays), name.replace('/', '_')))
                source += '>' + written[name]
            command.append(source)
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        arrays.update(written)
        return done

    def fault(self):
        """What is wrong with the case, or the ids of findings of the sanitizer; None: nothing."""
        with tempfile.TemporaryDirectory() as scratch:
            arrays, found = {}, set()
            for launch in self.facts['launches']:
                done = self.launch(launch, arrays, scratch)
                ids = {line.rsplit('[', 1)[1].rstrip(']') for line in done.stderr.splitlines()
                       if line.endswith(']') and (': error: ' in line or ': warning: ' in line)}
                ids.discard('deprecated-spelling')
                if done.returncode not in ((0, 1) if self.options else (0,)):
                    return (done.stderr.splitlines() or ['exit %d' % done.returncode])[0]
                found |= ids
            if self.options:
                return ' '.join(sorted(found)) or None
            for entry in self.facts['expected']:
                why = differs(entry, np.load(arrays[entry['array']]), np.load(self.folder / entry['golden']))
                if why:
                    return why
        return None


def main():
    tap, corpus = Tap(), os.environ.get('PTOASM_CORPUS')
    if not corpus or np is None:
        tap.skip('cases', 'PTOASM_CORPUS is not set' if not corpus else 'no python3-numpy')
        tap.end()
    options = [o for o in sys.argv[3:] if not o.startswith('--every=')]
    every = [int(o.split('=')[1]) for o in sys.argv[3:] if o.startswith('--every=')] or [1]
    known = dict(line.rstrip('\n').split('\t') for line in open(sys.argv[2]) if line[0] not in '#\n')
    root = pathlib.Path(corpus)
    paths = sorted(p for level in ('micro', 'vmi') for p in (root / level / 'golden').rglob('case.json'))
    for level in 'micro', 'vmi':
        tap.ok(any(level in p.relative_to(root).parts for p in paths), 'there are cases of ' + level)
    for number, path in enumerate(paths):
        case = Case(sys.argv[1], root, path.parent, options)
        if number % every[0] != 0:
            known.pop(case.name, None)
            continue
        fault = case.fault()
        wanted = known.pop(case.name, None)
        if options:
            tap.ok(fault == wanted, case.name, '%s, expected %s' % (fault, wanted))
        else:
            tap.ok((fault is None) == (wanted is None), case.name, fault or 'passes, but is in the list: ' + str(wanted))
    tap.ok(not known, 'every line of the list is a case', ' '.join(known))
    tap.end()


if __name__ == '__main__':
    main()
