/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The proof, in the order of its steps:
 *   collect   the sites of the partial; refuse what is no branch
 *   stubs     where each probe's stub is in the final
 *   place     each section with sites, and compare its bytes
 *   decode    the branch at each site in the final: does it reach the stub?
 *   table     does it name these sites and no others?
 *   extra     does any other branch in the final reach a stub?
 *   relocs    if the final kept its relocations: do they agree?
 */
#include <config.h>

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "functions.h"
#include "probe.h"
#include "proof.h"

/* --- Findings ---------------------------------------------------------- */

void find(struct proof *p, struct finding *finding, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	if (p->v->nfindings++ >= FINDINGS_MAX)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	finding->text = text;
	if (finding->section != NULL)
		finding->partial = p->partial->path;
	if (finding->remedy == NULL)
		finding->remedy = cause_remedy(
			finding->cause,
			p->has_table ? p->table.form : p->options->table);
	p->v->sink(p->v->ctx, finding);
}

struct finding at_witness(const struct proof *p, const struct witness *w,
			  enum cause cause)
{
	struct place place = { 0 };

	if (p->v->nfindings < FINDINGS_MAX)
		functions_locate(p->partial, w->shndx, w->offset, &place);
	return (struct finding){
		.cause = cause,
		.section = p->partial->sections[w->shndx].name,
		.function = place.function,
		.has_offset = true,
		.offset = w->offset,
		.has_address = w->is_placed,
		.address = w->addr,
	};
}

/* --- Stubs ------------------------------------------------------------- */

static int compare_stubs(const void *a, const void *b)
{
	return strcmp(((const struct stub *)a)->symbol,
		      ((const struct stub *)b)->symbol);
}

static int compare_stub_addrs(const void *a, const void *b)
{
	const struct stub *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

const struct stub *find_stub(const struct proof *p, const char *symbol)
{
	struct stub key = { .symbol = symbol };

	return bsearch(&key, p->stubs, p->nstubs, sizeof(key), compare_stubs);
}

const struct stub *stub_at(const struct proof *p, uint64_t addr)
{
	struct stub key = { .addr = addr };

	if (p->nstubs == 0)
		return NULL;
	return bsearch(&key, p->stubs_by_addr, p->nstubs, sizeof(key),
		       compare_stub_addrs);
}

const struct stub *stub_entered_at(const struct proof *p, uint64_t addr)
{
	size_t low = 0, high = p->nstubs;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (p->stubs_by_addr[mid].addr <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	if (low == 0 || (p->stubs_by_addr[low - 1].addr != addr &&
			 p->stubs_by_addr[low - 1].entry != addr))
		return NULL;
	return &p->stubs_by_addr[low - 1];
}

const struct stub *stub_of_pointer(const struct proof *p, uint64_t pointer)
{
	uint8_t mode = pointer & p->partial->mode_bits;
	const struct stub *stub = stub_entered_at(p, pointer - mode);

	return stub != NULL && stub->mode == mode ? stub : NULL;
}

static size_t sort_unique(struct stub *stubs, size_t n)
{
	size_t kept = 0;

	qsort(stubs, n, sizeof(stubs[0]), compare_stubs);
	for (size_t i = 0; i < n; i++)
		if (kept == 0 ||
		    compare_stubs(&stubs[kept - 1], &stubs[i]) != 0)
			stubs[kept++] = stubs[i];
	return kept;
}

/* The probe functions that PARTIAL mentions; returns how many. */
static size_t list_mentioned(const struct proof *p,
			     const struct object *partial, struct stub *stubs)
{
	size_t n = 0;

	for (size_t i = 1; i < partial->nsymbols; i++) {
		struct symbol sym;
		size_t prefix;

		object_symbol(partial, i, &sym);
		if (sym.bind != STB_LOCAL &&
		    probe_classify(p->options, sym.name, sym.shndx != SHN_UNDEF,
				   &prefix) != PROBE_NONE)
			stubs[n++] = (struct stub){ .symbol = sym.name };
	}
	return n;
}

/*
 * The names of all probe functions, once each: those that have a site, and
 * those that a partial only mentions, which get a stub as well.
 */
static int list_stubs(struct proof *p)
{
	size_t n = 0, size = 1;

	for (size_t k = 0; k < p->nall; k++)
		size += p->all[k].list.n + p->all[k].partial->nsymbols;
	p->stubs = calloc(size, sizeof(p->stubs[0]));
	if (p->stubs == NULL)
		return diag_nomem(p->d, p->partial->path);
	for (size_t k = 0; k < p->nall; k++)
		for (size_t i = 0; i < p->all[k].list.n; i++)
			p->stubs[n++].symbol = p->all[k].list.items[i].symbol;
	n = sort_unique(p->stubs, n);
	p->v->nprobes = n;
	for (size_t k = 0; k < p->nall; k++)
		n += list_mentioned(p, p->all[k].partial, p->stubs + n);
	p->nstubs = sort_unique(p->stubs, n);
	p->stubs_by_addr = malloc((p->nstubs + 1) * sizeof(p->stubs[0]));
	return p->stubs_by_addr != NULL ? 0
					: diag_nomem(p->d, p->partial->path);
}

static bool is_code(const struct proof *p, const struct symbol *sym)
{
	return sym->is_defined && image_find_text(&p->img, sym->value, 1);
}

/* The truth is what mapping symbols tell; a symbol's type is a promise. */
static uint8_t code_mode_at(const struct proof *p, const struct symbol *sym)
{
	const struct image_section *is =
		image_find_text(&p->img, sym->value, 1);
	uint8_t mode = code_mode(&is->code, sym->value - is->code.addr);

	return mode == MODE_UNKNOWN || mode == MODE_DATA ? sym->mode : mode;
}

/* Finds the one definition of each stub. */
static void locate_stubs(struct proof *p)
{
	const struct arch *arch = p->partial->arch;
	size_t kept = 0;

	for (size_t i = 0; i < p->nstubs; i++) {
		struct stub *stub = &p->stubs[i];
		struct symbol sym, other;
		uint32_t symndx = 0;
		struct finding f = { .cause = CAUSE_STUB_MISSING };

		/* Missing is reported where a site needs it. */
		if (!names_next(&p->img.names, stub->symbol, &symndx, &sym) ||
		    !is_code(p, &sym))
			continue;
		if (names_next(&p->img.names, stub->symbol, &symndx, &other)) {
			find(p, &f, "the image defines %s more than once",
			     stub->symbol);
			continue;
		}
		stub->addr = sym.value;
		stub->entry = sym.value;
		if (arch->local_entry != NULL)
			stub->entry += arch->local_entry(sym.other);
		stub->pointer = sym.value | sym.mode;
		stub->mode = code_mode_at(p, &sym);
		p->stubs[kept++] = *stub;
	}
	p->nstubs = kept;
	memcpy(p->stubs_by_addr, p->stubs, kept * sizeof(p->stubs[0]));
	qsort(p->stubs_by_addr, kept, sizeof(p->stubs[0]), compare_stub_addrs);
}

/* Two probes at one address cannot be told apart. */
static void check_distinct(struct proof *p)
{
	for (size_t i = 1; i < p->nstubs; i++) {
		const struct stub *a = &p->stubs_by_addr[i - 1];
		const struct stub *b = &p->stubs_by_addr[i];
		struct finding f = { .cause = CAUSE_STUB_FOLDED,
				     .has_address = true,
				     .address = b->addr };

		if (a->addr == b->addr)
			find(p, &f, "the stubs %s and %s are at one address",
			     a->symbol, b->symbol);
	}
}

/* --- Branches ---------------------------------------------------------- */

bool decode_at(const struct proof *p, uint64_t addr, struct branch *branch)
{
	const struct image_section *is = image_find_text(&p->img, addr, 1);
	const struct arch *arch = p->partial->arch;

	return is != NULL && arch->decode_branch(arch, &is->code,
						 addr - is->code.addr, branch);
}

/* The mode is that of the partial, whatever the image's symbols say. */
bool decode_site(const struct proof *p, const struct witness *w,
		 struct branch *branch)
{
	const struct image_section *is = image_find_text(&p->img, w->addr, 1);
	const struct arch *arch = p->partial->arch;
	struct mark mark = { 0, w->mode };
	struct code code;

	if (is == NULL)
		return false;
	code = code_in_mode(&is->code, &mark);
	return arch->decode_branch(arch, &code, w->addr - code.addr, branch);
}

/*
 * The form and the target do not tell the condition of a conditional branch,
 * or a prefix: all bits but the displacement must be those of the partial.
 */
static bool same_opcode(const struct proof *p, const struct witness *w)
{
	const struct arch *arch = p->partial->arch;
	const uint8_t *before, *after;
	struct byte_range range;
	size_t size;
	bool is_same = true;

	/* What a linker shortens has no condition. */
	if (p->partial->sections[w->shndx].relaxes)
		return true;
	before = object_data(p->d, p->partial, w->shndx, &size);
	after = image_bytes(&p->img, w->addr - w->offset, size);
	if (before == NULL || after == NULL)
		return false;
	for (unsigned i = 0; i < w->length; i++) {
		uint8_t kept =
			~arch_reloc_bits(arch, w->reloc.type, i - w->field);
		uint64_t at = w->offset + i;

		is_same &= ((before[at] ^ after[at]) & kept) == 0;
	}
	return is_same ||
	       (arch->is_rewrite(arch, before, after, size, &w->reloc,
				 &range) &&
		range.start <= w->offset && range.end >= w->offset + w->length);
}

static bool is_direct_branch(const struct proof *p, const struct witness *w,
			     struct branch *branch)
{
	return decode_site(p, w, branch) && branch->form == w->form &&
	       same_opcode(p, w);
}

static void check_branch(struct proof *p, const struct witness *w)
{
	const struct stub *stub = find_stub(p, w->symbol);
	struct finding f = at_witness(p, w, CAUSE_REWRITTEN);
	struct branch branch;

	if (stub == NULL) {
		f.cause = CAUSE_STUB_MISSING;
		find(p, &f, "the image defines no function %s", w->symbol);
		return;
	}
	if (!is_direct_branch(p, w, &branch))
		find(p, &f, "the branch to %s became another instruction",
		     w->symbol);
	else if (reaches(p, &branch, stub))
		return;
	else if (is_hop(p, &branch)) {
		f.cause = CAUSE_THUNK;
		find(p, &f,
		     "the branch goes to a veneer or PLT entry at 0x%" PRIx64
		     ", which does not go on to the stub %s at 0x%" PRIx64,
		     branch.target, w->symbol, stub->entry);
	} else
		find(p, &f,
		     "the branch goes to 0x%" PRIx64
		     " and not to the stub %s at 0x%" PRIx64,
		     branch.target, w->symbol, stub->entry);
}

/* at_witness is costly: only for what is wrong. */
static bool is_right_branch(const struct proof *p, const struct witness *w)
{
	const struct stub *stub = find_stub(p, w->symbol);
	struct branch branch;

	return stub != NULL && is_direct_branch(p, w, &branch) &&
	       reaches(p, &branch, stub);
}

/* Is it what --nop makes of such a site? That has an anchored table. */
static bool is_disabled(const struct proof *p, const struct witness *w)
{
	const struct arch *arch = p->partial->arch;
	struct code code = { 0 };
	uint8_t expected[DISABLED_MAX];
	const uint8_t *bytes;
	unsigned size;

	if (!object_code(p->d, p->partial, w->shndx, &code))
		return false;
	size = arch->disable(arch, w->form, w->is_enabled, &code, w->offset,
			     expected);
	bytes = image_bytes(&p->img, w->addr, size);
	return size > 0 && bytes != NULL && !w->is_excluded &&
	       p->table.form == TABLE_ANCHORED &&
	       memcmp(bytes, expected, size) == 0;
}

/* --- Places ------------------------------------------------------------ */

static int compare_placed(const void *a, const void *b)
{
	const struct placed *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

/*
 * Another copy of a COMDAT function is that only if the rest of the partial
 * is in the image.
 */
static enum cause differs_cause(const struct proof *p,
				const struct section *sec)
{
	if (p->v->nfindings < FINDINGS_MAX && is_from_bytecode(p))
		return CAUSE_LTO;
	if (sec->group == 0 || p->has_suspects)
		return CAUSE_TEXT_DIFFERS;
	return CAUSE_COMDAT;
}

static void report_moved(struct proof *p, uint32_t shndx,
			 const struct placement *pl)
{
	struct finding f = {
		.cause = differs_cause(p, &p->partial->sections[shndx]),
		.section = p->partial->sections[shndx].name,
		.function = pl->symbol,
		.has_offset = true,
		.offset = pl->offset,
		.has_displacement = true,
		.displacement = pl->displacement,
	};

	find(p, &f, "%s is not where the rest of its section is", pl->symbol);
}

/* The site of section SHNDX that OFFSET is in, or NULL. */
static const struct witness *site_at(const struct proof *p, uint32_t shndx,
				     uint64_t offset)
{
	for (size_t i = 0; i < p->list.n; i++) {
		const struct witness *w = &p->list.items[i];

		if (w->shndx == shndx && offset - w->offset < w->length)
			return w;
	}
	return NULL;
}

/* Is there a branch to an instruction and back, as fixes of errata make it? */
static bool is_at_detour(const struct proof *p, uint64_t addr)
{
	const struct arch *arch = p->partial->arch;
	const struct image_section *is = image_find_text(&p->img, addr, 1);
	struct detour detour;

	return is != NULL && arch->decode_detour != NULL &&
	       arch->decode_detour(arch, &is->code, addr - is->code.addr,
				   &detour);
}

static void report_differs(struct proof *p, uint32_t shndx,
			   const struct placement *pl)
{
	const struct section *sec = &p->partial->sections[shndx];
	const struct witness *w = site_at(p, shndx, pl->offset);
	struct place place = { 0 };
	struct finding f = {
		.cause = differs_cause(p, sec),
		.section = sec->name,
		.has_offset = true,
		.offset = pl->offset,
		.has_address = true,
		.address = pl->at,
	};

	functions_locate(p->partial, shndx, pl->offset, &place);
	f.function = place.function;
	/* In rigid text the sites are judged later. */
	if (w == NULL && is_at_detour(p, pl->at)) {
		f.cause = CAUSE_ERRATUM;
		find(p, &f,
		     "the linker moved this instruction away, and what it put "
		     "elsewhere is another one");
		return;
	}
	if (w == NULL) {
		find(p, &f,
		     "the bytes of the image are not those of the partial");
		return;
	}
	f.cause = CAUSE_REWRITTEN;
	find(p, &f, "the branch to %s became another instruction", w->symbol);
}

/*
 * After ld -x no local symbol is left: that one is missing then says nothing
 * about its section.
 */
static bool keeps_locals(const struct proof *p)
{
	for (size_t i = 1; i < p->partial->nsymbols; i++) {
		struct symbol sym, found;
		uint32_t symndx = 0;

		object_symbol(p->partial, i, &sym);
		if (sym.bind != STB_LOCAL || !symbol_is_code(&sym))
			continue;
		while (names_next(&p->img.names, sym.name, &symndx, &found))
			if (found.bind == STB_LOCAL)
				return true;
	}
	return false;
}

static bool has_global(const struct proof *p, uint32_t shndx)
{
	for (size_t i = 1; i < p->partial->nsymbols; i++) {
		struct symbol sym;

		object_symbol(p->partial, i, &sym);
		if (sym.is_defined && sym.shndx == shndx &&
		    sym.bind == STB_GLOBAL)
			return true;
	}
	return false;
}

/* Is it gone, as far as the absence of its symbols can tell? */
static void judge_absent(struct proof *p, uint32_t shndx)
{
	struct finding f = { .cause = CAUSE_UNPLACED,
			     .section = p->partial->sections[shndx].name };

	p->has_absent = true;
	if (!p->keeps_locals && !has_global(p, shndx))
		find(p, &f,
		     "the image has no local symbols: nothing tells "
		     "whether the section is in it");
}

static void report_ambiguous(struct proof *p, uint32_t shndx)
{
	struct finding f = {
		.cause = CAUSE_UNPLACED,
		.section = p->partial->sections[shndx].name,
		.remedy = "give a function of the section external linkage, "
			  "so that its name tells the place",
	};

	find(p, &f, "the section fits more than one place in the image");
}

static void report_placement(struct proof *p, uint32_t shndx,
			     const struct placement *pl)
{
	switch (pl->state) {
	case PLACEMENT_MOVED:
		report_moved(p, shndx, pl);
		break;
	case PLACEMENT_DIFFERS:
		report_differs(p, shndx, pl);
		break;
	case PLACEMENT_AMBIGUOUS:
		report_ambiguous(p, shndx);
		break;
	case PLACEMENT_UNKNOWN:
	case PLACEMENT_ABSENT:
		judge_absent(p, shndx);
		break;
	case PLACEMENT_PLACED:
		break;
	}
}

/* The witnesses [FIRST, END), where their section is at PL->addr. */
static int set_addresses(struct proof *p, size_t first, size_t end,
			 const struct section_relocs *relocs,
			 struct placement *pl)
{
	if (p->partial->sections[p->list.items[first].shndx].relaxes)
		return follow_relaxed(p, first, end, relocs, pl);
	for (size_t i = first; i < end; i++) {
		p->list.items[i].is_placed = true;
		p->list.items[i].addr =
			image_wrap(&p->img, pl->addr + p->list.items[i].offset);
	}
	return 0;
}

/* Does each site branch to its stub there, or is it disabled? */
static bool has_right_sites(const struct proof *p, size_t first, size_t end)
{
	for (size_t i = first; i < end; i++)
		if (!is_right_branch(p, &p->list.items[i]) &&
		    !is_disabled(p, &p->list.items[i]))
			return false;
	return true;
}

/*
 * A section without symbols of its own that fits several places differs
 * from another in no more than what relocations set: in the probes, perhaps.
 */
static int resolve_ambiguous(struct proof *p, size_t first, size_t end,
			     const struct section_relocs *relocs,
			     struct placement *pl)
{
	uint64_t found = 0;
	size_t n = 0;

	for (size_t i = 0; i < pl->nfits; i++) {
		pl->addr = pl->fits[i];
		if (set_addresses(p, first, end, relocs, pl))
			return -1;
		if (has_right_sites(p, first, end)) {
			found = pl->addr;
			n++;
		}
	}
	for (size_t i = first; i < end; i++)
		p->list.items[i].is_placed = false;
	pl->addr = n > 0 ? found : pl->fits[0];
	if (n == 1)
		pl->state = PLACEMENT_PLACED;
	return 0;
}

/* Where the section of the witnesses [FIRST, END) is. */
static int find_section(struct proof *p, size_t first, size_t end,
			struct section_relocs *relocs, struct placement *pl)
{
	uint32_t shndx = p->list.items[first].shndx;
	bool relaxes = p->partial->sections[shndx].relaxes;

	if (placer_relocs(&p->placer, shndx, relocs))
		return -1;
	/* The instructions at the sites are judged by check_branches. */
	relocs->exempt = p->site_ranges + first;
	relocs->nexempt = end - first;
	if (relaxes ? place_relaxed(p, first, end, relocs, pl)
		    : placer_place(&p->placer, shndx, relocs, pl))
		return -1;
	if (pl->state == PLACEMENT_AMBIGUOUS &&
	    resolve_ambiguous(p, first, end, relocs, pl))
		return -1;
	/* What differs keeps its place: then the rest can be told exactly. */
	if (pl->state != PLACEMENT_PLACED &&
	    (relaxes || pl->state == PLACEMENT_ABSENT ||
	     pl->state == PLACEMENT_UNKNOWN ||
	     image_find_text(&p->img, pl->addr, pl->size) == NULL))
		return 0;
	return set_addresses(p, first, end, relocs, pl);
}

/* Places one section with sites; keeps it in p->placed if that worked. */
static int place_section(struct proof *p, size_t first, size_t end)
{
	uint32_t shndx = p->list.items[first].shndx;
	struct placed *placed = &p->placed[p->nplaced];
	struct placement pl;

	if (find_section(p, first, end, &placed->relocs, &pl)) {
		free(placed->relocs.relocs);
		return -1;
	}
	report_placement(p, shndx, &pl);
	for (size_t i = first; i < end; i++) {
		p->list.items[i].is_suspect = pl.state != PLACEMENT_PLACED;
		p->list.items[i].is_absent = pl.state == PLACEMENT_ABSENT;
	}
	placed->addr = pl.addr;
	placed->size = pl.size;
	placed->shndx = shndx;
	placed->first = first;
	placed->end = end;
	placed->is_relaxed = p->partial->sections[shndx].relaxes;
	placed->is_suspect = pl.state != PLACEMENT_PLACED;
	if (pl.state != PLACEMENT_PLACED && pl.state != PLACEMENT_ABSENT) {
		p->is_suspect[shndx] = true;
		p->has_suspects |= p->partial->sections[shndx].group == 0;
	}
	if (p->list.items[first].is_placed) {
		p->nplaced++;
		return 0;
	}
	free(placed->relocs.relocs);
	placed->relocs = (struct section_relocs){ 0 };
	return 0;
}

/* The sections that are members of a COMDAT group, or those that are not. */
static int place_all(struct proof *p, bool is_comdat)
{
	for (size_t first = 0, end; first < p->list.n; first = end) {
		uint32_t shndx = p->list.items[first].shndx;

		for (end = first;
		     end < p->list.n && p->list.items[end].shndx == shndx;
		     end++)
			;
		if ((p->partial->sections[shndx].group != 0) != is_comdat)
			continue;
		if (place_section(p, first, end))
			return -1;
		p->v->nsections++;
	}
	return 0;
}

static int place_sections(struct proof *p)
{
	p->placed = calloc(p->list.n + 1, sizeof(p->placed[0]));
	p->site_ranges = malloc((p->list.n + 1) * sizeof(p->site_ranges[0]));
	p->is_suspect = calloc(p->partial->nsections, sizeof(bool));
	if (p->placed == NULL || p->site_ranges == NULL ||
	    p->is_suspect == NULL)
		return diag_nomem(p->d, p->partial->path);
	for (size_t i = 0; i < p->list.n; i++) {
		const struct witness *w = &p->list.items[i];

		p->site_ranges[i] =
			(struct byte_range){ w->offset, w->offset + w->length };
	}
	if (place_all(p, false) || place_all(p, true))
		return -1;
	qsort(p->placed, p->nplaced, sizeof(p->placed[0]), compare_placed);
	return 0;
}

/* --- Sites -------------------------------------------------------------- */

static const struct placed *own_placed_at(const struct proof *p, uint64_t addr)
{
	size_t low = 0, high = p->nplaced;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (p->placed[mid].addr <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	if (low == 0 ||
	    addr - p->placed[low - 1].addr >= p->placed[low - 1].size)
		return NULL;
	return &p->placed[low - 1];
}

const struct placed *placed_at(const struct proof *p, uint64_t addr)
{
	const struct placed *pl = NULL;

	for (size_t k = 0; pl == NULL && k < p->nall; k++)
		pl = own_placed_at(&p->all[k], addr);
	return pl;
}

/* Is FUNCTION the name of one in a section that differs? */
static bool is_suspect_function(const struct proof *p, const char *function)
{
	struct symbol sym;
	uint32_t symndx = 0;

	while (names_next(&p->functions, function, &symndx, &sym))
		if (sym.is_defined && p->is_suspect[sym.shndx])
			return true;
	return false;
}

bool is_explained(const struct proof *p, uint64_t addr)
{
	const struct placed *pl = placed_at(p, addr);
	struct symbol function;
	bool has_name;

	if (pl != NULL)
		return pl->is_suspect;
	has_name = image_function(&p->img, addr, &function);
	/* What has no name may be of any section. */
	for (size_t k = 0; k < p->nall; k++)
		if (has_name ? is_suspect_function(&p->all[k], function.name)
			     : p->all[k].has_suspects)
			return true;
	return false;
}

bool is_untold(const struct proof *p, uint64_t addr)
{
	struct symbol function;
	bool has_absent = false;

	for (size_t k = 0; k < p->nall; k++)
		has_absent |= p->all[k].has_absent;
	return has_absent && !image_function(&p->img, addr, &function);
}

static void check_branches(struct proof *p)
{
	for (size_t i = 0; i < p->list.n; i++) {
		struct witness *w = &p->list.items[i];

		if (!w->is_placed || w->is_suspect || is_right_branch(p, w))
			continue;
		w->is_disabled = is_disabled(p, w);
		if (!w->is_disabled)
			check_branch(p, w);
	}
}

static size_t witnesses_below(const struct proof *p, uint64_t addr)
{
	size_t low = 0, high = p->nby_addr;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (p->by_addr[mid]->addr < addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static void check_unrelocated(struct proof *p, uint64_t addr, uint64_t size,
			      const char *what)
{
	const struct image_reloc *r = image_first_reloc(&p->img, addr, size);
	struct finding f = { .cause = CAUSE_TABLE_MISMATCH,
			     .has_address = true };

	if (r == NULL)
		return;
	f.address = r->addr;
	find(p, &f, "a run-time relocation at 0x%" PRIx64 " would change %s",
	     r->addr, what);
}

/* The loader must not change a site or the table. */
static void check_site_relocs(struct proof *p)
{
	for (size_t i = 0; i < p->nby_addr; i++)
		check_unrelocated(p, p->by_addr[i]->addr, p->by_addr[i]->length,
				  "a site");
}

static void check_table_relocs(struct proof *p)
{
	/* The pointers of a linker set are relocated, and may be. */
	if (p->table.form == TABLE_LINKER_SET)
		return;
	check_unrelocated(p, p->table.addr, p->table.size, "the table");
	for (size_t i = 0; i < p->table.nentries; i++)
		check_unrelocated(p, p->table.entries[i].descriptor,
				  p->table.entries[i].descriptor_size,
				  "a probe's descriptor");
}

static int compare_witness_addrs(const void *a, const void *b)
{
	const struct witness *x = *(const struct witness *const *)a;
	const struct witness *y = *(const struct witness *const *)b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

static int sort_by_address(struct proof *p)
{
	p->by_addr = malloc((p->list.n + 1) * sizeof(p->by_addr[0]));
	if (p->by_addr == NULL)
		return diag_nomem(p->d, p->partial->path);
	for (size_t i = 0; i < p->list.n; i++)
		if (p->list.items[i].is_placed && !p->list.items[i].is_folded)
			p->by_addr[p->nby_addr++] = &p->list.items[i];
	qsort(p->by_addr, p->nby_addr, sizeof(p->by_addr[0]),
	      compare_witness_addrs);
	return 0;
}

const struct witness *own_witness_at(const struct proof *p, uint64_t addr)
{
	size_t i = witnesses_below(p, addr);

	return i < p->nby_addr && p->by_addr[i]->addr == addr ? p->by_addr[i]
							      : NULL;
}

const struct witness *witness_at(const struct proof *p, uint64_t addr)
{
	const struct witness *w = NULL;

	for (size_t k = 0; w == NULL && k < p->nall; k++)
		w = own_witness_at(&p->all[k], addr);
	return w;
}

/* --- The whole --------------------------------------------------------- */

/* Is that also the address of a site of a partial before this one? */
static bool is_in_another(const struct proof *p, uint64_t addr)
{
	for (const struct proof *other = p->all; other < p; other++)
		if (own_witness_at(other, addr) != NULL)
			return true;
	return false;
}

static void count(struct proof *p)
{
	for (size_t i = 0; i < p->list.n; i++) {
		p->v->nexcluded += p->list.items[i].is_excluded;
		p->v->nfolded += p->list.items[i].is_folded;
	}
	for (size_t i = 0; i < p->nby_addr; i++)
		p->v->nfolded += is_in_another(p, p->by_addr[i]->addr);
	p->v->nsites += p->list.n;
}

/* Without a symbol in common, these two never met. */
static int check_kinship(struct proof *p)
{
	for (size_t i = 1; i < p->partial->nsymbols; i++) {
		struct symbol sym, found;
		uint32_t symndx = 0;

		object_symbol(p->partial, i, &sym);
		if (sym.name[0] != '\0' && sym.type != STT_SECTION &&
		    sym.type != STT_FILE &&
		    names_next(&p->img.names, sym.name, &symndx, &found))
			return 0;
	}
	if (p->list.n == 0)
		return 0;
	return diag_file(p->d, p->img.obj->path, "not-linked-from",
			 "has no symbol of %s: it was not linked from it",
			 p->partial->path);
}

/* The entries of the partial's own anchored table, if it was injected. */
static size_t count_entries(const struct proof *p)
{
	size_t n = 0;

	for (size_t i = 1; i < p->partial->nsections; i++)
		if (strcmp(p->partial->sections[i].name,
			   p->options->sites_name) == 0)
			n += p->partial->sections[i].size / 8;
	return n;
}

/* The sites of each partial. Returns -1 on trouble, diagnosed. */
static int collect(struct proof *p)
{
	if (names_build(p->d, p->partial, &p->functions) ||
	    placer_open(p->d, p->partial, &p->img, &p->placer) ||
	    witness_collect(p->d, p->partial, p->options, &p->placer, &p->list))
		return -1;
	if (count_entries(p) > p->list.n)
		return diag_file(p->d, p->partial->path, "injected",
				 "was injected with --nop and has no sites "
				 "left: give the object from before");
	return 0;
}

/* Stubs and table, which all partials share. */
static int read_image(struct proof *all, size_t n)
{
	struct proof *first = &all[0];

	if (list_stubs(first))
		return -1;
	locate_stubs(first);
	check_distinct(first);
	if (read_table(first))
		return -1;
	if (n > 1 && first->has_table && first->table.form != TABLE_ANCHORED)
		return diag_file(first->d, first->img.obj->path,
				 "several-partials",
				 "has a table of one partial: only an anchored "
				 "table can be that of several");
	for (size_t k = 1; k < n; k++) {
		all[k].stubs = first->stubs;
		all[k].nstubs = first->nstubs;
		all[k].stubs_by_addr = first->stubs_by_addr;
		all[k].table = first->table;
		all[k].has_table = first->has_table;
		all[k].is_damaged = first->is_damaged;
	}
	return 0;
}

/* Where the sites are. */
static int place(struct proof *p)
{
	p->keeps_locals = keeps_locals(p);
	if (place_sections(p) || check_kinship(p) || check_folded(p))
		return -1;
	return sort_by_address(p);
}

static int prove(struct proof *all, size_t n)
{
	struct verification *v = all[0].v;
	size_t nrefused = 0;

	for (size_t k = 0; k < n; k++) {
		if (collect(&all[k]))
			return -1;
		nrefused += all[k].list.nrefused;
	}
	if (nrefused > 0)
		return 0;
	if (read_image(all, n))
		return -1;
	for (size_t k = 0; k < n; k++)
		if (place(&all[k]))
			return -1;
	for (size_t k = 0; k < n; k++) {
		check_branches(&all[k]);
		check_site_relocs(&all[k]);
	}
	check_table_relocs(&all[0]);
	for (size_t k = 0; k < n; k++) {
		if (mark_dead(&all[k]) || check_table(&all[k]))
			return -1;
		count(&all[k]);
	}
	if (check_extra(&all[0]))
		return -1;
	v->nsites -= v->nexcluded + v->ndead;
	v->verdict = v->nfindings > 0 ? VERDICT_DRIFT : VERDICT_PROVED;
	return 0;
}

static void proof_free(struct proof *p)
{
	for (size_t i = 0; i < p->nplaced; i++)
		free(p->placed[i].relocs.relocs);
	free(p->placed);
	free(p->site_ranges);
	free(p->is_suspect);
	free(p->by_addr);
	witness_free(&p->list);
	placer_close(&p->placer);
	names_free(&p->functions);
	if (p != p->all)
		return;
	free(p->stubs);
	free(p->stubs_by_addr);
	free(p->targets);
	table_free(&p->table);
	image_close(&p->img);
}

static int check_machines(struct diag *d, const struct object *partials,
			  size_t n, const struct object *final)
{
	for (size_t k = 0; k < n; k++)
		if (partials[k].arch != final->arch)
			return diag_file(d, final->path, "not-linked-from",
					 "is for %s, but %s is for %s",
					 final->arch->name, partials[k].path,
					 partials[k].arch->name);
	return 0;
}

int verify_objects(struct diag *d, const struct object *partials, size_t n,
		   const struct object *final, const struct options *options,
		   struct verification *v)
{
	struct proof *all = calloc(n, sizeof(all[0]));
	int ret = -1;

	v->verdict = VERDICT_REFUSED;
	if (all == NULL)
		return diag_nomem(d, final->path);
	for (size_t k = 0; k < n; k++)
		all[k] = (struct proof){
			.all = all,
			.nall = n,
			.d = d,
			.partial = &partials[k],
			.options = options,
			.v = v,
		};
	if (check_machines(d, partials, n, final) == 0 &&
	    image_open(d, final, &all[0].img) == 0) {
		for (size_t k = 1; k < n; k++)
			all[k].img = all[0].img;
		ret = prove(all, n);
	}
	for (size_t k = n; k-- > 0;)
		proof_free(&all[k]);
	free(all);
	return ret;
}
