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
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "live.h"

#define NTHREADS 3

static int is_over;

/* Held by threads that pass sites, where some changes need that none does. */
static pthread_rwlock_t passing =
	PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
#if defined(__x86_64__) || defined(__aarch64__) || defined(__s390x__) || \
	defined(__sparc__)
enum { NEEDS_STOP = 0 };
#else
enum { NEEDS_STOP = 1 };
#endif

/* The registers of struct sdt_patch_regs and of two arguments, by their number
   in the context of a signal; 0 for those that are of no use. */
/* clang-format off */
#if defined(__x86_64__)
#define REG(context, n) ((context)->uc_mcontext.gregs[n])
enum { PC = REG_RIP, SP = REG_RSP, FLAGS = REG_EFL, LINK = REG_RSP,
       RESULT = REG_RAX, ARG0 = REG_RDI, ARG1 = REG_RSI };
#elif defined(__aarch64__)
#define REG(context, n) \
	(*((n) == 32 ? &(context)->uc_mcontext.pc \
		     : &(context)->uc_mcontext.regs[n]))
enum { PC = 32, SP = 30, FLAGS = 30, LINK = 30, RESULT = 0, ARG0 = 0,
       ARG1 = 1 };
#elif defined(__arm__)
#define REG(context, n) ((&(context)->uc_mcontext.arm_r0)[n])
enum { PC = 15, SP = 13, FLAGS = 16, LINK = 14, RESULT = 0, ARG0 = 0,
       ARG1 = 1 };
#elif defined(__powerpc64__)
#define REG(context, n) ((context)->uc_mcontext.gp_regs[n])
enum { PC = 32, SP = 1, FLAGS = 38, LINK = 36, RESULT = 3, ARG0 = 3,
       ARG1 = 4 };
#elif defined(__powerpc__)
#define REG(context, n) ((context)->uc_mcontext.uc_regs->gregs[n])
enum { PC = 32, SP = 1, FLAGS = 38, LINK = 36, RESULT = 3, ARG0 = 3,
       ARG1 = 4 };
#elif defined(__s390x__)
#define REG(context, n) \
	(*((n) == 16   ? &(context)->uc_mcontext.psw.addr \
	   : (n) == 17 ? &(context)->uc_mcontext.psw.mask \
		       : &(context)->uc_mcontext.gregs[n]))
enum { PC = 16, SP = 15, FLAGS = 17, LINK = 14, RESULT = 2, ARG0 = 2,
       ARG1 = 3 };
#elif defined(__mips__)
#define REG(context, n) \
	(*((n) == 32 ? &(context)->uc_mcontext.pc \
		     : &(context)->uc_mcontext.gregs[n]))
enum { PC = 32, SP = 29, FLAGS = 29, LINK = 31, RESULT = 2, ARG0 = 4,
       ARG1 = 5 };
#elif defined(__riscv)
#define REG(context, n) ((context)->uc_mcontext.__gregs[n])
enum { PC = 0, SP = 2, FLAGS = 2, LINK = 1, RESULT = 10, ARG0 = 10,
       ARG1 = 11 };
#elif defined(__sparc__)
/* No ucontext_t, but a siginfo_t and the registers: 16, and the trap's. */
#define REG(context, n) (((unsigned long *)(void *)(context))[16 + (n)])
enum { PC = 17, SP = 14, FLAGS = 16, LINK = 15, RESULT = 8, ARG0 = 8,
       ARG1 = 9, NEXT_PC = 18 };
#else /* no breakpoints */
static unsigned long no_reg;
#define REG(context, n) (*((void)(context), (void)(n), &no_reg))
enum { PC, SP, FLAGS, LINK, RESULT, ARG0, ARG1 };
#endif
/* clang-format on */
#define GET(n) ((uintptr_t)REG((ucontext_t *)context, n))
#define SET(n, value) (REG((ucontext_t *)context, n) = (value))

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
	sdt_uptr at = addr - (sdt_uptr)live_text_start;
	sdt_uptr size = (sdt_uptr)live_text_end - (sdt_uptr)live_text_start;

	(void)cookie;
	/* addr + len could wrap. */
	return at <= size && len <= size - at;
}

static int write_text(void *cookie, sdt_uptr addr, const sdt_u8 *bytes,
		      sdt_u32 len)
{
	volatile sdt_u8 *text = (volatile sdt_u8 *)addr;
	uint16_t half;
	uint32_t word;

	(void)cookie;
	if (len == 4 && addr % 4 == 0) {
		memcpy(&word, bytes, 4);
		*(volatile uint32_t *)addr = word;
		return 0;
	}
	if (len == 2 && addr % 2 == 0) {
		memcpy(&half, bytes, 2);
		*(volatile uint16_t *)addr = half;
		return 0;
	}
	for (sdt_u32 i = 0; i < len; i++)
		text[i] = bytes[i];
	return 0;
}

static void flush(void *cookie, sdt_uptr addr, sdt_u32 len)
{
	(void)cookie;
	__builtin___clear_cache((char *)addr, (char *)addr + len);
}

/* Every thread of the process that runs executes an iret or the like. */
static void sync_threads(void *cookie)
{
	(void)cookie;
	if (syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE,
		    0, 0) != 0)
		abort();
}

/* Threads stop between two passes. */
static void stop_threads(void *cookie, void (*run)(void *arg), void *arg)
{
	pthread_rwlock_wrlock(&passing);
	run(arg);
	sync_threads(cookie);
	pthread_rwlock_unlock(&passing);
}

static void handle_trap(int signal, siginfo_t *info, void *context)
{
	struct sdt_patch_regs regs = { .pc = GET(PC),
				       .sp = GET(SP),
				       .flags = GET(FLAGS),
				       .link = GET(LINK),
				       .result = GET(RESULT) };

	(void)signal;
	(void)info;
	if (!live_trap(&regs, GET(ARG0), GET(ARG1)))
		abort();
	SET(PC, regs.pc);
#ifdef __sparc__
	SET(NEXT_PC, regs.pc + 4);
#endif
	SET(SP, regs.sp);
	SET(FLAGS, regs.flags);
	SET(RESULT, regs.result);
}

static void *pass_sites(void *cpu)
{
	while (!__atomic_load_n(&is_over, __ATOMIC_RELAXED)) {
		if (NEEDS_STOP)
			pthread_rwlock_rdlock(&passing);
		live_pass((unsigned int)(uintptr_t)cpu);
		if (NEEDS_STOP)
			pthread_rwlock_unlock(&passing);
	}
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
	return sigaction(SIGTRAP, &action, NULL) |
	       sigaction(SIGILL, &action, NULL);
}

int main(int argc, char **argv)
{
	const struct sdt_patch_host boot = { .is_text = is_text,
					     .write = write_text,
					     .flush = flush };
	struct sdt_patch_host live = boot;
	pthread_t threads[NTHREADS];
	unsigned long nchanges = argc > 1 ? strtoul(argv[1], NULL, 0) : 300000;
	int status;

	live.sync = sync_threads;
	live.stop = NEEDS_STOP ? stop_threads : NULL;
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
