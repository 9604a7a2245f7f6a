/* SPDX-License-Identifier: Apache-2.0 */
/* Facts about instructions and diagnostics, derived from the tables, in words: for `ptoasm
 * explain`, generated pages, and editors. */
#ifndef EXPLAIN_FACTS_H
#define EXPLAIN_FACTS_H

#include "backends/lower/kernel_table.h"
#include "explain/example.h"
#include "verifier/rules/describe.h"

/* One instruction, with what follows from the tables. */
typedef struct InstFacts {
    const Inst *inst; /* for an alternative spelling: the row it refers to */
    const char *name; /* as requested */
    Arena *arena;
    ProfileSet profiles; /* where it exists */
    bool has_cpu_rules;
    const char *spellings; /* other names of the row; NULL = none */
    Example example;       /* for example.profile, in its main form */
    bool has_example;
} InstFacts;

void inst_facts(InstFacts *f, const Inst *inst, Arena *arena);

/* A rule as it is shown: equal rules of several profiles are merged. */
typedef struct RuleFact {
    RuleTopic topic;
    ProfileSet where; /* whose rules it belongs to */
    const RuleRow *row;
    const char *text;
} RuleFact;
/* Returns all rules by topic, allocated in the arena. */
const RuleFact *rule_facts(const InstFacts *f, unsigned *n);
/* Returns `a2a3`, `cpu, a5` or `all`. */
const char *where_text(const InstFacts *f, ProfileSet where);

/* The types of an operand that the rules allow under some profiles. */
typedef struct TypeFact {
    const char *operand;
    ProfileSet where;
    ElemSet elems;
    uint64_t spaces, layouts;
    bool guarded; /* some rules about it apply only conditionally */
    int slot;
} TypeFact;
/* Returns the facts of tile operands that some rule restricts, allocated in the arena. */
const TypeFact *type_facts(const InstFacts *f, unsigned *n);
/* Return sets in words; `any` for a full set. */
const char *elems_text(Arena *arena, ElemSet set);
const char *spaces_text(Arena *arena, uint64_t set);
const char *layouts_text(Arena *arena, uint64_t set);

/* Which types the runtime supports: of the element types that the rules allow for the operand that
 * selects the code, those with code and those without. `operand` is NULL for an instruction that
 * needs no kernel, or whose code does not depend on a tile. */
typedef struct CodeFact {
    bool emitted; /* for some type */
    const char *operand;
    ElemSet has, lacks;
} CodeFact;
CodeFact code_fact(const InstFacts *f);
/* Returns the element types of a requirement that has no `as`: `f16 or f32`, `any but i16`. */
const char *demand_text(Arena *arena, const KernelCond *d);
/* Returns `yes`, `no: because ...` or `where src has f16 or f32`. */
const char *code_text(const InstFacts *f);

/* Returns the calls of the vendor's library that the instruction becomes on a device, or `none: `
 * and the reason; NULL: the device does not have the instruction, or no call is needed. */
const char *device_call(const InstFacts *f, Profile p);

/* Writes the forms, starting with the main one: DPS if it exists. Returns how many there are. */
unsigned inst_forms(const Inst *inst, OpForm forms[4]);
const char *form_text(OpForm form);
/* Returns the statement with types named after operands; NULL when there is none. */
const char *syntax_text(const InstFacts *f, OpForm form, bool optional);
/* Of a statement with clauses (clauses.c): all of them, in brackets. */
const char *clause_syntax(const Inst *inst, Arena *arena);
bool has_optional(const Inst *inst);
/* True when an example that the search found has every optional operand. */
bool has_all_optional(const Example *e);

const char *role_text(const SlotInfo *s);  /* input, output, scratch ... */
const char *arity_text(const SlotInfo *s); /* optional, list; NULL = exactly one */
/* Returns which elements of a tile or view are read or written, such as `valid region of dst`;
 * NULL: none, or any of a scratch tile. */
const char *touched_text(const InstFacts *f, const SlotInfo *s);
const char *attr_type_text(Arena *arena, const AttrInfo *a);
/* Returns the values as the text has them, such as `#pto<round_mode VALUE>: NONE, RINT`. */
const char *attr_written_text(Arena *arena, const Inst *inst, const AttrInfo *a);
/* Returns how a dictionary has a value of an enumeration, with VALUE for it. */
const char *enum_written_text(Arena *arena, EnumFamily family);
const char *attr_default_text(Arena *arena, const AttrInfo *a); /* NULL = none */
/* True when a row without a guard refuses every operand. */
bool always_refused(const Inst *inst, ProfileSet of, Profile p);
/* Leaves when memory ran out in a search or a text: what it left would be taken for the facts. */
void check_memory(const Example *e, Arena *arena);
/* Returns the profiles that have the instruction. */
ProfileSet inst_existing(const Inst *inst);
const char *pipe_text(const Inst *inst, Profile p); /* NULL = no pipe */
/* Returns for which statements phases are, such as `a2a3, into mat`, and what they do. */
const char *phases_case_text(Arena *arena, const PhaseForm *f);
const char *phases_text(const InstFacts *f, const PhaseForm *form);
const char *tmp_text(const Inst *inst, Profile p); /* NULL = none */
const char *core_text(const Inst *inst);           /* NULL = either kind */
const char *profiles_text(Arena *arena, ProfileSet set);
const char *example_text(const InstFacts *f);

/* Returns the instructions that report an id, allocated in the arena. */
const Inst **inst_reporting(DiagId id, Arena *arena, unsigned *n);
const char *severity_text(DiagId id);

#endif
