/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Measures what probes cost. Each byte is counted once, by what it is in this
 * file. A site also costs what the compiler does for it, such as setting
 * arguments. One file cannot show that. A build without probes does.
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "base/table-format.h"
#include "base/search.h"
#include "cost.h"
#include "elf/functions.h"

/* Bytes [start, end) of the text at CODE, for site SITE of the listing. */
struct piece {
	const uint8_t *code;
	uint64_t start, end;
	const struct listed_site *site;
	size_t probe;
	struct cost *function; /* or NULL */
};

struct measure {
	struct diag *d;
	const struct listed_file *file;
	const struct options *options;
	struct names own_names; /* of a partial */
	const struct names *names;
	struct costs *costs;
	struct piece *blocks; /* out of line; by place */
	size_t nblocks;
	struct piece *hot; /* by place, once they are sorted */
	size_t nhot;
};

static int no_memory(const struct measure *m)
{
	return diag_nomem(m->d, m->file->obj.path);
}

static int compare_pieces(const void *a, const void *b)
{
	const struct piece *x = a, *y = b;

	if (x->code != y->code)
		return x->code < y->code ? -1 : 1;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return 0;
}

/* --- Functions ---------------------------------------------------------- */

static int compare_functions(const void *a, const void *b)
{
	const struct cost *x = a, *y = b;

	return strcmp(x->name, y->name);
}

/* One row for each name. */
static int list_functions(struct measure *m, const struct costs *peer)
{
	const struct listing *listing = &m->file->listing;
	struct costs *costs = m->costs;
	size_t npeers = peer != NULL ? peer->nfunctions : 0;
	size_t n = 0, last = 0;

	costs->functions = calloc(listing->nsites + npeers + 1,
				  sizeof(costs->functions[0]));
	if (costs->functions == NULL)
		return no_memory(m);
	for (size_t i = 0; i < listing->nsites; i++)
		if (listing->sites[i].function != NULL)
			costs->functions[n++] = (struct cost){
				.name = listing->sites[i].function
			};
	for (size_t i = 0; i < npeers; i++)
		if (names_count(m->names, peer->functions[i].name) > 0)
			costs->functions[n++] = (struct cost){
				.name = peer->functions[i].name
			};
	qsort(costs->functions, n, sizeof(costs->functions[0]),
	      compare_functions);
	for (size_t i = 1; i < n; i++)
		if (compare_functions(&costs->functions[last],
				      &costs->functions[i]) != 0)
			costs->functions[++last] = costs->functions[i];
	costs->nfunctions = n > 0 ? last + 1 : 0;
	return 0;
}

static struct cost *find_function(const struct measure *m,
				  const struct listed_site *site)
{
	struct cost key = { .name = site->function };

	return site->function == NULL ? NULL
				      : bsearch(&key, m->costs->functions,
						m->costs->nfunctions,
						sizeof(key), compare_functions);
}

/* The bytes of all code with that name and suffix. */
static uint64_t symbol_bytes(const struct measure *m, const char *name,
			     const char *suffix)
{
	const struct object *obj = &m->file->obj;
	struct symbol sym;
	uint32_t symndx = 0;
	uint64_t size = 0;

	while (names_next_prefixed(m->names, name, suffix, &symndx, &sym))
		if (sym.is_defined &&
		    section_is_text(&obj->sections[sym.shndx]))
			size += sym.size;
	return size;
}

static void measure_functions(struct measure *m)
{
	for (size_t i = 0; i < m->costs->nfunctions; i++) {
		struct cost *cost = &m->costs->functions[i];

		cost->column[COST_SIZE] = symbol_bytes(m, cost->name, "");
		cost->column[COST_SPLIT] = symbol_bytes(m, cost->name, ".cold");
	}
}

/* --- Sites -------------------------------------------------------------- */

/* Finds the code that SITE jumps to, as TARGET in CODE. */
static bool find_target(struct measure *m, const struct listed_site *site,
			struct code *code, uint64_t *target)
{
	const struct object *obj = &m->file->obj;
	const struct image_section *is;

	if (!site->has_target)
		return false;
	if (!site->has_address) {
		*target = site->target;
		return section_is_text(&obj->sections[site->target_shndx]) &&
		       object_code(m->d, obj, site->target_shndx, code) &&
		       *target < code->size;
	}
	is = image_find_text(&m->file->img, site->target, 1);
	if (is == NULL)
		return false;
	*code = is->code;
	*target = site->target - is->code.addr;
	return true;
}

/*
 * The end of the function NAME that contains OFFSET of CODE, which has the
 * bytes of a section. The end of CODE if there is none.
 */
static uint64_t function_end(const struct measure *m, const char *name,
			     const struct code *code, uint64_t offset)
{
	const struct object *obj = &m->file->obj;
	bool is_partial = obj->ehdr.e_type == ET_REL;
	struct symbol sym;
	uint32_t symndx = 0;
	struct code own;

	while (name != NULL && names_next(m->names, name, &symndx, &sym)) {
		uint64_t base = is_partial ? 0 : code->addr;

		if (sym.size > 0 && sym.size <= code->size &&
		    object_code(m->d, obj, sym.shndx, &own) &&
		    own.bytes == code->bytes && sym.value >= base &&
		    offset - (sym.value - base) < sym.size)
			return sym.value - base + sym.size;
	}
	return code->size;
}

/* Do compilers and linkers keep this code apart from frequent code? */
static bool is_cold(const struct listed_site *site)
{
	static const char *const sections[] = { ".text.unlikely", ".text.cold",
						".text.split" };
	size_t n = site->function != NULL ? strlen(site->function) : 0;

	for (size_t i = 0; site->section != NULL &&
			   i < sizeof(sections) / sizeof(sections[0]);
	     i++)
		if (strncmp(site->section, sections[i], strlen(sections[i])) ==
		    0)
			return true;
	return n > 5 && strcmp(site->function + n - 5, ".cold") == 0;
}

static void add(struct measure *m, const struct piece *piece,
		enum cost_column column, uint64_t n)
{
	m->costs->total.column[column] += n;
	m->costs->probes[piece->probe].column[column] += n;
	if (piece->function != NULL)
		piece->function->column[column] += n;
}

static void add_blocks(struct measure *m, size_t probe)
{
	const struct listing *listing = &m->file->listing;
	const struct listed_probe *lp = &listing->probes[probe];

	for (size_t i = 0; i < lp->nsites; i++) {
		const struct listed_site *site =
			&listing->sites[lp->first_site + i];
		struct code code;
		uint64_t target, end;

		if (!find_target(m, site, &code, &target))
			continue;
		end = function_end(m, site->function, &code, target);
		m->blocks[m->nblocks++] = (struct piece){
			code.bytes,
			target,
			arch_straight_end(m->file->obj.arch, &code, target, end),
			site,
			probe,
			find_function(m, site)
		};
	}
}

/* Two NOPs may jump to one block, and one block may continue in another. */
static void measure_blocks(struct measure *m)
{
	qsort(m->blocks, m->nblocks, sizeof(m->blocks[0]), compare_pieces);
	for (size_t i = 0; i < m->nblocks; i++) {
		struct piece *block = &m->blocks[i];

		if (i + 1 < m->nblocks && block[1].code == block->code &&
		    block[1].start < block->end)
			block->end = block[1].start;
		add(m, block, COST_COLD, block->end - block->start);
	}
}

static bool is_in_block(const struct measure *m, const struct piece *piece)
{
	size_t i;

	LOWER_BOUND(i, m->nblocks, compare_pieces(&m->blocks[i], piece) <= 0);
	return i > 0 && m->blocks[i - 1].code == piece->code &&
	       piece->start < m->blocks[i - 1].end;
}

/* Does the site branch, or is it switched off? */
static bool is_nop(const struct measure *m, const struct listed_site *site)
{
	const struct arch *arch = m->file->obj.arch;
	struct branch branch = { 0 };

	return !arch->decode_branch(arch, &site->code, site->code_offset,
				    &branch);
}

static void measure_site(struct measure *m, const struct listed_site *site,
			 size_t probe)
{
	struct piece piece = { site->code.bytes,
			       site->code_offset,
			       site->code_offset + site->length,
			       site,
			       probe,
			       find_function(m, site) };

	add(m, &piece, COST_SITES, 1);
	if (site->noted.note != NULL)
		add(m, &piece, COST_NOTES, site->noted.note->size);
	if (site->code.bytes == NULL || is_in_block(m, &piece))
		return;
	if (is_cold(site)) {
		add(m, &piece, COST_COLD, site->length);
		return;
	}
	add(m, &piece, COST_HOT, site->length);
	if (is_nop(m, site))
		add(m, &piece, COST_NOP, site->length);
	m->hot[m->nhot++] = piece;
}

/* --- Cache lines -------------------------------------------------------- */

static int compare_lines(const void *a, const void *b)
{
	const struct piece *x = a, *y = b;

	return x->function != y->function ? (x->function < y->function ? -1 : 1)
					  : compare_pieces(a, b);
}

static int compare_probes(const void *a, const void *b)
{
	const struct piece *x = a, *y = b;

	return x->probe != y->probe ? (x->probe < y->probe ? -1 : 1)
				    : compare_pieces(a, b);
}

/*
 * Counts the cache lines of the pieces from FIRST on that IS_SAME groups.
 * Pieces are sorted by place. Returns the index behind the group.
 */
static size_t count_lines(const struct measure *m, size_t first,
			  bool (*is_same)(const struct piece *a,
					  const struct piece *b),
			  uint64_t *nlines)
{
	const uint8_t *code = NULL;
	uint64_t next = 0; /* the first line that is not yet counted */
	size_t i = first;

	*nlines = 0;
	for (; i < m->nhot && is_same(&m->hot[first], &m->hot[i]); i++) {
		const struct piece *piece = &m->hot[i];
		uint64_t addr = piece->site->code.addr;
		uint64_t low = (addr + piece->start) / COST_LINE;
		uint64_t high = (addr + piece->end - 1) / COST_LINE;

		if (piece->end == piece->start)
			continue;
		if (piece->code != code)
			next = 0;
		code = piece->code;
		if (low < next)
			low = next;
		*nlines += high >= low ? high - low + 1 : 0;
		next = high + 1;
	}
	return i;
}

static bool is_any(const struct piece *a, const struct piece *b)
{
	(void)a, (void)b;
	return true;
}

static bool is_same_probe(const struct piece *a, const struct piece *b)
{
	return a->probe == b->probe;
}

static bool is_same_function(const struct piece *a, const struct piece *b)
{
	return a->function == b->function;
}

static void measure_lines(struct measure *m)
{
	uint64_t nlines;

	qsort(m->hot, m->nhot, sizeof(m->hot[0]), compare_pieces);
	count_lines(m, 0, is_any, &m->costs->total.column[COST_LINES]);
	qsort(m->hot, m->nhot, sizeof(m->hot[0]), compare_probes);
	for (size_t i = 0; i < m->nhot;) {
		struct cost *cost = &m->costs->probes[m->hot[i].probe];

		i = count_lines(m, i, is_same_probe, &nlines);
		cost->column[COST_LINES] = nlines;
	}
	qsort(m->hot, m->nhot, sizeof(m->hot[0]), compare_lines);
	for (size_t i = 0; i < m->nhot;) {
		struct cost *cost = m->hot[i].function;

		i = count_lines(m, i, is_same_function, &nlines);
		if (cost != NULL)
			cost->column[COST_LINES] = nlines;
	}
}

/* --- Tables ------------------------------------------------------------- */

static bool has_section(const struct measure *m, const char *name)
{
	return object_find_section(&m->file->obj, name) != 0;
}

/* The bytes of the table for one site. See sdt_table(5). */
static uint64_t entry_bytes(const struct measure *m,
			    const struct listed_site *site)
{
	const struct object *obj = &m->file->obj;
	unsigned word = obj->is_64 ? 8 : 4;
	bool is_branch = strcmp(site->form, "branch") == 0;

	if (strcmp(site->form, "tracepoint") == 0)
		return has_section(m, "set_sdt_tracepoint_set") ? 4 * word
								: 3 * word;
	if (obj->ehdr.e_type == ET_REL)
		return !has_section(m, m->options->sites_name) ? 0
		       : is_branch			       ? 16
							       : 8;
	if (m->file->table.nentries == 0)
		return 0;
	switch (m->file->table.form) {
	case TABLE_LINKER_SET:
		return 2 * word;
	case TABLE_OFFSETS:
		return is_branch ? 20 : 8;
	case TABLE_AUTO:
	case TABLE_ANCHORED:
		break;
	}
	return is_branch ? 16 : 8;
}

/*
 * The bytes of a probe's descriptor in an anchored table. Other tables have one
 * part for all probes.
 */
static uint64_t descriptor_bytes(const struct measure *m, const char *symbol)
{
	const struct table *table = &m->file->table;
	bool is_anchored = m->file->obj.ehdr.e_type == ET_REL
				   ? has_section(m, m->options->sites_name)
				   : table->nentries > 0 &&
					     table->form == TABLE_ANCHORED;

	return is_anchored ? (SDT_PROBE_NAME + strlen(symbol) + 8) / 8 * 8 : 0;
}

static void measure_probe(struct measure *m, size_t probe)
{
	const struct listed_probe *lp = &m->file->listing.probes[probe];
	struct cost *cost = &m->costs->probes[probe];
	struct piece none = { .probe = probe };
	bool has_entry = false;

	for (size_t i = 0; i < lp->nsites; i++) {
		const struct listed_site *site =
			&m->file->listing.sites[lp->first_site + i];
		struct piece piece = { .probe = probe,
				       .function = find_function(m, site) };

		measure_site(m, site, probe);
		add(m, &piece, COST_TABLE, entry_bytes(m, site));
		has_entry |= strcmp(site->form, "tracepoint") != 0;
	}
	cost->name = lp->symbol;
	cost->probe = lp;
	if (has_entry)
		add(m, &none, COST_TABLE, descriptor_bytes(m, lp->symbol));
	add(m, &none, COST_STUB, symbol_bytes(m, lp->symbol, ""));
}

/*
 * An offsets table has parts that belong to all its sites, such as a header and
 * names.
 */
static void measure_whole_table(struct measure *m)
{
	const struct table *table = &m->file->table;

	if (m->file->obj.ehdr.e_type != ET_REL && table->nentries > 0 &&
	    table->form == TABLE_OFFSETS &&
	    table->size > m->costs->total.column[COST_TABLE])
		m->costs->total.column[COST_TABLE] = table->size;
}

/* As size(1) does it. */
static void measure_file(struct measure *m)
{
	const struct object *obj = &m->file->obj;

	for (size_t i = 1; i < obj->nsections; i++) {
		const struct section *sec = &obj->sections[i];

		if (!section_is_alloc(sec))
			continue;
		if ((sec->flags & SHF_EXECINSTR) || !(sec->flags & SHF_WRITE))
			m->costs->text += sec->size;
		else if (sec->type != SHT_NOBITS)
			m->costs->data += sec->size;
		else
			m->costs->bss += sec->size;
	}
}

static int measure(struct measure *m, const struct costs *peer)
{
	const struct listing *listing = &m->file->listing;
	struct costs *costs = m->costs;

	costs->nprobes = listing->nprobes;
	costs->probes = calloc(listing->nprobes + 1, sizeof(costs->probes[0]));
	m->blocks = calloc(listing->nsites + 1, sizeof(m->blocks[0]));
	m->hot = calloc(listing->nsites + 1, sizeof(m->hot[0]));
	if (costs->probes == NULL || m->blocks == NULL || m->hot == NULL)
		return no_memory(m);
	if (list_functions(m, peer))
		return -1;
	for (size_t i = 0; i < listing->nprobes; i++)
		add_blocks(m, i);
	measure_blocks(m);
	for (size_t i = 0; i < listing->nprobes; i++)
		measure_probe(m, i);
	measure_whole_table(m);
	measure_lines(m);
	measure_functions(m);
	measure_file(m);
	return 0;
}

int costs_measure(struct diag *d, const struct listed_file *file,
		  const struct options *options, const struct costs *peer,
		  struct costs *costs)
{
	struct measure m = {
		.d = d, .file = file, .options = options, .costs = costs
	};
	int ret;

	*costs = (struct costs){ 0 };
	m.names = &file->img.names;
	if (file->obj.ehdr.e_type == ET_REL) {
		m.names = &m.own_names;
		if (names_build(d, &file->obj, &m.own_names)) {
			names_free(&m.own_names);
			return -1;
		}
	}
	ret = measure(&m, peer);
	names_free(&m.own_names);
	free(m.blocks);
	free(m.hot);
	return ret;
}

void costs_free(struct costs *costs)
{
	free(costs->probes);
	free(costs->functions);
	*costs = (struct costs){ 0 };
}

/* --- Two builds --------------------------------------------------------- */

size_t cost_join(const struct cost *own, size_t nown, const struct cost *other,
		 size_t nother, struct cost_pair *pairs)
{
	size_t i = 0, k = 0, n = 0;

	while (i < nown || k < nother) {
		int order = i == nown	  ? 1
			    : k == nother ? -1
					  : strcmp(own[i].name, other[k].name);

		pairs[n++] = (struct cost_pair){
			order <= 0 ? &own[i++] : NULL,
			order >= 0 ? &other[k++] : NULL,
		};
	}
	return n;
}

int64_t cost_difference(const struct cost_pair *pair, enum cost_column column)
{
	return (int64_t)((pair->own ? pair->own->column[column] : 0) -
			 (pair->other ? pair->other->column[column] : 0));
}
