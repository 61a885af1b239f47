/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What verify can find wrong. The list of causes is closed: see
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

/* What to do about a finding, if more is known than its cause. */
enum remedy {
	REMEDY_OF_CAUSE,
	REMEDY_KEEP_NAMES,
	REMEDY_BRANCHES,
	REMEDY_GIVE_TWIN,
	REMEDY_NO_DETOUR,
	REMEDY_NEAR_STUBS,
	REMEDY_NO_WRAP,
	REMEDY_NO_IFUNC,
	REMEDY_GIVE_CALLER,
	REMEDY_GIVE_BRANCH,
	REMEDY_CALL_BY_NAME,
	REMEDY_DEFINE_APART,
	REMEDY_NO_POINTER,
	REMEDY_OTHER_ENTRY,
	REMEDY_NO_EMIT_RELOCS,
	REMEDY_NO_TABLE_JUMPS,
	REMEDY_RENAME_EARLY,
	REMEDY_SAFE_ICF,
	REMEDY_NO_ICF,
	REMEDY_OTHER_TABLE,
	REMEDY_NAME_TABLE,
	REMEDY_TABLE_BOUNDS,
	REMEDY_SCRIPT_LINES,
	REMEDY_KEEP_TABLE,
	REMEDY_SAME_SECTIONS,
	REMEDY_KEEP_ENTRIES,
	REMEDY_INJECT_ALL,
	REMEDY_NO_BRANCH_TO_BRANCH,
	REMEDY_HIDE_STUB,
	REMEDY_HIDE_BASE,
	REMEDY_TELL_APART,
	REMEDY_KEEP_RECORDS,
	REMEDY_NO_BB_JUMPS,
	REMEDY_ALL_OF_WEAK,
	REMEDY_MAKE_ONE,
	REMEDY_TEXT_SITES,
	REMEDY_GIVE_DEFINITION,
	REMEDY_GIVE_PARTIAL,
	REMEDY_STUB_CHANGED,
	REMEDY_FIXED_PLACE,
	REMEDY_EXTERNAL_NAME,
	REMEDY_DEBUG_FILE,
	REMEDY_GIVE_OBJECTS,
	REMEDY_BEFORE_BOLT,
};

/* The one thing to do. It may depend on the form of the table. */
const char *remedy_text(enum remedy remedy, enum cause cause,
			enum table_form form);

struct finding {
	enum cause cause;
	uint32_t shndx;	      /* section of the partial, or 0 */
	const char *partial;  /* its path; NULL without a section of it */
	const char *section;  /* its name, or that of one of the final: of what
			       * the flashed file lacks; or NULL */
	const char *function; /* of the offset, or of the address; or NULL */
	uint64_t function_offset; /* valid if function */
	bool has_offset;
	uint64_t offset; /* in the section of the partial */
	bool has_address;
	uint64_t address; /* in the final */
	bool has_displacement;
	int64_t displacement; /* of the table or text, in bytes */
	const char *text;
	bool is_open; /* no fault was found; names are needed to be sure */
	enum remedy remedy;
	const char *advice; /* what that says */
};

#endif
