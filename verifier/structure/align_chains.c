/* SPDX-License-Identifier: Apache-2.0 */
/* Streams of unaligned accesses. The state of a stream is a value that each access replaces: it
 * begins at pto.vldas or pto.init_align, is used once, and goes on through loops and both regions
 * of an scf.if. */
#include "verifier/structure/vector_code.h"

#include <stdlib.h>

typedef struct Use {
    const Value *value;
    const Op *op;
    Span span;
    uint32_t nth; /* in the order of the text */
    uint8_t root; /* ChainRoot of the first use of a value, when it is known */
} Use;

typedef struct Chains {
    Verifier *v;
    Use *uses; /* sorted by value, then in the order of the text */
    uint32_t n, cap;
} Chains;

/* Where a stream begins; CHAIN_BROKEN: nowhere, or in several places. */
typedef enum ChainRoot { CHAIN_UNKNOWN, CHAIN_BROKEN, CHAIN_LOADS, CHAIN_STORES } ChainRoot;

static DiagList *diags(const Chains *c) {
    return &c->v->judge.ctx->diags;
}

static void collect(Chains *c, const Op *op) {
    for (unsigned i = 0; i < op->noperands; i++) {
        const Value *v = op->operands[i].value;
        if (v == NULL || v->type->kind != TY_ALIGN) continue;
        if (c->n == c->cap)
            c->uses = ARENA_WIDEN(&c->v->judge.ctx->arena, Use, c->uses, &c->cap, c->n, 64);
        c->uses[c->n] = (Use){v, op, op->operands[i].span, c->n, CHAIN_UNKNOWN};
        c->n++;
    }
    for (unsigned r = 0; r < op->nregions; r++)
        for (const Block *b = op_regions(op)[r].first; b != NULL; b = b->next)
            for (const Op *o = b->first; o != NULL; o = o->next)
                collect(c, o);
}

static int by_value(const void *a, const void *b) {
    const Use *x = a, *y = b;
    if (x->value != y->value) return x->value < y->value ? -1 : 1;
    return (x->nth > y->nth) - (x->nth < y->nth);
}

/* ---- accesses ---- */

static bool goes_on(const Op *op) {
    return op_is(op, INST_VLDUS) || op_is(op, INST_VSTUS) || op_is(op, INST_VSTUR) ||
           op_is(op, INST_PSTU);
}
static bool ends_stores(const Op *op) {
    return op_is(op, INST_VSTAS) || op_is(op, INST_VSTAR);
}
static bool is_access(const Op *op) {
    return goes_on(op) || ends_stores(op);
}
/* What the state of an access must have begun with. */
static ChainRoot wanted_root(const Op *op) {
    return op_is(op, INST_VLDUS) ? CHAIN_LOADS : CHAIN_STORES;
}

static const Value *state_of(const Op *access) {
    for (unsigned i = 0; i < access->noperands; i++)
        if (access->operands[i].value != NULL && access->operands[i].value->type->kind == TY_ALIGN)
            return access->operands[i].value;
    return NULL;
}

/* ---- roots ---- */

static const Op *last_op(const Region *r) {
    return r->first != NULL ? r->first->last : NULL;
}

enum { MOST_DEPTH = 256 };

/* Returns the first use of a value, which remembers its root; NULL: it has none. */
static Use *first_use(const Chains *c, const Value *v) {
    uint32_t lo = 0, hi = c->n;
    while (lo < hi) {
        const uint32_t mid = lo + (hi - lo) / 2;
        if (c->uses[mid].value < v)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < c->n && c->uses[lo].value == v ? &c->uses[lo] : NULL;
}

/* Returns operand `i` of a loop; NULL: it has fewer, which is reported elsewhere. */
static const Value *carried_from(const Op *loop, uint32_t i) {
    return i < loop->noperands ? loop->operands[i].value : NULL;
}

/* Returns the state that this one goes on with: in a loop what the loop begins with. NULL: `root`
 * tells where it begins, or it comes from both regions of an scf.if. */
static const Value *state_before(const Value *v, ChainRoot *root) {
    const Op *def = v->def;
    *root = CHAIN_BROKEN;
    if (def == NULL) {
        const Block *home = value_block(v); /* NULL: the value is defined later */
        const Op *loop = home != NULL ? region_owner(home) : NULL;
        const bool carried = loop != NULL && op_is(loop, INST_SCF_FOR) && v->index > 0;
        return carried ? carried_from(loop, 2u + v->index) : NULL;
    }
    if (goes_on(def)) return state_of(def);
    if (op_is(def, INST_SCF_FOR)) return carried_from(def, 3u + v->index);
    if (op_is(def, INST_VLDAS)) *root = CHAIN_LOADS;
    if (op_is(def, INST_INIT_ALIGN)) *root = CHAIN_STORES;
    return NULL;
}

static ChainRoot root_of(const Chains *c, const Value *v, unsigned depth);

/* Both regions of an scf.if must go on with streams of one kind. */
static ChainRoot root_of_if(const Chains *c, const Op *op, unsigned result, unsigned depth) {
    ChainRoot root = CHAIN_BROKEN;
    for (unsigned r = 0; r < op->nregions; r++) {
        const Op *yield = last_op(&op_regions(op)[r]);
        if (yield == NULL || result >= yield->noperands || depth == MOST_DEPTH) return CHAIN_BROKEN;
        const ChainRoot of = root_of(c, yield->operands[result].value, depth + 1);
        if (of == CHAIN_BROKEN || (r > 0 && of != root)) return CHAIN_BROKEN;
        root = of;
    }
    return root;
}

/* Follows a state to its beginning, and remembers it for all states on the way. */
static ChainRoot root_of(const Chains *c, const Value *v, unsigned depth) {
    ChainRoot root = CHAIN_UNKNOWN, ignored;
    for (const Value *at = v; root == CHAIN_UNKNOWN;) {
        const Use *known = first_use(c, at);
        if (known != NULL && known->root != CHAIN_UNKNOWN) {
            root = (ChainRoot)known->root;
            break;
        }
        const Value *before = state_before(at, &root);
        if (before != NULL)
            root = CHAIN_UNKNOWN;
        else if (at->def != NULL && op_is(at->def, INST_SCF_IF))
            root = root_of_if(c, at->def, at->index, depth);
        at = before;
    }
    for (const Value *at = v; at != NULL; at = state_before(at, &ignored)) {
        Use *u = first_use(c, at);
        if (u != NULL && u->root != CHAIN_UNKNOWN) break;
        if (u != NULL) u->root = (uint8_t)root;
    }
    return root;
}

/* ---- uses ---- */

/* True for a use that hands a state on: what a loop begins with, and the end of a region that makes
 * a new one. */
static bool hands_on(const Use *u) {
    if (op_is(u->op, INST_SCF_FOR)) return true;
    if (!op_is(u->op, INST_SCF_YIELD)) return false;
    const Op *owner = region_owner(u->op->block);
    if (op_is(owner, INST_SCF_FOR)) return true;
    return op_is(owner, INST_SCF_IF) && u->value->def != NULL &&
           u->value->def->block == u->op->block;
}

/* Returns the statement in `block` that `op` is in, or is. */
static const Op *lifted(const Op *op, const Block *block) {
    while (op != NULL && op->block != block)
        op = op->block != NULL ? region_owner(op->block) : NULL;
    return op;
}

static bool is_fork(const Use *u, uint32_t n) {
    const Block *block = value_home(u->value);
    const Op *branch = lifted(u[0].op, block);
    unsigned states = 0;
    for (uint32_t i = 1; i < n; i++)
        if (lifted(u[i].op, block) != branch || u[i].op->block == u[i - 1].op->block) return false;
    if (branch == NULL || !op_is(branch, INST_SCF_IF)) return false;
    for (unsigned i = 0; i < branch->nresults; i++)
        states += branch->results[i].type->kind == TY_ALIGN;
    return states == 1;
}

/* Judges the uses of one state, in the order of the text. */
static void check_uses_of(const Chains *c, const Use *u, uint32_t n) {
    const ChainRoot root = root_of(c, u->value, 0);
    for (uint32_t i = 0; i < n; i++) {
        if (hands_on(&u[i]) || (is_access(u[i].op) && wanted_root(u[i].op) == root)) continue;
        if (is_access(u[i].op) && root != CHAIN_BROKEN)
            diag_add(diags(c), DIAG_ALIGN_CHAIN, u[i].span, "%s goes on with a stream of %s",
                     u[i].op->inst->name, root == CHAIN_LOADS ? "loads" : "stores");
        else if (is_access(u[i].op))
            diag_add(diags(c), DIAG_ALIGN_CHAIN, u[i].span,
                     "the stream does not begin at one %s in this function",
                     wanted_root(u[i].op) == CHAIN_LOADS ? "pto.vldas" : "pto.init_align");
        else
            diag_add(diags(c), DIAG_ALIGN_CHAIN, u[i].span,
                     "only an access of its stream, or a loop around one, may use the state");
        return;
    }
    if (n == 1 || is_fork(u, n)) return;
    Diag *d = diag_add(diags(c), DIAG_ALIGN_CHAIN, u->span,
                       "the state is used %u times: each access makes the one for the next", n);
    diag_note_at(diags(c), d, u[1].span, "used again here");
}

/* In a loop an access goes on with the state of this iteration. */
static void check_loop(const Chains *c, const Use *u) {
    const Block *block = value_home(u->value);
    const Op *loop = u->op->block != NULL ? region_owner(u->op->block) : NULL;
    while (loop != NULL && !op_is(loop, INST_SCF_FOR) && loop->block != NULL)
        loop = region_owner(loop->block);
    if (loop == NULL || !op_is(loop, INST_SCF_FOR) || block->region == op_regions(loop)) return;
    diag_add(diags(c), DIAG_ALIGN_CHAIN, u->span,
             "in a loop the state must be one of the loop body: pass it as iter_args");
}

void check_align_chains(Verifier *v, const Op *func) {
    Chains c = {.v = v};
    collect(&c, func);
    if (c.n == 0) return;
    qsort(c.uses, c.n, sizeof *c.uses, by_value);
    for (uint32_t i = 0, n; i < c.n; i += n) {
        const uint32_t before = diags(&c)->errors;
        for (n = 1; i + n < c.n && c.uses[i + n].value == c.uses[i].value; n++) {
        }
        check_uses_of(&c, &c.uses[i], n);
        for (uint32_t k = i; k < i + n && diags(&c)->errors == before; k++)
            if (is_access(c.uses[k].op)) check_loop(&c, &c.uses[k]);
    }
}
