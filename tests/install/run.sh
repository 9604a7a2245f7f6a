#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs into a scratch prefix and builds emitted C there with nothing but pkg-config:
# run.sh BUILD-FOLDER
set -u
build=$1
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../tap.sh"
cc=${CC:-cc}
prefix=$work/root/usr/local

exits 0 'meson install' env DESTDIR="$work/root" meson install -C "$build" --no-rebuild --quiet
[ "$code" = 0 ] || {
    tap_end
    exit 1
}
# The prefix of the build may be another one than the default.
prefix=$(dirname "$(dirname "$(find "$work/root" -name ptoasm -type f -perm -u+x | head -n 1)")")
pc=$(dirname "$(find "$work/root" -name ptort.pc | head -n 1)")
check 'pkg-config files' test -e "$pc/ptort.pc" -a -e "$pc/ptoasm.pc"
libdir=$(dirname "$pc")
for file in libptoasm.a libptoasm.so libptort.a libptort.so; do
    check "$file" test -e "$libdir/$file"
done
for file in ptoasm.h ptort.h ptort_emitted.h ptort_table.h ptort_scalar.h ptort_sanitize.h ptort_observe.h ptort_transport.h; do
    check "$file" test -e "$prefix/include/$file"
done
# gold, which scripts/test links with, shows three symbols of the linker too.
if [ -e "$libdir/libptort-mpi.so" ]; then
    check 'ptort_mpi.h' test -e "$prefix/include/ptort_mpi.h" -a -e "$pc/ptort-mpi.pc"
    check 'the runtime over MPI shows its interface alone' sh -c \
        '! nm -D --defined-only "$1" | grep -v " ptrt_\| __bss_start$\| _edata$\| _end$"' sh "$libdir/libptort-mpi.so"
fi
for schema in diagnostic portability run describe; do
    check "the schema of $schema" cmp "$prefix/share/ptoasm/$schema.schema.json" "$here/../../docs/$schema.schema.json"
done
if [ -e "$build/cli/manual/ptoasm.1" ]; then
    for file in man/man1/ptoasm.1 man/man1/ptoasm-run.1 bash-completion/completions/ptoasm.bash \
        zsh/site-functions/_ptoasm fish/vendor_completions.d/ptoasm.fish; do
        check "$file" test -s "$prefix/share/$file"
    done
fi
check 'the library shows its interface alone' sh -c \
    '! nm -D --defined-only "$1" | grep -v " ptoasm_\| PTOASM_0$"' sh "$libdir/libptoasm.so"
check 'the runtime shows its interface alone' sh -c \
    '! nm -D --defined-only "$1" | grep -v " ptrt_\| __bss_start$\| _edata$\| _end$"' sh "$libdir/libptort.so"
sanitized() {
    nm -D "$libdir/libptort.so" | grep -q '__asan_\|__ubsan_'
}

# The prefix in the files is where the libraries will be; here they lie under the scratch folder.
export PKG_CONFIG_PATH="$pc" PKG_CONFIG_SYSROOT_DIR="$work/root"
export LD_LIBRARY_PATH="$libdir"
cd "$work" || exit 2
sanitize=
if sanitized; then
    sanitize=-fsanitize=address,undefined
fi
exits 0 'emit with the installed program' "$prefix/bin/ptoasm" emit "$here/../cli/good.pto" -o k.c --header=k.h
cat >main.c <<'END'
#include "k.h"
#include <stdio.h>
int main(void) {
    float x[256], y[256];
    for (int i = 0; i < 256; i++)
        x[i] = (float)i;
    if (add(x, y, 0.5f) != 0) {
        fprintf(stderr, "%s\n", ptrt_error());
        return 1;
    }
    for (int i = 0; i < 256; i++)
        if (y[i] != (float)i + 0.5f)
            return 1;
    return 0;
}
END
# shellcheck disable=SC2046,SC2086
exits 0 'emitted C builds with pkg-config' $cc -std=c11 -Wall -Wextra -Wpedantic -Werror $sanitize -o shared main.c k.c $(pkg-config --cflags --libs ptort)
exits 0 'it runs with the shared library' ./shared
# shellcheck disable=SC2046,SC2086
exits 0 'emitted C links statically' $cc -std=c11 $sanitize -o static main.c k.c $(pkg-config --cflags ptort) -Wl,-Bstatic $(pkg-config --libs --static ptort | sed 's/-lm\|-pthread\|-lpthread//g') -Wl,-Bdynamic -lm -lpthread
exits 0 'it runs with the static library' env -u LD_LIBRARY_PATH ./static
cat >api.c <<'END'
#include <ptoasm.h>
#include <string.h>
int main(void) {
    const char *text = "func.func @k() {\n  return\n}\n";
    ptoasm_source *src;
    ptoasm_result *res;
    if (ptoasm_source_open("k.pto", text, strlen(text), 0, &src) != PTOASM_OK)
        return 1;
    int status = ptoasm_check(src, NULL, &res);
    ptoasm_result_free(res);
    ptoasm_source_close(src);
    return status;
}
END
# shellcheck disable=SC2046,SC2086
exits 0 'a program with libptoasm builds with pkg-config' $cc -std=c11 -Wall -Wextra -Werror $sanitize -o api api.c $(pkg-config --cflags --libs ptoasm)
exits 0 'it runs' ./api
unset LD_LIBRARY_PATH
exits 0 'the installed program runs a kernel' "$prefix/bin/ptoasm" run "$here/../cli/good.pto" zeros:f32x16x16 out=y.npy:f32x16x16 2
check 'the result is there' test -s y.npy

# PTOASM_RUNTIME names the prefix, wherever the distribution puts libraries. The program has no runtime beside it.
mkdir -p lone/bin
cp "$prefix/bin/ptoasm" lone/bin/ptoasm
exits 2 'a program without a runtime beside it' lone/bin/ptoasm run "$here/../cli/good.pto" zeros:f32x16x16 zeros:f32x16x16 2
check 'the variable is named' said PTOASM_RUNTIME
for folder in lib lib64 lib/x86_64-linux-gnu lib/riscv64-linux-gnu; do
    rm -rf other
    mkdir -p "other/$folder"
    cp -r "$prefix/include" other/include
    cp "$(realpath "$libdir/libptort.so")" "other/$folder/libptort.so"
    exits 0 "a prefix with $folder" env PTOASM_RUNTIME="$work/other" lone/bin/ptoasm run "$here/../cli/good.pto" \
        zeros:f32x16x16 out=y.npy:f32x16x16 2
done
exits 0 'the prefix of the installation' env PTOASM_RUNTIME="$prefix" lone/bin/ptoasm run "$here/../cli/good.pto" \
    zeros:f32x16x16 out=y.npy:f32x16x16 2
mkdir single && cp -r "$prefix/include/." "$(realpath "$libdir/libptort.so")" single &&
    mv single/libptort.so.* single/libptort.so
exits 0 'a folder with all' env PTOASM_RUNTIME="$work/single" lone/bin/ptoasm run "$here/../cli/good.pto" \
    zeros:f32x16x16 out=y.npy:f32x16x16 2
rm other/include/ptort_emitted.h
exits 2 'a prefix without ptort_emitted.h' env PTOASM_RUNTIME="$work/other" lone/bin/ptoasm run "$here/../cli/good.pto" \
    zeros:f32x16x16 zeros:f32x16x16 2
check 'what it lacks is said' said 'include/ptort_emitted.h and libptort.so in lib'
if sanitized || ! "${PYTHON:-python3}" -c 'import ctypes' 2>/dev/null; then
    skip 'Python finds the installation by its prefix' 'a build with sanitizers, or no python3'
else
    exits 0 'Python finds the installation by its prefix' env PTOASM_RUNTIME="$prefix" PYTHONPATH="$here/../../python" \
        "${PYTHON:-python3}" -c 'import sys, ptoasm; from ptoasm import _kernel; sys.exit(not _kernel.runtime().path.startswith(sys.argv[1]))' "$prefix"
fi

tap_end
