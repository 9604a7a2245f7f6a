/* SPDX-License-Identifier: Apache-2.0 */
/* ptoasm.h - the public interface of libptoasm: PTO assembly text in, verdict, text or C out.
 *
 * Works on bytes: no files, no output, no exit, no global state; any number of threads may use it
 * at once, each with programs and results of its own. A result owns all its texts.
 *
 *     ptoasm_source *src;
 *     ptoasm_program *program;
 *     ptoasm_result *res;
 *     if (ptoasm_source_open("k.pto", text, size, 0, &src) == PTOASM_OK &&
 *         ptoasm_program_open(src, NULL, &program) == PTOASM_OK) {
 *         int verdict = ptoasm_program_check(program, NULL, &res);
 *         ... ptoasm_diagnostic_at(res, i, &d) ...
 *         ptoasm_result_free(res);
 *         ptoasm_program_close(program);
 *         ptoasm_source_close(src);
 *     }
 *
 * Structs may grow at their end. A struct that the caller fills begins with its size: the library
 * accepts an older, shorter one, whose missing members are 0, and a longer one if everything beyond
 * the members that it knows is 0. A struct that the library fills is passed with its size:
 * ptoasm_x_at(.., &s) passes sizeof s; ptoasm_x_get takes it as an argument, for other languages.
 */
#ifndef PTOASM_H
#define PTOASM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define PTOASM_API __attribute__((visibility("default")))
#else
#define PTOASM_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this header. */
#define PTOASM_VERSION_MAJOR 0
#define PTOASM_VERSION_MINOR 2
#define PTOASM_VERSION_PATCH 0
#define PTOASM_VERSION_NUMBER                                                                      \
    (PTOASM_VERSION_MAJOR * 10000 + PTOASM_VERSION_MINOR * 100 + PTOASM_VERSION_PATCH)

/* Status codes of the calls. */
enum ptoasm_status {
    PTOASM_OK = 0,        /* done; there may be warnings */
    PTOASM_REJECTED = 1,  /* the program has errors: the diagnostics of the result say which */
    PTOASM_NOMEM = 2,     /* out of memory; no result */
    PTOASM_ARGUMENT = 3,  /* an argument is wrong; no result */
    PTOASM_TOO_LARGE = 4, /* the text is larger than 2 GiB - 1 bytes */
    PTOASM_NO_CODE = 5 /* of an emission: legal, but there is no C for it; the diagnostics say for
                          what (no-kernel, not-lowerable) */
};

/* Returns the version of the library, such as "0.2.0". */
PTOASM_API const char *ptoasm_version(void);
/* Returns a sentence that explains a status code. */
PTOASM_API const char *ptoasm_status_text(int status);

/* ---- Sources ---- */

typedef struct ptoasm_source ptoasm_source;

/* The text is not copied: it must not change until the source is closed, and text[size] must be 0.
 */
#define PTOASM_SOURCE_BORROW 1u

/* Makes a source of `size` bytes; `name` is for messages. Both are copied unless flags say
 * otherwise. Any bytes are accepted. */
PTOASM_API int ptoasm_source_open(const char *name, const char *text, size_t size, uint32_t flags,
                                  ptoasm_source **out);
/* Closes a source; all its programs and results must be freed before. */
PTOASM_API void ptoasm_source_close(ptoasm_source *src);
/* Return what the source was opened with. */
PTOASM_API const char *ptoasm_source_name(const ptoasm_source *src);
PTOASM_API const char *ptoasm_source_text(const ptoasm_source *src, size_t *size);

/* ---- Options ---- */

/* Bits of ptoasm_options.profiles. */
enum ptoasm_profile {
    PTOASM_PROFILE_CPU = 1,
    PTOASM_PROFILE_A2A3 = 2,
    PTOASM_PROFILE_A5 = 4,
    PTOASM_PROFILE_ALL = 7
};

/* Returns the name of the profile whose bit is 1 << index; NULL: there is none. */
PTOASM_API const char *ptoasm_profile_name(unsigned index);
/* Returns its other names, separated by blanks; NULL: it has none. */
PTOASM_API const char *ptoasm_profile_aliases(unsigned index);
/* Returns the bits that a text names as --profile does: `all`, or names and aliases in any case,
 * separated by commas. 0: it has an unknown name. */
PTOASM_API uint32_t ptoasm_profiles_from_text(const char *text);

typedef struct ptoasm_options {
    size_t size;         /* sizeof(ptoasm_options) */
    uint32_t profiles;   /* bits; 0 = the one that the module names, else a2a3 */
    int32_t level;       /* 1, 2, 3; 0 = as the text implies */
    uint32_t max_errors; /* 0 = no limit */
    bool compat;         /* judge as the vendor's assembler does */
    bool verdicts;       /* check: collect the rows of ptoasm_verdict_at() */
    bool lint;           /* check: also warn of legal code that is probably a mistake */
    uint32_t sync;       /* check: bits of ptoasm_sync */
    uint32_t rewrite;    /* format, emit: bits of ptoasm_rewrite */
    uint32_t vendor;     /* with compat: 57 to judge as 0.57 does, 60 or 0 as 0.60 */
} ptoasm_options;

/* The proof that the pipes of a core are ordered. A check proves functions that have flags, events
 * or buffers, in programs of level 3; with any of these bits also in programs of levels 1 and 2,
 * with the addresses that are planned. */
enum ptoasm_sync {
    PTOASM_SYNC_ALL = 1,    /* prove every function */
    PTOASM_SYNC_STRICT = 2, /* also report what only practice promises */
    PTOASM_SYNC_REPORT = 4, /* collect the rows of ptoasm_sync_at() */
    /* Format, emit: findings about what the text orders itself are warnings: those about functions
     * with flags of their own, and about freed entries of pipes between cores. Emission proves
     * these functions in programs of level 3. */
    PTOASM_SYNC_WARN = 8,
    PTOASM_SYNC_SILENT = 16 /* format, emit: nothing is said about that */
};

/* What a formatted or emitted program has that its text does not; for the forms keep, dps and
 * generic. The program must be legal for the profile. */
enum ptoasm_rewrite {
    PTOASM_REWRITE_ADDRESSES = 1, /* the planned address of every tile: a program of level 3 */
    PTOASM_REWRITE_SYNC = 2,      /* flags and barriers too, which order the pipes of each core;
                                     none for the profile cpu */
    PTOASM_REWRITE_SCOPES = 4,    /* vector scopes around vector code that is in none */
    PTOASM_REWRITE_MICRO = 8      /* registers in the place of logical vectors */
};

/* What NULL options mean: the module's profile, any level, 100 errors. */
#define PTOASM_OPTIONS_INIT                                                                        \
    { sizeof(ptoasm_options), 0, 0, 100, false, false, false, 0, 0, 0 }

enum ptoasm_form {
    PTOASM_FORM_KEEP,   /* every statement in its own form */
    PTOASM_FORM_DPS,    /* ins(...) outs(...); SSA tiles become buffers */
    PTOASM_FORM_SSA,    /* tiles as results, for statements that have results */
    PTOASM_FORM_AS,     /* PTO-AS, for the same statements */
    PTOASM_FORM_GENERIC /* "name"(operands) {attributes} : types */
};

typedef struct ptoasm_emit_options {
    size_t size;  /* sizeof(ptoasm_emit_options) */
    bool lines;   /* #line directives, so that a debugger steps through the author's file, where
                 `loc(..)` names one, else through the .pto file */
    bool checked; /* stop at global accesses out of range */
    bool header;  /* also make a header with the prototypes */
    const char *header_name; /* its include guard derives from this; NULL: from the source's name */
    const struct ptoasm_print *prints; /* values that the C prints when it runs */
    size_t nprints;
    bool cpp;                        /* C++ on the vendor's library, for a2a3 or a5, instead of C */
    bool no_comments;                /* leave out the comments with the lines of the .pto file */
    bool sanitize;                   /* C that tells the sanitizer of the runtime what it does; of
                                        options->sync it uses PTOASM_SYNC_ALL */
    const struct ptoasm_dump *dumps; /* tiles that the C hands to ptrt_dump_to() when it runs */
    size_t ndumps;
    bool embed;    /* with cpp: text for another file: no #include lines, all functions static */
    bool describe; /* with cpp: also collect the rows of ptoasm_function_at() */
    bool trap;     /* C that stops at the first statement that makes NaN or infinity in a tile from
                      inputs that are finite */
    bool cover;    /* C that notes which ways a run takes: `unsigned char ptrt_cover[]` is 1 for a
                      way taken, and each line of `const char ptrt_cover_points[]` has the index of
                      a point's first way, its line, its kind, ':' and its ways with commas */
    bool shadow;   /* C that computes every statement on floats in f64, too, and compares
                      (ptrt_shadow_start) */
    bool no_fuse;  /* C that calls the runtime for each statement, not for chains of them */
} ptoasm_emit_options;

/* A tile or number that the emitted C prints on stdout as a small table. */
typedef struct ptoasm_print {
    const char *name; /* without %; `r#1` for one of several results */
    uint32_t line; /* print after each execution of the statement on this line; 0: where the value's
                      block ends: of a function when it returns, of a loop in each iteration */
} ptoasm_print;

/* Tiles that the emitted C hands out. */
typedef struct ptoasm_dump {
    const char *name;   /* a tile, as ptoasm_print names it; NULL: what the statements define */
    uint32_t line;      /* after each execution of the statement on this line; 0, without a name:
                           after each statement; with a name: as in ptoasm_print */
    const char *option; /* that asked for it, for diagnostics; NULL: "--dump" */
} ptoasm_dump;

/* ---- Programs: a source that is read once ---- */

typedef struct ptoasm_program ptoasm_program;
typedef struct ptoasm_result ptoasm_result;

/* Reads the source; of the options only max_errors is used. A text with errors is a program too:
 * its diagnostics are in every result. Only one thread may use a program at a time. */
PTOASM_API int ptoasm_program_open(const ptoasm_source *src, const ptoasm_options *options,
                                   ptoasm_program **out);
/* Closes a program; all its results must be freed before. */
PTOASM_API void ptoasm_program_close(ptoasm_program *program);
/* Returns true when reading found no error. */
PTOASM_API bool ptoasm_program_readable(const ptoasm_program *program);

/* Checks the program for every requested profile: text, structure, rules, on-chip capacity. */
PTOASM_API int ptoasm_program_check(ptoasm_program *program, const ptoasm_options *options,
                                    ptoasm_result **out);
/* Prints the program. The text must be readable, but need not be legal. */
PTOASM_API int ptoasm_program_format(ptoasm_program *program, const ptoasm_options *options,
                                     enum ptoasm_form form, ptoasm_result **out);
/* Checks the program for one profile (the lowest bit of options->profiles) and lowers it to C. */
PTOASM_API int ptoasm_program_emit(ptoasm_program *program, const ptoasm_options *options,
                                   const ptoasm_emit_options *emit, ptoasm_result **out);
/* Checks the program for one profile and gives every tile an address: see ptoasm_slot_at(). */
PTOASM_API int ptoasm_program_plan(ptoasm_program *program, const ptoasm_options *options,
                                   ptoasm_result **out);

/* The same for a source that is read only for this call. */
PTOASM_API int ptoasm_check(const ptoasm_source *src, const ptoasm_options *options,
                            ptoasm_result **out);
PTOASM_API int ptoasm_format(const ptoasm_source *src, const ptoasm_options *options,
                             enum ptoasm_form form, ptoasm_result **out);
PTOASM_API int ptoasm_emit(const ptoasm_source *src, const ptoasm_options *options,
                           const ptoasm_emit_options *emit, ptoasm_result **out);

/* ---- Results ---- */

PTOASM_API void ptoasm_result_free(ptoasm_result *res);

/* Returns the formatted or emitted text, NUL-terminated; NULL when there is none. */
PTOASM_API const char *ptoasm_result_text(const ptoasm_result *res, size_t *size);
/* Returns the header of an emission that requested one; else NULL. */
PTOASM_API const char *ptoasm_result_header(const ptoasm_result *res, size_t *size);

/* Returns the text of the source, which is valid until the source is closed. */
PTOASM_API const char *ptoasm_result_source(const ptoasm_result *res, size_t *size);
/* Returns the profiles that the program was checked for: those requested, else the module's; 0
 * after formatting in a form that needs no check. */
PTOASM_API uint32_t ptoasm_result_profiles(const ptoasm_result *res);
/* Returns true if the module names an architecture that no profile has; a program for it is checked
 * as for a2a3. Writes the name to `text` of `size` bytes, cut if it is longer. */
PTOASM_API bool ptoasm_result_unknown_chip(const ptoasm_result *res, char *text, size_t size);

/* ---- Diagnostics ---- */

enum ptoasm_severity {
    PTOASM_SEVERITY_NOTE = 0,
    PTOASM_SEVERITY_WARNING = 1,
    PTOASM_SEVERITY_ERROR = 2
};

typedef struct ptoasm_place {
    uint32_t line, column;         /* from 1; columns count code points; 0 = no place */
    uint32_t end_line, end_column; /* after the last character */
    uint32_t offset, length;       /* bytes */
} ptoasm_place;

typedef struct ptoasm_diagnostic {
    const char *id; /* stable, such as "undefined-value" */
    int severity;
    uint32_t profiles; /* the profiles it holds for; 0 = all, whatever the profile */
    ptoasm_place place;
    const char *message;
    size_t notes;
    size_t edits;  /* number of edits in its fix; 0 = no fix */
    bool safe_fix; /* the fix preserves the meaning of the program */
    /* Parts of the message; NULL when absent. */
    const char *operand;  /* as ptoasm explain calls it, such as "src" */
    const char *expected; /* what the rule accepts, such as "i16, i32, f16 or f32" */
    const char *found;    /* what was found */
    /* Where the author wrote the statement, as its `loc(..)` says: the first of
     * ptoasm_location_at(); NULL and 0 when it says nothing, and for `too-many-errors`. */
    const char *source_file;
    uint32_t source_line, source_column; /* from 1; column 0 = not known */
    /* The instruction of the statement, or the one that an unknown name may mean, and the form of
     * the statement: `DPS`, `SSA`, `PTO-AS` or `generic`; NULL when absent. */
    const char *instruction;
    const char *form;
    /* Number of edits that guess what was meant, such as another name: for an editor to offer to
     * its user. A diagnostic has no fix then. */
    size_t guesses;
} ptoasm_diagnostic;

/* Diagnostics in the order of the text. */
PTOASM_API size_t ptoasm_diagnostic_count(const ptoasm_result *res);
/* Returns false when there are fewer. */
PTOASM_API bool ptoasm_diagnostic_get(const ptoasm_result *res, size_t i, ptoasm_diagnostic *out,
                                      size_t size);
static inline bool ptoasm_diagnostic_at(const ptoasm_result *res, size_t i,
                                        ptoasm_diagnostic *out) {
    return ptoasm_diagnostic_get(res, i, out, sizeof *out);
}
/* Returns note `n` of diagnostic `i`; place->line is 0 when the note has no position. */
PTOASM_API bool ptoasm_diagnostic_note(const ptoasm_result *res, size_t i, size_t n,
                                       const char **message, ptoasm_place *place);
/* Returns edit `n` of diagnostic `i`, of its fix or its guess: `text` replaces the bytes of
 * `place`. The edits of a diagnostic belong together; they do not overlap. */
PTOASM_API bool ptoasm_diagnostic_edit(const ptoasm_result *res, size_t i, size_t n,
                                       const char **text, ptoasm_place *place);

/* Also apply fixes that change more than the notation, such as the type of a tile; no guesses. */
#define PTOASM_FIX_ALL 1u
/* Also apply guesses, such as the nearest name, which may make another program of it: for a tool
 * that shows its user what it did. */
#define PTOASM_FIX_GUESSES 2u
/* Returns the source with the fixes applied in the order of the text, without those that overlap
 * an earlier one. Sets *fixes (may be NULL) to their number. The text belongs to the result; NULL
 * when memory is exhausted. */
PTOASM_API const char *ptoasm_fixed_text(ptoasm_result *res, uint32_t flags, size_t *size,
                                         size_t *fixes);

/* Changes severities: calls `severity` for each warning, and each diagnostic that is a note, which
 * returns PTOASM_SEVERITY_WARNING (a note stays one), _ERROR, or _NOTE to drop the diagnostic with
 * its notes. Diagnostics are renumbered; the status that the call returned and the verdicts stay.
 */
PTOASM_API void ptoasm_set_warning_severity(ptoasm_result *res,
                                            int (*severity)(const char *id, const void *arg),
                                            const void *arg);

/* Drops each warning for which `hide` returns true, with its notes, and each error of the proof of
 * synchronisation, which may be ordered by what the proof does not see. Diagnostics are renumbered;
 * the status that the call returned and the verdicts stay. */
PTOASM_API void ptoasm_hide_warnings(ptoasm_result *res,
                                     bool (*hide)(const ptoasm_diagnostic *d, void *arg),
                                     void *arg);

/* Compares the diagnostics of a check with the comments `// expected-error@+1 {{text}} [id]` of the
 * text (also `expected-warning`, `expected-note`; `@-1`, `@above`, `@below`, `@unknown`; `-re`).
 * Drops those that a comment expects, makes `unexpected-diagnostic` of the others, and adds
 * `missing-diagnostic` for each comment that none met. A comment expects one diagnostic; notes of a
 * diagnostic may be expected, but need not be. Returns PTOASM_OK when nothing is left,
 * PTOASM_REJECTED, or PTOASM_NOMEM, after which the diagnostics are undefined. Call it after
 * those that change severities. */
PTOASM_API int ptoasm_verify_diagnostics(ptoasm_result *res);

/* ---- Reducing ---- */

/* Tells whether a smaller program still shows what is looked for; `checked` is what ptoasm_check()
 * said of it. */
typedef bool ptoasm_interesting(const ptoasm_source *src, const ptoasm_result *checked, void *arg);
/* Makes the source smaller while it is interesting: fewer functions, statements, regions, values,
 * attributes, parameters, lines, and smaller numbers. A program gets no kind of error that the
 * source did not have, so one made of a legal source is legal. Returns PTOASM_OK and a text of
 * *size bytes, NUL-terminated, which the caller frees with free(); PTOASM_REJECTED when the source
 * itself is not interesting. *size and *tried, the number of programs judged, may be NULL. */
PTOASM_API int ptoasm_reduce(const ptoasm_source *src, const ptoasm_options *options,
                             ptoasm_interesting *interesting, void *arg, char **text, size_t *size,
                             size_t *tried);

/* A line of the file that a front end made a statement from. */
typedef struct ptoasm_location {
    const char *file;      /* as the text has it, never empty */
    uint32_t line, column; /* from 1; column 0 = not known */
    const char *name;      /* of `loc("name"(..))`; NULL = none */
    bool caller;           /* a call that led to the line before */
    const char *message;   /* what a note says of it, such as "generated from here" */
} ptoasm_location;

/* Finds line `i` of those that the statement or argument at a byte of the source was made from, as
 * its `loc(..)` says: the author's line first, then those of fused statements, and calls from the
 * inside out. Texts belong to the result. False when there are fewer. */
PTOASM_API bool ptoasm_location_get(ptoasm_result *res, uint32_t offset, size_t i,
                                    ptoasm_location *out, size_t size);
static inline bool ptoasm_location_at(ptoasm_result *res, uint32_t offset, size_t i,
                                      ptoasm_location *out) {
    return ptoasm_location_get(res, offset, i, out, sizeof *out);
}

#define PTOASM_TEXT_COLOR 1u
#define PTOASM_TEXT_AUTHOR 2u /* lead with the author's line where there is one */
#define PTOASM_TEXT_MLIR 4u   /* the same, written as MLIR does: `loc("file":line:column)` */
/* Returns all diagnostics as a compiler prints them: `file:line:col: error: message [id]`, the
 * line, `^~~`, and the author's line. The text belongs to the result; "" when there are none, NULL
 * when memory is exhausted. */
PTOASM_API const char *ptoasm_diagnostics_text(ptoasm_result *res, uint32_t flags, size_t *size);

/* What a run of the emitted C found: an id of a diagnostic, a message for a line, and one for
 * another line, or NULL. */
typedef struct ptoasm_finding {
    const char *id, *message, *note;
    uint32_t line, note_line;
} ptoasm_finding;
/* Replaces the diagnostics of a result by these. */
PTOASM_API int ptoasm_set_findings(ptoasm_result *res, const ptoasm_finding *list, size_t n);

/* ---- Symbols at a position of a program ---- */

enum ptoasm_symbol_kind {
    PTOASM_SYMBOL_VALUE,       /* %x */
    PTOASM_SYMBOL_FUNCTION,    /* @f */
    PTOASM_SYMBOL_INSTRUCTION, /* the name of a statement */
    PTOASM_SYMBOL_TYPE         /* !t, an alias of a type */
};

typedef struct ptoasm_symbol {
    int kind;
    const char *name;        /* such as "%x", "@f", "pto.tadds", "!t" */
    const char *type;        /* of a value, function or alias; "" for an instruction */
    ptoasm_place place;      /* of the name at the offset */
    ptoasm_place definition; /* of the name where it is defined; line 0 = none */
    const char *instruction; /* name of the statement around the name; "" for an alias */
    ptoasm_place statement;  /* the statement without its regions; line 0 = none */
    const char *meaning;     /* the type without aliases */
} ptoasm_symbol;

/* Finds what the name at a byte of the source refers to; an offset directly after a name counts
 * too. Texts belong to the program. False when there is no name. */
PTOASM_API bool ptoasm_program_symbol_get(ptoasm_program *program, uint32_t offset,
                                          ptoasm_symbol *out, size_t size);
static inline bool ptoasm_program_symbol(ptoasm_program *program, uint32_t offset,
                                         ptoasm_symbol *out) {
    return ptoasm_program_symbol_get(program, offset, out, sizeof *out);
}
/* Returns the number of places of the same value, function, instruction or alias, and writes at
 * most `most` of them, the definition first. */
PTOASM_API size_t ptoasm_program_uses(ptoasm_program *program, uint32_t offset, ptoasm_place *out,
                                      size_t most);
/* Returns the number of places to edit to rename the value, function or alias at `offset`, and
 * writes at most `most` of them: names without `%`, `@` or `!` and without the `#1` of `%r#1`. All
 * results of `%r:2` share a name. Returns 0 for what cannot be renamed. */
PTOASM_API size_t ptoasm_program_names(ptoasm_program *program, uint32_t offset, ptoasm_place *out,
                                       size_t most);
/* Returns the bytes of the tile or multi-tile buffer whose name, or the alias of whose type, is at
 * `offset`, in the layout of a profile (one bit); -1 when there is none. */
PTOASM_API int64_t ptoasm_program_bytes(ptoasm_program *program, uint32_t offset, uint32_t profile);

/* A value or function that the program defines and names. */
typedef struct ptoasm_definition {
    int kind;                /* PTOASM_SYMBOL_VALUE or PTOASM_SYMBOL_FUNCTION */
    bool tile;               /* a value whose type is a tile or multi-tile buffer */
    const char *name, *type; /* such as "%x", "@f"; the type of the first of several results */
    const char *instruction; /* that defines the value; "" for a parameter or block argument */
    ptoasm_place place;      /* of the name */
    /* For a value, the bytes of the text where it may be used; for a function, all of it. */
    uint32_t from, to;
    uint32_t results;    /* results that share the name: 2 for `%r:2`, else 1 */
    const char *meaning; /* the type without aliases */
} ptoasm_definition;

/* Returns the number of definitions, which have the order of the text. Texts belong to the
 * program. */
PTOASM_API size_t ptoasm_program_definition_count(ptoasm_program *program);
/* Returns false when there are fewer. */
PTOASM_API bool ptoasm_program_definition_get(ptoasm_program *program, size_t i,
                                              ptoasm_definition *out, size_t size);
static inline bool ptoasm_program_definition(ptoasm_program *program, size_t i,
                                             ptoasm_definition *out) {
    return ptoasm_program_definition_get(program, i, out, sizeof *out);
}

/* ---- What `ptoasm explain` says ---- */

typedef struct ptoasm_instruction {
    const char *name;        /* such as "pto.tadds" */
    const char *family;      /* such as "elementwise-tile-scalar" */
    const char *summary;     /* one sentence */
    const char *formula;     /* "" when there is none */
    const char *replacement; /* the newer spelling of a deprecated one; "" otherwise */
    uint32_t profiles;       /* profiles that have it */
} ptoasm_instruction;

/* Finds an instruction by its name with or without "pto.". False when there is none. */
PTOASM_API bool ptoasm_instruction_get(const char *name, ptoasm_instruction *out, size_t size);
static inline bool ptoasm_instruction_find(const char *name, ptoasm_instruction *out) {
    return ptoasm_instruction_get(name, out, sizeof *out);
}

typedef struct ptoasm_id {
    const char *id;
    int severity; /* by default */
    const char *summary, *meaning, *why, *fix;
} ptoasm_id;

/* Returns the documentation of a diagnostic id. False when there is no such id. */
PTOASM_API bool ptoasm_id_get(const char *id, ptoasm_id *out, size_t size);
static inline bool ptoasm_id_find(const char *id, ptoasm_id *out) {
    return ptoasm_id_get(id, out, sizeof *out);
}

/* ---- The memory plan ---- */

typedef struct ptoasm_slot {
    const char *function;    /* without @ */
    const char *name;        /* of the tile, without %; "" when the text does not name it */
    const char *instruction; /* that defines the tile or uses it as scratch; "" for a parameter */
    uint32_t line;           /* from 1 */
    const char *space;       /* such as "vec" */
    int64_t address, bytes;  /* in that space */
    bool bound;              /* the text gave the address */
    int64_t capacity;        /* size of the space for planning; -1 = no limit */
    /* Where it is needed: the first and last position, which number the statements of the function
     * in order, and their lines; first > last: nowhere. */
    uint32_t first, last, first_line, last_line;
    uint32_t offset; /* of the name in the text, else of the instruction; like `line` */
    /* Names of the other values of the text that are in it, as results of the SSA form and what
     * loops carry may be: without %, in the order of the text, separated by `, `; "": none. */
    const char *also;
} ptoasm_slot;

/* Tiles of ptoasm_program_plan, in the order of the text. When they do not fit, some have
 * addresses beyond the capacity. */
PTOASM_API size_t ptoasm_slot_count(const ptoasm_result *res);
PTOASM_API bool ptoasm_slot_get(const ptoasm_result *res, size_t i, ptoasm_slot *out, size_t size);
static inline bool ptoasm_slot_at(const ptoasm_result *res, size_t i, ptoasm_slot *out) {
    return ptoasm_slot_get(res, i, out, sizeof *out);
}

/* ---- Portability: who accepts what ---- */

enum ptoasm_verdict_kind {
    PTOASM_VERDICT_FUNCTION,  /* begins the rows of a function: who accepts all of it */
    PTOASM_VERDICT_STATEMENT, /* a PTO instruction, or anything else that is refused */
    PTOASM_VERDICT_MEMORY     /* whether the function's tiles fit the on-chip memory */
};

typedef struct ptoasm_verdict {
    int kind;
    const char *function;    /* without @; "" = outside of functions */
    const char *instruction; /* such as "pto.tmuls"; "" for none or an unreadable one */
    uint32_t line;           /* from 1; of the function for a row about the whole function */
    uint32_t judged;         /* profiles that it was judged for */
    uint32_t accepted;       /* those that accept it */
    uint32_t offset;         /* start of the statement or function; like `line` */
} ptoasm_verdict;

/* Rows of a check that requested them, in the order of the text; the row about memory is the last
 * of its function. Memory is judged for the profiles that accept the rest of the program. A
 * program is rejected exactly when some row is, unless max_errors ended the check early. */
PTOASM_API size_t ptoasm_verdict_count(const ptoasm_result *res);
/* Returns false when there are fewer. */
PTOASM_API bool ptoasm_verdict_get(const ptoasm_result *res, size_t i, ptoasm_verdict *out,
                                   size_t size);
static inline bool ptoasm_verdict_at(const ptoasm_result *res, size_t i, ptoasm_verdict *out) {
    return ptoasm_verdict_get(res, i, out, sizeof *out);
}
/* Returns the id of the first error of row `i` under a profile (one bit); NULL when there is none,
 * and for the row of a function. */
PTOASM_API const char *ptoasm_verdict_id(const ptoasm_result *res, size_t i, uint32_t profile);

/* ---- What the proof of synchronisation says ---- */

enum ptoasm_sync_state {
    PTOASM_SYNC_PROVED,
    PTOASM_SYNC_FOUND,    /* there are findings among the diagnostics */
    PTOASM_SYNC_UNKNOWN,  /* not proved, since something is not understood */
    PTOASM_SYNC_UNJUDGED, /* no flag, event or buffer in the text, and PTOASM_SYNC_ALL not given */
    PTOASM_SYNC_WHERE_CALLED /* its statements are taken where it is called */
};

typedef struct ptoasm_sync_row {
    const char *function;  /* without @ */
    uint32_t line;         /* of its name, from 1 */
    uint32_t profiles;     /* for which it holds */
    int state;             /* ptoasm_sync_state */
    uint32_t findings;     /* number of findings */
    const char *assumed;   /* what a proof takes for granted; NULL: nothing */
    const char *unknown;   /* what is not understood; NULL: nothing */
    uint32_t unknown_line; /* its line; 0: the whole function */
    bool planned;          /* holds for the addresses that ptoasm plans */
    bool across;           /* it meets other cores of its block: */
    int between;           /* ptoasm_sync_state of what they do to each other */
    uint32_t between_findings;
    const char *between_scope;   /* the cores for which it is proved, or NULL */
    const char *between_assumed; /* as above */
    const char *between_unknown;
    uint32_t between_line; /* of what is not understood; 0: none */
    /* What blocks do to each other: PROVED: their parts of global memory are disjoint; FOUND: the
     * accesses of two lines may meet; UNKNOWN; UNJUDGED: it does not ask which block it is. */
    int blocks;
    uint32_t blocks_line, blocks_other; /* of the accesses, or of what is not understood */
    const char *blocks_assumed, *blocks_unknown;
} ptoasm_sync_row;

/* Rows of a check with PTOASM_SYNC_REPORT, a row for each function with a body, in the order of the
 * text; none for a program that is not legal, under the profile cpu, and with `compat`. */
PTOASM_API size_t ptoasm_sync_count(const ptoasm_result *res);
/* Returns false when there are fewer. */
PTOASM_API bool ptoasm_sync_get(const ptoasm_result *res, size_t i, ptoasm_sync_row *out,
                                size_t size);
static inline bool ptoasm_sync_at(const ptoasm_result *res, size_t i, ptoasm_sync_row *out) {
    return ptoasm_sync_get(res, i, out, sizeof *out);
}

/* ---- Functions of an emission ---- */

enum ptoasm_param_kind {
    PTOASM_PARAM_SCALAR,  /* passed by value, as c_type */
    PTOASM_PARAM_POINTER, /* c_type * to global memory */
    PTOASM_PARAM_HANDLE,  /* of a type that callers cannot make */
    PTOASM_PARAM_TILE,    /* const ptrt_tile * over memory of the caller */
    PTOASM_PARAM_VIEW     /* const ptrt_view * of global memory */
};

/* Limit of the dimensions of a view parameter. */
#define PTOASM_VIEW_RANK 5

typedef struct ptoasm_param {
    const char *name; /* without %; "" when unnamed */
    const char *type; /* in the textual language, such as "!pto.ptr<f32>" */
    int kind;
    const char *elem;   /* of the scalar, or of what the pointer points to: "f32", "ui8", "index" */
    const char *c_type; /* of the scalar, or of what the pointer points to */
    uint32_t line;      /* in the .pto file, from 1 */
    /* For a tile or view, whose elements are of type `elem`. */
    uint32_t rank;
    int64_t shape[PTOASM_VIEW_RANK]; /* of a tile: rows, columns; PTOASM_EXTENT_ANY: any */
    int64_t valid[2];                /* of a tile: its valid region, or PTOASM_EXTENT_ANY */
    uint64_t bytes;                  /* of a tile: its memory, in the layout of its type */
    const char *c_init; /* a tile: initialiser of its ptrt_tile_type; a view: its enum ptrt_elem */
} ptoasm_param;

typedef struct ptoasm_kernel {
    const char *name; /* in the .pto file, without @ */
    const char *grid; /* C name of `int k_grid(int64_t blocks, parameters)` */
    bool entry;       /* marked as an entry point */
    size_t params;    /* of the grid function */
    uint32_t line;    /* in the .pto file, from 1 */
} ptoasm_kernel;

/* A function that the program declares and calls, and that the caller must supply. */
typedef struct ptoasm_external {
    const char *name; /* in C: `int name(ptrt_core *core, ...)` */
    uint32_t line;    /* in the .pto file, from 1 */
} ptoasm_external;
/* Returns false when there are fewer. */
PTOASM_API bool ptoasm_external_get(const ptoasm_result *res, size_t i, ptoasm_external *out,
                                    size_t size);
static inline bool ptoasm_external_at(const ptoasm_result *res, size_t i, ptoasm_external *out) {
    return ptoasm_external_get(res, i, out, sizeof *out);
}

/* Functions that a caller can launch: entries and external functions; in a module with neither,
 * the public definitions without results. */
PTOASM_API size_t ptoasm_kernel_count(const ptoasm_result *res);
PTOASM_API bool ptoasm_kernel_get(const ptoasm_result *res, size_t i, ptoasm_kernel *out,
                                  size_t size);
static inline bool ptoasm_kernel_at(const ptoasm_result *res, size_t i, ptoasm_kernel *out) {
    return ptoasm_kernel_get(res, i, out, sizeof *out);
}
PTOASM_API bool ptoasm_param_get(const ptoasm_result *res, size_t i, size_t p, ptoasm_param *out,
                                 size_t size);
static inline bool ptoasm_kernel_param(const ptoasm_result *res, size_t i, size_t p,
                                       ptoasm_param *out) {
    return ptoasm_param_get(res, i, p, out, sizeof *out);
}

/* ---- Functions of emitted C++ ---- */

/* Bits of ptoasm_function.cores. */
enum ptoasm_core { PTOASM_CORE_CUBE = 1, PTOASM_CORE_VECTOR = 2 };

/* What a function may want to know of the launch: bits of ptoasm_function.asks, and the value of
 * ptoasm_argument.launch. */
enum ptoasm_query {
    PTOASM_QUERY_BLOCK_INDEX = 1,
    PTOASM_QUERY_BLOCK_COUNT = 2,
    PTOASM_QUERY_SUBBLOCK_INDEX = 4,
    PTOASM_QUERY_SUBBLOCK_COUNT = 8
};

typedef struct ptoasm_function {
    const char *name;   /* in the .pto file, without @ */
    const char *symbol; /* in the C++ */
    uint32_t line;      /* in the .pto file, from 1 */
    bool entry;         /* marked as an entry point */
    uint32_t cores;     /* the kinds of cores that its statements are for */
    uint32_t asks;      /* what it, or a function that it calls, asks the device for */
    size_t arguments;
} ptoasm_function;

/* A parameter of such a function. */
typedef struct ptoasm_argument {
    const char *name;     /* without %; "" when unnamed */
    const char *type;     /* in the textual language */
    const char *cpp_type; /* in the C++ */
    int kind;             /* ptoasm_param_kind */
    const char *elem;     /* of a scalar, or of what a pointer, view or tile holds; "" = none */
    uint32_t line;        /* in the .pto file, from 1 */
    uint32_t launch;      /* the caller passes this of the launch, as the name says; 0 = none */
    bool reads, writes; /* the function, or one that it calls, reads or writes what it refers to */
    /* Of a pointer: the smallest array that holds its views, for a grid of one block: `known`, or
     * the reason why not. Of a view or tile: its extents. */
    bool known;
    uint32_t rank;
    int64_t shape[8];   /* PTOASM_EXTENT_ANY = not known */
    int64_t elements;   /* up to the end of the last view; PTOASM_EXTENT_ANY = not known */
    const char *reason; /* "" = known */
    uint32_t reason_line;
} ptoasm_argument;

/* On-chip memory that a function takes with those that it calls. */
typedef struct ptoasm_memory {
    const char *space; /* such as "vec" */
    int64_t bytes;     /* up to the end of the last tile */
    int64_t capacity;  /* for planning */
} ptoasm_memory;

/* Functions that a caller of the C++ can use, of an emission with `describe`, in the order of the
 * text: entry points, and public functions that no function of the program calls. */
PTOASM_API size_t ptoasm_function_count(const ptoasm_result *res);
/* Each returns false when there are fewer. */
PTOASM_API bool ptoasm_function_get(const ptoasm_result *res, size_t i, ptoasm_function *out,
                                    size_t size);
static inline bool ptoasm_function_at(const ptoasm_result *res, size_t i, ptoasm_function *out) {
    return ptoasm_function_get(res, i, out, sizeof *out);
}
PTOASM_API bool ptoasm_argument_get(const ptoasm_result *res, size_t i, size_t a,
                                    ptoasm_argument *out, size_t size);
static inline bool ptoasm_function_argument(const ptoasm_result *res, size_t i, size_t a,
                                            ptoasm_argument *out) {
    return ptoasm_argument_get(res, i, a, out, sizeof *out);
}
/* Spaces without a tile are left out. */
PTOASM_API bool ptoasm_memory_get(const ptoasm_result *res, size_t i, size_t m, ptoasm_memory *out,
                                  size_t size);
static inline bool ptoasm_function_memory(const ptoasm_result *res, size_t i, size_t m,
                                          ptoasm_memory *out) {
    return ptoasm_memory_get(res, i, m, out, sizeof *out);
}

/* ---- Memory that a kernel needs of its pointers ---- */

/* What is known about a launch. */
typedef struct ptoasm_launch {
    size_t size;       /* sizeof(ptoasm_launch) */
    int64_t blocks;    /* of the grid */
    size_t params;     /* entries of the arrays, one for each parameter of the grid function */
    const bool *known; /* whether the value of each parameter is known; only integers are used */
    const int64_t *values; /* the known values */
} ptoasm_launch;

#define PTOASM_MAX_RANK 8
#define PTOASM_EXTENT_ANY (-1) /* an unknown extent */

typedef struct ptoasm_buffer {
    bool known;    /* the whole shape is known */
    uint32_t line; /* of the view that determines it, or fails to; 0 = there is none */
    uint32_t rank; /* of the shape; 0 = nothing is known */
    int64_t shape[PTOASM_MAX_RANK]; /* elements, in the order of memory; PTOASM_EXTENT_ANY */
    const char *reason;             /* why it is not known, without a full stop; "" */
    int64_t needed; /* elements up to the end of the last view; `shape` may hold more, as rows are
                       whole. 0 when the shape is not known */
} ptoasm_buffer;

/* Computes the smallest array that holds every view of parameter `p`, a pointer, of kernel `i`. A
 * view with gaps between its rows has them in the array; views from different places make one long
 * row unless they fit together. Returns PTOASM_OK, PTOASM_NOMEM, or PTOASM_ARGUMENT when there is
 * no such parameter. */
PTOASM_API int ptoasm_buffer_get(ptoasm_result *res, size_t i, size_t p,
                                 const ptoasm_launch *launch, ptoasm_buffer *out, size_t size);
static inline int ptoasm_kernel_buffer(ptoasm_result *res, size_t i, size_t p,
                                       const ptoasm_launch *launch, ptoasm_buffer *out) {
    return ptoasm_buffer_get(res, i, p, launch, out, sizeof *out);
}

#ifdef __cplusplus
}
#endif

#endif
