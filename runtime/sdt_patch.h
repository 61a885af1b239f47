/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Turns sites off and on by rewriting the branch, at boot and while other CPUs
 * run through it: sdt_patch.c, and one sdt_patch_<isa>.c.  See sdt(3).
 *
 * A site has one of these states: it branches to the stub, as the linker left
 * it; it branches nowhere, SDT_PATCH_OFF; it branches to a handler; or it is a
 * breakpoint, SDT_PATCH_TRAP.  Only the text records the state.  Each function
 * gets the state that you expect, compares the bytes, and writes nothing if
 * they differ.
 *
 *	state        call        tail call   conditional tail call
 *	stub         call stub   jmp stub    jcc stub
 *	off          NOP         ret         jcc stub (which just returns)
 *	handler      call it     jmp it      jcc it
 *	trap         each begins with the breakpoint instruction
 *
 * In the branch form, an off site is a NOP, as the compiler wrote it.  With any
 * handler it is a jump to site->target, behind which is the call.
 *
 * Each state is one instruction.  So code that was interrupted at a site goes
 * on correctly, whatever the site contains by then.  An is-enabled call that is
 * off moves 0 to the result.  An is-enabled tail call that is off stays with
 * the stub, which returns 0.  Its handler must return another int.  Any other
 * handler is `void handler(uintptr_t, ...)' and gets the arguments of the site.
 * It may change the registers that any call may change.
 *
 * Only one CPU may change a site at a time: take a lock.
 *
 * C99, as the whole runtime.  A handler cannot be at address 0, 1 or 2.
 */
#ifndef SDTLINK_SDT_PATCH_H
#define SDTLINK_SDT_PATCH_H

#pragma GCC system_header

#include "sdt_table.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What the patcher needs from the kernel.  COOKIE is passed on unchanged. */
struct sdt_patch_host {
	/*
	 * Is [ADDR, ADDR+LEN) text that still exists?  Init text does not after
	 * it was freed.  Without this test, a damaged table could lead
	 * anywhere, even to the last bytes of memory, where ADDR+LEN wraps.  So
	 * compare LEN with what is left behind ADDR.
	 */
	int (*is_text)(void *cookie, sdt_uptr addr, sdt_u32 len);
	/*
	 * Writes LEN <= 8 bytes of text at ADDR, by any means (a writable
	 * alias, CR0.WP).  Use one store for 1 byte, and for 2 or 4 bytes that
	 * are aligned to their number.  Returns 0, or another value if nothing
	 * was written.
	 */
	int (*write)(void *cookie, sdt_uptr addr, const sdt_u8 *bytes,
		     sdt_u32 len);
	/*
	 * Makes the instruction fetches of every CPU see [ADDR, ADDR+LEN),
	 * which was written.  arm64: dc cvau, dsb, ic ivau, dsb, isb; ARM: the
	 * same in coprocessor 15; Power: dcbst, sync, icbi, sync, isync; SPARC:
	 * flush; MIPS: synci.  Only for this CPU: RISC-V fence.i, LoongArch
	 * ibar 0.  s390x: nothing.  On x86 it serialises this CPU if write()
	 * used another address than ADDR.  Otherwise it may be 0.
	 */
	void (*flush)(void *cookie, sdt_uptr addr, sdt_u32 len);
	/*
	 * Makes each other running CPU execute what synchronises it with
	 * changed text, and returns when all have done so.  x86: a serialising
	 * instruction such as iret; ARM: isb; RISC-V: fence.i; Power: isync;
	 * s390x: bcr 15,0; LoongArch: ibar 0.  Send an interrupt to all, and
	 * wait for their answers.  0 means that no other CPU runs through the
	 * text, at boot or because all were stopped outside of it.  Then
	 * everything is written at once.
	 */
	void (*sync)(void *cookie);
	/*
	 * For changes that the ISA forbids while other CPUs run, in addition to
	 * sync(): stops all other CPUs, none of them between the instructions
	 * of a site, and calls RUN(ARG).  Each must synchronise as for sync()
	 * before it goes on.  0: such changes are refused.
	 */
	void (*stop)(void *cookie, void (*run)(void *arg), void *arg);
	/*
	 * The Nth address, from 0 on, of code that does nothing but jump to
	 * HANDLER.  It is used if no branch from SITE reaches HANDLER, and the
	 * first one in reach is taken.  Return 0 behind the last one, and
	 * always the same answers for a site and a handler.  Code beside a
	 * site's stub is always in reach of the site: see SDT_STUB in sdt.h. 0:
	 * a handler out of reach is refused.
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

/* Checks that the bytes at SITE are those of state TARGET. */
enum sdt_patch_error sdt_patch_check(const struct sdt_patch_host *host,
				     const struct sdt_site *site,
				     sdt_uptr target);

/*
 * Changes SITE from state FROM to state TO.  On any error the text is
 * unchanged, unless write() fails, and fails again when the first part is
 * undone.  Going back to site->stub restores exactly the linker's bytes.
 *
 * Meanwhile, another CPU that comes to the site acts as in state FROM, as in
 * state TO, or as if it was off; or it runs into a breakpoint, for which there
 * is sdt_patch_trap().  Once this returns, every CPU acts as in state TO.  But
 * one may still be in the handler, or on its way.
 */
enum sdt_patch_error sdt_patch_set(const struct sdt_patch_host *host,
				   const struct sdt_site *site, sdt_uptr from,
				   sdt_uptr to);

/*
 * Call it once, when you find the site: changes it from the stub to
 * SDT_PATCH_OFF.  A site that sdtlink --nop wrote is SDT_PATCH_OFF already.  It
 * stays so.  If only another NOP can be switched at run time, it becomes that.
 */
enum sdt_patch_error sdt_patch_init(const struct sdt_patch_host *host,
				    const struct sdt_site *site);

static inline enum sdt_patch_error
sdt_patch_enable(const struct sdt_patch_host *host, const struct sdt_site *site,
		 sdt_uptr handler)
{
	return sdt_patch_set(host, site, SDT_PATCH_OFF, handler);
}

/* HANDLER must be the one with which it was enabled. */
static inline enum sdt_patch_error
sdt_patch_disable(const struct sdt_patch_host *host,
		  const struct sdt_site *site, sdt_uptr handler)
{
	return sdt_patch_set(host, site, handler, SDT_PATCH_OFF);
}

/* Undoes sdt_patch_init(), if the site has a stub. */
static inline enum sdt_patch_error
sdt_patch_restore(const struct sdt_patch_host *host,
		  const struct sdt_site *site)
{
	return sdt_patch_set(host, site, SDT_PATCH_OFF, site->stub);
}

/* Registers of the code that ran into a breakpoint, to read and write. */
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
 * For the breakpoint handler: finds the site, and sets REGS to their values
 * behind it if it is off.  An is-enabled site has yielded 0 then.  Resume with
 * these registers.
 *
 * If you have put the site into state SDT_PATCH_TRAP, and this returns
 * SDT_TRAP_HIT, the probe fires here.  Its arguments are in their registers,
 * and you may set the result.  In the branch form, the arguments are not
 * computed yet: set pc to site->target, and the code that computes them runs
 * and calls the probe.
 *
 * On SPARC, set nPC to pc + 4.  With shadow stacks, pop the return address that
 * a tail call takes.
 */
enum sdt_patch_trap sdt_patch_trap(const struct sdt_table *table,
				   struct sdt_patch_regs *regs,
				   struct sdt_site *site);

#ifdef __cplusplus
}
#endif

#endif
