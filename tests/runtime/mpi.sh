#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Ranks as threads and as processes of MPI end alike: the same bytes, the same codes and messages, and
# no hang. usage: mpi.sh RANKS_BOTH RANKS_MPI|- plain|sanitized
set -u
threads=$1
mpi=$2
sanitized=$3
. "$(dirname "$0")/../tap.sh"

# One machine, whoever asks, however few cores.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_plm=isolated OMPI_MCA_btl=self,vader
export OMPI_MCA_rmaps_base_oversubscribe=1
# What Open MPI keeps until the end is no leak of ours.
export ASAN_OPTIONS="$ASAN_OPTIONS:detect_leaks=0"

over_mpi() {
    mpirun -n 4 "$mpi" mpi "$1"
}

if [ "$mpi" != - ] && ! mpirun -n 1 true >"$work/why" 2>&1; then
    skip "ranks over MPI" "mpirun does not work here: $(head -n 1 "$work/why")"
    mpi=-
elif [ "$mpi" = - ]; then
    skip "ranks over MPI" "Open MPI is not installed, or the option mpi is disabled"
fi

# processes CASE: each process prints the message, only rank 0 prints bytes.
processes() {
    [ "$mpi" != - ] || return 0
    exits 0 "$1: processes end" over_mpi "$1"
    sort -u "$work/stdout" >"$work/processes"
    sort -u "$work/threads" >"$work/lines"
    check "$1: as threads do" diff "$work/lines" "$work/processes"
}

# ends CASE MESSAGE: what the run ends with, for ranks as threads and as processes.
ends() {
    printf '%s\n' "$2" >"$work/threads"
    if [ "$1" != outside ]; then
        exits 0 "$1: threads end" "$threads" 4 "$1"
        check "$1: code and message" diff "$work/threads" "$work/stdout"
    fi
    processes "$1"
}

exits 0 "exchange: threads end" "$threads" 4 exchange
cp "$work/stdout" "$work/threads"
check "exchange: every box has come" test "$(wc -l <"$work/threads")" -gt 4000
processes exchange

waits='k.pto:20: rank 0: deadlock: every core waits: block 0 vector core 0 at line 20 (pto.comm.twait)'
ends mismatch "code 4: $waits; so do ranks 1, 2, 3"
ends early "code 4: $waits; so do ranks 2, 3; ended: rank 1"
ends skip "code 4: not all ranks make this window; so do ranks 2, 3; ended: rank 1"
ends fails 'code 77: rank 1 returned code 77'
ends room 'code 6: out of memory for a window'
# Threads reach all memory, and need checked mode to be stopped.
ends outside 'code 1: k.pto:22: rank 1: pto.comm.tput: what it reaches leaves the window of a rank'

# More ranks than there is memory for.
many() {
    # shellcheck disable=SC3045 # dash and bash have it
    ulimit -v 1000000 && exec "$threads" 60000 early
}
if [ "$sanitized" = plain ]; then
    exits 0 "too many ranks" many
    check "too many ranks: message" grep -q -x 'code 6: out of memory or threads for 60000 ranks' \
        "$work/stdout"
fi
tap_end
