#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`ptoasm lsp` over a pipe: project files and baselines, as `ptoasm check` reads them.

usage: project.py PTOASM SOURCE-FOLDER

Prints TAP.
"""
import os
import subprocess
import sys
import tempfile
import urllib.request

from client import Client, Tap, need, same

PTOASM = os.path.realpath(sys.argv[1])
UNUSED = 'func.func @k() {\n  %a = pto.alloc_tile : !pto.tile_buf<vec, 16x16xf32>\n  return\n}\n'
WATCHES = {'workspace': {'didChangeWatchedFiles': {'dynamicRegistration': True}}}
tap = Tap()


class Folder:
    """A folder of files, which disappears at the end; and a client."""

    def __init__(self, *words, **params):
        self.words, self.params = words, params

    def __enter__(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.path = os.path.realpath(self.temporary.name)
        self.client = Client(PTOASM, *self.words)
        self.client.start(**self.params)
        return self

    def __exit__(self, kind, *ignored):
        if kind is None:
            self.client.end()
        else:
            self.client.process.kill()
        self.temporary.cleanup()

    def write(self, name, text):
        path = os.path.join(self.path, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'w', encoding='utf-8') as file:
            file.write(text)
        return path

    def uri(self, name):
        return 'file://' + urllib.request.pathname2url(os.path.join(self.path, name))

    def open(self, name, text=UNUSED):
        """The ids that are published for a file that is written and opened."""
        self.write(name, text)
        self.client.open(self.uri(name), text)
        return self.ids(name)

    def ids(self, name):
        return [d['code'] for d in self.client.diagnostics(self.uri(name))['diagnostics']]

    def save(self, name):
        self.client.notify('textDocument/didSave', {'textDocument': {'uri': self.uri(name)}})

    def complaint(self):
        return self.client.note('window/showMessage')['message']

    def check(self, *words):
        return subprocess.run([PTOASM, 'check', *words], cwd=self.path, capture_output=True, text=True, check=False)


@tap.test
def found_upwards():
    """the next project file counts, in the folder or above it; others do not"""
    with Folder() as f:
        f.write('.ptoasm', '--lint')
        f.write('deeper/own/.ptoasm', '--quiet --lint')
        same(f.open('a.pto'), ['unused-tile'])
        same(f.open('deeper/b.pto'), ['unused-tile'])
        same(f.open('deeper/own/c.pto'), [])
        same(f.open('a folder ü/%41 #?.pto'), ['unused-tile'])  # names that a URI encodes
    with Folder() as f:
        same(f.open('a.pto'), [])


@tap.test
def new_files():
    """a file that is not on the disk yet belongs to the project of its folder"""
    with Folder() as f:
        f.write('.ptoasm', '--lint')
        f.client.open(f.uri('new.pto'), UNUSED)
        same(f.ids('new.pto'), ['unused-tile'])
        f.client.open('untitled:Untitled-1', UNUSED)
        same(f.client.diagnostics('untitled:Untitled-1')['diagnostics'], [])


@tap.test
def same_as_check():
    """profiles, levels and severities of the project file are those of `ptoasm check`"""
    i8 = ('func.func @w(%s: i8) {\n  %a = pto.alloc_tile : !pto.tile_buf<vec, 32x32xi8>\n'
          '  pto.tadds ins(%a, %s : !pto.tile_buf<vec, 32x32xi8>, i8) outs(%a : !pto.tile_buf<vec, 32x32xi8>)\n'
          '  return\n}\n')
    for words in ('--profile=a5', '--profile=a2a3', '--profile=a2a3,a5 --lint -Werror', '--lint -Werror=unused-tile',
                  '--lint -Wno-unused-tile', '--level=3', '--compat=ptoas -q', '--max-errors=1'):
        with Folder() as f:
            f.write('.ptoasm', words)
            for name, text in (('a.pto', UNUSED), ('i8.pto', i8)):
                ids = f.open(name, text)
                out = f.check(name).stderr
                same((words, name, ids), (words, name, [line.rsplit('[', 1)[1].split(']')[0]
                                                        for line in out.split('\n') if ': error: ' in line or
                                                        ': warning: ' in line]))


@tap.test
def order_of_options():
    """project file, command line, settings: the last one wins; --no-project-file reads none"""
    with Folder('-Wunused-tile') as f:
        f.write('.ptoasm', '--lint -Wno-unused-tile')
        same(f.open('a.pto'), ['unused-tile'])
        f.client.notify('workspace/didChangeConfiguration', {'settings': {'ptoasm': {'W': ['no-unused-tile']}}})
        same(f.ids('a.pto'), [])
        f.client.notify('workspace/didChangeConfiguration', {'settings': {'ptoasm': {}}})
        same(f.ids('a.pto'), ['unused-tile'])
        f.client.notify('workspace/didChangeConfiguration', {'settings': {'ptoasm': {'no-project-file': True}}})
        same(f.ids('a.pto'), [])
    with Folder('--no-project-file') as f:
        f.write('.ptoasm', '--lint')
        same(f.open('a.pto'), [])


@tap.test
def baselines():
    """what the baseline lists is not shown; its name starts from the folder of the project file"""
    with Folder() as f:
        f.write('.ptoasm', '--lint --baseline=known.tsv')
        f.write('deeper/old.pto', UNUSED)
        same(f.check('--no-project-file', '--lint', '--write-baseline=known.tsv', '.').returncode, 0)
        same(f.open('deeper/old.pto'), [])
        f.client.open(f.uri('deeper/old.pto'), UNUSED.replace('%a', '%b'))
        same(f.ids('deeper/old.pto'), ['unused-tile'])
        same(f.open('new.pto'), ['unused-tile'])
        same(f.check('--no-project-file', '--lint', '--write-baseline=known.tsv', '.').returncode, 0)
        f.save('new.pto')
        same(f.ids('new.pto'), [])
    with Folder() as f:
        known = f.write('known.tsv', '# ptoasm baseline 1: file, id, line\n'
                        'a.pto\tunused-tile\t%a = pto.alloc_tile : !pto.tile_buf<vec, 16x16xf32>\n')
        f.client.notify('workspace/didChangeConfiguration', {'settings': {'lint': True, 'baseline': known}})
        same(f.open('a.pto'), [])


@tap.test
def read_again():
    """a project file that comes, changes, or goes counts at the next change, save, or word of the client"""
    with Folder() as f:
        same(f.open('a.pto'), [])
        same(f.open('b.pto'), [])
        f.write('.ptoasm', '--lint')
        f.save('a.pto')
        same((f.ids('a.pto'), f.ids('b.pto')), (['unused-tile'], ['unused-tile']))
        f.write('.ptoasm', '--lint @more')
        f.write('more', '-Wno-unused-tile')
        f.client.notify('workspace/didChangeWatchedFiles', {'changes': [{'uri': f.uri('.ptoasm'), 'type': 2}]})
        same((f.ids('a.pto'), f.ids('b.pto')), ([], []))
        f.write('more', '-Werror=unused-tile')  # what it names counts, too
        f.client.notify('textDocument/didChange', {'textDocument': {'uri': f.uri('a.pto'), 'version': 2},
                                                   'contentChanges': [{'text': UNUSED}]})
        same((f.ids('a.pto'), f.ids('b.pto')), (['unused-tile'], ['unused-tile']))
        os.remove(os.path.join(f.path, '.ptoasm'))
        f.save('a.pto')
        same((f.ids('a.pto'), f.ids('b.pto')), ([], []))
        f.save('a.pto')  # nothing changed: nothing is published
        f.client.request('textDocument/documentSymbol', {'textDocument': {'uri': f.uri('a.pto')}})
        need(not f.client.notes, f.client.notes)


@tap.test
def mistakes():
    """what is wrong in a project file or baseline is shown, once; the rest of the options counts"""
    for text, words in (('--lnt', ("unknown option '--lnt'; did you mean '--lint'?", '.ptoasm')),
                        ('--profile=a7', ("'a7' is not", '.ptoasm')),
                        ('--lint kernel.pto', ("'kernel.pto' is not an option", '.ptoasm')),
                        ('-Wno-unused-tle', ("did you mean 'unused-tile'?", '.ptoasm')),
                        ('--help', ('--help', '.ptoasm')),
                        ('@none', ('cannot read', 'none', 'No such file')),
                        ('--baseline=none.tsv', ('cannot read baseline', 'none.tsv')),
                        ('--baseline=a.pto', ('is not a baseline', 'a.pto'))):
        with Folder('--lint') as f:
            f.write('.ptoasm', text)
            f.write('a.pto', UNUSED)
            f.client.open(f.uri('a.pto'), UNUSED)
            got = f.complaint()
            for word in words:
                need(word in got and got.startswith('ptoasm: ') and 'Try' not in got and '\n' not in got, got)
            same(f.ids('a.pto'), ['unused-tile'])
            f.save('a.pto')
            same(f.open('b.pto'), ['unused-tile'])
            need(not f.client.notes, f.client.notes)
            f.write('.ptoasm', '-Wno-unused-tile')
            f.save('b.pto')
            same((f.ids('a.pto'), f.ids('b.pto')), ([], []))


@tap.test
def watching():
    """a client that can watch files is asked to watch project files"""
    with Folder(capabilities=WATCHES) as f:
        message = f.client.receive()
        same(message['method'], 'client/registerCapability')
        registration, = message['params']['registrations']
        same((registration['method'], registration['registerOptions']),
             ('workspace/didChangeWatchedFiles', {'watchers': [{'globPattern': '**/.ptoasm'}]}))
        f.client.send({'jsonrpc': '2.0', 'id': message['id'], 'result': None})
        same(f.open('a.pto'), [])


tap.end()
