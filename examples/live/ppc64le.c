/* SPDX-License-Identifier: BSD-2-Clause */
/* QEMU's "pseries": the hypervisor's console, RTAS, the trap. */
#include "bare.h"

#define H_PUT_TERM_CHAR 0x58
#define H_RTAS 0xf000 /* QEMU's own */
#define RTAS_POWER_OFF 0x2003
#define RTAS_START_CPU 0x2006
#define ENTRY 0x100
#define CPU_ID_MAX 64
#define SRR1_TRAP 0x20000

/* As trap_entry stores them. */
struct trap_frame {
	uint64_t r0, r3, r4, r5, r6, r7, r8, r9, r10, r11, r12;
	uint64_t lr, ctr, xer, cr, srr0, srr1;
};

void handle_trap(struct trap_frame *frame);
void bare_fault(uint64_t addr);

static void call(uint64_t number, uint64_t arg0, uint64_t arg1, uint64_t arg2)
{
	register uint64_t r3 __asm__("r3") = number;
	register uint64_t r4 __asm__("r4") = arg0;
	register uint64_t r5 __asm__("r5") = arg1;
	register uint64_t r6 __asm__("r6") = arg2;

	__asm__ volatile("sc 1"
			 : "+r"(r3), "+r"(r4), "+r"(r5), "+r"(r6)
			 :
			 : "r0", "r7", "r8", "r9", "r10", "r11", "r12", "lr",
			   "ctr", "xer", "cr0", "cr1", "cr5", "cr6", "cr7",
			   "memory");
}

/* The services' words are big-endian.  Returns their status. */
static uint32_t rtas(uint32_t token, uint32_t nargs, uint32_t arg0,
		     uint32_t arg1, uint32_t arg2)
{
	const uint32_t args[] = { arg0, arg1, arg2 };
	volatile uint32_t words[8];

	words[0] = __builtin_bswap32(token);
	words[1] = __builtin_bswap32(nargs);
	words[2] = __builtin_bswap32(1);
	for (uint32_t i = 0; i < nargs; i++)
		words[3 + i] = __builtin_bswap32(args[i]);
	call(H_RTAS, (uintptr_t)words, 0, 0);
	return words[3 + nargs];
}

void bare_put(char c)
{
	call(H_PUT_TERM_CHAR, 0, 1, (uint64_t)(uint8_t)c << 56);
}

/* Lowers the thread's priority; QEMU turns to the next CPU then. */
void live_yield(void)
{
	__asm__ volatile("or 1, 1, 1\n\tor 2, 2, 2" : : : "memory");
}

void bare_serialize(void)
{
	__asm__ volatile("isync" : : : "memory");
}

/* Power ISA, Book II, "Instruction storage".  No line is shorter than 16. */
void bare_flush(sdt_uptr addr, sdt_u32 len)
{
	for (sdt_uptr at = addr & ~(sdt_uptr)15; at < addr + len; at += 16)
		__asm__ volatile("dcbst 0, %0" : : "r"(at) : "memory");
	__asm__ volatile("sync" : : : "memory");
	for (sdt_uptr at = addr & ~(sdt_uptr)15; at < addr + len; at += 16)
		__asm__ volatile("icbi 0, %0" : : "r"(at) : "memory");
	__asm__ volatile("sync\n\tisync" : : : "memory");
}

/* QEMU exits with 0 whatever it was: what was printed tells. */
void bare_exit(int is_pass)
{
	(void)is_pass;
	for (;;)
		rtas(RTAS_POWER_OFF, 2, 0, 0, 0);
}

void bare_fault(uint64_t addr)
{
	live_print("exception at 0x%lx\n", (unsigned long)addr);
	bare_exit(0);
}

void handle_trap(struct trap_frame *frame)
{
	struct sdt_patch_regs regs = {
		.pc = frame->srr0,
		.link = frame->lr,
		.result = frame->r3,
	};

	if ((frame->srr1 & SRR1_TRAP) == 0 ||
	    !live_trap(&regs, frame->r3, frame->r4))
		bare_fault(frame->srr0);
	frame->srr0 = regs.pc;
	frame->r3 = regs.result;
}

/* Their numbers need not follow one another. */
void bare_start_cpus(void)
{
	uint32_t cpu = 1;

	for (uint32_t id = 1; id < CPU_ID_MAX && cpu < NCPUS; id++)
		cpu += rtas(RTAS_START_CPU, 3, id, ENTRY, cpu) == 0;
}
