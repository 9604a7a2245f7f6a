/* The table of the rows in quant.def. */
#define ROW_TABLE rules_quant
#define ROW_FILE "verifier/rules/quant.def"
#include "verifier/rules/family.h"
