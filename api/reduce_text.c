/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the text of a program smaller where that needs no module: lines, parameters, numbers. */
#include "api/reduce.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Tries the text without the bytes from `from` to `to`. */
static bool try_without(Reduction *r, size_t from, size_t to) {
    char *text = malloc(r->size - (to - from) + 1);
    if (text == NULL) {
        r->nomem = true;
        return false;
    }
    memcpy(text, r->text, from);
    memcpy(text + from, r->text + to, r->size - to + 1);
    return reduce_attempt(r, text, r->size - (to - from));
}

/* ---- lines ---- */

static size_t line_end(const Reduction *r, size_t at) {
    const char *end = memchr(r->text + at, '\n', r->size - at);
    return end != NULL ? (size_t)(end - r->text) + 1 : r->size;
}

static uint32_t count_lines(const Reduction *r) {
    uint32_t n = 0;
    for (size_t at = 0; at < r->size; at = line_end(r, at))
        n++;
    return n;
}

static size_t line_start(const Reduction *r, uint32_t line) {
    size_t at = 0;
    while (line-- > 0 && at < r->size)
        at = line_end(r, at);
    return at;
}

bool reduce_lines(Reduction *r, uint32_t most) {
    bool any = false;
    uint32_t n = count_lines(r);
    for (uint32_t length = n < most ? n : most; length > 0; length /= 2)
        for (uint32_t to = n; to > 0 && !r->nomem;) {
            const uint32_t from = to > length ? to - length : 0;
            if (try_without(r, line_start(r, from), line_start(r, to))) {
                any = true;
                n = count_lines(r);
            }
            to = from;
        }
    return any;
}

/* ---- parameters ---- */

/* Returns the end of a parameter: a comma, or the parenthesis that closes the list. */
static size_t parameter_end(const Reduction *r, size_t at) {
    unsigned depth = 0;
    for (; at < r->size; at++) {
        const char c = r->text[at];
        if (depth == 0 && (c == ',' || c == ')')) return at;
        if (strchr("([{<", c) != NULL && c != '\0') depth++;
        if (strchr(")]}", c) != NULL && c != '\0') depth--;
        if (c == '>' && at > 0 && r->text[at - 1] != '-') depth -= depth > 0;
    }
    return at;
}

/* Tries to drop the parameters of a list that begins after its parenthesis. */
static bool drop_parameters(Reduction *r, size_t first) {
    bool any = false;
    for (size_t at = first; at < r->size && r->text[at] != ')' && !r->nomem;) {
        const size_t end = parameter_end(r, at);
        if (end >= r->size) break;
        const bool last = r->text[end] == ')';
        const size_t from = last && at > first ? at - 1 : at;
        if (try_without(r, from, last ? end : end + 1)) {
            any = true;
            if (last) break;
        } else {
            at = last ? end : end + 1;
        }
    }
    return any;
}

bool reduce_parameters(Reduction *r) {
    static const char head[] = "func.func";
    bool any = false;
    for (size_t at = 0; at < r->size;) {
        const char *func = strstr(r->text + at, head);
        if (func == NULL) break;
        const char *list = strchr(func, '(');
        if (list == NULL) break;
        at = (size_t)(list - r->text) + 1;
        any |= drop_parameters(r, at);
    }
    return any;
}

/* ---- numbers ---- */

typedef struct Number {
    size_t from, to;
    uint64_t value;
} Number;

static bool is_name_char(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '$' || c == '-' || c == '%' ||
           c == '#' || c == '@' || c == '^';
}

/* True when the digits at `from` begin a number or an extent, and no name. */
static bool begins_number(const char *text, size_t from) {
    if (from == 0 || !is_name_char(text[from - 1])) return true;
    return text[from - 1] == 'x' && from > 1 &&
           (isdigit((unsigned char)text[from - 2]) || text[from - 2] == '?');
}

/* Finds the next number of at most nine digits at or after `at`. */
static bool next_number(const Reduction *r, size_t at, Number *out) {
    const char *s = r->text;
    for (; at < r->size; at++) {
        if (!isdigit((unsigned char)s[at]) || (at > 0 && isdigit((unsigned char)s[at - 1])))
            continue;
        size_t to = at;
        uint64_t value = 0;
        for (; isdigit((unsigned char)s[to]); to++)
            value = to - at < 10 ? value * 10 + (uint64_t)(s[to] - '0') : value;
        const bool extent = s[to] == 'x', name = is_name_char(s[to]) && !extent;
        if (to - at > 9 || name || !begins_number(s, at)) continue;
        *out = (Number){at, to, value};
        return true;
    }
    return false;
}

/* Returns the largest number below `below`; 0: none. */
static uint64_t largest_below(const Reduction *r, uint64_t below) {
    uint64_t largest = 0;
    Number n;
    for (size_t at = 0; next_number(r, at, &n); at = n.to)
        if (n.value < below && n.value > largest) largest = n.value;
    return largest;
}

/* Tries the text with `now` wherever `value` is written. */
static bool try_number(Reduction *r, uint64_t value, uint64_t now) {
    char digits[24];
    const size_t length = (size_t)snprintf(digits, sizeof digits, "%llu", (unsigned long long)now);
    char *text = malloc(r->size + 1), *out = text;
    size_t copied = 0;
    Number n;
    if (text == NULL) {
        r->nomem = true;
        return false;
    }
    for (size_t at = 0; next_number(r, at, &n); at = n.to) {
        if (n.value != value || n.to - n.from < length) continue;
        memcpy(out, r->text + copied, n.from - copied);
        out += n.from - copied;
        memcpy(out, digits, length);
        out += length;
        copied = n.to;
    }
    memcpy(out, r->text + copied, r->size - copied + 1);
    return reduce_attempt(r, text, (size_t)(out - text) + r->size - copied);
}

bool reduce_numbers(Reduction *r) {
    bool any = false;
    for (uint64_t value = UINT64_MAX; (value = largest_below(r, value)) > 1 && !r->nomem;) {
        const uint64_t smaller[] = {1, 8, 16, value / 2};
        for (int i = 0; i < 4; i++)
            if (smaller[i] < value && try_number(r, value, smaller[i])) {
                any = true;
                break;
            }
    }
    return any;
}
