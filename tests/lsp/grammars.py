#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The grammars in editors/ are what the tables say, and give the parts of a program their scopes.

usage: grammars.py GENERATOR SOURCE-FOLDER PTOASM | GENERATOR SOURCE-FOLDER --update

With --update the grammars are written instead. The TextMate grammar is applied by a small reader of such grammars:
`match`, `begin` and `end` in one line, `captures`, `include`. Prints TAP.
"""
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

from client import Tap

GENERATOR, SOURCE = (os.path.realpath(word) for word in sys.argv[1:3])
PTOASM = os.path.realpath(sys.argv[3])
GRAMMARS = ['vscode/pto.tmLanguage.json', 'vim/syntax/pto.vim']

if '--update' in sys.argv:
    subprocess.run([GENERATOR] + [os.path.join(SOURCE, 'editors', name) for name in GRAMMARS], check=True)
    sys.exit()

tap = Tap()
with open(os.path.join(SOURCE, 'editors', GRAMMARS[0]), encoding='utf-8') as file:
    GRAMMAR = json.load(file)


def read(path):
    with open(path, encoding='utf-8') as file:
        return file.read()


@tap.test
def stale():
    """the grammars are what the tables say; tests/docs/update writes them"""
    with tempfile.TemporaryDirectory() as folder:
        for name in GRAMMARS:
            path = os.path.join(folder, os.path.basename(name))
            subprocess.run([GENERATOR, path], check=True)
            if read(path) != read(os.path.join(SOURCE, 'editors', name)):
                raise ValueError('editors/%s is stale' % name)
    for wrong in ([os.path.join(SOURCE, 'editors')], ['/no/such/folder/pto.vim']):
        if subprocess.run([GENERATOR] + wrong, stderr=subprocess.DEVNULL, check=False).returncode == 0:
            raise ValueError('written: %s' % wrong)


# ---- a reader of TextMate grammars ----

def rules(patterns):
    for pattern in patterns:
        if 'include' in pattern:
            yield from rules(GRAMMAR['repository'][pattern['include'][1:]]['patterns'])
        else:
            yield pattern


def next_rule(line, at, patterns):
    """The rule that matches first; of two at one place the earlier."""
    best = None
    for rule in rules(patterns):
        found = re.compile(rule.get('match', rule.get('begin'))).search(line, at)
        if found and (best is None or found.start() < best[1].start()):
            best = (rule, found)
    return best


def scopes_in(line, at, patterns, end, out):
    """Notes (start, end, scope) of what is found from `at`; returns where `end` is done."""
    while at <= len(line):
        best = next_rule(line, at, patterns)
        stop = re.compile(end).search(line, at) if end else None
        if stop and (best is None or stop.start() <= best[1].start()):
            return stop.end()
        if best is None:
            break
        rule, found = best
        for number, capture in {**rule.get('captures', {}), **rule.get('beginCaptures', {})}.items():
            out.append((*found.span(int(number)), capture['name']))
        if 'name' in rule and 'match' in rule:
            out.append((*found.span(), rule['name']))
        at = found.end()
        if 'begin' in rule:
            at = scopes_in(line, at, rule.get('patterns', []), rule['end'], out)
            if 'name' in rule:
                out.append((found.start(), at, rule['name']))
        elif at == found.start():
            at += 1
    return len(line)


def scopes(line):
    out = []
    scopes_in(line, 0, GRAMMAR['patterns'], None, out)
    return {line[start:end].strip(): scope for start, end, scope in out}


@tap.test
def parts():
    """names, types, attributes, numbers and comments of a few lines"""
    instruction, clause = 'keyword.operator.instruction.pto', 'keyword.control.clause.pto'
    value, element = 'variable.other.value.pto', 'support.type.element.pto'
    for line, want in (
            ('  pto.tadds ins(%a, %s : !t, f32) outs(%b#1 : !t) // ins',
             {'pto.tadds': instruction, 'ins': clause, 'outs': clause, '%a': value, '%b#1': value, 'f32': element,
              '!t': 'entity.name.type.alias.pto', '// ins': 'comment.line.double-slash.pto'}),
            ('%d = tadds %s, %k : !pto.tile<32x64xf32>', {'%d': None, '%s': value, 'f32': element}),
            ('tmatmul.acc %a, 1.5e3', {'1.5e3': 'constant.numeric.pto'}),
            ('"pto.tadds"(%s) : () -> ()', {'pto.tadds': instruction}),
            ('%x = arith.constant {note = "pto.tadds %x"} 0x10 : i32',
             {'"pto.tadds %x"': 'string.quoted.double.pto', '0x10': 'constant.numeric.pto', 'i32': element}),
            ('!t = !pto.tile_buf<loc=vec, dtype=f32, rows=16, blayout=row_major>',
             {'!pto.tile_buf<': 'support.type.pto', 'loc': 'variable.parameter.key.pto', 'f32': element,
              'vec': 'constant.language.space.pto', 'row_major': 'constant.language.pto'}),
            ('  pto.tcvt ins(%a : !t) outs(%b : !t) {rmode = #pto<round_mode RINT>}',
             {'rmode': 'variable.parameter.attribute.pto', 'RINT': 'constant.language.pto',
              'round_mode': 'storage.type.attribute.pto'}),
            ('pto.barrier #pto.pipe<PIPE_ALL>', {'#pto.pipe<': 'storage.type.attribute.pto',
                                                 'PIPE_ALL': 'constant.language.pto'}),
            ('  func.call @helper(%b) : (index) -> ()', {'@helper': 'entity.name.function.pto', 'index': element}),
            ('^bb0(%x: i1):', {'^bb0': 'entity.name.label.pto'}),
            ('# a comment', {'# a comment': 'comment.line.number-sign.pto'}),
            ('; a comment', {'; a comment': 'comment.line.semicolon.pto'})):
        got = scopes(line)
        for word, scope in want.items():
            if scope is not None and got.get(word) != scope:
                raise ValueError('%r: %r is %r, expected %r' % (line, word, got.get(word), scope))
    if scopes('  %x = pto.no_such %a').get('pto.no_such'):
        raise ValueError('an instruction that does not exist')


@tap.test
def samples():
    """every instruction of the samples is recognised"""
    seen = 0
    for path in glob.glob(SOURCE + '/samples/*/*.pto'):
        for line in read(path).split('\n'):
            found = re.match(r'\s*(?:%\S+ = )?((?:pto|arith|scf|func)\.[a-z_0-9.]+)', line)
            if found and scopes(line).get(found.group(1)) != 'keyword.operator.instruction.pto':
                raise ValueError('%s: %s' % (path, line))
            seen += found is not None
    if seen < 300:
        raise ValueError(seen)


@tap.test
def extension():
    """the extension for Visual Studio Code names files that exist"""
    folder = os.path.join(SOURCE, 'editors', 'vscode')
    package = json.loads(read(folder + '/package.json'))
    language, = package['contributes']['languages']
    grammar, = package['contributes']['grammars']
    for name in (package['main'], language['configuration'], grammar['path']):
        if not os.path.isfile(os.path.join(folder, name)):
            raise ValueError(name)
    if (grammar['scopeName'], grammar['language']) != (GRAMMAR['scopeName'], language['id']):
        raise ValueError('names differ')
    if shutil.which('node'):
        subprocess.run(['node', '--check', os.path.join(folder, package['main'])], check=True)
    configuration = json.loads(read(os.path.join(folder, language['configuration'])))
    if re.fullmatch(configuration['wordPattern'], '%a.b-1') is None:
        raise ValueError(configuration['wordPattern'])


@tap.test
def settings():
    """the settings of the extension are options of the server; versions and needed packages agree"""
    folder = os.path.join(SOURCE, 'editors', 'vscode')
    package = json.loads(read(folder + '/package.json'))
    version = re.search(r"version: '(.*)'", read(SOURCE + '/meson.build')).group(1)
    docs = read(SOURCE + '/docs/editors.md')
    if package['version'] != version or 'extensions/ptoasm-' + version not in docs:
        raise ValueError('the extension or its documentation is of another version than ' + version)
    text = subprocess.run([PTOASM, 'lsp', '--help'], capture_output=True, text=True, check=True).stdout
    options = {'ptoasm.' + name for name in re.findall(r' --([a-z-]+)', text)}
    known = package['contributes']['configuration']['properties']
    if not set(known) <= options:
        raise ValueError('a setting is no option of the server: %s' % sorted(set(known) - options))
    for profile in known['ptoasm.profile']['items']['enum']:
        subprocess.run([PTOASM, 'lsp', '--profile=' + profile, '--help'], capture_output=True, check=True)
    needed = re.findall(r"require\('([^'/]+)", read(os.path.join(folder, package['main'])))
    if set(needed) != set(package['dependencies']):
        raise ValueError('the extension needs %s' % sorted(needed))


tap.end()
