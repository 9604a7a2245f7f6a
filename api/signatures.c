/* SPDX-License-Identifier: Apache-2.0 */
/* Describes the functions of an emission so that a caller can make their arguments. */
#include "api/internal.h"

#include <string.h>

/* Returns a NUL-terminated copy of a name. */
static const char *text_of_atom(ptoasm_result *res, Atom a) {
    const Interner *names = &res->ctx->names;
    return arena_strndup(&res->ctx->arena, atom_text(names, a), atom_len(names, a));
}

/* Returns what a C pointer type points to: `float *` -> `float`. */
static const char *pointee(Arena *arena, const char *c_type) {
    size_t n = strlen(c_type);
    while (n > 0 && (c_type[n - 1] == '*' || c_type[n - 1] == ' '))
        n--;
    return arena_strndup(arena, c_type, n);
}

static uint32_t line_of(const ptoasm_result *res, uint32_t off) {
    return source_find(&res->index, off).line;
}

static ptoasm_param describe(ptoasm_result *res, const Value *v) {
    Arena *arena = &res->ctx->arena;
    const char *c_type = emit_param_type(v->type, arena);
    ptoasm_param p = {.kind = PTOASM_PARAM_HANDLE,
                      .elem = "",
                      .c_init = "",
                      .c_type = c_type != NULL ? c_type : ""};
    p.name = text_of_atom(res, v->name);
    p.line = line_of(res, v->name_off);
    p.type = arena_printf(arena, TYPE_FMT, TYPE_ARG(&res->ctx->names, v->type));
    bool global = v->type->space == SPACE_GM && v->type->elem_type != NULL &&
                  (v->type->kind == TY_PTR || v->type->kind == TY_OPAQUE);
    if (v->type->kind == TY_SCALAR || v->type->kind == TY_PTR) {
        p.kind = PTOASM_PARAM_SCALAR; /* an on-chip pointer is a byte offset */
        p.elem =
            v->type->kind == TY_PTR ? elem_infos[ELEM_I64].text : elem_infos[v->type->elem].text;
    }
    if (v->type->kind == TY_VECTOR && v->type->elem == ELEM_I16 &&
        v->type->count == 4) { /* vector<4xi16> */
        p.kind = PTOASM_PARAM_SCALAR;
        p.elem = p.type;
    }
    if (global) {
        p.kind = PTOASM_PARAM_POINTER;
        p.elem = elem_infos[v->type->elem_type->elem].text;
        p.c_type = pointee(arena, p.c_type);
    }
    return p;
}

static void describe_tile(ptoasm_result *res, const Type *t, Profile profile, ptoasm_param *p) {
    const TileInfo *ti = &t->tile;
    const char *init = emit_tile_init(t, profile, &res->ctx->arena);
    int64_t bytes = tile_bytes(t, profile);
    if (init == NULL || bytes < 0) return;
    p->kind = PTOASM_PARAM_TILE;
    p->elem = elem_infos[t->elem].text;
    p->rank = 2;
    p->shape[0] = ti->rows;
    p->shape[1] = ti->cols;
    p->valid[0] = ti->vrow == DYNAMIC ? PTOASM_EXTENT_ANY : ti->vrow;
    p->valid[1] = ti->vcol == DYNAMIC ? PTOASM_EXTENT_ANY : ti->vcol;
    p->bytes = (uint64_t)bytes;
    p->c_init = init;
}

static void describe_view(const Type *t, ptoasm_param *p) {
    const char *elem = emit_elem_const(t->elem);
    if (elem == NULL || t->rank > PTOASM_VIEW_RANK) return;
    p->kind = PTOASM_PARAM_VIEW;
    p->elem = elem_infos[t->elem].text;
    p->rank = t->rank;
    for (uint32_t i = 0; i < t->rank; i++)
        p->shape[i] = t->dims[i] == DYNAMIC ? PTOASM_EXTENT_ANY : t->dims[i];
    p->c_init = elem;
}

ptoasm_param param_describe(ptoasm_result *res, const Value *v, Profile profile) {
    const Type *t = v->type;
    ptoasm_param p = describe(res, v);
    if (t->kind == TY_TILE) describe_tile(res, t, profile, &p);
    if (t->kind == TY_TENSOR_VIEW || t->kind == TY_PART_VIEW) describe_view(t, &p);
    return p;
}

static void collect_params(ptoasm_result *res, unsigned kernel, Profile profile) {
    const Launch *k = res->kernels[kernel].launch;
    ptoasm_param *params = ARENA_ARRAY(&res->ctx->arena, ptoasm_param, k->nparams + 1);
    size_t n = 0;
    for (unsigned i = 0; i < k->nparams; i++)
        if (k->params[i].query == NULL)
            params[n++] = param_describe(res, k->params[i].value, profile);
    res->params[kernel] = params;
    res->nparams[kernel] = n;
}

/* Returns the line of the function's name or, without one, of its first argument or statement. */
static uint32_t kernel_line(const ptoasm_result *res, const LowerFunc *f) {
    const FuncData *data = f->data;
    const Block *entry = op_regions(f->op)[0].first;
    return line_of(res, !data->implicit     ? data->name_span.off
                        : entry->nargs != 0 ? entry->args[0].name_off
                                            : entry->first->span.off);
}

static void externals_collect(ptoasm_result *res, const EmitOptions *opt) {
    unsigned n;
    const EmitExternal *list = emit_externals(res->module, opt, &res->ctx->arena, &n);
    res->externals = ARENA_ARRAY(&res->ctx->arena, ptoasm_external, n + 1);
    res->nexternals = n;
    for (unsigned i = 0; i < n; i++)
        res->externals[i] =
            (ptoasm_external){list[i].name, line_of(res, list[i].func->data->name_span.off)};
}

void kernels_collect(ptoasm_result *res, const EmitOptions *opt) {
    Arena *arena = &res->ctx->arena;
    if (res->index.src == NULL) res->index = source_index(arena, res->ctx->source);
    res->kernels = emit_kernels(res->module, opt, arena, &res->nkernels);
    res->params = ARENA_ARRAY(arena, ptoasm_param *, res->nkernels);
    res->nparams = ARENA_ARRAY(arena, size_t, res->nkernels);
    res->kernel_names = ARENA_ARRAY(arena, const char *, res->nkernels);
    for (unsigned i = 0; i < res->nkernels; i++) {
        res->kernel_names[i] = text_of_atom(res, res->kernels[i].launch->named->data->name);
        collect_params(res, i, opt->profile);
    }
    externals_collect(res, opt);
}

bool ptoasm_external_get(const ptoasm_result *res, size_t i, ptoasm_external *out, size_t size) {
    if (i >= res->nexternals) return false;
    struct_give(out, size, &res->externals[i], sizeof *out);
    return true;
}

size_t ptoasm_kernel_count(const ptoasm_result *res) {
    return res->nkernels;
}

bool ptoasm_kernel_get(const ptoasm_result *res, size_t i, ptoasm_kernel *out, size_t size) {
    if (i >= res->nkernels) return false;
    const EmitKernel *k = &res->kernels[i];
    const ptoasm_kernel kernel = {.name = res->kernel_names[i],
                                  .grid = k->grid,
                                  .entry = k->entry,
                                  .params = res->nparams[i],
                                  .line = kernel_line(res, k->launch->named)};
    struct_give(out, size, &kernel, sizeof kernel);
    return true;
}

bool ptoasm_param_get(const ptoasm_result *res, size_t i, size_t p, ptoasm_param *out,
                      size_t size) {
    if (i >= res->nkernels || p >= res->nparams[i]) return false;
    struct_give(out, size, &res->params[i][p], sizeof *out);
    return true;
}
