/* SPDX-License-Identifier: Apache-2.0 */
/* The command and the runtime each read elements as numbers: every code of the floats of up to 16
 * bits is the same number in both. */
#include "cli/numbers.h"
#include "mem/number.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Types of the runtime that the command has, too, by their name. */
static const struct {
    const char *name;
    int elem;
} types[] = {
#define ELEM(id, text, ...) {text, PTRT_##id},
#include "runtime/ptort_elems.def"
#undef ELEM
};

static unsigned compare_codes(Elem e, int elem) {
    const unsigned codes = elem_infos[e].bytes == 1 ? 256 : 65536;
    Array bits = {.elem = e, .rank = 1, .shape = {codes}}, numbers;
    unsigned wrong = 0;
    assert_true(array_measure(&bits) && array_allocate(&bits));
    for (unsigned c = 0; c < codes; c++) {
        const unsigned char bytes[2] = {(unsigned char)(c & 255), (unsigned char)(c >> 8)};
        memcpy(bits.data + (size_t)c * elem_infos[e].bytes, bytes, elem_infos[e].bytes);
    }
    assert_true(array_widen(&bits, &numbers));
    for (unsigned c = 0; c < codes; c++) {
        const double own = (double)((const float *)(const void *)numbers.data)[c];
        const double there = ptrt_real_at(elem, bits.data + (size_t)c * elem_infos[e].bytes, 0);
        const bool same =
            isnan(own) ? isnan(there) : own == there && signbit(own) == signbit(there);
        if (!same && wrong++ == 0)
            printf("# %s: code %u is %g in the command, %g in the runtime\n", elem_infos[e].text, c,
                   own, there);
    }
    array_free(&numbers);
    array_free(&bits);
    return wrong;
}

static void same_numbers(void **state) {
    (void)state;
    unsigned compared = 0, wrong = 0;
    for (unsigned i = 0; i < sizeof types / sizeof types[0]; i++) {
        const Elem e = elem_from_text(types[i].name, strlen(types[i].name));
        if (e == ELEM_NONE || !elem_infos[e].format.real || elem_infos[e].bytes > 2) continue;
        wrong += compare_codes(e, types[i].elem);
        compared++;
    }
    printf("# %u types\n", compared);
    assert_true(compared >= 9);
    assert_int_equal(wrong, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_numbers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
