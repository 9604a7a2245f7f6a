/* SPDX-License-Identifier: Apache-2.0 */
/* ptort_mpi.h - ranks that are processes of MPI: libptort-mpi, which links with libptort.
 *
 * static int rank_main(int rank, void *arg); as for ptrt_run_ranks() int main(void) { return
 * ptrt_run_mpi(rank_main, NULL) == 0 ? 0 : 1; }
 *
 * mpirun -n 4 ./program */
#ifndef PTORT_MPI_H
#define PTORT_MPI_H

#include "ptort.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Runs fn(rank, arg) on this thread as one rank of MPI_COMM_WORLD; every process of it must call
 * this. Returns in every process when all ranks have ended, with the code and the text that
 * ptrt_run_ranks() describes. Initialises and finalises MPI unless the caller has initialised it,
 * with MPI_THREAD_SERIALIZED or more: otherwise PTRT_E_ARG. At most 4095 ranks, else PTRT_E_ARG. A
 * process that exits without returning from here makes mpirun end all of them.
 *
 * Unless OMPI_MCA_osc is set, disables the component `rdma` of Open MPI, which fails in 4.1.
 *
 * Only pto.comm.* reach the windows of other ranks: a load or store there ends the process. */
PTRT_API int ptrt_run_mpi(ptrt_rank_fn fn, void *arg);

#ifdef __cplusplus
}
#endif

#endif
