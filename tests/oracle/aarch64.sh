#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The runtime on AArch64, emulated: its kernels agree with the formulas, and their results are those of
# this machine, byte for byte; the bodies of micro-instructions agree with their formulas. Skipped
# without gcc-aarch64-linux-gnu and qemu-user-static.
# usage: aarch64.sh PROJECT RUN_ORACLE FAMILY... -- MICRO_FAMILY...
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
# One line for each object: its name, options, source. Names begin with the part that has it: the
# runtime (k, r), values that both oracles use (v), the oracle of tiles (o), of micro-instructions (m).
{
    families=
    for file in "$project"/runtime/kern/*.c; do
        family=$(basename "$file" .c)
        case $family in level | chain) continue ;; esac
        families="${families}FAMILY($family)"
        echo "k_$family.o -O3 -fwrapv -DPTRT_LEVEL=base -DPTRT_FAMILY=$family -DPTRT_IN_$family=, $file"
    done
    echo "k_level.o -O2 -DPTRT_LEVEL=base -DPTRT_FAMILIES=$families $project/runtime/kern/level.c"
    echo "k_chain.o -O3 -fwrapv -DPTRT_LEVEL=base $project/runtime/kern/chain.c"
    for file in "$project"/runtime/*.c "$project"/runtime/*/*.c "$project"/runtime/switch_aarch64.S; do
        case $file in */kern/* | */comm/mpi.c) continue ;; esac
        echo "r_$(echo "${file#"$project"/}" | tr / _).o -O2 $file"
    done
    for file in "$project"/tests/oracle/*.c; do
        part=o
        case $file in
        */test_* | */exhaustive.c) continue ;;
        */codec.c | */layout.c) part=v ;;
        esac
        echo "${part}_$(basename "$file").o -O2 $file"
    done
    for file in "$project"/tests/micro/lanes.c "$project"/tests/micro/formula_*.c; do
        echo "m_$(basename "$file").o -O2 $file"
    done
} >"$out/objects"
# shellcheck disable=SC2016
xargs -P "$(nproc)" -L 1 sh -c 'cc=$1 out=$2 args=$3 object=$4; shift 4
    $cc $args -c "$@" -o "$out/$object" || exit 255' sh "$cc" "$out" "$args" <"$out/objects"
for part in o m; do
    $cc -static "$out/$part"_*.o "$out"/v_*.o "$out"/[kr]_*.o -lm -pthread -o "$out/oracle_$part"
done

code=0
while [ $# -gt 0 ]; do
    family=$1
    shift
    [ "$family" = -- ] && break
    here=$("$native" "--run=$family") there=$($emulator "$out/oracle_o" "--run=$family") || code=1
    echo "$family: $here"
    echo "$family: $there"
    [ "$(echo "$here" | cut -d' ' -f2)" = "$(echo "$there" | cut -d' ' -f2)" ] || {
        echo "$family: the results differ"
        code=1
    }
done
for family in "$@"; do
    echo "micro $family"
    $emulator "$out/oracle_m" "$family" || code=1
done
exit $code
