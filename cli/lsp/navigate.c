/* SPDX-License-Identifier: Apache-2.0 */
/* Definition, references and highlights of the name under the cursor. */
#include "cli/lsp/lsp.h"

#include <stdlib.h>

static json_t *location(const Server *s, Document *d, const ptoasm_place *at) {
    return packed("{s:s, s:o}", "uri", d->uri, "range",
                  json_place(s, d, at->offset, (size_t)at->offset + at->length));
}

json_t *answer_definition(Server *s, const json_t *params, Failure *f) {
    Document *d;
    size_t offset;
    ptoasm_symbol symbol;
    if (!request_place(s, params, f, &d, &offset)) return NULL;
    if (!ptoasm_program_symbol(document_program(d), (uint32_t)offset, &symbol) ||
        symbol.definition.line == 0)
        return json_null();
    return location(s, d, &symbol.definition);
}

json_t *answer_references(Server *s, const json_t *params, Failure *f) {
    Document *d;
    size_t offset, n;
    ptoasm_symbol symbol;
    if (!request_place(s, params, f, &d, &offset)) return NULL;
    const json_t *context = json_object_get(params, "context");
    bool declared = json_is_true(json_object_get(context, "includeDeclaration"));
    ptoasm_place *uses = document_places(d, ptoasm_program_uses, offset, &n);
    json_t *list = json_array();
    ptoasm_program_symbol(document_program(d), (uint32_t)offset, &symbol);
    for (size_t i = 0; i < n; i++)
        if (declared || symbol.definition.line == 0 || uses[i].offset != symbol.definition.offset)
            json_add(list, location(s, d, &uses[i]));
    free(uses);
    return list;
}

json_t *answer_highlight(Server *s, const json_t *params, Failure *f) {
    Document *d;
    size_t offset, n;
    if (!request_place(s, params, f, &d, &offset)) return NULL;
    ptoasm_place *uses = document_places(d, ptoasm_program_uses, offset, &n);
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++)
        json_add(list,
                 packed("{s:o}", "range",
                        json_place(s, d, uses[i].offset, (size_t)uses[i].offset + uses[i].length)));
    free(uses);
    return list;
}
