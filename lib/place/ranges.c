/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Accounting: each byte of the image's text is in exactly one range. What no
 * section of the inputs has is fill, or code that linkers make, if it decodes
 * as that; all else is unexplained.
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "elf/functions.h"
#include "engine.h"

/* Of a PLT, before its first entry; and an entry. */
#define PLT_HEADER_MAX 128
#define PLT_ENTRY_MAX 32
#define PLT_ENTRY_MIN 16

struct lister {
	struct engine *e;
	const struct field *field;
	bool has_plt; /* an entry of this field was seen */
	int status;
};

static void add(struct lister *l, uint64_t start, uint64_t end,
		enum drift_bin bin, size_t section, const char *symbol)
{
	struct drift *drift = l->e->drift;
	uint64_t addr = l->field->is->code.addr + start;
	struct drift_range *last = NULL;
	struct drift_range *ranges;
	uint64_t place = 0;

	if (start >= end || l->status != 0)
		return;
	drift->nbytes[bin] += end - start;
	if (drift->nranges > 0)
		last = &drift->ranges[drift->nranges - 1];
	/* Of what the linker made, only how much there is. */
	if (last != NULL && last->bin == bin && bin > BIN_CHANGED &&
	    last->symbol == symbol && last->addr + last->size == addr) {
		last->size += end - start;
		return;
	}
	ranges = grow_list(drift->ranges, drift->nranges, sizeof(ranges[0]));
	if (ranges == NULL) {
		l->status = diag_nomem(l->e->d, l->e->img.obj->path);
		return;
	}
	drift->ranges = ranges;
	if (drift->nranges > 0)
		place = ranges[drift->nranges - 1].place +
			ranges[drift->nranges - 1].size;
	ranges[drift->nranges++] = (struct drift_range){
		.place = place,
		.addr = addr,
		.size = end - start,
		.bin = bin,
		.section = section,
		.symbol = symbol,
	};
}

/* --- Fill -------------------------------------------------------------- */

/* What linkers fill with where a script does not say with what. */
static bool is_fill(uint8_t byte)
{
	return byte == 0 || byte == 0x90 || byte == 0xcc || byte == 0xff;
}

static bool is_trap(const struct arch *arch, const uint8_t *p)
{
	uint32_t word = 0;

	for (int i = 0; i < 4; i++)
		word = word << 8 | p[arch->is_big_endian ? i : 3 - i];
	return word == arch->trap;
}

/* The length of what assemblers and linkers fill with at AT, if that is it. */
static unsigned fill_length(const struct lister *l, uint64_t at, uint64_t end)
{
	const struct arch *arch = l->e->arch;
	const uint8_t *p = l->field->is->code.bytes + at;

	if (arch->fill_size > 0 && end - at >= arch->fill_size &&
	    memcmp(p, arch->fill, arch->fill_size) == 0)
		return arch->fill_size;
	return arch->trap != 0 && end - at >= 4 && is_trap(arch, p) ? 4 : 0;
}

static uint64_t added_length(const struct lister *l, uint64_t at)
{
	const struct arch *arch = l->e->arch;

	return arch->added_length == NULL
		       ? 0
		       : arch->added_length(arch, &l->field->is->code, at);
}

/* What follows of [START, END) behind fill that begins there, or START. */
static uint64_t fill_end(const struct lister *l, uint64_t start, uint64_t end)
{
	const struct arch *arch = l->e->arch;
	const struct code *code = &l->field->is->code;
	uint64_t at = start;
	unsigned n;

	if (arch->padding_end != NULL)
		at = arch->padding_end(arch, code, start, end);
	if (at == start && is_fill(code->bytes[start]))
		/* What linkers add may begin with such a byte. */
		while (at < end && code->bytes[at] == code->bytes[start] &&
		       fill_length(l, at, end) == 0 && added_length(l, at) == 0)
			at++;
	while ((n = fill_length(l, at, end)) > 0)
		at += n;
	return at;
}

/* Behind a jump at START of [START, END) and the fill that it goes over. */
static uint64_t jump_end(const struct lister *l, uint64_t start, uint64_t end)
{
	const struct code *code = &l->field->is->code;
	struct branch branch = { 0 };
	uint64_t target, at, next;

	if (!l->e->arch->decode_branch(l->e->arch, code, start, &branch) ||
	    branch.form != FORM_TAIL)
		return start;
	target = branch.target - code->addr;
	at = start + branch.length;
	if (target <= at || target > end)
		return start;
	for (; at < target; at = next) {
		next = fill_end(l, at, target);
		if (next == at)
			return start;
	}
	return target;
}

/* Is [START, END) nothing but fill, and jumps over fill? */
static bool is_padding(const struct lister *l, uint64_t start, uint64_t end)
{
	while (start < end) {
		uint64_t at = fill_end(l, start, end);

		if (at == start)
			at = jump_end(l, start, end);
		if (at == start)
			return false;
		start = at;
	}
	return true;
}

bool ranges_is_fill(struct engine *e, const struct field *field, uint64_t start,
		    uint64_t end)
{
	const struct lister l = { .e = e, .field = field };

	return is_padding(&l, start, end);
}

/* --- What linkers make ------------------------------------------------- */

/* Is it a section of nothing else? A slot without a relocation is enough. */
static bool is_plt(const struct lister *l)
{
	const char *name = l->e->img.obj->sections[l->field->is->shndx].name;

	return strncmp(name, ".plt", 4) == 0 || strncmp(name, ".iplt", 5) == 0;
}

/* The length of the PLT entry at AT; 0 if it is none. */
static uint64_t plt_length(const struct lister *l, uint64_t at, uint64_t end)
{
	const struct arch *arch = l->e->arch;
	const struct code *code = &l->field->is->code;
	uint64_t slot, next;

	if (arch->decode_plt == NULL ||
	    !arch->decode_plt(arch, code, at, l->e->got, &slot) ||
	    (image_find_reloc(&l->e->img, slot) == NULL && !is_plt(l)))
		return 0;
	for (next = at + 4; next < end && next <= at + PLT_ENTRY_MAX; next++)
		if (next % 8 == 0 &&
		    arch->decode_plt(arch, code, next, l->e->got, &slot))
			return next - at;
	if (end - at <= (is_plt(l) ? PLT_ENTRY_MAX : PLT_ENTRY_MIN))
		return end - at;
	next = arch_straight_end(arch, code, at, end) - at;
	return next > PLT_ENTRY_MIN && next <= PLT_ENTRY_MAX ? next
							     : PLT_ENTRY_MIN;
}

static uint64_t veneer_length(const struct lister *l, uint64_t at)
{
	const struct arch *arch = l->e->arch;
	uint64_t target;

	return arch->decode_veneer == NULL
		       ? 0
		       : arch->decode_veneer(arch, &l->field->is->code, at,
					     l->e->got, &target);
}

/* An instruction that was moved here for an erratum, and a branch back. */
static uint64_t detour_length(const struct lister *l, uint64_t at, uint64_t end)
{
	const struct arch *arch = l->e->arch;
	const struct code *code = &l->field->is->code;
	struct branch back = { 0 }, there = { 0 };
	uint64_t from;

	if (arch->decode_detour == NULL || end - at < 8 ||
	    !arch->decode_branch(arch, code, at + 4, &back) ||
	    back.form != FORM_TAIL)
		return 0;
	from = back.target - 4 - code->addr;
	return from < code->size &&
			       arch->decode_branch(arch, code, from, &there) &&
			       there.target == code->addr + at
		       ? 8
		       : 0;
}

/* Is there a jump through a slot in [0, END), as headers have one? */
static bool has_slot_jump(const struct lister *l, uint64_t end)
{
	const struct arch *arch = l->e->arch;
	uint64_t slot;

	for (uint64_t i = 0; arch->decode_plt != NULL && i < end; i++)
		if (arch->decode_plt(arch, &l->field->is->code, i, l->e->got,
				     &slot))
			return true;
	return false;
}

/*
 * A PLT's header: only at the start of a section that has entries, or of one
 * that is nothing else. GNU ld keeps that where .plt.got has all entries.
 */
static uint64_t header_length(const struct lister *l, uint64_t at, uint64_t end)
{
	if (at != 0)
		return 0;
	for (uint64_t i = 8; i < end && i <= PLT_HEADER_MAX; i += 8)
		if (plt_length(l, i, end) > 0)
			return i;
	return end == l->field->is->code.size && end <= PLT_HEADER_MAX &&
			       is_plt(l) && has_slot_jump(l, end)
		       ? end
		       : 0;
}

/*
 * The GOT begins at AT: words that are 0, or that the loader sets, or addresses
 * in the image. A script may have it in text.
 */
static uint64_t got_length(const struct lister *l, uint64_t at, uint64_t end)
{
	const struct image *img = &l->e->img;
	const struct code *code = &l->field->is->code;
	unsigned width = img->obj->is_64 ? 8 : 4;
	uint64_t start = at;

	if (code->addr + at != l->e->got || l->e->arch->descriptors != NULL)
		return 0;
	for (; end - at >= width; at += width) {
		uint64_t value = object_address(img->obj, code->bytes + at);

		if (value != 0 && image_find(img, value, 0) == NULL &&
		    image_find_reloc(img, code->addr + at) == NULL)
			break;
	}
	return at - start;
}

/* --- The rest ---------------------------------------------------------- */

/* Where the next function of the image begins behind AT, or the GOT, or END. */
static uint64_t next_name(const struct lister *l, uint64_t at, uint64_t end)
{
	uint64_t next = image_next_function(&l->e->img, l->field->is, at);
	uint64_t got = l->e->got - l->field->is->code.addr;

	if (got > at && got < end)
		end = got;
	return next < end ? next : end;
}

/* The function that begins at AT, or that AT is in. */
static const char *name_at(const struct lister *l, uint64_t at)
{
	struct symbol sym;

	return image_function(&l->e->img, l->field->is->code.addr + at, &sym)
		       ? sym.name
		       : NULL;
}

/* The length of what linkers make at START of [START, END), if that is BIN. */
static uint64_t made_length(const struct lister *l, uint64_t start,
			    uint64_t end, enum drift_bin *bin)
{
	uint64_t n;

	*bin = BIN_PLT;
	if ((n = header_length(l, start, end)) > 0 ||
	    (n = plt_length(l, start, end)) > 0)
		return n;
	*bin = BIN_GOT;
	if ((n = got_length(l, start, end)) > 0)
		return n;
	*bin = BIN_VENEER;
	if (((n = veneer_length(l, start)) > 0 ||
	     (n = added_length(l, start)) > 0 ||
	     (n = detour_length(l, start, end)) > 0) &&
	    n <= end - start)
		return n;
	return 0;
}

uint64_t ranges_made_end(struct engine *e, const struct field *field,
			 uint64_t start, uint64_t end)
{
	const struct lister l = { .e = e, .field = field };
	enum drift_bin bin;
	uint64_t at = fill_end(&l, start, end);

	if (at == start)
		at = jump_end(&l, start, end);
	return at > start ? at : start + made_length(&l, start, end, &bin);
}

/* What is in [START, END), where no section of the inputs is. */
static void list_gap(struct lister *l, uint64_t start, uint64_t end)
{
	while (start < end) {
		uint64_t n, next = next_name(l, start, end);
		enum drift_bin bin;

		if (is_padding(l, start, end)) {
			add(l, start, end, BIN_PADDING, NO_SECTION, NULL);
			return;
		}
		if (is_padding(l, start, next)) {
			add(l, start, next, BIN_PADDING, NO_SECTION, NULL);
			start = next;
		} else if ((n = made_length(l, start, end, &bin)) > 0) {
			add(l, start, start + n, bin, NO_SECTION, NULL);
			start += n;
		} else if ((n = fill_end(l, start, next)) > start &&
			   made_length(l, n, end, &bin) > 0) {
			add(l, start, n, BIN_PADDING, NO_SECTION, NULL);
			start = n;
		} else {
			add(l, start, next, BIN_UNEXPLAINED, NO_SECTION,
			    name_at(l, start));
			start = next;
		}
	}
}

/* Code that changed, up to the end of what is marked so; whose is it? */
static size_t changed_at(const struct lister *l, uint64_t addr)
{
	const struct drift *drift = l->e->drift;

	for (size_t i = 0; i < drift->nsections; i++)
		if (drift->sections[i].fate == FATE_CHANGED &&
		    addr - drift->sections[i].addr <
			    drift->sections[i].new_size)
			return i;
	return NO_SECTION;
}

/* [START, END) has no placed section, but perhaps one that changed. */
static void list_between(struct lister *l, uint64_t start, uint64_t end)
{
	const uint8_t *taken = l->field->taken;

	while (start < end) {
		uint64_t next = start;
		bool is_changed = taken[start] == TAKEN_CHANGED;
		size_t section = NO_SECTION;

		if (is_changed)
			section =
				changed_at(l, l->field->is->code.addr + start);
		while (next < end &&
		       (taken[next] == TAKEN_CHANGED) == is_changed)
			next++;
		if (is_changed)
			add(l, start, next, BIN_CHANGED, section, NULL);
		else
			list_gap(l, start, next);
		start = next;
	}
}

/* Padding that is more than the section behind it has to be aligned to. */
static void count_wide(struct engine *e)
{
	struct drift *drift = e->drift;

	for (size_t i = 0; i + 1 < drift->nranges; i++) {
		const struct drift_range *range = &drift->ranges[i];
		const struct item *item;
		uint64_t align;

		if (range->bin != BIN_PADDING || range[1].bin != BIN_SECTION ||
		    range[1].addr != range->addr + range->size)
			continue;
		item = &e->items[range[1].section];
		align = item->obj->sections[item->to->shndx].align;
		if (range->size < align || range->size == 0)
			continue;
		drift->nwide++;
		drift->nwide_bytes += range->size;
	}
}

int ranges_list(struct engine *e)
{
	struct lister l = { .e = e };
	size_t k = 0;

	for (size_t i = 0; i < e->nfields && l.status == 0; i++) {
		const struct code *code = &e->fields[i].is->code;
		uint64_t at = 0;

		l.field = &e->fields[i];
		for (; k < e->nqueue; k++) {
			const struct drift_section *to =
				e->items[e->queue[k]].to;
			uint64_t start = to->addr - code->addr;

			if (start >= code->size)
				break;
			list_between(&l, at, start);
			at = start + to->new_size;
			add(&l, start, at, BIN_SECTION, e->queue[k], NULL);
		}
		list_between(&l, at, code->size);
	}
	count_wide(e);
	return l.status;
}
