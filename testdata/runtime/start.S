/* SPDX-License-Identifier: GPL-3.0-or-later */
/* control.c on a bare ARM: a microcontroller's vectors, or the first word. */
	.section .start, "ax"
#if __ARM_ARCH_PROFILE == 'M'
	.long stack_end, start_in_c
	.rept 14
	.long start_in_c
	.endr
#else
	.arm
	ldr sp, =stack_end
	bl start_in_c
	.ltorg
#endif
	.bss
	.balign 8
	.skip 8192
stack_end:
	.section .note.GNU-stack, "", %progbits
