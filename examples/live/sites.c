/* SPDX-License-Identifier: BSD-2-Clause */
/* One site of each shape, and calls at every place in a cache line. */
#include <sdtlink/sdt.h>

#include "live.h"

#define noinline __attribute__((__noinline__))

/* N instructions of the shortest length. */
#define PAD(n) __asm__ volatile(".rept " #n "\n\tnop\n\t.endr")

#define CALL(name, npad) \
	static noinline int name(uintptr_t token) \
	{ \
		PAD(npad); \
		SDT_PROBE2(live, name, token, ~token); \
		return 1; \
	}

CALL(call0, 0)
CALL(call1, 1)
CALL(call2, 10)
CALL(call3, 19)
CALL(call4, 28)
CALL(call5, 37)
CALL(call6, 46)
CALL(call7, 55)

static noinline void tail_site(uintptr_t token)
{
	SDT_PROBE2(live, tail, token, ~token);
}

static int tail(uintptr_t token)
{
	tail_site(token);
	return 1;
}

static noinline int enabled(uintptr_t token)
{
	int is_enabled = SDT_PROBE_ENABLED(live, enabled);

	__asm__ volatile("" : : "r"(token));
	return is_enabled;
}

static noinline int enabled_tail_site(void)
{
	return SDT_PROBE_ENABLED(live, enabled_tail);
}

static int enabled_tail(uintptr_t token)
{
	(void)token;
	return enabled_tail_site();
}

#ifdef SDT_BRANCH
/*
 * Two sites: the NOP, of which the block tells whether it was passed by, and
 * the call in the block.  What the NOP jumps to cannot know what for.
 */
static noinline int branch(uintptr_t token)
{
	if (SDT_BRANCH(live, branch)) {
		SDT_PROBE2(live, branch_call, token, ~token);
		return 1;
	}
	return 0;
}

static int branch_call(uintptr_t token)
{
	return branch(token);
}
#endif

/* Only clang makes a conditional tail call in C, and not everywhere. */
#if defined(__x86_64__)
#define COND_SITE \
	"	testq %rdx, %rdx\n" \
	"	jne __dtrace_sdt_live___cond\n" \
	"	ret\n"
#elif defined(__thumb2__)
#define COND_SITE \
	"	cmp r2, #0\n" \
	"	bne.w __dtrace_sdt_live___cond\n" \
	"	bx lr\n"
#elif defined(__arm__)
#define COND_SITE \
	"	cmp r2, #0\n" \
	"	bne __dtrace_sdt_live___cond\n" \
	"	bx lr\n"
#elif defined(__powerpc__)
#define COND_SITE \
	"	cmpwi 5, 0\n" \
	"	bne __dtrace_sdt_live___cond\n" \
	"	blr\n"
#elif defined(__s390x__)
#define COND_SITE \
	"	ltgr %r4, %r4\n" \
	"	jgne __dtrace_sdt_live___cond\n" \
	"	br %r14\n"
#endif

#ifdef COND_SITE
void cond_site(uintptr_t token, uintptr_t check, uintptr_t is_taken);
__asm__("	.text\n"
	"	.globl cond_site\n"
	"	.type cond_site, %function\n"
#ifdef __thumb2__
	"	.thumb_func\n"
#endif
	"cond_site:\n" COND_SITE "	.size cond_site, . - cond_site\n");

static int cond(uintptr_t token)
{
	uintptr_t is_taken = token >> 8 & 1;

	cond_site(token, ~token, is_taken);
	return (int)is_taken;
}
#endif

#define SITE(name) \
	{ \
#name, name \
	}

const struct live_site live_sites[] = {
	SITE(call0),  SITE(call1),	 SITE(call2),	     SITE(call3),
	SITE(call4),  SITE(call5),	 SITE(call6),	     SITE(call7),
	SITE(tail),   SITE(enabled),	 SITE(enabled_tail),
#ifdef SDT_BRANCH
	SITE(branch), SITE(branch_call),
#endif
#ifdef COND_SITE
	SITE(cond),
#endif
};
const unsigned int live_nsites = sizeof(live_sites) / sizeof(live_sites[0]);
