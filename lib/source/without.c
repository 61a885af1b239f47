/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Replaces this room without the headers of libdw: there is no source. */
#include <config.h>

#include "source.h"

#ifndef HAVE_ELFUTILS_LIBDWFL_H

int source_open(struct diag *d, const struct object *obj, const char *debug,
		source_nomem nomem, struct source **src)
{
	(void)debug;
	(void)nomem;
	*src = NULL;
	diag_report(d, SEVERITY_WARNING, &(struct place){ .file = obj->path },
		    "no-debug-information", "build it with libdw-dev",
		    "source lines are not known: sdtlink was built without "
		    "libdw");
	return 0;
}

void source_report(struct diag *d, const struct source *src)
{
	(void)d;
	(void)src;
}

void source_close(struct source *src)
{
	(void)src;
}

int source_find(struct source *src, const struct source_spot *spot,
		struct source_chain *chain)
{
	(void)src;
	(void)spot;
	*chain = (struct source_chain){ 0 };
	return 0;
}

void source_chain_free(struct source_chain *chain)
{
	(void)chain;
}

const char *source_path(struct source *src, uint32_t shndx, uint64_t at,
			const char *file)
{
	(void)src;
	(void)shndx;
	(void)at;
	(void)file;
	return NULL;
}

void source_expression(struct source *src, const struct source_spot *spot,
		       const char *text, struct source_variable *var)
{
	(void)src;
	(void)spot;
	(void)text;
	*var = (struct source_variable){ .where = WHERE_UNKNOWN };
}

int source_parameters(struct source *src, uint32_t shndx, uint64_t at,
		      const char *function, struct source_parameter *params,
		      unsigned max)
{
	(void)src;
	(void)shndx;
	(void)at;
	(void)function;
	(void)params;
	(void)max;
	return -1;
}

int source_find_lines(struct source *src, struct source_line *lines, size_t n,
		      struct source_copy **copies, size_t *ncopies)
{
	(void)src;
	(void)lines;
	(void)n;
	*copies = NULL;
	*ncopies = 0;
	return 0;
}

#endif
