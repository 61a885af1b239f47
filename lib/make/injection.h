/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Between the files of inject_plan. */
#ifndef SDTLINK_INJECTION_H
#define SDTLINK_INJECTION_H

#include "elf/descriptors.h"
#include "emit.h"
#include "inject.h"
#include "layout.h"

/* Descriptors are aligned to 8: an entry's low bits say what sort it is. */
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

/* Lets RELOC refer to a new local symbol at OFFSET of section SHNDX. */
int inject_add_local(struct injection *in, const char *name, uint8_t type,
		     uint32_t shndx, uint64_t offset, struct new_reloc *reloc);

/* Lets RELOC, of addend 0 or flags, be against OFFSET of section SHNDX. */
int inject_anchor(struct injection *in, uint32_t shndx, uint64_t offset,
		  struct new_reloc *reloc);

/*
 * The flags, of FLAGS that a section has by itself, of one that goes where
 * section TEXT goes: into its group, and out of the final link if that leaves
 * it out.
 */
uint64_t inject_flags_like(const struct injection *in, uint32_t text,
			   uint64_t flags);

/* FNV-1a: what the stub of NAME holds, and what --nop notes of it. */
uint32_t inject_hash(const char *name);

/* inject-before.c: what --nop takes, for the proof. */

struct taken_reloc {
	size_t site;
	struct reloc reloc;
};

/* Keeps N relocations, of sites of section TEXT. */
int inject_keep(struct injection *in, uint32_t text,
		const struct taken_reloc *taken, size_t n);

/* inject-frames.c */

int inject_add_frames(struct injection *in);

/* inject-linkonce.c */

/*
 * If sites of SET are in sections .gnu.linkonce.t.*, EDIT gets an object of its
 * own, in which these are in COMDAT groups, and NEW_SET its sites.
 */
int inject_group_linkonce(struct diag *d, const struct object *obj,
			  const struct options *options,
			  const struct site_set *set, struct edit *edit,
			  struct site_set *new_set);

/* inject-notes.c: what other tracers read of the sites (--notes). */

int inject_add_notes(struct injection *in);

/* inject-probes.c */

int inject_add_probe(struct injection *in, size_t i);

#endif
