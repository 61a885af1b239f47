/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The instruction that a finding is about, as a person compares it: that of the
 * partial and that of the final, one below the other.
 */
#ifndef SDTLINK_FINDING_CODE_H
#define SDTLINK_FINDING_CODE_H

#include <stdio.h>

#include "base/finding.h"
#include "elf/image.h"

struct finding_code {
	const struct object *objs; /* partials, then the final */
	size_t n;		   /* partials */
	struct image img;	   /* of the final, once it was asked for */
	bool is_tried;
};

/* What CODE has opened is closed; it may be all 0. */
void finding_code_close(struct finding_code *code);

/*
 * Prints nothing of a place that F does not name, or that has no code; out of
 * memory as well, which report_confirm() says.
 */
void finding_code_print(struct finding_code *code, const struct finding *f,
			FILE *stream);

#endif
