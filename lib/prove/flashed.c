/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Part of verify: compares the file that is flashed with the final, where the
 * proof relies on the final. Elsewhere it may differ: a header may hold a
 * checksum.
 */
#include <config.h>

#include <inttypes.h>
#include <string.h>

#include "elf/flashed.h"
#include "proof.h"

/* Bytes that the proof relies on, and what they are. */
struct relied {
	uint64_t addr, size;
	const char *what;
};

/* STATE is not FLASHED_SAME. */
static void report(struct proof *p, uint64_t addr, enum flashed_state state,
		   const char *what)
{
	const struct image_section *is = image_find(&p->run->img, addr, 1);
	bool is_unmatched = state == FLASHED_MISSING;
	struct finding f = { .cause = is_unmatched ? CAUSE_NOT_IN_IMAGE
						   : CAUSE_IMAGE_DIFFERS,
			     .has_address = true,
			     .address = addr };

	if (is != NULL && is->shndx != 0)
		f.section = p->run->img.obj->sections[is->shndx].name;
	report_finding(
		p, &f,
		is_unmatched
			? "%s has nothing where this byte of %s is to be loaded"
			: "%s has another byte of %s here than the final",
		p->run->v->flashed->path, what);
}

/* Does the loader overwrite ADDR anyway? */
static bool is_relocated(const struct proof *p, uint64_t addr)
{
	return image_first_reloc(&p->run->img, addr, 1) != NULL;
}

/*
 * Reports the first byte of R that the file has otherwise, or, IF_MISSING,
 * lacks. Is it all there?
 */
static bool check_bytes(struct proof *p, const struct relied *r,
			bool if_missing)
{
	const struct image_section *is =
		image_find(&p->run->img, r->addr, r->size);
	uint64_t at, end;

	if (r->size == 0)
		return true;
	if (is == NULL || is->shndx == 0) {
		report(p, r->addr, FLASHED_MISSING, r->what);
		return false;
	}
	end = r->addr - is->code.addr + r->size;
	for (at = end - r->size; at < end; at++) {
		enum flashed_state state = flashed_compare(p->run->v->flashed,
							   is->shndx, &at, end);

		if (state == FLASHED_SAME ||
		    (state == FLASHED_MISSING && !if_missing))
			return true;
		if (state == FLASHED_DIFFERS &&
		    is_relocated(p, is->code.addr + at))
			continue;
		report(p, is->code.addr + at, state, r->what);
		return false;
	}
	return true;
}

static bool check_relied(struct proof *p, const struct relied *r)
{
	return check_bytes(p, r, true);
}

/*
 * A branch from anywhere would count, so all of text must be known. IS_QUIET:
 * reports nothing.
 */
static bool has_text(struct proof *p, bool is_quiet)
{
	bool is_there = true;

	for (size_t i = 0; i < p->run->img.nsections + p->run->img.noverlays;
	     i++) {
		const struct image_section *is = &p->run->img.sections[i];
		uint64_t at = 0, size = is->code.size;
		enum flashed_state state = FLASHED_DIFFERS;

		if (!is->is_executable || is->shndx == 0)
			continue;
		for (; at < size && state == FLASHED_DIFFERS; at++)
			state = flashed_compare(p->run->v->flashed, is->shndx,
						&at, size);
		if (state != FLASHED_MISSING)
			continue;
		if (!is_quiet)
			report(p, is->code.addr + at - 1, state,
			       p->run->img.obj->sections[is->shndx].name);
		is_there = false;
	}
	return is_there;
}

static void check_text(struct proof *p, bool if_missing)
{
	for (size_t i = 0; i < p->nplaced; i++) {
		const struct placed *pl = &p->placed[i];
		const struct relied r = { pl->addr, pl->size,
					  "text with sites" };

		/*
		 * One finding is enough: most others would have the same
		 * reason.
		 */
		if (!check_bytes(p, &r, if_missing))
			return;
	}
}

static void check_stubs(struct proof *p)
{
	for (size_t i = 0; i < p->run->nstubs; i++) {
		const struct stub *stub = &p->run->stubs[i];
		const struct relied r = { stub->addr, stub->size, "a stub" };

		/*
		 * The user's own function in place of a stub may be anywhere.
		 */
		if (image_find(&p->run->img, r.addr, r.size) != NULL &&
		    !check_relied(p, &r))
			return;
	}
}

/* Checks the pointers of a linker set, which only the loader makes right. */
static void check_relocs(struct proof *p)
{
	const struct object *obj = p->run->img.obj;

	for (size_t i = 1; i < obj->nsections; i++) {
		const struct section *sec = &obj->sections[i];
		const struct relied r = { sec->addr, sec->size,
					  "relocations of the table" };

		if ((section_is_relocs(sec) || section_is_relr(sec)) &&
		    section_is_alloc(sec) && !check_relied(p, &r))
			return;
	}
}

static void check_entries(struct proof *p)
{
	const struct table *table = &p->run->table;
	const struct relied all = { table->addr, table->size, "the table" };
	const struct relied names = { table->names_addr, table->names_size,
				      "the names of functions" };

	if (!p->run->has_table || !check_relied(p, &all) ||
	    !check_relied(p, &names))
		return;
	for (size_t i = 0; i < table->nnames; i++) {
		const struct table_name *name = &table->names[i];
		const struct relied string = { name->function_at,
					       strlen(name->function) + 1,
					       "the name of a function" };

		if (!check_relied(p, &string))
			return;
	}
	if (image_first_reloc(&p->run->img, table->addr, table->size) != NULL)
		check_relocs(p);
	for (size_t i = 0; i < table->nentries; i++) {
		const struct table_entry *entry = &table->entries[i];
		const struct relied descriptor = { entry->descriptor,
						   entry->descriptor_size,
						   "a probe's descriptor" };
		const struct relied jump = { entry->jump,
					     entry->jump != 0 ? 8 : 0,
					     "where a site jumps to" };

		if (!check_relied(p, &descriptor) || !check_relied(p, &jump))
			return;
	}
}

void flashed_check(struct proof *all, size_t n)
{
	bool is_whole = has_text(&all[0], true);

	/* First that it was made of another final, if so. */
	for (size_t k = 0; k < n; k++)
		check_text(&all[k], is_whole);
	if (!is_whole) {
		has_text(&all[0], false);
		return;
	}
	check_stubs(&all[0]);
	check_entries(&all[0]);
}
