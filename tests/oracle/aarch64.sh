#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The runtime on AArch64, emulated: its kernels agree with the formulas, and their results are those of
# this machine, byte for byte. Skipped without gcc-aarch64-linux-gnu and qemu-user-static.
# usage: aarch64.sh PROJECT RUN_ORACLE FAMILY...
set -eu
project=$1 native=$2
shift 2
cc=aarch64-linux-gnu-gcc emulator=qemu-aarch64-static
for tool in $cc $emulator; do
    command -v $tool >/dev/null || {
        echo "no $tool"
        exit 77
    }
done
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
trap 'exit 1' HUP INT TERM
ORACLE_CASES=${ORACLE_CASES:-12}
export ORACLE_CASES

args="-std=c11 -D_GNU_SOURCE -DORACLE_CASES=12 -DPTRT_HAS_base=1 -fno-strict-aliasing -ffp-contract=off"
args="$args -fno-math-errno -fno-trapping-math -I$out -I$project/runtime -I$project/tests/oracle -Wall -Werror"
sh "$project/runtime/table.sh" "$project/runtime/ptort.h" "$project/runtime/ptort_kernels.def" "$project/runtime/ptort_micro.def" >"$out/ptort_table.h"
# One line for each object: its name, options, source.
{
    families=
    for file in "$project"/runtime/kern/*.c; do
        family=$(basename "$file" .c)
        [ "$family" = level ] && continue
        families="${families}FAMILY($family)"
        echo "k_$family.o -O3 -fwrapv -DPTRT_LEVEL=base -DPTRT_FAMILY=$family -DPTRT_IN_$family=, $file"
    done
    echo "k_level.o -O2 -DPTRT_LEVEL=base -DPTRT_FAMILIES=$families $project/runtime/kern/level.c"
    for file in "$project"/runtime/*.c "$project"/runtime/*/*.c "$project"/runtime/switch_aarch64.S; do
        case $file in */kern/* | */comm/mpi.c) continue ;; esac
        echo "$(echo "${file#"$project"/}" | tr / _).o -O2 $file"
    done
    for file in "$project"/tests/oracle/*.c; do
        case $file in */test_* | */exhaustive.c) continue ;; esac
        echo "$(basename "$file").o -O2 $file"
    done
} >"$out/objects"
# shellcheck disable=SC2016
xargs -P "$(nproc)" -L 1 sh -c 'cc=$1 out=$2 args=$3 object=$4; shift 4
    $cc $args -c "$@" -o "$out/$object" || exit 255' sh "$cc" "$out" "$args" <"$out/objects"
$cc -static "$out"/*.o -lm -pthread -o "$out/run_oracle"

code=0
for family in "$@"; do
    here=$("$native" "--run=$family") there=$($emulator "$out/run_oracle" "--run=$family") || code=1
    echo "$family: $here"
    echo "$family: $there"
    [ "$(echo "$here" | cut -d' ' -f2)" = "$(echo "$there" | cut -d' ' -f2)" ] || {
        echo "$family: the results differ"
        code=1
    }
done
exit $code
