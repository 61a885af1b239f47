/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * CPU 0 comes from QEMU, the others from PSCI CPU_ON; all at EL1, without MMU:
 * addresses are physical, and all memory is strongly ordered.
 */
#define STACK_SIZE 8192
#define FRAME_SIZE 272 /* struct trap_frame */
#define CPU_ON 0xc4000003

	.text
	.globl start
	.type start, %function
start:
	adrp x0, vectors
	add x0, x0, :lo12:vectors
	msr vbar_el1, x0
	isb
	mrs x0, mpidr_el1
	and x0, x0, #0xff
	add x1, x0, #1
	mov x2, #STACK_SIZE
	adrp x3, stacks
	add x3, x3, :lo12:stacks
	madd x1, x1, x2, x3
	mov sp, x1
	mov x29, #0
	bl bare_main
	.size start, . - start

	/* int start_cpu(unsigned long mpidr): 0 if it starts */
	.globl start_cpu
	.type start_cpu, %function
start_cpu:
	mov x1, x0
	adrp x2, start
	add x2, x2, :lo12:start
	mov x3, #0
	movz w0, #CPU_ON & 0xffff
	movk w0, #CPU_ON >> 16, lsl #16
	hvc #0
	ret
	.size start_cpu, . - start_cpu

	.type trap_entry, %function
trap_entry:
	sub sp, sp, #FRAME_SIZE
	stp x0, x1, [sp, #0]
	stp x2, x3, [sp, #16]
	stp x4, x5, [sp, #32]
	stp x6, x7, [sp, #48]
	stp x8, x9, [sp, #64]
	stp x10, x11, [sp, #80]
	stp x12, x13, [sp, #96]
	stp x14, x15, [sp, #112]
	stp x16, x17, [sp, #128]
	stp x18, x29, [sp, #144]
	str x30, [sp, #160]
	mrs x1, elr_el1
	mrs x2, spsr_el1
	mrs x3, esr_el1
	stp x1, x2, [sp, #176]
	str x3, [sp, #192]
	mov x0, sp
	bl handle_trap
	ldp x1, x2, [sp, #176]
	msr elr_el1, x1
	msr spsr_el1, x2
	ldp x0, x1, [sp, #0]
	ldp x2, x3, [sp, #16]
	ldp x4, x5, [sp, #32]
	ldp x6, x7, [sp, #48]
	ldp x8, x9, [sp, #64]
	ldp x10, x11, [sp, #80]
	ldp x12, x13, [sp, #96]
	ldp x14, x15, [sp, #112]
	ldp x16, x17, [sp, #128]
	ldp x18, x29, [sp, #144]
	ldr x30, [sp, #160]
	add sp, sp, #FRAME_SIZE
	eret
	.size trap_entry, . - trap_entry

	/* 16 of 128 bytes each; ours is "synchronous, at this EL with SPx" */
	.balign 2048
vectors:
	.rept 4
	.balign 128
	b fault
	.endr
	.balign 128
	b trap_entry
	.rept 11
	.balign 128
	b fault
	.endr
fault:
	mov x0, #0
	bl bare_exit

	.bss
	.balign 16
stacks:
	.fill 8 * STACK_SIZE

	.section .note.GNU-stack, "", %progbits
