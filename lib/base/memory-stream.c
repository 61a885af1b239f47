/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "memory-stream.h"

#define ROOM_MIN ((size_t)1 << 12)

static int make_room(struct memory_stream *memory, size_t n)
{
	size_t room = memory->room > 0 ? memory->room : ROOM_MIN;
	char *bytes;

	while (room - memory->size < n)
		room *= 2;
	if (room == memory->room)
		return 0;
	bytes = realloc(memory->bytes, room);
	if (bytes == NULL)
		return -1;
	memory->bytes = bytes;
	memory->room = room;
	return 0;
}

/* The caller sees an error in the number of bytes. */
static ssize_t write_bytes(void *cookie, const char *bytes, size_t n)
{
	struct memory_stream *memory = cookie;

	if (memory->drops)
		return n;
	if (make_room(memory, n)) {
		errno = ENOMEM;
		return 0;
	}
	memcpy(memory->bytes + memory->size, bytes, n);
	memory->size += n;
	return n;
}

#ifdef HAVE_FOPENCOOKIE
static FILE *open_stream(struct memory_stream *memory)
{
	return fopencookie(memory, "w",
			   (cookie_io_functions_t){ .write = write_bytes });
}
#else
static int write_or_fail(void *cookie, const char *bytes, int n)
{
	return write_bytes(cookie, bytes, n) == n ? n : -1;
}

static FILE *open_stream(struct memory_stream *memory)
{
	return funopen(memory, NULL, write_or_fail, NULL, NULL);
}
#endif

int memory_stream_open(struct memory_stream *memory)
{
	*memory = (struct memory_stream){ 0 };
	memory->stream = open_stream(memory);
	return memory->stream != NULL ? 0 : -1;
}

int memory_stream_flush(struct memory_stream *memory)
{
	if (fflush(memory->stream) == 0 && !ferror(memory->stream))
		return 0;
	errno = ENOMEM;
	return -1;
}

void memory_stream_cut(struct memory_stream *memory, size_t size)
{
	memory->drops = true;
	fflush(memory->stream);
	memory->drops = false;
	clearerr(memory->stream);
	memory->size = size;
}

void memory_stream_free(struct memory_stream *memory)
{
	if (memory->stream != NULL)
		fclose(memory->stream);
	free(memory->bytes);
	*memory = (struct memory_stream){ 0 };
}
