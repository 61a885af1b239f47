/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the placed sections that left the order of the inputs: as few as
 * possible, so that all others are in order. Also finds the linker's rule by
 * which each of them left, as far as names and sections of the image show it.
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "engine.h"

struct mover {
	struct engine *e;
	const struct drift_section *sections;
	size_t n;
	size_t *ends;	/* by length: the section that ends a sequence
			 * lowest; owned */
	size_t *before; /* by section: the one before it that stays; owned */
};

/* --- Who moved --------------------------------------------------------- */

static void mark_moved(struct mover *m)
{
	struct drift *drift = m->e->drift;
	size_t length = 0, at;

	for (size_t i = 0; i < m->n; i++) {
		size_t k;

		if (m->sections[i].fate != FATE_PLACED)
			continue;
		LOWER_BOUND(k, length,
			    m->sections[m->ends[k]].addr < m->sections[i].addr);
		m->before[i] = k > 0 ? m->ends[k - 1] : NO_SECTION;
		m->ends[k] = i;
		length += k == length;
		drift->sections[i].move = MOVE_OTHER;
	}
	at = length > 0 ? m->ends[length - 1] : NO_SECTION;
	for (; at != NO_SECTION; at = m->before[at])
		drift->sections[at].move = MOVE_NONE;
}

static bool has_moved(const struct mover *m, size_t i)
{
	return m->sections[i].fate == FATE_PLACED &&
	       m->sections[i].move != MOVE_NONE;
}

/* --- Why --------------------------------------------------------------- */

/* The image's section that section I is in. */
static uint32_t output_of(const struct mover *m, size_t i)
{
	const struct field *field = fields_find(m->e, m->sections[i].addr, 1);

	return field != NULL ? field->is->shndx : 0;
}

/* Linkers group sections of such a name, before or behind others. */
static bool has_group_name(const struct drift_section *s)
{
	static const char *const words[] = { "unlikely", "exit",   "startup",
					     "hot",	 "sorted", "unknown",
					     "split" };

	if (strncmp(s->name, ".text.", 6) != 0)
		return false;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t n = strlen(words[i]);

		if (strncmp(s->name + 6, words[i], n) == 0 &&
		    (s->name[6 + n] == '\0' || s->name[6 + n] == '.'))
			return true;
	}
	return false;
}

/* So many neighbours show that names are in order, and not by chance. */
#define NEIGHBOURS 2

/* Are names in order around the Kth section of the image? */
static bool is_sorted(const struct mover *m, size_t k)
{
	const size_t *queue = m->e->queue;

	if (k < NEIGHBOURS || k + NEIGHBOURS >= m->e->nqueue)
		return false;
	for (size_t i = k - NEIGHBOURS; i < k + NEIGHBOURS; i++)
		if (output_of(m, queue[i]) != output_of(m, queue[i + 1]) ||
		    strcmp(m->sections[queue[i]].name,
			   m->sections[queue[i + 1]].name) > 0)
			return false;
	return strcmp(m->sections[queue[k - NEIGHBOURS]].name,
		      m->sections[queue[k + NEIGHBOURS]].name) < 0;
}

/*
 * Does a neighbour of the Kth section have such a name? Then the group came
 * between.
 */
static bool is_beside_group(const struct mover *m, size_t k)
{
	const size_t *queue = m->e->queue;

	return (k > 0 && has_group_name(&m->sections[queue[k - 1]])) ||
	       (k + 1 < m->e->nqueue &&
		has_group_name(&m->sections[queue[k + 1]]));
}

/*
 * Marks sections that are in another section of the image than their
 * neighbours.
 */
static void mark_sections(struct mover *m)
{
	size_t last = NO_SECTION;

	for (size_t i = 0; i < m->n; i++)
		if (has_moved(m, i))
			m->before[i] = last;
		else if (m->sections[i].fate == FATE_PLACED)
			last = i;
	last = NO_SECTION;
	for (size_t i = m->n; i-- > 0;) {
		uint32_t own;

		if (m->sections[i].fate != FATE_PLACED)
			continue;
		if (!has_moved(m, i)) {
			last = i;
			continue;
		}
		own = output_of(m, i);
		if ((last == NO_SECTION || output_of(m, last) != own) &&
		    (m->before[i] == NO_SECTION ||
		     output_of(m, m->before[i]) != own))
			m->e->drift->sections[i].move = MOVE_SECTION;
	}
}

static void mark_reasons(struct mover *m)
{
	struct drift *drift = m->e->drift;

	mark_sections(m);
	for (size_t k = 0; k < m->e->nqueue; k++) {
		struct drift_section *s = &drift->sections[m->e->queue[k]];

		if (s->move != MOVE_OTHER)
			continue;
		if (has_group_name(s))
			s->move = MOVE_NAME;
		else if (is_sorted(m, k))
			s->move = MOVE_SORTED;
		else if (is_beside_group(m, k))
			s->move = MOVE_NAME;
	}
	for (size_t i = 0; i < m->n; i++)
		drift->nmoves[m->sections[i].move]++;
	drift->ndisplaced = m->n - drift->nmoves[MOVE_NONE];
}

int moves_list(struct engine *e)
{
	struct mover m = {
		.e = e,
		.sections = e->drift->sections,
		.n = e->drift->nsections,
		.ends = malloc((e->nitems + 1) * sizeof(size_t)),
		.before = malloc((e->nitems + 1) * sizeof(size_t)),
	};
	int ret = 0;

	if (m.ends == NULL || m.before == NULL) {
		ret = diag_nomem(e->d, e->img.obj->path);
	} else {
		mark_moved(&m);
		mark_reasons(&m);
	}
	free(m.ends);
	free(m.before);
	return ret;
}
