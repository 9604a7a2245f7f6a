# SPDX-License-Identifier: Apache-2.0
"""ptoasm run --sanitize: what it finds, and that it finds nothing in what is right. Programs are as they are
meant, and with one mistake. usage: sanitize.py PTOASM SOURCE_ROOT"""
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from tap import Tap

PTOASM, ROOT = sys.argv[1:]
# Where memory is exhausted, the allocator of AddressSanitizer says so as others do.
os.environ['ASAN_OPTIONS'] = os.environ.get('ASAN_OPTIONS', '') + ':allocator_may_return_null=1'
tap = Tap()


def run(text, *args):
    """Runs a program; returns the exit code, the findings as (id, line, other line), and standard error."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'k.pto')
        with open(path, 'w') as f:
            f.write(text)
        options = [a for a in args if a.startswith('--')]
        rest = [a.replace('OUT', folder) for a in args if not a.startswith('--')]
        done = subprocess.run([PTOASM, 'run', '--sanitize'] + options + [path] + rest, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, universal_newlines=True, timeout=120)
    found = []
    for line in done.stderr.split('\n'):
        m = re.match(r'.*k\.pto:(\d+):\d+: (error|note): ', line)
        if m and m.group(2) == 'error':
            found.append([line[line.rindex('[') + 1:-1], int(m.group(1)), 0])
        elif m and found and found[-1][2] == 0:
            found[-1][2] = int(m.group(1))
    return done.returncode, sorted(tuple(f) for f in found), done.stderr


def finds(name, text, want, *args):
    """`want`: the findings, with a text that occurs once in the program for each line; '' for no line."""
    lines = text.split('\n')

    def line_of(mark):
        at = [i + 1 for i, line in enumerate(lines) if mark in line]
        assert len(at) == 1, (mark, at)
        return at[0]
    want = sorted((i, line_of(a), line_of(b) if b else 0) for i, a, b in want)
    code, found, err = run(text, *args)
    tap.ok(found == want and code == (1 if want else 0), name, '%s, not %s (%d)\n%s' % (found, want, code, err[:2000]))


def edited(text, *changes):
    for before, after in changes:
        assert text.count(before) == 1, (before, text.count(before))
        text = text.replace(before, after)
    return text


def without(text, *marks):
    lines = text.split('\n')
    for mark in marks:
        at = [i for i, line in enumerate(lines) if mark in line]
        assert len(at) == 1, (mark, at)
        lines[at[0]] = ''
    return '\n'.join(lines)


# ---- one core ----

CORE = '''!t = !pto.tile_buf<vec, 8x32xf32>
!tv = !pto.tensor_view<?x32xf32>
!pv = !pto.partition_tensor_view<8x32xf32>
module attributes {"pto.target_arch" = "a2a3"} {
  func.func @k(%x: !pto.ptr<f32>, %y: !pto.ptr<f32>, %n: index) attributes {pto.kernel_kind = #pto.kernel_kind<vector>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %two = arith.constant 2.0 : f32
    %a0 = arith.constant 0 : i64
    %a1 = arith.constant 1024 : i64
    %rows = arith.muli %n, %c8 : index
    %xv = pto.make_tensor_view %x, shape = [%rows, %c32], strides = [%c32, %c1] : !tv
    %yv = pto.make_tensor_view %y, shape = [%rows, %c32], strides = [%c32, %c1] : !tv
    %s = pto.alloc_tile addr = %a0 : !t
    %d = pto.alloc_tile addr = %a1 : !t
    pto.set_flag[<PIPE_V>, <PIPE_MTE2>, <EVENT_ID0>]  // head
    pto.set_flag[<PIPE_MTE3>, <PIPE_V>, <EVENT_ID0>]  // head
    scf.for %i = %c0 to %n step %c1 {
      %at = arith.muli %i, %c8 : index
      %xp = pto.partition_view %xv, offsets = [%at, %c0], sizes = [%c8, %c32] : !tv -> !pv
      %yp = pto.partition_view %yv, offsets = [%at, %c0], sizes = [%c8, %c32] : !tv -> !pv
      pto.wait_flag[<PIPE_V>, <PIPE_MTE2>, <EVENT_ID0>]  // body
      pto.tload ins(%xp : !pv) outs(%s : !t)
      pto.set_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]  // loaded
      pto.wait_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]  // loaded
      pto.wait_flag[<PIPE_MTE3>, <PIPE_V>, <EVENT_ID0>]  // body
      pto.tmuls ins(%s, %two : !t, f32) outs(%d : !t)
      pto.set_flag[<PIPE_V>, <PIPE_MTE2>, <EVENT_ID0>]  // body
      pto.set_flag[<PIPE_V>, <PIPE_MTE3>, <EVENT_ID1>]
      pto.wait_flag[<PIPE_V>, <PIPE_MTE3>, <EVENT_ID1>]
      pto.tstore ins(%d : !t) outs(%yp : !pv)
      pto.set_flag[<PIPE_MTE3>, <PIPE_V>, <EVENT_ID0>]  // body
    }
    pto.wait_flag[<PIPE_V>, <PIPE_MTE2>, <EVENT_ID0>]  // tail
    pto.wait_flag[<PIPE_MTE3>, <PIPE_V>, <EVENT_ID0>]  // tail
    return
  }
}
'''
ARGS = ('iota:f32x16x32', '>OUT/y.npy:f32x16x32', '2')
FREED = ('set_flag[<PIPE_V>, <PIPE_MTE2>, <EVENT_ID0>]  // body', 'set_flag[<PIPE_V>, <PIPE_MTE2>, <EVENT_ID0>]  // head')

finds('a pipeline with flags', CORE, [], *ARGS)
finds('by the documented order', CORE, [], '--sync=strict', *ARGS)
finds('without an iteration', CORE, [], *ARGS[:2], '0')
finds('a tile is not loaded', without(CORE, 'pto.tload'),
      [('uninit-tile', 'pto.tmuls', '')], *ARGS)
finds('a tile is loaded in part',
      edited(CORE, ('outs(%s : !t)', 'outs(%h : !h)'), ('%d = pto.alloc_tile', '%h = pto.alloc_tile addr = %a0 : !h\n    %d = pto.alloc_tile'),
             ('!tv = ', '!h = !pto.tile_buf<vec, 8x32xf32, valid=7x32>\n!tv = ')),
      [('uninit-tile', 'pto.tmuls', '')], *ARGS)
finds('a wait is missing', without(CORE, 'wait_flag[<PIPE_MTE2>, <PIPE_V>'),
      [('sync-race', 'pto.tmuls', 'pto.tload'), ('sync-reuse', '// loaded', '// loaded'),
       ('sync-leak', '// loaded', '')], *ARGS)
finds('a set is missing', without(CORE, 'set_flag[<PIPE_MTE2>, <PIPE_V>'),
      [('sync-deadlock', '// loaded', '')], *ARGS)
finds('the wait is for another event',
      edited(CORE, ('wait_flag[<PIPE_V>, <PIPE_MTE3>, <EVENT_ID1>]', 'wait_flag[<PIPE_V>, <PIPE_MTE3>, <EVENT_ID2>]')),
      [('sync-deadlock', 'EVENT_ID2', ''), ('sync-leak', 'EVENT_ID1', ''), ('sync-reuse', 'EVENT_ID1', 'EVENT_ID1')], *ARGS)
finds('the next iteration overwrites what this one reads',
      without(CORE, 'set_flag[<PIPE_V>, <PIPE_MTE2>, <EVENT_ID0>]  // head', 'set_flag[<PIPE_V>, <PIPE_MTE2>, <EVENT_ID0>]  // body',
              'wait_flag[<PIPE_V>, <PIPE_MTE2>, <EVENT_ID0>]  // body', 'wait_flag[<PIPE_V>, <PIPE_MTE2>, <EVENT_ID0>]  // tail'),
      [('sync-race', 'pto.tload', 'pto.tmuls')], *ARGS)
NO_FLAGS = '\n'.join('' if '_flag[' in line else line for line in CORE.split('\n'))
code, found, err = run(NO_FLAGS, *ARGS)
tap.ok(code == 0 and found == [] and 'relies on insertion' in err, 'without flags the pipes are not judged', err)
code, found, err = run(NO_FLAGS, '--sync=all', *ARGS)
tap.ok(code == 1 and len(found) == 5 and {f[0] for f in found} == {'sync-race'}, 'unless all functions are to be', err)
code, found, err = run(edited(CORE, ('outs(%d : !t)\n', 'outs(%d : !t)\n      pto.tmuls ins(%d, %two : !t, f32) outs(%d : !t)\n')), *ARGS)
tap.ok(code == 1 and [f[0] for f in found] == ['sync-race'], 'vector instructions need a barrier', err)

# ---- statements of several phases ----

PHASES = '''!p = !pto.partition_tensor_view<8x32xf32>
!any = !pto.partition_tensor_view<?x32xf32>
!v = !pto.tensor_view<8x32xf32>
!px = !pto.partition_tensor_view<1x8xi32>
!vx = !pto.tensor_view<1x8xi32>
!t = !pto.tile_buf<vec, 8x32xf32>
!x = !pto.tile_buf<vec, 8x32xi32>
!row = !pto.tile_buf<vec, 1x8xi32>
!few = !pto.tile_buf<vec, 1x8xf32>
module attributes {"pto.target_arch" = "a2a3"} {
  func.func @k(%x: !pto.ptr<f32>, %y: !pto.ptr<f32>, %i: !pto.ptr<i32>, %n: index) attributes {pto.kernel_kind = #pto.kernel_kind<vector>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1.0 : f32
    %a0 = arith.constant 0 : i64
    %a1 = arith.constant 1024 : i64
    %a2 = arith.constant 2048 : i64
    %xv = pto.make_tensor_view %x, shape = [%c8, %c32], strides = [%c32, %c1] : !v
    %yv = pto.make_tensor_view %y, shape = [%c8, %c32], strides = [%c32, %c1] : !v
    %iv = pto.make_tensor_view %i, shape = [%c1, %c8], strides = [%c8, %c1] : !vx
    %xp = pto.partition_view %xv, offsets = [%c0, %c0], sizes = [%c8, %c32] : !v -> !p
    %yp = pto.partition_view %yv, offsets = [%c0, %c0], sizes = [%c8, %c32] : !v -> !p
    %xn = pto.partition_view %xv, offsets = [%c0, %c0], sizes = [%n, %c32] : !v -> !any
    %yn = pto.partition_view %yv, offsets = [%c0, %c0], sizes = [%n, %c32] : !v -> !any
    %ip = pto.partition_view %iv, offsets = [%c0, %c0], sizes = [%c1, %c8] : !vx -> !px
    %a = pto.alloc_tile addr = %a0 : !t
    %b = pto.alloc_tile addr = %a1 : !t
    %bx = pto.alloc_tile addr = %a1 : !x
    %row = pto.alloc_tile addr = %a1 : !row
    %first = pto.alloc_tile addr = %a0 : !row
    %few = pto.alloc_tile addr = %a0 : !few
    %more = pto.alloc_tile addr = %a2 : !few
    %d = pto.alloc_tile addr = %a2 : !t
BODY
    return
  }
}
'''


def phases(name, body, want, n='8', *options):
    finds(name, PHASES.replace('BODY', body), want, '--sync=all', *options + ('iota:f32x8x32', 'zeros:f32x8x32', 'zeros:i32x1x8', n))


def flag(source, destination, event=0):
    return ('pto.set_flag[<PIPE_{0}>, <PIPE_{1}>, <EVENT_ID{2}>]\n'
            'pto.wait_flag[<PIPE_{0}>, <PIPE_{1}>, <EVENT_ID{2}>]\n').format(source, destination, event)


ELEMENTS = '''pto.texpands ins(%zero : i32) outs(%bx : !x)
pto.mgather ins(%xp, %bx : !p, !x) outs(%d : !t) {coalesce = #pto<coalesce elem>}
pto.tstore ins(%d : !t) outs(%yp : !p)
'''
phases('pto.mgather of elements waits for other pipes, and they for it', ELEMENTS, [])
ROWS = '''pto.tload ins(%ip : !px) outs(%row : !row)
FLAGpto.mgather ins(%xp, %row : !p, !row) outs(%d : !t) {coalesce = #pto<coalesce row>}
pto.tmul ins(%d, %d : !t, !t) outs(%a : !t)
'''
phases('pto.mgather of rows does not wait for a load', ROWS.replace('FLAG', ''), [('sync-race', 'pto.mgather', 'pto.tload')])
phases('unless a flag does, for the scalar pipe', ROWS.replace('FLAG', flag('MTE2', 'S')), [])
phases('or for a pipe that it waits for', ROWS.replace('FLAG', flag('MTE2', 'MTE3')), [])
SCATTER = '''pto.texpands ins(%one : f32) outs(%few : !few)
pto.tload ins(%ip : !px) outs(%row : !row)
FLAGpto.tscatter ins(%few, %row : !few, !row) outs(%more : !few)
pto.tmul ins(%more, %more : !few, !few) outs(%few : !few)
'''
phases('pto.tscatter reads indices on the scalar pipe', SCATTER.replace('FLAG', ''), [('sync-race', 'pto.tscatter', 'pto.tload')])
phases('for which a flag waits', SCATTER.replace('FLAG', flag('MTE2', 'S')), [])
PUT = '''pto.texpands ins(%one : f32) outs(%b : !t)
FLAGpto.comm.tput(%yp, %xp, buf(%b) : !p, !p, !t)
NEXT'''
NEXT = 'pto.tload ins(%xp : !p) outs(%b : !t)\n'
phases('pto.comm.tput loads into its staging tile', PUT.replace('FLAG', '').replace('NEXT', NEXT),
       [('sync-race', 'pto.comm.tput', 'pto.texpands')])
phases('which the vector pipe has written', PUT.replace('FLAG', flag('V', 'MTE2')).replace('NEXT', NEXT), [])
phases('a vector instruction reads it afterwards',
       PUT.replace('FLAG', flag('V', 'MTE2')).replace('NEXT', 'pto.tmul ins(%b, %b : !t, !t) outs(%a : !t)\n'),
       [('sync-race', 'pto.tmul', 'pto.comm.tput'), ('uninit-tile', 'pto.tmul', 'pto.comm.tput')])
SET, WAIT = flag('MTE2', 'MTE3').split('\n')[:2]
phases('pto.comm.tput uses a flag that is set', SET + '\npto.comm.tput(%yp, %xp, buf(%b) : !p, !p, !t)\n' + WAIT,
       [('sync-reuse', 'pto.comm.tput', 'set_flag'), ('sync-deadlock', 'wait_flag', '')])
PUTS = 'pto.comm.tput(%yp, %xp, buf(%b) : !p, !p, !t)'
ADDS = PUTS + ' {atomicType = #pto<atomic_type atomic_add>}'
phases('two blocks put', PUTS, [('memory-race', 'pto.comm.tput', 'pto.comm.tput')], '8', '--grid=2')
phases('two blocks add', ADDS, [], '8', '--grid=2')
MANY = 40
REDUCE = 'pto.comm.treduce(%%yp, %%a, recv(%%b), group(%s) : !p, !t, !t, %s) {reduceOp = #pto<reduce_op sum>, root = 0 : i32}' % (
    ', '.join(['%xp'] * MANY), ', '.join(['!p'] * MANY))
phases('a group of many members', REDUCE, [])
phases('two blocks store its sum', REDUCE, [('memory-race', 'pto.comm.treduce', 'pto.comm.treduce')], '8', '--grid=2')
NOTHING = '''pto.texpands ins(%zero : i32) outs(%first : !row)
''' + flag('V', 'MTE3') + '''pto.tstore ins(%first : !row) outs(%ip : !px)
pto.comm.tput(%yn, %xn, buf(%b) : !any, !any, !t)
pto.tload ins(%ip : !px) outs(%first : !row)
'''
phases('a load after pto.comm.tput comes after a store before it', NOTHING, [])
phases('but not if it moves nothing', NOTHING, [('sync-race', 'pto.tload', 'pto.tstore'), ('sync-race', 'pto.tload', 'pto.texpands')], '0')
PREFETCH = '''%work = pto.castptr %x : !pto.ptr<f32> -> !pto.ptr<i8>
%context = pto.make_prefetch_async_context(%work : !pto.ptr<i8>) -> !pto.prefetch_async_context
%session = pto.get_prefetch_async_session %context : !pto.prefetch_async_context -> !pto.async_session
SETpto.tload ins(%xp : !p) outs(%b : !t)
%event = pto.tprefetch_async(%ip, %context : !px, !pto.prefetch_async_context) -> !pto.async_event
%done = pto.comm.wait_async_event(%event, %session : !pto.async_event, !pto.async_session) -> i1
WAIT'''
SET, WAIT = [line + '\n' for line in flag('MTE3', 'MTE2').split('\n')[:2]]
phases('a prefetch', PREFETCH.replace('SET', '').replace('WAIT', ''), [])
phases('uses a flag that is set', PREFETCH.replace('SET', SET).replace('WAIT', WAIT),
       [('sync-reuse', 'pto.tprefetch_async', 'set_flag')])
SET, WAIT = [line + '\n' for line in flag('MTE3', 'MTE2', 1).split('\n')[:2]]
phases('but only one', PREFETCH.replace('SET', SET).replace('WAIT', WAIT), [])
COMPARE = '''%tmp = pto.alloc_tile addr = %a1 : !x
%places = pto.alloc_tile addr = %a2 : !x
%a3 = arith.constant 3072 : i64
%counts = pto.alloc_tile addr = %a3 : !row
pto.texpands ins(%one : f32) outs(%a : !t)
BARRIERpto.tgather ins(%a, %one, %tmp : !t, f32, !x) outs(%places, %counts : !x, !row) {cmpMode = #pto<cmp gt>, offset = 7 : i32}
'''
phases('the phases of pto.tgather are not compared with each other', COMPARE.replace('BARRIER', 'pto.barrier <PIPE_V>\n'), [])
phases('but with what comes before', COMPARE.replace('BARRIER', ''), [('sync-race', 'pto.tgather', 'outs(%a : !t)')])

# ---- several blocks ----

GRID = '''module {
  func.func @k(%y: !pto.ptr<f32>, %z: !pto.ptr<f32>) attributes {pto.kernel_kind = #pto.kernel_kind<vector>} {
    %b = pto.get_block_idx
    %n = pto.get_block_num
    %one = arith.constant 1 : i64
    %v = arith.constant 3.0 : f32
    %i = arith.index_cast %b : i64 to index
    pto.store_scalar %v, %y[%i] : !pto.ptr<f32>, f32
    pto.syncall() mode = #pto.sync_all_mode<hard>, core_type = #pto.sync_core_type<aiv_only>
    %next = arith.addi %b, %one : i64
    %other = arith.remui %next, %n : i64
    %j = arith.index_cast %other : i64 to index
    %w = pto.load_scalar %y[%j] : !pto.ptr<f32> -> f32
    pto.store_scalar %w, %z[%i] : !pto.ptr<f32>, f32
    return
  }
}
'''
FOUR = ('--grid=4', 'y=>OUT/y.npy:f32x4', 'z=>OUT/z.npy:f32x4')
finds('blocks that meet', GRID, [], *FOUR)
finds('another block is read without a barrier', without(GRID, 'pto.syncall'),
      [('memory-race', 'pto.load_scalar', '%v, %y')], *FOUR)
finds('two blocks write one element', edited(GRID, ('%v, %y[%i]', '%v, %y[%zero]'), ('    %one =', '    %zero = arith.constant 0 : index\n    %one =')),
      [('memory-race', '%v, %y', '%v, %y'), ('uninit-memory', 'pto.load_scalar', '')], *FOUR)
finds('nobody writes what is read', without(GRID, '%v, %y'), [('uninit-memory', 'pto.load_scalar', '')], *FOUR)
finds('the caller has written it', without(GRID, '%v, %y'), [], '--grid=4', 'y=zeros:f32x4', 'z=>OUT/z.npy:f32x4')
texts = {run(without(GRID, 'pto.syncall'), '--threads=%d' % n, '--grid=8', 'y=zeros:f32x8', 'z=zeros:f32x8')[2].replace('/tmp', '')
         for n in (1, 2, 8)}
tap.ok(len({re.sub(r'\S*k.pto', 'k.pto', t) for t in texts}) == 1, 'the same for any number of threads', texts)

# ---- cube and vector cores ----

SECTIONS = '''module {
  func.func @k(%y: !pto.ptr<f32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %v = arith.constant 3.0 : f32
    pto.section.cube {
      pto.store_scalar %v, %y[%c0] : !pto.ptr<f32>, f32
    }
    pto.section.vector {
      pto.store_scalar %v, %y[%c1] : !pto.ptr<f32>, f32
    }
    return
  }
}
'''
code, found, err = run(edited(SECTIONS, ('%y[%c1]', '%y[%c0]')), 'zeros:f32x2')
tap.ok(code == 1 and ('memory-race', 10, 7) in found, 'cube and vector cores write one element', err)

with open(os.path.join(ROOT, 'tests/emit/cores.pto')) as f:
    CORES = f.read()
TRAFFIC = ('--entry=there', 'slots=>OUT/s.npy:f32x4096', 'x=random:1:f32x4096', 'y=>OUT/y.npy:f32x4096', 'n=3', 'a=0')


def entries(name, text, want, *args):
    """The test program lets both vector cores store the entries that both pop."""
    code, found, err = run(text, *(args + TRAFFIC))
    found = [f for f in found if f[0] != 'memory-race' or f[1] != f[2] or args]
    tap.ok({f[0] for f in found} == want, name, '%s\n%s' % (found, err))


FREE = '      pto.tfree_from_aic {id = 4, split = 0}\n'
USE = '      pto.tadd ins(%u, %u : !vt, !vt) outs(%u : !vt)\n'
entries('entries through slots in global memory', CORES, set())
entries('blocks that share the slots', CORES, {'memory-race'}, '--grid=2')
entries('an entry is used after it is freed', edited(CORES, (USE, FREE + USE)).replace(FREE + '    }', '    }', 1), {'sync-freed'})
entries('an entry is freed twice', edited(CORES, (FREE + '    }\n', FREE + FREE + '    }\n')), {'sync-freed'})

# An entry in mat is freed on MTE1, which reads it; freeing it before the read has ended is a race.
TAKEN = '''!whole = !pto.tile_buf<mat, 32x64xf16, blayout=col_major, slayout=row_major>
!left = !pto.tile_buf<left, 32x64xf16, slayout=row_major>
!half = !pto.tile_buf<vec, 16x64xf16>
func.func @k(%slots: !pto.ptr<f32>) attributes {pto.entry} {
  %a0 = arith.constant 0 : i64
  %zero = arith.constant 0.0 : f16
  %b = pto.reserve_buffer {name = "b", size = 16384, location = #pto.address_space<mat>, auto = false, base = 0} -> i32
  pto.section.cube {
    %q = pto.initialize_l2g2l_pipe {dir_mask = 2, slot_size = 4096, slot_num = 4, flag_base = 0} (%slots : !pto.ptr<f32>, %b : i32) -> !pto.pipe
    %l = pto.alloc_tile addr = %a0 : !left
    %m = pto.declare_tile -> !whole
    pto.tpop(%m, %q : !whole, !pto.pipe) {split = 1}
    pto.set_flag[<PIPE_MTE2>, <PIPE_MTE1>, <EVENT_ID0>]
    pto.wait_flag[<PIPE_MTE2>, <PIPE_MTE1>, <EVENT_ID0>]
    pto.tmov ins(%m : !whole) outs(%l : !left)
    pto.tfree(%q : !pto.pipe) {split = 1}
  }
  pto.section.vector {
    %q = pto.initialize_l2g2l_pipe {dir_mask = 2, slot_size = 4096, slot_num = 4, flag_base = 0} (%slots : !pto.ptr<f32>, %b : i32) -> !pto.pipe
    %t = pto.alloc_tile addr = %a0 : !half
    pto.texpands ins(%zero : f16) outs(%t : !half)
    pto.set_flag[<PIPE_V>, <PIPE_MTE3>, <EVENT_ID0>]
    pto.wait_flag[<PIPE_V>, <PIPE_MTE3>, <EVENT_ID0>]
    pto.tpush(%t, %q : !half, !pto.pipe) {split = 1}
  }
  return
}
'''
ENTRY = ('--profile=a5', 'slots=>OUT/s.npy:f32x4096')
finds('an entry in mat is freed on the pipe that reads it', TAKEN, [], *ENTRY)
finds('and not on the one that loads it', without(TAKEN, 'set_flag[<PIPE_MTE2>', 'wait_flag[<PIPE_MTE2>'),
      [('sync-race', 'pto.tmov', 'pto.tpop'), ('sync-race', 'pto.tfree', 'pto.tpop')], *ENTRY)

# ---- ranks ----

with open(os.path.join(ROOT, 'samples/allreduce/allreduce.pto')) as f:
    RANKS = f.read()
SUM = ('--ranks=3', 'ctx=window:65536', 'x=random:@:f32x4096', 'y=zeros:f32x4096')
finds('ranks that wait for each other', RANKS, [], *SUM)
code, found, err = run(edited(RANKS, ('    pto.comm.twait(%came', '    // pto.comm.twait(%came')), *SUM)
tap.ok(code == 1 and ('memory-race', 59, 44) in found, 'a rank reads before the others have written', err)

# ---- programs of other tests that have mistakes ----

with open(os.path.join(ROOT, 'tests/emit/handles.pto')) as f:
    HANDLES = f.read()
SEVERAL = ('--profile=a5', '--entry=several', 'y=zeros:i32x8')
finds('all of three buffers are written', HANDLES, [], *SEVERAL, 'n=3')
finds('one of three buffers is read before it is written', HANDLES, [('uninit-tile', 'pto.tgetval ins(%t, %c1', '')], *SEVERAL, 'n=2')
code, found, err = run(HANDLES, '--sync=all', *SEVERAL, 'n=3')
tap.ok(code == 1 and {(f[0], f[1]) for f in found} == {('sync-race', 77)}, 'the scalar pipe reads what the vector pipe may still write', err)
with open(os.path.join(ROOT, 'tests/emit/storage.pto')) as f:
    STORAGE = f.read()
EVENTS = ('--entry=events', 'i=2', 'id=5')
finds('an event of an array is waited for', STORAGE, [], *EVENTS, 'waits=0')
code, found, err = run(STORAGE, *EVENTS, 'waits=1')
tap.ok(code == 1 and found == [('sync-deadlock', 81, 0)], 'twice', err)

# Flags that insertion puts around a load which is an iteration ahead: as many sets as waits for any number of iterations.
AHEAD = os.path.join(ROOT, 'tests', 'golden', 'sync', 'insert_ahead.pto')
inserted = subprocess.run([PTOASM, 'fmt', '--insert-sync', '--profile=a2a3', AHEAD], stdout=subprocess.PIPE,
                          universal_newlines=True, check=False).stdout
for entry in ('k', 'counter', 'exchanged'):
    for n in (0, 1, 2, 3, 6):
        finds('@%s: a load ahead in %d iterations' % (entry, n), inserted, [], '--profile=a2a3', '--sync=all',
              '--entry=' + entry, 'random:1:f32x512', 'zeros:f32x512', str(n))

# ---- usage ----

for name, want, args in (('--unchecked', 'exclude each other', ['--unchecked', '--sanitize']),
                         ('--time', 'exclude each other', ['--time', '--sanitize']),
                         ('--sync without it', 'is for --sanitize', ['--sync=all']),
                         ('--sync=report', 'is for check', ['--sync=report', '--sanitize']),
                         ('a wrong --sync', 'all and strict', ['--sync=some', '--sanitize'])):
    path = os.path.join(ROOT, 'samples/kernel/scale_mask.pto')
    done = subprocess.run([PTOASM, 'run'] + args + [path, 'zeros', 'zeros', '1'], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, universal_newlines=True)
    tap.ok(done.returncode == 2 and want in done.stderr, '%s is wrong usage' % name, done.stderr)

done = run(RANKS, '--ranks=4', 'ctx=window:1000000000000000', *SUM[2:])
tap.ok(done[0] == 2 and 'out of memory' in done[2], 'more ranks than memory', done[2])
done = run(edited(CORE, ('"a2a3"', '"a7"')), *ARGS)
tap.ok(done[0] == 2 and "unknown chip 'a7'" in done[2], 'a module for an unknown chip', done[2])
done = run(edited(CORE, ('"a2a3"', '"a7"')), '--profile=a5', *ARGS)
tap.ok(done[0] == 0 and 'sanitizing' not in done[2], 'which --profile names', done[2])
tap.ok('sanitizing for profile a2a3' in run(CORE, *ARGS)[2], 'else the chip is named')

tap.end()
