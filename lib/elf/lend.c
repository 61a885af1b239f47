/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <stdlib.h>

#include "descriptors.h"
#include "lend.h"
#include "marks.h"

int lend_alloc(struct diag *d, const struct object *obj, size_t n,
	       struct lent *lent)
{
	size_t size = obj->is_64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);

	lent->symbols = calloc(n + 1, size);
	lent->xindex = calloc(n + 1, sizeof(lent->xindex[0]));
	return lent->symbols != NULL && lent->xindex != NULL
		       ? 0
		       : diag_nomem(d, obj->path);
}

void lend_free(struct lent *lent)
{
	free(lent->symbols);
	free(lent->xindex);
	*lent = (struct lent){ 0 };
}

void lend_set_section(const struct object *obj, struct lent *lent, size_t i,
		      uint32_t shndx)
{
	uint16_t small = shndx == 0		 ? SHN_ABS
			 : shndx < SHN_LORESERVE ? shndx
						 : SHN_XINDEX;

	if (obj->is_64)
		((Elf64_Sym *)lent->symbols)[i].st_shndx = small;
	else
		((Elf32_Sym *)lent->symbols)[i].st_shndx = small;
	lent->xindex[i] = shndx;
}

int lend_symbols(struct diag *d, struct object *obj, const struct lent *lent,
		 size_t n, const char *strings, size_t strings_size)
{
	obj->symbols = lent->symbols;
	obj->nsymbols = n;
	obj->strings = strings;
	obj->strings_size = strings_size;
	obj->xindex = lent->xindex;
	/* No section of this file. */
	obj->symtab = UINT32_MAX;
	free(obj->marks);
	free(obj->first_mark);
	free(obj->descriptors);
	obj->marks = NULL;
	obj->first_mark = NULL;
	obj->descriptors = NULL;
	obj->ndescriptors = 0;
	return marks_build(d, obj) || descriptors_build(d, obj) ? -1 : 0;
}
