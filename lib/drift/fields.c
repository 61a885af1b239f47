/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The image's text. Marks which of its bytes belong to input sections. */
#include <config.h>

#include <stdlib.h>

#include "base/search.h"
#include "engine.h"

int fields_open(struct engine *e)
{
	const struct image *img = &e->img;

	if (img->noverlays > 0)
		return diag_file(e->d, img->obj->path, "unknown-code",
				 "has overlays, which --drift does not know");
	e->got = image_got(img);
	e->fields = calloc(img->nsections + 1, sizeof(e->fields[0]));
	if (e->fields == NULL)
		return diag_nomem(e->d, img->obj->path);
	for (size_t i = 0; i < img->nsections; i++) {
		const struct image_section *is = &img->sections[i];
		struct field *field = &e->fields[e->nfields];

		/* Bytes that no section header covers may be code, too. */
		if (!is->is_text && (is->shndx != 0 || !is->is_executable))
			continue;
		field->is = is;
		field->taken = calloc(is->code.size, 1);
		e->nfields++;
		if (field->taken == NULL)
			return diag_nomem(e->d, img->obj->path);
	}
	return 0;
}

void fields_free(struct engine *e)
{
	for (size_t i = 0; i < e->nfields; i++)
		free(e->fields[i].taken);
	free(e->fields);
}

struct field *fields_find(const struct engine *e, uint64_t addr, uint64_t size)
{
	size_t i;

	LOWER_BOUND(i, e->nfields, e->fields[i].is->code.addr <= addr);
	if (i == 0)
		return NULL;
	const struct code *code = &e->fields[i - 1].is->code;
	if (addr - code->addr > code->size ||
	    code->size - (addr - code->addr) < size)
		return NULL;
	return &e->fields[i - 1];
}
