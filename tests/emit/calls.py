#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""calls.py CALLS.DEF: every call of the vendor's library in the C++ of the corpus has as many arguments, and
template arguments, as a row of calls.def allows. Prints TAP; skips without PTOASM_CORPUS."""
import collections
import glob
import os
import re
import sys

NAME = re.compile(r'\b(T[A-Z][A-Z0-9_]+|MGATHER|MSCATTER|SYNCALL|SET_QUANT_\w+|set_flag|wait_flag|pipe_barrier|'
                  r'get_buf|rls_buf|__builtin_cce_\w+)\s*')
# Calls that differ from the vendor's on purpose: (name, template arguments, arguments).
DECIDED = {
    ('TGATHER', 5, 6): 'the library has another order of types and takes kValue as a tile',
    ('TPOW', 0, 3): 'the library has no overload without tmp',
}
LISTS = {'TMRGSORT', 'TSYNC'}  # take a list of operands


def count(text):
    """Counts what is between commas outside brackets."""
    depth = 0
    n = 1 if text.strip() else 0
    for c in text:
        depth += (c in '([{<') - (c in ')]}>')
        n += c == ',' and depth == 0
    return n


def bracket(text, at, pair):
    """Returns what is in the brackets at `at`, and the position behind them; None: there are none."""
    if text[at:at + 1] != pair[0]:
        return '', at
    depth = 0
    for i in range(at, len(text)):
        depth += (text[i] == pair[0]) - (text[i] == pair[1])
        if depth == 0:
            return text[at + 1:i], i + 1
    return '', at


def calls(text):
    for m in NAME.finditer(text):
        types, at = bracket(text, m.end(), '<>')
        if text[at:at + 1] == '(':
            args, _ = bracket(text, at, '()')
            yield m.group(1), count(types), count(args)


def variants(text):
    """Lists a format with and without each optional part."""
    m = re.search(r'\(\? ((?:(?!\(\? ).)*?) \)\?', text)
    if m is None:
        return [text]
    before, after = text[:m.start()], text[m.end():]
    return variants(before + m.group(1) + after) + variants(before + after)


def rows(path):
    text = re.sub(r'(?s)/\*.*?\*/', '', open(path).read())
    text = re.sub(r'"\n\s*"', '', text)
    known = collections.defaultdict(set)
    for form in re.findall(r'CALL\w*\(\w+,\s*"[^"]*",\s*"([^"]*)"', text):
        for variant in variants(form):
            for name, types, args in calls(variant):
                known[name].add((types, args))
    return known


def main():
    corpus = os.environ.get('PTOASM_CORPUS')
    files = sorted(glob.glob(corpus + '/cpp/*.cpp')) if corpus else []
    if not files:
        print('1..0 # SKIP PTOASM_CORPUS names no corpus with C++')
        return
    known = rows(sys.argv[1])
    seen, wrong = 0, []
    for path in files:
        text = re.sub(r'//[^\n]*', '', open(path).read())
        text = re.sub(r'(?s)(static AICORE inline|template <)[^;{]*\{.*?\n\}\n', '', text)
        for call in calls(text):
            name, types, args = call
            if name not in known or name in LISTS or (args == 0 and name.startswith('T')):
                continue  # also functions of the program that are named after an instruction
            seen += 1
            if (types, args) not in known[name] and call not in DECIDED:
                wrong.append('%s: %s with %d types and %d arguments' % (os.path.basename(path), name, types, args))
    for line in wrong[:20]:
        print('# ' + line)
    print('%s 1 - %d calls of the vendor have the form of a row' % ('not ok' if wrong or seen < 5000 else 'ok', seen))
    print('1..1')
    sys.exit(1 if wrong or seen < 5000 else 0)


main()
