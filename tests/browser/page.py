#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The page to try ptoasm, in headless Chromium: it says what the program says, and soon; the pages of the documentation lead
to each other.

usage: page.py PTOASM SOURCE-FOLDER SITE-FOLDER. Runs scripts/site, which keeps its build in SITE-FOLDER. Prints TAP; skipped
without Chromium.

A script is put into a copy of the page. It is done before the page has loaded, because the module is compiled at once, and
leaves its findings in the page, which Chromium prints.
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

BEFORE = '<script>WebAssembly.compile = async bytes => new WebAssembly.Module(bytes);</script>'
DRIVE = '''<script>
const result = {version: at('version').textContent, state: at('state').textContent, loaded: performance.now(), programs: {}};
const set = text => { at('source').value = text; at('source').dispatchEvent(new Event('input')); };
for (const [name, text, profile] of PROGRAMS) {
  delete chosen.Formsform;
  at('profile').value = profile;
  set(text);
  const seen = result.programs[name] = {tabs: {}, found: found.map(({line, column, id, message}) => [line, column, id, message]),
    shown: at('messages').children.length, marked: [...at('marks').querySelectorAll('mark')].map(mark => mark.textContent)};
  for (const button of at('tabs').children) {
    button.click();
    seen.tabs[button.textContent] = at('drawing').hidden ? at('text').textContent : at('drawing').srcdoc;
  }
  at('tabs').children[0].click();
  at('choice').value = 'ssa';
  at('choice').dispatchEvent(new Event('input'));
  seen.ssa = at('text').textContent;
}
at('sample').value = 'flash_attention/flash_attention_dps.pto';
at('sample').dispatchEvent(new Event('input'));
result.sample = at('source').value;
at('profile').value = '';
const lines = result.sample.split('\\n'), long = lines.concat(Array(200).fill('// more')).slice(0, 200).join('\\n');
result.edits = [];
for (let i = 0; i < 40; i++) {
  at('source').value = long + ' '.repeat(i);
  const from = performance.now();
  edited();
  result.edits.push(performance.now() - from);
}
result.network = performance.getEntriesByType('resource').map(entry => entry.name).filter(name => !name.startsWith('file:'));
const out = document.createElement('pre');
out.id = 'measured';
out.textContent = JSON.stringify(result);
document.documentElement.append(out);
</script>'''

tap = Tap()


def shown(chromium, folder, path):
    words = [chromium, '--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--allow-file-access-from-files',
             '--user-data-dir=' + os.path.join(folder, 'profile'), '--dump-dom', 'file://' + path]
    run = subprocess.run(words, capture_output=True, timeout=200, check=False)
    found = re.search(r'<pre id="measured">(.*?)</pre>', run.stdout.decode(), re.S)
    return json.loads(html.unescape(found.group(1))) if found else None


def native(ptoasm, folder, text, *words):
    """Standard output of the program itself for a text called kernel.pto."""
    with open(os.path.join(folder, 'kernel.pto'), 'w', encoding='utf-8') as file:
        file.write(text)
    return subprocess.run([ptoasm, *words], cwd=folder, capture_output=True, text=True, check=False).stdout


def judge(ptoasm, folder, name, text, profile, seen):
    flag = ['--profile=' + profile] if profile else []
    rows = [json.loads(line) for line in native(ptoasm, folder, text, 'check', '--format=json', *flag, 'kernel.pto').splitlines()]
    want = [[row['line'], row['column'], row['id'], row['message']] for row in rows]
    tap.ok(seen['found'] == want, name + ': the messages', (seen['found'], want))
    tap.ok(seen['shown'] == len(want), name + ': they are shown', seen['shown'])
    places = [text.encode()[row['offset']:row['offset'] + row['length']].decode() for row in rows]
    tap.ok(set(seen['marked']) <= set(places) and bool(seen['marked']) == bool(places), name + ': they are marked', seen['marked'])
    if rows and rows[0]['severity'] == 'error':
        return
    for tab, words in (('Forms', ['fmt', *flag]), ('Portability', ['check', '--portability=text', '--profile=all']),
                       ('Memory', ['map', *flag]), ('C', ['emit', '-o', '-', *flag]),
                       ('C++', ['emit', '--to=cpp', '-o', '-', *flag])):
        out = native(ptoasm, folder, text, *words, 'kernel.pto')
        tap.ok(bool(out) and seen['tabs'][tab] == out, '%s: %s' % (name, tab), seen['tabs'][tab][:300])
    tap.ok(seen['ssa'] == native(ptoasm, folder, text, 'fmt', '--form=ssa', *flag, 'kernel.pto'), name + ': the SSA form')
    native(ptoasm, folder, text, 'map', *flag, '-o', 'map.html', 'kernel.pto')
    with open(os.path.join(folder, 'map.html'), encoding='utf-8') as file:
        tap.ok(seen['tabs']['Drawing'] == file.read() and '<svg' in seen['tabs']['Drawing'], name + ': the drawing')
    tap.ok('pto.tload' in seen['tabs']['Explain'], name + ': explanations')


def documentation(site):
    """Every link of a page leads to a file and, inside of it, to an anchor."""
    broken, pages = [], {}
    for folder, _, names in os.walk(site):
        for name in names:
            if name.endswith('.html') and '/files' not in folder:
                path = os.path.join(folder, name)
                with open(path, encoding='utf-8') as file:
                    pages[path] = file.read()
    for path, text in pages.items():
        for link in re.findall(r'(?:href|src)="([^"]+)"', text):
            if re.match(r'https?:|mailto:', link):
                continue
            file, _, anchor = link.partition('#')
            full = os.path.normpath(os.path.join(os.path.dirname(path), file)) if file else path
            if not os.path.exists(full) or anchor and full in pages and 'id="%s"' % anchor not in pages[full]:
                broken.append((os.path.relpath(path, site), link))
    tap.ok(len(pages) > 60 and not broken, '%d pages lead to each other' % len(pages), broken[:20])
    with open(site + '/docs/search.js', encoding='utf-8') as file:
        rows = json.loads(file.read().removeprefix('const SEARCH = ').rstrip().rstrip(';'))
    tap.ok(any('sync-race' in row[3] for row in rows), 'the search knows diagnostics')
    tap.ok(all(os.path.exists(os.path.join(site, row[0])) for row in rows), 'the search leads to pages')


def main():
    ptoasm, source, build = map(os.path.realpath, sys.argv[1:4])
    chromium = shutil.which('chromium') or shutil.which('chromium-browser') or shutil.which('google-chrome')
    if chromium is None:
        print('1..0 # SKIP there is no Chromium; tests/browser/install installs it')
        return
    made = subprocess.run([source + '/scripts/site', build], capture_output=True, text=True, check=False)
    tap.ok(made.returncode == 0, 'scripts/site', made.stdout + made.stderr)
    if made.returncode:
        tap.end()
        return
    site = build + '/site'
    with tempfile.TemporaryDirectory() as folder:
        os.environ['HOME'] = folder
        programs = []
        for name, profile in (('samples/kernel/scale_mask.pto', 'a5'), ('samples/txors/example.pto', 'a2a3'),
                              ('samples/gemm/gemm_dps.pto', '')):
            with open(os.path.join(source, name), encoding='utf-8') as file:
                programs.append((name, file.read(), profile))
        programs.append(('broken, with umlauts', '// \u00e4\u00f6\u00fc \U0001f600\nfunc.func @k( {\n  pto.tadz\n}\n', ''))
        copy = os.path.join(folder, 'site')
        shutil.copytree(site, copy, ignore=shutil.ignore_patterns('docs', 'files'))
        with open(site + '/index.html', encoding='utf-8') as file:
            page = file.read()
        data = '<script>const PROGRAMS = %s;</script>' % json.dumps(programs).replace('</', '<\\/')
        page = page.replace('<script src="wasi.js">', BEFORE + '<script src="wasi.js">').replace('</body>', data + DRIVE + '</body>')
        with open(copy + '/index.html', 'w', encoding='utf-8') as file:
            file.write(page)
        seen = shown(chromium, folder, copy + '/index.html')
        tap.ok(seen is not None, 'the page runs')
        if seen is not None:
            version = subprocess.run([ptoasm, '--version'], capture_output=True, text=True, check=True).stdout.split()[1]
            tap.ok(seen['version'] == version and seen['state'] == 'legal', 'the version, and a first answer', seen['state'])
            tap.ok(not seen['network'], 'nothing comes from a network', seen['network'])
            for name, text, profile in programs:
                judge(ptoasm, folder, name, text, profile, seen['programs'][name])
            edits = sorted(seen['edits'])
            print('# first answer after %.0f ms; an edit of 200 lines: median %.1f ms, fastest %.1f ms' % (
                seen['loaded'], edits[len(edits) // 2], edits[0]))
            # Far more than on a machine with nothing else to do: these find what grows with the text or the number of runs.
            tap.ok(seen['loaded'] < 10000, 'the first answer within ten seconds', seen['loaded'])
            tap.ok(edits[0] < 100, 'an edit of 200 lines takes less than 100 ms', edits)
        documentation(site)
    tap.end()


main()
