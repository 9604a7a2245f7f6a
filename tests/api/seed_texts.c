/* SPDX-License-Identifier: Apache-2.0 */
/* Single errors in the text of programs, made without reading them. */
#include "seeds.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static uint64_t state = 20250101;

uint32_t text_pick(uint32_t n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return n > 0 ? (uint32_t)(state >> 33) % n : 0;
}

typedef struct Place {
    char *s;
    size_t n;
} Place;

static bool is_name(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '.';
}

/* A random occurrence of a text that is not the start of a longer name. */
static bool find_text(char *text, const char *what, Place *out) {
    unsigned n = 0;
    for (char *s = text; (s = strstr(s, what)) != NULL; s++)
        if (!is_name(s[strlen(what)]) && text_pick(++n) == 0) *out = (Place){s, strlen(what)};
    return n > 0;
}

/* A random word that begins with `prefix`, outside comments. */
static bool find_word(char *text, const char *prefix, size_t least, Place *out) {
    unsigned n = 0;
    for (char *s = text; (s = strstr(s, prefix)) != NULL;) {
        char *e = s + strlen(prefix);
        while (is_name(*e))
            e++;
        size_t len = (size_t)(e - s);
        if (len >= strlen(prefix) + least && text_pick(++n) == 0) *out = (Place){s, len};
        s = e;
    }
    return n > 0;
}

static void replace(Place at, const char *with) {
    size_t n = strlen(with);
    memmove(at.s + n, at.s + at.n, strlen(at.s + at.n) + 1);
    memcpy(at.s, with, n);
}

/* Leaves out, doubles or swaps characters of the word, never the first `keep`. */
static void misspell(Place at, size_t keep) {
    size_t i = keep + text_pick((uint32_t)(at.n - keep - 1));
    char c = at.s[i];
    switch (text_pick(3)) {
    case 0:
        memmove(at.s + i, at.s + i + 1, strlen(at.s + i));
        break;
    case 1:
        memmove(at.s + i + 1, at.s + i, strlen(at.s + i) + 1);
        break;
    default:
        at.s[i] = at.s[i + 1];
        at.s[i + 1] = c;
    }
}

static bool bad_instruction(char *text) {
    Place at;
    if (!find_word(text, " pto.t", 3, &at)) return false;
    misspell(at, 6);
    return true;
}

static bool bad_value(char *text) {
    Place at;
    if (!find_word(text, "(%", 3, &at) && !find_word(text, ", %", 3, &at)) return false;
    misspell(at, 3);
    return true;
}

static bool foreign_type(char *text) {
    static const char *const words[][2] = {{"xf32", "xfloat32"}, {"xf16", "xhalf"},
                                           {"xi32", "xint32"},   {"xi8", "xint8_t"},
                                           {": f32", ": float"}, {"xi16", "xint16"}};
    unsigned first = text_pick(6);
    for (unsigned i = 0; i < 6; i++) {
        Place at;
        const char *const *w = words[(first + i) % 6];
        if (!find_text(text, w[0], &at)) continue;
        replace(at, w[1]);
        return true;
    }
    return false;
}

static bool bad_enum(char *text) {
    static const char *const words[] = {"row_major", "col_major", "#pto.kernel_kind<vector",
                                        "<vec",      "<mat",      "PIPE_MTE2"};
    unsigned first = text_pick(6);
    for (unsigned i = 0; i < 6; i++) {
        Place at;
        const char *w = words[(first + i) % 6];
        if (!find_text(text, w, &at)) continue;
        size_t keep = strchr(w, '<') != NULL ? (size_t)(strchr(w, '<') - w) + 2 : 2;
        if (keep + 1 >= at.n) keep = at.n - 2;
        misspell(at, keep);
        return true;
    }
    return false;
}

/* The types of an ins(..) group: one is lost, or all are written twice. */
static bool type_count(char *text) {
    Place at;
    if (!find_text(text, "ins(", &at)) return false;
    char *colon = strstr(at.s, " : "), *end = strstr(at.s, ") outs");
    if (colon == NULL || end == NULL || colon > end) return false;
    char *comma = strstr(colon, ">, ");
    if (text_pick(2) == 0 && comma != NULL && comma < end) {
        replace((Place){comma + 1, (size_t)(end - comma - 1)}, "");
        return true;
    }
    char copy[300];
    size_t n = (size_t)(end - colon - 3);
    if (n + 3 > sizeof copy) return false;
    snprintf(copy, sizeof copy, ", %.*s", (int)n, colon + 3);
    replace((Place){end, 0}, copy);
    return true;
}

/* The type of one use differs from that of the value. */
static bool other_type(char *text) {
    Place at;
    if (!find_text(text, "outs(", &at) && !find_text(text, "ins(", &at)) return false;
    char *line = strchr(at.s, '\n'), *x = strstr(at.s, "x");
    char *less = strstr(at.s, "_buf<");
    if (less == NULL || line == NULL || less > line) return false;
    for (x = less; x < line && !(isdigit((unsigned char)x[0]) && x[1] == 'x'); x++) {
    }
    if (x == line) return false;
    x[0] = x[0] == '8' ? '6' : '8';
    return true;
}

static bool lost_mark(char *text) {
    Place at;
    if (!find_text(text, "!pto.tile_buf", &at)) return false;
    replace(at, text_pick(2) == 0 ? "pto.tile_buf" : "!pto.tilebuf");
    return true;
}

static bool bad_key(char *text) {
    static const char *const words[] = {"blayout", "slayout", "valid", "fractal"};
    unsigned first = text_pick(4);
    for (unsigned i = 0; i < 4; i++) {
        Place at;
        if (!find_text(text, words[(first + i) % 4], &at)) continue;
        misspell(at, 2);
        return true;
    }
    return false;
}

/* The elements of one type change everywhere: rules break, not the text. */
static bool other_elements(char *text) {
    Place at;
    static const char *const others[] = {"i64", "f64", "ui8", "si8", "i1", "bf16"};
    if (!find_text(text, "xf32", &at)) return false;
    const char *other = others[text_pick(6)];
    replace((Place){at.s + 1, 3}, other);
    return true;
}

static bool lost_operand(char *text) {
    Place at;
    if (!find_text(text, "ins(", &at)) return false;
    char *comma = strstr(at.s, ", %"), *colon = strstr(at.s, " : ");
    if (comma == NULL || colon == NULL || comma > colon) return false;
    char *e = comma + 3;
    while (is_name(*e))
        e++;
    replace((Place){comma, (size_t)(e - comma)}, "");
    return true;
}

/* A random occurrence of a text, wherever it is but in comments. */
static bool find_any(char *text, const char *what, Place *out) {
    unsigned n = 0;
    for (char *s = text; (s = strstr(s, what)) != NULL; s++) {
        char *line = s;
        while (line > text && line[-1] != '\n')
            line--;
        char *comment = strstr(line, "//");
        if ((comment == NULL || comment > s) && text_pick(++n) == 0)
            *out = (Place){s, strlen(what)};
    }
    return n > 0;
}

static bool lost_bracket(char *text) {
    static const char *const brackets[] = {")", "]", "}", "("};
    Place at;
    if (!find_any(text, brackets[text_pick(4)], &at)) return false;
    replace(at, "");
    return true;
}

static bool lost_comma(char *text) {
    Place at;
    if (!find_any(text, ", %", &at)) return false;
    replace(at, " %");
    return true;
}

static bool large_valid(char *text) {
    Place at;
    if (!find_any(text, "valid=", &at) || !isdigit((unsigned char)at.s[at.n])) return false;
    replace((Place){at.s + at.n, 0}, "9");
    return true;
}

static bool bad_number(char *text) {
    Place at;
    char *close;
    if (!find_any(text, "{", &at) || (close = strchr(at.s, '}')) == NULL) return false;
    char *equal = strstr(at.s, " = ");
    if (equal == NULL || equal > close || !isdigit((unsigned char)equal[3])) return false;
    replace((Place){equal + 3, 0}, "98");
    return true;
}

/* A random `arith.constant` and its parts; false when there is none. */
static bool find_constant(char *text, Place *number, Place *type) {
    static const char name[] = "arith.constant ";
    Place at;
    if (!find_any(text, name, &at)) return false;
    *number = (Place){at.s + at.n, 0};
    while (number->s[number->n] == '-' || is_name(number->s[number->n]))
        number->n++;
    type->s = number->s + number->n;
    if (strncmp(type->s, " : ", 3) != 0) return false;
    type->s += 3;
    for (type->n = 0; is_name(type->s[type->n]);)
        type->n++;
    return number->n > 0 && type->n > 0;
}

/* An index is an integer, or the other way round. */
static bool index_or_integer(char *text) {
    Place number, type;
    if (!find_constant(text, &number, &type)) return false;
    bool is_index = strncmp(type.s, "index", type.n) == 0;
    if (!is_index && type.s[0] != 'i') return false;
    replace(type, !is_index ? "index" : text_pick(2) == 0 ? "i32" : "i64");
    return true;
}

/* A number and its type are of different kinds. */
static bool bad_constant(char *text) {
    Place number, type;
    if (!find_constant(text, &number, &type) || number.s[0] > '9') return false;
    bool is_float = memchr(number.s, '.', number.n) != NULL;
    if (text_pick(2) == 0)
        replace(type, is_float ? "i32" : "f32");
    else if (!is_float)
        replace((Place){number.s + number.n, 0}, ".0");
    else
        replace((Place){strchr(number.s, '.'), 2}, "");
    return true;
}

/* The instruction for the other kind of numbers. */
static bool other_instruction(char *text) {
    static const char *const pairs[][2] = {
        {"arith.addi", "arith.addf"},      {"arith.subi", "arith.subf"},
        {"arith.muli", "arith.mulf"},      {"arith.divsi", "arith.divf"},
        {"arith.divui", "arith.divf"},     {"arith.remsi", "arith.remf"},
        {"arith.maxsi", "arith.maximumf"}, {"arith.extsi", "arith.index_cast"},
        {"arith.sitofp", "arith.extf"},    {"arith.truncf", "arith.trunci"}};
    enum { PAIRS = sizeof pairs / sizeof pairs[0] };
    unsigned first = text_pick(PAIRS);
    for (unsigned i = 0; i < 2 * PAIRS; i++) {
        const char *const *pair = pairs[(first + i) % PAIRS];
        unsigned from = text_pick(2);
        Place at;
        if (!find_text(text, pair[from], &at)) continue;
        replace(at, pair[1 - from]);
        return true;
    }
    return false;
}

static bool bad_alias(char *text) {
    Place at = {text, 0};
    unsigned n = 0;
    for (char *s = text; (s = strchr(s, '!')) != NULL; s++) {
        size_t length = 1;
        while (is_name(s[length]))
            length++;
        bool alias = length > 2 && strncmp(s, "!pto.", 5) != 0;
        if (alias && text_pick(++n) == 0) at = (Place){s, length};
    }
    if (n == 0) return false;
    misspell(at, 1);
    return true;
}

const TextKind text_kinds[] = {{"name of an instruction", bad_instruction},
                               {"name of a value", bad_value},
                               {"type of another language", foreign_type},
                               {"word of an enumeration", bad_enum},
                               {"number of types", type_count},
                               {"type of a use", other_type},
                               {"mark or name of a type", lost_mark},
                               {"key of a type", bad_key},
                               {"elements of a type", other_elements},
                               {"operand left out", lost_operand},
                               {"bracket left out", lost_bracket},
                               {"comma left out", lost_comma},
                               {"valid region above the tile", large_valid},
                               {"number of an attribute", bad_number},
                               {"index or integer", index_or_integer},
                               {"kind of a constant", bad_constant},
                               {"instruction for other numbers", other_instruction},
                               {"name of an alias", bad_alias}};
const unsigned text_kind_count = sizeof text_kinds / sizeof text_kinds[0];
