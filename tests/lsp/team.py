#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`ptoasm lsp` over a pipe: signature help, folding, semantic tokens, code lenses that run cases.

usage: team.py PTOASM SOURCE-FOLDER

Prints TAP.
"""
import glob
import json
import os
import re
import sys
import tempfile
import time

from client import DOCUMENT, URI, UTF8, Client, Tap, need, offset_of, position, same

PTOASM = os.path.realpath(sys.argv[1])
SOURCE = os.path.realpath(sys.argv[2])
tap = Tap()

TEXT = '''// 😀 one
// two
!t = !pto.tile_buf<vec,
    32x32xf32>
// alone
func.func @k(%s: f32, %n: index, %mask: !pto.tile_buf<vec, 32x32xui8>) {
  %c = arith.constant 1.5 : f32 // 😀 %n
  %a = pto.alloc_tile : !t
  %b = pto.alloc_tile {
    note = "x",
    more = 2
  } : !t
  %r:2 = scf.for %i = %n to %n step %n iter_args(%x = %n, %y = %n) -> (index, index) {
    scf.yield %x, %r : index, index
  }
  pto.tsel ins(%mask, %a, %a, %a : !pto.tile_buf<vec, 32x32xui8>, !t, !t, !t) outs(%b : !t)
  pto.tadds ins(%a, %s : !t, f32) outs(%b : !t)
  %sum = arith.addi %n, %n : index
  func.call @k(%s, %n, %mask) : (f32, index, !pto.tile_buf<vec, 32x32xui8>) -> ()
  return
}
'''


def started(text, uri=URI, **params):
    client = Client(PTOASM)
    client.capabilities = client.start(**params)['capabilities']
    client.open(uri, text)
    return client


# ---- signature help ----

def signature(c, text, offset):
    answer = c.at('textDocument/signatureHelp', URI, text, offset)
    if answer is None:
        return None
    one, = answer['signatures']
    active = answer['activeParameter']
    names = [one['label'][a:b] for a, b in (p['label'] for p in one['parameters'])]
    return one, names, None if active is None else names[active]


@tap.test
def signatures():
    """the operand at the cursor, from the first bracket on"""
    c = started(TEXT)
    same(c.capabilities['signatureHelpProvider'], {'triggerCharacters': ['(', ',']})
    for typed, name in (('pto.tsel ins(', '%mask'), ('pto.tsel ins(%m', '%mask'), ('pto.tsel ins(%m,', '%src0'),
                        ('pto.tsel ins(%m, %a, %a, ', '%tmp'), ('pto.tsel ins(%m, %a, %a : !t) outs(', '%dst'),
                        ('pto.tsel ins(%m, %a, %a, %a, ', None), ('%d = pto.tadds %a, ', '%scalar'),
                        ('%d = pto.tadds ', '%src'), ('pto.tadds ins(%a,\n    ', '%scalar'),
                        ('%d = arith.addi %n', '%lhs'), ('%v = pto.make_tensor_view ', '%ptr')):
        text = 'func.func @k() {\n  ' + typed
        c.open(URI, text)
        found = signature(c, text, len(text))
        need(found is not None, typed)
        same((typed, found[2]), (typed, name))
    for typed in ('pto.tsel', 'pto.tsel ins(%m : ', 'pto.nothing ins(', '// pto.tsel ins(', '%d = pto.tadds %a, %b : ',
                  'pto.tsel ins(%m : !pto.tile_buf<vec, ', 'pto.tabs ins(%a : !t) outs(%b : !t)\n  ', 'pto.tabs ins(%a : !t) ',
                  '%v = pto.make_tensor_view %p, shape = [%a, '):
        text = 'func.func @k() {\n  ' + typed
        c.open(URI, text)
        same((typed, signature(c, text, len(text))), (typed, None))
    text = 'func.func @k() {\n  pto.tsel ins('
    c.open(URI, text)
    one, names, _ = signature(c, text, len(text))
    same(names, ['%mask', '%src0', '%src1', '%tmp', '%dst'])
    need(one['label'].startswith('pto.tsel ins(%mask, %src0, %src1, %tmp :'), one)
    same([p['documentation']['value'].split(':')[0] for p in one['parameters']],
         ['input', 'input', 'input', 'scratch', 'output'])
    same(one['documentation']['value'], 'Selects from two tiles by a mask of bits.')
    c.end()


@tap.test
def signatures_everywhere():
    """at every character of samples: no failure, and the active part is one of the operands"""
    c = started('')
    for path in sorted(glob.glob(SOURCE + '/samples/*/*_dps.pto'))[:6]:
        with open(path, encoding='utf-8') as file:
            text = file.read()
        c.open(URI, text)
        for offset in range(0, len(text), 97):
            found = signature(c, text, offset)
            need(found is None or found[2] is None or found[2][0] == '%', found)
    c.end()


# ---- folding ----

@tap.test
def folding():
    """functions, loops, dictionaries over several lines; comments that follow each other"""
    c = started(TEXT)
    same(c.capabilities['foldingRangeProvider'], True)
    got = {(r['startLine'], r['endLine'], r.get('kind')) for r in c.request('textDocument/foldingRange', DOCUMENT)}
    line = {text: i for i, text in enumerate(TEXT.split('\n'))}
    end = max(i for i, text in enumerate(TEXT.split('\n')) if text == '  return')
    loop = [i for i, text in enumerate(TEXT.split('\n')) if 'scf.for' in text][0]
    tile = line['  %b = pto.alloc_tile {']
    same(got, {(0, 1, 'comment'), (tile, tile + 2, None), (loop, loop + 1, None),
               ([i for i, t in enumerate(TEXT.split('\n')) if 'func.func' in t][0], end, None)})
    c.open(URI, 'func.func @f() {\n  scf.for {\n  "}" // }\n')  # nothing is closed
    same(c.request('textDocument/foldingRange', DOCUMENT), [])
    c.open(URI, '}}}\n// a\n\n// b\n')
    same(c.request('textDocument/foldingRange', DOCUMENT), [])
    c.end()


# ---- semantic tokens ----

def tokens(c, text):
    """(text, type, modifiers) of each token."""
    legend = c.capabilities['semanticTokensProvider']['legend']
    data = c.request('textDocument/semanticTokens/full', DOCUMENT)['data']
    same(len(data) % 5, 0)
    found, line, start = [], 0, 0
    for i in range(0, len(data), 5):
        lines, column, length, kind, modifiers = data[i:i + 5]
        start = column + (start if lines == 0 else 0)
        line += lines
        need(lines > 0 or column > 0 or i == 0, data[i:i + 5])
        a = offset_of(text, {'line': line, 'character': start}, c.utf8)
        b = offset_of(text, {'line': line, 'character': start + length}, c.utf8)
        need('\n' not in text[a:b] and b > a, (text[a:b], data[i:i + 5]))
        names = frozenset(n for k, n in enumerate(legend['tokenModifiers']) if modifiers >> k & 1)
        found.append((text[a:b], legend['tokenTypes'][kind], names))
    return found


@tap.test
def semantic_tokens():
    """parameters, constants, tiles; comments and types over several lines, in both encodings"""
    for capabilities in ({}, UTF8):
        c = started(TEXT, capabilities=capabilities)
        got = tokens(c, TEXT)
        by = {}
        for text, kind, names in got:
            by.setdefault(text, []).append((kind, names))
        same(by['%a'][0], ('variable', frozenset(('declaration', 'tile'))))
        same(set(by['%a'][1:]), {('variable', frozenset(('tile',)))})
        same(by['%s'][0], ('parameter', frozenset(('declaration',))))
        same(set(by['%s'][1:]), {('parameter', frozenset())})
        same(by['%mask'][0], ('parameter', frozenset(('declaration', 'tile'))))
        same(by['%c'][0], ('variable', frozenset(('declaration', 'readonly'))))
        same(by['%i'][0], ('parameter', frozenset(('declaration',))))
        same(by['%r'], [('variable', frozenset())])  # in the loop it is not defined yet
        same(by['%r:2'], [('variable', frozenset(('declaration',)))])
        same({kind for kind, _ in by['pto.tadds'] + by['pto.tsel']}, {'function'})
        same({kind for kind, _ in by['scf.for'] + by['return'] + by['ins'] + by['outs'] + by['step']}, {'keyword'})
        same({kind for kind, _ in by['@k']}, {'method'})
        same(by['!t'][0][0], 'type')
        same((by['!pto.tile_buf<vec,'][0][0], by['    32x32xf32>'][0][0]), ('type', 'type'))
        same(by['// 😀 one'], [('comment', frozenset())])
        same(by['// 😀 %n'], [('comment', frozenset())])
        same((by['1.5'][0][0], by['"x"'][0][0], by['note'][0][0]), ('number', 'string', 'property'))
        c.end()


@tap.test
def many_functions():
    """a name means what it is in its own function; 4000 of them take seconds"""
    one = 'func.func @f%d(%%p: f32) {\n  %%a = %s\n  pto.tadds ins(%%a, %%p : !pto.tile_buf<vec, 32x32xf32>, f32) outs(%%a)\n  return\n}\n'
    text = ''.join(one % (i, ('pto.alloc_tile : !pto.tile_buf<vec, 32x32xf32>', 'arith.constant 1 : i32')[i % 2]) for i in range(4000))
    c = started(text)
    started_at = time.monotonic()
    data = c.request('textDocument/semanticTokens/full', DOCUMENT)['data']
    need(time.monotonic() - started_at < 30, time.monotonic() - started_at)
    need(len(data) > 4000 * 5 * 10, len(data))
    few = text[:text.index('func.func @f6(')]
    c.open(URI, few)
    got = [more - {'declaration'} for t, _, more in tokens(c, few) if t == '%a']
    same(got, [{'tile'}, {'tile'}, {'tile'}, {'readonly'}, {'readonly'}, {'readonly'}] * 3)
    c.end()


@tap.test
def semantic_tokens_of_samples():
    """in order, none overlaps, every word that begins with % is one"""
    c = started('')
    for path in sorted(glob.glob(SOURCE + '/samples/*/*.pto')):
        with open(path, encoding='utf-8') as file:
            text = file.read()
        c.open(URI, text)
        words = [t for t, kind, _ in tokens(c, text) if kind in ('variable', 'parameter')]
        bare = re.sub(r'//.*|"[^"\n]*"', '', text)
        same((path, words), (path, re.findall(r'%[\w$.-]+(?:[#:]\d+)?', bare)))
    for text in ('', '%', '"', '!t = !pto.tile_buf<', 'func.func @f(%a', '\0 %a 😀', '%a = %a = pto.tadds {'):
        c.open(URI, text)
        tokens(c, text)
    c.end()


# ---- lenses ----

CASES = {'cases': [
    {'name': 'fits', 'args': {'x': 'random:1', 'y': 'zeros'}, 'values': {'n': [1, 2]}},
    {'name': 'is wrong', 'args': {'x': 'iota', 'y': 'zeros'}, 'exit': 1},
    {'name': 'of another', 'program': 'other.pto', 'args': []},
]}
VIEW, PART, TILE = '!pto.tensor_view<8x16xf32>', '!pto.partition_tensor_view<8x16xf32>', '!pto.tile_buf<vec, 8x16xf32>'
KERNEL = f'''// 😀
func.func @f(%x: !pto.ptr<f32>, %y: !pto.ptr<f32>) attributes {{pto.entry}} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %big = arith.constant 1000.0 : f32
  %xv = pto.make_tensor_view %x, shape = [%c8, %c16], strides = [%c16, %c1] : {VIEW}
  %yv = pto.make_tensor_view %y, shape = [%c8, %c16], strides = [%c16, %c1] : {VIEW}
  %xp = pto.partition_view %xv, offsets = [%c0, %c0], sizes = [%c8, %c16] : {VIEW} -> {PART}
  %yp = pto.partition_view %yv, offsets = [%c0, %c0], sizes = [%c8, %c16] : {VIEW} -> {PART}
  %a = pto.alloc_tile : {TILE}
  %b = pto.alloc_tile : {TILE}
  pto.tload ins(%xp : {PART}) outs(%a : {TILE})
  pto.tadds ins(%a, %big : {TILE}, f32) outs(%b : {TILE})
  pto.tsubs ins(%b, %big : {TILE}, f32) outs(%b : {TILE})
  pto.tsub ins(%b, %a : {TILE}, {TILE}) outs(%b : {TILE})
  pto.tstore ins(%b : {TILE}) outs(%yp : {PART})
  return
}}
'''


def command(c, lens):
    return c.request('workspace/executeCommand',
                     {'command': lens['command']['command'], 'arguments': lens['command']['arguments']})


@tap.test
def lenses():
    """cases beside the program run; --shadow=f64 shows as hints and in hovers until the text changes"""
    with tempfile.TemporaryDirectory() as folder:
        path, uri = folder + '/k.pto', 'file://' + folder + '/k.pto'
        for name, text in (('k.pto', KERNEL), ('k.test.json', json.dumps(CASES)), ('z.test.json', '{"cases": [')):
            with open(f'{folder}/{name}', 'w', encoding='utf-8') as file:
                file.write(text)
        hints = {'workspace': {'inlayHint': {'refreshSupport': True}}}
        c = started(KERNEL, uri, capabilities=hints)
        same(c.capabilities['executeCommandProvider'], {'commands': ['ptoasm.run']})
        found = c.request('textDocument/codeLens', {'textDocument': {'uri': uri}})
        same([x['command']['title'] for x in found],
             ['run fits [n=1]', 'errors of fits [n=1]', 'run fits [n=2]', 'errors of fits [n=2]', 'run is wrong',
              'errors of is wrong'])
        same({x['range']['start']['line'] for x in found}, {1})
        same(command(c, found[0]), 'fits [n=1]: passed')
        same(c.note('window/showMessage'), {'type': 3, 'message': 'fits [n=1]: passed'})
        need(command(c, found[4]).startswith('is wrong: failed'), found[4])
        same(c.note('window/showMessage')['type'], 1)
        asked = {'textDocument': {'uri': uri}, 'range': {'start': {'line': 0, 'character': 0},
                                                        'end': {'line': 99, 'character': 0}}}
        same(c.request('textDocument/inlayHint', asked), [])
        say = command(c, found[1])
        line = [i for i, text in enumerate(KERNEL.split('\n')) if 'tsub ins' in text][0]
        subtraction = [i for i, text in enumerate(KERNEL.split('\n')) if 'tsubs ins' in text][0]
        need('grows most in line %d' % (line + 1) in say or 'grows most in line %d' % (subtraction + 1) in say, say)
        need([n for n in c.notes if n['method'] == 'workspace/inlayHint/refresh'] or
             c.receive()['method'] == 'workspace/inlayHint/refresh', 'no refresh')
        labels = {h['position']['line']: h['label'] for h in c.request('textDocument/inlayHint', asked)}
        need(re.match(r'error [\d.e-]+, grown [\d.e+-]+ times$', labels.get(line, '')), labels)
        need('tload' not in ''.join(KERNEL.split('\n')[i] for i in labels), labels)
        hover = c.at('textDocument/hover', uri, KERNEL, KERNEL.index('pto.tsub ins') + 5)['contents']['value']
        need('Relative error against f64: at most ' in hover and ' at %b [' in hover, hover)
        c.notify('textDocument/didChange', {'textDocument': {'uri': uri, 'version': 2},
                                            'contentChanges': [{'text': KERNEL + '// more\n'}]})
        same(c.request('textDocument/inlayHint', asked), [])
        same(c.error('workspace/executeCommand', found[0]['command']), -32803)  # it is not saved
        with open(path, 'a', encoding='utf-8') as file:
            file.write('// more\n')
        same(command(c, found[0]), 'fits [n=1]: passed')
        for wrong in ({'command': 'rm'}, {'command': 'ptoasm.run'}, {'command': 'ptoasm.run', 'arguments': [uri, 1, 2]},
                      {'command': 'ptoasm.run', 'arguments': ['file:///no', 'a', 'b', False]}):
            same(c.error('workspace/executeCommand', wrong), -32602)
        other = found[0]['command']['arguments'][:2] + ['of another', False]
        same(c.error('workspace/executeCommand', {'command': 'ptoasm.run', 'arguments': other}), -32803)
        c.end()


@tap.test
def no_lenses():
    """a document that is no file, or has no cases, has none"""
    c = started(TEXT)
    same(c.request('textDocument/codeLens', DOCUMENT), [])
    c.open('untitled:1', TEXT)
    same(c.request('textDocument/codeLens', {'textDocument': {'uri': 'untitled:1'}}), [])
    c.end()


tap.end()
