/* What the binder's files share. */
#ifndef PARSER_BIND_INTERNAL_H
#define PARSER_BIND_INTERNAL_H

#include "parser/bind.h"

enum { MAX_REGION_DEPTH = 256, MOST_RESULTS = 250, MOST_OPERANDS = 65535 };
enum { BODY_ROOM = 1024 * 1024 }; /* for bodies that are forgotten: most need no chunk more */

/* The value that a name means, while its scope is open. */
typedef struct NameEntry {
    Value *value;
    uint32_t epoch; /* number of the function it belongs to */
} NameEntry;

typedef struct UndoEntry {
    Atom name;
    NameEntry old;
} UndoEntry;

/* A block label of a region; forward references make the block before its label is seen. */
typedef struct LabelEntry {
    struct LabelEntry *next; /* of the same label text */
    struct LabelEntry *next_in_region;
    Region *region;
    Block *block;
    Span use;    /* first use, for the message */
    bool placed; /* the label was seen */
} LabelEntry;

/* A value that is used before the text defines it (bind_forward.c). */
typedef struct Forward Forward;
/* A use that writes another type than that of its value (bind_mismatch.c). */
typedef struct Mismatch Mismatch;
/* A statement with one operand less than types (bind_left_out.c). */
typedef struct LeftOut LeftOut;

/* An open region. */
typedef struct Frame {
    Op *op; /* its owner */
    unsigned region;
    Block *block;   /* where statements go */
    uint32_t undo;  /* height of the undo stack at the opening */
    uint32_t epoch; /* function outside */
    LabelEntry *labels;
    Op *implicit; /* module: the function that statements outside any function form */
    bool started; /* a statement or label was seen in it */
    bool lost;    /* the statement could not be bound: its region is read, not kept */
} Frame;

/* The state in front of the body of a function, for forgetting it. */
typedef struct BodyStart {
    Op *func; /* NULL: none is open that could be forgotten */
    ArenaMark mark;
    const NamedAttr *attrs;
    const Trivia *trivia;
    Diag **diag; /* the end of the list */
    AliasDef **alias;
    uint32_t nlocations;
    bool lost_function;
} BodyStart;

struct Binder {
    Context *ctx;
    TokenBuf *buf;
    Module *module;
    NameEntry *names; /* by atom */
    uint32_t nnames;
    UndoEntry *undo;
    uint32_t nundo, undo_cap;
    uint32_t epoch, last_epoch;
    LabelEntry **labels; /* by atom */
    uint32_t nlabels;
    Forward *forwards; /* of the open functions, the newest first */
    Forward **forward_by_name;
    uint32_t nforward;
    unsigned nsuggested; /* undefined names for which near ones were looked up */
    Mismatch *mismatches; /* of the open functions, the newest first */
    LeftOut *left_out;    /* as above */
    unsigned nleft_out;   /* of the whole text */
    Frame *frames;
    uint32_t nframes, frames_cap;
    uint32_t vector_level_epoch; /* function that has had its [vector-level] message + 1 */
    const Type *error_type;
    Op *pending; /* statement whose region has just closed */
    bool pending_lost;
    const FunctionHook *hook; /* may be NULL */
    BodyStart body;
};

/* A statement being read: tokens [pos, end). After the first error `failed` is set, everything
 * returns quickly, and the statement is dropped. */
typedef struct Cursor {
    Binder *b;
    uint32_t pos, end;
    bool failed;
} Cursor;

/* ---- tokens ---- */
static inline const Token *token_at(const Binder *b, uint32_t i) {
    return &b->buf->tokens[i - b->buf->base];
}
static inline TokenKind peek(const Cursor *c) {
    return c->pos < c->end ? (TokenKind)token_at(c->b, c->pos)->kind : TOK_EOF;
}
static inline TokenKind peek_at(const Cursor *c, uint32_t ahead) {
    return c->pos + ahead < c->end ? (TokenKind)token_at(c->b, c->pos + ahead)->kind : TOK_EOF;
}
static inline Span token_span(const Token *t) {
    return (Span){t->off, t->len};
}
/* The span of the token at the cursor, or of the place after the last one. */
static inline Span cursor_span(const Cursor *c) {
    if (c->pos < c->end) return token_span(token_at(c->b, c->pos));
    const Token *last = token_at(c->b, c->end - 1);
    return (Span){last->off + last->len, 1};
}
static inline bool accept(Cursor *c, TokenKind kind) {
    if (peek(c) != kind || c->pos >= c->end) return false;
    c->pos++;
    return true;
}
bool expect(Cursor *c, TokenKind kind);
bool peek_word(const Cursor *c, const char *word);
bool accept_word(Cursor *c, const char *word);
bool expect_word(Cursor *c, const char *word);
/* Reports "expected <what>, found <token>" once for the statement; NULL after the first time. */
DIAG_COLD Diag *fail_expected(Cursor *c, const char *what);
/* Reports any error of the statement; marks it failed. */
DIAG_COLD Diag *fail(Cursor *c, DiagId id, Span span, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* ---- names ---- */
/* Defines a value in the current scope; reports a redefinition. */
void define_value(Binder *b, Value *v, Span span);
/* The value that a name has where the binder is; NULL: none yet. */
static inline Value *lookup_name(const Binder *b, Atom name) {
    if (name >= b->nnames) return NULL;
    const NameEntry *e = &b->names[name];
    return e->epoch == b->epoch ? e->value : NULL;
}
/* The value of a VALUE token; reports and returns an error value when there is none. */
Value *use_other_value(Binder *b, const Token *t);
static inline Value *use_value(Binder *b, const Token *t) {
    Value *v = lookup_name(b, t->atom);
    return v != NULL && t->number == 0 ? v : use_other_value(b, t);
}
/* A value of type `none` in the place of something already reported. */
Value *error_value(Binder *b, Atom name);
static inline bool is_error(const Value *v) {
    return v->type->kind == TY_NONE;
}

/* The place holder of a value that has no definition yet. */
Value *forward_value(Binder *b, const Token *t);
/* The type that the statement writes for an operand, or that its slot has, becomes that of a place
 * holder without one. */
void forward_give_type(Value *v, const Type *written);
static inline void forward_type(const Operand *o, const Type *written) {
    if (o->value != NULL && is_error(o->value)) forward_give_type(o->value, written);
}
void forward_slot(Binder *b, const Operand *o, SlotKind kind);
/* A name was defined: its place holders have their value. */
void forward_defined(Binder *b, Value *v);
/* The end of a function, or of a module with statements of its own: puts the values in their
 * places and reports what was not defined. */
void forward_finish(Binder *b, Op *owner);
/* How many operands under `owner` are the value. */
unsigned count_uses(Op *owner, const Value *v);

/* The diagnostic of a use that writes another type than that of the value. */
void mismatch_note(Binder *b, const Value *v, const Type *written, Diag *d);
/* The end of a function: chooses between the uses and the definition. */
void mismatch_finish(Binder *b, Op *owner);

/* ---- reading pieces ---- */
bool read_operand(Cursor *c, Operand *out);
const Type *read_type(Cursor *c);
/* `(` types `)`, or one type, or nothing after `->`; returns the number, at most `cap`. */
unsigned read_type_list(Cursor *c, const Type **out, Span *spans, unsigned cap, bool parens);
/* A dictionary at DICT_OPEN; entries are added to the op's attributes and checked by its row. */
void read_dict(Cursor *c, Op *op);
void add_attr(Cursor *c, Op *op, Atom name, Span span, const Attr *value);
/* The value of an attribute that a format writes in place. */
const Attr *read_in_place(Cursor *c, const AttrInfo *info);
/* The attribute value checked against the row's declaration; NULL after a diagnostic. */
const Attr *coerce_attr(Cursor *c, const AttrInfo *info, const Attr *a, Span span);
/* PTO-AS: `#cmp=gt` after the statement is its attribute `cmp`. */
void read_modifiers(Cursor *c, Op *op);
void skip_location(Cursor *c);
/* Nothing but a location may follow. */
void expect_end(Cursor *c);
/* A literal used as an operand becomes a constant before the statement. */
Value *literal_operand(Cursor *c, const Type *type);
bool at_literal(const Cursor *c);

/* ---- operands and results of an operation under construction ---- */
typedef struct ResultNames {
    uint32_t first, last; /* tokens of the result list, first > last when empty */
    unsigned count;       /* values that it names */
} ResultNames;

/* Checks `v` against the slot; reports. */
void check_slot(Cursor *c, const Op *op, int slot, const Operand *o);
void check_other_type(Cursor *c, const Operand *o, const Type *written, Span span);
static inline void check_written_type(Cursor *c, const Operand *o, const Type *written, Span span) {
    if (o->value == NULL || o->value->type != written) check_other_type(c, o, written, span);
}
/* Operands of one slot while an operation is being read. */
void set_operands(Binder *b, Op *op, const Operand *flat, unsigned n, const uint16_t *segs);
/* Makes op->results with these types; names come from the result list. Reports a wrong count. */
void set_results(Cursor *c, Op *op, const ResultNames *names, const Type *const *types, unsigned n);
void append_op(Binder *b, Op *op);
/* `^bb1[(args : types)]`, added to the operation. */
void read_successor(Cursor *c, Op *op);
Block *label_block(Binder *b, Region *region, const Token *t);

/* ---- operands and types as written ---- */
enum { WRITTEN_FEW = 16 };

/* Operands as written, before they are given to slots. Literals wait for their type. */
typedef struct Written {
    Operand *ops;
    uint32_t *literal; /* token of a literal operand + 1, 0 for a value */
    const Type **types;
    Span *spans; /* of the types */
    unsigned n, cap;
    unsigned ntypes;
    Operand indices[8]; /* of an indexed operand */
    unsigned nindices;
    unsigned indexed; /* operand that has them */
    struct {
        uint16_t operand;
        uint8_t slot;
    } clauses[8]; /* operands after a word: their slots */
    unsigned nclauses;
    bool saw_unless_word; /* SlotInfo.unless was read */
    Operand few_ops[WRITTEN_FEW];
    uint32_t few_literals[WRITTEN_FEW];
    const Type *few_types[WRITTEN_FEW + 8];
    Span few_spans[WRITTEN_FEW + 8];
} Written;

/* A group has an operand less than types; `needed`: the instruction takes more operands. */
void left_out_note(Cursor *c, const Op *op, const Written *w, bool needed, Diag *d);
/* The end of a function: offers the operands. */
void left_out_finish(Binder *b, Op *owner);

enum { MOST_SIGNATURE_RESULTS = 6 };
typedef struct Signature {
    const Type *results[MOST_SIGNATURE_RESULTS];
    Span result_spans[MOST_SIGNATURE_RESULTS];
    unsigned nresults;
    bool arrow;
} Signature;

void written_init(Written *w);
/* Values and literals up to something else; `[indices]` after an operand. */
void read_written_operands(Cursor *c, Written *w);
void read_written_types(Cursor *c, Written *w);
/* `: types [-> results]`, or nothing. */
void read_signature(Cursor *c, Written *w, Signature *sig);
/* Destination slots that are results in the SSA forms; `least` (may be NULL): those that are not
 * optional. */
unsigned result_slots(const Inst *inst, unsigned *least);
bool slot_takes(const SlotInfo *s, const Operand *o);

/* ---- the ways to bind ---- */
void bind_tile(Cursor *c, Op *op, const ResultNames *names);
void bind_format(Cursor *c, Op *op, const ResultNames *names);
void bind_generic(Cursor *c, Op *op, const ResultNames *names);
void bind_custom(Cursor *c, Op *op, const ResultNames *names);
/* The part of a generic operation after its regions: attributes and the function type. */
void bind_generic_tail(Cursor *c, Op *op);
/* Takes an attribute out of an operation; NULL when it has none of this name. */
const Attr *take_attr(const Context *ctx, Op *op, const char *name);
/* What the generic form of these writes otherwise than the IR keeps it. The sizes that
 * generic_switch returns (NULL after a diagnostic) split the operands: flag, default, cases. */
const Attr *generic_switch(Cursor *c, Op *op, const Attr *sizes);
void generic_index_switch(Cursor *c, Op *op);
void generic_tassign(Cursor *c, Op *op);
/* Opens region `index` of a FORM_CUSTOM op: block arguments and their names. */
void custom_region_open(Cursor *c, Op *op, unsigned index);
/* Between two regions: `else`, `do`, `case`; false when no region may follow. */
bool custom_region_next(Cursor *c, Op *op, unsigned index);
/* After the last region: attributes; implied terminators. */
void custom_done(Cursor *c, Op *op);

#endif
