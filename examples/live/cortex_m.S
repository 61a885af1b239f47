/* SPDX-License-Identifier: BSD-2-Clause */
/* A microcontroller begins by its table of vectors, with a stack set up. */
	.syntax unified
	.thumb

	.section .vectors, "a"
	.globl vectors
vectors:
	.long stack_end, start, fault, trap_entry
	.rept 11
	.long fault
	.endr
	.long handle_tick

	.text
	.globl start
	.type start, %function
start:
	movs r0, #0
	bl bare_main
	.size start, . - start

	/* r0 to r3, r12, lr, pc and xPSR are on the stack */
	.type trap_entry, %function
trap_entry:
	mov r0, sp
	b handle_trap
	.size trap_entry, . - trap_entry

	.type fault, %function
fault:
	movs r0, #0
	bl bare_exit
	.size fault, . - fault

	.bss
	.balign 8
	.skip 8192
stack_end:

	.section .note.GNU-stack, "", %progbits
