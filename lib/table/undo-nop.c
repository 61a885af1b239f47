/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "arch/argument.h"
#include "base/table-format.h"
#include "base/search.h"
#include "elf/check.h"
#include "elf/edit.h"
#include "elf/names.h"
#include "elf/packed.h"
#include "elf/section-relocs.h"
#include "undo-nop.h"

struct restorer {
	struct diag *d;
	const struct object *obj;
	struct names names;
	uint8_t *bytes; /* of the whole file, as it becomes */
	size_t size;
};

/* A relocation that --nop changed, with its old contents. */
struct before {
	uint32_t shndx;
	uint64_t offset; /* of the site in that section */
	uint64_t addend;
	uint32_t type;
	unsigned field, length;
	const uint8_t *bytes;
};

/* The name of the probe function whose descriptor is SYMBOL, or NULL. */
static const char *described(const char *symbol)
{
	static const char *const prefixes[] = { SDT_PROBE_SYMBOL,
						SDT_NOP_PROBE_SYMBOL };

	for (size_t i = 0; i < 2; i++)
		if (strncmp(symbol, prefixes[i], strlen(prefixes[i])) == 0)
			return symbol + strlen(prefixes[i]);
	return NULL;
}

/* The index of the global symbol NAME, which --nop leaves defined, or 0. */
static uint32_t find_symbol(const struct restorer *rs, const char *name)
{
	uint32_t symndx = 0;
	struct symbol sym;

	while (names_next(&rs->names, name, &symndx, &sym))
		if (sym.bind != STB_LOCAL)
			return symndx;
	return 0;
}

/* --- One site ----------------------------------------------------------- */

/* Gives relocation IDX of section RELSEC its old contents. */
static void put_reloc(struct restorer *rs, uint32_t relsec, size_t idx,
		      uint32_t symndx, const struct before *before)
{
	const struct object *obj = rs->obj;
	const struct section *sec = &obj->sections[relsec];
	uint8_t *entry = rs->bytes + sec->offset + idx * sec->entsize;
	unsigned word = obj->is_64 ? 8 : 4;
	uint64_t info = obj->is_64 ? edit_reloc_info(obj, symndx, before->type)
				   : ELF32_R_INFO(symndx, before->type);

	object_put(obj, entry + word, info, word);
	if (sec->type == SHT_RELA)
		object_put(obj, entry + 2 * word, before->addend, word);
}

/* The first of RELOCS at OFFSET or behind it. */
static size_t find_reloc(const struct relocs *relocs, bool is_sorted,
			 uint64_t offset)
{
	struct reloc r;
	size_t i = 0;

	if (is_sorted)
		LOWER_BOUND(i, relocs->n,
			    (reloc_get(relocs, i, &r), r.offset < offset));
	return i;
}

/* Finds the relocation that --nop changed, and restores it. */
static bool restore_reloc(struct restorer *rs, uint32_t relsec,
			  const struct before *before)
{
	const struct section *sec = &rs->obj->sections[relsec];
	uint64_t offset = before->offset + before->field;
	struct relocs relocs;

	if (sec->type == SECTION_CREL ||
	    object_relocs(rs->d, rs->obj, relsec, &relocs))
		return false;
	for (size_t i = find_reloc(&relocs, sec->is_sorted, offset);
	     i < relocs.n; i++) {
		const char *name;
		struct symbol sym;
		struct reloc r;
		uint32_t symndx;

		reloc_get(&relocs, i, &r);
		if (sec->is_sorted && r.offset > offset)
			return false;
		if (r.offset != offset || r.type != rs->obj->arch->reloc_none)
			continue;
		object_symbol(rs->obj, r.symndx, &sym);
		name = described(sym.name);
		symndx = name != NULL ? find_symbol(rs, name) : 0;
		if (symndx == 0)
			continue;
		put_reloc(rs, relsec, i, symndx, before);
		return true;
	}
	return false;
}

static bool restore_site(struct restorer *rs, const struct before *before)
{
	const struct section *sec = &rs->obj->sections[before->shndx];

	if (!section_is_text(sec) || before->offset > sec->size ||
	    before->length > sec->size - before->offset ||
	    before->length > DISABLED_MAX || before->field >= DISABLED_MAX)
		return false;
	memcpy(rs->bytes + sec->offset + before->offset, before->bytes,
	       before->length);
	for (uint32_t relsec = sec->first_relsec; relsec != 0;
	     relsec = rs->obj->sections[relsec].next_relsec)
		if (restore_reloc(rs, relsec, before))
			return true;
	return false;
}

/* --- Records ------------------------------------------------------------ */

/* Reads the record at P. Relocation R says where its site is. */
static bool read_record(const struct restorer *rs, const uint8_t *data,
			size_t size, bool is_rela, size_t i,
			const struct reloc *r, struct before *before)
{
	const struct object *obj = rs->obj;
	const uint8_t *p = data + i * SDT_BEFORE_SIZE;
	struct symbol sym;

	if (r->offset != i * SDT_BEFORE_SIZE ||
	    r->type != obj->arch->reloc_word)
		return false;
	object_symbol(obj, r->symndx, &sym);
	*before = (struct before){
		.shndx = sym.shndx,
		.offset = object_wrap(
			obj, sym.value + arch_reloc_addend(obj->arch, data,
							   size, is_rela, r)),
		.addend = object_xword(obj, p + SDT_BEFORE_ADDEND),
		.type = object_word(obj, p + SDT_BEFORE_TYPE),
		.field = p[SDT_BEFORE_FIELD],
		.length = p[SDT_BEFORE_LENGTH],
		.bytes = p + SDT_BEFORE_BYTES,
	};
	return sym.is_defined;
}

/* Reads section SHNDX, which PACKED keeps if it is compressed. */
static const uint8_t *read_section(const struct restorer *rs, uint32_t shndx,
				   struct packed *packed, size_t *size)
{
	const uint8_t *data;

	if (packed_read(rs->d, rs->obj, shndx, packed, &data, size))
		return NULL;
	if (data == NULL)
		diag_report(rs->d, SEVERITY_TROUBLE,
			    &(struct place){ .file = rs->obj->path },
			    "no-records",
			    "use objcopy --decompress-debug-sections",
			    "the section %s is compressed", SDT_BEFORE_SECTION);
	return data;
}

/*
 * Sets *FITS to false if the records of section SHNDX do not match the object.
 */
static int restore_section(struct restorer *rs, uint32_t shndx, bool *fits)
{
	struct packed packed = { 0 };
	struct section_relocs relocs;
	size_t size, n;
	const uint8_t *data = read_section(rs, shndx, &packed, &size);
	int ret = -1;

	if (section_relocs_read(rs->d, rs->obj, shndx, &relocs) || data == NULL)
		goto done;
	ret = 0;
	n = size / SDT_BEFORE_SIZE;
	*fits &= size % SDT_BEFORE_SIZE == 0 && relocs.n == n;
	for (size_t i = 0; *fits && i < n; i++) {
		struct before before;

		*fits = read_record(rs, data, size, relocs.is_rela, i,
				    &relocs.relocs[i], &before) &&
			restore_site(rs, &before);
	}
done:
	packed_free(&packed);
	section_relocs_free(&relocs);
	return ret;
}

/* --- The object --------------------------------------------------------- */

static bool is_records(const struct section *sec)
{
	return sec->type == SHT_PROGBITS && !section_is_alloc(sec) &&
	       strcmp(sec->name, SDT_BEFORE_SECTION) == 0;
}

static bool has_records(const struct object *obj)
{
	for (size_t i = 1; i < obj->nsections; i++)
		if (is_records(&obj->sections[i]))
			return true;
	return false;
}

/* Is SYM a stub? A stub is defined, in a group with its descriptor. */
static bool is_stub(const struct object *obj, const struct symbol *sym)
{
	uint32_t group = obj->sections[sym->shndx].group;
	struct symbol signature;
	const char *name;

	if (group == 0 || sym->bind != STB_WEAK)
		return false;
	object_symbol(obj, obj->sections[group].info, &signature);
	name = described(signature.name);
	return name != NULL && strcmp(name, sym->name) == 0;
}

/* Nothing defines probe functions before. */
static void restore_symbols(struct restorer *rs)
{
	const struct object *obj = rs->obj;
	const struct section *sec = &obj->sections[obj->symtab];

	for (size_t i = 1; i < obj->nsymbols; i++) {
		uint8_t *entry = rs->bytes + sec->offset + i * sec->entsize;
		struct symbol sym;

		object_symbol(obj, i, &sym);
		if (!sym.is_defined || !is_stub(obj, &sym))
			continue;
		memset(entry + 4, 0, sec->entsize - 4);
		entry[obj->is_64 ? 4 : 12] =
			ELF64_ST_INFO(STB_GLOBAL, STT_NOTYPE);
	}
}

/* Sets RS->bytes to the restored object, or to NULL if records do not match. */
static int make_bytes(struct restorer *rs)
{
	const uint8_t *file = object_file(rs->obj, &rs->size);
	bool fits = true;

	rs->bytes = malloc(rs->size);
	if (file == NULL || rs->bytes == NULL)
		return diag_nomem(rs->d, rs->obj->path);
	memcpy(rs->bytes, file, rs->size);
	for (size_t i = 1; fits && i < rs->obj->nsections; i++)
		if (is_records(&rs->obj->sections[i]) &&
		    restore_section(rs, i, &fits))
			return -1;
	if (!object_is_unchanged(rs->obj))
		return object_report_change(rs->d, rs->obj);
	restore_symbols(rs);
	if (!fits) {
		free(rs->bytes);
		rs->bytes = NULL;
	}
	return 0;
}

/* Makes OBJ the object in BYTES instead of the file. */
static int exchange(struct diag *d, struct object *obj, uint8_t *bytes,
		    size_t size)
{
	struct object before = *obj;

	object_close(obj);
	if (object_open_owned(d, before.path, bytes, size, obj) ||
	    check_object(d, obj, OBJECT_PARTIAL))
		return -1;
	obj->device = before.device;
	obj->inode = before.inode;
	obj->is_restored = true;
	return 0;
}

int undo_nop(struct diag *d, struct object *obj)
{
	struct restorer rs = { .d = d, .obj = obj };
	int ret = -1;

	if (!has_records(obj))
		return 0;
	if (names_build(d, obj, &rs.names) == 0 && make_bytes(&rs) == 0)
		ret = 0;
	names_free(&rs.names);
	if (ret == 0 && rs.bytes != NULL)
		return exchange(d, obj, rs.bytes, rs.size);
	free(rs.bytes);
	return ret;
}
