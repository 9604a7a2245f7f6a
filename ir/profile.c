/* Profiles and the capacities and alignments of on-chip spaces (types-and-syntax section 3). */
#include "ir/profile.h"
#include "ir/type.h"

#include <string.h>
#include <strings.h>

const char *const profile_names[PROFILE_COUNT] = {"cpu", "a2a3", "a5"};

bool profile_from_text(const char *s, size_t n, Profile *out) {
    static const struct {
        const char *text;
        Profile profile;
    } names[] = {{"cpu", PROFILE_CPU},
                 {"a2a3", PROFILE_A2A3},
                 {"a2", PROFILE_A2A3},
                 {"a3", PROFILE_A2A3},
                 {"a5", PROFILE_A5}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strlen(names[i].text) == n && strncasecmp(names[i].text, s, n) == 0) {
            *out = names[i].profile;
            return true;
        }
    return false;
}

typedef struct SpaceNumbers {
    int64_t plan[2], hardware[2]; /* a2a3, a5 */
    int64_t plan_alignment, alignment;
} SpaceNumbers;

static const SpaceNumbers numbers[SPACE_COUNT] = {
    [SPACE_VEC] = {{196608, 253952}, {196608, 262144}, 256, 32},
    [SPACE_MAT] = {{524288, 524288}, {524288, 524288}, 256, 32},
    [SPACE_LEFT] = {{65536, 65536}, {65536, 65536}, 4096, 512},
    [SPACE_RIGHT] = {{65536, 65536}, {65536, 65536}, 4096, 512},
    [SPACE_ACC] = {{131072, 262144}, {131072, 262144}, 4096, 512},
    [SPACE_BIAS] = {{65536, 65536}, {1024, 4096}, 256, 32},
    [SPACE_SCALING] = {{196608, 253952}, {2048, 4096}, 256, 32},
};

int64_t profile_plan_capacity(Profile p, int space) {
    return p == PROFILE_CPU ? -1 : numbers[space].plan[p == PROFILE_A5];
}

int64_t profile_capacity(Profile p, int space) {
    return p == PROFILE_CPU ? -1 : numbers[space].hardware[p == PROFILE_A5];
}

int64_t space_plan_alignment(int space) {
    return numbers[space].plan_alignment != 0 ? numbers[space].plan_alignment : 1;
}

int64_t space_alignment(int space) {
    return numbers[space].alignment != 0 ? numbers[space].alignment : 1;
}
