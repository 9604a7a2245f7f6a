#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Packs the archives with scripts/release and tries what is in them; programs for AArch64 run under
# qemu-user where it is. Takes as long as three builds.
# usage: archives.sh SOURCE-FOLDER FOLDER-OF-RELEASE PTOASM
set -u
source=$(realpath "$1") release=$2 ptoasm=$3
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../tap.sh"
sample=$source/samples/kernel/scale_mask.pto
bad=$source/samples/txors/example.pto

exits 0 'scripts/release' "$source/scripts/release" "$release"
[ "$code" = 0 ] || {
    tap_end
    exit 1
}
release=$(realpath "$release")
cd "$release" || exit 2
check 'the sums' sha256sum --check --quiet SHA256SUMS
cd "$work" || exit 2
"$ptoasm" emit "$sample" -o expected.c
"$ptoasm" run --grid=2 "$sample" random:1 out=expected.npy scale=2.5
"$ptoasm" check --profile=a2a3 "$bad" >expected.txt

cat >main.c <<'END'
#include "kernel.h"
#include <stdio.h>
int main(void) {
    float x[256], y[256];
    for (int i = 0; i < 256; i++)
        x[i] = (float)i;
    int err = add(x, y, 0.5f);
    if (err != 0) fprintf(stderr, "%s\n", ptrt_error());
    return err != 0 || y[255] != 255.5f;
}
END

no_interpreter() {
    ! readelf --wide --program-headers "$1" | grep -E 'INTERP|DYNAMIC'
}

no_symbols() {
    ! readelf --wide --section-headers "$1" | grep -E ' \.(symtab|debug_)'
}

# try_archive MACHINE ELF-MACHINE COMPILER EMULATOR...: without an emulator it runs here.
try_archive() {
    machine=$1 elf=$2 compiler=$3
    shift 3
    version=$("$ptoasm" --version | cut -d' ' -f2)
    archive=ptoasm-$version-linux-$machine
    check "$archive" test -s "$release/$archive.tar.gz"
    [ -s "$release/$archive.tar.gz" ] || return
    tar -tzf "$release/$archive.tar.gz" >names
    check "$archive: one folder" same 'names outside' "$(grep -vc "^$archive/" names)" 0
    tar -xzf "$release/$archive.tar.gz"
    for file in LICENSE README.md CHANGELOG.md SECURITY.md include/ptoasm.h include/ptort.h include/ptort_table.h lib/libptoasm.a \
        lib/libptort.a share/man/man1/ptoasm-run.1 share/bash-completion/completions/ptoasm.bash; do
        check "$archive: $file" test -s "$archive/$file"
    done
    program=$PWD/$archive/bin/ptoasm
    check "$archive: for this machine" sh -c 'readelf -h "$1" | grep -q "Machine: *$2"' sh "$program" "$elf"
    check "$archive: static" no_interpreter "$program"
    check "$archive: stripped" no_symbols "$program"
    if [ $# -gt 0 ] && ! command -v "$1" >/dev/null 2>&1; then
        skip "$archive: runs" "no $1"
        return
    fi
    # Nothing of the machine is needed: no variable, and no compiler.
    set -- env -i CC=none PTORT_THREADS=2 "$@"
    exits 0 "$archive: --version" "$@" "$program" --version
    check "$archive: the version" same version "$(cat stdout)" "ptoasm $version"
    exits 0 "$archive: check" "$@" "$program" check "$sample"
    exits 1 "$archive: check of an illegal program" "$@" "$program" check --profile=a2a3 "$bad"
    check "$archive: the same messages" cmp stdout expected.txt
    exits 0 "$archive: emit" "$@" "$program" emit "$sample" -o emitted.c
    check "$archive: the same C" cmp emitted.c expected.c
    exits 0 "$archive: run" "$@" "$program" run --grid=2 "$sample" random:1 out=result.npy scale=2.5
    check "$archive: the same numbers" cmp result.npy expected.npy
    exits 0 "$archive: emit with a header" "$@" "$program" emit "$source/tests/cli/good.pto" -o kernel.c --header=kernel.h
    if ! command -v "$compiler" >/dev/null 2>&1; then
        skip "$archive: emitted C" "no $compiler"
        return
    fi
    exits 0 "$archive: emitted C is linked with its library" "$compiler" -std=c11 -Wall -Werror -static \
        -I"$archive/include" main.c kernel.c "$archive/lib/libptort.a" -lm -pthread -o called
    exits 0 "$archive: the kernel is called" "$@" ./called
}

try_archive x86_64 'Advanced Micro Devices X86-64' "${CC:-cc}"
if command -v aarch64-linux-gnu-gcc >/dev/null 2>&1; then
    try_archive aarch64 AArch64 aarch64-linux-gnu-gcc qemu-aarch64-static
else
    skip 'the archive for AArch64' 'no aarch64-linux-gnu-gcc'
fi
exits 0 'the action with an archive' "${PYTHON:-python3}" "$here/../hosts/hosts.py" "$ptoasm" "$source" \
    --archive "$release/ptoasm-$("$ptoasm" --version | cut -d' ' -f2)-linux-x86_64.tar.gz"
check 'all that it tries' sh -c '! grep "^not ok" stdout && grep -q "^ok" stdout'
tap_end
