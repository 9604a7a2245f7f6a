/* SPDX-License-Identifier: Apache-2.0 */
/* ptort_emitted.h - what emitted code calls, beyond ptort.h: kernels, tiles in on-chip memory,
 * views, synchronisation, pipes, pto.comm.*, output. Included by the C that `ptoasm emit` writes.
 *
 * Emitted code has no thread-locals, atomics, intrinsics or _Float16. Calls, units and ownership
 * are as in ptort.h.
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
#ifndef PTORT_EMITTED_H
#define PTORT_EMITTED_H

#include "ptort.h"
#include "ptort_scalar.h"
#ifndef PTRT_TABLE
#include "ptort_table.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The kernels. Their numbers are valid for one PTRT_TABLE (ptort_table.h). */
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

/* ---- Launch ---- */

/* An entry returns a code other than 0 at once; the launch then ends all cores. */
typedef int (*ptrt_entry)(ptrt_core *core, void *args);

enum ptrt_kernel_flags {
    PTRT_K_WAITS = 1,       /* a core may wait for another: cores run as fibers */
    PTRT_K_CHECKED = 2,     /* emitted with --checked */
    PTRT_K_GRID_SYNC = 4,   /* blocks wait for each other: all are in memory at once */
    PTRT_K_STACK = 8,       /* `stack` holds; without it the functions need 128 KiB at most */
    PTRT_K_SANITIZED = 16,  /* emitted with --sanitize: `pipe_order` holds */
    PTRT_K_PIPE_WAITS = 32, /* of sanitized code: a wait for another core stops one pipe, not all */
    PTRT_K_VREGS = 64       /* `vregs` holds; without it there are no vector registers */
};

/* What a launch runs. Emitted code defines it: `static const ptrt_kernel k_kernel = {...};`
 *
 * PTRT_K_CHECKED zeroes on-chip memory when a block begins. With PTRT_K_GRID_SYNC all blocks have
 * their memory and stacks at once; when that is too much, PTRT_E_NOMEM is returned before any core
 * has run. Cores that may wait run on stacks of 512 KiB, other cores on that of their thread. With
 * PTRT_K_STACK all run on stacks as large as the kernel says, with 384 KiB for the runtime;
 * PTRT_E_NOMEM when the machine does not have them. */
struct ptrt_kernel {
    const char *name;  /* symbol of the function, for error texts */
    const char *file;  /* name of the .pto file, for error texts */
    ptrt_entry cube;   /* entry of the cube core of a block; NULL: no cube core */
    ptrt_entry vector; /* entry of each vector core; NULL: no vector cores. A function without a
                          kernel kind has its entry here */
    int32_t subblocks; /* vector cores of a block; 0: as ptrt_set_subblocks says, by default 1
                          without a cube core and 2 with one */
    uint32_t flags;    /* enum ptrt_kernel_flags */
    uint32_t table;    /* PTRT_TABLE when the code was compiled; 0: not checked */
    uint64_t bytes[PTRT_SPACES]; /* bytes that each core needs in a space */
    uint64_t stack; /* bytes that the functions of a core need on its stack, beside those of the
                       runtime */
    uint32_t pipe_order[2]; /* bits of the pipes that complete in order, in practice and as
                               documented; bit 0: a wait of the scalar pipe delays all pipes */
    uint32_t vregs;         /* vector registers of a core */
};

PTRT_API bool ptrt_core_is_cube(const ptrt_core *core);

/* ---- Tiles ---- */

/* Makes `out` a tile at byte address `addr` of this core's space `type->space`, with the given
 * valid region. Does not touch the contents. PTRT_E_ALIGN when addr is not a multiple of 32,
 * PTRT_E_BOUNDS when it is negative or the tile leaves the space, PTRT_E_VALID when the valid
 * region leaves the shape. */
PTRT_API int ptrt_tile_bind(ptrt_core *core, const ptrt_tile_type *type, int64_t addr, int64_t vrow,
                            int64_t vcol, uint32_t line, ptrt_tile *out);

/* pto.declare_tile: makes a tile without memory. Using it before it is bound fails. */
PTRT_API void ptrt_tile_declare(const ptrt_tile_type *type, int64_t vrow, int64_t vcol,
                                ptrt_tile *out);

/* pto.tassign: makes `out` a copy of the tile at another address of its space. Errors as for
 * ptrt_tile_bind. `out` may be `tile`. */
PTRT_API int ptrt_tile_assign(ptrt_core *core, uint32_t line, const ptrt_tile *tile, int64_t addr,
                              ptrt_tile *out);

/* pto.set_validshape: PTRT_E_VALID when the valid region leaves the shape. */
PTRT_API int ptrt_tile_set_valid(ptrt_core *core, uint32_t line, ptrt_tile *tile, int64_t vrow,
                                 int64_t vcol);

/* pto.subview: makes `out` the window of rows x cols elements of `src` at (row, col), with the
 * strides of `src`. PTRT_E_BOUNDS when the valid region leaves the shape of src; the shape of the
 * window is cut there. In a boxed layout row and col must be multiples of the box: else PTRT_E_ARG.
 * A window without valid elements may be anywhere. */
PTRT_API int ptrt_tile_subview(ptrt_core *core, uint32_t line, const ptrt_tile *src, int64_t row,
                               int64_t col, int64_t rows, int64_t cols, int64_t vrow, int64_t vcol,
                               ptrt_tile *out);

/* pto.bitcast, pto.treshape: makes `out` a tile of another type over the memory of `src`.
 * PTRT_E_BOUNDS when it does not fit, PTRT_E_ALIGN when the address does not suit the element
 * type, PTRT_E_VALID when the valid region leaves the shape. With PTRT_ABSENT for both extents the
 * region is that of `src`; if that leaves the shape, uses of its elements are PTRT_E_VALID until
 * pto.set_validshape. */
PTRT_API int ptrt_tile_recast(ptrt_core *core, uint32_t line, const ptrt_tile *src,
                              const ptrt_tile_type *type, int64_t vrow, int64_t vcol,
                              ptrt_tile *out);

/* pto.tsubview: makes dst a window of src at (row, col), as ptrt_tile_subview. dst keeps its valid
 * region. */
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

/* pto.make_tensor_view: makes a view. `shape` and `stride` have `rank` entries, outermost first.
 * PTRT_E_ARG for an illegal rank, element type or layout. */
PTRT_API int ptrt_view_make(ptrt_core *core, uint32_t line, const void *base, int elem, int rank,
                            const int64_t *shape, const int64_t *stride, int layout,
                            ptrt_view *out);

/* pto.partition_view: makes `out` a window of `src`. `off` and `size` have src->rank entries.
 * `rank`, at most src->rank, is that of the result: if it is smaller, dimensions of extent 1 are
 * dropped, outermost first. In checked mode a window with an element that is none of `src` is
 * PTRT_E_BOUNDS; an empty window may begin anywhere. `out` may be `src`. */
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

/* pto.declare_global: makes an empty view without memory. Taking a window of it that is not empty
 * fails. */
PTRT_API void ptrt_view_declare(int elem, int rank, ptrt_view *out);

/* Checks, in checked mode, that element i (elem_size bytes) of the global pointer p lies in a
 * registered region. Without registered regions every access passes. PTRT_E_BOUNDS. */
PTRT_API int ptrt_check_gm(ptrt_core *core, uint32_t line, const char *op, const void *p, int64_t i,
                           uint32_t elem_size);

/* Stores the address of element i (elem_size bytes) of an on-chip pointer, which is a byte offset
 * in its space. PTRT_E_BOUNDS when the element leaves the space, also without checked mode. */
PTRT_API int ptrt_space_at(ptrt_core *core, uint32_t line, int space, int64_t addr, int64_t i,
                           uint32_t elem_size, void **out);

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
 * with ids 0..15. In the cube core ids 16..31 are those of vector core 1, which may use
 * them too. A wait takes one signal; until there is one, other cores run. */
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

/* ---- Ranks ---- */

/* pto.comm.tput, pto.comm.tget: copy every element of src to dst; with `add` not 0, add it. Shapes
 * and element types must be equal, strides may differ. PTRT_E_TYPE when elements of this type
 * cannot be added; PTRT_E_BOUNDS when a view leaves a window. */
PTRT_API int ptrt_comm_put(ptrt_core *core, uint32_t line, const ptrt_view *dst,
                           const ptrt_view *src, int add);
PTRT_API int ptrt_comm_get(ptrt_core *core, uint32_t line, const ptrt_view *dst,
                           const ptrt_view *src);

/* Comparisons of signals, numbered as in the language. */
enum ptrt_wait_cmp {
    PTRT_WAIT_EQ,
    PTRT_WAIT_NE,
    PTRT_WAIT_GT,
    PTRT_WAIT_GE,
    PTRT_WAIT_LT,
    PTRT_WAIT_LE
};

/* pto.comm.tnotify adds to the first element (op 0) or sets it (1). pto.comm.twait waits
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

/* A chain: statements one after the other whose results nothing else can see before the last one
 * has ended, so that the runtime may run them together, block by block. Their operands are numbers
 * of tiles and views of the chain. */
enum { PTRT_CHAIN_STEPS = 16, PTRT_CHAIN_TILES = 16, PTRT_CHAIN_VIEWS = 4 };
enum ptrt_step_kind {
#define CHAINS(id, driver, operands) PTRT_STEP_##id,
#include "ptort_kernels.def"
};
typedef struct ptrt_step {
    uint32_t line;
    uint16_t kernel;
    uint8_t kind;   /* enum ptrt_step_kind */
    uint8_t column; /* 1: a step on tiles that have one element for each row of the others */
    uint8_t at[3];  /* tiles and views in the order of the call */
    uint8_t number; /* of MAPS: its scalar */
    int8_t how[3];  /* of MAPS: 1 if the scalar is a float; of CVT: its attributes */
} ptrt_step;
typedef struct ptrt_chain {
    const ptrt_step *steps;
    uint8_t nsteps, ntiles, nviews;
    uint32_t dead; /* tiles that nothing reads after the chain, bits 1 << i; they are not read
                      before they are written, no other tile is a view of them, and they may be left
                      as they are */
} ptrt_chain;
typedef union ptrt_number {
    int64_t i;
    double f;
} ptrt_number;
/* Does what the statements do one after the other, with the same results. */
PTRT_API int ptrt_chain_run(ptrt_core *core, const ptrt_chain *chain, const ptrt_tile *const *tiles,
                            const ptrt_view *const *views, const ptrt_number *numbers);

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

/* `ptoasm run --shadow=f64`. An argument of a kernel: a tile, view or NULL; a number. */
typedef struct ptrt_shadow_arg {
    const void *p;
    double x;
    int64_t i;
} ptrt_shadow_arg;
/* Before the call of a kernel, with all its arguments: computes in f64 what it will. */
PTRT_API int ptrt_shadow_before(ptrt_core *core, uint32_t line, int kernel,
                                const ptrt_shadow_arg *args);
/* After a statement that has written a tile of floats, or a view (NULL): compares that with the
 * f64 values, or notes that there are none. `op` and `name` are kept. */
PTRT_API int ptrt_shadow_after(ptrt_core *core, uint32_t line, const char *op, const char *name,
                               const ptrt_tile *tile);

/* `ptoasm run --trap=nan`. True when an element of the valid region is NaN or infinite. */
PTRT_API int ptrt_nonfinite(const ptrt_tile *tile);
/* Fails when a tile that a statement has made of finite inputs has NaN or infinity. */
PTRT_API int ptrt_trap_nonfinite(ptrt_core *core, uint32_t line, const char *op, const char *name,
                                 const ptrt_tile *tile);

/* What the statements that `ptoasm run --dump` inserts call. In a block with both kinds of cores,
 * only the kind whose memory has the tile hands it out; a tile outside of its memory is not handed
 * out. */
PTRT_API int ptrt_dump_tile(ptrt_core *core, uint32_t line, uint32_t request, const char *name,
                            const ptrt_tile *tile);

#ifdef __cplusplus
}
#endif

#include "ptort_sanitize.h"

#endif
