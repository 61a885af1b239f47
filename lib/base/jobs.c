/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "jobs.h"

/* More threads than that are never asked for. */
#define TOKENS_MAX 64

static struct {
	bool is_known; /* MAKEFLAGS was read */
	bool is_there;
	int from, to; /* -1 if it cannot be asked */
	char tokens[TOKENS_MAX];
	volatile sig_atomic_t ntokens;
} server = { .from = -1, .to = -1 };

/* The value of the last such word of MAKEFLAGS, or NULL. It ends at a blank. */
static const char *find_word(const char *flags, const char *word)
{
	const char *found = NULL;

	while ((flags = strstr(flags, word)) != NULL) {
		flags += strlen(word);
		found = flags;
	}
	return found;
}

static bool is_pipe(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISFIFO(st.st_mode);
}

/*
 * Opens the pipe once more: to read without waiting is a property of what is
 * open, and make and others have that open, too.
 */
static int open_again(int fd, int flags)
{
	char name[32];

	if (!is_pipe(fd))
		return -1;
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	return open(name, flags | O_CLOEXEC);
}

/* VALUE is "fifo:PATH" or "R,W". A rule without "+" is not given the pipe. */
static void open_server(const char *value)
{
	static const char fifo[] = "fifo:";
	char path[4096];
	size_t length = strcspn(value, " ");
	int from, to;

	if (strncmp(value, fifo, strlen(fifo)) == 0) {
		value += strlen(fifo);
		length -= strlen(fifo);
		if (length >= sizeof(path))
			return;
		memcpy(path, value, length);
		path[length] = '\0';
		server.from = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
		server.to = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
	} else if (sscanf(value, "%d,%d", &from, &to) == 2) {
		server.from = open_again(from, O_RDONLY | O_NONBLOCK);
		server.to = open_again(to, O_WRONLY);
	}
}

static void find_server(void)
{
	const char *flags = getenv("MAKEFLAGS");
	const char *value = NULL;

	server.is_known = true;
	if (flags == NULL)
		return;
	value = find_word(flags, "--jobserver-auth=");
	if (value == NULL)
		value = find_word(flags, "--jobserver-fds=");
	if (value == NULL)
		return;
	server.is_there = true;
	open_server(value);
}

bool jobs_have_server(void)
{
	if (!server.is_known)
		find_server();
	return server.is_there;
}

/* A handler must find each token that is here, and no other. */
static void block_signals(sigset_t *old)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, old);
}

static void read_tokens(unsigned n)
{
	while ((unsigned)server.ntokens < n && server.ntokens < TOKENS_MAX) {
		ssize_t got =
			read(server.from, &server.tokens[server.ntokens], 1);

		if (got < 0 && errno == EINTR)
			continue;
		if (got != 1)
			break;
		server.ntokens++;
	}
}

unsigned jobs_take(unsigned n)
{
	sigset_t old;

	if (!jobs_have_server())
		return n;
	if (server.from < 0 || server.to < 0)
		return 0;
	block_signals(&old);
	read_tokens(n);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return server.ntokens;
}

void jobs_give_back(void)
{
	sigset_t old;

	if (server.ntokens == 0)
		return;
	block_signals(&old);
	while (server.ntokens > 0) {
		ssize_t given =
			write(server.to, &server.tokens[server.ntokens - 1], 1);

		if (given < 0 && errno == EINTR)
			continue;
		server.ntokens--;
	}
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}
