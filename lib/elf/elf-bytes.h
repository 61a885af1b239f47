/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes ELF headers into memory, one after the other, for files in another
 * format that are to be read as if they were ELF. Shapes: gABI, chapters 4 and
 * 5.
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

/* Writes VALUE in the size of an address or an offset. */
void elf_bytes_word(struct elf_bytes *w, uint64_t value);

/* Takes the identification from W, and the sizes of headers from its class. */
void elf_bytes_header(struct elf_bytes *w, const GElf_Ehdr *eh);
void elf_bytes_segment(struct elf_bytes *w, const GElf_Phdr *ph);
void elf_bytes_section(struct elf_bytes *w, const GElf_Shdr *sh);
void elf_bytes_symbol(struct elf_bytes *w, const GElf_Sym *sym);

#endif
