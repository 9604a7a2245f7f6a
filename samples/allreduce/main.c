/* SPDX-License-Identifier: Apache-2.0 */
/* main.c - allreduce.pto on four ranks: as threads, `./threads`, or with -DOVER_MPI as processes,
 * `mpirun -n 4 ./processes`. Rank r writes its sums to FOLDER/sums.r. */
#ifdef OVER_MPI
#include <ptort_mpi.h>
#else
#include <ptort.h>
#endif

#include "allreduce.h"

#include <stdio.h>
#include <stdlib.h>

enum { CHUNK = 1024, WINDOW = 1 << 20 };

static int write_sums(const char *folder, int rank, const float *sums, size_t n) {
    char name[4096];
    snprintf(name, sizeof name, "%s/sums.%d", folder, rank);
    FILE *to = fopen(name, "wb");
    if (!to) return 1;
    const size_t written = fwrite(sums, sizeof *sums, n, to);
    return fclose(to) == 0 && written == n ? 0 : 1;
}

static int rank_main(int rank, void *folder) {
    const size_t n = (size_t)ptrt_rank_num() * CHUNK;
    float *x = calloc(n, sizeof *x), *sums = calloc(n, sizeof *sums);
    int64_t *window;
    int code = x && sums ? ptrt_window_make(WINDOW, &window) : PTRT_E_NOMEM;
    for (size_t i = 0; x && i < n; i++) /* numbers whose sum depends on the order */
        x[i] = (float)((i * 2654435761u + (unsigned)rank * 40503u) % 100003) * 0.001f;
    if (code == 0) code = allreduce(window, x, sums);
    if (code == 0) code = write_sums(folder, rank, sums, n);
    free(x);
    free(sums);
    return code;
}

int main(int argc, char **argv) {
    if (argc != 2) return 2;
#ifdef OVER_MPI
    const int code = ptrt_run_mpi(rank_main, argv[1]);
#else
    const int code = ptrt_run_ranks(4, rank_main, argv[1]);
#endif
    if (code != 0) fprintf(stderr, "code %d: %s\n", code, ptrt_error());
    return code != 0;
}
