/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a site holds in the memory of a running program, as the patchers in
 * runtime/ write it. Apart from struct arch, for breakpoints and some of the
 * switched-off forms are the runtime's choice.
 */
#ifndef SDTLINK_ARCH_STATE_H
#define SDTLINK_ARCH_STATE_H

#include "arch.h"

enum site_state {
	STATE_OFF,    /* an instruction that does nothing, or returns */
	STATE_LINKED, /* the branch of the image, to the stub: off, too */
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
	 * The site in the image, and the same bytes of memory at the same
	 * addresses; OFFSET is that of the site in both.
	 */
	struct code image, memory;
	uint64_t offset;
	uint64_t stub;	 /* or 0 */
	uint64_t target; /* FORM_BRANCH: where it jumps when it is on */
};

/*
 * Sets *TARGET, if the state is STATE_ON, or STATE_HALF and the bytes tell, to
 * where the branch goes, in the addresses of the image; else to 0.
 */
enum site_state site_state(const struct arch *arch,
			   const struct site_view *view, uint64_t *target);

#endif
