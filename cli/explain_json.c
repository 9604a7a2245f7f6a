/* SPDX-License-Identifier: Apache-2.0 */
/* `ptoasm explain --format=json`; docs/machine-output.md describes the format. */
#include "cli/report_values.h"
#include "cli/topics.h"

#include "api/ptoasm.h"
#include "backends/c/emit.h"
#include "backends/lower/kernel_table.h"
#include "verifier/rules/keep_apart.h"
#include <jansson.h>
#include <stdlib.h>

/* Makes a string, or null. */
static json_t *text_or_null(const char *s) {
    return s != NULL ? json_string(s) : json_null();
}

static void put(json_t *object, const char *key, json_t *value) {
    json_put(object, key, value);
}

/* Prints and takes the value. */
static void print(StrBuf *out, json_t *value) {
    char *text = json_dumps(value, JSON_INDENT(2));
    json_decref(value);
    if (text == NULL) out_of_memory();
    sb_puts(out, text);
    sb_putc(out, '\n');
    free(text);
}

static json_t *profile_array(ProfileSet set) {
    json_t *a = json_array();
    for (int p = 0; p < PROFILE_COUNT; p++)
        if ((set & PROFILE_BIT(p)) != 0) json_add(a, json_string(profile_names[p]));
    return a;
}

/* ---- lists ---- */

static json_t *inst_entry(const Inst *inst) {
    json_t *o = json_object();
    put(o, "name", json_string(inst->name));
    put(o, "family", json_string(family_infos[inst->family].name));
    put(o, "summary", text_or_null(inst_doc(inst->summary)));
    put(o, "alias_of",
        inst->alias_of != INST_INVALID ? json_string(inst_meant(inst)->name) : json_null());
    put(o, "deprecated", json_boolean((inst->flags & IF_DEPRECATED) != 0));
    put(o, "emitted", json_boolean(emit_lowers(inst)));
    return o;
}

static json_t *diag_entry(DiagId id) {
    json_t *o = json_object();
    put(o, "id", json_string(diag_infos[id].text));
    put(o, "severity", json_string(severity_text(id)));
    put(o, "summary", json_string(diag_summary(id)));
    return o;
}

static json_t *inst_array(int family) {
    json_t *a = json_array();
    for (int i = 1; i < INST_COUNT; i++)
        if (family < 0 || inst_table[i].family == family) json_add(a, inst_entry(&inst_table[i]));
    return a;
}

static json_t *name_array(const Topic *t, Arena *arena) {
    json_t *names = json_array();
    const char *name;
    for (unsigned i = 0; (name = topic_name(t, i, arena)) != NULL; i++)
        json_add(names, json_string(name));
    return names;
}

static json_t *topic_entry(const Topic *t, Arena *arena) {
    json_t *o = json_object();
    put(o, "topic", json_string(topic_name(t, 0, arena)));
    put(o, "names", name_array(t, arena));
    put(o, "title", json_string(topic_title(t, arena)));
    return o;
}

void json_topic(StrBuf *out, const Topic *topic, Arena *arena) {
    json_t *o = topic_entry(topic, arena);
    put(o, "page", json_string(arena_printf(arena, "docs/%s", topic_pages[topic->page])));
    put(o, "text", json_string(topic_markdown(topic, arena)));
    print(out, o);
}

void json_list(StrBuf *out, Arena *arena) {
    json_t *o = json_object(), *diags = json_array(), *list = json_array();
    for (unsigned i = 0; i < topic_count; i++)
        json_add(list, topic_entry(&topics[i], arena));
    for (int i = 0; i < DIAG_COUNT; i++)
        json_add(diags, diag_entry((DiagId)i));
    put(o, "version", json_string(ptoasm_version()));
    put(o, "instructions", inst_array(-1));
    put(o, "diagnostics", diags);
    put(o, "topics", list);
    print(out, o);
}

void json_family(StrBuf *out, Family family) {
    json_t *o = json_object();
    put(o, "family", json_string(family_infos[family].name));
    put(o, "summary", json_string(family_infos[family].summary));
    put(o, "instructions", inst_array((int)family));
    print(out, o);
}

/* ---- an instruction ---- */

static json_t *operand_array(const InstFacts *f) {
    json_t *a = json_array();
    for (int i = 0; i < f->inst->nslots; i++) {
        const SlotInfo *s = &f->inst->slots[i];
        json_t *o = json_object();
        put(o, "name", json_string(s->name));
        put(o, "role", json_string(role_text(s)));
        put(o, "arity", json_string(arity_text(s) != NULL ? arity_text(s) : "one"));
        put(o, "kinds", json_string(slot_types[s->kind].text));
        put(o, "clause", text_or_null(s->rare->clause));
        put(o, "elements", text_or_null(touched_text(f, s)));
        put(o, "doc", text_or_null(inst_doc(s->doc)));
        json_add(a, o);
    }
    return a;
}

static json_t *result_array(const InstFacts *f) {
    json_t *a = json_array();
    for (int i = 0; i < f->inst->nresults; i++) {
        json_t *o = json_object();
        put(o, "name", json_string(f->inst->results[i].name));
        put(o, "kinds", json_string(slot_types[f->inst->results[i].kind].text));
        put(o, "optional", json_boolean((f->inst->flags & IF_OPT_RESULT) != 0));
        json_add(a, o);
    }
    return a;
}

static json_t *attr_array(const InstFacts *f) {
    json_t *list = json_array();
    for (int i = 0; i < f->inst->nattrs; i++) {
        const AttrInfo *a = &f->inst->attrs[i];
        json_t *o = json_object();
        put(o, "name", json_string(a->name));
        put(o, "synonym", text_or_null(a->synonym));
        put(o, "values", json_string(attr_type_text(f->arena, a)));
        put(o, "written", json_string(attr_written_text(f->arena, f->inst, a)));
        put(o, "required", json_boolean(a->required));
        put(o, "default", text_or_null(attr_default_text(f->arena, a)));
        put(o, "doc", text_or_null(inst_doc(a->doc)));
        json_add(list, o);
    }
    return list;
}

static json_t *by_profile(const Inst *inst, const char *(*text)(const Inst *, Profile)) {
    json_t *o = json_object();
    for (int p = 0; p < PROFILE_COUNT; p++)
        put(o, profile_names[p], text_or_null(text(inst, (Profile)p)));
    return o;
}

static json_t *overlap_array(const Inst *inst) {
    json_t *a = json_array();
    Apart pairs[MOST_APART];
    unsigned n = inst_apart(inst, pairs);
    for (unsigned i = 0; i < n; i++) {
        json_t *o = json_object();
        put(o, "a", json_string(inst->slots[pairs[i].a].name));
        put(o, "b", json_string(inst->slots[pairs[i].b].name));
        put(o, "profiles", profile_array(pairs[i].profiles));
        json_add(a, o);
    }
    return a;
}

static json_t *syntax_object(const InstFacts *f) {
    OpForm forms[4];
    unsigned n = inst_forms(f->inst, forms);
    json_t *o = json_object();
    for (unsigned i = 0; i < n; i++)
        put(o, form_text(forms[i]), text_or_null(syntax_text(f, forms[i], false)));
    return o;
}

static json_t *rule_array(const InstFacts *f) {
    unsigned n;
    const RuleFact *rules = rule_facts(f, &n);
    json_t *a = json_array();
    for (unsigned i = 0; i < n; i++) {
        json_t *o = json_object();
        put(o, "about", json_string(topic_names[rules[i].topic]));
        put(o, "profiles", profile_array(rules[i].where));
        put(o, "demand", json_string(rules[i].text));
        put(o, "mode", text_or_null(rule_mode_text((RuleWhen)rules[i].row->when)));
        put(o, "id", json_string(diag_infos[rules[i].row->id].text));
        put(o, "mend", json_string(row_fix(rules[i].row)));
        json_add(a, o);
    }
    return a;
}

/* Lists the element types that operands must have for code to be emitted. */
static json_t *demand_array(const InstFacts *f) {
    json_t *a = json_array();
    const KernelCond *d;
    const KernelRow *row = kernel_first(f->inst);
    for (unsigned k = 0; row != NULL && (d = kernel_type_demand(row, k)) != NULL; k++) {
        json_t *o = json_object();
        const bool same = d->test == KTEST_SAME_TYPE;
        put(o, "operand", json_string(f->inst->slots[d->x].name));
        put(o, "element_type", text_or_null(same ? NULL : demand_text(f->arena, d)));
        put(o, "same_as", text_or_null(same ? f->inst->slots[d->other].name : NULL));
        put(o, "alternative", json_boolean(d->alternative));
        json_add(a, o);
    }
    return a;
}

static json_t *code_object(const InstFacts *f) {
    const CodeFact fact = code_fact(f);
    if (fact.operand == NULL) return json_null();
    json_t *o = json_object();
    put(o, "operand", json_string(fact.operand));
    put(o, "has", json_string(elems_text(f->arena, fact.has)));
    put(o, "lacks", fact.lacks != 0 ? json_string(elems_text(f->arena, fact.lacks)) : json_null());
    put(o, "demands", demand_array(f));
    return o;
}

static json_t *type_array(const InstFacts *f) {
    unsigned n;
    const TypeFact *types = type_facts(f, &n);
    json_t *a = json_array();
    for (unsigned i = 0; i < n; i++) {
        json_t *o = json_object();
        put(o, "operand", json_string(types[i].operand));
        put(o, "profiles", profile_array(types[i].where));
        put(o, "element_types", json_string(elems_text(f->arena, types[i].elems)));
        put(o, "locations", json_string(spaces_text(f->arena, types[i].spaces)));
        put(o, "layouts", json_string(layouts_text(f->arena, types[i].layouts)));
        put(o, "conditional", json_boolean(types[i].guarded));
        json_add(a, o);
    }
    return a;
}

static json_t *example_object(const InstFacts *f) {
    if (!f->has_example) return json_null();
    json_t *o = json_object();
    put(o, "profile", json_string(profile_names[f->example.profile]));
    put(o, "text", json_string(example_text(f)));
    return o;
}

static json_t *device_calls(const InstFacts *f) {
    json_t *o = json_object();
    for (int p = 0; p < PROFILE_COUNT; p++)
        if (profile_infos[p].chip)
            put(o, profile_names[p], text_or_null(device_call(f, (Profile)p)));
    return o;
}

static json_t *phase_array(const InstFacts *f) {
    json_t *list = json_array();
    for (unsigned i = 0; i < f->inst->rare->nforms; i++) {
        json_t *o = json_object();
        put(o, "when", json_string(phases_case_text(f->arena, &f->inst->rare->phases[i])));
        put(o, "text", json_string(phases_text(f, &f->inst->rare->phases[i])));
        json_array_append_new(list, o);
    }
    return list;
}

void json_inst(StrBuf *out, const Inst *inst, Arena *arena) {
    InstFacts f;
    inst_facts(&f, inst, arena);
    json_t *o = json_object();
    put(o, "name", json_string(inst->name));
    put(o, "alias_of",
        inst->alias_of != INST_INVALID ? json_string(inst_meant(inst)->name) : json_null());
    put(o, "family", json_string(family_infos[f.inst->family].name));
    put(o, "summary", text_or_null(inst_doc(f.inst->summary)));
    put(o, "formula", text_or_null(inst_doc(f.inst->formula)));
    put(o, "deprecated", json_boolean((inst->flags & IF_DEPRECATED) != 0));
    put(o, "replacement", text_or_null(inst->rare->replacement));
    put(o, "in_ptoas", json_boolean((f.inst->flags & IF_NOT_PTOAS) == 0));
    put(o, "profiles", profile_array(f.profiles));
    put(o, "syntax", syntax_object(&f));
    put(o, "operands", operand_array(&f));
    put(o, "results", result_array(&f));
    put(o, "attributes", attr_array(&f));
    put(o, "pipe", by_profile(f.inst, pipe_text));
    put(o, "phases", phase_array(&f));
    put(o, "core", text_or_null(core_text(f.inst)));
    put(o, "planned_tmp", by_profile(f.inst, tmp_text));
    put(o, "no_overlap", overlap_array(f.inst));
    put(o, "in_place",
        text_or_null(f.inst->in_place != 0 ? f.inst->slots[f.inst->in_place - 1].name : NULL));
    put(o, "device_call", device_calls(&f));
    put(o, "device_scratch", json_integer(f.inst->library_scratch));
    put(o, "emitted", json_boolean(emit_lowers(f.inst)));
    put(o, "code", code_object(&f));
    put(o, "no_effect", text_or_null(f.inst->rare->idle));
    put(o, "not_emitted_because", text_or_null(f.inst->rare->unwritable));
    put(o, "tiles", type_array(&f));
    put(o, "rules", rule_array(&f));
    put(o, "example", example_object(&f));
    print(out, o);
}

/* ---- a diagnostic ---- */

void json_diag(StrBuf *out, DiagId id, Arena *arena) {
    const DiagDoc d = diag_doc(id);
    unsigned n;
    const Inst **list = inst_reporting(id, arena, &n);
    json_t *o = diag_entry(id), *names = json_array();
    put(o, "meaning", json_string(d.meaning));
    put(o, "why", json_string(d.why));
    put(o, "fix", json_string(d.fix));
    put(o, "page", json_string(d.page));
    for (unsigned i = 0; i < n; i++)
        json_add(names, json_string(list[i]->name));
    put(o, "instructions", names);
    print(out, o);
}
