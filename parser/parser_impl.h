/* SPDX-License-Identifier: Apache-2.0 */
/* State of the parser driver, and the actions of the grammar (parse.c, recover.c). */
#ifndef PARSER_PARSER_IMPL_H
#define PARSER_PARSER_IMPL_H

#include "parser/bind.h"
#include "parser/parse.h"

enum { PARSE_MAX_REGIONS = 256 };

/* The tokens of a statement after the first, by token_shape(). */
enum { SHAPE_TOKENS = 46, SHAPES = 4, SHAPE_SET_BITS = 6 };
typedef struct Shape {
    uint32_t n; /* tokens of the statement; 0: none */
    uint16_t tokens[SHAPE_TOKENS];
} Shape;
/* The latest shapes of the statements of some names. */
typedef struct ShapeSet {
    Shape shapes[SHAPES];
    unsigned oldest;
} ShapeSet;

typedef struct Parser {
    Context *ctx;
    Binder *binder;
    const FunctionHook *hook; /* may be NULL */
    Arena work; /* buffers and stacks, freed at the end of the parse or when memory runs out */
    jmp_buf oom;
    Lexer lexer;
    TokenBuf buf;
    uint32_t next; /* next token to deliver */
    uint32_t cur; /* last token delivered (possibly look-ahead), or the first one of a list that was
                     delivered as one symbol */
    uint32_t keep;  /* first token of the statement, or of its part that is not bound yet */
    uint32_t depth; /* open regions */
    uint32_t open_at[PARSE_MAX_REGIONS]; /* offsets of their braces */
    bool tail;                           /* a region of the current statement has just closed */
    bool orphan; /* the next REGION_OPEN follows a statement that could not be read */
    bool missing_reported;
    uint32_t unread;  /* number of syntax errors */
    ShapeSet *shapes; /* by a hash of the name */
} Parser;

static inline const Token *parser_token(const Parser *p, uint32_t number) {
    return &p->buf.tokens[number - p->buf.base];
}

/* Drops tokens that are no longer needed and reads more. */
void parser_refill(Parser *p);

/* Actions; `last` is the last token of the slice from `keep` on. */
void parser_statement(Parser *p, uint32_t last);
void parser_open(Parser *p);
void parser_close(Parser *p, bool written);
void parser_regions_done(Parser *p, uint32_t last);
void parser_label(Parser *p, uint32_t last);
void parser_alias(Parser *p, uint32_t last);
void parser_arg(Parser *p, uint32_t last);
void parser_const(Parser *p, uint32_t last);

/* Errors and recovery. */
void parser_syntax_error(Parser *p);
void parser_stack_full(Parser *p);
void parser_missing_brace(Parser *p);
/* Skips the rest of a statement that could not be read. */
void parser_broken(Parser *p);
/* The same after a region of a statement; the statement is then complete. */
void parser_tail_broken(Parser *p);

#endif
