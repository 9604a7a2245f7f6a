/* SPDX-License-Identifier: Apache-2.0 */
/* The lexer: bytes -> tokens. Pure and re-entrant; texts are interned while they are scanned.
 *
 * It classifies, so that the grammar needs no list of instructions:
 *   - a value list followed by `=` is a list of RESULT tokens (inside ( and [ only the one value);
 *   - a bare word starts a statement (OP) or is a clause word (WORD); a word before `=` is a key;
 *   - `^x` or `^x(...)` before `:` is a LABEL, else a SUCCESSOR;
 *   - a string before `(` is a QUOTED_OP;
 *   - types and attributes with brackets are ONE token found by bracket matching.
 * What depends on a later token is corrected when that token arrives: tokens are delivered in
 * batches that end where no correction can reach, so there is no look-ahead to pay for. Only
 * bracket matching and `{` look ahead in the text, never past `%`, `@`, `^` or 64 KiB.
 * Comments, blank lines and locations (`loc(...)` outside of attribute values) go to the trivia
 * list, not to the token stream; PTO-AS labels and separating `;` are read and dropped. */
#ifndef LEXER_LEXER_H
#define LEXER_LEXER_H

#include "ir/ir.h"

typedef enum TokenKind {
#define TOKEN(name, text) TOK_##name,
#include "lexer/tokens.def"
#undef TOKEN
    TOK_COUNT
} TokenKind;
/* Names of token kinds in messages. */
extern const char *const token_names[TOK_COUNT];

typedef struct Token {
    uint8_t kind;    /* TokenKind */
    uint8_t flags;   /* TF_* */
    uint16_t number; /* RESULT: N of %x:N (default 1); VALUE: k of %x#k, else 0; ERROR: LexError */
    uint32_t off, len; /* span, markers included */
    Atom atom;         /* the name without % ^ ! marker (VALUE, RESULT, LABEL, SUCCESSOR, OP, WORD,
                          QUOTED_OP without quotes, TYPE and ATTR: the whole text, also before the
                          = of an alias; ANGLE: the text between the angle brackets, trimmed;
                          SYMBOL: the name without @ and quotes, unescaped; STRING: the unescaped
                          text) */
} Token;
enum {
    TF_LINE_START = 1, /* first token of its line */
    TF_FLOAT_HEX = 2,  /* a number written in hexadecimal */
    TF_BINDING = 4,    /* RESULT followed by a value: `%i = %lb`, `iter_args(%a = %x)` */
    TF_COUNT = 8,      /* a name written with :N */
    TF_REGIONS = 16,   /* LPAREN before { of a region: the generic form's list of regions */
    TF_FRESH = 32,     /* first token after {, }, a label or a separating `;` */
    TF_PACK = 64       /* VALUE: a use with #k */
};

/* A comment, blank line or location between two tokens. */
typedef struct RawTrivia {
    Span text;
    uint32_t before; /* number of tokens before it */
    uint8_t kind;    /* TriviaKind: TRAILING = on the line of the token before it */
} RawTrivia;

/* The tokens in memory, with the trivia between them. Tokens have absolute numbers; those below
 * `base` were dropped. */
typedef struct TokenBuf {
    Token *tokens; /* tokens[i - base] is token number i of the file */
    uint32_t base;
    uint32_t count;    /* tokens delivered so far (absolute) */
    RawTrivia *trivia; /* in order; the binder takes them from ntaken on */
    uint32_t ntrivia, ntaken;
} TokenBuf;

/* The mistake in an ERROR token. */
typedef enum LexError {
    LEX_BAD_CHARACTER,
    LEX_NUL,
    LEX_OPEN_STRING,
    LEX_BAD_ESCAPE,
    LEX_BAD_NUMBER,
    LEX_BIG_NUMBER,
    LEX_BAD_NAME,
    LEX_OPEN_ANGLE,
    LEX_OPEN_LOCATION,
    LEX_NESTING
} LexError;

enum { LEX_MAX_NESTING = 256 }; /* brackets within a statement */

typedef struct LexNest {
    uint8_t kind;   /* what was opened */
    uint32_t token; /* the SUCCESSOR before a parenthesis, for labels */
} LexNest;

/* A bracketed text that was seen recently. */
typedef struct LastText {
    const char *text;
    uint32_t len;
    Atom atom;
} LastText;
enum { LAST_TEXTS = 16 };

/* Where the last bracketed text is that began like s, which has 8 bytes. */
static inline unsigned last_text_place(const char *s) {
    return (uint32_t)(text_load4(s + 4) * 0x9E3779B1u) >> 28;
}

typedef struct Lexer {
    Context *ctx;
    Arena *work; /* buffers; freed by the owner */
    TokenBuf *buf;
    const char *cur;                 /* next byte */
    const char *end;                 /* the NUL after the text */
    LexNest *nest;                   /* open brackets and regions */
    uint32_t nnest, cap_nest, nopen; /* nopen: brackets open since the innermost region */
    uint32_t open_labels;            /* parentheses after ^x that are still open */
    uint32_t cap_tokens, cap_trivia;
    uint8_t *word_class; /* by atom */
    uint32_t nword_class;
    uint8_t *type_seen; /* by atom: text whose brackets were matched */
    uint32_t ntype_seen;
    OtherText others[MOST_OTHER_TEXTS]; /* names of values that have no atom yet */
    uint32_t other_tokens[MOST_OTHER_TEXTS];
    unsigned nothers;
    /* Statements repeat types, and comparing is faster than hashing. */
    LastText begun[LAST_TEXTS]; /* by how they begin */
    LastText last[LAST_TEXTS];  /* by length */
    uint8_t flags;              /* of the next token */
    uint8_t prev;               /* kind of the previous token */
    uint8_t op_class;           /* class of the statement's OP */
    bool after_results;         /* the previous token is the = of a result list */
    bool done;                  /* EOF was delivered */
} Lexer;

/* Starts at the beginning of the context's source. `work` and `buf` must outlive the lexer. */
void lexer_init(Lexer *lx, Context *ctx, Arena *work, TokenBuf *buf);
/* Drops the tokens below number `keep`, and trivia that were taken. */
void lexer_drop(Lexer *lx, uint32_t keep);
/* Appends a batch of tokens; the last one of the file is EOF, and sets `done`. */
void lexer_fill(Lexer *lx);
/* Reports the mistake in an ERROR token. */
void lexer_report(Context *ctx, const Token *tok);

#endif
