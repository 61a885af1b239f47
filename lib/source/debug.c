/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opens the debug information of a file. Finds units and scopes in it. */
#include <config.h>

#include "source.h"

#ifdef HAVE_ELFUTILS_LIBDWFL_H

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "base/grow.h"
#include "base/search.h"
#include "debug.h"
#include "elf/functions.h"

/* More than any file needs, and seconds. */
#define STEPS_MIN (UINT64_C(1) << 26)
#define STEPS_PER_BYTE 16

/*
 * More levels than functions inlined into one another, with blocks between
 * them.
 */
#define DEPTH_MAX 1024

/*
 * libdw does not report that memory ran out: it returns less. Call this often
 * enough after calls of libdw, up to the last one. errno must have been 0
 * before.
 */
static void note_memory(void)
{
	memory_note(errno);
	errno = 0;
}

static void say_unknown(struct diag *d, const struct object *obj,
			const char *remedy, const char *why)
{
	diag_report(d, SEVERITY_WARNING, &(struct place){ .file = obj->path },
		    "no-debug-information", remedy,
		    "source lines are not known: %s", why);
}

bool source_step(struct source *src, uint64_t n)
{
	note_memory();
	if (n > src->steps) {
		src->steps = 0;
		src->is_damaged = true;
		return false;
	}
	src->steps -= n;
	return true;
}

/* Compares two extents by their start; for qsort. */
static int extent_compare(const void *a, const void *b)
{
	const struct extent *x = a, *y = b;

	if (x->low != y->low)
		return x->low < y->low ? -1 : 1;
	return x->depth < y->depth ? -1 : x->depth > y->depth;
}

static void sort_extents(struct extent *extents, size_t n)
{
	uint64_t reach = 0;

	if (n > 0)
		qsort(extents, n, sizeof(extents[0]), extent_compare);
	for (size_t i = 0; i < n; i++) {
		if (extents[i].high > reach)
			reach = extents[i].high;
		extents[i].reach = reach;
	}
}

/* --- What linkers left of functions that they dropped ------------------- */

/*
 * Addresses of dropped code become 0, or 1 in a list of ranges. In an image
 * with text at 0, a function is there if a symbol there has its name.
 */
static int find_zero(struct source *src)
{
	const struct object *obj = src->obj;

	for (size_t i = 0; i < obj->nsymbols; i++) {
		const char **grown;
		struct symbol sym;

		object_symbol(obj, i, &sym);
		if (!sym.is_defined || sym.value > 1 || !symbol_is_code(&sym) ||
		    !section_is_text(&obj->sections[sym.shndx]))
			continue;
		grown = grow_list(src->at_zero, src->nat_zero, sizeof(*grown));
		if (grown == NULL)
			return -1;
		src->at_zero = grown;
		src->at_zero[src->nat_zero++] = sym.name;
	}
	return 0;
}

static const char *source_string(struct source *src, Dwarf_Attribute *attr)
{
	return held_string(&src->held, src->dw->dwarf_formstring(attr));
}

const char *source_name(struct source *src, Dwarf_Die *die)
{
	return held_string(&src->held, src->dw->dwarf_diename(die));
}

const char *source_link_name(struct source *src, Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	const char *name = NULL;

	if (src->dw->dwarf_attr_integrate(die, DW_AT_linkage_name, &attr) ||
	    src->dw->dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attr))
		name = source_string(src, &attr);
	return name != NULL ? name : source_name(src, die);
}

/* LOW is the start of DIE, a scope or a unit. */
static bool is_dropped(struct source *src, Dwarf_Die *die, uint64_t low)
{
	const char *name;

	if (src->obj->ehdr.e_type == ET_REL || low > 1)
		return false;
	name = src->dw->dwarf_tag(die) == DW_TAG_subprogram
		       ? source_link_name(src, die)
		       : NULL;
	for (size_t i = 0; i < src->nat_zero; i++)
		if (name == NULL || strcmp(src->at_zero[i], name) == 0)
			return false;
	return true;
}

/* --- Extents ----------------------------------------------------------- */

static int add_extents(struct source *src, Dwarf_Die *die, uint32_t of,
		       uint32_t depth, struct extent **extents, size_t *n)
{
	Dwarf_Addr base, low, high;
	ptrdiff_t at = 0;

	while ((at = src->dw->dwarf_ranges(die, at, &base, &low, &high)) > 0) {
		struct extent *grown;

		if (!source_step(src, 1))
			return 0;
		if (low >= high || is_dropped(src, die, low))
			continue;
		grown = grow_list(*extents, *n, sizeof(*grown));
		if (grown == NULL)
			return -1;
		*extents = grown;
		(*extents)[(*n)++] = (struct extent){
			.low = low, .high = high, .of = of, .depth = depth
		};
	}
	return 0;
}

/* Steps through the extents that contain ADDR. Start with *I SIZE_MAX. */
static bool next_extent(struct source *src, const struct extent *extents,
			size_t n, uint64_t addr, size_t *i)
{
	if (*i == SIZE_MAX)
		LOWER_BOUND(*i, n, extents[*i].low <= addr);
	while (*i > 0 && extents[*i - 1].reach > addr && source_step(src, 1)) {
		--*i;
		if (addr < extents[*i].high)
			return true;
	}
	return false;
}

/* --- Scopes ------------------------------------------------------------ */

struct level {
	Dwarf_Die die;
	uint32_t parent;
};

struct walk {
	struct level levels[DEPTH_MAX];
	size_t n;
};

static bool may_have_scopes(int tag)
{
	switch (tag) {
	case DW_TAG_subprogram:
	case DW_TAG_inlined_subroutine:
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
	case DW_TAG_module:
	case DW_TAG_namespace:
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
		return true;
	default:
		return false;
	}
}

/*
 * Moves to the next DIE on this level. Returns false behind the last one. It
 * must be further on in the file, so that there is no endless loop. If the file
 * does not say where the next one is, libdw reads all children.
 */
static bool next_sibling(struct source *src, Dwarf_Die *die)
{
	Dwarf_Off before = src->dw->dwarf_dieoffset(die), after;

	switch (src->dw->dwarf_siblingof(die, die)) {
	case 0:
		break;
	case 1:
		return false;
	default:
		src->is_damaged = true;
		return false;
	}
	after = src->dw->dwarf_dieoffset(die);
	if (after <= before) {
		src->is_damaged = true;
		return false;
	}
	return source_step(src, 1 + (after - before) / 8);
}

int source_children(struct source *src, Dwarf_Die *die,
		    int (*visit)(struct source *src, Dwarf_Die *child,
				 void *ctx),
		    void *ctx)
{
	Dwarf_Die child;
	int ret = 0;

	if (!source_step(src, 1) || src->dw->dwarf_child(die, &child) != 0)
		return 0;
	do
		ret = visit(src, &child, ctx);
	while (ret == 0 && next_sibling(src, &child));
	return ret;
}

static int add_scope(struct source *src, struct unit *unit, struct level *level,
		     int tag)
{
	uint32_t depth = level->parent != 0
				 ? unit->scopes[level->parent - 1].depth + 1
				 : 0;
	size_t n = unit->nextents;
	struct scope *grown;

	if (add_extents(src, &level->die, unit->nscopes, depth, &unit->extents,
			&unit->nextents))
		return -1;
	if (n == unit->nextents)
		return 0;
	grown = grow_list(unit->scopes, unit->nscopes, sizeof(*grown));
	if (grown == NULL)
		return -1;
	unit->scopes = grown;
	unit->scopes[unit->nscopes++] =
		(struct scope){ level->die, level->parent, depth, tag };
	level->parent = unit->nscopes;
	return 0;
}

static int walk_unit(struct source *src, struct unit *unit, struct walk *walk)
{
	walk->n = 1;
	walk->levels[0].parent = 0;
	if (src->dw->dwarf_child(&unit->body, &walk->levels[0].die) != 0)
		return 0;
	while (walk->n > 0) {
		struct level *level = &walk->levels[walk->n - 1];
		struct level this = *level;
		int tag = src->dw->dwarf_tag(&this.die);
		bool goes_on = next_sibling(src, &level->die);

		if (!goes_on)
			walk->n--;
		if (src->steps == 0)
			return 0;
		if (!may_have_scopes(tag))
			continue;
		if (add_scope(src, unit, &this, tag))
			return -1;
		if (walk->n == DEPTH_MAX) {
			src->is_damaged = true;
			continue;
		}
		level = &walk->levels[walk->n];
		level->parent = this.parent;
		if (src->dw->dwarf_child(&this.die, &level->die) == 0)
			walk->n++;
	}
	return 0;
}

static int read_scopes(struct source *src, struct unit *unit)
{
	struct walk *walk;
	int ret;

	if (unit->has_scopes)
		return 0;
	unit->has_scopes = true;
	walk = malloc(sizeof(*walk));
	if (walk == NULL)
		return -1;
	ret = walk_unit(src, unit, walk);
	free(walk);
	sort_extents(unit->extents, unit->nextents);
	return ret;
}

static uint32_t innermost(struct source *src, const struct unit *unit,
			  uint64_t addr)
{
	const struct extent *best = NULL;
	size_t i = SIZE_MAX;

	while (next_extent(src, unit->extents, unit->nextents, addr, &i))
		if (best == NULL || unit->extents[i].depth > best->depth)
			best = &unit->extents[i];
	return best != NULL ? best->of + 1 : 0;
}

uint32_t unit_function(const struct unit *unit, uint32_t s)
{
	while (s != 0 && unit->scopes[s - 1].tag != DW_TAG_subprogram &&
	       unit->scopes[s - 1].tag != DW_TAG_inlined_subroutine)
		s = unit->scopes[s - 1].parent;
	return s;
}

struct unit *source_unit(struct source *src, uint64_t addr, uint32_t *scope)
{
	struct unit *found = NULL;
	size_t i = SIZE_MAX;

	note_memory();
	*scope = 0;
	while (next_extent(src, src->extents, src->nextents, addr, &i)) {
		struct unit *unit = &src->units[src->extents[i].of];

		if (read_scopes(src, unit)) {
			src->has_no_memory = true;
			return NULL;
		}
		*scope = innermost(src, unit, addr);
		if (*scope != 0)
			return unit;
		found = unit;
	}
	return found;
}

/*
 * The file in which DIE is declared, or NULL. dwarf_decl_file() of elfutils
 * 0.188 ends the program if the unit is split. File 0 of DWARF 5 is that of the
 * unit; libdw knows no file 0.
 */
static const char *declared_in(struct source *src, Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	Dwarf_Word index;
	Dwarf_Files *files;
	Dwarf_Die unit;
	size_t n;

	if (src->dw->dwarf_attr_integrate(die, DW_AT_decl_file, &attr) ==
		    NULL ||
	    src->dw->dwarf_formudata(&attr, &index) != 0 || index == 0 ||
	    src->dw->dwarf_cu_die(attr.cu, &unit, NULL, NULL, NULL, NULL, NULL,
				  NULL) == NULL ||
	    src->dw->dwarf_getsrcfiles(&unit, &files, &n) != 0 || index >= n)
		return NULL;
	return src->dw->dwarf_filesrc(files, index, NULL, NULL);
}

/*
 * Of the functions from scope *S outwards, chooses the one that begins last
 * before the line of SPOT in its file. Sets *S to the innermost scope in it.
 * Returns false if none does.
 */
static bool choose_function(struct source *src, struct unit *unit,
			    const struct source_spot *spot, uint32_t *s)
{
	uint32_t own = *s, chosen = 0;
	int best = 0;

	for (uint32_t f = *s; f != 0; own = f) {
		const char *file;
		int line;
		struct scope *scope;

		f = unit_function(unit, f);
		if (f == 0)
			break;
		scope = &unit->scopes[f - 1];
		file = declared_in(src, &scope->die);
		if ((file == NULL || source_is_file(spot->file, file)) &&
		    src->dw->dwarf_decl_line(&scope->die, &line) == 0 &&
		    line <= (int)spot->line && line > best) {
			best = line;
			chosen = own;
		}
		f = scope->parent;
	}
	*s = chosen != 0 ? chosen : *s;
	return chosen != 0;
}

struct unit *source_spot_unit(struct source *src,
			      const struct source_spot *spot, uint32_t *scope)
{
	uint64_t addr = source_address(src, spot->shndx, spot->at);
	struct unit *unit = source_unit(src, addr, scope), *before;
	uint32_t last;

	if (spot->file == NULL ||
	    (unit != NULL && choose_function(src, unit, spot, scope)) ||
	    addr == 0)
		return unit;
	before = source_unit(src, addr - 1, &last);
	if (before == NULL || !choose_function(src, before, spot, &last))
		return unit;
	*scope = last;
	return before;
}

uint64_t source_address(struct source *src, uint32_t shndx, uint64_t at)
{
	if (src->obj->ehdr.e_type == ET_REL)
		at += object_laid_out(src->elf, shndx);
	return at + src->offset;
}

/* --- Opening ------------------------------------------------------------ */

static int add_unit(struct source *src, Dwarf_Die *die, Dwarf_Die *body,
		    bool is_skeleton, source_nomem nomem)
{
	struct unit *grown = grow_list(src->units, src->nunits, sizeof(*grown));
	Dwarf_Attribute attr;

	if (grown == NULL)
		return -1;
	src->units = grown;
	src->units[src->nunits] =
		(struct unit){ .die = *die,
			       .body = is_skeleton && body->cu != NULL ? *body
								       : *die };
	if (is_skeleton && body->cu != NULL) {
		src->dw->dwarf_new_oom_handler(
			src->dw->dwarf_cu_getdwarf(body->cu), nomem);
	} else if (is_skeleton && src->nlost++ == 0 &&
		   (src->dw->dwarf_attr(die, DW_AT_dwo_name, &attr) ||
		    src->dw->dwarf_attr(die, DW_AT_GNU_dwo_name, &attr))) {
		src->lost = source_string(src, &attr);
	}
	return add_extents(src, die, src->nunits++, 0, &src->extents,
			   &src->nextents);
}

static int read_units(struct source *src, source_nomem nomem)
{
	Dwarf_CU *unit = NULL;
	uint8_t type;
	Dwarf_Die die, body;
	int more;

	while ((more = src->dw->dwarf_get_units(src->dwarf, unit, &unit, NULL,
						&type, &die, &body)) == 0) {
		if (!source_step(src, 1))
			break;
		if (type == DW_UT_compile || type == DW_UT_skeleton)
			if (add_unit(src, &die, &body, type == DW_UT_skeleton,
				     nomem))
				return -1;
	}
	if (more < 0)
		src->is_damaged = true;
	sort_extents(src->extents, src->nextents);
	return 0;
}

/* All DWARF is compressed in a form that libelf may not know. */
static bool has_zstd(struct diag *d, const struct object *obj)
{
	for (uint32_t i = 1; i < obj->nsections; i++) {
		const struct section *sec = &obj->sections[i];
		const uint8_t *bytes;
		size_t size;

		if (!(sec->flags & SHF_COMPRESSED) ||
		    strncmp(sec->name, ".debug_", 7) != 0)
			continue;
		bytes = object_data(d, obj, i, &size);
		if (bytes != NULL && size >= 4 && object_word(obj, bytes) == 2)
			return true;
	}
	return false;
}

static int see_register(void *arg, int number, const char *set,
			const char *prefix, const char *name, int bits,
			int type)
{
	(void)number;
	(void)set;
	(void)prefix;
	(void)name;
	(void)bits;
	(void)type;
	*(bool *)arg = true;
	return DWARF_CB_ABORT;
}

/*
 * If libdw does not know the machine, not even its registers, it does not apply
 * relocations. Then all addresses of a partial are 0.
 */
static bool knows_machine(const struct source *src)
{
	bool is_known = false;

	src->dw->dwfl_module_register_names(src->module, see_register,
					    &is_known);
	return is_known;
}

static void say_none(struct diag *d, const struct source *src)
{
	const char *why = src->dw->dwfl_errmsg(-1);

	if (has_zstd(d, src->obj))
		say_unknown(d, src->obj,
			    "use objcopy --decompress-debug-sections",
			    "this libelf cannot open sections that zstd "
			    "compressed");
	else
		say_unknown(d, src->obj,
			    "compile with -g, or put it where libdw looks",
			    why != NULL ? why : "no debug information");
}

/*
 * libelf writes the relocations of a partial into its data, and into the header
 * of a section that it decompresses.
 */
static bool is_written_into(const struct object *obj)
{
	for (uint32_t i = 1; i < obj->nsections; i++)
		if (obj->sections[i].flags & SHF_COMPRESSED ||
		    strncmp(obj->sections[i].name, ".zdebug", 7) == 0)
			return true;
	return obj->ehdr.e_type == ET_REL;
}

/* Gives libdwfl the bytes of OBJ, or the file DEBUG instead. */
static int report_file(struct source *src, const char *debug)
{
	const struct object *obj = src->obj;
	char *bytes;
	size_t size;

	if (debug != NULL) {
		src->module = src->dw->dwfl_report_offline(src->dwfl, debug,
							   debug, -1);
		return 0;
	}
	bytes = (char *)object_file(obj, &size);
	if (bytes == NULL)
		return -1;
	if (is_written_into(obj)) {
		src->copy = malloc(size);
		if (src->copy == NULL)
			return -1;
		bytes = memcpy(src->copy, bytes, size);
	}
	src->module = src->dw->dwfl_report_offline_memory(
		src->dwfl, obj->path, obj->path, bytes, size);
	return 0;
}

/* Returns -1 if memory ran out. The result is in src->dwarf. */
static int open_dwarf(struct source *src, const char *debug)
{
	static char *path; /* libdwfl's default */
	static Dwfl_Callbacks callbacks;
	const struct libdw *dw = src->dw;
	Dwarf_Addr elf_bias, dwarf_bias;

	callbacks = (Dwfl_Callbacks){
		.find_debuginfo = dw->dwfl_standard_find_debuginfo,
		.section_address = dw->dwfl_offline_section_address,
		.debuginfo_path = &path,
	};
	src->dwfl = dw->dwfl_begin(&callbacks);
	note_memory();
	if (src->dwfl == NULL || report_file(src, debug))
		return -1;
	note_memory();
	if (src->module == NULL)
		return 0;
	dw->dwfl_report_end(src->dwfl, NULL, NULL);
	note_memory();
	src->elf = dw->dwfl_module_getelf(src->module, &elf_bias);
	note_memory();
	src->dwarf = src->elf != NULL ? dw->dwfl_module_getdwarf(src->module,
								 &dwarf_bias)
				      : NULL;
	note_memory();
	if (src->dwarf != NULL)
		src->offset = elf_bias - dwarf_bias;
	return find_zero(src);
}

int source_open(struct diag *d, const struct object *obj, const char *debug,
		source_nomem nomem, struct source **out)
{
	const struct libdw *dw;
	struct source *src;

	*out = NULL;
	errno = 0;
	dw = libdw_load();
	note_memory();
	if (dw == NULL) {
		say_unknown(d, obj, "install elfutils",
			    "there is no libdw.so.1");
		return 0;
	}
	src = calloc(1, sizeof(*src));
	if (src == NULL)
		return diag_nomem(d, obj->path);
	src->obj = obj;
	src->dw = dw;
	src->steps = STEPS_MIN + STEPS_PER_BYTE * obj->file_size;
	if (open_dwarf(src, debug))
		goto nomem;
	if (src->dwarf != NULL) {
		dw->dwarf_new_oom_handler(src->dwarf, nomem);
		if (held_list(dw->dwarf_getelf(src->dwarf), &src->held) ||
		    read_units(src, nomem))
			goto nomem;
		note_memory();
	}
	if (src->nunits > 0 && obj->ehdr.e_type == ET_REL &&
	    !knows_machine(src)) {
		diag_report(d, SEVERITY_WARNING,
			    &(struct place){ .file = obj->path },
			    "no-debug-information",
			    "ask for those of the final, or take a newer libdw",
			    "source lines are not known: this libdw knows no "
			    "relocations of %s",
			    obj->arch->name);
		source_close(src);
		return 0;
	}
	if (src->nunits == 0) {
		say_none(d, src);
		source_close(src);
		return 0;
	}
	*out = src;
	return 0;
nomem:
	source_close(src);
	return diag_nomem(d, obj->path);
}

void source_report(struct diag *d, const struct source *src)
{
	struct place place = { 0 };

	if (src == NULL)
		return;
	note_memory();
	place.file = src->obj->path;
	if (src->is_damaged)
		diag_report(d, SEVERITY_WARNING, &place, "debug-information",
			    NULL,
			    "the debug information is damaged: some of it is "
			    "not read");
	if (src->nlost > 0)
		diag_report(d, SEVERITY_WARNING, &place, "debug-information",
			    "keep them where the compiler wrote them",
			    "inlined functions and variables of %zu unit%s are "
			    "not known: no %s",
			    src->nlost, src->nlost == 1 ? "" : "s",
			    src->lost != NULL ? src->lost : ".dwo file");
}

void source_close(struct source *src)
{
	if (src == NULL)
		return;
	for (size_t i = 0; i < src->nunits; i++) {
		free(src->units[i].scopes);
		free(src->units[i].extents);
		free(src->units[i].names);
	}
	free(src->units);
	free(src->extents);
	held_free(&src->held);
	free(src->at_zero);
	if (src->dwfl != NULL)
		src->dw->dwfl_end(src->dwfl);
	free(src->copy);
	free(src);
}

#endif
