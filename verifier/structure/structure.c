/* SPDX-License-Identifier: Apache-2.0 */
/* Structure: what modules, functions, regions and control flow require of their statements. */
#include "ir/functions.h"
#include "ir/number.h"
#include "parser/conversions.h"
#include "verifier/fixes/corrections.h"
#include "verifier/structure/core_kinds.h"
#include "verifier/structure/simt.h"

#include <stdlib.h>
#include <string.h>

static DiagList *diags(Verifier *v) {
    return &v->judge.ctx->diags;
}

/* Prints an atom with %.*s. */
#define ATOM_FMT "%.*s"
#define ATOM_ARG(v, a)                                                                             \
    (int)atom_len(&(v)->judge.ctx->names, (a)), atom_text(&(v)->judge.ctx->names, (a))

/* A type is missing when the end of a generic statement could not be read. */
static bool types_fit(const Type *a, const Type *b) {
    return a == NULL || b == NULL || a->kind == TY_NONE || b->kind == TY_NONE || type_same(a, b) ||
           type_compatible(a, b);
}

/* ---- texts with errors ---- */

bool hole_between(const Verifier *v, uint32_t from, uint32_t to) {
    uint32_t lo = 0, hi = v->nholes;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (v->holes[mid] < from)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < v->nholes && v->holes[lo] <= to;
}

bool op_is_whole(const Verifier *v, const Op *op) {
    if (v->nholes == 0) return true;
    unsigned n = 0;
    for (int s = 0; s < op->inst->nslots; s++)
        n += slot_count(op, s);
    if (n != op->noperands) return false;
    for (unsigned i = 0; i < n; i++)
        if (op->operands[i].value == NULL || op->operands[i].value->type->kind == TY_NONE)
            return false;
    for (unsigned i = 0; i < op->nresults; i++)
        if (op->results[i].type == NULL || op->results[i].type->kind == TY_NONE) return false;
    return true;
}

static uint32_t region_close(const Region *r) {
    return r->close.off != 0 ? r->close.off : UINT32_MAX;
}

/* Returns the end of a statement with its regions. */
static uint32_t op_end(const Op *op) {
    return op->nregions > 0 ? region_close(&op_regions(op)[op->nregions - 1])
                            : op->span.off + op->span.len;
}

/* Returns the start of the next statement. */
static uint32_t next_start(const Op *op) {
    return op->next != NULL    ? op->next->span.off
           : op->block != NULL ? region_close(op->block->region)
                               : UINT32_MAX;
}

/* ---- lists of values ---- */

/* Gives entry `i` of a list, so that values, arguments and types compare alike. */
typedef const Type *(*TypeAt)(const void *list, unsigned i);

static const Type *value_type_at(const void *list, unsigned i) {
    return ((const Value *)list)[i].type;
}

static const Type *type_at(const void *list, unsigned i) {
    return ((const Type *const *)list)[i];
}

typedef struct TypeList {
    TypeAt at;
    const void *list;
    unsigned n;
} TypeList;

static TypeList values_list(const Value *values, unsigned n) {
    return (TypeList){value_type_at, values, n};
}

/* Those from `first` on. */
static TypeList rest_of_values(const Value *values, unsigned n, unsigned first) {
    return first < n ? values_list(values + first, n - first) : values_list(NULL, 0);
}

static TypeList results_of(const Op *op) {
    return values_list(op->results, op->nresults);
}

static TypeList function_results(const Type *t) {
    return (TypeList){type_at, t->types + t->ninputs, t->ntypes - t->ninputs};
}

/* Compares operands with the types they must have; reports at most one mismatch. */
static void match(Verifier *v, DiagId id, const Op *op, Span at, const Operand *ops, unsigned n,
                  TypeList want, const char *what) {
    if (n != want.n) {
        diag_add(diags(v), id, at, "%u value%s for %u %s", n, n == 1 ? "" : "s", want.n, what);
        return;
    }
    for (unsigned i = 0; i < n; i++) {
        if (ops[i].value == NULL) continue;
        const Type *is = ops[i].value->type, *need = want.at(want.list, i);
        if (types_fit(is, need)) continue;
        Diag *d = diag_add(diags(v), id, ops[i].span.len != 0 ? ops[i].span : at,
                           "value %u has type %.*s, but the %s want %.*s", i,
                           TYPE_TEXT(&v->judge, is), what, TYPE_TEXT(&v->judge, need));
        if (ops[i].span.len != 0 && v->judge.offers++ < MOST_OFFERS)
            offer_operand_type(v->judge.ctx, d, op, &ops[i], need);
        return;
    }
}

/* ---- modules ---- */

static int by_name(const void *a, const void *b) {
    const Symbol *x = a, *y = b;
    if (x->name != y->name) return x->name < y->name ? -1 : 1;
    return (x->op->span.off > y->op->span.off) - (x->op->span.off < y->op->span.off);
}

static Atom symbol_name(const Op *op) {
    if (op_is(op, INST_FUNC)) return func_data(op)->name;
    return op_is(op, INST_MODULE) && op_extra(op) != NULL ? ((ModuleData *)op_extra(op))->name : 0;
}

void collect_symbols(Verifier *v, const Op *module) {
    uint32_t n = 0;
    if (module->nregions == 0 || op_regions(module)[0].first == NULL) return;
    for (const Op *op = op_regions(module)[0].first->first; op != NULL; op = op->next)
        n += symbol_name(op) != 0;
    v->symbols = ARENA_ARRAY(&v->judge.ctx->arena, Symbol, n + 1);
    v->nsymbols = 0;
    for (Op *op = op_regions(module)[0].first->first; op != NULL; op = op->next)
        if (symbol_name(op) != 0) v->symbols[v->nsymbols++] = (Symbol){symbol_name(op), op};
    qsort(v->symbols, n, sizeof *v->symbols, by_name);
    for (uint32_t i = 1; i < n; i++) {
        if (v->symbols[i].name != v->symbols[i - 1].name) continue;
        const Op *op = v->symbols[i].op, *first = v->symbols[i - 1].op;
        Span at = op_is(op, INST_FUNC) ? func_data(op)->name_span : op->name_span;
        Diag *d =
            diag_add(diags(v), DIAG_SYMBOL_REDEFINED, at,
                     "the symbol @" ATOM_FMT " is defined twice", ATOM_ARG(v, v->symbols[i].name));
        diag_note_at(diags(v), d,
                     op_is(first, INST_FUNC) ? func_data(first)->name_span : first->name_span,
                     "the other definition");
    }
}

const Op *find_symbol(const Verifier *v, Atom name) {
    const VerifyPart *part = v->judge.opt->part;
    if (part != NULL) return part->find(part->user, name);
    uint32_t lo = 0, hi = v->nsymbols;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (v->symbols[mid].name < name)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < v->nsymbols && v->symbols[lo].name == name ? v->symbols[lo].op : NULL;
}

static void check_dotted(Verifier *v, const NamedAttr *attrs, unsigned n, const char *what) {
    for (unsigned i = 0; i < n; i++) {
        const Interner *names = &v->judge.ctx->names;
        if (memchr(atom_text(names, attrs[i].name), '.', atom_len(names, attrs[i].name)) == NULL)
            diag_add(diags(v), DIAG_MODULE_ATTRIBUTE, attrs[i].span,
                     "the attribute " ATOM_FMT " of a %s needs a dialect prefix, such as pto.",
                     ATOM_ARG(v, attrs[i].name), what);
    }
}

/* A known string attribute must be one of the words; like the vendor, any case is accepted. */
static void check_words(Verifier *v, const Op *op, AttrName name, const char *const *words) {
    const NamedAttr *a = op_attr_named(op, name);
    if (a == NULL) return;
    StrBuf list;
    sb_init(&list, &v->judge.ctx->arena);
    for (unsigned i = 0; words[i] != NULL; i++) {
        if (a->value->kind == ATTR_STRING &&
            atom_is(&v->judge.ctx->names, a->value->text, words[i]))
            return;
        sb_printf(&list, "%s\"%s\"", i == 0 ? "" : words[i + 1] == NULL ? " or " : ", ", words[i]);
    }
    diag_add(diags(v), DIAG_ATTRIBUTE_VALUE, a->value->span.len != 0 ? a->value->span : a->span,
             "the value of %s must be %s", attr_texts[name], sb_text(&list));
}

static void check_kernel_kind(Verifier *v, const Op *op) {
    const NamedAttr *a = op_attr_named(op, ATTR_pto_kernel_kind);
    if (a != NULL && (a->value->kind != ATTR_ENUM || a->value->family != EF_KERNEL_KIND))
        diag_add(diags(v), DIAG_ATTRIBUTE_VALUE, a->span,
                 "pto.kernel_kind must be #pto.kernel_kind<cube> or #pto.kernel_kind<vector>");
}

static void check_module(Verifier *v, const Op *op) {
    static const char *const backends[] = {"emitc", "vpto", NULL};
    check_dotted(v, op->attrs, op->nattrs, "module");
    check_words(v, op, ATTR_pto_backend, backends);
    check_kernel_kind(v, op);
    check_backends(v, op);
    const Op *parent = op->block != NULL ? region_owner(op->block) : NULL;
    if (parent != NULL && !op_is(parent, INST_MODULE) && !v->brace_missing)
        diag_add(diags(v), DIAG_FUNC_NESTING, op->name_span,
                 "a module belongs at the top or in another module");
}

/* ---- functions ---- */

static void check_func_attrs(Verifier *v, const Op *op, const FuncData *f) {
    static const char *const visibilities[] = {"external", "internal", NULL};
    static const char *const hints[] = {"barrier-all",
                                        "barrier_all",
                                        "default",
                                        "mte3-to-s-event0",
                                        "mte3_to_s_event0",
                                        "setwait-mte3-to-s-event0",
                                        "setwait_mte3_to_s_event0",
                                        NULL};
    check_words(v, op, ATTR_pto_visibility, visibilities);
    check_words(v, op, ATTR_pto_auto_sync_tail_hint, hints);
    check_kernel_kind(v, op);
    check_simt_attrs(v, op);
    uint32_t nresults = f->type->ntypes - f->type->ninputs;
    for (uint32_t i = 0; f->param_attrs != NULL && i < f->type->ninputs; i++)
        check_dotted(v, f->param_attrs[i], f->nparam_attrs[i], "parameter");
    for (uint32_t i = 0; f->result_attrs != NULL && i < nresults; i++)
        check_dotted(v, f->result_attrs[i], f->nresult_attrs[i], "result");
}

static void check_func(Verifier *v, const Op *op) {
    const FuncData *f = func_data(op);
    const Op *parent = op->block != NULL ? region_owner(op->block) : NULL;
    if (parent != NULL && !op_is(parent, INST_MODULE) && !v->brace_missing)
        diag_add(diags(v), DIAG_FUNC_NESTING, f->name_span, "a function belongs in a module");
    if (f->type == NULL || f->type->kind != TY_FUNCTION) return;
    check_func_attrs(v, op, f);
    if (is_helper(op)) verify_helper(v, op);
    if (!f->has_body && !func_is_private(&v->judge.ctx->names, op))
        diag_add(diags(v), DIAG_DECLARATION, f->name_span,
                 "@" ATOM_FMT " has no body and is not private", ATOM_ARG(v, f->name));
    if (!op_is_entry(op)) return;
    if (!f->has_body)
        diag_add(diags(v), DIAG_ENTRY_FUNCTION, f->name_span,
                 "the entry function @" ATOM_FMT " has no body", ATOM_ARG(v, f->name));
    else if (f->type->ntypes > f->type->ninputs)
        diag_add(diags(v), DIAG_ENTRY_FUNCTION, f->name_span,
                 "the entry function @" ATOM_FMT " returns values", ATOM_ARG(v, f->name));
}

static void check_return(Verifier *v, const Op *op) {
    if (v->func == NULL || func_data(v->func)->type == NULL) return;
    match(v, DIAG_RETURN_MISMATCH, op, op->name_span, op->operands, op->noperands,
          function_results(func_data(v->func)->type), "function results");
}

const Op *find_callee(Verifier *v, const Op *op, Span at) {
    const NamedAttr *a = op_attr_named(op, ATTR_callee);
    if (a == NULL || a->value->kind != ATTR_SYMBOL) return NULL;
    const Op *callee = find_symbol(v, a->value->text);
    if (callee == NULL && v->lost_function) return NULL;
    if (callee == NULL || !op_is(callee, INST_FUNC)) {
        diag_add(diags(v), DIAG_UNKNOWN_FUNCTION, at,
                 "there is no function @" ATOM_FMT " in this module", ATOM_ARG(v, a->value->text));
        return NULL;
    }
    const Type *t = func_data(callee)->type;
    if (t == NULL || t->kind != TY_FUNCTION) return NULL;
    note_call(v, op, callee);
    return callee;
}

Span callee_span(const Op *op) {
    const NamedAttr *a = op_attr_named(op, ATTR_callee);
    return a != NULL && a->value->span.len != 0 ? a->value->span : op->name_span;
}

static void check_call(Verifier *v, const Op *op) {
    const Op *callee = find_callee(v, op, callee_span(op));
    if (callee == NULL) return;
    const Type *t = func_data(callee)->type;
    TypeList params = {type_at, t->types, t->ninputs}, results = function_results(t);
    match(v, DIAG_CALL_MISMATCH, op, op->name_span, op->operands, op->noperands, params,
          "parameters");
    if (op->nresults != results.n) {
        diag_add(diags(v), DIAG_CALL_MISMATCH, op->name_span, "%u results, but the function has %u",
                 op->nresults, results.n);
        return;
    }
    for (unsigned i = 0; i < results.n; i++)
        if (!types_fit(op->results[i].type, results.at(results.list, i)))
            diag_add(diags(v), DIAG_CALL_MISMATCH, op->name_span,
                     "result %u has type %.*s, but the function returns %.*s", i,
                     TYPE_TEXT(&v->judge, op->results[i].type),
                     TYPE_TEXT(&v->judge, results.at(results.list, i)));
}

/* ---- regions and terminators ---- */

static bool is_branch(const Op *op) {
    return op_is(op, INST_CF_BR) || op_is(op, INST_CF_COND_BR) || op_is(op, INST_CF_SWITCH);
}

static bool may_end(const RegionsInfo *p, const Op *op, InstId end) {
    return op_is(op, end) || (p->blocks && is_branch(op));
}

static bool may_be_left_out(const RegionsInfo *p, const Op *owner) {
    if (op_is(owner, INST_FUNC)) return func_data(owner)->implicit;
    return p->implied && owner->nresults == 0;
}

static Span closing_brace(const Region *r) {
    return r->close.len != 0 ? r->close : r->owner->name_span;
}

static void check_block_end(Verifier *v, const Region *r, const Block *b) {
    const RegionsInfo *p = r->owner->inst->regions;
    const InstId end = (InstId)region_end(r)->by;
    const Op *last = b->last;
    if (v->brace_missing) return;
    if (last != NULL && (last->inst->flags & IF_TERMINATOR) != 0) {
        if (!may_end(p, last, end))
            diag_add(diags(v), DIAG_TERMINATOR, last->name_span, "%s cannot end a block of %s",
                     last->inst->name, r->owner->inst->name);
        return;
    }
    for (const Op *op = b->first; op != NULL; op = op->next)
        if ((op->inst->flags & IF_TERMINATOR) != 0) return; /* reported by check_terminator_place */
    uint32_t from = last != NULL ? op_end(last) : b->span.len != 0 ? b->span.off : r->open.off;
    uint32_t to = b->next != NULL ? b->next->span.off : region_close(r);
    if (!may_be_left_out(p, r->owner) && !hole_between(v, from, to))
        diag_add(diags(v), DIAG_TERMINATOR, last != NULL ? last->name_span : closing_brace(r),
                 "the block of %s does not end with %s", r->owner->inst->name,
                 inst_table[end].name);
}

void verify_region_shape(Verifier *v, const Region *r) {
    const RegionsInfo *p = r->owner->inst->regions;
    if (op_is(r->owner, INST_FUNC) && !func_data(r->owner)->has_body) return;
    if (p == NULL) return; /* a module: check_terminator_place reports terminators in it */
    if (r->first->next != NULL && !p->blocks) {
        diag_add(diags(v), DIAG_TERMINATOR, r->first->next->span,
                 "a region of %s has one block only", r->owner->inst->name);
        return;
    }
    for (const Block *b = r->first; b != NULL; b = b->next)
        check_block_end(v, r, b);
}

/* ---- control flow ---- */

static const Op *terminator_of(const Region *r) {
    const Op *last = r->last != NULL ? r->last->last : NULL;
    return last != NULL && (last->inst->flags & IF_TERMINATOR) != 0 ? last : NULL;
}

/* Compares what the end of a region hands on with the results, or with the arguments of the first
 * region if it goes nowhere else. check_loop_values() compares the results of a loop with those,
 * and the arguments of the second region. */
static void check_region_end(Verifier *v, const Op *op) {
    const Op *owner = op->block != NULL ? region_owner(op->block) : NULL;
    const RegionEnd *end = op_end_of(op);
    if (end == NULL || op->noperands < end->before || !op_is_whole(v, owner)) return;
    const unsigned n = (unsigned)op->noperands - end->before;
    const Operand *passed = n > 0 ? op->operands + end->before : NULL;
    const Block *first = op_regions(owner)[0].first;
    if ((end->to & TO_RESULTS) != 0)
        match(v, DIAG_YIELD_MISMATCH, op, op->name_span, passed, n, results_of(owner), "results");
    else if ((end->to & TO_FIRST) != 0 && first != NULL)
        match(v, DIAG_YIELD_MISMATCH, op, op->name_span, passed, n,
              values_list(first->args, first->nargs), "loop arguments");
}

static bool is_loop_type(const Type *t) {
    return type_is_index(t) ||
           (t->kind == TY_SCALAR && t->elem == ELEM_ODD_INT && t->sign == 'I') ||
           (type_is_int(t) && t->elem != ELEM_ODD_INT && elem_infos[t->elem].cls == 'I');
}

/* Compares the operands that a loop passes to itself with its results and arguments, and what the
 * end of its first region passes to the second one. */
static void check_loop_values(Verifier *v, const Op *op) {
    const RegionsInfo *info = op->inst->regions;
    const Region *r = op_regions(op);
    const int slot = inst_slot(op->inst, OPERAND_init);
    const Operand *init = slot_operands(op, slot);
    const unsigned n = slot_count(op, slot), own = op_own_args(op);
    if ((info->init & TO_RESULTS) != 0)
        match(v, DIAG_YIELD_MISMATCH, op, op->name_span, init, n, results_of(op), "results");
    match(v, DIAG_YIELD_MISMATCH, op, op->name_span, init, n,
          rest_of_values(r[0].first->args, r[0].first->nargs, own), "loop arguments");
    const Op *end = (info->ends[0].to & TO_SECOND) != 0 ? terminator_of(&r[0]) : NULL;
    const unsigned before = info->ends[0].before;
    if (end == NULL || op_end_of(end) == NULL || end->noperands < before) return;
    const unsigned passed = end->noperands - before;
    match(v, DIAG_YIELD_MISMATCH, end, end->name_span, passed > 0 ? end->operands + before : NULL,
          passed, values_list(r[1].first->args, r[1].first->nargs),
          "arguments of the second region");
}

static void check_for(Verifier *v, const Op *op) {
    const Block *body = op->nregions > 0 ? op_regions(op)[0].first : NULL;
    if (op->noperands < 3 || body == NULL || body->nargs == 0) return;
    const Type *t = op->operands[0].value->type;
    if (!is_loop_type(t)) {
        if (type_is_int(t)) /* rules about operand kinds refuse other types */
            diag_add(diags(v), DIAG_OPERAND_TYPE, op->operands[0].span,
                     "%s counts with index or a signless integer, not with %.*s", op->inst->name,
                     TYPE_TEXT(&v->judge, t));
        return;
    }
    for (unsigned i = 1; i < 3; i++)
        if (!types_fit(op->operands[i].value->type, t)) {
            diag_add(diags(v), DIAG_OPERAND_TYPE, op->operands[i].span,
                     "the bounds and the step of %s must have one type", op->inst->name);
            return;
        }
    int64_t step;
    if (number_written(op->operands[2].value, &step) && step <= 0)
        diag_add(diags(v), DIAG_LOOP_STEP, op->operands[2].span,
                 "the step is %lld, expected at least 1", (long long)step);
    check_loop_values(v, op);
}

static void check_if(Verifier *v, const Op *op) {
    if (op->nresults > 0 && (op->nregions < 2 || op_regions(op)[1].first == NULL) &&
        !hole_between(v, region_close(&op_regions(op)[0]), next_start(op)))
        diag_add(diags(v), DIAG_TERMINATOR, op->name_span, "%s with results needs an else",
                 op->inst->name);
}

static void check_while(Verifier *v, const Op *op) {
    if (op->nregions == 2 && op_regions(op)[0].first != NULL && op_regions(op)[1].first != NULL)
        check_loop_values(v, op);
}

static void check_branch(Verifier *v, const Op *op) {
    for (unsigned i = 0; i < op->nsuccs; i++) {
        const Successor *s = &op_succs(op)[i];
        if (s->block == NULL) continue;
        if (v->nholes > 0 && s->block->span.len == 0) continue; /* the label is not defined */
        match(v, DIAG_BLOCK_ARGUMENTS, op, s->span.len != 0 ? s->span : op->name_span, s->args,
              s->nargs, values_list(s->block->args, s->block->nargs), "block arguments");
        if (s->block->region->first == s->block && op_is(s->block->region->owner, INST_FUNC))
            diag_add(diags(v), DIAG_BLOCK_ARGUMENTS, s->span.len != 0 ? s->span : op->name_span,
                     "the first block of a function cannot be a target");
    }
}

/* ---- dispatch ---- */

typedef void (*StructureCheck)(Verifier *v, const Op *op);
#define CHECKS(X)                                                                                  \
    X(MODULE, check_module)                                                                        \
    X(FUNC, check_func)                                                                            \
    X(RETURN, check_return)                                                                        \
    X(CALL, check_call)                                                                            \
    X(CF_BR, check_branch)                                                                         \
    X(CF_COND_BR, check_branch)                                                                    \
    X(CF_SWITCH, check_branch)                                                                     \
    X(SECTION_SIMT, check_simt_section)                                                            \
    X(SIMT_LAUNCH, check_simt_launch)                                                              \
    X(LLVM_ALLOCA, check_fragment)
enum {
    NO_CHECK,
#define CHECK_ID(inst, fn) CHECK_OF_##inst,
    CHECKS(CHECK_ID)
};
static const uint8_t check_of[INST_COUNT] = {
#define CHECK_ROW(inst, fn) [INST_##inst] = CHECK_OF_##inst,
    CHECKS(CHECK_ROW)};
static const StructureCheck structure_checks[] = {NULL,
#define CHECK_FN(inst, fn) fn,
                                                  CHECKS(CHECK_FN)};
/* Of statements with regions, by how they run. */
static const StructureCheck region_checks[RUNS_COUNT] = {
    [RUNS_IF] = check_if, [RUNS_COUNTED] = check_for, [RUNS_WHILE] = check_while};

static void check_regions(Verifier *v, const Op *op) {
    const StructureCheck check = region_checks[op->inst->regions->runs];
    if (check != NULL) check(v, op);
    if (op_is_section(op)) check_section(v, op);
}

/* Reports a terminator that is not at the end of its block, or whose region has none.
 * verify_region_shape judges the others. */
static void check_terminator_place(Verifier *v, const Op *op) {
    const Op *owner = op->block != NULL ? region_owner(op->block) : NULL;
    if (v->brace_missing) return;
    if (owner != NULL && owner->inst->regions == NULL)
        diag_add(diags(v), DIAG_TERMINATOR, op->name_span, "%s does not belong in a %s",
                 op->inst->name, owner->inst->name);
    else if (op->next != NULL && !hole_between(v, op->span.off, next_start(op)))
        diag_add(diags(v), DIAG_TERMINATOR, op->next->name_span, "nothing may follow %s in a block",
                 op->inst->name);
}

void verify_structure(Verifier *v, const Op *op) {
    if ((op->inst->flags & IF_TERMINATOR) != 0) check_terminator_place(v, op);
    if ((op->inst->flags & IF_CORE_BY_PIPE) != 0) note_core(v, op);
    if ((op->inst->flags & IF_TERMINATOR) != 0) check_region_end(v, op);
    if (op->inst->regions != NULL) check_regions(v, op);
    StructureCheck check = structure_checks[check_of[inst_id(op->inst)]];
    if (check != NULL) check(v, op);
}
