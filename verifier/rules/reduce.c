/* The table of the rows in reduce.def. */
#define ROW_TABLE rules_reduce
#define ROW_FILE "verifier/rules/reduce.def"
#include "verifier/rules/family.h"
