/* Reads tile types: the key form and the compact form of `!pto.tile_buf`, the positional spellings
 * of `!pto.tile`, and `!pto.multi_tile_buf`. The body is first split at its commas; the first
 * items then determine the form. */
#include "parser/type_text.h"
#include "support/ascii.h"

enum { MAX_ITEMS = 16 };

enum {
#define TILE_KEY(id, text, family) K_##id,
#include "parser/tile_keys.def"
#undef TILE_KEY
    K_END
};
static const char *const key_names[] = {
#define TILE_KEY(id, text, family) text,
#include "parser/tile_keys.def"
#undef TILE_KEY
    NULL};

typedef struct Item {
    Piece whole, value;
    int key; /* K_*; -1 without a key */
} Item;

typedef struct Body {
    TypeText *r;
    TileSpelling spelling;
    Item items[MAX_ITEMS];
    unsigned n;
    Type proto;
    unsigned seen;     /* bit set of keys */
    Piece valid_at[2]; /* the texts of rows and cols, if written */
    Piece shape_at;
} Body;

static Piece unquote(Piece w) {
    if (w.e - w.s >= 2 && *w.s == '"' && w.e[-1] == '"') {
        w.s++;
        w.e--;
    }
    return w;
}

/* Splits off the item up to the next comma or `>` outside of brackets. */
static bool cut_item(TypeText *r, Item *item) {
    type_blanks(r);
    const char *s = r->p, *equal = NULL;
    unsigned depth = 0;
    bool quoted = false;
    for (; r->p < r->end; r->p++) {
        char c = *r->p;
        quoted ^= c == '"';
        if (quoted) continue;
        if (depth == 0 && (c == ',' || c == '>')) break;
        if (depth == 0 && c == '=' && equal == NULL) equal = r->p;
        depth += c == '<';
        depth -= c == '>';
    }
    item->whole = item->value = piece_trim((Piece){s, r->p});
    item->key = -1;
    if (item->whole.s == item->whole.e) {
        type_error(r, (Piece){s, s + (s < r->end)}, "empty entry in a tile type");
        return false;
    }
    if (equal == NULL) return true;
    Piece key = piece_trim((Piece){s, equal});
    item->value = piece_trim((Piece){equal + 1, r->p});
    for (int k = 0; k < K_END; k++)
        if (piece_is(key, key_names[k])) item->key = k;
    if (item->key < 0) {
        Diag *d = type_error(r, key, "unknown key '" PIECE_FMT "' in a tile type", PIECE_ARG(key));
        type_suggest(r, d, key, key_names);
        return false;
    }
    if (item->value.s == item->value.e) {
        type_error(r, item->whole, "key '%s' has no value", key_names[item->key]);
        return false;
    }
    return true;
}

static bool cut_body(Body *b) {
    do {
        if (b->n == MAX_ITEMS) {
            type_error(b->r, (Piece){b->r->p, b->r->p + 1}, "too many entries in a tile type");
            return false;
        }
        if (!cut_item(b->r, &b->items[b->n++])) return false;
    } while (type_accept(b->r, ','));
    return type_expect(b->r, '>');
}

/* ---- values ---- */

static bool take_key(Body *b, int key, Piece at) {
    if ((b->seen >> key & 1) != 0) {
        type_error(b->r, at, "key '%s' is given twice", key_names[key]);
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
        unknown_word(b, key_names[key], w, bare, names);
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
        type_error(b->r, w, "%s must be between 0 and %d", key_names[key], (int)most);
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
            if (piece_is(unquote(w), words[i])) type_mean(b->r, d, w, codes[i]);
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

static bool loc_value(Body *b, Piece w) {
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

/* Reads `16x64xf32`. */
static bool shape_value(Body *b, Piece w) {
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

static bool set_key(Body *b, const Item *item) {
    TileInfo *t = &b->proto.tile;
    Piece w = item->value;
    int64_t count = 0;
    if (!take_key(b, item->key, item->whole)) return false;
    switch (item->key) {
    case K_LOC:
        return loc_value(b, w);
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
        if (!number_value(b, w, &count)) return false;
        if (count < 2 || count > 16) {
            type_error(b->r, w, "count must be between 2 and 16");
            return false;
        }
        b->proto.count = (uint32_t)count;
        return true;
    }
}

/* ---- forms ---- */

/* Sets the keys of the items from `i` on, which must be in the set `allowed`. */
static bool set_keys(Body *b, unsigned i, unsigned allowed) {
    int last = -1;
    for (; i < b->n; i++) {
        const Item *item = &b->items[i];
        if (item->key < 0) {
            type_error(b->r, item->whole, "expected key = value, found '" PIECE_FMT "'",
                       PIECE_ARG(item->whole));
            return false;
        }
        if ((allowed >> item->key & 1) == 0) {
            type_error(b->r, item->whole, "key '%s' does not belong to this form of a tile type",
                       key_names[item->key]);
            return false;
        }
        if (!set_key(b, item)) return false;
        b->proto.key_order_odd |= item->key < last;
        last = item->key;
    }
    return true;
}

enum {
    OPTION_KEYS = 1 << K_BLAYOUT | 1 << K_SLAYOUT | 1 << K_FRACTAL | 1 << K_PAD | 1 << K_COMPACT,
    REQUIRED_KEYS = (1 << K_COMPACT) - 1
};

static bool key_form(Body *b) {
    if (!set_keys(b, 0, REQUIRED_KEYS | 1 << K_COMPACT)) return false;
    for (int k = 0; k < K_COMPACT; k++)
        if ((b->seen >> k & 1) == 0) {
            type_error(b->r, (Piece){b->items[0].whole.s, b->items[b->n - 1].whole.e},
                       "key '%s' is missing", key_names[k]);
            return false;
        }
    return true;
}

/* Reads LOC, RxCxELEM [, key = value ...]; item `i` is the shape. */
static bool compact_form(Body *b, unsigned i, unsigned more_keys) {
    if (i == 1) {
        Item loc = b->items[0];
        loc.key = K_LOC;
        if (!set_key(b, &loc)) return false;
    }
    if (!shape_value(b, b->items[i].value)) return false;
    b->proto.tile.vrow = b->proto.tile.rows;
    b->proto.tile.vcol = b->proto.tile.cols;
    bool ok = set_keys(b, i + 1, OPTION_KEYS | 1u << K_VALID | more_keys);
    b->proto.key_order_odd = false; /* here keys may have any order */
    return ok;
}

/* Reads [loc,] dtype, rows, cols [, v_row, v_col] [, blayout, slayout, fractal, pad]. */
static bool positional_form(Body *b) {
    static const int tail[] = {K_BLAYOUT, K_SLAYOUT, K_FRACTAL, K_PAD};
    int order[MAX_ITEMS];
    unsigned n = 0, left;
    Piece first = unquote(b->items[0].value);
    if (b->items[0].key == K_LOC ||
        space_from_text(first.s, (size_t)(first.e - first.s), true) != SPACE_COUNT)
        order[n++] = K_LOC;
    order[n++] = K_DTYPE;
    order[n++] = K_ROWS;
    order[n++] = K_COLS;
    left = b->n > n ? b->n - n : 0;
    if (left == 2 || left == 6) {
        order[n++] = K_VROW;
        order[n++] = K_VCOL;
        left -= 2;
    }
    if (b->n < n || (left != 0 && left != 4)) {
        type_error(b->r, b->items[0].whole, "a tile type cannot be read from %u entries", b->n);
        return false;
    }
    for (unsigned i = 0; i < left; i++)
        order[n++] = tail[i];
    for (unsigned i = 0; i < n; i++) {
        Item item = b->items[i];
        if (item.key >= 0 && item.key != order[i]) {
            type_error(b->r, item.whole, "key '%s' is where %s is expected", key_names[item.key],
                       key_names[order[i]]);
            return false;
        }
        item.key = order[i];
        if (!set_key(b, &item)) return false;
    }
    if ((b->seen >> K_VROW & 1) == 0) {
        b->proto.tile.vrow = b->proto.tile.rows;
        b->proto.tile.vcol = b->proto.tile.cols;
    }
    return true;
}

static bool starts_shape(Piece w) {
    return w.s < w.e && ((*w.s >= '0' && *w.s <= '9') || *w.s == '?') &&
           memchr(w.s, 'x', (size_t)(w.e - w.s)) != NULL;
}

static bool read_form(Body *b, unsigned more_keys) {
    const Item *first = &b->items[0], *second = &b->items[1];
    bool tile = b->spelling == SPELL_TILE;
    if (first->key >= 0 && (b->n == 1 || second->key >= 0)) return key_form(b);
    if (tile && first->key < 0 && starts_shape(first->value)) return compact_form(b, 0, more_keys);
    bool loc_first = first->key < 0 || (tile && first->key == K_LOC);
    if (loc_first && b->n > 1 && second->key < 0 && starts_shape(second->value))
        return compact_form(b, 1, more_keys);
    if (tile) return positional_form(b);
    if (loc_first && loc_value(b, first->value))
        type_error(b->r, b->n > 1 ? second->whole : first->whole,
                   "expected rows x cols x element type after the loc");
    else
        type_error(b->r, first->whole, "a tile type starts with its loc");
    return false;
}

/* Checks that the valid region is inside the tile. */
static bool check_valid(Body *b) {
    const TileInfo *t = &b->proto.tile;
    const int64_t valid[2] = {t->vrow, t->vcol}, most[2] = {t->rows, t->cols};
    static const char *const names[2] = {"rows", "cols"};
    Diag *d = NULL;
    bool fits = true;
    for (int i = 0; i < 2; i++) {
        Piece at = b->valid_at[i].s != NULL ? b->valid_at[i] : b->shape_at;
        if (valid[i] == DYNAMIC || valid[i] <= most[i]) continue;
        if (d == NULL)
            d = type_error(b->r, at, "valid %s %lld exceed the %lld %s of the tile", names[i],
                           (long long)valid[i], (long long)most[i], names[i]);
        fits = false;
        if (b->valid_at[i].s != NULL)
            type_mean(b->r, d, at, arena_printf(&b->r->ctx->arena, "%lld", (long long)most[i]));
    }
    return fits;
}

static bool check_tile(Body *b) {
    const TileInfo *t = &b->proto.tile;
    int64_t dims[2] = {t->rows, t->cols};
    if (t->rows <= 0 || t->cols <= 0) {
        type_error(b->r, b->shape_at, "rows and cols must be positive");
        return false;
    }
    if (!type_fits(b->r, b->shape_at, dims, 2, elem_infos[b->proto.elem].bytes)) return false;
    return check_valid(b);
}

static bool is_dots(TypeText *r) {
    type_blanks(r);
    if (r->end - r->p < 3 || memcmp(r->p, "...", 3) != 0) return false;
    r->p += 3;
    return true;
}

static void body_init(Body *b, TypeText *r, TileSpelling spelling) {
    memset(b, 0, sizeof *b);
    b->r = r;
    b->spelling = spelling;
    b->proto.kind = TY_TILE;
    b->proto.spelling = (uint8_t)spelling;
    b->proto.tile.space = SPACE_VEC;
    b->proto.tile.fractal = 512;
}

const Type *type_tile(TypeText *r, TileSpelling spelling, bool missing_bang) {
    if (is_dots(r)) {
        Type proto = {
            .kind = TY_TILE_ANY, .spelling = (uint8_t)spelling, .missing_bang = missing_bang};
        return type_expect(r, '>') ? type_intern(r->ctx->types, &proto) : NULL;
    }
    Body b;
    body_init(&b, r, spelling);
    if (!cut_body(&b) || !read_form(&b, 0) || !check_tile(&b)) return NULL;
    b.proto.missing_bang = missing_bang;
    b.proto.tile.blayout_written =
        b.proto.tile.space == SPACE_LEFT && (b.seen >> K_BLAYOUT & 1) != 0;
    return type_intern(r->ctx->types, &b.proto);
}

/* Reads `<!pto.tile_buf<...>, count=N>`. */
static const Type *multi_of_tile(TypeText *r) {
    const char *s = r->p;
    const Type *slot = type_any(r);
    if (slot == NULL) return NULL;
    if (slot->kind != TY_TILE) {
        type_error(r, (Piece){s, r->p}, "a multi-tile buffer holds tiles");
        return NULL;
    }
    Body b;
    body_init(&b, r, SPELL_BUF);
    if (!type_expect(r, ',') || !cut_body(&b)) return NULL;
    if (!set_keys(&b, 0, 1u << K_COUNT)) return NULL;
    Type proto = {.kind = TY_MULTI_TILE,
                  .elem = slot->elem,
                  .elem_type = slot->elem_type,
                  .tile = slot->tile,
                  .count = b.proto.count};
    proto.tile.blayout_written = false;
    return type_intern(r->ctx->types, &proto);
}

const Type *type_multi_tile(TypeText *r) {
    type_blanks(r);
    if (r->p < r->end && *r->p == '!') return multi_of_tile(r);
    Body b;
    const char *s = r->p;
    body_init(&b, r, SPELL_BUF);
    if (!cut_body(&b) || !read_form(&b, 1u << K_COUNT) || !check_tile(&b)) return NULL;
    if ((b.seen >> K_COUNT & 1) == 0) {
        type_error(r, (Piece){s, r->p}, "key 'count' is missing");
        return NULL;
    }
    b.proto.kind = TY_MULTI_TILE;
    return type_intern(r->ctx->types, &b.proto);
}
