#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Functions that keep more on the stack than a core has by default: they run on larger stacks, or
# are refused. stack.sh PTOASM
set -u
ptoasm=$1
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../tap.sh"
cd "$work" || exit 2
export ASAN_OPTIONS="$ASAN_OPTIONS:intercept_strstr=0" # it measures the rest of the text each time

# many N WAITS STEP: a function with N tiles, each the one before plus STEP, on a row of %x for each block.
# With WAITS=1 a vector core does that after a signal of the cube core, so that cores switch.
many() {
    awk -v n="$1" -v waits="$2" -v step="$3" 'BEGIN {
        tile = "!pto.tile_buf<vec, 1x8xf32>"
        view = "!pto.tensor_view<?x8xf32>"; part = "!pto.partition_tensor_view<1x8xf32>"
        print "func.func @many(%x: !pto.ptr<f32>, %y: !pto.ptr<f32>, %rows: index) attributes {pto.entry} {"
        print "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index"
        print "%c8 = arith.constant 8 : index\n%one = arith.constant " step ".0 : f32"
        print "%b = pto.get_block_idx\n%i = arith.index_cast %b : i64 to index"
        for (k = 1; k <= 2; k++) {
            p = k == 1 ? "x" : "y"
            print "%" p "v = pto.make_tensor_view %" p ", shape = [%rows, %c8], strides = [%c8, %c1] : " view
            print "%" p "p = pto.partition_view %" p "v, offsets = [%i, %c0], sizes = [%c1, %c8] : " view " -> " part
        }
        if (waits) print "pto.section.vector {\npto.wait_intra_block <PIPE_V>, 4"
        for (k = 0; k < n; k++) {
            print "%t" k " = pto.alloc_tile : " tile
            if (k == 0) print "pto.tload ins(%xp : " part ") outs(%t0 : " tile ")"
            else print "pto.tadds ins(%t" k - 1 ", %one : " tile ", f32) outs(%t" k " : " tile ")"
        }
        print "pto.tstore ins(%t" n - 1 " : " tile ") outs(%yp : " part ")"
        if (waits) print "}\npto.section.cube {\npto.set_intra_block <PIPE_FIX>, 4\npto.set_intra_block <PIPE_FIX>, 20\n}"
        print "return\n}"
    }'
}

# runs N WAITS BLOCKS OPTIONS...: every row of the result is N - 1.
runs() {
    n=$1 waits=$2 blocks=$3
    shift 3
    shape=f32x${blocks}x8
    what="$n tiles, $blocks blocks, waits $waits${*:+, $*}"
    many 2 0 $((n - 1)) >one.pto
    many "$n" "$waits" 1 >many.pto
    "$ptoasm" run one.pto --grid="$blocks" "zeros:$shape" "out=one.npy:$shape" "$blocks" ||
        check "$what: the program for comparison" false
    exits 0 "$what" "$ptoasm" run many.pto --profile=a5 --grid="$blocks" "$@" "zeros:$shape" \
        "out=made.npy:$shape" "$blocks"
    check "$what: its numbers" cmp one.npy made.npy
}

runs 3000 0 40 --threads=2
runs 3000 1 40 --threads=2
runs 3000 1 1
runs 50000 1 2 --threads=2
runs 40000 0 1
# The thread that calls has less than the function needs.
exits 0 '40000 tiles on a thread with a small stack' sh -c 'ulimit -s 1024; exec "$@"' sh \
    "$ptoasm" run many.pto --profile=a5 zeros:f32x1x8 zeros:f32x1x8 1

many 2000 0 1 >many.pto
"$ptoasm" emit --profile=a5 many.pto -o many.c
check 'the kernel says what it needs' grep -q '\.stack = UINT64_C([0-9]*),' many.c
many 20 0 1 >few.pto
"$ptoasm" emit --profile=a5 few.pto -o few.c
check 'a small one does not' sh -c '! grep -q stack few.c'

tap_end
