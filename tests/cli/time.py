#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ptoasm time: reports agree with each other, and bad input has messages: time.py PTOASM SOURCE-FOLDER. Prints TAP."""
import json
import os
import re
import subprocess
import sys
import tempfile
from html.parser import HTMLParser

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from tap import Tap  # noqa: E402

PTOASM = os.path.realpath(sys.argv[1])
SOURCE = os.path.realpath(sys.argv[2])
SAMPLE = os.path.join(SOURCE, 'samples/gemm/gemm_dps.pto')
QUEUES = os.path.join(SOURCE, 'samples/queues/functions.pto')
SIZES = ['m=128', 'n=128', 'k=1024']
tap = Tap()


def run(*words):
    env = dict(os.environ, LC_ALL='C', NO_COLOR='1')
    return subprocess.run([PTOASM, 'time', *words], env=env, capture_output=True, text=True, check=False)


def report(*words):
    done = run('--format=json', *words)
    return json.loads(done.stdout) if done.returncode == 0 else {'error': done.stderr}


def program(statements, args='', kind='vector'):
    return ('func.func @f(%%x: !pto.partition_tensor_view<16x64xf32>, %%y: !pto.partition_tensor_view<16x64xf32>%s) attributes '
            '{pto.entry, pto.kernel_kind = #pto.kernel_kind<%s>} {\n%s  return\n}\n' % (args, kind, statements))


TILE = '!pto.tile_buf<vec, 16x64xf32>'
LOAD = '  pto.tload ins(%%x : !pto.partition_tensor_view<16x64xf32>) outs(%%t : %s)\n' % TILE
STORE = '  pto.tstore ins(%%t : %s) outs(%%y : !pto.partition_tensor_view<16x64xf32>)\n' % TILE
ALLOC = '  %%a = arith.constant 0 : i64\n  %%t = pto.alloc_tile addr = %%a : %s\n' % TILE
ALLOC = ALLOC.replace('%%', '%')


def written(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text.replace('%%', '%'))
    return path


def check_report():
    whole = report(SAMPLE, *SIZES)
    core = whole['cores'][0]
    by_pipe = {p['pipe']: 0 for p in core['pipes']}
    for s in core['statements']:
        if s['cycles']:
            by_pipe[s['pipe']] += s['cycles']
    off = [p['pipe'] for p in core['pipes'] if abs(p['busy'] - by_pipe[p['pipe']]) > 1e-6 * p['busy']]
    tap.ok(not off, 'statements add up to the time that their pipe is busy', off)
    chain = sum(s['critical'] for s in core['statements'])
    tap.ok(0 < chain <= core['cycles'] * (1 + 1e-9), 'the longest chain is no longer than the whole: %g of %g' % (chain, core['cycles']))
    tap.ok(abs(sum(core['origins'].values()) - sum(by_pipe.values())) < 1e-3, 'origins add up')
    perfect = [w['cycles'] for w in whole['what_if'] if 'overlap' in w['what']][0]
    tap.ok(perfect <= whole['cycles'] and all(w['cycles'] <= whole['cycles'] + 1e-6 for w in whole['what_if']), 'a faster pipe makes nothing slower', whole['what_if'])
    text = run(SAMPLE, *SIZES).stdout
    tap.ok('{:,.0f} cycles'.format(whole['cycles']) in text, 'text and JSON say the same')
    twice = report(SAMPLE, 'm=128', 'n=128', 'k=2048')
    tap.ok(1.7 < twice['cycles'] / whole['cycles'] < 2, 'twice as deep takes almost twice as long')
    slow = report('--set=gm-l1=10', SAMPLE, *SIZES)
    tap.ok(slow['cycles'] > 5 * whole['cycles'], 'a slower memory')
    shared = report('--blocks=1000', SAMPLE, *SIZES)
    tap.ok(shared['cycles'] > 10 * whole['cycles'], 'a memory that a thousand blocks share')
    tap.ok(report(SAMPLE, '128', '128', '1024')['cycles'] == whole['cycles'], 'numbers alone')
    tap.ok(report(SAMPLE, 'a.npy', 'zeros', 'zeros', '128', '128', '1024')['cycles'] == whole['cycles'], 'arguments as for run')


def check_cores():
    both = report(QUEUES, 'blocks=4')
    kinds = [c['core'] for c in both['cores']]
    tap.ok(kinds == ['cube', 'vector'] and both['uncertain'], 'cube and vector cores of a block', both)
    late = report('--set=cross=1000', QUEUES, 'blocks=4')
    tap.ok(late['cycles'] > both['cycles'] + 1500, 'signals between cores cost what they are said to')


class Page(HTMLParser):
    boxes = scripts = 0

    def handle_starttag(self, tag, attrs):
        self.boxes += ('class', 'box') in attrs
        self.scripts += tag in ('script', 'link', 'img', 'iframe')


def check_files(folder):
    page, trace, before = (os.path.join(folder, n) for n in ('t.html', 't.json', 'b.json'))
    run('-o', page, '--trace=' + trace, SAMPLE, *SIZES)
    with open(page, encoding='utf-8') as file:
        text = file.read()
    parsed = Page()
    parsed.feed(text)
    tap.ok(parsed.boxes > 10 and parsed.scripts == 0 and 'http' not in text, 'one page, with %d boxes' % parsed.boxes)
    with open(trace, encoding='utf-8') as file:
        written_trace = json.load(file)
    events = written_trace['traceEvents']
    tap.ok(written_trace['whole'] is True, 'the whole trace')
    busy = sum(e['args']['cycles'] for e in events if e['ph'] == 'X')
    whole = report(SAMPLE, *SIZES)
    tap.ok(abs(busy - sum(p['busy'] for p in whole['cores'][0]['pipes'])) < 1, 'the slices of the trace are what pipes are busy')
    annotated = run('--annotate', SAMPLE, *SIZES).stdout.splitlines()
    with open(SAMPLE, encoding='utf-8') as file:
        tap.ok([line.split(' | ', 1)[1] for line in annotated[1:]] == file.read().splitlines(), 'the annotated text is the text')
    run('--format=json', '-o', before, SAMPLE, *SIZES)
    tap.ok(run('--baseline=' + before, SAMPLE, *SIZES).returncode == 0, 'as fast as before')
    slower = run('--baseline=' + before, '--allow-slower=3', '--set=gm-l1=100', SAMPLE, *SIZES)
    tap.ok(slower.returncode == 1 and 'more than' in slower.stderr and 'pto.tload' in slower.stderr, 'slower than before', slower.stderr)
    tap.ok(run('--fail-above=1000', SAMPLE, *SIZES).returncode == 1 and run('--fail-above=100000', SAMPLE, *SIZES).returncode == 0, '--fail-above')
    compared = run('--compare=' + SAMPLE, SAMPLE, *SIZES)
    tap.ok(compared.returncode == 0 and '+0.0 %' in compared.stdout and len(compared.stdout.splitlines()) == 2, 'compared with itself', compared.stdout)


def refused(name, words, code, pattern):
    done = run(*words)
    tap.ok(done.returncode == code and re.search(pattern, done.stderr), name, '%d %s' % (done.returncode, done.stderr))


def check_refusals(folder):
    flag = 'pto.wait_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]\n'
    refused('an extent without its argument', [SAMPLE], 3, r'line \d+: the valid region of a tile depends on %m: give the argument, as in m=1')
    refused('no number', [SAMPLE, 'm=x'], 2, "argument m: expected a number of type index, found 'x'")
    refused('an unknown name', [SAMPLE, 'q=1'], 2, "'q=1': @gemm has no parameter or value of this name")
    refused('too many arguments', [SAMPLE] + ['1'] * 9, 2, '@gemm takes 6 arguments, 3 of them numbers; 9 are given')
    refused('an unknown function', ['--entry=g', SAMPLE], 2, "no function 'g'")
    refused('no chip', ['--profile=cpu', SAMPLE], 3, 'is no chip')
    refused('a parameter that there is not', ['--set=speed=1', SAMPLE], 2, "no parameter 'speed'")
    path = written(folder, 'wait.pto', program(ALLOC + flag + STORE))
    refused('a flag that nothing sets', [path], 3, 'line 4: .* waits for ever')
    path = written(folder, 'bad.tsv', 'par speed 1\n')
    refused('a bad file of parameters', ['--params=' + path, SAMPLE, *SIZES], 2, "bad.tsv', line 1: there is no parameter of this name")
    refused('no report', ['--baseline=' + path, SAMPLE, *SIZES], 2, 'is no report')
    path = written(folder, 'points.tsv', 'source\tprofile\tinstr\tdtype\trows\tcols\tvrows\tvcols\textra\nx\ta2a3\ttnone\tf32\t1\t1\t1\t1\t\n')
    refused('an unknown instruction in points', ['--points=' + path], 2, "line 2, 'tnone': there is no instruction of this name")
    tap.ok(re.search(r"line 4: pto.wait_flag for EVENT_ID0 from PIPE_MTE2 to PIPE_V waits for ever: no set is left to wait for \[sync-deadlock\]", run(os.path.join(folder, 'wait.pto')).stderr),
           'the message of the proof')
    items = os.path.join(SOURCE, 'tests/micro/items.pto')
    refused('work items', ['--profile=a5', items, '1'], 3, "line 16: 'pto.simt_launch' runs code of work items, of which no times are published")
    refused('a function of work items', ['--profile=a5', '--entry=body', items], 3, 'line 47: @body is code of work items')
    endless = ('  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n  %big = arith.constant 4000000000 : index\n'
               '  scf.for %i = %c0 to %big step %c1 {\n  }\n')
    path = written(folder, 'endless.pto', program(endless))
    done = subprocess.run([PTOASM, 'time', path], capture_output=True, text=True, check=False, timeout=60)
    tap.ok(done.returncode in (0, 3), 'a loop of four thousand million turns ends', done.stderr)


HEAD = 'source\tprofile\tinstr\tdtype\trows\tcols\tvrows\tvcols\textra\n'


def check_options(folder):
    """Numbers are read strictly, and options that contradict each other are refused."""
    for m in '0x', '12a', '1.5', '99999999999999999999', '':
        refused('no number: %r' % m, [SAMPLE, 'm=' + m], 2, 'argument m: expected a number of type index')
    tap.ok(report(SAMPLE, 'm=0x80', *SIZES[1:])['cycles'] == report(SAMPLE, *SIZES)['cycles'], 'a hexadecimal number')
    byte = written(folder, 'byte.pto', program('', ', %n: ui8'))
    refused('a number beyond its type', [byte, 'n=256'], 2, "argument n: expected a number of type ui8, found '256'")
    refused('a negative number', [byte, 'n=-1'], 2, 'argument n: expected a number of type ui8')
    tap.ok(run(byte, 'n=255').returncode == 0, 'the largest number of a type')
    view = written(folder, 'view.pto', 'func.func @f(%x: !pto.partition_tensor_view<?x64xf32>) attributes {pto.entry, pto.kernel_kind = '
                   '#pto.kernel_kind<vector>} {\n  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n'
                   '  %n = pto.get_tensor_view_dim %x, %c0 : !pto.partition_tensor_view<?x64xf32> -> index\n'
                   '  %z = arith.constant 1.0 : f32\n' + ALLOC + '  scf.for %i = %c0 to %n step %c1 {\n'
                   '    pto.texpands ins(%z : f32) outs(%t : ' + TILE + ')\n  }\n  return\n}\n')

    def turns(word):
        found = report(view, word)
        return [s['count'] for s in found['cores'][0]['statements']] if 'cores' in found else found
    for word in '5x64', 'zeros:5x64', 'random:7:5x64', 'ones:f32x5x64':
        tap.ok(turns(word) == [5], 'the shape %s' % word, turns(word))
    for word in '5', '5x', '5x64x1', 'zeros:x5x64', '5y64', 'zeros:q32x5x64', '5x99999999999':
        refused('no shape: %s' % word, [view, word], 2, 'argument x: expected 2 extents, as in 16x64')
    refused('an extent that the type gives', [view, '5x32'], 2, 'argument x: extent 1 is 32, but the type says 64')
    for word in 'random:5', 'in:5.npy', '2x.npy':
        refused('data without a shape: %s' % word, [view, word], 3, 'the number of iterations depends on %x: give the argument, as in x=16x64')
    refused('a value that is no integer', [SAMPLE, 'a1=1'], 2, "'a1=1': %a1 is no integer")
    for text, why in (('op vadd 3 1 1 1', '2, 4, 8 or any'), ('op vadd 4x 1 1 1', '2, 4, 8 or any'), ('op vnone any 1 1 1', 'no operation'),
                      ('par gm-l1 1x', 'expected'), ('par gm-l1 -1', 'expected'), ('par gm-l1 inf', 'expected'), ('par gm-l1 1 2', 'expected'),
                      ('par gm-l1 0', 'too small'), ('par clock-mhz 0', 'too small'), ('par load-ports 0', 'too small')):
        path = written(folder, 'p.tsv', text + '\n')
        refused('the parameters ' + text, ['--params=' + path, SAMPLE, *SIZES], 2, "p.tsv', line 1: .*" + why)
    for name in 'clock-mhz', 'ub-ub', 'gm-ub', 'gm-l1', 'ub-gm', 'l1-gm', 'l0c-gm', 'l0c-l1', 'l1-l0a', 'l1-l0b', 'l1-bt', 'l1-fb', 'read-total', 'write-total', 'load-ports':
        refused('nothing is divided by %s = 0' % name, ['--set=%s=0' % name, SAMPLE, *SIZES], 2, 'times are divided by it')
    tap.ok(run('--set=gm-ub-start=0', SAMPLE, *SIZES).returncode == 0, 'a start that takes no time')
    refused('names of parameters', ['--set=gm-l2=1', SAMPLE], 2, r"no parameter 'gm-l2'; did you mean 'gm-l1'\? There are: clock-mhz, .*, flag, issue")
    many = ['--set=gm-l1=%d' % i for i in range(1, 136)]
    tap.ok(report(*many, SAMPLE, *SIZES).get('cycles') == report(SAMPLE, *SIZES)['cycles'], 'many --set: the last one of a name counts')
    refused('more --set than there may be', 2 * many, 2, 'at most 256 times')
    refused('--set without a number', ['--set=gm-l1=1x', SAMPLE], 2, 'is not NAME=NUMBER')
    points = written(folder, 'many.tsv', HEAD + 'x\ta2a3\ttadd\tf32\t1\t64\t1\t64\t\n' * 3000)
    done = subprocess.run([PTOASM, 'time', '--params=-', '--points=' + points], input='', capture_output=True, text=True, check=False)
    tap.ok(done.returncode == 2 and '--params=- goes with one FILE' in done.stderr, '--params=- with --points', done.stderr)
    refused('--points with FILE', ['--points=' + points, SAMPLE], 2, '--points takes no FILE')
    refused('--compare as JSON', ['--compare=' + SAMPLE, '--format=json', SAMPLE, *SIZES], 2, '--compare prints text')
    refused('a block that there is not', ['--grid=4', '--block=4', SAMPLE, *SIZES], 2, '--block=4: the launch has 4 blocks')
    refused('a launch without blocks', ['--grid=0', SAMPLE, *SIZES], 2, 'the launch has 0 blocks')
    params = os.path.join(folder, 'fifo')
    os.mkfifo(params)
    with subprocess.Popen([PTOASM, 'time', '--params=' + params, '--points=' + points], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as timed:
        with open(params, 'w', encoding='utf-8') as file:
            file.write('op vadd any 1 1000 1\n')
        out = timed.communicate(timeout=30)[0].split('\n')
    tap.ok(len([line for line in out if line.endswith('\t1001')]) == 3000, 'the parameters are read once for all points')
    for row, why in ('a5\tvadd\tf32\t1\t1\t1\t1\t2x', 'N loads'), ('a5\tvnone\tf32\t1\t1\t1\t1\t1 load', 'no instruction'), ('a2a3\ttmrgsort\tf32\t1\t64\t1\t64\tx', 'length of a block'):
        path = written(folder, 'q.tsv', HEAD + 'x\t' + row + '\n')
        refused('the point ' + row.replace('\t', ' '), ['--points=' + path], 2, "q.tsv', line 2, .*" + why)
    slow = written(folder, 'slow.tsv', 'op vadd any 900000000000 900000000000 1\n')
    path = written(folder, 'add.pto', program(ALLOC + ('  pto.tadd ins(%t, %t : ' + TILE + ', ' + TILE + ') outs(%t : ' + TILE + ')\n') * 200))
    tap.ok(': 2.881e+15 cycles' in run('--params=' + slow, path).stdout, 'a number of cycles that is very large', run('--params=' + slow, path).stdout[:200])


def check_files_read(folder):
    """Reports and tables that are none, outputs that would overwrite what is read, options without a use."""
    before = os.path.join(folder, 'base.json')
    run('--format=json', '-o', before, SAMPLE, *SIZES)
    with open(before, encoding='utf-8') as file:
        good = json.load(file)
    for name, change in (('no number of cycles', {'cycles': 'x'}), ('negative cycles', {'cycles': -1}), ('another version', {'version': 99}), ('no cores', {'cores': 'x'})):
        path = written(folder, 'changed.json', json.dumps({**good, **change}))
        refused('a report with %s' % name, ['--baseline=' + path, SAMPLE, *SIZES], 2, "changed.json' is no report")
    for text in '', '{}', '[1,2':
        refused('a report that is %r' % text, ['--baseline=' + written(folder, 'changed.json', text), SAMPLE, *SIZES], 2, "changed.json' is no report")
    none = os.path.join(folder, 'none.txt')
    for words in ['--law=vendor'], ['--profile=a5']:
        refused('a report about another %s' % words[0], ['--baseline=' + before, '-o', none, *words, SAMPLE, *SIZES], 2, r"base.json' is not about profile a\S+ and law ")
        tap.ok(not os.path.exists(none), 'and nothing is written: %s' % words[0])
    tap.ok(run('--baseline=' + written(folder, 'changed.json', json.dumps({**good, 'cores': []})), SAMPLE, *SIZES).returncode == 0, 'a report without statements')
    tap.ok('cycles are more than the 0 of' in run('--baseline=' + written(folder, 'changed.json', json.dumps({**good, 'cycles': 0})), SAMPLE, *SIZES).stderr, 'before there were no cycles')
    done = run('--baseline=nofile', '-o', none, SAMPLE, *SIZES)
    tap.ok(done.returncode == 2 and not os.path.exists(none), 'a baseline that cannot be read is no reason to write', done.stderr)
    with open(SAMPLE, encoding='utf-8') as file:
        copy = written(folder, 'copy.pto', file.read())
    with open(copy, encoding='utf-8') as file:
        text = file.read()
    for words in ['-o', copy], ['--trace=' + copy], ['--trace=' + copy, '--compare=' + copy], ['-o', before, '--baseline=' + before], ['--trace=' + before, '--baseline=' + before]:
        refused('nothing that is read is overwritten: %s' % words[0], words + [copy, *SIZES], 2, 'would be overwritten by its own output')
    refused('one file for two outputs', ['-o', os.path.join(folder, 'o'), '--trace=' + os.path.join(folder, 'o'), copy, *SIZES], 2, 'would both go to')
    with open(copy, encoding='utf-8') as file:
        tap.ok(file.read() == text, 'the program is as it was')
    for words, why in ((['--annotate', '--format=json'], '--annotate prints text'), (['--annotate', '-o', 'x.html'], '--annotate prints text'),
                       (['--format=json', '-o', 'x.html'], 'exclude each other'), (['--allow-slower=5'], '--allow-slower goes with --baseline')):
        refused(' '.join(words), words + [SAMPLE, *SIZES], 2, why)
    points = written(folder, 'none.tsv', HEAD)
    tap.ok(run('--points=' + points).stdout == HEAD.rstrip('\n') + '\tmodel\n', 'a table without rows')
    for text, line in ('', 1), ('{}\n', 1), ('# x\n\n', 3), ('source,profile,instr\n', 1), (HEAD.replace('\t', ' '), 1), ('x\ta2a3\ttadd\tf32\t1\t64\t1\t64\t\n', 1):
        refused('a table without names of columns: %r' % text[:20], ['--points=' + written(folder, 'bad.tsv', text)], 2, "bad.tsv', line %d: expected a row that names the columns" % line)
    for words in ['--annotate'], ['--trace=x'], ['--baseline=' + before], ['--fail-above=1'], ['--format=json'], ['--top=2'], ['--grid=2'], ['--entry=f'], ['--compare=' + SAMPLE]:
        refused('--points with %s' % words[0], ['--points=' + points, *words], 2, '--points goes with ')
    refused('a division by zero', [SAMPLE, 'm=0', 'n=0', 'k=0'], 3, r"the valid region of a tile depends on %i, for which 'arith.divui' divides by zero")
    done = subprocess.run([PTOASM, 'time', SAMPLE, 'm=128', 'n=128', 'k=%d' % (2 ** 63 - 1)], capture_output=True, text=True, check=False, timeout=60)
    tap.ok(done.returncode == 3 and len(done.stderr.splitlines()) == 1, 'the largest number of iterations', done.stderr)


def check_large(folder):
    """What is done for each line, statement or change takes a time in proportion to the text."""
    lines = ''.join('  %%c%d = arith.constant 1.0 : f32\n  pto.tadds ins(%%t, %%c%d : %s, f32) outs(%%t : %s)\n' % (i, i, TILE, TILE) for i in range(60000))
    path = written(folder, 'large.pto', program(ALLOC + lines))
    for words in (['--annotate', path], ['--compare=' + path, path]):
        try:
            done = subprocess.run([PTOASM, 'time', *words], capture_output=True, text=True, check=False, timeout=20)
            tap.ok(done.returncode == 0, 'a large kernel: %s' % words[0][:9], done.stderr)
        except subprocess.TimeoutExpired:
            tap.ok(False, 'a large kernel: %s' % words[0][:9], 'more than 20 seconds')


def price(folder, row, *options):
    path = written(folder, 'one.tsv', HEAD + 'x\t' + row + '\n')
    return float(run('--points=' + path, *options).stdout.split()[-1])


def check_prices(folder):
    """What decides a price besides the shape: a sum by pairs, the length of merged blocks."""
    row = '!pto.tile_buf<vec, 1x128xf32>'
    mat = '!pto.tile_buf<vec, 64x128xf32>'
    base = '  %a = arith.constant 0 : i64\n  %b = arith.constant 65536 : i64\n  %d = arith.constant 131072 : i64\n'
    base += '  %t = pto.alloc_tile addr = %a : ' + mat + '\n  %u = pto.alloc_tile addr = %b : ' + mat + '\n  %o = pto.alloc_tile addr = %d : ' + row + '\n'
    for words, extra in (' {isBinary = true}', 'binary'), ('', ''):
        scratch = ', %u' if words else ''
        path = written(folder, 'sum.pto', program(base + '  pto.tcolsum ins(%t' + scratch + words + ' : ' + mat + (', ' + mat) * (words != '') + ') outs(%o : ' + row + ')\n'))
        found = report(path)
        want = price(folder, 'a2a3\ttcolsum\tf32\t64\t128\t64\t128\t' + extra)
        tap.ok(abs(found.get('cycles', 0) - want) < 1, 'a sum of columns%s: %g' % (words, want), found)
    merged = '!pto.tile_buf<vec, 1x1024xf32>'
    base = ('  %a = arith.constant 0 : i64\n  %b = arith.constant 8192 : i64\n  %t = pto.alloc_tile addr = %a : ' + merged + '\n'
            '  %u = pto.alloc_tile addr = %b : ' + merged + '\n')
    path = written(folder, 'merge.pto', program(base + '  pto.tmrgsort ins(%t, %n : ' + merged + ', i32) outs(%u : ' + merged + ')\n', ', %n: i32'))
    for n in 64, 128:
        found, want = report(path, 'n=%d' % n), price(folder, 'a2a3\ttmrgsort\tf32\t1\t1024\t1\t1024\t%d' % n)
        tap.ok(found.get('cycles') == want, 'blocks of %d are merged: %g' % (n, want), found)
    refused('a block of no elements', [path, 'n=0'], 3, 'a block of 0 elements is impossible')
    refused('a block of unknown length', [path], 3, 'the length of a block depends on %n')
    for words, extra in (' {precisionType = #pto<recip_precision high_precision>}', 'high_precision'), ('', 'default'):
        path = written(folder, 'recip.pto', program(ALLOC + '  pto.trecip ins(%t : ' + TILE + ') outs(%t : ' + TILE + ')' + words + '\n'))
        found, want = report('--profile=a5', path), price(folder, 'a5\ttrecip\tf32\t16\t64\t16\t64\t' + extra)
        tap.ok(abs(found.get('cycles', 0) - want) < 0.01, 'a reciprocal%s: %g' % (words, want), found)
    for row, want in (('a5\tvcvt_f32_to_s32\tf32->i32\t1\t40\t1\t40\t1 load', 48 + 8 + 39), ('a5\tvcvt_f16_to_f32\tf16->f32\t1\t40\t1\t40\t1 load', 48 + 7 + 39),
                      ('a5\tvcmp_eq\tf32\t1\t40\t1\t40\t1 load', 48 + 6 + 39)):
        tap.ok(price(folder, row) == want, 'the operation ' + row.split('\t')[1], price(folder, row))


SIGNALS = '''module {
  func.func @f(%%n: index) attributes {pto.entry} {
    %%c0 = arith.constant 0 : index
    %%c1 = arith.constant 1 : index
    pto.section.cube {
      scf.for %%i = %%c0 to %%n step %%c1 {
        pto.barrier <PIPE_ALL>
        %s
      }
    }
    pto.section.vector {
      scf.for %%i = %%c0 to %%n step %%c1 {
        pto.barrier <PIPE_ALL>
        %s
      }
    }
    return
  }
}
'''


def check_signals(folder):
    """Signals between cores whose numbers are written in the text."""
    path = os.path.join(folder, 'signals.pto')

    def signals(cube, vector):
        with open(path, 'w', encoding='utf-8') as file:
            file.write(SIGNALS % (cube, vector))
        return report('--profile=a5', '--set=cross=100', path, 'n=4')
    there = signals('pto.set_intra_block <PIPE_FIX>, 3\n        pto.wait_intra_block <PIPE_FIX>, 5', 'pto.wait_intra_block <PIPE_V>, 3\n        pto.set_intra_block <PIPE_V>, 5')
    tap.ok(there.get('cycles') == 800, 'signals there and back', there)
    second = signals('pto.set_intra_block <PIPE_FIX>, 3\n        pto.set_intra_block <PIPE_FIX>, 19\n        pto.wait_intra_block <PIPE_FIX>, 21',
                     'pto.wait_intra_block <PIPE_V>, 3\n        pto.set_intra_block <PIPE_V>, 5')
    tap.ok(second.get('cycles') == 800, 'a signal of vector core 1', second)
    wrong = signals('pto.set_intra_block <PIPE_FIX>, 3\n        pto.wait_intra_block <PIPE_FIX>, 5', 'pto.wait_intra_block <PIPE_V>, 4\n        pto.set_intra_block <PIPE_V>, 5')
    tap.ok('waits for ever: a vector core does not signal event 5' in wrong.get('error', ''), 'a signal of another number', wrong)


GRID = '''  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %bi = pto.get_block_idx
  %b = arith.index_cast %bi : i64 to index
  %from = arith.muli %b, %c8 : index
  %end = arith.addi %from, %c8 : index
  %to = arith.minsi %end, %n : index
  scf.for %i = %from to %to step %c1 {
LOAD  }
  %kind = arith.remui %b, %c3 : index
  %is = arith.cmpi eq, %kind, %c1 : index
  scf.if %is {
STORE  }
'''


def check_grid(folder):
    """All blocks of a launch: those of a kind take what each of them takes alone."""
    text = ALLOC + GRID.replace('LOAD', LOAD).replace('STORE', STORE)
    path = written(folder, 'grid.pto', program(text, ', %n: index'))
    whole = report('--grid=14', '--set=vector-cores=5', path, 'n=101')
    alone = [report('--grid=14', '--block=%d' % b, path, 'n=101')['cycles'] for b in range(14)]
    kinds = {k['first'] + i * k['step']: k['cycles'] for k in whole['grid']['kinds'] for i in range(k['count'])}
    tap.ok(kinds == dict(enumerate(alone)) and len(whole['grid']['kinds']) < 8, 'kinds of blocks', whole['grid'])
    cores = [0] * 5
    for cycles in alone:
        cores[cores.index(min(cores))] += cycles
    tap.ok(abs(max(cores) - whole['grid']['cycles']) < 1e-6 and whole['grid']['at_once'] == 5, 'each block on the first core that is free', whole['grid'])
    tap.ok(re.search(r'grid: 14 blocks, 5 at a time: [0-9,]+ cycles', run('--grid=14', '--set=vector-cores=5', path, 'n=101').stdout), 'the grid in the text')
    large = report('--grid=1000000', path, 'n=8000000')
    tap.ok(sum(k['count'] for k in large['grid']['kinds']) == 1000000 and large['grid']['at_once'] == 48, 'a million blocks', large)
    tap.ok(report(path, 'n=8')['grid'] is None, 'one block is no grid')
    fails = text.replace('%is = ', '%is2 = ').replace('scf.if %is {\n', '%is = arith.cmpi eq, %b, %c3 : index\n  scf.if %is {\n  pto.wait_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]\n')
    path = written(folder, 'fails.pto', program(fails, ', %n: index'))
    tap.ok('grid: not known: block 3: pto.wait_flag for EVENT_ID0' in run('--grid=5', path, 'n=40').stdout, 'a block that never ends', run('--grid=5', path, 'n=40'))
    tap.ok(report('--grid=2', SAMPLE, *SIZES)['grid']['at_once'] == 24, 'a block with a cube core')


def check_what_if(folder):
    """Without flags nothing takes longer, and one buffer with perfect double buffering is as fast as many."""
    loop = ('  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n  %c40 = arith.constant 40 : index\n' + ALLOC +
            '  pto.set_flag[<PIPE_V>, <PIPE_MTE2>, <EVENT_ID0>]\n  scf.for %i = %c0 to %c40 step %c1 {\n'
            '  pto.wait_flag[<PIPE_V>, <PIPE_MTE2>, <EVENT_ID0>]\n' + LOAD + '  pto.set_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]\n'
            '  pto.wait_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]\n  pto.texp ins(%t : ' + TILE + ') outs(%t : ' + TILE + ')\n'
            '  pto.set_flag[<PIPE_V>, <PIPE_MTE2>, <EVENT_ID0>]\n  }\n  pto.wait_flag[<PIPE_V>, <PIPE_MTE2>, <EVENT_ID0>]\n')
    found = report(written(folder, 'one.pto', program(loop)))
    what = {w['what']: w['cycles'] for w in found['what_if']}
    busy = {p['pipe']: p['busy'] for p in found['cores'][0]['pipes']}
    tap.ok(abs(found['cycles'] - busy['MTE2'] - busy['V']) < 1, 'one buffer: load and vector unit take turns', found['cycles'])
    tap.ok(abs(what['perfect double buffering'] - max(busy.values()) - min(busy.values()) / 40) < 1, 'perfect double buffering', what)
    tap.ok(abs(what['no flags'] - max(busy.values())) < 1, 'no flags', what)


def check_room(folder):
    """A second buffer is advised with what is missing for it; where the wait is at the end of the loop too."""
    for rows, cols, missing in (16, 64, 0), (64, 512, 2 * 64 * 512 * 4 - 192 * 1024):
        for late in False, True:
            tile, view = '!pto.tile_buf<vec, %dx%dxf32>' % (rows, cols), '!pto.partition_tensor_view<%dx%dxf32>' % (rows, cols)
            wait = '  pto.wait_flag[<PIPE_V>, <PIPE_MTE2>, <EVENT_ID0>]\n'
            text = ('func.func @f(%x: VIEW) attributes {pto.entry, pto.kernel_kind = #pto.kernel_kind<vector>} {\n  %a = arith.constant 0 : i64\n'
                    '  %t = pto.alloc_tile addr = %a : TILE\n  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n  %c9 = arith.constant 9 : index\n'
                    + ('' if late else '  pto.set_flag[<PIPE_V>, <PIPE_MTE2>, <EVENT_ID0>]\n') + '  scf.for %i = %c0 to %c9 step %c1 {\n' + ('' if late else wait) +
                    '  pto.tload ins(%x : VIEW) outs(%t : TILE)\n  pto.set_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]\n'
                    '  pto.wait_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]\n  pto.texp ins(%t : TILE) outs(%t : TILE)\n'
                    '  pto.set_flag[<PIPE_V>, <PIPE_MTE2>, <EVENT_ID0>]\n' + (wait if late else '') + '  }\n' + ('' if late else wait) + '  return\n}\n')
            path = written(folder, 'room.pto', text.replace('VIEW', view).replace('TILE', tile))
            advice = [a['text'] for a in report(path).get('advice', [])]
            want = 'loads wait until V has read the buffer: a second buffer' + (', for which %d bytes are missing in vec' % missing if missing else '')
            tap.ok(want in advice, 'a second buffer of %d bytes' % (4 * rows * cols), report(path).get('advice', run(path).stderr))


def check_phases(folder):
    """Pipes that wait for each other inside a statement: the scalar unit, and so what follows, waits for the vector unit."""
    index = '!pto.tile_buf<vec, 16x64xi32>'
    scatter = ('  %b = arith.constant 4096 : i64\n  %d = arith.constant 8192 : i64\n  %i = pto.alloc_tile addr = %b : ' + index + '\n'
               '  %o = pto.alloc_tile addr = %d : ' + TILE + '\n' + LOAD + '  pto.set_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]\n'
               '  pto.wait_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]\n  pto.tscatter ins(%t, %i : ' + TILE + ', ' + index + ') outs(%o : ' + TILE + ')\n' + LOAD)
    path = written(folder, 'phases.pto', program(ALLOC + scatter))
    for law, waits in ('device', True), ('vendor', False):
        found = report('--law=' + law, path)
        busy = {p['pipe']: p['busy'] for p in found['cores'][0]['pipes']}
        want = busy['MTE2'] + busy['V'] if waits else max(busy['MTE2'], busy['MTE2'] / 2 + busy['V'])
        tap.ok(abs(found['cycles'] - want) < 0.01, 'phases of a statement, law %s' % law, found)


def check_turns(folder):
    """Loops of many turns take no longer than those of few, and as many cycles a turn."""
    loops = ''.join('  scf.for %%i%d = %%c0 to %%n step %%c1 {\n' % i for i in range(3))
    nest = '  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n' + ALLOC + loops + LOAD + '  }\n' * 3
    path = written(folder, 'nest.pto', program(nest, ', %n: index'))
    one, many = report(path, 'n=1'), report(path, 'n=1500')
    tap.ok(abs(many['cycles'] / one['cycles'] / 1500 ** 3 - 1) < 1e-9, '3 375 000 000 turns', many['cycles'])
    for n in 100000, 10 ** 9:
        refused('%d^3 turns' % n, [path, 'n=%d' % n], 3, 'takes too long to be exact')
    refused('more turns than it can count', [path, 'n=%d' % 2 ** 62], 3, 'too many statements')
    at = [report(SAMPLE, 'm=128', 'n=128', 'k=%d' % k)['cycles'] for k in (40960, 81920, 10 ** 9, 10 ** 9 + 40960)]
    tap.ok(abs((at[1] - at[0]) - (at[3] - at[2])) < 0.05, 'turns of a long loop', at)


def check_control(folder):
    """Conditions by value, loops, and values that the caller gives."""
    text = ALLOC + ('  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n  %c2 = arith.constant 2 : index\n'
                    '  scf.for %i = %c0 to %n step %c1 {\n    %odd = arith.remui %i, %c2 : index\n    %is = arith.cmpi eq, %odd, %c1 : index\n'
                    '    scf.if %is {\n      ' + LOAD + '    }\n  }\n')
    path = written(folder, 'loop.pto', program(text, ', %n: index'))
    one, ten = report(path, 'n=2'), report(path, 'n=20')
    count = [s['count'] for s in ten['cores'][0]['statements'] if s['instruction'] == 'pto.tload']
    tap.ok(count == [10] and abs(ten['cycles'] - 10 * one['cycles']) < 1, 'every second turn loads', ten)


def check_many_blocks():
    """Blocks that all differ, each with scopes: a block takes no longer when many were timed before. Each needs some
    10 kB to the end."""
    with open('/proc/meminfo', encoding='ascii') as f:
        free = int(re.search(r'MemAvailable: +(\d+) kB', f.read()).group(1))
    if free < 6 << 20:
        tap.skip('300,000 blocks that differ', 'less than 6 GB of memory are free')
        return
    sample = os.path.join(SOURCE, 'samples/softmax/softmax_micro.pto')
    try:
        done = subprocess.run([PTOASM, 'time', '--grid=300000', sample, 'rows=%d' % -2 ** 63], capture_output=True, text=True, check=False, timeout=120)
        tap.ok(done.returncode == 0 and 'grid: 300000 blocks' in done.stdout, '300,000 blocks that differ', done.stdout[:300] + done.stderr)
    except subprocess.TimeoutExpired:
        tap.ok(False, '300,000 blocks that differ', 'more than 120 seconds')


SCOPE = '''func.func @f(%%n: index) attributes {pto.entry, pto.kernel_kind = #pto.kernel_kind<vector>} {
  %%c0 = arith.constant 0 : index
  %%c1 = arith.constant 1 : index
  %%c64 = arith.constant 64 : index
  %%a = arith.constant 0 : i64
  %%e = pto.castptr %%a : i64 -> !pto.ptr<f32, ub>
  pto.vecscope {
    %%all = pto.pset_b32 "PAT_ALL" : !pto.mask<b32>
    scf.for %%i = %%c0 to %%n step %%c1 {
      %%at = arith.muli %%i, %%c64 : index
%s      pto.vsts %%r, %%e[%%at], %%all : !pto.vreg<64xf32>, !pto.ptr<f32, ub>, !pto.mask<b32>
    }
  }
  return
}
'''
LANES = '      %%%s = pto.vlds %%e[%%at] : !pto.ptr<f32, ub> -> !pto.vreg<64xf32>\n'


def check_scopes(folder):
    """A scope with one operation takes what the law of single operations says."""
    for name, loads in ('vadd', 2), ('vdiv', 2), ('vexp', 1), ('vcadd', 1):
        regs = ['x', 'y'][:loads]
        body = ''.join(LANES % r for r in regs)
        body += '      %%r = pto.%s %s, %%all : %s, !pto.mask<b32> -> !pto.vreg<64xf32>\n' % (
            name, ', '.join('%' + r for r in regs), ', '.join(['!pto.vreg<64xf32>'] * loads))
        path = os.path.join(folder, name + '.pto')
        with open(path, 'w', encoding='utf-8') as file:
            file.write(SCOPE % body.replace('%%', '%'))
        for n in 1, 2, 40:
            whole = report('--profile=a5', path, 'n=%d' % n)
            points = os.path.join(folder, 'one.tsv')
            with open(points, 'w', encoding='utf-8') as file:
                file.write('source\tprofile\tinstr\tdtype\trows\tcols\tvrows\tvcols\textra\n'
                           'x\ta5\t%s\tf32\t1\t%d\t1\t%d\t%d\n' % (name, n, n, loads))
            want = float(run('--points=' + points).stdout.split()[-1])
            tap.ok(abs(whole.get('cycles', 0) - want) <= 1, '%d times %s in a scope: %s, %g' % (n, name, whole.get('cycles'), want), whole)


# A function that moves two tiles, and one that calls it by a declaration in another module.
HELPER = '''func.func @helper() {
  %b = arith.constant 0 : i64
  %a = pto.alloc_tile addr = %b : !pto.tile_buf<vec, 16x64xf32>
  pto.texp ins(%a : !pto.tile_buf<vec, 16x64xf32>) outs(%a : !pto.tile_buf<vec, 16x64xf32>)
  return
}
'''
CALLER = '''func.func @f() attributes {pto.entry, pto.kernel_kind = #pto.kernel_kind<vector>} {
  func.call @helper() : () -> ()
  return
}
'''


def check_linked(folder):
    one = report('--entry=f', written(folder, 'one.pto', HELPER + CALLER))
    two = report('--entry=f', written(folder, 'two.pto', 'module {\nmodule attributes {pto.backend = "emitc"} {\n'
                                      'func.func private @helper()\n' + CALLER + '}\n'
                                      'module attributes {pto.backend = "emitc"} {\n' + HELPER + '}\n}\n'))
    tap.ok(one.get('cycles', 0) > 0 and one['cycles'] == two.get('cycles'),
           'a function that is declared takes as long as its body in another module', (one, two))


def check_data(folder):
    """What data decides: conditions hold unless the caller says otherwise, numbers of iterations are asked for."""
    read = '  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n  %v = pto.load_scalar %p[%c0] : !pto.ptr<i32> -> i32\n'
    branch = ALLOC + read + ('  %zero = arith.constant 0 : i32\n  %is = arith.cmpi ne, %v, %zero : i32\n  scf.if %is {\n  ' + LOAD + '  }\n')
    path = written(folder, 'branch.pto', program(branch, ', %p: !pto.ptr<i32>'))
    taken, left = report(path), report(path, 'v=0')
    count = [len([s for s in r['cores'][0]['statements'] if s['instruction'] == 'pto.tload']) for r in (taken, left)]
    tap.ok(count == [1, 0] and taken['uncertain'] and len(taken['assumed']) == 1 and not left['uncertain'], 'a condition that data decides', count)
    tap.ok('taken to hold, in line %d\n' % taken['assumed'][0] in run(path).stdout, 'the report says so')
    both = ALLOC + read + ('  %zero = arith.constant 0 : i32\n  cf.br ^head(%c0 : index)\n^head(%i: index):\n  %is = arith.cmpi ne, %v, %zero : i32\n'
                           '  cf.cond_br %is, ^load, ^next\n^load:\n' + LOAD + '  cf.br ^next\n^next:\n  %k = arith.addi %i, %c1 : index\n'
                           '  %more = arith.cmpi slt, %k, %m : index\n  cf.cond_br %more, ^head(%k : index), ^end\n^end:\n')
    path = written(folder, 'blocks.pto', program(both, ', %p: !pto.ptr<i32>, %m: index'))
    taken, left = report(path, 'm=7'), report(path, 'm=7', 'v=0')
    count = [sum(s['count'] for s in r['cores'][0]['statements'] if s['instruction'] == 'pto.tload') for r in (taken, left)]
    tap.ok(count == [7, 0] and len(taken['assumed']) == 1 and not left['assumed'], 'a branch that data decides', count)
    for ways in '^head(%k : index), ^end', '^end, ^head(%k : index)':
        path = written(folder, 'again.pto', program(both.replace('  %more = arith.cmpi slt, %k, %m : index\n  cf.cond_br %more, ^head(%k : index), ^end', '  cf.cond_br %is, ' + ways),
                                                    ', %p: !pto.ptr<i32>, %m: index'))
        refused('a branch that decides how often a loop runs', [path, 'm=7'], 3, r"line \d+: the condition depends on %v, which 'pto.load_scalar' gets from data: give it, as in v=1")
    loop = ALLOC + read + '  %n = arith.index_cast %v : i32 to index\n  scf.for %i = %c0 to %n step %c1 {\n  ' + LOAD + '  }\n'
    path = written(folder, 'data.pto', program(loop, ', %p: !pto.ptr<i32>'))
    refused('iterations that data decides', [path], 3, r"line \d+: the number of iterations depends on %v, which 'pto.load_scalar' gets from data: give it, as in v=1")
    tap.ok(report(path, 'v=3')['cycles'] > 2.9 * report(path, 'v=1')['cycles'], 'a number in place of data')


def check_origins(folder):
    """A figure that the caller gave is no measurement, on whichever chip; what does not rest on it stays."""
    def origins(*words):
        return {s['instruction']: s['origin'] for s in report(*words)['cores'][0]['statements'] if s['cycles']}
    plain = origins(SAMPLE, *SIZES)
    tap.ok(plain['pto.tload'] == plain['pto.tmatmul.acc'] == 'measured', 'origins', plain)
    for name, which in ('gm-l1', 'pto.tload'), ('mad-head', 'pto.tmatmul.acc'), ('l1-l0b-start', 'pto.tmov'), ('l0c-gm', 'pto.tstore'):
        for chip in 'a2a3', 'a5':
            found = origins('--profile=' + chip, '--set=%s=100' % name, SAMPLE, *SIZES)
            others = [i for i in found if found[i] == 'given' and i.split('.')[1] != which.split('.')[1]]
            tap.ok(found[which] == 'given' and not others, '%s is given on %s' % (name, chip), found)
    tap.ok(origins('--set=read-total=100', '--blocks=24', SAMPLE, *SIZES)['pto.tload'] == 'given' and origins('--set=read-total=100', SAMPLE, *SIZES)['pto.tload'] == 'measured',
           'a rate that only counts where memory is shared')
    vector = written(folder, 'vector.pto', program(ALLOC + '  pto.tadd ins(%t, %t : ' + TILE + ', ' + TILE + ') outs(%t : ' + TILE + ')\n'
                     '  pto.texp ins(%t : ' + TILE + ') outs(%t : ' + TILE + ')\n'))
    board = written(folder, 'board.tsv', 'op vadd any 2 30 20\n')
    tap.ok(origins('--params=' + board, vector) == {'pto.tadd': 'given', 'pto.texp': 'measured'}, 'an operation that is given', origins('--params=' + board, vector))
    tap.ok('given' in run('--params=' + board, vector).stdout, 'the text says so')
    other = '  %b = arith.constant 4096 : i64\n  %u = pto.alloc_tile addr = %b : ' + TILE + '\n'
    copy = written(folder, 'copied.pto', program(ALLOC + other + '  pto.tmov ins(%t : ' + TILE + ') outs(%u : ' + TILE + ')\n'))
    tap.ok(origins(copy) == {'pto.tmov': 'call model'}, 'a copy inside vec was not measured', origins(copy))


def check_source(folder):
    text = ALLOC + LOAD.rstrip('\n') + ' loc("kernel.py":12:3)\n'
    path = written(folder, 'loc.pto', program(text))
    found = [s['source'] for s in report(path)['cores'][0]['statements'] if s['instruction'] == 'pto.tload']
    tap.ok(found == [{'file': 'kernel.py', 'line': 12}], "the author's line", found)
    tap.ok('(kernel.py:12)' in run(path).stdout, "the author's line in the text")


def main():
    check_report()
    check_cores()
    check_many_blocks()
    with tempfile.TemporaryDirectory() as folder:
        check_files(folder)
        check_refusals(folder)
        check_control(folder)
        check_options(folder)
        check_files_read(folder)
        check_large(folder)
        check_prices(folder)
        check_signals(folder)
        check_grid(folder)
        check_turns(folder)
        check_phases(folder)
        check_room(folder)
        check_what_if(folder)
        check_scopes(folder)
        check_origins(folder)
        check_source(folder)
        check_linked(folder)
        check_data(folder)
    tap.end()


main()
