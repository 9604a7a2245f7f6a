/* SPDX-License-Identifier: Apache-2.0 */
/* Packs a text, for build tools; support/unpack.c is the other side. A packed text is a list of
 * steps. A step is a byte with two lengths, characters that are new, and, unless the text ends
 * there, two bytes that say how far back those are that follow once more. The upper half of the
 * byte counts the former, the lower half the latter, less REPEATED; 15 in a half is continued in
 * the bytes that follow the byte (of the latter: the distance), which are added up to the first
 * that is not 255.
 */
#ifndef SUPPORT_PACK_H
#define SUPPORT_PACK_H

#include <stdio.h>
#include <string.h>

enum { REPEATED = 4, FARTHEST = 65535, HASHES = 1 << 14, TEXT_MOST = 1 << 20, TRIES = 1000 };

/* The places of characters that hash alike, each with the one before it; -1: none. */
static int pack_last[HASHES], pack_before[TEXT_MOST];

static unsigned pack_hash(const char *s) {
    unsigned h = 0;
    for (int i = 0; i < REPEATED; i++)
        h = h * 131 + (unsigned char)s[i];
    return h % HASHES;
}

static void pack_note(const char *text, size_t n, size_t at) {
    if (at + REPEATED > n) return;
    const unsigned h = pack_hash(text + at);
    pack_before[at] = pack_last[h];
    pack_last[h] = (int)at;
}

/* Returns how many characters at `at` are the same as some before, at least REPEATED, else 0. */
static size_t pack_find(const char *text, size_t n, size_t at, size_t *back) {
    size_t best = 0, tries = 0;
    if (at + REPEATED > n) return 0;
    for (int p = pack_last[pack_hash(text + at)]; p >= 0 && tries < TRIES; p = pack_before[p]) {
        size_t k = 0;
        if (at - (size_t)p > FARTHEST) break;
        while (at + k < n && text[at + k] == text[(size_t)p + k])
            k++;
        if (k > best) {
            best = k;
            *back = at - (size_t)p;
        }
        tries++;
    }
    return best >= REPEATED ? best : 0;
}

static void pack_length(FILE *to, size_t n) {
    if (n < 15) return;
    for (n -= 15; n >= 255; n -= 255)
        fputs("255,", to);
    fprintf(to, "%zu,", n);
}

static unsigned pack_half(size_t n) {
    return n < 15 ? (unsigned)n : 15;
}

static void pack_step(FILE *to, const char *fresh, size_t nfresh, size_t again, size_t back) {
    fprintf(to, "%u,", pack_half(nfresh) << 4 | (again > 0 ? pack_half(again - REPEATED) : 0));
    pack_length(to, nfresh);
    for (size_t i = 0; i < nfresh; i++)
        fprintf(to, "%u,", (unsigned)(unsigned char)fresh[i]);
    if (again > 0) {
        fprintf(to, "%zu,%zu,", back & 255, back >> 8);
        pack_length(to, again - REPEATED);
    }
    fputc('\n', to);
}

/* Writes the bytes of the packed text, each with a comma. A repetition waits for a longer one that
 * begins at the next character. */
static void put_packed(FILE *to, const char *text, size_t n) {
    size_t from = 0, back = 0, later = 0;
    memset(pack_last, -1, sizeof pack_last);
    for (size_t at = 0; at < n;) {
        const size_t again = pack_find(text, n, at, &back);
        pack_note(text, n, at);
        if (again == 0 || pack_find(text, n, at + 1, &later) > again + 1) {
            at++;
            continue;
        }
        pack_step(to, text + from, at - from, again, back);
        for (size_t i = 1; i < again; i++)
            pack_note(text, n, at + i);
        from = at += again;
    }
    if (from < n) pack_step(to, text + from, n - from, 0, 0);
}

#endif
