/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "object-file.h"

/* --- What is mapped ------------------------------------------------------ */

/* The files that are mapped. A signal handler asks whether one has changed. */
static struct object *volatile mapped;

static void add_mapped(struct object *obj)
{
	obj->next_mapped = mapped;
	mapped = obj;
}

static void remove_mapped(const struct object *obj)
{
	struct object *volatile *at = &mapped;

	while (*at != NULL && *at != obj)
		at = &(*at)->next_mapped;
	if (*at != NULL)
		*at = obj->next_mapped;
}

/* --- Is it what it was? -------------------------------------------------- */

static bool is_time(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

/* Reads up to SIZE bytes at OFFSET. Returns the number, or -1 with errno. */
static ssize_t read_at(int fd, char *bytes, size_t size, uint64_t offset)
{
	ssize_t n;

	do
		n = pread(fd, bytes, size, offset);
	while (n < 0 && errno == EINTR);
	return n;
}

bool object_file_has_bytes(int fd, const void *copy, uint64_t size)
{
	char bytes[1 << 14];

	for (uint64_t done = 0; done < size;) {
		uint64_t left = size - done;
		ssize_t n = read_at(fd, bytes,
				    left < sizeof(bytes) ? left : sizeof(bytes),
				    done);

		if (n <= 0 || memcmp(bytes, (const char *)copy + done, n) != 0)
			return false;
		done += n;
	}
	return true;
}

/*
 * Looks at PATH again: another file under that name is a change, too. Whoever
 * changes a file can set its time back, but not the file system's own.
 */
bool object_is_unchanged(const struct object *obj)
{
	struct stat st;

	if (obj->lender != NULL && !object_is_unchanged(obj->lender))
		return false;
	if (obj->path == NULL || obj->fd < 0)
		return true;
	return (obj->is_given ? fstat(obj->fd, &st) : stat(obj->path, &st)) ==
		       0 &&
	       st.st_dev == obj->device && st.st_ino == obj->inode &&
	       (uint64_t)st.st_size == obj->file_size &&
	       is_time(&st.st_mtim, &obj->file_time) &&
	       is_time(&st.st_ctim, &obj->change_time) &&
	       (!obj->may_be_written ||
		object_file_has_bytes(obj->fd, obj->copy, obj->file_size));
}

int object_report_change(struct diag *d, const struct object *obj)
{
	return diag_file(d, obj->path, "cannot-read",
			 "the file changed while it was read");
}

bool object_any_changed(void)
{
	for (const struct object *obj = mapped; obj != NULL;
	     obj = obj->next_mapped)
		if (!object_is_unchanged(obj))
			return true;
	return false;
}

/* --- Opening ------------------------------------------------------------- */

/*
 * Does the kernel know of a process that has it open for writing? The kernel
 * grants a read lease only if there is none. It never grants one for other
 * users' files, and on some file systems. There, the times must be enough.
 */
static bool has_writer(int fd)
{
#ifdef F_SETLEASE
	/*
	 * A process that opens it for writing now waits until the lease is
	 * released, which is at once. The default action of SIGURG is to do
	 * nothing.
	 */
	if (fcntl(fd, F_SETSIG, SIGURG) != 0)
		return false;
	if (fcntl(fd, F_SETLEASE, F_RDLCK) != 0)
		return errno == EAGAIN;
	fcntl(fd, F_SETLEASE, F_UNLCK);
#else
	(void)fd;
#endif
	return false;
}

struct timespec object_file_clock(void)
{
	struct timespec now = { 0 };

#ifdef CLOCK_REALTIME_COARSE
	clock_gettime(CLOCK_REALTIME_COARSE, &now);
#else
	clock_gettime(CLOCK_REALTIME, &now);
#endif
	return now;
}

bool object_file_is_before(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec < b->tv_sec ||
	       (a->tv_sec == b->tv_sec && a->tv_nsec < b->tv_nsec);
}

bool object_file_may_be_written(int fd, const struct stat *st,
				const struct timespec *before)
{
	/*
	 * This comes last: a process that opens the file later leaves another
	 * time.
	 */
	return !object_file_is_before(&st->st_ctim, before) || has_writer(fd);
}

/*
 * The clock of a file system may tick only so often. Wait no more milliseconds
 * than this.
 */
#define TICK_MS 10

/*
 * A large file may have changed in this tick of its clock: a linker may have
 * just written it. Waits for the next tick, in which a further change would
 * show.
 */
static void await_tick(int fd, struct stat *st, struct timespec *now)
{
	const struct timespec ms = { .tv_nsec = 1000000 };

	for (int i = 0; i < TICK_MS && st->st_size > OBJECT_COPIED_MAX &&
			!object_file_is_before(&st->st_ctim, now);
	     i++) {
		nanosleep(&ms, NULL);
		*now = object_file_clock();
		if (fstat(fd, st) < 0)
			return;
	}
}

static int open_file(struct diag *d, struct object *obj)
{
	struct timespec now = object_file_clock();
	struct stat st;

	/* Or a pipe that nobody writes to is waited for. */
	if (!obj->is_given)
		obj->fd = open(obj->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (obj->fd < 0 || fstat(obj->fd, &st) < 0)
		return diag_file(d, obj->path, "cannot-read", "cannot open: %s",
				 strerror(errno));
	await_tick(obj->fd, &st, &now);
	obj->file_size = st.st_size;
	obj->device = st.st_dev;
	obj->inode = st.st_ino;
	obj->file_time = st.st_mtim;
	obj->change_time = st.st_ctim;
	if (S_ISDIR(st.st_mode))
		return diag_file(d, obj->path, "cannot-read",
				 "is a directory: give its files one by one");
	if (!S_ISREG(st.st_mode))
		return diag_file(d, obj->path, "cannot-read",
				 "not a regular file");
	if (st.st_size == 0)
		return diag_file(d, obj->path, "not-elf", "the file is empty");
	obj->may_be_written = object_file_may_be_written(obj->fd, &st, &now);
	return 0;
}

static int copy_file(struct diag *d, struct object *obj)
{
	size_t done = 0;

	if (obj->file_size > SIZE_MAX)
		return diag_nomem(d, obj->path);
	obj->copy = malloc(obj->file_size);
	if (obj->copy == NULL)
		return diag_nomem(d, obj->path);
	while (done < obj->file_size) {
		ssize_t n = read_at(obj->fd, (char *)obj->copy + done,
				    obj->file_size - done, done);

		if (n < 0)
			return diag_file(d, obj->path, "cannot-read",
					 "cannot read: %s", strerror(errno));
		if (n == 0)
			return object_report_change(d, obj);
		done += n;
	}
	return 0;
}

/* All of it is needed to make an ELF file. */
static bool is_pe(const struct object *obj)
{
	char magic[2];

	return read_at(obj->fd, magic, 2, 0) == 2 &&
	       memcmp(magic, "MZ", 2) == 0;
}

int object_file_open(struct diag *d, struct object *obj)
{
	if (open_file(d, obj))
		return -1;
	if (obj->file_size <= OBJECT_COPIED_MAX || obj->may_be_written ||
	    is_pe(obj))
		return copy_file(d, obj);
	add_mapped(obj);
	return 0;
}

void object_file_close(struct object *obj)
{
	remove_mapped(obj);
	free(obj->copy);
	if (obj->path != NULL && obj->fd >= 0)
		close(obj->fd);
}
