/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a fuzz target without libFuzzer, in any build: the same inputs on every machine.
 *
 * replay RUNS[@NUMBER]           random bytes of up to 160
 * replay RUNS[@NUMBER] FILE...   every file, then files with up to three edits, of words more than
 * of bytes
 *
 * RUNS is the number of inputs; 1000@7 makes others, from the number 7 on. What an input does to
 * the target ends the program, as libFuzzer has it; the input is then in the file `replay-input` of
 * the working folder, to try it alone. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LONGEST = 4096, LONGEST_NOISE = 160, MOST_WORDS = 1 << 16, MOST_FILES = 4096 };

typedef struct {
    const char *at;
    size_t n;
} Piece;

static Piece seeds[MOST_FILES], words[MOST_WORDS];
static size_t seed_count, word_count;
static uint64_t state = UINT64_C(0x9E3779B97F4A7C15);

/* xorshift64: a number below `below`, which is not 0. */
static size_t draw(size_t below) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (size_t)(state >> 11) % below;
}

static bool in_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '%' || c == '!' || c == '#' || c == '@' || c == '^';
}

/* Returns the length of the word, or of the run of anything else, that begins at `s`. */
static size_t word_len(const char *s, size_t left) {
    size_t n = 1;
    if (in_word(*s))
        while (n < left && in_word(s[n]))
            n++;
    return n;
}

static bool read_seed(const char *path) {
    FILE *f = fopen(path, "rb");
    char *text = malloc(LONGEST);
    const size_t n = f != NULL && text != NULL ? fread(text, 1, LONGEST, f) : 0;
    const bool fine = f != NULL && !ferror(f);
    if (f != NULL) fclose(f);
    if (n == 0 || n == LONGEST || seed_count == MOST_FILES) {
        free(text);
        return fine;
    }
    seeds[seed_count++] = (Piece){text, n};
    for (size_t i = 0; i < n; i += word_len(text + i, n - i))
        if (in_word(text[i]) && word_count < MOST_WORDS)
            words[word_count++] = (Piece){text + i, word_len(text + i, n - i)};
    return fine;
}

/* Replaces `old` bytes at `at` by a piece; what has no room stays as it is. */
static size_t splice(char *text, size_t n, size_t at, size_t old, Piece new) {
    if (n - old + new.n > LONGEST) return n;
    memmove(text + at + new.n, text + at + old, n - at - old);
    memcpy(text + at, new.at, new.n);
    return n - old + new.n;
}

/* Returns where the line that holds `at` begins. */
static size_t line_start(const char *text, size_t at) {
    while (at > 0 && text[at - 1] != '\n')
        at--;
    return at;
}

static size_t line_len(const char *text, size_t n, size_t start) {
    const char *end = memchr(text + start, '\n', n - start);
    return end != NULL ? (size_t)(end - text) + 1 - start : n - start;
}

/* Moves a line, or makes a second one of it, somewhere else. */
static size_t edit_line(char *text, size_t n, bool twice) {
    static char line[LONGEST];
    const size_t from = line_start(text, draw(n)), len = line_len(text, n, from);
    memcpy(line, text + from, len);
    if (!twice) n = splice(text, n, from, len, (Piece){line, 0});
    if (n == 0) return splice(text, n, 0, 0, (Piece){line, len});
    return splice(text, n, line_start(text, draw(n)), 0, (Piece){line, len});
}

static size_t edit(char *text, size_t n) {
    const Piece nothing = {text, 0}, word = words[draw(word_count)];
    const char byte = (char)draw(256);
    if (n == 0) return splice(text, n, 0, 0, word);
    size_t at = draw(n);
    while (at > 0 && in_word(text[at]) && in_word(text[at - 1]))
        at--;
    const size_t len = word_len(text + at, n - at), within = at + draw(len);
    switch (draw(12)) {
    case 0:
        return splice(text, n, at, len, nothing);
    case 1:
    case 2:
    case 3:
        return splice(text, n, at, len, word);
    case 4:
        return splice(text, n, at, 0, word);
    case 5:
        return splice(text, n, within, 1, nothing); /* misspelt */
    case 6:
        return splice(text, n, within, 0, (Piece){word.at, 1});
    case 7:
        return splice(text, n, within, 1, (Piece){&byte, 1});
    case 8:
        return edit_line(text, n, false);
    case 9:
        return edit_line(text, n, true);
    case 10:
        return draw(4) == 0 ? at : n; /* cut */
    default:                          /* the name without its module */
        for (size_t i = 0; i < len; i++)
            if (text[at + i] == '.') return splice(text, n, at, i + 1, nothing);
        return n;
    }
}

static void keep(const uint8_t *input, size_t n) {
    FILE *f = fopen("replay-input", "wb");
    if (f == NULL) return;
    fwrite(input, 1, n, f);
    fclose(f);
}

static void try_input(const uint8_t *input, size_t n) {
    keep(input, n);
    LLVMFuzzerTestOneInput(input, n);
}

static void try_noise(void) {
    uint8_t input[LONGEST_NOISE];
    const size_t n = 1 + draw(sizeof input);
    for (size_t i = 0; i < n; i++)
        input[i] = (uint8_t)draw(256);
    try_input(input, n);
}

/* The first byte chooses the options. */
static void try_seed(const Piece *seed, size_t edits) {
    static uint8_t input[LONGEST + 1];
    static char text[LONGEST];
    size_t n = seed->n;
    memcpy(text, seed->at, n);
    for (; edits > 0; edits--)
        n = edit(text, n);
    input[0] = (uint8_t)draw(256);
    memcpy(input + 1, text, n);
    try_input(input, n + 1);
}

int main(int argc, char **argv) {
    char *end = NULL;
    const size_t runs = argc > 1 ? strtoul(argv[1], &end, 10) : 0;
    bool fine = runs > 0;
    if (fine && *end == '@') state += strtoul(end + 1, NULL, 10);
    for (int i = 2; i < argc; i++)
        fine &= read_seed(argv[i]);
    if (!fine || (argc > 2 && word_count == 0)) {
        fputs("usage: replay RUNS[@NUMBER] [FILE...], each file a text\n", stderr);
        return 2;
    }
    for (size_t i = 0; i < runs; i++) {
        if (argc == 2)
            try_noise();
        else
            try_seed(&seeds[i < seed_count ? i : draw(seed_count)],
                     i < seed_count ? 0 : 1 + draw(3));
    }
    for (size_t i = 0; i < seed_count; i++)
        free((void *)(uintptr_t)seeds[i].at);
    remove("replay-input");
    printf("%zu inputs\n", runs);
    return 0;
}
