#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How soon `ptoasm lsp` answers: from a change of a program of 10,000 lines to its diagnostics, and requests after one.
Time is what the server takes of the processor, so that a busy machine does not count. Fails above the time that the
project promises for a change. usage: lsp.py PTOASM GENERATE SOURCE-FOLDER"""
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(sys.argv[3], 'tests', 'lsp'))
sys.dont_write_bytecode = True
from client import Client  # noqa: E402

LINES, ROUNDS, MOST = 10000, 41, 30.0
URI = 'file:///bench.pto'


def program(generate):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'k.pto')
        subprocess.run([generate, '2', path], check=True, stdout=subprocess.DEVNULL)
        with open(path, encoding='utf-8') as file:
            lines = file.read().split('\n')
    end = max(i for i, line in enumerate(lines[:LINES - 1]) if line == '  }')
    return '\n'.join(lines[:end + 1] + ['  func.func @last() {'] + ['    // a line'] * (LINES - end - 5) +
                     ['    return', '  }', '}', ''])


def used(process):
    """Milliseconds of the processor."""
    with open('/proc/%d/schedstat' % process.pid, encoding='ascii') as file:
        return int(file.read().split()[0]) / 1e6


def milliseconds(process, work):
    times = []
    for i in range(ROUNDS):
        start = used(process)
        work(i)
        times.append(used(process) - start)
    return sorted(times)[ROUNDS // 2]


def main():
    text = program(sys.argv[2])
    line = text.count('\n', 0, text.index('pto.tadd')) + 1
    column = 8
    destination = text.split('\n')[line - 1].index('outs(') + len('outs(%')
    failed = False
    for words in ([], ['--profile=all'], ['--profile=all', '--lint']):
        client = Client(sys.argv[1], *words)
        client.start({'general': {'positionEncodings': ['utf-8']}})
        client.open(URI, text)
        client.diagnostics(URI)

        def change(i):
            place = {'line': line, 'character': 4}
            client.notify('textDocument/didChange', {
                'textDocument': {'uri': URI, 'version': i + 2},
                'contentChanges': [{'range': {'start': place, 'end': place}, 'text': ' '}]})

        def published(i):
            while client.diagnostics(URI)['version'] != i + 2:
                pass

        def diagnostics(i):
            change(i)
            published(i)

        def ask(method, character=column):
            def work(i):
                change(i)
                client.request(method, {'textDocument': {'uri': URI}, 'position': {'line': line - 1, 'character': character},
                                        'context': {'includeDeclaration': True}})
                published(i)
            return work

        took = milliseconds(client.process, diagnostics)
        failed |= took > MOST and '--lint' not in words  # that has thousands of warnings to tell
        print('%-22s %d lines, %d bytes: change to diagnostics %5.1f ms, %.0f at most'
              % (' '.join(words) or '(no option)', text.count('\n'), len(text), took, MOST))
        for method in ('hover', 'completion', 'references', 'documentSymbol'):
            took = milliseconds(client.process, ask('textDocument/' + method))
            failed |= took > MOST and not words
            print('%-22s change to diagnostics and %s %5.1f ms' % ('', method, took))
        took = milliseconds(client.process, ask('textDocument/completion', destination))
        failed |= took > MOST and not words
        print('%-22s change to diagnostics and completion in outs( %5.1f ms' % ('', took))
        client.end()
    sys.exit(failed)


main()
