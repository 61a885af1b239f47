/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Probe sites that some CPUs pass all the time, while another changes them at
 * random; each pass is checked against what the site was meant to do.  live.c
 * is the same everywhere; a host is threads on this machine (posix.c) or a
 * bare machine (x86_64.c).
 */
#ifndef LIVE_H
#define LIVE_H

#include <stdint.h>

#include <sdtlink/sdt_patch.h>

#define LIVE_NCPUS_MAX 8

/* What a site can be made to do. */
enum live_mode {
	LIVE_OFF,
	LIVE_STUB,
	LIVE_A, /* calls one handler */
	LIVE_B, /* calls another */
	LIVE_TRAP,
	LIVE_NMODES
};

/* --- Given by the host -------------------------------------------------- */

/* %s %u %lu %lx and no others */
void live_print(const char *format, ...)
	__attribute__((__format__(__printf__, 1, 2)));

/* Lets another CPU run, if they are emulated in turn. */
void live_yield(void);

extern const char live_text_start[], live_text_end[];

/* --- Given by live.c ---------------------------------------------------- */

/* Reads the table and switches all sites off.  Returns 0, or -1. */
int live_init(const struct sdt_patch_host *boot);

/* CPU passes all sites once.  CPU is below LIVE_NCPUS_MAX. */
void live_pass(unsigned int cpu);

/* Changes a random site NCHANGES times, then restores all.  0, or -1. */
int live_change(const struct sdt_patch_host *host, unsigned long nchanges);

/* Once all CPUs have stopped: prints what was seen; 0 if all was right. */
int live_report(unsigned int ncpus);

/*
 * For the breakpoint handler: what the CPU saved, and the registers of the
 * first two arguments.  Returns 0 if it is no site.
 */
int live_trap(struct sdt_patch_regs *regs, uintptr_t arg0, uintptr_t arg1);

/* --- sites.c ------------------------------------------------------------ */

struct live_site {
	const char *name; /* of the probe */
	/*
	 * Passes the site with arguments TOKEN and ~TOKEN.  Returns whether
	 * the site was come to, or what an is-enabled one yielded.
	 */
	int (*pass)(uintptr_t token);
};

#define LIVE_NSITES_MAX 16

extern const struct live_site live_sites[];
extern const unsigned int live_nsites;

#endif
