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

#include "arch/tracepoint.h"
#include "check.h"
#include "functions.h"
#include "proof.h"

/* --- Findings ---------------------------------------------------------- */

/* A place of the partial, or else one of the final. */
static void name_place(const struct proof *p, struct finding *f)
{
	struct place place = { 0 };
	struct symbol sym;

	if (f->shndx != 0) {
		f->partial = p->partial->path;
		f->section = p->partial->sections[f->shndx].name;
		if (f->has_offset)
			functions_locate(p->partial, f->shndx, f->offset,
					 &place);
		f->function = place.function;
		f->function_offset = place.function_offset;
	} else if (f->has_address &&
		   image_function(&p->img, f->address, &sym)) {
		f->function = sym.name;
		f->function_offset = f->address - sym.value;
	}
}

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
	name_place(p, finding);
	if (finding->remedy == NULL)
		finding->remedy = cause_remedy(
			finding->cause,
			p->has_table ? p->table.form : p->options->table);
	p->v->sink(p->v->ctx, finding);
}

struct finding at_witness(const struct witness *w, enum cause cause)
{
	return (struct finding){
		.cause = cause,
		.shndx = w->shndx,
		.has_offset = true,
		.offset = w->offset,
		.has_address = w->is_placed,
		.address = w->addr,
	};
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

/* In the branch form, is the one NOP there that is patched? */
static bool is_nop(const struct proof *p, const struct witness *w)
{
	const struct object *obj = p->partial;
	const struct tracepoint_isa *isa =
		tracepoint_isa_find(obj->ehdr.e_machine, obj->is_64, w->mode);
	const uint8_t *bytes = image_bytes(&p->img, w->addr, w->length);

	return bytes != NULL && image_find_text(&p->img, w->addr, w->length) &&
	       tracepoint_is_own_nop(isa, obj->is_big_endian, bytes);
}

bool can_jump(const struct proof *p, const struct witness *w)
{
	const struct object *obj = p->partial;
	const struct tracepoint_isa *isa =
		tracepoint_isa_find(obj->ehdr.e_machine, obj->is_64, w->mode);
	const struct witness *target = witness_target(&p->list, w);
	uint8_t bytes[TRACEPOINT_INSN_MAX];

	return tracepoint_encode(
		isa, obj->is_big_endian,
		tracepoint_distance(isa, w->addr, target->addr), bytes);
}

#define BYTES_SHOWN 16

/* As "e8 00 00 00 00"; "nothing" if BYTES is NULL. */
static void show_bytes(const uint8_t *bytes, unsigned n,
		       char text[3 * BYTES_SHOWN + 1])
{
	strcpy(text, "nothing");
	for (unsigned i = 0; bytes != NULL && i < n && i < BYTES_SHOWN; i++)
		text += sprintf(text, "%s%02x", i > 0 ? " " : "", bytes[i]);
}

void report_rewritten(struct proof *p, const struct witness *w, uint64_t addr)
{
	struct finding f = at_witness(w, CAUSE_REWRITTEN);
	char before[3 * BYTES_SHOWN + 1], after[3 * BYTES_SHOWN + 1];
	const uint8_t *bytes;
	size_t size;

	f.has_address = true;
	f.address = addr;
	bytes = object_data(p->d, p->partial, w->shndx, &size);
	show_bytes(bytes != NULL ? bytes + w->offset : NULL, w->length, before);
	show_bytes(image_bytes(&p->img, addr, w->length), w->length, after);
	find(p, &f,
	     "the %s %s became another instruction: %s in the partial, %s in "
	     "the image",
	     w->form == FORM_BRANCH ? "NOP of" : "branch to", w->symbol, before,
	     after);
}

#define SHORT_REACH 0x100000 /* no call has less */

/* Are the low bits the same, as those that a branch of short reach has? */
static bool is_cut_off(uint64_t target, uint64_t stub)
{
	return target != stub && (target - stub) % SHORT_REACH == 0;
}

static void report_target(struct proof *p, const struct witness *w,
			  const struct branch *branch, const struct stub *stub)
{
	struct finding f = at_witness(w, CAUSE_REWRITTEN);

	f.remedy = stub->is_open ? OPEN_REMEDY : NULL;
	if (is_hop(p, branch)) {
		f.cause = CAUSE_THUNK;
		find(p, &f,
		     "the branch goes to a veneer or PLT entry at 0x%" PRIx64
		     ", which does not go on to the stub %s at 0x%" PRIx64,
		     branch->target, w->symbol, stub->entry);
		return;
	}
	if (is_cut_off(branch->target, stub->entry))
		f.remedy = "the stub is out of the branch's reach, and the "
			   "linker cut its address off: place the stubs nearer "
			   "to the sites, for jal of MIPS in the same 256 MiB";
	if (wraps(p, stub, branch->target))
		f.remedy = "link without --wrap of the probe function";
	find(p, &f,
	     "the branch goes to 0x%" PRIx64
	     " and not to the stub %s at 0x%" PRIx64,
	     branch->target, w->symbol, stub->entry);
}

static void check_branch(struct proof *p, const struct witness *w)
{
	const struct stub *stub = w->stub;
	struct finding f = at_witness(w, CAUSE_STUB_MISSING);
	struct branch branch;

	if (w->form == FORM_BRANCH) {
		report_rewritten(p, w, w->addr);
		return;
	}
	if (stub == NULL) {
		find(p, &f, "the image defines no function %s", w->symbol);
		return;
	}
	if (!is_direct_branch(p, w, &branch)) {
		report_rewritten(p, w, w->addr);
		return;
	}
	if (reaches(p, w->addr, &branch, stub))
		return;
	report_target(p, w, &branch, stub);
}

bool is_right_branch(const struct proof *p, const struct witness *w)
{
	const struct stub *stub;
	struct branch branch;

	if (w->is_target)
		return true;
	if (w->form == FORM_BRANCH)
		return is_nop(p, w);
	stub = w->stub;
	return stub != NULL && is_direct_branch(p, w, &branch) &&
	       reaches(p, w->addr, &branch, stub);
}

/* What --nop makes of W; returns the size, 0 if that is nothing. */
static unsigned disabled_form(const struct proof *p, const struct witness *w,
			      uint8_t bytes[DISABLED_MAX])
{
	const struct arch *arch = p->partial->arch;
	struct code code = { 0 };

	if (w->form == FORM_BRANCH || w->is_excluded ||
	    !object_code(p->d, p->partial, w->shndx, &code))
		return 0;
	return arch->disable(arch, w->form, w->is_enabled, &code, w->offset,
			     bytes);
}

bool can_disable(const struct proof *p, const struct witness *w)
{
	uint8_t bytes[DISABLED_MAX];

	return w->form == FORM_BRANCH || disabled_form(p, w, bytes) > 0;
}

/* Disabled sites go with an anchored table. */
bool is_disabled(const struct proof *p, const struct witness *w)
{
	uint8_t expected[DISABLED_MAX];
	const uint8_t *bytes;
	unsigned size;

	if (p->table.form != TABLE_ANCHORED)
		return false;
	size = disabled_form(p, w, expected);
	bytes = image_bytes(&p->img, w->addr, size);
	return size > 0 && bytes != NULL && memcmp(bytes, expected, size) == 0;
}

/* --- Sites -------------------------------------------------------------- */

const struct placed *own_placed_at(const struct proof *p, uint64_t addr)
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

/* Sites whose code is fetched into the cache before it is looked at. */
#define SITES_AHEAD 16

static void fetch_site(const struct proof *p, const struct witness *w)
{
	const uint8_t *before, *after;
	size_t size;

	before = object_data(p->d, p->partial, w->shndx, &size);
	after = w->is_placed ? image_bytes(&p->img, w->addr, 1) : NULL;
	if (before != NULL && after != NULL) {
		__builtin_prefetch(before + w->offset);
		__builtin_prefetch(after);
	}
}

static void check_branches(struct proof *p)
{
	for (size_t i = 0; i < p->list.n; i++) {
		struct witness *w = &p->list.items[i];

		if (i + SITES_AHEAD < p->list.n)
			fetch_site(p, &p->list.items[i + SITES_AHEAD]);
		if (!w->is_placed || w->is_suspect || is_right_branch(p, w))
			continue;
		w->is_disabled = is_disabled(p, w);
		if (!w->is_disabled)
			check_branch(p, w);
	}
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
	if (r->is_defined && stub_called(p, r) != NULL)
		f.remedy = OPEN_REMEDY;
	else if (r->is_defined && p->table.form == TABLE_OFFSETS)
		f.remedy = OPEN_BASE_REMEDY;
	find(p, &f, "a run-time relocation would change %s", what);
}

/* The loader must not change a site or the table. */
static void check_site_relocs(struct proof *p)
{
	for (size_t i = 0; i < p->sites->n; i++) {
		const struct witness *w = p->sites->items[i];

		check_unrelocated(p, w->addr, w->length, "a site");
	}
}

static void check_entry_relocs(struct proof *p, const struct table_entry *entry)
{
	check_unrelocated(p, entry->descriptor, entry->descriptor_size,
			  "a probe's descriptor");
	if (entry->form == FORM_BRANCH)
		check_unrelocated(p, entry->jump, 8, "where a site jumps to");
}

static void check_table_relocs(struct proof *p)
{
	/* The pointers of a linker set are relocated, and may be. */
	if (p->table.form == TABLE_LINKER_SET)
		return;
	check_unrelocated(p, p->table.addr, p->table.size, "the table");
	for (size_t i = 0; i < p->table.nentries; i++)
		check_entry_relocs(p, &p->table.entries[i]);
}

static int compare_witness_addrs(const void *a, const void *b)
{
	const struct witness *x = *(const struct witness *const *)a;
	const struct witness *y = *(const struct witness *const *)b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

static bool is_sorted(const struct site_index *sites)
{
	for (size_t i = 1; i < sites->n; i++)
		if (sites->items[i]->addr < sites->items[i - 1]->addr)
			return false;
	return true;
}

static int sort_by_address(struct proof *p)
{
	struct site_index *sites =
		malloc(sizeof(*sites) + p->list.n * sizeof(sites->items[0]));

	if (sites == NULL)
		return diag_nomem(p->d, p->partial->path);
	*sites = (struct site_index){ 0 };
	p->sites = sites;
	for (size_t i = 0; i < p->list.n; i++)
		if (p->list.items[i].is_placed && !p->list.items[i].is_folded &&
		    !p->list.items[i].is_target)
			sites->items[sites->n++] = &p->list.items[i];
	/* Who has merged all text has kept its order. */
	if (!is_sorted(sites))
		qsort(sites->items, sites->n, sizeof(sites->items[0]),
		      compare_witness_addrs);
	return 0;
}

/* Who asks in order need not search. */
static bool is_next(const struct site_index *sites, uint64_t addr)
{
	size_t next = sites->next;

	return next < sites->n && sites->items[next]->addr == addr &&
	       (next == 0 || sites->items[next - 1]->addr < addr);
}

static size_t sites_below(const struct site_index *sites, uint64_t addr)
{
	size_t low = 0, high = sites->n;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (sites->items[mid]->addr < addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

const struct witness *own_witness_at(const struct proof *p, uint64_t addr)
{
	struct site_index *sites = p->sites;
	size_t i;

	if (sites == NULL)
		return NULL;
	i = is_next(sites, addr) ? sites->next : sites_below(sites, addr);
	if (i == sites->n || sites->items[i]->addr != addr)
		return NULL;
	sites->next = i + 1;
	return sites->items[i];
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
		if (p->list.items[i].is_target)
			continue;
		p->v->nexcluded += p->list.items[i].is_excluded;
		p->v->nfolded += p->list.items[i].is_folded;
	}
	for (size_t i = 0; i < p->sites->n; i++)
		p->v->nfolded += !p->sites->items[i]->is_suspect &&
				 is_in_another(p, p->sites->items[i]->addr);
	p->v->nsites += p->list.n - p->list.ntargets;
}

/* The sites of each partial. Returns -1 on trouble, diagnosed. */
static int collect(struct proof *p)
{
	size_t nentries = table_count_injected(p->partial, p->options);

	if (names_build(p->d, p->partial, &p->functions) ||
	    placer_open(p->d, &p->functions, &p->img, &p->placer) ||
	    witness_collect(p->d, p->partial, p->options, &p->functions,
			    &p->placer, &p->list))
		return -1;
	if (nentries > p->list.n - p->list.ntargets)
		return diag_file(p->d, p->partial->path, "injected",
				 "was injected with --nop, or with other "
				 "options, and %zu of %zu sites are left: "
				 "give the object from before",
				 p->list.n - p->list.ntargets, nentries);
	return 0;
}

/* Stubs and table, which all partials share. */
static int read_image(struct proof *all, size_t n)
{
	struct proof *first = &all[0];

	if (list_stubs(first) || list_gots(first))
		return -1;
	if (locate_stubs(first))
		return -1;
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
		all[k].gots = first->gots;
		all[k].ngots = first->ngots;
		all[k].usual_got = first->usual_got;
	}
	for (size_t k = 0; k < n; k++)
		if (mark_kept(&all[k]))
			return -1;
	return 0;
}

/* Where the sites are. */
static int place(struct proof *all, size_t n)
{
	bool has_locals = false;

	if (check_names(all, n))
		return -1;
	for (size_t k = 0; k < n; k++)
		has_locals |= keeps_locals(&all[k]);
	for (size_t k = 0; k < n; k++) {
		all[k].keeps_locals = has_locals;
		if (place_sections(&all[k]))
			return -1;
	}
	if (assign_sections(all, n) || check_dropped(all, n))
		return -1;
	for (size_t k = 0; k < n; k++)
		if (check_folded(&all[k]) || sort_by_address(&all[k]))
			return -1;
	return check_nameless_folded(all, n);
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
	if (read_image(all, n) || place(all, n))
		return -1;
	for (size_t k = 0; k < n; k++) {
		check_branches(&all[k]);
		check_site_relocs(&all[k]);
	}
	check_table_relocs(&all[0]);
	for (size_t k = 0; k < n; k++)
		if (mark_dead(&all[k]))
			return -1;
	for (size_t k = 0; k < n; k++) {
		if (check_table(&all[k]))
			return -1;
		count(&all[k]);
	}
	check_lost_stubs(all, n);
	if (check_extra(&all[0]) || check_kinship(all, n) ||
	    count_recorded(all, n))
		return -1;
	v->nsites -= v->nexcluded + v->ndead;
	v->verdict = v->nfindings > 0 ? VERDICT_DRIFT : VERDICT_PROVED;
	return 0;
}

static void proof_free(struct proof *p)
{
	for (size_t i = 0; i < p->nplaced; i++)
		section_relocs_free(&p->placed[i].relocs);
	for (size_t i = 0; i < p->npending; i++) {
		section_relocs_free(&p->pending[i].relocs);
		free(p->pending[i].pl.fits);
	}
	free(p->placed);
	free(p->pending);
	free(p->site_ranges);
	free(p->is_suspect);
	free(p->pending_of);
	free(p->partners);
	free(p->sites);
	witness_free(&p->list);
	placer_close(&p->placer);
	names_free(&p->functions);
	if (p != p->all)
		return;
	free(p->stubs);
	free(p->stubs_by_addr);
	free(p->gots);
	free(p->lost);
	free(p->targets);
	free(p->entries_by_addr);
	table_free(&p->table);
	image_close(&p->img);
}

static int check_machines(struct diag *d, const struct object *partials,
			  size_t n, const struct object *final)
{
	for (size_t k = 0; k < n; k++)
		if (strcmp(partials[k].arch->name, final->arch->name) != 0)
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
	    check_run_time_relocs(d, final) == 0 &&
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
