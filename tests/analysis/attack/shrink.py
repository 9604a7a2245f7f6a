# SPDX-License-Identifier: Apache-2.0
"""Makes a program smaller as long as it shows its failure: takes away statements and regions."""
import re

KEPT = re.compile(r'\s*(return|func\.func|module|\}|\^|!|scf\.yield|scf\.condition|cf\.)')


def indent(line):
    return len(line) - len(line.lstrip())


def end_of(lines, n):
    """The line after the region that line n opens."""
    if not lines[n].rstrip().endswith('{'):
        return n + 1
    for k in range(n + 1, len(lines)):
        if indent(lines[k]) == indent(lines[n]) and lines[k].lstrip().startswith('}') and not lines[k].rstrip().endswith('{'):
            return k + 1
    return n + 1


def shorter(lines, n):
    """Programs without line n and its regions, or with the statements of a region in its place."""
    line = lines[n]
    if KEPT.match(line) and not re.match(r'\s*func\.func private', line):
        return
    end = end_of(lines, n)
    yield lines[:n] + lines[end:]
    inside = lines[n + 1:end - 1]
    if line.rstrip().endswith('{') and 'func.func' not in line and not any(re.match(r'\s*\}.*\{|\s*\^', x) for x in inside):
        yield lines[:n] + [x[2:] for x in inside if 'scf.yield' not in x] + lines[end:]


def shrink(text, is_failure):
    """From the end on, so that what defines a value goes after what uses it."""
    lines, before = text.split('\n'), None
    while before != len(lines):
        before = len(lines)
        for n in range(len(lines) - 1, -1, -1):
            if n < len(lines):
                lines = next((x for x in shorter(lines, n) if is_failure('\n'.join(x))), lines)
    return '\n'.join(lines)
