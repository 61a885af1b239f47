/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Not in the partial, and yet it calls a probe: no table knows. */
void __dtrace_sdt_bare(void);

extern volatile int state;

void outside(void);
void outside(void)
{
	state = 3;
	__dtrace_sdt_bare();
	state = 4;
}
