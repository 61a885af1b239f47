/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A branch that begins two bytes before the end of a page (see a8.lds) behind
   an instruction of 32 bits: what erratum 657417 of the Cortex-A8 is about. */
	.syntax unified
	.thumb
	.section .text.a8,"ax",%progbits
	.balign 16
	.globl at_page_end
	.type at_page_end, %function
at_page_end:
	push	{r4, lr}
	.rept 12
	nop
	.endr
	add.w	r0, r0, r1
	bl	__dtrace_sdt_bare
	pop	{r4, pc}
	.size at_page_end, .-at_page_end
