/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds whole tables by their contents: an offsets table by its header, an
 * anchored one by the descriptors to which its entries point.
 */
#include <config.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "arch/tracepoint.h"
#include "base/table-format.h"
#include "base/grow.h"
#include "base/search.h"
#include "base/sort.h"
#include "table.h"

/*
 * Bytes that only begin like a table may claim any size. The search reads no
 * more than this many times the size of the image.
 */
#define WORK_MAX 64

/* A range of addresses. It is empty if FIRST is more than LAST. */
struct span {
	uint64_t first, last;
};

struct search {
	struct diag *d;
	const struct image *img;
	struct table *table;
	struct found_tables *found;
	uint64_t *descriptors; /* their addresses, ascending; owned */
	size_t ndescriptors;
	struct span descriptors_span; /* they are in it */
	struct span leads;	      /* so are all words that lead to one */
	uint64_t *jumps; /* addresses of jump records, ascending; owned */
	size_t njumps;
	uint8_t *guesses; /* of the run that was read last; owned */
	uint64_t work;	  /* bytes of all that was tried */
};

/* --- What a site is ------------------------------------------------------ */

bool table_is_site(const struct image *img, const struct table_entry *entry)
{
	const struct image_section *is = image_find_text(img, entry->addr, 1);
	const struct arch *arch = img->obj->arch;
	struct branch branch;
	uint8_t off[DISABLED_MAX];
	uint64_t offset;
	unsigned n;

	if (is == NULL)
		return false;
	offset = entry->addr - is->code.addr;
	if (entry->form == FORM_BRANCH)
		return tracepoint_own_length(arch, &is->code, offset) > 0;
	n = arch->disable(arch, entry->form, entry->is_enabled, &is->code,
			  offset, off);
	if (n > 0 && is->code.size - offset >= n &&
	    memcmp(is->code.bytes + offset, off, n) == 0)
		return true;
	return arch->decode_branch(arch, &is->code, offset, &branch) &&
	       image_is_text(img, branch.target);
}

bool table_is_name(const char *name)
{
	if (*name == '\0')
		return false;
	for (; *name != '\0'; name++)
		if ((unsigned char)*name <= ' ' || *name == 0x7f)
			return false;
	return true;
}

/*
 * Is it a table? All entries must name probes, and most of those in text must
 * be sites. NODD of FOUND counts those that are not, and NABSENT those where
 * the image has no text. Both are listed as well: otherwise a site could be
 * lost.
 */
static bool are_sites(const struct image *img, const struct table *table,
		      struct found_table *found)
{
	for (size_t i = 0; i < table->nentries; i++) {
		const struct table_entry *entry = &table->entries[i];

		if (!table_is_name(entry->probe))
			return false;
		if (!image_is_text(img, entry->addr))
			found->nabsent++;
		else
			found->nodd += !table_is_site(img, entry);
	}
	return table->nentries - found->nabsent > 2 * found->nodd;
}

/* --- What was found ------------------------------------------------------ */

/* In the table that was there? */
static bool is_in_table(const struct search *s, uint64_t addr)
{
	return s->table->size > 0 && addr - s->table->addr < s->table->size;
}

/* Appends the sites of MORE. */
static int append(struct search *s, const struct table *more,
		  const struct found_table *found)
{
	size_t n = s->table->nentries;
	struct table_entry *entries =
		realloc(s->table->entries,
			(n + more->nentries + 1) * sizeof(entries[0]));
	struct found_table *items =
		grow_list(s->found->items, s->found->n, sizeof(items[0]));

	if (entries != NULL)
		s->table->entries = entries;
	if (items != NULL)
		s->found->items = items;
	if (entries == NULL || items == NULL)
		return diag_nomem(s->d, s->img->obj->path);
	memcpy(entries + n, more->entries, more->nentries * sizeof(entries[0]));
	s->table->nentries += more->nentries;
	items[s->found->n] = *found;
	items[s->found->n].form = more->form;
	items[s->found->n].addr = more->addr;
	items[s->found->n++].nsites = more->nentries;
	return 0;
}

/*
 * Reads the table of SIZE bytes at ADDR, of N entries or with a header. Sets
 * *IS_ONE to whether it is a table.
 */
static int try(struct search *s, uint64_t addr, uint64_t size, size_t n,
	       bool *is_one)
{
	struct diag quiet = { .sink = diag_ignore };
	struct found_table found = { 0 };
	struct table more = { 0 };
	int failed, ret = 0;

	s->work += size;
	if (s->work / WORK_MAX > s->img->obj->file_size)
		return diag_file(s->d, s->img->obj->path, "table-mismatch",
				 "too many bytes look like a table: give "
				 "--debug-file");
	failed = n > 0 ? table_read_entries(&quiet, s->img, addr, n, &more)
		       : table_read_offsets(&quiet, s->img, addr, &more);
	*is_one = !failed && are_sites(s->img, &more, &found);
	if (*is_one)
		ret = append(s, &more, &found);
	table_free(&more);
	return ret;
}

/* --- Where to look ------------------------------------------------------- */

/* The offset of the next WORD of IS at or behind OFFSET, or UINT64_MAX. */
static uint64_t find_word(const struct search *s,
			  const struct image_section *is, uint64_t offset,
			  uint32_t word)
{
	uint32_t wanted, here;

	object_put(s->img->obj, (uint8_t *)&wanted, word, 4);
	for (uint64_t i = offset; i + 4 <= is->code.size; i += 4) {
		memcpy(&here, is->code.bytes + i, 4);
		if (here == wanted)
			return i;
	}
	return UINT64_MAX;
}

static int search_offsets(struct search *s, const struct image_section *is)
{
	for (uint64_t i = image_first_word(is);
	     (i = find_word(s, is, i, SDT_TABLE_MAGIC)) != UINT64_MAX; i += 4) {
		uint64_t size;
		bool is_one;

		if (is_in_table(s, is->code.addr + i) ||
		    !table_is_offsets(s->img, is->code.addr + i))
			continue;
		size = image_word(s->img, is, i + 8);
		if (try(s, is->code.addr + i, size, 0, &is_one))
			return -1;
		/* What is in a table is none. */
		if (is_one)
			i += (size - 1) & ~(uint64_t)3;
	}
	return 0;
}

/* Is it a descriptor? It must have a name, and a prefix no longer than that. */
static bool is_descriptor(const struct search *s,
			  const struct image_section *is, uint64_t offset)
{
	uint64_t left = is->code.size - offset;
	const char *name = (const char *)is->code.bytes + offset +
			   SDT_PROBE_NAME;
	size_t length;

	if (left <= SDT_PROBE_NAME)
		return false;
	length = strnlen(name, left - SDT_PROBE_NAME);
	return length < left - SDT_PROBE_NAME && table_is_name(name) &&
	       image_word(s->img, is, offset + 8) <= length;
}

static int find_descriptors(struct search *s, const struct image_section *is)
{
	for (uint64_t i = image_first_word(is);
	     (i = find_word(s, is, i, SDT_PROBE_MAGIC)) != UINT64_MAX; i += 4) {
		uint64_t *grown;

		if ((is->code.addr + i) % 8 != 0 || !is_descriptor(s, is, i))
			continue;
		grown = grow_list(s->descriptors, s->ndescriptors,
				  sizeof(grown[0]));
		if (grown == NULL)
			return diag_nomem(s->d, s->img->obj->path);
		s->descriptors = grown;
		grown[s->ndescriptors++] = is->code.addr + i;
	}
	return 0;
}

static bool has_addr(const uint64_t *addrs, size_t n, uint64_t addr)
{
	size_t i;

	if (n == 0 || addr < addrs[0] || addr > addrs[n - 1])
		return false;
	LOWER_BOUND(i, n, addrs[i] < addr);
	return addrs[i] == addr;
}

/* Is ADDR inside a probe's descriptor, which includes its name? */
static bool is_in_descriptor(const struct search *s, uint64_t addr)
{
	uint64_t start;
	const uint8_t *name;
	size_t i;

	LOWER_BOUND(i, s->ndescriptors, s->descriptors[i] <= addr);
	if (i == 0)
		return false;
	start = s->descriptors[i - 1] + SDT_PROBE_NAME;
	name = image_bytes(s->img, start, 1);
	return name != NULL &&
	       (addr < start || addr - start <= strlen((const char *)name));
}

/* Is it in the table that was known before, or one of its jump records? */
static bool is_known(const struct search *s, uint64_t addr)
{
	return is_in_table(s, addr) || has_addr(s->jumps, s->njumps, addr);
}

/* Lists the jump targets of the branch form, of all known tables. */
static int list_jumps(struct search *s)
{
	uint64_t *jumps =
		realloc(s->jumps, (s->table->nentries + 1) * sizeof(jumps[0]));

	if (jumps == NULL)
		return diag_nomem(s->d, s->img->obj->path);
	s->jumps = jumps;
	s->njumps = 0;
	for (size_t i = 0; i < s->table->nentries; i++)
		if (s->table->entries[i].form == FORM_BRANCH)
			jumps[s->njumps++] = s->table->entries[i].jump;
	qsort(jumps, s->njumps, sizeof(jumps[0]), sort_compare_numbers);
	return 0;
}

enum guess {
	GUESS_NONE,
	GUESS_ODD, /* an entry, of text that is no site */
	GUESS_SITE,
	GUESS_ABSENT, /* an entry, of text that the image lacks */
};

/* What the 8 bytes at OFFSET are, if they belong to a table. */
static enum guess guess_entry(const struct search *s,
			      const struct image_section *is, uint64_t offset)
{
	uint64_t probe = image_relative(s->img, is, offset + 4);
	unsigned form = probe & 3;
	struct table_entry entry;
	const uint8_t *jump;

	probe &= ~(uint64_t)7;
	if (form == FORM_BRANCH) {
		jump = image_bytes(s->img, probe, 8);
		/* An entry points to a probe, too, but is not a jump record. */
		if (jump == NULL || is_in_table(s, probe))
			return GUESS_NONE;
		probe = object_relative(s->img->obj, jump + 4, probe + 4);
	}
	if (!has_addr(s->descriptors, s->ndescriptors, probe))
		return GUESS_NONE;
	entry = (struct table_entry){
		.addr = image_relative(s->img, is, offset),
		.form = form,
		.is_enabled = image_relative(s->img, is, offset + 4) & 4,
	};
	/* No entry is code, or a name. */
	if (is_in_descriptor(s, is->code.addr + offset) ||
	    entry.addr - (is->code.addr + offset) < 8)
		return GUESS_NONE;
	if (!image_is_text(s->img, entry.addr))
		return GUESS_ABSENT;
	return table_is_site(s->img, &entry) ? GUESS_SITE : GUESS_ODD;
}

static bool is_in_span(const struct span *span, uint64_t addr)
{
	return addr >= span->first && addr <= span->last;
}

static void find_leads(struct search *s, const struct image_section *is)
{
	for (uint64_t i = image_first_word(is); i + 4 <= is->code.size;
	     i += 4) {
		uint64_t to = image_relative(s->img, is, i);
		uint64_t addr = is->code.addr + i;

		if (!is_in_span(&s->descriptors_span, to) ||
		    !has_addr(s->descriptors, s->ndescriptors, to))
			continue;
		if (addr < s->leads.first)
			s->leads.first = addr;
		if (addr > s->leads.last)
			s->leads.last = addr;
	}
}

/* A quick test. Nearly all words fail it. */
static bool may_be_entry(const struct search *s, const struct image_section *is,
			 uint64_t offset)
{
	uint64_t probe = image_relative(s->img, is, offset + 4);
	unsigned form = probe & 3;

	probe &= ~(uint64_t)7;
	return form == FORM_BRANCH ? is_in_span(&s->leads, probe + 4)
				   : is_in_span(&s->descriptors_span, probe);
}

struct run {
	uint64_t start; /* behind it, most entries are sites; or END */
	uint64_t end;
	size_t n; /* of entries */
	size_t nsites;
};

/*
 * The first offset in RUN from which most entries are sites, beginning with one
 * that is not odd. are_sites counts in the same way.
 */
static uint64_t find_start(const struct search *s, const struct run *run)
{
	uint64_t start = run->end;
	size_t nodd = 0, nabsent = 0;

	for (size_t i = run->n; i > 0; i--) {
		enum guess guess = s->guesses[i - 1];

		nodd += guess == GUESS_ODD;
		nabsent += guess == GUESS_ABSENT;
		if (guess != GUESS_ODD && run->n - i + 1 - nabsent > 2 * nodd)
			start = run->end - 8 * (run->n - i + 1);
	}
	return start;
}

/*
 * Reads entries that follow one another. The first is not odd. Returns -1 on
 * trouble, diagnosed.
 */
static int read_run(struct search *s, const struct image_section *is,
		    uint64_t offset, struct run *run)
{
	*run = (struct run){ .end = offset };
	while (is->code.size - run->end >= 8 &&
	       !is_known(s, is->code.addr + run->end)) {
		enum guess guess = guess_entry(s, is, run->end);
		uint8_t *grown;

		if (guess == GUESS_NONE || (guess == GUESS_ODD && run->n == 0))
			break;
		grown = grow_list(s->guesses, run->n, sizeof(grown[0]));
		if (grown == NULL)
			return diag_nomem(s->d, s->img->obj->path);
		s->guesses = grown;
		grown[run->n++] = guess;
		run->end += 8;
		run->nsites += guess == GUESS_SITE;
	}
	run->start = find_start(s, run);
	return 0;
}

/*
 * Entries that follow one another are a table if one of them is a site: words
 * elsewhere can point to probes, too.
 */
static int search_entries(struct search *s, const struct image_section *is)
{
	uint64_t passed[2] = { 0 }; /* by the word of 8 bytes that is first */

	for (uint64_t i = image_first_word(is); i + 8 <= is->code.size;
	     i += 4) {
		struct run run;
		bool is_one;

		if (!may_be_entry(s, is, i) || i < passed[i / 4 % 2] ||
		    is_known(s, is->code.addr + i))
			continue;
		if (read_run(s, is, i, &run))
			return -1;
		passed[i / 4 % 2] = run.end;
		if (run.nsites == 0) {
			if (run.n > s->found->nunproved)
				s->found->nunproved = run.n;
			if (run.n > 0)
				i = run.end - 4;
			continue;
		}
		if (run.start == run.end)
			continue;
		if (try(s, is->code.addr + run.start, run.end - run.start,
			(run.end - run.start) / 8, &is_one))
			return -1;
		if (is_one)
			i = run.end - 4;
		else
			passed[i / 4 % 2] = run.start + 8;
	}
	return 0;
}

/* Is ADDR in a table that was found, other than ITEM? */
static bool is_in_found(const struct search *s, const struct found_table *item,
			uint64_t addr)
{
	for (size_t i = 0; i < s->found->n; i++) {
		const struct found_table *other = &s->found->items[i];

		if (other != item && other->form == TABLE_ANCHORED &&
		    addr - other->addr < 8 * other->nsites)
			return true;
	}
	return false;
}

/*
 * A jump record has the form of an entry, and may point to the call. So records
 * that were found by themselves are not a table. Without them, a table that
 * TAKES_ENTRIES of another as its jump records is not one, either.
 */
static void drop_found(struct search *s, bool takes_entries)
{
	struct found_tables *found = s->found;
	struct table_entry *entries = s->table->entries;
	size_t end = s->table->nentries;

	for (size_t i = found->n; i > 0; i--) {
		struct found_table *item = &found->items[i - 1];
		size_t n = 0;

		end -= item->nsites;
		while (n < item->nsites &&
		       (takes_entries
				? entries[end + n].form == FORM_BRANCH &&
					  is_in_found(s, item,
						      entries[end + n].jump)
				: has_addr(s->jumps, s->njumps,
					   item->addr + 8 * n)))
			n++;
		if (n < item->nsites)
			continue;
		memmove(entries + end, entries + end + n,
			(s->table->nentries - end - n) * sizeof(entries[0]));
		s->table->nentries -= n;
		memmove(item, item + 1, (found->n - i) * sizeof(*item));
		found->n--;
	}
}

int table_search(struct diag *d, const struct image *img, struct table *table,
		 struct found_tables *found)
{
	struct search s = {
		.d = d,
		.img = img,
		.table = table,
		.found = found,
		.leads = { UINT64_MAX, 0 },
	};
	int ret = -1;

	*found = (struct found_tables){ 0 };
	if (list_jumps(&s))
		goto done;
	for (size_t i = 0; i < img->nsections; i++)
		if (search_offsets(&s, &img->sections[i]) ||
		    find_descriptors(&s, &img->sections[i]))
			goto done;
	/* Sections of data may overlap. */
	if (s.ndescriptors > 0) {
		qsort(s.descriptors, s.ndescriptors, sizeof(s.descriptors[0]),
		      sort_compare_numbers);
		s.descriptors_span.first = s.descriptors[0];
		s.descriptors_span.last = s.descriptors[s.ndescriptors - 1];
	}
	for (size_t i = 0; s.ndescriptors > 0 && i < img->nsections; i++)
		find_leads(&s, &img->sections[i]);
	for (size_t i = 0; s.ndescriptors > 0 && i < img->nsections; i++)
		if (search_entries(&s, &img->sections[i]))
			goto done;
	if (list_jumps(&s))
		goto done;
	drop_found(&s, false);
	drop_found(&s, true);
	ret = 0;
done:
	free(s.jumps);
	free(s.guesses);
	free(s.descriptors);
	return ret;
}
