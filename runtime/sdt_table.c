/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads the site table: sdt_table_check() judges the raw bytes, all else takes
 * a table that it has accepted.  Only site_section() and sdt_table_get_site()
 * know how a site's address is written down.
 */
#include "sdt_table.h"

/* The first words of consecutive sections or functions, two words apart. */
struct firsts {
	const sdt_u32 *words;
	sdt_u32 n;
};

static sdt_uptr self_relative(const sdt_s32 *word)
{
	return (sdt_uptr)word + (sdt_uptr)(sdt_sptr)*word;
}

static int text_compare(const char *a, const char *b)
{
	while (*a != '\0' && *a == *b) {
		a++;
		b++;
	}
	return (sdt_u8)*a - (sdt_u8)*b;
}

static sdt_uptr text_length(const char *text)
{
	sdt_uptr n = 0;

	while (text[n] != '\0')
		n++;
	return n;
}

static enum sdt_table_error check_head(const struct sdt_table_head *head,
				       sdt_uptr limit)
{
	sdt_u64 records;

	if (limit < sizeof(*head))
		return SDT_TABLE_BAD_SIZE;
	if (head->magic != SDT_TABLE_MAGIC)
		return SDT_TABLE_NO_MAGIC;
	if (head->version != SDT_TABLE_VERSION)
		return SDT_TABLE_NEWER;

	records = sizeof(*head) +
		  head->nsections * (sdt_u64)sizeof(struct sdt_table_section) +
		  head->nsites * (sdt_u64)sizeof(struct sdt_table_site) +
		  head->nprobes * (sdt_u64)sizeof(struct sdt_table_probe) +
		  head->nfunctions * (sdt_u64)sizeof(struct sdt_table_function);
	if (head->size > limit || head->size < records ||
	    (sdt_uptr)head + head->size < (sdt_uptr)head)
		return SDT_TABLE_BAD_SIZE;
	if (head->strings < records || head->strings > head->size)
		return SDT_TABLE_BAD_STRINGS;

	/* One NUL at the very end terminates whatever name begins before. */
	if (head->strings < head->size &&
	    ((const char *)head)[head->size - 1] != '\0')
		return SDT_TABLE_BAD_STRINGS;
	return SDT_TABLE_OK;
}

static void locate_records(const struct sdt_table_head *head,
			   struct sdt_table *table)
{
	table->nsections = head->nsections;
	table->nsites = head->nsites;
	table->nprobes = head->nprobes;
	table->nfunctions = head->nfunctions;
	table->sections = (const void *)(head + 1);
	table->sites = (const void *)(table->sections + table->nsections);
	table->probes = (const void *)(table->sites + table->nsites);
	table->functions = (const void *)(table->probes + table->nprobes);
	table->strings = (const char *)head + head->strings;
}

/* Sites without a section would have no address. */
static enum sdt_table_error check_sections(const struct sdt_table *table)
{
	sdt_u32 first = 0;

	if (table->nsections == 0)
		return table->nsites == 0 ? SDT_TABLE_OK
					  : SDT_TABLE_BAD_SECTION;
	if (table->sections[0].first != 0)
		return SDT_TABLE_BAD_SECTION;
	for (sdt_u32 i = 0; i < table->nsections; i++) {
		if (table->sections[i].first < first ||
		    table->sections[i].first > table->nsites)
			return SDT_TABLE_BAD_SECTION;
		first = table->sections[i].first;
	}
	return SDT_TABLE_OK;
}

static sdt_u32 section_end(const struct sdt_table *table, sdt_u32 idx)
{
	return idx + 1 < table->nsections ? table->sections[idx + 1].first
					  : table->nsites;
}

static enum sdt_table_error check_sites(const struct sdt_table *table,
					sdt_u32 section)
{
	sdt_u32 first = table->sections[section].first;

	for (sdt_u32 i = first; i < section_end(table, section); i++) {
		const struct sdt_table_site *site = &table->sites[i];

		if (i > first && site[-1].offset >= site->offset)
			return SDT_TABLE_BAD_SITE;
		if (site->info >> 3 >= table->nprobes ||
		    (site->info & 3) > SDT_FORM_COND)
			return SDT_TABLE_BAD_SITE;
	}
	return SDT_TABLE_OK;
}

static enum sdt_table_error check_probes(const struct sdt_table *table,
					 sdt_u32 nchars)
{
	for (sdt_u32 i = 0; i < table->nprobes; i++) {
		const struct sdt_table_probe *probe = &table->probes[i];

		if (probe->name >= nchars ||
		    probe->prefix > text_length(table->strings + probe->name))
			return SDT_TABLE_BAD_PROBE;
		if (i > 0 && text_compare(table->strings + probe[-1].name,
					  table->strings + probe->name) >= 0)
			return SDT_TABLE_BAD_PROBE;
	}
	return SDT_TABLE_OK;
}

/* Each function has a site, and each site a function. */
static enum sdt_table_error check_functions(const struct sdt_table *table,
					    sdt_u32 nchars)
{
	const struct sdt_table_function *function = table->functions;

	if (table->nsites > 0 &&
	    (table->nfunctions == 0 || function->first != 0))
		return SDT_TABLE_BAD_FUNCTION;
	for (sdt_u32 i = 0; i < table->nfunctions; i++, function++) {
		if (function->first >= table->nsites ||
		    function->name >= nchars)
			return SDT_TABLE_BAD_FUNCTION;
		if (i > 0 && function[-1].first >= function->first)
			return SDT_TABLE_BAD_FUNCTION;
	}
	return SDT_TABLE_OK;
}

enum sdt_table_error sdt_table_check(const void *raw, sdt_uptr limit,
				     struct sdt_table *table)
{
	const struct sdt_table_head *head = raw;
	enum sdt_table_error error;
	sdt_u32 nchars;

	if ((sdt_uptr)raw % sizeof(sdt_u32) != 0)
		return SDT_TABLE_UNALIGNED;
	error = check_head(head, limit);
	if (error != SDT_TABLE_OK)
		return error;

	/* From here on all records and strings are within the table. */
	locate_records(head, table);
	nchars = head->size - head->strings;
	error = check_sections(table);
	for (sdt_u32 i = 0; error == SDT_TABLE_OK && i < table->nsections; i++)
		error = check_sites(table, i);
	if (error == SDT_TABLE_OK)
		error = check_probes(table, nchars);
	if (error == SDT_TABLE_OK)
		error = check_functions(table, nchars);
	return error;
}

/* The last record that begins at or before site IDX: the one it is in. */
static sdt_u32 record_of_site(struct firsts firsts, sdt_u32 idx)
{
	sdt_u32 low = 0;

	while (firsts.n > 1) {
		sdt_u32 half = firsts.n / 2;

		if (firsts.words[2 * (low + half)] <= idx)
			low += half;
		firsts.n -= half;
	}
	return low;
}

static sdt_uptr site_section(const struct sdt_table *table, sdt_u32 idx)
{
	struct firsts firsts = { &table->sections->first, table->nsections };

	return self_relative(
		&table->sections[record_of_site(firsts, idx)].base);
}

static const char *site_function(const struct sdt_table *table, sdt_u32 idx)
{
	struct firsts firsts = { &table->functions->first, table->nfunctions };

	return table->strings +
	       table->functions[record_of_site(firsts, idx)].name;
}

void sdt_table_get_site(const struct sdt_table *table, sdt_u32 idx,
			struct sdt_site *site)
{
	sdt_u32 info = table->sites[idx].info;
	const struct sdt_table_probe *probe = &table->probes[info >> 3];

	site->addr = site_section(table, idx) + table->sites[idx].offset;
	site->stub = self_relative(&probe->stub);
	site->symbol = table->strings + probe->name;
	site->prefix = probe->prefix;
	site->function = site_function(table, idx);
	site->idx = idx;
	site->probe = info >> 3;
	site->form = (enum sdt_form)(info & 3);
	site->is_enabled = (int)(info >> 2 & 1);
}

/* The first site of [LOW, END) at or behind OFFSET, or END. */
static sdt_u32 site_at_offset(const struct sdt_table *table, sdt_u32 low,
			      sdt_u32 end, sdt_u32 offset)
{
	while (low < end) {
		sdt_u32 mid = low + (end - low) / 2;

		if (table->sites[mid].offset < offset)
			low = mid + 1;
		else
			end = mid;
	}
	return low;
}

int sdt_table_find(const struct sdt_table *table, sdt_uptr pc,
		   struct sdt_site *site)
{
	for (sdt_u32 i = 0; i < table->nsections; i++) {
		sdt_uptr base = self_relative(&table->sections[i].base);
		sdt_u32 offset = (sdt_u32)(pc - base);
		sdt_u32 end = section_end(table, i);
		sdt_u32 idx;

		if (base + offset != pc)
			continue;
		idx = site_at_offset(table, table->sections[i].first, end,
				     offset);
		if (idx < end && table->sites[idx].offset == offset) {
			sdt_table_get_site(table, idx, site);
			return 1;
		}
	}
	return 0;
}

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

/* What a symbol's name says; in NAME, __ reads as - if HAS_DASHES. */
struct probe_name {
	struct sdt_span provider;
	struct sdt_span name;
	int has_dashes;
};

/*
 * PREFIX provider ___ name.  Without a ___ that has something on both sides,
 * all of it is the name of an sdt probe; without a prefix, it is a function
 * that sdtlink was told by --symbol, and its name is no spelling of another.
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

/* The character at *AT, which goes one step on. */
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

/* Backs up to the last * only, which is enough: no recursion. */
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

/* gcc and clang put parts of a function under NAME.cold, NAME.part.0, ... */
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

int sdt_match_next(struct sdt_match *match, struct sdt_site *site)
{
	while (match->next < match->table->nsites) {
		struct probe_name probe;

		sdt_table_get_site(match->table, match->next++, site);
		split_symbol(site, &probe);
		if (field_match(match->name, probe.name, probe.has_dashes) &&
		    field_match(match->provider, probe.provider, 0) &&
		    function_match(match->function, span_of(site->function)))
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
