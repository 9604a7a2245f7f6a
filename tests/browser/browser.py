#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The HTML of `ptoasm map` and the drawings of docs in headless Chromium: what is seen, not what is written.

usage: browser.py PTOASM SOURCE-FOLDER. Prints TAP; skipped without Chromium.

A script is put into a copy of each page. It measures every shape and text as laid out, asks what is under the middle of
every box, and leaves its findings in the page, which Chromium prints.
"""
import html
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from tap import Tap

MEASURE = '''<script>
addEventListener("load", () => {
  const all = [...document.querySelectorAll("svg")].map(svg => {
    const place = e => {
      const b = e.getBoundingClientRect(), outer = svg.getBoundingClientRect();
      return {x: b.left - outer.left, y: b.top - outer.top, w: b.width, h: b.height};
    };
    const tiles = [...svg.querySelectorAll("rect.tile")].map(e => {
      const b = e.getBoundingClientRect();
      scrollTo(0, b.top + scrollY - 100);
      const c = e.getBoundingClientRect();
      const hit = document.elementFromPoint(c.left + c.width / 2, c.top + c.height / 2);
      return {...place(e), title: e.textContent, hit: hit === e, fill: getComputedStyle(e).fill};
    });
    return {w: svg.getBoundingClientRect().width, h: svg.getBoundingClientRect().height, tiles,
            texts: [...svg.querySelectorAll("text")].map(e => ({...place(e), text: e.textContent})),
            shapes: [...svg.querySelectorAll("rect, path, circle, line")].filter(e => !e.closest("marker")).map(place)};
  });
  const out = document.createElement("pre");
  out.id = "measured";
  out.textContent = JSON.stringify({svgs: all, loaded: performance.getEntriesByType("resource").length});
  document.documentElement.append(out);
});
</script>'''
SLACK = 1.5


tap = Tap()


def measured(chromium, folder, page):
    """What the browser makes of a page, or None."""
    path = os.path.join(folder, 'page.html')
    with open(path, 'w', encoding='utf-8') as file:
        file.write(page)
    words = [chromium, '--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--window-size=1200,900',
             '--user-data-dir=' + os.path.join(folder, 'profile'), '--virtual-time-budget=5000', '--dump-dom',
             'file://' + path]
    run = subprocess.run(words, capture_output=True, timeout=120, check=False)
    found = re.search(r'<pre id="measured">(.*?)</pre>', run.stdout.decode(), re.S)
    return json.loads(html.unescape(found.group(1))) if found else None


def inside(box, width, height):
    return (box['x'] >= -SLACK and box['y'] >= -SLACK and box['x'] + box['w'] <= width + SLACK
            and box['y'] + box['h'] <= height + SLACK)


def meet(a, b):
    return (min(a['x'] + a['w'], b['x'] + b['w']) - max(a['x'], b['x']) > SLACK
            and min(a['y'] + a['h'], b['y'] + b['h']) - max(a['y'], b['y']) > SLACK)


def judge(name, svg):
    out = [part for part in svg['shapes'] + svg['texts'] if not inside(part, svg['w'], svg['h'])]
    tap.ok(svg['w'] > 100 and svg['h'] > 20 and not out, name + ': all of it is in the picture', out)
    texts = [text for text in svg['texts'] if text['text'].strip()]
    clash = [(a['text'], b['text']) for i, a in enumerate(texts) for b in texts[:i] if meet(a, b)]
    tap.ok(texts and not clash, name + ': no text on another', clash)


def judge_tiles(name, svg):
    hidden = [tile['title'] for tile in svg['tiles'] if not tile['hit'] and tile['w'] > 2 and tile['h'] > 2]
    tap.ok(svg['tiles'] and not hidden, name + ': the pointer finds every box', hidden)
    tap.ok(all(tile['fill'].startswith('rgb') for tile in svg['tiles']), name + ': boxes have a colour')
    wide = [text['text'] for text in svg['texts'] if text['text'].startswith('%')
            and not any(inside({**text, 'x': text['x'] - tile['x'], 'y': text['y'] - tile['y']}, tile['w'], tile['h'])
                        for tile in svg['tiles'])]
    tap.ok(not wide, name + ': names fit their boxes', wide)


def maps(chromium, ptoasm, source, folder):
    for name in ('samples/kernel/scale_mask.pto', 'samples/flash_attention/flash_attention_dps.pto',
                 'samples/gemm/gemm_dps.pto', 'tests/golden/check/capacity.pto'):
        target = os.path.join(folder, 'map.html')
        subprocess.run([ptoasm, 'map', '--profile=a2a3,a5', os.path.join(source, name), '-o', target],
                       stderr=subprocess.DEVNULL, check=False)
        with open(target, encoding='utf-8') as file:
            page = file.read()
        found = measured(chromium, folder, page.replace('</body>', MEASURE + '</body>'))
        tap.ok(found is not None and len(found['svgs']) == page.count('<svg') > 0, name + ': it is shown')
        if found is None:
            continue
        tap.ok(found['loaded'] == 0, name + ': nothing else is loaded', found['loaded'])
        for number, svg in enumerate(found['svgs'], 1):
            judge('%s, drawing %d' % (name, number), svg)
            judge_tiles('%s, drawing %d' % (name, number), svg)


def drawings(chromium, source, folder):
    for name in sorted(os.listdir(source + '/docs/drawings')):
        with open('%s/docs/drawings/%s' % (source, name), encoding='utf-8') as file:
            page = '<!DOCTYPE html>\n<meta charset="utf-8">\n%s%s' % (file.read(), MEASURE)
        found = measured(chromium, folder, page)
        tap.ok(found is not None and len(found['svgs']) == 1, name + ': it is shown')
        if found is not None:
            judge(name, found['svgs'][0])


def main():
    ptoasm, source = map(os.path.realpath, sys.argv[1:3])
    chromium = shutil.which('chromium') or shutil.which('chromium-browser') or shutil.which('google-chrome')
    if chromium is None:
        print('1..0 # SKIP there is no Chromium; tests/browser/install installs it')
        return
    with tempfile.TemporaryDirectory() as folder:
        os.environ['HOME'] = folder
        maps(chromium, ptoasm, source, folder)
        drawings(chromium, source, folder)
    tap.end()


main()
