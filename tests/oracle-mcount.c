/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * oracle-mcount SYMBOL FILE... - what a kernel module itself says about its
 * calls of SYMBOL.
 *
 * The kernel's build leaves a table of these calls in every module, the section
 * __mcount_loc: one address a call, written by the compiler, by objtool or by
 * recordmcount.  Nobody here had a hand in it, so it can judge sdtlink.  This
 * program shares no code with sdtlink, nor libelf.  It prints, for each FILE,
 *
 *	file NAME
 *	entry SECTION SHNDX OFFSET
 *	ref SECTION SHNDX OFFSET TYPE BYTE LIFE
 *
 * An entry is one entry of the table: where it points to, or "-" 0 where to
 * nothing in this file.  A ref is one
 * relocation against SYMBOL outside debug information, the byte with the opcode
 * (the last of a word on little-endian Power, else that before it), and
 * "live" if a symbol covers the place, "dead" if it lies in a hole: raw facts,
 * from which the caller explains a difference.  Where a weak function was
 * overridden, its symbol is gone but its body stays, in the table as well.
 */
#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define TABLE "__mcount_loc"

struct file {
	const char *name;
	const unsigned char *bytes;
	uint64_t size;
	int is64;
	int is_big;
	unsigned machine;
	const unsigned char *shdrs;
	unsigned nshdrs;
	const char *shstrtab;
};

struct section {
	unsigned idx;
	const char *name;
	uint64_t type, flags, offset, size, link, info;
};

struct symbol {
	const char *name;
	unsigned shndx;
	uint64_t value, size;
};

static void fail(const struct file *file, const char *what)
{
	fprintf(stderr, "oracle-mcount: %s: %s\n", file->name, what);
	exit(2);
}

/* The number of SIZE bytes at P in the byte order of FILE. */
static uint64_t number(const struct file *file, const void *p, unsigned size)
{
	const unsigned char *bytes = p;
	uint64_t value = 0;

	if (bytes < file->bytes || bytes + size > file->bytes + file->size)
		fail(file, "truncated");
	for (unsigned i = 0; i < size; i++)
		value = value << 8 | bytes[file->is_big ? i : size - 1 - i];
	return value;
}

#define FIELD(file, p, kind, field)                                            \
	((file)->is64 ? number((file), (p) + offsetof(Elf64_##kind, field),    \
			       sizeof(((Elf64_##kind *)0)->field))             \
		      : number((file), (p) + offsetof(Elf32_##kind, field),    \
			       sizeof(((Elf32_##kind *)0)->field)))
#define SIZEOF(file, kind)                                                     \
	((file)->is64 ? sizeof(Elf64_##kind) : sizeof(Elf32_##kind))

static struct section section(const struct file *file, uint64_t idx)
{
	const unsigned char *p = file->shdrs + idx * SIZEOF(file, Shdr);

	if (idx >= file->nshdrs)
		fail(file, "no such section");
	return (struct section){
	    .idx = (unsigned)idx,
	    .name = file->shstrtab + FIELD(file, p, Shdr, sh_name),
	    .type = FIELD(file, p, Shdr, sh_type),
	    .flags = FIELD(file, p, Shdr, sh_flags),
	    .offset = FIELD(file, p, Shdr, sh_offset),
	    .size = FIELD(file, p, Shdr, sh_size),
	    .link = FIELD(file, p, Shdr, sh_link),
	    .info = FIELD(file, p, Shdr, sh_info),
	};
}

static struct symbol symbol(const struct file *file,
			    const struct section *symtab, uint64_t idx)
{
	const unsigned char *p =
	    file->bytes + symtab->offset + idx * SIZEOF(file, Sym);

	return (struct symbol){
	    .name = (const char *)file->bytes +
		    section(file, symtab->link).offset +
		    FIELD(file, p, Sym, st_name),
	    .shndx = (unsigned)FIELD(file, p, Sym, st_shndx),
	    .value = FIELD(file, p, Sym, st_value),
	    .size = FIELD(file, p, Sym, st_size),
	};
}

/* SHT_REL keeps the addend at the place itself. */
static void print_entry(const struct file *file, const struct section *target,
			struct symbol sym, const unsigned char *rel,
			int is_rela)
{
	uint64_t addend = is_rela ? FIELD(file, rel, Rela, r_addend)
				  : number(file,
					   file->bytes + target->offset +
					       FIELD(file, rel, Rel, r_offset),
					   file->is64 ? 8 : 4);
	uint64_t offset = sym.value + addend;

	if (!file->is64)
		offset &= UINT32_MAX;
	printf("entry %s %u %#" PRIx64 "\n",
	       sym.shndx == SHN_UNDEF ? "-" : section(file, sym.shndx).name,
	       sym.shndx, offset);
}

/* One byte for each byte of TARGET: whether a symbol covers it. */
static char *cover(const struct file *file, const struct section *symtab,
		   const struct section *target)
{
	char *covered = calloc(target->size + 1, 1);

	if (!covered)
		fail(file, "out of memory");
	for (uint64_t i = 0; i < symtab->size / SIZEOF(file, Sym); i++) {
		struct symbol sym = symbol(file, symtab, i);

		if (sym.shndx == target->idx && sym.value <= target->size &&
		    sym.size <= target->size - sym.value)
			memset(covered + sym.value, 1, sym.size);
	}
	return covered;
}

static void print_ref(const struct file *file, const struct section *target,
		      uint64_t offset, uint64_t type, const char *covered)
{
	const unsigned char *p = file->bytes + target->offset + offset;
	int at = file->machine == EM_PPC64 || file->machine == EM_ARM ? 3 : -1;

	printf("ref %s %u %#" PRIx64 " %" PRIu64 " ", target->name, target->idx,
	       offset, type);
	if (at > 0 || offset > 0)
		printf("%02x", (unsigned)number(file, p + at, 1));
	else
		putchar('-');
	puts(offset < target->size && covered[offset] ? " live" : " dead");
}

static void scan_relocs(const struct file *file, const struct section *relocs,
			const char *name)
{
	int is_rela = relocs->type == SHT_RELA;
	size_t size = is_rela ? SIZEOF(file, Rela) : SIZEOF(file, Rel);
	struct section symtab = section(file, relocs->link);
	struct section target = section(file, relocs->info);
	int is_table = strcmp(target.name, TABLE) == 0;

	if (!(target.flags & SHF_ALLOC))
		return;

	char *covered = cover(file, &symtab, &target);

	for (uint64_t at = 0; at < relocs->size; at += size) {
		const unsigned char *p = file->bytes + relocs->offset + at;
		uint64_t info = FIELD(file, p, Rel, r_info);
		uint64_t symndx = file->is64 ? info >> 32 : info >> 8;
		uint64_t type = file->is64 ? info & UINT32_MAX : info & 255;

		/* The first word, in either byte order, and then bytes. */
		if (file->machine == EM_MIPS && file->is64) {
			symndx = number(file, p + 8, 4);
			type = number(file, p + 15, 1);
		}

		struct symbol sym = symbol(file, &symtab, symndx);

		if (is_table)
			print_entry(file, &target, sym, p, is_rela);
		else if (strcmp(sym.name, name) == 0)
			print_ref(file, &target, FIELD(file, p, Rel, r_offset),
				  type, covered);
	}
	free(covered);
}

static void open_file(struct file *file, const char *name)
{
	struct stat st;
	int fd = open(name, O_RDONLY);

	*file = (struct file){.name = name};
	if (fd < 0 || fstat(fd, &st) || st.st_size < (off_t)sizeof(Elf64_Ehdr))
		fail(file, "cannot read");
	file->bytes =
	    mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (file->bytes == MAP_FAILED || memcmp(file->bytes, ELFMAG, SELFMAG))
		fail(file, "not an ELF file");
	close(fd);
	file->size = (uint64_t)st.st_size;
	file->is64 = file->bytes[EI_CLASS] == ELFCLASS64;
	file->is_big = file->bytes[EI_DATA] == ELFDATA2MSB;
	file->machine = (unsigned)FIELD(file, file->bytes, Ehdr, e_machine);
	file->shdrs = file->bytes + FIELD(file, file->bytes, Ehdr, e_shoff);
	file->nshdrs = (unsigned)FIELD(file, file->bytes, Ehdr, e_shnum);
	file->shstrtab = (const char *)file->bytes;
	file->shstrtab +=
	    section(file, FIELD(file, file->bytes, Ehdr, e_shstrndx)).offset;
}

int main(int argc, char **argv)
{
	for (int i = 2; i < argc; i++) {
		struct file file;

		open_file(&file, argv[i]);
		printf("file %s\n", argv[i]);
		for (unsigned idx = 0; idx < file.nshdrs; idx++) {
			struct section sec = section(&file, idx);

			if (sec.type == SHT_REL || sec.type == SHT_RELA)
				scan_relocs(&file, &sec, argv[1]);
		}
		munmap((void *)(uintptr_t)file.bytes, file.size);
	}
	return 0;
}
