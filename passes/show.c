/* SPDX-License-Identifier: Apache-2.0 */
/* Inserts statements that print values for `ptoasm run --print`, or hand out tiles for --dump: each
 * is a pto.tprint whose `extra` is the name. It counts as a read, so planning keeps the value's
 * bytes until then. */
#include "passes/show.h"

#include "support/near.h"
#include <string.h>

/* Op.extra of the statement. */
typedef struct Shown {
    const char *name; /* `%x` */
    int dump;         /* the number of a request to hand out a tile; -1: print */
} Shown;

typedef struct Shower {
    Module *m;
    Context *ctx;
    const ShowWish *wish;
    const char *stem; /* the name without % and #k */
    size_t stem_length;
    uint32_t pack;      /* k of #k */
    uint32_t from, end; /* the range of the line */
    Op *at;             /* the statement on the line */
    Value *other;       /* a value of that name that cannot be printed */
    Op **ops;           /* statements that may define tiles */
    uint32_t nops, cap_ops;
    unsigned found;
} Shower;

static bool is_named(const Shower *s, const Value *v) {
    const Interner *names = &s->ctx->names;
    return atom_len(names, v->name) == s->stem_length &&
           memcmp(atom_text(names, v->name), s->stem, s->stem_length) == 0 && v->pack == s->pack;
}

/* A vector register or a mask, which is shown as a tile of one row. */
static bool is_register(const Value *v) {
    return (v->type->kinds & (K_VREG | K_MASK | K_LANES | K_LANE_MASK)) != 0 &&
           v->type->kind != TY_NONE;
}

static bool can_be_shown(const Shower *s, const Value *v) {
    if (type_is_tile(v->type) || is_register(v)) return true;
    return !s->wish->dump && v->type->kind == TY_SCALAR &&
           (elem_is_float((Elem)v->type->elem) || elem_is_int((Elem)v->type->elem)) &&
           elem_infos[v->type->elem].c != NULL;
}

/* ---- making the statement ---- */

static const char *shown_name(const Shower *s, const Value *v) {
    const Interner *names = &s->ctx->names;
    Arena *a = &s->ctx->arena;
    if (s->wish->name != NULL) return arena_printf(a, "%%%s", s->wish->name);
    const int n = (int)atom_len(names, v->name);
    return v->npack > 1 ? arena_printf(a, "%%%.*s#%u", n, atom_text(names, v->name), v->pack)
                        : arena_printf(a, "%%%.*s", n, atom_text(names, v->name));
}

static Op *new_show(Shower *s, Value *v, Span span) {
    Op *op = op_new(s->ctx, &inst_table[INST_TPRINT], (Span){.off = span.off, .len = span.len});
    op->form = OPF_DPS;
    op->segs = ARENA_ARRAY(&s->ctx->arena, uint16_t, op->inst->nslots);
    op->segs[0] = 1;
    op->operands = ARENA_NEW(&s->ctx->arena, Operand);
    op->operands[0] = (Operand){.value = v, .span = span};
    op->noperands = 1;
    Shown *shown = ARENA_NEW(&s->ctx->arena, Shown);
    *shown = (Shown){shown_name(s, v), s->wish->dump ? s->wish->request : -1};
    op_more(&s->ctx->arena, op)->extra = shown;
    s->found++;
    return op;
}

static bool ends_block(const Op *op) {
    return (op->inst->flags & IF_TERMINATOR) != 0;
}

static void show_after(Shower *s, Value *v, Op *at) {
    Op *op = new_show(s, v, at->span);
    if (ends_block(at))
        op_insert_before(at, op);
    else
        op_insert_after(at, op);
}

static void show_at_end(Shower *s, Value *v, Block *b) {
    if (b->last != NULL) show_after(s, v, b->last);
}

/* Prints a value where its region is left if it is of the first block, which dominates all others;
 * else at the end of its block. */
static void show_at_block_end(Shower *s, Value *v) {
    Block *own = value_home(v);
    if (own != own->region->first || own->next == NULL) {
        show_at_end(s, v, own);
        return;
    }
    for (Block *b = own; b != NULL; b = b->next)
        if (b->last != NULL && b->last->nsuccs == 0) show_at_end(s, v, b);
}

static void consider(Shower *s, Value *v) {
    if (!is_named(s, v)) return;
    if (can_be_shown(s, v))
        show_at_block_end(s, v);
    else
        s->other = v;
}

static bool show_values(Op *op, void *arg) {
    Shower *s = arg;
    for (unsigned i = 0; i < op->nresults; i++)
        consider(s, &op->results[i]);
    for (unsigned r = 0; r < op->nregions; r++)
        for (Block *b = op_regions(op)[r].first; b != NULL; b = b->next)
            for (uint32_t i = 0; i < b->nargs; i++)
                consider(s, &b->args[i]);
    return true;
}

/* ---- a line ---- */

static void find_line(Shower *s) {
    const Source *src = s->ctx->source;
    uint32_t line = 1;
    for (s->from = 0; s->from < src->size && line < s->wish->line; s->from++)
        line += src->data[s->from] == '\n';
    for (s->end = s->from; s->end < src->size && src->data[s->end] != '\n';)
        s->end++;
}

/* Finds the last statement that begins on the line, else one that spans it. */
static bool find_statement(Op *op, void *arg) {
    Shower *s = arg;
    if (op->block == NULL || (op->inst->flags & IF_ISOLATED) != 0 || op->span.len == 0) return true;
    bool begins = op->span.off >= s->from && op->span.off < s->end;
    bool through = op->span.off < s->from && op->span.off + op->span.len > s->from;
    if (begins || (through && s->at == NULL)) s->at = op;
    return true;
}

static Value *among(const Shower *s, Value *values, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (is_named(s, &values[i])) return &values[i];
    return NULL;
}

/* Returns the value that the name means after a statement: a result of it or of an earlier one, or
 * an argument, searching outwards. */
static Value *value_after(const Shower *s, Op *at) {
    Value *v = NULL;
    while (at != NULL && at->block != NULL && v == NULL) {
        Block *b = at->block;
        for (Op *op = at; op != NULL && v == NULL; op = op->prev)
            v = among(s, op->results, op->nresults);
        if (v == NULL) v = among(s, b->args, b->nargs);
        Block *first = b->region->first; /* it dominates all blocks */
        for (Op *op = first != b ? first->last : NULL; op != NULL && v == NULL; op = op->prev)
            v = among(s, op->results, op->nresults);
        if (v == NULL && first != b) v = among(s, first->args, first->nargs);
        at = b->region->owner;
        if (at != NULL && (at->inst->flags & IF_ISOLATED) != 0) break;
    }
    return v;
}

static void show_in_line(Shower *s) {
    find_line(s);
    op_walk(s->m->root, find_statement, s);
    Value *v = s->at != NULL ? value_after(s, s->at) : NULL;
    if (v != NULL && !can_be_shown(s, v))
        s->other = v;
    else if (v != NULL)
        show_after(s, v, s->at);
}

/* ---- the tiles that statements define ---- */

/* Shows the tiles that a statement writes or makes. */
static void show_defined(Shower *s, Op *op) {
    for (unsigned i = 0; i < op->nresults; i++)
        if (type_is_tile(op->results[i].type) || is_register(&op->results[i]))
            show_after(s, &op->results[i], op);
    for (int slot = 0; slot < op->inst->nslots; slot++) {
        const SlotRole role = (SlotRole)op->inst->slots[slot].role;
        if (role != ROLE_WRITE && role != ROLE_READWRITE) continue;
        Operand *o = slot_operands(op, slot);
        for (unsigned i = 0; o != NULL && i < slot_count(op, slot); i++)
            if (type_is_tile(o[i].value->type)) show_after(s, o[i].value, op);
    }
}

/* Collects before it inserts, as a walk does not expect new statements. The storage of an
 * allocation has no contents yet, those of a view are not new. */
static bool collect_defining(Op *op, void *arg) {
    Shower *s = arg;
    if (op->block == NULL || op->span.len == 0 || op_function(op) == NULL ||
        (op->inst->flags & (IF_ISOLATED | IF_ALLOC | IF_VIEW)) != 0)
        return true;
    if (s->wish->line != 0 && (op->span.off < s->from || op->span.off >= s->end)) return true;
    if (s->nops == s->cap_ops) {
        const uint32_t cap = s->cap_ops != 0 ? s->cap_ops * 2 : 64;
        Op **grown = ARENA_ARRAY(&s->ctx->arena, Op *, cap);
        if (s->nops != 0) memcpy(grown, s->ops, s->nops * sizeof *grown);
        s->ops = grown;
        s->cap_ops = cap;
    }
    s->ops[s->nops++] = op;
    return true;
}

static void show_all_defined(Shower *s) {
    if (s->wish->line != 0) find_line(s);
    op_walk(s->m->root, collect_defining, s);
    for (uint32_t i = 0; i < s->nops; i++)
        show_defined(s, s->ops[i]);
}

/* ---- errors ---- */

typedef struct Nearest {
    const Shower *s;
    const Value *value;
    unsigned distance;
} Nearest;

static void compare(Nearest *n, const Value *v) {
    const Interner *names = &n->s->ctx->names;
    if (!can_be_shown(n->s, v)) return;
    unsigned d = edit_distance(n->s->stem, n->s->stem_length, atom_text(names, v->name),
                               atom_len(names, v->name), n->distance);
    bool better = n->value != NULL && d == n->distance && type_is_tile(v->type) &&
                  !type_is_tile(n->value->type);
    if (d >= n->distance && !better) return;
    n->distance = d;
    n->value = v;
}

static bool find_nearest(Op *op, void *arg) {
    for (unsigned i = 0; i < op->nresults; i++)
        compare(arg, &op->results[i]);
    for (unsigned r = 0; r < op->nregions; r++)
        for (Block *b = op_regions(op)[r].first; b != NULL; b = b->next)
            for (uint32_t i = 0; i < b->nargs; i++)
                compare(arg, &b->args[i]);
    return true;
}

static Span name_span(const Shower *s, const Value *v) {
    return (Span){.off = v->name_off, .len = (uint32_t)atom_len(&s->ctx->names, v->name) + 1};
}

static void complain_of_tiles(Shower *s) {
    const unsigned line = s->wish->line;
    const Span at = {.off = s->from, .len = s->end - s->from};
    diag_add_as(&s->ctx->diags, SEV_ERROR, DIAG_UNDEFINED_VALUE, at,
                "%s: no statement in line %u defines a tile or register", s->wish->option, line);
}

static void complain(Shower *s) {
    DiagList *diags = &s->ctx->diags;
    const Interner *names = &s->ctx->names;
    const char *name = s->wish->name, *option = s->wish->option;
    if (s->wish->line != 0 && s->at == NULL) {
        diag_add_as(diags, SEV_ERROR, DIAG_UNDEFINED_VALUE,
                    (Span){.off = s->from, .len = s->end - s->from},
                    "%s=%%%s@%u: no statement of a function is in this line", option, name,
                    (unsigned)s->wish->line);
        return;
    }
    if (s->other != NULL) {
        diag_add_as(diags, SEV_ERROR, DIAG_UNDEFINED_VALUE, name_span(s, s->other),
                    "%s: %%%s is a '" TYPE_FMT "', no tile%s", option, name,
                    TYPE_ARG(names, s->other->type),
                    s->wish->dump ? " or register" : ", register or number");
        return;
    }
    Nearest n = {.s = s, .distance = s->stem_length < 4 ? 2 : 3};
    op_walk(s->m->root, find_nearest, &n);
    if (s->at != NULL)
        diag_add_as(diags, SEV_ERROR, DIAG_UNDEFINED_VALUE, s->at->span,
                    "%s: %%%s is not defined by the end of this line", option, name);
    else if (n.value != NULL)
        diag_add_as(diags, SEV_ERROR, DIAG_UNDEFINED_VALUE, name_span(s, n.value),
                    "%s: there is no %%%s; did you mean %%%.*s?", option, name,
                    (int)atom_len(names, n.value->name), atom_text(names, n.value->name));
    else
        diag_add_as(diags, SEV_ERROR, DIAG_UNDEFINED_VALUE, (Span){0}, "%s: there is no %%%s",
                    option, name);
}

static bool show_one(Module *m, const ShowWish *wish) {
    Shower s = {.m = m, .ctx = m->ctx, .wish = wish, .stem = wish->name};
    if (wish->name == NULL) {
        show_all_defined(&s);
        const bool fine = s.found > 0 || wish->line == 0;
        if (!fine) complain_of_tiles(&s);
        return fine;
    }
    s.stem_length = strcspn(wish->name, "#");
    if (wish->name[s.stem_length] == '#')
        for (const char *k = wish->name + s.stem_length + 1; *k >= '0' && *k <= '9'; k++)
            s.pack = s.pack * 10 + (uint32_t)(*k - '0');
    if (wish->line != 0)
        show_in_line(&s);
    else
        op_walk(m->root, show_values, &s);
    if (s.found == 0) complain(&s);
    return s.found > 0;
}

bool passes_show(Module *m, const ShowWish *wishes, size_t n) {
    bool fine = true;
    for (size_t i = 0; i < n; i++)
        fine &= show_one(m, &wishes[i]);
    return fine;
}

const char *show_name(const Op *op) {
    const Shown *shown = op_is(op, INST_TPRINT) ? op_extra(op) : NULL;
    return shown != NULL ? shown->name : NULL;
}

int show_dump(const Op *op) {
    const Shown *shown = op_extra(op);
    return show_name(op) != NULL ? shown->dump : -1;
}
