/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files that write an edited object share. */
#include <config.h>

#include <stdlib.h>

#include "edit-write.h"

int edit_elf_error(struct writer *w, const char *what)
{
	/* Nothing is written yet. So it is the original that libelf refuses. */
	return diag_file(w->d, w->obj->path, "malformed",
			 "cannot be copied: cannot %s: %s", what,
			 elf_errmsg(w->error != 0 ? w->error : -1));
}

void *edit_keep(struct writer *w, size_t size)
{
	void **buffers = grow_list(w->data_buffers, w->ndata_buffers,
				   sizeof(buffers[0]));

	if (buffers == NULL)
		return NULL;
	w->data_buffers = buffers;
	buffers[w->ndata_buffers] = memory_calloc_whole(1, size + 1);
	if (buffers[w->ndata_buffers] == NULL)
		return NULL;
	return buffers[w->ndata_buffers++];
}

uint64_t edit_align_up(uint64_t value, uint64_t align)
{
	return align > 1 ? (value + align - 1) / align * align : value;
}
