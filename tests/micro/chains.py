#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""chains.py PTOASM [COUNT [SEED]]: random loops of micro-instructions on lanes of 32 bits, which run as chains: loads, operations
with one mask or several, comparisons and selections, sums, and stores to memory that other statements load, also some blocks
further on; logical vectors and selected registers between them, registers that the loop passes on, and branches. Each leaves
the same bytes of the vector memory with chains and with --no-fuse, on every level, or stops at the same wrong address.
Prints TAP."""
import os
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from tap import Tap

WORDS = 2048  # of the vector memory that the kernel gets and gives back
TYPES = ['f32', 'i32', 'ui32']
MODES = ['eq', 'ne', 'lt', 'le', 'gt', 'ge']
PATTERNS = ['PAT_ALL', 'PAT_ALL', 'PAT_ALL', 'PAT_VL8', 'PAT_H', 'PAT_M3', 'PAT_ALLF']

V = '!pto.vreg<64xf32>'
STORED = ', !pto.ptr<f32, ub>, !pto.mask<b32>'
# What is between two statements that could be a chain, and may not run before them.
BETWEEN = {
    'a logical vector': ['%w = pto.vmi.vbrc %s_f32 : f32 -> !pto.vmi.vreg<64xf32>', None,
                         'pto.vmi.store %w, %a_f32[%o2] : !pto.vmi.vreg<64xf32>, !pto.ptr<f32, ub>'],
    'a selected register': ['%w = arith.select %yes, %s, %v : ' + V, None, 'pto.vsts %w, %a_f32[%o2], %m : ' + V + STORED],
    'a selected mask': ['%k = pto.vcmp %s, %v, %m, "gt" : ' + V + ', ' + V + ', !pto.mask<b32> -> !pto.mask<b32>',
                        '%h = pto.pset_b32 "PAT_H" : !pto.mask<b32>', '%w = arith.select %yes, %k, %h : !pto.mask<b32>', None,
                        'pto.vsts %s, %a_f32[%o2], %w : ' + V + STORED]}


def between(lines):
    return ['%%b%d = arith.constant %d : index' % (i, 256 * i) for i in range(3)] + [
        '%%o%d = arith.addi %%b%d, %%i : index' % (i, i) for i in range(3)] + [
        '%m = pto.pset_b32 "PAT_ALL" : !pto.mask<b32>', '%v = pto.vlds %a_f32[%o0] : !pto.ptr<f32, ub> -> ' + V, 'pto.mem_bar "VST_VLD"',
        '%s = pto.vadd %v, %v, %m : ' + V + ', ' + V + ', !pto.mask<b32> -> ' + V] + [
            line or 'pto.vsts %s, %a_f32[%o1], %m : ' + V + STORED for line in lines]


class Kernel:
    def __init__(self, rng, leaves):
        self.rng, self.lines, self.count = rng, [], 0
        self.leaves = leaves  # some addresses leave the memory
        self.registers = {t: [] for t in TYPES}
        self.masks = []
        self.logical = []  # vectors that are not stored yet

    def put(self, text):
        self.lines.append('        ' + text)

    def fresh(self, stem):
        self.count += 1
        return '%%%s%d' % (stem, self.count)

    def vreg(self, t):
        return '!pto.vreg<64x%s>' % t

    def offset(self):
        """An offset in elements: in the loop, or next to what others use."""
        name = self.fresh('o')
        self.put('%s = arith.constant %d : index' % (name, self.rng.choice([0, 0, 64, 128, 8, 16, 72, 200])))
        if self.rng.random() < 0.5:
            sum_of = self.fresh('o')
            self.put('%s = arith.addi %s, %%i : index' % (sum_of, name))
            return sum_of
        return name

    def base(self, t):
        return '%%%s_%s' % (self.rng.choice('abcd'), t)

    def load(self, t):
        v = self.fresh('v')
        self.put('%s = pto.vlds %s[%s] : !pto.ptr<%s, ub> -> %s' % (v, self.base(t), self.offset(), t, self.vreg(t)))
        self.registers[t].append(v)
        return v

    def pick(self, t):
        """A register, most often one of the last."""
        known = self.registers[t]
        if not known or self.rng.random() < 0.25:
            return self.load(t)
        return self.rng.choice(known[-2:] if self.rng.random() < 0.8 else known)

    def mask(self):
        """The mask that governs most statements, or another one."""
        if not self.masks or self.rng.random() < 0.06:
            m = self.fresh('m')
            if self.rng.random() < 0.5:
                rest = self.fresh('n')
                self.put('%s, %s = pto.plt_b32 %%left : i32 -> !pto.mask<b32>, i32' % (m, rest))
            else:
                self.put('%s = pto.pset_b32 "%s" : !pto.mask<b32>' % (m, self.rng.choice(PATTERNS)))
            self.masks.append(m)
        return self.masks[-1] if self.rng.random() < 0.9 else self.rng.choice(self.masks)

    def result(self, t):
        v = self.fresh('v')
        self.registers[t].append(v)
        return v

    def vector(self):
        """A logical vector, which may take the register that an operand of a chain had, is made or stored, or a register or mask
        is selected."""
        way = self.rng.randrange(4)
        if way == 0:
            t = self.rng.choice(TYPES)
            x, y = self.pick(t), self.pick(t)
            self.put('%s = arith.select %%yes, %s, %s : %s' % (self.result(t), x, y, self.vreg(t)))
            return
        if way == 1 and len(self.masks) > 1:
            x, y = self.rng.sample(self.masks, 2)
            self.masks.insert(0, self.fresh('m'))
            self.put('%s = arith.select %%yes, %s, %s : !pto.mask<b32>' % (self.masks[0], x, y))
            return
        if self.logical and self.rng.random() < 0.5:
            w, o = self.logical.pop(), self.offset()
            self.put('pto.vmi.store %s, %s[%s] : !pto.vmi.vreg<64xf32>, !pto.ptr<f32, ub>' % (w, self.base('f32'), o))
            return
        self.logical.append(self.fresh('w'))
        self.put('%s = pto.vmi.vbrc %%s_f32 : f32 -> !pto.vmi.vreg<64xf32>' % self.logical[-1])

    def branch(self):
        """A branch gives a register of one of its sides."""
        t = self.rng.choice(TYPES)
        x, y, z = self.pick(t), self.pick(t), self.fresh('v')
        self.put('%s = scf.if %%yes -> (%s) {' % (z, self.vreg(t)))
        known = {k: list(v) for k, v in self.registers.items()}, list(self.masks), list(self.logical)
        for _ in range(self.rng.randint(0, 3)):
            self.statement()
        self.put('  scf.yield %s : %s' % (self.pick(t), self.vreg(t)))
        self.registers, self.masks, self.logical = known
        self.put('} else {')
        self.put('  scf.yield %s : %s' % (self.rng.choice([x, y]), self.vreg(t)))
        self.put('}')
        self.registers[t].append(z)

    def statement(self):
        r = self.rng
        if r.random() < 0.12:
            self.vector()
        t = r.choice(TYPES + ['f32'] * 4)
        way = r.randrange(16)
        scalar = r.random() < 0.4
        if t == 'ui32' and (way in (4, 5) or scalar):
            t = 'i32'  # there are no constants of unsigned types
        v = self.vreg(t)
        if way < 4:
            x, y, m = self.pick(t), self.pick(t), self.mask()
            op = r.choice(['vadd', 'vsub', 'vmul', 'vmax', 'vmin'] + (['vdiv', 'vexpdif'] if t == 'f32' else []))
            if op == 'vexpdif':
                self.put('%s = pto.vexpdif %s, %s, %s, "ODD" : %s, %s, !pto.mask<b32> -> %s' % (self.result(t), x, y, m, v, v, v))
            else:
                self.put('%s = pto.%s %s, %s, %s : %s, %s, !pto.mask<b32> -> %s' % (self.result(t), op, x, y, m, v, v, v))
        elif way < 6:
            x, m = self.pick(t), self.mask()
            self.put('%s = pto.%s %s, %%s_%s, %s : %s, %s, !pto.mask<b32> -> %s' %
                     (self.result(t), r.choice(['vadds', 'vmuls', 'vmaxs', 'vmins']), x, t, m, v, t, v))
        elif way == 6:
            x, m = self.pick('f32'), self.mask()
            f = self.vreg('f32')
            self.put('%s = pto.%s %s, %s : %s, !pto.mask<b32> -> %s' %
                     (self.result('f32'), r.choice(['vabs', 'vneg', 'vrelu', 'vexp', 'vsqrt']), x, m, f, f))
        elif way < 10:
            x, y, m, k = self.pick(t), self.pick(t), self.mask(), self.fresh('k')
            if not scalar:
                self.put('%s = pto.vcmp %s, %s, %s, "%s" : %s, %s, !pto.mask<b32> -> !pto.mask<b32>' % (k, x, y, m, r.choice(MODES), v, v))
            else:
                self.put('%s = pto.vcmps %s, %%s_%s, %s, "%s" : %s, %s, !pto.mask<b32> -> !pto.mask<b32>' % (k, x, t, m, r.choice(MODES), v, t))
            if r.random() < 0.4:
                x, y = self.pick(t), self.pick(t)
            if r.random() < 0.3:
                x, y = y, x
            if r.random() < 0.15:
                self.masks.insert(0, k)
            self.put('%s = pto.vsel %s, %s, %s : %s, %s, !pto.mask<b32> -> %s' % (self.result(t), x, y, k, v, v, v))
        elif way == 10:
            # by a mask that governs other statements than those before; the result is seen under another mask than theirs
            self.mask()
            n = self.registers[t][-1] if self.registers[t] else self.load(t)
            w, m = self.result(t), r.choice(self.masks)
            self.put('%s = pto.vadd %s, %s, %s : %s, %s, !pto.mask<b32> -> %s' % (w, n, n, r.choice(self.masks), v, v, v))
            x, y = (w, self.pick(t)) if r.random() < 0.7 else (self.pick(t), w)
            z = self.result(t)
            self.put('%s = pto.vsel %s, %s, %s : %s, %s, !pto.mask<b32> -> %s' % (z, x, y, m, v, v, v))
            if r.random() < 0.5:
                o = self.offset()
                self.put('pto.vsts %s, %s[%s], %s : %s, !pto.ptr<%s, ub>, !pto.mask<b32>' % (z, self.base(t), o, r.choice(self.masks), v, t))
        elif way == 11:
            x, m = self.pick(t), self.mask()
            self.put('%s = pto.vcadd %s, %s : %s, !pto.mask<b32> -> %s' % (self.result(t), x, m, v, v))
        elif way == 12:
            x, m = self.pick(t), self.mask()
            d = self.result(t)
            self.put('%s = pto.vdup %s, %s {position = "LOWEST"} : %s, !pto.mask<b32> -> %s' % (d, x, m, v, v))
            if t == 'f32' and r.random() < 0.6:
                # an exponential of one number in all lanes, or in the first ones
                x, y = r.choice([(d, d), (d, self.pick(t)), (self.pick(t), d)])
                if r.random() < 0.5:
                    m = self.fresh('m')
                    self.put('%s = pto.pset_b32 "PAT_ALL" : !pto.mask<b32>' % m)
                e = self.result(t)
                self.put('%s = pto.vexp %s, %s : %s, !pto.mask<b32> -> %s' % (e, x, m, v, v) if r.random() < 0.3 else
                         '%s = pto.vexpdif %s, %s, %s, "ODD" : %s, %s, !pto.mask<b32> -> %s' % (e, x, y, m, v, v, v))
        elif way == 13:
            x, o, m = self.pick(t), self.offset(), self.mask()
            self.put('pto.vsts %s, %s[%s], %s {dist = "1PT_B32"} : %s, !pto.ptr<%s, ub>, !pto.mask<b32>' % (x, self.base(t), o, m, v, t))
        else:
            # most often in place, while a register that was loaded from there is still read
            y = self.load(t) if r.random() < 0.4 else None
            last = self.lines[-1].split('pto.vlds ')[1].split(' :')[0] if y else None
            x, o, m = self.pick(t), self.offset(), self.mask()
            if last:
                x, z = self.result(t), self.result(t)
                self.put('%s = pto.vadd %s, %s, %s : %s, %s, !pto.mask<b32> -> %s' % (x, y, y, m, v, v, v))
                self.put('pto.vsts %s, %s, %s : %s, !pto.ptr<%s, ub>, !pto.mask<b32>' % (x, last, m, v, t))
                self.put('%s = pto.vadd %s, %s, %s : %s, %s, !pto.mask<b32> -> %s' % (z, x, y, m, v, v, v))
                x = z
            self.put('pto.vsts %s, %s[%s], %s : %s, !pto.ptr<%s, ub>, !pto.mask<b32>' % (x, self.base(t), o, m, v, t))

    def make(self, body=None):
        """Makes the text, of random statements unless they are given."""
        r = self.rng
        out = ['module attributes {pto.target_arch = "a5", pto.kernel_kind = #pto.kernel_kind<vector>} {',
               '  func.func @f(%x: !pto.ptr<i32>, %left: i32) attributes {pto.entry} {',
               '    %c0 = arith.constant 0 : index', '    %c64 = arith.constant 64 : index', '    %c192 = arith.constant 192 : index',
               '    %zero = arith.constant 0 : i64', '    %one = arith.constant 1 : i64', '    %%bytes = arith.constant %d : i64' % (4 * WORDS),
               '    %all = pto.castptr %zero : i64 -> !pto.ptr<i32, ub>']
        for t in TYPES:
            if t != 'ui32':
                out.append('    %%s_%s = arith.constant %s : %s' % (t, r.choice(['0.5', '0.0', '-1.25']) if t == 'f32' else r.choice(['0', '3', '7']), t))
            for k, name in enumerate('abcd'):
                out.append('    %%at_%s_%s = arith.constant %d : i64' % (name, t, 261376 if self.leaves and name == 'b' else r.choice([0, 1024, 2048, 3072, 1056, 4096])))
                out.append('    %%%s_%s = pto.castptr %%at_%s_%s : i64 -> !pto.ptr<%s, ub>' % (name, t, name, t, t))
        out += ['    pto.mte_gm_ub %x, %all, %zero, %bytes nburst(%one, %bytes, %bytes) : !pto.ptr<i32>, !pto.ptr<i32, ub>, i64, i64, i64, i64, i64',
                '    pto.barrier #pto.pipe<PIPE_ALL>', '    %yes = arith.cmpi sgt, %left, %s_i32 : i32', '    pto.vecscope {']
        loop = '      scf.for %i = %c0 to %c192 step %c64'
        passed = r.choice(TYPES) if r.random() < 0.4 and not body else None  # the type of a register that the loop passes on
        if passed:
            v = self.vreg(passed)
            out += ['      %%first = pto.vlds %%a_%s[%%c64] : !pto.ptr<%s, ub> -> %s' % (passed, passed, v),
                    '      %%sum = %s iter_args(%%arg = %%first) -> (%s) {' % (loop.strip(), v)]
            self.registers[passed].append('%arg')
        else:
            out += [loop + ' {']
        for line in body or []:
            self.put(line)
        for _ in range(0 if body else r.randint(4, 24)):
            self.statement()
            if r.random() < 0.04:
                self.branch()
        if passed:
            self.put('scf.yield %s : %s' % (self.pick(passed), v))
        out += self.lines
        out += ['      }']
        if passed:
            out += ['      %whole = pto.pset_b32 "PAT_ALL" : !pto.mask<b32>',
                    '      pto.vsts %%sum, %%a_%s[%%c192], %%whole : %s, !pto.ptr<%s, ub>, !pto.mask<b32>' % (passed, v, passed)]
        out += ['    }', '    pto.barrier #pto.pipe<PIPE_ALL>',
                '    pto.mte_ub_gm %all, %x, %bytes nburst(%one, %bytes, %bytes) : !pto.ptr<i32, ub>, !pto.ptr<i32>, i64, i64, i64, i64',
                '    return', '  }', '}', '']
        return '\n'.join(out)


def words(rng):
    """Floats and integers, some of them special."""
    import struct
    out = b''
    for _ in range(WORDS):
        k = rng.random()
        if k < 0.8:
            out += struct.pack('<f', rng.choice([rng.uniform(-4, 4), float(rng.randint(-3, 3)), -0.0]))
        elif k < 0.9:
            out += struct.pack('<i', rng.randint(-5, 5))
        else:
            out += struct.pack('<I', rng.choice([0x7f800000, 0xff800000, 0x80000000, 1, 0x007fffff, 0x7f7fffff, rng.getrandbits(32)]))
    return out


def put_words(folder, rng):
    head = ("{'descr': '<i4', 'fortran_order': False, 'shape': (%d,), }" % WORDS).ljust(117) + '\n'
    with open(folder + '/x.npy', 'wb') as f:
        f.write(b'\x93NUMPY\x01\x00' + bytes([len(head), 0]) + head.encode() + words(rng))


def run(ptoasm, folder, path, left, level, flags):
    """Returns the bytes that the kernel leaves, or its message."""
    out = os.path.join(folder, 'out.npy')
    if os.path.exists(out):
        os.remove(out)
    env = dict(os.environ, PTORT_ISA=level, PTORT_THREADS='1')
    r = subprocess.run([ptoasm, 'run', '--profile=a5', *flags, path, 'x=%s/x.npy>%s' % (folder, out), 'left=%d' % left], env=env,
                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)
    if r.returncode != 0:
        return r.stdout.decode(errors='replace')
    with open(out, 'rb') as f:
        return f.read()[-4 * WORDS:]


def differs(a, b):
    """Whether two results differ in more than bits of NaN."""
    if isinstance(a, str) or isinstance(b, str):
        return a != b
    x, y = memoryview(a).cast('I'), memoryview(b).cast('I')
    return any(p != q and not (p & 0x7fffffff > 0x7f800000 and q & 0x7fffffff > 0x7f800000) for p, q in zip(x, y))


def bad_levels(ptoasm, folder, path, left):
    """The levels at which chains change what a program leaves. The bits of a NaN, which integers may read, depend on the level."""
    return [level for level in ['v2', 'v3', 'v4'] if differs(run(ptoasm, folder, path, left, level, ['--no-fuse']),
                                                             run(ptoasm, folder, path, left, level, []))]


def main():
    ptoasm = sys.argv[1]
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 60
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    tap = Tap()
    ran = chains = steps = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'f.pto')
        for k in range(count):
            rng = random.Random(seed * 1000003 + k)
            text = Kernel(rng, k % 12 == 11).make()
            with open(path, 'w') as f:
                f.write(text)
            put_words(folder, rng)
            left = rng.choice([0, 1, 40, 64, 100, 200])
            first = run(ptoasm, folder, path, left, 'v3', ['--no-fuse'])
            if isinstance(first, str):
                failed += 'leave vec' in first or 'must be a multiple' in first
                if os.environ.get('CHAINS_SHOW'):
                    print('#', k, first.splitlines()[:3])
            c = subprocess.run([ptoasm, 'emit', '--profile=a5', path, '-o', '-'], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.decode()
            ran += not isinstance(first, str)
            chains += c.count('ptrt_lane_chain_run')
            steps += c.count(', PTRT_FROM_')
            bad = bad_levels(ptoasm, folder, path, left)
            if bad:
                keep = '/tmp/lane-chains-%d-%d.pto' % (seed, k)
                with open(keep, 'w') as f:
                    f.write(text)
                tap.ok(False, 'program %d of seed %d, left=%d: %s: %s' % (k, seed, left, ', '.join(bad), keep))
        for what, lines in BETWEEN.items():
            rng = random.Random(seed)
            with open(path, 'w') as f:
                f.write(Kernel(rng, False).make(between(lines)))
            put_words(folder, rng)
            alone, bad = run(ptoasm, folder, path, 200, 'v3', ['--no-fuse']), bad_levels(ptoasm, folder, path, 200)
            tap.ok(not bad and not isinstance(alone, str), '%s between the statements of a chain' % what, ', '.join(bad) or str(alone)[:300])
    tap.ok(ran >= count * 3 // 4, '%d of %d programs run' % (ran, count))
    tap.ok(failed > 0, '%d programs stop at an address' % failed)
    tap.ok(chains >= ran, '%d chains of %d steps' % (chains, steps))
    tap.end()


main()
