/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "emit.h"
#include "base/table-format.h"
#include "base/text.h"

static bool is_identifier(const char *name)
{
	return layout_is_asm_symbol(name) && strpbrk(name, ".$") == NULL;
}

static int check_site(struct diag *d, const struct object *obj,
		      const struct options *options, const struct site *site)
{
	struct place place = object_where(obj, site->shndx, site->offset);
	bool is_branch = site->form == FORM_BRANCH;

	if (is_branch && options->table == TABLE_LINKER_SET)
		return diag_report(d, SEVERITY_NO, &place, "branch-form",
				   "make another table",
				   "a linker set cannot have a site of the "
				   "branch form");
	if (site->offset > UINT32_MAX ||
	    (is_branch && site->target > UINT32_MAX))
		return diag_report(d, SEVERITY_NO, &place, "too-far", NULL,
				   "the site's offset does not fit the 32 bits "
				   "of the table");
	return 0;
}

int emit_check(struct diag *d, const struct object *obj,
	       const struct options *options, const struct site_set *set)
{
	int ret = 0;

	for (size_t i = 0; i < set->nprobes; i++)
		if (!layout_is_asm_symbol(set->probes[i].symbol))
			ret = diag_report(
				d, SEVERITY_NO,
				&(struct place){ .file = obj->path },
				"bad-name", "rename the probe function",
				"probe function '%s' is not a name that an "
				"assembler accepts",
				set->probes[i].symbol);
	for (size_t i = 0; i < set->nsites; i++)
		if (check_site(d, obj, options, &set->sites[i]))
			return -1;
	return ret;
}

static void text_escape(struct text *text, char c)
{
	char escape[4];

	snprintf(escape, sizeof(escape), "%%%02x", (unsigned char)c);
	text_add(text, escape, 3);
}

/* Can this byte be in a C comment without ending it, or making a trigraph? */
static bool is_plain(char c)
{
	return is_symbol_char(c) || c == ':' || c == '-' || c == '+';
}

static void text_comment(struct text *text, const char *name)
{
	while (*(name = text_plain(text, name, is_plain)) != '\0')
		text_escape(text, *name++);
}

/* The comment behind a site: the function that contains it. */
static void text_function(struct text *text, const struct site *site)
{
	text_comment(text, site->function);
	text_put(text, "+");
	text_hex(text, site->function_offset);
	text_put(text, " */\n");
}

/* --- Stubs ------------------------------------------------------------- */

static void put_stub_includes(FILE *f, const struct options *options)
{
	for (size_t i = 0; i < options->stub_includes.n; i++) {
		const char *name = options->stub_includes.items[i];
		bool is_quoted = name[0] == '<' || name[0] == '"';

		fprintf(f, is_quoted ? "#include %s\n" : "#include <%s>\n",
			name);
	}
	if (options->stub_includes.n > 0)
		fputc('\n', f);
}

static void put_stub_macro(FILE *f, const struct options *options)
{
	fputs("/* Stubs stay apart, uncalled from anywhere else, and out of "
	      "the hot text. */\n"
	      "#ifndef SDT_STUB_SECTION\n"
	      "#define SDT_STUB_SECTION \"" STUB_SECTION "\"\n"
	      "#endif\n"
	      "#ifdef __has_attribute\n"
	      "#if __has_attribute(__noipa__)\n"
	      "#define SDT_NOIPA __attribute__((__noipa__))\n"
	      "#endif\n"
	      "#endif\n"
	      "#ifndef SDT_NOIPA\n"
	      "#define SDT_NOIPA\n"
	      "#endif\n"
	      "#define SDT_STUB SDT_NOIPA __attribute__((__used__, "
	      "__noinline__, \\\n"
	      "\t__no_instrument_function__, __visibility__(\"hidden\"), \\\n"
	      "\t__section__(SDT_STUB_SECTION)))",
	      f);
	for (size_t i = 0; i < options->stub_attrs.n; i++)
		fprintf(f, " \\\n\t%s", options->stub_attrs.items[i]);
	fputs("\n\n", f);
}

/*
 * Each body names a number of its own, so that no compiler merges two of them.
 * It is volatile, so that no compiler removes a call as without effect. Some
 * ABIs put an underscore before C names. The label prevents that.
 */
static void put_stub(FILE *f, const struct probe *probe, size_t number)
{
	const char *type = probe->use == PROBE_ENABLED ? "int" : "void";
	const char *result = probe->use == PROBE_ENABLED ? " return 0;" : "";
	bool is_plain = probe->use != PROBE_SYMBOL &&
			is_identifier(probe->symbol);
	char name[32];

	snprintf(name, sizeof(name), "sdt_stub_%zu", number);
	fprintf(f,
		"SDT_STUB %s %s(void) __asm__(\"%s\");\n"
		"%s %s(void) { __asm__ __volatile__(\"/* %zu */\");%s }\n",
		type, is_plain ? probe->symbol : name, probe->symbol, type,
		is_plain ? probe->symbol : name, number, result);
}

static void put_stubs(FILE *f, const struct options *options,
		      const struct site_set *set)
{
	put_stub_includes(f, options);
	put_stub_macro(f, options);
	for (size_t i = 0; i < set->nprobes; i++)
		if (!set->probes[i].is_defined)
			put_stub(f, &set->probes[i], i);
}

/* --- The table of sdt_table(5) ----------------------------------------- */

/*
 * Assembly at file scope, in statements that no compiler finds too long: ISO
 * C99 promises 4095 characters in a string literal. Words are .long, since gas
 * for SPARC accepts no distance in .4byte.
 */
struct assembly {
	struct text text;
	const char *section;
	const char *flags;
	size_t used;  /* by the open statement; 0 if none is open */
	size_t items; /* in the open line; 0 if none is open */
	bool names_functions;
};

static void end_line(struct assembly *as)
{
	if (as->items > 0)
		text_put(&as->text, "\\n\"\n");
	as->items = 0;
}

static void end_statement(struct assembly *as)
{
	if (as->used > 0)
		text_put(&as->text, "\"\t.popsection\\n\");\n");
	as->used = 0;
}

/* The text of an open statement that has room for COST more characters. */
static struct text *assemble(struct assembly *as, size_t cost)
{
	if (as->used + cost > 3500)
		end_statement(as);
	if (as->used == 0) {
		text_put(&as->text, "__asm__(\"\t.pushsection ");
		text_put(&as->text, as->section);
		text_put(&as->text, ",\\\"");
		text_put(&as->text, as->flags);
		text_put(&as->text, "\\\"\\n\"\n");
		as->used = 100;
	}
	as->used += cost;
	return &as->text;
}

/*
 * The text of an open line of DIRECTIVE that has room for one more item of COST
 * characters. Compilers and assemblers read few long lines faster than many
 * short ones.
 */
static struct text *assemble_item(struct assembly *as, const char *directive,
				  size_t cost)
{
	if (as->items == 8 || as->used + cost > 3500)
		end_line(as);
	if (as->items == 0) {
		assemble(as, cost + 20);
		text_put(&as->text, "\"\t");
		text_put(&as->text, directive);
		text_put(&as->text, " ");
	} else {
		as->used += cost;
		text_put(&as->text, ", ");
	}
	as->items++;
	return &as->text;
}

static void end_assembly(struct assembly *as)
{
	end_statement(as);
	text_flush(&as->text);
}

/* Is site I the first one in a function whose name the table should have? */
static bool starts_function(const struct assembly *as,
			    const struct site_set *set, size_t i)
{
	return as->names_functions && set->sites[i].is_first;
}

static size_t count_functions(const struct assembly *as,
			      const struct site_set *set)
{
	size_t n = 0;

	for (size_t i = 0; i < set->nsites; i++)
		n += starts_function(as, set, i);
	return n;
}

static void put_header(struct assembly *as, const char *name,
		       const struct site_set *set, const struct layout *layout)
{
	struct text *text = assemble(as, 550 + 10 * strlen(name));

	text_format(text,
		    "\"\t.balign 4\\n\"\n"
		    "\"\t.globl %s, %s_end\\n\"\n"
		    "\"\t.hidden %s, %s_end\\n\"\n"
		    "\"\t.type %s, %%object\\n\"\n"
		    "\"%s:\\n\"\n",
		    name, name, name, name, name, name);
	text_format(text,
		    "\"\t.long 0x%x, %u\\n\" /* magic, version */\n"
		    "\"\t.long .Lsdt_end - %s\\n\" /* size */\n"
		    "\"\t.long %zu, %zu, %zu, %zu\\n\""
		    " /* sections, sites, probes, functions */\n"
		    "\"\t.long .Lsdt_strings - %s\\n\"\n",
		    SDT_TABLE_MAGIC, SDT_TABLE_VERSION, name, layout->nbases,
		    set->nsites, set->nprobes, count_functions(as, set), name);
}

/*
 * The value of a function's symbol includes its mode. Some linkers add the
 * mode, others or it. So a section's base is below its start by the mode, and
 * its offsets are greater by the same number.
 */
static void put_sections(struct assembly *as, const struct object *obj,
			 const struct layout *layout)
{
	for (size_t i = 0; i < layout->nbases; i++) {
		const struct base *base = &layout->bases[i];
		struct text *text = assemble(as, 50 + strlen(base->symbol));

		text_format(text,
			    "\"\t.long %s%s - 0x%" PRIx64 " - ., %zu\\n\" /* ",
			    base->prefix, base->symbol,
			    base->value + 2 * base->mode, base->first_site);
		text_comment(text, obj->sections[base->shndx].name);
		text_put(text, " */\n");
	}
}

/*
 * The bits of info from 3 on: the index of the probe, or of the jump, which has
 * the probe.
 */
static unsigned site_info(const struct site_set *set, const struct site *site,
			  uint32_t *njumps)
{
	bool is_enabled = set->probes[site->probe].use == PROBE_ENABLED;
	uint32_t idx = site->form == FORM_BRANCH ? (*njumps)++ : site->probe;

	return idx << 3 | (unsigned)is_enabled << 2 | site->form;
}

static void put_sites(struct assembly *as, const struct site_set *set,
		      const struct layout *layout)
{
	const struct base *base = layout->bases;
	uint32_t njumps = 0;

	for (size_t i = 0; i < set->nsites; i++) {
		const struct site *site = &set->sites[i];
		const struct probe *probe = &set->probes[site->probe];
		struct text *text = assemble(as, 24);

		site_fetch_name(set, i + NAMES_AHEAD);
		if (site->shndx != base->shndx)
			base++;
		text_put(text, "\"\t.long ");
		text_hex(text, site->offset + base->mode);
		text_put(text, ", ");
		text_hex(text, site_info(set, site, &njumps));
		text_put(text, "\\n\" /* ");
		text_comment(text, probe->name.provider);
		text_put(text, ":::");
		text_comment(text, probe->name.name);
		text_put(text, " in ");
		text_function(text, site);
	}
}

/* Strings follow one another in the order of put_strings. */
static size_t string_size(const char *string)
{
	return strlen(string) + 1;
}

static size_t put_probes(struct assembly *as, const struct object *obj,
			 const struct site_set *set)
{
	size_t at = 0;

	for (size_t i = 0; i < set->nprobes; i++) {
		const struct probe *probe = &set->probes[i];

		text_format(assemble(as, 60 + strlen(probe->symbol)),
			    "\"\t.long %s%s - ., 0x%zx, %zu\\n\"\n",
			    scan_probe_prefix(obj, probe), probe->symbol, at,
			    probe->prefix);
		at += string_size(probe->symbol);
	}
	return at;
}

/* AT is the offset of the first function's name in the strings. */
static void put_functions(struct assembly *as, const struct site_set *set,
			  size_t at)
{
	for (size_t i = 0; i < set->nsites; i++) {
		struct text *text;

		if (!starts_function(as, set, i))
			continue;
		site_fetch_name(set, i + NAMES_AHEAD);
		text = assemble_item(as, ".long", 40);
		text_hex(text, i);
		text_put(text, ", ");
		text_hex(text, at);
		at += string_size(set->sites[i].function);
	}
	end_line(as);
}

/* The jump targets of sites of the branch form, in the order of the sites. */
static void put_jumps(struct assembly *as, const struct site_set *set,
		      const struct layout *layout)
{
	for (size_t i = 0; i < set->nsites; i++) {
		const struct site *site = &set->sites[i];
		uint32_t section;

		if (site->form != FORM_BRANCH)
			continue;
		section = layout->base_of[site->target_shndx];
		text_format(assemble(as, 60),
			    "\"\t.long %u, 0x%" PRIx64 ", %u\\n\"\n", section,
			    site->target + layout->bases[section].mode,
			    site->probe);
	}
}

/* A string of any bytes and length. */
static void put_string(struct assembly *as, const char *string)
{
	size_t length = strlen(string);

	if (layout_is_asm_symbol(string) && length < 2048) {
		struct text *text = assemble_item(as, ".asciz", length + 6);

		text_put(text, "\\\"");
		text_add(text, string, length);
		text_put(text, "\\\"");
		return;
	}
	end_line(as);
	for (size_t i = 0; i <= length; i++)
		text_format(assemble(as, 16), "\"\t.byte 0x%02x\\n\"\n",
			    (unsigned char)string[i]);
}

static void put_strings(struct assembly *as, const char *name,
			const struct site_set *set)
{
	text_put(assemble(as, 20), "\".Lsdt_strings:\\n\"\n");
	for (size_t i = 0; i < set->nprobes; i++)
		put_string(as, set->probes[i].symbol);
	for (size_t i = 0; i < set->nsites; i++)
		if (starts_function(as, set, i)) {
			site_fetch_name(set, i + NAMES_AHEAD);
			put_string(as, set->sites[i].function);
		}
	end_line(as);
	/* The string area always ends in a NUL. */
	text_format(assemble(as, 50 + strlen(name)),
		    "\"\t.byte 0\\n\"\n\".Lsdt_end:\\n\"\n\"%s_end:\\n\"\n",
		    name);
}

static void put_table(FILE *f, const struct object *obj,
		      const struct options *options, const struct site_set *set,
		      const struct layout *layout)
{
	struct assembly as = {
		.text.stream = f,
		.section = SDT_TABLE_SECTION,
		.flags = "a",
		.names_functions = !options->no_function_names,
	};
	const char *name = options->table_name;

	fputs("\n/* The table, sdt_table(5): sections, sites, probes, "
	      "functions, jumps, strings. */\n",
	      f);
	put_header(&as, name, set, layout);
	put_sections(&as, obj, layout);
	put_sites(&as, set, layout);
	put_functions(&as, set, put_probes(&as, obj, set));
	put_jumps(&as, set, layout);
	put_strings(&as, name, set);
	text_format(assemble(&as, 40 + 2 * strlen(name)),
		    "\"\t.size %s, .Lsdt_end - %s\\n\"\n", name, name);
	end_assembly(&as);
}

/* --- The proposal's linker set ----------------------------------------- */

/* The name of the probe's structure: that of the function without __dtrace_. */
static const char *probe_structure(const char *symbol)
{
	return strncmp(symbol, "__dtrace_", 9) == 0 ? symbol + 9 : symbol;
}

static void put_linker_set(FILE *f, const struct object *obj,
			   const struct options *options,
			   const struct site_set *set,
			   const struct layout *layout)
{
	/* Writable: the proposal links its records in a list at run time. */
	struct assembly as = {
		.text.stream = f,
		.section = SDT_LINKER_SET,
		.flags = "aw",
	};
	const char *word = obj->is_64 ? ".quad" : ".long";
	uint64_t base = 0;

	if (options->base != NULL && layout->nbases > 0)
		base = layout->bases[0].value;
	fputs("\n/* {probe, offset of the relocation from the text start} */\n",
	      f);
	text_format(assemble(&as, 20), "\"\t.balign %d\\n\"\n",
		    obj->is_64 ? 8 : 4);
	for (size_t i = 0; i < set->nsites; i++) {
		const struct site *site = &set->sites[i];
		const char *probe =
			probe_structure(set->probes[site->probe].symbol);

		struct text *text = assemble(&as, 40 + strlen(probe));

		text_put(text, "\"\t");
		text_put(text, word);
		text_put(text, " ");
		text_put(text, probe);
		text_put(text, ", ");
		text_hex(text, site->offset + site->field - base);
		text_put(text, "\\n\" /* ");
		text_function(text, site);
	}
	end_assembly(&as);
}

void emit_c(FILE *stream, const struct object *obj,
	    const struct options *options, const struct site_set *set,
	    const struct layout *layout)
{
	fputs("/* Generated by " PACKAGE_STRING ". Do what you like with it: "
	      "no licence of sdtlink covers it. */\n\n",
	      stream);
	put_stubs(stream, options, set);
	switch (options->table) {
	case TABLE_AUTO:
	case TABLE_ANCHORED:
	case TABLE_OFFSETS:
		put_table(stream, obj, options, set, layout);
		break;
	case TABLE_LINKER_SET:
		put_linker_set(stream, obj, options, set, layout);
		break;
	}
}

/* --- The merge script -------------------------------------------------- */

static bool is_merged_text(const char *name)
{
	return strcmp(name, ".text") == 0 || strncmp(name, ".text.", 6) == 0;
}

bool emit_can_keep(const char *glob)
{
	static const char merged[] = ".text.";
	size_t nliteral = strcspn(glob, "*?[\\");
	size_t n = nliteral < strlen(merged) ? nliteral : strlen(merged);

	if (glob[nliteral] != '\0')
		return strncmp(glob, merged, n) != 0;
	return !is_merged_text(glob) ||
	       (glob[n] != '\0' && layout_is_asm_symbol(glob + 1));
}

/* The first rule of a script that matches a section takes it. */
static void put_kept(FILE *f, const struct string_list *globs)
{
	for (size_t i = 0; i < globs->n; i++)
		if (is_merged_text(globs->items[i]))
			fprintf(f, "\t%s 0 : { *(%s) }\n", globs->items[i],
				globs->items[i]);
}

/* NAME as part of a symbol. */
static void put_symbol_part(FILE *f, const char *name)
{
	for (; *name != '\0'; name++)
		fputc(strchr("abcdefghijklmnopqrstuvwxyz"
			     "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
			     *name)
			      ? *name
			      : '_',
		      f);
}

static void put_section_symbol(FILE *f, const char *name)
{
	/* A script cannot quote names: these sections get no symbol. */
	if (!layout_is_asm_symbol(name[0] == '.' ? name + 1 : name))
		return;
	fprintf(f, "\t%s 0 : { sdt_base", name);
	put_symbol_part(f, name);
	fprintf(f, " = .; *(%s) }\n", name);
}

void emit_merge_script(FILE *stream, const struct options *options,
		       const struct object *obj, const struct site_set *set)
{
	fputs("/* For ld -r -T: one .text, so that all its probe sites can be\n"
	      "   measured from one global symbol. .init.text stays apart. */\n"
	      "SECTIONS\n"
	      "{\n",
	      stream);
	put_kept(stream, &options->skip_sections);
	put_kept(stream, &options->refuse_sections);
	fputs("\t.text 0 : { *(.text .text.*) }\n", stream);
	for (size_t i = 0; obj != NULL && i < set->nsites; i++) {
		uint32_t shndx = set->sites[i].shndx;
		const char *name = obj->sections[shndx].name;

		if ((i == 0 || set->sites[i - 1].shndx != shndx) &&
		    !is_merged_text(name))
			put_section_symbol(stream, name);
	}
	fputs("}\n", stream);
}
