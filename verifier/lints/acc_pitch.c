/* SPDX-License-Identifier: Apache-2.0 */
/* Finds accumulators that are read with another pitch than the product wrote them with. The cube
 * lays out a product in columns of boxes that are as high as the valid rows of its left factor,
 * rounded up to 16. The library's stores, pushes and moves expect columns as high as the tile, or,
 * with compact=1, as its valid rows. Where both are not provably equal, and there is more than one
 * column of boxes, the elements come out at other places. `run` follows the text. */
#include "verifier/lints/acc_pitch.h"

#include "ir/number.h"
#include "verifier/fixes/corrections.h"

enum { BOX = 16 };

/* A number of rows (or columns): a constant, a value, or unknown. */
typedef struct Rows {
    int64_t n;      /* DYNAMIC: not constant */
    const Value *v; /* then the value that gives it, or NULL */
    int64_t most;   /* it is not larger */
} Rows;

typedef struct Product {
    const Op *op;
    const char *factor; /* the slot whose rows are the pitch */
    Rows rows;          /* of the factor */
    Rows same;          /* the valid rows of dst then: a rule demands that they are equal */
} Product;

typedef struct Pitch {
    Judge *judge;
    Profile profile;
    PtrMap shaped;   /* tile -> the last pto.set_validshape of it so far */
    PtrMap products; /* storage -> the last Product written to it */
} Pitch;

/* ---- extents ---- */

static int64_t boxes(int64_t rows) {
    return (rows + BOX - 1) / BOX * BOX;
}

static Rows rows_of_value(const Value *v, int64_t most) {
    int64_t n;
    if (v != NULL && number_known(v, &n)) return (Rows){n, NULL, n};
    return (Rows){DYNAMIC, v, most};
}

/* Returns the operand of pto.alloc_tile for a `?`: valid_row and valid_col are its last. */
static const Value *given_extent(const Op *op, const TileInfo *t, bool cols) {
    const unsigned both = (unsigned)(t->vrow == DYNAMIC) + (unsigned)(t->vcol == DYNAMIC);
    if (op == NULL || !op_is(op, INST_ALLOC_TILE) || op->noperands < both) return NULL;
    const unsigned back = cols || both == 1 ? 1 : 2;
    return op->operands[op->noperands - back].value;
}

/* Returns the valid rows or columns of a tile where the walk is now. */
static Rows valid_extent(const Pitch *p, const Value *v, bool cols) {
    const Type *type = tile_value_type(v);
    const TileInfo *t = &type->tile;
    const int64_t is = cols ? t->vcol : t->vrow, most = cols ? t->cols : t->rows;
    const Op *shape = ptrmap_get(&p->shaped, v);
    if (shape != NULL) return rows_of_value(shape->operands[cols ? 2 : 1].value, most);
    if (is != DYNAMIC) return (Rows){is, NULL, is};
    return rows_of_value(given_extent(v->def, t, cols), most);
}

/* True when both are the same number of boxes, whatever the values are. */
static bool same_boxes(Rows a, Rows b) {
    if (a.n != DYNAMIC && b.n != DYNAMIC) return boxes(a.n) == boxes(b.n);
    if (a.most <= BOX && b.most <= BOX) return true;
    return a.v != NULL && a.v == b.v;
}

static Rows whole(int64_t n) {
    return (Rows){n, NULL, n};
}

/* ---- tiles ---- */

static bool is_in(const Value *v, Space space) {
    const Type *t = v != NULL && type_is_tile(v->type) ? tile_value_type(v) : NULL;
    return t != NULL && t->tile.space == space;
}

/* Returns the value that a view is of. */
static const Value *storage_of(const Value *v) {
    while (v->def != NULL && (v->def->inst->flags & IF_VIEW) != 0 && v->def->noperands > 0 &&
           type_is_tile(v->def->operands[0].value->type))
        v = v->def->operands[0].value;
    return v;
}

static const char *name_of(const Pitch *p, const Value *v) {
    const Interner *names = &p->judge->ctx->names;
    return arena_printf(&p->judge->ctx->arena, "%%%.*s", (int)atom_len(names, v->name),
                        atom_text(names, v->name));
}

/* ---- findings ---- */

static Diag *report(const Pitch *p, Span span, const char *text) {
    DiagList *diags = &p->judge->ctx->diags;
    for (Diag *d = diags->first; d != NULL; d = d->next)
        if (d->id == DIAG_ACC_PITCH && d->span.off == span.off && d->span.len == span.len) {
            if (d->profiles != 0) d->profiles |= PROFILE_BIT(p->profile);
            return NULL;
        }
    Diag *d = diag_add(diags, DIAG_ACC_PITCH, span, "%s", text);
    d->profiles = PROFILE_BIT(p->profile);
    return d;
}

static const char *extent_text(const Pitch *p, Rows r, const char *otherwise) {
    return r.n != DYNAMIC ? arena_printf(&p->judge->ctx->arena, "%lld", (long long)r.n) : otherwise;
}

static void offer_compact(const Pitch *p, Op *op, const Value *v, Diag *d) {
    TileInfo t = tile_value_type(v)->tile;
    t.compact = COMPACT_NORMAL;
    (void)offer_tile(p->judge, op, v, t, d);
}

/* ---- products ---- */

/* Where left tiles are col_major, the left factor has columns of boxes, too, and the right factor
 * rows of boxes. */
static void check_factor(const Pitch *p, Op *op, int slot, bool right) {
    const Value *v = slot_value(op, slot);
    const Type *t = v != NULL ? tile_value_type(v) : NULL;
    if (t == NULL || t->tile.compact == COMPACT_NORMAL || storage_of(v) != v) return;
    const Rows depth = valid_extent(p, v, !right);
    const Rows is = valid_extent(p, v, right);
    if (depth.most <= BOX || same_boxes(is, whole(right ? t->tile.cols : t->tile.rows))) return;
    const char *what = right ? "columns" : "rows";
    Diag *d = report(
        p, slot_span(op, slot),
        arena_printf(&p->judge->ctx->arena,
                     "%s reads %s with a pitch of its %s valid %s, rounded up to 16; what moves "
                     "elements there writes with that of all %lld, unless it has compact=1",
                     op->inst->name, name_of(p, v), extent_text(p, is, "dynamic"), what,
                     (long long)(right ? t->tile.cols : t->tile.rows)));
    if (d != NULL) offer_compact(p, op, v, d);
}

static bool is_pitch(const Product *product, Rows rows) {
    return same_boxes(product->rows, rows) || same_boxes(product->same, rows);
}

static void check_window(const Pitch *p, Op *op, const Product *product, int dst) {
    const Value *v = slot_value(op, dst), *root = storage_of(v);
    const Type *t = tile_value_type(root);
    if (root == v || t == NULL || valid_extent(p, v, true).most <= BOX ||
        is_pitch(product, whole(t->tile.rows)))
        return;
    (void)report(p, slot_span(op, dst),
                 arena_printf(&p->judge->ctx->arena,
                              "%s lays out its product with a pitch of the %s valid rows of %s, "
                              "rounded up to 16, but %s is a window of %s, which has %lld rows",
                              op->inst->name, extent_text(p, product->rows, "dynamic"),
                              product->factor, name_of(p, v), name_of(p, root),
                              (long long)t->tile.rows));
}

static void take_product(Pitch *p, Op *op) {
    const int dst = inst_slot(op->inst, OPERAND_dst);
    const bool named = inst_slot(op->inst, OPERAND_lhs) >= 0;
    const int left = inst_slot(op->inst, named ? OPERAND_lhs : OPERAND_a);
    const int right = inst_slot(op->inst, named ? OPERAND_rhs : OPERAND_b);
    if (dst < 0 || left < 0 || right < 0 || !is_in(slot_value(op, dst), SPACE_ACC) ||
        !is_in(slot_value(op, left), SPACE_LEFT))
        return;
    Product *made = ARENA_NEW(&p->judge->ctx->step, Product);
    *made = (Product){op, op->inst->slots[left].name, valid_extent(p, slot_value(op, left), false),
                      valid_extent(p, slot_value(op, dst), false)};
    *ptrmap_at(&p->products, storage_of(slot_value(op, dst))) = made;
    check_window(p, op, made, dst);
    if (profile_infos[p->profile].left == BL_COL_MAJOR) {
        check_factor(p, op, left, false);
        check_factor(p, op, right, true);
    }
}

/* ---- what reads an accumulator ---- */

/* With which pitch the library reads an accumulator. */
typedef enum ReadBy { BY_COMPACT, BY_TILE, BY_VALID } ReadBy;

static ReadBy read_by(const Pitch *p, const Op *op, const TileInfo *t) {
    const bool moves = op->inst->family == FAM_LAYOUT;
    if (!profile_infos[p->profile].acc_moves_compact) return moves ? BY_TILE : BY_COMPACT;
    if (op_is(op, INST_TINSERT) || op_is(op, INST_TINSERT_FP)) return BY_VALID;
    if (op_is(op, INST_TMOV) || op_is(op, INST_TMOV_FP))
        return t->vrow != DYNAMIC && t->vrow < t->rows ? BY_TILE : BY_VALID;
    return BY_COMPACT;
}

static void check_read(const Pitch *p, Op *op, const Operand *o) {
    const Value *v = o->value;
    const Product *product = ptrmap_get(&p->products, storage_of(v));
    const TileInfo *t = &tile_value_type(v)->tile;
    if (product == NULL || valid_extent(p, v, true).most <= BOX) return;
    const ReadBy by = read_by(p, op, t);
    const bool valid = by == BY_VALID || (by == BY_COMPACT && t->compact == COMPACT_NORMAL);
    const int64_t rows = tile_value_type(storage_of(v))->tile.rows;
    const Rows read = valid ? valid_extent(p, v, false) : whole(rows);
    if (is_pitch(product, read)) return;
    Context *ctx = p->judge->ctx;
    const char *pitch =
        valid ? arena_printf(&ctx->arena, "its %s valid rows", extent_text(p, read, "dynamic"))
              : arena_printf(&ctx->arena, "its %lld rows", (long long)rows);
    Diag *d = report(p, o->span,
                     arena_printf(&ctx->arena,
                                  "%s reads %s with a pitch of %s, but the product was written "
                                  "with one of the %s valid rows of %s, rounded up to 16",
                                  op->inst->name, name_of(p, v), pitch,
                                  extent_text(p, product->rows, "dynamic"), product->factor));
    if (d == NULL) return;
    diag_note_at(&ctx->diags, d, product->op->name_span, "written here");
    if (by == BY_COMPACT && !valid) offer_compact(p, op, v, d);
}

/* ---- the walk ---- */

static bool look_at(Op *op, void *arg) {
    Pitch *p = arg;
    if (op_is(op, INST_SET_VALIDSHAPE)) {
        *ptrmap_at(&p->shaped, op->operands[0].value) = op;
    } else if (op->inst->family == FAM_MATRIX) {
        take_product(p, op);
    } else if (p->products.count > 0 && op->nregions == 0 && inst_accesses(op->inst)) {
        for (unsigned i = 0; i < op->noperands; i++)
            if (is_in(op->operands[i].value, SPACE_ACC)) check_read(p, op, &op->operands[i]);
    }
    return true;
}

void check_acc_pitch(Judge *j, Op *func) {
    for (int k = 0; k < PROFILE_COUNT && !j->opt->compat; k++) {
        if ((j->profiles & PROFILE_BIT(k)) == 0 || !profile_infos[k].chip) continue;
        Pitch p = {.judge = j, .profile = (Profile)k};
        p.shaped.arena = p.products.arena = &j->ctx->step;
        op_walk(func, look_at, &p);
    }
}
