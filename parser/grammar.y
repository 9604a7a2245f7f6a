/* SPDX-License-Identifier: Apache-2.0 */
/* The grammar of statements: results, a name, and a flat list of clauses. It knows shapes, not
 * instructions; bind.c matches the clauses with the instruction's row.
 *
 * The semantic value of a symbol is the number of its first token. Slices of tokens go to the
 * binder: a statement (or the part of it before a brace) always starts at `p->keep`, and ends at
 * the token before the look-ahead. Default reductions are made in consistent states only, so that
 * an error is seen before the statement preceding it is bound. */
%define api.pure full
%define api.prefix {pto_yy}
%define api.token.prefix {T_}
%define api.value.type {uint32_t}
%define api.token.raw
%define lr.default-reduction consistent
%define parse.error custom
%param {Parser *p}
%expect 0

%code requires {
#include "parser/parser_impl.h"
}
%code {
#define YYMALLOC(n) arena_alloc(&p->work, (n), 16)
#define YYFREE(ptr) ((void)(ptr))
#define YYMAXDEPTH 20000

static int pto_yylex(uint32_t *value, Parser *p);
static void statement_parsed(Parser *p, uint32_t last);
static int known_statements(Parser *p, int symbol, uint32_t *value);
static void pto_yyerror(Parser *p, const char *message);

/* The last token of the current reduction. */
#define LAST (yychar == T_PTO_YYEMPTY ? p->next - 1 : p->cur - 1)
/* Where an item may follow: binds the statements whose shape has been parsed before. */
#define KNOWN_STATEMENTS (yychar = known_statements(p, yychar, &yylval))
}

/* After a region, an error belongs to the statement that owns it. */
%precedence TAIL_END
%precedence error

%token EOF 0 "end of file"
/* Symbols of several tokens that occur in nearly every statement (join_tokens). */
%token RESULTS  "'%a, %b ='"
%token TYPED    "':' and a type"
%token ARROWED  "'->' and a type"
%token INDICES  "values in brackets"
%token OPERANDS "values in parentheses, with their types or without"

%token OP "an instruction"
%token BINDING VALUE LABEL SUCCESSOR SYMBOL WORD TYPE ATTR ANGLE
%token PROPS_OPEN PROPS_CLOSE TYPE_ALIAS ATTR_ALIAS ARG CONST INT FLOAT STRING
%token LPAREN RPAREN REGION_PAREN LBRACKET RBRACKET DICT_OPEN REGION_OPEN RBRACE
%token COMMA COLON EQUAL ARROW MINUS BANG
%token BROKEN        "a region whose statement could not be read"
%token MISSING_BRACE "end of file inside a region"
%token BAD           "a token that fits nowhere"

%%

file: items;

/* `items` repeats the alternatives of an item, and `statement` those of its head, because each
 * reduction takes time. */
items:
    %empty                                      { KNOWN_STATEMENTS; }
  | items statement                             { statement_parsed(p, LAST); KNOWN_STATEMENTS; }
  | items regions_of_item %prec TAIL_END        { parser_regions_done(p, LAST); KNOWN_STATEMENTS; }
  | items regions_of_item phrases               { parser_regions_done(p, LAST); }
  | items regions_of_item error                 { parser_tail_broken(p); yyerrok; yyclearin; }
  | items LABEL COLON                           { parser_label(p, LAST); }
  | items LABEL OPERANDS COLON                  { parser_label(p, LAST); }
  | items LABEL group COLON                     { parser_label(p, LAST); }
  | items TYPE_ALIAS EQUAL attribute            { parser_alias(p, LAST); }
  | items ATTR_ALIAS EQUAL attribute            { parser_alias(p, LAST); }
  | items ARG VALUE typed                       { parser_arg(p, LAST); }
  | items CONST RESULTS literal typed           { parser_const(p, LAST); }
  | items CONST BINDING EQUAL literal typed     { parser_const(p, LAST); }
  | items error                                 { parser_broken(p); yyerrok; yyclearin; }
  ;

literal:
    number
  | WORD
  ;

statement:
    OP
  | OP operand_end
  | OP word_end
  | OP list
  | RESULTS OP
  | RESULTS OP operand_end
  | RESULTS OP word_end
  | RESULTS OP list
  ;

/* ---- regions ---- */

regions_of_item:
    statement region
  | BROKEN region
  | regions_of_item region
  | regions_of_item phrases region
  | statement REGION_PAREN region_list RPAREN
  ;

region_list:
    region
  | region_list COMMA region
  ;

region: open items close;

open: REGION_OPEN                         { parser_open(p); };

close:
    RBRACE                                { parser_close(p, true); }
  | MISSING_BRACE                         { parser_close(p, false); }
  ;

/* ---- clauses ---- */

/* Commas separate phrases. Within a phrase, a word must separate two operands. What occurs in
 * nearly every statement is written out, as the parser's speed depends on the number of
 * reductions. */
phrases:
    operand_end
  | word_end
  | list
  ;

/* Two or more phrases. */
list:
    operand_end COMMA operand_end
  | operand_end COMMA word_end
  | word_end COMMA operand_end
  | word_end COMMA word_end
  | list COMMA operand_end
  | list COMMA word_end
  ;

operand_end:
    VALUE
  | TYPE
  | TYPED
  | ARROWED
  | INDICES
  | OPERANDS
  | operand
  | suffix
  | group
  | group VALUE
  | OPERANDS VALUE
  | word_end VALUE
  | word_end TYPE
  | word_end TYPED
  | word_end ARROWED
  | word_end INDICES
  | word_end OPERANDS
  | word_end operand
  | word_end suffix
  | word_end group
  | word_end EQUAL VALUE
  | word_end EQUAL TYPE
  | word_end EQUAL operand
  | word_end EQUAL INDICES
  | word_end EQUAL bracket
  | word_end EQUAL dict
  | word_end EQUAL WORD
  | word_end EQUAL ATTR
  | word_end EQUAL MINUS INT
  | word_end EQUAL MINUS FLOAT
  | word_end MINUS INT
  | word_end MINUS FLOAT
  | operand_end TYPED
  | operand_end ARROWED
  | operand_end INDICES
  | operand_end OPERANDS
  | operand_end suffix
  | operand_end group
  | operand_end STRING
  | operand_end EQUAL WORD
  | operand_end BANG WORD EQUAL WORD
  | MINUS INT
  | MINUS FLOAT
  | dict number
  ;

word_end:
    WORD
  | word_end WORD
  | operand_end WORD
  ;

operand:
    INT
  | FLOAT
  | STRING
  | SYMBOL
  | SUCCESSOR
  | ANGLE
  | BINDING EQUAL binding_value
  ;

binding_value:
    VALUE
  | number
  ;

number:
    INT
  | FLOAT
  | MINUS INT
  | MINUS FLOAT
  ;

/* What may directly follow an operand or a word. */
suffix:
    COLON other_type
  | COLON SUCCESSOR
  | COLON arrowed
  | ARROW other_type
  | ATTR
  | bracket
  | dict
  | PROPS_OPEN PROPS_CLOSE
  | PROPS_OPEN entries PROPS_CLOSE
  ;

group:
    LPAREN RPAREN
  | LPAREN phrases RPAREN
  ;

bracket:
    LBRACKET RBRACKET
  | LBRACKET phrases RBRACKET
  ;

typed:
    TYPED
  | COLON other_type
  ;

arrowed:
    ARROWED
  | ARROW other_type
  ;

other_type:
    ANGLE
  | OPERANDS
  | group
  ;

/* ---- dictionaries ---- */

dict:
    DICT_OPEN RBRACE
  | DICT_OPEN entries RBRACE
  ;

entries:
    entry
  | entries COMMA entry
  ;

entry:
    key
  | key EQUAL attribute
  ;

key:
    WORD
  | STRING
  ;

attribute:
    plain_attribute
  | plain_attribute typed
  | OPERANDS arrowed
  | group arrowed
  ;

plain_attribute:
    number
  | STRING
  | WORD
  | SYMBOL
  | TYPE
  | ATTR
  | ANGLE
  | INDICES
  | bracket
  | dict
  ;

%%

/* Grammar tokens by token kind. */
static const uint8_t symbol_of[TOK_COUNT] = {
    [TOK_EOF] = T_EOF,
    [TOK_ERROR] = T_BAD,
    [TOK_OP] = T_OP,
    [TOK_QUOTED_OP] = T_OP,
    [TOK_RESULT] = T_RESULTS,
    [TOK_VALUE] = T_VALUE,
    [TOK_LABEL] = T_LABEL,
    [TOK_SUCCESSOR] = T_SUCCESSOR,
    [TOK_SYMBOL] = T_SYMBOL,
    [TOK_WORD] = T_WORD,
    [TOK_TYPE] = T_TYPE,
    [TOK_ATTR] = T_ATTR,
    [TOK_ANGLE] = T_ANGLE,
    [TOK_PROPS_OPEN] = T_PROPS_OPEN,
    [TOK_PROPS_CLOSE] = T_PROPS_CLOSE,
    [TOK_TYPE_ALIAS] = T_TYPE_ALIAS,
    [TOK_ATTR_ALIAS] = T_ATTR_ALIAS,
    [TOK_ARG] = T_ARG,
    [TOK_CONST] = T_CONST,
    [TOK_INT] = T_INT,
    [TOK_FLOAT] = T_FLOAT,
    [TOK_STRING] = T_STRING,
    [TOK_LPAREN] = T_LPAREN,
    [TOK_RPAREN] = T_RPAREN,
    [TOK_LBRACKET] = T_LBRACKET,
    [TOK_RBRACKET] = T_RBRACKET,
    [TOK_LAUNCH_OPEN] = T_LBRACKET,
    [TOK_LAUNCH_CLOSE] = T_RBRACKET,
    [TOK_DICT_OPEN] = T_DICT_OPEN,
    [TOK_REGION_OPEN] = T_REGION_OPEN,
    [TOK_RBRACE] = T_RBRACE,
    [TOK_COMMA] = T_COMMA,
    [TOK_COLON] = T_COLON,
    [TOK_EQUAL] = T_EQUAL,
    [TOK_ARROW] = T_ARROW,
    [TOK_MINUS] = T_MINUS,
    [TOK_PLUS] = T_BAD,
    [TOK_STAR] = T_BAD,
    [TOK_QUESTION] = T_BAD,
    [TOK_BANG] = T_BANG,
};

static int open_region(Parser *p) {
    if (p->orphan) { /* recovery stopped at this brace */
        p->orphan = false;
        p->next--;
        return T_BROKEN;
    }
    return p->depth < PARSE_MAX_REGIONS ? T_REGION_OPEN : T_BAD;
}

/* ---- symbols of several tokens ---- */

/* Returns the kind of token `i`, reading it if necessary. */
static inline unsigned kind_of(Parser *p, uint32_t i) {
    if (i == p->buf.count) {
        if (p->lexer.done) return TOK_EOF;
        parser_refill(p);
    }
    return parser_token(p, i)->kind;
}

/* `%a, %b, %c` and `T, T` are one symbol: the grammar needs only the first item of a list, and the
 * binder reads all. Skips the rest of the list as far as it is in the buffer. */
static inline uint32_t skip_list(Parser *p, uint32_t i, unsigned kind) {
    const Token *t = &p->buf.tokens[i - p->buf.base];
    uint32_t left = p->buf.count - i;
    for (; left >= 2 && t[0].kind == TOK_COMMA && t[1].kind == kind; t += 2, left -= 2) {
        if ((t[1].flags & TF_COUNT) != 0) break;
        i += 2;
    }
    return i;
}

/* Skips the rest of `%a, %b =`. A token that does not fit becomes the next symbol. */
static inline void join_results(Parser *p) {
    if (p->cur == p->buf.base || parser_token(p, p->cur - 1)->kind != TOK_CONST)
        while (kind_of(p, p->next) == TOK_COMMA)
            if (kind_of(p, ++p->next) == TOK_RESULT) p->next++;
    if (kind_of(p, p->next) == TOK_EQUAL) p->next++;
}

/* Joins a type to `:` or `->`. After a label's `:` a statement begins. */
static inline int join_type(Parser *p, int joined, int alone) {
    unsigned kind = kind_of(p, p->next);
    if (kind != TOK_TYPE && kind != TOK_WORD) return alone;
    if ((parser_token(p, p->next)->flags & TF_FRESH) != 0) return alone;
    p->next++;
    if (kind == TOK_TYPE) p->next = skip_list(p, p->next, TOK_TYPE);
    return joined;
}

/* Joins values up to `close` and, with `typed`, their types. Anything else is left to the grammar. */
static inline int join_values(Parser *p, unsigned close, bool typed, int joined, int alone) {
    const Token *t = &p->buf.tokens[p->next - p->buf.base];
    const Token *const end = &p->buf.tokens[p->buf.count - p->buf.base];
    /* Only the last token can end a batch, so `t + 1` exists after any other. */
    for (;; t += 2) {
        if (t == end || t->kind != TOK_VALUE || (t->flags & TF_COUNT) != 0) return alone;
        if (t[1].kind != TOK_COMMA) break;
    }
    t++;
    if (typed && t->kind == TOK_COLON) {
        do {
            if (end - t < 3 || (t[1].kind != TOK_TYPE && t[1].kind != TOK_WORD)) return alone;
            t += 2;
        } while (t->kind == TOK_COMMA);
    }
    if (t->kind != close) return alone;
    p->next = p->buf.base + (uint32_t)(t - p->buf.tokens) + 1;
    return joined;
}

static inline int next_symbol(uint32_t *value, Parser *p) {
    if (p->next == p->buf.count && !p->lexer.done) parser_refill(p);
    const Token *t = &p->buf.tokens[p->next - p->buf.base];
    *value = p->cur = p->next;
    p->next++;
    switch (t->kind) {
    case TOK_EOF:
        p->next--; /* further calls return it again */
        return p->depth == 0 ? T_EOF : T_MISSING_BRACE;
    case TOK_REGION_OPEN:
        return open_region(p);
    case TOK_VALUE:
        if ((t->flags & TF_COUNT) != 0) return T_BAD;
        p->next = skip_list(p, p->next, TOK_VALUE);
        break;
    case TOK_TYPE:
        p->next = skip_list(p, p->next, TOK_TYPE);
        break;
    case TOK_RESULT:
        if ((t->flags & TF_BINDING) != 0) return T_BINDING;
        join_results(p);
        break;
    case TOK_COLON:
        return join_type(p, T_TYPED, T_COLON);
    case TOK_ARROW:
        return join_type(p, T_ARROWED, T_ARROW);
    case TOK_LBRACKET:
        return join_values(p, TOK_RBRACKET, false, T_INDICES, T_LBRACKET);
    case TOK_LPAREN:
        if ((t->flags & TF_REGIONS) != 0) return T_REGION_PAREN;
        return join_values(p, TOK_RPAREN, true, T_OPERANDS, T_LPAREN);
    default:
        break;
    }
    return symbol_of[t->kind];
}

static int pto_yylex(uint32_t *value, Parser *p) {
    return next_symbol(value, p);
}

/* ---- statements of a known shape ---- */

/* The tokens of a statement, without their texts, determine what the parser does between two items
 * if one follows that only begins an item or closes a region. Most statements of a name have one of
 * a few such shapes; a shape that has been parsed before need not be parsed again. */

/* What the symbol of a token depends on. */
static inline uint16_t token_shape(const Token *t) {
    return (uint16_t)(t->kind | (t->flags & (TF_BINDING | TF_COUNT | TF_REGIONS | TF_FRESH)) << 8);
}

/* Statements of the name have their shapes here. */
static inline ShapeSet *shapes_of(Parser *p, const Token *first) {
    const Token *op = first->kind == TOK_RESULT ? &first[2] : first;
    return &p->shapes[op->atom * 0x9E3779B1u >> (32 - SHAPE_SET_BITS)];
}

static inline bool starts_statement(const Token *t) {
    return t->kind == TOK_OP || t->kind == TOK_QUOTED_OP ||
           (t->kind == TOK_RESULT && (t->flags & TF_BINDING) == 0);
}

/* True for a token that does not belong to the statement before it, which has no open `{`. */
static inline bool is_outside(const Token *t) {
    return starts_statement(t) || t->kind == TOK_LABEL || t->kind == TOK_RBRACE;
}

/* True when the tokens from `first`, which starts a statement, have the shape. */
static inline bool has_shape(const Shape *s, const Token *first) {
    const Token *t = first + 1, *end = first + s->n;
    for (const uint16_t *k = s->tokens + 1; t < end; t++, k++)
        if (token_shape(t) != *k) return false;
    return is_outside(end);
}

/* Returns the shape of the statement that begins with `first`, if `set` has it. */
static inline const Shape *find_shape(const ShapeSet *set, const Token *first, uint32_t left) {
    for (unsigned i = 0; i < SHAPES; i++) {
        const Shape *s = &set->shapes[i];
        if (s->n != 0 && s->n < left && has_shape(s, first)) return s;
    }
    return NULL;
}

/* Returns the number of tokens of the statement at `keep` if its shape is known, else 0. */
static inline uint32_t known_statement(Parser *p) {
    if (p->buf.count - p->keep <= SHAPE_TOKENS && !p->lexer.done) parser_refill(p);
    const Token *first = parser_token(p, p->keep);
    const uint32_t left = p->buf.count - p->keep;
    if (!starts_statement(first) || left < 3) return 0;
    const Shape *s = find_shape(shapes_of(p, first), first, left);
    return s != NULL ? s->n : 0;
}

/* Stores the shape of the statement at `keep`. */
static void store_shape(Parser *p, uint32_t last) {
    const Token *first = parser_token(p, p->keep);
    const uint32_t n = last + 1 - p->keep, left = p->buf.count - p->keep;
    if (n > SHAPE_TOKENS || n >= left || !is_outside(&first[n])) return;
    ShapeSet *set = shapes_of(p, first);
    if (find_shape(set, first, left) != NULL) return;
    Shape *s = &set->shapes[set->oldest++ % SHAPES];
    s->n = n;
    for (uint32_t i = 1; i < n; i++)
        s->tokens[i] = token_shape(&first[i]);
}

static void statement_parsed(Parser *p, uint32_t last) {
    store_shape(p, last);
    parser_statement(p, last);
}

/* Binds statements of known shapes. `symbol` is the look-ahead; returns the one after the last
 * statement bound. */
static int known_statements(Parser *p, int symbol, uint32_t *value) {
    uint32_t n;
    bool bound = false;
    if (symbol == T_PTO_YYEMPTY) symbol = pto_yylex(value, p);
    if (p->cur != p->keep) return symbol;
    while ((n = known_statement(p)) != 0) {
        parser_statement(p, p->keep + n - 1);
        p->next = p->keep;
        bound = true;
    }
    return bound ? pto_yylex(value, p) : symbol;
}

/* Called when Bison's stack is full. Nesting has its own limits, so only a deep mix of both gets
 * here. */
static void pto_yyerror(Parser *p, const char *message) {
    (void)message;
    parser_stack_full(p);
}

static int yyreport_syntax_error(const yypcontext_t *context, Parser *p) {
    (void)context;
    parser_syntax_error(p);
    return 0;
}
