/* SPDX-License-Identifier: Apache-2.0 */
/* For execution tests: .pto text -> `ptoasm emit` -> the system's C compiler -> a loaded library.
 * The environment names the tools: PTOASM (the program), PTORT_INCLUDE (folder of ptort.h). */
#ifndef TESTS_EXEC_HARNESS_H
#define TESTS_EXEC_HARNESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Built {
    char dir[64]; /* scratch folder of this build */
    void *library;
} Built;

/* Emits `text` as NAME.pto for `profile` (NULL: the default), compiles the C without a warning and
 * loads it. Fails the running test, with the tools' messages on stderr, when a step fails. */
void build_text(Built *b, const char *name, const char *text, const char *profile);
/* The same for a file below samples/. */
void build_sample(Built *b, const char *path, const char *profile);
/* The same for one form of it. */
typedef struct Form {
    const char *profile;
    bool ssa;     /* tiles as results */
    bool checked; /* emitted with --checked */
} Form;
void build_form(Built *b, const char *path, const Form *form);
/* The same with another compiler and flags, separated by blanks. */
void build_text_with(Built *b, const char *name, const char *text, const char *profile,
                     const char *compiler);
/* Emitted C, compiled as fast as may be: by tcc, else by cc without optimisation. */
void build_c(Built *b, const char *text);
/* A function of the library; fails the test when it is missing. */
void *built_function(const Built *b, const char *name);
void built_free(Built *b);

/* What the runtime says about the last launch that failed. */
const char *last_error(void);

/* Runs a program (argv ends with NULL) and waits; its exit code, -1 when it did not exit. */
int run_program(char *const argv[]);
/* Contents of a file below samples/, to be freed. */
char *read_sample(const char *path);

/* Growing text. */
typedef struct Text {
    char *s;
    size_t len, cap;
} Text;
void text_add(Text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void text_free(Text *t);
/* Number of the first line of `text` that contains `part`; 0 when there is none. */
int line_of(const char *text, const char *part);

#endif
