/* SPDX-License-Identifier: Apache-2.0 */
/* What the proof of synchronisation says, a line for each function. */
#include "cli/cli.h"
#include "ir/profile.h"

#include <stdio.h>

static void put_unknown(const ptoasm_sync_row *row) {
    fputs("not proved: ", stdout);
    if (row->unknown_line > 0) printf("line %lu: ", (unsigned long)row->unknown_line);
    printf("%s%s", row->unknown, row->unknown_line > 0 ? " is not understood" : "");
}

static void put_row(const ptoasm_sync_row *row) {
    switch (row->state) {
    case PTOASM_SYNC_PROVED:
        fputs(row->across ? "proved for each core by itself" : "proved", stdout);
        if (row->planned) fputs(" for the planned addresses", stdout);
        if (row->assumed != NULL) printf(", assuming that %s", row->assumed);
        if (row->across) fputs("; the order between cores is not proved", stdout);
        break;
    case PTOASM_SYNC_FOUND:
        printf("not proved: %lu finding%s", (unsigned long)row->findings,
               row->findings == 1 ? "" : "s");
        break;
    case PTOASM_SYNC_UNKNOWN:
        put_unknown(row);
        break;
    case PTOASM_SYNC_WHERE_CALLED:
        fputs("judged where it is called", stdout);
        break;
    default:
        fputs("not judged: no flag, event or buffer in the text (--sync=all judges it)", stdout);
    }
}

/* Several profiles may share a row. */
static void put_on(uint32_t profiles) {
    char names[PROFILES_TEXT];
    profiles_join(names, (ProfileSet)profiles, " and ");
    printf(" on %s", names);
}

void print_proofs(const ptoasm_result *res, const char *file, const Options *opt) {
    ptoasm_sync_row row;
    const bool several = (opt->judge.profiles & (opt->judge.profiles - 1)) != 0;
    for (size_t i = 0; ptoasm_sync_at(res, i, &row); i++) {
        printf("%s:%lu: @%s: synchronisation", file, (unsigned long)row.line, row.function);
        if (several) put_on(row.profiles);
        fputs(": ", stdout);
        put_row(&row);
        putchar('\n');
    }
    if (opt->judge.profiles == PTOASM_PROFILE_CPU)
        printf("%s: synchronisation: not judged: the profile cpu runs statements in order\n", file);
    fflush(stdout);
}
