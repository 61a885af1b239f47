/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "boot-image.h"
#include "flashed.h"
#include "gzip.h"

/* --- What is loaded where ----------------------------------------------- */

/* Does segment PH contain SEC at the address at which SEC runs? */
static bool holds(const GElf_Phdr *ph, const struct section *sec)
{
	uint64_t at = sec->offset - ph->p_offset;

	return ph->p_type == PT_LOAD && sec->offset >= ph->p_offset &&
	       at <= ph->p_filesz && sec->size <= ph->p_filesz - at &&
	       sec->addr - ph->p_vaddr == at;
}

static void locate_section(const struct flashed *fl, size_t nsegments,
			   bool is_physical, const struct section *sec,
			   struct flashed_section *found)
{
	if (!section_is_alloc(sec) || sec->type == SHT_NOBITS || sec->size == 0)
		return;
	found->is_loaded = nsegments == 0;
	found->load = sec->addr;
	for (size_t i = 0; i < nsegments && !found->is_loaded; i++) {
		GElf_Phdr ph;

		if (gelf_getphdr(fl->final->elf, i, &ph) == NULL ||
		    !holds(&ph, sec))
			continue;
		found->is_loaded = true;
		if (is_physical)
			found->load = ph.p_paddr + (sec->addr - ph.p_vaddr);
	}
}

static int locate_sections(struct diag *d, struct flashed *fl)
{
	const struct object *final = fl->final;
	bool is_physical;
	size_t n = 0;

	if (elf_getphdrnum(final->elf, &n) != 0)
		n = 0;
	is_physical = flash_has_physical(final->elf);
	fl->sections = calloc(final->nsections + 1, sizeof(fl->sections[0]));
	if (fl->sections == NULL)
		return diag_nomem(d, fl->path);
	for (size_t i = 1; i < final->nsections; i++)
		locate_section(fl, n, is_physical, &final->sections[i],
			       &fl->sections[i]);
	return 0;
}

/* Where objcopy -O binary begins. */
static uint64_t lowest_load(const struct flashed *fl)
{
	uint64_t lowest = UINT64_MAX;

	for (size_t i = 1; i < fl->final->nsections; i++)
		if (fl->sections[i].is_loaded && fl->sections[i].load < lowest)
			lowest = fl->sections[i].load;
	return lowest;
}

int flashed_base(struct diag *d, const struct object *final, uint64_t *base)
{
	struct flashed fl = { .final = final, .path = final->path };
	int ret = locate_sections(d, &fl);

	if (ret == 0)
		*base = lowest_load(&fl);
	flashed_free(&fl);
	return ret;
}

/*
 * Files of lines have addresses of 32 bits. They also stand for the
 * sign-extended ones. PE sections have the addresses at which they run.
 */
static void set_loads(struct flashed *fl)
{
	for (size_t i = 1; i < fl->final->nsections; i++) {
		struct flashed_section *sec = &fl->sections[i];

		if (fl->flash.has_narrow_addrs &&
		    sec->load >= -((uint64_t)1 << 31))
			sec->load &= UINT32_MAX;
		if (fl->flash.runs_in_place)
			sec->load = fl->final->sections[i].addr;
	}
}

/* --- Reading ------------------------------------------------------------- */

/* Only the first, as boot loaders do. */
static int unpack(struct diag *d, const char *path, uint8_t **bytes,
		  size_t *size)
{
	size_t nleft = 0;

	if (gzip_unpack(d, path, bytes, size, &nleft))
		return -1;
	if (nleft > 0)
		diag_report(d, SEVERITY_NOTE, &(struct place){ .file = path },
			    "gzip-rest", NULL,
			    "%zu bytes behind what gzip packed first are not "
			    "looked at",
			    nleft);
	return 0;
}

static int read_flash(struct diag *d, const char *path, uint8_t *bytes,
		      size_t size, const struct flash_options *options,
		      struct flashed *fl)
{
	struct flash_options with_base = *options;
	struct object obj = { 0 };

	if (!options->has_base &&
	    (object_is_unknown((const char *)bytes, size) ||
	     boot_image_is_linux(bytes, size))) {
		with_base.has_base = with_base.is_default = true;
		with_base.base = lowest_load(fl);
	}
	if (flash_read(d, path, bytes, size, &with_base, &fl->flash))
		return -1;
	if (fl->flash.npieces > 0)
		return 0;
	if (object_is_text((const char *)fl->flash.bytes, size))
		return diag_report(
			d, SEVERITY_TROUBLE, &(struct place){ .file = path },
			"not-elf",
			"give what the device loads: a raw binary, Intel HEX, "
			"S-record, PE, gzip or bzImage",
			"text, not an image");
	/* Says what it is. */
	object_open_memory(d, path, fl->flash.bytes, size, &obj);
	object_close(&obj);
	return -1;
}

/* Marks the bytes of the file that are loaded where section I is. */
static void mark_known(const struct flashed *fl, size_t i, bool *is_known)
{
	uint64_t size = fl->final->sections[i].size;

	for (uint64_t at = 0; at < size;) {
		size_t n = size - at;
		const uint8_t *bytes =
			flash_run(&fl->flash, fl->sections[i].load + at, &n);

		if (bytes != NULL)
			memset(is_known + (bytes - fl->flash.bytes), true, n);
		at += n;
	}
}

/* What fills gaps does not count. */
static int note_rest(struct diag *d, const struct flashed *fl)
{
	const struct flash *flash = &fl->flash;
	bool *is_known = calloc(flash->size + 1, sizeof(is_known[0]));
	uint64_t first = 0;
	size_t nrest = 0;

	if (is_known == NULL)
		return diag_nomem(d, fl->path);
	for (size_t i = 1; i < fl->final->nsections; i++)
		if (fl->sections[i].is_loaded)
			mark_known(fl, i, is_known);
	for (size_t i = 0; i < flash->npieces; i++) {
		const struct flash_piece *piece = &flash->pieces[i];

		for (size_t k = piece->at; k < piece->at + piece->size; k++) {
			if (is_known[k] || flash->bytes[k] == 0 ||
			    flash->bytes[k] == 0xff)
				continue;
			if (nrest++ == 0)
				first = piece->addr + (k - piece->at);
		}
	}
	free(is_known);
	if (nrest > 0)
		diag_report(d, SEVERITY_NOTE,
			    &(struct place){ .file = fl->path }, "image-rest",
			    NULL,
			    "%zu bytes, from 0x%" PRIx64
			    " on, are of no section of %s, and are not "
			    "searched for branches",
			    nrest, first, fl->final->path);
	return 0;
}

int flashed_read(struct diag *d, const char *path, uint8_t *bytes, size_t size,
		 const struct flash_options *options,
		 const struct object *final, struct flashed *fl)
{
	*fl = (struct flashed){ .final = final, .path = path };
	if (locate_sections(d, fl) || unpack(d, path, &bytes, &size)) {
		free(bytes);
		return -1;
	}
	if (read_flash(d, path, bytes, size, options, fl))
		return -1;
	set_loads(fl);
	return note_rest(d, fl);
}

void flashed_free(struct flashed *fl)
{
	flash_free(&fl->flash);
	free(fl->sections);
	*fl = (struct flashed){ 0 };
}

/* --- Comparing ------------------------------------------------------------ */

/* How many of the N bytes at X are those at Y. */
static size_t count_same(const uint8_t *x, const uint8_t *y, size_t n)
{
	size_t i = 0;

	if (memcmp(x, y, n) == 0)
		return n;
	while (x[i] == y[i])
		i++;
	return i;
}

enum flashed_state flashed_compare(const struct flashed *fl, uint32_t shndx,
				   uint64_t *offset, uint64_t end)
{
	const struct flashed_section *sec = &fl->sections[shndx];
	size_t size;
	const uint8_t *file = object_file(fl->final, &size);

	if (!sec->is_loaded || file == NULL)
		return FLASHED_MISSING;
	file += fl->final->sections[shndx].offset;
	while (*offset < end) {
		size_t n = end - *offset, nsame;
		const uint8_t *bytes =
			flash_run(&fl->flash, sec->load + *offset, &n);

		if (bytes == NULL)
			return FLASHED_MISSING;
		nsame = count_same(file + *offset, bytes, n);
		*offset += nsame;
		if (nsame < n)
			return FLASHED_DIFFERS;
	}
	return FLASHED_SAME;
}

/* How many of the N bytes at X are not those at Y. */
static uint64_t count_differing(const uint8_t *x, const uint8_t *y, size_t n)
{
	uint64_t ndiffering = 0;

	for (size_t i = 0; i < n; i++)
		ndiffering += x[i] != y[i];
	return ndiffering;
}

/* Copies what the file has for SIZE bytes that are loaded at LOAD to TO. */
static uint64_t put_bytes(const struct flashed *fl, uint64_t load,
			  uint64_t size, uint8_t *to)
{
	uint64_t ndiffering = 0, at = 0;

	while (at < size) {
		size_t n = size - at;
		const uint8_t *bytes = flash_run(&fl->flash, load + at, &n);

		if (bytes != NULL) {
			ndiffering += count_differing(to + at, bytes, n);
			memcpy(to + at, bytes, n);
		}
		at += n;
	}
	return ndiffering;
}

uint8_t *flashed_make(const struct flashed *fl, size_t *size,
		      uint64_t *ndiffering)
{
	const struct object *final = fl->final;
	const uint8_t *file = object_file(final, size);
	uint8_t *copy = file != NULL ? malloc(*size + 1) : NULL;

	*ndiffering = 0;
	if (copy == NULL)
		return NULL;
	memcpy(copy, file, *size);
	for (size_t i = 1; i < final->nsections; i++)
		if (fl->sections[i].is_loaded)
			*ndiffering +=
				put_bytes(fl, fl->sections[i].load,
					  final->sections[i].size,
					  copy + final->sections[i].offset);
	return copy;
}
