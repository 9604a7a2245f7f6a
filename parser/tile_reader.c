/* SPDX-License-Identifier: Apache-2.0 */
/* Reads tile types: the key form and the compact form of `!pto.tile_buf`, the positional spellings
 * of `!pto.tile`, and `!pto.multi_tile_buf`. The body is first split at its commas; the first
 * items then determine the form. What the keys take is in tile_values.c. */
#include "parser/tile_body.h"

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
        if (piece_is(key, tile_key_names[k])) item->key = k;
    if (item->key < 0) {
        Diag *d = type_error(r, key, "unknown key '" PIECE_FMT "' in a tile type", PIECE_ARG(key));
        type_suggest(r, d, key, tile_key_names);
        return false;
    }
    if (item->value.s == item->value.e) {
        type_error(r, item->whole, "key '%s' has no value", tile_key_names[item->key]);
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
                       tile_key_names[item->key]);
            return false;
        }
        if (!tile_key_set(b, item)) return false;
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
                       "key '%s' is missing", tile_key_names[k]);
            return false;
        }
    return true;
}

/* Reads LOC, RxCxELEM [, key = value ...]; item `i` is the shape. */
static bool compact_form(Body *b, unsigned i, unsigned more_keys) {
    if (i == 1) {
        Item loc = b->items[0];
        loc.key = K_LOC;
        if (!tile_key_set(b, &loc)) return false;
    }
    if (!tile_shape(b, b->items[i].value)) return false;
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
            type_error(b->r, item.whole, "key '%s' is where %s is expected",
                       tile_key_names[item.key], tile_key_names[order[i]]);
            return false;
        }
        item.key = order[i];
        if (!tile_key_set(b, &item)) return false;
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
    if (loc_first && tile_loc(b, first->value))
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
            type_mean(b->r, d, at, arena_printf(&b->r->ctx->arena, "%lld", (long long)most[i]),
                      false);
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
                  .ntypes = 1,
                  .types = &slot,
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
