/* SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700
#include "common/comma.h"

#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { PATH = 256, FOLDER = 64 };

static FILE *create(const char *folder, const char *name) {
    char path[PATH];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return fopen(path, "w");
}

/* The characters of ASCII, by their own names. */
static bool write_charmap(const char *folder) {
    FILE *f = create(folder, "ascii.map");
    if (f == NULL) return false;
    fputs("<code_set_name> ASCII\n<comment_char> %\n<escape_char> /\n<mb_cur_min> 1\n"
          "<mb_cur_max> 1\nCHARMAP\n",
          f);
    for (unsigned c = 0; c < 128; c++)
        fprintf(f, "<U%04X> /x%02x X\n", c, c);
    fputs("END CHARMAP\n", f);
    return fclose(f) == 0;
}

static void put_letters(FILE *f, const char *key, char first) {
    fputs(key, f);
    for (int i = 0; i < 26; i++)
        fprintf(f, "%s<U%04X>", i > 0 ? ";" : " ", (unsigned)(first + i));
    fputc('\n', f);
}

/* `(from,to)` for every letter but I. */
static void put_pairs(FILE *f, const char *key, char from, char to) {
    fputs(key, f);
    for (int i = 0; i < 26; i++)
        if (i != 'i' - 'a')
            fprintf(f, "%s(<U%04X>,<U%04X>)", i > 0 ? ";" : " ", (unsigned)(from + i),
                    (unsigned)(to + i));
    fputc('\n', f);
}

static bool write_source(const char *folder) {
    FILE *f = create(folder, "comma.src");
    if (f == NULL) return false;
    fputs("comment_char %\nescape_char /\nLC_CTYPE\n", f);
    put_letters(f, "upper", 'A');
    put_letters(f, "lower", 'a');
    put_pairs(f, "toupper", 'a', 'A');
    put_pairs(f, "tolower", 'A', 'a');
    fputs("END LC_CTYPE\nLC_NUMERIC\ndecimal_point \"<U002C>\"\nthousands_sep \"<U002E>\"\n"
          "grouping 3;3\nEND LC_NUMERIC\n",
          f);
    return fclose(f) == 0;
}

/* localedef complains of every category that the source leaves out; what counts is what it makes.
 */
static void compile(const char *folder) {
    char script[PATH];
    snprintf(script, sizeof script,
             "cd %s && localedef -c -f ./ascii.map -i ./comma.src ./comma >localedef.log 2>&1",
             folder);
    char sh[] = "sh", c[] = "-c";
    char *argv[] = {sh, c, script, NULL};
    pid_t pid;
    int status;
    if (posix_spawnp(&pid, sh, NULL, NULL, argv, environ) == 0) waitpid(pid, &status, 0);
}

static void remove_folder(const char *folder) {
    char rm[] = "rm", rf[] = "-rf", path[FOLDER];
    snprintf(path, sizeof path, "%s", folder);
    char *argv[] = {rm, rf, path, NULL};
    pid_t pid;
    int status;
    if (posix_spawnp(&pid, rm, NULL, NULL, argv, environ) == 0) waitpid(pid, &status, 0);
}

/* Whether it does what it is for. */
static bool is_different(locale_t comma) {
    char text[32];
    locale_t old = uselocale(comma);
    snprintf(text, sizeof text, "%.1f", 1.5);
    uselocale(old);
    return text[1] == ',';
}

locale_t comma_locale(void) {
    char folder[FOLDER] = "/tmp/ptoasm-locale-XXXXXX";
    if (mkdtemp(folder) == NULL) return (locale_t)0;
    locale_t made = (locale_t)0;
    if (write_charmap(folder) && write_source(folder)) {
        compile(folder);
        setenv("LOCPATH", folder, 1);
        made = newlocale(LC_ALL_MASK, "comma", (locale_t)0);
        unsetenv("LOCPATH");
    }
    remove_folder(folder);
    if (made == (locale_t)0 || is_different(made)) return made;
    freelocale(made);
    return (locale_t)0;
}

/* glibc does not free the list that it makes of LOCPATH. Read by LeakSanitizer, where it is linked.
 */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) {
    return "leak:__argz_add_sep\n";
}
