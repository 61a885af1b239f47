/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Turns sites off and on by rewriting the branch; one sdt_patch_<isa>.c each.
 *
 * A site's state is where its branch goes: to the stub, as the linker left it;
 * nowhere, SDT_PATCH_OFF; or to a handler.  The text itself is the only record
 * of it: each function names the state it expects, compares the bytes, and
 * writes nothing if they differ.
 *
 *	state        call        tail call   conditional tail call
 *	stub         call stub   jmp stub    jcc stub
 *	off          NOP         ret         jcc stub (which just returns)
 *	handler      call it     jmp it      jcc it
 *
 * Each is one instruction, so that code that was interrupted at a site goes on
 * right whatever the site holds by then.  An is-enabled call that is off is a
 * move of 0 to the result, an is-enabled tail call stays with the stub, which
 * returns 0; a handler must return another int.  Any other handler is `void
 *handler(uintptr_t, ...)' and gets the arguments of the site; it may change the
 *registers that any call may.
 *
 * For one CPU, with interrupts off or no site in the interrupted code: what
 * lets other CPUs run through the text while it changes is not here yet.
 */
#ifndef SDTLINK_SDT_PATCH_H
#define SDTLINK_SDT_PATCH_H

#include "sdt_table.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What the kernel does for the patcher.  COOKIE is passed on as it is. */
struct sdt_patch_host {
	/*
	 * Whether [ADDR, ADDR+LEN) is text that still exists: not the init text
	 * after it was freed.  Without it a damaged table could lead anywhere.
	 */
	int (*is_text)(void *cookie, sdt_uptr addr, sdt_u32 len);
	/*
	 * Writes LEN <= 6 bytes of text at ADDR, whatever it takes (a writable
	 * alias, CR0.WP), and serialises the CPU.  Returns 0, or not 0 if
	 * nothing was written.
	 */
	int (*write)(void *cookie, sdt_uptr addr, const sdt_u8 *bytes,
		     sdt_u32 len);
	void *cookie;
};

enum sdt_patch_error {
	SDT_PATCH_OK = 0,
	SDT_PATCH_NO_TEXT,	/* is_text() said no */
	SDT_PATCH_OTHER_BYTES,	/* the site is not in the expected state */
	SDT_PATCH_OUT_OF_RANGE, /* no branch from the site reaches the target */
	SDT_PATCH_NOT_WRITTEN	/* write() failed */
};

#define SDT_PATCH_OFF ((sdt_uptr)0)

/* Compares the bytes at SITE with what they are in state TARGET. */
enum sdt_patch_error sdt_patch_check(const struct sdt_patch_host *host,
				     const struct sdt_site *site,
				     sdt_uptr target);

/*
 * Takes SITE from state FROM to state TO.  On any error the text is unchanged.
 * Returning to site->stub restores exactly the bytes that the linker wrote.
 */
enum sdt_patch_error sdt_patch_set(const struct sdt_patch_host *host,
				   const struct sdt_site *site, sdt_uptr from,
				   sdt_uptr to);

/* Once at boot: the call of the stub becomes the disabled form. */
static inline enum sdt_patch_error
sdt_patch_init(const struct sdt_patch_host *host, const struct sdt_site *site)
{
	return sdt_patch_set(host, site, site->stub, SDT_PATCH_OFF);
}

static inline enum sdt_patch_error
sdt_patch_enable(const struct sdt_patch_host *host, const struct sdt_site *site,
		 sdt_uptr handler)
{
	return sdt_patch_set(host, site, SDT_PATCH_OFF, handler);
}

/* HANDLER is the one that it was enabled with. */
static inline enum sdt_patch_error
sdt_patch_disable(const struct sdt_patch_host *host,
		  const struct sdt_site *site, sdt_uptr handler)
{
	return sdt_patch_set(host, site, handler, SDT_PATCH_OFF);
}

/* Undoes sdt_patch_init(). */
static inline enum sdt_patch_error
sdt_patch_restore(const struct sdt_patch_host *host,
		  const struct sdt_site *site)
{
	return sdt_patch_set(host, site, SDT_PATCH_OFF, site->stub);
}

#ifdef __cplusplus
}
#endif

#endif
