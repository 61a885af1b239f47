/* SPDX-License-Identifier: BSD-2-Clause */
/* The consumer of the site table: all that a kernel has to add. */
#include <sdtlink/sdt_patch.h>

#include "kernel.h"
#include "layout.h"
#include "module.h"
#include "trace.h"
#include "trampoline.h"

extern const char text_start[], text_end[];
extern const char init_start[], init_end[];
extern const char trampolines[], trace_is_enabled[];

unsigned int trace_nfired;
unsigned int trace_nstrays;

/* The kernel, and a module if there is one. */
static struct traced {
	const char *module;
	struct sdt_table table;
	sdt_u32 first; /* trampoline of its first site */
} traced[2] = { { .module = "kernel" } };
static unsigned int ntraced = 1;

static int nargs_shown = TRACE_QUIET;
static int init_is_gone;

static int is_within(uintptr_t addr, uint32_t len, const char *start,
		     const char *end)
{
	uintptr_t at = addr - (uintptr_t)start;
	uintptr_t size = (uintptr_t)end - (uintptr_t)start;

	/* addr + len could wrap. */
	return at <= size && len <= size - at;
}

static int is_text(void *cookie, sdt_uptr addr, sdt_u32 len)
{
	(void)cookie;
	if (is_within(addr, len, text_start, text_end))
		return 1;
	if (module_is_text(addr, len))
		return 1;
	return !init_is_gone && is_within(addr, len, init_start, init_end);
}

/* Text is read-only where it runs, but writable where the first GiB lies. */
static int write_text(void *cookie, sdt_uptr addr, const sdt_u8 *bytes,
		      sdt_u32 len)
{
	volatile uint8_t *alias = (volatile uint8_t *)(addr - KERNEL_BASE);
	uint32_t eax = 0, ecx = 0, ebx, edx;

	(void)cookie;
	for (sdt_u32 i = 0; i < len; i++)
		alias[i] = bytes[i];
	/* It was written by another address: SDM vol. 3, 8.1.3, serialise. */
	__asm__ volatile("cpuid"
			 : "+a"(eax), "=b"(ebx), "+c"(ecx), "=d"(edx)
			 :
			 : "memory");
	return 0;
}

static const struct sdt_patch_host host = {
	.is_text = is_text,
	.write = write_text,
};

static sdt_uptr handler_of(const struct traced *in, const struct sdt_site *site)
{
	if (site->is_enabled)
		return (sdt_uptr)trace_is_enabled;
	return (sdt_uptr)trampolines +
	       (in->first + site->idx) * TRAMPOLINE_SIZE;
}

static int is_bad(const struct sdt_table *table, sdt_u32 idx)
{
	struct sdt_site site, found;

	sdt_table_get_site(table, idx, &site);
	return sdt_patch_check(&host, &site, site.stub) != SDT_PATCH_OK ||
	       !sdt_table_find(table, site.addr, &found) || found.idx != idx ||
	       sdt_table_find(table, site.addr + 1, &found);
}

int trace_init(void)
{
	struct sdt_table *table = &traced[0].table;
	enum sdt_table_error error;
	int nbad = 0;

	error = sdt_table_check(sdt_table, SDT_TABLE_LIMIT, table);
	if (error != SDT_TABLE_OK) {
		console_print("sdt: the table is damaged: %u\n", error);
		return -1;
	}
	if (table->nsites > TRACE_NSITES_MAX) {
		console_print("sdt: too many sites for the trampolines\n");
		return -1;
	}
	for (sdt_u32 i = 0; i < table->nsites; i++)
		nbad += is_bad(table, i);
	console_print("sdt: %u sites of %u probes, %u bad\n", table->nsites,
		      table->nprobes, (unsigned int)nbad);
	return nbad;
}

int trace_add(const char *name, const struct sdt_bounds *bounds)
{
	struct traced *in = &traced[1];

	in->module = name;
	in->first = traced[0].table.nsites;
	if (sdt_table_check_anchored(bounds, &in->table) != SDT_TABLE_OK ||
	    in->table.nsites > TRACE_NSITES_MAX - in->first)
		return -1;
	if (sdt_table_sort(&in->table) != 0)
		return -1;
	in->table.find_function = module_function;
	for (sdt_u32 i = 0; i < in->table.nsites; i++) {
		struct sdt_site site;

		if (is_bad(&in->table, i))
			return -1;
		sdt_table_get_site(&in->table, i, &site);
		if (sdt_patch_init(&host, &site) != SDT_PATCH_OK)
			return -1;
	}
	ntraced = 2;
	return (int)in->table.nsites;
}

void trace_remove(void)
{
	ntraced = 1;
}

static void print_name(const struct traced *in, const struct sdt_site *site)
{
	char name[80];

	sdt_site_name(site, in->module, name, sizeof(name));
	console_print("%s", name);
}

static void list_site(const struct traced *in, sdt_u32 idx)
{
	static const char *const forms[] = { "call", "tail", "cond", "branch" };
	struct sdt_site site;

	sdt_table_get_site(&in->table, idx, &site);
	console_print("sdt: ");
	print_name(in, &site);
	console_print(" %s%s", forms[site.form],
		      site.is_enabled ? " is-enabled" : "");
	for (int b = 0; b < (site.form == SDT_FORM_COND ? 6 : 5); b++)
		console_print(" %02x", ((const uint8_t *)site.addr)[b]);
	console_print("\n");
}

void trace_list(void)
{
	for (unsigned int t = 0; t < ntraced; t++)
		for (sdt_u32 i = 0; i < traced[t].table.nsites; i++)
			list_site(&traced[t], i);
}

static enum sdt_patch_error enable_site(const struct traced *in,
					const struct sdt_site *site)
{
	return sdt_patch_enable(&host, site, handler_of(in, site));
}

static enum sdt_patch_error disable_site(const struct traced *in,
					 const struct sdt_site *site)
{
	return sdt_patch_disable(&host, site, handler_of(in, site));
}

static enum sdt_patch_error disable_stub(const struct traced *in,
					 const struct sdt_site *site)
{
	(void)in;
	return sdt_patch_init(&host, site);
}

static enum sdt_patch_error restore_stub(const struct traced *in,
					 const struct sdt_site *site)
{
	(void)in;
	return sdt_patch_restore(&host, site);
}

typedef enum sdt_patch_error action_fn(const struct traced *in,
				       const struct sdt_site *site);

static void for_each_in(const struct traced *in, const char *pattern,
			action_fn *action, struct trace_result *result)
{
	struct sdt_match match;
	struct sdt_site site;

	if (sdt_match_start(&match, &in->table, in->module, pattern) != 0)
		return;
	while (sdt_match_next(&match, &site)) {
		enum sdt_patch_error error = action(in, &site);

		if (error == SDT_PATCH_OK)
			result->ndone++;
		else if (error == SDT_PATCH_NO_TEXT)
			result->ngone++;
		else
			result->nrefused++;
	}
}

static struct trace_result for_each(const char *pattern, action_fn *action)
{
	struct trace_result result = { 0, 0, 0 };

	for (unsigned int t = 0; t < ntraced; t++)
		for_each_in(&traced[t], pattern, action, &result);
	return result;
}

struct trace_result trace_disable_stubs(void)
{
	return for_each("", disable_stub);
}

struct trace_result trace_restore_stubs(void)
{
	return for_each("", restore_stub);
}

struct trace_result trace_enable(const char *pattern)
{
	return for_each(pattern, enable_site);
}

struct trace_result trace_disable(const char *pattern)
{
	return for_each(pattern, disable_site);
}

void trace_show(int nargs)
{
	nargs_shown = nargs;
	trace_nfired = 0;
}

void trace_free_init(void)
{
	static const uint8_t int3 = 0xcc;

	init_is_gone = 1;
	for (const char *at = init_start; at < init_end; at++)
		write_text(NULL, (sdt_uptr)at, &int3, 1);
}

/* A call left its address on the stack: the table must know the same site. */
static int is_stray(const struct traced *in, const struct trace_frame *frame,
		    const struct sdt_site *site)
{
	struct sdt_site found;

	if (site->form != SDT_FORM_CALL)
		return 0;
	return !sdt_table_find(&in->table, frame->ret - 5, &found) ||
	       found.idx != site->idx;
}

void trace_fire(const struct trace_frame *frame)
{
	const struct traced *in = &traced[0];
	struct sdt_site site;

	if (ntraced > 1 && frame->site >= traced[1].first)
		in = &traced[1];
	sdt_table_get_site(&in->table, (sdt_u32)frame->site - in->first, &site);
	trace_nfired++;
	trace_nstrays += (unsigned int)is_stray(in, frame, &site);
	if (nargs_shown == TRACE_QUIET)
		return;

	console_print("fired ");
	print_name(in, &site);
	for (int i = 0; i < nargs_shown; i++)
		console_print(" 0x%lx", (unsigned long)frame->args[i]);
	console_print("\n");
}
