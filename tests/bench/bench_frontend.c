/* SPDX-License-Identifier: Apache-2.0 */
/* Speed of the front end on generated programs of 1, 10 and 100 MB, and on exported kernels when
 * PTOASM_CORPUS names a folder with some: lexer alone, parser, parser and verifier, in one process
 * on one thread; and the memory of `ptoasm check`. Fails below the figures that the project
 * promises. usage: bench_frontend PTOASM [MEGABYTES...] */
#include "api/ptoasm.h"
#include "bench.h"
#include "exported.h"
#include "generate.h"
#include "lexer/lexer.h"
#include "parser/parse.h"
#include "verifier/verify.h"
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

typedef enum Stage { LEX, PARSE, VERIFY, STAGES } Stage;

typedef struct Result {
    double best[STAGES]; /* seconds */
    uint64_t tokens;
} Result;

static uint64_t lex_all(Context *ctx) {
    Arena work;
    TokenBuf buf = {0};
    Lexer lexer;
    arena_init(&work, &ctx->oom);
    lexer_init(&lexer, ctx, &work, &buf);
    while (!lexer.done) {
        lexer_drop(&lexer, buf.count);
        lexer_fill(&lexer);
    }
    arena_free(&work);
    return buf.count;
}

/* Time of this thread, so that a busy machine does not count. */
static double thread_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* One run of a stage over the text; its time. */
static double run_stage(Stage stage, const Source *src, uint64_t *tokens) {
    static Context ctx;
    memset(&ctx, 0, sizeof ctx);
    if (setjmp(ctx.oom) != 0) {
        fprintf(stderr, "out of memory\n");
        exit(2);
    }
    double start = thread_seconds();
    context_init(&ctx, src, 100);
    bool good = true;
    if (stage == LEX) {
        *tokens = lex_all(&ctx);
    } else {
        Module *m = parse_module(&ctx);
        good = m->bound_ok;
        if (good && stage == VERIFY)
            good = verify_module(m, &(VerifyOptions){.profiles = PROFILE_BIT(PROFILE_A5)});
    }
    double took = thread_seconds() - start;
    if (!good) {
        StrBuf out;
        sb_init(&out, &ctx.arena);
        diag_print_all(&out, src, &ctx.diags, &(DiagPrintOptions){.width = 120});
        fprintf(stderr, "the generated program is not accepted:\n%.2000s", sb_text(&out));
        exit(1);
    }
    context_free(&ctx);
    return took;
}

/* The stages take turns, so that a disturbance hits all of them. */
static Result measure(const Program *p, int rounds) {
    const Source src = {.name = "generated.pto", .data = p->text, .size = (uint32_t)p->size};
    Result r = {{1e9, 1e9, 1e9}, 0};
    for (int i = 0; i < rounds; i++)
        for (int s = 0; s < STAGES; s++) {
            double t = run_stage((Stage)s, &src, &r.tokens);
            if (t < r.best[s]) r.best[s] = t;
        }
    return r;
}

/* ---- memory, in processes of their own: a child inherits the peak of its parent ---- */

static Program program_of_file(const char *path) {
    FILE *f = fopen(path, "rb");
    if (f == NULL || fseek(f, 0, SEEK_END) != 0) exit(2);
    Program p = {.size = (size_t)ftell(f)};
    rewind(f);
    p.text = malloc(p.size + 1);
    if (p.text == NULL || fread(p.text, 1, p.size, f) != p.size) exit(2);
    p.text[p.size] = '\0';
    fclose(f);
    return p;
}

/* `--memory FILE`: parses and verifies the file and prints the peak of this process. */
static int memory_of_stages(const char *path) {
    Program p = program_of_file(path);
    uint64_t tokens;
    run_stage(VERIFY, &(Source){.name = path, .data = p.text, .size = (uint32_t)p.size}, &tokens);
    free(p.text);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("%ld\n", usage.ru_maxrss);
    return 0;
}

/* Bytes that this process has in memory now. */
static double resident(void) {
    long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (f == NULL || fscanf(f, "%*s %ld", &pages) != 1) exit(2);
    fclose(f);
    return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

/* `--memory FILE -`: keeps the program with the index of its symbols, and prints what that takes,
 * text included. */
static int memory_of_program(const char *path) {
    Program p = program_of_file(path);
    ptoasm_source *src;
    ptoasm_program *program;
    ptoasm_symbol symbol;
    double before = resident() - (double)p.size;
    if (ptoasm_source_open(path, p.text, p.size, PTOASM_SOURCE_BORROW, &src) != PTOASM_OK ||
        ptoasm_program_open(src, NULL, &program) != PTOASM_OK)
        return 2;
    for (uint32_t at = 0; at < p.size && !ptoasm_program_symbol(program, at, &symbol); at++) {
    }
    printf("%.0f\n", (resident() - before) / 1024);
    ptoasm_program_close(program);
    ptoasm_source_close(src);
    free(p.text);
    return 0;
}

/* Runs a program whose exit code is 0, or 1 for findings; nobody reads its output. */
static int run_program(char *argv[], struct rusage *usage) {
    pid_t pid;
    int status;
    posix_spawn_file_actions_t files;
    if (posix_spawn_file_actions_init(&files) != 0 ||
        posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0) != 0 ||
        posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0) != 0 ||
        posix_spawn(&pid, argv[0], &files, NULL, argv, environ) != 0 ||
        wait4(pid, &status, 0, usage) != pid || !WIFEXITED(status) || WEXITSTATUS(status) > 1)
        return 1;
    return 0;
}

/* `--memory FILE PTOASM`: runs `ptoasm check` and prints its peak. */
static int memory_of_check(const char *path, const char *ptoasm) {
    struct rusage usage;
    char *argv[] = {(char *)ptoasm, "check", "--quiet", "--profile=a5", (char *)path, NULL};
    if (run_program(argv, &usage) != 0) return 1;
    printf("%ld\n", usage.ru_maxrss);
    return 0;
}

/* `--emit FILE PTOASM c|cpp`: runs `ptoasm emit` and prints its peak and its least processor time
 * in microseconds. */
static int cost_of_emission(const char *path, const char *ptoasm, const char *to) {
    enum { ROUNDS = 5 };
    long least = 0, peak = 0;
    char option[16];
    snprintf(option, sizeof option, "--to=%s", to);
    char *argv[] = {(char *)ptoasm, "emit", option, "--profile=a5", (char *)path, "-o", "-", NULL};
    for (int i = 0; i < ROUNDS; i++) {
        struct rusage usage;
        if (run_program(argv, &usage) != 0) return 1;
        long us = usage.ru_utime.tv_sec * 1000000 + usage.ru_utime.tv_usec +
                  usage.ru_stime.tv_sec * 1000000 + usage.ru_stime.tv_usec;
        if (i == 0 || us < least) least = us;
        peak = usage.ru_maxrss;
    }
    printf("%ld %ld\n", peak, least);
    return 0;
}

static double memory_of(const char *self, const char *path, const char *ptoasm) {
    char command[4096];
    long kb = 0;
    snprintf(command, sizeof command, "'%s' --memory '%s' %s", self, path, ptoasm);
    fflush(stdout);
    FILE *f = popen(command, "r");
    if (f == NULL || fscanf(f, "%ld", &kb) != 1 || pclose(f) != 0) {
        fprintf(stderr, "fails: %s\n", command);
        exit(1);
    }
    return (double)kb * 1024.0;
}

static void write_program(char *path, const Program *p) {
    int fd = mkstemp(path);
    FILE *f = fd >= 0 ? fdopen(fd, "wb") : NULL;
    if (f == NULL || fwrite(p->text, 1, p->size, f) != p->size || fclose(f) != 0) exit(2);
}

/* A short statement becomes more of everything for each byte: `longer` times the memory is
 * allowed. */
static int bench_memory(const char *self, const char *ptoasm, const Program *p, double longer) {
    char path[] = "/tmp/ptoasm-bench-XXXXXX";
    write_program(path, p);
    double size = (double)p->size;
    int missed = figure("peak memory of parse and verify / file", memory_of(self, path, "") / size,
                        "", false, 3.5 * longer);
    missed += figure("peak memory of ptoasm check / file", memory_of(self, path, ptoasm) / size, "",
                     false, 3.5 * longer);
    missed += figure("a program kept with its index / file", memory_of(self, path, "-") / size, "",
                     false, 6);
    remove(path);
    return missed;
}

static double seconds_of_emission(const char *self, const char *ptoasm, const char *path,
                                  const char *to, double *peak) {
    char command[4096];
    long kb = 0, us = 0;
    snprintf(command, sizeof command, "'%s' --emit '%s' '%s' %s", self, path, ptoasm, to);
    fflush(stdout);
    FILE *f = popen(command, "r");
    if (f == NULL || fscanf(f, "%ld %ld", &kb, &us) != 2 || pclose(f) != 0) {
        fprintf(stderr, "fails: %s\n", command);
        exit(1);
    }
    *peak = (double)kb * 1024.0;
    return (double)us / 1e6;
}

static int bench_emission(const char *self, const char *ptoasm, const Program *p, double longer) {
    char path[] = "/tmp/ptoasm-bench-XXXXXX";
    write_program(path, p);
    double peak, cpp_peak, size = (double)p->size;
    const double c = seconds_of_emission(self, ptoasm, path, "c", &peak);
    const double cpp = seconds_of_emission(self, ptoasm, path, "cpp", &cpp_peak);
    int missed = figure("emission of C", size / 1e6 / c, "MB/s", true, 30 / longer);
    missed += figure("peak memory of emission of C / file", peak / size, "", false, 8.3 * longer);
    missed += figure("emission of C++ / of C", cpp / c, "", false, 1.4);
    missed +=
        figure("peak memory of emission of C++ / file", cpp_peak / size, "", false, 8.3 * longer);
    remove(path);
    return missed;
}

/* Measures all stages and prints their speeds; MB/s of each in `rate`. */
static Result bench_text(const Program *p, const char *what, int rounds, double rate[STAGES]) {
    Result r = measure(p, rounds);
    for (int s = 0; s < STAGES; s++)
        rate[s] = (double)p->size / 1e6 / r.best[s];
    printf("--- %s: %.1f bytes and %.1f tokens a statement\n", what,
           (double)p->size / (double)p->statements, (double)r.tokens / (double)p->statements);
    printf("lexer %.0f MB/s, parser %.0f MB/s, parser and verifier %.0f MB/s\n", rate[LEX],
           rate[PARSE], rate[VERIFY]);
    return r;
}

static int bench_size(const char *self, const char *ptoasm, unsigned mb, double *speed) {
    Program p = generate_program((size_t)mb * 1000000);
    char what[32];
    double rate[STAGES], statements = (double)p.statements;
    if (p.text == NULL) exit(2);
    snprintf(what, sizeof what, "%u MB", mb);
    Result r = bench_text(&p, what, mb <= 10 ? 15 : 5, rate);
    int missed = 0;
    if (mb >= 10) {
        missed += figure("bytes a statement", (double)p.size / statements, "", true, 165);
        missed += figure("bytes a statement", (double)p.size / statements, "", false, 175);
        missed += figure("tokens a statement", (double)r.tokens / statements, "", true, 12);
        missed += figure("tokens a statement", (double)r.tokens / statements, "", false, 14);
        missed += figure("parse and verify", rate[VERIFY], "MB/s", true, 200);
        missed +=
            figure("parse and verify / lexer alone", rate[VERIFY] / rate[LEX], "", true, 0.25);
        missed += bench_memory(self, ptoasm, &p, 1);
    }
    *speed = rate[VERIFY];
    free(p.text);
    return missed;
}

/* Kernels that a compiler exported, up to `most` bytes a line, repeated to 12 MB. */
static int bench_exported(const char *self, const char *ptoasm, const char *what, unsigned most) {
    Program p = exported_program(getenv("PTOASM_CORPUS"), 12000000, most);
    double rate[STAGES];
    if (p.text == NULL) {
        printf("--- %s: not measured, no such kernels in $PTOASM_CORPUS\n", what);
        return 0;
    }
    bench_text(&p, what, 15, rate);
    int missed = figure("parse and verify", rate[VERIFY], "MB/s", true, 150);
    const double longer = most < 100 ? 1.3 : 1;
    missed += bench_memory(self, ptoasm, &p, longer);
    missed += bench_emission(self, ptoasm, &p, longer);
    free(p.text);
    return missed;
}

int main(int argc, char **argv) {
    if (argc < 2) {
        fprintf(stderr, "usage: %s PTOASM [MEGABYTES...]\n", argv[0]);
        return 2;
    }
    if (strcmp(argv[1], "--emit") == 0) return cost_of_emission(argv[2], argv[3], argv[4]);
    if (strcmp(argv[1], "--memory") == 0)
        return argc == 3                   ? memory_of_stages(argv[2])
               : strcmp(argv[3], "-") == 0 ? memory_of_program(argv[2])
                                           : memory_of_check(argv[2], argv[3]);
    static const unsigned usual[] = {1, 10, 100};
    double speed[8] = {0};
    int n = argc > 2 ? argc - 2 : 3, missed = 0;
    for (int i = 0; i < n && i < 8; i++)
        missed += bench_size(argv[0], argv[1], argc > 2 ? (unsigned)atoi(argv[i + 2]) : usual[i],
                             &speed[i]);
    missed += bench_exported(argv[0], argv[1], "exported kernels", 1000);
    missed += bench_exported(argv[0], argv[1], "exported kernels of short statements", 75);
    /* The program of a small file uses the same pages again. A large one has a new page for every
     * 2,700 bytes of text, which take 9 us, and the system gives it one in 0.3 (on the metal) to
     * 1.6 us (in a virtual machine); the rest is text that comes from memory instead of a cache. */
    if (n > 1)
        missed += figure("speed of the largest / of the smallest file", speed[n - 1] / speed[0], "",
                         true, 0.7);
    return missed == 0 ? 0 : 1;
}
