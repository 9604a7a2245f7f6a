/* SPDX-License-Identifier: Apache-2.0 */
/* Where a front end made a statement: what `loc(..)` says of the author's file. The table is made
 * when the first diagnostic is printed (lexer/locations.h); a `loc` is read when it is asked for.
 */
#ifndef SUPPORT_LOCATION_H
#define SUPPORT_LOCATION_H

#include "support/intern.h"
#include "support/source.h"

/* A line of the author's file. */
typedef struct AuthorLine {
    const char *file; /* as written, never empty */
    uint32_t line;    /* from 1 */
    uint32_t column;  /* from 1; 0 = not known */
    const char *name; /* of `loc("name"(..))`; NULL: none */
    bool caller;      /* a call that led to the line before */
} AuthorLine;
enum { MOST_AUTHOR_LINES = 8 };

/* From this byte on, the innermost statement or argument is `statement`. */
typedef struct StatementMark {
    uint32_t from, statement;
} StatementMark;

typedef struct Locations {
    Arena *arena;
    const Source *src;
    StatementMark *marks; /* in the order of the text */
    uint32_t nmarks, cap_marks;
    Span *texts; /* by statement: its `loc(..)`; length 0: none */
    uint32_t ntexts, cap_texts;
    Interner names; /* of aliases */
    Span *aliases;  /* by atom: the `loc(..)` that it means */
    uint32_t naliases;
} Locations;

/* Start an empty table; add what a text has, in its order. Statement 0 has no location. */
Locations *locations_new(Arena *arena, const Source *src);
uint32_t locations_statement(Locations *l);
void locations_mark(Locations *l, uint32_t from, uint32_t statement);
/* Keeps the first location of a statement. */
void locations_text(Locations *l, uint32_t statement, Span text);
void locations_alias(Locations *l, const char *name, size_t n, Span text);

/* Writes the lines that the statement at a byte comes from: the author's first, then those of
 * fused statements, and of calls from the inside out. Returns their number; 0 when there is no
 * location, or none that names a line of a file. */
unsigned locations_find(const Locations *l, uint32_t off, AuthorLine lines[MOST_AUTHOR_LINES]);
/* True when both bytes belong to the same statement, or to statements without a location. */
bool locations_same(const Locations *l, uint32_t a, uint32_t b);
/* What a note says about such a line: `generated from here`, `called from here`. */
const char *author_line_text(Arena *a, const AuthorLine *line);

#endif
