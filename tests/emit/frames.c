/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the bound of the stack that each function of a program needs with its callees:
 * `@name bytes`. usage: frames PROFILE FILE */
#include "backends/lower/lower.h"
#include "parser/parse.h"
#include "support/source.h"
#include "tests/common/checkrun.h"
#include "verifier/verify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int profile_of(const char *name) {
    for (int p = 0; p < PROFILE_COUNT; p++)
        if (strcmp(profile_names[p], name) == 0) return p;
    return -1;
}

static bool print_bounds(Context *ctx, Profile profile) {
    const VerifyOptions opt = {.profiles = PROFILE_BIT(profile)};
    Module *m = parse_module(ctx);
    if (!m->bound_ok || !verify_module(m, &opt) || !passes_to_dps(m, profile)) return false;
    const Lower *l = lower_module(m, profile, &ctx->arena, &ctx->diags);
    for (unsigned i = 0; i < l->nfuncs; i++) {
        const LowerFunc *f = &l->funcs[i];
        if (f->data->has_body && f->data->name != 0)
            printf("%.*s %lld\n", (int)atom_len(&ctx->names, f->data->name),
                   atom_text(&ctx->names, f->data->name), (long long)f->stack);
    }
    return true;
}

int main(int argc, char **argv) {
    int profile = argc == 3 ? profile_of(argv[1]) : -1;
    size_t size;
    char *text = profile >= 0 ? read_whole_file(argv[2], &size) : NULL;
    Context *ctx = calloc(1, sizeof *ctx);
    if (text == NULL || ctx == NULL) return 2;
    const Source source = {.name = argv[2], .data = text, .size = (uint32_t)size};
    if (setjmp(ctx->oom) != 0) return 2;
    context_init(ctx, &source, 0);
    bool legal = print_bounds(ctx, (Profile)profile);
    context_free(ctx);
    free(ctx);
    free(text);
    return legal ? 0 : 1;
}
