/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * --drift as a picture. The text of the inputs is on the left, that of the
 * final on the right, with bands between them, all in one scale. Sections that
 * stayed together are one band, so ten thousand of them are as readable as ten.
 * With --against, the text of the old final is on the left.
 */
#include <config.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "drift-report.h"

enum {
	CHART_WIDTH = 960,
	CHART_LEFT = 300,  /* the right end of the inputs' column, */
	CHART_RIGHT = 660, /* and the left end of the final's */
	CHART_COLUMN = 40, /* how wide both are */
	CHART_HEAD = 64,
	CHART_ROW = 30, /* of the larger column, for each section, */
	CHART_LEAST = 240,
	CHART_MOST = 900,
	CHART_FONT = 10, /* what is lower has no name */
};

#define COLOR_PLACED "#92c5de"
#define COLOR_MOVED "#fdb863"
#define COLOR_REWRITTEN "#e08ac0" /* or shortened */
#define COLOR_FOLDED "#b39ddb"
#define COLOR_DROPPED "#d9d9d9"
#define COLOR_CHANGED "#d6604d"
#define COLOR_PADDING "#f0f0f0"
#define COLOR_LINKER "#a6d96a"
#define COLOR_UNEXPLAINED "#b2182b"

struct chart {
	const struct drift_report *r;
	FILE *stream;
	int height;   /* of the larger column */
	double scale; /* of a byte */
	uint64_t at;  /* of the next input, or of the next range */
	bool *is_out; /* by input: a member of which nothing was linked;
		       * owned */
};

static const char *fate_color(enum fate fate)
{
	static const char *const colors[NFATES] = {
		[FATE_PLACED] = COLOR_PLACED,
		[FATE_FOLDED] = COLOR_FOLDED,
		[FATE_DROPPED] = COLOR_DROPPED,
		[FATE_CHANGED] = COLOR_CHANGED,
		[FATE_UNKNOWN] = COLOR_UNEXPLAINED,
	};

	return colors[fate];
}

static const char *section_color(const struct drift_section *s)
{
	if (s->fate != FATE_PLACED)
		return fate_color(s->fate);
	return s->new_size != s->size ? COLOR_REWRITTEN
	       : s->move != MOVE_NONE ? COLOR_MOVED
				      : COLOR_PLACED;
}

static const char *bin_color(enum drift_bin bin)
{
	static const char *const colors[NBINS] = {
		[BIN_SECTION] = COLOR_PLACED,
		[BIN_CHANGED] = COLOR_CHANGED,
		[BIN_PADDING] = COLOR_PADDING,
		[BIN_PLT] = COLOR_LINKER,
		[BIN_GOT] = COLOR_LINKER,
		[BIN_VENEER] = COLOR_LINKER,
		[BIN_UNEXPLAINED] = COLOR_UNEXPLAINED,
	};

	return colors[bin];
}

static double height(const struct chart *c, uint64_t bytes)
{
	return bytes * c->scale;
}

static double top(const struct chart *c, uint64_t at)
{
	return CHART_HEAD + height(c, at);
}

static void put_box(const struct chart *c, int x, uint64_t at, uint64_t size,
		    const char *color)
{
	fprintf(c->stream,
		"<rect x=\"%d\" y=\"%.2f\" width=\"%d\" height=\"%.2f\" "
		"fill=\"%s\"/>\n",
		x, top(c, at), CHART_COLUMN, height(c, size), color);
}

static bool has_room(const struct chart *c, uint64_t size)
{
	return height(c, size) >= CHART_FONT;
}

/* Of NAME, the first N characters. */
static void put_start(const struct chart *c, int x, const char *anchor,
		      uint64_t at, uint64_t size, const char *file,
		      const char *name, size_t n)
{
	const char *slash = file != NULL ? strrchr(file, '/') : NULL;

	if (!has_room(c, size))
		return;
	fprintf(c->stream, "<text x=\"%d\" y=\"%.2f\" text-anchor=\"%s\">", x,
		top(c, at) + height(c, size) / 2 + 3, anchor);
	if (file != NULL) {
		print_xml(c->stream, slash != NULL ? slash + 1 : file);
		fputc(' ', c->stream);
	}
	print_xml_start(c->stream, name, n);
	fputs("</text>\n", c->stream);
}

static void put_label(const struct chart *c, int x, const char *anchor,
		      uint64_t at, uint64_t size, const char *file,
		      const char *name)
{
	put_start(c, x, anchor, at, size, file, name, SIZE_MAX);
}

/* --- The right column -------------------------------------------------- */

/* Bytes of the final's text below ADDR. */
static uint64_t place_of(const struct drift *drift, uint64_t addr)
{
	size_t i;

	LOWER_BOUND(i, drift->nranges, drift->ranges[i].addr <= addr);
	if (i-- == 0)
		return 0;
	addr -= drift->ranges[i].addr;
	return drift->ranges[i].place +
	       (addr < drift->ranges[i].size ? addr : drift->ranges[i].size);
}

/* The length of the group's part of a name: .text.hot of .text.hot.f. */
static size_t group_length(const char *name, int nparts)
{
	size_t n = 0;

	for (; nparts > 0 && name[n] != '\0'; nparts--)
		n += 1 + strcspn(name + n + 1, ".");
	return n;
}

/* Adjacent sections of the final whose names share the first N bytes. */
struct run {
	const char *file; /* its name if it is one section and there is room,
			   * or NULL */
	const char *name;
	size_t n;
	uint64_t place, size;
};

static void end_run(const struct chart *c, struct run *run)
{
	if (run->size > 0)
		put_start(c, CHART_RIGHT + CHART_COLUMN + 4, "start",
			  run->place, run->size, run->file, run->name, run->n);
	*run = (struct run){ 0 };
}

/* The name of the section in RANGE, or NULL. */
static const char *name_in(const struct drift *drift,
			   const struct drift_range *range)
{
	return range->bin == BIN_SECTION ? drift->sections[range->section].name
					 : NULL;
}

/* The sections from range *I on whose names belong to one group. */
static struct run next_run(const struct chart *c, const struct drift *drift,
			   size_t *i)
{
	const struct drift_range *range = &drift->ranges[*i];
	struct run run = { .name = name_in(drift, range),
			   .place = range->place };

	/* One with room for its name is alone. */
	if (has_room(c, range->size))
		run.file = c->r->inputs[drift->sections[range->section].input]
				   .path;
	run.n = run.file != NULL ? strlen(run.name) : group_length(run.name, 2);
	for (; *i < drift->nranges; ++*i) {
		const char *name = name_in(drift, &drift->ranges[*i]);

		range = &drift->ranges[*i];
		if (range->bin == BIN_PADDING)
			continue;
		if (name == NULL ||
		    (run.size > 0 &&
		     (run.file != NULL || has_room(c, range->size) ||
		      group_length(name, 2) != run.n ||
		      strncmp(name, run.name, run.n) != 0)))
			break;
		run.size = range->place + range->size - run.place;
	}
	return run;
}

/* Names on the right: of single sections, of groups, or of more. */
static void put_names(const struct chart *c, const struct drift *drift)
{
	struct run all = { 0 };

	for (size_t i = 0; i < drift->nranges;) {
		struct run run;

		if (name_in(drift, &drift->ranges[i]) == NULL) {
			if (drift->ranges[i].bin != BIN_PADDING)
				end_run(c, &all);
			i++;
			continue;
		}
		run = next_run(c, drift, &i);
		if (has_room(c, run.size)) {
			end_run(c, &all);
			end_run(c, &run);
			continue;
		}
		run.n = group_length(run.name, 1);
		if (all.size > 0 &&
		    (all.n != run.n || strncmp(all.name, run.name, run.n) != 0))
			end_run(c, &all);
		if (all.size == 0)
			all = run;
		all.size = run.place + run.size - all.place;
	}
	end_run(c, &all);
}

/* Draws ranges of one colour as one box, at X, with names on the right. */
static void put_ranges(const struct chart *c, const struct drift *drift, int x)
{
	for (size_t i = 0; i < drift->nranges;) {
		const struct drift_range *first = &drift->ranges[i];
		uint64_t size = 0;

		for (; i < drift->nranges &&
		       bin_color(drift->ranges[i].bin) == bin_color(first->bin);
		     i++)
			size += drift->ranges[i].size;
		put_box(c, x, first->place, size, bin_color(first->bin));
		if (first->bin != BIN_SECTION && x == CHART_RIGHT)
			put_label(c, CHART_RIGHT + CHART_COLUMN + 4, "start",
				  first->place, size, NULL,
				  first->symbol != NULL
					  ? first->symbol
					  : drift_bin_name(first->bin));
	}
}

/* --- The left column, and bands ---------------------------------------- */

/* Does section B follow A both in the inputs and in the final? */
static bool stays_with(const struct drift_section *a,
		       const struct drift_section *b)
{
	if (a->fate != b->fate || section_color(a) != section_color(b))
		return false;
	if (a->fate == FATE_DROPPED || a->fate == FATE_UNKNOWN)
		return true;
	/* Alignment may be between them. */
	return a->fate != FATE_FOLDED && b->addr >= a->addr + a->new_size &&
	       b->addr - (a->addr + a->new_size) < 64;
}

/* Draws a band from [LEFT, LEFT_END) of the left column to the right one. */
static void put_band(const struct chart *c, uint64_t left, uint64_t left_end,
		     uint64_t right, uint64_t right_end, const char *color)
{
	int middle = (CHART_LEFT + CHART_RIGHT) / 2;
	double y1 = top(c, left), y2 = top(c, left_end);
	double y3 = top(c, right_end), y4 = top(c, right);

	fprintf(c->stream,
		"<path d=\"M%d %.2fC%d %.2f %d %.2f %d %.2fL%d %.2f"
		"C%d %.2f %d %.2f %d %.2fZ\" fill=\"%s\" "
		"fill-opacity=\"0.5\"/>\n",
		CHART_LEFT, y1, middle, y1, middle, y4, CHART_RIGHT, y4,
		CHART_RIGHT, y3, middle, y3, middle, y2, CHART_LEFT, y2, color);
}

static bool is_out(const struct chart *c, size_t section)
{
	return c->is_out[c->r->drift->sections[section].input];
}

/* The next section in the picture behind I. Start with SIZE_MAX. */
static size_t next_section(const struct chart *c, size_t i)
{
	do
		i++;
	while (i < c->r->drift->nsections && is_out(c, i));
	return i;
}

/*
 * Names the file if its sections from FIRST on, of SIZE bytes, are too small
 * for names.
 */
static void put_file(const struct chart *c, size_t first, uint64_t at,
		     uint64_t size)
{
	const struct drift_section *list = c->r->drift->sections;

	for (size_t i = first;
	     i < c->r->drift->nsections && list[i].input == list[first].input;
	     i++)
		if (has_room(c, list[i].size))
			return;
	put_label(c, CHART_LEFT - CHART_COLUMN - 4, "end", at, size,
		  c->r->inputs[list[first].input].path, "");
}

/* Names on the left: of sections, or of their file. */
static void put_files(const struct chart *c)
{
	const struct drift *drift = c->r->drift;
	const struct drift_section *list = drift->sections;
	uint64_t at = 0;

	for (size_t i = 0; i < drift->nsections;) {
		size_t first = i;
		uint64_t start = at;

		for (;
		     i < drift->nsections && list[i].input == list[first].input;
		     i++) {
			if (is_out(c, i))
				continue;
			put_label(c, CHART_LEFT - CHART_COLUMN - 4, "end", at,
				  list[i].size,
				  c->r->inputs[list[i].input].path,
				  list[i].name);
			at += list[i].size;
		}
		put_file(c, first, start, at - start);
	}
}

static void put_sections(struct chart *c)
{
	const struct drift *drift = c->r->drift;
	const struct drift_section *list = drift->sections;

	for (size_t i = next_section(c, SIZE_MAX); i < drift->nsections;) {
		const struct drift_section *first = &list[i], *last;
		uint64_t size = 0;

		do {
			last = &list[i];
			size += last->size;
			i = next_section(c, i);
		} while (i < drift->nsections && stays_with(last, &list[i]));
		put_box(c, CHART_LEFT - CHART_COLUMN, c->at, size,
			section_color(first));
		if (first->fate != FATE_DROPPED && first->fate != FATE_UNKNOWN)
			put_band(c, c->at, c->at + size,
				 place_of(drift, first->addr),
				 place_of(drift, last->addr) + last->new_size,
				 section_color(first));
		c->at += size;
	}
}

/* --- Two finals --------------------------------------------------------- */

static const char *function_color(const struct compare_function *f)
{
	if (f->bytes == COMPARE_UNKNOWN)
		return COLOR_UNEXPLAINED;
	if (f->sides[0].size != f->sides[1].size)
		return COLOR_CHANGED;
	if (f->bytes == COMPARE_REWRITTEN)
		return COLOR_REWRITTEN;
	return f->has_moved ? COLOR_MOVED : COLOR_PLACED;
}

static int compare_old(const void *a, const void *b)
{
	const struct compare_function *x =
		*(const struct compare_function *const *)a;
	const struct compare_function *y =
		*(const struct compare_function *const *)b;
	uint64_t i = x->sides[COMPARE_OLD].addr, k = y->sides[COMPARE_OLD].addr;

	if (i != k)
		return i < k ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* Does Y follow X on both sides, in a band of the same colour? */
static bool is_one_band(const struct compare_function *x,
			const struct compare_function *y)
{
	for (int i = 0; i < 2; i++) {
		uint64_t end = x->sides[i].addr + x->sides[i].size;

		if (y->sides[i].addr < end || y->sides[i].addr - end >= 64)
			return false;
	}
	return function_color(x) == function_color(y);
}

/* Functions that both have, by old address. Owned; NULL ends the list. */
static const struct compare_function **list_both(const struct comparison *c)
{
	const struct compare_function **list =
		calloc(c->nfunctions + 1, sizeof(list[0]));
	size_t n = 0;

	if (list == NULL)
		return NULL;
	for (size_t i = 0; i < c->nfunctions; i++)
		if (c->functions[i].sides[COMPARE_OLD].is_there &&
		    c->functions[i].sides[COMPARE_NEW].is_there)
			list[n++] = &c->functions[i];
	qsort(list, n, sizeof(list[0]), compare_old);
	return list;
}

static void put_functions(const struct chart *c, const struct drift *drifts,
			  const struct compare_function *const *list)
{
	for (size_t i = 0; list[i] != NULL;) {
		const struct compare_function *first = list[i], *last;
		uint64_t places[2], ends[2];

		do {
			last = list[i++];
			if (last->name != NULL)
				put_label(
					c, CHART_LEFT - CHART_COLUMN - 4, "end",
					place_of(&drifts[0],
						 last->sides[0].addr),
					last->sides[0].size, NULL, last->name);
		} while (list[i] != NULL && is_one_band(last, list[i]));
		for (int k = 0; k < 2; k++) {
			places[k] = place_of(&drifts[k], first->sides[k].addr);
			ends[k] = place_of(&drifts[k], last->sides[k].addr) +
				  last->sides[k].size;
		}
		put_band(c, places[0], ends[0], places[1], ends[1],
			 function_color(first));
	}
}

/* --- All --------------------------------------------------------------- */

struct legend {
	const char *name, *color;
};

static void put_legend(FILE *stream, const struct legend *items, size_t n)
{
	int x = 20;

	for (size_t i = 0; i < n; i++) {
		fprintf(stream,
			"<rect x=\"%d\" y=\"32\" width=\"12\" height=\"12\" "
			"fill=\"%s\"/>\n"
			"<text x=\"%d\" y=\"42\">%s</text>\n",
			x, items[i].color, x + 16, items[i].name);
		x += 112;
	}
}

/* Up to the name in the title, which is open. */
static void put_head(const struct chart *c)
{
	fprintf(c->stream,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
		"height=\"%d\" font-family=\"sans-serif\" "
		"font-size=\"%d\">\n"
		"<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n"
		"<text x=\"20\" y=\"20\" font-size=\"14\">",
		CHART_WIDTH, CHART_HEAD + c->height + 20, CHART_FONT,
		CHART_WIDTH, CHART_HEAD + c->height + 20);
}

static uint64_t text_size(const struct drift *drift)
{
	uint64_t size = 0;

	for (size_t i = 0; i < drift->nranges; i++)
		size += drift->ranges[i].size;
	return size;
}

/* Sets the scale for N sections and that many bytes in the columns. */
static void set_scale(struct chart *c, size_t n, uint64_t left, uint64_t right)
{
	uint64_t most = left > right ? left : right;

	c->height = n > CHART_MOST / CHART_ROW	  ? CHART_MOST
		    : n < CHART_LEAST / CHART_ROW ? CHART_LEAST
						  : (int)n * CHART_ROW;
	c->scale = most > 0 ? (double)c->height / most : 0;
}

/*
 * Most members of archives are in no program, and would fill the picture. Lists
 * those to leave out.
 */
static bool *find_out(const struct drift_report *r)
{
	bool *list = malloc((r->list.n + 1) * sizeof(list[0]));

	for (size_t i = 0; list != NULL && i < r->list.n; i++)
		list[i] = r->list.items[i].is_member;
	for (size_t i = 0; list != NULL && i < r->drift->nsections; i++)
		if (r->drift->sections[i].fate != FATE_DROPPED)
			list[r->drift->sections[i].input] = false;
	return list;
}

int drift_chart(struct diag *d, const struct drift_report *r)
{
	static const struct legend items[] = {
		{ "in order", COLOR_PLACED },
		{ "moved", COLOR_MOVED },
		{ "shortened", COLOR_REWRITTEN },
		{ "folded", COLOR_FOLDED },
		{ "dropped", COLOR_DROPPED },
		{ "changed", COLOR_CHANGED },
		{ "PLT, veneers", COLOR_LINKER },
		{ "unexplained", COLOR_UNEXPLAINED },
	};
	const struct drift *drift = r->drift;
	struct chart c = { .r = r, .stream = r->stream, .is_out = find_out(r) };
	uint64_t left = 0;
	size_t n = 0;

	if (c.is_out == NULL)
		return diag_nomem(d, r->final->path);
	for (size_t i = next_section(&c, SIZE_MAX); i < drift->nsections;
	     i = next_section(&c, i)) {
		left += drift->sections[i].size;
		n++;
	}
	set_scale(&c, n, left, text_size(drift));
	put_head(&c);
	print_xml(r->stream, r->final->path);
	fprintf(r->stream,
		": %zu sections placed, %zu folded, %zu dropped, %" PRIu64
		" bytes unexplained</text>\n",
		drift->nfates[FATE_PLACED], drift->nfates[FATE_FOLDED],
		drift->nfates[FATE_DROPPED], drift->nbytes[BIN_UNEXPLAINED]);
	put_legend(r->stream, items, sizeof(items) / sizeof(items[0]));
	put_sections(&c);
	put_files(&c);
	put_ranges(&c, drift, CHART_RIGHT);
	put_names(&c, drift);
	fputs("</svg>\n", r->stream);
	free(c.is_out);
	return 0;
}

int drift_against_chart(struct diag *d, const struct drift_report *r,
			const struct drift *drifts, const struct comparison *c)
{
	static const struct legend items[] = {
		{ "the same", COLOR_PLACED },
		{ "moved", COLOR_MOVED },
		{ "rewritten", COLOR_REWRITTEN },
		{ "another size", COLOR_CHANGED },
		{ "PLT, veneers", COLOR_LINKER },
		{ "unexplained", COLOR_UNEXPLAINED },
	};
	struct chart chart = { .r = r, .stream = r->stream };
	const struct compare_function **list = list_both(c);

	if (list == NULL)
		return diag_nomem(d, r->final->path);
	set_scale(&chart, c->nthere[0], text_size(&drifts[0]),
		  text_size(&drifts[1]));
	put_head(&chart);
	print_xml(r->stream, r->cmd->against);
	fputs(" and ", r->stream);
	print_xml(r->stream, r->final->path);
	fprintf(r->stream,
		": %zu functions in both, %zu elsewhere, %zu in one only"
		"</text>\n",
		c->nboth, c->nmoved,
		c->nthere[0] + c->nthere[1] - 2 * c->nboth);
	put_legend(r->stream, items, sizeof(items) / sizeof(items[0]));
	put_ranges(&chart, &drifts[COMPARE_OLD], CHART_LEFT - CHART_COLUMN);
	put_functions(&chart, drifts, list);
	put_ranges(&chart, &drifts[COMPARE_NEW], CHART_RIGHT);
	fputs("</svg>\n", r->stream);
	free(list);
	return 0;
}
