/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A program with every kind of probe site that a C compiler makes, which runs
 * on the Linux of each instruction set: tests/arch/arch-chain. It computes the same
 * whether its probes fire or not; handlers.c counts those that do.
 */
#define NOINLINE __attribute__((noinline))
#define COLD __attribute__((cold, noinline))

typedef unsigned long word;

void __dtrace_sdt_t___none(void);
void __dtrace_sdt_t___one(word);
void __dtrace_sdt_t___four(word, word, word, word);
void __dtrace_sdt_t___six(word, word, word, word, word, word);
void __dtrace_sdt_t___tail(word);
void __dtrace_sdt_t___cond(word);
void __dtrace_sdt_t___cold(word);
void __dtrace_sdt_t___init(void);
void __dtrace_sdt_t___guarded(word);
int __dtrace_sdt_enabled_t___guarded(void);

volatile word state;

NOINLINE word leaf(word n)
{
	__dtrace_sdt_t___one(n);
	return n + 1;
}

NOINLINE word arguments(word n)
{
	__dtrace_sdt_t___none();
	__dtrace_sdt_t___four(n, n + 1, n + 2, n + 3);
	__dtrace_sdt_t___six(n, 1, 2, 3, 4, 5);
	return n;
}

NOINLINE void tail(word n)
{
	state += n;
	__dtrace_sdt_t___tail(n);
}

/* Not a leaf: its last call is made out of a stack frame. */
NOINLINE void tail_of_frame(word n)
{
	state += leaf(n);
	__dtrace_sdt_t___tail(state);
}

/* A conditional tail call, where the compiler makes one. */
NOINLINE void cond(word n)
{
	if (n & 1)
		__dtrace_sdt_t___cond(n);
}

NOINLINE word guarded(word n)
{
	if (__dtrace_sdt_enabled_t___guarded())
		__dtrace_sdt_t___guarded(n);
	return n + 2;
}

COLD word cold(word n)
{
	__dtrace_sdt_t___cold(n);
	return n * 2;
}

__attribute__((section(".init.text"), noinline)) word init(void)
{
	__dtrace_sdt_t___init();
	return 1;
}

/* Twice the same: what identical code folding would like to fold. */
NOINLINE word same_a(word n)
{
	__dtrace_sdt_t___none();
	return n ^ 5;
}

NOINLINE word same_b(word n)
{
	__dtrace_sdt_t___none();
	return n ^ 5;
}

static NOINLINE word local(word n)
{
	__dtrace_sdt_t___one(n);
	return n - 1;
}

/* Returns a number that depends on all of the above. */
word run(void)
{
	word sum = init();

	for (word n = 0; n < 4; n++) {
		sum += leaf(n) + arguments(n) + guarded(n) + same_a(n) +
		       same_b(n) + local(n);
		tail(n);
		tail_of_frame(n);
		cond(n);
		if (state == 4)
			sum += cold(n);
	}
	return sum + state;
}
