/* SPDX-License-Identifier: Apache-2.0 */
/* The table of profiles, and the alignments of on-chip spaces (types-and-syntax section 3). */
#include "ir/inst.h"
#include "ir/type.h"
#include "support/ascii.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static_assert((int)PROFILE_SPACES == (int)SPACE_COUNT, "one entry for each space");

/* A row overrules the values that each has, and those that BASED_ON() gives. */
#pragma GCC diagnostic push
#ifdef __clang__
#pragma GCC diagnostic ignored "-Winitializer-overrides"
#else
#pragma GCC diagnostic ignored "-Woverride-init"
#endif
#define PIPES(pipe) 1u << PIPE_##pipe
const ProfileInfo profile_infos[PROFILE_COUNT] = {
#define PROFILE(id, name, ...)                                                                     \
    [PROFILE_##id] = {.model = PROFILE_##id, JUDGED_BY(PROFILE_##id), __VA_ARGS__},
#include "ir/profiles.def"
#undef PROFILE
};
#pragma GCC diagnostic pop

const char *const profile_names[PROFILE_COUNT] = {
#define PROFILE(id, name, ...) [PROFILE_##id] = name,
#include "ir/profiles.def"
#undef PROFILE
};

/* Compares the starts of two texts, ignoring case. */
static bool same_start(const char *a, const char *b, size_t n) {
    while (n > 0 && ascii_lower(a[n - 1]) == ascii_lower(b[n - 1]))
        n--;
    return n == 0;
}

static bool is_word(const char *word, size_t len, const char *s, size_t n) {
    return len == n && same_start(word, s, n);
}

static bool begins_with(const char *word, size_t len, const char *s, size_t n) {
    return n >= len && same_start(word, s, len);
}

typedef bool Fits(const char *word, size_t len, const char *s, size_t n);

/* True when one of the blank-separated words fits the text. */
static bool some_word(const char *words, Fits *fits, const char *s, size_t n) {
    while (words != NULL && *words != '\0') {
        size_t len = strcspn(words, " ");
        if (fits(words, len, s, n)) return true;
        words += len + strspn(words + len, " ");
    }
    return false;
}

bool profile_from_text(const char *s, size_t n, Profile *out) {
    for (int p = 0; p < PROFILE_COUNT; p++)
        if (some_word(profile_names[p], is_word, s, n) ||
            some_word(profile_infos[p].aliases, is_word, s, n)) {
            *out = (Profile)p;
            return true;
        }
    return false;
}

Profile profile_of_device(const char *s, size_t n) {
    for (int p = 0; p < PROFILE_COUNT; p++)
        if (some_word(profile_infos[p].devices, begins_with, s, n)) return (Profile)p;
    return PROFILE_DEFAULT;
}

int64_t profile_plan_capacity(Profile p, int space) {
    return profile_infos[p].chip ? profile_infos[p].space[space].plan : -1;
}

int64_t profile_capacity(Profile p, int space) {
    return profile_infos[p].chip ? profile_infos[p].space[space].hardware : -1;
}

ProfileSet profile_judges(Profile p) {
    ProfileSet set = 0;
    for (unsigned i = 0; i < profile_infos[p].njudged_by; i++)
        set |= PROFILE_BIT(profile_infos[p].judged_by[i]);
    return set;
}

ProfileSet profiles_like(ProfileSet models) {
    ProfileSet set = 0;
    for (int p = 0; p < PROFILE_COUNT; p++)
        if ((models & PROFILE_BIT(profile_infos[p].model)) != 0) set |= PROFILE_BIT(p);
    return set;
}

ProfileSet profile_chips(void) {
    ProfileSet set = 0;
    for (int p = 0; p < PROFILE_COUNT; p++)
        if (profile_infos[p].chip) set |= PROFILE_BIT(p);
    return set;
}

void profiles_join(char out[PROFILES_TEXT], ProfileSet set, const char *last) {
    unsigned n = (unsigned)__builtin_popcount(set), k = 0;
    size_t at = 0;
    out[0] = '\0';
    for (int p = 0; p < PROFILE_COUNT && at < PROFILES_TEXT; p++)
        if ((set & PROFILE_BIT(p)) != 0)
            at += (size_t)snprintf(out + at, PROFILES_TEXT - at, "%s%s",
                                   k++ == 0 ? ""
                                   : k == n ? last
                                            : ", ",
                                   profile_names[p]);
}

void put_profiles(StrBuf *out, ProfileSet set) {
    char text[PROFILES_TEXT];
    profiles_join(text, set, " and ");
    sb_puts(out, text);
}

int64_t profile_dynamic_reach(Profile p, int space) {
    return profile_infos[p].chip ? profile_infos[p].space[space].hardware
                                 : profile_infos[p].dynamic_reach;
}

static const struct {
    int64_t planned, written;
} alignments[SPACE_COUNT] = {
    [SPACE_VEC] = {256, 32},     [SPACE_MAT] = {256, 32},   [SPACE_LEFT] = {4096, 512},
    [SPACE_RIGHT] = {4096, 512}, [SPACE_ACC] = {4096, 512}, [SPACE_BIAS] = {256, 32},
    [SPACE_SCALING] = {256, 32},
};

int64_t space_plan_alignment(int space) {
    return alignments[space].planned != 0 ? alignments[space].planned : 1;
}

int64_t space_alignment(int space) {
    return alignments[space].written != 0 ? alignments[space].written : 1;
}
