#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: region.py SOURCE-FOLDER

A statement with a region is a row, what rules it has, and an example: here pto.twice, which runs its region two times.
The program with it reads and prints the statement, judges what its region does as if the text had it twice, and computes
the same. Prints TAP.
"""
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from tap import Tap
from tree import Edit, build

EXAMPLE = '''EXAMPLE(TWICE, "func.func private @example() {\\n  pto.twice {\\n  }\\n  return\\n}\\n")'''
EDITS = [
    Edit('ir/insts/core.def', '     REGIONS(CASES, ', 'INST(TWICE, .name = "pto.twice", .summary = "Runs its region two times.", '
                                                      '.family = FAM_SCF, .form = FORM_CUSTOM,\n'
                                                      '     .nregions = 1, REGIONS(TIMES, .times = 2, .implied = true, '
                                                      'ALL_END(INST_SCF_YIELD, TO_RESULTS)))'),
    Edit('verifier/rules/scalar.def', 'NO_RULES(SCF_EXECUTE_REGION, ALL)', 'NO_RULES(TWICE, ALL)'),
    Edit('explain/examples.def', 'EXAMPLE(SCF_EXECUTE_REGION, ', EXAMPLE + '\nEXAMPLE(SCF_EXECUTE_REGION, '
                                                                           '"func.func private @example(%c: i1) {\\n"', replace=True),
]
HEAD = '''!v = !pto.partition_tensor_view<8x64xf32>
!t = !pto.tile_buf<vec, 8x64xf32>
func.func @k(%p: !pto.ptr<f32>, %q: !pto.ptr<f32>) attributes {pto.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %three = arith.constant 3.0 : f32
  %x = pto.make_tensor_view %p, shape = [%c8, %c64], strides = [%c64, %c1] : !pto.tensor_view<?x?xf32>
  %y = pto.make_tensor_view %q, shape = [%c8, %c64], strides = [%c64, %c1] : !pto.tensor_view<?x?xf32>
  %px = pto.partition_view %x, offsets = [%c0, %c0], sizes = [%c8, %c64] : !pto.tensor_view<?x?xf32> -> !v
  %py = pto.partition_view %y, offsets = [%c0, %c0], sizes = [%c8, %c64] : !pto.tensor_view<?x?xf32> -> !v
  %a = pto.alloc_tile : !t
  pto.tload ins(%px : !v) outs(%a : !t)
  pto.set_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]
  pto.wait_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]
'''
TAIL = '''  pto.set_flag[<PIPE_V>, <PIPE_MTE3>, <EVENT_ID1>]
  pto.wait_flag[<PIPE_V>, <PIPE_MTE3>, <EVENT_ID1>]
  pto.tstore ins(%a : !t) outs(%py : !v)
  return
}
'''
ADD = '  pto.tadds ins(%a, %three : !t, f32) outs(%a : !t)\n'
BARRIER = '  pto.barrier <PIPE_V>\n'
SET = '  pto.set_flag[<PIPE_V>, <PIPE_MTE2>, <EVENT_ID3>]\n'
WAIT = '  pto.wait_flag[<PIPE_V>, <PIPE_MTE2>, <EVENT_ID3>]\n'


def run(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors='replace', text=True)
    return done.returncode, done.stdout


def write(folder, name, body):
    """Writes the program with the body in pto.twice, and with the body two times."""
    paths = []
    for kind, text in (('twice', '  pto.twice {\n' + body + '  }\n'), ('unrolled', body + body)):
        paths.append(os.path.join(folder, name + '_' + kind + '.pto'))
        with open(paths[-1], 'w') as f:
            f.write(HEAD + text + TAIL)
    return paths


def ids(text):
    return sorted({line[line.rindex('[') + 1:-1] for line in text.split('\n') if ': error: ' in line and line.endswith(']')})


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        program = build(sys.argv[1], folder, EDITS)
        twice, unrolled = write(folder, 'add', BARRIER + ADD)
        code, text = run(program, 'fmt', '-o', '-', twice)
        tap.ok(code == 0 and 'pto.twice {' in text, 'it is printed', text)
        code, text = run(program, 'fmt', '--form=generic', '-o', '-', twice)
        again = os.path.join(folder, 'generic.pto')
        with open(again, 'w') as f:
            f.write(text)
        tap.ok(run(program, 'fmt', '--form=generic', '-o', '-', again) == (0, text) and '"pto.twice"() ({' in text,
               'it has a generic form', text)
        for name, body in (('ordered', BARRIER + ADD), ('not ordered', ADD), ('no wait', SET), ('no set', WAIT), ('flags', SET + WAIT)):
            paths = write(folder, name.replace(' ', '_'), body)
            found = [run(program, 'check', '--profile=a2a3', '--sync=all', path) for path in paths]
            tap.ok(ids(found[0][1]) == ids(found[1][1]) and (found[0][0] == 0) == (name in ('ordered', 'flags')),
                   'judged as two copies: ' + name, '%r' % (found,))
        results = []
        for path in (twice, unrolled, again):
            out = path + '.npy'
            code, text = run(program, 'run', path, 'iota:8x64', 'out=' + out + ':8x64')
            results.append((code, open(out, 'rb').read() if code == 0 else text))
        tap.ok(results[0][0] == 0 and results[0] == results[1] == results[2], 'computed two times', '%r' % (results,))
        for to in ('c', 'cpp'):
            code, text = run(program, 'emit', '--profile=a2a3', '--to=' + to, '-o', '-', twice)
            tap.ok(code == 0 and text.lower().count('tadds') > 0, 'emitted as ' + to, text)
        for command in (['fmt', '--profile=a2a3', '--insert-sync', '-o', '-'], ['fmt', '--form=ssa', '-o', '-']):
            code, text = run(program, *command, twice)
            tap.ok(code == 0 and 'pto.twice' in text, ' '.join(command), text)
        code, text = run(program, 'explain', 'pto.twice')
        tap.ok(code == 0 and 'Runs its region two times.' in text, 'explained', text)
        code, text = run(program, 'check', os.path.join(sys.argv[1], 'samples', 'kernel', 'scale_mask.pto'))
        tap.ok(code == 0, 'other programs are judged as before', text)
    tap.end()


main()
