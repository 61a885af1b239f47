/* SPDX-License-Identifier: BSD-2-Clause */
/* A small tracer: turns probes on and off, and prints what they fire. */
#ifndef TRACE_H
#define TRACE_H

#include <stdint.h>

#include <sdtlink/sdt_table.h>

/* What trampoline.S leaves on the stack. */
struct trace_frame {
	uintptr_t args[6];
	uintptr_t site; /* index */
	uintptr_t ret;	/* behind the site, if it is a call */
};

/* What became of the sites that a request named. */
struct trace_result {
	unsigned int ndone;
	unsigned int ngone; /* in text that was freed */
	unsigned int nrefused;
};

extern unsigned int trace_nfired;  /* since trace_show() */
extern unsigned int trace_nstrays; /* fired, but not where the table says */

/* Checks the table and every site; returns how many are bad, -1 for all. */
int trace_init(void);

/* Prints every site with its bytes. */
void trace_list(void);

/* Takes every site from the stub to the disabled form, and back. */
struct trace_result trace_disable_stubs(void);
struct trace_result trace_restore_stubs(void);

/* PATTERN as in sdt_match_start(). */
struct trace_result trace_enable(const char *pattern);
struct trace_result trace_disable(const char *pattern);

/*
 * Adds the table of a module, whose sites go off, and takes it away again; they
 * must be off by then.  Returns the number of sites, or -1.
 */
int trace_add(const char *name, const struct sdt_bounds *bounds);
void trace_remove(void);

/* Prints the first NARGS arguments of what fires; the table has no types. */
#define TRACE_QUIET (-1)
void trace_show(int nargs);

/* Forbids patching the init text and fills it with int3. */
void trace_free_init(void);

/* For trampoline.S. */
void trace_fire(const struct trace_frame *frame);

#endif
