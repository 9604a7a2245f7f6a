#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tests/docs/layers.py SOURCE_ROOT: which part of the code may include which, and that no header includes itself by a
detour. A part includes its own headers and those of the parts before it."""
import fnmatch
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from tap import Tap

# In the order in which they build on each other. A file belongs to the first part with a pattern for it.
PARTS = [
    ('interface of the runtime', 'runtime/ptort*'),
    ('types of kernels', 'runtime/half.h', 'runtime/kern/kern.h', 'runtime/isa.h', 'runtime/mem/copy.h'),
    ('cores of the runtime', 'runtime/core/*', 'runtime/switch_*'),
    ('kernels', 'runtime/kern/*', 'runtime/isa.c'),
    ('memory of the runtime', 'runtime/mem/*'),
    ('ranks', 'runtime/comm/*'),
    ('numbers in f64', 'runtime/shadow/shadow.h', 'runtime/shadow/memory.c', 'runtime/shadow/report.c'),
    ('drivers', 'runtime/drive/*', 'runtime/scalar.c'),
    ('kernels in f64', 'runtime/shadow/apply.c', 'runtime/shadow/ops.def'),
    ('micro-instructions of the runtime', 'runtime/micro/*'),
    ('logical vectors of the runtime', 'runtime/logical/*'),
    ('sanitizer', 'runtime/sanitize/*'),
    ('support', 'support/*'),
    ('ir', 'ir/*'),
    ('lexer', 'lexer/*'),
    ('parser', 'parser/*'),
    ('analysis', 'analysis/*'),
    ('options of the verifier', 'verifier/verify.h'),
    ('rules', 'verifier/rules/*', 'verifier/rules/conditions/*', 'verifier/rules/checks/*'),
    ('fixes', 'verifier/fixes/*'),
    ('reports of rules', 'verifier/judge.*'),
    ('structure', 'verifier/structure/*'),
    ('pipes between the cores', 'verifier/pipes/*'),
    ('lints', 'verifier/lints/*'),
    ('verifier', 'verifier/*'),
    ('passes', 'passes/*'),
    ('lowering', 'backends/lower/*'),
    ('texts of backends', 'backends/text/*'),
    ('C', 'backends/c/*'),
    ('C++', 'backends/cpp/*'),
    ('timing', 'timing/*'),
    ('explain', 'explain/*'),
    ('library', 'api/*'),
    ('command', 'cli/*'),
    ('editors', 'editors/*'),
    ('Python', 'python/*'),
    ('page', 'web/*'),
]
ENDS = ('.c', '.h', '.def', '.in', '.y', '.re', '.S')
SCRIPTS = ('.py', '.sh', '.build', '.js')


def part_of(path):
    for i, (_, *patterns) in enumerate(PARTS):
        if any(os.path.dirname(path) == os.path.dirname(p) and fnmatch.fnmatch(path, p) for p in patterns):
            return i
    below = [i for i, (_, *patterns) in enumerate(PARTS) if any(fnmatch.fnmatch(path, p) for p in patterns)]
    return below[0] if below else None


def sources(root, tops, ends):
    for top in tops:
        for folder, _, names in os.walk(os.path.join(root, top)):
            for name in sorted(names):
                if name.endswith(ends):
                    yield os.path.relpath(os.path.join(folder, name), root)


def read_includes(root, files):
    """{file: [included file]}; files that the build makes are left out."""
    known = set(files)
    includes = {}
    for path in files:
        with open(os.path.join(root, path), encoding='utf-8') as f:
            names = re.findall(r'^\s*#\s*include\s+"([^"]+)"', f.read(), re.M)
        found = []
        for name in names:
            for base in ('', 'runtime', os.path.dirname(path)):
                at = os.path.normpath(os.path.join(base, name))
                if at in known:
                    found.append(at)
                    break
        includes[path] = found
    return includes


def wrong_directions(includes):
    for path, found in includes.items():
        for other in found:
            if part_of(other) > part_of(path):
                yield f'{path} ({PARTS[part_of(path)][0]}) includes {other} ({PARTS[part_of(other)][0]})'


def circle(includes):
    """A file that includes itself by a detour, as the list of files."""
    state, path = {}, []

    def visit(f):
        state[f] = 'open'
        path.append(f)
        for other in includes[f]:
            if state.get(other) == 'open':
                return path[path.index(other):] + [other]
            if other not in state:
                found = visit(other)
                if found:
                    return found
        path.pop()
        state[f] = 'done'
        return []

    for f in includes:
        if f not in state:
            found = visit(f)
            if found:
                return found
    return []


def without_licence(root, files):
    for path in files:
        with open(os.path.join(root, path), encoding='utf-8') as f:
            if 'SPDX-License-Identifier: Apache-2.0\n' not in (f.readline() + f.readline()).replace(' */', ''):
                yield path


def with_operations(root, files):
    """Files of backends and timing that see operations of the module: they read statements of the lowered program."""
    for path in files:
        if path.startswith(('backends/text/', 'backends/c/', 'backends/cpp/', 'timing/')) and path.endswith(('.c', '.h')):
            with open(os.path.join(root, path), encoding='utf-8') as f:
                found = re.search(r'\bOp\b|\bop_\w+\(', f.read())
            if found:
                yield f'{path}: {found[0]}'


def main():
    root, tap = sys.argv[1], Tap()
    tops = sorted({p.split('/')[0] for _, *patterns in PARTS for p in patterns})
    files = list(sources(root, tops, ENDS))
    includes = read_includes(root, files)
    found = circle(includes)
    written = list(sources(root, tops + ['python', 'samples', 'scripts', 'tests'], ENDS + SCRIPTS))
    for name, faults in [
            ('all parts have files', [name for i, (name, *_) in enumerate(PARTS) if i not in map(part_of, files)]),
            ('every file belongs to a part', [f for f in files if part_of(f) is None]),
            ('a part includes only what is before it', list(wrong_directions(includes))),
            ('no file includes itself by a detour', found),
            ('backends and timing see no operation', list(with_operations(root, files))),
            ('every file names its licence', list(without_licence(root, written)))]:
        tap.ok(not faults, name, '\n'.join(faults))
    tap.end()


main()
