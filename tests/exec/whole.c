/* SPDX-License-Identifier: Apache-2.0 */
/* For tests of whole kernels: their forms, numbers to run them on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "whole.h"
#include <math.h>
#include <ptort.h>
#include <stdio.h>
#include <string.h>

const Form forms[FORMS] = {
    {"a2a3", false, false}, {"a5", false, true}, {"a2a3", true, true}, {"a5", true, false}};

void open_kernel(Built *b, const char *name, const Form *form, void *function) {
    char file[64];
    snprintf(file, sizeof file, "%s.pto", name);
    build_form(b, file, form);
    void *symbol = built_function(b, name);
    memcpy(function, &symbol, sizeof symbol);
}

void allow(const void *p, size_t bytes) {
    assert_int_equal(ptrt_region_add(p, bytes), 0);
}

void went_well(int code) {
    if (code != 0) fail_msg("%s", last_error());
}

void close_kernel(Built *b) {
    ptrt_region_clear();
    built_free(b);
}

static uint32_t state_of_numbers;

static uint32_t next_number(void) {
    state_of_numbers = state_of_numbers * 1664525u + 1013904223u;
    return state_of_numbers >> 8;
}

/* In [-1, 1). */
static float next_float(void) {
    return (float)next_number() / 8388608.0f - 1.0f;
}

void fill_floats(float *x, size_t n, float scale, uint32_t seed) {
    state_of_numbers = seed;
    for (size_t i = 0; i < n; i++)
        x[i] = next_float() * scale;
}

void fill_halves(float *x, uint16_t *bits, size_t n, uint32_t seed) {
    state_of_numbers = seed;
    for (size_t i = 0; i < n; i++) {
        int exponent;
        x[i] = floorf(next_float() * 32) / 32;
        float m = frexpf(fabsf(x[i]), &exponent);
        unsigned code =
            m == 0 ? 0 : (unsigned)(exponent + 14) << 10 | ((unsigned)(m * 2048) & 1023);
        bits[i] = (uint16_t)(code | (x[i] < 0 ? 0x8000u : 0));
    }
}

void fill_brains(float *x, uint16_t *bits, size_t n, uint32_t seed) {
    state_of_numbers = seed;
    for (size_t i = 0; i < n; i++) {
        uint32_t word;
        x[i] = floorf(next_float() * 32) / 32;
        memcpy(&word, &x[i], sizeof word);
        bits[i] = (uint16_t)(word >> 16);
    }
}

void fill_numbers(int32_t *x, size_t count, uint32_t n, uint32_t seed) {
    state_of_numbers = seed;
    for (size_t i = 0; i < count; i++)
        x[i] = (int32_t)(next_number() % n);
}

float of_brain(uint16_t bits) {
    const uint32_t word = (uint32_t)bits << 16;
    float x;
    memcpy(&x, &word, sizeof x);
    return x;
}

void close_to(float got, float want, float tolerance) {
    if (!(fabsf(got - want) <= tolerance)) fail_msg("got %g, want %g", (double)got, (double)want);
}
