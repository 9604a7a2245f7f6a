/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the values of the keys of a tile type. */
#include "parser/tile_body.h"
#include "support/ascii.h"

const char *const tile_key_names[] = {
#define TILE_KEY(id, text, family) text,
#include "parser/tile_keys.def"
#undef TILE_KEY
    NULL};

static bool take_key(Body *b, int key, Piece at) {
    if ((b->seen >> key & 1) != 0) {
        type_error(b->r, at, "key '%s' is given twice", tile_key_names[key]);
        return false;
    }
    b->seen |= 1u << key;
    return true;
}

/* Makes a reader for a part of the text that shares the error state. */
static TypeText sub_reader(const Body *b, Piece w) {
    TypeText r = *b->r;
    r.p = w.s;
    r.end = w.e;
    return r;
}

static bool sub_done(Body *b, TypeText *sub) {
    type_blanks(sub);
    if (!sub->failed && sub->p < sub->end) {
        Piece rest = {sub->p, sub->end};
        type_error(sub, rest, "unexpected '" PIECE_FMT "' in a tile type", PIECE_ARG(rest));
    }
    b->r->failed |= sub->failed;
    return !b->r->failed;
}

static bool number_value(Body *b, Piece w, int64_t *out) {
    TypeText sub = sub_reader(b, unquote(w));
    type_number(&sub, out);
    return sub_done(b, &sub);
}

static bool extent_value(Body *b, Piece w, int64_t *out) {
    if (w.s < w.e && *w.s == '-') {
        type_error(b->r, w, "rows and cols must be positive, found '" PIECE_FMT "'", PIECE_ARG(w));
        return false;
    }
    if (piece_is(w, "?")) {
        type_error(b->r, w, "rows and cols of a tile are static; only valid extents may be '?'");
        return false;
    }
    return number_value(b, w, out);
}

static bool valid_value(Body *b, Piece w, int64_t *out) {
    Piece bare = unquote(w);
    b->valid_at[out == &b->proto.tile.vcol] = w;
    if (piece_is(bare, "?") || piece_is(bare, "-1")) {
        *out = DYNAMIC;
        return true;
    }
    if (bare.s < bare.e && *bare.s == '-') {
        type_error(b->r, w, "a valid extent cannot be negative");
        return false;
    }
    return number_value(b, bare, out);
}

/* Returns the index of a word in `names`, in any case and with or without underscores; -1: none. */
static int word_index(Piece w, const char *const *names) {
    for (int i = 0; names[i] != NULL; i++) {
        const char *s = w.s, *n = names[i];
        while (s < w.e && *n != '\0') {
            if (*n == '_' && *s != '_') n++;
            char c = *s >= 'A' && *s <= 'Z' ? (char)(*s + 32) : *s;
            if (c != *n) break;
            s++;
            n++;
        }
        if (s == w.e && *n == '\0') return i;
    }
    return -1;
}

static void unknown_word(Body *b, const char *key, Piece w, Piece bare, const char *const *names) {
    unsigned n = 0;
    while (names[n] != NULL)
        n++;
    Diag *d = type_error(b->r, w, "unknown %s '" PIECE_FMT "'; known are %s", key, PIECE_ARG(bare),
                         words_listed(&b->r->ctx->arena, names, n));
    type_suggest(b->r, d, bare, names);
}

static bool word_value(Body *b, int key, Piece w, const char *const *names, uint8_t *out) {
    Piece bare = unquote(w);
    int i = -1;
    /* !pto.tile allows the manual's words (RowMajor), tile_buf only the exact ones. */
    if (b->spelling == SPELL_TILE)
        i = word_index(bare, names);
    else
        for (int k = 0; names[k] != NULL; k++)
            if (piece_is(bare, names[k])) i = k;
    if (i < 0) {
        unknown_word(b, tile_key_names[key], w, bare, names);
        return false;
    }
    *out = (uint8_t)i;
    return true;
}

static bool is_number(Piece w) {
    w = unquote(w);
    return w.s < w.e && *w.s >= '0' && *w.s <= '9';
}

static bool coded_value(Body *b, int key, Piece w, int64_t most, uint8_t *out) {
    int64_t v = 0;
    if (!number_value(b, w, &v)) return false;
    if (v > most) {
        type_error(b->r, w, "%s must be between 0 and %d", tile_key_names[key], (int)most);
        return false;
    }
    *out = (uint8_t)v;
    return true;
}

static const char *const blayouts[] = {"row_major", "col_major", NULL};
static const char *const slayouts[] = {"none_box", "row_major", "col_major", NULL};

static bool pad_value(Body *b, Piece w, uint8_t *out) {
    static const char *const words[] = {"null", "zero", "max", "min", "invalid", NULL};
    if (is_number(w) || b->spelling != SPELL_TILE) {
        if (is_number(w)) return coded_value(b, K_PAD, w, PAD_MIN, out);
        Diag *d = type_error(b->r, w, "pad must be a number: 0 null, 1 zero, 2 max, 3 min");
        static const char *const codes[] = {"0", "1", "2", "3"};
        for (unsigned i = 0; d != NULL && i < 4; i++)
            if (piece_is(unquote(w), words[i])) type_mean(b->r, d, w, codes[i], true);
        return false;
    }
    if (!word_value(b, K_PAD, w, words, out)) return false;
    if (*out > PAD_MIN) *out = PAD_NULL; /* `Invalid` */
    return true;
}

static bool compact_value(Body *b, Piece w, uint8_t *out) {
    static const char *const words[] = {"null", "normal", "row_plus_one", NULL};
    if (is_number(w)) return coded_value(b, K_COMPACT, w, COMPACT_ROW_PLUS_ONE, out);
    return word_value(b, K_COMPACT, w, words, out);
}

static bool fractal_value(Body *b, Piece w) {
    TileInfo *t = &b->proto.tile;
    Piece bare = unquote(w);
    if (b->spelling == SPELL_TILE && !is_number(w)) {
        bool nz = piece_is(bare, "NZ"), zn = piece_is(bare, "ZN");
        if (nz || zn || ascii_same(bare.s, (size_t)(bare.e - bare.s), "none")) {
            bool fits = nz   ? t->blayout == BL_COL_MAJOR && t->slayout == SL_ROW_MAJOR
                        : zn ? t->blayout == BL_ROW_MAJOR && t->slayout == SL_COL_MAJOR
                             : true;
            if (!fits) {
                type_error(b->r, w, "fractal " PIECE_FMT " contradicts the layouts",
                           PIECE_ARG(bare));
                return false;
            }
            t->fractal = 512;
            return true;
        }
        type_error(b->r, w,
                   "unknown fractal '" PIECE_FMT "'; known are None, NZ, ZN, 32, 512 and 1024",
                   PIECE_ARG(bare));
        return false;
    }
    int64_t v = 0;
    if (!number_value(b, w, &v)) return false;
    if (v != 32 && v != 512 && v != 1024) {
        type_error(b->r, w, "fractal must be 32, 512 or 1024");
        return false;
    }
    t->fractal = (uint16_t)v;
    return true;
}

bool tile_loc(Body *b, Piece w) {
    static const char *const names[] = {"vec", "mat",  "left",    "right",
                                        "acc", "bias", "scaling", NULL};
    Piece bare = unquote(w);
    Space space = space_from_text(bare.s, (size_t)(bare.e - bare.s), true);
    if (space == SPACE_COUNT) {
        unknown_word(b, "loc", w, bare, names);
        return false;
    }
    b->proto.tile.space = (uint8_t)space;
    return true;
}

/* Returns the element type for a name that the manual uses; allowed in !pto.tile only. */
static Elem elem_alias(Piece w) {
    static const struct {
        const char *text;
        Elem elem;
    } aliases[] = {{"u8", ELEM_UI8},
                   {"u16", ELEM_UI16},
                   {"u32", ELEM_UI32},
                   {"u64", ELEM_UI64},
                   {"int8", ELEM_I8},
                   {"int16", ELEM_I16},
                   {"int32", ELEM_I32},
                   {"int64", ELEM_I64},
                   {"uint8", ELEM_UI8},
                   {"uint16", ELEM_UI16},
                   {"uint32", ELEM_UI32},
                   {"uint64", ELEM_UI64},
                   {"int", ELEM_I32},
                   {"half", ELEM_F16},
                   {"float16", ELEM_F16},
                   {"bfloat16", ELEM_BF16},
                   {"float", ELEM_F32},
                   {"float32", ELEM_F32},
                   {"f8e4m3", ELEM_F8E4M3FN},
                   {"float8_e4m3", ELEM_F8E4M3FN},
                   {"f8e5m2", ELEM_F8E5M2},
                   {"float8_e5m2", ELEM_F8E5M2},
                   {"float8_e8m0", ELEM_F8E8M0},
                   {"hifloat8", ELEM_HIF8},
                   {"float4_e1m2x2", ELEM_F4E1M2X2},
                   {"float4_e2m1x2", ELEM_F4E2M1X2}};
    if (w.e - w.s > 2 && memcmp(w.e - 2, "_t", 2) == 0) w.e -= 2;
    for (size_t i = 0; i < sizeof aliases / sizeof aliases[0]; i++)
        if (piece_is(w, aliases[i].text)) return aliases[i].elem;
    return ELEM_NONE;
}

static bool elem_value(Body *b, Piece w) {
    Piece bare = unquote(w);
    const Type *t = NULL;
    Elem alias = b->spelling == SPELL_TILE ? elem_alias(bare) : ELEM_NONE;
    if (alias != ELEM_NONE) {
        t = type_scalar(b->r->ctx->types, alias);
    } else {
        TypeText sub = sub_reader(b, bare);
        t = type_element(&sub);
        if (!sub_done(b, &sub)) return false;
    }
    b->proto.elem = t->elem;
    b->proto.elem_type = t;
    return true;
}

bool tile_shape(Body *b, Piece w) {
    int64_t dims[2] = {0, 0};
    uint32_t rank = 0;
    TypeText sub = sub_reader(b, w);
    bool ok = type_dims(&sub, dims, 2, &rank);
    Piece elem = piece_trim((Piece){sub.p, sub.end});
    b->r->failed |= sub.failed;
    if (!ok) return false;
    b->shape_at = piece_trim((Piece){w.s, sub.p});
    if (rank != 2) {
        type_error(b->r, w, "a tile has two extents: rows x cols x element type");
        return false;
    }
    if (dims[0] == DYNAMIC || dims[1] == DYNAMIC) {
        type_error(b->r, b->shape_at,
                   "rows and cols of a tile are static; only valid extents may be '?'");
        return false;
    }
    b->proto.tile.rows = dims[0];
    b->proto.tile.cols = dims[1];
    return elem_value(b, elem);
}

/* Reads `16x?`. */
static bool valid_pair(Body *b, Piece w) {
    Piece bare = unquote(w);
    const char *x = memchr(bare.s, 'x', (size_t)(bare.e - bare.s));
    if (x == NULL) {
        type_error(b->r, w, "valid has two extents: rows x cols");
        return false;
    }
    return valid_value(b, piece_trim((Piece){bare.s, x}), &b->proto.tile.vrow) &&
           valid_value(b, piece_trim((Piece){x + 1, bare.e}), &b->proto.tile.vcol);
}

static bool count_value(Body *b, Piece w) {
    int64_t count = 0;
    if (!number_value(b, w, &count)) return false;
    if (count < 2 || count > 16) {
        type_error(b->r, w, "count must be between 2 and 16");
        return false;
    }
    b->proto.count = (uint32_t)count;
    return true;
}

bool tile_key_set(Body *b, const Item *item) {
    TileInfo *t = &b->proto.tile;
    Piece w = item->value;
    if (!take_key(b, item->key, item->whole)) return false;
    switch (item->key) {
    case K_LOC:
        return tile_loc(b, w);
    case K_DTYPE:
        return elem_value(b, w);
    case K_ROWS:
        b->shape_at = w;
        return extent_value(b, w, &t->rows);
    case K_COLS:
        if (b->shape_at.s == NULL) b->shape_at = w;
        return extent_value(b, w, &t->cols);
    case K_VROW:
        return valid_value(b, w, &t->vrow);
    case K_VCOL:
        return valid_value(b, w, &t->vcol);
    case K_VALID:
        return valid_pair(b, w);
    case K_BLAYOUT:
        return word_value(b, K_BLAYOUT, w, blayouts, &t->blayout);
    case K_SLAYOUT:
        return word_value(b, K_SLAYOUT, w, slayouts, &t->slayout);
    case K_FRACTAL:
        return fractal_value(b, w);
    case K_PAD:
        return pad_value(b, w, &t->pad);
    case K_COMPACT:
        return compact_value(b, w, &t->compact);
    default:
        return count_value(b, w);
    }
}
