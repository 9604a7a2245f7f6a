/* SPDX-License-Identifier: Apache-2.0 */
/* Errors in types: in the type that one statement writes for an operand, or wherever the type of a
 * tile is written. */
#include "parser/type_places.h"
#include "seeds.h"

#include <stdio.h>
#include <string.h>

/* A type as its text says it, aliases replaced. */
static void type_text(const Program *p, const Type *t, char *out, size_t size) {
    snprintf(out, size, "%.*s", (int)atom_len(&p->ctx.names, t->text),
             atom_text(&p->ctx.names, t->text));
}

/* Replaces the first occurrence of a text; false when there is none. */
static bool replace(char *s, size_t size, const char *what, const char *with) {
    char *at = strstr(s, what);
    size_t n = strlen(s), from = strlen(what), to = strlen(with);
    if (at == NULL || n + to - from >= size) return false;
    memmove(at + to, at + from, strlen(at + from) + 1);
    memcpy(at, with, to);
    return true;
}

/* ---- types: of one use, or everywhere ---- */

typedef bool TypeChange(const Type *t, char *text, size_t size);

static bool typed_tile_use(const Program *p, const Op *op, unsigned i) {
    Span place;
    const Type *written;
    return has_operand(op, i) && op->operands[i].value->type->kind == TY_TILE &&
           strncmp(op->inst->name, "pto.", 4) == 0 &&
           operand_type_place(&p->ctx, op, &op->operands[i], &place, &written);
}

/* Changes the type that a statement writes for one operand. */
static bool change_use(Program *p, Seed *seed, TypeChange *how) {
    Site site;
    Span place;
    const Type *written;
    char text[160];
    if (!pick_site(p, typed_tile_use, &site)) return false;
    const Operand *o = &site.op->operands[site.i];
    operand_type_place(&p->ctx, site.op, o, &place, &written);
    type_text(p, written, text, sizeof text);
    if (!how(written, text, sizeof text)) return false;
    change(seed, place, "%s", text);
    seed->op = site.op;
    seed->operand = op_operand_name(site.op, site.i);
    return true;
}

typedef struct Rewrite {
    Program *p;
    Seed *seed;
    const Value *value;
    const char *text;
    bool fine;
} Rewrite;

static bool rewrite_uses(Op *op, void *arg) {
    Rewrite *r = arg;
    Span place;
    const Type *written;
    for (unsigned i = 0; i < op->noperands; i++) {
        if (op->operands[i].value != r->value) continue;
        if (operand_type_place(&r->p->ctx, op, &op->operands[i], &place, &written))
            change(r->seed, place, "%s", r->text);
        else
            r->fine = false;
    }
    return true;
}

/* The text of an alias after its `=`. */
static bool alias_place(const Program *p, const Type *t, Span *place) {
    const char *name = atom_text(&p->ctx.names, t->alias);
    size_t n = atom_len(&p->ctx.names, t->alias);
    if (n > 0 && *name == '!') {
        name++;
        n--;
    }
    for (const AliasDef *a = p->ctx.aliases; a != NULL; a = a->next) {
        if (!a->is_type || atom_len(&p->ctx.names, a->name) != n ||
            memcmp(atom_text(&p->ctx.names, a->name), name, n) != 0)
            continue;
        const char *s = p->source.data + a->span.off, *at = strchr(s, '=') + 1;
        while (*at == ' ')
            at++;
        *place = (Span){(uint32_t)(at - p->source.data), (uint32_t)strcspn(at, "\n")};
        return true;
    }
    return false;
}

static bool is_allocation(const Program *p, const Op *op, unsigned i) {
    (void)p;
    return i == 0 && op_is(op, INST_ALLOC_TILE) && op->nresults == 1 && op->form != OPF_GENERIC &&
           op->results[0].type->kind == TY_TILE;
}

/* Changes the type of a tile wherever it is written: in its alias, or at its definition and all
 * uses. */
static bool change_type(Program *p, Seed *seed, TypeChange *how) {
    Site site;
    Span place;
    const Type *written;
    char text[160];
    if (!pick_site(p, is_allocation, &site)) return false;
    const Value *v = &site.op->results[0];
    type_text(p, v->type, text, sizeof text);
    if (!how(v->type, text, sizeof text)) return false;
    if (v->type->alias != 0) {
        if (!alias_place(p, v->type, &place)) return false;
        change(seed, place, "%s", text);
        seed->type = v->type;
        return true;
    }
    Rewrite r = {p, seed, v, text, true};
    if (!value_type_place(&p->ctx, v, &place, &written)) return false;
    change(seed, place, "%s", text);
    op_walk(op_function(site.op), rewrite_uses, &r);
    seed->value = v;
    return r.fine;
}

/* ---- changes of types ---- */

static bool other_element(const Type *t, char *text, size_t size) {
    static const char *const words[] = {"f32", "f16", "i32", "i16", "i8", "bf16", "f64", "i64"};
    char was[8], with[8];
    snprintf(was, sizeof was, "x%s", elem_infos[t->elem].text);
    snprintf(with, sizeof with, "x%s", words[seed_pick(8)]);
    return strcmp(was, with) != 0 && replace(text, size, was, with);
}

static bool other_extent(const Type *t, char *text, size_t size) {
    static const int64_t factors[] = {2, 3, 4};
    char was[48], with[48];
    int64_t rows = t->tile.rows, cols = t->tile.cols;
    snprintf(was, sizeof was, "%lldx%lldx", (long long)rows, (long long)cols);
    int64_t *extent = seed_pick(2) == 0 ? &rows : &cols;
    *extent = seed_pick(2) == 0 ? *extent * factors[seed_pick(3)] : *extent - 1;
    snprintf(with, sizeof with, "%lldx%lldx", (long long)rows, (long long)cols);
    return *extent > 0 && replace(text, size, was, with);
}

static bool other_valid(const Type *t, char *text, size_t size) {
    char key[64];
    if (t->tile.vrow == DYNAMIC || t->tile.vcol == DYNAMIC) return false;
    char *valid = strstr(text, ", valid="), *close = strrchr(text, '>');
    if (valid != NULL || close == NULL) return false;
    int64_t rows = t->tile.vrow, cols = t->tile.vcol;
    int64_t *extent = seed_pick(2) == 0 ? &rows : &cols;
    *extent = seed_pick(2) == 0 ? *extent + 1 + seed_pick(8) : *extent - 1;
    if (*extent <= 0) return false;
    snprintf(key, sizeof key, ", valid=%lldx%lld>", (long long)rows, (long long)cols);
    *close = '\0';
    if (strlen(text) + strlen(key) >= size) return false;
    strcat(text, key);
    return true;
}

static bool other_space(const Type *t, char *text, size_t size) {
    static const char *const words[] = {"<vec", "<mat", "<left", "<right", "<acc"};
    (void)t;
    const char *with = words[seed_pick(5)];
    for (unsigned i = 0; i < 5; i++)
        if (strstr(text, words[i]) != NULL && words[i] != with)
            return replace(text, size, words[i], with);
    return false;
}

static bool other_layout(const Type *t, char *text, size_t size) {
    (void)t;
    if (replace(text, size, ", blayout=col_major", "")) return true;
    char *close = strrchr(text, '>');
    if (close == NULL || strlen(text) + 24 >= size) return false;
    strcpy(close, ", blayout=col_major>");
    return true;
}

static bool other_box(const Type *t, char *text, size_t size) {
    (void)t;
    if (seed_pick(2) == 0 && replace(text, size, ", fractal=1024", "")) return true;
    if (replace(text, size, "slayout=row_major", "slayout=col_major")) return true;
    return replace(text, size, "slayout=col_major", "slayout=row_major");
}

/* A column given as a row, or a row as a column. */
static bool row_for_column(const Type *t, char *text, size_t size) {
    const TileInfo *tile = &t->tile;
    if (tile->slayout != SL_NONE_BOX || (tile->cols != 1 && tile->rows != 1)) return false;
    const long long rows = (long long)tile->cols, cols = (long long)tile->rows;
    char valid[48] = "";
    if (tile->vrow == DYNAMIC || tile->vcol == DYNAMIC)
        snprintf(valid, sizeof valid, ", valid=%s", tile->vcol == DYNAMIC ? "?x1" : "1x?");
    snprintf(text, size, "!pto.tile_buf<vec, %lldx%lldx%s%s%s>", rows, cols,
             elem_infos[t->elem].text, valid, cols == 1 ? ", blayout=col_major" : "");
    return tile->space == SPACE_VEC;
}

bool element_of_use(Program *p, Seed *seed) {
    return change_use(p, seed, other_element);
}
bool element_of_type(Program *p, Seed *seed) {
    return change_type(p, seed, other_element);
}
bool extent_of_use(Program *p, Seed *seed) {
    return change_use(p, seed, other_extent);
}
bool extent_of_type(Program *p, Seed *seed) {
    return change_type(p, seed, other_extent);
}
bool valid_of_type(Program *p, Seed *seed) {
    return change_type(p, seed, other_valid);
}
bool space_of_use(Program *p, Seed *seed) {
    return change_use(p, seed, other_space);
}
bool space_of_type(Program *p, Seed *seed) {
    return change_type(p, seed, other_space);
}
bool layout_of_type(Program *p, Seed *seed) {
    return change_type(p, seed, other_layout);
}
bool box_of_type(Program *p, Seed *seed) {
    return change_type(p, seed, other_box);
}
bool column_of_type(Program *p, Seed *seed) {
    return change_type(p, seed, row_for_column);
}
bool column_as_row(Program *p, Seed *seed) {
    return change_use(p, seed, row_for_column);
}
