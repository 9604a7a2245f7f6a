/* SPDX-License-Identifier: Apache-2.0 */
/* Shared declarations of `ptoasm explain`: pages and JSON. */
#ifndef CLI_EXPLAIN_H
#define CLI_EXPLAIN_H

#include "explain/facts.h"

/* ---- explain_text.c ---- */

/* A page: text for the terminal, or Markdown. */
typedef struct Page {
    StrBuf *out;
    bool markdown;
} Page;

void page_inst(const Page *p, const Inst *inst, Arena *arena);
/* Writes what is needed to use an instruction: without properties, rules and the example. */
void page_inst_use(const Page *p, const Inst *inst, Arena *arena);
void page_diag(const Page *p, DiagId id, Arena *arena);
/* Writes the part of an id's page that does not depend on instructions. */
void page_diag_help(const Page *p, DiagId id, Arena *arena);
void page_family(const Page *p, Family family, Arena *arena);
void page_index(const Page *p, Arena *arena);
void page_diags(const Page *p, Arena *arena);
void page_list(StrBuf *out, Arena *arena);
bool family_is_empty(Family family);
/* Breaks lines between words; every line starts with `indent` blanks. */
void put_wrapped(StrBuf *out, const char *text, size_t indent);

/* ---- explain_json.c ---- */

/* Append JSON text and a line end. */
void json_list(StrBuf *out, Arena *arena);
void json_inst(StrBuf *out, const Inst *inst, Arena *arena);
void json_diag(StrBuf *out, DiagId id, Arena *arena);
void json_family(StrBuf *out, Family family);
struct Topic;
void json_topic(StrBuf *out, const struct Topic *topic, Arena *arena);

/* ---- explain_attribute.c ---- */

/* True for the name of an attribute of some instruction, or of an enumeration. */
bool attribute_known(const char *name, Arena *arena);
void attribute_print(StrBuf *out, const char *name, Arena *arena);
void json_attribute(StrBuf *out, const char *name, Arena *arena);

/* ---- explain_search.c ---- */

/* Lists the topics, instructions and ids whose texts contain all words. Returns how many. */
unsigned search_all(StrBuf *out, const char *const *words, int n, Arena *arena);

#endif
