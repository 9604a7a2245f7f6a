/* SPDX-License-Identifier: Apache-2.0 */
/* Reads and writes .npy files, versions 1.0 and 2.0: row-major, little endian. */
#include "cli/numbers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char magic[] = "\x93NUMPY";
enum { MAGIC = 6 };

const char *npy_code(Elem e) {
    static const char *const unsigned_codes[] = {[1] = "u1", [2] = "u2", [4] = "u4", [8] = "u8"};
    static const char *const signed_codes[] = {[1] = "i1", [2] = "i2", [4] = "i4", [8] = "i8"};
    unsigned bytes = elem_infos[e].bytes;
    switch (e) {
    case ELEM_I1:
        return "b1";
    case ELEM_F16:
        return "f2";
    case ELEM_F32:
        return "f4";
    case ELEM_F64:
        return "f8";
    default:
        return (elem_infos[e].cls == 'I' || elem_infos[e].cls == 'S') ? signed_codes[bytes]
                                                                      : unsigned_codes[bytes];
    }
}

static int refuse(const char *path, const char *why) {
    return trouble("'%s' cannot be used as a .npy file: %s", path, why);
}

/* ---- the header: a Python dictionary of three keys ---- */

typedef struct Header {
    char descr[NPY_TYPE];
    bool has_descr, has_order, has_shape, fortran;
    unsigned rank;
    int64_t shape[MAX_RANK];
} Header;

static void skip_blanks(const char **p) {
    while (**p == ' ' || **p == '\n' || **p == '\t')
        ++*p;
}

static bool take(const char **p, char c) {
    skip_blanks(p);
    if (**p != c) return false;
    ++*p;
    return true;
}

static bool take_string(const char **p, char *out, size_t cap) {
    skip_blanks(p);
    char quote = **p;
    if (quote != '\'' && quote != '"') return false;
    const char *start = ++*p, *end = strchr(start, quote);
    if (end == NULL || (size_t)(end - start) >= cap) return false;
    memcpy(out, start, (size_t)(end - start));
    out[end - start] = '\0';
    *p = end + 1;
    return true;
}

static bool take_word(const char **p, const char *word) {
    skip_blanks(p);
    size_t n = strlen(word);
    if (strncmp(*p, word, n) != 0) return false;
    *p += n;
    return true;
}

static bool take_shape(const char **p, Header *h) {
    if (!take(p, '(')) return false;
    while (!take(p, ')')) {
        skip_blanks(p);
        char digits[24];
        size_t n = strspn(*p, "0123456789");
        uint64_t v;
        if (n == 0 || n >= sizeof digits || h->rank == MAX_RANK) return false;
        memcpy(digits, *p, n);
        digits[n] = '\0';
        if (!number_from_text(digits, INT64_MAX, &v)) return false;
        *p += n;
        h->shape[h->rank++] = (int64_t)v;
        if (!take(p, ',')) {
            if (!take(p, ')')) return false;
            break;
        }
    }
    return true;
}

static bool take_entry(const char **p, Header *h) {
    char key[16];
    if (!take_string(p, key, sizeof key) || !take(p, ':')) return false;
    if (strcmp(key, "descr") == 0 && !h->has_descr)
        return h->has_descr = take_string(p, h->descr, sizeof h->descr);
    if (strcmp(key, "shape") == 0 && !h->has_shape) return h->has_shape = take_shape(p, h);
    if (strcmp(key, "fortran_order") != 0 || h->has_order) return false;
    h->fortran = take_word(p, "True");
    return h->has_order = h->fortran || take_word(p, "False");
}

static bool header_parse(const char *p, Header *h) {
    *h = (Header){0};
    if (!take(&p, '{')) return false;
    while (!take(&p, '}')) {
        if (!take_entry(&p, h)) return false;
        if (!take(&p, ',')) {
            if (!take(&p, '}')) return false;
            break;
        }
    }
    skip_blanks(&p);
    return *p == '\0' && h->has_descr && h->has_shape && h->has_order;
}

/* ---- reading ---- */

/* Returns the header as a NUL-terminated string, and where the data starts. NULL after a message.
 */
static char *header_text(const Input *in, size_t *data_at) {
    const unsigned char *b = (const unsigned char *)in->data;
    if (in->size < MAGIC + 4 || memcmp(b, magic, MAGIC) != 0) {
        refuse(in->name, "it does not start like one");
        return NULL;
    }
    unsigned major = b[MAGIC];
    if ((major != 1 && major != 2) || b[MAGIC + 1] != 0) {
        refuse(in->name, "its version is neither 1.0 nor 2.0");
        return NULL;
    }
    size_t at = major == 1 ? MAGIC + 4 : MAGIC + 6;
    size_t len = (size_t)b[MAGIC + 2] | (size_t)b[MAGIC + 3] << 8;
    if (major == 2 && in->size >= at)
        len |= (size_t)b[MAGIC + 4] << 16 | (size_t)b[MAGIC + 5] << 24;
    if (in->size < at || in->size - at < len) {
        refuse(in->name, "its header is cut off");
        return NULL;
    }
    char *text = malloc(len + 1);
    if (text == NULL) {
        refuse(in->name, "out of memory");
        return NULL;
    }
    memcpy(text, in->data + at, len);
    text[len] = '\0';
    if (strlen(text) != len) text[0] = '\0'; /* the parser rejects a header with a NUL in it */
    *data_at = at + len;
    return text;
}

/* True when the elements are of type `elem`; a signless integer matches both signs. */
static bool has_type(const Header *h, Elem elem) {
    const char *want = npy_code(elem), *code = h->descr;
    bool order = *code == '<' || *code == '|' || *code == '=';
    if (order) code++;
    if (order && elem_infos[elem].cls == 'I' && want[0] == 'i')
        return (code[0] == 'i' || code[0] == 'u') && strcmp(code + 1, want + 1) == 0;
    return order && strcmp(code, want) == 0;
}

static int take_data(const Input *in, size_t data_at, const Header *h, Array *out) {
    out->rank = h->rank;
    memcpy(out->shape, h->shape, sizeof out->shape);
    if (!array_measure(out)) return refuse(in->name, "its shape overflows");
    if (in->size - data_at < out->bytes) return refuse(in->name, "its data is cut off");
    if (in->size - data_at > out->bytes) return refuse(in->name, "there is more after its data");
    if (!array_allocate(out)) return refuse(in->name, "out of memory");
    if (out->bytes != 0) memcpy(out->data, in->data + data_at, out->bytes);
    return FINE;
}

/* Reads a file whose elements are of one type or of another one (ELEM_NONE: of no other). */
static int read_as(const char *path, Elem elem, Elem other, Array *out, char type[NPY_TYPE]) {
    Input in;
    int rc = input_read(path, &in);
    if (rc != FINE) return rc;
    *out = (Array){.elem = elem};
    size_t data_at = 0;
    char *text = header_text(&in, &data_at);
    Header h;
    if (text == NULL)
        rc = TROUBLE;
    else if (!header_parse(text, &h))
        rc = refuse(path, "its header cannot be read");
    else if (h.fortran)
        rc = refuse(path, "it is in Fortran order");
    else if (h.descr[0] == '>')
        rc = refuse(path, "it is big endian");
    else if (!has_type(&h, elem) && other != ELEM_NONE && has_type(&h, other))
        out->elem = other;
    else if (!has_type(&h, elem))
        rc = REJECTED;
    if (rc == REJECTED) memcpy(type, h.descr, NPY_TYPE);
    if (rc == FINE) rc = take_data(&in, data_at, &h, out);
    free(text);
    input_free(&in);
    return rc;
}

int npy_read(const char *path, Elem elem, Array *out, char type[NPY_TYPE]) {
    return read_as(path, elem, ELEM_NONE, out, type);
}

int npy_read_gold(const char *path, Elem elem, Array *out, char type[NPY_TYPE]) {
    const bool wide = elem_is_narrow(elem) || elem == ELEM_F16;
    return read_as(path, elem, wide ? ELEM_F32 : ELEM_NONE, out, type);
}

int npy_shape(const char *path, Array *out) {
    Input in;
    Header h;
    size_t data_at;
    int rc = input_read(path, &in);
    if (rc != FINE) return rc;
    char *text = header_text(&in, &data_at);
    if (text == NULL)
        rc = TROUBLE;
    else if (!header_parse(text, &h))
        rc = refuse(path, "its header cannot be read");
    else
        memcpy(out->shape, h.shape, sizeof out->shape);
    if (rc == FINE) out->rank = h.rank;
    free(text);
    input_free(&in);
    return rc;
}

/* ---- writing ---- */

bool npy_write(Output *out, const Array *a) {
    char head[1024];
    const char *code = npy_code(a->elem);
    const size_t start = MAGIC + 4;
    int n = snprintf(head + start, sizeof head - start,
                     "{'descr': '%c%s', 'fortran_order': False, 'shape': (",
                     elem_infos[a->elem].bytes == 1 ? '|' : '<', code);
    size_t len = start + (size_t)n;
    for (unsigned i = 0; i < a->rank; i++) {
        n = snprintf(head + len, sizeof head - len, "%lld%s", (long long)a->shape[i],
                     i + 1 < a->rank ? ", "
                     : a->rank == 1  ? ","
                                     : "");
        len += (size_t)n;
    }
    n = snprintf(head + len, sizeof head - len, "), }");
    len += (size_t)n;
    while ((len + 1) % 64 != 0) /* the data starts at a multiple of 64 bytes */
        head[len++] = ' ';
    head[len++] = '\n';
    memcpy(head, magic, MAGIC);
    head[MAGIC] = 1;
    head[MAGIC + 1] = 0;
    head[MAGIC + 2] = (char)((len - start) & 0xFF);
    head[MAGIC + 3] = (char)((len - start) >> 8);
    return output_write(out, head, len) && output_write(out, a->data, a->bytes);
}
