#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs every command line of README.md, CONTRIBUTING.md, docs/ and samples/README.md.

usage: sessions.py PTOASM BUILD-FOLDER SOURCE-FOLDER [--update] [PAGE...]

Per page one shell in a scratch folder, with the program in PATH and pkg-config finding the runtime of the
build tree. What a fence (```LANGUAGE) means:

  console   `$ ` starts a command, `> ` continues it; the other lines are what it prints, standard output
            and error together, byte for byte: nothing shown is nothing printed. `$ echo $?` shows exit codes.
  sh        commands without output; each must end with 0.
  others    not run, unless a comment comes before them: `<!-- file: NAME -->` writes the block to that file.

`<!-- not run: REASON -->` in front of a fence excludes it; the test says so. A command line anywhere else is an
error, and so is an option of the program in running text that its help does not have. --update writes what was
printed into the pages. Prints TAP.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

RUN = {'console', 'sh'}
SHOWN = {'pto', 'c', 'cpp', 'text', 'json', 'yaml', 'make', 'cmake', 'python', 'meson', 'lua', 'lisp', 'javascript', 'ebnf', 'tokens'}
FENCE = re.compile(r'^```(\w*)\s*$')
COMMENT = re.compile(r'^<!-- (file|not run): (.*) -->$')
LOOSE = re.compile(r'^(    |\t)(\$ |\s*(ptoasm|scripts/|meson|ninja|git|cc|gcc|clang|sudo|apt|apt-get) )')
INLINE = re.compile(r'`ptoasm ([a-z]+) ([^`]*)`')
OPTION = re.compile(r'(?<![\w-])(--[a-z][a-z-]*)')

# A compiler for programs that link with a runtime with sanitizers; what `ptoasm run` loads has them already.
SANITIZED = '''#!/bin/sh
case " $* " in
*" -shared "*) exec %s "$@" ;;
*) exec %s -fsanitize=address,undefined "$@" ;;
esac
'''


class Block:
    """A fence: its language, first line, lines, and what the comment in front of it says."""

    def __init__(self, language, line, kind, word):
        self.language, self.line, self.kind, self.word, self.lines = language, line, kind, word, []


class Command:
    """A command line of a session; start and end are the lines of its output in the page."""

    def __init__(self, text, line, compared):
        self.text, self.line, self.compared = text, line, compared
        self.start, self.end, self.shown = line, line, []


def blocks_of(lines, complain):
    """The fences of a page. Line numbers count from 1."""
    found, block, mark = [], None, None
    for number, line in enumerate(lines, 1):
        fence = FENCE.match(line)
        if block is not None:
            if line == '```':
                found.append(block)
                block = None
            else:
                block.lines.append(line)
        elif fence:
            kind, word = mark or (None, None)
            block = Block(fence.group(1), number, kind, word)
            if block.language not in RUN | SHOWN:
                complain(number, "a fence of the language '%s'" % block.language)
            mark = None
        elif line.startswith('```'):
            complain(number, 'a fence that cannot be read')
        else:
            comment = COMMENT.match(line)
            if comment:
                mark = comment.groups()
            elif line and mark:
                complain(number, 'a comment for a fence without a fence')
                mark = None
            if LOOSE.match(line):
                complain(number, 'a command line outside a fence')
    if block is not None:
        complain(block.line, 'a fence without an end')
    return found


def commands_of(block, complain):
    """The commands of a console or sh fence."""
    commands = []
    for number, line in enumerate(block.lines, block.line + 1):
        if block.language == 'sh':
            text = re.sub(r'\s+# .*', '', line)
            if commands and commands[-1].text.endswith('\\'):
                commands[-1].text += '\n' + text
            elif text.strip() and not text.startswith('#'):
                commands.append(Command(text, number, False))
        elif line.startswith('$ '):
            commands.append(Command(line[2:], number, True))
        elif line.startswith('> ') and commands and not commands[-1].shown:
            commands[-1].text += '\n' + line[2:]
            commands[-1].start = commands[-1].end = number
        elif commands:
            commands[-1].shown.append(line)
            commands[-1].end = number
        else:
            complain(number, 'output without a command')
    return commands


def script_of(steps, scratch):
    """One shell program: every command writes to a file of its own and finds the $? of the one before."""
    out = ['code=0']
    for index, step in enumerate(steps):
        if isinstance(step, Block):
            path = os.path.join(scratch, step.word)
            out.append('mkdir -p "$(dirname %s)"' % quote(path))
            out.append('cat %s >%s' % (quote('%s/../block.%d' % (scratch, index)), quote(path)))
            with open('%s/../block.%d' % (scratch, index), 'w', encoding='utf-8') as file:
                file.write('\n'.join(step.lines) + '\n')
        else:
            out.append('exec >%s 2>&1' % quote('%s/../out.%d' % (scratch, index)))
            out.append('(exit $code)')
            out.append(step.text)
            out.append('code=$?; echo $code >%s' % quote('%s/../code.%d' % (scratch, index)))
    return '\n'.join(out) + '\n'


def quote(text):
    return "'" + text.replace("'", "'\\''") + "'"


def read(path):
    try:
        with open(path, encoding='utf-8', errors='replace') as file:
            return file.read()
    except FileNotFoundError:
        return None


class Pages:
    def __init__(self, ptoasm, build, source, update):
        self.ptoasm, self.build, self.source, self.update = ptoasm, build, source, update
        self.count = self.failed = 0
        self.helps = {}

    def report(self, fine, name, details=()):
        self.count += 1
        self.failed += not fine
        print('%s %d - %s' % ('ok' if fine else 'not ok', self.count, name))
        for line in details if not fine else ():
            print('# ' + line)
        if not fine:
            print('# tests/docs/update rewrites what the pages show')

    def environment(self, base):
        """PATH, pkg-config and the loader for the build tree; a build with sanitizers needs their options."""
        env = dict(os.environ, LC_ALL='C', NO_COLOR='1', HOME=base, TMPDIR=base)
        env.pop('GITHUB_WORKSPACE', None)
        env['PATH'] = '%s/bin:%s:%s' % (base, os.path.dirname(self.ptoasm), env['PATH'])
        env['PKG_CONFIG_PATH'] = os.path.join(self.build, 'meson-uninstalled')
        env['LD_LIBRARY_PATH'] = os.path.join(self.build, 'runtime')
        env['ASAN_OPTIONS'] = 'exitcode=99:detect_leaks=0'
        for name in ('CC', 'CFLAGS', 'LDFLAGS'):
            env.pop(name, None)
        os.mkdir(base + '/bin')
        # Debian's Python has numpy, one before it in PATH may not.
        if os.path.exists('/usr/bin/python3'):
            os.symlink('/usr/bin/python3', base + '/bin/python3')
        library = subprocess.run(['nm', '-D', self.build + '/runtime/libptort.so'], capture_output=True, text=True)
        if '__asan_' in library.stdout:
            for name in ('cc', 'gcc', 'tcc'):
                path = shutil.which('gcc' if name == 'tcc' else name)
                with open('%s/bin/%s' % (base, name), 'w', encoding='utf-8') as file:
                    file.write(SANITIZED % (path, path))
                os.chmod('%s/bin/%s' % (base, name), 0o755)
        return env

    def options_exist(self, page, lines, complain):
        """`ptoasm COMMAND --option` in running text: the help of the command has the option."""
        for number, line in enumerate(lines, 1):
            for command, rest in INLINE.findall(line):
                if command not in self.helps:
                    run = subprocess.run([self.ptoasm, command, '--help'], capture_output=True, text=True)
                    self.helps[command] = run.stdout if run.returncode == 0 else None
                if self.helps[command] is None:
                    complain(number, "no command '%s'" % command)
                    continue
                for option in OPTION.findall(rest):
                    if not re.search(re.escape(option) + r'(?![\w-])', self.helps[command]):
                        complain(number, "'ptoasm %s' has no %s" % (command, option))

    def page(self, name):
        path = os.path.join(self.source, name)
        lines = read(path).split('\n')
        complaints = []

        def complain(number, text):
            complaints.append('%s:%d: %s' % (name, number, text))

        steps = []
        for block in blocks_of(lines, complain):
            if block.kind == 'not run':
                print('# not run: %s:%d: %s: %s' % (name, block.line, block.word, '; '.join(block.lines)))
            elif block.language in RUN:
                steps += commands_of(block, complain)
            elif block.kind == 'file':
                steps.append(block)
        self.options_exist(name, lines, complain)
        self.report(not complaints, name + ': its commands can be found', complaints)
        if any(isinstance(step, Command) for step in steps):
            self.run(name, path, lines, steps)

    def run(self, name, path, lines, steps):
        base = os.path.realpath(tempfile.mkdtemp())
        try:
            scratch = base + '/scratch'
            os.mkdir(scratch)
            shutil.copytree(os.path.join(self.source, 'samples'), scratch + '/samples')
            script = script_of(steps, scratch)
            with open(base + '/script', 'w', encoding='utf-8') as file:
                file.write(script)
            subprocess.run(['sh', base + '/script'], cwd=scratch, env=self.environment(base), timeout=240,
                           stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=False)
            changed = False
            for index, step in reversed(list(enumerate(steps))):
                if isinstance(step, Command) and step.compared and self.update:
                    got = (read('%s/out.%d' % (base, index)) or '').split('\n')[:-1]
                    changed |= got != step.shown
                    lines[step.start:step.end] = got
            if changed:
                with open(path, 'w', encoding='utf-8') as file:
                    file.write('\n'.join(lines))
                print('# rewritten: ' + name)
            for index, step in enumerate(steps):
                if isinstance(step, Command) and not self.update:
                    self.judge(name, step, read('%s/out.%d' % (base, index)), read('%s/code.%d' % (base, index)))
        finally:
            shutil.rmtree(base)

    def judge(self, name, step, got, code):
        title = '%s:%d: %s' % (name, step.line, step.text.split('\n')[0].replace('#', ''))
        if got is None or code is None:
            self.report(False, title, ['it did not run'])
        elif step.compared:
            want = ''.join(line + '\n' for line in step.shown)
            self.report(got == want, title, ['printed:'] + got.split('\n') + ['shown:'] + step.shown)
        else:
            self.report(code.strip() == '0', title, ['exit code ' + code.strip()] + got.split('\n'))


def main():
    words = [word for word in sys.argv[1:] if word != '--update']
    if len(words) < 3:
        sys.exit(__doc__)
    ptoasm, build, source = map(os.path.realpath, words[:3])
    pages = Pages(ptoasm, build, source, '--update' in sys.argv)
    # docs/isa and docs/diagnostics.md are printed by the program: another test compares them.
    names = words[3:] or ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md', 'samples/README.md'] + sorted(
        'docs/' + name for name in os.listdir(source + '/docs') if name.endswith('.md') and name != 'diagnostics.md')
    for name in names:
        pages.page(name)
    print('1..%d' % pages.count)
    sys.exit(pages.failed > 0)


main()
