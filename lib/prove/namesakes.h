/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Part of verify: an index of the names of all partials, and of the addresses
 * that the image has for each. Thousands of functions may share a name, and
 * each of them asks for it. The index is built as it is asked. Without memory,
 * it says so in a diagnostic, and finds no name.
 */
#ifndef SDTLINK_NAMESAKES_H
#define SDTLINK_NAMESAKES_H

#include "proof.h"

struct namesake {
	uint32_t k; /* its partial */
	uint32_t symndx;
	const struct namesake *next; /* or NULL */
};

/* Functions of the image that named.c does not know: symbols, or 0. */
struct name_strangers {
	uint32_t any;	 /* the first */
	uint32_t common; /* the first whose binding is not STB_GLOBAL */
	bool is_known;
};

int namesakes_open(struct verify_run *run);
void namesakes_free(struct namesakes *namesakes);

/* The symbols NAME of all partials, in the order of these; or NULL. */
const struct namesake *namesakes_of(const struct proof *p, const char *name);

/* Room for what named.c finds out about NAME; NULL: no partial has it. */
struct name_strangers *namesakes_strangers(const struct proof *p,
					   const char *name);

/* How many of these are defined? */
size_t namesakes_count(const struct proof *p, const char *name);

/* Is a weak one defined in another partial than P? */
bool namesakes_weak(const struct proof *p, const char *name);

/* Do several partials define a global one? Linkers do that if told to. */
bool namesakes_strong(const struct proof *p, const char *name);

/*
 * Are weak ones in COMDAT groups of different signatures, or one in none? Of
 * such groups linkers keep each.
 */
bool namesakes_in_other_group(const struct proof *p, const char *name);

/* How many symbols NAME, with a size, has the image at ADDR? */
size_t namesakes_at(const struct proof *p, const char *name, uint64_t addr);
/* Has it any, with or without a size? */
bool namesakes_any_at(const struct proof *p, const char *name, uint64_t addr);

/*
 * The names of the functions of section SHNDX of the partial, or of those that
 * the image has from ADDR to END, as one number: the same for the same names.
 */
uint64_t namesakes_sum(const struct proof *p, uint32_t shndx);
uint64_t namesakes_sum_at(const struct proof *p, uint64_t addr, uint64_t end);

#endif
