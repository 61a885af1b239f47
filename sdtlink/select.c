/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <string.h>

#include "select.h"
/* Included last: its names for what the table contains differ from ours. */
#include "sdt_table.h"

static struct sdt_span span_of(const char *text)
{
	return (struct sdt_span){ text, text + strlen(text) };
}

/*
 * Makes a table of one site. Whether MODULE matches is shown by what is left of
 * it.
 */
static bool start(struct sdt_match *match, const char *module,
		  const char *pattern)
{
	static const struct sdt_table table = { .nsites = 1 };

	return sdt_match_start(match, &table, module, pattern) == 0 &&
	       match->next == 0;
}

bool select_is_pattern(const char *pattern)
{
	static const struct sdt_table table = { .nsites = 1 };
	struct sdt_match match;

	return sdt_match_start(&match, &table, "", pattern) == 0;
}

bool select_matches(const char *pattern, const struct probe_name *probe,
		    const char *module, const char *function)
{
	const struct sdt_span provider = span_of(probe->provider);
	const struct sdt_span name = span_of(probe->name);
	const struct sdt_span in = span_of(function != NULL ? function : "");
	struct sdt_match match;

	return start(&match, module, pattern) &&
	       sdt_match_fields(&match, &provider, &in, &name, 0);
}

unsigned select_foreign(const struct command *cmd)
{
	unsigned kinds = 0;

	for (size_t i = 0; i < cmd->kinds.n; i++) {
		const char *word = cmd->kinds.items[i];

		kinds |= strcmp(word, "all") == 0 ? FOREIGN_ALL
						  : 1u << foreign_find(word);
	}
	return kinds & FOREIGN_ALL;
}

bool select_wants_own(const struct command *cmd)
{
	for (size_t i = 0; i < cmd->kinds.n; i++)
		if (foreign_find(cmd->kinds.items[i]) == FOREIGN_NKINDS)
			return true;
	return cmd->kinds.n == 0;
}

static bool is_any(const struct string_list *patterns,
		   const struct listing *listing,
		   const struct listed_probe *probe,
		   const struct listed_site *site)
{
	for (size_t i = 0; i < patterns->n; i++)
		if (select_matches(patterns->items[i], &probe->name,
				   listing->module, site->function))
			return true;
	return patterns->n == 0;
}

/* A pattern for a function alone: the field before the last. */
static bool is_in_function(const struct string_list *globs,
			   const struct listed_site *site)
{
	const struct sdt_span any = span_of("");
	const struct sdt_span function =
		span_of(site->function != NULL ? site->function : "");

	for (size_t i = 0; i < globs->n; i++) {
		struct sdt_match match = {
			.function = span_of(globs->items[i]),
		};

		if (sdt_match_fields(&match, &any, &function, &any, 0))
			return true;
	}
	return globs->n == 0;
}

static bool is_kind(const struct string_list *kinds,
		    const struct listed_site *site)
{
	for (size_t i = 0; i < kinds->n; i++)
		if (strcmp(kinds->items[i], site->kind) == 0 ||
		    strcmp(kinds->items[i], "all") == 0)
			return true;
	return kinds->n == 0;
}

static void select_sites(const struct command *cmd,
			 const struct listing *listing,
			 struct listed_probe *probe)
{
	struct listed_site *sites = listing->sites + probe->first_site;
	size_t n = 0;

	for (size_t i = 0; i < probe->nsites; i++)
		if (is_kind(&cmd->kinds, &sites[i]) &&
		    is_in_function(&cmd->functions, &sites[i]) &&
		    is_any(&cmd->probes, listing, probe, &sites[i]))
			sites[n++] = sites[i];
	probe->nsites = n;
}

void select_apply(const struct command *cmd, struct listing *listing)
{
	size_t n = 0;

	if (cmd->probes.n == 0 && cmd->functions.n == 0 && cmd->kinds.n == 0)
		return;
	listing->nsites = 0;
	for (size_t i = 0; i < listing->nprobes; i++) {
		struct listed_probe *probe = &listing->probes[i];

		select_sites(cmd, listing, probe);
		listing->nsites += probe->nsites;
		if (probe->nsites > 0)
			listing->probes[n++] = *probe;
		else
			listing_free_probe(probe);
	}
	listing->nprobes = n;
}
