/* SPDX-License-Identifier: Apache-2.0 */
/* Corrections of statements that break a rule: row tiles instead of columns and missing scratch
 * tiles, and the order in which corrections are tried. */
#include "verifier/fixes/corrections.h"
#include "ir/number.h"
#include "parser/type_places.h"

#include <string.h>

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

Span indentation(const Context *ctx, const Op *op) {
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
            !number_written(slot_value(op, 0), &addr)) {
            reach->end = -1;
            return false;
        }
        if (addr + bytes > reach->end) reach->end = addr + bytes;
    }
    /* Types do not tell how much these occupy. */
    if (op_is(op, INST_TASSIGN) || op_is(op, INST_RESERVE_BUFFER)) reach->end = -1;
    return reach->end >= 0;
}

int64_t free_address(const Case *c, const Type *t) {
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

static bool try_scratch(const Case *c, const Rule *r, const Type *t, Diag *d) {
    Case with = *c;
    with.types[r->a] = t;
    return case_is_legal(&with) && write_scratch(c, r->a, t, d);
}

/* Tries the types of operands, then rows of different sizes, as the type of a scratch tile. */
static bool offer_scratch(const Case *c, const Rule *r, Diag *d) {
    static const int64_t cols[] = {256, 1024, 2048, 8192, 16384};
    static const Elem elems[] = {ELEM_F32, ELEM_I32, ELEM_F16, ELEM_I16, ELEM_I8, ELEM_UI8};
    Context *ctx = c->judge->ctx;
    const Type *first = NULL;
    if (r->a < 0 || r->a >= c->op->inst->nslots) return false;
    for (unsigned i = 0; i < c->ntypes; i++) {
        const Type *t = case_tile(c, (int)i);
        if (t != NULL && try_scratch(c, r, t, d)) return true;
        if (first == NULL) first = t;
    }
    for (unsigned e = 0; first != NULL && e < sizeof elems / sizeof elems[0]; e++)
        for (unsigned k = 0; k < sizeof cols / sizeof cols[0]; k++) {
            Type t = *first;
            t.tile = (TileInfo){.rows = 1,
                                .cols = cols[k],
                                .vrow = 1,
                                .vcol = cols[k],
                                .space = SPACE_VEC,
                                .fractal = 512};
            t.elem_type = type_scalar(ctx->types, elems[e]);
            t.elem = (uint8_t)elems[e];
            t.alias = 0;
            t.canon = NULL;
            if (try_scratch(c, r, type_intern(ctx->types, &t), d)) return true;
        }
    return false;
}

static bool about_elements(const RuleRow *row) {
    const unsigned id = row->id;
    return id == DIAG_ELEM_TYPE || id == DIAG_ELEM_SIZE || id == DIAG_ELEM_MISMATCH ||
           id == DIAG_ELEM_SIZE_MISMATCH || id == DIAG_ELEM_PAIR || id == DIAG_LOW_PRECISION;
}

void offer_correction(Case *c, const Rule *r, Diag *d) {
    Judge *j = c->judge;
    if (same_cause(c, d)) return;
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
    if (r->row->id == DIAG_ADDRESS_ALIGNMENT) {
        offer_address(c, d);
        return;
    }
    if (op_is(c->op, INST_MAKE_TENSOR_VIEW) && r->row->id == DIAG_VIEW_RANK) {
        offer_strides(c, d);
        return;
    }
    /* Where elements differ, a conversion is likelier than another place. */
    if (about_elements(r->row) && (offer_type(c, r, true, d) || offer_conversion(c, d))) return;
    if (!offer_type(c, r, false, d) && !offer_rows(c, d)) offer_conversion(c, d);
}
