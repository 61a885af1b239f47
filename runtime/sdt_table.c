/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads both site tables: the checks judge the raw bytes, all else takes a
 * table that they have accepted.  Only site_addr() and sdt_table_get_site()
 * know how a site is written down.
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

/* One volatile byte after the other, as compilers would call memset() else. */
static void clear(struct sdt_table *table)
{
	volatile sdt_u8 *bytes = (volatile sdt_u8 *)table;

	for (sdt_uptr i = 0; i < sizeof(*table); i++)
		bytes[i] = 0;
}

/* --- Is it a table? ------------------------------------------------------ */

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
	table->jumps = (const void *)(table->functions + table->nfunctions);
	table->strings = (const char *)head + head->strings;
	table->njumps = (sdt_u32)((sdt_uptr)(table->strings -
					     (const char *)table->jumps) /
				  sizeof(table->jumps[0]));
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

/* The record of the probe of the site with INFO; at least nprobes if none. */
static sdt_u32 probe_of(const struct sdt_table *table, sdt_u32 info)
{
	sdt_u32 idx = info >> 3;

	if ((info & 3) != SDT_FORM_BRANCH)
		return idx;
	return idx < table->njumps ? table->jumps[idx].probe : table->nprobes;
}

static enum sdt_table_error check_sites(const struct sdt_table *table,
					sdt_u32 section)
{
	sdt_u32 first = table->sections[section].first;

	for (sdt_u32 i = first; i < section_end(table, section); i++) {
		const struct sdt_table_site *site = &table->sites[i];

		if (i > first && site[-1].offset >= site->offset)
			return SDT_TABLE_BAD_SITE;
		if (probe_of(table, site->info) >= table->nprobes)
			return SDT_TABLE_BAD_SITE;
	}
	return SDT_TABLE_OK;
}

static enum sdt_table_error check_jumps(const struct sdt_table *table)
{
	for (sdt_u32 i = 0; i < table->njumps; i++)
		if (table->jumps[i].section >= table->nsections)
			return SDT_TABLE_BAD_SITE;
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

/* Each function has a site, and each site a function, or there is none. */
static enum sdt_table_error check_functions(const struct sdt_table *table,
					    sdt_u32 nchars)
{
	const struct sdt_table_function *function = table->functions;

	if (table->nfunctions > 0 && function->first != 0)
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

static int ascends(const struct sdt_table *table);

static enum sdt_table_error check_offsets(const struct sdt_table_head *head,
					  struct sdt_table *table)
{
	sdt_u32 nchars = head->size - head->strings;
	enum sdt_table_error error;

	locate_records(head, table);
	error = check_sections(table);
	for (sdt_u32 i = 0; error == SDT_TABLE_OK && i < table->nsections; i++)
		error = check_sites(table, i);
	if (error == SDT_TABLE_OK)
		error = check_jumps(table);
	if (error == SDT_TABLE_OK)
		error = check_probes(table, nchars);
	if (error == SDT_TABLE_OK)
		error = check_functions(table, nchars);
	return error;
}

enum sdt_table_error sdt_table_check(const void *raw, sdt_uptr limit,
				     struct sdt_table *table)
{
	enum sdt_table_error error;

	clear(table);
	if ((sdt_uptr)raw % sizeof(sdt_u32) != 0)
		return SDT_TABLE_UNALIGNED;
	error = check_head(raw, limit);
	if (error != SDT_TABLE_OK)
		return error;

	/* From here on all records and strings are within the table. */
	error = check_offsets(raw, table);
	if (error == SDT_TABLE_OK)
		table->is_sorted = ascends(table);
	return error;
}

static enum sdt_form entry_form(const struct sdt_table_entry *entry)
{
	return (enum sdt_form)(self_relative(&entry->probe) & 3);
}

/* What the entry points to: a descriptor, or a jump. */
static const void *entry_probe(const struct sdt_table_entry *entry)
{
	return (const void *)(self_relative(&entry->probe) & ~(sdt_uptr)7);
}

static const struct sdt_table_descriptor *
entry_descriptor(const struct sdt_table_entry *entry)
{
	const struct sdt_table_jump *jump = entry_probe(entry);
	sdt_uptr probe;

	if (entry_form(entry) != SDT_FORM_BRANCH)
		return entry_probe(entry);
	probe = self_relative(&jump->probe);
	return (const void *)probe;
}

static const char *
descriptor_name(const struct sdt_table_descriptor *descriptor)
{
	return (const char *)(descriptor + 1);
}

/* It is within the descriptors, and so is the end of its name. */
static enum sdt_table_error
check_descriptor(const struct sdt_bounds *bounds,
		 const struct sdt_table_descriptor *descriptor)
{
	sdt_uptr start = (sdt_uptr)bounds->probes;
	sdt_uptr size = (sdt_uptr)bounds->probes_end - start;
	sdt_uptr at = (sdt_uptr)descriptor - start;
	sdt_uptr len = 0;

	if (at >= size || size - at <= sizeof(*descriptor))
		return SDT_TABLE_BAD_PROBE;
	if (descriptor->magic != SDT_PROBE_MAGIC)
		return descriptor->magic << 8 == SDT_PROBE_MAGIC << 8
			       ? SDT_TABLE_NEWER
			       : SDT_TABLE_BAD_PROBE;
	while (descriptor_name(descriptor)[len] != '\0')
		if (++len >= size - at - sizeof(*descriptor))
			return SDT_TABLE_BAD_PROBE;
	return descriptor->prefix <= len ? SDT_TABLE_OK : SDT_TABLE_BAD_PROBE;
}

/* A jump is aligned as descriptors are: so is the word that points to one. */
static enum sdt_table_error check_entry(const struct sdt_bounds *bounds,
					const struct sdt_table_entry *entry)
{
	sdt_uptr start = (sdt_uptr)bounds->probes;
	sdt_uptr size = (sdt_uptr)bounds->probes_end - start;
	const void *probe = entry_probe(entry);
	sdt_uptr at = (sdt_uptr)probe - start;

	/* The jump is read only once it is known to be there. */
	if (entry_form(entry) == SDT_FORM_BRANCH) {
		if (at >= size || size - at < sizeof(struct sdt_table_jump))
			return SDT_TABLE_BAD_PROBE;
		probe = entry_descriptor(entry);
		if ((sdt_uptr)probe % 8 != 0)
			return SDT_TABLE_BAD_PROBE;
	}
	return check_descriptor(bounds, probe);
}

static enum sdt_table_error check_bounds(const struct sdt_bounds *bounds)
{
	sdt_uptr start = (sdt_uptr)bounds->sites;
	sdt_uptr end = (sdt_uptr)bounds->sites_end;

	if (start % 4 != 0 || (sdt_uptr)bounds->probes % 4 != 0)
		return SDT_TABLE_UNALIGNED;
	if (end < start || (end - start) % sizeof(struct sdt_table_entry) != 0)
		return SDT_TABLE_BAD_SIZE;
	if ((sdt_u64)(end - start) / sizeof(struct sdt_table_entry) >> 32 != 0)
		return SDT_TABLE_BAD_SIZE;
	if ((sdt_uptr)bounds->probes_end < (sdt_uptr)bounds->probes)
		return SDT_TABLE_BAD_SIZE;
	return SDT_TABLE_OK;
}

enum sdt_table_error sdt_table_check_anchored(const struct sdt_bounds *bounds,
					      struct sdt_table *table)
{
	enum sdt_table_error error = check_bounds(bounds);

	clear(table);
	if (error != SDT_TABLE_OK)
		return error;
	table->entries = bounds->sites;
	table->descriptors = bounds->probes;
	table->nsites = (sdt_u32)(((sdt_uptr)bounds->sites_end -
				   (sdt_uptr)bounds->sites) /
				  sizeof(struct sdt_table_entry));
	for (sdt_u32 i = 0; i < table->nsites; i++) {
		error = check_entry(bounds, &table->entries[i]);
		if (error != SDT_TABLE_OK)
			return error;
	}
	table->is_sorted = ascends(table);
	return SDT_TABLE_OK;
}

/* --- One site ------------------------------------------------------------ */

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

	if (firsts.n == 0)
		return "";
	return table->strings +
	       table->functions[record_of_site(firsts, idx)].name;
}

static sdt_uptr site_addr(const struct sdt_table *table, sdt_u32 idx)
{
	if (table->entries != 0)
		return self_relative(&table->entries[idx].site);
	return site_section(table, idx) + table->sites[idx].offset;
}

static int ascends(const struct sdt_table *table)
{
	sdt_uptr last = 0;

	for (sdt_u32 i = 0; i < table->nsites; i++) {
		sdt_uptr addr = site_addr(table, i);

		if (addr < last)
			return 0;
		last = addr;
	}
	return 1;
}

static void get_recorded(const struct sdt_table *table, sdt_u32 idx,
			 struct sdt_site *site)
{
	sdt_u32 info = table->sites[idx].info;
	const struct sdt_table_probe *probe =
		&table->probes[probe_of(table, info)];
	const struct sdt_table_recorded_jump *jump;

	site->stub = self_relative(&probe->stub);
	site->symbol = table->strings + probe->name;
	site->prefix = probe->prefix;
	site->target = 0;
	site->function = site_function(table, idx);
	site->probe = probe_of(table, info);
	site->form = (enum sdt_form)(info & 3);
	site->is_enabled = (int)(info >> 2 & 1);
	if (site->form != SDT_FORM_BRANCH)
		return;
	jump = &table->jumps[info >> 3];
	site->stub = 0;
	site->target = self_relative(&table->sections[jump->section].base) +
		       jump->offset;
}

static void get_anchored(const struct sdt_table *table, sdt_u32 idx,
			 struct sdt_site *site)
{
	const struct sdt_table_entry *entry = &table->entries[idx];
	const struct sdt_table_descriptor *descriptor = entry_descriptor(entry);
	const struct sdt_table_jump *jump = entry_probe(entry);
	sdt_uptr kind = self_relative(&entry->probe) & 7;
	const char *function = 0;

	if (table->find_function != 0)
		function = table->find_function(table->cookie, site->addr);
	site->stub = descriptor->stub == 0 ? 0
					   : self_relative(&descriptor->stub);
	site->symbol = descriptor_name(descriptor);
	site->prefix = descriptor->prefix;
	site->function = function != 0 ? function : "";
	site->probe = (sdt_u32)(((sdt_uptr)descriptor -
				 (sdt_uptr)table->descriptors) /
				8);
	site->form = (enum sdt_form)(kind & 3);
	site->is_enabled = (int)(kind >> 2);
	site->target = 0;
	if (site->form != SDT_FORM_BRANCH)
		return;
	site->stub = 0;
	site->target = self_relative(&jump->target);
}

void sdt_table_get_site(const struct sdt_table *table, sdt_u32 idx,
			struct sdt_site *site)
{
	site->addr = site_addr(table, idx);
	site->idx = idx;
	if (table->entries != 0)
		get_anchored(table, idx, site);
	else
		get_recorded(table, idx, site);
}

/* --- By address ---------------------------------------------------------- */

/*
 * The first site of [LOW, END) at or behind ADDR, or END.  The sites ascend,
 * counted from BASE: a section may lie at the end of the address space.
 */
static sdt_u32 site_at(const struct sdt_table *table, sdt_u32 low, sdt_u32 end,
		       sdt_uptr base, sdt_uptr addr)
{
	while (low < end) {
		sdt_u32 mid = low + (end - low) / 2;

		if (site_addr(table, mid) - base < addr - base)
			low = mid + 1;
		else
			end = mid;
	}
	return low;
}

static int find_in_order(const struct sdt_table *table, sdt_uptr pc,
			 sdt_u32 *idx)
{
	*idx = site_at(table, 0, table->nsites, 0, pc);
	return *idx < table->nsites && site_addr(table, *idx) == pc;
}

static int find_in_sections(const struct sdt_table *table, sdt_uptr pc,
			    sdt_u32 *idx)
{
	for (sdt_u32 i = 0; i < table->nsections; i++) {
		sdt_uptr base = self_relative(&table->sections[i].base);
		sdt_u32 end = section_end(table, i);

		*idx = site_at(table, table->sections[i].first, end, base, pc);
		if (*idx < end && site_addr(table, *idx) == pc)
			return 1;
	}
	return 0;
}

static int find_in_disorder(const struct sdt_table *table, sdt_uptr pc,
			    sdt_u32 *idx)
{
	for (*idx = 0; *idx < table->nsites; ++*idx)
		if (site_addr(table, *idx) == pc)
			return 1;
	return 0;
}

int sdt_table_find(const struct sdt_table *table, sdt_uptr pc,
		   struct sdt_site *site)
{
	sdt_u32 idx;
	int found;

	if (table->is_sorted)
		found = find_in_order(table, pc, &idx);
	else if (table->entries != 0)
		found = find_in_disorder(table, pc, &idx);
	else
		found = find_in_sections(table, pc, &idx);
	if (found)
		sdt_table_get_site(table, idx, site);
	return found;
}

/* --- Sorting ------------------------------------------------------------- */

/* Writes what PLACE must hold to mean the addresses SITE and PROBE. */
static void put_entry(struct sdt_table_entry *place, sdt_uptr site,
		      sdt_uptr probe)
{
	place->site = (sdt_s32)(site - (sdt_uptr)&place->site);
	place->probe = (sdt_s32)(probe - (sdt_uptr)&place->probe);
}

static void swap_entries(struct sdt_table_entry *a, struct sdt_table_entry *b)
{
	sdt_uptr site = self_relative(&a->site);
	sdt_uptr probe = self_relative(&a->probe);

	put_entry(a, self_relative(&b->site), self_relative(&b->probe));
	put_entry(b, site, probe);
}

/* Lets the entry at ROOT sink in the heap of the first N. */
static void sink(struct sdt_table_entry *entries, sdt_u32 root, sdt_u32 n)
{
	while (root < n / 2) {
		sdt_u32 child = 2 * root + 1;

		if (child + 1 < n &&
		    self_relative(&entries[child + 1].site) >
			    self_relative(&entries[child].site))
			child++;
		if (self_relative(&entries[root].site) >=
		    self_relative(&entries[child].site))
			return;
		swap_entries(&entries[root], &entries[child]);
		root = child;
	}
}

static int is_near(sdt_uptr from, sdt_uptr to)
{
	return (sdt_sptr)(to - from) == (sdt_s32)(to - from);
}

/* The first entry or the last is the farthest from ADDR. */
static int fits_anywhere(const struct sdt_table *table, sdt_uptr addr)
{
	return is_near((sdt_uptr)table->entries, addr) &&
	       is_near((sdt_uptr)(table->entries + table->nsites), addr);
}

int sdt_table_sort(struct sdt_table *table)
{
	struct sdt_table_entry *entries = (void *)(sdt_uptr)table->entries;

	if (table->is_sorted)
		return 0;
	if (entries == 0)
		return -1;
	for (sdt_u32 i = 0; i < table->nsites; i++)
		if (!fits_anywhere(table, self_relative(&entries[i].site)) ||
		    !fits_anywhere(table, self_relative(&entries[i].probe)))
			return -1;

	for (sdt_u32 i = table->nsites / 2; i > 0; i--)
		sink(entries, i - 1, table->nsites);
	for (sdt_u32 n = table->nsites; n > 1; n--) {
		swap_entries(&entries[0], &entries[n - 1]);
		sink(entries, 0, n - 1);
	}
	table->is_sorted = 1;
	return 0;
}
