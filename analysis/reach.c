/* SPDX-License-Identifier: Apache-2.0 */
/* Which bytes micro-instructions touch from their pointers on: lanes, bursts, blocks of a matrix.
 */
#include "analysis/reach.h"

#include "ir/vector_code.h"

#include <string.h>

/* ---- lanes ---- */

/* Returns the operand that moves the address of lanes. */
static const Value *moved_by(const Op *op) {
    static const OperandName names[] = {OPERAND_offset, OPERAND_increment, OPERAND_repeat_stride};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const Value *v = named_value(op, names[i]);
        if (v != NULL) return v;
    }
    return NULL;
}

const Operand *reach_moved(const Op *op) {
    const Inst *inst = op->inst;
    const bool moves =
        inst_is_micro(inst) && op->nresults > 0 && is_memory(op->results[op->nresults - 1].type);
    for (int s = 0; moves && s < inst->nslots; s++)
        if (slot_count(op, s) == 1 && is_memory(slot_value(op, s)->type))
            return &slot_operands(op, s)[0];
    return NULL;
}

static const SlotInfo *slot_of(const Op *op, const Value *pointer) {
    for (int s = 0; s < op->inst->nslots; s++)
        if (slot_value(op, s) == pointer) return &op->inst->slots[s];
    return NULL;
}

Place reach_next(Numbers *t, const Op *op, const Place *p) {
    const Operand *pointer = reach_moved(op);
    const SlotInfo *slot = slot_of(op, pointer->value);
    const Value *by = moved_by(op);
    if (slot == NULL || by == NULL || slot->touched.kind != TOUCH_LANES)
        return place_somewhere(t, p, &op->results[op->nresults - 1]);
    const int64_t unit =
        slot->touched.unit != 0 ? slot->touched.unit : element_bytes(pointer->value->type);
    Place out = place_run(t, p, by, unit, 1);
    out.lines = out.line = out.pitch = 0;
    out.bytes = INT64_MAX;
    if (out.end != INT64_MIN) out.end = INT64_MAX;
    return out;
}

/* Returns the bytes that lanes take in memory, at most, as the attribute `dist` says. */
static int64_t span_of(const Op *op, int64_t otherwise) {
    const NamedAttr *a = op_attr_named(op, ATTR_dist);
    if (a == NULL || a->value->kind != ATTR_ENUM) return otherwise;
    const char *text = enum_infos[a->value->family].values[a->value->i].text;
    if (strncmp(text, "DS", 2) == 0 && otherwise == 256) return 512;
    if (strcmp(text, "BRC_BLK") == 0 || strcmp(text, "E2B_B32") == 0) return 32;
    if (strcmp(text, "E2B_B16") == 0) return 16;
    if (strncmp(text, "BRC_B", 5) == 0 || strncmp(text, "1PT_B", 5) == 0)
        return strcmp(text + 5, "8") == 0 ? 1 : strcmp(text + 5, "16") == 0 ? 2 : 4;
    return otherwise;
}

static Place lanes(Numbers *t, const Op *op, const Access *a, const Place *p) {
    const Touched *touched = a->touched;
    const int64_t unit = touched->unit != 0 ? touched->unit : element_bytes(a->value->type);
    const Value *by = reach_moved(op) == NULL ? moved_by(op) : NULL;
    return place_run(t, p, by, unit, span_of(op, touched->span));
}

/* ---- bursts ---- */

/* The bytes of the bursts and of the loops around them. */
typedef struct Bursts {
    int64_t line, lines, pitch; /* lines 0: there are gaps of several kinds */
    int64_t bytes;              /* from the first to the last; INT64_MAX: not known */
    bool exact;                 /* it is all of these */
} Bursts;

enum { MOST = 1 << 30, MOST_ON_CHIP = 1 << 19, MOST_LINES = 4096 };

/* An integer, at most. */
typedef struct Most {
    int64_t n; /* -1: not known */
    bool exact;
} Most;

static Most most_of(Numbers *t, const Value *v, int64_t unit) {
    const Number *n = v != NULL ? number_of(t, v) : NULL;
    int64_t c;
    if (n == NULL || !n->exact || n->lo < 0 || n->hi > MOST / unit) return (Most){-1, false};
    return (Most){n->hi * unit, affine_is(&n->form, &c)};
}

static Most named_most(Numbers *t, const Op *op, OperandName name, int64_t unit) {
    return most_of(t, named_value(op, name), unit);
}

static Bursts one_burst(Most len) {
    if (len.n < 0) return (Bursts){.bytes = INT64_MAX};
    return (Bursts){.line = len.n, .lines = 1, .bytes = len.n, .exact = len.exact};
}

/* Adds a loop of `count` iterations, `stride` apart. On the chip there are no more than fit. */
static void add_loop(Bursts *b, Most count, Most stride, bool on_chip) {
    if (count.n < 0 && on_chip && stride.n > 0 && b->bytes != INT64_MAX)
        count.n = MOST_ON_CHIP / stride.n + 1;
    if (count.n < 0 || stride.n < 0 || b->bytes == INT64_MAX) {
        *b = (Bursts){.bytes = INT64_MAX};
        return;
    }
    b->exact &= count.exact && stride.exact;
    if (count.n <= 1) return;
    if (!stride.exact && b->lines > 0) {
        b->lines = 0;
    } else if (b->lines == 1 && stride.n == b->line) {
        b->line *= count.n;
    } else if (b->lines == 1 && stride.n > b->line) {
        b->lines = count.n;
        b->pitch = stride.n;
    } else if (b->lines > 1 && stride.n == b->lines * b->pitch) {
        b->lines *= count.n;
    } else {
        b->lines = 0;
    }
    if (b->lines > MOST_LINES) b->lines = 0;
    b->bytes += (count.n - 1) * stride.n;
    if (b->bytes > (int64_t)MOST << 8) *b = (Bursts){.bytes = INT64_MAX};
}

static Place place_bursts(const Place *p, const Bursts *b) {
    return place_lines(p, b->lines, b->line, b->pitch, b->bytes, !b->exact);
}

static const Value *item(const Op *op, OperandName name, unsigned i) {
    const int slot = inst_slot(op->inst, name);
    return slot >= 0 && i < slot_count(op, slot) ? slot_operands(op, slot)[i].value : NULL;
}

/* Adds the padding of a burst in the vector memory. */
static Most padded(Numbers *t, const Op *op, const Access *a, Most len) {
    const int64_t size = element_bytes(a->value->type);
    Most more[2] = {{0, true}, {0, true}};
    if (named_value(op, OPERAND_pad) == NULL || !a->write || len.n < 0) return len;
    if (named_value(op, OPERAND_left) != NULL) more[0] = named_most(t, op, OPERAND_left, size);
    if (named_value(op, OPERAND_right) != NULL) more[1] = named_most(t, op, OPERAND_right, size);
    if (more[0].n < 0 || more[1].n < 0) return (Most){-1, false};
    return (Most){(len.n + more[0].n + more[1].n + 31) / 32 * 32,
                  len.exact && more[0].exact && more[1].exact};
}

static Place bursts(Numbers *t, const Op *op, const Access *a, const Place *p) {
    const int64_t unit = a->touched->unit;
    const bool source = strcmp(a->slot->name, "src") == 0, on_chip = !place_is_memory(p);
    const Most len = padded(t, op, a, named_most(t, op, OPERAND_len, unit));
    const OperandName gap = source ? OPERAND_src_gap : OPERAND_dst_gap;
    Most stride = inst_slot(op->inst, gap) >= 0
                      ? named_most(t, op, gap, unit)
                      : named_most(t, op, source ? OPERAND_src_stride : OPERAND_dst_stride, unit);
    if (a->touched->gaps && stride.n >= 0)
        stride = (Most){len.n < 0 ? -1 : stride.n + len.n, stride.exact && len.exact};
    Bursts b = one_burst(len);
    add_loop(&b, named_most(t, op, OPERAND_count, 1), stride, on_chip);
    for (unsigned i = 0; item(op, OPERAND_loop_counts, i) != NULL; i++)
        add_loop(&b, most_of(t, item(op, OPERAND_loop_counts, i), 1),
                 most_of(t,
                         item(op, source ? OPERAND_loop_src_strides : OPERAND_loop_dst_strides, i),
                         1),
                 on_chip);
    return place_bursts(p, &b);
}

/* ---- blocks of 32 bytes ---- */

static Place columns(Numbers *t, const Op *op, const Access *a, const Place *p) {
    enum { BLOCK = 32 };
    const int64_t size = element_bytes(a->value->type);
    const Most depth = named_most(t, op, OPERAND_d_value, size);
    Bursts b = one_burst((Most){BLOCK, true});
    add_loop(&b, named_most(t, op, OPERAND_n_value, 1),
             named_most(t, op, OPERAND_loop2_stride, BLOCK), true);
    add_loop(&b, (Most){depth.n < 0 ? -1 : (depth.n + BLOCK - 1) / BLOCK, depth.exact},
             named_most(t, op, OPERAND_loop3_stride, BLOCK), true);
    add_loop(&b, named_most(t, op, OPERAND_group_count, 1),
             named_most(t, op, OPERAND_loop4_stride, BLOCK), true);
    return place_bursts(p, &b);
}

static Place filled(Numbers *t, const Op *op, const Place *p) {
    enum { BLOCK = 32 };
    const Most len = named_most(t, op, OPERAND_blocks, BLOCK),
               gap = named_most(t, op, OPERAND_gap, BLOCK);
    const Most stride = {len.n < 0 || gap.n < 0 ? -1 : len.n + gap.n, len.exact && gap.exact};
    const Value *offset = named_value(op, OPERAND_offset);
    const Place from = offset != NULL ? place_run(t, p, offset, 1, BLOCK) : *p;
    Bursts b = one_burst(len);
    add_loop(&b, named_most(t, op, OPERAND_count, 1), stride, true);
    return place_bursts(&from, &b);
}

/* ---- blocks of a matrix ---- */

/* The blocks of 512 bytes that a load by blocks reads or writes, from the pointer on; -1: not
 * known.
 */
static int64_t counted_blocks(Numbers *t, const Op *op, const Access *a) {
    const int64_t m = named_most(t, op, OPERAND_m_step, 1).n,
                  k = named_most(t, op, OPERAND_k_step, 1).n,
                  from_m = named_most(t, op, OPERAND_m_start, 1).n,
                  from_k = named_most(t, op, OPERAND_k_start, 1).n,
                  src = named_most(t, op, OPERAND_src_stride, 1).n,
                  dst = named_most(t, op, OPERAND_dst_stride, 1).n;
    const bool transposed = op_attr_named(op, ATTR_transpose) != NULL;
    if (m <= 0 || k <= 0 || from_m < 0 || from_k < 0 || src < 0 || dst < 0) return -1;
    if (!a->write) return (from_k + k - 1) * src + from_m + m;
    return transposed ? -1 : (k - 1) * dst + m;
}

static Place blocks(Numbers *t, const Op *op, const Access *a, const Place *p) {
    const int64_t element = element_bytes(a->value->type);
    const int64_t rows = most_of(t, slot_value(op, a->touched->rows.slot[0] - 1), 1).n,
                  cols = most_of(t, slot_value(op, a->touched->cols.slot[0] - 1), element).n;
    int64_t bytes = INT64_MAX;
    if (rows >= 0 && cols >= 0) {
        /* Blocks of an accumulator have 16 columns of 4 bytes, which is two of 32 bytes. */
        bytes = (rows + 15) / 16 * 16 * ((cols + 63) / 64 * 64);
    } else {
        const int64_t n = counted_blocks(t, op, a);
        if (n >= 0 && n <= MOST / 512) bytes = n * 512;
    }
    return place_lines(p, 0, 0, 0, bytes, true);
}

/* ---- logical vectors ---- */

/* Returns the lanes that go to or from memory. */
static int64_t logical_lanes(const Op *op) {
    int64_t n = 0;
    for (int r = 0; r < op->nresults; r++)
        if (op->results[r].type->kind == TY_LANES) n += op->results[r].type->count;
    static const OperandName stored[] = {OPERAND_value, OPERAND_low, OPERAND_high};
    for (size_t i = 0; i < sizeof stored / sizeof stored[0] && op->nresults == 0; i++) {
        const Value *v = named_value(op, stored[i]);
        if (v != NULL && v->type->kind == TY_LANES) n += v->type->count;
    }
    return n;
}

static int64_t logical_groups(const Op *op) {
    int64_t n;
    return op_groups(op, &n) && n > 0 ? n : 1;
}

/* One element of each row. */
static bool logical_is_brc(const Op *op, const Access *a) {
    const NamedAttr *mode = op_attr_named(op, ATTR_dist_mode);
    return a->touched->kind == TOUCH_ROW_STARTS ||
           (mode != NULL && mode->value->kind == ATTR_ENUM && enum_number(mode->value) == 1);
}

/* Rows of a stride that is a constant, and what is in order; blocks are somewhere after the
 * pointer. */
static Place logical(Numbers *t, const Op *op, const Access *a, const Place *p) {
    const int64_t unit = element_bytes(a->value->type), groups = logical_groups(op);
    const Value *stride = named_value(op, OPERAND_stride);
    const bool masked = named_value(op, OPERAND_mask) != NULL;
    const int64_t row = logical_is_brc(op, a) ? unit : logical_lanes(op) / groups * unit;
    Place from = place_run(t, p, named_value(op, OPERAND_offset), unit, row * groups);
    int64_t step;
    const Number *n = stride != NULL ? number_of(t, stride) : NULL;
    if (named_value(op, OPERAND_repeat_stride) != NULL || a->touched->kind == TOUCH_LANE_BLOCKS ||
        (n != NULL && (!affine_is(&n->form, &step) || step < 0 || step > MOST)))
        return place_lines(&from, 0, 0, 0, INT64_MAX, true);
    if (n == NULL || step * unit == row || groups == 1) {
        from.rough |= masked;
        return from;
    }
    return place_lines(&from, step * unit > row ? groups : 0, row, step * unit,
                       (groups - 1) * step * unit + row, masked || step * unit < row);
}

Place reach_bytes(Numbers *t, const Op *op, const Access *a, const Place *p) {
    switch ((TouchedKind)a->touched->kind) {
    case TOUCH_LANES:
        return lanes(t, op, a, p);
    case TOUCH_BURSTS:
        return bursts(t, op, a, p);
    case TOUCH_BLOCKS:
        return blocks(t, op, a, p);
    case TOUCH_COLUMNS:
        return columns(t, op, a, p);
    case TOUCH_FILLED:
        return filled(t, op, p);
    case TOUCH_LOGICAL:
    case TOUCH_ROW_STARTS:
    case TOUCH_LANE_BLOCKS:
        return logical(t, op, a, p);
    default:
        return place_lines(p, 0, 0, 0, INT64_MAX, true);
    }
}
