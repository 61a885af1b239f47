/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/jobs.h"
#include "base/output.h"

/* Not every system has real-time signals, or a limit for paths. */
#ifndef SIGRTMAX
#define SIGRTMAX (NSIG - 1)
#endif
#ifndef PATH_MAX
#define PATH_MAX 4096
#endif

/* Larger than a block of most file systems, and small beside a table as C. */
#define BUFFER_SIZE (256 << 10)

/* The files that a signal handler must remove: an output and its depfile. */
static char *volatile pending[2];
/* One more, which another program wrote. */
static const char *volatile guarded;

static int write_error(struct diag *d, const struct output *out)
{
	if (errno == ENOMEM)
		return diag_nomem(d, out->path);
	return diag_file(d, out->path, "cannot-write", "cannot write: %s",
			 strerror(errno));
}

/* --- Signals ----------------------------------------------------------- */

void output_abandon(void)
{
	jobs_give_back();
	for (int i = 0; i < 2; i++)
		if (pending[i] != NULL)
			unlink(pending[i]);
	if (guarded != NULL)
		unlink(guarded);
}

void output_guard(const char *path)
{
	guarded = path;
}

static void remove_pending(int signum)
{
	sigset_t this;

	output_abandon();
	signal(signum, SIG_DFL);
	sigemptyset(&this);
	sigaddset(&this, signum);
	sigprocmask(SIG_UNBLOCK, &this, NULL);
	raise(signum);
}

/* Does the default action of this signal let the process go on? */
static bool is_harmless(int signum)
{
	switch (signum) {
	case SIGCHLD:
	case SIGCONT:
	case SIGSTOP:
	case SIGTSTP:
	case SIGTTIN:
	case SIGTTOU:
	case SIGURG:
#ifdef SIGWINCH
	case SIGWINCH:
#endif
#ifdef SIGINFO
	case SIGINFO:
#endif
		return true;
	}
	return false;
}

void output_watch_signals(const struct sigaction *action)
{
	struct sigaction old;

	/*
	 * nohup and make choose which signals are ignored. main handles some.
	 */
	for (int signum = 1; signum <= SIGRTMAX; signum++)
		if (!is_harmless(signum) && signum != SIGKILL &&
		    sigaction(signum, NULL, &old) == 0 &&
		    !(old.sa_flags & SA_SIGINFO) &&
		    (old.sa_handler == SIG_DFL ||
		     old.sa_handler == remove_pending))
			sigaction(signum, action, NULL);
}

void output_watch(void)
{
	struct sigaction action = { .sa_handler = remove_pending };

	/* timeout(1) sends its signal twice. The first one cleans up. */
	sigfillset(&action.sa_mask);
	output_watch_signals(&action);
}

static void set_pending(char *from, char *to)
{
	for (int i = 0; i < 2; i++)
		if (pending[i] == from) {
			pending[i] = to;
			return;
		}
}

static void block_signals(sigset_t *old)
{
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, old);
}

/* --- What is written to as it is ---------------------------------------- */

/*
 * Replaces NAME by the target of the link NAME. Returns false if it is not a
 * link, or the target is too long.
 */
static bool follow_link(char *name, size_t size)
{
	char target[PATH_MAX];
	char *slash = strrchr(name, '/');
	ssize_t n = readlink(name, target, sizeof(target) - 1);
	size_t start = slash != NULL ? slash + 1 - name : 0;

	if (n <= 0)
		return false;
	target[n] = '\0';
	if (target[0] == '/')
		start = 0;
	if (start + n >= size)
		return false;
	strcpy(name + start, target);
	return true;
}

/*
 * Does PATH lead into /proc? Such links are open files, not names. Neither they
 * nor their targets may be replaced.
 */
static bool is_open_file(const char *path)
{
	char name[PATH_MAX];
	struct stat proc, st;

	if (stat("/proc", &proc) != 0 || strlen(path) >= sizeof(name))
		return false;
	strcpy(name, path);
	for (int i = 0; i < 40; i++) {
		if (lstat(name, &st) != 0 || !S_ISLNK(st.st_mode))
			return false;
		if (st.st_dev == proc.st_dev)
			return true;
		if (!follow_link(name, sizeof(name)))
			return false;
	}
	return false;
}

static bool is_standard_output(const struct stat *st)
{
	struct stat out;

	return fstat(STDOUT_FILENO, &out) == 0 && out.st_dev == st->st_dev &&
	       out.st_ino == st->st_ino;
}

/* Nothing is truncated: others may have written to an open file. */
static int open_direct(struct diag *d, struct output *out, bool is_stdout)
{
	out->direct = is_stdout ? dup(STDOUT_FILENO)
				: open(out->path, O_WRONLY | O_APPEND |
							  O_NOCTTY | O_CLOEXEC);
	if (out->direct < 0)
		return write_error(d, out);
	if (memory_stream_open(&out->memory))
		return diag_nomem(d, out->path);
	out->stream = out->memory.stream;
	return 0;
}

static int write_direct(struct diag *d, struct output *out)
{
	const struct memory_stream *memory = &out->memory;

	for (size_t done = 0; done < memory->size;) {
		ssize_t n = write(out->direct, memory->bytes + done,
				  memory->size - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return write_error(d, out);
		done += n;
	}
	out->is_written = true;
	return 0;
}

/* --- Temporary files ----------------------------------------------------- */

/*
 * A temporary name beside PATH that begins as PATH does, so that you know it
 * after a crash. It must not exceed any file system's limit.
 */
#define BASE_MAX 100
#define SUFFIX_MAX sizeof(".sdtlink-18446744073709551615-1000")

static void name_temporary(const char *path, unsigned i, char *name)
{
	const char *slash = strrchr(path, '/');
	size_t start = slash != NULL ? slash + 1 - path : 0;
	size_t length = strlen(path + start);

	length = start + (length < BASE_MAX ? length : BASE_MAX);
	memcpy(name, path, length);
	snprintf(name + length, SUFFIX_MAX, ".sdtlink-%lu-%u",
		 (unsigned long)getpid(), i);
}

/* A signal finds either no file, or one that the handler removes. */
static int make_temporary(struct output *out, mode_t mode)
{
	sigset_t old;
	int fd = -1, error;

	block_signals(&old);
	for (unsigned i = 0; i < 1000 && fd < 0; i++) {
		name_temporary(out->path, i, out->temporary);
		fd = open(out->temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC,
			  mode);
		if (fd < 0 && errno != EEXIST)
			break;
	}
	error = errno;
	if (fd >= 0)
		set_pending(NULL, out->temporary);
	sigprocmask(SIG_SETMASK, &old, NULL);
	errno = error;
	return fd;
}

/*
 * Sets the mode of the file that is replaced. Some file systems have only one
 * mode.
 */
static int set_mode(int fd, mode_t mode)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return -1;
	return (st.st_mode & 07777) == mode ? 0 : fchmod(fd, mode);
}

/* OLD is what stands there, or NULL. */
static int open_temporary(struct diag *d, struct output *out,
			  const struct stat *old)
{
	mode_t mode = old != NULL ? old->st_mode & 0777 : 0666;
	int fd;

	out->temporary = malloc(strlen(out->path) + SUFFIX_MAX);
	out->buffer = malloc(BUFFER_SIZE);
	if (out->temporary == NULL || out->buffer == NULL) {
		free(out->temporary);
		out->temporary = NULL;
		return diag_nomem(d, out->path);
	}
	fd = make_temporary(out, mode);
	if (fd < 0) {
		write_error(d, out);
		free(out->temporary);
		out->temporary = NULL;
		return -1;
	}
	if (old != NULL && set_mode(fd, mode) != 0) {
		diag_file(d, out->path, "cannot-write",
			  "cannot keep its mode: %s", strerror(errno));
		close(fd);
		return -1;
	}
	out->stream = fdopen(fd, "w+");
	if (out->stream == NULL) {
		write_error(d, out);
		close(fd);
		return -1;
	}
	setvbuf(out->stream, out->buffer, _IOFBF, BUFFER_SIZE);
	return 0;
}

int output_open(struct diag *d, const char *path, struct output *out)
{
	struct stat st;

	*out = (struct output){ .path = path, .direct = -1 };
	output_watch();
	if (strcmp(path, "-") == 0)
		return open_direct(d, out, true);
	if (stat(path, &st) != 0)
		return errno == ENOENT ? open_temporary(d, out, NULL)
				       : write_error(d, out);
	if (S_ISDIR(st.st_mode)) {
		errno = EISDIR;
		return write_error(d, out);
	}
	if (is_open_file(path))
		return open_direct(d, out, is_standard_output(&st));
	return S_ISREG(st.st_mode) ? open_temporary(d, out, &st)
				   : open_direct(d, out, false);
}

/* --- The end ------------------------------------------------------------- */

/* Does PATH contain exactly the bytes of the stream? If in doubt, no. */
static bool is_unchanged(FILE *stream, const char *path)
{
	static char ours[1 << 16], theirs[1 << 16];
	FILE *old;
	struct stat st, ours_st;
	size_t a, b;
	bool is_same;

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
		is_same = a == b && memcmp(ours, theirs, a) == 0;
	} while (a > 0 && is_same);
	/* An error ends a file, too. */
	is_same = is_same && !ferror(stream) && !ferror(old);
	fclose(old);
	return is_same;
}

int output_finish(struct diag *d, struct output *out)
{
	FILE *stream = out->stream;

	if (fflush(stream) != 0 || ferror(stream))
		return write_error(d, out);
	if (stream == out->memory.stream) {
		out->stream = NULL;
		return 0;
	}
	out->is_same = out->temporary != NULL &&
		       is_unchanged(stream, out->path);
	out->stream = NULL;
	return fclose(stream) == 0 ? 0 : write_error(d, out);
}

static int swap_names(const char *a, const char *b)
{
#ifdef RENAME_EXCHANGE
	return renameat2(AT_FDCWD, a, AT_FDCWD, b, RENAME_EXCHANGE);
#else
	(void)a;
	(void)b;
	errno = ENOSYS;
	return -1;
#endif
}

/*
 * Puts one output in place. All but the last must be reversible, if possible.
 */
static int put_in_place(struct diag *d, struct output *out, bool is_last)
{
	bool was_there = true;

	if (out->temporary == NULL || out->is_same)
		return 0;
	if (!is_last && swap_names(out->temporary, out->path) == 0) {
		out->state = OUTPUT_SWAPPED;
		return 0;
	}
	if (!is_last)
		was_there = errno != ENOENT;
	if (rename(out->temporary, out->path) != 0)
		return write_error(d, out);
	out->state = was_there ? OUTPUT_REPLACED : OUTPUT_NEW;
	return 0;
}

static void take_back(struct diag *d, struct output *out)
{
	bool is_back = false;

	switch (out->state) {
	case OUTPUT_PENDING:
		is_back = !out->is_written;
		break;
	case OUTPUT_NEW:
		is_back = rename(out->path, out->temporary) == 0;
		break;
	case OUTPUT_SWAPPED:
		is_back = swap_names(out->temporary, out->path) == 0;
		break;
	case OUTPUT_REPLACED:
		break;
	}
	if (is_back)
		out->state = OUTPUT_PENDING;
	else
		diag_file(d, out->path, "cannot-write",
			  "was written already, without the other output");
}

static int put_files(struct diag *d, struct output *const *outs, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (put_in_place(d, outs[i], i + 1 == n) == 0)
			continue;
		/* Direct outputs were written before all others. */
		for (size_t k = n; k-- > 0;)
			if (k != i)
				take_back(d, outs[k]);
		return -1;
	}
	return 0;
}

static int write_all_direct(struct diag *d, struct output *const *outs,
			    size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (outs[i]->direct < 0 || write_direct(d, outs[i]) == 0)
			continue;
		while (i-- > 0)
			take_back(d, outs[i]);
		return -1;
	}
	return 0;
}

int output_commit(struct diag *d, struct output *const *outs, size_t n)
{
	sigset_t old;
	int ret;

	/* A reader of a pipe may keep us waiting: let signals in. */
	if (write_all_direct(d, outs, n))
		return -1;
	block_signals(&old);
	ret = put_files(d, outs, n);
	sigprocmask(SIG_SETMASK, &old, NULL);
	return ret;
}

void output_close(struct diag *d, struct output *out)
{
	bool is_there =
		out->temporary != NULL &&
		(out->state == OUTPUT_PENDING || out->state == OUTPUT_SWAPPED);

	if (out->stream != NULL && out->stream != out->memory.stream)
		fclose(out->stream);
	memory_stream_free(&out->memory);
	if (is_there && unlink(out->temporary) != 0)
		diag_file(d, out->temporary, "cannot-write",
			  "cannot remove the temporary file: %s",
			  strerror(errno));
	if (out->temporary != NULL)
		set_pending(out->temporary, NULL);
	if (out->direct >= 0 && out->path != NULL)
		close(out->direct);
	free(out->temporary);
	free(out->buffer);
	*out = (struct output){ .direct = -1 };
}

/* In memory, a smaller file takes less time. */
#define NAMELESS_LARGE ((uint64_t)1 << 20)

int output_nameless(const char *beside, uint64_t size)
{
#ifdef O_TMPFILE
	bool is_large = beside != NULL && size >= NAMELESS_LARGE;
	char *copy = is_large ? strdup(beside) : NULL;
	int fd = -1;

	if (copy != NULL)
		fd = open(dirname(copy), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	free(copy);
	if (fd >= 0)
		return fd;
#endif
#ifdef MFD_CLOEXEC
	return memfd_create("sdtlink", MFD_CLOEXEC);
#else
	errno = ENOSYS;
	return -1;
#endif
}
