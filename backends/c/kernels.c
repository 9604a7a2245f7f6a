/* Tile instructions: one call of the runtime each, built from the row of the instruction table. */
#include "backends/c/emitter.h"
#include "backends/c/tiles.h"

#include <string.h>

typedef struct KernelArgs {
    const char *args; /* NULL: the slots in order, then the attributes */
    bool no_elem;
} KernelArgs;

static const KernelArgs kernel_args[INST_COUNT] = {
#define KERNEL_ARGS(id, elem, list) [INST_##id] = {list, !(elem)},
#define KERNEL_LACKS(id, list)
#include "backends/c/kernel_args.def"
#undef KERNEL_ARGS
#undef KERNEL_LACKS
};

static const char *const kernel_lacks[INST_COUNT] = {
#define KERNEL_ARGS(id, elem, list)
#define KERNEL_LACKS(id, list) [INST_##id] = list,
#include "backends/c/kernel_args.def"
#undef KERNEL_ARGS
#undef KERNEL_LACKS
};

/* True when the statement has something that the runtime's call leaves out. */
static bool lacks_something(const Emitter *e, const Op *op) {
    const char *at = kernel_lacks[inst_id(op->inst)];
    while (at != NULL && *at != '\0') {
        size_t n = strcspn(at, " ");
        for (int s = 0; s < op->inst->nslots; s++) {
            const char *name = op->inst->slots[s].name;
            if (strlen(name) == n && memcmp(name, at, n) == 0 && slot_count(op, s) > 0) return true;
        }
        int attr = inst_attr(op->inst, at, n);
        const NamedAttr *a = attr >= 0 ? op_attr(e->ctx, op, attr) : NULL;
        if (a != NULL && a->value->i != op->inst->attrs[attr].dflt) return true;
        at += n + strspn(at + n, " ");
    }
    return false;
}

/* The element type that names the call, and to which scalars are converted; ELEM_NONE: none. */
static int kernel_elem(const Op *op) {
    const Inst *inst = op->inst;
    if (inst->kernel_elem == NULL) return ELEM_NONE;
    const Value *v = slot_value(op, inst_slot(inst, inst->kernel_elem));
    const Type *t = v != NULL && type_is_tile(v->type) ? tile_value_type(v) : NULL;
    if (t == NULL && v != NULL && v->type->kind == TY_SCALAR) t = v->type;
    return t != NULL ? t->elem : ELEM_NONE;
}

/* ---- arguments ---- */

static const char *attr_arg(Emitter *e, const Op *op, const char *name, size_t n, bool optional) {
    int attr = inst_attr(op->inst, name, n);
    const NamedAttr *a = attr >= 0 ? op_attr(e->ctx, op, attr) : NULL;
    if (a == NULL && optional) return "PTRT_ABSENT";
    if (a != NULL && a->value->kind == ATTR_ENUM) return strf(e, "%d", enum_number(a->value));
    return strf(e, "%lld", attr >= 0 ? (long long)op_attr_int(e->ctx, op, attr) : 0LL);
}

static const char *scalar_arg(Emitter *e, const Op *op, int slot, int elem) {
    const SlotInfo *info = &op->inst->slots[slot];
    const Value *v = slot_value(op, slot);
    if (v == NULL) return attr_arg(e, op, info->name, strlen(info->name), false);
    int to = info->kind == SLOT_SCALAR && elem != ELEM_NONE ? elem : ELEM_INDEX;
    const char *x =
        v->type->kind == TY_SCALAR ? convert_scalar(e->arena, v->type->elem, to, val(e, v)) : NULL;
    if (x == NULL)
        cannot(e, slot_span(op, slot), "%s of type '" TYPE_FMT "' has no form in C", info->name,
               TYPE_ARG(&e->ctx->names, v->type));
    return x != NULL ? x : "0";
}

/* The scratch tile that the text leaves out: planned, and bound here. */
static const char *planned_tmp(Emitter *e, const Op *op) {
    const PlanTmp *tmp = e->opt->plan != NULL ? plan_tmp(e->opt->plan, op) : NULL;
    const char *type = tmp != NULL ? tile_type_ref(e, tmp->type, op->name_span) : NULL;
    if (type == NULL) return "NULL";
    const TileInfo *ti = &tmp->type->tile;
    const char *name = fresh(e, "pto_tmp");
    ln(e, "ptrt_tile %s;", name);
    try_call(e, "ptrt_tile_bind(core, %s, %lld, %s, %s, %u, &%s)", type, (long long)tmp->slot.addr,
             extent_text(e, ti->vrow, strf(e, "%lld", (long long)ti->rows)),
             extent_text(e, ti->vcol, strf(e, "%lld", (long long)ti->cols)), (unsigned)e->line,
             name);
    return strf(e, "&%s", name);
}

/* PTO-AS form: the window of a view from the indices to its end. */
static const char *window_arg(Emitter *e, const Op *op, const Value *view, int offsets) {
    unsigned n = slot_count(op, offsets);
    const Operand *o = slot_operands(op, offsets);
    if (n != view->type->rank || n > 5) {
        cannot(e, op->span, "%u indices into a view of rank %u have no form in C", n,
               (unsigned)view->type->rank);
        return "NULL";
    }
    StrBuf at, size;
    sb_init(&at, e->arena);
    sb_init(&size, e->arena);
    for (unsigned i = 0; i < n; i++) {
        const char *x = val(e, o[i].value);
        sb_printf(&at, "%s%s", i > 0 ? ", " : "", x);
        sb_printf(&size, "%sptrt_subi_i64(%s.shape[%u], %s)", i > 0 ? ", " : "", val(e, view),
                  5 - n + i, x);
    }
    const char *name = fresh(e, "pto_window");
    ln(e, "ptrt_view %s;", name);
    try_call(e,
             "ptrt_view_part(core, %u, &%s, (const int64_t[]){%s}, (const int64_t[]){%s}, %u, &%s)",
             (unsigned)e->line, val(e, view), sb_text(&at), sb_text(&size), n, name);
    return strf(e, "&%s", name);
}

static const char *view_arg(Emitter *e, const Op *op, int slot) {
    const Value *v = slot_value(op, slot);
    int offsets = inst_slot(op->inst, "offsets");
    if (v == NULL || !type_is_view(v->type)) {
        cannot(e, slot_span(op, slot), "%s must be a view to have a form in C",
               op->inst->slots[slot].name);
        return "NULL";
    }
    if (offsets >= 0 && slot_count(op, offsets) > 0) return window_arg(e, op, v, offsets);
    return strf(e, "&%s", val(e, v));
}

static const char *slot_arg(Emitter *e, const Op *op, int slot, int elem) {
    const SlotInfo *info = &op->inst->slots[slot];
    const Value *v = slot_value(op, slot);
    switch (info->kind) {
    case SLOT_TILE:
        if (v == NULL) return info->role == ROLE_SCRATCH ? planned_tmp(e, op) : "NULL";
        return strf(e, "&%s", val(e, v));
    case SLOT_SCALAR:
    case SLOT_INT:
    case SLOT_INDEX:
    case SLOT_I64:
    case SLOT_BOOL:
        return scalar_arg(e, op, slot, elem);
    case SLOT_VIEW:
    case SLOT_PART:
    case SLOT_ANY_VIEW:
    case SLOT_SOURCE:
        return view_arg(e, op, slot);
    default:
        cannot(e, slot_span(op, slot), "operand %s of %s has no form in C", info->name,
               op->inst->name);
        return "NULL";
    }
}

/* Arguments as kernel_args.def lists them. */
static void put_listed(Emitter *e, const Op *op, const char *list, int elem, StrBuf *out) {
    while (*list != '\0') {
        size_t n = strcspn(list, " ");
        bool optional = list[n - 1] == '?';
        sb_puts(out, ", ");
        if (list[0] == '#')
            sb_puts(out, attr_arg(e, op, list + 1, n - 1 - optional, optional));
        else
            sb_puts(out, slot_arg(e, op, inst_slot(op->inst, strf(e, "%.*s", (int)n, list)), elem));
        list += n + (list[n] == ' ');
    }
}

static void put_all(Emitter *e, const Op *op, int elem, StrBuf *out) {
    for (int i = 0; i < op->inst->nslots; i++) {
        sb_puts(out, ", ");
        sb_puts(out, slot_arg(e, op, i, elem));
    }
    for (int i = 0; i < op->inst->nattrs; i++) {
        const char *name = op->inst->attrs[i].name;
        sb_puts(out, ", ");
        sb_puts(out, attr_arg(e, op, name, strlen(name), false));
    }
}

/* ---- the statement ---- */

/* SSA results that a pass left: bound where they were planned; a dynamic valid region is that of
 * the first tile operand. */
static void bind_results(Emitter *e, const Op *op) {
    const Value *like = NULL;
    for (unsigned i = 0; i < op->noperands && like == NULL; i++)
        if (type_is_tile(op->operands[i].value->type)) like = op->operands[i].value;
    for (unsigned i = 0; i < op_tile_results(op); i++) {
        const Value *v = &op->results[i];
        const Type *t = tile_value_type(v);
        declare(e, v);
        bool dynamic = t != NULL && (t->tile.vrow == DYNAMIC || t->tile.vcol == DYNAMIC);
        if (t == NULL || (dynamic && like == NULL)) {
            cannot(e, op->span, "the valid region of the result is not known");
            return;
        }
        const char *from = dynamic ? val(e, like) : "";
        bind_planned(e, v, extent_text(e, t->tile.vrow, strf(e, "%s.vrow", from)),
                     extent_text(e, t->tile.vcol, strf(e, "%s.vcol", from)), op->span);
    }
}

void emit_kernel(Emitter *e, const Op *op) {
    const KernelArgs *how = &kernel_args[inst_id(op->inst)];
    int elem = kernel_elem(op);
    bool suffix = op->inst->kernel_elem != NULL && !how->no_elem;
    if (lacks_something(e, op)) {
        no_kernel(e, op);
        return;
    }
    if (suffix && elem_suffix(elem) == NULL) {
        cannot(e, op->span, "%s on elements of this type has no form in C", op->inst->name);
        return;
    }
    bind_results(e, op);
    StrBuf args;
    sb_init(&args, e->arena);
    if (how->args != NULL)
        put_listed(e, op, how->args, elem, &args);
    else
        put_all(e, op, elem, &args);
    emit_checks(e, op);
    try_call(e, "ptrt_%s%s%s(core, %u%s)", op->inst->kernel, suffix ? "_" : "",
             suffix ? elem_suffix(elem) : "", (unsigned)e->line, sb_text(&args));
}
