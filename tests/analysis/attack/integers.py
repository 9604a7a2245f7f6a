# SPDX-License-Identifier: Apache-2.0
"""Integer arithmetic of the language: values of a width, kept without sign."""
WIDTHS = {'index': 64, 'i1': 1, 'i8': 8, 'i16': 16, 'i32': 32, 'i64': 64}


class Undefined(Exception):
    """The run has no meaning: a division by zero, a shift too far, a window outside its view."""


def width(kind):
    return WIDTHS[kind]


def wrap(value, bits):
    return value & ((1 << bits) - 1)


def signed(value, bits):
    return value - (1 << bits) if value >> (bits - 1) else value


def divided(a, b):
    """Towards zero."""
    if b == 0:
        raise Undefined('division by zero')
    q = abs(a) // abs(b)
    return q if (a < 0) == (b < 0) else -q


def remainder(a, b):
    return a - divided(a, b) * b


def floor_divided(a, b):
    if b == 0:
        raise Undefined('division by zero')
    return a // b


def shifted(value, by, bits):
    if by >= bits:
        raise Undefined('a shift too far')
    return value


# The second column: the operands have a sign.
BINARY = {
    'addi': (lambda a, b: a + b, False),
    'subi': (lambda a, b: a - b, False),
    'muli': (lambda a, b: a * b, False),
    'divui': (divided, False),
    'remui': (remainder, False),
    'divsi': (divided, True),
    'remsi': (remainder, True),
    'ceildivui': (lambda a, b: -floor_divided(-a, b), False),
    'ceildivsi': (lambda a, b: -floor_divided(-a, b), True),
    'floordivsi': (floor_divided, True),
    'minsi': (min, True),
    'maxsi': (max, True),
    'minui': (min, False),
    'maxui': (max, False),
    'andi': (lambda a, b: a & b, False),
    'ori': (lambda a, b: a | b, False),
    'xori': (lambda a, b: a ^ b, False),
}
SHIFTS = {
    'shli': (lambda a, b: a << b, False),
    'shrui': (lambda a, b: a >> b, False),
    'shrsi': (lambda a, b: a >> b, True),
}
COMPARISONS = {
    'eq': (lambda a, b: a == b, False),
    'ne': (lambda a, b: a != b, False),
    'slt': (lambda a, b: a < b, True),
    'sle': (lambda a, b: a <= b, True),
    'sgt': (lambda a, b: a > b, True),
    'sge': (lambda a, b: a >= b, True),
    'ult': (lambda a, b: a < b, False),
    'ule': (lambda a, b: a <= b, False),
    'ugt': (lambda a, b: a > b, False),
    'uge': (lambda a, b: a >= b, False),
}


def binary(name, a, b, bits):
    if name in SHIFTS:
        operation, has_sign = SHIFTS[name]
        shifted(a, b, bits)
        return wrap(operation(signed(a, bits) if has_sign else a, b), bits)
    operation, has_sign = BINARY[name]
    if has_sign:
        a, b = signed(a, bits), signed(b, bits)
    return wrap(operation(a, b), bits)


def compare(how, a, b, bits):
    operation, has_sign = COMPARISONS[how]
    if has_sign:
        a, b = signed(a, bits), signed(b, bits)
    return int(operation(a, b))


def cast(name, value, source, target):
    """index_cast keeps the sign, as extsi does; index_castui and extui do not; all cut what is too long."""
    if name in ('extsi', 'index_cast'):
        value = signed(value, source)
    return wrap(value, target)
