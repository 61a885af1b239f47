/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds where the value of a variable is, at a place. */
#include <config.h>

#include "source.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/search.h"

const char *source_where_name(enum source_where where)
{
	static const char *const names[] = {
		[WHERE_CONSTANT] = "constant",	[WHERE_REGISTER] = "register",
		[WHERE_STACK] = "stack",	[WHERE_MEMORY] = "memory",
		[WHERE_COMPUTED] = "computed",	[WHERE_PART] = "part",
		[WHERE_ENTRY] = "entry-value",	[WHERE_ELSEWHERE] = "elsewhere",
		[WHERE_GONE] = "optimised-out", [WHERE_UNKNOWN] = "unknown",
	};

	return names[where];
}

#ifdef HAVE_ELFUTILS_LIBDWFL_H

#include "debug.h"

/* --- Expressions of DWARF ----------------------------------------------- */

struct register_name {
	int wanted;
	char *text;
	size_t size;
};

static int match_register(void *arg, int number, const char *set,
			  const char *prefix, const char *name, int bits,
			  int type)
{
	struct register_name *wanted = arg;

	(void)set;
	(void)prefix;
	(void)bits;
	(void)type;
	if (number != wanted->wanted)
		return DWARF_CB_OK;
	snprintf(wanted->text, wanted->size, "%s", name);
	return DWARF_CB_ABORT;
}

static void name_register(struct source *src, unsigned number,
			  struct source_variable *var)
{
	struct register_name wanted = { number, var->what, sizeof(var->what) };

	snprintf(var->what, sizeof(var->what), "r%u", number);
	src->dw->dwfl_module_register_names(src->module, match_register,
					    &wanted);
}

static bool is_register(const Dwarf_Op *op, unsigned *number)
{
	if (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31)
		*number = op->atom - DW_OP_reg0;
	else if (op->atom == DW_OP_regx && op->number <= UINT16_MAX)
		*number = op->number;
	else
		return false;
	return true;
}

/* The value that OP pushes. */
static bool is_literal(const Dwarf_Op *op, int64_t *value)
{
	if (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31) {
		*value = op->atom - DW_OP_lit0;
		return true;
	}
	*value = op->number;
	switch (op->atom) {
	case DW_OP_const1u:
	case DW_OP_const1s:
	case DW_OP_const2u:
	case DW_OP_const2s:
	case DW_OP_const4u:
	case DW_OP_const4s:
	case DW_OP_const8u:
	case DW_OP_const8s:
	case DW_OP_constu:
	case DW_OP_consts:
		return true;
	default:
		return false;
	}
}

static bool is_memory(const Dwarf_Op *op)
{
	switch (op->atom) {
	case DW_OP_addr:
	case DW_OP_addrx:
	case DW_OP_GNU_addr_index:
	case DW_OP_form_tls_address:
	case DW_OP_GNU_push_tls_address:
		return true;
	default:
		return false;
	}
}

static bool is_base(const Dwarf_Op *op)
{
	return op->atom == DW_OP_fbreg || op->atom == DW_OP_bregx ||
	       (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31);
}

/* A value in pieces. The operation before a piece says where it is. */
static enum source_where pieces(const Dwarf_Op *ops, size_t n)
{
	enum source_where where = WHERE_COMPUTED;

	for (size_t i = 0; i < n; i++) {
		bool is_piece = ops[i].atom == DW_OP_piece ||
				ops[i].atom == DW_OP_bit_piece;
		bool is_first = i == 0 || ops[i - 1].atom == DW_OP_piece ||
				ops[i - 1].atom == DW_OP_bit_piece;

		if (is_piece && is_first)
			where = WHERE_PART;
	}
	return where;
}

static bool has_op(const Dwarf_Op *ops, size_t n, unsigned a, unsigned b)
{
	for (size_t i = 0; i < n; i++)
		if (ops[i].atom == a || ops[i].atom == b)
			return true;
	return false;
}

static void read_expression(struct source *src, const Dwarf_Op *ops, size_t n,
			    struct source_variable *var)
{
	unsigned number;
	int64_t value;
	bool is_one = n == 1 || (n == 2 && ops[1].atom == DW_OP_GNU_uninit);
	bool is_value = n == 2 && ops[1].atom == DW_OP_stack_value;

	if (n == 0) {
		var->where = WHERE_GONE;
	} else if (has_op(ops, n, DW_OP_entry_value, DW_OP_GNU_entry_value) ||
		   has_op(ops, n, DW_OP_GNU_parameter_ref,
			  DW_OP_GNU_parameter_ref)) {
		var->where = WHERE_ENTRY;
	} else if (has_op(ops, n, DW_OP_implicit_pointer,
			  DW_OP_GNU_implicit_pointer)) {
		/* The data that it points to may exist, but not the pointer. */
		var->where = WHERE_GONE;
	} else if (has_op(ops, n, DW_OP_piece, DW_OP_bit_piece)) {
		var->where = pieces(ops, n);
	} else if (is_one && is_register(&ops[0], &number)) {
		var->where = WHERE_REGISTER;
		name_register(src, number, var);
	} else if (is_value && is_literal(&ops[0], &value)) {
		var->where = WHERE_CONSTANT;
		snprintf(var->what, sizeof(var->what), "%" PRId64, value);
	} else if (ops[0].atom == DW_OP_implicit_value ||
		   (is_value && is_memory(&ops[0]))) {
		var->where = WHERE_CONSTANT;
	} else if (ops[n - 1].atom == DW_OP_stack_value) {
		var->where = WHERE_COMPUTED;
	} else if (is_one && is_base(&ops[0])) {
		var->where = WHERE_STACK;
	} else if (is_memory(&ops[0])) {
		var->where = WHERE_MEMORY;
	} else {
		var->where = WHERE_COMPUTED;
	}
}

/* --- Variables ---------------------------------------------------------- */

static bool is_variable(int tag)
{
	return tag == DW_TAG_variable || tag == DW_TAG_formal_parameter;
}

/* Does any address have an expression that is not empty? */
static bool has_location(struct source *src, Dwarf_Attribute *attr)
{
	Dwarf_Addr base, low, high;
	ptrdiff_t at = 0;
	Dwarf_Op *ops;
	size_t n;

	while ((at = src->dw->dwarf_getlocations(attr, at, &base, &low, &high,
						 &ops, &n)) > 0) {
		if (!source_step(src, 1))
			return false;
		if (n > 0 && low < high)
			return true;
	}
	return false;
}

static void read_location(struct source *src, Dwarf_Die *die, uint64_t addr,
			  struct source_variable *var)
{
	Dwarf_Attribute attr;
	Dwarf_Op *ops;
	size_t n;

	if (src->dw->dwarf_attr(die, DW_AT_location, &attr) != NULL) {
		if (src->dw->dwarf_getlocation_addr(&attr, addr, &ops, &n, 1) ==
		    1)
			read_expression(src, ops, n, var);
		else
			var->where = WHERE_GONE;
		if (var->where == WHERE_GONE && has_location(src, &attr))
			var->where = WHERE_ELSEWHERE;
		return;
	}
	if (src->dw->dwarf_attr_integrate(die, DW_AT_const_value, &attr)) {
		Dwarf_Sword value;

		var->where = WHERE_CONSTANT;
		if (src->dw->dwarf_formsdata(&attr, &value) == 0)
			snprintf(var->what, sizeof(var->what), "%" PRId64,
				 (int64_t)value);
		return;
	}
	/* A global variable's definition is elsewhere. */
	if (src->dw->dwarf_attr_integrate(die, DW_AT_location, &attr) ||
	    src->dw->dwarf_attr_integrate(die, DW_AT_external, &attr))
		var->where = WHERE_MEMORY;
	else
		var->where = WHERE_GONE;
}

struct search {
	const char *name;
	Dwarf_Die found;
	unsigned depth;
};

static int match_variable(struct source *src, Dwarf_Die *child, void *ctx)
{
	struct search *search = ctx;
	const char *name;

	if (!is_variable(src->dw->dwarf_tag(child)))
		return 0;
	name = source_name(src, child);
	if (name == NULL || strcmp(name, search->name) != 0)
		return 0;
	search->found = *child;
	return 1;
}

/* An inlined copy lacks blocks in which no variable is left. */
static int match_deep(struct source *src, Dwarf_Die *child, void *ctx)
{
	struct search *search = ctx;
	int ret = match_variable(src, child, ctx);

	if (ret != 0 || search->depth == 0 ||
	    src->dw->dwarf_tag(child) != DW_TAG_lexical_block)
		return ret;
	search->depth--;
	ret = source_children(src, child, match_deep, ctx);
	search->depth++;
	return ret;
}

/* Did FUNCTION have a variable of that name before it was optimised? */
static bool was_there(struct source *src, Dwarf_Die *function,
		      struct search *search)
{
	Dwarf_Attribute attr;
	Dwarf_Die origin;

	search->depth = 16;
	return src->dw->dwarf_attr(function, DW_AT_abstract_origin, &attr) !=
		       NULL &&
	       src->dw->dwarf_formref_die(&attr, &origin) != NULL &&
	       source_children(src, &origin, match_deep, search) != 0;
}

/* --- Names outside of functions ------------------------------------------ */

static int add_name(struct source *src, Dwarf_Die *child, void *ctx)
{
	struct unit *unit = ctx;
	const char *name = source_name(src, child);
	struct outer_name *grown;

	if (src->dw->dwarf_tag(child) == DW_TAG_enumeration_type &&
	    source_children(src, child, add_name, ctx) != 0)
		return 1;
	if (name == NULL || src->dw->dwarf_tag(child) == DW_TAG_structure_type)
		return 0;
	grown = grow_list(unit->names, unit->nnames, sizeof(*grown));
	if (grown == NULL) {
		src->has_no_memory = true;
		return 1;
	}
	unit->names = grown;
	unit->names[unit->nnames++] = (struct outer_name){ name, *child };
	return 0;
}

static int compare_names(const void *a, const void *b)
{
	const struct outer_name *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static void read_names(struct source *src, struct unit *unit)
{
	if (unit->has_names)
		return;
	unit->has_names = true;
	source_children(src, &unit->body, add_name, unit);
	if (unit->nnames > 0)
		qsort(unit->names, unit->nnames, sizeof(unit->names[0]),
		      compare_names);
}

/* Finds a variable, if one of several entries of that name is one. */
static bool find_outer(struct source *src, struct unit *unit, const char *name,
		       Dwarf_Die *die)
{
	bool is_found = false;
	size_t i;

	read_names(src, unit);
	LOWER_BOUND(i, unit->nnames, strcmp(unit->names[i].name, name) < 0);
	for (; i < unit->nnames && strcmp(unit->names[i].name, name) == 0;
	     i++) {
		*die = unit->names[i].die;
		is_found = true;
		if (is_variable(src->dw->dwarf_tag(die)))
			break;
	}
	return is_found;
}

/* A constant, a type or a function needs no place. */
static void read_outer(struct source *src, struct unit *unit, uint64_t addr,
		       const char *name, struct source_variable *var)
{
	Dwarf_Die die;

	if (!find_outer(src, unit, name, &die)) {
		var->where = WHERE_UNKNOWN;
	} else if (is_variable(src->dw->dwarf_tag(&die))) {
		read_location(src, &die, addr, var);
		source_type(src, &die, var->type, sizeof(var->type));
	} else {
		var->where = WHERE_CONSTANT;
	}
}

static void find_variable(struct source *src, struct unit *unit, uint32_t s,
			  uint64_t addr, const char *name, bool goes_on,
			  struct source_variable *var)
{
	struct search search = { .name = name };

	for (; s != 0; s = unit->scopes[s - 1].parent) {
		struct scope *scope = &unit->scopes[s - 1];
		bool is_function = scope->tag == DW_TAG_subprogram ||
				   scope->tag == DW_TAG_inlined_subroutine;

		if (source_children(src, &scope->die, match_variable,
				    &search) != 0) {
			read_location(src, &search.found, addr, var);
			source_type(src, &search.found, var->type,
				    sizeof(var->type));
			return;
		}
		if (!is_function)
			continue;
		if (was_there(src, &scope->die, &search)) {
			var->where = WHERE_GONE;
			source_type(src, &search.found, var->type,
				    sizeof(var->type));
			return;
		}
		/* Around a function, there are only names of all functions. */
		if (!goes_on)
			break;
	}
	read_outer(src, unit, addr, name, var);
}

static void read_variable(struct source *src, const struct source_spot *spot,
			  const char *name, struct source_variable *var)
{
	uint32_t scope;
	struct unit *unit = source_spot_unit(src, spot, &scope);

	*var = (struct source_variable){ .where = WHERE_UNKNOWN };
	if (unit != NULL)
		find_variable(src, unit, scope,
			      source_address(src, spot->shndx, spot->at), name,
			      spot->has_no_code, var);
}

/* --- Parameters ----------------------------------------------------------- */

struct parameters {
	struct source_parameter *items;
	unsigned n, max;
};

static int add_parameter(struct source *src, Dwarf_Die *child, void *ctx)
{
	struct parameters *params = ctx;
	struct source_parameter *param = &params->items[params->n];

	if (src->dw->dwarf_tag(child) != DW_TAG_formal_parameter)
		return 0;
	if (params->n < params->max) {
		param->name = source_name(src, child);
		source_type(src, child, param->type, sizeof(param->type));
	}
	params->n++;
	return 0;
}

int source_parameters(struct source *src, uint32_t shndx, uint64_t at,
		      const char *function, struct source_parameter *items,
		      unsigned max)
{
	struct parameters params = { .items = items, .max = max };
	uint32_t scope;
	struct unit *unit =
		source_unit(src, source_address(src, shndx, at), &scope);
	Dwarf_Die die;

	if (unit == NULL || !find_outer(src, unit, function, &die) ||
	    src->dw->dwarf_tag(&die) != DW_TAG_subprogram)
		return -1;
	source_children(src, &die, add_parameter, &params);
	return params.n;
}

/* --- Expressions of C ---------------------------------------------------- */

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$';
}

static const char *skip_quoted(const char *text)
{
	char quote = *text++;

	while (*text != '\0' && *text != quote)
		text += text[0] == '\\' && text[1] != '\0' ? 2 : 1;
	return *text != '\0' ? text + 1 : text;
}

static bool is_keyword(const char *word)
{
	static const char *const words[] = {
		"sizeof",   "struct", "union", "enum",	  "const", "volatile",
		"unsigned", "signed", "char",  "short",	  "int",   "long",
		"float",    "double", "void",  "_Bool",	  "bool",  "this",
		"true",	    "false",  "NULL",  "nullptr", NULL
	};

	for (size_t i = 0; words[i] != NULL; i++)
		if (strcmp(words[i], word) == 0)
			return true;
	return false;
}

/*
 * The next name in *TEXT that may be a variable, not a member, function or tag.
 * Returns false at the end.
 */
static bool next_name(const char **text, char *word, size_t size)
{
	bool is_member = false, is_tag = false;
	const char *p = *text;

	while (*p != '\0') {
		const char *start = p;
		size_t n;

		if (*p == '"' || *p == '\'') {
			p = skip_quoted(p);
			continue;
		}
		if (!is_word(*p)) {
			is_member =
				*p == '.' ||
				(p[0] == '>' && p > *text && p[-1] == '-') ||
				(is_member && *p == ' ');
			p++;
			continue;
		}
		while (is_word(*p))
			p++;
		n = p - start;
		if (is_member || is_tag || isdigit((unsigned char)*start) ||
		    n >= size) {
			is_member = is_tag = false;
			continue;
		}
		memcpy(word, start, n);
		word[n] = '\0';
		is_tag = strcmp(word, "struct") == 0 ||
			 strcmp(word, "union") == 0 ||
			 strcmp(word, "enum") == 0;
		if (is_keyword(word) || p[strspn(p, " ")] == '(')
			continue;
		*text = p;
		return true;
	}
	return false;
}

void source_expression(struct source *src, const struct source_spot *spot,
		       const char *text, struct source_variable *var)
{
	const char *rest = text;
	char word[256];

	*var = (struct source_variable){ .where = WHERE_CONSTANT };
	while (next_name(&rest, word, sizeof(word))) {
		struct source_variable one;
		bool is_all = strcmp(word, text) == 0;

		read_variable(src, spot, word, &one);
		if (is_all) {
			*var = one;
			return;
		}
		if (one.where < var->where ||
		    (one.where == var->where && var->what[0] != '\0'))
			continue;
		var->where = one.where;
		snprintf(var->what, sizeof(var->what), "%.31s", word);
	}
}

#endif
