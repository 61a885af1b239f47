/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A freestanding program with every kind of probe site that a C compiler
 * makes, in as many kinds of sections; tests/verify/verify-matrix links it.
 */
#define NOINLINE __attribute__((noinline))
#define COLD __attribute__((cold, noinline))
#define WEAK __attribute__((weak, noinline))
#define IN_SECTION(name) __attribute__((section(name), noinline))

/* Where each function has a section of its own, it needs a global name. */
#ifdef ALL_GLOBAL
#define LOCAL
#else
#define LOCAL static
#endif

typedef unsigned long word;

void __dtrace_sdt_sched___switch(void);
void __dtrace_sdt_sched___wake__up(int);
void __dtrace_sdt_udp___receive(const void *, int);
void __dtrace_sdt_udp___send(const void *, int, int);
void __dtrace_sdt_udp___drop(const void *, int, int, int);
void __dtrace_sdt_vm___fault(word, word, word, word, word);
void __dtrace_sdt_vm___alloc(word, word, word, word, word, word);
void __dtrace_sdt_init___start(void);
void __dtrace_sdt_init___done(int);
void __dtrace_sdt_shared___inline(int);
void __dtrace_sdt_weak___old(void);
void __dtrace_sdt_plain(void);
int __dtrace_sdt_enabled_udp___receive(void);
int __dtrace_sdt_enabled_vm___fault(void);

volatile int state;
int counters[16];
int (*volatile handler)(int);
static __thread int per_cpu;

NOINLINE int sched_switch(int cpu)
{
	__dtrace_sdt_sched___switch();
	counters[cpu & 15]++;
	return cpu;
}

/* A tail call. */
NOINLINE void sched_wake_up(int thread)
{
	state = thread;
	__dtrace_sdt_sched___wake__up(thread);
}

/* A conditional tail call, where the compiler makes one. */
NOINLINE void sched_idle(int n)
{
	if (n & 1)
		__dtrace_sdt_sched___switch();
}

/* Two functions that differ in nothing but the probe. */
NOINLINE void twin_receive(const void *p, int n)
{
	state += n;
	__dtrace_sdt_udp___receive(p, n);
	state -= n;
}

NOINLINE void twin_send(const void *p, int n)
{
	state += n;
	__dtrace_sdt_udp___send(p, n, 0);
	state -= n;
}

/* Two that differ in nothing at all: ICF may fold them. */
NOINLINE void same_one(const void *p)
{
	__dtrace_sdt_udp___receive(p, 1);
	state = 1;
}

NOINLINE void same_two(const void *p)
{
	__dtrace_sdt_udp___receive(p, 1);
	state = 1;
}

COLD void panic(int why)
{
	__dtrace_sdt_udp___drop(counters, why, 1, 2);
	state = why;
}

/* The cold half of this goes to a section of its own. */
NOINLINE int udp_receive(const void *p, int n)
{
	if (__dtrace_sdt_enabled_udp___receive())
		__dtrace_sdt_udp___receive(p, n);
	if (n > 1500) {
		panic(n);
		__dtrace_sdt_udp___drop(p, n, 0, 1);
		return -1;
	}
	return sched_switch(n) + per_cpu;
}

LOCAL NOINLINE int udp_local(const void *p, int n)
{
	__dtrace_sdt_udp___send(p, n, 7);
	return n + 1;
}

/* Its address is taken, and it has no other caller. */
LOCAL int udp_handler(int n)
{
	__dtrace_sdt_udp___send(counters, n, 8);
	return n + state;
}

WEAK int weak_function(int n)
{
	__dtrace_sdt_weak___old();
	return n;
}

__attribute__((aligned(256), noinline)) int aligned(int n)
{
	__dtrace_sdt_plain();
	return n + 1;
}

NOINLINE int vm_fault(word addr, word error)
{
	word page = addr & ~4095ul;

	if (__dtrace_sdt_enabled_vm___fault())
		__dtrace_sdt_vm___fault(addr, error, page, 3, 4);
	__dtrace_sdt_vm___alloc(1, 2, page, 4, error, 6);
	switch (error & 7) {
	case 0:
		__dtrace_sdt_vm___fault(0, 0, 0, 0, 0);
		return sched_switch(1);
	case 1:
		return udp_local(counters, 1);
	case 2:
		return udp_receive(counters, 2);
	case 3:
		__dtrace_sdt_vm___alloc(page, 0, 0, 0, 0, 0);
		return weak_function(3);
	case 4:
		return aligned(4);
	default:
		return handler(5);
	}
}

IN_SECTION(".init.text") int init(void)
{
	__dtrace_sdt_init___start();
	handler = udp_handler;
	per_cpu = 2;
	__dtrace_sdt_init___done(state);
	return 1;
}

IN_SECTION(".text.hot") int hot(int n)
{
	__dtrace_sdt_sched___switch();
	return n + counters[n & 15];
}

/* Gcc calls it through the GOT, which linkers rewrite in place. */
#ifdef __clang__
int shared_inline(int);
#else
int shared_inline(int) __attribute__((noplt));
#endif

/* A program's only way to end is not to. */
void start(void)
{
	__dtrace_sdt_plain();
	init();
	twin_receive(counters, 1);
	twin_send(counters, 2);
	same_one(counters);
	same_two(counters);
	sched_idle(state);
	for (;;) {
		state += vm_fault((word)counters, (word)state);
		state += hot(state) + shared_inline(state);
		sched_wake_up(state);
	}
}

/* What a C++ compiler makes of an inline function. */
__asm__("\t.pushsection .text.shared_inline,\"axG\",%progbits,shared_inline,comdat\n"
	"\t.weak shared_inline\n"
#ifdef ALL_HIDDEN
	"\t.hidden shared_inline\n"
#endif
	"\t.type shared_inline, %function\n"
	"shared_inline:\n"
	"\tcall __dtrace_sdt_shared___inline\n"
	"\tret\n"
	"\t.size shared_inline, .-shared_inline\n"
	"\t.popsection\n");
