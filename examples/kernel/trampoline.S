/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One handler for each site, so that trace_fire() knows which one fired even
 * where a tail call left no return address.
 */
#include "trampoline.h"

	.text
	.globl trampolines
	.balign TRAMPOLINE_SIZE
trampolines:
	.set site, 0
	.rept TRACE_NSITES_MAX
	.balign TRAMPOLINE_SIZE
	pushq $site
	jmp fire
	.set site, site + 1
	.endr

	/* struct trace_frame; it leaves the stack aligned for the call. */
fire:
	pushq %r9
	pushq %r8
	pushq %rcx
	pushq %rdx
	pushq %rsi
	pushq %rdi
	movq %rsp, %rdi
	call trace_fire
	addq $56, %rsp
	ret

	/* The handler of every is-enabled site. */
	.globl trace_is_enabled
trace_is_enabled:
	movl $1, %eax
	ret

	.section .note.GNU-stack, "", @progbits
