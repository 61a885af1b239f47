/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * many [BYTES] - sdtlink, many times: runs each command that a line of the
 * input is, its arguments with tabs between them, and says "STATUS LENGTH
 * LENGTH\n", with what it printed and its errors behind that. STATUS is that of
 * waitpid(2).
 *
 * Each is in a process of its own, which is a copy of this one: there is
 * nothing to be loaded and linked, and no sanitizer to be started, which takes
 * longer than what sdtlink does with a small file. It has BYTES of address
 * space, may write files of 1 MiB, and dies after a minute.
 */
int sdtlink_main(int argc, char **argv);
#define main sdtlink_main
#include "main.c"
#undef main

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

/* A sanitizer takes more address space than there is. */
#ifdef __has_feature
#define IS_SANITIZED __has_feature(address_sanitizer)
#elif defined(__SANITIZE_ADDRESS__)
#define IS_SANITIZED 1
#else
#define IS_SANITIZED 0
#endif
#define MAX_ARGUMENTS 32
#define MAX_FILE (1 << 20)
#define SECONDS 60

static void die(const char *what)
{
	perror(what);
	exit(99);
}

static void limit(int what, rlim_t most)
{
	struct rlimit limits = { most, most };

	if (most != 0 && setrlimit(what, &limits))
		die("setrlimit");
}

static int empty_file(const char *name)
{
	int fd = memfd_create(name, MFD_CLOEXEC);

	if (fd < 0)
		die("memfd_create");
	return fd;
}

/* Divides LINE at its tabs. */
static int split(char *line, char **argv)
{
	static char name[] = "sdtlink";
	int argc = 0;

	argv[argc++] = name;
	for (char *word = strtok(line, "\t\n"); word != NULL;
	     word = strtok(NULL, "\t\n")) {
		if (argc + 1 == MAX_ARGUMENTS)
			die("too many arguments");
		argv[argc++] = word;
	}
	argv[argc] = NULL;
	return argc;
}

static int command(char *line, rlim_t memory, const int *said)
{
	char *argv[MAX_ARGUMENTS];
	int argc = split(line, argv), status;
	pid_t pid;

	for (int i = 0; i < 2; i++)
		if (ftruncate(said[i], 0))
			die("ftruncate");
	pid = fork();
	if (pid < 0)
		die("fork");
	if (pid == 0) {
		for (int i = 0; i < 2; i++)
			if (lseek(said[i], 0, SEEK_SET) < 0 ||
			    dup2(said[i], STDOUT_FILENO + i) < 0)
				die("dup2");
		/* exit() would wind back what is left of the commands. */
		if (freopen("/dev/null", "r", stdin) == NULL)
			die("/dev/null");
		limit(RLIMIT_AS, memory);
		limit(RLIMIT_FSIZE, MAX_FILE);
		alarm(SECONDS);
		exit(sdtlink_main(argc, argv));
	}
	if (waitpid(pid, &status, 0) != pid)
		die("waitpid");
	return status;
}

static size_t length(int fd)
{
	off_t end = lseek(fd, 0, SEEK_END);

	if (end < 0)
		die("lseek");
	return end;
}

static void copy(int fd, size_t n)
{
	char bytes[4096];

	for (size_t at = 0; at < n;) {
		ssize_t got = pread(fd, bytes, sizeof(bytes), at);

		if (got <= 0)
			die("pread");
		fwrite(bytes, 1, got, stdout);
		at += got;
	}
}

int main(int argc, char **argv)
{
	rlim_t memory = argc > 1 && !IS_SANITIZED ? strtoull(argv[1], NULL, 0) :
						    0;
	int said[2] = { empty_file("output"), empty_file("errors") };
	char line[4096];

	while (fgets(line, sizeof(line), stdin) != NULL) {
		int status = command(line, memory, said);
		size_t lengths[2] = { length(said[0]), length(said[1]) };

		printf("%d %zu %zu\n", status, lengths[0], lengths[1]);
		for (int i = 0; i < 2; i++)
			copy(said[i], lengths[i]);
		if (fflush(stdout))
			die("standard output");
	}
	return 0;
}
