/* SPDX-License-Identifier: Apache-2.0 */
/* Shared declarations of the binder. */
#ifndef PARSER_BIND_INTERNAL_H
#define PARSER_BIND_INTERNAL_H

#include "parser/bind.h"

enum { MAX_REGION_DEPTH = 256, MOST_RESULTS = 250, MOST_ARGUMENTS = 256, MOST_OPERANDS = 65535 };
enum { LARGE_TEXT = 1000000 };    /* its module needs more bytes than the text has */
enum { BODY_ROOM = 1024 * 1024 }; /* for forgotten bodies: most need no further chunk */

/* The value of a name while its scope is open. */
typedef struct NameEntry {
    Value *value;
    uint32_t epoch; /* number of its function */
} NameEntry;

typedef struct UndoEntry {
    Atom name;
    NameEntry old;
} UndoEntry;

/* A block label of a region; a forward reference creates the block before the label is read. */
typedef struct LabelEntry {
    struct LabelEntry *next; /* of the same label text */
    struct LabelEntry *next_in_region;
    Region *region;
    Block *block;
    Span use;    /* first use, for error messages */
    bool placed; /* the label was read */
} LabelEntry;

/* A value that is used before its definition (bind_forward.c). */
typedef struct Forward Forward;
/* A use that gives another type than the definition, and a constant whose number and type are of
 * different kinds (bind_mismatch.c). */
typedef struct Mismatch Mismatch;
typedef struct OddConstant OddConstant;
/* A statement with one operand fewer than types (bind_left_out.c). */
typedef struct LeftOut LeftOut;

/* The constant of a literal operand. It gets its name at the end of the text, because a later
 * statement may define any name that looks free before. */
typedef struct Literal {
    Value *value;   /* NULL: the body that contains it was forgotten */
    int64_t number; /* for the name; -1: negative or a float */
} Literal;

/* An open region. */
typedef struct Frame {
    Op *op; /* its owner */
    unsigned region;
    Block *block;   /* where statements are appended */
    uint32_t undo;  /* undo entries when it was opened */
    uint32_t epoch; /* enclosing function */
    LabelEntry *labels;
    Op *implicit; /* for a module: the function made of statements outside of functions */
    bool started; /* it has a statement or label */
    bool lost;    /* the statement could not be bound: its region is read but not kept */
} Frame;

/* The state before the body of a function, for forgetting the body. */
typedef struct BodyStart {
    Op *func; /* NULL: no open function can be forgotten */
    ArenaMark mark;
    const NamedAttr *attrs;
    const Trivia *trivia;
    Diag **diag; /* end of the list */
    AliasDef **alias;
    uint32_t nlocations, nliterals;
    bool lost_function;
} BodyStart;

/* A word that was looked up in a family of enumeration values. */
typedef struct EnumWord {
    Atom word;
    int16_t value; /* -1: none */
    uint8_t family;
} EnumWord;
enum { ENUM_WORDS = 256 };

struct Binder {
    Context *ctx;
    TokenBuf *buf;
    Module *module;
    NameEntry *names; /* by atom */
    uint32_t nnames;
    UndoEntry *undo;
    uint32_t nundo, undo_cap;
    uint32_t epoch, last_epoch;
    uint32_t layout_epoch; /* 1 + the last function in which assigned registers were reported */
    LabelEntry **labels;   /* by atom */
    uint32_t nlabels;
    Forward *forwards; /* in open functions, newest first */
    Forward **forward_by_name;
    uint32_t nforward;
    unsigned nsuggested;        /* undefined names that were compared with others */
    Mismatch *mismatches;       /* in open functions, newest first */
    OddConstant *odd_constants; /* as above */
    LeftOut *left_out;          /* as above */
    unsigned nleft_out;         /* in the whole text */
    Literal *literals;          /* in the order of the text */
    uint32_t nliterals, literals_cap;
    Frame *frames;
    uint32_t nframes, frames_cap;
    const Type *error_type;
    Op *pending; /* statement whose region has just closed */
    bool pending_lost;
    Region *pending_region;   /* that region, until its comments are the statement's; may be NULL */
    const FunctionHook *hook; /* may be NULL */
    BodyStart body;
    EnumWord enum_words[ENUM_WORDS]; /* by a hash of both */
};

enum { MOST_WRONG = 4 };

/* An error about one operand or attribute, after which the rest of the statement is read. */
typedef struct Wrong {
    Diag *d;
    Operand operand; /* without a value: the error is about another part */
    uint8_t kind;    /* of the slot, in an error about the kind of an operand */
} Wrong;

/* A statement being read: tokens [pos, end). After an error that leaves no way to read on, `failed`
 * is set, and all functions return early. After one about a part, `nwrong` counts. The statement is
 * dropped in both cases. */
typedef struct Cursor {
    Binder *b;
    uint32_t pos, end;
    uint32_t start; /* where the text of the statement begins; UINT32_MAX: not known */
    bool failed;
    uint8_t nwrong;
    const Inst *inst; /* of the statement, unless it is generic; NULL: not known */
    Wrong *wrong;     /* room for MOST_WRONG */
} Cursor;

/* Returns a cursor over tokens [pos, end) without the text of a statement. */
static inline Cursor cursor_over(Binder *b, uint32_t pos, uint32_t end) {
    return (Cursor){.b = b, .pos = pos, .end = end, .start = UINT32_MAX};
}

/* ---- tokens and types (bind_read.c) ---- */
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
/* Returns the span of the token at the cursor, or an empty one after the last token. */
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
/* Reports "expected <what>, found <token>", once per statement; NULL after that. */
DIAG_COLD Diag *fail_expected(Cursor *c, const char *what);
/* Reports an error of the statement and marks it as failed. */
DIAG_COLD Diag *fail(Cursor *c, DiagId id, Span span, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* Reports an error about a part of the statement (an operand, or NULL), and reads on if the form
 * of the statement allows it. */
Diag *fail_part(Cursor *c, const Operand *o, DiagId id, Span span, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));
/* The bytes of a text that a message shows. */
static inline int shown_len(size_t n) {
    return n > 60 ? 60 : (int)n;
}
/* Gives the diagnostics about operands the names of their slots. */
void name_wrong_operands(const Cursor *c, const Op *op);

/* Skips loc(...), which has no meaning. */
void skip_location(Cursor *c);
/* Reports anything but a location. */
void expect_end(Cursor *c);
const Type *read_type(Cursor *c);
/* Reads `(` types `)`, one type or, after `->`, nothing; returns the number, at most `cap`. */
unsigned read_type_list(Cursor *c, const Type **out, Span *spans, unsigned cap, bool parens);

/* ---- statements (bind.c) ---- */
typedef struct ResultNames {
    uint32_t first, last; /* tokens of the result list; first > last when it is empty */
    unsigned count;       /* number of values */
} ResultNames;

ResultNames read_result_names(Cursor *c);
/* Binds tokens [first, end). NULL when the statement is dropped; its results are defined anyway. */
Op *bind_header(Binder *b, uint32_t first, uint32_t end, bool opens_region);
/* Defines the results of a dropped statement, so that their uses are not reported too. */
void define_lost_results(Binder *b, uint32_t first, uint32_t last);
void append_op(Binder *b, Op *op);
/* Makes the operation of the name at the cursor; NULL after a diagnostic (bind_inst.c). */
Op *named_op(Cursor *c);

/* ---- statements outside of functions, in PTO-AS (bind_alias.c) ---- */
/* Returns the function that they form, one per module. */
Op *implicit_function(Binder *b, Frame *module);
/* Completes an implicit function (NULL: none) at the end of its module: its type, which includes
 * all arguments, and the optional return. */
void finish_implicit_function(Binder *b, Op *func);

/* ---- trivia (bind_trivia.c) ---- */
/* Moves trivia before token `upto` to a list; with `trailing` only those on the line of the
 * preceding token. */
void take_trivia(Binder *b, uint32_t upto, Trivia **list, bool trailing);
/* Do comments trail token `last`? They are stored with the next token, whether or not it has been
 * read. */
static inline bool comments_follow(const Binder *b, uint32_t last) {
    const TokenBuf *buf = b->buf;
    return buf->ntaken < buf->ntrivia && buf->trivia[buf->ntaken].before == last + 1;
}
/* Takes the comments that trail a token or, as part of an operation, its last token. */
void take_comments(Binder *b, uint32_t last, Trivia **list);
void take_op_comments(Binder *b, Op *op, uint32_t last);
static inline void take_trailing(Binder *b, Op *op, uint32_t last) {
    if (comments_follow(b, last)) take_op_comments(b, op, last);
}

/* ---- names, regions and labels (bind_scope.c) ---- */
static inline Frame *top_frame(Binder *b) {
    return &b->frames[b->nframes - 1];
}
/* Opens region `region` of an operation, and closes it with the scope of its names. */
void push_frame(Binder *b, Op *op, unsigned region, bool lost);
void pop_frame(Binder *b);
/* Removes the labels of a region from the table, and reports those that name no block. */
void forget_labels(Binder *b, Frame *f);
NameEntry *name_entry(Binder *b, Atom name);
/* Gives a name its value until the scope is closed. */
void enter_name(Binder *b, Atom name, Value *v);
/* Defines a value in the current scope; reports a redefinition. */
void define_value(Binder *b, Value *v, Span span);
/* Returns the current value of a name; NULL: not defined yet. */
static inline Value *lookup_name(const Binder *b, Atom name) {
    if (name >= b->nnames) return NULL;
    const NameEntry *e = &b->names[name];
    return e->epoch == b->epoch ? e->value : NULL;
}
/* Returns the value of a VALUE token; reports an undefined one and returns an error value. */
Value *use_other_value(Binder *b, const Token *t);
static inline Value *use_value(Binder *b, const Token *t) {
    Value *v = lookup_name(b, t->atom);
    return v != NULL && t->number == 0 ? v : use_other_value(b, t);
}
/* Makes a value of type `none` for something that was reported. */
Value *error_value(Binder *b, Atom name);
/* The place of a name with its `%`. */
static inline Span name_span(const Binder *b, Atom name, uint32_t off) {
    return (Span){off, (uint32_t)atom_len(&b->ctx->names, name) + 1};
}
/* Makes argument `index` of a block. */
static inline Value block_arg(const Token *name, const Type *type, unsigned index) {
    return (Value){.type = type,
                   .name = name->atom,
                   .name_off = name->off,
                   .argument = true,
                   .index = (uint16_t)index,
                   .npack = 1};
}
/* Defines the arguments of a block that have names. */
void define_block_args(Binder *b, const Block *block);
static inline bool is_error(const Value *v) {
    return v->type->kind == TY_NONE;
}
/* Returns the region that takes statements here: of the implicit function, outside of functions. */
Region *region_of_statements(Binder *b, Frame *f);
Block *label_block(Binder *b, Region *region, const Token *t);

/* ---- uses before the definition (bind_forward.c) ---- */
/* Makes a placeholder for a value that is not defined yet. */
Value *forward_value(Binder *b, const Token *t);
/* Gives a placeholder the type that the statement or the slot implies, unless it has one. */
void forward_give_type(Value *v, const Type *written);
static inline void forward_type(const Operand *o, const Type *written) {
    if (o->value != NULL && is_error(o->value)) forward_give_type(o->value, written);
}
void forward_slot(Binder *b, const Operand *o, SlotKind kind);
/* Resolves the placeholders of a name that was defined. */
void forward_defined(Binder *b, Value *v);
/* Replaces placeholders by their values and reports undefined names, at the end of a function or
 * of a module with its own statements. */
void forward_finish(Binder *b, Op *owner);
/* Counts the operands under `owner` that are this value. */
unsigned count_uses(Op *owner, const Value *v);

/* ---- operands of other types than their values (bind_mismatch.c) ---- */
/* Notes the diagnostic of a use that gives another type than the definition. */
void mismatch_note(Binder *b, const Value *v, const Type *written, Diag *d);
/* Notes the diagnostic of a use that needs type `wanted`; `place` is where the statement gives the
 * operand's own type, of length 0 if it does not. */
void mismatch_needed(Cursor *c, const Operand *o, const Type *wanted, Span place, Diag *d);
/* Notes the diagnostic of a constant that could not be read; `type` is the place of its type. */
void odd_constant_note(Binder *b, Atom name, bool is_float, Span type, Diag *d);
/* Notes that a statement uses a value that could not be read as `written`. */
void odd_constant_use(Binder *b, const Value *v, const Type *written);
/* Decides at the end of a function whether to correct the uses or the definition. */
void mismatch_finish(Binder *b, Op *owner);

/* ---- attributes (bind_attrs.c) ---- */
/* Returns the index in the row of the attribute with a name; -1: it has none. */
static inline int attr_named(const Context *ctx, const Op *op, Atom name) {
    return inst_attr_named(op->inst, atom_text(&ctx->names, name), atom_len(&ctx->names, name));
}
/* Reads a dictionary at DICT_OPEN; adds the entries to the attributes and checks them against the
 * row. */
void read_dict(Cursor *c, Op *op);
void add_attr(Cursor *c, Op *op, Atom name, Span span, const Attr *value);
/* Reads the value of an attribute that a format has in place. */
const Attr *read_in_place(Cursor *c, const AttrInfo *info);
/* Reads PTO-AS modifiers: `#cmp=gt` after the statement is its attribute `cmp`. */
void read_modifiers(Cursor *c, Op *op);

/* ---- operands and results (bind_operands.c) ---- */
bool read_operand(Cursor *c, Operand *out);
/* Reads a list of values, at most MOST_ARGUMENTS; `what` names them in the message of more. */
unsigned read_values(Cursor *c, Operand *out, const char *what);
bool at_literal(const Cursor *c);
/* Makes a constant before the statement from a literal operand. It has no name before the end of
 * the text. */
Value *literal_operand(Cursor *c, const Type *type);
/* Reads a value, or a literal whose type is read later: the operand has no value yet, and *literal
 * is 1 + the token; else it is 0. */
bool read_late_operand(Cursor *c, Operand *o, uint32_t *literal);
/* Makes the constant of such a literal if the type is a scalar; for other operands does nothing. */
void settle_literal(Cursor *c, Operand *o, uint32_t literal, const Type *type);
/* Names these constants: %c64, %c64_0 .., %cst. Those of forgotten bodies use up their names too,
 * so that names in messages do not depend on what was forgotten. */
void name_literals(Binder *b);
/* Checks an operand against its slot. */
void check_slot(Cursor *c, const Op *op, int slot, const Operand *o);
void check_other_type(Cursor *c, const Operand *o, const Type *written, Span span);
static inline void check_written_type(Cursor *c, const Operand *o, const Type *written, Span span) {
    if (o->value == NULL || o->value->type != written) check_other_type(c, o, written, span);
}
/* Sets the operands; segs[s] of them belong to slot s. */
void set_operands(Binder *b, Op *op, const Operand *flat, unsigned n, const uint16_t *segs);
/* Makes results with these types, named after the result list. Reports a wrong number. */
void set_results(Cursor *c, Op *op, const ResultNames *names, const Type *const *types, unsigned n);

/* ---- operands and types as written (bind_written.c) ---- */
enum { WRITTEN_FEW = 16 };

/* Operands as written, before slots are assigned. Literals have no type yet. */
typedef struct Written {
    Operand *ops;
    uint32_t *literal; /* for a literal its token + 1; 0 for a value */
    const Type **types;
    Span *spans; /* of the types */
    unsigned n, cap;
    unsigned ntypes;
    Operand indices[8]; /* of one operand */
    unsigned nindices;
    unsigned indexed; /* the operand with indices */
    struct {
        uint16_t operand;
        uint8_t slot;
    } clauses[8]; /* operands after a clause word */
    unsigned nclauses;
    bool saw_unless_word; /* the word of SlotRare.unless was read */
    Operand few_ops[WRITTEN_FEW];
    uint32_t few_literals[WRITTEN_FEW];
    const Type *few_types[WRITTEN_FEW + 8];
    Span few_spans[WRITTEN_FEW + 8];
} Written;

enum { MOST_SIGNATURE_RESULTS = 6 };
typedef struct Signature {
    const Type *results[MOST_SIGNATURE_RESULTS];
    Span result_spans[MOST_SIGNATURE_RESULTS];
    unsigned nresults;
    bool arrow;
} Signature;

void written_init(Written *w);
void written_grow(Cursor *c, Written *w);
/* Reads a list of values and literals; an operand may have `[indices]`. */
void read_written_operands(Cursor *c, Written *w);
void read_written_types(Cursor *c, Written *w);
/* Reads `: types [-> results]` if present. */
void read_signature(Cursor *c, Written *w, Signature *sig);

/* ---- an operand that was left out (bind_left_out.c) ---- */
/* Notes a group with one operand fewer than types; `needed`: the instruction takes more operands.
 */
void left_out_note(Cursor *c, const Op *op, const Written *w, bool needed, Diag *d);
/* Offers the missing operands at the end of a function. */
void left_out_finish(Binder *b, Op *owner);

/* ---- tile instructions (bind_tile.c) ---- */
/* The slots that a group of written operands may fill. */
typedef enum SlotGroup { GROUP_INS, GROUP_OUTS, GROUP_SSA } SlotGroup;

bool slot_takes(const SlotInfo *s, const Operand *o);
/* Counts the required slots of a group from `slot` on. */
unsigned needed_from(const Inst *inst, int slot, SlotGroup g);
/* Returns the least, and in *most the largest, number of operands without a word in a group. */
unsigned operand_range(const Inst *inst, SlotGroup g, unsigned *most);
/* Returns the slot of an operand after a clause word; -1 when operand `i` has no word. */
int clause_slot(const Written *w, unsigned i);
/* Turns the indices of `%t[%r, %c]` into operands if the row has no list of indices. */
void spread_indices(Cursor *c, const Op *op, Written *w);
/* Assigns operands to slots: those of ins(...) and outs(...), or of the SSA form (`outs` NULL). */
void place_operands(Cursor *c, Op *op, Written *ins, Written *outs);
/* Counts the destination slots that are results in the SSA forms; *least, unless NULL, excludes
 * optional ones. */
unsigned result_slots(const Inst *inst, unsigned *least);
/* Adds the results of Inst.results, whose types are in sig from `first` on; missing types are
 * inferred. Destination tiles precede them. */
void finish_results(Cursor *c, Op *op, const ResultNames *names, Signature *sig, unsigned first);

/* ---- the forms of tile instructions (bind_dps.c, bind_ssa.c) ---- */
void bind_dps(Cursor *c, Op *op, const ResultNames *names);
void bind_ssa(Cursor *c, Op *op, const ResultNames *names);
/* Returns the slot whose clause begins with the word at the cursor, or -1. */
int slot_of_word(const Cursor *c, const Op *op, bool trailing);
/* Reads `word = %x : T`, an operand after the others. */
void read_operand_clause(Cursor *c, Op *op, Written *w, int slot);

/* ---- statements, by form (bind_tile.c, bind_format.c, bind_generic.c, bind_custom.c) ---- */
void bind_tile(Cursor *c, Op *op, const ResultNames *names);
void bind_format(Cursor *c, Op *op, const ResultNames *names);
void bind_generic(Cursor *c, Op *op, const ResultNames *names);
void bind_custom(Cursor *c, Op *op, const ResultNames *names);
/* Opens region `index` of a FORM_CUSTOM operation: its block arguments and their names. */
void custom_region_open(Cursor *c, Op *op, unsigned index);
/* Reads `else`, `do` or `case` between regions; false when no region may follow. */
bool custom_region_next(Cursor *c, Op *op, unsigned index);
/* Reads the attributes after the last region and adds implied terminators. */
void custom_done(Cursor *c, Op *op);

/* ---- modules and functions (bind_func.c) ---- */
void bind_module(Cursor *c, Op *op);
void bind_func(Cursor *c, Op *op);
void bind_call(Cursor *c, Op *op, const ResultNames *names);
/* Opens the body of a function; its parameters need names. Without a region it is a declaration. */
void open_func_body(Cursor *c, Op *op);
/* Reads `[attributes] {..}`. */
void read_attributes(Cursor *c, Op *op);
/* Reads the types of the operands that a region gets as arguments: `: (T, U) -> ()`. */
void read_given_types(Cursor *c, const Op *op);

/* ---- control flow (bind_control.c) ---- */
/* Binds a statement of scf or cf, or a section; false for others. */
bool bind_control(Cursor *c, Op *op, const ResultNames *names);
/* Reads `^bb1[(args : types)]` and adds it to the operation. */
void read_successor(Cursor *c, Op *op);

/* ---- the generic form (bind_generic.c, bind_cases.c) ---- */
/* Binds the part of a generic operation after its regions: attributes and the function type. */
void bind_generic_tail(Cursor *c, Op *op);
/* Removes an attribute from an operation and returns it; NULL when there is none of this name. */
const Attr *take_attr(Op *op, AttrName name);
/* Convert what the generic form writes differently from the IR. The sizes that generic_switch
 * returns (NULL after a diagnostic) split the operands into flag, default and cases. */
const Attr *generic_switch(Cursor *c, Op *op, const Attr *sizes);
void generic_index_switch(Cursor *c, Op *op);
void generic_tassign(Cursor *c, Op *op);

#endif
