#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# table.sh PTORT_H KERNELS_DEF MICRO_DEF: prints ptort_table.h, the fingerprint of the kernel table: a CRC of PTRT_VERSION and of the
# ids, drivers and arguments of the rows in their order, which is all that a compiled call depends on.
set -eu
version=$(sed -n 's/^#define PTRT_VERSION \([0-9]*\)$/\1/p' "$1")
calls=$(sed -n -e 's/^\(KERNEL\|BODY\)([a-z]*, \([A-Z0-9_]*\), "[^"]*", "[^"]*", \([a-z0-9_]*\), "\([^"]*\)", .*/\2 \3 \4/p' \
  -e 's/^CHAINS(\([A-Z0-9]*\), \([a-z0-9]*\), "\([a-z]*\)")$/step \1 \2 \3/p' \
  -e 's/^CHAINED(\([A-Z0-9_]*\), \([A-Z_]*\), .*/link \1 \2/p' \
  -e 's/^OVER("[^"]*", "[^"]*", \([A-Z0-9_]*\), "\([^"]*\)", .*/\1 over \2/p' -e 's/^CALL("[^"]*", "[^"]*", \([a-z0-9_]*\), "\([^"]*\)").*/\1 \2/p' "$2" "$3")
rows=$(cat "$2" "$3" | grep -c '^\(KERNEL\|BODY\|OVER\|CALL\|CHAINS\|CHAINED\)(')
[ -n "$version" ] && [ "$(echo "$calls" | wc -l)" -eq "$rows" ] || {
  echo "table.sh: $2 and $3 have $rows rows, and some of them cannot be read" >&2
  exit 1
}
sum=$(printf 'version %s\n%s\n' "$version" "$calls" | cksum | cut -d ' ' -f 1)
cat <<END
/* ptort_table.h - identifies the kernel table that emitted code was compiled with. Made by runtime/table.sh. */
#define PTRT_TABLE $(printf '0x%08xu' "$sum")
END
