/* SPDX-License-Identifier: Apache-2.0 */
/* A row of the instruction table: one row of data per instruction. Binding, printing, verification,
 * passes, emission and documentation derive from the rows (ir/insts.h).
 *
 * A row describes one schema for all forms. An operand slot with role WRITE is a destination: in
 * the DPS form an operand in outs(...), in the SSA and PTO-AS forms the instruction's result.
 * slot_value() (ir.h) hides the difference. */
#ifndef IR_INST_H
#define IR_INST_H

#include "ir/attr.h"
#include "ir/regions.h"
#include "ir/slot.h"

/* References to slots and attributes of the same row, and to rows. The rows have their names, with
 * blanks between several; pack_insts resolves these when the program is built. The program has
 * numbers: one more than the index; 0 is none, and ends a list. */
#ifdef INST_WRITTEN
typedef const char *SlotRef, *AttrRef, *SlotList, *AttrList, *SlotSum, *InstRef, *InstList;
typedef const char *DocRef;
#else
typedef uint8_t SlotRef, AttrRef;
typedef const uint8_t *SlotList, *AttrList;
typedef uint16_t InstRef;         /* InstId; 0: none */
typedef const uint16_t *InstList; /* ended by 0 */
typedef uint32_t DocRef;          /* documentation, for inst_doc(); 0: none */
/* Extents of slots that are added up; `across`: columns instead of rows, or the reverse. Rows write
 * `^x` for one across, and `x y` for a sum. */
typedef struct SlotSum {
    SlotRef slot[2];
    bool across[2];
} SlotSum;
#endif

/* What few rows have is in a struct of its own, written `.rare.x`: equal ones are one in the
 * program, and those that say nothing. */
#ifdef INST_WRITTEN
#define RARE(T) T
#else
#define RARE(T) const T *
#endif

typedef enum SlotRole {
    ROLE_READ,
    ROLE_WRITE,     /* a destination; what the region leaves out keeps its contents */
    ROLE_READWRITE, /* the same with the old contents as an input, which are read; of TOUCH_ELEMENT
                       the new ones do not depend on them */
    ROLE_SCRATCH    /* any element may be written; contents mean nothing before and after */
} SlotRole;
typedef enum SlotArity { ARITY_ONE, ARITY_OPT, ARITY_VAR } SlotArity;

/* The elements of an operand that a statement touches. Extents are those of valid regions: `rows`
 * and `cols` below are the valid rows and columns of the operands that the region names; of a
 * window of memory, all of it. What lies outside the operand's shape does not count. */
typedef enum TouchedKind {
    TOUCH_VALID,   /* `rows` x `cols`, from element (0,0) on */
    TOUCH_NONE,    /* none: its type or address matters, or it is passed on */
    TOUCH_SHAPE,   /* all rows and columns, valid or not */
    TOUCH_ROW,     /* row 0, `cols` */
    TOUCH_COLUMN,  /* column 0, `rows` */
    TOUCH_WINDOW,  /* `rows` x `cols`, from the element that indexRow and indexCol name on */
    TOUCH_ELEMENT, /* the one that the operand `offset` counts to from the first one */
    /* Of pointers: `span` bytes, or as many as the attribute `dist` says, from the pointer on,
     * moved by the operand `offset` times `unit` bytes (0: an element) unless the statement returns
     * that address. */
    TOUCH_LANES,
    /* Bursts of `len` times `unit` bytes, as the operands of a copy say: `gaps`: the strides count
     * from the end of a burst. */
    TOUCH_BURSTS,
    TOUCH_BLOCKS,  /* fractals of 16 x 32 bytes of a matrix of `rows` x `cols`, two integers */
    TOUCH_COLUMNS, /* blocks of 32 bytes that pto.mte_gm_l1_frac orders by columns of them */
    TOUCH_FILLED,  /* blocks of 32 bytes that a pattern fills */
    /* Of logical vectors: */
    TOUCH_LOGICAL,    /* their lanes, as offset, strides and dist_mode say */
    TOUCH_ROW_STARTS, /* one element of each row of a stride */
    TOUCH_LANE_BLOCKS /* blocks of 32 bytes somewhere after the pointer */
} TouchedKind;

typedef struct Touched {
    /* The slots whose valid rows are `rows`, and those whose valid columns are `cols`; none: the
     * operand's own. */
    SlotSum rows, cols;
    uint8_t kind; /* TouchedKind */
    /* TOUCH_VALID and TOUCH_ROW: bits of the row that each of `cols` takes, from its first byte
     * on; 0: an element. Whole bytes are written. */
    uint8_t bits;
    /* At most these elements: which ones depends on data, or on types and attributes. */
    bool partly;
    bool gaps;     /* TOUCH_BURSTS */
    uint8_t unit;  /* TOUCH_LANES, TOUCH_BURSTS */
    uint16_t span; /* TOUCH_LANES */
} Touched;

/* The region of an operand where the slot `given` has an operand. The first way that holds
 * overrules SlotInfo.touched; the last one has no slot. */
typedef struct TouchedWay {
    SlotRef given;
    uint8_t space; /* the operand is a tile in this Space; SPACE_COUNT: anything */
    bool padded;   /* it is a tile with a pad value */
    Touched touched;
} TouchedWay;

/* What few slots have. */
typedef struct SlotRare {
    /* FORM_TILE, ins(...): the operand follows this word with its own type (`ins(%t : T fp %f :
     * T2)`) or, if the word is ",", a comma (`ins(%t : T, %q : i64)`). In SSA forms it is an
     * ordinary operand. */
    const char *clause;
    /* FORM_TILE, ins(...): an optional slot that takes the last of several operands if it can,
     * unless this word follows them (`ins(%a, %b no_tmp : T, T)`). */
    const char *unless;
    const char
        *sample; /* the type in examples, of an operand whose type is kept as text; or NULL */
    const TouchedWay *touched_ways; /* or NULL */
    /* With another than its default value, the attribute of this name combines the new elements
     * with the old ones, which are read as well; or NULL. */
    AttrRef combines;
    bool scratch_in_vec; /* ROLE_READ: a tile in vec is scratch: the fp of tmov */
    bool may_skip;       /* ROLE_READ: attributes decide whether it is read: idx of thistogram */
    bool trailing;       /* the clause follows the statement: `word = %x : T` */
} SlotRare;

typedef struct SlotInfo {
    const char *name; /* name on the pages */
    RARE(SlotRare) rare;
    DocRef doc; /* description for explain; none when the name suffices */
    /* The elements that are touched; of ROLE_SCRATCH any of the shape, in any order. */
    Touched touched;
    uint8_t kind; /* SlotKind: what it accepts (slots.def) */
    uint8_t role, arity;
    bool in_outs; /* is in outs(...) without being a destination: the tmp of tquant */
} SlotInfo;

typedef enum AttrType {
    AT_ANY,
    AT_UNIT,
    AT_BOOL,
    AT_INT, /* any integer type */
    AT_I32, /* printed `n : i32`; a bare number is accepted */
    AT_STRING,
    AT_SYMBOL,
    AT_ENUM, /* of `family` */
    AT_INT_LIST,
    AT_TYPE,
    AT_ANGLE,    /* text in angle brackets, kept as ATTR_OPAQUE: overflow<nsw>, fastmath<..> */
    AT_EPILOGUE, /* #pto.acc_push_epilogue<..>, kept as ATTR_OPAQUE */
    AT_WORD      /* of `family`, a bare word or string: the predicate of arith.cmpi */
} AttrType;

/* Where ins/outs has an attribute. Other forms have one dictionary. */
typedef enum AttrPlace {
    PLACE_DICT,    /* the dictionary after outs(...), or as IF_DICT_IN_INS says */
    PLACE_INS,     /* a dictionary after the operands of ins(...) */
    PLACE_INS_TMP, /* like PLACE_INS when the scratch operand is present, else after outs(...) */
    PLACE_WORD,    /* AT_UNIT: a bare name after the operands of ins(...) */
    PLACE_TYPES    /* AT_STRING: after the types of ins(...) */
} AttrPlace;

typedef struct AttrInfo {
    const char *name;
    const char *synonym; /* another accepted key, or NULL */
    const uint8_t *also; /* AT_ENUM: further families, ended by EF_NONE; NULL when none */
    int32_t dflt;        /* default: integer, or value index of the family */
    DocRef doc;
    DocRef sample;  /* AT_STRING, AT_INT_LIST: the value in examples; none: any */
    DocRef absent;  /* what holds without it, where that is not `dflt`; "": nothing does */
    uint8_t type;   /* AttrType */
    uint8_t family; /* EnumFamily of AT_ENUM */
    uint8_t place;  /* AttrPlace, FORM_TILE */
    /* AT_WORD: width of the integer in the generic form; 0 = 64. AT_ENUM: if not 0, the number of
     * a value is accepted too */
    uint8_t int_bits;
    bool required;
    bool one_family; /* values of `also` become those of `family` with the same word */
    bool full;       /* AT_ENUM: printed in place as #pto.family<value> instead of <value> */
} AttrInfo;

/* How a result type is inferred when the text omits it. */
typedef enum ResultRule {
    RES_WRITTEN, /* the text must have it */
    RES_INDEX,
    RES_I64,
    RES_I1,
    RES_SAME,      /* type of the first operand */
    RES_SECOND,    /* type of the second operand */
    RES_ELEM,      /* element type of the first operand */
    RES_PARTITION, /* partition view of the first operand with constant sizes */
    RES_SLOT,      /* slot type of the multi tile buffer operand */
    RES_SUBVIEW,   /* window of the first operand with attribute `sizes` and its valid operands */
    RES_SUBSET     /* the same, with the valid region of the first operand inside the window */
} ResultRule;

typedef struct ResultInfo {
    const char *name;
    uint8_t kind;  /* SlotKind */
    uint8_t rule;  /* ResultRule */
    bool optional; /* one of the last: there if the text has its type */
} ResultInfo;

typedef enum Family {
#define FAMILY(id, name, summary, level) FAM_##id,
#include "ir/families.def"
#undef FAMILY
    FAM_COUNT
} Family;
/* What instructions work on: tiles, registers and bytes of memories, or logical vectors, which have
 * any number of lanes. */
typedef enum Level { LEVEL_TILE, LEVEL_MICRO, LEVEL_VMI } Level;
typedef struct FamilyInfo {
    const char *name, *summary;
    uint8_t level; /* Level */
} FamilyInfo;
extern const FamilyInfo family_infos[FAM_COUNT];

typedef enum Pipe {
    PIPE_NONE,
    PIPE_S,
    PIPE_V,
    PIPE_M,
    PIPE_MTE1,
    PIPE_MTE2,
    PIPE_MTE3,
    PIPE_FIX,
    PIPE_BY_OPERAND, /* see InstRare.pipe_of and InstRare.pipe_ways */
    PIPE_BY_ATTR     /* named by Inst.pipe_attr */
} Pipe;

/* The pipe of a statement whose operands determine it, by the spaces of the tiles in its first slot
 * and in its slot dst (SPACE_COUNT: any operand) and the element type of the first (ELEM_NONE:
 * any). */
typedef struct PipeWay {
    uint8_t from, to, elem;
    uint8_t pipe, pipe_on[PROFILE_COUNT]; /* as those of Inst */
    uint8_t other; /* another pipe, where the vendor's tools disagree; PIPE_NONE: they agree */
    SlotRef with;  /* a slot that must have an operand */
} PipeWay;

/* What a statement of several phases does next. */
typedef enum PhaseKind {
    PHASE_ACCESS,  /* `pipe` reads and writes slots */
    PHASE_FLAGS,   /* the library sets the flags `events` of `pipe` for `to`, and waits for them */
    PHASE_PERHAPS, /* the same, in some cases: it orders nothing for certain */
    PHASE_BARRIER  /* of `pipe`; PIPE_NONE: of all */
} PhaseKind;
typedef struct Phase {
    uint8_t kind, pipe, to; /* PhaseKind, Pipe, Pipe */
    uint8_t events;         /* 1 << number */
    SlotList reads, writes;
    SlotRef with; /* a slot that must have an operand */
} Phase;

/* Which statements of an instruction have certain phases. */
typedef enum PhaseCase {
    PHASES_ALWAYS,
    PHASES_ROWS,     /* indices of whole rows */
    PHASES_ONE,      /* an index of one element */
    PHASES_OF_VALUE, /* a value to compare with is given */
    PHASES_OF_INDEX, /* indices are given */
    PHASES_OF_MASK,  /* they are not; a pattern leaves out elements of each row */
    PHASES_OF_LINES, /* a pattern leaves out rows */
    PHASES_ALONE     /* a group of one member */
} PhaseCase;
/* The phases of a statement; the first form that applies counts. Without one, a statement has a
 * single phase, on its pipe. */
typedef struct PhaseForm {
    uint8_t profiles, when; /* PROFILE_BIT of each model, PhaseCase */
    uint8_t to;             /* Space of the tile dst; SPACE_COUNT: any */
    uint8_t nphases;
    SlotRef moves; /* the slot of views that may be empty, and then nothing happens */
    const Phase *phases;
} PhaseForm;

/* The kind of core that an instruction runs on. */
typedef enum Core { CORE_ANY, CORE_CUBE, CORE_VECTOR } Core;

/* What a statement does with an entry of a pipe between cores. Those that name a side (Inst.core is
 * not CORE_ANY) are of the frontend, the others lowered. */
typedef enum EntryUse { ENTRY_NONE, ENTRY_ALLOC, ENTRY_PUSH, ENTRY_POP, ENTRY_FREE } EntryUse;

/* What a statement does to the order of pipes. */
typedef enum SyncUse {
    SYNC_NONE,
    SYNC_SET,     /* attributes: the pipe that sets a flag, the pipe that waits, the event */
    SYNC_WAIT,    /* the same */
    SYNC_BARRIER, /* of its pipe, or of all */
    SYNC_GET,     /* its pipe takes a buffer */
    SYNC_RELEASE, /* its pipe releases a buffer */
    SYNC_DRAIN,   /* of all pipes */
    SYNC_FENCE,   /* of those that move data; of all on a vector core */
    SYNC_MEMORY,  /* orders accesses of its pipe, or of caches, among themselves only */
    SYNC_CORES    /* orders nothing inside a core */
} SyncUse;

/* Whether a statement may be in a vector scope. */
typedef enum ScopeUse {
    SCOPE_BY_FLAGS, /* outside if it orders pipes (IF_SYNC), else anywhere */
    SCOPE_IN,
    SCOPE_OUT,
    SCOPE_ANY
} ScopeUse;

/* The scratch tile that the vendor inserts, and this project plans, when the text has none. */
typedef enum ImplicitTmp {
    TMP_NONE,
#define TMP_KIND(id, text) TMP_##id,
#include "ir/tmp_kinds.def"
#undef TMP_KIND
} ImplicitTmp;

/* What binds, prints and emits a statement: the default tile form, a format string, or code for
 * one of the few structured operations (module, func.func, scf.for ...). */
typedef enum InstForm {
    FORM_TILE,   /* ins(...) outs(...) and the corresponding SSA and PTO-AS forms */
    FORM_FORMAT, /* Inst.format */
    FORM_CUSTOM  /* its own binder and printer (parser/bind_custom.c, ir/print_custom.c) */
} InstForm;

enum {                    /* Inst.flags */
       IF_TERMINATOR = 1, /* ends a block */
       IF_ISOLATED = 2,   /* its regions cannot use values from outside (module, func.func) */
       IF_SYMBOL = 4,     /* defines a symbol */
       IF_PURE = 8,       /* has no side effect: without its results nothing is missing */
       IF_VIEW = 16,  /* its tile result or destination shares the storage of its first operand */
       IF_ALLOC = 32, /* its tile result is new storage */
       IF_DEPRECATED = 64,   /* Inst.replacement names the newer spelling */
       IF_SYNC = 128,        /* orders pipes; has no effect on values */
       IF_DICT_IN_INS = 256, /* FORM_TILE: the dictionary is between operands and `:` (ttri) */
       IF_NOT_PTOAS = 512,   /* the vendor's assembler 0.60 does not have it */
       IF_OPT_RESULT = 1024, /* Inst.results exist only if the text names them */
       IF_DICT_BOTH = 2048,  /* FORM_TILE: a dictionary is read there and after outs(...), and
                                printed after it */
       IF_DICT_COMMA = 4096, /* FORM_TILE: a comma is printed before a dictionary inside ins(...) */
       IF_ONE_TYPE = 8192,   /* FORM_TILE: a single type in ins(...) may be that of all operands
                                (tpartmul) or their element type (trandom) */
       /* FORM_FORMAT that starts with a parenthesis: PTO-AS may omit it: `%a, %b {..} : (T, U)` */
       IF_BARE_FORM = 16384,
       /* the pipe that the statement names determines the kind of core */
       IF_CORE_BY_PIPE = 32768,
       /* FORM_TILE, PTO-AS: without a result the first operand is the destination (trandom) */
       IF_DST_FIRST = 65536,
       /* FORM_TILE, PTO-AS: the memory operand may be anywhere, identified by its kind */
       IF_MEMORY_ANYWHERE = 131072,
       /* it tells other cores that earlier work is done, and does not wait for that */
       IF_SIGNALS = 262144,
       /* it reads and writes no element; nor do terminators, views and allocations */
       IF_NO_ACCESS = 524288,
       /* it moves a window of global memory to a tile, and fills what is not valid there */
       IF_LOADS = 1048576,
       /* its results depend on its operands alone, not on elements */
       IF_COMPUTES = IF_PURE | IF_NO_ACCESS,
       /* FORM_FORMAT: attributes that the text leaves out get their default values */
       IF_FILLS = 1048576
};

/* An alternative spelling of an instruction: read but never printed. */
#define INST_ALIAS(id, n, meant, fam)                                                              \
    INST(id, .name = n, .summary = "Another spelling of " meant ".", .family = fam,                \
         .form = FORM_TILE, .alias_of = meant)
/* An older spelling, which is deprecated. */
#define INST_FORMER(id, n, meant, fam)                                                             \
    INST(id, .name = n, .summary = "An older spelling of " meant ".", .family = fam,               \
         .form = FORM_TILE, .flags = IF_DEPRECATED, .alias_of = meant)

/* What few instructions have. */
typedef struct InstRare {
    /* Slots in the order of the generic form; NULL: the row's order. Other slots follow, and have
     * no segment size when they are absent. */
    SlotList generic;
    const char *pipe_of; /* PIPE_BY_OPERAND: what determines the pipe, for explain */
    /* PIPE_BY_OPERAND: the first way that holds gives the pipe; the last one holds always. */
    const PipeWay *pipe_ways;
    const PhaseForm *phases; /* of statements that run in several phases, with flags between */
    /* PTO-AS: AT_ENUM attributes whose values may follow the name, each after a dot, as in
     * `mgather.row.clamp`; or NULL. */
    AttrList suffixes;
    /* A sentence: why no code is needed when a core runs its statements one after the other in
     * memory shared by all cores. NULL: code is needed. */
    const char *idle;
    /* A sentence: what a kernel would need that programs cannot express. NULL: nothing. */
    const char *unwritable;
    const char *replacement; /* for a deprecated spelling */
    /* Instructions that do the same for other operand types, the
     * likeliest first; offered if the types do not fit this one. They may have more optional slots.
     * Of tile instructions the first takes one value for each row, the second for each column, the
     * third a number. Or NULL. */
    InstList others;
    uint8_t nforms; /* of `phases` */
} InstRare;

typedef struct Inst {
    const char *name;          /* `pto.tadds`, `arith.addi`, `scf.for` */
    DocRef summary;            /* one line, in our words */
    DocRef formula;            /* what it computes, in the notation of the pages, or none */
    const SlotInfo *slots;     /* inputs in the order of the pages, destinations last */
    const ResultInfo *results; /* results besides WRITE slots, or NULL */
    const AttrInfo *attrs;
    const RegionsInfo *regions; /* NULL: it has none, or is a module */
    /* FORM_FORMAT: the text after the name; elements are separated by blanks. `$x` operands of
     * slot x (a list if ARITY_VAR), `%x` the type of slot or result x (a list if ARITY_VAR), `#x`
     * attribute x in place, `{}` the attribute dictionary, `{!}` one for attributes of the row
     * only (a later `{}` has the others), `&x` slot x by name, `x = %v : T`, adjacent ones
     * optional and in any order, `(?` ... `)?` an optional part: printed when its first slot or
     * attribute is present, a result type always; `(:` ... `):` after it the text to print
     * otherwise; `,~`, `[~`, `]~` a comma or brackets that are optional in the input; `(,` word ...
     * `)?` a clause after a comma, `(+` word ... `)?` one without: adjacent ones are optional and
     * in this order, `;` ends them; `(~ , $x )?` an operand that
     * is there if it is one that slot x accepts; `#x=w` the word w, which gives attribute x that
     * value (or, of AT_UNIT, is its name); everything else is literal. The type of an integer
     * operand at the start of an optional part is omitted if it is index. */
    const char *format; /* "": the generic form only */
    RARE(InstRare) rare;
    AttrRef pipe_attr; /* PIPE_BY_ATTR: the attribute that names the pipe */
    /* The input slot that should be the same tile as the destination, such as the accumulator of a
     * product. A result uses that operand's tile where possible. */
    SlotRef in_place;
    /* The row whose alternative spelling this is, or 0. Statements get that row; only name,
     * summary, family and IF_DEPRECATED of the alias are used. */
    InstRef alias_of;
    uint32_t flags; /* IF_.. */
    /* Element (i,j) of a result depends only on elements (i,j) of the sources, so the result may
     * overwrite a source of the same type. */
    bool elementwise;
    bool fifo; /* sets up, fills or empties a pipe between cores, or declares tiles and views for it
                */
    /* Models that use the scratch tile though none is implicit there, and those that leave it alone
     * though one is planned there. */
    ProfileSet scratch_on, idle_on;
    /* Bytes at the start of vec that the library's call uses on a chip, besides its operands. */
    uint16_t library_scratch;
    bool transfer;    /* moves data or signals between devices, or asynchronously */
    uint8_t family;   /* Family in the documentation; has no effect on meaning */
    uint8_t form;     /* InstForm */
    uint8_t nregions; /* limit of regions */
    uint8_t nslots;
    uint8_t nresults;
    uint8_t nattrs;
    /* The Pipe, and those of the models that differ (PIPE_NONE: it does not); see inst_pipe(). */
    uint8_t pipe, pipe_on[PROFILE_COUNT];
    uint8_t core;               /* Core, if the instruction determines it; else see ir/core.h */
    uint8_t entry;              /* EntryUse */
    uint8_t sync;               /* SyncUse */
    uint8_t scope;              /* ScopeUse */
    uint8_t tmp[PROFILE_COUNT]; /* by model: see inst_tmp() */
} Inst;

/* `.slots = SLOTS(...)` and friends for the rows. */
#define SLOTS(...)                                                                                 \
    .slots = (const SlotInfo[]){__VA_ARGS__},                                                      \
    .nslots = sizeof((const SlotInfo[]){__VA_ARGS__}) / sizeof(SlotInfo)
#define RESULTS(...)                                                                               \
    .results = (const ResultInfo[]){__VA_ARGS__},                                                  \
    .nresults = sizeof((const ResultInfo[]){__VA_ARGS__}) / sizeof(ResultInfo)
#define ATTRS(...)                                                                                 \
    .attrs = (const AttrInfo[]){__VA_ARGS__},                                                      \
    .nattrs = sizeof((const AttrInfo[]){__VA_ARGS__}) / sizeof(AttrInfo)
/* `.also = FAMILIES(EF_..)`: further families of an attribute. */
#define FAMILIES(...)                                                                              \
    (const uint8_t[]) {                                                                            \
        __VA_ARGS__, EF_NONE                                                                       \
    }
/* The formula of an elementwise instruction. */
#define EACH_ELEMENT(value) .formula = "dst[i,j] = " value " for (i,j) in valid(dst)"
#define IN(n, k)                                                                                   \
    { .name = n, .kind = SLOT_##k, .role = ROLE_READ }
/* An input of which the valid region of slot `of` is touched, whatever its own is. */
#define IN_AT(n, k, of)                                                                            \
    { .name = n, .kind = SLOT_##k, .role = ROLE_READ, TOUCHED_AT(VALID, of) }
/* An input whose elements are not touched. */
#define IN_NONE(n, k)                                                                              \
    {                                                                                              \
        .name = n, .kind = SLOT_##k, .role = ROLE_READ, .touched = {.kind = TOUCH_NONE }           \
    }
/* A destination of which another region than the valid one is touched. */
#define OUT_AT(n, k, what, of)                                                                     \
    { .name = n, .kind = SLOT_##k, .role = ROLE_WRITE, TOUCHED_AT(what, of) }
/* `.region` in terms of slot `of`; NULL: the operand itself. */
#define TOUCHED_AT(what, of) .touched = {.kind = TOUCH_##what, .rows = of, .cols = of}
/* Some of these elements. */
#define TOUCHED_SOME(what, of)                                                                     \
    .touched = {.kind = TOUCH_##what, .rows = of, .cols = of, .partly = true}
#define TOUCHED_WAYS(...)                                                                          \
    .rare.touched_ways = (const TouchedWay[]) {                                                    \
        __VA_ARGS__, {                                                                             \
            .given = 0                                                                             \
        }                                                                                          \
    }
#define IN_OPT(n, k)                                                                               \
    { .name = n, .kind = SLOT_##k, .role = ROLE_READ, .arity = ARITY_OPT }
#define IN_VAR(n, k)                                                                               \
    { .name = n, .kind = SLOT_##k, .role = ROLE_READ, .arity = ARITY_VAR }
#define OUT(n, k)                                                                                  \
    { .name = n, .kind = SLOT_##k, .role = ROLE_WRITE }
#define IN_CLAUSE(n, k, word)                                                                      \
    { .name = n, .kind = SLOT_##k, .role = ROLE_READ, .arity = ARITY_OPT, .rare.clause = word }
#define SCRATCH_OPT(n, k)                                                                          \
    { .name = n, .kind = SLOT_##k, .role = ROLE_SCRATCH, .arity = ARITY_OPT }
#define RESULT(n, k, r)                                                                            \
    { .name = n, .kind = SLOT_##k, .rule = RES_##r }
#define RESULT_OPT(n, k)                                                                           \
    { .name = n, .kind = SLOT_##k, .rule = RES_WRITTEN, .optional = true }
#define PIPE_WAYS(...)                                                                             \
    .rare.pipe_ways = (const PipeWay[]) {                                                          \
        __VA_ARGS__                                                                                \
    }
#define WAY(FROM, TO, p)                                                                           \
    { .from = SPACE_##FROM, .to = SPACE_##TO, .elem = ELEM_NONE, .pipe = p }
#define WAY_ANY(p) WAY(COUNT, COUNT, p)

#define PHASES(...)                                                                                \
    .rare.phases = (const PhaseForm[]){__VA_ARGS__},                                               \
    .rare.nforms = sizeof((const PhaseForm[]){__VA_ARGS__}) / sizeof(PhaseForm)
#define PHASE_FORM(profiles_, case, dst, moves_, ...)                                              \
    {                                                                                              \
        .profiles = profiles_, .when = PHASES_##case, .to = SPACE_##dst, .moves = moves_,          \
        .phases = (const Phase[]){__VA_ARGS__},                                                    \
        .nphases = sizeof((const Phase[]){__VA_ARGS__}) / sizeof(Phase)                            \
    }
#define ACCESS(p, w, r)                                                                            \
    { .kind = PHASE_ACCESS, .pipe = PIPE_##p, .writes = w, .reads = r }
#define FLAGS(from, dst, n)                                                                        \
    { .kind = PHASE_FLAGS, .pipe = PIPE_##from, .to = PIPE_##dst, .events = 1 << (n) }
#define PERHAPS(from, dst, n, slot)                                                                \
    {                                                                                              \
        .kind = PHASE_PERHAPS, .pipe = PIPE_##from, .to = PIPE_##dst, .events = 1 << (n),          \
        .with = slot                                                                               \
    }
#define BARRIER_OF(p)                                                                              \
    { .kind = PHASE_BARRIER, .pipe = PIPE_##p }
#define ALL_CHIPS (PROFILE_BIT(PROFILE_A2A3) | PROFILE_BIT(PROFILE_A5))
#define CHIP_A2A3 PROFILE_BIT(PROFILE_A2A3)
#define CHIP_A5 PROFILE_BIT(PROFILE_A5)

/* True for an instruction that has the generic form only. */
static inline bool inst_is_generic(const Inst *inst) {
    return inst->form == FORM_FORMAT && inst->format[0] == '\0';
}
/* True for a micro-instruction, and for an instruction on logical vectors. */
static inline bool inst_is_micro(const Inst *inst) {
    return family_infos[inst->family].level != LEVEL_TILE;
}
static inline bool inst_is_logical(const Inst *inst) {
    return family_infos[inst->family].level == LEVEL_VMI;
}
/* True when the slot's value is a result in the SSA and PTO-AS forms: a destination tile or
 * vector. (A destination in memory, as of tstore, is an operand in every form.) */
static inline bool slot_is_result(const SlotInfo *s) {
    return s->role == ROLE_WRITE && (s->kind == SLOT_TILE || s->kind == SLOT_VECTOR);
}
/* True when the slot is in outs(...) in the DPS form. */
static inline bool slot_in_outs(const SlotInfo *s) {
    return s->role == ROLE_WRITE || s->in_outs;
}
/* Return what a row says for a profile: what it says for the profile's model. */
static inline Pipe inst_pipe(const Inst *inst, Profile p) {
    const uint8_t on = inst->pipe_on[profile_model(p)];
    return (Pipe)(on != PIPE_NONE ? on : inst->pipe);
}
static inline Pipe way_pipe(const PipeWay *w, Profile p) {
    const uint8_t on = w->pipe_on[profile_model(p)];
    return (Pipe)(on != PIPE_NONE ? on : w->pipe);
}
/* The scratch tile of the SCRATCH slot when the text has none. */
static inline ImplicitTmp inst_tmp(const Inst *inst, Profile p) {
    return (ImplicitTmp)inst->tmp[profile_model(p)];
}

#endif
