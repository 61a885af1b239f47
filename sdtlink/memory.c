/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "arch/state.h"
#include "base/sort.h"
#include "elf/core.h"
#include "memory.h"

struct looker {
	struct diag *d;
	const struct command *cmd;
	struct listed_file *file;
	struct core core;
	uint64_t *sites; /* addresses of all, ascending; owned */
	size_t nsites;
	enum core_space space;
	uint64_t displacement; /* of memory from the image's addresses */
};

/* No patcher changes more bytes of a site. */
#define SITE_MAX 8

const char *memory_state_name(enum site_state state)
{
	static const char *const names[] = {
		[STATE_OFF] = "off",
		[STATE_LINKED] = "linked",
		[STATE_ON] = "on",
		[STATE_BREAKPOINT] = "breakpoint",
		[STATE_HALF] = "half-written",
		[STATE_OTHER] = "other",
		[STATE_UNREADABLE] = "unreadable",
	};

	return names[state];
}

static int collect_sites(struct looker *l)
{
	const struct table *table = &l->file->table;

	l->sites = malloc((table->nentries + 1) * sizeof(l->sites[0]));
	if (l->sites == NULL)
		return diag_nomem(l->d, l->file->obj.path);
	for (size_t i = 0; i < table->nentries; i++)
		l->sites[l->nsites++] = table->entries[i].addr;
	if (l->nsites > 0)
		qsort(l->sites, l->nsites, sizeof(l->sites[0]),
		      sort_compare_numbers);
	return 0;
}

/* Is the byte at ADDR one of a site? */
static bool is_site_byte(const struct looker *l, uint64_t addr)
{
	size_t i;

	LOWER_BOUND(i, l->nsites, l->sites[i] <= addr);
	return i > 0 && addr - l->sites[i - 1] < SITE_MAX;
}

/* --- Where the image is -------------------------------------------------- */

#define CHUNK 4096

/* The number of bytes of IS that are the same in memory, or belong to sites. */
static uint64_t count_same(struct looker *l, const struct image_section *is)
{
	uint8_t memory[CHUNK];
	uint64_t same = 0;

	for (uint64_t at = 0; at < is->code.size; at += CHUNK) {
		size_t n = is->code.size - at < CHUNK ? is->code.size - at
						      : CHUNK;
		const uint8_t *bytes = is->code.bytes + at;

		if (!core_read(&l->core, l->space,
			       is->code.addr + at + l->displacement, memory, n))
			continue;
		if (memcmp(memory, bytes, n) == 0) {
			same += n;
			continue;
		}
		for (size_t i = 0; i < n; i++)
			same += memory[i] == bytes[i] ||
				is_site_byte(l, is->code.addr + at + i);
	}
	return same;
}

/*
 * Is the image there, with this displacement? Programs patch themselves in
 * other places, too, and drop code after their start. So nine of ten bytes of a
 * section must be equal, for at least half of the text.
 */
static bool is_there(struct looker *l, enum core_space space,
		     uint64_t displacement)
{
	const struct image *img = &l->file->img;
	uint64_t found = 0, total = 0;

	l->space = space;
	l->displacement = displacement;
	for (size_t i = 0; i < img->nsections; i++) {
		const struct image_section *is = &img->sections[i];

		if (!is->is_text)
			continue;
		total += is->code.size;
		if (count_same(l, is) >= is->code.size - is->code.size / 10)
			found += is->code.size;
	}
	return found > 0 && found >= total - total / 2;
}

/* Is this text distinctive enough, and without sites? */
static bool is_distinct(const struct looker *l, const struct image_section *is,
			uint64_t at)
{
	uint8_t seen[256] = { 0 };
	unsigned n = 0;

	for (unsigned i = 0; i < CORE_WINDOW; i++) {
		uint8_t byte = is->code.bytes[at + i];

		if (is_site_byte(l, is->code.addr + at + i))
			return false;
		n += !seen[byte];
		seen[byte] = 1;
	}
	return n >= 32;
}

#define HITS_MAX 64

static uint64_t magnitude(uint64_t displacement)
{
	return displacement > INT64_MAX ? -displacement : displacement;
}

/*
 * Searches for these bytes of IS. A kernel may be found twice, since all memory
 * is also mapped elsewhere. It runs at the place with the smallest
 * displacement.
 */
static bool search_window(struct looker *l, const struct image_section *is,
			  uint64_t at)
{
	uint64_t addr = is->code.addr + at, offset = 0, hit, displacement = 0;
	enum core_space space = CORE_PHYSICAL;
	bool is_found = false;
	size_t range = 0;

	for (unsigned i = 0;
	     i < HITS_MAX && core_find(&l->core, is->code.bytes + at,
				       CORE_WINDOW, &range, &offset, &hit);
	     i++) {
		const uint64_t *start = l->core.ranges[range].addr;
		/* A core without page tables has one address for both. */
		int first = start[CORE_VIRTUAL] == start[CORE_PHYSICAL]
				    ? CORE_PHYSICAL
				    : CORE_VIRTUAL;

		for (int k = first; k <= (int)space; k++) {
			uint64_t moved = start[k] + hit - addr;

			if ((is_found && k == (int)space &&
			     magnitude(moved) >= magnitude(displacement)) ||
			    !is_there(l, k, moved))
				continue;
			is_found = true;
			space = k;
			displacement = moved;
		}
	}
	l->space = space;
	l->displacement = displacement;
	return is_found;
}

#define WINDOWS_MAX 4

/* The text itself, wherever it is. */
static bool search(struct looker *l)
{
	const struct image *img = &l->file->img;
	unsigned nwindows = 0;

	for (size_t i = 0; i < img->nsections; i++) {
		const struct image_section *is = &img->sections[i];
		uint64_t at = 0;

		while (is->is_text && nwindows < WINDOWS_MAX &&
		       is->code.size - at >= CORE_WINDOW) {
			if (!is_distinct(l, is, at)) {
				at += 16;
				continue;
			}
			if (search_window(l, is, at))
				return true;
			nwindows++;
			at += is->code.size / WINDOWS_MAX + CORE_WINDOW;
			at = at < is->code.size ? at : is->code.size;
		}
	}
	return false;
}

/*
 * Looks in the machine's memory, at the distance between the virtual and
 * physical address of a code segment. Some programs run where they are loaded
 * until paging starts.
 */
static bool is_loaded(struct looker *l)
{
	Elf *elf = l->file->obj.elf;
	size_t n = 0;
	GElf_Phdr ph;

	if (elf_getphdrnum(elf, &n) != 0)
		return false;
	for (size_t i = 0; i < n; i++)
		if (gelf_getphdr(elf, i, &ph) != NULL && ph.p_type == PT_LOAD &&
		    (ph.p_flags & PF_X) != 0 &&
		    is_there(l, CORE_PHYSICAL, ph.p_paddr - ph.p_vaddr))
			return true;
	return false;
}

static bool find(struct looker *l)
{
	const struct object *obj = &l->file->obj;

	if (l->cmd->has_displacement)
		return is_there(l, CORE_VIRTUAL, l->cmd->displacement) ||
		       is_there(l, CORE_PHYSICAL, l->cmd->displacement);
	return is_there(l, CORE_VIRTUAL, 0) ||
	       (l->core.has_entry &&
		is_there(l, CORE_VIRTUAL, l->core.entry - obj->ehdr.e_entry)) ||
	       (l->core.has_offset &&
		is_there(l, CORE_VIRTUAL, l->core.offset)) ||
	       is_loaded(l) || search(l);
}

/* Is all of its text mapped from a file, and missing in the core? */
static bool is_left_out(struct looker *l)
{
	const struct object *obj = &l->file->obj;
	uint64_t moved = l->core.entry - obj->ehdr.e_entry;
	size_t n = 0;
	GElf_Phdr ph;
	bool any = false;
	uint64_t addr;
	uint8_t byte;

	if (l->cmd->has_displacement || !l->core.has_entry ||
	    elf_getphdrnum(obj->elf, &n) != 0)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (gelf_getphdr(obj->elf, i, &ph) == NULL ||
		    ph.p_type != PT_LOAD || (ph.p_flags & PF_X) == 0)
			continue;
		addr = object_wrap(obj, ph.p_vaddr + moved);
		if (!core_maps(&l->core, addr, ph.p_filesz, ph.p_offset) ||
		    core_read(&l->core, CORE_VIRTUAL, addr, &byte, 1))
			return false;
		any = true;
	}
	return any;
}

static void report_left_out(const struct looker *l)
{
	diag_report(l->d, SEVERITY_TROUBLE,
		    &(struct place){ .file = l->cmd->memory }, "not-in-memory",
		    "unless bit 0 of /proc/PID/coredump_filter was off, nobody "
		    "changed it, and all sites are as in the file; set bit 2 "
		    "to have it in the core",
		    "the text of %s was mapped from a file, and is left out",
		    l->file->obj.path);
}

static void report_not_there(const struct looker *l)
{
	diag_report(l->d, SEVERITY_TROUBLE,
		    &(struct place){ .file = l->cmd->memory }, "not-in-memory",
		    l->cmd->has_displacement
			    ? "leave --displacement out, or correct it"
			    : "give the image that ran, or say with "
			      "--displacement how far it was moved",
		    "the text of %s is not in it", l->file->obj.path);
}

/* --- Each site ----------------------------------------------------------- */

#define AROUND 24 /* bytes that decoding its instructions may need */

/* Reads the bytes around the site, of the image and of memory. */
static bool read_around(struct looker *l, const struct listed_site *site,
			uint8_t bytes[2 * AROUND], struct mark *mark,
			struct site_view *view)
{
	uint64_t start =
		site->code_offset < AROUND ? 0 : site->code_offset - AROUND;
	uint64_t end = site->code.size - site->code_offset < AROUND
			       ? site->code.size
			       : site->code_offset + AROUND;
	uint64_t addr = site->code.addr + start + l->displacement;

	/* The bytes before it may belong to other code, which is gone. */
	if (!core_read(&l->core, l->space, addr, bytes, end - start)) {
		start = site->code_offset;
		addr = site->code.addr + start + l->displacement;
		end = start + site->length;
		if (end > site->code.size ||
		    !core_read(&l->core, l->space, addr, bytes, end - start))
			return false;
	}
	*mark = (struct mark){ 0, code_mode(&site->code, site->code_offset) };
	view->offset = site->code_offset - start;
	view->image = (struct code){
		.bytes = site->code.bytes + start,
		.size = end - start,
		.addr = site->code.addr + start,
		.marks = mark,
		.nmarks = mark->mode != MODE_UNKNOWN,
	};
	view->memory = view->image;
	view->memory.bytes = bytes;
	return true;
}

/*
 * Does the text around the site belong to something else? A kernel fills or
 * reuses what it drops after its start. Zeros are a breakpoint on one machine,
 * and an instruction that does nothing on another. Bytes of sites do not count.
 */
static bool is_dropped(struct looker *l, const struct site_view *view)
{
	const struct code *image = &view->image;
	unsigned same = 0, total = 0;

	for (uint64_t i = 0; i < image->size; i++) {
		if (is_site_byte(l, image->addr + i))
			continue;
		total++;
		same += image->bytes[i] == view->memory.bytes[i];
	}
	return total >= 8 && same < total / 2;
}

/*
 * Handlers are functions. A branch into the middle of one may be partly the new
 * branch and partly the old bytes. A word that replaces another is written
 * whole.
 */
static bool is_torn_branch(struct looker *l, const struct listed_site *site,
			   uint64_t target)
{
	struct symbol sym;

	return site->form_number != FORM_BRANCH &&
	       (site->length != 4 || site->address % 4 != 0) &&
	       image_function(&l->file->img, target, &sym) && sym.size > 0 &&
	       sym.value != target;
}

static void look_at(struct looker *l, struct listed_site *site)
{
	struct site_view view = {
		.form = site->form_number,
		.is_enabled = site->is_enabled,
		.length = site->length,
		.stub = site->stub,
		.target = site->target,
	};
	uint8_t bytes[2 * AROUND];
	struct mark mark;
	struct symbol sym;
	uint64_t target = 0;

	site->state = STATE_UNREADABLE;
	if (site->code.bytes == NULL ||
	    !read_around(l, site, bytes, &mark, &view))
		return;
	site->state = is_dropped(l, &view)
			      ? STATE_OTHER
			      : site_state(l->file->obj.arch, &view, &target);
	if (site->state == STATE_ON && is_torn_branch(l, site, target))
		site->state = STATE_HALF;
	site->nmemory = site->length > 0 ? site->length : 4;
	if (site->nmemory > sizeof(site->memory))
		site->nmemory = sizeof(site->memory);
	if (site->nmemory > view.memory.size - view.offset)
		site->nmemory = view.memory.size - view.offset;
	memcpy(site->memory, bytes + view.offset, site->nmemory);
	site->state_target = target;
	if (target != 0 && image_function(&l->file->img, target, &sym)) {
		site->state_function = sym.name;
		site->state_function_offset = target - sym.value;
	}
}

int memory_look(struct diag *d, const struct command *cmd,
		struct listed_file *file)
{
	struct looker l = { .d = d, .cmd = cmd, .file = file };
	struct listing *listing = &file->listing;
	int ret = -1;

	if (file->obj.ehdr.e_type == ET_REL)
		return diag_file(
			d, file->obj.path, "wrong-type",
			"is not a linked image, so it is not in memory as "
			"it is: give the final that ran");
	if (core_open(d, cmd->memory, &l.core) || collect_sites(&l))
		goto done;
	if (!find(&l)) {
		if (core_confirm(d, &l.core))
			goto done;
		if (is_left_out(&l))
			report_left_out(&l);
		else
			report_not_there(&l);
		goto done;
	}
	listing->has_states = true;
	listing->memory_displacement = l.displacement;
	listing->is_physical = l.space == CORE_PHYSICAL;
	for (size_t i = 0; i < listing->nprobes; i++)
		for (size_t k = 0; k < listing->probes[i].nsites; k++)
			look_at(&l,
				&listing->sites[listing->probes[i].first_site +
						k]);
	ret = core_confirm(d, &l.core);
done:
	free(l.sites);
	core_close(&l.core);
	return ret;
}
