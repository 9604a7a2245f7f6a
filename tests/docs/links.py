#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pages that people read: every link leads somewhere, the index is complete, every package has its reason.

usage: links.py SOURCE-FOLDER. Prints TAP.
"""
import os
import re
import sys

LINK = re.compile(r'\[[^\]]*\]\(([^)\s]+)\)')
FENCE = re.compile(r'^```.*?^```$', re.M | re.S)
HEADING = re.compile(r'^#+ (.*)$', re.M)
# What a site that shows the page makes of a heading.
NO_ANCHOR = re.compile(r'[^\w\- ]')


def read(path):
    with open(path, encoding='utf-8') as file:
        return file.read()


def anchors(text):
    plain = FENCE.sub('', text)
    names = {NO_ANCHOR.sub('', heading.replace('`', '').lower()).replace(' ', '-') for heading in HEADING.findall(plain)}
    return names | set(re.findall(r'<a (?:id|name)="([^"]+)"', text))


def dead_links(path):
    """The links of a page that lead nowhere. Links to other sites are not looked at."""
    dead, text = [], read(path)
    for link in LINK.findall(FENCE.sub('', text)):
        if re.match(r'[a-z]+:', link):
            continue
        name, _, anchor = link.partition('#')
        target = os.path.join(os.path.dirname(path), name) if name else path
        if not os.path.exists(target):
            dead.append(link)
        elif anchor and anchor not in anchors(read(target)):
            dead.append(link)
    return dead


def packages(source):
    """The packages that scripts/common.sh installs."""
    text = read(source + '/scripts/common.sh')
    lists = re.findall(r"^(?:BUILD|TEST)_PACKAGES=(['\"])(.*?)\1", text, re.M | re.S)
    return {word for _, words in lists for word in words.split() if not word.startswith('$')}


def main():
    source = os.path.realpath(sys.argv[1])
    pages = []
    for folder in ('', 'docs', 'docs/isa', 'samples', 'tests/golden', 'python'):
        if os.path.isdir(os.path.join(source, folder)):
            pages += [os.path.join(folder, name) for name in sorted(os.listdir(os.path.join(source, folder)))
                      if name.endswith('.md')]
    results = []
    for page in pages:
        results.append((page + ': its links', dead_links(os.path.join(source, page))))
    index = LINK.findall(read(source + '/docs/README.md'))
    missing = [name for name in os.listdir(source + '/docs')
               if name.endswith('.md') and name not in index and name != 'README.md']
    results.append(('docs/README.md names every page', missing))
    table = ''.join(line for line in read(source + '/README.md').splitlines(True) if line.startswith('|'))
    named = set(re.findall(r'[\w.+-]+', table))
    results.append(('README.md has a reason for every package', sorted(packages(source) - named)))
    for number, (name, wrong) in enumerate(results, 1):
        print('%s %d - %s' % ('not ok' if wrong else 'ok', number, name))
        for item in wrong:
            print('# ' + item)
    print('1..%d' % len(results))
    sys.exit(any(wrong for _, wrong in results))


main()
