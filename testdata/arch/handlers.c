/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The probe functions of program.c as somebody who listens would define them,
 * and the program's start: it ends with 0 if all of them were called as often
 * as they should be, with the right arguments, and with -DSILENT if none was.
 */
#include "machine.h"

typedef unsigned long word;

extern volatile word state;
word run(void);

static volatile word hits, total;

#define COUNT(sum) \
	do { \
		hits++; \
		total += (sum); \
	} while (0)

#ifndef NO_HANDLERS
void __dtrace_sdt_t___none(void) { COUNT(1); }
void __dtrace_sdt_t___one(word a) { COUNT(a); }
void __dtrace_sdt_t___four(word a, word b, word c, word d)
{
	COUNT(a * 1 + b * 2 + c * 3 + d * 4);
}
void __dtrace_sdt_t___six(word a, word b, word c, word d, word e, word f)
{
	COUNT(a * 1 + b * 2 + c * 3 + d * 4 + e * 5 + f * 6);
}
void __dtrace_sdt_t___tail(word a) { COUNT(a * 3); }
void __dtrace_sdt_t___cold(word a) { COUNT(a * 1000); }
void __dtrace_sdt_t___init(void) { COUNT(10000); }
void __dtrace_sdt_t___guarded(word a) { COUNT(a * 7); }
int __dtrace_sdt_enabled_t___guarded(void) { return 1; }
#ifndef SILENT /* a conditional branch cannot be disabled everywhere */
void __dtrace_sdt_t___cond(word a) { COUNT(a * 100); }
#endif
#endif

#ifdef SILENT
enum { HITS = 0, TOTAL = 0 };
#else
enum { HITS = 48, TOTAL = 12006 };
#endif

void __attribute__((used)) start_in_c(void)
{
	if (run() != 95)
		exit_with(3);
	if (hits != HITS || total != TOTAL)
		exit_with(hits == 0 ? 4 : 5);
	exit_with(0);
}

#ifndef START_IN_ASSEMBLY
void _start(void) { start_in_c(); }
#endif
