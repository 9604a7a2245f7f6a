#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: profiles.py PTOASM SOURCE-FOLDER [--update]

The lists of profiles in schemas and in the settings of the plugin for VS Code are those of the program, whose help
names them. Prints TAP; with --update it rewrites the lists.
"""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from tap import Tap

# Files, and the values of their lists besides the profiles, or the profiles that are not in them.
FILES = (('docs/diagnostic.schema.json', (), ()), ('docs/portability.schema.json', (), ()),
         ('docs/describe.schema.json', (), ('cpu',)), ('editors/vscode/package.json', ('all',), ()))
LIST = re.compile(r'"enum": \[("[^]]*"a5"[^]]*)\]')


def main():
    program, source = sys.argv[1:3]
    text = subprocess.run([program, 'check', '--help'], stdout=subprocess.PIPE, text=True, check=True).stdout
    names = re.search(r'these profiles: (.*), or all', text).group(1).split(', ')
    tap = Tap()
    for file, more, without in FILES:
        path = os.path.join(source, file)
        with open(path, encoding='utf-8') as f:
            old = f.read()
        new = ', '.join('"%s"' % name for name in names + list(more) if name not in without)
        lists = LIST.findall(old)
        if '--update' not in sys.argv:
            tap.ok(lists and set(lists) == {new}, file, '%s instead of %s; tests/docs/update rewrites it' % (lists, new))
            continue
        with open(path, 'w', encoding='utf-8') as f:
            f.write(LIST.sub('"enum": [%s]' % new, old))
    if '--update' not in sys.argv:
        tap.end()


main()
