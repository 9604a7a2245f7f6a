#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ptoasm map: the drawing and the text say the same, and no two tiles share a byte at one time.

usage: map.py PTOASM SOURCE-FOLDER. Prints TAP.
"""
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as xml
from html.parser import HTMLParser

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from tap import Tap

SVG = '{http://www.w3.org/2000/svg}'
ROW = re.compile(r'^ +(\d+) +(\d+) +(\d+)-(\d+)  ([.#]+)  (.*)$', re.M)
HEAD = re.compile(r'^@(.*), profile (\w+): (\w+), (\d+)(?: of (\d+))? bytes; most in line (\d+): (\d+) bytes in (\d+) tiles?$', re.M)
BAD = '''func.func @"</h2><script>alert(1)</script>&\\22"(%x: !pto.partition_tensor_view<16x16xf32>) {
  %a = pto.alloc_tile : !pto.tile_buf<vec, 16x16xf32>
  pto.tload ins(%x : !pto.partition_tensor_view<16x16xf32>) outs(%a : !pto.tile_buf<vec, 16x16xf32>)
  return
}
'''


tap = Tap()


class Tags(HTMLParser):
    """The tags of a page."""

    def __init__(self, text):
        super().__init__()
        self.names = set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.names.add(tag)


def call(ptoasm, *words, data=None):
    env = dict(os.environ, LC_ALL='C', NO_COLOR='1', ASAN_OPTIONS='exitcode=99')
    run = subprocess.run([ptoasm, 'map'] + list(words), env=env, capture_output=True, input=data, check=False)
    return run.returncode, run.stdout.decode(), run.stderr.decode()


def boxes(svg):
    """x, y, width and height of the tiles, and their titles."""
    found = []
    for rect in svg.iter(SVG + 'rect'):
        if rect.get('class').split()[0] == 'tile':
            place = [float(rect.get(name)) for name in ('x', 'y', 'width', 'height')]
            found.append((place, rect.find(SVG + 'title').text))
    return found


def overlap(a, b):
    slack = 0.03
    return (a[0] + slack < b[0] + b[2] and b[0] + slack < a[0] + a[2]
            and a[1] + slack < b[1] + b[3] and b[1] + slack < a[1] + a[3])


def compare(ptoasm, name, path, profiles, folder):
    out = os.path.join(folder, 'map.html')
    code, text, _ = call(ptoasm, '--profile=' + profiles, path)
    drawn, shown, said = call(ptoasm, '--profile=' + profiles, path, '-o', out)
    tap.ok(code == drawn and code in (0, 1) and shown == '', name + ': both are made', said)
    with open(out, encoding='utf-8') as file:
        page = file.read()
    tap.ok(Tags(page).names <= {'html', 'head', 'meta', 'title', 'style', 'body', 'h1', 'h2', 'p', 'svg', 'rect',
                                'text', 'line'}, name + ': nothing but a drawing', Tags(page).names)
    tap.ok(not re.search(r'(src|href|url)\s*[=(]', page), name + ': one file, without others')
    svgs = [xml.fromstring(part) for part in re.findall(r'<svg.*?</svg>', page, re.S)]
    heads = HEAD.findall(text)
    parts = re.split(HEAD.pattern, text, flags=re.M)[9::9]
    tap.ok(len(svgs) == len(heads) == len(parts) and svgs, name + ': a drawing for each space', len(svgs))
    for svg, head, part in zip(svgs, heads, parts):
        space(name + ', @' + ' '.join(head[:3]), svg, head, ROW.findall(part))


def as_json(ptoasm, name, path, profiles, folder):
    """--format=json says what the text says."""
    code, text, _ = call(ptoasm, '--profile=' + profiles, path)
    other, out, said = call(ptoasm, '--profile=' + profiles, '--format=json', path)
    found = json.loads(out)
    tap.ok(other == code and said == '' and found['file'] == path, name + ': JSON alone', said)
    tap.ok((code == 0) == (not any(d['severity'] == 'error' for d in found['diagnostics'])), name + ': its errors')
    heads, parts = HEAD.findall(text), re.split(HEAD.pattern, text, flags=re.M)[9::9]
    spaces = [s for s in found['spaces'] if s['peak_line'] is not None]   # HEAD has those that are used
    shown = [(s['function'], s['profile'], s['space'], str(s['used']), str(s['capacity'] or ''), str(s['peak_line']),
              str(s['peak'])) for s in spaces]
    tap.ok(shown == [head[:7] for head in heads] and shown, name + ': the spaces', shown)
    for s, part in zip(spaces, parts):
        tiles = [(str(t['address']), str(t['bytes']), str(t['first_line']), str(t['last_line']),
                  ('%' + t['name'] if t['name'] else 'scratch of ' + t['instruction'])
                  + (', at an address of the text' if t['bound'] else '')
                  + (', after %' + t['after'] if t['after'] else ''))
                 for t in s['tiles'] if t['first_line'] is not None]
        rows = [row[:4] + row[5:] for row in ROW.findall(part)]
        tap.ok(tiles == rows, name + ': the tiles', '%s\n%s' % (tiles, rows))
        free = ', '.join('%d at %d' % (h['bytes'], h['address']) for h in s['free']) or 'nothing'
        tap.ok('free in line %s: %s\n' % (s['peak_line'], free) in part, name + ': what is free', free)
    out = os.path.join(folder, 'map.json')
    call(ptoasm, '--profile=' + profiles, '--format=json', path, '-o', out)
    with open(out, encoding='utf-8') as file:
        tap.ok(json.load(file) == found, name + ': JSON in a file')


def space(name, svg, head, rows):
    found = boxes(svg)
    titles = sorted(re.match(r'(.*): (\d+) bytes at (\d+), lines (\d+) to (\d+)', title, re.S).groups()
                    for _, title in found)
    wanted = sorted((re.split(', (?:after|at an address)', row[5])[0], row[1], row[0], row[2], row[3])
                    for row in rows)
    tap.ok(titles == wanted and titles, name + ': a box for each tile', '%s\n%s' % (titles, wanted))
    width, height = float(svg.get('width')), float(svg.get('height'))
    tap.ok(all(p[0] >= 0 and p[1] >= 0 and p[2] > 0 and p[3] > 0 and p[0] + p[2] <= width and p[1] + p[3] <= height
               for p, _ in found), name + ': the boxes are in the drawing')
    clash = [(a[1], b[1]) for i, a in enumerate(found) for b in found[:i] if overlap(a[0], b[0])]
    tap.ok(not clash or head[6] != '' and int(head[4] or head[3]) < int(head[3]), name + ': no two share bytes', clash)
    line = svg.find(SVG + 'line')
    y = float(line.get('y1'))
    alive = [int(re.search(r': (\d+) bytes', title).group(1)) for p, title in found if p[1] <= y <= p[1] + p[3]]
    tap.ok(line.get('class') == 'peak' and sum(alive) == int(head[6]) and len(alive) == int(head[7]),
           name + ': the line is where most bytes are', '%s, %s' % (alive, head))
    most = max(sum(int(re.search(r': (\d+) bytes', title).group(1)) for p, title in found if p[1] < at < p[1] + p[3])
               for at in {p[1] + 0.01 for p, _ in found})
    tap.ok(most == int(head[6]), name + ': nowhere are more', most)


def placed_program(n):
    """Tiles at random addresses of the text, many of which overlap."""
    rng = random.Random(18)
    lines = ['func.func @k() {']
    for i in range(n):
        tile = f'!pto.tile_buf<vec, 1x{rng.choice((8, 16, 64, 256))}xf32>'
        lines += [f'  %a{i} = arith.constant {rng.randrange(0, 64) * 32} : i64',
                  f'  %t{i} = pto.alloc_tile addr = %a{i} : {tile}', f'  pto.texpands ins(%a : f32) outs(%t{i} : {tile})']
        lines += [f'  pto.tadd ins(%t{i}, %t{i} : {tile}, {tile}) outs(%t{i} : {tile})'] * rng.randrange(3)
    lines[0] = 'func.func @k(%a: f32) {'
    return '\n'.join(lines + ['  return', '}', ''])


def predecessors(ptoasm):
    """Each tile comes after the one that was the last to use some of its bytes."""
    code, text, said = call(ptoasm, '--level=3', '-', data=placed_program(200).encode())
    rows = [(int(r[0]), int(r[1]), int(r[2]), int(r[3]), r[5]) for r in ROW.findall(text)]
    wrong = []
    for address, size, first, _, label in rows:
        last, name = 0, None
        for other in rows:
            if other[0] < address + size and address < other[0] + other[1] and last < other[3] < first:
                last, name = other[3], other[4].split(',')[0]
        said_name = label.split(', after ')[1] if ', after ' in label else None
        if said_name != name:
            wrong.append(f'{label}: {name}')
    tap.ok(code == 0 and len(rows) == 200 and not wrong, 'what each tile comes after', '\n'.join(wrong[:5]) + said)


def many_tiles(ptoasm):
    """The map of many tiles at one address takes about as long as the check."""
    tile = '!pto.tile_buf<vec, 16x16xf32>'
    part = '!pto.partition_tensor_view<16x16xf32>'
    body = (f'scf.if %c {{\n%t = pto.alloc_tile : {tile}\npto.tload ins(%p : {part}) outs(%t : {tile})\n'
            f'pto.texp ins(%t : {tile}) outs(%t : {tile})\n}}\n')
    with tempfile.NamedTemporaryFile('w', suffix='.pto') as file:
        file.write(f'func.func @k(%p: {part}, %c: i1) {{\n' + body * 32000 + 'return\n}\n')
        file.flush()
        times = []
        for command in 'check', 'map':
            start = time.monotonic()
            subprocess.run([ptoasm, command, file.name], capture_output=True, check=False)
            times.append(time.monotonic() - start)
    tap.ok(times[1] < 8 * times[0] + 1, '32,000 tiles at one address', 'check %.2f s, map %.2f s' % tuple(times))


def main():
    ptoasm, source = map(os.path.realpath, sys.argv[1:3])
    with tempfile.TemporaryDirectory() as folder:
        for name in ('tests/golden/map/reuse.pto', 'samples/kernel/scale_mask.pto', 'samples/softmax/softmax_dps.pto',
                     'tests/golden/check/capacity.pto'):
            path = os.path.join(source, name)
            if os.path.exists(path):
                compare(ptoasm, name, path, 'all', folder)
                as_json(ptoasm, name, path, 'all', folder)
        code, out, said = call(ptoasm, '-', '-o', '-', data=BAD.encode())
        tap.ok(code == 0 and 'script' not in Tags(out).names and '&#60;script&#62;' in out, 'a name is no HTML', out + said)
        code, out, said = call(ptoasm, '-', '-o', '-', data=BAD.replace('alert', '\xff\x01').encode('latin-1'))
        tap.ok('\x01' not in out and '\xff' not in out, 'nor is a byte that is no text', out + said)
        code, out, said = call(ptoasm, '-', data=b'func.func @k() {\n  return\n}\n')
        tap.ok(code == 0 and out == '' and 'no tiles' in said, 'a program without tiles', out + said)
        target = os.path.join(folder, 'no.html')
        code, out, said = call(ptoasm, '-', '-o', target, data=b'func.func @k( {\n')
        tap.ok(code == 1 and not os.path.exists(target), 'a file that is not a program makes no map', said)
        code, out, said = call(ptoasm, '--format=json', '-', data=b'func.func @k() {\n  return\n}\n')
        tap.ok(code == 0 and json.loads(out)['spaces'] == [] and said == '', 'a program without tiles, as JSON', out + said)
        code, out, said = call(ptoasm, '--format=json', '-', data=b'func.func @k( {\n')
        tap.ok(code == 1 and json.loads(out)['diagnostics'][0]['id'] == 'syntax', 'a file that is not a program, as JSON', out)
        tap.ok(call(ptoasm, '--format=xml', '-')[0] == 2, 'wrong usage: --format=xml')
        predecessors(ptoasm)
        many_tiles(ptoasm)
        for words in ((), ('a', 'b'), ('--profile=a4', '-')):
            tap.ok(call(ptoasm, *words)[0] == 2, 'wrong usage: %s' % (words,))
        own = os.path.join(folder, 'own.pto')
        with open(own, 'w', encoding='utf-8') as file:
            file.write(BAD)
        tap.ok(call(ptoasm, own, '-o', own)[0] == 2, 'it does not overwrite its program')
    tap.end()


main()
