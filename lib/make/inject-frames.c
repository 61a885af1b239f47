/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Part of inject_plan: unwinding out of a stub. If the object describes its
 * functions in .eh_frame, each stub gets an FDE. A stub has no frame: at each
 * instruction it is as all functions are at their first. A CIE of the object
 * describes just that, on each machine. ARM has a different table.
 */
#include <config.h>

#include <elf.h>
#include <string.h>

#include "elf/frames.h"
#include "injection.h"

static uint32_t find_frames(const struct object *obj)
{
	for (size_t i = 1; i < obj->nsections; i++)
		if (frames_hold(obj->sections[i].name) &&
		    section_is_alloc(&obj->sections[i]))
			return i;
	return 0;
}

/*
 * An FDE: its length, the distance to the CIE, the address and the size of the
 * stub, and no other data. It is padded with DW_CFA_nop, which is 0. GNU ld
 * knows one such section for each object, so the FDE is appended to it.
 */
static int add_fde(struct injection *in, const struct frame_style *style,
		   uint32_t frames, uint32_t stub)
{
	size_t align = in->obj->sections[frames].align == 8 ? 8 : 4;
	size_t size = (9 + 2 * style->width + align - 1) / align * align;
	struct new_reloc reloc = { .type = style->reloc };
	uint64_t offset;
	uint8_t *fde = edit_grow_section(in->edit, frames, 1, size, &offset);

	if (fde == NULL)
		return inject_nomem(in);
	object_put(in->obj, fde, size - 4, 4);
	object_put(in->obj, fde + 4, offset + 4 - style->cie, 4);
	object_put(in->obj, fde + 8 + style->width,
		   in->edit->sections[stub - in->obj->nsections].size,
		   style->width);
	reloc.offset = offset + 8;
	if (inject_add_local(in, "", STT_SECTION, stub, 0, &reloc))
		return -1;
	return edit_add_reloc(in->edit, frames, &reloc) ? inject_nomem(in) : 0;
}

/* --- ARM ----------------------------------------------------------------- */

#define EXIDX ".ARM.exidx"

static bool has_exidx(const struct object *obj)
{
	for (size_t i = 1; obj->arch->reloc_index != 0 && i < obj->nsections;
	     i++)
		if (strncmp(obj->sections[i].name, EXIDX, strlen(EXIDX)) == 0)
			return true;
	return false;
}

/*
 * An entry of ARM's index table for a stub, in a section linked to that of the
 * stub (EHABI32 5 and 9.3): the stub, and "finish", since lr has the return
 * address.
 */
static int add_index_entry(struct injection *in, uint32_t stub)
{
	const struct new_section *text =
		&in->edit->sections[stub - in->obj->nsections];
	uint8_t entry[8] = { 0 };
	struct new_section sec = {
		.name = (char *)EXIDX STUB_SECTION,
		.type = SHT_ARM_EXIDX,
		.flags = SHF_ALLOC | SHF_LINK_ORDER | SHF_GROUP,
		.link = stub,
		.align = 4,
		.group = text->group,
		.data = entry,
		.size = sizeof(entry),
	};
	struct new_reloc reloc = { .type = in->obj->arch->reloc_index };
	uint32_t shndx;

	object_put(in->obj, entry + 4, 0x80b0b0b0, 4);
	shndx = edit_add_section(in->edit, &sec);
	if (shndx == NO_EDIT)
		return inject_nomem(in);
	if (inject_add_local(in, "", STT_SECTION, stub, 0, &reloc))
		return -1;
	return edit_add_reloc(in->edit, shndx, &reloc) ? inject_nomem(in) : 0;
}

/* --- Both ---------------------------------------------------------------- */

static int add_fdes(struct injection *in, uint32_t frames)
{
	struct frame_style style;
	int found;

	found = frames_find_style(in->d, in->obj, frames, &style);
	if (found <= 0)
		return found;
	for (size_t i = 0; i < in->set->nprobes; i++)
		if (in->stubs[i] != 0 &&
		    add_fde(in, &style, frames, in->stubs[i]))
			return -1;
	return 0;
}

int inject_add_frames(struct injection *in)
{
	uint32_t frames = find_frames(in->obj);

	if (in->is_module)
		return 0;
	if (frames != 0 && add_fdes(in, frames))
		return -1;
	if (!has_exidx(in->obj))
		return 0;
	for (size_t i = 0; i < in->set->nprobes; i++)
		if (in->stubs[i] != 0 && add_index_entry(in, in->stubs[i]))
			return -1;
	return 0;
}
