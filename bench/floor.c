/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * floor FILE - the least that any tool must do: map an x86-64 partial and look
 * once at each relocation of its loaded sections and at each symbol: a use of
 * a probe function may be in data, too, and has to be told.
 *
 * Nothing is checked and nothing is kept.  What sdtlink takes beyond this is
 * what its checks and its output cost.
 */
#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>

int main(int argc, char **argv)
{
	struct stat st;
	int fd = argc == 2 ? open(argv[1], O_RDONLY) : -1;
	uint64_t nrelocs = 0, nsymbols = 0, sum = 0;

	if (fd < 0 || fstat(fd, &st))
		return 2;

	const char *bytes =
	    mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);

	if (bytes == MAP_FAILED)
		return 2;

	const Elf64_Ehdr *ehdr = (const void *)bytes;
	const Elf64_Shdr *shdrs = (const void *)(bytes + ehdr->e_shoff);

	uint64_t nsections = ehdr->e_shnum ? ehdr->e_shnum : shdrs[0].sh_size;

	for (uint64_t i = 0; i < nsections; i++) {
		const void *p = bytes + shdrs[i].sh_offset;
		const Elf64_Rela *relas = p;
		const Elf64_Sym *syms = p;

		if (shdrs[i].sh_type == SHT_RELA &&
		    shdrs[shdrs[i].sh_info].sh_flags & SHF_ALLOC) {
			size_t n = shdrs[i].sh_size / sizeof(*relas);

			nrelocs += n;
			for (size_t j = 0; j < n; j++)
				sum += relas[j].r_offset ^ relas[j].r_info;
		} else if (shdrs[i].sh_type == SHT_SYMTAB) {
			size_t n = shdrs[i].sh_size / sizeof(*syms);

			nsymbols += n;
			for (size_t j = 0; j < n; j++)
				sum += syms[j].st_value ^ syms[j].st_name;
		}
	}
	printf("%ju relocations, %ju symbols, sum %#jx\n", (uintmax_t)nrelocs,
	       (uintmax_t)nsymbols, (uintmax_t)sum);
	return 0;
}
