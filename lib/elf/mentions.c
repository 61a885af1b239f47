/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <errno.h>
#include <gelf.h>
#include <string.h>

#include "mentions.h"

static bool has_word(const void *bytes, size_t size, const char *const *words)
{
	for (; *words != NULL; words++)
		if (memmem(bytes, size, *words, strlen(*words)) != NULL)
			return true;
	return false;
}

static bool is_bitcode(const unsigned char *bytes, size_t size)
{
	return size >= 4 && (memcmp(bytes, "BC\xc0\xde", 4) == 0 ||
			     memcmp(bytes, "\xde\xc0\x17\x0b", 4) == 0);
}

static bool has_symbol(Elf *elf, Elf_Scn *scn, const GElf_Shdr *sh,
		       bool (*is_wanted)(void *ctx, const char *name),
		       void *ctx)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	const char *name;
	GElf_Sym sym;

	if (data == NULL)
		return false;
	for (int i = 1; gelf_getsym(data, i, &sym) != NULL; i++) {
		if (GELF_ST_BIND(sym.st_info) == STB_LOCAL)
			continue;
		name = elf_strptr(elf, sh->sh_link, sym.st_name);
		if (name != NULL && is_wanted(ctx, name))
			return true;
	}
	return false;
}

static enum mentions look_at(Elf *elf, void *bytes, size_t size,
			     bool (*is_wanted)(void *ctx, const char *name),
			     void *ctx, const char *const *words)
{
	bool is_bytecode = false;
	Elf_Scn *scn = NULL;
	size_t strings;
	GElf_Ehdr ehdr;
	GElf_Shdr sh;

	if (elf_kind(elf) != ELF_K_ELF || gelf_getehdr(elf, &ehdr) == NULL ||
	    ehdr.e_type != ET_REL || elf_getshdrstrndx(elf, &strings) != 0)
		return MENTIONS_NONE;
	while ((scn = elf_nextscn(elf, scn)) != NULL) {
		const char *name;

		if (gelf_getshdr(scn, &sh) == NULL)
			continue;
		name = elf_strptr(elf, strings, sh.sh_name);
		is_bytecode |=
			name != NULL &&
			strncmp(name, LTO_SECTIONS, strlen(LTO_SECTIONS)) == 0;
		if ((name != NULL && is_wanted(ctx, name)) ||
		    (sh.sh_type == SHT_SYMTAB &&
		     has_symbol(elf, scn, &sh, is_wanted, ctx)))
			return MENTIONS_NAME;
	}
	return is_bytecode && has_word(bytes, size, words) ? MENTIONS_BYTECODE
							   : MENTIONS_NONE;
}

enum mentions object_mentions(void *bytes, size_t size,
			      bool (*is_wanted)(void *ctx, const char *name),
			      void *ctx, const char *const *words)
{
	enum mentions ret;
	Elf *elf;

	if (is_bitcode(bytes, size))
		return has_word(bytes, size, words) ? MENTIONS_BYTECODE
						    : MENTIONS_NONE;
	if (size < EI_NIDENT || memcmp(bytes, ELFMAG, SELFMAG) != 0 ||
	    elf_version(EV_CURRENT) == EV_NONE)
		return MENTIONS_NONE;
	/*
	 * A file that cannot be read has no probes. But if memory ran out, it
	 * may have.
	 */
	errno = 0;
	elf = elf_memory(bytes, size);
	ret = elf != NULL ? look_at(elf, bytes, size, is_wanted, ctx, words)
			  : MENTIONS_NONE;
	memory_note(errno);
	elf_end(elf);
	return ret;
}
