/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sites of each form, for main() of runtime-patch-cross and control.c. */
#include <sdt.h>
#define noinline __attribute__((noinline))
noinline int call(int n)
{
	SDT_PROBE2(t, call, n, 7);
	return n;
}
noinline int branch(int n)
{
#ifdef SDT_BRANCH
	SDT_BRANCH_PROBE2(t, branch, n, 7);
	return SDT_BRANCH(t, block) ? 0 : n;
#else
	SDT_PROBE2(t, branch, n, 7);
	return SDT_PROBE_ENABLED(t, block) ? 0 : n;
#endif
}
noinline void tail(int n)
{
	SDT_PROBE2(t, tail, n, 7);
}
noinline int enabled(void)
{
	return SDT_PROBE_ENABLED(t, call) ? 5 : 3;
}
noinline int ask(void)
{
	return SDT_PROBE_ENABLED(t, tail);
}
