/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the types of logical vectors and their masks, with the layout that they may have: the
 * vendor's assembler adds it, and it does not change their meaning. */
#include "parser/type_text.h"

/* Reads `word` or `word = n`, and adds it to the layout. */
static bool read_layout_part(TypeText *r, StrBuf *out) {
    type_blanks(r);
    const Piece w = type_word(r);
    if (w.s == w.e) {
        type_error(r, type_here(r), "expected a word of the layout");
        return false;
    }
    sb_printf(out, PIECE_FMT, PIECE_ARG(w));
    if (!type_accept(r, '=')) return true;
    type_blanks(r);
    const char *s = r->p;
    int64_t n;
    if (!type_number(r, &n)) return false;
    if (n == 0) {
        type_error(r, (Piece){s, r->p}, PIECE_FMT " must be positive", PIECE_ARG(w));
        return false;
    }
    sb_printf(out, " = %lld", (long long)n);
    return true;
}

/* Reads `, #pto.vmi.layout<..>` if it is there, and the `>` of the type. */
static bool read_end(TypeText *r, Type *proto) {
    if (!type_accept(r, ',')) return type_expect(r, '>');
    static const char name[] = "pto.vmi.layout";
    if (!type_expect(r, '#')) return false;
    const Piece w = type_word(r);
    if (!piece_is(w, name)) {
        type_error(r, w, "expected #%s<..>", name);
        return false;
    }
    StrBuf text;
    sb_init(&text, &r->ctx->arena);
    if (!type_expect(r, '<')) return false;
    do {
        if (!read_layout_part(r, &text)) return false;
        if (!type_accept(r, ',')) break;
        sb_puts(&text, ", ");
    } while (true);
    const char *shown = sb_text(&text);
    proto->layout = intern_copy(&r->ctx->names, shown, strlen(shown));
    return type_expect(r, '>') && type_expect(r, '>');
}

/* Reads the number of lanes before an element type. */
static bool read_count(TypeText *r, Type *proto) {
    int64_t n[1];
    uint32_t rank = 0;
    type_blanks(r);
    const char *s = r->p;
    if (!type_dims(r, n, 1, &rank)) return false;
    if (rank != 1 || n[0] <= 0 || n[0] > MOST_LANES) {
        type_error(r, (Piece){s, r->p}, "expected a number of lanes, 1 to %d", MOST_LANES);
        return false;
    }
    proto->count = (uint32_t)n[0];
    return true;
}

const Type *type_lanes(TypeText *r) {
    Type proto = {.kind = TY_LANES};
    if (!read_count(r, &proto)) return NULL;
    const char *e = r->p;
    const Type *elem = type_element(r);
    if (elem == NULL) return NULL;
    const unsigned bits = elem_storage_bits((Elem)elem->elem);
    if (elem->kind != TY_SCALAR || (bits != 8 && bits != 16 && bits != 32)) {
        type_error(r, (Piece){e, r->p}, "lanes have 8, 16 or 32 bits");
        return NULL;
    }
    proto.elem = elem->elem;
    proto.elem_type = elem;
    return read_end(r, &proto) ? type_intern(r->ctx->types, &proto) : NULL;
}

const Type *type_lane_mask(TypeText *r) {
    static const char *const names[] = {"pred", "b8", "b16", "b32", NULL};
    static const uint8_t widths[] = {0, 8, 16, 32};
    Type proto = {.kind = TY_LANE_MASK};
    if (!read_count(r, &proto)) return NULL;
    const Piece w = type_word(r);
    unsigned i = 0;
    while (names[i] != NULL && !piece_is(w, names[i]))
        i++;
    if (names[i] == NULL) {
        Diag *d = type_error(
            r, w, "unknown granularity '" PIECE_FMT "'; known are pred, b8, b16 and b32",
            PIECE_ARG(w));
        type_suggest(r, d, w, names);
        return NULL;
    }
    proto.width = widths[i];
    if (!read_end(r, &proto)) return NULL;
    if (proto.width == 0 && proto.layout != 0) {
        type_error(r, w, "a mask with a layout has granularity b8, b16 or b32");
        return NULL;
    }
    return type_intern(r->ctx->types, &proto);
}
