/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files that write an edited object share. */
#ifndef SDTLINK_EDIT_WRITE_H
#define SDTLINK_EDIT_WRITE_H

#include "arch/arch.h"
#include "edit.h"
#include "base/grow.h"

/* Numbers of the gABI and of LLVM that some <elf.h> lack. */
#define LLVM_ADDRSIG 0x6fff4c03
#define LLVM_CALL_GRAPH_PROFILE 0x6fff4c09

struct writer {
	struct diag *d;
	struct edit *edit;
	const struct object *obj;
	const char *path; /* path of the output, for messages */
	Elf *elf;
	int error;	    /* of libelf, if it is not the last one */
	uint64_t end;	    /* of the file, so far */
	uint32_t first_new; /* first new section index */
	uint32_t strtab, shstrtab;
	/* Names to append, and the old sizes of the tables. */
	char *strings, *section_names;
	size_t strings_size, section_names_size;
	uint64_t old_strings, old_section_names;
	uint32_t nlocals_old; /* symbols below this index are local */
	void **data_buffers;  /* likewise, one per new relocation section */
	size_t ndata_buffers;
	/* New sections by group, and the first one for each section index. */
	uint32_t *members, *first_member;
};

/* edit-share.c */

int edit_elf_error(struct writer *w, const char *what);
/* Memory that must live until the file is written. writer_free frees it. */
void *edit_keep(struct writer *w, size_t size);
uint64_t edit_align_up(uint64_t value, uint64_t align);

/* edit-sections.c */

int edit_set_data(struct writer *w, Elf_Scn *scn, GElf_Shdr *sh, void *bytes,
		  size_t size, Elf_Type type);
/* If memory runs out, libelf 0.188 makes a section without a header. */
Elf_Scn *edit_new_scn(struct writer *w);
/* Gives SCN the bytes BYTES, at the end of the file. */
int edit_place_at_end(struct writer *w, Elf_Scn *scn, GElf_Shdr *sh,
		      void *bytes, size_t size, Elf_Type type);
int edit_copy_sections(struct writer *w);
/* The offset of NAME in a table of OLD bytes that grows by *MORE. */
int64_t edit_append_name(char **more, size_t *size, uint64_t old,
			 const char *name);
int64_t edit_section_name(struct writer *w, const char *name);
/* Writes the relocations behind the FIRST ones into DATA. */
int edit_fill_relocs(struct writer *w, const struct new_section *sec,
		     Elf_Data *data, size_t first);
int edit_add_sections(struct writer *w);
int edit_extend_sections(struct writer *w);
int edit_extend_groups(struct writer *w);

/* edit-crel.c */

/*
 * Encodes section I, which is SHT_CREL, anew if its relocations differ.
 * *CHANGED is the first change of the edit that may be in this section. On
 * return it is the first one of the next section.
 */
int edit_rewrite_crel(struct writer *w, uint32_t i, size_t *changed);

/* edit-symbols.c */

int edit_write_symbols(struct writer *w);
/* Writes a string table with its new end at the end of the file. */
int edit_write_strings(struct writer *w, uint32_t shndx, char *more,
		       size_t size);
/* Updates everything in the file that refers to a symbol by index. */
int edit_rewrite_references(struct writer *w);

#endif
