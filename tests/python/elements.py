#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The element types of the Python package are what the tables say.

usage: elements.py GENERATOR SOURCE-FOLDER [--update]

With --update they are written instead. Prints TAP.
"""
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from tap import Tap

generator, source = (os.path.realpath(word) for word in sys.argv[1:3])
module = os.path.join(source, 'python', 'ptoasm', '_elements.py')
if '--update' in sys.argv:
    sys.exit(subprocess.run([generator, module]).returncode)
tap = Tap()
with tempfile.TemporaryDirectory() as folder:
    made = os.path.join(folder, '_elements.py')
    subprocess.run([generator, made], check=True)
    with open(made) as a, open(module) as b:
        tap.ok(a.read() == b.read(), 'python/ptoasm/_elements.py is up to date', 'tests/docs/update writes it')
tap.end()
