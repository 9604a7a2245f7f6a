/* The table of the rows in sync.def. */
#define ROW_TABLE rules_sync
#define ROW_FILE "verifier/rules/sync.def"
#include "verifier/rules/family.h"
