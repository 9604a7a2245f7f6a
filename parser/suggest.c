/* SPDX-License-Identifier: Apache-2.0 */
/* Suggestions for names of instructions that do not exist. */
#include "ir/foreign.h"
#include "parser/bind.h"
#include "support/near.h"

#include <string.h>

/* True when the name, without its module, is another spelling of that of the instruction, which
 * may be given without its dialect, with or without the `t` of tile instructions: `PTO.TLoad`,
 * `tl.exp`. */
static bool is_spelling(const char *s, size_t n, const char *inst) {
    const char *dot = strchr(inst, '.'), *own = dot != NULL ? dot + 1 : inst, *end = s + n;
    const size_t length = strlen(own);
    for (const char *part = s; part != NULL;) {
        const size_t left = (size_t)(end - part);
        if (same_spelling(part, left, own, length) ||
            (*own == 't' && same_spelling(part, left, own + 1, length - 1)))
            return true;
        part = memchr(part, '.', left);
        if (part != NULL) part++;
    }
    return false;
}

/* Returns the instruction of which the name is a spelling, or NULL. */
static const char *spelt_otherwise(const char *s, size_t n) {
    for (int id = 1; id < INST_COUNT; id++)
        if (is_spelling(s, n, inst_table[id].name)) return inst_table[id].name;
    return NULL;
}

void suggest_instruction(Context *ctx, Diag *d, const Token *name) {
    if (ctx->diags.stopped) return; /* beyond the limit of errors notes are not printed */
    const char *text = atom_text(&ctx->names, name->atom);
    const size_t len = atom_len(&ctx->names, name->atom);
    const Span at = {name->off, name->len};
    const Composed composed = composed_find(text, len);
    if (composed.name != NULL) {
        diag_note(&ctx->diags, d, "no instruction computes it: compose %s with %s",
                  composed.formula, composed.insts);
        if (composed.sample != NULL)
            diag_note(&ctx->diags, d, "samples/%s is an example", composed.sample);
        return;
    }
    const Foreign foreign = foreign_find(text, len);
    const char *same = foreign.name != NULL ? NULL : spelt_otherwise(text, len);
    const char *meant = foreign.name != NULL ? foreign.inst
                        : same != NULL       ? same
                                             : inst_nearest(text, len);
    if (meant == NULL) return;
    diag_did_you_mean(&ctx->diags, d, at, meant, is_spelling(text, len, meant));
    d->inst = (uint16_t)inst_id(inst_find(meant, strlen(meant)));
    if (foreign.also != NULL) diag_note(&ctx->diags, d, "or %s", foreign.also);
}
