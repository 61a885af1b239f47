/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * measure COMMAND [ARG]... - run a command, then print its wall, user and
 * system seconds and its peak resident KiB on standard error.
 *
 * The peak of a process includes that of the program which it was forked from,
 * so this has to be small: an interpreter cannot do it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static double seconds(struct timeval tv)
{
	return (double)tv.tv_sec + (double)tv.tv_usec / 1e6;
}

int main(int argc, char **argv)
{
	struct rusage usage;
	double start = now();
	pid_t pid = argc > 1 ? fork() : -1;
	int status;

	if (pid == 0) {
		execvp(argv[1], argv + 1);
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &usage) < 0) {
		perror("measure");
		return 127;
	}

	double wall = now() - start;

	fprintf(stderr, "\n%f %f %f %ld\n", wall, seconds(usage.ru_utime),
		seconds(usage.ru_stime), usage.ru_maxrss);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 126;
}
