/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The host on a bare machine: CPU 0 changes sites, the others pass them, and
 * answer a request to synchronise between two rounds.
 */
#include "bare.h"

static unsigned long nrequests;
static unsigned long answers[NCPUS]; /* the request that a CPU last saw */
static int is_over, is_stopping;

static unsigned long load(const unsigned long *word)
{
	return __atomic_load_n(word, __ATOMIC_SEQ_CST);
}

static void store(unsigned long *word, unsigned long value)
{
	__atomic_store_n(word, value, __ATOMIC_SEQ_CST);
}

static int is_text(void *cookie, sdt_uptr addr, sdt_u32 len)
{
	sdt_uptr at = addr - (sdt_uptr)live_text_start;
	sdt_uptr size = (sdt_uptr)live_text_end - (sdt_uptr)live_text_start;

	(void)cookie;
	/* addr + len could wrap. */
	return at <= size && len <= size - at;
}

/* In memory as BYTES are. */
static sdt_u32 word_of(const sdt_u8 *bytes, sdt_u32 len)
{
	sdt_u32 word = 0;

	for (sdt_u32 i = 0; i < len; i++)
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
		word = word << 8 | bytes[i];
#else
		word = word << 8 | bytes[len - 1 - i];
#endif
	return word;
}

static int write_text(void *cookie, sdt_uptr addr, const sdt_u8 *bytes,
		      sdt_u32 len)
{
	volatile sdt_u8 *text = (volatile sdt_u8 *)addr;

	(void)cookie;
	if (len == 4 && addr % 4 == 0) {
		*(volatile sdt_u32 *)addr = word_of(bytes, 4);
		return 0;
	}
	if (len == 2 && addr % 2 == 0) {
		*(volatile uint16_t *)addr = (uint16_t)word_of(bytes, 2);
		return 0;
	}
	for (sdt_u32 i = 0; i < len; i++)
		text[i] = bytes[i];
	return 0;
}

static void flush(void *cookie, sdt_uptr addr, sdt_u32 len)
{
	(void)cookie;
	bare_flush(addr, len);
}

static void sync_cpus(void *cookie)
{
	unsigned long request = load(&nrequests) + 1;

	(void)cookie;
	store(&nrequests, request);
	for (unsigned int cpu = 1; cpu < NCPUS; cpu++)
		while (load(&answers[cpu]) < request)
			live_yield();
}

/* The others wait between two rounds, and synchronise before the next. */
static void stop_cpus(void *cookie, void (*run)(void *arg), void *arg)
{
	__atomic_store_n(&is_stopping, 1, __ATOMIC_SEQ_CST);
	sync_cpus(cookie);
	run(arg);
	__atomic_store_n(&is_stopping, 0, __ATOMIC_SEQ_CST);
	sync_cpus(cookie);
}

int bare_round(unsigned int cpu)
{
	unsigned long request = load(&nrequests);

	bare_serialize();
	store(&answers[cpu], request);
	if (__atomic_load_n(&is_over, __ATOMIC_SEQ_CST) ||
	    __atomic_load_n(&is_stopping, __ATOMIC_SEQ_CST))
		return 0;
	live_pass(cpu);
	return 1;
}

static void __attribute__((__noreturn__)) pass_sites(unsigned int cpu)
{
	for (;;)
		if (!bare_round(cpu))
			live_yield();
}

static const struct sdt_patch_host boot = {
	.is_text = is_text,
	.write = write_text,
	.flush = flush,
};
static const struct sdt_patch_host live = {
	.is_text = is_text,
	.write = write_text,
	.flush = flush,
	.sync = sync_cpus,
	.stop = stop_cpus,
};

static int run(void)
{
	int status;

	if (live_init(&boot) != 0)
		return -1;
	bare_start_cpus();
	live_print("%u CPUs\n", NCPUS);
	status = live_change(&live, NCHANGES);
	__atomic_store_n(&is_over, 1, __ATOMIC_SEQ_CST);
	sync_cpus(0);
	return live_report(NCPUS) != 0 ? -1 : status;
}

void bare_main(unsigned int cpu)
{
	int status;

	if (cpu > 0)
		pass_sites(cpu);
	status = run();
	live_print(status == 0 ? "PASS\n" : "FAIL\n");
	bare_exit(status == 0);
}
