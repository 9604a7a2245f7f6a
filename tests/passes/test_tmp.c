/* SPDX-License-Identifier: Apache-2.0 */
/* The implicit scratch tiles: which instruction gets which, under which profile, and that an
 * explicit one which the profile does not touch costs nothing. */
#include "program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#define F "!pto.tile_buf<vec, 16x64xf32>"
#define C "!pto.tile_buf<vec, 16x1xf32, blayout=col_major>"
#define W "!pto.tile_buf<vec, 16x8xf32>"
#define R "!pto.tile_buf<vec, 1x64xf32>"
#define H "!pto.tile_buf<vec, 16x64xf16>"
#define I "!pto.tile_buf<vec, 16x64xi16>"
#define M "!pto.tile_buf<vec, 16x32xui8, valid=16x8>"
#define V "!pto.tile_buf<vec, 16x64xf32, valid=?x?>"
#define ON(p) PROFILE_BIT(PROFILE_##p)
/* An instruction that takes two tiles of type t and gives a third. */
#define TWO(name, t) name, "%a: " t ", %b: " t, "%d = " name " %a, %b : (" t ", " t ") -> " t
#define CONVERT(mode, from, to)                                                                    \
    "pto.tcvt", "%a: " from,                                                                       \
        "%d = pto.tcvt %a {satmode = #pto<saturation_mode " mode ">} : " from " -> " to

typedef struct TmpCase {
    const char *inst, *parameters, *statement;
    ProfileSet profiles;            /* that accept the statement */
    ProfileSet planned;             /* where a tile is planned for it */
    int64_t rows, cols, vrow, vcol; /* of the tile */
} TmpCase;

static const TmpCase cases[] = {
    /* Reductions along rows and those with indices work in a tile like src on a2a3. */
    {"pto.trowsum", "%s: " F ", %d: " C, "pto.trowsum ins(%s : " F ") outs(%d : " C ")",
     PROFILES_ALL, ON(A2A3), 16, 64, 16, 64},
    {"pto.trowmax", "%s: !pto.tile_buf<vec, 32x16xi16, valid=20x9, pad=2>",
     "%d = pto.trowmax %s : !pto.tile_buf<vec, 32x16xi16, valid=20x9, pad=2> -> "
     "!pto.tile_buf<vec, 32x1xi16, valid=20x1, blayout=col_major>",
     PROFILES_ALL, ON(A2A3), 32, 16, 20, 9},
    {"pto.trowargmin", "%s: " F ", %d: !pto.tile_buf<vec, 16x1xi32, blayout=col_major>",
     "pto.trowargmin ins(%s : " F ") outs(%d : !pto.tile_buf<vec, 16x1xi32, blayout=col_major>)",
     PROFILES_ALL, ON(A2A3), 16, 64, 16, 64},
    {"pto.tcolargmax", "%s: " F ", %d: !pto.tile_buf<vec, 1x64xui32>",
     "pto.tcolargmax ins(%s : " F ") outs(%d : !pto.tile_buf<vec, 1x64xui32>)", PROFILES_ALL,
     ON(A2A3), 16, 64, 16, 64},
    {"pto.tcolmax", "%s: " F ", %d: " R, "pto.tcolmax ins(%s : " F ") outs(%d : " R ")",
     PROFILES_ALL, 0, 0, 0, 0, 0},
    /* Sums of pairs of rows; a row of the tile is whole 32-byte blocks. */
    {"pto.tcolsum", "%s: " F ", %d: " R, "pto.tcolsum ins(%s : " F ") outs(%d : " R ")",
     PROFILES_ALL, 0, 0, 0, 0, 0},
    {"pto.tcolsum", "%s: " F ", %d: " R,
     "pto.tcolsum ins(%s : " F ") outs(%d : " R ") {isBinary = false}", PROFILES_ALL, 0, 0, 0, 0,
     0},
    {"pto.tcolsum", "%s: " F ", %d: " R,
     "pto.tcolsum ins(%s : " F ") outs(%d : " R ") {isBinary = true}", PROFILES_ALL,
     ON(A2A3) | ON(A5), 8, 64, 8, 64},
    {"pto.tcolsum", "%s: !pto.tile_buf<vec, 16x64xf16, valid=15x33>",
     "%d = pto.tcolsum %s {isBinary = true} : !pto.tile_buf<vec, 16x64xf16, valid=15x33> -> "
     "!pto.tile_buf<vec, 1x64xf16, valid=1x33>",
     PROFILES_ALL, ON(A2A3) | ON(A5), 8, 48, 8, 33},
    {"pto.tcolsum",
     "%s: !pto.tile_buf<vec, 16x64xf16, valid=0x0>, %d: !pto.tile_buf<vec, 1x64xf16, valid=0x0>",
     "pto.tcolsum ins(%s : !pto.tile_buf<vec, 16x64xf16, valid=0x0>) "
     "outs(%d : !pto.tile_buf<vec, 1x64xf16, valid=0x0>) {isBinary = true}",
     PROFILES_ALL, ON(A2A3) | ON(A5), 1, 16, 0, 0},
    /* Row values of a col_major tile are spread to 32-byte blocks on a2a3. */
    {"pto.trowexpandadd", "%s: " F ", %v: " C ", %d: " F,
     "pto.trowexpandadd ins(%s, %v : " F ", " C ") outs(%d : " F ")", PROFILES_ALL, ON(A2A3), 1,
     2048, 1, 2048},
    {"pto.trowexpanddiv",
     "%s: !pto.tile_buf<vec, 16x64xf16>, %v: !pto.tile_buf<vec, 16x1xf16, blayout=col_major>",
     "%d = pto.trowexpanddiv %v, %s : (!pto.tile_buf<vec, 16x1xf16, blayout=col_major>, "
     "!pto.tile_buf<vec, 16x64xf16>) -> !pto.tile_buf<vec, 16x64xf16>",
     PROFILES_ALL, ON(A2A3), 1, 4096, 1, 4096},
    {"pto.trowexpandmax", "%s: " F ", %v: " W ", %d: " F,
     "pto.trowexpandmax ins(%s, %v : " F ", " W ") outs(%d : " F ")", PROFILES_ALL, 0, 0, 0, 0, 0},
    {"pto.trowexpandexpdif", "%s: " F ", %v: " C ", %d: " F,
     "pto.trowexpandexpdif ins(%s, %v : " F ", " C ") outs(%d : " F ")", PROFILES_ALL, 0, 0, 0, 0,
     0},
    /* Sequences count in a fixed number of bytes. */
    {"pto.tci", "%s: i32, %d: !pto.tile_buf<vec, 1x64xi32>",
     "pto.tci ins(%s : i32) outs(%d : !pto.tile_buf<vec, 1x64xi32>)", PROFILES_ALL, ON(A2A3), 1,
     192, 1, 192},
    {"pto.tci", "%s: ui16, %d: !pto.tile_buf<vec, 1x64xui16>",
     "pto.tci ins(%s : ui16) outs(%d : !pto.tile_buf<vec, 1x64xui16>)", PROFILES_ALL, ON(A2A3), 1,
     448, 1, 448},
    {"pto.tquant",
     "%s: !pto.tile_buf<vec, 16x64xf32, valid=9x40>, %q: !pto.tile_buf<vec, 16x1xf32, valid=9x1, "
     "blayout=col_major>",
     "%d = pto.tquant %s, %q {quant_type = #pto<quant_type INT8_SYM>} : (!pto.tile_buf<vec, "
     "16x64xf32, valid=9x40>, !pto.tile_buf<vec, 16x1xf32, valid=9x1, blayout=col_major>) -> "
     "!pto.tile_buf<vec, 16x64xi8, valid=9x40>",
     PROFILES_ALL, ON(A2A3), 16, 64, 9, 40},
    /* Blocks of 32 columns are sorted in place. */
    {"pto.tsort32", "%s: " R ", %i: !pto.tile_buf<vec, 1x64xui32>",
     "%d = pto.tsort32 %s, %i : (" R ", !pto.tile_buf<vec, 1x64xui32>) -> !pto.tile_buf<vec, "
     "1x128xf32>",
     PROFILES_ALL, 0, 0, 0, 0, 0},
    {"pto.tsort32",
     "%s: !pto.tile_buf<vec, 4x64xf16, valid=3x40>, %i: !pto.tile_buf<vec, 4x64xui32, valid=3x40>",
     "%d = pto.tsort32 %s, %i : (!pto.tile_buf<vec, 4x64xf16, valid=3x40>, !pto.tile_buf<vec, "
     "4x64xui32, valid=3x40>) -> !pto.tile_buf<vec, 4x256xf16>",
     PROFILES_ALL, ON(A2A3) | ON(A5), 4, 64, 3, 40},
    {"pto.tsort32",
     "%s: !pto.tile_buf<vec, 4x64xf16, valid=3x?>, %i: !pto.tile_buf<vec, 4x64xui32, valid=3x?>",
     "%d = pto.tsort32 %s, %i : (!pto.tile_buf<vec, 4x64xf16, valid=3x?>, !pto.tile_buf<vec, "
     "4x64xui32, valid=3x?>) -> !pto.tile_buf<vec, 4x256xf16>",
     PROFILES_ALL, ON(A2A3) | ON(A5), 4, 64, 4, 64},
    /* Lists are merged in a row as long as all of them, and as dst. */
    {"pto.tmrgsort", "%s: " R ", %t: !pto.tile_buf<vec, 1x128xf32>",
     "%d, %e = pto.tmrgsort %s, %t : (" R ", !pto.tile_buf<vec, 1x128xf32>) -> "
     "(!pto.tile_buf<vec, 1x192xf32>, vector<4xi16>)",
     PROFILES_ALL, ON(A2A3) | ON(A5), 1, 192, 1, 192},
    {"pto.tmrgsort", "%s: " R ", %e: vector<4xi16>, %d: !pto.tile_buf<vec, 1x256xf32>",
     "pto.tmrgsort ins(%s, %s no_tmp : " R ", " R ") outs(%d, %e : !pto.tile_buf<vec, 1x256xf32>, "
     "vector<4xi16>)",
     PROFILES_ALL, ON(A2A3) | ON(A5), 1, 256, 1, 256},
    {"pto.tmrgsort", "%s: " R ", %n: i32, %d: " R,
     "pto.tmrgsort ins(%s, %n : " R ", i32) outs(%d : " R ")", PROFILES_ALL, 0, 0, 0, 0, 0},
    /* Elementwise: a2a3 alone touches it; a5 has one for powers, which level 3 demands. */
    {TWO("pto.trem", F), PROFILES_ALL, ON(A2A3), 2, 72, 2, 64},
    {TWO("pto.trem", "!pto.tile_buf<vec, 4x40xf32, valid=3x33>"), PROFILES_ALL, ON(A2A3), 2, 48, 2,
     33},
    {TWO("pto.txor", I), PROFILES_ALL, ON(A2A3), 16, 64, 16, 64},
    {TWO("pto.tprelu", F), PROFILES_ALL, ON(A2A3), 17, 32, 17, 8},
    {TWO("pto.tprelu", "!pto.tile_buf<vec, 4x512xf32, valid=3x300>"), PROFILES_ALL, ON(A2A3), 4, 64,
     4, 38},
    {TWO("pto.tprelu", V), ON(A5), 0, 0, 0, 0, 0},
    {TWO("pto.tpow", F), PROFILES_ALL, ON(A2A3) | ON(A5), 16, 64, 16, 64},
    {TWO("pto.tpow", I), PROFILES_ALL, 0, 0, 0, 0, 0},
    {"pto.trems", "%a: " F ", %s: f32", "%d = pto.trems %a, %s : (" F ", f32) -> " F, PROFILES_ALL,
     ON(A2A3), 1, 64, 1, 64},
    {"pto.txors", "%a: " I ", %s: i16", "%d = pto.txors %a, %s : (" I ", i16) -> " I, PROFILES_ALL,
     ON(A2A3), 16, 64, 16, 64},
    {"pto.tpows", "%a: " F ", %s: f32", "%d = pto.tpows %a, %s : (" F ", f32) -> " F, PROFILES_ALL,
     ON(A2A3) | ON(A5), 16, 64, 16, 64},
    {"pto.tsel", "%m: " M ", %a: " F, "%d = pto.tsel %m, %a, %a : (" M ", " F ", " F ") -> " F,
     PROFILES_ALL, ON(A2A3), 1, 16, 1, 16},
    {"pto.tsels", "%m: " M ", %a: " F ", %s: f32",
     "%d = pto.tsels %m, %a, %s : (" M ", " F ", f32) -> " F, PROFILES_ALL, ON(A2A3), 1, 64, 1, 64},
    {"pto.trsqrt", "%a: " F, "%d = pto.trsqrt %a : " F " -> " F, PROFILES_ALL, 0, 0, 0, 0, 0},
    /* A conversion takes one when it drops high bits without clamping. */
    {CONVERT("OFF", F, I), PROFILES_ALL, ON(A2A3), 1, 256, 1, 256},
    {CONVERT("OFF", "!pto.tile_buf<vec, 4x80xf32, valid=4x72>",
             "!pto.tile_buf<vec, 4x80xi16, valid=4x72>"),
     PROFILES_ALL, ON(A2A3), 1, 992, 1, 992},
    {CONVERT("OFF", H, I), PROFILES_ALL, ON(A2A3), 1, 256, 1, 256},
    {CONVERT("OFF", H, "!pto.tile_buf<vec, 16x64xi8>"), PROFILES_ALL, ON(A2A3), 1, 256, 1, 256},
    {CONVERT("OFF", "!pto.tile_buf<vec, 16x32xf16, valid=16x9>",
             "!pto.tile_buf<vec, 16x32xi8, valid=16x9>"),
     PROFILES_ALL, ON(A2A3), 1, 160, 1, 160},
    {CONVERT("ON", F, I), PROFILES_ALL, 0, 0, 0, 0, 0},
    {CONVERT("OFF", F, H), PROFILES_ALL, 0, 0, 0, 0, 0},
};

static void check_case(const TmpCase *t, Profile profile) {
    char text[1024];
    snprintf(text, sizeof text, "func.func @k(%s) {\n  %s\n  return\n}\n", t->parameters,
             t->statement);
    Program *p = program_new(text, profile);
    Plan plan = program_plan(p, profile);
    const PlanTmp *tmp = plan_tmp(&plan, program_op(p, t->inst));
    bool wanted = (t->planned & PROFILE_BIT(profile)) != 0;
    if ((tmp != NULL) != wanted)
        fail_msg("%s: %s under %s", t->statement, wanted ? "no tile" : "a tile",
                 profile_names[profile]);
    if (tmp != NULL) {
        const TileInfo *i = &tmp->type->tile;
        assert_int_equal(i->rows, t->rows);
        assert_int_equal(i->cols, t->cols);
        assert_int_equal(i->vrow, t->vrow);
        assert_int_equal(i->vcol, t->vcol);
        assert_int_equal(i->space, SPACE_VEC);
        assert_int_equal(tmp->slot.bytes, tile_bytes(tmp->type, profile));
        assert_int_equal(tmp->slot.bytes % 32, 0);
    }
    program_free(p);
}

static void every_instruction_gets_its_scratch(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (int profile = 0; profile < PROFILE_COUNT; profile++)
            if ((cases[i].profiles & PROFILE_BIT(profile)) != 0)
                check_case(&cases[i], (Profile)profile);
}

static void scratch_lies_beside_the_operands(void **state) {
    (void)state;
    Program *p = program_new("func.func @k(%k: f32) {\n"
                             "  %s = pto.texpands %k : (f32) -> " F "\n"
                             "  %d = pto.trowsum %s : " F " -> " C "\n"
                             "  %e = pto.trowexpandmul %s, %d : (" F ", " C ") -> " F "\n"
                             "  %c = pto.tcolsum %e {isBinary = true} : " F " -> " R "\n"
                             "  return\n}\n",
                             PROFILE_A2A3);
    Plan plan = program_plan(p, PROFILE_A2A3);
    static const char *const insts[] = {"pto.trowsum", "pto.trowexpandmul", "pto.tcolsum"};
    for (int i = 0; i < 3; i++) {
        const Op *op = program_op(p, insts[i]);
        const PlanTmp *tmp = plan_tmp(&plan, op);
        assert_non_null(tmp);
        for (int s = 0; s < op->inst->nslots; s++)
            if (slot_value(op, s) != NULL)
                check_apart(&tmp->slot, plan_value(&plan, slot_value(op, s)));
    }
    program_free(p);
}

/* Nothing reads or writes the tmp of a reduction but on a2a3: elsewhere all other tiles get their
 * place first. */
static void untouched_scratch_comes_last(void **state) {
    (void)state;
    for (int profile = 0; profile < PROFILE_COUNT; profile++) {
        Program *p = program_new("func.func @k(%s: " F ") {\n"
                                 "  %t = pto.alloc_tile : " F "\n"
                                 "  %d = pto.alloc_tile : " C "\n"
                                 "  pto.trowsum ins(%s, %t : " F ", " F ") outs(%d : " C ")\n"
                                 "  return\n}\n",
                                 (Profile)profile);
        Plan plan = program_plan(p, (Profile)profile);
        const char *first = profile == PROFILE_A2A3 ? "t" : "d";
        assert_int_equal(program_address(p, &plan, first), 0);
        check_apart(plan_value(&plan, program_value(p, "t")),
                    plan_value(&plan, program_value(p, "d")));
        program_free(p);
    }
}

/* Where the text gives addresses, a row expansion keeps its form without scratch. */
static void row_expansions_stay_as_they_are_at_level_3(void **state) {
    (void)state;
    Program *p = program_new("func.func @k() {\n"
                             "  %c0 = arith.constant 0 : i64\n"
                             "  %c1 = arith.constant 4096 : i64\n"
                             "  %s = pto.alloc_tile addr = %c0 : " F "\n"
                             "  %v = pto.alloc_tile addr = %c1 : " C "\n"
                             "  pto.trowexpandsub ins(%s, %v : " F ", " C ") outs(%s : " F ")\n"
                             "  return\n}\n",
                             PROFILE_A2A3);
    Plan plan = program_plan(p, PROFILE_A2A3);
    assert_null(plan_tmp(&plan, program_op(p, "pto.trowexpandsub")));
    program_free(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_instruction_gets_its_scratch),
        cmocka_unit_test(scratch_lies_beside_the_operands),
        cmocka_unit_test(untouched_scratch_comes_last),
        cmocka_unit_test(row_expansions_stay_as_they_are_at_level_3),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
