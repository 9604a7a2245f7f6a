#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`ptoasm lsp` over a pipe: formatting, renaming, corrections, outlines, completion.

usage: features.py PTOASM SOURCE-FOLDER

Prints TAP.
"""
import glob
import os
import re
import subprocess
import sys

from client import DOCUMENT, URI, UTF8, Client, Tap, need, offset_of, range_of, same

PTOASM = os.path.realpath(sys.argv[1])
SOURCE = os.path.realpath(sys.argv[2])
SAMPLE = '''!t = !pto.tile_buf<vec, 32x32xf32>
func.func @helper(%t: !t) {  // 😀 @helper
  return
}
func.func @k(%s: f32, %n: index) {
  %a = pto.alloc_tile : !t
  %b = pto.alloc_tile : !t
  %r:2 = scf.for %i = %n to %n step %n iter_args(%x = %n, %y = %n) -> (index, index) {
    scf.yield %x, %y : index, index
  }
  %sum = arith.addi %r#0, %r#1 : index
  pto.tadds ins(%a, %s : !t, f32) outs(%b : !t)
  func.call @helper(%b) : (!t) -> ()
  return
}
'''
VERSIONED = {'workspace': {'workspaceEdit': {'documentChanges': True}}}
tap = Tap()


def started(text, *words, **params):
    client = Client(PTOASM, *words)
    client.start(**params)
    client.open(URI, text)
    return client


def error(client, method, params):
    answer = client.answer(client.ask(method, params))
    need('error' in answer, answer)
    return answer['error']


def edited(text, edits, utf8=False):
    """The text after edits, which must not overlap."""
    places = sorted(((offset_of(text, e['range']['start'], utf8), offset_of(text, e['range']['end'], utf8),
                      e['newText']) for e in edits), reverse=True)
    last = len(text)
    for start, end, new in places:
        need(start <= end <= last, places)
        text, last = text[:start] + new + text[end:], start
    return text


def workspace_edits(edit, version=None):
    if version is None:
        return edit['changes'][URI]
    change, = edit['documentChanges']
    same(change['textDocument'], {'uri': URI, 'version': version})
    return change['edits']


# ---- formatting ----

@tap.test
def formatting():
    """the text of `ptoasm fmt`, as edits of the lines that change"""
    files = sorted(glob.glob(SOURCE + '/tests/golden/fmt/*.pto'))[:25] + sorted(glob.glob(SOURCE + '/samples/*/*.pto'))[:10]
    clients = [started(''), started('', capabilities=UTF8)]
    formatted = 0
    for path in files:
        with open(path, encoding='utf-8', newline='') as file:
            text = file.read()
        text += '// 😀\n'
        run = subprocess.run([PTOASM, 'fmt', '-'], input=text.encode('utf-8'), capture_output=True, check=False)
        for c in clients:
            c.open(URI, text)
            if run.returncode != 0:
                same(error(c, 'textDocument/formatting', DOCUMENT)['code'], -32803)
                continue
            edits = c.request('textDocument/formatting', {**DOCUMENT, 'options': {'tabSize': 2, 'insertSpaces': True}})
            same((path, edited(text, edits, c.utf8)), (path, run.stdout.decode('utf-8')))
            formatted += len(edits)
    need(formatted > 20, formatted)
    messy = SAMPLE.replace('  return', '      return', 1)
    clients[0].open(URI, messy)
    change, = clients[0].request('textDocument/formatting', DOCUMENT)
    same((change['newText'], change['range']['start']['line']), ('  return\n', 2))
    for c in clients:
        c.end()


# ---- renaming ----

def rename(c, text, what, name, more=1):
    return c.at('textDocument/rename', URI, text, text.index(what) + more, newName=name)


def no_rename(c, text, what, name, more=1):
    params = {**DOCUMENT, 'position': range_of(text, text.index(what) + more, 0, c.utf8)['start'], 'newName': name}
    return error(c, 'textDocument/rename', params)['code']


@tap.test
def renaming():
    """values, results that share a name, functions; the rest of the text stays"""
    for capabilities, version in (({}, None), (UTF8, None), (VERSIONED, 1)):
        c = started(SAMPLE, capabilities=capabilities)
        for what, name, pattern in (('%a,', 'acc', r'%a\b'), ('%a,', '%acc', r'%a\b'), ('%r#1', 'r2', r'%r\b'),
                                    ('%x,', 'first', r'%x\b'), ('@helper(%b', 'aid', r'(?<!😀 )@helper\b'),
                                    ('%s:', '7', r'%s\b'), ('%a,', 'a', r'%a\b')):
            marker = what[0]
            want = re.sub(pattern, marker + name.lstrip('%'), SAMPLE)
            same(edited(SAMPLE, workspace_edits(rename(c, SAMPLE, what, name), version), c.utf8), want)
        c.end()


@tap.test
def refused_renaming():
    """names that are taken, are none, or belong to nothing that can be renamed"""
    c = started(SAMPLE)
    for name in ('b', 's', 'sum', '', '%', '1a', 'a b', 'ü', 'a#1'):
        need(no_rename(c, SAMPLE, '%a,', name) in (-32803, -32602), name)
    same(no_rename(c, SAMPLE, '@helper(%b', 'k'), -32803)
    same(no_rename(c, SAMPLE, 'pto.tadds', 'x'), -32803)
    same(no_rename(c, SAMPLE, '-> (index', 'x'), -32803)
    prepared = c.at('textDocument/prepareRename', URI, SAMPLE, SAMPLE.index('%sum'))
    at = SAMPLE.index('sum')
    same(prepared, {'range': range_of(SAMPLE, at, at + 3), 'placeholder': 'sum'})
    same(c.at('textDocument/prepareRename', URI, SAMPLE, SAMPLE.index('%r#1') + 2)['placeholder'], 'r')
    same(c.at('textDocument/prepareRename', URI, SAMPLE, SAMPLE.index('pto.tadds')), None)
    broken = SAMPLE.replace('%sum =', 'nonsense\n  %sum =')
    c.open(URI, broken)  # what can be read is renamed
    same(edited(broken, workspace_edits(rename(c, broken, '%a,', 'acc'))), re.sub(r'%a\b', '%acc', broken))
    c.end()


# ---- corrections ----

def actions(c, text, start, end, **context):
    return c.request('textDocument/codeAction', {**DOCUMENT, 'range': range_of(text, start, end, c.utf8),
                                                 'context': {'diagnostics': [], **context}})


WRONG = SAMPLE.replace('pto.tadds', 'pto.taddss').replace('%s : !t, f32', '%q : !t, float')


@tap.test
def quick_fixes():
    """the edits of the messages, at their places; all at once"""
    for capabilities, version in (({}, None), (UTF8, None), (VERSIONED, 1)):
        c = started(WRONG, capabilities=capabilities)
        at = WRONG.index('pto.taddss')
        action, = actions(c, WRONG, at + 2, at + 2)
        same((action['kind'], action['title']), ('quickfix', "Replace by 'pto.tadds'"))
        diagnostic, = action['diagnostics']
        same(diagnostic['code'], 'unknown-op')
        need(diagnostic in c.diagnostics(URI)['diagnostics'], 'the diagnostic that was published')
        fixed = edited(WRONG, workspace_edits(action['edit'], version), c.utf8)
        same(fixed, WRONG.replace('pto.taddss', 'pto.tadds'))
        same(actions(c, WRONG, 0, 0), [])
        same(actions(c, WRONG, at, at, only=['refactor']), [])
        same(len(actions(c, WRONG, at, at, only=['quickfix'])), 1)
        c.end()


@tap.test
def fix_all():
    """what keeps the meaning is corrected as `ptoasm check --fix` does"""
    old = 'func.func @k() {\n  %a = pto.alloc_tile : pto.tile<32x32xf32>\n  %b = pto.alloc_tile : pto.tile<16x16xf32>\n  return\n}\n'
    c = started(old)
    action, = actions(c, old, 0, 0, only=['source.fixAll'])
    same(action['kind'], 'source.fixAll.ptoasm')
    fixed = edited(old, workspace_edits(action['edit']))
    run = subprocess.run([PTOASM, 'check', '--diff', '-'], input=old, capture_output=True, text=True, check=False)
    for line in run.stdout.split('\n'):
        if line[:1] == '+' and line[:3] != '+++':
            need(line[1:] in fixed.split('\n'), (line, fixed))
    c.open(URI, fixed)
    same(actions(c, fixed, 0, len(fixed)), [])
    c.end()


@tap.test
def allowances():
    """a warning is allowed by a comment above its line"""
    text = 'func.func @k() {\n  %a = pto.alloc_tile : !pto.tile_buf<vec, 32x32xf32>\n  return\n}\n'
    c = started(text, '--lint')
    at = text.index('%a')
    allow = [a for a in actions(c, text, at, at) if 'Allow' in a['title']]
    same(len(allow), 1)
    fixed = edited(text, workspace_edits(allow[0]['edit']))
    same(fixed, text.replace('  %a', '  // ptoasm: allow(unused-tile)\n  %a'))
    c.diagnostics(URI)
    c.open(URI, fixed)
    same(c.diagnostics(URI)['diagnostics'], [])
    misspelt = fixed.replace('unused-tile', 'unused-tlie')
    c.open(URI, misspelt)
    same([d['code'] for d in c.diagnostics(URI)['diagnostics']], ['allow-comment', 'unused-tile'])
    at = misspelt.index('unused')
    corrected, = [a for a in actions(c, misspelt, at, at) if 'Replace' in a['title']]
    same(edited(misspelt, workspace_edits(corrected['edit'])), fixed)
    c.end()


@tap.test
def synchronisation():
    """the proof of synchronisation: its errors, and their end after the edit that orders the pipes"""
    text = ('!t = !pto.tile_buf<vec, 32x32xf32>\n!view = !pto.partition_tensor_view<32x32xf32>\n'
            'func.func @k(%in: !view, %out: !view) {\n  %z = arith.constant 0 : i64\n'
            '  %a = pto.alloc_tile addr = %z : !t\n  pto.tload ins(%in : !view) outs(%a : !t)\n'
            '  pto.set_flag[<PIPE_MTE2>, <PIPE_MTE3>, <EVENT_ID0>]\n'
            '  pto.wait_flag[<PIPE_MTE2>, <PIPE_MTE3>, <EVENT_ID0>]\n'
            '  pto.tstore ins(%a : !t) outs(%out : !view)\n  return\n}\n')
    c = started(text.replace('MTE3', 'V'), '--profile=a2a3')
    race, = c.diagnostics(URI)['diagnostics']
    same((race['code'], race['severity'], race['range']['start']), ('sync-race', 1, {'line': 8, 'character': 2}))
    c.open(URI, text)
    same(c.diagnostics(URI)['diagnostics'], [])
    c.open(URI, text.replace('  pto.wait_flag', '  // pto.wait_flag'))
    same([d['code'] for d in c.diagnostics(URI)['diagnostics']], ['sync-leak', 'sync-race'])
    c.end()


# ---- outlines ----

@tap.test
def outline():
    """functions with their tiles, as a tree or a list"""
    tree = {'textDocument': {'documentSymbol': {'hierarchicalDocumentSymbolSupport': True}}}
    c = started(SAMPLE, capabilities=tree)
    helper, k = c.request('textDocument/documentSymbol', DOCUMENT)
    same((helper['name'], helper['kind'], k['name']), ('@helper', 12, '@k'))
    same([s['name'] for s in helper['children']], ['%t'])
    same([(s['name'], s['detail'], s['kind']) for s in k['children']], [('%a', '!t', 13), ('%b', '!t', 13)])
    start = SAMPLE.index('func.func @k')
    same(k['range'], range_of(SAMPLE, start, len(SAMPLE) - 1))
    same(k['selectionRange'], range_of(SAMPLE, start + 10, start + 12))
    c.end()
    c = started(SAMPLE)
    got = c.request('textDocument/documentSymbol', DOCUMENT)
    same([(s['name'], s.get('containerName')) for s in got],
         [('@helper', None), ('%t', '@helper'), ('@k', None), ('%a', '@k'), ('%b', '@k')])
    same(got[0]['location'], {'uri': URI, 'range': range_of(SAMPLE, SAMPLE.index('@helper'), SAMPLE.index('@helper') + 7)})
    with open(SOURCE + '/samples/kernel/scale_mask.pto', encoding='utf-8') as file:
        c.open(URI, file.read())
    same([s['name'] for s in c.request('textDocument/documentSymbol', DOCUMENT)],
         ['@scale_mask', '%tile', '%factor', '%scaled', '%mask', '%result'])
    c.open(URI, '.arg %x : f32\n%t = pto.alloc_tile : !pto.tile_buf<vec, 32x32xf32>\n')  # no functions
    same([s['name'] for s in c.request('textDocument/documentSymbol', DOCUMENT)], ['%t'])
    c.open(URI, '')
    same(c.request('textDocument/documentSymbol', DOCUMENT), [])
    c.end()


# ---- completion ----

def complete(c, line):
    """The labels for a line in a function, `|` is the cursor; what they replace; is the list whole?"""
    text = SAMPLE.replace('  func.call @helper(%b) : (!t) -> ()', line)
    at = text.index('|')
    text = text[:at] + text[at + 1:]
    c.open(URI, text)
    result = c.at('textDocument/completion', URI, text, at)
    words = {text[offset_of(text, i['textEdit']['range'][key], c.utf8):][:at] for i in result['items'] for key in ('end',)}
    same(words - {text[at:][:at]}, set())
    starts = {offset_of(text, i['textEdit']['range']['start'], c.utf8) for i in result['items']}
    need(len(starts) <= 1, starts)
    for item in result['items']:
        same(item['textEdit']['newText'], item['label'])
    return [i['label'] for i in result['items']], text[starts.pop():at] if starts else None, not result['isIncomplete']


def list_of(words):
    run = subprocess.run([PTOASM, 'explain', '--list'], capture_output=True, text=True, check=True)
    return [line.split()[0] for line in run.stdout.split('\n') if line.startswith(words)]


@tap.test
def completion_names():
    """names of instructions at the begin of a statement, all of them"""
    c = started('')
    for line, word, whole in (('  pto.ta|', 'pto.ta', True), ('  %q = pto.t|', 'pto.t', True), ('  |', '', False),
                              ('  %q, %p:2 = ta|', 'ta', False), ('  "pto.tadd|', 'pto.tadd', True)):
        labels, replaced, all_of_them = complete(c, '// 😀\n' + line)
        same((line, replaced, all_of_them), (line, word, whole))
        need({'pto.tadds', 'pto.tload', 'arith.addi', 'scf.for'} <= set(labels), labels)
    missing = set(list_of('pto.')) - set(labels)
    need(len(missing) < 60, sorted(missing))  # other spellings
    for name in missing:
        text = subprocess.run([PTOASM, 'explain', name], capture_output=True, text=True, check=True).stdout
        need('another spelling of' in text or 'n older spelling' in text, name)
    same(complete(c, '  // pto.t|'), ([], None, True))
    same(complete(c, '  %q = arith.constant {a = "pto.|'), ([], None, True))
    c.end()


@tap.test
def completion_short_names():
    """PTO-AS has names without a prefix; they are found without it in other texts, too"""
    c = started('.arg %x : f32\nta')
    items = c.at('textDocument/completion', URI, '.arg %x : f32\nta', 16)['items']
    need('tadds' in [i['label'] for i in items] and 'pto.tadds' not in [i['label'] for i in items], 'short names')
    text = SAMPLE.replace('  func.call', '  ta\n  func.call')
    c.open(URI, text)
    items = c.at('textDocument/completion', URI, text, text.index('  ta\n') + 4)['items']
    tadds, = [i for i in items if i['label'] == 'pto.tadds']
    same((tadds['filterText'], tadds['kind']), ('tadds', 3))
    resolved = c.request('completionItem/resolve', tadds)
    explained = subprocess.run([PTOASM, 'explain', 'tadds'], capture_output=True, text=True, check=True).stdout
    need(explained.split('\n')[0].split(': ')[1] in resolved['documentation']['value'], resolved)
    same(resolved['label'], 'pto.tadds')
    same(c.request('completionItem/resolve', {'label': 'x'}), {'label': 'x'})
    same(c.request('completionItem/resolve', {'label': 'x', 'data': 'no.such'}), {'label': 'x', 'data': 'no.such'})
    same(error(c, 'completionItem/resolve', None)['code'], -32602)
    c.end()


@tap.test
def completion_values():
    """values in scope, functions"""
    c = started('', capabilities=UTF8)
    for line in ('  pto.tadds ins(%|', '  pto.tadds ins(%a, %|', '  pto.tadds ins(%a, %s : !t, f32)\n    outs(%|',
                 '  %q = no.such %|'):
        labels, replaced, _ = complete(c, line)
        same((replaced, sorted(labels)), ('%', ['%a', '%b', '%n', '%r#0', '%r#1', '%s', '%sum']))
    labels, replaced, _ = complete(c, '  pto.tadds ins(%su|')
    same((replaced, labels), ('%su', ['%sum']))
    labels, replaced, _ = complete(c, '  func.call @|')
    same((replaced, labels), ('@', ['@helper', '@k']))
    text = SAMPLE.replace('    scf.yield %x', '    scf.yield %')
    c.open(URI, text)
    items = c.at('textDocument/completion', URI, text, text.index('yield %') + 7)['items']
    names = {i['label'] for i in items}
    need({'%x', '%y', '%i', '%a'} <= names and not {'%r#0', '%sum', '%t'} & names, names)
    c.end()


@tap.test
def completion_words():
    """attributes, their values, types and their parts"""
    c = started('')
    cvt = '  pto.tcvt ins(%a : !t) outs(%b : !t) {'
    for line, word, some in (
            (cvt + '|', '', {'rmode', 'satmode'}), (cvt + 'rmode = #pto<round_mode RINT>, sat|', 'sat', {'satmode'}),
            (cvt + 'rmode = |', '', {'#pto<round_mode RINT>'}), (cvt + 'rmode = #|', '#', {'#pto<round_mode '}),
            (cvt + 'rmode = #pto<|', '', {'round_mode ', 'cmp '}),
            (cvt + 'rmode = #pto<round_mode R|', 'R', {'RINT', 'FLOOR'}),
            ('  %v = pto.make_tensor_view %p {layout = #pto.layout<n|', 'n', {'nd', 'dn', 'nz'}),
            ('  pto.barrier <PI|', 'PI', {'PIPE_V', 'PIPE_ALL'}), ('  %q = arith.cmpi s|', 's', {'sle', 'eq'}),
            ('  pto.tadds |', '', {'ins', 'outs'}), ('  %q = pto.alloc_tile |', '', {'addr', 'valid_row'}),
            ('  %q = pto.alloc_tile : !|', '!', {'!t', '!pto.tile_buf', '!pto.hif8'}),
            ('  %q = pto.alloc_tile : !pto.ti|', '!pto.ti', {'!pto.tile_buf'}),
            ('  %q = pto.alloc_tile : !pto.tile_buf<|', '', {'vec', 'acc', 'blayout=', 'dtype='}),
            ('  %q = pto.alloc_tile : !pto.tile_buf<vec, 32x32x|', '', {'f32', 'bf16', '!pto.hif8'}),
            ('  %q = pto.alloc_tile : !pto.tile_buf<vec, ?x32xbf|', 'bf', {'f32', 'bf16'}),
            ('  %q = pto.alloc_tile : !pto.tile_buf<loc=|', '', {'vec', 'mat'}),
            ('  %q = pto.alloc_tile : !pto.tile_buf<loc=vec, dtype=f|', 'f', {'f16', 'f32'}),
            ('  %q = pto.alloc_tile : !pto.tile_buf<vec, 2x2xf32, slayout=|', '', {'none_box', 'row_major'}),
            ('  %q = pto.castptr %n : index -> !pto.ptr<|', '', {'f32', 'i8'}),
            ('  %q = pto.castptr %n : index -> !pto.ptr<f32, |', '', {'gm', 'vec'}),
            ('  %q = pto.make_tensor_view %n : !pto.tensor_view<?x32x|', '', {'f32'})):
        labels, replaced, whole = complete(c, line)
        same((line, replaced, whole), (line, word, True))
        need(some <= set(labels), (line, labels))
        same((line, len(set(labels))), (line, len(labels)))
    for line in ('  %q = arith.constant 12|', '  pto.tadds ins(%a, 1|'):
        same(complete(c, line)[0], [])
    c.end()


TIMED = '''func.func @f(%x: !pto.partition_tensor_view<16x64xf32>, %n: index) attributes {pto.entry, pto.kernel_kind = #pto.kernel_kind<vector>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = pto.alloc_tile : !pto.tile_buf<vec, 16x64xf32>
  scf.for %i = %c0 to %n step %c1 {
    pto.tload ins(%x : !pto.partition_tensor_view<16x64xf32>) outs(%t : !pto.tile_buf<vec, 16x64xf32>)
  }
  return
}
'''


@tap.test
def hints():
    """what statements cost, on request, for the arguments of the setting"""
    whole = {'textDocument': {'uri': URI}, 'range': {'start': {'line': 0, 'character': 0}, 'end': {'line': 99, 'character': 0}}}
    c = started(TIMED)
    same(c.request('textDocument/inlayHint', whole), [])
    c.end()
    for words, options in (('--time=n=3',), {}), ((), {'initializationOptions': {'time': 'n=3'}}):
        c = started(TIMED, *words, **options)
        hint, = c.request('textDocument/inlayHint', whole)
        same(hint['position'], {'line': 5, 'character': len(TIMED.split('\n')[5])})
        need(hint['label'].endswith(' cycles, 3x'), hint)
        part = {'textDocument': {'uri': URI}, 'range': {'start': {'line': 0, 'character': 0}, 'end': {'line': 2, 'character': 0}}}
        same(c.request('textDocument/inlayHint', part), [])
        c.open(URI, TIMED.replace('%n step', '%m step'))
        same(c.request('textDocument/inlayHint', whole), [])
        c.end()


@tap.test
def anywhere():
    """every request at every place of a program, whole and cut off there"""
    c = started(SAMPLE)
    for offset in range(0, len(SAMPLE), 7):
        for method in ('hover', 'definition', 'references', 'documentHighlight', 'completion', 'prepareRename'):
            c.at('textDocument/' + method, URI, SAMPLE, offset)
    for offset in range(0, len(SAMPLE), 13):
        text = SAMPLE[:offset]
        c.open(URI, text)
        for method in ('hover', 'completion'):
            c.at('textDocument/' + method, URI, text, offset)
        c.request('textDocument/documentSymbol', DOCUMENT)
        actions(c, text, 0, len(text))
    c.end()


tap.end()
