/* SPDX-License-Identifier: Apache-2.0 */
/* For WebAssembly: there is one thread, and no other one can be started. */
#ifndef WEB_PTHREAD_H
#define WEB_PTHREAD_H

#include <stddef.h>

typedef int pthread_t, pthread_mutex_t, pthread_cond_t, pthread_attr_t, pthread_once_t;
#define PTHREAD_MUTEX_INITIALIZER 0
#define PTHREAD_COND_INITIALIZER 0

static inline int pthread_none(void) {
    return 0;
}

#define pthread_mutex_init(m, a) ((void)(m), pthread_none())
#define pthread_mutex_destroy(m) ((void)(m), pthread_none())
#define pthread_mutex_lock(m) ((void)(m), pthread_none())
#define pthread_mutex_unlock(m) ((void)(m), pthread_none())
#define pthread_cond_init(c, a) ((void)(c), pthread_none())
#define pthread_cond_destroy(c) ((void)(c), pthread_none())
#define pthread_cond_wait(c, m) ((void)(c), (void)(m), pthread_none())
#define pthread_cond_signal(c) ((void)(c), pthread_none())
#define pthread_cond_broadcast(c) ((void)(c), pthread_none())
#define pthread_attr_init(a) ((void)(a), pthread_none())
#define pthread_attr_destroy(a) ((void)(a), pthread_none())
#define pthread_attr_setstacksize(a, n) ((void)(a), (void)(n), pthread_none())
#define pthread_create(id, a, run, arg) ((void)(id), (void)(run), (void)(arg), 1)
#define pthread_join(id, result) ((void)(id), pthread_none())

#endif
