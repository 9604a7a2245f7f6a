#!/usr/bin/env python3
"""tests/docs/layers.py SOURCE_ROOT: which part of the code may include which, and that no header includes itself by a
detour. A part includes its own headers and those of the parts before it."""
import fnmatch
import os
import re
import sys

# In the order in which they build on each other. A file belongs to the first part with a pattern for it.
PARTS = [
    ('interface of the runtime', 'runtime/ptort*'),
    ('types of kernels', 'runtime/half.h', 'runtime/kern/kern.h', 'runtime/isa.h', 'runtime/mem/copy.h'),
    ('kernels', 'runtime/kern/*', 'runtime/isa.c'),
    ('cores of the runtime', 'runtime/core/*'),
    ('memory of the runtime', 'runtime/mem/*'),
    ('ranks', 'runtime/comm/*'),
    ('drivers', 'runtime/drive/*', 'runtime/scalar.c'),
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
    ('explain', 'explain/*'),
    ('library', 'api/*'),
    ('command', 'cli/*'),
    ('editors', 'editors/*'),
]
ENDS = ('.c', '.h', '.def', '.in', '.y', '.re', '.S')


def part_of(path):
    for i, (_, *patterns) in enumerate(PARTS):
        if any(os.path.dirname(path) == os.path.dirname(p) and fnmatch.fnmatch(path, p) for p in patterns):
            return i
    below = [i for i, (_, *patterns) in enumerate(PARTS) if any(fnmatch.fnmatch(path, p) for p in patterns)]
    return below[0] if below else None


def sources(root):
    for top in sorted({p.split('/')[0] for _, *patterns in PARTS for p in patterns}):
        for folder, _, names in os.walk(os.path.join(root, top)):
            for name in sorted(names):
                if name.endswith(ENDS):
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
    """A file that includes itself by a detour, as the list of files; None when there is none."""
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
        return None

    for f in includes:
        if f not in state:
            found = visit(f)
            if found:
                return found
    return None


def without_license(root, files):
    for path in files:
        with open(os.path.join(root, path), encoding='utf-8') as f:
            if not any('SPDX-License-Identifier: Apache-2.0' in line for line in (f.readline(), f.readline())):
                yield path


def report(number, name, faults):
    faults = list(faults)
    print(f'{"not ok" if faults else "ok"} {number} - {name}')
    for fault in faults:
        print('#', fault)


def main():
    root = sys.argv[1]
    files = list(sources(root))
    includes = read_includes(root, files)
    print('1..5')
    report(1, 'all parts have files', [name for i, (name, *_) in enumerate(PARTS) if i not in map(part_of, files)])
    report(2, 'every file belongs to a part', [f for f in files if part_of(f) is None])
    report(3, 'a part includes only what is before it', wrong_directions(includes))
    found = circle(includes)
    report(4, 'no file includes itself by a detour', [' -> '.join(found)] if found else [])
    report(5, 'every file names its licence', without_license(root, files))


main()
