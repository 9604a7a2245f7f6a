/* SPDX-License-Identifier: Apache-2.0 */
/* The portability table of `ptoasm check`: who accepts which function and which instruction. */
#ifndef CLI_PORTABILITY_H
#define CLI_PORTABILITY_H

#include "cli/cli.h"

/* The rows of one function in the table: `n` verdicts of `res` from `first` on, which is `head`. */
typedef struct TableFunction {
    const char *file;
    const ptoasm_result *res;
    size_t first, n;
    ptoasm_verdict head;
    uint32_t profiles; /* those asked for */
    bool no_sync;      /* it relies on a tool that inserts synchronisation */
    bool complete;     /* --max-errors did not end the check of its file */
} TableFunction;

/* Returns the number of instructions among the rows. */
size_t table_instructions(const TableFunction *f);
/* Reads the row about the on-chip memory; false when there is none. */
bool table_memory(const TableFunction *f, ptoasm_verdict *v);

/* A way to write the table. */
typedef struct TableFormat {
    const char *name;
    void (*begin)(FILE *to, uint32_t profiles); /* NULL: nothing comes first */
    void (*function)(FILE *to, const TableFunction *f);
    void (*incomplete)(FILE *to, const char *file); /* NULL: each function says so */
} TableFormat;

extern const TableFormat table_text, table_markdown, table_json;
/* The formats as messages list them. */
#define TABLE_FORMATS "text, markdown or json"

/* The table while files are checked. */
typedef struct Table {
    const TableFormat *format;
    uint32_t profiles;
    const char *path; /* --portability-file; NULL: standard output */
    FILE *to;         /* NULL: no table is asked for */
    MemoryText text;  /* for the file */
} Table;

bool set_portability(Options *opt, const char *value);
bool set_portability_file(Options *opt, const char *value);
/* Chooses the profiles and whether verdicts are needed. Returns -1, or the exit code after a
 * message when two outputs would share standard output. */
int table_choose(Options *opt);
/* Begins the table that the options ask for. Returns FINE or, after a message, TROUBLE. */
int table_open(Table *t, const Options *opt);
void table_add(Table *t, const ptoasm_result *res, const char *file);
/* Writes the file. The caller checks standard output for write errors. */
int table_close(Table *t);

#endif
