/* SPDX-License-Identifier: Apache-2.0 */
/* The attrs line of a block against the attributes of its row, by the rules at the head of
 * test_spec.c. */
#include "spec/spec.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static char why[256];

static bool is_name_char(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

static size_t name_length(const char *s) {
    size_t n = 0;
    while (is_name_char(s[n]))
        n++;
    return n;
}

/* `word` as a whole word between s and end. */
static const char *find_word(const char *s, const char *end, const char *word) {
    size_t n = strlen(word);
    for (const char *p = s; p + n <= end; p++)
        if (strncasecmp(p, word, n) == 0 && (p == s || !is_name_char(p[-1])) &&
            (p + n == end || !is_name_char(p[n])))
            return p;
    return NULL;
}

static const char *item_end(const char *s, const char *end, const char *stops) {
    int depth = 0;
    for (; s < end; s++) {
        if (depth == 0 && strchr(stops, *s) != NULL) return s;
        if (strchr("([<", *s) != NULL) depth++;
        if (strchr(")]>", *s) != NULL && depth > 0) depth--;
    }
    return end;
}

static bool is_value(const AttrInfo *a, const char *s, size_t n) {
    if (a->type != AT_ENUM && a->type != AT_WORD) return false;
    for (const uint8_t *f = a->also; f != NULL && *f != EF_NONE; f++)
        if (enum_value_find((EnumFamily)*f, s, n) >= 0) return true;
    return enum_value_find((EnumFamily)a->family, s, n) >= 0;
}

static bool is_any_value(const Inst *inst, const char *s, size_t n) {
    for (int i = 0; i < inst->nattrs; i++)
        if (is_value(&inst->attrs[i], s, n)) return true;
    return (n == 4 && memcmp(s, "true", 4) == 0) || (n == 5 && memcmp(s, "false", 5) == 0);
}

static const char *differs(const char *what, const char *s, size_t n) {
    snprintf(why, sizeof why, "%s: %.*s", what, (int)n, s);
    return why;
}

/* ---- one attribute ---- */

/* The family's values in `#pto<family a|b>` or `#pto.family<a|b>`, or a list in the open. */
static const char *compare_values(const AttrInfo *a, const char *s, const char *end) {
    const EnumInfo *info = &enum_infos[a->family];
    bool open = false;
    for (const char *p = s; p + 1 < end; p++)
        open |= p[0] == '.' && p[1] == '.';
    const char *list = s;
    while (list < end && *list != '<')
        list++;
    const char *close = list;
    while (close < end && *close != '>')
        close++;
    if (list < end && memchr(list, '|', (size_t)(close - list)) != NULL) {
        const char *p = list + 1;
        if (p[name_length(p)] == ' ') {
            if (strlen(info->name) != name_length(p) || memcmp(p, info->name, name_length(p)) != 0)
                return differs("another enumeration", p, name_length(p));
            p += name_length(p) + 1;
        }
        for (; p < close; p++) {
            size_t n = name_length(p);
            if (n != 0 && !is_value(a, p, n)) return differs("value without a row", p, n);
            p += n;
        }
        for (unsigned v = 0; v < info->nvalues && !open; v++)
            if (find_word(list, close, info->values[v].text) == NULL && a->also == NULL &&
                strcmp(info->name, "quant_type") != 0)
                return differs("value only in the row", info->values[v].text,
                               strlen(info->values[v].text));
        return NULL;
    }
    /* a list in the open begins behind the name */
    const char *first = s + strspn(s, " :=(");
    if (first >= end || !is_value(a, first, name_length(first))) return NULL;
    const char *behind = first + name_length(first);
    behind += strspn(behind, " ");
    if (*behind != '|' && *behind != '(' && !isdigit((unsigned char)*behind)) return NULL;
    unsigned seen = 0;
    for (unsigned v = 0; v < info->nvalues; v++)
        seen += find_word(s, end, info->values[v].text) != NULL;
    if (seen > 1 && seen < info->nvalues && !open)
        return differs("values of", a->name, strlen(a->name));
    return NULL;
}

static bool read_default(const AttrInfo *a, const char *s, size_t n, int64_t *out) {
    char number[24];
    if (a->type == AT_ENUM || a->type == AT_WORD) {
        *out = enum_value_find((EnumFamily)a->family, s, n);
        return *out >= 0;
    }
    if (a->type == AT_BOOL) {
        *out = n == 4 && memcmp(s, "true", 4) == 0;
        return *out == 1 || (n == 5 && memcmp(s, "false", 5) == 0);
    }
    if (n == 0 || n >= sizeof number || !isdigit((unsigned char)*s)) return false;
    memcpy(number, s, n);
    number[n] = '\0';
    *out = strtoll(number, NULL, 10);
    return true;
}

/* `default X`, or `X (default)`, where X may have its number behind it. */
static const char *compare_default(const AttrInfo *a, const char *s, const char *end) {
    int64_t want;
    for (const char *p = s; (p = find_word(p, end, "default")) != NULL; p += 7) {
        const char *w = p + 7;
        while (w < end && strchr(" `\"", *w) != NULL)
            w++;
        size_t n = name_length(w);
        bool read = w < end && read_default(a, w, n, &want);
        if (!read && p > s && p[-1] == '(') {
            w = p - 1;
            for (int k = 0; k < 2 && !read; k++) {
                while (w > s && !is_name_char(w[-1]))
                    w--;
                const char *stop = w;
                while (w > s && is_name_char(w[-1]))
                    w--;
                read = read_default(a, w, (size_t)(stop - w), &want);
            }
        }
        if (read && want != a->dflt) return differs("default", w, name_length(w));
        if (read) return NULL;
    }
    return NULL;
}

static const char *compare_attr(const AttrInfo *a, const char *s, const char *end) {
    if (a->type == AT_ENUM) {
        const char *what = compare_values(a, s, end);
        if (what != NULL) return what;
    }
    bool optional = find_word(s, end, "optional") != NULL;
    if (a->required && optional) return differs("not required", a->name, strlen(a->name));
    const char *open = item_end(s, end, "(");
    const char *required = find_word(s, open, "required");
    if (required != NULL && strncasecmp(required, "required by", 11) != 0 && !a->required)
        return differs("required", a->name, strlen(a->name));
    return compare_default(a, s, end);
}

/* ---- the line ---- */

/* Words with which an item is no attribute. */
static const char *const asides[] = {"no default", "real files", "parsed",  "selects", "trailing",
                                     "a trailing", "absent",     "printed", "with an", "format 2"};

/* Where the part about the attribute that begins at s ends: at the next one. */
static const char *part_end(const Inst *inst, const char *s, const char *end) {
    while (s < end) {
        const char *stop = item_end(s, end, ";|\n");
        const char *p = stop;
        while (p < end && strchr(";| \n", *p) != NULL)
            p++;
        if (p >= end || !is_any_value(inst, p, name_length(p))) return stop;
        s = p;
    }
    return end;
}

/* The names that an item begins with. */
static const char *compare_item(const Inst *inst, const char *s, const char *end, bool *about) {
    const char *stop = part_end(inst, s, end);
    bool first = true;
    for (;;) {
        size_t n = name_length(s);
        if (n == 0 || isdigit((unsigned char)*s) || is_any_value(inst, s, n)) return NULL;
        int i = inst_attr_named(inst, s, n);
        if (i < 0 && !first && strncmp(s, "optional", 8) == 0) return NULL;
        if (i < 0) return differs("attribute without a row", s, n);
        about[i] = true;
        const char *what = compare_attr(&inst->attrs[i], s + n, stop);
        if (what != NULL) return what;
        first = false;
        s += n;
        if (*s == '/') {
            s++;
            continue;
        }
        const char *behind = s + strspn(s, " ");
        if (*behind == '(') s = item_end(behind + 1, end, ")") + 1;
        if (strncmp(s, " and ", 5) == 0) {
            s += 5;
            continue;
        }
        if (s[0] != ',') return NULL;
        s += 1 + strspn(s + 1, " ");
    }
}

static const char *compare_text(const Facts *b, const char *text, const char *without,
                                bool *about) {
    const char *end = text + strlen(text);
    for (const char *s = text; s < end;) {
        const char *stop = item_end(s, end, ";|\n");
        const char *item = s + strspn(s, " \n;|");
        size_t n = name_length(item);
        bool prose = false;
        for (unsigned i = 0; i < sizeof asides / sizeof asides[0]; i++)
            prose |= strncmp(item, asides[i], strlen(asides[i])) == 0;
        if (item < stop && !prose && (without == NULL || strncmp(item, without, n) != 0)) {
            const char *what = compare_item(b->inst, item, end, about);
            if (what != NULL) return what;
        }
        for (const char *p = s; p + 1 < stop; p++)
            if (p[0] == '.' && p[1] == ' ') stop = item_end(p, end, "\n"); /* remarks */
        s = stop + (stop < end);
    }
    return NULL;
}

const char *compare_attrs(const Facts *b) {
    const char *own = b->line[KEY_ATTRS], *text = line_text(b, KEY_ATTRS);
    bool about[64] = {false};
    if (text == NULL) return NULL;
    const char *without = own != text ? strstr(own, "without ") : NULL;
    if (strncmp(text, "none", 4) != 0) {
        const char *what = compare_text(b, text, without != NULL ? without + 8 : NULL, about);
        if (what != NULL) return what;
    }
    for (int i = 0; i < b->inst->nattrs; i++) {
        const AttrInfo *a = &b->inst->attrs[i];
        if (!about[i] && !b->alias)
            return differs("attribute only in the row", a->name, strlen(a->name));
        if (about[i] && a->synonym != NULL &&
            find_word(text, text + strlen(text), a->synonym) == NULL)
            return differs("synonym only in the row", a->synonym, strlen(a->synonym));
    }
    return NULL;
}
