/* What modules say about their chip. */
#include "ir/target.h"

static const Attr *string_attr(const Context *ctx, const Op *op, const char *name) {
    const NamedAttr *a = op_attr_named(ctx, op, name);
    return a != NULL && a->value->kind == ATTR_STRING ? a->value : NULL;
}

/* Stores the profile that an operation names; an architecture counts more than a device, and an
 * unknown one is PROFILE_DEFAULT. Returns false when it names none. */
static bool named_by(const Context *ctx, const Op *op, Profile *out) {
    const Attr *arch = string_attr(ctx, op, "pto.target_arch");
    const Attr *device = arch == NULL ? string_attr(ctx, op, "pto.device-spec") : NULL;
    const Attr *text = arch != NULL ? arch : device;
    if (text == NULL) return false;
    const char *s = atom_text(&ctx->names, text->text);
    size_t n = atom_len(&ctx->names, text->text);
    *out = PROFILE_DEFAULT;
    if (arch != NULL)
        (void)profile_from_text(s, n, out);
    else
        *out = profile_of_device(s, n);
    return true;
}

Profile module_profile(const Module *m) {
    Profile p = PROFILE_DEFAULT;
    if (named_by(m->ctx, m->root, &p)) return p;
    /* an implicit module around a single one */
    const Region *r = m->root->nregions > 0 ? &op_regions(m->root)[0] : NULL;
    const Op *first = r != NULL && r->first != NULL ? r->first->first : NULL;
    if (first != NULL && first->next == NULL && op_is(first, INST_MODULE))
        (void)named_by(m->ctx, first, &p);
    return p;
}

Profile target_chip(const Context *ctx, const Op *op, Profile profile) {
    if (profile_infos[profile].chip) return profile;
    for (; op != NULL; op = op->block != NULL ? region_owner(op->block) : NULL)
        if (named_by(ctx, op, &profile)) break;
    return profile_infos[profile].chip ? profile : PROFILE_DEFAULT;
}
