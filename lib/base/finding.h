/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What verify finds wrong. The causes are a closed list; see
 * sdtlink-diagnostics(7).
 */
#ifndef SDTLINK_FINDING_H
#define SDTLINK_FINDING_H

#include <stdbool.h>
#include <stdint.h>

#include "options.h"

enum cause {
	CAUSE_REORDER,
	CAUSE_RELAXATION,
	CAUSE_GC,
	CAUSE_ICF,
	CAUSE_COMDAT,
	CAUSE_THUNK,
	CAUSE_ERRATUM,
	CAUSE_REWRITTEN,
	CAUSE_LTO,
	CAUSE_STUB_FOLDED,
	CAUSE_STUB_MISSING,
	CAUSE_TABLE_MISSING,
	CAUSE_TABLE_MISMATCH,
	CAUSE_TEXT_DIFFERS,
	CAUSE_EXTRA_SITE,
	CAUSE_UNPLACED,
	CAUSE_NOT_IN_IMAGE,
	CAUSE_IMAGE_DIFFERS,
};

const char *cause_name(enum cause cause);

/* The one thing to do about it if the table is of that form. */
const char *cause_remedy(enum cause cause, enum table_form form);

struct finding {
	enum cause cause;
	uint32_t shndx;	      /* section of the partial, or 0 */
	const char *partial;  /* its path; NULL without a section */
	const char *section;  /* its name, or NULL */
	const char *function; /* of the offset, or of the address; or NULL */
	uint64_t function_offset; /* valid if function */
	bool has_offset;
	uint64_t offset; /* in the section of the partial */
	bool has_address;
	uint64_t address; /* in the final */
	bool has_displacement;
	int64_t displacement; /* of the table or text, in bytes */
	const char *text;
	const char *remedy; /* NULL, if it is that of the cause */
};

#endif
