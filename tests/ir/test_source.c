/* SPDX-License-Identifier: Apache-2.0 */
/* Lines and columns: looking a position up must say what counting from the start of the text says,
 * wherever code points, line ends and invalid bytes fall. */
#include "support/source.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SIZE = 5000 };

/* Counts from the start, byte by byte. */
static SourcePos counted(const char *text, uint32_t off) {
    SourcePos pos = {1, 1, 0};
    for (uint32_t i = 0; i < off;) {
        size_t n = utf8_length(text + i, off - i);
        pos.column++;
        if (text[i] == '\n') pos = (SourcePos){pos.line + 1, 1, i + 1};
        i += (uint32_t)n;
    }
    return pos;
}

static void same_position(SourcePos a, SourcePos b) {
    assert_int_equal(a.line, b.line);
    assert_int_equal(a.column, b.column);
    assert_int_equal(a.line_start, b.line_start);
}

/* Texts of these pieces, one of which may be the end of a line. */
static void compare_all(const char *const *pieces, uint32_t n, uint32_t size) {
    static char text[SIZE + 8];
    uint32_t len = 0, seed = 7;
    while (len < size) {
        seed = seed * 1664525u + 1013904223u;
        const char *piece = pieces[(seed >> 12) % n];
        memcpy(text + len, piece, strlen(piece));
        len += (uint32_t)strlen(piece);
    }
    text[size] = '\0';
    const Source src = {.name = "t", .data = text, .size = size};
    jmp_buf oom;
    Arena arena;
    arena_init(&arena, &oom);
    if (setjmp(oom) != 0) fail_msg("out of memory");
    SourceIndex ix = source_index(&arena, &src);
    for (uint32_t off = 0; off <= size; off += 1 + off % 3) {
        same_position(source_find(&ix, off), counted(text, off));
    }
    same_position(source_find(&ix, size + 100), counted(text, size));
    arena_free(&arena);
}

static void lines_of_any_length(void **state) {
    (void)state;
    const char *const few[] = {"a",    "bc",   "\xC3\xB6", "\xE2\x82\xAC", "\xF0\x9F\x98\x80",
                               "\xE2", "\x82", "\xF0\x9F", "\t",           "\r\n",
                               "\n"};
    const char *const none[] = {"a", "\xC3\xB6", "\xE2\x82\xAC", "\xF0\x9F\x98\x80", "\xF0"};
    compare_all(few, 11, SIZE);
    compare_all(none, 5, SIZE);
    compare_all(none + 2, 1, SIZE); /* no mark falls between code points by itself */
}

static void texts_around_a_mark(void **state) {
    (void)state;
    const char *const pieces[] = {"\xF0\x9F\x98\x80", "x", "\n"};
    for (uint32_t size = 1020; size < 1030; size++) {
        compare_all(pieces, 1, size);
        compare_all(pieces, 3, size);
    }
    compare_all(pieces, 3, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_of_any_length),
        cmocka_unit_test(texts_around_a_mark),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
