#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run.sh PYTHON BUILD-FOLDER SOURCE-FOLDER: the tests of the Python package with the libraries of a build.
set -eu
python=$1
"$python" -c 'import numpy, pytest' 2>/dev/null || {
    echo 'no python3-pytest or no python3-numpy'
    exit 77
}
export PTOASM_RUNTIME="$2" PYTHONPATH="$3/python" PYTHONDONTWRITEBYTECODE=1
unset CC
# Python has no sanitizers, which such a library wants: scripts/test runs this with a release build.
! nm -D "$2/runtime/libptort.so" | grep -q __asan_ || {
    echo 'a build with sanitizers'
    exit 77
}
exec "$python" -m pytest -q -p no:cacheprovider "$3/tests/python"
