#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# symbols.sh NM OUT LIBRARY: a C table of the functions of the runtime, sorted by name.
set -eu
names=$("$1" -g --defined-only "$3" | awk '$2 == "T" && $3 ~ /^ptrt_/ { print $3 }' | LC_ALL=C sort -u)
{
    echo '#include "cli/run.h"'
    for name in $names; do
        echo "void $name(void);"
    done
    echo 'const RuntimeFunction runtime_functions[] = {'
    for name in $names; do
        echo "    {\"$name\", $name},"
    done
    echo '};'
    echo 'const size_t runtime_function_count = sizeof runtime_functions / sizeof runtime_functions[0];'
} >"$2"
