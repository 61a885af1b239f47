/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A site has a version, which is odd while it is changed.  Who reads the same
 * even version before and after a pass knows what the site did all the while:
 * one hit, or none.  In between there may be either, but not two.
 */
#include "live.h"

#define TEXT_MAX (1 << 20)

/* What a site is in: mode, and a version that is odd while it changes. */
struct state {
	uintptr_t version; /* number << 8 | mode << 1 | is changing */
	int is_trapping;
};

/* Written by that CPU alone. */
struct cpu {
	unsigned int nfired; /* in this pass */
	enum live_mode fired;
	unsigned long npasses;
	unsigned long nchanged; /* passes of a site that changed meanwhile */
	unsigned long nlost;
	unsigned long nspurious;
	unsigned long nbadargs;
	unsigned long ntraps;
	unsigned long nsure[LIVE_NSITES_MAX][LIVE_NMODES];
};

static struct sdt_table table;
static struct sdt_site sites[LIVE_NSITES_MAX]; /* as live_sites */
static struct state states[LIVE_NSITES_MAX];
static int can_trap[LIVE_NSITES_MAX]; /* has the ISA that state for it? */
static struct cpu cpus[LIVE_NCPUS_MAX];
static char original[TEXT_MAX];
static unsigned long nrefused;

#define CPU_OF(token) (&cpus[(token) % LIVE_NCPUS_MAX])
#define MODE_OF(version) ((enum live_mode)((version) >> 1 & 0x7f))

static uintptr_t read_version(unsigned int i)
{
	return __atomic_load_n(&states[i].version, __ATOMIC_SEQ_CST);
}

static void write_version(unsigned int i, uintptr_t version)
{
	__atomic_store_n(&states[i].version, version, __ATOMIC_SEQ_CST);
}

/* --- What fires --------------------------------------------------------- */

static void fire(uintptr_t token, uintptr_t check, enum live_mode mode)
{
	struct cpu *cpu = CPU_OF(token);

	cpu->nfired++;
	cpu->fired = mode;
	if (check != ~token)
		cpu->nbadargs++;
	if (token % 3 == 0)
		live_yield();
}

static void handler_a(uintptr_t token, uintptr_t check)
{
	fire(token, check, LIVE_A);
}

static void handler_b(uintptr_t token, uintptr_t check)
{
	fire(token, check, LIVE_B);
}

static int enabled_a(void)
{
	return LIVE_A;
}

static int enabled_b(void)
{
	return LIVE_B;
}

int live_trap(struct sdt_patch_regs *regs, uintptr_t arg0, uintptr_t arg1)
{
	struct sdt_site site;
	enum sdt_patch_trap trap = sdt_patch_trap(&table, regs, &site);
	unsigned int i = 0;

	if (trap == SDT_TRAP_NOT_OURS)
		return 0;
	while (sites[i].addr != site.addr)
		i++;
	if (!site.is_enabled && site.form != SDT_FORM_BRANCH)
		CPU_OF(arg0)->ntraps++;
	if (trap == SDT_TRAP_PASSED ||
	    !__atomic_load_n(&states[i].is_trapping, __ATOMIC_SEQ_CST))
		return 1;
	if (site.is_enabled)
		regs->result = LIVE_TRAP;
	else if (site.form == SDT_FORM_BRANCH)
		regs->pc = site.target;
	else
		fire(arg0, arg1, LIVE_TRAP);
	return 1;
}

/* --- Passing sites ------------------------------------------------------ */

/* Site I was in MODE all the while. */
static void judge(struct cpu *cpu, unsigned int i, enum live_mode mode)
{
	int is_on = mode != LIVE_OFF && mode != LIVE_STUB;

	if (!is_on && cpu->nfired > 0)
		cpu->nspurious++;
	else if (is_on && (cpu->nfired != 1 || cpu->fired != mode))
		cpu->nlost++;
	else
		cpu->nsure[i][mode]++;
}

/* Those tell by what they yield, in the branch form not more than yes. */
static int yields(unsigned int i)
{
	return sites[i].is_enabled || sites[i].form == SDT_FORM_BRANCH;
}

static void pass_site(struct cpu *cpu, unsigned int i, uintptr_t token)
{
	uintptr_t before = read_version(i);
	int result;

	cpu->nfired = 0;
	if (token % 5 == 0)
		live_yield();
	result = live_sites[i].pass(token);
	if (yields(i)) {
		/* Whatever a call in the block has fired is of that site. */
		cpu->nfired = result != 0;
		cpu->fired = sites[i].is_enabled ? (enum live_mode)result
						 : MODE_OF(before);
	}
	if (read_version(i) != before || (before & 1) != 0) {
		cpu->nchanged++;
		cpu->nspurious += cpu->nfired > 1;
	} else if (yields(i) || result != 0) {
		judge(cpu, i, MODE_OF(before));
	} else {
		cpu->nspurious += cpu->nfired > 0;
	}
}

void live_pass(unsigned int cpu)
{
	uintptr_t npasses = cpus[cpu].npasses++;

	for (unsigned int i = 0; i < live_nsites; i++)
		pass_site(&cpus[cpu], i, (npasses + i) * LIVE_NCPUS_MAX + cpu);
}

/* --- Changing them ------------------------------------------------------ */

static uint32_t random_below(uint32_t n)
{
	static uint32_t x = 2463534242u;

	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	return x % n;
}

static sdt_uptr target_of(unsigned int i, enum live_mode mode)
{
	switch (mode) {
	case LIVE_OFF:
		return SDT_PATCH_OFF;
	case LIVE_STUB:
		return sites[i].stub;
	case LIVE_A:
		return sites[i].is_enabled ? (sdt_uptr)enabled_a
					   : (sdt_uptr)handler_a;
	case LIVE_B:
		return sites[i].is_enabled ? (sdt_uptr)enabled_b
					   : (sdt_uptr)handler_b;
	case LIVE_TRAP:
	case LIVE_NMODES:
		break;
	}
	return SDT_PATCH_TRAP;
}

static void change(const struct sdt_patch_host *host, unsigned int i,
		   enum live_mode to)
{
	uintptr_t version = states[i].version;
	enum live_mode from = MODE_OF(version);

	write_version(i, version | 1);
	if (to == LIVE_TRAP)
		__atomic_store_n(&states[i].is_trapping, 1, __ATOMIC_SEQ_CST);
	if (sdt_patch_set(host, &sites[i], target_of(i, from),
			  target_of(i, to)) != SDT_PATCH_OK)
		nrefused++;
	if (to != LIVE_TRAP)
		__atomic_store_n(&states[i].is_trapping, 0, __ATOMIC_SEQ_CST);
	write_version(i, ((version >> 8) + 1) << 8 | (uintptr_t)to << 1);
}

/* How many states of sites no CPU has come to for sure. */
static unsigned long count_unseen(void)
{
	unsigned long nunseen = 0;

	for (unsigned int i = 0; i < live_nsites; i++) {
		for (int mode = 0; mode < LIVE_NMODES; mode++) {
			unsigned long n = 0;

			if (mode == LIVE_TRAP && !can_trap[i])
				continue;
			for (unsigned int c = 0; c < LIVE_NCPUS_MAX; c++)
				n += cpus[c].nsure[i][mode];
			nunseen += n == 0;
		}
	}
	return nunseen;
}

/* On a busy machine other CPUs may not have run much: go on for a while. */
int live_change(const struct sdt_patch_host *host, unsigned long nchanges)
{
	unsigned long n = 0;

	while (n < nchanges || (n < 200 * nchanges && count_unseen() > 0)) {
		unsigned int i = random_below(live_nsites);
		enum live_mode to = (enum live_mode)random_below(LIVE_NMODES);

		if (to == LIVE_TRAP && !can_trap[i])
			continue;
		change(host, i, to);
		n++;
	}
	for (unsigned int i = 0; i < live_nsites; i++)
		change(host, i, LIVE_STUB);
	live_print("changed %lu times, %lu refused\n", n, nrefused);
	return nrefused == 0 ? 0 : -1;
}

/* --- Before and after --------------------------------------------------- */

/* The only site of the probe of that name. */
static int find_site(const char *name, struct sdt_site *site)
{
	struct sdt_match match;
	struct sdt_site more;

	return sdt_match_start(&match, &table, "live", name) == 0 &&
	       sdt_match_next(&match, site) && !sdt_match_next(&match, &more);
}

static int find_sites(void)
{
	for (unsigned int i = 0; i < live_nsites; i++) {
		if (find_site(live_sites[i].name, &sites[i]))
			continue;
		live_print("no site of %s\n", live_sites[i].name);
		return -1;
	}
	return live_nsites == table.nsites ? 0 : -1;
}

int live_init(const struct sdt_patch_host *boot)
{
	const struct sdt_bounds bounds = SDT_BOUNDS;
	enum sdt_table_error error = sdt_table_check_anchored(&bounds, &table);

	if (error != SDT_TABLE_OK || find_sites() != 0 ||
	    live_text_end - live_text_start > TEXT_MAX) {
		live_print("the table is not what was expected: %u\n",
			   (unsigned int)error);
		return -1;
	}
	for (const char *at = live_text_start; at < live_text_end; at++)
		original[at - live_text_start] = *at;
	for (unsigned int i = 0; i < live_nsites; i++) {
		if (sdt_patch_init(boot, &sites[i]) != SDT_PATCH_OK)
			return -1;
		can_trap[i] = sdt_patch_set(boot, &sites[i], SDT_PATCH_OFF,
					    SDT_PATCH_TRAP) == SDT_PATCH_OK;
		if (can_trap[i] && sdt_patch_set(boot, &sites[i],
						 SDT_PATCH_TRAP, SDT_PATCH_OFF))
			return -1;
	}
	return 0;
}

/* All text, not only the sites. */
static unsigned long differing_bytes(void)
{
	unsigned long n = 0;

	for (const char *at = live_text_start; at < live_text_end; at++)
		n += original[at - live_text_start] != *at;
	return n;
}

int live_report(unsigned int ncpus)
{
	unsigned long ndiffer = differing_bytes();
	unsigned long nunseen = count_unseen();
	unsigned long nwrong = ndiffer + nunseen;

	for (unsigned int c = 0; c < ncpus; c++) {
		const struct cpu *cpu = &cpus[c];

		if (cpu->npasses == 0)
			continue;
		live_print("cpu %u: %lu passes, %lu during a change, %lu traps,"
			   " %lu lost, %lu spurious, %lu with bad arguments\n",
			   c, cpu->npasses * live_nsites, cpu->nchanged,
			   cpu->ntraps, cpu->nlost, cpu->nspurious,
			   cpu->nbadargs);
		nwrong += cpu->nlost + cpu->nspurious + cpu->nbadargs;
	}
	live_print("%lu bytes of text differ, %lu states never seen\n", ndiffer,
		   nunseen);
	return nwrong == 0 ? 0 : -1;
}
