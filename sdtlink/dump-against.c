/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * --dump --against=OLD: which sites are new, gone or changed between two
 * builds, by name and not by address.
 */
#include <config.h>

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dump-against.h"
#include "base/grow.h"
#include "base/memory-stream.h"
#include "json-document.h"
#include "input.h"
#include "listing.h"
#include "select.h"

enum change_kind {
	CHANGE_PROBE_GONE,
	CHANGE_ARGUMENTS,
	CHANGE_PROBE_NEW,
	CHANGE_SITE_GONE,
	CHANGE_SITE_NEW,
	CHANGE_FUNCTION, /* a probe's one site of that kind is elsewhere */
	CHANGE_KIND,
};

static const char *const change_names[] = {
	"probe-gone", "arguments", "probe-new", "site-gone",
	"site-new",   "function",  "kind",
};

struct change {
	enum change_kind kind;
	const struct probe_name *probe;
	const char *module;
	char *function;	      /* owned; or NULL */
	char *before, *after; /* owned; or NULL */
	size_t n;	      /* sites */
};

/* The sites in one build that share probe, function and kind. */
struct group {
	const char *function; /* without .cold, .part.0 and the like */
	size_t length;	      /* of it; 0 if it has no name */
	const char *kind;
	size_t n[2]; /* in the old build and the new one */
};

struct suppression {
	char *line; /* owned */
	const char *pattern;
	const char *kind; /* or NULL: any */
};

struct comparison {
	const struct command *cmd;
	struct report *report;
	struct diag *d;
	const char *roots[2]; /* what the command line names: old, new */
	struct input_list lists[2];
	struct suppression *suppressions;
	size_t nsuppressions;
	/* Of all files: */
	struct {
		size_t changes, suppressed, probes, sites;
	} sums;
	/* The two that are compared. One may be missing. */
	struct listed_file files[2];
	const char *paths[2];
	struct change *changes;
	size_t n;
	size_t nsuppressed;
};

/* --- The list of what may change ----------------------------------------- */

static bool is_change(const char *word)
{
	for (size_t i = 0; i < sizeof(change_names) / sizeof(change_names[0]);
	     i++)
		if (strcmp(word, change_names[i]) == 0)
			return true;
	return false;
}

/* "[CHANGE] PATTERN"; LINE becomes the list's. */
static int add_suppression(struct comparison *c, char *line, size_t number)
{
	struct suppression *items =
		grow_list(c->suppressions, c->nsuppressions, sizeof(items[0]));
	const char *file = c->cmd->suppressions;
	char *first, *second, *more, *at = line;

	if (items == NULL) {
		free(line);
		return diag_nomem(c->d, file);
	}
	c->suppressions = items;
	items[c->nsuppressions++].line = line;
	first = strtok_r(line, " \t\r\n", &at);
	second = strtok_r(NULL, " \t\r\n", &at);
	more = strtok_r(NULL, " \t\r\n", &at);
	items[c->nsuppressions - 1].kind = second != NULL ? first : NULL;
	items[c->nsuppressions - 1].pattern = second != NULL ? second : first;
	if (more != NULL || (second != NULL && !is_change(first)) ||
	    !select_is_pattern(second != NULL ? second : first))
		return diag_file(
			c->d, file, "suppressions",
			"line %zu is not a pattern, with a word for the "
			"change before it or not",
			number);
	return 0;
}

/*
 * Ends LINE before a word that begins with #. Returns whether anything is left.
 */
static bool cut_comment(char *line)
{
	char *at = line + strspn(line, " \t\r\n");

	while (*at != '\0' && *at != '#') {
		at += strcspn(at, " \t\r\n");
		at += strspn(at, " \t\r\n");
	}
	*at = '\0';
	return line[strspn(line, " \t\r\n")] != '\0';
}

static int read_suppressions(struct comparison *c)
{
	FILE *f = fopen(c->cmd->suppressions, "re");
	char *line = NULL;
	size_t size = 0, number = 0;
	int ret = 0;

	if (f == NULL)
		return diag_file(c->d, c->cmd->suppressions, "cannot-read",
				 "cannot open: %s", strerror(errno));
	while (ret == 0 && getline(&line, &size, f) >= 0) {
		char *copy;

		number++;
		if (!cut_comment(line))
			continue;
		copy = strdup(line);
		ret = copy != NULL ? add_suppression(c, copy, number)
				   : diag_nomem(c->d, c->cmd->suppressions);
	}
	if (ret == 0 && ferror(f))
		ret = diag_file(c->d, c->cmd->suppressions, "cannot-read",
				"cannot read: %s", strerror(errno));
	free(line);
	fclose(f);
	return ret;
}

static bool is_suppressed(const struct comparison *c,
			  const struct change *change)
{
	for (size_t i = 0; i < c->nsuppressions; i++) {
		const struct suppression *s = &c->suppressions[i];

		if ((s->kind == NULL ||
		     strcmp(s->kind, change_names[change->kind]) == 0) &&
		    select_matches(s->pattern, change->probe, change->module,
				   change->function))
			return true;
	}
	return false;
}

/* --- Changes ------------------------------------------------------------- */

static void free_change(struct change *change)
{
	free(change->function);
	free(change->before);
	free(change->after);
}

static void report_change(struct comparison *c, const struct change *change)
{
	struct place place = { .file = c->paths[1] };
	const struct probe_name *probe = change->probe;

	if (change->kind == CHANGE_PROBE_GONE)
		diag_report(c->d, SEVERITY_NO, &place, "probe-gone",
			    "give it back, or list it in --suppressions",
			    "the probe %s:::%s, which %s has, is gone",
			    probe->provider, probe->name, c->paths[0]);
	else if (change->kind == CHANGE_ARGUMENTS)
		diag_report(c->d, SEVERITY_NO, &place, "arguments-changed",
			    "give it another name, or list it in "
			    "--suppressions",
			    "the arguments of the probe %s:::%s are %s, and "
			    "were %s",
			    probe->provider, probe->name, change->after,
			    change->before);
}

/*
 * Adds CHANGE. The list owns its strings from now on. One that is NULL means
 * that memory ran out.
 */
static int add_change(struct comparison *c, struct change change)
{
	struct change *changes;

	if (is_suppressed(c, &change)) {
		c->nsuppressed++;
		free_change(&change);
		return 0;
	}
	changes = grow_list(c->changes, c->n, sizeof(changes[0]));
	if (changes == NULL) {
		free_change(&change);
		return diag_nomem(c->d, c->paths[1]);
	}
	c->changes = changes;
	changes[c->n++] = change;
	report_change(c, &change);
	return 0;
}

static int add_probe(struct comparison *c, enum change_kind kind, int side,
		     const struct listed_probe *probe)
{
	return add_change(c, (struct change){
				     .kind = kind,
				     .probe = &probe->name,
				     .module = c->files[side].listing.module,
				     .n = probe->nsites,
			     });
}

/* --- Arguments ----------------------------------------------------------- */

/* "(int, ?)", malloc's. */
static char *signature(const struct note *note)
{
	struct memory_stream memory;
	FILE *f;
	char *text = NULL;

	if (memory_stream_open(&memory))
		return NULL;
	f = memory.stream;
	fputc('(', f);
	for (unsigned i = 0; i < note->nargs; i++) {
		const char *type = note_type(note->types[i]);

		fprintf(f, "%s%s", i > 0 ? ", " : "",
			type != NULL ? type : "?");
	}
	fwrite(")", 1, 2, f);
	if (memory_stream_flush(&memory) == 0) {
		text = memory.bytes;
		memory.bytes = NULL;
	}
	memory_stream_free(&memory);
	return text;
}

static int compare_strings(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* All signatures of the sites of PROBE, each once: "(int) | (long)". */
static int signatures(struct comparison *c, int side,
		      const struct listed_probe *probe, char **result)
{
	const struct listed_site *sites = c->files[side].listing.sites +
					  probe->first_site;
	char **all = calloc(probe->nsites + 1, sizeof(all[0]));
	const char *path = c->paths[side];
	size_t n = 0, size = 0;
	bool is_short = all == NULL;

	*result = NULL;
	for (size_t i = 0; !is_short && i < probe->nsites; i++) {
		const struct note *note = sites[i].noted.note;

		if (note == NULL || note->is_target)
			continue;
		all[n] = signature(note);
		is_short = all[n] == NULL;
		n += all[n] != NULL;
	}
	if (n > 0)
		qsort(all, n, sizeof(all[0]), compare_strings);
	for (size_t i = 0; i < n; i++)
		size += strlen(all[i]) + 3;
	if (!is_short && n > 0) {
		*result = calloc(size + 1, 1);
		is_short = *result == NULL;
	}
	for (size_t i = 0; *result != NULL && i < n; i++) {
		if (i > 0 && strcmp(all[i], all[i - 1]) == 0)
			continue;
		if (i > 0)
			strcat(*result, " | ");
		strcat(*result, all[i]);
	}
	for (size_t i = 0; i < n; i++)
		free(all[i]);
	free(all);
	return is_short ? diag_nomem(c->d, path) : 0;
}

/* If a build has no metadata, its arguments are unknown. */
static int compare_arguments(struct comparison *c,
			     const struct listed_probe *const pair[2])
{
	struct change change = { .kind = CHANGE_ARGUMENTS,
				 .probe = &pair[1]->name,
				 .module = c->files[1].listing.module,
				 .n = pair[1]->nsites };

	if (signatures(c, 0, pair[0], &change.before) ||
	    signatures(c, 1, pair[1], &change.after)) {
		free_change(&change);
		return -1;
	}
	if (change.before == NULL || change.after == NULL ||
	    strcmp(change.before, change.after) == 0) {
		free_change(&change);
		return 0;
	}
	return add_change(c, change);
}

/* --- Sites --------------------------------------------------------------- */

/* Without .cold, .part.0, .constprop.0, which differ from build to build. */
static size_t base_length(const char *function)
{
	size_t n = strcspn(function, ".");

	return n > 0 ? n : strlen(function);
}

static int compare_groups(const void *a, const void *b)
{
	const struct group *x = a, *y = b;
	size_t n = x->length < y->length ? x->length : y->length;
	int order = n > 0 ? memcmp(x->function, y->function, n) : 0;

	if (order != 0)
		return order;
	if (x->length != y->length)
		return x->length < y->length ? -1 : 1;
	return strcmp(x->kind, y->kind);
}

/* Does the listing of SIDE know the functions of PROBE's sites? */
static bool names_functions(const struct comparison *c, int side,
			    const struct listed_probe *probe)
{
	const struct listed_site *sites = c->files[side].listing.sites +
					  probe->first_site;

	for (size_t i = 0; i < probe->nsites; i++)
		if (sites[i].function != NULL)
			return true;
	return false;
}

static size_t list_sites(const struct comparison *c, int side,
			 const struct listed_probe *probe, bool with_functions,
			 struct group *groups)
{
	const struct listed_site *sites = c->files[side].listing.sites +
					  probe->first_site;

	for (size_t i = 0; i < probe->nsites; i++) {
		const char *function = with_functions ? sites[i].function
						      : NULL;

		groups[i] = (struct group){
			.function = function,
			.length = function != NULL ? base_length(function) : 0,
			.kind = sites[i].kind,
		};
		groups[i].n[side] = 1;
	}
	return probe->nsites;
}

/* Merges equal groups, and removes those that did not change. */
static size_t merge_groups(struct group *groups, size_t n)
{
	size_t merged = 0, left = 0;

	if (n > 0)
		qsort(groups, n, sizeof(groups[0]), compare_groups);
	for (size_t i = 0; i < n; i++) {
		struct group *last = merged > 0 ? &groups[merged - 1] : NULL;

		if (last != NULL && compare_groups(last, &groups[i]) == 0) {
			last->n[0] += groups[i].n[0];
			last->n[1] += groups[i].n[1];
		} else {
			groups[merged++] = groups[i];
		}
	}
	for (size_t i = 0; i < merged; i++)
		if (groups[i].n[0] != groups[i].n[1])
			groups[left++] = groups[i];
	return left;
}

static bool is_same_function(const struct group *a, const struct group *b)
{
	return a->length == b->length &&
	       (a->length == 0 ||
		memcmp(a->function, b->function, a->length) == 0);
}

/* Has the one lost what the other got? */
static bool is_exchange(const struct group *a, const struct group *b)
{
	return a->n[0] + b->n[0] == a->n[1] + b->n[1] &&
	       (a->n[0] > a->n[1]) != (b->n[0] > b->n[1]);
}

static char *function_of(const struct group *group)
{
	return strndup(group->length > 0 ? group->function : "-",
		       group->length > 0 ? group->length : 1);
}

/*
 * Reports sites that moved between A and B: one lost sites, and the other got
 * some.
 */
static int add_exchange(struct comparison *c, const struct listed_probe *probe,
			const struct group *a, const struct group *b)
{
	bool is_function = !is_same_function(a, b);
	const struct group *from = a->n[0] > a->n[1] ? a : b;
	const struct group *to = from == a ? b : a;
	struct change change = {
		.kind = is_function ? CHANGE_FUNCTION : CHANGE_KIND,
		.probe = &probe->name,
		.module = c->files[1].listing.module,
		.function = function_of(to),
		.before = is_function ? function_of(from) : strdup(from->kind),
		.after = is_function ? function_of(to) : strdup(to->kind),
		.n = from->n[0] - from->n[1],
	};

	if (change.function != NULL && change.before != NULL &&
	    change.after != NULL)
		return add_change(c, change);
	free_change(&change);
	return diag_nomem(c->d, c->paths[1]);
}

static int add_sites(struct comparison *c, const struct listed_probe *probe,
		     const struct group *group)
{
	bool is_gone = group->n[0] > group->n[1];
	struct change change = {
		.kind = is_gone ? CHANGE_SITE_GONE : CHANGE_SITE_NEW,
		.probe = &probe->name,
		.module = c->files[!is_gone].listing.module,
		.function = function_of(group),
		.before = is_gone ? strdup(group->kind) : NULL,
		.after = is_gone ? NULL : strdup(group->kind),
		.n = is_gone ? group->n[0] - group->n[1]
			     : group->n[1] - group->n[0],
	};

	if (change.function != NULL &&
	    (change.before != NULL || change.after != NULL))
		return add_change(c, change);
	free_change(&change);
	return diag_nomem(c->d, c->paths[1]);
}

/* The N groups differ. */
static int add_groups(struct comparison *c, const struct listed_probe *probe,
		      const struct group *groups, size_t n)
{
	if (n == 2 && groups[0].kind == groups[1].kind &&
	    !is_same_function(&groups[0], &groups[1]) &&
	    is_exchange(&groups[0], &groups[1]))
		return add_exchange(c, probe, &groups[0], &groups[1]);
	for (size_t i = 0; i < n; i++) {
		bool is_kind = i + 1 < n &&
			       is_same_function(&groups[i], &groups[i + 1]) &&
			       is_exchange(&groups[i], &groups[i + 1]);

		if (is_kind ? add_exchange(c, probe, &groups[i], &groups[i + 1])
			    : add_sites(c, probe, &groups[i]))
			return -1;
		i += is_kind;
	}
	return 0;
}

static int compare_sites(struct comparison *c,
			 const struct listed_probe *const pair[2])
{
	struct group *groups = malloc((pair[0]->nsites + pair[1]->nsites + 1) *
				      sizeof(groups[0]));
	bool with_functions;
	size_t n;
	int ret;

	if (groups == NULL)
		return diag_nomem(c->d, c->paths[1]);
	/*
	 * A stripped image does not name functions, so it cannot show changes
	 * of them.
	 */
	with_functions = names_functions(c, 0, pair[0]) &&
			 names_functions(c, 1, pair[1]);
	n = list_sites(c, 0, pair[0], with_functions, groups);
	n += list_sites(c, 1, pair[1], with_functions, groups + n);
	n = merge_groups(groups, n);
	ret = add_groups(c, pair[1], groups, n);
	free(groups);
	return ret;
}

/* --- Both ---------------------------------------------------------------- */

/* Both lists are sorted by symbol. */
static int compare(struct comparison *c)
{
	const struct listing *a = &c->files[0].listing;
	const struct listing *b = &c->files[1].listing;
	size_t i = 0, k = 0;

	while (i < a->nprobes || k < b->nprobes) {
		const struct listed_probe *pair[2] = { &a->probes[i],
						       &b->probes[k] };
		int order = i == a->nprobes ? 1
			    : k == b->nprobes
				    ? -1
				    : strcmp(pair[0]->symbol, pair[1]->symbol);
		int failed;

		if (order < 0)
			failed = add_probe(c, CHANGE_PROBE_GONE, 0, pair[0]);
		else if (order > 0)
			failed = add_probe(c, CHANGE_PROBE_NEW, 1, pair[1]);
		else
			failed = compare_arguments(c, pair) ||
				 compare_sites(c, pair);
		if (failed)
			return -1;
		i += order <= 0;
		k += order >= 0;
	}
	return 0;
}

/* Prints the module, too, if files of several are compared. */
static void print_change(FILE *stream, const struct change *change,
			 bool has_module)
{
	const struct probe_name *probe = change->probe;

	fprintf(stream, "%-10s ", change_names[change->kind]);
	print_escaped(stream, probe->provider);
	fputc(':', stream);
	if (has_module)
		print_escaped(stream, change->module);
	fputc(':', stream);
	if (change->function != NULL && change->kind != CHANGE_FUNCTION)
		print_escaped(stream, change->function);
	fputc(':', stream);
	print_escaped(stream, probe->name);
	if (change->before != NULL || change->after != NULL)
		fputc(' ', stream);
	if (change->before != NULL)
		print_escaped(stream, change->before);
	if (change->before != NULL && change->after != NULL)
		fputs(" -> ", stream);
	if (change->after != NULL)
		print_escaped(stream, change->after);
	fprintf(stream, " (%zu site%s)\n", change->n,
		change->n == 1 ? "" : "s");
}

static void print_sums(const struct comparison *c)
{
	FILE *stream = c->report->out.stream;

	if (c->cmd->is_quiet)
		return;
	print_escaped(stream, c->roots[1]);
	fprintf(stream, ": %zu change%s", c->sums.changes,
		c->sums.changes == 1 ? "" : "s");
	if (c->sums.suppressed > 0)
		fprintf(stream, ", %zu suppressed", c->sums.suppressed);
	fprintf(stream, "; %zu probe%s, %zu site%s\n", c->sums.probes,
		c->sums.probes == 1 ? "" : "s", c->sums.sites,
		c->sums.sites == 1 ? "" : "s");
}

static void json_change(const struct change *change, struct json *json)
{
	json_open(json, '{');
	json_string(json, "change", change_names[change->kind]);
	json_string(json, "provider", change->probe->provider);
	json_string(json, "module", change->module);
	json_string(json, "function", change->function);
	json_string(json, "name", change->probe->name);
	json_string(json, "before", change->before);
	json_string(json, "after", change->after);
	json_number(json, "sites", change->n);
	json_close(json, '}');
}

/* In an open object. */
static void json_pair(const struct comparison *c, bool is_compared,
		      struct json *json)
{
	const struct listed_file *file = &c->files[1];

	if (file->listing.type == NULL)
		file = &c->files[0];
	json_string(json, "file", c->paths[1]);
	if (is_compared) {
		json_string(json, "type", file->listing.type);
		json_string(json, "old", c->paths[0]);
		json_number(json, "suppressed", c->nsuppressed);
		json_key(json, "changes");
		json_open(json, '[');
		for (size_t i = 0; i < c->n; i++)
			json_change(&c->changes[i], json);
		json_close(json, ']');
	}
	report_json(c->report, json);
}

/* --- Files of one name --------------------------------------------------- */

static int open_pair(struct comparison *c, const struct input *const inputs[2])
{
	for (int i = 0; i < 2; i++) {
		if (inputs[i] == NULL)
			continue;
		if (listed_input_open(c->d, inputs[i], c->cmd, &c->files[i]))
			return -1;
		select_apply(c->cmd, &c->files[i].listing);
	}
	return 0;
}

static void add_sums(struct comparison *c)
{
	c->sums.changes += c->n;
	c->sums.suppressed += c->nsuppressed;
	c->sums.probes += c->files[1].listing.nprobes;
	c->sums.sites += c->files[1].listing.nsites;
}

static void free_pair(struct comparison *c)
{
	for (size_t i = 0; i < c->n; i++)
		free_change(&c->changes[i]);
	free(c->changes);
	c->changes = NULL;
	c->n = c->nsuppressed = 0;
	for (int i = 0; i < 2; i++) {
		listed_file_release(&c->files[i]);
		listed_file_close(&c->files[i]);
		c->files[i] = (struct listed_file){ 0 };
	}
}

/*
 * One of INPUTS may be NULL. If JSON is not NULL, writes into its open object.
 */
static void compare_pair(struct comparison *c,
			 const struct input *const inputs[2], struct json *json)
{
	bool is_compared;
	struct object objs[2];
	size_t n = 0;

	for (int i = 0; i < 2; i++)
		c->paths[i] = inputs[i] != NULL ? inputs[i]->name : c->roots[i];
	is_compared = open_pair(c, inputs) == 0 && compare(c) == 0;
	for (size_t i = 0; is_compared && json == NULL && i < c->n; i++)
		print_change(c->report->out.stream, &c->changes[i],
			     c->lists[1].is_list);
	for (int i = 0; i < 2; i++)
		if (inputs[i] != NULL)
			objs[n++] = c->files[i].obj;
	if (report_confirm(c->report, objs, n))
		is_compared = false;
	if (is_compared)
		add_sums(c);
	if (json != NULL)
		json_pair(c, is_compared, json);
	free_pair(c);
}

/* The name of INPUT below the directory or archive at ROOT. */
static const char *name_in(const struct input *input, const char *root)
{
	const char *name = input->name + strlen(root);

	return name + strspn(name, "/");
}

static int compare_names(const void *a, const void *b)
{
	const struct input *x = a, *y = b;

	return strcmp(x->name, y->name);
}

/* Goes on to the next pair; false at the end. */
static bool next_pair(const struct comparison *c, size_t at[2],
		      const struct input *inputs[2])
{
	int order;

	for (int i = 0; i < 2; i++)
		inputs[i] = at[i] < c->lists[i].n ? &c->lists[i].items[at[i]]
						  : NULL;
	if (inputs[0] != NULL && inputs[1] != NULL && c->lists[1].is_list) {
		order = strcmp(name_in(inputs[0], c->roots[0]),
			       name_in(inputs[1], c->roots[1]));
		if (order < 0)
			inputs[1] = NULL;
		else if (order > 0)
			inputs[0] = NULL;
	}
	for (int i = 0; i < 2; i++)
		at[i] += inputs[i] != NULL;
	return inputs[0] != NULL || inputs[1] != NULL;
}

static void compare_json(struct comparison *c, bool is_ready)
{
	struct json json = { .text.stream = c->report->out.stream };
	const struct input *inputs[2];
	size_t at[2] = { 0 };

	document_open(&json);
	if (!is_ready) {
		json_string(&json, "file", c->roots[1]);
		report_json(c->report, &json);
	} else if (!c->lists[1].is_list) {
		next_pair(c, at, inputs);
		compare_pair(c, inputs, &json);
	} else {
		report_json(c->report, &json);
		json_key(&json, "files");
		json_open(&json, '[');
		while (next_pair(c, at, inputs)) {
			/* What a changed file takes back begins here. */
			text_flush(&json.text);
			report_confirm(c->report, NULL, 0);
			json_open(&json, '{');
			compare_pair(c, inputs, &json);
			json_close(&json, '}');
		}
		json_close(&json, ']');
	}
	json_close(&json, '}');
}

static void compare_lines(struct comparison *c)
{
	const struct input *inputs[2];
	size_t at[2] = { 0 };

	while (next_pair(c, at, inputs)) {
		compare_pair(c, inputs, NULL);
		if (c->lists[1].is_list && report_release(c->report))
			return;
	}
	if (c->d->ntrouble == 0)
		print_sums(c);
}

/* Compares two directories or archives, or two files. */
static int list_both(struct comparison *c)
{
	for (int i = 0; i < 2; i++) {
		struct string_list root = { .items = &c->roots[i], .n = 1 };

		if (input_list_make(c->d, &root, &c->lists[i]))
			return -1;
		if (c->lists[i].n > 1 && c->lists[i].is_list)
			qsort(c->lists[i].items, c->lists[i].n,
			      sizeof(struct input), compare_names);
	}
	if (c->lists[0].is_list == c->lists[1].is_list)
		return 0;
	return diag_file(c->d, c->roots[1], "not-alike",
			 "compares a file with a file, and a directory or an "
			 "archive with another: %s is none such",
			 c->roots[c->lists[0].is_list]);
}

int command_against(const struct command *cmd, struct report *report)
{
	struct comparison c = {
		.cmd = cmd,
		.report = report,
		.d = &report->diag,
		.roots = { cmd->against, cmd->inputs.items[0] },
	};
	bool is_ready =
		(cmd->suppressions == NULL || read_suppressions(&c) == 0) &&
		list_both(&c) == 0;

	if (cmd->format == FORMAT_JSON)
		compare_json(&c, is_ready);
	else if (is_ready)
		compare_lines(&c);
	for (int i = 0; i < 2; i++)
		input_list_free(&c.lists[i]);
	for (size_t i = 0; i < c.nsuppressions; i++)
		free(c.suppressions[i].line);
	free(c.suppressions);
	return report_status(report);
}
