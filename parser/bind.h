/* The binder: statements (token slices that the grammar has found well-formed) -> operations.
 * The grammar calls these in text order. A slice is tokens[first .. last]. */
#ifndef PARSER_BIND_H
#define PARSER_BIND_H

#include "lexer/lexer.h"
#include "parser/parse.h"

typedef struct Binder Binder;

/* What the binder reads is the lexer's TokenBuf (lexer.h), owned by the parser driver (parse.c),
 * which may drop tokens below the statement that is being bound (it moves `base`). */

/* Locations never reach the binder: the lexer drops loc(...) except as the value of an attribute or
 * alias, where it is one ATTR token. */
Binder *binder_new(Context *ctx, TokenBuf *buf, const FunctionHook *hook);

/* A statement without a region: results, name, clauses. */
void bind_statement(Binder *b, uint32_t first, uint32_t last);
/* A statement up to an opening brace (token `open`) of a region. Its operation becomes the current
 * owner and the following statements go into the new region. first == open: the statement in front
 * of the brace could not be read (it went to bind_skipped); its region is read, not kept. */
void bind_region_open(Binder *b, uint32_t first, uint32_t open);
/* The closing brace; `close` is its token, or the EOF token when the brace is missing. */
void bind_region_close(Binder *b, uint32_t close);
/* More clauses and possibly another region of the statement whose region just closed: `else`,
 * `do`, `case 0`, an attribute dictionary, loc(...), `: type` of the generic form. `open` is the
 * token of another region's brace, or 0 when there is none. A REGION_OPEN bound here must be
 * closed by bind_region_close again. */
void bind_region_more(Binder *b, uint32_t first, uint32_t last, uint32_t open);
/* The statement with regions is complete. */
void bind_region_done(Binder *b);
/* `^name(args):` */
void bind_label(Binder *b, uint32_t first, uint32_t last);
/* `#name = attribute`, `!name = type` */
void bind_alias(Binder *b, uint32_t first, uint32_t last);
/* `.arg %x : type` and `.const %x = literal : type` */
void bind_arg(Binder *b, uint32_t first, uint32_t last);
void bind_const(Binder *b, uint32_t first, uint32_t last);
/* A statement that the grammar could not read was skipped (already reported): its results, the
 * RESULT tokens in tokens[first .. last], count as defined so that their uses give no second
 * error. */
void bind_skipped(Binder *b, uint32_t first, uint32_t last);
/* End of input: resolves what is pending and returns the module. */
Module *bind_finish(Binder *b);

/* ---- shared by the binder's files and the type and attribute readers ---- */

/* A type from a TYPE token or a builtin word; NULL after a diagnostic (once per distinct text). */
const Type *read_type_token(Context *ctx, const Token *tok);
/* An attribute from tokens[*pos ..]; advances *pos past it; NULL after a diagnostic. */
const Attr *read_attr(Binder *b, uint32_t *pos, uint32_t end);
/* A number literal at tokens[*pos ..], judged as `type` (NULL: i64 or f64). Unlike read_attr it
 * leaves a `:` after it alone: that belongs to the signature of the statement. */
const Attr *read_plain_number(Binder *b, uint32_t *pos, uint32_t end, const Type *type);
/* The text of an ATTR token (`#pto.layout<nd>`, `array<i32: 1>`, alias ...) -> attribute. */
const Attr *read_attr_token(Context *ctx, const Token *tok);
/* Integer literal text (decimal or 0x..., no sign) -> magnitude; false when beyond 64 bits. */
bool read_int_text(const char *s, size_t n, uint64_t *out);

#endif
