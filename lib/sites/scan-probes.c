/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Part of scan: finds the probe functions in the symbol table. */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "base/table-format.h"
#include "base/grow.h"
#include "elf/functions.h"
#include "elf/names.h"
#include "scan.h"

struct search {
	struct diag *d;
	const struct object *obj;
	const struct options *options;
	struct site_set *set;
	struct names names; /* with --symbol, of what was injected */
};

static int add_probe(struct search *search, const struct symbol *sym,
		     uint32_t symndx, enum probe_use use, size_t prefix)
{
	struct site_set *set = search->set;
	struct probe *probes =
		grow_list(set->probes, set->nprobes, sizeof(probes[0]));

	if (probes == NULL)
		return diag_nomem(search->d, search->obj->path);
	set->probes = probes;
	probes[set->nprobes] = (struct probe){
		.symbol = sym->name,
		.symndx = symndx,
		.prefix = prefix,
		.use = use,
		.is_defined = sym->shndx != SHN_UNDEF,
		.is_code = sym->shndx != SHN_UNDEF && !sym->is_descriptor,
	};
	if (probe_name_parse(sym->name, prefix, &probes[set->nprobes].name))
		return diag_nomem(search->d, search->obj->path);
	set->nprobes++;
	return 0;
}

static bool names_code(const struct symbol *sym)
{
	if (sym->name[0] == '\0' || sym->type == STT_SECTION ||
	    sym->type == STT_FILE)
		return false;
	/* The type of an undefined symbol is only a guess. */
	return !symbol_is_data(sym) || sym->shndx == SHN_UNDEF ||
	       sym->shndx == SHN_COMMON;
}

/*
 * How the local probe function NAME was made. Compilers name the variants of a
 * function after it, with a dot and a word.
 */
static const char *local_remedy(const struct search *search, const char *name)
{
	if (object_find_section(search->obj, search->options->sites_name) != 0)
		return "it was injected before: give the object from before, "
		       "or link without sdtlink, and --verify with the objects "
		       "from before";
	if (strstr(name, ".localalias") != NULL)
		return "compile with -fsemantic-interposition, or define the "
		       "probe functions in an object of their own";
	if (strchr(name, '.') != NULL)
		return "declare the probe function noinline and noclone, or "
		       "define it in an object of its own";
	return "run sdtlink before objcopy makes symbols local";
}

/*
 * A call of a local function has no relocation, or one against its section. So
 * the sites of a probe function that was made local cannot be found.
 */
static void check_local(struct search *search, const struct symbol *sym)
{
	size_t prefix;

	if (names_code(sym) && probe_classify(search->options, sym->name, true,
					      &prefix) != PROBE_NONE)
		diag_report(search->d, SEVERITY_NO,
			    &(struct place){ .file = search->obj->path },
			    "local-probe", local_remedy(search, sym->name),
			    "probe function %s is local: its sites cannot be "
			    "found",
			    sym->name);
}

/*
 * A C++ compiler mangles the name of an undefined function if its declaration
 * lacks extern "C", or if it loses the asm label. It is not a probe, and will
 * be undefined in the link.
 */
static void warn_mangled(struct search *search, const struct symbol *sym)
{
	const struct string_list *prefixes = &search->options->prefixes;

	if (sym->shndx != SHN_UNDEF)
		return;
	for (size_t i = 0; i < prefixes->n; i++)
		if (strstr(sym->name, prefixes->items[i]) != NULL) {
			diag_report(
				search->d, SEVERITY_WARNING,
				&(struct place){ .file = search->obj->path },
				"mangled-name",
				"declare it extern \"C\", and for macros "
				"in templates define SDT_DECLARED",
				"undefined function %s holds the prefix "
				"of probe functions, but does not begin "
				"with it",
				sym->name);
			return;
		}
}

/* Is SYM defined, and not by --inject? */
static bool is_defined(const struct search *search, const struct symbol *sym)
{
	return sym->shndx != SHN_UNDEF &&
	       (search->names.obj == NULL ||
		!names_is_stub(&search->names, sym->name));
}

static int collect_probes(struct search *search)
{
	const struct object *obj = search->obj;

	if (search->options->symbols.n > 0 &&
	    object_find_section(obj, SDT_PROBES_SECTION) != 0 &&
	    names_build(search->d, obj, &search->names))
		return -1;
	for (size_t i = 1; i < obj->nsymbols; i++) {
		struct symbol sym;
		enum probe_use use;
		size_t prefix;

		object_fetch_name(obj, i + NAMES_AHEAD);
		object_symbol(obj, i, &sym);
		if (sym.bind == STB_LOCAL) {
			check_local(search, &sym);
			continue;
		}
		if (!names_code(&sym))
			continue;
		use = probe_classify(search->options, sym.name,
				     is_defined(search, &sym), &prefix);
		if (use == PROBE_NONE &&
		    !probe_names_code(search->options, obj->arch, sym.name))
			warn_mangled(search, &sym);
		else if (use == PROBE_NONE)
			continue;
		else if (add_probe(search, &sym, i, use, prefix))
			return -1;
	}
	return 0;
}

static int compare_probes(const void *a, const void *b)
{
	return strcmp(((const struct probe *)a)->symbol,
		      ((const struct probe *)b)->symbol);
}

static void warn_suspicious(struct search *search)
{
	for (size_t i = 0; i < search->set->nprobes; i++) {
		const struct probe *probe = &search->set->probes[i];
		const char *why = NULL, *remedy;

		if (probe->use != PROBE_SYMBOL)
			why = probe_name_suspicion(probe->symbol, probe->prefix,
						   &remedy);
		if (why != NULL)
			diag_report(
				search->d, SEVERITY_WARNING,
				&(struct place){ .file = search->obj->path },
				"suspicious-name", remedy,
				"probe function %s: %s", probe->symbol, why);
	}
}

/* A name is only once in a symbol table that a linker wrote. */
static int check_unique(struct search *search)
{
	const struct site_set *set = search->set;

	for (size_t i = 1; i < set->nprobes; i++)
		if (compare_probes(&set->probes[i - 1], &set->probes[i]) == 0)
			return diag_file(search->d, search->obj->path,
					 "malformed",
					 "two global symbols are named %s",
					 set->probes[i].symbol);
	return 0;
}

int scan_probes(struct diag *d, const struct object *obj,
		const struct options *options, struct site_set *set)
{
	struct search search = {
		.d = d,
		.obj = obj,
		.options = options,
		.set = set,
	};
	int ret = collect_probes(&search);

	names_free(&search.names);
	if (ret)
		return -1;
	if (set->nprobes > 0)
		qsort(set->probes, set->nprobes, sizeof(set->probes[0]),
		      compare_probes);
	if (check_unique(&search))
		return -1;
	warn_suspicious(&search);
	return 0;
}

const struct probe *scan_find_probe(const struct site_set *set,
				    const char *symbol)
{
	struct probe key = { .symbol = symbol };

	if (set->nprobes == 0)
		return NULL;
	return bsearch(&key, set->probes, set->nprobes, sizeof(key),
		       compare_probes);
}
