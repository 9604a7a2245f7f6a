/* SPDX-License-Identifier: Apache-2.0 */
/* Judges statements again with what the constants of the program say about `?`: each operand whose
 * number is known is replaced by a constant, and `?` in the types of tiles and views by the extent.
 * A number may depend on the iteration of loops and on a select, so that a statement is judged for
 * the first and for the last iteration, and for both values of a select. */
#include "verifier/rules/constants.h"
#include "verifier/rules/case.h"

#include "verifier/rules/describe.h"

#include <string.h>

/* ---- numbers ---- */

enum { FOLD_STEPS = 500, NUMBER_LIMIT = INT32_MAX };

/* One assumption, and what was used of it. */
typedef struct World {
    Evaluation in;
    bool last;         /* loops are in their last iteration, not in the first */
    bool no;           /* conditions of selects are false, not true */
    const Value *cond; /* of the selects that were met; only one may be unknown */
    bool uses_loop;
} World;

/* Computes a value in a world. */
static bool fold(World *w, const Value *v, int64_t *out) {
    w->in.arg = w; /* not that of which this world is a copy */
    return number_evaluate(&w->in, v, out) && *out >= -NUMBER_LIMIT && *out <= NUMBER_LIMIT;
}

static bool choose(void *world, const Value *cond, bool *yes) {
    World *w = world;
    if (w->cond != NULL && w->cond != cond) return false;
    w->cond = cond;
    *yes = !w->no;
    return true;
}

/* Returns the loop whose iteration variable a value is, or NULL. */
static const Op *loop_of(const Value *v) {
    if (!v->argument || v->index != 0) return NULL;
    const Op *loop = region_owner(value_block(v));
    return loop != NULL && op_counts(loop) ? loop : NULL;
}

typedef enum Trips { NEVER_RUNS, MAY_RUN, RUNS } Trips;

/* Computes the first and, of a loop that runs, the last number of its iteration variable. */
static Trips loop_range(World *w, const Op *loop, int64_t *first, int64_t *last) {
    int64_t end, step;
    if (!fold(w, loop->operands[0].value, first)) return MAY_RUN;
    if (!fold(w, loop->operands[1].value, &end) || !fold(w, loop->operands[2].value, &step) ||
        step <= 0)
        return MAY_RUN;
    if (*first >= end) return NEVER_RUNS;
    *last = *first + (end - 1 - *first) / step * step;
    return RUNS;
}

/* Computes the iteration variable of a loop. */
static bool fold_variable(void *world, const Value *v, int64_t *out) {
    World *w = world;
    const Op *loop = loop_of(v);
    int64_t first = 0, last = 0;
    if (loop == NULL) return false;
    w->uses_loop = true;
    const Trips trips = loop_range(w, loop, &first, &last);
    if (trips == NEVER_RUNS || (trips == MAY_RUN && w->last)) return false;
    *out = w->last ? last : first;
    return trips == RUNS || fold(w, loop->operands[0].value, out);
}

/* ---- extents ---- */

enum { SEEN_WAYS = 64, SEEN_TYPES = 6, SEEN_DIMS = 5 };

/* A type with known extents: of the valid region of a tile, or of a view. */
typedef struct KnownType {
    const Type *from, *to;
    int64_t dims[SEEN_DIMS];
} KnownType;
/* Types of operands that break no rule. */
typedef struct GoodTypes {
    const Inst *inst;
    uint8_t counts[7]; /* of operands, by slot */
    ProfileSet profiles;
    const Type *types[SEEN_TYPES];
} GoodTypes;
/* What statements before had, also of functions before. */
typedef struct Remembered {
    KnownType known[SEEN_WAYS];
    GoodTypes good[SEEN_WAYS];
} Remembered;

/* One run. */
typedef struct Search {
    Judge *j;
    ProfileSet profiles;
    PtrMap changed;   /* tiles whose valid region some statement may change: const Value * */
    int shape, sizes; /* slots of the statements that make views */
    Remembered *seen;
    NumberFrame frames[FOLD_STEPS];
} Search;

static World first_world(Search *s) {
    return (World){.in = {.known = fold_variable,
                          .choose = choose,
                          .left = FOLD_STEPS,
                          .size = FOLD_STEPS,
                          .frames = s->frames}};
}

static void note_changed(Search *s, const Op *op) {
    for (unsigned i = 0; i < op->noperands; i++)
        if (type_is_tile(op->operands[i].value->type))
            *ptrmap_at(&s->changed, op->operands[i].value) = (void *)op;
}

/* Returns the operands of a slot, and how many there are. */
static const Operand *operands_of(const Op *op, int slot, uint32_t *n) {
    unsigned at = 0;
    for (int i = 0; i < slot; i++)
        at += op->segs != NULL ? op->segs[i] : 1u;
    *n = op->segs != NULL ? op->segs[slot] : 1;
    return *n > 0 ? op->operands + at : NULL;
}

/* Replaces the `?` of a tile that pto.alloc_tile makes: valid_row and valid_col are its last
 * operands. True if there was one and its number is known. */
static bool know_tile(World *w, const Search *s, const Value *v, int64_t dims[2]) {
    const Op *op = v->def;
    const TileInfo *tile = &v->type->tile;
    bool known = false;
    if (op == NULL || !op_is(op, INST_ALLOC_TILE) ||
        (s->changed.count != 0 && ptrmap_get(&s->changed, v) != NULL))
        return false;
    const bool rows = tile->vrow == DYNAMIC, cols = tile->vcol == DYNAMIC;
    dims[0] = tile->vrow;
    dims[1] = tile->vcol;
    if ((!rows && !cols) || op->noperands < rows + cols) return false;
    const Operand *last = op->operands + op->noperands;
    if (rows) known = fold(w, last[cols ? -2 : -1].value, &dims[0]);
    if (cols) known |= fold(w, last[-1].value, &dims[1]);
    /* An instruction with an empty region computes nothing, whatever its rules demand. */
    return known && dims[0] != 0 && dims[1] != 0;
}

/* Replaces the `?` of a view, whose extents are operands of the statement that makes it. */
static bool know_view(World *w, const Search *s, const Value *v, int64_t *dims) {
    const Op *op = v->def;
    const Type *t = v->type;
    uint32_t n;
    const int slot = op == NULL                         ? -1
                     : op_is(op, INST_MAKE_TENSOR_VIEW) ? s->shape
                     : op_is(op, INST_PARTITION_VIEW)   ? s->sizes
                                                        : -1;
    if (slot < 0 || t->rank > SEEN_DIMS) return false;
    const Operand *extents = operands_of(op, slot, &n);
    bool known = false;
    for (uint32_t i = 0; n == t->rank && i < n; i++) {
        dims[i] = t->dims[i];
        known |= dims[i] == DYNAMIC && fold(w, extents[i].value, &dims[i]);
    }
    return known;
}

static bool is_dynamic(const Type *t) {
    if (t->kind == TY_TILE) return t->tile.vrow == DYNAMIC || t->tile.vcol == DYNAMIC;
    if (t->kind == TY_TENSOR_VIEW || t->kind == TY_PART_VIEW)
        for (uint32_t i = 0; i < t->rank; i++)
            if (t->dims[i] == DYNAMIC) return true;
    return false;
}

static const Type *with_extents(Search *s, const Type *from, const int64_t dims[SEEN_DIMS]) {
    size_t h = (size_t)(uintptr_t)from >> 5;
    const size_t n = from->kind == TY_TILE ? 2 : from->rank;
    for (size_t i = 0; i < n; i++)
        h = h * 7 + (size_t)dims[i];
    KnownType *k = &s->seen->known[h % SEEN_WAYS];
    if (k->from == from && memcmp(k->dims, dims, n * sizeof *dims) == 0) return k->to;
    Type type = *from;
    type.alias = 0;
    if (type.kind == TY_TILE) {
        type.tile.vrow = dims[0];
        type.tile.vcol = dims[1];
    } else {
        type.dims = dims;
    }
    *k = (KnownType){.from = from, .to = type_intern(s->j->ctx->types, &type)};
    memcpy(k->dims, dims, n * sizeof *dims);
    return k->to;
}

/* Returns the type with what is known of its extents; the type itself if that is nothing. */
static const Type *known_type(World *w, Search *s, const Value *v) {
    int64_t dims[SEEN_DIMS];
    if (!is_dynamic(v->type)) return v->type;
    const bool known =
        v->type->kind == TY_TILE ? know_tile(w, s, v, dims) : know_view(w, s, v, dims);
    return known ? with_extents(s, v->type, dims) : v->type;
}

/* ---- one statement ---- */

/* A statement with the numbers that are known. */
typedef struct Known {
    Op op;
    Case c;
    bool differs; /* from the statement of the text */
} Known;

static Value *constant_value(Judge *j, const Value *like, int64_t n) {
    Arena *arena = &j->ctx->arena;
    Op *op = ARENA_NEW(arena, Op);
    NamedAttr *named = ARENA_NEW(arena, NamedAttr);
    Attr *attr = ARENA_NEW(arena, Attr);
    Value *v = ARENA_NEW(arena, Value);
    *attr = (Attr){.kind = ATTR_INT, .i = n};
    *named = (NamedAttr){.value = attr};
    *op = (Op){.inst = &inst_table[INST_CONSTANT], .attrs = named, .nattrs = 1};
    *v = *like;
    v->def = op;
    v->argument = false;
    return v;
}

static void know_operand(Judge *j, const Op *op, unsigned i, int64_t n, Known *k) {
    if (!k->differs) {
        k->op.operands = ARENA_ARRAY(&j->ctx->arena, Operand, op->noperands);
        memcpy(k->op.operands, op->operands, op->noperands * sizeof *op->operands);
    }
    k->op.operands[i].value = constant_value(j, op->operands[i].value, n);
    k->differs = true;
}

/* Whether something is known of a statement beyond its text. */
static bool knows_more(World *w, Search *s, const Op *op) {
    for (unsigned i = 0; i < op->noperands; i++) {
        const Value *v = op->operands[i].value;
        int64_t n;
        if (v->type->kind == TY_SCALAR ? !number_written(v, &n) && fold(w, v, &n)
                                       : known_type(w, s, v) != v->type)
            return true;
    }
    return false;
}

/* Replaces the operands that are numbers. */
static void know_operands(World *w, Judge *j, const Op *op, Known *k) {
    k->op = *op;
    k->differs = false;
    for (unsigned i = 0; i < op->noperands; i++) {
        const Value *v = op->operands[i].value;
        int64_t n;
        if (v->type->kind == TY_SCALAR && !number_written(v, &n) && fold(w, v, &n))
            know_operand(j, op, i, n, k);
    }
}

static bool fold_in_case(void *world, const Value *v, int64_t *out) {
    return fold(world, v, out);
}

static void know(World *w, Search *s, const Op *op, Known *k) {
    k->differs = knows_more(w, s, op);
    if (!k->differs) return;
    know_operands(w, s->j, op, k);
    case_init(&k->c, s->j, &k->op);
    k->c.fold = fold_in_case;
    k->c.fold_arg = w;
    for (int i = 0; i < op->inst->nslots; i++) {
        if (k->c.types[i] == NULL || !is_dynamic(k->c.types[i]) || slot_count(op, i) != 1) continue;
        const Type *t = known_type(w, s, slot_value(op, i));
        k->differs |= t != k->c.types[i];
        k->c.types[i] = t;
    }
}

/* A rule counts if the statement fails at run time because of it: one that run time decides, or one
 * about bounds. */
static bool is_decided(Case *before, const Rule *r) {
    const DiagId id = (DiagId)r->row->id;
    if (!r->error || r->each || r->row->when == LIBRARY || r->row->when == SHOWN ||
        row_is_not_empty(r->row))
        return false;
    return id == DIAG_CONST_BOUND || id == DIAG_VIEW_BOUNDS || r->judge(before, r) == UNKNOWN;
}

static bool is_open(const Case *c, const Rule *r) {
    for (unsigned i = 0; i < r->nguards; i++)
        if (guard_answer(c, &r->guards[i]) != HOLDS) return false;
    return true;
}

static const Rule *first_failing(Case *before, Case *now, const RuleSet *set) {
    for (unsigned i = 0; i < set->n; i++) {
        const Rule *r = &set->rules[i];
        if (is_open(now, r) && r->judge(now, r) == FAILS && is_decided(before, r)) return r;
    }
    return NULL;
}

/* Returns a rule that the statement breaks under each set of rules that accepts its text; NULL if
 * some set accepts it. */
static const Rule *broken_rule(Judge *j, const Op *op, Known *k, Profile p) {
    Case before;
    const Rule *broken = NULL;
    const RuleSet *set;
    if (case_holds(&k->c, p)) return NULL;
    case_init(&before, j, op);
    before.profile = k->c.profile = p;
    for (unsigned i = 0; (set = judging_set(j, op->inst, p, i)) != NULL; i++) {
        if (set->none || !case_accepted_by(&before, set)) continue;
        broken = first_failing(&before, &k->c, set);
        if (broken == NULL) return NULL;
    }
    return broken;
}

/* The types of a statement whose operands are tiles and floats only, with what is known of them in
 * every world. */
typedef struct Types {
    GoodTypes now;
    GoodTypes *seen; /* where such types are remembered when they break no rule */
    bool differ;     /* from those of the text */
} Types;

/* False if numbers or attributes matter, too, or the world does. */
static bool gather_known(Search *s, const Op *op, Types *out) {
    World w = first_world(s);
    uintptr_t h = (uintptr_t)op->inst >> 4;
    if (op->nattrs > 0 || op->nresults > 0 || op->noperands > SEEN_TYPES ||
        op->inst->nslots > (int)sizeof out->now.counts)
        return false;
    *out = (Types){.now = {.inst = op->inst, .profiles = s->profiles}};
    for (int i = 0; op->segs != NULL && i < op->inst->nslots; i++)
        out->now.counts[i] = (uint8_t)op->segs[i];
    for (unsigned i = 0; i < op->noperands; i++) {
        const Value *v = op->operands[i].value;
        if (v->type->kind == TY_SCALAR && !elem_is_float((Elem)v->type->elem)) return false;
        const Type *t = known_type(&w, s, v);
        if (w.uses_loop || w.cond != NULL) return false;
        out->now.types[i] = t;
        out->differ |= t != v->type;
        h = h * 31 + ((uintptr_t)t >> 5);
    }
    out->seen = &s->seen->good[h % SEEN_WAYS];
    return true;
}

/* ---- where a statement is ---- */

/* What leads to a statement. */
typedef struct Path {
    bool always; /* on every path of its function */
    bool
        plain; /* in loops that count, sections and the like only, which run it in each iteration */
} Path;

static Path path_of(Search *s, const Op *op) {
    Path path = {true, true};
    for (const Block *b = op->block; b != NULL; b = op->block) {
        const Op *owner = region_owner(b);
        World first = first_world(s);
        int64_t from, to;
        if (b != b->region->first) path.always = path.plain = false;
        if (owner == NULL || op_is(owner, INST_FUNC)) return path;
        if (op_counts(owner))
            path.always &= loop_range(&first, owner, &from, &to) == RUNS;
        else if (!op_runs(owner, RUNS_TIMES))
            path.always = path.plain = false;
        op = owner;
    }
    return path;
}

/* ---- reporting ---- */

typedef struct Finding {
    const Rule *rule;
    World world;
    Known known;
    Profile profile;
} Finding;

static void put_value(const Judge *j, const Value *v, StrBuf *out) {
    if (v->name != 0)
        sb_printf(out, "%%%.*s", (int)atom_len(&j->ctx->names, v->name),
                  atom_text(&j->ctx->names, v->name));
    else
        sb_puts(out, "it");
}

static void put_separator(StrBuf *out, bool *any) {
    sb_puts(out, *any ? ", " : ": ");
    *any = true;
}

/* Lists the numbers that decide. */
static void put_numbers(const Judge *j, const Op *op, const Finding *f, StrBuf *out) {
    bool any = false;
    for (unsigned i = 0; i < op->noperands; i++) {
        const Value *was = op->operands[i].value, *is = f->known.op.operands[i].value;
        int64_t n;
        if (was == is || !number_written(is, &n)) continue;
        put_separator(out, &any);
        put_value(j, was, out);
        sb_printf(out, " is %lld", (long long)n);
    }
    for (int s = 0; s < op->inst->nslots; s++) {
        const Type *t = f->known.c.types[s];
        if (slot_count(op, s) != 1 || t == NULL || t == slot_value(op, s)->type) continue;
        put_separator(out, &any);
        sb_printf(out, "%s is %.*s", op->inst->slots[s].name, TYPE_TEXT(j, t));
    }
}

static void report(Judge *j, const Op *op, Finding *f, Path path, bool certain,
                   ProfileSet profiles) {
    Case *c = &f->known.c;
    StrBuf out, why;
    c->op = &f->known.op; /* of this copy */
    c->fold_arg = &f->world;
    Span at = case_span(c, rule_about_attribute(f->rule->row) ? -1 : f->rule->a);
    sb_init(&out, &j->ctx->arena);
    sb_init(&why, &j->ctx->arena);
    c->profile = f->profile;
    c->at = &at;
    sb_printf(&out, "%s: ", op->inst->name);
    cond_explain(c, f->rule, &out);
    if (__builtin_popcount(j->profiles) > 1) {
        sb_puts(&out, " (");
        put_profiles(&out, profiles);
        sb_puts(&out, ")");
    }
    Diag *d = diag_add_as(&j->ctx->diags, certain && path.always ? SEV_ERROR : SEV_WARNING,
                          DIAG_CONST_FAILS, at, "%s", sb_text(&out));
    d->profiles = profiles;
    sb_puts(&why, certain         ? "it fails whenever it runs"
                  : f->world.last ? "it fails in the last iteration"
                                  : "it fails in the first iteration");
    if (f->world.cond != NULL) {
        sb_puts(&why, ", whatever ");
        put_value(j, f->world.cond, &why);
        sb_puts(&why, " is");
    }
    put_numbers(j, op, f, &why);
    diag_note(&j->ctx->diags, d, "%s", sb_text(&why));
}

/* ---- the walk ---- */

/* Finds out whether the statement fails in one iteration, for every value of a select. */
static bool fails_in(Search *s, const Op *op, Profile p, bool last, Finding *f) {
    f->world = first_world(s);
    f->world.last = last;
    f->profile = p;
    know(&f->world, s, op, &f->known);
    if (!f->known.differs) return false;
    f->rule = broken_rule(s->j, op, &f->known, p);
    if (f->rule == NULL || f->world.cond == NULL) return f->rule != NULL;
    World other = first_world(s);
    other.last = last;
    other.no = true;
    Known known;
    know(&other, s, op, &known);
    return known.differs && broken_rule(s->j, op, &known, p) != NULL;
}

/* What is found for a profile; the last iteration matters only if some number depends on it. */
static bool search(Search *s, const Op *op, Profile p, Finding *f, bool *certain) {
    Finding last;
    const bool first = fails_in(s, op, p, false, f), loops = f->world.uses_loop;
    *certain = first && !loops;
    if (!loops) return first;
    if (!fails_in(s, op, p, true, &last)) return first;
    *certain = first;
    if (!first) *f = last;
    return true;
}

/* Returns whether something is found. */
static bool judge_slowly(Search *s, const Op *op) {
    Finding f, found;
    ProfileSet profiles = 0;
    bool certain = false, now;
    for (int p = 0; p < PROFILE_COUNT; p++) {
        if ((s->profiles & PROFILE_BIT(p)) == 0 || !search(s, op, (Profile)p, &f, &now)) continue;
        if (profiles == 0) {
            found = f;
            certain = now;
        }
        profiles |= PROFILE_BIT(p);
    }
    if (profiles == 0) return false;
    const Path path = path_of(s, op);
    if (certain || path.plain) report(s->j, op, &found, path, certain, profiles);
    return true;
}

/* Nearly all statements have types that others had before. */
static void judge_statement(Search *s, const Op *op) {
    Types t;
    if (!gather_known(s, op, &t)) {
        judge_slowly(s, op);
    } else if (t.differ && memcmp(t.seen, &t.now, sizeof t.now) != 0 && !judge_slowly(s, op)) {
        memcpy(t.seen, &t.now, sizeof t.now);
    }
}

bool constants_matter(const Op *op) {
    bool place = op_is(op, INST_ALLOC_TILE) || op_is(op, INST_ALLOC_MULTI_TILE), number = false;
    if (op_is(op, INST_SET_VALIDSHAPE) || op_is(op, INST_CALL)) return true;
    if (op->inst->family <= FAM_POINTER) return false; /* of MLIR, and pointers */
    for (unsigned i = 0; i < op->noperands; i++) {
        const Type *t = op->operands[i].value->type;
        int64_t n;
        if (t->kind == TY_SCALAR) {
            number = number || !number_written(op->operands[i].value, &n);
            continue;
        }
        if (is_dynamic(t)) return true;
        place |= t->kind == TY_TILE || t->kind == TY_TENSOR_VIEW || t->kind == TY_PART_VIEW;
    }
    return place && number;
}

static Remembered *remembered(Judge *j) {
    RuleSets *rules = judge_rules(j);
    if (rules->constants == NULL) rules->constants = ARENA_NEW(rules->arena, Remembered);
    return rules->constants;
}

void verify_constants(Judge *j, ProfileSet profiles, const OpList *ops) {
    if (ops == NULL) return;
    Arena *arena = &j->ctx->arena;
    Search *s = ARENA_NEW(arena, Search);
    s->j = j;
    s->profiles = profiles;
    s->seen = remembered(j);
    s->shape = inst_slot(&inst_table[INST_MAKE_TENSOR_VIEW], OPERAND_shape);
    s->sizes = inst_slot(&inst_table[INST_PARTITION_VIEW], OPERAND_sizes);
    s->changed.arena = arena;
    for (const OpList *o = ops; o != NULL; o = o->next)
        if (op_is(o->op, INST_SET_VALIDSHAPE) || op_is(o->op, INST_CALL)) note_changed(s, o->op);
    for (const OpList *o = ops; o != NULL; o = o->next)
        judge_statement(s, o->op);
}
