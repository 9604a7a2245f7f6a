/* Implicit scratch tiles: the tile that an instruction works in when the text names none. */
#include "passes/live.h"
#include "passes/passes.h"

/* The type of a slot's tile; NULL when the row has no such slot or the type is not known. */
static const Type *tile_slot(const Op *op, const char *name) {
    int slot = inst_slot(op->inst, name);
    const Value *v = slot >= 0 ? slot_value(op, slot) : NULL;
    const Type *type = v != NULL ? tile_value_type(v) : NULL;
    return type != NULL && type->kind == TY_TILE ? type : NULL;
}

/* Rows and columns of plain elements like those of `like`; whole 32-byte blocks in a row. */
static const Type *plain_tile(const Context *ctx, const Type *like, int64_t rows, int64_t cols) {
    int64_t bytes = elem_infos[like->elem].bytes, block = bytes > 0 ? 32 / bytes : 1;
    Type proto = *like;
    proto.alias = 0;
    proto.spelling = SPELL_BUF;
    proto.tile = (TileInfo){.rows = rows > 0 ? rows : 1,
                            .vrow = rows,
                            .vcol = cols,
                            .space = SPACE_VEC,
                            .blayout = BL_ROW_MAJOR,
                            .slayout = SL_NONE_BOX,
                            .fractal = 512};
    int64_t blocks = cols > 0 ? cols / block + (cols % block != 0) : 1;
    if (__builtin_mul_overflow(blocks, block, &proto.tile.cols)) return NULL;
    return type_intern(ctx->types, &proto);
}

static const Type *rows_of_dst(const Context *ctx, const Op *op, int64_t rows) {
    const Type *dst = tile_slot(op, "dst");
    if (dst == NULL) return NULL;
    Type proto = *dst;
    proto.alias = 0;
    proto.tile.rows = proto.tile.vrow = rows;
    return type_intern(ctx->types, &proto);
}

/* The sums of pairs of rows. */
static const Type *half_src(const Context *ctx, const Op *op) {
    const Type *src = tile_slot(op, "src");
    int attr = inst_attr(op->inst, "isBinary", 8);
    const NamedAttr *a = attr >= 0 ? op_attr(ctx, op, attr) : NULL;
    if (src == NULL || a == NULL || a->value->kind != ATTR_BOOL || a->value->i == 0) return NULL;
    int64_t rows = src->tile.vrow == DYNAMIC ? src->tile.rows : src->tile.vrow;
    int64_t cols = src->tile.vcol == DYNAMIC ? src->tile.cols : src->tile.vcol;
    return plain_tile(ctx, src, rows / 2 + rows % 2, cols);
}

static bool one_value_per_row(const Type *t) {
    return t != NULL && t->tile.slayout == SL_NONE_BOX && t->tile.blayout == BL_COL_MAJOR &&
           (t->tile.vcol == 1 || t->tile.vcol == DYNAMIC);
}

/* One 32-byte block for each of 256 rows; a row_major operand is broadcast without. */
static const Type *row_expand(const Context *ctx, const Op *op) {
    const Type *dst = tile_slot(op, "dst");
    bool needed =
        one_value_per_row(tile_slot(op, "src0")) || one_value_per_row(tile_slot(op, "src1"));
    if (dst == NULL || !needed || elem_infos[dst->elem].bytes == 0) return NULL;
    return plain_tile(ctx, dst, 1, 8192 / elem_infos[dst->elem].bytes);
}

const Type *implicit_tmp_type(const Context *ctx, const Op *op, ImplicitTmp how) {
    const Type *src;
    switch (how) {
    case TMP_NONE:
        return NULL;
    case TMP_LIKE_DST:
        return tile_slot(op, "dst");
    case TMP_LIKE_SRC:
        src = tile_slot(op, "src");
        return src != NULL ? src : tile_slot(op, "src0");
    case TMP_ROW_DST:
        return rows_of_dst(ctx, op, 1);
    case TMP_TWO_ROWS_DST:
        return rows_of_dst(ctx, op, 2);
    case TMP_HALF_SRC_BINARY:
        return half_src(ctx, op);
    case TMP_ROW_EXPAND:
        return row_expand(ctx, op);
    }
    return NULL;
}
