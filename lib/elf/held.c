/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <gelf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "held.h"

/* Relocations may be large, and contain no strings. */
static bool may_have_strings(const GElf_Shdr *sh)
{
	return !(sh->sh_flags & SHF_ALLOC) && sh->sh_type != SHT_NOBITS &&
	       sh->sh_type != SHT_REL && sh->sh_type != SHT_RELA &&
	       sh->sh_type != SHT_SYMTAB;
}

int held_list(Elf *elf, struct held *held)
{
	Elf_Scn *scn = NULL;

	*held = (struct held){ 0 };
	while (elf != NULL && (scn = elf_nextscn(elf, scn)) != NULL) {
		struct held_section *grown;
		Elf_Data *data;
		GElf_Shdr sh;

		if (gelf_getshdr(scn, &sh) == NULL || !may_have_strings(&sh))
			continue;
		data = elf_getdata(scn, NULL);
		if (data == NULL || data->d_buf == NULL)
			continue;
		grown = grow_list(held->sections, held->n, sizeof(*grown));
		if (grown == NULL)
			return -1;
		held->sections = grown;
		grown[held->n++] =
			(struct held_section){ data->d_buf, data->d_size };
	}
	return 0;
}

void held_free(struct held *held)
{
	free(held->sections);
	*held = (struct held){ 0 };
}

const char *held_string(const struct held *held, const char *string)
{
	for (size_t i = 0; string != NULL && i < held->n; i++) {
		const struct held_section *sec = &held->sections[i];
		uintptr_t at = (uintptr_t)string - (uintptr_t)sec->start;

		if (at < sec->size)
			return memchr(string, '\0', sec->size - at) != NULL
				       ? string
				       : NULL;
	}
	return string;
}
