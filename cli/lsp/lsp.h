/* SPDX-License-Identifier: Apache-2.0 */
/* Shared declarations of the language server: the server, its documents, and the requests. */
#ifndef CLI_LSP_LSP_H
#define CLI_LSP_LSP_H

#include "cli/argfile.h"
#include "cli/baseline.h"
#include "cli/lsp/rpc.h"
#include "cli/lsp/text.h"
#include "cli/report_values.h"
#include "cli/warnings.h"
#include "ir/profile.h"

/* ---- documents (document.c) ---- */

/* An open file. Everything from `program` on is made on demand and dropped by a change. */
typedef struct Document {
    char *uri;
    char *path;                    /* NULL: the URI does not name a file */
    const struct Project *project; /* the project whose options apply */
    Text text;
    json_int_t version;
    bool has_version;
    bool unpublished; /* new diagnostics have not been sent */
    ptoasm_source *src;
    ptoasm_program *program;
    ptoasm_result *check;               /* with the chosen profiles and options */
    ptoasm_result *verdicts;            /* acceptance by all profiles */
    ptoasm_result *plan[PROFILE_COUNT]; /* addresses of the tiles */
    json_t
        *shadow; /* what the last run with --shadow has found, by line; NULL: none since a change */
} Document;

typedef struct Server Server;

Document *document_find(Server *s, const char *uri);
/* Opens a document, or replaces the text of an open one. */
Document *document_open(Server *s, const char *uri);
void document_close(Server *s, Document *d);
/* Drops all results, after a change of the text or of the settings. */
void document_drop(Document *d);
ptoasm_program *document_program(Document *d);
ptoasm_result *document_check(Document *d);
ptoasm_result *document_verdicts(Document *d);
ptoasm_result *document_plan(Document *d, Profile profile);
/* Returns the places of the name at an offset, by ptoasm_program_uses() or ptoasm_program_names().
 * The caller frees them. */
typedef size_t PlacesFn(ptoasm_program *program, uint32_t offset, ptoasm_place *out, size_t most);
ptoasm_place *document_places(Document *d, PlacesFn *fn, size_t offset, size_t *n);

/* ---- options (project.c) ---- */

/* The options for the files of a project file, or for all files without one. */
typedef struct Project {
    char *file;    /* NULL: none */
    ArgList words; /* words of the project file */
    Options opt;   /* of the project file, the command line and the client */
    Warnings warnings;
    Baseline known;
    uint64_t stamp; /* stamp of the files that were read */
} Project;

/* Finds the project of a document and reads it again if one of its files changed. */
void project_refresh(Server *s, Document *d);
void projects_refresh(Server *s); /* of all documents */
/* Drops all projects after a change of the settings; a refresh must follow. */
void projects_forget(Server *s);

/* ---- the server ---- */

typedef enum ServerState { SERVER_NEW, SERVER_RUNNING, SERVER_SHUT } ServerState;

struct Server {
    Rpc rpc;
    char **words;     /* command line, in its order */
    json_t *settings; /* sent by the client; NULL: none */
    Options opt;      /* both together */
    Warnings warnings;
    Project **projects;
    size_t nprojects;
    ServerState state;
    bool exits, broken; /* exit was requested; writing failed */
    /* Capabilities of the client. */
    bool utf8;         /* positions count bytes, else UTF-16 units */
    bool markdown;     /* hovers and completions may be Markdown */
    bool related;      /* diagnostics may have related places */
    bool versioned;    /* edits may name the version of their document */
    bool hierarchical; /* symbols may be a tree */
    bool watches;      /* it can watch files */
    bool refreshes;    /* it asks for hints again when it is told to */
    Document **docs;
    size_t ndocs, cap_docs;
    json_t **queue; /* messages that wait to be handled */
    size_t nqueue;
};

enum {
    ERROR_PARSE = -32700,
    ERROR_REQUEST = -32600,
    ERROR_METHOD = -32601,
    ERROR_PARAMS = -32602,
    ERROR_NOT_INITIALIZED = -32002,
    ERROR_FAILED = -32803,
    ERROR_CANCELLED = -32800
};

/* Why a request failed. */
typedef struct Failure {
    int code;
    char message[256];
} Failure;
/* Sets the failure; returns NULL. */
json_t *request_fail(Failure *f, int code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Answers a request: returns the result, or NULL after request_fail(). */
typedef json_t *Responder(Server *s, const json_t *params, Failure *f);
/* The same for long results: writes JSON to `out`; false after request_fail(). */
typedef bool Writer(Server *s, const json_t *params, Failure *f, StrBuf *out);

/* Finds the document and byte offset of a request; false after request_fail(). */
bool request_place(Server *s, const json_t *params, Failure *f, Document **d, size_t *offset);
Document *request_document(Server *s, const json_t *params, Failure *f);

/* An answer that lists what is in a document. */
typedef struct Listing {
    Server *s;
    Document *d;
    json_t *list;
} Listing;

/* Finds the document, and begins an empty list; false after request_fail(). */
bool listing_begin(Listing *l, Server *s, const json_t *params, Failure *f);

/* ---- JSON ---- */

/* Like json_pack, but never returns NULL. */
json_t *packed(const char *fmt, ...);
const char *string_at(const json_t *object, const char *key); /* NULL when there is none */
json_t *json_place(const Server *s, Document *d, size_t from, size_t to);
bool range_read(const Server *s, Document *d, const json_t *range, size_t *from, size_t *to);
/* Writes json_place() as text. */
void write_place(const Server *s, Document *d, size_t from, size_t to, StrBuf *out);
/* Writes a JSON string with its quotes. */
void write_string(const char *text, StrBuf *out);
/* Makes a WorkspaceEdit with edits of one document; takes `edits`. */
json_t *workspace_edit(const Server *s, const Document *d, json_t *edits);
json_t *text_edit(const Server *s, Document *d, size_t from, size_t to, const char *text, size_t n);
/* Makes a MarkupContent. */
json_t *markup(const Server *s, const char *text);

/* ---- requests, by file ---- */

/* diagnostics.c */
json_t *diagnostic_json(const Server *s, Document *d, ptoasm_result *res, size_t i);
void diagnostics_publish(Server *s, Document *d);
/* hover.c */
Responder answer_hover;
/* words.c */
typedef struct WordPlace {
    size_t from, to;
} WordPlace;
/* Describes the word at at->from and sets its place; false when nothing is known of it. */
bool word_describe(const Server *s, const Document *d, WordPlace *at, StrBuf *out, Arena *arena);
/* signature.c */
Responder answer_signature;
/* folding.c */
Responder answer_folding;
/* tokens.c */
json_t *tokens_legend(void);
Writer write_tokens;
/* hints.c */
Responder answer_hints;
/* Asks the client to ask for the hints of all documents again. */
void hints_refresh(Server *s);
/* lens.c */
json_t *lens_commands(void);
Responder answer_lenses, answer_command;
/* What --shadow has found of a line; NULL, false: nothing. */
const json_t *shadow_of_line(const Document *d, uint32_t line);
bool shadow_is_gap(const Document *d, uint32_t line);
/* navigate.c */
Responder answer_definition, answer_references, answer_highlight;
/* symbols.c */
Writer write_symbols;
/* complete.c */
Responder answer_completion, answer_resolve;
/* edits.c */
Responder answer_formatting, answer_prepare_rename, answer_rename, answer_actions;

#endif
