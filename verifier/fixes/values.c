/* SPDX-License-Identifier: Apache-2.0 */
/* Offers corrections of attribute values: the nearest value that makes the statement legal. */
#include "support/near.h"
#include "verifier/fixes/corrections.h"

#include <ctype.h>
#include <string.h>

bool value_place(const Context *ctx, const Attr *a, Span *place) {
    const char *text = ctx->source->data + a->span.off;
    uint32_t n = a->span.len, at = 0, end = 0;
    if (a->alias != 0 || n == 0) return false;
    if (a->kind == ATTR_ENUM) {
        const char *word = enum_infos[a->family].values[a->i].text;
        uint32_t len = (uint32_t)strlen(word);
        for (end = n; end >= len && memcmp(text + end - len, word, len) != 0;)
            end--;
        if (end < len) return false;
        at = end - len;
    } else {
        end = text[0] == '-';
        while (end < n && isalnum((unsigned char)text[end]))
            end++;
    }
    *place = (Span){a->span.off + at, end - at};
    return end > at;
}

static bool try_value(Case *c, NamedAttr *named, Span place, int64_t i, Diag *d) {
    const Attr *was = named->value;
    Attr other = *was;
    other.i = i;
    other.text = 0;
    named->value = &other;
    bool legal = i != was->i && case_is_legal(c);
    named->value = was;
    if (!legal) return false;
    if (was->kind == ATTR_ENUM)
        diag_edit(&c->judge->ctx->diags, d, place, "%s", enum_infos[was->family].values[i].text);
    else
        diag_edit(&c->judge->ctx->diags, d, place, "%lld", (long long)i);
    d->guess = true;
    return true;
}

/* Tries the words of the enumeration, those spelt most like the written one first. */
static bool try_words(Case *c, NamedAttr *named, Span place, Diag *d) {
    const EnumInfo *e = &enum_infos[named->value->family];
    const char *written = e->values[named->value->i].text;
    enum { FARTHEST = 8 };
    for (unsigned far = 1; far <= FARTHEST + 1; far++)
        for (unsigned i = 0; i < e->nvalues; i++) {
            const char *word = e->values[i].text;
            if (edit_distance(written, strlen(written), word, strlen(word), FARTHEST) == far &&
                try_value(c, named, place, i, d))
                return true;
        }
    return false;
}

/* Tries the same number with the type that the instruction wants. */
static bool try_type(Case *c, NamedAttr *named, const Attr *was, Span place, Diag *d) {
    const Type *i32 = type_scalar(c->judge->ctx->types, ELEM_I32);
    Attr other = *was;
    if (was->type == i32 || was->i < INT32_MIN || was->i > INT32_MAX) return false;
    other.type = i32;
    named->value = &other;
    bool legal = case_is_legal(c);
    named->value = was;
    if (!legal) return false;
    uint32_t end = was->span.off + was->span.len;
    diag_edit(&c->judge->ctx->diags, d, (Span){place.off + place.len, end - place.off - place.len},
              " : i32");
    return true;
}

bool offer_value(Case *c, const Rule *r, Diag *d) {
    NamedAttr *named = NULL;
    const NamedAttr *found = rule_attr(c, r);
    Span place;
    for (unsigned i = 0; i < c->op->nattrs && found != NULL; i++)
        if (&c->op->attrs[i] == found) named = &c->op->attrs[i];
    if (named == NULL || !value_place(c->judge->ctx, named->value, &place)) return false;
    if (named->value->kind == ATTR_ENUM) return try_words(c, named, place, d);
    if (named->value->kind != ATTR_INT) return false;
    if (r->row->cond == C_ATTR_KIND) return try_type(c, named, named->value, place, d);
    const RowArgs *args = row_args(r->row);
    int64_t near = named->value->i < args->lo ? args->lo : args->hi;
    int64_t far = near == args->lo ? args->hi : args->lo;
    return try_value(c, named, place, near, d) || try_value(c, named, place, far, d);
}
