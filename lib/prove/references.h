/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Part of verify: a branch between two sections of a partial shows where one of
 * them is if the place of the other is known. The linker has put the address
 * there, names or no names.
 */
#ifndef SDTLINK_REFERENCES_H
#define SDTLINK_REFERENCES_H

#include "proof.h"

/* A branch between section OWN of the partial and OTHER. */
struct reference {
	uint32_t own, other;
	bool is_call;	 /* from OWN to OTHER; else the other way */
	uint64_t field;	 /* of the branch, its offset in the one */
	uint64_t target; /* of what it leads to in the other one */
	uint8_t entry;	 /* it may lead so many bytes further: local_entry */
	uint8_t mode;	 /* of the branch */
};

/*
 * Drops the places of pending sections that such branches deny, and sets
 * is_referenced where branches confirm all places that are left. Sets
 * *HAS_CHANGED if it did anything. Returns -1 on trouble, diagnosed.
 */
int references_apply(struct proof *all, size_t n, bool *has_changed);

/*
 * Is R, in CODE of a partial, the relocation of a branch to SYM? Sets what REF
 * says of the branch itself.
 */
bool references_decode(const struct arch *arch, const struct code *code,
		       const struct section_relocs *relocs,
		       const struct reloc *r, const struct symbol *sym,
		       struct reference *ref);

/* Decodes the branch of REF, if the section that has it is at ADDR. */
bool references_in_image(const struct proof *p, const struct reference *ref,
			 uint64_t addr, struct branch *branch);

/* Does BRANCH lead to what may only lead on, as a veneer does? */
bool references_may_pass(const struct proof *p, const struct branch *branch);

#endif
