/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A stream into memory that says when there is none left. That of glibc's
 * open_memstream drops what it has no room for, and goes on: no error, only
 * less.
 */
#ifndef SDTLINK_MEMORY_STREAM_H
#define SDTLINK_MEMORY_STREAM_H

#include <stdbool.h>
#include <stdio.h>

struct memory_stream {
	FILE *stream; /* NULL when it is closed */
	char *bytes;  /* owned; NULL if there are none */
	size_t size;  /* without what the stream still has to itself */
	size_t room;
	bool drops; /* what is written to it */
};

/* Returns -1 without memory. memory_stream_free is due either way. */
int memory_stream_open(struct memory_stream *memory);

/* BYTES has all that was written; or -1 with ENOMEM, from then on. */
int memory_stream_flush(struct memory_stream *memory);

/* Only the first SIZE of BYTES stay, and an error is forgotten. */
void memory_stream_cut(struct memory_stream *memory, size_t size);

void memory_stream_free(struct memory_stream *memory);

#endif
