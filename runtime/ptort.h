/* ptort.h - the tile runtime that emitted C calls: cores, tiles, views, launches, tile kernels.
 *
 * Plain C11 (also C++ and tcc): no thread-locals, atomics, intrinsics or _Float16. Emitted code and
 * its callers include only this header.
 *
 * Errors. Functions that return int return PTRT_OK (0) or a PTRT_E code. Those that take a core
 * also record an error text with the .pto line, which ptrt_error() returns after the launch. An
 * entry function returns a code other than 0 at once; the launch then ends all cores. `line` is the
 * line of the statement in the .pto file.
 *
 * Units. Rows, columns, valid extents, shapes, strides and offsets count elements (a packed pair
 * such as f4e2m1x2 is one element); parameters and fields named addr, bytes or size count bytes.
 *
 * Ownership. Tiles and views are handles: the caller owns the struct and the memory it points to,
 * and no call keeps a pointer to the struct after it returns. Only ptrt_tile_* and ptrt_view_* fill
 * the structs.
 *
 * Kernels. A statement becomes a call ptrt_<driver>(core, line, PTRT_<kernel>, operands,
 * attributes). The driver implements the shape of the operation (elementwise on two tiles, a
 * reduction along rows, ...), the kernel says which operation it is, and the element types of the
 * tiles select the code; PTRT_E_TYPE when there is none for these types. Optional tiles may be
 * NULL. Attributes are ints. Scalars of the tile's element type are int64_t (ptrt_<driver>_i: sign-
 * or zero-extended by type) or double (ptrt_<driver>_f: exact for every float type, rounded once).
 * ptort_kernels.def lists the kernels.
 *
 * Semantics. A kernel works on the valid region of its destination, in any layout. It returns
 * PTRT_E_BOUNDS when an operand leaves its memory, and PTRT_E_VALID when a valid region leaves its
 * shape or a source is too small. An empty region is left unchanged. src and dst may be the same
 * tile wherever the instruction allows it; other overlaps give a result that is the same on every
 * machine but not specified further. The payload of a NaN result is not specified. */
#ifndef PTORT_H
#define PTORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define PTRT_VERSION 3

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

/* ---- Codes and constants, with the numbers of the language where it has them ---- */

enum ptrt_code {
    PTRT_OK = 0,
    PTRT_E_BOUNDS = 1,   /* an access outside the memory of a tile, view, space or slot */
    PTRT_E_VALID = 2,    /* valid extents that are negative, exceed the shape or do not match */
    PTRT_E_OVERLAP = 3,  /* operands overlap that the instruction does not allow to */
    PTRT_E_DEADLOCK = 4, /* every core that has not ended waits */
    PTRT_E_ASSERT = 5,   /* cf.assert */
    PTRT_E_NOMEM = 6,    /* memory or threads are exhausted */
    PTRT_E_ALIGN = 7,    /* an address without the alignment that its space requires */
    PTRT_E_TYPE = 8,     /* a tile or view argument that does not fit the parameter's type */
    PTRT_E_ARG = 9,      /* any other wrong argument (block count, step, slot size, ...) */
    PTRT_E_SYNC = 10,    /* checked mode: a flag set twice, or waited for and never set */
    PTRT_E_STOPPED = 11, /* another core or rank failed; this one must end */
    PTRT_E_TRAP = 12     /* pto.trap */
};

enum ptrt_elem {
#define ELEM(id, ...) PTRT_##id,
#include "ptort_elems.def"
    PTRT_ELEMS
};

enum ptrt_space {
    PTRT_GM = 1, /* also a tile over the caller's memory */
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

/* Identifies the table of kernels, which emitted code and library must share: a fingerprint of the
 * ids, drivers and arguments in ptort_kernels.def. The build stops when it is not that of the
 * table, and says which number is (runtime/table.sh). */
#define PTRT_TABLE 0x3392c9f4u

/* The kernels. Their numbers are valid for one PTRT_TABLE. */
enum ptrt_kernel_id {
    PTRT_NO_KERNEL,
#define KERNEL(family, id, ...) PTRT_##id,
#include "ptort_kernels.def"
    PTRT_KERNELS
};

/* Comparisons, numbered as in the language. */
enum ptrt_cmp { PTRT_CMP_EQ, PTRT_CMP_NE, PTRT_CMP_LT, PTRT_CMP_LE, PTRT_CMP_GT, PTRT_CMP_GE };

/* Attributes of stores and moves from an accumulator, numbered as in the language. */
enum ptrt_relu { PTRT_NO_RELU, PTRT_NORMAL_RELU };
enum ptrt_atomic { PTRT_ATOMIC_NONE, PTRT_ATOMIC_ADD };
enum ptrt_to_vec { PTRT_TO_VECTOR0, PTRT_TO_VECTOR1, PTRT_SPLIT_ROWS, PTRT_SPLIT_COLS };

/* The value of an attribute that the program does not give, where that has a meaning of its own. */
#define PTRT_ABSENT (-1)

typedef uint16_t ptrt_f16;  /* IEEE binary16 bits */
typedef uint16_t ptrt_bf16; /* bfloat16 bits */
typedef struct ptrt_i16x4 { /* vector<4xi16> */
    int16_t at[4];
} ptrt_i16x4;

/* One core of a running launch. ptrt_launch makes it and passes it to the entry functions, which
 * pass it on; it is not valid after the launch. */
typedef struct ptrt_core ptrt_core;

/* ---- Errors ---- */

/* Returns the error text of the calling thread's last failed launch, e.g. "k.pto:12: pto.tadds:
 * must hold: src and dst have equal valid rows (..)", or "" when none has failed. The string is
 * valid until this thread launches again or ends. */
PTRT_API const char *ptrt_error(void);

/* Records an error and returns `code`. The text is prefixed with "<file>:<line>: ". ptrt_error()
 * returns the first error of a launch. */
PTRT_API int ptrt_fail(ptrt_core *core, int code, uint32_t line, const char *fmt, ...)
    PTRT_PRINTF(4, 5);

/* ---- Tiles ---- */

/* A tile type; emitted code has one `static const` object per distinct type. */
typedef struct ptrt_tile_type {
    uint8_t elem;     /* enum ptrt_elem */
    uint8_t space;    /* enum ptrt_space */
    uint8_t blayout;  /* enum ptrt_blayout; for left tiles the profile's, not the program's */
    uint8_t slayout;  /* enum ptrt_slayout */
    uint16_t fractal; /* 512, 1024 or 32 */
    uint8_t pad;      /* enum ptrt_pad */
    uint8_t compact;  /* enum ptrt_compact */
    int64_t rows;     /* shape, > 0 */
    int64_t cols;
} ptrt_tile_type;

/* Maps one coordinate i of a tile to an element offset: (i / box) * outer + (i % box) * inner. The
 * offset of an element is the sum of those of its row and its column, in every layout. */
typedef struct ptrt_axis {
    int64_t box;
    int64_t outer;
    int64_t inner;
} ptrt_axis;

/* A tile: memory, address, shape, valid region and layout. Anyone may read it; only the functions
 * below may write it, because calls rely on their checks and on `at` and `key`.
 *
 * `key` encodes element type, element order, valid region and gaps between lines. In tiles with
 * equal keys every valid element has the same offset from element (0,0). With key 0 calls take the
 * slow path, which checks everything again. */
typedef struct ptrt_tile {
    unsigned char *at;    /* address of element (0,0): base + addr */
    uint64_t key;         /* see above */
    int64_t n;            /* valid elements if they are one run of memory, else 0 */
    uint64_t bytes;       /* bytes from element (0,0) to the end of the last element of the shape */
    unsigned char *base;  /* start of the space's memory, or of the caller's */
    uint64_t size;        /* bytes of that memory */
    uint64_t addr;        /* byte offset of element (0,0) from base */
    uint64_t last;        /* largest legal addr: size - bytes */
    int64_t rows, cols;   /* shape; bounds the valid region */
    int64_t srows, scols; /* extents that define the strides; a subview has its parent's */
    int64_t vrow, vcol;   /* valid region, a prefix of the shape */
    ptrt_axis row, col;   /* layout of rows and of columns */
    int64_t lines, length; /* the valid region as lines of contiguous elements, if key is not 0 */
    ptrdiff_t ld[3];       /* elements from line to line, for each operand of ptrt_map2 */
    uint8_t elem, space, blayout, slayout;
    uint16_t fractal;
    uint8_t pad, compact;
} ptrt_tile;

/* Returns the bytes of one element, or 0 for a number that is no element type. */
PTRT_API uint32_t ptrt_elem_size(int elem);

/* Makes `out` a tile at byte address `addr` of this core's space `type->space`, with the given
 * valid region. Does not touch the contents. PTRT_E_ALIGN when addr is not a multiple of 32,
 * PTRT_E_BOUNDS when it is negative or the tile leaves the space, PTRT_E_VALID when the valid
 * region leaves the shape. */
PTRT_API int ptrt_tile_bind(ptrt_core *core, const ptrt_tile_type *type, int64_t addr, int64_t vrow,
                            int64_t vcol, uint32_t line, ptrt_tile *out);

/* Makes a tile over the caller's memory of `bytes` bytes, to pass to an emitted function. Records
 * no error text. PTRT_E_TYPE for an illegal type, PTRT_E_ALIGN when mem is not aligned to the
 * element size, PTRT_E_BOUNDS when the tile does not fit, PTRT_E_VALID. */
PTRT_API int ptrt_tile_init(ptrt_tile *out, const ptrt_tile_type *type, void *mem, uint64_t bytes,
                            int64_t vrow, int64_t vcol);

/* pto.tassign: makes `out` a copy of the tile at another address of its space. Errors as for
 * ptrt_tile_bind. `out` may be `tile`. */
PTRT_API int ptrt_tile_assign(ptrt_core *core, uint32_t line, const ptrt_tile *tile, int64_t addr,
                              ptrt_tile *out);

/* pto.set_validshape: PTRT_E_VALID when the valid region leaves the shape. */
PTRT_API int ptrt_tile_set_valid(ptrt_core *core, uint32_t line, ptrt_tile *tile, int64_t vrow,
                                 int64_t vcol);

/* pto.subview: makes `out` the window of rows x cols elements of `src` at (row, col), with the
 * strides of `src`. PTRT_E_BOUNDS when the window leaves the shape of src. In a boxed layout row
 * and col must be multiples of the box: else PTRT_E_ARG. */
PTRT_API int ptrt_tile_subview(ptrt_core *core, uint32_t line, const ptrt_tile *src, int64_t row,
                               int64_t col, int64_t rows, int64_t cols, int64_t vrow, int64_t vcol,
                               ptrt_tile *out);

/* pto.bitcast, pto.treshape: makes `out` a tile of another type over the memory of `src`.
 * PTRT_E_BOUNDS when it does not fit, PTRT_E_ALIGN when the address does not suit the element
 * type. */
PTRT_API int ptrt_tile_recast(ptrt_core *core, uint32_t line, const ptrt_tile *src,
                              const ptrt_tile_type *type, int64_t vrow, int64_t vcol,
                              ptrt_tile *out);

/* pto.tsubview: makes dst a window of src at (row, col). dst keeps its valid region, which must lie
 * in the shape of src; its shape is cut where that of src ends. */
PTRT_API int ptrt_tile_window(ptrt_core *core, uint32_t line, const ptrt_tile *src, int64_t row,
                              int64_t col, ptrt_tile *dst);

/* pto.subset: returns the valid extent of a window of `size` elements at `offset` of a dimension
 * with `valid` valid elements. `offset` counts modulo `valid`. */
PTRT_API int64_t ptrt_subset_valid(int64_t valid, int64_t offset, int64_t size);

/* pto.treshape into a tile with an address of its own: copies the bytes. PTRT_E_BOUNDS when the
 * tiles have different sizes. */
PTRT_API int ptrt_tile_copy(ptrt_core *core, uint32_t line, const ptrt_tile *src,
                            const ptrt_tile *dst);

/* pto.multi_tile_get: makes `out` tile number `slot` of `count` tiles, `stride` bytes apart. A slot
 * out of range is PTRT_E_BOUNDS in checked mode, else it counts modulo `count`. */
PTRT_API int ptrt_tile_slot(ptrt_core *core, uint32_t line, const ptrt_tile *first, int64_t slot,
                            int64_t count, int64_t stride, ptrt_tile *out);

/* pto.tgetval, pto.tsetval: stores the address of element i of the tile, counted in memory order.
 * PTRT_E_BOUNDS when i is out of range. */
PTRT_API int ptrt_tile_elem(ptrt_core *core, uint32_t line, const char *op, const ptrt_tile *tile,
                            int64_t i, void **out);

/* Stores the row-major number of an element of an array on a core's stack. `extent` and `index`
 * have `rank` entries. PTRT_E_BOUNDS when an index is out of range. */
PTRT_API int ptrt_array_index(ptrt_core *core, uint32_t line, const char *op, int rank,
                              const int64_t *extent, const int64_t *index, int64_t *out);

/* pto.tile_buf_addr: stores the tile's byte address in its space. PTRT_E_ARG for a tile over the
 * caller's memory, which has none. */
PTRT_API int ptrt_tile_addr(ptrt_core *core, uint32_t line, const ptrt_tile *tile, int64_t *out);

/* Checks a tile argument from a caller. Element type, shape and layout must be those of `type`,
 * else PTRT_E_TYPE. The valid extents must be vrow and vcol, unless these are PTRT_ABSENT because
 * the type has `?` there, else PTRT_E_VALID. */
PTRT_API int ptrt_tile_expect(ptrt_core *core, uint32_t line, const ptrt_tile *tile,
                              const ptrt_tile_type *type, int64_t vrow, int64_t vcol);

/* Whether the shapes of two tiles share a byte. Tiles in different spaces never do. */
PTRT_API bool ptrt_overlap(const ptrt_tile *a, const ptrt_tile *b);

/* ---- Views of global memory ---- */

/* A window of global memory. Dimensions are right-aligned: rank n uses entries 5-n .. 4, the others
 * have extent 1. Anyone may read it; only the functions below may write it. */
typedef struct ptrt_view {
    unsigned char *base; /* address of element (0, 0, 0, 0, 0) */
    int64_t shape[5];
    int64_t stride[5]; /* elements */
    uint8_t elem;      /* enum ptrt_elem */
    uint8_t layout;    /* enum ptrt_layout */
    uint8_t rank;      /* 0..5 */
    uint8_t plain; /* 1 + log2 of the element size for an ND matrix of contiguous rows, else 0 */
} ptrt_view;

/* pto.make_tensor_view: makes a view. `shape` and `stride` have `rank` entries, outermost first.
 * PTRT_E_ARG for an illegal rank, element type or layout. */
PTRT_API int ptrt_view_make(ptrt_core *core, uint32_t line, const void *base, int elem, int rank,
                            const int64_t *shape, const int64_t *stride, int layout,
                            ptrt_view *out);

/* pto.partition_view: makes `out` a window of `src`. `off` and `size` have src->rank entries.
 * `rank`, at most src->rank, is that of the result: if it is smaller, dimensions of extent 1 are
 * dropped, outermost first. A window that leaves `src` is PTRT_E_BOUNDS in checked mode. `out` may
 * be `src`. */
PTRT_API int ptrt_view_part(ptrt_core *core, uint32_t line, const ptrt_view *src,
                            const int64_t *off, const int64_t *size, int rank, ptrt_view *out);

/* pto.get_tensor_view_dim, pto.get_tensor_view_stride: store the extent or stride of a dimension,
 * counted from the outermost. Out of range they store 0, and return PTRT_E_BOUNDS in checked
 * mode. */
PTRT_API int ptrt_view_dim(ptrt_core *core, uint32_t line, const ptrt_view *view, int64_t dim,
                           int64_t *out);
PTRT_API int ptrt_view_stride(ptrt_core *core, uint32_t line, const ptrt_view *view, int64_t dim,
                              int64_t *out);

/* Return the rows and columns that a load or store sees in the view's layout. */
PTRT_API int64_t ptrt_view_rows(const ptrt_view *view);
PTRT_API int64_t ptrt_view_cols(const ptrt_view *view);

/* Makes a view over the caller's memory, to pass to an emitted function. PTRT_E_ARG, without an
 * error text. */
PTRT_API int ptrt_view_init(ptrt_view *out, const void *base, int elem, int rank,
                            const int64_t *shape, const int64_t *stride, int layout);

/* ---- Scalar access (pto.load_scalar, pto.store_scalar, elements of a caller's tile, ...) ---- */

/* ptrt_load_<elem>(p, i) and ptrt_store_<elem>(p, i, v) access element i, which may be negative.
 * They copy bytes, so any alignment and any type of *p are legal. */
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

/* pto.addptr on a global pointer: returns p + i * elem_size, in wrapping 64-bit arithmetic. */
static inline void *ptrt_addptr(const void *p, int64_t i, uint32_t elem_size) {
    return (void *)((uintptr_t)p + (uintptr_t)((uint64_t)i * elem_size));
}

/* Checks, in checked mode, that element i (elem_size bytes) of the global pointer p lies in a
 * registered region. Without registered regions every access passes. PTRT_E_BOUNDS. */
PTRT_API int ptrt_check_gm(ptrt_core *core, uint32_t line, const char *op, const void *p, int64_t i,
                           uint32_t elem_size);

/* Stores the address of element i (elem_size bytes) of an on-chip pointer, which is a byte offset
 * in its space. PTRT_E_BOUNDS when the element leaves the space, also without checked mode. */
PTRT_API int ptrt_space_at(ptrt_core *core, uint32_t line, int space, int64_t addr, int64_t i,
                           uint32_t elem_size, void **out);

/* Registers global memory that launches of the calling thread may access in checked mode. As long
 * as one region is registered, every checked access must lie in one. Without checked mode they have
 * no effect. PTRT_E_NOMEM. */
PTRT_API int ptrt_region_add(const void *base, uint64_t bytes);
PTRT_API void ptrt_region_clear(void);

/* ---- Launch ---- */

typedef int (*ptrt_entry)(ptrt_core *core, void *args);

enum ptrt_kernel_flags {
    PTRT_K_WAITS = 1,      /* a core may wait for another: cores run as fibers */
    PTRT_K_CHECKED = 2,    /* emitted with --checked */
    PTRT_K_GRID_SYNC = 4,  /* blocks wait for each other: all are in memory at once */
    PTRT_K_STACK = 8,      /* `stack` holds; without it the functions need 128 KiB at most */
    PTRT_K_SANITIZED = 16, /* emitted with --sanitize: `pipe_order` holds */
    PTRT_K_PIPE_WAITS =
        32 /* with PTRT_K_SANITIZED: a wait for another core stops one pipe, not all */
};

/* What a launch runs. Emitted code defines it: `static const ptrt_kernel k_kernel = {...};` */
typedef struct ptrt_kernel {
    const char *name;  /* symbol of the function, for error texts */
    const char *file;  /* name of the .pto file, for error texts */
    ptrt_entry cube;   /* entry of the cube core of a block; NULL: no cube core */
    ptrt_entry vector; /* entry of each vector core; NULL: no vector cores. A function without a
                          kernel kind has its entry here */
    int32_t subblocks; /* vector cores of a block; 0: as ptrt_set_subblocks says, by default 1
                          without a cube core and 2 with one */
    uint32_t flags;    /* enum ptrt_kernel_flags */
    uint32_t table; /* PTRT_TABLE of the header that the code was compiled with; 0: not checked */
    uint64_t bytes[PTRT_SPACES]; /* bytes that each core needs in a space */
    uint64_t stack; /* bytes that the functions of a core need on its stack, beside those of the
                       runtime */
    uint32_t pipe_order[2]; /* bits of the pipes that complete in order, in practice and as
                               documented; bit 0: a wait of the scalar pipe delays all pipes */
} ptrt_kernel;

/* Runs `blocks` blocks and returns when all cores have ended: 0, or the code of the first failure.
 * Every entry gets `args`, which must stay valid until then. PTRT_E_ARG when `blocks` is out of
 * range or the kernel's table does not match; blocks = 0 does nothing.
 *
 * Threads. Blocks are distributed over the processors that the process may use, or over n threads
 * with the environment variable PTORT_THREADS=n; the cores of one block share a thread. The process
 * has one pool of threads for all launches. They are started when first needed, sleep between
 * launches, and end with the library. ptrt_launch may be called from several threads at once, and
 * from a kernel, in which case the settings of the outer launch apply. A child of fork may launch,
 * unless a kernel called fork.
 *
 * Memory. On-chip memory has no defined contents when a block begins, except that PTRT_K_CHECKED
 * zeroes it. The memory of a launch is kept for later ones. With PTRT_K_GRID_SYNC all blocks have
 * their memory and stacks at once; when that is too much, PTRT_E_NOMEM is returned before any core
 * has run. Cores that may wait run on stacks of 512 KiB, other cores on that of their thread. With
 * PTRT_K_STACK all run on stacks as large as the kernel says, with 384 KiB for the runtime;
 * PTRT_E_NOMEM when the machine does not have them.
 *
 * Floating point rounds to nearest and keeps subnormals, whatever the caller has set. */
PTRT_API int ptrt_launch(const ptrt_kernel *kernel, int64_t blocks, void *args);

/* Sets the vector cores of a block (1 or 2; 0: the default) for later launches of the calling
 * thread, for kernels whose `subblocks` is 0. PTRT_E_ARG for other numbers. */
PTRT_API int ptrt_set_subblocks(int n);

PTRT_API int64_t ptrt_block_idx(const ptrt_core *core); /* 0 .. number of blocks - 1 */
PTRT_API int64_t ptrt_block_num(const ptrt_core *core);
PTRT_API int64_t ptrt_subblock_idx(const ptrt_core *core); /* 0 or 1; 0 in a cube core */
PTRT_API int64_t ptrt_subblock_num(const ptrt_core *core); /* vector cores of the block */
PTRT_API bool ptrt_core_is_cube(const ptrt_core *core);

/* Returns the instruction-set level of the kernels in use: "v2", "v3" or "v4" on x86-64, else
 * "base". It is chosen once: the best level of the machine, or the one that the environment
 * variable PTORT_ISA names, if the machine has it. "none" when the library was built without a
 * level for this machine; every launch is PTRT_E_ARG then. */
PTRT_API const char *ptrt_isa(void);

/* ---- Synchronisation ---- */

/* In this section ids, modes and types out of range are PTRT_E_ARG (of flags and tokens in checked
 * mode only). A wait ends with PTRT_E_STOPPED when the launch has failed; a launch in which every
 * core waits fails with PTRT_E_DEADLOCK. */

/* pto.set_flag, pto.wait_flag: flags between the pipes (0..15) of one core; event is 0..7. They
 * have no effect on values. In checked mode setting a flag that is set, or waiting for one that is
 * not, is PTRT_E_SYNC. */
PTRT_API int ptrt_set_flag(ptrt_core *core, uint32_t line, int src_pipe, int dst_pipe,
                           int64_t event);
PTRT_API int ptrt_wait_flag(ptrt_core *core, uint32_t line, int src_pipe, int dst_pipe,
                            int64_t event);

/* pto.get_buf, pto.rls_buf: tokens (0..31) of the pipes of one core, without effect on values. In
 * checked mode acquiring a token that the pipe has, or releasing one that it has not, is
 * PTRT_E_SYNC. */
PTRT_API int ptrt_get_buf(ptrt_core *core, uint32_t line, int pipe, int64_t token);
PTRT_API int ptrt_rls_buf(ptrt_core *core, uint32_t line, int pipe, int64_t token);

/* pto.fence.barrier_all: orders memory accesses. A core that sees what this core writes after the
 * fence also sees what it wrote before. */
PTRT_API void ptrt_fence(ptrt_core *core);

/* pto.set_intra_block, pto.wait_intra_block of a5: signals between the cube core and a vector core,
 * with ids 0..15. In the cube core ids 16..31 are those of vector core 1. A wait takes
 * one signal; until there is one, other cores run. */
PTRT_API int ptrt_set_intra_block(ptrt_core *core, uint32_t line, int64_t id);
PTRT_API int ptrt_wait_intra_block(ptrt_core *core, uint32_t line, int64_t id);

/* pto.sync.set, pto.sync.wait; event is 0..15. A wait takes one signal of the event, in any mode.
 * Mode 2: from the cube core to the block's vector cores, or to the cube core once every vector
 * core that has not ended has sent it. Mode 1: to the cores of the sender's kind in the block, once
 * all of them have sent it. Mode 0: to the cores of the sender's kind in all blocks, once all of
 * them have sent it; needs PTRT_K_GRID_SYNC when there are several blocks. */
PTRT_API int ptrt_sync_set(ptrt_core *core, uint32_t line, int64_t event, int mode);
PTRT_API int ptrt_sync_wait(ptrt_core *core, uint32_t line, int64_t event);

/* pto.syncall: waits until every core of that type in the launch has called it. Needs
 * PTRT_K_GRID_SYNC when there are several blocks. */
enum ptrt_sync_type { PTRT_SYNC_VECTORS = 0, PTRT_SYNC_CUBES = 1, PTRT_SYNC_MIX = 2 };
PTRT_API int ptrt_syncall(ptrt_core *core, uint32_t line, int type);
/* The same, counting arrivals in global memory: `counter` is an aligned int32 that is 0 before its
 * first use. Waits for `used` cores, or for all of the type when that is 0. */
PTRT_API int ptrt_syncall_soft(ptrt_core *core, uint32_t line, int type, void *counter,
                               int64_t used);

enum ptrt_fifo_dir { PTRT_C2V = 1, PTRT_V2C = 2 };
typedef struct ptrt_fifo ptrt_fifo; /* one direction of a pipe */

/* A pipe: a FIFO for each direction, and the memory of its slots. In global memory, the slots from
 * vector to cube follow those from cube to vector, and a pop copies an entry to one of `local_num`
 * places in the consumer's buffer, in turn. Without global memory the slots are in the consumer's
 * buffer, in vec of each vector core or mat of the cube core. An entry is a row-major matrix.
 * Splits 1 and 3 divide its rows between the two vector cores, 2 and 4 its columns; in 3 and 4 the
 * first half is one larger. */
typedef struct ptrt_pipe_desc {
    int32_t id;        /* the same at both ends, and unique in the launch */
    int32_t dirs;      /* PTRT_C2V, PTRT_V2C or their sum */
    int32_t split;     /* not 0: the two vector cores share every entry */
    int32_t slot_num;  /* > 0 */
    int32_t local_num; /* slots in global memory: places in a consumer's buffer; 0: slot_num */
    int32_t consumers; /* split 0, cube to vector: vector cores that pop; 0: all */
    int32_t auto_free; /* sum of the directions in which this function pops and never frees */
    int64_t slot_size; /* bytes, > 0 */
} ptrt_pipe_desc;

/* One end of a pipe. Anyone may read it; only ptrt_pipe_open writes it. */
typedef struct ptrt_pipe {
    const ptrt_pipe_desc *desc;
    ptrt_fifo *fifo[2]; /* cube to vector, vector to cube; NULL: direction not in use */
    int64_t buffer[2];  /* byte address of the consumers' buffer, for each direction */
    ptrt_view entry;    /* shape and strides of entries that are views; base NULL: none */
} ptrt_pipe;

/* Opens this core's end of a pipe. `desc` must stay valid for the launch. `slots` is the global
 * memory of the slots, or NULL. `entry` is a view over them with the shape and strides of view
 * entries, or NULL. The buffers are byte addresses in the consumer's space, or PTRT_ABSENT.
 * PTRT_E_ARG when the two ends disagree, or entries are split and the block has one vector core;
 * PTRT_E_BOUNDS when the slots leave their memory. */
PTRT_API int ptrt_pipe_open(ptrt_core *core, uint32_t line, const ptrt_pipe_desc *desc, void *slots,
                            const ptrt_view *entry, int64_t c2v_buffer, int64_t v2c_buffer,
                            ptrt_pipe *out);

/* Pushes the valid region of a tile, without conversion; waits for a free slot. `sub` is the vector
 * core whose half it is, or PTRT_ABSENT for the running one. PTRT_E_BOUNDS when the entry is larger
 * than a slot. */
PTRT_API int ptrt_pipe_push(ptrt_core *core, uint32_t line, const ptrt_pipe *pipe,
                            const ptrt_tile *src, int split, int64_t sub);

/* A push that converts, in two steps. ptrt_pipe_slot waits for a free slot and makes `out` a
 * row-major tile over it, for a kernel to write; ptrt_pipe_push_slot makes it ready. Entries cannot
 * be split. */
PTRT_API int ptrt_pipe_slot(ptrt_core *core, uint32_t line, const ptrt_pipe *pipe, int elem,
                            int64_t rows, int64_t cols, ptrt_tile *out);
PTRT_API int ptrt_pipe_push_slot(ptrt_core *core, uint32_t line, const ptrt_pipe *pipe,
                                 const ptrt_tile *entry);

/* Waits for the next entry and makes `out` a tile with it in the consumer's buffer, in the layout
 * of the type. vrow and vcol are the valid extents that the program states, or PTRT_ABSENT for the
 * shape. PTRT_E_VALID when the pushed entry has neither the expected shape and element size
 * nor the expected number of bytes. */
PTRT_API int ptrt_pipe_pop(ptrt_core *core, uint32_t line, const ptrt_pipe *pipe,
                           const ptrt_tile_type *type, int64_t vrow, int64_t vcol, int split,
                           int64_t sub, ptrt_tile *out);
/* Frees the slot of the oldest popped entry. PTRT_E_BOUNDS when no entry is in use. */
PTRT_API int ptrt_pipe_free(ptrt_core *core, uint32_t line, const ptrt_pipe *pipe);

/* Entries as views: alloc waits for a free slot, pop for an entry; both make `out` a view of it, or
 * of this core's half when entries are split. */
PTRT_API int ptrt_pipe_alloc_view(ptrt_core *core, uint32_t line, const ptrt_pipe *pipe, int split,
                                  ptrt_view *out);
PTRT_API int ptrt_pipe_push_view(ptrt_core *core, uint32_t line, const ptrt_pipe *pipe);
PTRT_API int ptrt_pipe_pop_view(ptrt_core *core, uint32_t line, const ptrt_pipe *pipe, int split,
                                ptrt_view *out);

/* pto.declare_tile: makes a tile without memory. Using it before it is bound fails. */
PTRT_API void ptrt_tile_declare(const ptrt_tile_type *type, int64_t vrow, int64_t vcol,
                                ptrt_tile *out);

/* pto.declare_global: makes an empty view without memory. Taking a window of it that is not empty
 * fails. */
PTRT_API void ptrt_view_declare(int elem, int rank, ptrt_view *out);

/* ---- Ranks ---- */

/* Ranks run side by side, each with its own arguments, and can access each other's memory with
 * pto.comm.*. A launch belongs to the rank of the thread that makes it. Without ptrt_run_ranks a
 * process is rank 0 of 1.
 *
 * ptrt_run_ranks runs fn(0, arg) .. fn(ranks - 1, arg) at once, each on its own thread with the
 * settings of the calling thread (regions, hook, sub-blocks). It returns when all have ended: 0, or
 * the code of the first rank that failed by itself, with its text in ptrt_error(). fn returns 0 or
 * a code. When a rank has failed, the waits of the others end with PTRT_E_STOPPED; when all ranks
 * that have not ended wait, their waits end with PTRT_E_DEADLOCK. PTRT_E_ARG when ranks is not 1 ..
 * 65536, PTRT_E_NOMEM when not all threads can be started; no rank has run then. */
typedef int (*ptrt_rank_fn)(int rank, void *arg);
PTRT_API int ptrt_run_ranks(int ranks, ptrt_rank_fn fn, void *arg);

/* Return the rank of the calling thread and the number of ranks. In a kernel: those of its
 * launch. */
PTRT_API int ptrt_rank_idx(void);
PTRT_API int ptrt_rank_num(void);

/* Allocates a window: `bytes` zeroed bytes on every rank, which all ranks can access. All ranks
 * must call it, with the same number. Stores the table of addresses that programs read in *context:
 * word 2 has the rank in its low half and the number of ranks in its high half, word 3 the bytes,
 * word 4 + r the address at which this rank accesses the window of rank r. The runtime owns window
 * and table and frees them when the ranks have ended. PTRT_E_ARG outside of ranks, in a kernel or
 * for 0 bytes, PTRT_E_NOMEM, PTRT_E_DEADLOCK when not all ranks call it, PTRT_E_STOPPED when
 * another rank has failed. */
PTRT_API int ptrt_window_make(uint64_t bytes, int64_t **context);

/* How ranks access each other's memory: a table of functions. ptrt_run_ranks uses one for threads;
 * another library may supply one for processes. `self` is the connection of the calling rank;
 * several threads may call at once. Addresses are valid in this rank and may lie in any rank's
 * window or in its own memory. The functions return PTRT_OK or a code. */
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
    /* dst[0 .. bytes) = src[0 .. bytes). Complete when it returns. */
    int (*copy)(void *self, void *dst, const void *src, uint64_t bytes);
    /* dst[i] = dst[i] + src[i] for n contiguous elements (enum ptrt_elem), each an atomic update.
     * src is memory of this rank. */
    int (*add)(void *self, ptrt_core *core, int elem, void *dst, const void *src, uint64_t n);
    /* Sets an aligned signal or adds to it atomically, after all copies of this thread. */
    int (*notify)(void *self, int32_t *signal, int op, int32_t value);
    /* *value = *signal. Copies made before the notification that wrote it are visible
     * afterwards. */
    int (*read)(void *self, const int32_t *signal, int32_t *value);
    /* Called when every core of this rank waits. Waits until a signal may have changed and returns
     * PTRT_OK, or the code with which the cores' waits end. The first call after a change returns
     * PTRT_OK at once, so that no change is missed. */
    int (*rest)(void *self);
    /* Allocates a window and stores its address for each rank in bases[]. */
    int (*window)(void *self, uint64_t bytes, void **bases);
} ptrt_transport;

/* For libraries that supply a transport. Returns the functions for memory that this process can
 * access directly; they take NULL for `self`, and there is no `window`. */
PTRT_API const ptrt_transport *ptrt_memory_transport(void);
/* Returns the rank that determines the result when n ranks ended with `codes`: the first that
 * failed by itself, else the first that was stopped, else -1. */
PTRT_API int ptrt_ranks_first_failed(const int *codes, int n);
/* Makes `text`, the error of that rank, the text of ptrt_error(). If the ranks ended in a deadlock
 * and `waited` for each other, adds which others waited and which had ended. Returns the code. */
PTRT_API int ptrt_ranks_report(const int *codes, int n, bool waited, const char *text);
/* Runs fn(rank, arg) on this thread as one of `ranks` ranks. Returns what fn returns, or PTRT_E_ARG
 * when the thread has a rank already or runs a kernel. */
PTRT_API int ptrt_run_rank(const ptrt_transport *transport, void *self, int rank, int ranks,
                           ptrt_rank_fn fn, void *arg);

/* pto.comm.tput, pto.comm.tget: copy every element of src to dst; with `add` not 0, add it. Shapes
 * and element types must be equal, strides may differ. PTRT_E_TYPE when elements of this type
 * cannot be added; PTRT_E_BOUNDS when a view leaves a window. */
PTRT_API int ptrt_comm_put(ptrt_core *core, uint32_t line, const ptrt_view *dst,
                           const ptrt_view *src, int add);
PTRT_API int ptrt_comm_get(ptrt_core *core, uint32_t line, const ptrt_view *dst,
                           const ptrt_view *src);

/* pto.comm.tnotify sets or adds to the first element (enum ptrt_notify_op). pto.comm.twait waits
 * until all elements compare true with `value` (enum ptrt_wait_cmp); pto.comm.ttest stores whether
 * they do. Elements are aligned int32. Waiting for another block needs PTRT_K_GRID_SYNC. */
PTRT_API int ptrt_comm_notify(ptrt_core *core, uint32_t line, const ptrt_view *signal,
                              int32_t value, int op);
PTRT_API int ptrt_comm_wait(ptrt_core *core, uint32_t line, const ptrt_view *signal, int32_t value,
                            int cmp);
PTRT_API int ptrt_comm_test(ptrt_core *core, uint32_t line, const ptrt_view *signal, int32_t value,
                            int cmp, bool *out);

/* pto.comm.tbroadcast, tgather, tscatter: copy between one view and a group of n views, usually one
 * of each rank, all with the same shape. Gather and scatter place the members below one another
 * along the rows, which are dimension 3 of 5. treduce combines the members into dst in the element
 * type: the root's first, then the others in order. */
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

/* Shapes below: (vrow, vcol) is the valid region of dst. Sources are read over that region,
 * whatever their own valid regions are, and must be at least that large. Where an instruction
 * allows operands to share memory, the result is as if all sources were read first. */

/* dst = op src, element by element. */
PTRT_API int ptrt_map1(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                       const ptrt_tile *dst);
/* dst = src0 op src1, element by element. */
PTRT_API int ptrt_map2(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src0,
                       const ptrt_tile *src1, const ptrt_tile *dst);
/* dst = src op scalar. PTRT_TADDS: if src has fewer valid rows than dst, the remaining rows of dst
 * are unchanged. */
PTRT_API int ptrt_maps_i(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                         int64_t scalar, const ptrt_tile *dst);
PTRT_API int ptrt_maps_f(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                         double scalar, const ptrt_tile *dst);

/* dst = src0 op src1 + src2 (or src0 op scalar + src1), evaluated from left to right; every result
 * is rounded to the element type. */
PTRT_API int ptrt_map3(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src0,
                       const ptrt_tile *src1, const ptrt_tile *src2, const ptrt_tile *dst);
PTRT_API int ptrt_map2s_i(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src0,
                          int64_t scalar, const ptrt_tile *src1, const ptrt_tile *dst);
PTRT_API int ptrt_map2s_f(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src0,
                          double scalar, const ptrt_tile *src1, const ptrt_tile *dst);
/* dst += src * scalar. The product is rounded to the type of dst before the addition. */
PTRT_API int ptrt_axpy_f(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                         double scalar, const ptrt_tile *dst);
/* dst = src0 op src1 where both sources are valid, the valid one where only one is, and 0
 * elsewhere. */
PTRT_API int ptrt_part(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src0,
                       const ptrt_tile *src1, const ptrt_tile *dst);
/* The same for a choice: dst = src0 where src0 `mode` src1 (enum ptrt_cmp), else src1, and dstIdx =
 * the index tile's element of the chosen source. Indices are integers, valid where their values
 * are. */
PTRT_API int ptrt_partarg(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src0,
                          const ptrt_tile *src1, const ptrt_tile *src0Idx, const ptrt_tile *src1Idx,
                          const ptrt_tile *dst, const ptrt_tile *dstIdx, int mode);

/* dst = src converted to the element type of dst, rounded once. rmode is the language's number of a
 * rounding mode; a mode that the pair of types does not support means to nearest even, or toward
 * zero from float to integer. sat: 0 ON, 1 OFF, PTRT_ABSENT the default of the pair. ON clamps to
 * the range of dst. OFF keeps the low bits of integers (for a float source, of its value clamped to
 * i32) and turns large floats into infinity. NaN becomes 0 as an integer. A float type to itself
 * rounds to integers. If one tile has packed pairs, the other one has two columns for each of its
 * columns (two rows for each row if the packed tile is column-major). PTRT_E_ARG for an unknown
 * rmode, sat or profile. */
enum ptrt_profile { PTRT_FOR_CPU, PTRT_FOR_A2A3, PTRT_FOR_A5 };
PTRT_API int ptrt_cvt(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                      const ptrt_tile *dst, int rmode, int sat, int profile);
/* dst = src in fewer bytes. Integers keep their low bits. A float becomes a float, rounded to
 * nearest, or an integer, rounded toward zero, of which the low bits are kept. An integer becomes
 * the nearest float. If one type is not arithmetic (fp8, hif8, packed, tf32), dst has the low bits
 * of src. */
PTRT_API int ptrt_shrink(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                         const ptrt_tile *dst);

/* dst[i,j] = src[i,j] * fp[i,0] (+ offset[i,0], unless that is NULL), rounded after each step, then
 * rounded to the nearest integer, ties to even, and clamped to dst's type; NaN becomes 0. Rows
 * beyond the valid rows of fp and offset use their last valid row. */
PTRT_API int ptrt_quant(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                        const ptrt_tile *fp, const ptrt_tile *offset, const ptrt_tile *dst);
/* dst[i,j] = (src[i,j] - offset[i,p]) * scale[i,p], rounded after each step; p is j, or the last
 * valid column of scale if j is beyond it. */
PTRT_API int ptrt_dequant(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                          const ptrt_tile *scale, const ptrt_tile *offset, const ptrt_tile *dst);
/* Quantises groups of 32 elements, along rows (axis 1) or columns (axis 0) of src, to fp8 or fp4
 * codes with one exponent per group. exp, max and scaling get one element per group, in the
 * position of the group or, with axis 1, possibly all in one row; scaling has bf16 bits if src has
 * 16-bit elements. alg 0 takes the exponent of the largest element, 1 the least power of two that
 * clamps nothing. interleave (axis 0): a row of exp has the exponents of two rows of groups,
 * alternating. exp_zz (axis 1, may be NULL) gets the exponents again; with mode 1 in blocks of 16
 * rows by 2 groups. */
PTRT_API int ptrt_quant_mx(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                           const ptrt_tile *dst, const ptrt_tile *exp, const ptrt_tile *max,
                           const ptrt_tile *scaling, const ptrt_tile *exp_zz, int alg, int axis,
                           int interleave, int mode);

/* Masks are tiles of integers of up to 32 bits. Element (i, j) has bit j % 8 of byte j / 8 of row
 * i. ptrt_cmp and ptrt_cmps write the mask of src0 compared with src1 or the scalar (enum
 * ptrt_cmp), over the valid region of the first source. The remaining bits of the last byte become
 * 0, other bytes are unchanged. */
PTRT_API int ptrt_cmp(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src0,
                      const ptrt_tile *src1, const ptrt_tile *dst, int mode);
PTRT_API int ptrt_cmps_i(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                         int64_t scalar, const ptrt_tile *dst, int mode);
PTRT_API int ptrt_cmps_f(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                         double scalar, const ptrt_tile *dst, int mode);
/* dst = src0 where the bit of mask is set, else src1 or the scalar. */
PTRT_API int ptrt_sel(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *mask,
                      const ptrt_tile *src0, const ptrt_tile *src1, const ptrt_tile *dst);
PTRT_API int ptrt_sels_i(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *mask,
                         const ptrt_tile *src, int64_t scalar, const ptrt_tile *dst);
PTRT_API int ptrt_sels_f(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *mask,
                         const ptrt_tile *src, double scalar, const ptrt_tile *dst);

/* dst[i,j] = src0[i,j] op src1[i,0]. If src1 has several valid columns, which must be 32 bytes,
 * they repeat: src1[i, j mod columns]. The sources may be exchanged: the one with dst's valid
 * region is the full one. */
PTRT_API int ptrt_rowexpand(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src0,
                            const ptrt_tile *src1, const ptrt_tile *dst);
/* dst[i,j] = src0[i,j] op src1[0,j]. */
PTRT_API int ptrt_colexpand(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src0,
                            const ptrt_tile *src1, const ptrt_tile *dst);
/* dst[i,j] = src[i,0] (PTRT_TROWEXPAND) or src[0,j] (PTRT_TCOLEXPAND). */
PTRT_API int ptrt_spread(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                         const ptrt_tile *dst);

/* Reductions over the valid region of src: dst[i,0] of row i, or dst[0,j] of column j. rowarg and
 * colarg store the index of the extreme as a 32-bit integer. If src or dst is empty they do
 * nothing. */
PTRT_API int ptrt_rowreduce(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                            const ptrt_tile *dst);
PTRT_API int ptrt_colreduce(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                            const ptrt_tile *dst);
/* pto.tcolsum: as ptrt_colreduce. With `binary`, on a2a3 and a5 (enum ptrt_profile), adds rows in
 * pairs until one is left; an odd last row is added to the first sum of the pass (a2a3) or the last
 * one (a5). */
PTRT_API int ptrt_colsum(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                         const ptrt_tile *dst, int binary, int profile);
PTRT_API int ptrt_rowarg(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                         const ptrt_tile *dst);
PTRT_API int ptrt_colarg(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                         const ptrt_tile *dst);

/* dst = scalar, over the valid region, or over the whole shape if dst is in mat. */
PTRT_API int ptrt_fill_i(ptrt_core *core, uint32_t line, int kernel, int64_t scalar,
                         const ptrt_tile *dst);
PTRT_API int ptrt_fill_f(ptrt_core *core, uint32_t line, int kernel, double scalar,
                         const ptrt_tile *dst);
/* dst[i,j] = (j <= i + diagonal) as 1 or 0; with upper = 1: !(j < i + diagonal). */
PTRT_API int ptrt_tri(ptrt_core *core, uint32_t line, int kernel, int64_t diagonal,
                      const ptrt_tile *dst, int upper);

/* dst[i,k] = src[i,2k] + src[i,2k+1]; a missing last element counts as 0. The rest of dst's shape
 * becomes 0. */
PTRT_API int ptrt_rowpairs(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                           const ptrt_tile *dst);

/* dst[0,j] = start + j, or start - j if `descending`, wrapping, for the valid columns of dst. */
PTRT_API int ptrt_sequence_i(ptrt_core *core, uint32_t line, int kernel, int64_t start,
                             const ptrt_tile *dst, int descending);

/* dst = words of Philox-4x32 with 7 or 10 rounds. In each row, columns 4 l .. 4 l + 3 of a chunk of
 * 256 columns have the four words of counter + l. After a chunk the counter grows by 64, after the
 * last chunk of a row by (columns - 1) % 64 + 1. key and counter tiles: the first 2 and 4 elements,
 * in row-major order. */
PTRT_API int ptrt_random(ptrt_core *core, uint32_t line, int kernel, int64_t key0, int64_t key1,
                         int64_t counter0, int64_t counter1, int64_t counter2, int64_t counter3,
                         const ptrt_tile *dst, int rounds);
PTRT_API int ptrt_random_tiles(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *key,
                               const ptrt_tile *counter, const ptrt_tile *dst, int rounds);
/* dst[i,b], 0 <= b < 256: the number of elements in row i of src whose byte number `byte` is at
 * most b and whose higher bytes equal those in idx: idx[i,0] for 16-bit elements, idx[0,0],
 * idx[1,0], .. from the highest byte on for 32-bit ones. If `byte` is absent it is `msb`, or 1. */
PTRT_API int ptrt_histogram(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                            const ptrt_tile *idx, const ptrt_tile *dst, int byte, int msb);

/* Element k of a tile is (k / cols, k % cols) of its shape. Indices are 16-bit or 32-bit integers.
 * dst[i,j] = element indices[i,j] of src. If src has no such element, that is PTRT_E_BOUNDS in
 * checked mode, else 0 is stored. */
PTRT_API int ptrt_gather(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                         const ptrt_tile *indices, const ptrt_tile *dst);
/* Copies blocks of 32 bytes: block b of row r of dst comes from byte offset offsets[r,b] of src, an
 * unsigned 32-bit number. A partial block at the end of a row is left unchanged, and so is one that
 * would leave src, which is PTRT_E_BOUNDS in checked mode. */
PTRT_API int ptrt_gatherb(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                          const ptrt_tile *offsets, const ptrt_tile *dst);
/* dst = the columns (axis 0) or rows (axis 1) of src that a mask pattern selects, copied as bits.
 * `pattern` has the language's numbers: 1, 2: every second one from 0, 1 on; 3 .. 6: every fourth
 * one from 0 .. 3 on; 7: all. */
PTRT_API int ptrt_gathermask(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                             const ptrt_tile *dst, int pattern, int axis);
/* Per row i of src: stores offset + i * cols(src) + j for every element that compares true with
 * value (PTRT_CMP_EQ, PTRT_CMP_GT), from dst[i,0] on, as far as dst's valid columns go; element i
 * of cdst = how many compare true. On a5 the row factor is src's valid columns rounded up to 256
 * bytes, and f32 is rounded to integers before it is compared. */
PTRT_API int ptrt_gathercmp_i(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                              int64_t value, const ptrt_tile *dst, const ptrt_tile *cdst, int mode,
                              int offset, int profile);
PTRT_API int ptrt_gathercmp_f(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                              double value, const ptrt_tile *dst, const ptrt_tile *cdst, int mode,
                              int offset, int profile);
/* dst = 0 over its whole shape; then element indexes[i,j] of dst = src[i,j], row by row, over the
 * valid region of indexes. Indices are unsigned; those beyond dst are PTRT_E_BOUNDS in checked
 * mode, else ignored. */
PTRT_API int ptrt_scatter(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                          const ptrt_tile *indexes, const ptrt_tile *dst);
/* The columns (axis 0) or rows (axis 1) of dst that the pattern selects = those of src in order;
 * the others = 0. */
PTRT_API int ptrt_scattermask(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                              const ptrt_tile *dst, int pattern, int axis);

/* Gathers from a table in global memory. Indices are unsigned 32-bit numbers, in a tile or a view.
 * By row (coalesce 0): dst[r,c] = element c of the table's row idx[r]. By element (1): dst[r,c] =
 * element idx[r,c] of the table in row-major order. PTRT_ABSENT: by row if idx has one column. The
 * table has as many rows as dimension 3 of the view; on a2a3 as all dimensions but the last. An
 * index beyond the table: PTRT_E_BOUNDS (oob 0), the last row or element (1), modulo the size (2),
 * zeros (3). */
PTRT_API int ptrt_mgather(ptrt_core *core, uint32_t line, int kernel, const ptrt_view *mem,
                          const ptrt_tile *idx, const ptrt_tile *dst, int coalesce, int oob,
                          int profile);
PTRT_API int ptrt_mgather_view(ptrt_core *core, uint32_t line, int kernel, const ptrt_view *mem,
                               const ptrt_view *idx, const ptrt_tile *dst, int coalesce, int oob,
                               int profile);
/* Scatters to a table in global memory, row by row: replaces elements (op 0), adds to them (1), or
 * keeps the larger (2) or smaller one (3), where each combination is an atomic update. An index
 * beyond the table: PTRT_E_BOUNDS and nothing is written (oob 0), ignored (1), the last row or
 * element (2), modulo the size (3). */
PTRT_API int ptrt_mscatter(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                           const ptrt_tile *idx, const ptrt_view *mem, int coalesce, int op,
                           int oob, int profile);

/* Sorts each row of src's valid region in blocks of 32 columns, descending and stable; NaNs go to
 * the end that their sign says. Writes 8-byte records to dst's row: the value, zeros up to 4 bytes,
 * and the element of idx at the same position. If idx has one row, it serves all rows. */
PTRT_API int ptrt_sort32(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                         const ptrt_tile *idx, const ptrt_tile *dst);
/* Merges up to four sorted lists of 8-byte records, each in the valid columns of row 0 of a source,
 * into row 0 of dst: descending by key, which is the first element of a record; of equal keys the
 * first list's comes first. Ends when dst's valid columns are full or, with `exhausted`, a list is
 * used up. executed (may be NULL) = the records taken from each list, as unsigned numbers. */
PTRT_API int ptrt_merge(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src0,
                        const ptrt_tile *src1, const ptrt_tile *src2, const ptrt_tile *src3,
                        const ptrt_tile *dst, ptrt_i16x4 *executed, int exhausted);
/* Merges every four neighbouring blocks of `length` elements of src, as far as dst has room. Does
 * nothing when length is not positive or not a whole number of records. */
PTRT_API int ptrt_merge_blocks(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                               int64_t length, const ptrt_tile *dst);

/* dst's valid region = the first elements of the view, which must be at least as large. If dst has
 * a pad, the rest of dst's shape = pad. Element sizes must be equal. */
PTRT_API int ptrt_load(ptrt_core *core, uint32_t line, int kernel, const ptrt_view *mem,
                       const ptrt_tile *dst);
/* The first elements of the view = src's valid region, which must not be larger than the view. */
PTRT_API int ptrt_store(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                        const ptrt_view *mem);

/* The same with addition, in the view's element type: each element is an atomic update with respect
 * to other cores (`atomic` is enum ptrt_atomic). */
PTRT_API int ptrt_store_atomic(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                               const ptrt_view *mem, int atomic);

/* Stores and moves from an accumulator, of f32 or i32, convert each element. Kernels PTRT_..._ACC
 * round to nearest even. The others multiply by the scale of a 64-bit quantisation word first:
 * `word` for all columns, or the element of row 0 of `fp` in the source's column; f16, bf16 or f32
 * elements there are the scale itself. 8-bit results are rounded in -256 .. 255, then the word's
 * offset is added and the sum clamped. 16-bit integers are shifted instead of multiplied, and
 * clamped. Floats are clamped to finite values, except that with `word` f16 and bf16 keep
 * infinities. `relu` (enum ptrt_relu) turns NaN and negative results into 0. */
PTRT_API int ptrt_fix_store(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                            const ptrt_tile *fp, int64_t word, const ptrt_view *mem, int atomic,
                            int relu);
/* Position as in ptrt_move: ptrt_fix_move extracts, ptrt_fix_insert inserts. A cube core's move to
 * vec writes to the memory of the vector core that `mode` (enum ptrt_to_vec) names, or is split
 * between the two: each gets as much as dst has or, when inserting, half of src. */
PTRT_API int ptrt_fix_move(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                           int64_t row, int64_t col, const ptrt_tile *fp, int64_t word,
                           const ptrt_tile *dst, int mode, int relu);
PTRT_API int ptrt_fix_insert(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                             int64_t row, int64_t col, const ptrt_tile *fp, int64_t word,
                             const ptrt_tile *dst, int mode, int relu);

/* PTRT_TMOV, PTRT_TEXTRACT: dst[i,j] = src[row+i, col+j] over dst's valid region. PTRT_TINSERT:
 * dst[row+i, col+j] = src[i,j] over src's. Layouts and spaces may differ. f16 and bf16 convert to
 * f32 (bias) exactly; other types must have one size and are copied as bits. PTRT_E_BOUNDS when the
 * window leaves the other tile's shape. */
PTRT_API int ptrt_move(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                       int64_t row, int64_t col, const ptrt_tile *dst);
/* Moves exponents of groups to the order in which mx products read them: boxes of 16 x 2 bytes, row
 * by row of boxes, from dst's first byte on. axis 1: the matrix has dst's valid region and src's
 * elements in their order; axis 0: it is src transposed. Missing rows of the last boxes become 0.
 * tmp is not used. */
PTRT_API int ptrt_move_zz(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                          const ptrt_tile *tmp, const ptrt_tile *dst, int axis);
/* dst[c,r] = src[r,c] over src's valid region. */
PTRT_API int ptrt_transpose(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                            const ptrt_tile *dst);

enum ptrt_hf32 { PTRT_HF32_OFF, PTRT_HF32_EVEN, PTRT_HF32_AWAY };
/* pto.tsethf32mode: later products of this core round f32 factors to the upper 11 bits of the
 * mantissa, ties to even or away from zero, and subnormal ones to 0. */
PTRT_API int ptrt_set_hf32(ptrt_core *core, uint32_t line, int mode);

/* Matrix products: dst[i,j] = the sum over k of lhs[i,k] * rhs[k,j], plus acc_in[i,j] or bias[0,j]
 * unless they are NULL. i, j and k run over lhs's valid rows, rhs's valid columns and lhs's valid
 * columns. The sum is a chain of fused multiply-adds in f32 from k = 0 on, or wraps in i32; acc_in
 * or bias is added last. The two elements of an f4 pair are neighbours along k. */
PTRT_API int ptrt_matmul(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *acc_in,
                         const ptrt_tile *lhs, const ptrt_tile *rhs, const ptrt_tile *bias,
                         const ptrt_tile *dst);
/* The same with factors a[i,k] * a_scale[i,k/32] and b[k,j] * b_scale[k/32,j]; each step is rounded
 * once, as if the factors were exact. */
PTRT_API int ptrt_matmul_mx(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *c_in,
                            const ptrt_tile *a, const ptrt_tile *a_scale, const ptrt_tile *b,
                            const ptrt_tile *b_scale, const ptrt_tile *bias, const ptrt_tile *dst);

/* dst[i] = src0[i] followed, after its valid columns, by src1[i], in dst's valid rows.
 * ptrt_concatidx takes only the first columns of each: as many as its count in column 0 says (in
 * bytes of the count's type, at most what is valid), as far as dst's valid columns go. Other
 * elements of dst are unchanged. */
PTRT_API int ptrt_concat(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src0,
                         const ptrt_tile *src1, const ptrt_tile *dst);
PTRT_API int ptrt_concatidx(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src0,
                            const ptrt_tile *src1, const ptrt_tile *src0_idx,
                            const ptrt_tile *src1_idx, const ptrt_tile *dst);
/* Interleave: dst0 and dst1 together have the columns of src0 and src1 alternating. Deinterleave:
 * dst0 has the even columns of src0 and then of src1, dst1 the odd ones; if src1 is NULL, src0 has
 * twice the columns. */
PTRT_API int ptrt_interleave(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src0,
                             const ptrt_tile *src1, const ptrt_tile *dst0, const ptrt_tile *dst1);
PTRT_API int ptrt_deinterleave(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src0,
                               const ptrt_tile *src1, const ptrt_tile *dst0, const ptrt_tile *dst1);

/* dst = src over src's valid region, and the pad value over the rest of dst's shape. Does nothing
 * if dst's valid region is empty. `pad` is enum ptrt_pad, or PTRT_ABSENT for dst's own;
 * PTRT_PAD_NULL means zero. dst's shape must be at least as large as src's. */
PTRT_API int ptrt_fillpad(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                          const ptrt_tile *dst, int pad);

/* ---- Output to stdout; each call writes once ---- */

/* pto.print: prints one number. The format is that of printf with one conversion of d i o u x X c f
 * F e E g G a A, or empty for %f. The number is converted to what the conversion prints; an integer
 * has `bits` bits. PTRT_E_ARG for another format. */
PTRT_API int ptrt_print_i(ptrt_core *core, uint32_t line, const char *format, int64_t value,
                          int bits);
PTRT_API int ptrt_print_f(ptrt_core *core, uint32_t line, const char *format, double value);

/* pto.tprint: prints `TPRINT RxC` and one line per row: the valid region of a tile, or all of a
 * view, whose rows are all dimensions but the last. Of more than 1,024 elements only the first and
 * last 8 rows and columns are printed, with `...` between. `format` 0, 1, 2: numbers of width 8 and
 * precision 4, 8 and 2, 10 and 6. A packed pair is printed as `low/high`. */
PTRT_API int ptrt_print_tile(ptrt_core *core, uint32_t line, const ptrt_tile *tile, int format);
PTRT_API int ptrt_print_view(ptrt_core *core, uint32_t line, const ptrt_view *view, int format);

/* `ptoasm run --print`: prints the value called `name` after the statement at `line`. Of a tile it
 * prints the corners of the valid region and the first elements beyond. In a block with both kinds
 * of cores, only the kind whose memory has the tile prints it. */
PTRT_API int ptrt_show_tile(ptrt_core *core, uint32_t line, const char *name,
                            const ptrt_tile *tile);
PTRT_API int ptrt_show_i(ptrt_core *core, uint32_t line, const char *name, int64_t value);
PTRT_API int ptrt_show_f(ptrt_core *core, uint32_t line, const char *name, double value);

/* ---- Tiles that a run hands out ---- */

/* A tile after a statement. */
typedef struct ptrt_dump {
    const char *name; /* `%x` */
    uint32_t line;
    uint32_t request;                  /* the number of the ptoasm_dump that asked for it */
    int elem;                          /* enum ptrt_elem */
    const char *type, *space, *layout; /* such as "f32", "vec", "row_major/none_box" */
    int64_t shape[2], valid[2];
    int64_t block, blocks; /* of the launch */
    int place;             /* the core in its block: 0 the cube core, 1 and 2 vector cores */
    int rank, ranks;
    const ptrt_tile *tile;
} ptrt_dump;

/* Receives a tile, which is valid during the call. Another result than 0 ends the run with
 * PTRT_E_STOPPED; the receiver knows why. */
typedef int (*ptrt_dump_fn)(void *user, const ptrt_dump *dump);

/* Sets who receives the tiles of ptrt_dump_tile(), for all launches of the process; NULL: nobody.
 * With several threads all of them call it. */
PTRT_API void ptrt_dump_to(ptrt_dump_fn fn, void *user);
/* Copies all elements of the shape to `out`, row by row. */
PTRT_API void ptrt_dump_copy(const ptrt_dump *dump, void *out);
/* What the statements that `ptoasm run --dump` inserts call. In a block with both kinds of cores,
 * only the kind whose memory has the tile hands it out; a tile outside of its memory is not handed
 * out. */
PTRT_API int ptrt_dump_tile(ptrt_core *core, uint32_t line, uint32_t request, const char *name,
                            const ptrt_tile *tile);
/* Limits what is printed and handed out to one block and one core (as ptrt_dump.place); -1: all. */
PTRT_API void ptrt_show_only(int64_t block, int place);

/* ---- Observation ---- */

enum ptrt_role { PTRT_READ = 1, PTRT_WRITE = 2, PTRT_SCRATCH = 4 };

/* Called for every tile operand of every kernel call, before the kernel runs: operand `name` of
 * `op`, its role, and the tile, which occupies bytes base+addr .. base+addr+bytes. */
typedef void (*ptrt_access_fn)(void *user, const ptrt_core *core, uint32_t line, const char *op,
                               const char *name, int role, const ptrt_tile *tile);

/* Sets the hook for later launches of the calling thread; NULL removes it. Returns false when
 * memory is exhausted. With several threads all of them call it. It is not called for tiles that a
 * caller passes, except in calls that take the slow path. */
PTRT_API bool ptrt_set_access_hook(ptrt_access_fn fn, void *user);

#ifdef __cplusplus
}
#endif

#include "ptort_sanitize.h"
#include "ptort_scalar.h"

#endif
