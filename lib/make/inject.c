/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/table-format.h"
#include "base/grow.h"
#include "base/search.h"
#include "injection.h"

/* --- What the object must allow ---------------------------------------- */

int inject_check_fresh(struct diag *d, const struct object *obj,
		       const struct options *options)
{
	const char *names[] = { options->sites_name, SDT_PROBES_SECTION };

	for (size_t i = 0; i < 2; i++) {
		if (object_find_section(obj, names[i]) == 0)
			continue;
		return diag_report(
			d, SEVERITY_TROUBLE,
			&(struct place){ .file = obj->path,
					 .section = names[i] },
			"injected",
			"give the object as the compiler or ld -r wrote it",
			"the object has an anchored table already");
	}
	return 0;
}

static int find_section_symbols(struct injection *in)
{
	const struct object *obj = in->obj;

	in->section_symbols =
		calloc(obj->nsections, sizeof(in->section_symbols[0]));
	if (in->section_symbols == NULL)
		return inject_nomem(in);
	for (size_t i = 1; i < obj->nsymbols; i++) {
		struct symbol sym;

		object_symbol(obj, i, &sym);
		if (sym.type == STT_SECTION && sym.is_defined &&
		    sym.value == 0 && !inject_has_symbol(in, sym.shndx))
			in->section_symbols[sym.shndx] =
				(struct symbol_ref){ SYMBOL_OLD, i };
	}
	return 0;
}

static int find_probe_symbols(struct injection *in)
{
	const struct site_set *set = in->set;

	in->probe_symbols = calloc(set->nprobes + 1, sizeof(uint32_t));
	in->descriptors = calloc(set->nprobes + 1, sizeof(uint32_t));
	in->anchors = calloc(set->nsites + 1, sizeof(in->anchors[0]));
	in->needs_stub = calloc(set->nprobes + 1, sizeof(bool));
	in->modes = calloc(set->nprobes + 1, sizeof(in->modes[0]));
	in->codes = calloc(set->nprobes + 1, sizeof(in->codes[0]));
	in->stubs = calloc(set->nprobes + 1, sizeof(in->stubs[0]));
	if (in->probe_symbols == NULL || in->descriptors == NULL ||
	    in->anchors == NULL || in->needs_stub == NULL ||
	    in->modes == NULL || in->codes == NULL || in->stubs == NULL)
		return inject_nomem(in);
	for (size_t i = 0; i < set->nprobes; i++)
		in->probe_symbols[i] = set->probes[i].symndx;
	return 0;
}

/*
 * A stub is in the mode of its probe's first site, or else of any site. So the
 * target has that mode, and most sites can branch to the stub directly.
 */
static void choose_modes(struct injection *in)
{
	const struct site_set *set = in->set;

	if (set->nsites == 0)
		return;
	memset(in->modes, set->sites[0].mode, set->nprobes);
	for (size_t i = set->nsites; i-- > 0;)
		in->modes[set->sites[i].probe] = set->sites[i].mode;
}

/* --- Disabled sites (--nop) -------------------------------------------- */

/*
 * The switched-off form of SITE's instruction. Returns false if it stays as it
 * is.
 */
static bool disabled_form(const struct injection *in, const struct site *site,
			  struct byte_change *change)
{
	const struct arch *arch = in->obj->arch;
	bool is_enabled = in->set->probes[site->probe].use == PROBE_ENABLED;

	struct code code = { 0 };

	if (!in->options->nop)
		return false;
	if (!object_code(in->d, in->obj, site->shndx, &code))
		return false;
	change->shndx = site->shndx;
	change->offset = site->offset;
	change->size = arch->disable(arch, site->form, is_enabled, &code,
				     site->offset, change->bytes);
	return change->size > 0;
}

static int disable_sites(struct injection *in)
{
	for (size_t i = 0; i < in->set->nsites; i++) {
		const struct site *site = &in->set->sites[i];
		struct byte_change change;

		/* The compiler has disabled it. */
		if (site->form == FORM_BRANCH && in->options->nop)
			continue;
		if (!disabled_form(in, site, &change)) {
			in->needs_stub[site->probe] = true;
			continue;
		}
		if (edit_change_bytes(in->edit, &change))
			return inject_nomem(in);
	}
	return 0;
}

static const struct site *find_site(const struct site_set *set, uint32_t shndx,
				    uint64_t field)
{
	size_t i;

	LOWER_BOUND(
		i, set->nsites,
		set->sites[i].shndx < shndx ||
			(set->sites[i].shndx == shndx &&
			 set->sites[i].offset + set->sites[i].field < field));
	if (i < set->nsites && set->sites[i].shndx == shndx &&
	    set->sites[i].offset + set->sites[i].field == field)
		return &set->sites[i];
	return NULL;
}

/*
 * Makes the relocation of a switched-off site a mere reference to the probe.
 * Functions can become equal when their sites are switched off. This reference
 * keeps identical code folding from merging them. It is to a global symbol,
 * since linkers refuse or drop such references to local ones. No linker folds a
 * finished kernel module, and some of Linux' loaders do not know R_*_NONE.
 * There, the relocation is removed.
 */
static int release_reloc(struct injection *in, uint32_t relsec, size_t idx,
			 const struct site *site)
{
	struct changed_reloc change = {
		.relsec = relsec,
		.idx = idx,
		.is_dropped = in->is_module,
		.symbol = { SYMBOL_NEW_GLOBAL, in->descriptors[site->probe] },
	};

	return edit_change_reloc(in->edit, &change) ? inject_nomem(in) : 0;
}

/* The same for all sites that section RELSEC relocates. */
static int release_relocs(struct injection *in, uint32_t relsec)
{
	uint32_t shndx = in->obj->sections[relsec].info;
	struct taken_reloc *all = NULL, *grown;
	struct relocs relocs;
	size_t n = 0;
	int ret = -1;

	if (object_relocs(in->d, in->obj, relsec, &relocs))
		return -1;
	for (size_t i = 0; i < relocs.n; i++) {
		const struct site *site;
		struct byte_change change;
		struct reloc r;

		reloc_get(&relocs, i, &r);
		site = find_site(in->set, shndx, r.offset);
		if (site == NULL ||
		    r.symndx != in->probe_symbols[site->probe] ||
		    !disabled_form(in, site, &change))
			continue;
		grown = grow_list(all, n, sizeof(all[0]));
		if (grown == NULL) {
			inject_nomem(in);
			goto done;
		}
		all = grown;
		all[n++] = (struct taken_reloc){ site - in->set->sites, r };
		if (release_reloc(in, relsec, i, site))
			goto done;
	}
	ret = inject_keep(in, shndx, all, n);
done:
	free(all);
	return ret;
}

static int release_all_relocs(struct injection *in)
{
	if (!in->options->nop)
		return 0;
	for (size_t i = 1; i < in->obj->nsections; i++) {
		const struct section *sec = &in->obj->sections[i];

		if (section_is_relocs(sec) &&
		    section_is_text(&in->obj->sections[sec->info]) &&
		    release_relocs(in, i))
			return -1;
	}
	return 0;
}

/* Sites that are not in the table call the stub, too. */
static void need_stubs_elsewhere(struct injection *in)
{
	const struct bins *bins = &in->set->bins;

	if (bins->relocations == bins->site)
		return;
	for (size_t i = 0; i < in->set->nprobes; i++)
		in->needs_stub[i] = true;
}

/* --- Sites ------------------------------------------------------------- */

/*
 * A jump record, between the entry of a site of the branch form and the
 * descriptor: the target of the jump, and the distance to the descriptor.
 */
#define JUMP_SIZE 8

static int add_jump(struct injection *in, size_t i, uint32_t shndx,
		    uint64_t offset, struct new_reloc *what)
{
	const struct site *site = &in->set->sites[i];
	struct new_reloc target = { .offset = offset, .type = what->type };
	struct new_reloc probe = *what;

	probe.offset = offset + 4;
	probe.addend = 0;
	what->symbol = in->jumps;
	what->addend += offset;
	if (inject_anchor(in, site->target_shndx, site->target, &target))
		return -1;
	if (edit_add_reloc(in->edit, shndx, &target) ||
	    edit_add_reloc(in->edit, shndx, &probe))
		return inject_nomem(in);
	return 0;
}

/*
 * The NOP of the branch form has no relocation. Without one, folding could
 * merge its function with another. See release_reloc.
 */
static int mark_nop(struct injection *in, const struct site *site)
{
	struct new_reloc none = {
		.offset = site->offset,
		.symbol = { SYMBOL_NEW_GLOBAL, in->descriptors[site->probe] },
		.type = in->obj->arch->reloc_none,
	};

	if (site->form != FORM_BRANCH || in->is_module)
		return 0;
	return edit_add_reloc(in->edit, site->shndx, &none) ? inject_nomem(in)
							    : 0;
}

/* JUMPS is the section for jump records. It has *NJUMPS of them. */
static int add_entry(struct injection *in, size_t i, uint32_t shndx,
		     uint64_t offset, uint32_t jumps, size_t *njumps)
{
	const struct site *site = &in->set->sites[i];
	bool is_enabled = in->set->probes[site->probe].use == PROBE_ENABLED;
	struct new_reloc where = {
		.offset = offset,
		.type = in->obj->arch->reloc_pc32,
	};
	struct new_reloc what = {
		.offset = offset + 4,
		.symbol = { SYMBOL_NEW_GLOBAL, in->descriptors[site->probe] },
		.type = in->obj->arch->reloc_pc32,
		.addend = (unsigned)is_enabled << 2 | site->form,
	};

	if (inject_anchor(in, site->shndx, site->offset, &where))
		return -1;
	in->anchors[i] = where;
	if (site->form == FORM_BRANCH &&
	    add_jump(in, i, jumps, JUMP_SIZE * (*njumps)++, &what))
		return -1;
	if (edit_add_reloc(in->edit, shndx, &where) ||
	    edit_add_reloc(in->edit, shndx, &what))
		return inject_nomem(in);
	return mark_nop(in, site);
}

/*
 * Sets the section for the jump records of N sites in section TEXT, if it needs
 * one.
 */
static int add_jumps(struct injection *in, uint32_t text, size_t n,
		     uint32_t *shndx)
{
	struct new_section sec = {
		.name = (char *)SDT_PROBES_SECTION,
		.type = SHT_PROGBITS,
		.flags = inject_flags_like(in, text, SHF_ALLOC),
		.align = DESCRIPTOR_ALIGN,
		.group = in->obj->sections[text].group,
		.size = JUMP_SIZE * n,
	};
	struct new_reloc start;

	*shndx = 0;
	if (n == 0)
		return 0;
	*shndx = edit_add_section(in->edit, &sec);
	if (*shndx == NO_EDIT)
		return inject_nomem(in);
	if (inject_add_local(in, "", STT_SECTION, *shndx, 0, &start))
		return -1;
	in->jumps = start.symbol;
	return 0;
}

/* --- Names of functions (--function-names) -------------------------------- */

static size_t count_named(const struct injection *in, size_t first, size_t end)
{
	size_t n = 0;

	for (size_t i = first; i < end; i++)
		n += in->set->sites[i].function[0] != '\0';
	return n;
}

/*
 * Adds the names of the functions of sites [FIRST, END), each once. They are
 * among the descriptors, whose range a reader knows. Sets START to their
 * offset.
 */
static int add_strings(struct injection *in, size_t first, size_t end,
		       struct new_reloc *start)
{
	const struct site *sites = in->set->sites;
	uint32_t text = sites[first].shndx, shndx;
	struct new_section sec = {
		.name = (char *)SDT_PROBES_SECTION,
		.type = SHT_PROGBITS,
		.flags = inject_flags_like(in, text, SHF_ALLOC),
		.align = 1,
		.group = in->obj->sections[text].group,
	};

	for (size_t i = first; i < end; i++)
		if (i == first || sites[i].function != sites[i - 1].function)
			sec.size += strlen(sites[i].function) + 1;
	sec.data = malloc(sec.size);
	if (sec.data == NULL)
		return inject_nomem(in);
	sec.size = 0;
	for (size_t i = first; i < end; i++) {
		if (i > first && sites[i].function == sites[i - 1].function)
			continue;
		strcpy((char *)sec.data + sec.size, sites[i].function);
		sec.size += strlen(sites[i].function) + 1;
	}
	shndx = edit_add_section(in->edit, &sec);
	free(sec.data);
	return shndx == NO_EDIT
		       ? inject_nomem(in)
		       : inject_add_local(in, "", STT_SECTION, shndx, 0, start);
}

/* Adds a record for each of these sites that is in a function: {site, name}. */
static int add_names(struct injection *in, size_t first, size_t end)
{
	const struct site *sites = in->set->sites;
	uint32_t text = sites[first].shndx, shndx;
	struct new_section sec = {
		.name = (char *)SDT_FUNCTIONS_SECTION,
		.type = SHT_PROGBITS,
		.flags =
			inject_flags_like(in, text, SHF_ALLOC | SHF_LINK_ORDER),
		.link = text,
		.align = 4,
		.group = in->obj->sections[text].group,
		.size = 8 * count_named(in, first, end),
	};
	struct new_reloc name = { .type = in->obj->arch->reloc_pc32 };
	uint64_t offset = 0;

	if (!in->options->function_names || sec.size == 0)
		return 0;
	shndx = edit_add_section(in->edit, &sec);
	if (shndx == NO_EDIT)
		return inject_nomem(in);
	if (add_strings(in, first, end, &name))
		return -1;
	for (size_t i = first; i < end; i++) {
		struct new_reloc where = in->anchors[i];

		if (i > first && sites[i].function != sites[i - 1].function)
			name.addend += strlen(sites[i - 1].function) + 1;
		if (sites[i].function[0] == '\0')
			continue;
		where.offset = offset;
		name.offset = offset + 4;
		if (edit_add_reloc(in->edit, shndx, &where) ||
		    edit_add_reloc(in->edit, shndx, &name))
			return inject_nomem(in);
		offset += 8;
	}
	return 0;
}

/* --- The table ------------------------------------------------------------ */

/* Adds the entries of the sites [FIRST, END), which are in one section. */
static int add_table(struct injection *in, size_t first, size_t end)
{
	uint32_t text = in->set->sites[first].shndx;
	size_t n = 0, njumps = 0;
	struct new_section sec = {
		.name = (char *)in->options->sites_name,
		.type = SHT_PROGBITS,
		.flags =
			inject_flags_like(in, text, SHF_ALLOC | SHF_LINK_ORDER),
		.link = text,
		.align = 4,
		.group = in->obj->sections[text].group,
		.size = 8 * (end - first),
	};
	uint32_t shndx, jumps;

	for (size_t i = first; i < end; i++)
		n += in->set->sites[i].form == FORM_BRANCH;
	shndx = edit_add_section(in->edit, &sec);
	if (shndx == NO_EDIT)
		return inject_nomem(in);
	if (add_jumps(in, text, n, &jumps))
		return -1;
	for (size_t i = first; i < end; i++)
		if (add_entry(in, i, shndx, 8 * (i - first), jumps, &njumps))
			return -1;
	return add_names(in, first, end);
}

static int add_tables(struct injection *in)
{
	const struct site_set *set = in->set;

	for (size_t first = 0, end; first < set->nsites; first = end) {
		for (end = first;
		     end < set->nsites &&
		     set->sites[end].shndx == set->sites[first].shndx;
		     end++)
			;
		if (add_table(in, first, end))
			return -1;
	}
	return 0;
}

/* A linker cuts NAME@VERSION at the "@". */
static int check_names(const struct injection *in)
{
	int ret = 0;

	for (size_t i = 0; i < in->set->nprobes; i++)
		if (strchr(in->set->probes[i].symbol, '@') != NULL)
			ret = diag_report(
				in->d, SEVERITY_NO,
				&(struct place){ .file = in->obj->path },
				"bad-name", "rename the probe function",
				"probe function '%s' has a version",
				in->set->probes[i].symbol);
	return ret;
}

/*
 * A stub must not increase the alignment of text. 2 is enough for short
 * instructions of RISC-V, ARM and s390x. If the alignment is 1, the author of
 * an assembly file may have forgotten it.
 */
static uint32_t stub_align(const struct object *obj, const struct site_set *set)
{
	uint32_t align = obj->arch->stub_align;
	uint64_t found = 1;

	for (size_t i = 0; i < set->nsites; i++) {
		const struct section *sec = &obj->sections[set->sites[i].shndx];

		if (sec->align > found)
			found = sec->align;
	}
	return found > 1 && found < align ? found : align;
}

static int plan(struct diag *d, const struct object *obj,
		const struct options *options, const struct site_set *set,
		struct edit *edit)
{
	struct injection in = {
		.d = d,
		.obj = obj,
		.options = options,
		.set = set,
		.edit = edit,
		.stub_align = stub_align(obj, set),
		.is_module = object_is_module(obj),
	};
	int ret = -1;

	if (inject_check_fresh(d, obj, options) || check_names(&in) ||
	    find_section_symbols(&in) || find_probe_symbols(&in) ||
	    disable_sites(&in))
		goto done;
	need_stubs_elsewhere(&in);
	choose_modes(&in);
	for (size_t i = 0; i < set->nprobes; i++)
		if (inject_add_probe(&in, i))
			goto done;
	if (add_tables(&in) || inject_add_frames(&in) ||
	    inject_add_notes(&in) || release_all_relocs(&in))
		goto done;
	ret = 0;
done:
	free(in.section_symbols);
	free(in.probe_symbols);
	free(in.descriptors);
	free(in.anchors);
	free(in.needs_stub);
	free(in.modes);
	free(in.codes);
	free(in.stubs);
	return ret;
}

int inject_plan(struct diag *d, const struct object *obj,
		const struct options *options, const struct site_set *set,
		struct edit *edit)
{
	struct site_set grouped = { 0 };
	int ret = inject_group_linkonce(d, obj, options, set, edit, &grouped);

	if (ret == 0)
		ret = plan(d, edit->obj, options,
			   edit->obj == obj ? set : &grouped, edit);
	site_set_free(&grouped);
	return ret;
}
