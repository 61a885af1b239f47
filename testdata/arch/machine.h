/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a program without a C library needs of the Linux of each instruction
 * set: exit_with, the system call exit, and where START_IN_ASSEMBLY is
 * defined, a _start that calls start_in_c once the registers are right.
 */
static void __attribute__((noreturn, unused)) exit_with(long status)
{
#if defined(SEMIHOSTING) && defined(__arm__)
	/* SYS_EXIT_EXTENDED, of an application that has ended. */
	const long reason[2] = { 0x20026, status };
	register long r0 __asm__("r0") = 0x20;
	register const long *r1 __asm__("r1") = reason;

#if __ARM_ARCH_PROFILE == 'M'
	__asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
#elif defined(__thumb__)
	__asm__ volatile("svc 0xab" : "+r"(r0) : "r"(r1) : "memory");
#else
	__asm__ volatile("svc 0x123456" : "+r"(r0) : "r"(r1) : "memory");
#endif
#elif defined(__x86_64__)
	long number = sizeof(long) == 4 ? 0x4000003c : 60; /* x32, or not */

	__asm__ volatile("syscall" : : "a"(number), "D"(status) : "memory");
#elif defined(__i386__)
	__asm__ volatile("int $0x80" : : "a"(1), "b"(status) : "memory");
#elif defined(__riscv)
	register long a0 __asm__("a0") = status;
	register long a7 __asm__("a7") = 93;

	__asm__ volatile("ecall" : : "r"(a0), "r"(a7) : "memory");
#elif defined(__arm__)
	register long r0 __asm__("r0") = status;
	register long r7 __asm__("r7") = 1;

	__asm__ volatile("svc 0" : : "r"(r0), "r"(r7) : "memory");
#elif defined(__aarch64__)
	register long x0 __asm__("x0") = status;
	register long x8 __asm__("x8") = 93;

	__asm__ volatile("svc 0" : : "r"(x0), "r"(x8) : "memory");
#elif defined(__loongarch__)
	register long a0 __asm__("$a0") = status;
	register long a7 __asm__("$a7") = 93;

	__asm__ volatile("syscall 0" : : "r"(a0), "r"(a7) : "memory");
#elif defined(__mips__)
	register long a0 __asm__("$4") = status;
	/* _MIPS_SIM is 1 for o32, 2 for n32, 3 for n64. */
	register long v0 __asm__("$2") = _MIPS_SIM == 1	  ? 4001
					 : _MIPS_SIM == 2 ? 6058
							  : 5058;

	__asm__ volatile("syscall" : "+r"(v0) : "r"(a0) : "$7", "memory");
#elif defined(__powerpc__)
	register long r0 __asm__("r0") = 1;
	register long r3 __asm__("r3") = status;

	__asm__ volatile("sc" : "+r"(r3) : "r"(r0) : "memory", "cr0", "ctr");
#elif defined(__s390x__)
	register long r2 __asm__("r2") = status;

	__asm__ volatile("svc 1" : : "r"(r2) : "memory");
#elif defined(__sparc__) && defined(__arch64__)
	register long g1 __asm__("g1") = 1;
	register long o0 __asm__("o0") = status;

	__asm__ volatile("ta 0x6d" : : "r"(g1), "r"(o0) : "memory");
#else
#error "which system call ends a program here?"
#endif
	for (;;)
		;
}

#if defined(__riscv)
#define START_IN_ASSEMBLY
__asm__(".globl _start\n"
	"_start:\n"
	".option push\n"
	".option norelax\n"
	"la gp,__global_pointer$\n"
	".option pop\n"
	"call start_in_c\n");
#endif
