/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * QEMU's "mps2-an385", a microcontroller with Thumb code alone: serial line,
 * semihosting, the breakpoint, which without a debugger is a HardFault.  There
 * is one CPU; an interrupt comes to the sites as a second one would, wherever
 * the first is in changing them.
 */
#include "bare.h"

#define UART ((volatile uint32_t *)0x40004000)
#define UART_DATA 0
#define UART_CTRL 2
#define UART_DIVIDER 4
#define SYST ((volatile uint32_t *)0xe000e010) /* control, reload, current */
#define TICK 12500			       /* cycles at 25 MHz */
#define BKPT 0xbe
#define SEMIHOSTING_EXIT 0x18
#define ADP_STOPPED_APPLICATION_EXIT 0x20026
#define ADP_STOPPED_RUN_TIME_ERROR 0x20023

/* As the CPU stores them. */
struct trap_frame {
	uintptr_t r[4];
	uintptr_t r12, lr, pc, xpsr;
};

void handle_trap(struct trap_frame *frame);
void handle_tick(void);

void bare_put(char c)
{
	UART[UART_DIVIDER] = 16;
	UART[UART_CTRL] = 1;
	UART[UART_DATA] = (uint8_t)c;
}

/* Until the next interrupt; in one, there is nothing to wait for. */
void live_yield(void)
{
	uint32_t exception;

	__asm__ volatile("mrs %0, ipsr" : "=r"(exception));
	if (exception == 0)
		__asm__ volatile("wfi" : : : "memory");
}

void bare_serialize(void)
{
	__asm__ volatile("dsb\n\tisb" : : : "memory");
}

/* No caches. */
void bare_flush(sdt_uptr addr, sdt_u32 len)
{
	(void)addr;
	(void)len;
	bare_serialize();
}

/* QEMU exits with 0 or 1. */
void bare_exit(int is_pass)
{
	register uintptr_t r0 __asm__("r0") = SEMIHOSTING_EXIT;
	register uintptr_t r1 __asm__("r1") =
		is_pass ? ADP_STOPPED_APPLICATION_EXIT
			: ADP_STOPPED_RUN_TIME_ERROR;

	for (;;)
		__asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
}

void handle_trap(struct trap_frame *frame)
{
	struct sdt_patch_regs regs = {
		.pc = frame->pc,
		.flags = frame->xpsr,
		.link = frame->lr,
		.result = frame->r[0],
	};

	/* Of the status of faults, QEMU says another than real CPUs. */
	if (((const uint8_t *)frame->pc)[1] != BKPT ||
	    !live_trap(&regs, frame->r[0], frame->r[1])) {
		live_print("fault at 0x%lx\n", (unsigned long)frame->pc);
		bare_exit(0);
	}
	frame->pc = regs.pc;
	frame->xpsr = regs.flags;
	frame->r[0] = regs.result;
}

void handle_tick(void)
{
	bare_round(1);
}

void bare_start_cpus(void)
{
	SYST[1] = TICK;
	SYST[2] = 0;
	SYST[0] = 7;
}
