/* SPDX-License-Identifier: BSD-2-Clause */
/* What patching does on every instruction set: compare, then write. */
#include "sdt_patch_isa.h"

int sdt_patch_same(const sdt_u8 *a, const sdt_u8 *b, sdt_u32 n)
{
	while (n > 0 && *a == *b) {
		a++;
		b++;
		n--;
	}
	return n == 0;
}

int sdt_patch_write(const struct sdt_patch_host *host, sdt_uptr addr,
		    const sdt_u8 *bytes, sdt_u32 len)
{
	if (host->write(host->cookie, addr, bytes, len) != 0)
		return -1;
	if (host->flush != 0)
		host->flush(host->cookie, addr, len);
	return 0;
}

int sdt_patch_step(const struct sdt_patch_host *host, sdt_uptr addr,
		   const sdt_u8 *old, const sdt_u8 *bytes, sdt_u32 len)
{
	if (sdt_patch_same(old, bytes, len))
		return 0;
	if (sdt_patch_write(host, addr, bytes, len) != 0)
		return -1;
	host->sync(host->cookie);
	return 0;
}

/*
 * All that the files of ISAs see of SITE.  In the branch form it is a call that
 * is off, or a tail call that goes to the target.
 */
static void shape(const struct sdt_site *site, sdt_uptr state,
		  struct sdt_site *seen)
{
	int is_branch = site->form == SDT_FORM_BRANCH;

	seen->addr = site->addr;
	seen->stub = site->stub;
	seen->target = site->target;
	seen->is_enabled = site->is_enabled && !is_branch;
	seen->form = site->form;
	if (is_branch)
		seen->form = state > SDT_ISA_NOP ? SDT_FORM_TAIL
						 : SDT_FORM_CALL;
}

static enum sdt_patch_error encode(const struct sdt_patch_host *host,
				   const struct sdt_site *site, sdt_uptr from,
				   sdt_uptr state, sdt_u8 *bytes)
{
	struct sdt_site seen;
	enum sdt_patch_error error;
	sdt_uptr to = state;

	shape(site, state, &seen);
	if (site->form == SDT_FORM_BRANCH) {
		from = from > SDT_ISA_NOP ? site->target : from;
		to = state > SDT_ISA_NOP ? site->target : state;
	}
	error = sdt_isa_encode(host, &seen, from, to, bytes);
	if (host->trampoline == 0 || to != state || to <= SDT_ISA_NOP ||
	    to == site->stub)
		return error;
	for (unsigned int n = 0; error == SDT_PATCH_OUT_OF_RANGE; n++) {
		to = host->trampoline(host->cookie, site, state, n);
		if (to <= SDT_ISA_NOP)
			break;
		error = sdt_isa_encode(host, &seen, from, to, bytes);
	}
	return error;
}

static sdt_u32 size_of(const struct sdt_site *site)
{
	struct sdt_site seen;

	shape(site, SDT_PATCH_OFF, &seen);
	return sdt_isa_size(&seen);
}

/* Copies the bytes of SITE to BYTES, if they are exactly those of TARGET. */
static enum sdt_patch_error read_exactly(const struct sdt_patch_host *host,
					 const struct sdt_site *site,
					 sdt_uptr target,
					 sdt_u8 bytes[SDT_ISA_SIZE_MAX])
{
	enum sdt_patch_error error;
	sdt_u32 size;

	/* On some ISAs the first two bytes give the size. */
	if (!host->is_text(host->cookie, site->addr, 2))
		return SDT_PATCH_NO_TEXT;
	size = size_of(site);
	if (!host->is_text(host->cookie, site->addr, size))
		return SDT_PATCH_NO_TEXT;
	if (site->form == SDT_FORM_BRANCH &&
	    !host->is_text(host->cookie, site->target, 2))
		return SDT_PATCH_NO_TEXT;
	error = encode(host, site, target, target, bytes);
	if (error != SDT_PATCH_OK)
		return error;
	return sdt_patch_same((const sdt_u8 *)site->addr, bytes, size)
		       ? SDT_PATCH_OK
		       : SDT_PATCH_OTHER_BYTES;
}

/*
 * Copies the bytes of SITE to BYTES, if it is in state *TARGET.  What sdtlink
 * --nop wrote is off, too.  Sets *TARGET to the one of the two that it is.
 */
static enum sdt_patch_error read_state(const struct sdt_patch_host *host,
				       const struct sdt_site *site,
				       sdt_uptr *target,
				       sdt_u8 bytes[SDT_ISA_SIZE_MAX])
{
	enum sdt_patch_error error = read_exactly(host, site, *target, bytes);

	if (error != SDT_PATCH_OTHER_BYTES || *target != SDT_PATCH_OFF)
		return error;
	*target = SDT_ISA_NOP;
	return read_exactly(host, site, *target, bytes);
}

enum sdt_patch_error sdt_patch_check(const struct sdt_patch_host *host,
				     const struct sdt_site *site,
				     sdt_uptr target)
{
	sdt_u8 bytes[SDT_ISA_SIZE_MAX];

	return read_state(host, site, &target, bytes);
}

struct change {
	const struct sdt_patch_host *host;
	const struct sdt_site *site;
	const sdt_u8 *bytes;
	enum sdt_patch_error error;
};

/* Writes all bytes at once: no other CPU runs there. */
static void write_site(void *arg)
{
	struct change *change = arg;

	change->error = sdt_patch_write(change->host, change->site->addr,
					change->bytes,
					size_of(change->site)) == 0
				? SDT_PATCH_OK
				: SDT_PATCH_NOT_WRITTEN;
}

enum sdt_patch_error sdt_patch_set(const struct sdt_patch_host *host,
				   const struct sdt_site *site, sdt_uptr from,
				   sdt_uptr to)
{
	sdt_u8 old[SDT_ISA_SIZE_MAX], bytes[SDT_ISA_SIZE_MAX];
	struct change change = { host, site, bytes, SDT_PATCH_OK };
	struct sdt_site seen;

	change.error = read_state(host, site, &from, old);
	if (change.error == SDT_PATCH_OK)
		change.error = encode(host, site, from, to, bytes);
	if (change.error != SDT_PATCH_OK ||
	    sdt_patch_same(old, bytes, size_of(site)))
		return change.error;
	if (host->sync == 0) {
		write_site(&change);
		return change.error;
	}
	shape(site, SDT_PATCH_OFF, &seen);
	change.error = sdt_isa_change(host, &seen, old, bytes);
	if (change.error == SDT_PATCH_NEEDS_STOP && host->stop != 0)
		host->stop(host->cookie, write_site, &change);
	return change.error;
}

enum sdt_patch_error sdt_patch_init(const struct sdt_patch_host *host,
				    const struct sdt_site *site)
{
	enum sdt_patch_error error;

	error = sdt_patch_set(host, site, SDT_PATCH_OFF, SDT_PATCH_OFF);
	if (error == SDT_PATCH_OTHER_BYTES)
		error = sdt_patch_set(host, site, site->stub, SDT_PATCH_OFF);
	return error;
}

enum sdt_patch_trap sdt_patch_trap(const struct sdt_table *table,
				   struct sdt_patch_regs *regs,
				   struct sdt_site *site)
{
	struct sdt_site seen;

	if (!sdt_table_find(table, sdt_isa_trap_addr(regs->pc), site))
		return SDT_TRAP_NOT_OURS;
	shape(site, SDT_PATCH_OFF, &seen);
	return sdt_isa_emulate(&seen, regs) ? SDT_TRAP_HIT : SDT_TRAP_PASSED;
}
