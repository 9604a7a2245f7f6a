/* The table of the rows in elementwise.def. */
#define ROW_TABLE rules_elementwise
#define ROW_FILE "verifier/rules/elementwise.def"
#include "verifier/rules/family.h"
