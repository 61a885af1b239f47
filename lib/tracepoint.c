/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads tracepoint records, from relocations in a partial and from words in a
 * final, and judges them in the same terms: sections and offsets.
 */
#include <config.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "arch/tracepoint.h"
#include "functions.h"
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

struct named {
	struct spot spot;
	uint64_t size;
	const char *name;
	bool is_code;
};

struct reader {
	struct diag *d;
	const struct object *obj;
	const struct image *img;
	const struct tracepoint_isa *isa;
	struct tracepoint_set *set;
	struct named *named; /* symbols, by spot */
	size_t nnamed;
	uint32_t shndx; /* the records' section, and its bytes */
	const uint8_t *bytes;
	size_t size;
	unsigned word, record; /* sizes */
	size_t first;	       /* its first record in the set */
};

static int compare_spots(const struct spot *a, const struct spot *b)
{
	if (a->shndx != b->shndx)
		return a->shndx < b->shndx ? -1 : 1;
	return a->offset < b->offset ? -1 : a->offset > b->offset;
}

/* An error about the record at OFFSET of section SHNDX. */
#define fault(d, obj, at, in, remedy, ...) \
	diag_report( \
		d, SEVERITY_NO, \
		&(struct place){ .file = (obj)->path, \
				 .section = (obj)->sections[(at).shndx].name, \
				 .function = (in)->function, \
				 .function_offset = (in)->function_offset, \
				 .has_offset = true, \
				 .offset = (at).offset }, \
		"tracepoint", remedy, __VA_ARGS__)

#define USE_MACROS(is_own) \
	(is_own) ? "write records with the macros of sdtlink/sdt.h" \
		 : "write records with the macros of sys/sdt.h"

static unsigned nwords_of(const struct section *sec, bool is_own)
{
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		if (forms[i].is_own == is_own &&
		    (is_own || section_is_alloc(sec)) &&
		    strcmp(sec->name, forms[i].section) == 0)
			return forms[i].nwords;
	return 0;
}

/* FreeBSD's are of one mode; in ours, the code at SPOT tells. */
static const struct tracepoint_isa *isa_at(struct diag *d,
					   const struct object *obj,
					   const struct spot *spot, bool is_own)
{
	uint8_t mode = 0;
	struct code code;

	if (is_own && obj->mode_bits != 0 && spot->shndx != 0 &&
	    section_is_text(&obj->sections[spot->shndx]) &&
	    object_code(d, obj, spot->shndx, &code))
		mode = code_mode(&code, spot->offset);
	return tracepoint_isa_find(obj->ehdr.e_machine, obj->is_64, mode);
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

/* --- Symbols ----------------------------------------------------------- */

static int compare_named(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	int order = compare_spots(&x->spot, &y->spot);

	/* Of two at one place, the last gives the name. */
	return order != 0	    ? order
	       : x->size == y->size ? -strcmp(x->name, y->name)
	       : x->size < y->size  ? -1
				    : 1;
}

static int list_symbols(struct reader *rd)
{
	rd->named = calloc(rd->obj->nsymbols + 1, sizeof(rd->named[0]));
	if (rd->named == NULL)
		return diag_nomem(rd->d, rd->obj->path);
	for (size_t i = 1; i < rd->obj->nsymbols; i++) {
		struct symbol sym;
		bool is_code;

		object_symbol(rd->obj, i, &sym);
		is_code = symbol_is_code(&sym);
		if (!is_code && (!sym.is_defined || sym.type != STT_OBJECT))
			continue;
		if (rd->img != NULL)
			sym.value -= rd->obj->sections[sym.shndx].addr;
		rd->named[rd->nnamed++] = (struct named){
			.spot = { sym.shndx, sym.value },
			.size = sym.size,
			.name = sym.name,
			.is_code = is_code,
		};
	}
	qsort(rd->named, rd->nnamed, sizeof(rd->named[0]), compare_named);
	return 0;
}

/* The number of symbols at or before SPOT. */
static size_t symbols_until(const struct reader *rd, const struct spot *spot)
{
	size_t low = 0, high = rd->nnamed;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (compare_spots(&rd->named[mid].spot, spot) <= 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* The function that SPOT is in; unsized labels do not begin one. */
static const struct named *function_of(const struct reader *rd,
				       const struct spot *spot)
{
	for (size_t i = symbols_until(rd, spot); i-- > 0;) {
		const struct named *sym = &rd->named[i];

		if (sym->spot.shndx != spot->shndx)
			return NULL;
		if (!sym->is_code || sym->size == 0)
			continue;
		return spot->offset - sym->spot.offset < sym->size ? sym : NULL;
	}
	return NULL;
}

static const char *name_at(const struct reader *rd, const struct spot *spot)
{
	size_t i = symbols_until(rd, spot);

	if (i > 0 && compare_spots(&rd->named[i - 1].spot, spot) == 0)
		return rd->named[i - 1].name;
	return NULL;
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

/* A relocation of a partial's record; SEEN has a bit for each word. */
static int read_reloc(struct reader *rd, const struct reloc *r, bool is_rela,
		      uint8_t *seen)
{
	const struct tracepoint at_start = { .record = { rd->shndx, 0 } };
	enum word word = r->offset % rd->record / rd->word;
	struct tracepoint *tp;
	struct spot spot;
	struct symbol sym;

	/* In sections that are not loaded, nobody has looked at it. */
	if (r->offset >= rd->size)
		return fault(rd->d, rd->obj, at_start.record, &at_start, NULL,
			     "a relocation is outside of the records");
	tp = &rd->set->items[rd->first + r->offset / rd->record];
	if (r->offset % rd->word != 0 || word >= NWORDS ||
	    r->type != rd->isa->reloc_word ||
	    (seen[r->offset / rd->record] & 1u << word) != 0)
		return fault(rd->d, rd->obj, tp->record, tp,
			     USE_MACROS(rd->set->is_own),
			     "the relocation of type %s at +0x%" PRIx64
			     " is none of a record's",
			     arch_reloc_name(rd->obj->arch, r->type),
			     r->offset);
	seen[r->offset / rd->record] |= 1u << word;
	object_symbol(rd->obj, r->symndx, &sym);
	spot.shndx = sym.is_defined ? sym.shndx : 0;
	spot.offset = sym.value + (is_rela ? (uint64_t)r->addend
					   : read_word(rd, r->offset));
	if (!rd->obj->is_64)
		spot.offset = (uint32_t)spot.offset;
	if (word != WORD_PROBE)
		*spot_of(tp, word) = spot;
	else if (sym.type != STT_SECTION)
		tp->probe = sym.name;
	else
		tp->probe = name_at(rd, &spot);
	return 0;
}

static int check_seen(struct reader *rd, const uint8_t *seen)
{
	int ret = 0;

	for (size_t i = 0; i < rd->size / rd->record; i++) {
		const struct tracepoint *tp = &rd->set->items[rd->first + i];

		for (enum word word = 0; word < NWORDS; word++)
			if ((seen[i] & 1u << word) == 0)
				ret = fault(rd->d, rd->obj, tp->record, tp,
					    USE_MACROS(rd->set->is_own),
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

/* Sections of a final do not overlap where they are loaded. */
static struct spot spot_at(const struct object *obj, uint64_t addr)
{
	for (uint32_t i = 1; i < obj->nsections; i++) {
		const struct section *sec = &obj->sections[i];

		if (section_is_alloc(sec) && !(sec->flags & SHF_TLS) &&
		    addr >= sec->addr && addr - sec->addr < sec->size)
			return (struct spot){ i, addr - sec->addr };
	}
	return (struct spot){ 0, addr };
}

/* A final's words are addresses; where it is relocated, the loader's are. */
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
			return fault(rd->d, rd->obj, tp->record, tp,
				     "link with -Bsymbolic",
				     "the %s is bound to %s at run time",
				     word_name(word), r->symbol);
		spot = spot_at(rd->obj, image_wrap(rd->img, addr));
		if (word != WORD_PROBE)
			*spot_of(tp, word) = spot;
		else
			tp->probe = r != NULL && r->symbol[0] != '\0'
					    ? r->symbol
					    : name_at(rd, &spot);
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

/* The kernel chains records by the last word: it begins with none. */
static int check_link(struct reader *rd, const struct tracepoint *tp)
{
	if (rd->record == NWORDS * rd->word ||
	    read_word(rd, tp->record.offset + NWORDS * rd->word) == 0)
		return 0;
	return fault(rd->d, rd->obj, tp->record, tp,
		     USE_MACROS(rd->set->is_own),
		     "the last word of the record is not 0");
}

static int read_records(struct reader *rd)
{
	int ret = 0;

	if (rd->img == NULL)
		ret = read_relocs(rd);
	for (size_t i = rd->first; i < rd->set->n; i++) {
		struct tracepoint *tp = &rd->set->items[i];
		const struct named *sym;

		if ((rd->img != NULL && read_words(rd, tp)) ||
		    check_link(rd, tp))
			ret = -1;
		sym = function_of(rd, &tp->patchpoint);
		if (sym != NULL) {
			tp->function = sym->name;
			tp->function_offset = tp->patchpoint.offset -
					      sym->spot.offset;
		}
		sym = function_of(rd, &tp->target);
		tp->target_function = sym != NULL ? sym->name : NULL;
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
	if (rd->isa == NULL)
		return fault(rd->d, rd->obj, at_start.record, &at_start, NULL,
			     "there are no tracepoints on this machine");
	if (rd->obj->sections[rd->shndx].type == SHT_NOBITS ||
	    rd->size % rd->record != 0)
		return fault(rd->d, rd->obj, at_start.record, &at_start,
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
	if (is_present(obj, is_own) && list_symbols(&rd))
		ret = -1;
	for (uint32_t i = 1; rd.named != NULL && i < obj->nsections; i++) {
		unsigned nwords = nwords_of(&obj->sections[i], is_own);

		rd.shndx = i;
		if (nwords > 0 && read_section(&rd, nwords))
			ret = -1;
	}
	free(rd.named);
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

unsigned tracepoint_own_length(const struct object *obj,
			       const struct code *code, uint64_t offset)
{
	const struct tracepoint_isa *isa = tracepoint_isa_find(
		obj->ehdr.e_machine, obj->is_64, code_mode(code, offset));
	int64_t distance;

	if (isa == NULL || offset > code->size ||
	    code->size - offset < isa->length)
		return 0;
	return tracepoint_is_own_nop(isa, obj->is_big_endian,
				     code->bytes + offset) ||
			       tracepoint_decode(isa, obj->is_big_endian,
						 code->bytes + offset,
						 &distance)
		       ? isa->length
		       : 0;
}

void tracepoint_set_free(struct tracepoint_set *set)
{
	free(set->items);
	*set = (struct tracepoint_set){ 0 };
}

/* --- The lint ---------------------------------------------------------- */

#define LINE_SIZE 64

struct lint {
	struct diag *d;
	const struct object *obj;
	const struct tracepoint_isa *isa;
	const struct tracepoint **sorted; /* by patchpoint */
	size_t n;
	bool is_own;
	size_t nsleds;
	size_t nstraddles;
};

static bool is_text(const struct lint *lint, const struct spot *spot,
		    uint64_t size)
{
	const struct section *sec = &lint->obj->sections[spot->shndx];

	return spot->shndx != 0 && section_is_text(sec) &&
	       spot->offset <= sec->size && sec->size - spot->offset >= size;
}

/* False if it is not known before the final link. */
static bool distance_of(const struct lint *lint, const struct tracepoint *tp,
			int64_t *distance)
{
	const struct section *sections = lint->obj->sections;
	uint64_t from = tp->patchpoint.offset, to = tp->target.offset;

	if (tp->target.shndx != tp->patchpoint.shndx) {
		if (lint->obj->ehdr.e_type == ET_REL)
			return false;
		from += sections[tp->patchpoint.shndx].addr;
		to += sections[tp->target.shndx].addr;
	}
	*distance = tracepoint_distance(lint->isa, from, to);
	return true;
}

/* f and f.cold are parts of one function. */
static bool same_function(const char *a, const char *b)
{
	size_t n = strcspn(a, ".");

	return n == strcspn(b, ".") && strncmp(a, b, n) == 0;
}

static int lint_range(struct lint *lint, const struct tracepoint *tp,
		      int64_t distance)
{
	uint8_t jump[TRACEPOINT_INSN_MAX];
	int64_t back;

	if (!tracepoint_encode(lint->isa, lint->obj->is_big_endian, distance,
			       jump))
		return fault(lint->d, lint->obj, tp->record, tp,
			     "let the compiler keep the target near",
			     "no jump goes from the patchpoint to the target: "
			     "%" PRId64 " is not in [%" PRId64 ", %" PRId64
			     "], or no multiple of %u",
			     distance, lint->isa->min, lint->isa->max,
			     lint->isa->step);
	if (!tracepoint_decode(lint->isa, lint->obj->is_big_endian, jump,
			       &back) ||
	    back != distance)
		return fault(lint->d, lint->obj, tp->record, tp, NULL,
			     "the jump over %" PRId64 " decodes as one over "
			     "%" PRId64,
			     distance, back);
	return 0;
}

/* The NOP, or the very jump to the target: then it is enabled. */
static int lint_bytes(struct lint *lint, const struct tracepoint *tp,
		      bool is_known, int64_t distance)
{
	bool is_big = lint->obj->is_big_endian;
	const uint8_t *text;
	bool is_sled;
	int64_t jump;
	size_t size;

	text = object_data(lint->d, lint->obj, tp->patchpoint.shndx, &size);
	if (text == NULL)
		return -1;
	text += tp->patchpoint.offset;
	if (lint->is_own) {
		/* Nothing patches a partial, and only this one is patched. */
		if (tracepoint_is_own_nop(lint->isa, is_big, text))
			return 0;
	} else if (tracepoint_is_nop(lint->isa, is_big, text, &is_sled)) {
		lint->nsleds += is_sled;
		return 0;
	}
	if (lint->is_own || !tracepoint_decode(lint->isa, is_big, text, &jump))
		return fault(lint->d, lint->obj, tp->record, tp,
			     USE_MACROS(lint->is_own),
			     "the patchpoint holds %02x %02x %02x %02x, which "
			     "is no NOP of %u bytes",
			     text[0], text[1], text[2], text[3],
			     lint->isa->length);
	if (is_known && jump == distance)
		return 0;
	return fault(lint->d, lint->obj, tp->record, tp,
		     "look at what encodes the jump",
		     "the patchpoint holds %02x %02x %02x %02x, a jump over "
		     "%" PRId64 ", and the target is at %" PRId64,
		     text[0], text[1], text[2], text[3], jump,
		     is_known ? distance : 0);
}

static void count_straddle(struct lint *lint, const struct tracepoint *tp)
{
	const struct section *sec = &lint->obj->sections[tp->patchpoint.shndx];
	uint64_t at = sec->addr + tp->patchpoint.offset;

	/* In a partial, only an aligned section tells. */
	if (lint->obj->ehdr.e_type == ET_REL && sec->align < LINE_SIZE)
		return;
	lint->nstraddles += at % LINE_SIZE + lint->isa->length > LINE_SIZE;
}

static int lint_one(struct lint *lint, const struct tracepoint *tp)
{
	int64_t distance = 0;
	bool is_known;

	lint->isa = isa_at(lint->d, lint->obj, &tp->patchpoint, lint->is_own);
	if (!is_text(lint, &tp->patchpoint, lint->isa->length))
		return fault(lint->d, lint->obj, tp->record, tp, NULL,
			     "the patchpoint is not in executable text");
	if (!is_text(lint, &tp->target, 1))
		return fault(lint->d, lint->obj, tp->record, tp, NULL,
			     "the target is not in executable text");
	count_straddle(lint, tp);
	if (tp->function != NULL && tp->target_function != NULL &&
	    !same_function(tp->function, tp->target_function))
		return fault(lint->d, lint->obj, tp->record, tp, NULL,
			     "the target is in another function: %s",
			     tp->target_function);
	is_known = distance_of(lint, tp, &distance);
	if (is_known && lint_range(lint, tp, distance))
		return -1;
	return lint_bytes(lint, tp, is_known, distance);
}

static int compare_patchpoints(const void *a, const void *b)
{
	const struct tracepoint *x = *(const struct tracepoint *const *)a;
	const struct tracepoint *y = *(const struct tracepoint *const *)b;
	int order = compare_spots(&x->patchpoint, &y->patchpoint);

	return order != 0 ? order : compare_spots(&x->record, &y->record);
}

/* Is SPOT behind the first byte of a patchpoint, and before its end? */
static const struct tracepoint *covers(const struct lint *lint,
				       const struct spot *spot)
{
	size_t low = 0, high = lint->n;
	const struct spot *before;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (compare_spots(&lint->sorted[mid]->patchpoint, spot) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	if (low == 0)
		return NULL;
	before = &lint->sorted[low - 1]->patchpoint;
	return before->shndx == spot->shndx &&
			       spot->offset - before->offset < lint->isa->length
		       ? lint->sorted[low - 1]
		       : NULL;
}

/* Two records of one patchpoint, and what lies in the middle of one. */
static int lint_together(struct lint *lint)
{
	int ret = 0;

	for (size_t i = 0; i < lint->n; i++) {
		const struct tracepoint *tp = lint->sorted[i];

		if (i > 0 &&
		    compare_spots(&tp->patchpoint,
				  &lint->sorted[i - 1]->patchpoint) == 0)
			ret = fault(lint->d, lint->obj, tp->record, tp, NULL,
				    "the record at +0x%" PRIx64
				    " has this patchpoint, too",
				    lint->sorted[i - 1]->record.offset);
		else if (covers(lint, &tp->patchpoint) != NULL)
			ret = fault(lint->d, lint->obj, tp->record, tp, NULL,
				    "the patchpoint overlaps another");
		if (covers(lint, &tp->target) != NULL)
			ret = fault(lint->d, lint->obj, tp->record, tp, NULL,
				    "the target is in the middle of a "
				    "patchpoint");
	}
	return ret;
}

static void warn(const struct lint *lint, size_t n, const char *what)
{
	if (n > 0)
		diag_report(lint->d, SEVERITY_WARNING,
			    &(struct place){ .file = lint->obj->path },
			    "tracepoint", NULL, "%zu of %zu patchpoints %s", n,
			    lint->n, what);
}

int tracepoint_lint(struct diag *d, const struct object *obj,
		    struct tracepoint_set *set)
{
	struct lint lint = {
		.d = d,
		.obj = obj,
		.isa = tracepoint_isa_find(obj->ehdr.e_machine, obj->is_64, 0),
		.n = set->n,
		.is_own = set->is_own,
	};
	int ret = 0;

	if (set->n == 0)
		return 0;
	lint.sorted = malloc(set->n * sizeof(lint.sorted[0]));
	if (lint.sorted == NULL)
		return diag_nomem(d, obj->path);
	for (size_t i = 0; i < set->n; i++) {
		lint.sorted[i] = &set->items[i];
		if (lint_one(&lint, &set->items[i]))
			ret = -1;
	}
	qsort(lint.sorted, lint.n, sizeof(lint.sorted[0]), compare_patchpoints);
	if (lint_together(&lint))
		ret = -1;
	warn(&lint, lint.nsleds,
	     "are several NOPs: an interrupt in between returns into the jump");
	warn(&lint, set->is_own ? 0 : lint.nstraddles,
	     "straddle a line of 64 bytes: no store of them is whole");
	free(lint.sorted);
	return ret;
}
