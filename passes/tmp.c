/* SPDX-License-Identifier: Apache-2.0 */
/* Implicit scratch tiles: the tile that an instruction works in when the text gives none. */
#include "ir/tmp.h"
#include "analysis/live.h"
#include "passes/passes.h"

/* Returns the type of a slot's tile; NULL when there is no such slot or its type is unknown. */
static const Type *tile_slot(const Op *op, OperandName name) {
    const Value *v = named_value(op, name);
    const Type *type = v != NULL ? tile_value_type(v) : NULL;
    return type != NULL && type->kind == TY_TILE ? type : NULL;
}

/* Makes a plain tile with the elements of `like`; its rows are whole 32-byte blocks. */
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

/* Makes a tile of one row with another element type. */
static const Type *plain_row(const Context *ctx, const Type *like, Elem elem, int64_t cols) {
    Type proto = *like;
    proto.elem = (uint8_t)elem;
    proto.elem_type = type_scalar(ctx->types, elem);
    return plain_tile(ctx, &proto, 1, cols);
}

/* Makes a tile with `rows` rows of `like`. */
static const Type *rows_of(const Context *ctx, const Type *like, int64_t rows) {
    if (like == NULL) return NULL;
    Type proto = *like;
    proto.alias = 0;
    proto.tile.rows = proto.tile.vrow = rows;
    return type_intern(ctx->types, &proto);
}

/* Makes a tile for the sums of pairs of rows. */
static const Type *half_src(const Context *ctx, const Op *op) {
    const Type *src = tile_slot(op, OPERAND_src);
    int attr = inst_attr(op->inst, ATTR_isBinary);
    const NamedAttr *a = attr >= 0 ? op_attr(op, attr) : NULL;
    if (src == NULL || a == NULL || a->value->kind != ATTR_BOOL || a->value->i == 0) return NULL;
    int64_t rows = src->tile.vrow == DYNAMIC ? src->tile.rows : src->tile.vrow;
    int64_t cols = src->tile.vcol == DYNAMIC ? src->tile.cols : src->tile.vcol;
    return plain_tile(ctx, src, rows / 2 + rows % 2, cols);
}

static bool one_value_per_row(const Type *t) {
    return t != NULL && t->tile.slayout == SL_NONE_BOX && t->tile.blayout == BL_COL_MAJOR &&
           (t->tile.vcol == 1 || t->tile.vcol == DYNAMIC);
}

/* Makes a 32-byte block for each of 256 rows; a row_major operand needs none. */
static const Type *row_expand(const Context *ctx, const Op *op) {
    const Type *dst = tile_slot(op, OPERAND_dst);
    bool needed = one_value_per_row(tile_slot(op, OPERAND_src0)) ||
                  one_value_per_row(tile_slot(op, OPERAND_src1));
    if (dst == NULL || !needed || elem_infos[dst->elem].bytes == 0) return NULL;
    return plain_tile(ctx, dst, 1, 8192 / elem_infos[dst->elem].bytes);
}

static const Type *sequence(const Context *ctx, const Op *op) {
    const Type *dst = tile_slot(op, OPERAND_dst);
    if (dst == NULL) return NULL;
    Type like = *dst;
    like.elem = ELEM_F32;
    like.elem_type = type_scalar(ctx->types, ELEM_F32);
    return plain_tile(ctx, &like, 1, elem_infos[dst->elem].bytes == 2 ? 448 : 192);
}

/* Whole blocks of 32 columns are sorted without scratch. */
static const Type *sort_tmp(const Context *ctx, const Op *op) {
    const Type *src = tile_slot(op, OPERAND_src);
    if (src == NULL || (src->tile.vcol != DYNAMIC && src->tile.vcol % 32 == 0)) return NULL;
    bool dynamic = src->tile.vrow == DYNAMIC || src->tile.vcol == DYNAMIC;
    Type proto = *plain_tile(ctx, src, src->tile.rows, src->tile.cols);
    if (!dynamic) {
        proto.tile.vrow = src->tile.vrow;
        proto.tile.vcol = src->tile.vcol;
    }
    return type_intern(ctx->types, &proto);
}

static const Type *merge_tmp(const Context *ctx, const Op *op) {
    const Type *dst = tile_slot(op, OPERAND_dst), *first = NULL;
    int slot = inst_slot(op->inst, OPERAND_srcs);
    const Operand *o = slot_operands(op, slot);
    int64_t cols = 0;
    for (unsigned i = 0; i < slot_count(op, slot); i++) {
        const Type *t = tile_value_type(o[i].value);
        if (t == NULL || t->kind != TY_TILE || __builtin_add_overflow(cols, t->tile.cols, &cols))
            return NULL;
        if (first == NULL) first = t;
    }
    if (dst == NULL || first == NULL || named_value(op, OPERAND_blockLen) != NULL) return NULL;
    return plain_tile(ctx, first, 1, cols > dst->tile.cols ? cols : dst->tile.cols);
}

/* Makes two rows with room for a mask per 64 columns, as the library asserts. */
static const Type *remainder_tmp(const Context *ctx, const Type *dst) {
    int64_t cols = dst->tile.cols, most = INT32_MAX;
    if (cols > most || elem_infos[dst->elem].bytes == 0) return NULL;
    Type proto = *plain_tile(ctx, dst, 2, cols + 2 * ((cols + 63) / 64));
    proto.tile.vcol = dst->tile.vcol;
    return type_intern(ctx->types, &proto);
}

/* Makes a row of predicates for every valid row of dst, and one more. */
static const Type *predicate_tmp(const Context *ctx, const Type *dst) {
    int64_t rows = dst->tile.vrow, cols = dst->tile.vcol, bytes;
    if (rows == DYNAMIC || cols == DYNAMIC ||
        __builtin_mul_overflow(rows + 1, predicate_row_bytes(cols), &bytes))
        return NULL;
    Type proto = *plain_row(ctx, dst, ELEM_I8, predicate_row_bytes(cols));
    proto.tile.rows = proto.tile.vrow = rows + 1;
    proto.tile.vcol = cols / 8 + (cols % 8 != 0);
    return type_intern(ctx->types, &proto);
}

static const Type *narrowing_tmp(const Context *ctx, const Op *op, const Type *dst) {
    const Type *src = tile_slot(op, OPERAND_src);
    int attr = inst_attr(op->inst, ATTR_satmode);
    bool saturates = attr >= 0 && op_attr_int(op, attr) == 0; /* ON */
    int64_t bytes = src != NULL && !saturates ? narrowing_tmp_bytes(src, dst) : 0;
    if (bytes == DYNAMIC) bytes = narrowing_tmp_most(src, dst);
    return bytes == 0 ? NULL : plain_row(ctx, dst, ELEM_I8, bytes);
}

/* Handles the kinds that depend on dst, or on dst and src. */
static const Type *tmp_of_dst(const Context *ctx, const Op *op, ImplicitTmp how, const Type *dst) {
    if (dst == NULL) return NULL;
    switch (how) {
    case TMP_LIKE_FLOAT_DST:
        return elem_infos[dst->elem].cls == 'F' ? dst : NULL;
    case TMP_REMAINDER:
        return remainder_tmp(ctx, dst);
    case TMP_SELECT:
        return plain_row(ctx, dst, ELEM_I32, 16);
    case TMP_PREDICATES:
        return predicate_tmp(ctx, dst);
    case TMP_NARROWING:
        return narrowing_tmp(ctx, op, dst);
    default:
        return dst;
    }
}

const Type *implicit_tmp_type(const Context *ctx, const Op *op, ImplicitTmp how) {
    const Type *src;
    switch (how) {
    case TMP_NONE:
        return NULL;
    case TMP_LIKE_SRC:
        src = tile_slot(op, OPERAND_src);
        return src != NULL ? src : tile_slot(op, OPERAND_src0);
    case TMP_ROW_DST:
        return rows_of(ctx, tile_slot(op, OPERAND_dst), 1);
    case TMP_ROW_SRC:
        return rows_of(ctx, tile_slot(op, OPERAND_src), 1);
    case TMP_TWO_ROWS_DST:
        return rows_of(ctx, tile_slot(op, OPERAND_dst), 2);
    case TMP_HALF_SRC_BINARY:
        return half_src(ctx, op);
    case TMP_ROW_EXPAND:
        return row_expand(ctx, op);
    case TMP_SEQUENCE:
        return sequence(ctx, op);
    case TMP_SORT32:
        return sort_tmp(ctx, op);
    case TMP_MERGE:
        return merge_tmp(ctx, op);
    default:
        return tmp_of_dst(ctx, op, how, tile_slot(op, OPERAND_dst));
    }
}
