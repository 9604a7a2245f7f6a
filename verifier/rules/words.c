/* SPDX-License-Identifier: Apache-2.0 */
/* Writes sets and guards of the rule table in words. */
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

/* Returns what precedes entry `i` of `n`: nothing, a comma, or `or`. */
static const char *list_separator(unsigned i, unsigned n) {
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

const AttrInfo *named_attr(const Inst *inst, const char *s, size_t n) {
    int i = inst_attr_named(inst, s, n);
    return i >= 0 ? &inst->attrs[i] : NULL;
}

/* ---- operands of a row ---- */

void put_operands(StrBuf *out, const char *names) {
    bool first = true;
    while (names != NULL && *names != '\0') {
        size_t n = strcspn(names, " ");
        const char *rest = names + n + strspn(names + n, " ");
        if (!first) sb_puts(out, *rest == '\0' ? " and " : ", ");
        sb_add(out, names, n);
        names = rest;
        first = false;
    }
}

void put_subject(StrBuf *out, const RuleRow *row) {
    if (*row_a(row) == '\0') return;
    put_operands(out, row_a(row));
    sb_puts(out, ": ");
}

bool row_names_several(const RuleRow *row) {
    return strchr(row_a(row), ' ') != NULL;
}

void put_both_operands(StrBuf *out, const RuleRow *row) {
    put_operands(out, row_a(row));
    sb_printf(out, " and %s", row_b(row));
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

/* ---- guards ---- */

typedef struct Word {
    const char *s;
    size_t n;
} Word;

/* Writes a word of a guard, in its longer form if it has one. */
static void put_spelled_out(StrBuf *out, Word w) {
    static const char *const words[][2] = {
        {"int", "integer"}, {"low", "low-precision"}, {"row", "row_major"}, {"col", "col_major"}};
    for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strlen(words[i][0]) == w.n && memcmp(words[i][0], w.s, w.n) == 0) {
            sb_puts(out, words[i][1]);
            return;
        }
    sb_add(out, w.s, w.n);
}

/* Writes `mat or vec` for `mat,vec`. */
static void put_alternatives(StrBuf *out, Word w) {
    unsigned n = 1, k = 0;
    for (size_t i = 0; i < w.n; i++)
        n += w.s[i] == ',';
    for (unsigned i = 0; i < n; i++) {
        const char *comma = memchr(w.s, ',', w.n);
        size_t len = comma != NULL ? (size_t)(comma - w.s) : w.n;
        sb_puts(out, list_separator(k++, n));
        put_spelled_out(out, (Word){w.s, len});
        w.s += len + (comma != NULL);
        w.n -= len + (comma != NULL);
    }
}

/* Writes `mode=2` with the word of the enumeration. */
static void put_attr_guard(StrBuf *out, const Inst *inst, Word name, Word value) {
    const AttrInfo *info = named_attr(inst, name.s, name.n);
    sb_printf(out, "%.*s is ", (int)name.n, name.s);
    if (info == NULL || info->type != AT_ENUM)
        put_alternatives(out, value);
    else
        put_attr_values(out, info, guard_word_set(info, '=', value.s, value.n));
}

static void put_guard(StrBuf *out, const Inst *inst, Word w) {
    bool no = w.s[0] == '!';
    w.s += no;
    w.n -= no;
    size_t len = 0;
    while (len < w.n && strchr("@#~.=", w.s[len]) == NULL)
        len++;
    Word name = {w.s, len}, value = {w.s + len + 1, len < w.n ? w.n - len - 1 : 0};
    if (len == w.n) {
        sb_printf(out, "%.*s is %s", (int)len, w.s, no ? "absent" : "given");
        return;
    }
    if (w.s[len] == '=') {
        put_attr_guard(out, inst, name, value);
        return;
    }
    bool outside = value.n > 0 && value.s[0] == '!', element = w.s[len] == '#';
    value.s += outside;
    value.n -= outside;
    sb_printf(out, "%.*s %s%s%s", (int)len, w.s, element ? "has " : "is ",
              outside ? element ? "other elements than " : "not " : "",
              w.s[len] == '@' ? "in " : "");
    put_alternatives(out, value);
    if (element && !outside) sb_puts(out, " elements");
}

void put_guards(StrBuf *out, const Inst *inst, const char *guard) {
    const char *before = " when ";
    while (guard != NULL && *guard != '\0') {
        size_t n = strcspn(guard, " ");
        if (n >= 6 && memcmp(guard, "level", 5) == 0) {
            sb_printf(out, guard[5] == '!' ? " not at level %c" : " at level %c", guard[n - 1]);
        } else {
            sb_puts(out, before);
            put_guard(out, inst, (Word){guard, n});
            before = " and ";
        }
        guard += n + strspn(guard + n, " ");
    }
}
