/* SPDX-License-Identifier: Apache-2.0 */
/* Pipes between the cores of a block: reserved buffers, initialisation, and pushing and popping
 * entries. */
#include "backends/c/emitter.h"
#include "backends/c/operands.h"

#include <string.h>

/* ---- reserved buffers ---- */

/* pto.reserve_buffer, pto.import_reserved_buffer: the address is a constant after planning. */
void emit_reserve_buffer(Emitter *e, const LowerStmt *s) {
    const int64_t at = s->reserved[0];
    if (at < 0)
        cannot(e, s->name_span, "the address of the reserved buffer is not known");
    else
        define(e, &s->results[0], "%lld", (long long)at);
}

/* ---- opening ---- */

/* Returns the variable of an end of a pipe, whose key is the statement that opens it. */
static const char *pipe_name(Emitter *e, const LowerPipe *pipe) {
    Local *l = local_entry(e, pipe);
    if (l->name == NULL) l->name = fresh(e, strf(e, "pipe_%lld", (long long)pipe->id));
    return l->name;
}

static const LowerPipe *pipe_of(Emitter *e, const LowerStmt *s) {
    const LowerPipe *pipe = s->pipe;
    if (pipe == NULL) cannot(e, s->name_span, "%s: the pipe is not known", s->inst->name);
    return pipe;
}

/* Returns the variable that holds the quantisation words of an end. */
static const char *words_name(Emitter *e, const LowerPipe *pipe) {
    Local *l = local_entry(e, &pipe->quant);
    if (l->name == NULL) l->name = fresh(e, strf(e, "quant_%lld", (long long)pipe->id));
    return l->name;
}

void declare_pipes(Emitter *e, const Func *f) {
    const LowerPipes *p = &e->low->pipes;
    for (uint32_t i = 0; i < p->n; i++) {
        const LowerPipe *pipe = &p->list[i];
        if (pipe->func != f->data) continue;
        ln(e, "ptrt_pipe %s;", pipe_name(e, pipe));
        if (pipe->quant == QUANT_NONE) continue;
        ln(e, pipe->quant == QUANT_SCALAR ? "int64_t %s = 0;" : "ptrt_tile %s = {0};",
           words_name(e, pipe));
        ln(e, "(void)%s;", words_name(e, pipe)); /* a program may set it and never push */
    }
}

/* True where a program runs as if it freed what it pops. The sanitizer has the slots of the chip:
 * where a pop does not free its slot, a push waits for a free that is missing. */
static bool frees_by_itself(const Emitter *e) {
    const ProfileInfo *p = &profile_infos[e->opt->profile];
    return !e->opt->sanitize || !p->chip || p->pop_frees;
}

/* Returns a reference to the static description of an end; equal ends share one. */
static const char *desc_ref(Emitter *e, const LowerPipe *pipe) {
    StrBuf sb;
    sb_init(&sb, e->arena);
    sb_printf(&sb, "{.id = %d, .dirs = %d, .split = %d, .slot_num = %lld, .slot_size = %lld",
              (int)pipe->id, (int)pipe->dirs, pipe->split ? 1 : 0, (long long)pipe->slot_num,
              (long long)pipe->slot_size);
    if (pipe->slots != NULL && pipe->local_num != pipe->slot_num)
        sb_printf(&sb, ", .local_num = %lld", (long long)pipe->local_num);
    if (pipe->consumers != 0) sb_printf(&sb, ", .consumers = %d", (int)pipe->consumers);
    if (pipe->auto_free != 0 && frees_by_itself(e))
        sb_printf(&sb, ", .auto_free = %d", (int)pipe->auto_free);
    sb_puts(&sb, "}");
    const char *init = sb_text(&sb);
    uint32_t known = c_of(e)->pipe_texts.count;
    unsigned number = (unsigned)intern_copy(&c_of(e)->pipe_texts, init, strlen(init)) - 1;
    if (c_of(e)->pipe_texts.count != known)
        sb_printf(&c_of(e)->types, "static const ptrt_pipe_desc pto_pipe_%u = %s;\n", number, init);
    return strf(e, "&pto_pipe_%u", number);
}

static const char *buffer_arg(Emitter *e, const Value *v) {
    return v != NULL ? val(e, v) : "PTRT_ABSENT";
}

/* Returns the slots in global memory as a pointer or as a view; the other one is "NULL". */
static void slot_args(Emitter *e, const LowerPipe *pipe, const char **slots, const char **entry) {
    *slots = *entry = "NULL";
    if (pipe->slots == NULL) return;
    if (type_is_view(pipe->slots->type))
        *entry = strf(e, "&%s", val(e, pipe->slots));
    else if (is_gm_pointer(pipe->slots->type) || is_gm_memref(pipe->slots->type))
        *slots = val(e, pipe->slots);
    else
        cannot(e, pipe->at, "slots of type '" TYPE_FMT "' have no form in C",
               TYPE_ARG(&e->ctx->names, pipe->slots->type));
}

/* Notes the memory that the slots need in a space: a reserved buffer may be smaller than the slots,
 * which then extend beyond it. */
static void note_ring(Emitter *e, const LowerPipe *pipe, int64_t at, int space) {
    int64_t bytes;
    if (at < 0 || pipe->slots != NULL) return;
    if (__builtin_mul_overflow(pipe->slot_num, pipe->slot_size, &bytes) ||
        __builtin_add_overflow(bytes, at, &bytes) ||
        bytes > profile_dynamic_reach(e->opt->profile, space))
        return;
    if (bytes > c_of(e)->ring[space]) c_of(e)->ring[space] = bytes;
}

void emit_initialize_pipe(Emitter *e, const LowerStmt *s) {
    const LowerPipe *pipe = pipe_of(e, s);
    if (pipe == NULL) return;
    note_ring(e, pipe, s->reserved[0], SPACE_VEC);
    note_ring(e, pipe, s->reserved[1], SPACE_MAT);
    const char *slots, *entry;
    slot_args(e, pipe, &slots, &entry);
    try_call(e, "ptrt_pipe_open(core, %u, %s, %s, %s, %s, %s, &%s)", (unsigned)e->line,
             desc_ref(e, pipe), slots, entry, buffer_arg(e, pipe->buffer[0]),
             buffer_arg(e, pipe->buffer[1]), pipe_name(e, pipe));
}

/* ---- entries ---- */

static long long split_of(const LowerStmt *s) {
    return (long long)stmt_attr_int(s, ATTR_split);
}

static const char *subblock_arg(Emitter *e, const LowerStmt *s) {
    const Value *v = stmt_named(s, OPERAND_aiv_subblockid);
    return v != NULL ? val(e, v) : "PTRT_ABSENT";
}

const char *entry_pipe_name(Emitter *e, const LowerStmt *s) {
    const LowerPipe *pipe = s->pipe;
    return pipe != NULL ? pipe_name(e, pipe) : NULL;
}

const Value *entry_of(const LowerStmt *s) {
    const Value *v = stmt_named(s, OPERAND_entry);
    return v != NULL || s->nresults == 0 ? v : &s->results[0];
}

/* Declares a tile without memory. A `?` in the type means the whole shape. */
void emit_declare_tile(Emitter *e, const LowerStmt *s) {
    const Value *v = &s->results[0];
    const char *type = tile_type_ref(e, v->type, s->span);
    if (type == NULL) return;
    const TileInfo *ti = &v->type->tile;
    declare(e, v);
    ln(e, "ptrt_tile_declare(%s, %lld, %lld, &%s);", type,
       (long long)(ti->vrow == DYNAMIC ? ti->rows : ti->vrow),
       (long long)(ti->vcol == DYNAMIC ? ti->cols : ti->vcol), val(e, v));
}

void emit_declare_global(Emitter *e, const LowerStmt *s) {
    const Value *v = &s->results[0];
    declare(e, v);
    ln(e, "ptrt_view_declare(%s, %u, &%s);", elem_const(v->type->elem), (unsigned)v->type->rank,
       val(e, v));
}

void emit_talloc(Emitter *e, const LowerStmt *s) {
    const LowerPipe *pipe = pipe_of(e, s);
    const Value *entry = entry_of(s);
    if (pipe == NULL) return;
    if (s->nresults > 0) declare(e, entry);
    try_call(e, "ptrt_pipe_alloc_view(core, %u, &%s, %lld, &%s)", (unsigned)e->line,
             pipe_name(e, pipe), split_of(s), val(e, entry));
}

/* pto.set_quant_scalar: makes a word without offset, with the signedness of the type that the
 * consumer pops. */
void emit_set_quant_scalar(Emitter *e, const LowerStmt *s) {
    const LowerPipe *pipe = pipe_of(e, s);
    if (pipe == NULL) return;
    bool is_signed = pipe->elem == ELEM_I8 || pipe->elem == ELEM_SI8;
    ln(e, "%s = (int64_t)(UINT64_C(%d) << 46 | ptrt_bits_of_f32(%s));", words_name(e, pipe),
       is_signed, val(e, stmt_value(s, 0)));
}

/* pto.set_quant_vector: keeps the tile of words until a push uses it. */
void emit_set_quant_vector(Emitter *e, const LowerStmt *s) {
    const LowerPipe *pipe = pipe_of(e, s);
    if (pipe != NULL) ln(e, "%s = %s;", words_name(e, pipe), val(e, stmt_value(s, 0)));
}

/* A push that converts: a kernel writes the entry into the slot. */
static void emit_converting_push(Emitter *e, const LowerStmt *s, const LowerPipe *pipe,
                                 const Value *entry) {
    const Type *t = tile_value_type(entry);
    int elem = (int)(pipe->elem != ELEM_NONE || t == NULL ? pipe->elem : t->elem_type->elem);
    const char *kernel = pipe->quant == QUANT_NONE     ? "PTRT_TPUSH_ACC"
                         : pipe->quant == QUANT_SCALAR ? "PTRT_TPUSH_SCALAR"
                                                       : "PTRT_TPUSH_VECTOR";
    const char *words = pipe->quant == QUANT_NONE ? NULL : words_name(e, pipe);
    const char *slot = fresh(e, "pto_entry"), *src = val(e, entry);
    ln(e, "ptrt_tile %s;", slot);
    try_call(e, "ptrt_pipe_slot(core, %u, &%s, %s, %s.vrow, %s.vcol, &%s)", (unsigned)e->line,
             pipe_name(e, pipe), elem_const(elem), src, src, slot);
    if (e->opt->shadow)
        try_call(e,
                 "ptrt_shadow_before(core, %u, %s, (const ptrt_shadow_arg[]){{&%s, 0, 0}, {0}, "
                 "{0}, {0}, {0}, {&%s, 0, 0}, {0}, {NULL, 0, %d}})",
                 (unsigned)e->line, kernel, src, slot, pipe->rectifies ? 1 : 0);
    try_call(e, "ptrt_fix_move(core, %u, %s, &%s, 0, 0, %s%s, %s, &%s, 0, %d)", (unsigned)e->line,
             kernel, src, pipe->quant == QUANT_VECTOR ? "&" : "",
             pipe->quant == QUANT_VECTOR ? words : "NULL",
             pipe->quant == QUANT_SCALAR ? words : "0", slot, pipe->rectifies ? 1 : 0);
    if (e->opt->shadow)
        try_call(e, "ptrt_shadow_after(core, %u, \"%s\", %s, &%s)", (unsigned)e->line,
                 s->inst->name, quoted_name(e, entry), slot);
    try_call(e, "ptrt_pipe_push_slot(core, %u, &%s, &%s)", (unsigned)e->line, pipe_name(e, pipe),
             slot);
}

void emit_tpush(Emitter *e, const LowerStmt *s) {
    const LowerPipe *pipe = pipe_of(e, s);
    const Value *entry = entry_of(s);
    if (pipe == NULL) return;
    if (type_is_view(entry->type)) {
        try_call(e, "ptrt_pipe_push_view(core, %u, &%s)", (unsigned)e->line, pipe_name(e, pipe));
        return;
    }
    if (pipe->converts) {
        emit_converting_push(e, s, pipe, entry);
        return;
    }
    try_call(e, "ptrt_pipe_push(core, %u, &%s, &%s, %lld, %s)", (unsigned)e->line,
             pipe_name(e, pipe), val(e, entry), split_of(s), subblock_arg(e, s));
}

typedef struct ValidSearch {
    const Value *tile;
    bool found;
} ValidSearch;

static void look_for_valid(const LowerStmt *s, void *arg) {
    ValidSearch *search = arg;
    search->found |= s->form == STMT_SET_VALID && stmt_value(s, 0) == search->tile;
}

/* Whether the program sets the valid region of a declared tile whose type has `?`. */
static bool is_stated(Emitter *e, const Value *tile) {
    ValidSearch search = {tile, false};
    lower_walk(&e->body->region, look_for_valid, &search);
    return search.found;
}

/* Returns the valid extent that a pop expects. */
static const char *popped_extent(Emitter *e, const LowerStmt *s, const Value *entry, bool rows) {
    const TileInfo *ti = &entry->type->tile;
    int64_t extent = rows ? ti->vrow : ti->vcol;
    const Value *v = stmt_named(s, rows ? OPERAND_valid_row : OPERAND_valid_col);
    if (extent != DYNAMIC) return extent_text(e, extent, "");
    if (v != NULL) return val(e, v);
    if (s->nresults == 0 && is_stated(e, entry))
        return strf(e, "%s.%s", val(e, entry), rows ? "vrow" : "vcol");
    return "PTRT_ABSENT";
}

void emit_tpop(Emitter *e, const LowerStmt *s) {
    const LowerPipe *pipe = pipe_of(e, s);
    const Value *entry = entry_of(s);
    if (pipe == NULL) return;
    if (s->nresults > 0) declare(e, entry);
    if (type_is_view(entry->type)) {
        try_call(e, "ptrt_pipe_pop_view(core, %u, &%s, %lld, &%s)", (unsigned)e->line,
                 pipe_name(e, pipe), split_of(s), val(e, entry));
        return;
    }
    const char *type = tile_type_ref(e, entry->type, s->span);
    if (type == NULL) return;
    const char *rows = popped_extent(e, s, entry, true), *cols = popped_extent(e, s, entry, false);
    try_call(e, "ptrt_pipe_pop(core, %u, &%s, %s, %s, %s, %lld, %s, &%s)", (unsigned)e->line,
             pipe_name(e, pipe), type, rows, cols, split_of(s), subblock_arg(e, s), val(e, entry));
}

void emit_tfree(Emitter *e, const LowerStmt *s) {
    const LowerPipe *pipe = pipe_of(e, s);
    if (pipe != NULL)
        try_call(e, "ptrt_pipe_free(core, %u, &%s)", (unsigned)e->line, pipe_name(e, pipe));
}
