/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Part of verify: fills in where a finding is. */
#include <config.h>

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "elf/functions.h"
#include "proof.h"

/* Names a place of the partial, or else one of the final. */
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
		   image_function(&p->run->img, f->address, &sym)) {
		f->function = sym.name;
		f->function_offset = f->address - sym.value;
	}
}

/*
 * Could a missing name be the only reason for this finding? Once that is so for
 * one section, the table cannot be judged as a whole.
 */
static bool may_be_open(const struct verification *v, enum cause cause)
{
	return v->is_nameless &&
	       (cause == CAUSE_UNPLACED || cause == CAUSE_ICF ||
		cause == CAUSE_GC ||
		(cause == CAUSE_TABLE_MISMATCH && v->nopen > 0));
}

void report_finding(struct proof *p, struct finding *finding, const char *fmt,
		    ...)
{
	char text[512];
	va_list ap;

	finding->is_open = may_be_open(p->run->v, finding->cause);
	if (finding->is_open) {
		finding->remedy = REMEDY_DEBUG_FILE;
		p->run->v->nopen++;
	}
	if (p->run->v->is_alone)
		finding->remedy = REMEDY_GIVE_OBJECTS;
	if (p->run->v->nfindings++ >= FINDINGS_MAX)
		return;
	/* Only llvm-bolt makes this section. */
	if (!finding->is_open &&
	    object_find_section(p->run->img.obj, ".note.bolt_info") != 0)
		finding->remedy = REMEDY_BEFORE_BOLT;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	finding->text = text;
	name_place(p, finding);
	finding->advice = remedy_text(finding->remedy, finding->cause,
				      p->run->has_table
					      ? p->run->table.form
					      : p->run->options->table);
	p->run->v->sink(p->run->v->ctx, finding);
}

struct finding report_at_site(const struct proof_site *site, enum cause cause)
{
	return (struct finding){
		.cause = cause,
		.shndx = site->shndx,
		.has_offset = true,
		.offset = site->offset,
		.has_address = site->is_placed,
		.address = site->addr,
	};
}

void report_lost(struct proof *p, const struct proof_site *site, enum lost how)
{
	struct place place =
		object_where(p->partial, site->shndx, site->offset);

	p->index.obj = p->partial;
	functions_index_locate(&p->index, site->shndx, site->offset, &place);
	if (how == LOST_DROPPED)
		diag_report(p->run->d, SEVERITY_NOTE, &place, "dropped", NULL,
			    "the image does not have this site of %s",
			    site->symbol);
	else
		diag_report(p->run->d, SEVERITY_NOTE, &place, "folded", NULL,
			    "this site of %s is one with another",
			    site->symbol);
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

void report_rewritten(struct proof *p, const struct proof_site *site,
		      uint64_t addr)
{
	struct finding f = report_at_site(site, CAUSE_REWRITTEN);
	char before[3 * BYTES_SHOWN + 1], after[3 * BYTES_SHOWN + 1];
	const uint8_t *bytes;
	size_t size;

	f.has_address = true;
	f.address = addr;
	bytes = object_data(p->run->d, p->partial, site->shndx, &size);
	show_bytes(bytes != NULL ? bytes + site->offset : NULL, site->length,
		   before);
	show_bytes(image_bytes(&p->run->img, addr, site->length), site->length,
		   after);
	report_finding(
		p, &f,
		"the %s %s became another instruction: %s in the partial, %s in "
		"the image",
		site->form == FORM_BRANCH ? "NOP of" : "branch to",
		site->symbol, before, after);
}
