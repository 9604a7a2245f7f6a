#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`ptoasm check --format=json|sarif|github` and `--portability=json|markdown` against the text format, the sources and
the schemas.

usage: reports.py PTOASM SOURCE-FOLDER

Each format is parsed back by the rules of its consumers and must say the same as the text format. JSON is also
validated by docs/diagnostic.schema.json and docs/portability.schema.json, SARIF by the object model of a Debian package (sarif_model.py) and by the
schema that the variable PTOASM_SARIF_SCHEMA names, all with python3-jsonschema; a check whose means are missing is
skipped, the others never are. Prints TAP.
"""
import glob
import json
import os
import re
import subprocess
import sys
import tempfile
import urllib.parse

import sarif_model

try:
    import jsonschema
except ImportError:
    jsonschema = None

PTOASM = os.path.realpath(sys.argv[1])
SOURCE = os.path.realpath(sys.argv[2])
PROFILES = ['cpu', 'a2a3', 'a5']
ENV = {**os.environ, 'LC_ALL': 'C', 'NO_COLOR': '1'}
ENV.pop('GITHUB_WORKSPACE', None)
for variable, values in (('ASAN_OPTIONS', 'exitcode=99'), ('UBSAN_OPTIONS', 'halt_on_error=1:exitcode=99')):
    ENV[variable] = ':'.join(filter(None, [ENV.get(variable), values]))

# ---- TAP ----

count = failures = 0


def test(name, function):
    global count, failures
    count += 1
    try:
        result = function()
    except Exception as e:  # a wrong shape shows as KeyError, ValueError ...
        result = f'{type(e).__name__}: {e}'
    if result is None or result is True:
        print(f'ok {count} - {name}')
    elif isinstance(result, str) and result.startswith('SKIP'):
        print(f'ok {count} - {name} # {result}')
    else:
        failures += 1
        print(f'not ok {count} - {name}')
        for line in str(result).splitlines():
            print('#', line)


def need(condition, what):
    if not condition:
        raise ValueError(what)


def same(a, b, what):
    need(a == b, f'{what}:\n  {a!r}\n  {b!r}')


# ---- inputs ----

BAD = b'''func.func @k(%a: f32) {
  %x = arith.constant {note = "gr\xc3\xb6\xc3\x9fer \xff"} 1 : i32 @ behind
  pto.unheard_of %a
  pto.tadds ins(%missing, %a : !f32, f32) outs(%a : !f32)
  return
}
func.func @k() {
  return
}
func.func @l() {
'''
A5 = b'''module attributes {pto.target_arch = "a5"} {
  func.func @k(%s: f32) {
    %a = pto.alloc_tile : !pto.tile_buf<vec, 16x16xf32>
    pto.tadds ins(%a, %s : !pto.tile_buf<vec, 16x16xf32>, f32) outs(%a : !pto.tile_buf<vec, 16x16xf32>)
    return
  }
  func.func @w(%s: i8) {
    %a = pto.alloc_tile : !pto.tile_buf<vec, 32x32xi8>
    pto.tadds ins(%a, %s : !pto.tile_buf<vec, 32x32xi8>, i8) outs(%a : !pto.tile_buf<vec, 32x32xi8>)
    return
  }
}
'''
WARN = b'''!a = !pto.tile_buf<left, 16x64xf16, blayout=col_major, slayout=row_major>
!b = !pto.tile_buf<right, 64x32xf16, slayout=col_major>
!c = !pto.tile_buf<acc, 16x32xf32, blayout=col_major, slayout=row_major, fractal=1024>
func.func @products(%a: !a, %b: !b) {
  %c = pto.alloc_tile : !c
  pto.tmatmul_acc ins(%c, %a, %b : !c, !a, !b) outs(%c : !c)
  return
}
'''
BRACES = b'''func.func @k() {
  %a = arith.constant {x = } 1 : i32
  {0} ] }} [a](1)
func.func @"z\xff\xed\xa0\x80\xc3\xa4"() { return }
func.func @"z\xff\xed\xa0\x80\xc3\xa4"() { return }
'''
LOC = b'''func.func @k(%s: f16) {
  %t = pto.alloc_tile : !pto.tile_buf<vec, 32x32xf32> loc("silu.py":1:1)
  pto.tadds ins(%t, %s : !pto.tile_buf<vec, 32x32xf32>, f16) outs(%t : !pto.tile_buf<vec, 32x32xf32>) loc(#b)
  %u = pto.alloc_tile : !u loc(fused[#a, callsite("50%, a: b\\C3\\A4.py":3 at #a)])
  return
} loc("silu.py":4:1)
func.func @k() {
  return
} loc("silu.py":9:1)
#a = loc("silu.py":129:5)
#b = loc("x"(#a))
'''
AUTHORS = (b'silu.py', b'50%, a: b\xc3\xa4.py')  # named by `loc`
FILES = {
    b'bad.pto': BAD,
    b'sub/50%, a: b#\xc3\xa4?.pto': BAD,
    b'sub/\xff\xed\xa0\x80.pto': BAD.replace(b'\n', b'\r\n'),
    b'sub/a5.pto': A5,
    b'sub/warn.pto': WARN,
    b'braces.pto': BRACES,
    b'loc.pto': LOC,
    b'empty.pto': b'',
    b'bytes.pto': b'\xef\xbb\xbf%%%\x00\xff\xc3\n\x01\xf0\x80\x80\x80 \xf4\x90\x80\x80 \xe0\x80\x80 @@\n"\n',
    b'long.pto': b'func.func @k() {\n  %a = "' + b'x' * 9000 + b'"() @ : () -> ()\n  return\n}\n',
    b'line1\nline2.pto': b'func.func @k() {\n',
    b'../outside.pto': BAD,
}


def make_inputs(folder):
    os.makedirs(os.path.join(folder, b'in/sub'))
    os.chdir(os.path.join(folder, b'in'))
    for name, text in FILES.items():
        with open(name, 'wb') as f:
            f.write(text)
    with open(os.path.join(SOURCE, 'tests/cli/good.pto'), 'rb') as f, open('good.pto', 'wb') as g:
        g.write(f.read())


NAMES = [b'good.pto'] + list(FILES)
ODD = [b'./good.pto', b'sub/../bad.pto', b'sub//a5.pto', b'missing.pto', b'no/\xfe{0}: %.pto',
       b'../none.pto', b'no/\xc3\xa4,1']


def run(fmt, arguments, stdin=b''):
    return subprocess.run([PTOASM, 'check', f'--format={fmt}'] + arguments, input=stdin, capture_output=True, env=ENV,
                          check=False)


# ---- parsing each format back: (file, line, column, severity, id, message, [(line, column, message[, author's file])])

def utf8(b):
    """As columns count: one U+FFFD for each code point that cannot be."""
    out, i = '', 0
    while i < len(b):
        n = 1 if b[i] < 0xC2 or b[i] > 0xF4 else 2 if b[i] < 0xE0 else 3 if b[i] < 0xF0 else 4
        if i + n > len(b) or any(c & 0xC0 != 0x80 for c in b[i + 1:i + n]):
            n = 1
        try:
            out += b[i:i + n].decode()
        except UnicodeDecodeError:
            out += '\ufffd'
        i += n
    return out


def read_text(stderr, names):
    """Of the text format, by the names of the files: a line that begins with none of them is a snippet, or names a line
    that the author wrote."""
    found = []
    prefix = b'|'.join(re.escape(n) for n in sorted(names, key=len, reverse=True))
    author = rb'|'.join(re.escape(n) for n in AUTHORS)
    head = re.compile(rb'^(%s|%s):(\d+)(?::(\d+))?: (error|warning|note): (.*)$' % (prefix, author), re.M)
    for name, line, column, severity, message in head.findall(stderr):
        if severity == b'note':
            of = (utf8(name),) if name in AUTHORS else ()
            found[-1][6].append((int(line), int(column or 0), utf8(message)) + of)
            continue
        message, ident = re.match(rb'(.*) \[([a-z0-9-]+)\]$', message).groups()
        found.append((utf8(name), int(line), int(column), severity.decode(), ident.decode(), utf8(message), []))
    return found


def authors(d):
    return [(s['line'], s['column'] or 0, s['message'], s['file']) for s in d['sources']]


def read_json(stdout):
    found = []
    for line in stdout.decode('utf-8').splitlines():
        d = json.loads(line)
        if d['id'] is None:
            continue
        notes = authors(d)
        for n in d['notes']:
            notes.append((n['line'] or d['line'], n['column'] or d['column'], n['message']))
            notes += authors(n)
        found.append((d['file'], d['line'], d['column'], d['severity'], d['id'], d['message'], notes))
    return found


def json_lines(stdout):
    return [json.loads(line) for line in stdout.decode('utf-8').split('\n')[:-1]]


COMMAND = re.compile(r'^::(error|warning|notice) ([^\r\n]*?)::([^\r\n]*)$')


def unescape(s, codes):
    """What the runner does: only the codes of the place, %25 last."""
    for code in codes + ['25']:
        s = s.replace('%' + code, chr(int(code, 16)))
    return s


def github_commands(stdout):
    """(severity, properties, message)"""
    out = []
    for line in stdout.decode('utf-8').split('\n')[:-1]:
        kind, properties, message = COMMAND.match(line).groups()
        values = dict(p.split('=', 1) for p in properties.split(','))
        need(not set(values) - {'file', 'line', 'endLine', 'col', 'endColumn', 'title'}, f'unknown property: {line}')
        values = {k: unescape(v, ['0D', '0A', '3A', '2C']) for k, v in values.items()}
        out.append((kind, values, unescape(message, ['0D', '0A'])))
    return out


def plain(s):
    """The messages of a SARIF document have doubled braces."""
    need(re.fullmatch(r'([^{}]|\{\{|\}\})*', s, re.S) is not None, f'single brace: {s!r}')
    return s.replace('{{', '{').replace('}}', '}')


def by_path(names):
    """One name for each file, however often it is given."""
    out = {}
    for n in names:
        out.setdefault(os.path.abspath(n), utf8(n))
    return out


def read_sarif_run(run_object, names):
    known = by_path(names)
    found = []
    for r in run_object['results']:
        place = r['locations'][0]['physicalLocation']
        name = known.get(sarif_path(place['artifactLocation']), '<stdin>')
        notes = []
        for n in r.get('relatedLocations', []):
            region = n['physicalLocation']['region']
            path = sarif_path(n['physicalLocation']['artifactLocation'])
            of = (utf8(os.path.relpath(path)),) if os.path.basename(path) in AUTHORS else ()
            notes.append((region['startLine'], region.get('startColumn', 0), plain(n['message']['text'])) + of)
        found.append((name, place['region']['startLine'], place['region']['startColumn'], r['level'], r['ruleId'],
                      plain(r['message']['text']), notes))
    return found


def sarif_path(location):
    uri = location['uri']
    need(re.fullmatch(r"(file:///)?([A-Za-z0-9._~-]|%[0-9A-F]{2}|/)*", uri) is not None, f'no URI: {uri}')
    if uri.startswith('file://'):
        need('uriBaseId' not in location, 'an absolute URI has a base')
        return urllib.parse.unquote_to_bytes(uri[len('file://'):])
    if 'uriBaseId' not in location:
        return urllib.parse.unquote_to_bytes(uri)
    same(location['uriBaseId'], '%SRCROOT%', 'base')
    need('..' not in uri.split('/') and not uri.startswith('/'), f'not below the base: {uri}')
    return os.path.join(os.getcwdb(), urllib.parse.unquote_to_bytes(uri))


# ---- places against the sources ----

def columns_before(text, offset):
    start = text.rfind(b'\n', 0, offset) + 1
    return text.count(b'\n', 0, offset) + 1, len(utf8(text[start:offset])) + 1


def check_place(text, line, column, end_line, end_column, offset, length):
    need(offset + length <= len(text), 'past the end of the file')
    same(columns_before(text, offset), (line, column), f'place of byte {offset}')
    same(columns_before(text, offset + length), (end_line, end_column), f'end of byte {offset + length}')


JSON_KEYS = ['file', 'line', 'column', 'end_line', 'end_column', 'offset', 'length', 'severity', 'id', 'message',
             'profiles', 'operand', 'expected', 'found', 'syntax', 'notes', 'fix', 'guess', 'sources']


def check_json(stdout, names):
    by_name = {utf8(n): n for n in names}
    for d in json_lines(stdout):
        same(list(d), JSON_KEYS, 'keys')
        if d['id'] is None:
            same([d[k] for k in JSON_KEYS[1:7]] + [d['profiles'], d['notes'], d['fix'], d['guess'], d['sources']],
                 [None] * 6 + [[], [], None, None, []],
                 'unread file')
            continue
        with open(by_name[d['file']], 'rb') as f:
            text = f.read()
        check_place(text, *(d[k] for k in JSON_KEYS[1:7]))
        need(d['profiles'] == [p for p in PROFILES if p in d['profiles']] != [], 'profiles')
        need(d['fix'] is None or d['guess'] is None, 'a fix and a guess')
        for e in (d['fix'] or d['guess'] or {'edits': []})['edits']:
            same(list(e), JSON_KEYS[1:7] + ['text'], 'keys of an edit')
            check_place(text, *(e[k] for k in JSON_KEYS[1:7]))
        for n in d['notes']:
            same(list(n), JSON_KEYS[1:7] + ['message', 'sources'], 'keys of a note')
            if n['line'] is not None:
                check_place(text, *(n[k] for k in JSON_KEYS[1:7]))


def check_region(physical, text):
    r = physical['region']
    check_place(text, r['startLine'], r['startColumn'], r['endLine'], r['endColumn'], r['byteOffset'],
                r['byteLength'])
    exact = text[r['byteOffset']:r['byteOffset'] + r['byteLength']]
    need('snippet' in r or len(exact) > 4096, 'no snippet')
    if 'snippet' in r:
        same(r['snippet']['text'], utf8(exact), 'snippet')
    context = physical.get('contextRegion')
    if context is not None:
        lines = text.split(b'\n')[context['startLine'] - 1:context['endLine']]
        same((context['startLine'], context['endLine']), (r['startLine'], r['endLine']), 'context')
        need(context['snippet']['text'] in (utf8(b'\n'.join(lines)), utf8(b'\n'.join(lines)[:-1])), 'context snippet')
        need(len(context['snippet']['text']) > len(utf8(exact)), 'the context is no more than the place')


# ---- the structure of SARIF, as the standard asks for it ----

def check_run(run_object, profile, unread):
    need({'tool', 'automationDetails', 'invocations', 'originalUriBaseIds', 'artifacts', 'columnKind',
          'results'} == set(run_object), f'properties of a run: {list(run_object)}')
    same(run_object['automationDetails']['id'], f'ptoasm/{profile}/', 'id of the run')
    same(run_object['columnKind'], 'unicodeCodePoints', 'columnKind')
    need('%SRCROOT%' in run_object['originalUriBaseIds'], 'no base')
    driver = run_object['tool']['driver']
    need(driver['name'] == 'ptoasm' and re.fullmatch(r'\d+\.\d+\.\d+', driver['version']), 'driver')
    ids = [r['id'] for r in driver['rules']]
    same(len(set(ids)), len(ids), 'ids of rules')
    same(sorted(set(r['ruleId'] for r in run_object['results'])), sorted(ids), 'rules that are used')
    check_artifacts(run_object['artifacts'])
    for r in run_object['results']:
        check_result(r, ids, run_object['artifacts'])
    check_invocation(run_object, unread)


def check_artifacts(artifacts):
    uris = [a['location']['uri'] for a in artifacts]
    same(len(set(uris)), len(uris), 'artifacts are given once')
    for a in artifacts:
        path = sarif_path(a['location'])
        need(a['roles'] == ['analysisTarget'], 'roles')
        if path != b'<stdin>':
            same(a['length'], os.path.getsize(path), 'length')


def check_result(r, ids, artifacts):
    same(ids[r['ruleIndex']], r['ruleId'], 'rule')
    need(r['level'] in ('error', 'warning', 'note') and r['message']['text'], 'level and message')
    same(len(r['locations']), 1, 'locations')
    related = r.get('relatedLocations', [])
    same([n['id'] for n in related], list(range(1, len(related) + 1)), 'ids of related locations')
    for place in r['locations'] + related:
        physical = place['physicalLocation']
        location = physical['artifactLocation']
        if os.path.basename(sarif_path(location)) in AUTHORS:
            need('index' not in location and physical['region']['startLine'] > 0, 'the author\'s file')
            continue
        same(artifacts[location['index']]['location']['uri'], location['uri'], 'artifact')
        path = sarif_path(location)
        if path != b'<stdin>':
            with open(path, 'rb') as f:
                check_region(physical, f.read())


def check_invocation(run_object, unread):
    same(len(run_object['invocations']), 1, 'invocations')
    invocation = run_object['invocations'][0]
    notes = invocation['toolExecutionNotifications']
    same(invocation['executionSuccessful'], not unread, 'executionSuccessful')
    same([sarif_path(n['locations'][0]['physicalLocation']['artifactLocation']) for n in notes],
         [os.path.abspath(n) for n in unread], 'notifications')
    for n in notes:
        need(n['level'] == 'error' and plain(n['message']['text']), 'notification')
        same(run_object['tool']['driver']['notifications'][n['descriptor']['index']]['id'], n['descriptor']['id'],
             'descriptor')


def check_rules(document):
    """Rules say what `explain` says."""
    rules = {r['id']: r for r_ in document['runs'] for r in r_['tool']['driver']['rules']}
    for ident, rule in rules.items():
        said = json.loads(subprocess.run([PTOASM, 'explain', '--format=json', ident], capture_output=True, env=ENV,
                                         check=True).stdout)
        same(rule['shortDescription']['text'], said['summary'], ident)
        same(rule['defaultConfiguration']['level'], said['severity'], ident)
        need(said['meaning'] in rule['fullDescription']['text'], f'{ident}: description')
        for key in ('meaning', 'why', 'fix', 'page'):
            need(said[key] in rule['help']['text'], f'{ident}: help has no {key}')
        need('**How to fix it**' in rule['help']['markdown'], f'{ident}: Markdown')


# ---- schemas ----

def validate(schema, values):
    cls = jsonschema.validators.validator_for(schema)
    cls.check_schema(schema)
    validator = cls(schema)
    errors = [f'{list(e.absolute_path)}: {e.message[:200]}' for v in values for e in validator.iter_errors(v)]
    return '\n'.join(errors[:10]) or None


def refuses(schema, value, change):
    """A schema that accepts everything would be no test."""
    value = json.loads(json.dumps(value))
    change(value)
    return None if validate(schema, [value]) else 'a wrong value is accepted'


# ---- the tests ----

def all_say_the_same(arguments, names):
    text = run('text', arguments + names)
    js = run('json', arguments + names)
    expected = read_text(text.stderr, names)
    test('text finds errors and warnings',
         lambda: len(expected) > 5 and any(e[4] == 'deprecated-spelling' for e in expected) or f'{len(expected)} found')
    test('a name in a message that is no UTF-8', lambda: any('\ufffd' in e[5] for e in expected) or 'none')
    test('json says what the text says', lambda: same(read_json(js.stdout), expected, 'diagnostics'))
    test('json: keys and places', lambda: check_json(js.stdout, names))
    test('nothing on standard error', lambda: same(js.stderr, b'', 'stderr'))
    gh = run('github', arguments + names)
    test('github says what the text says', lambda: github_agrees(gh.stdout, expected, names))
    sarif = run('sarif', arguments + names)
    test('sarif says what json says', lambda: sarif_agrees(sarif.stdout, js.stdout, names))
    for fmt, r in (('json', js), ('github', gh), ('sarif', sarif)):
        test(f'{fmt}: the exit code of the text format',
             lambda fmt=fmt, r=r: same(r.returncode, text.returncode, 'exit code'))


def note_text(own, line, column, message, file=None):
    return f'{file or own}:{line}:' + (f'{column}:' if column else '') + f' note: {message}'


def github_agrees(stdout, expected, names):
    known = {utf8(p): n for p, n in by_path(names).items()}
    commands = github_commands(stdout)
    same(len(commands), len(expected), 'annotations')
    for (kind, values, message), e in zip(commands, expected):
        same(known[os.path.abspath(values['file'])], e[0], 'file')
        same((int(values['line']), kind, values['title']), (e[1], e[3], f'ptoasm [{e[4]}]'), 'annotation')
        need(('col' in values) == ('endColumn' in values) == ('endLine' not in values), f'columns: {values}')
        if 'col' in values:
            same(int(values['col']), e[2], 'column')
        lines = [e[5]] + [note_text(e[0], *note) for note in e[6]]
        same(message, '\n'.join(lines), 'message')


def sarif_agrees(stdout, json_out, names):
    document = json.loads(stdout.decode('utf-8'))
    same(list(document), ['$schema', 'version', 'runs'], 'document')
    same(document['version'], '2.1.0', 'version')
    lines = json_lines(json_out)
    unread = [n for n in names if not os.path.exists(n)]
    plain_name = {utf8(n): by_path(names)[os.path.abspath(n)] for n in names}
    for r in document['runs']:
        profile = r['automationDetails']['id'].split('/')[1]
        check_run(r, profile, unread)
        mine = [json.dumps({**d, 'file': plain_name[d['file']]}) for d in lines if profile in d['profiles']]
        same(read_sarif_run(r, names), read_json('\n'.join(mine).encode()), f'run of {profile}')
    check_rules(document)


def runs_of(arguments):
    r = run('sarif', arguments)
    return [x['automationDetails']['id'].split('/')[1] for x in json.loads(r.stdout)['runs']]


def test_runs():
    test('a run for each profile asked for',
         lambda: same(runs_of(['--profile=a5,cpu', b'good.pto']), ['cpu', 'a5'], 'runs'))
    test('without --profile, those of the modules',
         lambda: same(runs_of([b'sub/a5.pto', b'good.pto']), ['a2a3', 'a5'], 'runs'))
    test('a run without files', lambda: same(runs_of([b'missing.pto']), ['a2a3'], 'runs'))
    test('standard input', lambda: stdin_in_all_formats())
    test('--locations=source', author_first)


def author_first():
    """--locations=source: the author's line is the place, that of the program a note."""
    js = json_lines(run('json', ['--locations=source', 'loc.pto']).stdout)
    same(js, json_lines(run('json', ['loc.pto']).stdout), 'json is the same')
    gh = github_commands(run('github', ['--locations=source', 'loc.pto']).stdout)
    results = json.loads(run('sarif', ['--locations=source', 'loc.pto']).stdout)['runs'][0]['results']
    same((len(gh), len(results)), (len(js), len(js)), 'number')
    need(len(js) > 2 and all(d['sources'] for d in js), 'locations')
    for d, (_, values, message), r in zip(js, gh, results):
        first = d['sources'][0]
        same((values['file'], int(values['line']), int(values['col'])), (first['file'], first['line'], first['column']),
             'annotation')
        at = f"loc.pto:{d['line']}:{d['column']}: note: in this statement"
        same(message.split('\n')[:2], [d['message'], at], 'message')
        place = r['locations'][0]['physicalLocation']
        same((utf8(os.path.basename(sarif_path(place['artifactLocation']))), place['region']),
             (first['file'], {'startLine': first['line'], 'startColumn': first['column']}), 'result')
        program = r['relatedLocations'][0]
        same((program['message']['text'], program['physicalLocation']['region']['startLine']),
             ('in this statement', d['line']), 'related location')


def stdin_in_all_formats():
    js = json_lines(run('json', ['-'], BAD).stdout)
    need(js and all(d['file'] == '<stdin>' for d in js), 'json')
    for kind, values, message in github_commands(run('github', ['-'], BAD).stdout):
        need(list(values) == ['title'] and message.startswith('<stdin>:'), f'github: {kind} {values} {message}')
    document = json.loads(run('sarif', ['-'], BAD).stdout)
    check_run(document['runs'][0], 'a2a3', [])


def test_unread():
    unread = [n for n in ODD if not os.path.exists(n)]
    js = json_lines(run('json', unread).stdout)
    test('json: unread files', lambda: same([d['file'] for d in js], [utf8(n) for n in unread], 'files'))
    gh = github_commands(run('github', unread).stdout)
    test('github: unread files', lambda: same([(os.path.abspath(v['file']), 'line' in v) for _, v, _ in gh],
                                              [(os.path.abspath(utf8(n)), False) for n in unread], 'files'))
    for fmt in ('json', 'github', 'sarif'):
        test(f'{fmt}: exit code 2', lambda fmt=fmt: same(run(fmt, unread).returncode, 2, 'exit code'))
        full = subprocess.run(['sh', '-c', '"$0" check --format="$1" bad.pto >/dev/full', PTOASM, fmt],
                              capture_output=True, env=ENV, check=False)
        test(f'{fmt}: a report that cannot be written', lambda full=full: same(full.returncode, 2, 'exit code'))


def checkout_paths(checkout):
    """The files of annotations for a step that runs in the folder sub."""
    out = subprocess.run([PTOASM, 'check', '--format=github', '../bad.pto', os.path.abspath('bad.pto'), 'warn.pto'],
                         cwd='sub', capture_output=True, check=False, env={**ENV, 'GITHUB_WORKSPACE': checkout})
    files = [values['file'] for _, values, _ in github_commands(out.stdout)]
    return sorted(set(files), key=files.index)


def test_checkout():
    here = os.getcwd()
    test('github: names from the checkout',
         lambda: same(checkout_paths(os.path.dirname(here)), ['in/bad.pto', 'in/sub/warn.pto'], 'files'))
    test('github: a file outside of both',
         lambda: same(checkout_paths(here + '/none'), [here + '/bad.pto', 'warn.pto'], 'files'))


def test_determinism():
    many = sorted(glob.glob(os.path.join(SOURCE, 'tests/golden/*/*.pto')))[::4] * 2 + NAMES + ODD
    for fmt in ('json', 'sarif', 'github'):
        first = run(fmt, ['--profile=all'] + many)
        test(f'{fmt}: the same each time', lambda: first.stdout == run(fmt, ['--profile=all'] + many).stdout)
        for j in ('-j1', '-j8'):
            test(f'{fmt}: the same with {j}', lambda: first.stdout == run(fmt, [j, '--profile=all'] + many).stdout)


def test_schemas():
    names = NAMES + ODD
    lines = json_lines(run('json', ['--profile=all'] + names).stdout)
    documents = [json.loads(run('sarif', a + names).stdout) for a in ([], ['--profile=all'])]
    documents.append(json.loads(run('sarif', [b'good.pto']).stdout))
    no_validator = None if jsonschema else 'SKIP python3-jsonschema is not installed'
    with open(os.path.join(SOURCE, 'docs/diagnostic.schema.json'), encoding='utf-8') as f:
        ours = json.load(f)
    test('json by our schema', lambda: no_validator or validate(ours, lines))
    for name, change in (('a missing key', lambda d: d.pop('offset')),
                         ('a wrong severity', lambda d: d.update(severity='fatal')),
                         ('half a place', lambda d: d.update(end_line=None))):
        test(f'our schema refuses {name}', lambda change=change: no_validator or refuses(ours, lines[0], change))
    model = sarif_model.schema()
    no_model = no_validator or (None if model else 'SKIP golang-github-haya14busa-go-sarif-dev is not installed')
    test('sarif by the packaged object model', lambda: no_model or validate(model, documents))
    for name, change in (('a missing message', lambda d: d['runs'][0]['results'][0].pop('message')),
                         ('an unknown property', lambda d: d['runs'][0].update(colour='red'))):
        test(f'the model refuses {name}', lambda change=change: no_model or refuses(model, documents[0], change))
    path = os.environ.get('PTOASM_SARIF_SCHEMA')
    test('sarif by the schema of PTOASM_SARIF_SCHEMA', lambda: no_validator or (
        validate(json.load(open(path, encoding='utf-8')), documents) if path else 'SKIP the variable is not set'))


# ---- the portability table ----

def table(fmt, arguments, stdin=b''):
    return subprocess.run([PTOASM, 'check', f'--portability={fmt}'] + arguments, input=stdin, capture_output=True,
                          env=ENV, check=False)


def text_table(stdout):
    """The functions of the table as text: [file, line, name, accepted, {line of an instruction: {profile: cell}}]."""
    functions, columns = [], []
    for line in utf8(stdout).split('\n'):
        head = re.match(r'(.*?):(\d+): (@(?P<name>.*?)|outside of functions): (?:accepted by (?P<yes>[a-z0-9, ]*?))?'
                        r'(?:, )?(?:rejected by [a-z0-9, ]*)?(?: \(.*\))?$', line)
        cells = re.split(r'  +', line.strip())
        if head:
            yes = re.split(', | and ', head['yes']) if head['yes'] else []
            functions.append([head[1], int(head[2]), head['name'], yes, {}])
        elif cells[:2] == ['line', 'instruction']:
            columns = cells[2:]
        elif functions and line.startswith('  ') and re.match(r'\d+$', cells[0]):
            functions[-1][4].setdefault(int(cells[0]), dict(zip(columns, cells[2:])))
    return functions


def json_refusals(function):
    return {(i['line'], p, ident) for i in function['instructions'] for p, ident in i['rejected'].items()}


def tables_agree(arguments):
    text = text_table(table('text', arguments).stdout)
    lines = json_lines(table('json', arguments).stdout)
    need(len(text) > 3, 'a table with functions')
    same([(f['line'], f['function'], f['accepted']) for f in lines], [tuple(f[1:4]) for f in text], 'functions')
    for f, (_, _, name, _, rows) in zip(lines, text):
        want = {(n, p, c[4:-1]) for n, row in rows.items() for p, c in row.items() if c.startswith('no ')}
        need(want <= json_refusals(f), f'{name}: {want - json_refusals(f)}')
        need(bool(want) == bool(json_refusals(f)), f'{name}: refusals of json alone')
        same(sorted(f['accepted'] + f['rejected']), sorted(f['profiles']), 'all profiles')


def markdown_rows(stdout):
    lines = stdout.decode('utf-8').rstrip('\n').split('\n')
    rows = [re.split(r'(?<!\\)\|', line) for line in lines]
    need(all(r[0] == r[-1] == '' and len(r) == len(rows[0]) for r in rows), 'rows of equal length')
    return [[c.strip() for c in r[1:-1]] for r in rows]


def markdown_agrees(arguments):
    rows = markdown_rows(table('markdown', arguments).stdout)
    lines = json_lines(table('json', arguments).stdout)
    same(rows[0][:2], ['place', 'function or instruction'], 'head')
    same(set(''.join(rows[1])), {'-'}, 'rule')
    profiles = rows[0][2:]
    heads = [r for r in rows[2:] if r[1].startswith(('**function**', 'outside'))]
    same([[p for p, c in zip(profiles, r[2:]) if c == 'yes'] for r in heads], [f['accepted'] for f in lines], 'heads')
    refused = sum(1 for f in lines for i in f['instructions'] + [f['memory'] or {'rejected': {}}] if i['rejected'])
    same(len(rows) - 2 - len(heads), refused, 'rows of instructions')


def table_file(options, names):
    done = run('json', options + ['--portability-file=t'] + names)
    with open('t', 'rb') as f:
        return done, f.read()


def test_table_file():
    names = NAMES[:5]
    plain = run('json', ['--profile=all'] + names).stdout
    for fmt in ('text', 'markdown', 'json'):
        done, written = table_file([f'--portability={fmt}'], names)
        test(f'{fmt}: the file holds the table', lambda fmt=fmt, w=written: same(
            w, table(fmt, names).stdout, 'file'))
        test(f'{fmt}: and standard output the diagnostics', lambda d=done: same(d.stdout, plain, 'stdout'))
    test('a profile alone is a column', lambda: same(
        markdown_rows(table('markdown', ['--profile=a5', b'good.pto']).stdout)[0][2:], ['a5'], 'columns'))
    for options, said in ((['--portability=json', '--format=json'], b'--portability and --format'),
                          (['--portability=json', '--sync=report'], b'--portability and --sync=report'),
                          (['--portability=csv'], b"'csv' is not text, markdown or json"),
                          (['--portability-file=-'], b"'-' is not a file name"),
                          (['--portability-file=none/t'], b"none/t")):
        done = subprocess.run([PTOASM, 'check'] + options + ['good.pto'], capture_output=True, env=ENV, check=False)
        test(f'{options}: wrong usage', lambda d=done, s=said: same((d.returncode, s in d.stderr), (2, True), d.stderr))
    for fmt in ('markdown', 'json'):
        done = subprocess.run(['sh', '-c', '"$0" check --portability=$1 good.pto >/dev/full', PTOASM, fmt],
                              capture_output=True, env=ENV, check=False)
        test(f'{fmt}: a full disk', lambda d=done: same(d.returncode, 2, 'exit code'))


def test_tables():
    many = [n for n in sorted(glob.glob(os.path.join(SOURCE, 'tests/golden/*/*.pto')))]
    test('portability: json says what the text says', lambda: tables_agree(NAMES + many[::7]))
    test('portability: with an error limit', lambda: tables_agree(['--max-errors=1', b'bad.pto', b'sub/a5.pto']) if
         not all(f['complete'] for f in json_lines(table('json', ['--max-errors=1', b'bad.pto']).stdout)) else 'complete')
    test('portability: markdown says what json says', lambda: markdown_agrees(NAMES + many[::7]))
    odd = FILES[b'sub/a5.pto'].replace(b'@k', b'@"`a|b``"')
    with open('odd|`.pto', 'wb') as f:
        f.write(odd)
    test('portability: names with bars and backticks', lambda: same(
        [r[0] for r in markdown_rows(table('markdown', ['odd|`.pto']).stdout)[2:]],
        [f'`` odd\\|`.pto:{n} ``' for n in (2, 7, 9)], 'places'))
    lines = json_lines(table('json', NAMES + many).stdout)
    with open(os.path.join(SOURCE, 'docs/portability.schema.json'), encoding='utf-8') as f:
        schema = json.load(f)
    no_validator = None if jsonschema else 'SKIP python3-jsonschema is not installed'
    test('portability: json by our schema', lambda: no_validator or validate(schema, lines))
    for name, change in (('a missing key', lambda d: d.pop('complete')),
                         ('an unknown profile', lambda d: d.update(accepted=['a9'])),
                         ('a wrong row', lambda d: d['instructions'][0].update(rejected=['a5']))):
        test(f'portability: our schema refuses {name}',
             lambda change=change: no_validator or refuses(schema, lines[0], change))
    test('portability: statements outside of functions', lambda: same(
        json_lines(table('json', ['-'], b'pto.nothing\n').stdout)[0]['function'], None, 'function'))
    test_table_file()


def main():
    with tempfile.TemporaryDirectory() as work:
        make_inputs(os.fsencode(os.path.realpath(work)))
        for arguments in ([], ['--profile=all'], ['--profile=a5', '--max-errors=3'], ['-Werror', '-Wno-acc-storage']):
            print('# check', *arguments)
            all_say_the_same(arguments, NAMES)
        test('sarif: other spellings of names, and unread files', lambda: sarif_agrees(
            run('sarif', NAMES + ODD).stdout, run('json', NAMES + ODD).stdout, NAMES + ODD))
        test_runs()
        test_unread()
        test_checkout()
        test_determinism()
        test_schemas()
        test_tables()
        os.chdir('/')
    print(f'1..{count}')
    return failures > 0


sys.exit(main())
