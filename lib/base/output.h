/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Opens, writes and puts in place all that sdtlink makes.
 *
 * Nobody sees an output before output_commit. Until then it is a temporary file
 * beside its place. It is in memory if its place cannot be replaced: "-", a
 * device, a pipe, or what a link of /proc leads to, such as /dev/stdout. After
 * a failure or a signal, the old file is still in place.
 *
 * A new file gets mode 0666 less the umask. A file that replaces another gets
 * its permissions, but not set-user-ID and set-group-ID: like a new file, it
 * belongs to the user who runs sdtlink.
 */
#ifndef SDTLINK_OUTPUT_H
#define SDTLINK_OUTPUT_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/diag.h"
#include "base/memory-stream.h"

enum output_state {
	OUTPUT_PENDING,	 /* not in place */
	OUTPUT_NEW,	 /* in place, where nothing was */
	OUTPUT_SWAPPED,	 /* in place; the temporary file has the old contents */
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
 * Opens PATH for output. Fails with a diagnostic if it is a directory, or
 * cannot be written or examined. Call output_close either way.
 */
int output_open(struct diag *d, const char *path, struct output *out);

/*
 * Does everything that can fail before the commit. Afterwards all bytes are in
 * the file or in memory, and the stream is closed.
 */
int output_finish(struct diag *d, struct output *out);

/*
 * Puts all N outputs in place, or none. They must be finished. If one fails,
 * the earlier ones are undone. The diagnostic names what cannot be undone: what
 * was written directly and, if a file system cannot swap two names, what has
 * replaced another file.
 *
 * A regular file that already has the same bytes is not touched, and keeps its
 * time. If it cannot be read, it is replaced.
 */
int output_commit(struct diag *d, struct output *const *outs, size_t n);

/*
 * Removes what was not committed, or was replaced. Reports a failure to do so.
 */
void output_close(struct diag *d, struct output *out);

/*
 * Opens a file without a name for SIZE bytes or so, which another program can
 * read. A large one is in the directory of BESIDE, if not NULL and if it can:
 * there, the kernel uses larger pages than in memory, and may share them with
 * another file. Returns -1 with errno.
 */
int output_nameless(const char *beside, uint64_t size);

/*
 * PATH, a regular file or nothing, is the output of another program.
 * output_abandon removes it until this is called with NULL. Keep the string.
 */
void output_guard(const char *path);

/*
 * From now on, a signal that ends the process calls output_abandon.
 */
void output_watch(void);

/*
 * Removes all outputs that are not committed, and gives back what make lent.
 * For signal handlers.
 */
void output_abandon(void);

/*
 * Sets ACTION for each signal that would end the process, but not if the signal
 * is ignored or has a handler.
 */
void output_watch_signals(const struct sigaction *action);

#endif
