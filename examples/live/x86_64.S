/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * CPU 0 comes from the PVH entry (32-bit protected mode, no paging; see Xen's
 * docs/misc/pvh), the others from the real-mode code at the end, copied to
 * AP_PHYS.  All memory below 4 GiB is mapped where it is.
 */
#define XEN_ELFNOTE_PHYS32_ENTRY 18
#define AP_PHYS 0x8000
#define STACK_SIZE 8192

#define PTE_P  0x01
#define PTE_W  0x02
#define PTE_PS 0x80

#define CR0_PE 1
#define CR0_PG 0x80000000
#define CR4_PAE 0x20
#define MSR_EFER 0xc0000080
#define EFER_LME 0x100
#define LAPIC_ID 0xfee00020

	.section .note.pvh, "a", @note
	.long 4, 8, XEN_ELFNOTE_PHYS32_ENTRY
	.asciz "Xen"
	.quad start32

	.text
	.code32
	.globl start32
	.type start32, @function
start32:
	cld
	lgdt gdt_pointer
with_gdt:
	movl $16, %eax
	movl %eax, %ds
	movl %eax, %es
	movl %eax, %ss
	movl $pml4, %eax
	movl %eax, %cr3
	movl $CR4_PAE, %eax
	movl %eax, %cr4
	movl $MSR_EFER, %ecx
	rdmsr
	orl $EFER_LME, %eax
	wrmsr
	movl %cr0, %eax
	orl $(CR0_PG | CR0_PE), %eax
	movl %eax, %cr0
	ljmp $8, $start64
	.size start32, . - start32

	.code64
	.type start64, @function
start64:
	lidt idt_pointer
	movl $LAPIC_ID, %eax
	movl (%rax), %edi
	shrl $24, %edi
	leal 1(%rdi), %eax
	imull $STACK_SIZE, %eax, %eax
	leaq stacks(%rax), %rsp
	xorl %ebp, %ebp
	call bare_main
	.size start64, . - start64

	/* #BP: the registers as struct trap_frame has them */
	.globl trap_entry
	.type trap_entry, @function
trap_entry:
	pushq %r11
	pushq %r10
	pushq %r9
	pushq %r8
	pushq %rdi
	pushq %rsi
	pushq %rdx
	pushq %rcx
	pushq %rax
	cld
	movq %rsp, %rdi
	/* The CPU aligned the stack; 5 of its words and 9 of ours keep it so. */
	call handle_trap
	popq %rax
	popq %rcx
	popq %rdx
	popq %rsi
	popq %rdi
	popq %r8
	popq %r9
	popq %r10
	popq %r11
	iretq
	.size trap_entry, . - trap_entry

	/* Any other exception */
	.globl fault_entry
	.type fault_entry, @function
fault_entry:
	xorl %edi, %edi
	andq $-16, %rsp
	call bare_exit
	.size fault_entry, . - fault_entry

	.section .rodata
	.globl ap_code, ap_code_end
ap_code:
	.code16
	cli
	movw %cs, %ax
	movw %ax, %ds
	lgdtl ap_gdt_pointer - ap_code
	movl $CR0_PE, %eax
	movl %eax, %cr0
	ljmpl $24, $with_gdt
	.balign 4
ap_gdt_pointer:
	.word gdt_end - gdt - 1
	.long gdt
ap_code_end:
	.code64

	.balign 8
gdt:
	.quad 0
	.quad 0x00af9b000000ffff /* 64-bit code */
	.quad 0x00cf93000000ffff /* data */
	.quad 0x00cf9b000000ffff /* 32-bit code */
gdt_end:
gdt_pointer:
	.word gdt_end - gdt - 1
	.long gdt
idt_pointer:
	.word 16 * 32 - 1
	.quad idt

	.data
	.balign 4096
pml4:
	.quad pdpt + PTE_P + PTE_W
	.fill 511, 8, 0
pdpt:
	.quad pd + PTE_P + PTE_W
	.quad pd + 4096 + PTE_P + PTE_W
	.quad pd + 8192 + PTE_P + PTE_W
	.quad pd + 12288 + PTE_P + PTE_W
	.fill 508, 8, 0
pd:
	.set page, 0
	.rept 2048
	.quad page * 0x200000 + PTE_P + PTE_W + PTE_PS
	.set page, page + 1
	.endr

	.bss
	.globl idt
	.balign 16
idt:
	.fill 32 * 16
stacks:
	.fill 8 * STACK_SIZE

	.section .note.GNU-stack, "", @progbits
