/* SPDX-License-Identifier: Apache-2.0 */
/* usage: generate MEGABYTES OUT: writes the benchmark program to a file. */
#include "generate.h"
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: %s MEGABYTES OUT\n", argv[0]);
        return 2;
    }
    Program p = generate_program((size_t)atol(argv[1]) * 1000000);
    FILE *f = fopen(argv[2], "wb");
    if (p.text == NULL || f == NULL || fwrite(p.text, 1, p.size, f) != p.size || fclose(f) != 0) {
        perror(argv[2]);
        return 2;
    }
    printf("%zu bytes, %llu statements, %.1f bytes a statement\n", p.size,
           (unsigned long long)p.statements, (double)p.size / (double)p.statements);
    free(p.text);
    return 0;
}
