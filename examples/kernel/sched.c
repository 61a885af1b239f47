/* SPDX-License-Identifier: BSD-2-Clause */
/* A probe in a hot loop, and one that is the tail call of its function. */
#include "kernel.h"

#define NTASKS 4

static unsigned int runnable = 1;
static unsigned int nrun[NTASKS];

void sched_wake_up(unsigned int task)
{
	runnable |= 1u << task;
	SDT_PROBE1(sched, wake__up, task);
}

unsigned int sched_run(unsigned int nticks)
{
	unsigned int task = 0, digest = 0;

	for (unsigned int tick = 0; tick < nticks; tick++) {
		unsigned int old = task;

		do {
			task = (task + 1) % NTASKS;
		} while (!(runnable & 1u << task));
		nrun[task]++;
		SDT_PROBE3(sched, switch, old, task, tick);
		digest = digest * 31 + task;
	}
	return digest;
}
