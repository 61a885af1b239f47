/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the line of a place, and the functions that were inlined there. */
#include <config.h>

#include "source.h"

#ifdef HAVE_ELFUTILS_LIBDWFL_H

#include <stdlib.h>

#include "base/grow.h"
#include "debug.h"

static struct source_frame *add_frame(struct source_chain *chain)
{
	struct source_frame *grown =
		grow_list(chain->frames, chain->nframes, sizeof(*grown));

	if (grown == NULL)
		return NULL;
	chain->frames = grown;
	grown += chain->nframes++;
	*grown = (struct source_frame){ 0 };
	return grown;
}

static void set_line(struct source *src, struct unit *unit, uint64_t addr,
		     struct source_frame *frame)
{
	Dwarf_Line *line = src->dw->dwarf_getsrc_die(&unit->die, addr);
	int number, column;

	/* Line 0 is code that is of no line. */
	if (line == NULL || src->dw->dwarf_lineno(line, &number) != 0 ||
	    number <= 0)
		return;
	frame->file = src->dw->dwarf_linesrc(line, NULL, NULL);
	frame->line = frame->file != NULL ? number : 0;
	if (src->dw->dwarf_linecol(line, &column) == 0 && column > 0)
		frame->column = column;
}

static unsigned number_of(struct source *src, Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attr;
	Dwarf_Word value;

	if (src->dw->dwarf_attr(die, name, &attr) == NULL ||
	    src->dw->dwarf_formudata(&attr, &value) != 0 || value > UINT32_MAX)
		return 0;
	return value;
}

/* Where DIE, which is inlined, was called. */
static void set_call(struct source *src, struct unit *unit, Dwarf_Die *die,
		     struct source_frame *frame)
{
	Dwarf_Attribute attr;
	Dwarf_Files *files;
	Dwarf_Word index;
	size_t n;

	if (src->dw->dwarf_attr(die, DW_AT_call_file, &attr) == NULL ||
	    src->dw->dwarf_formudata(&attr, &index) != 0 ||
	    src->dw->dwarf_getsrcfiles(&unit->body, &files, &n) != 0 ||
	    index >= n)
		return;
	frame->line = number_of(src, die, DW_AT_call_line);
	if (frame->line == 0)
		return;
	frame->file = src->dw->dwarf_filesrc(files, index, NULL, NULL);
	if (frame->file == NULL)
		frame->line = 0;
	else
		frame->column = number_of(src, die, DW_AT_call_column);
}

int source_find(struct source *src, const struct source_spot *spot,
		struct source_chain *chain)
{
	uint32_t scope;
	struct unit *unit = source_spot_unit(src, spot, &scope);
	struct source_frame *frame;

	*chain = (struct source_chain){ 0 };
	if (src->has_no_memory)
		return -1;
	if (unit == NULL)
		return 0;
	frame = add_frame(chain);
	if (frame == NULL)
		return -1;
	set_line(src, unit, source_address(src, spot->shndx, spot->at), frame);
	scope = unit_function(unit, scope);
	if (scope != 0)
		chain->instance = &unit->scopes[scope - 1];
	while (scope != 0) {
		struct scope *function = &unit->scopes[scope - 1];

		frame->function = source_link_name(src, &function->die);
		if (function->tag == DW_TAG_subprogram)
			return 0;
		frame->is_inlined = true;
		frame = add_frame(chain);
		if (frame == NULL)
			return -1;
		set_call(src, unit, &function->die, frame);
		scope = unit_function(unit, function->parent);
	}
	if (chain->nframes == 1 && frame->file == NULL)
		chain->nframes = 0;
	return 0;
}

void source_chain_free(struct source_chain *chain)
{
	free(chain->frames);
	*chain = (struct source_chain){ 0 };
}

#endif
