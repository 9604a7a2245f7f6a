/* SPDX-License-Identifier: Apache-2.0 */
/* Writes parts of rows of the rule table in words. */
#include "verifier/rules/words.h"

#include <string.h>

void put_range(StrBuf *out, const RuleRow *row) {
    if (row_args(row)->hi == NO_LIMIT)
        sb_printf(out, "at least %lld", (long long)row_args(row)->lo);
    else if (row_args(row)->hi == row_args(row)->lo)
        sb_printf(out, "%lld", (long long)row_args(row)->lo);
    else
        sb_printf(out, "%lld to %lld", (long long)row_args(row)->lo, (long long)row_args(row)->hi);
    if (row_args(row)->multiple != 0)
        sb_printf(out, " and a multiple of %lld", (long long)row_args(row)->multiple);
}

/* ---- what a row is about ---- */

static const char *name_text(const InstRow *r, RowName name) {
    if (name.index < 0) return attr_texts[name.attr];
    return rule_about_attribute(r->row) ? r->inst->attrs[name.index].name
                                        : inst_operand_text(r->inst, name.index);
}

const char *row_a_text(const InstRow *r) {
    RowName name;
    const uint8_t *at = row_about(r->row);
    return row_next(&at, &name) ? name_text(r, name) : "";
}

const AttrInfo *row_attr(const InstRow *r) {
    const int attr = row_a(r->row);
    return attr >= 0 ? &r->inst->attrs[attr] : NULL;
}

const char *row_b_text(const InstRow *r) {
    return inst_operand_text(r->inst, row_b(r->row));
}

bool row_is_about(const RuleRow *row, int operand) {
    RowName name;
    for (const uint8_t *at = row_about(row); row_next(&at, &name);)
        if (name.index == operand) return true;
    return false;
}

bool row_names_several(const RuleRow *row) {
    RowName name;
    const uint8_t *at = row_about(row);
    return row_next(&at, &name) && *at != 0;
}

void put_about(StrBuf *out, const InstRow *r) {
    RowName name;
    const uint8_t *at = row_about(r->row);
    for (bool first = true; row_next(&at, &name); first = false) {
        if (!first) sb_puts(out, *at == 0 ? " and " : ", ");
        sb_puts(out, name_text(r, name));
    }
}

void put_subject(StrBuf *out, const InstRow *r) {
    if (*row_about(r->row) == 0) return;
    put_about(out, r);
    sb_puts(out, ": ");
}

void put_both_operands(StrBuf *out, const InstRow *r) {
    put_about(out, r);
    sb_printf(out, " and %s", row_b_text(r));
}
