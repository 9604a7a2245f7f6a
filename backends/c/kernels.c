/* Tile instructions: each becomes one call of the runtime, built from its row of the kernel
 * table. */
#include "backends/c/ready.h"
#include "backends/c/tiles.h"
#include "backends/lower/kernel_table.h"

#include <string.h>

/* ---- arguments ---- */

static const char *attr_arg(Emitter *e, const Op *op, int attr, bool optional) {
    const NamedAttr *a = attr >= 0 ? op_attr(e->ctx, op, attr) : NULL;
    if (a == NULL && optional) return "PTRT_ABSENT";
    if (a != NULL && a->value->kind == ATTR_ENUM) return strf(e, "%d", enum_number(a->value));
    return strf(e, "%lld", attr >= 0 ? (long long)op_attr_int(e->ctx, op, attr) : 0LL);
}

/* Returns a scalar operand as int64_t or double; if it is absent, the attribute of its name. */
static const char *scalar_arg(Emitter *e, const Op *op, int slot, bool is_float) {
    const SlotInfo *info = &op->inst->slots[slot];
    const Value *v = slot_value(op, slot);
    if (v == NULL)
        return attr_arg(e, op, inst_attr(op->inst, info->name, strlen(info->name)), false);
    int from = v->type->kind == TY_SCALAR ? v->type->elem : ELEM_NONE;
    const char *x = from == ELEM_NONE              ? NULL
                    : is_float && from == ELEM_F32 ? strf(e, "(double)%s", val(e, v))
                    : is_float ? convert_scalar(e->arena, from, ELEM_F64, val(e, v))
                               : convert_scalar(e->arena, from, ELEM_INDEX, val(e, v));
    if (x == NULL)
        cannot(e, slot_span(op, slot), "%s of type '" TYPE_FMT "' has no form in C", info->name,
               TYPE_ARG(&e->ctx->names, v->type));
    return x != NULL ? x : "0";
}

/* Binds the scratch tile that the program leaves out and the plan provides. */
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

/* PTO-AS form: makes the window of a view from the indices to its end. */
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

/* Whether the operand has the element type of the tiles, so that the call has a variant for
 * integers and one for floats. */
static bool is_element(const SlotInfo *slot) {
    return slot->kind == SLOT_SCALAR || slot->kind == SLOT_TILE_OR_SCALAR;
}

/* Returns a tile of a list, or NULL after its end. */
static const char *item_arg(Emitter *e, const Op *op, int slot, unsigned item) {
    if (item >= slot_count(op, slot)) return "NULL";
    return strf(e, "&%s", val(e, slot_operands(op, slot)[item].value));
}

static const char *slot_arg(Emitter *e, const Op *op, int slot, bool is_float) {
    const SlotInfo *info = &op->inst->slots[slot];
    const Value *v = slot_value(op, slot);
    if (info->kind == SLOT_ENTRY && v != NULL && type_is_view(v->type))
        return view_arg(e, op, slot);
    switch (info->kind) {
    case SLOT_ENTRY:
    case SLOT_TILE:
        if (v == NULL) return info->role == ROLE_SCRATCH ? planned_tmp(e, op) : "NULL";
        return strf(e, "&%s", val(e, v));
    case SLOT_SCALAR:
    case SLOT_INT:
    case SLOT_INDEX:
    case SLOT_I64:
    case SLOT_BOOL:
        return scalar_arg(e, op, slot, is_float && is_element(info));
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

/* Returns the suffix of the call, "_i" or "_f", when it takes a scalar of the tiles' element type,
 * else "". */
static const char *scalar_form(const Op *op, const KernelRow *row, bool *is_float) {
    int elem = kernel_slot_elem(row, op);
    *is_float = elem_is_float((Elem)elem);
    for (unsigned i = 0; i < row->nargs; i++) {
        const KernelArg *arg = &kernel_args[row->args + i];
        if (arg->kind == KARG_SLOT && is_element(&op->inst->slots[arg->index]))
            return *is_float ? "_f" : "_i";
    }
    return "";
}

static const char *const profile_word[] = {
    [PROFILE_CPU] = "PTRT_FOR_CPU", [PROFILE_A2A3] = "PTRT_FOR_A2A3", [PROFILE_A5] = "PTRT_FOR_A5"};

static void put_arg(Emitter *e, const Op *op, const KernelArg *arg, bool is_float, StrBuf *out) {
    switch ((KernelArgKind)arg->kind) {
    case KARG_SLOT:
        sb_puts(out, slot_arg(e, op, arg->index, is_float));
        break;
    case KARG_ITEM:
        sb_puts(out, item_arg(e, op, arg->index, (unsigned)arg->number));
        break;
    case KARG_COUNTS:
        sb_printf(out, "&%s", val(e, slot_value(op, arg->index)));
        break;
    case KARG_PRESENT:
        sb_puts(out, slot_value(op, arg->index) != NULL ? "1" : "0");
        break;
    case KARG_ATTR:
    case KARG_ATTR_OPT:
        sb_puts(out, attr_arg(e, op, arg->index, arg->kind == KARG_ATTR_OPT));
        break;
    case KARG_PROFILE:
        sb_puts(out, profile_word[e->opt->profile]);
        break;
    case KARG_NULL:
        sb_puts(out, "NULL");
        break;
    case KARG_NUMBER:
        sb_printf(out, "%d", arg->number);
        break;
    }
}

/* ---- the statement ---- */

/* Returns a valid extent of a result whose type has `?`: that of the first tile operand, or of the
 * window of the first view. */
static const char *open_extent(Emitter *e, const Op *op, bool rows) {
    for (unsigned i = 0; i < op->noperands; i++) {
        const Value *v = op->operands[i].value;
        if (type_is_tile(v->type)) return strf(e, "%s.%s", val(e, v), rows ? "vrow" : "vcol");
        if (type_is_view(v->type))
            return strf(e, "ptrt_view_%s(&%s)", rows ? "rows" : "cols", val(e, v));
    }
    return NULL;
}

/* Binds the SSA results that remain after the passes to the addresses in the plan. */
void bind_results(Emitter *e, const Op *op) {
    for (unsigned i = 0; i < op_tile_results(op); i++) {
        const Value *v = &op->results[i];
        const Type *t = tile_value_type(v);
        declare(e, v);
        const char *rows = t == NULL                 ? NULL
                           : t->tile.vrow == DYNAMIC ? open_extent(e, op, true)
                                                     : "";
        const char *cols = t == NULL                 ? NULL
                           : t->tile.vcol == DYNAMIC ? open_extent(e, op, false)
                                                     : "";
        if (rows == NULL || cols == NULL) {
            cannot(e, op->span, "the valid region of the result is not known");
            return;
        }
        bind_planned(e, v, extent_text(e, t->tile.vrow, rows), extent_text(e, t->tile.vcol, cols),
                     op->span);
    }
}

void emit_kernel(Emitter *e, const Op *op) {
    const KernelRow *row = kernel_of(e->ctx, op);
    bool is_float;
    if (row == NULL || !kernel_has_types(row, op)) {
        no_kernel(e, op);
        return;
    }
    bind_results(e, op);
    StrBuf args;
    sb_init(&args, e->arena);
    const char *form = scalar_form(op, row, &is_float);
    for (unsigned i = 0; i < row->nargs; i++) {
        sb_puts(&args, ", ");
        put_arg(e, op, &kernel_args[row->args + i], is_float, &args);
    }
    const char *ready = ready_name(e, op);
    if (ready != NULL) {
        /* ptrt_run2 needs tiles of equal shapes and valid regions, so the checks of these are
         * needed only for the ordinary call. */
        emit_checks_of(e, op, false);
        ln(e, "if (%s.body != NULL) {", ready);
        ln(e, "    ptrt_run2(&%s);", ready);
        ln(e, "} else {");
        e->indent++;
        emit_checks_of(e, op, true);
    } else {
        emit_checks(e, op);
    }
    try_call(e, "ptrt_%s%s(core, %u, %s%s)", kernel_driver(row), form, (unsigned)e->line,
             kernel_id(row), sb_text(&args));
    if (ready != NULL) close_brace(e);
}
