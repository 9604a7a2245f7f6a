# SPDX-License-Identifier: Apache-2.0
"""The extension for VS Code that scripts/release packs is a package: all that its manifest names is in it.

vsix.py SOURCE-FOLDER. A script in place of npm puts the dependencies there, so that no network is needed.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
import zipfile

SOURCE = os.path.realpath(sys.argv[1])
sys.path.insert(0, os.path.join(SOURCE, 'tests'))
from tap import Tap

t = Tap()
NPM = '''#!{python}
import json, os
for name in json.load(open('package.json'))['dependencies']:
    os.makedirs('node_modules/' + name + '/lib')
    json.dump({{'name': name, 'main': './lib/main.js'}}, open('node_modules/' + name + '/package.json', 'w'))
    open('node_modules/' + name + '/lib/main.js', 'w').write('// ' + name)
    open('node_modules/' + name + '/node.js', 'w').write('module.exports = require("./lib/main")')
    open('node_modules/' + name + '/License', 'w').write('MIT & <more>')
'''

with tempfile.TemporaryDirectory() as work:
    os.mkdir(work + '/bin')
    with open(work + '/bin/npm', 'w', encoding='utf-8') as file:
        file.write(NPM.format(python=sys.executable))
    os.chmod(work + '/bin/npm', 0o755)
    packed = []
    for i in '12':
        os.mkdir(work + '/' + i)
        r = subprocess.run([sys.executable, SOURCE + '/scripts/pack_vsix.py', work + '/' + i, '1700000000'], text=True,
                           env={**os.environ, 'PATH': work + '/bin:' + os.environ['PATH']}, capture_output=True, timeout=60)
        packed.append(work + '/' + i + '/' + r.stdout.strip())
    with open(SOURCE + '/editors/vscode/package.json', encoding='utf-8') as file:
        package = json.load(file)
    t.ok(r.returncode == 0 and os.path.basename(packed[0]) == 'ptoasm-%s.vsix' % package['version'], 'it is packed', r.stderr)
    with open(packed[0], 'rb') as a, open(packed[1], 'rb') as b:
        t.ok(a.read() == b.read(), 'twice the same bytes')
    archive = zipfile.ZipFile(packed[0])
    names = set(archive.namelist())
    t.ok(archive.testzip() is None, 'a zip file that can be read')

    root = ET.fromstring(archive.read('[Content_Types].xml'))
    space = '{http://schemas.openxmlformats.org/package/2006/content-types}'
    ends = {e.get('Extension') for e in root.iter(space + 'Default')}
    own = {e.get('PartName') for e in root.iter(space + 'Override')}
    untyped = [n for n in names - {'[Content_Types].xml'}
               if '.' + n.rsplit('.', 1)[-1] not in ends and '/' + n not in own]
    t.ok(not untyped, 'every part has a type', untyped)

    space = '{http://schemas.microsoft.com/developer/vsx-schema/2011}'
    manifest = ET.fromstring(archive.read('extension.vsixmanifest'))
    identity = manifest.find('%sMetadata/%sIdentity' % (space, space))
    t.ok([identity.get(k) for k in ('Id', 'Version', 'Publisher')] == [package[k] for k in ('name', 'version', 'publisher')],
         'the identity is that of package.json', identity.attrib)
    version = re.search(r"version: '([^']+)'", open(SOURCE + '/meson.build', encoding='utf-8').read()).group(1)
    t.ok(package['version'] == version, 'the version is that of the program', (package['version'], version))
    named = [a.get('Path') for a in manifest.iter(space + 'Asset')]
    named.append(manifest.find('%sMetadata/%sLicense' % (space, space)).text)
    t.ok(set(named) <= names and 'extension/package.json' in named, 'the files that the manifest names', set(named) - names)

    inside = json.loads(archive.read('extension/package.json'))
    t.ok(inside == package, 'package.json is unchanged')
    paths = [package['main']] + [g['path'] for g in package['contributes']['grammars']]
    paths += [x['configuration'] for x in package['contributes']['languages']]
    absent = [p for p in paths if 'extension/' + p.removeprefix('./') not in names]
    t.ok(not absent, 'the files that package.json names', absent)
    main = archive.read('extension/' + package['main'].removeprefix('./')).decode()
    wanted = re.findall(r"require\('([^']+)'\)", main)
    absent = [w for w in wanted if not any('extension/node_modules/%s%s' % (w, e) in names for e in ('', '.js', '/package.json'))]
    t.ok(wanted and not absent, 'what the extension loads is in it', absent)

    r = subprocess.run([sys.executable, SOURCE + '/scripts/pack_vsix.py', work, '0'], env={'PATH': work}, capture_output=True,
                       text=True, timeout=60)
    t.ok(r.returncode == 0 and r.stdout == '' and 'no npm' in r.stderr, 'without npm it says so and packs nothing', r.stderr)
t.end()
