/* SPDX-License-Identifier: Apache-2.0 */
/* Replaces instructions on logical vectors by those on registers: what the files of the pass
 * share. A vector of L lanes of w bits becomes its registers in order, ceil(L * w / 2048). Its last
 * register may have lanes that do not exist: they hold anything. A mask becomes one mask for each
 * register of the width that it is used with, and has no lanes that do not exist. */
#ifndef PASSES_LOWER_VMI_LOWER_H
#define PASSES_LOWER_VMI_LOWER_H

#include "ir/ir.h"
#include "ir/vector_code.h"
#include "support/ptrmap.h"

enum {
    REGISTER_BITS = 8 * VREG_BYTES,
    MOST_REGISTERS = 64, /* of a vector: each is a statement */
    MASK_WIDTHS = 3      /* b8, b16, b32 */
};

typedef struct Lowering Lowering;
typedef struct Row Row;

/* Lowers the statement l->op before l->pos; false after vmi_refuse(). */
typedef bool LowerFn(Lowering *l, const Row *row);

/* How a row differs from what its shape says. */
enum {
    ROW_UNSIGNED = 1,     /* signless lanes are unsigned, which those of registers are not */
    ROW_SIGNED_RIGHT = 2, /* a shift: its right lanes are signed */
    ROW_MERGES = 4,       /* the micro-instruction keeps inactive lanes, which here are 0 */
    ROW_ALONE = 8,        /* vectors of one register only */
    ROW_SIGNED = 16,      /* integers are signed, whatever their type */
    ROW_NO_SIGN = 32,     /* integers are unsigned, whatever their type */
    ROW_LAST_FIRST = 64,  /* the last vector is the first one of the micro-instruction */
    ROW_SAME = 128,       /* all lanes of a row have its first element */
    ROW_ANY_PMODE = 256   /* no lane is inactive, whatever pmode says */
};

/* A row of rows.def: an instruction, the shape of what it becomes, and micro-instructions. */
struct Row {
    LowerFn *lower;
    uint16_t to;   /* InstId */
    uint16_t each; /* of reductions: in each group of 32 bytes; of logic: on masks */
    uint16_t both; /* of reductions: of two registers */
    uint16_t flags;
};

/* The registers of a logical vector; NULL: it could not be lowered. */
typedef struct Registers {
    Value **at;
    uint32_t n;
} Registers;

/* A logical mask, which is made for a width when it is first used with it. */
typedef struct LaneMask {
    const Value *value; /* the logical mask */
    Op *before;         /* where it is made */
    uint32_t lanes;
    Value **at[MASK_WIDTHS]; /* masks of registers, by width; NULL: not made yet */
    /* Makes it for lanes of `bits`; NULL: it is converted from another width. */
    void (*make)(Lowering *l, struct LaneMask *m, unsigned bits);
    const Op *op; /* the statement that defines it, for `make` */
    InstId logic; /* of several masks: how they are combined */
    bool named;
} LaneMask;

/* A value that was made for the statement that is lowered, and after which it is named. */
typedef struct Made {
    Value *value;
    const Value *like;
} Made;

struct Lowering {
    Context *ctx;
    Arena *arena;
    PtrMap registers;  /* const Value * -> Registers * */
    PtrMap masks;      /* const Value * -> LaneMask * */
    PtrMap moved;      /* a value that is no vector -> what it is after its list grew */
    PtrMap homes;      /* Block -> Home *, of constants and masks that are made once */
    PtrMap computed;   /* Block -> the latest Computed of it */
    Op *op;            /* the statement that is lowered */
    Op *pos;           /* what is made is inserted before it */
    const Value *like; /* after which it is named */
    Made *made;
    uint32_t nmade, cap_made;
    Op **dead; /* statements that are replaced */
    uint32_t ndead, cap_dead;
    const Op *refused; /* the statement that was reported last */
    bool failed;
};

/* ---- build.c ---- */

/* Reports that the statement cannot be lowered, and why; the first reason only. Returns false. */
bool vmi_refuse(Lowering *l, const char *fmt, ...)
#ifdef __GNUC__
    __attribute__((format(printf, 2, 3)))
#endif
    ;
const Type *vmi_vreg(Lowering *l, Elem e);
const Type *vmi_mask_type(Lowering *l, unsigned bits);
/* Returns the integer type of a width; sign: 'I' signless, 'S' signed, 'U' unsigned. */
Elem vmi_int(unsigned bits, char sign);
/* Makes a statement with `n` operands and results of these types, ended by NULL. */
Op *vmi_op(Lowering *l, InstId id, Value *const *operands, unsigned n, const Type *const *results);
/* Makes a statement with one result, and returns that; of none if type is NULL. */
Value *vmi_value(Lowering *l, InstId id, const Type *type, Value *const *operands, unsigned n);
#define LOWER(l, id, type, ...)                                                                    \
    vmi_value((l), (id), (type), (Value *[]){__VA_ARGS__},                                         \
              sizeof((Value *[]){__VA_ARGS__}) / sizeof(Value *))
void vmi_attr(Lowering *l, Op *op, AttrName name, const Attr *value);
void vmi_word(Lowering *l, Op *op, AttrName name, EnumFamily family, const char *word);
/* An integer constant at the start of the function. */
Value *vmi_constant(Lowering *l, Elem e, int64_t number);
/* Returns whether the value is an integer constant, and which. */
bool vmi_known(const Value *v, int64_t *number);
/* offset + delta, both index; a sum beyond 64 bits is refused. */
Value *vmi_plus(Lowering *l, Value *offset, int64_t delta);
/* An integer as another integer type. */
Value *vmi_as(Lowering *l, Value *v, Elem e);
/* The same bits as lanes of another type. */
Value *vmi_cast(Lowering *l, Value *v, Elem e);
/* Masks of all lanes of a register, and of its first `lanes`. */
Value *vmi_prefix(Lowering *l, unsigned bits, uint32_t lanes);
static inline Value *vmi_full(Lowering *l, unsigned bits) {
    return vmi_prefix(l, bits, REGISTER_BITS / bits);
}
/* The instruction that makes a mask of lanes of this width from their number. */
InstId vmi_plt(unsigned bits);
/* A mask of the lanes [from, to) of a register. */
Value *vmi_range(Lowering *l, unsigned bits, uint32_t from, uint32_t to);
/* The lanes of both masks, of which the second is made by vmi_range(). */
Value *vmi_both(Lowering *l, Value *mask, Value *range, unsigned bits);
/* The result of a statement without attributes that computes; that of an earlier one in the block
 * that is the same. */
Value *vmi_same(Lowering *l, InstId id, const Type *type, Value *const *operands, unsigned n);
#define SAME(l, id, type, ...)                                                                     \
    vmi_same((l), (id), (type), (Value *[]){__VA_ARGS__},                                          \
             sizeof((Value *[]){__VA_ARGS__}) / sizeof(Value *))
/* Names what was made. */
void vmi_name_masks(Lowering *l, LaneMask *m, Value **at, uint32_t n);
void vmi_name_made(Lowering *l);

/* ---- values.c ---- */

static inline bool value_is_lanes(const Value *v) {
    return v->type->kind == TY_LANES;
}
static inline bool value_is_lane_mask(const Value *v) {
    return v->type->kind == TY_LANE_MASK;
}
static inline bool value_is_logical(const Value *v) {
    return type_is_logical(v->type);
}
static inline unsigned type_bits(const Type *t) {
    return elem_storage_bits((Elem)t->elem);
}
static inline uint32_t registers_for(uint32_t lanes, unsigned bits) {
    return (uint32_t)(((uint64_t)lanes * bits + REGISTER_BITS - 1) / REGISTER_BITS);
}
/* The lanes of register k that exist. */
static inline uint32_t lanes_of(uint32_t lanes, unsigned bits, uint32_t k) {
    const uint32_t held = REGISTER_BITS / bits, from = k * held;
    return lanes <= from ? 0 : lanes - from < held ? lanes - from : held;
}
/* The registers of a logical vector, which was lowered. */
Value **vmi_registers(Lowering *l, const Value *v);
/* Notes the registers of a result. */
void vmi_set(Lowering *l, const Value *result, Value **at, uint32_t n);
Value **vmi_room(Lowering *l, uint32_t n);
/* Returns what replaces a value that is no vector. */
Value *vmi_current(Lowering *l, Value *v);
/* The value of a slot after vmi_current(); NULL: it is left out. */
Value *vmi_slot(Lowering *l, OperandName name);
const NamedAttr *vmi_attr_of(const Lowering *l, AttrName name);
/* Returns the integer or the number of the word of an attribute, or another. */
int64_t vmi_number(const Lowering *l, AttrName name, int64_t absent);
/* Changes lists of operands, results and arguments: in each place of a logical value are its
 * registers. False if that is not possible. */
bool vmi_operands(Lowering *l, Op *op);
bool vmi_results(Lowering *l, Op *op);
bool vmi_arguments(Lowering *l, Block *b);

/* ---- masks.c ---- */

/* Returns the masks of the registers of lanes of this width. */
Value **vmi_masks(Lowering *l, const Value *mask, unsigned bits);
/* The same; of all lanes that exist if the mask is NULL. */
Value *vmi_mask_of(Lowering *l, const Value *mask, unsigned bits, uint32_t lanes, uint32_t k);
/* Notes a mask whose registers are known for one width. */
void vmi_set_mask(Lowering *l, const Value *result, unsigned bits, Value **at);
/* Notes a mask that is an argument of a block: it has a mask for each 256 lanes. */
void vmi_set_argument(Lowering *l, const Value *value, Op *before, Value **at);
LowerFn vmi_count_mask, vmi_group_mask, vmi_constant_mask, vmi_pattern_mask, vmi_rest_mask,
    vmi_mask_logic;

/* ---- inline.c ---- */

/* True for a function with vectors as parameters or results. */
bool vmi_passes_vectors(const Op *func);
/* Puts the statements of such functions in the place of their calls. Those with several blocks
 * stay. */
void vmi_inline_calls(Lowering *l, Module *m);

/* ---- shapes ---- */

LowerFn vmi_elementwise, vmi_bitwise, vmi_compare, vmi_alias;      /* elementwise.c */
LowerFn vmi_reduce, vmi_histogram;                                 /* reduce.c */
LowerFn vmi_broadcast, vmi_count, vmi_constant_lanes;              /* make.c */
LowerFn vmi_convert, vmi_recast;                                   /* convert.c */
LowerFn vmi_zip, vmi_unzip, vmi_split, vmi_merge, vmi_exponential; /* rearrange.c */
LowerFn vmi_load, vmi_store, vmi_masked_load, vmi_load2, vmi_store2, vmi_block_load,
    vmi_block_store, vmi_gather, vmi_gather_blocks, vmi_scatter; /* memory.c */
LowerFn vmi_group_load, vmi_group_store;                         /* rows.c */
LowerFn vmi_not_written; /* lower.c: there is no short form of registers */

/* Numbers of the register lanes: base + k * held + i, as integers of the width. */
Value *vmi_numbers(Lowering *l, Elem e, int64_t first);
/* A number in each lane. */
Value *vmi_splat(Lowering *l, Elem e, int64_t number);
/* The lanes, with 0 in the inactive ones of a mask of the register. */
Value *vmi_zeroed(Lowering *l, Value *v, Value *mask);
/* Doubles the width of lanes, with zeros before them. */
Registers vmi_widened(Lowering *l, Registers x, unsigned bits, uint32_t lanes);
/* The lanes of two lists of registers in turn: twice as many registers. */
Value **vmi_zipped(Lowering *l, Value **a, Value **b, uint32_t n);
/* log2 of a power of two; -1 of other numbers. */
static inline int vmi_log2(uint32_t n) {
    int k = 0;
    while (n > 1 && n % 2 == 0) {
        n /= 2;
        k++;
    }
    return n == 1 ? k : -1;
}
/* lanes >> log2 n, unsigned. */
Value *vmi_divided(Lowering *l, Value *lanes, uint32_t n);
/* Packs lanes into registers of half the width: the low bits of each. */
Registers vmi_packed(Lowering *l, Registers wide, unsigned bits, uint32_t lanes);

#endif
