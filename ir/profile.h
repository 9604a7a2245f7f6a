/* Profiles (the targets that a program is verified and lowered for) and what depends on them: one
 * row of profiles.def each. */
#ifndef IR_PROFILE_H
#define IR_PROFILE_H

#include "support/strbuf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum Profile {
#define PROFILE(id, name, ...) PROFILE_##id,
#include "ir/profiles.def"
#undef PROFILE
    PROFILE_COUNT,
    PROFILE_DEFAULT = PROFILE_A2A3 /* of a program that names none */
} Profile;
typedef uint8_t ProfileSet; /* bit 1 << Profile */
#define PROFILE_BIT(p) ((ProfileSet)(1u << (p)))
#define PROFILES_ALL ((ProfileSet)(PROFILE_BIT(PROFILE_COUNT) - 1))

enum { PROFILE_SPACES = 9 }; /* SPACE_COUNT of ir/type.h */

/* Bytes of an on-chip space: what planning may use, and what the hardware has. */
typedef struct SpaceBytes {
    int64_t plan, hardware;
} SpaceBytes;

typedef struct ProfileInfo {
    const char *aliases; /* other names, separated by blanks; NULL: none */
    const char *devices; /* how the vendor's names of its devices start, likewise */
    /* The profiles whose rule rows judge it: it accepts what one of them accepts (decision 10). The
     * errors of the first are shown where two get as far. */
    uint8_t judged_by[PROFILE_COUNT];
    uint8_t njudged_by;
    bool chip; /* hardware, with the capacities below and a vendor's assembler; else no limits */
    bool plain_pipe_slots; /* pipes in global memory need no gm_slot_tensor */
    int8_t left;           /* BLayout of every `left` tile (decision 8), or BL_AS_WRITTEN */
    int64_t dynamic_reach; /* without a limit: bytes of a space whose addresses are computed */
    SpaceBytes space[PROFILE_SPACES];
} ProfileInfo;
#define JUDGED_BY(...)                                                                             \
    .judged_by = {__VA_ARGS__}, .njudged_by = sizeof((const uint8_t[]){__VA_ARGS__})

extern const ProfileInfo profile_infos[PROFILE_COUNT];
extern const char *const profile_names[PROFILE_COUNT];
/* Reads a name or an alias in any case; false when unknown. */
bool profile_from_text(const char *s, size_t n, Profile *out);
/* Writes the names of a set: `cpu, a2a3 and a5`. */
void put_profiles(StrBuf *out, ProfileSet set);
/* The profile of a device of the vendor (`Ascend950PR`); PROFILE_DEFAULT when no row names it. */
Profile profile_of_device(const char *s, size_t n);

/* Bytes of an on-chip space (index: Space): what planning may use, what the hardware has; -1 on
 * a profile without limits. */
int64_t profile_plan_capacity(Profile p, int space);
int64_t profile_capacity(Profile p, int space);
/* Bytes of a space that addresses computed at run time may reach. */
int64_t profile_dynamic_reach(Profile p, int space);
/* Alignment in bytes of planned addresses and of written ones. */
int64_t space_plan_alignment(int space);
int64_t space_alignment(int space);

#endif
