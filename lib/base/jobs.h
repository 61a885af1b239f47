/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The job server of make: "POSIX Jobserver Interaction" in the manual of GNU
 * make. Each process that it runs may use one processor, and for each other one
 * has to take a token, which it gives back.
 */
#ifndef SDTLINK_JOBS_H
#define SDTLINK_JOBS_H

#include <stdbool.h>

/* Does a make with a job server run this? */
bool jobs_have_server(void);

/*
 * Takes up to N tokens, and does not wait for any. Returns how many. All N if
 * no make with a job server runs this; none if there is one that cannot be
 * asked.
 */
unsigned jobs_take(unsigned n);

/* Gives back all, each once. A signal handler may call it. */
void jobs_give_back(void);

#endif
