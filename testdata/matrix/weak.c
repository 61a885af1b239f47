/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Overrides the weak function of core.c, whose body stays without a name. */
int weak_function(int n);

#ifdef PROBELESS
extern volatile int state;
#else
void __dtrace_sdt_weak___new(int);
#endif

int weak_function(int n)
{
#ifdef PROBELESS
	state = n;
#else
	__dtrace_sdt_weak___new(n);
#endif
	return n + 1;
}
