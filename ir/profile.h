/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles, the targets that a program is verified and lowered for. Each is a row of profiles.def.
 */
#ifndef IR_PROFILE_H
#define IR_PROFILE_H

#include "support/strbuf.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum Profile {
#define PROFILE(id, name, ...) PROFILE_##id,
#include "ir/profiles.def"
#undef PROFILE
    PROFILE_COUNT,
    PROFILE_DEFAULT = PROFILE_A2A3 /* for a program that names none */
} Profile;
typedef uint8_t ProfileSet; /* bit set, 1 << Profile */
static_assert(PROFILE_COUNT <= 8, "ProfileSet is too small");
#define PROFILE_BIT(p) ((ProfileSet)(1u << (p)))
#define PROFILES_ALL ((ProfileSet)(PROFILE_BIT(PROFILE_COUNT) - 1))

enum { PROFILE_SPACES = 9 }; /* SPACE_COUNT of ir/type.h */

/* Size of an on-chip space for planning, and in hardware. */
typedef struct SpaceBytes {
    int64_t plan, hardware;
} SpaceBytes;

typedef struct ProfileInfo {
    const char *aliases; /* other names, separated by blanks, or NULL */
    const char *devices; /* prefixes of the vendor's device names, separated by blanks, or NULL */
    const char *runtime; /* its name in enum ptrt_profile of libptort */
    uint8_t model;       /* Profile: the one that the tables of instructions and rules name */
    /* The profiles whose rule rows judge it: it accepts what one of them accepts (decision 10). Of
     * equally good candidates the errors of the first are shown. Without JUDGED_BY: itself. */
    uint8_t judged_by[PROFILE_COUNT];
    uint8_t njudged_by;
    bool chip; /* a chip with the capacities below and a vendor's assembler; else there are no
                  limits */
    bool plain_pipe_slots; /* slots of pipes in global memory need no gm_slot_tensor */
    bool pop_frees;        /* the pop of a tile frees its slot, and a free does nothing */
    bool uses_scratch; /* instructions use the scratch tiles of their rows, with few exceptions */
    bool entries_on_chip;      /* entries of pipes stay on the chip unless a view is given */
    bool whole_entry_to_first; /* an entry that is not split is for the first vector core alone */
    bool block_semaphores;     /* pto.set_intra_block has semaphores of its own */
    bool vector_moves_rows;    /* pipe V moves tiles of rows only, those of columns as rows */
    bool short_gaps;           /* loads to mat keep strides and gaps in 16 bits */
    bool wide_nz_stores;       /* tstore to a view in nz: also 16 words or 64 packed elements */
    bool column_indices;       /* indices of rows of a table may be a column */
    bool float_scales;         /* the scales of pto.set_quant_vector are floats, not 64-bit words */
    bool acc_moves_compact;    /* moves out of acc heed compact=1; elsewhere only stores do */
    /* Sets of pipes (1 << Pipe) that complete one instruction before they start the next: in
     * practice, which is what shipped kernels rely on (there a wait of the scalar pipe also delays
     * all that is issued after it), and as documented. */
    uint16_t in_order, in_order_documented;
    int8_t left;           /* BLayout of all `left` tiles (decision 8), or BL_AS_WRITTEN */
    int64_t dynamic_reach; /* without capacities: bytes that computed addresses may reach */
    SpaceBytes space[PROFILE_SPACES];
} ProfileInfo;
#define JUDGED_BY(...)                                                                             \
    .judged_by = {__VA_ARGS__}, .njudged_by = sizeof((const uint8_t[]){__VA_ARGS__})
#define BASED_ON(other) .model = PROFILE_##other, FACTS_##other

extern const ProfileInfo profile_infos[PROFILE_COUNT];
extern const char *const profile_names[PROFILE_COUNT];
static inline Profile profile_model(Profile p) {
    return (Profile)profile_infos[p].model;
}
/* Returns the profiles whose model is in the set. */
ProfileSet profiles_like(ProfileSet models);
/* Returns the profiles that are chips. */
ProfileSet profile_chips(void);
/* Reads a name or alias in any case; false when unknown. */
bool profile_from_text(const char *s, size_t n, Profile *out);
/* Returns the profiles of which one must accept a statement (ProfileInfo.judged_by). */
ProfileSet profile_judges(Profile p);
/* Writes the names of a set: `cpu, a2a3 and a5`. */
void put_profiles(StrBuf *out, ProfileSet set);
/* The same with another word before the last name, such as ` or `. */
enum { PROFILES_TEXT = 160 };
void profiles_join(char out[PROFILES_TEXT], ProfileSet set, const char *last);
/* Returns the profile of a device name such as `Ascend950PR`; PROFILE_DEFAULT when unknown. */
Profile profile_of_device(const char *s, size_t n);

/* Return the size of an on-chip space (index: Space) for planning, and in hardware; -1 without
 * limit. */
int64_t profile_plan_capacity(Profile p, int space);
int64_t profile_capacity(Profile p, int space);
/* Returns how many bytes of a space the addresses computed at run time may reach. */
int64_t profile_dynamic_reach(Profile p, int space);
/* Return the alignment in bytes of planned addresses, and of those in the text. */
int64_t space_plan_alignment(int space);
int64_t space_alignment(int space);

#endif
