/* SPDX-License-Identifier: Apache-2.0 */
/* Reading programs, changing their texts, and comparing diagnostics with what was changed. */
#include "seeds.h"

#include "parser/parse.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state = 20260911;

uint32_t seed_pick(uint32_t n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return n > 0 ? (uint32_t)(state >> 33) % n : 0;
}

/* ---- programs ---- */

static bool count_op(Op *op, void *arg) {
    Program *p = arg;
    p->counts[inst_id(op->inst)]++;
    return true;
}

bool program_open(Program *p, const char *text) {
    memset(p, 0, sizeof *p);
    p->source = (Source){.name = "seeded.pto", .data = text, .size = (uint32_t)strlen(text)};
    if (setjmp(p->ctx.oom) != 0) exit(2);
    context_init(&p->ctx, &p->source, 0);
    p->module = parse_module(&p->ctx);
    op_walk(p->module->root, count_op, p);
    return p->ctx.diags.errors == 0;
}

void program_close(Program *p) {
    context_free(&p->ctx);
}

bool program_alike(const Program *a, const Program *b) {
    for (int i = 1; i < INST_COUNT; i++)
        if (strncmp(inst_table[i].name, "pto.", 4) == 0 && i != INST_ALLOC_TILE &&
            i != INST_GET_VALIDSHAPE && a->counts[i] != b->counts[i])
            return false;
    return true;
}

/* ---- changing ---- */

void change(Seed *seed, Span span, const char *fmt, ...) {
    va_list args;
    if (seed->nchanges == MOST_CHANGES) return;
    unsigned at = seed->nchanges++;
    while (at > 0 && seed->changes[at - 1].span.off > span.off) {
        seed->changes[at] = seed->changes[at - 1];
        at--;
    }
    seed->changes[at].span = span;
    va_start(args, fmt);
    vsnprintf(seed->changes[at].text, sizeof seed->changes[at].text, fmt, args);
    va_end(args);
}

const char *text_at(const Program *p, Span span) {
    return p->source.data + span.off;
}

/* ---- places ---- */

enum { MOST_SITES = 4096 };

typedef struct Sites {
    const Program *p;
    bool (*fits)(const Program *p, const Op *op, unsigned i); /* i: an operand */
    Site list[MOST_SITES];
    unsigned n;
} Sites;

static bool collect(Op *op, void *arg) {
    Sites *s = arg;
    unsigned n = op->noperands > 0 ? op->noperands : 1;
    for (unsigned i = 0; i < n && s->n < MOST_SITES; i++)
        if (s->fits(s->p, op, i)) s->list[s->n++] = (Site){op, i};
    return true;
}

bool pick_site(Program *p, bool (*fits)(const Program *p, const Op *op, unsigned i), Site *out) {
    static Sites sites;
    sites.p = p;
    sites.fits = fits;
    sites.n = 0;
    op_walk(p->module->root, collect, &sites);
    if (sites.n == 0) return false;
    *out = sites.list[seed_pick(sites.n)];
    return true;
}

bool has_operand(const Op *op, unsigned i) {
    return i < op->noperands && op->operands[i].span.len > 0 && op->operands[i].value->name != 0;
}

/* ---- what a diagnostic names ---- */

/* The offset in the program of an offset in the changed text. */
static uint32_t original(const Seed *seed, uint32_t off) {
    int64_t moved = 0;
    for (unsigned i = 0; i < seed->nchanges; i++) {
        const Change *c = &seed->changes[i];
        const int64_t at = (int64_t)c->span.off + moved, n = (int64_t)strlen(c->text);
        if (off < at) break;
        if (off < at + n) return c->span.off;
        moved += n - c->span.len;
    }
    return (uint32_t)(off - moved);
}

typedef struct Search {
    uint32_t off;
    const Op *op;
} Search;

static bool find_op(Op *op, void *arg) {
    Search *s = arg;
    if (op->span.len > 0 && op->span.off <= s->off && s->off <= op->span.off + op->span.len)
        s->op = op;
    return true;
}

static bool is_changed(const Seed *seed, uint32_t from, uint32_t len) {
    for (unsigned i = 0; i < seed->nchanges; i++) {
        const Span s = seed->changes[i].span;
        if (from <= s.off + s.len && s.off <= from + len) return true;
    }
    return false;
}

static bool is_meant(const Seed *seed, const Value *v) {
    return v != NULL && (v == seed->value || (seed->type != NULL && v->type == seed->type));
}

/* Is the operand or result of this name one of those that are wrong? */
static bool is_wrong(const Seed *seed, const Op *op, const char *operand) {
    if (op == seed->op) return seed->operand != NULL && strcmp(operand, seed->operand) == 0;
    for (int s = 0; s < op->inst->nslots; s++) {
        if (strcmp(op->inst->slots[s].name, operand) != 0) continue;
        for (unsigned i = 0; i < slot_count(op, s); i++)
            if (is_meant(seed, slot_operands(op, s)[i].value)) return true;
        if (is_meant(seed, slot_value(op, s))) return true;
    }
    for (unsigned i = 0; i < op->nresults; i++)
        if (inst_slot_named(op->inst, operand, strlen(operand)) < 0 &&
            is_meant(seed, &op->results[i]))
            return true;
    return false;
}

bool seed_named(const Seed *seed, uint32_t off, uint32_t len, const char *operand) {
    Search s = {original(seed, off), NULL};
    if (is_changed(seed, s.off, original(seed, off + len) - s.off)) return true;
    op_walk(seed->program->module->root, find_op, &s);
    return s.op != NULL && operand != NULL && is_wrong(seed, s.op, operand);
}

/* ---- making one ---- */

bool seed_make(Program *p, const SeedKind *kind, Seed *seed) {
    seed->program = p;
    seed->nchanges = 0;
    seed->op = NULL;
    seed->operand = NULL;
    seed->value = NULL;
    seed->type = NULL;
    if (!kind->make(p, seed) || seed->nchanges == 0) return false;
    size_t n = 0, from = 0;
    for (unsigned i = 0; i < seed->nchanges; i++) {
        const Change *c = &seed->changes[i];
        if (c->span.off < from) return false; /* they overlap */
        if (n + (c->span.off - from) + strlen(c->text) >= SEED_TEXT) return false;
        memcpy(seed->text + n, p->source.data + from, c->span.off - from);
        n += c->span.off - from;
        memcpy(seed->text + n, c->text, strlen(c->text));
        n += strlen(c->text);
        from = c->span.off + c->span.len;
    }
    if (n + (p->source.size - from) >= SEED_TEXT) return false;
    memcpy(seed->text + n, p->source.data + from, p->source.size - from + 1);
    return true;
}
