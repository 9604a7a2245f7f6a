/* SPDX-License-Identifier: Apache-2.0 */
/* Attribute enumerations; printing and comparing attributes. */
#include "ir/attr.h"
#include "support/ascii.h"
#include "support/number.h"

#include <stdio.h>
#include <string.h>

#define V(text, value) {text, value},
#define ENUM_FAMILY(id, name, spelling, values) static const EnumValue values_##id[] = {values};
#include "ir/enums.def"
#undef ENUM_FAMILY
#undef V

const EnumInfo enum_infos[EF_COUNT] = {
#define ENUM_FAMILY(id, name, spelling, values)                                                    \
    {name, ENUM_##spelling, values_##id, sizeof values_##id / sizeof values_##id[0]},
#define V(text, value)
#include "ir/enums.def"
#undef ENUM_FAMILY
#undef V
};

EnumFamily enum_family_find(const char *s, size_t n) {
    for (int f = 0; f < EF_COUNT; f++)
        if (strlen(enum_infos[f].name) == n && memcmp(enum_infos[f].name, s, n) == 0)
            return (EnumFamily)f;
    return EF_NONE;
}

/* Compares words, ignoring case and underscores: `AtomicAdd` is atomic_add. */
static bool same_word(const char *known, const char *s, size_t n) {
    const char *end = s + n;
    for (;; known++, s++) {
        while (*known == '_')
            known++;
        while (s < end && *s == '_')
            s++;
        if (s == end || *known == '\0') return s == end && *known == '\0';
        if (ascii_lower(*known) != ascii_lower(*s)) return false;
    }
}

/* Returns the first value with the integer of value `i`. */
static int first_spelling(const EnumInfo *info, unsigned i) {
    unsigned k = 0;
    while (info->values[k].value != info->values[i].value)
        k++;
    return (int)k;
}

/* True when `s` is the value, or another spelling of it unless it is a string. */
static bool is_value(const EnumInfo *info, const char *value, const char *s, size_t n) {
    if (info->spelling >= ENUM_QUOTED) return strlen(value) == n && memcmp(value, s, n) == 0;
    return same_word(value, s, n);
}

/* Returns the first character that counts for same_word(). */
static char first_of_word(const char *s, size_t n) {
    size_t i = 0;
    while (i < n && s[i] == '_')
        i++;
    return i < n ? ascii_lower(s[i]) : '\0';
}

int enum_value_find(EnumFamily f, const char *s, size_t n) {
    const EnumInfo *info = &enum_infos[f];
    const char first = first_of_word(s, n);
    for (unsigned i = 0; i < info->nvalues; i++) {
        const char *value = info->values[i].text;
        if (first_of_word(value, SIZE_MAX) == first && is_value(info, value, s, n))
            return first_spelling(info, i);
    }
    /* Names of rounding modes in the vendor's library. */
    if (f == EF_ROUND_MODE && n > 5 && ascii_begins(s, n, "CAST_"))
        return enum_value_find(f, s + 5, n - 5);
    return -1;
}

static void put_type(StrBuf *out, const Interner *names, const Type *t) {
    sb_printf(out, TYPE_FMT, TYPE_ARG(names, t));
}

static void put_type_suffix(StrBuf *out, const Interner *names, const Attr *a) {
    if (a->type != NULL) {
        sb_puts(out, " : ");
        put_type(out, names, a->type);
    }
}

static void put_name(StrBuf *out, const char *s, size_t n) {
    bool bare = n > 0 && !(s[0] >= '0' && s[0] <= '9') && s[0] != '.' && s[0] != '$';
    for (size_t i = 0; i < n && bare; i++)
        bare = (s[i] >= 'a' && s[i] <= 'z') || (s[i] >= 'A' && s[i] <= 'Z') ||
               (s[i] >= '0' && s[i] <= '9') || s[i] == '_' || s[i] == '.' || s[i] == '$';
    if (bare && memchr(s, '-', n) == NULL)
        sb_add(out, s, n);
    else
        sb_put_quoted(out, s, n);
}

static void put_key(StrBuf *out, const Interner *names, Atom name) {
    put_name(out, atom_text(names, name), atom_len(names, name));
}

static void put_symbol(StrBuf *out, const Interner *names, Atom text) {
    const char *s = atom_text(names, text);
    size_t n = atom_len(names, text), start = 0;
    for (size_t i = 0; i <= n; i++) { /* a nested reference: @a::@b */
        if (i < n && !(n - i > 3 && i > start && memcmp(s + i, "::@", 3) == 0)) continue;
        sb_puts(out, start == 0 ? "@" : "::@");
        put_name(out, s + start, i - start);
        start = i + 3;
    }
}

static void put_list(StrBuf *out, const Interner *names, const Attr *a, bool typed) {
    for (uint32_t i = 0; i < a->n; i++) {
        if (i > 0) sb_puts(out, ", ");
        Attr item = *a->items[i];
        if (!typed) item.type = NULL;
        attr_print(out, names, &item);
    }
}

static void put_number(StrBuf *out, const Interner *names, const Attr *a) {
    bool is_unsigned =
        a->type != NULL && a->type->kind == TY_SCALAR && elem_infos[a->type->elem].cls == 'U';
    if (a->text != 0)
        sb_add(out, atom_text(names, a->text), atom_len(names, a->text));
    else if (a->hex && (a->kind == ATTR_FLOAT || a->i >= 0))
        sb_printf(out, "0x%llX", (unsigned long long)a->i);
    else if (a->kind == ATTR_FLOAT)
        number_put(out, a->d);
    else if (is_unsigned)
        sb_printf(out, "%llu", (unsigned long long)a->i);
    else
        sb_printf(out, "%lld", (long long)a->i);
}

void enum_print(char *out, size_t size, const EnumInfo *e, const char *word) {
    if (e->spelling == ENUM_QUOTED)
        snprintf(out, size, "\"%s\"", word);
    else
        snprintf(out, size, e->spelling == ENUM_ANGLE ? "#pto<%s %s>" : "#pto.%s<%s>", e->name,
                 word);
}

void enum_put(StrBuf *out, const EnumInfo *e, const char *word) {
    char text[160];
    enum_print(text, sizeof text, e, word);
    sb_puts(out, text);
}

void attr_print(StrBuf *out, const Interner *names, const Attr *a) {
    if (a->alias != 0) {
        sb_putc(out, '#');
        sb_add(out, atom_text(names, a->alias), atom_len(names, a->alias));
        return;
    }
    switch ((AttrKind)a->kind) {
    case ATTR_UNIT:
        sb_puts(out, "unit");
        break;
    case ATTR_BOOL:
        sb_puts(out, a->i != 0 ? "true" : "false");
        break;
    case ATTR_INT:
    case ATTR_FLOAT:
        put_number(out, names, a);
        put_type_suffix(out, names, a);
        break;
    case ATTR_STRING:
        sb_put_quoted(out, atom_text(names, a->text), atom_len(names, a->text));
        put_type_suffix(out, names, a);
        break;
    case ATTR_SYMBOL:
        put_symbol(out, names, a->text);
        break;
    case ATTR_ARRAY:
        sb_putc(out, '[');
        put_list(out, names, a, true);
        sb_putc(out, ']');
        break;
    case ATTR_DICT:
        attr_dict_print(out, names, a->entries, a->n);
        break;
    case ATTR_TYPE:
        put_type(out, names, a->type);
        break;
    case ATTR_ENUM: {
        const EnumInfo *e = &enum_infos[a->family];
        enum_put(out, e, e->values[a->i].text);
        break;
    }
    case ATTR_DENSE:
        sb_puts(out, "array<");
        put_type(out, names, a->type);
        if (a->n > 0) sb_puts(out, ": ");
        put_list(out, names, a, false);
        sb_putc(out, '>');
        break;
    case ATTR_OPAQUE:
        sb_add(out, atom_text(names, a->text), atom_len(names, a->text));
        put_type_suffix(out, names, a);
        break;
    }
}

void attr_dict_print(StrBuf *out, const Interner *names, const NamedAttr *entries, unsigned n) {
    sb_putc(out, '{');
    for (unsigned i = 0; i < n; i++) {
        if (i > 0) sb_puts(out, ", ");
        put_key(out, names, entries[i].name);
        if (entries[i].value->kind != ATTR_UNIT) {
            sb_puts(out, " = ");
            attr_print(out, names, entries[i].value);
        }
    }
    sb_putc(out, '}');
}

static bool same_or_null(const Type *a, const Type *b) {
    return a == b || (a != NULL && b != NULL && type_same(a, b));
}

static bool dict_equal(const Attr *a, const Attr *b) {
    for (uint32_t i = 0; i < a->n; i++) {
        uint32_t j = 0;
        while (j < b->n && b->entries[j].name != a->entries[i].name)
            j++;
        if (j == b->n || !attr_equal(a->entries[i].value, b->entries[j].value)) return false;
    }
    return true;
}

bool attr_equal(const Attr *a, const Attr *b) {
    if (a->kind != b->kind || a->n != b->n || !same_or_null(a->type, b->type)) return false;
    switch ((AttrKind)a->kind) {
    case ATTR_UNIT:
    case ATTR_TYPE:
        return true;
    case ATTR_FLOAT:
        return a->hex == b->hex && (a->hex ? a->i == b->i : memcmp(&a->d, &b->d, 8) == 0);
    case ATTR_BOOL:
    case ATTR_INT:
        return a->i == b->i;
    case ATTR_ENUM:
        return a->family == b->family && a->i == b->i;
    case ATTR_STRING:
    case ATTR_SYMBOL:
    case ATTR_OPAQUE:
        return a->text == b->text;
    case ATTR_ARRAY:
    case ATTR_DENSE:
        for (uint32_t i = 0; i < a->n; i++)
            if (!attr_equal(a->items[i], b->items[i])) return false;
        return true;
    case ATTR_DICT:
        return dict_equal(a, b);
    }
    return false;
}
