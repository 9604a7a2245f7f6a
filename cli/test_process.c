/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the cases of `ptoasm test`, each in a process of its own, so that one that crashes or hangs
 * fails alone. */
#define _GNU_SOURCE /* readlink */
#include "cli/run.h"
#include "cli/test.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Of longer output the middle is left out. */
enum { OUTPUT_MOST = 1 << 24 };

typedef struct Process {
    pid_t pid; /* 0 = ended */
    int output;
    char folder[SCRATCH_PATH];   /* of the run: what it leaves when it is ended is removed, too */
    char coverage[SCRATCH_FILE]; /* the file that the run writes; "": not asked for */
    double began;
} Process;

/* In the child: does what `ptoasm` does with the words. */
_Noreturn static void run_words(const TestCase *c, const Process *p) {
    Options opt;
    setpgid(0, 0); /* a group of its own, which ends as a whole */
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    const int null = open("/dev/null", O_RDWR);
    dup2(null, STDIN_FILENO);
    dup2(p->output, STDOUT_FILENO);
    dup2(c->quiet ? null : p->output, STDERR_FILENO);
    setenv("TMPDIR", p->folder, 1);
    signal(SIGALRM, SIG_DFL);
    alarm(c->seconds);
    int rc = chdir(c->folder) == 0 ? -1 : trouble("'%s': %s", c->folder, strerror(errno));
    if (rc < 0) rc = options_parse(&run_command, (int)c->nwords, c->words, &opt);
    if (rc < 0 && p->coverage[0] != '\0') opt.run.coverage = p->coverage;
    if (rc < 0) rc = run_command.run(&opt);
    if (rc == FINE && c->timed != NULL) {
        Options timed;
        rc = options_parse(&time_command, (int)c->ntimed, c->timed, &timed);
        if (rc < 0) rc = time_command.run(&timed);
    }
    fflush(NULL);
    _exit(rc);
}

static void process_close(Process *p) {
    close(p->output);
    scratch_remove(p->folder);
    p->pid = 0;
}

/* Makes the folder of a run, and the file that takes what it prints. */
static int folder_make(Process *p, bool coverage) {
    char path[SCRATCH_FILE];
    if (scratch_make("test", p->folder) != FINE) return TROUBLE;
    snprintf(path, sizeof path, "%s/output", p->folder);
    p->coverage[0] = '\0';
    if (coverage) snprintf(p->coverage, sizeof p->coverage, "%s/coverage.json", p->folder);
    p->output = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (p->output >= 0) return FINE;
    scratch_remove(p->folder);
    return trouble("cannot make the file '%s': %s", path, strerror(errno));
}

static int process_start(const TestCase *c, Process *p, bool coverage) {
    if (folder_make(p, coverage) != FINE) return TROUBLE;
    p->began = seconds_now();
    fflush(NULL);
    p->pid = fork();
    if (p->pid == 0) run_words(c, p);
    if (p->pid > 0) return FINE;
    process_close(p);
    return trouble("cannot start a process: %s", strerror(errno));
}

static size_t read_at(int fd, char *to, size_t n, off_t from) {
    size_t done = 0;
    for (ssize_t got; done < n; done += (size_t)got)
        if ((got = pread(fd, to + done, n - done, from + (off_t)done)) <= 0) break;
    return done;
}

/* Reads what a run wrote: of more than `most` bytes the first and the last ones. */
static char *output_read(int fd, size_t most) {
    struct stat st;
    const size_t size = fstat(fd, &st) == 0 ? (size_t)st.st_size : 0;
    const size_t first = size <= most ? size : most / 2;
    char *text = must_alloc((size <= most ? size : most) + 80);
    size_t n = read_at(fd, text, first, 0);
    if (size > most) {
        n += (size_t)snprintf(text + n, 80, "\n... %zu bytes are left out ...\n", size - most);
        n += read_at(fd, text + n, most - first, (off_t)(size - (most - first)));
    }
    text[n] = '\0';
    return text;
}

static void process_end(TestCase *c, Process *p, int status) {
    if (WIFSIGNALED(status)) kill(-p->pid, SIGKILL); /* what the run has started */
    c->took = seconds_now() - p->began;
    c->output = output_read(p->output, OUTPUT_MOST);
    if (p->coverage[0] != '\0') {
        json_error_t ignored; /* the file is empty when the program did not run */
        c->coverage = json_load_file(p->coverage, 0, &ignored);
    }
    c->code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    c->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    c->passed = c->signal == 0 && c->code == c->exit &&
                (c->message == NULL || strstr(c->output, c->message) != NULL);
    process_close(p);
}

/* Waits for any process of a case; returns its index in the list, or n after a message. */
static size_t wait_any(TestList *list, Process *processes) {
    int status;
    for (;;) {
        const pid_t pid = waitpid(-1, &status, 0);
        if (pid < 0 && errno == EINTR) continue;
        if (pid < 0) {
            trouble("cannot wait for a process: %s", strerror(errno));
            return list->n;
        }
        for (size_t i = 0; i < list->n; i++)
            if (processes[i].pid == pid) {
                process_end(&list->cases[i], &processes[i], status);
                return i;
            }
    }
}

static void prepare(unsigned processes) {
    char self[PATH_MAX];
    const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n > 0 ? n : 0] = '\0';
    setenv("PTOASM_PROGRAM", n > 0 ? self : "ptoasm", 1);
    if (processes > 1) setenv("PTORT_THREADS", "1", 0);
}

int tests_run(TestList *list, unsigned processes, void (*done)(void *user, const TestCase *c),
              void *user) {
    Process *p = calloc(list->n + 1, sizeof *p);
    bool *ended = calloc(list->n + 1, sizeof *ended);
    size_t next = 0, running = 0, told = 0;
    int rc = p == NULL || ended == NULL ? trouble("out of memory") : FINE;
    prepare(processes);
    while (rc == FINE && told < list->n) {
        while (rc == FINE && next < list->n && running < processes) {
            rc = process_start(&list->cases[next], &p[next], list->coverage);
            running += rc == FINE;
            next += rc == FINE;
        }
        const size_t i = rc == FINE ? wait_any(list, p) : list->n;
        if (i == list->n) {
            rc = TROUBLE;
            break;
        }
        running--;
        ended[i] = true;
        for (; told < next && ended[told]; told++)
            done(user, &list->cases[told]);
    }
    for (size_t i = 0; p != NULL && i < next; i++)
        if (p[i].pid > 0) {
            kill(p[i].pid, SIGTERM);
            while (waitpid(p[i].pid, NULL, 0) < 0 && errno == EINTR) {
            }
            process_close(&p[i]);
        }
    free(ended);
    free(p);
    return rc;
}
