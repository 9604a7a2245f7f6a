/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles emitted C with the compiler that is linked in, or with another one. */
#include "cli/run.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* Returns the compiler to run: --cc, else CC; NULL means the one that is linked in. A static
 * program cannot load the output of a compiler, so it has no --cc and ignores CC. */
static const char *chosen(const char *cc) {
    if (cc == NULL && LOADS_LIBRARIES) cc = getenv("CC");
    return cc != NULL && cc[strspn(cc, " \t")] != '\0' ? cc : NULL;
}

/* Copies a function's address: ISO C has no conversion from object to function pointers, but POSIX
 * guarantees that copying the bytes works. */
static bool take(void *p, const char *name, void *function) {
    if (p == NULL) trouble("the compiled program has no '%s'", name);
    memcpy(function, &p, sizeof p);
    return p != NULL;
}

static bool find(Code *code, const char *name, void *function) {
    return take(runtime_symbol(&code->runtime, name), name, function);
}

static void *compiled_symbol(const Code *code, const char *name) {
    return code->library != NULL ? dlsym(code->library, name) : builtin_cc_find(code->tcc, name);
}

static int find_all(Code *code) {
    static const char entry[] = "ptrt_run_entry";
    void *p = compiled_symbol(code, entry);
    code->cover = compiled_symbol(code, "ptrt_cover");
    code->cover_points = compiled_symbol(code, "ptrt_cover_points");
    bool found = take(p, entry, &code->entry) && find(code, "ptrt_error", &code->error) &&
                 find(code, "ptrt_region_add", &code->region_add) &&
                 find(code, "ptrt_region_clear", &code->region_clear) &&
                 find(code, "ptrt_run_ranks", &code->run_ranks) &&
                 find(code, "ptrt_window_make", &code->window_make) &&
                 find(code, "ptrt_dump_to", &code->dump_to) &&
                 find(code, "ptrt_dump_copy", &code->dump_copy) &&
                 find(code, "ptrt_show_only", &code->show_only);
    return found ? FINE : TROUBLE;
}

int code_build(const char *text, size_t size, const char *cc, const Links *links, Code *code) {
    *code = (Code){0};
    cc = chosen(cc);
    int rc = runtime_open(&code->runtime);
    if (rc != FINE) return rc;
    if (cc == NULL && builtin_cc_linked())
        rc = builtin_cc_build(&code->runtime, links, text, &code->tcc);
    else
        rc = compile_with(&code->runtime, cc, text, size, &code->library);
    return rc == FINE ? find_all(code) : rc;
}

void code_close(Code *code) {
    if (code->library != NULL) dlclose(code->library);
    builtin_cc_close(code->tcc);
    runtime_close(&code->runtime);
    *code = (Code){0};
}
