/* SPDX-License-Identifier: BSD-2-Clause */
/* Boots, traces itself in all the ways there are, and says PASS or FAIL. */
#include "kernel.h"
#include "module.h"
#include "trace.h"

#define EXIT_PASS 0x10
#define EXIT_FAIL 0x11

static unsigned int nfailed;
static unsigned int ntraced; /* how often udp_is_traced() said so */

static void expect(const char *what, unsigned long found, unsigned long wanted)
{
	if (found == wanted) {
		console_print("ok: %s: %lu\n", what, found);
		return;
	}
	console_print("not ok: %s: %lu, not %lu\n", what, found, wanted);
	nfailed++;
}

static unsigned long network(void)
{
	static uint8_t data[2000];
	struct packet packet = { 53, 64, data };
	unsigned long digest = 0;

	for (unsigned int i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)(i * 7);
	for (packet.port = 53; packet.port < 56; packet.port++)
		digest += udp_receive(&packet);
	packet.port = 546;
	packet.len = 100;
	digest += udp6_receive(&packet);
	packet.len = 101;
	digest += udp6_receive(&packet);
	packet.len = sizeof(data);
	digest += udp_receive(&packet);
	if (udp_is_traced())
		ntraced++;
	return digest;
}

/* Passes every site that is not in the init text; a digest of all results. */
static unsigned long work(void)
{
	unsigned long digest = network();
	unsigned int nchecked = 0;

	sched_wake_up(3);
	sched_wake_up(1);
	digest = digest * 31 + sched_run(5);
	digest = digest * 31 + vm_fault(0x7fff1234, 2);
	digest = digest * 31 + vm_fault(0x1008, 3);
	copy_check(0x1000, &nchecked);
	copy_check(0xffff800000000000, &nchecked);
	return digest * 31 + nchecked;
}

static void print_result(const char *what, const char *pattern,
			 struct trace_result result)
{
	console_print("sdt: %s \"%s\": %u sites, %u gone, %u refused\n", what,
		      pattern, result.ndone, result.ngone, result.nrefused);
	if (result.nrefused > 0)
		nfailed++;
}

/* Enables PATTERN while the kernel works, which must not change its results. */
static void trace(const char *pattern, int nargs, unsigned int wanted,
		  unsigned long digest)
{
	trace_show(nargs);
	print_result("enabled", pattern, trace_enable(pattern));
	expect("same result", work() == digest, 1);
	expect("fired", trace_nfired, wanted);
	print_result("disabled", pattern, trace_disable(pattern));
}

static void trace_init_text(void)
{
	trace_show(1);
	print_result("enabled", "unix:::a*", trace_enable("unix:::a*"));
	expect("ports", init_devices(3), 9);
	expect("fired", trace_nfired, 3);
	print_result("disabled", "unix:::a*", trace_disable("unix:::a*"));

	trace_show(0);
	print_result("enabled", "boot", trace_enable("boot"));
	expect("ports", init_devices(3), 9);
	expect("fired", trace_nfired, 1);
	print_result("disabled", "boot", trace_disable("boot"));
}

static void trace_all_ways(unsigned long digest)
{
	trace("sched:::switch", 3, 5, digest);
	trace("udp::udp6_receive:receive", 2, 2, digest);
	trace("sched:::wake-up", 1, 2, digest);
	trace("copy:::bad", 1, 1, digest);
	trace("net:::drop", 1, 1, digest);
	trace("net::reset:", 2, 1, digest);
	trace("vm:::page-alloc", 4, 2, digest);
	trace("vm:::page-free", 5, 2, digest);
	trace("vm:::fault", 6, 2, digest);

	expect("udp_is_traced()", ntraced, 0);
	trace("udp:::receive", 2, 6, digest);
	expect("udp_is_traced()", ntraced, 1);

	trace("unix:::", 0, 0, digest);
	trace("", TRACE_QUIET, 27, digest);
}

/* Its probes come with it, fire, and go with it. */
static void trace_module(void)
{
	unsigned int (*disk_read)(unsigned int block);
	struct sdt_bounds bounds;

	expect("loaded",
	       module_load(disk_module, (size_t)(disk_module_end - disk_module),
			   &bounds) == 0,
	       1);
	expect("sites in the module", (unsigned long)trace_add("disk", &bounds),
	       5);
	disk_read = (unsigned int (*)(unsigned int))module_symbol("disk_read");
	expect("read", disk_read(1), 1);
	trace_show(2);
	print_result("enabled", "disk:disk::", trace_enable("disk:disk::"));
	expect("read", disk_read(1), 2);
	expect("read", disk_read(3), 4);
	expect("fired", trace_nfired, 5);
	print_result("disabled", "disk:::", trace_disable("disk:::"));
	expect("read", disk_read(3), 5);
	expect("fired", trace_nfired, 5);

	trace_remove();
	module_unload();
	print_result("enabled", "disk:::", trace_enable("disk:::"));
}

void kernel_main(void)
{
	unsigned long digest;

	console_print("sdtlink example kernel\n");
	if (trace_init() != 0) {
		console_print("FAIL\n");
		machine_exit(EXIT_FAIL);
	}
	trace_list();
	digest = work();
	print_result("off", "", trace_disable_stubs());
	trace_list();
	expect("same result", work() == digest, 1);
	expect("fired", trace_nfired, 0);

	trace_init_text();
	trace_free_init();
	trace_all_ways(digest);
	trace_module();

	print_result("restored", "", trace_restore_stubs());
	trace_list();
	expect("same result", work() == digest, 1);
	expect("fired outside the table", trace_nstrays, 0);
	console_print(nfailed == 0 ? "PASS\n" : "FAIL\n");
	machine_exit(nfailed == 0 ? EXIT_PASS : EXIT_FAIL);
}
