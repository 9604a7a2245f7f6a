/* SPDX-License-Identifier: Apache-2.0 */
/* The syntax of statements with clauses, made of their format (ir/inst.h). */
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

const char *clause_syntax(const Inst *inst, Arena *arena) {
    StrBuf out;
    sb_init(&out, arena);
    sb_puts(&out, inst->name);
    for (const char *s = inst->format; *s != '\0';) {
        const size_t n = strcspn(s, " ");
        if (n > 0) put_word(&out, s, n);
        s += n;
        s += strspn(s, " ");
    }
    return sb_text(&out);
}
