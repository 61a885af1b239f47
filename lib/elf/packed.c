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

static size_t head_size(const struct object *obj)
{
	return obj->is_64 ? sizeof(Elf64_Chdr) : sizeof(Elf32_Chdr);
}

/* Their header has the size of what they are unpacked. */
static uint64_t whole_size(const struct object *obj, const uint8_t *head)
{
	return object_address(obj, head + (obj->is_64 ? 8 : 4));
}

int packed_size(struct diag *d, const struct object *obj, uint32_t shndx,
		uint64_t *size)
{
	const uint8_t *head;
	size_t n;

	*size = obj->sections[shndx].size;
	if (!(obj->sections[shndx].flags & SHF_COMPRESSED))
		return 0;
	head = object_data(d, obj, shndx, &n);
	if (head == NULL)
		return -1;
	*size = n >= head_size(obj) ? whole_size(obj, head) : 0;
	return 0;
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

static int unpack(struct diag *d, const struct object *obj,
		  struct packed *packed, const uint8_t **bytes, size_t *size)
{
	size_t head = head_size(obj);
	const uint8_t *from = *bytes;
	size_t left = *size - head;
	uint64_t whole;
	uint8_t *to;
	uLongf n;

	*bytes = NULL;
	if (*size < head || object_word(obj, from) != ELFCOMPRESS_ZLIB)
		return 0;
	whole = whole_size(obj, from);
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
