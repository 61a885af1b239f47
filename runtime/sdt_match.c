/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names: splits the symbol of a probe, matches globs for
 * provider:module:function:name, and writes such a name.
 */
#include "sdt_table.h"

static struct sdt_span span_of(const char *text)
{
	struct sdt_span span = { text, text };

	while (*span.end != '\0')
		span.end++;
	return span;
}

static int has_prefix(const char *text, const char *prefix)
{
	while (*prefix != '\0' && *text == *prefix) {
		text++;
		prefix++;
	}
	return *prefix == '\0';
}

/* The parts of a symbol's name.  If HAS_DASHES, __ in NAME means -. */
struct probe_name {
	struct sdt_span provider;
	struct sdt_span name;
	int has_dashes;
};

/*
 * PREFIX provider ___ name.  Without a ___ between two parts, the whole is the
 * name of a probe of sdt.  Without a prefix, it is a function that --symbol
 * named, and __ in it stays.
 */
static void split_symbol(const struct sdt_site *site, struct probe_name *probe)
{
	const char *symbol = site->symbol + site->prefix;

	probe->provider = span_of("sdt");
	probe->name = span_of(symbol);
	probe->has_dashes = site->prefix > 0;
	if (!probe->has_dashes)
		return;

	while (*symbol != '\0' && !has_prefix(symbol, "___"))
		symbol++;
	if (*symbol != '\0' && symbol != probe->name.begin &&
	    symbol[3] != '\0') {
		probe->provider.begin = probe->name.begin;
		probe->provider.end = symbol;
		probe->name.begin = symbol + 3;
	}
}

/* Returns the character at *AT, and moves *AT to the next one. */
static char next_char(const char **at, const char *end, int has_dashes)
{
	const char *c = *at;

	if (has_dashes && end - c >= 2 && c[0] == '_' && c[1] == '_') {
		*at += 2;
		return '-';
	}
	*at += 1;
	return *c;
}

/* Goes back to the last * only.  That is enough, and needs no recursion. */
static int glob_match(struct sdt_span glob, struct sdt_span text,
		      int has_dashes)
{
	const char *star = 0;
	const char *retry = text.begin;

	while (text.begin != text.end) {
		const char *next = text.begin;
		char c = next_char(&next, text.end, has_dashes);

		if (glob.begin != glob.end && *glob.begin == '*') {
			star = ++glob.begin;
			retry = text.begin;
		} else if (glob.begin != glob.end &&
			   (*glob.begin == '?' || *glob.begin == c)) {
			glob.begin++;
			text.begin = next;
		} else if (star) {
			glob.begin = star;
			next_char(&retry, text.end, has_dashes);
			text.begin = retry;
		} else {
			return 0;
		}
	}
	while (glob.begin != glob.end && *glob.begin == '*')
		glob.begin++;
	return glob.begin == glob.end;
}

static int field_match(struct sdt_span glob, struct sdt_span text,
		       int has_dashes)
{
	return glob.begin == glob.end || glob_match(glob, text, has_dashes);
}

/* gcc and clang name parts of a function NAME.cold, NAME.part.0, ... */
static int function_match(struct sdt_span glob, struct sdt_span text)
{
	struct sdt_span whole = { text.begin, text.begin };

	if (field_match(glob, text, 0))
		return 1;
	while (whole.end != text.end && *whole.end != '.')
		whole.end++;
	return field_match(glob, whole, 0);
}

/* Takes the last field off PATTERN, from its last colon on. */
static struct sdt_span take_field(struct sdt_span *pattern)
{
	struct sdt_span field = { pattern->end, pattern->end };

	while (field.begin != pattern->begin && field.begin[-1] != ':')
		field.begin--;
	pattern->end = field.begin;
	if (pattern->end != pattern->begin)
		pattern->end--;
	return field;
}

int sdt_match_start(struct sdt_match *match, const struct sdt_table *table,
		    const char *module, const char *pattern)
{
	struct sdt_span rest = span_of(pattern);
	struct sdt_span field;
	int ncolons = 0;

	for (const char *at = rest.begin; at != rest.end; at++)
		ncolons += *at == ':';
	if (ncolons > 3)
		return -1;

	match->table = table;
	match->next = 0;
	match->name = take_field(&rest);
	match->function = take_field(&rest);
	field = take_field(&rest);
	match->provider = take_field(&rest);
	if (!field_match(field, span_of(module), 0))
		match->next = table->nsites;
	return 0;
}

int sdt_match_fields(const struct sdt_match *match,
		     const struct sdt_span *provider,
		     const struct sdt_span *function,
		     const struct sdt_span *name, int has_dashes)
{
	return field_match(match->name, *name, has_dashes) &&
	       field_match(match->provider, *provider, 0) &&
	       function_match(match->function, *function);
}

int sdt_match_next(struct sdt_match *match, struct sdt_site *site)
{
	while (match->next < match->table->nsites) {
		struct probe_name probe;
		struct sdt_span function;

		sdt_table_get_site(match->table, match->next++, site);
		split_symbol(site, &probe);
		function = span_of(site->function);
		if (sdt_match_fields(match, &probe.provider, &function,
				     &probe.name, probe.has_dashes))
			return 1;
	}
	return 0;
}

struct out {
	char *buf;
	sdt_uptr size;
	sdt_uptr len;
};

static void put_char(struct out *out, char c)
{
	if (out->len < out->size)
		out->buf[out->len] = c;
	out->len++;
}

static void put_span(struct out *out, struct sdt_span span, int has_dashes)
{
	while (span.begin != span.end)
		put_char(out, next_char(&span.begin, span.end, has_dashes));
}

sdt_uptr sdt_site_name(const struct sdt_site *site, const char *module,
		       char *buf, sdt_uptr size)
{
	struct out out = { buf, size, 0 };
	struct probe_name probe;

	split_symbol(site, &probe);

	put_span(&out, probe.provider, 0);
	put_char(&out, ':');
	put_span(&out, span_of(module), 0);
	put_char(&out, ':');
	put_span(&out, span_of(site->function), 0);
	put_char(&out, ':');
	put_span(&out, probe.name, probe.has_dashes);
	if (size > 0)
		buf[out.len < size ? out.len : size - 1] = '\0';
	return out.len;
}
