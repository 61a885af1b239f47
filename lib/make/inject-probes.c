/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Part of inject_plan: descriptors and stubs of probes. */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "base/table-format.h"
#include "injection.h"

/*
 * Adds a global symbol like SYM with that name. Its index is NO_EDIT on
 * trouble.
 */
static struct symbol_ref add_global(struct injection *in, const char *prefix,
				    const char *rest,
				    const struct new_symbol *sym)
{
	char *name = malloc(strlen(prefix) + strlen(rest) + 1);
	struct symbol_ref ref = { SYMBOL_NEW_GLOBAL, NO_EDIT };
	struct new_symbol named = *sym;

	if (name == NULL)
		return ref;
	strcpy(name, prefix);
	strcat(name, rest);
	named.name = name;
	ref.idx = edit_add_global(in->edit, &named);
	free(name);
	return ref;
}

/* The object's symbol PREFIX NAME, or 0. */
static uint32_t find_symbol(const struct injection *in, const char *prefix,
			    const char *name)
{
	size_t length = strlen(prefix);

	for (size_t i = 1; i < in->obj->nsymbols; i++) {
		struct symbol sym;

		object_symbol(in->obj, i, &sym);
		if (sym.bind != STB_LOCAL &&
		    strncmp(sym.name, prefix, length) == 0 &&
		    strcmp(sym.name + length, name) == 0)
			return i;
	}
	return 0;
}

/* Chooses the symbol for references to the code of probe I. */
static int choose_code(struct injection *in, size_t i)
{
	const struct probe *probe = &in->set->probes[i];
	const char *prefix = scan_probe_prefix(in->obj, probe);
	struct new_symbol sym = { .bind = STB_GLOBAL, .type = STT_NOTYPE };
	uint32_t symndx = in->probe_symbols[i];

	if (prefix[0] != '\0')
		symndx = find_symbol(in, prefix, probe->symbol);
	in->codes[i] = symndx != 0
			       ? (struct symbol_ref){ SYMBOL_OLD, symndx }
			       : add_global(in, prefix, probe->symbol, &sym);
	return in->codes[i].idx != NO_EDIT ? 0 : inject_nomem(in);
}

/*
 * Adds a COMDAT group for probe I, and its signature symbol. Returns its index.
 * A linker replaces one group by another of the same name. So groups with a
 * stub have other names than those without.
 */
static uint32_t add_group(struct injection *in, size_t i, bool has_stub)
{
	struct new_symbol signature = {
		.bind = STB_GLOBAL,
		.type = STT_OBJECT,
		.visibility = STV_HIDDEN,
	};
	struct symbol_ref global = add_global(
		in, has_stub ? SDT_PROBE_SYMBOL : SDT_NOP_PROBE_SYMBOL,
		in->set->probes[i].symbol, &signature);

	if (global.idx == NO_EDIT)
		return NO_EDIT;
	in->descriptors[i] = global.idx;
	return edit_add_section(in->edit, &(struct new_section){
						  .name = (char *)".group",
						  .type = SHT_GROUP,
						  .link = in->obj->symtab,
						  .signature = global,
						  .align = 4,
						  .entsize = 4,
					  });
}

static int add_descriptor(struct injection *in, size_t i, uint32_t group,
			  bool has_stub)
{
	const struct probe *probe = &in->set->probes[i];
	size_t size = SDT_PROBE_NAME + strlen(probe->symbol) + 1;
	uint8_t *data = calloc(1, size + DESCRIPTOR_ALIGN);
	struct new_symbol *global = &in->edit->globals[in->descriptors[i]];
	struct new_section sec = {
		.name = (char *)SDT_PROBES_SECTION,
		.type = SHT_PROGBITS,
		.flags = SHF_ALLOC | SHF_GROUP,
		.align = DESCRIPTOR_ALIGN,
		.group = group,
	};
	struct new_reloc stub = {
		.offset = 4,
		.symbol = in->codes[i],
		.type = in->obj->arch->reloc_pc32,
	};
	/* For --gc-sections: the stub stays if the probe stays. */
	struct new_reloc none = {
		.offset = 4,
		.symbol = { SYMBOL_OLD, in->probe_symbols[i] },
		.type = in->obj->arch->reloc_none,
	};
	uint32_t shndx;

	if (data == NULL)
		return inject_nomem(in);
	size = (size + DESCRIPTOR_ALIGN - 1) / DESCRIPTOR_ALIGN *
	       DESCRIPTOR_ALIGN;
	object_put(in->obj, data, SDT_PROBE_MAGIC, 4);
	object_put(in->obj, data + 8, probe->prefix, 4);
	strcpy((char *)data + SDT_PROBE_NAME, probe->symbol);
	sec.data = data;
	sec.size = size;
	shndx = edit_add_section(in->edit, &sec);
	free(data);
	if (shndx == NO_EDIT ||
	    (has_stub && edit_add_reloc(in->edit, shndx, &stub)) ||
	    (!has_stub && !in->is_module &&
	     edit_add_reloc(in->edit, shndx, &none)))
		return inject_nomem(in);
	global->shndx = shndx;
	global->size = size;
	return 0;
}

/* Makes the bytes of each stub different, so that none are folded. */
uint32_t inject_hash(const char *name)
{
	uint32_t h = 2166136261u;

	for (; *name != '\0'; name++)
		h = (h ^ (unsigned char)*name) * 16777619u;
	return h;
}

/* Marks the mode of the new code in section SHNDX for linkers and debuggers. */
static int add_mapping(struct injection *in, uint32_t shndx, uint8_t mode)
{
	const struct arch *arch = in->obj->arch;
	struct new_symbol sym = {
		.shndx = shndx,
		.bind = STB_LOCAL,
		.type = STT_NOTYPE,
	};

	if (arch->mapping_name == NULL)
		return 0;
	sym.name = (char *)arch->mapping_name(mode);
	return edit_add_local(in->edit, &sym) == NO_EDIT ? -1 : 0;
}

/* Of function descriptors: three words. */
#define OPD_ALIGN 8

/* Finds the section of function descriptors, or adds one. */
static uint32_t find_opd(struct injection *in)
{
	if (in->opd == 0)
		in->opd = descriptors_section(in->obj);
	if (in->opd == 0)
		in->opd = edit_add_section(
			in->edit,
			&(struct new_section){
				.name = (char *)in->obj->arch->descriptors
						->section,
				.type = SHT_PROGBITS,
				.flags = SHF_ALLOC | SHF_WRITE,
				.align = OPD_ALIGN,
			});
	return in->opd;
}

/*
 * Adds a descriptor for the code of SYM, and makes SYM the symbol of the
 * descriptor. The descriptor is not in the group: linkers know one section of
 * descriptors for each object, as compilers make it. The code gets a symbol of
 * its own, the same in all members.
 */
static int describe_function(struct injection *in, const char *name,
			     struct new_symbol *sym)
{
	const struct descriptor_desc *desc = in->obj->arch->descriptors;
	struct new_symbol code = *sym;
	struct new_reloc reloc = { .type = desc->reloc_code };
	uint64_t offset;

	/* Weak: groups of both kinds define it. */
	code.bind = STB_WEAK;
	code.type = STT_NOTYPE;
	reloc.symbol = add_global(in, "__sdt_stub_", name, &code);
	if (reloc.symbol.idx == NO_EDIT || find_opd(in) == NO_EDIT ||
	    edit_grow_section(in->edit, in->opd, OPD_ALIGN, desc->size,
			      &offset) == NULL)
		return -1;
	reloc.offset = offset;
	if (edit_add_reloc(in->edit, in->opd, &reloc))
		return -1;
	sym->shndx = in->opd;
	sym->value = offset;
	reloc = (struct new_reloc){ .offset = offset + 8,
				    .type = desc->reloc_toc };
	return edit_add_reloc(in->edit, in->opd, &reloc);
}

/*
 * Adds a stub for probe I. A probe whose sites are all NOPs gets one, too. Then
 * the probe function of another object's call is always defined, and verify
 * sees each branch to it.
 */
static int add_stub(struct injection *in, size_t i, uint32_t group)
{
	const struct probe *probe = &in->set->probes[i];
	const struct arch *arch = in->obj->arch;
	uint8_t data[ARCH_STUB_MAX];
	struct new_section sec = {
		.name = (char *)STUB_SECTION,
		.type = SHT_PROGBITS,
		.flags = SHF_ALLOC | SHF_EXECINSTR | SHF_GROUP,
		.align = in->stub_align,
		.group = group,
		.data = data,
		.size = arch->make_stub(arch, in->modes[i],
					probe->use == PROBE_ENABLED,
					inject_hash(probe->symbol), data),
	};
	struct symbol_change change = { .symndx = in->probe_symbols[i] };
	uint32_t shndx;

	shndx = edit_add_section(in->edit, &sec);
	in->stubs[i] = shndx;
	/* Weak: another object may define the probe function. */
	change.to = (struct new_symbol){
		.value = in->modes[i],
		.shndx = shndx,
		.size = sec.size,
		.bind = STB_WEAK,
		.type = STT_FUNC,
		.visibility = STV_HIDDEN,
	};
	if (shndx != NO_EDIT && arch->descriptors != NULL &&
	    describe_function(in, probe->symbol, &change.to))
		return inject_nomem(in);
	if (shndx == NO_EDIT || edit_change_symbol(in->edit, &change) ||
	    add_mapping(in, shndx, in->modes[i]))
		return inject_nomem(in);
	return 0;
}

/* Linkers report this, too, but do not say what to do. */
static void note_visible(const struct injection *in, size_t i)
{
	struct symbol sym;

	object_symbol(in->obj, in->probe_symbols[i], &sym);
	if (sym.bind == STB_LOCAL || sym.visibility != STV_DEFAULT)
		return;
	diag_report(in->d, SEVERITY_NOTE,
		    &(struct place){ .file = in->obj->path }, "visible-stub",
		    "for a shared object make it hidden, or link with "
		    "-Bsymbolic",
		    "defines %s, which is not hidden", sym.name);
}

int inject_add_probe(struct injection *in, size_t i)
{
	const struct probe *probe = &in->set->probes[i];
	bool has_stub = in->needs_stub[i] || probe->is_defined;
	uint32_t group = add_group(in, i, has_stub);

	if (group == NO_EDIT)
		return inject_nomem(in);
	if (has_stub && choose_code(in, i))
		return -1;
	if (add_descriptor(in, i, group, has_stub))
		return -1;
	if (probe->is_defined) {
		note_visible(in, i);
		return 0;
	}
	return add_stub(in, i, group);
}
