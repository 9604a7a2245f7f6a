/* SPDX-License-Identifier: Apache-2.0 */
/* A bench: one context in which many candidates for an instruction are judged. The statement is
 * read once per set of attributes and operand counts, and each operand and type is read once; a
 * candidate combines these and evaluates the rules. */
#include "explain/example_impl.h"
#include "parser/parse.h"
#include "verifier/judge.h"
#include "verifier/rules/constants.h"

#include <stdlib.h>
#include <string.h>

enum { PART_BUCKETS = 512, STATEMENT_BUCKETS = 64, MOST_VALUES = 8, MOST_BYTES = 48 << 20 };
enum { MODES = 8, LEVELS = 4 };

typedef struct PartKey {
    ExampleOperand operand;
    uint8_t slot;
    bool placed, given;
} PartKey;

/* An operand: its values, and what the verifier says about their definitions. */
typedef struct Part {
    struct Part *next;
    PartKey key;
    Module *module; /* the definitions alone; NULL = they could not be read */
    Value *values[MOST_VALUES];
    unsigned nvalues;
    uint32_t judged, legal, warned; /* a bit per profile and mode */
} Part;

/* The type of a result. */
typedef struct TypePart {
    struct TypePart *next;
    const char *text;
    const Type *type;
} TypePart;

typedef struct StatementKey {
    const Inst *inst;
    uint32_t kinds[INST_MOST_OPERANDS];
    uint8_t counts[INST_MOST_OPERANDS], same_as[INST_MOST_OPERANDS];
    struct {
        int64_t value;
        int64_t present;
    } attrs[EXAMPLE_MAX_ATTRS];
    bool results, placed;
} StatementKey;

typedef struct Statement {
    struct Statement *next;
    StatementKey key;
    Module *module;
    Op *op;
} Statement;

struct ExampleBench {
    Context ctx;
    Source source;
    bool ready;
    Part *parts[PART_BUCKETS];
    TypePart *types[PART_BUCKETS];
    Statement *statements[STATEMENT_BUCKETS];
    VerifyOptions options[MODES][LEVELS];
    Judge *judges[MODES][LEVELS];
};

ExampleBench *example_bench_new(void) {
    return calloc(1, sizeof(ExampleBench));
}

static void reset(ExampleBench *b) {
    if (b->ready) context_free(&b->ctx);
    memset(b, 0, sizeof *b);
}

void example_bench_free(ExampleBench *b) {
    if (b == NULL) return;
    reset(b);
    free(b);
}

/* Takes eight bytes at a time: keys have hundreds of them. */
static uint32_t hash_of(const void *data, size_t n) {
    const unsigned char *p = data;
    uint64_t h = 0xcbf29ce484222325u;
    for (; n >= 8; n -= 8, p += 8) {
        uint64_t word;
        memcpy(&word, p, 8);
        h = (h ^ word) * 0x9e3779b97f4a7c15u;
        h ^= h >> 32;
    }
    for (; n > 0; n--)
        h = (h ^ *p++) * 0x100000001b3u;
    h ^= h >> 32;
    return (uint32_t)(h ^ h >> 15);
}

static Module *read_text(ExampleBench *b, StrBuf *text) {
    Context *ctx = &b->ctx;
    const char *s = sb_text(text); /* interned names point into it */
    b->source = (Source){.name = "example.pto", .data = s, .size = (uint32_t)strlen(s)};
    diag_init(&ctx->diags, &ctx->arena, 0);
    Module *m = parse_module(ctx);
    return m->bound_ok && m->root != NULL ? m : NULL;
}

/* ---- operands ---- */

typedef struct Values {
    Part *part;
    const char *name;
    const Interner *names;
} Values;

static void take_value(Values *w, Value *v) {
    size_t n = strlen(w->name);
    if (w->part->nvalues < MOST_VALUES && atom_len(w->names, v->name) >= n &&
        memcmp(atom_text(w->names, v->name), w->name, n) == 0)
        w->part->values[w->part->nvalues++] = v;
}

/* Collects the parameters and results of the definitions, except constants that these use. */
static bool take_values(Op *op, void *arg) {
    Values *w = arg;
    if (op_is(op, INST_FUNC) && op->nregions > 0 && op_regions(op)[0].first != NULL) {
        Block *entry = op_regions(op)[0].first;
        for (uint32_t i = 0; i < entry->nargs; i++)
            take_value(w, &entry->args[i]);
    }
    for (unsigned i = 0; i < op->nresults; i++)
        take_value(w, &op->results[i]);
    return true;
}

static void read_part(ExampleBench *b, const Example *e, int slot, Part *p) {
    StrBuf text;
    Example alone = *e;
    if (e->form == OPF_AS) alone.form = OPF_SSA;
    for (int i = 0; i < INST_MOST_OPERANDS; i++)
        if (i != slot) alone.operands[i].count = 0;
    sb_init(&text, &b->ctx.arena);
    example_put_program(&alone, "", &text);
    p->module = read_text(b, &text);
    if (p->module == NULL) return;
    Values w = {p, e->inst->slots[slot].name, &b->ctx.names};
    op_walk(p->module->root, take_values, &w);
    if (p->nvalues != e->operands[slot].count) p->module = NULL;
}

static Part *part_of(ExampleBench *b, const Example *e, int slot) {
    PartKey key;
    memset(&key, 0, sizeof key);
    memcpy(&key.operand, &e->operands[slot], sizeof key.operand);
    key.operand.kinds = 0;
    key.operand.elems = 0;
    key.operand.spaces = 0;
    key.operand.layouts = 0;
    key.operand.fixed_count = key.operand.frozen = key.operand.own_type = false;
    key.slot = (uint8_t)slot;
    key.placed = e->placed;
    key.given = e->given;
    Part **bucket = &b->parts[hash_of(&key, sizeof key) % PART_BUCKETS];
    for (Part *p = *bucket; p != NULL; p = p->next)
        if (memcmp(&p->key, &key, sizeof key) == 0) return p;
    Part *p = ARENA_NEW(&b->ctx.arena, Part);
    memcpy(&p->key, &key, sizeof key);
    read_part(b, e, slot, p);
    p->next = *bucket;
    *bucket = p;
    return p;
}

/* Returns the options of the verifier as a number. */
static unsigned mode_of(const Example *e) {
    return (unsigned)e->compat | (unsigned)e->no_library << 1 | (unsigned)e->shown << 2;
}

/* Judges the definitions without the statement. */
static void judge_part(ExampleBench *b, const Example *e, Part *p, Verdict *v) {
    uint32_t bit = 1u << (e->profile * (unsigned)MODES + mode_of(e));
    _Static_assert(PROFILE_COUNT * MODES <= 32, "a bit for each");
    if ((p->judged & bit) == 0) {
        const VerifyOptions opt = {.profiles = PROFILE_BIT(e->profile),
                                   .level = e->placed ? 3 : 0,
                                   .compat = e->compat,
                                   .no_library = e->no_library,
                                   .shown = e->shown};
        diag_init(&b->ctx.diags, &b->ctx.arena, 0);
        p->judged |= bit;
        if (verify_module(p->module, &opt)) p->legal |= bit;
        if (b->ctx.diags.warnings > 0) p->warned |= bit;
    }
    if ((p->legal & bit) == 0) v->around = true;
    if ((p->warned & bit) != 0) v->warned = true;
}

/* ---- results ---- */

static const Type *type_of(ExampleBench *b, const Example *e, int index) {
    StrBuf out;
    sb_init(&out, &b->ctx.arena);
    example_print_type(e, index, &out);
    const char *text = sb_text(&out);
    TypePart **bucket = &b->types[hash_of(text, strlen(text)) % PART_BUCKETS];
    for (TypePart *t = *bucket; t != NULL; t = t->next)
        if (strcmp(t->text, text) == 0) return t->type;
    TypePart *t = ARENA_NEW(&b->ctx.arena, TypePart);
    diag_init(&b->ctx.diags, &b->ctx.arena, 0);
    t->text = text;
    t->type = parse_type(&b->ctx, text, strlen(text));
    if (b->ctx.diags.errors > 0) t->type = NULL;
    t->next = *bucket;
    *bucket = t;
    return t->type;
}

/* ---- statements ---- */

static void statement_key(const Example *e, StatementKey *key) {
    memset(key, 0, sizeof *key);
    key->inst = e->inst;
    key->results = example_results(e);
    key->placed = e->placed;
    for (int i = 0; i < INST_MOST_OPERANDS; i++) {
        key->kinds[i] = e->operands[i].kind;
        key->counts[i] = e->operands[i].count;
        key->same_as[i] = e->operands[i].same_as;
    }
    for (int i = 0; i < EXAMPLE_MAX_ATTRS; i++)
        if (e->attrs[i].present) {
            key->attrs[i].present = 1;
            key->attrs[i].value = e->attrs[i].value;
        }
}

typedef struct Found {
    const Inst *inst;
    Op *op;
} Found;

static bool is_statement(Op *op, void *arg) {
    Found *found = arg;
    if (op->inst == found->inst) found->op = op;
    return found->op == NULL;
}

/* Reads a statement. One that cannot be read is not kept, as other operand types may make it
 * readable. */
static Statement *statement_of(ExampleBench *b, const Example *e, Verdict *v) {
    StatementKey key;
    statement_key(e, &key);
    Statement **bucket = &b->statements[hash_of(&key, sizeof key) % STATEMENT_BUCKETS];
    for (Statement *s = *bucket; s != NULL; s = s->next)
        if (memcmp(&s->key, &key, sizeof key) == 0) return s;
    StrBuf generic, program;
    Example in_function = *e;
    sb_init(&generic, &b->ctx.arena);
    sb_init(&program, &b->ctx.arena);
    example_put_generic(e, &generic);
    if (e->form == OPF_AS) in_function.form = OPF_SSA;
    example_put_program(&in_function, sb_text(&generic), &program);
    Module *m = read_text(b, &program);
    Found found = {e->inst, NULL};
    if (m != NULL) op_walk(m->root, is_statement, &found);
    if (found.op == NULL) {
        const Diag *d = b->ctx.diags.first;
        while (d != NULL && d->severity != SEV_ERROR)
            d = d->next;
        if (d != NULL) v->id = d->id;
        return NULL;
    }
    Statement *s = ARENA_NEW(&b->ctx.arena, Statement);
    s->key = key;
    s->module = m;
    s->op = found.op;
    s->next = *bucket;
    *bucket = s;
    return s;
}

/* ---- judging ---- */

static Judge *judge_of(ExampleBench *b, const Example *e, const Module *m) {
    int level = e->placed || m->signs.address ? 3 : m->signs.ssa ? 1 : 2;
    Judge **at = &b->judges[mode_of(e)][level], *j = *at;
    VerifyOptions *opt = &b->options[mode_of(e)][level];
    if (j == NULL) {
        *opt = (VerifyOptions){
            .level = level, .compat = e->compat, .no_library = e->no_library, .shown = e->shown};
        j = *at = ARENA_NEW(&b->ctx.arena, Judge);
        j->ctx = &b->ctx;
        j->arena = &b->ctx.arena;
        j->opt = opt;
        j->level = level;
        j->manual = level == 3;
    }
    j->root = m->root;
    j->profiles = PROFILE_BIT(e->profile);
    return j;
}

/* Sets the operands and results of the statement, in the order of its slots. */
static bool fill(ExampleBench *b, const Example *e, const Statement *s, Verdict *v) {
    unsigned at = 0, result = 0;
    int n = e->inst->nslots + e->inst->nresults;
    for (int i = 0; i < n; i++) {
        const ExampleOperand *o = &e->operands[i];
        if (o->count == 0) continue;
        if (example_is_result(e, i)) {
            const Type *t = type_of(b, e, i);
            if (t == NULL) return false;
            for (unsigned k = 0; k < o->count && result < s->op->nresults; k++)
                s->op->results[result++].type = t;
            continue;
        }
        int from = o->same_as != 0 ? o->same_as - 1 : i;
        const Part *p = part_of(b, e, from);
        if (p->module == NULL) return false;
        judge_part(b, e, (Part *)p, v);
        for (unsigned k = 0; k < o->count && at < s->op->noperands; k++)
            s->op->operands[at++].value = p->values[k < p->nvalues ? k : p->nvalues - 1];
    }
    return at == s->op->noperands && result == s->op->nresults;
}

/* True when the constants of the definitions make the statement fail. */
static bool constants_decide(ExampleBench *b, const Example *e, Judge *j, const Op *op) {
    OpList list = {NULL, op};
    if (e->compat || !constants_matter(op)) return false;
    diag_init(&b->ctx.diags, &b->ctx.arena, 0);
    verify_constants(j, PROFILE_BIT(e->profile), &list);
    return b->ctx.diags.first != NULL;
}

static void judge(ExampleBench *b, const Example *e, Verdict *v) {
    Statement *s = statement_of(b, e, v);
    if (s == NULL || !fill(b, e, s, v)) return;
    Judge *j = judge_of(b, e, s->module);
    bool error = false;
    v->read = true;
    const RuleRow *row = first_broken_row(j, s->op, e->profile, &error);
    v->row = row;
    v->accepted = !error && !v->around;
    v->warned = v->accepted && (v->warned || row != NULL);
    if (error) v->id = (DiagId)row->id;
    if (v->accepted && constants_decide(b, e, j, s->op)) {
        v->accepted = false;
        v->id = DIAG_CONST_FAILS;
    }
}

bool example_bench_judge(ExampleBench *b, const Example *e, Verdict *v) {
    if (b->ready && b->ctx.arena.total > MOST_BYTES) reset(b);
    if (setjmp(b->ctx.oom) != 0) {
        reset(b);
        return false;
    }
    if (!b->ready) {
        b->ready = true;
        context_init(&b->ctx, &b->source, 0);
    }
    judge(b, e, v);
    return true;
}
