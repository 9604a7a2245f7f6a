/* SPDX-License-Identifier: Apache-2.0 */
/* Finds written types: lists in brackets, separated by commas, after a colon or an arrow. */
#include "parser/type_places.h"

#include <ctype.h>
#include <string.h>

typedef struct Scan {
    const char *text;
    uint32_t at, end;
} Scan;

/* Returns the end of the `<..>`, `(..)`, `[..]` or `{..}` at `at`; `end` when it is not closed. */
static uint32_t after_brackets(const Scan *s, uint32_t at) {
    unsigned depth = 0;
    for (; at < s->end; at++) {
        char c = s->text[at];
        if (c == '-' && at + 1 < s->end && s->text[at + 1] == '>') {
            at++;
            continue;
        }
        depth += strchr("<([{", c) != NULL && c != '\0';
        if (c != '\0' && strchr(">)]}", c) != NULL && --depth == 0) return at + 1;
    }
    return s->end;
}

static uint32_t after_string(const Scan *s, uint32_t at) {
    for (at++; at < s->end && s->text[at] != '"'; at++)
        at += s->text[at] == '\\';
    return at < s->end ? at + 1 : s->end;
}

static uint32_t after_comment(const Scan *s, uint32_t at) {
    const char *line = memchr(s->text + at, '\n', s->end - at);
    return line != NULL ? (uint32_t)(line - s->text) : s->end;
}

static bool starts(const Scan *s, const char *word) {
    size_t n = strlen(word);
    return s->end - s->at >= n && memcmp(s->text + s->at, word, n) == 0;
}

static void skip_blanks(Scan *s) {
    while (s->at < s->end)
        if (isspace((unsigned char)s->text[s->at]))
            s->at++;
        else if (starts(s, "//"))
            s->at = after_comment(s, s->at);
        else
            return;
}

/* Skips a part of the text that is neither a comma nor a closing bracket. */
static void skip_piece(Scan *s) {
    char c = s->text[s->at];
    if (c == '"')
        s->at = after_string(s, s->at);
    else if (starts(s, "//"))
        s->at = after_comment(s, s->at);
    else if (starts(s, "->"))
        s->at += 2;
    else if (c == '<' || c == '(' || c == '[' || c == '{')
        s->at = after_brackets(s, s->at);
    else
        s->at++;
}

/* Reads one type, which ends at a blank, a comma or a bracket of the enclosing list. */
static bool read_place(Scan *s, Span *place) {
    skip_blanks(s);
    uint32_t from = s->at;
    while (s->at < s->end && !isspace((unsigned char)s->text[s->at]) &&
           strchr(",)]}({", s->text[s->at]) == NULL && !starts(s, "->") && !starts(s, "//"))
        skip_piece(s);
    *place = (Span){from, s->at - from};
    return s->at > from;
}

/* Finds item `index` of a list of types, optionally in parentheses. */
static bool nth_type(Scan *s, unsigned index, Span *place) {
    skip_blanks(s);
    if (s->at < s->end && s->text[s->at] == '(') s->at++;
    while (read_place(s, place)) {
        if (index-- == 0) return true;
        skip_blanks(s);
        if (s->at == s->end || s->text[s->at] != ',') return false;
        s->at++;
    }
    return false;
}

/* Returns the type of a text; NULL when it has not been read before. */
static const Type *type_at(const Context *ctx, Span place) {
    const char *s = ctx->source->data + place.off;
    size_t n = place.len;
    const Type *t = type_from_word(ctx->types, s, n);
    if (t != NULL) return t;
    Atom text = intern_find(&ctx->names, s, n);
    if (text != 0 && text < ctx->ntype_by_atom && ctx->type_by_atom[text] != NULL)
        return ctx->type_by_atom[text];
    if (n < 2 || s[0] != '!') return NULL;
    Atom name = intern_find(&ctx->names, s + 1, n - 1);
    const AliasDef *alias = name != 0 ? alias_find(ctx, name, true) : NULL;
    return alias != NULL ? alias->type : NULL;
}

/* Is the text before a comma the end of a bare word, such as the predicate of arith.cmpi? */
static bool ends_word(const Scan *s) {
    uint32_t at = s->at;
    while (at > 0 && isalpha((unsigned char)s->text[at - 1]))
        at--;
    return at > 0 && at < s->at && isspace((unsigned char)s->text[at - 1]);
}

/* Moves to what follows `use` in its list; *index is the number of commas before it, but for those
 * after bare words. False when the statement ends first. */
static bool find_use(Scan *s, uint32_t use, unsigned *index) {
    enum { DEEPEST = 8 };
    unsigned commas[DEEPEST] = {0}, depth = 0;
    for (; s->at < use; s->at++) {
        char c = s->text[s->at];
        if (c == '"') {
            s->at = after_string(s, s->at) - 1;
        } else if (starts(s, "->")) {
            s->at++;
        } else if (strchr("<([{", c) != NULL && c != '\0') {
            if (++depth == DEEPEST) return false;
            commas[depth] = 0;
        } else if (strchr(">)]}", c) != NULL && c != '\0') {
            if (depth-- == 0) return false;
        } else if (c == ',') {
            commas[depth] += !ends_word(s);
        }
    }
    *index = commas[depth];
    return s->at == use;
}

/* Moves to after the colon before the types of the current list, inside or after its brackets. */
static bool find_colon(Scan *s) {
    for (bool left = false; s->at < s->end;) {
        char c = s->text[s->at];
        if (c == ':') {
            s->at++;
            return true;
        }
        if (c == ')' || c == ']' || c == '}') {
            if (left) return false;
            left = true;
            s->at++;
        } else {
            skip_piece(s);
        }
    }
    return false;
}

static Scan scan_of(const Context *ctx, const Op *op) {
    uint32_t from = op->name_span.off + op->name_span.len, to = op->span.off + op->span.len;
    return (Scan){ctx->source->data, from, to};
}

bool operand_type_place(const Context *ctx, const Op *op, const Operand *o, Span *place,
                        const Type **written) {
    Scan s = scan_of(ctx, op);
    unsigned index;
    if (o->span.off < s.at || !find_use(&s, o->span.off, &index)) return false;
    s.at += o->span.len;
    return find_colon(&s) && nth_type(&s, index, place) &&
           (*written = type_at(ctx, *place)) != NULL;
}

/* Moves after the last arrow of a statement, else after its last colon, outside of brackets. */
static bool find_result_types(Scan *s) {
    uint32_t arrow = 0, colon = 0;
    while (s->at < s->end) {
        if (starts(s, "->"))
            arrow = s->at + 2;
        else if (s->text[s->at] == ':')
            colon = s->at + 1;
        skip_piece(s);
    }
    s->at = arrow != 0 ? arrow : colon;
    return s->at != 0;
}

bool value_type_place(const Context *ctx, const Value *v, Span *place, const Type **written) {
    Scan s = {ctx->source->data, v->name_off, ctx->source->size};
    if (v->def == NULL) {
        s.at += (uint32_t)atom_len(&ctx->names, v->name) + 1;
        skip_blanks(&s);
        if (s.at == s.end || s.text[s.at++] != ':' || !read_place(&s, place)) return false;
    } else {
        s = scan_of(ctx, v->def);
        if (!find_result_types(&s) || !nth_type(&s, v->index, place)) return false;
    }
    return (*written = type_at(ctx, *place)) != NULL;
}
