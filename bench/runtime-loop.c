/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a probe costs in a hot loop, in each form and state: prints lines of
 * "form arguments ticks", once through all of them for each round.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <x86intrin.h>

#include <sdtlink/sdt.h>
#include <sdtlink/sdt_patch.h>

#define NRUNS 40
#define NITERATIONS 50000
#define NTRAPS 20

extern const char __executable_start[], etext[];
void handler(sdt_uptr a, ...);
typedef void handler_fn(sdt_uptr, ...);

/* --- Forms ---------------------------------------------------------------- */

/*
 * The work: with -DWIDE, so many instructions at once that each one more takes
 * time; else a chain that leaves the CPU idle.  The arguments are for the probe
 * alone.  No asm keeps the compiler from making it less: gcc would copy each
 * value that goes through one, where there is a call in the loop.
 */
#ifdef WIDE
#define WORK() \
	do { \
		x = ((x + n) ^ 0x5a5a5a) + n; \
		a = ((a ^ n) + 0x5a5a5a) ^ n; \
		b = ((b - n) ^ 0x5a5a5a) - n; \
		c = ((c + n) ^ 0x5a5a5a) + n; \
		d = ((d ^ n) + 0x5a5a5a) ^ n; \
	} while (0)
#else
#define WORK() \
	do { \
		x ^= x << 13; \
		x ^= x >> 7; \
		x ^= x << 17; \
	} while (0)
#endif

#define LOOP(name, probe) \
	__attribute__((__noinline__, __aligned__(64))) sdt_u64 name(sdt_u64 n) \
	{ \
		sdt_u64 x = 88172645463325252u, a = 1, b = 2, c = 3, d = 4; \
\
		for (; n > 0; n--) { \
			WORK(); \
			probe; \
		} \
		return x + a + b + c + d; \
	}

#define ARGS2 x, n
#define ARGS5 x, n, x + 1, n ^ x, 5

static void (*volatile pointer0)(void);
static void (*volatile pointer2)(sdt_u64, sdt_u64);
static void (*volatile pointer5)(sdt_u64, sdt_u64, sdt_u64, sdt_u64, sdt_u64);

/* The classic: a global pointer, looked at each time. */
#define POINTER(n, ...) \
	do { \
		__typeof__(pointer##n) fn = pointer##n; \
		if (__builtin_expect(fn != 0, 0)) \
			fn(__VA_ARGS__); \
	} while (0)

void handler0(void);
void handler2(sdt_u64, sdt_u64);
void handler5(sdt_u64, sdt_u64, sdt_u64, sdt_u64, sdt_u64);

LOOP(none, (void)0)
LOOP(pointer_0, POINTER(0))
LOOP(pointer_2, POINTER(2, ARGS2))
LOOP(pointer_5, POINTER(5, ARGS5))
LOOP(call_0, SDT_PROBE0(bench, c0))
LOOP(call_2, SDT_PROBE2(bench, c2, x, n))
LOOP(call_5, SDT_PROBE5(bench, c5, x, n, x + 1, n ^ x, 5))
LOOP(branch_0, SDT_BRANCH_PROBE0(bench, b0))
LOOP(branch_2, SDT_BRANCH_PROBE2(bench, b2, x, n))
LOOP(branch_5, SDT_BRANCH_PROBE5(bench, b5, x, n, x + 1, n ^ x, 5))

typedef sdt_u64 loop_fn(sdt_u64);

#define NCALLS 3
#define NSITES 9 /* and a NOP and a call of each branch */

static loop_fn *const pointer_loops[] = { pointer_0, pointer_2, pointer_5 };
static loop_fn *const call_loops[] = { call_0, call_2, call_5 };
static loop_fn *const branch_loops[] = { branch_0, branch_2, branch_5 };
static const int nargs[] = { 0, 2, 5 };

/* The least that a handler can do. */
__asm__("	.text\n"
	"	.globl handler, handler0, handler2, handler5\n"
	"	.balign 16\n"
	"handler:\nhandler0:\nhandler2:\nhandler5:\n"
	"	ret\n");

/* --- Patching ------------------------------------------------------------- */

static int is_text(void *cookie, sdt_uptr addr, sdt_u32 len)
{
	sdt_uptr at = addr - (sdt_uptr)__executable_start;
	sdt_uptr size = (sdt_uptr)etext - (sdt_uptr)__executable_start;

	(void)cookie;
	/* addr + len could wrap. */
	return at <= size && len <= size - at;
}

static int write_text(void *cookie, sdt_uptr addr, const sdt_u8 *bytes,
		      sdt_u32 len)
{
	(void)cookie;
	memcpy((void *)addr, bytes, len);
	return 0;
}

static const struct sdt_patch_host host = { .is_text = is_text,
					    .write = write_text };
static struct sdt_table table;
static struct sdt_site sites[NSITES]; /* the calls first */

static void die(const char *what)
{
	fprintf(stderr, "runtime-loop: %s\n", what);
	exit(1);
}

static void set_sites(int first, int end, sdt_uptr from, sdt_uptr to)
{
	for (int i = first; i < end; i++)
		if (sdt_patch_set(&host, &sites[i], from, to) != 0)
			die("a site cannot be patched");
}

/* Other bytes that do nothing. */
static void fill_calls(const char *bytes)
{
	for (int i = 0; i < NCALLS; i++)
		memcpy((void *)sites[i].addr, bytes, 5);
}

static void set_pointers(int is_on)
{
	pointer0 = is_on ? handler0 : 0;
	pointer2 = is_on ? handler2 : 0;
	pointer5 = is_on ? handler5 : 0;
}

static void handle_trap(int signal, siginfo_t *info, void *context)
{
	greg_t *saved = ((ucontext_t *)context)->uc_mcontext.gregs;
	struct sdt_patch_regs regs = { .pc = (sdt_uptr)saved[REG_RIP] };
	struct sdt_site site;

	(void)signal;
	(void)info;
	if (sdt_patch_trap(&table, &regs, &site) != SDT_TRAP_HIT)
		abort();
	saved[REG_RIP] = (greg_t)regs.pc;
}

static void find_sites(const char *pattern, int first, int end)
{
	struct sdt_match match;
	struct sdt_site more;

	sdt_match_start(&match, &table, "m", pattern);
	for (int i = first; i < end; i++)
		if (!sdt_match_next(&match, &sites[i]))
			die("not all sites");
	if (sdt_match_next(&match, &more))
		die("too many sites");
}

static void prepare(void)
{
	const struct sdt_bounds bounds = SDT_BOUNDS;
	struct sigaction action = { .sa_sigaction = handle_trap,
				    .sa_flags = SA_SIGINFO };

	if (sdt_table_check_anchored(&bounds, &table) != 0)
		die("no table");
	find_sites("bench:::c?", 0, NCALLS);
	find_sites("bench:::b?", NCALLS, NSITES);
	if (mprotect((void *)__executable_start, etext - __executable_start,
		     PROT_READ | PROT_WRITE | PROT_EXEC) != 0 ||
	    sigaction(SIGTRAP, &action, NULL) != 0)
		die("text cannot be written");
}

/* --- Measuring ------------------------------------------------------------ */

/* The quickest of some short runs: other work can only make one slower. */
static void measure(const char *form, int n, loop_fn *loop, unsigned long count)
{
	loop_fn *volatile run = loop; /* not a function without effects */
	static volatile sdt_u64 sink;
	sdt_u64 least = ~(sdt_u64)0;

	for (int i = 0; i < NRUNS; i++) {
		sdt_u64 start = __rdtsc(), ticks;

		sink = run(count);
		ticks = __rdtsc() - start;
		if (ticks < least)
			least = ticks;
	}
	printf("%s %d %.4f\n", form, n, (double)least / count);
	(void)sink;
}

static void measure_all(const char *form, loop_fn *const loops[3],
			unsigned long count)
{
	for (int i = 0; i < 3; i++)
		measure(form, nargs[i], loops[i], count);
}

static void run_disabled(void)
{
	for (int i = 0; i < 3; i++)
		measure("none", nargs[i], none, NITERATIONS);
	measure_all("pointer", pointer_loops, NITERATIONS);
	fill_calls("\x90\x90\x90\x90\x90");
	measure_all("call-5x1", call_loops, NITERATIONS);
	fill_calls("\x90\x0f\x1f\x40\x00");
	measure_all("call-1+4", call_loops, NITERATIONS);
	fill_calls("\x0f\x1f\x44\x00\x00");
	measure_all("call", call_loops, NITERATIONS);
	measure_all("branch", branch_loops, NITERATIONS);
}

static void run_enabled(void)
{
	set_pointers(1);
	measure_all("pointer-on", pointer_loops, NITERATIONS);
	set_pointers(0);
	set_sites(0, NCALLS, SDT_PATCH_OFF, (sdt_uptr)handler);
	measure_all("call-on", call_loops, NITERATIONS);
	set_sites(0, NCALLS, (sdt_uptr)handler, SDT_PATCH_TRAP);
	measure_all("breakpoint", call_loops, NTRAPS);
	set_sites(0, NCALLS, SDT_PATCH_TRAP, SDT_PATCH_OFF);
	set_sites(NCALLS, NSITES, SDT_PATCH_OFF, (sdt_uptr)handler);
	measure_all("branch-on", branch_loops, NITERATIONS);
	set_sites(NCALLS, NSITES, (sdt_uptr)handler, SDT_PATCH_OFF);
}

int main(int argc, char **argv)
{
	int nrounds = argc > 1 ? atoi(argv[1]) : 1;

	prepare();
	for (int i = 0; i < NSITES; i++)
		if (sdt_patch_init(&host, &sites[i]) != SDT_PATCH_OK)
			die("a site is not as linked");
	for (int i = 0; i < nrounds; i++) {
		puts("round");
		run_disabled();
		run_enabled();
	}
	return 0;
}
