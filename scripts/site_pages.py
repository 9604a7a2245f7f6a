# SPDX-License-Identifier: Apache-2.0
"""Writes the site: the page to try the program, and the documentation as HTML with a search.

usage: site_pages.py MODULE FOLDER. MODULE is the program for WebAssembly. Pages load scripts, not data, so that a browser
shows them from files too.
"""
import base64
import html
import json
import os
import re
import shutil
import sys

PROJECT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
OUTSIDE = ('README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md', 'samples/README.md')


# ---- Markdown, as far as the pages use it ----

def slug(text):
    """The anchor of a heading, as web sites of repositories make it."""
    return re.sub(r'[^\w\- ]', '', text.lower()).replace(' ', '-')


def inline(text, moved):
    """Code, links, and emphasis in a line; `moved` rewrites the target of a link."""
    parts = re.split(r'(`` ?.+? ?``|`[^`]+`)', text)
    for i, part in enumerate(parts):
        if i % 2:
            parts[i] = '<code>%s</code>' % html.escape(part.strip('`').strip() if part.startswith('``') else part[1:-1])
            continue
        part = html.escape(re.sub(r'\\([\\`*_{}\[\]<>()#+\-.!|])', lambda m: '&#%d;' % ord(m[1]), part), quote=False)
        part = part.replace('&amp;#', '&#')
        part = re.sub(r'\*\*(.+?)\*\*', r'<strong>\1</strong>', part)
        parts[i] = re.sub(r'(?<![\w*])\*([^*]+)\*(?![\w*])', r'<em>\1</em>', part)
    text = ''.join(parts)
    text = re.sub(r'!\[([^\]]*)\]\(([^)\s]+)\)', lambda m: '<img alt="%s" src="%s">' % (m[1], moved(m[2])), text)
    return re.sub(r'\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)',
                  lambda m: '<a href="%s">%s</a>' % (moved(m[2]), m[1]), text)


def cells(line):
    return [cell.strip().replace('\\|', '|') for cell in re.split(r'(?<!\\)\|', line.strip().strip('|'))]


class Page:
    """One Markdown file as HTML: `body`, `title`, and `sections`, triples of anchor, heading and plain text."""

    def __init__(self, text, moved):
        self.moved, self.lines, self.at = moved, text.split('\n'), 0
        self.title, self.sections, out = '', [('', '', [])], []
        while self.at < len(self.lines):
            out.append(self.block())
        self.body = '\n'.join(part for part in out if part)
        self.sections = [(anchor, head, ' '.join(words)) for anchor, head, words in self.sections]

    def note(self, text):
        self.sections[-1][2].append(re.sub(r'[`*|\\]|\]\([^)]*\)|\[', '', text))

    def take(self, more):
        """Lines from here on for which more(line) holds."""
        start = self.at
        while self.at < len(self.lines) and more(self.lines[self.at]):
            self.at += 1
        return self.lines[start:self.at]

    def block(self):
        line = self.lines[self.at]
        if not line.strip():
            self.at += 1
            return ''
        if line.startswith('<!--'):
            self.take(lambda text: '-->' not in text)
            self.at += 1
            return ''
        fence = re.match(r' *(```+)', line)
        if fence:
            return self.code(fence[1])
        head = re.match(r'(#+) (.*)', line)
        if head:
            return self.heading(len(head[1]), head[2])
        if line.startswith('|') and self.at + 1 < len(self.lines) and re.match(r'\|[ :|-]+$', self.lines[self.at + 1]):
            return self.table()
        if line.startswith('    '):
            taken = self.take(lambda text: text.startswith('    ') or not text.strip())
            return '<pre><code>%s</code></pre>' % html.escape('\n'.join(text[4:] for text in taken).rstrip())
        if re.match(r'([-*]|\d+\.) ', line):
            return self.list()
        if line.startswith('<'):
            return '\n'.join(self.take(lambda text: text.strip()))
        self.at += 1
        taken = [line] + self.take(lambda text: text.strip() and not re.match(r' *```|#+ |[-*] |\d+\. |\|', text))
        text = ' '.join(part.strip() for part in taken)
        self.note(text)
        return '<p>%s</p>' % inline(text, self.moved)

    def code(self, fence):
        indent = len(self.lines[self.at]) - len(self.lines[self.at].lstrip())
        self.at += 1
        taken = self.take(lambda text: text.strip() != fence)
        self.at += 1
        return '<pre><code>%s</code></pre>' % html.escape('\n'.join(text[indent:] for text in taken))

    def heading(self, level, text):
        self.at += 1
        anchor = slug(re.sub(r'[`*\\]|\]\([^)]*\)|\[', '', text))
        plain = re.sub(r'[`\\]', '', text)
        self.title = self.title or plain
        self.sections.append((anchor, plain, []))
        return '<h%d id="%s">%s</h%d>' % (level, anchor, inline(text, self.moved), level)

    def table(self):
        taken = self.take(lambda text: text.startswith('|'))
        for line in taken:
            self.note(line)
        row = lambda line, tag: '<tr>%s</tr>' % ''.join(
            '<%s>%s</%s>' % (tag, inline(cell, self.moved), tag) for cell in cells(line))
        return '<table>\n%s\n%s\n</table>' % (row(taken[0], 'th'), '\n'.join(row(line, 'td') for line in taken[2:]))

    def list(self):
        """A list; what is indented below an item belongs to it."""
        kind = 'ol' if self.lines[self.at][0].isdigit() else 'ul'
        marker, items = re.compile(r'([-*]|\d+\.) +'), []
        while self.at < len(self.lines) and marker.match(self.lines[self.at]):
            width = marker.match(self.lines[self.at]).end()
            first = self.lines[self.at][width:]
            self.at += 1
            taken = self.take(lambda text: text.startswith(' ') or (
                text.strip() and not re.match(r'#|```|\||<!--', text) and not marker.match(text)))
            inner = Page('\n'.join([first] + [text[width:] if text[:width].strip() == '' else text.lstrip()
                                              for text in taken]), self.moved)
            self.note(' '.join(words for _, _, words in inner.sections))
            body = inner.body
            items.append('<li>%s</li>' % (re.sub(r'^<p>(.*?)</p>', r'\1', body, count=1, flags=re.S)))
        return '<%s>\n%s\n</%s>' % (kind, '\n'.join(items), kind)


# ---- the site ----

SEARCH = '''<script src="%(up)sdocs/search.js"></script>
<script>
const field = document.getElementById('search'), list = document.getElementById('found');
field.addEventListener('input', () => {
  const words = field.value.toLowerCase().split(/\\s+/).filter(Boolean);
  const rank = ([page, anchor, title, head, text]) => words.reduce((sum, word) => sum < 0 ? sum :
    head.toLowerCase().includes(word) ? sum + 10 : title.toLowerCase().includes(word) ? sum + 3 :
    text.toLowerCase().includes(word) ? sum + 1 : -1, 0);
  const hits = words.length ? SEARCH.map(row => [rank(row), row]).filter(hit => hit[0] > 0) : [];
  hits.sort((a, b) => b[0] - a[0]);
  list.replaceChildren(...hits.slice(0, 30).map(([score, [page, anchor, title, head]]) => {
    const item = document.createElement('li'), link = document.createElement('a');
    link.href = '%(up)s' + page + (anchor ? '#' + anchor : '');
    link.textContent = head && head !== title ? title + ': ' + head : title;
    item.append(link);
    return item;
  }));
});
</script>'''

FRAME = '''<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>%(title)s: ptoasm</title>
<link rel="stylesheet" href="%(up)sstyle.css">
</head>
<body><div class="page">
<nav>
<p><a href="%(up)sindex.html">Try it</a> · <a href="%(up)sdocs/index.html">Documentation</a></p>
<input id="search" type="search" placeholder="Search" aria-label="Search">
<ul id="found"></ul>
<ul>%(entries)s</ul>
</nav>
<main>
%(body)s
</main>
</div>
%(search)s
</body>
</html>
'''


def place_of(source):
    """The page of a Markdown file of the project."""
    base = os.path.basename(source)[:-3].replace('README', 'index').lower()
    if source == 'README.md':
        return 'docs/readme.html'
    folder = os.path.dirname(source)
    if source in OUTSIDE:
        return 'docs/' + (folder.replace('/', '-') or base) + '.html'
    return os.path.join(folder, base + '.html')


def sources():
    found = list(OUTSIDE)
    for folder, _, names in os.walk(os.path.join(PROJECT, 'docs')):
        found += sorted(os.path.relpath(os.path.join(folder, name), PROJECT) for name in names if name.endswith('.md'))
    return found


def mover(source, places):
    """Rewrites links of a file: to pages where there is one, else to a name that is not on the site."""
    here = os.path.dirname(places[source])

    def moved(link):
        if re.match(r'[a-z]+:|#', link):
            return link
        path, mark, anchor = link.partition('#')
        full = os.path.normpath(os.path.join(os.path.dirname(source), path))
        if os.path.isdir(os.path.join(PROJECT, full)):
            full = os.path.join(full, 'README.md')
        if full in places:
            return os.path.relpath(places[full], here) + mark + anchor
        return os.path.relpath(os.path.join('files', full), here) + mark + anchor
    return moved


def write(folder, name, data):
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'wb') as file:
        file.write(data if isinstance(data, bytes) else data.encode())


def documentation(folder):
    places = {source: place_of(source) for source in sources()}
    pages, rows = {}, []
    for source, place in places.items():
        with open(os.path.join(PROJECT, source), encoding='utf-8') as file:
            pages[source] = Page(file.read(), mover(source, places))
        rows += [(place, anchor, pages[source].title, head, text) for anchor, head, text in pages[source].sections
                 if head or text]
    top = [source for source in places if '/isa/' not in source]
    for source, page in pages.items():
        place = places[source]
        up = '../' * place.count('/')
        entries = ''.join('<li><a href="%s%s">%s</a></li>' % (up, places[other], html.escape(pages[other].title))
                          for other in top)
        write(folder, place, FRAME % {'title': html.escape(page.title), 'up': up, 'entries': entries, 'body': page.body,
                                      'search': SEARCH % {'up': up}})
        # Files that pages refer to, such as samples, as they are.
        for link in re.findall(r'(?:href|src)="([^"#:]+)', page.body):
            full = os.path.normpath(os.path.join(os.path.dirname(place), link))
            if full.startswith('files/') and os.path.isfile(os.path.join(PROJECT, full[6:])):
                with open(os.path.join(PROJECT, full[6:]), 'rb') as file:
                    write(folder, full, file.read())
    write(folder, 'docs/search.js', 'const SEARCH = %s;\n' % json.dumps(rows))


def samples():
    """The programs in samples/, the simplest one first."""
    found = {}
    for folder, _, names in os.walk(os.path.join(PROJECT, 'samples')):
        for name in names:
            if name.endswith('.pto'):
                path = os.path.join(folder, name)
                with open(path, encoding='utf-8') as file:
                    found[os.path.relpath(path, os.path.join(PROJECT, 'samples'))] = file.read()
    first = 'kernel/scale_mask.pto'
    return {name: found[name] for name in [first] + sorted(set(found) - {first})}


def main():
    module, folder = sys.argv[1:]
    shutil.copytree(os.path.join(PROJECT, 'web', 'page'), folder)
    with open(module, 'rb') as file:
        data = file.read()
    write(folder, 'ptoasm.wasm', data)
    write(folder, 'module.js', "const MODULE = '%s';\n" % base64.b64encode(data).decode())
    write(folder, 'samples.js', 'const SAMPLES = %s;\n' % json.dumps(samples()))
    documentation(folder)


main()
