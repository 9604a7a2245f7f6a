# SPDX-License-Identifier: Apache-2.0
"""The proof of synchronisation on programs of extreme shape: it ends within two seconds and 256 MB, with a verdict or
with the words that it gave up. Sanitizers make it slower and larger: they get ten times the time and any memory.
usage: limits.py PTOASM plain|sanitized"""
import os
import re
import subprocess
import sys
import tempfile

HEAD = '''!view = !pto.partition_tensor_view<16x16xf32>
!t = !pto.tile_buf<vec, 16x16xf32>
func.func @k(%in: !view, %out: !view, %c: i1, %n: index) {
  %z = arith.constant 0 : i64
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %a = pto.alloc_tile addr = %z : !t
'''
TAIL = '  return\n}\n'
LOAD = 'pto.tload ins(%in : !view) outs(%a : !t)\n'
ABS = 'pto.tabs ins(%a : !t) outs(%a : !t)\n'
STORE = 'pto.tstore ins(%a : !t) outs(%out : !view)\n'


def pair(a, b, event=0):
    return ''.join('pto.%s_flag[<PIPE_%s>, <PIPE_%s>, <EVENT_ID%d>]\n' % (verb, a, b, event) for verb in ('set', 'wait'))


# One round of a kernel, which leaves nothing open.
ROUND = LOAD + pair('MTE2', 'V') + ABS + pair('V', 'MTE3') + STORE + pair('MTE3', 'MTE2')


def straight(statements):
    return ROUND * (statements // ROUND.count('\n'))


def nested_ifs(depth):
    return ''.join('scf.if %c {\n' + ROUND for _ in range(depth)) + '}\n' * depth


def nested_loops(depth):
    return ''.join('scf.for %%i%d = %%c0 to %%n step %%c1 {\n' % i + ROUND for i in range(depth)) + '}\n' * depth


def turns(depth):
    """The events of each loop repeat after three iterations: together after 3 ** depth."""
    return ''.join('scf.for %%i%d = %%c0 to %%n step %%c1 {\n%%s%d = arith.remui %%i%d, %%c3 : index\n' % (i, i, i) +
                   ''.join('pto.%s_flag_dyn[<PIPE_V>, <PIPE_MTE3>, %%s%d]\n' % (verb, i) for verb in ('set', 'wait'))
                   for i in range(depth)) + '}\n' * depth


def flags(n):
    return ''.join(pair('V', 'MTE3', i % 8) for i in range(n))


def blocks(n):
    """Branches between blocks: every second one is left out on some path, and the last goes back to the first."""
    out = 'cf.br ^bb0\n'
    for i in range(n):
        out += '^bb%d:\n' % i + ROUND + 'cf.cond_br %%c, ^bb%d, ^bb%d\n' % (i + 1, min(i + 2, n))
    return out + '^bb%d:\ncf.cond_br %%c, ^bb0, ^bb%d\n^bb%d:\n' % (n, n + 1, n + 1)


FREE = 'pto.tfree_from_aic {id = 0, split = 1}\n'
FREE_EITHER_WAY = 'scf.if %c {\n' + FREE + '} else {\n' + FREE + '}\n'


def entries(n, free):
    """Functions of a vector core that pops n entries, and of the cube core that pushes one."""
    opening = ('pto.%s_initialize_pipe {id = 0, dir_mask = 1, slot_size = 4096} '
               '(gm_slot_buffer = %%slots : !pto.ptr<f32>, c2v_consumer_buf = %%b : i32)\n')
    return ('!half = !pto.tile_buf<vec, 16x32xf32>\n'
            '!whole = !pto.tile_buf<acc, 32x32xf32, blayout=col_major, slayout=row_major, fractal=1024>\n'
            'func.func @k(%c: i1, %slots: !pto.ptr<f32>) attributes {pto.kernel_kind = #pto.kernel_kind<vector>} {\n'
            '%b = pto.reserve_buffer {name = "b", size = 16384, location = #pto.address_space<vec>, auto = true} -> i32\n' +
            opening % 'aiv' +
            ''.join('%%e%d = pto.tpop_from_aic {id = 0, split = 1} -> !half\n' % i + free + pair('V', 'MTE2')
                    for i in range(n)) + TAIL +
            'func.func @cube(%slots: !pto.ptr<f32>) attributes {pto.kernel_kind = #pto.kernel_kind<cube>} {\n'
            '%b = pto.import_reserved_buffer {name = "b", peer_func = @k} -> i32\n' + opening % 'aic' +
            '%p = pto.alloc_tile : !whole\npto.tpush_to_aiv(%p : !whole) {id = 0, split = 1}\n' + TAIL)


def doubled_calls(levels):
    """Each function calls the next one twice, in a loop at every third level."""
    loop = ('scf.for %i = %c0 to %c2 step %c1 {\n', '}\n')
    out = '!t = !pto.tile_buf<vec, 8x32xf32>\n'
    for i in range(levels):
        around = loop if i % 3 == 1 else ('', '')
        call = 'func.call @g%d(%%a) : (!t) -> ()\n' % (i + 1)
        out += ('func.func %s {\n' % ('@k()' if i == 0 else 'private @g%d(%%a: !t)' % i) +
                ''.join('%%c%d = arith.constant %d : index\n' % (n, n) for n in range(3)) +
                ('%z = arith.constant 0 : i64\n%a = pto.alloc_tile addr = %z : !t\n' if i == 0 else '') +
                call + around[0] + call + around[1] + TAIL)
    return (out + 'func.func private @g%d(%%a: !t) {\n' % levels + pair('MTE3', 'V') +
            'pto.tabs ins(%a : !t) outs(%a : !t)\n' + TAIL)


# A name, the statements of @k or the whole program for a5, and what is said.
PROGRAMS = [
    ('10,000 statements in a row', straight(10000), 'proved'),
    ('2,000 statements in a loop', 'scf.for %i = %c0 to %n step %c1 {\n' + straight(2000) + '}\n', 'proved'),
    ('40 nested branches', nested_ifs(40), 'proved'),
    ('12 nested loops', nested_loops(12), 'proved'),
    ('5,000 flags', flags(5000), 'proved'),
    ('500 blocks that branch to one another', blocks(500), 'proved'),
    ('a race at the end of 40 nested branches', nested_ifs(40) + pair('V', 'MTE3') + LOAD + STORE, 'not proved: 41 findings'),
    ('12 nested loops whose events take turns', turns(12), 'not proved: it is too large'),
    ('calls that double at each of 50 levels', doubled_calls(50), 'proved'),
    ('5,000 entries of a pipe', entries(5000, FREE), 'proved'),
    ('300 entries that branches free', entries(300, FREE_EITHER_WAY), 'proved'),
]
SECONDS, MEGABYTES = 2, 256

TRIPLE = LOAD + ABS + STORE


def loop(depth, i=0):
    return ''.join('scf.for %%i%d_%d = %%c0 to %%n step %%c1 {\n' % (i, d) for d in range(depth)) + TRIPLE + '}\n' * depth


# Statements without flags, and how many pairs of flags and barriers insertion adds, which the proof then accepts.
BARE = [
    ('30,000 statements in a row get flags', TRIPLE * 10000, 29999),
    ('400 loops in a row get flags', ''.join(loop(1, i) for i in range(400)), 1200),
    ('200 nests of three loops get flags', ''.join(loop(3, i) for i in range(200)), 600),
    ('9,000 statements in two loops get flags', loop(2).replace(TRIPLE, TRIPLE * 3000), 9000),
    ('1,000 branches get flags', ('scf.if %c {\n' + TRIPLE + '}\n') * 1000, 3141),
]


def run(args):
    """Returns the output, the seconds of processor time and the megabytes."""
    p = subprocess.Popen(args, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True)
    out = p.stdout.read()
    _, _, usage = os.wait4(p.pid, 0)
    return out, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def measure(ptoasm, path, profile):
    """Returns what is reported of the function, the seconds and the megabytes."""
    out, seconds, megabytes = run([ptoasm, 'check', '--profile=' + profile, '--sync=report', path])
    found = re.search(r'synchronisation(?: of each core)?: (.*)', out)
    return found.group(1) if found else out[:300], seconds, megabytes


def measure_insertion(ptoasm, path):
    """Returns how many flags and barriers are inserted, the seconds and the megabytes."""
    out, seconds, megabytes = run([ptoasm, 'fmt', '--insert-sync', '--profile=a2a3', path])
    return len(re.findall(r'pto\.(?:set_flag|barrier)', out)), seconds, megabytes


def main():
    ptoasm, build = sys.argv[1:]
    plain = build == 'plain'
    most = SECONDS if plain else 10 * SECONDS
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'k.pto')
        for i, (what, body, want) in enumerate(PROGRAMS):
            whole = body.startswith('!')
            with open(path, 'w') as f:
                f.write(body if whole else HEAD + body + TAIL)
            said, seconds, megabytes = measure(ptoasm, path, 'a5' if whole else 'a2a3')
            good = said.startswith(want) and seconds <= most and (megabytes <= MEGABYTES or not plain)
            failed += not good
            print('%s %d - %s' % ('ok' if good else 'not ok', i + 1, what))
            print('# %s; %.2f s, %.0f MB' % (said, seconds, megabytes))
        for i, (what, body, want) in enumerate(BARE):
            with open(path, 'w') as f:
                f.write(HEAD + body + TAIL)
            n, seconds, megabytes = measure_insertion(ptoasm, path)
            good = n == want and seconds <= most and (megabytes <= MEGABYTES or not plain)
            failed += not good
            print('%s %d - %s' % ('ok' if good else 'not ok', len(PROGRAMS) + i + 1, what))
            print('# %d; %.2f s, %.0f MB' % (n, seconds, megabytes))
    print('1..%d' % (len(PROGRAMS) + len(BARE)))
    sys.exit(failed > 0)


main()
