/* SPDX-License-Identifier: Apache-2.0 */
/* Shared declarations of the command: options, files, messages. Only this folder deals with files,
 * the terminal and exit codes. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include "api/ptoasm.h"
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

/* Exit codes. TROUBLE: wrong usage or I/O; NO_CODE: a legal program that cannot be emitted or run.
 */
enum { FINE = 0, REJECTED = 1, TROUBLE = 2, NO_CODE = 3 };

/* ---- options.c ---- */

typedef enum ColorWhen { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER } ColorWhen;

/* --print: a value and the line after which to print it; 0 = at the end. */
enum { MOST_PRINTS = 16, MOST_EXPECTS = 16, MOST_DUMP_LINES = 64 };
typedef struct Wish {
    char name[64];
    uint32_t line;
} Wish;

/* Those of the vendor's command line. */
typedef struct PtoasOptions {
    bool pto_text;        /* --emit-pto-ir */
    bool vpto;            /* --pto-backend=vpto */
    bool vpto_only;       /* an option that needs it */
    bool version;         /* --version */
    bool no_proof;        /* --no-sync-warnings */
    bool other_sync;      /* another way of synchronisation than --enable-insert-sync */
    unsigned ways;        /* of synchronisation */
    unsigned unused;      /* 1 << a row of the options that have no effect, which a note says */
    const char *arch;     /* a wrong --pto-arch */
    const char *followed; /* --pto-version; NULL: not given */
    unsigned dumps;       /* 1 << a pass after which the text is written */
    const char *tree;     /* --mlir-print-ir-tree-dir; NULL: to standard error */
} PtoasOptions;

typedef struct CheckOptions {
    bool verify;             /* --verify-diagnostics */
    bool fix, fix_all, diff; /* --fix, --fix=all, --diff */
    const char *baseline, *write_baseline;
    const struct Baseline *known;    /* read from --baseline */
    unsigned format;                 /* --format: a row of report.c; 0 = text */
    const struct TableFormat *table; /* --portability; NULL = not given */
    const char *table_file;          /* --portability-file */
} CheckOptions;

typedef struct FmtOptions {
    enum ptoasm_form form;
    bool in_place, check;
} FmtOptions;

typedef struct EmissionOptions {
    bool lines, checked;
    bool cpp, no_comments; /* --to=cpp, --no-comments */
    bool embed;            /* --embed */
    const char *describe;  /* --describe */
    const char *header;    /* --header */
} EmissionOptions;

typedef struct RunOptions {
    bool unchecked;    /* --unchecked */
    const char *entry; /* --entry */
    const char *links[8];
    unsigned nlinks;
    const char *cc;                    /* --cc */
    const char *expects[MOST_EXPECTS]; /* --expect */
    unsigned nexpects;
    char dump[PATH_MAX]; /* --dump: the folder; "" = not given */
    uint32_t dump_lines[MOST_DUMP_LINES];
    unsigned ndump_lines;     /* 0 = all */
    int64_t only_block;       /* --block; -1 = all */
    int only_core;            /* --core: its place in the block; -1 = all */
    Wish prints[MOST_PRINTS]; /* --print */
    unsigned nprints;
    double rtol, atol;     /* --rtol, --atol */
    uint64_t ulp;          /* --ulp */
    uint32_t times;        /* --time; 0 = not given */
    int64_t grid;          /* --grid */
    uint32_t ranks;        /* --ranks; 0 = not given */
    const char *reference; /* --reference; NULL = not given */
    const char *coverage;  /* --coverage; NULL = not given */
    bool trap;             /* --trap=nan */
    bool shadow;           /* --shadow=f64 */
} RunOptions;

typedef struct TestOptions {
    bool update, list; /* --update, --list */
    unsigned format;   /* --format: a row of test_report.c */
    const char *match; /* --match */
    bool verbose;      /* --verbose */
    bool coverage;     /* --coverage, --fail-under */
    double fail_under; /* --fail-under, percent */
} TestOptions;

typedef struct EquivOptions {
    unsigned trials;     /* --trials; 0 = not given */
    const char *profile; /* --profile; NULL = not given */
} EquivOptions;

typedef struct ReduceOptions {
    const char *id, *differs;
    unsigned seconds; /* --timeout; 0 = not given */
} ReduceOptions;

enum { MOST_SETS = 256 };
typedef struct TimeOptions {
    bool vendor;                 /* --law=vendor */
    const char *hints;           /* of the language server: --time; NULL = not given */
    const char *points;          /* --points; NULL = not given */
    const char *params;          /* --params */
    const char *sets[MOST_SETS]; /* --set: NAME=VALUE */
    unsigned nsets;
    int64_t blocks;       /* --blocks, that share the memory */
    double fail_above;    /* --fail-above; 0 = not given */
    const char *trace;    /* --trace */
    const char *compare;  /* --compare */
    const char *baseline; /* --baseline */
    double slower;        /* --allow-slower, percent */
    unsigned top;         /* --top */
    bool annotate;        /* --annotate */
} TimeOptions;

typedef struct ExplainOptions {
    const char *pages;  /* --pages */
    const char *search; /* --search */
} ExplainOptions;

/* The values of all options: those of one command in its part, and what several have. */
typedef struct Options {
    CheckOptions check;
    FmtOptions fmt;
    EmissionOptions emit;
    RunOptions run;
    TestOptions test;
    EquivOptions equiv;
    ReduceOptions reduce;
    ExplainOptions explain;
    TimeOptions time;
    PtoasOptions ptoas;
    ptoasm_options judge; /* --profile, --level, --compat, --max-errors */
    ColorWhen color;
    bool sanitize;            /* --sanitize */
    bool no_fuse;             /* --no-fuse */
    bool list, json;          /* --list, --format=json */
    bool text;                /* --text */
    bool quiet;               /* --quiet */
    bool no_project;          /* --no-project-file */
    bool author_first;        /* --locations=source */
    bool mlir_author;         /* the same, as MLIR writes it */
    unsigned threads;         /* -j; 0 = one for each core */
    const char *out;          /* -o; NULL = not given */
    const char *excludes[64]; /* --exclude */
    unsigned nexcludes;
    struct Warnings *warnings; /* -W, --quiet; NULL = defaults */
    const char *wrong_warning; /* unknown id in -W */
    const char *fault;         /* set by a setter that knows better than `expected` what is wrong */
    uint64_t given;            /* 1 << row of the options so far, for a command with `once` */
    const char **args;         /* the arguments that are not options, in order */
    int nargs;
} Options;

#define OPTIONS_INIT                                                                               \
    {                                                                                              \
        .judge = PTOASM_OPTIONS_INIT, .run = {.grid = 1, .only_block = -1, .only_core = -1 }       \
    }

/* In the help and expected values of options: the names of all profiles, such as `cpu, a2a3 or a5`,
 * with `and`, or with commas only. A text has one of them at most. */
#define PROFILES_OR "{profiles or}"
#define PROFILES_AND "{profiles and}"
#define PROFILES_LIST "{profiles}"
/* Returns a text of an option (or NULL) with these names; it may be lost at the next call. */
const char *option_text(const char *text);

/* An option of a command. */
typedef struct OptionRow {
    const char *name; /* without `--`; the letter when there is no long name; NULL ends the table */
    char letter;      /* `-o`; 0 = none */
    const char *value; /* name of its value in the help, starting with `[` when it must be one word
                          with the letter, and with `[=` when it is optional; NULL = no value */
    const char *help;  /* one line, or two with a line end between */
    const char *expected; /* for the message about a wrong value */
    /* Returns false for a wrong value; `value` is NULL for an option without one. */
    bool (*set)(Options *opt, const char *value);
} OptionRow;

typedef struct Command {
    const char *name;
    const char *usage;   /* printed after the name */
    const char *summary; /* one line */
    const char *details; /* paragraph of the help with line ends; "" = none */
    const OptionRow *rows;
    const char *examples; /* with line ends */
    bool numbers;         /* `-3` and `-.5` are arguments, not options */
    bool argfiles;        /* `@FILE` is replaced by its words */
    bool project;         /* options of a project file apply (project.h) */
    bool once;            /* no option may be given twice */
    int (*run)(Options *opt);
} Command;

/* Runs the command line of the vendor's assembler; argv[0] is not looked at. Returns 0 or 1. */
int ptoas_main(int argc, char **argv);

extern const Command check_command, fmt_command, emit_command, run_command, test_command,
    equiv_command, map_command, time_command, reduce_command, explain_command, lsp_command,
    ptoas_command;
extern const Command *const commands[]; /* commands.c; ends with NULL */

/* Rows that several commands share, and their setters. */
#define OPTION_JUDGE                                                                               \
    {"profile",   0,                                                                               \
     "P",         "judge for profile P: " PROFILES_OR " (default: the module's, else a2a3)",       \
     PROFILES_OR, set_profile},                                                                    \
        {"pto-arch",     0,          "A", "the vendor's spelling of --profile: a2, a3 or a5",      \
         "a2, a3 or a5", set_profile},                                                             \
        OPTION_LEVEL
#define OPTION_LEVEL                                                                               \
    {"level",     0,        "N", "the program is of level 1, 2 or 3 (default: as the text shows)", \
     "1, 2 or 3", set_level},                                                                      \
        {"pto-level", 0, "levelN", "the vendor's spelling of --level", "level1, level2 or level3", \
         set_level},                                                                               \
        {"compat",                                                                                 \
         0,                                                                                        \
         "ptoas[-V]",                                                                              \
         "judge as the vendor's assembler 0.60 does, or 0.57",                                     \
         "ptoas, ptoas-0.57 or ptoas-0.60",                                                        \
         set_compat},                                                                              \
    {                                                                                              \
        "max-errors", 0, "N", "stop after N errors, 0 = never (default 100)",                      \
            "a number from 0 to 4294967295", set_max_errors                                        \
    }
#define OPTION_WARNINGS                                                                            \
    {"W", 'W', "[no-]ID", "show the warnings with this id (-Wno-ID: do not)", NULL, set_warning},  \
    {                                                                                              \
        "W", 'W', "[no-]error[=ID]", "warnings (with this id) are errors", NULL, set_warning       \
    }
#define OPTION_LOCATIONS                                                                           \
    {                                                                                              \
        "locations", 0, "WHAT",                                                                    \
            "lead with the line of the program (pto, the default) or with\nthe line that it was "  \
            "generated from, as its loc(...) says (source)",                                       \
            "pto or source", set_locations                                                         \
    }
#define OPTION_FUSE                                                                                \
    {                                                                                              \
        "no-fuse", 0, NULL, "run each statement by itself, not chains of them block by block",     \
            NULL, set_no_fuse                                                                      \
    }
#define OPTION_CPP                                                                                 \
    {"embed", 0,        NULL, "C++ for another file: no #include lines, all functions static",     \
     NULL,    set_embed},                                                                          \
    {                                                                                              \
        "describe", 0, "FILE",                                                                     \
            "write what callers of the C++ need to know to FILE, as JSON:\nkernels, parameters, "  \
            "cores, memory",                                                                       \
            "a file name", set_describe                                                            \
    }
#define OPTION_LINT                                                                                \
    {                                                                                              \
        "lint", 0, NULL,                                                                           \
            "warn of what is legal, but hardly meant: uninit-tile,\ndead-store, unused-tile, "     \
            "live-overlap, copy-overlap,\nmissing-free, no-output, sync-redundant",                \
            NULL, set_lint                                                                         \
    }
#define OPTION_BASELINE                                                                            \
    {                                                                                              \
        "baseline", 0, "FILE", "show no warnings that are listed in FILE", "a file name",          \
            set_baseline                                                                           \
    }
#define OPTION_EXCLUDE                                                                             \
    {                                                                                              \
        "exclude", 0, "GLOB",                                                                      \
            "leave out files and folders with this name or, if GLOB has\na slash, this path",      \
            "a name or a relative path with *, ?, [...] or **, without ..", set_exclude            \
    }
#define OPTION_NO_PROJECT(of_what)                                                                 \
    {                                                                                              \
        "no-project-file", 0, NULL, "do not read .ptoasm in the folder of " of_what " or above",   \
            NULL, set_no_project                                                                   \
    }
#define OPTION_COMMON                                                                              \
    {"color",                                                                                      \
     0,                                                                                            \
     "WHEN",                                                                                       \
     "colour the messages: auto, always or never (default auto)",                                  \
     "auto, always or never",                                                                      \
     set_color},                                                                                   \
        {"help", 'h', NULL, "print this help", NULL, NULL}, {                                      \
        NULL, 0, NULL, NULL, NULL, NULL                                                            \
    }

bool set_profile(Options *opt, const char *value);
bool set_profiles(Options *opt, const char *value);
bool set_level(Options *opt, const char *value);
bool set_compat(Options *opt, const char *value);
bool set_vendor(Options *opt, const char *value);
bool set_sanitize(Options *opt, const char *value);
bool set_no_fuse(Options *opt, const char *value);
bool set_sync(Options *opt, const char *value);
bool set_max_errors(Options *opt, const char *value);
bool set_color(Options *opt, const char *value);
bool set_locations(Options *opt, const char *value);
bool set_out(Options *opt, const char *value);
bool set_json(Options *opt, const char *value); /* json or text */
bool set_entry(Options *opt, const char *value);
bool set_grid(Options *opt, const char *value);
bool set_block(Options *opt, const char *value);
bool set_embed(Options *opt, const char *value);
bool set_describe(Options *opt, const char *value);
bool set_warning(Options *opt, const char *value); /* warnings.c */
bool set_lint(Options *opt, const char *value);
bool set_baseline(Options *opt, const char *value);   /* baseline.c */
bool set_no_project(Options *opt, const char *value); /* project.c */
bool set_exclude(Options *opt, const char *value);    /* exclude.c */

/* Reads argv[1 ..] (argv[0] is the command's name) into *opt, whose args point into argv. Returns
 * -1 to go on, or the exit code after reporting wrong usage or printing the help. */
int options_parse(const Command *cmd, int argc, char **argv, Options *opt);
/* The same for further words; keeps what *opt has. */
int options_more(const Command *cmd, int argc, char **argv, Options *opt);
/* Returns the nearest of `n` names to a misspelt one, or NULL. `name_at` returns name i. */
const char *nearest_name(const char *word, size_t len, size_t n,
                         const char *(*name_at)(const void *table, size_t i), const void *table);
/* Parses the whole text as a number; false when it is not one or out of range. */
bool number_from_text(const char *s, uint64_t max, uint64_t *out);
/* Prints the general help (NULL) or that of a command on standard output. */
int help_print(const Command *cmd);

/* ---- messages ---- */

/* Redirects the messages of trouble(), caution() and usage_error() to `text`, joined by "; ", until
 * it is called with NULL. */
void messages_keep(char *text, size_t size);
/* Prints `ptoasm: error: ...` on standard error; returns TROUBLE. */
int trouble(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Prints `ptoasm: warning: ...` on standard error. */
void caution(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Like trouble, for wrong usage: also points to the help. */
int usage_error(const Command *cmd, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Prints the diagnostics of a result on standard error. */
void print_diagnostics(ptoasm_result *res, const Options *opt);
/* Returns the exit code for a status of ptoasm_emit. */
int exit_of_emission(int status);
/* Reports a status without a result (out of memory ...) for an input; returns TROUBLE. */
int status_trouble(const char *input, int status);

/* ---- proofs.c ---- */

/* Prints what the proof of synchronisation says about each function on standard output. */
void print_proofs(const ptoasm_result *res, const char *file, const Options *opt);

/* ---- map.c ---- */

/* Draws on standard error the spaces that are too small for their tiles, if there are any. */
void print_full_spaces(const ptoasm_result *res, const char *file, const Options *opt);

/* ---- files.c ---- */

typedef struct Input {
    const char *name; /* for messages */
    char *data;       /* size bytes and a NUL */
    size_t size;
} Input;

/* Reads a file, or standard input for `-`. Directories and files that are too large are refused
 * before reading. Returns FINE, or TROUBLE after a message. */
int input_read(const char *path, Input *in);
void input_free(Input *in);
/* Like input_read, but returns the error text instead of printing it; NULL on success. With
 * `regular`, pipes and devices are refused too. */
const char *input_try(const char *path, bool regular, Input *in);
/* True for a program in the vendor's binary form. */
bool input_is_bytecode(const Input *in);
/* Reads a file and opens it as a source that borrows its text. */
int input_open(const char *path, Input *in, ptoasm_source **src);

/* An output file that is written completely or not at all: it gets a temporary name in the same
 * folder first. `-` is standard output. */
typedef struct Output {
    const char *path; /* as given */
    char *target;     /* with symbolic links resolved */
    char *temp;       /* NULL when written directly: standard output, devices, pipes */
    int fd;
    mode_t mode;
} Output;

int output_open(Output *out, const char *path);
/* Returns false after a message; the output must still be dropped. */
bool output_write(Output *out, const void *data, size_t size);
/* Renames the temporary file to its target; returns TROUBLE after a message, and nothing has
 * changed then. */
int output_commit(Output *out);
/* Discards the output; does nothing after a commit. */
void output_drop(Output *out);
/* Opens, writes and commits an output. */
int output_file(const char *path, const void *data, size_t size);

/* Writes text for a message: control characters and the like, which may come from a program or a
 * file, become `\0A`. */
void put_plain(FILE *to, const char *s);

/* ---- memory_text.c ---- */

typedef struct MemoryText {
    char *text; /* `size` bytes and a NUL */
    size_t size, room;
} MemoryText;

/* Opens a stream that appends to the text; NULL: out of memory. */
FILE *memory_open(MemoryText *m);
/* Closes it; false when memory ran out, and then there is no text. */
bool memory_close(FILE *to, MemoryText *m);
void memory_free(MemoryText *m);
/* Returns a copy of `word` with the file in place of each `{}`; NULL: out of memory. */
char *braces_filled(const char *word, const char *file);
/* True when both name the same existing file. */
bool same_file(const char *a, const char *b);

#endif
