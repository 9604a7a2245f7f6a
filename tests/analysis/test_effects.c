/* SPDX-License-Identifier: Apache-2.0 */
/* What statements read and write: each case is one statement and its accesses in a profile. */
#include "analysis/effects.h"
#include "parser/parse.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define F32 "!pto.tile_buf<vec, 32x32xf32>"
#define HALF "!pto.tile_buf<vec, 16x32xf32>"
#define I32 "!pto.tile_buf<vec, 32x32xi32>"
#define MAT "!pto.tile_buf<mat, 32x32xf32>"
#define VIEW "!pto.partition_tensor_view<32x32xf32>"
#define SIGNAL "!pto.partition_tensor_view<1xi32>"
#define ROW "!pto.tile_buf<vec, 1x32xi32>"
#define ONE "!pto.tile_buf<vec, 1x8xf32, valid=1x1>"
#define IONE "!pto.tile_buf<vec, 1x8xi32, valid=1x1>"
#define BYTES "!pto.tile_buf<vec, 32x32xui8>"

/* The values are %a, %b, %c (F32), %x, %d (I32), %m (MAT), %v, %w (VIEW), %s (SIGNAL), %r (ROW), %o
 * (ONE), %i (IONE), %y (BYTES), %n (i32), %k (f32), %j (index), %p (a pointer). An access is the
 * name of the value, r or w, ? if it is only maybe, s for scratch, the pipe and, after a stroke,
 * the pipe that it may be instead. */
typedef struct Case {
    const char *op;
    Profile profile;
    const char *accesses;
} Case;

static const Case cases[] = {
    {"pto.tadd ins(%a, %b : " F32 ", " F32 ") outs(%c : " F32 ")", PROFILE_A2A3,
     "a:r:V b:r:V c:w:V"},
    {"pto.tload ins(%v : " VIEW ") outs(%a : " F32 ")", PROFILE_A2A3, "v:r:MTE2 a:w:MTE2"},
    {"pto.tstore ins(%a : " F32 ") outs(%v : " VIEW ")", PROFILE_A2A3, "a:r:MTE3 v:w:MTE3"},
    {"pto.trowsum ins(%a, %b : " F32 ", " F32 ") outs(%c : " F32 ")", PROFILE_A2A3,
     "a:r:V b:w?s:V c:w:V"},
    {"pto.trowsum ins(%a, %b : " F32 ", " F32 ") outs(%c : " F32 ")", PROFILE_A5, "a:r:V c:w:V"},
    {"pto.ttrans ins(%a, %b : " F32 ", " F32 ") outs(%c : " F32 ")", PROFILE_A5,
     "a:r:V b:w?s:V c:w:V"},
    {"pto.tci ins(%n, %a : i32, " F32 ") outs(%x : " I32 ")", PROFILE_A2A3, "a:w?s:V x:w:V"},
    {"pto.tci ins(%n, %a : i32, " F32 ") outs(%x : " I32 ")", PROFILE_A5, "x:w:S"},
    {"pto.ttri ins(%a, %b : " F32 ", " F32 ") outs(%c : " F32 ")", PROFILE_A2A3, "c:w:V"},
    {"pto.tfillpad ins(%m : " MAT ") outs(%m : " MAT ")", PROFILE_A2A3,
     "m:r:MTE1/MTE2 m:w:MTE1/MTE2"},
    {"pto.tmov ins(%a, %b : " F32 ", " F32 ") outs(%c : " F32 ")", PROFILE_A5,
     "a:r:V b:w?s:V c:w:V"},
    {"pto.taxpy ins(%a, %k : " F32 ", f32) outs(%c : " F32 ")", PROFILE_A5, "a:r:V c:rw:V"},
    {"pto.tsetval ins(%j, %k : index, f32) outs(%c : " F32 ")", PROFILE_A5, "c:w:S"},
    {"pto.tstore ins(%a : " F32 ") outs(%v : " VIEW ") {atomicType = #pto<atomic_type atomic_add>}",
     PROFILE_A5, "a:r:MTE3 v:rw:MTE3"},
    {"pto.set_validshape %a, %j, %j : " F32, PROFILE_A5, ""},
    {"pto.store_scalar %k, %p[%j] : !pto.ptr<f32>, f32", PROFILE_A5, "p:w:S"},
    {"func.call @add(%a, %b, %v) : (" F32 ", " F32 ", " VIEW ") -> ()", PROFILE_A5,
     "a:r:- b:r?:- b:w:- v:w:-"},
    {"func.call @twice(%a, %b, %v) : (" F32 ", " F32 ", " VIEW ") -> ()", PROFILE_A5,
     "a:r?:- a:w:- b:r:- v:w:-"},
    {"func.call @maybe(%a, %b, %q) : (" F32 ", " F32 ", i1) -> ()", PROFILE_A5, "b:r?:- b:w?:-"},
    {"func.call @other(%a, %p) : (" F32 ", !pto.ptr<f32>) -> ()", PROFILE_A5,
     "a:r?:- a:w?:- p:r?:- p:w?:-"},
    {"pto.mgather ins(%v, %x : " VIEW ", " I32 ") outs(%a : " F32 ")", PROFILE_A5,
     "v:r:V x:r:V a:w:V"},
};

/* Called by the cases. */
static const char callees[] =
    "func.func @add(%a: " F32 ", %b: " F32 ", %v: " VIEW ") {\n"
    "pto.tadd ins(%a, %a : " F32 ", " F32 ") outs(%b : " F32 ")\n"
    "pto.tstore ins(%b : " F32 ") outs(%v : " VIEW ")\nreturn\n}\n"
    "func.func @maybe(%a: " F32 ", %b: " F32 ", %n: i1) {\n"
    "%w = pto.subview %b[0, 0] sizes [16, 32] : " F32 " -> " HALF "\nscf.if %n {\n"
    "pto.tabs ins(%w : " HALF ") outs(%w : " HALF ")\n}\n"
    "%v = pto.alloc_tile : " F32 "\n"
    "pto.tabs ins(%v : " F32 ") outs(%v : " F32 ")\nreturn\n}\n"
    "func.func @twice(%a: " F32 ", %b: " F32 ", %v: " VIEW ") {\n"
    "func.call @add(%b, %a, %v) : (" F32 ", " F32 ", " VIEW ") -> ()\nreturn\n}\n"
    "func.func private @other(" F32 ", !pto.ptr<f32>)\n";

/* Statements of several phases. After the accesses: what they do, in order; flags as A>B0, of those
 * that are not always used with ?, a barrier as |. */
static const Case phases[] = {
    {"pto.mgather ins(%v, %r : " VIEW ", " ROW ") outs(%a : " F32 ")", PROFILE_A2A3,
     "r:r:S v:r:MTE2 a:w:MTE2; V>S0 MTE3>S0 S MTE2 S>MTE20 MTE2>V0 MTE2>MTE30 S>V0 S>MTE30"},
    {"pto.mgather ins(%v, %x : " VIEW ", " I32 ") outs(%a : " F32 ")", PROFILE_A2A3,
     "v:r:S x:r:S a:w:S; V>S0 MTE3>S0 MTE2>S0 S S>V0 S>MTE20 S>MTE30"},
    {"pto.mgather ins(%v, %i : " VIEW ", " IONE ") outs(%o : " ONE ") {coalesce = #pto<coalesce "
     "elem>}",
     PROFILE_A5, "v:r:S i:r:S o:w:S; V>S0 S S>V0"},
    {"pto.mgather ins(%v, %s : " VIEW ", " SIGNAL ") outs(%m : " MAT ")", PROFILE_A5,
     "s:r:S v:r:MTE2 m:w:MTE2; S MTE2 S>MTE20"},
    {"pto.mgather ins(%v, %s, %w : " VIEW ", " SIGNAL ", " VIEW ") outs(%m : " MAT ")",
     PROFILE_A2A3, "v:r:S s:r:S w:w:S w:r:MTE2 m:w:MTE2; S S>MTE20 MTE2"},
    {"pto.mscatter ins(%a, %r : " F32 ", " ROW ") outs(%v : " VIEW ")", PROFILE_A2A3,
     "r:r:S a:r:MTE3 v:w:MTE3; V>S0 MTE2>S0 S S>MTE30 MTE3 MTE3>S0? S>V0? S>MTE20? MTE3>V0 "
     "MTE3>MTE20"},
    {"pto.mscatter ins(%a, %x : " F32 ", " I32 ") outs(%v : " VIEW ")", PROFILE_A2A3,
     "a:r:S x:r:S v:w:S; V>S0 MTE2>S0 MTE3>S0 S S>V0 S>MTE20 S>MTE30"},
    {"pto.mscatter ins(%o, %i : " ONE ", " IONE ") outs(%v : " VIEW ")", PROFILE_A5,
     "o:r:S i:r:S v:w:S; V>S0 S S>V0"},
    {"pto.mscatter ins(%a, %x : " F32 ", " I32 ") outs(%v : " VIEW ")", PROFILE_A5,
     "a:r:V x:r:V v:w:V; "},
    {"pto.tgather ins(%a, %k, %y : " F32 ", f32, " BYTES ") outs(%x, %d : " I32 ", " I32 ")",
     PROFILE_A2A3,
     "y:w?s:S a:r:V y:rw?s:V y:r?s:S y:r?s:V x:w:V d:w:S; S S>V0 V V>S0? S S>V0? |V V S"},
    {"pto.tgather ins(%a, %k, %y : " F32 ", f32, " BYTES ") outs(%x, %d : " I32 ", " I32 ")",
     PROFILE_A5, "a:r:V x:w:V d:w:V; "},
    {"pto.tscatter ins(%a, %x : " F32 ", " I32 ") outs(%b : " F32 ")", PROFILE_A2A3,
     "b:w:V a:r:S x:r:S b:w:S; V V>S0 S S>V0"},
    {"pto.tscatter ins(%a, {maskPattern = #pto.mask_pattern<P0101>} : " F32
     ", \"row\") outs(%b : " F32 ")",
     PROFILE_A2A3, "b:w:V a:r:S b:w:S; V V>S0 S S>V0"},
    {"pto.tscatter ins(%a, {maskPattern = #pto.mask_pattern<P0101>} : " F32
     ", \"col\") outs(%b : " F32 ")",
     PROFILE_A2A3, "a:r:V b:w:V; V V>S0 S>V0"},
    {"pto.tscatter ins(%a, {maskPattern = #pto.mask_pattern<P1111>} : " F32
     ", \"row\") outs(%b : " F32 ")",
     PROFILE_A2A3, "a:r:V b:w:V; "},
    {"pto.tscatter ins(%a, %x : " F32 ", " I32 ") outs(%b : " F32 ")", PROFILE_A5,
     "a:r:V x:r:V b:w:V; "},
    {"pto.comm.tput(%w, %v, buf(%a) : " VIEW ", " VIEW ", " F32 ")", PROFILE_A2A3,
     "v:r:MTE2 a:w?s:MTE2 w:w:MTE3 a:r?s:MTE3; MTE2 MTE2>MTE30 MTE3 MTE3>MTE20"},
    {"pto.comm.tget(%w, %v, buf(%a, %b) : " VIEW ", " VIEW ", " F32 ", " F32 ")", PROFILE_A5,
     "v:r:MTE2 a:w?s:MTE2 b:w?s:MTE2 w:w:MTE3 a:r?s:MTE3 b:r?s:MTE3; MTE2 MTE2>MTE30 MTE2>MTE31? "
     "MTE3 MTE3>MTE20 MTE3>MTE21?"},
    {"pto.comm.tbroadcast(%v, recv(%a), group(%w, %w) : " VIEW ", " F32 ", " VIEW ", " VIEW
     ") {root = 0 : i32}",
     PROFILE_A2A3,
     "v:r:MTE2 a:w?s:MTE2 a:r?s:MTE3 w:w:MTE3 w:w:MTE3; MTE2 MTE2>MTE30 MTE3 MTE3>MTE20"},
    {"pto.comm.tgather(%v, recv(%a), group(%w) : " VIEW ", " F32 ", " VIEW ") {root = 0 : i32}",
     PROFILE_A2A3, "a:w?s:MTE2 w:r:MTE2 v:w:MTE3 a:r?s:MTE3; MTE2 MTE2>MTE30 MTE3 MTE3>MTE20"},
    {"pto.comm.tscatter(%v, recv(%a), group(%w) : " VIEW ", " F32 ", " VIEW ") {root = 0 : i32}",
     PROFILE_A5, "v:r:MTE2 a:w?s:MTE2 a:r?s:MTE3 w:w:MTE3; MTE2 MTE2>MTE30 MTE3 MTE3>MTE20"},
    {"pto.comm.treduce(%v, %a, recv(%b, %c), group(%w, %w) : " VIEW ", " F32 ", " F32 ", " F32
     ", " VIEW ", " VIEW ") {reduceOp = #pto<reduce_op sum>, root = 0 : i32}",
     PROFILE_A2A3,
     "a:w?s:MTE2 w:r:MTE2 w:r:MTE2 b:w?s:MTE2 c:w?s:MTE2 w:r:MTE2 w:r:MTE2 a:rw?s:V b:r?s:V "
     "c:r?s:V "
     "v:w:MTE3 a:r?s:MTE3; MTE2 MTE2>V0 MTE2 MTE2>V1 MTE2>V2? V V>MTE20? V>MTE30 MTE3 MTE3>MTE20"},
    {"pto.comm.treduce(%v, %a, recv(%b), group(%w) : " VIEW ", " F32 ", " F32 ", " VIEW
     ") {reduceOp = #pto<reduce_op sum>, root = 0 : i32}",
     PROFILE_A2A3, "a:w?s:MTE2 w:r:MTE2 v:w:MTE3 a:r?s:MTE3; MTE2 MTE2>MTE30 MTE3 MTE3>MTE20"},
    {"pto.comm.tnotify(%s, %n : " SIGNAL ", i32) {notifyOp = #pto<notify_op set>}", PROFILE_A5,
     "s:w:S; S |-"},
    {"pto.comm.twait(%s, %n : " SIGNAL ", i32) {cmp = #pto<wait_cmp ge>}", PROFILE_A5, "s:r:S; S"},
    {"%e = pto.comm.ttest(%s, %n : " SIGNAL ", i32) {cmp = #pto<wait_cmp ge>} -> i1", PROFILE_A2A3,
     "s:r:S; S"},
};

static const char *pipe_text(unsigned pipe) {
    static const char *const texts[] = {"-", "S", "V", "M", "MTE1", "MTE2", "MTE3", "FIX"};
    return pipe < sizeof texts / sizeof *texts ? texts[pipe] : "unresolved";
}

static bool find_last(Op *op, void *arg) {
    Op **last = arg;
    if (op->nregions == 0 && (op->inst->flags & IF_TERMINATOR) == 0) *last = op;
    return true;
}

static void print(const Context *ctx, const Access *list, size_t n, char *out, size_t size) {
    size_t at = 0;
    out[0] = '\0';
    for (size_t i = 0; i < n; i++) {
        const Access *a = &list[i];
        const char *name = atom_text(&ctx->names, a->value->name);
        at += (size_t)snprintf(out + at, size - at, "%s%.*s:%s%s%s%s:%s%s%s", i > 0 ? " " : "", 1,
                               name, a->read ? "r" : "", a->write ? "w" : "", a->maybe ? "?" : "",
                               a->scratch ? "s" : "", pipe_text(a->pipe),
                               a->other != PIPE_NONE ? "/" : "",
                               a->other != PIPE_NONE ? pipe_text(a->other) : "");
    }
}

/* Appends the phases, if they are wanted. */
static void print_phases(const Effects *e, const Op *op, char *out, size_t size) {
    const PhaseForm *form = effects_phases(e, op);
    size_t at = strlen(out);
    at += (size_t)snprintf(out + at, size - at, "; ");
    for (unsigned i = 0, n = 0; form != NULL && i < form->nphases; i++) {
        const Phase *p = &form->phases[i];
        if (!phase_applies(op, p)) continue;
        at += (size_t)snprintf(out + at, size - at, "%s%s%s", n++ > 0 ? " " : "",
                               p->kind == PHASE_BARRIER ? "|" : "", pipe_text(p->pipe));
        if (p->kind == PHASE_FLAGS || p->kind == PHASE_PERHAPS)
            at += (size_t)snprintf(out + at, size - at, ">%s%d%s", pipe_text(p->to),
                                   __builtin_ctz(p->events), p->kind == PHASE_PERHAPS ? "?" : "");
    }
}

static void check_case(const Case *c, bool with_phases) {
    static Context ctx;
    char text[4096], got[512];
    Access list[16];
    Op *op = NULL;
    snprintf(text, sizeof text,
             "%sfunc.func @f(%%a: %s, %%b: %s, %%c: %s, %%x: %s, %%d: %s, %%m: %s, %%v: %s, %%w: "
             "%s, %%s: %s, %%r: %s, %%o: %s, %%i: %s, %%y: %s, %%n: i32, %%k: f32, %%j: index, "
             "%%p: !pto.ptr<f32>, %%q: i1) {\n"
             "%s\nreturn\n}\n",
             callees, F32, F32, F32, I32, I32, MAT, VIEW, VIEW, SIGNAL, ROW, ONE, IONE, BYTES,
             c->op);
    memset(&ctx, 0, sizeof ctx);
    Source source = {.name = "test.pto", .data = text, .size = (uint32_t)strlen(text)};
    if (setjmp(ctx.oom) != 0) fail_msg("out of memory");
    context_init(&ctx, &source, 0);
    Module *m = parse_module(&ctx);
    if (!m->bound_ok) fail_msg("cannot be read:\n%s", text);
    op_walk(m->root, find_last, &op);
    const Effects effects = {
        .ctx = &ctx, .profile = c->profile, .calls = calls_new(&ctx, c->profile)};
    size_t n = op_accesses(&effects, op, list, 16);
    assert_true(n <= 16);
    print(&ctx, list, n, got, sizeof got);
    if (with_phases) print_phases(&effects, op, got, sizeof got);
    if (strcmp(got, c->accesses) != 0)
        fail_msg("%s: %s, not %s, of:\n%s", profile_names[c->profile], got, c->accesses, c->op);
    /* a list that is too short is filled, and the number needed returned */
    list[0] = (Access){.value = NULL};
    assert_int_equal(op_accesses(&effects, op, list, 1), n);
    assert_true(n == 0 || list[0].value != NULL);
    context_free(&ctx);
}

static void statements_have_accesses(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_case(&cases[i], false);
}

static void statements_have_phases(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof phases / sizeof *phases; i++)
        check_case(&phases[i], true);
}

/* Flags are between two pipes. */
static void rows_have_flags(void **state) {
    (void)state;
    unsigned found = 0;
    for (unsigned i = 0; i < INST_COUNT; i++)
        for (unsigned k = 0; k < inst_table[i].rare->nforms; k++, found++)
            for (unsigned n = 0; n < inst_table[i].rare->phases[k].nphases; n++) {
                const Phase *p = &inst_table[i].rare->phases[k].phases[n];
                assert_true(p->kind != PHASE_FLAGS || (p->pipe != p->to && p->events != 0));
            }
    assert_true(found >= 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(statements_have_accesses),
                                       cmocka_unit_test(statements_have_phases),
                                       cmocka_unit_test(rows_have_flags)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
