/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "functions.h"
#include "base/grow.h"
#include "image.h"
#include "segments.h"
#include "base/sort.h"

static int compare_sections(const void *a, const void *b)
{
	const struct image_section *x = a, *y = b;

	if (x->is_overlay != y->is_overlay)
		return x->is_overlay ? 1 : -1;
	if (x->code.addr != y->code.addr)
		return x->code.addr < y->code.addr ? -1 : 1;
	return x->shndx < y->shndx ? -1 : 1;
}

static void sort_sections(struct image *img)
{
	if (img->nsections > 0)
		qsort(img->sections, img->nsections, sizeof(img->sections[0]),
		      compare_sections);
}

/* Does the segment PH put anything where SEC is? */
static bool is_over(const GElf_Phdr *ph, const struct section *sec)
{
	return ph->p_memsz > 0 && (sec->addr - ph->p_vaddr < ph->p_memsz ||
				   ph->p_vaddr - sec->addr < sec->size);
}

/* Tables that the dynamic linker reads contain no code. */
static bool is_dynamic(const struct section *sec)
{
	switch (sec->type) {
	case SHT_DYNSYM:
	case SHT_STRTAB:
	case SHT_HASH:
	case SHT_GNU_HASH:
	case SHT_GNU_verdef:
	case SHT_GNU_verneed:
	case SHT_GNU_versym:
	case SHT_DYNAMIC:
		return true;
	default:
		return section_is_relocs(sec) || section_is_relr(sec);
	}
}

/*
 * The loader follows segments, not sections. So each section that matters must
 * be loaded at the address in its header, and nothing else there, unless it is
 * an overlay. Also true for an image without segments.
 */
static bool is_loaded_there(const struct object *obj, const struct section *sec,
			    struct image_section *is)
{
	size_t n = 0, nover = 0;
	uint32_t flags = 0;
	bool is_there = false;

	is->is_text = is->is_executable = section_is_text(sec);
	if (elf_getphdrnum(obj->elf, &n) != 0 || n == 0)
		return true;
	for (size_t i = 0; i < n; i++) {
		GElf_Phdr ph;

		if (gelf_getphdr(obj->elf, i, &ph) == NULL ||
		    ph.p_type != PT_LOAD)
			continue;
		nover += is_over(&ph, sec);
		if (sec->offset < ph.p_offset ||
		    sec->offset - ph.p_offset > ph.p_filesz ||
		    sec->size > ph.p_filesz - (sec->offset - ph.p_offset))
			continue;
		if (sec->addr - ph.p_vaddr == sec->offset - ph.p_offset) {
			is_there = true;
			flags = ph.p_flags;
		}
	}
	is->is_executable |= (flags & PF_X) != 0 && !is_dynamic(sec);
	/* segments_check has made sure that this is an overlay. */
	is->is_overlay = is->is_text && (flags & PF_X) != 0 && nover > 1;
	return is_there && (nover == 1 || is->is_overlay);
}

static int refuse_text(struct diag *d, const struct object *obj,
		       const struct section *sec)
{
	return diag_report(
		d, SEVERITY_TROUBLE,
		&(struct place){ .file = obj->path, .section = sec->name },
		"malformed", NULL,
		"no segment, or more than one, is loaded at the address of "
		"this section");
}

static bool has_bytes(const struct section *sec)
{
	return section_is_alloc(sec) && sec->type != SHT_NOBITS &&
	       sec->size > 0;
}

/* Copies N bytes at FROM, in reversed units. */
static void swap_units(uint8_t *to, const uint8_t *from, uint64_t n,
		       unsigned unit)
{
	uint64_t whole = n - n % unit;

	for (uint64_t i = 0; i < whole; i++)
		to[i] = from[i - i % unit + (unit - 1 - i % unit)];
	memcpy(to + whole, from + whole, n - whole);
}

static int refuse_order(struct diag *d, const struct object *obj,
			const struct image_section *is)
{
	return diag_report(
		d, SEVERITY_TROUBLE,
		&(struct place){ .file = obj->path,
				 .section = obj->sections[is->shndx].name },
		"byte-order", "do not strip mapping symbols",
		"instructions have another byte order than data, and mapping "
		"symbols do not show which is which");
}

/*
 * Some links reverse the bytes of instructions, but not of data. This restores
 * the order that the partial has.
 */
static int restore_text(struct diag *d, const struct object *obj,
			struct image_section *is)
{
	const struct arch *arch = obj->arch;
	struct code *code = &is->code;
	uint32_t flags = obj->ehdr.e_flags;
	uint64_t at = 0;

	if (!is->is_text || arch->swap_unit == NULL ||
	    arch->swap_unit(flags, 0) == 1)
		return 0;
	is->owned = malloc(code->size + 1);
	if (is->owned == NULL)
		return diag_nomem(d, obj->path);
	for (size_t i = 0; i < code->nmarks && at < code->size; i++) {
		const struct mark *mark = &code->marks[i];
		uint64_t end = i + 1 < code->nmarks ? mark[1].offset
						    : code->size;

		if (mark->offset != at || mark->mode == MODE_UNKNOWN)
			break;
		if (end > code->size)
			end = code->size;
		swap_units(is->owned + at, code->bytes + at, end - at,
			   arch->swap_unit(flags, mark->mode));
		at = end;
	}
	if (at < code->size)
		return refuse_order(d, obj, is);
	code->bytes = is->owned;
	return 0;
}

/* Adds one of zeros; NULL without memory. */
static struct image_section *add_section(struct image *img)
{
	struct image_section *sections =
		grow_list(img->sections, img->nsections, sizeof(sections[0]));

	if (sections == NULL)
		return NULL;
	img->sections = sections;
	sections[img->nsections] = (struct image_section){ 0 };
	return &sections[img->nsections++];
}

static int add_sections(struct diag *d, struct image *img)
{
	const struct object *obj = img->obj;

	for (size_t i = 1; i < obj->nsections; i++) {
		const struct section *sec = &obj->sections[i];
		struct image_section found = { .shndx = i }, *is;

		if (!has_bytes(sec))
			continue;
		if (!is_loaded_there(obj, sec, &found)) {
			if (section_is_text(sec))
				return refuse_text(d, obj, sec);
			continue; /* data that nobody will find there */
		}
		is = add_section(img);
		if (is == NULL)
			return diag_nomem(d, obj->path);
		*is = found;
		if (!object_code(d, obj, i, &is->code) ||
		    restore_text(d, obj, is))
			return -1;
		if (is->code.size > UINT64_MAX - sec->addr)
			return diag_file(d, obj->path, "malformed",
					 "section %s wraps around the address "
					 "space",
					 sec->name);
	}
	sort_sections(img);
	return 0;
}

/* The size of the file's headers at the start of PH, if PH begins with them. */
static uint64_t headers_of(const struct object *obj, const GElf_Phdr *ph)
{
	size_t n = 0;

	if (ph->p_offset != 0 || obj->ehdr.e_phoff != obj->ehdr.e_ehsize ||
	    elf_getphdrnum(obj->elf, &n) != 0)
		return 0;
	return obj->ehdr.e_phoff + n * obj->ehdr.e_phentsize;
}

/*
 * Adds the parts of PH that the first N sections, which are sorted, do not
 * cover.
 */
static int add_rest(struct diag *d, struct image *img, size_t n,
		    const GElf_Phdr *ph, const uint8_t *file)
{
	uint64_t at = headers_of(img->obj, ph);

	for (size_t i = 0; i <= n && at < ph->p_filesz; i++) {
		uint64_t start = ph->p_filesz, size = 0;

		if (i < n) {
			start = img->sections[i].code.addr - ph->p_vaddr;
			size = img->sections[i].code.size;
		}
		if (start > ph->p_filesz)
			continue;
		if (start > at) {
			struct image_section *is = add_section(img);

			if (is == NULL)
				return diag_nomem(d, img->obj->path);
			is->is_executable = true;
			is->code.bytes = file + ph->p_offset + at;
			is->code.addr = ph->p_vaddr + at;
			is->code.size = start - at;
		}
		if (start + size > at)
			at = start + size;
	}
	return 0;
}

/*
 * Code runs whether or not a section header covers it. Adds what none covers.
 */
static int add_bare_code(struct diag *d, struct image *img)
{
	const struct object *obj = img->obj;
	size_t n = 0, nsections = img->nsections, size, left;
	const char *file;

	if (elf_getphdrnum(obj->elf, &n) != 0 || n == 0)
		return 0;
	file = elf_rawfile(obj->elf, &size);
	if (file == NULL)
		return diag_nomem(d, obj->path);
	left = size;
	for (size_t i = 0; i < n; i++) {
		GElf_Phdr ph;

		if (gelf_getphdr(obj->elf, i, &ph) == NULL ||
		    ph.p_type != PT_LOAD || (ph.p_flags & PF_X) == 0)
			continue;
		if (ph.p_filesz > UINT64_MAX - ph.p_vaddr ||
		    ph.p_offset > size || ph.p_filesz > size - ph.p_offset ||
		    ph.p_filesz > left)
			return diag_file(d, obj->path, "malformed",
					 "executable segments hold more bytes "
					 "than the file");
		left -= ph.p_filesz;
		if (add_rest(d, img, nsections, &ph, (const uint8_t *)file))
			return -1;
	}
	sort_sections(img);
	return 0;
}

/* They are looked through one by one. */
#define OVERLAYS_MAX 256

/* Where several texts share addresses, an address does not identify code. */
static int set_apart_overlays(struct diag *d, struct image *img)
{
	size_t n = img->nsections;

	while (img->nsections > 0 &&
	       img->sections[img->nsections - 1].is_overlay)
		img->nsections--;
	img->noverlays = n - img->nsections;
	return img->noverlays <= OVERLAYS_MAX
		       ? 0
		       : diag_file(d, img->obj->path, "overlay",
				   "has more than %d overlays", OVERLAYS_MAX);
}

/* Others must be in segments of their own. */
static int check_text(struct diag *d, struct image *img)
{
	const struct image_section *last = NULL;

	img->text_start = 0;
	for (size_t i = 0; i < img->nsections; i++) {
		const struct image_section *is = &img->sections[i];

		if (!is->is_text)
			continue;
		if (last == NULL)
			img->text_start = is->code.addr;
		else if (is->code.addr - last->code.addr < last->code.size)
			return diag_report(
				d, SEVERITY_TROUBLE,
				&(struct place){
					.file = img->obj->path,
					.section = img->obj->sections[is->shndx]
							   .name },
				"overlay", NULL,
				"overlaps the addresses of executable section "
				"%s, and segments do not tell them apart",
				img->obj->sections[last->shndx].name);
		last = is;
	}
	return 0;
}

static uint64_t function_address(const void *symndx, void *ctx)
{
	struct symbol sym;

	object_symbol(ctx, *(const uint32_t *)symndx, &sym);
	return sym.value;
}

static int compare_functions(const void *a, const void *b, void *ctx)
{
	const struct object *obj = ctx;
	struct symbol x, y;

	object_symbol(obj, *(const uint32_t *)a, &x);
	object_symbol(obj, *(const uint32_t *)b, &y);
	if (x.value != y.value)
		return x.value < y.value ? -1 : 1;
	if (x.bind != y.bind)
		return x.bind < y.bind ? -1 : 1;
	return strcmp(x.name, y.name);
}

static int list_functions(struct diag *d, struct image *img)
{
	const struct object *obj = img->obj;
	struct symbol sym;

	img->functions = malloc((obj->nsymbols + 1) * sizeof(uint32_t));
	if (img->functions == NULL)
		return diag_nomem(d, obj->path);
	for (size_t i = 1; i < obj->nsymbols; i++) {
		object_symbol(obj, i, &sym);
		if (symbol_is_code(&sym) && sym.type != STT_NOTYPE &&
		    section_is_text(&obj->sections[sym.shndx]))
			img->functions[img->nfunctions++] = i;
	}
	sort_along(img->functions, img->nfunctions, sizeof(uint32_t),
		   function_address, compare_functions, (void *)obj);
	return 0;
}

static uint64_t function_addr(const struct image *img, size_t i)
{
	struct symbol sym;

	object_symbol(img->obj, img->functions[i], &sym);
	return sym.value;
}

/* How many are below ADDR, or at it if IS_AT. */
static size_t count_functions(const struct image *img, uint64_t addr,
			      bool is_at)
{
	size_t i;

	LOWER_BOUND(i, img->nfunctions,
		    is_at ? function_addr(img, i) <= addr
			  : function_addr(img, i) < addr);
	return i;
}

size_t image_functions_below(const struct image *img, uint64_t addr)
{
	return count_functions(img, addr, false);
}

bool image_functions_next(const struct image *img, uint64_t addr, uint64_t size,
			  size_t *at, struct symbol *sym)
{
	size_t i = *at > 0 ? *at : image_functions_below(img, addr);

	*at = i + 1;
	if (i >= img->nfunctions)
		return false;
	object_symbol(img->obj, img->functions[i], sym);
	return sym->value - addr < size;
}

/*
 * So many symbols at or below an address are compared: earlier ones may reach
 * further.
 */
#define NEIGHBOURS_MAX 16

bool image_function(const struct image *img, uint64_t addr, struct symbol *sym)
{
	const struct image_section *is = image_find_text(img, addr, 1);
	size_t low = is != NULL ? count_functions(img, addr, true) : 0;

	for (size_t i = 0; i < NEIGHBOURS_MAX && i < low; i++) {
		object_symbol(img->obj, img->functions[low - 1 - i], sym);
		if (sym->shndx == is->shndx &&
		    ((sym->size == 0 && !img->obj->is_stripped) ||
		     addr - sym->value < sym->size))
			return true;
	}
	return false;
}

bool image_is_inside_function(const struct image *img, uint64_t addr,
			      struct symbol *sym)
{
	return image_function(img, addr, sym) && sym->value != addr &&
	       addr - sym->value < sym->size;
}

uint64_t image_next_function(const struct image *img,
			     const struct image_section *is, uint64_t offset)
{
	uint64_t addr = is->code.addr + offset;
	struct symbol sym;

	for (size_t i = image_functions_below(img, addr + 1);
	     i < img->nfunctions; i++) {
		object_symbol(img->obj, img->functions[i], &sym);
		if (sym.value - addr >= is->code.size - offset)
			break;
		if (sym.shndx == is->shndx)
			return sym.value - is->code.addr;
	}
	return is->code.size;
}

bool image_begins_insn(const struct image *img, const struct image_section *is,
		       uint64_t offset, bool if_unknown)
{
	const struct arch *arch = img->obj->arch;
	struct symbol sym;

	if (!image_function(img, is->code.addr + offset, &sym) || sym.size == 0)
		return if_unknown;
	return sym.value < is->code.addr ||
	       arch->is_boundary(arch, &is->code, sym.value - is->code.addr,
				 offset);
}

/*
 * Is OBJ a shared library? An executable that the loader may put anywhere has
 * DF_1_PIE, or a loader of its own. A file of debug information may have an
 * empty dynamic section.
 */
static bool is_library(struct diag *d, const struct object *obj)
{
	unsigned word = obj->is_64 ? 8 : 4;
	const uint8_t *bytes = NULL;
	size_t size = 0;

	for (uint32_t i = 1; obj->ehdr.e_type == ET_DYN && i < obj->nsections;
	     i++) {
		if (strcmp(obj->sections[i].name, ".interp") == 0)
			return false;
		if (obj->sections[i].type == SHT_DYNAMIC)
			bytes = object_data(d, obj, i, &size);
	}
	for (size_t at = 0; bytes != NULL && at + 2 * word <= size;
	     at += 2 * word)
		if (object_address(obj, bytes + at) == DT_FLAGS_1 &&
		    (object_address(obj, bytes + at + word) & DF_1_PIE) != 0)
			return false;
	return bytes != NULL && size >= word &&
	       object_address(obj, bytes) != DT_NULL;
}

int image_open(struct diag *d, const struct object *obj, struct image *img)
{
	*img = (struct image){ .obj = obj };
	if (segments_check(d, obj) || names_build(d, obj, &img->names) ||
	    list_functions(d, img) || add_sections(d, img) ||
	    add_bare_code(d, img) || set_apart_overlays(d, img) ||
	    check_text(d, img))
		return -1;
	if (!obj->is_bare &&
	    (segments_check_relocs(d, obj) || image_read_relocs(d, img)))
		return -1;
	img->is_library = is_library(d, obj);
	return 0;
}

uint64_t image_entry(const struct image *img, unsigned i, const char **name)
{
	static const struct {
		const char *name;
		uint64_t tag;
	} entries[IMAGE_NENTRIES] = { { "the entry point", DT_NULL },
				      { "DT_INIT", DT_INIT },
				      { "DT_FINI", DT_FINI } };

	*name = entries[i].name;
	if (entries[i].tag == DT_NULL)
		return img->obj->ehdr.e_entry;
	return img->obj->is_bare
		       ? 0
		       : segments_dynamic_value(img->obj, entries[i].tag);
}

void image_close(struct image *img)
{
	names_free(&img->names);
	for (size_t i = 0; i < img->nsections + img->noverlays; i++)
		free(img->sections[i].owned);
	free(img->sections);
	free(img->functions);
	free(img->relocs);
	*img = (struct image){ 0 };
}

static bool holds(const struct image_section *is, uint64_t addr, uint64_t size)
{
	return addr >= is->code.addr && addr - is->code.addr <= is->code.size &&
	       size <= is->code.size - (addr - is->code.addr);
}

/* The number of sections that begin at or below ADDR. */
static size_t sections_below(const struct image *img, uint64_t addr)
{
	size_t i;

	LOWER_BOUND(i, img->nsections, img->sections[i].code.addr <= addr);
	return i;
}

static const struct image_section *find(const struct image *img, uint64_t addr,
					uint64_t size, bool only_text)
{
	for (size_t i = sections_below(img, addr); i-- > 0;) {
		const struct image_section *is = &img->sections[i];

		if (only_text && !is->is_text)
			continue;
		if (holds(is, addr, size))
			return is;
		/*
		 * Sections of text do not overlap: none further down contains
		 * it.
		 */
		if (only_text)
			return NULL;
	}
	return NULL;
}

const struct image_section *image_find(const struct image *img, uint64_t addr,
				       uint64_t size)
{
	return find(img, addr, size, false);
}

const struct image_section *image_find_text(const struct image *img,
					    uint64_t addr, uint64_t size)
{
	return find(img, addr, size, true);
}

bool image_is_text(const struct image *img, uint64_t addr)
{
	for (size_t i = 0; i < img->noverlays; i++)
		if (holds(&img->sections[img->nsections + i], addr, 1))
			return true;
	return image_find_text(img, addr, 1) != NULL;
}

uint64_t image_got(const struct image *img)
{
	const struct arch *arch = img->obj->arch;
	struct symbol got = { 0 };
	uint32_t symndx = 0;

	if (arch->descriptors != NULL)
		return img->obj->toc;
	names_next(&img->names,
		   arch->got_symbol != NULL ? arch->got_symbol
					    : "_GLOBAL_OFFSET_TABLE_",
		   &symndx, &got);
	return got.value;
}

const uint8_t *image_bytes(const struct image *img, uint64_t addr,
			   uint64_t size)
{
	const struct image_section *is = image_find(img, addr, size);

	return is != NULL ? is->code.bytes + (addr - is->code.addr) : NULL;
}

uint64_t image_addend(const struct image *img, const struct image_reloc *reloc)
{
	bool is_long = img->obj->is_64 && reloc->width >= 8;
	const uint8_t *bytes;

	if (reloc->has_addend)
		return reloc->addend;
	bytes = image_bytes(img, reloc->addr, is_long ? 8 : 4);
	if (bytes == NULL)
		return 0;
	if (is_long && reloc->is_in_half)
		return (int64_t)(int32_t)object_xword(img->obj, bytes);
	return is_long ? object_xword(img->obj, bytes)
		       : object_word(img->obj, bytes);
}

/* A jump slot is set to S: what its field holds is for lazy binding. */
bool image_reloc_value(const struct image *img, const struct image_reloc *reloc,
		       uint64_t *value)
{
	uint64_t addend = reloc->is_jump_slot && !reloc->has_addend
				  ? 0
				  : image_addend(img, reloc);

	*value = object_wrap(img->obj, reloc->value + reloc->bias + addend);
	return reloc->is_known && !reloc->is_irelative && !reloc->is_copy;
}

const struct image_reloc *image_first_reloc(const struct image *img,
					    uint64_t addr, uint64_t size)
{
	size_t i;

	LOWER_BOUND(i, img->nrelocs, img->relocs[i].reach <= addr);
	return i < img->nrelocs && img->relocs[i].addr < addr + size
		       ? &img->relocs[i]
		       : NULL;
}

uint64_t image_wrap(const struct image *img, uint64_t addr)
{
	return object_wrap(img->obj, addr);
}

uint64_t image_first_word(const struct image_section *is)
{
	return -is->code.addr & 3;
}
