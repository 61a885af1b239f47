/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Work that several threads share. Nothing that is printed depends on how many
 * there are: pieces of work only fill what is theirs, and whoever started them
 * looks at it in order.
 */
#ifndef SDTLINK_PARALLEL_H
#define SDTLINK_PARALLEL_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * How many threads may run at a time, the first one included. 0, the default:
 * as many as there are processors for this process.
 */
void parallel_set_jobs(unsigned n);

/*
 * Calls RUN(CTX, I) for each I below N, beginning with the lowest, and returns
 * when all calls have. BYTES is how much they read: for little, this thread
 * alone does it all. So it does if make has no token for another, or if it is
 * itself one of several.
 *
 * What RUN changes belongs to its I. Objects may be shared if none of their
 * sections is read for the first time: libelf then changes its own data.
 */
void parallel_run(size_t n, uint64_t bytes, void (*run)(void *ctx, size_t i),
		  void *ctx);

/*
 * One thing that another thread does until somebody waits for it. It begins
 * only if parallel_run would share as many BYTES; is_begun tells. While it
 * runs, parallel_run shares nothing.
 */
struct parallel_task {
	bool is_begun;
	pthread_t thread;
	void (*run)(void *ctx);
	void *ctx;
};

void parallel_begin(struct parallel_task *task, uint64_t bytes,
		    void (*run)(void *ctx), void *ctx);
/* Does nothing if it has not begun. */
void parallel_wait(struct parallel_task *task);

/*
 * A list of N items can be cut into so many pieces of one size: piece I begins
 * at parallel_piece(N, I), and ends where the next one begins.
 */
#define PARALLEL_PIECES 16

static inline size_t parallel_piece(size_t n, size_t i)
{
	return n / PARALLEL_PIECES * i +
	       n % PARALLEL_PIECES * i / PARALLEL_PIECES;
}

#endif
