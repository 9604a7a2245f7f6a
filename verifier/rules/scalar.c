/* The table of the rows in scalar.def. */
#define ROW_TABLE rules_scalar
#define ROW_FILE "verifier/rules/scalar.def"
#include "verifier/rules/family.h"
