/* SPDX-License-Identifier: Apache-2.0 */
/* Shows a line on the terminal while something takes longer than a second. */
#include "cli/run.h"

#include <pthread.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_t watcher;
static bool watching, done;

static void *watch(void *what) {
    struct timespec until;
    unsigned seconds = 0;
    clock_gettime(CLOCK_REALTIME, &until);
    pthread_mutex_lock(&lock);
    while (!done) {
        until.tv_sec++;
        while (!done && pthread_cond_timedwait(&changed, &lock, &until) == 0)
            continue;
        if (!done) fprintf(stderr, "\r%s, %u s", (const char *)what, ++seconds);
    }
    if (seconds > 0) fputs("\r\033[K", stderr);
    pthread_mutex_unlock(&lock);
    return NULL;
}

void progress_begin(const char *what) {
    if (isatty(STDERR_FILENO) != 1) return;
    done = false;
    watching = pthread_create(&watcher, NULL, watch, (void *)what) == 0;
}

void progress_end(void) {
    if (!watching) return;
    pthread_mutex_lock(&lock);
    done = true;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    pthread_join(watcher, NULL);
    watching = false;
}
