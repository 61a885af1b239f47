/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Another object of the program: it shares probes with core.c. */
#define NOINLINE __attribute__((noinline))
#define COLD __attribute__((cold, noinline))

void __dtrace_sdt_udp___receive(const int *, int);
void __dtrace_sdt_udp___send(const int *, int, int);
void __dtrace_sdt_udp___drop(const int *, int, int, int);
void __dtrace_sdt_udp___poll(int);
void __dtrace_sdt_sched___switch(void);
int __dtrace_sdt_enabled_udp___drop(int);

extern volatile int state;
extern int counters[16];

int net_receive(const int *p, int n);
int net_send(const int *p, int n);
int net_poll(int n);
int net_unused(int n);

COLD static void net_drop(const int *p, int n)
{
	if (__dtrace_sdt_enabled_udp___drop(n))
		__dtrace_sdt_udp___drop(p, n, 0, 1);
	state = n;
	__dtrace_sdt_udp___drop(p, 0, n, 2);
}

NOINLINE int net_receive(const int *p, int n)
{
	__dtrace_sdt_udp___receive(p, n);
	if (__builtin_expect(n > 1500, 0)) {
		__dtrace_sdt_udp___drop(p, n, 1, 1);
		net_drop(p, n);
		return -1;
	}
	__dtrace_sdt_udp___receive(p, p[n & 15]);
	return n;
}

NOINLINE int net_send(const int *p, int n)
{
	for (int i = 0; i < n; i++)
		__dtrace_sdt_udp___send(p, n, i);
	if (n & 64)
		net_drop(p, n);
	__dtrace_sdt_sched___switch();
	return n;
}

/* Tail calls on all paths but one. */
static NOINLINE void net_tail(int n)
{
	switch (n & 3) {
	case 0:
		__dtrace_sdt_udp___poll(n);
		return;
	case 1:
		__dtrace_sdt_udp___send(counters, n, n);
		return;
	case 2:
		__dtrace_sdt_udp___receive(counters, n);
		return;
	default:
		state = n;
	}
}

NOINLINE int net_poll(int n)
{
	net_tail(n);
	__dtrace_sdt_udp___poll(n + 1);
	return state;
}

NOINLINE int net_unused(int n)
{
	__dtrace_sdt_udp___poll(n);
	return n;
}
