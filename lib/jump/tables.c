/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Data about code: tables by which something changes instructions, or continues
 * elsewhere; and addresses of code anywhere.
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "check.h"

/*
 * Tables of the kernel and of compilers. Their entries contain distances of
 * four bytes from themselves, or addresses, and perhaps other data. Each word
 * of either kind that leads to code counts.
 */
static const char *const tables[] = {
	"__ex_table",		"__jump_table",
	"__bug_table",		"__mcount_loc",
	".static_call_sites",	"__patchable_function_entries",
	".smp_locks",		".retpoline_sites",
	".return_sites",	".call_sites",
	".cfi_sites",		".ibt_endbr_seal",
	".kcfi_traps",		"xray_instr_map",
	".alt.smp.init",	".pv_table",
	"__dbe_table",		".nospec_call_table",
	".nospec_return_table",
};

/* Tables that describe code. Nothing is done by them where it runs. */
static const char *const descriptions[] = {
	".eh_frame",   ".eh_frame_hdr", ".orc_unwind", ".orc_unwind_ip",
	".sframe",     ".interp",	".dynsym",     ".dynstr",
	".gnu.hash",   ".hash",		".symtab",     ".modinfo",
	"__versions",  "sdt_functions", "sdt_sites",   "sdt_probes",
	".orc_header",
};

static bool is_one_of(const char *name, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

#define IS_ONE_OF(name, names) \
	is_one_of(name, names, sizeof(names) / sizeof((names)[0]))

static bool is_blacklist(const char *name)
{
	return strcmp(name, "_kprobe_blacklist") == 0;
}

static bool has_intervals(const char *name)
{
	return strcmp(name, ".altinstructions") == 0 ||
	       strcmp(name, ".parainstructions") == 0;
}

/* --- Marks ---------------------------------------------------------------- */

int jump_check_mark(struct diag *d, struct jump_check *check, uint64_t start,
		    uint64_t length, const char *table)
{
	size_t n = check->nmarks;
	struct jump_mark *marks = check->marks;

	if (jump_map_find_text(&check->map, start) == NULL)
		return 0;
	if ((n & (n + 1)) == 0) {
		marks = realloc(marks, (n + 1) * 2 * sizeof(marks[0]));
		if (marks == NULL)
			return diag_nomem(d, check->map.obj->path);
		check->marks = marks;
	}
	marks[check->nmarks++] =
		(struct jump_mark){ start, start + length, table, 0 };
	if (length > check->longest_mark)
		check->longest_mark = length;
	return 0;
}

int jump_check_mark_run(struct diag *d, struct jump_check *check, uint64_t addr,
			uint64_t source)
{
	size_t n = check->nmarks;

	if (jump_check_mark(d, check, addr, 1, NULL))
		return -1;
	if (check->nmarks > n)
		check->marks[n].source = source;
	return 0;
}

static int compare_marks(const void *a, const void *b)
{
	const struct jump_mark *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

/* The word at AT of JS, read as a distance from itself. */
static uint64_t relative(const struct jump_check *check,
			 const struct jump_section *js, uint64_t at)
{
	return object_relative(check->map.obj, js->code.bytes + at,
			       js->code.addr + at);
}

/* The value that the loader makes, without the load address. */
static uint64_t loaded(const struct image *img, const struct image_reloc *r)
{
	return (r->is_known ? r->value : 0) + image_addend(img, r);
}

bool jump_check_word(const struct jump_check *check,
		     const struct jump_section *js, uint64_t at, uint64_t *addr)
{
	const struct object *obj = check->map.obj;
	unsigned size = obj->is_64 ? 8 : 4;
	const struct image_reloc *r;

	if (js->code.size - at < size)
		return false;
	*addr = object_address(obj, js->code.bytes + at);
	r = obj->ehdr.e_type == ET_REL
		    ? NULL
		    : image_find_reloc(&check->map.img, js->code.addr + at);
	if (r != NULL)
		*addr = loaded(&check->map.img, r);
	return true;
}

static int mark_words(struct diag *d, struct jump_check *check,
		      const struct jump_section *js)
{
	for (uint64_t at = 0; js->code.size - at >= 4; at += 4) {
		uint64_t addr;

		if (jump_check_mark(d, check, relative(check, js, at), 1,
				    js->name))
			return -1;
		if (jump_check_word(check, js, at, &addr) &&
		    jump_check_mark(d, check, addr, 1, js->name))
			return -1;
	}
	return 0;
}

static void mark_functions(struct jump_check *check,
			   const struct jump_section *js)
{
	for (uint64_t at = 0; js->code.size - at >= 4; at += 4) {
		uint64_t addr;
		const struct jump_function *f;

		if (!jump_check_word(check, js, at, &addr))
			continue;
		f = jump_check_function(check, addr);
		if (f != NULL)
			((struct jump_function *)f)->is_blacklisted = true;
	}
}

/* --- Instructions that are replaced by others ----------------------------- */

/*
 * struct alt_instr of Linux: distances to the instruction and to its
 * replacement, then numbers that say when, then their lengths. The kernel has
 * had the first three layouts on x86, the first one on AArch64, LoongArch and
 * s390x, the next two on s390x, where both lengths are one, and the last one on
 * RISC-V.
 */
static const struct layout {
	unsigned size, length_at, length_size;
	bool has_two;	/* the replacement's length is behind that of the
			 * instruction */
	bool is_within; /* the other is not longer */
} layouts[] = {
	{ 12, 10, 1, true, true },  { 13, 10, 1, true, false },
	{ 14, 12, 1, true, true },  { 11, 10, 1, false, true },
	{ 13, 12, 1, false, true }, { 16, 10, 2, false, true },
};

static unsigned alternative_length(const struct jump_section *js, uint64_t at,
				   const struct layout *layout)
{
	const uint8_t *p = js->code.bytes + at + layout->length_at;

	/* Lengths of two bytes are only on little-endian machines. */
	return layout->length_size == 1 ? p[0] : p[0] | p[1] << 8;
}

static bool is_alternative(const struct jump_check *check,
			   const struct jump_section *js, uint64_t at,
			   const struct layout *layout)
{
	unsigned length, other;

	if (js->code.size - at < layout->size ||
	    jump_map_find_text(&check->map, relative(check, js, at)) == NULL)
		return false;
	length = alternative_length(js, at, layout);
	other = layout->has_two ? js->code.bytes[at + layout->length_at + 1]
				: length;
	return (!layout->is_within || other <= length) &&
	       (other == 0 ||
		jump_map_find_text(&check->map, relative(check, js, at + 4)) !=
			NULL);
}

/*
 * The first entry at or behind AT. Linkers may have put zeros before it for
 * alignment. The section's size if there is none. UINT64_MAX if LAYOUT is
 * wrong.
 */
static uint64_t next_alternative(const struct jump_check *check,
				 const struct jump_section *js, uint64_t at,
				 const struct layout *layout)
{
	while (at < js->code.size && !is_alternative(check, js, at, layout)) {
		if (js->code.bytes[at] != 0)
			return UINT64_MAX;
		at++;
	}
	return at;
}

static bool is_layout(const struct jump_check *check,
		      const struct jump_section *js,
		      const struct layout *layout)
{
	uint64_t at = next_alternative(check, js, 0, layout);

	while (at < js->code.size)
		at = next_alternative(check, js, at + layout->size, layout);
	return at == js->code.size;
}

static int cannot_read(struct diag *d, const struct jump_check *check,
		       const struct jump_section *js)
{
	return diag_report(d, SEVERITY_TROUBLE,
			   &(struct place){ .file = check->map.obj->path,
					    .section = js->name },
			   "malformed", NULL,
			   "its entries are of no known form, and show where "
			   "no jump can be");
}

static int mark_layout(struct diag *d, struct jump_check *check,
		       const struct jump_section *js,
		       const struct layout *layout)
{
	for (uint64_t at = next_alternative(check, js, 0, layout);
	     at < js->code.size;
	     at = next_alternative(check, js, at + layout->size, layout))
		if (jump_check_mark(d, check, relative(check, js, at),
				    alternative_length(js, at, layout),
				    js->name))
			return -1;
	return 0;
}

/* If several layouts fit, all of them count. */
static int mark_alternatives(struct diag *d, struct jump_check *check,
			     const struct jump_section *js)
{
	bool is_known = false;

	for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++) {
		if (!is_layout(check, js, &layouts[i]))
			continue;
		is_known = true;
		if (mark_layout(d, check, js, &layouts[i]))
			return -1;
	}
	return is_known ? 0 : cannot_read(d, check, js);
}

/* struct paravirt_patch_site: address, type, length, padded to a word. */
static int mark_paravirt(struct diag *d, struct jump_check *check,
			 const struct jump_section *js)
{
	unsigned word = check->map.obj->is_64 ? 8 : 4;

	if (js->code.size % (2 * word) != 0)
		return cannot_read(d, check, js);
	for (uint64_t at = 0; at < js->code.size; at += 2 * word) {
		uint64_t addr;

		if (jump_check_word(check, js, at, &addr) &&
		    jump_check_mark(d, check, addr,
				    js->code.bytes[at + word + 1], js->name))
			return -1;
	}
	return 0;
}

static int mark_intervals(struct diag *d, struct jump_check *check,
			  const struct jump_section *js)
{
	return js->name[1] == 'a' ? mark_alternatives(d, check, js)
				  : mark_paravirt(d, check, js);
}

/*
 * SPARC has tables of instructions that are patched at boot: an address of 32
 * bits, and the new instructions.
 */
static bool is_sparc_patch(const struct jump_check *check, const char *name)
{
	size_t n = strlen(name);

	return check->isa->has_patches && n > 6 &&
	       strcmp(name + n - 6, "_patch") == 0;
}

#define PATCH_LENGTH 24 /* size of the longest of them: popc_6insn_patch */

static int mark_patches(struct diag *d, struct jump_check *check,
			const struct jump_section *js)
{
	for (uint64_t at = 0; js->code.size - at >= 4; at += 4)
		if (jump_check_mark(
			    d, check,
			    object_word(check->map.obj, js->code.bytes + at),
			    PATCH_LENGTH, js->name))
			return -1;
	return 0;
}

/* --- Restartable sequences ------------------------------------------------ */

#define RSEQ_SIZE 32
#define RSEQ_SIGNATURE 4

/* Reads an address, in a field of eight bytes at AT of JS. */
static bool rseq_address(const struct jump_check *check,
			 const struct jump_section *js, uint64_t at,
			 uint64_t *addr)
{
	const struct object *obj = check->map.obj;

	at += !obj->is_64 && obj->arch->is_big_endian ? 4 : 0;
	return jump_check_word(check, js, at, addr);
}

/*
 * The end of the sequence at START of the record at AT: it has a length. Where
 * a linker has yet to compute that, all that follows in the function counts.
 */
static uint64_t rseq_end(const struct jump_check *check,
			 const struct jump_section *js, uint64_t at,
			 uint64_t start)
{
	const struct jump_section *text =
		jump_map_find_text(&check->map, start);
	const struct jump_function *f = jump_check_function(check, start);
	uint64_t end = f != NULL      ? f->end
		       : text != NULL ? text->code.addr + text->code.size
				      : start;
	uint64_t length;

	at += 16 +
	      (!check->map.obj->is_64 && check->map.obj->arch->is_big_endian
		       ? 4
		       : 0);
	length = object_address(check->map.obj, js->code.bytes + at);
	return length > 0 && length < end - start ? start + length : end;
}

/*
 * struct rseq_cs of Linux: version and flags, the start and the length of a
 * sequence, and where the kernel continues if it has interrupted that. It knows
 * by its address that a thread is in there, which a copy elsewhere is not. And
 * it looks for a signature before the last address.
 */
static int mark_rseq(struct diag *d, struct jump_check *check,
		     const struct jump_section *js, uint64_t at,
		     const char *table)
{
	uint64_t start, abort;

	if (!rseq_address(check, js, at + 8, &start) ||
	    !rseq_address(check, js, at + 24, &abort))
		return 0;
	return jump_check_mark(d, check, start,
			       rseq_end(check, js, at, start) - start, table) ||
			       jump_check_mark(d, check, abort - RSEQ_SIGNATURE,
					       RSEQ_SIGNATURE, table)
		       ? -1
		       : 0;
}

static int mark_rseqs(struct diag *d, struct jump_check *check,
		      const struct jump_section *js)
{
	if (js->code.size % RSEQ_SIZE != 0)
		return cannot_read(d, check, js);
	for (uint64_t at = 0; at < js->code.size; at += RSEQ_SIZE)
		if (mark_rseq(d, check, js, at, js->name))
			return -1;
	return 0;
}

/* Addresses of such records, which may be anywhere. */
static int mark_rseq_pointers(struct diag *d, struct jump_check *check,
			      const struct jump_section *js)
{
	unsigned word = check->map.obj->is_64 ? 8 : 4;

	for (uint64_t at = 0; js->code.size - at >= word; at += word) {
		const struct jump_section *data;
		uint64_t addr;

		if (!jump_check_word(check, js, at, &addr))
			continue;
		data = jump_map_find(&check->map, addr);
		if (data != NULL &&
		    data->code.size - (addr - data->code.addr) >= RSEQ_SIZE &&
		    mark_rseq(d, check, data, addr - data->code.addr, js->name))
			return -1;
	}
	return 0;
}

/* --- What a linker may take away ------------------------------------------ */

/*
 * The number of bytes that a relocation allows the linker to delete: two
 * instructions, or NOPs. For those, the psABIs of RISC-V and LoongArch have the
 * number as addend, or the logarithm of the alignment beside a symbol.
 */
static uint64_t relaxed_length(const struct object *obj, const struct reloc *r)
{
	const char *name = arch_reloc_name(obj->arch, r->type);

	if (strstr(name, "ALIGN") == NULL)
		return 8;
	return r->symndx == 0 ? (uint64_t)r->addend & 0xffff
			      : UINT64_C(1) << (r->addend & 15);
}

/* In a partial: a later link may delete the instruction. */
static int mark_relaxed(struct diag *d, struct jump_check *check,
			const struct jump_section *js, uint32_t shndx)
{
	const struct object *obj = check->map.obj;
	struct relocs relocs;

	if (object_relocs(d, obj, shndx, &relocs))
		return -1;
	for (size_t i = 0; i < relocs.n; i++) {
		struct reloc r;

		reloc_get(&relocs, i, &r);
		/* Of an unknown one, nobody knows. */
		if ((!arch_reloc_is_known(obj->arch, r.type) ||
		     obj->arch->relocs[r.type].relaxes) &&
		    jump_check_mark(d, check, js->code.addr + r.offset,
				    relaxed_length(obj, &r),
				    obj->sections[shndx].name))
			return -1;
	}
	return 0;
}

static int mark_relocs(struct diag *d, struct jump_check *check,
		       const struct jump_section *js)
{
	const struct object *obj = check->map.obj;

	if (obj->ehdr.e_type != ET_REL)
		return 0;
	for (uint32_t shndx = obj->sections[js->shndx].first_relsec; shndx != 0;
	     shndx = obj->sections[shndx].next_relsec)
		if (mark_relaxed(d, check, js, shndx))
			return -1;
	return 0;
}

/* Power has tables for features: "__ftr_fixup" and others. */
static bool is_power_fixup(const struct jump_check *check, const char *name)
{
	size_t n = strlen(name);

	return check->isa->has_fixups && n > 6 &&
	       strcmp(name + n - 6, "_fixup") == 0;
}

/* Reads the long at AT of JS as a distance from FROM. */
static uint64_t long_from(const struct jump_check *check,
			  const struct jump_section *js, uint64_t at,
			  uint64_t from)
{
	return object_wrap(
		check->map.obj,
		js->code.addr + from +
			object_address(check->map.obj, js->code.bytes + at));
}

/*
 * struct fixup_entry of Linux, of six longs: a mask and its value, then
 * distances from the entry to the start and end of the code, and of its
 * replacement.
 */
static int mark_features(struct diag *d, struct jump_check *check,
			 const struct jump_section *js)
{
	unsigned word = check->map.obj->is_64 ? 8 : 4;

	if (js->code.size % (6 * word) != 0)
		return cannot_read(d, check, js);
	for (uint64_t at = 0; at < js->code.size; at += 6 * word) {
		uint64_t start = long_from(check, js, at + 2 * word, at);
		uint64_t end = long_from(check, js, at + 3 * word, at);
		const struct jump_section *text =
			jump_map_find_text(&check->map, start);

		if (text == NULL || end < start ||
		    end - start > text->code.size - (start - text->code.addr))
			return cannot_read(d, check, js);
		if (jump_check_mark(d, check, start, end - start, js->name))
			return -1;
	}
	return 0;
}

/*
 * Entries do not say how many instructions are changed. Some change several in
 * a row.
 */
#define FIXUP_LENGTH 64

/*
 * The other tables: a long for each entry, the distance from itself to the
 * code.
 */
static int mark_fixups(struct diag *d, struct jump_check *check,
		       const struct jump_section *js)
{
	unsigned word = check->map.obj->is_64 ? 8 : 4;

	if (strstr(js->name, "ftr_fixup") != NULL)
		return mark_features(d, check, js);
	if (js->code.size % word != 0)
		return cannot_read(d, check, js);
	for (uint64_t at = 0; at < js->code.size; at += word) {
		uint64_t start = long_from(check, js, at, at);

		if (jump_map_find_text(&check->map, start) == NULL)
			return cannot_read(d, check, js);
		if (jump_check_mark(d, check, start, FIXUP_LENGTH, js->name))
			return -1;
	}
	return 0;
}

/* --- What a linker script has merged into other sections ------------------ */

/*
 * Sets *START and *END to the addresses of two symbols of a final. Returns
 * false if one is missing.
 */
static bool find_names(const struct jump_check *check, const char *start_name,
		       const char *end_name, uint64_t *start, uint64_t *end)
{
	struct symbol first, behind;
	uint32_t a = 0, b = 0;

	if (!names_next(&check->map.img.names, start_name, &a, &first) ||
	    !names_next(&check->map.img.names, end_name, &b, &behind))
		return false;
	*start = first.value;
	*end = behind.value;
	return true;
}

/* Sections of Linux in which no probe is allowed. */
static void mark_kernel_text(struct jump_check *check)
{
	static const char *const names[][2] = {
		{ "__entry_text_start", "__entry_text_end" },
		{ "__noinstr_text_start", "__noinstr_text_end" },
		{ "__kprobes_text_start", "__kprobes_text_end" },
		{ "__idmap_text_start", "__idmap_text_end" },
		{ "__hyp_text_start", "__hyp_text_end" },
		{ "__hyp_idmap_text_start", "__hyp_idmap_text_end" },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		uint64_t start, end;

		if (!find_names(check, names[i][0], names[i][1], &start, &end))
			continue;
		for (size_t k = 0; k < check->nfunctions; k++)
			if (check->functions[k].start < end &&
			    check->functions[k].end > start)
				check->functions[k].is_blacklisted = true;
	}
}

static int mark_table(struct diag *d, struct jump_check *check,
		      const struct jump_section *js)
{
	if (has_intervals(js->name))
		return mark_intervals(d, check, js);
	if (strcmp(js->name, ".alternative") == 0)
		return cannot_read(d, check, js); /* RISC-V's, old */
	if (is_blacklist(js->name)) {
		mark_functions(check, js);
		return 0;
	}
	if (is_power_fixup(check, js->name))
		return mark_fixups(d, check, js);
	if (is_sparc_patch(check, js->name))
		return mark_patches(d, check, js);
	if (strcmp(js->name, "__rseq_cs") == 0)
		return mark_rseqs(d, check, js);
	if (strcmp(js->name, "__rseq_cs_ptr_array") == 0)
		return mark_rseq_pointers(d, check, js);
	if (IS_ONE_OF(js->name, tables) || strncmp(js->name, ".s390_", 6) == 0)
		return mark_words(d, check, js);
	return 0;
}

/* A part of a section is treated as a section of its own. */
static int mark_part(struct diag *d, struct jump_check *check, const char *name,
		     uint64_t start, uint64_t end)
{
	const struct jump_section *js = jump_map_find(&check->map, start);
	struct jump_section part;
	uint64_t offset;

	if (js == NULL || strcmp(js->name, name) == 0 || end <= start ||
	    end - start > js->code.size - (start - js->code.addr))
		return 0;
	part = *js;
	offset = start - js->code.addr;
	part.name = name;
	part.code.addr = start;
	part.code.bytes += offset;
	part.code.size = end - start;
	part.file_bytes += offset;
	return mark_table(d, check, &part);
}

/* If Linux has such a table in .data or .init.data, symbols mark it. */
static int mark_parts(struct diag *d, struct jump_check *check)
{
	static const struct {
		const char *table, *start, *end;
	} parts[] = {
		{ "__ex_table", "__start___ex_table", "__stop___ex_table" },
		{ "__jump_table", "__start___jump_table",
		  "__stop___jump_table" },
		{ "__bug_table", "__start___bug_table", "__stop___bug_table" },
		{ "__mcount_loc", "__start_mcount_loc", "__stop_mcount_loc" },
		{ ".static_call_sites", "__start_static_call_sites",
		  "__stop_static_call_sites" },
		{ "_kprobe_blacklist", "__start_kprobe_blacklist",
		  "__stop_kprobe_blacklist" },
		{ ".altinstructions", "__alt_instructions",
		  "__alt_instructions_end" },
		{ ".parainstructions", "__parainstructions",
		  "__parainstructions_end" },
		{ ".smp_locks", "__smp_locks", "__smp_locks_end" },
		{ ".pv_table", "__pv_table_begin", "__pv_table_end" },
		{ ".alt.smp.init", "__smpalt_begin", "__smpalt_end" },
	};

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		uint64_t start, end;

		if (find_names(check, parts[i].start, parts[i].end, &start,
			       &end) &&
		    mark_part(d, check, parts[i].table, start, end))
			return -1;
	}
	return 0;
}

int jump_check_tables(struct diag *d, struct jump_check *check)
{
	for (size_t i = 0; i < check->map.n; i++) {
		const struct jump_section *js = &check->map.sections[i];

		if (js->is_text ? mark_relocs(d, check, js)
				: mark_table(d, check, js))
			return -1;
	}
	if (check->map.obj->ehdr.e_type == ET_REL)
		return 0;
	mark_kernel_text(check);
	return mark_parts(d, check);
}

void jump_check_sort_marks(struct jump_check *check)
{
	if (check->nmarks > 0)
		qsort(check->marks, check->nmarks, sizeof(check->marks[0]),
		      compare_marks);
}

/* --- Addresses in data ---------------------------------------------------- */

static int land_address(struct diag *d, struct jump_check *check,
			const struct jump_section *js, uint64_t at)
{
	uint64_t addr;

	if (!check->map.has_absolute || !jump_check_word(check, js, at, &addr))
		return 0;
	return jump_check_land(d, check, addr, js->code.addr + at,
			       LANDING_FORMED);
}

static int land_word(struct diag *d, struct jump_check *check,
		     const struct jump_section *js, uint64_t at)
{
	const struct jump_map *map = &check->map;
	int32_t word = object_word(map->obj, js->code.bytes + at);
	uint64_t source = js->code.addr + at;

	if (jump_check_land(d, check, source + (int64_t)word, source,
			    LANDING_FORMED))
		return -1;
	if (map->has_absolute &&
	    jump_check_land(d, check, (int64_t)word, source, LANDING_FORMED))
		return -1;
	/* i386 has distances from the GOT in tables of switches. */
	if (jump_map_counts_from_got(map) &&
	    jump_check_land(d, check, map->got + (int64_t)word, source,
			    LANDING_FORMED))
		return -1;
	return 0;
}

/*
 * In packed structures, addresses can be at any byte. Among instructions there
 * are also tables of them. At every byte, too many words would be addresses by
 * chance.
 */
static int land_section(struct diag *d, struct jump_check *check,
			const struct jump_section *js)
{
	for (uint64_t at = 0; js->code.size - at >= 4; at++)
		if ((at % 4 == 0 && !js->is_text &&
		     land_word(d, check, js, at)) ||
		    ((at % 4 == 0 || !js->is_text) &&
		     land_address(d, check, js, at)))
			return -1;
	return 0;
}

/* What the loader makes addresses. */
static int land_relocs(struct diag *d, struct jump_check *check)
{
	const struct image *img = &check->map.img;

	for (size_t i = 0; i < img->nrelocs; i++) {
		const struct image_reloc *r = &img->relocs[i];

		if (jump_check_land(d, check, loaded(img, r), r->addr,
				    LANDING_FORMED))
			return -1;
	}
	return 0;
}

/*
 * Does a note of the image require that indirect jumps find landings (IBT of
 * x86)?
 */
static void read_properties(struct diag *d, struct jump_check *check)
{
	const struct object *obj = check->map.obj;
	uint32_t shndx = object_find_section(obj, ".note.gnu.property");
	unsigned align = obj->is_64 ? 8 : 4;
	const uint8_t *bytes;
	size_t size, at = 16;

	if (shndx == 0 || !check->isa->has_ibt)
		return;
	bytes = object_data(d, obj, shndx, &size);
	/*
	 * One note, "GNU", of type 5. A property begins with its type and size.
	 */
	if (bytes == NULL || size < 16 || object_word(obj, bytes) != 4 ||
	    object_word(obj, bytes + 4) != size - 16 ||
	    object_word(obj, bytes + 8) != 5 ||
	    memcmp(bytes + 12, "GNU", 4) != 0)
		return;
	while (size - at >= 12) {
		uint32_t n = object_word(obj, bytes + at + 4);

		if (object_word(obj, bytes + at) == 0xc0000002 && n == 4)
			check->checks_landings =
				object_word(obj, bytes + at + 8) & 1;
		n = (n + align - 1) / align * align;
		if (n > size - at - 8)
			return;
		at += 8 + n;
	}
}

int jump_check_data(struct diag *d, struct jump_check *check)
{
	read_properties(d, check);
	if (check->map.obj->ehdr.e_type != ET_REL && land_relocs(d, check))
		return -1;
	for (size_t i = 0; i < check->map.n; i++) {
		const struct jump_section *js = &check->map.sections[i];

		if (IS_ONE_OF(js->name, descriptions) ||
		    IS_ONE_OF(js->name, tables) || has_intervals(js->name) ||
		    is_blacklist(js->name))
			continue;
		if (land_section(d, check, js))
			return -1;
	}
	return 0;
}
