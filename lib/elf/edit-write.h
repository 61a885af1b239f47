/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Between the files that write an edited object. */
#ifndef SDTLINK_EDIT_WRITE_H
#define SDTLINK_EDIT_WRITE_H

#include "arch/arch.h"
#include "edit.h"
#include "base/grow.h"

/* The gABI's and LLVM's numbers, newer than some <elf.h>. */
#define LLVM_ADDRSIG 0x6fff4c03
#define LLVM_CALL_GRAPH_PROFILE 0x6fff4c09

struct writer {
	struct diag *d;
	struct edit *edit;
	const struct object *obj;
	const char *path; /* of the output, for messages */
	Elf *elf;
	int error;	    /* of libelf, if it is not the last one */
	uint64_t end;	    /* of the file, so far */
	uint32_t first_new; /* first new section index */
	uint32_t strtab, shstrtab;
	/* Names to append, and how long the tables were. */
	char *strings, *section_names;
	size_t strings_size, section_names_size;
	uint64_t old_strings, old_section_names;
	uint32_t nlocals_old; /* symbols below this index are local */
	void **data_buffers;  /* likewise, one per new relocation section */
	size_t ndata_buffers;
	/* New sections, by their groups; and section index -> index there. */
	uint32_t *members, *first_member;
};

/* edit-share.c */

int edit_elf_error(struct writer *w, const char *what);
/* Memory that must live until the file is written; freed by writer_free. */
void *edit_keep(struct writer *w, size_t size);
uint64_t edit_align_up(uint64_t value, uint64_t align);

/* edit-sections.c */

int edit_set_data(struct writer *w, Elf_Scn *scn, GElf_Shdr *sh, void *bytes,
		  size_t size, Elf_Type type);
/* Without memory, libelf 0.188 makes a section that has no header. */
Elf_Scn *edit_new_scn(struct writer *w);
/* Gives SCN the bytes BYTES, at the end of the file. */
int edit_place_at_end(struct writer *w, Elf_Scn *scn, GElf_Shdr *sh,
		      void *bytes, size_t size, Elf_Type type);
int edit_copy_sections(struct writer *w);
/* Where NAME will be in a table of OLD bytes that grows by *MORE. */
int64_t edit_append_name(char **more, size_t *size, uint64_t old,
			 const char *name);
int64_t edit_section_name(struct writer *w, const char *name);
/* Into DATA, behind the FIRST ones. */
int edit_fill_relocs(struct writer *w, const struct new_section *sec,
		     Elf_Data *data, size_t first);
int edit_add_sections(struct writer *w);
int edit_extend_sections(struct writer *w);
int edit_extend_groups(struct writer *w);

/* edit-crel.c */

/*
 * Encodes the SHT_CREL section I anew, if its relocations differ: *CHANGED is
 * the first of the edit's that may be in it, and then that of the next section.
 */
int edit_rewrite_crel(struct writer *w, uint32_t i, size_t *changed);

/* edit-symbols.c */

int edit_write_symbols(struct writer *w);
/* A string table and what is appended to it, at the end of the file. */
int edit_write_strings(struct writer *w, uint32_t shndx, char *more,
		       size_t size);
/* Everything in the file that names a symbol by its index. */
int edit_rewrite_references(struct writer *w);

#endif
