/* SPDX-License-Identifier: Apache-2.0 */
/* Scratch folders: below TMPDIR, or /tmp without it. */
#ifndef CLI_SCRATCH_H
#define CLI_SCRATCH_H

enum {
    SCRATCH_PATH = 512,              /* of the path of a folder */
    SCRATCH_FILE = SCRATCH_PATH + 64 /* of that of a file in it */
};

/* Makes a folder named after what it is for. Returns FINE, or TROUBLE after a message; `path` is
 * then "". */
int scratch_make(const char *what, char path[SCRATCH_PATH]);
/* Removes it with all that is in it, and sets the path to ""; does nothing with "". */
void scratch_remove(char path[SCRATCH_PATH]);

#endif
