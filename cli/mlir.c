/* SPDX-License-Identifier: Apache-2.0 */
/* Prints programs after passes, for the options of MLIR. */
#include "cli/mlir.h"
#include "cli/translate.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const MlirPass mlir_passes[MLIR_PASSES] = {
    {"pto-plan-memory", "PlanMemory", PTOASM_REWRITE_ADDRESSES, false},
    {"pto-resolve-reserved-buffers", "PTOResolveReservedBuffers", PTOASM_REWRITE_ADDRESSES, true},
    {"pto-insert-sync", "PTOInsertSync", PTOASM_REWRITE_ADDRESSES | PTOASM_REWRITE_SYNC, false},
};

/* ---- options ---- */

static void note(const char *option, const char *why) {
    fprintf(stderr, "ptoasm: note: --%s has no effect: ", option);
    put_plain(stderr, why);
    fputc('\n', stderr);
}

/* Adds the passes of a list, separated by commas. */
static void add_passes(const char *list, PtoasOptions *opt) {
    for (;; list++) {
        const size_t n = strcspn(list, ",");
        unsigned p = 0;
        while (p < MLIR_PASSES &&
               (strlen(mlir_passes[p].name) != n || strncmp(mlir_passes[p].name, list, n) != 0))
            p++;
        if (p < MLIR_PASSES)
            opt->dumps |= 1u << p;
        else
            note("mlir-print-ir-after", "the text is known after pto-plan-memory, "
                                        "pto-resolve-reserved-buffers and pto-insert-sync alone");
        list += n;
        if (*list == '\0') return;
    }
}

static void add_all(PtoasOptions *opt) {
    for (unsigned p = 0; p < MLIR_PASSES; p++)
        if (!mlir_passes[p].repeats) opt->dumps |= 1u << p;
}

int mlir_option(int argc, char **argv, int i, PtoasOptions *opt) {
    static const char *const with_value[] = {"mlir-print-ir-after", "mlir-print-ir-before",
                                             "mlir-print-ir-tree-dir"};
    const char *name = argv[i] + strspn(argv[i], "-"), *value = strchr(name, '=');
    const size_t n = strcspn(name, "=");
    int words = 1;
    if (name == argv[i] || strncmp(name, "mlir-", 5) != 0) return 0;
    for (size_t k = 0; value == NULL && k < sizeof with_value / sizeof *with_value; k++)
        words += strcmp(name, with_value[k]) == 0;
    value = value != NULL ? value + 1 : words == 2 && i + 1 < argc ? argv[i + 1] : "";
    if (n == strlen(with_value[0]) && strncmp(name, with_value[0], n) == 0)
        add_passes(value, opt);
    else if (n == strlen(with_value[2]) && strncmp(name, with_value[2], n) == 0)
        opt->tree = value;
    else if (strcmp(name, "mlir-print-ir-after-all") == 0)
        add_all(opt);
    else if (strncmp(name, with_value[1], strlen(with_value[1])) == 0)
        note("mlir-print-ir-before", "texts are known after passes alone");
    else if (strcmp(name, "mlir-disable-threading") != 0 &&
             strcmp(name, "mlir-print-ir-module-scope") != 0)
        note(name, "ptoasm does not use MLIR");
    return words;
}

/* ---- dumps ---- */

static int make_folder(const char *path) {
    if (mkdir(path, 0777) == 0 || errno == EEXIST) return FINE;
    return trouble("cannot make the folder '%s': %s", path, strerror(errno));
}

/* Makes the folders of a path below the first one, of which `path` has room for the names. */
static int make_folders(char *path) {
    for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        const int rc = make_folder(path);
        *slash = '/';
        if (rc != FINE) return rc;
    }
    return FINE;
}

static int dump_to_folder(const PtoasOptions *opt, unsigned p, const char *name, bool several,
                          const char *text, size_t size) {
    static const char module[] = "builtin_module_no-symbol-name";
    char path[PATH_MAX], stem[NAME_MAX + 1];
    unsigned number = 0;
    for (unsigned k = 0; k < p; k++)
        number += opt->dumps >> k & 1;
    program_stem(name, stem, sizeof stem);
    const int n =
        snprintf(path, sizeof path, "%s/%s%s%s/%u_%s.mlir", opt->tree, several ? stem : "",
                 several ? "/" : "", module, number, mlir_passes[p].name);
    if (n >= (int)sizeof path) return trouble("the name of the folder '%s' is too long", opt->tree);
    if (make_folders(path) != FINE) return TROUBLE;
    return output_file(path, text, size);
}

int mlir_dump(const PtoasOptions *opt, unsigned p, const char *name, bool several, const char *text,
              size_t size) {
    if (opt->tree != NULL) return dump_to_folder(opt, p, name, several, text, size);
    fprintf(stderr, "// -----// IR Dump After %s (%s) //----- //\n", mlir_passes[p].title,
            mlir_passes[p].name);
    fwrite(text, 1, size, stderr);
    return FINE;
}
