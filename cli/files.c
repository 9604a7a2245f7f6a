/* SPDX-License-Identifier: Apache-2.0 */
/* Reads inputs and writes outputs. */
#include "cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The library's limit; a file of this size or more is refused before it is read. */
#define TOO_LARGE ((uint64_t)1 << 31)

/* Reads to the end; the size from fstat is only a first guess (pipes, growing files). */
static const char *read_all(int fd, Input *in, size_t guess) {
    size_t cap = guess + 1;
    in->data = malloc(cap);
    for (;;) {
        if (in->data == NULL) return "out of memory";
        ssize_t n = read(fd, in->data + in->size, cap - in->size);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return strerror(errno);
        if (n == 0) break;
        in->size += (size_t)n;
        if (in->size >= TOO_LARGE) return "the input is 2 GiB or larger";
        if (in->size == cap) { /* leave room for the NUL */
            cap = cap < 65536 ? 65536 : cap * 2;
            char *larger = realloc(in->data, cap);
            if (larger == NULL) return "out of memory";
            in->data = larger;
        }
    }
    in->data[in->size] = '\0';
    return NULL;
}

static const char *read_open(int fd, bool regular, Input *in) {
    struct stat st;
    if (fstat(fd, &st) != 0) return strerror(errno);
    if (S_ISDIR(st.st_mode)) return "it is a directory";
    if (regular && !S_ISREG(st.st_mode)) return "it is not a regular file";
    if (S_ISREG(st.st_mode) && (uint64_t)st.st_size >= TOO_LARGE)
        return "the file is 2 GiB or larger";
    return read_all(fd, in, S_ISREG(st.st_mode) ? (size_t)st.st_size : 0);
}

const char *input_try(const char *path, bool regular, Input *in) {
    bool standard = strcmp(path, "-") == 0 && !regular;
    *in = (Input){.name = standard ? "<stdin>" : path};
    /* O_NONBLOCK: a pipe without a writer opens at once, and is refused below. */
    int flags = O_RDONLY | O_CLOEXEC | O_NOCTTY | (regular ? O_NONBLOCK : 0);
    int fd = standard ? STDIN_FILENO : open(path, flags);
    if (fd < 0) return strerror(errno);
    const char *reason = read_open(fd, regular, in);
    if (!standard) close(fd);
    if (reason != NULL) input_free(in);
    return reason;
}

int input_read(const char *path, Input *in) {
    const char *reason = input_try(path, false, in);
    return reason == NULL ? FINE : trouble("cannot read '%s': %s", in->name, reason);
}

void input_free(Input *in) {
    free(in->data);
    in->data = NULL;
    in->size = 0;
}

bool input_is_bytecode(const Input *in) {
    static const char bytecode[] = "PTOBC"; /* and a NUL */
    return in->size >= sizeof bytecode && memcmp(in->data, bytecode, sizeof bytecode) == 0;
}

int input_open(const char *path, Input *in, ptoasm_source **src) {
    int rc = input_read(path, in);
    if (rc != FINE) return rc;
    if (input_is_bytecode(in)) {
        trouble("'%s' is bytecode; its text is needed", in->name);
        input_free(in);
        return TROUBLE;
    }
    int status = ptoasm_source_open(in->name, in->data, in->size, PTOASM_SOURCE_BORROW, src);
    if (status == PTOASM_OK) return FINE;
    input_free(in);
    return status_trouble(in->name, status);
}

/* ---- outputs ---- */

static int write_trouble(const char *path, const char *why) {
    return trouble("cannot write '%s': %s", path, why);
}

static mode_t default_mode(void) {
    mode_t mask = umask(0);
    umask(mask);
    return (mode_t)0666 & ~mask;
}

/* Creates a temporary file in the directory of the target, so that the rename stays within one
 * file system. */
static int open_beside(Output *out) {
    static const char suffix[] = ".XXXXXX";
    size_t n = strlen(out->target);
    out->temp = malloc(n + sizeof suffix);
    if (out->temp == NULL) return write_trouble(out->path, "out of memory");
    memcpy(out->temp, out->target, n);
    memcpy(out->temp + n, suffix, sizeof suffix);
    out->fd = mkstemp(out->temp);
    if (out->fd >= 0) return FINE;
    int why = errno;
    free(out->temp);
    out->temp = NULL;
    return write_trouble(out->path, strerror(why));
}

int output_open(Output *out, const char *path) {
    *out = (Output){.path = path, .fd = -1};
    if (strcmp(path, "-") == 0) {
        out->path = "<stdout>";
        out->fd = STDOUT_FILENO;
        return FINE;
    }
    struct stat st;
    bool there = stat(path, &st) == 0;
    if (there && S_ISDIR(st.st_mode)) return write_trouble(path, "it is a directory");
    if (there && !S_ISREG(st.st_mode)) { /* a device or a pipe cannot be replaced */
        out->fd = open(path, O_WRONLY | O_CLOEXEC);
        return out->fd >= 0 ? FINE : write_trouble(path, strerror(errno));
    }
    if (there && access(path, W_OK) != 0) return write_trouble(path, strerror(errno));
    out->mode = there ? st.st_mode & (mode_t)07777 : default_mode();
    out->target = there ? realpath(path, NULL) : strdup(path);
    if (out->target == NULL) return write_trouble(path, strerror(errno));
    int rc = open_beside(out);
    if (rc != FINE) output_drop(out);
    return rc;
}

bool output_write(Output *out, const void *data, size_t size) {
    const char *p = data;
    while (size > 0) {
        ssize_t n = write(out->fd, p, size);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) {
            write_trouble(out->path, strerror(errno));
            return false;
        }
        p += n;
        size -= (size_t)n;
    }
    return true;
}

int output_commit(Output *out) {
    int rc = FINE;
    if (out->temp != NULL && fchmod(out->fd, out->mode) != 0)
        rc = write_trouble(out->path, strerror(errno));
    if (out->fd >= 0 && out->fd != STDOUT_FILENO) {
        int closed = close(out->fd);
        out->fd = -1;
        if (closed != 0 && rc == FINE) rc = write_trouble(out->path, strerror(errno));
    }
    if (rc == FINE && out->temp != NULL) {
        if (rename(out->temp, out->target) != 0) {
            rc = write_trouble(out->path, strerror(errno));
        } else {
            free(out->temp);
            out->temp = NULL;
        }
    }
    output_drop(out);
    return rc;
}

void output_drop(Output *out) {
    if (out->fd >= 0 && out->fd != STDOUT_FILENO) close(out->fd);
    if (out->temp != NULL) unlink(out->temp);
    free(out->temp);
    free(out->target);
    out->temp = out->target = NULL;
    out->fd = -1;
}

int output_file(const char *path, const void *data, size_t size) {
    Output out;
    int rc = output_open(&out, path);
    if (rc != FINE) return rc;
    if (output_write(&out, data, size)) return output_commit(&out);
    output_drop(&out);
    return TROUBLE;
}

bool same_file(const char *a, const char *b) {
    struct stat sa, sb;
    return stat(a, &sa) == 0 && stat(b, &sb) == 0 && sa.st_dev == sb.st_dev &&
           sa.st_ino == sb.st_ino && S_ISREG(sa.st_mode);
}
