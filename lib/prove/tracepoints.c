/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Part of verify: the final must have the tracepoint record of each patchpoint
 * of the partials. A record of another object does not count.
 */
#include <config.h>

#include <stdlib.h>

#include "base/sort.h"
#include "proof.h"
#include "sites/tracepoint.h"

/* Addresses in the final. */
struct recorded {
	uint64_t patchpoint;
	uint64_t target;
};

static int compare_recorded(const void *a, const void *b)
{
	const struct recorded *x = a, *y = b;

	return sort_pairs(x->patchpoint, x->target, y->patchpoint, y->target);
}

static uint64_t address_of(const struct object *obj, const struct spot *spot)
{
	return obj->sections[spot->shndx].addr + spot->offset;
}

static int list_recorded(const struct proof *p, struct recorded **list,
			 size_t *n)
{
	const struct object *final = p->run->img.obj;
	struct tracepoint_set set = { 0 };
	int ret = -1;

	if (tracepoint_present(final) &&
	    tracepoint_read(p->run->d, final, &p->run->img, &set))
		goto done;
	*n = set.n;
	*list = malloc((set.n + 1) * sizeof(**list));
	if (*list == NULL) {
		diag_nomem(p->run->d, final->path);
		goto done;
	}
	for (size_t i = 0; i < set.n; i++)
		(*list)[i] = (struct recorded){
			address_of(final, &set.items[i].patchpoint),
			address_of(final, &set.items[i].target)
		};
	qsort(*list, *n, sizeof(**list), compare_recorded);
	ret = 0;
done:
	tracepoint_set_free(&set);
	return ret;
}

static bool is_recorded(const struct proof *p, const struct proof_site *site,
			const struct recorded *list, size_t n)
{
	const struct proof_site *target = proof_site_target(&p->list, site);
	struct recorded key = { site->addr, target->addr };

	return site->is_placed && target->is_placed &&
	       bsearch(&key, list, n, sizeof(key), compare_recorded) != NULL;
}

int tracepoints_count(struct proof *all, size_t n)
{
	struct verification *v = all[0].run->v;
	struct recorded *list = NULL;
	size_t nlist = 0;
	int ret = 0;

	for (size_t k = 0; k < n; k++)
		v->ntracepoints += all[k].list.ntracepoints;
	if (v->ntracepoints > 0)
		ret = list_recorded(&all[0], &list, &nlist);
	for (size_t k = 0; ret == 0 && k < n; k++)
		for (size_t i = 0; i < all[k].list.n; i++) {
			const struct proof_site *site = &all[k].list.items[i];

			v->nrecorded += site->is_tracepoint &&
					is_recorded(&all[k], site, list, nlist);
		}
	free(list);
	return ret;
}
