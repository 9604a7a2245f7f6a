# SPDX-License-Identifier: Apache-2.0
"""`python -m ptoasm COMMAND ...`: the program `ptoasm` of the installation whose libraries the package loads."""
import os
import sys

from ._kernel import _find_program, _library_folder
from ._library import library, packaged


def program() -> str:
    """The path of `ptoasm`: in PTOASM_RUNTIME, beside the library, or in PATH."""
    folders, given = [], os.environ.get('PTOASM_RUNTIME')
    if given:
        folders += [os.path.join(given, 'cli'), os.path.join(given, 'bin'), given]
    try:
        library()
        folder = _library_folder()
        if folder == packaged():
            import sysconfig   # a wheel puts programs where its environment has them
            folders.append(sysconfig.get_path('scripts'))
        folders += [os.path.join(folder, part) for part in ('../cli', '../bin', '../../bin')]
    except ImportError:
        pass
    for path in [os.path.join(folder, 'ptoasm') for folder in folders] + [_find_program('ptoasm') or '']:
        if os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    sys.exit('python -m ptoasm: there is no program ptoasm in PTOASM_RUNTIME, beside the library or in PATH')


if __name__ == '__main__':
    path = program()
    sys.stdout.flush()
    os.execv(path, ['ptoasm'] + sys.argv[1:])
