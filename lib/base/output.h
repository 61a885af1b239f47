/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The one place that opens, writes and puts in place what sdtlink makes.
 *
 * Nothing is seen of an output before output_commit. Up to then it is a file
 * beside its place, or memory if its place is written to as it is: "-", a
 * device, a pipe, and what a link of /proc leads to, such as /dev/stdout.
 * After a failure or signal, what stood in its place before stands.
 *
 * A new file gets the mode that the umask leaves of 0666. One that replaces
 * another gets that one's permissions, but no bits that let it run as somebody
 * else: it belongs to whoever runs sdtlink, as a new file does.
 */
#ifndef SDTLINK_OUTPUT_H
#define SDTLINK_OUTPUT_H

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/diag.h"
#include "base/memory-stream.h"

enum output_state {
	OUTPUT_PENDING,	 /* not in place */
	OUTPUT_NEW,	 /* in place, where nothing was */
	OUTPUT_SWAPPED,	 /* in place; the temporary file is what was there */
	OUTPUT_REPLACED, /* in place; what was there is gone */
};

struct output {
	const char *path; /* as given; not owned */
	FILE *stream;	  /* to write to; NULL when it is finished */
	char *temporary;  /* its file's name; owned; NULL without one */
	int direct;	  /* what is written to as it is, or -1 */
	bool is_written;  /* that was done */
	struct memory_stream memory; /* for that */
	char *buffer;		     /* of the stream of a file; owned */
	bool is_same;		     /* as what stands there */
	enum output_state state;
};

/*
 * Opens PATH for output. Fails with a diagnostic if that is a directory, or
 * cannot be written or looked at. output_close is due either way.
 */
int output_open(struct diag *d, const char *path, struct output *out);

/*
 * Everything that can fail before the commit: all bytes are in the file or the
 * memory, and the stream is gone.
 */
int output_finish(struct diag *d, struct output *out);

/*
 * Puts all N outputs, which are finished, in place, or none: if one of them
 * fails, those before it are taken back. What cannot be taken back, the
 * diagnostic names: what was written as it is, and, where a file system cannot
 * swap two names, what has replaced another file.
 *
 * A regular file that has these very bytes already is left alone, time stamp
 * and all. If it cannot be read, it is replaced.
 */
int output_commit(struct diag *d, struct output *const *outs, size_t n);

/* Removes what was not committed, or was replaced; says if it cannot. */
void output_close(struct diag *d, struct output *out);

/*
 * A file that no file system has, for another program to read; open for
 * writing. Returns -1 with errno.
 */
int output_memory(void);

/*
 * What another program wrote to PATH is not committed, either, until this is
 * called with NULL. PATH is a regular file, or nothing; not copied.
 */
void output_guard(const char *path);

/* Removes all that is not committed; for signal handlers. */
void output_abandon(void);

/*
 * Sets ACTION for each signal that would end the process, unless it is ignored
 * or has a handler of its own.
 */
void output_watch_signals(const struct sigaction *action);

#endif
