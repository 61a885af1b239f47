/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * QEMU's machine "s390-ccw-virtio": the service processor's console, signals to
 * other CPUs, the operation exception.
 */
#include "bare.h"

#define PSW_64_BIT 0x0000000180000000
#define PSW_WAIT 0x0002000180000000 /* disabled */
#define WAIT_SHUTDOWN 0xfff	    /* to QEMU: done; any other: a crash */
#define PGM_OPERATION 1

#define SIGP_STOP 5
#define SIGP_RESTART 6
#define SIGP_SET_PREFIX 13

struct psw {
	uint64_t mask, addr;
};

/* What is at address 0 of each CPU, by its prefix: the Principles' places. */
struct lowcore {
	uint8_t unused0[0x8e];
	uint16_t pgm_code;
	uint8_t unused1[0x1a0 - 0x90];
	struct psw restart, external, supervisor, program, check, io;
	uint64_t stack; /* 0x200, ours */
	uint64_t cpu;
	uint8_t unused2[8192 - 0x210];
};

/* As trap_entry stores them. */
struct trap_frame {
	uint64_t r[15];
	struct psw psw;
};

/* The write of event data: an SCCB with one event of text, for the terminal. */
struct sccb {
	uint16_t length;
	uint8_t function, control[3];
	uint16_t response;
	uint16_t event_length;
	uint8_t event_type, event_flags;
	uint16_t reserved;
	char text;
} __attribute__((__packed__, __aligned__(8)));

#define SCLP_WRITE_EVENT_DATA 0x00760005
#define EVENT_ASCII 0x1a

extern const char restart[], trap_entry[], ext_entry[];

void handle_trap(struct trap_frame *frame);

static struct lowcore lowcores[NCPUS] __attribute__((__aligned__(8192)));
static uint64_t stacks[NCPUS][1024];

/* That of CPU 0; a variable, or the compiler takes it for a null pointer. */
static struct lowcore *volatile absolute = 0;

void bare_put(char c)
{
	static struct sccb sccb;

	sccb = (struct sccb){ .length = 8 + 7,
			      .event_length = 7,
			      .event_type = EVENT_ASCII,
			      .text = c };
	__asm__ volatile(".insn rre, 0xb2200000, %0, %1" /* servc */
			 :
			 : "d"(SCLP_WRITE_EVENT_DATA), "d"((uintptr_t)&sccb)
			 : "memory", "cc");
}

void bare_serialize(void)
{
	__asm__ volatile("bcr 15, 0" : : : "memory");
}

/* Stores into text need nothing here. */
void bare_flush(sdt_uptr addr, sdt_u32 len)
{
	(void)addr;
	(void)len;
}

static void signal_cpu(unsigned int cpu, int order, uintptr_t parameter)
{
	register uintptr_t r1 __asm__("1") = parameter;

	__asm__ volatile("sigp %0, %1, 0(%2)"
			 : "+d"(r1)
			 : "d"((uintptr_t)cpu), "a"((uintptr_t)order)
			 : "memory", "cc");
}

/* QEMU ends when all CPUs wait, with 0, or as it is told to after a crash. */
void bare_exit(int is_pass)
{
	struct psw psw = { PSW_WAIT, is_pass ? WAIT_SHUTDOWN : 0xdead };

	for (unsigned int cpu = 1; cpu < NCPUS; cpu++)
		signal_cpu(cpu, SIGP_STOP, 0);
	for (;;)
		__asm__ volatile("lpswe %0" : : "Q"(psw) : "memory", "cc");
}

void handle_trap(struct trap_frame *frame)
{
	struct sdt_patch_regs regs = {
		.pc = frame->psw.addr,
		.flags = frame->psw.mask,
		.link = frame->r[14],
		.result = frame->r[2],
	};

	if (absolute->pgm_code != PGM_OPERATION ||
	    !live_trap(&regs, frame->r[2], frame->r[3])) {
		live_print("exception %u before 0x%lx\n", absolute->pgm_code,
			   frame->psw.addr);
		bare_exit(0);
	}
	frame->psw.addr = regs.pc;
	frame->r[2] = regs.result;
}

static void fill_lowcore(struct lowcore *lowcore, unsigned int cpu)
{
	lowcore->restart = (struct psw){ PSW_64_BIT, (uintptr_t)restart };
	lowcore->external = (struct psw){ PSW_64_BIT, (uintptr_t)ext_entry };
	lowcore->program = (struct psw){ PSW_64_BIT, (uintptr_t)trap_entry };
	lowcore->stack = (uintptr_t)stacks[cpu] + sizeof(stacks[cpu]) - 160;
	lowcore->cpu = cpu;
}

void bare_start_cpus(void)
{
	fill_lowcore(absolute, 0);
	for (unsigned int cpu = 1; cpu < NCPUS; cpu++) {
		fill_lowcore(&lowcores[cpu], cpu);
		signal_cpu(cpu, SIGP_SET_PREFIX, (uintptr_t)&lowcores[cpu]);
		signal_cpu(cpu, SIGP_RESTART, 0);
	}
}
