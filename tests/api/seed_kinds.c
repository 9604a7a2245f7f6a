/* The kinds of single errors. Each picks a place of the parsed program and changes its text. */
#include "ir/foreign.h"
#include "parser/type_places.h"
#include "seeds.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- changing ---- */

__attribute__((format(printf, 3, 4))) static void change(Seed *seed, Span span, const char *fmt,
                                                         ...) {
    va_list args;
    if (seed->nchanges == MOST_CHANGES) return;
    unsigned at = seed->nchanges++;
    while (at > 0 && seed->changes[at - 1].span.off > span.off) {
        seed->changes[at] = seed->changes[at - 1];
        at--;
    }
    seed->changes[at].span = span;
    va_start(args, fmt);
    vsnprintf(seed->changes[at].text, sizeof seed->changes[at].text, fmt, args);
    va_end(args);
}

static const char *text_at(const Program *p, Span span) {
    return p->source.data + span.off;
}

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

/* ---- places ---- */

enum { MOST_SITES = 4096 };

typedef struct Site {
    Op *op;
    unsigned i; /* operand */
} Site;

typedef struct Sites {
    const Program *p;
    bool (*fits)(const Program *p, const Op *op, unsigned i); /* i: an operand */
    Site list[MOST_SITES];
    unsigned n;
} Sites;

static bool collect(Op *op, void *arg) {
    Sites *s = arg;
    unsigned n = op->noperands > 0 ? op->noperands : 1;
    for (unsigned i = 0; i < n && s->n < MOST_SITES; i++)
        if (s->fits(s->p, op, i)) s->list[s->n++] = (Site){op, i};
    return true;
}

static bool pick_site(Program *p, bool (*fits)(const Program *p, const Op *op, unsigned i),
                      Site *out) {
    static Sites sites;
    sites.p = p;
    sites.fits = fits;
    sites.n = 0;
    op_walk(p->module->root, collect, &sites);
    if (sites.n == 0) return false;
    *out = sites.list[seed_pick(sites.n)];
    return true;
}

static bool has_operand(const Op *op, unsigned i) {
    return i < op->noperands && op->operands[i].span.len > 0 && op->operands[i].value->name != 0;
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

static bool element_of_use(Program *p, Seed *seed) {
    return change_use(p, seed, other_element);
}
static bool element_of_type(Program *p, Seed *seed) {
    return change_type(p, seed, other_element);
}
static bool extent_of_use(Program *p, Seed *seed) {
    return change_use(p, seed, other_extent);
}
static bool extent_of_type(Program *p, Seed *seed) {
    return change_type(p, seed, other_extent);
}
static bool valid_of_type(Program *p, Seed *seed) {
    return change_type(p, seed, other_valid);
}
static bool space_of_use(Program *p, Seed *seed) {
    return change_use(p, seed, other_space);
}
static bool space_of_type(Program *p, Seed *seed) {
    return change_type(p, seed, other_space);
}
static bool layout_of_type(Program *p, Seed *seed) {
    return change_type(p, seed, other_layout);
}
static bool box_of_type(Program *p, Seed *seed) {
    return change_type(p, seed, other_box);
}
static bool column_as_row(Program *p, Seed *seed) {
    return change_use(p, seed, row_for_column);
}

/* ---- scalars ---- */

static bool is_constant(const Program *p, const Op *op, unsigned i) {
    Span place;
    const Type *written;
    return i == 0 && op_is(op, INST_CONSTANT) && op->form != OPF_GENERIC && op->nresults == 1 &&
           op->results[0].name != 0 && value_type_place(&p->ctx, &op->results[0], &place, &written);
}

static bool type_of_constant(Program *p, Seed *seed) {
    Site site;
    Span place;
    const Type *written;
    if (!pick_site(p, is_constant, &site)) return false;
    value_type_place(&p->ctx, &site.op->results[0], &place, &written);
    static const char *const ints[] = {"index", "i32", "i64", "i16"};
    static const char *const floats[] = {"f32", "f16", "bf16"};
    const char *with = type_is_float(written) ? floats[seed_pick(3)] : ints[seed_pick(4)];
    if (strncmp(text_at(p, place), with, strlen(with)) == 0) return false;
    change(seed, place, "%s", with);
    seed->value = &site.op->results[0];
    return true;
}

/* Blanks out a statement; the lines stay. */
static void leave_out(Program *p, Seed *seed, const Op *op) {
    (void)p;
    change(seed, op->span, "%s", "");
}

static bool is_cast(const Program *p, const Op *op, unsigned i) {
    (void)p;
    return i == 0 && op_is(op, INST_INDEX_CAST) && has_operand(op, 0);
}

static bool rename_uses(Op *op, void *arg) {
    Rewrite *r = arg;
    for (unsigned i = 0; i < op->noperands; i++)
        if (op->operands[i].value == r->value && op->operands[i].span.len > 0)
            change(r->seed, op->operands[i].span, "%s", r->text);
    return true;
}

static bool cast_left_out(Program *p, Seed *seed) {
    Site site;
    char name[100];
    if (!pick_site(p, is_cast, &site)) return false;
    const Value *from = site.op->operands[0].value;
    snprintf(name, sizeof name, "%%%.*s", (int)atom_len(&p->ctx.names, from->name),
             atom_text(&p->ctx.names, from->name));
    Rewrite r = {p, seed, &site.op->results[0], name, true};
    leave_out(p, seed, site.op);
    op_walk(op_function(site.op), rename_uses, &r);
    seed->value = &site.op->results[0];
    return seed->nchanges > 1;
}

/* ---- tcvt ---- */

static bool is_conversion(const Program *p, const Op *op, unsigned i) {
    (void)p;
    return i == 0 && op_is(op, INST_TCVT) && op->form == OPF_DPS && has_operand(op, 0);
}

/* The next statement that reads a value; NULL when it is written first. */
static Op *next_reader(const Op *op, const Value *v, unsigned *at) {
    for (Op *next = op->next; next != NULL; next = next->next)
        for (unsigned i = 0; i < next->noperands; i++) {
            if (next->operands[i].value != v) continue;
            *at = i;
            const char *name = op_operand_name(next, i);
            int slot = name != NULL ? inst_slot(next->inst, name) : -1;
            return slot >= 0 && next->inst->slots[slot].role == ROLE_READ ? next : NULL;
        }
    return NULL;
}

static bool conversion_left_out(Program *p, Seed *seed) {
    Site site;
    unsigned i;
    Span place;
    const Type *written;
    if (!pick_site(p, is_conversion, &site)) return false;
    const Operand *from = &site.op->operands[0];
    const Value *to = slot_value(site.op, inst_slot(site.op->inst, "dst"));
    Op *reader = to != NULL ? next_reader(site.op, to, &i) : NULL;
    if (reader == NULL ||
        !operand_type_place(&p->ctx, reader, &reader->operands[i], &place, &written))
        return false;
    leave_out(p, seed, site.op);
    change(seed, reader->operands[i].span, "%.*s", (int)from->span.len, text_at(p, from->span));
    change(seed, place, TYPE_FMT, TYPE_ARG(&p->ctx.names, from->value->type));
    seed->op = reader;
    seed->operand = op_operand_name(reader, i);
    return true;
}

/* ---- views and addresses ---- */

static bool is_view(const Program *p, const Op *op, unsigned i) {
    (void)p;
    return i == 0 && op_is(op, INST_MAKE_TENSOR_VIEW) && op->form != OPF_GENERIC;
}

/* One stride too few, or one too many. */
static bool rank_of_strides(Program *p, Seed *seed) {
    Site site;
    if (!pick_site(p, is_view, &site)) return false;
    const int slot = inst_slot(site.op->inst, "strides");
    const Operand *o = slot >= 0 ? slot_operands(site.op, slot) : NULL;
    const unsigned n = slot >= 0 ? slot_count(site.op, slot) : 0;
    if (n < 2) return false;
    if (seed_pick(2) == 0) {
        const uint32_t end = o[n - 2].span.off + o[n - 2].span.len;
        change(seed, (Span){end, o[n - 1].span.off + o[n - 1].span.len - end}, "%s", "");
    } else {
        change(seed, (Span){o[0].span.off, 0}, "%.*s, ", (int)o[0].span.len, text_at(p, o[0].span));
    }
    seed->op = site.op;
    seed->operand = "strides";
    return true;
}

static bool has_address(const Program *p, const Op *op, unsigned i) {
    const Value *v = i < op->noperands ? op->operands[i].value : NULL;
    const char *name = v != NULL ? op_operand_name(op, i) : NULL;
    return op_is(op, INST_ALLOC_TILE) && name != NULL && strcmp(name, "addr") == 0 &&
           v->def != NULL && is_constant(p, v->def, 0);
}

static bool unaligned_address(Program *p, Seed *seed) {
    Site site;
    int64_t n;
    if (!pick_site(p, has_address, &site)) return false;
    const Op *def = site.op->operands[site.i].value->def;
    const Attr *number = def->attrs[0].value;
    if (!value_constant(&def->results[0], &n)) return false;
    const char *s = text_at(p, number->span);
    change(seed, (Span){number->span.off, (uint32_t)strspn(s, "0123456789")}, "%lld",
           (long long)(n + 1 + seed_pick(30)));
    seed->value = &def->results[0];
    return isdigit((unsigned char)*s) && s[1] != 'x';
}

/* ---- names ---- */

static bool is_tile_instruction(const Program *p, const Op *op, unsigned i) {
    (void)p;
    return i == 0 && strncmp(op->inst->name, "pto.t", 5) == 0 && op->form != OPF_GENERIC &&
           op->name_span.len == strlen(op->inst->name);
}

/* Leaves out, doubles or swaps characters, never the first `keep`. */
static void misspell(const char *s, size_t n, size_t keep, char out[100]) {
    const size_t i = keep + seed_pick((uint32_t)(n - keep - 1));
    switch (seed_pick(3)) {
    case 0:
        snprintf(out, 100, "%.*s%.*s", (int)i, s, (int)(n - i - 1), s + i + 1);
        break;
    case 1:
        snprintf(out, 100, "%.*s%.*s", (int)i + 1, s, (int)(n - i), s + i);
        break;
    default:
        snprintf(out, 100, "%.*s%c%c%.*s", (int)i, s, s[i + 1], s[i], (int)(n - i - 2), s + i + 2);
    }
}

static bool misspelt_instruction(Program *p, Seed *seed) {
    Site site;
    char name[100];
    if (!pick_site(p, is_tile_instruction, &site) || site.op->name_span.len < 8) return false;
    misspell(site.op->inst->name, strlen(site.op->inst->name), 6, name);
    change(seed, site.op->name_span, "%s", name);
    return true;
}

static bool foreign_instruction(Program *p, Seed *seed) {
    static const char *const modules[] = {"tl.", "torch.", "np.", "pto.", "pto.t", ""};
    Site site;
    const Foreign *row, *found = NULL;
    unsigned n = 0;
    if (!pick_site(p, is_tile_instruction, &site)) return false;
    for (unsigned i = 0; (row = foreign_at(i)) != NULL; i++)
        if (strcmp(row->inst, site.op->inst->name) == 0 && seed_pick(++n) == 0) found = row;
    if (found == NULL) return false;
    change(seed, site.op->name_span, "%s%s", modules[seed_pick(6)], found->name);
    return true;
}

static bool named_use(const Program *p, const Op *op, unsigned i) {
    return strncmp(op->inst->name, "pto.", 4) == 0 && has_operand(op, i) &&
           atom_len(&p->ctx.names, op->operands[i].value->name) > 2;
}

static bool misspelt_value(Program *p, Seed *seed) {
    Site site;
    char name[100];
    if (!pick_site(p, named_use, &site)) return false;
    const Operand *o = &site.op->operands[site.i];
    const size_t n = atom_len(&p->ctx.names, o->value->name);
    if (n > 60) return false;
    misspell(atom_text(&p->ctx.names, o->value->name), n, 1, name);
    change(seed, o->span, "%%%s", name);
    seed->op = site.op;
    seed->operand = op_operand_name(site.op, site.i);
    return true;
}

static bool has_words(const Program *p, const Op *op, unsigned i) {
    (void)p;
    for (unsigned k = 0; i == 0 && k < op->nattrs; k++)
        if (op->attrs[k].value->kind == ATTR_ENUM && op->form != OPF_GENERIC &&
            op->attrs[k].value->span.len > 4 && op->attrs[k].value->alias == 0)
            return true;
    return false;
}

/* A word of an enumeration, without its prefix or misspelt. */
static bool word_of_attribute(Program *p, Seed *seed) {
    Site site;
    char text[100];
    if (!pick_site(p, has_words, &site)) return false;
    const NamedAttr *a = &site.op->attrs[seed_pick(site.op->nattrs)];
    if (a->value->kind != ATTR_ENUM || a->value->alias != 0) return false;
    const char *word = enum_infos[a->value->family].values[a->value->i].text;
    const char *s = text_at(p, a->value->span), *at = NULL;
    const char *end = s + a->value->span.len, *bar = strrchr(word, '_');
    for (const char *t = s; t + strlen(word) <= end; t++)
        if (memcmp(t, word, strlen(word)) == 0) at = t;
    if (at == NULL || strlen(word) < 4) return false;
    const Span place = {(uint32_t)(at - p->source.data), (uint32_t)strlen(word)};
    if (bar != NULL && seed_pick(2) == 0)
        snprintf(text, sizeof text, "%s", bar + 1);
    else
        misspell(word, strlen(word), 1, text);
    change(seed, place, "%s", text);
    seed->op = site.op;
    int i = inst_attr(site.op->inst, atom_text(&p->ctx.names, a->name),
                      atom_len(&p->ctx.names, a->name));
    seed->operand = i >= 0 ? site.op->inst->attrs[i].name : NULL;
    return i >= 0;
}

const SeedKind seed_kinds[] = {
    {"types", "element of a use", element_of_use},
    {"types", "element of a type", element_of_type},
    {"types", "type of a constant", type_of_constant},
    {"shapes", "extent of a use", extent_of_use},
    {"shapes", "extent of a type", extent_of_type},
    {"shapes", "valid region of a type", valid_of_type},
    {"shapes", "rank of strides", rank_of_strides},
    {"casts", "index_cast left out", cast_left_out},
    {"casts", "tcvt left out", conversion_left_out},
    {"locations", "location of a use", space_of_use},
    {"locations", "location of a type", space_of_type},
    {"locations", "unaligned address", unaligned_address},
    {"layouts", "layout of a type", layout_of_type},
    {"layouts", "boxes of a type", box_of_type},
    {"layouts", "column as a row", column_as_row},
    {"names", "misspelt instruction", misspelt_instruction},
    {"names", "instruction of another language", foreign_instruction},
    {"names", "misspelt value", misspelt_value},
    {"names", "word of an attribute", word_of_attribute},
};
const unsigned seed_kind_count = sizeof seed_kinds / sizeof seed_kinds[0];
