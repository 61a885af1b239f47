/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "base/table-format.h"
#include "base/search.h"
#include "elf/functions.h"
#include "entries.h"

bool records_mode_at(const struct image *img, const struct image_section *is,
		     uint64_t addr, uint8_t *mode)
{
	struct symbol sym;

	*mode = code_mode(&is->code, addr - is->code.addr);
	if (*mode != MODE_UNKNOWN && *mode != MODE_DATA)
		return true;
	*mode = 0;
	if (!image_function(img, addr, &sym))
		return false;
	*mode = sym.mode;
	return true;
}

bool records_are_whole(const struct records *records)
{
	return records->n > 0 && !records->is_compressed &&
	       !records->is_damaged;
}

size_t records_below(const struct records *records, uint64_t addr)
{
	size_t i;

	LOWER_BOUND(i, records->n, records->items[i].addr < addr);
	return i;
}

bool records_is_at(const struct records *records, size_t i, uint64_t addr)
{
	return i < records->n && records->items[i].addr == addr;
}

static int add_section(struct diag *d, const struct object *obj, uint32_t shndx,
		       struct records *records)
{
	struct record *items;
	const uint8_t *data;
	size_t size, n;

	if (packed_read(d, obj, shndx, &records->packed, &data, &size))
		return -1;
	if (data == NULL) {
		records->is_compressed = true;
		return 0;
	}
	if (size % SDT_BEFORE_SIZE != 0) {
		records->is_damaged = true;
		return 0;
	}
	n = size / SDT_BEFORE_SIZE;
	items = realloc(records->items,
			(records->n + n + 1) * sizeof(items[0]));
	if (items == NULL)
		return diag_nomem(d, obj->path);
	records->items = items;
	for (size_t i = 0; i < n; i++)
		items[records->n++] = (struct record){
			.addr = object_address(obj, data + i * SDT_BEFORE_SIZE),
			.bytes = data + i * SDT_BEFORE_SIZE,
		};
	return 0;
}

static int add_object(struct diag *d, const struct object *obj,
		      struct records *records)
{
	for (size_t i = 1; i < obj->nsections; i++)
		if (obj->sections[i].type == SHT_PROGBITS &&
		    !section_is_alloc(&obj->sections[i]) &&
		    strcmp(obj->sections[i].name, SDT_BEFORE_SECTION) == 0 &&
		    add_section(d, obj, i, records))
			return -1;
	return 0;
}

static bool are_alike(const struct record *a, const struct record *b)
{
	return memcmp(a->bytes, b->bytes, SDT_BEFORE_SIZE) == 0;
}

/* By address; those that are alike are neighbours. */
static int compare_records(const void *a, const void *b)
{
	const struct record *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return memcmp(x->bytes, y->bytes, SDT_BEFORE_SIZE);
}

int records_read(struct diag *d, const struct object *final,
		 struct records *records)
{
	*records = (struct records){ 0 };
	if (add_object(d, final, records) ||
	    (records->n == 0 && final->lender != NULL &&
	     add_object(d, final->lender, records)))
		return -1;
	if (records->n > 0)
		qsort(records->items, records->n, sizeof(records->items[0]),
		      compare_records);
	return 0;
}

void records_free(struct records *records)
{
	packed_free(&records->packed);
	free(records->items);
	*records = (struct records){ 0 };
}

/*
 * The code of SITE once it is off. Returns its length, or 0 if --nop leaves it
 * alone.
 */
static unsigned disabled_form(const struct proof *p,
			      const struct proof_site *site,
			      uint8_t bytes[DISABLED_MAX])
{
	const struct arch *arch = p->partial->arch;
	const struct image_section *is =
		image_find_text(&p->run->img, site->addr, 1);
	struct mark mark = { 0, site->mode };
	struct code code;

	if (is == NULL || site->form == FORM_BRANCH)
		return 0;
	code = code_in_mode(&is->code, &mark);
	return arch->disable(arch, site->form, site->is_enabled, &code,
			     site->addr - code.addr, bytes);
}

bool records_is_disabled(const struct proof *p, const struct proof_site *site)
{
	uint8_t expected[DISABLED_MAX];
	unsigned n = disabled_form(p, site, expected);
	const uint8_t *bytes = image_bytes(&p->run->img, site->addr, n);

	return n > 0 && bytes != NULL && memcmp(bytes, expected, n) == 0;
}

/* The hash of the probe that record I is about. */
static uint32_t probe_of(const struct proof *p, size_t i)
{
	return object_word(p->partial,
			   p->run->records.items[i].bytes + SDT_BEFORE_HASH);
}

bool records_lack(const struct proof *p, const struct proof_site *site)
{
	const struct records *records = &p->run->records;
	uint32_t hash;

	if (site->form == FORM_BRANCH || branch_is_right(p, site))
		return false;
	hash = stub_code_hash(site->symbol);
	for (size_t i = records_below(records, site->addr);
	     records_is_at(records, i, site->addr); i++)
		if (probe_of(p, i) == hash)
			return false;
	return true;
}

#define NEIGHBOURS 16 /* bytes: a delay slot, what a slot is filled from */

/*
 * Puts the instruction that --nop noted back between its neighbours. Does --nop
 * make of it what the image has? Some instructions become a branch only when
 * the linker rewrites them.
 */
static bool is_made_of(const struct proof *p, const struct record *record,
		       const struct proof_site *site)
{
	const struct arch *arch = p->partial->arch;
	const struct image_section *is =
		image_find_text(&p->run->img, site->addr, 1);
	uint64_t offset = site->addr - is->code.addr;
	unsigned before = offset < NEIGHBOURS ? offset : NEIGHBOURS;
	unsigned length = record->bytes[SDT_BEFORE_LENGTH], n;
	uint8_t bytes[NEIGHBOURS + DISABLED_MAX + NEIGHBOURS];
	uint8_t expected[DISABLED_MAX];
	struct mark mark = { 0, site->mode };
	struct code code = { .bytes = bytes,
			     .size = is->code.size - offset + before,
			     .addr = site->addr - before };
	struct branch branch;

	if (code.size > sizeof(bytes))
		code.size = sizeof(bytes);
	if (length == 0 || length > DISABLED_MAX ||
	    length > is->code.size - offset)
		return false;
	memcpy(bytes, is->code.bytes + offset - before, code.size);
	memcpy(bytes + before, record->bytes + SDT_BEFORE_BYTES, length);
	code = code_in_mode(&code, &mark);
	n = arch->disable(arch, site->form, site->is_enabled, &code, before,
			  expected);
	return n == length &&
	       memcmp(is->code.bytes + offset, expected, n) == 0 &&
	       (!arch->decode_branch(arch, &code, before, &branch) ||
		branch.form == site->form);
}

const char *records_fault(const struct proof *p, const struct record *record,
			  const struct proof_site *site)
{
	if (object_word(p->partial, record->bytes + SDT_BEFORE_HASH) !=
	    stub_code_hash(site->symbol))
		return "names another probe than the record of --nop";
	return is_made_of(p, record, site)
		       ? NULL
		       : "is of another kind than the record of --nop";
}

/* Is what --nop makes of RECORD's instruction at its address? */
static bool is_there(const struct proof *p, const struct record *record,
		     const struct image_section *is)
{
	struct proof_site site = { .addr = record->addr };
	bool is_made = false;

	records_mode_at(&p->run->img, is, record->addr, &site.mode);
	for (unsigned i = 0; !is_made && i < 2 * FORM_BRANCH; i++) {
		site.form = i / 2;
		site.is_enabled = i % 2;
		is_made = is_made_of(p, record, &site);
	}
	return is_made;
}

/* How many records have the address and the probe of record I? */
static size_t count_like(const struct proof *p, size_t i)
{
	const struct records *records = &p->run->records;
	uint64_t addr = records->items[i].addr;
	uint32_t hash = probe_of(p, i);
	size_t n = 0;

	for (i = records_below(records, addr); records_is_at(records, i, addr);
	     i++)
		n += probe_of(p, i) == hash;
	return n;
}

/*
 * How many sites of the probe HASH has the link dropped from Q whose records
 * may have ADDR? Linkers write 0 or, as gold does, the offset of the site.
 */
static size_t count_dropped(const struct proof *q, uint64_t addr, uint32_t hash)
{
	size_t n = 0;

	for (size_t i = 0; i < q->list.n; i++) {
		const struct proof_site *site = &q->list.items[i];

		n += !site->is_placed && !site->is_target &&
		     (addr == 0 || site->offset == addr) &&
		     stub_code_hash(site->symbol) == hash;
	}
	return n;
}

/* May all records that are like record I be of sites that were dropped? */
static bool may_be_dropped(const struct proof *p, size_t i)
{
	uint64_t addr = p->run->records.items[i].addr;
	size_t n = 0;

	for (size_t k = 0; k < p->run->nproofs; k++)
		n += count_dropped(&p->run->proofs[k], addr, probe_of(p, i));
	return n >= count_like(p, i);
}

/*
 * Does record I show a site? That of one that was dropped has an address near
 * 0. Where the image has text, it may have the same NOP there: then the
 * partials say how many sites were dropped.
 */
static bool is_lost(const struct proof *p, size_t i)
{
	const struct image *img = &p->run->img;
	const struct record *record = &p->run->records.items[i];
	const struct image_section *is = image_find_text(img, record->addr, 1);

	if (is == NULL)
		return false;
	return !image_is_text(img, 0) ||
	       (is_there(p, record, is) && !may_be_dropped(p, i));
}

void records_check(struct proof *p)
{
	const struct records *records = &p->run->records;

	for (size_t i = 0; i < records->n; i++) {
		uint64_t addr = records->items[i].addr;
		struct finding f = { .cause = CAUSE_TABLE_MISMATCH,
				     .has_address = true,
				     .address = addr };

		if (i > 0 &&
		    are_alike(&records->items[i - 1], &records->items[i]))
			continue;
		if (entries_is_at(p, entries_below(p, addr), addr) ||
		    lookup_site_at(p, addr) != NULL || !is_lost(p, i))
			continue;
		report_finding(p, &f,
			       "the table has no entry for this site, of which "
			       "--nop has left a record");
		while (records_is_at(records, i + 1, addr))
			i++;
	}
}
