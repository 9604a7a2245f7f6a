# SPDX-License-Identifier: Apache-2.0
"""Packs an installed prefix and the Python package into a wheel.

usage: pack_wheel.py PREFIX MACHINE FOLDER SECONDS. PREFIX is what `meson install` made for MACHINE (x86_64, aarch64); the
wheel is written into FOLDER with the times SECONDS, so that the same input gives the same bytes. Prints its name.

The metadata are those of python/pyproject.toml. In site-packages the folder ptoasm is the package and also a prefix, with
include/ and lib/; bin/ and share/ go into the environment.
"""
import base64
import hashlib
import os
import re
import struct
import subprocess
import sys
import time
import tomllib
import zipfile
import zlib

PROJECT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# A second name of the program: a wheel has no links, and the program is large.
PTOAS = '#!/bin/sh\nexec "$(dirname "$(readlink -f "$0")")/ptoasm" ptoas "$@"\n'


def needed_glibc(files):
    """The newest version of the C library that a symbol of the files is from: what the platform must have."""
    newest = (2, 17)   # the oldest one that platform tags name in this way
    for path in files:
        text = subprocess.run(['readelf', '--wide', '--version-info', path], capture_output=True, text=True,
                              check=True).stdout
        newest = max([newest] + [(int(a), int(b)) for a, b in re.findall(r'GLIBC_(\d+)\.(\d+)', text)])
    return newest


def metadata(project):
    """The text of METADATA, version 2.1."""
    lines = ['Metadata-Version: 2.1', 'Name: ' + project['name'], 'Version: ' + project['version'],
             'Summary: ' + project['description'], 'Keywords: ' + ','.join(project['keywords']),
             'Author: ' + project['authors'][0]['name'], 'License: ' + project['license']['text']]
    lines += ['Project-URL: %s, %s' % pair for pair in project.get('urls', {}).items()]
    lines += ['Classifier: ' + name for name in project['classifiers']]
    lines += ['Requires-Python: ' + project['requires-python']]
    for extra, needs in project['optional-dependencies'].items():
        lines += ['Provides-Extra: ' + extra] + ['Requires-Dist: %s ; extra == "%s"' % (need, extra) for need in needs]
    lines += ['Description-Content-Type: text/markdown', 'License-File: LICENSE', '']
    with open(os.path.join(PROJECT, 'python', project['readme']), encoding='utf-8') as file:
        return '\n'.join(lines) + '\n' + file.read()


def below(folder):
    """Paths of the files in a folder, relative to it."""
    return sorted(os.path.relpath(os.path.join(path, name), folder)
                  for path, _, names in os.walk(folder) for name in names)


def libraries(prefix):
    """The shared libraries by the name that other programs load them by, such as libptort.so.1, and their files."""
    folder, found = os.path.join(prefix, 'lib'), {}
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        if '.so' not in name or os.path.islink(path):
            continue
        dynamic = subprocess.run(['readelf', '--wide', '--dynamic', path], capture_output=True, text=True, check=True)
        found[re.search(r'SONAME.*\[(.*)\]', dynamic.stdout).group(1)] = path
    return found


def contents(prefix, project, libs):
    """Pairs: the name in the wheel, and the path of the file or its bytes."""
    package, data = os.path.join(PROJECT, 'python', 'ptoasm'), '%s-%s.data' % (project['name'], project['version'])
    for name in below(package):
        if name.endswith(('.py', 'py.typed')):
            yield 'ptoasm/' + name, os.path.join(package, name)
    for name in below(os.path.join(prefix, 'include')):
        yield 'ptoasm/include/' + name, os.path.join(prefix, 'include', name)
    for name, path in libs.items():
        yield 'ptoasm/lib/' + name, path
    yield data + '/scripts/ptoasm', os.path.join(prefix, 'bin', 'ptoasm')
    yield data + '/scripts/ptoas', PTOAS.encode()
    for name in below(os.path.join(prefix, 'share')):
        yield '%s/data/share/%s' % (data, name), os.path.join(prefix, 'share', name)


def digest(data):
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b'=').decode()


def deflated(data):
    """The bytes as a raw stream of deflate: libdeflate makes it 4 % smaller than zlib does."""
    packed = subprocess.run(['libdeflate-gzip', '-12', '-c'], input=data, stdout=subprocess.PIPE, check=True).stdout
    raw = packed[10:-8]   # after the header, which has no name, and before the checksum and the size
    if packed[3] != 0 or zlib.decompress(raw, -15) != data:
        raise SystemExit('libdeflate-gzip wrote what cannot be read')
    return raw


def write_zip(target, files, when):
    """An archive of files with one time, written by itself as zipfile compresses with zlib alone."""
    date = (when[0] - 1980) << 9 | when[1] << 5 | when[2]
    clock = when[3] << 11 | when[4] << 5 | when[5] // 2
    body, directory = bytearray(), bytearray()
    for name, data in files:
        raw, path = deflated(data), name.encode()
        fields = struct.pack('<5H3L2H', 20, 0, zipfile.ZIP_DEFLATED, clock, date, zlib.crc32(data), len(raw), len(data), len(path), 0)
        mode = (0o100755 if '/scripts/' in name else 0o100644) << 16
        directory += b'PK\1\2' + struct.pack('<H', 3 << 8 | 20) + fields + struct.pack('<3H2L', 0, 0, 0, mode, len(body)) + path
        body += b'PK\3\4' + fields + path + raw
    end = b'PK\5\6' + struct.pack('<4H2LH', 0, 0, len(files), len(files), len(directory), len(body), 0)
    with open(target, 'wb') as f:
        f.write(body + directory + end)


def main():
    prefix, machine, folder, seconds = sys.argv[1:]
    with open(os.path.join(PROJECT, 'python', 'pyproject.toml'), 'rb') as file:
        project = tomllib.load(file)['project']
    libs = libraries(prefix)
    tag = 'py3-none-manylinux_%d_%d_%s' % (*needed_glibc(libs.values()), machine)
    base = '%s-%s' % (project['name'], project['version'])
    files = [(name, what if isinstance(what, bytes) else open(what, 'rb').read())
             for name, what in contents(prefix, project, libs)]
    with open(os.path.join(PROJECT, 'LICENSE'), 'rb') as file:
        files.append((base + '.dist-info/LICENSE', file.read()))
    files.append((base + '.dist-info/METADATA', metadata(project).encode()))
    files.append((base + '.dist-info/WHEEL', ('Wheel-Version: 1.0\nGenerator: ptoasm\nRoot-Is-Purelib: false\n'
                                               'Tag: %s\n' % tag).encode()))
    record = ''.join('%s,sha256=%s,%d\n' % (name, digest(data), len(data)) for name, data in files)
    files.append((base + '.dist-info/RECORD', (record + base + '.dist-info/RECORD,,\n').encode()))
    target = os.path.join(folder, '%s-%s.whl' % (base, tag))
    when = time.gmtime(max(int(seconds), 315532800))[:6]   # an archive knows no time before 1980
    write_zip(target, files, when)
    print(os.path.basename(target))


main()
