/* SPDX-License-Identifier: Apache-2.0 */
/* What the proof of synchronisation says about each function, as rows. */
#include "analysis/launch/launch.h"
#include "analysis/number.h"
#include "api/internal.h"

/* Lists what a proof relies on; NULL: nothing. `loads`: no core writes what decides its control
 * flow. */
static const char *assumed_text(Arena *arena, unsigned assumed, bool loads) {
    static const struct {
        unsigned bit;
        const char *text;
    } texts[] = {{ASSUMED_ARGUMENTS, "different arguments share no memory"},
                 {ASSUMED_REM, "dividends of remainders are not negative"},
                 {ASSUMED_MAX, "what arith.maxsi compares with 0 is not negative"},
                 {ASSUMED_SUBBLOCK, "arguments called subblock_idx tell which vector core it is"},
                 {ASSUMED_SYNCALL, "pto.syncall orders the transfers before it and after it"},
                 {ASSUMED_STRIDES, "strides are at least the extent of what they step over"}};
    StrBuf out;
    sb_init(&out, arena);
    for (unsigned i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if ((assumed & texts[i].bit) != 0)
            sb_printf(&out, "%s%s", out.len > 0 ? ", " : "", texts[i].text);
    if (loads)
        sb_printf(&out, "%sno core writes what conditions and bounds load",
                  out.len > 0 ? ", " : "");
    return out.len > 0 ? sb_text(&out) : NULL;
}

static const char *copy_text(Arena *arena, const char *text) {
    return text != NULL ? arena_printf(arena, "%s", text) : NULL;
}

/* Says what is proved between the cores. */
static void add_between(ptoasm_result *res, const CoreLaunch *l, ptoasm_sync_row *out) {
    Arena *arena = &res->ctx->arena;
    out->between_findings = launch_findings(l);
    out->between = out->between_findings > 0 ? PTOASM_SYNC_FOUND
                   : l->why != NULL          ? PTOASM_SYNC_UNKNOWN
                                             : PTOASM_SYNC_PROVED;
    if (out->between == PTOASM_SYNC_PROVED) {
        out->between_scope =
            l->ordered ? l->scope
                       : arena_printf(arena, "%s, but for the order of their accesses", l->scope);
        out->between_assumed = assumed_text(arena, l->assumed, l->loads);
    }
    out->between_unknown = copy_text(arena, l->why);
    if (l->at != NULL) out->between_line = source_find(&res->index, l->at->span.off).line;
}

static uint32_t line_of(ptoasm_result *res, const Op *op) {
    return op != NULL ? source_find(&res->index, op->span.off).line : 0;
}

/* Says what is proved between the blocks. */
static void add_blocks(ptoasm_result *res, const BlocksVerdict *v, ptoasm_sync_row *out) {
    static const int states[] = {[BLOCKS_UNASKED] = PTOASM_SYNC_UNJUDGED,
                                 [BLOCKS_DISJOINT] = PTOASM_SYNC_PROVED,
                                 [BLOCKS_SHARED] = PTOASM_SYNC_FOUND,
                                 [BLOCKS_UNKNOWN] = PTOASM_SYNC_UNKNOWN};
    Arena *arena = &res->ctx->arena;
    out->blocks = states[v->state];
    out->blocks_line = line_of(res, v->first);
    out->blocks_other = line_of(res, v->second);
    out->blocks_unknown = copy_text(arena, v->why);
    if (v->state == BLOCKS_DISJOINT) out->blocks_assumed = assumed_text(arena, v->assumed, false);
}

static ptoasm_sync_row public_row(ptoasm_result *res, const Module *m, const SyncRow *row) {
    static const int states[] = {[SYNC_PROVED] = PTOASM_SYNC_PROVED,
                                 [SYNC_FOUND] = PTOASM_SYNC_FOUND,
                                 [SYNC_UNKNOWN] = PTOASM_SYNC_UNKNOWN,
                                 [SYNC_UNJUDGED] = PTOASM_SYNC_UNJUDGED,
                                 [SYNC_WHERE_CALLED] = PTOASM_SYNC_WHERE_CALLED};
    Arena *arena = &res->ctx->arena;
    const FuncData *f = func_data(row->func);
    const Interner *names = &m->ctx->names;
    ptoasm_sync_row out = {
        .function =
            arena_printf(arena, "%.*s", (int)atom_len(names, f->name), atom_text(names, f->name)),
        .line = source_find(&res->index, f->name_span.off).line,
        .state = states[row->state],
        .findings = row->findings,
        .assumed = row->state == SYNC_PROVED ? assumed_text(arena, row->assumed, false) : NULL,
        .across = row->across,
        .between = PTOASM_SYNC_UNJUDGED,
        .unknown = copy_text(arena, row->why)};
    if (row->unknown != NULL)
        out.unknown_line = source_find(&res->index, row->unknown->span.off).line;
    if (row->launch != NULL) add_between(res, row->launch, &out);
    add_blocks(res, &row->blocks, &out);
    return out;
}

void sync_collect(ptoasm_result *res, const Module *m, const SyncRows *rows, ProfileSet profiles,
                  bool planned) {
    const ptoasm_sync_row *before = res->sync;
    if (res->index.src == NULL) res->index = source_index(&res->ctx->arena, res->ctx->source);
    size_t n = res->nsync;
    for (const SyncRow *r = rows->first; r != NULL; r = r->next)
        n++;
    res->sync = ARENA_ARRAY(&res->ctx->arena, ptoasm_sync_row, n + 1);
    for (size_t i = 0; i < res->nsync; i++)
        res->sync[i] = before[i];
    for (const SyncRow *r = rows->first; r != NULL; r = r->next) {
        ptoasm_sync_row *row = &res->sync[res->nsync++];
        *row = public_row(res, m, r);
        row->profiles = profiles;
        row->planned = planned;
    }
}

size_t ptoasm_sync_count(const ptoasm_result *res) {
    return res->nsync;
}

bool ptoasm_sync_get(const ptoasm_result *res, size_t i, ptoasm_sync_row *out, size_t size) {
    if (i >= res->nsync) return false;
    struct_give(out, size, &res->sync[i], sizeof *out);
    return true;
}
