/* ptort.h - the tile runtime that emitted C calls: cores, tiles, views, launch, tile kernels.
 *
 * Plain C11 (also C++ and tcc): no thread-locals, atomics, intrinsics or _Float16. Emitted code and
 * callers of emitted code include only this header.
 *
 * Errors. Functions that return int return PTRT_OK (0) or a PTRT_E code. When a core is at hand the
 * text of the error, with the .pto line, is kept for ptrt_error(). A body that sees a code other
 * than 0 returns it at once; the launch then ends every core. `line` is the line of the statement
 * in the .pto file.
 *
 * Units. Rows, cols, valid extents, shapes, strides and offsets count elements (a packed pair such
 * as f4e2m1x2 is one); what is called addr, bytes or size counts bytes.
 *
 * Ownership. Tiles and views are handles: the caller owns the struct and the memory it names, and
 * no call keeps a pointer to a struct after it returns. Only ptrt_tile_* and ptrt_view_* fill them.
 *
 * Kernels. A statement is a call ptrt_<driver>(core, line, PTRT_<kernel>, operands, attributes):
 * the driver knows the shape of the operation (two tiles to one, a reduction along rows, ...), the
 * kernel says which one it is, and the element types of the tiles choose the code. A combination
 * that no code exists for is PTRT_E_TYPE. Optional tiles are NULL, attributes are ints, scalars of
 * the tile's element type are int64_t (ptrt_<driver>_i: sign- or zero-extended by type) or double
 * (ptrt_<driver>_f: exact for every float type; narrowed once). ptort_kernels.def lists the
 * kernels.
 *
 * Semantics. A kernel works on the valid region of its destination, honours every layout, and
 * returns PTRT_E_BOUNDS or PTRT_E_VALID when an operand leaves its memory or its shape. An empty
 * region does nothing. src == dst (the same tile) is right wherever the instruction allows it;
 * other overlaps give a result that is the same on every machine and not specified further. Which
 * payload a NaN result carries is not specified.
 */
#ifndef PTORT_H
#define PTORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define PTRT_VERSION 2

#if defined(__GNUC__) && !defined(__TINYC__)
#define PTRT_API __attribute__((visibility("default")))
#define PTRT_PRINTF(f, a) __attribute__((format(printf, f, a)))
#else
#define PTRT_API
#define PTRT_PRINTF(f, a)
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Codes and constants. The numbers are those of the language where it has them. ---- */

enum ptrt_code {
    PTRT_OK = 0,
    PTRT_E_BOUNDS = 1, /* bytes outside the memory of a tile, view, space or slot */
    PTRT_E_VALID = 2, /* valid extents above the shape, negative, or not equal where they must be */
    PTRT_E_OVERLAP = 3,  /* operands that an instruction forbids to overlap do */
    PTRT_E_DEADLOCK = 4, /* every core that is left waits */
    PTRT_E_ASSERT = 5,   /* cf.assert */
    PTRT_E_NOMEM = 6,    /* memory or threads are exhausted */
    PTRT_E_ALIGN = 7,    /* an address that is not aligned as its space demands */
    PTRT_E_TYPE = 8,     /* a tile or view that a caller passed does not fit the parameter's type */
    PTRT_E_ARG = 9,      /* any other wrong argument (block count, step, slot size, ...) */
    PTRT_E_SYNC = 10,    /* checked mode: a flag set twice, or waited for and never set */
    PTRT_E_STOPPED = 11, /* another core failed; this one was asked to end */
    PTRT_E_TRAP = 12     /* pto.trap */
};

enum ptrt_elem {
    PTRT_I8 = 0,
    PTRT_U8,
    PTRT_I16,
    PTRT_U16,
    PTRT_I32,
    PTRT_U32,
    PTRT_I64,
    PTRT_U64,
    PTRT_F16,
    PTRT_BF16,
    PTRT_F32,
    PTRT_F64,
    PTRT_TF32,
    PTRT_F8E4M3,
    PTRT_F8E4M3FN,
    PTRT_F8E4M3FNUZ,
    PTRT_F8E4M3B11FNUZ,
    PTRT_F8E5M2,
    PTRT_F8E5M2FNUZ,
    PTRT_HIF8,
    PTRT_F8E8M0,
    PTRT_F4E1M2X2,
    PTRT_F4E2M1X2,
    PTRT_HIF8X2,
    PTRT_BF16X2,
    PTRT_ELEMS
};

enum ptrt_space {
    PTRT_GM = 1, /* also: a tile over caller memory */
    PTRT_MAT = 2,
    PTRT_LEFT = 3,
    PTRT_RIGHT = 4,
    PTRT_ACC = 5,
    PTRT_VEC = 6,
    PTRT_BIAS = 7,
    PTRT_SCALING = 8,
    PTRT_SPACES = 9
};

enum ptrt_blayout { PTRT_ROW_MAJOR = 0, PTRT_COL_MAJOR = 1 };
enum ptrt_slayout { PTRT_NONE_BOX = 0, PTRT_BOX_ROW_MAJOR = 1, PTRT_BOX_COL_MAJOR = 2 };
enum ptrt_pad { PTRT_PAD_NULL = 0, PTRT_PAD_ZERO = 1, PTRT_PAD_MAX = 2, PTRT_PAD_MIN = 3 };
enum ptrt_compact { PTRT_COMPACT_NULL = 0, PTRT_COMPACT_NORMAL = 1, PTRT_ROW_PLUS_ONE = 2 };
enum ptrt_layout {
    PTRT_VIEW_ND = 0,
    PTRT_VIEW_DN = 1,
    PTRT_VIEW_NZ = 2,
    PTRT_VIEW_MX_A_ZZ = 3,
    PTRT_VIEW_MX_B_NN = 4
};

/* Whether calls and library agree on the numbers of kernels. */
#define PTRT_TABLE ((uint32_t)PTRT_VERSION << 16 | (uint32_t)PTRT_KERNELS)

/* What a driver is asked for; the numbers hold for one table (ptrt_kernel.table). */
enum ptrt_kernel_id {
    PTRT_NO_KERNEL,
#define KERNEL(id, ...) PTRT_##id,
#include "ptort_kernels.def"
    PTRT_KERNELS
};

/* Comparisons, numbered as in the language. */
enum ptrt_cmp { PTRT_CMP_EQ, PTRT_CMP_NE, PTRT_CMP_LT, PTRT_CMP_LE, PTRT_CMP_GT, PTRT_CMP_GE };

/* What leaves an accumulator or a core, numbered as in the language. */
enum ptrt_relu { PTRT_NO_RELU, PTRT_NORMAL_RELU };
enum ptrt_atomic { PTRT_ATOMIC_NONE, PTRT_ATOMIC_ADD };
enum ptrt_to_vec { PTRT_TO_VECTOR0, PTRT_TO_VECTOR1, PTRT_SPLIT_ROWS, PTRT_SPLIT_COLS };

/* An attribute that the text left out, where the instruction gives absence a meaning of its own. */
#define PTRT_ABSENT (-1)

typedef uint16_t ptrt_f16;  /* IEEE binary16 bits */
typedef uint16_t ptrt_bf16; /* bfloat16 bits */
typedef struct ptrt_i16x4 { /* vector<4xi16> */
    int16_t at[4];
} ptrt_i16x4;

/* One core of a running launch. Made by ptrt_launch, handed on by emitted code, never kept. */
typedef struct ptrt_core ptrt_core;

/* ---- Errors ---- */

/* The text of the last launch of the calling thread that failed, e.g.
 * "k.pto:12: pto.tadds: must hold: src and dst have equal valid rows (..)"; "" when there was none.
 * The pointer stays good until this thread launches again or ends. */
PTRT_API const char *ptrt_error(void);

/* Records an error for the launch and returns `code`. The text gets "<file>:<line>: " in front. The
 * first failure of a launch is the one that ptrt_error() gives. */
PTRT_API int ptrt_fail(ptrt_core *core, int code, uint32_t line, const char *fmt, ...)
    PTRT_PRINTF(4, 5);

/* ---- Tiles ---- */

/* What a tile type says; emitted code keeps one `static const` per distinct type. */
typedef struct ptrt_tile_type {
    uint8_t elem;     /* enum ptrt_elem */
    uint8_t space;    /* enum ptrt_space */
    uint8_t blayout;  /* enum ptrt_blayout: of the profile, not of the text, for left tiles */
    uint8_t slayout;  /* enum ptrt_slayout */
    uint16_t fractal; /* 512, 1024 or 32 */
    uint8_t pad;      /* enum ptrt_pad */
    uint8_t compact;  /* enum ptrt_compact */
    int64_t rows;     /* shape, > 0 */
    int64_t cols;
} ptrt_tile_type;

/* How one coordinate i of a tile becomes an element offset: (i / box) * outer + (i % box) * inner.
 * Every layout is the sum of one such term for the row and one for the column. */
typedef struct ptrt_axis {
    int64_t box;
    int64_t outer;
    int64_t inner;
} ptrt_axis;

/* A tile: memory, place, shape, valid region. Readable by anyone; filled by the functions below,
 * which check that it lies in its memory: calls rely on `at` and `key`. */
typedef struct ptrt_tile {
    unsigned char *at; /* element (0,0): base + addr */
    uint64_t key;   /* element type, order of the elements, valid region and distance of its lines.
                       Equal keys: every element lies as far from element (0,0) in both tiles. 0:
                       calls take the long way, which checks all again */
    int64_t n;      /* elements of the valid region when it is one run of memory, else 0 */
    uint64_t bytes; /* bytes from element (0,0) to the end of the last element */
    unsigned char *base; /* first byte of the space's array, or of the caller's memory */
    uint64_t size;       /* bytes of that memory */
    uint64_t addr;       /* byte address of element (0,0) in it */
    uint64_t last;       /* largest legal addr: size minus the bytes that the tile spans */
    int64_t rows, cols;  /* shape: bounds the valid region */
    int64_t srows,
        scols; /* extents that give the strides: the shape, or the parent's for a subview */
    int64_t vrow, vcol; /* valid region, a prefix of the shape */
    ptrt_axis row, col; /* the layout, worked out */
    int64_t lines, length; /* key is not 0: the valid region as lines of neighbouring elements */
    ptrdiff_t ld[3];       /* elements from one line to the next: for each operand of a call */
    uint8_t elem, space, blayout, slayout;
    uint16_t fractal;
    uint8_t pad, compact;
} ptrt_tile;

/* Bytes of one element; 0 for a number that is no element type. */
PTRT_API uint32_t ptrt_elem_size(int elem);

/* Binds `out` to byte address `addr` of the space `type->space` of this core, with the given valid
 * region. Fails for an address that is negative or no multiple of 32, for a tile that leaves the
 * space, and for a valid region that leaves the shape. The contents stay as they are. */
PTRT_API int ptrt_tile_bind(ptrt_core *core, const ptrt_tile_type *type, int64_t addr, int64_t vrow,
                            int64_t vcol, uint32_t line, ptrt_tile *out);

/* A tile over the caller's memory (`bytes` long, aligned to the element size), to be passed to an
 * emitted function. No core and no text: PTRT_E_TYPE, PTRT_E_BOUNDS, PTRT_E_ALIGN, PTRT_E_VALID. */
PTRT_API int ptrt_tile_init(ptrt_tile *out, const ptrt_tile_type *type, void *mem, uint64_t bytes,
                            int64_t vrow, int64_t vcol);

/* pto.tassign: the same tile at another address of its space. `out` may be `tile`. */
PTRT_API int ptrt_tile_assign(ptrt_core *core, uint32_t line, const ptrt_tile *tile, int64_t addr,
                              ptrt_tile *out);

/* pto.set_validshape. */
PTRT_API int ptrt_tile_set_valid(ptrt_core *core, uint32_t line, ptrt_tile *tile, int64_t vrow,
                                 int64_t vcol);

/* pto.subview: rows x cols elements of `src` from (row, col); keeps the parent's strides. A window
 * that leaves the parent's shape is an error; in boxed layouts row and col are multiples of the
 * box. */
PTRT_API int ptrt_tile_subview(ptrt_core *core, uint32_t line, const ptrt_tile *src, int64_t row,
                               int64_t col, int64_t rows, int64_t cols, int64_t vrow, int64_t vcol,
                               ptrt_tile *out);

/* pto.bitcast, pto.treshape: the bytes of `src` read as another type. */
PTRT_API int ptrt_tile_recast(ptrt_core *core, uint32_t line, const ptrt_tile *src,
                              const ptrt_tile_type *type, int64_t vrow, int64_t vcol,
                              ptrt_tile *out);

/* pto.tsubview: makes dst, whose valid region counts, a window of src; its shape ends where src's
 * does. */
PTRT_API int ptrt_tile_window(ptrt_core *core, uint32_t line, const ptrt_tile *src, int64_t row,
                              int64_t col, ptrt_tile *dst);

/* pto.subset: the valid extent of a window of `size` at `offset` of a tile with `valid` ones. */
PTRT_API int64_t ptrt_subset_valid(int64_t valid, int64_t offset, int64_t size);

/* pto.treshape into a tile with an address of its own: the bytes are copied. */
PTRT_API int ptrt_tile_copy(ptrt_core *core, uint32_t line, const ptrt_tile *src,
                            const ptrt_tile *dst);

/* pto.multi_tile_get: tile number `slot` of `count` tiles that lie `stride` bytes apart. Another
 * number is an error in checked mode, else it counts modulo `count`. */
PTRT_API int ptrt_tile_slot(ptrt_core *core, uint32_t line, const ptrt_tile *first, int64_t slot,
                            int64_t count, int64_t stride, ptrt_tile *out);

/* pto.tgetval, pto.tsetval: the address of element number i of the tile's storage. */
PTRT_API int ptrt_tile_elem(ptrt_core *core, uint32_t line, const char *op, const ptrt_tile *tile,
                            int64_t i, void **out);

/* Element of an array on a core's stack: its number in row-major order. */
PTRT_API int ptrt_array_index(ptrt_core *core, uint32_t line, const char *op, int rank,
                              const int64_t *extent, const int64_t *index, int64_t *out);

/* pto.tile_buf_addr: the byte offset in its space. A tile over the caller's memory has none. */
PTRT_API int ptrt_tile_addr(ptrt_core *core, uint32_t line, const ptrt_tile *tile, int64_t *out);

/* A tile parameter that came from a caller: element type, shape and layout must be those of `type`;
 * vrow and vcol must be the given ones, or any (PTRT_ABSENT) where the type has `?`. */
PTRT_API int ptrt_tile_expect(ptrt_core *core, uint32_t line, const ptrt_tile *tile,
                              const ptrt_tile_type *type, int64_t vrow, int64_t vcol);

/* Whether two tiles share a byte of their shapes. Those in different spaces never do. */
PTRT_API bool ptrt_overlap(const ptrt_tile *a, const ptrt_tile *b);

/* ---- Views of global memory ---- */

/* Dimensions are right-aligned: rank n uses entries 5-n .. 4, the others have extent 1. */
typedef struct ptrt_view {
    unsigned char *base; /* address of element (0, 0, 0, 0, 0) of this window */
    int64_t shape[5];
    int64_t stride[5]; /* elements */
    uint8_t elem;      /* enum ptrt_elem */
    uint8_t layout;    /* enum ptrt_layout */
    uint8_t rank;      /* 0..5, for ptrt_view_dim */
    uint8_t plain;     /* 1 + log2 of an element's bytes where the window is rows of neighbouring
                          elements, else 0; the functions below work it out */
} ptrt_view;

/* pto.make_tensor_view. `shape` and `stride` have `rank` entries, outermost first. */
PTRT_API int ptrt_view_make(ptrt_core *core, uint32_t line, const void *base, int elem, int rank,
                            const int64_t *shape, const int64_t *stride, int layout,
                            ptrt_view *out);

/* pto.partition_view. `off` and `size` have src->rank entries; `rank`, at most src->rank, is that
 * of the result type: where it is smaller, dimensions of extent 1 are left out, outermost first. In
 * checked mode a window that leaves `src` is an error. `out` may be `src`. */
PTRT_API int ptrt_view_part(ptrt_core *core, uint32_t line, const ptrt_view *src,
                            const int64_t *off, const int64_t *size, int rank, ptrt_view *out);

/* pto.get_tensor_view_dim, _stride. Out of range: 0, an error in checked mode. */
PTRT_API int ptrt_view_dim(ptrt_core *core, uint32_t line, const ptrt_view *view, int64_t dim,
                           int64_t *out);
PTRT_API int ptrt_view_stride(ptrt_core *core, uint32_t line, const ptrt_view *view, int64_t dim,
                              int64_t *out);

/* Rows and columns of the window that a load or store would see, by its layout. */
PTRT_API int64_t ptrt_view_rows(const ptrt_view *view);
PTRT_API int64_t ptrt_view_cols(const ptrt_view *view);

/* A view over caller memory, for a parameter of an emitted function: PTRT_E_ARG without a text. */
PTRT_API int ptrt_view_init(ptrt_view *out, const void *base, int elem, int rank,
                            const int64_t *shape, const int64_t *stride, int layout);

/* ---- Scalar access (pto.load_scalar, pto.store_scalar, tgetval of caller code, ...) ---- */

/* Always legal, also unaligned, never a typed dereference: v = ptrt_load_f32(p, i). `i` counts
 * elements and may be negative. The element names are those of the kernels. */
#define PTRT_FOR_INT(X)                                                                            \
    X(i8, int8_t)                                                                                  \
    X(u8, uint8_t)                                                                                 \
    X(i16, int16_t)                                                                                \
    X(u16, uint16_t)                                                                               \
    X(i32, int32_t)                                                                                \
    X(u32, uint32_t)                                                                               \
    X(i64, int64_t)                                                                                \
    X(u64, uint64_t)
#define PTRT_FOR_FLOAT(X)                                                                          \
    X(f16, ptrt_f16)                                                                               \
    X(bf16, ptrt_bf16)                                                                             \
    X(f32, float)                                                                                  \
    X(f64, double)
#define PTRT_FOR_ARITH(X) PTRT_FOR_INT(X) PTRT_FOR_FLOAT(X)

#define PTRT_DEF_ACCESS(E, T)                                                                      \
    static inline T ptrt_load_##E(const void *p, int64_t i) {                                      \
        T v;                                                                                       \
        memcpy(&v, (const unsigned char *)p + i * (int64_t)sizeof v, sizeof v);                    \
        return v;                                                                                  \
    }                                                                                              \
    static inline void ptrt_store_##E(void *p, int64_t i, T v) {                                   \
        memcpy((unsigned char *)p + i * (int64_t)sizeof v, &v, sizeof v);                          \
    }
PTRT_FOR_ARITH(PTRT_DEF_ACCESS)
#undef PTRT_DEF_ACCESS

/* pto.addptr on a global pointer: ptrt_addptr(p, i, sizeof(elem)), wrapping 64-bit arithmetic. */
static inline void *ptrt_addptr(const void *p, int64_t i, uint32_t elem_size) {
    return (void *)((uintptr_t)p + (uintptr_t)((uint64_t)i * elem_size));
}

/* Checked mode only: element i (elem_size bytes) of the global pointer p lies in a registered
 * region. Without registered regions everything passes. */
PTRT_API int ptrt_check_gm(ptrt_core *core, uint32_t line, const char *op, const void *p, int64_t i,
                           uint32_t elem_size);

/* An on-chip pointer is a byte offset in its space. Gives the address of element i of it, after the
 * check (always made) that the element lies in the space. */
PTRT_API int ptrt_space_at(ptrt_core *core, uint32_t line, int space, int64_t addr, int64_t i,
                           uint32_t elem_size, void **out);

/* Global memory that checked mode allows the launches of the calling thread to touch. Once one
 * region is registered, every checked access must lie in one. Not needed without checked mode. */
PTRT_API int ptrt_region_add(const void *base, uint64_t bytes);
PTRT_API void ptrt_region_clear(void);

/* ---- Launch ---- */

typedef int (*ptrt_entry)(ptrt_core *core, void *args);

enum ptrt_kernel_flags {
    PTRT_K_WAITS = 1,    /* some core may wait for another: cores run as fibers */
    PTRT_K_CHECKED = 2,  /* emitted with --checked */
    PTRT_K_GRID_SYNC = 4 /* blocks meet in launch-wide barriers: all are live at once */
};

/* One launcher. Filled statically by emitted code: `static const ptrt_kernel k_kernel = {...};` */
typedef struct ptrt_kernel {
    const char *name;  /* symbol of the function, for messages */
    const char *file;  /* name of the .pto file, for messages */
    ptrt_entry cube;   /* what the cube core of a block runs; NULL: the block has no cube core */
    ptrt_entry vector; /* what each vector core runs; NULL: none. A function without a kernel kind
                          goes here */
    int32_t subblocks; /* vector cores a block; 0: what ptrt_set_subblocks says, else 1 without a
                          cube core and 2 with one */
    uint32_t flags;    /* enum ptrt_kernel_flags */
    uint32_t
        table; /* PTRT_TABLE: the kernel table that the code was compiled with; 0: not checked */
    uint64_t bytes[PTRT_SPACES]; /* bytes each core needs per space; unused entries 0 */
} ptrt_kernel;

/* Runs `blocks` blocks and returns when all cores have ended: 0, or the code of the first failure.
 * `args` goes to every entry as it is and must stay good until then. blocks = 0 runs nothing.
 *
 * Threads. Blocks are spread over the processors that the process may use (environment
 * PTORT_THREADS=n: over n threads); the cores of one block always share a thread. The process has
 * one pool of threads for all launches, started when first wanted; they sleep between launches and
 * end with the library. May be called from several threads at once, and by a kernel: the settings
 * of the outer launch then hold. A child of fork may launch, unless a kernel forked.
 *
 * Memory. On-chip memory has no defined contents when a block begins; with PTRT_K_CHECKED it is
 * zero. What a launch has used is kept for later ones. With PTRT_K_GRID_SYNC all blocks have their
 * memory and stacks at once: PTRT_E_NOMEM, before any core has run, when that is too much. Cores
 * that may wait run on stacks of 512 KiB.
 *
 * Floating point rounds to nearest and keeps subnormals, whatever the caller has set. */
PTRT_API int ptrt_launch(const ptrt_kernel *kernel, int64_t blocks, void *args);

/* Vector cores a block (1 or 2; 0 restores the default) for later launches of the calling thread,
 * for kernels whose `subblocks` is 0. Anything else: PTRT_E_ARG. */
PTRT_API int ptrt_set_subblocks(int n);

PTRT_API int64_t ptrt_block_idx(const ptrt_core *core); /* 0 .. block_num-1 */
PTRT_API int64_t ptrt_block_num(const ptrt_core *core);
PTRT_API int64_t ptrt_subblock_idx(const ptrt_core *core); /* 0 or 1; 0 in a cube core */
PTRT_API int64_t ptrt_subblock_num(const ptrt_core *core); /* vector cores of the block */
PTRT_API bool ptrt_core_is_cube(const ptrt_core *core);
PTRT_API bool ptrt_core_is_checked(const ptrt_core *core);

/* The instruction-set level of the kernels in use: "v2", "v3" or "v4" (x86-64), else "base". Chosen
 * once: the best that the machine has, or the one that the environment variable PTORT_ISA names if
 * the machine has it. */
PTRT_API const char *ptrt_isa(void);

/* ---- Synchronisation ---- */

/* set_flag / wait_flag inside one core: no effect on values; in checked mode setting a set flag or
 * waiting for an unset one is PTRT_E_SYNC. pipes 0..15, event 0..7. */
PTRT_API int ptrt_set_flag(ptrt_core *core, uint32_t line, int src_pipe, int dst_pipe,
                           int64_t event);
PTRT_API int ptrt_wait_flag(ptrt_core *core, uint32_t line, int src_pipe, int dst_pipe,
                            int64_t event);

/* pto.get_buf, pto.rls_buf: the same with the tokens of buffers, 0..31: in checked mode a pipe that
 * acquires what it has, or releases what it has not, is PTRT_E_SYNC. */
PTRT_API int ptrt_get_buf(ptrt_core *core, uint32_t line, int pipe, int64_t token);
PTRT_API int ptrt_rls_buf(ptrt_core *core, uint32_t line, int pipe, int64_t token);

/* pto.fence.barrier_all: what the core has written is seen by whoever sees what it writes later. */
PTRT_API void ptrt_fence(ptrt_core *core);

/* Flags between the cores of a block: counters, one per (receiving core, id), id 0..31. A signal
 * adds one at every receiver; a wait takes one, and lets other cores run until there is one. */
enum ptrt_target { PTRT_TO_CUBE = 1, PTRT_TO_VEC0 = 2, PTRT_TO_VEC1 = 4, PTRT_TO_VECS = 6 };
PTRT_API int ptrt_signal(ptrt_core *core, uint32_t line, int id, int targets);
PTRT_API int ptrt_wait_signal(ptrt_core *core, uint32_t line, int id);

/* pto.set_intra_block, pto.wait_intra_block as a5 has them: a vector core and the cube core signal
 * each other, id 0..15; the cube core names vector core 1 by 16..31. Both use the counters of
 * ptrt_signal. */
PTRT_API int ptrt_set_intra_block(ptrt_core *core, uint32_t line, int64_t id);
PTRT_API int ptrt_wait_intra_block(ptrt_core *core, uint32_t line, int64_t id);

/* pto.sync.set, pto.sync.wait; event 0..15. A wait takes one signal of the event, whatever mode it
 * was sent in. Mode 2: from the cube core to its vector cores; to the cube core, once each of its
 * vector cores that has not ended has sent it. Mode 1: to the vector cores of the block, once all
 * of them have sent it. Mode 0: to the cores of one kind in all blocks, once all of them have sent
 * it; needs PTRT_K_GRID_SYNC when there is more than one block. */
PTRT_API int ptrt_sync_set(ptrt_core *core, uint32_t line, int64_t event, int mode);
PTRT_API int ptrt_sync_wait(ptrt_core *core, uint32_t line, int64_t event);

/* pto.syncall: every core of the launch of that type meets. Needs PTRT_K_GRID_SYNC when there is
 * more than one block. */
enum ptrt_sync_type { PTRT_SYNC_VECTORS = 0, PTRT_SYNC_CUBES = 1, PTRT_SYNC_MIX = 2 };
PTRT_API int ptrt_syncall(ptrt_core *core, uint32_t line, int type);
/* The same with a counter of arrivals in global memory: an aligned int32 that is zero before its
 * first use. `used` cores meet, 0: all of the type. */
PTRT_API int ptrt_syncall_soft(ptrt_core *core, uint32_t line, int type, void *counter,
                               int64_t used);

/* Lets the other cores run; for polls. PTRT_E_STOPPED when the launch has failed meanwhile. */
PTRT_API int ptrt_yield(ptrt_core *core, uint32_t line);

/* The FIFO of a pipe, one per (block, id, direction); both ends open it with equal descriptions.
 * Entry number p lives in slot p % slot_num. A producer takes the next free slot (alloc), fills it,
 * and makes it ready (push); a consumer waits for the entry (pop), reads it, and gives the slot
 * back (free). With split != 0 both vector cores take part: vector to cube, an entry is ready when
 * both have pushed; cube to vector, a slot is free when both have freed. With split 0 only vector
 * core 0 produces (calls of core 1 do nothing and give slot NULL), and each of the `consumers`
 * first vector cores sees every entry whole. */
enum ptrt_fifo_dir { PTRT_C2V = 1, PTRT_V2C = 2 };
typedef struct ptrt_fifo ptrt_fifo;
typedef struct ptrt_fifo_desc {
    int32_t id;
    int32_t dir;       /* enum ptrt_fifo_dir */
    int32_t split;     /* 0..4 */
    int32_t slot_num;  /* > 0 */
    int32_t consumers; /* split 0, cube to vector: vector cores that pop; 0: all of the block */
    int32_t auto_free; /* 1: the program has no tfree for this pipe; a pop gives back the entry
                          before */
    int64_t slot_size; /* bytes, > 0 */
    void *ring;        /* slot_num * slot_size bytes that both ends see; NULL: the runtime's own,
                          owned by the block */
} ptrt_fifo_desc;
PTRT_API int ptrt_fifo_open(ptrt_core *core, uint32_t line, const ptrt_fifo_desc *desc,
                            ptrt_fifo **out);
PTRT_API int ptrt_fifo_alloc(ptrt_core *core, uint32_t line, ptrt_fifo *fifo, void **slot);
PTRT_API int ptrt_fifo_push(ptrt_core *core, uint32_t line, ptrt_fifo *fifo);
PTRT_API int ptrt_fifo_pop(ptrt_core *core, uint32_t line, ptrt_fifo *fifo, void **slot);
PTRT_API int ptrt_fifo_free(ptrt_core *core, uint32_t line, ptrt_fifo *fifo);

/* A pipe: a FIFO for each direction, and where its slots lie. With slots in global memory those
 * from vector to cube come after the others; a pop copies an entry into slot-sized places of the
 * consumer's buffer in turn. Without, the slots are that buffer, in vec of each vector core or mat
 * of the cube core. An entry is a row-major matrix; split 1 and 3 give its rows to the two vector
 * cores, 2 and 4 its columns, the first half being the larger one in 3 and 4. */
typedef struct ptrt_pipe_desc {
    int32_t id;        /* one for both ends, and for no other pipe of the launch */
    int32_t dirs;      /* PTRT_C2V, PTRT_V2C or both, added */
    int32_t split;     /* not 0: every entry is shared by the two vector cores */
    int32_t slot_num;  /* > 0 */
    int32_t local_num; /* slots in global memory: places in a consumer's buffer; 0: slot_num */
    int32_t consumers; /* as in ptrt_fifo_desc */
    int32_t auto_free; /* directions, added, in which this function pops and never frees */
    int64_t slot_size; /* bytes, > 0 */
} ptrt_pipe_desc;

/* One end of a pipe. Readable by anyone; filled by ptrt_pipe_open. */
typedef struct ptrt_pipe {
    const ptrt_pipe_desc *desc;
    ptrt_fifo *fifo[2]; /* cube to vector, vector to cube; NULL: not this way */
    int64_t buffer[2];  /* the consumers' buffers */
    ptrt_view entry;    /* what a view entry looks like; base NULL: no views */
} ptrt_pipe;

/* Opens this core's end; `desc` must stay good for the launch. `slots`: global memory, or NULL;
 * `entry`: the view whose base they are and whose shape and strides view entries have, or NULL.
 * Buffers: byte addresses, or PTRT_ABSENT. PTRT_E_ARG when the ends disagree, or when entries are
 * split and the block has one vector core. */
PTRT_API int ptrt_pipe_open(ptrt_core *core, uint32_t line, const ptrt_pipe_desc *desc, void *slots,
                            const ptrt_view *entry, int64_t c2v_buffer, int64_t v2c_buffer,
                            ptrt_pipe *out);

/* Puts the valid region of a tile into the pipe, without conversion; waits for a free slot. `sub`:
 * the vector core whose half it is, or PTRT_ABSENT for the one that runs. */
PTRT_API int ptrt_pipe_push(ptrt_core *core, uint32_t line, const ptrt_pipe *pipe,
                            const ptrt_tile *src, int split, int64_t sub);

/* The same in two steps, for a push that converts: a tile over the next free slot, plain rows of
 * any type, to be written by some kernel; then it is made ready. Entries go whole. */
PTRT_API int ptrt_pipe_slot(ptrt_core *core, uint32_t line, const ptrt_pipe *pipe, int elem,
                            int64_t rows, int64_t cols, ptrt_tile *out);
PTRT_API int ptrt_pipe_push_slot(ptrt_core *core, uint32_t line, const ptrt_pipe *pipe,
                                 const ptrt_tile *entry);

/* Waits for the next entry and binds `out` to it in the consumer's buffer, in the layout of the
 * type. vrow and vcol are the valid region that the program states, or PTRT_ABSENT: the shape.
 * PTRT_E_VALID when what was pushed is not what is taken. */
PTRT_API int ptrt_pipe_pop(ptrt_core *core, uint32_t line, const ptrt_pipe *pipe,
                           const ptrt_tile_type *type, int64_t vrow, int64_t vcol, int split,
                           int64_t sub, ptrt_tile *out);
PTRT_API int ptrt_pipe_free(ptrt_core *core, uint32_t line, const ptrt_pipe *pipe);

/* Entries as views of their slots, or of this core's half of them. */
PTRT_API int ptrt_pipe_alloc_view(ptrt_core *core, uint32_t line, const ptrt_pipe *pipe, int split,
                                  ptrt_view *out);
PTRT_API int ptrt_pipe_push_view(ptrt_core *core, uint32_t line, const ptrt_pipe *pipe);
PTRT_API int ptrt_pipe_pop_view(ptrt_core *core, uint32_t line, const ptrt_pipe *pipe, int split,
                                ptrt_view *out);

/* ptrt_tile_bind in the memory of another core of the block: PTRT_TO_CUBE, _VEC0 or _VEC1. */
PTRT_API int ptrt_tile_bind_peer(ptrt_core *core, int target, const ptrt_tile_type *type,
                                 int64_t addr, int64_t vrow, int64_t vcol, uint32_t line,
                                 ptrt_tile *out);

/* pto.declare_tile: a tile that has no memory before something binds it; whatever uses it before
 * fails. */
PTRT_API void ptrt_tile_declare(const ptrt_tile_type *type, int64_t vrow, int64_t vcol,
                                ptrt_tile *out);

/* pto.declare_global: a view that has no memory before something binds it. It is empty, and a
 * window of it that is not fails. */
PTRT_API void ptrt_view_declare(int elem, int rank, ptrt_view *out);

/* ---- Ranks ---- */

/* Programs that run side by side, each with arguments of its own, and reach each other's memory:
 * what pto.comm.* is for. A launch belongs to the rank whose thread makes it; without
 * ptrt_run_ranks a process is rank 0 of 1.
 *
 * Runs fn(0, arg) .. fn(ranks - 1, arg) at once, each on a thread of its own that has the settings
 * of the calling thread (regions, hook, sub-blocks), and returns when all have ended: 0, or the
 * code of the first rank that failed by itself, with its text in ptrt_error(). fn returns 0 or a
 * code. When one rank has failed, the waits of the others end with PTRT_E_STOPPED; when every rank
 * that has not ended waits, all waits end with PTRT_E_DEADLOCK. ranks is 1 .. 65536: else
 * PTRT_E_ARG. PTRT_E_NOMEM, before any rank has begun, when the machine has no more threads. */
typedef int (*ptrt_rank_fn)(int rank, void *arg);
PTRT_API int ptrt_run_ranks(int ranks, ptrt_rank_fn fn, void *arg);

/* Of the calling thread, or of the rank that it runs a kernel for. */
PTRT_API int ptrt_rank_idx(void);
PTRT_API int ptrt_rank_num(void);

/* Memory that all ranks reach: `bytes`, zero, on each of them. Every rank calls it, with the same
 * number. *context is what programs read the addresses from: word 2 holds the rank in its low half
 * and the number of ranks in its high half, word 3 the bytes, word 4 + r the address at which this
 * rank reaches the memory of rank r; its own lies at word 4 + ptrt_rank_idx(). It stays until
 * the ranks have ended. */
PTRT_API int ptrt_window_make(uint64_t bytes, int64_t **context);

/* How ranks reach each other: one table of functions for each kind of connection. ptrt_run_ranks
 * has the one for threads; another library may have one for processes. `self` is what a rank knows
 * of its connection; several threads call at once. All but `window` take addresses of this rank,
 * which may lie in any rank's window or in memory of its own, and return PTRT_OK or a code. */
enum ptrt_notify_op { PTRT_NOTIFY_ADD = 0, PTRT_NOTIFY_SET = 1 };
enum ptrt_wait_cmp {
    PTRT_WAIT_EQ = 0,
    PTRT_WAIT_NE = 1,
    PTRT_WAIT_GT = 2,
    PTRT_WAIT_GE = 3,
    PTRT_WAIT_LT = 4,
    PTRT_WAIT_LE = 5
};
typedef struct ptrt_transport {
    /* dst[0 .. bytes) = src[0 .. bytes). Done when it returns. */
    int (*copy)(void *self, void *dst, const void *src, uint64_t bytes);
    /* dst[i] = dst[i] + src[i] for n neighbouring elements (enum ptrt_elem), each changed in one
     * step; src is memory of this rank. */
    int (*add)(void *self, ptrt_core *core, int elem, void *dst, const void *src, uint64_t n);
    /* Sets an aligned signal or adds to it in one step, after all copies of this thread. */
    int (*notify)(void *self, int32_t *signal, int op, int32_t value);
    /* *value = *signal; what was copied before the notification that is read here is seen. */
    int (*read)(void *self, const int32_t *signal, int32_t *value);
    /* Every core of this rank waits. Returns PTRT_OK when they are to look again, else the code
     * that their waits end with. The first call after a change returns PTRT_OK, so that what came
     * before it is not missed. */
    int (*rest)(void *self);
    /* Makes a window; bases[r] for each rank. */
    int (*window)(void *self, uint64_t bytes, void **bases);
} ptrt_transport;

/* For such libraries. The table for memory that this process reaches by its addresses; its functions
 * take NULL for `self`, and it has no `window`. */
PTRT_API const ptrt_transport *ptrt_memory_transport(void);
/* Of the codes that n ranks have ended with: the first rank that failed by itself, else the first
 * that was stopped, else -1. */
PTRT_API int ptrt_ranks_first_failed(const int *codes, int n);
/* Makes `text`, that of this rank, the one of ptrt_error(), with what became of the others where
 * they `waited` for each other; returns the code. */
PTRT_API int ptrt_ranks_report(const int *codes, int n, bool waited, const char *text);
/* fn(rank, arg) on this thread as one of `ranks` ranks. */
PTRT_API int ptrt_run_rank(const ptrt_transport *transport, void *self, int rank, int ranks,
                           ptrt_rank_fn fn, void *arg);

/* pto.comm.tput, pto.comm.tget: every element of dst = that of src, or dst + src where `add` is not
 * 0. Shapes and element types are equal, strides are free. Staging tiles have no effect. */
PTRT_API int ptrt_comm_put(ptrt_core *core, uint32_t line, const ptrt_view *dst,
                           const ptrt_view *src, int add);
PTRT_API int ptrt_comm_get(ptrt_core *core, uint32_t line, const ptrt_view *dst,
                           const ptrt_view *src);

/* pto.comm.tnotify changes the first element; pto.comm.twait waits until every element compares
 * true with the value; pto.comm.ttest says whether they do. Elements are aligned int32. A wait for
 * what another block sends needs PTRT_K_GRID_SYNC. */
PTRT_API int ptrt_comm_notify(ptrt_core *core, uint32_t line, const ptrt_view *signal,
                              int32_t value, int op);
PTRT_API int ptrt_comm_wait(ptrt_core *core, uint32_t line, const ptrt_view *signal, int32_t value,
                            int cmp);
PTRT_API int ptrt_comm_test(ptrt_core *core, uint32_t line, const ptrt_view *signal, int32_t value,
                            int cmp, bool *out);

/* pto.comm.tbroadcast, tgather, tscatter: between one view and one of each of n ranks; those of the
 * group have one shape. Gathered and scattered members lie below one another in rows, dimension 3
 * of 5. treduce: the root's member first, then the others by number; every step in the element
 * type. */
enum ptrt_reduce_op { PTRT_REDUCE_SUM = 0, PTRT_REDUCE_MAX = 1, PTRT_REDUCE_MIN = 2 };
PTRT_API int ptrt_comm_broadcast(ptrt_core *core, uint32_t line, const ptrt_view *src, int n,
                                 const ptrt_view *const *group);
PTRT_API int ptrt_comm_gather(ptrt_core *core, uint32_t line, const ptrt_view *dst, int n,
                              const ptrt_view *const *group);
PTRT_API int ptrt_comm_scatter(ptrt_core *core, uint32_t line, const ptrt_view *src, int n,
                               const ptrt_view *const *group);
PTRT_API int ptrt_comm_reduce(ptrt_core *core, uint32_t line, const ptrt_view *dst, int n,
                              const ptrt_view *const *group, int root, int op);

/* ---- Tile kernels ---- */

/* Shapes below: (vrow, vcol) is the valid region of dst; sources are read there, whatever their own
 * valid regions are, and must reach that far. Operands may be the same memory, wherever the
 * instruction allows it: the result is as if all sources were read first. */

/* dst = op src, element by element. */
PTRT_API int ptrt_map1(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                       const ptrt_tile *dst);
/* dst = src0 op src1, element by element. */
PTRT_API int ptrt_map2(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src0,
                       const ptrt_tile *src1, const ptrt_tile *dst);

/* What such a call looks up and checks, found once for calls that are made again and again. Holds
 * while the tiles stay as they are. `body` is NULL where every call has to be made as it is. */
typedef struct ptrt_ready2 {
    int (*body)(void *d, const void *a, const void *b, size_t rows, size_t cols,
                const ptrdiff_t *ld);
    void *d;
    const void *a, *b;
    size_t rows, cols;
    const ptrdiff_t *ld;
} ptrt_ready2;
PTRT_API ptrt_ready2 ptrt_map2_ready(const ptrt_core *core, int kernel, const ptrt_tile *src0,
                                     const ptrt_tile *src1, const ptrt_tile *dst);
/* The addresses of the sources are loaded first: the loop waits for them. */
static inline void ptrt_run2(const ptrt_ready2 *ready) {
    const void *a = ready->a, *b = ready->b;
#if defined(__GNUC__) && !defined(__TINYC__)
    __asm__ volatile("" : "+r"(a), "+r"(b));
#endif
    (void)ready->body(ready->d, a, b, ready->rows, ready->cols, ready->ld);
}

/* dst = src op scalar. PTRT_TADDS: with fewer valid rows in src than in dst the other rows of dst
 * keep their bytes. */
PTRT_API int ptrt_maps_i(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                         int64_t scalar, const ptrt_tile *dst);
PTRT_API int ptrt_maps_f(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                         double scalar, const ptrt_tile *dst);

/* dst = src0 op src1 + src2, from left to right: every result is rounded to the type. */
PTRT_API int ptrt_map3(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src0,
                       const ptrt_tile *src1, const ptrt_tile *src2, const ptrt_tile *dst);
PTRT_API int ptrt_map2s_i(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src0,
                          int64_t scalar, const ptrt_tile *src1, const ptrt_tile *dst);
PTRT_API int ptrt_map2s_f(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src0,
                          double scalar, const ptrt_tile *src1, const ptrt_tile *dst);
/* dst += src * scalar; the product is rounded to the type of dst before the sum is. */
PTRT_API int ptrt_axpy_i(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                         int64_t scalar, const ptrt_tile *dst);
PTRT_API int ptrt_axpy_f(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                         double scalar, const ptrt_tile *dst);
/* dst = src0 op src1 where both are valid, the one that is valid elsewhere, and 0 where none is. */
PTRT_API int ptrt_part(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src0,
                       const ptrt_tile *src1, const ptrt_tile *dst);
/* The same for a choice: src0 where src0 `mode` src1 (enum ptrt_cmp), else src1, and the index that
 * belongs to it. Indices are integers, and valid where their values are. */
PTRT_API int ptrt_partarg(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src0,
                          const ptrt_tile *src1, const ptrt_tile *src0Idx, const ptrt_tile *src1Idx,
                          const ptrt_tile *dst, const ptrt_tile *dstIdx, int mode);

/* dst = src in the type of dst, rounded once. rmode: the language's number of a round mode; what the
 * pair of types does not honour is to nearest, or toward zero for a float to an integer. sat: 0 ON,
 * 1 OFF, PTRT_ABSENT: as the pair does by default. Where it is ON, results are clamped to the range
 * of dst; where it is OFF integers keep the low bits (of floats: the low bits of a clamped i32) and
 * floats become infinite. NaN is 0 as an integer. A float type to itself: rounded to an integer. Of
 * packed pairs, the columns of dst (rows of a column-major pair) decide; the other tile has two for
 * each. PTRT_E_ARG: an unknown rmode, sat or profile. */
enum ptrt_profile { PTRT_FOR_CPU, PTRT_FOR_A2A3, PTRT_FOR_A5 };
PTRT_API int ptrt_cvt(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                      const ptrt_tile *dst, int rmode, int sat, int profile);
/* dst = src in fewer bytes: of integers the low bits; a float becomes a float to nearest or an
 * integer toward zero, of which the low bits stay, an integer becomes a float to nearest. Where one
 * of the types is no number (fp8, hif8, packed, tf32), dst is the low bits of src. */
PTRT_API int ptrt_shrink(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                       const ptrt_tile *dst);

/* dst[i,j] = src[i,j] * fp[i,0] (+ offset[i,0]; NULL: none), each step rounded, then to the nearest
 * integer, ties to even, clamped to dst's type; NaN is 0. Rows beyond the valid ones of fp and
 * offset have the numbers of the last. */
PTRT_API int ptrt_quant(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                        const ptrt_tile *fp, const ptrt_tile *offset, const ptrt_tile *dst);
/* dst[i,j] = (src[i,j] - offset[i,p]) * scale[i,p], each step rounded; p is j, or the last valid
 * column of scale. */
PTRT_API int ptrt_dequant(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                          const ptrt_tile *scale, const ptrt_tile *offset, const ptrt_tile *dst);
/* Groups of 32 elements of a row of src (axis 1) or of a column (axis 0) as codes of fp8 or fp4 with
 * a common exponent. exp, max, scaling have one element a group where the groups lie, or with axis 1
 * all in one row; scaling of a 16-bit src holds bf16 bits. alg: 0 by the largest exponent, 1 the
 * least power of two with which nothing is clamped. interleave (axis 0): exp has the exponents of
 * two rows of groups side by side. exp_zz (may be NULL): the exponents once more; mode 1: in blocks
 * of 16 rows by 2 groups. */
PTRT_API int ptrt_quant_mx(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                           const ptrt_tile *dst, const ptrt_tile *exp, const ptrt_tile *max,
                           const ptrt_tile *scaling, const ptrt_tile *exp_zz, int alg, int axis,
                           int interleave, int mode);

/* Masks: integers of up to 32 bits. Element (i, j) has bit j % 8 of byte j / 8 of the mask's row i.
 * The mask dst = src0 against src1 or the scalar, over src0's valid region; bits of the last byte
 * beyond it become 0, other bytes stay. dst shares no byte with a source. */
PTRT_API int ptrt_cmp(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src0,
                      const ptrt_tile *src1, const ptrt_tile *dst, int mode);
PTRT_API int ptrt_cmps_i(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                         int64_t scalar, const ptrt_tile *dst, int mode);
PTRT_API int ptrt_cmps_f(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                         double scalar, const ptrt_tile *dst, int mode);
/* dst = bit of mask ? src0 : src1 (or the scalar). */
PTRT_API int ptrt_sel(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *mask,
                      const ptrt_tile *src0, const ptrt_tile *src1, const ptrt_tile *dst);
PTRT_API int ptrt_sels_i(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *mask,
                         const ptrt_tile *src, int64_t scalar, const ptrt_tile *dst);
PTRT_API int ptrt_sels_f(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *mask,
                         const ptrt_tile *src, double scalar, const ptrt_tile *dst);

/* dst[i,j] = src0[i,j] op src1[i,0], or with a row-major src1 of several valid columns src1[i, j
 * mod them]; the operands may change places: the one with dst's valid region is the full one. */
PTRT_API int ptrt_rowexpand(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src0,
                            const ptrt_tile *src1, const ptrt_tile *dst);
/* dst[i,j] = src0[i,j] op src1[0,j]. */
PTRT_API int ptrt_colexpand(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src0,
                            const ptrt_tile *src1, const ptrt_tile *dst);
/* dst[i,j] = src[i,0] (PTRT_TROWEXPAND), src[0,j] (PTRT_TCOLEXPAND). */
PTRT_API int ptrt_spread(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                         const ptrt_tile *dst);

/* Reductions over src's valid region: dst[i,0] of row i, dst[0,j] of column j; for rowarg and
 * colarg the place of the extreme as a 32-bit integer. An empty source or destination: nothing. */
PTRT_API int ptrt_rowreduce(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                            const ptrt_tile *dst);
PTRT_API int ptrt_colreduce(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                            const ptrt_tile *dst);
/* pto.tcolsum: as colreduce, or `binary` for one of the devices (enum ptrt_profile): sums of two rows
 * at a time, halving their number; an odd last row is added to the first sum (A2A3) or last one. */
PTRT_API int ptrt_colsum(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                         const ptrt_tile *dst, int binary, int profile);
PTRT_API int ptrt_rowarg(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                         const ptrt_tile *dst);
PTRT_API int ptrt_colarg(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                         const ptrt_tile *dst);

/* dst = scalar, over the valid region; over the whole shape when dst is in mat. */
PTRT_API int ptrt_fill_i(ptrt_core *core, uint32_t line, int kernel, int64_t scalar,
                         const ptrt_tile *dst);
PTRT_API int ptrt_fill_f(ptrt_core *core, uint32_t line, int kernel, double scalar,
                         const ptrt_tile *dst);
/* upper = 0: dst = (j <= i + diagonal); upper = 1: dst = !(j < i + diagonal). */
PTRT_API int ptrt_tri(ptrt_core *core, uint32_t line, int kernel, int64_t diagonal,
                      const ptrt_tile *dst, int upper);

/* dst[i,k] = src[i,2k] + src[i,2k+1], or + 0 after the last column; the rest of dst's shape = 0. */
PTRT_API int ptrt_rowpairs(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                           const ptrt_tile *dst);

/* dst[0,j] = start + j, or start - j, wrapped, for j below dst's valid columns. */
PTRT_API int ptrt_sequence_i(ptrt_core *core, uint32_t line, int kernel, int64_t start,
                             const ptrt_tile *dst, int descending);

/* dst = the words of Philox-4x32, 7 or 10 rounds: in each row, lane l of a chunk of 256 columns has
 * the words of counter + l in columns 4 l .. 4 l + 3. Then the counter grows by 64, after a row's
 * last chunk by (columns - 1) % 64 + 1. From tiles: the first 2 and 4 elements of the shape. */
PTRT_API int ptrt_random(ptrt_core *core, uint32_t line, int kernel, int64_t key0, int64_t key1,
                         int64_t counter0, int64_t counter1, int64_t counter2, int64_t counter3,
                         const ptrt_tile *dst, int rounds);
PTRT_API int ptrt_random_tiles(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *key,
                               const ptrt_tile *counter, const ptrt_tile *dst, int rounds);
/* dst[i,b] = how many elements of src's row i have a `byte` of at most b, 0 <= b < 256, and above it
 * the bytes that idx says: idx[i,0] for 16 bits; idx[0,0], idx[1,0], .. from the top for 32. An
 * absent byte is 1, or msb. */
PTRT_API int ptrt_histogram(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                            const ptrt_tile *idx, const ptrt_tile *dst, int byte, int msb);

/* Element k of a tile is (k / cols, k % cols) of its shape. Indices are integers of 32 or 16 bits.
 * dst[i,j] = element indices[i,j] of src; 0 where src has none. */
PTRT_API int ptrt_gather(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                         const ptrt_tile *indices, const ptrt_tile *dst);
/* The b-th 32 bytes of dst's row r = the 32 bytes of src from byte offsets[r,b] on, an unsigned
 * 32-bit number; blocks that would leave src, and a part of a block at the end of a row, stay. */
PTRT_API int ptrt_gatherb(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                          const ptrt_tile *offsets, const ptrt_tile *dst);
/* dst = the columns (axis 0) or rows (axis 1) of src that a mask pattern selects; bits are copied.
 * `pattern` has the language's numbers: 1, 2: every other position from 0, 1 on; 3 .. 6: every
 * fourth from 0 .. 3 on; 7: all. */
PTRT_API int ptrt_gathermask(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                             const ptrt_tile *dst, int pattern, int axis);
/* Per row i of src: the numbers offset + i * cols(src) + j of the elements that compare true with
 * value (PTRT_CMP_EQ, PTRT_CMP_GT), packed from dst[i,0] on as far as dst's valid columns; element
 * i of cdst = how many there are. For a5 the factor of i is src's valid columns, rounded up to 256
 * bytes, and f32 is rounded to integers before it is compared. */
PTRT_API int ptrt_gathercmp_i(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                              int64_t value, const ptrt_tile *dst, const ptrt_tile *cdst, int mode,
                              int offset, int profile);
PTRT_API int ptrt_gathercmp_f(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                              double value, const ptrt_tile *dst, const ptrt_tile *cdst, int mode,
                              int offset, int profile);
/* dst's whole shape = 0, then element indexes[i,j] of dst = src[i,j], row by row, for indexes'
 * valid region; unsigned indices beyond dst do nothing. */
PTRT_API int ptrt_scatter(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                          const ptrt_tile *indexes, const ptrt_tile *dst);
/* The selected columns (rows) of dst = those of src in order, the others = 0. */
PTRT_API int ptrt_scattermask(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                              const ptrt_tile *dst, int pattern, int axis);

/* Tables in global memory; indices are unsigned 32-bit numbers, in a tile or a view. By row
 * (coalesce 0): dst[r,c] = mem[idx number r, c]; by element (1): dst[r,c] = the element of mem whose
 * number in the order of rows is idx[r,c]; absent: by row when idx has one column. A table has as many
 * rows as the view's dimension 3, for a2a3 as all before the last. Beyond the table: PTRT_E_BOUNDS
 * (oob 0), its last one (1), the index modulo its size (2), 0 (3). */
PTRT_API int ptrt_mgather(ptrt_core *core, uint32_t line, int kernel, const ptrt_view *mem,
                          const ptrt_tile *idx, const ptrt_tile *dst, int coalesce, int oob,
                          int profile);
PTRT_API int ptrt_mgather_view(ptrt_core *core, uint32_t line, int kernel, const ptrt_view *mem,
                               const ptrt_view *idx, const ptrt_tile *dst, int coalesce, int oob,
                               int profile);
/* The other way, row by row: replaces (op 0), adds (1), or keeps the larger (2) or smaller (3); each
 * element that is combined changes in one step. Beyond the table: PTRT_E_BOUNDS with nothing
 * written (0), nothing (1), the last one (2), modulo (3). */
PTRT_API int ptrt_mscatter(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                           const ptrt_tile *idx, const ptrt_view *mem, int coalesce, int op,
                           int oob, int profile);

/* Each row of src's valid region in blocks of 32 columns, descending, equal values in their order;
 * NaNs go to the end that their sign says. Records of 8 bytes in dst's row: the value, zeros up to
 * 4 bytes, and the element of idx that belongs to it. An idx of one row belongs to all rows. */
PTRT_API int ptrt_sort32(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                         const ptrt_tile *idx, const ptrt_tile *dst);
/* Merges up to four sorted lists of 8-byte records, each the valid columns of a row 0, into row 0 of
 * dst: the largest key, the first element of a record, comes first, of equal ones that of the first
 * list. Ends when dst's valid columns are full or, with `exhausted`, a list is used up. executed
 * (NULL: not needed) = the records taken from each list, as unsigned numbers. */
PTRT_API int ptrt_merge(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src0,
                        const ptrt_tile *src1, const ptrt_tile *src2, const ptrt_tile *src3,
                        const ptrt_tile *dst, ptrt_i16x4 *executed, int exhausted);
/* The same of every four neighbouring blocks of `length` elements that dst has room for. Nothing for
 * a length that is not positive or no number of records. */
PTRT_API int ptrt_merge_blocks(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                               int64_t length, const ptrt_tile *dst);

/* dst[0..vrow, 0..vcol) = the view, which is at least as large; then, when dst has a pad, the rest
 * of dst's shape = pad. Element sizes are equal. */
PTRT_API int ptrt_load(ptrt_core *core, uint32_t line, int kernel, const ptrt_view *mem,
                       const ptrt_tile *dst);
/* view[...] = src over src's valid region, which is at most as large as the view. */
PTRT_API int ptrt_store(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                        const ptrt_view *mem);

/* The same, but view[...] = view[...] + src in the view's element type (`atomic` is enum
 * ptrt_atomic): each element changes in one step for all cores that do so. */
PTRT_API int ptrt_store_atomic(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                               const ptrt_view *mem, int atomic);

/* What leaves an accumulator, f32 or i32, is converted. Lines ..._ACC round to nearest even. The
 * others multiply by the scale of a 64-bit word first: `word`, or that of the source's column in
 * row 0 of `fp` (numbers in f16, bf16 or f32 there are the scale itself). 8-bit results are rounded
 * in -256 .. 255 before the word's offset is added, and clamped; 16-bit integers are shifted
 * instead of multiplied, and clamped; floats are clamped to finite values, but `word` leaves
 * infinities in f16 and bf16. `relu` (enum ptrt_relu) makes NaN and negative results 0. */
PTRT_API int ptrt_fix_store(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                            const ptrt_tile *fp, int64_t word, const ptrt_view *mem, int atomic,
                            int relu);
/* From and to as ptrt_move does for PTRT_TEXTRACT and PTRT_TINSERT. What a cube core moves to vec
 * goes to the memory of the vector core that `mode` (enum ptrt_to_vec) names, or is split: each
 * vector core gets as much as dst has, or (insert) half of src. */
PTRT_API int ptrt_fix_move(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                           int64_t row, int64_t col, const ptrt_tile *fp, int64_t word,
                           const ptrt_tile *dst, int mode, int relu);
PTRT_API int ptrt_fix_insert(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                             int64_t row, int64_t col, const ptrt_tile *fp, int64_t word,
                             const ptrt_tile *dst, int mode, int relu);

/* PTRT_TMOV, PTRT_TEXTRACT: dst[i,j] = src[row+i, col+j] over dst's valid region; PTRT_TINSERT:
 * dst[row+i, col+j] = src[i,j] over src's. Bits are copied between any layouts and spaces; f16 and
 * bf16 to f32 (bias) are exact, other types of one size are copied as bits. A window that leaves the shape of the other tile is PTRT_E_BOUNDS.
 */
PTRT_API int ptrt_move(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                       int64_t row, int64_t col, const ptrt_tile *dst);
/* Exponents of groups in the order of mx products: boxes of 16 x 2 bytes, row by row of boxes, from
 * dst's first byte on. axis 1: the matrix has dst's valid region and src's elements in their order;
 * axis 0: it is src transposed. What fills the last boxes is zero; tmp is not used. */
PTRT_API int ptrt_move_zz(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                          const ptrt_tile *tmp, const ptrt_tile *dst, int axis);
/* dst[c,r] = src[r,c] over src's valid region. */
PTRT_API int ptrt_transpose(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                            const ptrt_tile *dst);

enum ptrt_hf32 { PTRT_HF32_OFF, PTRT_HF32_EVEN, PTRT_HF32_AWAY };
/* pto.tsethf32mode: from now on the products of this core round f32 factors to the upper 11 bits of
 * the mantissa, ties to even or away from zero; subnormal ones are 0. */
PTRT_API int ptrt_set_hf32(ptrt_core *core, uint32_t line, int mode);

/* Matrix products: dst[i,j] = the sum over k of lhs[i,k] * rhs[k,j], then + acc_in[i,j] or
 * bias[0,j] (NULL: nothing is added), for i below lhs's valid rows, j below rhs's valid columns and
 * k below lhs's valid columns. The sum is a chain of fused multiply-adds in f32 from k = 0 on, or
 * wraps in i32; what is added comes last. Pairs of f4 lie along k. */
PTRT_API int ptrt_matmul(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *acc_in,
                         const ptrt_tile *lhs, const ptrt_tile *rhs, const ptrt_tile *bias,
                         const ptrt_tile *dst);
/* The same of a[i,k] * a_scale[i,k/32] and b[k,j] * b_scale[k/32,j]: each step is rounded once, as
 * if those were exact. */
PTRT_API int ptrt_matmul_mx(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *c_in,
                            const ptrt_tile *a, const ptrt_tile *a_scale, const ptrt_tile *b,
                            const ptrt_tile *b_scale, const ptrt_tile *bias, const ptrt_tile *dst);

/* dst[i] = src0[i] and after its valid columns src1[i], in dst's valid rows; concatidx takes only the
 * first columns of each, as many as its count in column 0 says (bytes of the count's type, at most
 * what is valid), as far as dst's valid columns. Other bytes stay. */
PTRT_API int ptrt_concat(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src0,
                         const ptrt_tile *src1, const ptrt_tile *dst);
PTRT_API int ptrt_concatidx(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src0,
                            const ptrt_tile *src1, const ptrt_tile *src0_idx,
                            const ptrt_tile *src1_idx, const ptrt_tile *dst);
/* dst0 and dst1 together have the columns of src0 and src1 by turns; and the other way: dst0 the even
 * columns of src0 and then of src1, dst1 the odd ones. Without src1 src0 has twice the columns. */
PTRT_API int ptrt_interleave(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src0,
                             const ptrt_tile *src1, const ptrt_tile *dst0, const ptrt_tile *dst1);
PTRT_API int ptrt_deinterleave(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src0,
                               const ptrt_tile *src1, const ptrt_tile *dst0, const ptrt_tile *dst1);

/* dst = src inside src's valid region, the pad value over the rest of dst's shape; nothing when
 * dst's valid region is empty. `pad` is enum ptrt_pad or PTRT_ABSENT (dst's pad); null counts as
 * zero. dst's shape is at least src's. */
PTRT_API int ptrt_fillpad(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                          const ptrt_tile *dst, int pad);

/* ---- Output, on stdout; each call in one piece ---- */

/* pto.print: printf of one number. The format has one conversion, of d i o u x X c f F e E g G a A
 * (the number is converted to what it prints; an integer has `bits` bits), or is empty: %f. */
PTRT_API int ptrt_print_i(ptrt_core *core, uint32_t line, const char *format, int64_t value,
                          int bits);
PTRT_API int ptrt_print_f(ptrt_core *core, uint32_t line, const char *format, double value);

/* pto.tprint: `TPRINT RxC` and a line for each row; of a tile the valid region, of a view all of it,
 * rows being all dimensions but the last. Of more than 1,024 elements the first and last 8 rows and
 * columns, `...` for the others. Numbers of width 8 and precision 4, 8 and 2, 10 and 6 (format 0,
 * 1, 2); a packed pair as `low/high`. */
PTRT_API int ptrt_print_tile(ptrt_core *core, uint32_t line, const ptrt_tile *tile, int format);
PTRT_API int ptrt_print_view(ptrt_core *core, uint32_t line, const ptrt_view *view, int format);

/* `ptoasm run --print`: what the value called `name` holds after a line. Of a tile the corners of
 * the valid region and what comes after it; a core whose memory the tile is not in prints nothing
 * where the block has both kinds. */
PTRT_API int ptrt_show_tile(ptrt_core *core, uint32_t line, const char *name,
                            const ptrt_tile *tile);
PTRT_API int ptrt_show_i(ptrt_core *core, uint32_t line, const char *name, int64_t value);
PTRT_API int ptrt_show_f(ptrt_core *core, uint32_t line, const char *name, double value);

/* ---- Observation ---- */

enum ptrt_role { PTRT_READ = 1, PTRT_WRITE = 2, PTRT_SCRATCH = 4 };

/* Sees every tile operand of every kernel call, before the call works: operand `name` of `op`, its
 * role, and the tile, whose bytes base+addr .. base+addr+bytes hold it. */
typedef void (*ptrt_access_fn)(void *user, const ptrt_core *core, uint32_t line, const char *op,
                               const char *name, int role, const ptrt_tile *tile);

/* Sets the hook for later launches of the calling thread; NULL removes it. False when memory is
 * exhausted. With several threads it is called from all. Tiles that a caller passes are seen where
 * a call takes the long way only. */
PTRT_API bool ptrt_set_access_hook(ptrt_access_fn fn, void *user);

#ifdef __cplusplus
}
#endif

#include "ptort_scalar.h"

#endif
