/* SPDX-License-Identifier: Apache-2.0 */
/* pack_kernels OUT: a build tool that reads the conditions and arguments of ptort_kernels.def and
 * ptort_micro.def, checks them against the instruction table and writes the rows as C
 * (kernel_table.h). */
#include "backends/lower/kernel_table.h"
#include "support/ascii.h"

#include "runtime/ptort.h"
#include "runtime/ptort_types.def"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Written {
    const char *id, *inst, *when, *driver, *args, *elems;
    const KernelTypes *types;
    size_t ntypes;
    KernelWay way;
} Written;

enum { PTRT_ANY = KERNEL_ANY_ELEM };

#define TYPE_(unused, suffix, E1, E2) {PTRT_##E1, PTRT_##E2},
#define KERNEL(family, id, name, when, driver, args, elems, types, body)                           \
    static const KernelTypes types_##id[] = {PTRT_TYPES_##types(TYPE_, )};
#include "runtime/ptort_kernels.def"
#define BODY(family, id, name, when, driver, args, elems, types, body)                             \
    static const KernelTypes types_##id[] = {PTRT_TYPES_##types(TYPE_, )};
#include "runtime/ptort_micro.def"

static Written written[] = {
#define KERNEL(family, id, name, when, driver, args, elems, types, body)                           \
    {"PTRT_" #id, "pto." name, when,       #driver,                                                \
     args,        elems,       types_##id, sizeof types_##id / sizeof *types_##id,                 \
     KERNEL_BY_ID},
#include "runtime/ptort_kernels.def"
#define BODY(family, id, name, when, driver, args, elems, types, body)                             \
    {"PTRT_" #id, "pto." name, when,       #driver,                                                \
     args,        elems,       types_##id, sizeof types_##id / sizeof *types_##id,                 \
     KERNEL_BODY},
#define OVER(name, when, body, args, elems)                                                        \
    {"PTRT_" #body, "pto." name, when, NULL, args, elems, NULL, 0, KERNEL_OVER},
#define CALL(name, when, function, args)                                                           \
    {#function, "pto." name, when, #function, args, "", NULL, 0, KERNEL_CALL},
#include "runtime/ptort_micro.def"
};

enum { COUNT = sizeof written / sizeof *written, MOST = 8192 };

static char texts[MOST * 4];
static KernelCond conds[MOST];
static KernelArg args[MOST];
static KernelTypes types[MOST];
static size_t ntexts = 1, nconds, nargs, ntypes;

/* Gives the rows OVER the shape and the types of their body. */
static void find_bodies(void) {
    for (Written *w = written; w < written + COUNT; w++) {
        if (w->way != KERNEL_OVER) continue;
        const Written *body = written;
        while (body < written + COUNT && (body->way != KERNEL_BODY || strcmp(body->id, w->id) != 0))
            body++;
        if (body == written + COUNT) {
            fprintf(stderr, "pack_kernels: %s: no such body\n", w->id);
            exit(1);
        }
        w->driver = body->driver;
        w->types = body->types;
        w->ntypes = body->ntypes;
    }
}

/* The row that is read, for messages. */
static const Written *row;
static const Inst *inst;

static void give_up(const char *what, const char *s, size_t n) {
    fprintf(stderr, "pack_kernels: %s: %s: '%.*s'\n", row->id, what, (int)n, s);
    exit(1);
}

static void need(size_t have, size_t most) {
    if (have >= most) give_up("the table is too large", "", 0);
}

static uint16_t place_text(const char *s, size_t n) {
    size_t at = 0;
    while (at < ntexts && (strlen(texts + at) != n || memcmp(texts + at, s, n) != 0))
        at += strlen(texts + at) + 1;
    if (at == ntexts) {
        need(ntexts + n + 1, sizeof texts);
        memcpy(texts + at, s, n);
        ntexts += n + 1;
    }
    return (uint16_t)at;
}

static uint16_t place_types(void) {
    const size_t n = row->ntypes;
    if (n == 0) return 0;
    for (size_t at = 0; at + n <= ntypes; at++)
        if (memcmp(types + at, row->types, n * sizeof *types) == 0) return (uint16_t)at;
    need(ntypes + n, MOST);
    memcpy(types + ntypes, row->types, n * sizeof *types);
    ntypes += n;
    return (uint16_t)(ntypes - n);
}

/* ---- names ---- */

static uint8_t slot_named(const char *s, size_t n) {
    const int slot = inst_slot_named(inst, s, n);
    if (slot < 0) give_up("no operand has this name", s, n);
    return (uint8_t)slot;
}

static uint8_t result_named(const char *s, size_t n) {
    for (int i = 0; i < inst->nresults; i++)
        if (strlen(inst->results[i].name) == n && memcmp(inst->results[i].name, s, n) == 0)
            return (uint8_t)i;
    give_up("no result has this name", s, n);
    return 0;
}

/* Returns a slot, or a number after those of the slots for a result. */
static int8_t elem_named(const char *s, size_t n) {
    const int slot = inst_slot_named(inst, s, n);
    return (int8_t)(slot >= 0 ? slot : inst->nslots + result_named(s, n));
}

static uint8_t attr_named(const char *s, size_t n) {
    const int attr = inst_attr_named(inst, s, n);
    if (attr < 0) give_up("no attribute has this name", s, n);
    return (uint8_t)attr;
}

static uint8_t space_named(const char *s, size_t n) {
    for (int i = 0; i < SPACE_COUNT; i++)
        if (strlen(space_names[i]) == n && memcmp(space_names[i], s, n) == 0) return (uint8_t)i;
    give_up("no space has this name", s, n);
    return 0;
}

/* Sets of element types that conditions name. */
enum { CLASS_CAP = 10 };
static const struct ElemClass {
    const char *name;
    uint8_t elems[CLASS_CAP + 1]; /* ELEM_NONE ends them */
} classes[] = {
    {"word", {ELEM_UI64, ELEM_I64, ELEM_SI64}},
    {"quant", {ELEM_UI64, ELEM_I64, ELEM_SI64, ELEM_F16, ELEM_BF16, ELEM_F32}},
    {"integer",
     {ELEM_I8, ELEM_SI8, ELEM_UI8, ELEM_I16, ELEM_SI16, ELEM_UI16, ELEM_I32, ELEM_SI32, ELEM_UI32}},
    {"int16", {ELEM_I16, ELEM_SI16}},
    /* of 16 and 32 bits */
    {"short_int", {ELEM_I16, ELEM_SI16, ELEM_UI16, ELEM_I32, ELEM_SI32, ELEM_UI32}},
    {"short_signed", {ELEM_I16, ELEM_SI16, ELEM_I32, ELEM_SI32, ELEM_F16, ELEM_F32}},
    {"short_number",
     {ELEM_I16, ELEM_SI16, ELEM_UI16, ELEM_I32, ELEM_SI32, ELEM_UI32, ELEM_F16, ELEM_F32}},
};

/* Reads a type or a class. Stores the first one of it at `elem`. */
static ElemSet elems_named(const char *s, size_t n, uint8_t *elem) {
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        if (strlen(classes[i].name) != n || memcmp(classes[i].name, s, n) != 0) continue;
        ElemSet set = 0;
        for (const uint8_t *e = classes[i].elems; *e != ELEM_NONE; e++)
            set |= ELEM_BIT(*e);
        *elem = classes[i].elems[0];
        return set;
    }
    for (int e = 1; e < ELEM_COUNT; e++)
        if (strlen(elem_infos[e].text) == n && memcmp(elem_infos[e].text, s, n) == 0) {
            *elem = (uint8_t)e;
            return ELEM_BIT(e);
        }
    give_up("no element type has this name", s, n);
    return 0;
}

/* ---- when ---- */

/* Reads `#x` or `#x=word` without its mark. */
static void read_attr_cond(const char *s, size_t n, KernelCond *c) {
    const char *eq = memchr(s, '=', n);
    const size_t len = eq != NULL ? (size_t)(eq - s) : n;
    c->test = eq != NULL ? KTEST_ATTR_IS_WORD : KTEST_ATTR;
    c->x = attr_named(s, len);
    if (eq != NULL) c->word = place_text(eq + 1, n - len - 1);
}

/* Reads what follows `x`: a space, element types or another operand. */
static void read_demand(const char *s, size_t n, KernelCond *c) {
    const bool other = n > 1 && s[1] == (*s == '@' ? '!' : '~');
    const char *name = s + 1 + other;
    const size_t len = n - 1 - other;
    if (*s == '@' && len == 4 && memcmp(name, "mask", 4) == 0) {
        c->test = KTEST_MASK;
    } else if (*s == '@') {
        c->test = other ? KTEST_OUTSIDE : KTEST_IN_SPACE;
        c->other = space_named(name, len);
    } else if (*s == '=') {
        c->test = KTEST_SAME_TYPE;
        c->other = slot_named(name, len);
    } else {
        c->test = KTEST_TYPE;
        c->elems = elems_named(name, len, &c->elem);
        if (other) c->elems = ~c->elems & ~ELEM_BIT(ELEM_NONE);
    }
}

static KernelCond read_cond(const char *s, size_t n) {
    KernelCond c = {.test = KTEST_PRESENT};
    if (n > 0 && *s == '#') {
        read_attr_cond(s + 1, n - 1, &c);
        return c;
    }
    if (n > 0 && *s == '$') {
        c.test = KTEST_SCALAR;
        c.x = slot_named(s + 1, n - 1);
        return c;
    }
    const bool absent = n > 0 && *s == '!';
    s += absent;
    n -= absent;
    if (absent && n > 0 && *s == '#') {
        c.test = KTEST_NO_ATTR;
        c.x = attr_named(s + 1, n - 1);
        return c;
    }
    size_t len = 0;
    while (len < n && strchr("@:=", s[len]) == NULL)
        len++;
    c.x = len < n && s[len] == ':' ? (uint8_t)elem_named(s, len) : slot_named(s, len);
    if (absent && len < n) give_up("only an operand alone may be absent", s, n);
    if (absent) c.test = KTEST_ABSENT;
    if (len < n) read_demand(s + len, n - len, &c);
    return c;
}

static void read_when(KernelRow *r) {
    r->conds = (uint16_t)nconds;
    for (const char *s = row->when; *s != '\0';) {
        const size_t n = strcspn(s, " |");
        need(nconds, MOST);
        conds[nconds] = read_cond(s, n);
        conds[nconds++].alternative = s > row->when && s[-1] == '|';
        s += n + (s[n] != '\0');
    }
    r->nconds = (uint8_t)(nconds - r->conds);
}

/* ---- args ---- */

/* Notes that the call has operand `slot`, or the attribute that may be written in its place, which
 * it returns; -1: none. */
static int take_slot(KernelRow *r, uint8_t slot, bool passed) {
    const char *name = inst->slots[slot].name;
    const int attr = passed ? inst_attr_named(inst, name, strlen(name)) : -1;
    r->slots |= UINT32_C(1) << slot;
    if (attr >= 0) r->attrs |= UINT32_C(1) << attr;
    return attr;
}

/* `!x`: an operand or an attribute that the call does not need. */
static void read_ignored(KernelRow *r, const char *s, size_t n) {
    if (inst_slot_named(inst, s, n) >= 0)
        take_slot(r, slot_named(s, n), false);
    else
        r->attrs |= UINT32_C(1) << attr_named(s, n);
}

static void read_attr(KernelRow *r, const char *s, size_t n, KernelArg *arg) {
    const bool optional = n > 0 && s[n - 1] == '?';
    arg->kind = optional ? KARG_ATTR_OPT : KARG_ATTR;
    arg->index = attr_named(s, n - optional);
    r->attrs |= UINT32_C(1) << arg->index;
}

/* Operand x, or item 1 of list `srcs` as srcs1. */
static void read_slot(KernelRow *r, const char *s, size_t n, KernelArg *arg) {
    const bool item = inst_slot_named(inst, s, n) < 0 && n > 1 && ascii_is_digit(s[n - 1]);
    arg->index = slot_named(s, n - item);
    const bool list = inst->slots[arg->index].arity == ARITY_VAR;
    if (item != list && arg->kind != KARG_PRESENT) give_up("a list needs an item", s, n);
    if (item) {
        arg->kind = KARG_ITEM;
        arg->number = (int16_t)(s[n - 1] - '0');
    }
    const int attr = take_slot(r, arg->index, arg->kind == KARG_SLOT);
    if (arg->kind == KARG_SLOT) arg->number = (int16_t)attr;
}

/* `x*y`: operand x times the number y, or in elements of y. */
static KernelArg read_scaled(KernelRow *r, const char *s, size_t n) {
    const size_t len = (size_t)((const char *)memchr(s, '*', n) - s);
    const char *y = s + len + 1;
    KernelArg arg = {.kind = KARG_SCALED, .index = slot_named(s, len)};
    take_slot(r, arg.index, false);
    arg.number = (int16_t)(ascii_is_digit(*y) ? (int)strtol(y, NULL, 10)
                                              : -1 - elem_named(y, (size_t)(s + n - y)));
    return arg;
}

static KernelArg read_arg(KernelRow *r, const char *s, size_t n) {
    KernelArg arg = {.kind = KARG_SLOT};
    const bool mark = strchr("#?@$%&=*:^<", *s) != NULL;
    if (n == 5 && memcmp(s, "%core", 5) == 0) {
        arg.kind = KARG_CORE;
    } else if (n == 5 && memcmp(s, "%self", 5) == 0) {
        arg.kind = KARG_SELF;
    } else if (n > 2 && s[0] == ':' && s[1] == ':') {
        arg.kind = KARG_TYPE;
        arg.index = (uint8_t)elem_named(s + 2, n - 2);
    } else if (*s == '=') {
        arg.kind = KARG_RESULT;
        arg.index = result_named(s + 1, n - 1);
    } else if (*s == '*') {
        arg.kind = KARG_LIST;
        arg.index = slot_named(s + 1, n - 1);
        take_slot(r, arg.index, false);
    } else if (memchr(s, '*', n) != NULL) {
        arg = read_scaled(r, s, n);
    } else if (*s == '~' || *s == '|') {
        arg.kind = *s == '~' ? KARG_SIZE : KARG_LANES;
        arg.index = (uint8_t)elem_named(s + 1, n - 1);
    } else if (*s == '+') {
        arg.kind = KARG_ELEM;
        arg.number = s[1] == '^';
        arg.index = (uint8_t)elem_named(s + 1 + arg.number, n - 1 - (size_t)arg.number);
    } else if (n == 1 && *s == '-') {
        arg.kind = KARG_NULL;
    } else if (*s == '-' || ascii_is_digit(*s)) {
        arg.kind = KARG_NUMBER;
        arg.number = (int16_t)strtol(s, NULL, 10);
    } else if (*s == '%') {
        arg.kind = KARG_PROFILE;
    } else if (*s == '#') {
        read_attr(r, s + 1, n - 1, &arg);
    } else {
        if (*s == '&') arg.kind = KARG_COUNTS;
        if (*s == '?') arg.kind = KARG_PRESENT;
        if (*s == ':') arg.kind = KARG_BITS;
        if (*s == '^') arg.kind = KARG_PLACED;
        if (*s == '<') arg.kind = KARG_KEPT;
        read_slot(r, s + mark, n - mark, &arg);
    }
    return arg;
}

static void read_args(KernelRow *r) {
    r->args = (uint16_t)nargs;
    for (const char *s = row->args; *s != '\0';) {
        const size_t n = strcspn(s, " ");
        need(nargs, MOST);
        if (*s == '!')
            read_ignored(r, s + 1, n - 1);
        else
            args[nargs++] = read_arg(r, s, n);
        s += n + (s[n] != '\0');
    }
    r->nargs = (uint8_t)(nargs - r->args);
}

/* ---- rows ---- */

/* Operands that every call may have: scratch, and the indices of a view operand. */
static void take_free(KernelRow *r) {
    for (int i = 0; i < inst->nslots; i++)
        if (inst->slots[i].role == ROLE_SCRATCH || strcmp(inst->slots[i].name, "offsets") == 0)
            r->slots |= UINT32_C(1) << i;
}

/* `x`, `^x`, `x:signed` or `x:unsigned`. */
static void read_elem(KernelRow *r, int which, const char *s, size_t n) {
    const bool no_sign = *s == '^';
    const char *colon = memchr(s, ':', n);
    const size_t len = colon != NULL ? (size_t)(colon - s) : n;
    KernelSign sign = no_sign ? SIGN_NONE : SIGN_WRITTEN;
    if (n - len == 7 && memcmp(colon, ":signed", 7) == 0)
        sign = SIGN_SIGNED;
    else if (n - len == 9 && memcmp(colon, ":unsigned", 9) == 0)
        sign = SIGN_UNSIGNED;
    else if (colon != NULL)
        give_up("neither signed nor unsigned", s, n);
    r->elems[which] = elem_named(s + no_sign, len - no_sign);
    r->signs[which] = (uint8_t)sign;
}

static KernelRow read_row(void) {
    KernelRow r = {.way = (uint8_t)row->way,
                   .id = place_text(row->id, strlen(row->id)),
                   .driver = place_text(row->driver, strlen(row->driver)),
                   .types = place_types(),
                   .ntypes = (uint16_t)row->ntypes,
                   .elems = {-1, -1}};
    const size_t n = strcspn(row->elems, " ");
    if (inst->nslots > 32 || inst->nattrs > 32) give_up("the masks are too short", row->inst, 0);
    read_when(&r);
    read_args(&r);
    take_free(&r);
    if (n > 0) read_elem(&r, 0, row->elems, n);
    if (row->elems[n] != '\0') read_elem(&r, 1, row->elems + n + 1, strlen(row->elems + n + 1));
    return r;
}

static void put_row(FILE *out, const KernelRow *r) {
    fprintf(out, "    {%d, %d, %d, %d, %d, %d, %d, %d, {%d, %d}, %d, {%d, %d}, %luu, %luu},\n",
            r->id, r->driver, r->conds, r->args, r->types, r->nconds, r->nargs, r->ntypes,
            r->elems[0], r->elems[1], r->way, r->signs[0], r->signs[1], (unsigned long)r->slots,
            (unsigned long)r->attrs);
}

/* Whether a statement may select the row; else a backend names it itself. */
static bool is_selected(const Written *w) {
    return strcmp(w->when, "-") != 0;
}

static void put_rows(FILE *out) {
    uint16_t starts[INST_COUNT + 1], n = 0;
    for (row = written; row < written + COUNT; row++)
        if (is_selected(row) && inst_find(row->inst, strlen(row->inst)) == NULL)
            give_up("no such instruction", row->inst, strlen(row->inst));
    fprintf(out, "const KernelRow kernel_table[] = {\n");
    for (int id = 0; id < INST_COUNT; id++) {
        inst = &inst_table[id];
        starts[id] = n;
        for (row = written; inst->name != NULL && row < written + COUNT; row++)
            if (is_selected(row) && strcmp(row->inst, inst->name) == 0) {
                const KernelRow r = read_row();
                put_row(out, &r);
                n++;
            }
    }
    starts[INST_COUNT] = n;
    fprintf(out, "};\nconst uint16_t kernel_starts[INST_COUNT + 1] = {");
    for (int id = 0; id <= INST_COUNT; id++)
        fprintf(out, "%s%d,", id % 16 == 0 ? "\n    " : " ", starts[id]);
    fprintf(out, "\n};\n");
}

static void put_parts(FILE *out) {
    fprintf(out, "const KernelCond kernel_conds[] = {\n");
    for (const KernelCond *c = conds; c < conds + nconds; c++)
        fprintf(out, "    {UINT64_C(%llu), %d, %d, %d, %d, %d, %d},\n",
                (unsigned long long)c->elems, c->word, c->test, c->alternative, c->x, c->other,
                c->elem);
    fprintf(out, "};\nconst KernelArg kernel_args[] = {\n");
    for (const KernelArg *a = args; a < args + nargs; a++)
        fprintf(out, "    {%d, %d, %d},\n", a->kind, a->index, a->number);
    fprintf(out, "};\nconst KernelTypes kernel_types[] = {\n");
    for (const KernelTypes *t = types; t < types + ntypes; t++)
        fprintf(out, "    {%d, %d},\n", t->e1, t->e2);
    fprintf(out, "};\nconst char kernel_texts[] = {");
    for (size_t i = 0; i < ntexts; i++)
        fprintf(out, "%s%d,", i % 24 == 0 ? "\n    " : "", texts[i]);
    fprintf(out, "\n};\n");
}

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    find_bodies();
    FILE *out = fopen(argv[1], "w");
    if (out == NULL) return 1;
    fprintf(out, "/* Made by pack_kernels from ptort_kernels.def and ptort_micro.def. */\n"
                 "#include \"backends/lower/kernel_table.h\"\n\n");
    put_rows(out);
    put_parts(out);
    return fclose(out) == 0 ? 0 : 1;
}
