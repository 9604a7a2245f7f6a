/* SPDX-License-Identifier: Apache-2.0 */
/* Control flow: scf as C statements, cf as labels and goto. Values passed to a region or block are
 * assigned as if all at once. A tile is passed as its handle. */
#include "backends/text/cover.h"
#include "ir/number.h"

#include <string.h>

/* ---- regions and blocks ---- */

/* Returns the label of a block. Labels are unique within a region, and the region's offset makes
 * them unique in the function. */
static const char *block_label(Emitter *e, const LowerBlock *b) {
    const Interner *in = &e->ctx->names;
    const char *text = name_mangle(e->arena, atom_text(in, b->label), atom_len(in, b->label));
    return strf(e, "bb_%s_%u", text, (unsigned)b->region->off);
}

static void hoist(Emitter *e, const Value *v) {
    if (local_of(e, v)->hoisted) return;
    declare(e, v);
    defined(e, v);
    local_of(e, v)->hoisted = true;
}

/* Declares the values of all blocks first, so that no goto skips a declaration. */
static void hoist_region(Emitter *e, const LowerRegion *r) {
    for (const LowerBlock *b = r->first; b != NULL; b = b->next) {
        for (unsigned i = 0; b != r->first && i < b->nargs; i++)
            hoist(e, &b->args[i]);
        for (const LowerStmt *s = b->first; s != NULL; s = s->next)
            for (unsigned i = 0; i < s->nresults; i++)
                hoist(e, &s->results[i]);
    }
}

static void emit_label(Emitter *e, const LowerBlock *b) {
    if (!b->target) return;
    const unsigned indent = e->indent;
    e->indent = 0;
    ln(e, "%s:;", block_label(e, b));
    e->indent = indent;
}

void emit_region(Emitter *e, const LowerRegion *r) {
    const bool many = r->first != NULL && r->first->next != NULL;
    if (r->first == NULL) return;
    if (many) hoist_region(e, r);
    for (const LowerBlock *b = r->first; b != NULL; b = b->next) {
        const bool braces = e->lang->braced_blocks && b != r->first;
        emit_label(e, b);
        if (braces) open_block(e);
        for (const LowerStmt *s = b->first; s != NULL; s = s->next)
            e->lang->stmt(e, s);
        if (braces) close_brace(e);
    }
    if (e->lang->leave_region != NULL) e->lang->leave_region(e, r);
}

/* Emits a nested region whose scf.yield assigns to `sink`. */
static void emit_yielding(Emitter *e, const LowerRegion *r, Sink sink) {
    Sink outer = e->sink;
    e->sink = sink;
    emit_region(e, r);
    e->sink = outer;
}

static Sink sink_of(Emitter *e, const Value *values, unsigned n) {
    return (Sink){value_names(e, values, n), values, NULL};
}

static void declare_all(Emitter *e, const Value *values, unsigned n) {
    for (unsigned i = 0; i < n; i++)
        declare(e, &values[i]);
}

static void defined_all(Emitter *e, const Value *values, unsigned n) {
    for (unsigned i = 0; i < n; i++)
        defined(e, &values[i]);
}

static void emit_yield(Emitter *e, const LowerStmt *s) {
    if (e->sink.names != NULL) assign_all(e, e->sink.names, e->sink.values, s->args, s->nargs);
    if (e->sink.label != NULL) ln(e, "goto %s;", e->sink.label);
}

/* ---- scf ---- */

/* Returns the increment of a loop counter: plain if it cannot overflow, else stopping at the
 * bound. */
static const char *next_count(Emitter *e, const Operand *bounds, const char *i) {
    int64_t upper, step;
    const char *type = e->lang->type(e, bounds[0].value);
    bool have_step = number_known(bounds[2].value, &step);
    bool have_upper = number_known(bounds[1].value, &upper);
    const char *ub = val(e, bounds[1].value), *st = val(e, bounds[2].value);
    unsigned width = elem_int_width((Elem)bounds[0].value->type->elem);
    int64_t most = width == 64 ? INT64_MAX : ((int64_t)1 << (width - 1)) - 1;
    if (e->lang->plain_steps || (have_step && (step == 1 || (have_upper && upper <= most - step))))
        return width >= 32 ? strf(e, "%s += %s", i, st)
                           : strf(e, "%s = (%s)(%s + %s)", i, type, i, st);
    return strf(e, "%s = (uint64_t)%s < (uint64_t)%s - (uint64_t)%s ? (%s)(%s + %s) : %s", i, st,
                ub, i, type, i, st, ub);
}

/* A loop whose bounds are constants runs as often each time. */
static bool known_trips(const LowerStmt *s) {
    int64_t ignored;
    return number_known(s->args[0].value, &ignored) && number_known(s->args[1].value, &ignored) &&
           number_known(s->args[2].value, &ignored);
}

static void emit_for(Emitter *e, const LowerStmt *s) {
    const LowerBlock *body = s->regions[0].first;
    const Value *iv = &body->args[0], *carried = body->args + 1;
    unsigned n = s->nresults;
    const char *type = e->lang->type(e, iv);
    if (type == NULL || elem_int_width((Elem)iv->type->elem) < 8) {
        cannot(e, s->span, "a loop over '" TYPE_FMT "' has no form in %s",
               TYPE_ARG(&e->ctx->names, iv->type), e->lang->name);
        return;
    }
    int64_t step;
    const char *lb = val(e, s->args[0].value), *ub = val(e, s->args[1].value);
    if (!(number_known(s->args[2].value, &step) && step > 0) && e->lang->check_step != NULL)
        e->lang->check_step(e, s->args[2].value);
    declare_all(e, s->results, n);
    if (n > 0) open_block(e);
    for (unsigned i = 0; i < n; i++)
        define(e, &carried[i], "%s", passed(e, s->args[3 + i].value, &carried[i]));
    const int point = known_trips(s) ? NO_POINT : cover_point(e, s->span, "loop", LOOP_WAYS, 3);
    const char *trips = cover_trips(e, point);
    const char *i = val(e, iv);
    open_brace(e, "for (%s %s = %s; %s < %s; %s)", type, i, lb, i, ub, next_count(e, s->args, i));
    cover_trip(e, point, trips);
    emit_yielding(e, &s->regions[0], sink_of(e, carried, n));
    close_brace(e);
    cover_loop(e, point, trips);
    for (unsigned k = 0; k < n; k++)
        ln(e, "%s = %s;", name_of(e, &s->results[k]), val(e, &carried[k]));
    if (n > 0) close_brace(e);
    defined_all(e, s->results, n);
}

static void emit_if(Emitter *e, const LowerStmt *s) {
    Sink sink = sink_of(e, s->results, s->nresults);
    declare_all(e, s->results, s->nresults);
    const int point = cover_point(e, s->span, "if", "then,else", 2);
    const bool other = s->nregions > 1 && s->regions[1].first != NULL;
    open_brace(e, "if (%s)", val(e, s->args[0].value));
    cover_way(e, point, 0);
    emit_yielding(e, &s->regions[0], sink);
    if (other || point != NO_POINT) {
        e->indent--;
        ln(e, "} else {");
        e->indent++;
        cover_way(e, point, 1);
        if (other) emit_yielding(e, &s->regions[1], sink);
    }
    close_brace(e);
    defined_all(e, s->results, s->nresults);
}

static void emit_while(Emitter *e, const LowerStmt *s) {
    const LowerBlock *before = s->regions[0].first, *after = s->regions[1].first;
    Sink leave = e->leave;
    declare_all(e, s->results, s->nresults);
    open_block(e);
    for (unsigned i = 0; i < before->nargs; i++)
        define(e, &before->args[i], "%s", passed(e, s->args[i].value, &before->args[i]));
    declare_all(e, after->args, after->nargs);
    const int point = cover_point(e, s->span, "loop", LOOP_WAYS, 3);
    const char *trips = cover_trips(e, point);
    open_brace(e, "for (;;)");
    e->leave = sink_of(e, s->results, s->nresults);
    Sink next = sink_of(e, after->args, after->nargs);
    emit_yielding(e, &s->regions[0], next);
    e->leave = leave;
    defined_all(e, after->args, after->nargs);
    cover_trip(e, point, trips);
    emit_yielding(e, &s->regions[1], sink_of(e, before->args, before->nargs));
    close_brace(e);
    cover_loop(e, point, trips);
    close_brace(e);
    defined_all(e, s->results, s->nresults);
}

/* scf.condition: leaves the loop with the values when false, else passes them to the second
 * region. Either way the tiles that the region borrows go back, which the statements after it do.
 */
static void emit_condition(Emitter *e, const LowerStmt *s) {
    const Operand *values = s->args + 1;
    unsigned n = s->nargs - 1u;
    open_brace(e, "if (!%s)", val(e, s->args[0].value));
    assign_all(e, e->leave.names, e->leave.values, values, n);
    for (const LowerStmt *after = s->next; after != NULL; after = after->next)
        e->lang->stmt(e, after);
    ln(e, "break;");
    close_brace(e);
    assign_all(e, e->sink.names, e->sink.values, values, n);
}

/* Gives the operands of a statement to its region. */
static void pass_operands(Emitter *e, const LowerStmt *s, const LowerRegion *r) {
    if ((s->inst->regions->init & TO_FIRST) == 0 || r->first == NULL) return;
    const unsigned n = r->first->nargs;
    declare_all(e, r->first->args, n);
    assign_all(e, value_names(e, r->first->args, n), r->first->args, s->args, n);
    defined_all(e, r->first->args, n);
}

/* A region that runs a number of times; what the last one yields are the results. */
static void emit_execute_region(Emitter *e, const LowerStmt *s) {
    const LowerRegion *r = &s->regions[0];
    const unsigned times = s->inst->regions->times;
    Sink sink = sink_of(e, s->results, s->nresults);
    bool many = r->first != NULL && r->first->next != NULL;
    declare_all(e, s->results, s->nresults);
    if (times > 1) {
        const char *i = fresh(e, "round");
        open_brace(e, "for (int %s = 0; %s < %u; %s++)", i, i, times, i);
    }
    if (many) sink.label = fresh(e, "leave");
    open_block(e);
    pass_operands(e, s, r);
    emit_yielding(e, r, sink);
    close_brace(e);
    if (many) {
        ln(e, "goto %s;", sink.label); /* a use of the label, in case nothing yields */
        ln(e, "%s:;", sink.label);
    }
    if (times > 1) close_brace(e);
    defined_all(e, s->results, s->nresults);
}

/* Checks that there is a case value for each of the `n` ways except the default. */
static bool has_cases(Emitter *e, const LowerStmt *s, unsigned n) {
    uint32_t values = s->cases != NULL ? s->cases->n : 0;
    if (n > 0 && values == n - 1) return true;
    cannot(e, s->span, "%s has %u ways and %u values", s->inst->name, n, (unsigned)values);
    return false;
}

/* Adds the point of a switch: its case values and the default, which is the last way. */
static int cover_switch(Emitter *e, const LowerStmt *s, unsigned n, unsigned width) {
    StrBuf ways;
    if (!e->opt->cover) return NO_POINT;
    sb_init(&ways, e->arena);
    for (unsigned k = 0; k + 1 < n; k++)
        sb_printf(&ways, "case %s,",
                  int_literal(e, s->cases->items[k]->i, width != 0 ? width : 64));
    sb_puts(&ways, "default");
    return cover_point(e, s->span, "switch", sb_text(&ways), n);
}

/* Region k belongs to case value k; the last region is the default. */
static void emit_index_switch(Emitter *e, const LowerStmt *s) {
    Sink sink = sink_of(e, s->results, s->nresults);
    if (!has_cases(e, s, s->nregions)) return;
    declare_all(e, s->results, s->nresults);
    const int point = cover_switch(e, s, s->nregions, 0);
    open_brace(e, "switch (%s)", val(e, s->args[0].value));
    for (unsigned k = 0; k < s->nregions; k++) {
        bool last = k + 1 == s->nregions;
        if (last)
            open_brace(e, "default:");
        else
            open_brace(e, "case %s:", int_literal(e, s->cases->items[k]->i, 64));
        cover_way(e, point, k);
        emit_yielding(e, &s->regions[k], sink);
        ln(e, "break;");
        close_brace(e);
    }
    close_brace(e);
    defined_all(e, s->results, s->nresults);
}

/* ---- cf ---- */

static void jump(Emitter *e, const LowerWay *w) {
    assign_all(e, value_names(e, w->to->args, w->nargs), w->to->args, w->args, w->nargs);
    ln(e, "goto %s;", block_label(e, w->to));
}

static void emit_br(Emitter *e, const LowerStmt *s) {
    jump(e, &s->ways[0]);
}

static void emit_cond_br(Emitter *e, const LowerStmt *s) {
    const int point = cover_point(e, s->span, "branch", "true,false", 2);
    open_brace(e, "if (%s)", val(e, s->args[0].value));
    cover_way(e, point, 0);
    jump(e, &s->ways[0]);
    e->indent--;
    ln(e, "} else {");
    e->indent++;
    cover_way(e, point, 1);
    jump(e, &s->ways[1]);
    close_brace(e);
}

/* Successor 0 is the default; successor k belongs to case value k - 1. */
static void emit_switch(Emitter *e, const LowerStmt *s) {
    if (!has_cases(e, s, s->nways)) return;
    unsigned width = elem_int_width((Elem)s->args[0].value->type->elem);
    const int point = cover_switch(e, s, s->nways, width);
    open_brace(e, "switch (%s)", val(e, s->args[0].value));
    for (unsigned k = 1; k < s->nways; k++) {
        open_brace(e, "case %s:", int_literal(e, s->cases->items[k - 1]->i, width));
        cover_way(e, point, k - 1);
        jump(e, &s->ways[k]);
        close_brace(e);
    }
    open_brace(e, "default:");
    cover_way(e, point, s->nways - 1u);
    jump(e, &s->ways[0]);
    close_brace(e);
    close_brace(e);
}

EmitFn flow_emitter(StmtForm form) {
    static const EmitFn emitters[STMT_FORM_COUNT] = {
        [STMT_FOR] = emit_for,
        [STMT_WHILE] = emit_while,
        [STMT_IF] = emit_if,
        [STMT_INDEX_SWITCH] = emit_index_switch,
        [STMT_EXECUTE_REGION] = emit_execute_region,
        [STMT_YIELD] = emit_yield,
        [STMT_CONDITION] = emit_condition,
        [STMT_BR] = emit_br,
        [STMT_COND_BR] = emit_cond_br,
        [STMT_SWITCH] = emit_switch,
    };
    return emitters[form];
}
