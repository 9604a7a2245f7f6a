/* Facts about instructions and diagnostics, taken from the tables, in words: for `ptoasm explain`,
 * the pages made from the tables, and an editor. */
#ifndef EXPLAIN_FACTS_H
#define EXPLAIN_FACTS_H

#include "explain/example.h"
#include "verifier/describe.h"

/* One instruction: its row and what follows from the tables. */
typedef struct InstFacts {
    const Inst *inst; /* of a mere other spelling: the row it means */
    const char *name; /* as asked for */
    Arena *arena;
    ProfileSet profiles; /* where it exists */
    bool has_cpu_rules;
    const char *spellings; /* other names of the row; NULL = none */
    Example example;       /* of example.profile, in its main form */
    bool has_example;
} InstFacts;

void inst_facts(InstFacts *f, const Inst *inst, Arena *arena);

/* One rule as it is shown: rows that say the same for several profiles are one. */
typedef struct RuleFact {
    RuleTopic topic;
    ProfileSet where; /* whose rules it belongs to */
    const RuleRow *row;
    const char *text;
} RuleFact;
/* All rules, by topic; the array lives in the arena. */
const RuleFact *rule_facts(const InstFacts *f, unsigned *n);
/* `a2a3`, `cpu, a5`, `all` */
const char *where_text(const InstFacts *f, ProfileSet where);

/* What the rules leave of the types of one operand under some profiles. */
typedef struct TypeFact {
    const char *operand;
    ProfileSet where;
    ElemSet elems;
    uint64_t spaces, layouts;
    bool guarded; /* some rules about it count under conditions only */
} TypeFact;
/* Of the tile operands; empty where no rule says anything. The array lives in the arena. */
const TypeFact *type_facts(const InstFacts *f, unsigned *n);
/* The three sets in words; `any` for all. */
const char *elems_text(Arena *arena, ElemSet set);
const char *spaces_text(Arena *arena, uint64_t set);
const char *layouts_text(Arena *arena, uint64_t set);

/* What the runtime computes: of the element types that the rules leave to the operand that chooses
 * the code, those with code and those without. An instruction that needs no kernel, or whose code
 * does not depend on a tile, has no `operand`. */
typedef struct CodeFact {
    bool emitted; /* at all */
    const char *operand;
    ElemSet has, lacks;
} CodeFact;
CodeFact code_fact(const InstFacts *f);
/* `yes`, `no: because ...`, `where src has f16 or f32` */
const char *code_text(const InstFacts *f);

/* The main form first: DPS where there is one. Returns how many forms the row has. */
unsigned inst_forms(const Inst *inst, OpForm forms[4]);
const char *form_text(OpForm form);
/* The statement with types named after operands; NULL when there is none. */
const char *syntax_text(const InstFacts *f, OpForm form, bool optional);
bool has_optional(const Inst *inst);

const char *role_text(const SlotInfo *s);  /* input, output, scratch ... */
const char *arity_text(const SlotInfo *s); /* optional, list; NULL = exactly one */
const char *attr_type_text(Arena *arena, const AttrInfo *a);
const char *attr_default_text(Arena *arena, const AttrInfo *a); /* NULL = none */
/* The profiles that have the instruction. */
ProfileSet inst_existing(const Inst *inst);
const char *pipe_text(const Inst *inst, Profile p); /* NULL = no pipe */
const char *tmp_text(const Inst *inst, Profile p);  /* NULL = none */
const char *core_text(const Inst *inst);            /* NULL = either kind */
const char *profiles_text(Arena *arena, ProfileSet set);
const char *example_text(const InstFacts *f);

/* The instructions that report an id; the array lives in the arena. */
const Inst **inst_reporting(DiagId id, Arena *arena, unsigned *n);
const char *severity_text(DiagId id);

#endif
