/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * scale SECTIONS SITES MIB OUT - write an x86-64 partial with so many text
 * sections, so many sites in each, and so many MiB that no tool need look at,
 * which take no room on the disk.
 *
 * A function has 16 bytes: call PROBE; ret. Functions are local, but for the
 * first of each section. The probes, of which there are eight, take turns.
 */
#include <elf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PROBES = 8, FUNCTION = 16 };

/* Sections in front of those of text. */
enum {
	SEC_NULL,
	SEC_SYMTAB,
	SEC_XINDEX,
	SEC_STRTAB,
	SEC_NAMES,
	SEC_BULK,
	SEC_TEXT
};

static FILE *out;
static uint64_t place;
static size_t nsections, nsites;

static void put(const void *bytes, size_t size)
{
	if (fwrite(bytes, 1, size, out) != size) {
		perror("scale");
		exit(2);
	}
	place += size;
}

static Elf64_Shdr begin(uint32_t name, uint32_t type, uint64_t entsize)
{
	Elf64_Shdr sh = { .sh_name = name,
			  .sh_type = type,
			  .sh_addralign = 16,
			  .sh_entsize = entsize };

	while (place % 16 != 0)
		put("", 1);
	sh.sh_offset = place;
	return sh;
}

static void end(Elf64_Shdr *sh)
{
	sh->sh_size = place - sh->sh_offset;
}

static size_t number(const char *text)
{
	return strtoul(text, NULL, 0);
}

static void put_text(Elf64_Shdr *sh)
{
	static const uint8_t function[FUNCTION] = { 0xe8, 0,	0,    0,
						    0,	  0xc3, 0x90, 0x90,
						    0x90, 0x90, 0x90, 0x90,
						    0x90, 0x90, 0x90, 0x90 };

	*sh = begin(1, SHT_PROGBITS, 0);
	sh->sh_flags = SHF_ALLOC | SHF_EXECINSTR;
	for (size_t i = 0; i < nsites; i++)
		put(function, sizeof(function));
	end(sh);
}

/* The symbols: null, local functions, then one of each section, probes. */
static size_t nlocals(void)
{
	return 1 + nsections * (nsites - 1);
}

static void put_relocs(Elf64_Shdr *sh, size_t section)
{
	*sh = begin(7, SHT_RELA, sizeof(Elf64_Rela));
	sh->sh_flags = SHF_INFO_LINK;
	sh->sh_link = SEC_SYMTAB;
	sh->sh_info = SEC_TEXT + 2 * section;
	for (size_t i = 0; i < nsites; i++) {
		uint64_t symbol = nlocals() + nsections + i % PROBES;
		Elf64_Rela rela = { FUNCTION * i + 1,
				    ELF64_R_INFO(symbol, R_X86_64_PLT32), -4 };

		put(&rela, sizeof(rela));
	}
	end(sh);
}

/* Names: of the probes, then of all functions, "f0000000". */
#define PROBE_NAME 32
static uint32_t function_name(size_t i)
{
	return 1 + PROBES * PROBE_NAME + 9 * i;
}

static void put_symbol(size_t section, size_t site, unsigned bind)
{
	uint32_t shndx = SEC_TEXT + 2 * section;
	Elf64_Sym sym = { .st_name = function_name(section * nsites + site),
			  .st_info = ELF64_ST_INFO(bind, STT_FUNC),
			  .st_shndx = shndx < SHN_LORESERVE ? shndx
							    : SHN_XINDEX,
			  .st_value = FUNCTION * site,
			  .st_size = 6 };

	put(&sym, sizeof(sym));
}

static void put_symbols(Elf64_Shdr *sh)
{
	Elf64_Sym none = { 0 };

	*sh = begin(18, SHT_SYMTAB, sizeof(Elf64_Sym));
	sh->sh_link = SEC_STRTAB;
	sh->sh_info = nlocals();
	put(&none, sizeof(none));
	for (size_t i = 0; i < nsections; i++)
		for (size_t k = 1; k < nsites; k++)
			put_symbol(i, k, STB_LOCAL);
	for (size_t i = 0; i < nsections; i++)
		put_symbol(i, 0, STB_GLOBAL);
	for (size_t i = 0; i < PROBES; i++) {
		Elf64_Sym sym = { .st_name = 1 + PROBE_NAME * i,
				  .st_info = ELF64_ST_INFO(STB_GLOBAL,
							   STT_NOTYPE) };

		put(&sym, sizeof(sym));
	}
	end(sh);
}

static void put_index(size_t section)
{
	uint32_t shndx = SEC_TEXT + 2 * section;

	shndx = shndx < SHN_LORESERVE ? 0 : shndx;
	put(&shndx, sizeof(shndx));
}

static void put_indices(Elf64_Shdr *sh)
{
	uint32_t none = 0;

	*sh = begin(26, SHT_SYMTAB_SHNDX, 4);
	sh->sh_link = SEC_SYMTAB;
	put(&none, sizeof(none));
	for (size_t i = 0; i < nsections; i++)
		for (size_t k = 1; k < nsites; k++)
			put_index(i);
	for (size_t i = 0; i < nsections; i++)
		put_index(i);
	for (size_t i = 0; i < PROBES; i++)
		put(&none, sizeof(none));
	end(sh);
}

static void put_strings(Elf64_Shdr *sh)
{
	char name[PROBE_NAME];

	*sh = begin(40, SHT_STRTAB, 0);
	put("", 1);
	for (size_t i = 0; i < PROBES; i++) {
		memset(name, 0, sizeof(name));
		snprintf(name, sizeof(name), "__dtrace_sdt_scale___p%zu", i);
		put(name, sizeof(name));
	}
	for (size_t i = 0; i < nsections * nsites; i++) {
		snprintf(name, sizeof(name), "f%07zu", i % 10000000);
		put(name, 9);
	}
	end(sh);
}

static void put_names(Elf64_Shdr *sh)
{
	static const char names[] = "\0.text\0.rela.text\0.symtab\0"
				    ".symtab_shndx\0.strtab\0.shstrtab\0.bulk";

	*sh = begin(48, SHT_STRTAB, 0);
	put(names, sizeof(names));
	end(sh);
}

int main(int argc, char **argv)
{
	static const Elf64_Ehdr none;
	Elf64_Ehdr ehdr = {
		.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, 1 },
		.e_type = ET_REL,
		.e_machine = EM_X86_64,
		.e_version = 1,
		.e_ehsize = sizeof(ehdr),
		.e_shentsize = sizeof(Elf64_Shdr),
	};
	Elf64_Shdr *sh;
	size_t n;

	if (argc != 5 || (out = fopen(argv[4], "w")) == NULL) {
		fprintf(stderr, "usage: scale SECTIONS SITES MIB OUT\n");
		return 2;
	}
	nsections = number(argv[1]);
	nsites = number(argv[2]);
	n = SEC_TEXT + 2 * nsections;
	sh = calloc(n, sizeof(*sh));
	if (sh == NULL || nsections == 0 || nsites == 0)
		return 2;
	put(&none, sizeof(none));
	for (size_t i = 0; i < nsections; i++) {
		put_text(&sh[SEC_TEXT + 2 * i]);
		put_relocs(&sh[SEC_TEXT + 2 * i + 1], i);
	}
	put_symbols(&sh[SEC_SYMTAB]);
	put_indices(&sh[SEC_XINDEX]);
	put_strings(&sh[SEC_STRTAB]);
	put_names(&sh[SEC_NAMES]);
	sh[SEC_BULK] = begin(58, SHT_PROGBITS, 0);
	place += number(argv[3]) << 20;
	end(&sh[SEC_BULK]);
	fseeko(out, place, SEEK_SET);
	ehdr.e_shoff = place;
	ehdr.e_shnum = n < SHN_LORESERVE ? n : 0;
	ehdr.e_shstrndx = SEC_NAMES;
	sh[SEC_NULL].sh_size = n < SHN_LORESERVE ? 0 : n;
	put(sh, n * sizeof(*sh));
	rewind(out);
	put(&ehdr, sizeof(ehdr));
	free(sh);
	if (fclose(out) != 0) {
		perror("scale");
		return 2;
	}
	return 0;
}
