/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Accounting: puts each byte of the image's text into exactly one range. Bytes
 * that belong to no input section are fill, or code that linkers make, if they
 * decode as such. All others are unexplained.
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "elf/functions.h"
#include "engine.h"

/* The largest header of a PLT, and the largest entry. */
#define PLT_HEADER_MAX 128
#define PLT_ENTRY_MAX 32
#define PLT_ENTRY_MIN 16

struct lister {
	struct engine *e;
	const struct field *field;
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
	/* Only the amount of linker-made code counts. */
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

/* Bytes with which linkers fill, unless a script says otherwise. */
static bool is_fill(const struct arch *arch, uint8_t byte)
{
	return byte == 0 || byte == 0xff || byte == arch->fill_bytes[0] ||
	       byte == arch->fill_bytes[1];
}

static bool is_trap(const struct arch *arch, const uint8_t *p)
{
	uint32_t word = 0;

	for (int i = 0; i < 4; i++)
		word = word << 8 | p[arch->is_big_endian ? i : 3 - i];
	return word == arch->trap;
}

/*
 * The length of one piece of fill at AT, as assemblers and linkers make it, or
 * 0.
 */
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

/* The end of the fill that begins at START of [START, END), or START. */
static uint64_t fill_end(const struct lister *l, uint64_t start, uint64_t end)
{
	const struct arch *arch = l->e->arch;
	const struct code *code = &l->field->is->code;
	uint64_t at = start;
	unsigned n;

	if (arch->padding_end != NULL)
		at = arch->padding_end(arch, code, start, end);
	if (at == start && is_fill(arch, code->bytes[start]))
		/* Linker-made code may begin with the same byte. */
		while (at < end && code->bytes[at] == code->bytes[start] &&
		       fill_length(l, at, end) == 0 && added_length(l, at) == 0)
			at++;
	while ((n = fill_length(l, at, end)) > 0)
		at += n;
	return at;
}

/* The end of a jump at START of [START, END) and of the fill that it skips. */
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

/* Are there only fill, and jumps over fill, in [START, END)? */
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

/*
 * Does the section contain only a PLT? Then a slot need not have a relocation.
 */
static bool is_plt(const struct lister *l)
{
	const char *name = l->e->img.obj->sections[l->field->is->shndx].name;

	return strncmp(name, ".plt", 4) == 0 || strncmp(name, ".iplt", 5) == 0;
}

/* The length of the PLT entry at AT, or 0. */
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

/*
 * The length of an instruction that was moved here for an erratum, with its
 * branch back, or 0.
 */
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

/* Does [0, END) contain a jump through a slot, as headers do? */
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
 * The length of a PLT's header. It can only be at the start of a section that
 * has entries or contains nothing else. GNU ld keeps the header even if
 * .plt.got has all entries.
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
 * The length of the GOT at AT: words that are 0, or that the loader sets, or
 * that are addresses in the image. A script may have put it into text.
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

/* The next function or the GOT behind AT, or END. */
static uint64_t next_name(const struct lister *l, uint64_t at, uint64_t end)
{
	uint64_t next = image_next_function(&l->e->img, l->field->is, at);
	uint64_t got = l->e->got - l->field->is->code.addr;

	if (got > at && got < end)
		end = got;
	return next < end ? next : end;
}

/* The function that contains AT. */
static const char *name_at(const struct lister *l, uint64_t at)
{
	struct symbol sym;

	return image_function(&l->e->img, l->field->is->code.addr + at, &sym)
		       ? sym.name
		       : NULL;
}

/*
 * The length of what linkers make at START of [START, END), if it belongs in
 * BIN.
 */
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

/* Lists [START, END), where no input section is. */
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

/* The section to which the changed code at ADDR belongs, and the end of it. */
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

/*
 * Lists [START, END), which has no placed section, but perhaps a changed one.
 */
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

/* Counts padding that exceeds the alignment of the section behind it. */
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
