/* SPDX-License-Identifier: Apache-2.0 */
/* What the vendor's C++ library refuses: library-asserts.md in the folder that PTOASM_SPEC names
 * has a table of conditions and, for most, a program that breaks it. Each such program is refused
 * for its profile, or warned of with [library] where the translation needs an assumption (`B` in
 * the table) and for T1, which decision 20 makes a warning; judged as the vendor's assembler
 * judges, nobody speaks of the library. */
#include "api/ptoasm.h"
#include "common/checkrun.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 64, PATH_SIZE = 2048, GROUPS = 68 };

static unsigned refused, warned, failures;

typedef struct Judged {
    unsigned errors, warnings; /* warnings [library] */
    char first[256];
} Judged;

static Judged judge(const char *text, size_t size, const char *profile, bool compat) {
    Judged out = {0};
    ptoasm_options opt = PTOASM_OPTIONS_INIT;
    ptoasm_source *src;
    ptoasm_result *res = NULL;
    ptoasm_diagnostic d;
    opt.profiles = strcmp(profile, "a5") == 0 ? PTOASM_PROFILE_A5 : PTOASM_PROFILE_A2A3;
    opt.compat = compat;
    if (ptoasm_source_open("example.pto", text, size, 0, &src) != PTOASM_OK) exit(2);
    ptoasm_check(src, &opt, &res);
    for (size_t i = 0; res != NULL && ptoasm_diagnostic_at(res, i, &d); i++) {
        if (out.errors + out.warnings == 0) snprintf(out.first, sizeof out.first, "%s", d.message);
        out.errors += d.severity == PTOASM_SEVERITY_ERROR;
        out.warnings += strcmp(d.id, "library") == 0;
    }
    ptoasm_result_free(res);
    ptoasm_source_close(src);
    return out;
}

/* Does the table say that the condition is sure? Its row is `| ID | .. | A |`. */
static bool is_sure(const char *page, const char *id) {
    char head[NAME + 8];
    snprintf(head, sizeof head, "\n| %s |", id);
    const char *row = strstr(page, head), *end = row != NULL ? strchr(row + 1, '\n') : NULL;
    if (end == NULL) return true;
    return end - row < 6 || memcmp(end - 5, "| B |", 5) != 0;
}

static void try_group(const char *page, const char *id, const char *profile, const char *text,
                      size_t size) {
    bool error = is_sure(page, id) && strcmp(id, "T1") != 0;
    Judged own = judge(text, size, profile, false), vendor = judge(text, size, profile, true);
    bool good = own.errors > 0 || (!error && own.warnings > 0);
    refused += own.errors > 0;
    warned += own.errors == 0 && own.warnings > 0;
    if (good && vendor.warnings == 0) return;
    printf("FAIL %s (%s): %s\n", id, profile,
           good ? "the library counts under --compat=ptoas" : "is accepted");
    failures++;
}

/* `### ID: instruction, profile`, then a program between two lines of backquotes. */
static unsigned try_all(const char *page) {
    unsigned n = 0;
    for (const char *s = page; (s = strstr(s, "\n### ")) != NULL; s++) {
        char id[NAME], inst[NAME], profile[NAME];
        if (sscanf(s, "\n### %63[^:]: %63[^,], %63s", id, inst, profile) != 3) continue;
        const char *from = strstr(s, "```\n"), *to = from != NULL ? strstr(from + 4, "```") : NULL;
        if (to == NULL) exit(2);
        try_group(page, id, profile, from + 4, (size_t)(to - from - 4));
        n++;
    }
    return n;
}

int main(void) {
    const char *spec = getenv("PTOASM_SPEC");
    char path[PATH_SIZE];
    size_t size;
    if (spec == NULL) {
        puts("PTOASM_SPEC is not set: skipped");
        return 77;
    }
    snprintf(path, sizeof path, "%s/library-asserts.md", spec);
    char *page = read_whole_file(path, &size);
    if (page == NULL) {
        fprintf(stderr, "cannot read %s\n", path);
        return 2;
    }
    unsigned n = try_all(page);
    free(page);
    printf("%u groups, %u refused, %u warned of\n", n, refused, warned);
    if (n < GROUPS) printf("FAIL fewer than %d groups\n", GROUPS);
    return failures == 0 && n >= GROUPS ? 0 : 1;
}
