/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The reader: presents an ELF file as sections, symbols and relocations in host
 * byte order, whatever its class and byte order. Of the library, only this room
 * calls libelf; the command asks it for program headers and raw bytes.
 *
 * Call object_open first, then check_object (check.h), which checks every size,
 * link, index and range once. The functions below rely on that, and cannot fail
 * on a checked object. Only object_data and object_relocs may run out of
 * memory.
 */
#ifndef SDTLINK_OBJECT_H
#define SDTLINK_OBJECT_H

#include <assert.h>
#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "arch/reloc.h"
#include "base/diag.h"
#include "crel.h"

struct arch;
struct code;
struct mark;

struct section {
	const char *name;
	uint32_t type; /* SHT_* */
	uint32_t link;
	uint32_t info;
	uint64_t flags; /* SHF_* */
	uint64_t addr;
	uint64_t offset; /* in the file */
	uint64_t size;
	uint64_t entsize;
	uint64_t align;
	uint64_t before;  /* bytes of all sections with less index */
	uint32_t group;	  /* the SHT_GROUP it is a member of, or 0 */
	uint32_t comdat;  /* the same, if linkers keep one such group; or 0 */
	uint32_t ngroups; /* more than one is wrong: see check.c */
	uint32_t max_symndx; /* of its relocations, if they are checked */
	bool relaxes;	     /* the final link may delete code in it */
	/*
	 * In a checked partial: the first section with relocations of it. Of a
	 * section with relocations: the next one for the same target.
	 */
	uint32_t first_relsec;
	uint32_t next_relsec; /* or 0 */
	bool is_sorted;	      /* its relocations, by offset */
};

struct symbol {
	const char *name;
	uint64_t value; /* without the mode */
	uint64_t size;
	uint32_t shndx;	     /* a section index; SHN_XINDEX is resolved; may be
			      * SHN_ABS or SHN_COMMON */
	uint8_t bind;	     /* STB_* */
	uint8_t type;	     /* STT_* */
	uint8_t visibility;  /* STV_* */
	uint8_t other;	     /* st_other whole: ABIs keep more in it */
	uint8_t mode;	     /* of a function: see arch.h */
	bool is_defined;     /* in a section of this file */
	bool is_descriptor;  /* value and section are those of the code; the
			      * symbol itself is at the descriptor */
	uint64_t descriptor; /* the value of that */
};

/*
 * Where a descriptor is, and the code of its function, both as values of
 * symbols.
 */
struct descriptor {
	uint64_t value;
	uint64_t code;
	uint32_t shndx;
	uint32_t code_shndx;
};

static_assert(sizeof(struct reloc) == sizeof(Elf64_Rela), "struct reloc");

/* The relocations of one SHT_REL, SHT_RELA or SHT_CREL section. */
struct relocs {
	/* Elf{32,64}_Rel{,a} in host byte order; Elf64_Rela for SHT_CREL */
	const void *entries;
	size_t n;
	bool is_rela;
	bool is_64;
	bool has_three_types; /* see struct arch */
	bool has_type_data;   /* see struct arch */
	bool is_big_endian;
	bool is_plain; /* Elf64_Rela as the gABI has it */
};

#define SEGMENT_NAME_SIZE 32

struct object {
	const char *path; /* as given; not owned */
	int fd;
	Elf *elf;
	GElf_Ehdr ehdr;
	const struct arch *arch; /* set by check_object */
	uint64_t file_size;
	uint64_t device, inode; /* of the file */
	struct timespec
		file_time; /* of its last change, as its writer has it, */
	struct timespec change_time; /* and as the file system */
	struct object *volatile next_mapped;
	void *copy;	     /* bytes of the whole file; owned; NULL if it is
			      * mapped */
	void *converted;     /* the ELF file made of it; owned; or NULL */
	uint64_t elf_size;   /* of that; or of the file */
	bool is_given;	     /* by its descriptor, not by its name */
	bool may_be_written; /* without a trace in these times */
	struct section *sections; /* owned; [0] is the null section */
	size_t nsections;
	struct crel *crels;  /* by section; owned; NULL if there are none */
	uint32_t symtab;     /* section index, 0 if there is none */
	const void *symbols; /* Elf{32,64}_Sym, in host byte order */
	void *dynamic;	     /* those of .dynsym, mended; owned; or NULL */
	size_t nsymbols;
	const char *strings;
	size_t strings_size;
	const uint32_t *xindex; /* SHT_SYMTAB_SHNDX, or NULL */
	/* In ISAs with modes, by section; owned: see marks.c. */
	struct mark *marks;
	size_t *first_mark; /* section index -> index in marks */
	uint8_t mode_bits;  /* those of arch */
	/* In ABIs with descriptors, sorted; owned: see descriptors.c. */
	struct descriptor *descriptors;
	size_t ndescriptors;
	uint64_t toc; /* of all of them, or 0 */
	/*
	 * A file without section headers. Its segments serve as sections, and
	 * libelf knows none of these.
	 */
	bool is_bare;
	char (*segment_names)[SEGMENT_NAME_SIZE]; /* owned; of these */
	bool is_stripped;    /* its symbols do not name all functions */
	bool is_pe;	     /* its symbols have neither sizes nor binding */
	bool is_restored;    /* its sites are those from before --nop */
	bool is_member;	     /* of an archive; its user sets this */
	bool is_flashed;     /* its segments do not tell code from data */
	bool has_no_machine; /* its arch is one of several that it may be */
	const struct object *lender; /* whose symbols it has, or NULL */
	bool is_64;
	bool is_big_endian;
};

/*
 * Opens PATH and reads its headers. Fails with a diagnostic if the file cannot
 * be read, or is not one ELF file, but for example an archive or bitcode. Call
 * object_close either way. It accepts a zeroed object.
 */
int object_open(struct diag *d, const char *path, struct object *obj);

/* The same for the open file FD. PATH may name another file by now. */
int object_open_fd(struct diag *d, const char *path, int fd,
		   struct object *obj);

/*
 * The same for SIZE bytes at BYTES. The caller keeps them, and they may be
 * written to until object_close. PATH is for messages. For fuzzing and tests: a
 * file would be slow, and its mapping would hide reads behind its end.
 */
int object_open_memory(struct diag *d, const char *path, void *bytes,
		       size_t size, struct object *obj);

/*
 * The same for bytes that malloc allocated. The object owns them, even after an
 * error.
 */
int object_open_owned(struct diag *d, const char *path, void *bytes,
		      size_t size, struct object *obj);
void object_close(struct object *obj);

/*
 * Is the file still as it was when it was opened? A large file is mapped, and
 * may show later changes, or not. Call this after the last use of the file's
 * data, and before you give out a result. If the file can be written without a
 * change of its times, all its bytes are compared. True if nothing was opened.
 */
bool object_is_unchanged(const struct object *obj);

/* Reports that the file has changed. Always returns -1. */
int object_report_change(struct diag *d, const struct object *obj);

/*
 * Has any open file that is mapped changed, so that the checks no longer hold?
 * Then numbers may be out of bounds, and names may have no end. For signal
 * handlers.
 */
bool object_any_changed(void);

/*
 * The unchanged bytes of section SHNDX, valid until object_close. For an empty
 * section and SHT_NOBITS, *SIZE is 0 and the result is not NULL.
 */
const uint8_t *object_data(struct diag *d, const struct object *obj,
			   uint32_t shndx, size_t *size);

/*
 * The same, as code at the section's address with its marks. False if memory
 * ran out.
 */
bool object_code(struct diag *d, const struct object *obj, uint32_t shndx,
		 struct code *code);

/*
 * Reads the relocations of SHT_REL, SHT_RELA or SHT_CREL section SHNDX. A
 * SHT_CREL section is decoded when it is first read. If it was not checked,
 * that may fail.
 */
int object_relocs(struct diag *d, const struct object *obj, uint32_t shndx,
		  struct relocs *relocs);

/* Are the first N bytes of a file of unknown format, and not text? */
bool object_is_unknown(const char *bytes, size_t n);
/* Are they text, as of a source file? */
bool object_is_text(const char *bytes, size_t n);

/* The bytes of the whole file. NULL if memory ran out. */
const uint8_t *object_file(const struct object *obj, size_t *size);
/* The address of section SHNDX of ELF, whose layout is complete. */
uint64_t object_laid_out(Elf *elf, uint32_t shndx);

/* The first section of that name, or 0. */
uint32_t object_find_section(const struct object *obj, const char *name);

/* Is it a Linux kernel module, as the kernel loads it? */
bool object_is_module(const struct object *obj);

/*
 * object_word reads 32 bits, object_xword 64 bits, object_address the size of
 * an address, all in the file's byte order.
 */
static inline uint32_t object_word(const struct object *obj, const uint8_t *p)
{
	if (obj->is_big_endian)
		return (uint32_t)p[0] << 24 | p[1] << 16 | p[2] << 8 | p[3];
	return (uint32_t)p[3] << 24 | p[2] << 16 | p[1] << 8 | p[0];
}

uint64_t object_xword(const struct object *obj, const uint8_t *p);

/* Writes the low SIZE bytes of VALUE in the file's byte order. */
static inline void object_put(const struct object *obj, uint8_t *p,
			      uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		p[obj->is_big_endian ? size - 1 - i : i] = value >> 8 * i;
}

static inline uint64_t object_address(const struct object *obj,
				      const uint8_t *p)
{
	return obj->is_64 ? object_xword(obj, p) : object_word(obj, p);
}

/* ADDR modulo the address space: 2^32 in a 32-bit file. */
static inline uint64_t object_wrap(const struct object *obj, uint64_t addr)
{
	return obj->is_64 ? addr : (uint32_t)addr;
}

/* The address that the self-relative word at P means. P is at ADDR. */
static inline uint64_t object_relative(const struct object *obj,
				       const uint8_t *p, uint64_t addr)
{
	return object_wrap(obj, addr + (int32_t)object_word(obj, p));
}

/*
 * If SYM is the symbol of a descriptor, makes it that of the code. Returns
 * whether it was.
 */
bool descriptor_resolve(const struct object *obj, struct symbol *sym);

/*
 * Reads symbol SYMNDX, which must be less than obj->nsymbols. It is inline,
 * since loops over all symbols use only two or three members.
 */
static inline void object_symbol(const struct object *obj, size_t symndx,
				 struct symbol *sym)
{
	uint32_t name, shndx;
	uint8_t info, other;

	if (obj->is_64) {
		const Elf64_Sym *s = (const Elf64_Sym *)obj->symbols + symndx;

		name = s->st_name;
		shndx = s->st_shndx;
		info = s->st_info;
		other = s->st_other;
		sym->value = s->st_value;
		sym->size = s->st_size;
	} else {
		const Elf32_Sym *s = (const Elf32_Sym *)obj->symbols + symndx;

		name = s->st_name;
		shndx = s->st_shndx;
		info = s->st_info;
		other = s->st_other;
		sym->value = s->st_value;
		sym->size = s->st_size;
	}
	sym->is_defined = shndx != SHN_UNDEF && shndx < SHN_LORESERVE;
	if (shndx == SHN_XINDEX && obj->xindex != NULL) {
		shndx = obj->xindex[symndx];
		sym->is_defined = true;
	}
	sym->shndx = shndx;
	sym->name = obj->strings + name;
	sym->bind = ELF64_ST_BIND(info);
	sym->type = ELF64_ST_TYPE(info);
	sym->visibility = ELF64_ST_VISIBILITY(other);
	sym->other = other;
	sym->mode = 0;
	if (sym->is_defined &&
	    (sym->type == STT_FUNC || sym->type == STT_GNU_IFUNC)) {
		sym->mode = sym->value & obj->mode_bits;
		sym->value -= sym->mode;
	}
	sym->descriptor = sym->value;
	sym->is_descriptor = obj->ndescriptors > 0 && sym->is_defined &&
			     descriptor_resolve(obj, sym);
}

/*
 * Fetches the name of symbol SYMNDX into the cache, if it has one. Names are
 * scattered over megabytes. A loop over all symbols fetches the name that is
 * NAMES_AHEAD symbols further on, and need not wait for each.
 */
#define NAMES_AHEAD 16

static inline void object_fetch_name(const struct object *obj, size_t symndx)
{
	uint32_t name;

	if (symndx >= obj->nsymbols)
		return;
	name = obj->is_64 ? ((const Elf64_Sym *)obj->symbols)[symndx].st_name
			  : ((const Elf32_Sym *)obj->symbols)[symndx].st_name;
	__builtin_prefetch(obj->strings + name);
}

/* The same for the symbol itself. */
static inline void object_fetch_symbol(const struct object *obj, size_t symndx)
{
	size_t size = obj->is_64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);

	__builtin_prefetch((const char *)obj->symbols + symndx * size);
}

/* OFFSET of section SHNDX, for a message. */
static inline struct place object_where(const struct object *obj,
					uint32_t shndx, uint64_t offset)
{
	return (struct place){ .file = obj->path,
			       .section = obj->sections[shndx].name,
			       .has_offset = true,
			       .offset = offset };
}

/* A key for sort_along that sorts by section, then by offset. */
static inline uint64_t object_place(const struct object *obj, uint32_t shndx,
				    uint64_t offset)
{
	const struct section *sec = &obj->sections[shndx];

	return sec->before + (offset < sec->size ? offset : sec->size);
}

static inline bool section_is_alloc(const struct section *sec)
{
	return sec->flags & SHF_ALLOC;
}

/* Is it a mapping symbol ($x, $d)? C allows $go as a name in gcc. */
static inline bool symbol_is_mark(const struct symbol *sym)
{
	return sym->bind == STB_LOCAL && sym->size == 0 && sym->name[0] == '$';
}

/* Is it a label that assemblers drop, unless told to keep it? */
static inline bool symbol_is_label(const struct symbol *sym)
{
	return sym->bind == STB_LOCAL && sym->name[0] == '.' &&
	       sym->name[1] == 'L';
}

static inline bool section_is_text(const struct section *sec)
{
	return (sec->flags & SHF_ALLOC) && (sec->flags & SHF_EXECINSTR) &&
	       sec->type != SHT_NOBITS;
}

/*
 * Have other objects a copy of section SHNDX, of which a linker keeps one? It
 * is so in COMDAT groups, and was before there were groups.
 */
bool object_section_has_copies(const struct object *obj, uint32_t shndx);

/* SHT_RELR, which some <elf.h> lack, and its earlier number. */
#define SECTION_RELR 19
#define SECTION_ANDROID_RELR 0x6fffff00
#define SECTION_ANDROID_REL 0x60000001
#define SECTION_ANDROID_RELA 0x60000002

static inline bool section_is_relr(const struct section *sec)
{
	return sec->type == SECTION_RELR || sec->type == SECTION_ANDROID_RELR;
}

/* The same of pointers that the loader signs. */
bool section_is_signed_relr(const struct object *obj,
			    const struct section *sec);

static inline bool section_is_relocs(const struct section *sec)
{
	return sec->type == SHT_REL || sec->type == SHT_RELA ||
	       sec->type == SECTION_CREL;
}

/*
 * Turns r_info of has_three_types into the gABI's order, and back: the symbol,
 * then the special symbol and the types, the first type last, as a type of 32
 * bits. In a little-endian file, read as one number, the symbol is the low
 * half. The other half has its bytes in reverse order.
 */
static inline uint64_t reloc_info_order(uint64_t info)
{
	return info << 32 | (info >> 56 & 0xff) | (info >> 40 & 0xff00) |
	       (info >> 24 & 0xff0000) | (info >> 8 & 0xff000000);
}

static inline uint64_t reloc_info_file(uint64_t info)
{
	return info >> 32 | (info & 0xff) << 56 | (info & 0xff00) << 40 |
	       (info & 0xff0000) << 24 | (info & 0xff000000) << 8;
}

/* Reads entry I, if the entries are not plain. */
void object_get_odd_reloc(const struct relocs *rs, size_t i, struct reloc *r);

static inline void reloc_get(const struct relocs *rs, size_t i, struct reloc *r)
{
	if (rs->is_plain)
		*r = ((const struct reloc *)rs->entries)[i];
	else
		object_get_odd_reloc(rs, i, r);
}

#endif
