/* SPDX-License-Identifier: Apache-2.0 */
/* Variables of work items that outlive their launch, llvm.alloca with pto.persistent: the first
 * launch of the function writes what later ones read, and accesses are whole elements of the
 * variable. */
#include "verifier/structure/simt.h"

#include "ir/core.h"
#include "ir/number.h"

enum { MOST_ELEMENTS = 4096 };

typedef struct Fragment {
    Verifier *v;
    const Op *alloca;
    int64_t bytes, element; /* in all, and of an element */
    const Op *first;        /* the first launch that uses it */
    bool *written;          /* elements that the first launch writes */
    bool failed;
} Fragment;

static void fail_at(Fragment *f, const Op *op, const char *what) {
    DiagList *diags = &f->v->judge.ctx->diags;
    if (f->failed) return;
    f->failed = true;
    Diag *d = diag_add(diags, DIAG_SIMT_FRAGMENT, op->name_span, "%s: %s", op->inst->name, what);
    if (op != f->alloca) diag_note_at(diags, d, f->alloca->name_span, "the variable");
}

static int64_t bytes_of(const Type *t) {
    const int64_t n = t->kind == TY_VECTOR ? t->count : 1;
    return t->kind == TY_SCALAR || t->kind == TY_VECTOR ? n * elem_infos[t->elem].bytes : 0;
}

static const Type *fragment_type(const Op *op) {
    const NamedAttr *a = op_attr_named(op, ATTR_elem_type);
    return a != NULL && a->value->kind == ATTR_TYPE ? a->value->type : NULL;
}

/* Follows a pointer to the variable; false if it leads elsewhere, or an index is not known. */
static bool offset_of(const Fragment *f, const Value *p, int64_t *out) {
    int64_t at = 0, index;
    for (int depth = 0; p->def != NULL && depth < 64; depth++) {
        if (p->def == f->alloca) {
            *out = at;
            return true;
        }
        const Type *t = op_is(p->def, INST_LLVM_GETELEMENTPTR) ? fragment_type(p->def) : NULL;
        if (t == NULL || !number_known(slot_value(p->def, 1), &index) ||
            __builtin_mul_overflow(index, bytes_of(t), &index) ||
            __builtin_add_overflow(at, index, &at))
            return false;
        p = slot_value(p->def, 0);
    }
    return false;
}

static void see_access(Fragment *f, const Op *op, const Op *launch, const Value *pointer,
                       const Type *type, bool writes) {
    int64_t at;
    const int64_t n = bytes_of(type);
    if (n == 0 || !offset_of(f, pointer, &at)) return;
    if (at < 0 || at % f->element != 0)
        fail_at(f, op, "the offset in the variable is no multiple of its elements");
    else if (at > f->bytes - n)
        fail_at(f, op, "the access goes beyond the variable");
    for (int64_t i = at / f->element; !f->failed && i * f->element < at + n; i++) {
        if (launch == f->first && writes)
            f->written[i] = true;
        else if (launch != f->first && !f->written[i])
            fail_at(f, op, "the first launch that uses the variable has not written this element");
    }
}

static void see(Fragment *f, const Op *op, const Op *launch);

static void see_inside(Fragment *f, const Op *op, const Op *launch) {
    for (unsigned r = 0; r < op->nregions; r++)
        for (const Block *b = op_regions(op)[r].first; b != NULL; b = b->next)
            for (const Op *o = b->first; o != NULL && !f->failed; o = o->next)
                see(f, o, launch);
}

static bool uses(const Fragment *f, const Op *op) {
    for (unsigned i = 0; i < op->noperands; i++)
        if (op->operands[i].value != NULL && op->operands[i].value->def == f->alloca) return true;
    for (unsigned r = 0; r < op->nregions; r++)
        for (const Block *b = op_regions(op)[r].first; b != NULL; b = b->next)
            for (const Op *o = b->first; o != NULL; o = o->next)
                if (uses(f, o)) return true;
    return false;
}

static void see(Fragment *f, const Op *op, const Op *launch) {
    if (op_is(op, INST_SECTION_SIMT) && uses(f, op)) {
        if (f->first == NULL) f->first = op;
        if (f->first->block != f->alloca->block)
            fail_at(f, f->alloca, "no launch that writes the variable comes before all others");
        launch = op;
    }
    if (launch != NULL && op_is(op, INST_LLVM_LOAD) && op->nresults == 1)
        see_access(f, op, launch, slot_value(op, 0), op->results[0].type, false);
    if (launch != NULL && op_is(op, INST_LLVM_STORE))
        see_access(f, op, launch, slot_value(op, 1), slot_value(op, 0)->type, true);
    see_inside(f, op, launch);
}

void check_fragment(Verifier *v, const Op *op) {
    const Type *t = fragment_type(op);
    int64_t n;
    if (op_attr_named(op, ATTR_pto_persistent) == NULL || t == NULL || op->block == NULL) return;
    const int64_t element = bytes_of(t);
    if (element == 0 || !number_known(slot_value(op, 0), &n) || n <= 0 || n > MOST_ELEMENTS) return;
    Fragment f = {.v = v,
                  .alloca = op,
                  .bytes = n * element,
                  .element = element,
                  .written = ARENA_ARRAY(&v->judge.ctx->step, bool, (size_t)n)};
    for (const Op *o = op->next; o != NULL && !f.failed; o = o->next)
        see(&f, o, NULL);
}
