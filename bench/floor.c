/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * floor FILE - the least that any tool must do: map an x86-64 partial and look
 * once at each relocation of its loaded sections and at each symbol: a use of
 * a probe function may be in data, too, and has to be told.
 *
 * floor FILE OUT - what a table with functions cannot do without, besides: look
 * at each name, at the code of each site of __fentry__, and at all text, which
 * may lead to dead code without a relocation; and write OUT, as large as the
 * table as C.
 *
 * Nothing is checked and nothing is kept.  What sdtlink takes beyond this is
 * what its checks, its sorting and its accounting cost.
 */
#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

struct file {
	const char *bytes;
	const Elf64_Shdr *shdrs;
	uint64_t nsections;
};

static uint64_t nrelocs, nsymbols, sum;

/* Only relocations against symbol SYMNDX, if it is not 0. */
static void read_relocs(const struct file *f, uint64_t symndx)
{
	for (uint64_t i = 0; i < f->nsections; i++) {
		const Elf64_Shdr *sh = &f->shdrs[i], *target;
		const Elf64_Rela *r = (const void *)(f->bytes + sh->sh_offset);

		target = &f->shdrs[sh->sh_info];
		if (sh->sh_type != SHT_RELA || !(target->sh_flags & SHF_ALLOC))
			continue;
		for (size_t j = 0; j < sh->sh_size / sizeof(*r); j++)
			if (symndx == 0)
				sum += r[j].r_offset ^ r[j].r_info;
			else if (ELF64_R_SYM(r[j].r_info) == symndx)
				sum += f->bytes[target->sh_offset +
						r[j].r_offset];
		nrelocs += symndx == 0 ? sh->sh_size / sizeof(*r) : 0;
	}
}

static const Elf64_Shdr *find_symtab(const struct file *f)
{
	for (uint64_t i = 0; i < f->nsections; i++)
		if (f->shdrs[i].sh_type == SHT_SYMTAB)
			return &f->shdrs[i];
	return NULL;
}

static void read_symbols(const struct file *f, const Elf64_Shdr *symtab)
{
	const Elf64_Sym *syms = (const void *)(f->bytes + symtab->sh_offset);

	nsymbols = symtab->sh_size / sizeof(*syms);
	for (size_t i = 0; i < nsymbols; i++)
		sum += syms[i].st_value ^ syms[i].st_name;
}

static uint64_t find_probe(const struct file *f, const Elf64_Shdr *symtab)
{
	const Elf64_Sym *syms = (const void *)(f->bytes + symtab->sh_offset);
	const char *names = f->bytes + f->shdrs[symtab->sh_link].sh_offset;
	uint64_t found = 0;

	for (size_t i = 0; i < nsymbols; i++)
		if (strcmp(names + syms[i].st_name, "__fentry__") == 0)
			found = i;
	return found;
}

static void read_text(const struct file *f)
{
	for (uint64_t i = 0; i < f->nsections; i++) {
		const Elf64_Shdr *sh = &f->shdrs[i];

		if (sh->sh_type == SHT_PROGBITS && sh->sh_flags & SHF_EXECINSTR)
			for (size_t j = 0; j < sh->sh_size; j++)
				sum += (uint8_t)f->bytes[sh->sh_offset + j];
	}
}

/* The names twice: once in the table, and once beside each site. */
static int write_names(const struct file *f, const Elf64_Shdr *symtab,
		       const char *path)
{
	const Elf64_Shdr *names = &f->shdrs[symtab->sh_link];
	FILE *out = fopen(path, "w");

	if (out == NULL)
		return 2;
	for (int i = 0; i < 2; i++)
		fwrite(f->bytes + names->sh_offset, 1, names->sh_size, out);
	return fclose(out) ? 2 : 0;
}

int main(int argc, char **argv)
{
	struct stat st;
	int fd = argc >= 2 ? open(argv[1], O_RDONLY) : -1, ret = 0;
	const Elf64_Shdr *symtab;
	const Elf64_Ehdr *ehdr;
	struct file f;

	if (fd < 0 || fstat(fd, &st))
		return 2;
	f.bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (f.bytes == MAP_FAILED)
		return 2;
	ehdr = (const void *)f.bytes;
	f.shdrs = (const void *)(f.bytes + ehdr->e_shoff);
	f.nsections = ehdr->e_shnum ? ehdr->e_shnum : f.shdrs[0].sh_size;
	symtab = find_symtab(&f);
	if (symtab == NULL)
		return 2;
	read_relocs(&f, 0);
	read_symbols(&f, symtab);
	if (argc > 2) {
		read_relocs(&f, find_probe(&f, symtab));
		read_text(&f);
		ret = write_names(&f, symtab, argv[2]);
	}
	printf("%ju relocations, %ju symbols, sum %#jx\n", (uintmax_t)nrelocs,
	       (uintmax_t)nsymbols, (uintmax_t)sum);
	return ret;
}
