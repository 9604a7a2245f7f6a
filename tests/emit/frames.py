# SPDX-License-Identifier: Apache-2.0
"""The stack that the emitter states for a function is at least what compilers without optimisation
give its C with its callees: frames.py PTOASM FRAMES RUNTIME-FOLDER FILE-OR-FOLDER...
With more than one FILE-OR-FOLDER also for clang, for the programs of PTOASM_CORPUS, and for all of them
with AddressSanitizer."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), '..'))
from tap import Tap  # noqa: E402

PTOASM, FRAMES, RUNTIME = (os.path.abspath(path) for path in sys.argv[1:4])
PROFILES = ['a5', 'a2a3', 'cpu']
LARGE = 4096  # bytes from which the ratio is of interest


def programs(paths):
    for path in paths:
        if os.path.isfile(path):
            yield path
        for folder, _, names in sorted(os.walk(path)):
            for name in sorted(names):
                if name.endswith('.pto'):
                    yield os.path.join(folder, name)


def output(*command, cwd=None):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=cwd)
    return done.stdout.decode(errors='replace') if done.returncode == 0 else None


def used(folder, compiler):
    """The frame of each function of k.c; None when it does not compile."""
    made = output(*compiler, '-std=c11', '-O0', '-w', '-fstack-usage', '-I' + RUNTIME, '-c', 'k.c',
                  cwd=folder)
    if made is None:
        return None
    with open(os.path.join(folder, 'k.su'), encoding='utf-8') as lines:
        rows = [line.rstrip('\n').split('\t') for line in lines]
    return {row[0].rsplit(':', 1)[1]: int(row[1]) for row in rows if len(row) > 1}


def with_callees(text, own):
    """Adds the deepest callee to each function."""
    bodies = re.findall(r'^static int (\w+)\(ptrt_core \*core[^;{]*\) \{$(.*?)^\}$', text, re.M | re.S)
    calls = {name: set(re.findall(r'\b(\w+)\(core\b', body)) for name, body in bodies}
    total = {}

    def depth(name):
        if name not in total:
            total[name] = own.get(name, 0) + max((depth(c) for c in calls[name] if c in calls), default=0)
        return total[name]

    for name in calls:
        depth(name)
    return total


def compare(path, folder, compilers):
    """Yields (function, compiler, bytes used, bound)."""
    for profile in PROFILES:
        text = output(PTOASM, 'emit', '--profile=' + profile, '-o', '-', path)
        bounds = output(FRAMES, profile, path)
        if text is not None and bounds is not None:
            break
    else:
        return
    with open(os.path.join(folder, 'k.c'), 'w', encoding='utf-8') as c:
        c.write(text)
    for compiler in compilers:
        own = used(folder, compiler)
        total = with_callees(text, own) if own is not None else {}
        for line in bounds.splitlines():
            name, bound = line.rsplit(' ', 1)
            if 'pto_' + name in total:
                yield name, ' '.join(compiler), total['pto_' + name], int(bound)


def write_big(path):
    """A function with 3,000 tiles."""
    tile = '!pto.tile_buf<vec, 1x8xf32>'
    with open(path, 'w', encoding='utf-8') as out:
        out.write('func.func @big() {\n')
        for i in range(3000):
            out.write(f'  %t{i} = pto.alloc_tile : {tile}\n'
                      f'  pto.texp ins(%t{max(i - 1, 0)} : {tile}) outs(%t{i} : {tile})\n')
        out.write('  return\n}\n')


def main():
    tap = Tap()
    functions, low, worst, big_ratio = 0, [], 0.0, 0.0
    paths = sys.argv[4:]
    compilers = [['gcc'], ['gcc', '-fsanitize=address']]
    if len(paths) > 1:
        paths += [os.environ['PTOASM_CORPUS']] if 'PTOASM_CORPUS' in os.environ else []
        compilers += [['clang']] if shutil.which('clang') else []
    with tempfile.TemporaryDirectory() as folder:
        big = os.path.join(folder, 'big.pto')
        write_big(big)
        for i, path in enumerate([big, *programs(paths)]):
            some = compilers if len(paths) > 1 or i % 3 == 0 else compilers[:1]
            for name, compiler, use, bound in compare(path, folder, some):
                functions += 1
                if bound < use:
                    low.append(f'{path}: {name}: {compiler} uses {use}, the bound is {bound}')
                if use > LARGE:
                    worst = max(worst, bound / use)
                if path == big and compiler == 'gcc':
                    big_ratio = bound / use
    print(f'# {functions} functions; of those with {LARGE} bytes the bound is at most {worst:.2f} times that')
    tap.ok(functions > 40, 'functions are compared', functions)
    tap.ok(not low, 'every bound holds', '\n'.join(low[:20]))
    tap.ok(1 <= big_ratio < 2, 'the bound of 3,000 tiles is less than twice what they need', big_ratio)
    tap.end()


main()
