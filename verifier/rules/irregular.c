/* The table of the rows in irregular.def. */
#define ROW_TABLE rules_irregular
#define ROW_FILE "verifier/rules/irregular.def"
#include "verifier/rules/family.h"
