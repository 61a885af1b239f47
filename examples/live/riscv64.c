/* SPDX-License-Identifier: BSD-2-Clause */
/* QEMU's machine "virt": serial line, and the device that ends it. */
#include "bare.h"

#define UART_THR ((volatile uint8_t *)0x10000000)
#define TEST_DEVICE ((volatile uint32_t *)0x100000)
#define TEST_PASS 0x5555
#define TEST_FAIL 0x13333 /* exit status 1 */

int bare_is_started;

void bare_fault(unsigned long cause, unsigned long addr);

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

void bare_fault(unsigned long cause, unsigned long addr)
{
	live_print("exception %lu at 0x%lx\n", cause, addr);
	bare_exit(0);
}

void bare_start_cpus(void)
{
	__atomic_store_n(&bare_is_started, 1, __ATOMIC_SEQ_CST);
}
