#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# samples/allreduce: right numbers, and the same bytes from ranks that are threads and ranks that are
# processes. usage: allreduce.sh PTOASM SAMPLES LIBRARIES INCLUDE mpi|- plain|sanitized
set -u
ptoasm=$1
samples=$2
libraries=$3
include=$4
mpi=$5
sanitized=$6
. "$(dirname "$0")/../tap.sh"
cd "$work" || exit 2

sum() { # X: the sums of it over four ranks go to y0.npy ...
    "$ptoasm" run --ranks=4 "$samples/allreduce/allreduce.pto" ctx=window:65536 "x=$1:f32x4096" \
        'y=>y@.npy:f32x4096'
}
for rank in 1 2 3; do
    exits 0 "four ranks, run $rank" sum random:@
    for other in 1 2 3; do
        check "run $rank: rank $other has the sums of rank 0" cmp y0.npy y$other.npy
    done
    [ $rank = 1 ] && cp y0.npy first.npy
    check "run $rank: the same as the first" cmp y0.npy first.npy
done
exits 0 'ones' sum ones
check 'four times one' test "$(od -An -v -t x4 -j 128 y2.npy | tr -s ' ' '\n' | sort -u | tr -d '\n')" = 40800000

if [ "$sanitized" != plain ]; then
    skip 'threads and processes' 'the libraries need a sanitizer'
    tap_end
    exit
fi
exits 0 'emit' "$ptoasm" emit "$samples/allreduce/allreduce.pto" -o allreduce.c --header=allreduce.h
build() { # PROGRAM OPTION...
    program=$1
    shift
    ${CC:-cc} -I. -I"$include" -o "$program" "$samples/allreduce/main.c" allreduce.c -L"$libraries" \
        "$@" -lptort -Wl,-rpath,"$libraries"
}
mkdir threads.out processes.out
exits 0 'threads: build' build threads
exits 0 'threads: run' ./threads threads.out
for rank in 1 2 3; do
    check "threads: rank $rank has the sums of rank 0" cmp threads.out/sums.0 threads.out/sums.$rank
done
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_plm=isolated OMPI_MCA_btl=self,vader OMPI_MCA_rmaps_base_oversubscribe=1
if [ "$mpi" = - ] || ! mpirun -n 1 true >why 2>&1; then
    skip 'processes' 'Open MPI is not installed, or mpirun does not work here'
else
    exits 0 'processes: build' build processes -DOVER_MPI -lptort-mpi
    exits 0 'processes: run' mpirun -n 4 ./processes processes.out
    for rank in 0 1 2 3; do
        check "processes: rank $rank has the bytes of the threads" \
            cmp threads.out/sums.0 processes.out/sums.$rank
    done
fi
tap_end
