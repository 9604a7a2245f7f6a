/* Corrections of statements that break a rule: candidates are made from the types of the
 * statement, and the first that keeps all its uses legal is offered. */
#include "verifier/offers.h"
#include "parser/type_places.h"
#include "verifier/params.h"

#include <string.h>

/* ---- candidates ---- */

enum { MOST_CANDIDATES = 96 };

typedef struct Candidates {
    Context *ctx;
    const Type *was;
    const Type *list[MOST_CANDIDATES];
    unsigned n;
} Candidates;

static void add_type(Candidates *l, const Type *t) {
    if (t == NULL || type_same(t, l->was) || l->n == MOST_CANDIDATES) return;
    for (unsigned i = 0; i < l->n; i++)
        if (type_same(l->list[i], t)) return;
    l->list[l->n++] = t;
}

static void add_tile(Candidates *l, TileInfo tile, const Type *elem) {
    Type t = *l->was;
    t.tile = tile;
    t.elem_type = elem;
    t.elem = elem->elem;
    t.alias = 0;
    t.canon = NULL;
    if (tile.vrow > tile.rows || tile.vcol > tile.cols) return;
    add_type(l, type_intern(l->ctx->types, &t));
}

/* Adds the type with the element type of another. */
static void add_element_of(Candidates *l, const Type *other) {
    const Type *elem = element_type(other);
    Type t = *l->was;
    if (elem == NULL || elem->kind != TY_SCALAR) return;
    if (t.kind == TY_TILE) {
        add_tile(l, t.tile, elem);
    } else if (t.kind == TY_TENSOR_VIEW || t.kind == TY_PART_VIEW || t.kind == TY_PTR) {
        t.elem_type = elem;
        t.elem = elem->elem;
        t.alias = 0;
        t.canon = NULL;
        add_type(l, type_intern(l->ctx->types, &t));
    }
}

/* Adds types with parts of another tile type, the smallest change first. */
static void add_parts_of(Candidates *l, const Type *other) {
    const TileInfo *from = &other->tile;
    TileInfo t = l->was->tile;
    t.vrow = from->vrow;
    t.vcol = from->vcol;
    add_tile(l, t, l->was->elem_type);
    t.rows = from->rows;
    t.cols = from->cols;
    add_tile(l, t, l->was->elem_type);
    t = l->was->tile;
    t.blayout = from->blayout;
    t.blayout_written = true;
    t.slayout = from->slayout;
    t.fractal = from->fractal;
    add_tile(l, t, l->was->elem_type);
    t = l->was->tile;
    t.pad = from->pad;
    t.compact = from->compact;
    add_tile(l, t, l->was->elem_type);
    add_type(l, other);
}

/* Adds a single row or column in the other layout, else a tile with whole blocks of 32 bytes and
 * the same valid region. */
static void add_aligned(Candidates *l) {
    TileInfo t = l->was->tile;
    int64_t size = elem_infos[l->was->elem].bytes;
    if (t.slayout != SL_NONE_BOX || size == 0 || 32 % size != 0 || t.rows > INT32_MAX ||
        t.cols > INT32_MAX)
        return;
    bool col = t.blayout == BL_COL_MAJOR;
    int64_t step = 32 / size, *along = col ? &t.rows : &t.cols;
    if (*along == 1) {
        t.blayout = col ? BL_ROW_MAJOR : BL_COL_MAJOR;
        t.blayout_written = true;
        add_tile(l, t, l->was->elem_type);
        t = l->was->tile;
    }
    *along = (*along + step - 1) / step * step;
    add_tile(l, t, l->was->elem_type);
}

static void add_layouts(Candidates *l) {
    for (int s = SL_NONE_BOX; s <= SL_COL_MAJOR; s++)
        for (int b = BL_ROW_MAJOR; b <= BL_COL_MAJOR; b++) {
            TileInfo t = l->was->tile;
            t.slayout = (uint8_t)s;
            t.blayout = (uint8_t)b;
            t.blayout_written = true;
            add_tile(l, t, l->was->elem_type);
        }
}

static void add_spaces(Candidates *l) {
    for (int s = SPACE_MAT; s < SPACE_COUNT; s++) {
        TileInfo t = l->was->tile;
        t.space = (uint8_t)s;
        add_tile(l, t, l->was->elem_type);
    }
}

/* Adds the element types that the rule names, those of the same size first. */
static void add_elements(Candidates *l, ElemSet set) {
    unsigned bytes = elem_infos[l->was->elem].bytes;
    for (int same = 1; same >= 0; same--)
        for (int e = 1; e < ELEM_COUNT; e++)
            if ((set & ELEM_BIT(e)) != 0 && (elem_infos[e].bytes == bytes) == (same == 1) &&
                elem_infos[e].cls != 'S')
                add_element_of(l, type_scalar(l->ctx->types, (Elem)e));
}

/* Collects types for operand or result `at` of the statement, which breaks `r`. */
static void gather_candidates(Candidates *l, const Case *c, const Rule *r, unsigned at) {
    bool tile = l->was->kind == TY_TILE;
    l->n = 0;
    if (tile) add_aligned(l);
    for (unsigned i = 0; i < c->ntypes; i++) {
        const Type *other = case_type(c, (int)i);
        if (i == at || other == NULL) continue;
        add_element_of(l, other);
        if (tile && other->kind == TY_TILE) add_parts_of(l, other);
        if (!tile && other->kind == l->was->kind) add_type(l, other);
    }
    if (r->row->cond == C_ELEM_TYPE && r->a == (int)at) add_elements(l, row_args(r->row)->set);
    if (!tile) return;
    add_spaces(l);
    add_layouts(l);
}

/* ---- another type for one value ---- */

enum { MOST_USERS = 64 };

typedef struct Users {
    const Value *value;
    const Op *ops[MOST_USERS];
    unsigned n;
    bool stuck; /* there are too many users, or one that ties the type to other statements */
} Users;

static bool is_instruction(const Op *op) {
    return strncmp(op->inst->name, "pto.", 4) == 0 && op->nregions == 0 && op->nsuccs == 0;
}

static bool uses_value(const Op *op, const Value *v) {
    for (unsigned i = 0; i < op->noperands; i++)
        if (op->operands[i].value == v) return true;
    for (unsigned s = 0; s < op->nsuccs; s++)
        for (unsigned i = 0; i < op_succs(op)[s].nargs; i++)
            if (op_succs(op)[s].args[i].value == v) return true;
    return false;
}

static bool note_user(Op *op, void *arg) {
    Users *u = arg;
    if (op != u->value->def && !uses_value(op, u->value)) return true;
    if (!is_instruction(op) || u->n == MOST_USERS)
        u->stuck = true;
    else
        u->ops[u->n++] = op;
    return !u->stuck;
}

static bool is_call(Op *op, void *arg) {
    (void)arg;
    return !op_is(op, INST_CALL);
}

/* True when the type of a value can change: a parameter's type is fixed once there are calls. */
static bool is_free(const Judge *j, const Value *v) {
    if (v->npack != 1) return false;
    if (v->def != NULL) return is_instruction(v->def);
    const Region *r = value_block(v)->region;
    return op_is(r->owner, INST_FUNC) && r->first == value_block(v) && !j->ctx->forgotten.calls &&
           op_walk(j->root, is_call, NULL);
}

static bool users_are_legal(Judge *j, const Users *u) {
    for (unsigned i = 0; i < u->n; i++) {
        Case c;
        case_init(&c, j, u->ops[i]);
        if (!case_is_legal(&c)) return false;
    }
    return true;
}

/* Writes `type` where `was` is written. Where the text has `type` already, the edit changes
 * nothing but keeps other corrections out. False when the place has a third type. */
static bool retype_place(Context *ctx, Diag *d, Span place, const Type *written, const Type *was,
                         const Type *type) {
    if (!type_same(written, was) && !type_same(written, type)) return false;
    if (d != NULL)
        diag_edit(&ctx->diags, d, place, "%.*s", (int)atom_len(&ctx->names, type->text),
                  atom_text(&ctx->names, type->text));
    return true;
}

/* Adds the edits that give the value another type, or only counts them if d == NULL. 0: not
 * possible. */
static unsigned retype(Context *ctx, const Users *u, const Type *was, const Type *type, Diag *d) {
    Span place;
    const Type *written;
    unsigned n = 1;
    if (!value_type_place(ctx, u->value, &place, &written) ||
        !retype_place(ctx, d, place, written, was, type))
        return 0;
    for (unsigned i = 0; i < u->n; i++)
        for (unsigned k = 0; k < u->ops[i]->noperands; k++) {
            const Operand *o = &u->ops[i]->operands[k];
            if (o->value != u->value) continue;
            if (!operand_type_place(ctx, u->ops[i], o, &place, &written) ||
                !retype_place(ctx, d, place, written, was, type))
                return 0;
            n++;
        }
    return n;
}

typedef struct Retyping {
    Users users;
    const Type *type;
    unsigned nedits; /* 0: no type was found */
} Retyping;

/* Finds the first legal type for one operand or result. */
static void find_type(const Case *c, const Rule *r, unsigned at, Retyping *out) {
    Judge *j = c->judge;
    Value *v = case_value(c, (int)at);
    const Type *was = case_type(c, (int)at);
    Candidates l = {.ctx = j->ctx, .was = was};
    out->users = (Users){.value = v};
    out->nedits = 0;
    if (v == NULL || was == NULL || v->type != was || !is_free(j, v)) return;
    Op *func = op_function(c->op);
    op_walk(func != NULL ? func : j->root, note_user, &out->users);
    if (out->users.stuck) return;
    gather_candidates(&l, c, r, at);
    for (unsigned i = 0; i < l.n && out->nedits == 0; i++) {
        out->type = l.list[i];
        if (v->def == NULL && !param_may_have(j, out->type)) continue;
        v->type = out->type;
        if (users_are_legal(j, &out->users))
            out->nedits = retype(j->ctx, &out->users, was, l.list[i], NULL);
        v->type = was;
    }
}

/* Offers the type change with the fewest edits among all operands. */
static bool offer_type(const Case *c, const Rule *r, Diag *d) {
    Retyping best = {.nedits = 0}, found;
    const Type *was = NULL;
    for (unsigned i = 0; i < c->ntypes; i++) {
        if (c->types[i] == NULL) continue;
        find_type(c, r, i, &found);
        if (found.nedits == 0 || (best.nedits != 0 && best.nedits <= found.nedits)) continue;
        best = found;
        was = c->types[i];
    }
    return best.nedits != 0 && retype(c->judge->ctx, &best.users, was, best.type, d) != 0;
}

/* ---- rows instead of columns ---- */

static const Type *row_of_column(Context *ctx, const Type *t) {
    if (t == NULL || t->kind != TY_TILE || t->tile.cols != 1 || t->tile.vcol != 1 ||
        t->tile.slayout != SL_NONE_BOX || t->tile.blayout != BL_COL_MAJOR ||
        t->tile.vrow == DYNAMIC)
        return NULL;
    Type row = *t;
    row.tile.rows = 1;
    row.tile.cols = t->tile.rows;
    row.tile.vrow = t->tile.vrow == 0 ? 0 : 1;
    row.tile.vcol = t->tile.vrow;
    row.tile.blayout = BL_ROW_MAJOR;
    row.tile.blayout_written = false;
    row.alias = 0;
    row.canon = NULL;
    return type_intern(ctx->types, &row);
}

/* Returns the blanks at the start of the line of a statement. */
static Span indentation(const Context *ctx, const Op *op) {
    const char *s = ctx->source->data;
    uint32_t from = op->span.off, to = op->span.off;
    while (from > 0 && s[from - 1] != '\n')
        from--;
    for (to = from; to < op->span.off && (s[to] == ' ' || s[to] == '\t');)
        to++;
    return (Span){from, to - from};
}

/* Writes a statement that reshapes a column to a row, named `name`. */
static void put_reshape(Context *ctx, StrBuf *out, const Op *op, const Value *v, const Type *row,
                        Atom name) {
    Span indent = indentation(ctx, op);
    sb_printf(out, "%%%.*s = pto.treshape %%%.*s : " TYPE_FMT " -> " TYPE_FMT "\n%.*s",
              (int)atom_len(&ctx->names, name), atom_text(&ctx->names, name),
              (int)atom_len(&ctx->names, v->name), atom_text(&ctx->names, v->name),
              TYPE_ARG(&ctx->names, v->type), TYPE_ARG(&ctx->names, row), (int)indent.len,
              ctx->source->data + indent.off);
}

/* Returns the first operand that is the same value as operand `i`. */
static unsigned first_use(const Op *op, unsigned i) {
    unsigned k = 0;
    while (op->operands[k].value != op->operands[i].value)
        k++;
    return k;
}

static bool reshape_operands(Context *ctx, const Op *op, Diag *d) {
    enum { MOST = 8 };
    Atom names[MOST] = {0};
    Span places[MOST];
    StrBuf before;
    if (op->noperands > MOST) return false;
    for (unsigned i = 0; i < op->noperands; i++) {
        const Type *written;
        if (row_of_column(ctx, op->operands[i].value->type) != NULL &&
            !operand_type_place(ctx, op, &op->operands[i], &places[i], &written))
            return false;
    }
    sb_init(&before, &ctx->arena);
    for (unsigned i = 0; i < op->noperands; i++) {
        const Value *v = op->operands[i].value;
        const Type *row = row_of_column(ctx, v->type);
        if (row == NULL) continue;
        unsigned same = first_use(op, i);
        if (same == i) {
            names[i] = fresh_name(ctx, name_stem(ctx, v->name, "row"));
            put_reshape(ctx, &before, op, v, row, names[i]);
        }
        diag_edit(&ctx->diags, d, op->operands[i].span, "%%%.*s",
                  (int)atom_len(&ctx->names, names[same]), atom_text(&ctx->names, names[same]));
        diag_edit(&ctx->diags, d, places[i], TYPE_FMT, TYPE_ARG(&ctx->names, row));
    }
    diag_edit(&ctx->diags, d, (Span){op->span.off, 0}, "%s", sb_text(&before));
    return true;
}

static bool offer_rows(const Case *c, Diag *d) {
    Case rows = *c;
    unsigned columns = 0;
    if (c->op->nresults != 0 || c->op->form != OPF_DPS) return false;
    for (unsigned i = 0; i < c->ntypes; i++) {
        const Type *row = row_of_column(c->judge->ctx, case_type(c, (int)i));
        if (row == NULL) continue;
        rows.types[i] = row;
        columns++;
    }
    return columns > 0 && case_is_legal(&rows) && reshape_operands(c->judge->ctx, c->op, d);
}

/* ---- a missing scratch tile ---- */

typedef struct Reach {
    uint8_t space;
    int64_t end; /* end of the last tile; -1: some address is not known */
} Reach;

static bool note_reach(Op *op, void *arg) {
    Reach *reach = arg;
    int64_t addr;
    for (unsigned i = 0; i < op->nresults; i++) {
        const Type *t = op->results[i].type;
        if ((op->inst->flags & IF_ALLOC) == 0 || (t->kind != TY_TILE && t->kind != TY_MULTI_TILE) ||
            t->tile.space != reach->space)
            continue;
        int64_t bytes = tile_bytes(t, PROFILE_DEFAULT);
        if (slot_count(op, 0) == 0 || bytes < 0 || reach->end < 0 ||
            !value_constant(slot_value(op, 0), &addr)) {
            reach->end = -1;
            return false;
        }
        if (addr + bytes > reach->end) reach->end = addr + bytes;
    }
    /* Types do not tell how much these occupy. */
    if (op_is(op, INST_TASSIGN) || op_is(op, INST_RESERVE_BUFFER)) reach->end = -1;
    return reach->end >= 0;
}

/* Returns a free address after all tiles of the function; -1 when there is none. */
static int64_t free_address(const Case *c, const Type *t) {
    Op *func = op_function(c->op);
    Reach reach = {.space = t->tile.space};
    int64_t bytes = tile_bytes(t, PROFILE_DEFAULT), unit = space_alignment(t->tile.space);
    if (func == NULL || bytes < 0) return -1;
    op_walk(func, note_reach, &reach);
    if (reach.end < 0) return -1;
    int64_t at = unit > 0 ? (reach.end + unit - 1) / unit * unit : reach.end;
    for (int p = 0; p < PROFILE_COUNT; p++) {
        int64_t room = profile_capacity((Profile)p, t->tile.space);
        if ((c->judge->profiles & PROFILE_BIT(p)) != 0 && room >= 0 && at + bytes > room) return -1;
    }
    return at;
}

/* Returns the last operand in ins(...) before the slot, or NULL. */
static const Operand *operand_before(const Op *op, int slot) {
    const Operand *last = NULL;
    for (int s = 0; s < slot; s++)
        if (!slot_in_outs(&op->inst->slots[s]) && slot_count(op, s) > 0)
            last = slot_operands(op, s) + slot_count(op, s) - 1;
    return last;
}

static bool write_scratch(const Case *c, int slot, const Type *t, Diag *d) {
    Context *ctx = c->judge->ctx;
    const Op *op = c->op;
    const Operand *last = operand_before(op, slot);
    int64_t addr = c->judge->level == 3 ? free_address(c, t) : 0;
    Span place, indent = indentation(ctx, op);
    const Type *written;
    if (last == NULL || addr < 0 || op->form != OPF_DPS || slot_in_outs(&op->inst->slots[slot]) ||
        !operand_type_place(ctx, op, last, &place, &written))
        return false;
    Atom name = fresh_name(ctx, "tmp"), at = fresh_name(ctx, "tmp_addr");
    const char *blanks = ctx->source->data + indent.off, *bound = "";
    int nblanks = (int)indent.len;
    if (c->judge->level == 3)
        bound = arena_printf(&ctx->arena, " addr = %%%.*s", (int)atom_len(&ctx->names, at),
                             atom_text(&ctx->names, at));
    const char *constant =
        c->judge->level != 3
            ? ""
            : arena_printf(&ctx->arena, "%%%.*s = arith.constant %lld : i64\n%.*s",
                           (int)atom_len(&ctx->names, at), atom_text(&ctx->names, at),
                           (long long)addr, nblanks, blanks);
    diag_edit(&ctx->diags, d, (Span){op->span.off, 0},
              "%s%%%.*s = pto.alloc_tile%s : " TYPE_FMT "\n%.*s", constant,
              (int)atom_len(&ctx->names, name), atom_text(&ctx->names, name), bound,
              TYPE_ARG(&ctx->names, t), nblanks, blanks);
    diag_edit(&ctx->diags, d, (Span){last->span.off + last->span.len, 0}, ", %%%.*s",
              (int)atom_len(&ctx->names, name), atom_text(&ctx->names, name));
    diag_edit(&ctx->diags, d, (Span){place.off + place.len, 0}, ", " TYPE_FMT,
              TYPE_ARG(&ctx->names, t));
    return true;
}

/* Tries the types of operands, then rows of different sizes, as the type of a scratch tile. */
static bool offer_scratch(const Case *c, const Rule *r, Diag *d) {
    static const int64_t cols[] = {256, 1024, 2048, 8192, 16384};
    static const Elem elems[] = {ELEM_F32, ELEM_I32, ELEM_F16, ELEM_I16, ELEM_I8, ELEM_UI8};
    Context *ctx = c->judge->ctx;
    const Type *first = NULL;
    for (unsigned i = 0; i < c->ntypes && first == NULL; i++)
        first = case_tile(c, (int)i);
    if (first == NULL || r->a < 0 || r->a >= c->op->inst->nslots) return false;
    Case with = *c;
    Candidates l = {.ctx = ctx, .was = first};
    l.list[l.n++] = first;
    for (unsigned i = 0; i < c->ntypes; i++)
        if (case_tile(c, (int)i) != NULL) add_type(&l, case_tile(c, (int)i));
    for (unsigned e = 0; e < sizeof elems / sizeof elems[0]; e++)
        for (unsigned k = 0; k < sizeof cols / sizeof cols[0]; k++) {
            TileInfo t = {.rows = 1,
                          .cols = cols[k],
                          .vrow = 1,
                          .vcol = cols[k],
                          .space = SPACE_VEC,
                          .fractal = 512};
            add_tile(&l, t, type_scalar(ctx->types, elems[e]));
        }
    for (unsigned i = 0; i < l.n; i++) {
        with.types[r->a] = l.list[i];
        if (case_is_legal(&with) && write_scratch(c, r->a, l.list[i], d)) return true;
    }
    return false;
}

void offer_correction(Case *c, const Rule *r, Diag *d) {
    Judge *j = c->judge;
    if (j->offers == MOST_OFFERS || d->edits != NULL || c->op->form == OPF_GENERIC) return;
    j->offers++;
    if (offer_scalars(c, r, d)) return;
    if (r->row->cond == C_OPERAND_REQUIRED || r->row->id == DIAG_TMP_REQUIRED) {
        offer_scratch(c, r, d);
        return;
    }
    if (rule_about_attribute(r->row)) {
        offer_value(c, r, d);
        return;
    }
    if (!offer_rows(c, d)) offer_type(c, r, d);
}
