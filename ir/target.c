/* SPDX-License-Identifier: Apache-2.0 */
/* What modules say about their chip. */
#include "ir/target.h"

static const Attr *string_attr(const Op *op, AttrName name) {
    const NamedAttr *a = op_attr_named(op, name);
    return a != NULL && a->value->kind == ATTR_STRING ? a->value : NULL;
}

/* Stores the profile that an operation names; an architecture counts more than a device, and an
 * unknown one is PROFILE_DEFAULT. Returns false when it names none. */
static bool named_by(const Context *ctx, const Op *op, Profile *out) {
    const Attr *arch = string_attr(op, ATTR_pto_target_arch);
    const Attr *device = arch == NULL ? string_attr(op, ATTR_pto_device_spec) : NULL;
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

/* Returns the module inside an implicit one that has nothing else, or NULL. */
static const Op *inner_module(const Module *m) {
    const Region *r = m->root->nregions > 0 ? &op_regions(m->root)[0] : NULL;
    const Op *first = r != NULL && r->first != NULL ? r->first->first : NULL;
    return first != NULL && first->next == NULL && op_is(first, INST_MODULE) ? first : NULL;
}

Profile module_profile(const Module *m) {
    Profile p = PROFILE_DEFAULT;
    if (named_by(m->ctx, m->root, &p)) return p;
    const Op *inner = inner_module(m);
    if (inner != NULL) (void)named_by(m->ctx, inner, &p);
    return p;
}

const char *module_unknown_chip(const Module *m, size_t *n) {
    Profile p;
    const Attr *arch = string_attr(m->root, ATTR_pto_target_arch);
    const Op *inner = inner_module(m);
    if (arch == NULL && inner != NULL) arch = string_attr(inner, ATTR_pto_target_arch);
    if (arch == NULL) return NULL;
    const char *s = atom_text(&m->ctx->names, arch->text);
    *n = atom_len(&m->ctx->names, arch->text);
    return profile_from_text(s, *n, &p) ? NULL : s;
}

Profile target_chip(const Context *ctx, const Op *op, Profile profile) {
    if (profile_infos[profile].chip) return profile;
    for (; op != NULL; op = op->block != NULL ? region_owner(op->block) : NULL)
        if (named_by(ctx, op, &profile)) break;
    return profile_infos[profile].chip ? profile : PROFILE_DEFAULT;
}
