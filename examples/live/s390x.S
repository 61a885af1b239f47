/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * CPU 0 comes from QEMU in 64-bit mode, the others from the restart PSW that
 * bare_start_cpus() gives them; without address translation.  See the z/
 * Architecture Principles of Operation, "Assigned storage locations".
 */
#define FRAME_SIZE 304 /* 160 for the callee, and struct trap_frame */
#define PGM_OLD 0x150
#define LC_STACK 0x200 /* ours: struct lowcore */
#define LC_CPU 0x208

	.text
	.globl start
	.type start, @function
start:
	larl %r15, first_stack
	aghi %r15, 8192 - 160
	lghi %r2, 0
	larl %r1, control
	lctlg %c0, %c0, 0(%r1)
	brasl %r14, bare_main
	.size start, . - start

	.globl restart
	.type restart, @function
restart:
	lg %r15, LC_STACK(%r0)
	lg %r2, LC_CPU(%r0)
	larl %r1, control
	lctlg %c0, %c0, 0(%r1)
	brasl %r14, bare_main
	.size restart, . - restart

	/* No condition code changes but those that the PSW has. */
	.globl trap_entry
	.type trap_entry, @function
trap_entry:
	lay %r15, -FRAME_SIZE(%r15)
	stmg %r0, %r14, 160(%r15)
	mvc 280(16, %r15), PGM_OLD(%r0)
	la %r2, 160(%r15)
	brasl %r14, handle_trap
	mvc PGM_OLD(16, %r0), 280(%r15)
	lmg %r0, %r14, 160(%r15)
	lay %r15, FRAME_SIZE(%r15)
	lpswe PGM_OLD(%r0)
	.size trap_entry, . - trap_entry

	/*
	 * A wait lets QEMU turn to the next CPU.  It ends at once: this CPU has
	 * called itself before, and ext_entry is where that goes.
	 */
	.globl live_yield
	.type live_yield, @function
live_yield:
	lghi %r1, 0
	lg %r3, LC_CPU(%r0)
	sigp %r1, %r3, 2 /* external call */
	larl %r1, waiting
	lpswe 0(%r1)
	.size live_yield, . - live_yield

	.globl ext_entry
	.type ext_entry, @function
ext_entry:
	br %r14
	.size ext_entry, . - ext_entry

	.section .rodata
	.balign 8
control:
	.quad 0x2000 /* external calls */
waiting:
	.quad 0x0102000180000000, ext_entry /* enabled, waits */

	.bss
	.balign 16
first_stack:
	.skip 8192

	.section .note.GNU-stack, "", @progbits
