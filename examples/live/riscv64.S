/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Without a firmware all CPUs start here, in machine mode; all but the first
 * wait until bare_start_cpus() lets them go on.  An interrupt that is pending,
 * but off, makes wfi go on when other CPUs have had their turn (see
 * live_yield()).
 */
#define STACK_SHIFT 13
#define CLINT_MSIP 0x2000000
#define MIE_MSIE 8

	.section .text.start, "ax"
	.globl start
	.type start, @function
start:
	.option push
	.option norelax
	la gp, __global_pointer$
	.option pop
	la t0, trap_entry
	csrw mtvec, t0
	csrr a0, mhartid
	la sp, stacks
	addi t0, a0, 1
	slli t0, t0, STACK_SHIFT
	add sp, sp, t0
	li t0, CLINT_MSIP
	slli t1, a0, 2
	add t0, t0, t1
	li t1, 1
	sw t1, (t0)
	csrwi mie, MIE_MSIE
	beqz a0, 2f
	la t1, bare_is_started
1:	wfi
	lw t0, (t1)
	beqz t0, 1b
	fence
2:	tail bare_main
	.size start, . - start

	/* struct trap_frame: x0 to x31, but mepc for x0. */
	.balign 4
trap_entry:
	addi sp, sp, -256
	.irp n, 1,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
	sd x\n, 8 * \n(sp)
	.endr
	csrr t0, mepc
	sd t0, (sp)
	csrr a0, mcause
	mv a1, sp
	call handle_trap
	ld t0, (sp)
	csrw mepc, t0
	.irp n, 1,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
	ld x\n, 8 * \n(sp)
	.endr
	addi sp, sp, 256
	mret

	.bss
	.balign 16
stacks:
	.fill 8 << STACK_SHIFT

	.section .note.GNU-stack, "", %progbits
