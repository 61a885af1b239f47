/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the tests of patchers share: a text of one page at a known address, a
 * host that writes down what is done to it, and the states of a site as they
 * are printed by a disassembler.
 */
#ifndef TESTS_UNIT_PATCH_H
#define TESTS_UNIT_PATCH_H

#include <config.h>

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "../../runtime/sdt_patch.h"
#include "arch/arch.h"
#include "arch/tracepoint.h"
#include "unit.h"

enum { TEXT = 0x20000000, TEXT_SIZE = 0x1000, SITE = TEXT + 0x100 };

/* The stub and two handlers; of ARM they may be Thumb. */
static unsigned patch_mode;
#define BEHIND (TEXT + 0x80 + patch_mode)
#define STUB (TEXT + 0x180 + patch_mode)
#define AHEAD (TEXT + 0x200 + patch_mode)

/* Instructions of 4 bytes one after the other, or one of 6, as printed. */
struct patch_case {
	const char *assembly;
	enum sdt_form form;
	int is_enabled, has_stub;
	uint32_t before, slot; /* the words around it */
	uint64_t stub, off, ahead, behind;
	uint64_t trap; /* 0: there is none */
	/*
	 * From off to ahead while other CPUs run: each write as its place in
	 * the site and its size, and s for sync.  NULL if they must be stopped.
	 */
	const char *steps;
};

static uint8_t *const patch_text = (uint8_t *)(uintptr_t)TEXT;
static char patch_steps[64];
static unsigned patch_size; /* of a site */
static int patch_is_big;

static int patch_is_text(void *cookie, sdt_uptr addr, sdt_u32 len)
{
	(void)cookie;
	return addr - TEXT <= TEXT_SIZE && len <= TEXT_SIZE - (addr - TEXT);
}

/* What was written, and must be flushed before anything else happens. */
static sdt_uptr patch_unflushed;

static void patch_flush(void *cookie, sdt_uptr addr, sdt_u32 len)
{
	(void)cookie;
	(void)len;
	CHECK(addr == patch_unflushed);
	patch_unflushed = 0;
}

static int patch_write(void *cookie, sdt_uptr addr, const sdt_u8 *bytes,
		       sdt_u32 len)
{
	size_t n = strlen(patch_steps);

	(void)cookie;
	CHECK(patch_unflushed == 0);
	patch_unflushed = addr;
	snprintf(patch_steps + n, sizeof(patch_steps) - n, "%u+%u ",
		 (unsigned)(addr - SITE), (unsigned)len);
	memcpy((void *)addr, bytes, len);
	return 0;
}

static void patch_sync(void *cookie)
{
	size_t n = strlen(patch_steps);

	(void)cookie;
	CHECK(patch_unflushed == 0);
	snprintf(patch_steps + n, sizeof(patch_steps) - n, "s ");
}

static void patch_stop(void *cookie, void (*run)(void *arg), void *arg)
{
	size_t n = strlen(patch_steps);

	(void)cookie;
	snprintf(patch_steps + n, sizeof(patch_steps) - n, "stop ");
	run(arg);
}

static const struct sdt_patch_host patch_boot = {
	.is_text = patch_is_text,
	.write = patch_write,
	.flush = patch_flush,
};
static const struct sdt_patch_host patch_live = {
	.is_text = patch_is_text,
	.write = patch_write,
	.flush = patch_flush,
	.sync = patch_sync,
};

static void patch_put_word(uintptr_t addr, uint32_t word, unsigned size)
{
	uint8_t *at = (uint8_t *)addr;

	for (unsigned i = 0; i < size; i++)
		at[i] = (uint8_t)(word >>
				  8 * (patch_is_big ? size - 1 - i : i));
}

static void patch_put_site(uint64_t insns)
{
	if (patch_size == 4) {
		patch_put_word(SITE, (uint32_t)insns, 4);
		return;
	}
	patch_put_word(SITE, (uint32_t)(insns >> 8 * (patch_size - 4)), 4);
	patch_put_word(SITE + 4, (uint32_t)insns, patch_size - 4);
}

static void patch_put(const struct patch_case *c, uint64_t insns)
{
	memset(patch_text, 0, TEXT_SIZE);
	patch_put_word(SITE - 4, c->before, 4);
	patch_put_word(SITE + patch_size, c->slot, 4);
	patch_put_site(insns);
}

/* Is all of the text as patch_put() would leave it? */
static int patch_is(const struct patch_case *c, uint64_t insns)
{
	static uint8_t found[TEXT_SIZE];
	int same;

	memcpy(found, patch_text, TEXT_SIZE);
	patch_put(c, insns);
	same = memcmp(found, patch_text, TEXT_SIZE) == 0;
	memcpy(patch_text, found, TEXT_SIZE);
	if (!same) {
		printf("%s: not %llx but", c->assembly,
		       (unsigned long long)insns);
		for (unsigned i = 0; i < patch_size; i++)
			printf(" %02x", patch_text[SITE - TEXT + i]);
		printf("\n");
	}
	return same;
}

static struct sdt_site patch_site(const struct patch_case *c)
{
	struct sdt_site site = { 0 };

	site.addr = SITE;
	site.stub = c->has_stub ? STUB : 0;
	site.form = c->form;
	site.is_enabled = c->is_enabled;
	if (c->form == SDT_FORM_BRANCH)
		site.target = AHEAD - patch_mode; /* of a label */
	return site;
}

/* Where the host can stop the other CPUs. */
static inline void patch_check_stop(const struct patch_case *c)
{
	struct sdt_patch_host host = patch_live;
	struct sdt_site site = patch_site(c);
	char wanted[16];

	host.stop = patch_stop;
	patch_put(c, c->off);
	patch_steps[0] = 0;
	CHECK(sdt_patch_enable(&host, &site, AHEAD) == SDT_PATCH_OK);
	snprintf(wanted, sizeof(wanted), "stop 0+%u ", patch_size);
	CHECK_STR(patch_steps, c->steps != NULL ? c->steps : wanted);
	CHECK(patch_is(c, c->ahead));
}

/* Through all states, with and without other CPUs. */
static inline void patch_check_states(const struct patch_case *c)
{
	struct sdt_site site = patch_site(c);
	enum sdt_patch_error wanted = c->steps != NULL ? SDT_PATCH_OK
						       : SDT_PATCH_NEEDS_STOP;

	patch_put(c, c->has_stub ? c->stub : c->off);
	CHECK(sdt_patch_init(&patch_boot, &site) == SDT_PATCH_OK);
	CHECK(patch_is(c, c->off));
	patch_steps[0] = 0;
	CHECK(sdt_patch_enable(&patch_live, &site, AHEAD) == wanted);
	CHECK_STR(patch_steps, c->steps != NULL ? c->steps : "");
	CHECK(patch_is(c, c->steps != NULL ? c->ahead : c->off));
	if (c->steps != NULL) {
		CHECK(sdt_patch_set(&patch_live, &site, AHEAD, BEHIND) == 0);
		CHECK(patch_is(c, c->behind));
		CHECK(sdt_patch_disable(&patch_live, &site, BEHIND) == 0);
		CHECK(patch_is(c, c->off));
	}
	CHECK(sdt_patch_enable(&patch_boot, &site, AHEAD) == 0);
	CHECK(patch_is(c, c->ahead));
	CHECK(sdt_patch_enable(&patch_boot, &site, AHEAD) ==
	      SDT_PATCH_OTHER_BYTES);
	CHECK(sdt_patch_set(&patch_boot, &site, AHEAD, BEHIND) == 0);
	CHECK(patch_is(c, c->behind));
	CHECK(sdt_patch_set(&patch_boot, &site, BEHIND, SDT_PATCH_TRAP) ==
	      (c->trap != 0 ? SDT_PATCH_OK : SDT_PATCH_OUT_OF_RANGE));
	CHECK(patch_is(c, c->trap != 0 ? c->trap : c->behind));
	CHECK(sdt_patch_set(&patch_boot, &site,
			    c->trap != 0 ? SDT_PATCH_TRAP : BEHIND, 0) == 0);
	CHECK(sdt_patch_restore(&patch_boot, &site) == 0);
	CHECK(patch_is(c, c->has_stub ? c->stub : c->off));
	patch_check_stop(c);
}

/* A bit that is another is refused, but for the LOOSE ones. */
static inline void patch_check_bits(const struct patch_case *c, uint64_t loose)
{
	struct sdt_site site = patch_site(c);

	for (unsigned i = 0; i < 8 * patch_size && c->has_stub; i++) {
		enum sdt_patch_error error;

		if (loose >> i & 1)
			continue;
		patch_put(c, c->stub ^ (uint64_t)1 << i);
		error = sdt_patch_set(&patch_boot, &site, STUB, AHEAD);
		if (!CHECK(error == SDT_PATCH_OTHER_BYTES))
			printf("\t%s, bit %u\n", c->assembly, i);
		CHECK(patch_is(c, c->stub ^ (uint64_t)1 << i));
	}
}

/* The tool and the runtime mean the same by a site that is disabled, and one
 * store switches it where the tool says so. */
static inline void patch_check_tool(const struct patch_case *c,
				    const struct arch *arch)
{
	const struct mark mark = { 0, (uint8_t)patch_mode };
	const struct code code = { patch_text, TEXT_SIZE, TEXT, &mark, 1 };
	struct sdt_site site = patch_site(c);
	uint8_t bytes[DISABLED_MAX];
	enum sdt_patch_error error;
	bool one, is_other; /* the runtime has made another NOP of it */
	unsigned n;

	patch_put(c, c->stub);
	n = arch->disable(arch, (enum site_form)c->form, c->is_enabled, &code,
			  SITE - TEXT, bytes);
	site.stub = 0;
	if (n == 0) {
		CHECK(sdt_patch_init(&patch_boot, &site) != SDT_PATCH_OK);
		return;
	}
	CHECK(n == patch_size);
	memcpy(patch_text + SITE - TEXT, bytes, n);
	CHECK(sdt_patch_check(&patch_boot, &site, SDT_PATCH_OFF) == 0);
	CHECK(sdt_patch_enable(&patch_boot, &site, AHEAD) == SDT_PATCH_OK);
	CHECK(patch_is(c, c->ahead));
	memcpy(patch_text + SITE - TEXT, bytes, n);
	if (!CHECK(sdt_patch_init(&patch_boot, &site) == SDT_PATCH_OK))
		printf("\t%s\n", c->assembly);
	is_other = memcmp(patch_text + SITE - TEXT, bytes, n) != 0;
	patch_steps[0] = 0;
	error = sdt_patch_enable(&patch_live, &site, AHEAD);
	one = arch_one_store(arch, (enum site_form)c->form, c->is_enabled,
			     (uint8_t)patch_mode, SITE, n);
	CHECK(one ? error == SDT_PATCH_OK && strcmp(patch_steps, "0+4 s ") == 0
		  : error != SDT_PATCH_OK || strlen(patch_steps) > 6 ||
			      is_other);
	CHECK(sdt_patch_restore(&patch_boot, &site) != SDT_PATCH_OK ||
	      error != SDT_PATCH_OK);
}

/* The same of a site of the branch form. */
static inline void patch_check_branch(const struct patch_case *c,
				      const struct arch *arch)
{
	const struct tracepoint_isa *isa = tracepoint_isa_find(
		arch->machine, arch->is_64, (uint8_t)patch_mode);
	uint8_t bytes[TRACEPOINT_INSN_MAX];

	patch_check_states(c);
	patch_put(c, c->off);
	CHECK(isa != NULL && isa->length == patch_size);
	CHECK(tracepoint_is_own_nop(isa, arch->is_big_endian,
				    patch_text + SITE - TEXT));
	CHECK(tracepoint_encode(isa, arch->is_big_endian,
				AHEAD - patch_mode - SITE, bytes));
	memcpy(patch_text + SITE - TEXT, bytes, patch_size);
	CHECK(patch_is(c, c->ahead));
	CHECK(arch_one_store(arch, FORM_BRANCH, false, (uint8_t)patch_mode,
			     SITE, patch_size) ==
	      (c->steps != NULL && strcmp(c->steps, "0+4 s ") == 0));
}

/* Does a branch from the site reach TARGET? */
static inline int patch_reaches(const struct patch_case *c, uintptr_t target)
{
	struct sdt_site site = patch_site(c);
	enum sdt_patch_error error;

	patch_put(c, c->stub);
	error = sdt_patch_set(&patch_boot, &site, STUB, target);
	if (error != SDT_PATCH_OK) {
		CHECK(error == SDT_PATCH_OUT_OF_RANGE && patch_is(c, c->stub));
		return 0;
	}
	CHECK(sdt_patch_set(&patch_boot, &site, target, STUB) == 0);
	CHECK(patch_is(c, c->stub));
	return 1;
}

/* The table of one site: SITE, of that form, or'ed with 4 if is-enabled. */
static inline void patch_make_table(unsigned kind, struct sdt_table *table)
{
	struct sdt_table_entry *entry =
		(struct sdt_table_entry *)(uintptr_t)(TEXT + 0x400);
	uint32_t *descriptor = (uint32_t *)(uintptr_t)(TEXT + 0x480);
	const struct sdt_bounds bounds = { entry, entry + 1, descriptor,
					   descriptor + 4 };

	entry->site = SITE - (TEXT + 0x400);
	entry->probe = 0x80 - 4 + (int)kind;
	descriptor[0] = SDT_PROBE_MAGIC;
	CHECK(sdt_table_check_anchored(&bounds, table) == 0);
}

/* What the breakpoint of a site does. */
static inline void patch_check_trap(unsigned int kind, uintptr_t pc,
				    uintptr_t result)
{
	struct sdt_patch_regs regs = { .pc = SITE + 4 };
	struct sdt_table table;
	struct sdt_site site;

	patch_make_table(kind, &table);
	CHECK(sdt_patch_trap(&table, &regs, &site) == SDT_TRAP_NOT_OURS);
	regs.pc = SITE;
	regs.link = 0x1230;
	regs.result = 7;
	CHECK(sdt_patch_trap(&table, &regs, &site) == SDT_TRAP_HIT);
	CHECK(regs.pc == pc && regs.result == result);
}

static inline int patch_start(unsigned size, int is_big)
{
	patch_size = size;
	patch_is_big = is_big;
	if (mmap(patch_text, TEXT_SIZE, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1,
		 0) == patch_text)
		return 0;
	puts("skipped: the address of the text is not free");
	return -1;
}

#endif
