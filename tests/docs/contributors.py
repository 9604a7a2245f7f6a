#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The pages for contributors name what there is, and their code compiles: contributors.py SOURCE-FOLDER BUILD-FOLDER CC...

Every path in the pages exists (`<family>` stands for any name), every function in the drawing of CONTRIBUTING.md and every
macro of the rules that they name too, and the bodies of docs/runtime.md compile as a family of the runtime. Prints TAP.
"""
import glob
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from tap import Tap

SOURCE, BUILD = map(os.path.realpath, sys.argv[1:3])
CC = sys.argv[3:]
PAGES = ['docs/adding-an-instruction.md', 'docs/runtime.md', 'docs/rules.md', 'CONTRIBUTING.md']
SPAN = re.compile(r'`([^`\n]+)`')
PATH = re.compile(r'[\w<>.*-]+(?:/[\w<>.*-]+)+/?|[\w<>*-]+\.(?:def|py|[chy])')
# Paths in the pages are relative to one of these folders.
FOLDERS = ['', 'docs', 'runtime', 'ir', 'support', 'parser', 'verifier', 'comm', 'runtime/core', 'runtime/comm', 'runtime/kern']
MADE = {'build/tests/oracle/test_oracle'}    # by the build
tap = Tap()


def text_of(name):
    with open(os.path.join(SOURCE, name), encoding='utf-8') as file:
        return file.read()


def exists(path):
    pattern = re.sub(r'<\w+>', '*', path)
    return path in MADE or any(glob.glob(os.path.join(SOURCE, folder, pattern)) for folder in FOLDERS)


def paths_of(page):
    spans = SPAN.findall(re.sub(r'^```.*?^```$', '', text_of(page), flags=re.M | re.S))
    return {span.split()[0] for span in spans if PATH.fullmatch(span.split()[0])}


for page in PAGES:
    paths = paths_of(page)
    missing = sorted(path for path in paths if not exists(path))
    tap.ok(len(paths) > 4 and not missing, page + ': its paths exist', missing or paths)

# `place: function(), function()` in the drawing of CONTRIBUTING.md: the file, or one of the folder, defines them.
named = [(place, name) for place, names in re.findall(r'([\w/]+(?:/|\.c)): ((?:\w+\(\)(?:, )?)+)', text_of('CONTRIBUTING.md'))
         for name in re.findall(r'\w+', names)]
stray = [(place, name) for place, name in named
         if not any(re.search(r'^\w.*\b%s\(' % name, text_of(path), re.M)
                    for path in glob.glob(place + '**/*.c' if place.endswith('/') else place, root_dir=SOURCE, recursive=True))]
tap.ok(len(named) > 20 and not stray, 'CONTRIBUTING.md: its functions exist', stray or named)

vocabulary = text_of('verifier/rules/vocabulary.h')
named = set(re.findall(r'`(NO_OVERLAP|KEEP_APART|RULES_AS|[A-Z]+_[A-Z_]+)\b', text_of('docs/adding-an-instruction.md')))
rules = named & {'NO_OVERLAP', 'KEEP_APART'}
tap.ok(len(rules) == 2 and all(re.search(r'#define %s\(' % name, vocabulary) for name in rules),
       'adding-an-instruction.md: the macros for overlaps', named)
tap.ok('in_place' in text_of('ir/inst.h') and 'overlap' not in text_of('ir/inst.h'),
       'adding-an-instruction.md: overlaps are no column of the instruction table')

example = re.search(r'^    OP2\(.*?\n\n', text_of('docs/runtime.md'), re.M | re.S)
body = example.group(0).replace('add', 'example') if example else '#error no example\n'
compact = re.search(r'`(WRAPPING\(OP2.*?)`', text_of('docs/runtime.md'))
body += compact.group(1).replace('add', 'compact') if compact else '#error no compact form\n'
struct = re.search(r'^    static void \w+\(const ptrt_args.*?^    }\n', text_of('docs/runtime.md'), re.M | re.S)
body += struct.group(0) if struct else '#error no body with a struct\n'
program = '''#include "ptort_emitted.h"
#include "kern/kern.h"
#include "kern/ops.h"
%s
void use(void **to);
void use(void **to) {
    to[0] = (void *)map2_example_f32;
    to[1] = (void *)maps_example_f32;
    to[2] = (void *)map2_compact_u32;
    to[3] = (void *)rowreduce_span_f32;
}
'''
with tempfile.TemporaryDirectory() as work:
    path = os.path.join(work, 'example.c')
    for name, code, want in (('the example compiles', body, True),
                             ('with its arguments exchanged it does not',
                              re.sub(r'OP2\((\w+), (.*?), f32\)', r'OP2(\1, f32, \2)', body), False)):
        with open(path, 'w', encoding='utf-8') as file:
            file.write(program % code)
        done = subprocess.run(CC + ['-std=c11', '-fsyntax-only', '-w', '-D_GNU_SOURCE', '-DPTRT_LEVEL=base',
                                    '-I' + os.path.join(SOURCE, 'runtime'), '-I' + os.path.join(BUILD, 'runtime'), path],
                              capture_output=True, text=True, check=False)
        tap.ok((done.returncode == 0) == want, 'runtime.md: ' + name, done.stderr)
tap.end()
