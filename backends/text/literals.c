/* SPDX-License-Identifier: Apache-2.0 */
/* Literals that C and C++ spell alike. */
#include "backends/text/emitter.h"

#include <string.h>

const char *int_literal(Emitter *e, int64_t i, unsigned width) {
    if (width < 64) {
        uint64_t sign = (uint64_t)1 << (width - 1), low = (uint64_t)i & ((sign << 1) - 1);
        i = (int64_t)((low ^ sign) - sign);
    }
    if (i == INT64_MIN) return "INT64_MIN";
    return i > INT32_MIN && i <= INT32_MAX ? strf(e, "%lld", (long long)i)
                                           : strf(e, "INT64_C(%lld)", (long long)i);
}

bool dense_lanes(const char *s, size_t n, int64_t lanes[4]) {
    unsigned found = 0;
    bool list = n > 7 && s[6] == '[';
    if (n < 8 || memcmp(s, "dense<", 6) != 0) return false;
    for (const char *p = s + 6 + list, *end = s + n; found < 4; found++) {
        size_t digits = 0;
        bool minus = p < end && *p == '-';
        p += minus;
        lanes[found] = 0;
        for (; p < end && *p >= '0' && *p <= '9' && digits < 6; p++, digits++)
            lanes[found] = lanes[found] * 10 + (*p - '0');
        if (digits == 0 || digits == 6) return false;
        if (minus) lanes[found] = -lanes[found];
        while (p < end && (*p == ',' || *p == ' '))
            p++;
        if (p < end && (*p == ']' || *p == '>')) {
            found++;
            break;
        }
    }
    for (unsigned i = 1; !list && i < 4; i++)
        lanes[i] = lanes[0];
    return found == (list ? 4 : 1);
}
