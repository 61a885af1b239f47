/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * branches FILE - all offsets of an image's text at which sdtlink can read a
 * direct branch, instruction boundary or not: "ADDRESS TARGET LENGTH".
 */
#include <config.h>

#include <inttypes.h>
#include <stdio.h>

#include "arch/arch.h"
#include "elf/check.h"
#include "elf/object.h"

static void print_diagnostic(void *ctx, const struct diagnostic *diagnostic)
{
	(void)ctx;
	fprintf(stderr, "%s\n", diagnostic->text);
}

static void print_branch(void *ctx, uint64_t offset,
			 const struct branch *branch)
{
	const struct code *code = ctx;

	printf("%" PRIx64 " %" PRIx64 " %u\n", code->addr + offset,
	       branch->target, branch->length);
}

static int print_branches(struct diag *d, const struct object *obj)
{
	struct code code = { 0 };

	for (size_t i = 1; i < obj->nsections; i++) {
		if (!section_is_text(&obj->sections[i]))
			continue;
		if (!object_code(d, obj, i, &code))
			return 2;
		obj->arch->each_branch(obj->arch, &code, 0, UINT64_MAX,
				       print_branch, &code);
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct diag d = { .sink = print_diagnostic };
	struct object obj = { 0 };
	int ret = 2;

	if (argc == 2 && object_open(&d, argv[1], &obj) == 0 &&
	    check_object(&d, &obj, OBJECT_FINAL) == 0)
		ret = print_branches(&d, &obj);
	object_close(&obj);
	return ret;
}
