/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A writer of small ELF files. See small-program.h. */
#include <config.h>

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "small-program.h"

#define SECTIONS_MAX 16
#define SYMBOLS_MAX 64
#define NAMES_MAX 2048
#define FILE_MAX (64 << 10)
#define PAGE 4096

struct writer {
	Elf64_Ehdr head;
	Elf64_Shdr sections[SECTIONS_MAX];
	Elf64_Sym symbols[SYMBOLS_MAX];
	unsigned nsections, nsymbols, nlocals;
	char names[NAMES_MAX]; /* of sections and symbols */
	size_t names_size, size;
	uint8_t bytes[FILE_MAX];
};

struct writer *writer_new(unsigned type)
{
	struct writer *w = calloc(1, sizeof(*w));

	if (w == NULL)
		abort();
	memcpy(w->head.e_ident, ELFMAG, SELFMAG);
	w->head.e_ident[EI_CLASS] = ELFCLASS64;
	w->head.e_ident[EI_DATA] = ELFDATA2LSB;
	w->head.e_ident[EI_VERSION] = EV_CURRENT;
	w->head.e_type = type;
	w->head.e_machine = EM_X86_64;
	w->head.e_version = EV_CURRENT;
	w->head.e_ehsize = sizeof(w->head);
	w->head.e_shentsize = sizeof(Elf64_Shdr);
	w->nsections = w->nsymbols = w->names_size = w->nlocals = 1;
	/* Behind the program headers. */
	w->size = sizeof(w->head) + SECTIONS_MAX * sizeof(Elf64_Phdr);
	return w;
}

static uint32_t add_name(struct writer *w, const char *name)
{
	uint32_t at = w->names_size;

	w->names_size += strlen(name) + 1;
	if (w->names_size > NAMES_MAX)
		abort();
	strcpy(w->names + at, name);
	return at;
}

unsigned writer_add(struct writer *w, const char *name, unsigned type,
		    uint64_t flags, uint64_t addr, const void *bytes,
		    size_t size, unsigned link, unsigned info)
{
	Elf64_Shdr *sh = &w->sections[w->nsections];

	if (w->nsections == SECTIONS_MAX)
		abort();
	/* What is loaded has the same place in its page. */
	w->size = (w->size + 15) / 16 * 16;
	if (addr != 0)
		w->size = (w->size + PAGE - 1) / PAGE * PAGE;
	if (size > FILE_MAX - w->size)
		abort();
	*sh = (Elf64_Shdr){ .sh_name = add_name(w, name),
			    .sh_type = type,
			    .sh_flags = flags,
			    .sh_addr = addr,
			    .sh_offset = w->size,
			    .sh_size = size,
			    .sh_link = link,
			    .sh_info = info,
			    .sh_addralign = 16 };
	if (type == SHT_RELA)
		sh->sh_entsize = sizeof(Elf64_Rela);
	if (type == SHT_SYMTAB)
		sh->sh_entsize = sizeof(Elf64_Sym);
	if (size > 0)
		memcpy(w->bytes + w->size, bytes, size);
	w->size += size;
	return w->nsections++;
}

unsigned writer_symbol(struct writer *w, const char *name, unsigned bind,
		       unsigned type, unsigned shndx, uint64_t value,
		       uint64_t size)
{
	if (w->nsymbols == SYMBOLS_MAX)
		abort();
	w->symbols[w->nsymbols] =
		(Elf64_Sym){ .st_name = add_name(w, name),
			     .st_info = ELF64_ST_INFO(bind, type),
			     .st_shndx = shndx,
			     .st_value = value,
			     .st_size = size };
	if (bind == STB_LOCAL)
		w->nlocals = w->nsymbols + 1;
	return w->nsymbols++;
}

/* A segment for each section that is loaded. */
static void add_segments(struct writer *w)
{
	Elf64_Phdr *ph = (Elf64_Phdr *)(w->bytes + sizeof(w->head));

	for (unsigned i = 1; i < w->nsections; i++) {
		const Elf64_Shdr *sh = &w->sections[i];

		if (sh->sh_addr == 0)
			continue;
		ph[w->head.e_phnum++] = (Elf64_Phdr){
			.p_type = PT_LOAD,
			.p_flags = PF_R |
				   (sh->sh_flags & SHF_EXECINSTR ? PF_X : 0),
			.p_offset = sh->sh_offset,
			.p_vaddr = sh->sh_addr,
			.p_paddr = sh->sh_addr,
			.p_filesz = sh->sh_size,
			.p_memsz = sh->sh_size,
			.p_align = PAGE,
		};
	}
	if (w->head.e_phnum > 0) {
		w->head.e_phoff = sizeof(w->head);
		w->head.e_phentsize = sizeof(*ph);
	}
}

uint8_t *writer_end(struct writer *w, size_t *size)
{
	uint8_t *bytes;

	writer_add(w, ".symtab", SHT_SYMTAB, 0, 0, w->symbols,
		   w->nsymbols * sizeof(w->symbols[0]), w->nsections + 1,
		   w->nlocals);
	w->head.e_shstrndx = w->nsections;
	add_name(w, ".strtab");
	writer_add(w, ".strtab", SHT_STRTAB, 0, 0, w->names,
		   w->names_size + sizeof(".strtab"), 0, 0);
	add_segments(w);
	w->size = (w->size + 15) / 16 * 16;
	w->head.e_shoff = w->size;
	w->head.e_shnum = w->nsections;
	*size = w->size + w->nsections * sizeof(w->sections[0]);
	if (*size > FILE_MAX)
		abort();
	memcpy(w->bytes, &w->head, sizeof(w->head));
	memcpy(w->bytes + w->size, w->sections, *size - w->size);
	bytes = malloc(*size);
	if (bytes == NULL)
		abort();
	memcpy(bytes, w->bytes, *size);
	free(w);
	return bytes;
}
