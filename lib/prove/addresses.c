/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Part of verify: the addresses of a section's sites, if it is at a place, and
 * whether they are right there.
 */
#include <config.h>

#include "proof.h"

int set_places(struct proof *p, struct pending *s, struct placement *pl)
{
	if (p->partial->sections[p->list.items[s->first].shndx].relaxes)
		return follow_relaxed(p, s->first, s->end, &s->relocs, pl);
	for (size_t i = s->first; i < s->end; i++) {
		p->list.items[i].is_placed = true;
		p->list.items[i].addr = image_wrap(
			&p->run->img, pl->addr + p->list.items[i].offset);
	}
	return 0;
}

int set_addresses(struct proof *p, struct pending *s, uint64_t addr)
{
	struct placement pl = { .state = PLACEMENT_PLACED, .addr = addr };

	return set_places(p, s, &pl);
}

void unset_addresses(struct proof *p, const struct pending *s)
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
static bool is_right_site(const struct proof *p, const struct witness *w)
{
	return is_right_branch(p, w) || is_disabled(p, w);
}

/* Does each site branch to its stub there, or is it disabled? */
bool has_right_sites(const struct proof *p, size_t first, size_t end)
{
	for (size_t i = first; i < end; i++)
		if (!is_right_site(p, &p->list.items[i]))
			return false;
	return true;
}
