/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/search.h"
#include "base/sort.h"
#include "drift.h"
#include "engine.h"

static const char *const fates[NFATES] = {
	[FATE_PLACED] = "placed",   [FATE_FOLDED] = "folded",
	[FATE_DROPPED] = "dropped", [FATE_CHANGED] = "changed",
	[FATE_UNKNOWN] = "unknown",
};

static const char *const reasons[] = {
	[DROP_UNUSED] = "unused",
	[DROP_DUPLICATE] = "duplicate",
	[DROP_OVERRIDDEN] = "overridden",
	[DROP_ALIKE] = "alike",
};

static const char *const moves[NMOVES] = {
	[MOVE_NONE] = "none",	[MOVE_SECTION] = "section",
	[MOVE_NAME] = "name",	[MOVE_SORTED] = "sorted",
	[MOVE_OTHER] = "other",
};

static const char *const bins[NBINS] = {
	[BIN_SECTION] = "section",
	[BIN_CHANGED] = "changed",
	[BIN_PADDING] = "padding",
	[BIN_PLT] = "plt",
	[BIN_GOT] = "got",
	[BIN_VENEER] = "veneer",
	[BIN_UNEXPLAINED] = "unexplained",
};

static const char *const classes[NREWRITE_CLASSES] = {
	[REWRITE_GOT_BRANCH] = "got-branch",
	[REWRITE_GOT_LOAD] = "got-load",
	[REWRITE_TLS] = "tls",
	[REWRITE_DETOUR] = "detour",
	[REWRITE_REDIRECT] = "redirect",
	[REWRITE_SHORTENED] = "shortened",
	[REWRITE_OTHER] = "other",
};

const char *fate_name(enum fate fate)
{
	return fates[fate];
}

const char *drop_reason_name(enum drop_reason reason)
{
	return reasons[reason];
}

const char *move_reason_name(enum move_reason reason)
{
	return moves[reason];
}

const char *drift_bin_name(enum drift_bin bin)
{
	return bins[bin];
}

const char *rewrite_class_name(enum rewrite_class class)
{
	return classes[class];
}

/* --- What follows from the places -------------------------------------- */

struct strays {
	struct engine *e;
	size_t section;
	int status;
};

/* The range that ADDR is in, or NULL. */
static const struct drift_range *range_at(const struct drift *drift,
					  uint64_t addr)
{
	size_t i;

	LOWER_BOUND(i, drift->nranges, drift->ranges[i].addr <= addr);
	if (i == 0 ||
	    addr - drift->ranges[i - 1].addr >= drift->ranges[i - 1].size)
		return NULL;
	return &drift->ranges[i - 1];
}

#define JUMPS_MAX 16

/*
 * Does the code at OFFSET of item TO jump on to TARGET, maybe by several jumps?
 */
static bool is_shortcut(const struct engine *e, size_t to, uint64_t offset,
			uint64_t target)
{
	for (int i = 0; i < JUMPS_MAX && evidence_goes_on(e, &to, &offset);
	     i++) {
		const struct drift_section *s = &e->drift->sections[to];

		if ((s->fate == FATE_PLACED || s->fate == FATE_FOLDED) &&
		    s->addr + offset == target)
			return true;
	}
	return false;
}

/*
 * A branch of a placed section leads to an item. Is the item there, or code
 * that linkers put between them?
 */
static void judge_branch(void *ctx, size_t item, uint64_t addr, uint64_t target,
			 uint64_t from)
{
	struct strays *s = ctx;
	struct drift *drift = s->e->drift;
	const struct drift_section *to = &drift->sections[item];
	const struct drift_range *range = range_at(drift, target);
	struct drift_stray *list;

	drift->nbranches++;
	if ((to->fate == FATE_PLACED || to->fate == FATE_FOLDED) &&
	    to->addr == addr)
		return;
	if (range != NULL &&
	    (range->bin == BIN_PLT || range->bin == BIN_VENEER))
		return;
	if (is_shortcut(s->e, item, target - addr, target)) {
		drift->nshortcuts++;
		return;
	}
	list = grow_list(drift->strays, drift->nstrays, sizeof(list[0]));
	if (list == NULL) {
		s->status = diag_nomem(s->e->d, s->e->img.obj->path);
		return;
	}
	drift->strays = list;
	list[drift->nstrays++] = (struct drift_stray){
		.section = s->section,
		.to = item,
		.addr = from,
		.target = target,
	};
}

static int list_strays(struct engine *e)
{
	struct strays s = { .e = e };

	for (size_t i = 0; i < e->nitems && s.status == 0; i++) {
		s.section = i;
		if (e->items[i].to->fate == FATE_PLACED)
			evidence_branches(e, &e->items[i], e->items[i].to->addr,
					  judge_branch, &s);
	}
	return s.status;
}

struct rewrites {
	struct engine *e;
	size_t section;
	bool is_first; /* of those that are shorter in it */
	int status;
};

static void add_rewrite(void *ctx, const struct same_change *change)
{
	struct rewrites *r = ctx;
	struct drift *drift = r->e->drift;
	struct drift_rewrite *list =
		grow_list(drift->rewrites, drift->nrewrites, sizeof(list[0]));

	if (list == NULL) {
		r->status = diag_nomem(r->e->d, r->e->img.obj->path);
		return;
	}
	drift->rewrites = list;
	list[drift->nrewrites++] = (struct drift_rewrite){
		.section = r->section,
		.offset = change->offset,
		.addr = drift->sections[r->section].addr + change->to,
		.size = change->size,
		.new_size = change->new_size,
		.class = change->class,
		.reloc = change->reloc,
	};
	drift->nclasses[change->class]++;
	drift->ndeleted += change->size - change->new_size;
	if (change->class == REWRITE_SHORTENED && r->is_first) {
		drift->nshortened++;
		drift->sections[r->section].offset = change->offset +
						     change->new_size;
		r->is_first = false;
	}
}

static int list_rewrites(struct engine *e)
{
	struct rewrites r = { .e = e };
	const struct same_sink sink = { .found = add_rewrite, .ctx = &r };

	for (size_t i = 0; i < e->nitems && r.status == 0; i++) {
		const struct item *item = &e->items[i];
		const struct field *field;

		if (item->to->fate != FATE_PLACED)
			continue;
		r.section = i;
		r.is_first = true;
		field = fields_find(e, item->to->addr, item->to->new_size);
		same_at(e, item, &field->is->code,
			item->to->addr - field->is->code.addr, &sink);
	}
	return r.status;
}

static uint64_t text_start(const struct image *img)
{
	const struct object *obj = img->obj;

	for (size_t i = 1; i < obj->nsections; i++)
		if (section_is_text(&obj->sections[i]) &&
		    strcmp(obj->sections[i].name, ".text") == 0)
			return obj->sections[i].addr;
	return img->text_start;
}

static int compare_names(const void *a, const void *b, void *ctx)
{
	const struct drift *drift = ctx;
	size_t x = *(const size_t *)a, y = *(const size_t *)b;
	int order = strcmp(drift->sections[x].name, drift->sections[y].name);

	if (order != 0)
		return order;
	return x < y ? -1 : x > y;
}

/*
 * Where each would be if it followed those of its name. LIST has room for all.
 */
static void set_expected(struct engine *e, size_t *list)
{
	struct drift *drift = e->drift;
	uint64_t at = 0;

	for (size_t i = 0; i < drift->nsections; i++)
		list[i] = i;
	sort_with(list, drift->nsections, sizeof(list[0]), compare_names,
		  drift);
	for (size_t i = 0; i < drift->nsections; i++) {
		struct drift_section *to = &drift->sections[list[i]];
		uint64_t align =
			e->items[list[i]].obj->sections[to->shndx].align;

		if (i > 0 &&
		    strcmp(to->name, drift->sections[list[i - 1]].name) != 0)
			at = 0;
		if (align > 1 && at <= UINT64_MAX - align)
			at = (at + align - 1) / align * align;
		to->expected = at;
		at += to->size;
	}
}

/* Offsets, against those of the inputs. */
static int count_fates(struct engine *e)
{
	struct drift *drift = e->drift;
	size_t *list = malloc((drift->nsections + 1) * sizeof(list[0]));

	if (list == NULL)
		return diag_nomem(e->d, e->img.obj->path);
	drift->text_start = text_start(&e->img);
	set_expected(e, list);
	for (size_t i = 0; i < drift->nsections; i++) {
		const struct drift_section *to = &drift->sections[i];

		drift->nfates[to->fate]++;
		drift->nalike += to->is_alike;
		drift->nright += to->fate == FATE_PLACED &&
				 to->new_size == to->size &&
				 to->addr - drift->text_start == to->expected;
	}
	free(list);
	return 0;
}

bool drift_has_text(const struct drift *drift)
{
	return drift->nsections == 0 || drift->nfates[FATE_PLACED] > 0;
}

bool drift_is_none(const struct drift *drift)
{
	/* An input without text is fully explained. */
	return drift_has_text(drift) && drift->nfates[FATE_CHANGED] == 0 &&
	       drift->nfates[FATE_UNKNOWN] == 0 &&
	       drift->nclasses[REWRITE_SHORTENED] == 0 && drift->nstrays == 0 &&
	       drift->nbytes[BIN_CHANGED] == 0 &&
	       drift->nbytes[BIN_UNEXPLAINED] == 0;
}

/* --- The passes -------------------------------------------------------- */

static int run(struct engine *e, const struct object *inputs, size_t n,
	       const struct object *final)
{
	if (image_open(e->d, final, &e->img) || fields_open(e) ||
	    items_collect(e, inputs, n))
		return -1;
	/* All addresses at which each section could be. */
	if (seek_kinds(e))
		return -1;
	/* the one that each has, */
	if (rules_apply(e))
		return -1;
	/* What became of sections without one, and of all other bytes. */
	if (leave_known(e) || ranges_list(e))
		return -1;
	leave_unknown(e);
	e->is_done = true;
	return count_fates(e) || moves_list(e) || list_rewrites(e) ||
			       list_strays(e)
		       ? -1
		       : 0;
}

static void engine_free(struct engine *e)
{
	items_free(e);
	for (size_t i = 0; i < e->nkinds; i++) {
		free(e->kinds[i].addrs);
		free(e->kinds[i].sizes);
		free(e->kinds[i].owners);
	}
	fields_free(e);
	free(e->kinds);
	free(e->short_kinds);
	free(e->candidates);
	free(e->members);
	free(e->queue);
	image_close(&e->img);
}

int drift_objects(struct diag *d, const struct object *inputs, size_t n,
		  const struct object *final, struct drift *drift)
{
	struct engine e = {
		.d = d,
		.arch = final->arch,
		.drift = drift,
		.nsettled = 1,
	};
	int ret;

	*drift = (struct drift){ 0 };
	ret = run(&e, inputs, n, final);
	engine_free(&e);
	return ret;
}

void drift_free(struct drift *drift)
{
	free(drift->sections);
	free(drift->rewrites);
	free(drift->ranges);
	free(drift->strays);
	*drift = (struct drift){ 0 };
}
