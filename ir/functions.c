/* SPDX-License-Identifier: Apache-2.0 */
/* Finds functions by their names. */
#include "ir/functions.h"

#include <string.h>

/* The functions of one module. */
typedef struct Names {
    PtrMap by_name;
    const Op *last; /* the last statement of the module that has been entered */
} Names;

static Op *search(const Op *module, Atom name) {
    for (const Block *b = op_regions(module)[0].first; b != NULL; b = b->next)
        for (Op *op = b->first; op != NULL; op = op->next)
            if (op_is(op, INST_FUNC) && func_data(op)->name == name) return op;
    return NULL;
}

static Names *names_of(Functions *f, const Op *module) {
    f->modules.arena = f->arena;
    Names **known = (Names **)ptrmap_at(&f->modules, module);
    if (*known == NULL) {
        *known = ARENA_NEW(f->arena, Names);
        (*known)->by_name.arena = f->arena;
    }
    return *known;
}

/* Enters the functions that follow the last one entered. */
static void enter(Names *n, const Op *module) {
    const Block *b = op_regions(module)[0].first;
    Op *op = n->last != NULL ? n->last->next : b != NULL ? b->first : NULL;
    for (; op != NULL; op = op->next) {
        n->last = op;
        if (!op_is(op, INST_FUNC) || func_data(op)->name == 0) continue;
        void **at = ptrmap_at(&n->by_name, (const void *)(uintptr_t)func_data(op)->name);
        if (*at == NULL) *at = op;
    }
}

Op *functions_find(Functions *f, const Op *module, Atom name) {
    if (name == 0) return NULL;
    if (f == NULL) return search(module, name);
    Names *n = names_of(f, module);
    enter(n, module);
    return ptrmap_get(&n->by_name, (const void *)(uintptr_t)name);
}

Op *functions_callee(Functions *f, const Op *call) {
    const NamedAttr *a = op_is(call, INST_CALL) || op_is(call, INST_SIMT_LAUNCH)
                             ? op_attr_named(call, ATTR_callee)
                             : NULL;
    const Op *func = a != NULL && a->value->kind == ATTR_SYMBOL ? op_function(call) : NULL;
    if (func == NULL || func->block == NULL) return NULL;
    return functions_find(f, region_owner(func->block), a->value->text);
}

static bool has_word(const Interner *names, const Op *func, const char *word) {
    const Atom a = func_data(func)->visibility;
    return a != 0 && atom_is(names, a, word);
}

bool func_is_private(const Interner *names, const Op *func) {
    return has_word(names, func, "private");
}

bool func_is_public(const Interner *names, const Op *func) {
    return func_data(func)->visibility == 0 || has_word(names, func, "public");
}

bool function_has_body(const Op *op) {
    return op_is(op, INST_FUNC) && func_data(op)->has_body && op->nregions > 0 &&
           op_regions(op)[0].first != NULL;
}

Op *functions_body(Functions *f, const Op *call) {
    Op *callee = functions_callee(f, call);
    const bool there = callee != NULL && function_has_body(callee);
    return there && op_regions(callee)[0].first->nargs == call->noperands ? callee : NULL;
}

bool functions_share_arguments(const Block *a, const Block *b) {
    for (uint32_t i = 0; i < a->nargs && i < b->nargs; i++)
        if (a->args[i].type != b->args[i].type) return false;
    return true;
}
