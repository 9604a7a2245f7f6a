/* SPDX-License-Identifier: Apache-2.0 */
/* The binder: turns statements, slices of tokens that the grammar accepts, into operations. The
 * grammar calls these functions in text order. A slice is tokens[first .. last]. */
#ifndef PARSER_BIND_H
#define PARSER_BIND_H

#include "lexer/lexer.h"
#include "parser/parse.h"

typedef struct Binder Binder;

/* The binder reads the lexer's TokenBuf (lexer.h). The parser driver (parse.c) owns it, and may
 * drop tokens before the statement that is being bound (it moves `base`). */

/* The lexer drops loc(...) except as the value of an attribute or alias, where it is one ATTR
 * token. */
Binder *binder_new(Context *ctx, TokenBuf *buf, const FunctionHook *hook);

/* Binds a statement without a region: results, name, clauses. */
void bind_statement(Binder *b, uint32_t first, uint32_t last);
/* Binds a statement up to the opening brace (token `open`) of a region. Its operation becomes the
 * current owner, and the following statements go into the region. first == open: the statement
 * before the brace could not be read (see bind_skipped); its region is read but not kept. */
void bind_region_open(Binder *b, uint32_t first, uint32_t open);
/* Binds a closing brace; `close` is its token, or the EOF token when the brace is missing. */
void bind_region_close(Binder *b, uint32_t close);
/* Binds further clauses and possibly another region of the statement whose region just closed:
 * `else`, `do`, `case 0`, an attribute dictionary, loc(...), `: type` of the generic form. `open`
 * is the token of another region's brace, or 0. A region opened here must be closed by
 * bind_region_close. */
void bind_region_more(Binder *b, uint32_t first, uint32_t last, uint32_t open);
/* Completes a statement with regions. */
void bind_region_done(Binder *b);
/* Binds `^name(args):`. */
void bind_label(Binder *b, uint32_t first, uint32_t last);
/* Binds `#name = attribute` or `!name = type`. */
void bind_alias(Binder *b, uint32_t first, uint32_t last);
/* Bind `.arg %x : type` and `.const %x = literal : type`. */
void bind_arg(Binder *b, uint32_t first, uint32_t last);
void bind_const(Binder *b, uint32_t first, uint32_t last);
/* Defines the results, the RESULT tokens in tokens[first .. last], of a statement that the grammar
 * skipped after an error, so that their uses are not reported too. */
void bind_skipped(Binder *b, uint32_t first, uint32_t last);
/* Ends the input: resolves what is pending and returns the module. */
Module *bind_finish(Binder *b);

/* Adds the instruction that an unknown name may mean: one of another language, or the nearest. */
DIAG_COLD void suggest_instruction(Context *ctx, Diag *d, const Token *name);

/* ---- shared by the binder's files and the type and attribute readers ---- */

/* Reads a type from a TYPE token or a builtin word; NULL after a diagnostic (once per distinct
 * text). */
const Type *read_type_token(Context *ctx, const Token *tok);
/* Returns `!pto.NAME` when a type of the dialect has this name, else NULL. */
const char *dialect_type(Context *ctx, const char *name, size_t n);
/* Reads an attribute from tokens[*pos ..] and advances *pos; NULL after a diagnostic. */
const Attr *read_attr(Binder *b, uint32_t *pos, uint32_t end);
/* Reads a number literal at tokens[*pos ..] as `type` (NULL: i64 or f64). Unlike read_attr it does
 * not read a `:` after it, which begins the signature of the statement. */
const Attr *read_plain_number(Binder *b, uint32_t *pos, uint32_t end, const Type *type);
/* Converts the text of an ATTR token (`#pto.layout<nd>`, `array<i32: 1>`, alias ...). */
const Attr *read_attr_token(Context *ctx, const Token *tok);

#endif
