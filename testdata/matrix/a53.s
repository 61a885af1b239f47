/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What errata 835769 and 843419 of the Cortex-A53 are about, near sites. */
	.text
	.globl erratum_835769
	.type erratum_835769, %function
erratum_835769:
	sub	sp, sp, #16
	ldr	x1, [sp]
	madd	x0, x4, x5, x6
	add	sp, sp, #16
	b	__dtrace_sdt_bare
	.size erratum_835769, .-erratum_835769
	.balign	4096
	.space	4096 - 8
	.globl erratum_843419
	.type erratum_843419, %function
erratum_843419:
	adrp	x0, value
	ldur	x1, [sp, #-16]
	ldr	x0, [x0, #:lo12:value]
	str	x30, [sp, #-16]!
	bl	__dtrace_sdt_bare
	ldr	x30, [sp], #16
	ret
	.size erratum_843419, .-erratum_843419
	.data
	.balign	8
value:	.xword	7
