/* Looks up the row of the runtime's kernel table for a statement. */
#include "backends/lower/kernel_table.h"

#include "passes/passes.h"

#include "runtime/ptort.h"
#include "runtime/ptort_types.def"

#include <string.h>

enum { PTRT_ANY = KERNEL_ANY_ELEM };

/* ---- the rows ---- */

#define TYPE_(unused, suffix, E1, E2) {PTRT_##E1, PTRT_##E2},
#define KERNEL(id, name, when, driver, args, elems, types, body)                                   \
    static const KernelTypes types_##id[] = {PTRT_TYPES_##types(TYPE_, )};
#include "runtime/ptort_kernels.def"

static const KernelRow rows[] = {
#define KERNEL(id, name, when, driver, args, elems, types, body)                                   \
    {"PTRT_" #id, "pto." name, when,       #driver,                                                \
     args,        elems,       types_##id, sizeof types_##id / sizeof *types_##id},
#include "runtime/ptort_kernels.def"
};
enum { ROWS = sizeof rows / sizeof *rows };

const KernelRow *kernel_rows(unsigned *n) {
    *n = ROWS;
    return rows;
}

static const KernelRow *find_from(const KernelRow *row, const char *inst) {
    for (; row < rows + ROWS; row++)
        if (strcmp(row->inst, inst) == 0) return row;
    return NULL;
}

const KernelRow *kernel_first(const Inst *inst) {
    return find_from(rows, inst->name);
}

const KernelRow *kernel_next(const KernelRow *row) {
    return find_from(row + 1, row->inst);
}

/* ---- element types ---- */

int kernel_elem(int elem) {
    static const int8_t numbers[ELEM_COUNT] = {
        [ELEM_I8] = 1 + PTRT_I8,
        [ELEM_SI8] = 1 + PTRT_I8,
        [ELEM_UI8] = 1 + PTRT_U8,
        [ELEM_I16] = 1 + PTRT_I16,
        [ELEM_SI16] = 1 + PTRT_I16,
        [ELEM_UI16] = 1 + PTRT_U16,
        [ELEM_I32] = 1 + PTRT_I32,
        [ELEM_SI32] = 1 + PTRT_I32,
        [ELEM_UI32] = 1 + PTRT_U32,
        [ELEM_I64] = 1 + PTRT_I64,
        [ELEM_SI64] = 1 + PTRT_I64,
        [ELEM_UI64] = 1 + PTRT_U64,
        [ELEM_F16] = 1 + PTRT_F16,
        [ELEM_BF16] = 1 + PTRT_BF16,
        [ELEM_F32] = 1 + PTRT_F32,
        [ELEM_F64] = 1 + PTRT_F64,
        [ELEM_TF32] = 1 + PTRT_TF32,
        [ELEM_F8E4M3] = 1 + PTRT_F8E4M3,
        [ELEM_F8E4M3FN] = 1 + PTRT_F8E4M3FN,
        [ELEM_F8E4M3FNUZ] = 1 + PTRT_F8E4M3FNUZ,
        [ELEM_F8E4M3B11FNUZ] = 1 + PTRT_F8E4M3B11FNUZ,
        [ELEM_F8E5M2] = 1 + PTRT_F8E5M2,
        [ELEM_F8E5M2FNUZ] = 1 + PTRT_F8E5M2FNUZ,
        [ELEM_HIF8] = 1 + PTRT_HIF8,
        [ELEM_F8E8M0] = 1 + PTRT_F8E8M0,
        [ELEM_F4E1M2X2] = 1 + PTRT_F4E1M2X2,
        [ELEM_F4E2M1X2] = 1 + PTRT_F4E2M1X2,
        [ELEM_HIF8X2] = 1 + PTRT_HIF8X2,
        [ELEM_BF16X2] = 1 + PTRT_BF16X2,
    };
    return numbers[elem] - 1;
}

static int find_slot(const Inst *inst, const char *s, size_t n) {
    for (int i = 0; i < inst->nslots; i++)
        if (strlen(inst->slots[i].name) == n && memcmp(inst->slots[i].name, s, n) == 0) return i;
    return -1;
}

/* Returns the element type of a slot's operand; ELEM_NONE when it is absent or has none. */
static int slot_elem(const Op *op, const char *name, size_t n) {
    int slot = find_slot(op->inst, name, n);
    const Value *v = slot >= 0 ? slot_value(op, slot) : NULL;
    const Type *t = v == NULL ? NULL : type_is_tile(v->type) ? tile_value_type(v) : v->type;
    if (t != NULL && t->kind != TY_SCALAR && t->elem_type != NULL) t = t->elem_type;
    return t != NULL && t->kind == TY_SCALAR ? t->elem : ELEM_NONE;
}

static int elem_named(const char *text, size_t n) {
    for (int e = 1; e < ELEM_COUNT; e++)
        if (strlen(elem_infos[e].text) == n && memcmp(elem_infos[e].text, text, n) == 0) return e;
    return ELEM_NONE;
}

/* Sets of element types that conditions name. */
enum { CLASS_CAP = 6 };
static const struct ElemClass {
    const char *name;
    uint8_t elems[CLASS_CAP]; /* ELEM_NONE ends them */
} classes[] = {
    {"word", {ELEM_UI64, ELEM_I64, ELEM_SI64}},
    {"quant", {ELEM_UI64, ELEM_I64, ELEM_SI64, ELEM_F16, ELEM_BF16, ELEM_F32}},
    {"int16", {ELEM_I16, ELEM_SI16}},
};

static const struct ElemClass *class_named(const char *text, size_t n) {
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (strlen(classes[i].name) == n && memcmp(classes[i].name, text, n) == 0)
            return &classes[i];
    return NULL;
}

/* Returns the element types of a word of a condition: a type, a class, or `~` and one of them.
 * Stores the first listed one at `elem`. */
static ElemSet elems_named(const char *text, size_t n, int *elem) {
    const bool without = n > 0 && *text == '~';
    const struct ElemClass *class = class_named(text + without, n - without);
    ElemSet set = 0;
    *elem = class != NULL ? class->elems[0] : elem_named(text + without, n - without);
    if (class == NULL && *elem != ELEM_NONE) set = ELEM_BIT(*elem);
    for (size_t i = 0; class != NULL && i < CLASS_CAP && class->elems[i] != ELEM_NONE; i++)
        set |= ELEM_BIT(class->elems[i]);
    return without ? ~set & ~ELEM_BIT(ELEM_NONE) : set;
}

/* Reads x:type or x=y of `n` characters. */
static bool read_demand(const char *s, size_t n, KernelDemand *out) {
    const size_t len = strcspn(s, ":=|@ ");
    *out = (KernelDemand){.slot = s, .len = (unsigned)len};
    if (*s == '#' || len >= n) return false;
    if (s[len] == '=') {
        out->as = s + len + 1;
        out->as_len = (unsigned)(n - len - 1);
    } else if (s[len] == ':') {
        out->elems = elems_named(s + len + 1, n - len - 1, &out->elem);
    }
    return s[len] == '=' || s[len] == ':';
}

bool kernel_type_demand(const KernelRow *row, unsigned k, KernelDemand *out) {
    for (const char *s = row->when; *s != '\0'; s += *s != '\0') {
        const size_t n = strcspn(s, " |");
        if (read_demand(s, n, out) && k-- == 0) {
            out->alternative = s > row->when && s[-1] == '|';
            return true;
        }
        s += n;
    }
    return false;
}

int kernel_slot_elem(const KernelRow *row, const Op *op) {
    return slot_elem(op, row->elems, strcspn(row->elems, " "));
}

static int number_of(int elem) {
    return elem == ELEM_NONE ? -1 : kernel_elem(elem);
}

bool kernel_has_types(const KernelRow *row, const Op *op) {
    size_t n = strcspn(row->elems, " ");
    const char *second = row->elems[n] == ' ' ? row->elems + n + 1 : NULL;
    int e1 = number_of(slot_elem(op, row->elems, n));
    int e2 = second != NULL ? number_of(slot_elem(op, second, strlen(second))) : KERNEL_ANY_ELEM;
    for (unsigned i = 0; i < row->ntypes; i++)
        if (row->types[i].e1 == e1 && row->types[i].e2 == e2) return true;
    return false;
}

/* ---- args ---- */

/* Resolves an argument like `srcs1`: a list slot and the position in it. */
static void find_item(const Inst *inst, KernelArg *arg) {
    const char digit = arg->text[arg->len - 1];
    if (arg->len < 2 || digit < '0' || digit > '9') return;
    arg->index = find_slot(inst, arg->text, arg->len - 1);
    arg->item = (unsigned)(digit - '0');
}

bool kernel_arg(const Inst *inst, const char **at, KernelArg *out) {
    const char *s = *at;
    if (*s == '\0') return false;
    size_t n = strcspn(s, " ");
    *at = s + n + (s[n] == ' ');
    bool mark = memchr("#!?@$%&", *s, 7) != NULL;
    bool optional = *s == '#' && s[n - 1] == '?';
    *out = (KernelArg){KARG_SLOT, -1, 0, s + mark, (unsigned)(n - mark - optional)};
    if (n == 1 && *s == '-')
        out->kind = KARG_NULL;
    else if (*s == '-' || (*s >= '0' && *s <= '9'))
        out->kind = KARG_NUMBER;
    else if (*s == '%')
        out->kind = KARG_PROFILE;
    else if (*s == '&')
        out->kind = KARG_COUNTS;
    else if (*s == '#')
        out->kind = optional ? KARG_ATTR_OPT : KARG_ATTR;
    else if (*s == '!')
        out->kind = KARG_IGNORED;
    else if (*s == '?')
        out->kind = KARG_PRESENT;
    out->index =
        *s == '#' ? inst_attr(inst, out->text, out->len) : find_slot(inst, out->text, out->len);
    if (out->kind == KARG_SLOT && out->index < 0) find_item(inst, out);
    if (out->kind == KARG_IGNORED && out->index < 0)
        out->index = -1 - inst_attr(inst, out->text, out->len);
    return true;
}

/* #x: attribute x is given; #x=word: it is this word. */
static bool attr_condition_holds(const Context *ctx, const Op *op, const char *s, size_t n) {
    size_t len = 0;
    while (len < n && s[len] != '=')
        len++;
    int attr = inst_attr(op->inst, s, len);
    const NamedAttr *a = attr >= 0 ? op_attr(ctx, op, attr) : NULL;
    if (a == NULL || len == n) return a != NULL;
    if (a->value->kind != ATTR_STRING) return false;
    size_t left = n - len - 1;
    return atom_len(&ctx->names, a->value->text) == left &&
           memcmp(atom_text(&ctx->names, a->value->text), s + len + 1, left) == 0;
}

static bool demand_holds(const Op *op, const KernelDemand *d) {
    const int elem = slot_elem(op, d->slot, d->len);
    if (d->as != NULL) return number_of(elem) == number_of(slot_elem(op, d->as, d->as_len));
    return elem != ELEM_NONE && (d->elems & ELEM_BIT(elem)) != 0;
}

/* Tests a condition of `when` without alternatives: x, !x, x@space, x@!space, x:type, x:~type, x=y,
 * #attribute, #attribute=word. */
static bool simple_condition_holds(const Context *ctx, const Op *op, const char *s, size_t n) {
    if (*s == '#') return attr_condition_holds(ctx, op, s + 1, n - 1);
    bool absent = *s == '!';
    size_t len = strcspn(s, "@:=| ");
    KernelDemand d;
    int slot = find_slot(op->inst, s + absent, len - absent);
    if (slot < 0) return false;
    if (len == n) return (slot_count(op, slot) > 0) != absent;
    if (read_demand(s, n, &d)) return demand_holds(op, &d);
    bool outside = s[len + 1] == '!';
    const char *space = s + len + 1 + outside;
    const Value *v = slot_value(op, slot);
    const Type *t = v != NULL && type_is_tile(v->type) ? tile_value_type(v) : NULL;
    if (t == NULL) return false;
    const char *name = space_names[t->tile.space];
    size_t left = n - (size_t)(space - s);
    return (strlen(name) == left && memcmp(name, space, left) == 0) != outside;
}

/* Tests a condition: one of its alternatives holds. */
static bool condition_holds(const Context *ctx, const Op *op, const char *s, size_t n) {
    for (const char *end = s + n; s < end;) {
        const char *bar = memchr(s, '|', (size_t)(end - s));
        const size_t len = (size_t)((bar != NULL ? bar : end) - s);
        if (simple_condition_holds(ctx, op, s, len)) return true;
        s += len + 1;
    }
    return false;
}

static bool when_holds(const KernelRow *row, const Context *ctx, const Op *op) {
    for (const char *s = row->when; *s != '\0'; s += *s == ' ') {
        size_t n = strcspn(s, " ");
        if (!condition_holds(ctx, op, s, n)) return false;
        s += n;
    }
    return true;
}

static bool lists(const KernelRow *row, const Inst *inst, bool attr, int index) {
    const char *at = row->args;
    KernelArg arg;
    while (kernel_arg(inst, &at, &arg)) {
        bool is_attr = arg.kind == KARG_ATTR || arg.kind == KARG_ATTR_OPT ||
                       (arg.kind == KARG_IGNORED && arg.index < 0);
        int i = arg.kind == KARG_IGNORED && arg.index < 0 ? -1 - arg.index : arg.index;
        if (is_attr == attr && i == index) return true;
        /* A scalar operand may be given as the attribute of its name. */
        if (attr && !is_attr && arg.index >= 0 && arg.kind == KARG_SLOT &&
            strcmp(inst->slots[arg.index].name, inst->attrs[index].name) == 0)
            return true;
    }
    return false;
}

/* Whether the call has an argument for every operand and attribute of the statement. */
static bool takes_all(const KernelRow *row, const Context *ctx, const Op *op) {
    const Inst *inst = op->inst;
    for (int s = 0; s < inst->nslots; s++) {
        bool free =
            inst->slots[s].role == ROLE_SCRATCH || strcmp(inst->slots[s].name, "offsets") == 0;
        if (!free && slot_count(op, s) > 0 && !lists(row, inst, false, s)) return false;
    }
    for (int a = 0; a < inst->nattrs; a++) {
        const NamedAttr *attr = op_attr(ctx, op, a);
        if (attr == NULL || lists(row, inst, true, a)) continue;
        if (attr->value->kind == ATTR_STRING || attr->value->i != inst->attrs[a].dflt) return false;
    }
    return true;
}

const KernelRow *kernel_of(const Context *ctx, const Op *op) {
    for (const KernelRow *r = kernel_first(op->inst); r != NULL; r = kernel_next(r))
        if (when_holds(r, ctx, op) && takes_all(r, ctx, op)) return r;
    return NULL;
}

bool kernel_takes(const Op *op, const KernelRow *row, const Value *v) {
    const char *at = row->args;
    KernelArg arg;
    while (kernel_arg(op->inst, &at, &arg))
        if (arg.kind == KARG_SLOT && slot_value(op, arg.index) == v) return true;
    return false;
}
