/* SPDX-License-Identifier: Apache-2.0 */
/* Diagnostics as data: a list to which lexer, parser, verifier and passes add, and a text printer.
 * The library never prints; the caller does.
 *
 * An id names a condition; it is stable and never reused. All ids are in diag_ids.def. */
#ifndef SUPPORT_DIAG_H
#define SUPPORT_DIAG_H

#include "support/arena.h"
#include "support/location.h"
#include "support/source.h"
#include "support/strbuf.h"
#include <stdbool.h>

typedef enum DiagId {
#define DIAG(name, text, severity, summary) DIAG_##name,
#include "support/diag_ids.def"
#undef DIAG
    DIAG_COUNT
} DiagId;

typedef enum Severity { SEV_NOTE, SEV_WARNING, SEV_ERROR } Severity;

typedef struct DiagInfo {
    const char *text; /* kebab-case, as printed in [brackets] */
    Severity severity;
} DiagInfo;

/* Ids, by DiagId. */
extern const DiagInfo diag_infos[DIAG_COUNT];

/* Documentation of an id, from diag_docs.def. */
typedef struct DiagDoc {
    const char *page; /* part of the language or of the ISA that the condition comes from */
    const char *meaning, *why, *fix;
} DiagDoc;
/* Return that of an id, and one sentence about it; in any thread. */
DiagDoc diag_doc(DiagId id);
const char *diag_summary(DiagId id);
/* Returns the id with this text, or DIAG_COUNT. */
DiagId diag_find(const char *text);

typedef struct DiagNote {
    struct DiagNote *next;
    const char *message;
    Span span;
    bool has_span;
} DiagNote;

/* An edit: replaces bytes of the source. */
typedef struct DiagEdit {
    struct DiagEdit *next;
    Span span; /* length 0: an insertion */
    const char *text;
} DiagEdit;

typedef struct Diag {
    struct Diag *next;
    DiagId id;
    Severity severity;
    uint8_t profiles; /* set of profiles it holds for; 0 = all */
    Span span;
    const char *message;
    DiagNote *notes; /* in order */
    DiagNote **last_note;
    DiagEdit *edits;   /* the fix, all edits together; NULL if unknown */
    bool safe_fix;     /* the fix preserves the meaning of the program */
    bool guess;        /* the edits guess what was meant: an editor may offer them */
    uint16_t inst;     /* InstId of the statement that it is about; 0: none */
    uint8_t form;      /* OpForm of that statement */
    Span type;         /* text of a type that cannot be read, at its first place; length 0: none */
    struct Diag *into; /* has the same cause and shows this one as a note; NULL: none */
    const char *related; /* text of that note */
    uint32_t nrelated;   /* diagnostics that this one shows */
    struct Diag *copy;   /* for copying a list: the copy of this one */
    /* Parts of the message; NULL when absent. */
    const char *operand, *expected, *found;
} Diag;

typedef struct DiagList {
    Arena *arena;
    Diag *first;
    Diag **last;
    uint32_t errors;
    uint32_t warnings;
    uint32_t merged;     /* of `errors` */
    uint32_t max_errors; /* 0 = no limit */
    bool stopped;        /* max_errors was reached; later diagnostics are dropped */
} DiagList;

void diag_init(DiagList *list, Arena *arena, uint32_t max_errors);
/* Reporting is rare, so its code is kept away from the path of legal programs. */
#if defined(__GNUC__)
#define DIAG_COLD __attribute__((cold))
#else
#define DIAG_COLD
#endif

/* Adds a diagnostic with the severity of its id; returns it so that notes can be added. Beyond the
 * limit the result is a diagnostic outside the list, never NULL. */
DIAG_COLD Diag *diag_add(DiagList *list, DiagId id, Span span, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* Like diag_add, with another severity. */
DIAG_COLD Diag *diag_add_as(DiagList *list, Severity severity, DiagId id, Span span,
                            const char *fmt, ...) __attribute__((format(printf, 5, 6)));
DIAG_COLD void diag_note(DiagList *list, Diag *d, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
DIAG_COLD void diag_note_at(DiagList *list, Diag *d, Span span, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* Extracts `expected` and `found` from the message, if it has them. */
DIAG_COLD void diag_split(DiagList *list, Diag *d);
/* Shows `d`, an error with the same cause as `into`, as a note of that: a related place. It still
 * counts in DiagList.errors. */
DIAG_COLD void diag_merge(DiagList *list, Diag *into, Diag *d, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* Adds an edit to the fix. */
DIAG_COLD void diag_edit(DiagList *list, Diag *d, Span span, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* Adds the note `did you mean 'near'?` and the edit that writes `near` at `span`, which is a guess
 * unless `same`: the text is another spelling of it. Does nothing if `near` is NULL. */
DIAG_COLD void diag_did_you_mean(DiagList *list, Diag *d, Span span, const char *near, bool same);
/* The same for the most similar of `count` words to the text, if one is similar. */
DIAG_COLD void diag_near_word(DiagList *list, Diag *d, Span span, const char *s, size_t n,
                              const char *const *words, unsigned count);
/* Sorts by position, stably, as the verifier and the passes add out of order. */
void diag_order(DiagList *list);
/* Sorts, and turns merged ones into notes. */
void diag_sort(DiagList *list);

typedef struct DiagPrintOptions {
    bool color;
    uint32_t width;             /* longest source line that is shown completely, in columns */
    const Locations *locations; /* of the statements; NULL: none */
    const SourceIndex *lines;   /* of the source; NULL: it is made */
    bool author_first;          /* lead with the author's line, where there is one */
    bool mlir;                  /* written as `loc("file":line:column)` */
} DiagPrintOptions;

/* Prints each diagnostic as `file:line:col: error: message [id]`, the source line, `^~~~`, then
 * the author's line and notes. The time for each does not depend on their number. */
void diag_print_all(StrBuf *out, const Source *src, const DiagList *list,
                    const DiagPrintOptions *opt);

#endif
