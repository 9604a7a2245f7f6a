#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every sample: judged per profile as samples/README.md says, printed to a fixed point in every form, and
# run by `ptoasm run`. usage: run.sh PTOASM SAMPLES
#
# The programs that a profile accepts are judged, and all programs are printed, in one start of PTOASM.
set -u
ptoasm=$1
samples=$(realpath "$2")
. "$(dirname "$0")/../tap.sh"
all=
for profile in cpu a2a3 a5; do
    : >"$work/$profile"
done

# sample FILE PROFILES...: a sample, accepted for these profiles, refused for the others.
sample() {
    file=$1
    shift
    all="$all $file"
    mkdir -p "$work/printed/$(dirname "$file")"
    cp "$samples/$file" "$work/printed/$file"
    for profile in cpu a2a3 a5; do
        case " $* " in
        *" $profile "*) echo "$file" >>"$work/$profile" ;;
        *) exits 1 "$file for $profile" "$ptoasm" check --profile=$profile "$samples/$file" ;;
        esac
    done
}

# runs FILE ARG...: `ptoasm run` ends well.
runs() {
    file=$1
    shift
    exits 0 "$file runs" "$ptoasm" run "$samples/$file" "$@"
}

for inst in tadds tands txors; do
    for form in dps ssa as; do
        sample $inst/${inst}_$form.pto cpu a2a3 a5
        runs $inst/${inst}_$form.pto random:1 out="$work/y.npy" 3
    done
done
for form in dps ssa as; do
    sample tfillpad/tfillpad_$form.pto cpu a2a3 a5
    runs tfillpad/tfillpad_$form.pto random:1 out="$work/y.npy"
    sample ttri/ttri_$form.pto cpu a2a3 a5
    runs ttri/ttri_$form.pto out="$work/y.npy"
done
for example in auto manual manual_addr; do
    sample tadds/example_$example.pto cpu a2a3 a5
    runs tadds/example_$example.pto random:1 out="$work/y.npy"
done
sample tfillpad/example1.pto cpu a2a3 a5
runs tfillpad/example1.pto random:1 out="$work/y.npy"
sample tfillpad/example2.pto cpu a2a3
runs tfillpad/example2.pto random:1 out="$work/y.npy"
sample tands/example.pto cpu a2a3 a5
runs tands/example.pto random:1 out="$work/y.npy"
sample txors/example.pto cpu a5
runs txors/example.pto random:1 out="$work/y.npy"
sample ttri/ttri_diagonal.pto cpu a2a3 a5
runs ttri/ttri_diagonal.pto out="$work/y.npy" -3
sample kernel/scale_mask.pto cpu a2a3 a5
runs kernel/scale_mask.pto --grid 4 random:1 out="$work/y.npy" 0.5
# Kernels with data of their own: `kernels` runs them.
for kernel in rmsnorm layernorm flash_attention silu softmax gelu rotary qk quantised topk embedding masked; do
    for form in dps ssa; do
        sample $kernel/${kernel}_$form.pto cpu a2a3 a5
    done
done
for form in dps ssa; do
    sample histogram/histogram_$form.pto cpu a5
done
for kernel in gemm experts; do
    sample $kernel/${kernel}_dps.pto cpu a2a3 a5
done
sample synchronised/gemm.pto cpu a2a3 a5
runs synchronised/gemm.pto random:1 random:2 out="$work/y.npy" 3
sample synchronised/attention.pto cpu a2a3 a5
runs synchronised/attention.pto random:1 random:2 out="$work/y.npy" 3
sample allreduce/allreduce.pto cpu a2a3 a5
sample dequantised/dequantised_dps.pto cpu a5
for program in sections functions; do
    sample queues/$program.pto cpu a2a3 a5
done
for form in dps ssa; do
    runs qk/qk_$form.pto q=random:1 k=random:2 s=out="$work/y.npy"
done
runs gemm/gemm_dps.pto --grid 6 a=random:1 b=random:2 c=out="$work/y.npy" m=200 n=300 k=500

for profile in cpu a2a3 a5; do
    # shellcheck disable=SC2046
    exits 0 "the others for $profile" sh -c 'cd "$1" && shift && exec "$@"' sh "$samples" \
        "$ptoasm" check --profile=$profile $(cat "$work/$profile")
done
# Printing what was printed changes nothing, and it is accepted.
for spelling in keep dps ssa as generic; do
    cp -r "$work/printed" "$work/1"
    exits 0 "printed as $spelling" "$ptoasm" fmt -i --form=$spelling "$work/1"
    [ $spelling != generic ] ||
        check 'the generic form is another text' sh -c "! cmp -s '$work/1/gemm/gemm_dps.pto' '$samples/gemm/gemm_dps.pto'"
    cp -r "$work/1" "$work/2"
    exits 0 "printed again as $spelling" "$ptoasm" fmt -i --form=$spelling "$work/2"
    for file in $all; do
        check "$file printed twice as $spelling" cmp "$work/1/$file" "$work/2/$file"
    done
    exits 0 "accepted as $spelling" "$ptoasm" check "$work/1"
    rm -r "$work/1" "$work/2"
done
tap_end
