/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The only program of a Linux that tests/check-linux boots: it switches probes
 * on and off, does something a known number of times, and tells how often they
 * were hit.  Each line of it begins with "init: "; the last one is "init: done".
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "loopback.h"

#define NOPENS 100
#define NFAILED 50
#define NREADS 1000
#define NPACKETS 40
#define NLOADS 3
#define NCHILDREN 3

static int control = -1;
static char list[1 << 16];

/* Until it is out: the kernel's own lines would come between. */
static void say(const char *format, ...)
{
	char line[512];
	va_list args;
	int len;

	va_start(args, format);
	len = vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	if (write(1, line, (size_t)len) != len || tcdrain(1) != 0)
		_exit(1);
}

static _Noreturn void stop(void)
{
	sync();
	reboot(RB_AUTOBOOT); /* qemu -no-reboot ends here */
	for (;;)
		pause();
}

static void must(int is_true, const char *what)
{
	if (is_true)
		return;
	say("init: failed: %s: %m\n", what);
	stop();
}

/* --- The file sdt of debugfs ---------------------------------------------- */

static void command(const char *line)
{
	must(write(control, line, strlen(line)) == (ssize_t)strlen(line), line);
}

static const char *read_list(void)
{
	ssize_t len, n;

	must(lseek(control, 0, SEEK_SET) == 0, "lseek");
	for (len = 0; (n = read(control, list + len,
				sizeof(list) - 1 - (size_t)len)) > 0;)
		len += n;
	must(n == 0, "read sdt");
	list[len] = '\0';
	return list;
}

/* While reads are no probe that is on. */
static unsigned long hits(void)
{
	unsigned long n;

	must(sscanf(read_list(), "hits %lu", &n) == 1, "hits");
	return n;
}

static void say_list(const char *when)
{
	char *line;

	read_list();
	for (line = strtok(list, "\n"); line; line = strtok(NULL, "\n"))
		say("init: %s %s\n", when, line);
}

/* --- What is done --------------------------------------------------------- */

static int udp, file;
static struct sockaddr_in here;

static void start_network(void)
{
	udp = open_loopback(&here);
	must(udp >= 0, "loopback");
}

static void open_files(void)
{
	for (int i = 0; i < NOPENS; i++)
		close(open("/init", O_RDONLY));
}

static void fail_to_open(void)
{
	for (int i = 0; i < NFAILED; i++)
		must(open("/none", O_RDONLY) < 0, "/none is there");
}

static void read_file(void)
{
	char byte;

	for (int i = 0; i < NREADS; i++)
		must(pread(file, &byte, 1, 0) == 1, "pread");
}

static void send_packets(void)
{
	char byte = 1;

	for (int i = 0; i < NPACKETS; i++) {
		must(sendto(udp, &byte, 1, 0, (struct sockaddr *)&here,
			    sizeof(here)) == 1, "sendto");
		must(recv(udp, &byte, 1, 0) == 1, "recv");
	}
}

static void everything(void)
{
	open_files();
	fail_to_open();
	read_file();
	send_packets();
}

static const struct {
	const char *probe;
	unsigned long wanted;
} counts[] = {
	{ "vfs:::open", NOPENS + NFAILED },
	{ "vfs:::open-failed", NFAILED },
	{ "vfs:::fd-put", NFAILED },
	{ "vfs:::read", NREADS },
	{ "udp:::receive", NPACKETS },
};

static void count_all(void)
{
	unsigned long before = hits();

	everything();
	say("init: count none %lu wanted 0\n", hits() - before);
	for (unsigned int i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		char line[64];

		snprintf(line, sizeof(line), "on %s", counts[i].probe);
		before = hits();
		command(line);
		everything();
		snprintf(line, sizeof(line), "off %s", counts[i].probe);
		command(line);
		say("init: count %s %lu wanted %lu\n", counts[i].probe,
		    hits() - before, counts[i].wanted);
	}
}

/* Everything goes on and off while other processes run through it. */
static void switch_under_load(time_t seconds)
{
	pid_t children[NCHILDREN];
	unsigned long before = hits(), nswitches = 0;
	time_t end = time(NULL) + seconds;

	for (int i = 0; i < NCHILDREN; i++) {
		children[i] = fork();
		if (children[i] != 0)
			continue;
		start_network();
		for (;;)
			everything();
	}
	for (; time(NULL) < end; nswitches++) {
		const char *what = rand() % 2 ? "on" : "off";
		char line[64];

		snprintf(line, sizeof(line), "%s %s", what,
			 rand() % 3 ? counts[rand() % 5].probe : ":::");
		command(line);
	}
	command("off :::");
	for (int i = 0; i < NCHILDREN; i++) {
		kill(children[i], SIGKILL);
		waitpid(children[i], NULL, 0);
	}
	say("init: load %lu switches %s\n", nswitches,
	    hits() > before ? "hit" : "not hit");
}

static void load_modules(void)
{
	for (int i = 0; i < NLOADS; i++) {
		int module = open("/test_module.ko", O_RDONLY);
		unsigned long before;

		must(module >= 0, "test_module.ko");
		must(syscall(SYS_finit_module, module, "", 0) == 0, "load");
		close(module);
		if (i == 0)
			say_list("module");
		before = hits();
		command("on :test_module::");
		must(syscall(SYS_delete_module, "test_module", 0) == 0,
		     "unload");
		say("init: count test:::exit %lu wanted 1\n", hits() - before);
	}
}

/* sysconf() would want sysfs or proc. */
static void say_cpus(void)
{
	cpu_set_t cpus;

	must(sched_getaffinity(0, sizeof(cpus), &cpus) == 0, "affinity");
	say("init: cpus %d\n", CPU_COUNT(&cpus));
}

/* What tools of the running kernel see: no label at a site. */
static void say_symbols(void)
{
	unsigned long nnames = 0, nlabels = 0;
	char line[1024], name[512];
	FILE *symbols;

	mkdir("/proc", 0700);
	must(mount("proc", "/proc", "proc", 0, "") == 0, "proc");
	symbols = fopen("/proc/kallsyms", "r");
	must(symbols != NULL, "/proc/kallsyms");
	while (fgets(line, sizeof(line), symbols) != NULL) {
		must(sscanf(line, "%*s %*s %511s", name) == 1, line);
		nnames++;
		nlabels += strncmp(name, ".L", 2) == 0;
	}
	fclose(symbols);
	say("init: kallsyms %lu names %lu labels\n", nnames, nlabels);
}

int main(void)
{
	mkdir("/debug", 0700);
	must(mount("debugfs", "/debug", "debugfs", 0, "") == 0, "debugfs");
	control = open("/debug/sdt", O_RDWR);
	must(control >= 0, "/debug/sdt");
	file = open("/init", O_RDONLY);
	start_network();
	say_cpus();
	say_symbols();
	say_list("boot");
	count_all();
	switch_under_load(SECONDS);
	load_modules();
	count_all();
	say_list("end");
	say("init: done\n");
	stop();
}
