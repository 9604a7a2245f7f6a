/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the statements with their own syntax. */
#include "ir/print.h"

#include <string.h>

static void print_block_arg(Printer *p, const Value *v, const NamedAttr *attrs, uint32_t n) {
    print_value(p, v);
    sb_puts(p->out, ": ");
    print_type(p, v->type);
    if (n > 0) {
        sb_putc(p->out, ' ');
        attr_dict_print(p->out, &p->ctx->names, attrs, n);
    }
    print_argument_location(p, v);
}

/* Prints the parameters of an implicit function as .arg lines (PTO-AS). */
static void print_implicit_function(Printer *p, const Op *op) {
    const Block *entry = op_regions(op)[0].first;
    for (uint32_t i = 0; i < entry->nargs; i++) {
        const Trivia *trivia = func_data(op)->arg_trivia[i];
        print_leading(p, trivia);
        sb_puts(p->out, ".arg ");
        print_value(p, &entry->args[i]);
        sb_puts(p->out, " : ");
        print_type(p, entry->args[i].type);
        print_trailing(p, trivia);
        sb_putc(p->out, '\n');
    }
}

static void print_func_results(Printer *p, const FuncData *f) {
    uint32_t n = f->type->ntypes - f->type->ninputs;
    if (n == 0) return;
    const Type *const *types = f->type->types + f->type->ninputs;
    bool parens = n > 1 || f->nresult_attrs[0] > 0 || types[0]->kind == TY_FUNCTION;
    sb_puts(p->out, parens ? " -> (" : " -> ");
    for (uint32_t i = 0; i < n; i++) {
        if (i > 0) sb_puts(p->out, ", ");
        print_type(p, types[i]);
        if (f->nresult_attrs[i] > 0) {
            sb_putc(p->out, ' ');
            attr_dict_print(p->out, &p->ctx->names, f->result_attrs[i], f->nresult_attrs[i]);
        }
    }
    if (parens) sb_putc(p->out, ')');
}

static void print_func(Printer *p, const Op *op) {
    const FuncData *f = func_data(op);
    if (f->implicit) {
        print_implicit_function(p, op);
        return;
    }
    sb_puts(p->out, "func.func ");
    if (f->visibility != 0) {
        print_atom(p, f->visibility);
        sb_putc(p->out, ' ');
    }
    print_symbol(p, f->name);
    sb_putc(p->out, '(');
    for (uint32_t i = 0; i < f->type->ninputs; i++) {
        if (i > 0) sb_puts(p->out, ", ");
        Value v = {.type = f->type->types[i], .npack = 1};
        if (f->has_body)
            v = op_regions(op)[0].first->args[i];
        else if (f->param_names != NULL)
            v.name = f->param_names[i];
        if (v.name != 0) {
            print_block_arg(p, &v, f->param_attrs[i], f->nparam_attrs[i]);
            continue;
        }
        print_type(p, v.type);
        if (f->nparam_attrs[i] > 0) {
            sb_putc(p->out, ' ');
            attr_dict_print(p->out, &p->ctx->names, f->param_attrs[i], f->nparam_attrs[i]);
        }
    }
    sb_putc(p->out, ')');
    print_func_results(p, f);
    print_attr_dict(p, op, "attributes");
    if (f->has_body) print_region(p, &op_regions(op)[0]);
}

static void print_module(Printer *p, const Op *op) {
    const ModuleData *m = op_extra(op);
    sb_puts(p->out, "module");
    if (m->name != 0) {
        sb_putc(p->out, ' ');
        print_symbol(p, m->name);
    }
    print_attr_dict(p, op, "attributes");
    print_region(p, &op_regions(op)[0]);
}

static void print_call(Printer *p, const Op *op) {
    sb_puts(p->out, "func.call ");
    const NamedAttr *callee = op_attr_named(op, ATTR_callee);
    attr_print(p->out, &p->ctx->names, callee->value);
    sb_putc(p->out, '(');
    print_operands(p, op->operands, op->noperands);
    sb_putc(p->out, ')');
    if (op->nattrs > 1) {
        Op rest = *op; /* the callee, the first attribute, is printed in place */
        rest.attrs++;
        rest.nattrs--;
        print_attr_dict(p, &rest, NULL);
    }
    sb_puts(p->out, " : (");
    print_operand_types(p, op->operands, op->noperands);
    sb_puts(p->out, ") -> ");
    if (op->nresults != 1) sb_putc(p->out, '(');
    for (unsigned i = 0; i < op->nresults; i++) {
        if (i > 0) sb_puts(p->out, ", ");
        print_type(p, op->results[i].type);
    }
    if (op->nresults != 1) sb_putc(p->out, ')');
}

/* Prints a constant: `value` is the last attribute, the others are in a dictionary. */
static void print_constant(Printer *p, const Op *op) {
    sb_puts(p->out, "arith.constant");
    Op rest = *op;
    rest.nattrs--;
    print_attr_dict(p, &rest, NULL);
    sb_putc(p->out, ' ');
    const Attr *value = op->attrs[op->nattrs - 1].value;
    attr_print(p->out, &p->ctx->names, value);
    if (value->kind != ATTR_BOOL && value->type == NULL && value->kind != ATTR_OPAQUE) {
        sb_puts(p->out, " : ");
        print_type(p, op->results[0].type);
    } else if (value->kind == ATTR_OPAQUE && value->type == NULL) {
        sb_puts(p->out, " : ");
        print_type(p, op->results[0].type);
    }
}

static void print_arrow_types(Printer *p, const Value *results, unsigned n) {
    if (n == 0) return;
    sb_puts(p->out, n == 1 ? " -> " : " -> (");
    for (unsigned i = 0; i < n; i++) {
        if (i > 0) sb_puts(p->out, ", ");
        print_type(p, results[i].type);
    }
    if (n != 1) sb_putc(p->out, ')');
}

/* Prints `%a = %x, %b = %y`. */
static void print_inits(Printer *p, const Value *args, const Operand *inits, unsigned n) {
    for (unsigned i = 0; i < n; i++) {
        if (i > 0) sb_puts(p->out, ", ");
        print_value(p, &args[i]);
        sb_puts(p->out, " = ");
        print_value(p, inits[i].value);
    }
}

static void print_for(Printer *p, const Op *op) {
    const Value *args = op_regions(op)[0].first->args;
    unsigned n = slot_count(op, 3);
    sb_printf(p->out, "%s ", op->inst->name);
    print_value(p, &args[0]);
    sb_puts(p->out, " = ");
    print_value(p, op->operands[0].value);
    sb_puts(p->out, " to ");
    print_value(p, op->operands[1].value);
    sb_puts(p->out, " step ");
    print_value(p, op->operands[2].value);
    if (n > 0) {
        sb_puts(p->out, " iter_args(");
        print_inits(p, args + 1, op->operands + 3, n);
        sb_puts(p->out, ") -> (");
        for (unsigned i = 0; i < n; i++) {
            if (i > 0) sb_puts(p->out, ", ");
            print_type(p, op->results[i].type);
        }
        sb_putc(p->out, ')');
    }
    if (!type_is_index(args[0].type)) {
        sb_puts(p->out, " : ");
        print_type(p, args[0].type);
    }
    print_region(p, &op_regions(op)[0]);
    print_attr_dict(p, op, NULL);
}

static void print_dims(Printer *p, const Attr *dims) {
    for (uint32_t i = 0; i < dims->n; i++)
        sb_printf(p->out, i == 0 ? "<<<%lld" : ", %lld", (long long)dims->items[i]->i);
    sb_puts(p->out, ">>>");
}

/* The attributes after a region: without those that are in place. */
static void print_attrs_after(Printer *p, const Op *op) {
    Op rest = *op;
    if (op_is(op, INST_SECTION_SIMT)) {
        rest.attrs++;
        rest.nattrs--;
    }
    print_attr_dict(p, &rest, NULL);
}

/* Prints scf.if, and what runs its region so many times. */
static void print_plain(Printer *p, const Op *op) {
    const bool first = op->inst->regions->attrs_first, given = op->inst->regions->init != 0;
    sb_puts(p->out, op->inst->name);
    if (op_is(op, INST_SECTION_SIMT)) print_dims(p, op->attrs[0].value);
    if (op->noperands > 0 || given) sb_puts(p->out, given ? "(" : " ");
    print_operands(p, op->operands, op->noperands);
    if (given) sb_putc(p->out, ')');
    if (first) print_attr_dict(p, op, NULL);
    print_arrow_types(p, op->results, op->nresults);
    print_region(p, &op_regions(op)[0]);
    if (op->nregions > 1 && op_regions(op)[1].first != NULL) {
        sb_puts(p->out, " else");
        print_region(p, &op_regions(op)[1]);
    }
    if (!first) print_attrs_after(p, op);
    if (!given) return;
    sb_puts(p->out, " : (");
    print_operand_types(p, op->operands, op->noperands);
    sb_puts(p->out, ") -> ()");
}

static void print_while(Printer *p, const Op *op) {
    sb_puts(p->out, op->inst->name);
    unsigned n = op->noperands;
    if (n > 0) {
        sb_puts(p->out, " (");
        print_inits(p, op_regions(op)[0].first->args, op->operands, n);
        sb_putc(p->out, ')');
    }
    sb_puts(p->out, " : (");
    print_operand_types(p, op->operands, n);
    sb_puts(p->out, ") -> ");
    if (op->nresults != 1) sb_putc(p->out, '(');
    for (unsigned i = 0; i < op->nresults; i++) {
        if (i > 0) sb_puts(p->out, ", ");
        print_type(p, op->results[i].type);
    }
    if (op->nresults != 1) sb_putc(p->out, ')');
    print_region(p, &op_regions(op)[0]);
    sb_puts(p->out, " do");
    print_region(p, &op_regions(op)[1]);
    print_attr_dict(p, op, "attributes");
}

static void print_index_switch(Printer *p, const Op *op) {
    sb_printf(p->out, "%s ", op->inst->name);
    print_value(p, op->operands[0].value);
    Op rest = *op; /* the cases are the first attribute */
    rest.attrs++;
    rest.nattrs--;
    print_attr_dict(p, &rest, NULL);
    print_arrow_types(p, op->results, op->nresults);
    const Attr *cases = op->attrs[0].value;
    for (unsigned i = 0; i < op->nregions; i++) {
        print_region_line(p, &op_regions(op)[i]);
        if (i < cases->n)
            sb_printf(p->out, "case %lld", (long long)cases->items[i]->i);
        else
            sb_puts(p->out, "default");
        print_region(p, &op_regions(op)[i]);
    }
}

static void print_successor(Printer *p, const Successor *s) {
    sb_putc(p->out, '^');
    print_atom(p, s->block->label);
    if (s->nargs == 0) return;
    sb_putc(p->out, '(');
    print_operands(p, s->args, s->nargs);
    sb_puts(p->out, " : ");
    print_operand_types(p, s->args, s->nargs);
    sb_putc(p->out, ')');
}

static void print_branch(Printer *p, const Op *op) {
    sb_printf(p->out, "%s ", op->inst->name);
    if (op->noperands > 0) {
        print_value(p, op->operands[0].value);
        sb_puts(p->out, ", ");
    }
    for (unsigned i = 0; i < op->nsuccs; i++) {
        if (i > 0) sb_puts(p->out, ", ");
        print_successor(p, &op_succs(op)[i]);
    }
    print_attr_dict(p, op, NULL);
}

static void print_switch(Printer *p, const Op *op) {
    const NamedAttr *values = op_attr_named(op, ATTR_case_values);
    sb_puts(p->out, "cf.switch ");
    print_value(p, op->operands[0].value);
    sb_puts(p->out, " : ");
    print_type(p, op->operands[0].value->type);
    sb_puts(p->out, ", [default: ");
    for (unsigned i = 0; i < op->nsuccs; i++) {
        if (i > 0) sb_printf(p->out, ", %lld: ", (long long)values->value->items[i - 1]->i);
        print_successor(p, &op_succs(op)[i]);
    }
    sb_putc(p->out, ']');
    print_attr_dict(p, op, NULL);
}

/* Prints the address operand and result type only if the text had them. */
static void print_tassign(Printer *p, const Op *op) {
    const NamedAttr *literal = op_attr(op, 0);
    sb_puts(p->out, "pto.tassign ");
    print_value(p, op->operands[0].value);
    sb_puts(p->out, ", ");
    if (op->noperands > 1)
        print_value(p, op->operands[1].value);
    else
        sb_printf(p->out, "@tile(0x%llX)", (unsigned long long)literal->value->i);
    Op rest = *op;
    if (op->noperands == 1) { /* the literal address comes first */
        rest.attrs++;
        rest.nattrs--;
    }
    print_attr_dict(p, &rest, NULL);
    sb_puts(p->out, " : ");
    print_type(p, op->operands[0].value->type);
    if (op->nresults > 0) {
        sb_puts(p->out, " -> ");
        print_type(p, op->results[0].type);
    } else if (op->noperands > 1) {
        sb_puts(p->out, ", ");
        print_type(p, op->operands[1].value->type);
    }
}

static void print_with_regions(Printer *p, const Op *op) {
    if (op_counts(op))
        print_for(p, op);
    else if (op_runs(op, RUNS_WHILE))
        print_while(p, op);
    else if (op_runs(op, RUNS_CASES))
        print_index_switch(p, op);
    else if (op->inst->regions != NULL)
        print_plain(p, op);
    else
        sb_puts(p->out, op->inst->name);
}

void print_custom(Printer *p, const Op *op) {
    switch (inst_id(op->inst)) {
    case INST_MODULE:
        print_module(p, op);
        break;
    case INST_FUNC:
        print_func(p, op);
        break;
    case INST_CALL:
        print_call(p, op);
        break;
    case INST_CONSTANT:
        print_constant(p, op);
        break;
    case INST_CF_BR:
    case INST_CF_COND_BR:
        print_branch(p, op);
        break;
    case INST_CF_SWITCH:
        print_switch(p, op);
        break;
    case INST_TASSIGN:
        print_tassign(p, op);
        break;
    default:
        print_with_regions(p, op);
        break;
    }
}
