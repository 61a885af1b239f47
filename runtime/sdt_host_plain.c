/* SPDX-License-Identifier: BSD-2-Clause */
#include "sdt_host_plain.h"

#if defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'
#define IS_CORTEX_M
#endif

#if defined(__mips64) && defined(_ABI64) && _MIPS_SIM == _ABI64
#define ADD "daddiu"
#else
#define ADD "addiu"
#endif

static int is_within(const struct sdt_text *text, sdt_uptr addr, sdt_u32 len)
{
	/* addr + len could wrap. */
	return addr >= text->start && addr < text->end &&
	       len <= text->end - addr;
}

static int is_text(void *cookie, sdt_uptr addr, sdt_u32 len)
{
	const struct sdt_control *control = cookie;

	for (const struct sdt_module *m = control->first; m != 0; m = m->next)
		if (is_within(&m->text[0], addr, len) ||
		    is_within(&m->text[1], addr, len))
			return 1;
	return 0;
}

/* Each is one store, as struct sdt_patch_host demands. */
static void store(sdt_uptr addr, const sdt_u8 *bytes, sdt_u32 len)
{
	union {
		sdt_u8 bytes[4];
		unsigned short half;
		sdt_u32 word;
	} value;

	for (sdt_u32 i = 0; i < len && i < 4; i++)
		value.bytes[i] = bytes[i];
	if (len == 4 && addr % 4 == 0)
		*(volatile sdt_u32 *)addr = value.word;
	else if (len == 2 && addr % 2 == 0)
		*(volatile unsigned short *)addr = value.half;
	else
		for (sdt_u32 i = 0; i < len; i++)
			((volatile sdt_u8 *)addr)[i] = bytes[i];
}

static int write_text(void *cookie, sdt_uptr addr, const sdt_u8 *bytes,
		      sdt_u32 len)
{
	(void)cookie;
	store(addr, bytes, len);
	for (sdt_u32 i = 0; i < len; i++)
		if (((volatile const sdt_u8 *)addr)[i] != bytes[i])
			return -1;
	return 0;
}

/*
 * At most eight bytes are in one or two lines of a cache: that of the first,
 * and that of the last.  See `flush' in sdt_patch.h for what each machine
 * needs.
 */
static void clean(sdt_uptr addr)
{
#if defined(__aarch64__)
	__asm__ volatile("dc cvau, %0" : : "r"(addr) : "memory");
#elif defined(IS_CORTEX_M)
	/* DCCMVAU.  Without a cache, the write is ignored (ARMv7-M B3.2.2). */
	*(volatile sdt_u32 *)0xe000ef64u = (sdt_u32)addr;
#elif defined(__arm__) && __ARM_ARCH >= 7
	__asm__ volatile("mcr p15, 0, %0, c7, c11, 1" : : "r"(addr) : "memory");
#elif defined(__arm__)
	__asm__ volatile("mcr p15, 0, %0, c7, c10, 1" : : "r"(addr) : "memory");
#elif defined(__mips__) && __mips_isa_rev >= 2
	__asm__ volatile("synci 0(%0)" : : "r"(addr) : "memory");
#elif defined(__mips__)
	__asm__ volatile(".set push\n.set mips3\ncache 0x19, 0(%0)\n.set pop"
			 :
			 : "r"(addr)
			 : "memory");
#elif defined(__powerpc__)
	__asm__ volatile("dcbst 0, %0" : : "r"(addr) : "memory");
#else
	(void)addr;
#endif
}

static void invalidate(sdt_uptr addr)
{
#if defined(__aarch64__)
	__asm__ volatile("ic ivau, %0" : : "r"(addr) : "memory");
#elif defined(IS_CORTEX_M)
	*(volatile sdt_u32 *)0xe000ef58u = (sdt_u32)addr; /* ICIMVAU */
#elif defined(__arm__)
	__asm__ volatile("mcr p15, 0, %0, c7, c5, 1" : : "r"(addr) : "memory");
#elif defined(__mips__) && __mips_isa_rev < 2
	__asm__ volatile(".set push\n.set mips3\ncache 0x10, 0(%0)\n.set pop"
			 :
			 : "r"(addr)
			 : "memory");
#elif defined(__powerpc__)
	__asm__ volatile("icbi 0, %0" : : "r"(addr) : "memory");
#elif defined(__sparc__)
	__asm__ volatile("flush %0" : : "r"(addr & ~(sdt_uptr)7) : "memory");
#else
	(void)addr;
#endif
}

/* Between the two, and behind them. */
static void wait_for_memory(void)
{
#if defined(__aarch64__)
	__asm__ volatile("dsb ish" : : : "memory");
#elif defined(IS_CORTEX_M)
	__asm__ volatile("dsb" : : : "memory");
#elif defined(__arm__)
	__asm__ volatile("mcr p15, 0, %0, c7, c10, 4" : : "r"(0) : "memory");
#elif defined(__mips__) || defined(__powerpc__)
	__asm__ volatile("sync" : : : "memory");
#elif defined(__loongarch__)
	__asm__ volatile("dbar 0" : : : "memory");
#endif
}

static void fetch_anew(void)
{
#if defined(__aarch64__) || defined(IS_CORTEX_M)
	__asm__ volatile("isb" : : : "memory");
#elif defined(__arm__) && __ARM_ARCH >= 6
	/* Also drop predicted branches.  Then an isb, in its old encoding. */
	__asm__ volatile("mcr p15, 0, %0, c7, c5, 6\n\t"
			 "mcr p15, 0, %0, c7, c10, 4\n\t"
			 "mcr p15, 0, %0, c7, c5, 4"
			 :
			 : "r"(0)
			 : "memory");
#elif defined(__mips__) && __mips_isa_rev >= 2
	__asm__ volatile(".set push\n.set noreorder\n.set noat\n"
			 "bal 1f\nnop\n1: " ADD " $31, $31, 2f - 1b\n"
			 "jr.hb $31\nnop\n2: .set pop"
			 :
			 :
			 : "$31", "memory");
#elif defined(__powerpc__)
	__asm__ volatile("isync" : : : "memory");
#elif defined(__riscv)
	__asm__ volatile(".4byte 0x0000100f" : : : "memory"); /* fence.i */
#elif defined(__loongarch__)
	__asm__ volatile("ibar 0" : : : "memory");
#endif
}

static void flush(void *cookie, sdt_uptr addr, sdt_u32 len)
{
	(void)cookie;
	clean(addr);
	clean(addr + len - 1);
	wait_for_memory();
	invalidate(addr);
	invalidate(addr + len - 1);
	wait_for_memory();
	fetch_anew();
}

void sdt_host_plain(struct sdt_patch_host *host, struct sdt_control *control)
{
	host->is_text = is_text;
	host->write = write_text;
	host->flush = flush;
	host->sync = 0;
	host->stop = 0;
	host->cookie = control;
}

enum sdt_control_error sdt_plain_start(struct sdt_control *control,
				       struct sdt_module *module,
				       sdt_uptr handler)
{
	static struct sdt_patch_host host;

	sdt_host_plain(&host, control);
	control->host = &host;
	control->handler = handler;
	control->first = 0;
	return sdt_control_add(control, module);
}
