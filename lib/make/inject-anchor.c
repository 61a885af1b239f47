/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Part of inject_plan: references to places in text that move with the text. */
#include <config.h>

#include "injection.h"

bool inject_has_symbol(const struct injection *in, uint32_t shndx)
{
	const struct symbol_ref *symbol = &in->section_symbols[shndx];

	return symbol->origin != SYMBOL_OLD || symbol->idx != 0;
}

int inject_add_local(struct injection *in, const char *name, uint8_t type,
		     uint32_t shndx, uint64_t offset, struct new_reloc *reloc)
{
	struct new_symbol sym = {
		.name = (char *)name,
		.value = offset,
		.shndx = shndx,
		.bind = STB_LOCAL,
		.type = type,
	};
	uint32_t local = edit_add_local(in->edit, &sym);

	if (local == NO_EDIT)
		return inject_nomem(in);
	reloc->symbol = (struct symbol_ref){ SYMBOL_NEW_LOCAL, local };
	return 0;
}

/*
 * Assemblers omit section symbols that nothing uses. No linker puts one into
 * the final because of this.
 */
static int refer_to_section(struct injection *in, uint32_t shndx,
			    uint64_t offset, struct new_reloc *reloc)
{
	struct symbol_ref *symbol = &in->section_symbols[shndx];

	if (!inject_has_symbol(in, shndx)) {
		if (inject_add_local(in, "", STT_SECTION, shndx, 0, reloc))
			return -1;
		*symbol = reloc->symbol;
	}
	reloc->symbol = *symbol;
	reloc->addend += offset;
	return 0;
}

/*
 * The final link may delete bytes before OFFSET. A label moves with the code.
 * It has the name that assemblers give to their own labels of this kind: GNU ld
 * and mold drop it, lld drops it with -X, and tools for RISC-V ignore it.
 */
#define RELAXED_LABEL ".L0 "

static int refuse_relaxed(struct injection *in, uint32_t shndx)
{
	struct place place = { .file = in->obj->path,
			       .section = in->obj->sections[shndx].name };

	layout_find_relaxed(in->obj, shndx, &place);
	return diag_report(in->d, SEVERITY_NO, &place, "relaxation",
			   "inject without --anchor=section",
			   "the final link may shorten the code of this "
			   "section, here first: offsets from its start cannot "
			   "be right");
}

int inject_anchor(struct injection *in, uint32_t shndx, uint64_t offset,
		  struct new_reloc *reloc)
{
	const struct section *sec = &in->obj->sections[shndx];

	if (in->options->anchor == ANCHOR_SECTION && sec->relaxes)
		return refuse_relaxed(in, shndx);
	if (sec->relaxes)
		return inject_add_local(in, RELAXED_LABEL, STT_NOTYPE, shndx,
					offset, reloc);
	if (in->options->anchor == ANCHOR_LABEL)
		return inject_add_local(in, ".Lsdt_site", STT_NOTYPE, shndx,
					offset, reloc);
	return refer_to_section(in, shndx, offset, reloc);
}

uint64_t inject_flags_like(const struct injection *in, uint32_t text,
			   uint64_t flags)
{
	const struct section *sec = &in->obj->sections[text];

	return flags | (sec->group ? SHF_GROUP : 0) |
	       (sec->flags & SHF_EXCLUDE);
}
