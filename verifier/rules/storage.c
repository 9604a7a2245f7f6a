/* The table of the rows in storage.def. */
#define ROW_TABLE rules_storage
#define ROW_FILE "verifier/rules/storage.def"
#include "verifier/rules/family.h"
