/* Profiles (what a program is judged and lowered for) and the numbers that depend on them. */
#ifndef IR_PROFILE_H
#define IR_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum Profile { PROFILE_CPU, PROFILE_A2A3, PROFILE_A5, PROFILE_COUNT } Profile;
typedef uint8_t ProfileSet; /* bit 1 << Profile */
#define PROFILE_BIT(p) ((ProfileSet)(1u << (p)))
#define PROFILES_ALL ((ProfileSet)7)

extern const char *const profile_names[PROFILE_COUNT];
/* Reads cpu, a2a3, a2, a3, a5 in any case; false when unknown. */
bool profile_from_text(const char *s, size_t n, Profile *out);

/* Bytes of an on-chip space (index: Space): what planning may use, what the hardware has; -1 on
 * the cpu profile, which has no limit. Source: types-and-syntax section 3. */
int64_t profile_plan_capacity(Profile p, int space);
int64_t profile_capacity(Profile p, int space);
/* Alignment in bytes of planned addresses and of written ones. */
int64_t space_plan_alignment(int space);
int64_t space_alignment(int space);

#endif
