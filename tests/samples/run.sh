#!/bin/sh
# Every sample: judged per profile as samples/README.md says, printed to a fixed point in every form, and
# run by `ptoasm run`. usage: run.sh PTOASM SAMPLES
set -u
ptoasm=$1
samples=$2
. "$(dirname "$0")/../tap.sh"

# judge FILE PROFILES...: accepted for these profiles, refused for the others.
judge() {
    file=$1
    shift
    for profile in cpu a2a3 a5; do
        want=1
        case " $* " in *" $profile "*) want=0 ;; esac
        exits $want "$file for $profile" "$ptoasm" check --profile=$profile "$samples/$file"
    done
}

# fixed FILE: printing what was printed changes nothing, and it is accepted.
fixed() {
    for spelling in keep dps ssa as generic; do
        exits 0 "$1 printed as $spelling" "$ptoasm" fmt --form=$spelling -o "$work/1.pto" "$samples/$1"
        run "$ptoasm" fmt --form=$spelling -o "$work/2.pto" "$work/1.pto"
        check "$1 printed twice as $spelling" cmp "$work/1.pto" "$work/2.pto"
        exits 0 "$1 accepted as $spelling" "$ptoasm" check "$work/1.pto"
    done
}

# runs FILE ARG...: `ptoasm run` ends well.
runs() {
    file=$1
    shift
    exits 0 "$file runs" "$ptoasm" run "$samples/$file" "$@"
}

for inst in tadds tands txors; do
    elem=i16
    [ $inst = tadds ] && elem=f32
    for form in dps ssa as; do
        judge $inst/${inst}_$form.pto cpu a2a3 a5
        fixed $inst/${inst}_$form.pto
        runs $inst/${inst}_$form.pto random:1 out="$work/y.npy" 3
    done
done
for form in dps ssa as; do
    judge tfillpad/tfillpad_$form.pto cpu a2a3 a5
    fixed tfillpad/tfillpad_$form.pto
    runs tfillpad/tfillpad_$form.pto random:1 out="$work/y.npy"
    judge ttri/ttri_$form.pto cpu a2a3 a5
    fixed ttri/ttri_$form.pto
    runs ttri/ttri_$form.pto out="$work/y.npy"
done
for example in auto manual manual_addr; do
    judge tadds/example_$example.pto cpu a2a3 a5
    fixed tadds/example_$example.pto
    runs tadds/example_$example.pto random:1 out="$work/y.npy"
done
judge tfillpad/example1.pto cpu a2a3 a5
fixed tfillpad/example1.pto
runs tfillpad/example1.pto random:1 out="$work/y.npy"
judge tfillpad/example2.pto cpu a2a3
fixed tfillpad/example2.pto
runs tfillpad/example2.pto random:1 out="$work/y.npy"
judge tands/example.pto cpu a2a3 a5
fixed tands/example.pto
runs tands/example.pto random:1 out="$work/y.npy"
judge txors/example.pto cpu a5
fixed txors/example.pto
runs txors/example.pto random:1 out="$work/y.npy"
judge ttri/ttri_diagonal.pto cpu a2a3 a5
fixed ttri/ttri_diagonal.pto
runs ttri/ttri_diagonal.pto out="$work/y.npy" -3
judge kernel/scale_mask.pto cpu a2a3 a5
fixed kernel/scale_mask.pto
runs kernel/scale_mask.pto --grid 4 random:1 out="$work/y.npy" 0.5
# Kernels with data of their own: `kernels` runs them.
for kernel in rmsnorm layernorm flash_attention silu softmax gelu rotary qk quantised topk embedding masked; do
    for form in dps ssa; do
        judge $kernel/${kernel}_$form.pto cpu a2a3 a5
        fixed $kernel/${kernel}_$form.pto
    done
done
for form in dps ssa; do
    judge histogram/histogram_$form.pto cpu a5
    fixed histogram/histogram_$form.pto
done
for kernel in gemm experts; do
    judge $kernel/${kernel}_dps.pto cpu a2a3 a5
    fixed $kernel/${kernel}_dps.pto
done
judge synchronised/gemm.pto cpu a2a3 a5
fixed synchronised/gemm.pto
runs synchronised/gemm.pto random:1 random:2 out="$work/y.npy" 3
judge synchronised/attention.pto cpu a2a3 a5
fixed synchronised/attention.pto
runs synchronised/attention.pto random:1 random:2 out="$work/y.npy" 3
judge allreduce/allreduce.pto cpu a2a3 a5
fixed allreduce/allreduce.pto
judge dequantised/dequantised_dps.pto cpu a5
fixed dequantised/dequantised_dps.pto
for program in sections functions; do
    judge queues/$program.pto cpu a2a3 a5
    fixed queues/$program.pto
done
for form in dps ssa; do
    runs qk/qk_$form.pto q=random:1 k=random:2 s=out="$work/y.npy"
done
runs gemm/gemm_dps.pto --grid 6 a=random:1 b=random:2 c=out="$work/y.npy" m=200 n=300 k=500
tap_end
