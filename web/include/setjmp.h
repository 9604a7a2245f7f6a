/* SPDX-License-Identifier: Apache-2.0 */
/* For WebAssembly, which cannot jump: the program ends. The code jumps when memory runs out, and
 * where the time of a program depends on values that are not known; the page then takes a new
 * instance. */
#ifndef WEB_SETJMP_H
#define WEB_SETJMP_H

typedef int jmp_buf[1];
#define setjmp(b) ((void)(b), 0)
_Noreturn void longjmp(jmp_buf b, int value);

#endif
