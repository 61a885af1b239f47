/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "base/table-format.h"
#include "base/search.h"
#include "base/sort.h"
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
		      sort_compare_numbers);
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

bool records_lack(const struct proof *p, const struct proof_site *site)
{
	const struct records *records = &p->run->records;
	uint32_t hash;

	if (site->form == FORM_BRANCH || branch_is_right(p, site))
		return false;
	hash = stub_code_hash(site->symbol);
	for (size_t i = records_below(records, site->addr);
	     records_is_at(records, i, site->addr); i++)
		if (object_word(p->partial, records->items[i].bytes +
						    SDT_BEFORE_HASH) == hash)
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

/*
 * A record whose site was dropped has the address 0, which is in text only if
 * the image has text at 0. There, the record counts only if a NOP is at its
 * address.
 */
static bool is_lost(const struct proof *p, const struct record *record)
{
	const struct image *img = &p->run->img;
	const struct image_section *is = image_find_text(img, record->addr, 1);
	struct proof_site site = { .addr = record->addr };
	bool is_there = !image_is_text(img, 0);

	if (is == NULL)
		return false;
	records_mode_at(img, is, record->addr, &site.mode);
	for (unsigned i = 0; !is_there && i < 2 * FORM_BRANCH; i++) {
		site.form = i / 2;
		site.is_enabled = i % 2;
		is_there = records_is_disabled(p, &site);
	}
	return is_there;
}

void records_check(struct proof *p)
{
	const struct records *records = &p->run->records;

	for (size_t i = 0; i < records->n; i++) {
		uint64_t addr = records->items[i].addr;
		struct finding f = { .cause = CAUSE_TABLE_MISMATCH,
				     .has_address = true,
				     .address = addr };

		if (!records_is_at(records, i - 1, addr) &&
		    !entries_is_at(p, entries_below(p, addr), addr) &&
		    lookup_site_at(p, addr) == NULL &&
		    is_lost(p, &records->items[i]))
			report_finding(p, &f,
				       "the table has no entry for this site, "
				       "of which --nop has left a record");
	}
}
