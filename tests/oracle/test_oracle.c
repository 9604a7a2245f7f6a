/* SPDX-License-Identifier: Apache-2.0 */
/* test_oracle.c - one family of kernels against its formulas, at every instruction-set level of the
 * machine.
 *
 *     test_oracle FAMILY                 the test
 *     test_oracle --run=FAMILY           the same without CMocka
 *     test_oracle --case=ID,E1,E2,N      one case
 */
#include "matrix.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static void test_family(void **state) {
    assert_true(run_family(*state));
}

int main(int argc, char **argv) {
    int code = run_once(argc, argv);
    if (code >= 0) return code;
    if (argc != 2) {
        fprintf(stderr, "usage: test_oracle FAMILY | --run=FAMILY | --case=ID,E1,E2,N\n");
        return 2;
    }
    const struct CMUnitTest tests[] = {{argv[1], test_family, NULL, NULL, argv[1]}};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
