/* SPDX-License-Identifier: Apache-2.0 */
/* What pointers and memrefs refer to. The text of a memref type is kept as it is. */
#include "verifier/rules/buffers.h"

#include <string.h>

/* Returns the text after `memref<`; NULL: another type. */
static const char *memref_text(const Context *ctx, const Type *t) {
    static const char start[] = "memref<";
    if (t->kind != TY_OPAQUE) return NULL;
    const char *s = atom_text(&ctx->names, t->text);
    return strncmp(s, start, sizeof start - 1) == 0 ? s + sizeof start - 1 : NULL;
}

Space buffer_space(const Context *ctx, const Type *t) {
    static const char key[] = "#pto.address_space<";
    if (t->kind == TY_PTR) return (Space)t->space;
    const char *s = memref_text(ctx, t);
    if (s == NULL) return SPACE_COUNT;
    s = strstr(s, key);
    if (s == NULL) return SPACE_ZERO;
    s += sizeof key - 1;
    return space_from_text(s, strcspn(s, ">"), false);
}

/* Skips `4x?x`. */
static const char *after_dims(const char *s) {
    for (;;) {
        const size_t n = strspn(s, "0123456789?");
        if (n == 0 || s[n] != 'x') return s;
        s += n + 1;
    }
}

Elem buffer_elem(const Context *ctx, const Type *t) {
    const char *s = memref_text(ctx, t);
    if (s == NULL) return elem_infos[t->elem].bytes > 0 ? (Elem)t->elem : ELEM_NONE;
    s = after_dims(s);
    const size_t n = strcspn(s, ",>");
    for (int e = 0; e < ELEM_COUNT; e++)
        if (strlen(elem_infos[e].text) == n && memcmp(elem_infos[e].text, s, n) == 0)
            return elem_infos[e].bytes > 0 ? (Elem)e : ELEM_NONE;
    return ELEM_NONE;
}

bool buffer_is_int4(const Type *t) {
    const Type *e = t->kind == TY_PTR ? t->elem_type : t;
    return e != NULL && e->elem == ELEM_ODD_INT && e->width == 4 && e->sign != 'U';
}
