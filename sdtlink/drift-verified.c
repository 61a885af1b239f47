/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --verify -v: where sections with sites went, and what else became of text. */
#include <config.h>

#include <inttypes.h>
#include <stdlib.h>

#include "drift-report.h"

/* Of what may be thousands. */
#define SHOWN_MAX 10

static int compare_sections(const void *a, const void *b)
{
	const struct verified_section *x = a, *y = b;

	if (x->partial != y->partial)
		return x->partial < y->partial ? -1 : 1;
	return x->shndx < y->shndx ? -1 : x->shndx > y->shndx;
}

static void print_section(const struct drift_report *r,
			  const struct verified_section *s)
{
	const struct object *partial = &r->inputs[s->partial];

	fputs("  ", r->stream);
	print_escaped(r->stream, partial->path);
	fputs(":(", r->stream);
	print_escaped(r->stream, partial->sections[s->shndx].name);
	fputs("): ", r->stream);
	if (s->is_folded)
		fputs("folded, ", r->stream);
	else if (!s->is_there)
		fputs("dropped, ", r->stream);
	if (s->is_there)
		fprintf(r->stream, "at 0x%" PRIx64 ", ", s->addr);
	fprintf(r->stream, "%zu site%s\n", s->nsites,
		s->nsites == 1 ? "" : "s");
}

/*
 * A section with NOPs instead of sites differs from the partial, but is proved.
 * Accepts such sections, and returns their number. Whether code moved inside
 * them is only known if IS_RIGID: linkers delete no code. Both lists are by
 * input and section.
 */
static size_t accept_nops(struct drift *drift, bool is_rigid,
			  const struct verified_section *list, size_t n)
{
	size_t k = 0, nnops = 0;

	for (size_t i = 0; i < drift->nsections; i++) {
		struct drift_section *to = &drift->sections[i];
		const struct verified_section key = { .partial = to->input,
						      .shndx = to->shndx };

		while (k < n && compare_sections(&list[k], &key) < 0)
			k++;
		if (to->fate != FATE_CHANGED || k == n ||
		    compare_sections(&list[k], &key) != 0 ||
		    !list[k].is_disabled || list[k].addr != to->addr)
			continue;
		to->fate = FATE_PLACED;
		drift->nfates[FATE_CHANGED]--;
		drift->nfates[FATE_PLACED] += is_rigid;
		nnops++;
	}
	return nnops;
}

void drift_print_verified(const struct drift_report *r,
			  struct verified_section *list, size_t n,
			  bool is_whole)
{
	size_t nnops = 0;

	if (n > 0)
		qsort(list, n, sizeof(list[0]), compare_sections);
	for (size_t i = 0; i < n && i < SHOWN_MAX; i++)
		print_section(r, &list[i]);
	if (n > SHOWN_MAX)
		fprintf(r->stream, "  and %zu more: --drift -v lists them\n",
			n - SHOWN_MAX);
	if (is_whole)
		nnops = accept_nops(r->drift, r->inputs->arch->relax == NULL,
				    list, n);
	/* What this cannot judge, the proof could. */
	if (drift_has_text(r->drift))
		drift_print_short(r, nnops);
}
