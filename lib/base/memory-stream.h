/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A stream into memory that reports when memory runs out. glibc's
 * open_memstream drops what does not fit, and goes on without an error.
 */
#ifndef SDTLINK_MEMORY_STREAM_H
#define SDTLINK_MEMORY_STREAM_H

#include <stdbool.h>
#include <stdio.h>

struct memory_stream {
	FILE *stream; /* NULL when it is closed */
	char *bytes;  /* owned; NULL if there are none */
	size_t size;  /* not counting what the stream still buffers */
	size_t room;
	bool drops; /* what is written to it */
};

/* Returns -1 if memory ran out. Call memory_stream_free either way. */
int memory_stream_open(struct memory_stream *memory);

/*
 * After this, BYTES has all that was written. Once memory has run out, it
 * returns -1 with ENOMEM.
 */
int memory_stream_flush(struct memory_stream *memory);

/* Keeps only the first SIZE of BYTES, and clears the error. */
void memory_stream_cut(struct memory_stream *memory, size_t size);

void memory_stream_free(struct memory_stream *memory);

#endif
