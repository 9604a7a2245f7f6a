/* ptort_mpi.h - ranks that are processes of MPI: libptort-mpi, which links with libptort.
 *
 *     static int rank_main(int rank, void *arg);      what ptrt_run_ranks() takes too
 *     int main(void) { return ptrt_run_mpi(rank_main, NULL) == 0 ? 0 : 1; }
 *
 *     mpirun -n 4 ./program */
#ifndef PTORT_MPI_H
#define PTORT_MPI_H

#include "ptort.h"

#ifdef __cplusplus
extern "C" {
#endif

/* fn(rank, arg) on this thread, as the rank that this process is among those of MPI_COMM_WORLD, all
 * of which call this. Returns in every process when all have ended: what ptrt_run_ranks() returns,
 * and ptrt_error() has its text. MPI is begun, and ended, unless the caller has begun it; then with
 * MPI_THREAD_SERIALIZED or more: else PTRT_E_ARG. At most 4095 ranks. A process that exits without
 * a return from here ends all of them, as mpirun does.
 *
 * Unless OMPI_MCA_osc is set, Open MPI is told not to take its component `rdma`, which fails in 4.1.
 *
 * In the windows of other ranks only pto.comm.* reach: loads and stores of them end the process. */
PTRT_API int ptrt_run_mpi(ptrt_rank_fn fn, void *arg);

#ifdef __cplusplus
}
#endif

#endif
