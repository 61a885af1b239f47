/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The only program of a Linux that bench/linux boots: prints lines of
 * "loop: STATE:WHAT:TICKS", what one turn of each loop takes while the probes
 * are off and on.  The emulator gives the clock a tick for each instruction.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <termios.h>
#include <unistd.h>
#include <x86intrin.h>

#include "../examples/linux/loopback.h"

#define NTURNS 30000

static int udp, file;
static struct sockaddr_in here;

static void must(int is_true, const char *what)
{
	if (is_true)
		return;
	perror(what);
	reboot(RB_AUTOBOOT); /* qemu -no-reboot ends here */
}

static void start_network(void)
{
	udp = open_loopback(&here);
	must(udp >= 0, "loopback");
}

/* --- The loops, and the probes that are in their way ----------------------- */

static void getppid_alone(void)
{
	syscall(SYS_getppid);
}

/* vfs:::read */
static void read_byte(void)
{
	char byte;

	must(pread(file, &byte, 1, 0) == 1, "pread");
}

/* vfs:::open, kmem:::alloc */
static void open_and_close(void)
{
	close(open("/init", O_RDONLY));
}

/* udp:::receive, udp:::checksum, kmem:::alloc */
static void send_packet(void)
{
	char byte = 1;

	must(sendto(udp, &byte, 1, 0, (struct sockaddr *)&here,
		    sizeof(here)) == 1 &&
		     recv(udp, &byte, 1, 0) == 1,
	     "packet");
}

static const struct {
	const char *what;
	void (*turn)(void);
} loops[] = {
	{ "getppid", getppid_alone },
	{ "pread", read_byte },
	{ "open and close", open_and_close },
	{ "a UDP packet", send_packet },
};

/* The quickest of the turns: no interrupt of the clock is in it. */
static uint64_t quickest(void (*turn)(void))
{
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < NTURNS; i++) {
		uint64_t start = __rdtsc(), ticks;

		turn();
		ticks = __rdtsc() - start;
		if (ticks < least)
			least = ticks;
	}
	return least;
}

static void measure(const char *state)
{
	for (unsigned int i = 0; i < sizeof(loops) / sizeof(loops[0]); i++)
		printf("loop: %s:%s:%llu\n", state, loops[i].what,
		       (unsigned long long)quickest(loops[i].turn));
	fflush(stdout);
}

int main(void)
{
	int control;

	mkdir("/debug", 0700);
	must(mount("debugfs", "/debug", "debugfs", 0, "") == 0, "debugfs");
	file = open("/init", O_RDONLY);
	start_network();
	measure("off");
	control = open("/debug/sdt", O_RDWR);
	if (control >= 0) {
		must(write(control, "on :::", 6) == 6, "on");
		measure("on");
	}
	printf("loop: done\n");
	fflush(stdout);
	tcdrain(1);
	reboot(RB_AUTOBOOT);
	return 0;
}
