/* The parser driver's state and the actions of the grammar (parse.c, recover.c). */
#ifndef PARSER_PARSER_IMPL_H
#define PARSER_PARSER_IMPL_H

#include "parser/bind.h"
#include "parser/parse.h"

enum { PARSE_MAX_REGIONS = 256 };

/* The grammar symbols of a statement and the one after it; 0 after them. */
enum { SHAPE_BYTES = 32, SHAPES = 512 };
typedef struct Shape {
    uint8_t symbols[SHAPE_BYTES];
    uint8_t end; /* the last of them */
} Shape;

typedef struct Parser {
    Context *ctx;
    Binder *binder;
    const FunctionHook *hook; /* may be NULL */
    Arena work; /* buffers and stacks; freed when the parse ends, also for lack of memory */
    jmp_buf oom;
    Lexer lexer;
    TokenBuf buf;
    uint32_t next;  /* number of the next token to deliver */
    uint32_t cur;   /* number of the token delivered last (it may still be look-ahead), or of the
                       first one of the list that was delivered as one symbol */
    uint32_t keep;  /* first token of the statement, or of the part of it not bound yet */
    uint32_t depth; /* open regions */
    uint32_t open_at[PARSE_MAX_REGIONS]; /* offsets of their braces */
    bool tail;                           /* a region of the current statement was just closed */
    bool orphan; /* the next REGION_OPEN follows a statement that could not be read */
    bool missing_reported;
    uint32_t unread; /* places where no production fits */
    Shape *shapes;   /* SHAPES of them: of statements that have been parsed, by their hash */
    Shape unknown;   /* the shape looked up last */
    uint32_t unknown_first, unknown_last; /* its tokens */
} Parser;

static inline const Token *parser_token(const Parser *p, uint32_t number) {
    return &p->buf.tokens[number - p->buf.base];
}

/* Drops tokens that are not needed any more and gets more. */
void parser_refill(Parser *p);

/* Actions; `last` is the last token of the slice that starts at `keep`. */
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
/* The same after a region of a statement, which is complete then. */
void parser_tail_broken(Parser *p);

#endif
