/* SPDX-License-Identifier: Apache-2.0 */
/* switch_x86_64.S - switches from one stack to another. Saves what a callee must preserve,
 * including the control words of SSE and x87. System V ABI. */
#if defined(__x86_64__) && defined(__LP64__)

/* void ptrt_switch(void **from, void *to): saves this stack's state and stores its stack pointer in
 * *from, then continues where `to` was saved. core/fiber.c lays out the first frame of a new stack
 * in this order. */
    .text
    .globl ptrt_switch
    .hidden ptrt_switch
    .type ptrt_switch, @function
    .p2align 4
ptrt_switch:
    .cfi_startproc
    endbr64
    pushq %rbp
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset %rbp, 0
    pushq %rbx
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset %rbx, 0
    pushq %r12
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset %r12, 0
    pushq %r13
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset %r13, 0
    pushq %r14
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset %r14, 0
    pushq %r15
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset %r15, 0
    subq $8, %rsp
    .cfi_adjust_cfa_offset 8
    stmxcsr (%rsp)
    fnstcw 4(%rsp)
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    ldmxcsr (%rsp)
    fldcw 4(%rsp)
    addq $8, %rsp
    .cfi_adjust_cfa_offset -8
    popq %r15
    .cfi_adjust_cfa_offset -8
    .cfi_restore %r15
    popq %r14
    .cfi_adjust_cfa_offset -8
    .cfi_restore %r14
    popq %r13
    .cfi_adjust_cfa_offset -8
    .cfi_restore %r13
    popq %r12
    .cfi_adjust_cfa_offset -8
    .cfi_restore %r12
    popq %rbx
    .cfi_adjust_cfa_offset -8
    .cfi_restore %rbx
    popq %rbp
    .cfi_adjust_cfa_offset -8
    .cfi_restore %rbp
    ret
    .cfi_endproc
    .size ptrt_switch, . - ptrt_switch

/* Start of a new stack: calls rbx with r12. There is no caller, so a backtrace ends here. */
    .globl ptrt_switch_boot
    .hidden ptrt_switch_boot
    .type ptrt_switch_boot, @function
    .p2align 4
ptrt_switch_boot:
    .cfi_startproc
    .cfi_undefined %rip
    movq %r12, %rdi
    call *%rbx
    ud2
    .cfi_endproc
    .size ptrt_switch_boot, . - ptrt_switch_boot

/* Compatible with indirect-branch tracking. Not marked for shadow stacks, which the return above
 * does not match: a program with this file is then started without them. */
    .section .note.gnu.property, "a", @note
    .p2align 3
    .long 4
    .long 16
    .long 5
    .asciz "GNU"
    .long 0xc0000002
    .long 4
    .long 1
    .long 0

#endif
    .section .note.GNU-stack, "", %progbits
