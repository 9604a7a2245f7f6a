/* The table of the rows in data.def. */
#define ROW_TABLE rules_data
#define ROW_FILE "verifier/rules/data.def"
#include "verifier/rules/family.h"
