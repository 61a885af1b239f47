/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Headers of ELF written into memory, one after the other, for files that are
 * not ELF and are to be read as if they were. Shapes: gABI, chapters 4 and 5.
 */
#ifndef SDTLINK_ELF_BYTES_H
#define SDTLINK_ELF_BYTES_H

#include <gelf.h>
#include <stdbool.h>
#include <stdint.h>

struct elf_bytes {
	uint8_t *at; /* moves on with each */
	bool is_64;
	bool is_big_endian;
};

/* As many bytes as an address or an offset has. */
void elf_bytes_word(struct elf_bytes *w, uint64_t value);

/* EH's identification is W's; its sizes of headers are those of the class. */
void elf_bytes_header(struct elf_bytes *w, const GElf_Ehdr *eh);
void elf_bytes_segment(struct elf_bytes *w, const GElf_Phdr *ph);
void elf_bytes_section(struct elf_bytes *w, const GElf_Shdr *sh);
void elf_bytes_symbol(struct elf_bytes *w, const GElf_Sym *sym);

#endif
