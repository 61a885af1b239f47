/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The greater part of the program that tests/matrix.py links in every way:
 * every kind of probe site that a C compiler makes, in as many kinds of
 * sections. No two functions of the program have one name.
 */
#define NOINLINE __attribute__((noinline))
#define COLD __attribute__((cold, noinline))
#define WEAK __attribute__((weak, noinline))
#define INIT __attribute__((section(".init.text"), noinline))

typedef unsigned long word;

void __dtrace_sdt_sched___switch(void);
void __dtrace_sdt_sched___wake__up(int);
void __dtrace_sdt_vm___map(word, word);
void __dtrace_sdt_vm___unmap(word, word, word);
void __dtrace_sdt_vm___protect(word, word, int, int);
void __dtrace_sdt_vm___fault(word, word, word, word, word);
void __dtrace_sdt_vm___alloc(word, word, word, word, word, word);
void __dtrace_sdt_init___begin(void);
void __dtrace_sdt_init___end(int);
void __dtrace_sdt_panic___enter(int);
void __dtrace_sdt_weak___old(int);
void __dtrace_sdt_bare(void);
int __dtrace_sdt_enabled_sched___switch(void);
int __dtrace_sdt_enabled_vm___fault(void);

int net_receive(const int *p, int n);
int net_send(const int *p, int n);
int net_poll(int n);
int copy_one(int n);
int copy_two(int n);
void reader(void);

volatile int state;
int counters[16];
int (*volatile handler)(int);

void start(void);

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

/* The tail call of an is-enabled function. */
NOINLINE int sched_is_traced(void)
{
	return __dtrace_sdt_enabled_sched___switch();
}

/* Two functions that differ in nothing but the probe. */
NOINLINE void twin_switch(int n)
{
	state += n;
	__dtrace_sdt_sched___switch();
	state -= n;
}

NOINLINE void twin_bare(int n)
{
	state += n;
	__dtrace_sdt_bare();
	state -= n;
}

/* Two that differ in nothing at all: folding them is right. */
NOINLINE void same_one(int n)
{
	__dtrace_sdt_sched___wake__up(n);
	state = 1;
}

NOINLINE void same_two(int n)
{
	__dtrace_sdt_sched___wake__up(n);
	state = 1;
}

COLD void panic(int why)
{
	__dtrace_sdt_panic___enter(why);
	state = why;
	__dtrace_sdt_bare();
	state++;
}

/* A hot loop, and a cold half that may go to a section of its own. */
NOINLINE int vm_scan(word addr, int n)
{
	int sum = 0;

	for (int i = 0; i < n; i++) {
		__dtrace_sdt_vm___map(addr, (word)i);
		sum += counters[i & 15];
		if (__builtin_expect(sum < 0, 0)) {
			__dtrace_sdt_vm___unmap(addr, (word)i, 1);
			panic(sum);
			__dtrace_sdt_vm___protect(addr, 1, sum, i);
			return -1;
		}
	}
	return sum;
}

/* The compiler may inline this one, and its site with it. */
static int vm_local(word addr, int n)
{
	__dtrace_sdt_vm___unmap(addr, (word)n, 2);
	return n + 1;
}

/* Its address is taken, and it has no other caller. */
static int vm_handler(int n)
{
	__dtrace_sdt_vm___protect(0, 0, n, 4);
	return n + state;
}

/* weak.c may have another. */
WEAK int weak_function(int n)
{
	__dtrace_sdt_weak___old(n);
	return n;
}

/* Nobody calls this: --gc-sections drops it. */
NOINLINE int never_called(int n)
{
	__dtrace_sdt_vm___map((word)n, 7);
	return n;
}

__attribute__((aligned(256), noinline)) int aligned(int n)
{
	__dtrace_sdt_bare();
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
		return vm_local(addr, 1);
	case 2:
		return vm_scan(addr, 2);
	case 3:
		__dtrace_sdt_vm___alloc(page, 0, 0, 0, 0, 0);
		return weak_function(3);
	case 4:
		return aligned(4);
	default:
		return handler(5);
	}
}

INIT int init(void)
{
	__dtrace_sdt_init___begin();
	handler = vm_handler;
	__dtrace_sdt_init___end(state);
	return 1;
}

/* A program's only way to end is not to. */
void start(void)
{
	__dtrace_sdt_bare();
	init();
	reader();
	twin_switch(1);
	twin_bare(2);
	same_one(state);
	same_two(state);
	for (;;) {
		sched_idle(state);
		state += vm_fault((word)counters, (word)state);
		state += net_receive(counters, state) + net_send(counters, 3);
		state += net_poll(state) + sched_is_traced();
		state += copy_one(state) + copy_two(state);
		sched_wake_up(state);
	}
}
