/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Checks every size, link, index and range before any other code relies on
 * them. Reads the symbol table, and the relocations of loaded sections and of
 * what the probe macros wrote. Nothing else is read.
 */
#include <config.h>

#include <inttypes.h>
#include <string.h>

#include "base/table-format.h"
#include "arch/arch.h"
#include "base/parallel.h"
#include "check.h"
#include "descriptors.h"
#include "marks.h"
#include "mentions.h"
#include "packed.h"

static int bad_section(struct diag *d, const struct object *obj, size_t shndx,
		       const char *what)
{
	return diag_report(
		d, SEVERITY_TROUBLE,
		&(struct place){ .file = obj->path,
				 .section = obj->sections[shndx].name },
		"malformed", NULL, "section %zu: %s", shndx, what);
}

static const char *type_name(unsigned type)
{
	switch (type) {
	case ET_REL:
		return "a relocatable object (ET_REL)";
	case ET_EXEC:
		return "a linked image (ET_EXEC)";
	case ET_DYN:
		return "a linked image (ET_DYN)";
	case ET_CORE:
		return "a core file (ET_CORE)";
	default:
		return "an ELF file of unknown type";
	}
}

static int check_type(struct diag *d, const struct object *obj,
		      enum object_kind wanted)
{
	unsigned type = obj->ehdr.e_type;
	bool is_final = type == ET_EXEC || type == ET_DYN;

	switch (wanted) {
	case OBJECT_PARTIAL:
	case OBJECT_INPUT:
	case OBJECT_FAT:
		if (type != ET_REL)
			return diag_file(d, obj->path, "wrong-type",
					 "is %s, not an object: give a .o "
					 "file, or what ld -r wrote",
					 type_name(type));
		break;
	case OBJECT_FINAL:
	case OBJECT_SYMBOLS:
	case OBJECT_IMAGE:
		if (!is_final)
			return diag_file(d, obj->path, "wrong-type",
					 "is %s, not a linked image: give the "
					 "output of the final link",
					 type_name(type));
		break;
	case OBJECT_ANY:
	case OBJECT_LISTED:
		if (type != ET_REL && !is_final)
			return diag_file(d, obj->path, "wrong-type",
					 "is %s, neither an object nor a "
					 "linked image",
					 type_name(type));
		break;
	}
	return 0;
}

static int refuse_code(struct diag *d, const struct object *obj,
		       const char *what, const char *remedy)
{
	return diag_report(d, SEVERITY_TROUBLE,
			   &(struct place){ .file = obj->path }, "unknown-code",
			   remedy, "holds %s, which sdtlink cannot decode",
			   what);
}

static int check_machine(struct diag *d, struct object *obj)
{
	unsigned machine = obj->ehdr.e_machine;
	const char *what, *remedy = NULL;

	obj->arch = arch_find(machine, obj->is_64, obj->is_big_endian,
			      obj->ehdr.e_flags);
	if (obj->arch == NULL) {
		what = arch_machine_name(machine, obj->is_64, &remedy);
		return diag_report(
			d, SEVERITY_TROUBLE,
			&(struct place){ .file = obj->path }, "unknown-machine",
			remedy,
			"machine %u (%s%s%u-bit, %s-endian) is not "
			"supported; sdtlink knows %s",
			machine, what != NULL ? what : "",
			what != NULL ? ", " : "", obj->is_64 ? 64 : 32,
			obj->is_big_endian ? "big" : "little", arch_names());
	}
	obj->mode_bits = obj->arch->mode_bits;
	what = obj->arch->refuse_flags != NULL
		       ? obj->arch->refuse_flags(obj->ehdr.e_flags, &remedy)
		       : NULL;
	return what != NULL ? refuse_code(d, obj, what, remedy) : 0;
}

static bool is_described(const struct section *sec,
			 const struct section_desc *desc)
{
	return section_is_alloc(sec) && sec->size > 0 &&
	       (desc->name == NULL || strcmp(sec->name, desc->name) == 0) &&
	       (desc->flag == 0 || (sec->flags & desc->flag) != 0);
}

/*
 * Settles what the flags of the header leave open. Call it once the sections
 * are checked.
 */
static int refine_machine(struct diag *d, struct object *obj)
{
	const struct section_desc *refused = obj->arch->refuse_section;

	for (size_t i = 1; refused != NULL && i < obj->nsections; i++)
		if (is_described(&obj->sections[i], refused))
			return refuse_code(d, obj, refused->what,
					   refused->remedy);
	for (size_t i = 1; obj->arch->refine != NULL && i < obj->nsections;
	     i++) {
		const uint8_t *bytes;
		size_t size;

		if (obj->sections[i].type != obj->arch->attributes_type)
			continue;
		bytes = object_data(d, obj, i, &size);
		if (bytes == NULL)
			return -1;
		obj->arch = obj->arch->refine(obj->arch, bytes, size);
	}
	return 0;
}

static int check_extent(struct diag *d, const struct object *obj, size_t i)
{
	const struct section *sec = &obj->sections[i];

	if (sec->type == SHT_NULL)
		return 0;
	if (sec->addr > UINT64_MAX - sec->size)
		return bad_section(d, obj, i,
				   "its contents are past the end of the "
				   "address space");
	if (sec->type == SHT_NOBITS)
		return 0;
	if (sec->offset > obj->elf_size ||
	    sec->size > obj->elf_size - sec->offset)
		return bad_section(d, obj, i,
				   "its contents are past the end of the "
				   "file: the file is truncated");
	return 0;
}

/* The size that the gABI sets for the entries of section I, or 0. */
static uint64_t gabi_entsize(const struct object *obj, size_t i)
{
	switch (obj->sections[i].type) {
	case SHT_SYMTAB:
	case SHT_DYNSYM:
		return obj->is_64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
	case SHT_REL:
		return obj->is_64 ? sizeof(Elf64_Rel) : sizeof(Elf32_Rel);
	case SHT_RELA:
		return obj->is_64 ? sizeof(Elf64_Rela) : sizeof(Elf32_Rela);
	default:
		return 0;
	}
}

static int check_section(struct diag *d, const struct object *obj, size_t i)
{
	const struct section *sec = &obj->sections[i];
	uint64_t entsize = gabi_entsize(obj, i);

	if (check_extent(d, obj, i))
		return -1;
	if (entsize != 0 && sec->size != 0) {
		if (sec->entsize != entsize)
			return bad_section(d, obj, i, "wrong entry size");
		if (sec->size % entsize != 0)
			return bad_section(d, obj, i,
					   "its size is not a multiple of its "
					   "entry size");
	}
	if ((entsize != 0 || sec->type == SECTION_CREL) && sec->size != 0 &&
	    sec->link >= obj->nsections)
		return bad_section(d, obj, i, "its link is not a section");
	if (section_is_alloc(sec) && (sec->flags & SHF_COMPRESSED))
		return bad_section(d, obj, i, "is both compressed and loaded");
	return 0;
}

static int check_string_table(struct diag *d, struct object *obj,
			      uint32_t shndx)
{
	size_t size;
	const uint8_t *bytes;

	if (shndx == 0 || obj->sections[shndx].type != SHT_STRTAB)
		return bad_section(d, obj, obj->symtab,
				   "its link is not a string table");
	bytes = object_data(d, obj, shndx, &size);
	if (bytes == NULL)
		return -1;
	if (size == 0 || bytes[size - 1] != '\0')
		return bad_section(d, obj, shndx,
				   "the string table does not end in a NUL");
	obj->strings = (const char *)bytes;
	obj->strings_size = size;
	return 0;
}

/*
 * Uses .dynsym if there is no .symtab: it names what others may call. But not
 * if objcopy -j took its strings away, as U-Boot does.
 */
static void find_dynsym(struct object *obj)
{
	for (size_t i = 1; obj->symtab == 0 && i < obj->nsections; i++)
		if (obj->sections[i].type == SHT_DYNSYM &&
		    obj->sections[i].size > 0 && obj->sections[i].link != 0)
			obj->symtab = i;
}

static int find_symtab(struct diag *d, struct object *obj,
		       enum object_kind wanted)
{
	bool may_lack = wanted == OBJECT_IMAGE ||
			(wanted == OBJECT_LISTED && obj->ehdr.e_type != ET_REL);
	Elf_Data *data;

	for (size_t i = 1; i < obj->nsections; i++) {
		if (obj->sections[i].type != SHT_SYMTAB)
			continue;
		if (obj->symtab != 0)
			return bad_section(d, obj, i, "a second symbol table");
		obj->symtab = i;
	}
	if (obj->symtab != 0 && obj->sections[obj->symtab].size == 0)
		obj->symtab = 0;
	if (obj->symtab == 0 &&
	    (wanted == OBJECT_INPUT || wanted == OBJECT_FAT))
		return 0;
	if (obj->symtab == 0 && may_lack) {
		obj->is_stripped = true;
		find_dynsym(obj);
		if (obj->symtab == 0)
			return 0;
	}
	if (obj->symtab == 0)
		return diag_file(
			d, obj->path, "no-symbols",
			"no symbol table: run sdtlink before strip, and "
			"link without -s");
	data = elf_getdata(elf_getscn(obj->elf, obj->symtab), NULL);
	if (data == NULL || data->d_buf == NULL)
		return diag_file(d, obj->path, "cannot-read",
				 "cannot read the symbol table: %s",
				 elf_errmsg(-1));
	obj->symbols = data->d_buf;
	obj->nsymbols = data->d_size / obj->sections[obj->symtab].entsize;
	return check_string_table(d, obj, obj->sections[obj->symtab].link);
}

/* SHT_SYMTAB_SHNDX contains the section indices that do not fit st_shndx. */
static int find_xindex(struct diag *d, struct object *obj)
{
	Elf_Data *data;

	for (size_t i = 1; i < obj->nsections; i++) {
		if (obj->sections[i].type != SHT_SYMTAB_SHNDX ||
		    obj->sections[i].link != obj->symtab)
			continue;
		data = elf_getdata(elf_getscn(obj->elf, i), NULL);
		if (data == NULL || data->d_buf == NULL ||
		    data->d_size / 4 < obj->nsymbols)
			return bad_section(d, obj, i,
					   "too short for the symbol table");
		obj->xindex = data->d_buf;
	}
	return 0;
}

static int bad_symbol(struct diag *d, const struct object *obj, size_t i,
		      const char *what)
{
	return bad_section(d, obj, obj->symtab, what) |
	       diag_report(d, SEVERITY_NOTE,
			   &(struct place){ .file = obj->path }, "malformed",
			   NULL, "it is symbol number %zu", i);
}

static uint32_t symbol_name_offset(const struct object *obj, size_t i)
{
	if (obj->is_64)
		return ((const Elf64_Sym *)obj->symbols)[i].st_name;
	return ((const Elf32_Sym *)obj->symbols)[i].st_name;
}

static uint32_t symbol_shndx(const struct object *obj, size_t i)
{
	if (obj->is_64)
		return ((const Elf64_Sym *)obj->symbols)[i].st_shndx;
	return ((const Elf32_Sym *)obj->symbols)[i].st_shndx;
}

/* The loaded section that contains ADDR, or that ends there, or SHN_ABS. */
static uint16_t section_of(const struct object *obj, uint64_t addr)
{
	uint16_t found = SHN_ABS;

	for (size_t i = 1; i < obj->nsections && i < SHN_LORESERVE; i++) {
		const struct section *sec = &obj->sections[i];

		if (!section_is_alloc(sec) || (sec->flags & SHF_TLS) ||
		    addr - sec->addr > sec->size)
			continue;
		found = i;
		if (addr - sec->addr < sec->size)
			break;
	}
	return found;
}

/* The section of a dynamic symbol of TYPE at ADDR with st_shndx SHNDX. */
static uint16_t dynamic_section(const struct object *obj, uint16_t shndx,
				unsigned char type, uint64_t addr)
{
	const struct section *sec = obj->sections;

	if (shndx == SHN_UNDEF || shndx >= SHN_LORESERVE || type == STT_TLS)
		return shndx;
	if (shndx < obj->nsections && addr - sec[shndx].addr <= sec[shndx].size)
		return shndx;
	return section_of(obj, addr);
}

/*
 * strip of GNU binutils does not update .dynsym when it removes sections, such
 * as those of --emit-relocs. Loaders do not mind. So the section of such a
 * symbol is found by its address.
 */
static int set_dynamic_sections(struct diag *d, struct object *obj)
{
	size_t size = obj->is_64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);

	if (obj->symtab == 0 || obj->sections[obj->symtab].type != SHT_DYNSYM)
		return 0;
	obj->dynamic = malloc(obj->nsymbols * size + 1);
	if (obj->dynamic == NULL)
		return diag_nomem(d, obj->path);
	memcpy(obj->dynamic, obj->symbols, obj->nsymbols * size);
	for (size_t i = 0; i < obj->nsymbols; i++) {
		Elf64_Sym *s = (Elf64_Sym *)obj->dynamic + i;
		Elf32_Sym *t = (Elf32_Sym *)obj->dynamic + i;

		if (obj->is_64)
			s->st_shndx = dynamic_section(obj, s->st_shndx,
						      ELF64_ST_TYPE(s->st_info),
						      s->st_value);
		else
			t->st_shndx = dynamic_section(obj, t->st_shndx,
						      ELF32_ST_TYPE(t->st_info),
						      t->st_value);
	}
	obj->symbols = obj->dynamic;
	return 0;
}

static int check_symbols(struct diag *d, struct object *obj,
			 enum object_kind wanted)
{
	if (find_symtab(d, obj, wanted) || find_xindex(d, obj) ||
	    set_dynamic_sections(d, obj))
		return -1;
	for (size_t i = 0; i < obj->nsymbols; i++) {
		uint32_t shndx = symbol_shndx(obj, i);

		if (symbol_name_offset(obj, i) >= obj->strings_size)
			return bad_symbol(d, obj, i,
					  "a symbol's name is outside the "
					  "string table");
		if (shndx == SHN_XINDEX && obj->xindex == NULL)
			return bad_symbol(d, obj, i,
					  "a symbol needs an extended section "
					  "index, and there is no table of "
					  "them");
		if (shndx == SHN_XINDEX)
			shndx = obj->xindex[i];
		else if (shndx >= SHN_LORESERVE)
			continue;
		if (shndx >= obj->nsections)
			return bad_symbol(d, obj, i,
					  "a symbol's section does not exist");
	}
	return 0;
}

static int check_group(struct diag *d, struct object *obj, size_t shndx)
{
	const struct section *group = &obj->sections[shndx];
	size_t size;
	const uint8_t *bytes = object_data(d, obj, shndx, &size);
	bool is_comdat;

	if (bytes == NULL)
		return -1;
	if (size < 4 || size % 4 != 0)
		return bad_section(d, obj, shndx, "a group of a wrong size");
	if (group->link != obj->symtab || group->info >= obj->nsymbols)
		return bad_section(d, obj, shndx,
				   "a group without a signature symbol");
	/* clang's sanitizers make others, so that the linker drops both. */
	is_comdat = (object_word(obj, bytes) & GRP_COMDAT) != 0;
	for (size_t at = 4; at < size; at += 4) {
		uint32_t member = object_word(obj, bytes + at);

		if (member == 0 || member >= obj->nsections ||
		    obj->sections[member].type == SHT_GROUP)
			return bad_section(d, obj, shndx,
					   "a member of the group is not a "
					   "section");
		obj->sections[member].group = shndx;
		obj->sections[member].comdat = is_comdat ? shndx : 0;
		obj->sections[member].ngroups++;
	}
	return 0;
}

static int bad_reloc(struct diag *d, const struct object *obj, size_t shndx,
		     const struct reloc *r, const char *what)
{
	struct place place = object_where(obj, shndx, r->offset);

	return diag_report(d, SEVERITY_TROUBLE, &place, "malformed", NULL,
			   "relocation %s %s",
			   arch_reloc_name(obj->arch, r->type), what);
}

/*
 * Of sections that are not loaded, only those of the probe macros and of --nop
 * are read.
 */
static bool is_read(const struct section *sec)
{
	return section_is_alloc(sec) ||
	       strcmp(sec->name, TRACEPOINT_OWN_SECTION) == 0 ||
	       strcmp(sec->name, SDT_BEFORE_SECTION) == 0 ||
	       strcmp(sec->name, NOTES_SECTION) == 0;
}

/* Checks a relocation that may end behind its section of SIZE bytes. */
static int check_end(struct diag *d, const struct object *obj, size_t shndx,
		     const struct reloc *r, uint64_t size)
{
	unsigned width = arch_reloc_width(obj->arch, r->type);

	if (r->offset > size || width > size - r->offset)
		return bad_reloc(d, obj, shndx, r,
				 "is past the end of its section");
	return 0;
}

/* What a look at some relocations, one behind the other, has shown. */
struct right {
	size_t n; /* so many are certainly right, from the first on */
	uint32_t max_symndx;
	bool is_sorted;
	uint64_t first, last; /* offsets of these; valid if N > 0 */
};

struct skipping {
	const struct reloc *relocs;
	size_t n;
	uint64_t safe;
	uint32_t nsymbols;
	struct right pieces[PARALLEL_PIECES];
};

static void skip_piece(void *ctx, size_t i)
{
	struct skipping *s = ctx;
	size_t start = parallel_piece(s->n, i),
	       end = parallel_piece(s->n, i + 1);
	struct right right = { .is_sorted = true };
	size_t k = start;

	for (; k < end; k++) {
		const struct reloc *r = &s->relocs[k];

		if (r->symndx >= s->nsymbols || r->offset >= s->safe)
			break;
		if (r->symndx > right.max_symndx)
			right.max_symndx = r->symndx;
		right.is_sorted &= k == start || r->offset >= right.last;
		right.last = r->offset;
	}
	right.n = k - start;
	if (right.n > 0)
		right.first = s->relocs[start].offset;
	s->pieces[i] = right;
}

/*
 * Skips relocations of SEC that are certainly right, and returns the first one
 * that check_relocs has to check. There may be millions, and nearly all are
 * right. LAST is the offset of the one before.
 */
static size_t skip_right(struct section *sec, const struct relocs *relocs,
			 uint64_t safe, uint32_t nsymbols, uint64_t *last)
{
	struct skipping s = { .relocs = relocs->entries,
			      .n = relocs->n,
			      .safe = safe,
			      .nsymbols = nsymbols };
	size_t n = 0;

	parallel_run(PARALLEL_PIECES, s.n * sizeof(s.relocs[0]), skip_piece,
		     &s);
	for (size_t i = 0; i < PARALLEL_PIECES; i++) {
		const struct right *right = &s.pieces[i];

		if (n != parallel_piece(s.n, i))
			break;
		if (right->n == 0)
			continue;
		n += right->n;
		if (right->max_symndx > sec->max_symndx)
			sec->max_symndx = right->max_symndx;
		sec->is_sorted &= right->is_sorted && right->first >= *last;
		*last = right->last;
	}
	return n;
}

static int check_relocs(struct diag *d, struct object *obj, size_t i)
{
	struct section *sec = &obj->sections[i];
	struct section *target = &obj->sections[sec->info];
	const struct arch *arch = obj->arch;
	uint32_t nsymbols = obj->nsymbols;
	uint64_t size, safe, last = 0;
	size_t k = 0;
	struct relocs relocs;

	if (sec->link != obj->symtab)
		return bad_section(d, obj, i,
				   "its link is not the symbol table");
	if (object_relocs(d, obj, i, &relocs) ||
	    packed_size(d, obj, sec->info, &size))
		return -1;
	/* Up to here no width of a field matters. */
	safe = size > UINT8_MAX ? size - UINT8_MAX : 0;
	sec->is_sorted = true;
	if (relocs.is_plain && arch->relax == NULL)
		k = skip_right(sec, &relocs, safe, nsymbols, &last);
	for (; k < relocs.n; k++) {
		struct reloc r;

		reloc_get(&relocs, k, &r);
		if (r.symndx >= nsymbols)
			return bad_reloc(d, obj, sec->info, &r,
					 "has a symbol index past the end of "
					 "the symbol table");
		if (r.offset >= safe && check_end(d, obj, sec->info, &r, size))
			return -1;
		if (r.symndx > sec->max_symndx)
			sec->max_symndx = r.symndx;
		sec->is_sorted &= r.offset >= last;
		last = r.offset;
		if (arch->relax != NULL)
			target->relaxes |= arch_reloc_relaxes(arch, r.type);
	}
	sec->next_relsec = target->first_relsec;
	target->first_relsec = i;
	return 0;
}

/*
 * Relocations in an unknown format could be sites, which would be lost
 * silently. Some <elf.h> lack these numbers.
 */
static int check_foreign_relocs(struct diag *d, const struct object *obj,
				size_t i)
{
	static const struct {
		uint32_t type;
		const char *what;
	} forms[] = {
		{ SECTION_CREL, "SHT_CREL, which is read of objects alone" },
		{ 20, "SHT_CREL by a number that may become its own: compile "
		      "without -Wa,--crel" },
		{ 0x40000020, "the experimental SHT_CREL: compile without "
			      "-Wa,--crel" },
		{ SECTION_ANDROID_REL, "SHT_ANDROID_REL: link without "
				       "--pack-dyn-relocs=android" },
		{ SECTION_ANDROID_RELA, "SHT_ANDROID_RELA: link without "
					"--pack-dyn-relocs=android" },
		{ SECTION_ANDROID_RELR, "SHT_ANDROID_RELR" },
		{ SECTION_RELR, "SHT_RELR" },
	};

	if (section_is_signed_relr(obj, &obj->sections[i]))
		return diag_file(d, obj->path, "unknown-relocations",
				 "section %s holds relocations in a form that "
				 "sdtlink does not read, "
				 "SHT_AARCH64_AUTH_RELR: link without "
				 "--pack-dyn-relocs=relr",
				 obj->sections[i].name);

	for (size_t k = 0; k < sizeof(forms) / sizeof(forms[0]); k++)
		if (obj->sections[i].type == forms[k].type)
			return diag_file(d, obj->path, "unknown-relocations",
					 "section %s holds relocations in a "
					 "form that sdtlink does not read, %s",
					 obj->sections[i].name, forms[k].what);
	return 0;
}

int check_run_time_relocs(struct diag *d, const struct object *final)
{
	for (size_t i = 1; i < final->nsections; i++)
		if (section_is_alloc(&final->sections[i]) &&
		    !section_is_relr(&final->sections[i]) &&
		    check_foreign_relocs(d, final, i))
			return -1;
	return 0;
}

/*
 * .llvmbc does not count. clang -fembed-bitcode and rustc leave a copy there
 * that linkers treat as data. Only the gold plugin before LLVM 16 generated
 * code from it, and then verify finds other bytes.
 */
static const char *lto_remedy(const char *section)
{
	if (strncmp(section, LTO_SECTIONS, strlen(LTO_SECTIONS)) == 0)
		return LTO_REMEDY_GCC;
	return strncmp(section, ".llvm.lto", 9) == 0 ? LTO_REMEDY_LLVM : NULL;
}

static int check_lto(struct diag *d, const struct object *obj)
{
	for (size_t i = 1; i < obj->nsections; i++)
		if (lto_remedy(obj->sections[i].name) != NULL)
			return diag_report(
				d, SEVERITY_TROUBLE,
				&(struct place){
					.file = obj->path,
					.section = obj->sections[i].name },
				"lto", lto_remedy(obj->sections[i].name),
				"holds link-time-optimisation bytecode: the "
				"final link could generate other code than "
				"this");
	return 0;
}

/* GNU ld, gold, mold and old lld copy the section as data. */
static int check_copied_crel(struct diag *d, const struct object *obj, size_t i)
{
	const struct section *sec = &obj->sections[i];

	if (sec->type != SECTION_CREL || sec->info != 0)
		return 0;
	return diag_report(
		d, SEVERITY_TROUBLE,
		&(struct place){ .file = obj->path, .section = sec->name },
		"unknown-relocations",
		"partially link with ld.lld 19 or newer, or compile "
		"without -Wa,--crel",
		"SHT_CREL of no section: the linker that wrote the "
		"file does not know it");
}

static int check_partial(struct diag *d, struct object *obj)
{
	for (size_t i = 1; i < obj->nsections; i++) {
		const struct section *sec = &obj->sections[i];

		if (sec->type == SHT_GROUP && check_group(d, obj, i))
			return -1;
		if (!section_is_relocs(sec)) {
			if (check_foreign_relocs(d, obj, i))
				return -1;
			continue;
		}
		if (check_copied_crel(d, obj, i))
			return -1;
		if (sec->info == 0 || sec->info >= obj->nsections ||
		    obj->sections[sec->info].type == SHT_NULL)
			return bad_section(d, obj, i,
					   "the section it applies to does "
					   "not exist");
		if (section_is_relocs(&obj->sections[sec->info]))
			return bad_section(d, obj, i,
					   "it applies to relocations");
		if (is_read(&obj->sections[sec->info]) &&
		    check_relocs(d, obj, i))
			return -1;
	}
	return 0;
}

static int check_sections(struct diag *d, struct object *obj)
{
	uint64_t before = 0;

	for (size_t i = 1; i < obj->nsections; i++) {
		struct section *sec = &obj->sections[i];

		if (check_section(d, obj, i))
			return -1;
		sec->before = before;
		/* A file cannot have so many bytes that this wraps. */
		if (sec->type != SHT_NOBITS)
			before += sec->size;
	}
	return 0;
}

/*
 * A separate debug file has all sections, but lacks the bytes of the loaded
 * ones.
 */
static int check_code(struct diag *d, const struct object *obj)
{
	bool has_empty = false;

	for (size_t i = 1; i < obj->nsections; i++) {
		const struct section *sec = &obj->sections[i];

		if (section_is_text(sec))
			return 0;
		has_empty |= sec->type == SHT_NOBITS && sec->size > 0 &&
			     section_is_alloc(sec) &&
			     (sec->flags & SHF_EXECINSTR);
	}
	if (!has_empty)
		return 0;
	return diag_file(d, obj->path, "wrong-type",
			 "holds no code, like what objcopy --only-keep-debug "
			 "leaves: give the file that it was made from");
}

int check_object(struct diag *d, struct object *obj, enum object_kind wanted)
{
	if (obj->is_bare && wanted != OBJECT_LISTED)
		return diag_report(
			d, SEVERITY_TROUBLE,
			&(struct place){ .file = obj->path }, "malformed",
			"give the file that still has it; --image takes this one "
			"beside it",
			"no section header table: strip removed it, or -z "
			"nosectionheader");
	if (check_type(d, obj, wanted) || check_machine(d, obj) ||
	    check_sections(d, obj) ||
	    (wanted != OBJECT_SYMBOLS && check_code(d, obj)))
		return -1;
	if (refine_machine(d, obj) || check_symbols(d, obj, wanted) ||
	    marks_build(d, obj))
		return -1;
	if (obj->ehdr.e_type == ET_REL &&
	    (check_partial(d, obj) ||
	     (wanted != OBJECT_FAT && check_lto(d, obj))))
		return -1;
	return descriptors_build(d, obj);
}
