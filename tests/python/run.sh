#!/bin/sh
# run.sh PYTHON BUILD-FOLDER SOURCE-FOLDER: the tests of the Python package with the libraries of a build.
set -eu
python=$1
"$python" -c 'import numpy, pytest' 2>/dev/null || {
    echo 'no python3-pytest or no python3-numpy'
    exit 77
}
export PTOASM_RUNTIME="$2" PYTHONPATH="$3/python" PYTHONDONTWRITEBYTECODE=1
unset CC
# A library with sanitizers wants theirs first; Python's own leaks are not looked at.
if nm -D "$2/runtime/libptort.so" | grep -q __asan_; then
    LD_PRELOAD="$(gcc -print-file-name=libasan.so) $(gcc -print-file-name=libubsan.so)"
    CC='env -u LD_PRELOAD cc'
    export LD_PRELOAD CC ASAN_OPTIONS=detect_leaks=0:exitcode=99
fi
exec "$python" -m pytest -q -p no:cacheprovider "$3/tests/python"
