/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Part of verify: an index of the names of all partials, and of where those of
 * one name are. A name may be that of thousands of functions, and is asked for
 * by each of them. The parts of it are made when they are asked for; without
 * memory, that is diagnosed, and no name is found.
 */
#ifndef SDTLINK_NAMESAKES_H
#define SDTLINK_NAMESAKES_H

#include "proof.h"

struct namesake {
	uint32_t k; /* its partial */
	uint32_t symndx;
	const struct namesake *next; /* or NULL */
};

int namesakes_open(struct verify_run *run);
void namesakes_free(struct namesakes *namesakes);

/* The symbols called NAME of all partials, in their order; or NULL. */
const struct namesake *namesakes_of(const struct proof *p, const char *name);

/* How many of them are defined? */
size_t namesakes_count(const struct proof *p, const char *name);

/* Is a weak one defined in another partial than P? */
bool namesakes_weak(const struct proof *p, const char *name);

/* How many symbols of the image called NAME are at ADDR, and have a size? */
size_t namesakes_at(const struct proof *p, const char *name, uint64_t addr);
/* Is there any, whether or not it has one? */
bool namesakes_any_at(const struct proof *p, const char *name, uint64_t addr);

#endif
