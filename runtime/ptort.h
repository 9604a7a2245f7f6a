/* SPDX-License-Identifier: Apache-2.0 */
/* ptort.h - libptort for programs that call emitted functions: codes and errors, tiles and views to
 * pass, launches, ranks. Plain C11, also C++ and tcc. Who includes what:
 *
 * - ptort.h: a program that calls emitted functions, and the headers that `ptoasm emit` writes
 * - ptort_emitted.h: the C that `ptoasm emit` writes, and nobody else (ptort_sanitize.h is part of
 *   it)
 * - ptort_scalar.h: a program that converts numbers such as f16 as emitted code does
 * - ptort_observe.h: a tool that looks into launches: tiles, accesses, the sanitizer
 * - ptort_transport.h: a library that connects ranks
 * - ptort_mpi.h: a program whose ranks are processes of MPI
 *
 * Errors. Functions that return int return PTRT_OK (0) or a PTRT_E code. Those that take a core
 * also record an error text with the .pto line, which ptrt_error() returns after the launch. `line`
 * is the line of the statement in the .pto file.
 *
 * Units. Rows, columns, valid extents, shapes, strides and offsets count elements (a packed pair
 * such as f4e2m1x2 is one element); parameters and fields named addr, bytes or size count bytes.
 *
 * Ownership. Tiles and views are handles: the caller owns the struct and the memory it points to,
 * and no call keeps a pointer to the struct after it returns. */
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
    PTRT_MAT,
    PTRT_LEFT,
    PTRT_RIGHT,
    PTRT_ACC,
    PTRT_VEC,
    PTRT_BIAS,
    PTRT_SCALING,
    PTRT_SPACES
};
/* In micro-instructions a left or right matrix at address a of its memory has its scales at byte
 * a / PTRT_BYTES_PER_SCALE of a memory that follows the matrices; addresses of factors have a
 * segment in their upper bits, of which there are two. */
enum { PTRT_BYTES_PER_SCALE = 16, PTRT_SCALING_SEGMENT = 65536 };
enum ptrt_blayout { PTRT_ROW_MAJOR = 0, PTRT_COL_MAJOR = 1 };
enum ptrt_slayout { PTRT_NONE_BOX = 0, PTRT_BOX_ROW_MAJOR = 1, PTRT_BOX_COL_MAJOR = 2 };
enum ptrt_pad { PTRT_PAD_NULL = 0, PTRT_PAD_ZERO = 1, PTRT_PAD_MAX = 2, PTRT_PAD_MIN = 3 };
enum ptrt_compact { PTRT_COMPACT_NULL = 0, PTRT_COMPACT_NORMAL = 1, PTRT_ROW_PLUS_ONE = 2 };
enum ptrt_role { PTRT_READ = 1, PTRT_WRITE = 2, PTRT_SCRATCH = 4 }; /* of an operand */
enum ptrt_layout { PTRT_VIEW_ND, PTRT_VIEW_DN, PTRT_VIEW_NZ, PTRT_VIEW_MX_A_ZZ, PTRT_VIEW_MX_B_NN };

typedef uint16_t ptrt_f16;  /* IEEE binary16 bits */
typedef uint16_t ptrt_bf16; /* bfloat16 bits */
typedef struct ptrt_i16x4 { /* vector<4xi16> */
    int16_t at[4];
} ptrt_i16x4;

/* One core of a running launch. ptrt_launch makes it and passes it to the entry functions, which
 * pass it on; it is not valid after the launch. */
typedef struct ptrt_core ptrt_core;

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
    uint8_t elem;       /* enum ptrt_elem */
    uint8_t space;      /* enum ptrt_space */
    uint8_t blayout;    /* enum ptrt_blayout; for left tiles the profile's, not the program's */
    uint8_t slayout;    /* enum ptrt_slayout */
    uint16_t fractal;   /* 512, 1024 or 32 */
    uint8_t pad;        /* enum ptrt_pad */
    uint8_t compact;    /* enum ptrt_compact */
    int64_t rows, cols; /* shape, > 0 */
} ptrt_tile_type;

/* Maps one coordinate i of a tile to an element offset: (i / box) * outer + (i % box) * inner. The
 * offset of an element is the sum of those of its row and its column, in every layout. */
typedef struct ptrt_axis {
    int64_t box, outer, inner;
} ptrt_axis;

/* A tile: memory, address, shape, valid region and layout. Anyone may read it; only ptrt_tile_*
 * may write it, because calls rely on their checks and on `at` and `key`.
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

/* Makes a tile over the caller's memory of `bytes` bytes, to pass to an emitted function. Records
 * no error text. PTRT_E_TYPE for an illegal type, PTRT_E_ALIGN when mem is not aligned to the
 * element size, PTRT_E_BOUNDS when the tile does not fit, PTRT_E_VALID. */
PTRT_API int ptrt_tile_init(ptrt_tile *out, const ptrt_tile_type *type, void *mem, uint64_t bytes,
                            int64_t vrow, int64_t vcol);

/* ---- Views of global memory ---- */

/* A window of global memory. Dimensions are right-aligned: rank n uses entries 5-n .. 4, the others
 * have extent 1. Anyone may read it; only ptrt_view_* may write it. */
typedef struct ptrt_view {
    unsigned char *base;         /* address of element (0, 0, 0, 0, 0) */
    int64_t shape[5], stride[5]; /* elements */
    uint8_t elem;                /* enum ptrt_elem */
    uint8_t layout;              /* enum ptrt_layout */
    uint8_t rank;                /* 0..5 */
    uint8_t plain; /* 1 + log2 of the element size for an ND matrix of contiguous rows, else 0 */
} ptrt_view;

/* Makes a view of the caller's memory, to pass to an emitted function. `shape` and `stride` have
 * `rank` entries, the outermost dimension first; `elem` is an enum ptrt_elem, `layout` an enum
 * ptrt_layout. Records no error text. PTRT_E_ARG for an illegal rank, element type or layout. */
PTRT_API int ptrt_view_init(ptrt_view *out, const void *base, int elem, int rank,
                            const int64_t *shape, const int64_t *stride, int layout);

/* ---- Launch ---- */

typedef struct ptrt_kernel ptrt_kernel; /* ptort_emitted.h; emitted code defines each */

/* Runs `blocks` blocks (0: does nothing) with `args`, and returns when all cores have ended: 0, or
 * the code of the first failure. PTRT_E_ARG for a wrong number, or another kernel table.
 *
 * Threads. Blocks are distributed over the processors that the process may use, or over n threads
 * with the environment variable PTORT_THREADS=n; the cores of one block share a thread. The process
 * has one pool of threads for all launches, which sleep between them and end with the library.
 * ptrt_launch may be called from several threads at once, and from a kernel, with the settings of
 * the outer launch. A child of fork may launch, unless a kernel called fork.
 *
 * Memory. On-chip memory has no defined contents when a block begins; that of code emitted with
 * --checked is zero. The memory of a launch is kept for later ones. PTRT_E_NOMEM: it is exhausted.
 *
 * Floating point rounds to nearest and keeps subnormals, whatever the caller has set. */
PTRT_API int ptrt_launch(const ptrt_kernel *kernel, int64_t blocks, void *args);

/* Sets the vector cores of a block (1 or 2; 0: the default) for later launches of the calling
 * thread, for kernels whose `subblocks` is 0. PTRT_E_ARG for other numbers. */
PTRT_API int ptrt_set_subblocks(int n);

/* Where a core is, for functions that emitted code calls. */
PTRT_API int64_t ptrt_block_idx(const ptrt_core *core); /* 0 .. number of blocks - 1 */
PTRT_API int64_t ptrt_block_num(const ptrt_core *core);
PTRT_API int64_t ptrt_subblock_idx(const ptrt_core *core); /* 0 or 1; 0 in a cube core */
PTRT_API int64_t ptrt_subblock_num(const ptrt_core *core); /* vector cores of the block */

/* Returns the instruction-set level of the kernels: "v2", "v3" or "v4" on x86-64, else "base";
 * "none" when the library has none for this machine, and every launch is PTRT_E_ARG. It is chosen
 * once: the machine's best, or the one that the environment variable PTORT_ISA names. */
PTRT_API const char *ptrt_isa(void);

/* Registers global memory for launches of the calling thread: as long as a region is registered,
 * every access in checked mode must lie in one. PTRT_E_NOMEM. */
PTRT_API int ptrt_region_add(const void *base, uint64_t bytes);
PTRT_API void ptrt_region_clear(void);

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

/* Return the rank of the calling thread, or in a kernel of its launch, and the number of ranks. */
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

#ifdef __cplusplus
}
#endif

#endif
