/* The main part of the binder: statements, regions, labels, aliases, the end of the file. */
#include "parser/bind_internal.h"

#include <stdlib.h>
#include <string.h>

static void take_trivia(Binder *b, uint32_t upto, Trivia **list, bool trailing);

Binder *binder_new(Context *ctx, TokenBuf *buf, const FunctionHook *hook) {
    Binder *b = ARENA_NEW(&ctx->arena, Binder);
    b->ctx = ctx;
    b->buf = buf;
    b->hook = hook;
    if (hook != NULL) arena_reserve(&ctx->arena, BODY_ROOM);
    Type none = {.kind = TY_NONE};
    b->error_type = type_intern(ctx->types, &none);
    b->module = ARENA_NEW(&ctx->arena, Module);
    b->module->ctx = ctx;
    Op *root = op_new(ctx, &inst_table[INST_MODULE], (Span){0, 0});
    ModuleData *data = ARENA_NEW(&ctx->arena, ModuleData);
    data->implicit = true;
    op_more(&ctx->arena, root)->extra = data;
    region_init(ctx, root, 1);
    block_new(ctx, op_regions(root));
    b->module->root = root;
    b->frames_cap = 16;
    b->frames = ARENA_ARRAY(&ctx->keep, Frame, b->frames_cap);
    b->frames[0] = (Frame){.op = root, .block = op_regions(root)[0].first};
    b->nframes = 1;
    return b;
}

static Frame *top(Binder *b) {
    return &b->frames[b->nframes - 1];
}

/* ---- trivia ---- */

/* Attaches a location inside a statement to the argument before it, as in `%a: T loc(..)`; other
 * locations are dropped. */
static void note_argument_location(Binder *b, const RawTrivia *raw) {
    Context *ctx = b->ctx;
    uint32_t i = raw->before;
    while (i > b->buf->base && token_at(b, i - 1)->kind != TOK_VALUE &&
           token_at(b, i - 1)->kind != TOK_COMMA && token_at(b, i - 1)->kind != TOK_LPAREN)
        i--;
    if (i == b->buf->base || token_at(b, i - 1)->kind != TOK_VALUE) return;
    if (ctx->nlocations == ctx->cap_locations) {
        uint32_t cap = ctx->cap_locations == 0 ? 16 : ctx->cap_locations * 2;
        ArgLocation *grown = ARENA_ARRAY(&ctx->arena, ArgLocation, cap);
        if (ctx->nlocations != 0) memcpy(grown, ctx->locations, ctx->nlocations * sizeof *grown);
        ctx->locations = grown;
        ctx->cap_locations = cap;
    }
    ctx->locations[ctx->nlocations++] = (ArgLocation){token_at(b, i - 1)->off, raw->text};
}

/* Moves trivia before token `upto` to a list; with `trailing` only those on the line of the
 * preceding token. */
static void take_trivia(Binder *b, uint32_t upto, Trivia **list, bool trailing) {
    TokenBuf *buf = b->buf;
    while (*list != NULL)
        list = &(*list)->next;
    while (buf->ntaken < buf->ntrivia && buf->trivia[buf->ntaken].before <= upto) {
        const RawTrivia *raw = &buf->trivia[buf->ntaken];
        bool location = raw->kind == TRIVIA_LOCATION;
        if (trailing && raw->kind != TRIVIA_TRAILING && !location) return;
        if (location && !trailing) {
            note_argument_location(b, raw);
            buf->ntaken++;
            continue;
        }
        Trivia *t = ARENA_NEW(&b->ctx->arena, Trivia);
        t->text = raw->text;
        t->kind = trailing || raw->kind == TRIVIA_BLANK ? raw->kind : TRIVIA_COMMENT;
        *list = t;
        list = &t->next;
        buf->ntaken++;
    }
}

/* Takes trailing comments, which are stored with the token after the statement, whether or not it
 * has been read. */
static void take_comments(Binder *b, uint32_t last, Trivia **list) {
    TokenBuf *buf = b->buf;
    if (buf->ntaken < buf->ntrivia && buf->trivia[buf->ntaken].before == last + 1)
        take_trivia(b, last + 1, list, true);
}

/* ---- names ---- */

static NameEntry *name_entry(Binder *b, Atom name) {
    if (name >= b->nnames) {
        uint32_t n = b->nnames == 0 ? 4096 : b->nnames * 2;
        while (n <= name)
            n *= 2;
        NameEntry *grown = ARENA_ARRAY(&b->ctx->keep, NameEntry, n);
        if (b->nnames != 0) memcpy(grown, b->names, b->nnames * sizeof *grown);
        b->names = grown;
        b->nnames = n;
    }
    return &b->names[name];
}

static void enter_name(Binder *b, Atom name, Value *v) {
    NameEntry *e = name_entry(b, name);
    if (b->nundo == b->undo_cap) {
        uint32_t cap = b->undo_cap == 0 ? 256 : b->undo_cap * 2;
        UndoEntry *grown = ARENA_ARRAY(&b->ctx->keep, UndoEntry, cap);
        if (b->nundo != 0) memcpy(grown, b->undo, b->nundo * sizeof *grown);
        b->undo = grown;
        b->undo_cap = cap;
    }
    b->undo[b->nundo++] = (UndoEntry){name, *e};
    *e = (NameEntry){v, b->epoch};
}

Value *error_value(Binder *b, Atom name) {
    Value *v = ARENA_NEW(&b->ctx->arena, Value);
    v->type = b->error_type;
    v->name = name;
    v->npack = 1;
    return v;
}

void define_value(Binder *b, Value *v, Span span) {
    Value *old = lookup_name(b, v->name);
    if (old != NULL && !is_error(old)) {
        Diag *d =
            diag_add(&b->ctx->diags, DIAG_REDEFINITION, span, "redefinition of %%%.*s",
                     (int)atom_len(&b->ctx->names, v->name), atom_text(&b->ctx->names, v->name));
        diag_note_at(&b->ctx->diags, d,
                     (Span){old->name_off, (uint32_t)atom_len(&b->ctx->names, old->name) + 1},
                     "first defined here");
        return;
    }
    enter_name(b, v->name, v);
    forward_defined(b, v);
}

Value *use_other_value(Binder *b, const Token *t) {
    Value *v = lookup_name(b, t->atom);
    const Interner *names = &b->ctx->names;
    if (v == NULL) return forward_value(b, t);
    if (t->number != 0) {
        if (is_error(v)) return v;
        if (t->number >= v->npack) {
            diag_add(&b->ctx->diags, DIAG_UNDEFINED_VALUE, token_span(t),
                     "%%%.*s names %u value%s, there is no #%u", (int)atom_len(names, t->atom),
                     atom_text(names, t->atom), v->npack, v->npack == 1 ? "" : "s", t->number);
            return error_value(b, t->atom);
        }
        return v + t->number;
    }
    return v;
}

/* ---- regions ---- */

static void push_frame(Binder *b, Op *op, unsigned region, bool lost) {
    if (b->nframes == b->frames_cap) {
        Frame *grown = ARENA_ARRAY(&b->ctx->keep, Frame, (size_t)b->frames_cap * 2);
        memcpy(grown, b->frames, b->nframes * sizeof *grown);
        b->frames = grown;
        b->frames_cap *= 2;
    }
    if (op_regions(op)[region].first == NULL) block_new(b->ctx, &op_regions(op)[region]);
    b->frames[b->nframes++] = (Frame){.op = op,
                                      .region = region,
                                      .block = op_regions(op)[region].first,
                                      .undo = b->nundo,
                                      .epoch = b->epoch,
                                      .lost = lost};
    if (op->inst->flags & IF_ISOLATED) b->epoch = ++b->last_epoch;
}

/* Removes the labels of a region from the table. */
static void forget_labels(Binder *b, Frame *f) {
    for (LabelEntry *e = f->labels; e != NULL; e = e->next_in_region) {
        b->labels[e->block->label] = e->next; /* the newest of its name */
        if (!e->placed && !f->lost)
            diag_add(&b->ctx->diags, DIAG_UNDEFINED_BLOCK, e->use,
                     "the region has no block with the label ^%.*s",
                     (int)atom_len(&b->ctx->names, e->block->label),
                     atom_text(&b->ctx->names, e->block->label));
    }
}

/* Completes an implicit function (NULL: none) at the end of its module: its type, which includes
 * all arguments, and the optional return. */
static void finish_implicit_function(Binder *b, Op *func) {
    Arena *arena = &b->ctx->arena;
    if (func == NULL) return;
    FuncData *data = func_data(func);
    const Block *entry = op_regions(func)[0].first;
    const Type **types = ARENA_ARRAY(arena, const Type *, entry->nargs);
    for (uint32_t i = 0; i < entry->nargs; i++)
        types[i] = entry->args[i].type;
    data->type = type_function(b->ctx->types, types, entry->nargs, NULL, 0);
    data->param_attrs = ARENA_ARRAY(arena, const NamedAttr *, entry->nargs);
    data->nparam_attrs = ARENA_ARRAY(arena, uint32_t, entry->nargs);
    Block *block = op_regions(func)[0].last;
    if (block->last != NULL && (block->last->inst->flags & IF_TERMINATOR)) return;
    Op *ret = op_new(b->ctx, &inst_table[INST_RETURN], (Span){0, 0});
    ret->segs = ARENA_ARRAY(arena, uint16_t, 1);
    op_append(block, ret);
}

static void pop_frame(Binder *b) {
    Frame *f = top(b);
    finish_implicit_function(b, f->implicit);
    if (f->op->inst->flags & IF_ISOLATED) {
        forward_finish(b, f->op);
        mismatch_finish(b, f->op);
        left_out_finish(b, f->op);
    }
    forget_labels(b, f);
    while (b->nundo > f->undo) {
        const UndoEntry *u = &b->undo[--b->nundo];
        b->names[u->name] = u->old;
    }
    b->epoch = f->epoch;
    b->nframes--;
}

static LabelEntry *label_entry(Binder *b, Frame *f, Atom label) {
    if (label >= b->nlabels) {
        uint32_t n = b->nlabels == 0 ? 4096 : b->nlabels * 2;
        while (n <= label)
            n *= 2;
        LabelEntry **grown = ARENA_ARRAY(&b->ctx->keep, LabelEntry *, n);
        if (b->nlabels != 0) memcpy(grown, b->labels, b->nlabels * sizeof *grown);
        b->labels = grown;
        b->nlabels = n;
    }
    Region *region = &op_regions(f->op)[f->region];
    /* The newest region comes first, so an entry of the open region is found at once. */
    for (LabelEntry *e = b->labels[label]; e != NULL; e = e->next)
        if (e->region == region) return e;
    LabelEntry *e = ARENA_NEW(&b->ctx->arena, LabelEntry);
    e->region = region;
    e->next = b->labels[label];
    b->labels[label] = e;
    e->next_in_region = f->labels;
    f->labels = e;
    return e;
}

Block *label_block(Binder *b, Region *region, const Token *t) {
    LabelEntry *e = label_entry(b, top(b), t->atom);
    if (e->block == NULL) {
        e->block = ARENA_NEW(&b->ctx->arena, Block);
        e->block->region = region;
        e->block->label = t->atom;
        e->use = token_span(t);
    }
    return e->block;
}

/* Reads the arguments of a label: `(%a: T, %b: U)`. */
static void read_block_args(Cursor *c, Block *block) {
    Value *args = NULL;
    uint32_t n = 0, cap = 0;
    if (!accept(c, TOK_LPAREN)) return;
    while (peek(c) == TOK_VALUE && !c->failed) {
        const Token *name = token_at(c->b, c->pos++);
        expect(c, TOK_COLON);
        const Type *type = read_type(c);
        skip_location(c);
        if (type == NULL) return;
        if (n == cap) {
            Value *grown = block_args_new(&c->b->ctx->arena, block, (size_t)cap * 2 + 4);
            if (n != 0) memcpy(grown, args, n * sizeof *grown);
            args = grown;
            cap = cap * 2 + 4;
        }
        args[n] = (Value){.type = type,
                          .name = name->atom,
                          .name_off = name->off,
                          .argument = true,
                          .index = (uint16_t)n,
                          .npack = 1};
        n++;
        if (!accept(c, TOK_COMMA)) break;
    }
    expect(c, TOK_RPAREN);
    block->args = args;
    block->nargs = n;
}

static void define_block_args(Binder *b, Block *block) {
    for (uint32_t i = 0; i < block->nargs; i++)
        if (block->args[i].name != 0)
            define_value(b, &block->args[i],
                         (Span){block->args[i].name_off,
                                (uint32_t)atom_len(&b->ctx->names, block->args[i].name) + 1});
}

static void link_block(Region *region, Block *block) {
    region->last->next = block;
    region->last = block;
}

void bind_label(Binder *b, uint32_t first, uint32_t last) {
    Frame *f = top(b);
    const Token *t = token_at(b, first);
    Cursor c = {.b = b, .pos = first + 1, .end = last + 1, .start = UINT32_MAX};
    Region *region = &op_regions(f->op)[f->region];
    LabelEntry *e = label_entry(b, f, t->atom);
    if (e->placed) {
        diag_add(&b->ctx->diags, DIAG_REDEFINITION, token_span(t), "redefinition of block ^%.*s",
                 (int)atom_len(&b->ctx->names, t->atom), atom_text(&b->ctx->names, t->atom));
        return;
    }
    Block *block = label_block(b, region, t);
    e->placed = true;
    block->span = token_span(t);
    bool is_entry = !f->started && region->last == region->first && region->first->label == 0;
    if (is_entry && region->first->nargs == 0) {
        /* The first label names the entry block; forward references already point to `block`. */
        region->first = region->last = block;
    } else if (is_entry) {
        diag_add(&b->ctx->diags, DIAG_SYNTAX, token_span(t),
                 "the statement defines the arguments of the entry block, which takes no label");
        return;
    } else {
        link_block(region, block);
    }
    f->block = block;
    f->started = true;
    take_trivia(b, last, &block->trivia, false);
    take_comments(b, last, &block->trivia);
    if (block->nargs == 0) read_block_args(&c, block);
    if (!c.failed) accept(&c, TOK_COLON);
    define_block_args(b, block);
}

/* ---- statements ---- */

static ResultNames read_result_names(Cursor *c) {
    ResultNames r = {c->pos, c->pos, 0};
    if (peek(c) != TOK_RESULT) {
        r.first = 1;
        r.last = 0;
        return r;
    }
    while (peek(c) == TOK_RESULT) {
        r.count += token_at(c->b, c->pos)->number;
        r.last = c->pos++;
        if (!accept(c, TOK_COMMA)) break;
    }
    expect(c, TOK_EQUAL);
    return r;
}

/* Defines the results of a dropped statement, so that their uses are not reported too. */
static void define_lost_results(Binder *b, uint32_t first, uint32_t last) {
    bool func = false;
    for (uint32_t i = first; i <= last; i++) {
        const Token *t = token_at(b, i);
        func |= t->kind == TOK_OP && t->atom < b->ctx->ninst_atoms &&
                b->ctx->inst_by_atom[t->atom] == &inst_table[INST_FUNC];
        bool param =
            func && t->kind == TOK_VALUE && i < last && token_at(b, i + 1)->kind == TOK_COLON;
        if ((t->kind == TOK_RESULT || param) && lookup_name(b, t->atom) == NULL) {
            Value *v = error_value(b, t->atom);
            enter_name(b, t->atom, v);
            forward_defined(b, v);
        }
    }
    b->module->lost_function |= func;
}

/* Looks up the values that a dropped statement names, so that undefined ones are reported beside
 * the error that dropped it. A statement of its own form or with a region may define some. */
static void use_lost_operands(Binder *b, const Inst *inst, uint32_t first, uint32_t end) {
    if (inst != NULL && inst->form == FORM_CUSTOM) return;
    for (uint32_t i = first; i < end; i++)
        if (token_at(b, i)->kind == TOK_VALUE) use_value(b, token_at(b, i));
}

static void report_vector_level(Binder *b, const Token *name) {
    if (b->vector_level_epoch == b->epoch + 1) return;
    b->vector_level_epoch = b->epoch + 1;
    diag_add(&b->ctx->diags, DIAG_VECTOR_LEVEL, token_span(name),
             "vector level is not supported: '%.*s' is a micro-instruction, not a tile instruction",
             (int)atom_len(&b->ctx->names, name->atom), atom_text(&b->ctx->names, name->atom));
}

static void report_unknown(Cursor *c, const Token *name) {
    const Interner *names = &c->b->ctx->names;
    const char *text = atom_text(names, name->atom);
    size_t len = atom_len(names, name->atom);
    c->failed = true;
    if (inst_is_vector_level(text, len)) {
        report_vector_level(c->b, name);
        return;
    }
    Diag *d = diag_add(&c->b->ctx->diags, DIAG_UNKNOWN_OP, token_span(name),
                       "unknown instruction '%.*s'", (int)len, text);
    suggest_instruction(c->b->ctx, d, name);
}

/* Finds the instruction of a name with suffixes, such as `mgather.row.clamp`. */
static const Inst *find_suffixed(const Context *ctx, const Token *name) {
    const char *text = atom_text(&ctx->names, name->atom);
    for (size_t n = atom_len(&ctx->names, name->atom); n-- > 1;) {
        if (text[n] != '.') continue;
        const Inst *inst = inst_find(text, n);
        if (inst != NULL && inst->suffixes != NULL) return inst;
    }
    return NULL;
}

static const Inst *find_inst(Cursor *c, const Token *name) {
    const Context *ctx = c->b->ctx;
    const Inst *inst = name->atom < ctx->ninst_atoms ? ctx->inst_by_atom[name->atom] : NULL;
    if (inst == NULL) inst = find_suffixed(ctx, name);
    if (inst == NULL) report_unknown(c, name);
    return inst;
}

/* Returns the attribute of Inst.suffixes that has this word among its values and is not set yet;
 * -1: none. *value is the index of the word. */
static int suffix_attr(const Context *ctx, const Op *op, const char *word, size_t n, int *value) {
    static const char atomic[] = "atomic_";
    for (const char *s = op->inst->suffixes; *s != '\0';) {
        size_t len = strcspn(s, " ");
        int attr = inst_attr(op->inst, s, len);
        EnumFamily family = (EnumFamily)op->inst->attrs[attr].family;
        *value = enum_value_find(family, word, n);
        if (*value < 0 && family == EF_SCATTER_ATOMIC_OP && n > strlen(atomic) &&
            memcmp(word, atomic, strlen(atomic)) == 0)
            *value = enum_value_find(family, word + strlen(atomic), n - strlen(atomic));
        if (*value >= 0 && op_attr(ctx, op, attr) == NULL) return attr;
        s += len + (s[len] == ' ');
    }
    return -1;
}

static DIAG_COLD void read_suffixes(Cursor *c, Op *op, const Token *name, const char *s) {
    Context *ctx = c->b->ctx;
    const char *text = atom_text(&ctx->names, name->atom);
    const char *end = text + atom_len(&ctx->names, name->atom);
    while (s < end && !c->failed) {
        const char *dot = ++s < end ? memchr(s, '.', (size_t)(end - s)) : NULL;
        size_t n = (size_t)((dot != NULL ? dot : end) - s);
        const Span span = {name->off + (uint32_t)(s - text), (uint32_t)n};
        int value, attr = suffix_attr(ctx, op, s, n, &value);
        if (attr < 0) {
            fail(c, DIAG_UNKNOWN_OP, span, "'%s' has no suffix '%.*s'", op->inst->name,
                 (int)(n > 60 ? 60 : n), s);
            return;
        }
        const AttrInfo *info = &op->inst->attrs[attr];
        Attr *a = ARENA_NEW(&ctx->arena, Attr);
        *a = (Attr){.kind = ATTR_ENUM, .family = info->family, .i = value, .span = span};
        add_attr(c, op, intern(&ctx->names, info->name, strlen(info->name)), span, a);
        s += n;
    }
}

/* Returns the suffixes of an instruction's name; NULL when it has none. */
static const char *suffix_of(const Context *ctx, const Inst *inst, const Token *name) {
    if (inst->suffixes == NULL) return NULL;
    const char *text = atom_text(&ctx->names, name->atom);
    size_t n = atom_len(&ctx->names, name->atom), dialect = strlen("pto.");
    size_t base = strlen(inst->name);
    if (n < base || memcmp(text, inst->name, base) != 0) base -= dialect;
    return n > base ? text + base : NULL;
}

/* Returns the row of a spelling. The vendor's assembler accepts neither alternative spellings nor
 * names without the dialect. */
static const Inst *resolve_spelling(Cursor *c, const Inst *inst, const Token *name, bool dialect) {
    Context *ctx = c->b->ctx;
    if (inst->alias_of == NULL) return inst;
    const Inst *meant =
        ctx->inst_by_atom[intern(&ctx->names, inst->alias_of, strlen(inst->alias_of))];
    if ((inst->flags & IF_DEPRECATED) != 0)
        diag_add(&ctx->diags, DIAG_DEPRECATED_SPELLING, token_span(name), "'%s' is now '%s'",
                 inst->name, meant->name);
    else if (dialect && (meant->flags & IF_NOT_PTOAS) == 0)
        diag_add(&ctx->diags, DIAG_PTOAS_COMPAT, token_span(name),
                 "'%s' is another spelling of '%s'; PTOAS 0.60 accepts only the latter", inst->name,
                 meant->name);
    return meant;
}

/* Returns the function that statements outside of functions form, one per module (PTO-AS). */
static Op *implicit_function(Binder *b, Frame *module) {
    if (module->implicit != NULL) return module->implicit;
    Context *ctx = b->ctx;
    Op *op = op_new(ctx, &inst_table[INST_FUNC], (Span){0, 0});
    FuncData *f = ARENA_NEW(&ctx->arena, FuncData);
    f->name = intern(&ctx->names, "main", 4);
    f->type = type_function(ctx->types, NULL, 0, NULL, 0);
    f->has_body = f->implicit = true;
    op_more(&ctx->arena, op)->extra = f;
    region_init(ctx, op, 1);
    block_new(ctx, op_regions(op));
    op_append(module->block, op);
    module->implicit = op;
    return op;
}

void append_op(Binder *b, Op *op) {
    Frame *f = top(b);
    op_note_signs(&b->module->signs, op);
    bool structural = op_is(op, INST_FUNC) || op_is(op, INST_MODULE);
    if (op_is(f->op, INST_MODULE) && !structural) {
        op_append(op_regions(implicit_function(b, f))[0].last, op);
        return;
    }
    op_append(f->block, op);
}

/* True for the PTO-AS form of an instruction whose other form has parentheses. */
static bool is_bare(Cursor *c, Op *op) {
    if ((op->inst->flags & IF_BARE_FORM) == 0 || peek(c) == TOK_LPAREN) return false;
    op->form = OPF_AS;
    return true;
}

static void bind_body(Cursor *c, Op *op, const ResultNames *names, TokenKind name_kind) {
    if (name_kind == TOK_QUOTED_OP)
        bind_generic(c, op, names);
    else if ((c->inst = op->inst)->form == FORM_TILE || is_bare(c, op))
        bind_tile(c, op, names);
    else if (op->inst->form == FORM_FORMAT)
        bind_format(c, op, names);
    else
        bind_custom(c, op, names);
}

/* Notes the instruction in the diagnostics of its statement, which begins at `start`. */
static DIAG_COLD void note_statement(Diag *d, const Inst *inst, const Op *op, uint32_t start) {
    for (; d != NULL && inst != NULL; d = d->next)
        if (d->inst == 0 && d->span.off >= start) {
            d->inst = (uint16_t)inst_id(inst);
            d->form = op != NULL ? op->form : OPF_DPS;
        }
}

/* Binds tokens [first, end). NULL when the statement is dropped; its results are defined anyway. */
static Op *bind_header(Binder *b, uint32_t first, uint32_t end, bool opens_region) {
    Cursor c = {.b = b, .pos = first, .end = end, .start = token_at(b, first)->off};
    Context *ctx = b->ctx;
    Trivia *trivia = NULL;
    Diag *const *before = ctx->diags.last;
    top(b)->started = true;
    if (b->buf->ntaken < b->buf->ntrivia)
        take_trivia(b, end > first ? end - 1 : first, &trivia, false);
    ResultNames names = read_result_names(&c);
    Op *op = NULL;
    const Inst *inst = NULL;
    if (!c.failed && (peek(&c) == TOK_OP || peek(&c) == TOK_QUOTED_OP)) {
        const Token *name = token_at(b, c.pos++);
        inst = find_inst(&c, name);
        if (inst != NULL) {
            const Token *last = token_at(b, end - 1);
            /* A PTO-AS name is shorter than the row's, as it lacks the dialect. */
            const char *suffix = suffix_of(ctx, inst, name);
            size_t len = suffix != NULL ? (size_t)(suffix - atom_text(&ctx->names, name->atom))
                                        : atom_len(&ctx->names, name->atom);
            bool dialect = inst->name[len] == '\0';
            inst = resolve_spelling(&c, inst, name, dialect);
            op = op_new(ctx, inst, (Span){token_at(b, first)->off, 0});
            op->span.len = last->off + last->len - op->span.off;
            op->name_span = token_span(name);
            op->form = name->kind == TOK_QUOTED_OP ? OPF_GENERIC : dialect ? OPF_SSA : OPF_AS;
            if (trivia != NULL) op_more(&ctx->arena, op)->trivia = trivia;
            if (suffix != NULL) read_suffixes(&c, op, name, suffix);
            bind_body(&c, op, &names, (TokenKind)name->kind);
            read_modifiers(&c, op);
        }
    } else if (!c.failed) {
        fail_expected(&c, "an instruction");
    }
    if (!c.failed) expect_end(&c);
    if (c.failed || c.nwrong > 0 || op == NULL) {
        note_statement(*before, inst, op, c.start);
        if (c.nwrong > 0) name_wrong_operands(&c, op);
        define_lost_results(b, first, end - 1);
        if (!opens_region) use_lost_operands(b, inst, first, end);
        return NULL;
    }
    return op;
}

static void take_trailing(Binder *b, Op *op, uint32_t last) {
    Trivia *list = op_trivia(op);
    take_comments(b, last, &list);
    if (list != NULL) op_more(&b->ctx->arena, op)->trivia = list;
}

void bind_statement(Binder *b, uint32_t first, uint32_t last) {
    Op *op = bind_header(b, first, last + 1, false);
    if (op == NULL) return;
    if (op_is(op, INST_FUNC)) { /* a declaration keeps only its parameter names */
        op->nregions = 0;
    } else if (op->nregions > 0) {
        const Token *t = token_at(b, last);
        diag_add(&b->ctx->diags, DIAG_SYNTAX, (Span){t->off + t->len, 1},
                 "expected '{' and the region of '%s'", op->inst->name);
        return;
    }
    append_op(b, op);
    take_trailing(b, op, last);
}

/* Makes an operation that carries the region of a dropped statement. */
static Op *dropped_op(Binder *b, unsigned nregions) {
    Op *op = op_new(b->ctx, &inst_table[INST_SCF_EXECUTE_REGION], (Span){0, 0});
    region_init(b->ctx, op, nregions);
    return op;
}

static bool too_deep(Binder *b, uint32_t open) {
    if (b->nframes <= MAX_REGION_DEPTH) return false;
    if (b->nframes == MAX_REGION_DEPTH + 1)
        diag_add(&b->ctx->diags, DIAG_NESTING, token_span(token_at(b, open)),
                 "regions are nested more than %d deep", MAX_REGION_DEPTH);
    return true;
}

/* ---- functions that a hook inspects ---- */

static void note_body_start(Binder *b, Op *op) {
    Context *ctx = b->ctx;
    const Frame *around = &b->frames[b->nframes - 2];
    if (op_is(op, INST_FUNC) && op->form != OPF_GENERIC && op_is(around->op, INST_MODULE))
        b->body = (BodyStart){.func = op,
                              .mark = arena_mark(&ctx->arena),
                              .attrs = op->attrs,
                              .trivia = op_trivia(op),
                              .diag = ctx->diags.last,
                              .alias = ctx->last_alias,
                              .nlocations = ctx->nlocations,
                              .nliterals = b->nliterals,
                              .lost_function = b->module->lost_function};
}

/* True when everything created since the body began belongs to the body. */
static bool body_is_all(const Binder *b, const Op *op) {
    const Context *ctx = b->ctx;
    const BodyStart *s = &b->body;
    return s->func == op && s->attrs == op->attrs && s->trivia == op_trivia(op) &&
           s->diag == ctx->diags.last && s->alias == ctx->last_alias && !ctx->diags.stopped &&
           s->nlocations == ctx->nlocations && s->lost_function == b->module->lost_function;
}

static void function_read(Binder *b, Op *op) {
    bool all = body_is_all(b, op);
    b->body.func = NULL;
    if (!all || *b->hook->stop || !b->hook->read(b->hook->user, b->module, op)) return;
    Region *r = op_regions(op);
    r->last = r->first;
    r->tail = NULL;
    r->first->first = r->first->last = NULL;
    r->first->next = NULL;
    op->nregions = 0;
    func_data(op)->forgotten = true;
    b->ctx->forgotten.n++;
    for (uint32_t i = b->body.nliterals; i < b->nliterals; i++)
        b->literals[i].value = NULL;
    arena_rewind(&b->ctx->arena, b->body.mark);
}

void bind_region_open(Binder *b, uint32_t first, uint32_t open) {
    Frame *f = top(b);
    bool deep = too_deep(b, open);
    Op *op = deep || first >= open ? NULL : bind_header(b, first, open, true);
    bool lost = op == NULL;
    if (!lost && op->inst->nregions == 0) {
        diag_add(&b->ctx->diags, DIAG_SYNTAX, token_span(token_at(b, open)), "'%s' has no region",
                 op->inst->name);
        lost = true;
    }
    if (lost) {
        op = dropped_op(b, 1);
    } else if (f->lost) {
        lost = true;
    } else {
        append_op(b, op);
    }
    push_frame(b, op, 0, lost);
    op_regions(op)[0].open = token_span(token_at(b, open));
    if (op->inst->form == FORM_CUSTOM && op->nregions > 0) {
        Cursor c = {.b = b, .pos = first, .end = open, .start = UINT32_MAX};
        custom_region_open(&c, op, 0);
    }
    if (deep) return;
    if (first < open && lost)
        define_lost_results(b, first, open - 1); /* loop variables, iter_args */
    take_trailing(b, op, open);
    if (b->hook != NULL && !lost) note_body_start(b, op);
}

void bind_region_close(Binder *b, uint32_t close) {
    Frame *f = top(b);
    if (b->nframes <= 1) return;
    Region *r = &op_regions(f->op)[f->region];
    r->close = token_span(token_at(b, close));
    take_trivia(b, close, &r->tail, false);
    b->pending = f->op;
    b->pending_lost = f->lost;
    pop_frame(b);
    take_comments(b, close, &r->tail);
}

void bind_region_more(Binder *b, uint32_t first, uint32_t last, uint32_t open) {
    Op *op = b->pending;
    bool lost = b->pending_lost;
    unsigned index = 1;
    while (op->inst->form == FORM_CUSTOM && index < op->nregions &&
           op_regions(op)[index].open.len != 0)
        index++;
    Cursor c = {.b = b, .pos = first, .end = open != 0 ? open : last + 1, .start = UINT32_MAX};
    if (!lost && open == 0) {
        custom_done(&c, op);
        b->pending_lost = true; /* bind_region_done has nothing left to read */
        if (op->nregions > 0)
            take_comments(b, last, &op_regions(op)[op->nregions - 1].tail);
        else
            take_trailing(b, op, last);
        return;
    }
    if (open == 0) return;
    if (too_deep(b, open)) lost = true;
    if (!lost && !custom_region_next(&c, op, index)) lost = true;
    if (lost) {
        op = dropped_op(b, 1);
        index = 0;
    }
    push_frame(b, op, index, lost);
    op_regions(op)[index].open = token_span(token_at(b, open));
    if (!lost) custom_region_open(&c, op, index);
    take_trivia(b, open, &op_regions(op)[index].tail, false);
    Trivia *opening = NULL;
    take_comments(b, open, &opening);
    for (Trivia *t = opening; t != NULL; t = t->next)
        t->kind = TRIVIA_OPENING;
    Trivia **list = &op_regions(op)[index].tail;
    while (*list != NULL)
        list = &(*list)->next;
    *list = opening;
}

void bind_region_done(Binder *b) {
    if (b->pending == NULL) return;
    if (!b->pending_lost) {
        Cursor c = {.b = b, .pos = 0, .end = 0, .start = UINT32_MAX};
        custom_done(&c, b->pending);
        if (b->hook != NULL && op_is(b->pending, INST_FUNC)) function_read(b, b->pending);
    }
    b->pending = NULL;
}

void bind_skipped(Binder *b, uint32_t first, uint32_t last) {
    define_lost_results(b, first, last);
    /* Comments inside a skipped statement are dropped. */
    Trivia *dropped = NULL;
    take_trivia(b, last, &dropped, false);
}

/* ---- aliases and PTO-AS directives ---- */

void bind_alias(Binder *b, uint32_t first, uint32_t last) {
    Context *ctx = b->ctx;
    Cursor c = {.b = b, .pos = first + 2, .end = last + 1, .start = UINT32_MAX};
    const Token *name = token_at(b, first);
    AliasDef *def = ARENA_NEW(&ctx->arena, AliasDef);
    const char *text = atom_text(&ctx->names, name->atom);
    size_t len = atom_len(&ctx->names, name->atom);
    if (len > 0 && (text[0] == '!' || text[0] == '#')) {
        text++;
        len--;
    }
    def->name = intern(&ctx->names, text, len);
    def->span = token_span(name);
    def->is_type = name->kind == TOK_TYPE_ALIAS;
    take_trivia(b, last, &def->trivia, false);
    if (memchr(text, '.', len) != NULL) {
        fail(&c, DIAG_SYNTAX, def->span, "an alias name has no '.'");
        return;
    }
    AliasDef *old = alias_find(ctx, def->name, def->is_type);
    if (old != NULL) {
        Diag *d =
            fail(&c, DIAG_REDEFINITION, def->span, "redefinition of alias '%.*s'", (int)len, text);
        diag_note_at(&ctx->diags, d, old->span, "first defined here");
        return;
    }
    if (def->is_type) {
        const Type *type = read_type(&c);
        def->type = type != NULL ? type : b->error_type;
    } else {
        def->attr = read_attr(b, &c.pos, c.end);
        c.failed = def->attr == NULL;
    }
    if (!c.failed) expect_end(&c);
    if (def->attr == NULL && !def->is_type) return;
    alias_add(ctx, def);
}

enum { FIRST_ARGS = 16, MOST_ARGS = UINT16_MAX }; /* Value.index */

/* Grows the arrays of an implicit function's arguments. Values are used by address; here only
 * names refer to them, because every '.arg' precedes the first statement. */
static void make_room(Binder *b, Op *func) {
    Block *entry = op_regions(func)[0].first;
    FuncData *data = func_data(func);
    uint32_t n = entry->nargs;
    if (n != 0 && (n < FIRST_ARGS || (n & (n - 1)) != 0)) return;
    uint32_t cap = n == 0 ? FIRST_ARGS : 2 * n;
    Value *args = block_args_new(&b->ctx->arena, entry, cap);
    Trivia **trivia = ARENA_ARRAY(&b->ctx->arena, Trivia *, cap);
    for (uint32_t i = 0; i < n; i++) {
        args[i] = entry->args[i];
        trivia[i] = data->arg_trivia[i];
        NameEntry *e = name_entry(b, args[i].name);
        if (e->value == &entry->args[i]) e->value = &args[i];
    }
    entry->args = args;
    data->arg_trivia = trivia;
}

void bind_arg(Binder *b, uint32_t first, uint32_t last) {
    Cursor c = {.b = b, .pos = first + 1, .end = last + 1, .start = UINT32_MAX};
    Frame *f = top(b);
    const Token *name = token_at(b, c.pos++);
    expect(&c, TOK_COLON);
    const Type *type = c.failed ? NULL : read_type(&c);
    if (!c.failed) expect_end(&c);
    if (!op_is(f->op, INST_MODULE)) {
        fail(&c, DIAG_SYNTAX, token_span(token_at(b, first)),
             "'.arg' belongs outside of functions");
        return;
    }
    Op *func = implicit_function(b, f);
    FuncData *data = func_data(func);
    if (op_regions(func)[0].first->first != NULL && !c.failed)
        fail(&c, DIAG_SYNTAX, token_span(token_at(b, first)),
             "'.arg' belongs before the first instruction");
    if (c.failed || type == NULL) type = b->error_type;
    Block *entry = op_regions(func)[0].first;
    uint32_t n = entry->nargs;
    if (n == MOST_ARGS) {
        fail(&c, DIAG_OPERAND_COUNT, token_span(name), "more than %d '.arg' lines", MOST_ARGS);
        return;
    }
    make_room(b, func);
    entry->args[n] = (Value){.type = type,
                             .name = name->atom,
                             .name_off = name->off,
                             .argument = true,
                             .index = (uint16_t)n,
                             .npack = 1};
    entry->nargs = n + 1;
    define_value(b, &entry->args[n], token_span(name));
    take_trivia(b, last, &data->arg_trivia[n], false);
    take_comments(b, last, &data->arg_trivia[n]);
}

/* Binds `.const %x = 4 : i32`, the PTO-AS spelling of arith.constant. */
void bind_const(Binder *b, uint32_t first, uint32_t last) {
    Context *ctx = b->ctx;
    Cursor c = {.b = b, .pos = first + 1, .end = last + 1, .start = UINT32_MAX};
    Op *op = op_new(ctx, &inst_table[INST_CONSTANT], (Span){token_at(b, first)->off, 0});
    const Token *end = token_at(b, last);
    op->span.len = end->off + end->len - op->span.off;
    op->name_span = token_span(token_at(b, first));
    op->form = OPF_AS;
    take_trivia(b, last, &op_more(&ctx->arena, op)->trivia, false);
    ResultNames names = read_result_names(&c);
    if (!c.failed) bind_custom(&c, op, &names);
    if (!c.failed) expect_end(&c);
    if (c.failed) {
        define_lost_results(b, first, last);
        return;
    }
    append_op(b, op);
    take_trailing(b, op, last);
}

/* ---- the end ---- */

/* Names the constants of literal operands: %c64, %c64_0 .., %cst. Those of forgotten bodies use up
 * their names too, so that names in messages do not depend on what was forgotten. */
static void name_literals(Binder *b) {
    Context *ctx = b->ctx;
    for (uint32_t i = 0; i < b->nliterals; i++) {
        const Literal *l = &b->literals[i];
        const char *stem =
            l->number < 0 ? "cst" : arena_printf(&ctx->arena, "c%lld", (long long)l->number);
        Atom name = fresh_name(ctx, stem);
        if (l->value != NULL) l->value->name = name;
    }
}

Module *bind_finish(Binder *b) {
    Module *m = b->module;
    while (b->nframes > 1) /* the grammar reports the missing brace */
        pop_frame(b);
    take_trivia(b, UINT32_MAX, &m->tail, false);
    Op *root = m->root;
    finish_implicit_function(b, b->frames[0].implicit);
    name_literals(b);
    forward_finish(b, root);
    mismatch_finish(b, root);
    left_out_finish(b, root);
    Block *body = op_regions(root)[0].first;
    /* A single top-level module replaces the implicit one. */
    if (body->first != NULL && body->first == body->last && op_is(body->first, INST_MODULE)) {
        m->root = body->first;
        m->root->block = NULL;
    }
    m->aliases = b->ctx->aliases;
    m->bound_ok = b->ctx->diags.errors == 0;
    return m;
}
