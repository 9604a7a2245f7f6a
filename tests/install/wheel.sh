#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Packs wheels with scripts/wheel and installs the one for this machine into an empty environment, without network and
# compiler; the program of the other one runs under qemu-user where it is. Takes as long as two builds.
# usage: wheel.sh SOURCE-FOLDER FOLDER-OF-RELEASE PTOASM
set -u
source=$(realpath "$1") release=$2 ptoasm=$3
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../tap.sh"
sample=$source/samples/kernel/scale_mask.pto
bad=$source/samples/txors/example.pto
python=${PYTHON:-python3}
limit=6000000

exits 0 'scripts/wheel' "$source/scripts/wheel" "$release"
[ "$code" = 0 ] || {
    tap_end
    exit 1
}
release=$(realpath "$release")
cd "$work" || exit 2
version=$("$ptoasm" --version | cut -d' ' -f2)
"$ptoasm" check --profile=a2a3 "$bad" >expected.txt
"$ptoasm" run --grid=2 "$sample" random:1 out=expected.npy scale=2.5
"$ptoasm" ptoas --pto-arch=a3 "$sample" -o expected.cpp

small() {
    [ "$(stat -c %s "$1")" -le $limit ] || {
        ls -l "$1"
        return 1
    }
}

# What a wheel has: names, sums of its record, metadata.
for machine in x86_64 aarch64; do
    wheel=$(find "$release" -name "ptoasm-$version-py3-none-manylinux_*_$machine.whl")
    if [ -z "$wheel" ] && [ $machine = aarch64 ]; then
        skip 'the wheel for AArch64' 'no aarch64-linux-gnu-gcc'
        continue
    fi
    check "$machine: a wheel" test -s "$wheel"
    check "$machine: at most 6 MB" small "$wheel"
    check "$machine: its contents" "$python" - "$wheel" "$version" <<'END'
import base64, csv, hashlib, io, sys, zipfile
path, version = sys.argv[1:]
with zipfile.ZipFile(path) as wheel:
    assert wheel.testzip() is None
    files = {name: wheel.read(name) for name in wheel.namelist()}
info, data = 'ptoasm-%s.dist-info/' % version, 'ptoasm-%s.data/' % version
rows = {row[0]: row[1:] for row in csv.reader(io.StringIO(files[info + 'RECORD'].decode()))}
assert rows.keys() == files.keys(), rows.keys() ^ files.keys()
for name, (sum, size) in rows.items():
    if name == info + 'RECORD':
        continue
    want = base64.urlsafe_b64encode(hashlib.sha256(files[name]).digest()).rstrip(b'=').decode()
    assert (sum, size) == ('sha256=' + want, str(len(files[name]))), name
for name in ('ptoasm/__init__.py', 'ptoasm/py.typed', 'ptoasm/include/ptoasm.h', 'ptoasm/include/ptort_emitted.h',
             data + 'scripts/ptoasm', data + 'scripts/ptoas', data + 'data/share/man/man1/ptoasm-run.1',
             info + 'LICENSE'):
    assert name in files, name
for name in ('libptoasm.so.', 'libptort.so.'):
    assert any(other.startswith('ptoasm/lib/' + name) for other in files), name
tag = [line for line in files[info + 'WHEEL'].decode().splitlines() if line.startswith('Tag: ')]
assert tag == ['Tag: ' + '-'.join(path[:-4].rsplit('-', 3)[1:])], tag
head, _, body = files[info + 'METADATA'].decode().partition('\n\n')
fields = dict(line.split(': ', 1) for line in head.splitlines())
assert fields['Name'] == 'ptoasm' and fields['Version'] == version and body.startswith('# ptoasm')
for name in ('Summary', 'Author', 'License', 'Classifier', 'Requires-Python', 'Keywords', 'Provides-Extra',
             'Requires-Dist', 'Description-Content-Type'):
    assert fields.get(name), name
END
done

# ---- an empty environment, which can reach no index and no compiler ----
wheel=$(find "$release" -name "ptoasm-$version-py3-none-manylinux_*_$(uname -m).whl")
if ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
    skip 'the wheel is installed' 'this Python cannot make environments (python3-venv)'
    tap_end
    exit
fi
bin=$work/env/bin
alone="env -i HOME=$work/home PATH=$bin:$work/tools CC=none PIP_NO_INDEX=1 PIP_DISABLE_PIP_VERSION_CHECK=1"
mkdir -p home tools
for tool in sh dirname readlink; do
    ln -s "$(command -v $tool)" tools/$tool
done
started=$(date +%s)
exits 0 'an empty environment' "$python" -m venv env
# shellcheck disable=SC2086
exits 0 'pip install' $alone "$bin/python" -m pip install --quiet "$wheel"
# shellcheck disable=SC2086
exits 0 'the first check' $alone ptoasm check "$sample"
taken=$(($(date +%s) - started))
echo "# install to first check: $taken s"
check 'at most 30 s' test $taken -le 30
set -f
# shellcheck disable=SC2086
set -- $alone
set +f
exits 0 '--version' "$@" ptoasm --version
check 'the version' same version "$(cat stdout)" "ptoasm $version"
exits 1 'check of an illegal program' "$@" ptoasm check --profile=a2a3 "$bad"
check 'the same messages' cmp stdout expected.txt
exits 0 'run' "$@" ptoasm run --grid=2 "$sample" random:1 out=result.npy scale=2.5
check 'the same numbers' cmp result.npy expected.npy
exits 0 'ptoas' "$@" ptoas --pto-arch=a3 "$sample" -o result.cpp
check 'the same C++' cmp result.cpp expected.cpp
exits 0 'python -m ptoasm' "$@" python -m ptoasm check "$sample"
check 'a manual page' test -s env/share/man/man1/ptoasm-run.1
check 'the package, without numpy' "$@" python - "$bad" <<'END'
import importlib.util, sys
import ptoasm
assert importlib.util.find_spec('numpy') is None
assert '/site-packages/ptoasm/' in ptoasm.__file__
text = open(sys.argv[1]).read()
assert [problem.id for problem in ptoasm.check(text, profile='a2a3')] == ['elem-type']
assert 'PTRT_' in ptoasm.emit_c(text, profile='a5')
assert ptoasm.explain('tadds')['family']
END
# With a compiler and numpy of the machine, kernels are called.
if "$python" -c 'import numpy' 2>/dev/null && command -v cc >/dev/null; then
    packages=$("$python" -c 'import numpy, os; print(os.path.dirname(os.path.dirname(numpy.__file__)))')
    exits 0 'a kernel from Python' env -u PTOASM_RUNTIME -u PTOASM_LIBRARY PYTHONPATH="$packages" XDG_CACHE_HOME="$work/cache" \
        "$bin/python" -c '
import numpy, ptoasm, sys
x, y = numpy.ones((64, 64), "float32"), numpy.zeros((64, 64), "float32")
ptoasm.compile(sys.argv[1], profile="a5")["scale_mask"](x, y, 2.5, grid=2)
assert y[1, 0] == 2.5 and y[0, 1] == 0' "$sample"
else
    skip 'a kernel from Python' 'no numpy or no cc'
fi

# ---- the other machine ----
other=$(find "$release" -name "ptoasm-$version-py3-none-manylinux_*_aarch64.whl")
if [ -n "$other" ] && command -v qemu-aarch64-static >/dev/null 2>&1; then
    "$python" -m zipfile -e "$other" other
    program=other/ptoasm-$version.data/scripts/ptoasm
    chmod +x "$program"
    exits 1 'the program for AArch64' env -i qemu-aarch64-static "$program" check --profile=a2a3 "$bad"
    check 'the same messages there' cmp stdout expected.txt
else
    skip 'the program for AArch64' 'no wheel or no qemu-aarch64-static'
fi
tap_end
