/* SPDX-License-Identifier: Apache-2.0 */
/* `ptoasm explain NAME` for the name of an attribute, or of an enumeration of its values. */
#include "cli/report_values.h"
#include "cli/topics.h"
#include "explain/facts.h"

#include <stdlib.h>
#include <string.h>

typedef struct Uses {
    const Inst **insts;     /* in the order of the table */
    const AttrInfo **attrs; /* of each */
    unsigned n;
} Uses;

static bool has_name(const AttrInfo *a, const char *name) {
    return strcmp(a->name, name) == 0 || (a->synonym != NULL && strcmp(a->synonym, name) == 0);
}

static bool has_family(const AttrInfo *a, unsigned family) {
    if (a->type != AT_ENUM && a->type != AT_WORD) return false;
    bool found = a->family == family;
    for (const uint8_t *also = a->also; also != NULL && *also != EF_NONE; also++)
        found |= *also == family;
    return found;
}

/* Lists the instructions with an attribute of this name, or with values of a family if `name` is
 * NULL. */
static Uses find_uses(Arena *arena, const char *name, unsigned family) {
    unsigned most = 0;
    for (int i = 1; i < INST_COUNT; i++)
        most += inst_table[i].nattrs;
    Uses u = {ARENA_ARRAY(arena, const Inst *, most), ARENA_ARRAY(arena, const AttrInfo *, most),
              0};
    for (int i = 1; i < INST_COUNT; i++)
        for (int k = 0; k < inst_table[i].nattrs; k++) {
            const AttrInfo *a = &inst_table[i].attrs[k];
            if (name != NULL ? !has_name(a, name) : !has_family(a, family)) continue;
            u.insts[u.n] = &inst_table[i];
            u.attrs[u.n++] = a;
        }
    return u;
}

static EnumFamily family_of(const char *name) {
    for (int f = 0; f < EF_COUNT; f++)
        if (strcmp(enum_infos[f].name, name) == 0) return (EnumFamily)f;
    return EF_NONE;
}

bool attribute_known(const char *name, Arena *arena) {
    return family_of(name) != EF_NONE || find_uses(arena, name, 0).n > 0;
}

static bool same_text(const char *a, const char *b) {
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

/* True when two instructions have the same attribute, so that one entry describes it. */
static bool is_alike(Arena *arena, const Uses *u, unsigned i, unsigned k) {
    const AttrInfo *a = u->attrs[i], *b = u->attrs[k];
    return a->required == b->required && same_text(a->name, b->name) && a->doc == b->doc &&
           same_text(attr_written_text(arena, u->insts[i], a),
                     attr_written_text(arena, u->insts[k], b)) &&
           same_text(attr_default_text(arena, a), attr_default_text(arena, b));
}

/* True when an earlier use describes this one. */
static bool is_repeated(Arena *arena, const Uses *u, unsigned i) {
    for (unsigned k = 0; k < i; k++)
        if (is_alike(arena, u, k, i)) return true;
    return false;
}

/* ---- text ---- */

static void put_insts(StrBuf *out, const Uses *u, unsigned from,
                      bool (*with)(Arena *, const Uses *, unsigned, unsigned), Arena *arena) {
    unsigned n = 0;
    for (unsigned k = from; k < u->n; k++)
        if (with(arena, u, from, k)) sb_printf(out, "%s%s", n++ > 0 ? ", " : "", u->insts[k]->name);
}

static void put_use(StrBuf *out, const Uses *u, unsigned i, Arena *arena) {
    const AttrInfo *a = u->attrs[i];
    const char *dflt = attr_default_text(arena, a);
    sb_puts(out, "\n  of ");
    put_insts(out, u, i, is_alike, arena);
    sb_printf(out, "\n    values   %s\n", attr_written_text(arena, u->insts[i], a));
    if (a->required)
        sb_puts(out, "    required\n");
    else if (dflt != NULL)
        sb_printf(out, "    default  %s\n", dflt);
    if (a->synonym != NULL) sb_printf(out, "    also     %s\n", a->synonym);
    if (a->doc != 0) sb_printf(out, "    note     %s\n", inst_doc(a->doc));
}

static bool has_one_name(Arena *arena, const Uses *u, unsigned i, unsigned k) {
    (void)arena;
    return strcmp(u->attrs[i]->name, u->attrs[k]->name) == 0;
}

static bool is_listed(const Uses *u, unsigned i) {
    for (unsigned k = 0; k < i; k++)
        if (has_one_name(NULL, u, k, i)) return true;
    return false;
}

static void put_family(StrBuf *out, EnumFamily family, Arena *arena) {
    const Uses u = find_uses(arena, NULL, family);
    sb_printf(out, "%s: values of attributes, written %s\n\n  values  ", enum_infos[family].name,
              enum_written_text(arena, family));
    for (unsigned i = 0; i < enum_infos[family].nvalues; i++)
        sb_printf(out, "%s%s", i > 0 ? ", " : "", enum_infos[family].values[i].text);
    sb_putc(out, '\n');
    for (unsigned i = 0; i < u.n; i++) {
        if (is_listed(&u, i)) continue;
        sb_printf(out, "\n  %s of ", u.attrs[i]->name);
        put_insts(out, &u, i, has_one_name, arena);
        sb_putc(out, '\n');
    }
}

void attribute_print(StrBuf *out, const char *name, Arena *arena) {
    const Uses u = find_uses(arena, name, 0);
    const EnumFamily family = family_of(name);
    if (u.n > 0) sb_printf(out, "%s: an attribute\n", name);
    for (unsigned i = 0; i < u.n; i++)
        if (!is_repeated(arena, &u, i)) put_use(out, &u, i, arena);
    if (family == EF_NONE) return;
    if (u.n > 0) sb_putc(out, '\n');
    put_family(out, family, arena);
}

/* ---- JSON ---- */

static json_t *string_or_null(const char *s) {
    return s != NULL ? json_string(s) : json_null();
}

static json_t *inst_names(const Uses *u, unsigned from,
                          bool (*with)(Arena *, const Uses *, unsigned, unsigned), Arena *arena) {
    json_t *list = json_array();
    for (unsigned k = from; k < u->n; k++)
        if (with(arena, u, from, k)) json_add(list, json_string(u->insts[k]->name));
    return list;
}

static json_t *use_array(const Uses *u, Arena *arena) {
    json_t *list = json_array();
    for (unsigned i = 0; i < u->n; i++) {
        if (is_repeated(arena, u, i)) continue;
        const AttrInfo *a = u->attrs[i];
        json_t *o = json_object();
        json_put(o, "instructions", inst_names(u, i, is_alike, arena));
        json_put(o, "name", json_string(a->name));
        json_put(o, "synonym", string_or_null(a->synonym));
        json_put(o, "values", json_string(attr_type_text(arena, a)));
        json_put(o, "written", json_string(attr_written_text(arena, u->insts[i], a)));
        json_put(o, "required", json_boolean(a->required));
        json_put(o, "default", string_or_null(attr_default_text(arena, a)));
        json_put(o, "doc", string_or_null(inst_doc(a->doc)));
        json_add(list, o);
    }
    return list;
}

static json_t *family_object(EnumFamily family, Arena *arena) {
    const Uses u = find_uses(arena, NULL, family);
    json_t *o = json_object(), *values = json_array(), *attrs = json_array();
    for (unsigned i = 0; i < enum_infos[family].nvalues; i++)
        json_add(values, json_string(enum_infos[family].values[i].text));
    for (unsigned i = 0; i < u.n; i++) {
        if (is_listed(&u, i)) continue;
        json_t *attr = json_object();
        json_put(attr, "name", json_string(u.attrs[i]->name));
        json_put(attr, "instructions", inst_names(&u, i, has_one_name, arena));
        json_add(attrs, attr);
    }
    json_put(o, "written", json_string(enum_written_text(arena, family)));
    json_put(o, "values", values);
    json_put(o, "attributes", attrs);
    return o;
}

void json_attribute(StrBuf *out, const char *name, Arena *arena) {
    const Uses u = find_uses(arena, name, 0);
    const EnumFamily family = family_of(name);
    json_t *o = json_object();
    json_put(o, "attribute", json_string(name));
    json_put(o, "uses", use_array(&u, arena));
    json_put(o, "enumeration", family != EF_NONE ? family_object(family, arena) : json_null());
    char *text = json_dumps(o, JSON_INDENT(2));
    json_decref(o);
    if (text == NULL) out_of_memory();
    sb_puts(out, text);
    sb_putc(out, '\n');
    free(text);
}
