/* SPDX-License-Identifier: Apache-2.0 */
/* --portability=json: one JSON object per line and function. docs/machine-output.md describes it,
 * docs/portability.schema.json defines it. */
#include "cli/portability.h"
#include "cli/report_values.h"
#include "ir/profile.h"

#include <stdlib.h>

static json_t *name_list(uint32_t set) {
    json_t *list = json_array();
    for (unsigned p = 0; p < PROFILE_COUNT; p++)
        if ((set & PROFILE_BIT(p)) != 0) json_add(list, json_string(profile_names[p]));
    return list;
}

/* Makes {profile: id} of the profiles that refuse a row. */
static json_t *refusals(const TableFunction *f, size_t row, const ptoasm_verdict *v) {
    json_t *object = json_object();
    for (unsigned p = 0; p < PROFILE_COUNT; p++) {
        uint32_t bit = PROFILE_BIT(p);
        if ((v->judged & ~v->accepted & f->profiles & bit) == 0) continue;
        const char *id = ptoasm_verdict_id(f->res, row, bit);
        json_put(object, profile_names[p], id != NULL ? json_string(id) : json_null());
    }
    return object;
}

static void put_judgement(json_t *o, const TableFunction *f, size_t row, const ptoasm_verdict *v) {
    json_put(o, "accepted", name_list(v->accepted & v->judged & f->profiles));
    json_put(o, "rejected", refusals(f, row, v));
}

static json_t *text_or_null(const char *s) {
    return *s != '\0' ? json_text(s) : json_null();
}

static json_t *instructions(const TableFunction *f) {
    json_t *list = json_array();
    for (size_t i = 1; i <= table_instructions(f); i++) {
        ptoasm_verdict v;
        ptoasm_verdict_at(f->res, f->first + i, &v);
        json_t *o = json_object();
        json_put(o, "line", json_integer(v.line));
        json_put(o, "instruction", text_or_null(v.instruction));
        put_judgement(o, f, f->first + i, &v);
        json_add(list, o);
    }
    return list;
}

static json_t *memory(const TableFunction *f) {
    ptoasm_verdict v;
    if (!table_memory(f, &v) || (v.judged & f->profiles) == 0) return json_null();
    json_t *o = json_object();
    put_judgement(o, f, f->first + f->n - 1, &v);
    return o;
}

static void put_function(FILE *to, const TableFunction *f) {
    json_t *o = json_object();
    json_put(o, "file", json_text(f->file));
    json_put(o, "line", json_integer(f->head.line));
    json_put(o, "function", text_or_null(f->head.function));
    json_put(o, "profiles", name_list(f->profiles));
    json_put(o, "accepted", name_list(f->head.accepted & f->profiles));
    json_put(o, "rejected", name_list(f->profiles & ~f->head.accepted));
    json_put(o, "instructions", instructions(f));
    json_put(o, "memory", memory(f));
    json_put(o, "no_sync", json_boolean(f->no_sync));
    json_put(o, "complete", json_boolean(f->complete));
    char *text = json_dumps(o, JSON_COMPACT);
    if (text == NULL) out_of_memory();
    fprintf(to, "%s\n", text);
    free(text);
    json_decref(o);
}

static void begin(FILE *to, uint32_t profiles) {
    (void)to;
    (void)profiles;
    json_prepare();
}

const TableFormat table_json = {"json", begin, put_function, NULL};
