/* SPDX-License-Identifier: Apache-2.0 */
/* What the backends that write C-like text share: the state of an emission, the lines of a body,
 * names of values, control flow. A backend gives the spelling (TextLanguage). */
#ifndef BACKENDS_TEXT_EMITTER_H
#define BACKENDS_TEXT_EMITTER_H

#include "backends/lower/body.h"
#include "backends/text/names.h"
#include "support/ptrmap.h"

struct Plan;

typedef struct EmitOptions {
    Profile profile;
    bool compat;   /* check at run time the conditions of the vendor's assembler 0.60 */
    bool comments; /* emit the source line of each statement as a comment */
    bool debug;    /* emit #line directives instead, for a debugger */
    const Locations *locations; /* of statements, for #line; NULL: only lines of the .pto file */
    bool checked;               /* check global accesses and overlaps at run time */
    bool sanitize;              /* C that tells the sanitizer what it does */
    bool cover;                 /* C that notes which ways a run takes (cover.h) */
    bool fuse;                  /* C that calls the runtime once for a chain of statements */
    bool trap;                  /* C that stops where NaN or infinity comes of finite inputs */
    bool shadow;                /* C that computes floats in f64, too (shadow.h) */
    bool sanitize_all;          /* it also judges pipes of functions without flags */
    bool embed;                 /* C++ for another file: no #include lines, all functions static */
    /* The option that inserts flags: a note about functions without any names it; NULL: no note. */
    const char *inserter;
    const char *file_name;   /* the .pto file in error texts and #line; NULL: the source's name */
    const char *header_name; /* name from which the include guard is made; NULL: the file name */
    const struct Plan *plan; /* addresses of tiles that state none; NULL: all state one */
    const Lower *lowered;    /* the module, lowered for the profile; NULL: done for each call */
} EmitOptions;

/* The name of a value, an end of a pipe, a stem of names, or what a statement makes beside its
 * results. */
typedef struct Local {
    uint32_t count; /* for a stem of names: the last number given; for a saved tile: its line */
    const char *name;
    bool used;    /* the emitted code reads it */
    bool hoisted; /* declared at the start of its region */
} Local;

/* A definition of a value. If the function never reads the value, put_body() adds a line after it
 * that avoids a warning. */
typedef struct Definition {
    struct Definition *next;
    const Value *value;
    size_t at; /* offset in the body, after the definition */
    unsigned indent;
} Definition;

/* The destination of the values of an scf.yield. */
typedef struct Sink {
    const char **names;
    const Value *values; /* values of the same types, as many as the yield has */
    const char *label;   /* where to go afterwards; NULL: fall through */
} Sink;

typedef struct Emitter Emitter;

/* The spelling of a backend. The functions behind `type` may be NULL. */
typedef struct TextLanguage {
    const char *name; /* in diagnostics */
    void (*stmt)(Emitter *e, const LowerStmt *s);
    const char *(*type)(Emitter *e, const Value *v);       /* of a local variable, or NULL */
    const char *(*value_name)(Emitter *e, const Value *v); /* not yet unique */
    /* The text for the variable `name` of a value that needs no declaration; NULL: it needs one. */
    const char *(*place)(Emitter *e, const Value *v, const char *name);
    void (*before_value)(Emitter *e, const Value *v);       /* before the line that defines it */
    void (*leave_region)(Emitter *e, const LowerRegion *r); /* or NULL */
    void (*check_step)(Emitter *e, const Value *step); /* before a loop, unless it is constant */
    /* The value `from` where a variable of the type of `to` is assigned; NULL: its name. */
    const char *(*passed)(Emitter *e, const Value *from, const Value *to);
    bool line_comments; /* comments start with two slashes */
    bool braced_blocks; /* no jump may pass a declaration: blocks after the first are in braces */
    bool plain_steps;   /* a loop counter is increased even where that may overflow */
} TextLanguage;

struct Emitter {
    const TextLanguage *lang;
    const Module *m;
    const Context *ctx;
    const EmitOptions *opt;
    const char *file;
    Arena *arena; /* between emitter_enter() and emitter_leave(), memory that the latter frees */
    Arena *keep;  /* memory of the emission */
    DiagList *diags;
    NameSet reported; /* offsets of reported diagnostics, to report each once */
    bool ok;
    bool quiet; /* the text is a draft, which needs no comments */
    const Lower *low;
    NameSet globals;
    StrBuf points;  /* of coverage: a line of C for each */
    unsigned nways; /* of all points */
    /* The current function. */
    StrBuf *out; /* receives its statements */
    NameSet names;
    PtrMap locals; /* Local of each value, end of a pipe, statement and stem */
    unsigned indent;
    unsigned nesting;
    const LowerBody *body;
    uint32_t line;                              /* of the current statement */
    uint32_t line_off;                          /* an offset on that line */
    uint32_t shown_off;                         /* offset of the last source line shown, plus one */
    uint32_t author_off;                        /* offset of the statement of `author`, plus one */
    AuthorLine author;                          /* where the author wrote it; line 0: not known */
    Sink sink;                                  /* of the innermost region that yields */
    Sink leave;                                 /* destination of the values of scf.condition */
    Definition *definitions, **last_definition; /* in the order of the text */
};

typedef void (*EmitFn)(Emitter *e, const LowerStmt *s);

/* Starts the emission of a module with zeroed `*e`; lowers it unless the options give it. */
void emitter_init(Emitter *e, const TextLanguage *lang, const Module *m, const EmitOptions *opt,
                  Arena *arena, DiagList *diags);
/* Makes room for the text of the module in `out`, so that it is seldom copied. */
void emitter_reserve(Emitter *e, StrBuf *out);
/* Puts `top` before the functions in `out`; leaves no text after a diagnostic. */
void emitter_finish(Emitter *e, StrBuf *out, const StrBuf *top);

/* ---- writer.c ---- */

/* Starts a line. With debug information each line is preceded by a #line directive. */
void begin_line(Emitter *e);
void ln(Emitter *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void open_brace(Emitter *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void open_block(Emitter *e); /* a brace alone */
void close_brace(Emitter *e);
char *strf(Emitter *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Reports one diagnostic per place, even when several parts of a statement have no lowering. */
void report_once(Emitter *e, DiagId id, Span at, const char *text);
/* Reports that the code at `at` has no lowering. */
void cannot(Emitter *e, Span at, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Returns the number of an enumeration or integer attribute, or 0 when it is absent. Returns -1
 * after a diagnostic when it is not below `limit`. */
int64_t attr_choice(Emitter *e, const LowerStmt *s, AttrName name, int64_t limit);
/* Makes the line of a statement at `at` the current one. Returns false for statements that a pass
 * made. */
bool set_line(Emitter *e, Span at);
/* Starts a statement: sets the line and emits the source line as a comment. */
void start_statement(Emitter *e, Span at);

/* ---- literals.c ---- */

/* Returns an integer of `width` bits as a literal: for i8, 255 and -1 are the same. */
const char *int_literal(Emitter *e, int64_t i, unsigned width);
/* Reads `dense<3>` or `dense<[1, 2, 3, 4]>` as the lanes of a vector<4xi16>. Returns false for
 * anything else. */
bool dense_lanes(Emitter *e, const Attr *a, int64_t lanes[4]);

/* ---- locals.c ---- */

/* Data about one function is freed when the function has been printed, so that an emission needs
 * memory for the longest function only. */
ArenaMark emitter_enter(Emitter *e);
void emitter_leave(Emitter *e, ArenaMark mark);
void locals_reset(Emitter *e);
/* Returns the entry of a value or the like; a new one has no name. */
Local *local_entry(Emitter *e, const void *key);
Local *local_of(Emitter *e, const Value *v);     /* as local_entry, with a name */
const char *val(Emitter *e, const Value *v);     /* the name of a value, which is read */
const char *name_of(Emitter *e, const Value *v); /* the name of a value, which is written */
/* Returns the text that assigns the value `from` to the variable of `to`. */
const char *passed(Emitter *e, const Value *from, const Value *to);
/* Returns a name that no value has. */
const char *fresh(Emitter *e, const char *stem);
/* Declares a variable for `v`, unless hoist_region() did. */
void declare(Emitter *e, const Value *v);
/* Emits `T v = EXPR;`, or an assignment if `v` is declared already. */
void define(Emitter *e, const Value *v, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Records that `v` has been defined here, in case nothing reads it. */
void defined(Emitter *e, const Value *v);
/* Assigns names[i] = srcs[i] as if all at once. */
void assign_all(Emitter *e, const char *const *names, const Value *types, const Operand *srcs,
                unsigned n);
/* Writes the body of the function, with a line after each definition that nothing reads. */
void put_body(Emitter *e, StrBuf *out, const StrBuf *body);
const char **value_names(Emitter *e, const Value *values, unsigned n);

/* ---- flow.c ---- */

/* Emits the statements of a region. If it has several blocks, declares their values first. */
void emit_region(Emitter *e, const LowerRegion *r);
/* Returns what emits control flow of a form; NULL: the backend does. */
EmitFn flow_emitter(StmtForm form);

#endif
