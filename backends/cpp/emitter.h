/* SPDX-License-Identifier: Apache-2.0 */
/* Inside the C++ backend: its part of the state of an emission, and the functions its files
 * share. */
#ifndef BACKENDS_CPP_EMITTER_H
#define BACKENDS_CPP_EMITTER_H

#include "backends/cpp/calls.h"
#include "backends/cpp/emit.h"
#include "backends/lower/lower.h"
#include "ir/core.h"
#include "passes/passes.h"

/* A function of the module. */
typedef struct CppFunc {
    const LowerFunc *low;
    FuncData *data;
    const char *name;
    Core kind;  /* its whole body is for this kind of core; CORE_ANY: none is named */
    bool mixed; /* statements outside of sections are for both kinds */
    bool visited, open;
} CppFunc;

/* A view: each extent and stride is a number or, if that is DYNAMIC, an expression. */
typedef struct CppView {
    const char *base;
    const char *shape[5], *stride[5];
    int64_t shape_n[5], stride_n[5];
    int64_t layout;
    const Type *elem;
} CppView;

/* The texts of types of a view: Shape<..>, Stride<..>, GlobalTensor<..>. */
typedef struct CppViewTypes {
    const char *shape, *stride, *view;
} CppViewTypes;

typedef struct CppEmitter {
    Emitter text_state; /* first, so that cpp_of() finds the rest */
    CppFunc *funcs;     /* one for each of low->funcs */
    unsigned nfuncs;
    StrBuf structs;        /* definitions of records */
    Interner struct_names; /* those that `structs` defines */
    NameSet library;       /* names that the C++ uses besides those in calls.def */
    StrBuf *text;          /* the C++ file: definitions of functions; cpp_put_top() adds the rest */
    bool uses_bits, uses_event_array, uses_cache_line, uses_tail, uses_random,
        uses_product; /* helpers that the text needs */
    int32_t *flags;   /* per end of a pipe: its first hardware flag */
    /* The current function. */
    CppFunc *fn;
    Core section;                   /* of the statements that are printed; CORE_ANY: none */
    bool inferred;                  /* `section` is not in the program */
    const LowerRegion *inferred_in; /* where it began */
    PtrMap views;                   /* CppView of each view */
    PtrMap quants;                  /* the newest statement about the quantisation of a pipe */
    unsigned numbered;              /* values and variables that have a number as name */
    PtrMap tiles;                   /* texts of types of tiles */
    PtrMap before;                  /* locals of the previous round */
    bool again;                     /* `before` is filled: what it does not use is left out */
    bool stores;                    /* a scalar is stored to global memory */
} CppEmitter;

/* Returns the state of the C++ backend. */
static inline CppEmitter *cpp_of(Emitter *e) {
    return (CppEmitter *)e;
}

/* Whether to write as the vendor's assembler 0.60 does: values are v1, v2 .., and the names of the
 * program are comments. */
static inline bool cpp_as_vendor(const Emitter *e) {
    return e->opt->compat;
}

/* ---- names.c ---- */

/* Fills the table of functions and gives each its name. Reports those that others call by a name
 * that it cannot have. */
void cpp_name_functions(Emitter *e);
/* Returns the name of a value, not yet unique. */
const char *cpp_value_name(Emitter *e, const Value *v);
/* Returns a name for a variable that is no value. */
const char *cpp_fresh(Emitter *e, const char *stem);
/* Writes the comment of the vendor's text with the name of a value in the program. */
void cpp_put_name(Emitter *e, const Value *v);

/* ---- emit.c ---- */

/* Whether nothing needs a statement: the previous round did not use its results. */
bool cpp_is_dead(Emitter *e, const LowerStmt *s);
/* Writes the type of the conversion of a pipe, if the statement sets up one that has it. */
void cpp_put_config(Emitter *e, const LowerStmt *s);
/* Returns an enumerator or, as the vendor's text has it, a variable that holds it. */
const char *cpp_mode(Emitter *e, const char *enumerator);

/* ---- preamble.c ---- */

/* Writes what precedes the functions, and is known only after them. */
void cpp_put_top(Emitter *e, StrBuf *out);
/* Print what is around a definition that an embedded text has, so that it is there once. */
void cpp_begin_helper(const Emitter *e, StrBuf *out, const char *name);
void cpp_end_helper(const Emitter *e, StrBuf *out);

/* ---- types.c ---- */

bool cpp_is_view(const Type *t);
const char *cpp_elem(int elem);                  /* float, half, ...; NULL */
const char *cpp_scalar(const Type *t);           /* NULL */
const char *cpp_unsigned(const Type *t);         /* uint32_t for any integer of 32 bits */
const char *cpp_tile(Emitter *e, const Type *t); /* Tile<..>, or NULL */
/* Returns the type of a value, or NULL. */
const char *cpp_type_of(Emitter *e, const Value *v);
/* The same for a type; views have run-time extents and strides. */
const char *cpp_type(Emitter *e, const Type *t);
/* Returns the name of a record type, which it defines if that is new; NULL. */
const char *cpp_struct(Emitter *e, const Type *t);
/* Returns the types of a view; `open`: with all extents and strides at run time. */
CppViewTypes cpp_view_types(Emitter *e, const CppView *view, bool open);
/* Whether all extents and strides of a view are numbers. */
bool cpp_is_static(const CppView *view);

/* ---- views.c ---- */

const CppView *cpp_view(Emitter *e, const Value *v);
/* Whether the statement that defines a view gives its type in C++. */
bool cpp_view_is_made(const Emitter *e, const Value *v);
/* Returns the view with all extents and strides at run time. */
const char *cpp_any_view(Emitter *e, const Value *v);
/* Returns a pointer to the first element of a view, or the pointer itself; NULL. */
const char *cpp_pointer(Emitter *e, const Value *v);
/* Returns the name of the view in slot `slot`, or of its window from `offsets` on. */
const char *cpp_view_arg(Emitter *e, const LowerStmt *s, int slot);

/* ---- tiles.c ---- */

/* Returns the type of a tile in C++: a window may have the shape of its source. */
const Type *cpp_tile_type(Emitter *e, const Value *v);
/* Declares a tile variable; NULL extents: those of the type. */
void cpp_declare_tile_as(Emitter *e, const Value *v, const char *rows, const char *cols);
/* Returns the scratch tile that the plan supplies, declared here; NULL when it has no form. */
const char *cpp_scratch(Emitter *e, const LowerBind *tmp);

/* ---- pipes.c ---- */

void cpp_number_pipes(Emitter *e);
const char *cpp_pipe_type(Emitter *e, const LowerPipe *pipe);
const char *cpp_pipe_name(Emitter *e, const LowerPipe *pipe);
/* Returns the name of the type of its conversion on a push. */
const char *cpp_pipe_config(Emitter *e, const LowerPipe *pipe);
/* Returns the end that a statement uses; NULL after a diagnostic. */
const LowerPipe *cpp_pipe_of(Emitter *e, const LowerStmt *s);
/* Whether a push to the end names how the fixpipe converts the entry. */
bool cpp_converts(Emitter *e, const LowerPipe *pipe);

/* ---- words.c ---- */

/* Returns the text of a word for a statement; NULL after a diagnostic. */
const char *cpp_word(Emitter *e, const LowerStmt *s, CallWord word);
/* Returns the text of an attribute of the row: a C++ enumerator, a number, a string. */
const char *cpp_attr(Emitter *e, const LowerStmt *s, int attr);
/* Whether the statement has the attribute, with another value than the default. */
bool cpp_has_attr(const LowerStmt *s, int attr);

/* ---- emit.c ---- */

/* Prints a function with a body. */
void cpp_function(Emitter *e, CppFunc *f);

/* ---- visit.c ---- */

/* Prints a function, unless it was printed, after those that it calls. */
void cpp_visit(Emitter *e, CppFunc *f);

/* ---- statement.c ---- */

void cpp_stmt(Emitter *e, const LowerStmt *s);
#define EMIT(form, fn) void fn(Emitter *e, const LowerStmt *s);
#include "backends/cpp/emitters.def"
#undef EMIT
/* Emits the call of the row that holds for a statement. */
void cpp_row(Emitter *e, const LowerStmt *s);
/* Opens and closes sections that the program does not have, so that a statement for one kind of
 * core is in one. */
void cpp_infer_section(Emitter *e, const LowerStmt *s);

#endif
