/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads ELF files as the gABI says, for mutants; shares no code with sdtlink.
 */
#include <config.h>

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mutants.h"

void die(const char *what)
{
	fprintf(stderr, "mutants: %s\n", what);
	exit(99);
}

static void read_bytes(const char *path, struct elf *elf)
{
	FILE *f = fopen(path, "rb");

	if (f == NULL || fseek(f, 0, SEEK_END) != 0)
		die(path);
	elf->size = ftell(f);
	elf->bytes = malloc(elf->size);
	rewind(f);
	if (elf->bytes == NULL || fread(elf->bytes, elf->size, 1, f) != 1)
		die(path);
	fclose(f);
}

uint64_t elf_get(const struct elf *elf, size_t at, unsigned width)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < width; i++)
		value = value << 8 |
			elf->bytes[at + (elf->is_big ? i : width - 1 - i)];
	return value;
}

/* The field MEMBER of the structure TYPE of either class at AT. */
#define FIELD(elf, type, at, member) \
	((elf)->is_64 ? elf_get(elf, (at) + offsetof(Elf64_##type, member), \
				sizeof(((Elf64_##type *)NULL)->member)) \
		      : elf_get(elf, (at) + offsetof(Elf32_##type, member), \
				sizeof(((Elf32_##type *)NULL)->member)))
#define SIZEOF(elf, type) \
	((elf)->is_64 ? sizeof(Elf64_##type) : sizeof(Elf32_##type))

static void read_sections(struct elf *elf)
{
	uint64_t shoff = FIELD(elf, Ehdr, 0, e_shoff);
	size_t strndx = FIELD(elf, Ehdr, 0, e_shstrndx);

	elf->nsections = FIELD(elf, Ehdr, 0, e_shnum);
	elf->sections = calloc(elf->nsections, sizeof(elf->sections[0]));
	for (size_t i = 0; i < elf->nsections; i++) {
		size_t at = shoff + i * SIZEOF(elf, Shdr);

		elf->sections[i] = (struct shdr){
			.type = FIELD(elf, Shdr, at, sh_type),
			.flags = FIELD(elf, Shdr, at, sh_flags),
			.addr = FIELD(elf, Shdr, at, sh_addr),
			.offset = FIELD(elf, Shdr, at, sh_offset),
			.size = FIELD(elf, Shdr, at, sh_size),
			.info = FIELD(elf, Shdr, at, sh_info),
			.at = at,
		};
	}
	for (size_t i = 0; i < elf->nsections; i++)
		elf->sections[i].name =
			(const char *)elf->bytes +
			elf->sections[strndx].offset +
			FIELD(elf, Shdr, elf->sections[i].at, sh_name);
}

static void read_symbols(struct elf *elf)
{
	const struct shdr *symtab = elf->sections;
	uint64_t names;

	while (symtab->type != SHT_SYMTAB)
		if (++symtab == elf->sections + elf->nsections)
			die("no symbols");
	names = elf->sections[FIELD(elf, Shdr, symtab->at, sh_link)].offset;
	elf->nsymbols = symtab->size / SIZEOF(elf, Sym);
	elf->symbols = calloc(elf->nsymbols, sizeof(elf->symbols[0]));
	for (size_t i = 0; i < elf->nsymbols; i++) {
		size_t at = symtab->offset + i * SIZEOF(elf, Sym);

		elf->symbols[i] = (struct symbol_row){
			.name = (const char *)elf->bytes + names +
				FIELD(elf, Sym, at, st_name),
			.value = FIELD(elf, Sym, at, st_value),
			.size = FIELD(elf, Sym, at, st_size),
			.type = FIELD(elf, Sym, at, st_info) & 15,
			.bind = FIELD(elf, Sym, at, st_info) >> 4,
			.shndx = FIELD(elf, Sym, at, st_shndx),
			.value_at = at +
				    (elf->is_64
					     ? offsetof(Elf64_Sym, st_value)
					     : offsetof(Elf32_Sym, st_value)),
		};
	}
}

void free_elf(struct elf *elf)
{
	free(elf->bytes);
	free(elf->sections);
	free(elf->symbols);
}

const struct symbol_row *find_symbol(const struct elf *elf, const char *name)
{
	const struct symbol_row *found = NULL;

	for (size_t i = 0; i < elf->nsymbols; i++) {
		const struct symbol_row *sym = &elf->symbols[i];

		if (sym->shndx != SHN_UNDEF && strcmp(sym->name, name) == 0)
			found = found == NULL ? sym : NULL;
	}
	return found;
}

/* Where in the file the byte at ADDR is, or 0. */
size_t file_offset(const struct elf *elf, uint64_t addr)
{
	for (size_t i = 1; i < elf->nsections; i++) {
		const struct shdr *sec = &elf->sections[i];

		if ((sec->flags & SHF_ALLOC) && sec->type != SHT_NOBITS &&
		    addr >= sec->addr && addr - sec->addr < sec->size)
			return sec->offset + (addr - sec->addr);
	}
	return 0;
}

static void get_relocation(const struct elf *elf, size_t at, bool has_addend,
			   struct relocation *r)
{
	uint64_t info = FIELD(elf, Rel, at, r_info);
	uint64_t symndx = elf->is_64 ? info >> 32 : info >> 8;

	r->type = elf->is_64 ? (uint32_t)info : info & 0xff;
	/* The index, and four bytes: a symbol of its own and three types. */
	if (elf->is_64 && elf->machine == EM_MIPS) {
		symndx = elf_get(elf, at + 8, 4);
		r->type = elf->bytes[at + 15];
	}
	r->offset = FIELD(elf, Rel, at, r_offset);
	r->addend = has_addend ? FIELD(elf, Rela, at, r_addend) : 0;
	r->symndx = symndx;
	r->symbol = elf->symbols[symndx].name;
}

/* The relocations of section SHNDX; returns how many. */
size_t relocations(const struct elf *elf, size_t shndx, struct relocation **out)
{
	size_t n = 0;

	*out = NULL;
	for (size_t i = 1; i < elf->nsections; i++) {
		const struct shdr *sec = &elf->sections[i];
		size_t step = sec->type == SHT_RELA ? SIZEOF(elf, Rela)
						    : SIZEOF(elf, Rel);

		if ((sec->type != SHT_RELA && sec->type != SHT_REL) ||
		    sec->info != shndx)
			continue;
		*out = realloc(*out, (n + sec->size / step) * sizeof(**out));
		for (size_t at = 0; at < sec->size; at += step) {
			get_relocation(elf, sec->offset + at,
				       sec->type == SHT_RELA, &(*out)[n++]);
		}
	}
	return n;
}

const struct shdr *find_section(const struct elf *elf, const char *name)
{
	for (size_t i = 1; i < elf->nsections; i++)
		if (strcmp(elf->sections[i].name, name) == 0)
			return &elf->sections[i];
	return NULL;
}

/* --- Function descriptors
 * ----------------------------------------------------------- */

/* The section of code at ADDR of an image, or 0. */
static size_t code_at(const struct elf *elf, uint64_t addr)
{
	for (size_t i = 1; i < elf->nsections; i++)
		if ((elf->sections[i].flags & SHF_EXECINSTR) &&
		    addr - elf->sections[i].addr < elf->sections[i].size)
			return i;
	return 0;
}

/* The first word of the descriptor of SYM is the address of the code. */
static void follow_word(struct elf *elf, struct symbol_row *sym)
{
	size_t at = file_offset(elf, sym->value);
	uint64_t code = at != 0 ? elf_get(elf, at, 8) : 0;

	if (code_at(elf, code) == 0)
		return;
	sym->descriptor_at = sym->value_at;
	sym->value_at = at;
	sym->value = code;
	sym->shndx = code_at(elf, code);
}

/* In an object a relocation (R_PPC64_ADDR64) will make it that. */
static void follow_relocation(struct elf *elf, struct symbol_row *sym,
			      const struct relocation *relocs, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (relocs[i].type == 38 && relocs[i].offset == sym->value) {
			const struct symbol_row *to =
				&elf->symbols[relocs[i].symndx];

			sym->descriptor_at = sym->value_at;
			sym->shndx = to->shndx;
			sym->value = to->value + relocs[i].addend;
			return;
		}
}

static void follow_descriptors(struct elf *elf)
{
	for (size_t i = 1; i < elf->nsections; i++) {
		struct relocation *relocs;
		size_t n;

		if (strcmp(elf->sections[i].name, ".opd") != 0)
			continue;
		n = relocations(elf, i, &relocs);
		for (size_t k = 0; k < elf->nsymbols; k++) {
			struct symbol_row *sym = &elf->symbols[k];

			if (sym->shndx != i || sym->type != STT_FUNC ||
			    sym->descriptor_at != 0)
				continue;
			if (elf->is_object)
				follow_relocation(elf, sym, relocs, n);
			else
				follow_word(elf, sym);
		}
		free(relocs);
	}
}

void read_elf(const char *path, struct elf *elf)
{
	read_bytes(path, elf);
	elf->is_64 = elf->bytes[EI_CLASS] == ELFCLASS64;
	elf->is_big = elf->bytes[EI_DATA] == ELFDATA2MSB;
	elf->is_object = FIELD(elf, Ehdr, 0, e_type) == ET_REL;
	elf->machine = FIELD(elf, Ehdr, 0, e_machine);
	elf->has_descriptors = elf->machine == EM_PPC64 && elf->is_big &&
			       (FIELD(elf, Ehdr, 0, e_flags) & 3) < 2;
	read_sections(elf);
	read_symbols(elf);
	if (elf->has_descriptors)
		follow_descriptors(elf);
}
