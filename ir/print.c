/* SPDX-License-Identifier: Apache-2.0 */
/* Prints modules and operations, in the form they were written in or another. Everything that can
 * be bound can be printed, and the output parses to the same program. */
#include "ir/print.h"
#include "ir/format.h"
#include "ir/infer.h"

#include <string.h>

void print_atom(Printer *p, Atom a) {
    sb_add(p->out, atom_text(&p->ctx->names, a), atom_len(&p->ctx->names, a));
}

void print_symbol(Printer *p, Atom name) {
    Attr a = {.kind = ATTR_SYMBOL, .text = name};
    attr_print(p->out, &p->ctx->names, &a);
}

void print_type(Printer *p, const Type *t) {
    print_atom(p, type_written(t));
}

void print_value(Printer *p, const Value *v) {
    if (v->def != NULL && v->def->form == OPF_LITERAL && print_in_place(p, v->def)) {
        Attr number = *v->def->attrs[0].value;
        number.type = NULL;
        attr_print(p->out, &p->ctx->names, &number);
        return;
    }
    sb_putc(p->out, '%');
    print_atom(p, v->name);
    if (v->npack > 1) sb_printf(p->out, "#%u", v->pack);
}

void print_operands(Printer *p, const Operand *o, unsigned n) {
    for (unsigned i = 0; i < n; i++) {
        if (i > 0) sb_puts(p->out, ", ");
        print_value(p, o[i].value);
    }
}

void print_operand_types(Printer *p, const Operand *o, unsigned n) {
    for (unsigned i = 0; i < n; i++) {
        if (i > 0) sb_puts(p->out, ", ");
        print_type(p, o[i].value->type);
    }
}

void print_line_start(Printer *p) {
    sb_pad(p->out, ' ', (size_t)p->indent * 2);
}

static void print_comment(Printer *p, const Trivia *t) {
    sb_add(p->out, p->ctx->source->data + t->text.off, t->text.len);
}

/* Prints comments and blank lines before a statement or a closing brace. */
void print_leading(Printer *p, const Trivia *t) {
    for (; t != NULL; t = t->next) {
        if (t->kind == TRIVIA_BLANK) {
            /* No blank line at the start of a file or region, and one instead of several. */
            size_t n = p->out->len;
            const char *text = p->out->data;
            if (n >= 2 && !(text[n - 1] == '\n' && strchr("\n{:", text[n - 2]) != NULL))
                sb_putc(p->out, '\n');
        } else if (t->kind == TRIVIA_COMMENT) {
            print_line_start(p);
            print_comment(p, t);
            sb_putc(p->out, '\n');
        }
    }
}

void print_trailing(Printer *p, const Trivia *t) {
    for (const Trivia *l = t; l != NULL; l = l->next)
        if (l->kind == TRIVIA_LOCATION) {
            sb_putc(p->out, ' ');
            print_comment(p, l);
        }
    for (; t != NULL; t = t->next)
        if (t->kind == TRIVIA_TRAILING) {
            sb_puts(p->out, "  ");
            print_comment(p, t);
        }
}

/* Prints the comments at the end of a line, whose line has no place for them, as lines. */
static void print_trailing_lines(Printer *p, const Trivia *t) {
    for (; t != NULL; t = t->next)
        if (t->kind == TRIVIA_TRAILING) {
            print_line_start(p);
            print_comment(p, t);
            sb_putc(p->out, '\n');
        }
}

void print_argument_location(Printer *p, const Value *v) {
    const ArgLocation *list = p->ctx->locations;
    uint32_t lo = 0, hi = v->name != 0 ? p->ctx->nlocations : 0;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (list[mid].name_off < v->name_off)
            lo = mid + 1;
        else
            hi = mid;
    }
    if (v->name == 0 || lo == p->ctx->nlocations || list[lo].name_off != v->name_off) return;
    sb_putc(p->out, ' ');
    sb_add(p->out, p->ctx->source->data + list[lo].text.off, list[lo].text.len);
}

static bool in_place(Printer *p, const Op *op, const NamedAttr *a) {
    const int attr = inst_attr(op->inst, (AttrName)a->id);
    if (attr < 0) return false;
    return inst_attr_in_place(p->ctx, op->inst, attr) || op_is(op, INST_CF_SWITCH);
}

/* Returns where ins/outs has an attribute. */
static AttrPlace place_of(const Op *op, const NamedAttr *a) {
    const Inst *inst = op->inst;
    const int attr = inst_attr(inst, (AttrName)a->id);
    AttrPlace place = attr >= 0 ? (AttrPlace)inst->attrs[attr].place : PLACE_DICT;
    if (place == PLACE_INS_TMP) {
        place = PLACE_DICT;
        for (int s = 0; s < inst->nslots; s++)
            if (inst->slots[s].role == ROLE_SCRATCH && slot_count(op, s) > 0) place = PLACE_INS;
    }
    if (place == PLACE_WORD && a->value->kind != ATTR_UNIT) place = PLACE_INS;
    if (place == PLACE_TYPES && a->value->kind != ATTR_STRING) place = PLACE_INS;
    return place == PLACE_DICT && (inst->flags & IF_DICT_IN_INS) != 0 ? PLACE_INS : place;
}

enum { ALL_PLACES = -1 };

/* Prints the attributes of one place, or of all. */
static void print_dict_of(Printer *p, const Op *op, int place, const char *word) {
    NamedAttr few[64], *kept = few;
    unsigned n = 0;
    if (op->nattrs > 64) kept = ARENA_ARRAY(&p->ctx->arena, NamedAttr, op->nattrs);
    for (unsigned i = 0; i < op->nattrs; i++)
        if (!in_place(p, op, &op->attrs[i]) &&
            (place == ALL_PLACES || (int)place_of(op, &op->attrs[i]) == place))
            kept[n++] = op->attrs[i];
    if (n == 0) return;
    if (place == PLACE_INS && (op->inst->flags & IF_DICT_COMMA) != 0) sb_putc(p->out, ',');
    if (p->out->len == 0 || p->out->data[p->out->len - 1] != '(') sb_putc(p->out, ' ');
    if (word != NULL) sb_printf(p->out, "%s ", word);
    attr_dict_print(p->out, &p->ctx->names, kept, n);
}

void print_attr_dict(Printer *p, const Op *op, const char *word) {
    print_dict_of(p, op, ALL_PLACES, word);
}

/* ---- results ---- */

static void print_results(Printer *p, const Op *op) {
    if (op->nresults > 0 && op->results[0].name == 0) return; /* without names nothing uses them */
    for (unsigned i = 0; i < op->nresults; i++) {
        const Value *v = &op->results[i];
        if (v->pack != 0) continue;
        if (i > 0) sb_puts(p->out, ", ");
        sb_putc(p->out, '%');
        print_atom(p, v->name);
        if (v->npack > 1) sb_printf(p->out, ":%u", v->npack);
    }
    if (op->nresults > 0) sb_puts(p->out, " = ");
}

/* ---- FORM_FORMAT ---- */

static void print_attr_in_place(Printer *p, const Op *op, int attr) {
    const NamedAttr *a = op_attr(op, attr);
    if (a == NULL) return;
    const AttrInfo *info = &op->inst->attrs[attr];
    if (a->value->kind == ATTR_ENUM && !info->full) {
        const char *text = enum_infos[a->value->family].values[a->value->i].text;
        const bool quoted = enum_infos[a->value->family].spelling >= ENUM_QUOTED;
        sb_printf(p->out, info->type == AT_WORD ? "%s" : quoted ? "\"%s\"" : "<%s>", text);
    } else if (info->type == AT_ANGLE) {
        sb_putc(p->out, '<');
        print_atom(p, a->value->text);
        sb_putc(p->out, '>');
    } else if (info->type == AT_INT_LIST) {
        for (uint32_t i = 0; i < a->value->n; i++) {
            sb_puts(p->out, i == 0 ? "[" : ", ");
            sb_printf(p->out, "%lld", (long long)a->value->items[i]->i);
        }
        sb_puts(p->out, a->value->n == 0 ? "[]" : "]");
    } else if (info->type == AT_INT || info->type == AT_I32) {
        sb_printf(p->out, "%lld", (long long)a->value->i);
    } else {
        attr_print(p->out, &p->ctx->names, a->value);
    }
}

/* True when an optional part that begins with the type of a slot must be printed. */
static bool type_is_wanted(const Op *op, int slot) {
    if (op_is(op, INST_SELECT)) return slot_type(op, 0)->elem != ELEM_I1;
    return op->inst->slots[slot].kind != SLOT_INT || !type_is_index(slot_type(op, slot));
}

/* Prints one of two dictionaries: attributes of the row, or the others. */
static void print_dict_part(Printer *p, const Op *op, bool of_row) {
    Op part = *op;
    part.attrs = ARENA_ARRAY(&p->ctx->arena, NamedAttr, op->nattrs + 1u);
    part.nattrs = 0;
    for (unsigned i = 0; i < op->nattrs; i++)
        if ((inst_attr(op->inst, (AttrName)op->attrs[i].id) >= 0) == of_row)
            part.attrs[part.nattrs++] = op->attrs[i];
    print_attr_dict(p, &part, NULL);
    if (part.nattrs == 0 && of_row) sb_puts(p->out, " {}");
}

static void print_dict(Printer *p, const Op *op, const Format *f, unsigned at) {
    bool strict = f->elems[at].strict;
    for (unsigned i = 0; i < at; i++)
        strict |= f->elems[i].strict;
    if (strict)
        print_dict_part(p, op, f->elems[at].strict);
    else
        print_attr_dict(p, op, NULL);
}

/* Prints `x = %v : T` for the named operands that are present; returns the last of these elements.
 */
static unsigned print_named(Printer *p, const Op *op, const Format *f, unsigned at) {
    unsigned n = 0;
    for (;; at++) {
        const FmtElem *e = &f->elems[at];
        if (slot_count(op, e->index) > 0) {
            sb_printf(p->out, n++ > 0 ? ", %s = " : "%s = ", op->inst->slots[e->index].name);
            print_operands(p, slot_operands(op, e->index), 1);
            sb_puts(p->out, " : ");
            print_operand_types(p, slot_operands(op, e->index), 1);
        }
        if (at + 1 == f->n || f->elems[at + 1].kind != FMT_NAMED) return at;
    }
}

/* Prints `loop(%a, %b, %c)`, or the types of these, `, loop T, U, V`, for each group. */
static void print_groups(Printer *p, const Op *op, const FmtElem *e) {
    const bool types = e->kind == FMT_GROUP_TYPES;
    unsigned groups = slot_count(op, e->index); /* the generic form may have uneven ones */
    for (int s = 1; s < e->n; s++)
        if (slot_count(op, e->index + s) < groups) groups = slot_count(op, e->index + s);
    for (unsigned i = 0; i < groups; i++) {
        sb_puts(p->out, types ? ", " : " ");
        sb_add(p->out, e->text, e->len);
        sb_putc(p->out, types ? ' ' : '(');
        for (int s = 0; s < e->n; s++) {
            if (s > 0) sb_puts(p->out, ", ");
            if (types)
                print_operand_types(p, slot_operands(op, e->index + s) + i, 1);
            else
                print_operands(p, slot_operands(op, e->index + s) + i, 1);
        }
        if (!types) sb_putc(p->out, ')');
    }
}

/* True when `n` slots from `slot` on have their operands, and the others of the choice none. */
static bool is_whole(const Op *op, const FmtElem *e, int slot, unsigned n) {
    for (int s = e->index; s < e->index + e->n + e->more; s++)
        if (slot_count(op, s) != (s >= slot && s < slot + (int)n)) return false;
    return true;
}

static void print_choice(Printer *p, const Op *op, const FmtElem *e) {
    const bool named = !is_whole(op, e, e->index, e->n) &&
                       !is_whole(op, e, e->index + e->n, e->more) && !is_whole(op, e, e->index, 2);
    unsigned n = 0;
    for (int s = e->index; s < e->index + e->n + e->more; s++) {
        if (slot_count(op, s) == 0) continue;
        sb_puts(p->out, n++ > 0 ? ", " : " ");
        if (e->kind == FMT_CHOICE_TYPES) {
            print_operand_types(p, slot_operands(op, s), 1);
            continue;
        }
        if (named) sb_printf(p->out, "%s(", op->inst->slots[s].name);
        print_operands(p, slot_operands(op, s), 1);
        if (named) sb_putc(p->out, ')');
    }
}

static bool opt_present(Printer *p, const Op *op, const Format *f, unsigned open) {
    for (unsigned i = open + 1; i < f->elems[open].index; i++) {
        const FmtElem *e = &f->elems[i];
        if (e->kind == FMT_SLOT || e->kind == FMT_TYPE)
            return slot_count(op, e->index) > 0 &&
                   (e->kind == FMT_SLOT || type_is_wanted(op, e->index));
        if (e->kind == FMT_ATTR) return op_attr(op, e->index) != NULL;
        if (e->kind == FMT_RESULT) {
            if (e->index >= op->nresults) return false;
            if (op->inst->results[e->index].optional) return true;
            /* Without the type its alias would be lost. */
            const Type *t = op_result(op, e->index)->type;
            const Type *inferred = infer_result_type(p->ctx, op, e->index);
            return inferred == NULL || !type_same(inferred, t) ||
                   type_written(inferred) != type_written(t);
        }
    }
    return false;
}

/* True when a clause is printed: its value is there, or some operand or attribute of it. */
static bool clause_given(const Op *op, const Format *f, unsigned open) {
    for (unsigned i = open + 1; i < f->elems[open].index; i++) {
        const FmtElem *e = &f->elems[i];
        if (e->kind == FMT_VALUE) return format_has_value(op, e);
        if (e->kind == FMT_SLOT && slot_count(op, e->index) > 0) return true;
        if (e->kind == FMT_ATTR && op_attr(op, e->index) != NULL) return true;
    }
    return false;
}

/* No blank before , ) ] and after ( [; an opening [ or ( follows a word directly, but not
 * punctuation. */
static bool wants_blank(const StrBuf *out, const FmtElem *e) {
    char last = out->data[out->len - 1];
    bool punctuation = e->kind == FMT_SOFT || e->kind == FMT_LITERAL;
    if (punctuation && strchr(",)]", e->text[0]) != NULL) return false;
    if (last == '(' || last == '[' || last == ' ') return false;
    if (e->kind == FMT_LITERAL && strchr("<>", e->text[0]) != NULL) return false;
    if (last == '<') return false;
    if (punctuation && (last == ':' || last == '>') && e->text[0] == '(')
        return out->len < 3 || memcmp(out->data + out->len - 3, ">>>", 3) != 0;
    if (punctuation && (e->text[0] == '[' || e->text[0] == '(')) return last == '=' || last == ',';
    return true;
}

/* True for overflow<nsw>, fastmath<fast>, %s[0, 1]: no blank before the bracket. */
static bool attr_is_glued(const Op *op, const FmtElem *e) {
    if (e->kind != FMT_ATTR) return false;
    AttrType type = (AttrType)op->inst->attrs[e->index].type;
    return type == AT_ANGLE || type == AT_INT_LIST;
}

static void print_format(Printer *p, const Op *op) {
    const Format *f = inst_format(p->ctx, op->inst);
    bool taken = false; /* the last optional part was printed */
    for (unsigned i = 0; i < f->n; i++) {
        const FmtElem *e = &f->elems[i];
        if (e->kind == FMT_OPT_OPEN) {
            taken = opt_present(p, op, f, i);
            if (!taken) i = e->index;
            continue;
        }
        if (e->kind == FMT_ELSE_OPEN) {
            if (taken) i = e->index;
            continue;
        }
        if (e->kind == FMT_CLAUSE_OPEN) {
            const bool given = clause_given(op, f, i);
            if (given && e->comma) sb_putc(p->out, ',');
            if (!given) i = e->index;
            continue;
        }
        if (e->kind == FMT_OPT_CLOSE || e->kind == FMT_CLAUSE_END) {
            taken = true;
            continue;
        }
        if (e->kind == FMT_DICT) {
            print_dict(p, op, f, i);
            continue;
        }
        if (e->kind == FMT_NAMED) {
            i = print_named(p, op, f, i);
            continue;
        }
        if (e->kind == FMT_GROUPS || e->kind == FMT_GROUP_TYPES) {
            print_groups(p, op, e);
            continue;
        }
        if (e->kind == FMT_CHOICE || e->kind == FMT_CHOICE_TYPES) {
            print_choice(p, op, e);
            continue;
        }
        if (e->kind == FMT_SLOT && slot_count(op, e->index) == 0) continue;
        if (!attr_is_glued(op, e) && wants_blank(p->out, e)) sb_putc(p->out, ' ');
        switch ((FmtKind)e->kind) {
        case FMT_SLOT:
            print_operands(p, slot_operands(op, e->index), slot_count(op, e->index));
            break;
        case FMT_TYPE:
            print_operand_types(p, slot_operands(op, e->index), slot_count(op, e->index));
            break;
        case FMT_RESULT:
            print_type(p, op_result(op, e->index)->type);
            break;
        case FMT_ATTR:
            print_attr_in_place(p, op, e->index);
            break;
        default:
            sb_add(p->out, e->text, e->len);
            break;
        }
    }
}

/* ---- FORM_TILE ---- */

/* Groups of slots that are printed together. */
typedef enum SlotGroup {
    GROUP_INS,  /* in ins(...), without those that have their own type */
    GROUP_OUTS, /* in outs(...) */
    GROUP_SSA   /* operands of SSA forms, without those after the statement */
} SlotGroup;

static bool in_group(const Inst *inst, int s, SlotGroup g) {
    const SlotInfo *info = &inst->slots[s];
    bool indices = info->arity == ARITY_VAR && info->kind == SLOT_INDEX;
    bool is_dest =
        slot_in_outs(info) || (indices && s > 0 && inst->slots[s - 1].role == ROLE_WRITE);
    if (g == GROUP_SSA) return !info->rare->trailing;
    return is_dest == (g == GROUP_OUTS) && info->rare->clause == NULL;
}

/* Prints slots, each followed by its indices in brackets. Returns how many. */
static unsigned print_slots(Printer *p, const Op *op, SlotGroup g, bool types) {
    unsigned n = 0;
    for (int s = 0; s < op->inst->nslots; s++) {
        const SlotInfo *info = &op->inst->slots[s];
        unsigned count = slot_count(op, s);
        bool indices = info->arity == ARITY_VAR && info->kind == SLOT_INDEX;
        if (count == 0 || !in_group(op->inst, s, g)) continue;
        if (indices && !types)
            sb_putc(p->out, '[');
        else if (n > 0)
            sb_puts(p->out, ", ");
        if (types)
            print_operand_types(p, slot_operands(op, s), count);
        else
            print_operands(p, slot_operands(op, s), count);
        if (indices && !types) sb_putc(p->out, ']');
        n += count;
    }
    return n;
}

/* Prints ` fp %f : T` or `, %q : i64` inside ins(...), ` pad_value = %v : f32` after the
 * statement. */
static void print_clauses(Printer *p, const Op *op, bool trailing) {
    for (int s = 0; s < op->inst->nslots; s++) {
        const SlotInfo *info = &op->inst->slots[s];
        if (info->rare->clause == NULL || info->rare->trailing != trailing ||
            slot_count(op, s) == 0)
            continue;
        if (info->rare->clause[0] == ',')
            sb_puts(p->out, ", ");
        else
            sb_printf(p->out, trailing ? " %s = " : " %s ", info->rare->clause);
        print_operands(p, slot_operands(op, s), slot_count(op, s));
        sb_puts(p->out, " : ");
        print_operand_types(p, slot_operands(op, s), slot_count(op, s));
    }
}

/* Prints attributes that are a bare word or a string in ins(...). */
static void print_bare_attrs(Printer *p, const Op *op, AttrPlace place) {
    for (unsigned i = 0; i < op->nattrs; i++) {
        if (place_of(op, &op->attrs[i]) != place) continue;
        sb_puts(p->out, place == PLACE_TYPES ? ", " : " ");
        if (place == PLACE_TYPES)
            attr_print(p->out, &p->ctx->names, op->attrs[i].value);
        else
            print_atom(p, op->attrs[i].name);
    }
}

/* Prints the word that tells that the last operand of ins(...) is not the slot with
 * SlotRare.unless. */
static void print_unless(Printer *p, const Op *op) {
    unsigned n = 0;
    const Type *last = NULL;
    for (int s = 0; s < op->inst->nslots; s++) {
        const SlotInfo *info = &op->inst->slots[s];
        if (info->rare->unless != NULL && slot_count(op, s) == 0 && n >= 2 && type_is_tile(last))
            sb_printf(p->out, " %s", info->rare->unless);
        unsigned count = in_group(op->inst, s, GROUP_INS) ? slot_count(op, s) : 0;
        if (count > 0) last = slot_operands(op, s)[count - 1].value->type;
        n += count;
    }
}

/* Prints the contents of ins(...); false when empty. */
static bool print_ins(Printer *p, const Op *op) {
    size_t start = p->out->len;
    unsigned n = print_slots(p, op, GROUP_INS, false);
    print_unless(p, op);
    print_bare_attrs(p, op, PLACE_WORD);
    print_dict_of(p, op, PLACE_INS, NULL);
    if (n > 0) {
        sb_puts(p->out, " : ");
        print_slots(p, op, GROUP_INS, true);
        print_bare_attrs(p, op, PLACE_TYPES);
    }
    print_clauses(p, op, false);
    return p->out->len > start;
}

static void drop_from(Printer *p, size_t start) {
    p->out->len = start;
    p->out->data[start] = '\0';
}

static void print_dps(Printer *p, const Op *op) {
    size_t start = p->out->len;
    bool has_outs = false;
    sb_puts(p->out, " ins(");
    if (print_ins(p, op))
        sb_putc(p->out, ')');
    else
        drop_from(p, start);
    start = p->out->len;
    sb_puts(p->out, " outs(");
    if (print_slots(p, op, GROUP_OUTS, false) > 0) {
        has_outs = true;
        sb_puts(p->out, " : ");
        print_slots(p, op, GROUP_OUTS, true);
        sb_putc(p->out, ')');
    } else {
        drop_from(p, start);
    }
    if (!has_outs && op->nresults > 0) {
        sb_puts(p->out, " outs : ");
        print_result_types(p, op);
    }
    print_dict_of(p, op, PLACE_DICT, NULL);
    print_clauses(p, op, true);
    if (has_outs && op->nresults > 0) {
        sb_puts(p->out, " -> ");
        print_result_types(p, op);
    }
}

void print_result_types(Printer *p, const Op *op) {
    if (op->nresults != 1) sb_putc(p->out, '(');
    for (unsigned i = 0; i < op->nresults; i++) {
        if (i > 0) sb_puts(p->out, ", ");
        print_type(p, op->results[i].type);
    }
    if (op->nresults != 1) sb_putc(p->out, ')');
}

/* Prints `%s, %k {attrs} : (T, f32) -> T`; a single operand type has no parentheses when there is
 * a result, as on the pages. */
static void print_ssa(Printer *p, const Op *op) {
    if (op->noperands > 0) sb_putc(p->out, ' ');
    print_slots(p, op, GROUP_SSA, false);
    print_attr_dict(p, op, NULL);
    if (op->noperands == 0 && op->nresults == 0) return;
    sb_puts(p->out, " : ");
    bool parens = op->noperands != 1 || op->nresults != 1;
    if (parens) sb_putc(p->out, '(');
    print_slots(p, op, GROUP_SSA, true);
    if (parens) sb_putc(p->out, ')');
    sb_puts(p->out, " -> ");
    print_result_types(p, op);
    print_clauses(p, op, true);
}

/* Prints `%s, %k : T, f32`, and the result type if it differs from that of the first tile operand.
 */
static void print_as(Printer *p, const Op *op) {
    const Type *tile = NULL;
    for (unsigned i = 0; i < op->noperands && tile == NULL; i++)
        if (type_is_tile(op->operands[i].value->type)) tile = op->operands[i].value->type;
    if (op->noperands > 0) sb_putc(p->out, ' ');
    print_slots(p, op, GROUP_SSA, false);
    print_attr_dict(p, op, NULL);
    bool result = op->nresults > op_tile_results(op);
    for (unsigned i = 0; i < op->nresults; i++)
        result |= tile == NULL || tile != op->results[i].type;
    if (op->noperands == 0 && !result) return;
    sb_puts(p->out, " : ");
    print_slots(p, op, GROUP_SSA, true);
    if (result) {
        sb_puts(p->out, op->noperands > 0 ? " -> " : "() -> ");
        print_result_types(p, op);
    }
    print_clauses(p, op, true);
}

/* ---- one operation ---- */

/* True when an optional operand is absent and a later one of its kind present: short forms
 * identify operands by order, so only the generic form is unambiguous. */
static bool is_ambiguous_by_order(const Op *op) {
    const Inst *inst = op->inst;
    for (int i = 0; i < inst->nslots; i++) {
        const SlotInfo *a = &inst->slots[i];
        if (a->arity != ARITY_OPT || a->rare->clause != NULL || slot_is_result(a) ||
            slot_count(op, i) > 0)
            continue;
        for (int k = i + 1; k < inst->nslots; k++)
            if (inst->slots[k].in_outs && inst->slots[k].kind == a->kind && slot_count(op, k) > 0)
                return true;
    }
    return false;
}

OpForm print_form(const Printer *p, const Op *op) {
    OpForm form = op->form == OPF_LITERAL ? OPF_AS : (OpForm)op->form;
    if (inst_is_generic(op->inst) || p->form == PRINT_GENERIC ||
        (p->form == PRINT_KEEP && form == OPF_GENERIC))
        return OPF_GENERIC;
    if (p->form == PRINT_AS)
        form = OPF_AS;
    else if (p->form != PRINT_KEEP)
        form = OPF_SSA;
    if (op->inst->form != FORM_TILE) return form;
    bool has_dest = false;
    for (int s = 0; s < op->inst->nslots; s++)
        has_dest |= slot_is_result(&op->inst->slots[s]);
    bool tiles = op_tile_results(op) > 0;
    if (p->form == PRINT_DPS || (has_dest && !tiles)) return tiles ? OPF_SSA : OPF_DPS;
    if (form == OPF_DPS && !tiles) return OPF_DPS;
    if (form == OPF_DPS) form = OPF_SSA;
    return tiles && is_ambiguous_by_order(op) ? OPF_GENERIC : form;
}

/* True for `.const %x = 4 : index` of PTO-AS, among statements outside of functions. */
static bool is_const_line(const Printer *p, const Op *op, OpForm form) {
    if (!op_is(op, INST_CONSTANT) || form != OPF_AS || p->header_only || op->nattrs != 1 ||
        op->results[0].name == 0)
        return false;
    AttrKind kind = (AttrKind)op->attrs[0].value->kind;
    const Op *func = op_function(op);
    return (kind == ATTR_INT || kind == ATTR_FLOAT) && func != NULL && func_data(func)->implicit;
}

static void print_const_line(Printer *p, const Op *op) {
    Attr value = *op->attrs[0].value;
    value.type = NULL;
    sb_puts(p->out, ".const ");
    print_value(p, &op->results[0]);
    sb_puts(p->out, " = ");
    attr_print(p->out, &p->ctx->names, &value);
    sb_puts(p->out, " : ");
    print_type(p, op->results[0].type);
}

static void print_op_line(Printer *p, const Op *op) {
    OpForm form = print_form(p, op);
    if (is_const_line(p, op, form)) {
        print_const_line(p, op);
        return;
    }
    print_results(p, op);
    if (form == OPF_GENERIC) {
        print_generic(p, op);
    } else if (op->inst->form == FORM_CUSTOM) {
        print_custom(p, op);
    } else {
        const char *name = op->inst->name;
        if (op_is(op, INST_RETURN))
            name = "return";
        else if (form == OPF_AS && op->inst->form == FORM_TILE)
            name += strlen("pto.");
        sb_puts(p->out, name);
        if (op->inst->form == FORM_FORMAT)
            print_format(p, op);
        else if (form == OPF_DPS)
            print_dps(p, op);
        else if (form == OPF_AS)
            print_as(p, op);
        else
            print_ssa(p, op);
    }
}

static bool op_is_implicit(const Op *op) {
    if (op_is(op, INST_MODULE)) return ((const ModuleData *)op_extra(op))->implicit;
    return op_is(op, INST_FUNC) && func_data(op)->implicit;
}

static void print_blocks(Printer *p, const Region *r, const Trivia *trailing, const Trivia *head);

static void print_op(Printer *p, const Op *op) {
    if (op_is_implicit(op)) {
        if (op_is(op, INST_FUNC)) print_custom(p, op);
        print_leading(p, op_trivia(op));
        print_blocks(p, op_regions(op), NULL, NULL);
        print_leading(p, op_regions(op)[0].tail);
        return;
    }
    print_leading(p, op_trivia(op));
    print_line_start(p);
    p->closed = NULL;
    print_op_line(p, op);
    if (p->closed != NULL) print_trailing(p, p->closed->tail);
    print_trailing(p, op_trivia(op));
    sb_putc(p->out, '\n');
}

/* True for an optional terminator without operands, which is not printed. */
static bool is_implied(const Op *op) {
    if (op->span.len != 0 || op->nattrs > 0 || op->noperands > 0) return false;
    if (!op_is(op, INST_RETURN)) return op_end_of(op) != NULL;
    return op_function(op) != NULL && func_data(op_function(op))->implicit;
}

/* True when `op` is in the generic form and contains what follows. */
static bool is_generic_owner(const Printer *p, const Op *op) {
    return op != NULL && !op_is_implicit(op) && print_form(p, op) == OPF_GENERIC;
}

static void print_block_ops(Printer *p, const Block *b) {
    bool all = is_generic_owner(p, region_owner(b));
    for (const Op *op = b->first; op != NULL; op = op->next)
        if ((all || !is_implied(op)) && !print_in_place(p, op)) print_op(p, op);
}

/* Returns the label of a block. An entry block needs one for arguments that the statement cannot
 * have; the generic form has no place for them. */
static Atom label_of(Printer *p, const Block *b) {
    const Op *owner = region_owner(b);
    if (b != b->region->first || b->nargs == 0) return b->label;
    if (is_generic_owner(p, owner)) return b->label != 0 ? b->label : fresh_name(p->ctx, "entry");
    const bool passed = owner->inst->regions != NULL && owner->inst->regions->init != 0 &&
                        owner->inst->regions->runs != RUNS_TIMES;
    const bool in_statement = op_is(owner, INST_FUNC) || (passed && b->region == op_regions(owner));
    return in_statement ? 0 : b->label;
}

static void print_label(Printer *p, const Block *b, Atom label) {
    print_line_start(p);
    sb_putc(p->out, '^');
    print_atom(p, label);
    for (uint32_t i = 0; i < b->nargs; i++) {
        sb_puts(p->out, i == 0 ? "(" : ", ");
        print_value(p, &b->args[i]);
        sb_puts(p->out, ": ");
        print_type(p, b->args[i].type);
        print_argument_location(p, &b->args[i]);
    }
    sb_puts(p->out, b->nargs > 0 ? "):" : ":");
    print_trailing(p, b->trivia);
    sb_putc(p->out, '\n');
}

/* Prints the blocks of a region, with comments that its line has no place for before the first. */
static void print_blocks(Printer *p, const Region *r, const Trivia *trailing, const Trivia *head) {
    for (const Block *b = r->first; b != NULL; b = b->next) {
        Atom label = label_of(p, b);
        const unsigned out = label != 0 && p->indent > 0; /* none outside of functions */
        p->indent -= out;
        if (b == r->first) {
            print_trailing_lines(p, trailing);
            print_leading(p, head);
        }
        print_leading(p, b->trivia);
        if (label != 0) print_label(p, b, label);
        p->indent += out;
        if (label == 0) print_trailing_lines(p, b->trivia);
        print_block_ops(p, b);
    }
}

void print_region_line(Printer *p, const Region *r) {
    if (p->closed != NULL) print_trailing(p, p->closed->tail);
    p->closed = NULL;
    sb_putc(p->out, '\n');
    if (!p->header_only) print_leading(p, r->head);
    p->head_printed = true;
    print_line_start(p);
}

void print_region(Printer *p, const Region *r) {
    const Region *before = p->closed; /* on the same line */
    const bool head_printed = p->head_printed;
    p->head_printed = false;
    sb_puts(p->out, p->out->data[p->out->len - 1] == '(' ? "{" : " {");
    if (p->header_only) {
        sb_puts(p->out, " ... }");
        return;
    }
    print_trailing(p, r->head);
    sb_putc(p->out, '\n');
    p->indent++;
    print_blocks(p, r, before != NULL ? before->tail : NULL, head_printed ? NULL : r->head);
    print_leading(p, r->tail);
    p->indent--;
    print_line_start(p);
    sb_putc(p->out, '}');
    p->closed = r;
}

static void print_aliases(Printer *p, const AliasDef *a) {
    for (; a != NULL; a = a->next) {
        print_leading(p, a->trivia);
        sb_putc(p->out, a->is_type ? '!' : '#');
        print_atom(p, a->name);
        sb_puts(p->out, " = ");
        if (a->is_type) {
            print_type(p, a->type);
        } else {
            Attr value = *a->attr;
            if (value.alias == a->name) value.alias = 0;
            attr_print(p->out, &p->ctx->names, &value);
        }
        print_trailing(p, a->trivia);
        sb_putc(p->out, '\n');
    }
}

void module_print(StrBuf *out, const Module *m, PrintForm form) {
    Printer p = {.out = out, .ctx = m->ctx, .form = form, .named = {.arena = &m->ctx->arena}};
    sb_reserve(out, 1);
    if (m->ctx->has_literals) print_find_literals(&p, m->root);
    print_aliases(&p, m->aliases);
    print_op(&p, m->root);
    print_leading(&p, m->tail);
}

void op_print(StrBuf *out, const Context *ctx, const Op *op, PrintForm form) {
    /* The printer only reads; formats compile into the context on demand. */
    Printer p = {.out = out, .ctx = (Context *)(uintptr_t)ctx, .form = form, .header_only = true};
    sb_reserve(out, 1);
    print_op_line(&p, op);
}
