/* The table of the rows in pipe.def. */
#define ROW_TABLE rules_pipe
#define ROW_FILE "verifier/rules/pipe.def"
#include "verifier/rules/family.h"
