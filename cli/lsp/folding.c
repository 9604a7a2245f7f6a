/* SPDX-License-Identifier: Apache-2.0 */
/* Folding ranges: regions and dictionaries over several lines, and comments that follow each
 * other. */
#include "cli/lsp/lexed.h"

static size_t line_at(const Listing *f, size_t offset) {
    return text_position(&f->d->text, offset, f->s->utf8).line;
}

/* Adds a range of whole lines. */
static void add(const Listing *f, size_t from, size_t to, const char *kind) {
    if (to <= from) return;
    json_t *o = packed("{s:I, s:I}", "startLine", (json_int_t)from, "endLine", (json_int_t)to);
    if (kind != NULL) json_put(o, "kind", json_string(kind));
    json_add(f->list, o);
}

/* Adds what braces enclose. The line of the closing one stays visible. */
static void add_braces(const Listing *f, const Lexed *l) {
    uint32_t *open = must_alloc((l->buf.count + 1) * sizeof *open), n = 0;
    for (uint32_t i = 0; i < l->buf.count; i++) {
        const Token *t = &l->buf.tokens[i];
        if (t->kind == TOK_REGION_OPEN || t->kind == TOK_DICT_OPEN)
            open[n++] = t->off;
        else if (t->kind == TOK_RBRACE && n > 0) {
            const size_t from = line_at(f, open[--n]), end = line_at(f, t->off);
            if (end > from) add(f, from, end - 1, NULL);
        }
    }
    free(open);
}

/* Adds runs of lines that are comments alone. */
static void add_comments(const Listing *f, const Lexed *l) {
    size_t first = 0, last = 0;
    bool any = false;
    for (uint32_t i = 0; i < l->buf.ntrivia; i++) {
        if (l->buf.trivia[i].kind != TRIVIA_COMMENT) continue;
        const size_t line = line_at(f, l->buf.trivia[i].text.off);
        if (any && line != last + 1) {
            add(f, first, last, "comment");
            any = false;
        }
        if (!any) first = line;
        any = true;
        last = line;
    }
    if (any) add(f, first, last, "comment");
}

json_t *answer_folding(Server *s, const json_t *params, Failure *f) {
    Listing folds;
    if (!listing_begin(&folds, s, params, f)) return NULL;
    Lexed *l = lexed_make(folds.d);
    add_braces(&folds, l);
    add_comments(&folds, l);
    lexed_free(l);
    return folds.list;
}
