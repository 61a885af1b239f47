/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a site contains in the memory of a running program, as the patchers in
 * runtime/ write it. It is not part of struct arch, since breakpoints and some
 * switched-off forms are the choice of the runtime.
 */
#ifndef SDTLINK_ARCH_STATE_H
#define SDTLINK_ARCH_STATE_H

#include "arch.h"

enum site_state {
	STATE_OFF,    /* an instruction that does nothing, or returns */
	STATE_LINKED, /* the image's branch to the stub: off, too */
	STATE_ON,     /* a branch to elsewhere */
	STATE_BREAKPOINT,
	STATE_HALF,	  /* what the patcher writes on its way */
	STATE_OTHER,	  /* none of these */
	STATE_UNREADABLE, /* it is not in the memory */
};

struct site_view {
	enum site_form form;
	bool is_enabled;
	unsigned length; /* of the site in bytes */
	/*
	 * The site in the image, and the same range of memory. OFFSET is that
	 * of the site in both.
	 */
	struct code image, memory;
	uint64_t offset;
	uint64_t stub;	 /* or 0 */
	uint64_t target; /* FORM_BRANCH: where it jumps when it is on */
};

/*
 * Sets *TARGET to where the branch goes, as an address of the image, if the
 * state is STATE_ON, or STATE_HALF and the bytes show it. Else to 0.
 */
enum site_state site_state(const struct arch *arch,
			   const struct site_view *view, uint64_t *target);

#endif
