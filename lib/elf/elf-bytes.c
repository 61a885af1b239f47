/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <string.h>

#include "elf-bytes.h"

static void put(struct elf_bytes *w, uint64_t value, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		w->at[i] = value >> 8 * (w->is_big_endian ? n - 1 - i : i);
	w->at += n;
}

void elf_bytes_word(struct elf_bytes *w, uint64_t value)
{
	put(w, value, w->is_64 ? 8 : 4);
}

void elf_bytes_header(struct elf_bytes *w, const GElf_Ehdr *eh)
{
	memcpy(w->at, ELFMAG, SELFMAG);
	memset(w->at + SELFMAG, 0, EI_NIDENT - SELFMAG);
	w->at[EI_CLASS] = w->is_64 ? ELFCLASS64 : ELFCLASS32;
	w->at[EI_DATA] = w->is_big_endian ? ELFDATA2MSB : ELFDATA2LSB;
	w->at[EI_VERSION] = EV_CURRENT;
	w->at += EI_NIDENT;
	put(w, eh->e_type, 2);
	put(w, eh->e_machine, 2);
	put(w, EV_CURRENT, 4);
	elf_bytes_word(w, eh->e_entry);
	elf_bytes_word(w, eh->e_phoff);
	elf_bytes_word(w, eh->e_shoff);
	put(w, eh->e_flags, 4);
	put(w, w->is_64 ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr), 2);
	put(w, w->is_64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr), 2);
	put(w, eh->e_phnum, 2);
	put(w, w->is_64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr), 2);
	put(w, eh->e_shnum, 2);
	put(w, eh->e_shstrndx, 2);
}

void elf_bytes_segment(struct elf_bytes *w, const GElf_Phdr *ph)
{
	put(w, ph->p_type, 4);
	if (w->is_64)
		put(w, ph->p_flags, 4);
	elf_bytes_word(w, ph->p_offset);
	elf_bytes_word(w, ph->p_vaddr);
	elf_bytes_word(w, ph->p_paddr);
	elf_bytes_word(w, ph->p_filesz);
	elf_bytes_word(w, ph->p_memsz);
	if (!w->is_64)
		put(w, ph->p_flags, 4);
	elf_bytes_word(w, ph->p_align);
}

void elf_bytes_section(struct elf_bytes *w, const GElf_Shdr *sh)
{
	put(w, sh->sh_name, 4);
	put(w, sh->sh_type, 4);
	elf_bytes_word(w, sh->sh_flags);
	elf_bytes_word(w, sh->sh_addr);
	elf_bytes_word(w, sh->sh_offset);
	elf_bytes_word(w, sh->sh_size);
	put(w, sh->sh_link, 4);
	put(w, sh->sh_info, 4);
	elf_bytes_word(w, sh->sh_addralign);
	elf_bytes_word(w, sh->sh_entsize);
}

void elf_bytes_symbol(struct elf_bytes *w, const GElf_Sym *sym)
{
	put(w, sym->st_name, 4);
	if (!w->is_64) {
		elf_bytes_word(w, sym->st_value);
		elf_bytes_word(w, sym->st_size);
	}
	put(w, sym->st_info, 1);
	put(w, sym->st_other, 1);
	put(w, sym->st_shndx, 2);
	if (w->is_64) {
		elf_bytes_word(w, sym->st_value);
		elf_bytes_word(w, sym->st_size);
	}
}
