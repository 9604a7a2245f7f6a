/* SPDX-License-Identifier: Apache-2.0 */
/* sanitize.h - which sanitizer this file is compiled for: PTRT_ASAN, PTRT_TSAN. */
#ifndef PTORT_SANITIZE_H
#define PTORT_SANITIZE_H

#if defined(__SANITIZE_ADDRESS__)
#define PTRT_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define PTRT_ASAN 1
#endif
#endif

#if defined(__SANITIZE_THREAD__)
#define PTRT_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define PTRT_TSAN 1
#endif
#endif

#ifdef PTRT_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef PTRT_TSAN
#include <sanitizer/tsan_interface.h>
#endif

#endif
