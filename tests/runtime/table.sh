#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The fingerprint of the kernel table changes with everything that a compiled call depends on, and with nothing else.
# usage: table.sh RUNTIME_FOLDER PTORT_TABLE_H
set -u
runtime=$(realpath "$1")
. "$(dirname "$0")/../tap.sh"

fingerprint() {
    sh "$runtime/table.sh" "$work/ptort.h" "$work/kernels.def" "$work/micro.def" | sed -n 's/^#define PTRT_TABLE //p'
}

# after FILE SED_SCRIPT: the fingerprint after an edit, which must change the file.
after() {
    cp "$runtime/ptort.h" "$work/ptort.h"
    cp "$runtime/ptort_kernels.def" "$work/kernels.def"
    cp "$runtime/ptort_micro.def" "$work/micro.def"
    sed "$2" "$work/$1" >"$work/edited"
    cmp -s "$work/edited" "$work/$1" && echo "no edit"
    mv "$work/edited" "$work/$1"
    fingerprint
}

differs() {
    case $1 in
    0x????????u) [ "$1" != "$now" ] ;;
    *) false ;;
    esac
}

now=$(sed -n 's/^#define PTRT_TABLE //p' "$2")
check "two rows exchanged" differs "$(after kernels.def '/^KERNEL(map, TADD,/{h;d;};/^KERNEL(map, TSUB,/G')"
check "a row added and a row removed" \
    differs "$(after kernels.def 's/^KERNEL(map, TADD, "tadd"/KERNEL(map, TADE, "tade"/')"
check "an argument added" differs "$(after kernels.def '/^KERNEL(map, TADD,/s/src1 dst/src1 dst 1/')"
check "an argument of a micro-instruction" differs "$(after micro.def '/^BODY(lanes, VADD,/s/rhs mask/mask rhs/')"
check "a call of a micro-instruction" differs "$(after micro.def '/^CALL("pset_b8",/s/pattern_mask/mask_pattern/')"
check "another driver" differs "$(after kernels.def '/^KERNEL(map, TADD,/s/map2/map9/')"
check "another version" differs "$(after ptort.h 's/^#define PTRT_VERSION .*/#define PTRT_VERSION 77/')"
check "a comment" same fingerprint "$(after kernels.def '/three inputs/d')" "$now"
check "more types" same fingerprint "$(after kernels.def '/^KERNEL(map, TADD,/s/WRAPPING/ARITHMETIC/')" "$now"

cp "$runtime/ptort.h" "$work/ptort.h"
sed '/^KERNEL(map, TADD,/s/"", /"",\
    /' "$runtime/ptort_kernels.def" >"$work/kernels.def"
exits 1 "a row of two lines" sh "$runtime/table.sh" "$work/ptort.h" "$work/kernels.def" "$work/micro.def"
check "it says so" said 'rows, and some of them cannot be read'
tap_end
