/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "mentions.h"
#include "object-file.h"
#include "object.h"
#include "pe.h"

#define MACH_O "a Mach-O file, not an ELF file: compile for an ELF target"
#define COFF_OBJECT "a COFF object, not an ELF file: compile for an ELF target"

/* What a file that is not an ELF file probably is. */
static const struct {
	const char *magic;
	size_t length;
	const char *what;
} magics[] = {
	{ "BC\xc0\xde", 4,
	  "LLVM bitcode: it has no relocations yet; " LTO_REMEDY_LLVM },
	{ "\xde\xc0\x17\x0b", 4,
	  "LLVM bitcode: it has no relocations yet; " LTO_REMEDY_LLVM },
	{ "!<arch>\n", 8,
	  "an archive: partially link it with ld -r "
	  "--whole-archive first" },
	{ "!<thin>\n", 8,
	  "a thin archive: partially link it with ld -r "
	  "--whole-archive first" },
	{ "MZ", 2,
	  "a PE image, not an ELF file: give the file that it was made from" },
	{ "\x64\x86", 2, COFF_OBJECT },
	{ "\x4c\x01", 2, COFF_OBJECT },
	{ "\x64\xaa", 2, COFF_OBJECT },
	{ "\xc4\x01", 2, COFF_OBJECT },
	{ "BZh", 3, "a bzip2 file: unpack it first" },
	{ "\x1f\x8b", 2, "a gzip file: unpack it first" },
	{ "\xfd"
	  "7zXZ",
	  5, "an xz file: unpack it first" },
	{ "\x28\xb5\x2f\xfd", 4, "a zstd file: unpack it first" },
	{ "\xce\xfa\xed\xfe", 4, MACH_O },
	{ "\xcf\xfa\xed\xfe", 4, MACH_O },
	{ "\xfe\xed\xfa\xcf", 4, MACH_O },
};

#define UNKNOWN "not an ELF file"
#define TEXT "text, not an ELF file: give what the compiler made of it"

static const char *describe_magic(const char *bytes, size_t size)
{
	for (size_t i = 0; i < sizeof(magics) / sizeof(magics[0]); i++)
		if (size >= magics[i].length &&
		    memcmp(bytes, magics[i].magic, magics[i].length) == 0)
			return magics[i].what;
	for (size_t i = 0; i < size; i++)
		if (bytes[i] == 0x7f ||
		    ((unsigned char)bytes[i] < ' ' &&
		     strchr("\t\r\n", bytes[i]) == NULL) ||
		    bytes[i] == '\0')
			return UNKNOWN;
	return TEXT;
}

bool object_is_unknown(const char *bytes, size_t n)
{
	return strcmp(describe_magic(bytes, n), UNKNOWN) == 0;
}

bool object_is_text(const char *bytes, size_t n)
{
	return strcmp(describe_magic(bytes, n), TEXT) == 0;
}

static int check_libelf(struct diag *d, const struct object *obj)
{
	if (elf_version(EV_CURRENT) == EV_NONE)
		return diag_file(d, obj->path, "cannot-read",
				 "libelf is too old");
	return 0;
}

static int read_header(struct diag *d, struct object *obj)
{
	const char *bytes;
	size_t size = 0;

	if (obj->elf == NULL)
		return diag_file(d, obj->path, "cannot-read", "cannot read: %s",
				 elf_errmsg(-1));
	if (elf_kind(obj->elf) != ELF_K_ELF) {
		bytes = elf_rawfile(obj->elf, &size);
		return diag_file(d, obj->path, "not-elf", "%s",
				 describe_magic(bytes, bytes ? size : 0));
	}
	if (gelf_getehdr(obj->elf, &obj->ehdr) == NULL)
		return diag_file(d, obj->path, "malformed",
				 "unreadable ELF header: %s", elf_errmsg(-1));
	obj->is_64 = obj->ehdr.e_ident[EI_CLASS] == ELFCLASS64;
	obj->is_big_endian = obj->ehdr.e_ident[EI_DATA] == ELFDATA2MSB;
	return 0;
}

/* libelf ignores a table outside of the file. That must be an error. */
static int check_header_table(struct diag *d, const struct object *obj)
{
	uint64_t entsize = obj->is_64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
	uint64_t shoff = obj->ehdr.e_shoff;

	if (obj->ehdr.e_shentsize != entsize)
		return diag_file(d, obj->path, "malformed",
				 "section header size is %u, not %u",
				 (unsigned)obj->ehdr.e_shentsize,
				 (unsigned)entsize);
	if (shoff > obj->elf_size || entsize > obj->elf_size - shoff ||
	    obj->ehdr.e_shnum > (obj->elf_size - shoff) / entsize)
		return diag_file(d, obj->path, "malformed",
				 "section header table at 0x%llx is past the "
				 "end of the file (0x%llx bytes)",
				 (unsigned long long)shoff,
				 (unsigned long long)obj->elf_size);
	return 0;
}

static int read_section(struct diag *d, struct object *obj, size_t shndx,
			size_t shstrndx)
{
	struct section *sec = &obj->sections[shndx];
	Elf_Scn *scn = elf_getscn(obj->elf, shndx);
	GElf_Shdr sh;

	if (scn == NULL || gelf_getshdr(scn, &sh) == NULL)
		return diag_file(d, obj->path, "malformed",
				 "unreadable section header %zu: %s", shndx,
				 elf_errmsg(-1));
	*sec = (struct section){
		.type = sh.sh_type,
		.link = sh.sh_link,
		.info = sh.sh_info,
		.flags = sh.sh_flags,
		.addr = sh.sh_addr,
		.offset = sh.sh_offset,
		.size = sh.sh_size,
		.entsize = sh.sh_entsize,
		.align = sh.sh_addralign,
	};
	/* The gABI leaves its other members undefined. */
	if (sec->type == SHT_NULL)
		*sec = (struct section){ .type = SHT_NULL };
	sec->name = elf_strptr(obj->elf, shstrndx, sh.sh_name);
	if (sec->name == NULL)
		return diag_file(d, obj->path, "malformed",
				 "name of section %zu is outside the section "
				 "name table",
				 shndx);
	return 0;
}

/* A final may lack section headers: the loader reads segments. */
static int read_segments(struct diag *d, struct object *obj)
{
	unsigned type = obj->ehdr.e_type;
	size_t n = 0;

	if ((type != ET_EXEC && type != ET_DYN) ||
	    elf_getphdrnum(obj->elf, &n) != 0 || n == 0)
		return diag_file(d, obj->path, "malformed",
				 "no section header table: it was stripped");
	obj->is_bare = true;
	obj->sections = calloc(n + 1, sizeof(obj->sections[0]));
	obj->segment_names = calloc(n, sizeof(obj->segment_names[0]));
	if (obj->sections == NULL || obj->segment_names == NULL)
		return diag_nomem(d, obj->path);
	obj->sections[obj->nsections++].name = "";
	for (size_t i = 0; i < n; i++) {
		GElf_Phdr ph;

		if (gelf_getphdr(obj->elf, i, &ph) == NULL ||
		    ph.p_type != PT_LOAD || ph.p_filesz == 0)
			continue;
		snprintf(obj->segment_names[i], SEGMENT_NAME_SIZE,
			 "segment-%zu", i);
		obj->sections[obj->nsections++] = (struct section){
			.name = obj->segment_names[i],
			.type = SHT_PROGBITS,
			.flags = SHF_ALLOC |
				 (ph.p_flags & PF_X ? SHF_EXECINSTR : 0) |
				 (ph.p_flags & PF_W ? SHF_WRITE : 0),
			.addr = ph.p_vaddr,
			.offset = ph.p_offset,
			.size = ph.p_filesz,
			.align = 1,
		};
	}
	return 0;
}

static int read_sections(struct diag *d, struct object *obj)
{
	size_t n, shstrndx;
	bool has_crel = false;

	if (obj->ehdr.e_shoff == 0)
		return read_segments(d, obj);
	if (check_header_table(d, obj))
		return -1;
	if (elf_getshdrnum(obj->elf, &n) != 0 ||
	    elf_getshdrstrndx(obj->elf, &shstrndx) != 0)
		return diag_file(d, obj->path, "malformed",
				 "unreadable section header table: %s",
				 elf_errmsg(-1));
	if (n == 0)
		return diag_file(d, obj->path, "malformed",
				 "the section header table is empty");
	obj->sections = calloc(n, sizeof(obj->sections[0]));
	if (obj->sections == NULL)
		return diag_nomem(d, obj->path);
	obj->nsections = n;
	obj->sections[0].name = "";
	for (size_t i = 1; i < n; i++) {
		if (read_section(d, obj, i, shstrndx))
			return -1;
		has_crel |= obj->sections[i].type == SECTION_CREL;
	}
	if (!has_crel)
		return 0;
	obj->crels = calloc(n, sizeof(obj->crels[0]));
	return obj->crels != NULL ? 0 : diag_nomem(d, obj->path);
}

/*
 * A PE image that GNU ld may have linked is read as an ELF file. BYTES are
 * those of the file, or NULL if it is mapped. Such an image is never mapped.
 */
static int open_elf(struct diag *d, struct object *obj, void *bytes)
{
	size_t size = obj->file_size;
	uint8_t *elf = NULL;

	if (check_libelf(d, obj))
		return -1;
	if (bytes != NULL && pe_may_be_linked(bytes, size) &&
	    pe_make_elf(d, obj->path, bytes, size, &elf, &size))
		return -1;
	obj->is_pe = elf != NULL;
	obj->converted = elf;
	obj->elf_size = size;
	if (elf != NULL)
		bytes = elf;
	obj->elf = bytes != NULL ? elf_memory(bytes, size)
				 : elf_begin(obj->fd, ELF_C_READ_MMAP, NULL);
	return read_header(d, obj) || read_sections(d, obj) ? -1 : 0;
}

static int open_file(struct diag *d, struct object *obj)
{
	return object_file_open(d, obj) || open_elf(d, obj, obj->copy) ? -1 : 0;
}

int object_open(struct diag *d, const char *path, struct object *obj)
{
	*obj = (struct object){ .path = path, .fd = -1 };
	return open_file(d, obj);
}

int object_open_fd(struct diag *d, const char *path, int fd, struct object *obj)
{
	*obj = (struct object){
		.path = path,
		.fd = fcntl(fd, F_DUPFD_CLOEXEC, 0),
		.is_given = true,
	};
	return open_file(d, obj);
}

int object_open_memory(struct diag *d, const char *path, void *bytes,
		       size_t size, struct object *obj)
{
	*obj = (struct object){ .path = path, .fd = -1, .file_size = size };
	return open_elf(d, obj, bytes);
}

int object_open_owned(struct diag *d, const char *path, void *bytes,
		      size_t size, struct object *obj)
{
	int ret = object_open_memory(d, path, bytes, size, obj);

	obj->copy = bytes;
	return ret;
}

void object_close(struct object *obj)
{
	for (size_t i = 0; obj->crels != NULL && i < obj->nsections; i++)
		free(obj->crels[i].entries);
	free(obj->crels);
	free(obj->sections);
	free(obj->segment_names);
	free(obj->marks);
	free(obj->first_mark);
	free(obj->descriptors);
	free(obj->dynamic);
	if (obj->elf != NULL)
		elf_end(obj->elf);
	free(obj->converted);
	object_file_close(obj);
	*obj = (struct object){ .fd = -1 };
}

const uint8_t *object_file(const struct object *obj, size_t *size)
{
	return (const uint8_t *)elf_rawfile(obj->elf, size);
}

/* check_object has seen that it is in the file. */
static const uint8_t *bare_data(struct diag *d, const struct object *obj,
				uint32_t shndx, size_t *size)
{
	size_t all;
	const uint8_t *file = object_file(obj, &all);

	if (file == NULL) {
		diag_nomem(d, obj->path);
		return NULL;
	}
	*size = obj->sections[shndx].size;
	return file + obj->sections[shndx].offset;
}

const uint8_t *object_data(struct diag *d, const struct object *obj,
			   uint32_t shndx, size_t *size)
{
	static const uint8_t nothing[1];
	Elf_Data *data;

	*size = 0;
	if (obj->sections[shndx].size == 0 ||
	    obj->sections[shndx].type == SHT_NOBITS)
		return nothing;
	if (obj->is_bare)
		return bare_data(d, obj, shndx, size);
	data = elf_rawdata(elf_getscn(obj->elf, shndx), NULL);
	if (data == NULL || data->d_buf == NULL) {
		diag_file(d, obj->path, "cannot-read",
			  "cannot read section %s: %s",
			  obj->sections[shndx].name, elf_errmsg(-1));
		return NULL;
	}
	*size = data->d_size;
	return data->d_buf;
}

bool object_code(struct diag *d, const struct object *obj, uint32_t shndx,
		 struct code *code)
{
	*code = (struct code){ .addr = obj->sections[shndx].addr };
	code->bytes = object_data(d, obj, shndx, &code->size);
	if (obj->marks != NULL) {
		code->marks = obj->marks + obj->first_mark[shndx];
		code->nmarks = obj->first_mark[shndx + 1] -
			       obj->first_mark[shndx];
	}
	return code->bytes != NULL;
}

static int bad_crel(struct diag *d, const struct object *obj, uint32_t shndx,
		    const struct crel_error *error)
{
	const struct place place = { .file = obj->path,
				     .section = obj->sections[shndx].name };

	if (error->field == NULL)
		return diag_nomem(d, obj->path);
	if (error->number == 0)
		return diag_report(d, SEVERITY_TROUBLE, &place, "malformed",
				   NULL, "section %u: the %s %s", shndx,
				   error->field, error->what);
	return diag_report(d, SEVERITY_TROUBLE, &place, "malformed", NULL,
			   "section %u: the %s of relocation %zu %s", shndx,
			   error->field, error->number, error->what);
}

static int read_crel(struct diag *d, const struct object *obj, uint32_t shndx,
		     struct crel *crel)
{
	struct crel_error error;
	size_t size;
	const uint8_t *bytes = object_data(d, obj, shndx, &size);

	if (bytes == NULL)
		return -1;
	if (crel_decode(bytes, size, obj->is_64, crel, &error))
		return bad_crel(d, obj, shndx, &error);
	return 0;
}

/*
 * Addends must be where this machine has them, since other code looks there.
 * clang also writes SHT_CREL with addends for i386 and ARM, whose addends are
 * in the section otherwise.
 */
static int crel_relocs(struct diag *d, const struct object *obj, uint32_t shndx,
		       struct relocs *relocs)
{
	struct crel *crel = &obj->crels[shndx];

	if (crel->entries == NULL && read_crel(d, obj, shndx, crel))
		return -1;
	if (crel->n > 0 && (crel->has_addends != obj->arch->uses_rela ||
			    obj->arch->has_three_types))
		return diag_report(
			d, SEVERITY_TROUBLE,
			&(struct place){ .file = obj->path,
					 .section = obj->sections[shndx].name },
			"unknown-relocations", "compile without -Wa,--crel",
			"SHT_CREL %s addends, which sdtlink does not read for "
			"%s",
			crel->has_addends ? "with" : "without",
			obj->arch->name);
	relocs->entries = crel->entries;
	relocs->n = crel->n;
	relocs->is_64 = true;
	relocs->is_rela = crel->has_addends;
	relocs->is_plain = !relocs->has_type_data;
	return 0;
}

int object_relocs(struct diag *d, const struct object *obj, uint32_t shndx,
		  struct relocs *relocs)
{
	const struct section *sec = &obj->sections[shndx];
	Elf_Data *data;

	*relocs = (struct relocs){
		.is_64 = obj->is_64,
		.is_rela = sec->type == SHT_RELA,
		.has_three_types = obj->arch->has_three_types,
		.has_type_data = obj->arch->has_type_data,
		.is_big_endian = obj->is_big_endian,
	};
	relocs->is_plain = relocs->is_64 && relocs->is_rela &&
			   !relocs->has_three_types && !relocs->has_type_data;
	if (sec->size == 0)
		return 0;
	if (sec->type == SECTION_CREL)
		return crel_relocs(d, obj, shndx, relocs);
	data = elf_getdata(elf_getscn(obj->elf, shndx), NULL);
	if (data == NULL || data->d_buf == NULL)
		return diag_file(d, obj->path, "cannot-read",
				 "cannot read section %s: %s", sec->name,
				 elf_errmsg(-1));
	relocs->entries = data->d_buf;
	relocs->n = data->d_size / sec->entsize;
	return 0;
}

/* Sets the type and symbol of R from r_info of ELF64. */
static void reloc_set_info(const struct relocs *rs, uint64_t info,
			   struct reloc *r)
{
	if (rs->has_three_types && !rs->is_big_endian)
		info = reloc_info_order(info);
	r->symndx = ELF64_R_SYM(info);
	r->type = ELF64_R_TYPE(info);
	if (rs->has_type_data)
		r->type &= 0xff;
	if (!rs->has_three_types)
		return;
	/* Each one uses the result of the one before. The last one writes. */
	if ((r->type >> 16 & 0xff) != 0)
		r->type = r->type >> 16 & 0xff;
	else if ((r->type >> 8 & 0xff) != 0)
		r->type = r->type >> 8 & 0xff;
	else
		r->type &= 0xff;
}

void object_get_odd_reloc(const struct relocs *rs, size_t i, struct reloc *r)
{
	if (rs->is_64 && rs->is_rela) {
		const Elf64_Rela *e = (const Elf64_Rela *)rs->entries + i;

		*r = (struct reloc){ .offset = e->r_offset,
				     .addend = e->r_addend };
		reloc_set_info(rs, e->r_info, r);
	} else if (rs->is_64) {
		const Elf64_Rel *e = (const Elf64_Rel *)rs->entries + i;

		*r = (struct reloc){ .offset = e->r_offset };
		reloc_set_info(rs, e->r_info, r);
	} else if (rs->is_rela) {
		const Elf32_Rela *e = (const Elf32_Rela *)rs->entries + i;

		*r = (struct reloc){ .offset = e->r_offset,
				     .addend = e->r_addend,
				     .type = ELF32_R_TYPE(e->r_info),
				     .symndx = ELF32_R_SYM(e->r_info) };
	} else {
		const Elf32_Rel *e = (const Elf32_Rel *)rs->entries + i;

		*r = (struct reloc){ .offset = e->r_offset,
				     .type = ELF32_R_TYPE(e->r_info),
				     .symndx = ELF32_R_SYM(e->r_info) };
	}
}

uint64_t object_laid_out(Elf *elf, uint32_t shndx)
{
	GElf_Shdr shdr;

	return gelf_getshdr(elf_getscn(elf, shndx), &shdr) != NULL
		       ? shdr.sh_addr
		       : 0;
}

uint32_t object_find_section(const struct object *obj, const char *name)
{
	for (size_t i = 1; i < obj->nsections; i++)
		if (strcmp(obj->sections[i].name, name) == 0)
			return i;
	return 0;
}

bool object_section_has_copies(const struct object *obj, uint32_t shndx)
{
	static const char once[] = ".gnu.linkonce.";
	const struct section *sec = &obj->sections[shndx];

	return sec->comdat != 0 ||
	       strncmp(sec->name, once, sizeof(once) - 1) == 0;
}

bool object_is_module(const struct object *obj)
{
	return obj->ehdr.e_type == ET_REL &&
	       object_find_section(obj, ".gnu.linkonce.this_module") != 0;
}

uint64_t object_xword(const struct object *obj, const uint8_t *p)
{
	uint64_t first = object_word(obj, p);
	uint64_t second = object_word(obj, p + 4);

	return obj->is_big_endian ? first << 32 | second : second << 32 | first;
}
