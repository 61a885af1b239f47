/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Part of verify: sections of the partials that are alike in all that tells
 * where they can be. Each kind of them is looked for once.
 */
#ifndef SDTLINK_KINDS_H
#define SDTLINK_KINDS_H

#include "proof.h"

struct kind {
	uint64_t hash;
	const struct proof *p; /* of the first of them */
	struct pending own;    /* the first: its sites, relocations */
	struct placement pl;   /* as far as names tell; owned */
	bool is_placed;	       /* PL is set */
	struct wanted *models; /* owned; of the groups of it */
	size_t nmodels;
};

/*
 * The kind of the section of S, which does not relax. NULL on trouble,
 * diagnosed. One with a site that no symbol covers is a kind of its own: what
 * leads there need not lead to another.
 */
struct kind *kinds_find(struct proof *p, const struct pending *s);

/*
 * Where an anchored table tells the rest, those of a kind have the same places
 * if what is known of their partials is the same: sets the model of each
 * pending section, that of the group that it is in. Returns -1 on trouble,
 * diagnosed.
 */
int kinds_join(struct proof *all, size_t n);

/* Sets run->kinds. Returns -1 on trouble, diagnosed. */
int kinds_open(struct verify_run *run);

void kinds_free(struct kinds *kinds);

/* The same sites, as far as the bytes of the section and symbols tell? */
bool kinds_same_sites(const struct proof *p, const struct pending *s,
		      const struct proof *q, const struct pending *t);

/* The same bytes but for what the same relocations set? */
bool kinds_same_text(const struct proof *p, const struct pending *s,
		     const struct proof *q, const struct pending *t);

#endif
