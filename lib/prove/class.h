/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Part of verify: a class is a set of sections that no symbol places, and that
 * are alike: they fit the same places, and may change these, and all that is
 * proved stays the same.
 */
#ifndef SDTLINK_CLASS_H
#define SDTLINK_CLASS_H

#include "proof.h"

/* A place that sections of a class fit. */
struct class_place {
	uint64_t addr, end; /* of MODEL there */
	size_t nentries;    /* entries of the table for the first site there */
	size_t nnames;	    /* names of MODEL that the image has there */
	size_t nothers;	    /* sections that were there before */
	size_t nclaims;	    /* sections that got this place */
	size_t nrivals;	    /* see class_count_rivals() */
	bool is_disabled;   /* a site there is off */
	bool is_told;	  /* branches, or records of --nop, confirm all sites */
	bool is_cut_into; /* a section got a place that overlaps this one */
	bool is_kept;	  /* see keep_apart() */
};

/* A section that is not settled, the model of its group. */
struct open_section {
	uint64_t fit; /* the first of its places */
	struct proof *p;
	struct pending *s;
};

struct class
{
	struct proof *p; /* the proof of MODEL, which is one of them */
	struct pending *model;
	struct class_place *places; /* owned; one for each place of MODEL */
	size_t n;		    /* sections */
	bool is_disabled;	    /* a site is off at any of the places */
	/* Sections that may be members; and all that are not settled. */
	const struct open_section *first, *end, *list, *list_end;
};

/*
 * Forms the class of MODEL, an item of LIST: N sections by their first places,
 * ascending. If there is one way to give all members places that do not
 * overlap, the other places are dropped. Returns -1 on trouble, diagnosed.
 * Call class_free() in any case.
 */
int class_form(struct class *c, const struct open_section *list, size_t n,
	       const struct open_section *model);

void class_free(struct class *c);

/* Is S of P a member? */
bool class_has(const struct class *c, const struct proof *p,
	       const struct pending *s);

/*
 * Are S and T equal, so that the image has the same sites, whichever of them is
 * at a place that both fit? Their other halves, if any, must be alike, too.
 */
bool class_may_change(const struct proof *p, const struct pending *s,
		      const struct proof *q, const struct pending *t);

/* Have A and B a place in common? */
bool class_fits_any(const struct placement *a, const struct placement *b);

/* Describes ADDR as a place of the class. Returns -1 on trouble, diagnosed. */
int class_describe(struct class *c, struct class_place *place, uint64_t addr);

/* Can S be at several places, while only the place of its other half is known?
 */
bool class_is_apart(const struct proof *p, const struct pending *s);

/*
 * Could a section outside the class be at one of its places? With OTHER_SITES,
 * one with other sites.
 */
bool class_has_rival(const struct class *c, bool other_sites);

/* Counts the sections outside the class that fit each of its places. */
void class_count_rivals(struct class *c);

/*
 * Are the sites confirmed at as many places as there are members? And are the
 * other places, by bytes and names, those of functions without sites?
 */
bool class_others_are_siteless(const struct class *c);

/*
 * Could a function without sites be at a place where sites are not confirmed?
 */
bool class_may_be_siteless(const struct class *c);

/*
 * Are the members and all sections that may change places with them, though
 * they do not all fit the same ones, as many as their places? And are the sites
 * confirmed at each? Then the image has the same sites, whichever of them is
 * where. Returns 1, 0, or -1 on trouble. In circle.c.
 */
int circle_fills(struct class *c);

/*
 * Gives each member a place, and settles it. Returns -1 on trouble, diagnosed.
 * In choose.c.
 */
int choose_places(struct class *c);

#endif
