/* SPDX-License-Identifier: BSD-2-Clause */
/* A PC, with pointers of 64 bits or 32 (x32): serial line, local APIC, the
 * breakpoint exception. */
#include "bare.h"

#define COM1 0x3f8
#define COM1_LSR (COM1 + 5)
#define LSR_THRE 0x20	/* ready for the next character */
#define DEBUG_EXIT 0xf4 /* QEMU exits with twice the value, and 1 */
#define PORT_DELAY 0x80

#define LAPIC_ICR ((volatile uint32_t *)0xfee00300)
#define LAPIC_SVR ((volatile uint32_t *)0xfee000f0)
#define ICR_INIT_OTHERS 0x000c4500
#define ICR_STARTUP_OTHERS 0x000c4600
#define AP_PHYS 0x8000

/* As trap_entry pushes them. */
struct trap_frame {
	uint64_t rax, rcx, rdx, rsi, rdi, r8, r9, r10, r11;
	uint64_t rip, cs, rflags, rsp, ss;
};

struct gate {
	uint16_t offset_low, selector, flags, offset_mid;
	uint32_t offset_high, reserved;
};

extern struct gate idt[32];
extern const char trap_entry[], fault_entry[];
extern const uint8_t ap_code[], ap_code_end[];

void handle_trap(struct trap_frame *frame);

static uint8_t port_read(uint16_t port)
{
	uint8_t value;

	__asm__ volatile("inb %1, %0" : "=a"(value) : "Nd"(port));
	return value;
}

static void port_write(uint16_t port, uint8_t value)
{
	__asm__ volatile("outb %0, %1" : : "a"(value), "Nd"(port));
}

void bare_put(char c)
{
	while (!(port_read(COM1_LSR) & LSR_THRE))
		;
	port_write(COM1, (uint8_t)c);
}

void live_yield(void)
{
	__asm__ volatile("pause" : : : "memory");
}

void bare_serialize(void)
{
	uint32_t eax = 0, ecx = 0, ebx, edx;

	__asm__ volatile("cpuid"
			 : "+a"(eax), "=b"(ebx), "+c"(ecx), "=d"(edx)
			 :
			 : "memory");
}

/* Text is written where it runs; that needs nothing here. */
void bare_flush(sdt_uptr addr, sdt_u32 len)
{
	(void)addr;
	(void)len;
}

void bare_exit(int is_pass)
{
	__asm__ volatile("outl %0, %1"
			 :
			 : "a"(is_pass ? 0x10 : 0x11),
			   "Nd"((uint16_t)DEBUG_EXIT));
	for (;;)
		__asm__ volatile("hlt");
}

void handle_trap(struct trap_frame *frame)
{
	struct sdt_patch_regs regs = {
		.pc = (sdt_uptr)frame->rip,
		.sp = (sdt_uptr)frame->rsp,
		.flags = (sdt_uptr)frame->rflags,
		.result = (sdt_uptr)frame->rax,
	};

	if (!live_trap(&regs, (uintptr_t)frame->rdi, (uintptr_t)frame->rsi)) {
		live_print("a breakpoint at 0x%lx is no site\n",
			   (unsigned long)frame->rip);
		bare_exit(0);
	}
	frame->rip = regs.pc;
	frame->rsp = regs.sp;
	frame->rax = regs.result;
}

static void set_gate(int vector, const char *entry)
{
	uint64_t addr = (uintptr_t)entry;

	idt[vector].offset_low = (uint16_t)addr;
	idt[vector].selector = 8;
	idt[vector].flags = 0x8e00; /* present, 64-bit interrupt gate */
	idt[vector].offset_mid = (uint16_t)(addr >> 16);
	idt[vector].offset_high = (uint32_t)(addr >> 32);
}

static void delay(unsigned int microseconds)
{
	while (microseconds-- > 0)
		port_write(PORT_DELAY, 0);
}

/* SDM vol. 3, "MP Initialization Protocol": INIT, 10 ms, SIPI. */
void bare_start_cpus(void)
{
	volatile uint8_t *to = (volatile uint8_t *)AP_PHYS;

	for (int vector = 0; vector < 32; vector++)
		set_gate(vector, vector == 3 ? trap_entry : fault_entry);
	for (const uint8_t *from = ap_code; from < ap_code_end;)
		*to++ = *from++;
	*LAPIC_SVR |= 0x100;
	*LAPIC_ICR = ICR_INIT_OTHERS;
	delay(10000);
	*LAPIC_ICR = ICR_STARTUP_OTHERS | AP_PHYS >> 12;
}
