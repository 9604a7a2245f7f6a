/* What the files of `ptoasm explain` share: pages and JSON of the facts. */
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
/* What one needs to write a statement: without properties, rules and the example. */
void page_inst_use(const Page *p, const Inst *inst, Arena *arena);
void page_diag(const Page *p, DiagId id, Arena *arena);
/* Of the page of an id, what does not depend on the instructions. */
void page_diag_help(const Page *p, DiagId id, Arena *arena);
void page_family(const Page *p, Family family, Arena *arena);
void page_index(const Page *p, Arena *arena);
void page_diags(const Page *p, Arena *arena);
void page_list(StrBuf *out, Arena *arena);
bool family_is_empty(Family family);
/* Breaks lines between words; every line starts with `indent` blanks. */
void put_wrapped(StrBuf *out, const char *text, size_t indent);

/* ---- explain_json.c ---- */

/* Adds the JSON text with a line end. */
void json_list(StrBuf *out, Arena *arena);
void json_inst(StrBuf *out, const Inst *inst, Arena *arena);
void json_diag(StrBuf *out, DiagId id, Arena *arena);
void json_family(StrBuf *out, Family family);
struct Topic;
void json_topic(StrBuf *out, const struct Topic *topic, Arena *arena);

/* ---- explain_search.c ---- */

/* Lists the topics, instructions and ids whose texts have all the words. Returns how many. */
unsigned search_all(StrBuf *out, const char *const *words, int n, Arena *arena);

#endif
