#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/drawings and the tables in the pages for authors are what the tables of the language say.

usage: drawings.py PROGRAM SOURCE-FOLDER [--update]

PROGRAM (drawings.c) writes NAME.svg for docs/drawings and NAME.md for what a page of docs has between
<!-- table: NAME --> and <!-- end of table -->. --update rewrites them. Prints TAP.
"""
import os
import re
import subprocess
import sys
import tempfile

TABLE = re.compile(r'(<!-- table: (\w+) -->\n)(.*?)(<!-- end of table -->)', re.S)
results = []


def read(path):
    try:
        with open(path, encoding='utf-8') as file:
            return file.read()
    except FileNotFoundError:
        return None


def settle(path, old, new, update):
    """Compares a file with what it must be, or makes it so."""
    if update and old != new:
        with open(path, 'w', encoding='utf-8') as file:
            file.write(new)
    return update or old == new


def main():
    program, source = sys.argv[1], os.path.realpath(sys.argv[2])
    update = '--update' in sys.argv
    docs, drawings = source + '/docs', source + '/docs/drawings'
    with tempfile.TemporaryDirectory() as work:
        subprocess.run([program, work], check=True)
        made = sorted(os.listdir(work))
        texts = {name: read(work + '/' + name) for name in made}
    for name in made:
        if name.endswith('.svg'):
            path = drawings + '/' + name
            results.append((settle(path, read(path), texts[name], update), 'docs/drawings/' + name))
    stray = set(os.listdir(drawings)) - set(made)
    results.append((not stray, 'docs/drawings holds nothing else'))
    placed, pages = set(), ''
    for page in sorted(name for name in os.listdir(docs) if name.endswith('.md')):
        old = read(docs + '/' + page)
        pages += old
        names = [match.group(2) for match in TABLE.finditer(old)]
        placed.update(names)
        new = TABLE.sub(lambda match: match.group(1) + '\n' + texts.get(match.group(2) + '.md', '') + '\n' + match.group(4), old)
        if names:
            results.append((settle(docs + '/' + page, old, new, update), 'the tables of docs/' + page))
    results.append((placed == {name[:-3] for name in made if name.endswith('.md')}, 'every table is in a page'))
    unseen = [name for name in made if name.endswith('.svg') and 'drawings/' + name not in pages]
    results.append((not unseen, 'every drawing is in a page'))
    for number, (fine, name) in enumerate(results, 1):
        print('%s %d - %s' % ('ok' if fine else 'not ok', number, name))
        if not fine:
            print('# tests/docs/update rewrites it')
    print('1..%d' % len(results))
    sys.exit(not all(fine for fine, _ in results))


main()
