/* SPDX-License-Identifier: BSD-2-Clause */
/* A machine with nothing below: what is the same on each (bare.c), and not. */
#ifndef BARE_H
#define BARE_H

#include "live.h"

#ifndef NCPUS
#define NCPUS 4
#endif
#ifndef NCHANGES
#define NCHANGES 200000
#endif

/* bare.c, called by the boot code: CPU 0 first, it starts the others. */
void bare_main(unsigned int cpu) __attribute__((__noreturn__));

/* An answer, and a pass of all sites; 0 if now is no time for that. */
int bare_round(unsigned int cpu);

/* Of the machine */
void bare_put(char c);
void bare_start_cpus(void);
void bare_serialize(void); /* this CPU fetches anew what was written */
void bare_flush(sdt_uptr addr, sdt_u32 len); /* text that was written */
void bare_exit(int is_pass) __attribute__((__noreturn__));

#endif
