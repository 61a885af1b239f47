/* SPDX-License-Identifier: BSD-2-Clause */
/* What patching is on every instruction set: compare, then write. */
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

/* Leaves in BYTES what SITE holds, if it is in state TARGET. */
static enum sdt_patch_error read_state(const struct sdt_patch_host *host,
				       const struct sdt_site *site,
				       sdt_uptr target,
				       sdt_u8 bytes[SDT_ISA_SIZE_MAX])
{
	enum sdt_patch_error error;
	sdt_u32 size;

	/* On some ISAs the first two bytes say how many there are. */
	if (!host->is_text(host->cookie, site->addr, 2))
		return SDT_PATCH_NO_TEXT;
	size = sdt_isa_size(site);
	if (!host->is_text(host->cookie, site->addr, size))
		return SDT_PATCH_NO_TEXT;
	error = sdt_isa_encode(host, site, target, target, bytes);
	if (error != SDT_PATCH_OK)
		return error;
	return sdt_patch_same((const sdt_u8 *)site->addr, bytes, size)
		       ? SDT_PATCH_OK
		       : SDT_PATCH_OTHER_BYTES;
}

enum sdt_patch_error sdt_patch_check(const struct sdt_patch_host *host,
				     const struct sdt_site *site,
				     sdt_uptr target)
{
	sdt_u8 bytes[SDT_ISA_SIZE_MAX];

	return read_state(host, site, target, bytes);
}

struct change {
	const struct sdt_patch_host *host;
	const struct sdt_site *site;
	const sdt_u8 *bytes;
	enum sdt_patch_error error;
};

/* All bytes at once: no other CPU runs there. */
static void write_site(void *arg)
{
	struct change *change = arg;

	change->error = sdt_patch_write(change->host, change->site->addr,
					change->bytes,
					sdt_isa_size(change->site)) == 0
				? SDT_PATCH_OK
				: SDT_PATCH_NOT_WRITTEN;
}

enum sdt_patch_error sdt_patch_set(const struct sdt_patch_host *host,
				   const struct sdt_site *site, sdt_uptr from,
				   sdt_uptr to)
{
	sdt_u8 old[SDT_ISA_SIZE_MAX], bytes[SDT_ISA_SIZE_MAX];
	struct change change = { host, site, bytes, SDT_PATCH_OK };

	change.error = read_state(host, site, from, old);
	if (change.error == SDT_PATCH_OK)
		change.error = sdt_isa_encode(host, site, from, to, bytes);
	if (change.error != SDT_PATCH_OK ||
	    sdt_patch_same(old, bytes, sdt_isa_size(site)))
		return change.error;
	if (host->sync == 0) {
		write_site(&change);
		return change.error;
	}
	change.error = sdt_isa_change(host, site, old, bytes);
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
		error = sdt_patch_set(host, site, SDT_ISA_NOP, SDT_PATCH_OFF);
	if (error == SDT_PATCH_OTHER_BYTES)
		error = sdt_patch_set(host, site, site->stub, SDT_PATCH_OFF);
	return error;
}

enum sdt_patch_trap sdt_patch_trap(const struct sdt_table *table,
				   struct sdt_patch_regs *regs,
				   struct sdt_site *site)
{
	if (!sdt_table_find(table, sdt_isa_trap_addr(regs->pc), site))
		return SDT_TRAP_NOT_OURS;
	return sdt_isa_emulate(site, regs) ? SDT_TRAP_HIT : SDT_TRAP_PASSED;
}
