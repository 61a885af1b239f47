/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From the PVH entry (32-bit protected mode, no paging; see Xen's
 * docs/misc/pvh) to kernel_main() in 64-bit mode, at KERNEL_BASE.
 */
#include "layout.h"

#define PHYS(symbol) ((symbol) - KERNEL_BASE)

#define XEN_ELFNOTE_PHYS32_ENTRY 18

#define PTE_P  0x01
#define PTE_W  0x02
#define PTE_PS 0x80

#define CR0_PG 0x80000000
#define CR0_WP 0x00010000
#define CR4_PAE 0x20
#define MSR_EFER 0xc0000080
#define EFER_LME 0x100

	.section .note.pvh, "a", @note
	.long 4, 8, XEN_ELFNOTE_PHYS32_ENTRY
	.asciz "Xen"
	.quad pvh_start

	.section .boot, "ax"
	.code32
	.globl pvh_start
	.type pvh_start, @function
pvh_start:
	cld
	movl $PHYS(pml4), %eax
	movl %eax, %cr3
	movl $CR4_PAE, %eax
	movl %eax, %cr4
	movl $MSR_EFER, %ecx
	rdmsr
	orl $EFER_LME, %eax
	wrmsr
	/* With WP, read-only pages are so for the kernel, too. */
	movl %cr0, %eax
	orl $(CR0_PG | CR0_WP), %eax
	movl %eax, %cr0
	lgdt gdt_pointer
	ljmp $8, $start64
	.code64
start64:
	movl $16, %eax
	movl %eax, %ds
	movl %eax, %es
	movl %eax, %ss
	movq $stack_top, %rsp
	xorl %ebp, %ebp
	movq $kernel_main, %rax
	call *%rax
1:	hlt
	jmp 1b
	.size pvh_start, . - pvh_start

	.balign 8
gdt:
	.quad 0
	.quad 0x00af9b000000ffff /* 64-bit code */
	.quad 0x00cf93000000ffff /* data */
gdt_pointer:
	.word . - gdt - 1
	.long gdt

/*
 * The first gigabyte lies at 0, writable.  At KERNEL_BASE, text and constants
 * are read-only, data is writable, and all else is not mapped.
 */
	.data
	.balign 4096
pml4:
	.quad PHYS(pdpt_low) + PTE_P + PTE_W
	.fill 510, 8, 0
	.quad PHYS(pdpt_high) + PTE_P + PTE_W
pdpt_low:
	.quad PHYS(pd_low) + PTE_P + PTE_W
	.fill 511, 8, 0
pdpt_high:
	.fill 510, 8, 0
	.quad PHYS(pd_high) + PTE_P + PTE_W
	.quad 0
pd_low:
	.set page, 0
	.rept 512
	.quad page * 0x200000 + PTE_P + PTE_W + PTE_PS
	.set page, page + 1
	.endr
pd_high:
	.quad 0
	.quad TEXT_PHYS + PTE_P + PTE_PS
	.quad DATA_PHYS + PTE_P + PTE_W + PTE_PS
	.fill 509, 8, 0

	.bss
	.balign 16
	.fill 16384
stack_top:

	.section .note.GNU-stack, "", @progbits
