/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "elf/object.h"
#include "finding-lines.h"
#include "source-text.h"

int finding_lines_open(struct diag *d, const struct object *objs, size_t n,
		       const char *debug_file, struct finding_lines *lines)
{
	*lines = (struct finding_lines){
		.objs = objs,
		.n = n,
		.debug_file = debug_file,
		.sources = calloc(n + 1, sizeof(lines->sources[0])),
		.is_tried = calloc(n + 1, sizeof(lines->is_tried[0])),
	};
	return lines->sources != NULL && lines->is_tried != NULL
		       ? 0
		       : diag_nomem(d, objs[n].path);
}

void finding_lines_close(struct finding_lines *lines)
{
	for (size_t i = 0; lines->sources != NULL && i <= lines->n; i++)
		source_close(lines->sources[i]);
	free(lines->sources);
	free(lines->is_tried);
	*lines = (struct finding_lines){ 0 };
}

/*
 * The source of objs[I], or NULL. The user did not ask for lines, so trouble is
 * not reported.
 */
static struct source *open_source(struct finding_lines *lines, size_t i)
{
	struct diag quiet = { .sink = diag_ignore };

	if (!lines->is_tried[i]) {
		lines->is_tried[i] = true;
		source_open(&quiet, &lines->objs[i],
			    i == lines->n ? lines->debug_file : NULL,
			    source_end_nomem, &lines->sources[i]);
	}
	return lines->sources[i];
}

static size_t find_partial(const struct finding_lines *lines, const char *path)
{
	size_t i = 0;

	while (i < lines->n && strcmp(lines->objs[i].path, path) != 0)
		i++;
	return i;
}

void finding_lines_find(struct finding_lines *lines, const struct finding *f,
			struct source_chain *chain)
{
	bool is_in_partial = f->shndx != 0;
	size_t i = is_in_partial ? find_partial(lines, f->partial) : lines->n;
	struct source_spot spot = { .shndx = f->shndx,
				    .at = is_in_partial ? f->offset
							: f->address };
	struct source *source;

	*chain = (struct source_chain){ 0 };
	if ((is_in_partial ? !f->has_offset || i == lines->n
			   : !f->has_address || f->partial != NULL))
		return;
	source = open_source(lines, i);
	/* Without memory, report_confirm() says so. */
	if (source != NULL)
		source_find(source, &spot, chain);
}
