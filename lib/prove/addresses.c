/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Part of verify: computes the addresses that the sites of a section have at
 * one of its places, and checks whether the sites are right there.
 */
#include <config.h>

#include "proof.h"

int addresses_set_placed(struct proof *p, struct pending *s,
			 struct placement *pl)
{
	if (p->partial->sections[p->list.items[s->first].shndx].relaxes)
		return relaxed_follow(p, s->first, s->end, &s->relocs, pl);
	for (size_t i = s->first; i < s->end; i++) {
		p->list.items[i].is_placed = true;
		p->list.items[i].addr = image_wrap(
			&p->run->img, pl->addr + p->list.items[i].offset);
	}
	return 0;
}

int addresses_set(struct proof *p, struct pending *s, uint64_t addr)
{
	struct placement pl = { .state = PLACEMENT_PLACED, .addr = addr };

	return addresses_set_placed(p, s, &pl);
}

void addresses_unset(struct proof *p, const struct pending *s)
{
	for (size_t i = s->first; i < s->end; i++) {
		p->list.items[i].is_placed = false;
		p->list.items[i].addr = 0;
	}
}

/*
 * One site says nothing of the next: the objects that a partial was made of may
 * have been injected one by one, some of them with --nop.
 */
static bool is_right_site(const struct proof *p, const struct proof_site *site)
{
	return branch_is_right(p, site) || decode_is_disabled(p, site);
}

/* Does each site branch to its stub there, or is it disabled? */
bool addresses_are_right(const struct proof *p, const struct pending *s)
{
	for (size_t i = s->first; i < s->end; i++)
		if (!is_right_site(p, &p->list.items[i]))
			return false;
	return true;
}

bool addresses_are_right_at(struct proof *p, struct pending *s, uint64_t addr)
{
	bool is_right = addresses_set(p, s, addr) == 0 &&
			addresses_are_right(p, s);

	addresses_unset(p, s);
	return is_right;
}
