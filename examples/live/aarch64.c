/* SPDX-License-Identifier: BSD-2-Clause */
/* QEMU's machine "virt": serial line, PSCI, the breakpoint exception. */
#include "bare.h"

#define PL011_DR ((volatile uint32_t *)0x09000000)
#define ESR_EC_BRK 0x3c
#define SEMIHOSTING_EXIT 0x18
#define ADP_STOPPED_APPLICATION_EXIT 0x20026

/* As trap_entry stores them. */
struct trap_frame {
	uintptr_t x[19]; /* x0 to x18 */
	uintptr_t x29, x30, unused;
	uintptr_t elr, spsr, esr;
};

int start_cpu(unsigned long mpidr);
void handle_trap(struct trap_frame *frame);

void bare_put(char c)
{
	*PL011_DR = (uint8_t)c;
}

void live_yield(void)
{
	__asm__ volatile("yield" : : : "memory");
}

void bare_serialize(void)
{
	__asm__ volatile("isb" : : : "memory");
}

/* Arm ARM, "Synchronization and coherency issues between data and instruction
 * accesses".  No cache line is shorter than 16 bytes. */
void bare_flush(sdt_uptr addr, sdt_u32 len)
{
	for (sdt_uptr at = addr & ~(sdt_uptr)15; at < addr + len; at += 16)
		__asm__ volatile("dc cvau, %0" : : "r"(at) : "memory");
	__asm__ volatile("dsb ish" : : : "memory");
	for (sdt_uptr at = addr & ~(sdt_uptr)15; at < addr + len; at += 16)
		__asm__ volatile("ic ivau, %0" : : "r"(at) : "memory");
	__asm__ volatile("dsb ish\n\tisb" : : : "memory");
}

/* QEMU exits with 0 or 1. */
void bare_exit(int is_pass)
{
	uintptr_t block[2] = { ADP_STOPPED_APPLICATION_EXIT, !is_pass };
	register uintptr_t x0 __asm__("x0") = SEMIHOSTING_EXIT;
	register uintptr_t x1 __asm__("x1") = (uintptr_t)block;

	for (;;)
		__asm__ volatile("hlt #0xf000" : "+r"(x0) : "r"(x1) : "memory");
}

void handle_trap(struct trap_frame *frame)
{
	struct sdt_patch_regs regs = {
		.pc = frame->elr,
		.link = frame->x30,
		.result = frame->x[0],
	};

	if (frame->esr >> 26 != ESR_EC_BRK ||
	    !live_trap(&regs, frame->x[0], frame->x[1])) {
		live_print("exception 0x%lx at 0x%lx\n", frame->esr,
			   frame->elr);
		bare_exit(0);
	}
	frame->elr = regs.pc;
	frame->x[0] = regs.result;
}

void bare_start_cpus(void)
{
	for (unsigned long cpu = 1; cpu < NCPUS; cpu++) {
		if (start_cpu(cpu) != 0) {
			live_print("CPU %lu does not start\n", cpu);
			bare_exit(0);
		}
	}
}
