/* Suggestions for names of instructions that do not exist. */
#include "ir/foreign.h"
#include "parser/bind.h"

#include <string.h>

void suggest_instruction(Context *ctx, Diag *d, const Token *name) {
    if (ctx->diags.stopped) return; /* beyond the limit of errors notes are not printed */
    const char *text = atom_text(&ctx->names, name->atom);
    const size_t len = atom_len(&ctx->names, name->atom);
    const Span at = {name->off, name->len};
    const Foreign *foreign = foreign_find(text, len);
    if (foreign != NULL && foreign->inst == NULL) {
        diag_note(&ctx->diags, d, "no single instruction computes it; compose it: %s",
                  foreign->also);
        return;
    }
    const char *meant = foreign != NULL ? foreign->inst : inst_nearest(text, len);
    if (meant == NULL) return;
    diag_did_you_mean(&ctx->diags, d, at, meant);
    d->inst = (uint16_t)inst_id(inst_find(meant, strlen(meant)));
    if (foreign != NULL && foreign->also != NULL) diag_note(&ctx->diags, d, "or %s", foreign->also);
}
