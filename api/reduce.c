/* SPDX-License-Identifier: Apache-2.0 */
/* Reduces a program: tries smaller ones as long as the caller finds them interesting and they get
 * no error that the program did not have. */
#include "api/reduce.h"
#include "api/internal.h"
#include "passes/reduce.h"

#include <stdlib.h>
#include <string.h>

/* ---- judging ---- */

static bool errors_known(const Reduction *r, const ptoasm_result *res) {
    ptoasm_diagnostic d;
    for (size_t i = 0; ptoasm_diagnostic_at(res, i, &d); i++)
        if (d.severity == PTOASM_SEVERITY_ERROR && !r->may[diag_find(d.id)]) return false;
    return true;
}

static void learn_errors(Reduction *r, const ptoasm_result *res) {
    ptoasm_diagnostic d;
    for (size_t i = 0; ptoasm_diagnostic_at(res, i, &d); i++)
        if (d.severity == PTOASM_SEVERITY_ERROR) r->may[diag_find(d.id)] = true;
}

/* Judges a text; `first`: the program itself, which may have any errors. */
static bool is_interesting(Reduction *r, const char *text, size_t size, bool first) {
    ptoasm_source *src = NULL;
    ptoasm_result *res = NULL;
    bool good = false;
    if (ptoasm_source_open(r->name, text, size, PTOASM_SOURCE_BORROW, &src) == PTOASM_OK)
        ptoasm_check(src, &r->opt, &res);
    if (res != NULL) {
        if (first) learn_errors(r, res);
        good = errors_known(r, res) && r->interesting(src, res, r->arg);
    }
    r->nomem |= res == NULL;
    r->tried++;
    ptoasm_result_free(res);
    ptoasm_source_close(src);
    return good;
}

bool reduce_attempt(Reduction *r, char *text, size_t size) {
    if (text == NULL) return false;
    const bool same = size == r->size && memcmp(text, r->text, size) == 0;
    if (same || r->nomem || !is_interesting(r, text, size, false)) {
        free(text);
        return false;
    }
    free(r->text);
    r->text = text;
    r->size = size;
    return true;
}

/* ---- changes of the module ---- */

typedef struct Change {
    enum { CHANGE_NONE, CHANGE_COMMENTS, CHANGE_MODULE, CHANGE_REMOVE, CHANGE_STEP } kind;
    uint32_t from, to, also; /* CHANGE_REMOVE */
    ReduceStep step;         /* CHANGE_STEP */
    uint32_t index;          /* of reduce_tries() */
} Change;

typedef struct Changed {
    bool readable;
    uint32_t statements; /* CHANGE_NONE */
    uint32_t tries;      /* CHANGE_STEP: how many there are */
    char *text;          /* NULL: nothing was changed */
    size_t size;
} Changed;

static bool change_module(Module *m, const Change *c, Changed *out) {
    ReduceTry *tries;
    switch (c->kind) {
    case CHANGE_COMMENTS:
        return reduce_comments(m);
    case CHANGE_MODULE:
        return reduce_module(m);
    case CHANGE_REMOVE:
        return reduce_remove(m, c->from, c->to, c->also);
    case CHANGE_STEP:
        out->tries = reduce_tries(m, c->step, &tries);
        if (c->index >= out->tries) return false;
        reduce_step(m, c->step, tries[c->index]);
        return true;
    default:
        out->statements = reduce_count(m);
        return false;
    }
}

static void read_and_change(Context *ctx, const Change *c, Changed *out) {
    Module *m = parse_module(ctx);
    out->readable = m->bound_ok;
    if (!m->bound_ok || !change_module(m, c, out)) return;
    StrBuf text;
    sb_init(&text, &ctx->arena);
    module_print(&text, m, PRINT_KEEP);
    if (text.len > 0 && text.data[text.len - 1] != '\n') sb_putc(&text, '\n');
    out->text = malloc(text.len + 1);
    if (out->text == NULL) longjmp(ctx->oom, 1);
    memcpy(out->text, sb_text(&text), text.len + 1);
    out->size = text.len;
}

/* Reads the text as it is now, and makes the changed one. */
static Changed changed_text(Reduction *r, const Change *c) {
    Changed out = {0};
    Context *ctx = calloc(1, sizeof *ctx);
    const Source src = {.name = r->name, .data = r->text, .size = (uint32_t)r->size};
    if (ctx == NULL || setjmp(ctx->oom) != 0) {
        r->nomem = true;
    } else {
        context_init(ctx, &src, 1);
        read_and_change(ctx, c, &out);
    }
    if (ctx != NULL) context_free(ctx);
    free(ctx);
    return out;
}

static bool try_change(Reduction *r, const Change *c) {
    const Changed made = changed_text(r, c);
    return reduce_attempt(r, made.text, made.size);
}

static uint32_t statements(Reduction *r) {
    return changed_text(r, &(Change){.kind = CHANGE_NONE}).statements;
}

/* Removes runs of statements, first long ones, from the end to the beginning. */
static bool remove_statements(Reduction *r) {
    bool any = false;
    uint32_t n = statements(r);
    for (uint32_t length = n; length > 0; length /= 2)
        for (uint32_t to = n; to > 0 && !r->nomem;) {
            const uint32_t from = to > length ? to - length : 0;
            const Change c = {.kind = CHANGE_REMOVE, .from = from, .to = to, .also = UINT32_MAX};
            if (try_change(r, &c)) {
                any = true;
                n = statements(r);
            }
            to = from < n ? from : n;
        }
    return any;
}

/* Removes two statements at a time, such as a flag that is set and the wait for it. */
static bool remove_pairs(Reduction *r) {
    enum { MOST_FOR_PAIRS = 120 };
    bool any = false;
    uint32_t n = statements(r);
    for (uint32_t i = n < MOST_FOR_PAIRS ? n : 0; i-- > 0;)
        for (uint32_t k = i + 1; k < n && !r->nomem; k++) {
            const Change c = {.kind = CHANGE_REMOVE, .from = i, .to = i + 1, .also = k};
            if (!try_change(r, &c)) continue;
            any = true;
            n = statements(r);
            break;
        }
    return any;
}

static bool try_steps(Reduction *r, ReduceStep step) {
    bool any = false;
    for (uint32_t i = 0; !r->nomem; i++) {
        const Changed made =
            changed_text(r, &(Change){.kind = CHANGE_STEP, .step = step, .index = i});
        if (made.text == NULL) break;
        if (!reduce_attempt(r, made.text, made.size)) continue;
        any = true;
        i--; /* the next one has its number now */
    }
    return any;
}

static bool one_round(Reduction *r) {
    bool any = remove_statements(r);
    any |= try_change(r, &(Change){.kind = CHANGE_MODULE});
    for (int step = 0; step < REDUCE_STEPS; step++)
        if (try_steps(r, (ReduceStep)step)) {
            (void)remove_statements(r);
            any = true;
        }
    any |= remove_pairs(r);
    any |= reduce_parameters(r);
    any |= reduce_numbers(r);
    return reduce_lines(r, 1) || any;
}

static void reduce_all(Reduction *r) {
    enum { MOST_ROUNDS = 20 };
    if (!changed_text(r, &(Change){.kind = CHANGE_NONE}).readable) {
        while (!r->nomem && reduce_lines(r, UINT32_MAX))
            ;
        return;
    }
    (void)try_change(r, &(Change){.kind = CHANGE_COMMENTS});
    for (int i = 0; i < MOST_ROUNDS && !r->nomem && one_round(r); i++)
        ;
}

int ptoasm_reduce(const ptoasm_source *src, const ptoasm_options *options,
                  ptoasm_interesting *interesting, void *arg, char **out, size_t *out_size,
                  size_t *tried) {
    Reduction r = {.interesting = interesting, .arg = arg};
    size_t size;
    if (src == NULL || interesting == NULL || out == NULL || !options_take(&r.opt, options))
        return PTOASM_ARGUMENT;
    *out = NULL;
    r.name = ptoasm_source_name(src);
    const char *text = ptoasm_source_text(src, &size);
    r.text = malloc(size + 1);
    if (r.text == NULL) return PTOASM_NOMEM;
    memcpy(r.text, text, size);
    r.text[size] = '\0';
    r.size = size;
    const bool wanted = is_interesting(&r, r.text, r.size, true);
    if (wanted) reduce_all(&r);
    if (r.nomem || !wanted) {
        free(r.text);
        return r.nomem ? PTOASM_NOMEM : PTOASM_REJECTED;
    }
    *out = r.text;
    if (out_size != NULL) *out_size = r.size;
    if (tried != NULL) *tried = r.tried;
    return PTOASM_OK;
}
