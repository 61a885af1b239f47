/* SPDX-License-Identifier: BSD-2-Clause */
/* The module as a file in the kernel: there is no disk to load it from. */
	.section .rodata
	.globl disk_module, disk_module_end
	.balign 8
disk_module:
	.incbin MODULE
disk_module_end:

	.section .note.GNU-stack, "", @progbits
