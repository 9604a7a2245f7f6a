/* SPDX-License-Identifier: Apache-2.0 */
/* Writes examples as text (types, and the program around a statement), and judges them. */
#include "explain/example_impl.h"
#include "ir/vector_code.h"
#include "parser/parse.h"

#include <string.h>

/* ---- types ---- */

static void put_extent(int64_t n, StrBuf *out) {
    if (n == DYNAMIC)
        sb_putc(out, '?');
    else
        sb_printf(out, "%lld", (long long)n);
}

static void put_tile_body(const ExampleOperand *o, StrBuf *out) {
    static const char *const blayouts[] = {"row_major", "col_major"};
    static const char *const slayouts[] = {"none_box", "row_major", "col_major"};
    sb_printf(out, "%s, %lldx%lldx%s", space_names[o->space], (long long)o->rows,
              (long long)o->cols, elem_infos[o->elem].text);
    if (o->vrow != o->rows || o->vcol != o->cols) {
        sb_puts(out, ", valid=");
        put_extent(o->vrow, out);
        sb_putc(out, 'x');
        put_extent(o->vcol, out);
    }
    if (o->layout != 0) {
        bool col = (o->layout & LAY_COL_MAJOR) != 0;
        int box = o->layout & (LAY_NZ | LAY_ZZ) ? SL_ROW_MAJOR
                  : o->layout & LAY_PLAIN       ? SL_NONE_BOX
                                                : SL_COL_MAJOR;
        if (col || o->space == SPACE_LEFT) sb_printf(out, ", blayout=%s", blayouts[col]);
        if (box != SL_NONE_BOX) sb_printf(out, ", slayout=%s", slayouts[box]);
    }
    if (o->fractal != 0 && o->fractal != 512) sb_printf(out, ", fractal=%u", o->fractal);
    if (o->pad != PAD_NULL) sb_printf(out, ", pad=%u", o->pad);
    if (o->compact != COMPACT_NULL) sb_printf(out, ", compact=%u", o->compact);
}

static void put_dims(const ExampleOperand *o, StrBuf *out) {
    for (unsigned i = 0; i < o->rank; i++) {
        put_extent(o->dims[i < 5 ? i : 4], out);
        sb_putc(out, 'x');
    }
    sb_puts(out, elem_infos[o->elem].text);
}

static void put_lane_mask(const ExampleOperand *o, StrBuf *out) {
    sb_printf(out, "!pto.vmi.mask<%ux", o->lanes != 0 ? o->lanes : 64u);
    if (o->mask_bits == 0)
        sb_puts(out, "pred>");
    else
        sb_printf(out, "b%u>", o->mask_bits);
}

static void put_type(const ExampleOperand *o, StrBuf *out) {
    const char *elem = elem_infos[o->elem].text;
    switch (o->kind) {
    case K_TILE:
        sb_puts(out, "!pto.tile_buf<");
        put_tile_body(o, out);
        sb_putc(out, '>');
        return;
    case K_MULTI:
        sb_puts(out, "!pto.multi_tile_buf<");
        put_tile_body(o, out);
        sb_puts(out, ", count=2>");
        return;
    case K_VIEW:
        sb_puts(out, "!pto.tensor_view<");
        put_dims(o, out);
        sb_putc(out, '>');
        return;
    case K_PART:
        sb_puts(out, "!pto.partition_tensor_view<");
        put_dims(o, out);
        sb_putc(out, '>');
        return;
    case K_PTR:
        if (o->space == SPACE_GM)
            sb_printf(out, "!pto.ptr<%s>", elem);
        else
            sb_printf(out, "!pto.ptr<%s, %s>", elem, pointer_space_names[o->space]);
        return;
    case K_MEMREF:
        if (o->text != NULL) {
            sb_puts(out, o->text);
            return;
        }
        sb_puts(out, "memref<");
        put_dims(o, out);
        sb_putc(out, '>');
        return;
    case K_VECTOR:
        sb_printf(out, "vector<4x%s>", elem);
        return;
    case K_PIPE:
        sb_puts(out, "!pto.pipe");
        return;
    case K_EVENTS:
        sb_puts(out, "!pto.eventid_array<2>");
        return;
    case K_ARRAY:
        sb_printf(out, "!pto.local_array<4x%s>", elem);
        return;
    case K_STRUCT:
        sb_puts(out, "!pto.struct<i32, f32>");
        return;
    case K_VREG:
        sb_printf(out, "!pto.vreg<%ux%s>",
                  VREG_BYTES * 8 /
                      (elem_storage_bits((Elem)o->elem) | !elem_storage_bits((Elem)o->elem)),
                  elem);
        return;
    case K_MASK:
        sb_printf(out, "!pto.mask<b%u>", elem_infos[o->elem].bytes * 8u);
        return;
    case K_LANES:
        sb_printf(out, "!pto.vmi.vreg<%ux%s>", o->lanes != 0 ? o->lanes : 64u, elem);
        return;
    case K_LANE_MASK:
        put_lane_mask(o, out);
        return;
    case K_ALIGN:
        sb_puts(out, "!pto.align");
        return;
    case K_SESSION:
        sb_puts(out, "!pto.async_session");
        return;
    case K_ASYNC_EVENT:
        sb_puts(out, "!pto.async_event");
        return;
    case K_PREFETCH:
        sb_puts(out, "!pto.prefetch_async_context");
        return;
    default:
        sb_puts(out, elem);
    }
}

/* Writes a result type that follows from the operands. */
static void put_result_type(const Example *e, int index, StrBuf *out) {
    const ExampleOperand *first = &e->operands[0];
    ExampleOperand part = *first;
    if (e->operands[index].own_type) {
        put_type(&e->operands[index], out);
        return;
    }
    switch ((ResultRule)e->inst->results[index - e->inst->nslots].rule) {
    case RES_INDEX:
        sb_puts(out, "index");
        return;
    case RES_I64:
        sb_puts(out, "i64");
        return;
    case RES_I1:
        sb_puts(out, "i1");
        return;
    case RES_SAME:
        put_type(first, out);
        return;
    case RES_SECOND:
        put_type(&e->operands[1], out);
        return;
    case RES_ELEM:
        sb_puts(out, elem_infos[first->elem].text);
        return;
    case RES_PARTITION:
        part.kind = K_PART;
        put_type(&part, out);
        return;
    default:
        put_type(&e->operands[index], out);
    }
}

/* True when the type is written as `!src`; the alias is then defined before the program. */
static bool by_alias(const Example *e, int index) {
    return e->aliases && e->operands[index].count > 0;
}

static void put_written_type(const Example *e, int index, StrBuf *out) {
    if (by_alias(e, index))
        sb_printf(out, "!%s", inst_operand_text(e->inst, index));
    else
        example_print_type(e, index, out);
}

static void put_aliases(const Example *e, StrBuf *out) {
    for (int i = 0; i < e->inst->nslots + e->inst->nresults; i++) {
        if (!by_alias(e, i)) continue;
        sb_printf(out, "!%s = ", inst_operand_text(e->inst, i));
        example_print_type(e, i, out);
        sb_putc(out, '\n');
    }
}

void example_print_type(const Example *e, int index, StrBuf *out) {
    if (index >= e->inst->nslots)
        put_result_type(e, index, out);
    else
        put_type(&e->operands[index], out);
}

/* ---- the statement, in the generic form ---- */

bool example_is_result(const Example *e, int slot) {
    return slot >= e->inst->nslots || (slot_is_result(&e->inst->slots[slot]) && example_results(e));
}

bool example_results(const Example *e) {
    return e->form == OPF_SSA || e->form == OPF_AS;
}

/* Writes `%src` or `%shape0, %shape1`, with a comma before it if needed. */
static void put_values(const Example *e, int slot, StrBuf *out, unsigned *n) {
    const ExampleOperand *o = &e->operands[slot];
    if (o->same_as != 0 && o->count > 0) slot = o->same_as - 1;
    bool list = slot < e->inst->nslots && e->inst->slots[slot].arity == ARITY_VAR;
    for (unsigned k = 0; k < o->count; k++) {
        sb_printf(out, "%s%%%s", (*n)++ > 0 ? ", " : "", inst_operand_text(e->inst, slot));
        if (list) sb_printf(out, "%u", k);
    }
}

static void put_types(const Example *e, int slot, StrBuf *out, unsigned *n) {
    for (unsigned k = 0; k < e->operands[slot].count; k++) {
        if ((*n)++ > 0) sb_puts(out, ", ");
        put_written_type(e, slot, out);
    }
}

static void put_attr(const AttrInfo *info, int64_t value, StrBuf *out) {
    const EnumInfo *f = info->family < EF_COUNT ? &enum_infos[info->family] : NULL;
    sb_puts(out, info->name);
    switch ((AttrType)info->type) {
    case AT_UNIT:
        return;
    case AT_BOOL:
        sb_puts(out, value != 0 ? " = true" : " = false");
        return;
    case AT_INT:
        sb_printf(out, " = %lld", (long long)value);
        return;
    case AT_I32:
        sb_printf(out, " = %lld : i32", (long long)value);
        return;
    case AT_STRING:
        sb_printf(out, " = \"%s\"", info->sample != 0 ? inst_doc(info->sample) : "text");
        return;
    case AT_SYMBOL:
        sb_puts(out, " = @name");
        return;
    case AT_ENUM:
        sb_puts(out, " = ");
        enum_put(out, f, f->values[value].text);
        return;
    case AT_WORD:
        if (f->spelling >= ENUM_QUOTED) {
            sb_puts(out, " = ");
            enum_put(out, f, f->values[value].text);
            return;
        }
        sb_printf(out, " = %d : i%u", f->values[value].value,
                  info->int_bits == 0 ? 64u : info->int_bits);
        return;
    case AT_INT_LIST:
        sb_printf(out, " = %s", info->sample != 0 ? inst_doc(info->sample) : "[0, 1]");
        return;
    case AT_TYPE:
        sb_puts(out, " = f32");
        return;
    default:
        sb_puts(out, " = 0");
    }
}

static void put_attrs(const Example *e, StrBuf *out) {
    unsigned n = 0;
    for (int i = 0; i < e->inst->nattrs && i < EXAMPLE_MAX_ATTRS; i++) {
        if (!e->attrs[i].present) continue;
        sb_puts(out, n++ == 0 ? " {" : ", ");
        put_attr(&e->inst->attrs[i], e->attrs[i].value, out);
    }
    if (n > 0) sb_putc(out, '}');
}

static void put_segments(const Example *e, const uint8_t *order, unsigned named, StrBuf *out) {
    bool some = false;
    for (int i = 0; i < e->inst->nslots; i++)
        some |= e->inst->slots[i].arity != ARITY_ONE;
    if (!some) return;
    sb_puts(out, " <{operandSegmentSizes = array<i32: ");
    for (unsigned i = 0, n = 0; i < e->inst->nslots; i++) {
        unsigned count = e->operands[order[i]].count;
        if (example_is_result(e, order[i]) || (count == 0 && i >= named)) continue;
        sb_printf(out, n++ > 0 ? ", %u" : "%u", count);
    }
    sb_puts(out, ">}>");
}

void example_put_generic(const Example *e, StrBuf *out) {
    const Inst *inst = e->inst;
    int all = inst->nslots + inst->nresults;
    uint8_t order[INST_MOST_OPERANDS];
    unsigned n = 0, named = inst_generic_order(inst, order);
    for (int i = 0; i < all; i++)
        if (example_is_result(e, i)) put_values(e, i, out, &n);
    sb_printf(out, "%s\"%s\"(", n > 0 ? " = " : "", inst->name);
    n = 0;
    for (int i = 0; i < inst->nslots; i++)
        if (!example_is_result(e, order[i])) put_values(e, order[i], out, &n);
    sb_putc(out, ')');
    put_segments(e, order, named, out);
    put_attrs(e, out);
    sb_puts(out, " : (");
    n = 0;
    for (int i = 0; i < inst->nslots; i++)
        if (!example_is_result(e, order[i])) put_types(e, order[i], out, &n);
    sb_puts(out, ") -> (");
    n = 0;
    for (int i = 0; i < all; i++)
        if (example_is_result(e, i)) put_types(e, i, out, &n);
    sb_putc(out, ')');
}

/* ---- the program around it ---- */

static bool is_parameter(const Example *e, int slot) {
    const ExampleOperand *o = &e->operands[slot];
    return o->count > 0 && o->same_as == 0 && !example_is_result(e, slot) &&
           (o->kind != K_TILE || e->given) && !o->constant;
}

/* Writes parameters for operands that are not allocated in the body, as tiles and constants are. */
static void put_parameters(const Example *e, bool as, StrBuf *out) {
    unsigned n = 0;
    for (int i = 0; i < e->inst->nslots; i++) {
        const ExampleOperand *o = &e->operands[i];
        bool list = e->inst->slots[i].arity == ARITY_VAR;
        for (unsigned k = 0; is_parameter(e, i) && k < o->count; k++) {
            sb_printf(out,
                      as        ? ".arg %%%s"
                      : n++ > 0 ? ", %%%s"
                                : "%%%s",
                      inst_operand_text(e->inst, i));
            if (list) sb_printf(out, "%u", k);
            sb_puts(out, as ? " : " : ": ");
            put_written_type(e, i, out);
            if (as) sb_putc(out, '\n');
        }
    }
}

/* True for a tile with a dynamic valid region; its allocation gives the extents. */
static bool is_dynamic(const ExampleOperand *o) {
    return o->kind == K_TILE && (o->vrow == DYNAMIC || o->vcol == DYNAMIC);
}

static void put_allocation(const ExampleOperand *o, int addr, StrBuf *out) {
    sb_puts(out, " = pto.alloc_tile ");
    if (addr >= 0) sb_printf(out, "addr = %%addr%d ", addr);
    if (o->vrow == DYNAMIC) sb_puts(out, "valid_row = %extent ");
    if (o->vcol == DYNAMIC) sb_puts(out, "valid_col = %extent ");
    sb_puts(out, ": ");
}

static void put_definitions(const Example *e, const char *indent, StrBuf *out) {
    bool dynamic = false;
    for (int i = 0; i < e->inst->nslots; i++)
        dynamic |=
            !example_is_result(e, i) && e->operands[i].count > 0 && is_dynamic(&e->operands[i]);
    if (dynamic) sb_printf(out, "%s%%extent = arith.constant 16 : index\n", indent);
    for (int i = 0; i < e->inst->nslots; i++) {
        const ExampleOperand *o = &e->operands[i];
        bool list = e->inst->slots[i].arity == ARITY_VAR;
        if (example_is_result(e, i) || is_parameter(e, i) || o->same_as != 0) continue;
        if (e->placed && o->count > 0 && o->kind == K_TILE)
            sb_printf(out, "%s%%addr%d = arith.constant %lld : i64\n", indent, i,
                      (long long)o->addr);
        for (unsigned k = 0; k < o->count; k++) {
            sb_printf(out, "%s%%%s", indent, inst_operand_text(e->inst, i));
            if (list) sb_printf(out, "%u", k);
            if (o->constant)
                sb_printf(out, " = arith.constant %lld%s : ", (long long)o->value,
                          elem_is_float((Elem)o->elem) ? ".0" : "");
            else
                put_allocation(o, e->placed ? i : -1, out);
            put_written_type(e, i, out);
            sb_putc(out, '\n');
        }
    }
}

/* True for an instruction that belongs in a vector scope: it has registers, masks or states. */
static bool wants_scope(const Inst *inst) {
    uint32_t kinds = 0;
    for (unsigned i = 0; i < inst->nslots; i++)
        kinds |= slot_types[inst->slots[i].kind].kinds;
    for (unsigned i = 0; i < inst->nresults; i++)
        kinds |= slot_types[inst->results[i].kind].kinds;
    return inst->scope == SCOPE_IN || (inst->scope != SCOPE_OUT && (kinds & VECTOR_KINDS) != 0);
}

void example_put_program(const Example *e, const char *statement, StrBuf *out) {
    bool as = e->form == OPF_AS;
    const bool scope = wants_scope(e->inst);
    put_aliases(e, out);
    if (!as) sb_puts(out, "func.func @example(");
    put_parameters(e, as, out);
    if (!as) sb_puts(out, ") {\n");
    put_definitions(e, as ? "" : "  ", out);
    if (scope)
        sb_printf(out, "  pto.vecscope {\n    %s\n  }\n", statement);
    else
        sb_printf(out, "%s%s\n", as ? "" : "  ", statement);
    if (!as) sb_puts(out, "  return\n}\n");
}

/* ---- reading and judging ---- */

typedef struct Trial {
    Context ctx;
    Arena texts;
    Source source;
} Trial;

static Module *trial_read(Trial *t, StrBuf *program) {
    const char *text = sb_text(program);
    t->source = (Source){.name = "example.pto", .data = text, .size = (uint32_t)strlen(text)};
    context_init(&t->ctx, &t->source, 0);
    return parse_module(&t->ctx);
}

typedef struct Found {
    const Inst *inst;
    const Op *op;
} Found;

static bool is_statement(Op *op, void *arg) {
    Found *found = arg;
    if (op->inst == found->inst) found->op = op;
    return found->op == NULL;
}

/* Finds the statement in a program; NULL when the program cannot be read. */
static const Op *find_statement(const Example *e, const Module *m) {
    Found found = {e->inst, NULL};
    if (m->bound_ok && m->root != NULL) op_walk(m->root, is_statement, &found);
    return found.op;
}

/* Writes the program with the statement in the generic form, which every instruction with operands
 * has. */
static void put_generic_program(const Example *e, Trial *t, StrBuf *generic, StrBuf *program) {
    Example in_function = *e;
    sb_init(generic, &t->texts);
    sb_init(program, &t->texts);
    example_put_generic(e, generic);
    if (e->form == OPF_AS) in_function.form = OPF_SSA;
    example_put_program(&in_function, sb_text(generic), program);
}

static const PrintForm print_forms[] = {[OPF_DPS] = PRINT_DPS,
                                        [OPF_SSA] = PRINT_SSA,
                                        [OPF_AS] = PRINT_AS,
                                        [OPF_GENERIC] = PRINT_GENERIC};

/* Prints the statement of a given text, unless it has regions. */
static void given_statement(const Example *e, Trial *t, StrBuf *out) {
    StrBuf program;
    sb_init(&program, &t->texts);
    sb_puts(&program, e->text);
    Module *m = trial_read(t, &program);
    const Op *op = find_statement(e, m);
    if (op != NULL && op->nregions == 0) op_print(out, &t->ctx, op, print_forms[e->form]);
}

/* Reads the statement in the generic form and prints it in the requested one. */
static void statement_text(const Example *e, Trial *t, StrBuf *out) {
    StrBuf generic, program;
    put_generic_program(e, t, &generic, &program);
    Module *m = trial_read(t, &program);
    const Op *op = find_statement(e, m);
    if (op != NULL)
        op_print(out, &t->ctx, op, print_forms[e->form]);
    else
        sb_puts(out, sb_text(&generic));
}

/* Runs `work` with its own memory; false when that ran out. */
static bool with_trial(const Example *e, StrBuf *out, Verdict *v,
                       void (*work)(const Example *, Trial *, StrBuf *, Verdict *)) {
    Trial t;
    memset(&t, 0, sizeof t);
    arena_init(&t.texts, &t.ctx.oom);
    bool fine = setjmp(t.ctx.oom) == 0;
    if (fine) work(e, &t, out, v);
    context_free(&t.ctx);
    arena_free(&t.texts);
    if (!fine && e->starved != NULL) *e->starved = true;
    return fine;
}

static void print_statement(const Example *e, Trial *t, StrBuf *out, Verdict *v) {
    (void)v;
    StrBuf text;
    sb_init(&text, &t->texts);
    if (e->text != NULL)
        given_statement(e, t, &text);
    else
        statement_text(e, t, &text);
    sb_puts(out, sb_text(&text));
}

static void print_program(const Example *e, Trial *t, StrBuf *out, Verdict *v) {
    (void)v;
    StrBuf text;
    sb_init(&text, &t->texts);
    statement_text(e, t, &text);
    example_put_program(e, sb_text(&text), out);
}

/* Prints only the statement; nothing when it has regions. */
static void example_print_statement(const Example *e, StrBuf *out) {
    with_trial(e, out, NULL, print_statement);
}

void example_print_syntax(const Example *e, StrBuf *out) {
    Example all = *e;
    all.aliases = true;
    example_print_statement(&all, out);
}

/* Gives `to` the attributes of the statement in a given text. */
static void take_attributes(const Example *e, Trial *t, Example *to) {
    StrBuf program;
    sb_init(&program, &t->texts);
    sb_puts(&program, e->text);
    const Op *op = find_statement(e, trial_read(t, &program));
    for (int i = 0; op != NULL && i < e->inst->nattrs && i < EXAMPLE_MAX_ATTRS; i++) {
        to->attrs[i].present = op_attr(op, i) != NULL;
        if (to->attrs[i].present) to->attrs[i].value = op_attr_int(op, i);
    }
}

void example_take_all(Example *e) {
    const Example given = *e;
    Trial t;
    memset(&t, 0, sizeof t);
    arena_init(&t.texts, &t.ctx.oom);
    if (setjmp(t.ctx.oom) == 0 && given.text != NULL) take_attributes(&given, &t, e);
    context_free(&t.ctx);
    arena_free(&t.texts);
    e->text = NULL;
    const bool alternatives = given.text == NULL && e->inst->form == FORM_FORMAT;
    for (int i = 0; i < e->inst->nattrs && i < EXAMPLE_MAX_ATTRS && alternatives; i++)
        e->attrs[i].present &= e->inst->attrs[i].required; /* operands may replace the others */
    for (int i = 0; i < e->inst->nslots; i++)
        if (e->operands[i].count == 0) e->operands[i].count = 1;
    if (inst_has_clauses(e->inst)) clauses_take_all(e);
}

void example_print(const Example *e, StrBuf *out) {
    if (e->text != NULL)
        sb_puts(out, e->text);
    else
        with_trial(e, out, NULL, print_program);
}

/* Notes the first broken row of the statement; for other statements, such as allocations, only
 * that they break one. */
static void on_broken(void *user, InstId inst, const RuleRow *row) {
    Verdict *v = user;
    if (inst == v->inst && row == v->wanted) v->hit = true;
    if (inst == v->inst && v->row == NULL)
        v->row = row;
    else if (inst != v->inst)
        v->around = true;
}

static void judge_program(const Example *e, Trial *t, StrBuf *program, Verdict *v) {
    Module *m = trial_read(t, program);
    const VerifyOptions opt = {.profiles = PROFILE_BIT(e->profile),
                               .level = e->placed ? 3 : 0,
                               .compat = e->compat,
                               .no_library = e->no_library,
                               .shown = e->shown,
                               .constants = true,
                               .on_broken = on_broken,
                               .user = v};
    v->read = m->bound_ok;
    v->wanted = e->wanted;
    if (v->read) v->accepted = verify_module(m, &opt);
    v->warned = v->accepted && t->ctx.diags.warnings > 0;
    for (const Diag *d = t->ctx.diags.first; d != NULL && v->id == DIAG_COUNT; d = d->next)
        if (d->severity == SEV_ERROR) v->id = d->id;
}

static void judge_generic(const Example *e, Trial *t, StrBuf *out, Verdict *v) {
    (void)out;
    StrBuf generic, program;
    put_generic_program(e, t, &generic, &program);
    judge_program(e, t, &program, v);
}

void example_judge_text(Example *e, Verdict *v) {
    *v = (Verdict){.inst = inst_id(e->inst), .id = DIAG_COUNT};
    e->tries++;
    with_trial(e, NULL, v, judge_generic);
}

void example_judge(Example *e, Verdict *v) {
    *v = (Verdict){.inst = inst_id(e->inst), .id = DIAG_COUNT};
    if (e->bench != NULL && e->text == NULL && example_bench_judge(e->bench, e, v))
        e->tries++;
    else
        example_judge_text(e, v);
}

static void judge_text(const Example *e, Trial *t, StrBuf *out, Verdict *v) {
    (void)e;
    judge_program(e, t, out, v);
}

bool example_accepted(Example *e) {
    Verdict v = {.inst = inst_id(e->inst), .id = DIAG_COUNT};
    Arena arena;
    jmp_buf oom;
    memset(&arena, 0, sizeof arena);
    arena_init(&arena, &oom);
    if (setjmp(oom) == 0) {
        StrBuf text;
        sb_init(&text, &arena);
        example_print(e, &text);
        with_trial(e, &text, &v, judge_text);
    } else if (e->starved != NULL) {
        *e->starved = true;
    }
    arena_free(&arena);
    e->broken = v.row;
    e->id = v.id;
    e->warned = v.warned;
    return v.accepted;
}
