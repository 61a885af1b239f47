/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Prints the instruction of a finding for a person to compare: that of the
 * partial above that of the final.
 */
#ifndef SDTLINK_FINDING_DISASSEMBLY_H
#define SDTLINK_FINDING_DISASSEMBLY_H

#include <stdio.h>

#include "base/finding.h"
#include "elf/image.h"

struct finding_disassembly {
	const struct object *objs; /* partials, then the final */
	size_t n;		   /* partials */
	struct image img;	   /* of the final, once it was asked for */
	bool is_tried;
};

/* Closes what CODE has opened. It may be all 0. */
void finding_disassembly_close(struct finding_disassembly *code);

/*
 * Prints nothing for a place that F does not name, or that has no code, or if
 * memory ran out, which report_confirm() reports.
 */
void finding_disassembly_print(struct finding_disassembly *code,
			       const struct finding *f, FILE *stream);

#endif
