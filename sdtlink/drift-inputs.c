/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The inputs of --drift: opens what was linked, and finds the inputs of which
 * no text was linked.
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "drift-report.h"
#include "elf/check.h"

/* Bytecode is not text. The error names what to give instead. */
struct lto_sink {
	struct diag *d;
	const struct object *final;
	const char *path;
	bool is_quiet; /* what was made of it is another input */
	bool is_bytecode;
};

static bool has_comment(struct diag *d, const struct object *final,
			const char *text)
{
	uint32_t shndx = object_find_section(final, ".comment");
	size_t size = 0;
	const uint8_t *bytes = shndx != 0 ? object_data(d, final, shndx, &size)
					  : NULL;

	return bytes != NULL && memmem(bytes, size, text, strlen(text)) != NULL;
}

/*
 * The remedy, by the compiler that made the bytecode and the linker that
 * generated code.
 */
static const char *lto_remedy(const struct lto_sink *s, bool is_llvm)
{
	if (!is_llvm)
		return "link again with gcc -save-temps, and give the "
		       "*.ltrans.o that this leaves in the place of all "
		       "objects with bytecode";
	if (has_comment(s->d, s->final, "LLD"))
		return "link again with --lto-obj-path=FILE, and give that "
		       "file in the place of all objects with bytecode";
	if (has_comment(s->d, s->final, "mold"))
		return "link again with -save-temps, and give the *.lto.o that "
		       "this leaves in the place of all objects with bytecode";
	return "link again with -plugin-opt=obj-path=FILE, and give that file "
	       "in the place of all objects with bytecode";
}

static void receive(void *ctx, const struct diagnostic *dg)
{
	struct lto_sink *s = ctx;
	bool is_bitcode = strncmp(dg->text, "LLVM bitcode", 12) == 0;
	bool is_llvm = is_bitcode ||
		       (dg->place.section != NULL &&
			strncmp(dg->place.section, ".llvm", 5) == 0);

	s->is_bytecode = is_bitcode || strcmp(dg->code, "lto") == 0;
	if (s->is_bytecode && s->is_quiet)
		return;
	if (!s->is_bytecode)
		diag_report(s->d, dg->severity, &dg->place, dg->code,
			    dg->remedy, "%s", dg->text);
	else
		diag_report(s->d, dg->severity, &dg->place, "lto",
			    lto_remedy(s, is_llvm),
			    "holds link-time-optimisation bytecode, and no "
			    "text to compare");
}

static int open_file(struct diag *d, const struct input *input,
		     struct object *obj)
{
	uint8_t *copy;

	if (input->bytes == NULL)
		return object_open(d, input->name, obj);
	copy = input_copy(d, input);
	return copy == NULL ? -1
			    : object_open_owned(d, input->name, copy,
						input->size, obj);
}

/*
 * Sets *IS_NONE if it has only bytecode, and the code made from that is an
 * input.
 */
static int open_input(struct diag *d, const struct drift_report *r,
		      const struct input *input, struct object *obj,
		      bool *is_none)
{
	const struct object *final = r->final;
	struct lto_sink sink = {
		.d = d,
		.final = final,
		.path = input->name,
		.is_quiet = r->bytecode == BYTECODE_GENERATED,
	};
	struct diag own = { .sink = receive, .ctx = &sink };

	if (open_file(&own, input, obj) ||
	    check_object(&own, obj,
			 r->bytecode == BYTECODE_UNUSED ? OBJECT_FAT
							: OBJECT_INPUT)) {
		*is_none = sink.is_bytecode && sink.is_quiet;
		return *is_none ? 0 : -1;
	}
	/*
	 * One machine name may stand for several ABIs, which attributes
	 * distinguish.
	 */
	if (strcmp(obj->arch->name, final->arch->name) != 0)
		return diag_file(d, obj->path, "wrong-type",
				 "is for %s, and the image for %s",
				 obj->arch->name, final->arch->name);
	return 0;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* One twice would be there once. */
static int check_twice(struct diag *d, const struct input_list *list)
{
	const char **names = malloc((list->n + 1) * sizeof(names[0]));
	const char *twice = NULL;

	if (names == NULL)
		return diag_nomem(d, "-");
	for (size_t i = 0; i < list->n; i++)
		names[i] = list->items[i].name;
	qsort(names, list->n, sizeof(names[0]), compare_names);
	for (size_t i = 1; i < list->n; i++)
		/* An archive may have two members of a name. */
		if (strcmp(names[i], names[i - 1]) == 0 &&
		    strchr(names[i], '(') == NULL)
			twice = names[i];
	free(names);
	return twice == NULL ? 0
			     : diag_file(d, twice, "same-partial",
					 "was given twice: give each input "
					 "once");
}

/* Input I goes, and those behind it follow up. */
static void remove_input(struct drift_report *r, size_t i)
{
	size_t nbehind = --r->list.n - i;

	object_close(&r->inputs[i]);
	free(r->list.items[i].name);
	memmove(&r->list.items[i], &r->list.items[i + 1],
		nbehind * sizeof(r->list.items[0]));
}

int drift_open_inputs(struct diag *d, struct drift_report *r)
{
	if (check_twice(d, &r->list))
		return -1;
	for (size_t i = 0; i < r->list.n;) {
		bool is_none = false;

		if (open_input(d, r, &r->list.items[i], &r->inputs[i],
			       &is_none))
			return -1;
		if (is_none)
			remove_input(r, i);
		else
			i++;
	}
	return 0;
}
