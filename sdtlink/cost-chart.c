/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --cost as a picture: bars, one below the other, with the bytes of each kind.
 */
#include <config.h>

#include <inttypes.h>
#include <string.h>

#include "cost.h"

enum {
	CHART_WIDTH = 960,
	CHART_LEFT = 240, /* room for names */
	CHART_RIGHT = 70, /* and for sums */
	CHART_BAR = 14,	  /* the height of a bar */
	CHART_GAP = 8,	  /* between rows */
	CHART_HEAD = 64,
};

/*
 * The parts of a bar, from the left. Hot bytes that are not NOPs are computed
 * as a difference.
 */
static const struct part {
	const char *name, *color;
} parts[] = {
	{ "hot: instructions", "#b2182b" },
	{ "hot: NOPs", "#f4a582" },
	{ "out of line", "#92c5de" },
	{ "stub", "#4393c3" },
	{ "table", "#2166ac" },
	{ "notes, not loaded", "#bababa" },
};

#define NPARTS (sizeof(parts) / sizeof(parts[0]))

static void part_bytes(const struct cost *cost, uint64_t bytes[NPARTS])
{
	memset(bytes, 0, NPARTS * sizeof(bytes[0]));
	if (cost == NULL)
		return;
	bytes[0] = cost->column[COST_HOT] - cost->column[COST_NOP];
	bytes[1] = cost->column[COST_NOP];
	bytes[2] = cost->column[COST_COLD];
	bytes[3] = cost->column[COST_STUB];
	bytes[4] = cost->column[COST_TABLE];
	bytes[5] = cost->column[COST_NOTES];
}

static uint64_t sum_bytes(const struct cost *cost)
{
	uint64_t bytes[NPARTS], sum = 0;

	part_bytes(cost, bytes);
	for (size_t i = 0; i < NPARTS; i++)
		sum += bytes[i];
	return sum;
}

static void put_bar(FILE *stream, const struct cost *cost, uint64_t most,
		    unsigned y)
{
	const double scale = (double)(CHART_WIDTH - CHART_LEFT - CHART_RIGHT) /
			     (most > 0 ? most : 1);
	uint64_t bytes[NPARTS], before = 0;

	part_bytes(cost, bytes);
	for (size_t i = 0; i < NPARTS; i++) {
		if (bytes[i] == 0)
			continue;
		fprintf(stream,
			"<rect x=\"%.1f\" y=\"%u\" width=\"%.1f\" "
			"height=\"%d\" fill=\"%s\"><title>%s: %" PRIu64
			" bytes</title></rect>\n",
			CHART_LEFT + before * scale, y, bytes[i] * scale,
			CHART_BAR, parts[i].color, parts[i].name, bytes[i]);
		before += bytes[i];
	}
	fprintf(stream, "<text x=\"%.1f\" y=\"%u\">%" PRIu64 "</text>\n",
		CHART_LEFT + before * scale + 4, y + CHART_BAR - 3, before);
}

static void put_label(FILE *stream, const struct cost *cost, unsigned y)
{
	fprintf(stream, "<text x=\"%d\" y=\"%u\" text-anchor=\"end\">",
		CHART_LEFT - 6, y + CHART_BAR - 3);
	print_xml(stream, cost->probe->name.provider);
	fputs(":::", stream);
	print_xml(stream, cost->probe->name.name);
	fprintf(stream, "</text>\n");
}

static void put_legend(FILE *stream)
{
	for (size_t i = 0; i < NPARTS; i++) {
		unsigned x = 10 + (CHART_WIDTH - 20) / NPARTS * i;

		fprintf(stream,
			"<rect x=\"%u\" y=\"36\" width=\"%d\" height=\"%d\" "
			"fill=\"%s\"/>\n<text x=\"%u\" y=\"%d\">%s</text>\n",
			x, CHART_BAR, CHART_BAR, parts[i].color,
			x + CHART_BAR + 4, 36 + CHART_BAR - 3, parts[i].name);
	}
}

static uint64_t most_bytes(const struct cost_pair *pairs, size_t n)
{
	uint64_t most = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t own = sum_bytes(pairs[i].own);
		uint64_t other = sum_bytes(pairs[i].other);

		most = own > most ? own : most;
		most = other > most ? other : most;
	}
	return most;
}

static void put_title(FILE *stream, const char *path, const struct costs *costs)
{
	print_xml(stream, path);
	fprintf(stream, " (%" PRIu64 " sites, text %" PRIu64 ")",
		costs->total.column[COST_SITES], costs->text);
}

void cost_chart(FILE *stream, const char *path, const struct costs *costs,
		const char *other_path, const struct costs *other,
		const struct cost_pair *pairs, size_t npairs)
{
	unsigned bars = other != NULL ? 2 : 1;
	unsigned row = bars * CHART_BAR + CHART_GAP;
	uint64_t most = most_bytes(pairs, npairs);

	fprintf(stream,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
		"height=\"%zu\" font-family=\"sans-serif\" "
		"font-size=\"11\">\n<rect width=\"100%%\" height=\"100%%\" "
		"fill=\"white\"/>\n<text x=\"10\" y=\"20\" "
		"font-size=\"14\">Bytes for probes: ",
		CHART_WIDTH, CHART_HEAD + npairs * row + CHART_GAP);
	put_title(stream, path, costs);
	if (other != NULL) {
		fputs(", below it ", stream);
		put_title(stream, other_path, other);
	}
	fputs("</text>\n", stream);
	put_legend(stream);
	for (size_t i = 0; i < npairs; i++) {
		const struct cost_pair *pair = &pairs[i];
		unsigned y = CHART_HEAD + i * row;

		put_label(stream, pair->own != NULL ? pair->own : pair->other,
			  y);
		put_bar(stream, pair->own, most, y);
		if (other != NULL)
			put_bar(stream, pair->other, most, y + CHART_BAR);
	}
	fputs("</svg>\n", stream);
}
