/* SPDX-License-Identifier: Apache-2.0 */
/* The part of the lexer in plain C: buffers, nesting, and the classification of words, braces and
 * result lists. Bracket matching, strings and messages are in text.c. */
#include "lexer/lexer_impl.h"

const char *const token_names[TOK_COUNT] = {
#define TOKEN(name, text) text,
#include "lexer/tokens.def"
#undef TOKEN
};

enum { FIRST_TOKENS = 1024, FIRST_CLASSES = 4096 };
enum { MANY_NAMES = 8192 }; /* their table is in no near cache */

void lex_grow(Lexer *lx, uint32_t n) {
    uint32_t cap = lx->cap_tokens != 0 ? lx->cap_tokens * 2 : FIRST_TOKENS;
    Token *tokens = arena_alloc(lx->work, (size_t)cap * sizeof(Token), _Alignof(Token));
    if (n != 0) memcpy(tokens, lx->buf->tokens, n * sizeof(Token));
    lx->buf->tokens = tokens;
    lx->cap_tokens = cap;
}

void lexer_drop(Lexer *lx, uint32_t keep) {
    TokenBuf *buf = lx->buf;
    uint32_t gone = keep - buf->base, left = buf->count - keep;
    if (gone != 0 && left != 0) memmove(buf->tokens, buf->tokens + gone, left * sizeof(Token));
    buf->base = keep;
    if (buf->ntaken != 0) {
        buf->ntrivia -= buf->ntaken;
        if (buf->ntrivia != 0)
            memmove(buf->trivia, buf->trivia + buf->ntaken, buf->ntrivia * sizeof(RawTrivia));
        buf->ntaken = 0;
    }
}

void lex_add_trivia(Lexer *lx, const char *s, const char *end, uint32_t before, TriviaKind kind) {
    TokenBuf *buf = lx->buf;
    if (buf->ntrivia == lx->cap_trivia) {
        uint32_t cap = lx->cap_trivia != 0 ? lx->cap_trivia * 2 : 64;
        RawTrivia *t = arena_alloc(lx->work, (size_t)cap * sizeof *t, _Alignof(RawTrivia));
        if (buf->ntrivia != 0) memcpy(t, buf->trivia, buf->ntrivia * sizeof *t);
        buf->trivia = t;
        lx->cap_trivia = cap;
    }
    uint32_t off = (uint32_t)(s - lx->ctx->source->data);
    buf->trivia[buf->ntrivia++] = (RawTrivia){{off, (uint32_t)(end - s)}, before, (uint8_t)kind};
}

static bool holds_allow(const char *s, const char *end) {
    static const char mark[] = "ptoasm: allow";
    while ((size_t)(end - s) >= sizeof mark - 1) {
        if (memcmp(s, mark, sizeof mark - 1) == 0) return true;
        s = memchr(s + 1, mark[0], (size_t)(end - s - 1));
        if (s == NULL) return false;
    }
    return false;
}

void lex_note_allow(Lexer *lx, const char *s, const char *end) {
    Context *ctx = lx->ctx;
    if (!holds_allow(s, end)) return;
    if (ctx->nallows == ctx->cap_allows) {
        uint32_t cap = ctx->cap_allows != 0 ? ctx->cap_allows * 2 : 16;
        Span *grown = ARENA_ARRAY(&ctx->keep, Span, cap);
        if (ctx->nallows != 0) memcpy(grown, ctx->allows, ctx->nallows * sizeof *grown);
        ctx->allows = grown;
        ctx->cap_allows = cap;
    }
    ctx->allows[ctx->nallows++] = (Span){(uint32_t)(s - ctx->source->data), (uint32_t)(end - s)};
}

/* ---- names of values ---- */

void lex_intern_values(Lexer *lx) {
    Atom atoms[MOST_OTHER_TEXTS];
    intern_others(&lx->ctx->names, lx->others, lx->nothers, atoms);
    for (unsigned i = 0; i < lx->nothers; i++) {
        Token *t = &lx->buf->tokens[lx->other_tokens[i] - lx->buf->base];
        if (t->kind != TOK_ERROR) t->atom = atoms[i];
    }
    lx->nothers = 0;
}

Atom lex_other_value(Lexer *lx, uint32_t token, OtherText name) {
    Interner *names = &lx->ctx->names;
    if (names->count < MANY_NAMES) return intern_other(names, name.text, name.len, name.hash);
    if (lx->nothers == MOST_OTHER_TEXTS) lex_intern_values(lx);
    intern_prepare(names, name.hash);
    lx->others[lx->nothers] = name;
    lx->other_tokens[lx->nothers++] = token;
    return 0;
}

/* ---- nesting ---- */

void lex_push(Lexer *lx, unsigned kind, uint32_t token) {
    if (lx->nnest == lx->cap_nest) {
        uint32_t cap = lx->cap_nest != 0 ? lx->cap_nest * 2 : 64;
        LexNest *nest = arena_alloc(lx->work, (size_t)cap * sizeof *nest, _Alignof(LexNest));
        if (lx->nnest != 0) memcpy(nest, lx->nest, lx->nnest * sizeof *nest);
        lx->nest = nest;
        lx->cap_nest = cap;
    }
    lx->nest[lx->nnest++] = (LexNest){(uint8_t)kind, token};
    lx->nopen = kind == NEST_REGION ? 0 : lx->nopen + 1;
    if (kind == NEST_LABEL) lx->open_labels++;
}

static LexNest pop(Lexer *lx) {
    LexNest top = lx->nest[--lx->nnest];
    if (top.kind == NEST_LABEL) lx->open_labels--;
    if (top.kind != NEST_REGION) {
        lx->nopen--;
        return top;
    }
    /* Counts the brackets around the closed region, at most LEX_MAX_NESTING. */
    uint32_t i = lx->nnest;
    while (i != 0 && lx->nest[i - 1].kind != NEST_REGION)
        i--;
    lx->nopen = lx->nnest - i;
    return top;
}

uint32_t lex_pop_paren(Lexer *lx) {
    unsigned top = lex_top(lx);
    if (top == NEST_REGIONS) lx->op_class = 0; /* after `})`, `{` is a dictionary */
    return top == NEST_PAREN || top == NEST_LABEL || top == NEST_REGIONS ? pop(lx).token : NO_TOKEN;
}

void lex_pop_bracket(Lexer *lx) {
    if (lex_top(lx) == NEST_BRACKET) pop(lx);
}

unsigned lex_pop_brace(Lexer *lx) {
    unsigned top = lex_top(lx);
    while (lx->nopen != 0 && top != NEST_DICT && top != NEST_PROPS) {
        pop(lx);
        top = lex_top(lx);
    }
    if (lx->nnest != 0) pop(lx);
    if (top == NEST_REGION)
        lx->op_class = WC_REGION_OP; /* what follows continues the statement that owns the region */
    return top;
}

void lex_reset(Lexer *lx) {
    while (lx->nopen != 0)
        pop(lx);
}

/* ---- words ---- */

static const char *const clause_words[] = {
#define WORD(text) text,
#include "lexer/words.def"
#undef WORD
};

#define ROW4(c) [(c)] = 1, [(c) + 1] = 1, [(c) + 2] = 1, [(c) + 3] = 1
#define ROW8(c) ROW4(c), ROW4((c) + 4)
#define LETTERS(a) ROW8(a), ROW8((a) + 8), ROW8((a) + 16), [(a) + 24] = 1, [(a) + 25] = 1
const uint8_t lex_char_class[256] = {LETTERS('a'), LETTERS('A'), ROW8('0'), ['8'] = 1, ['9'] = 1,
                                     ['_'] = 1,    ['$'] = 1,    ['.'] = 1, ['-'] = 2};

static bool is_word_char(char c) {
    return lex_char_class[(unsigned char)c] == 1;
}

static bool is_one_of(const char *s, size_t n, const char *const *list) {
    for (; *list != NULL; list++)
        if (strlen(*list) == n && memcmp(*list, s, n) == 0) return true;
    return false;
}

static bool has_prefix(const char *s, size_t n, const char *prefix) {
    return n >= strlen(prefix) && memcmp(s, prefix, strlen(prefix)) == 0;
}

/* Returns the class of a word that is not a clause word. */
static uint8_t class_of(const Context *ctx, Atom atom) {
    static const char *const types[] = {"tensor",  "memref",   "vector",       "tuple",
                                        "complex", "pto.tile", "pto.tile_buf", NULL};
    static const char *const attrs[] = {
        "array", "dense", "dense_resource", "sparse", "affine_map", "affine_set", NULL};
    const char *s = atom_text(&ctx->names, atom);
    size_t n = atom_len(&ctx->names, atom);
    unsigned cls = WC_KNOWN;
    if (is_one_of(s, n, types)) return WC_KNOWN | WC_BRACKET;
    if (is_one_of(s, n, attrs)) return WC_KNOWN | WC_BRACKET | WC_IS_ATTR;
    if (n == 3 && memcmp(s, "loc", 3) == 0) return WC_KNOWN | WC_LOC;
    if (memchr(s, '.', n) != NULL) cls |= WC_DOTTED;
    const Inst *inst = atom < ctx->ninst_atoms ? ctx->inst_by_atom[atom] : NULL;
    if (inst != NULL)
        cls |= inst->nregions != 0 ? WC_INST | WC_REGION_OP : WC_INST;
    else if ((cls & WC_DOTTED) != 0 &&
             (has_prefix(s, n, "pto.section") || has_prefix(s, n, "pto.vec") ||
              !(has_prefix(s, n, "pto.") || has_prefix(s, n, "arith."))))
        cls |= WC_REGION_OP; /* an unknown word may own regions */
    return (uint8_t)cls;
}

static uint8_t *class_slot(Lexer *lx, Atom atom) {
    if (atom >= lx->nword_class) {
        uint32_t cap = lx->nword_class != 0 ? lx->nword_class * 2 : FIRST_CLASSES;
        while (cap <= atom)
            cap *= 2;
        uint8_t *classes = arena_zalloc(lx->work, cap, 1, 1);
        if (lx->nword_class != 0) memcpy(classes, lx->word_class, lx->nword_class);
        lx->word_class = classes;
        lx->nword_class = cap;
    }
    return &lx->word_class[atom];
}

uint8_t lex_classify_word(Lexer *lx, Atom atom) {
    return *class_slot(lx, atom) = class_of(lx->ctx, atom);
}

static void add_clause_word(Lexer *lx, const char *s) {
    const Atom atom = intern(&lx->ctx->names, s, strlen(s));
    const uint8_t cls = lex_word_class(lx, atom);
    if ((cls & (WC_DOTTED | WC_INST)) == 0) lx->word_class[atom] = cls | WC_CLAUSE;
}

static void add_clause_words(Lexer *lx) {
    for (size_t i = 0; i < sizeof clause_words / sizeof clause_words[0]; i++)
        add_clause_word(lx, clause_words[i]);
    for (const char *const *w = format_words; *w != NULL; w++)
        add_clause_word(lx, *w);
    for (const uint8_t *f = format_families; *f != EF_COUNT; f++)
        for (unsigned i = 0; i < enum_infos[*f].nvalues; i++)
            add_clause_word(lx, enum_infos[*f].values[i].text);
}

/* True when a statement cannot end after this token. */
static bool wants_more(unsigned prev) {
    return prev == TOK_COLON || prev == TOK_COMMA || prev == TOK_EQUAL || prev == TOK_ARROW ||
           prev == TOK_MINUS || prev == TOK_ARG || prev == TOK_CONST;
}

static unsigned start_op(Lexer *lx, uint8_t cls) {
    lx->op_class = cls;
    return TOK_OP;
}

/* A word with a dot is a key in a dictionary, and otherwise starts a statement; so does one at the
 * start of a line inside unclosed brackets, unless it can be a key. */
static unsigned dotted_kind(Lexer *lx, uint8_t cls, const char *next) {
    if (lx->nopen == 0) return start_op(lx, cls);
    if ((lx->flags & TF_LINE_START) == 0 || wants_more(lx->prev)) {
        if (lx->prev != TOK_COMMA || (lx->flags & TF_LINE_START) == 0) return TOK_WORD;
    }
    char c = *lex_peek(lx, next);
    if (c == '=' || c == ',' || c == '}' || c == ')' || c == ']' || c == ':') return TOK_WORD;
    lex_reset(lx);
    return start_op(lx, cls);
}

/* True when a word starts a statement on the line of the previous one, as in `... : i32 return
 * %x`: the previous one may end there, and an operand list, a symbol or nothing follows. */
static bool starts_on_same_line(const Lexer *lx, uint8_t cls, const char *next) {
    if ((cls & WC_INST) == 0 || lx->nopen != 0 || wants_more(lx->prev) || lx->prev == TOK_OP)
        return false;
    const char *word = next;
    while (word > lx->ctx->source->data && is_word_char(word[-1]))
        word--;
    size_t n = (size_t)(next - word);
    const char c = *lex_peek(lx, next);
    if (n == 4 && memcmp(word, "call", 4) == 0) return c == '@';
    return n == 6 && memcmp(word, "return", 6) == 0 && c != '=' && c != ',' && c != ':';
}

/* True at `ins(` and `outs(`, which follow the name of a statement. */
static bool begins_group(const char *s) {
    return strncmp(s, "ins(", 4) == 0 || strncmp(s, "outs(", 5) == 0;
}

unsigned lex_word_kind(Lexer *lx, uint8_t cls, const char *next) {
    if ((cls & WC_DOTTED) != 0) return dotted_kind(lx, cls, next);
    if ((lx->flags & TF_FRESH) == 0 && ((lx->flags & TF_LINE_START) == 0 || wants_more(lx->prev)))
        return starts_on_same_line(lx, cls, next) ? start_op(lx, cls) : TOK_WORD;
    if (lx->nopen != 0) {
        /* `return` and similar words do not occur in brackets, but brackets may be unclosed. */
        if ((cls & WC_INST) == 0 || (lx->flags & TF_LINE_START) == 0) return TOK_WORD;
        char c = *lex_peek(lx, next);
        if (c == '=' || c == ',' || c == ')' || c == ']' || c == ':') return TOK_WORD;
        if (lex_top(lx) == NEST_DICT && c == '}') return TOK_WORD;
        lex_reset(lx);
        return start_op(lx, cls);
    }
    if ((cls & WC_INST) != 0) return start_op(lx, cls);
    if ((cls & WC_CLAUSE) != 0 && *next != ':' && !begins_group(lex_peek(lx, next)))
        return TOK_WORD;
    if (*next == ':' && (next[1] == ' ' || next[1] == '\t' || next[1] == '\r' || next[1] == '\n'))
        return TOK_EOF;
    const char *after = lex_peek(lx, next), c = *after;
    if (c == '%' || c == '@' || c == '"' || c == '#' || c == '-' || c == '{' || c == '(' ||
        (c >= '0' && c <= '9') || begins_group(after))
        return start_op(lx, cls);
    return TOK_WORD;
}

/* ---- braces, separators, result lists ---- */

static const char *word_end(const char *p) {
    while (is_word_char(*p))
        p++;
    return p;
}

/* True when the token `back` places before is `word`. */
static bool word_before(const Lexer *lx, unsigned back, const char *word) {
    const TokenBuf *buf = lx->buf;
    if (buf->count - buf->base < back) return false;
    const Token *t = &buf->tokens[buf->count - buf->base - back];
    return t->kind == TOK_WORD && atom_is(&lx->ctx->names, t->atom, word);
}

/* True after `do`, `else`, `default` or `case -1`, where `{` opens a region. */
static bool follows_region_word(const Lexer *lx) {
    if (lx->nopen != 0) return false;
    if (lx->prev == TOK_WORD)
        return word_before(lx, 1, "do") || word_before(lx, 1, "else") ||
               word_before(lx, 1, "default");
    return lx->prev == TOK_INT && (word_before(lx, 2, "case") || word_before(lx, 3, "case"));
}

/* `{}` is a dictionary where only that is possible, and a region after a word that owns one. */
static bool empty_is_dict(const Lexer *lx) {
    if (lx->prev == TOK_EQUAL || lx->prev == TOK_LBRACKET) return true;
    if (lx->prev == TOK_LPAREN) return false;
    if (word_before(lx, 1, "attributes")) return true;
    return lx->nopen != 0 || (lx->op_class & WC_REGION_OP) == 0;
}

/* True after `"scf.if"(%c) (`, where the regions of the generic form begin; in `ins({key}` the
 * parenthesis follows a word. */
static bool begins_regions(const Lexer *lx) {
    const TokenBuf *buf = lx->buf;
    if (lx->prev != TOK_LPAREN || buf->count - buf->base < 2) return false;
    unsigned before = buf->tokens[buf->count - buf->base - 2].kind;
    return before == TOK_RPAREN || before == TOK_RBRACKET || before == TOK_PROPS_CLOSE;
}

/* True for `{ word` where the word is a key. */
static bool word_is_key(Lexer *lx, const char *p) {
    const char *e = word_end(p);
    const char *after = lex_peek(lx, e), c = *after;
    if (c == '=' || c == ',') return true;
    uint8_t cls = lex_word_class(lx, intern(&lx->ctx->names, p, (size_t)(e - p)));
    if (c == '}') {
        if ((cls & WC_INST) != 0 && begins_regions(lx)) return false;
        if (lx->nopen != 0 || (cls & WC_INST) == 0) return true;
        return (lx->op_class & WC_REGION_OP) == 0 || lx->prev == TOK_WORD;
    }
    if ((cls & (WC_DOTTED | WC_INST)) != 0) return false;
    return c != '%' && c != '@' && c != '"' && c != '(' && !begins_group(after);
}

bool lex_is_dict(Lexer *lx, const char *p) {
    if (lex_top(lx) == NEST_REGIONS || follows_region_word(lx)) return false;
    p = lex_peek(lx, p);
    if (*p == '}') return empty_is_dict(lx);
    if ((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || *p == '_')
        return word_is_key(lx, p);
    if (*p == '"') {
        const char *e = p + 1;
        while (*e != '"' && *e != '\n' && e < lx->end)
            e++;
        return *e == '"' && *lex_peek(lx, e + 1) != '(';
    }
    if (*p == '%' || *p == '^' || *p == '.' || *p == ';' || *p == '#' || *p == '{') return false;
    return p != lx->end && lx->nopen != 0;
}

bool lex_is_separator(const Lexer *lx, const char *p) {
    while (*p == ' ' || *p == '\t' || *p == '\r')
        p++;
    if (*p == '%') return true;
    if (*p == '.') return strncmp(p, ".arg", 4) == 0 || strncmp(p, ".const", 6) == 0;
    if (*p == '"') {
        for (p++; *p != '"' && *p != '\n' && p < lx->end; p++) {
        }
        return *p == '"' && p[1] == '(';
    }
    if (!is_word_char(*p))
        return *p == '\n' || p == lx->end; /* nothing follows: the `;` ends the statement */
    const char *e = word_end(p);
    return e[-1] != '.' && memchr(p, '.', (size_t)(e - p)) != NULL;
}

/* True when an instruction follows the `=` before p. */
static bool op_follows(Lexer *lx, const char *p) {
    p = lex_peek(lx, p);
    if (*p == '"') return true;
    if (!((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || *p == '_')) return false;
    const char *e = p;
    for (; is_word_char(*e); e++)
        if (*e == '.') return true;
    return (lex_word_class(lx, intern(&lx->ctx->names, p, (size_t)(e - p))) & WC_CLAUSE) == 0;
}

static bool make_result(Token *t, unsigned flags) {
    if (t->kind != TOK_VALUE) return false;
    if ((t->flags & TF_COUNT) == 0) {
        if ((t->flags & TF_PACK) != 0) return false;
        t->number = 1;
    }
    t->kind = TOK_RESULT;
    t->flags |= (uint8_t)flags;
    return true;
}

/* Returns the first value of the list that ends at `last`. */
static Token *list_start(const Lexer *lx, Token *last, bool to_line_start) {
    Token *t = last;
    while (t - lx->buf->tokens >= 2 && t[-1].kind == TOK_COMMA && t[-2].kind == TOK_VALUE &&
           !(to_line_start && (t->flags & TF_LINE_START) != 0))
        t -= 2;
    return t;
}

static bool equal_after_value(Lexer *lx, Token *last, const char *p) {
    bool op = op_follows(lx, p);
    Token *first = list_start(lx, last, lx->nopen != 0);
    bool at_line_start = (first->flags & (TF_LINE_START | TF_FRESH)) != 0;
    if (lx->nopen != 0 && !(op && at_line_start)) {
        make_result(last, TF_BINDING);
        return false;
    }
    if (!op &&
        (!at_line_start || (first > lx->buf->tokens && first[-1].kind == TOK_OP && first == last &&
                            *lex_peek(lx, p) == '%' && (first->flags & TF_LINE_START) == 0))) {
        make_result(last, TF_BINDING);
        return false;
    }
    if (lx->nopen != 0) lex_reset(lx); /* a statement starts, so brackets were left open */
    for (; first <= last; first += 2)
        make_result(first, 0);
    return op;
}

bool lex_equal(Lexer *lx, const char *p) {
    const TokenBuf *buf = lx->buf;
    if (buf->count == buf->base) return false;
    Token *last = &buf->tokens[buf->count - buf->base - 1];
    unsigned at_start = last->flags & (TF_LINE_START | TF_FRESH);
    switch (last->kind) {
    case TOK_VALUE:
        return equal_after_value(lx, last, p);
    case TOK_TYPE:
    case TOK_ATTR:
        if (at_start != 0 && lx->nnest == 0 &&
            lx->ctx->source->data[last->off + last->len - 1] != '>')
            last->kind = last->kind == TOK_TYPE ? TOK_TYPE_ALIAS : TOK_ATTR_ALIAS;
        return false;
    case TOK_OP:
        last->kind = TOK_WORD; /* a key */
        return false;
    default:
        return false;
    }
}

void lexer_init(Lexer *lx, Context *ctx, Arena *work, TokenBuf *buf) {
    memset(lx, 0, sizeof *lx);
    memset(buf, 0, sizeof *buf);
    lx->ctx = ctx;
    lx->work = work;
    lx->buf = buf;
    lx->cur = ctx->source->data;
    lx->end = ctx->source->data + ctx->source->size;
    lx->flags = TF_LINE_START | TF_FRESH;
    lx->prev = TOK_EOF;
    lex_grow(lx, 0);
    add_clause_words(lx);
}
