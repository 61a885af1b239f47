/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Thread-local variables by every model beside sites: linkers rewrite these
 * accesses in place, once they know more than the compiler.
 */
#define NOINLINE __attribute__((noinline))
#define IE __attribute__((tls_model("initial-exec")))

void __dtrace_sdt_tls___before(int);
void __dtrace_sdt_tls___after(int);

extern volatile int state;

__thread int tls_dynamic = 1;
IE __thread int tls_initial = 2;
static __thread int tls_one = 3, tls_two[40];

int tls_use(int n);

/* What the C library has. */
#if defined(__s390x__)
__asm__(".globl __tls_get_offset\n.type __tls_get_offset, @function\n"
	"__tls_get_offset: br %r14\n"
	".size __tls_get_offset, . - __tls_get_offset");
#else
#if defined(__i386__)
#define GET_ADDR ___tls_get_addr
#else
#define GET_ADDR __tls_get_addr
#endif
void *GET_ADDR(void *where);
NOINLINE void *GET_ADDR(void *where)
{
	state++;
	return where;
}
#endif
#if defined(__arm__)
__asm__(".globl __aeabi_read_tp\n.type __aeabi_read_tp, %function\n"
	"__aeabi_read_tp: bx lr\n"
	".size __aeabi_read_tp, . - __aeabi_read_tp");
#endif

static NOINLINE int use_dynamic(int n)
{
	__dtrace_sdt_tls___before(n);
	tls_dynamic += n;
	__dtrace_sdt_tls___after(n);
	return tls_dynamic;
}

static NOINLINE int *use_address(int n)
{
	__dtrace_sdt_tls___before(n);
	return &tls_dynamic + n;
}

static NOINLINE int use_local(int n)
{
	tls_two[n & 31] += tls_one++;
	__dtrace_sdt_tls___before(n);
	tls_two[n & 15] -= n;
	__dtrace_sdt_tls___after(tls_one);
	return tls_two[3];
}

static NOINLINE int use_initial(int n)
{
	tls_initial += n;
	__dtrace_sdt_tls___before(tls_initial);
	tls_initial++;
	return tls_initial * n;
}

int tls_use(int n)
{
	state = *use_address(n);
	return use_dynamic(n) + use_local(n + 1) + use_initial(n + 2);
}
