/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads tracepoint records: in a partial from relocations, in a final from
 * words. Presents both as sections and offsets.
 */
#include <config.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "arch/tracepoint.h"
#include "base/table-format.h"
#include "tracepoint.h"

enum word { WORD_PROBE, WORD_PATCHPOINT, WORD_TARGET, NWORDS };

static const struct {
	const char *section;
	unsigned nwords;
	bool is_own;
} forms[] = {
	{ "set_sdt_tracepoint_set", 4, false },
	{ "set_sdt_patchpoint_set", 3, false },
	{ TRACEPOINT_OWN_SECTION, 3, true },
};

struct reader {
	struct diag *d;
	const struct object *obj;
	const struct image *img;
	const struct tracepoint_isa *isa;
	struct tracepoint_set *set;
	struct spot_names names;
	uint32_t shndx; /* the records' section, and its bytes */
	const uint8_t *bytes;
	size_t size;
	unsigned word, record; /* sizes */
	size_t first;	       /* its first record in the set */
};

static unsigned nwords_of(const struct section *sec, bool is_own)
{
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		if (forms[i].is_own == is_own &&
		    (is_own || section_is_alloc(sec)) &&
		    strcmp(sec->name, forms[i].section) == 0)
			return forms[i].nwords;
	return 0;
}

static bool is_present(const struct object *obj, bool is_own)
{
	for (size_t i = 1; i < obj->nsections; i++)
		if (nwords_of(&obj->sections[i], is_own) > 0)
			return true;
	return false;
}

bool tracepoint_present(const struct object *obj)
{
	return is_present(obj, false);
}

/* --- Words ------------------------------------------------------------- */

static uint64_t read_word(const struct reader *rd, uint64_t offset)
{
	const uint8_t *p = rd->bytes + offset;

	return rd->word == 8 ? object_xword(rd->obj, p)
			     : object_word(rd->obj, p);
}

static struct spot *spot_of(struct tracepoint *tp, enum word word)
{
	return word == WORD_PATCHPOINT ? &tp->patchpoint : &tp->target;
}

static const char *word_name(enum word word)
{
	static const char *const names[] = { "probe", "patchpoint", "target" };

	return names[word];
}

/* Reads a relocation of a partial's record. SEEN has a bit for each word. */
static int read_reloc(struct reader *rd, const struct reloc *r, bool is_rela,
		      uint8_t *seen)
{
	const struct tracepoint at_start = { .record = { rd->shndx, 0 } };
	enum word word = r->offset % rd->record / rd->word;
	struct tracepoint *tp;
	struct spot spot;
	struct symbol sym;

	/* check_object has not looked at a section that is not loaded. */
	if (r->offset >= rd->size)
		return tracepoint_fault(
			rd->d, rd->obj, at_start.record, &at_start, NULL,
			"a relocation is outside of the records");
	tp = &rd->set->items[rd->first + r->offset / rd->record];
	if (r->offset % rd->word != 0 || word >= NWORDS ||
	    r->type != tracepoint_reloc(rd->isa, rd->obj->arch) ||
	    (seen[r->offset / rd->record] & 1u << word) != 0)
		return tracepoint_fault(
			rd->d, rd->obj, tp->record, tp,
			TRACEPOINT_USE_MACROS(rd->set->is_own),
			"the relocation of type %s at +0x%" PRIx64
			" is none of a record's",
			arch_reloc_name(rd->obj->arch, r->type), r->offset);
	seen[r->offset / rd->record] |= 1u << word;
	object_symbol(rd->obj, r->symndx, &sym);
	spot.shndx = sym.is_defined ? sym.shndx : 0;
	spot.offset = object_wrap(
		rd->obj, sym.value + arch_reloc_addend(rd->obj->arch, rd->bytes,
						       rd->size, is_rela, r));
	if (word != WORD_PROBE)
		*spot_of(tp, word) = spot;
	else if (sym.type != STT_SECTION)
		tp->probe = sym.name;
	else
		tp->probe = spot_name(&rd->names, &spot);
	return 0;
}

static int check_seen(struct reader *rd, const uint8_t *seen)
{
	int ret = 0;

	for (size_t i = 0; i < rd->size / rd->record; i++) {
		const struct tracepoint *tp = &rd->set->items[rd->first + i];

		for (enum word word = 0; word < NWORDS; word++)
			if ((seen[i] & 1u << word) == 0)
				ret = tracepoint_fault(
					rd->d, rd->obj, tp->record, tp,
					TRACEPOINT_USE_MACROS(rd->set->is_own),
					"the record has no relocation for "
					"its %s",
					word_name(word));
	}
	return ret;
}

static int read_relocs(struct reader *rd)
{
	uint8_t *seen = calloc(rd->size / rd->record + 1, 1);
	int ret = 0;

	if (seen == NULL)
		return diag_nomem(rd->d, rd->obj->path);
	for (uint32_t i = 1; i < rd->obj->nsections; i++) {
		const struct section *sec = &rd->obj->sections[i];
		struct relocs relocs;

		if (!section_is_relocs(sec) || sec->info != rd->shndx)
			continue;
		if (object_relocs(rd->d, rd->obj, i, &relocs)) {
			ret = -1;
			break;
		}
		for (size_t k = 0; k < relocs.n; k++) {
			struct reloc r;

			reloc_get(&relocs, k, &r);
			if (read_reloc(rd, &r, relocs.is_rela, seen))
				ret = -1;
		}
	}
	if (ret == 0)
		ret = check_seen(rd, seen);
	free(seen);
	return ret;
}

/* A final's words are addresses. If it is relocated, the loader sets them. */
static int read_words(struct reader *rd, struct tracepoint *tp)
{
	uint64_t base = rd->obj->sections[rd->shndx].addr;

	for (enum word word = 0; word < NWORDS; word++) {
		uint64_t offset = tp->record.offset + word * rd->word;
		const struct image_reloc *r =
			image_find_reloc(rd->img, base + offset);
		uint64_t addr = r != NULL && r->has_addend
					? (uint64_t)r->addend
					: read_word(rd, offset);
		struct spot spot;

		if (r != NULL && r->symbol[0] != '\0' && word != WORD_PROBE)
			return tracepoint_fault(
				rd->d, rd->obj, tp->record, tp,
				"link with -Bsymbolic",
				"the %s is bound to %s at run time",
				word_name(word), r->symbol);
		spot = spot_at(rd->obj, image_wrap(rd->img, addr));
		if (word != WORD_PROBE)
			*spot_of(tp, word) = spot;
		else if (r != NULL && r->symbol[0] != '\0')
			tp->probe = r->symbol;
		else if (spot.shndx != 0)
			tp->probe = spot_name(&rd->names, &spot);
		else
			return tracepoint_fault(rd->d, rd->obj, tp->record, tp,
						NULL,
						"the probe is at 0x%" PRIx64
						", which is not in the image",
						spot.offset);
	}
	return 0;
}

/* --- Sections ---------------------------------------------------------- */

static int grow(struct reader *rd, size_t n)
{
	struct tracepoint *items =
		realloc(rd->set->items, (rd->set->n + n + 1) * sizeof(*items));

	if (items == NULL)
		return diag_nomem(rd->d, rd->obj->path);
	rd->first = rd->set->n;
	for (size_t i = 0; i < n; i++)
		items[rd->first + i] = (struct tracepoint){
			.record = { rd->shndx, i * rd->record }
		};
	rd->set->items = items;
	rd->set->n += n;
	return 0;
}

/* The kernel links records by the last word, which must begin as 0. */
static int check_link(struct reader *rd, const struct tracepoint *tp)
{
	if (rd->record == NWORDS * rd->word ||
	    read_word(rd, tp->record.offset + NWORDS * rd->word) == 0)
		return 0;
	return tracepoint_fault(rd->d, rd->obj, tp->record, tp,
				TRACEPOINT_USE_MACROS(rd->set->is_own),
				"the last word of the record is not 0");
}

static int read_records(struct reader *rd)
{
	int ret = 0;

	if (rd->img == NULL)
		ret = read_relocs(rd);
	for (size_t i = rd->first; i < rd->set->n; i++) {
		struct tracepoint *tp = &rd->set->items[i];
		const struct spot_named *sym, *target;

		if ((rd->img != NULL && read_words(rd, tp)) ||
		    check_link(rd, tp))
			ret = -1;
		sym = spot_function(&rd->names, &tp->patchpoint);
		if (sym != NULL) {
			tp->function = sym->name;
			tp->function_offset = tp->patchpoint.offset -
					      sym->spot.offset;
		}
		target = spot_function(&rd->names, &tp->target);
		if (sym != NULL && target != NULL &&
		    !spot_is_one_function(&rd->names, sym, target))
			tp->target_function = target->name;
	}
	return ret;
}

static int read_section(struct reader *rd, unsigned nwords)
{
	const struct tracepoint at_start = { .record = { rd->shndx, 0 } };

	rd->word = rd->obj->is_64 ? 8 : 4;
	rd->record = nwords * rd->word;
	rd->bytes = object_data(rd->d, rd->obj, rd->shndx, &rd->size);
	if (rd->bytes == NULL)
		return -1;
	if (rd->isa == NULL || (!rd->set->is_own && rd->isa->is_nop == NULL))
		return tracepoint_fault(
			rd->d, rd->obj, at_start.record, &at_start, NULL,
			"there are no tracepoints on this machine");
	if (rd->obj->sections[rd->shndx].type == SHT_NOBITS ||
	    rd->size % rd->record != 0)
		return tracepoint_fault(
			rd->d, rd->obj, at_start.record, &at_start,
			"compile all objects against one sdt.h",
			"%zu bytes are no whole number of records of %u",
			rd->size, rd->record);
	if (grow(rd, rd->size / rd->record))
		return -1;
	return read_records(rd);
}

static int read_all(struct diag *d, const struct object *obj,
		    const struct image *img, bool is_own,
		    struct tracepoint_set *set)
{
	struct reader rd = {
		.d = d,
		.obj = obj,
		.img = img,
		.isa = tracepoint_isa_find(obj->ehdr.e_machine, obj->is_64, 0),
		.set = set,
	};
	int ret = 0;

	*set = (struct tracepoint_set){ .is_own = is_own };
	if (rd.isa != NULL)
		set->length = rd.isa->length;
	if (is_present(obj, is_own) && spot_names_read(d, obj, &rd.names))
		ret = -1;
	for (uint32_t i = 1; rd.names.items != NULL && i < obj->nsections;
	     i++) {
		unsigned nwords = nwords_of(&obj->sections[i], is_own);

		rd.shndx = i;
		if (nwords > 0 && read_section(&rd, nwords))
			ret = -1;
	}
	spot_names_free(&rd.names);
	return ret;
}

int tracepoint_read(struct diag *d, const struct object *obj,
		    const struct image *img, struct tracepoint_set *set)
{
	return read_all(d, obj, img, false, set);
}

int tracepoint_read_own(struct diag *d, const struct object *obj,
			struct tracepoint_set *set)
{
	return read_all(d, obj, NULL, true, set);
}

void tracepoint_set_free(struct tracepoint_set *set)
{
	free(set->items);
	*set = (struct tracepoint_set){ 0 };
}
