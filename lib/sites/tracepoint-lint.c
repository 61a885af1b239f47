/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks tracepoint records, of a partial or a final. */
#include <config.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "arch/tracepoint.h"
#include "elf/functions.h"
#include "tracepoint.h"

#define LINE_SIZE 64

struct lint {
	struct diag *d;
	const struct object *obj;
	const struct tracepoint_isa *isa;
	const struct tracepoint **sorted; /* by patchpoint */
	size_t n;
	bool is_own;
	size_t nsleds;
	size_t nstraddles;
};

/*
 * FreeBSD's machines have one mode. In our records, the code at SPOT decides.
 */
static const struct tracepoint_isa *isa_at(struct diag *d,
					   const struct object *obj,
					   const struct spot *spot, bool is_own)
{
	struct code code;

	if (is_own && spot->shndx != 0 &&
	    section_is_text(&obj->sections[spot->shndx]) &&
	    object_code(d, obj, spot->shndx, &code))
		return tracepoint_isa_at(obj->arch, &code, spot->offset);
	return tracepoint_isa_find(obj->ehdr.e_machine, obj->is_64, 0);
}

static bool is_text(const struct lint *lint, const struct spot *spot,
		    uint64_t size)
{
	const struct section *sec = &lint->obj->sections[spot->shndx];

	return spot->shndx != 0 && section_is_text(sec) &&
	       spot->offset <= sec->size && sec->size - spot->offset >= size;
}

/* Returns false if the distance is unknown before the final link. */
static bool distance_of(const struct lint *lint, const struct tracepoint *tp,
			int64_t *distance)
{
	const struct section *sections = lint->obj->sections;
	uint64_t from = tp->patchpoint.offset, to = tp->target.offset;

	if (tp->target.shndx != tp->patchpoint.shndx) {
		if (lint->obj->ehdr.e_type == ET_REL)
			return false;
		from += sections[tp->patchpoint.shndx].addr;
		to += sections[tp->target.shndx].addr;
	}
	*distance = tracepoint_distance(lint->isa, from, to);
	return true;
}

static int lint_range(struct lint *lint, const struct tracepoint *tp,
		      int64_t distance)
{
	uint8_t jump[TRACEPOINT_INSN_MAX];
	int64_t back;

	if (!tracepoint_encode(lint->isa, lint->obj->is_big_endian, distance,
			       jump))
		return tracepoint_fault(
			lint->d, lint->obj, tp->record, tp,
			"let the compiler keep the target near",
			"no jump goes from the patchpoint to the target: "
			"%" PRId64 " is not in [%" PRId64 ", %" PRId64
			"], or no multiple of %u",
			distance, lint->isa->min, lint->isa->max,
			lint->isa->step);
	if (!tracepoint_decode(lint->isa, lint->obj->is_big_endian, jump,
			       &back) ||
	    back != distance)
		return tracepoint_fault(
			lint->d, lint->obj, tp->record, tp, NULL,
			"the jump over %" PRId64 " decodes as one over "
			"%" PRId64,
			distance, back);
	return 0;
}

/*
 * Checks for a NOP, or for the jump to the target, which means that it is
 * enabled.
 */
static int lint_bytes(struct lint *lint, const struct tracepoint *tp,
		      bool is_known, int64_t distance)
{
	bool is_big = lint->obj->is_big_endian;
	const uint8_t *text;
	bool is_sled;
	int64_t jump;
	size_t size;

	text = object_data(lint->d, lint->obj, tp->patchpoint.shndx, &size);
	if (text == NULL)
		return -1;
	text += tp->patchpoint.offset;
	if (lint->is_own) {
		/* Nothing patches a partial. So only this NOP is right. */
		if (tracepoint_is_own_nop(lint->isa, is_big, text))
			return 0;
	} else if (tracepoint_is_nop(lint->isa, is_big, text, &is_sled)) {
		lint->nsleds += is_sled;
		return 0;
	}
	if (lint->is_own || !tracepoint_decode(lint->isa, is_big, text, &jump))
		return tracepoint_fault(
			lint->d, lint->obj, tp->record, tp,
			TRACEPOINT_USE_MACROS(lint->is_own),
			"the patchpoint holds %02x %02x %02x %02x, which "
			"is not a NOP of %u bytes",
			text[0], text[1], text[2], text[3], lint->isa->length);
	if (is_known && jump == distance)
		return 0;
	return tracepoint_fault(
		lint->d, lint->obj, tp->record, tp,
		"look at what encodes the jump",
		"the patchpoint holds %02x %02x %02x %02x, a jump over "
		"%" PRId64 ", and the target is at %" PRId64,
		text[0], text[1], text[2], text[3], jump,
		is_known ? distance : 0);
}

static void count_straddle(struct lint *lint, const struct tracepoint *tp)
{
	const struct section *sec = &lint->obj->sections[tp->patchpoint.shndx];
	uint64_t at = sec->addr + tp->patchpoint.offset;

	/* In a partial, only the alignment of the section is known. */
	if (lint->obj->ehdr.e_type == ET_REL && sec->align < LINE_SIZE)
		return;
	lint->nstraddles += at % LINE_SIZE + lint->isa->length > LINE_SIZE;
}

static int lint_one(struct lint *lint, const struct tracepoint *tp)
{
	int64_t distance = 0;
	bool is_known;

	lint->isa = isa_at(lint->d, lint->obj, &tp->patchpoint, lint->is_own);
	if (!is_text(lint, &tp->patchpoint, lint->isa->length))
		return tracepoint_fault(
			lint->d, lint->obj, tp->record, tp, NULL,
			"the patchpoint is not in executable text");
	if (!is_text(lint, &tp->target, 1))
		return tracepoint_fault(lint->d, lint->obj, tp->record, tp,
					NULL,
					"the target is not in executable text");
	count_straddle(lint, tp);
	if (tp->target_function != NULL)
		return tracepoint_fault(lint->d, lint->obj, tp->record, tp,
					NULL,
					"the target is in another function: %s",
					tp->target_function);
	/*
	 * Our macros use it in a loop that waits until the probe is disabled.
	 */
	if (!lint->is_own && spot_compare(&tp->patchpoint, &tp->target) == 0)
		return tracepoint_fault(lint->d, lint->obj, tp->record, tp,
					NULL,
					"the target is the patchpoint itself");
	is_known = distance_of(lint, tp, &distance);
	if (is_known && lint_range(lint, tp, distance))
		return -1;
	return lint_bytes(lint, tp, is_known, distance);
}

static int compare_patchpoints(const void *a, const void *b)
{
	const struct tracepoint *x = *(const struct tracepoint *const *)a;
	const struct tracepoint *y = *(const struct tracepoint *const *)b;
	int order = spot_compare(&x->patchpoint, &y->patchpoint);

	return order != 0 ? order : spot_compare(&x->record, &y->record);
}

/* The patchpoint that contains SPOT behind its first byte, or NULL. */
static const struct tracepoint *covers(const struct lint *lint,
				       const struct spot *spot)
{
	size_t i;
	const struct spot *before;

	LOWER_BOUND(i, lint->n,
		    spot_compare(&lint->sorted[i]->patchpoint, spot) < 0);
	if (i == 0)
		return NULL;
	before = &lint->sorted[i - 1]->patchpoint;
	return before->shndx == spot->shndx &&
			       spot->offset - before->offset < lint->isa->length
		       ? lint->sorted[i - 1]
		       : NULL;
}

/*
 * Checks for two records of one patchpoint, and for places inside another one.
 */
static int lint_together(struct lint *lint)
{
	int ret = 0;

	for (size_t i = 0; i < lint->n; i++) {
		const struct tracepoint *tp = lint->sorted[i];

		if (i > 0 &&
		    spot_compare(&tp->patchpoint,
				 &lint->sorted[i - 1]->patchpoint) == 0)
			ret = tracepoint_fault(
				lint->d, lint->obj, tp->record, tp, NULL,
				"the record at +0x%" PRIx64
				" has this patchpoint, too",
				lint->sorted[i - 1]->record.offset);
		else if (covers(lint, &tp->patchpoint) != NULL)
			ret = tracepoint_fault(
				lint->d, lint->obj, tp->record, tp, NULL,
				"the patchpoint overlaps another");
		if (covers(lint, &tp->target) != NULL)
			ret = tracepoint_fault(
				lint->d, lint->obj, tp->record, tp, NULL,
				"the target is in the middle of a "
				"patchpoint");
	}
	return ret;
}

static void warn(const struct lint *lint, size_t n, const char *what)
{
	if (n > 0)
		diag_report(lint->d, SEVERITY_WARNING,
			    &(struct place){ .file = lint->obj->path },
			    "tracepoint", NULL, "%zu of %zu patchpoints %s", n,
			    lint->n, what);
}

int tracepoint_lint(struct diag *d, const struct object *obj,
		    struct tracepoint_set *set)
{
	struct lint lint = {
		.d = d,
		.obj = obj,
		.isa = tracepoint_isa_find(obj->ehdr.e_machine, obj->is_64, 0),
		.n = set->n,
		.is_own = set->is_own,
	};
	int ret = 0;

	if (set->n == 0)
		return 0;
	lint.sorted = malloc(set->n * sizeof(lint.sorted[0]));
	if (lint.sorted == NULL)
		return diag_nomem(d, obj->path);
	for (size_t i = 0; i < set->n; i++) {
		lint.sorted[i] = &set->items[i];
		if (lint_one(&lint, &set->items[i]))
			ret = -1;
	}
	qsort(lint.sorted, lint.n, sizeof(lint.sorted[0]), compare_patchpoints);
	if (lint_together(&lint))
		ret = -1;
	warn(&lint, lint.nsleds,
	     "are several NOPs: an interrupt in between returns into the jump");
	warn(&lint, set->is_own ? 0 : lint.nstraddles,
	     "straddle a line of 64 bytes: no store of them is whole");
	free(lint.sorted);
	return ret;
}
