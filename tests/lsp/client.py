# SPDX-License-Identifier: Apache-2.0
"""A client of `ptoasm lsp` for the tests: framing, requests, positions; and TAP."""
import json
import os
import select
import subprocess
import sys

URI = 'file:///no/such/folder/k.pto'
DOCUMENT = {'textDocument': {'uri': URI}}
UTF8 = {'general': {'positionEncodings': ['utf-8']}}
SECONDS = 60  # for one answer of a build with sanitizers on a busy machine


class Client:
    def __init__(self, ptoasm, *words):
        env = {**os.environ, 'LC_ALL': 'C'}
        for variable, values in (('ASAN_OPTIONS', 'exitcode=99'), ('UBSAN_OPTIONS', 'halt_on_error=1:exitcode=99')):
            env[variable] = ':'.join(filter(None, [env.get(variable), values]))
        self.process = subprocess.Popen([ptoasm, 'lsp', *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, env=env, bufsize=0)
        self.buffer = b''
        self.id = 0
        self.notes = []  # notifications that came between answers

    # ---- bytes ----

    def write(self, data):
        view = memoryview(data)
        while view:
            view = view[self.process.stdin.write(view):]

    def more(self):
        ready, _, _ = select.select([self.process.stdout], [], [], SECONDS)
        if not ready:
            raise TimeoutError('no answer')
        data = os.read(self.process.stdout.fileno(), 1 << 20)
        self.buffer += data
        return data

    def receive(self):
        """The next message; None at the end."""
        while b'\r\n\r\n' not in self.buffer:
            if not self.more():
                return None
        head, _, rest = self.buffer.partition(b'\r\n\r\n')
        name, _, length = head.partition(b': ')
        assert name == b'Content-Length', head
        self.buffer = rest
        while len(self.buffer) < int(length):
            if not self.more():
                raise EOFError('the server ends inside of a message')
        message = json.loads(self.buffer[:int(length)].decode('utf-8'))
        self.buffer = self.buffer[int(length):]
        assert message['jsonrpc'] == '2.0'
        return message

    # ---- messages ----

    def send(self, message):
        self.write(frame(message))

    def notify(self, method, params):
        self.send({'jsonrpc': '2.0', 'method': method, 'params': params})

    def ask(self, method, params=None):
        self.id += 1
        message = {'jsonrpc': '2.0', 'id': self.id, 'method': method}
        if params is not None:
            message['params'] = params
        self.send(message)
        return self.id

    def answer(self, number):
        while True:
            message = self.receive()
            if message is None:
                raise EOFError('the server ended')
            if 'method' not in message:
                assert message.get('id') == number, (number, message)
                return message
            self.notes.append(message)

    def request(self, method, params=None):
        """The result of a request; an error is raised."""
        answer = self.answer(self.ask(method, params))
        if 'error' in answer:
            raise ValueError('%s: %s' % (method, answer['error']))
        return answer['result']

    def error(self, method, params=None):
        """The code of the error that a request is answered with."""
        return self.answer(self.ask(method, params))['error']['code']

    def note(self, method):
        """The parameters of the next notification of this method."""
        while True:
            for i, message in enumerate(self.notes):
                if message['method'] == method:
                    return self.notes.pop(i)['params']
            message = self.receive()
            if message is None:
                raise EOFError('the server ended')
            assert 'method' in message, message
            self.notes.append(message)

    # ---- sessions ----

    def start(self, capabilities=None, **params):
        result = self.request('initialize', {'processId': None, 'rootUri': None, 'capabilities': capabilities or {},
                                             **params})
        self.notify('initialized', {})
        self.utf8 = result['capabilities']['positionEncoding'] == 'utf-8'
        return result

    def open(self, uri, text, version=1):
        self.notify('textDocument/didOpen', {'textDocument': {'uri': uri, 'languageId': 'pto', 'version': version,
                                                              'text': text}})

    def diagnostics(self, uri):
        """Those that are published next for a document."""
        while True:
            params = self.note('textDocument/publishDiagnostics')
            if params['uri'] == uri:
                return params

    def at(self, method, uri, text, offset, **more):
        """A request about a character of the text."""
        return self.request(method, {'textDocument': {'uri': uri}, 'position': position(text, offset, self.utf8),
                                     **more})

    def end(self, code=0):
        """Ends the server as the protocol says; nothing may be on standard error."""
        self.request('shutdown')
        self.notify('exit', None)
        self.wait(code)

    def wait(self, code, errors=b''):
        """Waits for the end; `errors` has to be in what was printed, which is nothing else."""
        self.process.stdin.close()
        while self.more():
            pass
        printed = self.process.stderr.read()
        got = self.process.wait(SECONDS)
        self.process.stdout.close()
        self.process.stderr.close()
        assert got == code, (got, code, printed)
        assert errors in printed and (errors or not printed), printed


def frame(message):
    data = message if isinstance(message, bytes) else json.dumps(message).encode('utf-8')
    return b'Content-Length: %d\r\n\r\n%s' % (len(data), data)


# ---- positions ----

def lines_of(text):
    """Where lines begin, as the protocol has them."""
    starts, i = [0], 0
    while i < len(text):
        if text[i] == '\r' and text[i + 1:i + 2] == '\n':
            i += 1
        i += 1
        if text[i - 1] in '\r\n':
            starts.append(i)
    return starts


def width(text, utf8):
    return len(text.encode('utf-8')) if utf8 else len(text.encode('utf-16-le')) // 2


def position(text, offset, utf8=False):
    """Of a character of a Python string; not inside of a line end."""
    starts = lines_of(text)
    line = max(i for i, start in enumerate(starts) if start <= offset)
    return {'line': line, 'character': width(text[starts[line]:offset], utf8)}


def offset_of(text, at, utf8=False):
    """The character of a position."""
    starts = lines_of(text)
    i = starts[at['line']]
    while width(text[starts[at['line']]:i], utf8) < at['character']:
        i += 1
    return i


def range_of(text, start, end, utf8=False):
    return {'start': position(text, start, utf8), 'end': position(text, end, utf8)}


# ---- TAP ----

class Tap:
    def __init__(self):
        self.count = self.failed = 0

    def test(self, function):
        self.count += 1
        try:
            function()
        except Exception as e:  # a wrong shape shows as KeyError, ValueError ...
            self.failed += 1
            print('not ok %d - %s' % (self.count, function.__doc__))
            for line in ('%s: %s' % (type(e).__name__, e)).splitlines():
                print('# ' + line)
        else:
            print('ok %d - %s' % (self.count, function.__doc__))
        sys.stdout.flush()

    def end(self):
        print('1..%d' % self.count)
        sys.exit(self.failed > 0)


def same(got, want):
    if got != want:
        raise ValueError('got:  %r\nwant: %r' % (got, want))


def need(condition, what):
    if not condition:
        raise ValueError(what)
