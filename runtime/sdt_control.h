/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A ready-made user of site tables: switches all sites off, switches sites on
 * and off by pattern, lists them, and runs the lines of a console.  See sdt(3).
 *
 *	static struct sdt_control control;
 *	static struct sdt_module kernel = { .name = "kernel" };
 *
 *	control.host = &host;
 *	control.handler = (sdt_uptr)probe_fired;
 *	if (sdt_control_add(&control, &kernel) != SDT_CONTROL_OK)
 *		...
 *	sdt_control_line(&control, "on udp:::", print, 0);
 *
 * sdt_host_plain.h has a host for text that is writable and runs on one CPU.
 *
 * Compile sdt_control.c, sdt_match.c, sdt_patch.c, sdt_table.c, and the
 * sdt_patch_<isa>.c of your machine.  They allocate no memory, and need no C
 * library.  Only one call for a control may run at a time: take a lock.
 */
#ifndef SDTLINK_SDT_CONTROL_H
#define SDTLINK_SDT_CONTROL_H

#pragma GCC system_header

#include "sdt_patch.h"

#ifdef __cplusplus
extern "C" {
#endif

enum sdt_control_error {
	SDT_CONTROL_OK = 0,
	SDT_CONTROL_BAD_TABLE,	 /* module->error says why */
	SDT_CONTROL_BAD_PATTERN, /* more than four fields */
	SDT_CONTROL_NO_MATCH,	 /* no site of any module matches the pattern */
	SDT_CONTROL_NO_HANDLER,	 /* control->handler is 0 */
	SDT_CONTROL_REFUSED,   /* a site is not in any state that was expected,
				  or could not be changed: counts.error */
	SDT_CONTROL_NO_COMMAND /* sdt_control_line() knows no such word */
};

/* A message of one line for people, in lower case, without a full stop. */
const char *sdt_control_text(enum sdt_control_error error);
const char *sdt_table_text(enum sdt_table_error error);
const char *sdt_patch_text(enum sdt_patch_error error);

/* [start, end) */
struct sdt_text {
	sdt_uptr start;
	sdt_uptr end;
};

/*
 * The kernel, or a module that was loaded later.  You own it, and set the
 * members before `table'.  Keep it until sdt_control_remove().
 */
struct sdt_module {
	const char *name;	  /* the second field of patterns */
	const void *raw;	  /* an offsets table, &sdt_table; or 0: */
	sdt_uptr limit;		  /* SDT_TABLE_LIMIT */
	struct sdt_bounds bounds; /* an anchored one, SDT_BOUNDS */
	struct sdt_text text[2];  /* for sdt_host_plain: where sites may be.
				     Zero the second when init text is freed */
	/* See struct sdt_table. */
	const char *(*find_function)(void *cookie, sdt_uptr addr);
	void *cookie;

	struct sdt_table table; /* from here on, sdt_control_add() fills it */
	enum sdt_table_error error;
	struct sdt_module *next;
};

struct sdt_control {
	const struct sdt_patch_host *host;
	/*
	 * What probes call that the console's `on' enables: `void f(sdt_uptr,
	 * ...)', with the arguments of the site.
	 */
	sdt_uptr handler;
	struct sdt_module *first; /* 0 before the first sdt_control_add() */
};

/* What became of the sites that match a pattern. */
struct sdt_counts {
	sdt_u32 nsites;	  /* that match */
	sdt_u32 nchanged; /* of these, in the new state now, not before */
	sdt_u32 ngone;	  /* in text that is_text() does not know */
	sdt_u32 nrefused; /* unchanged for another reason */
	enum sdt_patch_error error; /* of the first that was refused */
};

/*
 * Checks the table of MODULE, turns its sites into NOPs, and adds it to
 * CONTROL.  Sites in text that is gone are skipped.  After
 * SDT_CONTROL_BAD_TABLE nothing has changed.  After SDT_CONTROL_REFUSED the
 * module is added, and the sites whose bytes are not those of the table are
 * unchanged.
 */
enum sdt_control_error sdt_control_add(struct sdt_control *control,
				       struct sdt_module *module);

/*
 * Call it before the module's text goes.  Writes nothing to that.  Does
 * nothing if MODULE was not added.
 */
void sdt_control_remove(struct sdt_control *control, struct sdt_module *module);

/*
 * Makes the sites that match PATTERN (see sdt_match_start()) call HANDLER.  An
 * is-enabled site yields 1 then.  It is no error if a site does so already.
 * COUNTS may be 0.  After SDT_CONTROL_REFUSED, all sites are enabled but those
 * that were refused.
 */
enum sdt_control_error sdt_control_enable(const struct sdt_control *control,
					  const char *pattern, sdt_uptr handler,
					  struct sdt_counts *counts);

/* Undoes that, for the same HANDLER.  It is no error if a site is off. */
enum sdt_control_error sdt_control_disable(const struct sdt_control *control,
					   const char *pattern,
					   sdt_uptr handler,
					   struct sdt_counts *counts);

enum sdt_state {
	SDT_STATE_OFF = 0,
	SDT_STATE_ON,	/* calls control->handler, or yields 1 */
	SDT_STATE_STUB, /* as the linker left it */
	SDT_STATE_GONE, /* in text that is_text() does not know */
	SDT_STATE_OTHER /* another handler, a breakpoint, or damage */
};

const char *sdt_state_text(enum sdt_state state);

enum sdt_state sdt_control_state(const struct sdt_control *control,
				 const struct sdt_site *site);

/* Calls VISIT for each site that matches PATTERN.  "" matches all. */
enum sdt_control_error sdt_control_list(
	const struct sdt_control *control, const char *pattern,
	void (*visit)(void *cookie, const struct sdt_module *module,
		      const struct sdt_site *site, enum sdt_state state),
	void *cookie);

/*
 * Runs LINE, and prints in pieces of lines by PRINT, which gets COOKIE:
 *
 *	list [PATTERN]		each site: its address, state, kind, name
 *	on PATTERN		calls control->handler
 *	off PATTERN
 *
 * Names of more than 95 letters are cut.
 */
enum sdt_control_error
sdt_control_line(const struct sdt_control *control, const char *line,
		 void (*print)(void *cookie, const char *text), void *cookie);

#ifdef __cplusplus
}
#endif

#endif
