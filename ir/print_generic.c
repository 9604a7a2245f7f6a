/* SPDX-License-Identifier: Apache-2.0 */
/* Prints MLIR's generic form: "name"(operands)[successors] <{..}> ({regions}) {..} : type. */
#include "ir/format.h"
#include "ir/print.h"

#include <string.h>

/* Segment sizes are needed with two slots of variable length; with one the total tells. */
static bool needs_segments(const Inst *inst) {
    int n = 0;
    for (int s = 0; s < inst->nslots; s++)
        n += inst->slots[s].arity != ARITY_ONE;
    return n > 1;
}

/* Returns `#arith.fastmath<fast>` for `fastmath<fast>` in a format: the dialect of the instruction
 * and the word before the attribute. */
static Atom angle_text(Printer *p, const Inst *inst, int attr, Atom text) {
    const Format *f = inst_format(p->ctx, inst);
    const FmtElem *word = NULL;
    for (unsigned i = 1; i < f->n; i++)
        if (f->elems[i].kind == FMT_ATTR && f->elems[i].index == attr) word = &f->elems[i - 1];
    if (word == NULL) return text;
    const char *full = arena_printf(&p->ctx->arena, "#%.*s%.*s<%.*s>",
                                    (int)(strchr(inst->name, '.') - inst->name + 1), inst->name,
                                    word->len, word->text, (int)atom_len(&p->ctx->names, text),
                                    atom_text(&p->ctx->names, text));
    return intern_copy(&p->ctx->names, full, strlen(full));
}

/* Converts an attribute that formats have in place to an ordinary one. */
static Attr row_attr(Printer *p, const Inst *inst, const NamedAttr *named) {
    Attr value = *named->value;
    const int attr = inst_attr(inst, (AttrName)named->id);
    if (attr < 0) return value;
    const AttrInfo *info = &inst->attrs[attr];
    if (info->type == AT_WORD && enum_infos[info->family].spelling < ENUM_QUOTED) {
        value.i = enum_number(named->value);
        value.kind = ATTR_INT;
        value.hex = false;
        value.text = 0;
        value.type = type_scalar(p->ctx->types, info->int_bits == 32 ? ELEM_I32 : ELEM_I64);
    } else if (info->type == AT_ANGLE) {
        value.text = angle_text(p, inst, attr, value.text);
    }
    return value;
}

static void print_row_attrs(Printer *p, const Op *op) {
    if (op->nattrs == 0) return;
    NamedAttr *named = ARENA_ARRAY(&p->ctx->arena, NamedAttr, op->nattrs);
    Attr *values = ARENA_ARRAY(&p->ctx->arena, Attr, op->nattrs);
    for (unsigned i = 0; i < op->nattrs; i++) {
        values[i] = row_attr(p, op->inst, &op->attrs[i]);
        named[i] = op->attrs[i];
        named[i].value = &values[i];
    }
    sb_putc(p->out, ' ');
    attr_dict_print(p->out, &p->ctx->names, named, op->nattrs);
}

/* Prints the operands or their types in the order of the generic form. */
static void print_in_order(Printer *p, const Op *op, const uint8_t *order, bool types) {
    void (*print)(Printer *, const Operand *, unsigned) =
        types ? print_operand_types : print_operands;
    if (op->inst->rare->generic == NULL) {
        print(p, op->operands, op->noperands);
        return;
    }
    for (int i = 0, n = 0; i < op->inst->nslots; i++) {
        unsigned count = slot_count(op, order[i]);
        if (count > 0 && n++ > 0) sb_puts(p->out, ", ");
        print(p, slot_operands(op, order[i]), count);
    }
}

static void print_generic_row(Printer *p, const Op *op) {
    uint8_t order[INST_MOST_OPERANDS];
    unsigned named = inst_generic_order(op->inst, order), n = 0;
    bool results = op_tile_results(op) > 0;
    sb_printf(p->out, "\"%s\"(", op->inst->name);
    print_in_order(p, op, order, false);
    sb_putc(p->out, ')');
    if (needs_segments(op->inst)) {
        sb_puts(p->out, " <{operandSegmentSizes = array<i32: ");
        for (unsigned i = 0; i < op->inst->nslots; i++) {
            unsigned s = order[i], count = slot_count(op, (int)s);
            if (count == 0 && ((results && slot_is_result(&op->inst->slots[s])) || i >= named))
                continue;
            sb_printf(p->out, n++ > 0 ? ", %u" : "%u", count);
        }
        sb_puts(p->out, ">}>");
    }
    print_row_attrs(p, op);
    sb_puts(p->out, " : (");
    print_in_order(p, op, order, true);
    sb_puts(p->out, ") -> ");
    print_result_types(p, op);
}

static void print_symbol_props(Printer *p, const Op *op) {
    if (op_is(op, INST_MODULE)) {
        Atom name = ((const ModuleData *)op_extra(op))->name;
        if (name == 0) return;
        sb_puts(p->out, " <{sym_name = ");
        sb_put_quoted(p->out, atom_text(&p->ctx->names, name), atom_len(&p->ctx->names, name));
        sb_puts(p->out, "}>");
        return;
    }
    const FuncData *f = func_data(op);
    uint32_t nres = f->type->ntypes - f->type->ninputs;
    const struct {
        const char *key;
        const NamedAttr **attrs;
        const uint32_t *counts;
        uint32_t n;
    } lists[] = {{"arg_attrs", f->param_attrs, f->nparam_attrs, f->type->ninputs},
                 {"res_attrs", f->result_attrs, f->nresult_attrs, nres}};
    sb_puts(p->out, " <{");
    for (int l = 0; l < 2; l++) {
        uint32_t total = 0;
        for (uint32_t i = 0; i < lists[l].n; i++)
            total += lists[l].counts[i];
        if (total == 0) continue;
        sb_printf(p->out, "%s = [", lists[l].key);
        for (uint32_t i = 0; i < lists[l].n; i++) {
            if (i > 0) sb_puts(p->out, ", ");
            attr_dict_print(p->out, &p->ctx->names, lists[l].attrs[i], lists[l].counts[i]);
        }
        sb_puts(p->out, "], ");
    }
    sb_puts(p->out, "function_type = ");
    print_type(p, f->type);
    sb_puts(p->out, ", sym_name = ");
    sb_put_quoted(p->out, atom_text(&p->ctx->names, f->name), atom_len(&p->ctx->names, f->name));
    if (f->visibility != 0) {
        sb_puts(p->out, ", sym_visibility = ");
        sb_put_quoted(p->out, atom_text(&p->ctx->names, f->visibility),
                      atom_len(&p->ctx->names, f->visibility));
    }
    sb_puts(p->out, "}>");
}

/* Prints <{case_operand_segments = .., case_values = .., operandSegmentSizes = ..}>. */
static void print_switch_props(Printer *p, const Op *op) {
    const Attr *values = op_attr_named(op, ATTR_case_values)->value;
    unsigned ncase = 0;
    sb_puts(p->out, " <{case_operand_segments = array<i32");
    for (unsigned i = 1; i < op->nsuccs; i++) {
        sb_printf(p->out, i > 1 ? ", %u" : ": %u", op_succs(op)[i].nargs);
        ncase += op_succs(op)[i].nargs;
    }
    sb_puts(p->out, ">, ");
    for (unsigned i = 0; i < values->n; i++)
        sb_printf(p->out, i > 0 ? ", %lld" : "case_values = dense<[%lld",
                  (long long)values->items[i]->i);
    if (values->n > 0) {
        sb_printf(p->out, "]> : tensor<%ux", values->n);
        print_type(p, op->operands[0].value->type);
        sb_puts(p->out, ">, ");
    }
    sb_printf(p->out, "operandSegmentSizes = array<i32: 1, %u, %u>}>", op_succs(op)[0].nargs,
              ncase);
}

/* Prints <{cases = array<i64: ..>}>. */
static void print_cases(Printer *p, const Op *op) {
    const Attr *cases = op->attrs[0].value;
    sb_puts(p->out, " <{cases = array<i64");
    for (unsigned i = 0; i < cases->n; i++)
        sb_printf(p->out, i > 0 ? ", %lld" : ": %lld", (long long)cases->items[i]->i);
    sb_puts(p->out, ">}>");
}

static void print_successors(Printer *p, const Op *op) {
    sb_putc(p->out, '[');
    for (unsigned i = 0; i < op->nsuccs; i++) {
        sb_puts(p->out, i > 0 ? ", ^" : "^");
        print_atom(p, op_succs(op)[i].block->label);
    }
    sb_putc(p->out, ']');
    if (op_is(op, INST_CF_SWITCH))
        print_switch_props(p, op);
    else if (op->nsuccs > 1)
        sb_printf(p->out, " <{operandSegmentSizes = array<i32: 1, %u, %u>}>", op_succs(op)[0].nargs,
                  op_succs(op)[1].nargs);
}

static void print_all_operands(Printer *p, const Op *op, bool types) {
    void (*print)(Printer *, const Operand *, unsigned) =
        types ? print_operand_types : print_operands;
    bool some = op->noperands > 0;
    print(p, op->operands, op->noperands);
    for (unsigned i = 0; i < op->nsuccs; i++) {
        if (some && op_succs(op)[i].nargs > 0) sb_puts(p->out, ", ");
        some |= op_succs(op)[i].nargs > 0;
        print(p, op_succs(op)[i].args, op_succs(op)[i].nargs);
    }
}

static void print_generic_custom(Printer *p, const Op *op) {
    bool declaration = op_is(op, INST_FUNC) && !func_data(op)->has_body;
    sb_printf(p->out, "\"%s\"(", op->inst->name);
    print_all_operands(p, op, false);
    sb_putc(p->out, ')');
    if (op->nsuccs > 0) print_successors(p, op);
    if (op_is(op, INST_FUNC) || op_is(op, INST_MODULE)) print_symbol_props(p, op);
    bool cases = op_runs(op, RUNS_CASES);
    if (cases) print_cases(p, op);
    if (op->nregions > 0 || declaration) sb_puts(p->out, declaration ? " ({\n}" : " (");
    for (unsigned i = 0; i < op->nregions; i++) {
        /* The IR has the default region last, the text has it first. */
        const Region *r = &op_regions(op)[cases ? (i + op->nregions - 1u) % op->nregions : i];
        if (r->first == NULL) continue;
        if (i > 0) sb_puts(p->out, ",");
        print_region(p, r);
    }
    if (op->nregions > 0 || declaration) sb_putc(p->out, ')');
    unsigned shown = cases || op_is(op, INST_CF_SWITCH) ? 1 : 0; /* attributes already in <{..}> */
    if (op->nattrs > shown) {
        sb_putc(p->out, ' ');
        attr_dict_print(p->out, &p->ctx->names, op->attrs + shown, op->nattrs - shown);
    }
    sb_puts(p->out, " : (");
    print_all_operands(p, op, true);
    sb_puts(p->out, ") -> ");
    print_result_types(p, op);
}

void print_generic(Printer *p, const Op *op) {
    if (op->inst->form == FORM_CUSTOM && !op_is(op, INST_CONSTANT))
        print_generic_custom(p, op);
    else
        print_generic_row(p, op);
}
