/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The loader reads only the program headers. So the proof depends on them. An
 * image without any is accepted.
 */
#include <config.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "segments.h"

static unsigned word_size(const struct object *obj)
{
	return obj->is_64 ? 8 : 4;
}

static uint64_t end_of(const GElf_Phdr *ph)
{
	return ph->p_memsz > UINT64_MAX - ph->p_vaddr
		       ? UINT64_MAX
		       : ph->p_vaddr + ph->p_memsz;
}

static int compare_segments(const void *a, const void *b)
{
	const GElf_Phdr *x = a, *y = b;

	if (x->p_vaddr != y->p_vaddr)
		return x->p_vaddr < y->p_vaddr ? -1 : 1;
	return 0;
}

/*
 * Does PH contain one section of text, and nothing else? Overlays do, and their
 * section headers share addresses.
 */
static bool is_overlay(const struct object *obj, const GElf_Phdr *ph)
{
	for (size_t i = 1; i < obj->nsections; i++) {
		const struct section *sec = &obj->sections[i];

		if (section_is_text(sec) && sec->addr == ph->p_vaddr &&
		    sec->offset == ph->p_offset && sec->size == ph->p_filesz &&
		    sec->size == ph->p_memsz)
			return true;
	}
	return false;
}

/* The N segments are sorted by address. */
static int check_overlap(struct diag *d, const struct object *obj,
			 const GElf_Phdr *segments, size_t n)
{
	const GElf_Phdr *last = NULL, *last_code = NULL; /* to end */

	for (size_t i = 0; i < n; i++) {
		const GElf_Phdr *ph = &segments[i], *other = NULL;
		bool is_code = (ph->p_flags & PF_X) && ph->p_filesz > 0;

		if (ph->p_filesz > ph->p_memsz)
			return diag_file(d, obj->path, "malformed",
					 "a segment has more bytes in the "
					 "file than in memory");
		if (ph->p_memsz == 0)
			continue;
		if (last_code != NULL && ph->p_vaddr < end_of(last_code))
			other = last_code;
		else if (is_code && last != NULL && ph->p_vaddr < end_of(last))
			other = last;
		if (other != NULL &&
		    (!is_overlay(obj, ph) || !is_overlay(obj, other)))
			return diag_file(d, obj->path, "overlay",
					 "a segment at 0x%" PRIx64 " is loaded "
					 "over another, and one of the two "
					 "holds code",
					 ph->p_vaddr);
		if (last == NULL || end_of(ph) > end_of(last))
			last = ph;
		if (is_code &&
		    (last_code == NULL || end_of(ph) > end_of(last_code)))
			last_code = ph;
	}
	return 0;
}

int segments_check(struct diag *d, const struct object *obj)
{
	unsigned phnum = obj->ehdr.e_phnum;
	GElf_Phdr *segments;
	size_t n = 0, nloaded = 0;
	int status;

	if (phnum == 0)
		return 0;
	/* libelf leaves out what is not in the file. */
	if (elf_getphdrnum(obj->elf, &n) != 0 || n == 0 ||
	    (phnum != PN_XNUM && n != phnum) ||
	    obj->ehdr.e_phentsize !=
		    gelf_fsize(obj->elf, ELF_T_PHDR, 1, EV_CURRENT))
		return diag_file(d, obj->path, "malformed",
				 "its program headers are not all in the "
				 "file, or not as long as they should be");
	segments = malloc(n * sizeof(segments[0]));
	if (segments == NULL)
		return diag_nomem(d, obj->path);
	for (size_t i = 0; i < n; i++)
		if (gelf_getphdr(obj->elf, i, &segments[nloaded]) != NULL &&
		    segments[nloaded].p_type == PT_LOAD)
			nloaded++;
	if (nloaded > 0)
		qsort(segments, nloaded, sizeof(segments[0]), compare_segments);
	status = check_overlap(d, obj, segments, nloaded);
	free(segments);
	return status;
}

/*
 * The segment whose bytes in the file are [ADDR, ADDR + SIZE). Returns false if
 * there is none, or if another one is loaded there, too.
 */
static bool find_segment(const struct object *obj, size_t n, uint64_t addr,
			 uint64_t size, GElf_Phdr *found)
{
	GElf_Phdr ph;
	size_t nover = 0;

	for (size_t i = 0; i < n; i++) {
		if (gelf_getphdr(obj->elf, i, &ph) == NULL ||
		    ph.p_type != PT_LOAD || ph.p_memsz == 0 ||
		    (addr - ph.p_vaddr >= ph.p_memsz &&
		     ph.p_vaddr - addr >= size))
			continue;
		*found = ph;
		nover++;
	}
	return nover == 1 && addr - found->p_vaddr <= found->p_filesz &&
	       size <= found->p_filesz - (addr - found->p_vaddr);
}

bool section_is_signed_relr(const struct object *obj, const struct section *sec)
{
	return obj->arch->signed_relr != 0 &&
	       sec->type == obj->arch->signed_relr;
}

/* Stands for Android's packed form. No entry has so many words. */
#define PACKED_WORDS 4

/* Is this a table for the dynamic linker, with entries of ENTRY bytes? */
static bool has_entries(const struct object *obj, const struct section *sec,
			unsigned entry)
{
	if (entry == word_size(obj))
		return section_is_relr(sec) || section_is_signed_relr(obj, sec);
	if (entry == PACKED_WORDS * word_size(obj))
		return sec->type == SECTION_ANDROID_REL ||
		       sec->type == SECTION_ANDROID_RELA;
	return sec->type == (entry == 2 * word_size(obj) ? SHT_REL : SHT_RELA);
}

/*
 * The number of bytes at ADDR, and at OFFSET of the file, that a section with
 * entries of ENTRY bytes covers.
 */
static uint64_t told_relocs(const struct object *obj, uint64_t addr,
			    uint64_t offset, unsigned entry)
{
	for (size_t i = 1; i < obj->nsections; i++) {
		const struct section *sec = &obj->sections[i];
		uint64_t before = addr - sec->addr;

		if (section_is_alloc(sec) && has_entries(obj, sec, entry) &&
		    before < sec->size && before % entry == 0 &&
		    offset - sec->offset == before)
			return sec->size - before;
	}
	return 0;
}

/*
 * Returns ENTRY if the entry at OFFSET of the file relocates nothing, otherwise
 * 0. objcopy leaves zeros where it removed a section, and U-Boot's linker
 * scripts have an empty symbol table in between. In SHT_RELR, a word of zeros
 * is an address.
 */
static uint64_t blank_reloc(const struct object *obj, uint64_t offset,
			    unsigned entry)
{
	static const uint8_t zeros[PACKED_WORDS * sizeof(uint64_t)];
	size_t size;
	const char *file = elf_rawfile(obj->elf, &size);

	return entry > word_size(obj) && file != NULL && offset <= size &&
			       entry <= size - offset &&
			       memcmp(file + offset, zeros, entry) == 0
		       ? entry
		       : 0;
}

static int check_relocs(struct diag *d, const struct object *obj, size_t n,
			uint64_t addr, uint64_t size, unsigned entry)
{
	struct place place = { .file = obj->path };
	GElf_Phdr ph;

	while (size > 0) {
		uint64_t told = 0;

		if (find_segment(obj, n, addr, size, &ph)) {
			uint64_t offset = ph.p_offset + (addr - ph.p_vaddr);

			told = told_relocs(obj, addr, offset, entry);
			if (told == 0)
				told = blank_reloc(obj, offset, entry);
		}
		if (told == 0)
			return diag_report(
				d, SEVERITY_TROUBLE, &place, "malformed",
				"verify it before a tool like objcopy changes "
				"its sections or addresses",
				"the dynamic linker finds relocations at "
				"0x%" PRIx64 ", which no section header covers",
				addr);
		told = told < size ? told : size;
		addr += told;
		size -= told;
	}
	return 0;
}

/* Tags of newer <elf.h>. */
#define DYNAMIC_RELRSZ 35
#define DYNAMIC_RELR 36
#define DYNAMIC_ANDROID_REL 0x6000000f
#define DYNAMIC_ANDROID_RELSZ 0x60000010
#define DYNAMIC_ANDROID_RELA 0x60000011
#define DYNAMIC_ANDROID_RELASZ 0x60000012
#define DYNAMIC_ANDROID_RELR 0x6fffe000
#define DYNAMIC_ANDROID_RELRSZ 0x6fffe001

/*
 * Sets SIZE to the size of the entries before DT_NULL. Returns false if there
 * is no DT_NULL.
 */
static bool find_dynamic_end(const struct object *obj, const uint8_t *bytes,
			     uint64_t *size)
{
	unsigned word = word_size(obj);

	for (uint64_t at = 0; *size - at >= word; at += 2 * word) {
		if (object_address(obj, bytes + at) == DT_NULL) {
			*size = at;
			return true;
		}
		if (*size - at < 2 * word)
			break;
	}
	return false;
}

/* The value of the last dynamic entry with TAG, or 0. */
static uint64_t dynamic_value(const struct object *obj, const uint8_t *bytes,
			      uint64_t size, uint64_t tag)
{
	unsigned word = word_size(obj);
	uint64_t value = 0;

	for (uint64_t at = 0; at < size; at += 2 * word)
		if (object_address(obj, bytes + at) == tag)
			value = object_address(obj, bytes + at + word);
	return value;
}

/* What the dynamic section of SIZE bytes tells of. */
static int check_dynamic(struct diag *d, const struct object *obj, size_t n,
			 const uint8_t *bytes, uint64_t size)
{
	static const struct {
		unsigned addr, size;
		unsigned words; /* of an entry; 0: DT_PLTREL says it */
	} tables[] = {
		{ DT_REL, DT_RELSZ, 2 },
		{ DT_RELA, DT_RELASZ, 3 },
		{ DT_JMPREL, DT_PLTRELSZ, 0 },
		{ DYNAMIC_RELR, DYNAMIC_RELRSZ, 1 },
		{ DYNAMIC_ANDROID_RELR, DYNAMIC_ANDROID_RELRSZ, 1 },
		{ DYNAMIC_ANDROID_REL, DYNAMIC_ANDROID_RELSZ, PACKED_WORDS },
		{ DYNAMIC_ANDROID_RELA, DYNAMIC_ANDROID_RELASZ, PACKED_WORDS },
	};
	uint64_t type = dynamic_value(obj, bytes, size, DT_PLTREL);
	uint32_t own = obj->arch->dynamic_signed_relr;

	if (own != 0 &&
	    check_relocs(d, obj, n, dynamic_value(obj, bytes, size, own),
			 dynamic_value(obj, bytes, size, own - 1),
			 word_size(obj)))
		return -1;
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		unsigned words = tables[i].words;
		uint64_t addr = dynamic_value(obj, bytes, size, tables[i].addr);
		uint64_t length =
			dynamic_value(obj, bytes, size, tables[i].size);

		if (words == 0)
			words = type == DT_RELA ? 3 : 2;
		if (check_relocs(d, obj, n, addr, length,
				 words * word_size(obj)))
			return -1;
	}
	return 0;
}

#define MIN_PAGE 0x1000
#define MAX_PAGE 0x10000

/*
 * Does the file have bytes for ADDR that lie in a page of a segment, but
 * outside of the segment? Loaders map whole pages.
 */
static bool is_beside(const struct object *obj, size_t n, uint64_t addr)
{
	size_t left;
	const char *file = elf_rawfile(obj->elf, &left);
	GElf_Phdr ph;

	for (size_t i = 0; i < n; i++) {
		uint64_t page = MIN_PAGE, start, offset;

		if (gelf_getphdr(obj->elf, i, &ph) == NULL ||
		    ph.p_type != PT_LOAD || ph.p_memsz == 0)
			continue;
		while (page < MAX_PAGE && page < ph.p_align)
			page *= 2;
		start = ph.p_vaddr & -page;
		offset = ph.p_offset + (addr - ph.p_vaddr);
		if (addr - start <= ((end_of(&ph) - 1) | (page - 1)) - start &&
		    offset < left && left - offset >= word_size(obj) &&
		    object_address(obj, (const uint8_t *)file + offset) !=
			    DT_NULL)
			return true;
	}
	return false;
}

/*
 * The bytes of a dynamic section at ADDR, in the segment LOAD, or NULL.
 * Whatever the header says, it ends with DT_NULL.
 */
static const uint8_t *dynamic_bytes(const struct object *obj,
				    const GElf_Phdr *load, uint64_t addr,
				    uint64_t *size)
{
	size_t left;
	const char *file = elf_rawfile(obj->elf, &left);
	uint64_t start = addr - load->p_vaddr;
	uint64_t offset = load->p_offset + start;

	*size = load->p_filesz - start;
	return file != NULL && offset <= left && *size <= left - offset &&
			       find_dynamic_end(obj,
						(const uint8_t *)file + offset,
						size)
		       ? (const uint8_t *)file + offset
		       : NULL;
}

int segments_check_relocs(struct diag *d, const struct object *obj)
{
	size_t n = 0, ndynamic = 0;
	GElf_Phdr ph;

	if (elf_getphdrnum(obj->elf, &n) != 0)
		return 0;
	for (size_t i = 0; i < n; i++) {
		GElf_Phdr load = { .p_type = PT_NULL };
		const uint8_t *bytes;
		bool is_loaded;
		uint64_t size;

		if (gelf_getphdr(obj->elf, i, &ph) == NULL ||
		    ph.p_type != PT_DYNAMIC)
			continue;
		is_loaded = find_segment(obj, n, ph.p_vaddr, 1, &load);
		if (ndynamic++ > 0 ||
		    (!is_loaded &&
		     (load.p_type == PT_LOAD || is_beside(obj, n, ph.p_vaddr))))
			return diag_file(d, obj->path, "malformed",
					 "has more than one dynamic section, "
					 "or not one segment that holds it");
		if (!is_loaded)
			continue;
		bytes = dynamic_bytes(obj, &load, ph.p_vaddr, &size);
		if (bytes == NULL)
			return diag_file(d, obj->path, "malformed",
					 "its dynamic section has no end");
		if (check_dynamic(d, obj, n, bytes, size))
			return -1;
	}
	return 0;
}

uint64_t segments_dynamic_value(const struct object *obj, uint64_t tag)
{
	size_t n = 0;
	GElf_Phdr ph, load;

	if (elf_getphdrnum(obj->elf, &n) != 0)
		return 0;
	for (size_t i = 0; i < n; i++) {
		const uint8_t *bytes;
		uint64_t size;

		if (gelf_getphdr(obj->elf, i, &ph) == NULL ||
		    ph.p_type != PT_DYNAMIC ||
		    !find_segment(obj, n, ph.p_vaddr, 1, &load))
			continue;
		bytes = dynamic_bytes(obj, &load, ph.p_vaddr, &size);
		return bytes != NULL ? dynamic_value(obj, bytes, size, tag) : 0;
	}
	return 0;
}
