/* SPDX-License-Identifier: Apache-2.0 */
/* What precedes the functions in the C++ file: includes, types, and the helpers that the text
 * needs. */
#include "backends/cpp/emitter.h"

#include <string.h>

static const char event_array[] =
    "template <int N>\nstruct PTOAS_EventIdArray {\n"
    "  int32_t data[N] = {};\n"
    "  AICORE inline int32_t &operator[](int i) { return data[i]; }\n"
    "  AICORE inline const int32_t &operator[](int i) const { return data[i]; }\n"
    "};\n";

static const char bits[] = "template <typename To, typename From>\n"
                           "AICORE inline To ptoas_bitcast(From from) {\n"
                           "  static_assert(sizeof(To) == sizeof(From), \"equal sizes\");\n"
                           "  To to;\n"
                           "  __builtin_memcpy(&to, &from, sizeof(To));\n"
                           "  return to;\n"
                           "}\n";

static const char cache_line[] =
    "template <typename Ptr>\n"
    "static AICORE inline void PTOAS__DCCI_SINGLE_CACHE_LINE(Ptr ptr) {\n"
    "  dcci((__gm__ void*)ptr, cache_line_t::SINGLE_CACHE_LINE);\n"
    "}\n";

static const char tail[] =
    "enum class PTOAutoSyncTailMode : int { kBarrierAll = 0, kSetWaitMte3ToSEvent0 = 1 };\n"
    "static AICORE inline void ptoas_auto_sync_tail(PTOAutoSyncTailMode mode) {\n"
    "  if (mode == PTOAutoSyncTailMode::kBarrierAll) {\n"
    "    pipe_barrier(PIPE_ALL);\n"
    "    return;\n"
    "  }\n"
    "  set_flag(PIPE_MTE3, PIPE_S, EVENT_ID0);\n"
    "  wait_flag(PIPE_MTE3, PIPE_S, EVENT_ID0);\n"
    "}\n";

/* The library takes the key and the counter by reference. */
static const char random_words[] =
    "template <uint16_t Rounds, typename DstTile>\n"
    "static AICORE inline void PTOAS__TRANDOM(DstTile &dst, uint32_t key0, uint32_t key1,\n"
    "                                         uint32_t counter0, uint32_t counter1,\n"
    "                                         uint32_t counter2, uint32_t counter3) {\n"
    "  TRandomKey key = {key0, key1};\n"
    "  TRandomCounter counter = {counter0, counter1, counter2, counter3};\n"
    "  TRANDOM<Rounds>(dst, key, counter);\n"
    "}\n";

/* Products of 64 bits, from those of 32: the device's compiler may have no wider type. */
static const char product[] =
    "static AICORE inline uint64_t ptoas_mulhi(uint64_t a, uint64_t b) {\n"
    "  uint64_t al = (uint32_t)a, ah = a >> 32, bl = (uint32_t)b, bh = b >> 32;\n"
    "  uint64_t low = ah * bl + (al * bl >> 32);\n"
    "  uint64_t middle = al * bh + (uint32_t)low;\n"
    "  return ah * bh + (low >> 32) + (middle >> 32);\n"
    "}\n";

static void put_banner(Emitter *e, StrBuf *out) {
    sb_puts(out, "// Emitted by ptoasm from ");
    put_line_comment(out, e->file, strlen(e->file));
    sb_printf(out, " for profile %s.\n", profile_names[e->opt->profile]);
}

/* Several texts may be embedded in one file: each defines a helper unless one before has. */
void cpp_begin_helper(const Emitter *e, StrBuf *out, const char *name) {
    if (e->opt->embed) sb_printf(out, "\n#ifndef PTOASM_HAS_%s\n#define PTOASM_HAS_%s", name, name);
    sb_putc(out, '\n');
}

void cpp_end_helper(const Emitter *e, StrBuf *out) {
    if (e->opt->embed) sb_puts(out, "#endif\n");
}

static void put_helper(const Emitter *e, StrBuf *out, bool used, const char *name,
                       const char *text) {
    if (!used) return;
    cpp_begin_helper(e, out, name);
    sb_puts(out, text);
    cpp_end_helper(e, out);
}

void cpp_put_top(Emitter *e, StrBuf *out) {
    CppEmitter *c = cpp_of(e);
    if (!cpp_as_vendor(e)) put_banner(e, out);
    if (!e->opt->embed)
        sb_puts(out, "#include <cstdint>\n#include \"pto/pto-inst.hpp\"\nusing namespace pto;\n");
    if (c->structs.len > 0) sb_printf(out, "\n%s", sb_text(&c->structs));
    put_helper(e, out, c->uses_event_array, "EVENT_ARRAY", event_array);
    put_helper(e, out, c->uses_cache_line, "CACHE_LINE", cache_line);
    put_helper(e, out, c->uses_random, "RANDOM", random_words);
    put_helper(e, out, c->uses_tail, "TAIL", tail);
    put_helper(e, out, c->uses_bits, "BITCAST", bits);
    put_helper(e, out, c->uses_product, "MULHI", product);
}
