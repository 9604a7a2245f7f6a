/* SPDX-License-Identifier: Apache-2.0 */
/* run_oracle.c - runs of the matrix without CMocka, for machines that are emulated: as test_oracle
 * with --run or --case. */
#include "matrix.h"

#include <stdio.h>

int main(int argc, char **argv) {
    int code = run_once(argc, argv);
    if (code < 0) fprintf(stderr, "usage: run_oracle --run=FAMILY | --case=ID,E1,E2,N\n");
    return code < 0 ? 2 : code;
}
