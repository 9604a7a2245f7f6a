# SPDX-License-Identifier: Apache-2.0
"""Packs editors/vscode into an extension of VS Code, a .vsix file, with the packages that it needs from npm.

usage: pack_vsix.py FOLDER SECONDS. Writes FOLDER/ptoasm-VERSION.vsix with the times SECONDS and prints its name.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from xml.sax.saxutils import escape, quoteattr

PROJECT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TYPES = {'json': 'application/json', 'js': 'application/javascript', 'vsixmanifest': 'text/xml', 'md': 'text/markdown',
         'txt': 'text/plain'}


def manifest(package):
    """The text of extension.vsixmanifest."""
    return '''<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
  <Metadata>
    <Identity Language="en-US" Id=%s Version=%s Publisher=%s/>
    <DisplayName>%s</DisplayName>
    <Description xml:space="preserve">%s</Description>
    <Categories>%s</Categories>
    <License>extension/LICENSE.txt</License>
    <Properties>
      <Property Id="Microsoft.VisualStudio.Code.Engine" Value=%s/>
    </Properties>
  </Metadata>
  <Installation>
    <InstallationTarget Id="Microsoft.VisualStudio.Code"/>
  </Installation>
  <Dependencies/>
  <Assets>
    <Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json" Addressable="true"/>
  </Assets>
</PackageManifest>
''' % (quoteattr(package['name']), quoteattr(package['version']), quoteattr(package['publisher']),
       escape(package['displayName']), escape(package['description']), escape(','.join(package['categories'])),
       quoteattr(package['engines']['vscode']))


def content_types(names):
    ends = sorted({name.rsplit('.', 1)[1] for name in names if '.' in os.path.basename(name)})
    bare = [name for name in names if '.' not in os.path.basename(name)]
    rows = ''.join('<Default Extension=%s ContentType=%s/>' % (
        quoteattr('.' + end), quoteattr(TYPES.get(end, 'application/octet-stream'))) for end in ends)
    rows += ''.join('<Override PartName=%s ContentType="application/octet-stream"/>' % quoteattr('/' + name) for name in bare)
    return ('<?xml version="1.0" encoding="utf-8"?>\n<Types xmlns="http://schemas.openxmlformats.org/package/2006/'
            'content-types">%s</Types>\n' % rows)


def main():
    target_folder, seconds = sys.argv[1:]
    npm = shutil.which('npm')
    if npm is None:
        print('no npm: no extension of VS Code', file=sys.stderr)
        return
    with tempfile.TemporaryDirectory() as folder:
        extension = os.path.join(folder, 'extension')
        shutil.copytree(os.path.join(PROJECT, 'editors', 'vscode'), extension)
        shutil.copy(os.path.join(PROJECT, 'LICENSE'), extension + '/LICENSE.txt')
        subprocess.run([npm, 'install', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--silent'],
                       cwd=extension, check=True, stdout=sys.stderr)
        with open(extension + '/package.json', encoding='utf-8') as file:
            package = json.load(file)
        names = sorted(os.path.relpath(os.path.join(path, name), folder)
                       for path, _, found in os.walk(extension) for name in found)
        texts = {'extension.vsixmanifest': manifest(package).encode()}
        texts['[Content_Types].xml'] = content_types(names + list(texts)).encode()
        for name in names:
            with open(os.path.join(folder, name), 'rb') as file:
                texts[name] = file.read()
    target = os.path.join(target_folder, '%s-%s.vsix' % (package['name'], package['version']))
    when = time.gmtime(max(int(seconds), 315532800))[:6]
    with zipfile.ZipFile(target, 'w', zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, data in texts.items():
            entry = zipfile.ZipInfo(name, when)
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
    print(os.path.basename(target))


main()
