/* SPDX-License-Identifier: Apache-2.0 */
/* The syntax of statements with clauses, made of their format (ir/inst.h). Clauses that give one
 * attribute different values exclude each other. */
#include "explain/facts.h"

#include <string.h>

bool inst_has_clauses(const Inst *inst) {
    return inst->format != NULL &&
           (strstr(inst->format, "(, ") != NULL || strstr(inst->format, "(+ ") != NULL);
}

static bool is(const char *s, size_t n, const char *word) {
    return strlen(word) == n && memcmp(s, word, n) == 0;
}

/* No blank before , ) ] and after ( [; a bracket follows a word directly. */
static void put_piece(StrBuf *out, const char *piece, const char *s, size_t n) {
    const char last = out->data[out->len - 1];
    const bool glued = strchr(",)]", piece[0]) != NULL || (piece[0] == '(' && last != ':');
    if (!glued && last != '(' && last != '[' && last != ' ') sb_putc(out, ' ');
    sb_puts(out, piece);
    sb_add(out, s, n);
}

static void put_word(StrBuf *out, const char *s, size_t n) {
    const char *value = s[0] == '#' ? memchr(s, '=', n) : NULL;
    if (is(s, n, "{}") || is(s, n, ";")) return;
    if (is(s, n, "(,"))
        put_piece(out, "[, ", "", 0);
    else if (is(s, n, "(+") || is(s, n, "(?"))
        put_piece(out, "[", "", 0);
    else if (is(s, n, "(:"))
        put_piece(out, "or [", "", 0);
    else if (is(s, n, ")?") || is(s, n, "):"))
        put_piece(out, "]", "", 0);
    else if (value != NULL)
        put_piece(out, "", value + 1, n - (size_t)(value + 1 - s));
    else if (s[0] == '$' && n > 1)
        put_piece(out, "%", s + 1, n - 1);
    else if (s[0] == '%' && n > 1)
        put_piece(out, "!", s + 1, n - 1);
    else if (s[0] == '#' && n > 1) {
        put_piece(out, "<", s + 1, n - 1);
        sb_putc(out, '>');
    } else {
        char first[2] = {s[0], '\0'};
        put_piece(out, first, s + 1, n - 1);
    }
}

/* Returns the attribute of which a clause gives the value, as `#x=w`; -1: none. */
static int valued_attr(const Inst *inst, const char *clause) {
    for (const char *s = clause + 2; *s != '\0';) {
        s += strspn(s, " ");
        const size_t n = strcspn(s, " ");
        const char *value = s[0] == '#' ? memchr(s, '=', n) : NULL;
        if (value != NULL) return inst_attr_named(inst, s + 1, (size_t)(value - s) - 1);
        if (is(s, n, ")?") || (s[0] == '(' && n > 1)) return -1;
        s += n;
    }
    return -1;
}

static bool is_clause(const char *s, size_t n) {
    return is(s, n, "(,") || is(s, n, "(+");
}

/* Returns the end of an optional part, after its bracket. */
static const char *end_of_part(const char *s) {
    for (int depth = 0; *s != '\0';) {
        const size_t n = strcspn(s, " ");
        if (n == 2 && s[0] == '(') depth++;
        if (n == 2 && s[0] == ')' && --depth == 0) return s + n;
        s += n;
        s += strspn(s, " ");
    }
    return s;
}

/* True for a clause after which one follows that excludes it. */
static bool excludes_next(const Inst *inst, const char *clause) {
    const char *next = end_of_part(clause);
    next += strspn(next, " ");
    const int attr = valued_attr(inst, clause);
    return attr >= 0 && is_clause(next, strcspn(next, " ")) && valued_attr(inst, next) == attr;
}

const char *clause_syntax(const Inst *inst, Arena *arena) {
    StrBuf out;
    const char *clause = NULL, *end = NULL; /* the one that is written */
    bool follows = false;                   /* it follows one that it excludes */
    sb_init(&out, arena);
    sb_puts(&out, inst->name);
    for (const char *s = inst->format; *s != '\0';) {
        const size_t n = strcspn(s, " ");
        if (is_clause(s, n)) {
            follows = clause != NULL && excludes_next(inst, clause);
            clause = s;
            end = end_of_part(s);
        }
        if (s == clause && follows)
            put_piece(&out, "or ", "", 0);
        else if (n > 0 && !(s + n == end && excludes_next(inst, clause)))
            put_word(&out, s, n);
        s += n;
        s += strspn(s, " ");
    }
    return sb_text(&out);
}

/* ---- all clauses ---- */

/* Gives an attribute the value of this text. */
static void set_word(Example *e, int attr, const char *s, size_t n) {
    const EnumInfo *info = &enum_infos[e->inst->attrs[attr].family];
    e->attrs[attr].present = true;
    for (unsigned v = 0; v < info->nvalues; v++)
        if (is(s, n, info->values[v].text)) e->attrs[attr].value = v;
}

/* Makes the operands of a clause present, with its attributes; or absent. */
static void take_clause(Example *e, const char *s, const char *end, bool taken) {
    for (; s < end; s += strspn(s, " ")) {
        const size_t n = strcspn(s, " ");
        const char *value = s[0] == '#' ? memchr(s, '=', n) : NULL;
        const size_t name = value != NULL ? (size_t)(value - s) - 1 : n - (n > 0);
        const int slot = s[0] == '$' && n > 1 ? inst_slot_named(e->inst, s + 1, name) : -1;
        const int attr = s[0] == '#' && n > 1 ? inst_attr_named(e->inst, s + 1, name) : -1;
        if (slot >= 0) e->operands[slot].count = taken;
        if (attr >= 0 && attr < EXAMPLE_MAX_ATTRS && taken) {
            e->attrs[attr].present = true;
            if (value != NULL) set_word(e, attr, value + 1, n - name - 2);
        }
        s += n;
    }
}

void clauses_take_all(Example *e) {
    bool valued[EXAMPLE_MAX_ATTRS] = {false};
    for (const char *s = e->inst->format, *end; *s != '\0'; s = end) {
        const size_t n = strcspn(s, " ");
        end = is_clause(s, n) ? end_of_part(s) : s + n;
        const char *slot = is_clause(s, n) ? memchr(s, '$', (size_t)(end - s)) : NULL;
        const int attr = slot != NULL ? valued_attr(e->inst, s) : -1;
        const bool excluded = attr >= 0 && attr < EXAMPLE_MAX_ATTRS && valued[attr];
        if (slot != NULL) take_clause(e, s, end, !excluded);
        if (attr >= 0 && attr < EXAMPLE_MAX_ATTRS) valued[attr] = true;
        end += strspn(end, " ");
    }
}
