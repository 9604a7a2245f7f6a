/* The table of the rows in matrix.def. */
#define ROW_TABLE rules_matrix
#define ROW_FILE "verifier/rules/matrix.def"
#include "verifier/rules/family.h"
