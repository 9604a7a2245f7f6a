# SPDX-License-Identifier: Apache-2.0
"""Builds the command from a copy of the project in which a table has one more row."""
import os
import shutil
import subprocess


class Edit:
    """`new` comes after the first line that begins with `line` in `file`, or instead of it."""

    def __init__(self, file, line, new, replace=False):
        self.file, self.line, self.new, self.replace = file, line, new, replace


def apply(top, edits):
    for e in edits:
        path = os.path.join(top, e.file)
        with open(path) as f:
            lines = f.read().split('\n')
        at = [i for i, line in enumerate(lines) if line.startswith(e.line)]
        if not at:
            raise SystemExit('%s has no line that begins with %r' % (e.file, e.line))
        lines[at[0]:at[0] + 1] = e.new.split('\n') if e.replace else [lines[at[0]]] + e.new.split('\n')
        with open(path, 'w') as f:
            f.write('\n'.join(lines))


def build(source, folder, edits, *targets):
    """Builds targets, or all without, and returns the path of the program. It is built without optimisation: it runs a
    few thousand times at most."""
    top = os.path.join(folder, 'tree')
    shutil.copytree(source, top, ignore=lambda at, names: [
        name for name in names if name in ('.git', '__pycache__') or os.path.exists(os.path.join(at, name, 'build.ninja'))])
    apply(top, edits)
    out = os.path.join(folder, 'build')
    for command in (['meson', 'setup', out, top, '--buildtype=plain', '-Dtests=false', '-Dlevels=v3',
                     '-Ddefault_library=static'], ['ninja', '-C', out, *targets]):
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors='replace')
        if done.returncode != 0:
            raise SystemExit('%s:\n%s' % (' '.join(command), done.stdout[-4000:]))
    return os.path.join(out, 'cli', 'ptoasm')
