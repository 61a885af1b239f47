/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/text.h"
#include "dump-summary.h"

/* Equal strings of the summary have one address. */
struct summed_site {
	const char *key;
	const char *probe;
	const char *function; /* with its module */
	const char *module;
	const char *kind;
	unsigned length;
};

struct line {
	const char *key;
	size_t first, n; /* of its sites, which are sorted by key */
	size_t nprobes, nfunctions, nmodules;
	uint64_t bytes;
};

/* --- Strings ------------------------------------------------------------- */

static uint32_t hash(const char *string)
{
	uint32_t h = 2166136261u;

	for (; *string != '\0'; string++)
		h = (h ^ (unsigned char)*string) * 16777619u;
	return h;
}

static const char **bucket_of(const struct summary *summary, const char *string)
{
	size_t i = hash(string) & (summary->nbuckets - 1);

	while (summary->strings[i] != NULL &&
	       strcmp(summary->strings[i], string) != 0)
		i = (i + 1) & (summary->nbuckets - 1);
	return &summary->strings[i];
}

static bool grow(struct summary *summary)
{
	struct summary larger = *summary;

	larger.nbuckets = summary->nbuckets > 0 ? 2 * summary->nbuckets : 1024;
	larger.strings = calloc(larger.nbuckets, sizeof(larger.strings[0]));
	if (larger.strings == NULL)
		return false;
	for (size_t i = 0; i < summary->nbuckets; i++)
		if (summary->strings[i] != NULL)
			*bucket_of(&larger, summary->strings[i]) =
				summary->strings[i];
	free(summary->strings);
	*summary = larger;
	return true;
}

/* "A SEPARATOR B", kept; NULL without memory. */
static const char *keep(struct summary *summary, const char *a,
			const char *separator, const char *b)
{
	size_t size = strlen(a) + strlen(separator) + strlen(b) + 1;
	char *string = malloc(size);
	const char **bucket;

	if (string == NULL ||
	    (2 * summary->nstrings >= summary->nbuckets && !grow(summary))) {
		free(string);
		return NULL;
	}
	snprintf(string, size, "%s%s%s", a, separator, b);
	bucket = bucket_of(summary, string);
	if (*bucket != NULL) {
		free(string);
	} else {
		*bucket = string;
		summary->nstrings++;
	}
	return *bucket;
}

/* --- Sites --------------------------------------------------------------- */

static const char *key_of(const struct command *cmd,
			  const struct summed_site *summed,
			  struct summary *summary,
			  const struct listed_site *site)
{
	switch (cmd->summary) {
	case SUMMARY_NONE:
	case SUMMARY_PROBE:
		return summed->probe;
	case SUMMARY_FUNCTION:
		return keep(summary,
			    site->function != NULL ? site->function : "-", "",
			    "");
	case SUMMARY_MODULE:
		return summed->module;
	case SUMMARY_SECTION:
		break;
	}
	return keep(summary, site->section != NULL ? site->section : "-", "",
		    "");
}

static bool add_site(const struct command *cmd, struct summary *summary,
		     struct summed_site summed, const struct listed_site *site)
{
	struct summed_site *sites =
		grow_list(summary->sites, summary->n, sizeof(sites[0]));

	if (sites == NULL)
		return false;
	summary->sites = sites;
	summed.function = keep(summary, summed.module, ":",
			       site->function != NULL ? site->function : "-");
	summed.key = key_of(cmd, &summed, summary, site);
	summed.kind = site->kind;
	summed.length = site->length;
	if (summed.function == NULL || summed.key == NULL)
		return false;
	sites[summary->n++] = summed;
	return true;
}

int summary_add(struct diag *d, const struct command *cmd,
		const struct listing *listing, struct summary *summary)
{
	struct summed_site summed = {
		.module = keep(summary, listing->module, "", ""),
	};

	if (summed.module == NULL)
		return diag_nomem(d, listing->obj->path);
	for (size_t i = 0; i < listing->nprobes; i++) {
		const struct listed_probe *probe = &listing->probes[i];

		summed.probe = keep(summary, probe->name.provider,
				    ":::", probe->name.name);
		if (summed.probe == NULL)
			return diag_nomem(d, listing->obj->path);
		for (size_t k = 0; k < probe->nsites; k++)
			if (!add_site(cmd, summary, summed,
				      &listing->sites[probe->first_site + k]))
				return diag_nomem(d, listing->obj->path);
	}
	return 0;
}

/* --- Lines --------------------------------------------------------------- */

static int compare_keys(const void *a, const void *b)
{
	const struct summed_site *x = a, *y = b;

	return x->key == y->key ? 0 : strcmp(x->key, y->key);
}

static int compare_pointers(const void *a, const void *b)
{
	const char *const *x = a, *const *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* The number of different strings among the N of LIST, which it sorts. */
static size_t count_different(const char **list, size_t n)
{
	size_t count = 0;

	qsort(list, n, sizeof(list[0]), compare_pointers);
	for (size_t i = 0; i < n; i++)
		count += i == 0 || list[i] != list[i - 1];
	return count;
}

static void count(const struct summary *summary, struct line *line,
		  const char **list)
{
	const struct summed_site *sites = summary->sites + line->first;

	for (size_t i = 0; i < line->n; i++) {
		list[i] = sites[i].probe;
		line->bytes += sites[i].length;
	}
	line->nprobes = count_different(list, line->n);
	for (size_t i = 0; i < line->n; i++)
		list[i] = sites[i].function;
	line->nfunctions = count_different(list, line->n);
	for (size_t i = 0; i < line->n; i++)
		list[i] = sites[i].module;
	line->nmodules = count_different(list, line->n);
}

static int compare_sites(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	if (x->n != y->n)
		return x->n > y->n ? -1 : 1;
	return strcmp(x->key, y->key);
}

static int compare_bytes(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes > y->bytes ? -1 : 1;
	return strcmp(x->key, y->key);
}

/* Both are as large as there are sites. */
static size_t make_lines(const struct command *cmd,
			 const struct summary *summary, struct line *lines,
			 const char **list)
{
	size_t n = 0;

	for (size_t i = 0; i < summary->n; i++) {
		if (i == 0 || summary->sites[i].key != lines[n - 1].key)
			lines[n++] =
				(struct line){ .key = summary->sites[i].key,
					       .first = i };
		lines[n - 1].n++;
	}
	for (size_t i = 0; i < n; i++)
		count(summary, &lines[i], list);
	if (n > 0 && cmd->sort == SORT_SITES)
		qsort(lines, n, sizeof(lines[0]), compare_sites);
	if (n > 0 && cmd->sort == SORT_BYTES)
		qsort(lines, n, sizeof(lines[0]), compare_bytes);
	return n;
}

static const char *const own_kinds[] = { "call",    "tail",   "cond",
					 "enabled", "branch", "tracepoint" };

#define NOWN (sizeof(own_kinds) / sizeof(own_kinds[0]))
#define NKINDS (NOWN + FOREIGN_NKINDS)

static const char *kind_name(size_t k)
{
	return k < NOWN ? own_kinds[k] : foreign_name(k - NOWN);
}

static void count_kinds(const struct summary *summary, const struct line *line,
			size_t counts[NKINDS])
{
	memset(counts, 0, NKINDS * sizeof(counts[0]));
	for (size_t i = 0; i < line->n; i++)
		for (size_t k = 0; k < NKINDS; k++)
			counts[k] +=
				strcmp(summary->sites[line->first + i].kind,
				       kind_name(k)) == 0;
}

static const char *const heads[] = { [SUMMARY_NONE] = "",
				     [SUMMARY_PROBE] = "PROBE",
				     [SUMMARY_FUNCTION] = "FUNCTION",
				     [SUMMARY_MODULE] = "MODULE",
				     [SUMMARY_SECTION] = "SECTION" };

static void print_lines(const struct command *cmd,
			const struct summary *summary, const struct line *lines,
			size_t n, FILE *stream)
{
	size_t width = strlen(heads[cmd->summary]);
	size_t counts[NKINDS];

	for (size_t i = 0; i < n; i++)
		if (shown_length(lines[i].key) > width)
			width = shown_length(lines[i].key);
	if (!cmd->is_quiet)
		fprintf(stream, "%-*s %7s %6s %9s %7s %8s %s\n", (int)width,
			heads[cmd->summary], "SITES", "PROBES", "FUNCTIONS",
			"MODULES", "BYTES", "KINDS");
	for (size_t i = 0; i < n; i++) {
		const struct line *line = &lines[i];
		const char *separator = "";

		print_escaped(stream, line->key);
		fprintf(stream, "%*s %7zu %6zu %9zu %7zu %8" PRIu64 " ",
			(int)(width - shown_length(line->key)), "", line->n,
			line->nprobes, line->nfunctions, line->nmodules,
			line->bytes);
		count_kinds(summary, line, counts);
		for (size_t k = 0; k < NKINDS; k++) {
			if (counts[k] == 0)
				continue;
			fprintf(stream, "%s%s=%zu", separator, kind_name(k),
				counts[k]);
			separator = ",";
		}
		fputc('\n', stream);
	}
}

static void json_lines(const struct command *cmd, const struct summary *summary,
		       const struct line *lines, size_t n, struct json *json)
{
	static const char *const names[] = { [SUMMARY_NONE] = "",
					     [SUMMARY_PROBE] = "probe",
					     [SUMMARY_FUNCTION] = "function",
					     [SUMMARY_MODULE] = "module",
					     [SUMMARY_SECTION] = "section" };
	size_t counts[NKINDS];

	json_string(json, "by", names[cmd->summary]);
	json_key(json, "summary");
	json_open(json, '[');
	for (size_t i = 0; i < n; i++) {
		json_open(json, '{');
		json_string(json, "of", lines[i].key);
		json_number(json, "sites", lines[i].n);
		json_number(json, "probes", lines[i].nprobes);
		json_number(json, "functions", lines[i].nfunctions);
		json_number(json, "modules", lines[i].nmodules);
		json_number(json, "bytes", lines[i].bytes);
		json_key(json, "kinds");
		json_open(json, '{');
		count_kinds(summary, &lines[i], counts);
		for (size_t k = 0; k < NKINDS; k++)
			if (k < NOWN || counts[k] > 0)
				json_number(json, kind_name(k), counts[k]);
		json_close(json, '}');
		json_close(json, '}');
	}
	json_close(json, ']');
}

int summary_print(struct diag *d, const struct command *cmd,
		  struct summary *summary, struct report *report,
		  struct json *json)
{
	struct line *lines = malloc((summary->n + 1) * sizeof(lines[0]));
	const char **list = malloc((summary->n + 1) * sizeof(list[0]));
	size_t n;
	int ret = 0;

	if (lines == NULL || list == NULL) {
		ret = diag_nomem(d, "-");
	} else {
		if (summary->n > 0)
			qsort(summary->sites, summary->n,
			      sizeof(summary->sites[0]), compare_keys);
		n = make_lines(cmd, summary, lines, list);
		if (json != NULL)
			json_lines(cmd, summary, lines, n, json);
		else
			print_lines(cmd, summary, lines, n, report->out.stream);
	}
	free(lines);
	free(list);
	return ret;
}

void summary_free(struct summary *summary)
{
	for (size_t i = 0; i < summary->nbuckets; i++)
		free((char *)summary->strings[i]);
	free(summary->strings);
	free(summary->sites);
	*summary = (struct summary){ 0 };
}
