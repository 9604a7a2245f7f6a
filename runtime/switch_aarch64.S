/* SPDX-License-Identifier: Apache-2.0 */
/* switch_aarch64.S - switches from one stack to another. Saves what a callee must preserve,
 * including the floating-point control register. AAPCS64. */
#if defined(__aarch64__) && defined(__LP64__)

#define FRAME 176

/* void ptrt_switch(void **from, void *to): saves this stack's state and stores its stack pointer in
 * *from, then continues where `to` was saved. core/fiber.c lays out the first frame of a new stack
 * in this order. */
    .text
    .globl ptrt_switch
    .hidden ptrt_switch
    .type ptrt_switch, %function
    .p2align 4
ptrt_switch:
    .cfi_startproc
    hint #34 /* bti c */
    sub sp, sp, #FRAME
    .cfi_adjust_cfa_offset FRAME
    stp x29, x30, [sp, #0]
    .cfi_rel_offset x29, 0
    .cfi_rel_offset x30, 8
    stp x19, x20, [sp, #16]
    .cfi_rel_offset x19, 16
    .cfi_rel_offset x20, 24
    stp x21, x22, [sp, #32]
    .cfi_rel_offset x21, 32
    .cfi_rel_offset x22, 40
    stp x23, x24, [sp, #48]
    .cfi_rel_offset x23, 48
    .cfi_rel_offset x24, 56
    stp x25, x26, [sp, #64]
    .cfi_rel_offset x25, 64
    .cfi_rel_offset x26, 72
    stp x27, x28, [sp, #80]
    .cfi_rel_offset x27, 80
    .cfi_rel_offset x28, 88
    stp d8, d9, [sp, #96]
    .cfi_rel_offset d8, 96
    .cfi_rel_offset d9, 104
    stp d10, d11, [sp, #112]
    .cfi_rel_offset d10, 112
    .cfi_rel_offset d11, 120
    stp d12, d13, [sp, #128]
    .cfi_rel_offset d12, 128
    .cfi_rel_offset d13, 136
    stp d14, d15, [sp, #144]
    .cfi_rel_offset d14, 144
    .cfi_rel_offset d15, 152
    mrs x9, fpcr
    str x9, [sp, #160]
    mov x10, sp
    str x10, [x0]
    mov sp, x1
    ldr x10, [sp, #160]
    cmp x9, x10
    b.eq 1f
    msr fpcr, x10
1:
    ldp d14, d15, [sp, #144]
    ldp d12, d13, [sp, #128]
    ldp d10, d11, [sp, #112]
    ldp d8, d9, [sp, #96]
    ldp x27, x28, [sp, #80]
    ldp x25, x26, [sp, #64]
    ldp x23, x24, [sp, #48]
    ldp x21, x22, [sp, #32]
    ldp x19, x20, [sp, #16]
    ldp x29, x30, [sp, #0]
    add sp, sp, #FRAME
    .cfi_adjust_cfa_offset -FRAME
    .cfi_restore x29
    .cfi_restore x30
    ret
    .cfi_endproc
    .size ptrt_switch, . - ptrt_switch

/* Start of a new stack: calls x19 with x20. There is no caller, so a backtrace ends here. */
    .globl ptrt_switch_boot
    .hidden ptrt_switch_boot
    .type ptrt_switch_boot, %function
    .p2align 4
ptrt_switch_boot:
    .cfi_startproc
    .cfi_undefined x30
    mov x0, x20
    blr x19
    brk #1
    .cfi_endproc
    .size ptrt_switch_boot, . - ptrt_switch_boot

/* Compatible with branch-target identification. */
    .section .note.gnu.property, "a", %note
    .p2align 3
    .word 4
    .word 16
    .word 5
    .asciz "GNU"
    .word 0xc0000000
    .word 4
    .word 1
    .word 0

#endif
    .section .note.GNU-stack, "", %progbits
