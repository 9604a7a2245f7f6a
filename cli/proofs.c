/* SPDX-License-Identifier: Apache-2.0 */
/* What the proof of synchronisation says: a line for each function, and a second one, about the
 * order between cores, for a function that meets other cores. */
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
        fputs("proved", stdout);
        if (row->planned) fputs(" for the planned addresses", stdout);
        if (row->assumed != NULL) printf(", assuming that %s", row->assumed);
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

/* Writes what is proved between the cores of a block. */
static void put_between(const ptoasm_sync_row *row) {
    switch (row->between) {
    case PTOASM_SYNC_PROVED:
        printf("proved for %s", row->between_scope);
        if (row->between_assumed != NULL) printf(", assuming that %s", row->between_assumed);
        break;
    case PTOASM_SYNC_FOUND:
        printf("not proved: %lu finding%s", (unsigned long)row->between_findings,
               row->between_findings == 1 ? "" : "s");
        break;
    case PTOASM_SYNC_UNKNOWN:
        fputs("not proved: ", stdout);
        if (row->between_line > 0) printf("line %lu: ", (unsigned long)row->between_line);
        printf("%s%s", row->between_unknown, row->between_line > 0 ? " is not understood" : "");
        break;
    default:
        fputs("not judged: its kind of core is not known, or it signals to other devices only",
              stdout);
    }
}

/* Writes what is proved between the blocks of a launch. */
static void put_blocks(const ptoasm_sync_row *row) {
    const unsigned long line = row->blocks_line, other = row->blocks_other;
    if (row->blocks == PTOASM_SYNC_PROVED)
        fputs("proved disjoint", stdout);
    else if (row->blocks == PTOASM_SYNC_UNKNOWN)
        printf("not proved: line %lu: %s is not understood", line, row->blocks_unknown);
    else if (line == other)
        printf("not proved: line %lu may use the same bytes in several blocks", line);
    else
        printf("not proved: lines %lu and %lu may use the same bytes in two blocks", line, other);
    if (row->blocks_assumed != NULL) printf(", assuming that %s", row->blocks_assumed);
    putchar('\n');
}

/* Several profiles may share a row. */
static void put_on(uint32_t profiles) {
    char names[PROFILES_TEXT];
    profiles_join(names, (ProfileSet)profiles, " and ");
    printf(" on %s", names);
}

/* Begins a line about a function. */
static void put_subject(const ptoasm_sync_row *row, const char *file, bool several,
                        const char *subject) {
    printf("%s:%lu: @%s: %s", file, (unsigned long)row->line, row->function, subject);
    if (several) put_on(row->profiles);
    fputs(": ", stdout);
}

/* Only where a proof begins: not for a function that is judged where it is called. */
static bool is_judged(const ptoasm_sync_row *row) {
    return row->state == PTOASM_SYNC_PROVED || row->state == PTOASM_SYNC_FOUND ||
           row->state == PTOASM_SYNC_UNKNOWN;
}

void print_proofs(const ptoasm_result *res, const char *file, const Options *opt) {
    ptoasm_sync_row row;
    const bool several = (opt->judge.profiles & (opt->judge.profiles - 1)) != 0;
    for (size_t i = 0; ptoasm_sync_at(res, i, &row); i++) {
        const bool across = row.across && row.state != PTOASM_SYNC_WHERE_CALLED;
        put_subject(&row, file, several,
                    across && is_judged(&row) ? "synchronisation of each core" : "synchronisation");
        put_row(&row);
        putchar('\n');
        if (across && (row.between != PTOASM_SYNC_UNJUDGED || is_judged(&row))) {
            put_subject(&row, file, several, "between cores");
            put_between(&row);
            putchar('\n');
        }
        if (row.blocks == PTOASM_SYNC_UNJUDGED) continue;
        put_subject(&row, file, several, "between blocks");
        put_blocks(&row);
    }
    if (opt->judge.profiles == PTOASM_PROFILE_CPU)
        printf("%s: synchronisation: not judged: the profile cpu runs statements in order\n", file);
    fflush(stdout);
}
