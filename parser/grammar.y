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
static void pto_yyerror(Parser *p, const char *message);

/* The last token that belongs to what is being reduced. */
#define LAST (yychar == T_PTO_YYEMPTY ? p->next - 1 : p->cur - 1)
}

/* After a region, an error belongs to the statement that owns it. */
%precedence TAIL_END
%precedence error

%token EOF 0 "end of file"
%token OP "an instruction"
%token QUOTED_OP RESULT BINDING VALUE LABEL SUCCESSOR SYMBOL WORD TYPE ATTR ANGLE
%token PROPS_OPEN PROPS_CLOSE TYPE_ALIAS ATTR_ALIAS ARG CONST INT FLOAT STRING
%token LPAREN RPAREN REGION_PAREN LBRACKET RBRACKET DICT_OPEN REGION_OPEN RBRACE
%token COMMA COLON EQUAL ARROW MINUS BANG
%token BROKEN        "a region whose statement could not be read"
%token MISSING_BRACE "end of file inside a region"
%token BAD           "a token that fits nowhere"

%%

file: items;

/* Written out instead of an `item` of its own, and `statement` without a head: every reduction that
 * a statement does not need is time. */
items:
    %empty
  | items statement                             { parser_statement(p, LAST); }
  | items regions_of_item %prec TAIL_END        { parser_regions_done(p, LAST); }
  | items regions_of_item phrases               { parser_regions_done(p, LAST); }
  | items regions_of_item error                 { parser_tail_broken(p); yyerrok; yyclearin; }
  | items LABEL COLON                           { parser_label(p, LAST); }
  | items LABEL group COLON                     { parser_label(p, LAST); }
  | items TYPE_ALIAS EQUAL attribute            { parser_alias(p, LAST); }
  | items ATTR_ALIAS EQUAL attribute            { parser_alias(p, LAST); }
  | items ARG VALUE COLON type                  { parser_arg(p, LAST); }
  | items CONST name EQUAL literal COLON type   { parser_const(p, LAST); }
  | items error                                 { parser_broken(p); yyerrok; yyclearin; }
  ;

name: RESULT | BINDING;

literal:
    number
  | WORD
  ;

statement:
    OP
  | OP phrases
  | QUOTED_OP
  | QUOTED_OP phrases
  | RESULT EQUAL OP
  | RESULT EQUAL OP phrases
  | RESULT EQUAL QUOTED_OP
  | RESULT EQUAL QUOTED_OP phrases
  | results EQUAL OP
  | results EQUAL OP phrases
  | results EQUAL QUOTED_OP
  | results EQUAL QUOTED_OP phrases
  ;

/* Two or more. */
results:
    RESULT COMMA RESULT
  | results COMMA RESULT
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

/* Commas separate phrases. In a phrase, two operands need a word between them. What occurs in
 * nearly every statement (values, types, groups) is written out instead of sharing a symbol: a
 * reduction less for each of them is what the speed of the parser comes from. */
phrases:
    operand_end
  | word_end
  | phrases COMMA operand_end
  | phrases COMMA word_end
  ;

operand_end:
    VALUE
  | TYPE
  | operand
  | suffix
  | group
  | group VALUE
  | COLON TYPE
  | word_end VALUE
  | word_end TYPE
  | word_end operand
  | word_end suffix
  | word_end group
  | word_end COLON TYPE
  | word_end EQUAL VALUE
  | word_end EQUAL TYPE
  | word_end EQUAL operand
  | word_end EQUAL bracket
  | word_end EQUAL dict
  | word_end EQUAL WORD
  | word_end EQUAL ATTR
  | word_end EQUAL MINUS INT
  | word_end EQUAL MINUS FLOAT
  | word_end MINUS INT
  | word_end MINUS FLOAT
  | operand_end suffix
  | operand_end group
  | operand_end COLON TYPE
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

/* What may follow an operand or a word directly. */
suffix:
    COLON other_type
  | COLON SUCCESSOR
  | COLON ARROW type
  | ARROW type
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

type:
    TYPE
  | other_type
  ;

other_type:
    WORD
  | ANGLE
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
  | plain_attribute COLON type
  | group ARROW type
  ;

plain_attribute:
    number
  | STRING
  | WORD
  | SYMBOL
  | TYPE
  | ATTR
  | ANGLE
  | bracket
  | dict
  ;

%%

/* Grammar tokens by token kind. */
static const uint8_t symbol_of[TOK_COUNT] = {
    [TOK_EOF] = T_EOF,
    [TOK_ERROR] = T_BAD,
    [TOK_OP] = T_OP,
    [TOK_QUOTED_OP] = T_QUOTED_OP,
    [TOK_RESULT] = T_RESULT,
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

/* Tokens whose place makes them something else. */
static int special_symbol(Parser *p, const Token *t) {
    if (t->kind == TOK_EOF) {
        return p->depth == 0 ? T_EOF : T_MISSING_BRACE;
    }
    if (t->kind == TOK_REGION_OPEN) {
        if (p->orphan) { /* recovery stopped at this brace */
            p->orphan = false;
            return T_BROKEN;
        }
        p->next++;
        return p->depth < PARSE_MAX_REGIONS ? T_REGION_OPEN : T_BAD;
    }
    p->next++;
    if (t->kind == TOK_RESULT && (t->flags & TF_BINDING) != 0) return T_BINDING;
    if (t->kind == TOK_LPAREN && (t->flags & TF_REGIONS) != 0) return T_REGION_PAREN;
    if (t->kind == TOK_VALUE && (t->flags & TF_COUNT) != 0) return T_BAD;
    return symbol_of[t->kind];
}

/* `%a, %b, %c` and `T, T` are one symbol: a list of one kind is as good as its first item, and the
 * binder looks at all of them. Skips the rest of the list as far as it is in the buffer. */
static inline void skip_list(Parser *p, unsigned kind) {
    const Token *t = &p->buf.tokens[p->next - p->buf.base];
    uint32_t left = p->buf.count - p->next;
    for (; left >= 2 && t[0].kind == TOK_COMMA && t[1].kind == kind; t += 2, left -= 2) {
        if ((t[1].flags & TF_COUNT) != 0) break;
        p->next += 2;
    }
}

static int pto_yylex(uint32_t *value, Parser *p) {
    if (p->next == p->buf.count && !p->lexer.done) parser_refill(p);
    const Token *t = &p->buf.tokens[p->next - p->buf.base];
    *value = p->cur = p->next;
    if (t->kind == TOK_EOF || t->kind == TOK_REGION_OPEN ||
        (t->flags & (TF_BINDING | TF_REGIONS | TF_COUNT)) != 0)
        return special_symbol(p, t);
    p->next++;
    if (t->kind == TOK_VALUE || t->kind == TOK_TYPE) skip_list(p, t->kind);
    return symbol_of[t->kind];
}

/* Bison runs out of stack: nesting has limits of its own, so only a deep mix of both gets here. */
static void pto_yyerror(Parser *p, const char *message) {
    (void)message;
    parser_stack_full(p);
}

static int yyreport_syntax_error(const yypcontext_t *context, Parser *p) {
    (void)context;
    parser_syntax_error(p);
    return 0;
}
