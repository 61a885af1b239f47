/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Part of inject_plan: keeps what --nop changes in a section that is not
 * loaded. From it, the proof restores the object from before. In an image, it
 * shows what each NOP was. See table/undo-nop.h.
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "arch/argument.h"
#include "base/table-format.h"
#include "injection.h"

static int put_record(struct injection *in, const struct taken_reloc *taken,
		      uint8_t *p)
{
	const struct site *site = &in->set->sites[taken->site];
	const struct arch *arch = in->obj->arch;
	bool is_enabled = in->set->probes[site->probe].use == PROBE_ENABLED;
	uint8_t bytes[DISABLED_MAX];
	struct code code = { 0 };

	if (!object_code(in->d, in->obj, site->shndx, &code))
		return -1;
	object_put(in->obj, p + SDT_BEFORE_ADDEND, taken->reloc.addend, 8);
	object_put(in->obj, p + SDT_BEFORE_TYPE, taken->reloc.type, 4);
	p[SDT_BEFORE_FIELD] = taken->reloc.offset - site->offset;
	p[SDT_BEFORE_LENGTH] = arch->disable(arch, site->form, is_enabled,
					     &code, site->offset, bytes);
	memcpy(p + SDT_BEFORE_BYTES, code.bytes + site->offset,
	       p[SDT_BEFORE_LENGTH]);
	object_put(in->obj, p + SDT_BEFORE_HASH,
		   inject_hash(in->set->probes[site->probe].symbol), 4);
	return 0;
}

static int add_place(struct injection *in, const struct taken_reloc *taken,
		     uint32_t shndx, uint64_t offset)
{
	struct new_reloc reloc = in->anchors[taken->site];

	reloc.offset = offset;
	reloc.type = in->obj->arch->reloc_word;
	return edit_add_reloc(in->edit, shndx, &reloc) ? inject_nomem(in) : 0;
}

int inject_keep(struct injection *in, uint32_t text,
		const struct taken_reloc *taken, size_t n)
{
	struct new_section sec = {
		.name = (char *)SDT_BEFORE_SECTION,
		.type = SHT_PROGBITS,
		.flags = inject_flags_like(in, text, 0),
		.align = 8,
		.group = in->obj->sections[text].group,
		.size = n * SDT_BEFORE_SIZE,
	};
	uint32_t shndx;
	int ret = 0;

	/* A module is not linked again, so no proof needs its records. */
	if (n == 0 || in->is_module)
		return 0;
	sec.data = calloc(n, SDT_BEFORE_SIZE);
	if (sec.data == NULL)
		return inject_nomem(in);
	for (size_t i = 0; ret == 0 && i < n; i++)
		ret = put_record(in, &taken[i], sec.data + i * SDT_BEFORE_SIZE);
	shndx = ret == 0 ? edit_add_section(in->edit, &sec) : NO_EDIT;
	free(sec.data);
	if (shndx == NO_EDIT)
		return ret != 0 ? -1 : inject_nomem(in);
	for (size_t i = 0; ret == 0 && i < n; i++)
		ret = add_place(in, &taken[i], shndx, i * SDT_BEFORE_SIZE);
	return ret;
}
