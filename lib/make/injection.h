/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Between the files of inject_plan. */
#ifndef SDTLINK_INJECTION_H
#define SDTLINK_INJECTION_H

#include "elf/descriptors.h"
#include "emit.h"
#include "inject.h"
#include "layout.h"

/*
 * Descriptors are aligned to 8. The low bits of an entry say what kind of site
 * it is.
 */
#define DESCRIPTOR_ALIGN 8

struct injection {
	struct diag *d;
	const struct object *obj;
	const struct options *options;
	const struct site_set *set;
	struct edit *edit;
	struct symbol_ref *section_symbols; /* by section */
	uint32_t *stubs;	   /* probe index -> new section, or 0 */
	uint32_t *descriptors;	   /* probe index -> new global, or NO_EDIT */
	uint32_t *probe_symbols;   /* probe index -> symbol index in obj */
	struct new_reloc *anchors; /* by site: what leads to it */
	bool *needs_stub;	   /* by probe: a site still branches to it */
	uint8_t *modes;		   /* by probe: of its stub */
	struct symbol_ref *codes;  /* by probe: what means its code */
	struct symbol_ref jumps;   /* the start of the current table's */
	uint32_t stub_align;	   /* of the sections of stubs */
	uint32_t opd;		   /* the section of function descriptors */
	bool is_module;		   /* no linker takes it any more */
};

static inline int inject_nomem(const struct injection *in)
{
	return diag_nomem(in->d, in->obj->path);
}

/* inject-anchor.c */

/* Is there a symbol of section SHNDX? */
bool inject_has_symbol(const struct injection *in, uint32_t shndx);

/* Makes RELOC refer to a new local symbol at OFFSET of section SHNDX. */
int inject_add_local(struct injection *in, const char *name, uint8_t type,
		     uint32_t shndx, uint64_t offset, struct new_reloc *reloc);

/*
 * Makes RELOC refer to OFFSET of section SHNDX. Its addend must be 0 or flags.
 */
int inject_anchor(struct injection *in, uint32_t shndx, uint64_t offset,
		  struct new_reloc *reloc);

/*
 * FLAGS, and those that tie a section to section TEXT: it joins TEXT's group,
 * and stays out of the final link if TEXT does.
 */
uint64_t inject_flags_like(const struct injection *in, uint32_t text,
			   uint64_t flags);

/* inject-records.c: what --nop changes, for the proof. */

struct taken_reloc {
	size_t site;
	struct reloc reloc;
};

/* Keeps N relocations of sites in section TEXT. */
int inject_keep(struct injection *in, uint32_t text,
		const struct taken_reloc *taken, size_t n);

/* inject-frames.c */

int inject_add_frames(struct injection *in);

/* inject-linkonce.c */

/*
 * If sites of SET are in sections .gnu.linkonce.t.*, EDIT gets an object of its
 * own in which they are in COMDAT groups. NEW_SET gets the sites of that.
 */
int inject_group_linkonce(struct diag *d, const struct object *obj,
			  const struct options *options,
			  const struct site_set *set, struct edit *edit,
			  struct site_set *new_set);

/* inject-notes.c: what other tracers read about the sites (--notes). */

int inject_add_notes(struct injection *in);

/* inject-probes.c */

/* FNV-1a: the number in the stub of NAME, and in the records of --nop. */
uint32_t inject_hash(const char *name);

int inject_add_probe(struct injection *in, size_t i);

#endif
