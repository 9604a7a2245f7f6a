#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""library_names.py PTOASM LIBRARY_DEF GOLDEN: no function of a program hides a name that the C++ uses. Every word of the C++
of our own programs and, with PTOASM_CORPUS, of a slice of the corpus is the name of a private function in a new program: its
C++ defines none of them. With PTO_ISA_INCLUDE, every macro of the headers that begins with a small letter is such a word, and
the names of LIBRARY_DEF are words of the headers or of the sources beside it. Prints TAP."""
import glob
import os
import re
import subprocess
import sys
import tempfile

import device

STEP = 25  # of the programs of the corpus, each so many
LANGUAGE = set('''
    bool char short int long float double void signed unsigned const constexpr static inline extern struct class template typename
    namespace using return if else for while do switch case default break goto sizeof true false nullptr auto alignas
    reinterpret_cast static_cast public private operator C
    int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t size_t intptr_t uintptr_t'''.split())
DECLARED = re.compile(r'(?m)(?<!return)(?<!goto)(?<!else)(?<=[\w>&*]) ([A-Za-z_]\w*)(?= ?[,)=;({\[])|'
                      r'(?:struct|class|typename|goto) (\w+)|^(\w+):')


def words(text):
    """Lists the words of C++ that are no members, not qualified, and not declared in the text."""
    text = re.sub(r'(?m)//.*|"[^"\n]*"|^ *#.*', '', text)
    found = set(re.findall(r'(?<![\w.:>])[A-Za-z_]\w*', text))
    own = {w for names in DECLARED.findall(text) for w in names}
    own |= {w for w in found if re.match(r'v\d+(_\d+)?$|bb_|leave|dst$|k[A-Z]', w)}
    return found - own - LANGUAGE


def texts(ptoasm, golden):
    listed = [(path, options) for path, options in device.own_programs(golden)]
    corpus = os.environ.get('PTOASM_CORPUS')
    if corpus:
        listed += [(corpus + '/' + path, ['--to=cpp', '--profile=' + profile, '--level=' + level])
                   for path, profile, level, _ in device.programs(corpus)[::STEP]]
    for path, options in listed:
        run = subprocess.run([ptoasm, 'emit', *options, '--compat=ptoas', '--no-comments', path, '-o', '-'],
                             capture_output=True, text=True)
        if run.returncode == 0:
            yield run.stdout


def free(ptoasm, names):
    """Returns the names that a function has in the C++."""
    with tempfile.TemporaryDirectory() as folder:
        path = folder + '/names.pto'
        with open(path, 'w') as f:
            for name in sorted(names):
                f.write('func.func private @%s(%%t: !pto.tile_buf<vec, 8x8xf32>) {\n  return\n}\n' % name)
        run = subprocess.run([ptoasm, 'emit', '--to=cpp', '--no-comments', path, '-o', '-'], capture_output=True, text=True, check=True)
    defined = set(re.findall(r'AICORE void (\w+)\(', run.stdout))
    assert len(defined) == len(names), 'functions are missing'
    return defined & names


def main():
    ptoasm, table, golden = sys.argv[1:]
    used = set()
    for text in texts(ptoasm, golden):
        used |= words(text)
    loose = free(ptoasm, used)
    for name in sorted(loose):
        print('# a function may hide ' + name)
    print('%s 1 - %d words of the C++ are no names of functions' % ('ok' if used and not loose else 'not ok', len(used)))
    include = os.environ.get('PTO_ISA_INCLUDE')
    if not include:
        print('ok 2 # SKIP PTO_ISA_INCLUDE is not set')
        print('1..2')
        return 1 if loose else 0
    headers = ''.join(open(p, errors='replace').read() for p in glob.glob(include + '/**/*.h*', recursive=True))
    macros = set(re.findall(r'(?m)^\s*#\s*define\s+([a-z]\w*)', headers)) - LANGUAGE
    listed = set(re.findall(r'NAME\((\w+)\)', open(table).read()))
    ours = ''.join(open(p).read() for p in glob.glob(os.path.dirname(table) + '/*') if p != table)
    bad = ['a function may hide the macro ' + m for m in sorted(free(ptoasm, macros))]
    bad += ['nothing uses ' + n for n in sorted(listed - set(re.findall(r'\w+', headers + ours)))]
    for line in bad:
        print('# ' + line)
    print('%s 2 - %d macros and %d names are those of the headers' % ('not ok' if bad or not macros else 'ok', len(macros), len(listed)))
    print('1..2')
    return 1 if loose or bad else 0


if __name__ == '__main__':
    sys.exit(main())
