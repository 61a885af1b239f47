/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * void copy_check(uintptr_t addr, unsigned int *nchecked)
 *
 * A probe in assembly, and one whose site is a conditional tail call, which
 * compilers make of `if (bad) probe(addr);' when they save space.  Nothing may
 * be returned in %rax behind it: a probe may change that as any call may.
 */
	.text
	.globl copy_check
	.type copy_check, @function
copy_check:
	incl (%rsi)
	movq %rdi, %rax
	shrq $47, %rax
	jnz __dtrace_sdt_copy___bad /* returns to our caller */
	ret
	.size copy_check, . - copy_check

	.section .note.GNU-stack, "", @progbits
