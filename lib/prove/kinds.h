/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Part of verify: sections of one kind agree in everything that decides where
 * they can be. So the search looks for each kind once.
 */
#ifndef SDTLINK_KINDS_H
#define SDTLINK_KINDS_H

#include "proof.h"

struct kind {
	uint64_t hash;
	const struct proof *p; /* of its first section */
	struct pending own;    /* sites and relocations of that section */
	struct placement pl;   /* the places that names allow; owned */
	bool is_placed;	       /* PL is set */
	struct wanted *models; /* the models of its groups; owned */
	size_t nmodels;
};

/*
 * The kind of the section of S, which does not relax. A section with a site
 * that no symbol covers is a kind of its own, since nothing may lead to that
 * site. NULL on trouble, diagnosed.
 */
struct kind *kinds_find(struct proof *p, const struct pending *s);

/*
 * Joins the pending sections of a kind to groups, and sets the model of each
 * section. With an anchored table, sections share all places if they are of one
 * kind and the same is known about their partials. Returns -1 on trouble,
 * diagnosed.
 */
int kinds_join(struct proof *all, size_t n);

/* Sets run->kinds. Returns -1 on trouble, diagnosed. */
int kinds_open(struct verify_run *run);

void kinds_free(struct kinds *kinds);

/* Have S and T the same sites, by the bytes of the section and its symbols? */
bool kinds_same_sites(const struct proof *p, const struct pending *s,
		      const struct proof *q, const struct pending *t);

/* Have S and T the same bytes and relocations? */
bool kinds_same_text(const struct proof *p, const struct pending *s,
		     const struct proof *q, const struct pending *t);

#endif
