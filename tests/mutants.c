/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * mutants [--anchored | --linker-set=BASE] [--dead=N] [--text=WHAT] PARTIAL
 * FINAL - damages FINAL, which is proved, in every way it knows, and wants no mutant to be
 * proved.
 *
 * It finds out itself what the files hold, from the gABI and sdt_table(5); of
 * sdtlink it uses what --verify does with two files, and nothing else. What
 * may be proved although it changed is counted by the rule that allows it. N
 * entries of the table are of sites in code that no symbol names any more, and
 * that nothing leads to: those may be missing.
 */
#include <config.h>

#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elf/check.h"
#include "mutants.h"
#include "prove/verify.h"

static void ignore_finding(void *ctx, const struct finding *f)
{
	(void)ctx;
	(void)f;
}

static void ignore_note(void *ctx, const struct unexplained *u)
{
	(void)ctx;
	(void)u;
}

/* Would --verify end with exit status 0? */
static bool is_proved(struct lab *lab, uint8_t *bytes)
{
	struct diag d = { .sink = diag_ignore };
	struct verification v = { .sink = ignore_finding,
				  .note = ignore_note };
	struct object final = { 0 };
	bool is_judged = object_open_memory(&d, "mutant", bytes,
					    lab->final.size, &final) == 0 &&
			 check_object(&d, &final, OBJECT_FINAL) == 0 &&
			 verify_objects(&d, &lab->partial_obj, 1, &final,
					&lab->options, &v) == 0;

	object_close(&final);
	return is_judged && d.nno == 0 && d.ntrouble == 0 &&
	       v.verdict == VERDICT_PROVED;
}

static void report_survivor(const struct lab *lab, const struct kind *kind)
{
	const struct elf *final = &lab->final;
	size_t at = 0, n = 0;

	while (lab->work[at] == final->bytes[at])
		at++;
	for (size_t i = at; i < final->size; i++)
		n += lab->work[i] != final->bytes[i];
	printf("survivor: %s: %zu bytes, file offset 0x%zx: %02x became %02x",
	       kind->name, n, at, final->bytes[at], lab->work[at]);
	for (size_t i = 1; i < final->nsections; i++) {
		const struct shdr *sec = &final->sections[i];

		if (sec->type != SHT_NOBITS && at >= sec->offset &&
		    at - sec->offset < sec->size)
			printf(", %s+0x%" PRIx64 " = 0x%" PRIx64, sec->name,
			       at - sec->offset,
			       sec->addr + (at - sec->offset));
	}
	putchar('\n');
}

void try(struct lab *lab, struct kind *kind, const char *rule)
{
	if (memcmp(lab->work, lab->final.bytes, lab->final.size) == 0)
		return;
	if (kind->nmade++ % lab->stride == 0) {
		kind->ntried++;
		if (is_proved(lab, lab->work)) {
			if (rule != NULL)
				kind->nallowed++;
			else if (kind->nsurvived++ < 10)
				report_survivor(lab, kind);
		}
	}
	memcpy(lab->work, lab->final.bytes, lab->final.size);
}

void finish(struct lab *lab, const struct kind *kind, const char *rule)
{
	printf("%-10s %6zu mutants, %6zu rejected, %zu proved by mistake",
	       kind->name, kind->ntried,
	       kind->ntried - kind->nallowed - kind->nsurvived,
	       kind->nsurvived);
	if (kind->nallowed > 0)
		printf(", %zu rightly: %s", kind->nallowed, rule);
	putchar('\n');
	lab->nsurvived += kind->nsurvived;
}

void put_word(struct lab *lab, size_t at, uint32_t value)
{
	for (int i = 0; i < 4; i++)
		lab->work[at + (lab->final.is_big ? 3 - i : i)] = value >>
								  8 * i;
}

uint32_t get_word(const struct lab *lab, const uint8_t *p)
{
	uint32_t value = 0;

	for (int i = 0; i < 4; i++)
		value |= (uint32_t)p[lab->final.is_big ? 3 - i : i] << 8 * i;
	return value;
}

void set_symbol(struct lab *lab, const struct symbol_row *sym, uint64_t value)
{
	int width = lab->final.is_64 ? 8 : 4;

	for (int i = 0; i < width; i++)
		lab->work[sym->value_at +
			  (lab->final.is_big ? width - 1 - i : i)] = value >>
								     8 * i;
}

bool is_probe(const char *name)
{
	return strncmp(name, PREFIX, strlen(PREFIX)) == 0;
}

/* --- What there is
 * -------------------------------------------------------------- */

/* Does the partial lack a function NAME? mold names thunks NAME$thunk. */
static bool is_wanted(const struct lab *lab, const char *name)
{
	const struct elf *partial = &lab->partial;

	for (size_t i = 1; i < partial->nsymbols; i++)
		if (partial->symbols[i].shndx == SHN_UNDEF &&
		    strcmp(partial->symbols[i].name, name) == 0)
			return true;
	return false;
}

static void find_stubs(struct lab *lab)
{
	for (size_t i = 1; i < lab->final.nsymbols; i++)
		if (is_probe(lab->final.symbols[i].name) &&
		    lab->final.symbols[i].shndx != SHN_UNDEF &&
		    is_wanted(lab, lab->final.symbols[i].name) &&
		    lab->nstubs < MAX)
			lab->stubs[lab->nstubs++] = &lab->final.symbols[i];
}

/* Does a site branch to STUB? To aim it there again changes nothing. */
static bool has_branch(const struct lab *lab, const struct symbol_row *stub)
{
	for (size_t i = 0; i < lab->nsites; i++) {
		uint64_t addr = lab->sites[i].addr;
		const uint8_t *good = lab->final.bytes +
				      file_offset(&lab->final, addr);
		uint8_t bytes[8];
		unsigned n;

		memcpy(bytes, good, sizeof(bytes));
		n = aim_branch(&lab->final, bytes, addr, stub->value);
		if (n > 0 && memcmp(bytes, good, n) == 0)
			return true;
	}
	return false;
}

/*
 * A probe whose sites are all disabled may be anywhere. Where no site branches
 * to a stub directly, all are far away, behind what linkers put between.
 */
static void keep_live_stubs(struct lab *lab)
{
	bool is_anchored = lab->options.table == TABLE_ANCHORED;
	size_t n = lab->nstubs, kept = 0;

	for (size_t i = 0; i < n; i++)
		kept += has_branch(lab, lab->stubs[i]);
	/* Where all sites are disabled there is none. */
	if (n < 2 && !is_anchored)
		die("fewer than two stubs");
	if (kept == 0 && !is_anchored)
		return;
	kept = 0;
	for (size_t i = 0; i < n; i++)
		if (has_branch(lab, lab->stubs[i]))
			lab->stubs[kept++] = lab->stubs[i];
	lab->nstubs = kept;
}

/* Where section SHNDX of the partial begins, by a symbol of it. */
static bool place(const struct lab *lab, size_t shndx, uint64_t *addr)
{
	for (size_t i = 1; i < lab->partial.nsymbols; i++) {
		const struct symbol_row *sym = &lab->partial.symbols[i];
		const struct symbol_row *found;

		/* Not what assemblers and linkers make up. */
		if (sym->shndx != shndx || sym->name[0] == '\0' ||
		    sym->name[0] == '$' || sym->name[0] == '.')
			continue;
		found = find_symbol(&lab->final, sym->name);
		if (found == NULL)
			continue;
		*addr = found->value - sym->value;
		return true;
	}
	return false;
}

static void find_texts(struct lab *lab)
{
	for (size_t i = 1; i < lab->partial.nsections; i++) {
		struct text *text = &lab->texts[lab->ntexts];
		bool has_sites = false;

		if (!(lab->partial.sections[i].flags & SHF_EXECINSTR))
			continue;
		text->nrelocs = relocations(&lab->partial, i, &text->relocs);
		for (size_t k = 0; k < text->nrelocs; k++)
			has_sites |= is_probe(text->relocs[k].symbol);
		text->size = lab->partial.sections[i].size;
		text->relaxes = lab->partial_obj.sections[i].relaxes;
		if (has_sites && place(lab, i, &text->addr) &&
		    lab->ntexts + 1 < 64)
			lab->ntexts++;
		else
			free(text->relocs);
	}
	if (lab->ntexts == 0)
		die("no text");
}

/* --- The whole
 * --------------------------------------------------------------------------------
 */

/* The sites by the relocations of the partial, where the table has no names. */
static void list_relocated_sites(struct lab *lab)
{
	for (size_t i = 0; i < lab->ntexts; i++)
		for (size_t k = 0; k < lab->texts[i].nrelocs; k++) {
			const struct relocation *r = &lab->texts[i].relocs[k];
			uint64_t field = lab->texts[i].addr + r->offset;
			const uint8_t *p = lab->final.bytes +
					   file_offset(&lab->final, field);

			/* x86 only: the opcode has one byte or two. */
			if (is_probe(r->symbol) && lab->nsites < MAX)
				lab->sites[lab->nsites++] = (struct site_row){
					field - (p[-2] == 0x0f ? 2 : 1),
					r->symbol
				};
		}
}

static void set_options(struct options *options, const char *base)
{
	string_list_add(&options->prefixes, PREFIX);
	string_list_add(&options->enabled_prefixes, PREFIX "enabled_");
	options->table_name = "sdt_table";
	options->sites_name = "sdt_sites";
	if (options->table == TABLE_AUTO)
		options->table = TABLE_OFFSETS;
	if (base != NULL) {
		options->table = TABLE_LINKER_SET;
		options->base = base;
	}
}

static void open_lab(struct lab *lab, const char *partial, const char *final)
{
	struct diag d = { .sink = diag_ignore };

	read_elf(partial, &lab->partial);
	read_elf(final, &lab->final);
	lab->work = malloc(lab->final.size);
	if (lab->work == NULL)
		die("no memory");
	memcpy(lab->work, lab->final.bytes, lab->final.size);
	if (object_open(&d, partial, &lab->partial_obj) ||
	    check_object(&d, &lab->partial_obj, OBJECT_PARTIAL) ||
	    !is_proved(lab, lab->final.bytes))
		die("the good image is not proved");
	find_stubs(lab);
	find_texts(lab);
}

static void close_lab(struct lab *lab)
{
	object_close(&lab->partial_obj);
	for (size_t i = 0; i < lab->ntexts; i++)
		free(lab->texts[i].relocs);
	free_elf(&lab->partial);
	free_elf(&lab->final);
	free(lab->work);
	string_list_free(&lab->options.prefixes);
	string_list_free(&lab->options.enabled_prefixes);
}

int main(int argc, char **argv)
{
	static struct table_copy table;
	static struct lab lab;
	const struct table_copy *good = NULL;
	const char *base = NULL;
	const char *stride = getenv("SDTLINK_STRIDE");

	lab.stride = stride != NULL && atoi(stride) > 0 ? atoi(stride) : 1;
	for (; argc > 1 && argv[1][0] == '-'; argc--, argv++)
		if (strcmp(argv[1], "--anchored") == 0)
			lab.options.table = TABLE_ANCHORED;
		else if (strncmp(argv[1], "--linker-set=", 13) == 0)
			base = argv[1] + 13;
		else if (strncmp(argv[1], "--text=", 7) == 0)
			lab.options.text = strcmp(argv[1] + 7, "sites") == 0
						   ? TEXT_SITES
						   : TEXT_ALL;
		else if (strncmp(argv[1], "--dead=", 7) == 0)
			lab.ndead = atoi(argv[1] + 7);
	if (argc != 3)
		die("usage: mutants [OPTION]... PARTIAL FINAL");
	set_options(&lab.options, base);
	open_lab(&lab, argv[1], argv[2]);
	switch (lab.options.table) {
	case TABLE_ANCHORED:
		read_entries(&lab);
		keep_live_stubs(&lab);
		change_anchored(&lab);
		break;
	case TABLE_LINKER_SET:
		list_relocated_sites(&lab);
		keep_live_stubs(&lab);
		change_linker_set(&lab);
		break;
	case TABLE_AUTO:
	case TABLE_OFFSETS:
		read_offsets(&lab, &table);
		keep_live_stubs(&lab);
		change_offsets(&lab, &table);
		good = &table;
		break;
	}
	change_text(&lab);
	change_symbols(&lab, good);
	close_lab(&lab);
	return lab.nsurvived > 0;
}
