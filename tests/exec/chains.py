#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""chains.py PTOASM [COUNT [SEED]]: random programs of statements that may run as chains, on tiles of all element types, with
partial valid regions, odd sizes, other layouts, and addresses at which tiles overlap; tiles are read through windows, in branches
and in other functions, and change their valid region; a part of the numbers are NaN, infinite, zeros of both signs, or large.
Each runs with chains and with --no-fuse, on every level of this machine, and leaves the same bytes. Prints TAP."""
import os
import random
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from tap import Tap

FLOATS = ['f32', 'f16', 'bf16']
INTEGERS = ['i32', 'i16', 'i8']
BYTES = {'f32': 4, 'f16': 2, 'bf16': 2, 'i32': 4, 'i16': 2, 'i8': 1}
SHAPES = [(32, 64), (16, 128), (31, 64), (8, 256), (64, 48), (4, 1024), (128, 16), (1, 4096), (40, 96), (16, 384)]


class Program:
    """The text of one program, and the arguments of its run."""

    def __init__(self, rng):
        self.rng = rng
        self.lines, self.types, self.names = [], {}, 0
        self.rows, self.cols = rng.choice(SHAPES)
        self.elem = rng.choice(FLOATS * 2 + INTEGERS + ['f32'] * 4)
        self.short = rng.random() < 0.6  # most tiles die: each is read soon after it is written, and few are stored
        self.other = rng.choice(['f32', 'bf16', 'f16'] if self.elem in FLOATS else ['i32', 'i16'])
        whole = rng.random() < 0.5
        self.vrow = self.rows if whole else rng.randint(1, self.rows)
        self.vcol = self.cols if whole or rng.random() < 0.4 else rng.randint(1, self.cols)
        self.dynamic = rng.random() < 0.4
        self.placed = rng.random() < 0.6
        self.layout = '' if rng.random() < 0.85 or self.cols % 8 else ', blayout=col_major'
        self.now, self.last = self.elem, {}  # of short lives: the type and the tile that were written last
        self.tiles = []  # (name, type name, kind, element)
        self.slots = {}
        self.windows = []
        self.helpers = {}  # functions that store a tile, by its type

    def put(self, text, depth=1):
        self.lines.append('  ' * depth + text)

    def fresh(self, stem):
        self.names += 1
        return '%%%s%d' % (stem, self.names)

    def kind(self, shape, elem):
        """Returns the name of a tile type."""
        if shape == 'f':
            text = '%dx%dx%s, valid=%s%s' % (self.rows, self.cols, elem, '?x?' if self.dynamic else
                                             '%dx%d' % (self.vrow, self.vcol), self.layout)
        elif shape == 'c':
            text = '%dx1x%s, valid=%s, blayout=col_major' % (self.padded(elem), elem,
                                                             '?x1' if self.dynamic else '%dx1' % self.vrow)
        elif shape == 'l':
            text = '1x%dx%s' % (self.padded(elem), elem)
        else:
            text = '1x%dx%s, valid=%s' % (self.cols, elem, '1x?' if self.dynamic else '1x%d' % self.vcol)
        name = '!%s_%s' % (shape, elem)
        self.types[name] = '!pto.tile_buf<vec, %s>' % text
        return name

    def padded(self, elem):
        unit = 32 // BYTES[elem]
        return (self.rows + unit - 1) // unit * unit

    def address(self, shape, elem):
        """An address: free memory, that of another tile, or a part of one."""
        size = {'f': self.rows * self.cols, 'c': self.padded(elem), 'l': self.padded(elem), 'r': self.cols}[shape] * BYTES[elem]
        size = (size + 31) // 32 * 32
        top = max([a + n for a, n in self.slots.values()], default=0)
        at = top
        if self.slots and self.rng.random() < 0.3:
            at = self.rng.choice(list(self.slots.values()))[0]
            if self.rng.random() < 0.3:
                at += self.rng.randrange(0, 40) * 32
        return at, size

    def alloc(self, shape, elem):
        t = self.kind(shape, elem)
        name = self.fresh(shape)
        clause = ''
        if self.placed:
            at, size = self.address(shape, elem)
            if at + size > 180000:
                return
            self.slots[name] = (at, size)
            number = self.fresh('a')
            self.put('%s = arith.constant %d : i64' % (number, at))
            clause += ' addr = %s' % number
        if self.dynamic and shape in 'fc':
            clause += ' valid_row = %vr'
        if self.dynamic and shape in 'fr':
            clause += ' valid_col = %vc'
        self.put('%s = pto.alloc_tile%s : %s' % (name, clause, t))
        self.tiles.append((name, t, shape, elem))
        if shape == 'c' and not self.placed and self.rng.random() < 0.7:
            flat = self.fresh('l')
            to = self.kind('l', elem)
            self.put('%s = pto.treshape %s : %s -> %s' % (flat, name, t, to))
            self.tiles.append((flat, to, 'l', elem))

    def pick(self, shape, elem=None):
        found = [t for t in self.tiles if t[2] == shape and (elem is None or t[3] == elem)]
        return self.rng.choice(found) if found else None

    def view(self, pointer, shape, elem):
        rows = {'f': self.vrow, 'c': self.vrow, 'l': 1, 'r': 1}[shape]
        cols = {'f': self.vcol, 'c': 1, 'l': self.padded(elem), 'r': self.vcol}[shape]
        pitch = cols if shape != 'f' or self.rng.random() < 0.5 else self.cols + self.rng.randint(0, 9)
        v, p = self.fresh('v'), self.fresh('w')
        n = [self.fresh('n') for _ in range(3)]
        for name, x in zip(n, (rows, cols, pitch)):
            self.put('%s = arith.constant %d : index' % (name, x))
        self.put('%s = pto.make_tensor_view %s, shape = [%s, %s], strides = [%s, %%c1] : !pto.tensor_view<%dx%dx%s>' %
                 (v, pointer, n[0], n[1], n[2], rows, cols, elem))
        part = '!pto.partition_tensor_view<%dx%dx%s>' % (rows, cols, elem)
        self.put('%s = pto.partition_view %s, offsets = [%%c0, %%c0], sizes = [%s, %s] : !pto.tensor_view<%dx%dx%s> -> %s' %
                 (p, v, n[0], n[1], rows, cols, elem, part))
        return p, part

    def half_view(self, pointer, elem):
        v, p, n, m = self.fresh('v'), self.fresh('w'), self.fresh('n'), self.fresh('n')
        self.put('%s = arith.constant %d : index' % (n, self.rows // 2))
        self.put('%s = arith.constant %d : index' % (m, self.cols))
        kind = '%dx%dx%s' % (self.rows // 2, self.cols, elem)
        self.put('%s = pto.make_tensor_view %s, shape = [%s, %s], strides = [%s, %%c1] : !pto.tensor_view<%s>' % (v, pointer, n, m, m, kind))
        self.put('%s = pto.partition_view %s, offsets = [%%c0, %%c0], sizes = [%s, %s] : !pto.tensor_view<%s> -> !pto.partition_tensor_view<%s>' %
                 (p, v, n, m, kind, kind))
        return p, '!pto.partition_tensor_view<%s>' % kind

    def make_window(self, t, depth=1):
        """Makes a window of half of a tile: (name, type, element), or None."""
        if self.dynamic or self.layout or (self.vrow, self.vcol) != (self.rows, self.cols) or self.rows % 2:
            return None
        w, half = self.fresh('w'), '!half_%s' % t[3]
        self.types[half] = '!pto.tile_buf<vec, %dx%dx%s>' % (self.rows // 2, self.cols, t[3])
        self.put('%s = pto.subview %s[%s, %%c0] sizes [%d, %d] : %s' %
                 (w, t[0], self.rng.choice(['%c0', '%half']), self.rows // 2, self.cols, t[1]), depth)
        return w, half, t[3]

    def window(self, depth):
        """Something reads a part of a tile under another name, which it has got here or before."""
        rng = self.rng
        t = self.pick('f', rng.choice([self.elem, self.other]))
        w = rng.choice(self.windows) if self.windows and rng.random() < 0.7 else t and self.make_window(t, depth)
        if w is None:
            return
        if rng.random() < 0.3:
            self.put('pto.tadds ins(%s, %%s_%s : %s, %s) outs(%s : %s)' % (w[0], w[2], w[1], w[2], w[0], w[1]), depth)
        if rng.random() < 0.8:
            p, part = self.halves[w[2]]
            self.put('pto.tstore ins(%s : %s) outs(%s : %s)' % (w[0], w[1], p, part), depth)

    def store(self, t, depth=1):
        """Stores a tile at the end: here, in a branch, or in a function that gets it."""
        rng = self.rng
        p, part = self.view('%%%s_%s' % (rng.choice('yz'), t[3]), 'f', t[3])
        way = rng.random()
        text = 'pto.tstore ins(%s : %s) outs(%s : %s)' % (t[0], t[1], p, part)
        if way < 0.6:
            self.put(text, depth)
        elif way < 0.8:
            self.put('scf.if %yes {', depth)
            self.put(text, depth + 1)
            self.put('}', depth)
        else:
            name = self.helpers.setdefault((t[1], part), '@store%d' % len(self.helpers))
            self.put('func.call %s(%s, %s) : (%s, %s) -> ()' % (name, t[0], p, t[1], part), depth)

    def statement(self, depth):
        rng = self.rng
        if rng.random() < 0.05:
            self.window(depth)
        if self.dynamic and rng.random() < 0.02:
            for t in self.tiles:
                if t[2] == 'f':
                    self.put('pto.set_validshape %s, %%vr2, %%vc2 : %s' % (t[0], t[1]), depth)
        e = self.now if self.short else rng.choice([self.elem, self.elem, self.other])
        a, b, d = self.pick('f', e), self.pick('f', e), self.pick('f', e)
        if self.short and self.last.get(e) and rng.random() < 0.9:
            a = self.last[e]
            if rng.random() < 0.3:
                a, b = b, a
        c, r, l = self.pick('c', e), self.pick('r', e), self.pick('l', e)
        real = e in FLOATS
        way = rng.randrange(10 if self.short else 12)
        if way not in (8, 9):
            self.last[e] = d
        two = '%s, %s : %s, %s'
        if way <= 2 and a:
            op = rng.choice(['tadd', 'tsub', 'tmul', 'tmax', 'tmin'] + (['tdiv'] if real else ['tand', 'txor']))
            self.put('pto.%s ins(%s) outs(%s : %s)' % (op, two % (a[0], b[0], a[1], b[1]), d[0], d[1]), depth)
        elif way <= 4 and a:
            t = l if l and rng.random() < 0.3 else None
            x, y = (t, self.pick('l', e)) if t else (a, d)
            op = rng.choice(['tadds', 'tmuls', 'tmaxs', 'tmins'])
            self.put('pto.%s ins(%s, %s : %s, %s) outs(%s : %s)' % (op, x[0], '%%s_%s' % e, x[1], e, y[0], y[1]), depth)
        elif way == 5 and a:
            op = rng.choice(['tabs', 'tneg', 'texp', 'trelu', 'tsqrt', 'trecip'] if real else ['tneg'])
            self.put('pto.%s ins(%s : %s) outs(%s : %s)' % (op, a[0], a[1], d[0], d[1]), depth)
        elif way == 6 and a and c:
            op = rng.choice(['sub', 'mul', 'add', 'max'] + (['div', 'expdif'] if real else []))
            self.put('pto.trowexpand%s ins(%s) outs(%s : %s)' % (op, two % (a[0], c[0], a[1], c[1]), d[0], d[1]), depth)
        elif way == 7 and a and r:
            op = rng.choice(['sub', 'mul', 'add', 'min'] + (['div'] if real else []))
            self.put('pto.tcolexpand%s ins(%s) outs(%s : %s)' % (op, two % (a[0], r[0], a[1], r[1]), d[0], d[1]), depth)
        elif way == 8 and a and c:
            op = rng.choice(['trowsum', 'trowmax', 'trowmin'])
            tmp = self.pick('f', e)
            self.put('pto.%s ins(%s) outs(%s : %s)' % (op, two % (a[0], tmp[0], a[1], tmp[1]), c[0], c[1]), depth)
        elif way == 9:
            x, y = self.pick('f', self.elem), self.pick('f', self.other)
            if rng.random() < 0.5:
                x, y = y, x
            if self.short and x and y:
                x, y = self.last.get(e) or self.pick('f', e), self.pick('f', self.other if e == self.elem else self.elem)
                self.now, self.last[y[3]] = y[3], y
            if x and y and x[3] != y[3]:
                self.put('pto.tcvt ins(%s : %s) outs(%s : %s)%s' %
                         (x[0], x[1], y[0], y[1], rng.choice(['', ' {rmode = #pto<round_mode RINT>}'])), depth)
        elif way == 10 and a:
            p, part = rng.choice(self.inputs[e])
            self.put('pto.tload ins(%s : %s) outs(%s : %s)' % (p, part, a[0], a[1]), depth)
        elif a:
            p, part = rng.choice(self.outputs[e])
            self.put('pto.tstore ins(%s : %s) outs(%s : %s)' % (a[0], a[1], p, part), depth)

    def make(self):
        rng = self.rng
        types = sorted({self.elem, self.other})
        n = self.rows * (self.cols + 10) + 64
        pointers = ['%%x_%s: !pto.ptr<%s>, %%y_%s: !pto.ptr<%s>, %%z_%s: !pto.ptr<%s>' % (e, e, e, e, e, e) for e in types]
        for name, x in (('c0', 0), ('c1', 1), ('c2', 2), ('vr', self.vrow), ('vc', self.vcol), ('half', self.rows // 2),
                        ('vr2', (self.vrow + 1) // 2), ('vc2', (self.vcol + 1) // 2)):
            self.put('%%%s = arith.constant %d : index' % (name, x))
        self.put('%yes = arith.cmpi eq, %c0, %c0 : index')
        self.inputs, self.outputs, self.halves = {}, {}, {}
        for e in types:
            self.put('%%s_%s = arith.constant %s : %s' % (e, '1.25' if e in FLOATS else '3', e))
            self.halves[e] = self.half_view('%%z_%s' % e, e)
            # an output may be the input: then loads and stores of a chain share memory
            self.inputs[e] = [self.view('%%x_%s' % e, 'f', e) for _ in range(2)]
            self.outputs[e] = [self.view('%%%s_%s' % (rng.choice('yyx'), e), 'f', e) for _ in range(2)]
            if rng.random() < 0.3:
                self.inputs[e].append(self.view('%%y_%s' % e, 'f', e))
            if rng.random() < 0.2:
                self.outputs[e].append(self.inputs[e][0])
            for shape in 'ffff' + 'c' * rng.randint(0, 2) + 'r' * rng.randint(0, 1):
                self.alloc(shape, e)
        for t in [t for t in self.tiles if t[2] == 'f']:
            if rng.random() < 0.2:
                w = self.make_window(t)
                self.windows += [w] if w else []
        for name, t, shape, e in self.tiles:
            if shape == 'l':
                continue
            p, part = self.view('%%x_%s' % e, shape, e)
            self.put('pto.tload ins(%s : %s) outs(%s : %s)' % (p, part, name, t))
        depth = 1
        if rng.random() < 0.3:
            self.put('scf.for %i = %c0 to %c2 step %c1 {')
            depth = 2
        for _ in range(rng.randint(3, 16)):
            self.statement(depth)
        if depth == 2:
            self.put('}')
            for _ in range(rng.randint(0, 4)):
                self.statement(1)
        if self.windows and rng.random() < 0.5:
            self.window(1)
        for e in types:
            full = [t for t in self.tiles if t[3] == e and t[2] == 'f']
            for t in [self.last[e]] if self.short and self.last.get(e) else rng.sample(full, rng.randint(0, 2)):
                self.store(t)
        entry = '' if rng.random() < 0.2 else ' attributes {pto.entry}'
        text = ''.join('%s = %s\n' % t for t in sorted(self.types.items()))
        text += 'module {\n  func.func @f(%s)%s {\n' % (', '.join(pointers), entry)
        text += '\n'.join('  ' + l for l in self.lines) + '\n    return\n  }\n'
        for (tile, part), name in self.helpers.items():
            text += '  func.func private %s(%%t: %s, %%p: %s) {\n    pto.tstore ins(%%t : %s) outs(%%p : %s)\n    return\n  }\n' % (
                name, tile, part, tile, part)
        text += '}\n'
        return text, types, n


def legal(ptoasm, path, text):
    """Leaves out statements that the profile does not allow for their types; returns the text, or None."""
    for _ in range(8):
        with open(path, 'w') as f:
            f.write(text)
        r = subprocess.run([ptoasm, 'check', '--profile=cpu', path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        wrong = {int(m) for m in re.findall(r':(\d+):\d+: error', r.stdout.decode(errors='replace'))}
        if not wrong:
            return text if r.returncode == 0 else None
        lines = text.split('\n')
        if not all(lines[k - 1].strip().startswith('pto.') for k in wrong):
            return None
        text = '\n'.join(l for k, l in enumerate(lines, 1) if k not in wrong)
    return None


SPECIAL = {'f32': [0x7fc00000, 0x7f800000, 0xff800000, 0, 0x80000000, 1, 0x7f7fffff, 0x47800000, 0xc7800000],
           'f16': [0x7e00, 0x7c00, 0xfc00, 0, 0x8000, 1, 0x7bff], 'bf16': [0x7fc0, 0x7f80, 0xff80, 0, 0x8000, 1, 0x7f7f]}


def put_special(folder, e, rng):
    """Replaces some of the numbers in the file of an argument."""
    with open('%s/x_%s.npy' % (folder, e), 'rb') as f:
        data = bytearray(f.read())
    size = BYTES[e]
    for at in range(128, len(data), size):
        if rng.random() < 0.06:
            bits = rng.choice(SPECIAL[e]) if e in SPECIAL else rng.getrandbits(8 * size)
            data[at:at + size] = bits.to_bytes(size, 'little')
    with open('%s/in_%s.npy' % (folder, e), 'wb') as f:
        f.write(data)


def run(ptoasm, folder, path, types, n, level, flags, given):
    """Returns what the program leaves in its outputs, or None and the message."""
    args = []
    for e in types:
        args += ['x_%s=%s>%s/x_%s.npy' % (e, '%s/in_%s.npy' % (folder, e) if given else 'random:7:%d' % n, folder, e)]
        args += ['%s_%s=zeros:%d>%s/%s_%s.npy' % (p, e, n, folder, p, e) for p in 'yz']
    env = dict(os.environ, PTORT_ISA=level, PTORT_THREADS='1')
    r = subprocess.run([ptoasm, 'run', '--unchecked' if n % 2 else '--entry=f', *flags, path, *args], env=env,
                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)
    if r.returncode != 0:
        return None, r.stdout.decode(errors='replace')
    out = {}
    for e in types:
        for p in 'xyz':
            with open('%s/%s_%s.npy' % (folder, p, e), 'rb') as f:
                out[p + e] = f.read()
    return out, ''


def same(a, b):
    """Whether the outputs are the same; of NaN only that it is one."""
    for key in a:
        e = key[1:]
        if a[key] == b[key]:
            continue
        if e not in FLOATS:
            return False
        inf = {'f32': 0x7f800000, 'f16': 0x7c00, 'bf16': 0x7f80}[e]
        sign = 1 << 8 * BYTES[e] - 1
        x, y = (memoryview(d)[128:].cast('I' if e == 'f32' else 'H') for d in (a[key], b[key]))
        if any(p != q and not (p & ~sign > inf and q & ~sign > inf) for p, q in zip(x, y)):
            return False
    return True


def main():
    ptoasm = sys.argv[1]
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 60
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    tap = Tap()
    levels = ['v2', 'v3', 'v4']
    ran = fused = steps = 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'f.pto')
        for k in range(count):
            text, types, n = Program(random.Random(seed * 1000003 + k)).make()
            text = legal(ptoasm, path, text)
            if text is None:
                continue
            first, why = run(ptoasm, folder, path, types, n, levels[0], ['--no-fuse'], False)
            for e in types if first else []:
                put_special(folder, e, random.Random(k))
            if first:
                first, why = run(ptoasm, folder, path, types, n, levels[0], ['--no-fuse'], True)
            if first is None:
                if os.environ.get('CHAINS_SHOW'):
                    print('#', k, why.splitlines()[:2])
                continue
            ran += 1
            c = subprocess.run([ptoasm, 'emit', '--profile=cpu', path, '-o', '-'], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.decode()
            fused += c.count('ptrt_chain_run')
            steps += c.count('PTRT_STEP_')
            bad = []
            for level in levels:
                each, why = run(ptoasm, folder, path, types, n, level, ['--no-fuse'], True)
                out, why = run(ptoasm, folder, path, types, n, level, [], True)
                # The payload of a NaN, which may be a part of another tile at its address, depends on the level.
                if out is None or not same(each, out) or (' addr = ' not in text and not same(first, out)):
                    bad.append(level + ' ' + why)
            if bad:
                keep = '/tmp/chains-%d-%d.pto' % (seed, k)
                with open(keep, 'w') as f:
                    f.write(text)
                tap.ok(False, 'program %d of seed %d: %s: %s' % (k, seed, ', '.join(bad), keep))
    tap.ok(ran >= count // 2, '%d of %d programs are legal' % (ran, count))
    tap.ok(fused >= ran // 2, '%d chains of %d steps' % (fused, steps))
    tap.end()


main()
