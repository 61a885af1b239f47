/* SPDX-License-Identifier: BSD-2-Clause */
/* QEMU's machine "virt": serial line, and the device that ends it. */
#include "bare.h"

#define UART_THR ((volatile uint8_t *)0x10000000)
#define TEST_DEVICE ((volatile uint32_t *)0x100000)
#define TEST_PASS 0x5555
#define TEST_FAIL 0x13333 /* exit status 1 */

#define ILLEGAL_INSTRUCTION 2

enum { PC = 0, RA = 1, A0 = 10, A1 = 11 };

/* As trap_entry stores them: x0 to x31, but pc for x0. */
struct trap_frame {
	uint64_t x[32];
};

int bare_is_started;

void handle_trap(unsigned long cause, struct trap_frame *frame);

void bare_put(char c)
{
	*UART_THR = (uint8_t)c;
}

void live_yield(void)
{
	__asm__ volatile("wfi" : : : "memory");
}

void bare_serialize(void)
{
	__asm__ volatile("fence.i" : : : "memory");
}

void bare_flush(sdt_uptr addr, sdt_u32 len)
{
	(void)addr;
	(void)len;
	__asm__ volatile("fence rw, rw\n\tfence.i" : : : "memory");
}

void bare_exit(int is_pass)
{
	for (;;)
		*TEST_DEVICE = is_pass ? TEST_PASS : TEST_FAIL;
}

void handle_trap(unsigned long cause, struct trap_frame *frame)
{
	struct sdt_patch_regs regs = {
		.pc = frame->x[PC],
		.link = frame->x[RA],
		.result = frame->x[A0],
	};

	if (cause != ILLEGAL_INSTRUCTION ||
	    !live_trap(&regs, frame->x[A0], frame->x[A1])) {
		live_print("exception %lu at 0x%lx\n", cause,
			   (unsigned long)frame->x[PC]);
		bare_exit(0);
	}
	frame->x[PC] = regs.pc;
	frame->x[A0] = regs.result;
}

void bare_start_cpus(void)
{
	__atomic_store_n(&bare_is_started, 1, __ATOMIC_SEQ_CST);
}
