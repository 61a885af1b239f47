/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * In place of a firmware, at address 0 without address translation.  CPU 0
 * comes from QEMU, the others from start-cpu with their number in r3; all in
 * big-endian mode.  Power ISA, Book III, "Interrupt vectors".
 */
#define STACK_SHIFT 14
#define FRAME_SIZE 800 /* 512 that a function may use below its stack */
#define H_SET_MODE 0x31c
#define MODE_LITTLE 1 /* of interrupts */
#define RESOURCE_ENDIAN 4

	.abiversion 2
	.section .vectors, "ax"
	.org 0x100
	tdi 0, 0, 0x48 /* the other way round: b .+8 */
	b start
	/* big-endian */
	.byte 0x7d, 0x60, 0x00, 0xa6 /* mfmsr 11 */
	.byte 0x69, 0x6b, 0x00, 0x01 /* xori 11,11,1 */
	.byte 0x39, 0x40, 0x01, 0x80 /* li 10,0x180 */
	.byte 0x7d, 0x5a, 0x03, 0xa6 /* mtsrr0 10 */
	.byte 0x7d, 0x7b, 0x03, 0xa6 /* mtsrr1 11 */
	.byte 0x4c, 0x00, 0x00, 0x24 /* rfid */
	.org 0x180
	b start
	.irp vector, 0x200, 0x300, 0x380, 0x400, 0x480, 0x500, 0x600
	.org \vector
	b fault
	.endr
	.org 0x700
	b trap_entry
	.irp vector, 0x800, 0x900, 0xa00, 0xb00, 0xc00, 0xd00, 0xe00, 0xf00
	.org \vector
	b fault
	.endr

	.text
	.globl start
	.type start, @function
start:
	lis 2, .TOC.@ha
	addi 2, 2, .TOC.@l
	lis 4, is_first@ha
	lwz 5, is_first@l(4)
	cmpwi 5, 0
	beq 1f
	li 5, 0
	stw 5, is_first@l(4)
	li 3, H_SET_MODE
	li 4, MODE_LITTLE
	li 5, RESOURCE_ENDIAN
	li 6, 0
	li 7, 0
	sc 1
	li 3, 0
1:	lis 1, stacks@ha
	addi 1, 1, stacks@l
	addi 4, 3, 1
	sldi 4, 4, STACK_SHIFT
	add 1, 1, 4
	addi 1, 1, -64
	bl bare_main
	nop
	.size start, . - start

	.type trap_entry, @function
trap_entry:
	std 1, -FRAME_SIZE(1)
	addi 1, 1, -FRAME_SIZE
	std 0, 48(1)
	.irp reg, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12
	std \reg, 32 + 8 * \reg(1)
	.endr
	mflr 3
	mfctr 4
	mfxer 5
	mfcr 6
	mfsrr0 7
	mfsrr1 8
	std 3, 136(1)
	std 4, 144(1)
	std 5, 152(1)
	std 6, 160(1)
	std 7, 168(1)
	std 8, 176(1)
	addi 3, 1, 48
	bl handle_trap
	nop
	ld 3, 136(1)
	ld 4, 144(1)
	ld 5, 152(1)
	ld 6, 160(1)
	ld 7, 168(1)
	ld 8, 176(1)
	mtlr 3
	mtctr 4
	mtxer 5
	mtcr 6
	mtsrr0 7
	mtsrr1 8
	ld 0, 48(1)
	.irp reg, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12
	ld \reg, 32 + 8 * \reg(1)
	.endr
	addi 1, 1, FRAME_SIZE
	rfid
	.size trap_entry, . - trap_entry

	.type fault, @function
fault:
	mfsrr0 3
	addi 1, 1, -FRAME_SIZE
	bl bare_fault
	nop
	.size fault, . - fault

	.data
	.balign 4
is_first:
	.long 1

	.bss
	.balign 16
stacks:
	.skip 8 << STACK_SHIFT

	.section .note.GNU-stack, "", @progbits
