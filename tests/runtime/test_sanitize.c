/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the sanitizer's clocks and shadow, and of its findings in kernels that say what they do.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sanitize/sanitize.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- clocks ---- */

enum { IN_ORDER = 1u << PTRT_PIPE_S | 1u << PTRT_PIPE_M, ISSUE = 1 };

static uint32_t step(san_pipes *p, int pipe) {
    return ++p->at[pipe];
}

static bool knows(const san_pipes *p, int pipe, int earlier, uint32_t at) {
    return san_pipes_knows(p, pipe, (uint8_t)(p->first + earlier), at);
}

static void set(san_pipes *p, int from, int to, int event) {
    static const ptrt_site site = {.op = "set"};
    san_flag *f = san_pipes_flag(p, from, to, event);
    assert_non_null(f);
    san_pipes_release(p, from, &f->clock);
    f->set = &site;
}

static void wait(san_pipes *p, int from, int to, int event) {
    assert_true(san_pipes_wait(p, to, san_pipes_flag(p, from, to, event)));
}

/* A flag tells of what came before it, also of what its pipe had learnt, and of nothing else. */
static void flags_carry_what_their_pipe_knows(void **state) {
    san_pipes p;
    (void)state;
    san_pipes_start(&p, 1, IN_ORDER);
    const uint32_t load = step(&p, PTRT_PIPE_MTE2);
    set(&p, PTRT_PIPE_MTE2, PTRT_PIPE_V, 0);
    const uint32_t late = step(&p, PTRT_PIPE_MTE2);
    assert_false(knows(&p, PTRT_PIPE_V, PTRT_PIPE_MTE2, load));
    wait(&p, PTRT_PIPE_MTE2, PTRT_PIPE_V, 0);
    assert_true(knows(&p, PTRT_PIPE_V, PTRT_PIPE_MTE2, load));
    assert_false(knows(&p, PTRT_PIPE_V, PTRT_PIPE_MTE2, late));
    const uint32_t add = step(&p, PTRT_PIPE_V);
    set(&p, PTRT_PIPE_V, PTRT_PIPE_MTE3, 3);
    wait(&p, PTRT_PIPE_V, PTRT_PIPE_MTE3, 3);
    assert_true(knows(&p, PTRT_PIPE_MTE3, PTRT_PIPE_V, add));
    assert_true(knows(&p, PTRT_PIPE_MTE3, PTRT_PIPE_MTE2, load));
    assert_false(knows(&p, PTRT_PIPE_MTE3, PTRT_PIPE_MTE2, late));
    san_pipes_end(&p);
}

static void barriers_order_their_pipe_or_all(void **state) {
    san_pipes p;
    (void)state;
    san_pipes_start(&p, 0, IN_ORDER);
    const uint32_t a = step(&p, PTRT_PIPE_V), b = step(&p, PTRT_PIPE_M);
    assert_false(knows(&p, PTRT_PIPE_V, PTRT_PIPE_V, a)); /* does not complete in order */
    assert_true(knows(&p, PTRT_PIPE_M, PTRT_PIPE_M, b));
    san_pipes_barrier(&p, PTRT_PIPE_V);
    assert_true(knows(&p, PTRT_PIPE_V, PTRT_PIPE_V, a));
    assert_false(knows(&p, PTRT_PIPE_MTE3, PTRT_PIPE_V, a));
    san_pipes_barrier(&p, SAN_ALL);
    assert_true(knows(&p, PTRT_PIPE_MTE3, PTRT_PIPE_V, a));
    assert_true(knows(&p, PTRT_PIPE_V, PTRT_PIPE_M, b));
    san_pipes_end(&p);
}

/* In practice a wait of the scalar pipe, which issues all statements, delays those of all pipes. */
static void waits_of_the_scalar_pipe(void **state) {
    (void)state;
    for (uint32_t issue = 0; issue < 2; issue++) {
        san_pipes p;
        san_pipes_start(&p, 1, IN_ORDER | issue);
        const uint32_t a = step(&p, PTRT_PIPE_V), b = step(&p, PTRT_PIPE_S);
        set(&p, PTRT_PIPE_V, PTRT_PIPE_S, 0);
        wait(&p, PTRT_PIPE_V, PTRT_PIPE_S, 0);
        assert_true(knows(&p, PTRT_PIPE_S, PTRT_PIPE_V, a));
        assert_int_equal(knows(&p, PTRT_PIPE_MTE2, PTRT_PIPE_V, a), issue == ISSUE);
        assert_int_equal(knows(&p, PTRT_PIPE_MTE2, PTRT_PIPE_S, b), issue == ISSUE);
        san_pipes_end(&p);
    }
}

/* What runs in the order of the text is known to all pipes of its core, and to no other core. */
static void statements_without_pipe(void **state) {
    san_pipes p;
    (void)state;
    san_pipes_start(&p, 1, IN_ORDER);
    const uint32_t a = step(&p, PTRT_PIPE_NONE);
    assert_true(knows(&p, PTRT_PIPE_V, PTRT_PIPE_NONE, a));
    assert_true(knows(&p, PTRT_PIPE_NONE, PTRT_PIPE_V, step(&p, PTRT_PIPE_V)));
    assert_false(san_pipes_knows(&p, PTRT_PIPE_V, 2 * SAN_PIPES, 1));
    san_pipes_end(&p);
}

static san_clock with_base(uint32_t lane, uint32_t at) {
    san_clock c = {.base = san_base_new(lane + 1)};
    assert_non_null(c.base);
    c.base->at[lane] = at;
    return c;
}

static void other_blocks(void **state) {
    san_clock a = with_base(5, 3), b = with_base(20, 7), c = {.base = NULL};
    (void)state;
    a.at[2] = 9;
    assert_true(san_clock_join(&c, &a));
    assert_ptr_equal(c.base, a.base); /* shared, not copied */
    assert_true(san_clock_join(&c, &b));
    assert_int_equal(san_base_at(c.base, 5), 3);
    assert_int_equal(san_base_at(c.base, 20), 7);
    assert_int_equal(san_base_at(c.base, 1000), 0);
    assert_int_equal(san_base_at(a.base, 20), 0);
    assert_int_equal(c.at[2], 9);
    san_base *both = c.base;
    assert_true(san_clock_join(&c, &a)); /* nothing new */
    assert_ptr_equal(c.base, both);
    b.at[2] = 4;
    san_clock_meet(&c, &b);
    assert_int_equal(c.at[2], 4);
    assert_null(c.base);
    san_clock_drop(&a);
    san_clock_drop(&b);
    san_clock_drop(&c);
}

/* ---- shadow ---- */

typedef struct Seen {
    uint64_t undefined, met;
    unsigned calls;
} Seen;

static void undefined(void *user, uint64_t from, uint64_t bytes, int state, const san_entry *by) {
    Seen *s = user;
    (void)from;
    (void)state;
    (void)by;
    s->undefined += bytes;
}

static void meets(void *user, uint64_t from, uint64_t bytes, const san_entry *earlier) {
    Seen *s = user;
    (void)from;
    (void)earlier;
    s->met += bytes;
    s->calls++;
}

static Seen access_rows(san_shadow *s, uint64_t from, uint64_t bytes, uint32_t rows, uint64_t pitch,
                        bool write, uint8_t lane, uint32_t at) {
    static const ptrt_site site = {.op = "op"};
    Seen seen = {0};
    const san_access a = {.read = !write,
                          .write = write,
                          .compares = true,
                          .updates = true,
                          .state = SAN_DEFINED,
                          .mine = {{&site, at, lane, write}},
                          .undefined = undefined,
                          .meets = meets,
                          .user = &seen};
    assert_true(san_shadow_rows(s, from, bytes, rows, pitch, &a));
    return seen;
}

static Seen access_bytes(san_shadow *s, uint64_t from, uint64_t bytes, bool write, uint8_t lane,
                         uint32_t at) {
    return access_rows(s, from, bytes, 1, 0, write, lane, at);
}

static void bytes_become_defined(void **state) {
    san_shadow s;
    (void)state;
    assert_true(san_shadow_start(&s, 5 * SAN_PAGE + 100));
    assert_int_equal(access_bytes(&s, 100, 50, false, 1, 1).undefined, 50);
    access_bytes(&s, 120, 10, true, 1, 2);
    Seen seen = access_bytes(&s, 100, 50, false, 1, 3);
    assert_int_equal(seen.undefined, 40);
    assert_int_equal(seen.met, 10); /* the write */
    /* across pages, up to the last byte */
    access_bytes(&s, SAN_PAGE - 7, 3 * SAN_PAGE, true, 1, 4);
    assert_int_equal(access_bytes(&s, SAN_PAGE - 8, 3 * SAN_PAGE, false, 1, 5).undefined, 1);
    access_bytes(&s, 5 * SAN_PAGE + 90, 10, true, 1, 6);
    assert_int_equal(access_bytes(&s, 5 * SAN_PAGE, 100, false, 1, 7).undefined, 90);
    san_shadow_end(&s);
}

static void a_write_meets_the_reads_since_the_last_write(void **state) {
    san_shadow s;
    (void)state;
    assert_true(san_shadow_start(&s, SAN_PAGE));
    access_bytes(&s, 0, 64, true, 1, 1);
    access_bytes(&s, 0, 32, false, 2, 1);
    access_bytes(&s, 16, 32, false, 3, 1);
    Seen seen = access_bytes(&s, 8, 16, true, 4, 1);
    assert_int_equal(seen.met, 16 + 16 + 8); /* the write, both reads */
    assert_int_equal(access_bytes(&s, 8, 16, true, 5, 1).met, 16);
    assert_int_equal(access_bytes(&s, 40, 8, true, 5, 2).met, 8 + 8);
    san_shadow_end(&s);
}

/* Whatever is read and written, the pieces of a page stay a partition, and the whole of it reads as
 * a map of its bytes says. */
static void pieces_agree_with_a_map_of_bytes(void **state) {
    static bool defined[2 * SAN_PAGE];
    san_shadow s;
    uint32_t seed = 12345;
    (void)state;
    assert_true(san_shadow_start(&s, sizeof defined));
    for (uint32_t i = 0; i < 20000; i++) {
        seed = seed * 1664525u + 1013904223u;
        const uint64_t from = (seed >> 8) % (sizeof defined - 300), bytes = 1 + (seed >> 4) % 299;
        const bool write = (seed >> 28) % 4 == 0;
        uint64_t want = 0;
        for (uint64_t k = from; k < from + bytes; k++) {
            want += !write && !defined[k];
            defined[k] |= write;
        }
        assert_int_equal(
            access_bytes(&s, from, bytes, write, (uint8_t)(seed >> 24) % 4, i).undefined, want);
    }
    access_bytes(&s, 0, sizeof defined, true, 1, 1);
    assert_int_equal(s.pages[0].n, 1); /* one history again */
    assert_int_equal(access_bytes(&s, 0, sizeof defined, false, 1, 2).undefined, 0);
    san_shadow_end(&s);
}

/* Returns the history of a byte. */
static const san_history *history_at(const san_shadow *s, uint64_t at) {
    static const san_history none = {.state = SAN_UNWRITTEN};
    const san_page *g = &s->pages[at / SAN_PAGE];
    const uint32_t k = (uint32_t)(at % SAN_PAGE);
    uint32_t i = 0;
    while (i + 1 < g->n && g->pieces[i + 1].start <= k)
        i++;
    if (g->n == 0) return &none;
    const san_piece *p = &g->pieces[i];
    return p->gaps && (k - p->start) % p->pitch >= p->run ? p->gaps : &p->h;
}

static void assert_same_entry(const san_entry *a, const san_entry *b) {
    assert_ptr_equal(a->site, b->site);
    assert_int_equal(a->at, b->at);
    assert_int_equal(a->lane, b->lane);
}

static void assert_same_shadow(const san_shadow *a, const san_shadow *b) {
    for (uint64_t k = 0; k < a->bytes; k++) {
        const san_history *x = history_at(a, k), *y = history_at(b, k);
        assert_int_equal(x->state, y->state);
        assert_int_equal(x->readers, y->readers);
        assert_same_entry(&x->writer, &y->writer);
        for (int i = 0; i < x->readers; i++)
            assert_same_entry(&x->reader[i], &y->reader[i]);
    }
}

/* Rows leave the history that their runs leave one by one, and find as many bytes undefined. */
static void rows_are_as_their_runs(void **state) {
    static const struct {
        uint32_t bytes, rows, pitch;
    } shapes[] = {{200, 32, 256}, {200, 16, 256}, {128, 32, 256}, {8, 60, 64},
                  {8, 3, 64},     {4, 1, 0},      {8192, 1, 0},   {100, 2, 9000}};
    san_shadow s, runs;
    uint32_t seed = 4711;
    unsigned gapped = 0;
    (void)state;
    assert_true(san_shadow_start(&s, 4 * SAN_PAGE));
    assert_true(san_shadow_start(&runs, 4 * SAN_PAGE));
    for (uint32_t i = 0; i < 4000; i++) {
        seed = seed * 1664525u + 1013904223u;
        const unsigned shape = (seed >> 8) % (sizeof shapes / sizeof shapes[0]);
        const uint32_t bytes = shapes[shape].bytes, rows = shapes[shape].rows;
        const uint32_t pitch = shapes[shape].pitch, lane = (seed >> 24) % 4;
        const uint64_t from = (seed >> 12) % 10 * 1024 + (seed >> 16) % 3 * 200;
        const bool write = (seed >> 28) % 3 == 0;
        Seen one, all = {0};
        one = access_rows(&s, from, bytes, rows, pitch, write, (uint8_t)lane, i);
        for (uint32_t k = 0; k < rows; k++)
            all.undefined +=
                access_bytes(&runs, from + k * pitch, bytes, write, (uint8_t)lane, i).undefined;
        assert_int_equal(one.undefined, all.undefined);
        gapped += s.pages[0].gapped + s.pages[1].gapped;
        if (i % 100 == 0) assert_same_shadow(&s, &runs);
    }
    assert_true(gapped > 100);
    assert_same_shadow(&s, &runs);
    san_shadow_end(&s);
    san_shadow_end(&runs);
}

/* The valid region of a wider tile is one piece of each page, whatever was there before. */
static void rows_are_one_piece(void **state) {
    san_shadow s;
    (void)state;
    assert_true(san_shadow_start(&s, 2 * SAN_PAGE));
    assert_int_equal(access_rows(&s, 0, 200, 32, 256, false, 1, 1).undefined, 6400);
    access_rows(&s, 0, 200, 32, 256, true, 1, 2);
    assert_int_equal(s.pages[0].n, 2); /* the last gap is another */
    const Seen seen = access_bytes(&s, 0, SAN_PAGE, false, 2, 1);
    assert_int_equal(seen.undefined, 32 * 56);
    assert_int_equal(seen.calls, 1); /* the write, of the first run */
    access_rows(&s, 0, 200, 16, 256, true, 1, 3);
    assert_true(s.pages[0].n > 16);
    access_rows(&s, 0, 200, 32, 256, true, 1, 4);
    assert_int_equal(s.pages[0].n, 2);
    access_bytes(&s, 0, SAN_PAGE, true, 1, 5);
    assert_int_equal(s.pages[0].n, 1);
    assert_int_equal(s.pages[0].gapped, 0);
    san_shadow_end(&s);
}

/* ---- a kernel that says what it does ---- */

static float memory[256];
static const ptrt_site loads = {"load", "dst", 3, PTRT_WRITE, PTRT_PIPE_MTE2, 0, 0};
static const ptrt_site adds = {"add", "src", 5, PTRT_READ, PTRT_PIPE_V, 0, 0};
static const ptrt_site stores = {"store", "mem", 7, PTRT_WRITE, PTRT_PIPE_MTE3, 0, 0};
static const ptrt_site flag = {"flag", NULL, 4, 0, 0, 0, 0};
static const ptrt_site meet = {"meet", NULL, 6, 0, 0, 0, 0};

typedef struct Plan {
    bool loads, sets, waits, meets, apart;
    int times; /* that it stores once more */
} Plan;

static int kernel_main(ptrt_core *core, void *arg) {
    static const ptrt_tile_type type = {
        .elem = PTRT_F32, .space = PTRT_VEC, .fractal = 512, .rows = 8, .cols = 8};
    const Plan *plan = arg;
    ptrt_tile t;
    int code = ptrt_tile_bind(core, &type, 64, 8, 8, 1, &t);
    if (code != PTRT_OK) return code;
    if (plan->loads) {
        ptrt_see(core, &loads);
        ptrt_see_tile(core, &loads, &t, 0, 0, 8, 8);
    }
    if (plan->sets) ptrt_see_set_flag(core, &flag, 4, 1, 2);
    if (plan->waits) ptrt_see_wait_flag(core, &flag, 4, 1, 2);
    ptrt_see(core, &adds);
    ptrt_see_tile(core, &adds, &t, 0, 0, 8, 8);
    ptrt_see(core, &stores);
    const int64_t at = plan->apart ? ptrt_block_idx(core) * 8 : 0;
    if (!plan->meets || ptrt_block_idx(core) == 0)
        ptrt_see_bytes(core, &stores, memory + at, 8 * sizeof *memory);
    for (int i = 0; i < plan->times; i++) {
        ptrt_see_set_flag(core, &flag, 5, 0, 0);
        ptrt_see_wait_flag(core, &flag, 5, 0, 0);
        ptrt_see(core, &stores);
        ptrt_see_bytes(core, &stores, memory + at, 8 * sizeof *memory);
    }
    if (!plan->meets) return PTRT_OK;
    ptrt_see_arrive(core, &meet, PTRT_SYNC_VECTORS);
    code = ptrt_syncall(core, 6, PTRT_SYNC_VECTORS);
    ptrt_see_meet(core, &meet, PTRT_SYNC_VECTORS);
    ptrt_see(core, &stores);
    if (ptrt_block_idx(core) != 0) ptrt_see_bytes(core, &stores, memory, 8 * sizeof *memory);
    return code;
}

/* Runs the plan, and returns the ids and lines of what is found. */
static const char *findings_of(Plan plan, int64_t blocks) {
    static char text[400];
    const ptrt_kernel kernel = {.name = "k",
                                .file = "k.pto",
                                .vector = kernel_main,
                                .subblocks = 1,
                                .flags = PTRT_K_SANITIZED | PTRT_K_CHECKED |
                                         (plan.meets ? PTRT_K_GRID_SYNC : 0),
                                .bytes = {[PTRT_VEC] = 4096},
                                .pipe_order = {1, 0}};
    size_t n;
    bool incomplete;
    assert_int_equal(ptrt_sanitize(0), PTRT_OK);
    assert_int_equal(ptrt_sanitize(0), PTRT_E_ARG);
    assert_int_equal(ptrt_sanitize_memory("m", memory, sizeof memory, true), PTRT_OK);
    assert_int_equal(ptrt_launch(&kernel, blocks, &plan), PTRT_OK);
    const ptrt_finding *f = ptrt_findings(&n, &incomplete);
    assert_false(incomplete);
    text[0] = '\0';
    for (size_t i = 0; i < n; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s %u %u", i > 0 ? ", " : "",
                 f[i].id, (unsigned)f[i].line, (unsigned)f[i].other);
    ptrt_sanitize_end();
    return text;
}

static void findings_of_kernels(void **state) {
    (void)state;
    const Plan fine = {true, true, true, false, false, 0};
    assert_string_equal(findings_of(fine, 1), "");
    Plan p = fine;
    p.loads = false;
    assert_string_equal(findings_of(p, 1), "uninit-tile 5 0");
    p = fine;
    p.waits = false;
    assert_string_equal(findings_of(p, 1), "sync-leak 4 0, sync-race 5 3");
    p.sets = false;
    assert_string_equal(findings_of(p, 1), "sync-race 5 3");
    p.waits = true;
    assert_string_equal(findings_of(p, 1), "sync-deadlock 4 0");
    assert_string_equal(findings_of(fine, 3), "memory-race 7 7");
    p = fine;
    p.apart = true;
    assert_string_equal(findings_of(p, 3), "");
    p = fine;
    p.meets = true;
    assert_string_equal(findings_of(p, 2), "");
    assert_string_equal(findings_of(p, 3), "memory-race 7 7");
}

/* Many accesses of the same bytes: compared in pairs they would take minutes. */
static void long_loops(void **state) {
    (void)state;
    Plan p = {true, true, true, false, true, 200000};
    assert_string_equal(findings_of(p, 2), "");
    p.apart = false;
    assert_string_equal(findings_of(p, 2), "memory-race 7 7");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flags_carry_what_their_pipe_knows),
        cmocka_unit_test(barriers_order_their_pipe_or_all),
        cmocka_unit_test(waits_of_the_scalar_pipe),
        cmocka_unit_test(statements_without_pipe),
        cmocka_unit_test(other_blocks),
        cmocka_unit_test(bytes_become_defined),
        cmocka_unit_test(a_write_meets_the_reads_since_the_last_write),
        cmocka_unit_test(pieces_agree_with_a_map_of_bytes),
        cmocka_unit_test(rows_are_as_their_runs),
        cmocka_unit_test(rows_are_one_piece),
        cmocka_unit_test(findings_of_kernels),
        cmocka_unit_test(long_loops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
