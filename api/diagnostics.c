/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the public list of diagnostics, with lines and columns. */
#include "api/internal.h"
#include "lexer/locations.h"
#include "verifier/rules/warnings.h"

ptoasm_place source_place(const SourceIndex *ix, Span span) {
    SourcePos from = source_find(ix, span.off), to = source_find(ix, span.off + span.len);
    return (ptoasm_place){.offset = span.off,
                          .length = span.len,
                          .line = from.line,
                          .column = from.column,
                          .end_line = to.line,
                          .end_column = to.column};
}

static void put_author_line(Context *ctx, uint32_t off, ptoasm_diagnostic *d) {
    AuthorLine lines[MOST_AUTHOR_LINES];
    if (locations_find(context_locations(ctx), off, lines) == 0) return;
    d->source_file = lines[0].file;
    d->source_line = lines[0].line;
    d->source_column = lines[0].column;
}

bool ptoasm_location_get(ptoasm_result *res, uint32_t offset, size_t i, ptoasm_location *out,
                         size_t size) {
    AuthorLine lines[MOST_AUTHOR_LINES];
    if (setjmp(res->ctx->oom) != 0) return false;
    if (i >= locations_find(context_locations(res->ctx), offset, lines)) return false;
    const AuthorLine *l = &lines[i];
    const char *message = author_line_text(&res->ctx->arena, l);
    const ptoasm_location found = {l->file, l->line, l->column, l->name, l->caller, message};
    struct_give(out, size, &found, sizeof found);
    return true;
}

void diagnostics_collect(ptoasm_result *res) {
    Context *ctx = res->ctx;
    diag_sort(&ctx->diags);
    drop_allowed(ctx, res->module);
    res->list = ctx->diags;
    size_t n = 0;
    for (const Diag *d = ctx->diags.first; d != NULL; d = d->next)
        n++;
    res->diags = ARENA_ARRAY(&ctx->arena, const Diag *, n);
    res->diagnostics = ARENA_ARRAY(&ctx->arena, ptoasm_diagnostic, n);
    if (n > 0 && res->index.src == NULL) res->index = source_index(&ctx->arena, ctx->source);
    size_t i = 0;
    for (Diag *d = ctx->diags.first; d != NULL; d = d->next, i++) {
        diag_split(&ctx->diags, d);
        static const char *const forms[] = {"DPS", "SSA", "PTO-AS", "generic", NULL};
        const char *instruction = d->inst != 0 ? inst_table[d->inst].name : NULL;
        size_t notes = 0, edits = 0;
        for (const DiagEdit *e = d->edits; e != NULL; e = e->next)
            edits++;
        for (const DiagNote *note = d->notes; note != NULL; note = note->next)
            notes++;
        res->diags[i] = d;
        res->diagnostics[i] =
            (ptoasm_diagnostic){.id = diag_infos[d->id].text,
                                .severity = (int)d->severity,
                                .profiles = d->profiles,
                                .place = source_place(&res->index, d->span),
                                .message = d->message,
                                .notes = notes,
                                .edits = d->guess ? 0 : edits,
                                .safe_fix = d->safe_fix,
                                .guesses = d->guess ? edits : 0,
                                .operand = d->operand,
                                .expected = d->expected,
                                .found = d->found,
                                .instruction = instruction,
                                .form = instruction != NULL ? forms[d->form] : NULL};
        if (d->id != DIAG_TOO_MANY_ERRORS) put_author_line(ctx, d->span.off, &res->diagnostics[i]);
    }
    res->ndiags = n;
}

size_t ptoasm_diagnostic_count(const ptoasm_result *res) {
    return res->ndiags;
}

bool ptoasm_diagnostic_get(const ptoasm_result *res, size_t i, ptoasm_diagnostic *out,
                           size_t size) {
    if (i >= res->ndiags) return false;
    struct_give(out, size, &res->diagnostics[i], sizeof *out);
    return true;
}

bool ptoasm_diagnostic_note(const ptoasm_result *res, size_t i, size_t n, const char **message,
                            ptoasm_place *place) {
    if (i >= res->ndiags) return false;
    const DiagNote *note = res->diags[i]->notes;
    while (note != NULL && n-- > 0)
        note = note->next;
    if (note == NULL) return false;
    *message = note->message;
    *place = note->has_span ? source_place(&res->index, note->span) : (ptoasm_place){0};
    return true;
}

/* Returns the new severity of diagnostic `d`; NOTE means to drop it. */
typedef int Decide(const ptoasm_diagnostic *d, const void *with);

/* Updates the list, for the text, and the array. `errors`: also those that may be allowed. */
static void decide_warnings(ptoasm_result *res, Decide *decide, bool errors, const void *with) {
    DiagList *list = &res->list;
    size_t n = 0, i = 0;
    list->last = &list->first;
    for (Diag *d = list->first; d != NULL; d = d->next, i++) {
        const bool asks = d->severity != SEV_ERROR || (errors && error_may_be_allowed(d->id));
        int now = asks ? decide(&res->diagnostics[i], with) : PTOASM_SEVERITY_ERROR;
        if (d->severity == SEV_WARNING && now != PTOASM_SEVERITY_WARNING) list->warnings--;
        if (now == PTOASM_SEVERITY_NOTE) {
            list->errors -= d->severity == SEV_ERROR;
            continue;
        }
        if (d->severity != SEV_ERROR && now == PTOASM_SEVERITY_ERROR) {
            d->severity = SEV_ERROR;
            list->errors++;
        }
        *list->last = d;
        list->last = &d->next;
        res->diagnostics[n] = res->diagnostics[i];
        res->diagnostics[n].severity = (int)d->severity;
        res->diags[n++] = d;
    }
    *list->last = NULL;
    res->ndiags = n;
}

typedef struct ById {
    int (*severity)(const char *id, const void *arg);
    const void *arg;
} ById;

static int decide_by_id(const ptoasm_diagnostic *d, const void *with) {
    const ById *by = with;
    return by->severity(d->id, by->arg);
}

void ptoasm_set_warning_severity(ptoasm_result *res,
                                 int (*severity)(const char *id, const void *arg),
                                 const void *arg) {
    const ById by = {severity, arg};
    decide_warnings(res, decide_by_id, false, &by);
}

typedef struct ByWarning {
    bool (*hide)(const ptoasm_diagnostic *d, void *arg);
    void *arg;
} ByWarning;

static int decide_hidden(const ptoasm_diagnostic *d, const void *with) {
    const ByWarning *by = with;
    if (d->severity == PTOASM_SEVERITY_NOTE) return PTOASM_SEVERITY_WARNING;
    return by->hide(d, by->arg) ? PTOASM_SEVERITY_NOTE : d->severity;
}

void ptoasm_hide_warnings(ptoasm_result *res, bool (*hide)(const ptoasm_diagnostic *d, void *arg),
                          void *arg) {
    const ByWarning by = {hide, arg};
    decide_warnings(res, decide_hidden, true, &by);
}

const char *ptoasm_diagnostics_text(ptoasm_result *res, uint32_t flags, size_t *size) {
    if (setjmp(res->ctx->oom) != 0) {
        if (size != NULL) *size = 0;
        return NULL;
    }
    DiagPrintOptions opt = {.color = (flags & PTOASM_TEXT_COLOR) != 0,
                            .width = 120,
                            .lines = &res->index,
                            .author_first = (flags & (PTOASM_TEXT_AUTHOR | PTOASM_TEXT_MLIR)) != 0,
                            .mlir = (flags & PTOASM_TEXT_MLIR) != 0};
    if (res->ndiags > 0) opt.locations = context_locations(res->ctx);
    StrBuf out;
    sb_init(&out, &res->ctx->arena);
    diag_print_all(&out, res->ctx->source, &res->list, &opt);
    if (size != NULL) *size = out.len;
    return sb_text(&out);
}
