/* The table of the rows in comm.def. */
#define ROW_TABLE rules_comm
#define ROW_FILE "verifier/rules/comm.def"
#include "verifier/rules/family.h"
