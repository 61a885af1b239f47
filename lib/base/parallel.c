/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <unistd.h>

#include "jobs.h"
#include "output.h"
#include "parallel.h"

/* A thread costs a twentieth of a millisecond, and so does this. */
#define BYTES_MIN ((uint64_t)1 << 20)
#define JOBS_MAX 16

static unsigned jobs; /* 0: not known yet */
/* Is this thread one of several at work? */
static _Thread_local bool is_helping;

struct work {
	size_t n;
	atomic_size_t next;
	void (*run)(void *ctx, size_t i);
	void *ctx;
};

void parallel_set_jobs(unsigned n)
{
	jobs = n < JOBS_MAX ? n : JOBS_MAX;
}

static unsigned count_processors(void)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);
#ifdef CPU_COUNT
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set) == 0)
		n = CPU_COUNT(&set);
#endif
	if (n < 1)
		return 1;
	return n < JOBS_MAX ? n : JOBS_MAX;
}

static void *work_on(void *arg)
{
	struct work *work = arg;
	size_t i;

	is_helping = true;
	while ((i = atomic_fetch_add(&work->next, 1)) < work->n)
		work->run(work->ctx, i);
	is_helping = false;
	return NULL;
}

/*
 * The first thread handles signals. Those that say that something is wrong with
 * an access are for the thread that made it.
 */
static void block_signals(sigset_t *old)
{
	static const int faults[] = { SIGABRT, SIGBUS,	SIGFPE,
				      SIGILL,  SIGSEGV, SIGTRAP };
	sigset_t all;

	sigfillset(&all);
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		sigdelset(&all, faults[i]);
	pthread_sigmask(SIG_SETMASK, &all, old);
}

/* Starts up to N threads. Returns how many. */
static unsigned start(pthread_t *threads, unsigned n, void *(*run)(void *arg),
		      void *arg)
{
	sigset_t old;
	unsigned started = 0;

	block_signals(&old);
	while (started < n &&
	       pthread_create(&threads[started], NULL, run, arg) == 0)
		started++;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return started;
}

/* How many threads may help with N pieces of work on so many bytes. */
static unsigned count_helpers(size_t n, uint64_t bytes)
{
	if (n < 2 || bytes < BYTES_MIN || is_helping)
		return 0;
	if (jobs == 0)
		jobs = count_processors();
	if (jobs < 2)
		return 0;
	/* A signal must find no token here. */
	if (jobs_have_server())
		output_watch();
	return jobs_take(jobs < n ? jobs - 1 : n - 1);
}

void parallel_run(size_t n, uint64_t bytes, void (*run)(void *ctx, size_t i),
		  void *ctx)
{
	struct work work = { .n = n, .run = run, .ctx = ctx };
	pthread_t threads[JOBS_MAX];
	unsigned more = count_helpers(n, bytes);

	if (more == 0) {
		for (size_t i = 0; i < n; i++)
			run(ctx, i);
		return;
	}
	more = start(threads, more, work_on, &work);
	work_on(&work);
	while (more > 0)
		pthread_join(threads[--more], NULL);
	jobs_give_back();
}

static void *run_task(void *arg)
{
	struct parallel_task *task = arg;

	task->run(task->ctx);
	return NULL;
}

void parallel_begin(struct parallel_task *task, uint64_t bytes,
		    void (*run)(void *ctx), void *ctx)
{
	*task = (struct parallel_task){ .run = run, .ctx = ctx };
	if (count_helpers(2, bytes) == 0)
		return;
	task->is_begun = start(&task->thread, 1, run_task, task) == 1;
	if (task->is_begun)
		is_helping = true;
	else
		jobs_give_back();
}

void parallel_wait(struct parallel_task *task)
{
	if (!task->is_begun)
		return;
	pthread_join(task->thread, NULL);
	task->is_begun = false;
	is_helping = false;
	jobs_give_back();
}
