/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Checks that an object can be copied with changes: each of its sections must
 * have bytes of its own, and so must the header. If two of them shared bytes, a
 * change to one would change the other, or be lost.
 */
#include <config.h>

#include <inttypes.h>
#include <stdlib.h>

#include "base/sort.h"
#include "edit.h"

struct extent {
	uint64_t start, end; /* in the file */
	uint32_t shndx;
};

static int compare_extents(const void *a, const void *b)
{
	const struct extent *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return sort_pairs(x->end, x->shndx, y->end, y->shndx);
}

static int bad_extent(struct diag *d, const struct object *obj, uint32_t shndx,
		      const char *what)
{
	return diag_report(
		d, SEVERITY_TROUBLE,
		&(struct place){ .file = obj->path,
				 .section = obj->sections[shndx].name },
		"malformed", NULL,
		"section %" PRIu32 " at 0x%" PRIx64 " of the file %s", shndx,
		obj->sections[shndx].offset, what);
}

/* libelf writes no other. */
static bool is_alignment(uint64_t align)
{
	return (align & (align - 1)) == 0;
}

static int bad_alignment(struct diag *d, const struct object *obj,
			 uint32_t shndx)
{
	return diag_report(
		d, SEVERITY_TROUBLE,
		&(struct place){ .file = obj->path,
				 .section = obj->sections[shndx].name },
		"malformed", NULL,
		"section %" PRIu32 ": sh_addralign is %" PRIu64
		", which is not a power of 2",
		shndx, obj->sections[shndx].align);
}

static int check_extents(struct diag *d, const struct object *obj,
			 struct extent *extents)
{
	size_t n = 0;

	for (size_t i = 1; i < obj->nsections; i++) {
		const struct section *sec = &obj->sections[i];

		if (sec->type != SHT_NOBITS && sec->type != SHT_NULL)
			extents[n++] = (struct extent){ sec->offset,
							sec->offset + sec->size,
							i };
	}
	qsort(extents, n, sizeof(extents[0]), compare_extents);
	if (n > 0 && extents[0].start < obj->ehdr.e_ehsize)
		return bad_extent(d, obj, extents[0].shndx,
				  "overlaps the ELF header");
	for (size_t i = 1; i < n; i++)
		if (extents[i].start < extents[i - 1].end)
			return bad_extent(d, obj, extents[i].shndx,
					  "overlaps another section");
	return 0;
}

int edit_check(struct diag *d, const struct object *obj)
{
	size_t ehsize = obj->is_64 ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr);
	struct extent *extents;
	int ret;

	if (obj->ehdr.e_ehsize != ehsize)
		return diag_file(d, obj->path, "malformed",
				 "ELF header size is %u, not %zu",
				 (unsigned)obj->ehdr.e_ehsize, ehsize);
	for (size_t i = 1; i < obj->nsections; i++)
		if (!is_alignment(obj->sections[i].align))
			return bad_alignment(d, obj, i);
	if (obj->ehdr.e_phnum != 0)
		return diag_file(d, obj->path, "malformed",
				 "an object with program headers");
	extents = malloc(obj->nsections * sizeof(extents[0]));
	if (extents == NULL)
		return diag_nomem(d, obj->path);
	ret = check_extents(d, obj, extents);
	free(extents);
	return ret;
}
