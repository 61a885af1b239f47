/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <stdlib.h>
#ifdef HAVE_ZLIB
#include <zlib.h>
#endif

#include "packed.h"

void packed_free(struct packed *packed)
{
	for (size_t i = 0; i < packed->n; i++)
		free(packed->items[i]);
	free(packed->items);
	*packed = (struct packed){ 0 };
}

#ifdef HAVE_ZLIB

/* Deflate makes no more bytes of one. */
#define GROWTH_MAX 1032

static uint8_t *add_item(struct packed *packed, size_t size)
{
	uint8_t **items =
		realloc(packed->items, (packed->n + 1) * sizeof(items[0]));

	if (items == NULL)
		return NULL;
	packed->items = items;
	items[packed->n] = malloc(size);
	return items[packed->n] != NULL ? items[packed->n++] : NULL;
}

/* Their header has the size of what they are unpacked. */
static int unpack(struct diag *d, const struct object *obj,
		  struct packed *packed, const uint8_t **bytes, size_t *size)
{
	size_t head = obj->is_64 ? sizeof(Elf64_Chdr) : sizeof(Elf32_Chdr);
	const uint8_t *from = *bytes;
	size_t left = *size - head;
	uint64_t whole;
	uint8_t *to;
	uLongf n;

	*bytes = NULL;
	if (*size < head || object_word(obj, from) != ELFCOMPRESS_ZLIB)
		return 0;
	whole = object_address(obj, from + (obj->is_64 ? 8 : 4));
	if (whole / GROWTH_MAX > left || whole > SIZE_MAX / 2)
		return 0;
	to = add_item(packed, whole);
	if (to == NULL)
		return diag_nomem(d, obj->path);
	n = whole;
	if (uncompress(to, &n, from + head, left) == Z_OK && n == whole) {
		*bytes = to;
		*size = n;
	}
	return 0;
}

#else

static int unpack(struct diag *d, const struct object *obj,
		  struct packed *packed, const uint8_t **bytes, size_t *size)
{
	(void)d;
	(void)obj;
	(void)packed;
	(void)size;
	*bytes = NULL;
	return 0;
}

#endif

int packed_read(struct diag *d, const struct object *obj, uint32_t shndx,
		struct packed *packed, const uint8_t **bytes, size_t *size)
{
	*bytes = object_data(d, obj, shndx, size);
	if (*bytes == NULL)
		return -1;
	return obj->sections[shndx].flags & SHF_COMPRESSED
		       ? unpack(d, obj, packed, bytes, size)
		       : 0;
}
