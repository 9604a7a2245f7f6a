/* SPDX-License-Identifier: Apache-2.0 */
/* libFuzzer target: every byte means a piece of the language (a token, a type, the head of a
 * statement), three bytes for a word of the tables, so that noise gets past the lexer. The property
 * is that of fuzz_check.c. */
#include "ir/insts.h"
#include "tests/fuzz/round_trip.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const pieces[] = {
    "module {\n",
    "module @m attributes {pto.target_arch = \"a5\"} {\n",
    "func.func @f(%a: i32, %n: index, %b: i1) {\n",
    "func.func @g() -> i32 {\n",
    "func.func private @d(i32 {pto.x}, f32) -> (i32 {pto.y = 1})\n",
    "return\n",
    "return %a : i32\n",
    "}\n",
    "{",
    "(",
    ")",
    "({\n",
    "})",
    ", ",
    ": ",
    "= ",
    "-> ",
    "[",
    "]",
    "<{",
    "}>",
    "<",
    ">",
    "\n",
    "// c\n",
    "# c\n",
    "; c\n",
    "\n\n",
    "%a",
    "%b",
    "%c",
    "%n",
    "%c#1",
    "%c:2 = ",
    "%a = ",
    "%b = ",
    "%c = ",
    "%n = ",
    "%t = ",
    "%u = ",
    "%p = ",
    "%v = ",
    "@f",
    "@g",
    "@\"a b\"",
    "^a",
    "^b",
    "^a:\n",
    "^b(%x: i32):\n",
    "^a(%a : i32)",
    "0",
    "1",
    "-1",
    "7",
    "0x10",
    "1.5",
    "-0.0",
    "0x7FC00000",
    "18446744073709551615",
    "true",
    "unit",
    "\"s\"",
    "\"\\\\22\"",
    "i1",
    "i8",
    "i32",
    "i64",
    "ui8",
    "si16",
    "i7",
    "f16",
    "bf16",
    "f32",
    "f64",
    "index",
    "!t",
    "#m",
    "!t = !pto.tile_buf<vec, 16x16xf32>\n",
    "#m = [1, \"x\", {k = f32}]\n",
    "!pto.ptr<f32>",
    "!pto.tile<vec, 16x16xf32>",
    "!pto.tile_buf<vec, 16x16xi16, valid=?x?>",
    "!pto.tile_buf<loc=vec, dtype=i32, rows=8, cols=8, v_row=8, v_col=8, blayout=row_major, "
    "slayout=none_box, fractal=512, pad=0>",
    "!pto.tensor_view<?x?xf32>",
    "!pto.partition_tensor_view<16x16xf32>",
    "arith.constant ",
    "arith.addi ",
    "arith.cmpi eq, ",
    "arith.cmpf ",
    "arith.truncf ",
    "arith.select ",
    "arith.index_cast ",
    " to ",
    "step ",
    "overflow<nsw> ",
    "fastmath<fast> ",
    "scf.for %i = %n to %n step %n ",
    "iter_args(%k = %a) -> (i32) ",
    "scf.if %b ",
    "-> i32 ",
    "else {\n",
    "scf.while (%k = %a) : (i32) -> (i32) {\n",
    "do {\n",
    "scf.yield ",
    "scf.yield %a : i32\n",
    "scf.condition(%b) ",
    "scf.execute_region ",
    "scf.index_switch %n ",
    "case 1 {\n",
    "default {\n",
    "cf.br ^a\n",
    "cf.cond_br %b, ^a, ^b(%a : i32)\n",
    "cf.switch %a : i32, [default: ^a, 1: ^b]\n",
    "call @f(%a, %n, %b) : (i32, index, i1) -> ()\n",
    "\"func.func\"",
    "\"scf.for\"",
    "\"scf.if\"",
    "\"cf.cond_br\"",
    "\"arith.cmpi\"",
    "\"arith.constant\"",
    "\"pto.tadds\"",
    "\"builtin.module\"",
    "() <{function_type = () -> (), sym_name = \"h\"}> ({\n",
    "operandSegmentSizes = array<i32: 1, 0, 1>",
    "predicate = 2 : i64",
    "value = 5 : i32",
    "(i32, i32) -> i1",
    "(i32) -> ()",
    "() -> ()\n",
    "() -> i32\n",
    "pto.alloc_tile ",
    "pto.alloc_tile : !pto.tile<vec, 16x16xf32>\n",
    "valid_row = %n ",
    "pto.tadds ",
    "pto.tands ",
    "pto.txors ",
    "pto.ttri ",
    "pto.tfillpad ",
    "pto.tadd ",
    "pto.texpands ",
    "pto.tload ",
    "pto.tstore ",
    "pto.tassign ",
    "pto.set_validshape ",
    "tadds %t, 1.5\n",
    "tands %t, %a",
    "ttri %a, 1",
    "@tile(0x1000)",
    "ins(",
    "ins(%t, %a : !pto.tile<vec, 16x16xf32>, f32) ",
    "outs(%t : !t)\n",
    "outs(",
    "{upperOrLower = 1 : i32}",
    "{atomicType = #pto<atomic_type atomic_add>}",
    "#cmp=gt",
    "#pto.layout<nd>",
    "array<i32: 1, 2>",
    "dense<1>",
    "affine_map<(d0) -> (d0)>",
    "loc(\"x\":1:2)",
    "pto.make_tensor_view %p, shape = [%n, %n], strides = [%n, %n] ",
    "pto.partition_view %v, offsets = [%n, 0], sizes = [%n, 16] ",
    "pto.set_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]\n",
    "pto.barrier <PIPE_ALL>\n",
    ".arg %t : !pto.tile<vec, 16x16xf32>\n",
    ".arg %p : !pto.ptr<f32>\n",
    ".const %a = 4 : i32\n",
    "word:",
    "%a = arith.constant 1 : i32\n",
    "%n = arith.constant 4 : index\n",
    "%b = arith.constant true\n",
    "%c:2 = arith.addui_extended %a, %a : i32, i1\n",
    "%t = pto.alloc_tile : !pto.tile<vec, 16x16xf32>\n",
};
enum { PIECES = sizeof pieces / sizeof pieces[0], LONGEST = 160 };

/* Bytes above the pieces take words of the tables. */
enum { A_NAME = 255, AN_ATTRIBUTE = 254, A_VALUE = 253, A_CLAUSE = 252, A_TYPE = 251 };
_Static_assert((int)PIECES <= (int)A_TYPE, "one byte names a piece");

static const char *const types[] = {
    "!pto.multi_tile_buf<!pto.tile_buf<vec, 16x16xf32>, count=2>",
    "!pto.pipe",
    "!pto.local_array<4x4xi32>",
    "!pto.prefetch_async_context",
    "!pto.struct<i32, f32>",
    "!pto.struct<!pto.struct<i32>, i8>",
    "!pto.eventid_array<4>",
    "!pto.async_session",
    "!pto.async_event",
    "memref<16x16xf32, #pto.address_space<gm>>",
    "memref<?xf32, strided<[?], offset: ?>, #pto.address_space<vec>>",
    "vector<4xi16>",
    "!pto.tile_buf<acc, 16x16xf32, blayout=col_major, slayout=row_major, fractal=1024>",
    "!pto.tile_buf<mat, 32x32xi8, slayout=row_major>",
    "!pto.tile_buf<vec, 16x16xf8E4M3FN, compact=row_plus_one>",
};

static size_t put_word(char *out, const Inst *inst, uint8_t what, unsigned k) {
    const char *text = "";
    switch (what) {
    case A_NAME:
        return (size_t)snprintf(out, LONGEST, "%s ", inst->name);
    case AN_ATTRIBUTE:
        if (inst->nattrs == 0) return 0;
        return (size_t)snprintf(out, LONGEST, "%s = ", inst->attrs[k % inst->nattrs].name);
    case A_VALUE: {
        const EnumInfo *e = &enum_infos[k % EF_COUNT];
        enum_print(out, LONGEST - 1, e, e->values[k / EF_COUNT % e->nvalues].text);
        return strlen(out);
    }
    case A_CLAUSE:
        if (inst->nslots > 0) text = inst->slots[k % inst->nslots].rare->clause;
        return text == NULL ? 0 : (size_t)snprintf(out, LONGEST, "%s ", text);
    default:
        text = types[k % (sizeof types / sizeof types[0])];
        return (size_t)snprintf(out, LONGEST, "%s", text);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0) return 0;
    char *text = malloc(size * LONGEST);
    if (text == NULL) return 0;
    const Inst *inst = &inst_table[1];
    size_t n = 0;
    for (size_t i = 1; i < size; i++) {
        if (data[i] >= A_TYPE && i + 2 < size) {
            unsigned k = data[i + 1] | (unsigned)data[i + 2] << 8;
            if (data[i] == A_NAME) inst = &inst_table[1 + k % (INST_COUNT - 1)];
            n += put_word(text + n, inst, data[i], k);
            i += 2;
            continue;
        }
        const char *piece = pieces[data[i] % PIECES];
        size_t len = strlen(piece);
        memcpy(text + n, piece, len);
        n += len;
    }
    text[n] = '\0';
    fuzz_text(data[0], text, n);
    free(text);
    return 0;
}
