# SPDX-License-Identifier: Apache-2.0
"""Commands whose allocations fail: memory.py PTOASM FAIL-LIBRARY SOURCE-FOLDER [EVERY]. Each ends with
what it writes without a failure, or with exit code 2 and a message: never with a signal, a part of the
output or another code."""
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from tap import Tap  # noqa: E402

PTOASM, LIBRARY, SOURCE = (os.path.realpath(path) for path in sys.argv[1:4])
MOST = int(sys.argv[4]) if len(sys.argv) > 4 else 25  # failures for each command
SAMPLE = os.path.join(SOURCE, 'samples/kernel/scale_mask.pto')
COMMANDS = {
    'check': ['check', '--format=json', SAMPLE],
    'fmt': ['fmt', SAMPLE],
    'emit': ['emit', SAMPLE, '-o', '-'],
    'map': ['map', SAMPLE],
    'time': ['time', SAMPLE, '1'],
    'time --format=json': ['time', '--format=json', SAMPLE, '1'],
    'explain': ['explain', 'pto.tadd'],
    'explain --list': ['explain', '--list'],
    'explain --format=json': ['explain', '--format=json', 'pto.tload'],
    'run': ['run', SAMPLE, 'random:1', 'zeros', '1'],
    'run --dump': ['run', '--dump=d', '--format=json', SAMPLE, 'random:1', 'zeros', '1'],
    'map --format=json': ['map', '--format=json', SAMPLE],
    'locations': ['check', '--format=github', os.path.join(SOURCE, 'tests/golden/check/locations.pto')],
}


def call(words, folder, **extra):
    env = dict(os.environ, LC_ALL='C', NO_COLOR='1', LD_PRELOAD=LIBRARY, **extra)
    env.pop('CC', None)
    return subprocess.run([PTOASM] + words, env=env, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, check=False)


def numbers(count):
    """The first ones and the last ones, where most kinds are, and some between."""
    if count <= MOST:
        return list(range(1, count + 1))
    few = MOST // 4
    step = max(1, (count - 2 * few) // (MOST - 2 * few))
    return sorted({*range(1, few + 1), *range(few + 1, count - few, step), *range(count - few, count + 1)})


def problem(done, whole):
    if done.returncode == whole.returncode and done.stdout == whole.stdout:
        return None
    if done.returncode != 2:
        return f'exit code {done.returncode}, {len(done.stdout)} of {len(whole.stdout)} bytes'
    return None if done.stderr or b'error' in done.stdout else 'no message'


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        for name, words in COMMANDS.items():
            count = os.path.join(folder, 'count')
            whole = call(words, folder, FAIL_COUNT=count)
            with open(count, encoding='ascii') as file:
                n = int(file.read())
            wrong = []
            for i in numbers(n):
                for more in {}, {'FAIL_ALL': '1'}:
                    done = call(words, folder, FAIL_MALLOC=str(i), **more)
                    why = problem(done, whole)
                    if why:
                        wrong.append(f'allocation {i} of {n} {"and after " if more else ""}fails: {why}: '
                                     + done.stderr.decode(errors='replace')[:200])
            tap.ok(whole.returncode == (name == 'locations') and n > 3 and not wrong, f'{name}: {n} allocations',
                   '\n'.join(wrong[:6]) + whole.stderr.decode(errors='replace'))
    tap.end()


main()
