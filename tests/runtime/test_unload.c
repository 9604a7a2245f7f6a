/* SPDX-License-Identifier: Apache-2.0 */
/* test_unload.c - a module with the runtime in it is loaded, used and unloaded: its threads end,
 * its mappings go. usage: test_unload MODULE */
#include <dirent.h>
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int count_threads(void) {
    DIR *d = opendir("/proc/self/task");
    int n = 0;
    for (const struct dirent *e; d && (e = readdir(d)) != NULL;)
        n += e->d_name[0] != '.';
    if (d) closedir(d);
    return n;
}

static int count_mappings(void) {
    FILE *f = fopen("/proc/self/maps", "r");
    int n = 0;
    for (int c; f && (c = fgetc(f)) != EOF;)
        n += c == '\n';
    if (f) fclose(f);
    return n;
}

static int use(const char *path) {
    int (*run)(int64_t);
    void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void *symbol = module ? dlsym(module, "plugin_run") : NULL;
    if (!symbol) return fprintf(stderr, "%s\n", dlerror());
    memcpy(&run, &symbol, sizeof run);
    int code = run(40), threads = count_threads();
    if (code != 5 || run(1) != 5) return fprintf(stderr, "the launch gives %d\n", code);
    if (threads < 2 || threads > 4) return fprintf(stderr, "%d threads, not 2 to 4\n", threads);
    return dlclose(module);
}

int main(int argc, char **argv) {
    /* The C library keeps stacks and heaps of some threads that have ended, at first more of them
     * each time. */
    enum { FIRST = 20, USES = 60, LEAK = (USES - FIRST) / 2 };
    int mappings = 0;
    if (argc != 2 || setenv("PTORT_THREADS", "4", 1) != 0) return 2;
    int before = count_threads();
    for (int i = 0; i < USES; i++) {
        if (use(argv[1]) != 0) return 1;
        if (count_threads() != before) return fprintf(stderr, "threads are left\n"), 1;
        if (i == FIRST) mappings = count_mappings();
    }
    int after = count_mappings();
    if (after > mappings + LEAK) fprintf(stderr, "%d mappings became %d\n", mappings, after);
    return after > mappings + LEAK;
}
