# SPDX-License-Identifier: Apache-2.0
"""values.py BUILD-FOLDER [PATH-END]: runs the kernels that others published, below PTOASM_CORPUS, with random arguments by
ptoasm and by the interpreter in machine.py, and compares all arrays. The last line counts; exit 1 when a number is
wrong."""
import os
import re
import subprocess
import sys
import threading
import time
from queue import Queue

import numpy

import ptoasm
from generic import functions, split
from machine import Machine, whole_entries
from memory import FLOATS, Pointer, decode, dtype_of, encode, pointer_elem

SCALARS = (3, 64, 0, 16, 1)             # the first with which the kernel stays in its arrays
BLOCKS, SECONDS, SLOTS = 2, 20, 8
UNKNOWN_SIZE = 1 << 21                  # elements of an array whose size the views do not say
MOST_SIZE = 1 << 26
TOLERANCE = {'f32': 1e-4, 'f16': 4e-3, 'bf16': 3e-2}    # sums are made in another order, and exp by another function
ENOUGH = 100                            # fewer kernels compared: something hides them


class Unlike(Exception):
    pass


def sizes_of(listing):
    """Elements of the arrays by function and parameter, as `run --list` prints them."""
    sizes, function = {}, ''
    for line in listing.split('\n'):
        words = line.split()
        if line.startswith('@'):
            function = re.match(r'@([^,\s]+)', line).group(1)
        elif line.startswith('  %') and '*' in words and re.fullmatch(r'[\dx]+', words[-1]):
            sizes[function, words[0][1:]] = numpy.prod([int(n) for n in words[-1].split('x')])
    return sizes


def random_array(elem, size, random):
    if size > MOST_SIZE:
        raise NotImplementedError('an array of %d elements' % size)
    if elem in FLOATS:
        return encode(random.standard_normal(size, numpy.float32) * numpy.float32(0.5), elem)
    return random.integers(-8 if elem == 'i8' else 0, 8 if elem == 'i8' else 4, size).astype(dtype_of(elem))


def arguments_of(types, kernel, sizes, number):
    random, arguments = numpy.random.default_rng(1), []
    for param, kind in zip(kernel.params, types):
        elem = pointer_elem(kind)
        if elem:
            arguments.append(random_array(elem, sizes.get((kernel.name, param.name), UNKNOWN_SIZE), random))
        elif kind in FLOATS:
            arguments.append(0.5)
        else:
            dtype_of(kind)
            arguments.append(1 if kind == 'i1' else number)
    return arguments


def interpret_block(all_functions, name, arguments, block):
    """A cube function with its vector function beside it, which has one core when entries are not split."""
    deadline, errors = time.monotonic() + SECONDS, []
    cores = [(name, 0)]
    vector = name[:-1] + 'v'
    if name.endswith('_aic') and vector in all_functions:
        cores += [(vector, core) for core in range(1 if whole_entries(all_functions[vector]) else 2)]
    pipes = {key: Queue(SLOTS) for key in ('cube', ('vector', 0), ('vector', 1))}

    def run(function, core):
        try:
            Machine(all_functions, block, BLOCKS, deadline, core, pipes).call(function, arguments)
        except Exception as error:      # of another thread: handed on
            errors.append(error)
    threads = [threading.Thread(target=run, args=core) for core in cores]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors.pop()      # no cycle keeps the memories of the cores


def compare(name, elem, before, got, want):
    x, y, old = (decode(a, elem).astype(numpy.float64) for a in (got, want, before))
    if elem in FLOATS:
        with numpy.errstate(all='ignore'):
            written = y[(y != old) & (numpy.abs(y) < 1e30)]
            scale = numpy.abs(written).max() if written.size else 1
            wrong = ~((x == y) | (numpy.isnan(x) & numpy.isnan(y)) |
                      (numpy.abs(x - y) <= TOLERANCE[elem] * (numpy.abs(y) + 0.05 * scale)))
    else:   # quantised: the number before may lie on either side of a half
        wrong = numpy.abs(x - y) > (elem in ('i8', 'ui8'))
    if wrong.any():
        first = int(numpy.argmax(wrong))
        raise Unlike('%%%s: %d of %d, the first [%d] is %r, not %r' % (name, wrong.sum(), wrong.size, first, x[first],
                                                                      y[first]))


def judge(kernel, all_functions, sizes, number):
    """Whether any array changed. Raises what stops the kernel or the interpreter."""
    types = split(re.search(r'\((.*)\) ->', all_functions[kernel.name].attrs['function_type']).group(1))
    given = arguments_of(types, kernel, sizes, number)
    got, want = ([a.copy() if isinstance(a, numpy.ndarray) else a for a in given] for _ in range(2))
    kernel(*got, grid=BLOCKS)
    for block in range(BLOCKS):
        interpret_block(all_functions, kernel.name, [
            Pointer(a, 0, pointer_elem(kind)) if isinstance(a, numpy.ndarray) else a for a, kind in zip(want, types)],
            block)
    changed = False
    for param, kind, old, x, y in zip(kernel.params, types, given, got, want):
        if isinstance(old, numpy.ndarray):
            compare(param.name, pointer_elem(kind), old, x, y)
            changed |= not numpy.array_equal(old, x)
    return changed


def judge_file(path, program):
    """Pairs of a word and a line: 'same', 'wrong', or why nothing is compared."""
    def output(*words):
        return subprocess.run([program, *words, path], capture_output=True, text=True, check=False).stdout
    try:
        kernels = ptoasm.compile(path)
        all_functions, sizes = functions(output('fmt', '--form=generic')), sizes_of(output('run', '--list'))
    except (ptoasm.Error, NotImplementedError) as error:
        yield 'left out', str(error).split('\n', 1)[0]
        return
    for kernel in kernels.values():
        said = None
        for number in SCALARS:
            try:
                if judge(kernel, all_functions, sizes, number):
                    said = 'same', '%s, %d' % (kernel.name, number)
                    break
                said = said or ('left out', 'nothing changes')
            except (ptoasm.KernelError, NotImplementedError, ZeroDivisionError) as error:
                said = said or ('left out', '%s: %s' % (kernel.name, str(error).split('\n', 1)[0]))
            except (Unlike, IndexError) as error:
                said = 'wrong', '%s, %d: %s' % (kernel.name, number, error)
                break
        yield said


def main(build, end=''):
    os.environ['PTORT_THREADS'] = '1'   # blocks one after the other: random indices may meet
    program, count = os.path.join(build, 'cli', 'ptoasm'), {'same': 0, 'wrong': 0, 'left out': 0}
    corpus = os.environ.get('PTOASM_CORPUS')
    if not corpus:
        print('no PTOASM_CORPUS')
        return 77
    for folder, _, names in sorted(os.walk(os.path.join(corpus, 'accept'))):
        for name in sorted(names):
            path = os.path.join(folder, name)
            if '/test/samples/' not in path or not path.endswith(end or '.pto'):
                continue
            for word, line in judge_file(path, program):
                count[word] += 1
                if word != 'same' or end:
                    print('%s: %s: %s' % (word, path[len(corpus) + 1:], line.replace(corpus, '')), flush=True)
    print(', '.join('%d %s' % (n, word) for word, n in count.items()))
    return 1 if count['wrong'] or (not end and count['same'] < ENOUGH) else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:3]))
