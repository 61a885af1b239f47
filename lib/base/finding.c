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
		"place the stubs, which are in .text.sdt_stubs, within "
		"reach of a direct branch, and keep them hidden" },
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
		"link again, if an object was compiled since; else link what "
		"--inject has written, and verify what it has read" },
	[CAUSE_EXTRA_SITE] = { "extra-site",
		"put the object that holds the branch into the partial",
		"inject the object that holds the branch, too, and give it to "
		"--verify" },
	[CAUSE_UNPLACED] = { "unplaced",
		"verify before strip, and keep local symbols (no -s, -x)",
		NULL },
	[CAUSE_NOT_IN_IMAGE] = { "not-in-image",
		"put this section into the file as well (objcopy -j and its "
		"name); or say with --image-base where a raw file is loaded",
		NULL },
	[CAUSE_IMAGE_DIFFERS] = { "image-differs",
		"make the file of this final anew, also with this section "
		"(objcopy -j and its name); or say with --image-base where a "
		"raw file is loaded",
		NULL },
};

static const char *const remedies[] = {
	[REMEDY_KEEP_NAMES] =
		"verify before strip, and keep the symbols of functions and "
		"stubs",
	[REMEDY_BRANCHES] =
		"inject without --nop, so that branches show which one is "
		"there",
	[REMEDY_GIVE_TWIN] =
		"verify before strip; if the function was dropped and another "
		"has its bytes, give the object of that function, too, or, if "
		"the sites are NOPs, leave --nop out",
	[REMEDY_NO_DETOUR] =
		"link without what leads calls of the probe function "
		"elsewhere, and verify what the linker wrote",
	[REMEDY_NEAR_STUBS] =
		"the stub is out of the branch's reach, and the linker cut "
		"its address off: place the stubs nearer to the sites, for "
		"jal of MIPS in the same 256 MiB",
	[REMEDY_NO_WRAP] =
		"link without --wrap of the probe function",
	[REMEDY_NO_IFUNC] =
		"if the probe function is an ifunc, define it as an ordinary "
		"function",
	[REMEDY_GIVE_CALLER] =
		"put the object that holds the branch into the partial; or if "
		"that calls a function that begins with a tail call of the "
		"probe, link with ld.lld's --no-branch-to-branch, or with -O1",
	[REMEDY_GIVE_BRANCH] =
		"put the object that holds the branch into the partial; or if "
		"that is data, which only reads as one, link with -z "
		"separate-code",
	[REMEDY_CALL_BY_NAME] =
		"its object defines the probe function, and branches to its "
		"code without a relocation: compile with "
		"-fsemantic-interposition, call it by its name, or define the "
		"probe functions in an object of their own",
	[REMEDY_DEFINE_APART] =
		"put the object that holds the branch into the partial; or if "
		"that is the object that defines the function of --symbol, "
		"define it in an object of its own",
	[REMEDY_NO_POINTER] =
		"call the probe function where the object takes its address",
	[REMEDY_OTHER_ENTRY] =
		"let the linker enter the image at another function (-e, "
		"-init, -fini)",
	[REMEDY_NO_EMIT_RELOCS] =
		"call the probe function if the object takes its address "
		"there; if the linker keeps relocations at wrong offsets, as "
		"mold does for RISC-V, gold for AArch64 and ARM, and lld for "
		"RISC-V and LoongArch with --no-relax, link without "
		"--emit-relocs, or let lld relax",
	[REMEDY_NO_TABLE_JUMPS] =
		"compile and link without table jumps (Zcmt)",
	[REMEDY_RENAME_EARLY] =
		"rename symbols before the partial is made, or give the "
		"object that has the names of the image",
	[REMEDY_SAFE_ICF] =
		"if a function that lost its name was folded into this one, "
		"link with --icf=safe, or without --gc-sections",
	[REMEDY_NO_ICF] =
		"inject this partial, and link again; if the linker folds text "
		"that relaxes, and leaves addresses in it wrong, as mold "
		"does for RISC-V, link without --icf",
	[REMEDY_OTHER_TABLE] =
		"name that of this one with --table-name, or generate it",
	[REMEDY_NAME_TABLE] =
		"verify before strip, or name the table with --table-name",
	[REMEDY_TABLE_BOUNDS] =
		"in the linker script, have KEEP(*(sdt_sites)) between "
		"__start_sdt_sites and __stop_sdt_sites, or define neither",
	[REMEDY_SCRIPT_LINES] =
		"put the lines of sdtlink --script-fragment into the linker "
		"script, and have no other rule for sdt_sites and sdt_probes",
	[REMEDY_KEEP_TABLE] =
		"in a linker script, have the lines of sdtlink "
		"--script-fragment before /DISCARD/; with ld.gold "
		"--gc-sections, refer to __start_sdt_sites in the program",
	[REMEDY_SAME_SECTIONS] =
		"give --verify the --section and --skip-section options of "
		"the run that made the table",
	[REMEDY_KEEP_ENTRIES] =
		"have no rules for sdt_sites but KEEP(*(sdt_sites)), or do "
		"--gc-sections in the partial link; if options left the "
		"section out, give them to --verify",
	[REMEDY_INJECT_ALL] =
		"inject this partial as well, and link again; or if it was "
		"injected, KEEP(*(sdt_sites)), or refer to the table, so that "
		"--gc-sections does not drop entries",
	[REMEDY_NO_BRANCH_TO_BRANCH] =
		"link with --no-branch-to-branch, or with -O1: ld.lld has led "
		"a branch to a function that begins with a jump on to where "
		"that goes",
	[REMEDY_HIDE_STUB] =
		"another component may define the stub, too: make it hidden, "
		"or link with -Bsymbolic",
	[REMEDY_HIDE_BASE] =
		"the symbol that the section is measured from can be "
		"overridden: link with -Bsymbolic, or compile with "
		"-fvisibility=hidden",
	[REMEDY_KEEP_RECORDS] =
		"inject its object anew if something has removed .debug.sdt "
		"from it; or if another object has this function, give that, "
		"too",
	[REMEDY_TELL_APART] =
		"give the two functions different names; or, if the sites are "
		"NOPs, leave --nop out, so that branches show which one is "
		"there",
	[REMEDY_NO_BB_JUMPS] =
		"link the very partial that the table was made from, and with "
		"ld.lld without --optimize-bb-jumps",
	[REMEDY_ALL_OF_WEAK] =
		"give --verify all objects that define this weak function, "
		"also those without probes, or link the very partial that the "
		"table was made from",
	[REMEDY_MAKE_ONE] =
		"there are too many alike to be told apart: partially link "
		"some of the objects that have the function before --inject, "
		"which makes one section of theirs",
	[REMEDY_TEXT_SITES] =
		"link again, if an object was compiled since; else link the "
		"very partial that the table was made from; if a linker that "
		"sdtlink does not know has rewritten it, --text=sites proves "
		"the sites alone",
	[REMEDY_GIVE_DEFINITION] =
		"give --verify the object that defines this function, too",
	[REMEDY_GIVE_PARTIAL] =
		"give --verify the partial that the table was made from, or "
		"name this one's with --table-name",
	[REMEDY_STUB_CHANGED] =
		"find out what changed it; or if that is a function of your "
		"own, put its object into the partial, or do not hide it",
	[REMEDY_FIXED_PLACE] =
		"link at a fixed place (-no-pie), or define it in the image, "
		"as a jump to that address",
	[REMEDY_EXTERNAL_NAME] =
		"give a function of the section external linkage, so that its "
		"name tells the place",
	[REMEDY_DEBUG_FILE] = "give the file that has its symbols with "
			      "--debug-file, or verify before strip",
	[REMEDY_GIVE_OBJECTS] =
		"give --verify the objects that were linked, before the final, "
		"to learn what changed",
	[REMEDY_BEFORE_BOLT] =
		"llvm-bolt has moved code, and does not change the table: "
		"verify what the linker wrote, and tell llvm-bolt to leave "
		"functions with sites and the stubs where they are "
		"(-skip-funcs)",
};
/* clang-format on */

const char *cause_name(enum cause cause)
{
	return causes[cause].name;
}

const char *remedy_text(enum remedy remedy, enum cause cause,
			enum table_form form)
{
	if (remedy != REMEDY_OF_CAUSE)
		return remedies[remedy];
	return form == TABLE_ANCHORED && causes[cause].anchored != NULL
		       ? causes[cause].anchored
		       : causes[cause].remedy;
}
