/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Turns sites off and on by rewriting the branch, at boot and while other CPUs
 * run through it: sdt_patch.c, and one sdt_patch_<isa>.c.  See sdt(3).
 *
 * A site's state is where its branch goes: to the stub, as the linker left it;
 * nowhere, SDT_PATCH_OFF; to a handler; or it is a breakpoint, SDT_PATCH_TRAP.
 * The text itself is the only record of it: each function names the state it
 * expects, compares the bytes, and writes nothing if they differ.
 *
 *	state        call        tail call   conditional tail call
 *	stub         call stub   jmp stub    jcc stub
 *	off          NOP         ret         jcc stub (which just returns)
 *	handler      call it     jmp it      jcc it
 *	trap         each begins with the breakpoint instruction
 *
 * In the branch form a site is a NOP when it is off, as the compiler wrote it,
 * and with any handler a jump to site->target, behind which is the call.
 *
 * Each is one instruction, so that code that was interrupted at a site goes on
 * right whatever the site holds by then.  An is-enabled call that is off is a
 * move of 0 to the result, an is-enabled tail call stays with the stub, which
 * returns 0; a handler must return another int.  Any other handler is `void
 * handler(uintptr_t, ...)' and gets the arguments of the site; it may change
 * the registers that any call may.
 *
 * One site may be changed by one CPU at a time: the caller has the lock.
 *
 * C99, as the runtime is.  Addresses 0, 1 and 2 are no handlers.
 */
#ifndef SDTLINK_SDT_PATCH_H
#define SDTLINK_SDT_PATCH_H

#pragma GCC system_header

#include "sdt_table.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What the kernel does for the patcher.  COOKIE is passed on as it is. */
struct sdt_patch_host {
	/*
	 * Whether [ADDR, ADDR+LEN) is text that still exists: not the init text
	 * after it was freed.  Without it a damaged table could lead anywhere,
	 * even to the last bytes of memory, where ADDR+LEN wraps: compare LEN
	 * with what is left behind ADDR.
	 */
	int (*is_text)(void *cookie, sdt_uptr addr, sdt_u32 len);
	/*
	 * Writes LEN <= 8 bytes of text at ADDR, whatever it takes (a writable
	 * alias, CR0.WP).  1 byte, and 2 or 4 that are aligned to their number,
	 * must be one store.  Returns 0, or not 0 if nothing was written.
	 */
	int (*write)(void *cookie, sdt_uptr addr, const sdt_u8 *bytes,
		     sdt_u32 len);
	/*
	 * Makes [ADDR, ADDR+LEN), which was written, what instruction fetches
	 * of every CPU find: arm64 dc cvau, dsb, ic ivau, dsb, isb; ARM
	 * the same in coprocessor 15; Power
	 * dcbst, sync, icbi, sync, isync; SPARC flush; MIPS synci; here alone,
	 * RISC-V fence.i, LoongArch ibar 0, s390x nothing.  On x86 it
	 * serialises this CPU, if write() used another address than ADDR; else
	 * it may be 0.
	 */
	void (*flush)(void *cookie, sdt_uptr addr, sdt_u32 len);
	/*
	 * Returns when each other CPU that runs has, since the call, executed
	 * what synchronises it with changed text: x86 a serialising instruction
	 * such as iret, ARM isb, RISC-V fence.i, Power isync, s390x
	 * bcr 15,0, LoongArch ibar 0.  That is an interrupt to
	 * all, and an answer of each. 0: no other CPU runs through the text, at
	 * boot or because all were stopped outside of it.  Then everything is
	 * written at once.
	 */
	void (*sync)(void *cookie);
	/*
	 * Beside sync(), for what the ISA forbids while other CPUs run: calls
	 * RUN(ARG) while each of them is stopped, none between the instructions
	 * of a site, and lets it synchronise as for sync() before it goes on.
	 * 0: such changes are refused.
	 */
	void (*stop)(void *cookie, void (*run)(void *arg), void *arg);
	/*
	 * Where code is that does nothing but jump to HANDLER, which no branch
	 * of SITE reaches: N counts from 0, and the first such place that one
	 * reaches is taken.  0: there is no more.  For a site and a handler the
	 * answers are always the same.  What stands beside a site's stub is in
	 * reach of the site wherever that is: SDT_STUB in sdt.h.  0: a handler
	 * out of reach is refused.
	 */
	sdt_uptr (*trampoline)(void *cookie, const struct sdt_site *site,
			       sdt_uptr handler, unsigned int n);
	void *cookie;
};

enum sdt_patch_error {
	SDT_PATCH_OK = 0,
	SDT_PATCH_NO_TEXT,	/* is_text() said no */
	SDT_PATCH_OTHER_BYTES,	/* the site is not in the expected state */
	SDT_PATCH_OUT_OF_RANGE, /* no branch from the site reaches the target,
				   or a trampoline to it */
	SDT_PATCH_NOT_WRITTEN,	/* write() failed */
	SDT_PATCH_NEEDS_STOP	/* the ISA forbids it while other CPUs run:
				   stop them, and use a host without sync(), or
				   give it stop() */
};

#define SDT_PATCH_OFF ((sdt_uptr)0)
#define SDT_PATCH_TRAP ((sdt_uptr)1)

/* Compares the bytes at SITE with what they are in state TARGET. */
enum sdt_patch_error sdt_patch_check(const struct sdt_patch_host *host,
				     const struct sdt_site *site,
				     sdt_uptr target);

/*
 * Takes SITE from state FROM to state TO.  On any error the text is unchanged,
 * but for a write() that fails and fails again when the first is undone.
 * Returning to site->stub restores exactly the bytes that the linker wrote.
 *
 * While it runs, another CPU that comes to the site does as in state FROM, or
 * as in state TO, or as if it was off; or it runs into a breakpoint, for which
 * there is sdt_patch_trap().  When it returns, every CPU does as in state TO;
 * but one may still be in the handler, or on its way.
 */
enum sdt_patch_error sdt_patch_set(const struct sdt_patch_host *host,
				   const struct sdt_site *site, sdt_uptr from,
				   sdt_uptr to);

/*
 * Once, when the site is found: takes it from the stub to SDT_PATCH_OFF.  What
 * sdtlink --nop wrote is SDT_PATCH_OFF already, and is left or, where another
 * NOP can be switched at run time, becomes that one.
 */
enum sdt_patch_error sdt_patch_init(const struct sdt_patch_host *host,
				    const struct sdt_site *site);

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

/* Undoes sdt_patch_init(), where there is a stub. */
static inline enum sdt_patch_error
sdt_patch_restore(const struct sdt_patch_host *host,
		  const struct sdt_site *site)
{
	return sdt_patch_set(host, site, SDT_PATCH_OFF, site->stub);
}

/* Registers of the code that ran into a breakpoint, to be read and written. */
struct sdt_patch_regs {
	sdt_uptr pc;	 /* as the CPU saved it; ARM: of the breakpoint */
	sdt_uptr sp;	 /* x86 */
	sdt_uptr flags;	 /* x86: EFLAGS; ARM: CPSR, which may change; s390x: the
			    mask of the PSW */
	sdt_uptr link;	 /* where the return address is: arm64 x30, ARM and
			    Power lr, LoongArch, MIPS and RISC-V ra, s390x r14 */
	sdt_uptr result; /* eax, x0, r0, a0, v0, r3, r2, o0: 0 behind an
			    is-enabled site */
};

enum sdt_patch_trap {
	SDT_TRAP_NOT_OURS = 0, /* no site of TABLE: REGS are unchanged */
	SDT_TRAP_PASSED,       /* a conditional site that was not taken */
	SDT_TRAP_HIT	       /* SITE would have fired */
};

/*
 * For the breakpoint handler: finds the site and makes REGS what they are
 * behind it if it is off, an is-enabled one having yielded 0.  So the handler
 * just resumes them.  If it is the host that put the site into state
 * SDT_PATCH_TRAP, and the answer is SDT_TRAP_HIT, this is where the probe
 * fires: its arguments are in the registers that had them; result may be set.
 * In the branch form they are not there yet: with pc set to site->target, the
 * code that computes them runs, and calls the probe.
 * On SPARC, nPC is to be pc + 4.
 * With shadow stacks the host must pop the return address that a tail call
 * takes.
 */
enum sdt_patch_trap sdt_patch_trap(const struct sdt_table *table,
				   struct sdt_patch_regs *regs,
				   struct sdt_site *site);

#ifdef __cplusplus
}
#endif

#endif
