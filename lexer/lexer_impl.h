/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the generated scanner (lexer.re) and the C part (lexer.c, text.c). */
#ifndef LEXER_LEXER_IMPL_H
#define LEXER_LEXER_IMPL_H

#include "lexer/lexer.h"

enum { NEST_REGION, NEST_PAREN, NEST_LABEL, NEST_REGIONS, NEST_BRACKET, NEST_DICT, NEST_PROPS };

#define NO_TOKEN UINT32_MAX

/* Classes of words, independent of their position. */
enum {
    WC_KNOWN = 1, /* the class is known */
    WC_DOTTED = 2,
    WC_INST = 4,     /* an instruction, or its PTO-AS name */
    WC_CLAUSE = 8,   /* a clause word of some instruction */
    WC_BRACKET = 16, /* tensor, array, pto.tile ...: one token with its <...>, */
    WC_IS_ATTR = 32, /* and that token is an attribute */
    WC_LOC = 64,
    WC_REGION_OP = 128 /* an instruction that may own regions */
};

/* Bytes of names: 1 in words and value names, 2 in value names only. */
extern const uint8_t lex_char_class[256];

uint8_t lex_classify_word(Lexer *lx, Atom atom);
static inline uint8_t lex_word_class(Lexer *lx, Atom atom) {
    if (atom < lx->nword_class && lx->word_class[atom] != 0) return lx->word_class[atom];
    return lex_classify_word(lx, atom);
}

/* Returns the atom of the name of VALUE `token`, which was not seen recently; or 0, if it gets its
 * atom with others before the end of the batch. */
Atom lex_other_value(Lexer *lx, uint32_t token, OtherText name);
void lex_intern_values(Lexer *lx);

void lex_push(Lexer *lx, unsigned kind, uint32_t token);
/* Closes a parenthesis; returns the SUCCESSOR before it (of a label) or NO_TOKEN. */
uint32_t lex_pop_paren(Lexer *lx);
void lex_pop_bracket(Lexer *lx);
/* Closes the innermost brace; returns its NEST_* kind. */
unsigned lex_pop_brace(Lexer *lx);
/* Drops brackets opened since the innermost region, as a statement starts. */
void lex_reset(Lexer *lx);
static inline unsigned lex_top(const Lexer *lx) {
    return lx->nnest != 0 ? lx->nest[lx->nnest - 1].kind : (unsigned)NEST_REGION;
}

/* Notes a comment in Context.allows when it holds `ptoasm: allow`. */
void lex_note_allow(Lexer *lx, const char *s, const char *end);

/* Returns the next byte that is neither blank nor in a comment. */
const char *lex_peek_far(const Lexer *lx, const char *p);
static inline const char *lex_peek(const Lexer *lx, const char *p) {
    p += *p == ' ';
    return (unsigned char)*p > ' ' && *p != '/' ? p : lex_peek_far(lx, p);
}
/* Returns the position after the `>` that closes the `<` before p, or NULL. */
const char *lex_match_angle(const Lexer *lx, const char *p);
/* The same for the `(` of a location. */
const char *lex_match_loc(const Lexer *lx, const char *p);
/* Returns the end of a bracketed text that starts at s, with its `<` right before p, and its atom;
 * NULL when it is not closed. */
const char *lex_bracketed(Lexer *lx, const char *s, const char *p, Atom *atom);

/* Returns the last bracketed text if the same begins at s, else NULL. */
static inline const LastText *lex_last_text(const Lexer *lx, const char *s) {
    if (lx->end - s < 8) return NULL;
    const LastText *t = &lx->begun[last_text_place(s)];
    return t->len != 0 && t->len <= lx->end - s && memcmp(t->text, s, t->len) == 0 ? t : NULL;
}

/* Returns the end of a string whose opening quote is at s, its text in *atom and the mistake in
 * *error. */
const char *lex_string(Lexer *lx, const char *s, Atom *atom, int *error);
/* Returns the end of a symbol that starts at the @ at s. */
const char *lex_symbol(Lexer *lx, const char *s, Atom *atom, int *error);
/* True when the { before p opens a dictionary. */
bool lex_is_dict(Lexer *lx, const char *p);
/* True when the text at p starts a statement after a `;`. */
bool lex_is_separator(const Lexer *lx, const char *p);
/* Classifies a word that is not directly after a result list as OP or WORD; may reset the nesting.
 * `next` points after the word. */
unsigned lex_word_kind(Lexer *lx, uint8_t cls, const char *next);
/* Handles the = of a value list, alias or key by correcting the tokens before it; p points after
 * the `=`. True when it ends a result list that an instruction follows. */
bool lex_equal(Lexer *lx, const char *p);

void lex_add_trivia(Lexer *lx, const char *s, const char *end, uint32_t before, TriviaKind kind);
/* Grows the buffer, which has `n` tokens. */
void lex_grow(Lexer *lx, uint32_t n);

#endif
