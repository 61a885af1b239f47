/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include "finding.h"

/* clang-format off */
static const struct {
	const char *name;
	const char *remedy;
	const char *anchored; /* the same for that form, if it is another */
} causes[] = {
	[CAUSE_REORDER] = { "reorder",
		"measure each section from a symbol of its own: generate "
		"without --table=linker-set, or link so that the text start "
		"is the start of that section", NULL },
	[CAUSE_RELAXATION] = { "relaxation",
		"use --inject, or compile all objects without linker "
		"relaxation (-mno-relax)", NULL },
	[CAUSE_GC] = { "gc",
		"generate the table from what the final link keeps: do "
		"--gc-sections in the partial link",
		"let the linker keep or drop the entries with their text, "
		"without rules for sdt_sites but KEEP(*(sdt_sites)), or do "
		"--gc-sections in the partial link" },
	[CAUSE_ICF] = { "icf",
		"link without --icf=all, or use --inject",
		"link without --icf=all" },
	[CAUSE_COMDAT] = { "comdat",
		"partially link all objects that share the function "
		"together, so that one copy is left",
		"inject all objects that have the function, or partially "
		"link them together" },
	[CAUSE_THUNK] = { "thunk",
		"place the stubs within reach of a direct branch, and keep "
		"them hidden",
		"place the stubs, which are in .text.unlikely, within reach "
		"of a direct branch, and keep them hidden" },
	[CAUSE_ERRATUM] = { "erratum",
		"link without the fix of the erratum, if the processor does "
		"not need it, or with another linker", NULL },
	[CAUSE_REWRITTEN] = { "rewritten",
		"verify what the linker wrote, before anything changes it; if "
		"that has it as well, link with another linker", NULL },
	[CAUSE_LTO] = { "lto",
		"let the final link use the partial, not the bytecode",
		"let the final link use what --inject has written, not the "
		"bytecode" },
	[CAUSE_STUB_FOLDED] = { "stub-folded",
		"link without --icf=all, and keep the stubs in one section",
		"link without --icf=all" },
	[CAUSE_STUB_MISSING] = { "stub-missing",
		"link the compiled stubs, and verify before strip",
		"link what --inject has written, and verify before strip" },
	[CAUSE_TABLE_MISSING] = { "table-missing",
		"link the generated table, and refer to it or KEEP it, so "
		"that --gc-sections does not drop it",
		"link what --inject has written, and refer to the table or "
		"KEEP it, so that --gc-sections does not drop it" },
	[CAUSE_TABLE_MISMATCH] = { "table-mismatch",
		"generate the table from this partial, compile it, and link "
		"again",
		"inject this partial, and link again" },
	[CAUSE_TEXT_DIFFERS] = { "text-differs",
		"link the very partial that the table was made from",
		"link what --inject has written, and verify the very partial "
		"that it has read" },
	[CAUSE_EXTRA_SITE] = { "extra-site",
		"put the object that holds the branch into the partial",
		NULL },
	[CAUSE_UNPLACED] = { "unplaced",
		"verify before strip, and keep local symbols (no -s, -x)",
		NULL },
	[CAUSE_NOT_IN_IMAGE] = { "not-in-image",
		"put this section into the file as well (objcopy -j); or say "
		"with --image-base where a raw file is loaded", NULL },
	[CAUSE_IMAGE_DIFFERS] = { "image-differs",
		"make the file of this final anew, with all its sections "
		"(objcopy -j); or say with --image-base where a raw file is "
		"loaded",
		NULL },
};
/* clang-format on */

const char *cause_name(enum cause cause)
{
	return causes[cause].name;
}

const char *cause_remedy(enum cause cause, enum table_form form)
{
	return form == TABLE_ANCHORED && causes[cause].anchored != NULL
		       ? causes[cause].anchored
		       : causes[cause].remedy;
}
