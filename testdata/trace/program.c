/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The program of tests/trace.py, with probes if PROBES is defined. */
#ifdef PROBES
void __dtrace_sdt_udp___receive(int n);
void __dtrace_sdt_udp___send(int n, long m);
int __dtrace_sdt_enabled_udp___send(int n);
#define RECEIVE(n) __dtrace_sdt_udp___receive(n)
#define SEND(n, m) __dtrace_sdt_udp___send(n, m)
#define ENABLED(n) __dtrace_sdt_enabled_udp___send(n)
#else
#define RECEIVE(n) (void)(n)
#define SEND(n, m) (void)(n)
#define ENABLED(n) ((n) && 0)
#endif

int outside(int n);
extern int state __attribute__((visibility("hidden")));

static __attribute__((noinline)) int work(int n)
{
	RECEIVE(n);
	n = outside(n + 1);
	SEND(n, 2);
	return outside(n) + state;
}

__attribute__((noinline)) int more(int n)
{
	if (n > 3 && ENABLED(n))
		SEND(outside(n), 3);
	return outside(work(n));
}

__attribute__((noinline)) void last(int n)
{
	state = outside(n);
	RECEIVE(n);
}

void start(int n)
{
	last(more(n));
	RECEIVE(outside(n));
}
