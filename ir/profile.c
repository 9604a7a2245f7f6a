/* The table of profiles, and the alignments of on-chip spaces (types-and-syntax section 3). */
#include "ir/profile.h"
#include "ir/type.h"
#include "support/ascii.h"

#include <assert.h>
#include <string.h>

static_assert((int)PROFILE_SPACES == (int)SPACE_COUNT, "one entry for each space");

const ProfileInfo profile_infos[PROFILE_COUNT] = {
#define PROFILE(id, name, ...) [PROFILE_##id] = {__VA_ARGS__},
#include "ir/profiles.def"
#undef PROFILE
};

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

static bool same_word(const char *word, size_t len, const char *s, size_t n) {
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
        if (some_word(profile_names[p], same_word, s, n) ||
            some_word(profile_infos[p].aliases, same_word, s, n)) {
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

void put_profiles(StrBuf *out, ProfileSet set) {
    unsigned n = (unsigned)__builtin_popcount(set), k = 0;
    for (int p = 0; p < PROFILE_COUNT; p++)
        if ((set & PROFILE_BIT(p)) != 0)
            sb_printf(out, "%s%s", k++ == 0 ? "" : k == n ? " and " : ", ", profile_names[p]);
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
