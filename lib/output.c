/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output.h"

#define SUFFIX ".sdtlink-XXXXXX"

/* A block of most file systems is a small part of a table as C. */
#define BUFFER_SIZE (256 << 10)

/* What a signal handler has to remove: an output and its depfile. */
static char *volatile pending[2];

static const int fatal_signals[] = { SIGHUP,  SIGINT,  SIGQUIT,
				     SIGTERM, SIGPIPE, SIGXCPU };

void output_abandon(void)
{
	for (int i = 0; i < 2; i++)
		if (pending[i] != NULL)
			unlink(pending[i]);
}

static void remove_pending(int signum)
{
	output_abandon();
	/* The handler was reset on entry: die of the same signal. */
	raise(signum);
}

static void watch_signals(void)
{
	struct sigaction action = { .sa_handler = remove_pending,
				    .sa_flags = SA_RESETHAND | SA_NODEFER };
	struct sigaction old;

	for (size_t i = 0; i < sizeof(fatal_signals) / sizeof(fatal_signals[0]);
	     i++) {
		/* nohup and make decide what is ignored. */
		if (sigaction(fatal_signals[i], NULL, &old) == 0 &&
		    old.sa_handler == SIG_IGN)
			continue;
		sigaction(fatal_signals[i], &action, NULL);
	}
}

static void set_pending(char *from, char *to)
{
	for (int i = 0; i < 2; i++)
		if (pending[i] == from) {
			pending[i] = to;
			return;
		}
}

static int write_error(struct diag *d, const struct output *out)
{
	return diag_file(d, out->path, "cannot-write", "cannot write: %s",
			 strerror(errno));
}

static int open_direct(struct diag *d, struct output *out)
{
	if (strcmp(out->path, "-") == 0)
		out->stream = stdout;
	else
		out->stream = fopen(out->path, "we");
	return out->stream != NULL ? 0 : write_error(d, out);
}

/* New files get the mode that open(2) would have given them. */
static void set_mode(int fd, const char *path)
{
	struct stat st;
	mode_t mask = umask(0);

	umask(mask);
	if (stat(path, &st) == 0)
		fchmod(fd, st.st_mode & 07777);
	else
		fchmod(fd, 0666 & ~mask);
}

/* A signal finds either no file, or one that it knows to remove. */
static int make_temporary(char *name)
{
	sigset_t all, old;
	int fd, error;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &old);
	fd = mkostemp(name, O_CLOEXEC);
	error = errno;
	if (fd >= 0)
		set_pending(NULL, name);
	sigprocmask(SIG_SETMASK, &old, NULL);
	errno = error;
	return fd;
}

int output_open(struct diag *d, const char *path, struct output *out)
{
	struct stat st;
	int fd;

	*out = (struct output){ .path = path };
	watch_signals();
	if (strcmp(path, "-") == 0 ||
	    (stat(path, &st) == 0 && !S_ISREG(st.st_mode) &&
	     !S_ISDIR(st.st_mode)))
		return open_direct(d, out);
	if (stat(path, &st) == 0 && S_ISDIR(st.st_mode)) {
		errno = EISDIR;
		return write_error(d, out);
	}
	out->temporary = malloc(strlen(path) + sizeof(SUFFIX));
	if (out->temporary == NULL)
		return diag_nomem(d, path);
	strcpy(out->temporary, path);
	strcat(out->temporary, SUFFIX);
	fd = make_temporary(out->temporary);
	if (fd < 0) {
		write_error(d, out);
		free(out->temporary);
		out->temporary = NULL;
		return -1;
	}
	set_mode(fd, path);
	out->stream = fdopen(fd, "w+");
	if (out->stream == NULL) {
		close(fd);
		return write_error(d, out);
	}
	out->buffer = malloc(BUFFER_SIZE);
	if (out->buffer != NULL)
		setvbuf(out->stream, out->buffer, _IOFBF, BUFFER_SIZE);
	return 0;
}

/* Does PATH hold the very bytes of the stream? */
static bool is_unchanged(FILE *stream, const char *path)
{
	static char ours[1 << 16], theirs[1 << 16];
	FILE *old;
	struct stat st, ours_st;
	size_t a, b;

	if (lstat(path, &st) != 0 || !S_ISREG(st.st_mode) ||
	    fstat(fileno(stream), &ours_st) != 0 ||
	    st.st_size != ours_st.st_size)
		return false;
	old = fopen(path, "re");
	if (old == NULL)
		return false;
	rewind(stream);
	do {
		a = fread(ours, 1, sizeof(ours), stream);
		b = fread(theirs, 1, sizeof(theirs), old);
	} while (a > 0 && a == b && memcmp(ours, theirs, a) == 0);
	fclose(old);
	return a == 0 && b == 0;
}

int output_finish(struct diag *d, struct output *out)
{
	FILE *stream = out->stream;

	if (stream == NULL)
		return 0;
	if (fflush(stream) != 0 || ferror(stream))
		return write_error(d, out);
	out->is_same = out->temporary != NULL &&
		       is_unchanged(stream, out->path);
	out->stream = NULL;
	if (stream != stdout && fclose(stream) != 0)
		return write_error(d, out);
	return 0;
}

int output_commit(struct diag *d, struct output *out)
{
	if (output_finish(d, out))
		return -1;
	/* If it is the same, output_close removes the temporary. */
	if (out->temporary == NULL || out->is_same)
		return 0;
	if (rename(out->temporary, out->path) != 0)
		return write_error(d, out);
	set_pending(out->temporary, NULL);
	free(out->temporary);
	out->temporary = NULL;
	return 0;
}

void output_close(struct output *out)
{
	if (out->stream != NULL && out->stream != stdout)
		fclose(out->stream);
	if (out->temporary != NULL) {
		unlink(out->temporary);
		set_pending(out->temporary, NULL);
		free(out->temporary);
	}
	free(out->buffer);
	*out = (struct output){ 0 };
}
