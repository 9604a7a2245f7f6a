#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does what pre-commit, GitHub and GitLab would do with this project's files for them.

usage: hosts.py PTOASM SOURCE-FOLDER [--build | --action | --archive FILE]

The YAML that docs/ci.md shows is what a user writes: each hook, workflow step and job in it is run
here as its host does it, in a scratch repository, with PTOASM as the program. pre-commit itself runs too where it is
installed. --build tests instead that scripts/ptoasm builds the program, --action that the action does, --archive that the
action runs the program in an archive of scripts/release. Prints TAP.
"""
import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from tap import Tap

try:
    import yaml
except ImportError:
    # A python3 of one's own in front of Debian's, which has the package.
    if sys.executable != '/usr/bin/python3' and os.path.exists('/usr/bin/python3'):
        os.execv('/usr/bin/python3', ['/usr/bin/python3'] + sys.argv)
    print('1..0 # SKIP no python3-yaml')
    sys.exit(0)

GOOD = '''func.func @k(%a: !pto.tile_buf<vec, 16x16xf32>, %s: f32, %b: !pto.tile_buf<vec, 16x16xf32>) {
  pto.tadds ins(%a, %s : !pto.tile_buf<vec, 16x16xf32>, f32) outs(%b : !pto.tile_buf<vec, 16x16xf32>)
  return
}
'''
# Line 2: i8 is not for a2a3, the default.
BAD = GOOD.replace('f32', 'i8').replace('16x16', '16x32')
UGLY = GOOD.replace('  return', '      return')
GRID = '''func.func @who(%__pypto_spmd_block_idx: i32, %out: !pto.ptr<i32>) attributes {pto.entry} {
  %i = arith.index_cast %__pypto_spmd_block_idx : i32 to index
  pto.store_scalar %__pypto_spmd_block_idx, %out[%i] : !pto.ptr<i32>, i32
  return
}
'''
PAGES = ['docs/ci.md']
FENCE = re.compile(r'^```yaml\n(.*?)^```$', re.M | re.S)
# A line that annotates: ::error file=F,line=L,...::TEXT
ANNOTATION = re.compile(r'^::(error|warning|notice) (.*?)::(.*)$', re.M)
# What pre-commit 3 and 4 take in a manifest.
HOOK_KEYS = {'id', 'name', 'entry', 'language', 'description', 'files', 'types', 'args', 'require_serial',
             'pass_filenames', 'exclude', 'minimum_pre_commit_version'}


tap = Tap()


def call(words, cwd, **variables):
    """Runs a command; gives its exit code and all that it printed."""
    env = dict(os.environ, LC_ALL='C', NO_COLOR='1', ASAN_OPTIONS='exitcode=99',
               GIT_CONFIG_NOSYSTEM='1', GIT_CONFIG_GLOBAL='/dev/null', **variables)
    run = subprocess.run(words, cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, text=True, timeout=900, check=False)
    return run.returncode, run.stdout


def git(cwd, *words):
    code, out = call(['git', '-c', 'user.name=x', '-c', 'user.email=x@localhost'] + list(words), cwd)
    if code != 0:
        raise RuntimeError('git %s: %s' % (' '.join(words), out))
    return out


def write(folder, files):
    for name, text in files.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'w', encoding='utf-8') as file:
            file.write(text)


def repository(base, name, files):
    """A new git repository with these files staged."""
    folder = os.path.join(base, name)
    os.makedirs(folder)
    git(folder, 'init', '-q')
    write(folder, files)
    git(folder, 'add', '-A')
    return folder


def shown(source):
    """All YAML that the pages show: (page, text, document)."""
    found = []
    for page in PAGES:
        with open(os.path.join(source, page), encoding='utf-8') as file:
            for text in FENCE.findall(file.read()):
                found.append((page, text, yaml.safe_load(text)))
    return found


def read(path):
    with open(path, encoding='utf-8') as file:
        return file.read()


def load(source, name):
    with open(os.path.join(source, name), encoding='utf-8') as file:
        return yaml.safe_load(file)


# ---- pre-commit ----

def run_hook(source, repo, hook, args, ptoasm):
    """What `pre-commit run` does for a hook of the language `script`, without its output."""
    names = git(repo, 'diff', '--staged', '--name-only', '--no-ext-diff', '-z', '--diff-filter=ACMRTUXB')
    names = [n for n in names.split('\0') if n and re.search(hook['files'], n)
             and os.path.isfile(os.path.join(repo, n))]
    if not names:
        return None, ''
    words = shlex.split(hook['entry'])
    words[0] = os.path.join(source, words[0])
    return call(words + args + names, repo, PTOASM=ptoasm)


def hooks(source, base, ptoasm, pages):
    manifest = {hook['id']: hook for hook in load(source, '.pre-commit-hooks.yaml')}
    for hook in manifest.values():
        entry = os.path.join(source, shlex.split(hook['entry'])[0])
        tap.ok(hook['language'] == 'script' and os.access(entry, os.X_OK), hook['id'] + ': a script', entry)
        tap.ok(not set(hook) - HOOK_KEYS, hook['id'] + ': known keys', set(hook) - HOOK_KEYS)
    used = [(page, entry) for page, _, doc in pages if isinstance(doc, dict) and 'repos' in doc
            for repo in doc['repos'] for entry in repo['hooks'] if repo['repo'] != 'local']
    tap.ok({page for page, _ in used} == set(PAGES), 'docs/ci.md shows the hooks', used)
    tap.ok({entry['id'] for _, entry in used} == set(manifest), 'every hook is shown', used)
    good = repository(base, 'hook-good', {'a.pto': GOOD, 'two words/b c.pto': GOOD, '-x.pto': GOOD, '@y.pto': GOOD,
                                           'bad.txt': BAD})
    bad = repository(base, 'hook-bad', {'a.pto': GOOD, 'x/bad.pto': BAD, 'ugly.pto': UGLY})
    none = repository(base, 'hook-none', {'bad.txt': BAD, 'x.pto.orig': BAD})
    for page, entry in used:
        hook, args = manifest[entry['id']], entry.get('args', manifest[entry['id']]['args'])
        title = '%s: %s %s: ' % (page, hook['id'], ' '.join(args))
        code, out = run_hook(source, good, hook, args, ptoasm)
        tap.ok(code == 0, title + 'good files pass', out)
        code, out = run_hook(source, bad, hook, args, ptoasm)
        wrong, right = ('ugly.pto', 'x/bad.pto') if 'fmt' in entry['id'] else ('x/bad.pto', 'ugly.pto')
        tap.ok(code == 1 and wrong in out and right not in out, title + 'the wrong file is named', out)
        tap.ok(run_hook(source, none, hook, args, ptoasm)[0] is None, title + 'other files are not looked at')
    local_hooks(pages, bad, ptoasm)
    return good, bad


def local_hooks(pages, bad, ptoasm):
    """A hook of the repository itself runs the program that is in PATH."""
    entries = [entry for _, _, doc in pages if isinstance(doc, dict) and 'repos' in doc
               for repo in doc['repos'] if repo['repo'] == 'local' for entry in repo['hooks']]
    for entry in entries:
        words = shlex.split(entry['entry']) + entry.get('args', [])
        path = '%s:%s' % (os.path.dirname(ptoasm), os.environ['PATH'])
        code, out = call(words + ['a.pto', 'x/bad.pto'], bad, PATH=path)
        tap.ok(entry['language'] == 'system' and code == 1 and 'x/bad.pto:2' in out, 'a local hook', out)


def copy_of(source, base):
    """The project as a repository of its own, as it is in the working tree."""
    copy = os.path.join(base, 'project')
    shutil.copytree(source, copy, ignore=lambda folder, names: [
        n for n in names if n == '.git' or (folder == source and n.startswith('build'))], symlinks=True)
    git(copy, 'init', '-q')
    git(copy, 'add', '-A')
    git(copy, 'commit', '-q', '-m', 'all')
    return copy


def real_pre_commit(source, base, ptoasm, good, bad):
    """pre-commit itself, when it is there: PRE_COMMIT may hold its words."""
    words = shlex.split(os.environ.get('PRE_COMMIT', 'pre-commit'))
    if shutil.which(words[0]) is None:
        for name in ('good files', 'wrong files'):
            tap.skip('pre-commit: ' + name, 'pre-commit is not installed')
        return
    project = copy_of(source, base)
    rev = git(project, 'rev-parse', 'HEAD').strip()
    config = {'repos': [{'repo': 'file://' + project, 'rev': rev,
                         'hooks': [{'id': 'ptoasm-check', 'args': ['--profile=a2a3', '--']}, {'id': 'ptoasm-fmt'}]}]}
    for name, folder, want in (('good files', good, 0), ('wrong files', bad, 1)):
        write(folder, {'.pre-commit-config.yaml': yaml.safe_dump(config)})
        git(folder, 'add', '-A')
        code, out = call(words + ['run'], folder, PRE_COMMIT_HOME=base + '/pre-commit', PTOASM=ptoasm)
        fine = code == want and ('x/bad.pto:2' in out and 'ugly.pto' in out) == (want == 1)
        tap.ok(fine, 'pre-commit: ' + name, out)


# ---- GitHub ----

class Runner:
    """What a runner keeps for the steps of a job: its files, the outputs of steps, and the cache of the repository."""

    def __init__(self, base, cache=None):
        self.temp = tempfile.mkdtemp(dir=base)
        self.path, self.outputs, self.cache = [], {}, {} if cache is None else cache
        self.uploads, self.restored, self.summary = [], [], ''

    def value(self, text, inputs):
        """An operand of an expression."""
        if text.startswith("'"):
            return text[1:-1]
        if text == 'runner.temp':
            return self.temp
        step = re.fullmatch(r'steps\.(\w+)\.outputs\.([\w-]+)', text)
        if step:
            return self.outputs.get(step.group(1), {}).get(step.group(2), '')
        return inputs[re.fullmatch(r'inputs\.(\w+)', text).group(1)]

    def holds(self, text, inputs, failed):
        """Whether the step with this `if` runs: comparisons joined by &&, and always()."""
        parts = re.fullmatch(r'\$\{\{ (.*) \}\}', text).group(1).split(' && ')
        if failed and 'always()' not in parts:
            return False
        for part in parts:
            compared = re.fullmatch(r"(\S+) (==|!=) ('[^']*')", part)
            if part != 'always()' and (self.value(compared.group(1), inputs)
                                       == self.value(compared.group(3), inputs)) != (compared.group(2) == '=='):
                return False
        return True

    def text(self, text, inputs):
        return re.sub(r'\$\{\{ (\S+) \}\}', lambda found: self.value(found.group(1), inputs), text)

    def run(self, step, source, workspace, inputs):
        """Runs a script in a file, under its shell."""
        files = {name: os.path.join(self.temp, name.lower())
                 for name in ('GITHUB_OUTPUT', 'GITHUB_PATH', 'GITHUB_STEP_SUMMARY')}
        script = os.path.join(self.temp, 'step.sh')
        write(self.temp, {'step.sh': step['run'], **{os.path.basename(path): '' for path in files.values()}})
        env = {name: self.text(value, inputs) for name, value in step.get('env', {}).items()}
        path = os.pathsep.join(self.path[::-1] + [os.environ['PATH']])
        code, out = call(['bash', '--noprofile', '--norc', '-eo', 'pipefail', script], workspace, PATH=path,
                         GITHUB_ACTION_PATH=source, GITHUB_WORKSPACE=workspace, RUNNER_TEMP=self.temp,
                         RUNNER_OS='Linux', RUNNER_ARCH='X64', **files, **env)
        given = {name: read(path) for name, path in files.items()}
        lines = [line.partition('=') for line in given['GITHUB_OUTPUT'].splitlines()]
        self.outputs[step.get('id', '')] = {name: value for name, _, value in lines}
        self.path += given['GITHUB_PATH'].splitlines()
        self.summary += given['GITHUB_STEP_SUMMARY']
        return code, out

    def use(self, step, workspace, inputs):
        """Does what a published action does with these inputs."""
        given = {name: self.text(value, inputs) for name, value in step['with'].items()}
        if step['uses'].startswith('actions/cache@'):
            folder = self.cache.get(given['key'])
            if folder is not None:
                shutil.copytree(folder, given['path'], symlinks=True)
                self.restored.append(given['key'])
            else:
                self.cache[given['key']] = given['path']    # kept at the end of the job
            self.outputs[step.get('id', '')] = {'cache-hit': 'true' if folder is not None else ''}
        elif step['uses'].startswith('github/codeql-action/upload-sarif@'):
            with open(given['sarif_file'], encoding='utf-8') as file:
                self.uploads.append(json.load(file))
        else:
            raise RuntimeError('an unknown action: ' + step['uses'])
        return 0, ''

    def action(self, source, action, given, workspace):
        """Runs the steps of the composite action."""
        inputs = {name: str(row.get('default', '')) for name, row in action['inputs'].items()}
        inputs.update({name: str(value).lower() if isinstance(value, bool) else value for name, value in given.items()})
        code, out = 0, ''
        for step in action['runs']['steps']:
            if self.holds(step.get('if', "${{ '' == '' }}"), inputs, code != 0):
                step_code, text = (self.use(step, workspace, inputs) if 'uses' in step
                                   else self.run(step, source, workspace, inputs))
                code, out = code or step_code, out + text
        return code, out


def run_action(source, action, given, workspace, cache=None):
    """A job with this action alone."""
    return Runner(os.path.dirname(workspace), cache).action(source, action, given, workspace)


def annotations(out):
    """The annotations as the runner reads them: properties and text, unescaped."""
    def plain(text, more=()):
        for code, char in (('%0D', '\r'), ('%0A', '\n')) + tuple(more) + (('%25', '%'),):
            text = text.replace(code, char)
        return text
    found = []
    for level, properties, text in ANNOTATION.findall(out):
        row = {'level': level, 'text': plain(text)}
        for item in properties.split(','):
            name, _, value = item.partition('=')
            row[name] = plain(value, (('%3A', ':'), ('%2C', ',')))
        found.append(row)
    return found


def github(source, base, ptoasm, pages):
    action = load(source, 'action.yml')
    tap.ok(action['runs']['using'] == 'composite' and all('shell' in s for s in action['runs']['steps'] if 'run' in s),
           'action.yml: a composite action')
    tap.ok(not any('${{' in step.get('run', '') for step in action['runs']['steps']), 'no script holds an input')
    work = repository(base, 'github', {
        'kernels/a.pto': GOOD, 'kernels/bad.pto': BAD, 'two words/$(touch oops)\'";.pto': GOOD, 'ugly.pto': UGLY})
    code, out = run_action(source, action, {'program': ptoasm}, work)
    rows = annotations(out)
    tap.ok(code == 1 and [(r['level'], r['file'], r['line']) for r in rows if r['level'] == 'error']
           == [('error', 'kernels/bad.pto', '2')], 'the wrong line is marked, by its path in the repository', out)
    for given, want, name in (
            ({'paths': 'ugly.pto\n\n  two words  \n'}, 0, 'several paths, one with a blank'),
            ({'paths': 'kernels', 'profile': 'a5'}, 0, 'a profile'),
            ({'paths': 'kernels', 'profile': 'cpu,a5'}, 0, 'several profiles'),
            ({'paths': 'kernels', 'profile': 'all'}, 1, 'all profiles'),
            ({'paths': 'kernels', 'args': '--profile=a5 --level=2\n--quiet'}, 0, 'options'),
            ({'paths': 'nowhere'}, 2, 'a path that is not there'),
            ({'paths': '--help'}, 2, 'a path that looks like an option'),
            ({'paths': '\n'}, 2, 'no path'),
            ({'profile': 'a5; touch oops'}, 2, 'a profile that looks like a command'),
            ({'paths': '$(touch oops)`touch oops`"; touch oops; "'}, 2, 'a path that looks like a command'),
            ({'args': '$(touch oops) ; touch oops'}, 2, 'an option that looks like a command'),
            ({'args': '*'}, 2, 'a star is not expanded')):
        code, out = run_action(source, action, dict(given, program=ptoasm), work)
        tap.ok(code == want, 'action: ' + name, 'exit code %d\n%s' % (code, out))
    tap.ok(not os.path.exists(work + '/oops'), 'nothing in an input was run')
    install_step(source, action, work)
    archives(source, base, action, packed(base, ptoasm), work)
    path_of_jobs(source, base, action, ptoasm, work)
    code_scanning(source, base, action, ptoasm, work)
    cache_of_jobs(source, base, action, ptoasm, work)
    steps = [(page, step) for page, _, doc in pages if isinstance(doc, dict) and 'jobs' in doc
             for job in doc['jobs'].values() for step in job['steps'] if '/ptoasm@' in step.get('uses', '')]
    tap.ok({page for page, _ in steps} == set(PAGES), 'docs/ci.md shows the action')
    for page, step in steps:
        given = step.get('with', {})
        tap.ok(set(given) <= set(action['inputs']), page + ': its inputs exist', given)
        code, out = run_action(source, action, dict(given, program=ptoasm), work)
        tap.ok(code in (0, 1) and all(r['file'] == 'kernels/bad.pto' for r in annotations(out)),
               page + ': the step runs', out)


def path_of_jobs(source, base, action, ptoasm, work):
    """Later steps find the program in PATH; of several profiles the summary has a table."""
    for given, name in (({'program': ptoasm}, 'a program'), ({'archive': base + '/two words.tar.gz'}, 'an archive')):
        runner = Runner(base)
        runner.action(source, action, dict(given, paths='kernels/a.pto'), work)
        code, out = runner.run({'run': 'ptoasm --version'}, source, work, {})
        tap.ok(code == 0 and out.startswith('ptoasm '), 'action: later steps run ' + name, out)
        tap.ok(runner.summary == '', 'action: of one profile there is no table', runner.summary)
    program = os.path.join(base, 'named')
    os.makedirs(program, exist_ok=True)
    shutil.copy(ptoasm, program + '/a program')
    runner = Runner(base)
    runner.path.append(program)
    code, out = runner.action(source, action, {'program': 'a program', 'paths': 'kernels/a.pto'}, work)
    tap.ok(code == 0, 'action: a program that PATH has', out)
    code, out = run_action(source, action, {'program': 'none', 'paths': 'kernels/a.pto'}, work)
    tap.ok(code != 0 and annotations(out), 'action: a program that is missing', out)
    for profile in ('all', 'a2a3,a5'):
        runner = Runner(base)
        runner.action(source, action, {'program': ptoasm, 'paths': 'kernels', 'profile': profile}, work)
        rows = [line.split(' | ') for line in runner.summary.splitlines()]
        tap.ok(len(rows) == 5 and any('kernels/bad.pto:2' in row[0] and 'no [elem-type]' in row for row in rows),
               'action: the summary has the table of ' + profile, runner.summary)


def code_scanning(source, base, action, ptoasm, work):
    """With sarif, what was found is uploaded, whether or not programs are rejected."""
    for given, results, want in (({'paths': 'kernels'}, ['elem-type'], 1), ({'paths': 'ugly.pto'}, [], 0),
                                 ({'paths': 'kernels', 'profile': 'a2a3,a5'}, ['elem-type'], 1)):
        runner = Runner(base)
        code, out = runner.action(source, action, dict(given, program=ptoasm, sarif='true'), work)
        found = [r['ruleId'] for document in runner.uploads for run in document['runs'] for r in run['results']]
        tap.ok(code == want and len(runner.uploads) == 1 and found == results,
               'action: SARIF of %s' % given, '%s\n%s\n%s' % (code, found, out))
        tap.ok(len(annotations(out)) == len(results), 'action: annotations too', out)
    runner = Runner(base)
    code, out = runner.action(source, action, {'paths': 'kernels', 'program': ptoasm}, work)
    tap.ok(not runner.uploads, 'action: nothing is uploaded without sarif')
    runner = Runner(base)
    code, out = runner.action(source, action, {'args': '--none', 'program': ptoasm, 'sarif': 'true'}, work)
    tap.ok(code == 2 and not runner.uploads and out.count('unknown option') == 1, 'action: no SARIF of wrong usage', out)


def cache_of_jobs(source, base, action, ptoasm, work):
    """A job that finds the program in the cache neither installs nor builds anything."""
    name = next(step for step in action['runs']['steps'] if step.get('id') == 'build')
    source = copy_of(source, tempfile.mkdtemp(dir=base))
    runner = Runner(base)
    code, out = runner.run(name, source, work, {})
    key = runner.outputs['build'].get('key', '')
    tap.ok(code == 0 and re.fullmatch('ptoasm-Linux-X64-[0-9a-f]{32}', key), 'action: the key of the cache', key + out)
    code, out = runner.run(name, source, work, {})
    tap.ok(runner.outputs['build']['key'] == key, 'action: the same sources, the same key')
    other = copy_of(source, tempfile.mkdtemp(dir=base))
    runner.run(name, other, work, {})
    before = runner.outputs['build']['key']
    with open(other + '/cli/main.c', 'a', encoding='utf-8') as file:
        file.write('\n')
    runner.run(name, other, work, {})
    tap.ok(runner.outputs['build']['key'] != before, 'action: other sources, another key')
    os.makedirs(base + '/kept/bin')
    shutil.copy(ptoasm, base + '/kept/bin/ptoasm')
    runner = Runner(base, {key: base + '/kept'})
    code, out = runner.action(source, action, {'paths': 'kernels'}, work)
    tap.ok(code == 1 and runner.restored == [key] and [r['file'] for r in annotations(out)] == ['kernels/bad.pto'],
           'action: the program in the cache runs', out)
    code, out = runner.run({'run': 'ptoasm --version'}, source, work, {})
    tap.ok(code == 0, 'action: and is in PATH', out)
    steps = [step['name'] for step in action['runs']['steps'] if 'cache' in step.get('if', '')]
    inputs = {'program': '', 'archive': '', 'cache': 'false'}
    runs = [step['name'] for step in action['runs']['steps']
            if step['name'] in steps and Runner(base).holds(step['if'], inputs, False)]
    tap.ok(runs == steps[1:] and len(runs) == 2, 'action: without a cache it is installed and built', runs)


def action_builds(source, base):
    """Builds the program as a runner does, and again from the cache of that job."""
    action, cache = load(source, 'action.yml'), {}
    source = copy_of(source, base)
    os.environ['CFLAGS'] = '-O0'    # as in build()
    work = repository(base, 'github', {'kernels/a.pto': GOOD, 'kernels/bad.pto': BAD, 'run.pto': GRID})
    for name, restored in (('the first job builds', 0), ('the second one does not', 1)):
        runner = Runner(base, cache)
        code, out = runner.action(source, action, {'paths': 'kernels'}, work)
        tap.ok(code == 1 and len(runner.restored) == restored
               and [r['file'] for r in annotations(out)] == ['kernels/bad.pto'], 'action: ' + name, out)
    code, out = runner.run({'run': 'ptoasm run --grid=2 run.pto zeros:2'}, source, work, {})
    tap.ok(code == 0, 'action: its program runs kernels', out)


def packed(base, ptoasm):
    """An archive such as scripts/release makes."""
    os.makedirs(base + '/packed/ptoasm-1/bin')
    shutil.copy(ptoasm, base + '/packed/ptoasm-1/bin/ptoasm')
    archive = base + '/two words.tar.gz'
    call(['tar', '-C', base + '/packed', '-czf', archive, 'ptoasm-1'], base)
    return archive


def archives(source, base, action, archive, work):
    """The program of an archive; no step builds or installs anything."""
    with open(archive, 'rb') as file:
        digest = hashlib.sha256(file.read()).hexdigest()
    for given, want, name in (
            ({}, 1, 'an archive'),
            ({'sha256': digest}, 1, 'an archive with its sum'),
            ({'sha256': digest[::-1]}, -1, 'an archive with another sum'),
            ({'archive': base + '/none.tar.gz'}, -1, 'an archive that is missing'),
            ({'archive': '$(touch oops)'}, -1, 'an archive that looks like a command'),
            ({'archive': 'http://127.0.0.1:9/x.tar.gz'}, -1, 'an archive from where it could be changed')):
        code, out = run_action(source, action, dict({'archive': archive, 'paths': 'kernels'}, **given), work)
        marked = [r['file'] for r in annotations(out)]
        fine = code == want and marked == ['kernels/bad.pto'] if want >= 0 else code != 0 and not marked
        tap.ok(fine, 'action: ' + name, 'exit code %d\n%s' % (code, out))
    tap.ok(not os.path.exists(work + '/oops'), 'nothing in the name of an archive was run')


def install_step(source, action, work):
    """The step that does nothing where all packages are there; elsewhere it would install them."""
    first = next(step for step in action['runs']['steps'] if step['name'].startswith('Install'))
    code, out = call(['sh', '-c', '. scripts/common.sh; dpkg-query -W -f "\\${Status}\\n" $BUILD_PACKAGES'], source)
    if code != 0 or any(line != 'install ok installed' for line in out.splitlines()):
        tap.skip('action: the step that installs', 'packages of the build are missing')
        return
    code, out = run_action(source, {'inputs': action['inputs'], 'runs': {'steps': [first]}}, {}, work)
    tap.ok(code == 0 and out == '', 'action: the step that installs', out)


# ---- GitLab ----

def gitlab(source, base, ptoasm, pages):
    jobs = [(page, text, doc['ptoasm']) for page, text, doc in pages if isinstance(doc, dict) and 'ptoasm' in doc]
    tap.ok({page for page, _, _ in jobs} == set(PAGES) and len({text for _, text, _ in jobs}) == 1,
           'docs/ci.md shows the GitLab job')
    job = jobs[0][2]
    code, out = call(['bash', '-n', '-c', '\n'.join(job['before_script'])], base)
    tap.ok(code == 0, 'its preparation can be read', out)
    # It installs packages and fetches the project; its last line puts scripts/ in PATH.
    print('# not run: ' + '; '.join(job['before_script']))
    path = '%s/scripts:%s' % (source, os.environ['PATH'])
    script = '\n'.join(['set -eo pipefail'] + job['script'])
    bad = repository(base, 'gitlab-bad', {'kernels/a.pto': GOOD, 'kernels/bad.pto': BAD, 'kernels/x.pto': BAD})
    good = repository(base, 'gitlab-good', {'kernels/a.pto': GOOD})
    if shutil.which('jq') is None:
        tap.skip('the GitLab job', 'jq is not installed')
        return
    code, out = call(['bash', '-c', script], good, PATH=path, PTOASM=ptoasm)
    report = job['artifacts']['reports']['codequality']
    tap.ok(code == 0 and load(good, report) == [], 'the GitLab job passes', out)
    code, out = call(['bash', '-c', script], bad, PATH=path, PTOASM=ptoasm)
    tap.ok(code == 1 and 'kernels/bad.pto:2' in out, 'the GitLab job fails and shows why', out)
    with open(os.path.join(bad, report), encoding='utf-8') as file:
        rows = json.load(file)
    places = [(row['location']['path'], row['location']['lines']['begin'], row['check_name'], row['severity'])
              for row in rows]
    tap.ok(places == [(n, 2, 'elem-type', 'major') for n in ('kernels/bad.pto', 'kernels/x.pto')],
           'its report has the place and the id', places)
    tap.ok(len({row['fingerprint'] for row in rows}) == 2 and all(row['description'] for row in rows),
           'every row has a description and a fingerprint of its own', rows)


# ---- the program that scripts/ptoasm builds ----

def build(source, base):
    project = copy_of(source, base)
    program = project + '/scripts/ptoasm'
    os.environ.pop('PTOASM', None)
    # How fast the program is does not matter here: without optimisation it is built in a third of the time.
    os.environ['CFLAGS'] = '-O0'
    write(base, {'bad.pto': BAD})
    code, out = call([program, 'check', 'bad.pto'], base)
    tap.ok(code == 1 and out.startswith('bad.pto:2:'), 'the first use builds, and says only what the program says', out)
    code, out = call([program, '--version'], base)
    tap.ok(code == 0 and out.count('\n') == 1, 'the second use runs', out)
    code, out = call(['git', 'status', '--porcelain'], project)
    tap.ok(out == '', 'the build leaves no trace in the repository', out)
    bare = base + '/bin'
    os.mkdir(bare)
    for tool in ('sh', 'dirname'):
        os.symlink(shutil.which(tool), os.path.join(bare, tool))
    code, out = call([program, '--version'], base, PATH=bare)
    tap.ok(code == 2 and 'apt-get install' in out, 'without the tools it says what to install', out)


def main():
    ptoasm, source = map(os.path.realpath, sys.argv[1:3])
    base = os.path.realpath(tempfile.mkdtemp())
    try:
        if '--build' in sys.argv:
            build(source, base)
        elif '--action' in sys.argv:
            action_builds(source, base)
        elif '--archive' in sys.argv:
            work = repository(base, 'github', {'kernels/a.pto': GOOD, 'kernels/bad.pto': BAD})
            archives(source, base, load(source, 'action.yml'), os.path.realpath(sys.argv[4]), work)
        else:
            pages = shown(source)
            good, bad = hooks(source, base, ptoasm, pages)
            github(source, base, ptoasm, pages)
            gitlab(source, base, ptoasm, pages)
            real_pre_commit(source, base, ptoasm, good, bad)
    finally:
        shutil.rmtree(base)
    tap.end()


main()
