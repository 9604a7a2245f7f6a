/* test_oracle.c - one family of kernels against its formulas, on every instruction-set level of the
 * machine: the program runs itself once per level and compares the digests of the results.
 *
 *     test_oracle FAMILY                 the test
 *     test_oracle --run=FAMILY           one run, at the level that PTORT_ISA names; --checked:
 *                                        in checked mode
 *     test_oracle --case=ID,E1,E2,N      one case
 */
#include "matrix.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- all levels ---- */

static const char *family;

/* One of the runs is in checked mode: that changes no result. */
static const struct {
    const char *level;
    bool checked;
} runs[] = {
#if defined(__x86_64__)
    {"v2", true},
    {"v3", false},
    {"v4", false},
#else
    {"base", false},
    {"base", true},
#endif
};
enum { RUNS = sizeof runs / sizeof *runs };

/* Runs this program at a level; text gets what it prints. Returns its exit code. */
static int run_level(const char *level, bool checked, char *text, int size) {
    char self[4096], command[4300];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    assert_true(n > 0);
    self[n] = '\0';
    snprintf(command, sizeof command, "PTORT_ISA=%s '%s' --run=%s %s", level, self, family,
             checked ? "--checked" : "");
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    assert_non_null(fgets(text, size, pipe));
    return pclose(pipe);
}

static void test_family(void **state) {
    (void)state;
    char first[17] = "";
    int bad = 0;
    for (int i = 0; i < RUNS; i++) {
        const char *level = runs[i].level;
        char text[200];
        int code = run_level(level, runs[i].checked, text, sizeof text);
        char *digest = strchr(text, ' ');
        assert_non_null(digest);
        if (strncmp(text, level, strlen(level)) != 0) {
            print_message("%s: SKIP, this machine has no %s\n", family, level);
            continue;
        }
        print_message("%s: %s", family, text);
        bad += code != 0;
        if (first[0] == '\0') memcpy(first, digest + 1, 16);
        if (memcmp(first, digest + 1, 16) != 0) {
            print_error("%s: the results at %s and %s differ\n", family, runs[0].level, level);
            bad++;
        }
    }
    assert_int_equal(bad, 0);
}

int main(int argc, char **argv) {
    int code = run_once(argc, argv);
    if (code >= 0) return code;
    if (argc != 2) {
        fprintf(stderr, "usage: test_oracle FAMILY | --run=FAMILY | --case=ID,E1,E2,N\n");
        return 2;
    }
    family = argv[1];
    const struct CMUnitTest tests[] = {{argv[1], test_family, NULL, NULL, NULL}};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
