/* SPDX-License-Identifier: BSD-2-Clause */
/* The patcher for x86, on an array of bytes. */
#if !defined(__x86_64__) && !defined(__i386__)
#include <stdio.h>
int main(void)
{
	puts("skipped: this machine is no x86");
	return 77;
}
#else
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../runtime/sdt_patch.h"

static int nfailed;

#define CHECK(condition) check((condition), #condition, __LINE__)

static void check(int is_true, const char *what, int line)
{
	if (is_true)
		return;
	printf("%s:%d: %s\n", __FILE__, line, what);
	nfailed++;
}

enum { TEXT_SIZE = 256, NSTEPS = 16 };

static uint8_t text[TEXT_SIZE];
static uint8_t stubs[8]; /* one byte each */
static unsigned int nwrites;
static unsigned int fails_at; /* the Nth write fails; 0 for none */

/* What the host was asked for: 'w' and length, or 's'. */
static char steps[NSTEPS + 1];
static unsigned int nsteps;

static void add_step(char what)
{
	if (nsteps < NSTEPS)
		steps[nsteps++] = what;
	steps[nsteps] = 0;
}

static int is_text(void *cookie, sdt_uptr addr, sdt_u32 len)
{
	uintptr_t at = addr - (uintptr_t)text;

	CHECK(cookie == text);
	return at <= sizeof(text) && len <= sizeof(text) - at;
}

static int write_text(void *cookie, sdt_uptr addr, const sdt_u8 *bytes,
		      sdt_u32 len)
{
	CHECK(cookie == text);
	if (++nwrites == fails_at)
		return -1;
	memcpy((void *)addr, bytes, len);
	add_step((char)('0' + len));
	return 0;
}

static void sync_cpus(void *cookie)
{
	CHECK(cookie == text);
	add_step('s');
	add_step((char)(text[0x40] == 0xcc ? '!' : '.'));
}

static const struct sdt_patch_host host = {
	.is_text = is_text,
	.write = write_text,
	.cookie = text,
};
static const struct sdt_patch_host live = {
	.is_text = is_text,
	.write = write_text,
	.sync = sync_cpus,
	.cookie = text,
};

/* A branch at text+0x40 of SIZE bytes, whose displacement is at its end. */
static struct sdt_site make_site(enum sdt_form form, int is_enabled,
				 const char *opcode, uint32_t size)
{
	struct sdt_site site = { 0 };
	uint32_t rel;

	site.addr = (uintptr_t)text + 0x40;
	site.stub = (uintptr_t)stubs;
	site.form = form;
	site.is_enabled = is_enabled;
	memset(text, 0x90, sizeof(text));
	memcpy(text + 0x40, opcode, strlen(opcode));
	rel = (uint32_t)(site.stub - (site.addr + size));
	for (uint32_t i = 0; i < 4; i++)
		text[0x40 + size - 4 + i] = (uint8_t)(rel >> 8 * i);
	return site;
}

static int text_is(const char *bytes, size_t n)
{
	return memcmp(text + 0x40, bytes, n) == 0 && text[0x3f] == 0x90 &&
	       text[0x40 + n] == 0x90;
}

/* Where the branch of N bytes at text+0x40 goes. */
static uintptr_t target_of(size_t n)
{
	uint32_t rel = 0;

	for (size_t i = 0; i < 4; i++)
		rel |= (uint32_t)text[0x40 + n - 4 + i] << 8 * i;
	return (uintptr_t)text + 0x40 + n + (uintptr_t)(intptr_t)(int32_t)rel;
}

/* Through all states and back: OFF is what the disabled site must hold. */
static void check_states(struct sdt_site site, const char *off, size_t size)
{
	uintptr_t handler = (uintptr_t)&stubs[5];
	uint8_t original[TEXT_SIZE];

	memcpy(original, text, sizeof(text));
	CHECK(sdt_patch_check(&host, &site, site.stub) == 0);
	CHECK(sdt_patch_check(&host, &site, handler) == SDT_PATCH_OTHER_BYTES);
	CHECK(sdt_patch_init(&host, &site) == 0);
	CHECK(sdt_patch_check(&host, &site, SDT_PATCH_OFF) == 0);
	if (off != NULL)
		CHECK(text_is(off, size));
	else
		CHECK(memcmp(original, text, sizeof(text)) == 0);

	CHECK(sdt_patch_enable(&host, &site, handler) == 0);
	CHECK(target_of(size) == handler);
	CHECK(memcmp(text + 0x40, original + 0x40, size - 4) == 0);
	CHECK(sdt_patch_check(&host, &site, handler) == 0);
	CHECK(sdt_patch_enable(&host, &site, handler) == SDT_PATCH_OTHER_BYTES);
	CHECK(sdt_patch_disable(&host, &site, handler + 1) ==
	      SDT_PATCH_OTHER_BYTES);
	CHECK(target_of(size) == handler);

	CHECK(sdt_patch_disable(&host, &site, handler) == 0);
	CHECK(sdt_patch_restore(&host, &site) == 0);
	CHECK(memcmp(original, text, sizeof(text)) == 0);
}

#if UINTPTR_MAX > 0xffffffff
#define OFF_CALL "\x0f\x1f\x44\x00\x00"
#else
#define OFF_CALL "\x3e\x8d\x74\x26\x00"
#endif
#define OFF_ENABLED "\xb8\x00\x00\x00\x00"

static void test_patch(void)
{
	check_states(make_site(SDT_FORM_CALL, 0, "\xe8", 5), OFF_CALL, 5);
	check_states(make_site(SDT_FORM_CALL, 1, "\xe8", 5), OFF_ENABLED, 5);
	check_states(make_site(SDT_FORM_TAIL, 0, "\xe9", 5),
		     "\xc3\xcc\xcc\xcc\xcc", 5);
	check_states(make_site(SDT_FORM_TAIL, 1, "\xe9", 5), NULL, 5);
	check_states(make_site(SDT_FORM_COND, 0, "\x0f\x85", 6), NULL, 6);
	check_states(make_site(SDT_FORM_COND, 1, "\x0f\x8f", 6), NULL, 6);
}

static void check_refused(struct sdt_site site, enum sdt_patch_error error)
{
	uint8_t before[TEXT_SIZE];

	memcpy(before, text, sizeof(text));
	nwrites = 0;
	CHECK(sdt_patch_check(&host, &site, site.stub) == error);
	CHECK(sdt_patch_init(&host, &site) == error);
	CHECK(nwrites == 0);
	CHECK(memcmp(before, text, sizeof(text)) == 0);
}

static void test_patch_refuses(void)
{
	struct sdt_site site;

	/* Not the branch that the table promises. */
	check_refused(make_site(SDT_FORM_CALL, 0, "\xe9", 5),
		      SDT_PATCH_OTHER_BYTES);
	check_refused(make_site(SDT_FORM_TAIL, 0, "\xe8", 5),
		      SDT_PATCH_OTHER_BYTES);
	check_refused(make_site(SDT_FORM_COND, 0, "\x0f\x95", 6),
		      SDT_PATCH_OTHER_BYTES);
	check_refused(make_site(SDT_FORM_COND, 0, "\x0e\x85", 6),
		      SDT_PATCH_OTHER_BYTES);

	/* Not its target, by one. */
	site = make_site(SDT_FORM_CALL, 0, "\xe8", 5);
	site.stub++;
	check_refused(site, SDT_PATCH_OTHER_BYTES);
	site = make_site(SDT_FORM_COND, 0, "\x0f\x85", 6);
	site.addr++;
	check_refused(site, SDT_PATCH_OTHER_BYTES);

	/* Not text, or not all of it. */
	site = make_site(SDT_FORM_CALL, 0, "\xe8", 5);
	site.addr = (uintptr_t)text + sizeof(text) - 4;
	check_refused(site, SDT_PATCH_NO_TEXT);
	site.addr = 16;
	check_refused(site, SDT_PATCH_NO_TEXT);
	site.addr = UINTPTR_MAX - 1;
	check_refused(site, SDT_PATCH_NO_TEXT);
}

static void test_patch_write_fails(void)
{
	struct sdt_site site = make_site(SDT_FORM_CALL, 0, "\xe8", 5);

	nwrites = 0;
	fails_at = 1;
	CHECK(sdt_patch_init(&host, &site) == SDT_PATCH_NOT_WRITTEN);
	fails_at = 0;
	CHECK(sdt_patch_check(&host, &site, site.stub) == 0);
}

static void test_patch_range(void)
{
#if UINTPTR_MAX > 0xffffffff
	struct sdt_site site = make_site(SDT_FORM_CALL, 0, "\xe8", 5);
	uintptr_t next = site.addr + 5;

	CHECK(sdt_patch_init(&host, &site) == 0);
	nwrites = 0;
	CHECK(sdt_patch_enable(&host, &site, next + 0x80000000) ==
	      SDT_PATCH_OUT_OF_RANGE);
	CHECK(sdt_patch_enable(&host, &site, next - 0x80000001) ==
	      SDT_PATCH_OUT_OF_RANGE);
	CHECK(nwrites == 0);
	CHECK(sdt_patch_set(&host, &site, 0, next + 0x7fffffff) == 0);
	CHECK(sdt_patch_set(&host, &site, next + 0x7fffffff,
			    next - 0x80000000) == 0);
	CHECK(target_of(5) == next - 0x80000000);
	site.stub = next + 0x80000000;
	CHECK(sdt_patch_check(&host, &site, site.stub) ==
	      SDT_PATCH_OUT_OF_RANGE);
#endif
}

/* --- While other CPUs run ------------------------------------------------ */

/* FROM to TO, in these steps: bytes written, s! and s. with and without int3.
 */
static void check_steps(struct sdt_site site, uintptr_t from, uintptr_t to,
			const char *wanted)
{
	uint8_t direct[TEXT_SIZE], before[TEXT_SIZE];

	CHECK(sdt_patch_set(&host, &site, site.stub, from) == 0);
	memcpy(before, text, sizeof(text));
	CHECK(sdt_patch_set(&host, &site, from, to) == 0);
	memcpy(direct, text, sizeof(text));
	memcpy(text, before, sizeof(text));

	nsteps = 0;
	steps[0] = 0;
	CHECK(sdt_patch_set(&live, &site, from, to) == 0);
	CHECK(strcmp(steps, wanted) == 0);
	CHECK(memcmp(direct, text, sizeof(text)) == 0);

	/* A write that fails is undone, whichever it is. */
	for (unsigned int n = (unsigned int)strlen(wanted) / 3; n > 0; n--) {
		memcpy(text, before, sizeof(text));
		nwrites = 0;
		fails_at = n;
		CHECK(sdt_patch_set(&live, &site, from, to) ==
		      SDT_PATCH_NOT_WRITTEN);
		fails_at = 0;
		CHECK(memcmp(before, text, sizeof(text)) == 0);
	}
}

static void test_live(void)
{
	const uintptr_t a = (uintptr_t)&stubs[5], b = (uintptr_t)&stubs[6];
	struct sdt_site call = make_site(SDT_FORM_CALL, 0, "\xe8", 5);
	struct sdt_site cond;

	check_steps(call, call.stub, SDT_PATCH_OFF, "1s!4s!1s.");
	call = make_site(SDT_FORM_CALL, 0, "\xe8", 5);
	check_steps(call, SDT_PATCH_OFF, a, "1s!4s!1s.");
	call = make_site(SDT_FORM_CALL, 0, "\xe8", 5);
	check_steps(call, a, b, "1s!4s!1s.");
	call = make_site(SDT_FORM_CALL, 0, "\xe8", 5);
	check_steps(call, SDT_PATCH_OFF, SDT_PATCH_TRAP, "1s!");
	call = make_site(SDT_FORM_CALL, 0, "\xe8", 5);
	check_steps(call, SDT_PATCH_TRAP, SDT_PATCH_OFF, "1s.");
	call = make_site(SDT_FORM_CALL, 0, "\xe8", 5);
	check_steps(call, SDT_PATCH_TRAP, a, "4s!1s.");
	cond = make_site(SDT_FORM_COND, 0, "\x0f\x8d", 6);
	check_steps(cond, SDT_PATCH_OFF, a, "1s!5s!1s.");
	cond = make_site(SDT_FORM_COND, 0, "\x0f\x8d", 6);
	check_steps(cond, SDT_PATCH_TRAP, SDT_PATCH_OFF, "1s.");
}

/* sdtlink --nop has been here; with or without a stub. */
static void test_init_of_nop(void)
{
	struct sdt_site site = make_site(SDT_FORM_CALL, 0, OFF_CALL, 5);

	memcpy(text + 0x40, OFF_CALL, 5);
	nwrites = 0;
	CHECK(sdt_patch_init(&host, &site) == SDT_PATCH_OK);
	site.stub = 0;
	CHECK(sdt_patch_init(&host, &site) == SDT_PATCH_OK);
	CHECK(sdt_patch_restore(&host, &site) == SDT_PATCH_OK);
	CHECK(nwrites == 0 && text_is(OFF_CALL, 5));
	CHECK(sdt_patch_enable(&host, &site, (uintptr_t)stubs) == 0);
	CHECK(target_of(5) == (uintptr_t)stubs);
	CHECK(sdt_patch_init(&host, &site) == SDT_PATCH_OTHER_BYTES);
}

/* --- The breakpoint ------------------------------------------------------ */

static struct sdt_table_entry entry;
static uint32_t descriptor[4] __attribute__((aligned(8)));

/* A table of one entry for the site at text+0x40. */
static struct sdt_table table_of(unsigned int kind)
{
	struct sdt_bounds bounds = { &entry, &entry + 1, descriptor,
				     descriptor + 4 };
	struct sdt_table table;

	entry.site = (int32_t)(text + 0x40 - (uint8_t *)&entry.site);
	entry.probe = (int32_t)((uint8_t *)descriptor -
				(uint8_t *)&entry.probe + (int)kind);
	descriptor[0] = SDT_PROBE_MAGIC;
	CHECK(sdt_table_check_anchored(&bounds, &table) == 0);
	return table;
}

static void check_trap(unsigned int kind, uintptr_t flags,
		       enum sdt_patch_trap wanted, int returns, size_t size)
{
	const uintptr_t stack[2] = { 0x1234567, 0 };
	struct sdt_patch_regs regs = { 0 };
	struct sdt_table table = table_of(kind);
	struct sdt_site site;

	regs.pc = (uintptr_t)text + 0x41;
	regs.sp = (uintptr_t)stack;
	regs.flags = flags;
	regs.result = 77;
	CHECK(sdt_patch_trap(&table, &regs, &site) == wanted);
	CHECK(site.addr == (uintptr_t)text + 0x40);
	CHECK(regs.pc == (returns ? stack[0] : (uintptr_t)text + 0x40 + size));
	CHECK(regs.sp == (uintptr_t)(stack + returns));
	CHECK(regs.result == (wanted == SDT_TRAP_HIT && kind & 4 ? 0 : 77));
	CHECK(regs.flags == flags);
}

/* What the CPU itself makes of condition CC with FLAGS. */
static int cpu_takes(unsigned int cc, uintptr_t flags)
{
	unsigned char taken = 0;

/* clang-format off */
#ifdef __x86_64__ /* there is a red zone */
#define BELOW "lea -128(%%rsp), %%rsp\n\t"
#define ABOVE "\n\tlea 128(%%rsp), %%rsp"
#else
#define BELOW
#define ABOVE
#endif
#define TRY(n, name)                                                           \
	case n:                                                                \
		__asm__(BELOW "push %1\n\tpopf\n\tset" name " %0" ABOVE       \
			: "=q"(taken) : "r"(flags) : "cc");                    \
		break;
	/* clang-format on */

	switch (cc) {
		TRY(0, "o")
		TRY(1, "no") TRY(2, "b") TRY(3, "ae") TRY(4, "e") TRY(5, "ne")
			TRY(6, "be") TRY(7, "a") TRY(8, "s") TRY(9, "ns")
				TRY(10, "p") TRY(11, "np") TRY(12, "l")
					TRY(13, "ge") TRY(14, "le") TRY(15, "g")
	}
	return taken;
}

static void test_conditions(void)
{
	for (unsigned int n = 0; n < 16 * 32; n++) {
		unsigned int cc = n / 32;
		uintptr_t flags = 0x202 | (n & 1) | (n >> 1 & 1) << 2 |
				  (n >> 2 & 1) << 6 | (n >> 3 & 1) << 7 |
				  (uintptr_t)(n >> 4 & 1) << 11;
		char opcode[3] = { 0x0f, (char)(0x80 + cc), 0 };
		int taken = cpu_takes(cc, flags);

		make_site(SDT_FORM_COND, 0, opcode, 6);
		check_trap(2, flags, taken ? SDT_TRAP_HIT : SDT_TRAP_PASSED,
			   taken, 6);
		check_trap(6, flags, taken ? SDT_TRAP_HIT : SDT_TRAP_PASSED,
			   taken, 6);
	}
}

static void test_trap(void)
{
	struct sdt_patch_regs regs = { 0 };
	struct sdt_table table = table_of(0);
	struct sdt_site site;

	check_trap(0, 0x202, SDT_TRAP_HIT, 0, 5);
	check_trap(1, 0x202, SDT_TRAP_HIT, 1, 5);
	check_trap(4, 0x202, SDT_TRAP_HIT, 0, 5);
	check_trap(5, 0x202, SDT_TRAP_HIT, 1, 5);

	regs.pc = (uintptr_t)text + 0x40;
	CHECK(sdt_patch_trap(&table, &regs, &site) == SDT_TRAP_NOT_OURS);
	regs.pc = (uintptr_t)text + 0x42;
	CHECK(sdt_patch_trap(&table, &regs, &site) == SDT_TRAP_NOT_OURS);
	CHECK(regs.pc == (uintptr_t)text + 0x42);
}

int main(void)
{
	test_patch();
	test_patch_refuses();
	test_patch_write_fails();
	test_patch_range();
	test_live();
	test_init_of_nop();
	test_trap();
	test_conditions();
	return nfailed > 0;
}
#endif
