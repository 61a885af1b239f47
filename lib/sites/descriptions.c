/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <string.h>

#include "base/table-format.h"
#include "arch/arch.h"
#include "elf/descriptors.h"
#include "descriptions.h"

/*
 * Whole names. Tables from which control may continue are not here: __ex_table
 * (a fault continues at the fixup), .altinstructions (the replacement is
 * copied) and .gcc_except_table (landing pads). For .eh_frame see frames.h.
 */
static const char *const descriptions[] = {
	".orc_unwind_ip",
	/* Calls and NOPs, which return to the same place. */
	"__mcount_loc", "__patchable_function_entries", ".static_call_sites",
	".parainstructions",
	/* Traps. What continues, does so behind them. */
	"__bug_table", ".kcfi_traps",
	/* Instructions that are replaced by equivalent ones. */
	".smp_locks", ".retpoline_sites", ".return_sites", ".call_sites",
	".cfi_sites", ".ibt_endbr_seal", SDT_SITES_SECTION,
	SDT_FUNCTIONS_SECTION, /* what --inject added */
};

/*
 * Does a section of that name only describe code, so that a reference from it
 * does not show that the code runs?
 */
static bool only_describes(const char *name)
{
	for (size_t i = 0; i < sizeof(descriptions) / sizeof(descriptions[0]);
	     i++)
		if (strcmp(name, descriptions[i]) == 0)
			return true;
	return false;
}

/* With what more a name may have behind it. */
static bool tells_starts(const char *name)
{
	static const char *const tables[] = {
		".ARM.exidx", ".gcc_except_table", ".sframe",
		/* Linux' names for modules, as .dynsym has them. */
		"__ksymtab", "___ksymtab", ".export_symbol"
	};

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		if (strncmp(name, tables[i], strlen(tables[i])) == 0)
			return true;
	return false;
}

bool descriptions_only_tells(const struct object *obj, uint32_t shndx)
{
	const struct section *sec = &obj->sections[shndx];

	if (section_is_text(sec))
		return false;
	return !section_is_alloc(sec) || descriptors_hold(obj, shndx) ||
	       only_describes(sec->name) || tells_starts(sec->name) ||
	       strcmp(sec->name, SDT_PROBES_SECTION) == 0 ||
	       strcmp(sec->name, TRACEPOINT_OWN_SECTION) == 0;
}

bool descriptions_may_instrument(const struct section *sec)
{
	return !section_is_text(sec) && sec->name[0] != '.';
}

bool descriptions_may_refer(const struct object *obj, uint32_t shndx)
{
	const struct section *sec = &obj->sections[shndx];

	return section_is_alloc(sec) && !descriptors_hold(obj, shndx) &&
	       (section_is_text(sec) || !only_describes(sec->name));
}

bool descriptions_has_jumps(const char *name)
{
	return strcmp(name, "__jump_table") == 0;
}

static bool is_in_text(const struct object *obj, const struct reloc *r)
{
	struct symbol sym;

	object_symbol(obj, r->symndx, &sym);
	return sym.is_defined && section_is_text(&obj->sections[sym.shndx]);
}

bool descriptions_is_jump(const struct object *obj,
			  const struct reloc entry[JUMP_WORDS])
{
	const struct arch *arch = obj->arch;
	unsigned width = arch_reloc_width(arch, entry[JUMP_CODE].type);
	uint64_t size = 2 * width +
			arch_reloc_width(arch, entry[JUMP_KEY].type);

	return width > 0 &&
	       arch_reloc_width(arch, entry[JUMP_TARGET].type) == width &&
	       entry[JUMP_CODE].offset % size == 0 &&
	       entry[JUMP_TARGET].offset - entry[JUMP_CODE].offset == width &&
	       entry[JUMP_KEY].offset - entry[JUMP_TARGET].offset == width &&
	       is_in_text(obj, &entry[JUMP_CODE]) &&
	       is_in_text(obj, &entry[JUMP_TARGET]) &&
	       !is_in_text(obj, &entry[JUMP_KEY]);
}
