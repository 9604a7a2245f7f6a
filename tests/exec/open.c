/* SPDX-License-Identifier: Apache-2.0 */
/* Statements with everything left to run time that can be, and numbers for it. */
#include "open.h"
#include "parser/parse.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

/* ---- numbers ---- */

static int slot_of_value(const Op *op, const Value *v) {
    for (int i = 0; i < op->inst->nslots; i++)
        for (unsigned k = 0; k < slot_count(op, i); k++)
            if (slot_operands(op, i)[k].value == v) return i;
    return 0;
}

static int64_t term_value(const Opened *o, const Given *g, const Term *t) {
    switch ((TermKind)t->kind) {
    case TERM_NUMBER:
        return t->n;
    case TERM_VROW:
        return g->vrow[t->slot];
    case TERM_VCOL:
        return g->vcol[t->slot];
    case TERM_SCALAR:
        return g->value[t->slot];
    case TERM_EXTENT:
        return o->e.operands[t->slot].dims[t->n];
    case TERM_ADD:
        return term_value(o, g, t->a) + term_value(o, g, t->b);
    case TERM_MUL:
        return term_value(o, g, t->a) * term_value(o, g, t->b);
    case TERM_DIV:
        return term_value(o, g, t->a) / t->n;
    case TERM_REM:
        return term_value(o, g, t->a) % t->n;
    case TERM_EQ:
        return term_value(o, g, t->a) == term_value(o, g, t->b);
    case TERM_LE:
        return term_value(o, g, t->a) <= term_value(o, g, t->b);
    case TERM_AND:
        return term_value(o, g, t->a) && term_value(o, g, t->b);
    case TERM_OR:
        return term_value(o, g, t->a) || term_value(o, g, t->b);
    case TERM_NOT:
        return !term_value(o, g, t->a);
    case TERM_OVERLAP: /* whole tiles, placed apart or at one address */
        return g->addr[t->slot] == g->addr[slot_of_value(o->op, t->other)];
    case TERM_KINDS:
        break;
    }
    abort();
}

bool term_holds(const Opened *o, const Given *g, const Term *t) {
    return term_value(o, g, t) != 0;
}

static bool is_wanted(const Opened *o, const Residue *broken, const Term *aside, const Given *g) {
    for (const Residue *r = o->rest; r != NULL; r = r->next)
        if (!term_holds(o, g, r->test)) return r == broken;
    return broken == NULL && (aside == NULL || !term_holds(o, g, aside));
}

enum { WAYS = 10, KINDS_OF_NUMBERS = 4 }; /* extents, address, scalar */

static bool set_within(int64_t *at, int64_t v, int64_t most) {
    if (v < 0 || v > most) return false;
    *at = v;
    return true;
}

/* One number of one operand is another; false where it has no such number. */
static bool change(const Opened *o, Given *g, unsigned slot, unsigned kind, unsigned way) {
    const ExampleOperand *x = &o->e.operands[slot];
    static const int64_t far[WAYS] = {0, 1, 2, 3, 4, 7, 8, 16, 32, 100};
    static const int64_t values[WAYS] = {-1, 0, 1, 2, 3, 7, 15, 32, 64, 1000};
    if (x->count == 0) return false;
    if (kind < 2 && x->kind == K_TILE) {
        int64_t most = kind == 0 ? x->rows : x->cols;
        if ((kind == 0 ? x->vrow : x->vcol) != DYNAMIC) return false;
        return set_within(kind == 0 ? &g->vrow[slot] : &g->vcol[slot],
                          way == WAYS - 1   ? most
                          : way == WAYS - 2 ? most - 1
                                            : far[way],
                          most);
    }
    if (kind == 2 && x->kind == K_TILE && o->e.placed && way < o->e.inst->nslots) {
        g->addr[slot] = o->given.addr[way];
        return o->e.operands[way].count > 0 && o->e.operands[way].kind == K_TILE;
    }
    if (kind == 3 && (x->kind & (K_INT | K_SIGNED_INT | K_INDEX | K_I64)) != 0) {
        g->value[slot] = values[way];
        return true;
    }
    return false;
}

/* The same for a slot, or, after the slots, for all operands that have such a number. */
static bool change_some(const Opened *o, Given *g, unsigned slot, unsigned kind, unsigned way) {
    unsigned n = o->e.inst->nslots;
    if (slot < n) return change(o, g, slot, kind, way);
    bool any = false;
    for (slot = 0; slot < n && kind < 2; slot++)
        any |= change(o, g, slot, kind, way);
    return any;
}

bool find_numbers(const Opened *o, const Residue *broken, const Term *aside, Given *out) {
    unsigned all = ((unsigned)o->e.inst->nslots + 1) * KINDS_OF_NUMBERS * WAYS;
    *out = o->given;
    if (is_wanted(o, broken, aside, out)) return true;
    for (unsigned k = 0; k < all * all; k++) {
        const unsigned changes[2] = {k % all, k / all};
        *out = o->given;
        bool made = true;
        for (unsigned i = 0; i < 2 && made; i++) /* the first iteration changes one number only */
            made = (i == 1 && k < all) ||
                   change_some(o, out, changes[i] / (KINDS_OF_NUMBERS * WAYS),
                               changes[i] / WAYS % KINDS_OF_NUMBERS, changes[i] % WAYS);
        if (made && is_wanted(o, broken, aside, out)) return true;
    }
    return false;
}

/* ---- text ---- */

/* A number of which the text tells nothing, also not whether it is another one: its bits are
 * compared with those of 0, which the caller gives. */
static void put_number(const char *name, char what, int64_t n, const char *type, StrBuf *out) {
    sb_printf(out, "  %%%s_%c0 = arith.constant %lld : %s\n", name, what, (long long)n, type);
    sb_printf(out, "  %%%s_%c = arith.xori %%%s_%c0, %%zero_%s : %s\n", name, what, name, what,
              type, type);
}

static void put_tile(const Opened *o, const Given *g, int slot, const char *name, StrBuf *out) {
    const ExampleOperand *x = &o->e.operands[slot];
    if (o->e.placed) put_number(name, 'a', g->addr[slot], "i64", out);
    if (x->vrow == DYNAMIC) put_number(name, 'r', g->vrow[slot], "index", out);
    if (x->vcol == DYNAMIC) put_number(name, 'c', g->vcol[slot], "index", out);
    sb_printf(out, "  %%%s = pto.alloc_tile", name);
    if (o->e.placed) sb_printf(out, " addr = %%%s_a", name);
    if (x->vrow == DYNAMIC) sb_printf(out, " valid_row = %%%s_r", name);
    if (x->vcol == DYNAMIC) sb_printf(out, " valid_col = %%%s_c", name);
    sb_puts(out, " : ");
    example_print_type(&o->e, slot, out);
    sb_putc(out, '\n');
}

static void put_scalar(const Opened *o, const Given *g, int slot, const char *name, StrBuf *out) {
    const ExampleOperand *x = &o->e.operands[slot];
    StrBuf type;
    sb_init(&type, out->arena);
    example_print_type(&o->e, slot, &type);
    bool is_float = elem_is_float((Elem)x->elem);
    sb_printf(out, "  %%%s_0 = arith.constant %lld%s : %s\n", name, (long long)g->value[slot],
              is_float ? ".0" : "", sb_text(&type));
    sb_printf(out, "  %%%s = arith.%s %%%s_0, %%%s_0 : %s\n", name, is_float ? "maximumf" : "maxsi",
              name, name, sb_text(&type));
}

/* The element type of the buffer: that of the first window. */
static const char *buffer_elem(const Opened *o) {
    for (int i = 0; i < o->e.inst->nslots; i++)
        if (o->e.operands[i].count > 0 && o->e.operands[i].kind == K_PART)
            return elem_infos[o->e.operands[i].elem].text;
    return "f32";
}

/* A window of the buffer that the function gets. */
static void put_view(const Opened *o, int slot, const char *name, StrBuf *out) {
    const ExampleOperand *x = &o->e.operands[slot];
    StrBuf type;
    sb_init(&type, out->arena);
    example_print_type(&o->e, slot, &type);
    const char *part = sb_text(&type), *open = strchr(part, '<');
    int64_t stride = 1;
    for (unsigned i = x->rank; i-- > 0;) {
        put_number(name, (char)('d' + i), x->dims[i], "index", out);
        put_number(name, (char)('s' + i), stride, "index", out);
        stride *= x->dims[i];
    }
    const char *from = "p";
    if (o->window[slot] != 0) {
        from = arena_printf(out->arena, "%s_p", name);
        put_number(name, 'o', o->window[slot], "index", out);
        sb_printf(out, "  %%%s = pto.addptr %%p, %%%s_o : !pto.ptr<%s> -> !pto.ptr<%s>\n", from,
                  name, buffer_elem(o), buffer_elem(o));
    }
    sb_printf(out, "  %%%s_v = pto.make_tensor_view %%%s, shape = [", name, from);
    for (unsigned i = 0; i < x->rank; i++)
        sb_printf(out, "%s%%%s_%c", i > 0 ? ", " : "", name, 'd' + (int)i);
    sb_puts(out, "], strides = [");
    for (unsigned i = 0; i < x->rank; i++)
        sb_printf(out, "%s%%%s_%c", i > 0 ? ", " : "", name, 's' + (int)i);
    sb_printf(out, "] : !pto.tensor_view%s\n  %%%s = pto.partition_view %%%s_v, offsets = [", open,
              name, name);
    for (unsigned i = 0; i < x->rank; i++)
        sb_puts(out, i > 0 ? ", %zero_index" : "%zero_index");
    sb_puts(out, "], sizes = [");
    for (unsigned i = 0; i < x->rank; i++)
        sb_printf(out, "%s%%%s_%c", i > 0 ? ", " : "", name, 'd' + (int)i);
    sb_printf(out, "] : !pto.tensor_view%s -> %s\n", open, part);
}

static unsigned lines_of(const StrBuf *out, size_t from) {
    unsigned n = 0;
    for (size_t i = from; i < out->len; i++)
        n += out->data[i] == '\n';
    return n;
}

unsigned put_function(const Opened *o, const Given *g, const char *name, StrBuf *out) {
    const Inst *inst = o->e.inst;
    size_t start = out->len;
    sb_printf(out, "func.func @%s(%%p: !pto.ptr<%s>, %%zero_i64: i64) {\n", name, buffer_elem(o));
    sb_puts(out, "  %zero_index = arith.index_cast %zero_i64 : i64 to index\n");
    for (int i = 0; i < inst->nslots; i++) {
        const ExampleOperand *x = &o->e.operands[i];
        bool list = inst->slots[i].arity == ARITY_VAR;
        if (x->same_as != 0 || example_is_result(&o->e, i)) continue;
        for (unsigned k = 0; k < x->count; k++) {
            const char *operand = list ? arena_printf(out->arena, "%s%u", inst->slots[i].name, k)
                                       : inst->slots[i].name;
            if (x->kind == K_TILE)
                put_tile(o, g, i, operand, out);
            else if (x->kind == K_PART)
                put_view(o, i, operand, out);
            else
                put_scalar(o, g, i, operand, out);
        }
    }
    unsigned before = lines_of(out, start);
    sb_puts(out, "  ");
    example_put_generic(&o->e, out);
    sb_puts(out, "\n  return\n}\n");
    return before;
}

/* ---- opening ---- */

/* The numbers of the example; tiles that may have `?` get it, besides results. */
static void take_numbers(Opened *o, uint32_t closed) {
    for (int i = 0; i < o->e.inst->nslots; i++) {
        ExampleOperand *x = &o->e.operands[i];
        o->given.vrow[i] = x->vrow;
        o->given.vcol[i] = x->vcol;
        o->given.addr[i] = x->addr;
        o->given.value[i] = x->constant ? x->value : 0;
        x->constant = false;
        if (x->kind != K_TILE || (closed >> i & 1) != 0 || example_is_result(&o->e, i)) continue;
        x->vrow = DYNAMIC;
        x->vcol = DYNAMIC;
    }
}

/* Operands for which a function can be written. */
static bool is_writable(const Example *e) {
    const uint32_t kinds = K_TILE | K_PART | K_SCALAR | K_I64 | K_I1;
    if (e->text != NULL || e->inst->nresults > 0) return false;
    for (int i = 0; i < e->inst->nslots; i++) {
        const ExampleOperand *x = &e->operands[i];
        if (x->count > 0 && example_is_result(e, i) && x->kind != K_TILE) return false;
        if (x->count > 0 && ((x->kind & kinds) == 0 || x->kind == K_I1)) return false;
        if (x->count > 0 && x->kind == K_TILE && (x->vrow == DYNAMIC || x->vcol == DYNAMIC))
            return false;
    }
    return true;
}

static bool find_op(Op *op, void *arg) {
    Opened *o = arg;
    if (op->inst == o->e.inst) o->op = op;
    return o->op == NULL;
}

/* Reads the function, verifies it, and asks what is left. */
static bool read_function(Opened *o) {
    StrBuf text;
    sb_init(&text, &o->arena);
    put_function(o, &o->given, "example", &text);
    Source *source = ARENA_NEW(&o->arena, Source);
    VerifyOptions *opt = ARENA_NEW(&o->arena, VerifyOptions);
    *source = (Source){
        .name = "open.pto", .data = sb_text(&text), .size = (uint32_t)strlen(sb_text(&text))};
    o->ctx = ARENA_NEW(&o->arena, Context);
    context_init(o->ctx, source, 0);
    *opt = (VerifyOptions){.profiles = PROFILE_BIT(o->e.profile), .no_library = true};
    Module *m = parse_module(o->ctx);
    if (m == NULL || m->root == NULL || !verify_module(m, opt)) return false;
    o->op = NULL;
    op_walk(m->root, find_op, o);
    if (o->op == NULL) return false;
    Judge *j = ARENA_NEW(&o->arena, Judge);
    j->arena = &o->arena;
    residual_init(j, o->ctx, opt, m->root);
    o->rest = rules_residual(j, o->op, o->e.profile, &o->arena);
    return true;
}

static bool try_open(Opened *o, const Example *legal, uint32_t closed) {
    o->e = *legal;
    o->ctx = NULL;
    o->rest = NULL;
    arena_init(&o->arena, NULL);
    take_numbers(o, closed);
    return read_function(o);
}

bool open_example(Opened *o, const Example *legal) {
    uint32_t closed = 0;
    *o = (Opened){.e = *legal};
    if (!is_writable(legal)) return false;
    if (try_open(o, legal, 0)) return true;
    /* Some operands must have static extents: those with which it can be read stay as they are. */
    for (int i = 0; i < legal->inst->nslots; i++) {
        uint32_t only = ~((uint32_t)1 << i);
        close_example(o);
        if (legal->operands[i].kind != K_TILE || !try_open(o, legal, only)) closed |= 1u << i;
    }
    close_example(o);
    return try_open(o, legal, closed);
}

void close_example(Opened *o) {
    if (o->ctx != NULL) context_free(o->ctx);
    o->ctx = NULL;
    arena_free(&o->arena);
    memset(&o->arena, 0, sizeof o->arena);
}
