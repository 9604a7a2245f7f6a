#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`ptoasm lsp` over a pipe: the life of a session, broken messages, changes of the text, diagnostics, hovers, uses.

usage: protocol.py PTOASM SOURCE-FOLDER

Prints TAP.
"""
import glob
import json
import os
import random
import subprocess
import sys
import tempfile

from client import URI, Client, Tap, frame, need, offset_of, position, range_of, same

PTOASM = os.path.realpath(sys.argv[1])
SOURCE = os.path.realpath(sys.argv[2])
SAMPLE = '''// größer 😀
func.func @helper(%t: !pto.tile_buf<vec, 32x32xf32>) {
  return
}
func.func @k(%s: f32) {
  %a = pto.alloc_tile : !pto.tile_buf<vec, 32x32xf32>
  %b = pto.tadds %a, %s : (!pto.tile_buf<vec, 32x32xf32>, f32) -> !pto.tile_buf<vec, 32x32xf32> // 😀
  func.call @helper(%b) : (!pto.tile_buf<vec, 32x32xf32>) -> ()
  return
}
'''
I8 = '''func.func @w(%s: i8) {
  %a = pto.alloc_tile : !pto.tile_buf<vec, 32x32xi8>
  pto.tadds ins(%a, %s : !pto.tile_buf<vec, 32x32xi8>, i8) outs(%a : !pto.tile_buf<vec, 32x32xi8>)
  return
}
'''
UTF8 = {'general': {'positionEncodings': ['utf-16', 'utf-8']}}
tap = Tap()


def started(*words, **params):
    client = Client(PTOASM, *words)
    client.start(**params)
    return client


# ---- the life of a session ----

@tap.test
def life():
    """initialize, shutdown, exit"""
    c = Client(PTOASM)
    result = c.start()
    same(result['serverInfo']['name'], 'ptoasm')
    version = subprocess.run([PTOASM, '--version'], capture_output=True, text=True, check=True).stdout.split()[1]
    same(result['serverInfo']['version'], version)
    same(result['capabilities']['positionEncoding'], 'utf-16')
    same(result['capabilities']['textDocumentSync']['change'], 2)
    need('offsetEncoding' not in result, 'it was not asked for')
    c.end()


@tap.test
def encodings():
    """the encoding of positions is negotiated"""
    for capabilities, want in ((UTF8, 'utf-8'), ({'general': {'positionEncodings': ['utf-32']}}, 'utf-16'),
                               ({'offsetEncoding': ['utf-8', 'utf-16']}, 'utf-8')):
        c = Client(PTOASM)
        result = c.start(capabilities)
        same(result['capabilities']['positionEncoding'], want)
        same(result.get('offsetEncoding'), want if 'offsetEncoding' in capabilities else None)
        c.end()


@tap.test
def order():
    """requests before initialize, a second one, and requests after shutdown are refused"""
    c = Client(PTOASM, '--stdio')
    same(c.error('textDocument/hover', {}), -32002)
    c.open(URI, 'nonsense')  # dropped
    c.start()
    same(c.error('initialize', {'capabilities': {}}), -32600)
    same(c.error('no/such', {}), -32601)
    c.notify('no/such', {})
    c.notify('$/setTrace', {'value': 'off'})
    same(c.error('textDocument/hover', {'textDocument': {'uri': URI}, 'position': {'line': 0, 'character': 0}}), -32602)
    same(c.request('shutdown'), None)
    same(c.error('textDocument/hover', {}), -32600)
    same(c.notes, [])
    c.notify('exit', None)
    c.wait(0)


@tap.test
def exit_codes():
    """exit without shutdown is 1; so is the end of the input, after shutdown it is 0"""
    c = started()
    c.notify('exit', None)
    c.wait(1)
    c = Client(PTOASM)
    c.notify('exit', None)
    c.wait(1)
    c = started()
    c.wait(1)
    c = started()
    c.request('shutdown')
    c.wait(0)
    c = started()
    c.write(b'Content-Length: 10\r\n\r\n{"a"')
    c.wait(1, b'ptoasm: error: the input ends inside of a message\n')
    c = started()
    c.write(b'Content-Len')
    c.wait(1, b'ends inside')


@tap.test
def unread():
    """a client that does not read ends the server"""
    c = started()
    c.process.stdout.close()
    c.process.stdout = open(os.devnull, 'rb')  # for wait()
    try:
        for _ in range(2):
            c.ask('no/such')
    except BrokenPipeError:  # it has ended already
        pass
    c.wait(2, b'cannot write')


# ---- framing ----

@tap.test
def headers():
    """headers of other sorts, and messages in pieces"""
    c = started()
    for head in (b'content-length:%d\r\n\r\n', b'Content-Type: application/vscode-jsonrpc; charset=utf-8\r\n'
                 b'Content-Length: %d \r\n\r\n', b'Content-Length: %d\n\n'):
        body = json.dumps({'jsonrpc': '2.0', 'id': 'x', 'method': 'no/such'}).encode()
        c.write(head % len(body) + body)
        same(c.answer('x')['error']['code'], -32601)
    for byte in frame({'jsonrpc': '2.0', 'id': 7, 'method': 'no/such'}):
        c.write(bytes([byte]))
    same(c.answer(7)['error']['code'], -32601)
    c.end()


@tap.test
def no_headers():
    """bytes that are not a header are answered once and skipped up to the next header"""
    for garbage in (b'\r\n', b'hello\r\n', b'Content-Length: abc\r\n\r\n{}', b'Content-Length: -5\r\n\r\n',
                    b'Content-Type: x\r\n\r\n', b'{"jsonrpc": "2.0"}', b'\0\xff\n\n\n' * 9, b'Content-Length:\r\n\r\n',
                    b'x' * 5000):
        c = started()
        c.write(garbage + frame({'jsonrpc': '2.0', 'id': 7, 'method': 'no/such'}))
        same(c.answer(None)['error']['code'], -32700)
        same(c.answer(7)['error']['code'], -32601)
        c.end()


@tap.test
def no_json():
    """messages that are no JSON, or none of the protocol"""
    c = started()
    for body in (b'', b'{', b'{"a": 1} x', b'\xff\xfe', b'"\xed\xa0\x80"', b'[' * 3000 + b']' * 3000):
        c.write(frame(body))
        same(c.answer(None)['error']['code'], -32700)
    for body in (b'[]', b'1', b'null', b'{}', b'{"jsonrpc": "2.0"}', b'{"method": 5}',
                 b'[{"jsonrpc": "2.0", "id": 1, "method": "shutdown"}]'):
        c.write(frame(body))
        same(c.answer(None)['error']['code'], -32600)
    c.send({'jsonrpc': '2.0', 'id': 3})
    same(c.answer(3)['error']['code'], -32600)
    c.send({'jsonrpc': '2.0', 'id': 3, 'result': None})  # nobody asked: no answer
    c.send({'jsonrpc': '2.0', 'id': 3, 'error': {'code': 1, 'message': ''}})
    c.end()


@tap.test
def too_long():
    """a message that is too long is dropped, whatever number says so"""
    c = started()
    size = (64 << 20) + 1
    c.write(b'Content-Length: %d\r\n\r\n' % size)
    same(c.answer(None)['error']['code'], -32600)
    for _ in range(64):
        c.write(b' ' * (1 << 20))
    c.write(b' ' + frame({'jsonrpc': '2.0', 'id': 7, 'method': 'no/such'}))
    same(c.answer(7)['error']['code'], -32601)
    c.write(b'Content-Length: 99999999999999999999999999\r\n\r\n' + frame({'jsonrpc': '2.0', 'method': 'exit'}))
    same(c.answer(None)['error']['code'], -32600)
    c.wait(1, b'ends inside')


@tap.test
def parameters():
    """parameters that are missing or of the wrong type"""
    c = started()
    c.open(URI, SAMPLE)
    c.diagnostics(URI)
    document = {'uri': URI}
    methods = ['textDocument/hover', 'textDocument/definition', 'textDocument/references',
               'textDocument/documentHighlight']
    for method in methods:
        for params in (None, [], {}, {'textDocument': 5}, {'textDocument': {'uri': 5}}, {'textDocument': document},
                       {'textDocument': document, 'position': None}, {'textDocument': document, 'position': {}},
                       {'textDocument': document, 'position': {'line': -1, 'character': 0}},
                       {'textDocument': document, 'position': {'line': 0, 'character': 1.5}}):
            same(c.error(method, params), -32602)
        for line, character in ((0, 1 << 60), (1 << 60, 0), (1 << 31, 1 << 31)):
            c.request(method, {'textDocument': document, 'position': {'line': line, 'character': character}})
    for method in ('didOpen', 'didChange', 'didClose'):
        for params in (None, [], {}, {'textDocument': None}, {'textDocument': {'uri': 5, 'text': 5}},
                       {'textDocument': {'uri': 'file:///other'}, 'contentChanges': [{'text': ''}]}):
            c.notify('textDocument/' + method, params)
    c.notify('textDocument/didChange', {'textDocument': document, 'contentChanges': None})
    same(c.diagnostics(URI)['diagnostics'], [])
    c.end()


@tap.test
def cancelled():
    """a request that waits is cancelled, others are answered"""
    c = started()
    first = {'jsonrpc': '2.0', 'id': 'a', 'method': 'no/such'}
    second = {'jsonrpc': '2.0', 'id': 'b', 'method': 'no/such'}
    c.write(frame(first) + frame(second) + frame({'jsonrpc': '2.0', 'method': '$/cancelRequest', 'params': {'id': 'b'}})
            + frame({'jsonrpc': '2.0', 'method': '$/cancelRequest', 'params': {'id': 'unknown'}})
            + frame({'jsonrpc': '2.0', 'method': '$/cancelRequest'}))
    got = {m['id']: m['error']['code'] for m in (c.receive(), c.receive())}
    same(got, {'a': -32601, 'b': -32800})
    c.end()


# ---- diagnostics ----

def expected(text, profiles):
    """What `ptoasm check` finds, with places as characters of the text."""
    run = subprocess.run([PTOASM, 'check', '--format=json', '--profile=' + profiles, '-'], input=text.encode('utf-8'),
                         capture_output=True, check=False)
    found = []
    data = text.encode('utf-8')
    for line in run.stdout.decode('utf-8').splitlines():
        d = json.loads(line)
        start, end = (len(data[:at].decode('utf-8')) for at in (d['offset'], d['offset'] + d['length']))
        found.append((start, end, d['severity'], d['id'], d['message']))
    return found


def published(text, params, utf8=False):
    names = {1: 'error', 2: 'warning', 3: 'note'}
    found = []
    for d in params['diagnostics']:
        same(d['source'], 'ptoasm')
        start, end = (offset_of(text, d['range'][key], utf8) for key in ('start', 'end'))
        found.append((start, end, names[d['severity']], d['code'], d['message'].split('\n')[0]))
    return found


def texts():
    for path in sorted(glob.glob(SOURCE + '/tests/golden/*/*.pto') + glob.glob(SOURCE + '/samples/*/*.pto')):
        try:
            with open(path, encoding='utf-8', newline='') as file:
                text = file.read()
        except UnicodeDecodeError:
            continue
        if len(text) < 20000:
            yield os.path.basename(path), text


def hash_of(name):
    """An order that stays when files are added."""
    return random.Random(name).random()


@tap.test
def same_as_check():
    """the messages of `ptoasm check`, for files of the tests, in both encodings"""
    clients = [started('--profile=all'), started('--profile=all', capabilities=UTF8)]
    some = sorted(texts(), key=lambda item: hash_of(item[0]))[:40]
    same(len(some), 40)
    for name, text in some + [('sample', SAMPLE), ('odd', SAMPLE.replace('f32) {', 'f16) {').replace('\n', '\r\n')),
                              ('after', '// 😀\rfunc.func @k(%😀: f32) { return }')]:
        want = expected(text, 'all')
        for c in clients:
            c.open(URI + name, text)
            same((name, published(text, c.diagnostics(URI + name), c.utf8)), (name, want))
    for c in clients:
        c.end()


@tap.test
def notes():
    """notes are related places, or lines of the message"""
    text = 'func.func @f() {\n  return\n}\nfunc.func @f() {\n  return\n}\n'
    related = {'textDocument': {'publishDiagnostics': {'relatedInformation': True}}}
    for capabilities in ({}, related):
        c = started(capabilities=capabilities)
        c.open(URI, text)
        diagnostic, = c.diagnostics(URI)['diagnostics']
        same(diagnostic['code'], 'symbol-redefined')
        if capabilities:
            information, = diagnostic['relatedInformation']
            same(information['location'], {'uri': URI, 'range': range_of(text, 10, 12)})
            need('\n' not in diagnostic['message'], diagnostic)
        else:
            need('\nline 1: ' in diagnostic['message'] and 'relatedInformation' not in diagnostic, diagnostic)
        c.open(URI, I8)
        diagnostic, = c.diagnostics(URI)['diagnostics']
        need('\naccepted by the profiles cpu and a5' in diagnostic['message'], diagnostic)
        c.end()


@tap.test
def author_lines():
    """the lines that a statement was generated from are related places if the files are there, else lines of the message"""
    text = ('func.func @f() {\n  %a = arith.constant 1.0 : index loc(callsite("../here.py":3:4 at "gone.py":5))\n'
            '  return\n}\n')
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(folder + '/kernels')
        with open(folder + '/here.py', 'w', encoding='utf-8') as file:
            file.write('pass\n')
        uri = f'file://{folder}/kernels/k.pto'
        related = {'textDocument': {'publishDiagnostics': {'relatedInformation': True}}}
        for capabilities in ({}, related):
            c = started(capabilities=capabilities)
            c.open(uri, text)
            diagnostic, = c.diagnostics(uri)['diagnostics']
            same(diagnostic['code'], 'bad-number')
            need('\ngone.py:5: called from here' in diagnostic['message'], diagnostic)
            if capabilities:
                place = {'line': 2, 'character': 3}
                same(diagnostic['relatedInformation'],
                     [{'location': {'uri': f'file://{folder}/here.py', 'range': {'start': place, 'end': place}},
                       'message': 'generated from here'}])
            else:
                need('\n../here.py:3:4: generated from here' in diagnostic['message'], diagnostic)
                need('relatedInformation' not in diagnostic, diagnostic)
            c.end()


@tap.test
def tags():
    """unused and deprecated code is marked"""
    c = started('--lint')
    c.open(URI, 'func.func @k() {\n  %a = pto.alloc_tile : !pto.tile_buf<vec, 32x32xf32>\n  return\n}\n')
    diagnostic, = c.diagnostics(URI)['diagnostics']
    same((diagnostic['code'], diagnostic['severity'], diagnostic['tags']), ('unused-tile', 2, [1]))
    c.end()


@tap.test
def closing():
    """closing a document takes its diagnostics away"""
    c = started()
    c.open(URI, 'nonsense')
    need(c.diagnostics(URI)['diagnostics'], 'an error')
    c.notify('textDocument/didClose', {'textDocument': {'uri': URI}})
    same(c.diagnostics(URI)['diagnostics'], [])
    c.notify('textDocument/didClose', {'textDocument': {'uri': URI}})
    c.end()


@tap.test
def settings():
    """options of the command line, initializationOptions, and a later configuration"""
    def ids(client):
        return [d['code'] for d in client.diagnostics(URI)['diagnostics']]

    def configure(client, settings):
        client.notify('workspace/didChangeConfiguration', {'settings': settings})

    c = started('--profile=a5')
    c.open(URI, I8)
    same(ids(c), [])
    configure(c, {'ptoasm': {'profile': ['a2a3', 'a5'], 'max-errors': 5, 'trace': {}}})
    same(ids(c), ['elem-type'])
    configure(c, {'profile': 'cpu'})
    same(ids(c), [])
    configure(c, {'ptoasm': {}})  # what the command line says
    same(ids(c), [])
    for wrong in ({'profile': 'a7'}, {'profile': ['a5', 3]}, {'lint': 'yes'}, {'level': 9}, {'max-errors': -1},
                  {'no-such': 1}, {'W': ['no-such']}, {'W': 'redefinition'}, {'help': True}, {'profile': True}):
        configure(c, wrong)
        message = c.note('window/showMessage')
        same(message['type'], 2)
        need(next(iter(wrong)) in message['message'], message)
        same(ids(c), [])
    configure(c, None)
    c.end()
    unused = 'func.func @k() {\n  %a = pto.alloc_tile : !pto.tile_buf<vec, 32x32xf32>\n  return\n}\n'
    c = started(initializationOptions={'lint': True, 'W': ['error=unused-tile']})
    c.open(URI, unused)
    diagnostic, = c.diagnostics(URI)['diagnostics']
    same((diagnostic['code'], diagnostic['severity']), ('unused-tile', 1))
    configure(c, {'lint': True, 'W': ['no-unused-tile']})
    same(ids(c), [])
    configure(c, {'lint': False})
    same(ids(c), [])
    c.end()
    run = subprocess.run([PTOASM, 'lsp', '-Wno-such'], capture_output=True, text=True, check=False)
    same((run.returncode, "unknown warning 'such'" in run.stderr), (2, True))
    run = subprocess.run([PTOASM, 'lsp', 'x.pto'], capture_output=True, text=True, check=False)
    same((run.returncode, run.stdout), (2, ''))


# ---- changes ----

PIECES = ['\n', '\r\n', '\r', '😀', 'ü', ' ', '%a', '}', '{', '"', '\0', 'f32', '// x\n', 'pto.tadds', SAMPLE[:80], '']


def changed(rng, text):
    """A text after a random change, and the change."""
    start = rng.randrange(len(text) + 1)
    end = min(len(text), start + rng.choice([0, 0, 1, 2, 30]))
    while text[start - 1:start + 1] == '\r\n' or text[end - 1:end + 1] == '\r\n':  # positions have no such places
        start, end = max(0, start - 1), end - (text[end - 1:end + 1] == '\r\n')
    end = max(start, end)
    piece = rng.choice(PIECES)
    return text[:start] + piece + text[end:], lambda utf8: {'range': range_of(text, start, end, utf8), 'text': piece}


@tap.test
def changes():
    """after any changes a document is what it would be when opened anew"""
    for seed, capabilities in ((1, {}), (2, UTF8)):
        rng = random.Random(seed)
        c = started(capabilities=capabilities)
        text = SAMPLE
        c.open(URI, text)
        c.diagnostics(URI)
        for version in range(2, 62):
            batch = []
            for _ in range(rng.choice([1, 1, 3])):
                text, change = changed(rng, text)
                batch.append(change(c.utf8))
            if version % 20 == 0:
                text = SAMPLE.replace('\n', rng.choice(['\n', '\r\n', '\r']))
                batch.append({'text': text})
            c.notify('textDocument/didChange', {'textDocument': {'uri': URI, 'version': version},
                                                'contentChanges': batch})
            got = c.diagnostics(URI)
            same(got['version'], version)
            c.open('file:///fresh', text)
            want = c.diagnostics('file:///fresh')
            same((version, got['diagnostics']), (version, want['diagnostics']))
        c.end()


@tap.test
def positions():
    """places inside of characters and after the ends of lines"""
    text = 'func.func @k(%s: f32) { // 😀\r\n  return\n}\n'
    for capabilities, smile in ((UTF8, 27), ({}, 27)):
        c = started(capabilities=capabilities)
        for line, character, want in ((0, smile + 1, 27), (0, 500, 28), (1, 8, 38), (1, 9, 38), (4, 0, 41), (99, 3, 41)):
            place = {'line': line, 'character': character}
            c.open(URI, text)
            need(c.diagnostics(URI)['diagnostics'] == [], 'a program')
            c.notify('textDocument/didChange', {'textDocument': {'uri': URI, 'version': 2}, 'contentChanges': [
                {'range': {'start': place, 'end': place}, 'text': '\n@'}]})
            after = text[:want] + '\n@' + text[want:]
            same(published(after, c.diagnostics(URI), c.utf8), expected(after, 'a2a3'))
        c.end()


@tap.test
def bad_changes():
    """a change that cannot be read is reported, and the server goes on"""
    c = started()
    for change in ({}, {'text': 5}, {'text': '', 'range': {}}, {'text': '', 'range': range_of(SAMPLE, 0, 5)['start']},
                   {'text': '', 'range': {'start': position(SAMPLE, 9), 'end': position(SAMPLE, 3)}}):
        c.open(URI, SAMPLE)
        c.diagnostics(URI)
        c.notify('textDocument/didChange', {'textDocument': {'uri': URI, 'version': 2}, 'contentChanges': [change]})
        same(c.note('window/showMessage')['type'], 1)
        c.diagnostics(URI)
    c.end()


# ---- hovers, definitions, uses ----

def shown(c, text, what, more=0):
    hover = c.at('textDocument/hover', URI, text, text.index(what) + more)
    if hover is None:
        return None, None
    start, end = (offset_of(text, hover['range'][key], c.utf8) for key in ('start', 'end'))
    return hover['contents'], text[start:end]


@tap.test
def hover():
    """instructions, values, functions; Markdown only for clients that show it"""
    markdown = {'textDocument': {'hover': {'contentFormat': ['markdown', 'plaintext']}}}
    for capabilities in (markdown, {}):
        c = started('--profile=a2a3,a5', capabilities=capabilities)
        c.open(URI, SAMPLE)
        contents, word = shown(c, SAMPLE, 'pto.tadds', 3)
        same((word, contents['kind']), ('pto.tadds', 'markdown' if capabilities else 'plaintext'))
        need('Accepted here by cpu, a2a3 and a5.' in contents['value'], contents)
        need('```' in contents['value'] if capabilities else '```' not in contents['value'], contents)
        explained = subprocess.run([PTOASM, 'explain', 'tadds'], capture_output=True, text=True, check=True).stdout
        need(explained.split('\n')[0].split(': ')[1] in contents['value'], contents)
        contents, word = shown(c, SAMPLE, '%a, %s')
        same(word, '%a')
        need('%a: !pto.tile_buf<vec, 32x32xf32>' in contents['value'] and '4096 bytes' in contents['value'], contents)
        for profile in ('a2a3', 'a5'):
            need(profile + ': vec 0x0 to 0x1000, planned' in contents['value'], contents)
        need('cpu' not in contents['value'], contents)
        contents, word = shown(c, SAMPLE, '@helper(%b', 4)
        same(word, '@helper')
        need('@helper: (!pto.tile_buf<vec, 32x32xf32>) -> ()' in contents['value'], contents)
        same(shown(c, SAMPLE, '-> !pto', 1), (None, None))
        need('matrix of elements' in shown(c, SAMPLE, '-> !pto', 5)[0]['value'], 'a type of the language')
        c.open(URI, I8)
        contents, word = shown(c, I8, 'pto.tadds')
        need('Accepted here by cpu and a5; refused by a2a3 [elem-type].' in contents['value'], contents)
        c.end()


@tap.test
def hover_plan():
    """addresses are those of `ptoasm map`, of written ones too; types without aliases"""
    text = '''!t = !pto.tile_buf<vec, 32x32xf32>
module {
  func.func @k(%s: f32) {
    %at = arith.constant 8192 : i64
    %a = pto.alloc_tile addr = %at : !t
    %b = pto.alloc_tile addr = %at : !t
    pto.tadds ins(%a, %s : !t, f32) outs(%b : !t)
    return
  }
}
'''
    c = started('--profile=a5')
    c.open(URI, text)
    contents, _ = shown(c, text, '%a,')
    need('a5: vec 0x2000 to 0x3000, as written' in contents['value'], contents)
    need('%a: !t' in contents['value'] and '!t: !pto.tile_buf<vec, 32x32xf32>' in contents['value'], contents)
    c.end()


@tap.test
def uses():
    """definition, references, highlights"""
    for capabilities in ({}, UTF8):
        c = started(capabilities=capabilities)
        c.open(URI, SAMPLE)

        def place(start, length):
            return range_of(SAMPLE, start, start + length, c.utf8)

        first, second = SAMPLE.index('%b ='), SAMPLE.index('%b)')
        same(c.at('textDocument/definition', URI, SAMPLE, second), {'uri': URI, 'range': place(first, 2)})
        same(c.at('textDocument/definition', URI, SAMPLE, SAMPLE.index('f32) ->')), None)
        same(c.at('textDocument/definition', URI, SAMPLE, SAMPLE.index('@helper(%b')),
             {'uri': URI, 'range': place(SAMPLE.index('@helper'), 7)})
        both = [place(first, 2), place(second, 2)]
        for declared in (True, False):
            got = c.at('textDocument/references', URI, SAMPLE, first + 1, context={'includeDeclaration': declared})
            same([r['range'] for r in got], both if declared else both[1:])
        same([h['range'] for h in c.at('textDocument/documentHighlight', URI, SAMPLE, second + 2)], both)
        same(c.at('textDocument/documentHighlight', URI, SAMPLE, 0), [])
        c.end()


tap.end()
