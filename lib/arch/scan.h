/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How the generator finds sites: from a relocation, not from bytes. The
 * files of instruction sets fill it in, and only lib/sites/ calls it: not the
 * proof, which must find what this misses.
 */
#ifndef SDTLINK_ARCH_SCAN_H
#define SDTLINK_ARCH_SCAN_H

#include "arch.h"

/* The instruction to which a relocation belongs. */
struct site_shape {
	enum site_form form;
	unsigned back;	  /* bytes from the start of the insn to the field */
	unsigned length;  /* of the insn, in bytes */
	uint8_t mode;	  /* only of ISAs with modes */
	bool is_doubtful; /* see is_foreign */
};

/* Why a relocation is no site. */
struct refusal {
	const char *what;   /* the shape, such as "call through the GOT" */
	const char *remedy; /* what to change, usually a compiler option */
	unsigned back;	    /* bytes of the insn before the field */
	unsigned length;    /* of the bytes worth showing, with those */
};

struct arch_scan {
	/*
	 * Is relocation R, in the SIZE bytes at TEXT, the target of a direct
	 * branch to its symbol? The instruction decides. The relocation type
	 * only says that it may be one. R is inside TEXT, and SHAPE is all 0.
	 */
	bool (*find_site)(const struct arch *arch, const uint8_t *text,
			  size_t size, const struct reloc *r,
			  struct site_shape *shape);

	/*
	 * Is a doubtful site in code for another mode than that of the file, so
	 * that its bytes mean something else? Its branch is at OFFSET of CODE,
	 * in a function that begins at START. NULL if no site is doubtful.
	 */
	bool (*is_foreign)(const struct code *code, uint64_t start,
			   uint64_t offset);

	/*
	 * Says what R is instead, for a message. REFUSAL is what
	 * scan_explain_refusal says of most relocations. Its length may be more
	 * than TEXT has.
	 */
	void (*explain_refusal)(const struct arch *arch, const uint8_t *text,
				size_t size, const struct reloc *r,
				struct refusal *refusal);
};

#define SCAN_REMEDY \
	"call the probe function directly; its address must not be taken"

/*
 * Why R, inside the SIZE bytes at TEXT, is no site: the field is not in a
 * direct branch, unless the machine knows better.
 */
struct refusal scan_explain_refusal(const struct arch *arch,
				    const uint8_t *text, size_t size,
				    const struct reloc *r);

#endif
