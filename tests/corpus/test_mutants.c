/* Single statements of other people's programs, most of them changed in one to three places, with
 * the verdict of the vendor's assembler 0.60: mutants.tsv.gz in the folder that PTOASM_CORPUS
 * names. Each is judged with --compat=ptoas; of the rows that count (`at-pass` ones, which only a
 * later pass of the vendor refuses, do not) 999 in 1000 must have the vendor's verdict. The others
 * are listed by instruction. */
#include "common/checkrun.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MIN_PER_MILLE = 999 };

/* The fields of a line, in their order. */
typedef struct Mutant {
    char *instruction, *profile, *level, *change, *verdict, *vendor, *text;
} Mutant;

typedef struct Counts {
    long counted, refused, missed, skipped;
} Counts;

static char *cut(char **rest, char sep) {
    char *field = *rest;
    if (field == NULL) return NULL;
    char *end = strchr(field, sep);
    if (end != NULL) *end++ = '\0';
    *rest = end;
    return field;
}

/* Replaces `\n` and `\\` in place. */
static size_t unescape(char *s) {
    char *to = s;
    for (const char *from = s; *from != '\0'; from++) {
        if (from[0] == '\\' && from[1] != '\0') {
            from++;
            *to++ = *from == 'n' ? '\n' : *from;
        } else {
            *to++ = *from;
        }
    }
    *to = '\0';
    return (size_t)(to - s);
}

/* The first error as `message [id]`, "" when there is none; false when the call itself fails. */
static bool first_error(const Mutant *m, const char *text, size_t size, char out[512]) {
    const ptoasm_options opt = {.size = sizeof opt,
                                .profiles = strcmp(m->profile, "a5") == 0 ? PTOASM_PROFILE_A5
                                                                          : PTOASM_PROFILE_A2A3,
                                .level = atoi(m->level),
                                .compat = true};
    ptoasm_source *src;
    ptoasm_result *res = NULL;
    ptoasm_diagnostic d;
    out[0] = '\0';
    if (ptoasm_source_open(m->instruction, text, size, PTOASM_SOURCE_BORROW, &src) != PTOASM_OK)
        return false;
    int status = ptoasm_check(src, &opt, &res);
    for (size_t i = 0; out[0] == '\0' && ptoasm_diagnostic_at(res, i, &d); i++)
        if (d.severity == PTOASM_SEVERITY_ERROR) snprintf(out, 512, "%s [%s]", d.message, d.id);
    ptoasm_result_free(res);
    ptoasm_source_close(src);
    return status == PTOASM_OK || status == PTOASM_REJECTED;
}

static void judge(Mutant *m, Counts *counts, bool verbose) {
    char error[512];
    if (strcmp(m->verdict, "at-pass") == 0) {
        counts->skipped++;
        return;
    }
    size_t size = unescape(m->text);
    counts->counted++;
    if (!first_error(m, m->text, size, error)) {
        printf("FAIL %s: cannot be judged\n", m->instruction);
        counts->missed++;
        return;
    }
    bool accepted = strcmp(m->verdict, "accept") == 0;
    if (accepted == (error[0] == '\0')) return;
    counts->missed++;
    counts->refused += accepted;
    printf("%s: %s (%s, level %s, %s): %s\n", accepted ? "refused here" : "accepted here",
           m->instruction, m->profile, m->level, m->change, accepted ? error : m->vendor);
    if (verbose) printf("%s\n", m->text);
}

static bool read_fields(char *line, Mutant *m) {
    char **const fields[] = {&m->instruction, &m->profile, &m->level, &m->change,
                             &m->verdict,     &m->vendor,  &m->text};
    for (unsigned i = 0; i < sizeof fields / sizeof fields[0]; i++)
        *fields[i] = cut(&line, '\t');
    return m->text != NULL;
}

/* All lines of the packed file, to be freed. */
static char *unpacked(void) {
    size_t cap = 1 << 22, n = 0;
    FILE *f = popen("exec gzip -dc \"$PTOASM_CORPUS/mutants.tsv.gz\"", "r");
    char *data = f != NULL ? malloc(cap + 1) : NULL;
    while (data != NULL) {
        n += fread(data + n, 1, cap - n, f);
        if (n < cap) break;
        char *bigger = realloc(data, 2 * cap + 1);
        if (bigger == NULL) free(data);
        data = bigger;
        cap *= 2;
    }
    if (f == NULL || pclose(f) != 0 || data == NULL) {
        free(data);
        return NULL;
    }
    data[n] = '\0';
    return data;
}

int main(void) {
    if (getenv("PTOASM_CORPUS") == NULL) {
        puts("PTOASM_CORPUS is not set: skipped");
        return 77;
    }
    bool verbose = getenv("PTOASM_VERBOSE") != NULL;
    char *data = unpacked(), *rest = data;
    if (data == NULL) {
        fputs("cannot read mutants.tsv.gz\n", stderr);
        return 2;
    }
    Counts counts = {0};
    cut(&rest, '\n'); /* the names of the fields */
    for (char *line; (line = cut(&rest, '\n')) != NULL;) {
        Mutant m;
        if (read_fields(line, &m)) judge(&m, &counts, verbose);
    }
    free(data);
    printf("%ld verdicts, %ld others do not count\n", counts.counted, counts.skipped);
    printf("  as the vendor's: %ld (%.2f %%)\n", counts.counted - counts.missed,
           100.0 * (double)(counts.counted - counts.missed) / (double)counts.counted);
    printf("  refused here, accepted there: %ld\n", counts.refused);
    printf("  accepted here, refused there: %ld\n", counts.missed - counts.refused);
    if (counts.counted > 0 &&
        (counts.counted - counts.missed) * 1000 >= counts.counted * MIN_PER_MILLE)
        return 0;
    printf("FAIL fewer than %d in 1000 verdicts are the vendor's\n", MIN_PER_MILLE);
    return 1;
}
