/* SPDX-License-Identifier: Apache-2.0 */
/* micro_plain.h - the functions of micro.pto by hand: `ub` is the vector memory, `n` as there. */
#ifndef TESTS_BENCH_MICRO_PLAIN_H
#define TESTS_BENCH_MICRO_PLAIN_H

void plain_add(float *ub, int n);
void plain_convert(float *ub, int n);
void plain_gather(float *ub, int n);
void plain_select(float *ub, int n);
void plain_softmax(float *ub, int n);

#endif
