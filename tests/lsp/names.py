#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`ptoasm lsp` over a pipe: aliases of types, hover on words, and the order of what completion offers.

usage: names.py PTOASM SOURCE-FOLDER

Prints TAP.
"""
import os
import re
import sys

from client import DOCUMENT, URI, UTF8, Client, Tap, need, offset_of, range_of, same

PTOASM = os.path.realpath(sys.argv[1])
MARKDOWN = {'textDocument': {'hover': {'contentFormat': ['markdown']}}}
tap = Tap()

ALIASES = '''!t = !pto.tile_buf<vec, 32x32xf32>   // 😀 !t and "!t"
!t2 = !pto.tile_buf<vec, 16x32xf32>
!part = !pto.partition_tensor_view<32x32xf32>
!elem = f32
!both = !pto.struct<i32, !elem>
func.func @f(%a: !t, %p: !part) -> !t {
  %b = pto.alloc_tile : !t  # !t of a comment
  %c = pto.alloc_tile : !t2
  %d = arith.constant {note = "!t"} 1 : i32
  pto.tadd ins(%a, %a : !t,!t) outs(%b : !t)
  pto.tload ins(%p : !part) outs(%b : !t)
  return %b : !t
}
'''
# The names of !t: as an editor renames them.
NAME = re.compile(r'(?<!😀 )(?<!")(?<!# )!t\b(?!2)')


def started(text, **params):
    client = Client(PTOASM)
    client.start(**params)
    client.open(URI, text)
    return client


def places(text, pattern, utf8):
    return [range_of(text, m.start(), m.end(), utf8) for m in pattern.finditer(text)]


@tap.test
def alias_navigation():
    """definition, references and highlights of an alias, from each of its places"""
    for capabilities in ({}, UTF8):
        c = started(ALIASES, capabilities=capabilities)
        want = places(ALIASES, NAME, c.utf8)
        same(len(want), 9)
        for m in NAME.finditer(ALIASES):
            for at in (m.start(), m.end()):
                same(c.at('textDocument/definition', URI, ALIASES, at), {'uri': URI, 'range': want[0]})
            uses = c.at('textDocument/references', URI, ALIASES, m.start() + 1, context={'includeDeclaration': True})
            same([u['range'] for u in uses], want)
            uses = c.at('textDocument/references', URI, ALIASES, m.start(), context={'includeDeclaration': False})
            same([u['range'] for u in uses], want[1:])
            same([h['range'] for h in c.at('textDocument/documentHighlight', URI, ALIASES, m.start())], want)
        at = ALIASES.index('!elem>') + 2    # in another type
        same(c.at('textDocument/definition', URI, ALIASES, at)['range']['start'], {'line': 3, 'character': 0})
        for other in ('!t and', '!t"\n', '!t of', '!t"}', '!pto.tile'):
            same((other, c.at('textDocument/definition', URI, ALIASES, ALIASES.index(other) + 1)), (other, None))
        c.end()


@tap.test
def alias_hover():
    """the type that it stands for, and its size"""
    c = started(ALIASES)
    hover = c.at('textDocument/hover', URI, ALIASES, ALIASES.index(': !t2') + 3)
    same(hover['contents']['value'], '!t2 = !pto.tile_buf<vec, 16x32xf32>\n\n2048 bytes')
    same(hover['range'], places(ALIASES, re.compile('!t2'), False)[1])
    hover = c.at('textDocument/hover', URI, ALIASES, ALIASES.index('!both'))
    same(hover['contents']['value'], '!both = !pto.struct<i32, f32>')
    same(c.at('textDocument/hover', URI, ALIASES, ALIASES.index('// ') + 7), None)
    wrong = '!w = !pto.tile_buf<vec, 0x0xf32>\n!z = nonsense\nfunc.func @f(%a: !w, %b: !z) {\n  return\n}\n'
    c.open(URI, wrong)
    for what in ('!w', ': !w', '!z', ': !z'):
        c.at('textDocument/hover', URI, wrong, wrong.index(what) + 2)
    c.end()


@tap.test
def alias_renaming():
    """every place changes and nothing else; names that are taken are refused"""
    for capabilities in ({}, UTF8):
        c = started(ALIASES, capabilities=capabilities)
        for name in ('tile', '!tile', 'a-b', 't$1'):
            edit = c.at('textDocument/rename', URI, ALIASES, ALIASES.index(': !t,') + 3, newName=name)
            text = ALIASES
            for e in reversed(edit['changes'][URI]):
                start, end = (offset_of(text, e['range'][key], c.utf8) for key in ('start', 'end'))
                text = text[:start] + e['newText'] + text[end:]
            same(text, NAME.sub('!' + name.lstrip('!'), ALIASES))
        prepared = c.at('textDocument/prepareRename', URI, ALIASES, ALIASES.index(': !t2') + 3)
        same(prepared['placeholder'], 't2')
        for name in ('t2', 'part', 'pto.x', 'a b', '', '!', '7x'):
            position = range_of(ALIASES, ALIASES.index(': !t,') + 3, 0, c.utf8)['start']
            answer = c.answer(c.ask('textDocument/rename', {**DOCUMENT, 'position': position, 'newName': name}))
            need('error' in answer, (name, answer))
        c.end()


# ---- words ----

WORDS = '''!m = !pto.tile_buf<mat, 32x32xf32, blayout=col_major, slayout=row_major>
!u = !pto.tile_buf<vec, ?x32xf32>
!h = !pto.tile_buf<vec, 32x32xf16>
module attributes {pto.target_arch = "a5"} {
  func.func @k(%n: index, %t: !h) attributes {pto.entry, pto.kernel_kind = #pto.kernel_kind<vector>} {
    %a = pto.alloc_tile valid_row = %n : !u // valid_row and col_major
    %b = pto.alloc_tile : !pto.tile_buf<vec, 32x32xf32>
    pto.tcvt ins(%b {rmode = #pto<round_mode RINT>} : !pto.tile_buf<vec, 32x32xf32>) outs(%t : !h)
    pto.barrier <PIPE_V>
    %d = arith.constant {rmode = "valid_row"} 1 : i32
    return
  }
}
'''


@tap.test
def hover_on_words():
    """attributes, their values, clauses, spaces, layouts, attributes of functions and modules"""
    for capabilities in (MARKDOWN, {}):
        c = started(WORDS, capabilities=capabilities)
        for what, word, said in (
                ('valid_row =', 'valid_row', 'operand of pto.alloc_tile: an index; '), ('pto.entry', 'pto.entry', 'launches on a number of blocks'),
                ('col_major', 'col_major', 'the order of the elements in memory'), ('row_major', 'row_major', 'column after column'),
                ('blayout', 'blayout', '`blayout` is the outer order'), ('mat,', 'mat', 'staging for factors'),
                ('vec, ?', 'vec', 'the memory of a vector core'), ('pto.kernel_kind =', 'pto.kernel_kind', 'a cube core'),
                ('pto.target_arch', 'pto.target_arch', 'the chip that a program is checked'),
                ('rmode =', 'rmode', 'attribute of pto.tcvt: NONE, RINT'), ('RINT', 'RINT', 'value of rmode of pto.tcvt'),
                ('PIPE_V', 'PIPE_V', 'value of pipe of pto.barrier'), ('index', 'index', 'Element types')):
            at = WORDS.index(what)
            for offset in (at, at + len(word) // 2, at + len(word)):
                hover = c.at('textDocument/hover', URI, WORDS, offset)
                need(hover and said in hover['contents']['value'].replace('\n', ' '), (what, offset - at, hover))
                same((what, hover['range']), (what, range_of(WORDS, at, at + len(word), c.utf8)))
                need(len(hover['contents']['value']) < 4000, what)
        for what in ('valid_row and', 'col_major\n', '"a5"', '"valid_row"', '32x32xf16>', '1 : i32'):
            same((what, c.at('textDocument/hover', URI, WORDS, WORDS.index(what) + 1)), (what, None))
        c.end()


# ---- completion ----

VALUES = '''!t = !pto.tile_buf<vec, 32x32xf32>
!half = !pto.tile_buf<vec, 16x32xf32>
!column = !pto.tile_buf<vec, 32x1xf32, blayout=col_major>
!left = !pto.tile_buf<left, 32x32xf16, slayout=row_major, blayout=col_major>
!right = !pto.tile_buf<right, 32x32xf16, slayout=col_major>
!acc = !pto.tile_buf<acc, 32x32xf32, blayout=col_major, slayout=row_major, fractal=1024>
!part = !pto.partition_tensor_view<32x32xf32>
func.func @k(%p: !pto.ptr<f32>, %s: f32, %n: index, %v: !part) {
  %a = pto.alloc_tile : !t
  %b = pto.alloc_tile : !pto.tile_buf<vec, 32x32xf32>
  %h = pto.alloc_tile : !half
  %c = pto.alloc_tile : !column
  %l = pto.alloc_tile : !left
  %r = pto.alloc_tile : !right
  %m = pto.alloc_tile : !acc
  %i = arith.constant 1 : index
  LINE
  return
}
'''
TILES, REST = ['%m', '%r', '%l', '%c', '%h', '%b', '%a'], ['%i', '%v', '%n', '%s', '%p']


def offered(c, line):
    """The values in the order of the editor, for a line in which `|` is the cursor."""
    text = VALUES.replace('LINE', line)
    at = text.index('|')
    text = text[:at] + text[at + 1:]
    c.open(URI, text)
    items = c.at('textDocument/completion', URI, text, at)['items']
    return [i['label'] for i in sorted(items, key=lambda i: i['sortText'])]


@tap.test
def order_of_values():
    """tiles of a type that the statement accepts, then operands of the right kind, then others"""
    c = started('')
    for line, first in (('pto.tadds ins(%a, %s : !t, f32) outs(%|', ['%b', '%a', '%h']),    # %h on a5 only
                        ('pto.tadds ins(%h, %s : !half, f32) outs(%|', ['%h', '%b', '%a']),
                        ('pto.trowsum ins(%a : !t)\n      outs(%|', ['%c']),
                        ('pto.tmatmul ins(%l, %r : !left, !right) outs(%|', ['%m']),
                        ('pto.tload ins(%v : !part) outs(%|', ['%b', '%a', '%c', '%h']),
                        ('pto.tadds ins(%unknown, %s : !t, f32) outs(%|', []), ('pto.tadds outs(%|', []),
                        ('pto.tadds ins(%|', []), ('pto.trowmax ins(%|', [])):
        want = first + [t for t in TILES if t not in first] + REST
        same((line, offered(c, line)), (line, want))
    same(offered(c, 'pto.tadds ins(%a, %|')[:3], ['%i', '%n', '%s'])       # a scalar
    same(offered(c, 'pto.tstore ins(%a : !t) outs(%|')[0], '%v')           # a view
    for line in ('func.call @x(%|', 'no.such ins(%|', 'pto.tadds ins(%a, %s, %|'):   # no operand that is known
        same((line, offered(c, line)), (line, ['%i', '%m', '%r', '%l', '%c', '%h', '%b', '%a', '%v', '%n', '%s', '%p']))
    c.end()


@tap.test
def anywhere():
    """every place, whole and cut off there"""
    for text in (ALIASES, WORDS):
        c = started(text)
        for offset in range(0, len(text), 5):
            for method in ('hover', 'definition', 'references', 'completion', 'prepareRename'):
                c.at('textDocument/' + method, URI, text, offset)
        for offset in range(0, len(text), 11):
            c.open(URI, text[:offset])
            for method in ('hover', 'completion'):
                c.at('textDocument/' + method, URI, text[:offset], offset)
        c.end()


tap.end()
