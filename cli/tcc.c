/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles emitted C in memory with libtcc. It reads no files: the headers of the runtime are
 * embedded, and what they need of the C library is declared here. */
#include "cli/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef PTOASM_LIBTCC

bool builtin_cc_linked(void) {
    return false;
}

int builtin_cc_build(const Runtime *rt, const Links *links, const char *text, void **tcc) {
    (void)rt, (void)links, (void)text;
    *tcc = NULL;
    return trouble("no C compiler is linked in");
}

void *builtin_cc_find(void *tcc, const char *name) {
    (void)tcc, (void)name;
    return NULL;
}

void builtin_cc_close(void *tcc) {
    (void)tcc;
}

#else

#include "support/unpack.h"

#include <libtcc.h>

/* ptort_logical.h with its includes, packed by embed/main.c; it begins with ptort_micro.h, and that
 * with ptort_emitted.h. The lengths are in this order. */
extern const unsigned char ptort_headers[];
extern const unsigned ptort_headers_ends[];

/* What emitted C includes, in the order of the lengths. */
static const char *const header_lines[] = {
    "#include <ptort_emitted.h>\n", "#include <ptort_micro.h>\n", "#include <ptort_logical.h>\n"};

/* stddef.h, stdbool.h, stdint.h and string.h, as far as that header and emitted code use them. */
static const char prelude[] =
    "typedef signed char int8_t; typedef unsigned char uint8_t;\n"
    "typedef short int16_t; typedef unsigned short uint16_t;\n"
    "typedef int int32_t; typedef unsigned uint32_t;\n"
    "typedef long int64_t; typedef unsigned long uint64_t, size_t, uintptr_t;\n"
    "typedef long ptrdiff_t, intptr_t;\n"
    "#define bool _Bool\n#define true 1\n#define false 0\n#define NULL ((void *)0)\n"
    "#define INT64_C(x) x##L\n#define UINT64_C(x) x##UL\n"
    "#define INT8_MIN (-128)\n#define INT8_MAX 127\n#define UINT8_MAX 255\n"
    "#define INT16_MIN (-32768)\n#define INT16_MAX 32767\n#define UINT16_MAX 65535\n"
    "#define INT32_MIN (-2147483647 - 1)\n#define INT32_MAX 2147483647\n"
    "#define UINT32_MAX 4294967295U\n"
    "#define INT64_MIN (-9223372036854775807L - 1)\n#define INT64_MAX 9223372036854775807L\n"
    "#define UINT64_MAX 18446744073709551615UL\n#define SIZE_MAX UINT64_MAX\n"
    "#define offsetof(type, member) ((size_t)&((type *)0)->member)\n"
    "void *memcpy(void *, const void *, size_t);\n"
    "void *memmove(void *, const void *, size_t);\n"
    "void *memset(void *, int, size_t);\n"
    "int memcmp(const void *, const void *, size_t);\n"
    "size_t strlen(const char *);\n";

/* ---- functions that the code calls ---- */

/* Conversions that tcc calls by the names of its own library. */
static double to_double(uint64_t v) {
    return (double)v;
}

static float to_float(uint64_t v) {
    return (float)v;
}

static uint64_t from_double(double v) {
    return (uint64_t)v;
}

static uint64_t from_float(float v) {
    return (uint64_t)v;
}

typedef void Function(void);

static const struct {
    const char *name;
    Function *function;
} helpers[] = {
    {"memcpy", (Function *)memcpy},           {"memmove", (Function *)memmove},
    {"memset", (Function *)memset},           {"memcmp", (Function *)memcmp},
    {"strlen", (Function *)strlen},           {"__floatundidf", (Function *)to_double},
    {"__floatundisf", (Function *)to_float},  {"__fixunsdfdi", (Function *)from_double},
    {"__fixunssfdi", (Function *)from_float},
};

static void add_helpers(TCCState *s) {
    for (unsigned i = 0; i < sizeof helpers / sizeof helpers[0]; i++) {
        void *p;
        memcpy(&p, &helpers[i].function, sizeof p);
        tcc_add_symbol(s, helpers[i].name, p);
    }
}

/* Defines every function of the runtime that occurs in the text. */
static void add_runtime(TCCState *s, const Runtime *rt, const char *text) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    char name[64];
    for (const char *p = text; (p = strstr(p, "ptrt_")) != NULL;) {
        size_t n = strspn(p, letters);
        if (n < sizeof name && (p == text || strchr(letters, p[-1]) == NULL)) {
            memcpy(name, p, n);
            name[n] = '\0';
            void *function = runtime_symbol(rt, name);
            if (function != NULL) tcc_add_symbol(s, name, function);
        }
        p += n;
    }
}

/* Defines the functions that the text declares for the user's libraries. */
static void add_links(TCCState *s, const Links *links, const char *text) {
    static const char start[] = "\nextern int ";
    char name[256];
    for (const char *p = text; links != NULL && (p = strstr(p, start)) != NULL;) {
        p += sizeof start - 1;
        size_t n = strcspn(p, "(\n");
        if (n >= sizeof name) continue;
        memcpy(name, p, n);
        name[n] = '\0';
        void *function = links_symbol(links, name);
        if (function != NULL) tcc_add_symbol(s, name, function);
    }
}

/* ---- compiling ---- */

/* libtcc ends the process when its memory runs out: the exit code is then that of trouble. */
static bool compiling;

static void leave(void) {
    if (compiling) _Exit(TROUBLE);
}

static void report(void *opaque, const char *message) {
    (void)opaque;
    put_plain(stderr, message);
    fputc('\n', stderr);
}

/* Replaces the last include line by the headers; NULL when memory ran out. */
static char *whole_text(const char *text) {
    const char *rest = text;
    size_t header = ptort_headers_ends[0];
    for (size_t i = 0; i < sizeof header_lines / sizeof header_lines[0]; i++) {
        const char *at = strstr(text, header_lines[i]);
        if (at == NULL) continue;
        rest = at + strlen(header_lines[i]);
        header = ptort_headers_ends[i];
    }
    size_t before = sizeof prelude - 1, size = strlen(rest) + 1;
    char *all = malloc(before + header + size);
    if (all == NULL) return NULL;
    memcpy(all, prelude, before);
    text_unpack(ptort_headers, all + before, header);
    memcpy(all + before + header, rest, size);
    return all;
}

bool builtin_cc_linked(void) {
    return true;
}

int builtin_cc_build(const Runtime *rt, const Links *links, const char *text, void **tcc) {
    static bool prepared;
    char *all = whole_text(text);
    if (!prepared) prepared = atexit(leave) == 0;
    compiling = true;
    TCCState *s = all != NULL ? tcc_new() : NULL;
    *tcc = s;
    if (s == NULL) {
        free(all);
        compiling = false;
        return trouble("out of memory");
    }
    tcc_set_error_func(s, NULL, report);
    tcc_set_options(s, "-nostdlib -nostdinc");
    tcc_set_output_type(s, TCC_OUTPUT_MEMORY);
    bool fine = tcc_compile_string(s, all) == 0;
    if (fine) {
        add_helpers(s);
        add_runtime(s, rt, all);
        add_links(s, links, text);
        fine = tcc_relocate(s, TCC_RELOCATE_AUTO) == 0;
    }
    free(all);
    compiling = false;
    return fine ? FINE
                : trouble("the C compiler of this program failed%s",
                          LOADS_LIBRARIES ? "; --cc=cc takes another" : "");
}

void *builtin_cc_find(void *tcc, const char *name) {
    return tcc_get_symbol(tcc, name);
}

void builtin_cc_close(void *tcc) {
    if (tcc != NULL) tcc_delete(tcc);
}

#endif
