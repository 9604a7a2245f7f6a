/* SPDX-License-Identifier: Apache-2.0 */
/* Writes sets of the rule table in words: for the program, and for the one that packs the rows. */
#include "verifier/rules/words.h"

#include <stdio.h>
#include <string.h>

const char *const layout_names[LAYOUT_NAMES] = {"row_major/none_box",  "col_major/none_box",
                                                "col_major/row_major", "row_major/col_major",
                                                "row_major/row_major", "col_major/col_major"};
const char *const fractal_names[FRACTAL_NAMES] = {"32", "512", "1024"};
const char *const compact_names[COMPACT_NAMES] = {"null", "normal", "row_plus_one"};
const char *const pad_names[PAD_NAMES] = {"null", "zero", "max", "min"};
const char *const dim_names[] = {"rows", "cols", "valid rows", "valid cols"};
const char *const relation_names[] = {"equal to", "at least", "at most"};

ExtentWord extent_word(int64_t n) {
    ExtentWord out = {"?"};
    if (n != DYNAMIC) snprintf(out.text, sizeof out.text, "%lld", (long long)n);
    return out;
}

const char *list_separator(unsigned i, unsigned n) {
    return i == 0 ? "" : i + 1 == n ? " or " : ", ";
}

void put_elem_set(StrBuf *out, ElemSet set) {
    static const Elem twins[][2] = {
        {ELEM_I8, ELEM_SI8}, {ELEM_I16, ELEM_SI16}, {ELEM_I32, ELEM_SI32}, {ELEM_I64, ELEM_SI64}};
    for (unsigned i = 0; i < sizeof twins / sizeof twins[0]; i++)
        if (set & ELEM_BIT(twins[i][0])) set &= ~ELEM_BIT(twins[i][1]);
    unsigned n = (unsigned)__builtin_popcountll(set), k = 0;
    for (int e = 0; e < ELEM_COUNT; e++)
        if (set & ELEM_BIT(e)) sb_printf(out, "%s%s", list_separator(k++, n), elem_infos[e].text);
}

ElemSet low_precision_elems(void) {
    ElemSet set = 0;
    for (int e = 1; e < ELEM_COUNT; e++)
        if (elem_infos[e].cls == 'L') set |= ELEM_BIT(e);
    return set;
}

void put_elem_set_short(StrBuf *out, ElemSet set) {
    ElemSet low = low_precision_elems();
    if ((set & low) != low) {
        put_elem_set(out, set);
        return;
    }
    put_elem_set(out, set & ~low);
    sb_puts(out, (set & ~low) != 0 ? "; or any fp8, hif8, fp4 or packed type"
                                   : "any fp8, hif8, fp4 or packed type");
}

void put_names(StrBuf *out, uint64_t set, const char *const *names, unsigned count) {
    unsigned n = (unsigned)__builtin_popcountll(set), k = 0;
    for (unsigned i = 0; i < count; i++)
        if (set & ((uint64_t)1 << i)) sb_printf(out, "%s%s", list_separator(k++, n), names[i]);
}

void put_layouts(StrBuf *out, uint64_t set) {
    if (set == LAY_ROW_MAJOR)
        sb_puts(out, "row_major");
    else if (set == LAY_COL_MAJOR)
        sb_puts(out, "col_major");
    else
        put_names(out, set, layout_names, LAYOUT_NAMES);
}

void put_attr_values(StrBuf *out, const AttrInfo *info, uint64_t set) {
    const EnumInfo *e = info != NULL && info->type == AT_ENUM ? &enum_infos[info->family] : NULL;
    unsigned n = (unsigned)__builtin_popcountll(set), k = 0;
    for (unsigned i = 0; i < 64; i++) {
        if ((set & (uint64_t)1 << i) == 0) continue;
        sb_puts(out, list_separator(k++, n));
        if (e != NULL && i < e->nvalues)
            sb_puts(out, e->values[i].text);
        else if (info != NULL && info->type == AT_BOOL)
            sb_puts(out, i != 0 ? "true" : "false");
        else
            sb_printf(out, "%u", i);
    }
}

/* True when pair `p` is the first with its left side; the others are written with it. */
static bool first_of(const uint8_t *list, const uint8_t *p) {
    for (; list < p; list += 2)
        if (list[0] == p[0]) return false;
    return true;
}

void put_pairs(StrBuf *out, const uint8_t *list, void (*put)(StrBuf *, uint64_t)) {
    for (const uint8_t *p = list; p[0] != 0; p += 2) {
        if (!first_of(list, p)) continue;
        sb_puts(out, p == list ? "" : "; ");
        put(out, p[0]);
        sb_puts(out, " to ");
        unsigned n = 0, k = 0;
        for (const uint8_t *q = p; q[0] != 0; q += 2)
            n += q[0] == p[0];
        for (const uint8_t *q = p; q[0] != 0; q += 2) {
            if (q[0] != p[0]) continue;
            sb_puts(out, list_separator(k++, n));
            put(out, q[1]);
        }
    }
}
