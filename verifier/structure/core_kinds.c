/* SPDX-License-Identifier: Apache-2.0 */
/* Kinds of cores. A section, function or module names the kind that its code is for. Without one
 * the statements decide, by their tiles or pipe. Code between sections that only orders pipes that
 * both kinds have is refused, as nothing decides its kind. */
#include "verifier/structure/core_kinds.h"

#include "ir/core.h"
#include "ir/functions.h"
#include "ir/target.h"

#include <stdlib.h>
#include <string.h>

static DiagList *diags(Verifier *v) {
    return &v->judge.ctx->diags;
}

/* ---- given kinds ---- */

/* True for a pipe statement that names its core. It belongs in a section or function of that kind;
 * the kind of the module does not count. */
static bool names_pipe_core(const Op *op) {
    return op->inst->fifo && op->inst->core != CORE_ANY;
}

static bool has_own_kind(const Verifier *v) {
    return v->core_from != NULL && !op_is(v->core_from, INST_MODULE);
}

/* Reports a missing kind once per function. */
static void check_pipe_core(Verifier *v, const Op *op) {
    if (is_helper(v->func) || v->brace_missing || v->kindless == v->func) return;
    v->kindless = v->func;
    Diag *d = diag_add(diags(v), DIAG_KERNEL_KIND, op->name_span,
                       "%s: it is in no section, nor in a function with a pto.kernel_kind",
                       op->inst->name);
    diag_note(diags(v), d,
              "it belongs in pto.section.%s, or in a function with "
              "pto.kernel_kind = #pto.kernel_kind<%s>",
              core_names[op->inst->core], core_names[op->inst->core]);
}

/* Only warns: the vendor emits the statement, and some of its own programs have it. The vendor too
 * refuses pipe statements that name their core. Signals are not checked, as they often name a pipe
 * of the other side. */
void check_core(Verifier *v, const Op *op) {
    bool named = names_pipe_core(op);
    if (named && !has_own_kind(v)) {
        check_pipe_core(v, op);
        return;
    }
    if (v->core == CORE_ANY || (named && is_helper(v->func))) return;
    if ((op->inst->flags & IF_CORE_BY_PIPE) != 0 || (v->judge.opt->compat && !named)) return;
    Core core = op_core(op);
    bool nested = op_is_section(op) && v->core_from != NULL && op_is_section(v->core_from);
    if (core == CORE_ANY || core == (Core)v->core || nested) return;
    Diag *d = diag_add_as(diags(v), named ? SEV_ERROR : SEV_WARNING, DIAG_KERNEL_KIND,
                          op->name_span, "%s runs on %s cores, but this is code for %s cores",
                          op->inst->name, core_names[core], core_names[v->core]);
    if (v->core_from != NULL)
        diag_note_at(diags(v), d, v->core_from->name_span, "the kind is given here");
}

static bool is_tile_inst(const Inst *inst) {
    return inst->form == FORM_TILE && (inst->flags & IF_SYNC) == 0;
}

/* Returns the first tile instruction in the regions of `op` that is in no section. */
static const Op *outside_sections(const Op *op) {
    for (unsigned r = 0; r < op->nregions; r++)
        for (const Block *b = op_regions(op)[r].first; b != NULL; b = b->next)
            for (const Op *o = b->first; o != NULL; o = o->next) {
                if (op_is_section(o)) continue;
                if (is_tile_inst(o->inst)) return o;
                const Op *inner = outside_sections(o);
                if (inner != NULL) return inner;
            }
    return NULL;
}

/* The vendor compiles a loop (or the like) around a section for one kind of core, and nothing
 * decides that kind for the statements next to the section. */
static void check_around_section(Verifier *v, const Op *section) {
    const Op *top = section;
    while (!op_is(region_owner(top->block), INST_FUNC))
        top = region_owner(top->block);
    if (top == section || top == v->around) return;
    v->around = top;
    const Op *op = outside_sections(top);
    if (op == NULL) return;
    Diag *d = diag_add(diags(v), DIAG_SECTION_KIND, op->name_span,
                       "%s is in no section, but beside one in the same %s", op->inst->name,
                       top->inst->name);
    diag_note_at(diags(v), d, section->name_span, "the section");
    diag_note(diags(v), d, "put it into a section, or give the function a pto.kernel_kind");
}

void check_section(Verifier *v, const Op *op) {
    const Op *outer = op->block != NULL ? region_owner(op->block) : NULL;
    while (outer != NULL && outer->block != NULL && !op_is_section(outer) &&
           !op_is(outer, INST_FUNC))
        outer = region_owner(outer->block);
    if (outer == NULL || v->brace_missing) return;
    if (op_is_section(outer))
        diag_add(diags(v), DIAG_FUNC_NESTING, op->name_span, "a section is in another section");
    else if (!op_is(outer, INST_FUNC))
        diag_add(diags(v), DIAG_FUNC_NESTING, op->name_span, "a section belongs in a function");
    else if (v->core == CORE_ANY)
        check_around_section(v, op);
}

/* True when the statement names a pipe that both kinds of cores have. */
static bool is_ambiguous(const Op *op) {
    if ((op->inst->flags & IF_CORE_BY_PIPE) == 0) return false;
    Pipe pipe = op_pipe(op, PROFILE_DEFAULT);
    return pipe == PIPE_S || pipe == PIPE_MTE2;
}

void note_core(Verifier *v, const Op *op) {
    if (v->core != CORE_ANY || v->func == NULL || !is_ambiguous(op)) return;
    CoreNote *n = ARENA_NEW(&v->judge.ctx->arena, CoreNote);
    *n = (CoreNote){v->core_notes, v->func, op};
    v->core_notes = n;
}

/* ---- kinds by statements ---- */

/* What a stretch of code contains. */
typedef struct Stretch {
    bool kinds[3];       /* by Core: some statement is of this kind */
    const Op *ambiguous; /* the first statement that names a pipe of both kinds */
} Stretch;

static bool has_kind(const Stretch *s) {
    return s->kinds[CORE_CUBE] || s->kinds[CORE_VECTOR];
}

static bool is_unique(const Stretch *s) {
    return s->kinds[CORE_CUBE] != s->kinds[CORE_VECTOR];
}

/* Adds a statement to `s`; a section counts as its kind if `sections`, else it is skipped. */
static void scan_op(const Context *ctx, const Op *op, bool sections, Stretch *s) {
    if (op_is_section(op)) {
        if (sections) s->kinds[op->inst->core] = true;
        return;
    }
    s->kinds[op_core(op)] = true;
    if (s->ambiguous == NULL && is_ambiguous(op)) s->ambiguous = op;
    for (unsigned r = 0; r < op->nregions; r++)
        for (const Block *b = op_regions(op)[r].first; b != NULL; b = b->next)
            for (const Op *o = b->first; o != NULL; o = o->next)
                scan_op(ctx, o, sections, s);
}

/* Returns the first ambiguous statement between sections where no other decides the kind, or NULL.
 */
static const Op *first_ambiguous(const Context *ctx, const Op *func) {
    Stretch s = {0};
    for (const Block *b = op_regions(func)[0].first; b != NULL; b = b->next)
        for (const Op *op = b->first; op != NULL; op = op->next) {
            if (op_is_section(op)) {
                if (s.ambiguous != NULL && !has_kind(&s)) return s.ambiguous;
                s = (Stretch){0};
            } else {
                scan_op(ctx, op, false, &s);
            }
        }
    return has_kind(&s) ? NULL : s.ambiguous;
}

static void scan_func(const Verifier *v, const Op *func, Stretch *s) {
    Core core = op_given_core(func);
    if (core != CORE_ANY)
        s->kinds[core] = true;
    else
        scan_op(v->judge.ctx, func, true, s);
}

/* Scans the functions of a module, without child modules. */
static Stretch scan_module(const Verifier *v, const Op *module) {
    Stretch s = {0};
    for (const Op *op = op_regions(module)[0].first->first; op != NULL; op = op->next)
        if (op_is(op, INST_FUNC) && op->nregions > 0) scan_func(v, op, &s);
    return s;
}

static void report_ambiguous(Verifier *v, const Op *op) {
    Diag *d = diag_add(diags(v), DIAG_SECTION_KIND, op->name_span,
                       "cannot tell whether %s runs on cube or on vector cores", op->inst->name);
    diag_note(diags(v), d,
              "put it in pto.section.cube or pto.section.vector, or give the function a "
              "pto.kernel_kind");
}

void verify_kernels(Verifier *v) {
    const Op *module = NULL, *func = NULL;
    Stretch of_module = {0};
    if (v->judge.partial) return;
    for (const CoreNote *n = v->core_notes; n != NULL; n = n->next) {
        if (n->func == func) continue; /* one message per function */
        func = n->func;
        const Op *op = first_ambiguous(v->judge.ctx, func);
        if (op == NULL || func->block == NULL) continue;
        Stretch s = {0};
        scan_func(v, func, &s);
        if (is_unique(&s)) continue;
        if (region_owner(func->block) != module) {
            module = region_owner(func->block);
            of_module = scan_module(v, module);
            v->judge.ctx->forgotten.missed |= v->judge.ctx->forgotten.n != 0;
        }
        if (!is_unique(&of_module)) report_ambiguous(v, op);
    }
}

/* ---- children for several backends ---- */

static bool attr_is_text(const Verifier *v, const Op *op, AttrName name, const char *text) {
    const NamedAttr *a = op_attr_named(op, name);
    return a != NULL && a->value->kind == ATTR_STRING &&
           atom_is(&v->judge.ctx->names, a->value->text, text);
}

static bool is_vpto(const Verifier *v, const Op *op) {
    return attr_is_text(v, op, ATTR_pto_backend, "vpto");
}

/* The vpto backend makes one object per kind of core, so the child must name its kind. */
static void check_vpto_child(Verifier *v, const Op *child) {
    if (op_given_core(child) != CORE_ANY) return;
    Stretch s = {0};
    bool body = false;
    for (const Op *op = op_regions(child)[0].first->first; op != NULL; op = op->next)
        if (op_is(op, INST_FUNC) && op->nregions > 0) {
            scan_func(v, op, &s);
            body = true;
        }
    if (!body || has_kind(&s) || s.ambiguous != NULL)
        return; /* ambiguous code is reported by verify_kernels */
    Diag *d = diag_add(diags(v), DIAG_SECTION_KIND, child->name_span,
                       "cannot tell whether this module is for cube or for vector cores");
    diag_note(diags(v), d, "a module for the vpto backend needs a pto.kernel_kind");
}

typedef struct Logical {
    Atom name;
    const Op *func;
} Logical;

static int by_logical(const void *a, const void *b) {
    const Logical *x = a, *y = b;
    if (x->name != y->name) return x->name < y->name ? -1 : 1;
    return (x->func->span.off > y->func->span.off) - (x->func->span.off < y->func->span.off);
}

/* Other children find a function by its logical name, which must be unique. */
static void check_logical_names(Verifier *v, const Op *child) {
    uint32_t n = 0, k = 0;
    for (const Op *op = op_regions(child)[0].first->first; op != NULL; op = op->next)
        n += op_is(op, INST_FUNC);
    Logical *list = ARENA_ARRAY(&v->judge.ctx->arena, Logical, n + 1);
    for (const Op *op = op_regions(child)[0].first->first; op != NULL; op = op->next) {
        if (!op_is(op, INST_FUNC) || op->nregions == 0 || !func_is_public(&v->judge.ctx->names, op))
            continue;
        const NamedAttr *a = op_attr_named(op, ATTR_pto_ptodsl_logical_name);
        if (a != NULL && a->value->kind == ATTR_STRING) list[k++] = (Logical){a->value->text, op};
    }
    qsort(list, k, sizeof *list, by_logical);
    for (uint32_t i = 1; i < k; i++) {
        if (list[i].name != list[i - 1].name) continue;
        Diag *d = diag_add(diags(v), DIAG_SYMBOL_REDEFINED, func_data(list[i].func)->name_span,
                           "a second public function with the logical name @%.*s",
                           (int)atom_len(&v->judge.ctx->names, list[i].name),
                           atom_text(&v->judge.ctx->names, list[i].name));
        diag_note_at(diags(v), d, func_data(list[i - 1].func)->name_span, "the other one");
    }
}

/* With several child modules each is a program: no function may be beside them. */
static void check_children(Verifier *v, const Op *op) {
    const Op *func = NULL;
    unsigned modules = 0;
    if (v->brace_missing || op->nregions == 0 || op_regions(op)[0].first == NULL) return;
    for (const Op *o = op_regions(op)[0].first->first; o != NULL; o = o->next) {
        modules += op_is(o, INST_MODULE);
        if (func == NULL && op_is(o, INST_FUNC)) func = o;
    }
    if (modules > 1 && func != NULL)
        diag_add(diags(v), DIAG_FUNC_NESTING, func_data(func)->name_span,
                 "a function is beside %u modules; it belongs in one of them", modules);
}

void check_left_of_target(Verifier *v, const Op *op) {
    const int slot = op->inst->family == FAM_MATRIX ? 0
                     : op_is(op, INST_TEXTRACT)     ? inst_slot(op->inst, OPERAND_dst)
                                                    : -1;
    if (slot < 0 || (v->judge.profiles & PROFILE_BIT(PROFILE_A5)) != 0) return;
    const Type *t = slot_count(op, slot) > 0 ? slot_type(op, slot) : NULL;
    if (t == NULL || t->kind != TY_TILE || t->tile.space != SPACE_LEFT ||
        target_chip(v->judge.ctx, op, PROFILE_CPU) != PROFILE_A5)
        return;
    diag_add_as(
        diags(v), SEV_ERROR, DIAG_LEFT_LAYOUT, op->name_span,
        "%s: %s is row_major, as a2a3 is asked for, but the module is for a5, where a left tile "
        "is col_major",
        op->inst->name, op->inst->slots[slot].name);
}

void check_backends(Verifier *v, const Op *module) {
    bool vpto = false, other = false;
    uint32_t before = diags(v)->errors;
    check_children(v, module);
    if (v->judge.partial || module->nregions == 0 || op_regions(module)[0].first == NULL) return;
    for (const Op *op = op_regions(module)[0].first->first; op != NULL; op = op->next)
        if (op_is(op, INST_MODULE) && op->nregions > 0 && op_regions(op)[0].first != NULL) {
            bool is = is_vpto(v, op);
            vpto |= is;
            other |= !is;
        }
    if (!vpto) return;
    v->judge.ctx->forgotten.missed |= v->judge.ctx->forgotten.n != 0;
    for (const Op *op = op_regions(module)[0].first->first; op != NULL; op = op->next) {
        if (!op_is(op, INST_MODULE) || op->nregions == 0 || op_regions(op)[0].first == NULL)
            continue;
        if (other) check_logical_names(v, op);
        if (is_vpto(v, op) && diags(v)->errors == before) check_vpto_child(v, op);
    }
}
