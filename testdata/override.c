/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Overrides the weak function of program.c, whose body stays without a name. */
void __dtrace_sdt_weak___new(void);

int weak_function(int n);
int weak_function(int n)
{
	__dtrace_sdt_weak___new();
	return n + 1;
}
