/* SPDX-License-Identifier: BSD-2-Clause */
/* The host: threads of a process on Linux, which writes to its own text. */
#define _GNU_SOURCE
#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "live.h"

#define NTHREADS 3

static int is_over;

void live_print(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vprintf(format, ap);
	va_end(ap);
}

/* The kernel switches where it likes. */
void live_yield(void)
{
}

static int is_text(void *cookie, sdt_uptr addr, sdt_u32 len)
{
	(void)cookie;
	return addr >= (sdt_uptr)live_text_start &&
	       addr + len <= (sdt_uptr)live_text_end;
}

static int write_text(void *cookie, sdt_uptr addr, const sdt_u8 *bytes,
		      sdt_u32 len)
{
	volatile sdt_u8 *text = (volatile sdt_u8 *)addr;

	(void)cookie;
	if (len == 4 && addr % 4 == 0) {
		*(volatile sdt_u32 *)addr = bytes[0] | (sdt_u32)bytes[1] << 8 |
					    (sdt_u32)bytes[2] << 16 |
					    (sdt_u32)bytes[3] << 24;
		return 0;
	}
	for (sdt_u32 i = 0; i < len; i++)
		text[i] = bytes[i];
	return 0;
}

/* Every thread of the process that runs executes an iret or the like. */
static void sync_threads(void *cookie)
{
	(void)cookie;
	if (syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE,
		    0, 0) != 0)
		abort();
}

static void handle_trap(int signal, siginfo_t *info, void *context)
{
	greg_t *saved = ((ucontext_t *)context)->uc_mcontext.gregs;
	struct sdt_patch_regs regs = {
		.pc = (sdt_uptr)saved[REG_RIP],
		.sp = (sdt_uptr)saved[REG_RSP],
		.flags = (sdt_uptr)saved[REG_EFL],
		.result = (sdt_uptr)saved[REG_RAX],
	};

	(void)signal;
	(void)info;
	if (!live_trap(&regs, (uintptr_t)saved[REG_RDI],
		       (uintptr_t)saved[REG_RSI]))
		abort();
	saved[REG_RIP] = (greg_t)regs.pc;
	saved[REG_RSP] = (greg_t)regs.sp;
	saved[REG_RAX] = (greg_t)regs.result;
}

static void *pass_sites(void *cpu)
{
	while (!__atomic_load_n(&is_over, __ATOMIC_RELAXED))
		live_pass((unsigned int)(uintptr_t)cpu);
	return NULL;
}

static int prepare(void)
{
	struct sigaction action = { .sa_sigaction = handle_trap,
				    .sa_flags = SA_SIGINFO };
	uintptr_t page = (uintptr_t)live_text_start & -4096ul;

	if (syscall(SYS_membarrier,
		    MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE, 0,
		    0) != 0) {
		puts("skipped: this Linux has no membarrier for code");
		exit(77);
	}
	if (mprotect((void *)page, (uintptr_t)live_text_end - page,
		     PROT_READ | PROT_WRITE | PROT_EXEC) != 0) {
		puts("skipped: this Linux does not let text be written");
		exit(77);
	}
	return sigaction(SIGTRAP, &action, NULL);
}

int main(int argc, char **argv)
{
	const struct sdt_patch_host boot = { .is_text = is_text,
					     .write = write_text };
	struct sdt_patch_host live = boot;
	pthread_t threads[NTHREADS];
	unsigned long nchanges = argc > 1 ? strtoul(argv[1], NULL, 0) : 300000;
	int status;

	live.sync = sync_threads;
	if (prepare() != 0 || live_init(&boot) != 0)
		return 1;
	for (uintptr_t i = 0; i < NTHREADS; i++)
		if (pthread_create(&threads[i], NULL, pass_sites, (void *)i))
			return 1;
	status = live_change(&live, nchanges);
	__atomic_store_n(&is_over, 1, __ATOMIC_RELAXED);
	for (int i = 0; i < NTHREADS; i++)
		pthread_join(threads[i], NULL);
	if (live_report(NTHREADS) != 0 || status != 0) {
		puts("FAIL");
		return 1;
	}
	puts("PASS");
	return 0;
}
